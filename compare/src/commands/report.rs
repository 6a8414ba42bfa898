//! `liedae report`: the report of a comparison from its store.

use super::compare::{STORE, conclude};
use crate::cli::ReportArgs;
use crate::comparison::Comparison;
use crate::error::{CommandError, Status};
use crate::store::Store;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The store that a path means: itself, or the one in a directory.
pub fn store_at(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join(STORE)
    } else {
        path.to_owned()
    }
}

/// Writes the report of what is in a store.
pub fn report(arguments: &ReportArgs, as_json: bool) -> Result<Status, CommandError> {
    let start = Instant::now();
    let path = store_at(&arguments.store);
    let comparison = Comparison::of(&Store::open_existing(&path)?)?;
    let wall_s = start.elapsed().as_secs_f64();
    conclude(comparison, &path, &arguments.out, wall_s, as_json)
}
