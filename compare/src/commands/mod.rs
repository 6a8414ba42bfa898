//! One file per subcommand: from arguments to results on stdout.

mod analyse;
mod compare;
mod converge;
mod describe;
mod diff;
mod export;
mod list;
mod merge;
mod method;
mod orders;
mod pictures;
mod progress;
mod query;
mod report;
mod reproduce;
mod rows;
mod run;
mod run_pictures;
mod run_progress;
mod run_text;
mod schema;
mod sensitivity;
mod site;
mod tolerances;
mod verify_references;

pub use analyse::analyse;
pub use compare::compare;
pub use converge::converge;
pub use describe::describe;
pub use diff::diff;
pub use export::export;
pub use list::list;
pub use merge::merge;
pub use orders::orders;
pub use pictures::pictures;
pub use query::query;
pub use report::report;
pub use reproduce::reproduce;
pub use run::run;
pub use schema::schema;
pub use site::site;
pub use tolerances::tolerances;
pub use verify_references::verify_references;

use crate::error::{CommandError, Status};
use crate::output::{escaped, json_with_notes, print};
use serde::Serialize;

/// Writes a result to stdout, as JSON or as text.
fn deliver<T: Serialize>(
    value: &T,
    as_json: bool,
    text: impl FnOnce() -> String,
) -> Result<Status, CommandError> {
    let text = if as_json {
        json_with_notes(value)?
    } else {
        escaped(&text()).into_owned()
    };
    print(&text).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}
