//! A comparison whose results are made up: for pages of any size, and for the tests in a browser.

use super::comparison;
use crate::comparison::{Comparison, Definition, Plan, Shard, difference, variants};
use crate::error::{CommandError, Status};
use crate::experiment::{Instance, Limits, Measurement, Repeat, Subject, Timing, WorkPoint};
use crate::provenance::Provenance;
use crate::registry::Registry;
use crate::store::{RunRecord, Source, Store};
use liedae_problems::ProblemRegistry;
use std::time::Duration;

/// Results that look like those of real methods: an order, a cost of a step, some failures, one without a reference.
fn made_up(plan: &Plan) -> (Vec<WorkPoint>, Vec<Source>) {
    let (mut points, mut sources) = (Vec::new(), Vec::new());
    for (place, subject) in plan.problems.iter().enumerate() {
        sources.push(Source {
            problem: subject.label().to_owned(),
            source: "made up".to_owned(),
            agreed_digits: None,
            rates: 3 + place % 4,
            determined: place == 3,
            loses_energy_at_events: None,
            picture: None,
        });
        for variant in &plan.variants {
            let (kind, order) = (variant.number, 2.0 + (variant.number % 5) as f64);
            for &tolerance in &plan.tolerances {
                let fails = (place * 7 + kind * 3) % 23 == 0;
                let steps =
                    (1.0 + 0.3 * ((place * kind) % 7) as f64) * 40.0 * tolerance.powf(-1.0 / order);
                let (accepted, force) = (steps as usize, (steps * order) as usize);
                points.push(WorkPoint {
                    problem: subject.label().to_owned(),
                    variant: variant.name.clone(),
                    tolerance: (!variant.fixed).then_some(tolerance),
                    step: variant.fixed.then_some(1.0 / steps),
                    status: if fails { Status::Failed } else { Status::Done },
                    reason: if fails {
                        "the limit of steps was reached <at once>".to_owned()
                    } else {
                        String::new()
                    },
                    t_reached: Some(10.0),
                    events: 0,
                    impacts: 0,
                    energy_rise: None,
                    penetration: None,
                    error_end: (!fails && place != 5)
                        .then_some(tolerance * (1 + (kind * 13 + place * 5) % 40) as f64 * 4.0),
                    error_samples: None,
                    wall_s: 1e-6 * steps * (1 + kind % 4) as f64,
                    cpu_s: Some(0.9e-6 * steps * (1 + kind % 4) as f64),
                    wall_median_s: 1.1e-6 * steps * (1 + kind % 4) as f64,
                    cpu_median_s: Some(1e-6 * steps * (1 + kind % 4) as f64),
                    spread: 0.1,
                    repetitions: 3,
                    shared: false,
                    accepted,
                    rejected: accepted / 10,
                    force,
                    constraint: 2 * force,
                    jacobian: accepted,
                    mass: accepted,
                    factorizations: if kind % 6 == 0 { 0 } else { accepted },
                    solves: force,
                    newton_iterations: 0,
                    violation_position: Some(1e-12),
                    violation_velocity: Some(1e-12),
                });
            }
        }
    }
    (points, sources)
}

/// The same results in a store, as runs leave them there.
fn kept(plan: &Plan) -> Result<Store, CommandError> {
    let store = Store::in_memory()?;
    let provenance = Provenance::now(1, "of runs that were made up");
    let session = store.begin(
        &serde_json::to_string(&provenance)?,
        &serde_json::to_string(&Definition::of(plan))?,
    )?;
    let (points, sources) = made_up(plan);
    for (place, source) in sources.iter().enumerate() {
        store.keep_source(&plan.problem_key(place), source)?;
    }
    let ladders = plan.ladders(Shard::default()).into_iter();
    let keys = ladders.flat_map(|ladder| plan.run_keys(ladder));
    for (key, point) in keys.zip(&points) {
        let timing = Timing {
            wall_s: point.wall_s,
            cpu_s: point.cpu_s,
        };
        session.keep(&RunRecord {
            key: &key,
            version: "made up",
            time_limit_s: plan.limits.time.as_secs_f64(),
            point,
            measurement: &Measurement {
                timings: vec![timing; point.repetitions],
                end: Some(vec![1.0]),
                ..Measurement::default()
            },
            outputs: &["x".to_owned()],
            keep_samples: false,
        })?;
    }
    session.end(&serde_json::to_string(&provenance)?)?;
    Ok(store)
}

/// So many problems of the registry at this many tolerances; those beyond its end are the first again.
fn plan(problems: usize, methods: &str, tolerances: usize) -> Result<Plan, CommandError> {
    let registry = ProblemRegistry::standard();
    let names: Vec<&str> = registry.names().collect();
    let subjects = (0..problems).map(|index| {
        let mut instance = Instance::read(&registry, names[index % names.len()])?;
        let survey = Subject::look(&instance)?;
        if index >= names.len() {
            instance
                .label
                .push_str(&format!(" ({})", index / names.len() + 1));
        }
        Ok(Subject {
            instance,
            survey,
            also: Vec::new(),
        })
    });
    Ok(Plan {
        problems: subjects.collect::<Result<_, CommandError>>()?,
        variants: variants(&Registry::standard(), methods, None, None, None, None, None)?,
        tolerances: (0..tolerances)
            .map(|index| 10.0_f64.powi(-3 - index as i32))
            .collect(),
        limits: Limits {
            time: Duration::from_secs(60),
            max_steps: None,
        },
        repeat: Repeat::SHORT,
    })
}

fn page(plan: &Plan) -> Result<(String, usize), CommandError> {
    let (runs, references) = made_up(plan);
    let compared = Comparison {
        definition: Definition::of(plan),
        runs,
        references,
        provenance: vec![Provenance::now(1, "of runs that were made up")],
    };
    Ok((comparison(&compared)?.html()?, compared.runs.len()))
}

/// The pages that `tests/browser` opens, in the folder that LIEDAE_PAGES names, if it is set.
#[test]
fn pages_for_the_browser() -> Result<(), Box<dyn std::error::Error>> {
    let small = page(&plan(6, "hem5,radau5,bdf,half-implicit", 4)?)?;
    assert_eq!(small.0.matches("<tr id=\"r").count(), small.1);
    // Errors are four to 160 tolerances: those above 100 are marked.
    let marks = small.0.matches("class=\"far\"").count();
    assert!(marks > 0 && marks == small.0.matches(" tolerances</td>").count());
    let mut large = plan(70, "all", 4)?;
    while large.problems.len() * large.variants.len() * large.tolerances.len() < 10_000 {
        large
            .tolerances
            .push(0.1 * large.tolerances.last().copied().unwrap_or(0.1));
    }
    let large = page(&large)?;
    assert!(large.1 >= 10_000);
    assert_eq!(large.0.matches("<tr id=\"r").count(), large.1);
    if let Some(folder) = std::env::var_os("LIEDAE_PAGES") {
        let folder = std::path::Path::new(&folder);
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("small.html"), &small.0)?;
        std::fs::write(folder.join("large.html"), &large.0)?;
    }
    Ok(())
}

/// Seventy problems with ten methods, by way of a store: every run is in the report and in the table of results.
#[test]
fn a_large_comparison_is_reported_from_its_store() -> Result<(), Box<dyn std::error::Error>> {
    let methods =
        "hem5,mdop5,dop853,phem56,radau5,bdf,extrapolation,generalized-alpha,half-implicit,rattle";
    let plan = plan(70, methods, 3)?;
    let compared = Comparison::of(&kept(&plan)?)?;
    let runs = 70 * plan.variants.len() * 3;
    // Some methods have a ladder of fixed steps, too.
    assert!(plan.variants.len() > 10 && compared.runs.len() == runs);
    assert_eq!(compared.references.len(), 70);
    let (points, _) = made_up(&plan);
    let order = |points: &[WorkPoint]| -> Vec<(String, String)> {
        let names = points.iter();
        names
            .map(|point| (point.problem.clone(), point.variant.clone()))
            .collect()
    };
    assert_eq!(order(&compared.runs), order(&points));
    let folder = tempfile::tempdir()?;
    let files = compared.report(folder.path())?;
    let [csv, html] = files.as_slice() else {
        panic!("two files: {files:?}");
    };
    assert_eq!(std::fs::read_to_string(csv)?.lines().count(), 1 + runs);
    let html = std::fs::read_to_string(html)?;
    assert_eq!(html.matches("<tr id=\"r").count(), runs);
    for subject in &plan.problems {
        assert!(html.contains(subject.label()), "{}", subject.label());
    }
    Ok(())
}

/// An error that is not a number is no missing reference: from the store to reports and differences it stays what it is, and no run with
/// it counts as solved.
#[test]
fn an_error_that_is_not_a_number_is_kept() -> Result<(), Box<dyn std::error::Error>> {
    let plan = plan(1, "hem5", 3)?;
    let (mut points, sources) = made_up(&plan);
    for point in &mut points {
        (point.status, point.reason) = (Status::Done, String::new());
        point.error_end = point.tolerance;
    }
    let known = points.clone();
    points[1].error_end = None;
    points[2].error_end = Some(f64::INFINITY);
    points[2].violation_position = Some(f64::INFINITY);
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let written = |points: &[WorkPoint], name: &str| -> Result<Store, CommandError> {
        let store = Store::open(&path(name))?;
        let definition = serde_json::to_string(&Definition::of(&plan))?;
        let provenance = serde_json::to_string(&Provenance::default())?;
        let session = store.begin(&provenance, &definition)?;
        store.keep_source(&plan.problem_key(0), &sources[0])?;
        let ladder = plan.ladders(Shard::default())[0];
        for (key, point) in plan.run_keys(ladder).iter().zip(points) {
            session.keep(&RunRecord {
                key,
                version: "made up",
                time_limit_s: 60.0,
                point,
                measurement: &Measurement::default(),
                outputs: &[],
                keep_samples: false,
            })?;
        }
        session.end(&provenance)?;
        Ok(store)
    };
    drop(written(&points, "one.sqlite")?);
    let merged = Store::open(&path("merged.sqlite"))?;
    assert_eq!(merged.merge(&path("one.sqlite"))?.taken, 3);
    let again = merged.merge(&path("one.sqlite"))?;
    assert_eq!((again.equal, again.different), (3, 0));
    let compared = Comparison::of(&merged)?;
    assert_eq!(compared.runs, points);
    // What this process prints as JSON it reads again.
    let text = serde_json::to_string(&points)?;
    assert!(text.contains("\"error_end\":\"Infinity\""), "{text}");
    assert_eq!(serde_json::from_str::<Vec<WorkPoint>>(&text)?, points);
    // Against runs with errors that are known.
    let other = Comparison::of(&written(&known, "two.sqlite")?)?;
    let found = difference(&compared, &other).changed;
    let errors: Vec<&str> = (found.iter().filter(|changed| changed.column == "error_end"))
        .map(|changed| changed.first.as_str())
        .collect();
    assert_eq!(errors, ["–", "inf"]);
    let html = comparison(&compared)?.html()?;
    assert!(html.contains("the error is not a number"), "{html}");
    assert!(merged.merge(&path("two.sqlite"))?.different > 0);
    Ok(())
}
