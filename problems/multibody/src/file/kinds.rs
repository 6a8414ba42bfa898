//! Names of joints, axes and motions in mechanism files, and back.

use super::entries::{
    ApproachEntry, AxisName, HarmonicEntry, JointName, MotionEntry, PieceEntry, VersineEntry,
};
use crate::{Axis, JointKind, Motion};

impl JointName {
    /// What a file calls a kind; `None` for equations of one's own.
    pub(super) fn of(kind: &JointKind) -> Option<Self> {
        Some(match kind {
            JointKind::Fixed => Self::Fixed,
            JointKind::Spherical => Self::Spherical,
            JointKind::Revolute => Self::Revolute,
            JointKind::Universal => Self::Universal,
            JointKind::Cylindrical => Self::Cylindrical,
            JointKind::Translational => Self::Translational,
            JointKind::RevoluteCylindrical => Self::RevoluteCylindrical,
            JointKind::Distance(_) => Self::Distance,
            JointKind::Angle(_) => Self::Angle,
            JointKind::Dot1(..) => Self::Cosine,
            JointKind::Dot2(..) => Self::Displacement,
            JointKind::Coordinate(..) => Self::Coordinate,
            JointKind::Custom(_) => return None,
        })
    }

    /// Whether a joint of this kind is one equation that may follow a motion.
    pub(super) fn follows(self) -> bool {
        matches!(
            self,
            Self::Distance | Self::Angle | Self::Cosine | Self::Displacement | Self::Coordinate
        )
    }

    /// Whether its frames have different axes.
    pub(super) fn has_second_axis(self) -> bool {
        matches!(self, Self::Universal | Self::RevoluteCylindrical)
    }

    /// Whether it needs no axis.
    pub(super) fn is_of_points(self) -> bool {
        matches!(self, Self::Fixed | Self::Spherical | Self::Coordinate)
    }
}

impl From<AxisName> for Axis {
    fn from(name: AxisName) -> Self {
        match name {
            AxisName::X => Self::X,
            AxisName::Y => Self::Y,
            AxisName::Z => Self::Z,
        }
    }
}

impl From<Axis> for AxisName {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
        }
    }
}

impl From<&MotionEntry> for Motion {
    fn from(stated: &MotionEntry) -> Self {
        match stated {
            MotionEntry::Constant(value) => Self::Constant(*value),
            MotionEntry::Polynomial(coefficients) => Self::Polynomial(coefficients.clone()),
            MotionEntry::Harmonic(parts) => {
                Self::harmonic(parts.offset, parts.amplitude, parts.rate, parts.phase)
            }
            &MotionEntry::Versine(VersineEntry { amplitude, rate }) => {
                Self::Versine { amplitude, rate }
            }
            &MotionEntry::Approach(ApproachEntry { from, to, time }) => {
                Self::Approach { from, to, time }
            }
            MotionEntry::Sum(parts) => Self::Sum(parts.iter().map(Self::from).collect()),
            MotionEntry::Pieces(pieces) => {
                // Which piece has a moment is checked where the file is.
                let own = pieces.iter().filter_map(|piece| {
                    let until = piece.until?;
                    Some((Self::from(&piece.motion), until))
                });
                let last = pieces.last().map(|piece| Self::from(&piece.motion));
                Self::Pieces(own.collect(), Box::new(last.unwrap_or(Self::Constant(0.0))))
            }
        }
    }
}

impl MotionEntry {
    /// What a file states of a motion; `None` for a function of one's own.
    pub(super) fn of(motion: &Motion) -> Option<Self> {
        Some(match motion {
            Motion::Constant(value) => Self::Constant(*value),
            Motion::Polynomial(coefficients) => Self::Polynomial(coefficients.clone()),
            &Motion::Harmonic {
                offset,
                amplitude,
                rate,
                phase,
            } => Self::Harmonic(HarmonicEntry {
                offset,
                amplitude,
                rate,
                phase,
            }),
            &Motion::Versine { amplitude, rate } => Self::Versine(VersineEntry { amplitude, rate }),
            &Motion::Approach { from, to, time } => {
                Self::Approach(ApproachEntry { from, to, time })
            }
            Motion::Sum(parts) => {
                let parts = parts.iter().map(Self::of);
                Self::Sum(parts.collect::<Option<_>>()?)
            }
            Motion::Pieces(pieces, last) => {
                let piece = |until: Option<f64>, motion: &Motion| {
                    let motion = Self::of(motion)?;
                    Some(PieceEntry { until, motion })
                };
                let own = pieces.iter();
                let own = own.map(|(motion, until)| piece(Some(*until), motion));
                let all = own.chain(std::iter::once(piece(None, last)));
                Self::Pieces(all.collect::<Option<_>>()?)
            }
            Motion::Custom(_) => return None,
        })
    }
}
