//! Flexible bodies at rest.

use super::{DeadLoad, assert_near};
use liedae::analysis::{EquilibriumOptions, static_equilibrium};
use liedae::system::{Evaluator, State, System};
use liedae_multibody::{
    BeamEnds, BodyId, Joint, Material, ModalBeam, ModalBody, ModalModel, ModalNodes,
    MultibodyBuilder, MultibodySystem, Rotation3, Section, Snapshot, Vector3,
};

const ORIGIN: [f64; 3] = [0.0; 3];

fn rest(system: &mut MultibodySystem) -> State {
    let state = system.initial_state();
    let options = EquilibriumOptions {
        tolerance: 1e-10,
        iterations: 20_000,
    };
    let found = static_equilibrium(&mut Evaluator::new(system), &state, &options);
    found.expect("an equilibrium").state
}

/// A clamped body under a load at a marker: the displacement of the marker, in the frame, and the whole.
fn loaded(
    model: ModalModel,
    node: usize,
    load: DeadLoad,
    turn: Rotation3<f64>,
) -> (MultibodySystem, State, ModalNodes) {
    let mut mechanism = MultibodyBuilder::new();
    let body = ModalBody::new("beam", model).rotated(turn.into_inner());
    let beam = mechanism.add_modal_body(body.with_marker(node));
    mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, beam.frame(), ORIGIN));
    let [force, moment] = [load.force, load.moment].map(|load| (turn * Vector3::from(load)).into());
    let load = DeadLoad { force, moment };
    mechanism.add_force("load", BodyId::GROUND, beam.marker(0), load);
    let mut system = mechanism.build().expect("consistent");
    let state = rest(&mut system);
    (system, state, beam)
}

/// E I = 3 and 5, E A = 200, G J = 2; 1.5 m in 4 elements, with all of their modes.
fn beam() -> ModalModel {
    let section = Section::new([200.0, 1e9, 1e9, 2.0, 3.0, 5.0], 1.0, [2e-2, 1e-2, 1e-2]);
    let beam = ModalBeam::new(section, 1.5, 4, BeamEnds::Clamped);
    let beam = beam
        .with_bending([8, 8])
        .with_stretching(4)
        .with_twisting(4);
    beam.model().expect("a beam")
}

#[test]
fn loads_at_the_end_give_the_deflections_of_books() {
    let small = 1e-3;
    let length = 1.5_f64;
    let turn = Rotation3::new(Vector3::new(0.5, 1.0, -0.3));
    let cases = [
        ([small, 0.0, 0.0], ORIGIN, 0, small * length / 200.0),
        ([0.0, small, 0.0], ORIGIN, 1, small * length.powi(3) / 15.0),
        ([0.0, 0.0, small], ORIGIN, 2, small * length.powi(3) / 9.0),
        (ORIGIN, [small, 0.0, 0.0], 3, small * length / 2.0),
        (ORIGIN, [0.0, small, 0.0], 2, -small * length.powi(2) / 6.0),
        (ORIGIN, [0.0, 0.0, small], 1, small * length.powi(2) / 10.0),
    ];
    for (force, moment, way, expected) in cases {
        let (system, state, beam) = loaded(beam(), 4, DeadLoad { force, moment }, turn);
        let now = Snapshot::new(&system, &state);
        let place = turn.inverse() * now.position(beam.marker(0)) - Vector3::new(length, 0.0, 0.0);
        let angles = Rotation3::from_matrix_unchecked(now.rotation(beam.marker(0)));
        let angles = (turn.inverse() * angles).scaled_axis();
        let found = if way < 3 { place[way] } else { angles[way - 3] };
        assert_near(found, expected, 1e-5);
    }
}

#[test]
fn a_cantilever_converges_in_its_modes() {
    let errors = [1, 2, 3, 4].map(|modes| {
        let steel = Material::new(2.07e11, 0.3, 7800.0);
        let section = Section::rectangle(&steel, [0.1, 0.5]).with_mass(390.0, [2e-3, 1e-3, 1e-3]);
        let beam = ModalBeam::new(section, 2.0, 12, BeamEnds::Clamped).with_bending([0, modes]);
        let load = DeadLoad {
            force: [0.0, 0.0, -62_500.0],
            moment: ORIGIN,
        };
        let model = beam.model().expect("a beam");
        let (system, state, beam) = loaded(model, 12, load, Rotation3::identity());
        let tip = Snapshot::new(&system, &state).position(beam.marker(0)).z;
        let exact = 62_500.0 * 8.0 / (3.0 * 2.07e11 * 0.1 * 0.125 / 12.0);
        1.0 + tip / exact
    });
    println!("by 1 to 4 modes: {errors:?}");
    // 12/(β L)⁴ of the load's work is in each mode: the first has 97.07 percent of it.
    assert_near(
        errors[0],
        1.0 - 12.0 / 1.875_104_068_711_961_f64.powi(4),
        1e-3,
    );
    assert!(
        errors.windows(2).all(|pair| pair[1] < 0.5 * pair[0]),
        "{errors:?}"
    );
}

#[test]
fn gravity_and_reactions_balance() {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -0.3, -1.0]);
    let beam = mechanism.add_modal_body(ModalBody::new("beam", beam()).with_marker(2));
    let clamp = Joint::fixed("clamp", BodyId::GROUND, beam.frame(), ORIGIN);
    let clamp = mechanism.add_joint(clamp);
    let mut system = mechanism.build().expect("consistent");
    let mut state = rest(&mut system);
    let mut solver = liedae::system::AccelerationSolver::new(system.layout()).expect("fits");
    solver
        .complete(&mut Evaluator::new(&mut system), &mut state)
        .expect("regular");
    let reaction = Snapshot::new(&system, &state)
        .reaction(clamp)
        .expect("known");
    // 1.5 kg; the centre of mass is at 0.75 m but for what deflections shorten.
    assert_near(reaction.force.z, 1.5, 1e-8);
    assert_near(reaction.force.y, 0.45, 1e-8);
    assert_near(reaction.torque.y, -1.125, 5e-2);
    let deflection = Snapshot::new(&system, &state).modal_coordinates(&beam)[8];
    assert!(deflection.abs() > 0.05, "{deflection}");
}

/// A pull along a bent beam straightens it, as the foreshortening says.
#[test]
fn a_pull_stiffens_a_beam() {
    let push = 1e-4;
    let deflection = |pull: f64| {
        let load = DeadLoad {
            force: [pull, 0.0, push],
            moment: ORIGIN,
        };
        let (system, state, beam) = loaded(beam(), 4, load, Rotation3::identity());
        Snapshot::new(&system, &state).position(beam.marker(0)).z
    };
    // E I w'''' = P w'': w(L) = F (L - tanh(k L)/k)/P, k² = P/(E I).
    let (length, pull) = (1.5_f64, 4.0_f64);
    let k = (pull / 3.0).sqrt();
    let exact = push * (length - (k * length).tanh() / k) / pull;
    assert_near(deflection(pull), exact, 2e-4);
    assert_near(deflection(0.0), push * length.powi(3) / 9.0, 1e-4);
}
