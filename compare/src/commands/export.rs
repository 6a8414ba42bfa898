//! `liedae export`: a problem as a mechanism file.

use crate::cli::ProblemArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Case, Instance};
use crate::output::{note, print};
use crate::registry::Registry;
use liedae_contact::NonsmoothSystem;
use liedae_multibody::MultibodySystem;
use liedae_multibody::file::{MechanismFile, NotExported};
use std::any::{Any, TypeId};
use thiserror::Error;

/// Why a problem is not written as a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Refusal {
    /// Other coordinates, or no mechanism at all.
    #[error("it is no mechanism in space with rotation matrices, which files state")]
    OtherSystem,
    #[error("the mechanism is not written as a file: {0}")]
    Part(#[from] NotExported),
}

/// Prints it.
pub fn export(registry: &Registry, arguments: &ProblemArgs) -> Result<Status, CommandError> {
    let instance = Instance::read(registry.problems(), &arguments.problem)?;
    let instance = instance.with(&arguments.settings, arguments.t_end)?;
    let mut case = instance.build()?;
    let refused = |reason: String| CommandError::Value {
        option: "PROBLEM",
        value: arguments.problem.clone(),
        expected: reason,
    };
    let (mut file, unwritten) = written(&mut case).map_err(|why| refused(why.to_string()))?;
    if !unwritten.is_empty() {
        // Beside the file, so that it can be read where it goes.
        note(&format!(
            "liedae: outputs that are functions of a program are left out: {}",
            unwritten.join(", ")
        ));
    }
    match instance.mechanism_file() {
        // What it says to people stays as it stands in the file.
        Some(read) => {
            file.name = read.name.clone();
            file.title = read.title.clone();
            file.step = read.step;
        }
        None => {
            file.title = case.label();
            file.step = Some(case.problem.default_step);
        }
    }
    let text = file.text().map_err(refused)?;
    print(&text).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}

/// The file of a problem, and the names of outputs that it does not have.
fn written(case: &mut Case) -> Result<(MechanismFile, Vec<String>), Refusal> {
    let t_end = case.t_end;
    let system = part::<MultibodySystem>(case).ok_or(Refusal::OtherSystem)?;
    let mut file = system.file(t_end)?;
    let unwritten = system.unwritten_outputs().map(str::to_owned).collect();
    if let Some(nonsmooth) = part::<NonsmoothSystem>(case) {
        file.set_nonsmooth_options(nonsmooth.options())?;
    }
    Ok((file, unwritten))
}

/// The system itself, or one that it wraps.
fn part<T: Any>(case: &mut Case) -> Option<&T> {
    case.system().extension(TypeId::of::<T>())?.downcast_ref()
}
