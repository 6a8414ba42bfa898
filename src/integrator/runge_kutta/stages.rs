//! Stages of a Runge-Kutta method in local coordinates of the group.

mod bodies;
mod free;

use super::components::Components;
use super::sums::{Advance, Block, Prediction, Sum, SumAndMove, Weights};
use crate::manifold::Manifold;
use crate::system::{State, copy_part};
use bodies::{MoveBodies, Places, SpeedUpBodies};
use pulp::Arch;
use std::ops::Range;

/// Values and rates of the stages: u' in local coordinates around the start of the step, v' and x'.
pub(in crate::integrator) struct Stages<const S: usize> {
    /// The current stage.
    pub now: Stage,
    /// The one that follows, whose velocities may not be known yet.
    pub next: Stage,
    /// Rates of all stages.
    pub rates: Rates<S>,
    /// u = 0, v and x at the start of the step.
    start: Vec<Block>,
    zeros: Vec<Block>,
    components: Components,
    /// Configurations are a vector space: u' = v, and they are moved by sums.
    is_plain: bool,
    /// Configurations are those of rigid bodies.
    is_of_bodies: bool,
    arch: Arch,
}

/// A stage: its configuration, and (u, v, x).
pub(in crate::integrator) struct Stage {
    pub q: Vec<f64>,
    values: Vec<Block>,
    components: Components,
}

/// (u', v', x') of each stage, u' = dexp⁻¹(u) v.
pub(in crate::integrator) struct Rates<const S: usize> {
    /// One list behind the other.
    lists: Vec<Block>,
    components: Components,
}

impl Stage {
    /// u, v and x.
    #[inline]
    pub fn parts(&self) -> [&[f64]; 3] {
        self.components.split(&self.values)
    }

    /// Moves the configuration to where u leads from the start of the step.
    #[inline]
    fn configure(&mut self, space: &Manifold, from: &State) {
        let [u, _, _] = self.components.split(&self.values);
        space.retract(&from.q, u, &mut self.q);
    }

    /// The velocity, to write to.
    pub fn v_mut(&mut self) -> &mut [f64] {
        let [_, v, _] = self.components.split_mut(&mut self.values);
        v
    }

    /// Writes configuration, velocity and differential states.
    pub fn give(&self, to: &mut State) {
        let [_, v, x] = self.parts();
        to.q.copy_from_slice(&self.q);
        to.v.copy_from_slice(v);
        copy_part(&mut to.x, x);
    }
}

impl<const S: usize> Rates<S> {
    fn new(components: Components) -> Self {
        let lists = vec![components.zeros(); S];
        Self {
            lists: lists.concat(),
            components,
        }
    }

    #[inline]
    fn place(&self, stage: usize) -> Range<usize> {
        let length = self.components.blocks();
        stage * length..(stage + 1) * length
    }

    /// u', v' and x' of a stage.
    #[inline]
    pub fn of(&self, stage: usize) -> [&[f64]; 3] {
        self.components.split(&self.lists[self.place(stage)])
    }

    /// All of them in one list.
    pub fn list(&self, stage: usize) -> &[f64] {
        self.lists[self.place(stage)].as_flattened()
    }

    /// u', v' and x' to write to.
    #[inline]
    pub fn of_mut(&mut self, stage: usize) -> [&mut [f64]; 3] {
        let place = self.place(stage);
        self.components.split_mut(&mut self.lists[place])
    }
}

impl<const S: usize> Stages<S> {
    /// Allocates for states of this shape.
    pub fn new(space: &Manifold, state: &State) -> Self {
        let components = Components::of(state);
        let stage = || Stage {
            q: state.q.clone(),
            values: components.zeros(),
            components,
        };
        Self {
            now: stage(),
            next: stage(),
            rates: Rates::new(components),
            start: components.zeros(),
            zeros: components.zeros(),
            components,
            is_plain: space.is_euclidean(),
            is_of_bodies: space.is_of_bodies(),
            arch: Arch::new(),
        }
    }

    /// A list of zeros for u, v and x.
    pub fn zeros(&self) -> Vec<Block> {
        self.components.zeros()
    }

    /// u, v and x of a list.
    #[inline]
    pub fn split<'a>(&self, list: &'a [Block]) -> [&'a [f64]; 3] {
        self.components.split(list)
    }

    /// The same to write to.
    pub fn split_mut<'a>(&self, list: &'a mut [Block]) -> [&'a mut [f64]; 3] {
        self.components.split_mut(list)
    }

    /// As [`load_start`](Self::load_start), for methods that know v' and x' at the start: `now` is left alone, and u' = v is written, which
    /// dexp⁻¹ gives at u = 0.
    #[inline]
    pub fn load_start_and_rate(&mut self, from: &State) {
        self.load_values(from);
        let [u_rate, _, _] = self.rates.of_mut(0);
        u_rate.copy_from_slice(&from.v);
    }

    /// The first stage is the start of the step.
    pub fn load_start(&mut self, from: &State) {
        self.load_values(from);
        self.now.q.copy_from_slice(&from.q);
        self.now.values.copy_from_slice(&self.start);
    }

    /// v and x at the start of the step.
    #[inline]
    fn load_values(&mut self, from: &State) {
        let [_, v, x] = self.components.split_mut(&mut self.start);
        v.copy_from_slice(&from.v);
        copy_part(x, &from.x);
    }

    /// u' of the current stage.
    #[inline]
    pub fn configuration_rate(&mut self, space: &Manifold, stage: usize) {
        let [u, v, _] = self.now.parts();
        let [u_rate, _, _] = self.rates.of_mut(stage);
        if self.is_plain {
            u_rate.copy_from_slice(v);
        } else {
            space.dexp_inverse(u, v, u_rate);
        }
    }

    /// [`advance`](Self::advance) of rigid bodies, and u' of the stage that this is, if it is one.
    fn move_bodies(&mut self, from: &State, h: f64, weights: &Weights<S>, stage: Option<usize>) {
        let lists = &mut self.rates.lists;
        let known = stage.map_or(lists.len(), |stage| stage * self.components.blocks());
        let (rates, later) = lists.split_at_mut(known);
        self.arch.dispatch(MoveBodies {
            places: Places::of(self.components),
            start: self.start.as_flattened(),
            h,
            terms: weights.terms(),
            last: None,
            rates: rates.as_flattened(),
            out: self.now.values.as_flattened_mut(),
            from: &from.q,
            moved: &mut self.now.q,
            u_rate: stage.map(|_| later.as_flattened_mut()),
        });
    }

    /// Moves on to the stage that the rates lead to with these weights.
    #[inline]
    pub fn advance(&mut self, space: &Manifold, from: &State, h: f64, weights: &Weights<S>) {
        if self.is_of_bodies {
            return self.move_bodies(from, h, weights, None);
        }
        self.arch.dispatch(Sum {
            start: &self.start,
            h,
            terms: weights.terms(),
            rates: &self.rates.lists,
            out: &mut self.now.values,
        });
        self.now.configure(space, from);
    }

    /// Moves on to a stage by the rates of those before it, and writes its u'.
    #[inline]
    pub fn advance_with_rate(
        &mut self,
        space: &Manifold,
        from: &State,
        h: f64,
        weights: &Weights<S>,
        stage: usize,
    ) {
        if self.is_of_bodies {
            return self.move_bodies(from, h, weights, Some(stage));
        }
        if !self.is_plain {
            self.advance(space, from, h, weights);
            return self.configuration_rate(space, stage);
        }
        let place = self.rates.place(stage);
        let (rates, later) = self.rates.lists.split_at_mut(place.start);
        // In place of the stage before: if both changed places, loads would wait for the pointers that were just stored.
        self.arch.dispatch(SumAndMove {
            sum: Sum {
                start: &self.start,
                h,
                terms: weights.terms(),
                rates,
                out: &mut self.now.values,
            },
            from: &from.q,
            moved: &mut self.now.q,
            stride: self.components.stride(),
            rate: later.as_flattened_mut(),
        });
    }

    /// The stage that these weights lead to, but for what the last of them adds to velocities and differential states: the rates that
    /// it belongs to are sought.
    #[inline]
    pub fn predict(&mut self, space: &Manifold, from: &State, h: f64, weights: &Weights<S>) {
        if let Some((&last, known)) = weights.terms().split_last() {
            if self.is_of_bodies {
                return self.arch.dispatch(MoveBodies {
                    places: Places::of(self.components),
                    start: self.start.as_flattened(),
                    h,
                    terms: known,
                    last: Some(last),
                    rates: self.rates.lists.as_flattened(),
                    out: self.next.values.as_flattened_mut(),
                    from: &from.q,
                    moved: &mut self.next.q,
                    u_rate: None,
                });
            }
            // Elsewhere u is no increment of q.
            let (from, moved): (&[f64], &mut [f64]) = if self.is_plain {
                (&from.q, &mut self.next.q)
            } else {
                (&[], &mut [])
            };
            self.arch.dispatch(Prediction {
                sum: Sum {
                    start: &self.start,
                    h,
                    terms: known,
                    rates: &self.rates.lists,
                    out: &mut self.next.values,
                },
                last,
                from,
                moved,
                stride: self.components.stride(),
            });
            if self.is_plain {
                return;
            }
        }
        self.next.configure(space, from);
    }

    /// Moves on to the predicted stage, now that the rates are known that the last of these weights belongs to: those of the stage before
    /// it. Writes u' of the new one, unless it is the end of the step.
    #[inline]
    pub fn advance_predicted(&mut self, space: &Manifold, h: f64, weights: &Weights<S>) {
        let Some(&(last, weight)) = weights.terms().last() else {
            return std::mem::swap(&mut self.now, &mut self.next);
        };
        let is_stage = last + 1 < S;
        let (stride, place) = (self.components.stride(), self.rates.place(last));
        let (rates, later) = self.rates.lists.split_at_mut(place.end);
        if self.is_of_bodies {
            self.arch.dispatch(SpeedUpBodies {
                places: Places::of(self.components),
                factor: h * weight,
                rates: rates[place.start..].as_flattened(),
                values: self.next.values.as_flattened_mut(),
                u_rate: is_stage.then_some(later.as_flattened_mut()),
            });
            return std::mem::swap(&mut self.now, &mut self.next);
        }
        let u_rate: &mut [f64] = if is_stage && self.is_plain {
            &mut later.as_flattened_mut()[..stride]
        } else {
            &mut []
        };
        self.arch.dispatch(Advance {
            values: &mut self.next.values.as_flattened_mut()[stride..],
            factor: h * weight,
            rates: &rates[place.start..].as_flattened()[stride..],
            u_rate,
        });
        std::mem::swap(&mut self.now, &mut self.next);
        if is_stage && !self.is_plain {
            self.configuration_rate(space, last + 1);
        }
    }

    /// h Σ weight_j (u'_j, v'_j, x'_j).
    #[inline]
    pub fn combine(&self, h: f64, weights: &Weights<S>, out: &mut [Block]) {
        self.arch.dispatch(Sum {
            start: &self.zeros,
            h,
            terms: weights.terms(),
            rates: &self.rates.lists,
            out,
        });
    }

    /// The configuration that the current stage would have with `less` taken off its local coordinates; the next stage is lost.
    pub fn embedded_configuration(
        &mut self,
        space: &Manifold,
        from: &State,
        less: &[f64],
        out: &mut [f64],
    ) {
        let [u, _, _] = self.components.split_mut(&mut self.next.values);
        let [now, _, _] = self.now.parts();
        for (slot, (now, less)) in u.iter_mut().zip(now.iter().zip(less)) {
            *slot = now - less;
        }
        space.retract(&from.q, u, out);
    }

    /// Increments of the current stage since the start: local coordinates, velocity, differential states.
    pub fn increments(&self, out: &mut [Block]) {
        let (now, start) = (self.now.values.as_flattened(), self.start.as_flattened());
        for (slot, (now, start)) in out.as_flattened_mut().iter_mut().zip(now.iter().zip(start)) {
            *slot = now - start;
        }
    }
}

/// The algebraic variables and multipliers of a stage, with those of the stage before as first guesses: where there are no algebraic
/// variables, none are needed.
pub(in crate::integrator) fn with_first_guesses<'a>(
    z: &'a mut [Vec<f64>],
    lambda: &'a mut [Vec<f64>],
    stage: usize,
) -> [&'a mut [f64]; 2] {
    if z[stage].is_empty() {
        return [&mut [], &mut lambda[stage]];
    }
    [z, lambda].map(|stages| {
        let (known, now) = stages.split_at_mut(stage);
        now[0].copy_from_slice(&known[stage - 1]);
        &mut now[0][..]
    })
}
