//! Beams in files: the same as those of a program, and what is refused.

use super::{bits_of_run, example};
use liedae_multibody::file::{FileError, MechanismFile};
use liedae_multibody::nalgebra::Matrix6;
use liedae_multibody::{
    Beam, BodyId, Joint, Material, MultibodyBuilder, MultibodySystem, RigidBody, Section,
    SectionFrame,
};

fn read(text: &str) -> Result<MultibodySystem, FileError> {
    MechanismFile::read(text).and_then(|file| file.system(text))
}

/// The strip of the example, by the builder.
fn strip() -> MultibodySystem {
    let rubber = Material::new(5e6, 0.5, 1100.0);
    let section = Section::rectangle(&rubber, [0.03, 0.01]).with_retardation(1e-2);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let ball = RigidBody::new("ball", 0.1, [4e-5; 3]).at([1.0, 0.0, 0.0]);
    let ball = mechanism.add_body(ball);
    let end = [1.0, 0.0, 0.0];
    let strip = mechanism.add_beam(Beam::straight("strip", section, [0.0; 3], end, 8));
    let axis = [0.0, 1.0, 0.0];
    mechanism.add_joint(Joint::revolute(
        "hinge",
        BodyId::GROUND,
        strip.start(),
        [0.0; 3],
        axis,
    ));
    mechanism.add_joint(Joint::fixed("end", strip.end(), ball, end));
    mechanism.build().expect("a strip")
}

#[test]
fn a_beam_of_a_file_runs_as_that_of_a_program() {
    let mut read = read(&example("rubber-strip.toml")).expect("a mechanism");
    assert_eq!(
        bits_of_run(&mut read, "radau5", 0.05),
        bits_of_run(&mut strip(), "radau5", 0.05)
    );
}

/// Beams of every kind, before, between and behind bodies, one of them strained and moving.
fn beams() -> MultibodySystem {
    let steel = Material::new(2.1e11, 0.3, 7850.0);
    let [tube, rod] = [
        Section::tube(&steel, 0.02, 0.015).with_viscosity([1.0, 0.0, 0.0, 2.0, 0.5, 0.5]),
        Section::circle(&steel, 0.01).with_mass(3.0, [1e-3, 5e-4, 5e-4]),
    ];
    let mut compliance = Matrix6::from_diagonal_element(1e-4);
    (compliance[(3, 4)], compliance[(4, 3)]) = (2e-5, 2e-5);
    let coupled = Section::coupled(compliance, 0.5, [2e-4, 1e-4, 1e-4]);
    let rigid = [1e6, f64::INFINITY, f64::INFINITY, 200.0, 300.0, 400.0];
    let rigid = Section::new(rigid, 0.5, [2e-4, 1e-4, 1e-4]);

    let mut mechanism = MultibodyBuilder::new();
    let tapered = Beam::straight("tapered", tube.clone(), [0.0; 3], [1.0, 0.2, 0.3], 3);
    mechanism.add_beam(tapered.with_sections(vec![tube, rod.clone(), rod]));
    mechanism.add_body(RigidBody::new("between", 1.0, [0.1; 3]).at([0.0, 5.0, 0.0]));
    let frame = SectionFrame::new([0.0, 2.0, 0.0], [0.6, 0.0, 0.8], [0.0, 1.0, 0.0]);
    let helix = Beam::curved("helix", coupled, frame, [0.3, 0.7, -0.2], 1.5, 4);
    let spin = [0.3, -0.2, 0.5];
    mechanism.add_beam(
        helix
            .with_constant_strain_energy()
            .moving([0.1, 0.2, 0.3], spin),
    );
    mechanism.add_body(RigidBody::new("last", 1.0, [0.1; 3]).at([0.0, 6.0, 0.0]));
    let bent = Beam::straight("bent", rigid, [0.0, 3.0, 0.0], [0.0, 4.0, 0.0], 2);
    let curved = SectionFrame::new([0.0, 3.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]);
    let nodes = [0.0, 0.5, 1.0].map(|s| curved.moved(&[s, 0.0, 0.0, 0.0, 0.0, 0.4 * s]));
    mechanism.add_beam(bent.starting_at(nodes.to_vec()));
    mechanism.build().expect("beams")
}

#[test]
fn beams_run_alike_when_they_are_written_and_read() {
    let mut original = beams();
    let text = original.file(1.0).expect("a file").text().expect("TOML");
    let mut again = read(&text).expect("the same");
    for method in ["hem5", "radau5"] {
        let expected = bits_of_run(&mut original, method, 1e-3);
        assert_eq!(bits_of_run(&mut again, method, 1e-3), expected, "{method}");
    }
    // Bodies keep their place among the nodes.
    assert_eq!(text.matches("after_bodies = 0").count(), 1);
    assert_eq!(text.matches("after_bodies = 1").count(), 1);
    assert_eq!(text.matches("after_bodies = 2").count(), 1);
    // What joint coordinates have moved is written where it is.
    let moved = example("rubber-strip.toml")
        + "[[initial]]\njoint = \"hinge\"\nangle = 0.5\nangle_rate = 2.0\n";
    let mut moved = read(&moved).expect("a mechanism");
    let text = moved.file(1.0).expect("a file").text().expect("TOML");
    let mut again = read(&text).expect("the same");
    assert_eq!(
        bits_of_run(&mut again, "radau5", 0.02),
        bits_of_run(&mut moved, "radau5", 0.02)
    );
}

/// A section of the first beam would have the name of that of the second.
#[test]
fn sections_of_beams_have_names_of_their_own() {
    let steel = Material::new(2.1e11, 0.3, 7850.0);
    let [thin, thick] = [0.01, 0.02].map(|radius| Section::circle(&steel, radius));
    let mut mechanism = MultibodyBuilder::new();
    let first = Beam::straight("a", thin.clone(), [0.0; 3], [1.0, 0.0, 0.0], 2);
    mechanism.add_beam(first.with_sections(vec![thin, thick.clone()]));
    let ends = [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    mechanism.add_beam(Beam::straight("a.0", thick, ends[0], ends[1], 2));
    let mut original = mechanism.build().expect("beams");
    let text = original.file(1.0).expect("a file").text().expect("TOML");
    let mut again = read(&text).expect("the same");
    let expected = bits_of_run(&mut original, "radau5", 1e-3);
    assert_eq!(bits_of_run(&mut again, "radau5", 1e-3), expected);
}

#[test]
fn mistakes_in_beams_are_named() {
    let right = example("rubber-strip.toml");
    let line = "line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 8 }";
    let material = "material = { young = 5e6, poisson = 0.5, density = 1100.0 }";
    let mut wrong = Vec::new();
    for (from, to, field, words) in [
        (
            "elements = 8",
            "elements = 0",
            "beams[0].line",
            "0 elements",
        ),
        (
            "elements = 8",
            "elements = 1000000000000",
            "beams[0].line",
            "expected 1 to",
        ),
        ("elements = 8", "elements = -1", "beams[0].line", ""),
        (
            "elements = 8",
            "elements = 8.0",
            "beams[0].line",
            "expected",
        ),
        (
            "to = [1.0, 0.0, 0.0]",
            "to = [0.0, 0.0, 0.0]",
            "beams[0].line",
            "length",
        ),
        (
            "to = [1.0, 0.0, 0.0]",
            "to = [nan, 0.0, 0.0]",
            "beams[0].line",
            "not finite",
        ),
        (line, "", "beams[0].line", "exactly one of `line`"),
        (
            line,
            "nodes = [{ point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0] }]",
            "beams[0].nodes",
            "0 elements",
        ),
        (
            line,
            "nodes = [{ point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [1.0, 0.0, 0.0] }]\n",
            "beams[0].nodes",
            "0 elements",
        ),
        (
            line,
            "curve = { point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [1.0, 0.0, 0.0], length = 1.0, elements = 8 }",
            "beams[0].curve",
            "orthonormal",
        ),
        (
            line,
            "curve = { point = [0.0, 0.0, 0.0], x = [2.0, 0.0, 0.0], y = [0.0, 1.0, 0.0], length = 1.0, elements = 8 }",
            "beams[0].curve",
            "length 2",
        ),
        (
            line,
            "curve = { point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0], curvature = [0.0, 0.0, 30.0], length = 1.0, elements = 8 }",
            "beams[0].curve",
            "quarter of a turn",
        ),
        (
            "section = \"strip\"",
            "section = \"strap\"",
            "beams[0].section",
            "no section `strap`",
        ),
        (
            "section = \"strip\"",
            "sections = [\"strip\"]",
            "beams[0].sections",
            "one for each element",
        ),
        (
            "section = \"strip\"",
            "sections = []",
            "beams[0].sections",
            "for each element",
        ),
        (
            "section = \"strip\"",
            "",
            "beams[0].section",
            "expected one of",
        ),
        (
            line,
            &format!("{line}\nstart = []"),
            "beams[0].start",
            "start frames",
        ),
        (
            line,
            &format!("{line}\nafter_bodies = 2"),
            "beams[0].after_bodies",
            "there are 1 bodies",
        ),
        (material, "", "sections[0].material", "needs a material"),
        (
            "poisson = 0.5",
            "poisson = 0.7",
            "sections[0].material",
            "up to 0.5",
        ),
        (
            "density = 1100.0",
            "density = 0.0",
            "sections[0].material",
            "above 0",
        ),
        (
            "rectangle = [0.03, 0.01]",
            "rectangle = [0.03, -0.01]",
            "sections[0].rectangle",
            "positive",
        ),
        (
            "rectangle = [0.03, 0.01]",
            "tube = [0.01, 0.03]",
            "sections[0].tube",
            "wider outside",
        ),
        (
            "rectangle = [0.03, 0.01]",
            "rectangle = [0.03, 0.01]\ncircle = 0.1",
            "sections[0].circle",
            "exactly one",
        ),
        (
            "rectangle = [0.03, 0.01]",
            "",
            "sections[0].rectangle",
            "exactly one",
        ),
        (
            "retardation = 1e-2",
            "retardation = -1e-2",
            "sections[0].retardation",
            "not below 0",
        ),
        (
            "retardation = 1e-2",
            "retardation = 1e-2\nviscosity = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]",
            "sections[0].retardation",
            "expected one of",
        ),
        (
            "retardation = 1e-2",
            "mass = 1.0",
            "sections[0].rotary",
            "needs `rotary`",
        ),
        (
            material,
            "stiffness = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]",
            "sections[0].stiffness",
            "exactly one",
        ),
        (
            "rectangle = [0.03, 0.01]",
            "stiffness = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]",
            "sections[0].material",
            "has no material",
        ),
        (
            "bodies = [\"ground\", \"strip.0\"]",
            "bodies = [\"ground\", \"strip.9\"]",
            "joints[0].bodies",
            "no body `strip.9`",
        ),
        (
            "name = \"ball\"",
            "name = \"strip.3\"",
            "beams[0].name",
            "another body",
        ),
        (
            "t_end = 1.0",
            "t_end = 1.0\nkeeps_energy = true",
            "keeps_energy",
            "damping of section `strip`",
        ),
    ] {
        assert!(right.contains(from), "{from}");
        let text = right.replacen(from, to, 1);
        match read(&text) {
            Ok(_) => wrong.push(format!("{to:?} is taken")),
            Err(error) if error.field == field && error.reason.contains(words) => {}
            Err(error) => wrong.push(format!("{to:?}: {error} instead of {field}: {words}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What is rigid in shear is infinitely stiff; nothing else is infinite, and nothing is not a number.
    let stiff = |part: &str| {
        let text = right.replacen(material, "mass = 0.3\nrotary = [1e-4, 1e-4, 1e-4]", 1);
        let stiffness = format!("stiffness = [1e3, {part}, inf, 1.0, 1.0, 1.0]");
        read(&text.replacen("rectangle = [0.03, 0.01]", &stiffness, 1))
    };
    assert!(stiff("inf").is_ok());
    for (part, field) in [
        ("nan", "sections[0].stiffness"),
        ("-inf", "sections[0].stiffness"),
    ] {
        let error = stiff(part).map(|_| ()).expect_err(part);
        assert_eq!(error.field, field, "{error}");
    }
}
