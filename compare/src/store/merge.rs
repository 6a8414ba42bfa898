//! Several stores become one: the shards of an experiment that ran on several machines.

use super::{Store, StoreError};
use serde::Serialize;
use std::path::Path;

/// What came together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Merged {
    /// Runs that were taken.
    pub taken: usize,
    /// Runs that were there already, and equal but for their times.
    pub equal: usize,
    /// Runs that were there already with another status, other counts or another error: the first stays.
    pub different: usize,
}

/// Whether two runs of one key came out differently.
const DIFFERENT: &str = "(mine.status IS NOT theirs.status OR mine.accepted IS NOT theirs.accepted
    OR mine.rejected IS NOT theirs.rejected OR mine.force IS NOT theirs.force
    OR mine.newton_iterations IS NOT theirs.newton_iterations OR mine.events IS NOT theirs.events
    OR mine.error_end IS NOT theirs.error_end)";

/// Tables whose rows come with a run, and their columns beside its number.
const FOLLOWING: [(&str, &str); 2] = [
    ("timings", "repetition, wall_s, cpu_s"),
    ("samples", "t, output, value"),
];

/// All columns of a table but one, as SQL names them.
fn columns_without(
    connection: &rusqlite::Connection,
    table: &str,
    without: &str,
) -> rusqlite::Result<String> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = statement.query_map([table], |row| row.get::<_, String>(0))?;
    let mut list = Vec::new();
    for name in names {
        let name = name?;
        if name != without {
            list.push(format!("\"{name}\""));
        }
    }
    Ok(list.join(", "))
}

impl Store {
    /// Takes all sessions, runs and references of another store that are not here.
    ///
    /// # Errors
    /// There is no such store, somebody works at it, or this one cannot be written.
    pub fn merge(&self, other: &Path) -> Result<Merged, StoreError> {
        // Opening checks that it is a store, of this layout, that nobody works at.
        let theirs = Self::open_existing(other)?;
        if theirs.living()? > 0 {
            return Err(StoreError::Busy {
                path: other.to_owned(),
            });
        }
        drop(theirs);
        let connection = self.lock();
        let result = (|| {
            connection.execute("ATTACH DATABASE ?1 AS other", [other.to_string_lossy()])?;
            let merged = (|| {
                let transaction = connection.unchecked_transaction()?;
                let number = |sql: &str| -> rusqlite::Result<usize> {
                    let count: i64 = transaction.query_row(sql, [], |row| row.get(0))?;
                    Ok(usize::try_from(count).unwrap_or(0))
                };
                let both =
                    "SELECT count(*) FROM main.runs AS mine JOIN other.runs AS theirs USING (key)";
                let known = number(both)?;
                let different = number(&format!("{both} WHERE {DIFFERENT}"))?;
                let sessions: i64 = transaction.query_row(
                    "SELECT coalesce(max(id), 0) FROM main.sessions",
                    [],
                    |row| row.get(0),
                )?;
                let runs: i64 = transaction.query_row(
                    "SELECT coalesce(max(id), 0) FROM main.runs",
                    [],
                    |row| row.get(0),
                )?;
                transaction.execute(
                    "INSERT INTO main.sessions (id, started, ended, provenance, definition)
                     SELECT id + ?1, started, ended, provenance, definition FROM other.sessions",
                    [sessions],
                )?;
                // A run that was given up gives way to one that was not.
                transaction.execute(
                    "DELETE FROM main.runs WHERE out_of_time AND key IN (SELECT key FROM other.runs WHERE NOT out_of_time)",
                    [],
                )?;
                let columns = columns_without(&transaction, "runs", "id")?;
                let shifted = columns.replace("\"session\"", &format!("session + {sessions}"));
                // Rows that come with a run follow it by its new number.
                let new = "key NOT IN (SELECT key FROM main.runs)";
                for (table, columns) in FOLLOWING {
                    transaction.execute_batch(&format!(
                        "CREATE TEMP TABLE taken_{table} AS SELECT run, {columns} FROM other.{table}
                         WHERE run IN (SELECT id FROM other.runs WHERE {new})"
                    ))?;
                }
                let taken = transaction.execute(
                    &format!(
                        "INSERT INTO main.runs (id, {columns})
                         SELECT id + {runs}, {shifted} FROM other.runs WHERE {new}"
                    ),
                    [],
                )?;
                for (table, columns) in FOLLOWING {
                    transaction.execute_batch(&format!(
                        "INSERT INTO main.{table} (run, {columns}) SELECT run + {runs}, {columns} FROM taken_{table};
                         DROP TABLE taken_{table}"
                    ))?;
                }
                for table in ["problems", "computed_references"] {
                    transaction.execute_batch(&format!(
                        "INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}"
                    ))?;
                }
                transaction.commit()?;
                Ok(Merged {
                    taken,
                    equal: known - different,
                    different,
                })
            })();
            connection.execute("DETACH DATABASE other", [])?;
            merged
        })();
        result.map_err(|source| self.failed(source))
    }
}
