//! Mechanism files that nobody would write: an error with its place or a mechanism, never a panic.
//!
//! For a long time, an hour of CPU time: `LIEDAE_FUZZ_SECONDS=3600 cargo test --release -p liedae-multibody --features convex,urdf
//! --test suite mechanism_fuzz -- --ignored --nocapture`.

mod judge;
mod large;
mod mutated;
mod shaped;
mod tree;

use judge::{Judge, Verdict};
use proptest::strategy::{BoxedStrategy, Strategy};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// How a text is judged.
type Look = fn(&mut Judge, &str) -> Result<(), String>;

/// Tries so many inputs, with random numbers from a seed.
fn try_inputs(
    inputs: &BoxedStrategy<String>,
    look: Look,
    cases: u32,
    seed: u64,
    judge: &RefCell<Judge>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let mut seeds = [0; 32];
    seeds[..8].copy_from_slice(&seed.to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seeds);
    let run = TestRunner::new_with_rng(config, random).run(inputs, |text| {
        let mut judge = judge.borrow_mut();
        look(&mut judge, &text).map_err(TestCaseError::fail)
    });
    if let Err(error) = run {
        panic!("seed {seed}: {error}");
    }
}

#[test]
fn mutated_files_do_no_harm() {
    let judge = RefCell::new(Judge::default());
    try_inputs(&mutated::texts().boxed(), Judge::look_at, 600, 1, &judge);
    let judge = judge.borrow();
    assert!(judge.count(Verdict::Refused) > 100, "{judge}");
    assert!(judge.count(Verdict::Accepted) > 20, "{judge}");
}

#[test]
fn mutated_robots_do_no_harm() {
    let judge = RefCell::new(Judge::default());
    let robots = mutated::robots().boxed();
    try_inputs(&robots, Judge::look_at_robot, 600, 1, &judge);
    let judge = judge.borrow();
    assert!(judge.count(Verdict::Refused) > 50, "{judge}");
    assert!(judge.count(Verdict::Accepted) > 50, "{judge}");
}

#[test]
fn random_trees_of_the_schema_do_no_harm() {
    let judge = RefCell::new(Judge::default());
    try_inputs(&shaped::texts().boxed(), Judge::look_at, 1500, 1, &judge);
    let judge = judge.borrow();
    assert!(judge.count(Verdict::Refused) > 100, "{judge}");
    assert!(judge.count(Verdict::Accepted) > 50, "{judge}");
}

#[test]
fn large_and_deep_files_do_no_harm() {
    let judge = RefCell::new(Judge::default());
    try_inputs(&large::texts().boxed(), Judge::look_at, 40, 1, &judge);
    let judge = judge.borrow();
    assert!(judge.count(Verdict::Unread) > 5, "{judge}");
    assert!(judge.count(Verdict::Accepted) > 2, "{judge}");
}

/// CPU time of this process, which other processes cannot use up.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

/// As long as the environment says: `LIEDAE_FUZZ_SECONDS` of CPU time, a minute without it, from `LIEDAE_FUZZ_SEED` on.
#[test]
#[ignore = "as long as one likes"]
fn for_a_long_time() {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text}: expected a number")),
        Err(_) => default,
    };
    let end = Duration::from_secs(number("LIEDAE_FUZZ_SECONDS", 60));
    let kinds = [
        (mutated::texts().boxed(), Judge::look_at as Look, 400),
        (mutated::robots().boxed(), Judge::look_at_robot, 200),
        (shaped::texts().boxed(), Judge::look_at, 1000),
        (large::texts().boxed(), Judge::look_at, 4),
    ];
    // What is being looked at is found here, should the process die of it.
    let trace = std::env::temp_dir().join(format!("mechanism-fuzz-{}.toml", std::process::id()));
    let judge = RefCell::new(Judge::tracing(trace));
    let mut seed = number("LIEDAE_FUZZ_SEED", 1);
    let mut said = Instant::now();
    while cpu_time() < end {
        for (inputs, look, cases) in &kinds {
            try_inputs(inputs, *look, *cases, seed, &judge);
        }
        seed += 1;
        if said.elapsed() > Duration::from_secs(60) {
            println!("up to seed {seed}: {}", judge.borrow());
            said = Instant::now();
        }
    }
    let spent = cpu_time().as_secs();
    println!(
        "done before seed {seed} in {spent} s of CPU time: {}",
        judge.borrow()
    );
}
