//! Beams in absolute nodal coordinates at rest.

use super::{KINDS, Kind, assert_near, clamped, orders};
use crate::loads::{
    DeadLoad, SHORT_CANTILEVER, check_short_cantilever, elastica, rest, rest_at_once,
};
use liedae::system::State;
use liedae_multibody::{
    AncfBeam, AncfNodes, Axis, BodyId, Frame, Joint, JointKind, Material, Motion, MultibodyBuilder,
    MultibodySystem, Section, Snapshot, Vector3,
};
use std::f64::consts::TAU;

/// A clamped beam under a dead load at its end.
fn loaded_at_end(
    mechanism: &mut MultibodyBuilder,
    kind: Kind,
    beam: AncfBeam,
    load: DeadLoad,
) -> AncfNodes {
    let nodes = clamped(mechanism, beam);
    // Nothing in a cable holds its marker against spinning about the tangent.
    if kind == Kind::Cable {
        let frames =
            [0, 1].map(|_| Frame::world([0.0; 3], [0.0, 0.0, 1.0]).with_x([1.0, 0.0, 0.0]));
        let kind = JointKind::Dot1(Axis::Y, Axis::Z, Motion::Constant(0.0));
        mechanism.add_joint(Joint::new(
            "plane",
            kind,
            BodyId::GROUND,
            nodes.marker(1),
            frames,
        ));
    }
    mechanism.add_force("load", BodyId::GROUND, nodes.marker(1), load);
    nodes
}

/// Where it rests under a load that grows in so many steps.
fn loaded(
    kind: Kind,
    beam: AncfBeam,
    load: DeadLoad,
    steps: u32,
) -> (MultibodySystem, State, AncfNodes) {
    let mut mechanism = MultibodyBuilder::new();
    let nodes = loaded_at_end(&mut mechanism, kind, beam, load);
    let mut system = mechanism.build().expect("consistent");
    let state = rest(&mut system, steps);
    (system, state, nodes)
}

fn end(kind: Kind, beam: AncfBeam, force: [f64; 3], moment: [f64; 3], steps: u32) -> Vector3<f64> {
    let (system, state, nodes) = loaded(kind, beam, DeadLoad { force, moment }, steps);
    Snapshot::new(&system, &state).position(nodes.marker(1))
}

/// The published values are those of 256 elements (Nachbagauer, Pechstein, Irschik and Gerstmayr 2011).
#[test]
fn a_short_beam_bends_and_shears_as_published() {
    let (length, width, height) = (2.0_f64, 0.1, 0.5_f64);
    let force = 5e5 * height.powi(3);
    let steel = Material::new(2.07e11, 0.3, 7800.0);
    let tip = |count: usize| {
        let section = Section::rectangle(&steel, [width, height]);
        let beam = Kind::Shear.beam(section, length, count);
        end(Kind::Shear, beam, [0.0, 0.0, -force], [0.0; 3], 1)
    };
    // A cubic line and a parabola of shear are within one element.
    assert_near(-tip(1).z, SHORT_CANTILEVER[0], 5e-6);
    check_short_cantilever("Shear", length, tip(16));
}

/// Shear and bending differ about y and z: P L / (G A) + P L³ / (3 E I) in both directions.
#[test]
fn a_beam_gives_way_differently_along_y_and_z() {
    let [gy, gz, iy, iz] = [2e3, 1e3, 30.0, 50.0];
    let section = || Section::new([1e6, gy, gz, 10.0, iy, iz], 1.0, [0.03, 0.01, 0.02]);
    for (axis, shear, bending) in [(1, gy, iz), (2, gz, iy)] {
        let beam = Kind::Shear.beam(section(), 1.0, 2);
        let mut force = [0.0; 3];
        force[axis] = 1e-3;
        let end = end(Kind::Shear, beam, force, [0.0; 3], 1);
        assert_near(end[axis], 1e-3 / shear + 1e-3 / (3.0 * bending), 1e-6);
    }
}

fn slender(kind: Kind, count: usize) -> AncfBeam {
    let shear = if kind == Kind::Cable { 1.0 } else { 1e7 };
    let section = Section::new([1e7, shear, shear, 1.0, 1.0, 1.0], 1.0, [0.02, 0.01, 0.01]);
    kind.beam(section, 1.0, count)
}

/// How far the end is from that of the elastica.
fn elastica_error(kind: Kind, count: usize) -> f64 {
    let exact = elastica(10.0);
    let end = end(kind, slender(kind, count), [0.0, 0.0, -10.0], [0.0; 3], 5);
    (1.0 - end.x - exact[0]).hypot(-end.z - exact[1])
}

#[test]
fn an_elastica_converges_with_fourth_order() {
    for kind in KINDS {
        let errors = [2, 4, 8, 16].map(|count| elastica_error(kind, count));
        println!("{kind:?}, elastica: {errors:?} {:.1?}", orders(&errors));
        let slopes = orders(&errors);
        assert!(
            slopes[0] > 2.5 && slopes[1..].iter().all(|order| *order > 3.4),
            "{slopes:?}"
        );
        assert!(errors[3] < 3e-5, "{errors:?}");
    }
}

/// A moment of 2 π E I / L closes a beam to a circle.
#[test]
fn a_beam_rolls_up() {
    for kind in KINDS {
        let errors = [4, 8, 16].map(|count| {
            let end = end(kind, slender(kind, count), [0.0; 3], [0.0, TAU, 0.0], 20);
            end.norm()
        });
        println!("{kind:?}, circle: {errors:?} {:.1?}", orders(&errors));
        assert!(
            orders(&errors).iter().all(|order| *order > 3.6),
            "{errors:?}"
        );
        assert!(errors[2] < 2.5e-4, "{errors:?}");
    }
}

/// A square strip of 0.5 mm resists stretching 5e7 times as much as bending.
#[test]
fn slender_cantilevers_need_no_load_steps() {
    let steel = Material::new(2.07e11, 0.3, 7800.0);
    let thickness = 5e-4_f64;
    let bending = steel.young * thickness.powi(4) / 12.0;
    for kind in KINDS {
        for load in [0.5, 2.0, 10.0] {
            let section = Section::rectangle(&steel, [thickness, thickness]);
            let force = [0.0, 0.0, -load * bending];
            let moment = [0.0; 3];
            let mut mechanism = MultibodyBuilder::new();
            let load_at_end = DeadLoad { force, moment };
            let nodes = loaded_at_end(
                &mut mechanism,
                kind,
                kind.beam(section, 1.0, 16),
                load_at_end,
            );
            let mut system = mechanism.build().expect("consistent");
            let found = rest_at_once(&mut system);
            let end = Snapshot::new(&system, &found.state).position(nodes.marker(1));
            let exact = elastica(load);
            let error = (1.0 - end.x - exact[0]).hypot(-end.z - exact[1]);
            println!(
                "{kind:?} under {load}: {} iterations, {error:.1e} beside the elastica, {:.1e} of the load is left",
                found.iterations,
                found.unbalanced / (load * bending)
            );
            assert!(error < 3e-5, "{error:e}");
            assert!(found.iterations <= 120);
            assert!(found.unbalanced < 1e-4 * load * bending);
        }
    }
}
