//! Times taken anew, one run after the other with nothing beside them in this process.

use super::workers::run_keys;
use super::{Experiment, Isolation, Solver};
use crate::error::{CommandError, Status};
use crate::experiment::{Gate, Request, limiting_clock, measure, timed};
use crate::foreign::retime_program;
use crate::store::Store;
use liedae::solve::Options;

impl Experiment<'_> {
    /// Repeats the timed runs of everything in the store that was done. Counts stay as they are. Returns how many were timed anew.
    ///
    /// # Errors
    /// A problem cannot be built, or the store cannot be written.
    pub fn retime(&self, store: &Store) -> Result<usize, CommandError> {
        let limits = self.plan.limits;
        let mut count = 0;
        for ladder in self.plan.ladders(self.shard) {
            let instance = &self.plan.problems[ladder.problem];
            let variant = &self.plan.variants[ladder.variant];
            let mut case = instance.build()?;
            for key in run_keys(&self.plan, ladder, &case) {
                let Some(mut point) = store.find(&key, limits.time.as_secs_f64())? else {
                    continue;
                };
                if point.status != Status::Done {
                    continue;
                }
                if let Some(progress) = &self.progress {
                    progress(&format!("{}: {}, times", instance.label, variant.name));
                }
                // A run that was done may be out of time now; its old times stay.
                let timings = match &variant.solver {
                    // What `auto` takes to choose is part of its time.
                    Solver::Method(choice) if choice.candidates().is_some() => {
                        let request = Request {
                            control: key.control,
                            limits,
                            repeat: self.plan.repeat,
                            times: &[],
                        };
                        let measured = measure(&mut case, choice, &request, &Gate::default());
                        (measured.status == Status::Done).then_some(measured.timings)
                    }
                    Solver::Method(choice) => {
                        let options = Options {
                            time_limit: Some(limits.time),
                            clock: limiting_clock(),
                            ..choice.driver_options(key.control, case.t_end, limits.max_steps)
                        };
                        let timed = timed(&mut case, choice, &options, self.plan.repeat);
                        timed.ok().map(|timed| timed.timings)
                    }
                    Solver::Program(choice) => {
                        let request = Request {
                            control: key.control,
                            limits,
                            repeat: self.plan.repeat,
                            times: &[],
                        };
                        let isolation = self.isolation.as_ref();
                        let memory = isolation.map_or(Isolation::MEMORY, |known| known.memory);
                        retime_program(&mut case, choice, &request, memory)
                    }
                };
                if let Some(timings) = timings {
                    let beside_others = store.living()? > 0;
                    point.take_times(&timings, beside_others);
                    store.retime(&key, &point, &timings)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}
