//! Memory for evaluations of functions of a point with some scalar.

use crate::manifold::Manifold;
use crate::scalar::{Dual, Scalar, Taylor2};
use crate::system::{Layout, Model, Point};

/// Directions differentiated in one sweep: wide enough for a rigid body, narrow enough for registers.
pub const CHUNK: usize = 6;

/// Arguments and result of one evaluation with the scalar `S`, as [`Point`] has them.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::scalar::{Dual, Scalar};
/// use liedae::system::derivatives::{Arguments, CHUNK};
/// use liedae::system::{Layout, State};
///
/// // How far the lowest point of a ball of radius 0.5 m is above a paraboloid z = r²/2, and its gradient.
/// let layout = Layout::dense(Manifold::euclidean(3));
/// let state = State { q: vec![3.0, 0.0, 8.0], ..layout.state() };
/// let mut arguments = Arguments::<Dual<CHUNK>>::new(&layout);
/// arguments.load(&state.point());
/// for axis in 0..3 {
///     arguments.displacement[axis] = Dual::variable(0.0, axis);
/// }
/// arguments.displace(&layout.space, &state.q);
/// let [x, y, z] = arguments.q[..] else { panic!("three coordinates") };
/// let height = z - 0.5 - (x * x + y * y) * 0.5;
/// assert_eq!((height.value, &height.gradient[..3]), (3.0, &[-3.0, 0.0, 1.0][..]));
/// ```
pub struct Arguments<S> {
    /// Time.
    pub t: S,
    /// Configuration.
    pub q: Vec<S>,
    /// Velocity.
    pub v: Vec<S>,
    /// Differential states.
    pub x: Vec<S>,
    /// Algebraic variables.
    pub z: Vec<S>,
    /// Multipliers.
    pub lambda: Vec<S>,
    /// Local coordinates δ of the configuration q · exp(δ), see [`displace`](Self::displace).
    pub displacement: Vec<S>,
    /// The result, as long as rates or rows.
    pub out: Vec<S>,
}

impl<S: Scalar> Arguments<S> {
    /// Memory for points of a layout.
    pub fn new(layout: &Layout) -> Self {
        let zero = S::constant(0.0);
        Self {
            t: zero,
            q: vec![zero; layout.space.coordinates()],
            v: vec![zero; layout.dimension()],
            x: vec![zero; layout.differential],
            z: vec![zero; layout.algebraic],
            lambda: vec![zero; layout.rows()],
            displacement: vec![zero; layout.dimension()],
            out: vec![zero; layout.rate_count().max(layout.rows())],
        }
    }

    /// Takes a point over, with no derivatives and no displacement.
    pub fn load(&mut self, at: &Point) {
        self.load_point(at);
        self.displacement.fill(S::constant(0.0));
    }

    /// Takes a point over, with no derivatives.
    #[inline]
    fn load_point(&mut self, at: &Point) {
        self.t = S::constant(at.t);
        load_part(&mut self.q, at.q);
        self.load_constants(at);
    }

    /// Takes over what does not change along any curve of configurations.
    #[inline]
    fn load_constants(&mut self, at: &Point) {
        load_part(&mut self.v, at.v);
        load_part(&mut self.x, at.x);
        load_part(&mut self.z, at.z);
        load_part(&mut self.lambda, at.lambda);
    }

    /// The configuration q · exp(δ).
    pub fn displace(&mut self, space: &Manifold, q: &[f64]) {
        space.displace(q, &self.displacement, &mut self.q);
    }

    /// The arguments as a point.
    pub fn point<'a>(&'a self, mode: &'a [i32]) -> Point<'a, S> {
        Point {
            t: self.t,
            q: &self.q,
            v: &self.v,
            x: &self.x,
            z: &self.z,
            lambda: &self.lambda,
            mode,
        }
    }

    /// The arguments as a point, beside the zeroed result.
    pub fn split<'a>(&'a mut self, mode: &'a [i32]) -> (Point<'a, S>, &'a mut [S]) {
        self.out.fill(S::constant(0.0));
        let point = Point {
            t: self.t,
            q: &self.q,
            v: &self.v,
            x: &self.x,
            z: &self.z,
            lambda: &self.lambda,
            mode,
        };
        (point, &mut self.out)
    }
}

/// Numbers without derivatives.
fn load_part<S: Scalar>(to: &mut [S], from: &[f64]) {
    for (to, &from) in to.iter_mut().zip(from) {
        *to = S::constant(from);
    }
}

impl<const N: usize> Arguments<Dual<N>> {
    /// Takes a point over, with a gradient by displacements q · exp(δ) at δ = 0: pairs of a velocity component and its direction.
    /// Gradients are linear in δ, so tangents do for the exponential. [`displacement`](Self::displacement) stays what it was.
    pub fn displace_along(
        &mut self,
        space: &Manifold,
        at: &Point,
        seeds: impl IntoIterator<Item = (usize, usize)>,
    ) {
        self.load_point(at);
        let is_euclidean = space.is_euclidean();
        for (column, direction) in seeds {
            if is_euclidean {
                self.displace_coordinate(column, direction);
            } else {
                self.displace_column(space, at.q, column, direction);
            }
        }
    }

    /// The same where every velocity is the rate of its own coordinate.
    #[inline]
    fn displace_coordinate(&mut self, coordinate: usize, direction: usize) {
        self.q[coordinate].gradient[direction] += 1.0;
    }

    /// Adds the gradient by one of these displacements.
    pub fn displace_column(
        &mut self,
        space: &Manifold,
        q: &[f64],
        column: usize,
        direction: usize,
    ) {
        if space.is_euclidean() {
            return self.displace_coordinate(column, direction);
        }
        space.tangent(q, column, |coordinate, rate| {
            self.q[coordinate].gradient[direction] += rate;
        });
    }
}

impl Arguments<Taylor2> {
    /// Loads q · exp(s v), t + s at s = 0, with all else constant.
    #[inline]
    pub fn follow(&mut self, space: &Manifold, at: &Point) {
        let moving = |value, first| Taylor2 {
            value,
            first,
            second: 0.0,
        };
        self.load_constants(at);
        self.t = moving(at.t, 1.0);
        if space.is_euclidean() {
            // There the exponential is the identity.
            for (to, (&q, &v)) in self.q.iter_mut().zip(at.q.iter().zip(at.v)) {
                *to = moving(q, v);
            }
            return;
        }
        for (u, &v) in self.displacement.iter_mut().zip(at.v) {
            *u = moving(0.0, v);
        }
        self.displace(space, at.q);
    }
}

#[inline]
pub(in crate::system) fn evaluate_rates<M: Model, S: Scalar>(
    model: &M,
    layout: &Layout,
    at: &Point<S>,
    out: &mut [S],
) {
    let (force, rest) = out.split_at_mut(layout.dimension());
    let (rate, residual) = rest.split_at_mut(layout.differential);
    model.force(at, force);
    model.differential_rate(at, rate);
    model.algebraic_residual(at, &mut residual[..layout.algebraic]);
}
