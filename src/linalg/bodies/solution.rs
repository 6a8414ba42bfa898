//! Solutions by bodies and joints, measured where they are made. B has the forces, C the rows: G where they are one.

use super::entries::{VELOCITIES, add_forces, products};
use super::factorization::{Alone, Jacobians};
use super::fused::{Displacing, moved_freely, part, substitute_forward};
use super::kernels::{flush, plus_image, subtract_transposed};
use super::plan::Touch;
use super::{
    Allowed, Displacement, Elimination, RightHandSide, RigidBodies, Seen, blocks_of,
    fetch_rows_ahead, fetch_rows_of_later_body, rows_of,
};
use crate::linalg::elimination::TINY_UNKNOWN;
use crate::linalg::system::System;
use crate::memory::{AHEAD, fetch};

impl<const N: usize, const R: usize, const W: usize> Elimination<N, R, W> {
    /// Solves S y = b in place. What is asked of the rows of a joint is written there when an elimination first reaches them.
    #[inline(always)]
    fn substitute(&self, y: &mut [f64], load: impl Fn(usize, &mut [f64])) {
        let plan = &self.plan;
        let (mut first, mut loaded) = (0, 0);
        for (step, joint) in plan.joints.iter().enumerate() {
            let links = first..joint.later as usize;
            first = links.end;
            fetch(&self.below, first + AHEAD, 1);
            let reach = plan.reach(step, links.clone());
            while loaded <= reach {
                load(loaded, &mut y[plan.rows_of(loaded, R)]);
                loaded += 1;
            }
            substitute_forward(plan, step, links, &self.below, y);
        }
        self.substitute_back(y);
    }

    /// Solves D Lᵀ y = b or D U y = b in place.
    #[inline(always)]
    fn substitute_back(&self, y: &mut [f64]) {
        let plan = &self.plan;
        // Lᵀ, or U.
        let back = if self.is_symmetric {
            &self.below
        } else {
            &self.above
        };
        let mut last = plan.later.len();
        for (step, joint) in plan.joints.iter().enumerate().rev() {
            let first = match step {
                0 => 0,
                _ => plan.joints[step - 1].later as usize,
            };
            let row = joint.row as usize;
            fetch(&self.diagonal, step.wrapping_sub(AHEAD), 1);
            fetch(back, first.wrapping_sub(AHEAD), 1);
            let mut own = plus_image([-0.0; W], &part::<R>(y, row), &self.diagonal[step]);
            let links = first..last;
            last = first;
            for (other, block) in plan.later[links.clone()].iter().zip(&back[links]) {
                let known = plan.joints[*other as usize].row as usize;
                subtract_transposed(&mut own, block, &part::<R>(y, known));
            }
            flush(&mut own, TINY_UNKNOWN);
            y[row..row + R].copy_from_slice(&own[..R]);
        }
    }

    /// c - C M⁻¹ f in the rows of a joint. Bodies have few joints: M⁻¹ f of each of them costs less than a list of all.
    #[inline(always)]
    fn missing(&self, g: &[[f64; N]], step: usize, c: &[f64], f: &[[f64; VELOCITIES]]) -> [f64; R] {
        let joint = &self.plan.joints[step];
        fetch_rows_ahead::<N, R>(&self.plan, g, step);
        let mut missing = part::<R>(c, joint.row as usize);
        for edge in self.plan.edges_of(step) {
            let (body, mut x) = (edge.body as usize, [0.0; VELOCITIES]);
            self.masses.of(body).apply(&f[body], &mut x);
            let rows = rows_of::<N, R>(g, edge.block, joint.stride);
            for (missing, product) in missing.iter_mut().zip(products(rows, &x)) {
                *missing -= product;
            }
        }
        missing
    }

    /// The multipliers of a right-hand side.
    fn find_multipliers(
        &self,
        g: &[[f64; N]],
        RightHandSide { f, c }: RightHandSide,
        y: &mut [f64],
    ) {
        // Corrections of an iteration whose balance of momentum holds leave it alone.
        let Some(f) = f.filter(|f| f.iter().any(|f| *f != 0.0)) else {
            return self.substitute(y, |step, rows| {
                rows.copy_from_slice(&c[self.plan.rows_of(step, R)]);
            });
        };
        let f = blocks_of(f);
        self.substitute(y, |step, rows| {
            rows.copy_from_slice(&self.missing(g, step, c, f));
        });
    }

    /// f + Bᵀ y of a body.
    #[inline(always)]
    pub(super) fn forces(
        g: &[[f64; N]],
        f: Option<&[f64; VELOCITIES]>,
        joints: &[Touch],
        y: &[f64],
    ) -> [f64; VELOCITIES] {
        let mut sum = f.copied().unwrap_or_default();
        for joint in joints {
            let y = part::<R>(y, joint.row as usize);
            let rows = rows_of::<N, R>(g, joint.block, joint.stride);
            add_forces(&mut sum, rows, &y, |term| term);
        }
        sum
    }

    /// Takes the masses over; false where they, or the rows, are none that can be eliminated.
    fn load_masses(&mut self, system: &System) -> bool {
        if self.masses_version != Some(system.a_version) {
            self.masses_version = Some(system.a_version);
            self.quality = None;
        }
        if !system.idle.is_empty() {
            return false;
        }
        // Masses by themselves seldom change.
        if self.quality.is_none() {
            self.quality = self.masses.load(&system.a_values);
        }
        self.is_symmetric =
            system.one_jacobian && self.quality.is_some_and(|quality| quality.symmetric);
        self.quality.is_some()
    }

    /// x = M⁻¹ (f + Bᵀ y), and whether it is finite, which it is only if y is, too.
    #[inline(always)]
    fn move_bodies(
        &self,
        g: &[[f64; N]],
        f: Option<&[f64]>,
        y: &[f64],
        x: &mut [[f64; VELOCITIES]],
    ) -> bool {
        let f = f.map(blocks_of);
        let mut finite = true;
        let bodies = self.plan.with_touches().zip(self.masses.iter()).zip(x);
        for (body, ((touches, mass), x)) in bodies.enumerate() {
            fetch_rows_of_later_body::<N, R>(g, touches);
            let forces = Self::forces(g, f.map(|f| &f[body]), touches, y);
            mass.apply(&forces, x);
            finite &= is_finite(x);
        }
        finite
    }
}

/// Whether all numbers are finite: zero times anything else is no zero.
#[inline(always)]
pub(super) fn is_finite<const N: usize>(values: &[f64; N]) -> bool {
    values.iter().fold(0.0, |sum, value| sum + 0.0 * value) == 0.0
}

impl<const N: usize, const R: usize, const W: usize> RigidBodies for Elimination<N, R, W> {
    fn factor(&mut self, system: &System) -> bool {
        if !self.load_masses(system) {
            return false;
        }
        let g = Jacobians::of(system);
        if self.is_symmetric {
            self.eliminate::<true>(g, &mut Alone)
        } else {
            self.eliminate::<false>(g, &mut Alone)
        }
    }

    fn factor_and_displace(&mut self, system: &System, step: Displacement, x: &mut [f64]) -> bool {
        if !self.load_masses(system) || !self.is_symmetric {
            return false;
        }
        let x = x.as_chunks_mut().0;
        let mut visited = std::mem::take(&mut self.visited);
        visited.fill(false);
        let mut displacing = Displacing {
            step,
            x: &mut *x,
            visited: &mut visited,
        };
        let done = self.eliminate::<true>(Jacobians::of(system), &mut displacing);
        let others = visited.iter().zip(self.masses.iter()).zip(x).enumerate();
        for (body, ((visited, mass), x)) in others {
            if !visited {
                *x = moved_freely(&step, body, mass);
            }
        }
        self.visited = visited;
        done
    }

    fn is_above_suspicion(&self) -> bool {
        self.quality.is_some_and(|quality| quality.regular)
    }

    fn displace(&self, system: &System, step: Displacement, x: &mut [f64]) {
        let g = blocks_of(&system.b_values);
        let x = x.as_chunks_mut().0;
        let bodies = self.plan.with_touches().zip(self.masses.iter()).zip(x);
        for (body, ((touches, mass), x)) in bodies.enumerate() {
            *x = moved_freely(&step, body, mass);
            let mut more = [0.0; VELOCITIES];
            mass.apply(&Self::forces(g, None, touches, step.impulse), &mut more);
            for (x, more) in x.iter_mut().zip(more) {
                *x += more;
            }
        }
    }

    fn solve(&mut self, system: &System, rhs: RightHandSide, x: &mut [f64], y: &mut [f64]) -> bool {
        let g = Jacobians::of(system);
        let x = x.as_chunks_mut().0;
        self.find_multipliers(g.right, rhs, y);
        self.move_bodies(g.left, rhs.f, y, x)
    }

    fn solve_and_measure(
        &mut self,
        system: &System,
        rhs: RightHandSide,
        [x, y]: [&mut [f64]; 2],
        allowed: Allowed,
    ) -> Seen {
        let g = Jacobians::of(system);
        self.find_multipliers(g.right, rhs, y);
        let (mut seen, hold_alone) = if self.needs_terms {
            self.measure::<true>(g, rhs, [&mut *x, &mut *y], None, allowed)
        } else {
            self.measure::<false>(g, rhs, [&mut *x, &mut *y], None, allowed)
        };
        if !hold_alone && !self.needs_terms && seen.is_finite {
            seen.holds = self.all_hold(g, rhs, [x, y], allowed);
        }
        self.needs_terms = !hold_alone;
        seen
    }

    fn refine(
        &mut self,
        system: &System,
        rhs: RightHandSide,
        [x, y, change]: [&mut [f64]; 3],
        allowed: Allowed,
    ) -> Seen {
        let g = Jacobians::of(system);
        let known = blocks_of(x);
        self.substitute(change, |step, rows| {
            rows.copy_from_slice(&self.left_of(g.right, step, rhs.c, known).0);
        });
        self.measure::<true>(g, rhs, [x, y], Some(change), allowed)
            .0
    }
}
