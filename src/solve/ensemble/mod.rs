//! Many runs at a time: parameter studies, spreads of initial values, Monte Carlo.

mod cancel;
mod member;
mod ordered;

pub use cancel::Cancel;
pub use member::{IntoMember, Member, MemberError};

use super::{Options, Solution};
use crate::integrator::Integrator;
use ordered::Ordered;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Finished members that may wait for an earlier one, for each thread, where results are not kept.
const WAITING: usize = 64;

/// Solves many systems, in parallel over the cores of the machine, and returns their solutions in the order of the parameters.
///
/// `make` makes the system that belongs to a parameter, on the thread that solves it: systems need not be [`Send`]. It may return a
/// [`System`](crate::system::System), a [`Member`] with initial values or options of its own, or a [`Result`] of one of these.
/// Results are the same to the last bit for any number of threads, and as from [`solve`](super::solve()) one after the other. A
/// member that fails, or panics, has an error in its place, and the others go on.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::solve_ensemble;
///
/// // A pendulum of 1 m, let go at angles from the horizontal.
/// let angles = [0.1_f64, 0.2, 0.3, 0.4];
/// let pendulum = |&angle: &f64| {
///     liedae::model([angle.cos(), -angle.sin()], [0.0, 0.0])
///         .mass(1.0)
///         .force(|_t, _q, _v| [0.0, -9.81])
///         .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///         .build()
/// };
/// let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
/// let solutions = solve_ensemble(&angles, pendulum, method.as_ref(), &Options::adaptive(1.0, 1e-8, 1e-8));
/// for (angle, solution) in angles.iter().zip(solutions) {
///     println!("{angle} rad: {:?}", solution?.state.q);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Ensemble`] sets the number of threads, stops an ensemble half-way, observes members, and reduces results without keeping them.
pub fn solve_ensemble<P, M>(
    parameters: impl IntoIterator<Item = P, IntoIter: Send>,
    make: impl Fn(P) -> M + Sync,
    integrator: &dyn Integrator,
    options: &Options,
) -> Vec<Result<Solution, MemberError>>
where
    M: IntoMember,
{
    Ensemble::default().solve(parameters, make, integrator, options)
}

/// How the members of an ensemble are run.
///
/// Parameters are drawn from their iterator one by one, in order, each when a thread is free: the iterator may be lazy, draw random
/// numbers from one generator, or have no end. `make` and `run` are called on the threads, at the same time for different
/// members; what they do must follow from the parameter alone for results not to depend on the number of threads.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::{Ensemble, Recorder};
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
///
/// /// A pendulum of 1 m, let go at this angle from the horizontal.
/// fn pendulum(angle: f64) -> Result<impl System, liedae::system::StatementError> {
///     liedae::model([angle.cos(), -angle.sin()], [0.0, 0.0])
///         .mass(1.0)
///         .force(|_t, _q, _v| [0.0, -9.81])
///         .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///         .build()
/// }
///
/// let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
/// let options = Options::adaptive(1.0, 1e-8, 1e-8);
/// let angles = (0..100).map(|member| 0.01 * f64::from(member));
///
/// // The mean height at the end; no more than some solutions are in memory at a time.
/// let (mut sum, mut count) = (0.0, 0);
/// let ensemble = Ensemble::default().on_threads(NonZeroUsize::MIN);
/// ensemble.solve_each(angles.clone(), pendulum, method.as_ref(), &options, |_member, solution| {
///     if let Ok(solution) = solution {
///         sum += solution.state.q[1];
///         count += 1;
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(count, 100);
///
/// // The lowest of eleven points of each motion: with an observer, by a run of one's own.
/// let lowest = Ensemble::default().map(angles, |angle| {
///     let mut system = pendulum(angle).map_err(liedae::solve::MemberError::own)?;
///     let mut recorder = Recorder::equidistant(0.0, 1.0, 11);
///     solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
///     let heights = recorder.states.iter().map(|state| state.q[1]);
///     Ok(heights.fold(f64::INFINITY, f64::min))
/// });
/// assert_eq!(lowest.len(), 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Ensemble {
    threads: Option<NonZeroUsize>,
    cancel: Cancel,
}

impl Ensemble {
    /// Uses so many threads instead of as many as [`std::thread::available_parallelism`] allows, and no more than there are members.
    /// Results do not depend on it. Where the operating system gives fewer, these do the work.
    pub fn on_threads(self, threads: NonZeroUsize) -> Self {
        let threads = Some(threads);
        Self { threads, ..self }
    }

    /// Ends early when asked to: see [`Cancel`].
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        let cancel = cancel.clone();
        Self { cancel, ..self }
    }

    /// As [`solve_ensemble`]. After a cancellation the results are those of the members that had begun.
    pub fn solve<P, M>(
        &self,
        parameters: impl IntoIterator<Item = P, IntoIter: Send>,
        make: impl Fn(P) -> M + Sync,
        integrator: &dyn Integrator,
        options: &Options,
    ) -> Vec<Result<Solution, MemberError>>
    where
        M: IntoMember,
    {
        self.collect(|ordered, see| {
            let run =
                |parameter, halt: &Cancel| solve_member(make(parameter), integrator, options, halt);
            ordered.run(parameters.into_iter(), run, see);
        })
    }

    /// As [`solve_ensemble`], without keeping the solutions: `see` gets them, with the numbers of their members from 0, in order, on
    /// the calling thread, each as soon as it and all before it are there. It adds up, writes, or shows the progress. Breaking ends
    /// the ensemble: members that have begun are stopped at their next steps, and are not seen.
    pub fn solve_each<P, M>(
        &self,
        parameters: impl IntoIterator<Item = P, IntoIter: Send>,
        make: impl Fn(P) -> M + Sync,
        integrator: &dyn Integrator,
        options: &Options,
        see: impl FnMut(usize, Result<Solution, MemberError>) -> ControlFlow<()>,
    ) where
        M: IntoMember,
    {
        let run =
            |parameter, halt: &Cancel| solve_member(make(parameter), integrator, options, halt);
        self.in_order(WAITING).run(parameters.into_iter(), run, see);
    }

    /// Calls `run` for every parameter, in parallel, and returns what it returns in the order of the parameters: for members that need
    /// more than a run from a state to an end, such as observers, outputs, or several runs.
    ///
    /// [`SolveError`](super::SolveError) becomes a [`MemberError`] by `?`, other errors by [`MemberError::own`]. A cancellation ends
    /// the ensemble behind the members that have begun; a [`Cancel`] in `run` stops these, too, where it is asked.
    pub fn map<P, T: Send>(
        &self,
        parameters: impl IntoIterator<Item = P, IntoIter: Send>,
        run: impl Fn(P) -> Result<T, MemberError> + Sync,
    ) -> Vec<Result<T, MemberError>> {
        self.collect(|ordered, see| {
            ordered.run(parameters.into_iter(), |parameter, _| run(parameter), see);
        })
    }

    /// As [`map`](Self::map), without keeping the results: `see` gets them as that of [`solve_each`](Self::solve_each) does.
    pub fn map_each<P, T: Send>(
        &self,
        parameters: impl IntoIterator<Item = P, IntoIter: Send>,
        run: impl Fn(P) -> Result<T, MemberError> + Sync,
        see: impl FnMut(usize, Result<T, MemberError>) -> ControlFlow<()>,
    ) {
        let run = |parameter, _: &Cancel| run(parameter);
        self.in_order(WAITING).run(parameters.into_iter(), run, see);
    }

    /// Keeps all results.
    fn collect<T>(
        &self,
        run: impl FnOnce(Ordered, &mut dyn FnMut(usize, Result<T, MemberError>) -> ControlFlow<()>),
    ) -> Vec<Result<T, MemberError>> {
        let mut results = Vec::new();
        run(self.in_order(usize::MAX), &mut |_, result| {
            results.push(result);
            ControlFlow::Continue(())
        });
        results
    }

    fn in_order(&self, waiting: usize) -> Ordered<'_> {
        let available = std::thread::available_parallelism();
        Ordered {
            threads: self.threads.or(available.ok()).unwrap_or(NonZeroUsize::MIN),
            waiting,
            cancel: &self.cancel,
        }
    }
}

/// Solves one member.
fn solve_member(
    member: impl IntoMember,
    integrator: &dyn Integrator,
    options: &Options,
    halt: &Cancel,
) -> Result<Solution, MemberError> {
    let member = member.into_member()?;
    let mut system = member.system;
    let state = (member.state).unwrap_or_else(|| crate::system::System::initial_state(&system));
    let options = member.options.as_ref().unwrap_or(options);
    let solution = super::solve_from(&mut system, integrator, state, options, &mut halt.clone())?;
    // Nobody else looks at the run.
    match solution.reason {
        super::StopReason::Observer => Err(MemberError::Cancelled {
            t: solution.state.t,
        }),
        _ => Ok(solution),
    }
}
