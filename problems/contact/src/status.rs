//! The status of a contact: open, closed, sliding, sticking.

/// The status of a contact between two events; it is one of the system's modes.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactModel, ContactStatus, NonsmoothOptions, NonsmoothSystem, with_contacts};
///
/// /// A block of 2 kg slides over the floor with 2 m/s; μ = 0.3.
/// struct Block;
/// # impl Model for Block {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![0.0, 0.0], v: vec![2.0, 0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(2.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-20.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Block {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.0).with_planar_friction(0.3)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[1] }
///     fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
///         sliding[0] = at.v[0];
///     }
/// }
///
/// // It is at rest after 2/3 s.
/// for (t_end, status) in [(0.5, ContactStatus::SlidingForward), (1.0, ContactStatus::Sticking)] {
///     let mut system = NonsmoothSystem::new(with_contacts(Block), NonsmoothOptions::default())?;
///     let end = solve(&mut system, &Radau5::default(), &Options::adaptive(t_end, 1e-8, 1e-8))?.state;
///     assert_eq!(system.statuses(), [status]);
///     assert_eq!(ContactStatus::from_mode(end.mode[0]), status);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactStatus {
    /// Not in touch.
    #[default]
    Open,
    /// Just released without a rebound: its gap is zero, and only an approach says that it has closed again.
    Separating,
    /// In touch without a force of its own: rows of joints and other contacts keep its gap closed. It may share their forces.
    Redundant,
    /// In touch without friction, one position row. Where other rows imply it, the contact has a share of their forces instead, here and below.
    Closed,
    /// In touch and sticking, one position row and a velocity row for each tangential direction; in space, without one that other
    /// rows imply.
    Sticking,
    /// In touch with one position row; other rows keep it from sliding. It shares their forces.
    StickingRedundantly,
    /// Sliding in the positive tangential direction; in space, in the direction of its sliding velocity.
    SlidingForward,
    /// Sliding in the negative tangential direction; none in space.
    SlidingBackward,
}

impl ContactStatus {
    const ALL: [Self; 8] = [
        Self::Open,
        Self::Separating,
        Self::Redundant,
        Self::Closed,
        Self::Sticking,
        Self::StickingRedundantly,
        Self::SlidingForward,
        Self::SlidingBackward,
    ];

    /// As a discrete mode.
    pub fn mode(self) -> i32 {
        self as i32
    }

    /// From a discrete mode; numbers that mean nothing are open contacts.
    pub fn from_mode(mode: i32) -> Self {
        usize::try_from(mode)
            .ok()
            .and_then(|index| Self::ALL.get(index).copied())
            .unwrap_or_default()
    }

    /// Whether the bodies touch without separating.
    pub fn is_closed(self) -> bool {
        !matches!(self, Self::Open | Self::Separating)
    }

    /// Whether it has a normal force of its own: the multiplier of its gap, or a share of those of others.
    pub fn has_normal_force(self) -> bool {
        self.is_closed() && self != Self::Redundant
    }

    /// The sign of the sliding velocity of a sliding contact.
    pub fn sliding(self) -> Option<f64> {
        match self {
            Self::SlidingForward => Some(1.0),
            Self::SlidingBackward => Some(-1.0),
            _ => None,
        }
    }

    /// Sliding in the direction of this sign.
    pub(crate) fn sliding_towards(sign: f64) -> Self {
        if sign < 0.0 {
            Self::SlidingBackward
        } else {
            Self::SlidingForward
        }
    }

    /// Whether friction holds it.
    pub fn is_sticking(self) -> bool {
        matches!(self, Self::Sticking | Self::StickingRedundantly)
    }
}

/// The status of a joint with friction between two events; it is one of the system's modes.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::prelude::*;
/// use liedae_contact::{ContactModel, FrictionJoint, JointStatus, NonsmoothOptions, NonsmoothSystem};
/// use liedae_contact::{Support, with_contacts};
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
/// // It is at rest after 2/3 s.
/// for (t_end, status) in [(0.5, JointStatus::SlidingForward), (1.0, JointStatus::Sticking)] {
///     let mut system = NonsmoothSystem::new(with_contacts(Slide), NonsmoothOptions::default())?;
///     solve(&mut system, &Radau5::default(), &Options::adaptive(t_end, 1e-8, 1e-8))?;
///     assert_eq!(system.joint_statuses(), [status]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointStatus {
    /// Without friction: nothing has been decided, or a method that captures events applies it.
    #[default]
    Free,
    /// Held by friction, one velocity row.
    Sticking,
    /// Held by other rows, which keep it from sliding.
    StickingRedundantly,
    /// Sliding in the positive direction.
    SlidingForward,
    /// Sliding in the negative direction.
    SlidingBackward,
}

impl JointStatus {
    /// As a discrete mode.
    pub fn mode(self) -> i32 {
        self as i32
    }

    /// The sign of the sliding velocity of a sliding joint.
    pub fn sliding(self) -> Option<f64> {
        match self {
            Self::SlidingForward => Some(1.0),
            Self::SlidingBackward => Some(-1.0),
            _ => None,
        }
    }

    /// Sliding in the direction of this sign.
    pub(crate) fn sliding_towards(sign: f64) -> Self {
        if sign < 0.0 {
            Self::SlidingBackward
        } else {
            Self::SlidingForward
        }
    }

    /// Whether friction, or other rows, hold it.
    pub fn is_sticking(self) -> bool {
        matches!(self, Self::Sticking | Self::StickingRedundantly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_statuses_correspond() {
        for (mode, status) in ContactStatus::ALL.into_iter().enumerate() {
            assert_eq!(status.mode(), mode as i32);
            assert_eq!(ContactStatus::from_mode(mode as i32), status);
        }
        assert_eq!(ContactStatus::from_mode(-1), ContactStatus::Open);
        assert_eq!(ContactStatus::from_mode(99), ContactStatus::Open);
    }
}
