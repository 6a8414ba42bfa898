//! Conserved quantities and bounds are watched along a run.

use super::StepControl;
use super::motion::Motion;
use crate::scalar::larger_or_nan;
use crate::system::{EvaluationError, Evaluator, Property, State, properties, property_values};
use serde::Serialize;

/// Global errors of a hundred tolerances are usual.
const TOLERANCES: f64 = 1000.0;

/// A step that leaves a bound by more than this share of the tolerances, from within, is tried again with a quarter of its size ...
const LEAVES: f64 = 0.1;
pub(super) const SHORTER: f64 = 0.25;

/// ... down to this part of it: solutions may leave bounds that are stated wrong, and the run then says so.
const SHORTEST: f64 = 1e-7;

/// The share of its size that errors of constant steps may be of a quantity.
const SHARE_OF_CONSTANT_STEPS: f64 = 1e-2;

/// A conserved or bounded quantity that has left its value or bounds by more than errors explain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViolatedProperty {
    /// Its name.
    pub name: String,
    /// When it was first seen, in s.
    pub since: f64,
    /// When it was worst, in s.
    pub t: f64,
    /// Its value then.
    pub value: f64,
    /// The values that it should lie between; equal ones for a conserved quantity.
    pub allowed: [f64; 2],
    /// By how much it may be off: a thousand tolerances of the components that it depends on, or with constant steps a hundredth of its size.
    pub explained: f64,
}

/// What is known of the properties of a system.
pub(super) struct PropertyWatch {
    properties: Vec<Property>,
    adaptive: bool,
    /// Whether any of them has bounds.
    bounded: bool,
    values: Vec<f64>,
    /// The same at the end of a step that is tried.
    at_end: Vec<f64>,
    /// The first step that was refused, until the run has come as far as it would have led: its size, and its end.
    refused: Option<[f64; 2]>,
    /// What conserved quantities are at the start, or behind the last jump.
    start: Vec<f64>,
    explained: Vec<f64>,
    violated: Vec<Option<ViolatedProperty>>,
    /// Memory for a state beside.
    beside: State,
    along: Vec<f64>,
}

impl PropertyWatch {
    /// At the start of a run; `None` if the system states no properties.
    pub fn new(
        motion: &mut Motion,
        control: &StepControl,
    ) -> Result<Option<Self>, EvaluationError> {
        let properties = properties(motion.evaluator.system()).to_vec();
        if properties.is_empty() {
            return Ok(None);
        }
        let zeros = vec![0.0; properties.len()];
        let mut watch = Self {
            adaptive: matches!(control, StepControl::Adaptive { .. }),
            bounded: (properties.iter()).any(|property| property.kind.bounds().is_some()),
            values: zeros.clone(),
            at_end: zeros.clone(),
            refused: None,
            start: zeros.clone(),
            explained: zeros,
            violated: vec![None; properties.len()],
            beside: motion.state.clone(),
            along: vec![0.0; motion.state.v.len()],
            properties,
        };
        watch.restart(motion)?;
        watch.see(motion)?;
        Ok(Some(watch))
    }

    /// The state has jumped, perhaps into another shape: quantities are conserved from here.
    pub fn restart(&mut self, motion: &mut Motion) -> Result<(), EvaluationError> {
        self.beside.clone_from(&motion.state);
        self.along.resize(motion.state.v.len(), 0.0);
        evaluate(&mut motion.evaluator, &motion.state, &mut self.start)
    }

    /// Whether an adaptive step of length h that is good otherwise leaves bounds within which it has begun: it may have gone over to another
    /// solution, or past a pole.
    pub fn refuses(&mut self, motion: &mut Motion, h: f64) -> Result<bool, EvaluationError> {
        let [first, _] = self.refused.unwrap_or([h, 0.0]);
        if !self.adaptive || !self.bounded || h < SHORTEST * first {
            return Ok(false);
        }
        evaluate(&mut motion.evaluator, &motion.next, &mut self.at_end)?;
        if !self.leaves() {
            return Ok(false);
        }
        self.explain(motion)?;
        let leaves = self.leaves();
        if leaves {
            self.refused.get_or_insert([h, motion.next.t]);
        }
        Ok(leaves)
    }

    /// Whether the end of a step leaves a bound, as far as errors are known.
    fn leaves(&self) -> bool {
        let mut properties = self.properties.iter().enumerate();
        properties.any(|(index, property)| {
            let Some(bounds) = property.kind.bounds() else {
                return false;
            };
            let allowed = LEAVES / TOLERANCES * self.explained[index];
            let excess = |values: &[f64]| excess(values[index], bounds);
            excess(&self.values) <= allowed && excess(&self.at_end) > allowed
        })
    }

    /// Looks at the state that a step has led to.
    pub fn see(&mut self, motion: &mut Motion) -> Result<(), EvaluationError> {
        evaluate(&mut motion.evaluator, &motion.state, &mut self.values)?;
        let t = motion.state.t;
        if self.refused.is_some_and(|[_, end]| t >= end) {
            self.refused = None;
        }
        let mut errors_known = false;
        for index in 0..self.properties.len() {
            let value = self.values[index];
            let bounds = self.properties[index].kind.bounds();
            let allowed = bounds.unwrap_or([self.start[index]; 2]);
            let excess = |value: f64| excess(value, allowed);
            if !self.adaptive {
                let share = SHARE_OF_CONSTANT_STEPS * value.abs();
                self.explained[index] = self.explained[index].max(share);
            }
            // Errors are asked for where they matter.
            if self.adaptive && !errors_known && excess(value) > self.explained[index] {
                errors_known = true;
                self.explain(motion)?;
            }
            // What is not a number is not explained.
            if excess(value) <= self.explained[index] {
                continue;
            }
            let (name, explained) = (&self.properties[index].name, self.explained[index]);
            let known = self.violated[index].get_or_insert_with(|| ViolatedProperty {
                name: name.clone(),
                since: t,
                t,
                value,
                allowed,
                explained,
            });
            if excess(known.value) < excess(value) {
                (known.t, known.value, known.allowed) = (t, value, allowed);
                known.explained = explained;
            }
        }
        Ok(())
    }

    /// What changes of all components by their tolerances change.
    fn explain(&mut self, motion: &mut Motion) -> Result<(), EvaluationError> {
        let state = &motion.state;
        motion.norm.weigh(state, state);
        let scales = motion.norm.scales().to_vec();
        let (of_v, of_x) = (self.along.len(), 2 * self.along.len());
        let mut sums = vec![0.0; self.explained.len()];
        let mut moved = sums.clone();
        for (component, scale) in scales.iter().enumerate().take(of_x + state.x.len()) {
            self.beside.copy_from(&motion.state);
            if component < of_v {
                self.along.fill(0.0);
                self.along[component] = *scale;
                let space = &motion.evaluator.layout().space;
                space.retract(&motion.state.q, &self.along, &mut self.beside.q);
            } else if component < of_x {
                self.beside.v[component - of_v] += scale;
            } else {
                self.beside.x[component - of_x] += scale;
            }
            evaluate(&mut motion.evaluator, &self.beside, &mut moved)?;
            let pairs = moved.iter().zip(&self.values);
            for (sum, (moved, value)) in sums.iter_mut().zip(pairs) {
                *sum += (moved - value).abs();
            }
        }
        for (explained, sum) in self.explained.iter_mut().zip(sums) {
            *explained = explained.max(TOLERANCES * sum);
        }
        Ok(())
    }

    /// What was violated.
    pub fn into_violated(self) -> Vec<ViolatedProperty> {
        self.violated.into_iter().flatten().collect()
    }
}

/// How far a value is from where it should lie.
fn excess(value: f64, [lower, upper]: [f64; 2]) -> f64 {
    larger_or_nan(lower - value, value - upper)
}

/// Values at a state.
fn evaluate(system: &mut Evaluator, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
    property_values(system.system(), &state.point(), out)
}
