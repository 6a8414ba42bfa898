//! The foot of the perpendicular from a point to a parametric curve.

use super::PlaneCurve;
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::Vector2;

/// Bisections alone need at most as many steps as a number has bits.
const ITERATIONS: usize = 80;

/// r, r' and r'' at a parameter.
pub(super) fn jet<C: PlaneCurve, S: Scalar>(curve: &C, s: S) -> [Vector2<S>; 3] {
    let point = curve.point(Taylor2::variable(s));
    [
        point.map(|entry| entry.value),
        point.map(|entry| entry.first),
        point.map(|entry| entry.second),
    ]
}

/// F = (r - p) · r', half the derivative of the squared distance, and ∂F/∂s.
fn slope<S: Scalar>([r, first, second]: &[Vector2<S>; 3], p: &Vector2<S>) -> (S, S) {
    let away = r - p;
    // F' = r' · r' + (r - p) · r''.
    (away.dot(first), first.dot(first) + away.dot(second))
}

/// On which side of the normal at a parameter a point is: positive before it.
pub(super) fn beyond<C: PlaneCurve>(curve: &C, limit: f64, p: &Vector2<f64>) -> f64 {
    slope(&jet(curve, limit), p).0
}

/// The nearest point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Foot {
    /// The perpendicular's foot at this parameter; NaN where none was found.
    Inside(f64),
    /// The start or the end of an open curve.
    End(f64),
}

/// The nearest point by samples of the curve, then by Newton's method that falls back to bisection.
pub(super) fn nearest<C: PlaneCurve>(curve: &C, p: &Vector2<f64>) -> Foot {
    let (start, end) = curve.range();
    let samples = curve.samples().max(4);
    let step = (end - start) / samples as f64;
    let mut best = (f64::INFINITY, start);
    for index in 0..=samples {
        let s = start + step * index as f64;
        let distance = (curve.point(s) - p).norm_squared();
        if distance < best.0 {
            best = (distance, s);
        }
    }
    // The foot lies beside the nearest sample.
    let (mut low, mut high) = (best.1 - step, best.1 + step);
    if !curve.is_closed() {
        (low, high) = (low.max(start), high.min(end));
        for (limit, sign) in [(start, 1.0), (end, -1.0)] {
            // The distance still falls towards the end: the end itself is nearest.
            if best.1 == limit && sign * slope(&jet(curve, limit), p).0 >= 0.0 {
                return Foot::End(limit);
            }
        }
    }
    let mut s = best.1;
    for _ in 0..ITERATIONS {
        let (value, derivative) = slope(&jet(curve, s), p);
        // F > 0: the distance grows, the foot lies before.
        if value > 0.0 {
            high = s;
        } else {
            low = s;
        }
        let newton = s - value / derivative;
        // 1e-12 of the sampling step: the corrections with derivatives follow.
        if derivative > 0.0 && (newton - s).abs() <= 1e-12 * step {
            return Foot::Inside(newton);
        }
        // Where F is not convex, or Newton leaves the bracket, bisection.
        let inside = derivative > 0.0 && newton > low && newton < high;
        s = if inside { newton } else { 0.5 * (low + high) };
    }
    Foot::Inside(f64::NAN)
}

/// The foot's parameter with its derivatives by those of p.
///
/// A Newton step doubles the order in the infinitesimal parts to which F = 0 holds: the first makes first derivatives
/// of s exact, the second all up to the third, which is as far as scalars are nested.
pub(super) fn corrected<C: PlaneCurve, S: Scalar>(curve: &C, foot: f64, p: &Vector2<S>) -> S {
    let mut s = S::constant(foot);
    for _ in 0..2 {
        let (value, derivative) = slope(&jet(curve, s), p);
        s -= value / derivative;
    }
    s
}
