//! What is said to who writes mechanism files: file, line, table, and a cure that a file has.

use crate::common::{json, liedae, path, stdout};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "t_end = 1.0\ngravity = [0.0, 0.0, -9.81]\n";

/// A body with these further keys.
fn body(keys: &str) -> String {
    format!("[[bodies]]\nname = \"bar\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n{keys}\n")
}

/// A contact of a half-space in the ground with a shape of the body.
fn contact(shape: &str) -> String {
    format!(
        "[[contacts]]\nname = \"floor\"\nrestitution = 0.5\nsurfaces = [{{ body = \"ground\", shape = \"half-space\", frame = {{ point = \
         [0.0, 0.0, 0.0] }} }}, {{ body = \"bar\", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {shape} }}]\n"
    )
}

/// A joint of the body with the ground.
fn joint(name: &str, kind: &str, keys: &str) -> String {
    format!(
        "[[joints]]\nname = \"{name}\"\nkind = \"{kind}\"\nbodies = [\"ground\", \"bar\"]\n{keys}\n"
    )
}

/// The pivot of a bar that hangs level, beside it.
fn pivot(name: &str, y: f64) -> String {
    let keys = format!("point = [0.0, {y:?}, 0.0]\naxis = [0.0, 1.0, 0.0]");
    joint(name, "revolute", &keys)
}

/// Words that only somebody knows who has read the program: paths, calls, types, and identifiers that are no keys of files.
fn words_of_programs(message: &str, keys: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "_:()".contains(letter);
    let words = message.split(|letter| !is_part(letter));
    let of_program = |word: &&str| {
        let bare = word.trim_matches([':', '(', ')']);
        let capitals = bare
            .chars()
            .filter(|letter| letter.is_ascii_uppercase())
            .count();
        let small = bare.chars().any(|letter| letter.is_ascii_lowercase());
        let is_type = capitals > 1 && small && bare.chars().all(char::is_alphabetic);
        let is_name = bare.contains('_') && !keys.contains(&format!("\"{bare}\""));
        bare.contains("::") || word.ends_with("()") || is_type || is_name
    };
    words.filter(of_program).map(str::to_owned).collect()
}

struct Case {
    name: &'static str,
    text: String,
    /// Where it is said to be.
    place: &'static str,
    /// What is said of it, and what helps.
    words: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    let case = |name, parts: &[String], place, words| Case {
        name,
        text: format!("{HEAD}{}", parts.concat()),
        place,
        words,
    };
    let above = body("position = [0.0, 0.0, 0.15]");
    vec![
        Case {
            name: "closed from afar",
            text: format!(
                "thresholds = {{ gap = 1e10 }}\n{HEAD}{above}{}",
                contact("{ sphere = 0.1 }")
            ),
            place: "line 9, contacts[0]: ",
            words: &["contact 'floor': gap counts as closed, and is 5.000e-2", "`position`", "`thresholds`"],
        },
        case(
            "no bodies",
            &[],
            "line 1, the file: ",
            &["the mechanism has no bodies", "`[[bodies]]`"],
        ),
        case(
            "positions",
            &[
                body("position = [1.1, 0.0, 0.0]"),
                joint("rod", "distance", "points = [[0.0, 0.0, 0.0], [1.1, 0.0, 0.0]]\nmotion = { constant = 1.0 }"),
            ],
            "line 9, joints[0].name: ",
            &["joint 'rod' by 1.0", "`position`", "`[[initial]]`"],
        ),
        case(
            "velocities",
            &[body("position = [1.0, 0.0, 0.0]\nvelocity = [1.0, 0.0, 0.0]"), pivot("pivot", 0.0)],
            "line 10, joints[0].name: ",
            &["joint 'pivot' by 1e0", "`velocity`", "`[[initial]]`"],
        ),
        case(
            "no pair",
            &[above.clone(), contact("{ bore = 0.1 }")],
            "line 11, contacts[0].surfaces: ",
            &[
                "no contact of half-space with bore",
                "`half-space` touches `point`, `points`, `sphere`, `capsule`, `cylinder`, `cuboid`",
                "`bore` touches `point`, `points`, `sphere`, `capsule`, `cylinder`, `cuboid`",
            ],
        ),
        case(
            "penetrated",
            &[body("position = [0.0, 0.0, 0.05]"), contact("{ sphere = 0.1 }")],
            "line 8, contacts[0]: ",
            &["contact `floor` is penetrated by 5e-2 m", "`position`", "`penetration` in `thresholds`"],
        ),
        case(
            "contradicting drives",
            &[
                body(""),
                joint("rail", "translational", "point = [0.0, 0.0, 0.0]\naxis = [1.0, 0.0, 0.0]"),
                "[[drives]]\nname = \"slow\"\njoint = \"rail\"\ntranslation = { polynomial = [0.0, 0.0, 1.0] }\n".to_owned(),
                "[[drives]]\nname = \"fast\"\njoint = \"rail\"\ntranslation = { polynomial = [0.0, 0.0, 2.0] }\n".to_owned(),
            ],
            ", drives[",
            &["contradict the other joints", "make motions and joints agree"],
        ),
        case(
            "a triangle of moments",
            &[body("").replace("[1.0, 1.0, 1.0]", "[1.0, 1.0, 3.0]")],
            "line 6, bodies[0].inertia: ",
            &["no rigid body", "`unphysical_inertia = true`"],
        ),
        case(
            "a motion that is a number",
            &[body(""), joint("rod", "distance", "points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]\nmotion = 1.0")],
            "joints[0].motion: ",
            &["`{ constant = 1.0 }`"],
        ),
        case(
            "an output twice",
            &[
                body(""),
                "[[outputs]]\nname = \"x\"\nbody = \"bar\"\nquantity = \"x\"\n".to_owned(),
                "[[outputs]]\nname = \"x\"\nbody = \"bar\"\nquantity = \"y\"\n".to_owned(),
            ],
            "line 13, outputs[1].name: ",
            &["the output name 'x' is used twice"],
        ),
    ]
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).expect("a file");
    file
}

/// Whatever command is asked, and whatever method.
#[test]
fn messages_name_file_line_table_and_cure() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = stdout(&liedae(&["schema"]));
    for Case {
        name,
        text,
        place,
        words,
    } in cases()
    {
        let file = written(folder.path(), "model.toml", &text);
        let out = folder.path().join("out");
        let asked: [&[&str]; 4] = [
            &["run", path(&file)],
            &["run", path(&file), "--method", "hem5"],
            &[
                "run",
                path(&file),
                "--method",
                "generalized-alpha",
                "--csv",
                "-",
            ],
            &[
                "compare",
                path(&file),
                "--methods",
                "hem5",
                "--tols",
                "1e-3",
                "--out",
                path(&out),
            ],
        ];
        for arguments in asked {
            let output = liedae(arguments);
            assert_ne!(output.status.code(), Some(0), "{name}: {arguments:?}");
            let said = String::from_utf8_lossy(&output.stderr).into_owned() + &stdout(&output);
            let start = format!("{}: ", path(&file));
            let line = said
                .lines()
                .find(|line| line.contains(&start) && line.contains(place));
            let line = line.unwrap_or_else(|| panic!("{name}, {arguments:?}: {said}"));
            for word in words {
                assert!(
                    line.contains(word),
                    "{name}, {arguments:?}: no {word} in {line}"
                );
            }
            let programs = words_of_programs(&line.replace(path(&file), ""), &keys);
            assert!(
                programs.is_empty(),
                "{name}, {arguments:?}: {programs:?} in {line}"
            );
        }
    }
}

#[test]
fn formats_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, words) in [
        ("robot.sdf", "SDF is not read"),
        ("robot.XML", "neither MJCF nor SDF is read"),
        ("robot.xacro", "xacro FILE > robot.urdf"),
        ("model.mo", "Modelica is not read"),
        ("model.json", "JSON is not read"),
        ("model", "files of this kind are not read"),
    ] {
        // It is there or not.
        for exists in [false, true] {
            let file = folder.path().join(name);
            if exists {
                fs::write(&file, "").expect("a file");
            }
            for command in ["run", "describe", "analyse", "export"] {
                let (code, report) = json_of(command, &file);
                assert_eq!(code, 2, "{name}: {report}");
                assert!(report.contains(words), "{command} {name}: {report}");
                assert!(
                    report.contains("`.toml`") && report.contains("`.urdf`"),
                    "{report}"
                );
            }
        }
    }
    for name in ["missing.toml", "missing.urdf"] {
        let file = folder.path().join(name);
        for command in ["run", "describe", "analyse", "export"] {
            let (code, report) = json_of(command, &file);
            assert_eq!(code, 2, "{report}");
            let reason = format!("cannot read {}: No such file", path(&file));
            assert!(report.contains(&reason), "{command}: {report}");
        }
    }
}

fn json_of(command: &str, file: &Path) -> (i32, String) {
    let (code, report) = json(&[command, path(file)]);
    (
        code,
        report["reason"].as_str().unwrap_or_default().to_owned(),
    )
}

/// A file that never ends, and one that gives nothing.
#[cfg(unix)]
#[test]
fn devices_and_pipes_are_no_mechanism_files() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, device) in [("random.toml", "/dev/urandom"), ("zero.urdf", "/dev/zero")] {
        let link = folder.path().join(name);
        std::os::unix::fs::symlink(device, &link).expect("a link");
        for command in ["run", "describe"] {
            let (code, reason) = json_of(command, &link);
            assert_eq!(code, 2);
            assert!(reason.contains("it is no regular file"), "{reason}");
        }
        let program = format!("it={}", path(&link));
        let out = folder.path().join("out");
        let (code, report) = json(&[
            "compare",
            "pendulum",
            "--methods",
            "hem5,it",
            "--program",
            &program,
            "--out",
            path(&out),
        ]);
        assert_eq!(code, 2, "{report}");
        for command in ["query", "report"] {
            let more: &[&str] = match command {
                "query" => &["SELECT 1"],
                _ => &["--out", path(&out)],
            };
            let (code, report) = json(&[&[command, path(&link)], more].concat());
            assert_eq!(code, 2, "{report}");
        }
    }
}
