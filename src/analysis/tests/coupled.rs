//! Systems whose forces come from differential states and algebraic variables.

use super::{assert_close, frequencies};
use crate::analysis::*;
use crate::linalg::Pattern;
use crate::manifold::Manifold;
use crate::scalar::Scalar;
use crate::system::{Automatic, Evaluator, Layout, MatrixMut, Model, Point, State, System};

/// A mass of 2 kg on a spring of 5 N/m, held by a force z that a first-order filter ξ of its velocity has a part in:
///
/// ```text
/// 2 v' = load - 5 q - z,   0.5 ξ' = v - ξ,   0 = 2 z - 5 ξ - 4 v
/// ```
///
/// Its characteristic polynomial is (2 s² + 2 s + 5) (1 + s/2) + 5/2 s = s³ + 3 s² + 7 s + 5 = (s + 1) (s² + 2 s + 5).
struct Filtered {
    load: f64,
    /// Whether 0.5 ξ' is stated with 0.5 as E.
    descriptor: bool,
}

const LAG: f64 = 0.5;

impl Model for Filtered {
    fn layout(&self) -> Layout {
        let layout = Layout::dense(Manifold::euclidean(1))
            .with_differential_states(1)
            .with_algebraic_variables(1);
        if self.descriptor {
            Layout {
                descriptor: Some((Pattern::diagonal(1), vec![LAG])),
                ..layout
            }
        } else {
            layout
        }
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(2.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0] * -5.0 - at.z[0] + self.load;
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        let scale = if self.descriptor { 1.0 } else { 1.0 / LAG };
        rate[0] = (at.v[0] - at.x[0]) * scale;
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = at.z[0] * 2.0 - at.x[0] * 5.0 - at.v[0] * 4.0;
    }
}

#[test]
fn a_filter_takes_part_in_the_eigenvalues() {
    for descriptor in [false, true] {
        let mut filtered = Automatic::new(Filtered {
            load: 0.0,
            descriptor,
        });
        let state = filtered.initial_state();
        let small = linearize(&mut Evaluator::new(&mut filtered), &state, None).expect("at rest");
        assert_eq!((small.freedom, small.matrix().len()), (1, 3));
        let modes = small.modes().expect("modes");
        let found: Vec<f64> = modes
            .iter()
            .flat_map(|mode| [mode.eigenvalue.re, mode.eigenvalue.im])
            .collect();
        assert_close(&found, &[-1.0, 0.0, -1.0, 2.0], 1e-12);
    }
}

#[test]
fn a_filtered_mass_rests_where_its_spring_holds_the_load() {
    for descriptor in [false, true] {
        let mut filtered = Automatic::new(Filtered {
            load: 3.0,
            descriptor,
        });
        let mut start = filtered.initial_state();
        (start.q[0], start.x[0], start.z[0]) = (-1.0, 2.0, 4.0);
        let mut system = Evaluator::new(&mut filtered);
        let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
        let state = rest.expect("rest").state;
        assert_close(
            &[state.q[0], state.x[0], state.z[0]],
            &[0.6, 0.0, 0.0],
            1e-10,
        );
    }
}

/// A mass on the parabola y = κ x²/2, pulled back by a spring along x and pushed along x by α times the reaction.
struct Pushed;

const MASS: f64 = 2.0;
const CURVATURE: f64 = 0.5;
const STIFFNESS: f64 = 7.0;
const PART: f64 = 0.3;
const WEIGHT: f64 = MASS * 9.81;

impl Model for Pushed {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
            .with_position_rows(1)
            .with_algebraic_variables(1)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..2 {
            mass[(i, i)] = S::constant(MASS);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.z[0] - at.q[0] * STIFFNESS;
        force[1] = S::constant(-WEIGHT);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[1] - at.q[0] * at.q[0] * (0.5 * CURVATURE);
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = at.z[0] - at.lambda[0] * PART;
    }
}

#[test]
fn forces_that_follow_reactions_move_the_equilibrium_and_the_frequency() {
    let mut pushed = Automatic::new(Pushed);
    let start = pushed.initial_state();
    let mut system = Evaluator::new(&mut pushed);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    let rest = rest.expect("rest").state;
    // At rest λ = m g, and (k + κ λ) x = α λ along x.
    let steep = STIFFNESS + CURVATURE * WEIGHT;
    let place = PART * WEIGHT / steep;
    assert_close(
        &[rest.q[0], rest.lambda[0], rest.z[0]],
        &[place, WEIGHT, PART * WEIGHT],
        1e-9,
    );
    // δλ = m κ x δx'', so that m (1 - (α - κ x) κ x) δx'' = -(k + κ m g) δx.
    let slope = CURVATURE * place;
    let square = steep / (MASS * (1.0 - (PART - slope) * slope));
    let modes = linearize(&mut system, &rest, None).and_then(|small| small.modes());
    assert_close(&frequencies(&modes.expect("modes")), &[square.sqrt()], 1e-9);
}

/// A wheel of 2 kg m² with a spring of 3 N m/rad that counts turns: x' = v, torque -3 (x - 10).
struct Wound;

impl Model for Wound {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1)).with_differential_states(1)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(2.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = (at.x[0] - 10.0) * -3.0;
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.v[0];
    }
}

#[test]
fn what_counts_turns_follows_the_way_to_rest() {
    let mut wound = Automatic::new(Wound);
    let start = wound.initial_state();
    let mut system = Evaluator::new(&mut wound);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    let state = rest.expect("rest").state;
    assert_close(&[state.q[0], state.x[0]], &[10.0, 10.0], 1e-9);
}

/// A mass of 2 kg that a drive lifts to t², against a weight of 6 N.
struct Lifted;

impl Model for Lifted {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(2.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-6.0);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0] - at.t * at.t;
    }
}

#[test]
fn drives_that_gather_speed_are_held_where_they_are() {
    let mut lifted = Automatic::new(Lifted);
    let start = lifted.initial_state();
    let mut system = Evaluator::new(&mut lifted);
    let rest = static_equilibrium(&mut system, &start, &EquilibriumOptions::default());
    // Not 10 N, which an acceleration of 2 m/s² would take.
    assert_close(&rest.expect("rest").state.lambda, &[6.0], 1e-12);
}

/// Two masses of 1 kg: one on a dashpot of 1e8 N s/m, one that falls off a hill, v' = 9 q.
struct Slow;

impl Model for Slow {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.v[0] * -1e8;
        force[1] = at.q[1] * 9.0;
    }
}

#[test]
fn slow_motions_beside_strong_dampers_are_seen() {
    let mut slow = Automatic::new(Slow);
    let mut state = slow.initial_state();
    // What is left of a motion does not count.
    state.v[0] = 1e-15;
    let small = linearize(&mut Evaluator::new(&mut slow), &state, None).expect("at rest");
    assert!(!small.is_stable().expect("modes"));
    let modes = small.modes().expect("modes");
    let grows = modes
        .iter()
        .any(|mode| (mode.eigenvalue.re - 3.0).abs() < 1e-6);
    assert!(grows, "{modes:?}");
}
