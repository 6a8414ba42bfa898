//! Whether solutions hold in the rows of joints.

use super::entries::{VELOCITIES, add_forces, products, products_and_sizes};
use super::factorization::Jacobians;
use super::fused::part;
use super::plan::Touch;
use super::solution::is_finite;
use super::{
    Allowed, Elimination, RightHandSide, Seen, blocks_of, fetch_rows_of_later_body, rows_of,
};
use crate::linalg::kkt::TINY;
use crate::linalg::verify::NEIGHBOURS;

/// Multipliers, and what they are still to be corrected by.
#[derive(Clone, Copy)]
struct Multipliers<'a> {
    y: &'a [f64],
    change: Option<&'a [f64]>,
}

impl Multipliers<'_> {
    /// Those of a joint with this first row, corrected.
    #[inline(always)]
    fn of<const R: usize>(&self, row: u32) -> [f64; R] {
        let mut y = part::<R>(self.y, row as usize);
        if let Some(change) = self.change {
            for (y, change) in y.iter_mut().zip(part::<R>(change, row as usize)) {
                *y += change;
            }
        }
        y
    }
}

/// What bodies may move by, `|M⁻¹| (|f| + |Bᵀ| |y|)`, of the last two found whose numbers are neighbours: joints mostly ask for two
/// such bodies, and the next joint in a chain for one of them again.
struct Bounds([(usize, [f64; VELOCITIES]); 2]);

impl Bounds {
    const NONE: Self = Self([(usize::MAX, [0.0; VELOCITIES]); 2]);

    /// That of a body, found where it is not known.
    #[inline(always)]
    fn of(&mut self, body: usize, find: impl FnOnce() -> [f64; VELOCITIES]) -> &[f64; VELOCITIES] {
        let known = &mut self.0[body % 2];
        if known.0 != body {
            *known = (body, find());
        }
        &known.1
    }
}

/// Whether so little is left beside terms of this size; written so that NaN and overflow do not hold.
#[inline(always)]
fn holds(left: f64, allowed: f64, size: f64) -> bool {
    left.abs() <= allowed + TINY && size < f64::INFINITY
}

/// Which rows of a joint hold beside the terms of C x.
#[inline(always)]
fn rows_hold<const R: usize>(left: [f64; R], sizes: [f64; R], allowed: Allowed) -> [bool; R] {
    let largest = sizes.iter().fold(0.0, |most: f64, size| most.max(*size));
    let nearby = NEIGHBOURS * largest;
    std::array::from_fn(|row| {
        let size = sizes[row];
        holds(left[row], allowed.constraint * size.max(nearby), size)
    })
}

impl<const N: usize, const R: usize, const W: usize> Elimination<N, R, W> {
    /// Moves the bodies, to x = M⁻¹ (f + Bᵀ y) or by a correction of y, which y takes over and which is zero then, and
    /// measures x and y in the rows C x = c. A joint is measured with the last of its bodies, whose block has just been
    /// read. Rows that do not hold beside the terms of C x may hold beside `TERMS` that x is summed from; whether all
    /// hold without these is told beside.
    #[inline(always)]
    pub(super) fn measure<const TERMS: bool>(
        &self,
        g: Jacobians<N>,
        rhs: RightHandSide,
        [x, y]: [&mut [f64]; 2],
        mut change: Option<&mut [f64]>,
        allowed: Allowed,
    ) -> (Seen, bool) {
        let f = rhs.f.map(blocks_of);
        let x = x.as_chunks_mut::<VELOCITIES>().0;
        let mut seen = Seen {
            is_finite: true,
            moves_all: true,
            holds: true,
        };
        let (mut hold_alone, mut first, mut bounds) = (true, 0, Bounds::NONE);
        let bodies = self.plan.with_touches().zip(self.masses.iter());
        for (body, (touches, mass)) in bodies.enumerate() {
            fetch_rows_of_later_body::<N, R>(g.left, touches);
            if !std::ptr::eq(g.left, g.right) {
                fetch_rows_of_later_body::<N, R>(g.right, touches);
            }
            match &change {
                None => {
                    let forces = Self::forces(g.left, f.map(|f| &f[body]), touches, y);
                    mass.apply(&forces, &mut x[body]);
                    if TERMS {
                        let y = Multipliers { y, change: None };
                        let f = f.map(|f| &f[body]);
                        bounds.of(body, || {
                            mass.bound(&Self::force_sizes(g.left, f, touches, y))
                        });
                    }
                }
                Some(change) => {
                    let mut more = [0.0; VELOCITIES];
                    mass.apply(&Self::forces(g.left, None, touches, change), &mut more);
                    for (x, more) in x[body].iter_mut().zip(more) {
                        *x += more;
                    }
                }
            }
            seen.is_finite &= is_finite(&x[body]);
            seen.moves_all &= x[body].iter().any(|x| *x != 0.0);
            let closed = first..self.plan.bodies[body].closed as usize;
            first = closed.end;
            for &step in &self.plan.closed[closed] {
                let step = step as usize;
                // All its bodies have been moved by it.
                if let Some(change) = &mut change {
                    let rows = self.plan.rows_of(step, R);
                    let changes = change[rows.clone()].iter_mut();
                    for (y, change) in y[rows].iter_mut().zip(changes) {
                        *y += std::mem::take(change);
                    }
                }
                let (left, sizes) = self.left_of(g.right, step, rhs.c, x);
                let alone = rows_hold(left, sizes, allowed);
                let holds = alone.iter().fold(true, |all, alone| all & alone);
                hold_alone &= holds;
                let known = Multipliers {
                    y,
                    change: change.as_deref(),
                };
                if TERMS && !holds {
                    let found = (left, alone, allowed);
                    seen.holds &= self.others_hold(g, step, rhs, known, &mut bounds, found);
                } else {
                    seen.holds &= holds;
                }
                let own = part::<R>(y, self.plan.joints[step].row as usize);
                seen.moves_all &= own.iter().any(|y| *y != 0.0);
            }
        }
        (seen, hold_alone)
    }

    /// Whether all rows hold, beside terms of C x or of what x is summed from.
    pub(super) fn all_hold(
        &self,
        g: Jacobians<N>,
        rhs: RightHandSide,
        [x, y]: [&[f64]; 2],
        allowed: Allowed,
    ) -> bool {
        let (x, y) = (blocks_of(x), Multipliers { y, change: None });
        let mut bounds = Bounds::NONE;
        (0..self.plan.joints.len()).all(|step| {
            let (left, sizes) = self.left_of(g.right, step, rhs.c, x);
            let alone = rows_hold(left, sizes, allowed);
            self.others_hold(g, step, rhs, y, &mut bounds, (left, alone, allowed))
        })
    }

    /// What is left of c - C x in the rows of a joint, and the sizes of its terms.
    #[inline(always)]
    pub(super) fn left_of(
        &self,
        g: &[[f64; N]],
        step: usize,
        c: &[f64],
        x: &[[f64; VELOCITIES]],
    ) -> ([f64; R], [f64; R]) {
        let joint = &self.plan.joints[step];
        let mut left = part::<R>(c, joint.row as usize);
        let mut sizes = left.map(f64::abs);
        for edge in self.plan.edges_of(step) {
            let rows = rows_of::<N, R>(g, edge.block, joint.stride);
            let products = products_and_sizes(rows, &x[edge.body as usize]);
            for (row, (sum, size)) in products.into_iter().enumerate() {
                left[row] -= sum;
                sizes[row] += size;
            }
        }
        (left, sizes)
    }

    /// Whether those rows of a joint hold beside what x is summed from that do not hold beside the terms of C x.
    #[inline(never)]
    fn others_hold(
        &self,
        g: Jacobians<N>,
        step: usize,
        rhs: RightHandSide,
        y: Multipliers,
        bounds: &mut Bounds,
        (left, alone, allowed): ([f64; R], [bool; R], Allowed),
    ) -> bool {
        let whole = self.whole_sizes(g, step, rhs, y, bounds);
        let mut rows = left.iter().zip(whole).zip(alone);
        rows.all(|((&left, whole), alone)| alone || holds(left, allowed.terms * whole, whole))
    }

    /// |c| + |C| |M⁻¹| (|f| + |Bᵀ| |y|) in the rows of a joint.
    #[inline(always)]
    fn whole_sizes(
        &self,
        g: Jacobians<N>,
        step: usize,
        rhs: RightHandSide,
        y: Multipliers,
        bounds: &mut Bounds,
    ) -> [f64; R] {
        let joint = &self.plan.joints[step];
        let f = rhs.f.map(blocks_of);
        let mut sizes = part::<R>(rhs.c, joint.row as usize).map(f64::abs);
        for edge in self.plan.edges_of(step) {
            let body = edge.body as usize;
            let moves = bounds.of(body, || {
                let touches = self.plan.touches_of(body);
                let forces = Self::force_sizes(g.left, f.map(|f| &f[body]), touches, y);
                self.masses.of(body).bound(&forces)
            });
            let rows = rows_of::<N, R>(g.right, edge.block, joint.stride);
            let positive = rows.map(|entries| entries.map(f64::abs));
            let products = products(positive.each_ref(), moves);
            for (size, product) in sizes.iter_mut().zip(products) {
                *size += product;
            }
        }
        sizes
    }

    /// |f| + |Bᵀ| |y| of a body.
    #[inline(always)]
    fn force_sizes(
        g: &[[f64; N]],
        f: Option<&[f64; VELOCITIES]>,
        joints: &[Touch],
        y: Multipliers,
    ) -> [f64; VELOCITIES] {
        let mut sizes = f.map_or([0.0; VELOCITIES], |f| f.map(f64::abs));
        for joint in joints {
            let y = y.of::<R>(joint.row);
            let rows = rows_of::<N, R>(g, joint.block, joint.stride);
            add_forces(&mut sizes, rows, &y, f64::abs);
        }
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies whose numbers are no neighbours share a place: what is found there is that of the last one asked for.
    #[test]
    fn bounds_are_those_of_the_body_asked_for() {
        let mut bounds = Bounds::NONE;
        let mut finds = 0;
        for (body, expected) in [(0, 1), (1, 2), (0, 2), (2, 3), (1, 3), (0, 4), (2, 5)] {
            let found = *bounds.of(body, || {
                finds += 1;
                [body as f64; VELOCITIES]
            });
            assert_eq!((found[5], finds), (body as f64, expected));
        }
    }
}
