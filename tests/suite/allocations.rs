//! No method allocates after its first steps: a counting allocator watches.

use crate::common::{HeavyTop, Pendulum, Sleigh, TopGroup};
use crate::counting::allocations;
use liedae::control::Tolerances;
use liedae::integrator::{MethodOptions, MethodRegistry};
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, StepControl, StepView, solve_observed};
use liedae::system::{
    Automatic, Direction, EventDescription, Layout as SystemLayout, MatrixMut, Model, ModelEvents,
    Point, State, System,
};
use std::ops::ControlFlow;

/// Remembers the allocation count after the warm-up and at the last step.
#[derive(Default)]
struct Watch {
    steps: usize,
    after_warm_up: usize,
    last: usize,
    dense: bool,
}

const WARM_UP: usize = 3;

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.dense {
            let middle = 0.5 * (step.from.t + step.to.t);
            assert!(step.at(middle).is_finite());
        }
        self.steps += 1;
        self.last = allocations();
        if self.steps == WARM_UP {
            self.after_warm_up = self.last;
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        self.dense
    }
}

/// A pendulum with event functions that do not fire, one of them of the multiplier. Its rod may be stated twice.
struct Watched {
    redundant: bool,
}

impl Model for Watched {
    fn layout(&self) -> SystemLayout {
        let rows = 1 + usize::from(self.redundant);
        SystemLayout::dense(Pendulum.layout().space).with_position_rows(rows)
    }
    fn initial_state(&self) -> State {
        let rows = self.layout().rows();
        State {
            lambda: vec![0.0; rows],
            ..Pendulum.initial_state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        Pendulum.mass_matrix(at, mass);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        Pendulum.force(at, force);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        Pendulum.position_constraint(at, g);
        if self.redundant {
            g[1] = g[0] * (at.q[0] + 3.0);
        }
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Watched {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![
            EventDescription::new("height", "bob", Direction::Both),
            EventDescription::new("force", "rod", Direction::Both).of_multipliers(),
        ]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.q[1] - 2.0;
        out[1] = at.lambda[0] - 1e3;
    }
}

#[test]
fn no_method_allocates_after_warm_up() {
    // The watch itself must see an allocation when there is one.
    let before = allocations();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(allocations() > before);

    for entry in MethodRegistry::standard() {
        for (name, make) in [
            (
                "pendulum",
                (|| Box::new(Automatic::new(Pendulum)) as Box<dyn System>)
                    as fn() -> Box<dyn System>,
            ),
            ("pendulum by closures", || {
                let model = liedae::model([1.0, 0.0], [0.0, 0.5]);
                let model = model.mass_matrix(|_, [x, _]| {
                    [[x * 0.0 + 1.0, 0.0.into()], [0.0.into(), 1.0.into()]]
                });
                let model = model
                    .force_with_states([0.1], |t, _, [u, _], [x]| ([-u * x, t.sin() - 9.81], [-x]));
                let model = model.constraint(|_, [x, y]| [(x * x + y * y - 1.0) * 0.5]);
                Box::new(model.build().expect("complete"))
            }),
            ("pendulum that keeps its energy", || {
                Box::new(Automatic::new(Pendulum).keeping_energy())
            }),
            ("heavy top", || {
                Box::new(Automatic::new(HeavyTop(TopGroup::Matrix)))
            }),
            ("heavy top, SE(3)", || {
                Box::new(Automatic::new(HeavyTop(TopGroup::RigidMotion)))
            }),
            ("sleigh", || Box::new(Automatic::new(Sleigh))),
            ("pendulum with events", || {
                Box::new(Automatic::new(Watched { redundant: false }))
            }),
            ("redundant pendulum with events", || {
                Box::new(Automatic::new(Watched { redundant: true }))
            }),
        ] {
            for dense in [false, true] {
                for fixed in [false, true] {
                    if !fixed && !entry.method.is_adaptive() {
                        continue;
                    }
                    let control = if fixed {
                        StepControl::Fixed(1e-3)
                    } else {
                        let tolerances = Tolerances::uniform(1e-5, 1e-5);
                        StepControl::Adaptive {
                            tolerances,
                            controller: None,
                            initial_step: Some(1e-4),
                        }
                    };
                    let mut system = make();
                    let integrator = MethodRegistry::standard()
                        .build(entry.method.name, &MethodOptions::default())
                        .expect("registered");
                    let mut watch = Watch {
                        dense,
                        ..Watch::default()
                    };
                    let mut options = Options::new(0.2, control);
                    options.max_step = 0.01;
                    solve_observed(system.as_mut(), integrator.as_ref(), &options, &mut watch)
                        .expect("solved");
                    assert!(watch.steps > 2 * WARM_UP, "too few steps to judge");
                    let grown = watch.last - watch.after_warm_up;
                    let case = format!(
                        "{} on {name}, dense {dense}, fixed {fixed}",
                        entry.method.name
                    );
                    assert_eq!(
                        grown,
                        0,
                        "{case}: {grown} allocations in {} steps",
                        watch.steps - WARM_UP
                    );
                }
            }
        }
    }
}
