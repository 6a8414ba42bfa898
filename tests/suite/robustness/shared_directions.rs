//! Derivatives of a model's balance whose coordinates share directions, and of models that state less than they should.

use super::stated_model_balance::{Bead, Mistake, Top};
use crate::common::{HeavyTop, TopGroup};
use liedae::linalg::Pattern;
use liedae::prelude::*;
use liedae::system::{Derivative, Layout, ModelBalance, SystemFault, check_system};

/// Two copies of a model side by side, which know nothing of each other.
struct Twice<M>(M);

impl<M: Model> Twice<M> {
    fn half<S>(all: &[S], copy: usize) -> &[S] {
        let half = all.len() / 2;
        &all[copy * half..][..half]
    }
    fn part<'a, S: Scalar>(at: &Point<'a, S>, copy: usize) -> Point<'a, S> {
        Point {
            t: at.t,
            q: Self::half(at.q, copy),
            v: Self::half(at.v, copy),
            lambda: Self::half(at.lambda, copy),
            ..*at
        }
    }
    /// Calls with each copy and its part of what is written.
    fn each<'a, S: Scalar>(
        &self,
        at: &Point<'a, S>,
        out: &mut [S],
        mut call: impl FnMut(&M, &Point<'a, S>, &mut [S]),
    ) {
        let half = out.len() / 2;
        for (copy, out) in out.chunks_mut(half).enumerate() {
            call(&self.0, &Self::part(at, copy), out);
        }
    }
}

impl<M: Model> Model for Twice<M> {
    fn layout(&self) -> Layout {
        let one = self.0.layout();
        let factors = one.space.factors();
        let space = Manifold::new(factors.iter().chain(factors).copied());
        let twice = |pattern: &Pattern| {
            let (rows, columns) = (pattern.rows(), pattern.cols());
            let both = [0, 1].into_iter().flat_map(|copy| {
                let shifted = move |(row, column, _)| (row + copy * rows, column + copy * columns);
                pattern.iter().map(shifted)
            });
            Pattern::from_entries(2 * rows, 2 * columns, both).expect("inside")
        };
        Layout {
            mass: twice(&one.mass),
            jacobian: twice(&one.jacobian),
            rates: twice(&one.rates),
            ..Layout::dense(space).with_position_rows(2 * one.rows())
        }
    }
    fn initial_state(&self) -> State {
        let one = self.0.initial_state();
        State {
            q: [&one.q[..], &one.q].concat(),
            v: [&one.v[..], &one.v].concat(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let n = at.v.len() / 2;
        for copy in 0..2 {
            let mut values = vec![S::constant(0.0); n * n];
            (self.0).mass_matrix(&Self::part(at, copy), &mut MatrixMut::new(n, &mut values));
            for (place, value) in values.into_iter().enumerate() {
                mass[(copy * n + place / n, copy * n + place % n)] = value;
            }
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.each(at, force, |one, at, force| one.force(at, force));
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.each(at, g, |one, at, g| one.position_constraint(at, g));
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        let second = |all: &Option<&mut [S]>| all.as_ref().map_or(0, |rows| rows.len() / 2);
        let rows = second(&out.position)
            .max(second(&out.velocity))
            .max(second(&out.acceleration));
        let mut given = Derivative::Analytic;
        for copy in 0..2 {
            let n = a.len() / 2;
            let part = |rows_at: usize| copy * rows_at..(copy + 1) * rows_at;
            let mut one = ModelBalance {
                forces: &mut out.forces[part(n)],
                position: out.position.as_deref_mut().map(|all| &mut all[part(rows)]),
                velocity: out.velocity.as_deref_mut().map(|all| &mut all[part(rows)]),
                acceleration: out
                    .acceleration
                    .as_deref_mut()
                    .map(|all| &mut all[part(rows)]),
            };
            given = (self.0).balance(&Self::part(at, copy), Self::half(a, copy), &mut one);
            if given != Derivative::Analytic {
                break;
            }
        }
        given
    }
}

#[test]
fn rotations_that_share_directions_have_the_derivatives_of_their_parts() {
    let mut system = Automatic::new(Twice(Top {
        top: HeavyTop(TopGroup::Matrix),
        stated: true,
    }));
    let mut state = system.initial_state();
    let space = system.layout().space.clone();
    let start = state.q.clone();
    let turns: Vec<f64> = (0..12).map(|k| 0.7 - 0.13 * k as f64).collect();
    space.retract(&start, &turns, &mut state.q);
    let found = check_system(&mut system, &state).expect("evaluated").faults;
    let together = |fault: &&SystemFault| matches!(fault, SystemFault::AtPoint { .. });
    assert_eq!(found.iter().find(together), None);
}

/// A bead that states rows at acceleration level together with those at velocity level only.
struct Picky(Bead);

impl Model for Picky {
    fn layout(&self) -> Layout {
        self.0.layout()
    }
    fn initial_state(&self) -> State {
        self.0.initial_state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        self.0.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.0.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.0.position_constraint(at, g);
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        if out.acceleration.is_some() && out.velocity.is_none() {
            return Derivative::Automatic;
        }
        self.0.balance(at, a, out)
    }
}

#[test]
fn rows_that_are_stated_with_others_only_lose_no_derivative() {
    let mut system = Automatic::new(Picky(Bead {
        stated: true,
        mistake: Mistake::None,
    }));
    let state = system.initial_state();
    let found = check_system(&mut system, &state).expect("evaluated").faults;
    assert_eq!(found, []);
}

/// A mass that is scheduled by a coordinate which no pattern names in its row.
struct Scheduled;

impl Model for Scheduled {
    fn layout(&self) -> Layout {
        Layout {
            mass: Pattern::diagonal(2),
            rates: Pattern::diagonal(2),
            ..Layout::dense(Manifold::euclidean(2))
        }
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.3, 0.4],
            v: vec![0.0, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = at.q[0] + 1.0;
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = -at.q[0];
        force[1] = -at.q[1];
    }
    fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
        out.forces[0] = -at.q[0] - a[0];
        out.forces[1] = -at.q[1] - (at.q[0] + 1.0) * a[1];
        Derivative::Analytic
    }
}

#[test]
fn a_coordinate_that_no_pattern_names_is_found() {
    let mut system = Automatic::new(Scheduled);
    let state = system.initial_state();
    let found = check_system(&mut system, &state).expect("evaluated").faults;
    let expected = "derivative of the balance of forces by q";
    let is_it = |fault: &SystemFault| matches!(fault, SystemFault::AtPoint { function, .. } if *function == expected);
    assert!(found.iter().any(is_it), "{found:?}");
}
