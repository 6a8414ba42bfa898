//! Linkages whose rows are redundant everywhere and whose rank falls nowhere: no run may stop, or take a step of its own, where those
//! rows come to depend on each other that happen to carry the multipliers.

use super::linkages::Linkage;
use crate::random::Random;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, Solution, SolveError, StepView, solve, solve_observed};
use liedae::system::{State, System};
use nalgebra::{Rotation3, Vector3};
use std::ops::ControlFlow;

/// The largest error of a body's position on the way, where the motion is known, and the longest step.
struct Check<'l> {
    linkage: &'l Linkage,
    tilt: Rotation3<f64>,
    samples: usize,
    worst: f64,
    longest: f64,
}

impl Check<'_> {
    fn error(&self, state: &State) -> f64 {
        let [angle, rate] = self.linkage.start;
        let poses = self.linkage.poses(angle + rate * state.t, rate);
        let errors = poses.iter().enumerate().map(|(body, pose)| {
            let [x, y] = pose.position;
            let found = Vector3::from_column_slice(&state.q[12 * body..12 * body + 3]);
            (found - self.tilt * Vector3::new(x, y, 0.0)).norm()
        });
        errors.fold(0.0, |max, error| {
            if error > max || error.is_nan() {
                error
            } else {
                max
            }
        })
    }
}

impl Observer for Check<'_> {
    fn observe(&mut self, view: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (view.from.t, view.to.t);
        self.longest = self.longest.max(to - from);
        for sample in 1..=self.samples {
            let t = from + (to - from) * sample as f64 / self.samples as f64;
            let error = self.error(view.at(t));
            if error > self.worst || error.is_nan() {
                self.worst = error;
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

fn tilt(random: &mut Random) -> Rotation3<f64> {
    let [roll, pitch, yaw] = [(); 3].map(|()| random.between(-3.0, 3.0));
    Rotation3::from_euler_angles(roll, pitch, yaw)
}

fn run(
    system: &mut dyn System,
    method: &str,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve_observed(system, method.as_ref(), options, observer)
}

/// Driven linkages over so many turns; what is wrong with a run goes into `objections`.
fn driven(
    seed: u64,
    method: &str,
    options: impl Fn(f64) -> Options,
    bounds: [f64; 2],
    objections: &mut Vec<String>,
) -> usize {
    let mut random = Random::new(seed);
    let linkage = Linkage::random(&mut random);
    let tilt = tilt(&mut random);
    let mut system = linkage.in_space(&tilt, true);
    let options = options(std::f64::consts::TAU / linkage.start[1]);
    let mut check = Check {
        linkage: &linkage,
        tilt,
        samples: 4,
        worst: 0.0,
        longest: 0.0,
    };
    let found = run(system.as_mut(), method, &options, &mut check);
    let what = format!("{} {seed} {method}", linkage.name);
    match found {
        Ok(solution) => {
            let error = check.error(&solution.state);
            let [end, way] = bounds;
            let events = solution.events.len();
            println!(
                "{what}: end {error:.1e}, on the way {:.1e}, {} steps, {} rejected, longest {:.1e}, {events} events",
                check.worst,
                solution.statistics.accepted,
                solution.statistics.rejected.total(),
                check.longest,
            );
            let bad = |error: f64, bound: f64| error.is_nan() || error > bound;
            if bad(error, end) || bad(check.worst, way) || events > 0 {
                objections.push(format!(
                    "{what}: end {error:.1e}, on the way {:.1e}, {:?}",
                    check.worst, solution.events
                ));
            }
            solution.statistics.accepted
        }
        Err(error) => {
            objections.push(format!("{what}: {error}"));
            0
        }
    }
}

fn whole_turns(seeds: std::ops::Range<u64>) {
    let mut objections = Vec::new();
    for seed in seeds {
        let options = |turn: f64| Options::adaptive(1.1 * turn, 1e-9, 1e-9);
        driven(seed, "hem5", options, [1e-7, 1e-6], &mut objections);
    }
    assert!(
        objections.is_empty(),
        "{}\n{}",
        objections.len(),
        objections.join("\n")
    );
}

#[test]
fn regular_linkages_have_no_singular_configuration() {
    whole_turns(0..20);
}

#[test]
#[ignore = "minutes"]
fn regular_linkages_have_no_singular_configuration_of_500() {
    whole_turns(0..500);
}

/// The same for every method, with constant steps and adaptive ones: none is longer than asked for.
fn all_methods(seeds: std::ops::Range<u64>) {
    let mut objections = Vec::new();
    for entry in liedae_contact::methods() {
        let method = entry.method;
        for seed in seeds.clone() {
            let first = method.orders.q < 2;
            if method.fixed_step_by_default || method.name == "radau5" {
                let options = |turn: f64| Options::fixed(1.1 * turn, turn / 1000.0);
                let bound = if first { 5e-2 } else { 1e-3 };
                driven(seed, method.name, options, [bound; 2], &mut objections);
            }
            // `rk4` has no estimate where a drive leaves no freedom.
            if method.is_adaptive() && !first && method.name != "rk4" {
                let options = |turn: f64| Options {
                    max_steps: 100_000,
                    ..Options::adaptive(1.1 * turn, 1e-6, 1e-6)
                };
                driven(seed, method.name, options, [1e-3; 2], &mut objections);
            }
        }
    }
    assert!(
        objections.is_empty(),
        "{}\n{}",
        objections.len(),
        objections.join("\n")
    );
}

#[test]
fn no_method_meets_a_singular_configuration_in_a_regular_linkage() {
    all_methods(0..3);
}

#[test]
#[ignore = "minutes"]
fn no_method_meets_a_singular_configuration_in_30_regular_linkages() {
    all_methods(0..30);
}

/// Without a drive, under gravity: against the plane mechanism, which has no redundant rows.
fn free(seeds: std::ops::Range<u64>) {
    let mut objections = Vec::new();
    for seed in seeds {
        let mut random = Random::new(seed);
        let linkage = Linkage::random(&mut random);
        let tilt = tilt(&mut random);
        let t_end = 2.0;
        let reference = {
            let options = Options::adaptive(t_end, 1e-12, 1e-12);
            let method = liedae_contact::methods()
                .build("dop853", &MethodOptions::default())
                .expect("registered");
            solve(linkage.in_the_plane().as_mut(), method.as_ref(), &options).expect("solved")
        };
        let options = Options::adaptive(t_end, 1e-9, 1e-9);
        let mut system = linkage.in_space(&tilt, false);
        let found = run(
            system.as_mut(),
            "hem5",
            &options,
            &mut liedae::solve::Silent,
        );
        let what = format!("{} {seed}", linkage.name);
        match found {
            Ok(solution) => {
                let bodies = reference.state.q.chunks_exact(3).enumerate();
                let errors = bodies.map(|(body, place)| {
                    let q = &solution.state.q[12 * body..12 * body + 3];
                    let expected = tilt * Vector3::new(place[0], place[1], 0.0);
                    (Vector3::from_column_slice(q) - expected).norm()
                });
                let error = errors.fold(0.0, |max: f64, error| {
                    if error > max || error.is_nan() {
                        error
                    } else {
                        max
                    }
                });
                println!(
                    "{what}: {error:.1e}, {} steps",
                    solution.statistics.accepted
                );
                if error.is_nan() || error > 1e-6 || !solution.events.is_empty() {
                    objections.push(format!("{what}: {error:.1e}, {:?}", solution.events));
                }
            }
            Err(error) => objections.push(format!("{what}: {error}")),
        }
    }
    assert!(
        objections.is_empty(),
        "{}\n{}",
        objections.len(),
        objections.join("\n")
    );
}

#[test]
fn regular_linkages_move_in_space_as_in_the_plane() {
    free(0..20);
}

#[test]
#[ignore = "minutes"]
fn regular_linkages_move_in_space_as_in_the_plane_of_500() {
    free(0..500);
}
