//! Systems that give the balance of forces in one pass.

use crate::common::Pendulum;
use crate::known_methods;
use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::Solution;
use liedae::system::{Balance, EvaluationError, Layout, RatesJacobian, SystemFault, check_system};

/// What is wrong with a balance.
#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    Forces,
    Position,
    Factor,
    Jacobian,
    Sizes,
}

/// The pendulum, with a balance that it states itself.
struct Balanced {
    pendulum: Automatic<Pendulum>,
    mistake: Mistake,
}

impl Balanced {
    fn new(mistake: Mistake) -> Self {
        let pendulum = Automatic::new(Pendulum);
        Self { pendulum, mistake }
    }

    /// A number that is not there unless this is the mistake.
    fn wrong(&self, mistake: Mistake) -> f64 {
        if self.mistake == mistake { 1e-3 } else { 0.0 }
    }
}

type Evaluated<T> = Result<T, EvaluationError>;

impl System for Balanced {
    fn layout(&self) -> &Layout {
        self.pendulum.layout()
    }
    fn initial_state(&self) -> State {
        self.pendulum.initial_state()
    }
    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.mass_matrix(at, out)
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.rates(at, out)
    }
    fn rates_jacobian(&mut self, at: &Point, out: &mut RatesJacobian) -> Evaluated<()> {
        self.pendulum.rates_jacobian(at, out)
    }
    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.position_constraint(at, out)
    }
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.velocity_constraint(at, out)
    }
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.constraint_jacobian(at, out)
    }
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Evaluated<()> {
        self.pendulum.acceleration_bias(at, out)
    }
    fn balance(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut Balance,
    ) -> Evaluated<bool> {
        if wanted.velocity.is_some() || wanted.acceleration.is_some() {
            return Ok(false);
        }
        let ([x, y], pull) = ([at.q[0], at.q[1]], at.lambda[0]);
        if let Some(forces) = &mut wanted.forces {
            forces[0] = x * pull - acceleration[0] + self.wrong(Mistake::Forces);
            forces[1] = y * pull - 9.81 - acceleration[1];
        }
        if let Some((rows, factor)) = &mut wanted.position {
            let row = 0.5 * (x * x + y * y - 1.0);
            let factor = if self.mistake == Mistake::Factor {
                1.0
            } else {
                *factor
            };
            rows[0] = factor * row + self.wrong(Mistake::Position);
        }
        if let Some(jacobian) = &mut wanted.jacobian {
            jacobian.copy_from_slice(&[x, y + self.wrong(Mistake::Jacobian)]);
        }
        if let Some(sizes) = &mut wanted.sizes {
            sizes[0] = (x * pull).abs() - self.wrong(Mistake::Sizes);
            sizes[1] = (y * pull).abs() + 9.81;
        }
        Ok(true)
    }
}

#[test]
fn a_wrong_balance_is_found() {
    let faults = |mistake: Mistake| {
        let mut system = Balanced::new(mistake);
        let state = system.initial_state();
        check_system(&mut system, &state).expect("evaluated").faults
    };
    assert_eq!(faults(Mistake::None), []);
    for (mistake, expected, at) in [
        (Mistake::Forces, "balance of forces", 0),
        (Mistake::Position, "position constraint", 0),
        (Mistake::Factor, "position constraint", 0),
        (Mistake::Jacobian, "constraint Jacobian", 1),
        (Mistake::Sizes, "sizes of forces", 0),
    ] {
        let found = faults(mistake);
        let is_it = |fault: &SystemFault| matches!(fault, SystemFault::AtPoint { function, place, .. } if *function == expected && *place == at);
        assert!(found.iter().any(is_it), "{expected}: {found:?}");
    }
}

#[test]
fn methods_find_the_same_with_a_balance_and_without() {
    for name in ["backward-euler", "generalized-alpha"] {
        let method = known_methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let options = Options::fixed(0.5, 1e-3);
        let with =
            solve(&mut Balanced::new(Mistake::None), method.as_ref(), &options).expect("solved");
        let without =
            solve(&mut Automatic::new(Pendulum), method.as_ref(), &options).expect("solved");
        // Round-off decides in single steps whether another iteration confirms it.
        let iterations = |run: &Solution| run.statistics.work.newton_iterations;
        let (with_it, without_it) = (iterations(&with), iterations(&without));
        assert!(
            with_it.abs_diff(without_it) * 50 < without_it,
            "{name}: {with_it} and {without_it} iterations"
        );
        for (a, b) in with.state.q.iter().zip(&without.state.q) {
            // Ten times the tolerance of an iteration.
            assert!((a - b).abs() < 1e-9, "{name}: {a} and {b}");
        }
    }
}
