//! `liedae export`: a problem as a mechanism file.

use crate::cli::ProblemArgs;
use crate::error::{CommandError, Status};
use crate::output::print;
use crate::registry::Registry;
use liedae_multibody::MultibodySystem;
use std::any::TypeId;

/// Prints it.
pub fn export(registry: &Registry, arguments: &ProblemArgs) -> Result<Status, CommandError> {
    let mut case = registry.case(&arguments.problem, &arguments.settings, arguments.t_end)?;
    let refused = |reason: String| CommandError::Value {
        option: "PROBLEM",
        value: arguments.problem.clone(),
        expected: reason,
    };
    let (title, t_end, step) = (case.label(), case.t_end, case.problem.default_step);
    let inner = case.system().extension(TypeId::of::<MultibodySystem>());
    let system = inner.and_then(|inner| inner.downcast_ref::<MultibodySystem>());
    let Some(system) = system else {
        return Err(refused(
            "it is no mechanism in space with rotation matrices, which files state".to_owned(),
        ));
    };
    let mut file = system
        .file(t_end)
        .map_err(|error| refused(error.to_string()))?;
    file.title = title;
    file.step = Some(step);
    let text = file.text().map_err(refused)?;
    print(&text).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}
