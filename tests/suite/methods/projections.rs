//! Projections with the matrix of the last stage, where that is the matrix of the end.

use crate::common::{HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{Mdop5, Projection};
use liedae::prelude::*;
use liedae::solve::{Observer, StepView, solve_observed};
use liedae::system::{Automatic, Evaluator, Projector, System};
use std::ops::ControlFlow;

/// The largest violations at position, velocity and acceleration level behind all steps.
struct Levels<T> {
    system: Automatic<T>,
    worst: [f64; 3],
}

impl<T: Model> Observer for Levels<T> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let mut projector = Projector::new(self.system.layout()).expect("fits");
        let mut evaluator = Evaluator::new(&mut self.system);
        let found = (projector.violation(&mut evaluator, step.to)).expect("can be evaluated");
        let levels = [found.position, found.velocity, found.acceleration];
        for (worst, level) in self.worst.iter_mut().zip(levels) {
            assert!(level.is_finite());
            *worst = worst.max(level);
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// A pendulum of 1 m whose pivot is driven to and fro, and whose mass depends on the place.
struct Driven;

impl Model for Driven {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            v: vec![0.3 * 4.0, 0.5],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..2 {
            mass[(axis, axis)] = at.q[1] * at.q[1] + 1.0;
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let x = at.q[0] - (at.t * 4.0).sin() * 0.3;
        g[0] = (x * x + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
}

/// Steps that move positions and steps that need not: a matrix of another place would show in accelerations.
#[test]
fn all_levels_hold_behind_projections_with_any_step() {
    /// For a model that turns with this speed.
    fn check<T: Model>(model: impl Fn() -> T, speed: f64, name: &str) {
        for step in [1e-4, 1e-2, 5e-2].map(|step| step / speed) {
            let mut levels = Levels {
                system: Automatic::new(model()),
                worst: [0.0; 3],
            };
            let options = Options::fixed(50.0 * step, step);
            let adaptive = Options::adaptive(options.t_end, 1e-9, 1e-9);
            for options in [&options, &adaptive] {
                let mut system = Automatic::new(model());
                let method = Mdop5::new(Projection::EveryStep);
                let seen = solve_observed(&mut system, &method, options, &mut levels);
                // Looking solves for the end of a step before the next one does.
                let unseen = solve(&mut Automatic::new(model()), &method, options);
                let [seen, unseen] = [seen, unseen].map(|run| run.expect("solved").state);
                assert_eq!(seen, unseen, "{name}, step {step}");
            }
            let [position, velocity, acceleration] = levels.worst;
            assert!(
                position < 1e-13
                    && velocity < 1e-13 * speed
                    && acceleration < 1e-12 * speed * speed,
                "{name}, step {step}: {position:e} {velocity:e} {acceleration:e}"
            );
        }
    }
    check(|| Pendulum, 5.0, "pendulum");
    check(|| Driven, 5.0, "driven pendulum");
    check(|| HeavyTop(TopGroup::Matrix), 150.0, "heavy top");
    check(
        || HeavyTop(TopGroup::Quaternion),
        150.0,
        "heavy top in quaternions",
    );
}

/// Six stages behind the first one, whose matrix is that of the last one before. A projection has one of its own
/// only where it moves positions.
#[test]
fn a_projection_of_velocities_needs_no_matrix_of_its_own() {
    let run = |projection: Projection| {
        let options = Options::fixed(0.1, 1e-3);
        let mut system = Automatic::new(Pendulum);
        let solution = solve(&mut system, &Mdop5::new(projection), &options).expect("solved");
        assert_eq!(solution.statistics.accepted, 100);
        solution.statistics.work.factorizations
    };
    let [projected, free] = [Projection::EveryStep, Projection::Never].map(run);
    assert!(
        free >= 600 && projected <= free + 1,
        "{projected} and {free}"
    );
}
