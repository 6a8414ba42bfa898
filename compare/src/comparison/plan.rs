//! Every run of a comparison, in order.

use super::{Shard, Variant, rung};
use crate::experiment::{Case, Control, Instance, Limits, Repeat};

/// What to compare.
pub struct Plan {
    /// The problems.
    pub problems: Vec<Instance>,
    /// Methods in the ways that they run.
    pub variants: Vec<Variant>,
    /// Relative = absolute tolerances, the loosest first.
    pub tolerances: Vec<f64>,
    /// How far a run may go.
    pub limits: Limits,
    /// How often runs are repeated for their times.
    pub repeat: Repeat,
}

/// All runs of one variant on one problem, from the loosest tolerance or the largest step on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// The problem's place in the plan.
    pub problem: usize,
    /// The variant's place.
    pub variant: usize,
}

impl Plan {
    /// The ladders of a shard, problem by problem: a part of the list without gaps, so that few shards need the same reference.
    pub fn ladders(&self, shard: Shard) -> Vec<Ladder> {
        let variants = self.variants.len();
        let all = self.problems.len() * variants;
        let ladder = |index| Ladder {
            problem: index / variants.max(1),
            variant: index % variants.max(1),
        };
        shard.range(all).map(ladder).collect()
    }

    /// How steps are chosen on each rung of a ladder.
    pub fn controls(&self, ladder: Ladder, case: &Case) -> Vec<Control> {
        let is_fixed = self.variants[ladder.variant].fixed;
        let rungs = self.tolerances.iter().enumerate();
        let control = |(index, &tolerance): (usize, &f64)| match is_fixed {
            true => Control::Fixed {
                step: case.problem.default_step * rung(index),
            },
            false => Control::Adaptive {
                rtol: tolerance,
                atol: tolerance * case.problem.absolute_scale,
            },
        };
        rungs.map(control).collect()
    }
}
