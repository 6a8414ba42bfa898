//! Mechanisms with contacts: every run ends, nothing penetrates, no energy is won, methods agree on what happens.

use liedae::integrator::MethodOptions;
use liedae::solve::{EventRecord, Observer, Options, Solution, StepView, solve_observed};
use liedae::system::{Evaluator, output_names, total_energy};
use liedae_contact::ContactEvent;
use liedae_problems::ProblemRegistry;
use std::ops::ControlFlow;
use std::time::Instant;

/// Relative and absolute.
const TOLERANCE: f64 = 1e-6;

const METHODS: [&str; 3] = ["hem5", "mdop5", "generalized-alpha-stabilized"];

/// Watches gaps and energy.
struct Watch {
    gaps: Vec<usize>,
    lowest_gap: f64,
    values: Vec<f64>,
    before: Option<f64>,
    reference: f64,
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
            total_energy(evaluator.system(), &state.point()).unwrap()
        });
        for &gap in &self.gaps {
            assert!(self.values[gap].is_finite());
            self.lowest_gap = self.lowest_gap.min(self.values[gap]);
        }
        self.energy_span = [
            self.energy_span[0].min(energy),
            self.energy_span[1].max(energy),
        ];
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
}

struct Run {
    solution: Solution,
    watch: Watch,
}

/// Runs a problem to its end, or to `end` where that is earlier.
fn run(name: &str, settings: &[&str], method: &str, end: f64) -> Result<Run, String> {
    let mut problem = ProblemRegistry::standard()
        .lookup(name)
        .unwrap()
        .build_with(settings)
        .unwrap();
    let mut watch = Watch::new(output_names(&mut problem.system));
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let options = Options::adaptive(problem.t_end.min(end), TOLERANCE, TOLERANCE);
    let clock = Instant::now();
    let result = solve_observed(problem.system.as_mut(), &*integrator, &options, &mut watch);
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
        watch.energy_span[1] - watch.energy_span[0],
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

/// A problem and what is expected of it.
struct Case {
    name: &'static str,
    settings: &'static [&'static str],
    /// Size of the mechanism in m.
    length: f64,
    /// Nothing feeds energy in between events or at them.
    passive: bool,
    /// Up to when the methods must agree on events; later the motion has amplified their errors.
    agree: f64,
    /// End of the run with generalized-alpha, where it would take too long to the end.
    alpha_end: f64,
}

const CASE: Case = Case {
    name: "",
    settings: &[],
    length: 1.0,
    passive: true,
    agree: f64::INFINITY,
    alpha_end: f64::INFINITY,
};

/// Runs all methods and checks everything that is asked of every problem; the runs.
fn check(case: &Case) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut wrong = Vec::new();
    for method in METHODS {
        let end = if method.starts_with("generalized") {
            case.alpha_end
        } else {
            f64::INFINITY
        };
        match run(case.name, case.settings, method, end) {
            Ok(run) => runs.push((method, run)),
            Err(error) => wrong.push(error),
        }
    }
    for (method, run) in &runs {
        let watch = &run.watch;
        let scale = watch.energy_span[1] - watch.energy_span[0];
        if watch.lowest_gap < -1e-6 * case.length {
            wrong.push(format!("{method}: a gap of {:e} m", watch.lowest_gap));
        }
        if case.passive && watch.rise_at_events > 1e-9 * scale {
            let rise = watch.rise_at_events;
            wrong.push(format!(
                "{method}: {rise:e} J of {scale:e} J won at an event"
            ));
        }
        if case.passive && watch.rise_between > 10.0 * TOLERANCE * scale {
            let rise = watch.rise_between;
            wrong.push(format!(
                "{method}: {rise:e} J of {scale:e} J won between events"
            ));
        }
        let (_, first) = &runs[0];
        let until = agreement(&first.solution.events, &run.solution.events);
        if until < case.agree.min(run.solution.state.t) {
            wrong.push(format!(
                "{} and {method} agree on events until {until} s",
                runs[0].0
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} {:?}:\n{}",
        case.name,
        case.settings,
        wrong.join("\n")
    );
    runs.into_iter().map(|(_, run)| run).collect()
}

fn times<'r>(run: &'r Run, kind: &'r str, label: &'r str) -> impl Iterator<Item = f64> + 'r {
    let events = run.solution.events.iter();
    events
        .filter(move |event| event.kind == kind && event.label == label)
        .map(|event| event.t)
}

/// Every stop of all joints is hit.
#[test]
fn triple_pendulum_stops() {
    for run in check(&Case {
        name: "triple-pendulum-stops",
        ..CASE
    }) {
        for joint in 1..=3 {
            for side in ["low", "high"] {
                let stop = format!("joint{joint}-{side}");
                assert!(times(&run, "impact", &stop).count() > 0, "{stop}");
            }
        }
    }
}

/// All seven nodes that can reach the floor do so.
#[test]
fn chain_floor() {
    let runs = check(&Case {
        name: "chain-floor",
        length: 1.1,
        agree: 1.6,
        alpha_end: 0.6,
        ..CASE
    });
    for run in &runs[..2] {
        for node in 5..=11 {
            assert!(
                times(run, "impact", &format!("node{node}")).count() > 0,
                "{node}"
            );
        }
    }
}

/// Uniform motion between impacts of two bodies at a time: moments and walls or balls in order.
fn exact_impacts(count: usize, e: f64, t_end: f64) -> Vec<(f64, String)> {
    let mut x: Vec<f64> = (0..count).map(|ball| 0.4 * (ball as f64 + 0.5)).collect();
    let mut v: Vec<f64> = (0..count)
        .map(|ball| (2.3 * ball as f64).cos() + 0.1)
        .collect();
    let (mut t, mut impacts) = (0.0, Vec::new());
    loop {
        let gap = |i: usize| match i {
            0 => (x[0] - 0.05, v[0]),
            _ if i == count => (0.4 * count as f64 - 0.05 - x[count - 1], -v[count - 1]),
            _ => (x[i] - x[i - 1] - 0.1, v[i] - v[i - 1]),
        };
        let next = (0..=count)
            .filter(|&i| gap(i).1 < 0.0)
            .map(|i| (-gap(i).0 / gap(i).1, i))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((wait, i)) = next.filter(|(wait, _)| t + wait < t_end) else {
            return impacts;
        };
        t += wait;
        for (x, v) in x.iter_mut().zip(&v) {
            *x += wait * v;
        }
        if i == 0 || i == count {
            v[i.saturating_sub(1)] *= -e;
        } else {
            let (mean, difference) = (0.5 * (v[i] + v[i - 1]), v[i] - v[i - 1]);
            (v[i - 1], v[i]) = (mean + 0.5 * e * difference, mean - 0.5 * e * difference);
        }
        let label = match i {
            0 => "left".to_owned(),
            _ if i == count => "right".to_owned(),
            _ => format!("balls{i}-{}", i + 1),
        };
        impacts.push((t, label));
    }
}

#[test]
fn balls_between_walls_follow_the_closed_form() {
    let expected = exact_impacts(3, 0.9, 5.0);
    for run in check(&Case {
        name: "slider-train",
        ..CASE
    }) {
        let events = &run.solution.events;
        assert_eq!(events.len(), expected.len());
        for (event, (t, label)) in events.iter().zip(&expected) {
            assert!(
                event.kind == "impact" && event.label == *label,
                "{}",
                short(event)
            );
            assert!((event.t - t).abs() < 1e-10, "{} instead of {t}", event.t);
        }
    }
}

/// Momentum is what the balls began with and what the walls gave, for elastic and plastic impacts.
#[test]
fn walls_give_the_momentum_of_the_balls() {
    let plastic: &[&str] = &["n=5", "e=0"];
    for (settings, count) in [(&[][..], 3), (plastic, 5)] {
        for run in check(&Case {
            name: "slider-train",
            settings,
            ..CASE
        }) {
            let begin: f64 = (0..count)
                .map(|ball| (2.3 * f64::from(ball)).cos() + 0.1)
                .sum();
            let walls = run.solution.events.iter().map(|event| {
                let impulse = ContactEvent::of(event).map_or(0.0, |contact| contact.impulse);
                match event.label.as_str() {
                    "left" => impulse,
                    "right" => -impulse,
                    _ => 0.0,
                }
            });
            let end: f64 = run.solution.state.v.iter().step_by(3).sum();
            let balance = begin + walls.sum::<f64>() - end;
            assert!(balance.abs() < 1e-10, "{balance:e}");
        }
    }
}

/// The stack ends at rest, ball on ball.
#[test]
fn stack_comes_to_rest() {
    let settings = &["n=6", "e=0.6", "line=1"];
    for run in check(&Case {
        name: "slider-train",
        settings,
        ..CASE
    }) {
        for ball in 0..6 {
            let height = 0.05 + 0.1 * ball as f64;
            assert!((run.solution.state.q[3 * ball + 1] - height).abs() < 1e-9);
            assert!(run.solution.state.v[3 * ball + 1].abs() < 1e-9);
        }
    }
}

/// Both pins catch teeth, the fork is driven from both sides, and the balance goes on swinging.
#[test]
fn escapement() {
    for run in check(&Case {
        name: "escapement",
        ..CASE
    }) {
        for contact in [
            "entry-pin",
            "exit-pin",
            "fork-left",
            "fork-right",
            "banking-low",
            "banking-high",
        ] {
            assert!(times(&run, "impact", contact).count() > 1, "{contact}");
        }
        // Eight beats of half a tooth each.
        let advance = run.solution.state.q[2] / (0.5 * std::f64::consts::TAU / 15.0);
        assert!((-9.0..-6.0).contains(&advance), "{advance} beats");
    }
}

/// The barrel arrives at its stop within the run.
#[test]
fn escapement_double() {
    for run in check(&Case {
        name: "escapement-double",
        // Behind this the events of generalized-alpha are others than those of the explicit methods.
        agree: 0.37,
        ..CASE
    }) {
        assert!(times(&run, "impact", "stop-work").count() > 0);
    }
}

/// The block begins to rock when the table's acceleration reaches g b/h.
#[test]
fn rocking_table() {
    let (frequency, amplitude) = (1.5 * std::f64::consts::TAU, 0.04);
    let expected = (9.81 * 0.2 / (amplitude * frequency * frequency)).asin() / frequency;
    for run in check(&Case {
        name: "rocking-table",
        passive: false,
        ..CASE
    }) {
        let first = &run.solution.events[0];
        assert!(
            first.kind == "release" && (first.t - expected).abs() < 1e-6,
            "{}",
            short(first)
        );
    }
}

/// On a fixed table the speed of arrival falls by Housner's ratio from impact to impact.
#[test]
fn rocking_on_a_fixed_table() {
    let inertia = (0.04 + 1.0) / 3.0 + 1.0;
    let ratio = (inertia - 0.04) / (inertia + 0.04);
    for run in check(&Case {
        name: "rocking-table",
        settings: &["amplitude=0"],
        ..CASE
    }) {
        let impacts = run
            .solution
            .events
            .iter()
            .filter(|event| event.kind == "impact");
        let speeds: Vec<f64> = impacts
            .map(|event| ContactEvent::of(event).unwrap().velocity_before)
            .collect();
        assert!(speeds.len() > 3);
        for pair in speeds.windows(2) {
            assert!(
                (pair[1] / pair[0] - ratio).abs() < 1e-5,
                "{} {ratio}",
                pair[1] / pair[0]
            );
        }
    }
}

#[test]
fn excavator_stops() {
    for run in check(&Case {
        name: "excavator-stops",
        length: 10.0,
        ..CASE
    }) {
        for stop in ["boom-cylinder-retracted", "bucket-cylinder-extended"] {
            assert!(times(&run, "impact", stop).count() > 0, "{stop}");
        }
    }
}

/// It takes more than three steps: either foot strikes the ground with 0.5 m/s and more.
#[test]
fn compass_walker() {
    for run in check(&Case {
        name: "compass-walker",
        ..CASE
    }) {
        let strikes = run.solution.events.iter().filter(|event| {
            let before = ContactEvent::of(event).map_or(0.0, |contact| contact.velocity_before);
            event.label.starts_with("foot") && before < -0.5
        });
        let feet: Vec<&str> = strikes.map(|event| event.label.as_str()).collect();
        assert!(feet.len() > 3, "{feet:?}");
        assert!(feet.windows(2).all(|pair| pair[0] != pair[1]), "{feet:?}");
    }
}

/// Take-off and first impact in closed form.
#[test]
fn shaker_stack() {
    for run in check(&Case {
        name: "shaker-stack",
        passive: false,
        ..CASE
    }) {
        let release = times(&run, "release", "table-lower").next().unwrap();
        let impact = times(&run, "impact", "table-lower").next().unwrap();
        assert!((release - 0.025_633_171_126_521).abs() < 1e-7, "{release}");
        assert!((impact - 0.261_828_890_926_892).abs() < 1e-7, "{impact}");
    }
}

#[test]
fn shaker_lever() {
    for run in check(&Case {
        name: "shaker-lever",
        passive: false,
        ..CASE
    }) {
        assert!(times(&run, "release", "end").count() > 1);
    }
}

#[test]
fn rope_pendulum_carts() {
    for run in check(&Case {
        name: "rope-pendulum-carts",
        ..CASE
    }) {
        assert!(times(&run, "impact", "rope-left").count() > 1);
        assert!(times(&run, "impact", "rope-right").count() > 1);
    }
}

/// The contact opens and the arm comes to its stop.
#[test]
fn trip_breaker() {
    for run in check(&Case {
        name: "trip-breaker",
        length: 0.1,
        ..CASE
    }) {
        assert!(
            times(&run, "impact", "arm-high")
                .next()
                .is_some_and(|t| t < 0.03)
        );
        assert!(
            (run.solution.state.q[11] - 0.9).abs() < 1e-6,
            "{}",
            run.solution.state.q[11]
        );
    }
}
