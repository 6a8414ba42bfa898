//! The energy is kept only where nothing takes it.

use super::refusals::{BENCH, refused};
use liedae_multibody::file::MechanismFile;

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
