//! Laws of friction of a contact or joint, and the normal force of a joint.

use crate::{Contact, FrictionJoint};

/// The law of friction in a contact or joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Friction {
    /// Nothing.
    None,
    /// It slides: λ_T = -μ sign λ_N.
    Sliding { coefficient: f64, sign: f64 },
    /// It may stick: |λ_T| ≤ μ λ_N, and λ_T opposes the sliding that is left.
    Limited { coefficient: f64 },
    /// As limited, in both directions of the contact plane: |λ_T| ≤ μ λ_N is a cone.
    Cone { coefficient: f64 },
}

/// Friction within this share of its limit has reached it.
const AT_LIMIT: f64 = 1e-9;

/// Whether friction has reached its limit.
pub(crate) fn is_at_limit(force: f64, limit: f64) -> bool {
    force.abs() >= (1.0 - AT_LIMIT) * limit
}

impl Friction {
    /// In a contact whose sliding velocity may be any.
    pub fn of_contact(contact: &Contact) -> Self {
        match contact.tangents {
            1 => Self::of(contact.friction),
            2 if contact.friction > 0.0 => Self::Cone {
                coefficient: contact.friction,
            },
            _ => Self::None,
        }
    }

    /// In a joint whose sliding velocity may be any.
    pub fn of_joint(joint: &FrictionJoint) -> Self {
        Self::of(joint.friction)
    }

    fn of(coefficient: f64) -> Self {
        if coefficient > 0.0 {
            Self::Limited { coefficient }
        } else {
            Self::None
        }
    }

    /// μ.
    pub fn coefficient(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Sliding { coefficient, .. }
            | Self::Limited { coefficient }
            | Self::Cone { coefficient } => coefficient,
        }
    }

    /// Between two events: what is faster than `threshold` slides, the rest may stick. What has reached the limit of
    /// friction slides against the force that `held` it, zero for all others.
    pub fn between_events(self, sliding: f64, threshold: f64, held: f64) -> Self {
        let (Self::Limited { coefficient } | Self::Cone { coefficient }) = self else {
            return self;
        };
        let sign = if sliding.abs() > threshold {
            sliding.signum()
        } else if held != 0.0 {
            // At its limit friction points against the sliding that begins.
            -held.signum()
        } else {
            return self;
        };
        Self::Sliding { coefficient, sign }
    }

    /// The direction in which a contact in space begins to slide, with the normal force, the friction and the acceleration of a
    /// solution; `None` where it does not. Friction at its limit shows that direction better than an acceleration, which may be
    /// as small as round-off. The motion is above `threshold`, as in [`sliding`](Self::sliding).
    pub fn beginning(
        self,
        normal: f64,
        force: [f64; 2],
        motion: [f64; 2],
        threshold: f64,
    ) -> Option<[f64; 2]> {
        let Self::Cone { coefficient } = self else {
            return None;
        };
        let length = |[x, y]: [f64; 2]| f64::hypot(x, y);
        let opposed = force[0] * motion[0] + force[1] * motion[1] <= 0.0;
        let limit = (1.0 - AT_LIMIT) * coefficient * normal;
        let slides = length(motion) > threshold && opposed && length(force) >= limit;
        let towards = if length(force) > 0.0 {
            force.map(|part| -part)
        } else {
            motion
        };
        slides.then(|| towards.map(|part| part / length(towards)))
    }

    /// The sign of the sliding that goes on or begins, with the normal force, the friction and the acceleration of a
    /// solution; `None` where nothing slides. Friction at its limit does not show by itself that sliding begins: the motion
    /// is above `threshold` too, which is zero where something else has just begun to slip, and may drag along what is at its limit.
    pub fn sliding(self, normal: f64, force: f64, motion: f64, threshold: f64) -> Option<f64> {
        match self {
            Self::None | Self::Cone { .. } => None,
            Self::Sliding { sign, .. } => Some(sign),
            Self::Limited { coefficient } => {
                let limit = coefficient * normal;
                // Friction opposes the motion.
                let opposed = force * motion <= 0.0;
                let slides = motion.abs() > threshold && opposed && is_at_limit(force, limit);
                slides.then_some(motion)
            }
        }
    }
}

/// A joint with friction: its law, and the normal forces N in it that its rows carry.
#[derive(Clone, Debug)]
pub(crate) struct PressedJoint {
    pub friction: Friction,
    /// Components of N, for every support.
    pub supports: Vec<Vec<NormalComponent>>,
}

/// A component of a normal force that a joint's rows carry, free + Σ by_force λ.
#[derive(Clone, Debug)]
pub(crate) struct NormalComponent {
    /// What it is without forces in contacts and without friction.
    pub free: f64,
    /// Changes by unit forces in the rows of the problem.
    pub by_force: Vec<f64>,
}

impl NormalComponent {
    /// N with these forces.
    pub fn at(&self, force: &[f64]) -> f64 {
        let pushes = self
            .by_force
            .iter()
            .zip(force)
            .map(|(by, force)| by * force);
        self.free + pushes.sum::<f64>()
    }
}

impl PressedJoint {
    /// By how much these forces in rows change Σ |N| at most.
    pub fn pressed_by(&self, forces: impl Iterator<Item = (usize, f64)> + Clone) -> f64 {
        self.sum_of_lengths(|component| {
            let terms = forces
                .clone()
                .map(|(row, force)| force * component.by_force[row]);
            terms.sum()
        })
    }

    /// Σ |N| with these forces.
    pub fn normal_force(&self, force: &[f64]) -> f64 {
        self.sum_of_lengths(|component| component.at(force))
    }

    /// Σ |N| of these components.
    fn sum_of_lengths(&self, of: impl Fn(&NormalComponent) -> f64) -> f64 {
        let lengths = self.supports.iter().map(|support| {
            let squares = support.iter().map(|component| of(component).powi(2));
            squares.sum::<f64>().sqrt()
        });
        lengths.sum()
    }
}
