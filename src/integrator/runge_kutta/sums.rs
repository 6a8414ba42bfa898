//! Sums over the stages of a Runge-Kutta method.

use super::components::LANES;
use pulp::{Simd, WithSimd};

/// Weights of the stages in a sum, without those that are zero: tableaus are sparse, and zeros are not worth a pass.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrator) struct Weights<const S: usize> {
    /// The first `count` of these: stages, ascending, and their weights.
    terms: [(usize, f64); S],
    count: usize,
}

impl<const S: usize> Weights<S> {
    /// Of a row of a tableau.
    pub const fn new(row: &[f64; S]) -> Self {
        let mut weights = Self {
            terms: [(0, 0.0); S],
            count: 0,
        };
        let mut stage = 0;
        while stage < S {
            if row[stage] != 0.0 {
                weights.terms[weights.count] = (stage, row[stage]);
                weights.count += 1;
            }
            stage += 1;
        }
        weights
    }

    /// Of all rows of a tableau.
    pub const fn all<const R: usize>(rows: &[[f64; S]; R]) -> [Self; R] {
        let mut all = [Self::new(&[0.0; S]); R];
        let mut row = 0;
        while row < R {
            all[row] = Self::new(&rows[row]);
            row += 1;
        }
        all
    }

    /// The weight of the last stage that has one.
    pub fn last(&self) -> f64 {
        self.terms().last().map_or(0.0, |&(_, weight)| weight)
    }

    /// Stages and their weights, ascending.
    pub fn terms(&self) -> &[(usize, f64)] {
        &self.terms[..self.count.min(S)]
    }
}

/// Numbers that are summed at a time: they stay in registers, whatever the number of terms.
pub(super) const BLOCK: usize = 16;

/// A part of a list.
pub(super) type Block = [f64; BLOCK];

/// `out = start + h Σ weight_j rates_j`, in the order of the stages.
pub(super) struct Sum<'a> {
    pub start: &'a [Block],
    pub h: f64,
    /// Stages and their weights.
    pub terms: &'a [(usize, f64)],
    /// Rates of all stages, one list behind the other.
    pub rates: &'a [Block],
    pub out: &'a mut [Block],
}

/// A sum whose first numbers are the increments u of a configuration on a vector space, `moved = from + u`. Behind them stand velocities,
/// which are the rates of u.
pub(super) struct SumAndMove<'a> {
    pub sum: Sum<'a>,
    pub from: &'a [f64],
    pub moved: &'a mut [f64],
    /// From u to the velocities: whole vectors.
    pub stride: usize,
    /// For the rates, first of all those of u.
    pub rate: &'a mut [f64],
}

impl WithSimd for SumAndMove<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let increments = self.sum.add_up();
        let (increments, velocities) = increments.as_flattened().split_at(self.stride);
        copy(velocities, &mut self.rate[..self.stride]);
        move_by(increments, self.from, self.moved);
    }
}

/// A sum that lacks what its last term adds behind the increments u of a configuration. On a vector space `moved = from + u`; elsewhere
/// `moved` is nothing yet.
pub(super) struct Prediction<'a> {
    pub sum: Sum<'a>,
    /// The stage of the last term, and its weight.
    pub last: (usize, f64),
    pub from: &'a [f64],
    pub moved: &'a mut [f64],
    /// Numbers of u, in whole vectors.
    pub stride: usize,
}

impl WithSimd for Prediction<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let (h, rates, (stage, weight)) = (self.sum.h, self.sum.rates, self.last);
        let out = self.sum.add_up();
        let rate = &rates[stage * out.len()..].as_flattened()[..self.stride];
        let increments = &mut out.as_flattened_mut()[..self.stride];
        add(h * weight, rate, increments);
        move_by(increments, self.from, self.moved);
    }
}

/// What a prediction lacks: a term for velocities and states, and u' = v of the stage that they belong to where it has room.
pub(super) struct Advance<'a> {
    pub values: &'a mut [f64],
    pub factor: f64,
    pub rates: &'a [f64],
    pub u_rate: &'a mut [f64],
}

impl WithSimd for Advance<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        add(self.factor, self.rates, self.values);
        copy(self.values, self.u_rate);
    }
}

/// `moved = from + increments`.
#[inline(always)]
fn move_by(increments: &[f64], from: &[f64], moved: &mut [f64]) {
    let (increments, last) = increments[..from.len()].as_chunks::<2>();
    let (moved, last_moved) = moved.as_chunks_mut::<2>();
    let (from, last_from) = from.as_chunks::<2>();
    for ((moved, from), increments) in moved.iter_mut().zip(from).zip(increments) {
        *moved = [increments[0] + from[0], increments[1] + from[1]];
    }
    if let ([moved], [from], [increment]) = (last_moved, last_from, last) {
        *moved = increment + from;
    }
}

/// `values += factor rates`, lists of whole vectors.
#[inline(always)]
fn add(factor: f64, rates: &[f64], values: &mut [f64]) {
    let values = values.as_chunks_mut::<LANES>().0;
    for (value, rate) in values.iter_mut().zip(rates.as_chunks::<LANES>().0) {
        let mut sum = *value;
        for lane in 0..LANES {
            sum[lane] += factor * rate[lane];
        }
        *value = sum;
    }
}

/// Copies a list of whole vectors; without the call that copies of any length are.
#[inline(always)]
fn copy(from: &[f64], to: &mut [f64]) {
    let to = to.as_chunks_mut::<LANES>().0;
    for (to, from) in to.iter_mut().zip(from.as_chunks::<LANES>().0) {
        *to = *from;
    }
}

impl<'a> Sum<'a> {
    /// Does the sum, and hands out what it has written.
    #[inline(always)]
    fn add_up(self) -> &'a mut [Block] {
        let length = self.out.len();
        for (index, (out, start)) in self.out.iter_mut().zip(self.start).enumerate() {
            let mut sum = *start;
            for &(stage, weight) in self.terms {
                let (factor, rate) = (self.h * weight, &self.rates[stage * length + index]);
                for lane in 0..BLOCK {
                    sum[lane] += factor * rate[lane];
                }
            }
            *out = sum;
        }
        self.out
    }
}

/// Vectors as wide as the processor's: no product is fused with a sum, and results are the same everywhere.
impl WithSimd for Sum<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.add_up();
    }
}

/// out += h Σ row_j rates_j over the first `count` stages.
pub(in crate::integrator) fn accumulate<const S: usize>(
    h: f64,
    row: &[f64; S],
    count: usize,
    rates: &[Vec<f64>; S],
    out: &mut [f64],
) {
    if out.is_empty() {
        return;
    }
    // Tableaus are sparse: zeros are not worth a pass over the state.
    let (mut order, mut left) = ([0; S], 0);
    for (stage, &weight) in row.iter().enumerate().take(count) {
        order[left] = stage;
        left += usize::from(weight != 0.0);
    }
    let term = |stage: usize| (h * row[stage], &rates[stage][..]);
    // Four at a time: sums stay in registers.
    let (fours, rest) = order[..left].as_chunks::<4>();
    for &[a, b, c, d] in fours {
        add_terms([term(a), term(b), term(c), term(d)], out);
    }
    match *rest {
        [a, b, c] => add_terms([term(a), term(b), term(c)], out),
        [a, b] => add_terms([term(a), term(b)], out),
        [a] => add_terms([term(a)], out),
        _ => {}
    }
}

/// out += Σ factor_k rate_k, in this order.
fn add_terms<const K: usize>(terms: [(f64, &[f64]); K], out: &mut [f64]) {
    let (pairs, last) = out.as_chunks_mut::<2>();
    let mut lists = [&[][..]; K];
    for (list, (_, rate)) in lists.iter_mut().zip(&terms) {
        *list = &rate.as_chunks::<2>().0[..pairs.len()];
    }
    for (index, pair) in pairs.iter_mut().enumerate() {
        let mut sum = *pair;
        for k in 0..K {
            for lane in 0..2 {
                sum[lane] += terms[k].0 * lists[k][index][lane];
            }
        }
        *pair = sum;
    }
    if let [last] = last {
        for (factor, rate) in terms {
            *last += factor * rate[rate.len() - 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Arch;

    /// Coordinates u of an odd number, velocities behind them at a whole vector, and a state.
    #[test]
    fn velocities_of_a_sum_become_rates_of_its_coordinates() {
        let (count, stride) = (5, 8);
        let start: Vec<Block> = vec![std::array::from_fn(|k| k as f64), [0.5; BLOCK]];
        let rates: Vec<Block> = vec![std::array::from_fn(|k| 10.0 * k as f64), [3.0; BLOCK]];
        let (mut out, mut rate) = (vec![[f64::NAN; BLOCK]; 2], vec![f64::NAN; 2 * BLOCK]);
        let from: Vec<f64> = (0..count).map(|k| 100.0 * k as f64).collect();
        let mut moved = vec![f64::NAN; count];
        Arch::new().dispatch(SumAndMove {
            sum: Sum {
                start: &start,
                h: 0.1,
                terms: &[(0, 1.0)],
                rates: &rates,
                out: &mut out,
            },
            from: &from,
            moved: &mut moved,
            stride,
            rate: &mut rate,
        });
        let out = out.as_flattened();
        for k in 0..count {
            assert_eq!(moved[k], out[k] + from[k]);
            assert_eq!(rate[k], out[stride + k]);
            assert_eq!(out[k], k as f64 + 0.1 * (10.0 * k as f64));
        }
        // The rates of velocities and of states are not known yet.
        assert!(rate[stride..].iter().all(|rate| rate.is_nan()));
    }

    /// What a prediction leaves out of velocities is added later: both together are the whole sum, bit by bit.
    #[test]
    fn a_prediction_and_what_it_lacks_are_the_sum() {
        let (count, stride) = (7, 8);
        let number = |k: usize| ((k * 7919) % 1009) as f64 / 37.0 - 13.0;
        let list = |first: usize, blocks: usize| -> Vec<Block> {
            let block = |block: usize| std::array::from_fn(|k| number(first + block * BLOCK + k));
            (0..blocks).map(block).collect()
        };
        let (start, rates, terms) = (list(5, 2), list(77, 6), [(0, 0.3), (2, -0.7)]);
        let sum = |out: &mut [Block], terms: &[(usize, f64)]| {
            Arch::new().dispatch(Sum {
                start: &start,
                h: 0.37,
                terms,
                rates: &rates,
                out,
            });
        };
        let [mut whole, mut known] = [list(0, 2), list(0, 2)];
        sum(&mut whole, &terms);
        sum(&mut known, &terms[..1]);
        let from: Vec<f64> = (0..count).map(number).collect();
        let (mut out, mut moved) = (list(0, 2), vec![f64::NAN; count]);
        Arch::new().dispatch(Prediction {
            sum: Sum {
                start: &start,
                h: 0.37,
                terms: &terms[..1],
                rates: &rates,
                out: &mut out,
            },
            last: terms[1],
            from: &from,
            moved: &mut moved,
            stride,
        });
        let (out, whole, known) = (
            out.as_flattened_mut(),
            whole.as_flattened(),
            known.as_flattened(),
        );
        assert_eq!(out[..stride], whole[..stride]);
        assert_eq!(out[stride..], known[stride..]);
        for k in 0..count {
            assert_eq!(moved[k], from[k] + whole[k]);
        }
        let mut u_rate = vec![f64::NAN; stride];
        Arch::new().dispatch(Advance {
            values: &mut out[stride..],
            factor: 0.37 * terms[1].1,
            rates: &rates[2 * terms[1].0..][..2].as_flattened()[stride..],
            u_rate: &mut u_rate,
        });
        assert_eq!(out, whole);
        assert_eq!(u_rate, whole[stride..2 * stride]);
    }

    #[test]
    fn sums_have_the_order_of_the_stages() {
        const STAGES: usize = 6;
        let row = [0.1, 0.0, -0.7, 1e9, 0.0, 0.3];
        let (length, h) = (3, 0.37);
        let number = |k: usize| ((k * 7919) % 1009) as f64 / 37.0 - 13.0;
        let list = |first: usize, blocks: usize| -> Vec<Block> {
            let block = |block: usize| std::array::from_fn(|k| number(first + block * BLOCK + k));
            (0..blocks).map(block).collect()
        };
        let (start, rates) = (list(5, length), list(77, STAGES * length));
        let mut out = list(0, length);
        Arch::new().dispatch(Sum {
            start: &start,
            h,
            terms: Weights::new(&row).terms(),
            rates: &rates,
            out: &mut out,
        });
        let (start, rates) = (start.as_flattened(), rates.as_flattened());
        for (k, found) in out.as_flattened().iter().enumerate() {
            let mut expected = start[k];
            for stage in [0, 2, 3, 5] {
                expected += h * row[stage] * rates[stage * length * BLOCK + k];
            }
            assert_eq!(*found, expected);
        }
    }
}
