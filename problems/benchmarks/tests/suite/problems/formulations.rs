//! Every row of the open test set can be stated in another code: by the file of its mechanism, or by its formulation.

use liedae::system::System;
use liedae_multibody::MultibodySystem;
use liedae_multibody::plane::PlaneMechanism;
use liedae_problems::catalogue::TEST_SETS;
use liedae_problems::{Cell, Formulation, ProblemError, ProblemRegistry};
use std::any::TypeId;

/// Whether a file holds the numbers of the system, or of one that it wraps.
fn is_mechanism(system: &mut dyn System) -> bool {
    let kinds = [
        TypeId::of::<MultibodySystem>(),
        TypeId::of::<PlaneMechanism>(),
    ];
    kinds
        .into_iter()
        .any(|kind| system.extension(kind).is_some())
}

/// What is wrong with a formulation.
fn faults(formulation: &Formulation) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = &formulation.equations;
    if !lines.iter().any(|line| line.contains('=')) {
        faults.push("no equation".to_owned());
    }
    if let Some(line) = lines.iter().find(|line| !line.is_ascii()) {
        faults.push(format!("not ASCII: {line}"));
    }
    for table in &formulation.tables {
        let title = &table.title;
        if table.rows.is_empty() {
            faults.push(format!("{title}: no rows"));
        }
        let columns = table.columns.len();
        if table.rows.iter().any(|row| row.len() != columns) {
            faults.push(format!("{title}: a row without {columns} entries"));
        }
        let is_number = |cell: &Cell| !matches!(cell, Cell::Number(value) if !value.is_finite());
        if !table.rows.iter().flatten().all(is_number) {
            faults.push(format!("{title}: a number that is not finite"));
        }
    }
    faults
}

#[test]
fn rows_without_a_file_have_equations_and_numbers() -> Result<(), ProblemError> {
    let mut wrong = Vec::new();
    let mut stated = 0;
    for row in TEST_SETS.iter().flat_map(|set| set.rows) {
        let (name, settings) = row.parts();
        let entry = ProblemRegistry::standard().lookup(name)?;
        let mut problem = entry.build_with(&settings)?;
        match &problem.formulation {
            Some(formulation) => {
                stated += 1;
                let faults = faults(formulation).into_iter();
                wrong.extend(faults.map(|fault| format!("{}: {fault}", row.problem)));
            }
            None if is_mechanism(problem.system.as_mut()) => {}
            None => wrong.push(format!("{}: no formulation", row.problem)),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(stated > 30, "{stated}");
    Ok(())
}
