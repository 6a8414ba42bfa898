//! Stages of systems of configurations in a vector space and their velocities, which nothing but forces moves: one piece of code from
//! stage to stage.

use super::Stages;
use crate::integrator::runge_kutta::sums::{Sum, SumAndMove, Weights};
use crate::system::{Point, State};
use pulp::{Simd, WithSimd};
use std::ops::Range;

/// A row of such stages.
struct FreeStages<'a, F, const S: usize> {
    stages: &'a mut Stages<S>,
    from: &'a State,
    h: f64,
    /// Nodes and rows of the tableau.
    tableau: (&'a [f64; S], &'a [Weights<S>; S]),
    slots: Range<usize>,
    accelerate: F,
}

impl<const S: usize> Stages<S> {
    /// Whether there is nothing but configurations in a vector space and their velocities.
    #[inline]
    pub fn are_motions_in_vector_space(&self, from: &State) -> bool {
        self.is_plain && from.x.is_empty()
    }

    /// Moves on from stage to stage, by steps of `h`, where [`are_motions_in_vector_space`](Self::are_motions_in_vector_space).
    /// `accelerate` gives v' at a point; where it answers that it cannot, the number of its stage is returned, to be taken in another
    /// way, and the end of `slots` otherwise.
    #[inline]
    pub fn take_free<E>(
        &mut self,
        from: &State,
        h: f64,
        tableau: (&[f64; S], &[Weights<S>; S]),
        slots: Range<usize>,
        accelerate: impl FnMut(&Point, &mut [f64]) -> Result<bool, E>,
    ) -> Result<usize, E> {
        let arch = self.arch;
        arch.dispatch(FreeStages {
            stages: self,
            from,
            h,
            tableau,
            slots,
            accelerate,
        })
    }
}

impl<E, F: FnMut(&Point, &mut [f64]) -> Result<bool, E>, const S: usize> WithSimd
    for FreeStages<'_, F, S>
{
    type Output = Result<usize, E>;
    #[inline(always)]
    fn with_simd<V: Simd>(self, simd: V) -> Self::Output {
        let Self {
            stages,
            from,
            h,
            tableau: (nodes, rows),
            slots,
            mut accelerate,
        } = self;
        let (stride, length) = (stages.components.stride(), stages.components.blocks());
        // Slices: what `accelerate` does cannot change where they are.
        let (start, from_q, mode) = (&stages.start[..], &from.q[..], &from.mode[..]);
        let (values, q) = (&mut stages.now.values[..], &mut stages.now.q[..]);
        let (lists, t, velocities) = (&mut stages.rates.lists[..], from.t, from.v.len());
        let end = slots.end;
        for slot in slots {
            let (known, own) = lists.split_at_mut(slot * length);
            let rate = own.as_flattened_mut();
            SumAndMove {
                sum: Sum {
                    start,
                    h,
                    terms: rows[slot].terms(),
                    rates: known,
                    out: &mut *values,
                },
                from: from_q,
                moved: &mut *q,
                stride,
                rate: &mut *rate,
            }
            .with_simd(simd);
            let own = stride..stride + velocities;
            let at = Point {
                t: t + nodes[slot] * h,
                q,
                v: &values.as_flattened()[own.clone()],
                x: &[],
                z: &[],
                lambda: &[],
                mode,
            };
            if !accelerate(&at, &mut rate[own])? {
                return Ok(slot);
            }
        }
        Ok(end)
    }
}
