//! Equations of one's own behind one type, whatever their number of rows.

use super::{CustomJoint, FrameMotion, NonholonomicJoint};
use crate::kinematics::PAIR;
use liedae::scalar::{Dual, Scalar, Taylor2};
use std::fmt;
use std::sync::Arc;

/// The level at which equations are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// g(t, q) = 0.
    Position,
    /// b(t, q, v) = 0.
    Velocity,
}

/// Equations as functions of one type of numbers; each row goes to `out` with its index.
pub(crate) trait Evaluate<S: Scalar> {
    fn evaluate(&self, t: S, frames: &[FrameMotion<S>; 2], out: &mut dyn FnMut(usize, S));
}

/// Equations with the numbers of all derivatives that a mechanism asks for.
pub(crate) trait Own:
    Evaluate<f64>
    + Evaluate<Dual<PAIR>>
    + Evaluate<Taylor2>
    + Evaluate<Taylor2<Dual<PAIR>>>
    + Evaluate<Dual<PAIR, Dual<PAIR>>>
    + Send
    + Sync
{
    fn rows(&self) -> usize;
    fn level(&self) -> Level;
    fn kind(&self) -> &'static str;
}

struct Holonomic<J, const ROWS: usize>(J);

impl<S: Scalar, J: CustomJoint<ROWS>, const ROWS: usize> Evaluate<S> for Holonomic<J, ROWS> {
    fn evaluate(&self, t: S, [one, two]: &[FrameMotion<S>; 2], out: &mut dyn FnMut(usize, S)) {
        let rows = self.0.residual(t, &[one.pose, two.pose]);
        for (row, value) in rows.into_iter().enumerate() {
            out(row, value);
        }
    }
}

impl<J: CustomJoint<ROWS>, const ROWS: usize> Own for Holonomic<J, ROWS> {
    fn rows(&self) -> usize {
        ROWS
    }
    fn level(&self) -> Level {
        Level::Position
    }
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
}

struct Nonholonomic<J, const ROWS: usize>(J);

impl<S: Scalar, J: NonholonomicJoint<ROWS>, const ROWS: usize> Evaluate<S>
    for Nonholonomic<J, ROWS>
{
    fn evaluate(&self, t: S, frames: &[FrameMotion<S>; 2], out: &mut dyn FnMut(usize, S)) {
        let rows = self.0.velocity_residual(t, frames);
        for (row, value) in rows.into_iter().enumerate() {
            out(row, value);
        }
    }
}

impl<J: NonholonomicJoint<ROWS>, const ROWS: usize> Own for Nonholonomic<J, ROWS> {
    fn rows(&self) -> usize {
        ROWS
    }
    fn level(&self) -> Level {
        Level::Velocity
    }
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
}

/// The equations of a [`CustomJoint`] or a [`NonholonomicJoint`]: what a
/// [`JointKind::Custom`](crate::JointKind::Custom) holds.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::{Axis, CustomEquations, CustomJoint, FramePose, JointKind};
///
/// /// Point 2 stays in the plane through point 1 across z₁.
/// struct Table;
///
/// impl CustomJoint<1> for Table {
///     fn kind(&self) -> &'static str { "table" }
///     fn residual<S: Scalar>(&self, _t: S, [table, ball]: &[FramePose<S>; 2]) -> [S; 1] {
///         [table.axis(Axis::Z).dot(&(ball.point - table.point))]
///     }
/// }
///
/// let equations = CustomEquations::holonomic(Table);
/// assert_eq!((equations.rows(), equations.is_nonholonomic()), (1, false));
/// assert_eq!(JointKind::Custom(equations).name(), "table");
/// ```
#[derive(Clone)]
pub struct CustomEquations(Arc<dyn Own>);

impl CustomEquations {
    /// Position rows.
    pub fn holonomic<const ROWS: usize>(joint: impl CustomJoint<ROWS> + 'static) -> Self {
        Self(Arc::new(Holonomic(joint)))
    }

    /// Velocity rows.
    pub fn nonholonomic<const ROWS: usize>(joint: impl NonholonomicJoint<ROWS> + 'static) -> Self {
        Self(Arc::new(Nonholonomic(joint)))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// The kind as descriptions show it.
    pub fn kind(&self) -> &'static str {
        self.0.kind()
    }

    pub(crate) fn level(&self) -> Level {
        self.0.level()
    }

    /// Whether these are velocity rows.
    pub fn is_nonholonomic(&self) -> bool {
        self.level() == Level::Velocity
    }

    pub(crate) fn own(&self) -> &(dyn Own + 'static) {
        self.0.as_ref()
    }
}

impl fmt::Debug for CustomEquations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({} rows)", self.kind(), self.rows())
    }
}
