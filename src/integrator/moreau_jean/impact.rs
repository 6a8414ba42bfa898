//! Impulses of simultaneous contacts: a linear complementarity problem, or cones of friction.

use super::friction::{Local, cone_distance};
use crate::complementarity::{LcpError, LcpSolver, RowKind};
use thiserror::Error;

/// The law of one contact in an [`ImpactSolver`]: its rows are the normal one, then its tangents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ImpactLaw {
    /// Smallest normal velocity after the impact, ℓ; -e g_N'⁻ for Newton's law with an approach velocity g_N'⁻ < 0.
    pub least_velocity: f64,
    /// Coefficient μ of Coulomb friction.
    pub friction: f64,
    /// Number of sliding directions: 0, 1 or 2.
    pub tangents: usize,
}

impl ImpactLaw {
    /// Rows of the contact: 1 + tangents.
    pub fn rows(&self) -> usize {
        1 + self.tangents
    }
}

/// Impulses that satisfy the laws could not be found.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ImpactError {
    /// Lengths that do not belong together.
    #[error("{what}: expected {expected} numbers, found {found}")]
    Dimension {
        /// The offending argument.
        what: &'static str,
        /// What the laws need.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// The linear complementarity problem of contacts without friction.
    #[error("impulses of the contacts: {0}")]
    Complementarity(#[from] LcpError),
    /// No impulse moves the bodies along the normal of a contact that closes: joints block it.
    #[error(
        "the contact in place {place} of the problem closes, and no impulse at it can open it: joints block its normal"
    )]
    Blocked {
        /// The contact, counted among those of the problem.
        place: usize,
    },
    /// The Gauss-Seidel iteration over contacts with friction did not converge: their laws may contradict each other
    /// (Painlevé's paradox), or be nearly redundant.
    #[error(
        "impulses with friction did not converge: after {sweeps} sweeps their relative error is {error:e}"
    )]
    NotConverged {
        /// Sweeps over all contacts.
        sweeps: usize,
        /// Error of the natural map relative to the largest impulse.
        error: f64,
    },
}

/// Sweeps end when the error of the natural map is below this, relative to the largest impulse.
const CONVERGED: f64 = 1e-9;

/// Sweeps of the first attempt, which is enough for contacts that are not redundant.
const FEW_SWEEPS: usize = 100;

/// What ends an iteration that does not converge.
const SWEEPS: usize = 20_000;

/// Turns of normal and tangential impulses.
const TURNS: usize = 300;

/// Sweeps over the tangential impulses in a turn.
const SWEEPS_PER_TURN: usize = 10;

/// Mobility along a normal, relative to the largest, below which joints block it.
const BLOCKED: f64 = 1e-13;

/// Impulses P and velocities U of contacts that act at the same moment.
///
/// ```text
/// U = W P + u,     W = H M⁻¹ Hᵀ the Delassus matrix, u the velocities without impulses
/// 0 <= U_N - ℓ ⟂ P_N >= 0
/// |P_T| <= μ P_N,   |U_T| > 0  ⇒  P_T = -μ P_N U_T / |U_T|
/// ```
///
/// Without friction it is a linear complementarity problem for [`LcpSolver`]: redundant contacts share their load with
/// least norm, and contradictions are proved. With friction at one contact at least, contacts are solved one by one,
/// exactly, in sweeps (nonsmooth Gauss-Seidel), until the natural map P - proj(P - ρ (U_N - ℓ + μ |U_T|, U_T)) on the
/// cones of friction (De Saxcé's form of the law) is zero to 1e-9 of the largest impulse. Redundant contacts with
/// slightly contradictory velocities stall these sweeps; after 100 of them normal impulses are solved for all at once,
/// as without friction, in turns with sweeps over tangential impulses (Panagiotopoulos 1975, doi:10.1007/BF00534623).
/// Where that fails, too (strong coupling of friction and normal motion), the sweeps go on, 20 000 at most. Without
/// uniqueness, as for redundant contacts, the impulses depend on the first guess; so may velocities where friction is
/// large enough for more than one solution. Convergence is linear, slower for many redundant contacts and large
/// friction. Cost: n³ for n normal rows, or n² per sweep.
///
/// Sources: V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, chs. 3 and 13,
/// doi:10.1007/978-3-540-75392-6; M. Jean, The non-smooth contact dynamics method, CMAME 177 (1999),
/// doi:10.1016/S0045-7825(98)00383-1.
#[derive(Default)]
pub struct ImpactSolver {
    lcp: LcpSolver,
    kinds: Vec<RowKind>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    sweeps: usize,
}

impl ImpactSolver {
    /// Solves for the impulses; `delassus` is n x n, row by row, `velocity` and `impulses` have n entries, n being the
    /// sum of the laws' [`rows`](ImpactLaw::rows). `impulses` holds a first guess. Allocates only if the problem is
    /// larger than all before.
    ///
    /// # Errors [`ImpactError`]; the impulses are then the last iterate.
    pub fn solve(
        &mut self,
        laws: &[ImpactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> Result<(), ImpactError> {
        let n = laws.iter().map(ImpactLaw::rows).sum();
        for (what, expected, found) in [
            ("the Delassus matrix", n * n, delassus.len()),
            ("the velocities", n, velocity.len()),
            ("the impulses", n, impulses.len()),
        ] {
            if expected != found {
                return Err(ImpactError::Dimension {
                    what,
                    expected,
                    found,
                });
            }
        }
        if laws.iter().all(|law| law.friction == 0.0) {
            impulses.fill(0.0);
            self.normal_impulses(laws, delassus, velocity, impulses)?;
            Ok(())
        } else {
            self.with_friction(laws, delassus, velocity, impulses)
        }
    }

    /// Sweeps of the Gauss-Seidel iteration so far.
    pub fn sweeps(&self) -> usize {
        self.sweeps
    }

    /// The solver of linear complementarity problems, which has nothing to remember between problems.
    pub(super) fn lcp(&mut self) -> &mut LcpSolver {
        &mut self.lcp
    }

    /// Normal impulses by a linear complementarity problem, the tangential ones being given.
    fn normal_impulses(
        &mut self,
        laws: &[ImpactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> Result<(), LcpError> {
        let n = velocity.len();
        for (row, _) in normals(laws) {
            impulses[row] = 0.0;
        }
        self.matrix.clear();
        self.vector.clear();
        for (row, law) in normals(laws) {
            let entries = normals(laws).map(|(column, _)| delassus[row * n + column]);
            self.matrix.extend(entries);
            let free = velocity_of(delassus, velocity, impulses, row);
            self.vector.push(free - law.least_velocity);
        }
        self.kinds.clear();
        self.kinds.resize(laws.len(), RowKind::Unilateral);
        let solution = self.lcp.solve(&self.matrix, &self.vector, &self.kinds)?;
        for ((row, _), impulse) in normals(laws).zip(&solution.z) {
            impulses[row] = *impulse;
        }
        Ok(())
    }

    fn with_friction(
        &mut self,
        laws: &[ImpactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> Result<(), ImpactError> {
        if self.gauss_seidel(laws, delassus, velocity, impulses, FEW_SWEEPS)? <= CONVERGED
            || self.alternate(laws, delassus, velocity, impulses)
        {
            return Ok(());
        }
        let error = self.gauss_seidel(laws, delassus, velocity, impulses, SWEEPS)?;
        if error <= CONVERGED {
            return Ok(());
        }
        let sweeps = SWEEPS;
        Err(ImpactError::NotConverged { sweeps, error })
    }

    /// Sweeps until the natural map is zero; returns its error.
    fn gauss_seidel(
        &mut self,
        laws: &[ImpactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
        sweeps: usize,
    ) -> Result<f64, ImpactError> {
        let n = velocity.len();
        let largest = normals(laws)
            .map(|(row, _)| delassus[row * n + row])
            .fold(0.0, f64::max);
        let mut error = f64::INFINITY;
        for _ in 0..sweeps {
            self.sweeps += 1;
            for (place, (row, law)) in normals(laws).enumerate() {
                let local = Local::of(delassus, velocity, impulses, row, law);
                if local.blocked(BLOCKED * largest) {
                    return Err(ImpactError::Blocked { place });
                }
                let solved = local.solve();
                impulses[row..row + law.rows()].copy_from_slice(&solved[..law.rows()]);
            }
            error = natural_map(laws, delassus, velocity, impulses);
            if error <= CONVERGED {
                break;
            }
        }
        Ok(error)
    }

    /// Normal impulses of all contacts at once, then sweeps over the tangential ones, in turns; says whether the natural
    /// map became zero.
    fn alternate(
        &mut self,
        laws: &[ImpactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> bool {
        for _ in 0..TURNS {
            if (self.normal_impulses(laws, delassus, velocity, impulses)).is_err() {
                return false;
            }
            for _ in 0..SWEEPS_PER_TURN {
                self.sweeps += 1;
                for (row, law) in normals(laws) {
                    let local = Local::of(delassus, velocity, impulses, row, law);
                    let tangential = local.slide(impulses[row]);
                    impulses[row + 1..row + law.rows()]
                        .copy_from_slice(&tangential[..law.tangents]);
                }
            }
            if natural_map(laws, delassus, velocity, impulses) <= CONVERGED {
                return true;
            }
        }
        false
    }
}

/// The first row of each contact.
fn normals(laws: &[ImpactLaw]) -> impl Iterator<Item = (usize, &ImpactLaw)> {
    laws.iter().scan(0, |next, law| {
        let row = *next;
        *next += law.rows();
        Some((row, law))
    })
}

/// (W P + u) in one row.
pub(super) fn velocity_of(delassus: &[f64], velocity: &[f64], impulses: &[f64], row: usize) -> f64 {
    let n = velocity.len();
    let entries = delassus[row * n..(row + 1) * n].iter();
    velocity[row] + entries.zip(impulses).map(|(w, p)| w * p).sum::<f64>()
}

/// The error of the natural map, relative to the largest impulse; infinite if anything is not finite.
fn natural_map(laws: &[ImpactLaw], delassus: &[f64], velocity: &[f64], impulses: &[f64]) -> f64 {
    let n = velocity.len();
    let (mut error, mut size) = (0.0_f64, 0.0_f64);
    for (row, law) in normals(laws) {
        let mut impulse = [0.0; 3];
        let mut moved = [0.0; 3];
        let mut mobility = 0.0;
        for index in 0..law.rows() {
            impulse[index] = impulses[row + index];
            moved[index] = velocity_of(delassus, velocity, impulses, row + index);
            mobility += delassus[(row + index) * n + row + index];
        }
        moved[0] += law.friction * moved[1].hypot(moved[2]) - law.least_velocity;
        // A contact that cannot move has been refused unless it opens; its impulse is zero.
        if mobility > 0.0 {
            let scale = law.rows() as f64 / mobility;
            let distance = cone_distance(&impulse, &moved.map(|u| scale * u), law.friction);
            if !distance.is_finite() {
                return f64::INFINITY;
            }
            error = error.max(distance);
            size = size.max(impulse[0].abs());
        }
    }
    if error == 0.0 { 0.0 } else { error / size }
}
