//! Bodies that turn by many turns in steps as long as tolerances allow: states between the ends of steps, events and ends are right.

use crate::methods;
use liedae::integrator::MethodOptions;
use liedae::manifold::Factor;
use liedae::prelude::*;
use liedae::solve::{OptionsError, Recorder, SolveErrorKind, solve_observed};
use liedae::system::{Direction, EventAction, EventDescription};

const END: f64 = 12.0;

/// A free body under a constant torque about its axis of symmetry z.
#[derive(Clone, Copy, Debug)]
struct Drum {
    space: Factor,
    rate: f64,
    /// In rad/s².
    acceleration: f64,
}

impl Drum {
    fn turned(&self, t: f64) -> f64 {
        self.rate * t + 0.5 * self.acceleration * t * t
    }

    /// Where the axes z begin among velocities.
    fn omega_z(&self) -> usize {
        self.layout().dimension() - 1
    }

    /// The first column of the rotation, in the plane of turning.
    fn mark<S: Scalar>(&self, q: &[S]) -> [S; 2] {
        match self.space {
            Factor::UnitQuaternion => {
                let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
                [w * w + x * x - y * y - z * z, (x * y + w * z) * 2.0]
            }
            _ => {
                let first = q.len() - 9;
                [q[first], q[first + 3]]
            }
        }
    }
}

impl Model for Drum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::new([self.space]))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        let last = state.v.len() - 1;
        state.v[last] = self.rate;
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..self.layout().dimension() {
            mass[(index, index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[self.omega_z()] = S::constant(self.acceleration);
    }
    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

/// Each turn is counted where the mark passes the axis x upwards.
impl ModelEvents for Drum {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("turn", "mark", Direction::Rising)]
    }
    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = self.mark(at.q)[1];
    }
    fn handle_event(&self, _event: usize, _state: &mut State) -> EventAction {
        EventAction::Continue
    }
}

const SPACES: [Factor; 3] = [
    Factor::Rotation,
    Factor::UnitQuaternion,
    Factor::RigidMotion,
];

#[test]
fn states_between_steps_events_and_ends_are_right_over_many_turns() {
    let mut runs = 0;
    for space in SPACES {
        for (rate, acceleration) in [(3.0, 0.0), (0.0, 2.0), (5.0, -1.0), (100.0, 0.0)] {
            let drum = Drum {
                space,
                rate,
                acceleration,
            };
            for entry in methods().entries() {
                let method = entry.build(&MethodOptions::default()).expect("defaults");
                if !method.method().is_adaptive() {
                    continue;
                }
                let mut system = Automatic::new(drum);
                let mut recorder = Recorder::equidistant(0.0, END, 61);
                let options = Options::adaptive(END, 1e-6, 1e-6);
                let found = solve_observed(&mut system, method.as_ref(), &options, &mut recorder);
                let name = method.method().name;
                let found = match found {
                    Ok(found) => found,
                    Err(error) => panic!("{name} {drum:?}: {error}"),
                };
                // Methods of order 1 and 2 are as good as that with tolerances of 1e-6, over a hundred turns.
                let bound = if method.method().orders.q > 2 {
                    1e-3
                } else {
                    0.1
                };
                for state in recorder.states.iter() {
                    let angle = drum.turned(state.t);
                    let [x, y] = drum.mark(&state.q);
                    let off = (x - angle.cos()).hypot(y - angle.sin());
                    assert!(off < bound, "{name} {drum:?} at {}: {off:e}", state.t);
                    let rate = rate + acceleration * state.t;
                    let found = state.v[drum.omega_z()];
                    assert!(
                        (found - rate).abs() < bound,
                        "{name} {drum:?}: {found}, {rate}"
                    );
                }
                // Of a drum that never turns back.
                if acceleration >= 0.0 {
                    let turns = (drum.turned(END) / std::f64::consts::TAU).floor() as usize;
                    assert_eq!(found.events.len(), turns, "{name} {drum:?}");
                }
                runs += 1;
            }
        }
    }
    assert!(runs >= 3 * 4 * 15, "{runs}");
}

#[test]
fn constant_steps_of_half_a_turn_are_refused() {
    let drum = Drum {
        space: Factor::Rotation,
        rate: 10.0,
        acceleration: 0.0,
    };
    for name in [
        "hem5",
        "rk4",
        "generalized-alpha",
        "bdf-lie",
        "half-implicit",
    ] {
        let method = methods()
            .build(name, &MethodOptions::default())
            .expect("it is known");
        let run = |step: f64| {
            let mut system = Automatic::new(drum);
            solve(&mut system, method.as_ref(), &Options::fixed(2.0, step))
        };
        let refused = run(0.4).expect_err("4 rad a step").kind;
        let expected = matches!(
            refused,
            SolveErrorKind::Options(OptionsError::HalfTurn { angle, .. }) if (angle - 4.0).abs() < 1e-9
        );
        assert!(expected, "{name}: {refused}");
        let end = run(0.1).expect("1 rad a step").state;
        assert!((end.q[0] - 20.0_f64.cos()).abs() < 1e-3, "{name}");
    }
}
