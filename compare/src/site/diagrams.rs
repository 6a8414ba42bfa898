//! Work-precision diagrams of a row, from a comparison that somebody has made.

use crate::comparison::Comparison;
use crate::error::CommandError;
use crate::provenance::warnings;
use crate::report::{Figure, TextTable, problem};
use serde::Serialize;

/// Diagrams and the runs behind them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Diagrams {
    /// What the runs are measured by.
    pub words: Vec<String>,
    /// Error against costs.
    pub figures: Vec<Figure>,
    /// All runs.
    pub table: Option<TextTable>,
    /// Classes of that table that align its columns.
    pub left: String,
}

impl Diagrams {
    /// Those of a problem by its name in comparisons; `None` where no run of it is known.
    ///
    /// # Errors
    /// A chart cannot be drawn.
    pub fn of(compared: &Comparison, name: &str) -> Result<Option<Self>, CommandError> {
        let Some(section) = problem(compared, name)? else {
            return Ok(None);
        };
        let galleries = section.galleries.into_iter();
        let figures = galleries.flat_map(|gallery| gallery.alternatives);
        let table = section.tables.into_iter().next();
        let words = warnings(&compared.provenance).into_iter();
        let words = words.chain(section.paragraphs).collect();
        Ok(Some(Self {
            words,
            figures: figures.map(|alternative| alternative.figure).collect(),
            left: table.as_ref().map(TextTable::left).unwrap_or_default(),
            table,
        }))
    }
}
