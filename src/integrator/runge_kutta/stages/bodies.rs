//! Stages of rigid bodies. Sums over stages do little with a number that comes from memory; they are made for some bodies at a
//! time, and the numbers of the next ones come while these are moved.

use crate::integrator::runge_kutta::components::LANES;
use crate::integrator::runge_kutta::sums::BLOCK;
use crate::manifold::{Manifold, PART};
use crate::memory::fetch;
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// How lists of u, v and x stand: parts begin `stride` numbers after each other.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub space_dimension: usize,
    pub stride: usize,
}

impl Places {
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
            Manifold::retract_part(increments.clone(), self.from, u, self.moved);
            if let Some(rate) = &mut self.u_rate {
                fetch(rate, own.end, PART);
                let v = &self.out[velocities][..u.len()];
                Manifold::dexp_inverse_part(u, v, &mut rate[increments]);
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
                Manifold::dexp_inverse_part(u, v, &mut rate[increments]);
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
