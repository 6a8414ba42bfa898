//! The results of a comparison, from this process or from a store.

use super::Definition;
use crate::error::CommandError;
use crate::experiment::WorkPoint;
use crate::output::write_csv;
use crate::provenance::Provenance;
use crate::report::comparison;
use crate::store::{Source, Store};
use std::path::{Path, PathBuf};

/// The results of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What was compared.
    pub definition: Definition,
    /// All runs: by problem, by variant, from the loosest tolerance or the largest step on.
    pub runs: Vec<WorkPoint>,
    /// Where the true values of the problems come from.
    pub references: Vec<Source>,
    /// How it was made, by every process that made a run of it.
    pub provenance: Vec<Provenance>,
}

impl Comparison {
    /// All that is in a store, whoever put it there; of a run that several builds made, the last one.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(store: &Store) -> Result<Self, CommandError> {
        let mut definition = Definition::default();
        for (_, asked) in store.sessions()? {
            definition = definition.and(serde_json::from_str(&asked)?);
        }
        let place = |point: &WorkPoint| {
            let problem = definition
                .problems
                .iter()
                .position(|name| *name == point.problem);
            let mut variants = definition.variants.iter();
            let variant = variants.position(|known| known.name == point.variant);
            (problem, variant)
        };
        let mut runs = store.all_runs()?;
        runs.sort_by(|a, b| {
            (place(a).cmp(&place(b))).then_with(|| b.control().total_cmp(&a.control()))
        });
        Ok(Self {
            references: store.all_sources()?,
            definition,
            runs,
            provenance: Self::provenance(store)?,
        })
    }

    pub(super) fn provenance(store: &Store) -> Result<Vec<Provenance>, CommandError> {
        let sessions = store.sessions()?.into_iter();
        sessions
            .map(|(made, _)| Ok(serde_json::from_str(&made)?))
            .collect()
    }

    /// Writes report.html and results.csv into a folder, which is made if it is missing. Returns their paths.
    ///
    /// # Errors
    /// One cannot be written.
    pub fn report(&self, folder: &Path) -> Result<Vec<PathBuf>, CommandError> {
        std::fs::create_dir_all(folder).map_err(|source| CommandError::write(folder, source))?;
        let write = |path: &Path, text: &str| {
            std::fs::write(path, text).map_err(|source| CommandError::write(path, source))
        };
        let csv = folder.join("results.csv");
        write_csv(&csv, &self.runs)?;
        let html = folder.join("report.html");
        write(&html, &comparison(self)?.html()?)?;
        Ok(vec![csv, html])
    }
}
