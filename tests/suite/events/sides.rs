//! On which side of zero functions are behind events, however they are stated: sliding modes, functions at rest, at zero from the start.

use super::{report, with_every_method};
use liedae::integrator::Method;
use liedae::prelude::*;
use liedae::solve::SolveErrorKind;
use liedae::system::{FirstOrder, FirstOrderModel, System};
use std::cell::Cell;
use std::rc::Rc;

/// How an event is stated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Statement {
    Both,
    BothBeyond,
    Directed,
    DirectedBeyond,
    Barriers,
}

const STATEMENTS: [Statement; 5] = [
    Statement::Both,
    Statement::BothBeyond,
    Statement::Directed,
    Statement::DirectedBeyond,
    Statement::Barriers,
];

/// How a handler chooses the right-hand side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    /// The other one.
    Toggled,
    /// By the number of the function, or the sign that it has where there is one.
    Decided,
    /// The same, and puts the state onto the root.
    Cleaned,
}

impl Statement {
    fn descriptions(self) -> Vec<EventDescription> {
        let describe = |direction| EventDescription::new("switch", "mode", direction);
        match self {
            Self::Both => vec![describe(Direction::Both)],
            Self::BothBeyond => vec![describe(Direction::Both).beyond_its_root()],
            Self::Directed => vec![describe(Direction::Falling), describe(Direction::Rising)],
            Self::DirectedBeyond => vec![
                describe(Direction::Falling).beyond_its_root(),
                describe(Direction::Rising).beyond_its_root(),
            ],
            Self::Barriers => vec![
                EventDescription::barrier("switch", "down"),
                EventDescription::barrier("switch", "up"),
            ],
        }
    }
    /// The functions, of a value by whose sign the mode is chosen. Only the barrier of the present mode is looked at.
    fn functions(self, value: f64, positive: bool, out: &mut [f64]) {
        match self {
            Self::Barriers if positive => out.copy_from_slice(&[value, 1.0]),
            Self::Barriers => out.copy_from_slice(&[1.0, -value]),
            _ => out.fill(value),
        }
    }
    /// Whether the side above zero has been come to, if the functions tell; the mode that has been handled before is given.
    fn decides(self, choice: Choice, event: usize, value: f64, positive: bool) -> bool {
        match (self, choice) {
            (_, Choice::Toggled) | (Self::Both, _) => !positive,
            (Self::BothBeyond, _) => value > 0.0,
            _ => event == 1,
        }
    }
}

/// x' = (x > y ? -2 : 2), y' = (y > x ? -3 : 1.5): from (1.5, 1) the right-hand sides meet in x = y at t = 1/7.
struct Sliding {
    statement: Statement,
    choice: Choice,
    /// The mode is kept in a third state, or by the model.
    in_state: bool,
    positive: Cell<bool>,
}

impl Sliding {
    fn is_positive(&self, y: &[f64]) -> bool {
        if self.in_state {
            y[2] > 0.5
        } else {
            self.positive.get()
        }
    }
}

impl FirstOrderModel for Sliding {
    fn dimension(&self) -> usize {
        3
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![1.5, 1.0, 1.0]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let positive = if self.in_state {
            y[2].value() > 0.5
        } else {
            self.positive.get()
        };
        let values = if positive { [-2.0, 1.5] } else { [2.0, -3.0] };
        rate[0] = S::constant(values[0]);
        rate[1] = S::constant(values[1]);
    }
    fn events(&self) -> Vec<EventDescription> {
        self.statement.descriptions()
    }
    fn event_functions(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        self.statement
            .functions(y[0] - y[1], self.is_positive(y), out);
    }
    fn handle_event(&self, event: usize, _t: f64, y: &mut [f64]) -> EventAction {
        let positive = self
            .statement
            .decides(self.choice, event, y[0] - y[1], self.is_positive(y));
        self.positive.set(positive);
        if self.in_state {
            y[2] = f64::from(u8::from(positive));
        }
        if self.choice == Choice::Cleaned {
            y[1] = y[0];
        }
        EventAction::Restart
    }
}

/// That events accumulate there.
fn accumulates(t: f64, found: Result<Solution, SolveErrorKind>) -> Result<(), String> {
    match found {
        Err(SolveErrorKind::Accumulation { event, .. }) if (event.t - t).abs() < 1e-5 => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(solution) => Err(format!(
            "done with {:?} at {:?} {:?}",
            solution.events.len(),
            solution.state.q,
            solution.state.x
        )),
    }
}

#[test]
fn a_sliding_mode_is_an_accumulation_however_it_is_stated() {
    let (mut runs, mut all) = (0, Vec::new());
    for statement in STATEMENTS {
        for choice in [Choice::Toggled, Choice::Decided, Choice::Cleaned] {
            // Who sees zero decides nothing by its sign.
            if choice == Choice::Cleaned && statement == Statement::BothBeyond {
                continue;
            }
            for in_state in [false, true] {
                let make = || -> Box<dyn System> {
                    let positive = Cell::new(true);
                    let sliding = Sliding {
                        statement,
                        choice,
                        in_state,
                        positive,
                    };
                    Box::new(Automatic::new(
                        FirstOrder::new(sliding).expect("stated well"),
                    ))
                };
                let (count, complaints) =
                    with_every_method(0.02, 1.0, make, |_, found| accumulates(1.0 / 7.0, found));
                runs += count;
                all.extend(
                    complaints.iter().map(|complaint| {
                        format!("{statement:?} {choice:?} {in_state} {complaint}")
                    }),
                );
            }
        }
    }
    report(runs, &all);
}

/// A block that dry friction of 2 N brakes although 1 N pulls it: it stops after 1 s, and its sign is kept as a mode.
#[test]
fn friction_by_a_sign_is_an_accumulation_however_it_is_stated() {
    let (mut runs, mut all) = (0, Vec::new());
    for statement in STATEMENTS {
        for choice in [Choice::Toggled, Choice::Decided, Choice::Cleaned] {
            if choice == Choice::Cleaned && statement == Statement::BothBeyond {
                continue;
            }
            let make = || -> Box<dyn System> {
                let positive = Rc::new(Cell::new(true));
                let block = liedae::model([0.0], [1.0]).mass(1.0);
                let mut block = block.force({
                    let positive = positive.clone();
                    move |_t, _q, _v| [if positive.get() { -1.0 } else { 3.0 }]
                });
                let count = statement.descriptions().len();
                for (event, description) in statement.descriptions().into_iter().enumerate() {
                    let (seen, changed) = (positive.clone(), positive.clone());
                    block = block.event(
                        description,
                        move |at| {
                            let mut out = [0.0; 2];
                            statement.functions(at.v[0], seen.get(), &mut out[..count]);
                            out[event]
                        },
                        move |state| {
                            changed.set(statement.decides(
                                choice,
                                event,
                                state.v[0],
                                changed.get(),
                            ));
                            if choice == Choice::Cleaned {
                                state.v[0] = 0.0;
                            }
                            EventAction::Restart
                        },
                    );
                }
                Box::new(block.build().expect("stated well"))
            };
            let (count, complaints) =
                with_every_method(0.02, 3.0, make, |_, found| accumulates(1.0, found));
            runs += count;
            all.extend(
                complaints
                    .iter()
                    .map(|complaint| format!("{statement:?} {choice:?} {complaint}")),
            );
        }
    }
    report(runs, &all);
}

/// A ball of 1 kg falls from 1 m onto a floor that returns it with half its speed, three times; the handler reverses its velocity.
#[test]
fn an_impact_happens_once_however_it_is_stated() {
    let (mut runs, mut all) = (0, Vec::new());
    let g = 9.81;
    let first = (2.0 / g).sqrt();
    let expected = [first, 2.0 * first, 2.5 * first];
    for description in [
        EventDescription::new("impact", "floor", Direction::Falling),
        EventDescription::new("impact", "floor", Direction::Both),
        EventDescription::new("impact", "floor", Direction::Both).beyond_its_root(),
        EventDescription::barrier("impact", "floor"),
    ] {
        for twin in [false, true] {
            let make = || -> Box<dyn System> {
                let ball = liedae::model([1.0], [0.0])
                    .mass(1.0)
                    .force(move |_t, _q, _v| [-g])
                    .event(
                        description.clone(),
                        |at| at.q[0],
                        |state| {
                            state.v[0] *= -0.5;
                            EventAction::Restart
                        },
                    );
                // The same function in the other direction: the ball never comes from below.
                let rising = EventDescription::new("rise", "ball", Direction::Rising);
                let ball = if twin {
                    ball.event(rising, |at| at.q[0], |_| EventAction::Continue)
                } else {
                    ball
                };
                Box::new(ball.build().expect("stated well"))
            };
            let judge = |method: &Method, found: Result<Solution, SolveErrorKind>| {
                let solution = found.map_err(|error| error.to_string())?;
                let times: Vec<f64> = solution.events.iter().map(|event| event.t).collect();
                let tolerance = if method.orders.q < 2 { 0.1 } else { 0.01 };
                let near = times
                    .iter()
                    .zip(expected)
                    .all(|(t, expected)| (t - expected).abs() < tolerance);
                if times.len() == 3 && near {
                    Ok(())
                } else {
                    Err(format!("{times:?}"))
                }
            };
            let (count, complaints) = with_every_method(0.005, 2.6 * first, make, judge);
            runs += count;
            all.extend(
                complaints
                    .iter()
                    .map(|complaint| format!("{description:?} {twin} {complaint}")),
            );
        }
    }
    report(runs, &all);
}
