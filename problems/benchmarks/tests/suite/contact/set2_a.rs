//! Mechanisms with clearances, stops and changing contacts, to their ends with three methods.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Observer, Options, StepView, solve_observed};
use liedae::system::total_energy;
use liedae_contact::ContactEvent;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

const METHODS: [&str; 3] = ["hem5", "mdop5", "generalized-alpha-stabilized"];
const TOLERANCE: f64 = 1e-6;

/// Gaps and energies of accepted steps.
#[derive(Default)]
struct Watch {
    deepest: f64,
    when: f64,
    energy: Option<f64>,
    /// Kinetic and potential energies cancel, so rises are relative to the largest change that was seen.
    first: f64,
    range: f64,
    /// Largest rise at an event, sum of the rises between events, in J.
    jump: f64,
    drift: f64,
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from, step.to);
        let (gap, energy) = step.system().uncounted(|evaluator| {
            let system = evaluator.system();
            let energy = total_energy(system, &to.point());
            let contacts = liedae_contact::unilateral(system).unwrap();
            let gaps = (0..contacts.contacts().len())
                .map(|contact| contacts.gap(contact, &to.point()).unwrap());
            (gaps.fold(f64::INFINITY, f64::min), energy.unwrap())
        });
        assert!(gap.is_finite() && energy.is_finite());
        if gap < self.deepest {
            (self.deepest, self.when) = (gap, to.t);
        }
        match self.energy {
            None => self.first = energy,
            Some(before) if from.t == to.t => self.jump = self.jump.max(energy - before),
            Some(before) => self.drift += (energy - before).max(0.0),
        }
        self.range = self.range.max((energy - self.first).abs());
        self.energy = Some(energy);
        ControlFlow::Continue(())
    }
}

/// What is expected of a problem.
struct Expected {
    name: &'static str,
    settings: &'static [&'static str],
    /// Size of the mechanism in m.
    length: f64,
    /// The energy in J that rises are compared with; none where a drive does work.
    energy: Option<f64>,
    /// Until when the events of two methods are compared: later the motion is chaotic.
    until: f64,
    /// Events that must happen.
    kinds: &'static [&'static str],
}

fn counts(events: &[EventRecord]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for event in events {
        *counts.entry(event.kind.as_str()).or_insert(0) += 1;
    }
    counts
}

/// Without the last impacts before an accumulation, whose number depends on the errors of their intervals.
fn without_tails(events: &[EventRecord]) -> Vec<&EventRecord> {
    let is_tail = |event: &EventRecord| {
        event.kind == "impact"
            && events.iter().any(|limit| {
                limit.kind == "accumulation" && (0.0..1e-5).contains(&(limit.t - event.t))
            })
    };
    events.iter().filter(|event| !is_tail(event)).collect()
}

/// Events without what is round-off: impacts of closed contacts that another impact of the same moment leaves at rest, but for a rate of
/// 1e-13 of its own.
fn counted(events: &[EventRecord]) -> Vec<&EventRecord> {
    let rate =
        |event: &EventRecord| ContactEvent::of(event).map(|contact| contact.velocity_before.abs());
    let largest = |t: f64| {
        let together = events.iter().filter(|event| event.t == t).filter_map(rate);
        together.fold(0.0, f64::max)
    };
    let counts = |event: &EventRecord| rate(event).is_none_or(|own| own >= 1e-9 * largest(event.t));
    let events = without_tails(events).into_iter();
    events.filter(|event| counts(event)).collect()
}

/// The moment up to which two sequences of events agree, and how well.
fn agreement(first: &[EventRecord], second: &[EventRecord]) -> (f64, usize, f64) {
    let (first, second) = (counted(first), counted(second));
    let mut worst: f64 = 0.0;
    for (index, (a, b)) in first.iter().zip(&second).enumerate() {
        let same = (&a.kind, &a.label) == (&b.kind, &b.label);
        if !same || (a.t - b.t).abs() > 1e-4 {
            println!(
                "  differ at {index}: {} {} {} | {} {} {}",
                a.t, a.kind, a.label, b.t, b.kind, b.label
            );
            return (a.t.min(b.t), index, worst);
        }
        worst = worst.max((a.t - b.t).abs());
    }
    if first.len() == second.len() {
        (f64::INFINITY, first.len(), worst)
    } else {
        let shorter = first.len().min(second.len());
        let longer = if first.len() > shorter {
            &first
        } else {
            &second
        };
        println!("  more events in one, from {}", longer[shorter].t);
        (longer[shorter].t, shorter, worst)
    }
}

fn examine(expected: &Expected) -> Vec<EventRecord> {
    let Expected { name, settings, .. } = *expected;
    let mut all = Vec::new();
    let mut failures = Vec::new();
    for id in METHODS {
        let mut problem = build(name, settings);
        let integrator = liedae_contact::methods()
            .build(id, &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(problem.t_end, TOLERANCE, TOLERANCE);
        let mut watch = Watch::default();
        let clock = Instant::now();
        let solved = solve_observed(problem.system.as_mut(), &*integrator, &options, &mut watch);
        let (events, steps, failure) = match solved {
            Ok(solution) => (solution.events, solution.statistics.accepted, None),
            Err(error) => {
                let reached = error.state.as_ref().map_or(f64::NAN, |state| state.t);
                let text = format!("{id} at t = {reached}: {error}");
                (error.events, error.statistics.accepted, Some(text))
            }
        };
        println!(
            "{name} {settings:?} {id}: {steps} steps, {:?}, {:?}, gap {:.1e}, energy range {:.3e} jump {:.1e} drift {:.1e}{}",
            counts(&events),
            clock.elapsed(),
            watch.deepest,
            watch.range,
            watch.jump,
            watch.drift,
            failure
                .as_deref()
                .map_or(String::new(), |text| format!(" FAILED {text}"))
        );
        if failure.is_some() {
            for event in &events[events.len().saturating_sub(16)..] {
                let velocities = ContactEvent::of(event);
                let velocities =
                    velocities.map(|c| (c.velocity_before, c.velocity_after, c.impulse));
                println!(
                    "    {:.15} {} {} {velocities:?}",
                    event.t, event.kind, event.label
                );
            }
        }
        failures.extend(failure);
        if watch.deepest < -1e-6 * expected.length {
            failures.push(format!("{id}: gap {:e} at {}", watch.deepest, watch.when));
        }
        if let Some(energy) = expected.energy
            && (watch.jump > 1e-9 * energy || watch.drift > 100.0 * TOLERANCE * energy)
        {
            failures.push(format!(
                "{id}: energy rises by {:e} at an event, {:e} between",
                watch.jump, watch.drift
            ));
        }
        for kind in expected.kinds {
            if !events.iter().any(|event| event.kind == *kind) {
                failures.push(format!("{id}: no {kind}"));
            }
        }
        all.push(events);
    }
    let (agreed, count, worst) = agreement(&all[0], &all[1]);
    println!("  {count} events agree within {worst:.1e} s, until {agreed}");
    if agreed < expected.until {
        failures.push(format!(
            "the events of hem5 and mdop5 agree until {agreed} only"
        ));
    }
    if std::env::var_os("SHOW_EVENTS").is_some() {
        for event in &all[0] {
            println!("    {:.9} {} {}", event.t, event.kind, event.label);
        }
    }
    assert!(failures.is_empty(), "{name} {settings:?}: {failures:#?}");
    all.swap_remove(0)
}

macro_rules! runs {
    ($($test:ident: $name:literal $settings:expr, $length:expr, $energy:expr, $until:expr, $kinds:expr;)*) => {$(
        #[test]
        fn $test() {
            examine(&Expected {
                name: $name,
                settings: &$settings,
                length: $length,
                energy: $energy,
                until: $until,
                kinds: &$kinds,
            });
        }
    )*};
}

runs! {
    slider_crank_with_friction: "slider-crank-clearance" [], 0.1, Some(20.0), 0.2, ["impact", "accumulation", "release"];
    slider_crank_without_friction: "slider-crank-clearance" ["mu=0"], 0.1, Some(20.0), 0.2, ["impact", "accumulation", "release"];
    slower_slider_crank: "slider-crank-clearance" ["mu=0", "clearance=0.0005", "omega=75"], 0.1, Some(5.0), 0.4, ["impact", "accumulation", "release"];
    crank_press: "press-machine" [], 0.1, Some(100.0), 2.0, ["impact", "accumulation", "release"];
    toggle_press: "press-machine" ["variant=1"], 0.1, Some(20.0), 1.0, ["impact", "release"];
    four_bar_one_clearance: "four-bar-clearance" ["clearances=1", "mu=0", "e=0.5"], 1.0, Some(10.0), 0.3, ["impact"];
    four_bar_three_bouncing_clearances: "four-bar-clearance" ["mu=0", "e=0.5"], 1.0, Some(10.0), 0.3, ["impact"];
    four_bar_three_clearances: "four-bar-clearance" ["clearances=3"], 1.0, Some(10.0), 1.0, ["slip"];
    cam_and_follower: "cam-follower" [], 0.1, None, 1.0, ["release", "impact"];
    valve_train: "cam-rocker-valve" [], 0.01, None, 0.5, ["release", "impact"];
    ratchet: "ratchet-pawl" [], 0.1, Some(0.04), 2.0, ["impact", "release"];
    geneva: "geneva-drive" [], 0.1, Some(0.09), 0.5, ["impact", "release"];
}

/// First contacts as computed by time stepping with 2e-5 s: beak, lower and upper edge of the sleeve.
#[test]
fn woodpecker_pecks_with_its_period() {
    let events = examine(&Expected {
        name: "woodpecker",
        settings: &[],
        length: 0.01,
        energy: Some(2e-3),
        until: 0.3,
        kinds: &["impact", "release", "stick", "slip"],
    });
    let times = |kind: &str, label: &str| -> Vec<f64> {
        let chosen = events
            .iter()
            .filter(|event| event.kind == kind && event.label == label);
        chosen.map(|event| event.t).collect()
    };
    let lower = times("impact", "lower sleeve");
    let lower = [lower[0], lower[2]];
    for (label, found, published) in [
        (
            "upper sleeve",
            times("impact", "upper sleeve"),
            [0.0779, 0.0816, 0.2240, 0.2277].to_vec(),
        ),
        ("beak", times("impact", "beak"), [0.0810, 0.2271].to_vec()),
        ("lower sleeve", lower.to_vec(), [0.1188, 0.2648].to_vec()),
    ] {
        println!("{label}: {found:?}");
        assert_eq!(found.len(), published.len());
        for (found, published) in found.iter().zip(published) {
            assert!(
                (found - published).abs() < 4e-4,
                "{label}: {found} {published}"
            );
        }
    }
    assert!((lower[1] - lower[0] - 0.1460).abs() < 2e-4);
}
