//! `AccelerationSolver` hands its matrices to the linear solver, and still solves what was loaded last.

use crate::common::HeatedPendulum;
use liedae::prelude::*;
use liedae::system::{
    AccelerationSolver, DynamicsError, EvaluationError, Evaluator, Function, LeftJacobian,
};

/// A pendulum at an angle, on a circle that it need not be on.
fn states() -> [State; 3] {
    [0.3_f64, 0.4, 0.6].map(|angle| State {
        q: vec![angle.sin(), -angle.cos()],
        v: vec![angle.cos(), 0.9 * angle.sin()],
        ..Layout::dense(Manifold::euclidean(2))
            .with_position_rows(1)
            .state()
    })
}

type Solved = Result<(Vec<f64>, Vec<f64>), DynamicsError>;

fn solve(solver: &mut AccelerationSolver, system: &mut Evaluator, at: &Point) -> Solved {
    let (mut acceleration, mut lambda) = (vec![0.0; 2], vec![0.0; 1]);
    solver.solve(system, at, &mut acceleration, &mut [], &mut lambda)?;
    Ok((acceleration, lambda))
}

#[test]
fn what_was_loaded_last_is_solved() -> Result<(), Box<dyn std::error::Error>> {
    let mut pendulum = liedae::model([0.0, -1.0], [1.0, 0.0])
        .mass_matrix(|_t, [x, _]| [[x * x + 2.0, 0.0.into()], [0.0.into(), 3.0.into()]])
        .force(|_t, _q, _v| [0.0, -9.81])
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()?;
    let layout = pendulum.layout().clone();
    let system = &mut Evaluator::new(&mut pendulum);
    let [here, next, far] = states();
    let (here, next, far) = (here.point(), next.point(), far.point());
    let fresh = |system: &mut Evaluator, right: &Point| -> Solved {
        let linear = |source| DynamicsError::Linear { t: 0.0, source };
        let mut solver = AccelerationSolver::new(&layout).map_err(linear)?;
        solver.load_left(system, &here)?;
        solver.load_right(system, right, 0.1)?;
        solve(&mut solver, system, &here)
    };
    let [with_next, with_far] = [&next, &far].map(|right| fresh(system, right));
    let (with_next, with_far) = (with_next?, with_far?);
    assert_ne!(with_next, with_far);

    let mut solver = AccelerationSolver::new(&layout)?;
    solver.load_left(system, &here)?;
    solver.load_right(system, &next, 0.1)?;
    for _ in 0..2 {
        assert_eq!(solve(&mut solver, system, &here)?, with_next);
    }
    // Another right side for the same left one.
    solver.load_right(system, &far, 0.1)?;
    assert_eq!(solve(&mut solver, system, &here)?, with_far);
    // The same after the form of index 1.
    solver.load_index_one(system, &here)?;
    let index_one = solve(&mut solver, system, &here)?;
    assert_eq!(solve(&mut solver, system, &here)?, index_one);
    solver.load_right(system, &far, 0.1)?;
    assert_eq!(solve(&mut solver, system, &here)?, with_far);
    // The right side becomes the left one.
    solver.load_mass_and_shift(system, &far)?;
    solver.load_right(system, &next, 0.1)?;
    let shifted = solve(&mut solver, system, &far)?;
    let mut solver = AccelerationSolver::new(&layout)?;
    solver.load_left(system, &far)?;
    solver.load_right(system, &next, 0.1)?;
    assert_eq!(solve(&mut solver, system, &far)?, shifted);
    Ok(())
}

/// A pendulum whose constraint is not defined left of the origin, with masses that depend on the configuration.
fn pendulum() -> Result<impl System, Box<dyn std::error::Error>> {
    let pendulum = liedae::model([0.0, -1.0], [1.0, 0.0])
        .mass_matrix(|_t, [x, _]| [[x * x + 2.0, 0.0.into()], [0.0.into(), 3.0.into()]])
        .force(|_t, _q, _v| [0.0, -9.81])
        .constraint(|_t, [x, y]| [x.sqrt() * x.sqrt() * x + y * y - 1.0])
        .build()?;
    Ok(pendulum)
}

/// Accelerations, multipliers, algebraic variables and rates of x at a point, of what has been loaded.
fn solve_all(
    solver: &mut AccelerationSolver,
    system: &mut Evaluator,
    at: &Point,
) -> Result<[Vec<f64>; 4], DynamicsError> {
    let layout = system.layout();
    let lengths = [layout.dimension(), layout.algebraic, layout.rows()];
    let [mut acceleration, mut z, mut lambda] = lengths.map(|length| vec![0.5; length]);
    solver.solve(system, at, &mut acceleration, &mut z, &mut lambda)?;
    let x_rates = solver.differential_rates().to_vec();
    Ok([acceleration, z, lambda, x_rates])
}

/// Stages in one call and in several, from the same states of the solver, give the same bits.
fn stages_are_loaded_alike(
    system: &mut dyn System,
    states: &[State; 3],
) -> Result<(), Box<dyn std::error::Error>> {
    let layout = system.layout().clone();
    let system = &mut Evaluator::new(system);
    let [here, next, far] = states.each_ref().map(State::point);
    for (begin, index_one) in [(&here, false), (&here, true), (&next, false)] {
        let mut solvers = [
            AccelerationSolver::new(&layout)?,
            AccelerationSolver::new(&layout)?,
        ];
        let mut found = Vec::new();
        for (in_one_call, solver) in [true, false].into_iter().zip(&mut solvers) {
            if index_one {
                solver.load_index_one(system, begin)?;
                found.push(solve_all(solver, system, begin)?);
            }
            if in_one_call {
                solver.load_stage(system, [begin, &next], 0.1, LeftJacobian::Own)?;
            } else {
                solver.load_left(system, begin)?;
                solver.load_right(system, &next, 0.1)?;
            }
            found.push(solve_all(solver, system, begin)?);
            if in_one_call {
                solver.load_stage(system, [&next, &far], 0.2, LeftJacobian::Shifted)?;
            } else {
                solver.load_mass_and_shift(system, &next)?;
                solver.load_right(system, &far, 0.2)?;
            }
            found.push(solve_all(solver, system, &next)?);
        }
        let (one, several) = found.split_at(found.len() / 2);
        assert_eq!(one, several);
        let flat: Vec<f64> = one.iter().flatten().flatten().copied().collect();
        assert!(flat.iter().all(|number| number.is_finite()) && flat.iter().any(|&n| n != 0.0));
    }
    Ok(())
}

#[test]
fn stages_in_one_call_are_those_in_several() -> Result<(), Box<dyn std::error::Error>> {
    stages_are_loaded_alike(&mut pendulum()?, &states())?;
    // With differential states and an algebraic variable.
    let heated = states().map(|state| State {
        x: vec![0.2],
        z: vec![1.0],
        ..state
    });
    stages_are_loaded_alike(&mut Automatic::new(HeatedPendulum), &heated)?;
    // Without rows.
    let mut free = liedae::model([0.0, -1.0], [1.0, 0.0])
        .mass(2.0)
        .force(|_t, [x, y], _v| [-x, -y * y])
        .build()?;
    let without = states().map(|state| State {
        lambda: Vec::new(),
        ..state
    });
    stages_are_loaded_alike(&mut free, &without)
}

#[test]
fn a_stage_that_fails_can_be_loaded_again() -> Result<(), Box<dyn std::error::Error>> {
    let mut pendulum = pendulum()?;
    let layout = pendulum.layout().clone();
    let system = &mut Evaluator::new(&mut pendulum);
    let [here, next, far] = states();
    let outside = State {
        q: vec![-0.3, -1.0],
        ..far.clone()
    };
    let (here, next, far, outside) = (here.point(), next.point(), far.point(), outside.point());
    let mut solver = AccelerationSolver::new(&layout)?;
    solver.load_stage(system, [&here, &next], 0.1, LeftJacobian::Own)?;
    solve_all(&mut solver, system, &here)?;
    solver.load_stage(system, [&next, &outside], 0.1, LeftJacobian::Shifted)?;
    let failed = solve_all(&mut solver, system, &next);
    assert!(
        matches!(
            failed,
            Err(DynamicsError::Evaluation(EvaluationError::NonFinite {
                function: Function::ConstraintJacobian,
                ..
            }))
        ),
        "{failed:?}"
    );
    solver.load_stage(system, [&next, &far], 0.1, LeftJacobian::Own)?;
    let again = solve_all(&mut solver, system, &next)?;
    let mut fresh = AccelerationSolver::new(&layout)?;
    fresh.load_stage(system, [&next, &far], 0.1, LeftJacobian::Own)?;
    assert_eq!(solve_all(&mut fresh, system, &next)?, again);
    Ok(())
}
