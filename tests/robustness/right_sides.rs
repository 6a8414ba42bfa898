//! `AccelerationSolver` hands its matrices to the linear solver, and still solves what was loaded last.

use liedae::prelude::*;
use liedae::system::{AccelerationSolver, DynamicsError, Evaluator};

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
