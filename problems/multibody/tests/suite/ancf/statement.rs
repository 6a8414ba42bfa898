//! What is wrong with a beam in absolute nodal coordinates is said, and what is right is named.

use super::{KINDS, Kind, clamped};
use liedae::system::{System, output_names};
use liedae_multibody::{
    AncfBeam, AssemblyError, BodyId, Drawn, Joint, JointCoordinate, MultibodyBuilder, RigidBody,
    Rotation, Rotation3, Section, Snapshot, Vector3,
};

fn section() -> Section {
    Section::new([1e3, 1e3, 1e3, 1.0, 2.0, 2.0], 1.0, [2e-2, 1e-2, 1e-2])
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
        let right = || kind.beam(section(), 1.0, 2);
        let count = right().reference().len();
        let nan = section().with_mass(f64::NAN, [2e-2, 1e-2, 1e-2]);
        let cases = [
            (kind.beam(section(), 1.0, 0), "0 elements"),
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
            (kind.beam(section(), 1.0, usize::MAX), "elements"),
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
            (kind.beam(coupled.clone(), 1.0, 2), "couples"),
            (kind.beam(nan, 1.0, 2), "mass"),
            (
                kind.beam(section().with_retardation(-1.0), 1.0, 2),
                "viscosity",
            ),
        ];
        for (beam, words) in cases {
            let said = refused(beam);
            assert!(said.contains("'rod'") && said.contains(words), "{said}");
        }
    }
    let mirrored: Vec<f64> = {
        let right = Kind::Shear.beam(section(), 1.0, 2).reference();
        let nodes = right.chunks_exact(9);
        nodes
            .flat_map(|node| [&node[..3], &node[6..], &node[3..6]].concat())
            .collect()
    };
    let still = vec![0.0; mirrored.len()];
    let inside_out = Kind::Shear
        .beam(section(), 1.0, 2)
        .starting_at(mirrored, still);
    assert!(refused(inside_out).contains("backwards"));
    let rigid = f64::INFINITY;
    let no_shear = Section::new([1e3, rigid, rigid, 1.0, 2.0, 2.0], 1.0, [2e-2, 1e-2, 1e-2]);
    assert!(refused(Kind::Shear.beam(no_shear, 1.0, 2)).contains("stiffness"));
    let flat = Section::new([1e3, 1e3, 1e3, 1.0, 2.0, 3.0], 1.0, [2e-2, 1e-2, 1e-2]);
    assert!(refused(Kind::Cable.beam(flat, 1.0, 2)).contains("bends differently"));
    let odd = section().with_mass(1.0, [5e-2, 1e-2, 1e-2]);
    assert!(refused(Kind::Shear.beam(odd, 1.0, 2)).contains("moments of inertia"));
}

/// A cable that turns about itself takes its markers along, and two beams have two names.
#[test]
fn markers_spin_and_names_differ() {
    let mut mechanism = MultibodyBuilder::new();
    let spin = [10.0, 0.0, 0.0];
    let shaft = RigidBody::new("shaft", 1.0, [0.1; 3]).moving([0.0; 3], spin);
    let shaft = mechanism.add_body(shaft);
    let cable = Kind::Cable.beam(section(), 1.0, 2).moving([0.0; 3], spin);
    let cable = mechanism.add_ancf_beam(cable.with_marker(0));
    mechanism.add_joint(Joint::fixed("clamp", shaft, cable.marker(0), [0.0; 3]));
    mechanism.build().expect("consistent");
    let mut twice = MultibodyBuilder::new();
    for node in [0, 1] {
        twice.add_ancf_beam(Kind::Cable.beam(section(), 1.0, 2).with_marker(node));
    }
    let error = twice.build().err();
    assert!(
        matches!(error, Some(AssemblyError::DuplicateName { .. })),
        "{error:?}"
    );
}

#[test]
fn nodes_are_drawn_as_a_line() {
    for kind in KINDS {
        let mut mechanism = MultibodyBuilder::new();
        let nodes = clamped(&mut mechanism, kind.beam(section(), 1.0, 3));
        let system = mechanism.build().expect("consistent");
        let (drawing, mut state) = (system.drawing(), system.initial_state());
        let last = kind.last(3);
        assert_eq!(drawing.links().len(), last);
        let end = state.q.len() - if kind == Kind::Cable { 6 } else { 9 };
        state.q[end] = 0.25;
        let poses = drawing.place(&state);
        assert_eq!(poses.len(), 2 + last + 1);
        assert_eq!(poses[2 + last].position[0], 0.25);
        let now = Snapshot::new(&system, &state);
        assert_eq!(
            poses[2].position,
            <[f64; 3]>::from(now.position(nodes.marker(0)))
        );
    }
}

#[test]
fn rotations_in_other_coordinates_are_refused() {
    for kind in KINDS {
        let mut mechanism = MultibodyBuilder::new();
        clamped(&mut mechanism, kind.beam(section(), 1.0, 2));
        let system = mechanism.build().expect("consistent");
        let error = system.with_rotation(Rotation::EulerParameters).err();
        assert!(
            matches!(error, Some(AssemblyError::ModalRotation)),
            "{error:?}"
        );
    }
}

/// Joint coordinates carry a beam along, bent and bending as it is.
#[test]
fn joint_coordinates_move_a_beam() {
    let (angle, spin) = (0.7, 2.0);
    let y = Vector3::new(0.0, 1.0, 0.0);
    let turn = Rotation3::new(y * angle);
    for kind in KINDS {
        let straight = kind.beam(section(), 1.0, 2);
        let width = straight.reference().len() / straight.nodes();
        let wave = |scale: f64, from: usize| {
            let count = straight.reference().len();
            (0..count).map(move |k| {
                if k < from {
                    0.0
                } else {
                    scale * (1.9 * k as f64).sin()
                }
            })
        };
        // The first node stays as it is.
        let shape = straight.reference().into_iter().zip(wave(0.05, width));
        let shape: Vec<f64> = shape.map(|(q, shift)| q + shift).collect();
        let rates: Vec<f64> = wave(0.4, width).collect();
        let build = |shape: Vec<f64>, rates: Vec<f64>, moves: bool| {
            let mut mechanism = MultibodyBuilder::new();
            let bent = straight.clone().starting_at(shape, rates);
            let last = straight.nodes() - 1;
            let nodes = mechanism.add_ancf_beam(bent.with_marker(0).with_marker(last));
            let hinge = Joint::revolute("hinge", BodyId::GROUND, nodes.marker(0), [0.0; 3], y);
            let hinge = mechanism.add_joint(hinge);
            if moves {
                mechanism.joint_position(hinge, JointCoordinate::Angle(angle));
                mechanism.joint_rate(hinge, JointCoordinate::Angle(spin));
            }
            mechanism.build().expect("consistent").initial_state()
        };
        let moved = build(shape.clone(), rates.clone(), true);
        let vectors = |list: &[f64]| -> Vec<Vector3<f64>> {
            list.chunks(3).map(Vector3::from_column_slice).collect()
        };
        let turned = vectors(&shape).into_iter().map(|vector| turn * vector);
        let turned: Vec<Vector3<f64>> = turned.collect();
        let flow = vectors(&rates).into_iter().zip(&turned);
        let flow = flow.map(|(rate, vector)| turn * rate + (y * spin).cross(vector));
        let list =
            |vectors: Vec<Vector3<f64>>| vectors.into_iter().flat_map(<[f64; 3]>::from).collect();
        let flow = list(flow.collect());
        let stated = build(list(turned), flow, false);
        for (found, expected, of_markers) in [(&moved.q, &stated.q, 24), (&moved.v, &stated.v, 12)]
        {
            // Markers of cables may lie otherwise about the tangent.
            let skipped = if kind == Kind::Cable { of_markers } else { 0 };
            for (found, expected) in found.iter().zip(expected).skip(skipped) {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{kind:?} {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn rows_velocities_and_outputs_have_names() {
    for kind in KINDS {
        let mut mechanism = MultibodyBuilder::new();
        let nodes = clamped(&mut mechanism, kind.beam(section(), 1.0, 2));
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
            kind.beam(section(), 1.0, 2).reference()
        );
        assert!(now.ancf_rates(&nodes).iter().all(|rate| *rate == 0.0));
        let names = output_names(&mut system);
        assert!(names.contains(&format!("rod.node{count}.x")), "{names:?}");
    }
}
