//! Derivatives of contact rows by central differences: the last resort for contacts that are written by hand and do not
//! provide them.

use crate::UnilateralConstraints;
use liedae::system::{EvaluationError, Point};

/// Relative displacement: the cube root of the machine precision balances truncation and round-off.
const DISPLACEMENT: f64 = 6e-6;

/// The bias is quadratic in v, so that central differences have no truncation error.
const CHANGE_OF_VELOCITY: f64 = 1e-3;

/// A vector-valued function of a point.
type Function<'a, T> = dyn FnMut(&mut T, &Point, &mut [f64]) -> Result<(), EvaluationError> + 'a;

fn size(values: &[f64]) -> f64 {
    values.iter().fold(1.0, |max, value| max.max(value.abs()))
}

/// The velocities that a contact acts on.
fn touched<T: UnilateralConstraints + ?Sized>(contacts: &T, contact: usize) -> Vec<usize> {
    let dimension = contacts.space().dimension();
    contacts.contacts()[contact].acts_on(dimension)
}

/// Writes the derivatives of `function`, of as many values as `out` has rows, by the configuration along `columns`.
fn by_position<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    at: &Point,
    columns: &[usize],
    function: &mut Function<T>,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let space = contacts.space().clone();
    let mut displacement = vec![0.0; space.dimension()];
    let mut q = at.q.to_vec();
    let count = out.len() / columns.len().max(1);
    let mut ends = [vec![0.0; count], vec![0.0; count]];
    let step = DISPLACEMENT * size(at.q);
    for (index, &column) in columns.iter().enumerate() {
        for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            displacement[column] = sign * step;
            space.retract(at.q, &displacement, &mut q);
            function(contacts, &Point { q: &q, ..*at }, end)?;
        }
        displacement[column] = 0.0;
        for (row, (ahead, behind)) in ends[0].iter().zip(&ends[1]).enumerate() {
            out[row * columns.len() + index] = (ahead - behind) / (2.0 * step);
        }
    }
    Ok(())
}

/// The rows G_N and, if they are asked for, G_T.
fn rows<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    contact: usize,
    at: &Point,
    count: usize,
) -> Result<Vec<f64>, EvaluationError> {
    let dimension = contacts.space().dimension();
    let tangents = contacts.contacts()[contact].tangents;
    let mut rows = vec![0.0; dimension * (1 + tangents)];
    let (gap, sliding) = rows.split_at_mut(dimension);
    contacts.gap_jacobian(contact, at, gap)?;
    if count > 1 && tangents > 0 {
        contacts.sliding_jacobian(contact, at, sliding)?;
    }
    rows.truncate(dimension * count.min(1 + tangents));
    Ok(rows)
}

pub(crate) fn force_stiffness<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    contact: usize,
    at: &Point,
    forces: &[f64],
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let columns = touched(contacts, contact);
    let dimension = contacts.space().dimension();
    let mut pushes = |contacts: &mut T, at: &Point, out: &mut [f64]| {
        let rows = rows(contacts, contact, at, forces.len())?;
        out.fill(0.0);
        for (row, force) in rows.chunks_exact(dimension.max(1)).zip(forces) {
            for (slot, &column) in out.iter_mut().zip(&columns) {
                *slot += row[column] * force;
            }
        }
        Ok(())
    };
    by_position(contacts, at, &columns, &mut pushes, out)
}

pub(crate) fn velocity_gradients<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    contact: usize,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let columns = touched(contacts, contact);
    let mut velocities = |contacts: &mut T, at: &Point, out: &mut [f64]| {
        let Some((gap, sliding)) = out.split_first_mut() else {
            return Ok(());
        };
        *gap = contacts.gap_rate(contact, at)?;
        if sliding.is_empty() {
            return Ok(());
        }
        contacts.sliding_velocity(contact, at, sliding)
    };
    by_position(contacts, at, &columns, &mut velocities, out)
}

fn biases<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    contact: usize,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let Some((gap, sliding)) = out.split_first_mut() else {
        return Ok(());
    };
    *gap = contacts.gap_bias(contact, at)?;
    if sliding.is_empty() {
        return Ok(());
    }
    contacts.sliding_bias(contact, at, sliding)
}

pub(crate) fn acceleration_gradients<T: UnilateralConstraints + ?Sized>(
    contacts: &mut T,
    contact: usize,
    at: &Point,
    acceleration: &[f64],
    out: &mut [f64],
    by_velocity: &mut [f64],
) -> Result<(), EvaluationError> {
    let columns = touched(contacts, contact);
    let dimension = contacts.space().dimension();
    let mut level = |contacts: &mut T, at: &Point, out: &mut [f64]| {
        biases(contacts, contact, at, out)?;
        let rows = rows(contacts, contact, at, out.len())?;
        for (slot, row) in out.iter_mut().zip(rows.chunks_exact(dimension.max(1))) {
            let products = row.iter().zip(acceleration).map(|(entry, a)| entry * a);
            *slot += products.sum::<f64>();
        }
        Ok(())
    };
    by_position(contacts, at, &columns, &mut level, out)?;

    let mut v = at.v.to_vec();
    let count = by_velocity.len() / columns.len().max(1);
    let mut ends = [vec![0.0; count], vec![0.0; count]];
    let step = CHANGE_OF_VELOCITY * size(at.v);
    for (index, &column) in columns.iter().enumerate() {
        for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            v[column] = at.v[column] + sign * step;
            biases(contacts, contact, &Point { v: &v, ..*at }, end)?;
        }
        v[column] = at.v[column];
        for (row, (ahead, behind)) in ends[0].iter().zip(&ends[1]).enumerate() {
            by_velocity[row * columns.len() + index] = (ahead - behind) / (2.0 * step);
        }
    }
    Ok(())
}
