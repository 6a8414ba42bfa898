//! `liedae site`: the open test set as pages.

use super::deliver;
use super::progress::Progress;
use super::report::store_at;
use crate::cli::SiteArgs;
use crate::comparison::Comparison;
use crate::error::{CommandError, Status};
use crate::registry::Registry;
use crate::site::{self, Written};
use crate::store::Store;
use crate::suggest::unknown;
use liedae_problems::catalogue::{TEST_SETS, TestSet};
use std::path::PathBuf;
use std::sync::Mutex;

/// Rows that are named on the terminal because their pages lack something.
const MOST_LACKING: usize = 10;

/// Writes the pages.
pub fn site(
    registry: &Registry,
    arguments: &SiteArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let sets = sets(&arguments.sets)?;
    let compared = results(&arguments.results)?;
    let count = sets.iter().map(|set| set.rows.len()).sum();
    let progress = Mutex::new(Progress::new(count));
    let written = site::write(
        registry,
        &arguments.out,
        &sets,
        compared.as_ref(),
        arguments.jobs(),
        |row| {
            if let Ok(mut progress) = progress.lock() {
                progress.step(row);
            }
        },
    )?;
    drop(progress);
    deliver(&written, as_json, || text(&written, arguments))?;
    Ok(match written.lacking.is_empty() {
        true => Status::Done,
        false => Status::Failed,
    })
}

/// The sets of these names; without any, all.
fn sets(names: &[String]) -> Result<Vec<&'static TestSet>, CommandError> {
    if names.is_empty() {
        return Ok(TEST_SETS.iter().collect());
    }
    let find = |name: &String| {
        let found = TEST_SETS.iter().find(|set| set.name == name.trim());
        let known = TEST_SETS.iter().map(|set| set.name);
        found.ok_or_else(|| unknown("set", name, known))
    };
    names.iter().map(find).collect()
}

/// What is in these stores together.
fn results(paths: &[PathBuf]) -> Result<Option<Comparison>, CommandError> {
    if paths.is_empty() {
        return Ok(None);
    }
    let all = Store::in_memory()?;
    for path in paths {
        all.merge(&store_at(path))?;
    }
    Comparison::of(&all).map(Some)
}

fn text(written: &Written, arguments: &SiteArgs) -> String {
    let mut text = String::new();
    for lacking in written.lacking.iter().take(MOST_LACKING) {
        text.push_str(&format!("{}: {}\n", lacking.row, lacking.reason));
    }
    if written.lacking.len() > MOST_LACKING {
        let more = written.lacking.len() - MOST_LACKING;
        text.push_str(&format!("and {more} more, see the pages\n"));
    }
    if written.without_diagrams > 0 && !arguments.results.is_empty() {
        text.push_str(&format!(
            "{} rows have no runs in these stores\n",
            written.without_diagrams
        ));
    }
    text.push_str(&format!(
        "{} pages, {:.1} MB, {:.0} s\n{}\n",
        written.pages,
        written.bytes as f64 * 1e-6,
        written.seconds,
        arguments.out.join("index.html").display()
    ));
    text
}
