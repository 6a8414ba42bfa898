//! Derivatives of the rates that a model states itself: taken as they are, and compared with differences by the check of systems.

use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Automatic, Derivative, FirstOrder, FirstOrderModel, Layout, MatrixMut, Model, Point,
    RatesJacobian, State, System, check_system,
};

/// Two masses on a line: a spring that depends on a differential state, drag, and a state that follows.
struct Masses {
    states_derivatives: bool,
    /// What is wrong with them.
    error: f64,
    sparse: bool,
}

impl Model for Masses {
    fn layout(&self) -> Layout {
        let mut layout = Layout::dense(Manifold::euclidean(2)).with_differential_states(1);
        if self.sparse {
            let entries = [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)];
            layout.rates = Pattern::from_entries(3, 3, entries).expect("within the matrix");
        }
        layout
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.3, -0.7],
            v: vec![1.1, 0.4],
            x: vec![0.9],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..2 {
            mass[(axis, axis)] = S::constant(1.0);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = -(at.q[0] * at.x[0]) - at.v[0] * at.v[0];
        force[1] = at.q[1].sin() - at.v[1] * 3.0;
    }

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.q[0] * 2.0 - at.x[0] * at.x[0] + at.v[0];
    }

    fn rates_jacobian(
        &self,
        at: &Point,
        by_position: &mut MatrixMut<f64>,
        by_velocity: &mut MatrixMut<f64>,
    ) -> Derivative {
        if !self.states_derivatives {
            return Derivative::Automatic;
        }
        by_position[(0, 0)] = -at.x[0] + self.error;
        by_position[(0, 2)] = -at.q[0];
        by_position[(1, 1)] = at.q[1].cos();
        by_position[(2, 0)] = 2.0;
        by_position[(2, 2)] = -2.0 * at.x[0];
        by_velocity[(0, 0)] = -2.0 * at.v[0];
        by_velocity[(1, 1)] = -3.0;
        by_velocity[(2, 0)] = 1.0;
        if self.sparse {
            // There is no place for it.
            by_position[(1, 0)] = f64::NAN;
        }
        Derivative::Analytic
    }
}

fn derivatives(model: Masses) -> RatesJacobian {
    let mut system = Automatic::new(model);
    let state = system.initial_state();
    let mut found = RatesJacobian::new(system.layout());
    // What is left from another point does not matter.
    found.by_position.fill(f64::NAN);
    found.by_velocity.fill(f64::NAN);
    for _ in 0..2 {
        (system.rates_jacobian(&state.point(), &mut found)).expect("derivatives");
    }
    found
}

#[test]
fn they_are_those_of_automatic_differentiation() {
    for sparse in [false, true] {
        let of = |states_derivatives| {
            derivatives(Masses {
                states_derivatives,
                error: 0.0,
                sparse,
            })
        };
        let (stated, automatic) = (of(true), of(false));
        let pairs = [
            (&stated.by_position, &automatic.by_position),
            (&stated.by_velocity, &automatic.by_velocity),
        ];
        for (stated, automatic) in pairs {
            for (stated, automatic) in stated.iter().zip(automatic) {
                approx::assert_relative_eq!(stated, automatic, max_relative = 1e-15);
            }
        }
    }
}

#[test]
fn the_check_of_systems_finds_what_is_wrong() {
    for (error, faults) in [(0.0, 0), (1e-3, 1)] {
        let mut system = Automatic::new(Masses {
            states_derivatives: true,
            error,
            sparse: true,
        });
        let state = system.initial_state();
        let report = check_system(&mut system, &state).expect("checked");
        assert_eq!(report.faults.len(), faults, "{:?}", report.faults);
    }
}

/// x' = -x², with a derivative or without; at zero always without.
struct Decay(bool);

impl FirstOrderModel for Decay {
    fn dimension(&self) -> usize {
        1
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![2.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = -(y[0] * y[0]);
    }

    fn rate_jacobian(&self, _t: f64, y: &[f64], jacobian: &mut MatrixMut<f64>) -> Derivative {
        if self.0 && y[0] != 0.0 {
            jacobian[(0, 0)] = -2.0 * y[0];
            Derivative::Analytic
        } else {
            Derivative::Automatic
        }
    }
}

#[test]
fn systems_of_first_order_hand_theirs_on() {
    for stated in [true, false] {
        let mut system = Automatic::new(FirstOrder::new(Decay(stated)).expect("well stated"));
        let state = system.initial_state();
        let mut found = RatesJacobian::new(system.layout());
        (system.rates_jacobian(&state.point(), &mut found)).expect("derivatives");
        assert_eq!(found.by_position, [-4.0]);
        let report = check_system(&mut system, &state).expect("checked");
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
}

/// A model is asked at every point: what it does not state at one of them says nothing about the others.
#[test]
fn derivatives_may_be_stated_at_some_points_only() {
    let mut system = Automatic::new(FirstOrder::new(Decay(true)).expect("well stated"));
    let mut found = RatesJacobian::new(system.layout());
    let mut state = system.initial_state();
    for (x, expected) in [(0.0, 0.0), (3.0, -6.0), (0.0, 0.0)] {
        state.x[0] = x;
        (system.rates_jacobian(&state.point(), &mut found)).expect("derivatives");
        assert_eq!(found.by_position, [expected]);
    }
}

/// A line of reservoirs, each of which leaks into the next one.
struct Reservoirs(usize);

impl FirstOrderModel for Reservoirs {
    fn dimension(&self) -> usize {
        self.0
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![1.0; self.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        for i in 0..self.0 {
            rate[i] = -y[i];
            if i > 0 {
                rate[i] += y[i - 1];
            }
        }
    }

    fn dependencies(&self) -> Option<Vec<(usize, usize)>> {
        let next = |i: usize| i.checked_sub(1).map(|before| (i, before));
        Some(
            (0..self.0)
                .flat_map(|i| [Some((i, i)), next(i)])
                .flatten()
                .collect(),
        )
    }
}

/// Memory for dense matrices of this size would be 160 GB.
#[test]
fn large_sparse_systems_need_no_dense_matrices() {
    let mut system = Automatic::new(FirstOrder::new(Reservoirs(100_000)).expect("well stated"));
    let state = system.initial_state();
    let mut found = RatesJacobian::new(system.layout());
    (system.rates_jacobian(&state.point(), &mut found)).expect("derivatives");
    assert_eq!(found.by_position[..3], [-1.0, 1.0, -1.0]);
}
