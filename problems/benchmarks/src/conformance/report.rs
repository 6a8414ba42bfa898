//! The report of the suite, item by item.

use super::{Fault, NonConformance};
use serde::Serialize;
use std::fmt;

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Check {
    /// What the method says about itself.
    Descriptor,
    /// Observed order of convergence.
    Order,
    /// Errors of adaptive runs over the tolerance, and the estimates behind them.
    Tolerance,
    /// The same motion with redundant constraint rows.
    Redundancy,
    /// Steps and runs that are taken again.
    Repeatability,
    /// States between the ends of steps.
    DenseOutput,
    /// Events: their moments, and the motion behind them.
    Events,
    /// A restart is as good as a start.
    Restart,
    /// Projections onto the energy that a system keeps.
    Energy,
    /// Systems that cannot be evaluated, and limits of a run.
    BadInput,
    /// No allocation per step.
    Allocations,
}

impl Check {
    /// All checks, in the order of the report.
    pub const ALL: &'static [Self] = &[
        Self::Descriptor,
        Self::Order,
        Self::Tolerance,
        Self::Redundancy,
        Self::Repeatability,
        Self::DenseOutput,
        Self::Events,
        Self::Restart,
        Self::Energy,
        Self::BadInput,
        Self::Allocations,
    ];
}

impl fmt::Display for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Descriptor => "descriptor",
            Self::Order => "order",
            Self::Tolerance => "tolerance",
            Self::Redundancy => "redundancy",
            Self::Repeatability => "repeatability",
            Self::DenseOutput => "dense output",
            Self::Events => "events",
            Self::Restart => "restart",
            Self::Energy => "energy",
            Self::BadInput => "bad input",
            Self::Allocations => "allocations",
        })
    }
}

/// On which side of a number is right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// This number or more.
    AtLeast(f64),
    /// This number or less.
    AtMost(f64),
}

/// A number and what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What was measured, in words.
    pub quantity: &'static str,
    /// The number.
    pub value: f64,
    /// What it must be.
    pub bound: Bound,
}

impl Measured {
    /// A number that must be this large at least.
    pub(super) fn at_least(quantity: &'static str, value: f64, bound: f64) -> Self {
        let bound = Bound::AtLeast(bound);
        Self {
            quantity,
            value,
            bound,
        }
    }

    /// A number that may be this large at most.
    pub(super) fn at_most(quantity: &'static str, value: f64, bound: f64) -> Self {
        let bound = Bound::AtMost(bound);
        Self {
            quantity,
            value,
            bound,
        }
    }

    /// Whether the number keeps its bound; NaN does not.
    pub fn holds(&self) -> bool {
        match self.bound {
            Bound::AtLeast(bound) => self.value >= bound,
            Bound::AtMost(bound) => self.value <= bound,
        }
    }

    /// What an item makes of it.
    pub(super) fn judge(self) -> Result<Finding, Fault> {
        if self.holds() {
            Ok(Finding::Number(self))
        } else {
            Err(Fault::Number(self))
        }
    }
}

/// Numbers from 0.01 to 1000 in full, others by their powers of ten.
struct Plain(f64);

impl fmt::Display for Plain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size == 0.0 {
            write!(formatter, "0")
        } else if (0.01..1000.0).contains(&size) {
            write!(formatter, "{:.2}", self.0)
        } else {
            write!(formatter, "{:.1e}", self.0)
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (words, bound) = match self.bound {
            Bound::AtLeast(bound) => ("at least", bound),
            Bound::AtMost(bound) => ("at most", bound),
        };
        let (value, bound) = (Plain(self.value), Plain(bound));
        write!(formatter, "{} {value}, {words} {bound}", self.quantity)
    }
}

/// What speaks for a method.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// A number within its bound.
    Number(Measured),
    /// An order within its bound, and an error that is left with smaller steps: projections and inner iterations stop there.
    Noisy {
        /// The order.
        order: Measured,
        /// The largest error with smaller steps.
        left: f64,
    },
    /// Something that is so or not.
    Fact(String),
}

impl Finding {
    /// Something that is so.
    pub(super) fn fact(words: impl Into<String>) -> Self {
        Self::Fact(words.into())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Noisy { order, left } => {
                write!(
                    formatter,
                    "{order}; up to {left:.1e} is left with smaller steps"
                )
            }
            Self::Fact(words) => formatter.write_str(words),
        }
    }
}

/// How an item came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As it should be.
    Passed(Finding),
    /// Not as it should be.
    Failed(Fault),
    /// Nothing was to be checked, for this reason.
    NotApplicable(String),
}

impl From<Result<Finding, Fault>> for Outcome {
    /// A method that says that it does not apply has said what is so.
    fn from(result: Result<Finding, Fault>) -> Self {
        match result {
            Ok(finding) => Self::Passed(finding),
            Err(fault) => match fault.unsupported() {
                Some(reason) => Self::NotApplicable(reason.to_owned()),
                None => Self::Failed(fault),
            },
        }
    }
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    /// What was checked.
    pub check: Check,
    /// Of what, on what.
    pub subject: String,
    /// How it came out.
    pub outcome: Outcome,
}

impl Item {
    pub(super) fn new(
        check: Check,
        subject: impl Into<String>,
        outcome: impl Into<Outcome>,
    ) -> Self {
        Self {
            check,
            subject: subject.into(),
            outcome: outcome.into(),
        }
    }

    /// An item that there is nothing to check for.
    pub(super) fn not_applicable(
        check: Check,
        subject: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self::new(check, subject, Outcome::NotApplicable(reason.into()))
    }

    /// Whether the method fails it.
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome, Outcome::Failed(_))
    }

    /// The verdict in a word, and what it rests on.
    fn words(&self) -> (&'static str, String) {
        match &self.outcome {
            Outcome::Passed(finding) => ("passed", finding.to_string()),
            Outcome::Failed(fault) => ("FAILED", fault.to_string()),
            Outcome::NotApplicable(reason) => ("-", reason.clone()),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verdict, words) = self.words();
        write!(
            formatter,
            "{}, {}: {verdict}: {words}",
            self.check, self.subject
        )
    }
}

/// What the suite found about one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The method's name.
    pub method: &'static str,
    /// All items, in the order of [`Check::ALL`].
    pub items: Vec<Item>,
}

impl Report {
    /// The items that the method fails.
    pub fn failures(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.has_failed())
    }

    /// Whether the method fails none, and passes one at least.
    pub fn conforms(&self) -> bool {
        let passes = |item: &Item| matches!(item.outcome, Outcome::Passed(_));
        self.failures().next().is_none() && self.items.iter().any(passes)
    }

    /// An error that names what the method fails, if it fails anything.
    pub fn verdict(&self) -> Result<(), NonConformance> {
        if self.conforms() {
            return Ok(());
        }
        Err(NonConformance {
            method: self.method,
            failures: self.failures().cloned().collect(),
        })
    }

    /// For tests: panics unless the method conforms.
    ///
    /// # Panics
    /// With the names of the items that the method fails.
    #[track_caller]
    pub fn assert(&self) {
        if let Err(error) = self.verdict() {
            panic!("{error}");
        }
    }

    /// How many items passed, failed, and did not apply.
    pub fn counts(&self) -> [usize; 3] {
        let count = |matches: fn(&Outcome) -> bool| {
            self.items
                .iter()
                .filter(|item| matches(&item.outcome))
                .count()
        };
        [
            count(|outcome| matches!(outcome, Outcome::Passed(_))),
            count(|outcome| matches!(outcome, Outcome::Failed(_))),
            count(|outcome| matches!(outcome, Outcome::NotApplicable(_))),
        ]
    }
}

/// A table with one line per item.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [passed, failed, others] = self.counts();
        writeln!(
            formatter,
            "{}: {passed} passed, {failed} failed, {others} not applicable",
            self.method
        )?;
        let lengths = self.items.iter().map(|item| item.subject.chars().count());
        let width = lengths.max().unwrap_or(0);
        for item in &self.items {
            let (verdict, words) = item.words();
            writeln!(
                formatter,
                "  {:13}  {:width$}  {verdict:6}  {words}",
                item.check, item.subject
            )?;
        }
        Ok(())
    }
}
