//! Results do not depend on the units of a statement.

use liedae::control::{PerComponent, Tolerances};
use liedae::integrator::{MethodOptions, StepError};
use liedae::prelude::*;
use liedae::solve::{OptionsError, SolveError, SolveErrorKind, StepControl};
use liedae::system::ConsistencyError;
use std::ops::ControlFlow;

/// Which system.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A point mass on a circle: one position row.
    Pendulum,
    /// A rolling blade: one velocity row, a length and an angle.
    Sleigh,
    /// A slider-crank in plane Cartesian coordinates, with rows of different scale.
    SliderCrank,
    /// A pendulum with its row stated three times in different scales.
    Redundant,
}

/// A system in units of its own.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    kind: Kind,
    /// One metre in the unit of length, one kilogram in that of mass, one second in that of time.
    metre: f64,
    kilogram: f64,
    second: f64,
    row: f64,
}

impl Scaled {
    fn in_si(kind: Kind) -> Self {
        Self {
            kind,
            metre: 1.0,
            kilogram: 1.0,
            second: 1.0,
            row: 1.0,
        }
    }

    fn gravity(&self) -> f64 {
        9.81 * self.metre / (self.second * self.second)
    }
}

impl Model for Scaled {
    fn layout(&self) -> Layout {
        match self.kind {
            Kind::Pendulum => Layout::dense(Manifold::euclidean(2)).with_position_rows(1),
            Kind::Redundant => Layout::dense(Manifold::euclidean(2)).with_position_rows(3),
            Kind::Sleigh => Layout::dense(Manifold::euclidean(3)).with_velocity_rows(1),
            Kind::SliderCrank => Layout::dense(Manifold::euclidean(6)).with_position_rows(5),
        }
    }

    fn initial_state(&self) -> State {
        let Self { metre, second, .. } = *self;
        let state = self.layout().state();
        match self.kind {
            Kind::Pendulum | Kind::Redundant => State {
                q: vec![0.6 * metre, -0.8 * metre],
                v: vec![0.8 * metre / second, 0.6 * metre / second],
                ..state
            },
            Kind::Sleigh => State {
                q: vec![0.0, 0.0, 0.0],
                v: vec![1.2 * metre / second, 0.14 * metre / second, 0.7 / second],
                ..state
            },
            Kind::SliderCrank => {
                let (phi, l1, l2) = (0.7_f64, 0.4, 1.1);
                let psi = -(l1 / l2 * phi.sin()).asin();
                // Crank and rod by their centres, the slider at the rod's end.
                State {
                    q: vec![
                        0.5 * l1 * phi.cos() * metre,
                        0.5 * l1 * phi.sin() * metre,
                        phi,
                        (l1 * phi.cos() + 0.5 * l2 * psi.cos()) * metre,
                        (l1 * phi.sin() + 0.5 * l2 * psi.sin()) * metre,
                        psi,
                    ],
                    ..state
                }
            }
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        let Self {
            metre, kilogram, ..
        } = *self;
        let diagonal: &[f64] = match self.kind {
            Kind::Pendulum | Kind::Redundant => &[1.3, 1.3],
            Kind::Sleigh => &[2.0, 2.0, 0.3],
            Kind::SliderCrank => &[0.8, 0.8, 0.011, 1.5, 1.5, 0.15],
        };
        for (index, value) in diagonal.iter().enumerate() {
            let is_angle = diagonal.len() > 2 && index % 3 == 2;
            let unit = if is_angle {
                kilogram * metre * metre
            } else {
                kilogram
            };
            mass[(index, index)] = S::constant(value * unit);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let Self {
            metre,
            kilogram,
            second,
            ..
        } = *self;
        let newton = kilogram * metre / (second * second);
        match self.kind {
            Kind::Pendulum | Kind::Redundant => {
                force[1] = S::constant(-1.3 * kilogram * self.gravity())
            }
            Kind::Sleigh => {
                // A spring to a point and a wind.
                force[0] = (at.q[0] - metre) * (-3.0 * newton / metre);
                force[1] = S::constant(0.4 * newton);
                force[2] = at.v[2] * (-0.1 * newton * metre * second);
            }
            Kind::SliderCrank => {
                force[1] = S::constant(-0.8 * kilogram * self.gravity());
                force[4] = S::constant(-1.5 * kilogram * self.gravity());
                force[2] = S::constant(2.0 * newton * metre);
            }
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let Self { metre, row, .. } = *self;
        match self.kind {
            Kind::Pendulum => {
                g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - metre * metre) * row;
            }
            Kind::Redundant => {
                let value = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - metre * metre) * row;
                (g[0], g[1], g[2]) = (value, value * 1e3, value * -1e-4);
            }
            Kind::SliderCrank => {
                let (l1, l2) = (0.4 * metre, 1.1 * metre);
                let q = at.q;
                let (s1, c1) = (q[2].sin(), q[2].cos());
                let (s2, c2) = (q[5].sin(), q[5].cos());
                g[0] = (q[0] - c1 * (0.5 * l1)) * row;
                g[1] = (q[1] - s1 * (0.5 * l1)) * (row * 1e-3);
                g[2] = (q[0] + c1 * (0.5 * l1) - q[3] + c2 * (0.5 * l2)) * row;
                g[3] = (q[1] + s1 * (0.5 * l1) - q[4] + s2 * (0.5 * l2)) * (row * 1e3);
                g[4] = (q[4] + s2 * (0.5 * l2)) * row;
            }
            Kind::Sleigh => {}
        }
    }

    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        if self.kind == Kind::Sleigh {
            let (sine, cosine) = (at.q[2].sin(), at.q[2].cos());
            // The blade stands 0.2 m off the centre of mass.
            b[0] = (at.v[1] * cosine - at.v[0] * sine - at.v[2] * (0.2 * self.metre)) * self.row;
        }
    }
}

/// Tolerance of adaptive runs, and constant steps in s.
const TOLERANCE: f64 = 1e-5;
const STEP: f64 = 2e-3;
const SPAN: f64 = 0.2;

/// What constant steps may differ by: Newton iterations end at 1e-10 of the unknowns.
const ITERATED: f64 = 2e-8;

/// Other runs may be off by so many times what they are off by in SI units, and by so many tolerances: the first step of adaptive ones
/// differs, and with it all others; methods of state space integrate other coordinates, whose gradients are longer.
const OTHER_STEPS: f64 = 5.0;

/// q and v at the end of a run, in SI units.
fn end(system: Scaled, method: &str, tolerance: Option<f64>) -> Result<Vec<f64>, SolveError> {
    let method = crate::methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    let Scaled { metre, second, .. } = system;
    let count = system.initial_state().v.len();
    let is_angle = |index: usize| count > 2 && index % 3 == 2;
    let unit = |index| if is_angle(index) { 1.0 } else { metre };
    let units: Vec<f64> = (0..count).map(unit).collect();
    let control = match tolerance {
        Some(tolerance) => {
            let per_second = units.iter().map(|unit| unit / second);
            let absolute = units.iter().copied().chain(per_second);
            StepControl::Adaptive {
                tolerances: Tolerances {
                    relative: PerComponent::Uniform(tolerance),
                    absolute: PerComponent::Each(absolute.map(|unit| tolerance * unit).collect()),
                },
                controller: None,
                initial_step: None,
            }
        }
        None => StepControl::Fixed(STEP * second),
    };
    let options = Options::new(SPAN * second, control);
    let state = solve(&mut Automatic::new(system), method.as_ref(), &options)?.state;
    let q = state.q.iter().zip(&units).map(|(q, unit)| q / unit);
    let v = state.v.iter().zip(&units);
    Ok(q.chain(v.map(|(v, unit)| v / (unit / second))).collect())
}

/// The largest difference; NaN stays.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |max, next| if next <= max { max } else { next })
}

/// Lengths from nm to 1e9 m, masses from 1e-150 kg on, milliseconds, rows times 1e-12 to 1e12.
fn in_other_units(kind: Kind) -> Vec<Scaled> {
    let si = Scaled::in_si(kind);
    let metres = [1e-9, 1e3, 1e9].map(|metre| Scaled { metre, ..si });
    let kilograms = [1e-150, 1e-6, 1e12].map(|kilogram| Scaled { kilogram, ..si });
    let seconds = [1e-3, 1e3].map(|second| Scaled { second, ..si });
    let rows = [1e-12, 1e-8, 1e-4, 1e12].map(|row| Scaled { row, ..si });
    let all = metres.into_iter().chain(kilograms).chain(seconds);
    all.chain(rows).collect()
}

fn compare(kind: Kind) {
    let si = Scaled::in_si(kind);
    let exact = end(si, "dop853", Some(1e-11)).expect("smooth");
    let (mut runs, mut faults) = (0, Vec::new());
    for method in crate::methods().names() {
        for tolerance in [Some(TOLERANCE), None] {
            let expected = match end(si, method, tolerance) {
                Ok(end) => end,
                // Not every method takes velocity rows, and not every one has an estimate.
                Err(error) => {
                    assert!(is_refused(&error), "{method}, {si:?}: {error}");
                    continue;
                }
            };
            let usual = distance(&expected, &exact);
            for system in in_other_units(kind) {
                runs += 1;
                let fault = match end(system, method, tolerance) {
                    Ok(found) => {
                        let same_steps = tolerance.is_none() && !method.starts_with("state-space");
                        let (off, bound) = if same_steps {
                            (distance(&found, &expected), ITERATED)
                        } else {
                            (distance(&found, &exact), OTHER_STEPS * (usual + TOLERANCE))
                        };
                        // NaN is a fault.
                        (off.is_nan() || off > bound).then(|| format!("{off:.1e} of {bound:.1e}"))
                    }
                    Err(error) => Some(error.to_string()),
                };
                faults.extend(
                    fault.map(|fault| format!("{method}, {tolerance:?}, {system:?}: {fault}")),
                );
            }
        }
    }
    println!("{kind:?}: {runs} runs");
    assert!(runs > 200 && faults.is_empty(), "{}", faults.join("\n"));
}

/// Whether a method has said that it does not apply, or that it has no error estimate.
fn is_refused(error: &SolveError) -> bool {
    matches!(
        error.kind,
        SolveErrorKind::Options(OptionsError::NoEstimate { .. })
            | SolveErrorKind::Step(StepError::Unsupported { .. })
    )
}

#[test]
fn a_position_row_in_any_units() {
    compare(Kind::Pendulum);
}

#[test]
fn a_velocity_row_in_any_units() {
    compare(Kind::Sleigh);
}

#[test]
fn rows_of_several_scales_in_any_units() {
    compare(Kind::SliderCrank);
}

#[test]
fn redundant_rows_in_any_units() {
    compare(Kind::Redundant);
}

/// Whoever looks at a run sees the units of the statement: states at both ends of steps and between them, outputs, energy, events,
/// and the system behind the view.
#[test]
fn observers_and_handlers_see_the_units_of_the_statement() {
    /// A pendulum of 1 nm and 1e-150 kg.
    struct Watching(usize);
    impl Observer for Watching {
        fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
            let length = |state: &State| state.q[0].hypot(state.q[1]);
            let middle = 0.5 * (step.from.t + step.to.t);
            let ends = [length(step.from), length(step.to)];
            let (state, system) = step.at_with_system(middle);
            assert!(ends.iter().all(|end| (end - 1e-9).abs() < 1e-18));
            assert!((length(state) - 1e-9).abs() < 1e-13);
            let mut g = [f64::NAN];
            system
                .position_constraint(&state.point(), &mut g)
                .expect("finite");
            assert!((g[0] - (length(state).powi(2) - 1e-18)).abs() < 1e-30);
            let mut mass = vec![f64::NAN; system.layout().mass.nnz()];
            system
                .mass_matrix(&state.point(), &mut mass)
                .expect("finite");
            assert_eq!(mass[0], 1.3e-150);
            self.0 += 1;
            ControlFlow::Continue(())
        }
        fn wants_dense_output(&self) -> bool {
            true
        }
    }
    let lowest = EventDescription::new("lowest", "bob", Direction::Rising);
    let mut pendulum = liedae::model([-1e-9, 0.0], [0.0, 0.0])
        .mass(1.3e-150)
        .force(|_t, _q, _v| [0.0, -1.3e-150 * 9.81e-9])
        .constraint(|_t, [x, y]| [x * x + y * y - 1e-18])
        .event(
            lowest,
            |at| at.q[0] * 1e9,
            |state| {
                // All of its speed, as from a fall by its length.
                assert!((state.v[0] - (2.0 * 9.81_f64).sqrt() * 1e-9).abs() < 1e-15);
                state.v[0] *= 0.5;
                state.v[1] *= 0.5;
                EventAction::Restart
            },
        )
        .build()
        .expect("stated");
    let tolerances = Tolerances::uniform(1e-9, 1e-18);
    let control = StepControl::Adaptive {
        tolerances,
        controller: None,
        initial_step: None,
    };
    for name in ["hem5", "radau5", "generalized-alpha", "bdf"] {
        let method = crate::methods()
            .build(name, &MethodOptions::default())
            .expect("a registered method");
        let options = Options::new(0.8, control.clone());
        let mut watching = Watching(0);
        let run = solve_observed(&mut pendulum, method.as_ref(), &options, &mut watching);
        let run = run.expect("a pendulum");
        assert!(watching.0 > 10 && run.events.len() == 1, "{name}");
        // T = √(l/g) K for a swing from the horizontal: a quarter of 4 K(1/√2).
        let quarter = 1.854_074_677_301_372 / 9.81_f64.sqrt();
        assert!(
            (run.events[0].t - quarter).abs() < 1e-5,
            "{name}: {}",
            run.events[0].t
        );
        // A tension of m (g cos φ + v²/l), and λ of x² + y² - l²: half of it by l.
        let State { q, v, lambda, .. } = &run.state;
        let tension = 1.3e-150 * (9.81e-9 * -q[1] / 1e-9 + (v[0] * v[0] + v[1] * v[1]) / 1e-9);
        assert!((lambda[0] * -2e-9 / tension - 1.0).abs() < 1e-4, "{name}");
    }
}

/// Initial values beside the constraints are refused by what they are off by relative to the mechanism, and said so in its units.
#[test]
fn tiny_systems_have_tiny_bounds() {
    let mut pendulum = liedae::model([1.1e-9, 0.0], [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, -9.81e-9])
        .constraint(|_t, [x, y]| [x * x + y * y - 1e-18])
        .build()
        .expect("stated");
    let method = crate::methods()
        .build("hem5", &MethodOptions::default())
        .expect("a registered method");
    let refused = solve(&mut pendulum, method.as_ref(), &Options::fixed(0.1, 0.01));
    let Err(SolveErrorKind::Initial(ConsistencyError::Position { rows })) =
        refused.map_err(|error| error.kind)
    else {
        panic!("it is off by a tenth of its length");
    };
    assert!(rows[0].0 == 0 && (rows[0].1 - 0.21e-18).abs() < 1e-30);
}
