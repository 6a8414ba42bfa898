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
    /// When all functions were asked for.
    all: Vec<f64>,
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
        self.all.push(at.t);
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

fn counted() -> Wrapped<Counted> {
    let describe = |label: &str| EventDescription::new("reach", label, Direction::Falling);
    Wrapped(Counted {
        inner: Automatic::new(Thrown),
        descriptions: [describe("cellar"), describe("floor")],
        all: Vec::new(),
        forces: 0,
        alone: Vec::new(),
    })
}

#[test]
fn a_root_is_located_by_its_own_function_alone() {
    for name in ["mdop5", "hem5", "dop853", "radau5", "generalized-alpha"] {
        let method = crate::known_methods().build(name, &MethodOptions::default());
        let mut system = counted();
        let options = Options::adaptive(5.0, 1e-6, 1e-6);
        let solution = solve(&mut system, method.unwrap().as_ref(), &options).unwrap();
        assert_eq!(solution.reason, StopReason::Event);
        assert!(solution.state.q[0].abs() < 1e-10, "{name}");

        let Counted { all, alone, .. } = &system.0;
        // Seven samples and the end of every step; in the last one as many again, unless the crossing is early, and the start.
        let steps = solution.statistics.accepted;
        let rest = all.len() - 8 * steps;
        assert!(
            (1..=12).contains(&rest),
            "{name}: {rest} beside those of {steps} steps"
        );
        // One search for the root, whose slope samples may have told: nothing is evaluated twice, and nothing but the function between.
        assert!((2..=8).contains(&alone.len()), "{name}: {alone:?}");
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

/// The floor is reached early in the second step: nothing is looked at between the first sample below it and the end of that step.
#[test]
fn what_lies_behind_an_early_crossing_is_not_looked_at() {
    for name in ["mdop5", "hem5", "dop853", "rk4"] {
        let method = crate::known_methods().build(name, &MethodOptions::default());
        let mut system = counted();
        let options = Options::fixed(5.0, 0.758);
        let solution = solve(&mut system, method.unwrap().as_ref(), &options).unwrap();
        assert!((0.84..0.86).contains(&solution.state.t), "{name}");
        let all = &system.0.all;
        let behind = all.iter().filter(|&&t| 0.86 < t && t < 1.51).count();
        assert_eq!(behind, 0, "{name}: {all:?}");
        // The end, a sample below the floor, seven before that, and the moment itself, to which the step is repeated.
        let second = all.iter().filter(|&&t| t > 0.759).count();
        assert!((10..=13).contains(&second), "{name}: {all:?}");
    }
}
