//! Errors of plane mechanisms.

use liedae::linalg::KktError;
use liedae_contact::{ContactError, FrictionJointError};
use thiserror::Error;

/// A mechanism that cannot be built.
///
/// ```
/// use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneMechanism, PlaneMechanismError};
///
/// // Bodies are counted from 0, and nothing turns a point mass.
/// let bob = PlaneBodyData::point_mass("bob", 1.0, [0.0, 0.0], [0.0, 0.0]);
/// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![bob], [0.0, -9.81])?;
/// let pull = PlaneForce::Constant((Some(1), [0.0, 0.0]), [5.0, 0.0]);
/// let Err(error) = mechanism.clone().with_forces([pull]) else { panic!("there is one body") };
/// assert_eq!(error, PlaneMechanismError::UnknownBody { what: "a force".to_owned(), body: 1, bodies: 1 });
/// let motor = PlaneForce::Torque([Some(0), None], 2.0);
/// assert!(matches!(mechanism.with_forces([motor]), Err(PlaneMechanismError::PointMass { body: 0, .. })));
/// # Ok::<(), PlaneMechanismError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlaneMechanismError {
    /// A joint, force or contact names a body that is not there.
    #[error("{what} names body {body}, and there are {bodies} bodies, counted from 0")]
    UnknownBody {
        /// Who names it.
        what: String,
        /// The number.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A mass, inertia or initial value that makes no sense.
    #[error("body `{body}`: {what} is {value}")]
    Body {
        /// The body.
        body: String,
        /// Which number.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A point mass, a body of no inertia, in a place where something would turn it.
    #[error(
        "{what} would turn body {body}, counted from 0, which is a point mass: give it an inertia"
    )]
    PointMass {
        /// What would turn it.
        what: String,
        /// The body.
        body: usize,
    },
    /// Two force closures or two probes of one name.
    #[error("the {kind} name `{name}` is used twice")]
    DuplicateName {
        /// `force` or `probe`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Friction in a joint that is not there or of another kind.
    #[error("friction `{label}` in joint {joint}, counted from 0, needs {needs}")]
    Friction {
        /// The friction.
        label: String,
        /// The joint.
        joint: usize,
        /// What kind of joint it needs.
        needs: &'static str,
    },
    /// The coefficient of friction of a joint makes no sense.
    #[error(transparent)]
    FrictionJoint(#[from] FrictionJointError),
    /// The law of a contact makes no sense.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The sparsity is inconsistent.
    #[error(transparent)]
    Layout(#[from] KktError),
}
