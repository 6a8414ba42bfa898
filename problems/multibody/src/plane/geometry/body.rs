//! Where a plane body is and how it moves.

use liedae::scalar::Scalar;
use nalgebra::Vector2;

/// Position, orientation and velocity of a plane body, or of the ground.
///
/// Contacts see bodies only through this, so that it does not matter in which coordinates a model states them: with
/// x, y, θ per body ([`read`](Self::read)), in joint angles, or with a prescribed motion ([`new`](Self::new)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneBody<S: Scalar = f64> {
    /// Reference point in m, fixed frame; points of the body are given from here.
    pub position: Vector2<S>,
    /// Orientation θ in rad.
    pub angle: S,
    /// The body's x-axis (cos θ, sin θ).
    axis: Vector2<S>,
    /// Velocity of the reference point in m/s.
    pub velocity: Vector2<S>,
    /// Angular velocity in rad/s.
    pub omega: S,
}

impl<S: Scalar> PlaneBody<S> {
    /// The ground: the fixed frame itself, at rest.
    #[inline]
    pub fn ground() -> Self {
        Self {
            position: Vector2::zeros(),
            angle: S::constant(0.0),
            axis: Vector2::new(S::constant(1.0), S::constant(0.0)),
            velocity: Vector2::zeros(),
            omega: S::constant(0.0),
        }
    }

    /// A body at this position (m) and angle (rad) with this velocity (m/s) and angular velocity (rad/s).
    pub fn new(position: [S; 2], angle: S, velocity: [S; 2], omega: S) -> Self {
        Self {
            position: position.into(),
            angle,
            axis: axis(angle),
            velocity: velocity.into(),
            omega,
        }
    }

    /// Body number `body` of coordinates (x, y, θ) and velocities (x', y', θ') per body, or the ground where there is
    /// none. An empty `v` is a body at rest; a body beyond the coordinates is NaN everywhere.
    pub fn read(body: Option<usize>, q: &[S], v: &[S]) -> Self {
        Self::read_with(body, q, v, Self::new)
    }

    #[inline(always)]
    fn read_with(
        body: Option<usize>,
        q: &[S],
        v: &[S],
        new: impl FnOnce([S; 2], S, [S; 2], S) -> Self,
    ) -> Self {
        let Some(body) = body else {
            return Self::ground();
        };
        let number = |value| S::constant(value);
        let [x, y, angle] = match q.get(3 * body..3 * body + 3) {
            Some(&[x, y, angle]) => [x, y, angle],
            _ => [number(f64::NAN); 3],
        };
        let [vx, vy, omega] = match v.get(3 * body..3 * body + 3) {
            Some(&[vx, vy, omega]) => [vx, vy, omega],
            _ if v.is_empty() => [number(0.0); 3],
            _ => [number(f64::NAN); 3],
        };
        new([x, y], angle, [vx, vy], omega)
    }

    /// Bodies A and B, see [`read`](Self::read).
    pub fn pair(bodies: [Option<usize>; 2], q: &[S], v: &[S]) -> [Self; 2] {
        [Self::read(bodies[0], q, v), Self::read(bodies[1], q, v)]
    }

    /// The same; sine and cosine of an angle are worked out where directions of the body are wanted.
    #[inline(always)]
    pub(in crate::plane) fn pair_with_directions(
        wanted: [bool; 2],
        bodies: [Option<usize>; 2],
        q: &[S],
        v: &[S],
    ) -> [Self; 2] {
        let [a, b] = bodies;
        [
            Self::read_wanted(wanted[0], a, q, v),
            Self::read_wanted(wanted[1], b, q, v),
        ]
    }

    /// As [`read`](Self::read); unless they are wanted, directions of the body are NaN, and so are points beside the reference point.
    #[inline(always)]
    pub(in crate::plane) fn read_wanted(
        directions: bool,
        body: Option<usize>,
        q: &[S],
        v: &[S],
    ) -> Self {
        Self::read_with(body, q, v, |position, angle, velocity, omega| Self {
            position: position.into(),
            angle,
            axis: match directions {
                true => axis(angle),
                false => Vector2::repeat(S::constant(f64::NAN)),
            },
            velocity: velocity.into(),
            omega,
        })
    }

    /// A direction given in the body frame, in the fixed frame.
    pub fn direction(&self, local: &Vector2<S>) -> Vector2<S> {
        turn(self.axis, *local)
    }

    /// The same of a direction that is a constant of the body: products with plain numbers take less than those of derivatives.
    #[inline]
    pub(in crate::plane) fn fixed_direction(&self, [x, y]: [f64; 2]) -> Vector2<S> {
        let axis = self.axis;
        Vector2::new(axis.x * x - axis.y * y, axis.y * x + axis.x * y)
    }

    /// A point given in the body frame, in the fixed frame.
    #[inline]
    pub fn point(&self, local: [f64; 2]) -> Vector2<S> {
        // The reference point is there however the body is turned.
        if local == [0.0; 2] {
            return self.position;
        }
        self.position + self.fixed_direction(local)
    }

    /// A direction given in the fixed frame, in the body frame.
    pub fn local_direction(&self, direction: &Vector2<S>) -> Vector2<S> {
        // Turned back: the sine changes its sign.
        turn(Vector2::new(self.axis.x, -self.axis.y), *direction)
    }

    /// A point given in the fixed frame, in the body frame.
    pub fn local_point(&self, point: &Vector2<S>) -> Vector2<S> {
        self.local_direction(&(point - self.position))
    }

    /// Velocity in m/s of the body's material at a point of the fixed frame.
    pub fn velocity_at(&self, point: &Vector2<S>) -> Vector2<S> {
        let arm = point - self.position;
        self.velocity + Vector2::new(-arm.y, arm.x) * self.omega
    }
}

/// The x-axis of a body at this angle.
fn axis<S: Scalar>(angle: S) -> Vector2<S> {
    let (sine, cosine) = angle.sin_cos();
    Vector2::new(cosine, sine)
}

/// A vector turned by the angle whose cosine and sine are given.
fn turn<S: Scalar>(angle: Vector2<S>, vector: Vector2<S>) -> Vector2<S> {
    Vector2::new(
        angle.x * vector.x - angle.y * vector.y,
        angle.y * vector.x + angle.x * vector.y,
    )
}
