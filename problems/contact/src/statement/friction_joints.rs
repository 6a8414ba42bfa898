//! Friction in joints: what presses, and along which velocity they slide.

use crate::statement::unilateral::velocities_of;
use liedae::system::{EvaluationError, Point};
use serde::Serialize;
use thiserror::Error;

/// A normal force in a joint: the length |N| of the vector N with the components N_i = Σ c_ij λ_j.
///
/// One component is a normal force that may push either way, as in a guide in the plane; two are those of a guide in
/// space, or of a pin.
///
/// ```
/// use liedae_contact::Support;
///
/// // A pin is pressed by 3 N and 4 N across its axis.
/// let pin = Support::of_rows([0, 1]);
/// assert_eq!(pin.force(&[3.0, -4.0]), 5.0);
/// assert_eq!(pin.direction(1, &[3.0, -4.0]), -0.8);
/// // A pad at the end of a guide of 0.5 m, of which a force in row 0 and a torque in row 1 press: F/2 + T/l.
/// let pad = Support { components: vec![vec![(0, 0.5), (1, 2.0)]] };
/// assert_eq!(pad.force(&[10.0, -4.0]), 3.0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Support {
    /// For every component of N the numbers of its constraint rows and their constant coefficients.
    pub components: Vec<Vec<(usize, f64)>>,
}

impl Support {
    /// The normal force whose components are the multipliers of these rows, of gradients of unit length.
    pub fn of_rows(rows: impl IntoIterator<Item = usize>) -> Self {
        let components = rows.into_iter().map(|row| vec![(row, 1.0)]).collect();
        Self { components }
    }

    /// A component of N.
    pub fn component(&self, index: usize, lambda: &[f64]) -> f64 {
        let terms = self.components[index].iter();
        terms
            .map(|&(row, factor)| factor * lambda.get(row).copied().unwrap_or(0.0))
            .sum()
    }

    /// |N|.
    pub fn force(&self, lambda: &[f64]) -> f64 {
        match self.components.len() {
            1 => self.component(0, lambda).abs(),
            count => {
                let squares = (0..count).map(|index| self.component(index, lambda).powi(2));
                squares.sum::<f64>().sqrt()
            }
        }
    }

    /// The direction N / |N|, component by component. Where N is zero it is that of some direction: an iteration that
    /// starts from unknown multipliers, usually zeros, must see that |N| depends on them.
    pub fn direction(&self, index: usize, lambda: &[f64]) -> f64 {
        let force = self.force(lambda);
        if force > 0.0 {
            self.component(index, lambda) / force
        } else {
            (self.components.len() as f64).sqrt().recip()
        }
    }
}

/// Coulomb friction in a joint that slides along one direction: |λ_T| ≤ μ Σ |N_k|, and λ_T = -μ Σ |N_k| sign(s) while
/// it slides with the velocity s.
///
/// The joint's own rows hold its bodies together either way; their multipliers are the normal forces. Sources: F.
/// Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 8, doi:10.1002/9783527618385;
/// E. J. Haug, S. C. Wu, S. M. Yang, Dynamics of mechanical systems with Coulomb friction, stiction, impact and
/// constraint addition-deletion - I, Mech. Mach. Theory 21 (1986) 401-406.
///
/// ```
/// use liedae_contact::{FrictionJoint, Support};
///
/// // A slider on two pads 0.5 m apart: F/2 ± T/l press, each on either flank.
/// let pad = |sign: f64| Support { components: vec![vec![(0, 0.5), (1, 2.0 * sign)]] };
/// let slider = FrictionJoint::new("slider", 0.2, [pad(1.0), pad(-1.0)]).acting_on([0, 1]);
/// // 10 N alone press as they are; a torque of 4 N m wedges the slider.
/// assert_eq!(slider.normal_force(&[10.0, 0.0]), 10.0);
/// assert_eq!(slider.normal_force(&[10.0, 4.0]), 16.0);
/// assert_eq!(slider.acts_on(6), [0, 1]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FrictionJoint {
    /// Its name in reports and errors.
    pub label: String,
    /// Coefficient μ ≥ 0.
    pub friction: f64,
    /// What presses.
    pub supports: Vec<Support>,
    /// Velocities, by their numbers, that its friction acts on; `None` for all.
    pub velocities: Option<Vec<usize>>,
}

/// Friction of a joint that makes no sense.
///
/// ```
/// use liedae_contact::{FrictionJoint, FrictionJointError, Support};
///
/// // A guide in a mechanism of two rows: the third, counted from 0, is not there.
/// let guide = FrictionJoint::new("guide", 0.3, [Support::of_rows([2])]);
/// let expected = FrictionJointError::Row { label: "guide".to_owned(), row: 2, factor: 1.0, rows: 2 };
/// assert_eq!(guide.check(2), Err(expected));
/// assert_eq!(guide.check(3), Ok(()));
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FrictionJointError {
    /// Friction that is negative or not finite.
    #[error("joint `{label}`: a coefficient of friction of {value} is not a number of at least 0")]
    Friction {
        /// The joint.
        label: String,
        /// What was given.
        value: f64,
    },
    /// Nothing presses.
    #[error("joint `{label}`: no row presses, so that it has no friction")]
    NoSupport {
        /// The joint.
        label: String,
    },
    /// A row that is not there, or a coefficient that is no number.
    #[error(
        "joint `{label}`: row {row} with the factor {factor} presses, and there are {rows} rows, counted from 0"
    )]
    Row {
        /// The joint.
        label: String,
        /// The row.
        row: usize,
        /// Its coefficient.
        factor: f64,
        /// How many there are.
        rows: usize,
    },
    /// A sliding velocity that no row gives.
    #[error(
        "joint `{label}`: its sliding velocity is not affine in the velocities; Coulomb's law needs it as it is, without \
         regularization"
    )]
    NotAffine {
        /// The joint.
        label: String,
    },
    /// A row that does not belong to the sliding velocity.
    #[error(
        "joint `{label}`: the row of its sliding velocity is not the derivative by the velocities; mend it, or name all \
         velocities that it has in FrictionJoint::acting_on"
    )]
    OtherRow {
        /// The joint.
        label: String,
    },
}

impl FrictionJoint {
    /// Friction with the coefficient μ by these normal forces.
    pub fn new(
        label: impl Into<String>,
        friction: f64,
        supports: impl IntoIterator<Item = Support>,
    ) -> Self {
        Self {
            label: label.into(),
            friction,
            supports: supports.into_iter().collect(),
            velocities: None,
        }
    }

    /// Says which velocities the friction acts on, by their numbers; all others have zero entries.
    pub fn acting_on(mut self, velocities: impl IntoIterator<Item = usize>) -> Self {
        self.velocities = Some(velocities.into_iter().collect());
        self
    }

    /// The velocities that the friction acts on, in increasing order, of a system with this many.
    pub fn acts_on(&self, dimension: usize) -> Vec<usize> {
        velocities_of(self.velocities.as_deref(), dimension)
    }

    /// Σ |N_k| in N, from the multipliers of all rows.
    pub fn normal_force(&self, lambda: &[f64]) -> f64 {
        let forces = self.supports.iter().map(|support| support.force(lambda));
        forces.sum()
    }

    /// Calls `entry` with every row and the derivative of a part of Σ |N_k| by its multiplier; rows may come twice.
    pub fn normal_force_slope(&self, lambda: &[f64], mut entry: impl FnMut(usize, f64)) {
        for support in &self.supports {
            for (index, component) in support.components.iter().enumerate() {
                let direction = support.direction(index, lambda);
                for &(row, factor) in component {
                    entry(row, direction * factor);
                }
            }
        }
    }

    /// Checks the numbers against the number of constraint rows.
    pub fn check(&self, rows: usize) -> Result<(), FrictionJointError> {
        let label = || self.label.clone();
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(FrictionJointError::Friction {
                label: label(),
                value: self.friction,
            });
        }
        let components = || self.supports.iter().flat_map(|support| &support.components);
        if components().all(Vec::is_empty) {
            return Err(FrictionJointError::NoSupport { label: label() });
        }
        match components()
            .flatten()
            .find(|(row, factor)| *row >= rows || !factor.is_finite())
        {
            Some(&(row, factor)) => Err(FrictionJointError::Row {
                label: label(),
                row,
                factor,
                rows,
            }),
            None => Ok(()),
        }
    }
}

/// The joints of a system that have friction, one at a time.
///
/// Sliding velocities s(t, q, v) are affine in v, in m/s (of a pin, at its surface). A friction force λ_T pushes
/// along the row ∂s/∂v: M v' = f + Gᵀ λ + (∂s/∂v)ᵀ λ_T.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{ContactModel, FrictionJoint, FrictionJoints, Support, joint_friction, with_contacts};
///
/// /// A slide of 2 kg on a level guide, with 2 m/s; μ = 0.3.
/// struct Slide;
/// # impl Model for Slide {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![0.0, 0.0], v: vec![2.0, 0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(2.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-20.0); }
/// #     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) { g[0] = at.q[1]; }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Slide {
///     fn friction_joints(&self) -> Vec<FrictionJoint> {
///         vec![FrictionJoint::new("guide", 0.3, [Support::of_rows([0])])]
///     }
///     fn joint_velocity<S: Scalar>(&self, _joint: usize, at: &Point<S>) -> S { at.v[0] }
/// }
///
/// let mut system = with_contacts(Slide);
/// let start = system.initial_state();
/// let joints: &mut dyn FrictionJoints = joint_friction(&mut system).ok_or("it has one")?;
/// assert_eq!(joints.friction_joints()[0].label, "guide");
/// assert_eq!(joints.joint_velocity(0, &start.point())?, 2.0);
/// let mut row = [0.0; 2];
/// joints.joint_jacobian(0, &start.point(), &mut row)?;
/// assert_eq!(row, [1.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait FrictionJoints {
    /// The joints: names, laws, and what presses.
    fn friction_joints(&self) -> &[FrictionJoint];

    /// The sliding velocity s.
    fn joint_velocity(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError>;

    /// The row ∂s/∂v.
    fn joint_jacobian(
        &mut self,
        joint: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The bias γ with s' = (∂s/∂v) v' + γ.
    fn joint_bias(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError>;
}
