//! First guesses from the last steps.

use crate::manifold::PART;
use crate::memory::fetch;
use std::ops::Range;

/// Numbers that stay in the first-level cache.
const AT_HAND: usize = 256;

/// Polynomials reach this many times as far as two of their nodes are apart.
const FURTHEST: f64 = 100.0;

/// Values of the last steps, extrapolated in time to the next by the polynomial through them.
///
/// A high degree pays where the solution is smooth; where it is stiff or noisy, degree 0 repeats the last values.
pub(crate) struct Extrapolation {
    /// The newest first.
    values: Vec<Vec<f64>>,
    times: Vec<f64>,
    known: usize,
}

impl Extrapolation {
    pub fn new(length: usize, degree: usize) -> Self {
        Self {
            values: vec![vec![0.0; length]; degree + 1],
            times: vec![0.0; degree + 1],
            known: 0,
        }
    }

    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Adds the values that belong to time `t`; a time not after the last one starts the history anew.
    pub fn push(&mut self, t: f64, values: &[f64]) {
        self.begin_to_push(t);
        self.values[0].copy_from_slice(values);
    }

    /// As [`push`](Self::push), for values that are all handed in [part by part](Self::push_part) then.
    pub fn begin_to_push(&mut self, t: f64) {
        if self.known > 0 && t <= self.times[0] {
            self.known = 0;
        }
        self.values.rotate_right(1);
        self.times.rotate_right(1);
        self.times[0] = t;
        self.known = (self.known + 1).min(self.values.len());
    }

    /// Takes these of all values over.
    pub fn push_part(&mut self, own: Range<usize>, values: &[f64]) {
        self.values[0][own.clone()].copy_from_slice(&values[own]);
    }

    /// Asks for where values of the bodies from here on are going to be pushed.
    pub fn fetch_newest(&self, first: usize) {
        fetch(&self.values[0], first, PART);
    }

    /// Writes the value expected at `t`, or these where nothing is known.
    pub fn predict_or(&self, known: &[f64], t: f64, out: &mut [f64]) {
        self.predict_part(known, t, 0, out);
    }

    /// The same for some numbers from here on.
    pub fn predict_part(&self, known: &[f64], t: f64, first: usize, out: &mut [f64]) {
        if self.known == 0 {
            out.copy_from_slice(&known[first..first + out.len()]);
        }
        self.predict_from(first, t, out);
    }

    /// Asks for the values of the bodies from here on.
    pub fn fetch(&self, first: usize) {
        for values in &self.values[..self.known] {
            fetch(values, first, PART);
        }
    }

    /// Writes the value expected at `t`; leaves `out` alone when nothing is known.
    pub fn predict(&self, t: f64, out: &mut [f64]) {
        self.predict_from(0, t, out);
    }

    /// How many of the values a polynomial up to `t` goes through: those of two moments so near to each other, as at the ends of a very
    /// short step, say nothing of a slope.
    fn usable(&self, t: f64) -> usize {
        let times = &self.times[..self.known];
        let nearest = (t - times[0]) / FURTHEST;
        let are_near = |pair: &[f64]| pair[0] - pair[1] < nearest;
        let near = times.windows(2).position(are_near);
        near.map_or(self.known, |index| index + 1)
    }

    fn predict_from(&self, first: usize, t: f64, out: &mut [f64]) {
        if self.known == 0 {
            return;
        }
        // The Lagrange polynomial of a node.
        let times = &self.times[..self.usable(t)];
        let weight = |node: &f64| -> f64 {
            let others = times.iter().filter(|other| *other != node);
            others.map(|other| (t - other) / (node - other)).product()
        };
        if let ([a, b, c], [newest, second, third]) = (times, &self.values[..]) {
            let weights = [a, b, c].map(weight);
            let values = newest[first..]
                .iter()
                .zip(&second[first..])
                .zip(&third[first..]);
            for (out, ((newest, second), third)) in out.iter_mut().zip(values) {
                *out = 0.0 + weights[0] * newest + weights[1] * second + weights[2] * third;
            }
            return;
        }
        for (part, out) in out.chunks_mut(AT_HAND).enumerate() {
            out.fill(0.0);
            for (node, values) in times.iter().zip(&self.values) {
                let weight = weight(node);
                for (slot, value) in out.iter_mut().zip(&values[first + part * AT_HAND..]) {
                    *slot += weight * value;
                }
            }
        }
    }
}
