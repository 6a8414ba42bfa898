//! Keys without a use, and places of errors.

use liedae_multibody::file::{FileError, MechanismFile};

/// A body on a joint of the same name, above a floor.
pub const BENCH: &str = r#"gravity = [0.0, 0.0, -9.81]
t_end = 1.0
[[bodies]]
name = "arm"
mass = 1.0
inertia = [
  [1.0, 0.0, 0.0],
  [0.0, 1.0, 0.0],
[0.0, 0.0, 1.0],
]
position = [1.0, 0.0, 0.0]
  [[joints]] # the only one
name = "arm"
kind = "revolute"
bodies = ["ground", "arm"]
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
[[contacts]]
name = "floor"
restitution = 1.0
surfaces = [
  { body = "ground", frame = { in = "world", point = [0.0, 0.0, -9.0] }, shape = "half-space" },
  { body = "arm", frame = { point = [0.0, 0.0, 0.0] }, shape = { points = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]] } },
]
"#;

pub fn refused(text: &str) -> FileError {
    let made = MechanismFile::read(text).and_then(|file| file.system(text).map(|_| ()));
    made.expect_err(text)
}

/// Changes of the text above; each is refused at this field with these words.
fn check_refusals(cases: &[(&str, &str, &str, &str)]) {
    assert!(
        MechanismFile::read(BENCH)
            .and_then(|file| file.system(BENCH))
            .is_ok()
    );
    let mut wrong = Vec::new();
    for (from, to, field, words) in cases {
        assert!(BENCH.contains(from), "{from}");
        let text = BENCH.replacen(from, to, 1);
        let error = refused(&text);
        let key = field.rsplit('.').next().unwrap_or_default();
        let line = text.lines().nth(error.line - 1).unwrap_or_default();
        // The line is that of the key, of the header of its table or of a row of its value, or the first.
        let there = line.trim_start().starts_with(key)
            || line.trim_start().starts_with('[')
            || error.line == 1;
        if error.field != *field || !error.reason.contains(words) || !there {
            wrong.push(format!("{to:?}: {error} instead of {field}: {words}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No key that is stated is left out of the mechanism in silence.
#[test]
fn keys_without_a_use_are_refused() {
    let axis = "axis = [0.0, 1.0, 0.0]";
    let place = "point = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]";
    let joint = "kind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]";
    let distance = |more: &str| {
        format!(
            "kind = \"distance\"\nbodies = [\"ground\", \"arm\"]\npoints = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]\n{more}"
        )
    };
    let frames = |frame: &str, more: &str| {
        format!(
            "frames = [\n  {{ in = \"world\", {frame} }},\n  {{ in = \"world\", point = [0.0, 0.0, 0.0], z = [0.0, 1.0, 0.0] }},\n]\n{more}"
        )
    };
    let plain = "point = [0.0, 0.0, 0.0], z = [0.0, 1.0, 0.0]";
    let turned =
        "point = [0.0, 0.0, 0.0], axes = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]";
    check_refusals(&[
        (
            place,
            "points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]",
            "joints[0].points",
            "only a `distance`",
        ),
        (
            joint,
            &distance("point = [0.0, 0.0, 0.0]"),
            "joints[0].point",
            "`points` as well",
        ),
        (
            joint,
            &distance("axis = [0.0, 1.0, 0.0]"),
            "joints[0].axis",
            "`points` as well",
        ),
        (
            joint,
            &distance("second_axis = [0.0, 1.0, 0.0]"),
            "joints[0].second_axis",
            "second axis",
        ),
        (
            joint,
            &distance("x = [0.0, 1.0, 0.0]"),
            "joints[0].x",
            "`points` as well",
        ),
        (
            place,
            &frames(plain, "point = [0.0, 0.0, 0.0]"),
            "joints[0].point",
            "`frames` as well",
        ),
        (
            "kind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]",
            &format!(
                "kind = \"universal\"\nbodies = [\"ground\", \"arm\"]\n{}",
                frames(plain, "second_axis = [1.0, 0.0, 0.0]")
            ),
            "joints[0].second_axis",
            "`frames` as well",
        ),
        (
            place,
            &frames(&format!("{turned}, z = [0.0, 1.0, 0.0]"), ""),
            "joints[0].frames",
            "`axes` or them",
        ),
        (
            place,
            &frames(&format!("{turned}, x = [1.0, 0.0, 0.0]"), ""),
            "joints[0].frames",
            "`axes` or them",
        ),
        (
            place,
            &frames(
                &format!("{plain}, x = [1.0, 0.0, 0.0]"),
                "x = [1.0, 0.0, 0.0]",
            ),
            "joints[0].x",
            "`frames` as well",
        ),
        (
            "frame = { point = [0.0, 0.0, 0.0] }",
            &format!("frame = {{ {turned}, z = [0.0, 0.0, 1.0] }}"),
            "contacts[0].surfaces",
            "`axes` or them",
        ),
        (
            axis,
            "axis = [0.0, 1.0, 0.0]\ndirection = [0.0, 1.0, 0.0]",
            "joints[0].direction",
            "only a `coordinate`",
        ),
        (
            axis,
            "axis = [0.0, 1.0, 0.0]\naxes = [\"x\", \"y\"]",
            "joints[0].axes",
            "only a `cosine`",
        ),
        (
            axis,
            "axis = [0.0, 1.0, 0.0]\nsecond_axis = [0.0, 1.0, 0.0]",
            "joints[0].second_axis",
            "second axis",
        ),
    ]);
    // Frames alone are taken, with z and with all axes.
    for frame in [plain, turned] {
        let text = BENCH.replacen(place, &frames(frame, ""), 1);
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text));
        assert!(made.is_ok(), "{:?}", made.err());
    }
}

#[test]
fn rows_of_matrices_are_no_headers() {
    check_refusals(&[
        (
            "position = ",
            "massa = 1.0\nposition = ",
            "bodies[0].massa",
            "unknown field",
        ),
        (
            "[0.0, 0.0, 1.0],\n]",
            "[0.0, 0.0, 1.0],\n]\nvelocity = [\n[1.0],\n]",
            "bodies[0].velocity",
            "",
        ),
        (
            "kind = \"revolute\"",
            "kind = \"hinge\"",
            "joints[0].kind",
            "unknown variant",
        ),
        (
            "axis = [0.0, 1.0, 0.0]\n",
            "",
            "joints[0].axis",
            "needs `axis`",
        ),
        // A body and a joint of one name.
        (
            "axis = [0.0, 1.0, 0.0]",
            "axis = [0.0, 2.0, 0.0]",
            "joints[0].axis",
            "unit vector",
        ),
        ("mass = 1.0", "mass = -1.0", "bodies[0].mass", "positive"),
    ]);
}

/// A second element whose key is not its neighbour's.
#[test]
fn keys_are_those_of_their_own_table() {
    let text = BENCH.replacen(
        "[[contacts]]",
        "  [[joints]]\nname = \"other\"\nkind = \"cylindrical\"\nbodies = [\"ground\", \"arm\"]\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n[[contacts]]",
        1,
    );
    let first = text.replacen("axis = [0.0, 1.0, 0.0]\n", "", 1);
    let error = refused(&first);
    assert_eq!((error.line, error.field.as_str()), (12, "joints[0].axis"));
}

#[test]
fn errors_without_a_table_name_the_file() {
    let floor = "restitution = 1.0";
    check_refusals(&[
        (
            "[0.0, 0.0, -9.81]",
            "[nan, 0.0, 0.0]",
            "gravity",
            "not finite",
        ),
        (
            floor,
            "restitution = 2.0",
            "contacts[0].restitution",
            "outside [0, 1]",
        ),
        (
            floor,
            "restitution = 1.0\nfriction = -0.5",
            "contacts[0].friction",
            "coefficient of friction",
        ),
        (
            "position = [1.0, 0.0, 0.0]",
            "position = [1.0, nan, 0.0]",
            "bodies[0].position",
            "not finite",
        ),
        (
            "[[contacts]]",
            "[[initial]]\njoint = \"arm\"\nangle = 1.0\n[[initial]]\njoint = \"second\"\nangle = 0.0\n[[joints]]\nname = \"second\"\nkind = \"revolute\"\nbodies = [\"ground\", \"arm\"]\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n[[contacts]]",
            "the file",
            "joint positions",
        ),
    ]);
    let none = "t_end = 1.0\nbodies = []\n";
    assert_eq!(refused(none).field, "the file");
}

/// Numbers of every table are looked at where they are written.
#[test]
fn numbers_that_are_not_finite_have_their_line() {
    let axis = "axis = [0.0, 1.0, 0.0]";
    check_refusals(&[
        (
            "mass = 1.0",
            "mass = 1.0\nquaternion = [inf, 0.0, 0.0, 0.0]",
            "bodies[0].quaternion",
            "not finite",
        ),
        (
            axis,
            "axis = [0.0, nan, 0.0]",
            "joints[0].axis",
            "not finite",
        ),
        (
            "[0.1, 0.0, 0.0]",
            "[0.1, -inf, 0.0]",
            "contacts[0].surfaces",
            "not finite",
        ),
        (
            "[[contacts]]",
            "[[drives]]\nname = \"motor\"\njoint = \"arm\"\nangle = { polynomial = [0.0, nan] }\n[[contacts]]",
            "drives[0].angle",
            "not finite",
        ),
        // Finite numbers whose second derivative is not.
        (
            "[[contacts]]",
            "[[drives]]\nname = \"motor\"\njoint = \"arm\"\nangle = { harmonic = { amplitude = 1e200, rate = 1e200 } }\n[[contacts]]",
            "drives[0].angle",
            "not finite",
        ),
    ]);
}

#[test]
fn directions_and_rotations_are_named_as_they_are_stated() {
    let axis = "axis = [0.0, 1.0, 0.0]";
    check_refusals(&[
        (
            "mass = 1.0",
            "mass = 1.0\nquaternion = [2.0, 0.0, 0.0, 0.0]",
            "bodies[0].quaternion",
            "length 2",
        ),
        (
            "mass = 1.0",
            "mass = 1.0\nrotation = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]",
            "bodies[0].rotation",
            "not in SO(3)",
        ),
        (
            axis,
            "axis = [0.0, 1.0, 0.0]\nx = [3.0, 0.0, 0.0]",
            "joints[0].x",
            "length 3",
        ),
        (
            "kind = \"revolute\"",
            "kind = \"universal\"\nsecond_axis = [0.0, 0.5, 0.0]",
            "joints[0].second_axis",
            "length 0.5",
        ),
        (
            "kind = \"revolute\"",
            "kind = \"displacement\"\naxes = [\"x\", \"y\"]\nmotion = { constant = 0.0 }",
            "joints[0].axes",
            "one of x, y, z",
        ),
        (
            "kind = \"revolute\"",
            "kind = \"cosine\"\naxes = [\"x\"]\nmotion = { constant = 0.0 }",
            "joints[0].axes",
            "two of x, y, z",
        ),
        (
            "[[contacts]]",
            "[[outputs]]\nname = \"force\"\njoint = \"arm\"\npoint = [0.0, 0.0, 1.0]\nquantity = \"force-x\"\n[[contacts]]",
            "outputs[0].point",
            "of a point",
        ),
        (
            "[[contacts]]",
            "[[outputs]]\nname = \"turn\"\nbody = \"arm\"\npoint = [0.0, 0.0, 0.0]\nquantity = \"omega-x\"\n[[contacts]]",
            "outputs[0].point",
            "of a point",
        ),
    ]);
}

/// The direction in which friction starts is one, does not contradict the velocity, and is not for friction that sticks, as it does by
/// default.
#[test]
fn friction_starts_in_a_direction_that_fits() {
    let sliding = BENCH
        .replacen("kind = \"revolute\"", "kind = \"cylindrical\"", 1)
        .replacen("mass = 1.0", "mass = 1.0\nvelocity = [0.0, 0.5, 0.0]", 1);
    let beside = |others: &str, more: &str| {
        let table = "[[frictions]]\nname = \"arm\"\njoint = \"arm\"\ncoefficient = 0.1";
        format!("{others}{table}\n{more}\n")
    };
    let alone = sliding.split("[[contacts]]").next().expect("a part");
    let friction = |more: &str| beside(alone, more);
    for fits in [
        "",
        "sticks = false",
        "sticks = false\ninitial_direction = 1",
        "sticks = true",
    ] {
        let text = friction(fits);
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text));
        assert!(made.is_ok(), "{fits}: {:?}", made.err());
    }
    for (more, key, words) in [
        (
            "sticks = false\ninitial_direction = -1",
            "initial_direction",
            "0.5 m/s",
        ),
        (
            "sticks = false\ninitial_direction = 0",
            "initial_direction",
            "is 0",
        ),
        (
            "sticks = false\ninitial_direction = -2147483648",
            "initial_direction",
            "is -2147483648",
        ),
        ("initial_direction = 1", "initial_direction", "it sticks"),
        (
            "sticks = true\ninitial_direction = 7",
            "initial_direction",
            "it sticks",
        ),
        ("normal = [1.0, 1.0]", "normal", "unit vector"),
    ] {
        let error = refused(&friction(more));
        assert_eq!(error.field, format!("frictions[0].{key}"), "{error}");
        assert!(error.reason.contains(words), "{error}");
    }
    let error = refused(&beside(&sliding, "sticks = false"));
    assert_eq!(error.field, "frictions[0].sticks", "{error}");
    assert!(error.reason.contains("only reverses"), "{error}");
    let error = refused(&friction("").replacen("= 0.1\n", "= -0.1\n", 1));
    assert_eq!(error.field, "frictions[0].coefficient");
}

#[test]
fn options_of_impacts_have_a_use() {
    check_refusals(&[
        (
            "t_end = 1.0",
            "t_end = 1.0\nthresholds = { gap = -1e-9 }",
            "thresholds",
            "positive",
        ),
        (
            "t_end = 1.0",
            "t_end = 1.0\nthresholds = { length = 0.0 }",
            "thresholds",
            "positive",
        ),
        (
            "t_end = 1.0",
            "t_end = 1.0\nthresholds = { time = nan }",
            "thresholds",
            "positive",
        ),
        (
            "t_end = 1.0",
            "t_end = 1.0\nimpact_law = \"newton\"",
            "impact_law",
            "unknown variant",
        ),
    ]);
    let rubs = BENCH
        .replacen("t_end = 1.0", "t_end = 1.0\nimpact_law = \"poisson\"", 1)
        .replacen("restitution = 1.0", "friction = 0.1", 1);
    let error = refused(&rubs);
    assert_eq!((error.line, error.field.as_str()), (3, "impact_law"));
    let without = BENCH.split("[[contacts]]").next().expect("a part");
    for (key, value) in [
        ("impact_law", "\"moreau\""),
        ("thresholds", "{ gap = 1e-9 }"),
    ] {
        let stated = format!("t_end = 1.0\n{key} = {value}");
        let error = refused(&without.replacen("t_end = 1.0", &stated, 1));
        assert_eq!((error.line, error.field.as_str()), (3, key));
        assert!(error.reason.contains("no contacts"), "{error}");
    }
}
