//! `liedae analyse`: every problem answers or says why not.

use crate::common::{json, keys, liedae, number, stdout};

const QUESTIONS: [&str; 6] = [
    "assembly",
    "equilibrium",
    "inverse",
    "modes",
    "momentum",
    "redundancy",
];

#[test]
fn every_problem_answers_or_says_why_not() {
    let (_, problems) = json(&["list", "problems"]);
    let problems = problems
        .as_array()
        .or_else(|| problems["problems"].as_array());
    let problems = problems.expect("a list");
    assert!(problems.len() >= 69);
    let mut answered = 0;
    for problem in problems {
        let name = problem["name"].as_str().expect("a name");
        let (code, report) = json(&["analyse", name]);
        assert_eq!(
            (code, report["status"].as_str()),
            (0, Some("done")),
            "{name}"
        );
        for question in QUESTIONS {
            let answer = &report[question];
            match answer["status"].as_str() {
                Some("done") => answered += 1,
                Some("failed") => {
                    assert_eq!(keys(answer), ["kind", "reason", "status"], "{name}");
                    assert!(
                        answer["reason"]
                            .as_str()
                            .is_some_and(|words| words.len() > 20)
                    );
                }
                other => panic!("{name}, {question}: {other:?}"),
            }
        }
        // Rows are consistent at the start of every problem, and degrees of freedom are what is left.
        let found = &report["redundancy"];
        let freedom = number(found, "/velocities") - number(found, "/rank");
        assert_eq!(number(found, "/freedom"), freedom, "{name}");
        assert!(number(&report, "/assembly/after") < 1e-9, "{name}");
    }
    assert!(answered > 250, "{answered} answers");
}

#[test]
fn what_is_asked_by_name_decides_on_the_exit_code() {
    let (code, report) = json(&["analyse", "pendulum", "--modes", "--redundancy"]);
    assert_eq!(code, 0);
    let expected = [
        "assembly",
        "equilibrium",
        "inverse",
        "modes",
        "momentum",
        "parameters",
        "problem",
        "redundancy",
        "status",
        "t",
    ];
    assert_eq!(keys(&report), expected);
    assert!(report["equilibrium"].is_null());
    assert_eq!(report["modes"]["about"], "equilibrium");
    let root = (number(&report, "/parameters/g") / number(&report, "/parameters/length")).sqrt();
    assert!((number(&report, "/modes/modes/0/im") - root).abs() < 1e-9);
    let (code, report) = json(&["analyse", "bouncing-ball", "--equilibrium"]);
    assert_eq!(code, 1);
    assert_eq!(report["equilibrium"]["kind"], "no-equilibrium");
    let reason = report["equilibrium"]["reason"].as_str().expect("words");
    assert!(
        reason.contains("body 'ball': displacement along y"),
        "{reason}"
    );
    let output = liedae(&["analyse", "pendulum", "--inverse"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("inverse: no answer (not-prescribed)"));
    for (bad, words) in [
        (&["analyse", "pendulun"][..], "did you mean `pendulum`"),
        (&["analyse"], "Usage"),
        (&["analyse", "four-link", "--samples", "1"], "--samples"),
        (&["analyse", "heavy-top", "--turning", "0,1"], "--turning"),
        (
            &["analyse", "heavy-top", "--turning", "0,0,inf"],
            "--turning",
        ),
        (&["analyse", "pendulum", "--set", "length=-1"], "length"),
    ] {
        let output = liedae(bad);
        assert_eq!(output.status.code(), Some(2), "{bad:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(words), "{bad:?}: {text}");
    }
    let (code, report) = json(&["analyse", "chain", "--set", "n=1000"]);
    assert_eq!(code, 1);
    assert_eq!(report["modes"]["kind"], "too-large");
}

#[test]
fn drives_are_named_with_their_efforts() {
    let (code, report) = json(&["analyse", "four-link", "--inverse", "--samples", "3"]);
    assert_eq!(code, 0);
    let inverse = &report["inverse"];
    assert_eq!(inverse["t"].as_array().map(Vec::len), Some(3));
    assert_eq!(inverse["drives"].as_array().map(Vec::len), Some(1));
    let drive = &inverse["drives"][0];
    let label = drive["row"]["label"].as_str().expect("a name");
    assert!(label.starts_with("joint 'drive' (angle)"), "{label}");
    // Driven at π rad/s.
    let (effort, power) = (number(drive, "/effort/1"), number(drive, "/power/1"));
    assert!((power - std::f64::consts::PI * effort).abs() < 1e-9 * power.abs());
}

#[test]
fn a_top_in_its_frame_and_in_none() {
    let precession: f64 = 15.0 * 9.81 / (0.46875 * 150.0);
    let (setting, rate) = (
        format!("precession={precession}"),
        format!("0,0,{precession}"),
    );
    let top = ["analyse", "heavy-top", "--set", &setting, "--turning"];
    let (code, report) = json(&[&top[..], &[&rate]].concat());
    assert_eq!(
        (code, report["modes"]["about"].as_str()),
        (0, Some("turning"))
    );
    let modes = report["modes"]["modes"].as_array().expect("modes");
    let swings = modes.iter().map(|mode| number(mode, "/im"));
    let fastest = swings.fold(0.0, f64::max);
    let nutation = precession.hypot(0.46875 * 150.0 / 15.234375);
    assert!((fastest - nutation).abs() < 1e-8, "{fastest}");
    let (code, report) = json(&[&top[..], &["0,0,0"]].concat());
    assert_eq!(
        (code, report["modes"]["kind"].as_str()),
        (1, Some("unsteady"))
    );
    // A problem that does not say how it stands in space.
    let (code, report) = json(&["analyse", "pendulum", "--turning=0,0,-1"]);
    assert_eq!(
        (code, report["modes"]["kind"].as_str()),
        (1, Some("unknown"))
    );
}

#[test]
fn momenta_and_closed_contacts_have_their_names() {
    let (_, report) = json(&["analyse", "rocking-block", "--momentum", "--equilibrium"]);
    assert_eq!(
        keys(&report["momentum"]),
        ["angular", "energy", "linear", "status"]
    );
    let output = liedae(&["analyse", "slider-crank-clearance"]);
    let text = stdout(&output);
    assert!(text.contains("lies"), "{text}");
    let text = stdout(&liedae(&["analyse", "double-pendulum", "--modes"]));
    assert!(text.contains("about the equilibrium: stable"), "{text}");
    assert!(text.contains("body '"), "{text}");
}
