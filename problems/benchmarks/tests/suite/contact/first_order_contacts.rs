//! Contacts that open without a velocity, by methods of first order: their positions are off by O(h²) in the first step.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Options, Solution, solve};
use liedae_contact::ContactEvent;

#[derive(Clone, Copy)]
enum Steps {
    /// The problem's step of methods of low order.
    Default,
    Fixed(f64),
    Tolerance(f64),
}

fn run(problem: &str, settings: &[&str], method: &str, steps: Steps) -> Solution {
    run_to(None, problem, settings, method, steps)
}

fn run_to(
    t_end: Option<f64>,
    problem: &str,
    settings: &[&str],
    method: &str,
    steps: Steps,
) -> Solution {
    let mut problem = build(problem, settings);
    problem.t_end = t_end.unwrap_or(problem.t_end);
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let options = match steps {
        Steps::Default => Options::fixed(problem.t_end, problem.default_step),
        Steps::Fixed(step) => Options::fixed(problem.t_end, step),
        Steps::Tolerance(tolerance) => Options::adaptive(problem.t_end, tolerance, tolerance),
    };
    solve(problem.system.as_mut(), method.as_ref(), &options)
        .unwrap_or_else(|error| panic!("{} {settings:?}: {error}", problem.name))
}

/// The releases of the workpiece, and the impacts that follow upon one without an approach.
#[test]
fn a_released_contact_does_not_strike_without_an_approach() {
    let kinds = |solution: &Solution| -> [usize; 2] {
        let released = |event: &EventRecord| event.kind == "release";
        let strikes = |event: &EventRecord| {
            let contact = ContactEvent::of(event);
            contact.is_some_and(|contact| contact.velocity_before.abs() < 1e-7)
        };
        let releases = solution.events.iter().filter(|event| released(event));
        let pairs = solution.events.windows(2);
        let still = pairs.filter(|pair| released(&pair[0]) && strikes(&pair[1]));
        [releases.count(), still.count()]
    };
    let exact = kinds(&run("press-machine", &[], "hem5", Steps::Tolerance(1e-8)));
    assert!(exact[0] > 1 && exact[1] == 0, "{exact:?}");
    for method in ["half-implicit", "half-implicit-newton", "backward-euler"] {
        let found = kinds(&run("press-machine", &[], method, Steps::Default));
        assert_eq!(found, exact, "{method}");
    }
}

#[test]
fn joints_with_clearance_come_to_their_ends() {
    for method in ["backward-euler", "half-implicit"] {
        let solution = run("slider-crank-clearance", &["mu=0"], method, Steps::Default);
        assert!(solution.events.len() > 100, "{method}");
    }
}

/// A flight of one step ends without a velocity: the foot slides on where an impact would have stopped it, and no finite
/// force balances its friction.
#[test]
fn feet_that_arrive_without_an_approach_are_stopped() {
    let angle = |method, steps| {
        let solution = run("compass-walker", &[], method, steps);
        let [_, _, angle] = solution.state.q[..3] else {
            panic!("a thigh in the plane");
        };
        angle
    };
    let exact = angle("hem5", Steps::Tolerance(1e-8));
    for method in ["half-implicit", "half-implicit-newton", "backward-euler"] {
        // Coarse steps: that no error ends them is all.
        angle(method, Steps::Default);
        angle(method, Steps::Tolerance(1e-4));
        let error = (angle(method, Steps::Fixed(1e-4)) - exact).abs();
        assert!(error < 5e-3, "{method}: {error}");
    }
}

/// A contact at the limit of friction begins to slide with no acceleration at all: any error of the normal force in the first
/// step takes it the other way.
#[test]
fn sliding_that_begins_slowly_goes_on() {
    let end = |method, steps| {
        let solution = run("four-bar-clearance", &["clearances=3"], method, steps);
        assert!(solution.events.len() < 400, "{}", solution.events.len());
        // The angle of the coupler.
        solution.state.q[5]
    };
    let exact = end("hem5", Steps::Tolerance(1e-8));
    for steps in [
        Steps::Fixed(1e-3),
        Steps::Tolerance(1e-4),
        Steps::Tolerance(1e-5),
    ] {
        let found = end("backward-euler", steps);
        assert!((found - exact).abs() < 0.01, "{found}, exact {exact}");
    }
}

/// Velocities of these methods belong to the middles of steps. Dense output that takes them for those of the ends has sliding
/// turn back within the step, and releases that no repeated step confirms: a joint then pulls at its pin.
#[test]
fn pins_release_when_their_force_is_gone() {
    let run = |method, steps| run_to(Some(0.75), "four-bar-clearance", &[], method, steps);
    let kinds = |solution: &Solution| -> Vec<String> {
        let events = solution.events.iter();
        events
            .map(|event| format!("{} {}", event.kind, event.label))
            .collect()
    };
    // The angle of the coupler and its velocity.
    let end = |solution: &Solution| [solution.state.q[5], solution.state.v[5]];
    let exact = run("hem5", Steps::Tolerance(1e-8));
    for method in ["half-implicit", "half-implicit-newton", "backward-euler"] {
        for step in [1e-4, 2e-5] {
            let solution = run(method, Steps::Fixed(step));
            assert_eq!(kinds(&solution), kinds(&exact), "{method}, {step}");
            for (found, exact) in end(&solution).into_iter().zip(end(&exact)) {
                let error = (found - exact).abs();
                assert!(error < 5.0 * step, "{method}, {step}: {error}");
            }
        }
    }
}
