//! Stages of rigid bodies.
//!
//! A sum over stages does little with each number that comes from memory, and moving bodies needs few numbers. Both are done
//! for some bodies at a time: the numbers of the next ones come while these are moved.

use crate::integrator::runge_kutta::components::{Components, LANES};
use crate::integrator::runge_kutta::sums::BLOCK;
use crate::manifold::{PART, bodies};
use crate::memory::fetch;
use pulp::{Simd, WithSimd};
use std::ops::Range;

// Parts are whole vectors.
const _: () = assert!(PART.is_multiple_of(LANES));

/// How lists of u, v and x stand: parts begin `stride` numbers after each other.
#[derive(Clone, Copy)]
pub(super) struct Places {
    space_dimension: usize,
    stride: usize,
}

impl Places {
    pub fn of(components: Components) -> Self {
        Self {
            space_dimension: components.velocities(),
            stride: components.stride(),
        }
    }

    /// The places of u, some bodies at a time; what lies between u and v goes with the last of them.
    fn parts(self) -> impl Iterator<Item = Range<usize>> {
        let starts = (0..self.space_dimension).step_by(PART);
        starts.map(move |first| {
            let end = first + PART;
            first..if end < self.space_dimension {
                end
            } else {
                self.stride
            }
        })
    }

    /// The velocities of these bodies.
    fn velocities(self, own: &Range<usize>) -> Range<usize> {
        self.stride + own.start..self.stride + own.end
    }

    /// Those of these places that are numbers of u.
    fn increments(self, own: &Range<usize>) -> Range<usize> {
        own.start..own.end.min(self.space_dimension)
    }
}

/// `out = start + h Σ weight_j rates_j`, in the order of the stages, and where bodies are moved to by its increments u.
pub(super) struct MoveBodies<'a> {
    pub places: Places,
    /// Velocities and states; increments start at zero.
    pub start: &'a [f64],
    pub h: f64,
    /// Stages and their weights.
    pub terms: &'a [(usize, f64)],
    /// A further one for the increments alone.
    pub last: Option<(usize, f64)>,
    /// Rates of all stages, one list behind the other.
    pub rates: &'a [f64],
    pub out: &'a mut [f64],
    pub from: &'a [f64],
    pub moved: &'a mut [f64],
    /// For u' of the new stage, if it is wanted.
    pub u_rate: Option<&'a mut [f64]>,
}

impl WithSimd for MoveBodies<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _simd: S) {
        let (places, length) = (self.places, self.out.len());
        for own in places.parts() {
            let velocities = places.velocities(&own);
            self.sum::<true>(own.clone());
            self.sum::<false>(velocities.clone());
            for &(stage, _) in self.terms {
                fetch(self.rates, stage * length + own.end, PART);
                fetch(self.rates, stage * length + velocities.end, PART);
            }
            if let Some((stage, _)) = self.last {
                fetch(self.rates, stage * length + own.end, PART);
            }
            fetch(self.start, velocities.end, PART);
            fetch(self.out, own.end, PART);
            fetch(self.out, velocities.end, PART);
            let increments = places.increments(&own);
            let u = &self.out[increments.clone()];
            bodies::move_part(increments.clone(), self.from, u, self.moved);
            if let Some(rate) = &mut self.u_rate {
                fetch(rate, own.end, PART);
                let v = &self.out[velocities][..u.len()];
                bodies::dexp_inverse(u, v, &mut rate[increments]);
            }
        }
        self.sum::<false>(2 * places.stride..length);
    }
}

impl MoveBodies<'_> {
    /// Does the sum in these places, whole vectors. Increments start at zero, and may have a term more.
    #[inline(always)]
    fn sum<const OF_INCREMENTS: bool>(&mut self, own: Range<usize>) {
        let whole = own.start + (own.len() - own.len() % BLOCK);
        for first in (own.start..whole).step_by(BLOCK) {
            self.sum_lanes::<OF_INCREMENTS, BLOCK>(first);
        }
        for first in (whole..own.end).step_by(LANES) {
            self.sum_lanes::<OF_INCREMENTS, LANES>(first);
        }
    }

    #[inline(always)]
    fn sum_lanes<const OF_INCREMENTS: bool, const L: usize>(&mut self, first: usize) {
        let length = self.out.len();
        let mut sum = [0.0; L];
        if !OF_INCREMENTS {
            sum.copy_from_slice(&self.start[first..first + L]);
        }
        let further = self.last.filter(|_| OF_INCREMENTS);
        for &(stage, weight) in self.terms.iter().chain(&further) {
            let (factor, from) = (self.h * weight, stage * length + first);
            let rate = &self.rates[from..from + L];
            for lane in 0..L {
                sum[lane] += factor * rate[lane];
            }
        }
        self.out[first..first + L].copy_from_slice(&sum);
    }
}

/// A term that velocities and states still lack, and u' of the stage that they belong to, if it is wanted.
pub(super) struct SpeedUpBodies<'a> {
    pub places: Places,
    pub factor: f64,
    /// The list of the stage that the term belongs to.
    pub rates: &'a [f64],
    pub values: &'a mut [f64],
    pub u_rate: Option<&'a mut [f64]>,
}

impl WithSimd for SpeedUpBodies<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _simd: S) {
        let (places, length) = (self.places, self.values.len());
        for own in places.parts() {
            let velocities = places.velocities(&own);
            self.add(velocities.clone());
            fetch(self.rates, velocities.end, PART);
            fetch(self.values, velocities.end, PART);
            if let Some(rate) = &mut self.u_rate {
                fetch(rate, own.end, PART);
                fetch(self.values, own.end, PART);
                let increments = places.increments(&own);
                let v = &self.values[velocities][..increments.len()];
                let u = &self.values[increments.clone()];
                bodies::dexp_inverse(u, v, &mut rate[increments]);
            }
        }
        self.add(2 * places.stride..length);
    }
}

impl SpeedUpBodies<'_> {
    #[inline(always)]
    fn add(&mut self, own: Range<usize>) {
        let values = self.values[own.clone()].as_chunks_mut::<LANES>().0;
        for (value, rate) in values
            .iter_mut()
            .zip(self.rates[own].as_chunks::<LANES>().0)
        {
            for lane in 0..LANES {
                value[lane] += self.factor * rate[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Factor, Manifold};
    use pulp::Arch;

    /// Numbers in (-1, 1), of which none repeats soon.
    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        let number = |index: usize| (1.7 * index as f64 + 0.3 * seed as f64).sin();
        (0..count).map(number).collect()
    }

    /// Some bodies and states: parts that are not full, lists whose parts begin behind a gap, a sum with a term for increments
    /// alone, and the term that velocities lack.
    #[test]
    fn parts_are_the_whole() {
        for (bodies, states) in [(1, 0), (3, 2), (8, 0), (9, 5), (17, 1), (32, 0)] {
            let factors = (0..bodies).flat_map(|_| [Factor::Euclidean(3), Factor::Rotation]);
            let space = Manifold::new(factors);
            let dimension = space.dimension();
            let places = Places {
                space_dimension: dimension,
                stride: dimension.next_multiple_of(LANES),
            };
            let length = (2 * places.stride + states).next_multiple_of(BLOCK);
            let (h, terms, last) = (0.1, [(0, 0.5), (2, -0.75)], (1, 0.3));
            let (rates, start) = (numbers(3 * length, 1), numbers(length, 2));
            let mut from = vec![0.0; space.coordinates()];
            let mut neutral = from.clone();
            space.identity(&mut neutral);
            space.retract(&neutral, &numbers(dimension, 3), &mut from);
            let mut out = vec![f64::NAN; length];
            let mut moved = vec![f64::NAN; from.len()];
            let mut u_rate = vec![f64::NAN; length];
            let arch = Arch::new();
            arch.dispatch(MoveBodies {
                places,
                start: &start,
                h,
                terms: &terms,
                last: Some(last),
                rates: &rates,
                out: &mut out,
                from: &from,
                moved: &mut moved,
                u_rate: Some(&mut u_rate),
            });
            let sum = |index: usize| {
                let is_increment = index < places.stride;
                let begin = if is_increment { 0.0 } else { start[index] };
                let further = is_increment.then_some(last);
                let all = terms.into_iter().chain(further);
                all.fold(begin, |sum, (stage, weight)| {
                    sum + h * weight * rates[stage * length + index]
                })
            };
            let expected: Vec<f64> = (0..length).map(sum).collect();
            assert_eq!(out, expected, "{bodies}");
            let (u, v) = (
                &expected[..dimension],
                &expected[places.stride..][..dimension],
            );
            let (mut there, mut rate) = (vec![0.0; from.len()], vec![0.0; dimension]);
            space.retract(&from, u, &mut there);
            space.dexp_inverse(u, v, &mut rate);
            assert_eq!(moved, there, "{bodies}");
            assert_eq!(u_rate[..dimension], rate, "{bodies}");

            u_rate.fill(f64::NAN);
            arch.dispatch(SpeedUpBodies {
                places,
                factor: 0.2,
                rates: &rates[..length],
                values: &mut out,
                u_rate: Some(&mut u_rate),
            });
            let faster = |index: usize| {
                let more = if index < places.stride {
                    0.0
                } else {
                    0.2 * rates[index]
                };
                expected[index] + more
            };
            let expected: Vec<f64> = (0..length).map(faster).collect();
            assert_eq!(out, expected, "{bodies}");
            space.dexp_inverse(u, &expected[places.stride..][..dimension], &mut rate);
            assert_eq!(u_rate[..dimension], rate, "{bodies}");
        }
    }
}
