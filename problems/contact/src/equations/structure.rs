//! The layout of a system whose closed contacts and sticking joints are rows.

use crate::equations::row_derivatives::ClosedRows;
use crate::equations::rows::TANGENTS;
use crate::{Contact, ContactStatus, FrictionJoint, JointStatus};
use liedae::linalg::{Blocks, KktError, Pattern};
use liedae::system::Layout;
use std::ops::Range;

/// Which contacts and joints are rows, and where everything of the wrapped system has gone.
///
/// Rows: the system's position rows, the gaps of closed contacts, the system's velocity rows, the sliding velocities of
/// sticking contacts, then of sticking joints. Algebraic variables: the system's, then the normal force of each
/// contact that slides or has a share of others' forces, then that of each joint that slides or keeps a share of its limit.
pub(crate) struct Structure {
    pub layout: Layout,
    /// Algebraic variables and modes of the wrapped system, which come first.
    pub inner_algebraic: usize,
    pub inner_modes: usize,
    /// Contacts whose gaps are rows.
    pub normals: Vec<usize>,
    /// Contacts whose sliding velocities are rows.
    pub sticks: Vec<Stick>,
    /// Contacts whose normal forces are algebraic variables.
    pub pressed: Vec<Pressed>,
    /// Joints whose sliding velocities are rows.
    pub joint_sticks: Vec<usize>,
    /// Joints whose friction has no row.
    pub joint_slides: Vec<JointSlide>,
    /// Where each row of the system without contacts is.
    pub inner_rows: Vec<usize>,
    /// Where each entry of its constraint Jacobian is.
    pub inner_jacobian: Vec<usize>,
    /// Where each entry of the derivative of its rates is.
    pub inner_rates: Vec<usize>,
    /// The pattern of the tangent stiffness.
    pub stiffness: Pattern,
    /// Where each entry of the tangent stiffness of the system without contacts is.
    pub inner_stiffness: Vec<usize>,
    /// Contacts whose gaps are rows or whose loads push, with all that they need for derivatives.
    pub closed: Vec<ClosedRows>,
    /// Where the derivatives of the forces of each contact with a variable by the configuration go, row by row.
    pub pushed: Vec<Vec<usize>>,
    /// The velocities that the rows of each contact act on.
    pub velocities: Vec<Vec<usize>>,
    /// The velocities that the friction of each joint acts on.
    pub joint_velocities: Vec<Vec<usize>>,
}

/// A contact whose normal force is an algebraic variable.
#[derive(Clone, Debug)]
pub(crate) struct Pressed {
    pub contact: usize,
    /// The sign of its sliding velocity, if it slides.
    pub sliding: Option<f64>,
    /// Whether its gap has no row, so that the variable itself pushes the bodies apart.
    pub pushes: bool,
    /// Rows of gaps and factors: the force is the sum of their multipliers.
    pub terms: Vec<(usize, f64)>,
}

impl Pressed {
    /// The normal force by these multipliers.
    pub fn force(&self, lambda: &[f64]) -> f64 {
        let terms = self.terms.iter();
        terms
            .map(|&(row, factor)| factor * lambda.get(row).copied().unwrap_or(0.0))
            .sum()
    }
}

/// The rows of a sticking contact: one in the plane, two in space, or one where other rows imply the other one.
#[derive(Clone, Debug)]
pub(crate) struct Stick {
    pub contact: usize,
    pub rows: Range<usize>,
    /// The only tangential direction that has a row, a unit vector in those that the model gives.
    pub only: Option<[f64; 2]>,
}

impl Stick {
    /// Its rows, with their tangential directions, unit vectors in those that the model gives.
    pub fn directions(&self) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
        let directions = match self.only {
            Some(only) => [only, [0.0; 2]],
            None => TANGENTS,
        };
        self.rows.clone().zip(directions)
    }
}

/// Friction -μ σ z of a joint without a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointSlide {
    pub joint: usize,
    /// σ: the sign of the sliding velocity or, of a joint that others hold, minus the share of its limit.
    pub factor: f64,
    /// z, where it does not follow the reactions.
    pub held: Option<f64>,
}

/// Friction of a joint that others hold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct HeldFriction {
    /// The share of the limit, in [-1, 1].
    pub share: f64,
    /// The normal force that it was decided with, where friction raises its own limit so much that there may be no solution.
    pub normal: Option<f64>,
}

/// What contacts and joints do.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    pub contacts: Vec<ContactStatus>,
    /// Of sticking contacts in space, the only tangential direction that has a row, if other rows imply the one across it; a unit vector
    /// in those that the model gives.
    pub only: Vec<Option<[f64; 2]>>,
    /// Of contacts whose gaps other rows imply, and which have friction of their own: contacts with rows, and its share of their
    /// normal forces.
    pub loads: Vec<Vec<(usize, f64)>>,
    pub joints: Vec<JointStatus>,
    /// The friction of joints that others hold.
    pub held: Vec<HeldFriction>,
}

/// Shares of loads and components of directions that differ by less are the same, found by another factorization.
const SAME: f64 = 1e-9;

/// Not derived, since shares of loads and directions have round-off.
impl PartialEq for Statuses {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &(usize, f64), b: &(usize, f64)| a.0 == b.0 && (a.1 - b.1).abs() < SAME;
        let direction = |a: &Option<[f64; 2]>, b: &Option<[f64; 2]>| match (a, b) {
            (Some([x, y]), Some([u, v])) => (x - u).abs() < SAME && (y - v).abs() < SAME,
            (None, None) => true,
            _ => false,
        };
        let loads =
            |a: &Vec<_>, b: &Vec<_>| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
        self.contacts == other.contacts
            && self.only.len() == other.only.len()
            && self
                .only
                .iter()
                .zip(&other.only)
                .all(|(a, b)| direction(a, b))
            && self.joints == other.joints
            && self.held == other.held
            && self.loads.len() == other.loads.len()
            && self
                .loads
                .iter()
                .zip(&other.loads)
                .all(|(a, b)| loads(a, b))
    }
}

/// Not derived, so that memory is used again where statuses are copied at every event.
impl Clone for Statuses {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Self {
            contacts,
            only,
            loads,
            joints,
            held,
        } = other;
        self.contacts.clone_from(contacts);
        self.only.clone_from(only);
        self.loads.clone_from(loads);
        self.joints.clone_from(joints);
        self.held.clone_from(held);
    }
}

impl Statuses {
    /// Contacts open, joints without friction.
    pub fn none(contacts: usize, joints: usize) -> Self {
        let mut statuses = Self::default();
        statuses.open(contacts, joints);
        statuses
    }

    /// The same in the memory of others.
    pub fn open(&mut self, contacts: usize, joints: usize) {
        self.contacts.clear();
        self.contacts.resize(contacts, ContactStatus::Open);
        self.only.clear();
        self.only.resize(contacts, None);
        self.loads.iter_mut().for_each(Vec::clear);
        self.loads.resize(contacts, Vec::new());
        self.joints.clear();
        self.joints.resize(joints, JointStatus::Free);
        self.held.clear();
        self.held.resize(joints, HeldFriction::default());
    }

    /// Whether the gap of a contact is a position row.
    pub fn has_row(&self, contact: usize) -> bool {
        self.contacts[contact].has_normal_force() && self.loads[contact].is_empty()
    }

    /// The friction of a joint without a row, if there is any.
    fn slide_of_joint(&self, joint: usize) -> Option<JointSlide> {
        let HeldFriction { share, normal } = self.held[joint];
        let (factor, held) = match self.joints[joint] {
            JointStatus::StickingRedundantly if share != 0.0 => (-share, normal),
            status => (status.sliding()?, None),
        };
        Some(JointSlide {
            joint,
            factor,
            held,
        })
    }

    /// As discrete modes.
    pub fn modes(&self) -> impl Iterator<Item = i32> + '_ {
        let contacts = self.contacts.iter().map(|status| status.mode());
        contacts.chain(self.joints.iter().map(|status| status.mode()))
    }
}

impl Structure {
    /// Whether any contact or joint has a row here.
    pub fn has_own_rows(&self) -> bool {
        !self.normals.is_empty() || !self.sticks.is_empty() || !self.joint_sticks.is_empty()
    }

    /// Whether contacts or joints have algebraic variables here.
    pub fn has_own_variables(&self) -> bool {
        !self.pressed.is_empty() || !self.joint_slides.is_empty()
    }

    /// Whether friction does work.
    pub fn rubs(&self) -> bool {
        let mut pressed = self.pressed.iter();
        pressed.any(|pressed| pressed.sliding.is_some()) || !self.joint_slides.is_empty()
    }

    /// The variable of the normal force of a contact, counted from the first one of contacts.
    pub fn variable_of(&self, contact: usize) -> Option<usize> {
        let mut pressed = self.pressed.iter();
        pressed.position(|pressed| pressed.contact == contact)
    }

    /// The normal force of a contact by these multipliers, if it has one of its own.
    pub fn normal_force(&self, contact: usize, lambda: &[f64]) -> Option<f64> {
        let mut normals = self.normals.iter();
        if let Some(index) = normals.position(|&other| other == contact) {
            let row = self.first_normal() + index;
            return Some(lambda.get(row).copied().unwrap_or(0.0));
        }
        let variable = self.variable_of(contact)?;
        Some(self.pressed[variable].force(lambda))
    }

    /// The rows of the sliding velocities of a sticking contact.
    pub fn rows_of_stick(&self, contact: usize) -> Option<Range<usize>> {
        self.stick_of(contact).map(|stick| stick.rows.clone())
    }

    /// How a sticking contact is held by rows.
    pub fn stick_of(&self, contact: usize) -> Option<&Stick> {
        self.sticks.iter().find(|stick| stick.contact == contact)
    }

    /// The row of the first closed contact: behind the position rows of the wrapped system.
    pub fn first_normal(&self) -> usize {
        self.layout.position_rows - self.normals.len()
    }

    /// The first row of a sticking joint.
    pub fn first_joint_stick(&self) -> usize {
        self.layout.rows() - self.joint_sticks.len()
    }

    /// The row of a joint that sticks by its own friction.
    pub fn row_of_joint(&self, joint: usize) -> Option<usize> {
        let index = self.joint_sticks.iter().position(|&other| other == joint);
        index.map(|index| self.first_joint_stick() + index)
    }

    pub fn new(
        inner: &Layout,
        contacts: &[Contact],
        joints: &[FrictionJoint],
        statuses: &Statuses,
    ) -> Result<Self, KktError> {
        let dimension = inner.dimension();
        let all = 0..contacts.len();
        let normals: Vec<usize> = all.clone().filter(|&one| statuses.has_row(one)).collect();
        let sticking = all
            .clone()
            .filter(|&one| statuses.contacts[one] == ContactStatus::Sticking);
        let row_of = |contact: usize| {
            let index = normals.iter().position(|&other| other == contact)?;
            Some(inner.position_rows + index)
        };
        let pressed = all.filter_map(|contact| {
            let status = statuses.contacts[contact];
            let (sliding, load) = (status.sliding(), &statuses.loads[contact]);
            let pushes = status.has_normal_force() && !load.is_empty();
            let terms = match pushes {
                true => load
                    .iter()
                    .filter_map(|&(other, share)| Some((row_of(other)?, share)))
                    .collect(),
                false => vec![(row_of(contact)?, 1.0)],
            };
            (pushes || sliding.is_some()).then_some(Pressed {
                contact,
                sliding,
                pushes,
                terms,
            })
        });
        let pressed: Vec<Pressed> = pressed.collect();

        let numbered = || statuses.joints.iter().enumerate();
        let joint_sticks: Vec<usize> = numbered()
            .filter(|&(_, &status)| status == JointStatus::Sticking)
            .map(|(joint, _)| joint)
            .collect();
        let joint_slides: Vec<JointSlide> = (0..joints.len())
            .filter_map(|joint| statuses.slide_of_joint(joint))
            .collect();

        let position_rows = inner.position_rows + normals.len();
        let first_stick = position_rows + inner.velocity_rows;
        let mut next = first_stick;
        let sticks: Vec<Stick> = sticking
            .map(|contact| {
                let (first, only) = (next, statuses.only[contact]);
                next += only.map_or(contacts[contact].tangents, |_| 1);
                Stick {
                    contact,
                    rows: first..next,
                    only,
                }
            })
            .collect();
        let first_joint_stick = next;
        let own_velocity_rows = first_joint_stick - first_stick + joint_sticks.len();
        let velocity_rows = inner.velocity_rows + own_velocity_rows;
        let inner_rows: Vec<usize> = (0..inner.rows())
            .map(|row| {
                if row < inner.position_rows {
                    row
                } else {
                    row + normals.len()
                }
            })
            .collect();
        let own = inner.jacobian.iter();
        let mut entries: Vec<_> = own
            .map(|(row, column, _)| (inner_rows[row], column))
            .collect();
        let placed = normals
            .iter()
            .enumerate()
            .map(|(index, &contact)| (inner.position_rows + index, contact))
            .chain(
                sticks
                    .iter()
                    .flat_map(|stick| stick.rows.clone().map(|row| (row, stick.contact))),
            );
        let velocities: Vec<Vec<usize>> = contacts
            .iter()
            .map(|contact| contact.acts_on(dimension))
            .collect();
        let joint_velocities: Vec<Vec<usize>> = joints
            .iter()
            .map(|joint| joint.acts_on(dimension))
            .collect();
        for (row, contact) in placed {
            entries.extend(velocities[contact].iter().map(|&column| (row, column)));
        }
        for (index, &joint) in joint_sticks.iter().enumerate() {
            let row = first_joint_stick + index;
            entries.extend(joint_velocities[joint].iter().map(|&column| (row, column)));
        }
        let jacobian = Pattern::from_entries(position_rows + velocity_rows, dimension, entries)?;
        let inner_jacobian = positions(&inner.jacobian, &jacobian, |row| inner_rows[row]);

        let first_slide = inner.rate_count();
        let first_joint_slide = first_slide + pressed.len();
        let rate_count = first_joint_slide + joint_slides.len();
        let own = inner.rates.iter().map(|(row, column, _)| (row, column));
        let mut entries: Vec<_> = own.collect();
        for (index, &Pressed { contact, .. }) in pressed.iter().enumerate() {
            let column = first_slide + index;
            entries.push((column, column));
            let rows = velocities[contact].iter();
            entries.extend(rows.map(|&row| (row, column)));
            entries.extend(pairs(&velocities[contact]));
        }
        for (index, &JointSlide { joint, .. }) in joint_slides.iter().enumerate() {
            let column = first_joint_slide + index;
            entries.push((column, column));
            let velocities = &joint_velocities[joint];
            entries.extend(velocities.iter().map(|&row| (row, column)));
            // The direction of friction turns with the bodies.
            entries.extend(pairs(velocities));
        }
        let rates = Pattern::from_entries(rate_count, rate_count, entries)?;
        let inner_rates = positions(&inner.rates, &rates, |row| row);

        let row_blocks = row_blocks(inner, normals.len(), own_velocity_rows);
        let layout = Layout {
            space: inner.space.clone(),
            position_rows,
            velocity_rows,
            differential: inner.differential,
            revolution_counters: inner.revolution_counters,
            algebraic: inner.algebraic + pressed.len() + joint_slides.len(),
            modes: inner.modes + contacts.len() + joints.len(),
            mass: inner.mass.clone(),
            constant_mass: inner.constant_mass,
            // Of rows in one block nothing is known.
            regular_joints: inner.regular_joints && row_blocks.is_some(),
            jacobian,
            rates,
            // Rows of closed contacts are curved in all that they touch.
            reactions: None,
            descriptor: inner.descriptor.clone(),
            differential_index: inner.differential_index.clone(),
            blocks: Blocks {
                variables: inner.blocks.variables.clone(),
                rows: row_blocks.unwrap_or_else(|| vec![position_rows + velocity_rows]),
            },
        };
        let stiffness = layout.stiffness_pattern()?;
        let inner_stiffness = positions(&inner.stiffness_pattern()?, &stiffness, |row| row);
        let of_contact = |pattern: &Pattern, contact: usize| -> Vec<usize> {
            let pairs = pairs(&velocities[contact]);
            pairs
                .filter_map(|(row, column)| pattern.position(row, column))
                .collect()
        };
        let unrowed = pressed.iter().filter(|pressed| pressed.pushes);
        let unrowed = unrowed.map(|pressed| pressed.contact);
        let closed = normals
            .iter()
            .copied()
            .chain(unrowed)
            .map(|contact| ClosedRows {
                contact,
                gap: row_of(contact),
                stick: sticks
                    .iter()
                    .find(|stick| stick.contact == contact)
                    .cloned(),
                stiffness: of_contact(&stiffness, contact),
            });
        let pushed = pressed
            .iter()
            .map(|pressed| of_contact(&layout.rates, pressed.contact));
        let closed = closed.collect();
        Ok(Self {
            closed,
            pushed: pushed.collect(),
            layout,
            inner_algebraic: inner.algebraic,
            inner_modes: inner.modes,
            normals,
            sticks,
            pressed,
            joint_sticks,
            joint_slides,
            inner_rows,
            inner_jacobian,
            inner_rates,
            stiffness,
            inner_stiffness,
            velocities,
            joint_velocities,
        })
    }
}

/// All pairs, row by row.
fn pairs(list: &[usize]) -> impl Iterator<Item = (usize, usize)> + '_ {
    list.iter()
        .flat_map(|&row| list.iter().map(move |&column| (row, column)))
}

/// Where each entry of a pattern is in a larger one, into which its rows have moved.
fn positions(from: &Pattern, into: &Pattern, row_of: impl Fn(usize) -> usize) -> Vec<usize> {
    let moved = from
        .iter()
        .filter_map(|(row, column, _)| into.position(row_of(row), column));
    moved.collect()
}

/// Every contact row is a block of its own. `None` where blocks of joints mix position and velocity rows.
fn row_blocks(inner: &Layout, normals: usize, sticks: usize) -> Option<Vec<usize>> {
    let mut blocks = inner.blocks.rows.clone();
    let mut sum = 0;
    let split = blocks.iter().position(|&size| {
        let here = sum == inner.position_rows;
        sum += size;
        here
    });
    let split = match split {
        Some(split) => split,
        None if inner.blocks.rows.iter().sum::<usize>() == inner.position_rows => blocks.len(),
        None => return None,
    };
    blocks.splice(split..split, std::iter::repeat_n(1, normals));
    blocks.extend(std::iter::repeat_n(1, sticks));
    Some(blocks)
}
