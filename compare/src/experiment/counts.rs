//! Operation counts of a run, which do not depend on the load of the machine.

use liedae::solve::Statistics;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Steps, evaluations and linear algebra of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Accepted steps.
    pub accepted: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Steps taken within steps, such as those from which a multistep formula starts.
    pub inner: usize,
    /// Force evaluations.
    pub force: usize,
    /// Constraint evaluations.
    pub constraint: usize,
    /// Evaluations of Jacobians.
    pub jacobian: usize,
    /// Mass matrices.
    pub mass: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// Solutions with a factorized matrix.
    pub solves: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
}

impl Counts {
    /// All steps: what a limit of steps counts.
    pub fn steps(&self) -> u64 {
        let steps = self.accepted + self.rejected + self.inner;
        u64::try_from(steps).unwrap_or(u64::MAX)
    }
}

impl From<&Statistics> for Counts {
    fn from(statistics: &Statistics) -> Self {
        Self {
            accepted: statistics.accepted,
            rejected: statistics.rejected.total(),
            inner: statistics.inner,
            force: statistics.evaluations.force,
            constraint: statistics.evaluations.constraint,
            jacobian: statistics.evaluations.jacobian,
            mass: statistics.evaluations.mass,
            factorizations: statistics.work.factorizations,
            solves: statistics.work.solves,
            newton_iterations: statistics.work.newton_iterations,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.inner += other.inner;
        self.force += other.force;
        self.constraint += other.constraint;
        self.jacobian += other.jacobian;
        self.mass += other.mass;
        self.factorizations += other.factorizations;
        self.solves += other.solves;
        self.newton_iterations += other.newton_iterations;
    }
}
