//! Mistakes in a file that was right: each is named with its line and field.

use super::example;
use liedae_multibody::file::MechanismFile;

/// Replaced text, the line that the error names, a part of its field, a part of its words.
type Mistake = (
    &'static str,
    &'static str,
    usize,
    &'static str,
    &'static str,
);

const MISTAKES: [Mistake; 30] = [
    ("t_end = 2.0", "", 0, "the file", "missing field `t_end`"),
    ("t_end = 2.0", "t_end = -1.0", 4, "t_end", "after the start"),
    ("t_end = 2.0", "t_end = nan", 4, "t_end", "finite"),
    ("t_end = 2.0", "t_end = \"soon\"", 4, "t_end", "expected"),
    (
        "t_end = 2.0",
        "t_end = 2.0\nstep = 0.0",
        5,
        "step",
        "positive",
    ),
    ("t_end = 2.0", "t_end = ", 4, "t_end", ""),
    ("t_end = 2.0", "t_ende = 2.0", 4, "t_ende", "unknown field"),
    (
        "gravity = [0.0, 0.0, -9.81]",
        "gravity = [0.0, -9.81]",
        3,
        "gravity",
        "length",
    ),
    (
        "gravity = [0.0, 0.0, -9.81]",
        "gravity = [inf, 0.0, 0.0]",
        0,
        "",
        "not finite",
    ),
    ("mass = 1.0\n", "", 6, "bodies[0]", "missing field `mass`"),
    (
        "mass = 1.0",
        "mass = 0.0",
        8,
        "bodies[0].mass",
        "must be positive",
    ),
    (
        "mass = 1.0",
        "mass = nan",
        8,
        "bodies[0].mass",
        "not finite",
    ),
    (
        "mass = 1.0",
        "mass = \"1 kg\"",
        8,
        "bodies[0].mass",
        "expected",
    ),
    (
        "name = \"rod\"",
        "name = \"crank\"",
        15,
        "bodies[1].name",
        "already",
    ),
    (
        "name = \"rod\"",
        "name = \"ground\"",
        15,
        "bodies[1].name",
        "the world",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [0.001, 0.01]",
        9,
        "bodies[0].inertia",
        "three principal moments",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [0.1, 0.01, 0.01]",
        9,
        "bodies[0].inertia",
        "the largest exceeds",
    ),
    (
        "inertia = [0.001, 0.01, 0.01]",
        "inertia = [-0.001, 0.01, 0.01]",
        9,
        "bodies[0].inertia",
        "positive definite",
    ),
    (
        "position = [0.15, 0.0, 0.0]",
        "position = [0.15, 0.0, 0.0]\nrotation = [[1, 0, 0], [0, 2, 0], [0, 0, 1]]",
        11,
        "bodies[0].rotation",
        "not in SO(3)",
    ),
    (
        "position = [0.15, 0.0, 0.0]",
        "position = [0.2, 0.0, 0.0]",
        0,
        "joints[",
        "violate joint",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"ground\", \"crnk\"]",
        31,
        "joints[0].bodies",
        "no body `crnk`",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"crank\", \"crank\"]",
        31,
        "joints[0].bodies",
        "with itself",
    ),
    (
        "bodies = [\"ground\", \"crank\"]",
        "bodies = [\"crank\"]",
        31,
        "joints[0].bodies",
        "length",
    ),
    (
        "kind = \"revolute\"",
        "kind = \"hinge\"",
        30,
        "joints[0].kind",
        "unknown variant",
    ),
    (
        "axis = [0.0, -1.0, 0.0]",
        "axis = [0.0, -2.0, 0.0]",
        33,
        "joints[0].axis",
        "unit vector",
    ),
    (
        "axis = [0.0, -1.0, 0.0]\n",
        "",
        28,
        "joints[0].axis",
        "needs `axis`",
    ),
    (
        "joint = \"shaft\"",
        "joint = \"axle\"",
        58,
        "drives[0].joint",
        "no joint `axle`",
    ),
    (
        "angle = { polynomial",
        "translation = { polynomial",
        58,
        "drives[0].joint",
        "does not fit",
    ),
    (
        "quantity = \"effort\"",
        "quantity = \"x\"",
        77,
        "outputs[1].quantity",
        "expected of a joint",
    ),
    (
        "body = \"slider\"\nquantity",
        "quantity",
        69,
        "outputs[0].body",
        "one of `body` and `joint`",
    ),
];

#[test]
fn mistakes_are_named_with_their_line_and_field() {
    let right = example("slider-crank.toml");
    let mut wrong = Vec::new();
    for (from, to, line, field, words) in MISTAKES {
        assert!(right.contains(from), "{from}");
        let text = right.replacen(from, to, 1);
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text).map(|_| ()));
        let Err(error) = made else {
            wrong.push(format!("{to:?} is taken"));
            continue;
        };
        let fits = (line == 0 || error.line == line)
            && error.field.contains(field)
            && error.reason.contains(words);
        if !fits {
            wrong.push(format!(
                "{to:?}: {error} instead of line {line}, {field}: {words}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
