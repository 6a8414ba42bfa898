//! Gaps between bodies, and how fast their surfaces slide.
//!
//! Bodies of the plane with coordinates x, y, θ. Contacts of bodies in space are
//! [`SurfaceContact`](crate::SurfaceContact)s.
//!
//! ```text
//!        body B                 gap g > 0: apart,  g = 0: touching,  g < 0: penetrating (m)
//!       \_____/  p_B
//!          ↑ n                  n: unit normal from body A to body B
//!   t ──→ ─┼─── p_A             t: unit tangent, n turned by -90° (n up, t to the right)
//!    body A                     sliding velocity: t · (velocity of B at p_B - velocity of A at p_A) (m/s)
//! ```
//!
//! p_A and p_B are the closest points of the two bodies, p_B = p_A + g n, so that the rate of the gap is
//! n · (velocity of B at p_B - velocity of A at p_A), and a multiplier λ ≥ 0 of the gap is the force λ n in N on body B
//! and -λ n on body A. Exchanging the bodies changes the signs of n and t and of the relative velocity, hence neither
//! the gap nor the sliding velocity.
//!
//! Source: F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 4,
//! doi:10.1002/9783527618385.
//!
//! A contact compares shapes that are fixed to two bodies A and B ([`PlaneBody`]); its formulas are generic over the
//! scalar, so that Jacobians and accelerations come from duals:
//!
//! | A | B | contact |
//! |---|---|---|
//! | [`HalfPlane`] | point or disc | [`DiscOnLine`] |
//! | corridor | point or disc | [`pin_in_slot`], two contacts |
//! | half-plane | box | [`box_on_line`], one contact for each corner |
//! | disc | disc or point | [`DiscOnDisc`] |
//! | circular hole | disc or point | [`DiscInCircle`]: journal in its bearing |
//! | [`PlaneCurve`] | point or disc | [`DiscOnCurve`]: cam and roller |
//! | [`Profile`] | flat | [`FlatOnProfile`]: cam and flat-faced follower |
//! | [`ArcCam`] | point or disc | [`DiscOnArcCam`]: cam made of circular arcs |
//! | [`Wedges`] | point or disc | [`DiscOnWedges`]: teeth, mouths of slots |
//! | [`ImplicitCurve`] | point | [`PointOnImplicitCurve`] |
//! | point | point | [`Rope`] |
//! | angle | angle | [`AngularStop`] |
//!
//! A formula with pieces takes its branches by values: each corner of a
//! box is a contact of its own, and beyond the end of an open curve the nearest feature is the end's point. Where the
//! nearest feature changes, gap and normal are continuous and the curvature jumps: [`PlaneContact::junction_values`] tell
//! where, and a closed contact has an event there.
//!
//! ```
//! use liedae::scalar::Scalar;
//! use liedae::system::{Layout, MatrixMut, Model, Point, State};
//! use liedae_contact::{Contact, ContactModel};
//! use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane, PlaneBody, PlaneContact};
//!
//! /// A ball of radius 0.1 m above the floor.
//! struct Ball {
//!     floor: DiscOnLine,
//! }
//!
//! impl Model for Ball {
//!     fn layout(&self) -> Layout {
//!         Layout::dense(liedae::manifold::Manifold::euclidean(3))
//!     }
//!     fn initial_state(&self) -> State {
//!         State { q: vec![0.0, 1.0, 0.0], ..self.layout().state() }
//!     }
//!     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
//!         for (axis, value) in [1.0, 1.0, 0.004].into_iter().enumerate() {
//!             mass[(axis, axis)] = S::constant(value);
//!         }
//!     }
//!     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
//!         force[1] = S::constant(-9.81);
//!     }
//!     // Not without its floor.
//!     fn needs_layer(&self) -> bool {
//!         true
//!     }
//! }
//!
//! impl ContactModel for Ball {
//!     fn contacts(&self) -> Vec<Contact> {
//!         vec![Contact::new("floor", 0.8).with_planar_friction(0.2)]
//!     }
//!     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
//!         self.floor.gap(&PlaneBody::pair([None, Some(0)], at.q, at.v))
//!     }
//!     fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
//!         sliding[0] = self.floor.sliding_velocity(&PlaneBody::pair([None, Some(0)], at.q, at.v));
//!     }
//! }
//!
//! let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0])?;
//! let ball = Ball { floor: DiscOnLine::new(floor, [0.0, 0.0], 0.1)? };
//! assert_eq!(ball.gap(0, &ball.initial_state().point()), 0.9);
//! # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
//! ```

mod arc_cam;
mod body;
mod cam;
mod curve;
mod disc;
mod error;
mod foot;
mod implicit;
mod limit;
mod line;
mod wedge;

#[cfg(test)]
mod tests;

pub use arc_cam::{ArcCam, DiscOnArcCam};
pub use body::PlaneBody;
pub use cam::{FlatOnProfile, PolarCurve, Profile, SupportCurve};
pub use curve::{DiscOnCurve, PlaneCurve};
pub use disc::{DiscInCircle, DiscOnDisc};
pub use error::GeometryError;
pub use implicit::{ImplicitCurve, PointOnImplicitCurve};
pub use limit::{AngularStop, Rope};
pub use line::{DiscOnLine, HalfPlane, box_on_line, pin_in_slot};
pub use wedge::{DiscOnWedges, Wedges};

use crate::drawing::Figure;
use liedae::scalar::Scalar;
use nalgebra::Vector2;

/// Where two bodies are closest, in the fixed frame.
///
/// ```
/// use liedae_multibody::Vector2;
/// use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane, PlaneBody, PlaneContact, PlaneTouch};
///
/// // A wheel of radius 0.5 m above a slope of 3 in 4, which it drives up with 2 m/s.
/// let slope = HalfPlane::new([0.0, 0.0], [-0.6, 0.8])?;
/// let wheel = DiscOnLine::new(slope, [0.0, 0.0], 0.5)?;
/// let bodies = [PlaneBody::ground(), PlaneBody::new([0.0, 1.0], 0.0, [1.6, 1.2], 0.0)];
/// let touch: PlaneTouch = wheel.touch(&bodies);
/// assert!((touch.gap - 0.3).abs() < 1e-15);
/// assert!((touch.points[1] - touch.points[0] - touch.normal * touch.gap).norm() < 1e-15);
/// assert!((touch.tangent() - Vector2::new(0.8, 0.6)).norm() < 1e-15);
/// assert!((touch.relative_velocity(&bodies) - touch.tangent() * 2.0).norm() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneTouch<S: Scalar = f64> {
    /// The gap in m, negative when the bodies penetrate.
    pub gap: S,
    /// The unit normal from body A to body B; zero where the gap has none (centres that coincide).
    pub normal: Vector2<S>,
    /// The closest points of body A and of body B.
    pub points: [Vector2<S>; 2],
}

impl<S: Scalar> PlaneTouch<S> {
    /// A disc around a centre fixed to body B whose centre has this distance from body A.
    fn of_disc(distance: S, normal: Vector2<S>, centre: Vector2<S>, radius: f64) -> Self {
        Self {
            gap: distance - radius,
            normal,
            points: [
                centre - normal * distance,
                centre - normal * S::constant(radius),
            ],
        }
    }

    /// The unit tangent: the normal turned by -90°.
    pub fn tangent(&self) -> Vector2<S> {
        Vector2::new(self.normal.y, -self.normal.x)
    }

    /// Velocity of body B at its closest point minus that of body A at its own, in m/s.
    pub fn relative_velocity(&self, bodies: &[PlaneBody<S>; 2]) -> Vector2<S> {
        bodies[1].velocity_at(&self.points[1]) - bodies[0].velocity_at(&self.points[0])
    }

    /// The same with bodies A and B exchanged.
    pub fn exchanged(self) -> Self {
        Self {
            gap: self.gap,
            normal: -self.normal,
            points: [self.points[1], self.points[0]],
        }
    }
}

/// A contact of two surfaces in the plane.
pub trait PlaneContact {
    /// The closest points of bodies A and B, which stand at `bodies`.
    fn touch<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> PlaneTouch<S>;

    /// The gap g in m; it does not depend on velocities.
    fn gap<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> S {
        self.touch(bodies).gap
    }

    /// The gap from the ground, where that is body A: the same number, for which some contacts have less to do.
    #[inline]
    fn gap_from_ground<S: Scalar>(&self, body: PlaneBody<S>) -> S {
        self.gap(&[PlaneBody::ground(), body])
    }

    /// The velocity in m/s of body B relative to body A along the tangent, linear in the velocities.
    fn sliding_velocity<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> S {
        let touch = self.touch(bodies);
        touch.tangent().dot(&touch.relative_velocity(bodies))
    }

    /// Whether directions of bodies A and B are asked for, or points beside their reference points. A disc around a reference point is
    /// there however its body is turned. Where this is false sine and cosine of the angle are spared, and a direction that is asked
    /// for all the same is NaN.
    fn needs_directions(&self) -> [bool; 2] {
        [true; 2]
    }

    /// How far the bodies go into each other, in m, until the gap opens on the far side; infinity where one has none.
    fn thickness(&self) -> f64 {
        f64::INFINITY
    }

    /// How many functions tell where the nearest feature changes, see [`junction_values`](Self::junction_values).
    fn junctions(&self) -> usize {
        0
    }

    /// Functions of the positions that change their signs where the normal or the curvature jumps at the closest points. A
    /// closed contact has an event of kind `normal` there, at which runs start anew.
    fn junction_values(&self, _bodies: &[PlaneBody; 2], _out: &mut [f64]) {}

    /// What the surfaces of bodies A and B look like, in their frames; nothing unless stated.
    fn figures(&self) -> [Vec<Figure>; 2] {
        [Vec::new(), Vec::new()]
    }
}

/// A disc, or a point where the radius is zero.
fn round([x, y]: [f64; 2], radius: f64) -> Figure {
    let centre = [x, y, 0.0];
    if radius > 0.0 {
        Figure::Disc { centre, radius }
    } else {
        Figure::Dot(centre)
    }
}

/// A contact stated with its bodies exchanged: A is body B of the contact inside.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscOnLine, Exchanged, HalfPlane, PlaneBody, PlaneContact};
///
/// // A ball of radius 0.1 m on the ground under a press whose face looks down: here the ball is body A and the press body B.
/// let face = HalfPlane::new([0.0, 0.0], [0.0, -1.0])?;
/// let ball = Exchanged(DiscOnLine::new(face, [0.0, 0.0], 0.1)?);
/// let press = PlaneBody::new([0.0, 0.5], 0.0, [0.0, 0.0], 0.0);
/// let touch = ball.touch(&[PlaneBody::ground(), press]);
/// assert!((touch.gap - 0.4).abs() < 1e-15);
/// // The normal points from the ball to the press.
/// assert_eq!(touch.normal.y, 1.0);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exchanged<C>(pub C);

impl<C: PlaneContact> PlaneContact for Exchanged<C> {
    fn touch<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        self.0.touch(&[bodies[1], bodies[0]]).exchanged()
    }

    fn needs_directions(&self) -> [bool; 2] {
        let [first, second] = self.0.needs_directions();
        [second, first]
    }

    fn thickness(&self) -> f64 {
        self.0.thickness()
    }

    fn junctions(&self) -> usize {
        self.0.junctions()
    }

    fn junction_values(&self, bodies: &[PlaneBody; 2], out: &mut [f64]) {
        self.0.junction_values(&[bodies[1], bodies[0]], out);
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let [first, second] = self.0.figures();
        [second, first]
    }
}

/// Length and unit direction of a vector.
///
/// The length has no derivative at zero. A vector that is exactly zero gets the length zero without derivatives and the
/// direction zero: zero is the symmetric element of the generalized gradient there.
fn polar<S: Scalar>(vector: Vector2<S>) -> (S, Vector2<S>) {
    if vector.x.value() == 0.0 && vector.y.value() == 0.0 {
        return (S::constant(0.0), Vector2::zeros());
    }
    let length = vector.x.hypot(vector.y);
    (length, vector / length)
}
