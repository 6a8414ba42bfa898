//! Models that state the balance of forces and their constraint rows together.

use crate::common::{HeavyTop, TopGroup};
use liedae::integrator::{Bdf, Integrator, NewtonOptions, Radau5};
use liedae::linalg::Pattern;
use liedae::prelude::*;
use liedae::solve::Solution;
use liedae::system::{
    Balance, Derivative, Formulation, Layout, ModelBalance, SystemFault, check_system,
};

/// What is wrong with a balance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mistake {
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
pub(super) struct Bead {
    pub stated: bool,
    pub mistake: Mistake,
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
pub(super) struct Top {
    pub top: HeavyTop,
    pub stated: bool,
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
    let (mut forces, at) = (vec![0.0; 6], state.point());
    let mut wanted = Balance {
        forces: Some(&mut forces),
        ..Balance::default()
    };
    let offered = system.balance(&at, &state.acceleration, &mut wanted);
    assert!(offered.expect("finite"));
    let found = check_system(&mut system, &state).expect("evaluated").faults;
    let together = |fault: &&SystemFault| matches!(fault, SystemFault::AtPoint { .. });
    assert_eq!(found.iter().find(together), None);
}

/// Five beads, each on a circle that grows with time: a sparse Jacobian, and rows that depend on t.
struct Growing {
    /// Whether patterns name all coordinates in each row: derivatives take more directions than one sweep has.
    dense: bool,
    /// Whether rows at acceleration level are stated, too.
    accelerations: bool,
    mistake: Mistake,
}

impl Growing {
    const BEADS: usize = 5;
    const GROWTH: f64 = 0.1;

    fn radius<S: Scalar>(t: S) -> S {
        t * Self::GROWTH + 1.0
    }
}

impl Model for Growing {
    fn layout(&self) -> Layout {
        let all =
            Layout::dense(Manifold::euclidean(2 * Self::BEADS)).with_position_rows(Self::BEADS);
        if self.dense {
            return all;
        }
        let pairs = |width: usize| {
            let entries = (0..Self::BEADS).flat_map(move |bead| {
                let rows = (width * bead)..(width * (bead + 1));
                rows.flat_map(move |row| [(row, 2 * bead), (row, 2 * bead + 1)])
            });
            Pattern::from_entries(width * Self::BEADS, 2 * Self::BEADS, entries)
        };
        Layout {
            jacobian: pairs(1).expect("inside"),
            rates: pairs(2).expect("inside"),
            mass: Pattern::diagonal(2 * Self::BEADS),
            ..all
        }
    }
    fn initial_state(&self) -> State {
        let turned = |bead: usize| (0.3 * bead as f64).sin_cos();
        State {
            q: (0..Self::BEADS)
                .flat_map(|bead| [turned(bead).0, turned(bead).1])
                .collect(),
            v: (0..Self::BEADS)
                .flat_map(|bead| {
                    let (sin, cos) = turned(bead);
                    [Self::GROWTH * sin + cos, Self::GROWTH * cos - sin]
                })
                .collect(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..2 * Self::BEADS {
            mass[(axis, axis)] = at.q[axis] * at.q[axis] + 1.0;
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for bead in 0..Self::BEADS {
            let (x, y) = (2 * bead, 2 * bead + 1);
            force[x] = at.v[y] * at.q[x] * -0.2;
            force[y] = at.v[x] * at.v[y] * 0.1 - 9.81;
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let radius = Self::radius(at.t);
        for (g, place) in g.iter_mut().zip(at.q.chunks(2)) {
            *g = (place[0] * place[0] + place[1] * place[1] - radius * radius) * 0.5;
        }
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        if out.acceleration.is_some() && !self.accelerations {
            return Derivative::Automatic;
        }
        let wrong = |mistake: Mistake| if self.mistake == mistake { 1e-3 } else { 0.0 };
        self.force(at, out.forces);
        for (axis, (force, a)) in out.forces.iter_mut().zip(a).enumerate() {
            let place = at.q[axis];
            *force += place * at.lambda[axis / 2] - (place * place + 1.0) * *a;
        }
        if let Some(rows) = &mut out.position {
            self.position_constraint(at, rows);
        }
        let product = |first: &[S], second: &[S]| first[0] * second[0] + first[1] * second[1];
        let places = at.q.chunks(2).zip(at.v.chunks(2)).zip(a.chunks(2));
        for (bead, ((q, v), a)) in places.enumerate() {
            if let Some(rows) = &mut out.velocity {
                rows[bead] =
                    product(q, v) - Self::radius(at.t) * Self::GROWTH + wrong(Mistake::Velocity);
            }
            if let Some(rows) = &mut out.acceleration {
                rows[bead] = product(q, a) + product(v, v) - Self::GROWTH * Self::GROWTH;
            }
        }
        Derivative::Analytic
    }
}

#[test]
fn a_balance_of_many_coordinates_and_of_time_is_that_of_its_parts() {
    let faults = |dense: bool, accelerations: bool, mistake: Mistake| {
        let mut system = Automatic::new(Growing {
            dense,
            accelerations,
            mistake,
        });
        let state = State {
            t: 0.7,
            ..system.initial_state()
        };
        let found = check_system(&mut system, &state).expect("evaluated").faults;
        let together = |fault: &SystemFault| matches!(fault, SystemFault::AtPoint { .. });
        found.into_iter().filter(together).count()
    };
    for dense in [false, true] {
        for accelerations in [true, false] {
            assert_eq!(faults(dense, accelerations, Mistake::None), 0);
            // Found also where not all rows are stated.
            assert!(faults(dense, accelerations, Mistake::Velocity) > 0);
        }
    }
}

#[test]
fn what_a_model_does_not_state_leaves_what_it_states() {
    let mut system = Automatic::new(Growing {
        dense: false,
        accelerations: false,
        mistake: Mistake::None,
    });
    let state = system.initial_state();
    let (mut forces, mut rows) = (vec![0.0; 10], vec![0.0; 5]);
    for (of_acceleration, offered) in [(false, true), (true, false), (false, true)] {
        let mut wanted = Balance {
            forces: Some(&mut forces),
            ..Balance::default()
        };
        if of_acceleration {
            wanted.acceleration = Some(&mut rows);
        } else {
            wanted.velocity = Some(&mut rows);
        }
        let answer = system.balance(&state.point(), &state.acceleration, &mut wanted);
        assert_eq!(answer.expect("finite"), offered);
    }
}

/// A solution of a model.
fn run(model: impl Model, method: &dyn Integrator, options: &Options) -> Solution {
    solve(&mut Automatic::new(model), method, options).expect("arrives")
}

/// Two solutions that should be the same but for round-off, the first one by a balance in place of masses.
fn compare(what: &str, [with, without]: [Solution; 2]) {
    let steps = |run: &Solution| run.statistics.accepted;
    assert_eq!(steps(&with), steps(&without), "{what}: steps");
    let masses = |run: &Solution| run.statistics.evaluations.mass;
    assert!(
        // At least those of new matrices are left.
        3 * masses(&with) < 2 * masses(&without),
        "{what}: {} and {} masses",
        masses(&with),
        masses(&without)
    );
    let iterations = |run: &Solution| run.statistics.work.newton_iterations;
    let (with_it, without_it) = (iterations(&with), iterations(&without));
    assert!(
        with_it.abs_diff(without_it) * 50 <= without_it,
        "{what}: {with_it} and {without_it} iterations"
    );
    for (a, b) in with.state.q.iter().zip(&without.state.q) {
        assert!((a - b).abs() < 1e-9, "{what}: {a} and {b}");
    }
    for (a, b) in with.state.lambda.iter().zip(&without.state.lambda) {
        assert!(
            (a - b).abs() < 1e-5 * (1.0 + b.abs()),
            "{what}: {a} and {b}"
        );
    }
}

#[test]
fn methods_find_the_same_with_the_balance_of_a_model_and_without() {
    let newton = NewtonOptions::default();
    for formulation in [
        Formulation::Index1,
        Formulation::Index2,
        Formulation::Index3,
        Formulation::Baumgarte {
            alpha: 20.0,
            beta: 20.0,
        },
    ] {
        let method = Radau5::new(Some(formulation), newton);
        let beads = [true, false].map(|stated| {
            let mistake = Mistake::None;
            let options = Options::adaptive(1.0, 1e-8, 1e-8);
            run(Bead { stated, mistake }, &method, &options)
        });
        compare(&format!("bead, {formulation}"), beads);
        let tops = [true, false].map(|stated| {
            let top = HeavyTop(TopGroup::Matrix);
            let options = Options::adaptive(0.01, 1e-8, 1e-8);
            run(Top { top, stated }, &method, &options)
        });
        compare(&format!("top, {formulation}"), tops);
    }
    let bdf = Bdf::new(Some(Formulation::Index2), newton);
    let [backward_euler, generalized_alpha] = ["backward-euler", "generalized-alpha"].map(|name| {
        let method = MethodRegistry::standard().build(name, &MethodOptions::default());
        method.expect("registered")
    });
    let others: [(&str, &dyn Integrator, Options); 3] = [
        ("bdf", &bdf, Options::adaptive(1.0, 1e-8, 1e-8)),
        (
            "backward Euler",
            backward_euler.as_ref(),
            Options::fixed(0.3, 1e-3),
        ),
        (
            "generalized-alpha",
            generalized_alpha.as_ref(),
            Options::fixed(0.3, 1e-3),
        ),
    ];
    for (name, method, options) in others {
        let beads = [true, false].map(|stated| {
            let mistake = Mistake::None;
            run(Bead { stated, mistake }, method, &options)
        });
        compare(name, beads);
    }
}
