//! Errors in the statement of a shape.

use thiserror::Error;

/// A shape that does not exist.
///
/// ```
/// use liedae_multibody::plane::geometry::{DiscInCircle, GeometryError};
///
/// // A journal of radius 21 mm in a bearing of radius 20 mm.
/// match DiscInCircle::new([[0.0, 0.0], [0.0, 0.0]], [0.020, 0.021]) {
///     Err(GeometryError::Clearance { clearance, .. }) => assert!((clearance + 1e-3).abs() < 1e-15),
///     other => panic!("it does not fit: {other:?}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GeometryError {
    /// A NaN or an infinity.
    #[error("{what} is not finite")]
    NotFinite {
        /// What it is.
        what: &'static str,
    },
    /// A length that is too small.
    #[error("{what} is {value} m, which is not {wanted}")]
    Length {
        /// Which length.
        what: &'static str,
        /// What was given, in m.
        value: f64,
        /// `positive` or `at least 0`.
        wanted: &'static str,
    },
    /// A direction of length zero.
    #[error("{what} has no direction: its length is {length:e}")]
    Direction {
        /// Which vector.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A part that does not fit into the one that holds it.
    #[error("{what} has a clearance of {clearance} m: it must be at least 0")]
    Clearance {
        /// Which pair.
        what: &'static str,
        /// Size of the hole minus size of the part, in m.
        clearance: f64,
    },
}

/// A finite point.
pub(crate) fn finite<const N: usize>(
    what: &'static str,
    point: [f64; N],
) -> Result<[f64; N], GeometryError> {
    if point.iter().all(|number| number.is_finite()) {
        Ok(point)
    } else {
        Err(GeometryError::NotFinite { what })
    }
}

/// A length of at least 0.
pub(crate) fn non_negative(what: &'static str, value: f64) -> Result<f64, GeometryError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(GeometryError::Length {
            what,
            value,
            wanted: "at least 0",
        })
    }
}

/// A length above 0.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, GeometryError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(GeometryError::Length {
            what,
            value,
            wanted: "positive",
        })
    }
}

/// The unit vector along a direction.
pub(crate) fn direction(what: &'static str, vector: [f64; 2]) -> Result<[f64; 2], GeometryError> {
    let [x, y] = finite(what, vector)?;
    let length = x.hypot(y);
    if length < f64::MIN_POSITIVE.sqrt() {
        return Err(GeometryError::Direction { what, length });
    }
    Ok([x / length, y / length])
}

/// The same of what may be a unit vector already, which stays as it is to the last bit: so do normals that are written and read again.
pub(crate) fn unit(what: &'static str, vector: [f64; 2]) -> Result<[f64; 2], GeometryError> {
    if (vector[0].hypot(vector[1]) - 1.0).abs() <= 4.0 * f64::EPSILON {
        return Ok(vector);
    }
    direction(what, vector)
}
