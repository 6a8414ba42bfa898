//! Corners: teeth of wheels, mouths of slots.

use super::GeometryError;
use super::error::{direction, finite, non_negative, positive, unit};
use super::{PlaneBody, PlaneContact, PlaneTouch, polar, round};
use crate::drawing::Figure;
use liedae::scalar::Scalar;
use nalgebra::Vector2;
use std::f64::consts::TAU;

/// Convex corners between two straight faces, equally spaced around the reference point of their body.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscOnWedges, PlaneBody, PlaneContact, Wedges};
///
/// // A square that stands on its corner: four corners at 1 m, each between two faces.
/// let square = Wedges::new([1.0, 0.0], [[1.0, 1.0], [1.0, -1.0]], 4, 0.0)?;
/// let point = DiscOnWedges::new(square, [0.0, 0.0], 0.0)?;
/// let gap = |x, y| point.gap(&[PlaneBody::ground(), PlaneBody::new([x, y], 0.0, [0.0, 0.0], 0.0)]);
/// // Above its upper corner, and inside one of its faces.
/// assert!((gap(0.0, 1.5) - 0.5).abs() < 1e-15);
/// assert!((gap(0.5, 0.4) + 0.1 / 2.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wedges {
    pub(crate) apex: [f64; 2],
    pub(crate) normals: [[f64; 2]; 2],
    /// Along each face, away from the corner.
    faces: [[f64; 2]; 2],
    pub(crate) copies: usize,
    pub(crate) centre: f64,
}

impl Wedges {
    /// The first corner at `apex` (m) with the outward normals of its faces (any length, not parallel), repeated
    /// `copies` ≥ 1 times. A point meets the corner whose sector it is in; that of the first corner is 2π/copies wide around
    /// the direction `centre` (rad).
    pub fn new(
        apex: [f64; 2],
        normals: [[f64; 2]; 2],
        copies: usize,
        centre: f64,
    ) -> Result<Self, GeometryError> {
        let [first, second] = normals;
        let first = direction("the normal of a face", first)?;
        let second = direction("the normal of a face", second)?;
        Self::of_units(apex, [first, second], copies, centre)
    }

    /// [`new`](Self::new), with normals that stay as they are if their length is one.
    pub(crate) fn of_units(
        apex: [f64; 2],
        normals: [[f64; 2]; 2],
        copies: usize,
        centre: f64,
    ) -> Result<Self, GeometryError> {
        let [first, second] = normals;
        let first = unit("the normal of a face", first)?;
        let second = unit("the normal of a face", second)?;
        // Its sign says which way round the faces follow each other.
        let sine = first[0] * second[1] - first[1] * second[0];
        positive("the sine of the angle between two faces", sine.abs())?;
        let [centre] = finite("the sector of a corner", [centre])?;
        // A face leads away from the corner where it is behind the other face.
        let turn = |normal: [f64; 2], sign: f64| [-sign * normal[1], sign * normal[0]];
        Ok(Self {
            apex: finite("a corner", apex)?,
            normals: [first, second],
            faces: [turn(first, -sine.signum()), turn(second, sine.signum())],
            copies: copies.max(1),
            centre,
        })
    }
}

/// A disc, or a point where the radius is zero, of body B on the [`Wedges`] of body A: the distance from the nearest face
/// or corner.
///
/// Where the disc changes from one sector to the next, the gap may jump; sectors should be chosen so that it is large
/// there.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscOnWedges, PlaneBody, PlaneContact, Wedges};
///
/// // A pawl of radius 5 mm, its centre 20 mm above a tooth of a ratchet wheel; turned by a twelfth, the wheel has the next one there.
/// let teeth = Wedges::new([0.1, 0.0], [[1.0, 0.2], [0.0, -1.0]], 12, 0.0)?;
/// let pawl = DiscOnWedges::new(teeth, [0.12, 0.0], 0.005)?;
/// let gap = |angle| pawl.gap(&[PlaneBody::new([0.0, 0.0], angle, [0.0, 0.0], 0.0), PlaneBody::ground()]);
/// assert!((gap(0.0) - (0.02 - 0.005)).abs() < 1e-15);
/// assert!((gap(std::f64::consts::TAU / 12.0) - gap(0.0)).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscOnWedges {
    pub(crate) wedges: Wedges,
    pub(crate) centre: [f64; 2],
    pub(crate) radius: f64,
}

impl DiscOnWedges {
    /// A disc with this centre (frame of body B) and radius of at least 0, both in m.
    pub fn new(wedges: Wedges, centre: [f64; 2], radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            wedges,
            centre: finite("the centre of a disc", centre)?,
            radius: non_negative("the radius of a disc", radius)?,
        })
    }
}

/// A point seen from the corner whose sector it is in.
struct FromCorner<S: Scalar> {
    point: Vector2<S>,
    /// Along both faces.
    faces: [Vector2<S>; 2],
    normals: [Vector2<S>; 2],
}

impl Wedges {
    /// All corners with the beginnings of their faces: how far these reach is not known here.
    fn corners(&self) -> Vec<Figure> {
        const SHOWN: f64 = 0.2;
        let reach = SHOWN * self.apex[0].hypot(self.apex[1]);
        let corner = |copy: usize| {
            let (sine, cosine) = (TAU * copy as f64 / self.copies as f64).sin_cos();
            let turned = |[x, y]: [f64; 2]| [cosine * x - sine * y, sine * x + cosine * y, 0.0];
            let end = |face: usize| {
                let [x, y] = self.faces[face];
                turned([self.apex[0] + reach * x, self.apex[1] + reach * y])
            };
            Figure::Line(vec![end(0), turned(self.apex), end(1)])
        };
        (0..self.copies).map(corner).collect()
    }

    fn seen_from_corner<S: Scalar>(&self, local: Vector2<S>) -> FromCorner<S> {
        let pitch = TAU / self.copies as f64;
        let angle = local.y.value().atan2(local.x.value());
        // Whole pitches to the nearest corner: its sector is half a pitch to either side.
        let (sine, cosine) = (pitch * ((angle - self.centre) / pitch).round()).sin_cos();
        let turned = |[x, y]: [f64; 2]| {
            Vector2::new(cosine * x - sine * y, sine * x + cosine * y).map(S::constant)
        };
        FromCorner {
            point: local - turned(self.apex),
            faces: self.faces.map(turned),
            normals: self.normals.map(turned),
        }
    }
}

impl PlaneContact for DiscOnWedges {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let centre = b.point(self.centre);
        let seen = self.wedges.seen_from_corner(a.local_point(&centre));
        let beside = |face: usize| seen.point.dot(&seen.faces[face]).value() <= 0.0;
        // Beyond the ends of both faces the corner itself is nearest, else the face that is farther out.
        let (distance, normal) = if beside(0) && beside(1) {
            polar(seen.point)
        } else {
            let [first, second] = seen.normals.map(|normal| (normal.dot(&seen.point), normal));
            if first.0.value() >= second.0.value() {
                first
            } else {
                second
            }
        };
        PlaneTouch::of_disc(distance, a.direction(&normal), centre, self.radius)
    }

    fn junctions(&self) -> usize {
        2
    }

    /// Positive beside each face, of the nearer one only.
    fn junction_values(&self, [a, b]: &[PlaneBody; 2], out: &mut [f64]) {
        let seen = self
            .wedges
            .seen_from_corner(a.local_point(&b.point(self.centre)));
        let heights = seen.normals.map(|normal| normal.dot(&seen.point));
        // The other face gets a value that keeps its sign: it is no nearest feature.
        let nearer = usize::from(heights[0] < heights[1]);
        for (face, slot) in out.iter_mut().enumerate() {
            *slot = if face == nearer {
                seen.point.dot(&seen.faces[face])
            } else {
                -seen.point.norm()
            };
        }
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        [self.wedges.corners(), vec![round(self.centre, self.radius)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with half a side of 1 as four corners.
    #[test]
    fn a_square_of_four_corners() {
        let corners = Wedges::new([1.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 4, 0.785).unwrap();
        let point = DiscOnWedges::new(corners, [0.0, 0.0], 0.0).unwrap();
        let gap = |x: f64, y: f64| {
            let at = PlaneBody::new([x, y], 0.0, [0.0, 0.0], 0.0);
            PlaneContact::gap(&point, &[PlaneBody::ground(), at])
        };
        for (x, y, expected) in [
            (2.0, 0.5, 1.0),
            (-0.5, 1.25, 0.25),
            (-4.0, -5.0, 5.0),
            (0.5, -0.75, -0.25),
        ] {
            let found: f64 = gap(x, y);
            assert!((found - expected).abs() < 1e-14, "{x} {y}: {found}");
        }
    }

    #[test]
    fn parallel_faces_are_refused() {
        assert!(Wedges::new([1.0, 1.0], [[1.0, 0.0], [2.0, 0.0]], 4, 0.0).is_err());
    }
}
