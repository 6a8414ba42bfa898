//! The polynomial of the formula within its last step.

use super::history::History;
use crate::manifold::Manifold;
use crate::system::State;

/// Everything within a step of order k: the polynomial of degree k through the end of the step and the k states before, from which
/// the formula takes its rates. Its error is part of the error test. A quintic through velocities and accelerations at
/// both ends would divide errors of configurations by the step.
pub(super) struct Output {
    degree: usize,
    /// As long as the history lacks the end of the step: what it adds to the polynomial through the states before it, and the factor of
    /// that.
    closing: Option<f64>,
    lacks: Vec<f64>,
    /// Values and rates.
    values: Vec<[f64; 2]>,
    local: Vec<f64>,
    /// At index 3 those of the formula are off behind every change of the step.
    with_multipliers: bool,
}

impl Output {
    /// Allocates for states of this shape.
    pub fn new(state: &State, with_multipliers: bool) -> Self {
        let count = 2 * state.v.len() + state.x.len() + state.z.len() + state.lambda.len();
        Self {
            degree: 1,
            closing: None,
            lacks: vec![0.0; count],
            values: vec![[0.0; 2]; count],
            local: vec![0.0; state.v.len()],
            with_multipliers,
        }
    }

    /// Prepares the polynomial of a step of this order that ends in `to`, which the history may have taken already.
    pub fn prepare(&mut self, history: &History, space: &Manifold, order: usize, to: &State) {
        self.closing = None;
        if history.newest() == to.t {
            self.degree = order;
            return;
        }
        // Through as many states before the end as the order.
        let before = order.min(history.points());
        self.degree = before - 1;
        history.values(self.degree, to.t, &mut self.values);
        if !self.local.is_empty() {
            space.lift(history.base(), &to.q, &mut self.local);
        }
        let parts = [&self.local, &to.v, &to.x, &to.z, &to.lambda];
        let ends = parts.into_iter().flatten();
        for ((slot, end), [value, _]) in self.lacks.iter_mut().zip(ends).zip(&self.values) {
            *slot = end - value;
        }
        let [product, _] = history.product(before, to.t);
        self.closing = Some(1.0 / product);
    }

    /// Puts the values at `t` into a state.
    pub fn interpolate(&mut self, history: &History, space: &Manifold, t: f64, out: &mut State) {
        history.values(self.degree, t, &mut self.values);
        if let Some(closing) = self.closing {
            let part = history.product(self.degree + 1, t);
            let part = part.map(|part| closing * part);
            for (value, lacks) in self.values.iter_mut().zip(&self.lacks) {
                *value = [0, 1].map(|at| value[at] + part[at] * lacks);
            }
        }
        let mut rest = &self.values[..];
        if !self.local.is_empty() {
            let (u, others) = rest.split_at(self.local.len());
            let (v, others) = others.split_at(self.local.len());
            take(u, &mut self.local);
            take(v, &mut out.v);
            for (acceleration, [_, rate]) in out.acceleration.iter_mut().zip(v) {
                *acceleration = *rate;
            }
            space.retract(history.base(), &self.local, &mut out.q);
            rest = others;
        }
        let (x, rest) = rest.split_at(out.x.len());
        let (z, lambda) = rest.split_at(out.z.len());
        take(x, &mut out.x);
        take(z, &mut out.z);
        if self.with_multipliers {
            take(lambda, &mut out.lambda);
        }
    }
}

/// Values without their rates.
fn take(values: &[[f64; 2]], out: &mut [f64]) {
    for (slot, [value, _]) in out.iter_mut().zip(values) {
        *slot = *value;
    }
}
