//! Checks of contacts and joints with friction: gaps depend on time and configuration only, sliding velocities are affine in v.

use crate::{ContactError, Contacts, FrictionJointError, FrictionJoints, UnilateralConstraints};
use liedae::integrator::StepError;
use liedae::system::{EvaluationError, Point, State};
use thiserror::Error;

/// A contact or a joint with friction that breaks a promise.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactError, ContactModel, IllStated, check_contacts, with_contacts};
///
/// /// A ball whose gap is said to shrink with its velocity, as if it were soft.
/// struct Damped;
/// # impl Model for Damped {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Damped {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] - at.v[0] * 0.01 }
/// }
///
/// let mut system = with_contacts(Damped);
/// let start = system.initial_state();
/// let Err(IllStated::Contact(ContactError::GapDepends { label, on, .. })) = check_contacts(&mut system, &start) else {
///     panic!("a gap is a function of time and configuration")
/// };
/// assert_eq!((label.as_str(), on), ("floor", "velocities"));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum IllStated {
    /// A contact.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// A joint with friction.
    #[error(transparent)]
    FrictionJoint(#[from] FrictionJointError),
}

impl From<IllStated> for StepError {
    fn from(error: IllStated) -> Self {
        Self::own(error)
    }
}

/// Rows and velocities may differ by this share of their terms: rows may be differences.
const TOLERANCE: f64 = 1e-6;

/// What a relative velocity turns out to be.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    Affine,
    Curved,
    /// Its row is that of something else.
    OtherRow,
}

/// A state, and changes of its velocity by 1 + |v_i| or less, all different.
struct Changes<'a> {
    state: &'a State,
    change: Vec<f64>,
    /// v, v + δ and v + 2 δ.
    velocities: [Vec<f64>; 3],
}

/// Numbers in [1/2, 1) without a pattern.
fn irregular(index: usize) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    0.5 + 0.5 * (GOLDEN * (index + 1) as f64).fract()
}

fn changed(values: &[f64]) -> Vec<f64> {
    let numbered = values.iter().enumerate();
    let changed = numbered.map(|(index, value)| value + (1.0 + value.abs()) * irregular(index));
    changed.collect()
}

impl<'a> Changes<'a> {
    fn new(state: &'a State) -> Self {
        let ahead = changed(&state.v);
        let change: Vec<f64> = ahead.iter().zip(&state.v).map(|(a, b)| a - b).collect();
        let twice = ahead.iter().zip(&change).map(|(v, more)| v + more);
        let velocities = [state.v.clone(), ahead.clone(), twice.collect()];
        Self {
            state,
            change,
            velocities,
        }
    }

    /// The state's point with its k-th velocity.
    fn at(&self, k: usize) -> Point<'_> {
        Point {
            v: &self.velocities[k],
            ..self.state.point()
        }
    }

    /// Judges a velocity by these three values and this row. It passes if one of the values cannot be evaluated, since a run may
    /// never need them.
    fn judge(&self, values: [Result<f64, EvaluationError>; 3], row: &[f64]) -> Found {
        let [Ok(first), Ok(second), Ok(third)] = values else {
            return Found::Affine;
        };
        let products = || row.iter().zip(&self.change).map(|(entry, by)| entry * by);
        let size = first.abs() + second.abs() + third.abs();
        let terms = products().map(f64::abs).sum::<f64>() + size;
        if (first - 2.0 * second + third).abs() > TOLERANCE * size {
            Found::Curved
        } else if (second - first - products().sum::<f64>()).abs() > TOLERANCE * terms {
            Found::OtherRow
        } else {
            Found::Affine
        }
    }
}

fn check_contact(
    contacts: &mut dyn UnilateralConstraints,
    contact: usize,
    changes: &Changes,
) -> Result<(), ContactError> {
    let law = contacts.contacts()[contact].clone();
    law.check()?;
    let at = changes.at(0);
    let (x, z, lambda) = (changed(at.x), changed(at.z), changed(at.lambda));
    let gap = contacts.gap(contact, &at);
    for (on, elsewhere) in [
        ("velocities", changes.at(1)),
        ("differential states", Point { x: &x, ..at }),
        ("algebraic variables", Point { z: &z, ..at }),
        (
            "multipliers",
            Point {
                lambda: &lambda,
                ..at
            },
        ),
    ] {
        // The same point gives the same answer, so that any difference is a dependence.
        if let (Ok(gap), Ok(other)) = (&gap, contacts.gap(contact, &elsewhere))
            && (gap - other).abs() > 0.0
        {
            let (label, change) = (law.label, other - gap);
            return Err(ContactError::GapDepends { label, on, change });
        }
    }
    let dimension = changes.change.len();
    let mut rows = vec![0.0; dimension];
    let judge = |what: &'static str, values, row: &[f64]| {
        let label = || law.label.clone();
        match changes.judge(values, row) {
            Found::Affine => Ok(()),
            Found::Curved => Err(ContactError::NotAffine {
                label: label(),
                what,
            }),
            Found::OtherRow => Err(ContactError::OtherRow {
                label: label(),
                what,
            }),
        }
    };
    if contacts.gap_jacobian(contact, &at, &mut rows).is_ok() {
        let values = [0, 1, 2].map(|k| contacts.gap_rate(contact, &changes.at(k)));
        judge("rate of its gap", values, &rows)?;
    }
    rows.resize(law.tangents * dimension, 0.0);
    if law.tangents == 0 || contacts.sliding_jacobian(contact, &at, &mut rows).is_err() {
        return Ok(());
    }
    for tangent in 0..law.tangents {
        let mut sliding = [0.0; 2];
        let values = [0, 1, 2].map(|k| {
            let out = &mut sliding[..law.tangents];
            contacts.sliding_velocity(contact, &changes.at(k), out)?;
            Ok(out[tangent])
        });
        let row = &rows[tangent * dimension..(tangent + 1) * dimension];
        judge("sliding velocity", values, row)?;
    }
    Ok(())
}

fn check_joint(
    joints: &mut dyn FrictionJoints,
    joint: usize,
    changes: &Changes,
) -> Result<(), FrictionJointError> {
    let mut row = vec![0.0; changes.change.len()];
    if joints
        .joint_jacobian(joint, &changes.at(0), &mut row)
        .is_err()
    {
        return Ok(());
    }
    let values = [0, 1, 2].map(|k| joints.joint_velocity(joint, &changes.at(k)));
    let label = || joints.friction_joints()[joint].label.clone();
    match changes.judge(values, &row) {
        Found::Affine => Ok(()),
        Found::Curved => Err(FrictionJointError::NotAffine { label: label() }),
        Found::OtherRow => Err(FrictionJointError::OtherRow { label: label() }),
    }
}

/// Looks at the contacts and joints with friction of a system at a state and at changed velocities and variables: their
/// numbers are in range, gaps depend on time and configuration only, and relative velocities are affine in v with the
/// rows that they have.
///
/// It takes a few evaluations for each, and is done at the start of every run.
///
/// # Errors
/// The first contact or joint that breaks a promise, by its label.
pub fn check_contacts(system: &mut dyn Contacts, state: &State) -> Result<(), IllStated> {
    let space = &system.layout().space;
    if (state.q.len(), state.v.len()) != (space.coordinates(), space.dimension()) {
        // Another shape is the business of the check of initial values.
        return Ok(());
    }
    let changes = Changes::new(state);
    if let Some(contacts) = system.unilateral() {
        for contact in 0..contacts.contacts().len() {
            check_contact(contacts, contact, &changes)?;
        }
    }
    if let Some(joints) = system.joint_friction() {
        for joint in 0..joints.friction_joints().len() {
            check_joint(joints, joint, &changes)?;
        }
    }
    Ok(())
}
