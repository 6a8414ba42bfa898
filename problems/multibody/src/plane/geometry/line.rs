//! Straight edges: half-planes, slots, boxes on a floor.

use super::GeometryError;
use super::error::{direction, finite, non_negative, positive, unit};
use super::{PlaneBody, PlaneContact, PlaneTouch, round};
use crate::drawing::Figure;
use liedae::scalar::Scalar;
use nalgebra::Vector2;

/// The solid side of a straight edge fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfPlane {
    pub(crate) point: [f64; 2],
    pub(crate) normal: [f64; 2],
}

impl HalfPlane {
    /// [`new`](Self::new), with a normal that stays as it is if its length is one.
    #[cfg(feature = "files")]
    pub(crate) fn of_unit(point: [f64; 2], normal: [f64; 2]) -> Result<Self, GeometryError> {
        Ok(Self {
            point: finite("a point of an edge", point)?,
            normal: unit("the normal of an edge", normal)?,
        })
    }

    /// The half-plane with an edge through `point` (m) and the outward `normal` of any length, both in the body frame.
    pub fn new(point: [f64; 2], normal: [f64; 2]) -> Result<Self, GeometryError> {
        Ok(Self {
            point: finite("a point of an edge", point)?,
            normal: direction("the normal of an edge", normal)?,
        })
    }
}

/// A disc, or a point where the radius is zero, of body B on a half-plane of body A: g = n · (c - p) - r.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscOnLine {
    pub(crate) line: HalfPlane,
    pub(crate) centre: [f64; 2],
    pub(crate) radius: f64,
}

impl DiscOnLine {
    /// A disc with this centre (frame of body B) and radius of at least 0, both in m.
    pub fn new(line: HalfPlane, centre: [f64; 2], radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            line,
            centre: finite("the centre of a disc", centre)?,
            radius: non_negative("the radius of a disc", radius)?,
        })
    }

    /// A point (frame of body B, in m).
    pub fn point(line: HalfPlane, point: [f64; 2]) -> Result<Self, GeometryError> {
        Self::new(line, point, 0.0)
    }

    /// How far the centre of the disc is from the edge, the normal of the edge, and the centre.
    #[inline]
    fn distance<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> (S, Vector2<S>, Vector2<S>) {
        let normal = a.fixed_direction(self.line.normal);
        let centre = b.point(self.centre);
        let distance = normal.dot(&(centre - a.point(self.line.point)));
        (distance, normal, centre)
    }
}

impl PlaneContact for DiscOnLine {
    fn touch<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let (distance, normal, centre) = self.distance(bodies);
        PlaneTouch::of_disc(distance, normal, centre, self.radius)
    }

    #[inline]
    fn gap<S: Scalar>(&self, bodies: &[PlaneBody<S>; 2]) -> S {
        self.distance(bodies).0 - self.radius
    }

    #[inline]
    fn gap_from_ground<S: Scalar>(&self, body: PlaneBody<S>) -> S {
        // A line in the ground is made of plain numbers, products with which take less than those of derivatives.
        let HalfPlane { point, normal } = self.line;
        let centre = body.point(self.centre);
        (centre.x - point[0]) * normal[0] + (centre.y - point[1]) * normal[1] - self.radius
    }

    fn needs_directions(&self) -> [bool; 2] {
        [true, self.centre != [0.0; 2]]
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let flat = |[x, y]: [f64; 2]| [x, y, 0.0];
        let edge = Figure::Edge {
            point: flat(self.line.point),
            normal: flat(self.line.normal),
            half_length: None,
        };
        [vec![edge], vec![round(self.centre, self.radius)]]
    }
}

/// A pin of body B in a straight slot of body A: one contact for each wall, first the one whose normal is the slot's
/// direction turned by 90°. The slot has no ends; a [`Rope`](super::Rope) or two more half-planes can stop the pin.
///
/// `centre` and `along` are a point on the middle line and its direction (frame of A), `width` is the distance of the
/// walls, `pin` the centre of the pin (frame of B) and `radius` at most half the width; all in m.
pub fn pin_in_slot(
    centre: [f64; 2],
    along: [f64; 2],
    width: f64,
    pin: [f64; 2],
    radius: f64,
) -> Result<[DiscOnLine; 2], GeometryError> {
    let width = positive("the width of a slot", width)?;
    let clearance = 0.5 * width - non_negative("the radius of a pin", radius)?;
    if clearance < 0.0 {
        return Err(GeometryError::Clearance {
            what: "a pin in a slot",
            clearance,
        });
    }
    let [x, y] = direction("the direction of a slot", along)?;
    let wall = |side: f64| {
        let normal = [-side * y, side * x];
        let offset = |axis: usize| centre[axis] - 0.5 * width * normal[axis];
        DiscOnLine::new(HalfPlane::new([offset(0), offset(1)], normal)?, pin, radius)
    };
    Ok([wall(1.0)?, wall(-1.0)?])
}

/// The corners of a box of body B on a half-plane of body A, counterclockwise from (-, -), each a contact of its own.
///
/// `centre` is that of the box, whose sides are parallel to the axes of B and 2 `half` long; in m.
pub fn box_on_line(
    line: HalfPlane,
    centre: [f64; 2],
    half: [f64; 2],
) -> Result<[DiscOnLine; 4], GeometryError> {
    let x = positive("half a side of a box", half[0])?;
    let y = positive("half a side of a box", half[1])?;
    let corner = |x: f64, y: f64| DiscOnLine::point(line, [centre[0] + x, centre[1] + y]);
    Ok([
        corner(-x, -y)?,
        corner(x, -y)?,
        corner(x, y)?,
        corner(-x, y)?,
    ])
}
