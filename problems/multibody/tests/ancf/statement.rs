//! What is wrong with a beam in absolute nodal coordinates is said, and what is right is named.

use super::{KINDS, Kind, clamped};
use liedae::system::{System, output_names};
use liedae_multibody::{
    AncfBeam, AssemblyError, BodyId, Joint, JointCoordinate, MultibodyBuilder, Rotation, Section,
    Snapshot,
};

fn section() -> Section {
    Section::new([1e3, 1e3, 1e3, 1.0, 2.0, 2.0], 1.0, [2e-2, 1e-2, 1e-2])
}

fn beam(kind: Kind, section: Section, count: usize) -> AncfBeam {
    let (from, to) = ([0.0; 3], [1.0, 0.0, 0.0]);
    match kind {
        Kind::Cable => AncfBeam::cable("rod", section, from, to, count),
        Kind::Shear => AncfBeam::shear_deformable("rod", section, from, to, count),
    }
}

fn refused(beam: AncfBeam) -> String {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.add_ancf_beam(beam);
    let error = mechanism.build().err().expect("refused");
    assert!(matches!(error, AssemblyError::Ancf { .. }), "{error}");
    error.to_string()
}

#[test]
fn mistakes_are_named() {
    let coupled = {
        let mut compliance = liedae_multibody::nalgebra::Matrix6::identity();
        compliance[(0, 4)] = 0.1;
        compliance[(4, 0)] = 0.1;
        Section::coupled(compliance, 1.0, [2.0, 1.0, 1.0])
    };
    for kind in KINDS {
        let right = || beam(kind, section(), 2);
        let count = right().reference().len();
        let nan = section().with_mass(f64::NAN, [2e-2, 1e-2, 1e-2]);
        let cases = [
            (beam(kind, section(), 0), "no element"),
            (
                AncfBeam::cable("rod", section(), [1.0; 3], [1.0; 3], 2),
                "length is 0",
            ),
            (
                AncfBeam::cable("rod", section(), [f64::NAN; 3], [1.0; 3], 2),
                "length is NaN",
            ),
            (right().with_marker(9), "node 9"),
            (
                right().with_marker(1).with_marker(1),
                "two markers at node 1",
            ),
            (right().moving([f64::INFINITY; 3], [0.0; 3]), "velocity"),
            (
                right().starting_at(vec![0.0; 3], vec![0.0; count]),
                "3 coordinates",
            ),
            (right().starting_at(right().reference(), vec![]), "0 rates"),
            (
                right().starting_at(right().reference(), vec![f64::NAN; count]),
                "rate",
            ),
            (
                right().starting_at(vec![0.0; count], vec![0.0; count]),
                "node 0",
            ),
            (beam(kind, coupled.clone(), 2), "couples"),
            (beam(kind, nan, 2), "mass"),
            (beam(kind, section().with_retardation(-1.0), 2), "viscosity"),
        ];
        for (beam, words) in cases {
            let said = refused(beam);
            assert!(said.contains("'rod'") && said.contains(words), "{said}");
        }
    }
    let rigid = f64::INFINITY;
    let no_shear = Section::new([1e3, rigid, rigid, 1.0, 2.0, 2.0], 1.0, [2e-2, 1e-2, 1e-2]);
    assert!(refused(beam(Kind::Shear, no_shear, 2)).contains("stiffness"));
    let flat = Section::new([1e3, 1e3, 1e3, 1.0, 2.0, 3.0], 1.0, [2e-2, 1e-2, 1e-2]);
    assert!(refused(beam(Kind::Cable, flat, 2)).contains("bends differently"));
    let odd = section().with_mass(1.0, [5e-2, 1e-2, 1e-2]);
    assert!(refused(beam(Kind::Shear, odd, 2)).contains("moments of inertia"));
}

#[test]
fn what_does_not_move_or_turn_it_is_refused() {
    for kind in KINDS {
        let mechanism = || {
            let mut mechanism = MultibodyBuilder::new();
            let nodes = mechanism.add_ancf_beam(beam(kind, section(), 2).with_marker(0));
            let y = [0.0, 1.0, 0.0];
            let hinge = Joint::revolute("hinge", BodyId::GROUND, nodes.marker(0), [0.0; 3], y);
            let hinge = mechanism.add_joint(hinge);
            (mechanism, hinge)
        };
        let (mut moved, hinge) = mechanism();
        moved.joint_position(hinge, JointCoordinate::Angle(0.3));
        let error = moved.build().err();
        assert!(
            matches!(error, Some(AssemblyError::AncfPlacement { .. })),
            "{error:?}"
        );
        let (stated, _) = mechanism();
        let system = stated.build().expect("consistent");
        let error = system.with_rotation(Rotation::EulerParameters).err();
        assert!(
            matches!(error, Some(AssemblyError::ModalRotation)),
            "{error:?}"
        );
    }
}

#[test]
fn rows_velocities_and_outputs_have_names() {
    for kind in KINDS {
        let mut mechanism = MultibodyBuilder::new();
        let nodes = clamped(&mut mechanism, beam(kind, section(), 2));
        let mut system = mechanism.build().expect("consistent");
        let layout = system.layout().clone();
        let labels = system.labels().expect("labels");
        for row in 0..layout.rows() {
            assert!(labels.row(row).is_some(), "row {row}");
        }
        assert!(
            labels
                .row(4)
                .expect("a row")
                .contains("marker 'rod.0': rotation about its")
        );
        for component in 0..layout.dimension() {
            assert!(labels.velocity(component).is_some(), "velocity {component}");
        }
        let last = labels.velocity(layout.dimension() - 1).expect("a node");
        assert!(last.starts_with("beam 'rod', node"), "{last}");
        let state = system.initial_state();
        let now = Snapshot::new(&system, &state);
        let (count, end) = (kind.last(2), now.position(nodes.marker(1)));
        assert_eq!(now.ancf_position(&nodes, count), end);
        assert!(now.ancf_position(&nodes, count + 1).x.is_nan());
        assert_eq!(
            now.ancf_coordinates(&nodes),
            beam(kind, section(), 2).reference()
        );
        assert!(now.ancf_rates(&nodes).iter().all(|rate| *rate == 0.0));
        let names = output_names(&mut system);
        assert!(names.contains(&format!("rod.node{count}.x")), "{names:?}");
    }
}
