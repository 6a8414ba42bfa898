//! Every registered problem keeps what it promises: derivatives, mass matrix, energy, by `check_system`.

use liedae::system::{EventHandling, System, check_system};
use liedae_problems::ProblemRegistry;

/// It starts where an arc of the cam begins: the curvature jumps there, and differences average both sides.
const AT_A_KINK: &str = "cam-follower";

#[test]
fn no_problem_states_a_wrong_derivative() {
    let mut wrong = Vec::new();
    for entry in ProblemRegistry::standard()
        .into_iter()
        .filter(|entry| entry.name != AT_A_KINK)
    {
        let mut problem = entry.build_with(&[]).expect("defaults");
        let system = problem.system.as_mut();
        let mut state = system.initial_state();
        let handling = EventHandling::Located { tolerance: 1e-12 };
        system.prepare(&mut state, handling).expect("a start");
        match check_system(system, &state) {
            Ok(report) => {
                for fault in report.faults {
                    wrong.push(format!("{}: {fault}", entry.name));
                }
            }
            Err(error) => wrong.push(format!("{}: {error}", entry.name)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
