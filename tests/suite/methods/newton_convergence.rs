//! Newton iterations that converge slowly, or not at all, are not taken for converged ones.

use liedae::integrator::{BackwardEuler, MethodOptions, NewtonOptions};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, SolveError, SolveErrorKind, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

#[derive(Clone, Copy)]
enum Damper {
    /// v' = -100 v³, on which Newton's corrections shrink by 2/3 only.
    Cubic,
    /// v' = -10³ v / (1 + v²)^(3/4), the slope of which is so misleading at large v that the iteration diverges.
    Saturating,
    /// v' = -1.6 v, which RATTLE finds by repeated substitution, with errors that shrink by 0.8 in steps of 1 s.
    Linear,
}

/// One mass behind a damper; or two, each with a damper, whose velocities a linear constraint keeps the same, so that it
/// holds exactly from the first iterate on.
struct Damped {
    damper: Damper,
    masses: usize,
}

const SPEED: f64 = 10.0;

impl Damped {
    fn force<S: Scalar>(&self, v: S) -> S {
        match self.damper {
            Damper::Cubic => v * v * v * -1e2,
            Damper::Saturating => {
                let root = (v * v + S::constant(1.0)).sqrt();
                v / (root * root.sqrt()) * -1e3
            }
            Damper::Linear => v * -1.6,
        }
    }
}

impl Model for Damped {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(self.masses)).with_position_rows(self.masses - 1)
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![SPEED; self.masses],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for mass_index in 0..self.masses {
            mass[(mass_index, mass_index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (force, v) in force.iter_mut().zip(at.v) {
            *force = self.force(*v);
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for (row, pair) in g.iter_mut().zip(at.q.windows(2)) {
            *row = pair[0] - pair[1];
        }
    }
}

const STEP: f64 = 1.0;

fn one_step(damped: Damped, max_iterations: usize) -> Result<Solution, SolveError> {
    let method = BackwardEuler::new(NewtonOptions {
        max_iterations,
        ..NewtonOptions::default()
    });
    let options = Options {
        max_halvings: 0,
        ..Options::fixed(STEP, STEP)
    };
    solve(&mut Automatic::new(damped), &method, &options)
}

#[test]
fn slow_convergence_goes_on_to_the_end() {
    for masses in [1, 2] {
        let damper = Damper::Cubic;
        let solution = one_step(Damped { damper, masses }, 100).expect("solved");
        for v in &solution.state.v {
            let defect = v + 1e2 * STEP * v.powi(3) - SPEED;
            println!("{masses}: v = {v:e}, defect {defect:e}");
            assert!(defect.abs() < 1e-8 * SPEED, "{masses}: {defect:e}");
        }
        let iterations = solution.statistics.work.newton_iterations;
        assert!(iterations > 10, "{iterations} iterations");
    }
}

#[test]
fn divergence_is_a_failure() {
    for masses in [1, 2] {
        let damper = Damper::Saturating;
        let result = one_step(Damped { damper, masses }, 30);
        let error = result.map(|solution| solution.state.v).expect_err("fails");
        assert!(matches!(error.kind, SolveErrorKind::Step(_)), "{error}");
        println!("{error}");
    }
}

/// The constraint holds from the first iterate on, the balance of momentum does not.
#[test]
fn slow_substitution_goes_on_to_the_end() {
    for masses in [1, 2] {
        let damper = Damper::Linear;
        let options = MethodOptions {
            newton: Some(NewtonOptions {
                max_iterations: 400,
                ..NewtonOptions::default()
            }),
            ..MethodOptions::default()
        };
        let method = crate::known_methods()
            .build("rattle", &options)
            .expect("registered");
        let mut system = Automatic::new(Damped { damper, masses });
        let options = Options::fixed(STEP, STEP);
        let solution = solve(&mut system, method.as_ref(), &options).expect("solved");
        for v in &solution.state.v {
            // w = v - 0.8 w in the middle, w - 0.8 w at the end.
            let error = v - SPEED / 9.0;
            println!("{masses}: v = {v:e}, error {error:e}");
            assert!(error.abs() < 1e-10 * SPEED, "{masses}: {error:e}");
        }
    }
}
