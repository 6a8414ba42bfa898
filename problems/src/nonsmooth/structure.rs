//! The layout of a system whose closed contacts are rows.

use super::ContactStatus;
use super::row_derivatives::Closed;
use liedae::linalg::{Blocks, KktError, Pattern};
use liedae::system::{Contact, Layout};

/// Which contacts are rows, and where everything of the system without contacts has gone.
///
/// Rows: the system's position rows, the gaps of closed contacts, the system's velocity rows, the sliding velocities of
/// sticking contacts. Algebraic variables: the system's, then the normal force of each sliding contact.
pub(super) struct Structure {
    pub layout: Layout,
    /// Contacts whose gaps are rows.
    pub normals: Vec<usize>,
    /// Contacts whose sliding velocities are rows.
    pub sticks: Vec<usize>,
    /// Sliding contacts: number, sign of the sliding velocity, row of the gap.
    pub slides: Vec<(usize, f64, usize)>,
    /// Where each row of the system without contacts is.
    pub inner_rows: Vec<usize>,
    /// Where each entry of its constraint Jacobian is.
    pub inner_jacobian: Vec<usize>,
    /// Where each entry of the derivative of its rates is.
    pub inner_rates: Vec<usize>,
    /// Where each entry of the tangent stiffness of the system without contacts is.
    pub inner_stiffness: Vec<usize>,
    /// Contacts whose gaps are rows, with all that they need for derivatives.
    pub closed: Vec<Closed>,
    /// Where the derivatives of the friction of each sliding contact by the configuration go, row by row.
    pub friction: Vec<Vec<usize>>,
    /// The velocities that the rows of each contact act on.
    pub velocities: Vec<Vec<usize>>,
}

impl Structure {
    /// Whether any contact has a row.
    pub fn has_contact_rows(&self) -> bool {
        !self.normals.is_empty() || !self.sticks.is_empty()
    }

    pub fn new(
        inner: &Layout,
        contacts: &[Contact],
        statuses: &[ContactStatus],
    ) -> Result<Self, KktError> {
        let dimension = inner.dimension();
        let with = |test: fn(ContactStatus) -> bool| {
            let numbered = statuses.iter().enumerate();
            let chosen = numbered.filter(|&(_, &status)| test(status));
            chosen.map(|(contact, _)| contact).collect::<Vec<_>>()
        };
        let normals = with(ContactStatus::has_row);
        let sticks = with(|status| status == ContactStatus::Sticking);
        let slides: Vec<_> = normals
            .iter()
            .enumerate()
            .filter_map(|(row, &contact)| {
                let sign = statuses[contact].sliding()?;
                Some((contact, sign, inner.position_rows + row))
            })
            .collect();

        let position_rows = inner.position_rows + normals.len();
        let velocity_rows = inner.velocity_rows + sticks.len();
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
        let first_stick = position_rows + inner.velocity_rows;
        let placed = normals
            .iter()
            .enumerate()
            .map(|(index, &contact)| (inner.position_rows + index, contact))
            .chain(
                sticks
                    .iter()
                    .enumerate()
                    .map(|(index, &contact)| (first_stick + index, contact)),
            );
        let velocities: Vec<Vec<usize>> = contacts
            .iter()
            .map(|contact| contact.acts_on(dimension))
            .collect();
        for (row, contact) in placed {
            entries.extend(velocities[contact].iter().map(|&column| (row, column)));
        }
        let jacobian = Pattern::from_entries(position_rows + velocity_rows, dimension, entries)?;
        let inner_jacobian = positions(&inner.jacobian, &jacobian, |row| inner_rows[row]);

        let first_slide = inner.rate_count();
        let rate_count = first_slide + slides.len();
        let own = inner.rates.iter().map(|(row, column, _)| (row, column));
        let mut entries: Vec<_> = own.collect();
        for (index, &(contact, ..)) in slides.iter().enumerate() {
            let column = first_slide + index;
            entries.push((column, column));
            let rows = velocities[contact].iter();
            entries.extend(rows.map(|&row| (row, column)));
            entries.extend(pairs(&velocities[contact]));
        }
        let rates = Pattern::from_entries(rate_count, rate_count, entries)?;
        let inner_rates = positions(&inner.rates, &rates, |row| row);

        let layout = Layout {
            space: inner.space.clone(),
            position_rows,
            velocity_rows,
            differential: inner.differential,
            algebraic: inner.algebraic + slides.len(),
            modes: inner.modes + contacts.len(),
            mass: inner.mass.clone(),
            jacobian,
            rates,
            descriptor: inner.descriptor.clone(),
            differential_index: inner.differential_index.clone(),
            blocks: Blocks {
                variables: inner.blocks.variables.clone(),
                rows: row_blocks(inner, normals.len(), sticks.len()),
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
        let closed = normals.iter().enumerate().map(|(index, &contact)| Closed {
            contact,
            gap: inner.position_rows + index,
            stick: sticks
                .iter()
                .position(|&other| other == contact)
                .map(|index| first_stick + index),
            stiffness: of_contact(&stiffness, contact),
        });
        let friction = slides
            .iter()
            .map(|&(contact, ..)| of_contact(&layout.rates, contact));
        Ok(Self {
            closed: closed.collect(),
            friction: friction.collect(),
            layout,
            normals,
            sticks,
            slides,
            inner_rows,
            inner_jacobian,
            inner_rates,
            inner_stiffness,
            velocities,
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

/// Every contact row is a block of its own; blocks that mix position and velocity rows become one.
fn row_blocks(inner: &Layout, normals: usize, sticks: usize) -> Vec<usize> {
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
        None => return vec![inner.rows() + normals + sticks],
    };
    blocks.splice(split..split, std::iter::repeat_n(1, normals));
    blocks.extend(std::iter::repeat_n(1, sticks));
    blocks
}
