//! Keys without a use, places of errors, and where the energy is not kept.

use liedae_multibody::file::{FileError, MechanismFile};

/// A body on a joint of the same name, above a floor.
const BENCH: &str = r#"gravity = [0.0, 0.0, -9.81]
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

fn refused(text: &str) -> FileError {
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
            "the file",
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

/// The energy is held only where it stays.
#[test]
fn energy_is_kept_only_without_drives_dampers_and_friction() {
    let kept = BENCH.replacen("t_end = 1.0", "t_end = 1.0\nkeeps_energy = true", 1);
    let spring = "[[springs]]\nname = \"s\"\nbodies = [\"ground\", \"arm\"]\npoints = [[3.0, 0.0, 0.0], [1.0, 0.0, 0.0]]\nstiffness = 1.0\nfree_length = 1.0\n";
    let torsion = "[[rotational_springs]]\nname = \"s\"\njoint = \"arm\"\nstiffness = 1.0\n";
    let distance = "[[joints]]\nname = \"follows\"\nkind = \"angle\"\nbodies = [\"ground\", \"arm\"]\npoint = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n";
    for more in [
        String::new(),
        spring.to_owned(),
        torsion.to_owned(),
        format!("{distance}motion = {{ polynomial = [0.0, 0.0] }}\n"),
    ] {
        let text = format!("{kept}{more}");
        let made = MechanismFile::read(&text).and_then(|file| file.system(&text));
        assert!(made.is_ok(), "{more}: {:?}", made.err());
    }
    let drive = "[[drives]]\nname = \"motor\"\njoint = \"arm\"\nangle = { polynomial = [0.0] }\n";
    let friction = "[[frictions]]\nname = \"rubs\"\njoint = \"arm\"\ncoefficient = 0.1\n";
    for (more, words) in [
        (drive.to_owned(), "drive `motor`"),
        (
            format!("{distance}motion = {{ polynomial = [0.0, 1.0] }}\n"),
            "the motion of joint `follows`",
        ),
        (
            format!("{distance}motion = {{ harmonic = {{ amplitude = 1.0, rate = 2.0 }} }}\n"),
            "the motion of joint `follows`",
        ),
        (format!("{spring}damping = 0.1\n"), "damping of spring `s`"),
        (format!("{torsion}damping = 0.1\n"), "damping of spring `s`"),
        (friction.to_owned(), "friction `rubs`"),
    ] {
        let error = refused(&format!("{kept}{more}"));
        assert_eq!((error.line, error.field.as_str()), (3, "keeps_energy"));
        assert!(error.reason.contains(words), "{error}");
    }
    for (to, words) in [
        ("restitution = 0.9", "restitution below 1 of contact"),
        ("restitution = 1.0\nfriction = 0.1", "friction of contact"),
    ] {
        let error = refused(&kept.replacen("restitution = 1.0", to, 1));
        assert_eq!((error.line, error.field.as_str()), (3, "keeps_energy"));
        assert!(error.reason.contains(words), "{error}");
    }
}
