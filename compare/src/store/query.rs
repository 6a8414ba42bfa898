//! Questions to a store in SQL.

use super::{Store, StoreError};
use rusqlite::types::Value as SqlValue;
use std::path::Path;

/// A table that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<Vec<SqlValue>>,
}

/// Asks a store; it stays as it is.
///
/// # Errors
/// There is no such store, or the statement is not understood, changes something, or is more than one.
pub fn ask(path: &Path, sql: &str) -> Result<Answer, StoreError> {
    let question = |reason: String| StoreError::Question { reason };
    let connection = Store::open_read_only(path)?;
    let mut statement = connection
        .prepare(sql)
        .map_err(|error| question(error.to_string()))?;
    if !statement.readonly() {
        return Err(question("it would change the store".to_owned()));
    }
    let columns: Vec<String> = (statement.column_names().into_iter())
        .map(str::to_owned)
        .collect();
    let count = columns.len();
    let rows = statement
        .query_map([], |row| (0..count).map(|index| row.get(index)).collect())
        .and_then(Iterator::collect)
        .map_err(|error| question(error.to_string()))?;
    Ok(Answer { columns, rows })
}
