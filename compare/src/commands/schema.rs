//! `liedae schema`: the JSON schema of mechanism files.

use crate::error::{CommandError, Status};
use crate::output::print;
use liedae_multibody::file::MechanismFile;

/// Prints it.
pub fn schema() -> Result<Status, CommandError> {
    print(&MechanismFile::schema())
        .map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}
