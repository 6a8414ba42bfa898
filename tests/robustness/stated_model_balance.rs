//! Models that state the balance of forces and their constraint rows together.

use super::common::{HeavyTop, TopGroup};
use liedae::integrator::{Integrator, NewtonOptions, Radau5};
use liedae::prelude::*;
use liedae::system::{Derivative, Formulation, Layout, ModelBalance, SystemFault, check_system};

/// What is wrong with a balance.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mistake {
    None,
    Forces,
    Position,
    Velocity,
    Acceleration,
    /// Values are right, derivatives by q are not.
    Slope,
    /// Nor those by v.
    Damping,
}

/// A bead on a circle, whose mass changes along it and couples both axes, with friction that depends on the place.
struct Bead {
    stated: bool,
    mistake: Mistake,
}

impl Bead {
    fn masses<S: Scalar>(&self, q: &[S]) -> [S; 3] {
        [
            q[0] * q[0] + 1.0,
            q[0] * q[1] * 0.3,
            S::constant(2.0) + q[1],
        ]
    }
}

impl Model for Bead {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, -0.8],
            v: vec![0.8, 0.6],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let [first, coupling, second] = self.masses(at.q);
        mass[(0, 0)] = first;
        mass[(0, 1)] = coupling;
        mass[(1, 0)] = coupling;
        mass[(1, 1)] = second;
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = -at.v[0] * at.q[1] * at.q[1];
        force[1] = at.v[0] * at.v[1] * -0.1 - 9.81;
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        if !self.stated {
            return Derivative::Automatic;
        }
        let wrong = |mistake: Mistake| if self.mistake == mistake { 1e-3 } else { 0.0 };
        let fixed = |number: S, mistake: Mistake| {
            if self.mistake == mistake {
                S::constant(number.value())
            } else {
                number
            }
        };
        let ([x, y], [v, w]) = ([at.q[0], at.q[1]], [at.v[0], at.v[1]]);
        let [first, coupling, second] = self.masses(at.q);
        let x_of_pull = fixed(x, Mistake::Slope);
        out.forces[0] = -v * y * y + x_of_pull * at.lambda[0] - first * a[0] - coupling * a[1];
        out.forces[1] = fixed(v, Mistake::Damping) * w * -0.1 - 9.81 + y * at.lambda[0]
            - coupling * a[0]
            - second * a[1]
            + wrong(Mistake::Forces);
        if let Some(rows) = &mut out.position {
            rows[0] = (x * x + y * y - 1.0) * 0.5 + wrong(Mistake::Position);
        }
        if let Some(rows) = &mut out.velocity {
            rows[0] = x * v + y * w + wrong(Mistake::Velocity);
        }
        if let Some(rows) = &mut out.acceleration {
            rows[0] = x * a[0] + y * a[1] + v * v + w * w + wrong(Mistake::Acceleration);
        }
        Derivative::Analytic
    }
}

/// The heavy top, with a balance or without.
struct Top {
    top: HeavyTop,
    stated: bool,
}

impl Model for Top {
    fn layout(&self) -> Layout {
        self.top.layout()
    }
    fn initial_state(&self) -> State {
        self.top.initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        self.top.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.top.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.top.position_constraint(at, g);
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        if !self.stated {
            return Derivative::Automatic;
        }
        let column = |axis: usize| [at.q[3 + axis], at.q[6 + axis], at.q[9 + axis]];
        let product = |a: [S; 3], b: &[S]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let omega = &at.v[3..];
        self.top.force(at, out.forces);
        for axis in 0..3 {
            out.forces[axis] += at.lambda[axis] - a[axis] * HeavyTop::MASS;
            out.forces[3 + axis] -= a[3 + axis] * HeavyTop::INERTIA[axis];
        }
        // Gᵀ λ of x - R e turns by (Rᵀ λ) × e, where e is the second axis.
        out.forces[3] -= product(column(2), at.lambda);
        out.forces[5] += product(column(0), at.lambda);
        if let Some(rows) = &mut out.position {
            self.top.position_constraint(at, rows);
        }
        let [first, second, third] = [0, 1, 2].map(column);
        if let Some(rows) = &mut out.velocity {
            for axis in 0..3 {
                // ω × e = (-ω_z, 0, ω_x).
                rows[axis] = at.v[axis] + first[axis] * omega[2] - third[axis] * omega[0];
            }
        }
        if let Some(rows) = &mut out.acceleration {
            for axis in 0..3 {
                let turned = first[axis] * a[5] - third[axis] * a[3];
                // ω × (ω × e) = ω_y ω - ω² e.
                let drawn = first[axis] * omega[0] * omega[1] + third[axis] * omega[2] * omega[1]
                    - second[axis] * (omega[0] * omega[0] + omega[2] * omega[2]);
                rows[axis] = a[axis] + turned - drawn;
            }
        }
        Derivative::Analytic
    }
}

#[test]
fn a_wrong_balance_of_a_model_is_found() {
    let faults = |mistake: Mistake| {
        let mut system = Automatic::new(Bead {
            stated: true,
            mistake,
        });
        let state = system.initial_state();
        check_system(&mut system, &state).expect("evaluated").faults
    };
    assert_eq!(faults(Mistake::None), []);
    for (mistake, expected) in [
        (Mistake::Forces, "balance of forces"),
        (Mistake::Position, "position constraint"),
        (Mistake::Velocity, "constraint at velocity level"),
        (Mistake::Acceleration, "constraint at acceleration level"),
        (Mistake::Slope, "derivative of the balance of forces by q"),
        (Mistake::Damping, "derivative of the force by v"),
    ] {
        let found = faults(mistake);
        let is_it = |fault: &SystemFault| matches!(fault, SystemFault::AtPoint { function, .. } if *function == expected);
        assert!(found.iter().any(is_it), "{expected}: {found:?}");
    }
}

#[test]
fn a_balance_on_a_group_is_that_of_its_parts() {
    let mut system = Automatic::new(Top {
        top: HeavyTop(TopGroup::Matrix),
        stated: true,
    });
    // Turned, so that no entry of the rotation is zero.
    let mut state = system.initial_state();
    let space = system.layout().space.clone();
    let start = state.q.clone();
    space.retract(&start, &[0.1, -0.2, 0.3, 0.4, 0.5, -0.6], &mut state.q);
    let found = check_system(&mut system, &state).expect("evaluated").faults;
    let together = |fault: &&SystemFault| matches!(fault, SystemFault::AtPoint { .. });
    assert_eq!(found.iter().find(together), None);
}

/// Steps, iterations, and where they lead.
fn run(
    model: impl Model,
    method: &dyn Integrator,
    t_end: f64,
) -> (usize, usize, Vec<f64>, Vec<f64>) {
    let options = Options::adaptive(t_end, 1e-8, 1e-8);
    let run = solve(&mut Automatic::new(model), method, &options).expect("arrives");
    let work = &run.statistics.work;
    (
        run.statistics.accepted,
        work.newton_iterations,
        run.state.q,
        run.state.lambda,
    )
}

#[test]
fn methods_find_the_same_with_the_balance_of_a_model_and_without() {
    let newton = NewtonOptions::default();
    for formulation in [
        Formulation::Index1,
        Formulation::Index2,
        Formulation::Index3,
        Formulation::StabilizedIndex2,
        Formulation::Baumgarte {
            alpha: 20.0,
            beta: 20.0,
        },
    ] {
        let method = Radau5::new(Some(formulation), newton);
        let beads = [true, false].map(|stated| {
            let mistake = Mistake::None;
            run(Bead { stated, mistake }, &method, 1.0)
        });
        let tops = [true, false].map(|stated| {
            let top = HeavyTop(TopGroup::Matrix);
            run(Top { top, stated }, &method, 0.01)
        });
        for [with, without] in [beads, tops] {
            assert_eq!(with.0, without.0, "{formulation:?}: steps");
            let iterations = with.1.abs_diff(without.1);
            assert!(
                iterations * 50 <= without.1,
                "{formulation:?}: {} and {}",
                with.1,
                without.1
            );
            for (a, b) in with.2.iter().zip(&without.2) {
                assert!((a - b).abs() < 1e-10, "{formulation:?}: {a} and {b}");
            }
            for (a, b) in with.3.iter().zip(&without.3) {
                let size = 1.0 + b.abs();
                assert!((a - b).abs() < 1e-5 * size, "{formulation:?}: {a} and {b}");
            }
        }
    }
}
