//! Animations, charts and poses of `run`; pictures of all mechanisms.

use crate::common::{json, liedae, stdout};
use serde_json::Value;
use std::path::Path;

const RUN: [&str; 6] = [
    "run",
    "woodpecker:t_end=0.1",
    "--method",
    "hem5",
    "--rtol",
    "1e-5",
];

/// The data that the page's script reads.
fn film(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"film\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

fn column<'a>(header: &[&str], row: &[&'a str], name: &str) -> &'a str {
    let place = header.iter().position(|known| *known == name);
    row[place.unwrap_or_else(|| panic!("no column {name}: {header:?}"))]
}

#[test]
fn an_animation_is_one_file_that_changes_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("out.html");
    let text = path.to_str().expect("UTF-8");
    let (code, mut shown) = json(&[&RUN[..], &["--animate", text]].concat());
    assert_eq!(code, 0, "{shown}");
    let (_, mut plain) = json(&RUN);
    for report in [&mut shown, &mut plain] {
        report["wall_s"] = Value::Null;
    }
    // The same steps, counts and bits.
    assert_eq!(shown, plain);

    let page = std::fs::read_to_string(&path).expect("a page");
    for loaded in ["src=", "href=", "@import", "fetch(", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    // What is shown without script.
    assert!(page.contains("<noscript>") && page.matches("<text").count() == 6);
    let film = film(&page);
    let times = film["times"].as_array().expect("times");
    assert!(times.len() >= 601);
    for list in ["poses", "arrows"] {
        assert_eq!(
            film[list].as_array().map(Vec::len),
            Some(times.len()),
            "{list}"
        );
    }
    // Two bodies in the plane: x, y and angle each.
    let poses = film["poses"].as_array().expect("poses");
    assert!(
        poses
            .iter()
            .all(|pose| pose.as_array().is_some_and(|pose| pose.len() == 6))
    );
    assert_eq!(film["frames"], serde_json::json!(["sleeve", "bird"]));
    let events = film["events"].as_array().expect("events");
    assert_eq!(Some(events.len()), plain["events"].as_array().map(Vec::len));
    // Both sides of an event are there, and forces show at some time.
    let at = |t: &Value| times.iter().filter(|time| *time == t).count();
    assert!(
        events.iter().any(|event| at(&event["t"]) == 2),
        "{events:?}"
    );
    let arrows = film["arrows"].as_array().expect("arrows");
    assert!(
        arrows
            .iter()
            .any(|arrows| !arrows.as_array().expect("a list").is_empty())
    );
}

#[test]
fn poses_are_those_of_the_bodies() {
    let arguments = [
        "run",
        "newton-cradle",
        "--method",
        "hem5",
        "--t-end",
        "1",
        "--csv",
        "-",
        "--poses",
    ];
    let text = stdout(&liedae(&arguments));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let header = &rows[0];
    assert!(rows.len() > 20);
    for row in &rows[1..] {
        for (pose, output) in [("pose.ball2.x", "ball2.x"), ("pose.ball2.y", "ball2.y")] {
            assert_eq!(column(header, row, pose), column(header, row, output));
        }
    }
    // In space with a quaternion, here that of the outputs.
    let arguments = [
        "run",
        "heavy-top",
        "--method",
        "hem5",
        "--t-end",
        "0.1",
        "--csv",
        "-",
        "--poses",
    ];
    let text = stdout(&liedae(&arguments));
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    for row in &rows[1..] {
        for part in ["qw", "qx", "qy", "qz"] {
            let value = |name: &str| {
                column(&rows[0], row, name)
                    .parse::<f64>()
                    .expect("a number")
            };
            let (pose, output) = (value(&format!("pose.top.{part}")), value(part));
            assert!((pose - output).abs() < 1e-9, "{part}: {pose} {output}");
        }
    }
}

#[test]
fn charts_of_outputs() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let plots = [
        format!("y,phi_s={}", text(&file("a.svg"))),
        format!("phi_s:y={}", text(&file("b.html"))),
    ];
    let arguments = [&RUN[..], &["--plot", &plots[0], "--plot", &plots[1]]].concat();
    assert_eq!(liedae(&arguments).status.code(), Some(0));
    let svg = std::fs::read_to_string(file("a.svg")).expect("a chart");
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("phi_s") && svg.contains("t / s"));
    let page = std::fs::read_to_string(file("b.html")).expect("a page");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && !page.contains("t / s")
    );
}

#[test]
fn what_cannot_be_drawn_is_refused_before_the_run() {
    let with = |more: &[&'static str]| [&RUN[..], more].concat();
    let cases = [
        (
            vec![
                "run",
                "robertson",
                "--method",
                "radau5",
                "--animate",
                "a.html",
            ],
            "looks like",
        ),
        (
            vec![
                "run",
                "robertson",
                "--method",
                "radau5",
                "--csv",
                "-",
                "--poses",
            ],
            "looks like",
        ),
        (with(&["--poses"]), "--csv"),
        (with(&["--plot", "y"]), "OUTPUTS=FILE"),
        (with(&["--plot", "y=a.png"]), ".svg or .html"),
        (
            with(&["--plot", "phi=a.svg"]),
            "did you mean `phi_m`, `phi_s`",
        ),
        (
            with(&["--plot", "y:phi_m,phi_s=a.svg"]),
            "same horizontal axis",
        ),
        (
            vec!["list", "methods", "--pictures", "a"],
            "only problems move",
        ),
    ];
    for (arguments, words) in cases {
        let output = liedae(&arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
    for more in [
        ["--animate", "/nowhere/a.html"],
        ["--plot", "y=/nowhere/a.svg"],
    ] {
        assert_eq!(liedae(&with(&more)).status.code(), Some(3), "{more:?}");
    }
}

/// Every mechanism of the registry has its picture in the documentation, and no other problem.
#[test]
fn the_pictures_are_complete() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    let page = std::fs::read_to_string(directory.join("README.md")).expect("a page");
    let mut files: Vec<String> = std::fs::read_dir(&directory)
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .filter(|name| name != "README.md")
        .collect();
    files.sort();
    let mechanisms: Vec<&str> = liedae_problems::ProblemRegistry::standard()
        .entries()
        .iter()
        .filter(|entry| entry.build_with(&[]).expect("it builds").drawing.is_some())
        .map(|entry| entry.name)
        .collect();
    let mut expected: Vec<String> = mechanisms
        .iter()
        .map(|name| format!("{name}.svg"))
        .collect();
    expected.sort();
    assert_eq!(
        files, expected,
        "`liedae list problems --pictures docs/pictures` makes them"
    );
    for name in mechanisms {
        assert!(page.contains(&format!("![{name}]({name}.svg)")), "{name}");
    }
}
