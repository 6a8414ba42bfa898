//! From the right-hand sides of all equations to those of the matrix, and from its unknowns to all unknowns.

use super::{Parameters, Small};
use crate::integrator::shared::implicit::newton_matrix_small::Condensed;
use crate::integrator::shared::sweep::{Group, Sweep, read, read_old, slices, sweep, write};
use crate::linalg::{Parts, product};
use std::ops::Range;

/// Copies the parts of right-hand sides that the matrix has as they are: those of x, z, λ and μ, and of s for u.
#[inline(always)]
pub(super) fn take<const N: usize>(system: Parameters, y: [&[f64]; N], mut z: [&mut [f64]; N]) {
    let Parameters {
        condensed,
        unknowns,
        ..
    } = system;
    for (place, range) in condensed.others() {
        copy(y, range.clone(), &mut z, place.start);
    }
    if !unknowns.s().is_empty() {
        copy(y, unknowns.s(), &mut z, condensed.places.u.start);
    }
}

/// Copies the unknowns that the matrix has as they are back: x, z, λ and μ.
#[inline(always)]
pub(super) fn give<const N: usize>(condensed: &Condensed, z: [&[f64]; N], mut y: [&mut [f64]; N]) {
    for (place, range) in condensed.others() {
        copy(z, place.clone(), &mut y, range.start);
    }
}

/// Copies a part of several vectors side by side: calls would take longer.
#[inline(always)]
fn copy<const N: usize>(
    from: [&[f64]; N],
    range: Range<usize>,
    to: &mut [&mut [f64]; N],
    place: usize,
) {
    let job = Copy {
        from,
        first: range.start,
        to,
        place,
    };
    sweep(0, range.len(), job);
}

struct Copy<'a, 'b, const N: usize> {
    from: [&'a [f64]; N],
    first: usize,
    to: &'a mut [&'b mut [f64]; N],
    place: usize,
}

impl<const N: usize> Sweep for Copy<'_, '_, N> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let numbers = read::<L, N>(self.from, self.first + at);
        write(&numbers, self.to, self.place + at);
    }
}

impl<const P: usize> Small<P> {
    /// What is known of -δu.
    #[inline(always)]
    pub(super) fn begin(&mut self, system: Parameters, r: &[&mut [f64]; P]) {
        let Parameters {
            unknowns,
            kinematics,
            ..
        } = system;
        let u = unknowns.u();
        let stabilized = !unknowns.s().is_empty();
        if kinematics.is_curved() && !stabilized {
            for (y, turned) in r.iter().zip(&mut self.turned) {
                kinematics.apply(&y[u.clone()], turned);
            }
        }
        if !stabilized {
            let turned = kinematics.is_curved();
            let shift = Shift {
                y: r,
                u: u.start,
                turned: turned.then_some(slices(&self.turned, 0..u.len())),
                inverse: self.inverse,
                shift: &mut self.shift,
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

    /// The unknowns that [`give`] does not copy, u, v, w and s, from those of the matrix.
    #[inline(always)]
    pub(super) fn expand_motion(&mut self, system: Parameters, r: &mut [&mut [f64]; P]) {
        let Parameters {
            condensed,
            unknowns,
            kinematics,
        } = system;
        let places = &condensed.places;
        let stabilized = !unknowns.s().is_empty();
        // P acts on what has been found of each velocity or displacement.
        let moved = if stabilized { &places.u } else { &places.v };
        let curved = kinematics.is_curved();
        if curved {
            for (z, turned) in self.z.iter().zip(&mut self.turned) {
                kinematics.apply(&z[moved.clone()], turned);
            }
        }
        let count = unknowns.u().len();
        let common = Found {
            z: slices(&self.z, 0..places.size()),
            velocity: places.v.start,
            displacement: places.u.start,
            turned: curved.then_some(slices(&self.turned, 0..count)),
            y: r,
            u: unknowns.u().start,
            v: unknowns.v().start,
            w: unknowns.w().start,
            s: unknowns.s().start,
            alpha: self.alpha,
        };
        if stabilized {
            sweep(0, count, ExpandStabilized { common });
        } else {
            let job = Expand {
                common,
                shift: slices(&self.shift, 0..count),
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
struct Shift<'a, 'b, const P: usize> {
    y: &'a [&'b mut [f64]; P],
    u: usize,
    turned: Option<[&'a [f64]; P]>,
    inverse: Parts<P>,
    shift: &'a mut [Vec<f64>; P],
}

impl<const P: usize> Sweep for Shift<'_, '_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let u = read_old(self.y, self.u + at);
        let known = displacement::<L, P>(self.inverse, u, self.turned, at);
        let shift = add_scaled([[0.0; L]; P], -1.0, &known);
        write(&shift, self.shift, at);
    }
}

/// What has been found, all unknowns, and where the parts of both begin.
struct Found<'a, 'b, const P: usize> {
    z: [&'a [f64]; P],
    velocity: usize,
    displacement: usize,
    turned: Option<[&'a [f64]; P]>,
    y: &'a mut [&'b mut [f64]; P],
    u: usize,
    v: usize,
    w: usize,
    s: usize,
    alpha: Parts<P>,
}

impl<const P: usize> Found<'_, '_, P> {
    /// δv, and δw = α δv - r_v.
    #[inline(always)]
    fn write_velocity<const L: usize>(&mut self, at: usize) -> Group<L, P> {
        let velocity = read::<L, P>(self.z, self.velocity + at);
        let rate = multiple(self.alpha, &velocity);
        let acceleration = add_scaled(rate, -1.0, &read_old(self.y, self.v + at));
        write(&acceleration, self.y, self.w + at);
        write(&velocity, self.y, self.v + at);
        velocity
    }
}

/// Further unknowns from δv; δu = (1/α + P/α²) (δv + r_u), the part of r_u being -`shift`.
struct Expand<'a, 'b, const P: usize> {
    common: Found<'a, 'b, P>,
    shift: [&'a [f64]; P],
    inverse: Parts<P>,
}

impl<const P: usize> Sweep for Expand<'_, '_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let velocity = self.common.write_velocity::<L>(at);
        let found = displacement(self.inverse, velocity, self.common.turned, at);
        let found = add_scaled(found, -1.0, &read(self.shift, at));
        write(&found, self.common.y, self.common.u + at);
    }
}

/// The same of the stabilized form, from δv and δu: δs = (α - P) δu - δv - r_u.
struct ExpandStabilized<'a, 'b, const P: usize> {
    common: Found<'a, 'b, P>,
}

impl<const P: usize> Sweep for ExpandStabilized<'_, '_, P> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let velocity = self.common.write_velocity::<L>(at);
        let displacement = read::<L, P>(self.common.z, self.common.displacement + at);
        let mut correction = multiple(self.common.alpha, &displacement);
        if let Some(turned) = self.common.turned {
            correction = add_scaled(correction, -1.0, &read(turned, at));
        }
        correction = add_scaled(correction, -1.0, &velocity);
        correction = add_scaled(
            correction,
            -1.0,
            &read_old(self.common.y, self.common.u + at),
        );
        write(&correction, self.common.y, self.common.s + at);
        write(&displacement, self.common.y, self.common.u + at);
    }
}
