//! Configuration spaces: products of vector spaces and Lie groups.
//!
//! A configuration is one flat slice `q` of [`Manifold::coordinates`] numbers, the coordinates of
//! the factors one after the other. Velocities, increments and covectors are flat slices of
//! [`Manifold::dimension`] numbers in the Lie algebra, left-trivialized (body-fixed):
//! `dq/dt = q hat(v)`.
//!
//! Nothing here allocates except the constructors. Slices of a wrong length are a mistake of the
//! caller: debug builds assert, [`Manifold::check`] is for input.

pub(crate) mod bodies;
pub mod euclidean;
pub mod quaternion;
pub mod rigid_motion;
pub mod rotation;
mod series;
mod validity;
mod vector;

#[cfg(test)]
mod tests;

pub(crate) use bodies::PART;
pub use validity::ManifoldError;

use std::ops::{Add, Mul};

use crate::memory::fetch;
use crate::scalar::Scalar;
use bodies::{move_bodies, move_part};
use vector::{part, store, transposed_product};

/// One factor of a configuration space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    /// The vector space of this dimension.
    Euclidean(usize),
    /// SO(3): nine coordinates, the rotation matrix row by row; body angular velocity.
    Rotation,
    /// Unit quaternions: four coordinates, Hamilton's, scalar first; body angular velocity.
    UnitQuaternion,
    /// SE(3): twelve coordinates, the position and then the rotation matrix row by row; the twist
    /// is `(v, omega)`, translation first, both in the body frame.
    RigidMotion,
}

impl Factor {
    /// The number of coordinates.
    #[inline]
    pub fn coordinates(self) -> usize {
        match self {
            Self::Euclidean(n) => n,
            Self::Rotation => 9,
            Self::UnitQuaternion => 4,
            Self::RigidMotion => 12,
        }
    }

    /// The number of velocities.
    #[inline]
    pub fn dimension(self) -> usize {
        match self {
            Self::Euclidean(n) => n,
            Self::Rotation | Self::UnitQuaternion => 3,
            Self::RigidMotion => 6,
        }
    }
}

/// A configuration space, the product of its factors.
///
/// ```
/// use liedae::manifold::{Factor, Manifold};
///
/// // A rigid body: its place in R^3 and its orientation in SO(3). Twelve coordinates, six dimensions.
/// let body = Manifold::new([Factor::Euclidean(3), Factor::Rotation]);
/// assert_eq!((body.coordinates(), body.dimension()), (12, 6));
///
/// // A move by u and back again.
/// let (mut from, mut to, mut back) = (vec![0.0; 12], vec![0.0; 12], vec![0.0; 6]);
/// body.identity(&mut from);
/// let u = [1.0, 2.0, 3.0, 0.1, -0.2, 0.3];
/// body.retract(&from, &u, &mut to);
/// body.lift(&from, &to, &mut back);
/// assert!(u.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-14));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Manifold {
    factors: Vec<Factor>,
    coordinates: usize,
    dimension: usize,
    /// Whether the factors are those of rigid bodies, R³ and SO(3) in turn: then their list need not be read.
    of_bodies: bool,
}

impl Manifold {
    /// The product of the factors. Neighbouring vector spaces are merged, empty ones dropped.
    pub fn new(factors: impl IntoIterator<Item = Factor>) -> Self {
        let mut merged: Vec<Factor> = Vec::new();
        for factor in factors {
            match (merged.last_mut(), factor) {
                (_, Factor::Euclidean(0)) => {}
                (Some(Factor::Euclidean(n)), Factor::Euclidean(more)) => *n += more,
                _ => merged.push(factor),
            }
        }
        Self {
            coordinates: merged.iter().map(|factor| factor.coordinates()).sum(),
            dimension: merged.iter().map(|factor| factor.dimension()).sum(),
            of_bodies: merged.as_chunks::<2>().1.is_empty()
                && (merged.as_chunks().0.iter())
                    .all(|pair| *pair == [Factor::Euclidean(3), Factor::Rotation]),
            factors: merged,
        }
    }

    /// The vector space of dimension `n`.
    pub fn euclidean(n: usize) -> Self {
        Self::new([Factor::Euclidean(n)])
    }

    /// The factors, vector spaces merged.
    #[inline]
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The factors with the offsets of their coordinates and of their velocities.
    #[inline]
    pub fn factor_ranges(&self) -> impl Iterator<Item = (Factor, usize, usize)> + '_ {
        self.factors.iter().scan((0, 0), |offsets, &factor| {
            let (coordinate, velocity) = *offsets;
            offsets.0 += factor.coordinates();
            offsets.1 += factor.dimension();
            Some((factor, coordinate, velocity))
        })
    }

    /// The length of a coordinate slice, nq.
    #[inline]
    pub fn coordinates(&self) -> usize {
        self.coordinates
    }

    /// The length of a velocity slice, nv: the dimension of the manifold.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether this is a vector space.
    #[inline]
    pub fn is_euclidean(&self) -> bool {
        self.factors
            .iter()
            .all(|factor| matches!(factor, Factor::Euclidean(_)))
    }

    /// Where the angular velocities of rotations begin among the velocities; each has three numbers.
    pub(crate) fn angular_velocities(&self) -> impl Iterator<Item = usize> + '_ {
        self.factor_ranges()
            .filter_map(|(factor, _, velocity)| match factor {
                Factor::Euclidean(_) => None,
                Factor::Rotation | Factor::UnitQuaternion => Some(velocity),
                Factor::RigidMotion => Some(velocity + 3),
            })
    }

    /// Writes the neutral element to `q` (nq).
    pub fn identity(&self, q: &mut [f64]) {
        debug_assert_eq!(q.len(), self.coordinates);
        for (factor, at, _) in self.factor_ranges() {
            match factor {
                Factor::Euclidean(n) => q[at..at + n].fill(0.0),
                Factor::Rotation => store(q, at, &rotation::IDENTITY),
                Factor::UnitQuaternion => store(q, at, &quaternion::IDENTITY),
                Factor::RigidMotion => store(q, at, &rigid_motion::IDENTITY),
            }
        }
    }

    /// `out = q exp(hat(u))`; `q` and `out` of length nq, `u` of length nv.
    #[inline]
    pub fn retract<S: Scalar>(&self, q: &[S], u: &[S], out: &mut [S]) {
        self.move_by(q, u, out);
    }

    /// [`Self::retract`] with increments that are changed before, part by part: while they are at hand. `prepare` gets the place of each
    /// part and the part, `see` the coordinates that it leads to.
    pub(crate) fn retract_in_parts(
        &self,
        q: &[f64],
        u: &mut [f64],
        out: &mut [f64],
        mut prepare: impl FnMut(std::ops::Range<usize>, &mut [f64]),
        mut see: impl FnMut(&[f64]),
    ) {
        if !self.of_bodies {
            prepare(0..u.len(), u);
            self.retract(q, u, out);
            return see(out);
        }
        let count = u.len();
        for first in (0..count).step_by(PART) {
            let own = first..count.min(first + PART);
            prepare(own.clone(), &mut u[own.clone()]);
            fetch(u, own.end, PART);
            see(move_part(own.clone(), q, &u[own], out));
        }
    }

    /// [`Self::retract`] with increments that are made before, part by part, and of no use later: long lists need not go to memory. `make`
    /// writes the part at this place, `see` gets the coordinates that it leads to; `room` is as long as all of them.
    pub(crate) fn retract_by_parts(
        &self,
        q: &[f64],
        room: &mut [f64],
        out: &mut [f64],
        mut make: impl FnMut(std::ops::Range<usize>, &mut [f64]),
        mut see: impl FnMut(&[f64]),
    ) {
        if !self.of_bodies {
            make(0..room.len(), room);
            self.retract(q, room, out);
            return see(out);
        }
        let count = room.len();
        for first in (0..count).step_by(PART) {
            let own = first..count.min(first + PART);
            let u = &mut room[..own.len()];
            make(own.clone(), u);
            see(move_part(own, q, u, out));
        }
    }

    /// [`Self::retract`] from a base point of plain numbers.
    ///
    /// All derivatives are exact, also at `u = 0`: this seeds derivative numbers. Along
    /// `u = s v` the first derivative of `out` by `s` is `q hat(v)`, the second `q hat(v)^2`.
    #[inline]
    pub fn displace<S: Scalar>(&self, q: &[f64], u: &[S], out: &mut [S]) {
        self.move_by(q, u, out);
    }

    /// The derivative of `q exp(s hat(e))` by `s` at `s = 0`, `e` the unit velocity number `index`: calls `visit` with every
    /// coordinate that moves and its derivative, `q hat(e)`.
    ///
    /// # Panics
    /// If there is no such velocity.
    #[inline]
    pub fn tangent<S: Scalar>(&self, q: &[S], index: usize, mut visit: impl FnMut(usize, S)) {
        let owner = self.factor_ranges().find_map(|(factor, at, from)| {
            let own = index.checked_sub(from)?;
            (own < factor.dimension()).then_some((factor, at, own))
        });
        assert!(owner.is_some(), "no velocity number {index}");
        // R hat(e): two columns change places, one with the other sign.
        let turn = |at: usize, axis: usize, visit: &mut dyn FnMut(usize, S)| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            for row in (at..at + 9).step_by(3) {
                visit(row + next, q[row + last]);
                visit(row + last, -q[row + next]);
            }
        };
        match owner {
            None => {}
            Some((Factor::Euclidean(_), at, own)) => visit(at + own, S::one()),
            Some((Factor::Rotation, at, axis)) => turn(at, axis, &mut visit),
            Some((Factor::UnitQuaternion, at, axis)) => {
                let mut half = [S::zero(); 4];
                half[axis + 1] = S::constant(0.5);
                let rates = quaternion::product(&part(q, at), &half);
                for (coordinate, rate) in (at..).zip(rates) {
                    visit(coordinate, rate);
                }
            }
            Some((Factor::RigidMotion, at, own)) if own < 3 => {
                for row in 0..3 {
                    visit(at + row, q[at + 3 + 3 * row + own]);
                }
            }
            Some((Factor::RigidMotion, at, own)) => turn(at + 3, own - 3, &mut visit),
        }
    }

    #[inline]
    fn move_by<S, Q: Copy>(&self, q: &[Q], u: &[S], out: &mut [S])
    where
        S: Scalar + Add<Q, Output = S> + Mul<Q, Output = S>,
    {
        debug_assert_eq!(q.len(), self.coordinates);
        debug_assert_eq!(u.len(), self.dimension);
        debug_assert_eq!(out.len(), self.coordinates);
        if let [] | [Factor::Euclidean(_)] = self.factors[..] {
            return euclidean::retract(q, u, out);
        }
        self.move_on_groups(q, u, out);
    }

    /// The same where rotations may take part; apart, so that vector spaces need not make room for it.
    fn move_on_groups<S, Q: Copy>(&self, q: &[Q], u: &[S], out: &mut [S])
    where
        S: Scalar + Add<Q, Output = S> + Mul<Q, Output = S>,
    {
        if self.of_bodies {
            return move_bodies(q, u, out);
        }
        for (factor, at, from) in self.factor_ranges() {
            match factor {
                // The place of a body: no loop.
                Factor::Euclidean(3) => {
                    let (q, u): ([Q; 3], [S; 3]) = (part(q, at), part(u, from));
                    store(out, at, &[u[0] + q[0], u[1] + q[1], u[2] + q[2]]);
                }
                Factor::Euclidean(n) => {
                    euclidean::retract(&q[at..at + n], &u[from..from + n], &mut out[at..at + n]);
                }
                Factor::Rotation => {
                    let step = rotation::exp(&part(u, from));
                    store(out, at, &vector::product(&part(q, at), &step));
                }
                Factor::UnitQuaternion => {
                    let step = quaternion::exp(&part(u, from));
                    store(out, at, &quaternion::product(&part(q, at), &step));
                }
                Factor::RigidMotion => {
                    let step = rigid_motion::exp(&part(u, from));
                    store(out, at, &rigid_motion::compose(&part(q, at), &step));
                }
            }
        }
    }

    /// `u = log(from^-1 to)`, the increment (nv) that [`Self::retract`] takes from `from` to `to`
    /// (nq each), of rotation angles at most pi. A unit quaternion may end at the negative of
    /// `to`, which is the same rotation.
    #[inline]
    pub fn lift<S: Scalar>(&self, from: &[S], to: &[S], u: &mut [S]) {
        // u = log(from⁻¹ to), factor by factor.
        debug_assert_eq!(from.len(), self.coordinates);
        debug_assert_eq!(to.len(), self.coordinates);
        debug_assert_eq!(u.len(), self.dimension);
        for (factor, at, into) in self.factor_ranges() {
            match factor {
                Factor::Euclidean(n) => {
                    let range = at..at + n;
                    euclidean::lift(&from[range.clone()], &to[range], &mut u[into..into + n]);
                }
                Factor::Rotation => {
                    let step = transposed_product(&part(from, at), &part(to, at));
                    store(u, into, &rotation::log(&step));
                }
                Factor::UnitQuaternion => {
                    let back = quaternion::conjugate(&part(from, at));
                    let step = quaternion::product(&back, &part(to, at));
                    store(u, into, &quaternion::log(&step));
                }
                Factor::RigidMotion => {
                    let step = rigid_motion::relative(&part(from, at), &part(to, at));
                    store(u, into, &rigid_motion::log(&step));
                }
            }
        }
    }

    /// The left-trivialized differential of the exponential: `velocity = dexp(u) rate` is the
    /// body velocity of `exp(u(t))` when `du/dt = rate`,
    /// `dexp(u) = (1 - exp(-ad_u))/ad_u`. All of length nv.
    #[inline]
    pub fn dexp<S: Scalar>(&self, u: &[S], rate: &[S], velocity: &mut [S]) {
        self.map_algebra(u, rate, velocity, rotation::dexp, rigid_motion::dexp, copy);
    }

    /// The inverse of [`Self::dexp`]: `rate = dexp(u)^-1 velocity`. All of length nv.
    ///
    /// Singular where a rotation angle of `u` is a nonzero multiple of 2 pi: large or not finite
    /// there.
    #[inline]
    pub fn dexp_inverse<S: Scalar>(&self, u: &[S], velocity: &[S], rate: &mut [S]) {
        if self.of_bodies {
            debug_assert_eq!([u.len(), velocity.len(), rate.len()], [self.dimension; 3]);
            return bodies::dexp_inverse(u, velocity, rate);
        }
        self.map_algebra(
            u,
            velocity,
            rate,
            rotation::dexp_inverse,
            rigid_motion::dexp_inverse,
            copy,
        );
    }

    /// `out = dexp(u)^T covector`: pulls a gradient by body velocities back to one by the local
    /// coordinates `u`. All of length nv.
    #[inline]
    pub fn dexp_transpose<S: Scalar>(&self, u: &[S], covector: &[S], out: &mut [S]) {
        self.map_algebra(
            u,
            covector,
            out,
            rotation::dexp_transpose,
            rigid_motion::dexp_transpose,
            copy,
        );
    }

    /// `out = dexp(u)^-T covector`: pushes a momentum conjugate to local coordinates `u` to one conjugate to body
    /// velocities. All of length nv. Singular where [`Self::dexp_inverse`] is.
    #[inline]
    pub fn dexp_inverse_transpose<S: Scalar>(&self, u: &[S], covector: &[S], out: &mut [S]) {
        self.map_algebra(
            u,
            covector,
            out,
            rotation::dexp_inverse_transpose,
            rigid_motion::dexp_inverse_transpose,
            copy,
        );
    }

    /// The Lie bracket `out = ad_a b = [a, b]`. All of length nv.
    #[inline]
    pub fn bracket<S: Scalar>(&self, a: &[S], b: &[S], out: &mut [S]) {
        self.map_algebra(a, b, out, rotation::bracket, rigid_motion::bracket, |_| {
            S::zero()
        });
    }

    /// `out = ad_a^T covector`, with `a = v` and the momentum `M v` the gyroscopic force of a body. All of length nv.
    #[inline]
    pub fn bracket_transpose<S: Scalar>(&self, a: &[S], covector: &[S], out: &mut [S]) {
        self.map_algebra(
            a,
            covector,
            out,
            rotation::bracket_transpose,
            rigid_motion::bracket_transpose,
            |_| S::zero(),
        );
    }

    /// Whether this is where rigid bodies are: R³ and SO(3) in turn, once at least.
    #[inline]
    pub(crate) fn is_of_bodies(&self) -> bool {
        self.of_bodies && self.dimension > 0
    }

    /// Applies an operator of the Lie algebra factor by factor: unit quaternions have the algebra
    /// of rotations, and on vector spaces the operator acts on each number alone.
    #[inline]
    fn map_algebra<S: Scalar>(
        &self,
        u: &[S],
        x: &[S],
        out: &mut [S],
        rotation: impl Fn(&[S; 3], &[S; 3]) -> [S; 3],
        rigid_motion: impl Fn(&[S; 6], &[S; 6]) -> [S; 6],
        euclidean: impl Fn(S) -> S,
    ) {
        debug_assert_eq!(u.len(), self.dimension);
        debug_assert_eq!(x.len(), self.dimension);
        debug_assert_eq!(out.len(), self.dimension);
        if let [Factor::Euclidean(_)] = self.factors[..] {
            for (out, &x) in out.iter_mut().zip(x) {
                *out = euclidean(x);
            }
            return;
        }
        for (factor, _, at) in self.factor_ranges() {
            match factor {
                Factor::Euclidean(n) => {
                    for (out, &x) in out[at..at + n].iter_mut().zip(&x[at..at + n]) {
                        *out = euclidean(x);
                    }
                }
                Factor::Rotation | Factor::UnitQuaternion => {
                    store(out, at, &rotation(&part(u, at), &part(x, at)));
                }
                Factor::RigidMotion => {
                    store(out, at, &rigid_motion(&part(u, at), &part(x, at)));
                }
            }
        }
    }
}

/// On commuting velocities the differentials are the identity.
#[inline]
fn copy<S: Scalar>(x: S) -> S {
    x
}
