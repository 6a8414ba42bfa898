//! Models and bodies that are stated wrongly, models from data, and what is reported.

use super::{assert_near, soft};
use liedae::system::{System, output_names};
use liedae_multibody::{
    AssemblyError, BeamEnds, BodyId, Joint, ModalBeam, ModalBody, ModalData, ModalError,
    ModalModel, MultibodyBuilder, NodalMass, Rotation, Section, Snapshot,
};

/// Two masses of 1 kg with inertia on a spring.
fn data() -> ModalData {
    let tensor = [[1e-2, 0.0, 0.0], [0.0, 1e-2, 0.0], [0.0, 0.0, 1e-2]];
    ModalData {
        nodes: vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]],
        mass: NodalMass::Lumped(vec![1.0, 1.0]),
        rotary: vec![tensor; 2],
        modes: vec![vec![[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]],
        rotations: Vec::new(),
        foreshortening: Vec::new(),
        stiffness: vec![vec![100.0]],
        damping: Vec::new(),
    }
}

fn model(change: impl FnOnce(&mut ModalData)) -> Result<ModalModel, ModalError> {
    let mut data = data();
    change(&mut data);
    ModalModel::try_from(&data)
}

#[test]
fn data_that_do_not_fit_are_refused() {
    type Change = Box<dyn FnOnce(&mut ModalData)>;
    let changes: Vec<(Change, &str)> = vec![
        (Box::new(|data| data.modes.clear()), "needs a mode"),
        (Box::new(|data| data.nodes.clear()), "needs a node"),
        (
            Box::new(|data| {
                data.nodes.clear();
                data.modes[0].clear();
                data.mass = NodalMass::Consistent(Vec::new());
            }),
            "needs a node",
        ),
        (
            Box::new(|data| data.modes[0].truncate(1)),
            "1 displacements of a mode: 2",
        ),
        (
            Box::new(|data| data.mass = NodalMass::Lumped(vec![1.0])),
            "masses of nodes",
        ),
        (
            Box::new(|data| data.mass = NodalMass::Lumped(vec![1.0, -1.0])),
            "nodal mass",
        ),
        (
            Box::new(|data| data.mass = NodalMass::Lumped(vec![1.0, f64::NAN])),
            "a mass of a node",
        ),
        (
            Box::new(|data| data.mass = NodalMass::Consistent(vec![vec![1.0, 0.0]])),
            "rows of the nodal",
        ),
        (
            Box::new(|data| {
                data.mass = NodalMass::Consistent(vec![vec![1.0, 0.5], vec![0.0, 1.0]])
            }),
            "not symmetric",
        ),
        (
            Box::new(|data| data.stiffness[0][0] = -1.0),
            "stiffness matrix has the eigenvalue -1",
        ),
        (
            Box::new(|data| data.stiffness[0][0] = f64::INFINITY),
            "not finite",
        ),
        (
            Box::new(|data| data.stiffness.push(vec![1.0])),
            "rows of the stiffness",
        ),
        (
            Box::new(|data| data.damping = vec![vec![-2.0]]),
            "damping matrix",
        ),
        (Box::new(|data| data.rotary.truncate(1)), "inertia tensors"),
        (
            Box::new(|data| data.rotary.clear()),
            "the mass matrix has the eigenvalue",
        ),
        (Box::new(|data| data.rotary[0][0][1] = 1.0), "not symmetric"),
        (
            Box::new(|data| data.nodes[0][0] = f64::NAN),
            "a place of a node",
        ),
        (
            Box::new(|data| data.modes[0] = vec![[1.0, 0.0, 0.0]; 2]),
            "the mass matrix has the eigenvalue",
        ),
        (
            Box::new(|data| data.modes.push(data.modes[0].clone())),
            "rows of the stiffness",
        ),
        (
            Box::new(|data| data.rotations = vec![Vec::new()]),
            "rotations of a mode",
        ),
        (
            Box::new(|data| data.foreshortening = vec![vec![vec![[f64::NAN; 3]; 2]]]),
            "a foreshortening",
        ),
    ];
    for (change, expected) in changes {
        let error = model(change).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} | {expected}");
    }
    assert_eq!(model(|_| ()).expect("fits").nodes(), 2);
}

#[test]
fn beams_that_do_not_fit_are_refused() {
    let section = || Section::new([1e3, 1e9, 1e9, 3.0, 4.0, 7.0], 1.3, [5e-3, 2e-3, 3e-3]);
    let refused = |section: Section, length: f64, elements: usize, modes: [usize; 2]| {
        let beam = ModalBeam::new(section, length, elements, BeamEnds::Clamped);
        beam.with_bending(modes)
            .model()
            .expect_err("wrong")
            .to_string()
    };
    assert!(refused(section(), 0.0, 4, [1, 1]).contains("length"));
    assert!(refused(section(), f64::NAN, 4, [1, 1]).contains("length"));
    assert!(refused(section(), 1.0, 0, [1, 1]).contains("elements"));
    assert!(refused(section(), 1.0, 2, [5, 1]).contains("2 elements have 4"));
    assert!(refused(section(), 1.0, 2, [0, 0]).contains("needs a mode"));
    let massless = section().with_mass(0.0, [1.0; 3]);
    assert!(refused(massless, 1.0, 2, [1, 1]).contains("mass per length"));
    let line = section().with_mass(1.0, [0.0; 3]);
    assert!(refused(line, 1.0, 2, [1, 1]).contains("inertia about all axes"));
    let soft = Section::new([1e3, 1e9, 1e9, 3.0, -4.0, 7.0], 1.3, [5e-3, 2e-3, 3e-3]);
    assert!(refused(soft, 1.0, 2, [1, 1]).contains("a stiffness of the beam"));
    let mut compliance = liedae_multibody::nalgebra::Matrix6::identity();
    compliance[(4, 5)] = 0.1;
    let coupled = Section::coupled(compliance, 1.0, [1.0; 3]);
    assert!(refused(coupled, 1.0, 2, [1, 1]).contains("couples"));
}

#[test]
fn bodies_that_do_not_fit_are_refused() {
    type Change = fn(ModalBody) -> ModalBody;
    let refused = |change: Change| {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.add_modal_body(change(ModalBody::new("beam", soft(BeamEnds::Clamped))));
        // What is refused is no body: one that stands must not hide it.
        mechanism.add_body(liedae_multibody::RigidBody::new("other", 1.0, [1.0; 3]));
        mechanism.build().err().expect("wrong").to_string()
    };
    let wrong: [(Change, &str); 5] = [
        (
            |body| body.with_marker(7),
            "node 7, but the nodes are 0 to 6",
        ),
        (
            |body| body.deformed(vec![0.0], vec![0.0; 7]),
            "1 modal coordinates: 7",
        ),
        (
            |body| body.deformed(vec![0.0; 7], vec![f64::NAN; 7]),
            "not finite",
        ),
        (|body| body.at([f64::NAN, 0.0, 0.0]), "not finite"),
        (|body| body.with_marker(3).with_marker(3), "used twice"),
    ];
    for (change, expected) in wrong {
        let error = refused(change);
        assert!(error.contains(expected), "{error} | {expected}");
    }
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_modal_body(ModalBody::new("beam", soft(BeamEnds::Clamped)));
    let system = mechanism.build().expect("consistent");
    let error = system.with_rotation(Rotation::EulerAngles).err();
    assert!(matches!(error, Some(AssemblyError::ModalRotation)));
}

#[test]
fn a_lumped_body_is_a_consistent_one_with_a_diagonal_matrix() {
    let lumped = model(|_| ()).expect("fits");
    let rows = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
    let consistent = model(|data| data.mass = NodalMass::Consistent(rows));
    assert_eq!(consistent.expect("fits"), lumped);
}

/// A beam of 1 m by two consistent bars: the nodal masses of linear shape functions.
#[test]
fn two_masses_on_a_spring_swing() {
    let mut mechanism = MultibodyBuilder::new();
    let body = ModalBody::new("pair", model(|_| ()).expect("fits"));
    let pair = mechanism.add_modal_body(body.with_marker(1));
    mechanism.add_joint(Joint::fixed("held", BodyId::GROUND, pair.frame(), [0.0; 3]));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let mut evaluator = liedae::system::Evaluator::new(&mut system);
    let linear = liedae::analysis::linearize(&mut evaluator, &state, None).expect("at rest");
    // Each has 0.5 m per unit: m/2 η'' + 100 η = 0.
    assert_near(
        linear.modes().expect("eigenvalues")[0].eigenvalue.im,
        200.0_f64.sqrt(),
        1e-9,
    );
}

#[test]
fn names_say_what_belongs_to_modes_and_markers() {
    let mut mechanism = MultibodyBuilder::new();
    let body = ModalBody::new("beam", soft(BeamEnds::Clamped)).with_marker(6);
    let beam = mechanism.add_modal_body(body);
    mechanism.add_joint(Joint::fixed(
        "clamp",
        BodyId::GROUND,
        beam.frame(),
        [0.0; 3],
    ));
    let mut system = mechanism.build().expect("consistent");
    let labels = system.labels().expect("it has names");
    assert_eq!(labels.velocity(13).as_deref(), Some("body 'beam': mode 1"));
    assert_eq!(
        labels.row(2).as_deref(),
        Some("marker 'beam.6': displacement along z")
    );
    assert_eq!(
        labels.row(3).as_deref(),
        Some("marker 'beam.6': rotation about its x")
    );
    assert!(labels.row(6).expect("a row").starts_with("joint 'clamp'"));
    let description = system.describe();
    assert_eq!((description.rows, description.degrees_of_freedom), (12, 7));
    let names = output_names(&mut system);
    assert!(names.contains(&"beam.mode6".to_owned()) && names.contains(&"beam.vmode0".to_owned()));
    let state = system.initial_state();
    assert!(Snapshot::new(&system, &state).modal_rates(&beam).len() == 7);
}

#[cfg(feature = "files")]
#[test]
fn data_are_read_from_files() {
    let text = r#"
        nodes = [[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]
        mass = [1.0, 1.0]
        rotary = [
            [[1e-2, 0.0, 0.0], [0.0, 1e-2, 0.0], [0.0, 0.0, 1e-2]],
            [[1e-2, 0.0, 0.0], [0.0, 1e-2, 0.0], [0.0, 0.0, 1e-2]],
        ]
        modes = [[[-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]]
        stiffness = [[100.0]]
    "#;
    let read: ModalData = toml::from_str(text).expect("a table");
    assert_eq!(read, data());
    let consistent = text.replace("mass = [1.0, 1.0]", "mass = [[1.0, 0.0], [0.0, 1.0]]");
    let read: ModalData = toml::from_str(&consistent).expect("a table");
    let model = ModalModel::try_from(&read).expect("fits");
    assert_eq!(model, ModalModel::try_from(&data()).expect("fits"));
    let error =
        toml::from_str::<ModalData>(&text.replace("rotary", "rotatory")).expect_err("no such key");
    assert!(error.to_string().contains("rotatory"), "{error}");
    let again = toml::to_string(&data()).expect("writes");
    assert_eq!(
        toml::from_str::<ModalData>(&again).expect("a table"),
        data()
    );
}
