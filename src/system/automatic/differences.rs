//! Derivatives of constraints and inertia by central differences: the last resort for systems that are written by hand
//! and do not provide them.

use crate::system::dynamics::deadline::is_over_for_derivatives;
use crate::system::{EvaluationError, Function as Name, Point, System};

/// Relative displacement: the cube root of the machine precision balances truncation and round-off.
const DISPLACEMENT: f64 = 6e-6;

/// A vector-valued function of a point of the system.
type Function<'a, T> = dyn FnMut(&mut T, &Point, &mut [f64]) -> Result<(), EvaluationError> + 'a;

/// Writes the derivatives of `function` by q, in local coordinates, into `visit(row, column, value)`.
fn by_position<T: System + ?Sized>(
    system: &mut T,
    at: &Point,
    length: usize,
    function: &mut Function<T>,
    visit: &mut dyn FnMut(usize, usize, f64),
) -> Result<(), EvaluationError> {
    let space = system.layout().space.clone();
    let mut displacement = vec![0.0; space.dimension()];
    let mut q = at.q.to_vec();
    let mut ends = [vec![0.0; length], vec![0.0; length]];
    let size = at.q.iter().fold(1.0_f64, |max, value| max.max(value.abs()));
    let step = DISPLACEMENT * size;
    for column in 0..space.dimension() {
        if is_over_for_derivatives() {
            break;
        }
        for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            displacement[column] = sign * step;
            space.retract(at.q, &displacement, &mut q);
            function(system, &Point { q: &q, ..*at }, end)?;
        }
        displacement[column] = 0.0;
        for (row, (ahead, behind)) in ends[0].iter().zip(&ends[1]).enumerate() {
            visit(row, column, (ahead - behind) / (2.0 * step));
        }
    }
    Ok(())
}

pub(in crate::system) fn geometric_stiffness<T: System + ?Sized>(
    system: &mut T,
    at: &Point,
    acceleration: &[f64],
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let layout = system.layout();
    let (mass, jacobian) = (layout.mass.clone(), layout.jacobian.clone());
    let pattern = layout
        .stiffness_pattern()
        .map_err(|error| EvaluationError::Failed {
            function: Name::GeometricStiffness,
            t: at.t,
            reason: error.to_string(),
        })?;
    let mut values = vec![0.0; mass.nnz().max(jacobian.nnz())];
    let mut forces = |system: &mut T, at: &Point, forces: &mut [f64]| {
        let masses = &mut values[..mass.nnz()];
        system.mass_matrix(at, masses)?;
        mass.multiply(masses, acceleration, forces);
        let rows = &mut values[..jacobian.nnz()];
        system.constraint_jacobian(at, rows)?;
        jacobian.multiply_transpose_add(rows, -1.0, at.lambda, forces);
        Ok(())
    };
    out.fill(0.0);
    by_position(
        system,
        at,
        acceleration.len(),
        &mut forces,
        &mut |row, column, value| {
            if let Some(position) = pattern.position(row, column) {
                out[position] = value;
            }
        },
    )
}

pub(in crate::system) fn velocity_constraint_jacobian<T: System + ?Sized>(
    system: &mut T,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let pattern = system.layout().jacobian.clone();
    out.fill(0.0);
    let mut rows =
        |system: &mut T, at: &Point, out: &mut [f64]| system.velocity_constraint(at, out);
    by_position(
        system,
        at,
        pattern.rows(),
        &mut rows,
        &mut |row, column, value| {
            if let Some(position) = pattern.position(row, column) {
                out[position] = value;
            }
        },
    )
}

pub(in crate::system) fn acceleration_constraint_jacobian<T: System + ?Sized>(
    system: &mut T,
    at: &Point,
    acceleration: &[f64],
    out: &mut [f64],
    by_velocity: &mut [f64],
) -> Result<(), EvaluationError> {
    let pattern = system.layout().jacobian.clone();
    let mut values = vec![0.0; pattern.nnz()];
    let mut level = |system: &mut T, at: &Point, out: &mut [f64]| {
        system.acceleration_bias(at, out)?;
        system.constraint_jacobian(at, &mut values)?;
        pattern.multiply_add(&values, 1.0, acceleration, out);
        Ok(())
    };
    out.fill(0.0);
    by_position(
        system,
        at,
        pattern.rows(),
        &mut level,
        &mut |row, column, value| {
            if let Some(position) = pattern.position(row, column) {
                out[position] = value;
            }
        },
    )?;

    by_velocity.fill(0.0);
    let mut v = at.v.to_vec();
    let mut ends = [vec![0.0; pattern.rows()], vec![0.0; pattern.rows()]];
    let size = at.v.iter().fold(1.0_f64, |max, value| max.max(value.abs()));
    // The bias is quadratic in v, so that central differences have no truncation error.
    let step = 1e-3 * size;
    for column in 0..v.len() {
        if is_over_for_derivatives() {
            break;
        }
        for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
            v[column] = at.v[column] + sign * step;
            system.acceleration_bias(&Point { v: &v, ..*at }, end)?;
        }
        v[column] = at.v[column];
        for (row, (ahead, behind)) in ends[0].iter().zip(&ends[1]).enumerate() {
            if let Some(position) = pattern.position(row, column) {
                by_velocity[position] = (ahead - behind) / (2.0 * step);
            }
        }
    }
    Ok(())
}
