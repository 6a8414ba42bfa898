//! The layout of a system whose closed contacts are rows.

use super::ContactStatus;
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
    /// The pattern of tangent stiffness, and where each entry of the system without contacts is in it.
    pub stiffness: Pattern,
    pub inner_stiffness: Vec<usize>,
    /// Velocities that some row of a contact acts on.
    pub velocities: Vec<usize>,
}

/// The velocities that the rows of a contact act on.
pub(super) fn acts_on(contact: &Contact, dimension: usize) -> Vec<usize> {
    let mut velocities = match &contact.velocities {
        Some(list) => list.clone(),
        None => (0..dimension).collect(),
    };
    velocities.retain(|&velocity| velocity < dimension);
    velocities.sort_unstable();
    velocities.dedup();
    velocities
}

impl Structure {
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
        let mut velocities = Vec::new();
        for (row, contact) in placed {
            let columns = acts_on(&contacts[contact], dimension);
            entries.extend(columns.iter().map(|&column| (row, column)));
            velocities.extend(columns);
        }
        velocities.sort_unstable();
        velocities.dedup();
        let jacobian = Pattern::from_entries(position_rows + velocity_rows, dimension, entries)?;
        let inner_jacobian = positions(&inner.jacobian, &jacobian, |row| inner_rows[row]);

        let first_slide = inner.rate_count();
        let rate_count = first_slide + slides.len();
        let own = inner.rates.iter().map(|(row, column, _)| (row, column));
        let mut entries: Vec<_> = own.collect();
        for (index, &(contact, ..)) in slides.iter().enumerate() {
            let column = first_slide + index;
            entries.push((column, column));
            let rows = acts_on(&contacts[contact], dimension);
            entries.extend(rows.into_iter().map(|row| (row, column)));
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
        Ok(Self {
            layout,
            normals,
            sticks,
            slides,
            inner_rows,
            inner_jacobian,
            inner_rates,
            stiffness,
            inner_stiffness,
            velocities,
        })
    }
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
