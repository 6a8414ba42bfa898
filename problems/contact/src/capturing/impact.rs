//! Impulses of simultaneous contacts, and of friction in joints: a linear complementarity problem, or cones of friction.

use super::friction::{Goal, InteriorPoint, JointLaw, Joints, Newton, Problem, gauss_seidel};
use super::law::ContactLaw;
use crate::complementarity::{LcpError, LcpSolver, RowKind};
use liedae::integrator::StepError;
use liedae::system::{EvaluationError, Short};
use thiserror::Error;

/// A step whose impulses could not be found.
///
/// ```
/// use liedae::integrator::StepError;
/// use liedae::prelude::*;
/// use liedae::solve::SolveErrorKind;
/// use liedae::system::{DynamicsError, EvaluationError};
/// use liedae_contact::capturing::{MoreauJean, UnsolvedImpact};
/// use liedae_contact::{Contact, ContactModel, with_contacts};
///
/// /// A mass that a joint holds in front of a wall, which comes nearer with 1 m/s.
/// struct Squeezed;
/// impl Model for Squeezed {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![0.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
/// #     fn needs_layer(&self) -> bool { true }
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) { g[0] = at.q[0]; }
/// }
///
/// impl ContactModel for Squeezed {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("press", 0.0)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] + 0.1 - at.t }
/// }
///
/// let options = Options::fixed(1.0, 0.01);
/// let Err(error) = solve(&mut with_contacts(Squeezed), &MoreauJean::default(), &options) else {
///     panic!("nothing gives way")
/// };
/// let SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(EvaluationError::Foreign(own)))) = &error.kind else {
///     panic!("{error}")
/// };
/// let UnsolvedImpact { t, .. } = own.downcast_ref().ok_or("an impact")?;
/// // The wall has 0.1 m to go.
/// assert!((t - 0.1).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error("at t = {}: {source}", Short(*t))]
pub struct UnsolvedImpact {
    /// Time in s.
    pub t: f64,
    /// What the solver found.
    pub source: ImpactError,
}

impl From<UnsolvedImpact> for StepError {
    fn from(error: UnsolvedImpact) -> Self {
        // A smaller step may have a solution: its contacts lie elsewhere.
        Self::Dynamics(EvaluationError::own(error).into())
    }
}

/// Impulses that satisfy the laws could not be found.
///
/// ```
/// use liedae_contact::capturing::{ContactLaw, ImpactError, ImpactSolver};
///
/// // A contact closes with 2 m/s, and what it could move is held by joints: its mobility is zero.
/// let law = ContactLaw { friction: 0.2, tangents: 1, ..ContactLaw::default() };
/// let (delassus, velocity) = ([0.0, 0.0, 0.0, 1.0], [-2.0, 0.0]);
/// let mut impulses = [0.0; 2];
/// let found = ImpactSolver::default().solve(&[law], &delassus, &velocity, &mut impulses);
/// assert_eq!(found, Err(ImpactError::Blocked { place: 0 }));
/// ```
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
    /// An argument with a number that is not finite.
    #[error("{what} must be finite")]
    NonFinite {
        /// The offending argument.
        what: &'static str,
    },
    /// A law that makes no sense.
    #[error(
        "the contact in place {place} of the problem: its least velocity must be finite, its friction a number of at least 0, its sliding directions at most 2"
    )]
    Law {
        /// The contact, counted among those of the problem.
        place: usize,
    },
    /// A law of a joint that makes no sense.
    #[error(
        "joint {joint} of the problem: its friction must be a number of at least 0, its reversal finite"
    )]
    Joint {
        /// The joint, counted among those of the problem.
        joint: usize,
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
    /// No method found impulses that satisfy all laws: they may contradict each other, because no motion opens all
    /// contacts, or be too nearly redundant.
    #[error(
        "no impulses satisfy all laws of contact and friction: the smallest relative error found is {error:e}"
    )]
    NotConverged {
        /// Error of the natural map relative to the impulses.
        error: f64,
    },
}

/// Errors of the natural map at which impulses are accepted, and that are aimed at: contacts at rest creep, and light ones
/// beside heavy ones rattle, by them.
const GOAL: Goal = Goal {
    wanted: 1e-12,
    accepted: 1e-9,
};

/// Error at which the best impulses are accepted after all methods. Where redundant contacts rattle, every way may end at some
/// 1e-7: stacks of boxes on four corners each do, once in thousands of steps.
const LAST_ACCEPTED: f64 = 1e-6;

/// Sweeps before all contacts are solved for at once.
const FEW_SWEEPS: usize = 5;

/// Sweeps before giving up.
const SWEEPS: usize = 2_000;

/// Steps in which the friction of joints grows from zero.
const SHARES: u32 = 20;

/// What an [`ImpactSolver`] has done so far for contacts with friction.
///
/// ```
/// use liedae_contact::capturing::{ContactLaw, ImpactSolver, ImpactStatistics};
///
/// // Without friction an impact is a complementarity problem: what is counted here is the work for friction.
/// let mut solver = ImpactSolver::default();
/// solver.solve(&[ContactLaw::default()], &[1.0], &[-2.0], &mut [0.0])?;
/// assert_eq!(solver.statistics(), ImpactStatistics::default());
/// let rough = ContactLaw { friction: 0.2, tangents: 1, ..ContactLaw::default() };
/// solver.solve(&[rough], &[1.0, 0.0, 0.0, 1.0], &[-2.0, 3.0], &mut [0.0; 2])?;
/// assert!(solver.statistics().sweeps > 0);
/// # Ok::<(), liedae_contact::capturing::ImpactError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactStatistics {
    /// Gauss-Seidel sweeps.
    pub sweeps: usize,
    /// Newton steps.
    pub newton_steps: usize,
    /// Iterations of the interior point method.
    pub interior_point_iterations: usize,
}

/// Impulses P and velocities U of contacts, and impulses Q of joints with friction, that act at the same moment.
///
/// ```text
/// U = W P + u,     W = H M⁻¹ Hᵀ the Delassus matrix, u the velocities without impulses
/// 0 <= U_N - ℓ ⟂ P_N >= 0
/// |P_T| <= μ P_N,   |U_T| > 0  ⇒  P_T = -μ P_N U_T / |U_T|
/// Q ∈ -L/2 (Sgn(s) + Sgn(s + k)),    L = μ Σ |N|,   N = N_0 + B P       joints: see [`JointLaw`]
/// ```
///
/// Without friction it is a linear complementarity problem for [`LcpSolver`]: redundant contacts share their load with
/// least norm, and contradictions are proved. With friction at one contact at least, four steps follow each other, from
/// the cheapest to the most robust:
///
/// 1. contacts one by one, exactly, in 5 sweeps from the first guess (nonsmooth Gauss-Seidel);
/// 2. a semismooth Newton method on all contacts, which copes with redundant rows by small proximal terms, then by
///    large ones that are reduced by and by;
/// 3. an interior point method on the cones of friction, with the coupling μ |U_T| in its linear systems, and Newton's
///    method from there; Newton's method with a line search, and again with proximal terms;
/// 4. 2000 sweeps from the best impulses.
///
/// An answer of any of them is accepted if the natural map P - proj(P - ρ (U_N - ℓ + μ |U_T|, U_T)) on the cones of
/// friction (De Saxcé's form of the law) is below 1e-9 at each contact, relative to its own impulse or what the
/// impulses of all change at it, and below 1e-6 relative to the free velocities of all, in units of energy. A thousandth
/// of that is aimed at, for contacts at rest creep by it. After all methods the best impulses are accepted below 1e-6;
/// otherwise there is an error with the smallest one found. Of the random problems of `tests/suite/moreau_jean/impacts.rs`, all
/// of which have a solution, none is left unsolved; few need step 3. Without uniqueness, as for redundant contacts, the
/// impulses depend on the first guess; so may velocities where friction is large enough for more than one solution.
/// Cost: n³ for n rows in the LCP and per iteration of all but the sweeps, n² per sweep.
///
/// **With joints** the bound L of Q depends on all impulses; its derivative is in Newton's method, so that friction that
/// presses its own joint converges like the rest. Newton's method comes first, so that of several solutions the one
/// nearest to the first guess is kept. Steps 3 and 4 are others: Newton's method with a line search, and with proximal terms
/// from nothing; friction of joints that grows from zero; the cases of what every joint may do (held, sliding either way) one
/// by one, up to 10000; 2000 sweeps. Joints alone
/// always have a solution if W is positive definite: with fixed bounds Q is unique, continuous in them and bounded, and
/// Brouwer's theorem gives a fixed point. Answers
/// are accepted by the same error as those of contacts. Of the 13500 random problems of
/// `tests/suite/moreau_jean/joint_impulses.rs` with up to 4 joints that press each other and 4 contacts, and of 700 with up
/// to 12 joints, none is left unsolved; few need the cases.
///
/// Sources: V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, chs. 3 and 13,
/// doi:10.1007/978-3-540-75392-6; V. Acary, M. Brémond, O. Huber, On solving contact problems with Coulomb friction,
/// 2018, doi:10.1007/978-3-319-75972-2_10, which compares methods; bilateral constraints with friction: F. Pfeiffer, C.
/// Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 8, doi:10.1002/9783527618385.
///
/// ```
/// use liedae_contact::capturing::{ContactLaw, ImpactSolver};
///
/// // Three equal balls of 1 kg in touch; the first arrives with 1 m/s, and e = 1.
/// let laws = [1.0, 0.0].map(|least_velocity| ContactLaw { least_velocity, ..ContactLaw::default() });
/// let mut impulses = [0.0; 2];
/// ImpactSolver::default().solve(&laws, &[2.0, -1.0, -1.0, 2.0], &[-1.0, 0.0], &mut impulses)?;
/// let [first, second] = impulses;
/// // They leave with -1/3, 2/3 and 2/3 m/s.
/// for (velocity, expected) in [(1.0 - first, -1.0), (first - second, 2.0), (second, 2.0)] {
///     assert!((3.0 * velocity - expected).abs() < 1e-12);
/// }
/// # Ok::<(), liedae_contact::capturing::ImpactError>(())
/// ```
#[derive(Default)]
pub struct ImpactSolver {
    lcp: LcpSolver,
    kinds: Vec<RowKind>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    newton: Newton,
    interior_point: InteriorPoint,
    best: Vec<f64>,
    /// Their error.
    least: f64,
    sweeps: usize,
}

impl ImpactSolver {
    /// Memory for problems of so many contacts and rows with friction.
    pub(super) fn reserve(&mut self, contacts: usize, rows: usize) {
        self.newton.reserve(contacts, rows);
        self.interior_point.reserve(contacts, rows);
        self.best.reserve(rows);
    }

    /// Solves for the impulses without joints that rub; `delassus` is n x n, row by row, `velocity` and `impulses` have
    /// n entries, n being the sum of the laws' [`rows`](ContactLaw::rows). `impulses` holds a first guess. Allocates
    /// only if the problem is larger than all before.
    ///
    /// # Errors [`ImpactError`]; the impulses are then of no use.
    pub fn solve(
        &mut self,
        laws: &[ContactLaw],
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> Result<(), ImpactError> {
        self.solve_with_joints(laws, Joints::default(), delassus, velocity, impulses)
    }

    /// As [`solve`](Self::solve), with joints whose rows, one each, follow those of the contacts.
    ///
    /// # Errors [`ImpactError`]; the impulses are then of no use.
    pub fn solve_with_joints(
        &mut self,
        laws: &[ContactLaw],
        joints: Joints,
        delassus: &[f64],
        velocity: &[f64],
        impulses: &mut [f64],
    ) -> Result<(), ImpactError> {
        if let Some(place) = laws.iter().position(|law| !law.is_usable()) {
            return Err(ImpactError::Law { place });
        }
        if let Some(joint) = joints.laws.iter().position(|law| !law.is_usable()) {
            return Err(ImpactError::Joint { joint });
        }
        let n = laws.iter().map(ContactLaw::rows).sum::<usize>() + joints.laws.len();
        let components: usize = joints.laws.iter().map(JointLaw::components).sum();
        for (what, expected, found) in [
            (
                "the normal impulses of joints",
                components * (n + 1),
                joints.normals.len(),
            ),
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
        for (what, values) in [
            ("the normal impulses of joints", joints.normals),
            ("the Delassus matrix", delassus),
            ("the velocities", velocity),
            ("the impulses", &*impulses),
        ] {
            if !values.iter().all(|value| value.is_finite()) {
                return Err(ImpactError::NonFinite { what });
            }
        }
        let problem = Problem {
            laws,
            joints,
            share: 1.0,
            delassus,
            velocity,
        };
        if joints.laws.is_empty() && laws.iter().all(|law| law.friction == 0.0) {
            impulses.fill(0.0);
            self.normal_impulses(&problem, impulses)?;
            Ok(())
        } else {
            self.with_friction(&problem, impulses)
        }
    }

    /// What it has done so far.
    pub fn statistics(&self) -> ImpactStatistics {
        ImpactStatistics {
            sweeps: self.sweeps,
            newton_steps: self.newton.steps,
            interior_point_iterations: self.interior_point.iterations,
        }
    }

    /// The solver of linear complementarity problems, which has nothing to remember between problems.
    pub(super) fn lcp(&mut self) -> &mut LcpSolver {
        &mut self.lcp
    }

    /// Normal impulses of contacts without friction by a linear complementarity problem.
    fn normal_impulses(&mut self, problem: &Problem, impulses: &mut [f64]) -> Result<(), LcpError> {
        self.matrix.clear();
        self.vector.clear();
        // W_NN z + (u_N - ℓ) ⟂ z.
        for (row, law) in problem.contacts() {
            let entries = problem
                .contacts()
                .map(|(column, _)| problem.entry(row, column));
            self.matrix.extend(entries);
            self.vector.push(problem.velocity[row] - law.least_velocity);
        }
        self.kinds.clear();
        self.kinds.resize(problem.laws.len(), RowKind::Unilateral);
        let solution = self.lcp.solve(&self.matrix, &self.vector, &self.kinds)?;
        for ((row, _), impulse) in problem.contacts().zip(&solution.z) {
            impulses[row] = *impulse;
        }
        Ok(())
    }

    /// From the cheapest method to the most robust one; each answer is measured by the natural map.
    fn with_friction(
        &mut self,
        problem: &Problem,
        impulses: &mut [f64],
    ) -> Result<(), ImpactError> {
        // Nobody closes: no impulse, whatever friction there is.
        let opens = |(row, law): (usize, &ContactLaw)| problem.velocity[row] >= law.least_velocity;
        if problem.joints.laws.is_empty() && problem.contacts().all(opens) {
            impulses.fill(0.0);
            return Ok(());
        }
        // The first guess may be the best that there is.
        self.best.clear();
        self.best.extend_from_slice(impulses);
        self.least = problem.error(impulses);
        self.search(problem, impulses)?;
        impulses.copy_from_slice(&self.best);
        if self.least <= LAST_ACCEPTED {
            Ok(())
        } else {
            Err(ImpactError::NotConverged { error: self.least })
        }
    }

    /// Until impulses are accepted, or nothing is left to try.
    fn search(&mut self, problem: &Problem, impulses: &mut [f64]) -> Result<(), ImpactError> {
        // Where there are several solutions, sweeps might leave the one of the last iteration.
        let joints = !problem.joints.laws.is_empty();
        // Newton first: of several solutions it keeps the one nearest to the guess.
        if joints && self.least > GOAL.wanted && self.newton(Newton::solve, problem, impulses) {
            return Ok(());
        }
        // The impulses of the last iteration or of the last step may do already.
        if self.least > GOAL.accepted {
            self.sweep(problem, impulses, FEW_SWEEPS, GOAL.wanted)?;
        }
        if self.least <= GOAL.wanted || self.newton(Newton::solve, problem, impulses) {
            return Ok(());
        }
        impulses.copy_from_slice(&self.best);
        let found = self.newton(Newton::approach, problem, impulses);
        if joints {
            return self.search_with_joints(problem, impulses, found);
        }
        if found {
            return Ok(());
        }
        // The middle of the cones as a start of its own, polished by Newton's method.
        self.interior_point.load(problem);
        self.interior_point.solve(impulses);
        if self.newton(Newton::solve, problem, impulses) {
            return Ok(());
        }
        // From nothing: the first guess may have been the trouble.
        impulses.fill(0.0);
        if self.newton(Newton::search, problem, impulses)
            || self.newton(Newton::approach, problem, impulses)
        {
            return Ok(());
        }
        impulses.copy_from_slice(&self.best);
        self.sweep(problem, impulses, SWEEPS, GOAL.accepted)?;
        // Sweeps end in slow convergence.
        self.newton(Newton::solve, problem, impulses);
        Ok(())
    }

    /// What else there is with joints, after Newton's method with proximal terms. With more joints than cases can be gone through
    /// for, sweeps may still get there.
    fn search_with_joints(
        &mut self,
        problem: &Problem,
        impulses: &mut [f64],
        mut found: bool,
    ) -> Result<(), ImpactError> {
        for way in [Newton::search, Newton::approach] {
            if found {
                break;
            }
            impulses.fill(0.0);
            found = self.newton(way, problem, impulses);
        }
        if !found {
            impulses.fill(0.0);
            // Homotopy in the friction of the joints: impulses are carried from share to share.
            for part in 0..=SHARES {
                let share = f64::from(part) / f64::from(SHARES);
                self.newton
                    .approach(&Problem { share, ..*problem }, impulses, GOAL);
            }
            found = self.newton(Newton::solve, problem, impulses);
        }
        if !found {
            impulses.fill(0.0);
            found = self.newton(Newton::by_cases, problem, impulses);
        }
        if !found {
            impulses.copy_from_slice(&self.best);
            self.sweep(problem, impulses, SWEEPS, GOAL.accepted)?;
        }
        // Proximal terms and sweeps end in slow convergence.
        self.newton(Newton::solve, problem, impulses);
        Ok(())
    }

    fn sweep(
        &mut self,
        problem: &Problem,
        impulses: &mut [f64],
        sweeps: usize,
        wanted: f64,
    ) -> Result<(), ImpactError> {
        let (sweeps, error) = gauss_seidel::sweep(problem, impulses, sweeps, wanted)
            .map_err(|place| ImpactError::Blocked { place })?;
        self.sweeps += sweeps;
        self.keep(impulses, error);
        Ok(())
    }

    /// A way of Newton's method from these impulses; whether its answer is accepted.
    fn newton(
        &mut self,
        way: fn(&mut Newton, &Problem, &mut [f64], Goal) -> f64,
        problem: &Problem,
        impulses: &mut [f64],
    ) -> bool {
        let error = way(&mut self.newton, problem, impulses, GOAL);
        self.keep(impulses, error);
        self.least <= GOAL.accepted
    }

    /// Keeps the best impulses found so far.
    fn keep(&mut self, impulses: &[f64], error: f64) {
        if error < self.least {
            self.least = error;
            self.best.copy_from_slice(impulses);
        }
    }
}
