//! One member of an ensemble: its system, method and options, and its outcome.

use crate::solve::{Options, SolveError};
use crate::system::{ForeignError, Short, State, System};
use std::error::Error;

/// A system, and where its run differs from those of the others.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::{Member, solve_ensemble};
///
/// fn oscillator() -> Result<impl System, liedae::system::StatementError> {
///     liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [-x]).build()
/// }
///
/// // One system from many states.
/// let start = |&speed: &f64| {
///     let system = oscillator()?;
///     let state = State { v: vec![speed], ..system.initial_state() };
///     Ok::<_, liedae::system::StatementError>(Member::new(system).from_state(state))
/// };
/// let method = MethodRegistry::standard().build("dop853", &MethodOptions::default())?;
/// let solutions = solve_ensemble(&[0.0, 0.1], start, method.as_ref(), &Options::adaptive(1.0, 1e-9, 1e-9));
/// let ends: Vec<State> = solutions.into_iter().map(|run| run.map(|run| run.state)).collect::<Result<_, _>>()?;
/// assert!((ends[1].q[0] - ends[0].q[0] - 0.1 * 1.0_f64.sin()).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Member<S> {
    pub(super) system: S,
    pub(super) state: Option<State>,
    pub(super) options: Option<Options>,
}

impl<S: System> Member<S> {
    /// From the system's initial state, with the options of the ensemble.
    pub fn new(system: S) -> Self {
        Self {
            system,
            state: None,
            options: None,
        }
    }

    /// Starts from this state instead.
    pub fn from_state(self, state: State) -> Self {
        let state = Some(state);
        Self { state, ..self }
    }

    /// Runs with these options instead.
    pub fn with_options(self, options: Options) -> Self {
        let options = Some(options);
        Self { options, ..self }
    }
}

/// What a member of an ensemble may be made as: a [`System`], a [`Member`], or a [`Result`] of one of them, with an error of any kind.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::{IntoMember, solve_ensemble};
///
/// // A mass on springs of several stiffnesses; a statement that may fail is a member as well.
/// fn oscillator(stiffness: f64) -> impl IntoMember {
///     liedae::model([1.0], [0.0]).mass(1.0).force(move |_t, [x], _v| [x * -stiffness]).build()
/// }
/// let runs = solve_ensemble([1.0, 4.0], oscillator, &Dopri5::default(), &Options::adaptive(1.0, 1e-9, 1e-9));
/// for (run, frequency) in runs.into_iter().zip([1.0_f64, 2.0]) {
///     assert!((run?.state.q[0] - frequency.cos()).abs() < 1e-7);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait IntoMember {
    /// Its system.
    type System: System;

    /// The member, or why there is none.
    fn into_member(self) -> Result<Member<Self::System>, MemberError>;
}

impl<S: System> IntoMember for S {
    type System = S;

    fn into_member(self) -> Result<Member<S>, MemberError> {
        Ok(Member::new(self))
    }
}

impl<S: System> IntoMember for Member<S> {
    type System = S;

    fn into_member(self) -> Result<Self, MemberError> {
        Ok(self)
    }
}

impl<M: IntoMember, E: Into<Box<dyn Error + Send + Sync>>> IntoMember for Result<M, E> {
    type System = M::System;

    fn into_member(self) -> Result<Member<M::System>, MemberError> {
        match self {
            Ok(member) => member.into_member(),
            Err(error) => Err(MemberError::own(error)),
        }
    }
}

/// Why a member of an ensemble has no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MemberError {
    /// The run failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The system could not be made, or what was done with it failed.
    #[error(transparent)]
    Foreign(ForeignError),
    /// A function of the member panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// The ensemble was cancelled during the run.
    #[error("cancelled at t = {}", Short(*t))]
    Cancelled {
        /// Time reached in s.
        t: f64,
    },
}

impl MemberError {
    /// An error of another kind.
    pub fn own(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Foreign(ForeignError::from(error.into()))
    }
}
