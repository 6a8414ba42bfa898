//! What looking for the moment of an event costs: event functions, and of these the one that crosses.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, StopReason, solve};
use liedae::system::{
    Automatic, Direction, EvaluationError, EventAction, EventDescription, EventResponse, Events,
    Layout, MatrixMut, Model, Point, State, System, Wrapped, Wrapper,
};

/// A mass that is thrown upwards.
struct Thrown;

impl Model for Thrown {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            v: vec![3.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.v[0] * -0.2 - 9.81;
    }
}

/// It stops on the floor. Evaluations are counted.
struct Counted {
    inner: Automatic<Thrown>,
    descriptions: [EventDescription; 2],
    all: usize,
    forces: usize,
    /// The function that was asked for alone, when, and how many forces had been evaluated by then.
    alone: Vec<(usize, f64, usize)>,
}

impl Wrapper for Counted {
    type Inner = dyn System;

    fn inner(&self) -> &Self::Inner {
        &self.inner
    }
    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.forces += 1;
        self.inner.rates(at, out)
    }
    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Counted {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }
    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.all += 1;
        out.copy_from_slice(&[at.q[0] + 1e3, at.q[0]]);
        Ok(())
    }
    fn event_function(
        &mut self,
        event: usize,
        at: &Point,
        memory: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        self.alone.push((event, at.t, self.forces));
        // Left with anything.
        memory.fill(f64::NAN);
        Ok(if event == 0 { at.q[0] + 1e3 } else { at.q[0] })
    }
    fn handle_events(
        &mut self,
        events: &[usize],
        _state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        assert_eq!(events, [1]);
        Ok(EventAction::Stop.into())
    }
}

#[test]
fn a_root_is_located_by_its_own_function_alone() {
    for name in ["mdop5", "hem5", "dop853", "radau5", "generalized-alpha"] {
        let method = crate::known_methods().build(name, &MethodOptions::default());
        let describe = |label: &str| EventDescription::new("reach", label, Direction::Falling);
        let mut system = Wrapped(Counted {
            inner: Automatic::new(Thrown),
            descriptions: [describe("cellar"), describe("floor")],
            all: 0,
            forces: 0,
            alone: Vec::new(),
        });
        let options = Options::adaptive(5.0, 1e-6, 1e-6);
        let solution = solve(&mut system, method.unwrap().as_ref(), &options).unwrap();
        assert_eq!(solution.reason, StopReason::Event);
        assert!(solution.state.q[0].abs() < 1e-10, "{name}");

        let Counted { all, alone, .. } = &system.0;
        // Seven samples and the end of every step; again seven before the crossing, and the start.
        let steps = solution.statistics.accepted;
        let rest = all - 8 * steps;
        assert!(
            (7..=12).contains(&rest),
            "{name}: {rest} beside those of {steps} steps"
        );
        // One search for the root, whose slope samples have told: nothing is evaluated twice, and nothing but the function between.
        assert!((2..=4).contains(&alone.len()), "{name}: {alone:?}");
        assert!(alone.iter().all(|&(event, ..)| event == 1));
        let mut times: Vec<f64> = alone.iter().map(|&(_, t, _)| t).collect();
        times.sort_by(f64::total_cmp);
        assert!(
            times.windows(2).all(|pair| pair[0] < pair[1]),
            "{name}: {times:?}"
        );
        let forces = alone[0].2;
        assert!(
            alone.iter().all(|&(_, _, later)| later == forces),
            "{name}: {alone:?}"
        );
    }
}
