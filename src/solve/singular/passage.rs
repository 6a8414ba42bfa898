//! The motion across a singular configuration: states along it, and the steps in which the run takes it.

use super::crossing::CrossingError;
use super::decide::{Crossed, Passing};
use crate::solve::motion::Motion;
use crate::solve::output::dense::{Ends, StateRates};
use crate::solve::output::hermite::{Degree, Interpolant};
use crate::solve::timeline::{SLIVER, SMALLEST_STEP, Schedule};
use crate::system::{Layout, State};

/// A step that ends so near to the singular configuration, in rad, ends upon it: rows do not determine accelerations there.
const UPON: f64 = 1e-4;

/// A passage that has been computed, step after step of the run.
///
/// Between its states, which are a few hundredths of a radian apart, the motion is the quintic polynomial through their positions,
/// velocities and accelerations: the branch of the motion is smooth where the rows are not. The run takes it in steps
/// that are no longer than those asked for.
pub(in crate::solve) struct Passage {
    /// Complete states along the motion, the start first.
    states: Vec<State>,
    /// Of the polynomial: between the state of this number and the one before.
    loaded: usize,
    interpolant: Interpolant,
    x_rates: [Vec<f64>; 2],
    rates: StateRates,
    /// When steps of the run end, the next one last.
    ends: Vec<f64>,
    /// The singular configuration, until a step has passed it.
    passing: Option<Passing>,
    /// The rows that come to depend on each other.
    rows: Vec<usize>,
    /// Where it lies, and how fast rows turn there, per s.
    moment: f64,
    speed: f64,
    /// By how much earlier than the configuration the velocity of the method is.
    pub lag: f64,
}

impl Passage {
    /// From a complete state.
    pub fn new(layout: &Layout, from: &State, speed: f64, lag: f64) -> Self {
        Self {
            states: vec![from.clone()],
            loaded: 0,
            interpolant: Interpolant::new(layout, Degree::Quintic),
            x_rates: [(); 2].map(|()| vec![0.0; layout.differential]),
            rates: StateRates::new(layout),
            ends: Vec::new(),
            passing: None,
            rows: Vec::new(),
            moment: f64::NAN,
            speed,
            lag,
        }
    }

    /// The state that it starts from.
    pub fn start(&self) -> &State {
        &self.states[0]
    }

    /// The state reached last, and how long after the start.
    pub fn last(&self) -> (&State, f64) {
        let last = &self.states[self.states.len() - 1];
        (last, last.t - self.states[0].t)
    }

    /// How fast rows turn, per s.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The rows that come to depend on each other.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The last state, if it is that of this time but for round-off, has it exactly.
    pub fn end_at(&mut self, t: f64) {
        let last = self.states.len() - 1;
        let round_off = SMALLEST_STEP * t.abs().max(t - self.states[0].t);
        if (self.states[last].t - t).abs() <= round_off {
            self.states[last].t = t;
        }
    }

    /// The next state.
    pub fn reach(&mut self, state: &State) {
        self.states.push(state.clone());
    }

    /// The singular configuration lies here; it counts if a step passes it.
    pub fn passes(&mut self, moment: f64, rows: Vec<usize>) {
        self.moment = moment;
        self.rows.clone_from(&rows);
        let (t, speed) = (moment, self.speed);
        self.passing = (t > self.states[0].t).then_some(Passing { t, rows, speed });
    }

    /// Divides the way to its end into the steps of the run.
    pub fn divide(&mut self, schedule: Schedule, end: f64) {
        self.ends.clear();
        match schedule.grid {
            Some(grid) => {
                let mut t = grid.next(self.states[0].t);
                while t < end - SLIVER * grid.step {
                    self.ends.push(t);
                    t = grid.next(t);
                }
                // What is left behind the last moment of the grid may be more than a step, by less than a sliver.
                let last = self.ends.last().copied().unwrap_or(self.states[0].t);
                if end - last > grid.step * (1.0 + 1e-6) {
                    self.ends.push(0.5 * (last + end));
                }
            }
            None => {
                for pair in self.states.windows(2) {
                    let (from, to) = (pair[0].t, pair[1].t.min(end));
                    let count = ((to - from) / schedule.max_step * (1.0 - 1e-6)).ceil();
                    let inner = 1..(count as usize).max(1);
                    self.ends
                        .extend(inner.map(|index| from + (to - from) * (index as f64 / count)));
                    if to >= end {
                        break;
                    }
                    self.ends.push(to);
                }
            }
        }
        self.ends.push(end);
        self.ends.reverse();
    }

    /// Takes the next step of the run into the end of the motion's step.
    pub fn go_on(&mut self, motion: &mut Motion) -> Result<Option<Crossed>, CrossingError> {
        let Some(t) = self.ends.pop() else {
            return Ok(None);
        };
        let from = motion.state.t;
        let upon = UPON / self.speed;
        motion.undetermined = Some([self.moment - upon, self.moment + upon]);
        let mut state = self.states[0].clone();
        self.lead_to(motion, t, &mut state)?;
        motion.next.copy_from(&state);
        let passed = self.passing.take_if(|passing| passing.t <= t);
        Ok(Some(Crossed {
            length: t - from,
            passed,
            goes_on: !self.ends.is_empty(),
        }))
    }

    fn lead_to(
        &mut self,
        motion: &mut Motion,
        t: f64,
        state: &mut State,
    ) -> Result<(), CrossingError> {
        if let Some(known) = self.states.iter().find(|known| known.t == t) {
            state.copy_from(known);
        } else {
            self.at(motion, t, state)?;
            let is_last = self.ends.is_empty();
            if (t - self.moment).abs() * self.speed < UPON {
                // Rows do not determine the accelerations: those of the polynomial stay.
                if is_last {
                    motion.project_without_weakest(state)?;
                }
            } else {
                if is_last {
                    let (system, projector) = (&mut motion.evaluator, &mut motion.projector);
                    projector.project_position(system, state, false)?;
                    projector.project_velocity(system, state)?;
                }
                motion
                    .accelerations
                    .complete(&mut motion.evaluator, state)?;
            }
        }
        Ok(motion.spread_multipliers(state)?)
    }

    /// The state at a time between two of the states.
    pub fn at(
        &mut self,
        motion: &mut Motion,
        t: f64,
        out: &mut State,
    ) -> Result<(), CrossingError> {
        let behind = self.states.iter().position(|state| state.t > t);
        let number = behind.unwrap_or(self.states.len() - 1).max(1);
        if self.loaded != number {
            let mut ends = Ends {
                from: &self.states[number - 1],
                to: &self.states[number],
                x_rates: &mut self.x_rates,
            };
            ends.find_rates(
                &mut motion.evaluator,
                &mut motion.accelerations,
                &mut self.rates,
            )?;
            ends.load(&motion.evaluator.layout().space, &mut self.interpolant);
            self.loaded = number;
        }
        out.copy_from(self.interpolant.at(t, &motion.evaluator.layout().space));
        Ok(())
    }
}
