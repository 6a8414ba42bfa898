//! Cams: outlines given by their radius or by their support function.

use super::GeometryError;
use super::error::{direction, finite};
use super::{PlaneBody, PlaneContact, PlaneCurve, PlaneTouch};
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::Vector2;
use std::f64::consts::PI;

/// A length in m as a smooth function of an angle in rad, with the period 2π.
pub trait Profile {
    /// The length at this angle.
    fn length<S: Scalar>(&self, angle: S) -> S;
}

/// The outline r(φ) = ρ(φ) (cos φ, sin φ) with a radius ρ > 0.
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
        let up = -b.direction(&Vector2::from(self.normal).map(S::constant));
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
