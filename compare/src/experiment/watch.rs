//! Progress of a run, to be read from another thread.
//!
//! The observer does not change the steps: it reads the time only, and writes three numbers per step, which takes some
//! nanoseconds.

use liedae::solve::{EventRecord, Observer, StepView};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The run.
    Solving,
    /// The same again, looked at, where times were taken of runs that were not.
    Measuring,
    /// From another start, or with another tolerance.
    Checking,
    /// The same again for pictures.
    Filming,
}

const PASSES: [Pass; 4] = [
    Pass::Solving,
    Pass::Measuring,
    Pass::Checking,
    Pass::Filming,
];

/// Where a run is. Numbers that belong together may be of neighbouring steps.
#[derive(Debug, Default)]
pub struct Watch {
    pass: AtomicUsize,
    t: AtomicU64,
    h: AtomicU64,
    steps: AtomicU64,
}

/// What a watch shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// What is going on.
    pub pass: Pass,
    /// Time reached in s.
    pub t: f64,
    /// The last step in s.
    pub h: f64,
    /// Accepted steps.
    pub steps: u64,
}

impl Watch {
    /// A run begins.
    pub fn begin(&self, pass: Pass) {
        self.steps.store(0, Ordering::Relaxed);
        self.h.store(0.0_f64.to_bits(), Ordering::Relaxed);
        self.pass.store(pass as usize, Ordering::Relaxed);
    }

    /// What it shows.
    pub fn place(&self) -> Place {
        let pass = self.pass.load(Ordering::Relaxed);
        Place {
            pass: PASSES.get(pass).copied().unwrap_or(Pass::Solving),
            t: f64::from_bits(self.t.load(Ordering::Relaxed)),
            h: f64::from_bits(self.h.load(Ordering::Relaxed)),
            steps: self.steps.load(Ordering::Relaxed),
        }
    }

    fn see(&self, step: &StepView) {
        let (from, to) = (step.from.t, step.to.t);
        self.t.store(to.to_bits(), Ordering::Relaxed);
        // The start and jumps are no steps.
        if to > from {
            self.h.store((to - from).to_bits(), Ordering::Relaxed);
            self.steps.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// An observer whose run is watched.
pub struct Watched<'a> {
    /// The watch.
    pub watch: &'a Watch,
    /// Who else looks.
    pub observer: &'a mut dyn Observer,
}

impl Observer for Watched<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.watch.see(step);
        self.observer.observe(step)
    }

    fn event(&mut self, record: &EventRecord) {
        self.observer.event(record);
    }

    fn wants_dense_output(&self) -> bool {
        self.observer.wants_dense_output()
    }

    fn wants_complete_states(&self) -> bool {
        self.observer.wants_complete_states()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae::integrator::Dopri5;
    use liedae::solve::{Options, Silent, solve, solve_observed};

    #[test]
    fn a_watch_shows_the_end_and_changes_nothing() {
        let fall = || {
            liedae::model([1.0], [0.0])
                .mass(1.0)
                .force(|_t, q, _v| [-9.81 * q[0]])
        };
        let options = Options::adaptive(2.0, 1e-6, 1e-6);
        let watch = Watch::default();
        watch.begin(Pass::Measuring);
        let mut watched = Watched {
            watch: &watch,
            observer: &mut Silent,
        };
        let mut system = fall().build().expect("a system");
        let seen = solve_observed(&mut system, &Dopri5::new(), &options, &mut watched);
        let seen = seen.expect("a run");
        let place = watch.place();
        assert_eq!((place.pass, place.t), (Pass::Measuring, 2.0));
        assert_eq!(place.steps, seen.statistics.accepted as u64);
        assert!(place.h > 0.0 && place.h < 2.0);
        let mut system = fall().build().expect("a system");
        let unseen = solve(&mut system, &Dopri5::new(), &options).expect("a run");
        assert_eq!(seen.state, unseen.state);
        assert_eq!(seen.statistics, unseen.statistics);
    }
}
