//! `liedae export`: a problem as a mechanism file.

use crate::cli::ProblemArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Case, Instance, Stated};
use crate::output::{note, print};
use crate::registry::Registry;
use liedae_contact::NonsmoothSystem;
use liedae_multibody::MultibodySystem;
use liedae_multibody::file::{MechanismFile, NotExported, PlaneMechanismFile};
use liedae_multibody::plane::PlaneMechanism;
use std::any::{Any, TypeId};
use thiserror::Error;

/// Why a problem is not written as a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Refusal {
    /// Other coordinates, or no mechanism at all.
    #[error(
        "it is no mechanism in the plane or in space with rotation matrices, which files state"
    )]
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
    let text = match instance.stated() {
        // Names and outputs stay as they stand in the file.
        Some(Stated::Plane(read)) => PlaneMechanismFile {
            t_end: case.t_end,
            ..read.clone()
        }
        .text(),
        read => {
            let (file, unwritten) =
                written(&mut case, read).map_err(|why| refused(why.to_string()))?;
            if !unwritten.is_empty() {
                // Beside the file, so that it can be read where it goes.
                note(&format!(
                    "liedae: outputs that are functions of a program are left out: {}",
                    unwritten.join(", ")
                ));
            }
            file
        }
    };
    let text = text.map_err(refused)?;
    print(&text).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}

/// The text of the file of a problem, and the names of outputs that it does not have.
fn written(
    case: &mut Case,
    read: Option<&Stated>,
) -> Result<(Result<String, String>, Vec<String>), Refusal> {
    let (t_end, title, step) = (case.t_end, case.label(), case.problem.default_step);
    let options = part::<NonsmoothSystem>(case).map(|system| *system.options());
    if let Some(mechanism) = part::<PlaneMechanism>(case) {
        let mut file = mechanism.file(t_end)?;
        let unwritten = mechanism.unwritten_outputs().map(str::to_owned).collect();
        (file.title, file.step) = (title, Some(step));
        if let Some(options) = &options {
            file.set_nonsmooth_options(options)?;
        }
        return Ok((file.text(), unwritten));
    }
    let system = part::<MultibodySystem>(case).ok_or(Refusal::OtherSystem)?;
    let mut file = system.file(t_end)?;
    let unwritten = system.unwritten_outputs().map(str::to_owned).collect();
    if let Some(options) = &options {
        file.set_nonsmooth_options(options)?;
    }
    match read {
        // What it says to people stays as it stands in the file.
        Some(Stated::Space(read)) => {
            file = MechanismFile {
                name: read.name.clone(),
                title: read.title.clone(),
                step: read.step,
                ..file
            };
        }
        _ => (file.title, file.step) = (title, Some(step)),
    }
    Ok((file.text(), unwritten))
}

/// The system itself, or one that it wraps.
fn part<T: Any>(case: &mut Case) -> Option<&T> {
    case.system().extension(TypeId::of::<T>())?.downcast_ref()
}
