//! Cams whose outline consists of circular arcs.

use super::GeometryError;
use super::error::{finite, non_negative, positive};
use super::{PlaneBody, PlaneContact, PlaneTouch, polar, round};
use crate::drawing::Figure;
use liedae::scalar::Scalar;
use nalgebra::Vector2;
use std::f64::consts::PI;

/// A convex cam of arcs with common tangents, symmetric about the x-axis of its body, with the shaft in the body's
/// reference point: an arc of the top radius about the shaft (the dwell, possibly of no length), nose, flank, and
/// base circle.
///
/// The outline is smooth; its curvature, and with it the acceleration of a follower, jumps between arcs.
///
/// ```
/// use liedae_multibody::plane::geometry::ArcCam;
///
/// // A base circle of radius 20 mm, a lift of 10 mm, and no dwell.
/// let cam = ArcCam::new(0.020, 0.100, 0.005, 0.030, 0.0)?;
/// let [top, _, base] = cam.joints();
/// assert_eq!(top, [0.030, 0.0]);
/// // Where the flank begins, the outline leaves the base circle.
/// assert!((base[0].hypot(base[1]) - 0.020).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcCam {
    pub(crate) base: f64,
    pub(crate) flank: f64,
    pub(crate) nose: f64,
    pub(crate) top: f64,
    pub(crate) half_dwell: f64,
    /// Direction of the end of the dwell.
    dwell: [f64; 2],
    nose_centre: [f64; 2],
    flank_centre: [f64; 2],
}

impl ArcCam {
    /// Radii in m of base circle, flank, nose and top, base < top, and half the angle of the dwell in rad.
    ///
    /// The circle of the flank touches those of base and nose from outside, flank > base and flank > nose; the three
    /// circles must form a triangle.
    pub fn new(
        base: f64,
        flank: f64,
        nose: f64,
        top: f64,
        half_dwell: f64,
    ) -> Result<Self, GeometryError> {
        let base = positive("the base radius of a cam", base)?;
        let nose = positive("the nose radius of a cam", nose)?;
        let half_dwell = non_negative("the dwell of a cam", half_dwell)?;
        positive("the lift of a cam", top - base)?;
        let to_nose = positive("the distance of the nose from the shaft", top - nose)?;
        let to_flank = positive("the distance of the flank's centre", flank - base)?;
        let between = positive("the distance of flank and nose", flank - nose)?;
        positive("the reach of a flank", to_nose + to_flank - between)?;
        positive("the reach of a nose", between - (to_nose - to_flank).abs())?;
        // Law of cosines in the triangle shaft, centre of the nose, centre of the flank.
        let cosine = (to_nose * to_nose + to_flank * to_flank - between * between)
            / (2.0 * to_nose * to_flank);
        let flank_angle = half_dwell - cosine.acos();
        // The flank must end on the base circle before the axis of symmetry.
        positive("the base circle of a cam", -flank_angle)?;
        let along = |angle: f64, length: f64| [length * angle.cos(), length * angle.sin()];
        Ok(Self {
            base,
            flank,
            nose,
            top,
            half_dwell,
            dwell: along(half_dwell, 1.0),
            nose_centre: along(half_dwell, to_nose),
            flank_centre: along(flank_angle, to_flank),
        })
    }

    /// The points in m where two arcs meet, in the upper half-plane: dwell and nose, nose and flank, flank and base circle.
    pub fn joints(&self) -> [[f64; 2]; 3] {
        let [fx, fy] = self.flank_centre;
        let [nx, ny] = self.nose_centre;
        // Common tangent points lie on the lines through two centres.
        let nose = self.nose / (self.flank - self.nose);
        let base = self.base / (self.flank - self.base);
        [
            self.dwell.map(|part| part * self.top),
            [nx + (nx - fx) * nose, ny + (ny - fy) * nose],
            [-fx * base, -fy * base],
        ]
    }

    /// Points of the outline, counter-clockwise.
    fn outline(&self) -> Vec<[f64; 3]> {
        // Half a turn in degrees: the polygon is within 4e-5 of its radius of the arcs.
        const PARTS: u32 = 180;
        let upper = (0..=PARTS).map(|part| {
            let (y, x) = (PI * f64::from(part) / f64::from(PARTS)).sin_cos();
            // Far away the direction of a point is that of the outline's normal there: arcs by their normals.
            let far = 1e3 * (self.flank + self.top);
            let ([cx, cy], radius) = self.arc(Vector2::new(far * x, far * y));
            let (dx, dy) = (far * x - cx, far * y - cy);
            let length = dx.hypot(dy);
            [cx + radius * dx / length, cy + radius * dy / length, 0.0]
        });
        let upper: Vec<[f64; 3]> = upper.collect();
        let lower = upper.iter().rev().skip(1).map(|[x, y, _]| [*x, -y, 0.0]);
        let lower: Vec<[f64; 3]> = lower.collect();
        [upper, lower].concat()
    }

    /// Centre and radius of the arc nearest to a point in the upper half-plane: sectors are bounded by the common
    /// normals of neighbours.
    fn arc(&self, point: Vector2<f64>) -> ([f64; 2], f64) {
        let shaft = [0.0, 0.0];
        let [beyond_dwell, beyond_nose, beyond_flank] = self.beyond_joints(point);
        if beyond_dwell <= 0.0 {
            (shaft, self.top)
        } else if beyond_nose <= 0.0 {
            (self.nose_centre, self.nose)
        } else if beyond_flank <= 0.0 {
            (self.flank_centre, self.flank)
        } else {
            (shaft, self.base)
        }
    }

    /// On which side of the common normals at the [`joints`](Self::joints) a point in the upper half-plane is: positive
    /// behind them, seen from the nose.
    fn beyond_joints(&self, point: Vector2<f64>) -> [f64; 3] {
        let beyond = |origin: [f64; 2], direction: [f64; 2]| {
            // The side of a line through `origin`: the sign of the cross product.
            direction[0] * (point.y - origin[1]) - direction[1] * (point.x - origin[0])
        };
        let shaft = [0.0, 0.0];
        let [flank, nose] = [self.flank_centre, self.nose_centre];
        [
            beyond(shaft, self.dwell),
            beyond(nose, [nose[0] - flank[0], nose[1] - flank[1]]),
            beyond(shaft, [-flank[0], -flank[1]]),
        ]
    }
}

/// A disc, or a point where the radius is zero, of body B on an [`ArcCam`] of body A.
///
/// ```
/// use liedae_multibody::plane::geometry::{ArcCam, DiscOnArcCam, PlaneBody, PlaneContact};
///
/// // A roller of radius 10 mm with its centre 50 mm from the shaft: above the nose, which reaches to 30 mm, and half a turn later
/// // above the base circle.
/// let cam = ArcCam::new(0.020, 0.100, 0.005, 0.030, 0.0)?;
/// let roller = DiscOnArcCam::new(cam, [0.050, 0.0], 0.010)?;
/// for (angle, gap) in [(0.0, 0.010), (std::f64::consts::PI, 0.020)] {
///     let shaft = PlaneBody::new([0.0, 0.0], angle, [0.0, 0.0], 0.0);
///     assert!((roller.gap(&[shaft, PlaneBody::ground()]) - gap).abs() < 1e-15);
/// }
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscOnArcCam {
    pub(crate) cam: ArcCam,
    pub(crate) centre: [f64; 2],
    pub(crate) radius: f64,
}

impl DiscOnArcCam {
    /// A disc with this centre (frame of body B) and radius of at least 0, both in m.
    pub fn new(cam: ArcCam, centre: [f64; 2], radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            cam,
            centre: finite("the centre of a disc", centre)?,
            radius: non_negative("the radius of a disc", radius)?,
        })
    }
}

impl PlaneContact for DiscOnArcCam {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let centre = b.point(self.centre);
        let local = a.local_point(&centre);
        // The cam is symmetric: mirrored into the upper half-plane, and back below.
        let side = if local.y.value() < 0.0 { -1.0 } else { 1.0 };
        let ([x, y], radius) = self
            .cam
            .arc(Vector2::new(local.x.value(), side * local.y.value()));
        let (distance, normal) = polar(local - Vector2::new(x, side * y).map(S::constant));
        PlaneTouch::of_disc(distance - radius, a.direction(&normal), centre, self.radius)
    }

    fn junctions(&self) -> usize {
        3
    }

    fn junction_values(&self, [a, b]: &[PlaneBody; 2], out: &mut [f64]) {
        let local = a.local_point(&b.point(self.centre));
        let values = self.cam.beyond_joints(Vector2::new(local.x, local.y.abs()));
        out.copy_from_slice(&values);
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let outline = Figure::Polygon(self.cam.outline());
        [vec![outline], vec![round(self.centre, self.radius)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outline is continuous and smooth across the joints of its arcs, and as high as it should be.
    #[test]
    fn arcs_meet_with_common_tangents() {
        let cam = ArcCam::new(0.4, 0.85, 0.15, 0.553_933, 0.35).unwrap();
        let point = DiscOnArcCam::new(cam, [0.0, 0.0], 0.0).unwrap();
        let gap = |angle: f64, distance: f64| {
            let ground = PlaneBody::ground();
            let (y, x) = angle.sin_cos();
            let at = PlaneBody::new([distance * x, distance * y], 0.0, [0.0, 0.0], 0.0);
            point.touch(&[ground, at])
        };
        assert!((gap(0.1, 0.6).gap - (0.6 - 0.553_933)).abs() < 1e-15);
        assert!((gap(2.5, 0.6).gap - 0.2).abs() < 1e-15);
        for [x, y] in cam.joints() {
            assert!(gap(y.atan2(x), x.hypot(y)).gap.abs() < 1e-15);
        }
        let mut before = gap(-3.1, 0.6);
        for index in 1..=6200 {
            let now = gap(-3.1 + 1e-3 * f64::from(index), 0.6);
            assert!((now.gap - before.gap).abs() < 1e-3);
            assert!((now.normal - before.normal).norm() < 1e-2);
            before = now;
        }
    }

    #[test]
    fn circles_without_common_tangents_are_refused() {
        assert!(ArcCam::new(0.4, 0.3, 0.1, 0.5, 0.0).is_err());
        assert!(ArcCam::new(0.4, 0.8, 0.1, 0.3, 0.0).is_err());
        assert!(ArcCam::new(0.4, 0.85, 0.15, 0.55, 3.0).is_err());
    }
}
