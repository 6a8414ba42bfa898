//! Every run of a comparison, in order.

use super::{Shard, Solver, Variant, rung};
use crate::experiment::{Control, Limits, Repeat, Subject};
use crate::provenance;
use crate::store::{ProblemKey, RunKey};

/// What to compare.
pub struct Plan {
    /// The problems.
    pub problems: Vec<Subject>,
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

    /// Programs of other people that it has, with what they say that they are.
    pub fn programs(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for variant in &self.variants {
            let Solver::Program(choice) = &variant.solver else {
                continue;
            };
            let program = &choice.program;
            let says = program.says().unwrap_or("it does not say its version");
            let words = format!("{}: {says}", program.name());
            if !all.contains(&words) {
                all.push(words);
            }
        }
        all
    }

    /// How steps are chosen on each rung of a ladder.
    fn controls(&self, ladder: Ladder) -> Vec<Control> {
        let is_fixed = self.variants[ladder.variant].fixed;
        let subject = &self.problems[ladder.problem];
        let rungs = self.tolerances.iter().enumerate();
        let control = |(index, &tolerance): (usize, &f64)| match is_fixed {
            true => subject.fixed(rung(index), tolerance),
            false => subject.adaptive(tolerance),
        };
        rungs.map(control).collect()
    }

    /// A build, and of a mechanism file what stands in it: another text under the same name is another problem.
    fn build(&self, problem: usize, build: &str) -> String {
        match self.problems[problem].instance.file_number() {
            Some(number) => format!("{build}-{number}"),
            None => build.to_owned(),
        }
    }

    /// What a problem is known by.
    pub fn problem_key(&self, problem: usize) -> ProblemKey {
        let subject = &self.problems[problem];
        ProblemKey {
            problem: subject.label().to_owned(),
            parameters: subject.instance.parameter_values(),
            t_end: subject.t_end(),
            build: self.build(problem, provenance::build()),
        }
    }

    /// What the runs of a ladder are known by.
    pub fn run_keys(&self, ladder: Ladder) -> Vec<RunKey> {
        let subject = &self.problems[ladder.problem];
        let variant = &self.variants[ladder.variant];
        let key = |control| RunKey {
            problem: subject.label().to_owned(),
            parameters: subject.instance.parameter_values(),
            t_end: subject.t_end(),
            variant: variant.name.clone(),
            control,
            max_steps: self.limits.max_steps,
            build: self.build(ladder.problem, &variant.build()),
        };
        self.controls(ladder).into_iter().map(key).collect()
    }
}
