//! Times taken anew, one run after the other with nothing beside them in this process.

use super::Experiment;
use super::workers::run_keys;
use crate::error::{CommandError, Status};
use crate::experiment::{limiting_clock, timed};
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
                let options = Options {
                    time_limit: Some(limits.time),
                    clock: limiting_clock(),
                    ..variant
                        .choice
                        .driver_options(key.control, case.t_end, limits.max_steps)
                };
                // A run that was done may be out of time now; its old times stay.
                if let Ok(timed) = timed(&mut case, &variant.choice, &options, self.plan.repeat) {
                    let beside_others = store.living()? > 0;
                    point.take_times(&timed.timings, beside_others);
                    store.retime(&key, &point, &timed.timings)?;
                    count += 1;
                }
            }
        }
        Ok(count)
    }
}
