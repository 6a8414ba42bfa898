//! Discs outside and inside of circles.

use super::GeometryError;
use super::error::{finite, non_negative, positive};
use super::{PlaneBody, PlaneContact, PlaneTouch, polar, round};
use crate::drawing::Figure;
use liedae::scalar::Scalar;

/// Two discs, or points where a radius is zero, outside of each other: g = |c_B - c_A| - r_A - r_B.
///
/// The gap has no gradient where the centres coincide; the derivatives are zero there.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscOnDisc, PlaneBody, PlaneContact};
///
/// // Two balls of radius 3 cm; the centre of one is 6 cm to the right of the other's, and 8 cm higher.
/// let balls = DiscOnDisc::new([[0.0, 0.0], [0.0, 0.0]], [0.03, 0.03])?;
/// let struck = PlaneBody::new([0.06, 0.08], 0.0, [0.0, 0.0], 0.0);
/// let touch = balls.touch(&[PlaneBody::ground(), struck]);
/// assert!((touch.gap - 0.04).abs() < 1e-15 && (touch.normal.y - 0.8).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscOnDisc {
    pub(crate) centres: [[f64; 2]; 2],
    pub(crate) radii: [f64; 2],
}

impl DiscOnDisc {
    /// Discs with these centres (each in the frame of its body) and radii of at least 0, not both zero; in m.
    pub fn new(centres: [[f64; 2]; 2], radii: [f64; 2]) -> Result<Self, GeometryError> {
        for centre in centres {
            finite("the centre of a disc", centre)?;
        }
        for radius in radii {
            non_negative("the radius of a disc", radius)?;
        }
        positive("the sum of two radii", radii[0] + radii[1])?;
        Ok(Self { centres, radii })
    }
}

impl PlaneContact for DiscOnDisc {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let centre = b.point(self.centres[1]);
        let (distance, normal) = polar(centre - a.point(self.centres[0]));
        PlaneTouch::of_disc(distance - self.radii[0], normal, centre, self.radii[1])
    }

    fn needs_directions(&self) -> [bool; 2] {
        self.centres.map(|centre| centre != [0.0; 2])
    }

    fn thickness(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        [0, 1].map(|side| vec![round(self.centres[side], self.radii[side])])
    }
}

/// A disc of body B in a circular hole of body A, as a journal in its bearing: g = c - |e| with the radial clearance
/// c = R - r and the eccentricity e = c_B - c_A.
///
/// The gap has no gradient where the centres coincide, far from contact; the derivatives are zero there.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscInCircle, PlaneBody, PlaneContact};
///
/// // A journal of radius 20.0 mm in a bearing of radius 20.1 mm, 0.06 mm off its centre.
/// let bearing = DiscInCircle::new([[0.0, 0.0], [0.0, 0.0]], [0.0201, 0.0200])?;
/// let journal = PlaneBody::new([0.0, -6e-5], 0.0, [0.0, 0.0], 0.0);
/// assert!((bearing.clearance() - 1e-4).abs() < 1e-15);
/// assert!((bearing.gap(&[PlaneBody::ground(), journal]) - 4e-5).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiscInCircle {
    pub(crate) centres: [[f64; 2]; 2],
    pub(crate) radii: [f64; 2],
}

impl DiscInCircle {
    /// Centres of hole and disc (each in the frame of its body), radii R > 0 of the hole and 0 ≤ r ≤ R of the disc; in m.
    pub fn new(centres: [[f64; 2]; 2], radii: [f64; 2]) -> Result<Self, GeometryError> {
        for centre in centres {
            finite("the centre of a disc", centre)?;
        }
        let hole = positive("the radius of a hole", radii[0])?;
        let clearance = hole - non_negative("the radius of a disc", radii[1])?;
        if clearance < 0.0 {
            return Err(GeometryError::Clearance {
                what: "a disc in a circle",
                clearance,
            });
        }
        Ok(Self { centres, radii })
    }

    /// The radial clearance c = R - r in m.
    pub fn clearance(&self) -> f64 {
        self.radii[0] - self.radii[1]
    }
}

impl PlaneContact for DiscInCircle {
    fn touch<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> PlaneTouch<S> {
        let centre = b.point(self.centres[1]);
        let (eccentricity, outward) = polar(centre - a.point(self.centres[0]));
        let distance = -eccentricity + self.radii[0];
        PlaneTouch::of_disc(distance, -outward, centre, self.radii[1])
    }

    fn needs_directions(&self) -> [bool; 2] {
        self.centres.map(|centre| centre != [0.0; 2])
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let [x, y] = self.centres[0];
        let hole = Figure::Ring {
            centre: [x, y, 0.0],
            radius: self.radii[0],
        };
        [vec![hole], vec![round(self.centres[1], self.radii[1])]]
    }
}
