//! Times taken anew, one run after the other with nothing beside them in this process.

use super::{Definition, Experiment, Isolation, Ladder, Solver};
use crate::error::{CommandError, Status};
use crate::experiment::{Case, Gate, Request, Timing, limiting_clock, measure, timed};
use crate::foreign::retime_program;
use crate::provenance::Provenance;
use crate::store::Store;
use liedae::solve::Options;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Experiment<'_> {
    /// Repeats the timed runs of everything in the store that was done, as a session of its own. Counts stay as they are. Returns how
    /// many were timed anew.
    ///
    /// # Errors
    /// A problem cannot be built, or the store cannot be written.
    pub fn retime(&self, store: &Store) -> Result<usize, CommandError> {
        super::isolate::refuse_in_child()?;
        let provenance = Provenance::now(1, "taken anew, one run after the other")
            .with_programs(self.plan.programs());
        let session = store.begin(
            &serde_json::to_string(&provenance)?,
            &serde_json::to_string(&Definition::of(&self.plan))?,
        )?;
        let mut count = 0;
        for ladder in self.plan.ladders(self.shard) {
            let subject = &self.plan.problems[ladder.problem];
            let variant = &self.plan.variants[ladder.variant];
            let mut case = None;
            for key in self.plan.run_keys(ladder) {
                let Some(mut point) = store.find(&key, None)? else {
                    continue;
                };
                if point.status != Status::Done {
                    continue;
                }
                if let Some(progress) = &self.progress {
                    progress(&format!("{}: {}, times", subject.label(), variant.name));
                }
                let request = Request {
                    control: key.control,
                    limits: self.plan.limits,
                    repeat: self.plan.repeat,
                    times: &[],
                };
                let taken =
                    catch_unwind(AssertUnwindSafe(|| self.times(&mut case, ladder, &request)));
                // A run that was done may be out of time now, or panic; its old times stay.
                match taken {
                    Ok(Ok(Some(timings))) => {
                        point.take_times(&timings, session.is_beside_others()?);
                        session.retime(&key, &point, &timings)?;
                        count += 1;
                    }
                    Ok(Ok(None)) => {}
                    Ok(Err(error)) => return Err(error),
                    Err(_) => case = None,
                }
            }
        }
        session.end(&serde_json::to_string(&provenance.at_end())?)?;
        Ok(count)
    }

    /// What the repetitions of a run take, where it is done again.
    fn times(
        &self,
        case: &mut Option<Case>,
        ladder: Ladder,
        request: &Request,
    ) -> Result<Option<Vec<Timing>>, CommandError> {
        let instance = &self.plan.problems[ladder.problem].instance;
        let solver = &self.plan.variants[ladder.variant].solver;
        let measured = if let Some(isolation) = &self.isolation {
            let label = &instance.label;
            match solver {
                Solver::Method(choice) => isolation.measure(label, &choice.label(), request)?,
                Solver::Program(choice) => isolation.measure_program(label, choice, request)?,
            }
        } else {
            let case = match case {
                Some(case) => case,
                None => case.insert(instance.build()?),
            };
            match solver {
                // What `auto` takes to choose is part of its time.
                Solver::Method(choice) if choice.candidates().is_some() => {
                    measure(case, choice, request, &Gate::default())
                }
                Solver::Method(choice) => {
                    let limits = request.limits;
                    let options = Options {
                        time_limit: Some(limits.time),
                        clock: limiting_clock(),
                        ..choice.driver_options(request.control, case.t_end, limits.max_steps)
                    };
                    let timed = timed(case, choice, &options, request.repeat);
                    return Ok(timed.ok().map(|timed| timed.timings));
                }
                Solver::Program(choice) => {
                    return Ok(retime_program(case, choice, request, Isolation::MEMORY));
                }
            }
        };
        Ok((measured.status == Status::Done).then_some(measured.timings))
    }
}
