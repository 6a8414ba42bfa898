//! The collocation polynomial of an accepted step.

use super::transform::{Mix, combine};
use crate::integrator::shared::implicit::Unknowns;
use crate::integrator::tableau::radau5::{C, STAGES};
use crate::manifold::Manifold;
use crate::system::{Layout, State, copy_part};
use std::ops::Range;

/// The polynomial of degree 3 in local coordinates around the start of a step, through the start and the stages.
pub(super) struct Collocation {
    /// Whether there is a step yet.
    pub known: bool,
    t: f64,
    h: f64,
    base: Vec<f64>,
    start: Vec<f64>,
    stages: [Vec<f64>; STAGES],
    /// What the accelerations, algebraic variables and multipliers of the states at both ends differ by from the stages.
    completions: [Vec<f64>; 2],
    q: Vec<f64>,
    value: Vec<f64>,
}

impl Collocation {
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Self {
        let values = || vec![0.0; unknowns.padded_len()];
        Self {
            known: false,
            t: 0.0,
            h: 0.0,
            base: layout.state().q,
            start: values(),
            stages: [values(), values(), values()],
            completions: [values(), values()],
            q: layout.state().q,
            value: values(),
        }
    }

    /// Takes an accepted step, its start and the increments of its stages, for those of the step before.
    #[inline]
    pub fn take(
        &mut self,
        from: &State,
        h: f64,
        start: &mut Vec<f64>,
        stages: &mut [Vec<f64>; STAGES],
    ) {
        self.begin(from, h);
        std::mem::swap(&mut self.start, start);
        std::mem::swap(&mut self.stages, stages);
    }

    fn begin(&mut self, from: &State, h: f64) {
        self.known = true;
        (self.t, self.h) = (from.t, h);
        copy_part(&mut self.base, &from.q);
    }

    /// Keeps a step for dense output between the states `from` and `to`, either of which may have been completed.
    pub fn keep_between(
        &mut self,
        unknowns: &Unknowns,
        (from, to): (&State, &State),
        start: &[f64],
        stages: &[Vec<f64>; STAGES],
    ) {
        self.begin(from, to.t - from.t);
        self.start.copy_from_slice(start);
        for (kept, stage) in self.stages.iter_mut().zip(stages) {
            kept.copy_from_slice(stage);
        }
        let last = &self.stages[STAGES - 1];
        for (completion, state) in self.completions.iter_mut().zip([from, to]) {
            unknowns.load(state, completion);
        }
        let [at_start, at_end] = &mut self.completions;
        for (at, start) in start.iter().enumerate() {
            // What completion changed: state less polynomial, at θ = 0 and θ = 1.
            at_start[at] -= start;
            at_end[at] -= start + last[at];
        }
    }

    /// Increments since the start of the step at its fraction `theta`, into `self.value`.
    fn increments(&mut self, theta: f64) {
        combine(&weights(theta), &self.stages, &mut self.value);
    }

    /// Some unknowns at the end of the step.
    pub fn end(&self, unknowns: Range<usize>, out: &mut [f64]) {
        let last = &self.stages[STAGES - 1];
        for (at, slot) in unknowns.zip(out) {
            *slot = self.start[at] + last[at];
        }
    }

    /// The start of the step, and the increments of its stages.
    pub fn step(&self) -> (&[f64], &[Vec<f64>; STAGES]) {
        (&self.start, &self.stages)
    }

    /// What makes increments of a next step of size `h` of those of this one, on vector spaces: the polynomial goes on.
    pub fn continuation(&self, h: f64) -> Mix {
        let mut rows = [[0.0; STAGES]; STAGES];
        for (row, c) in rows.iter_mut().zip(C) {
            *row = weights(1.0 + c * h / self.h);
            // Less the increment of the last stage, the end of this step.
            row[STAGES - 1] -= 1.0;
        }
        rows
    }

    /// Extrapolates to the time `t` as increments since the end of the step, in local coordinates around `end`, its
    /// configuration.
    pub fn extrapolate(
        &mut self,
        space: &Manifold,
        unknowns: &Unknowns,
        end: &[f64],
        t: f64,
        out: &mut [f64],
    ) {
        // θ > 1 beyond the end: the polynomial of the last step goes on.
        self.increments((t - self.t) / self.h);
        let last = &self.stages[STAGES - 1];
        for ((slot, value), end) in out.iter_mut().zip(&self.value).zip(last) {
            *slot = value - end;
        }
        if !space.is_euclidean() {
            // From coordinates around the old base to those around its end.
            space.retract(&self.base, &self.value[unknowns.u()], &mut self.q);
            space.lift(end, &self.q, &mut out[unknowns.u()]);
        }
    }

    /// The state at time `t` within the step, all but its modes. Where accelerations, algebraic variables and multipliers
    /// of its ends have been completed, the difference from the stages is spread linearly over the step, so that the
    /// polynomial meets the states at both ends; its order is that of the stages.
    pub fn at(&mut self, space: &Manifold, unknowns: &Unknowns, t: f64, out: &mut State) {
        let theta = (t - self.t) / self.h;
        // The end is met exactly, whatever the round-off of its time.
        let at_end = (theta - 1.0).abs() <= 4.0 * f64::EPSILON * (t / self.h).abs().max(1.0);
        let theta = if at_end { 1.0 } else { theta };
        self.increments(theta);
        for (value, start) in self.value.iter_mut().zip(&self.start) {
            *value += start;
        }
        let [at_start, at_end] = &self.completions;
        for at in unknowns.without_rate() {
            self.value[at] += (1.0 - theta) * at_start[at] + theta * at_end[at];
        }
        out.t = t;
        unknowns.store(space, &self.base, &self.value, out);
    }
}

/// The Lagrange polynomials of the stages, which vanish at 0 and at the other nodes:
/// θ (θ - c_j) (θ - c_k) / (c_i (c_i - c_j) (c_i - c_k)).
#[inline(always)]
fn weights(theta: f64) -> [f64; STAGES] {
    const INVERSE: [f64; STAGES] = {
        let [a, b, c] = C;
        [
            1.0 / (a * (a - b) * (a - c)),
            1.0 / (b * (b - a) * (b - c)),
            1.0 / (c * (c - a) * (c - b)),
        ]
    };
    let [a, b, c] = [theta - C[0], theta - C[1], theta - C[2]];
    [
        theta * b * c * INVERSE[0],
        theta * a * c * INVERSE[1],
        theta * a * b * INVERSE[2],
    ]
}
