//! The problems of an experiment, and the origin of their references.

use super::{Store, StoreError};
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

/// The key of a problem of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProblemKey {
    /// The problem as it was asked for.
    pub problem: String,
    /// Values of all its parameters.
    pub parameters: Vec<(String, f64)>,
    /// End of the run in s.
    pub t_end: f64,
    /// The build of the program.
    pub build: String,
}

impl ProblemKey {
    pub(super) fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// Where the true values of a problem came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The problem's name.
    pub problem: String,
    /// In words.
    pub source: String,
    /// Digits to which the end is known; null where nothing says so.
    pub agreed_digits: Option<f64>,
    /// Its number of rates: accelerations, derivatives of differential states, algebraic rows.
    pub rates: usize,
    /// Whether the constraints alone determine the motion.
    pub determined: bool,
    /// Whether no event can raise the energy, since neither friction nor a drive acts; null without contacts.
    pub loses_energy_at_events: Option<bool>,
    /// Some moments of the motion as an SVG element, where the problem is a mechanism.
    #[serde(skip)]
    pub picture: Option<String>,
}

impl Store {
    /// What is known of a problem.
    ///
    /// # Errors
    /// The database says no.
    pub fn source(&self, key: &ProblemKey) -> Result<Option<Source>, StoreError> {
        let text = key.text().map_err(|error| self.damaged(error))?;
        self.lock()
            .query_row(
                "SELECT problem, source, agreed_digits, determined, loses_energy_at_events, rates, picture FROM problems WHERE key = ?1",
                [text],
                read,
            )
            .optional()
            .map_err(|source| self.failed(source))
    }

    /// What is known of all problems; of one that several builds have seen, what the last knows.
    pub(crate) fn all_sources(&self) -> Result<Vec<Source>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare(
                "SELECT problem, source, agreed_digits, determined, loses_energy_at_events, rates, picture FROM problems
                 WHERE rowid IN (SELECT max(rowid) FROM problems GROUP BY problem) ORDER BY rowid",
            )
            .map_err(|source| self.failed(source))?;
        statement
            .query_map([], read)
            .and_then(Iterator::collect)
            .map_err(|source| self.failed(source))
    }

    /// Keeps what is known of a problem.
    ///
    /// # Errors
    /// The database says no.
    pub fn keep_source(&self, key: &ProblemKey, source: &Source) -> Result<(), StoreError> {
        let text = key.text().map_err(|error| self.damaged(error))?;
        self.lock()
            .execute(
                "INSERT OR REPLACE INTO problems (key, problem, parameters, t_end, build, source, agreed_digits,
                     determined, loses_energy_at_events, rates, picture)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    text,
                    key.problem,
                    super::runs::named(&key.parameters),
                    key.t_end,
                    key.build,
                    source.source,
                    source.agreed_digits,
                    source.determined,
                    source.loses_energy_at_events,
                    i64::try_from(source.rates).unwrap_or(i64::MAX),
                    source.picture
                ],
            )
            .map(|_| ())
            .map_err(|source| self.failed(source))
    }
}

fn read(row: &Row) -> rusqlite::Result<Source> {
    Ok(Source {
        problem: row.get(0)?,
        source: row.get(1)?,
        agreed_digits: row.get(2)?,
        determined: row.get(3)?,
        loses_energy_at_events: row.get(4)?,
        rates: usize::try_from(row.get::<_, i64>(5)?).unwrap_or(0),
        picture: row.get(6)?,
    })
}
