//! Joints with friction: their laws in the complementarity problems, their statuses, and how they look from outside.

use super::law::{ContactForces, Friction, JointLaw, NormalComponent};
use super::selection::Selection;
use super::wrapped::joints_of;
use super::{JointStatus, NonsmoothSystem, failed};
use liedae::system::{EvaluationError, FrictionJoint, FrictionJoints, Point, State, System};

/// A joint without load slips at the least at this share of the force that belongs to the threshold acceleration.
const WEIGHTLESS: f64 = 1e-2;

/// Friction within this share of its limit has reached it.
const AT_LIMIT: f64 = 1e-9;

impl<S: System> NonsmoothSystem<S> {
    /// The joints with friction of the wrapped system and their arguments.
    fn joints_at<'a>(
        &'a mut self,
        at: &Point<'a>,
    ) -> Result<(&'a mut dyn FrictionJoints, Point<'a>), EvaluationError> {
        let own = self
            .structure
            .inner_point(at, self.inner.layout(), &mut self.work.lambda);
        Ok((joints_of(&mut self.inner, at.t)?, own))
    }

    /// The sliding velocities of all joints.
    pub(super) fn joint_velocities(&mut self, state: &State) -> Result<Vec<f64>, EvaluationError> {
        let mut velocities = Vec::with_capacity(self.joints.len());
        for joint in 0..self.joints.len() {
            let velocity = self.joint_velocity(joint, &state.point())?;
            if !velocity.is_finite() {
                let label = &self.joints[joint].label;
                let reason = format!("the sliding velocity of joint `{label}` is {velocity}");
                return Err(failed(state.t, reason));
            }
            velocities.push(velocity);
        }
        Ok(velocities)
    }

    /// What friction does in a joint between two events: it slides, or may stick. One that has reached the limit of
    /// friction slides against the force that held it.
    pub(super) fn friction_of_joint(
        &self,
        joint: usize,
        velocity: f64,
        slipping: bool,
        held: f64,
    ) -> Friction {
        let limited = self.limited_joint(joint);
        let Friction::Limited { coefficient } = limited else {
            return limited;
        };
        if velocity.abs() > self.options.thresholds.velocity {
            Friction::Sliding {
                coefficient,
                sign: velocity.signum(),
            }
        } else if slipping && self.statuses.joints[joint].is_sticking() && held != 0.0 {
            Friction::Sliding {
                coefficient,
                sign: -held.signum(),
            }
        } else {
            limited
        }
    }

    /// The friction law of a joint whose sliding velocity may be any.
    pub(super) fn limited_joint(&self, joint: usize) -> Friction {
        match self.joints[joint].friction {
            coefficient if coefficient > 0.0 => Friction::Limited { coefficient },
            _ => Friction::None,
        }
    }

    /// The laws of all joints in a problem with these rows of the response; `lambda` are the multipliers without
    /// forces in them.
    pub(super) fn joint_laws(
        &self,
        friction: &[Friction],
        rows: &[usize],
        lambda: &[f64],
    ) -> Vec<JointLaw> {
        let law = |(joint, &friction): (&FrictionJoint, &Friction)| JointLaw {
            friction,
            supports: joint
                .supports
                .iter()
                .map(|support| {
                    let components = (0..support.components.len()).map(|index| NormalComponent {
                        free: support.component(index, lambda),
                        by_force: rows
                            .iter()
                            .map(|&row| support.component(index, self.response.reactions_of(row)))
                            .collect(),
                    });
                    components.collect()
                })
                .collect(),
        };
        self.joints.iter().zip(friction).map(law).collect()
    }

    /// Decides which joints stick and which slide, by the forces at acceleration level. `first` is the row of the
    /// first joint.
    pub(super) fn settle_joints(
        &self,
        laws: &[JointLaw],
        forces: &ContactForces,
        first: usize,
        selection: &mut Selection,
    ) -> Vec<JointStatus> {
        let numbered = laws.iter().enumerate();
        let statuses = numbered.map(|(joint, law)| match law.friction {
            Friction::None => JointStatus::Free,
            Friction::Sliding { sign, .. } => JointStatus::sliding_towards(sign),
            Friction::Limited { coefficient } => {
                let row = first + joint;
                let limit = coefficient * law.normal_force(&forces.force);
                let motion = forces.motion[row];
                let slides = motion.abs() > self.options.thresholds.acceleration
                    && forces.force[row].abs() >= (1.0 - AT_LIMIT) * limit;
                if slides {
                    JointStatus::sliding_towards(motion)
                } else if selection.accept(row).is_ok() {
                    JointStatus::Sticking
                } else {
                    JointStatus::StickingRedundantly
                }
            }
        });
        statuses.collect()
    }

    /// Sets by how much each joint's friction exceeds its limit when it slips.
    pub(super) fn set_slip_forces(&mut self, laws: &[JointLaw], force: &[f64], first: usize) {
        let thresholds = self.options.thresholds;
        let size = self.response.free_diagonal.len();
        for (joint, (law, slip)) in laws.iter().zip(&mut self.slip_forces).enumerate() {
            let mobility = self.response.matrix[(first + joint) * (size + 1)];
            let weightless = if mobility > 0.0 {
                WEIGHTLESS * thresholds.acceleration / mobility
            } else {
                0.0
            };
            let limit = self.joints[joint].friction * law.normal_force(force);
            *slip = weightless.max(thresholds.force * limit);
        }
    }

    /// The normal force Σ |N| and the friction of a joint in N.
    pub(super) fn joint_forces(&mut self, joint: usize, at: &Point) -> [f64; 2] {
        let own = self
            .structure
            .inner_point(at, self.inner.layout(), &mut self.work.lambda);
        let law = &self.joints[joint];
        let structure = &self.structure;
        let value = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
        let first = structure.layout.algebraic - structure.joint_slides.len();
        let mut slides = structure.joint_slides.iter();
        let slide = slides.position(|&(other, _)| other == joint);
        let friction = match (structure.row_of_joint(joint), slide) {
            (Some(row), _) => value(at.lambda, row),
            (None, Some(index)) => {
                let sign = structure.joint_slides[index].1;
                -law.friction * sign * value(at.z, first + index)
            }
            (None, None) => 0.0,
        };
        [law.normal_force(own.lambda), friction]
    }
}

impl<S: System> FrictionJoints for NonsmoothSystem<S> {
    fn friction_joints(&self) -> &[FrictionJoint] {
        &self.joints
    }

    fn is_located(&self) -> bool {
        true
    }

    fn joint_velocity(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (joints, own) = self.joints_at(at)?;
        joints.joint_velocity(joint, &own)
    }

    fn joint_jacobian(
        &mut self,
        joint: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (joints, own) = self.joints_at(at)?;
        joints.joint_jacobian(joint, &own, row)
    }

    fn joint_bias(&mut self, joint: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (joints, own) = self.joints_at(at)?;
        joints.joint_bias(joint, &own)
    }
}
