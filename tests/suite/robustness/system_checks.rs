//! `check_system` finds what is wrong in a system, and nothing in one that is right.

use liedae::prelude::*;
use liedae::system::{
    Derivative, Energy, EvaluationError, RatesJacobian, Stated, SystemFault, Wanted, Wrapped,
    Wrapper, check_system,
};

/// A damped pendulum on a cart that moves, with a state that follows it and an algebraic power.
struct Pendulum;

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
            .with_position_rows(2)
            .with_differential_states(1)
            .with_algebraic_variables(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.3, 0.9, -0.8],
            v: vec![0.0, 0.4, 0.3],
            x: vec![0.2],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(2.0 - 0.5 * axis as f64);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[1] = at.v[1] * -0.3 + at.x[0];
        force[2] = at.v[2] * at.v[2] * -0.1 - 9.81;
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.q[1] - at.x[0];
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = at.z[0] * 2.0 - at.v[1] * at.lambda[1];
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (x, y) = (at.q[1] - at.q[0], at.q[2]);
        g[0] = at.q[0] - (at.t * 2.0).sin() - 0.3;
        g[1] = (x * x + y * y - 1.0) * 0.5;
    }
}

/// What somebody may state wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    Jacobian,
    Velocity,
    Bias,
    Stiffness,
    Damping,
    Power,
    Memory,
    Energy,
}

struct Mistaken {
    inner: Automatic<Pendulum>,
    wrong: Wrong,
    asked: usize,
}

type Done = Result<(), EvaluationError>;

impl Wrapper for Mistaken {
    type Inner = Automatic<Pendulum>;
    fn inner(&self) -> &Self::Inner {
        &self.inner
    }
    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }
    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.inner.constraint_jacobian(at, out)?;
        if self.wrong == Wrong::Jacobian {
            out[4] *= -1.0;
        }
        Ok(())
    }
    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.inner.velocity_constraint(at, out)?;
        if self.wrong == Wrong::Velocity {
            // Without the motion of the cart.
            out[0] = at.v[0];
        }
        Ok(())
    }
    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.inner.acceleration_bias(at, out)?;
        if self.wrong == Wrong::Bias {
            out[1] = 0.0;
        }
        Ok(())
    }
    fn rates_jacobian(&mut self, at: &Point, out: &mut RatesJacobian) -> Done {
        self.inner.rates_jacobian(at, out)?;
        match self.wrong {
            Wrong::Stiffness => out.by_position[3 * 5 + 1] = 0.0,
            Wrong::Damping => out.by_velocity[5 + 1] = 0.3,
            Wrong::Power => out.by_multiplier[1] *= 2.0,
            _ => {}
        }
        Ok(())
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Done {
        self.inner.rates(at, out)?;
        self.asked += 1;
        if self.wrong == Wrong::Memory {
            out[0] += self.asked as f64;
        }
        Ok(())
    }
    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }
}

impl Energy for Mistaken {
    fn total(&mut self, at: &Point) -> Option<f64> {
        Some(9.81 * at.q[2])
    }
    fn is_kept(&mut self) -> bool {
        self.wrong == Wrong::Energy
    }
}

fn faults(wrong: Wrong) -> Vec<SystemFault> {
    let mut system = Wrapped(Mistaken {
        inner: Automatic::new(Pendulum),
        wrong,
        asked: 0,
    });
    let state = system.initial_state();
    let report = check_system(&mut system, &state).expect("evaluated");
    assert_eq!((report.freedoms, &report.redundant[..]), (1, &[][..]));
    report.faults
}

#[test]
fn what_is_right_has_no_fault() {
    assert_eq!(faults(Wrong::Nothing), []);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let derivative = |wrong: Wrong, stated: Stated, place: (usize, usize)| {
        let faults = faults(wrong);
        let found = faults.iter().any(|fault| {
            matches!(fault, SystemFault::Derivative { stated: which, row, column, .. }
                if *which == stated && (*row, *column) == place)
        });
        assert!(found, "{wrong:?}: {faults:?}");
        let said = faults[0].to_string();
        assert!(
            said.contains("row") && said.contains("differences say"),
            "{said}"
        );
    };
    derivative(Wrong::Jacobian, Stated::ConstraintJacobian, (1, 1));
    derivative(Wrong::Velocity, Stated::VelocityConstraint, (0, 0));
    derivative(Wrong::Bias, Stated::AccelerationBias, (1, 0));
    derivative(Wrong::Stiffness, Stated::RatesByPosition, (3, 1));
    derivative(Wrong::Damping, Stated::RatesByVelocity, (1, 1));
    derivative(Wrong::Power, Stated::ResidualsByMultiplier, (0, 1));
}

#[test]
fn a_system_with_a_memory_is_none() {
    let faults = faults(Wrong::Memory);
    let named = |fault: &SystemFault| matches!(fault, SystemFault::NotAFunction { row: 0, .. });
    assert!(faults.iter().any(named), "{faults:?}");
}

#[test]
fn an_energy_that_is_not_kept_is_found() {
    let faults = faults(Wrong::Energy);
    let named = |fault: &SystemFault| matches!(fault, SystemFault::Energy { .. });
    assert!(faults.iter().any(named), "{faults:?}");
}

/// A unit mass on a circle in a moving frame, which states functions together as well.
#[derive(Clone, Copy)]
struct Together {
    offered: bool,
    /// Added to ∂g/∂y there.
    mistake: f64,
    /// The constraint at velocity level is written beside its Jacobian only.
    forgets: bool,
}

impl Together {
    const RIGHT: Self = Self {
        offered: true,
        mistake: 0.0,
        forgets: false,
    };
}

impl Model for Together {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, -0.8],
            v: vec![0.4, 0.3],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.v[1] * 0.2;
        force[1] = at.v[0] * -0.2 - 9.81;
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
    fn at_point(&self, at: &Point, wanted: &mut Wanted<MatrixMut<f64>>) -> Derivative {
        if !self.offered {
            return Derivative::Automatic;
        }
        if let Some(mass) = &mut wanted.mass {
            (mass[(0, 0)], mass[(1, 1)]) = (1.0, 1.0);
        }
        if let Some(force) = &mut wanted.rates {
            (force[0], force[1]) = (0.2 * at.v[1], -0.2 * at.v[0] - 9.81);
        }
        if let Some(jacobian) = &mut wanted.jacobian {
            (jacobian[(0, 0)], jacobian[(0, 1)]) = (at.q[0], at.q[1] + self.mistake);
        }
        let forgets = self.forgets && wanted.jacobian.is_none();
        if let Some(rows) = wanted.velocity_constraint.as_mut().filter(|_| !forgets) {
            rows[0] = at.q[0] * at.v[0] + at.q[1] * at.v[1];
        }
        if let Some(bias) = &mut wanted.acceleration_bias {
            bias[0] = at.v[0] * at.v[0] + at.v[1] * at.v[1];
        }
        Derivative::Analytic
    }
}

#[test]
fn functions_at_one_point_are_those_by_themselves() {
    let faults = |model: Together| {
        let mut system = Automatic::new(model);
        let state = system.initial_state();
        check_system(&mut system, &state).expect("evaluated").faults
    };
    assert_eq!(faults(Together::RIGHT), []);
    let found = faults(Together {
        mistake: 1e-3,
        ..Together::RIGHT
    });
    let named = |fault: &SystemFault| {
        matches!(
            fault,
            SystemFault::AtPoint {
                function: "constraint Jacobian",
                place: 1,
                ..
            }
        )
    };
    assert!(found.iter().any(named), "{found:?}");
    let found = faults(Together {
        forgets: true,
        ..Together::RIGHT
    });
    let named = |fault: &SystemFault| {
        matches!(
            fault,
            SystemFault::AtPoint {
                function: "constraint at velocity level",
                ..
            }
        )
    };
    assert!(found.iter().any(named), "{found:?}");
}

#[test]
fn methods_take_the_same_steps_whether_functions_are_offered_together() {
    for name in ["hem5", "phem56", "dopri5", "extrapolation", "radau5", "bdf"] {
        let method = MethodRegistry::standard()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let ends = [true, false].map(|offered| {
            let mut system = Automatic::new(Together {
                offered,
                ..Together::RIGHT
            });
            let run = solve(
                &mut system,
                method.as_ref(),
                &Options::adaptive(1.0, 1e-7, 1e-7),
            );
            let run = run.expect("arrives");
            (
                run.statistics.accepted,
                run.statistics.evaluations,
                run.state.q,
            )
        });
        assert_eq!(ends[0].0, ends[1].0, "{name}");
        assert_eq!(ends[0].1, ends[1].1, "{name}");
        for (together, alone) in ends[0].2.iter().zip(&ends[1].2) {
            assert!((together - alone).abs() < 1e-12, "{name}");
        }
    }
}
