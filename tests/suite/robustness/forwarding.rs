//! A system is the same behind a reference, in a box and in a wrapper that changes nothing of what is asked here: events, time events,
//! the energy and steps, bit for bit.

use liedae::prelude::*;
use liedae::system::{Direction, EvaluationError, EventAction, EventDescription, Wrapped, Wrapper};

/// A pendulum whose velocity is turned around where it passes its lowest point, and that a load slows down.
struct Pendulum;

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, -0.8],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Some(0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]) + 9.81 * at.q[1])
    }
    fn keeps_energy(&self) -> bool {
        true
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Pendulum {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new(
            "turn",
            "lowest point",
            Direction::Both,
        )]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.q[0];
    }

    fn handle_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.v.iter_mut().for_each(|v| *v = -*v);
        EventAction::Restart
    }

    fn time_events(&self) -> Vec<f64> {
        vec![0.3]
    }

    fn handle_time_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.v.iter_mut().for_each(|v| *v *= 0.5);
        EventAction::Restart
    }
}

struct Counted<S> {
    inner: S,
    evaluations: usize,
}

impl<S: System> Wrapper for Counted<S> {
    type Inner = S;
    fn inner(&self) -> &S {
        &self.inner
    }
    fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }
    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.evaluations += 1;
        self.inner.rates(at, out)
    }
}

fn run(system: &mut dyn System, method: &str) -> Solution {
    let method = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(2.0, 1e-8, 1e-8);
    solve(system, method.as_ref(), &options).expect("solved")
}

#[test]
fn nothing_is_lost_on_the_way() {
    for method in ["hem5", "radau5", "generalized-alpha-stabilized"] {
        let plain = run(&mut Automatic::new(Pendulum), method);
        assert!(plain.events.len() >= 3, "{method}: {:?}", plain.events);
        let mut boxed: Box<dyn System> = Box::new(Automatic::new(Pendulum));
        let mut own = Automatic::new(Pendulum);
        let mut counted = Wrapped(Counted {
            inner: Box::new(Automatic::new(Pendulum)) as Box<dyn System>,
            evaluations: 0,
        });
        let found = [
            run(&mut boxed, method),
            run(&mut &mut own, method),
            run(&mut counted, method),
        ];
        for solution in found {
            assert_eq!(solution.state, plain.state, "{method}");
            assert_eq!(solution.events, plain.events, "{method}");
            assert_eq!(solution.statistics.accepted, plain.statistics.accepted);
        }
        assert!(
            counted.0.evaluations > plain.statistics.accepted,
            "{method}"
        );
    }
}
