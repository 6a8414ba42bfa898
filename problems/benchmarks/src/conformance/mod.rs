//! A conformance suite for integrators: does a method keep the promises of its descriptor and of the traits?
//!
//! One call checks a method; the report is a table with one line per item.
//!
//! ```
//! use liedae::integrator::Dopri5;
//! use liedae_problems::conformance;
//!
//! let report = conformance::check(&Dopri5::new())?;
//! println!("{report}");
//! report.verdict()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! In a test, `report.assert()` panics with the same message. [`Conformance`] has options: a counter of allocations, and a choice
//! of checks.
//!
//! # What is checked
//!
//! The descriptor of the method, its [`Method`](liedae::integrator::Method), decides which items apply. An item does not apply if
//! the method returns [`Unsupported`](liedae::integrator::StepError::Unsupported); a method that applies to none of the motions
//! fails.
//!
//! | check | what is done | bound |
//! |---|---|---|
//! | [`Descriptor`](Check::Descriptor) | name, source, orders, index, power of the estimate | name without spaces; source not empty; orders of q and v ≥ 1; index 1 to 3; the estimate at most one power above the order and three below |
//! | [`Order`](Check::Order) | constant steps, smaller by 3/2 and 4/3 in turn; slope of the largest errors in the second half of a motion; q, v, x and, where an order is stated, λ; on R³, SO(3) and SE(3), free, with position rows, with a velocity row | order p: at least 0.92 p - 0.3; errors below 2e-11 are round-off; those below 1e-7 that no longer fall are left out, and named |
//! | [`Tolerance`](Check::Tolerance) | adaptive runs at 1e-3 to 1e-8, or to 1e-6 with an estimate like h² | estimates finite, at most 1 where accepted; error at most 20 tolerances per step; exponent of the error over the tolerance at least 0.4 min(p/e, 1), e the power of the estimate |
//! | [`Redundancy`](Check::Redundancy) | a row stated twice in other words | at most twice the error without, or 1e-10 |
//! | [`Repeatability`](Check::Repeatability) | a step, a shorter one, the first again, where the stepper says that it repeats steps; a run again, another system in between; a run that somebody looks at | the same bits and counts |
//! | [`DenseOutput`](Check::DenseOutput) | states at the ends, and in a quarter of steps against a reference | 1e-9 at the ends; the least order of method and polynomial: 4 in q and 3 in v for cubic and own output, 4 and 2 for straight velocities, 6 and 5 for quintic |
//! | [`Events`](Check::Events) | impacts that reverse a velocity; a load at a moment; a row that comes and goes | event function 1e-10 at the event; moments and motion 10 times what the method is off without events, or 1e-9; time events exactly; errors with the layout halved by four times as many steps |
//! | [`Restart`](Check::Restart) | a restart behind a jump and a fresh start there | the same bits over eight steps of what a step must leave: q, v and x, and the rest where the stepper solves at the ends of steps; counts of work never fall, and are not zero where there are constraint rows |
//! | [`Energy`](Check::Energy) | coarse runs of a system that keeps its energy, with impacts and without, by methods that project onto it | the energy changes by 1e-11 of itself at most |
//! | [`BadInput`](Check::BadInput) | forces and rows that are NaN or fail, from the start or later; a singular mass; limits of steps, also within a step | a typed error that fits, no panic, no end as if all were well, the limit kept |
//! | [`Allocations`](Check::Allocations) | runs with constant and adaptive steps, with and without dense output | none after five steps |
//!
//! References are closed forms, or solutions by `dop853` at a tolerance of 1e-13 that `extrapolation` confirms to 1e-11. Nothing is
//! random: the same method gives the same report. It takes about a second per method in a release build.
//!
//! A panic of the method is caught and is a failure of its item. A step that never ends is not: there is no way to stop it.
//!
//! # Allocations
//!
//! A library cannot count allocations; a test can. It installs a counting allocator and passes its counter:
//!
//! ```no_run
//! # use liedae::integrator::Dopri5;
//! # fn allocations() -> usize { 0 } // of the test's own allocator, on this thread
//! use liedae_problems::conformance::Conformance;
//!
//! let method = Dopri5::new();
//! let report = Conformance::of(&method).counting_allocations(allocations).check()?;
//! report.assert();
//! # Ok::<(), liedae_problems::conformance::ConformanceError>(())
//! ```

mod allocations;
mod bad_input;
mod dense_output;
mod descriptor;
mod energy;
mod events;
mod fault;
mod order;
mod probe;
mod redundancy;
mod reference;
mod repeatability;
mod report;
mod restart;
mod run;
mod stepping;
mod systems;
mod tolerance;

pub use fault::{ConformanceError, Fault, NonConformance};
pub use report::{Bound, Check, Finding, Item, Measured, Outcome, Report};

use liedae::integrator::Integrator;

/// Checks a method in everything but allocations.
///
/// # Errors
/// If there is no reference to compare with; what is wrong with the method is in the report.
pub fn check(method: &dyn Integrator) -> Result<Report, ConformanceError> {
    Conformance::of(method).check()
}

/// A method with the options of its checks.
///
/// ```
/// use liedae::integrator::Hem5;
/// use liedae_problems::conformance::{Check, Conformance, Outcome};
///
/// let method = Hem5::default();
/// let report = Conformance::of(&method).only(&[Check::Descriptor, Check::Events]).check()?;
/// assert!(report.conforms(), "{report}");
/// assert!(report.items.iter().all(|item| matches!(item.outcome, Outcome::Passed(_))));
/// # Ok::<(), liedae_problems::conformance::ConformanceError>(())
/// ```
#[derive(Clone)]
pub struct Conformance<'a> {
    context: Context<'a>,
    checks: Vec<Check>,
}

/// What all checks need.
#[derive(Clone)]
struct Context<'a> {
    method: &'a dyn Integrator,
    allocations: Option<fn() -> usize>,
}

impl<'a> Conformance<'a> {
    /// All checks of a method, those of allocations only with a [counter](Self::counting_allocations).
    pub fn of(method: &'a dyn Integrator) -> Self {
        Self {
            context: Context {
                method,
                allocations: None,
            },
            checks: Check::ALL.to_vec(),
        }
    }

    /// Checks allocations, too, by a function that returns how many there have been so far on this thread.
    pub fn counting_allocations(mut self, counter: fn() -> usize) -> Self {
        self.context.allocations = Some(counter);
        self
    }

    /// These checks only: for work on one of them.
    pub fn only(mut self, checks: &[Check]) -> Self {
        self.checks.retain(|check| checks.contains(check));
        self
    }

    /// Runs the checks. The same method gives the same report.
    ///
    /// # Errors
    /// If there is no reference to compare with; what is wrong with the method is in the report.
    pub fn check(&self) -> Result<Report, ConformanceError> {
        let context = &self.context;
        let mut items = Vec::new();
        for check in &self.checks {
            items.extend(match check {
                Check::Descriptor => descriptor::items(context),
                Check::Order => order::items(context)?,
                Check::Tolerance => tolerance::items(context)?,
                Check::Redundancy => redundancy::items(context)?,
                Check::Repeatability => repeatability::items(context),
                Check::DenseOutput => dense_output::items(context)?,
                Check::Events => events::items(context),
                Check::Restart => restart::items(context),
                Check::Energy => energy::items(context),
                Check::BadInput => bad_input::items(context),
                Check::Allocations => allocations::items(context),
            });
        }
        Ok(Report {
            method: context.method.method().name,
            items,
        })
    }
}
