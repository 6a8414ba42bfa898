//! By how much all forces of closed contacts can stay within their limits, found by trying all vertices.

use super::loaded::Loaded;
use liedae::system::{State, System};
use liedae_contact::{Contacts, with_contacts};
use nalgebra::{DMatrix, DVector};

/// Slower than this is at rest, in m/s; a smaller gap in m is closed.
const AT_REST: f64 = 1e-7;
const CLOSED: f64 = 1e-9;
/// Smaller accelerations in m/s² are none.
const UNACCELERATED: f64 = 1e-6;

/// The largest s such that forces exist which are `s` inside all limits, N - |T| / μ >= s, and move the bodies as they move
/// in `state`; at most `cap`. `state` has the variables of the wrapped system first.
pub fn margin(model: &Loaded, state: &State, cap: f64) -> f64 {
    let mut system = with_contacts(model.clone());
    let (n, rows) = (system.layout().dimension(), system.layout().rows());
    let mut own = system.layout().state();
    own.t = state.t;
    own.q.clone_from(&state.q);
    own.v.clone_from(&state.v);
    let at = own.point();
    let acceleration = DVector::from_column_slice(&state.acceleration);
    let mut mass = vec![0.0; system.layout().mass.nnz()];
    system.mass_matrix(&at, &mut mass).unwrap();
    let mut force = vec![0.0; n];
    system.rates(&at, &mut force).unwrap();
    // Mass matrices of plane mechanisms are diagonal.
    let needed = DVector::from_iterator(n, (0..n).map(|i| mass[i] * acceleration[i] - force[i]));
    let mut columns: Vec<DVector<f64>> = Vec::new();
    let pattern = system.layout().jacobian.clone();
    let mut jacobian = vec![0.0; pattern.nnz()];
    if rows > 0 {
        system.constraint_jacobian(&at, &mut jacobian).unwrap();
    }
    for row in 0..rows {
        let mut column = DVector::zeros(n);
        for (&place, value) in pattern
            .row(row)
            .iter()
            .zip(&jacobian[pattern.row_range(row)])
        {
            column[place] = *value;
        }
        columns.push(column);
    }
    // Facets: coefficients of a normal and of a tangential force.
    let mut facets: Vec<Vec<(usize, f64)>> = Vec::new();
    let contacts = system.unilateral().unwrap();
    for (contact, law) in contacts.contacts().to_vec().iter().enumerate() {
        let gap = contacts.gap(contact, &at).unwrap();
        let rate = contacts.gap_rate(contact, &at).unwrap();
        let (mut normal, mut tangent) = (DVector::zeros(n), DVector::zeros(n));
        contacts
            .gap_jacobian(contact, &at, normal.as_mut_slice())
            .unwrap();
        let opens = normal.dot(&acceleration) + contacts.gap_bias(contact, &at).unwrap();
        if gap.abs() > CLOSED || rate.abs() > AT_REST || opens > UNACCELERATED {
            continue;
        }
        let column = columns.len();
        if law.friction == 0.0 {
            columns.push(normal);
            facets.push(vec![(column, 1.0)]);
            continue;
        }
        contacts
            .sliding_jacobian(contact, &at, tangent.as_mut_slice())
            .unwrap();
        let (mut velocity, mut bias) = ([0.0], [0.0]);
        contacts
            .sliding_velocity(contact, &at, &mut velocity)
            .unwrap();
        contacts.sliding_bias(contact, &at, &mut bias).unwrap();
        let begins = tangent.dot(&acceleration) + bias[0];
        let slides = if velocity[0].abs() > AT_REST {
            velocity[0]
        } else if begins.abs() > UNACCELERATED {
            begins
        } else {
            0.0
        };
        if slides == 0.0 {
            columns.push(normal);
            columns.push(tangent);
            for sign in [1.0, -1.0] {
                facets.push(vec![(column, 1.0), (column + 1, sign / law.friction)]);
            }
        } else {
            columns.push(normal - tangent * (law.friction * slides.signum()));
            facets.push(vec![(column, 1.0)]);
        }
    }
    if facets.is_empty() {
        return cap;
    }
    largest_margin(&DMatrix::from_columns(&columns), &needed, &facets, cap)
}

/// Vertices of all splits.
fn largest_margin(
    columns: &DMatrix<f64>,
    needed: &DVector<f64>,
    facets: &[Vec<(usize, f64)>],
    cap: f64,
) -> f64 {
    let gram = columns.transpose() * columns;
    let split = gram.clone().symmetric_eigen();
    let scale = split.eigenvalues.amax();
    let (mut one, mut null) = (DVector::zeros(columns.ncols()), Vec::new());
    let right = columns.transpose() * needed;
    for (value, vector) in split
        .eigenvalues
        .iter()
        .zip(split.eigenvectors.column_iter())
    {
        if *value > 1e-11 * scale {
            one += vector * (vector.dot(&right) / value);
        } else {
            null.push(vector.into_owned());
        }
    }
    let dimension = null.len();
    let size = one.amax().max(1.0);
    let along = |facet: &[(usize, f64)], x: &DVector<f64>| -> f64 {
        facet.iter().map(|&(place, factor)| factor * x[place]).sum()
    };
    // Of every facet: its value and its slopes along the null space; -1 for s. The last one is the cap.
    let mut rows: Vec<(DVector<f64>, f64)> = Vec::new();
    for facet in facets {
        let mut row = DVector::from_element(dimension + 1, -1.0);
        for (index, vector) in null.iter().enumerate() {
            row[index] = along(facet, vector);
        }
        rows.push((row, along(facet, &one)));
    }
    let mut last = DVector::zeros(dimension + 1);
    last[dimension] = -1.0;
    rows.push((last, cap));
    let mut best = f64::NEG_INFINITY;
    let mut chosen: Vec<usize> = (0..=dimension).collect();
    loop {
        if chosen.len() > rows.len() {
            return best;
        }
        let matrix = DMatrix::from_fn(dimension + 1, dimension + 1, |i, j| rows[chosen[i]].0[j]);
        let rhs = DVector::from_fn(dimension + 1, |i, _| -rows[chosen[i]].1);
        let lu = matrix.full_piv_lu();
        let regular = lu.determinant().abs() > 1e-9;
        if let Some(x) = lu.solve(&rhs).filter(|_| regular) {
            let inside = rows
                .iter()
                .all(|(row, value)| row.dot(&x) + value > -1e-9 * size);
            if inside {
                best = best.max(x[dimension]);
            }
        }
        // The next combination.
        let Some(place) = (0..=dimension)
            .rev()
            .find(|&place| chosen[place] < rows.len() - 1 - dimension + place)
        else {
            return best;
        };
        chosen[place] += 1;
        for later in place + 1..=dimension {
            chosen[later] = chosen[later - 1] + 1;
        }
    }
}
