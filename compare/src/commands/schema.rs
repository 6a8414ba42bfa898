//! `liedae schema`: the JSON schema of mechanism files.

use crate::error::{CommandError, Status};
use crate::output::print;
use liedae_multibody::file::{MechanismFile, PlaneMechanismFile};

/// Prints it, of mechanisms in the plane or in space.
pub fn schema(plane: bool) -> Result<Status, CommandError> {
    let schema = match plane {
        true => PlaneMechanismFile::schema(),
        false => MechanismFile::schema(),
    };
    print(&schema).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}
