//! Unilateral constraints: what may touch, and how it rebounds and slides.

use crate::statement::differences;
use liedae::manifold::Manifold;
use liedae::system::{EvaluationError, Point};
use serde::Serialize;
use thiserror::Error;

/// One unilateral constraint 0 ≤ g_N(t, q) ⟂ λ_N ≥ 0 with its law of impact and friction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contact {
    /// Its name in reports and errors.
    pub label: String,
    /// Coefficient of restitution e in [0, 1] of the normal velocity.
    pub restitution: f64,
    /// Coefficient μ ≥ 0 of Coulomb friction.
    pub friction: f64,
    /// Directions in which it slides with friction: 0 without, 1 in the plane, 2 in space.
    pub tangents: usize,
    /// Whether its gap is an angle in rad, as that of a joint's stop, so that its force is a moment.
    pub angular: bool,
    /// Velocities, by their numbers, that its rows act on; `None` for all. Systems of many bodies gain by saying so.
    pub velocities: Option<Vec<usize>>,
}

/// A contact whose law makes no sense.
///
/// ```
/// use liedae_contact::{Contact, ContactError};
///
/// // A ball that would come up higher than it fell from.
/// let flubber = Contact::new("flubber", 1.2);
/// assert_eq!(flubber.check(), Err(ContactError::Restitution { label: "flubber".to_owned(), value: 1.2 }));
/// assert_eq!(Contact::new("rubber", 0.8).check(), Ok(()));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ContactError {
    /// Restitution outside [0, 1].
    #[error("contact `{label}`: a restitution of {value} is outside [0, 1]")]
    Restitution {
        /// The contact.
        label: String,
        /// What was given.
        value: f64,
    },
    /// Friction that is negative or not finite.
    #[error(
        "contact `{label}`: a coefficient of friction of {value} is not a number of at least 0"
    )]
    Friction {
        /// The contact.
        label: String,
        /// What was given.
        value: f64,
    },
    /// Friction without a direction to slide in, or more directions than space has.
    #[error("contact `{label}`: it slides in 1 direction (plane) or 2 (space), not {tangents}")]
    Tangents {
        /// The contact.
        label: String,
        /// What was given.
        tangents: usize,
    },
    /// A gap that is no function of time and configuration: it would close without a force that says so.
    #[error(
        "contact `{label}`: its gap changes by {change:.1e} with the {on}; a gap is a function of time and configuration, \
         and what depends on {on} belongs into the forces"
    )]
    GapDepends {
        /// The contact.
        label: String,
        /// What it depends on beside.
        on: &'static str,
        /// By how much it changed with it.
        change: f64,
    },
    /// A relative velocity that no row gives.
    #[error(
        "contact `{label}`: the {what} is not affine in the velocities; Coulomb's law and the law of impact need it as it is, \
         without regularization"
    )]
    NotAffine {
        /// The contact.
        label: String,
        /// The velocity.
        what: &'static str,
    },
    /// A row that does not belong to its velocity.
    #[error(
        "contact `{label}`: the row of the {what} is not its derivative by the velocities; mend it, or name all velocities \
         that it has in Contact::acting_on"
    )]
    OtherRow {
        /// The contact.
        label: String,
        /// The velocity.
        what: &'static str,
    },
}

impl Contact {
    /// A contact without friction that rebounds with the restitution e: g_N'⁺ = -e g_N'⁻.
    pub fn new(label: impl Into<String>, restitution: f64) -> Self {
        Self {
            label: label.into(),
            restitution,
            friction: 0.0,
            tangents: 0,
            angular: false,
            velocities: None,
        }
    }

    /// Says that the gap is an angle in rad.
    pub fn angular(mut self) -> Self {
        self.angular = true;
        self
    }

    /// Says which velocities the rows act on, by their numbers; all others have zero entries.
    pub fn acting_on(mut self, velocities: impl IntoIterator<Item = usize>) -> Self {
        self.velocities = Some(velocities.into_iter().collect());
        self
    }

    /// Adds Coulomb friction in the plane, one sliding velocity.
    pub fn with_planar_friction(mut self, friction: f64) -> Self {
        (self.friction, self.tangents) = (friction, 1);
        self
    }

    /// Adds Coulomb friction in space, two sliding velocities in orthogonal directions of the contact plane.
    pub fn with_spatial_friction(mut self, friction: f64) -> Self {
        (self.friction, self.tangents) = (friction, 2);
        self
    }

    /// The velocities that its rows act on, in increasing order, of a system with this many.
    pub fn acts_on(&self, dimension: usize) -> Vec<usize> {
        velocities_of(self.velocities.as_deref(), dimension)
    }

    /// Whether it is known to act on the same velocities as another one, as corners of one body do.
    pub(crate) fn acts_on_same(&self, other: &Self) -> bool {
        self.velocities.is_some() && self.velocities == other.velocities
    }

    /// In how many directions its sliding matters: as many as it has, but none in space without friction.
    pub(crate) fn rubs_in(&self) -> usize {
        if self.tangents == 1 || self.is_spatial() {
            self.tangents
        } else {
            0
        }
    }

    /// Whether it slides with friction in two directions.
    pub(crate) fn is_spatial(&self) -> bool {
        self.tangents > 1 && self.friction > 0.0
    }

    /// Checks the numbers.
    pub fn check(&self) -> Result<(), ContactError> {
        let label = || self.label.clone();
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(ContactError::Restitution {
                label: label(),
                value: self.restitution,
            });
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(ContactError::Friction {
                label: label(),
                value: self.friction,
            });
        }
        if self.tangents > 2 || (self.tangents == 0 && self.friction > 0.0) {
            return Err(ContactError::Tangents {
                label: label(),
                tangents: self.tangents,
            });
        }
        Ok(())
    }
}

/// The unilateral constraints of a system, one contact at a time, whether it is closed or not.
///
/// Gaps are signed distances g_N(t, q) in m, positive when open; a joint stop may have an angle in rad. Sliding
/// velocities g_T'(t, q, v) are affine in v. Rows have the length of the velocity, and a multiplier of a row pushes:
/// M v' = f + G_Nᵀ λ_N + G_Tᵀ λ_T.
///
/// Implicit methods need derivatives of the rows as well. These are small matrices by the k velocities that the rows of a
/// contact [act on](Contact::acts_on), row-major, with one row for the gap and, if there is place, one for each sliding
/// velocity. By default they are central differences (about 10 digits), which allocate;
/// those of [`with_contacts`](crate::with_contacts) are exact.
///
/// Source: V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, ch. 3,
/// doi:10.1007/978-3-540-75392-6.
pub trait UnilateralConstraints {
    /// The contacts: their names and laws.
    fn contacts(&self) -> &[Contact];

    /// The configuration space.
    fn space(&self) -> &Manifold;

    /// How far the bodies of a contact go into each other, in m, until the gap opens again on the far side: for balls the sum of their
    /// radii. Steps are so short that they do not pass through each other unseen. Infinity, where one of them has no far side as a floor
    /// has none, is no limit.
    fn thickness(&self, _contact: usize) -> f64 {
        f64::INFINITY
    }

    /// How many functions tell where a contact passes from one part of a surface to another, with another normal or
    /// curvature.
    fn junctions(&self, _contact: usize) -> usize {
        0
    }

    /// The values of these functions: each changes its sign where the gap, its gradient or its curvature is not smooth. They
    /// matter while the contact is closed.
    fn junction_values(
        &mut self,
        _contact: usize,
        _at: &Point,
        _out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        Ok(())
    }

    /// The gap g_N(t, q).
    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError>;

    /// The gap's rate G_N v + ∂g_N/∂t.
    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError>;

    /// The row G_N.
    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The bias γ_N with g_N'' = G_N v' + γ_N: curvature of the surfaces and motion in time.
    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError>;

    /// [`gap_rate`](Self::gap_rate) and [`gap_bias`](Self::gap_bias), of which impacts need both.
    fn gap_rate_and_bias(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        Ok([self.gap_rate(contact, at)?, self.gap_bias(contact, at)?])
    }

    /// Sliding velocities, [`Contact::tangents`] of them.
    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The rows G_T = ∂g_T'/∂v, row by row.
    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The bias γ_T with g_T'' = G_T v' + γ_T.
    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// ∂(G_Nᵀ λ_N + G_Tᵀ λ_T)/∂q at fixed forces λ_N, λ_T (without those that are not given), k x k: how they turn with the
    /// configuration, in local coordinates q · exp(δ) at δ = 0.
    fn force_stiffness(
        &mut self,
        contact: usize,
        at: &Point,
        forces: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::force_stiffness(self, contact, at, forces, out)
    }

    /// ∂(G_N v + ∂g_N/∂t)/∂q and ∂g_T'/∂q, k numbers each.
    fn velocity_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::velocity_gradients(self, contact, at, out)
    }

    /// ∂(G a + γ)/∂q and ∂γ/∂v at fixed acceleration `a` of the gap and of sliding, k numbers each.
    fn acceleration_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        differences::acceleration_gradients(
            self,
            contact,
            at,
            acceleration,
            by_position,
            by_velocity,
        )
    }
}

/// Velocities by their numbers, in increasing order, of a system with this many; `None` are all.
pub(crate) fn velocities_of(list: Option<&[usize]>, dimension: usize) -> Vec<usize> {
    let mut velocities = match list {
        Some(list) => list.to_vec(),
        None => (0..dimension).collect(),
    };
    velocities.retain(|&velocity| velocity < dimension);
    velocities.sort_unstable();
    velocities.dedup();
    velocities
}
