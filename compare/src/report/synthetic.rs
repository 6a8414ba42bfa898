//! A comparison whose results are made up: for pages of any size, and for the tests in a browser.

use super::comparison;
use crate::comparison::{Comparison, Definition, Plan, variants};
use crate::error::{CommandError, Status};
use crate::experiment::{Instance, Limits, Repeat, Subject, WorkPoint};
use crate::provenance::Provenance;
use crate::registry::Registry;
use crate::store::Source;
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

/// Every problem and every method of the registries at this many tolerances, or some of them.
fn plan(problems: usize, methods: &str, tolerances: usize) -> Result<Plan, CommandError> {
    let registry = ProblemRegistry::standard();
    let names: Vec<&str> = registry.names().collect();
    let instances = (0..problems).map(|index| {
        let mut instance = Instance::read(&registry, names[index % names.len()])?;
        if index >= names.len() {
            instance
                .label
                .push_str(&format!(" ({})", index / names.len() + 1));
        }
        Ok(Subject {
            instance,
            survey: Err("nobody looked".to_owned()),
            also: Vec::new(),
        })
    });
    Ok(Plan {
        problems: instances.collect::<Result<_, CommandError>>()?,
        variants: variants(&Registry::standard(), methods, None, None, None, None)?,
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
