//! Contacts that leave: their gaps open slower than what counts as rest, and the motion along them is faster.

use crate::closed::response::Response;
use crate::event_sets::{Arrived, Fired};
use nalgebra::{DMatrix, DVector};

/// A gap that opens faster than this share of the velocity threshold opens by more than round-off.
const OPENS: f64 = 1e-3;

/// Eigenvalues of the scaled response below this are those of redundant contacts.
const REDUNDANT: f64 = 1e-13;

/// Marks contacts that may not be taken for contacts at rest, since to stop their gaps changes the motion by more than the second of two
/// velocities, the first of which counts as rest: a slider on a rail that leaves a floor by a small angle moves faster than its gap opens, and so does a ball between walls
/// that are nearly parallel. The contact that opens fastest leaves first, until the others can be kept.
///
/// The change is measured by its energy rᵀ W⁺ r, with the gap rates r and their response W, against that of bodies without joints and other
/// contacts: the square root of their ratio says how many times faster than the gap the motion is.
pub(crate) fn mark_leaving(
    arrived: &mut Arrived,
    fired: &Fired,
    [threshold, fastest_stopped]: [f64; 2],
    response: &Response,
) {
    let contacts = &mut arrived.contacts;
    contacts.iter_mut().for_each(|closed| closed.leaves = false);
    loop {
        let resting: Vec<usize> = (0..contacts.len())
            .filter(|&index| fired.rests(&contacts[index], threshold))
            .filter(|&index| response.free_diagonal[index] > 0.0)
            .collect();
        let rate = |&index: &usize| contacts[index].velocity[0];
        let fastest = (resting.iter().copied()).max_by(|a, b| rate(a).total_cmp(&rate(b)));
        let Some(fastest) = fastest.filter(|index| rate(index) > OPENS * threshold) else {
            return;
        };
        let rates: Vec<f64> = resting.iter().map(rate).collect();
        if rate(&fastest) * amplification(&resting, &rates, response) <= fastest_stopped {
            return;
        }
        contacts[fastest].leaves = true;
    }
}

/// How many times faster than gaps the motion is that is lost where their rates become zero.
fn amplification(resting: &[usize], rates: &[f64], response: &Response) -> f64 {
    let size = response.free_diagonal.len();
    let scale = |index: usize| 1.0 / response.free_diagonal[index].sqrt();
    // With 1 on the diagonal where no joint holds a body.
    let scaled = DMatrix::from_fn(resting.len(), resting.len(), |i, j| {
        let (i, j) = (resting[i], resting[j]);
        response.matrix[i * size + j] * scale(i) * scale(j)
    });
    let rates = DVector::from_iterator(
        resting.len(),
        resting.iter().zip(rates).map(|(&i, r)| r * scale(i)),
    );
    let eigen = scaled.symmetric_eigen();
    let parts = eigen.eigenvectors.tr_mul(&rates);
    let kept = eigen.eigenvalues.iter().zip(&parts);
    let kept = kept.filter(|(value, _)| **value > REDUNDANT);
    let energy: f64 = kept.map(|(value, part)| part * part / value).sum();
    (energy / rates.norm_squared()).sqrt()
}
