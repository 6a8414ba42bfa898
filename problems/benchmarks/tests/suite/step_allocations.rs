//! No method allocates per step on mechanisms, dense or sparse, with drives or friction.

use crate::common::build;
use crate::counting::allocations;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve, solve_observed};
use std::ops::ControlFlow;

/// Remembers the allocation count after the warm-up and at the last step before any event.
#[derive(Default)]
struct Watch {
    steps: usize,
    after_warm_up: usize,
    last: usize,
}

const WARM_UP: usize = 5;

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if step.event {
            return ControlFlow::Break(());
        }
        self.steps += 1;
        self.last = allocations();
        if self.steps == WARM_UP {
            self.after_warm_up = self.last;
        }
        ControlFlow::Continue(())
    }
}

/// Methods with dense algebra, for which 64 links take too long.
const DENSE: [&str; 5] = [
    "state-space-abm",
    "rk4",
    "state-space-newmark",
    "state-space-fv",
    "sdirk4",
];

#[test]
fn steps_allocate_nothing_after_warm_up() {
    for (name, settings, t_end, step) in [
        ("andrews", &[][..], 0.002, 2e-5),
        ("andrews-cartesian", &[], 0.002, 2e-5),
        ("double-pendulum", &[], 0.1, 1e-3),
        ("four-link", &[], 0.1, 1e-3),
        ("slider-crank", &["mu=0.2"], 0.1, 1e-3),
        ("chain", &["n=1"], 0.1, 1e-3),
        ("chain", &["n=8"], 0.1, 1e-3),
        ("chain", &["n=64"], 0.1, 1e-3),
        ("heavy-top", &["group=1"], 0.1, 1e-3),
        ("stiff-double-pendulum", &[], 1e-4, 1e-6),
        ("tsda-slider-crank", &[], 1e-3, 1e-5),
        ("haddouni-slider-crank", &[], 1e-3, 1e-5),
        ("rolling-disk", &[], 0.1, 1e-3),
        ("sliding-block", &["speed=0"], 0.1, 1e-3),
        ("slider-crank-friction", &["model=1"], 0.1, 1e-3),
        ("slider-crank", &["mu=0.2", "motion=1"], 0.1, 1e-3),
    ] {
        for entry in liedae_contact::methods() {
            if settings == ["n=64"] && DENSE.contains(&entry.method.name) {
                continue;
            }
            let mut problem = build(name, settings);
            let integrator = liedae_contact::methods()
                .build(entry.method.name, &MethodOptions::default())
                .expect("registered");
            let mut watch = Watch::default();
            let options = Options::fixed(t_end, step);
            solve_observed(
                problem.system.as_mut(),
                integrator.as_ref(),
                &options,
                &mut watch,
            )
            .expect("solved");
            assert!(watch.steps > 10 * WARM_UP);
            let grown = watch.last - watch.after_warm_up;
            assert_eq!(
                grown, 0,
                "{} on {name} {settings:?}: {grown} in {} steps",
                entry.method.name, watch.steps
            );
        }
    }
}

/// Of an impact, its event and the restart behind it, where the same contact has closed before.
const PER_IMPACT: usize = 90;

#[test]
fn impacts_set_up_nothing_that_earlier_ones_have() {
    let options = |t_end| Options::adaptive(t_end, 1e-6, 1e-6);
    let method = liedae_contact::methods().build("mdop5", &MethodOptions::default());
    let method = method.expect("registered");
    let mut problem = build("bouncing-ball", &["e=0.9"]);
    let mut run = |t_end| {
        let before = allocations();
        let solution = solve(problem.system.as_mut(), method.as_ref(), &options(t_end));
        (
            solution.expect("it bounces").events.len(),
            allocations() - before,
        )
    };
    let (short, long) = (run(3.0), run(8.0));
    let (impacts, allocations) = (long.0 - short.0, long.1 - short.1);
    assert!(impacts > 20, "{impacts}");
    assert!(
        allocations <= PER_IMPACT * impacts,
        "{allocations} allocations at {impacts} impacts"
    );
}
