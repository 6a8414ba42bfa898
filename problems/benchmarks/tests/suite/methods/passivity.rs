//! The energy of passive problems does not rise by more than errors explain.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, PassivityWatch, solve_observed};
use liedae::system::is_passive;
use liedae_problems::ProblemRegistry;

/// Runs all passive problems, and returns how many there are and which of them end with a rise.
fn risen(method: &str) -> (usize, Vec<String>) {
    let registry = ProblemRegistry::standard();
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("a method");
    let (mut count, mut risen) = (0, Vec::new());
    for entry in registry.entries() {
        let mut problem = entry.build_with(&[]).expect("a problem");
        if !is_passive(problem.system.as_mut()) {
            continue;
        }
        count += 1;
        let mut options = Options::adaptive(problem.t_end, 1e-6, 1e-6);
        options.max_steps = 20_000;
        let mut watch = PassivityWatch::new(&options.control);
        // Where it ends early, all up to there is judged.
        let _ = solve_observed(
            problem.system.as_mut(),
            integrator.as_ref(),
            &options,
            &mut watch,
        );
        let rise = watch.rise().expect("a passive system");
        if !rise.is_explained() {
            risen.push(format!("{}: {rise:?}", entry.name));
        }
    }
    (count, risen)
}

#[test]
fn explicit_methods_on_all_passive_problems() {
    let (count, risen) = risen("mdop5");
    println!("{count} passive problems");
    assert!(count > 30, "{count}");
    assert!(risen.is_empty(), "{risen:#?}");
}

#[test]
#[ignore = "minutes"]
fn all_kinds_of_methods_on_all_passive_problems() {
    for method in [
        "hem5",
        "dop853",
        "radau5",
        "bdf",
        "generalized-alpha",
        "phem56",
    ] {
        let (_, risen) = risen(method);
        assert!(risen.is_empty(), "{method}: {risen:#?}");
    }
}
