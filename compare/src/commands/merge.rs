//! `liedae merge`: the parts of a comparison become one.

use super::compare::{STORE, conclude};
use super::report::store_at;
use crate::cli::MergeArgs;
use crate::comparison::Comparison;
use crate::error::{CommandError, Status};
use crate::output::note;
use crate::store::Store;
use std::path::Path;
use std::time::Instant;

/// Takes everything from the stores and reports.
pub fn merge(arguments: &MergeArgs, as_json: bool) -> Result<Status, CommandError> {
    let start = Instant::now();
    let out = arguments.out.as_path();
    for path in &arguments.stores {
        // Before anything is written.
        Store::open_existing(&store_at(path))?;
        let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(&store_at(path), &out.join(STORE)) {
            return Err(CommandError::Value {
                option: "--out",
                value: out.display().to_string(),
                expected: "it has the store of one of the parts: choose another directory"
                    .to_owned(),
            });
        }
    }
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let path = out.join(STORE);
    let store = Store::open(&path)?;
    for part in &arguments.stores {
        let part = store_at(part);
        let merged = store.merge(&part)?;
        let mut words = format!("{}: {} runs taken", part.display(), merged.taken);
        if merged.equal > 0 {
            words.push_str(&format!(", {} were there already", merged.equal));
        }
        if merged.different > 0 {
            words.push_str(&format!(
                ", {} were there with other counts or errors and stay as they were: runs that a limit of time has ended differ, \
                 others should not",
                merged.different
            ));
        }
        note(&words);
    }
    let comparison = Comparison::of(&store)?;
    let wall_s = start.elapsed().as_secs_f64();
    conclude(comparison, &path, out, wall_s, as_json)
}
