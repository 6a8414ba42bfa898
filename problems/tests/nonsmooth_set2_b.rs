//! Mechanisms with contacts: every run ends, nothing penetrates, no energy is won, methods agree on what happens.

use liedae::integrator::{MethodOptions, build};
use liedae::solve::{EventRecord, Observer, Options, Solution, StepView, solve_observed};
use liedae::system::Evaluator;
use liedae_problems::lookup;
use std::ops::ControlFlow;
use std::time::Instant;

const METHODS: [&str; 3] = ["hem5", "mdop5", "generalized-alpha-stabilized"];

/// Watches gaps and energy.
struct Watch {
    gaps: Vec<usize>,
    lowest_gap: f64,
    values: Vec<f64>,
    before: Option<f64>,
    reference: f64,
    scale: f64,
    rise_at_events: f64,
    rise_between: f64,
    energy_span: [f64; 2],
}

impl Watch {
    fn new(names: &[String]) -> Self {
        let gaps = (0..names.len()).filter(|&output| names[output].ends_with(".gap"));
        Self {
            gaps: gaps.collect(),
            lowest_gap: f64::INFINITY,
            values: vec![0.0; names.len()],
            before: None,
            reference: f64::NAN,
            scale: 0.0,
            rise_at_events: 0.0,
            rise_between: 0.0,
            energy_span: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (state, event) = (step.to.clone(), step.event);
        let values = &mut self.values;
        let energy = step.system().uncounted(|evaluator: &mut Evaluator| {
            evaluator.outputs(&state, values).unwrap();
            evaluator.system().energy(&state).unwrap()
        });
        for &gap in &self.gaps {
            assert!(self.values[gap].is_finite());
            self.lowest_gap = self.lowest_gap.min(self.values[gap]);
        }
        self.energy_span = [
            self.energy_span[0].min(energy),
            self.energy_span[1].max(energy),
        ];
        self.scale = self.energy_span[1] - self.energy_span[0];
        match self.before.take() {
            Some(before) => {
                self.rise_at_events = self.rise_at_events.max(energy - before);
                self.reference = energy;
            }
            None if self.reference.is_nan() => self.reference = energy,
            None => self.rise_between = self.rise_between.max(energy - self.reference),
        }
        if event {
            self.before = Some(energy);
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        false
    }
}

struct Run {
    solution: Solution,
    watch: Watch,
}

fn run(name: &str, settings: &[&str], method: &str, tolerance: f64) -> Result<Run, String> {
    let mut problem = lookup(name).unwrap().build_with(settings).unwrap();
    let mut watch = Watch::new(problem.system.output_names());
    let mut integrator = build(method, &MethodOptions::default()).unwrap();
    let options = Options::adaptive(problem.t_end, tolerance, tolerance);
    let clock = Instant::now();
    let result = solve_observed(
        problem.system.as_mut(),
        &mut *integrator,
        &options,
        &mut watch,
    );
    let wall = clock.elapsed().as_secs_f64();
    let solution = result.map_err(|error| {
        let last = error
            .events
            .iter()
            .rev()
            .take(6)
            .map(short)
            .collect::<Vec<_>>();
        format!("{name} {settings:?} {method}: {error}; {wall:.2} s; last events {last:?}")
    })?;
    let count = |kind: &str| {
        solution
            .events
            .iter()
            .filter(|event| event.kind == kind)
            .count()
    };
    println!(
        "{name:22} {:24} {method:30} steps {:6} rejected {:5} impact {:4} release {:4} stick {:3} slip {:3} accumulation {:3}  {wall:6.3} s  \
         gap {:9.1e} energy rise at events {:9.1e}, between {:9.1e} of {:.2e}",
        settings.join(" "),
        solution.statistics.accepted,
        solution.statistics.rejected.total(),
        count("impact"),
        count("release"),
        count("stick"),
        count("slip"),
        count("accumulation"),
        watch.lowest_gap,
        watch.rise_at_events,
        watch.rise_between,
        watch.scale,
    );
    Ok(Run { solution, watch })
}

fn short(event: &EventRecord) -> String {
    format!("{:.6} {} {}", event.t, event.kind, event.label)
}

/// Up to which time two lists of events agree in kinds, names and times to 1e-4 of a second; infinite when they do all
/// the way.
fn agreement(first: &[EventRecord], second: &[EventRecord]) -> f64 {
    let mut pairs = first.iter().zip(second);
    let differs = |(a, b): &(&EventRecord, &EventRecord)| {
        a.kind != b.kind || a.label != b.label || (a.t - b.t).abs() > 1e-4
    };
    match pairs.find(differs) {
        Some((a, b)) => a.t.min(b.t),
        None if first.len() == second.len() => f64::INFINITY,
        None => {
            let longer = if first.len() > second.len() {
                first
            } else {
                second
            };
            longer[first.len().min(second.len())].t
        }
    }
}

struct Case {
    name: &'static str,
    settings: &'static [&'static str],
    /// Size of the mechanism.
    length: f64,
}

const fn case(name: &'static str, settings: &'static [&'static str]) -> Case {
    Case {
        name,
        settings,
        length: 1.0,
    }
}

const CASES: [Case; 15] = [
    case("triple-pendulum-stops", &[]),
    case("chain-floor", &[]),
    case("slider-train", &[]),
    case("slider-train", &["n=5", "e=0"]),
    case("slider-train", &["n=6", "e=0.6", "line=1"]),
    case("escapement", &[]),
    case("escapement-double", &[]),
    case("rocking-table", &[]),
    case("rocking-table", &["amplitude=0"]),
    case("excavator-stops", &[]),
    case("compass-walker", &[]),
    case("shaker-stack", &[]),
    case("shaker-lever", &[]),
    case("rope-pendulum-carts", &[]),
    case("trip-breaker", &[]),
];

#[test]
fn explore() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let settings: Vec<String> = std::env::var("SET")
        .unwrap_or_default()
        .split_whitespace()
        .map(String::from)
        .collect();
    let method = std::env::var("METHOD").unwrap_or_default();
    let tolerance: f64 = std::env::var("TOL")
        .ok()
        .map_or(1e-6, |text| text.parse().unwrap());
    let events: usize = std::env::var("EVENTS")
        .ok()
        .map_or(0, |text| text.parse().unwrap());
    for case in &CASES {
        if !case.name.contains(&only) {
            continue;
        }
        let mut all: Vec<&str> = case.settings.to_vec();
        all.extend(settings.iter().map(String::as_str));
        let mut runs = Vec::new();
        for name in METHODS {
            if !name.contains(&method) {
                continue;
            }
            match run(case.name, &all, name, tolerance) {
                Ok(run) => {
                    for event in run.solution.events.iter().take(events) {
                        let contact = event
                            .contact
                            .as_ref()
                            .map(|c| (c.impulse, c.velocity_before, c.velocity_after));
                        println!("    {} {contact:.4?}", short(event));
                    }
                    runs.push(run);
                }
                Err(error) => println!("FAILED {error}"),
            }
        }
        if let [first, second, ..] = &runs[..] {
            println!(
                "   agree until {}",
                agreement(&first.solution.events, &second.solution.events)
            );
        }
        if let [first, _, third] = &runs[..] {
            println!(
                "   hem5 and alpha agree until {}",
                agreement(&first.solution.events, &third.solution.events)
            );
        }
    }
}
