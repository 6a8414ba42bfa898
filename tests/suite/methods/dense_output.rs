//! Dense output that methods bring themselves: its order, its ends, and what it costs.

use crate::common::{HeavyTop, Pendulum, TopGroup};
use liedae::integrator::{DenseOutput, MethodOption, MethodOptions, Projection};
use liedae::solve::{Observer, Options, Recorder, Silent, StepView, solve, solve_observed};
use liedae::system::{Automatic, State, System};
use std::ops::ControlFlow;

/// The state in the middle of the first step of size h.
fn middle(make: &dyn Fn() -> Box<dyn System>, method: &str, h: f64) -> State {
    let integrator = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let mut recorder = Recorder::new(vec![0.5 * h]);
    let options = Options::fixed(h, h);
    solve_observed(
        make().as_mut(),
        integrator.as_ref(),
        &options,
        &mut recorder,
    )
    .expect("solved");
    recorder.states.remove(0)
}

fn exact(make: &dyn Fn() -> Box<dyn System>, t: f64) -> State {
    let integrator = crate::known_methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t, 1e-14, 1e-14);
    solve(make().as_mut(), integrator.as_ref(), &options)
        .expect("solved")
        .state
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// Observed orders of the local error at θ = 1/2 in q and v with steps h and h/2, in λ with h/4 and h/8.
fn local_orders(make: &dyn Fn() -> Box<dyn System>, method: &str, h: f64) -> [f64; 3] {
    let errors = [1.0, 2.0, 4.0, 8.0].map(|division| {
        let h = h / division;
        let (found, exact) = (middle(make, method, h), exact(make, 0.5 * h));
        [
            distance(&found.q, &exact.q),
            distance(&found.v, &exact.v),
            distance(&found.lambda, &exact.lambda),
        ]
    });
    println!("{method}: errors {errors:?}");
    [
        (errors[0][0] / errors[1][0]).log2(),
        (errors[0][1] / errors[1][1]).log2(),
        (errors[2][2] / errors[3][2]).log2(),
    ]
}

#[test]
fn interpolants_have_their_order_in_the_middle_of_the_step() {
    // Method, step on the pendulum, order of the local error in q and v, least observed order in λ. The interpolants of λ
    // have orders 3, 3 and 5; the fifth derivative of the pendulum's λ has a root near the start.
    for (method, step, order, multipliers) in [
        ("dopri5", 0.1, 5.0, 2.6),
        ("phem56", 0.1, 5.0, 2.6),
        ("dop853", 0.3, 8.0, 4.0),
    ] {
        let pendulum = || Box::new(Automatic::new(Pendulum)) as Box<dyn System>;
        let top = || Box::new(Automatic::new(HeavyTop(TopGroup::Matrix))) as Box<dyn System>;
        for (make, h) in [
            (&pendulum as &dyn Fn() -> Box<dyn System>, step),
            (&top, step / 20.0),
        ] {
            let [q, v, lambda] = local_orders(make, method, h);
            println!("{method}: local orders {q:.2} in q, {v:.2} in v, {lambda:.2} in λ");
            assert!(q > order - 0.5, "{method}: {q:.2} in q");
            assert!(v > order - 0.5, "{method}: {v:.2} in v");
            assert!(lambda > multipliers, "{method}: {lambda:.2} in λ");
        }
    }
}

/// Looks at both ends of every step.
struct Ends {
    largest: f64,
}

impl Observer for Ends {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from.clone(), step.to.clone());
        if to.t > from.t {
            assert_eq!(step.at(to.t), &to);
            let almost = to.t - 1e-12 * (to.t - from.t);
            for (t, expected) in [(from.t, &from), (almost, &to)] {
                let found = step.at(t);
                for (found, expected) in [
                    (&found.q, &expected.q),
                    (&found.v, &expected.v),
                    (&found.lambda, &expected.lambda),
                    (&found.acceleration, &expected.acceleration),
                ] {
                    self.largest = self.largest.max(distance(found, expected));
                }
            }
        }
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
}

#[test]
fn interpolants_meet_the_accepted_states_projected_or_not_and_looking_counts_for_nothing() {
    for entry in crate::methods() {
        let method = entry.method;
        if method.dense_output != DenseOutput::Own {
            continue;
        }
        for projection in [Projection::EveryStep, Projection::Never] {
            let choice = MethodOptions {
                projection: entry.takes(MethodOption::Projection).then_some(projection),
                ..MethodOptions::default()
            };
            let options = Options::fixed(1.0, 0.1);
            let run = |observer: &mut dyn Observer| {
                let integrator = crate::known_methods()
                    .build(method.name, &choice)
                    .expect("registered");
                let mut system = Automatic::new(Pendulum);
                let solution = solve_observed(&mut system, integrator.as_ref(), &options, observer);
                solution.expect("solved")
            };
            let mut ends = Ends { largest: 0.0 };
            let (seen, unseen) = (run(&mut ends), run(&mut Silent));
            assert!(ends.largest < 1e-9, "{}: {:e}", method.name, ends.largest);
            assert_eq!(
                seen.state, unseen.state,
                "{}: looking changes it",
                method.name
            );
            let [seen, unseen] = [seen, unseen].map(|solution| solution.statistics);
            // The three more stages of dop853 and the states that radau5 completes are work of who looks.
            assert_eq!(
                (seen.evaluations, seen.work),
                (unseen.evaluations, unseen.work),
                "{} {projection:?}",
                method.name
            );
        }
    }
}
