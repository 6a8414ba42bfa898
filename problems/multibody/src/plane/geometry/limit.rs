//! Limits of a distance or an angle: unilateral constraints without surfaces, hence without friction.

use super::GeometryError;
use super::error::{finite, positive};
use super::{PlaneBody, polar};
use liedae::scalar::Scalar;

/// A rope without mass between a point of body A and a point of body B: g = L - |r|, taut at zero.
///
/// The multiplier is the tension in N. The gap has no gradient where the points coincide; its derivatives are zero
/// there.
///
/// ```
/// use liedae_multibody::plane::geometry::{PlaneBody, Rope};
///
/// // A leash of 6 m from a post to the collar of a dog, 0.4 m in front of its centre.
/// let leash = Rope::new([[0.0, 0.0], [0.4, 0.0]], 6.0)?;
/// let dog = PlaneBody::new([2.6, 4.0], 0.0, [0.0, 0.0], 0.0);
/// assert!((leash.gap(&[PlaneBody::ground(), dog]) - 1.0).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rope {
    points: [[f64; 2]; 2],
    length: f64,
}

impl Rope {
    /// A rope of this length > 0 between points given in the frames of their bodies; in m.
    pub fn new(points: [[f64; 2]; 2], length: f64) -> Result<Self, GeometryError> {
        for point in points {
            finite("an end of a rope", point)?;
        }
        Ok(Self {
            points,
            length: positive("the length of a rope", length)?,
        })
    }

    /// Its ends in the frames of the bodies A and B.
    pub fn ends(&self) -> [[f64; 2]; 2] {
        self.points
    }

    /// Its length in m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The slack L - |r| in m.
    pub fn gap<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> S {
        let (distance, _) = polar(b.point(self.points[1]) - a.point(self.points[0]));
        -distance + self.length
    }
}

/// A stop of the angle θ_B - θ_A between two bodies; gap in rad, multiplier in N m. Angles count revolutions.
///
/// ```
/// use liedae_multibody::plane::geometry::{AngularStop, PlaneBody};
///
/// // A door opens by 1.5 rad at most; it stands at 1.2 rad.
/// let (shut, open) = (AngularStop::at_least(0.0)?, AngularStop::at_most(1.5)?);
/// let bodies = [PlaneBody::ground(), PlaneBody::new([0.0, 0.0], 1.2, [0.0, 0.0], 0.0)];
/// assert_eq!(shut.gap(&bodies), 1.2);
/// assert!((open.gap(&bodies) - 0.3).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::plane::geometry::GeometryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngularStop {
    pub(crate) limit: f64,
    pub(crate) sign: f64,
}

impl AngularStop {
    fn new(limit: f64, sign: f64) -> Result<Self, GeometryError> {
        let [limit] = finite("the limit of an angle", [limit])?;
        Ok(Self { limit, sign })
    }

    /// θ_B - θ_A ≥ limit: g = θ_B - θ_A - limit.
    pub fn at_least(limit: f64) -> Result<Self, GeometryError> {
        Self::new(limit, 1.0)
    }

    /// θ_B - θ_A ≤ limit: g = limit - (θ_B - θ_A).
    pub fn at_most(limit: f64) -> Result<Self, GeometryError> {
        Self::new(limit, -1.0)
    }

    /// The angle left in rad.
    pub fn gap<S: Scalar>(&self, [a, b]: &[PlaneBody<S>; 2]) -> S {
        (b.angle - a.angle - self.limit) * self.sign
    }
}
