//! Cams: outlines given by their radius or by their support function.

use super::GeometryError;
use super::error::{direction, finite};
use super::{PlaneBody, PlaneContact, PlaneCurve, PlaneTouch};
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::Vector2;
use std::f64::consts::PI;

/// A length in m as a smooth function of an angle in rad, with the period 2π.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::Profile;
///
/// /// A cam with two noses: its radius is between 4 cm and 6 cm.
/// struct Cam;
///
/// impl Profile for Cam {
///     fn length<S: Scalar>(&self, angle: S) -> S {
///         (angle * 2.0).cos() * 0.01 + 0.05
///     }
/// }
///
/// for (degrees, radius) in [(0.0_f64, 0.06), (90.0, 0.04), (180.0, 0.06)] {
///     assert!((Cam.length(degrees.to_radians()) - radius).abs() < 1e-15);
/// }
/// ```
pub trait Profile {
    /// The length at this angle.
    fn length<S: Scalar>(&self, angle: S) -> S;
}

/// The outline r(φ) = ρ(φ) (cos φ, sin φ) with a radius ρ > 0.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::{PlaneCurve, PolarCurve, Profile};
///
/// /// An egg: its radius is 6 cm on the right and 4 cm on the left.
/// struct Egg;
///
/// impl Profile for Egg {
///     fn length<S: Scalar>(&self, angle: S) -> S {
///         angle.cos() * 0.01 + 0.05
///     }
/// }
///
/// let outline = PolarCurve(Egg);
/// let (right, top) = (outline.point(0.0), outline.point(std::f64::consts::FRAC_PI_2));
/// assert!((right.x - 0.06).abs() < 1e-15 && right.y == 0.0);
/// assert!((top.y - 0.05).abs() < 1e-15 && top.x.abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolarCurve<P>(pub P);

impl<P: Profile> PlaneCurve for PolarCurve<P> {
    fn point<S: Scalar>(&self, s: S) -> Vector2<S> {
        let (sine, cosine) = s.sin_cos();
        Vector2::new(cosine, sine) * self.0.length(s)
    }
    fn range(&self) -> (f64, f64) {
        (-PI, PI)
    }
    fn is_closed(&self) -> bool {
        true
    }
}

/// The convex outline with the support function h(φ), the distance of the tangent with the outward normal
/// n = (cos φ, sin φ): r(φ) = h n + h' n', with the radius of curvature h + h'' > 0.
///
/// Source: R. Schneider, Convex Bodies: The Brunn-Minkowski Theory, 2nd ed., Cambridge 2014, sec. 1.7,
/// doi:10.1017/CBO9781139003858.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::{PlaneCurve, Profile, SupportCurve};
///
/// /// An eccentric: a disc of radius 5 cm whose centre is 1 cm off the shaft.
/// struct Eccentric;
///
/// impl Profile for Eccentric {
///     fn length<S: Scalar>(&self, angle: S) -> S {
///         angle.cos() * 0.01 + 0.05
///     }
/// }
///
/// let outline = SupportCurve(Eccentric);
/// for angle in [0.0, 1.0, 2.0, 3.0] {
///     let point = outline.point(angle);
///     assert!(((point.x - 0.01).hypot(point.y) - 0.05).abs() < 1e-15);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportCurve<P>(pub P);

/// The point of the outline with a support function whose outward normal has this angle, and that normal.
fn supported<P: Profile, S: Scalar>(profile: &P, angle: S) -> (Vector2<S>, Vector2<S>) {
    let support = profile.length(Taylor2::variable(angle));
    let (sine, cosine) = angle.sin_cos();
    let normal = Vector2::new(cosine, sine);
    // r = h n + h' n'.
    let point = normal * support.value + Vector2::new(-sine, cosine) * support.first;
    (point, normal)
}

impl<P: Profile> PlaneCurve for SupportCurve<P> {
    fn point<S: Scalar>(&self, s: S) -> Vector2<S> {
        supported(&self.0, s).0
    }
    fn range(&self) -> (f64, f64) {
        (-PI, PI)
    }
    fn is_closed(&self) -> bool {
        true
    }
}

/// A flat of body B on the outline of body A with a support function h, as a flat-faced follower on a cam:
/// g = u · (p_B - c_A) - h(φ), with φ the angle in body A of the direction u from the cam to the flat.
///
/// The profile is about the reference point of body A.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::{FlatOnProfile, PlaneBody, PlaneContact, Profile};
///
/// /// An eccentric: a disc of radius 5 cm whose centre is 1 cm off the shaft.
/// struct Eccentric;
///
/// impl Profile for Eccentric {
///     fn length<S: Scalar>(&self, angle: S) -> S {
///         angle.cos() * 0.01 + 0.05
///     }
/// }
///
/// // A tappet 8 cm above the shaft looks down on the cam, which has turned until its centre is above the shaft.
/// let tappet = FlatOnProfile::new(Eccentric, [0.0, 0.0], [0.0, -1.0])?;
/// let cam = PlaneBody::new([0.0, 0.0], std::f64::consts::FRAC_PI_2, [0.0, 0.0], 0.0);
/// let above = PlaneBody::new([0.0, 0.08], 0.0, [0.0, 0.0], 0.0);
/// assert!((tappet.gap(&[cam, above]) - 0.02).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlatOnProfile<P> {
    profile: P,
    point: [f64; 2],
    normal: [f64; 2],
}

impl<P: Profile> FlatOnProfile<P> {
    /// A flat through `point` (m) with the outward `normal` of any length, which points to the cam; frame of body B.
    pub fn new(profile: P, point: [f64; 2], normal: [f64; 2]) -> Result<Self, GeometryError> {
        Ok(Self {
            profile,
            point: finite("a point of a flat", point)?,
            normal: direction("the normal of a flat", normal)?,
        })
    }
}

impl<P: Profile> PlaneContact for FlatOnProfile<P> {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let up = -b.fixed_direction(self.normal);
        let local = a.local_direction(&up);
        // The point of the cam whose tangent is parallel to the flat.
        let (point, _) = supported(&self.profile, local.y.atan2(local.x));
        let on_cam = a.position + a.direction(&point);
        let gap = up.dot(&(b.point(self.point) - on_cam));
        PlaneTouch {
            gap,
            normal: up,
            points: [on_cam, on_cam + up * gap],
        }
    }
}
