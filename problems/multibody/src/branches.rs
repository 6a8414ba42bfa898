//! Branches of joint rows: axes that must agree, but may point opposite ways.
//!
//! Rows of joints that align axes are sines of the angle between the axes. They also vanish where the axes point opposite ways,
//! and near that configuration their gradient points the wrong way. For guesses far off, the rows are replaced by the angle
//! itself, with its axis of rotation:
//!
//! | row | near | from afar, w the rotation vector from frame 1 to frame 2 | force |
//! |---|---|---|---|
//! | x₁·z₂ | 0 | w·y₁ | y₁ |
//! | y₁·z₂ | 0 | -w·x₁ | -x₁ |
//! | x₁·y₂ | 0 | -w·z₁ | -z₁ |
//!
//! w takes z₁ to z₂ the shorter way, or all three axes where all are aligned. The sum over rows of row times force is w, the gradient of |w|²/2.

use super::connection::{Connection, column};
use super::joint::JointKind;
use super::marker::{Axis, JointFrame, Side};
use super::mechanism::MultibodySystem;
use super::row::{Constraint, Gradient, Row, rotated};
use liedae::system::{Branches, EvaluationError, Point, System};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

/// Below this sine two axes have no plane in common.
const PARALLEL: f64 = 1e-12;

/// What a joint aligns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Aligned {
    /// The z-axes.
    Axis,
    /// All axes.
    Frame,
}

impl JointKind {
    /// Which axes of both frames point the same way.
    fn aligned(&self) -> Option<Aligned> {
        match self {
            Self::Fixed | Self::Translational => Some(Aligned::Frame),
            Self::Revolute | Self::Cylindrical => Some(Aligned::Axis),
            _ => None,
        }
    }
}

impl Connection {
    /// The least cosine between axes that this joint wants alike.
    pub(crate) fn least_cosine(&self, q: &[f64]) -> f64 {
        let Some(aligned) = self.kind.aligned() else {
            return 1.0;
        };
        let sides = self.sides_with_axes(&self.kinematics(q, &[]));
        let axes: &[Axis] = match aligned {
            Aligned::Axis => &[Axis::Z],
            Aligned::Frame => &[Axis::X, Axis::Y, Axis::Z],
        };
        let cosines = axes
            .iter()
            .map(|&axis| sides[0].axis(axis).dot(&sides[1].axis(axis)));
        cosines.fold(1.0, f64::min)
    }

    /// Whether such axes are more than a quarter of a turn apart, or its driven angle is that far from its motion.
    fn is_opposed(&self, t: f64, q: &[f64]) -> bool {
        let is_opposite = || {
            let sides = self.sides(&self.kinematics(q, &[]));
            self.rows.iter().any(|row| row.is_opposite(t, &sides))
        };
        self.least_cosine(q) < 0.0 || is_opposite()
    }

    /// Overwrites the rows that have another branch, and their Jacobian, by those for guesses far off.
    fn write_from_afar(&self, t: f64, q: &[f64], values: &mut [f64], jacobian: &mut [f64]) {
        let bodies = self.kinematics(q, &[]);
        let sides = self.sides_with_axes(&bodies);
        let turn = self.kind.aligned().map(|aligned| aligned.turn(&sides));
        for (index, row) in self.rows.iter().enumerate() {
            let Some((value, moment)) = row.seen_from_afar(t, &sides, turn.as_ref()) else {
                continue;
            };
            values[self.first_row + index] = value;
            let gradient = Gradient {
                force: Vector3::zeros(),
                moments: [-moment, moment],
            };
            for (side, start) in self.positions[index].iter().enumerate() {
                if let Some(start) = *start {
                    let entries = column(&gradient, side, &bodies[side].rotation);
                    self.row_entries
                        .write(index, &entries, &mut jacobian[start..]);
                }
            }
        }
    }
}

impl Aligned {
    /// The rotation vector, in the world, that takes what is aligned of frame 1 to that of frame 2.
    fn turn(self, [one, two]: &[Side; 2]) -> Vector3<f64> {
        match self {
            Self::Axis => {
                let (from, to) = (one.axis(Axis::Z), two.axis(Axis::Z));
                let across = from.cross(&to);
                let (sine, cosine) = (across.norm(), from.dot(&to));
                // Opposite axes have no shorter way: any axis across will do.
                let about = if sine > PARALLEL {
                    across / sine
                } else {
                    one.axis(Axis::Y)
                };
                about * sine.atan2(cosine)
            }
            Self::Frame => {
                let [one, two] = [one, two].map(|side| {
                    Matrix3::from_columns(&[Axis::X, Axis::Y, Axis::Z].map(|axis| side.axis(axis)))
                });
                let between = Rotation3::from_matrix_unchecked(two * one.transpose());
                UnitQuaternion::from_rotation_matrix(&between).scaled_axis()
            }
        }
    }
}

impl Row {
    /// Its value from afar, and the moment on body 2 that it exerts; body 1 feels the opposite. `None` for rows without another branch.
    fn seen_from_afar(
        &self,
        t: f64,
        [one, two]: &[Side; 2],
        turn: Option<&Vector3<f64>>,
    ) -> Option<(f64, Vector3<f64>)> {
        let moment = match (self.constraint, turn) {
            (Constraint::Dot1(Axis::X, Axis::Z), Some(_)) => one.axis(Axis::Y),
            (Constraint::Dot1(Axis::Y, Axis::Z), Some(_)) => -one.axis(Axis::X),
            (Constraint::Dot1(Axis::X, Axis::Y), Some(_)) => -one.axis(Axis::Z),
            (Constraint::Angle, _) => return Some(self.angle_from_afar(t, [one, two])),
            _ => return None,
        };
        turn.map(|turn| (turn.dot(&moment), moment))
    }

    /// The angle about z₁ from where x₂ should be, the shorter way, and its gradient.
    fn angle_from_afar(&self, t: f64, [one, two]: [&Side; 2]) -> (f64, Vector3<f64>) {
        let target = self.motion.at(t).value;
        let x = two.axis(Axis::X);
        // p(f) and where it would point a quarter of a turn earlier: sine and cosine of the angle, but for the part of x₂ along z₁.
        let (across, along) = (rotated(one, target), rotated(one, target - PI / 2.0));
        let (sine, cosine) = (across.dot(&x), along.dot(&x));
        let square = sine * sine + cosine * cosine;
        let angle = sine.atan2(cosine);
        if square < PARALLEL {
            return (angle, one.axis(Axis::Z));
        }
        // δ(a · x₂) = -(a × x₂) · (δθ₂ - δθ₁).
        let moment = (along.cross(&x) * sine - across.cross(&x) * cosine) / square;
        (angle - TAU * (angle / TAU).round(), moment)
    }
}

impl MultibodySystem {
    /// The joint or marker whose axes point opposite ways.
    pub(crate) fn opposed_at(&self, t: f64, q: &[f64]) -> Option<&str> {
        let mut joints = self.connections.iter();
        let mut ties = self.ties.iter();
        let joint = joints.find(|joint| joint.is_opposed(t, q));
        let tie = || ties.find(|tie| tie.is_opposed(q)).map(|tie| tie.name());
        joint.map(|joint| joint.name.as_str()).or_else(tie)
    }
}

impl Branches for MultibodySystem {
    fn opposed(&mut self, at: &Point) -> Option<String> {
        self.opposed_at(at.t, at.q).map(str::to_owned)
    }

    fn rows_from_afar(
        &mut self,
        at: &Point,
        rows: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<bool, EvaluationError> {
        self.position_constraint(at, rows)?;
        self.constraint_jacobian(at, jacobian)?;
        for joint in &self.connections {
            joint.write_from_afar(at.t, at.q, rows, jacobian);
        }
        Ok(true)
    }
}

/// Whether a rotation turns by more than a quarter of a turn.
pub(crate) fn is_far(rotation: &Matrix3<f64>) -> bool {
    // 1 + 2 cos θ.
    rotation.trace() < 1.0
}
