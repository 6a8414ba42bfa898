//! `radau5` looks at all stages together for numbers that are not finite, and names the function that gave them.

use liedae::integrator::{Integrator, Radau5};
use liedae::linalg::Pattern;
use liedae::prelude::*;
use liedae::solve::{SolveError, SolveErrorKind};
use liedae::system::{
    Derivative, DynamicsError, EvaluationError, FirstOrder, FirstOrderModel, Formulation, Function,
    Layout, ModelBalance,
};

/// Decay, of which the last rate is not a number from t = 0.2 on.
struct Decay(usize);

impl FirstOrderModel for Decay {
    fn dimension(&self) -> usize {
        self.0
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.0; self.0]
    }
    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        for (rate, y) in rate.iter_mut().zip(y) {
            *rate = -*y;
        }
        rate[self.0 - 1] += (S::constant(0.2) - t).sqrt() * 1e-3;
    }
}

/// Four pendulums in the plane that know nothing of each other, with a balance of their own. What pulls the last one is not a number
/// from t = 0.2 on, or its constraint is not.
struct Pendulums {
    constraint: bool,
}

const COUNT: usize = 4;

impl Pendulums {
    fn strange<S: Scalar>(&self, t: S, constraint: bool) -> S {
        if self.constraint == constraint {
            (S::constant(0.2) - t).sqrt() * 0.0
        } else {
            S::constant(0.0)
        }
    }
}

impl Model for Pendulums {
    fn layout(&self) -> Layout {
        let n = 2 * COUNT;
        let pairs = (0..n).map(|column| (column / 2, column));
        Layout {
            mass: Pattern::diagonal(n),
            rates: Pattern::empty(n, n),
            jacobian: Pattern::from_entries(COUNT, n, pairs).expect("inside"),
            ..Layout::dense(Manifold::euclidean(n)).with_position_rows(COUNT)
        }
    }
    fn initial_state(&self) -> State {
        State {
            q: [1.0, 0.0].repeat(COUNT),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..2 * COUNT {
            mass[(index, index)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for force in force.as_chunks_mut::<2>().0 {
            force[1] = S::constant(-9.81);
        }
        force[2 * COUNT - 1] += self.strange(at.t, false);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for (g, [x, y]) in g.iter_mut().zip(at.q.as_chunks::<2>().0) {
            *g = (*x * *x + *y * *y - 1.0) * 0.5;
        }
        g[COUNT - 1] += self.strange(at.t, true);
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        for (index, (force, a)) in out.forces.iter_mut().zip(a).enumerate() {
            *force = at.q[index] * at.lambda[index / 2] - *a;
            if index % 2 == 1 {
                *force -= 9.81;
            }
        }
        out.forces[2 * COUNT - 1] += self.strange(at.t, false);
        if let Some(rows) = &mut out.position {
            self.position_constraint(at, rows);
        }
        for row in 0..COUNT {
            let ([x, y], [v, w]) = (
                [at.q[2 * row], at.q[2 * row + 1]],
                [at.v[2 * row], at.v[2 * row + 1]],
            );
            let strange = if row == COUNT - 1 {
                self.strange(at.t, true)
            } else {
                S::constant(0.0)
            };
            if let Some(rows) = &mut out.velocity {
                rows[row] = x * v + y * w + strange;
            }
            if let Some(rows) = &mut out.acceleration {
                rows[row] = x * a[2 * row] + y * a[2 * row + 1] + v * v + w * w + strange;
            }
        }
        Derivative::Analytic
    }
}

/// The function that a failure is blamed on.
fn blamed(error: &SolveError) -> Option<Function> {
    let cause = match &error.kind {
        SolveErrorKind::Step(cause) => Some(cause),
        SolveErrorKind::StepTooSmall { cause, .. } => cause.as_deref(),
        _ => None,
    };
    match cause {
        Some(liedae::integrator::StepError::Dynamics(DynamicsError::Evaluation(
            EvaluationError::NonFinite { function, .. },
        ))) => Some(*function),
        _ => None,
    }
}

fn fails<M: Model>(model: M, method: &dyn Integrator, options: &Options) -> SolveError {
    let error = solve(&mut Automatic::new(model), method, options).expect_err("it cannot pass");
    let state = error
        .state
        .as_ref()
        .unwrap_or_else(|| panic!("no state: {error}"));
    assert!(
        state.is_finite() && state.t > 0.15 && state.t < 0.2001,
        "{}",
        state.t
    );
    error
}

#[test]
fn a_rate_that_is_not_finite_is_named() {
    // Up to three unknowns, vectors of whole columns, and a large matrix.
    for count in [1, 2, 3, 4, 8, 13, 40] {
        for options in [
            Options::adaptive(1.0, 1e-6, 1e-6),
            Options::fixed(1.0, 0.01),
        ] {
            let model = FirstOrder::new(Decay(count)).expect("well stated");
            let error = fails(model, &Radau5::default(), &options);
            assert_eq!(blamed(&error), Some(Function::Rates), "{count}: {error}");
        }
    }
}

#[test]
fn a_force_or_constraint_that_is_not_finite_is_named() {
    let expected = [
        (Formulation::Index3, Function::PositionConstraint),
        (Formulation::Index2, Function::VelocityConstraint),
        (Formulation::Index1, Function::AccelerationBias),
    ];
    for (formulation, rows) in expected {
        let method = Radau5::new(Some(formulation), Default::default());
        for options in [
            Options::adaptive(1.0, 1e-6, 1e-6),
            Options::fixed(1.0, 0.01),
        ] {
            for (constraint, function) in [(false, Function::Rates), (true, rows)] {
                let error = fails(Pendulums { constraint }, &method, &options);
                assert_eq!(blamed(&error), Some(function), "{formulation:?}: {error}");
            }
        }
    }
}
