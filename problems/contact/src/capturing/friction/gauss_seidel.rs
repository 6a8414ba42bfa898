//! Sweeps over contacts and joints, each solved exactly while the others hold still.

use super::local::Local;
use super::problem::Problem;

/// Mobility along a normal, relative to the largest, below which joints block it.
const BLOCKED: f64 = 1e-13;

/// Sweeps of the nonsmooth Gauss-Seidel iteration, to and fro by turns, until the error is at most `converged`. Returns
/// the number of sweeps and the error, or the place of a contact that closes without any mobility along its normal.
///
/// `n²` operations a sweep. Convergence is linear; redundant contacts that contradict each other slightly stall it.
///
/// Sources: M. Jean, CMAME 177 (1999), doi:10.1016/S0045-7825(98)00383-1; F. Jourdan, P. Alart, M. Jean, CMAME 155 (1998),
/// doi:10.1016/S0045-7825(97)00137-0.
pub(in crate::capturing) fn sweep(
    problem: &Problem,
    impulses: &mut [f64],
    sweeps: usize,
    converged: f64,
) -> Result<(usize, f64), usize> {
    let blocked = BLOCKED * problem.largest_mobility();
    let solve = |place: usize, row: usize, impulses: &mut [f64]| {
        let law = &problem.laws[place];
        let local = Local::of(problem, impulses, row, law);
        if local.blocked(blocked) {
            return Err(place);
        }
        impulses[row..row + law.rows()].copy_from_slice(&local.solve()[..law.rows()]);
        Ok(())
    };
    let rub = |impulses: &mut [f64]| {
        for joint in problem.joints() {
            let mobility = problem.entry(joint.row, joint.row);
            if mobility > blocked {
                let velocity = problem.velocity_of(impulses, joint.row);
                impulses[joint.row] = joint.solve(impulses, velocity, mobility);
            }
        }
    };
    let mut error = f64::INFINITY;
    // To and fro: contacts first, joints last, then backwards.
    for done in 1..=sweeps {
        if done % 2 == 1 {
            let mut row = 0;
            for (place, law) in problem.laws.iter().enumerate() {
                solve(place, row, impulses)?;
                row += law.rows();
            }
            rub(impulses);
        } else {
            rub(impulses);
            let mut row = problem.rows() - problem.joints.laws.len();
            for (place, law) in problem.laws.iter().enumerate().rev() {
                row -= law.rows();
                solve(place, row, impulses)?;
            }
        }
        error = problem.error(impulses);
        if error <= converged {
            return Ok((done, error));
        }
    }
    Ok((sweeps, error))
}
