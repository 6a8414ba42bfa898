//! From the right-hand sides of all equations to those of the matrix, and from its unknowns to all unknowns.

use super::{Parameters, Small};
use crate::integrator::shared::implicit::condensed::Condensed;
use crate::integrator::shared::sweep::{Group, Sweep, read, read_old, sweep, write};
use crate::linalg::{Parts, product};

impl<const P: usize> Small<P> {
    /// Right-hand sides of the matrix without what [`Condensed::add_known`] adds, and what is known of -δu.
    #[inline(always)]
    pub(super) fn begin(&mut self, system: Parameters, r: &[&mut [f64]; P]) {
        let Parameters {
            condensed,
            unknowns,
            kinematics,
        } = system;
        let places = &condensed.places;
        let u = unknowns.u();
        let stabilized = !unknowns.s().is_empty();
        let parts = r.iter().zip(&mut self.z).zip(&mut self.turned);
        for ((y, z), turned) in parts {
            for (place, range) in condensed.others() {
                z[place.clone()].copy_from_slice(&y[range.clone()]);
            }
            if stabilized {
                z[places.u.clone()].copy_from_slice(&y[unknowns.s()]);
            } else if kinematics.is_curved() {
                kinematics.apply(&y[u.clone()], turned);
            }
        }
        if !stabilized {
            let shift = Shift {
                u: r.each_ref().map(|part| &part[u.clone()]),
                turned: (kinematics.is_curved())
                    .then_some(self.turned.each_ref().map(Vec::as_slice)),
                inverse: self.inverse,
                shift: self.shift.each_mut().map(Vec::as_mut_slice),
            };
            sweep(0, u.len(), shift);
        }
    }

    /// Multiplies the constraint rows by the power of α that leaves G as their leading term.
    #[inline(always)]
    pub(super) fn scale_rows(&mut self, condensed: &Condensed) {
        let (powers, position_rows) = condensed.row_scales();
        if powers == [0, 0] {
            return;
        }
        for (row, place) in condensed.places.lambda.clone().enumerate() {
            let scale = self.scales[usize::from(row >= position_rows)];
            let mut value = [0.0; P];
            for (value, z) in value.iter_mut().zip(&self.z) {
                *value = z[place];
            }
            for (z, value) in self.z.iter_mut().zip(product(value, scale)) {
                z[place] = value;
            }
        }
    }

    /// All unknowns from those of the matrix.
    #[inline(always)]
    pub(super) fn expand(&mut self, system: Parameters, r: &mut [&mut [f64]; P]) {
        let Parameters {
            condensed,
            unknowns,
            kinematics,
        } = system;
        let places = &condensed.places;
        for (y, z) in r.iter_mut().zip(&self.z) {
            for (place, range) in condensed.others() {
                y[range.clone()].copy_from_slice(&z[place.clone()]);
            }
        }
        let stabilized = !unknowns.s().is_empty();
        // P acts on what has been found of each velocity or displacement.
        let moved = if stabilized { &places.u } else { &places.v };
        let curved = kinematics.is_curved();
        if curved {
            for (z, turned) in self.z.iter().zip(&mut self.turned) {
                kinematics.apply(&z[moved.clone()], turned);
            }
        }
        let (count, first) = (unknowns.u().len(), unknowns.w().start);
        let mut parts = r.iter_mut().map(|part| {
            let (u, rest) = part.split_at_mut(count);
            let (v, rest) = rest.split_at_mut(count);
            let (w, rest) = rest[first - 2 * count..].split_at_mut(count);
            let s = &mut rest[unknowns.s().start - first - count..][..unknowns.s().len()];
            [u, v, w, s]
        });
        let mut columns = [(); P].map(|()| parts.next().unwrap_or_default());
        let found = self.z.each_ref();
        let common = Found {
            velocity: found.map(|z| &z[places.v.clone()]),
            turned: curved.then_some(self.turned.each_ref().map(Vec::as_slice)),
            v: columns.each_mut().map(|part| std::mem::take(&mut part[1])),
            w: columns.each_mut().map(|part| std::mem::take(&mut part[2])),
            u: columns.each_mut().map(|part| std::mem::take(&mut part[0])),
            alpha: self.alpha,
        };
        if stabilized {
            let job = ExpandStabilized {
                common,
                displacement: found.map(|z| &z[places.u.clone()]),
                s: columns.each_mut().map(|part| std::mem::take(&mut part[3])),
            };
            sweep(0, count, job);
        } else {
            let job = Expand {
                common,
                shift: self.shift.each_ref().map(Vec::as_slice),
                inverse: self.inverse,
            };
            sweep(0, count, job);
        }
    }
}

/// A factor times numbers, real or complex.
#[inline(always)]
fn multiple<const L: usize, const P: usize>(
    factor: Parts<P>,
    numbers: &Group<L, P>,
) -> Group<L, P> {
    let mut out = [[0.0; L]; P];
    for lane in 0..L {
        let mut number = [0.0; P];
        for (slot, part) in number.iter_mut().zip(numbers) {
            *slot = part[lane];
        }
        for (out, part) in out.iter_mut().zip(product(factor, number)) {
            out[lane] = part;
        }
    }
    out
}

/// a + scale b.
#[inline(always)]
fn add_scaled<const L: usize, const P: usize>(
    mut a: Group<L, P>,
    scale: f64,
    b: &Group<L, P>,
) -> Group<L, P> {
    for (a, b) in a.iter_mut().zip(b) {
        for (a, b) in a.iter_mut().zip(b) {
            *a += scale * b;
        }
    }
    a
}

/// (1/α + P/α²) x, P x being known where it is not zero.
#[inline(always)]
fn displacement<const L: usize, const P: usize>(
    inverse: Parts<P>,
    x: Group<L, P>,
    turned: Option<[&[f64]; P]>,
    at: usize,
) -> Group<L, P> {
    let sum = match turned {
        Some(turned) => add_scaled(x, 1.0, &multiple(inverse, &read::<L, P>(turned, at))),
        None => x,
    };
    multiple(inverse, &sum)
}

/// What is known of -δu: -(1/α + P/α²) r_u, so that products with it are added to right-hand sides.
struct Shift<'a, const P: usize> {
    u: [&'a [f64]; P],
    turned: Option<[&'a [f64]; P]>,
    inverse: Parts<P>,
    shift: [&'a mut [f64]; P],
}

impl<const P: usize> Sweep for Shift<'_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let known = displacement::<L, P>(self.inverse, read(self.u, at), self.turned, at);
        let shift = add_scaled([[0.0; L]; P], -1.0, &known);
        write(&shift, &mut self.shift, at);
    }
}

/// What has been found, and the parts of all unknowns.
struct Found<'a, const P: usize> {
    velocity: [&'a [f64]; P],
    turned: Option<[&'a [f64]; P]>,
    u: [&'a mut [f64]; P],
    v: [&'a mut [f64]; P],
    w: [&'a mut [f64]; P],
    alpha: Parts<P>,
}

impl<const P: usize> Found<'_, P> {
    /// δv, and δw = α δv - r_v.
    #[inline(always)]
    fn write_velocity<const L: usize>(&mut self, at: usize) -> Group<L, P> {
        let velocity = read::<L, P>(self.velocity, at);
        let rate = multiple(self.alpha, &velocity);
        let acceleration = add_scaled(rate, -1.0, &read_old(&self.v, at));
        write(&acceleration, &mut self.w, at);
        write(&velocity, &mut self.v, at);
        velocity
    }
}

/// Further unknowns from δv; δu = (1/α + P/α²) (δv + r_u), the part of r_u being -`shift`.
struct Expand<'a, const P: usize> {
    common: Found<'a, P>,
    shift: [&'a [f64]; P],
    inverse: Parts<P>,
}

impl<const P: usize> Sweep for Expand<'_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let velocity = self.common.write_velocity::<L>(at);
        let found = displacement(self.inverse, velocity, self.common.turned, at);
        let found = add_scaled(found, -1.0, &read(self.shift, at));
        write(&found, &mut self.common.u, at);
    }
}

/// The same of the stabilized form, from δv and δu: δs = (α - P) δu - δv - r_u.
struct ExpandStabilized<'a, const P: usize> {
    common: Found<'a, P>,
    displacement: [&'a [f64]; P],
    s: [&'a mut [f64]; P],
}

impl<const P: usize> Sweep for ExpandStabilized<'_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let velocity = self.common.write_velocity::<L>(at);
        let displacement = read::<L, P>(self.displacement, at);
        let mut correction = multiple(self.common.alpha, &displacement);
        if let Some(turned) = self.common.turned {
            correction = add_scaled(correction, -1.0, &read(turned, at));
        }
        correction = add_scaled(correction, -1.0, &velocity);
        correction = add_scaled(correction, -1.0, &read_old(&self.common.u, at));
        write(&correction, &mut self.s, at);
        write(&displacement, &mut self.common.u, at);
    }
}
