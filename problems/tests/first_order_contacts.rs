//! Contacts that open without a velocity, by methods of first order: their positions are off by O(h²) in the first step.

mod common;

use common::build;
use liedae::integrator::{self, MethodOptions};
use liedae::solve::{Options, Solution, solve};

fn run(problem: &str, settings: &[&str], method: &str, adaptive: bool) -> Solution {
    let mut problem = build(problem, settings);
    let mut method = integrator::build(method, &MethodOptions::default()).unwrap();
    let options = if adaptive {
        Options::adaptive(problem.t_end, 1e-8, 1e-8)
    } else {
        Options::fixed(problem.t_end, problem.default_step)
    };
    solve(problem.system.as_mut(), method.as_mut(), &options)
        .unwrap_or_else(|error| panic!("{} {settings:?}: {error}", problem.name))
}

/// The presses of the workpiece and its releases; without other "impacts" in between.
#[test]
fn a_released_contact_does_not_strike_without_an_approach() {
    let kinds = |solution: &Solution| -> [usize; 2] {
        let count = |kind: &str| {
            let events = solution.events.iter().filter(|event| event.kind == kind);
            events.count()
        };
        let still = solution.events.iter().filter_map(|event| event.contact);
        let still = still.filter(|contact| contact.velocity_before.abs() < 1e-7);
        [count("release"), still.count()]
    };
    let exact = kinds(&run("press-machine", &[], "hem5", true));
    assert!(exact[0] > 1 && exact[1] == 0, "{exact:?}");
    for method in ["half-implicit", "half-implicit-newton", "backward-euler"] {
        let found = kinds(&run("press-machine", &[], method, false));
        assert_eq!(found, exact, "{method}");
    }
}

#[test]
fn joints_with_clearance_come_to_their_ends() {
    for method in ["backward-euler", "half-implicit"] {
        let solution = run("slider-crank-clearance", &["mu=0"], method, false);
        assert!(solution.events.len() > 100, "{method}");
    }
}
