//! Curves given by an equation.

use super::GeometryError;
use super::error::finite;
use super::{PlaneBody, PlaneContact, PlaneTouch, polar};
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector2;

/// A curve F(x, y) = 0 in the frame of its body; F < 0 inside the material, with ∇F ≠ 0 on the curve.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::Vector2;
/// use liedae_multibody::plane::geometry::ImplicitCurve;
///
/// /// An ellipse with the half-axes 2 m and 1 m.
/// struct Ellipse;
///
/// impl ImplicitCurve for Ellipse {
///     fn level<S: Scalar>(&self, point: Vector2<S>) -> S {
///         point.x * point.x * 0.25 + point.y * point.y - 1.0
///     }
/// }
///
/// // Inside, on it, and outside.
/// assert_eq!(Ellipse.level(Vector2::new(0.0, 0.0)), -1.0);
/// assert!(Ellipse.level(Vector2::new(1.2_f64, 0.8)).abs() < 1e-15);
/// assert_eq!(Ellipse.level(Vector2::new(4.0, 0.0)), 3.0);
/// ```
pub trait ImplicitCurve {
    /// F at a point (m), in any unit.
    fn level<S: Scalar>(&self, point: Vector2<S>) -> S;
}

/// A point of body B on an implicit curve of body A: g = F / |∇F|.
///
/// This is the distance to first order: on the curve it is zero with the gradient n = ∇F/|∇F| of the distance, and for
/// a closed contact (g = g' = 0) g'' is that of the distance, too; the multiplier is the force in N. Away from the curve
/// its error is of second order in g, and its gradient is not that of the material points, so impact velocities are
/// right and predicted times of impact are those of g itself.
///
/// Source: G. Taubin, Estimation of planar curves, surfaces, and nonplanar space curves defined by implicit equations,
/// IEEE Trans. Pattern Anal. Mach. Intell. 13 (1991) 1115-1138, sec. IV, doi:10.1109/34.103273.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::Vector2;
/// use liedae_multibody::plane::geometry::{ImplicitCurve, PlaneBody, PlaneContact, PointOnImplicitCurve};
///
/// /// A round table of radius 1 m.
/// struct Table;
///
/// impl ImplicitCurve for Table {
///     fn level<S: Scalar>(&self, point: Vector2<S>) -> S {
///         point.x * point.x + point.y * point.y - 1.0
///     }
/// }
///
/// // A millimetre away from its edge: right to the first order, g²/2 is left.
/// let edge = PointOnImplicitCurve::new(Table, [0.0, 0.0])?;
/// let touch = edge.touch(&[PlaneBody::ground(), PlaneBody::new([0.0, 1.001], 0.0, [0.0, 0.0], 0.0)]);
/// assert!((touch.gap - 1e-3).abs() < 1e-6 && touch.normal.y == 1.0);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointOnImplicitCurve<C> {
    curve: C,
    point: [f64; 2],
}

impl<C: ImplicitCurve> PointOnImplicitCurve<C> {
    /// A point given in the frame of body B, in m.
    pub fn new(curve: C, point: [f64; 2]) -> Result<Self, GeometryError> {
        Ok(Self {
            curve,
            point: finite("a point", point)?,
        })
    }
}

impl<C: ImplicitCurve> PlaneContact for PointOnImplicitCurve<C> {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let point = b.point(self.point);
        let local = a.local_point(&point);
        let moved = Vector2::new(
            Dual::<2, S> {
                value: local.x,
                gradient: [S::constant(1.0), S::constant(0.0)],
            },
            Dual {
                value: local.y,
                gradient: [S::constant(0.0), S::constant(1.0)],
            },
        );
        let level = self.curve.level(moved);
        let (slope, normal) = polar(level.gradient.into());
        // F/|∇F|, the distance to first order.
        let gap = level.value / slope;
        let normal = a.direction(&normal);
        PlaneTouch {
            gap,
            normal,
            points: [point - normal * gap, point],
        }
    }
}
