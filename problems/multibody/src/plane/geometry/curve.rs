//! Discs and points on parametric curves.

use super::GeometryError;
use super::error::{finite, non_negative};
use super::foot::{Foot, beyond, corrected, jet, nearest};
use super::{PlaneBody, PlaneContact, PlaneTouch, polar, round};
use crate::drawing::Figure;
use liedae::scalar::Scalar;
use nalgebra::Vector2;

/// A smooth curve r(s) in the frame of its body, with the material on its left: closed outlines run counterclockwise.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::Vector2;
/// use liedae_multibody::plane::geometry::{DiscOnCurve, PlaneBody, PlaneContact, PlaneCurve};
///
/// /// A gutter y = x² of 2 m width; it runs to the left, so that the material is below.
/// struct Gutter;
///
/// impl PlaneCurve for Gutter {
///     fn point<S: Scalar>(&self, s: S) -> Vector2<S> {
///         Vector2::new(-s, s * s)
///     }
///     fn range(&self) -> (f64, f64) {
///         (-1.0, 1.0)
///     }
///     fn is_closed(&self) -> bool {
///         false
///     }
/// }
///
/// // A ball of radius 0.1 m with its centre 0.3 m above the lowest point.
/// let ball = DiscOnCurve::new(Gutter, [0.0, 0.0], 0.1)?;
/// let above = PlaneBody::new([0.0, 0.3], 0.0, [0.0, 0.0], 0.0);
/// assert!((ball.gap(&[PlaneBody::ground(), above]) - 0.2).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
pub trait PlaneCurve {
    /// The point r(s) in m; |r'| > 0.
    fn point<S: Scalar>(&self, s: S) -> Vector2<S>;

    /// First and last parameter. The formula of a closed curve continues beyond them.
    fn range(&self) -> (f64, f64);

    /// Whether the last point is the first one, smoothly.
    fn is_closed(&self) -> bool;

    /// Intervals at whose ends the curve is sampled to find the nearest branch, at least 4; between two samples there
    /// should be at most one point nearest to anything that the curve meets.
    fn samples(&self) -> usize {
        64
    }
}

/// Points of a curve, closer than they are sampled for contacts.
pub(super) fn outline<C: PlaneCurve>(curve: &C) -> Figure {
    let (start, end) = curve.range();
    let parts = 4 * curve.samples().max(4);
    let points = (0..=parts).map(|part| {
        let point = curve.point(start + (end - start) * part as f64 / parts as f64);
        [point.x, point.y, 0.0]
    });
    let points = points.collect();
    if curve.is_closed() {
        Figure::Polygon(points)
    } else {
        Figure::Line(points)
    }
}

/// A disc, or a point where the radius is zero, of body B on a curve of body A, as a roller on a cam:
/// g = n · (c - r(s)) - ρ at the foot s of the perpendicular, (c - r(s)) · r'(s) = 0.
///
/// The foot is found by values, and corrected by Newton steps with derivatives, so that first and second derivatives
/// of the gap and first ones of the sliding velocity are exact. The gap is regular while 1 + κ (g + ρ) > 0 with the
/// curvature κ of the material, positive where convex: the centre stays out of the evolute, and ρ below the radius of
/// curvature in hollows. Beyond the end of an open curve the nearest feature is its last point. Every evaluation samples
/// the curve; the gap is NaN if no foot is found.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::{DiscOnCurve, PlaneBody, PlaneContact, Profile, SupportCurve};
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
/// // A roller of radius 1 cm; its centre is 6 cm to the right of the centre of the eccentric, and 8 cm higher.
/// let roller = DiscOnCurve::new(SupportCurve(Eccentric), [0.0, 0.0], 0.01)?;
/// let follower = PlaneBody::new([0.07, 0.08], 0.0, [0.0, 0.0], 0.0);
/// assert!((roller.gap(&[PlaneBody::ground(), follower]) - (0.10 - 0.05 - 0.01)).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscOnCurve<C> {
    curve: C,
    centre: [f64; 2],
    radius: f64,
}

impl<C: PlaneCurve> DiscOnCurve<C> {
    /// A disc with this centre (frame of body B) and radius of at least 0, both in m.
    pub fn new(curve: C, centre: [f64; 2], radius: f64) -> Result<Self, GeometryError> {
        let (start, end) = curve.range();
        finite("the range of a curve", [start, end])?;
        if start >= end {
            return Err(GeometryError::Direction {
                what: "the range of a curve",
                length: end - start,
            });
        }
        Ok(Self {
            curve,
            centre: finite("the centre of a disc", centre)?,
            radius: non_negative("the radius of a disc", radius)?,
        })
    }

    /// A point (frame of body B, in m).
    pub fn point(curve: C, point: [f64; 2]) -> Result<Self, GeometryError> {
        Self::new(curve, point, 0.0)
    }
}

impl<C: PlaneCurve> PlaneContact for DiscOnCurve<C> {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let centre = b.point(self.centre);
        let local = a.local_point(&centre);
        let (distance, normal) = match nearest(&self.curve, &local.map(S::value)) {
            Foot::Inside(foot) => {
                // s with its derivatives, though the foot itself was found by values.
                let s = corrected(&self.curve, foot, &local);
                let [r, first, _] = jet(&self.curve, s);
                let (_, tangent) = polar(first);
                // Outward: the material is on the left of the curve.
                let normal = Vector2::new(tangent.y, -tangent.x);
                (normal.dot(&(local - r)), normal)
            }
            Foot::End(s) => polar(local - self.curve.point(s).map(S::constant)),
        };
        PlaneTouch::of_disc(distance, a.direction(&normal), centre, self.radius)
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let outline = outline(&self.curve);
        [vec![outline], vec![round(self.centre, self.radius)]]
    }

    /// The ends of an open curve.
    fn junctions(&self) -> usize {
        if self.curve.is_closed() { 0 } else { 2 }
    }

    fn junction_values(&self, [a, b]: &[PlaneBody; 2], out: &mut [f64]) {
        let local = a.local_point(&b.point(self.centre));
        let (start, end) = self.curve.range();
        for (slot, limit) in out.iter_mut().zip([start, end]) {
            *slot = beyond(&self.curve, limit, &local);
        }
    }
}
