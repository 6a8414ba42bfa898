//! The solver of linear systems against differences of the equations themselves.

use super::form::Form;
use super::{
    AroundGrouped, GroupedPair, Linearization, Residual, ShiftedSolver, Unknowns, around_groups,
};
use crate::linalg::Pattern;
use crate::manifold::{Factor, Manifold};
use crate::scalar::Scalar;
use crate::system::{Automatic, Evaluator, Formulation, Layout, MatrixMut, Model, Point, State};
use pulp::Simd;

/// A body on R³ x SO(3) with a variable mass, position rows that depend on time, a velocity row, a differential state
/// and an algebraic variable that depends on a multiplier.
struct Everything;

impl Model for Everything {
    fn layout(&self) -> Layout {
        let factors = [Factor::Euclidean(3), Factor::Rotation];
        let mut layout = Layout::dense(Manifold::new(factors))
            .with_position_rows(2)
            .with_velocity_rows(1)
            .with_differential_states(2)
            .with_algebraic_variables(1);
        layout.blocks.variables = vec![3, 3];
        layout.blocks.rows = vec![2, 1];
        layout
    }
    fn initial_state(&self) -> State {
        let mut state = State {
            t: 0.3,
            v: vec![0.3, -0.2, 0.5, 0.7, -0.4, 0.2],
            x: vec![0.4, -0.6],
            z: vec![0.8],
            lambda: vec![0.9, -1.1, 0.6],
            acceleration: vec![0.5, 0.4, -0.3, 0.2, 0.6, -0.7],
            ..self.layout().state()
        };
        let base = state.q.clone();
        let turn = [0.2, -0.3, 0.1, 0.4, 0.2, -0.5];
        self.layout().space.retract(&base, &turn, &mut state.q);
        state
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..6 {
            mass[(axis, axis)] = S::constant(2.0 + axis as f64) + at.q[0] * at.q[5];
        }
        mass[(0, 1)] = at.q[1] * 0.3;
        mass[(1, 0)] = at.q[1] * 0.3;
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (axis, slot) in force.iter_mut().enumerate() {
            *slot = at.q[axis] * at.v[5 - axis] + at.x[0] * at.v[axis] + at.z[0] * at.q[3];
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0] * at.q[0] + at.q[4] * at.q[1] + at.t;
        g[1] = at.q[2] - at.q[7] * at.q[3] * at.t;
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        b[0] = at.v[1] * at.q[4] - at.v[3] * at.q[0] + at.v[5];
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        rate[0] = at.q[1] * at.x[1] + at.v[2] * at.z[0];
        rate[1] = at.x[0] * at.x[1] - at.q[8] * at.v[4];
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = at.z[0] * 3.0 - at.lambda[1] * at.v[0] + at.q[2] * at.x[1];
    }
}

/// Two bodies on R³ x SO(3) whose velocities are coupled in groups of one to three, with position rows and a velocity row; with a
/// translation, by its number, of this mass: rows of constraints determine it as well, two rows number 6 and one row number 7.
struct Bodies {
    light: (usize, f64),
}

/// What is coupled: translation axis by axis but for two axes, and rotations.
const GROUPS: [&[usize]; 7] = [&[0], &[1, 2], &[3, 4, 5], &[6], &[7], &[8], &[9, 10, 11]];

impl Model for Bodies {
    fn layout(&self) -> Layout {
        let [free, turned] = [Factor::Euclidean(3), Factor::Rotation];
        let mut layout =
            Layout::dense(Manifold::new([free, turned, free, turned])).with_position_rows(4);
        layout = layout.with_velocity_rows(1);
        let entries = GROUPS.iter().flat_map(|group| {
            (group.iter()).flat_map(|&row| group.iter().map(move |&column| (row, column)))
        });
        let coupled = Pattern::from_entries(12, 12, entries).expect("within bounds");
        layout.blocks.variables = vec![6, 6];
        layout.blocks.rows = vec![4, 1];
        Layout {
            mass: coupled.clone(),
            rates: coupled.clone(),
            reactions: Some(coupled),
            ..layout
        }
    }
    fn initial_state(&self) -> State {
        let numbers = |seed: usize, count: usize| -> Vec<f64> {
            (0..count)
                .map(|at| ((at * 5 + seed * 3) % 13) as f64 / 13.0 - 0.45)
                .collect()
        };
        let mut state = State {
            t: 0.2,
            v: numbers(1, 12),
            lambda: numbers(2, 5),
            acceleration: numbers(3, 12),
            ..self.layout().state()
        };
        let base = state.q.clone();
        (self.layout().space).retract(&base, &numbers(4, 12), &mut state.q);
        state
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..12 {
            mass[(axis, axis)] = S::constant(2.0 + axis as f64);
        }
        mass[(1, 2)] = at.q[1] * 0.3;
        mass[(2, 1)] = at.q[1] * 0.3;
        let (axis, light) = self.light;
        mass[(axis, axis)] = S::constant(light);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0] * at.v[0];
        force[1] = at.q[2] * at.v[1] * -3.0;
        // Gyroscopic.
        force[3] = at.v[4] * at.v[5];
        force[10] = at.v[9] * at.v[11] * 2.0;
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        // Points of both bodies, and what turns with them: the second one's rotation matrix begins at 15.
        for (axis, g) in g[..3].iter_mut().enumerate() {
            *g = at.q[axis] + at.q[3 + axis] * 0.7 - at.q[12 + axis] + at.q[15 + axis] * 0.4;
        }
        g[3] = at.q[12] * 0.8 + at.t;
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        b[0] = at.v[1] * at.q[2] + at.v[8] * 0.5 + at.v[3];
    }
}

const FORMULATIONS: [Formulation; 5] = [
    Formulation::Index3,
    Formulation::Index2,
    Formulation::StabilizedIndex2,
    Formulation::Index1,
    Formulation::Baumgarte {
        alpha: 3.0,
        beta: 2.0,
    },
];

/// Derivatives at a state, in one small matrix or without.
fn linearized(
    evaluator: &mut Evaluator,
    unknowns: &Unknowns,
    state: &State,
    small: bool,
) -> Linearization {
    let mut linearization =
        Linearization::new(evaluator.layout(), unknowns, small).expect("patterns fit");
    linearization
        .evaluate(evaluator, unknowns, &state.point(), &state.acceleration)
        .expect("finite");
    linearization
}

/// The largest entry of α B δ - ∂F/∂y δ - r, with ∂F/∂y by differences; from one small matrix or as large systems are solved.
fn defect<const P: usize>(
    model: impl Model,
    formulation: Formulation,
    alpha: [f64; P],
    small: bool,
) -> f64 {
    solved(model, formulation, alpha, small).0
}

/// The same, and whether it has been solved by groups.
fn solved<const P: usize>(
    model: impl Model,
    formulation: Formulation,
    alpha: [f64; P],
    small: bool,
) -> (f64, bool) {
    let state = model.initial_state();
    let mut system = Automatic::new(model);
    let mut evaluator = Evaluator::new(&mut system);
    let layout = evaluator.layout().clone();
    let unknowns = Unknowns::new(&layout, formulation);
    let mut solver = ShiftedSolver::<P>::new(&layout, &unknowns).expect("patterns fit");
    assert!(solver.is_small());
    let linearization = linearized(&mut evaluator, &unknowns, &state, small);
    solver
        .factor(&layout, &unknowns, &linearization, alpha)
        .expect("regular");

    let count = unknowns.len();
    let wanted = |seed: usize| -> Vec<f64> {
        (0..count)
            .map(|index| ((index * 7 + seed * 5) % 11) as f64 / 11.0 - 0.4)
            .collect()
    };
    let mut seeds = 1..;
    let mut r = [(); P].map(|()| seeds.next().map(wanted).expect("endless"));
    // Displacements of rows at the position level by 1 would need accelerations of α².
    let square: f64 = alpha.iter().map(|part| part * part).sum();
    for index in unknowns.lambda().chain(unknowns.mu()) {
        for part in &mut r {
            part[index] /= square;
        }
    }
    let mut delta = r.clone();
    solver
        .solve(
            &layout,
            &unknowns,
            &linearization,
            delta.each_mut().map(Vec::as_mut_slice),
        )
        .expect("solved");

    let mut residual = Residual::new(&layout);
    let mut y = vec![0.0; count];
    unknowns.load(&state, &mut y);
    let mut slope = |direction: &[f64]| -> Vec<f64> {
        let step = 1e-6;
        let [plus, minus] = [step, -step].map(|step| {
            let moved: Vec<f64> = y.iter().zip(direction).map(|(y, d)| y + step * d).collect();
            let mut out = vec![0.0; count];
            let at = (state.t, &state.q[..], &state.mode[..]);
            residual
                .evaluate(&mut evaluator, &unknowns, at, &moved, &mut out)
                .expect("finite");
            out
        });
        plus.iter()
            .zip(&minus)
            .map(|(plus, minus)| (plus - minus) / (2.0 * step))
            .collect()
    };
    let mut largest = 0.0_f64;
    for part in 0..P {
        let mut defect = slope(&delta[part]);
        for (value, r) in defect.iter_mut().zip(&r[part]) {
            *value = -*value - r;
        }
        let residual = Residual::new(&layout);
        residual.add_rate_matrix(&unknowns, alpha[0], &delta[part], &mut defect);
        if P == 2 {
            let sign = if part == 0 { -1.0 } else { 1.0 };
            residual.add_rate_matrix(&unknowns, sign * alpha[1], &delta[1 - part], &mut defect);
        }
        for (row, value) in defect.into_iter().enumerate() {
            assert!(value.is_finite());
            if value.abs() > 1e-6 {
                println!("row {row} of {unknowns:?}: {value:e}");
            }
            largest = largest.max(value.abs());
        }
    }
    (largest, solver.is_grouped())
}

#[test]
fn solutions_satisfy_the_linearized_equations() {
    let mut worst = 0.0_f64;
    for formulation in FORMULATIONS {
        for small in [true, false] {
            let (real, complex) = ([3000.0], [1500.0, 2000.0]);
            for defect in [
                defect(Everything, formulation, real, small),
                defect(Everything, formulation, complex, small),
            ] {
                println!("{formulation} {small}: {defect:e}");
                assert!(!defect.is_nan());
                worst = worst.max(defect);
            }
        }
    }
    assert!(worst < 1e-5, "{worst:e}");
}

#[test]
fn groups_of_velocities_are_eliminated_beside_their_constraints() {
    // Masses that cancel are left to the dense matrix, before or after a solution has shown it.
    for light in [8.0, 1e-6, 1e-12, 1e-16, 1e-30, 0.0] {
        let model = || Bodies { light: (6, light) };
        let layout = model().layout();
        let mut worst = 0.0_f64;
        for formulation in FORMULATIONS {
            let unknowns = Unknowns::new(&layout, formulation);
            let form = Form::new(&layout, &unknowns).expect("patterns fit");
            let grouped = form.saddle().is_some();
            assert_eq!(grouped, !formulation.is_stabilized(), "{formulation}");
            let (real, complex) = ([3000.0], [1500.0, 2000.0]);
            for (defect, uses_groups) in [
                solved(model(), formulation, real, true),
                solved(model(), formulation, complex, true),
            ] {
                println!("{formulation} {light:e}: {defect:e} {uses_groups}");
                assert!(!defect.is_nan());
                worst = worst.max(defect);
                let expected = grouped && light > 1e-10;
                assert!(
                    uses_groups == expected || (grouped && light > 1e-14),
                    "{formulation} {light:e}"
                );
            }
        }
        assert!(worst < 1e-5, "{light:e}: {worst:e}");
    }
}

/// A job that is a solution and nothing else.
struct Pair<'a> {
    r: [&'a mut [f64]; 3],
}

impl AroundGrouped for Pair<'_> {
    type Output = ();
    fn run<S: Simd>(self, simd: S, pair: GroupedPair) {
        pair.solve(simd, self.r);
    }
}

#[test]
fn real_and_complex_systems_are_solved_together_as_apart() {
    assert_eq!(together_as_apart(Bodies { light: (7, 9.0) }), [4, 4]);
    // A light mass on one row shows in the first solution.
    let lights = [1e-12, 1e-14, 1e-16, 1e-18, 1e-20];
    let all = lights.map(|light| together_as_apart(Bodies { light: (7, light) }));
    let [before, behind] = all
        .iter()
        .fold([0, 0], |sum, own| [sum[0] + own[0], sum[1] + own[1]]);
    assert!(before > 4 && behind < before, "{all:?}");
}

/// How many formulations have factors of groups before the first solution, and behind it.
fn together_as_apart(model: Bodies) -> [usize; 2] {
    let mut grouped = [0, 0];
    let (state, layout) = (model.initial_state(), model.layout());
    let mut system = Automatic::new(model);
    let mut evaluator = Evaluator::new(&mut system);
    for formulation in FORMULATIONS
        .into_iter()
        .filter(|form| !form.is_stabilized())
    {
        let unknowns = Unknowns::new(&layout, formulation);
        let mut real = ShiftedSolver::<1>::of_pair(&layout, &unknowns).expect("patterns fit");
        let mut complex = ShiftedSolver::<2>::of_pair(&layout, &unknowns).expect("patterns fit");
        let linearization = linearized(&mut evaluator, &unknowns, &state, true);
        real.factor(&layout, &unknowns, &linearization, [700.0])
            .expect("regular");
        complex
            .factor(&layout, &unknowns, &linearization, [400.0, 600.0])
            .expect("regular");
        let right = |seed: usize| -> Vec<f64> {
            (0..unknowns.len())
                .map(|at| ((at * 7 + seed * 5) % 11) as f64 / 11.0 - 0.4)
                .collect()
        };
        let mut together = [right(1), right(2), right(3)];
        let [mut first, mut second, mut third] = together.clone();
        let job = Pair {
            r: together.each_mut().map(Vec::as_mut_slice),
        };
        if around_groups(&mut real, &mut complex, &unknowns, &linearization, job).is_none() {
            continue;
        }
        assert_eq!(real.is_grouped(), complex.is_grouped());
        grouped[0] += 1;
        grouped[1] += usize::from(real.is_grouped());
        real.solve(&layout, &unknowns, &linearization, [&mut first])
            .expect("solved");
        complex
            .solve(
                &layout,
                &unknowns,
                &linearization,
                [&mut second, &mut third],
            )
            .expect("solved");
        assert_eq!(together, [first, second, third], "{formulation}");
    }
    grouped
}
