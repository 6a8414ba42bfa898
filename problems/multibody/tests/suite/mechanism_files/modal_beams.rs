//! Beams with modes in files: the same as those of a program, and what is refused.

use super::{bits_of_run, example};
use liedae_multibody::file::{FileError, ForeshorteningName, MechanismFile};
use liedae_multibody::{
    Beam, BeamEnds, BodyId, CartesianSpring, Joint, Material, ModalBeam, ModalBody, Motion,
    MultibodyBuilder, MultibodySystem, RigidBody, RotationalSpring, Section,
};

fn read(text: &str) -> Result<MultibodySystem, FileError> {
    MechanismFile::read(text).and_then(|file| file.system(text))
}

fn again(system: &MultibodySystem) -> MultibodySystem {
    let text = system.file(1.0).expect("a file").text().expect("TOML");
    read(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The arm of the example, by the builder.
fn arm() -> MultibodySystem {
    let aluminium = Material::new(7e10, 0.33, 2700.0);
    let section = Section::rectangle(&aluminium, [0.03, 0.003]);
    let beam = ModalBeam::new(section, 0.5, 12, BeamEnds::Clamped).with_bending([0, 3]);
    let model = beam.model().and_then(|model| model.with_retardation(1e-3));
    let (ground, end) = (BodyId::GROUND, [0.5, 0.0, 0.0]);
    let mut mechanism = MultibodyBuilder::new();
    let hub = mechanism.add_body(RigidBody::new("hub", 0.05, [5e-3; 3]));
    let payload = mechanism.add_body(RigidBody::new("payload", 0.1, [2e-5; 3]).at(end));
    let arm = ModalBody::new("arm", model.expect("a model")).with_marker(12);
    let arm = mechanism.add_modal_body(arm);
    let y = [0.0, -1.0, 0.0];
    let shoulder = mechanism.add_joint(Joint::revolute("shoulder", ground, hub, [0.0; 3], y));
    mechanism.add_joint(Joint::fixed("root", hub, arm.frame(), [0.0; 3]));
    mechanism.add_joint(Joint::fixed("grip", arm.marker(0), payload, end));
    let rise = Motion::Polynomial(vec![0.0, 0.0, 0.0, 10.0, -15.0, 6.0]);
    let command = Motion::Pieces(vec![(rise, 1.0)], Box::new(Motion::Constant(1.0)));
    let controller = RotationalSpring::new("controller", shoulder, 12.0, 0.0).with_damping(2.5);
    mechanism.add_rotational_spring(controller.following(command));
    let drag = CartesianSpring::new([0.0; 3]).with_damping([0.01; 3]);
    mechanism.add_force("drag", ground, payload, drag);
    mechanism.build().expect("an arm")
}

#[test]
fn a_beam_with_modes_of_a_file_runs_as_that_of_a_program() {
    let mut from_file = read(&example("elastic-arm.toml")).expect("a mechanism");
    let mut program = arm();
    let expected = bits_of_run(&mut program, "radau5", 1.2);
    assert_eq!(bits_of_run(&mut from_file, "radau5", 1.2), expected);
    assert_eq!(bits_of_run(&mut again(&program), "radau5", 1.2), expected);
}

/// Beams with modes of all kinds among bodies and a beam, one of them deformed and moving.
fn beams() -> MultibodySystem {
    let steel = Material::new(2.1e11, 0.3, 7850.0);
    let section = Section::rectangle(&steel, [0.02, 0.01]);
    let beam = |ends| ModalBeam::new(section.clone(), 0.8, 6, ends).with_bending([1, 1]);
    let damped = section
        .clone()
        .with_viscosity([1.0, 0.0, 0.0, 2.0, 0.5, 0.5]);
    let damped = ModalBeam::new(damped, 0.5, 4, BeamEnds::Clamped).with_stretching(1);
    let models = [
        beam(BeamEnds::Clamped).with_plain_field().model(),
        beam(BeamEnds::Pinned).without_foreshortening().model(),
        beam(BeamEnds::Free).with_twisting(1).model(),
        damped.model(),
    ];
    let [plain, linear, free, damped] = models.map(|model| model.expect("a model"));
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let spin = [0.3, -0.2, 0.5];
    let plain = ModalBody::new("plain", plain)
        .at([0.1, 0.2, 0.3])
        .moving([1.0, 0.0, 0.0], spin)
        .deformed(vec![1e-3, -2e-3], vec![0.1, 0.0]);
    mechanism.add_modal_body(plain.with_marker(6).with_marker(3));
    mechanism.add_body(RigidBody::new("between", 1.0, [0.1; 3]).at([0.0, 5.0, 0.0]));
    mechanism.add_modal_body(ModalBody::new("linear", linear).at([0.0, 1.0, 0.0]));
    let exact = Beam::straight("exact", section, [0.0, 3.0, 0.0], [1.0, 3.0, 0.0], 2);
    mechanism.add_beam(exact);
    mechanism.add_modal_body(
        ModalBody::new("free", free)
            .at([0.0, 2.0, 0.0])
            .with_marker(0),
    );
    mechanism.add_body(RigidBody::new("last", 1.0, [0.1; 3]).at([0.0, 6.0, 0.0]));
    mechanism.add_modal_body(ModalBody::new("damped", damped).at([0.0, 4.0, 0.0]));
    mechanism.build().expect("beams")
}

#[test]
fn beams_with_modes_run_alike_when_they_are_written_and_read() {
    let mut original = beams();
    let file = original.file(1.0).expect("a file");
    let names = ["between", "last"];
    assert!(
        file.bodies
            .iter()
            .map(|body| &body.get_ref().name)
            .eq(names)
    );
    let fields = file.modal_beams.iter();
    let fields: Vec<_> = fields.map(|beam| beam.get_ref().foreshortening).collect();
    use ForeshorteningName as F;
    assert_eq!(fields, [F::PlainField, F::None, F::AffineFit, F::AffineFit]);
    let mut read = again(&original);
    for method in ["hem5", "radau5"] {
        let expected = bits_of_run(&mut original, method, 1e-3);
        assert_eq!(bits_of_run(&mut read, method, 1e-3), expected, "{method}");
    }
    // What joint coordinates have moved is written where it is, with its markers.
    let moved = example("elastic-arm.toml")
        + "[[initial]]\njoint = \"shoulder\"\nangle = 0.5\nangle_rate = 2.0\n";
    let mut moved = self::read(&moved).expect("a mechanism");
    let expected = bits_of_run(&mut moved, "radau5", 0.02);
    assert_eq!(bits_of_run(&mut again(&moved), "radau5", 0.02), expected);
}

#[test]
fn mistakes_in_beams_with_modes_are_said_with_their_keys() {
    let right = example("elastic-arm.toml");
    let mut wrong = Vec::new();
    for (from, to, field, words) in [
        (
            "length = 0.5",
            "length = 0.0",
            "modal_beams[0].length",
            "positive",
        ),
        (
            "elements = 12",
            "elements = 0",
            "modal_beams[0].elements",
            "expected 1 to 200",
        ),
        (
            "elements = 12",
            "elements = 100000",
            "modal_beams[0].elements",
            "expected 1 to 200",
        ),
        (
            "bending = [0, 3]",
            "bending = [0, 0]",
            "modal_beams[0].bending",
            "has no modes",
        ),
        (
            "bending = [0, 3]",
            "bending = [0, 30]",
            "modal_beams[0].elements",
            "fewer modes",
        ),
        (
            "markers = [12]",
            "markers = [13]",
            "modal_beams[0].markers",
            "nodes are 0 to 12",
        ),
        (
            "markers = [12]",
            "markers = [12, 12]",
            "modal_beams[0].markers",
            "each node once",
        ),
        (
            "retardation = 1e-3",
            "retardation = -1e-3",
            "modal_beams[0].retardation",
            "not negative",
        ),
        (
            "retardation = 1e-3",
            "rates = [0.1]",
            "modal_beams[0].rates",
            "3 are needed",
        ),
        (
            "retardation = 1e-3",
            "coordinates = [0.1]",
            "modal_beams[0].coordinates",
            "3 are needed",
        ),
        (
            "retardation = 1e-3",
            "start = []",
            "modal_beams[0].start",
            "one for each",
        ),
        (
            "retardation = 1e-3",
            "after_bodies = 3",
            "modal_beams[0].after_bodies",
            "2 bodies",
        ),
        (
            "retardation = 1e-3",
            "after_beams = 1",
            "modal_beams[0].after_beams",
            "0 beams",
        ),
        (
            "ends = \"clamped\"",
            "ends = \"held\"",
            "modal_beams[0].ends",
            "unknown variant",
        ),
        (
            "section = \"strip\"",
            "section = \"stripe\"",
            "modal_beams[0].section",
            "no section",
        ),
        (
            "name = \"arm\"",
            "name = \"hub\"",
            "modal_beams[0].name",
            "already",
        ),
        (
            "name = \"arm\"",
            "name = \"ground\"",
            "modal_beams[0].name",
            "the world",
        ),
        (
            "rectangle = [0.03, 0.003]\nmaterial = { young = 7e10, poisson = 0.33, density = 2700.0 }",
            "compliance = [[1e-6, 1e-7, 0.0, 0.0, 0.0, 0.0], [1e-7, 1e-6, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1e-6, 0.0, 0.0, 0.0], \
             [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]\nmass = 1.0\nrotary = [1e-4, 1e-4, 1e-4]",
            "modal_beams[0].section",
            "couples",
        ),
        (
            "t_end = 1.5",
            "t_end = 1.5\nkeeps_energy = true",
            "keeps_energy",
            "drag",
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
}
