//! Bounds that a state keeps while equations are solved for parts of it.

use crate::system::{EvaluationError, Evaluator, Property, State, properties, property_values};

/// The bounded quantities that a state has within their bounds, see [`Property`](crate::system::Property).
pub(super) struct Bounds {
    /// By the number of the quantity: lower and upper bound.
    held: Vec<(usize, [f64; 2])>,
    /// Values of all quantities.
    values: Vec<f64>,
}

impl Bounds {
    /// Those that hold at this state.
    pub fn held_at(system: &mut Evaluator, state: &State) -> Result<Self, EvaluationError> {
        let stated = properties(system.system());
        let bounds_of =
            |(index, property): (usize, &Property)| Some((index, property.kind.bounds()?));
        let mut bounds = Self {
            held: stated.iter().enumerate().filter_map(bounds_of).collect(),
            values: vec![0.0; stated.len()],
        };
        bounds.evaluate(system, state)?;
        let Self { held, values } = &mut bounds;
        held.retain(|&(index, bounds)| is_within(values[index], bounds));
        Ok(bounds)
    }

    /// Whether all of them hold at another state.
    pub fn hold(&mut self, system: &mut Evaluator, state: &State) -> Result<bool, EvaluationError> {
        self.evaluate(system, state)?;
        let mut held = self.held.iter();
        Ok(held.all(|&(index, bounds)| is_within(self.values[index], bounds)))
    }

    fn evaluate(&mut self, system: &mut Evaluator, state: &State) -> Result<(), EvaluationError> {
        if self.held.is_empty() {
            return Ok(());
        }
        property_values(system.system(), &state.point(), &mut self.values)
    }
}

fn is_within(value: f64, [lower, upper]: [f64; 2]) -> bool {
    (lower..=upper).contains(&value)
}
