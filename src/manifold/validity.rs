//! How far coordinates are from the group, and bringing them back.

use super::bodies::{PART, normalize_bodies};
use super::vector::{part, store};
use super::{Factor, Manifold, quaternion, rotation};
use crate::scalar::larger_or_nan;
use std::ops::Range;

/// Coordinates further from the group than this are an input error, not rounding.
const TOLERANCE: f64 = 1e-6;

/// Why coordinates are not a point of the manifold.
///
/// ```
/// use liedae::manifold::{Factor, Manifold, ManifoldError};
///
/// // A rotation matrix that is twice too long is none.
/// let rotations = Manifold::new([Factor::Rotation]);
/// let doubled = [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0];
/// assert!(matches!(rotations.check(&doubled), Err(ManifoldError::OffGroup { index: 0, .. })));
/// assert_eq!(Manifold::euclidean(2).check(&[1.0]), Err(ManifoldError::Length { expected: 2, found: 1 }));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ManifoldError {
    /// The slice has the wrong length.
    #[error("expected {expected} coordinates, got {found}")]
    Length {
        /// The number of coordinates of the manifold.
        expected: usize,
        /// The length of the slice.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("coordinate {coordinate}, in factor {index} ({factor:?}), is not finite")]
    NotFinite {
        /// The number of the factor.
        index: usize,
        /// The factor.
        factor: Factor,
        /// The position in the coordinate slice.
        coordinate: usize,
    },
    /// The coordinates of a factor are not (nearly) a group element.
    #[error("the coordinates of factor {index} ({factor:?}) are off the group by {defect:e}")]
    OffGroup {
        /// The number of the factor.
        index: usize,
        /// The factor.
        factor: Factor,
        /// The distance, as in [`Manifold::defect`].
        defect: f64,
    },
}

impl Manifold {
    /// Replaces `q` (length [`Self::coordinates`]) by the nearest group element, factor by factor.
    ///
    /// Cheap when already close, and exactly the identity when within rounding. Coordinates that
    /// have no nearest element (NaN, a reflection, a zero quaternion) are not repaired.
    pub fn normalize(&self, q: &mut [f64]) {
        debug_assert_eq!(q.len(), self.coordinates());
        if self.is_of_bodies() {
            return normalize_bodies(0..self.dimension(), q);
        }
        for (factor, at, _) in self.factor_ranges() {
            match factor {
                Factor::Euclidean(_) => {}
                Factor::Rotation => normalize_rotation(q, at),
                Factor::UnitQuaternion => {
                    let mut p = part(q, at);
                    quaternion::normalize(&mut p);
                    store(q, at, &p);
                }
                // The position of a rigid motion is a vector; only its rotation can be off the group.
                Factor::RigidMotion => normalize_rotation(q, at + 3),
            }
        }
    }

    /// [`Self::normalize`], and other work on lists of velocities, part by part. What the other work asks for ahead comes
    /// while the bodies of the next part are normalized.
    pub(crate) fn normalize_beside(&self, q: &mut [f64], mut beside: impl FnMut(Range<usize>)) {
        debug_assert_eq!(q.len(), self.coordinates());
        if !self.is_of_bodies() {
            self.normalize(q);
            return beside(0..self.dimension());
        }
        let count = self.dimension();
        for first in (0..count).step_by(PART) {
            let own = first..count.min(first + PART);
            normalize_bodies(own.clone(), q);
            beside(own);
        }
    }

    /// The distance of `q` (length [`Self::coordinates`]) from the group, the worst over factors:
    /// `max |R^T R - 1|` (at least two for a reflection), `| |p| - 1 |`, zero for vectors. NaN if
    /// a coordinate is not finite.
    pub fn defect(&self, q: &[f64]) -> f64 {
        debug_assert_eq!(q.len(), self.coordinates());
        let mut worst = 0.0;
        for (factor, at, _) in self.factor_ranges() {
            let defect = factor_defect(factor, &q[at..at + factor.coordinates()]);
            worst = larger_or_nan(worst, defect);
            if worst.is_nan() {
                return worst;
            }
        }
        worst
    }

    /// Whether `q` is a point of the manifold: right length, finite, and off the group by no more
    /// than 1e-6.
    ///
    /// # Errors
    /// Names the first factor at fault.
    pub fn check(&self, q: &[f64]) -> Result<(), ManifoldError> {
        if q.len() != self.coordinates() {
            return Err(ManifoldError::Length {
                expected: self.coordinates(),
                found: q.len(),
            });
        }
        for (index, (factor, at, _)) in self.factor_ranges().enumerate() {
            let part = &q[at..at + factor.coordinates()];
            if let Some(bad) = part.iter().position(|x| !x.is_finite()) {
                return Err(ManifoldError::NotFinite {
                    index,
                    factor,
                    coordinate: at + bad,
                });
            }
            let defect = factor_defect(factor, part);
            // A negated comparison would let NaN pass (finite coordinates can overflow).
            if defect.is_nan() || defect > TOLERANCE {
                return Err(ManifoldError::OffGroup {
                    index,
                    factor,
                    defect,
                });
            }
        }
        Ok(())
    }
}

/// The distance of the coordinates of one factor from its group.
fn factor_defect(factor: Factor, q: &[f64]) -> f64 {
    if !q.iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    match factor {
        Factor::Euclidean(_) => 0.0,
        Factor::Rotation => rotation::defect(&part(q, 0)),
        Factor::UnitQuaternion => quaternion::defect(&part(q, 0)),
        Factor::RigidMotion => rotation::defect(&part(q, 3)),
    }
}

fn normalize_rotation(q: &mut [f64], at: usize) {
    // In place: most rotations need nothing, and what is not written need not go back to memory.
    if let Some(r) = q[at..].first_chunk_mut() {
        rotation::normalize(r);
    }
}
