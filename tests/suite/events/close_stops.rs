//! Stops that nearly coincide change nothing but where a run lands.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::{OptionsError, SolveError, SolveErrorKind};
use liedae::system::ModelEvents;

/// A pendulum of 1 m in Cartesian coordinates, with moments to land on.
struct Pendulum {
    moments: Vec<f64>,
    action: EventAction,
}

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, -0.8],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..2 {
            mass[(axis, axis)] = S::constant(1.0);
        }
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Pendulum {
    fn time_events(&self) -> Vec<f64> {
        self.moments.clone()
    }

    fn handle_time_event(&self, _event: usize, _state: &mut State) -> EventAction {
        self.action
    }
}

/// How moments are stated.
#[derive(Clone, Copy, Debug)]
enum Stated {
    Stops,
    Events(EventAction),
}

const SPAN: f64 = 1.0;

/// Tolerance of adaptive runs, and constant steps in s.
const TOLERANCE: f64 = 1e-6;
const STEP: f64 = 1e-2;

/// A run may be off by so many times what it is off by with a single stop, and by this.
const OTHER_STEPS: f64 = 3.0;
const ROUND_OFF: f64 = 1e-9;

/// How far stops are apart, as a part of the span.
const APART: [f64; 5] = [1e-16, 1e-14, 1e-13, 1e-11, 1e-9];

fn end(method: &str, adaptive: bool, moments: &[f64], stated: Stated) -> Result<State, SolveError> {
    let method = crate::methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    let (stops, events, action) = match stated {
        Stated::Stops => (moments.to_vec(), Vec::new(), EventAction::Continue),
        Stated::Events(action) => (Vec::new(), moments.to_vec(), action),
    };
    let options = if adaptive {
        Options::adaptive(SPAN, TOLERANCE, TOLERANCE)
    } else {
        Options::fixed(SPAN, STEP)
    };
    let options = Options { stops, ..options };
    let mut system = Automatic::new(Pendulum {
        moments: events,
        action,
    });
    Ok(solve(&mut system, method.as_ref(), &options)?.state)
}

/// The largest difference in q and v; NaN stays.
fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().zip(&b.q).chain(a.v.iter().zip(&b.v));
    let differences = pairs.map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |max, next| if next <= max { max } else { next })
}

/// Two moments that differ by round-off, or by a little more: at the start, in the middle, off the grid of constant steps, at the end.
fn moments(apart: f64) -> [Vec<f64>; 4] {
    [
        vec![apart, 2.0 * apart],
        vec![0.1 * 5.0, (0..50).map(|_| 0.01).sum(), 0.5 + apart],
        vec![0.1 + 0.2, 0.3, 0.5037, 0.5037 + apart, 0.5037 + 2.5 * apart],
        vec![SPAN - apart, SPAN],
    ]
}

#[test]
fn moments_that_nearly_coincide_change_nothing() {
    let method = crate::methods()
        .build("dop853", &MethodOptions::default())
        .expect("a registered method");
    let mut pendulum = Automatic::new(Pendulum {
        moments: Vec::new(),
        action: EventAction::Continue,
    });
    let options = Options::adaptive(SPAN, 1e-12, 1e-12);
    let exact = solve(&mut pendulum, method.as_ref(), &options)
        .expect("smooth")
        .state;

    let (mut runs, mut faults) = (0, Vec::new());
    let restart = Stated::Events(EventAction::Restart);
    for name in crate::methods().names() {
        for adaptive in [true, false] {
            let once = match end(name, adaptive, &[0.5], restart) {
                Ok(state) => distance(&state, &exact),
                // Not every method has an estimate.
                Err(error) => {
                    let kind = &error.kind;
                    let refused =
                        SolveErrorKind::Options(OptionsError::NoEstimate { method: name });
                    assert!(adaptive && *kind == refused, "{name}: {error}");
                    continue;
                }
            };
            let plain = end(name, adaptive, &[], Stated::Stops).expect("smooth");
            let usual = distance(&plain, &exact).max(once);
            for apart in APART {
                for moments in moments(apart) {
                    for stated in [
                        Stated::Stops,
                        Stated::Events(EventAction::Continue),
                        restart,
                    ] {
                        runs += 1;
                        let fault = match end(name, adaptive, &moments, stated) {
                            Ok(state) => {
                                let off = distance(&state, &exact);
                                let good =
                                    off <= OTHER_STEPS * usual + ROUND_OFF && state.t == SPAN;
                                (!good).then(|| format!("{off:.1e} of {usual:.1e}"))
                            }
                            Err(error) => Some(error.to_string()),
                        };
                        let say =
                            |fault| format!("{name}, {adaptive}, {moments:?}, {stated:?}: {fault}");
                        faults.extend(fault.map(say));
                    }
                }
            }
        }
    }
    println!("{runs} runs");
    assert!(runs > 2000 && faults.is_empty(), "{}", faults.join("\n"));
}

/// A whole run that is shorter than a part in 10⁶ of its step.
#[test]
fn a_run_of_a_tiny_part_of_a_step() {
    for name in crate::methods().names() {
        let method = crate::methods()
            .build(name, &MethodOptions::default())
            .expect("a registered method");
        let mut pendulum = Automatic::new(Pendulum {
            moments: Vec::new(),
            action: EventAction::Continue,
        });
        let state = solve(&mut pendulum, method.as_ref(), &Options::fixed(1e-12, 0.01));
        let state = state.expect("smooth").state;
        // Across the rod gravity accelerates by 9.81 · 0.6.
        let exact = [-0.8, -0.6].map(|part| 1e-12 * 9.81 * 0.6 * part);
        for (v, exact) in state.v.iter().zip(exact) {
            assert!((v - exact).abs() < 1e-20, "{name}: {v:e}");
        }
    }
}
