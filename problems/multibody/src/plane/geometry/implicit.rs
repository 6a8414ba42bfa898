//! Curves given by an equation.

use super::GeometryError;
use super::error::finite;
use super::{PlaneBody, PlaneContact, PlaneTouch, polar};
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector2;

/// A curve F(x, y) = 0 in the frame of its body; F < 0 inside the material, with ∇F ≠ 0 on the curve.
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
