//! Questions to a store in SQL.

use super::{Store, StoreError};
use rusqlite::types::{Value as SqlValue, ValueRef};
use std::path::Path;

/// Somebody who takes an answer row by row, as it comes out of the database.
pub trait Asker {
    /// What may go wrong on the way.
    type Error: From<StoreError>;

    /// Names of the columns, all different: before the first row, and once.
    fn columns(&mut self, names: &[String]) -> Result<(), Self::Error>;

    /// The next row.
    fn row(&mut self, row: Vec<SqlValue>) -> Result<(), Self::Error>;
}

/// Asks a store; it stays as it is.
///
/// # Errors
/// There is no such store, or the statement is not understood, changes something, or is more than one; or the asker does not go on.
pub fn ask<A: Asker>(path: &Path, sql: &str, asker: &mut A) -> Result<(), A::Error> {
    let question = |reason: String| StoreError::Question { reason };
    let connection = Store::open_read_only(path)?;
    let mut statement = connection
        .prepare(sql)
        .map_err(|error| question(error.to_string()))?;
    if !statement.readonly() {
        return Err(question("it would change the store".to_owned()).into());
    }
    let names = different(statement.column_names());
    let count = names.len();
    let mut rows = statement
        .query([])
        .map_err(|error| question(error.to_string()))?;
    // What is wrong with a question shows at the first row at the latest, mostly.
    let mut begun = false;
    loop {
        let row = rows.next().map_err(|error| question(error.to_string()))?;
        if !begun {
            asker.columns(&names)?;
            begun = true;
        }
        let Some(row) = row else { return Ok(()) };
        let values: rusqlite::Result<Vec<SqlValue>> = (0..count)
            .map(|index| row.get_ref(index).map(owned))
            .collect();
        asker.row(values.map_err(|error| question(error.to_string()))?)?;
    }
}

/// A value of its own. A text that is no UTF-8 need not come from a damaged store: anybody may ask for one.
fn owned(value: ValueRef) -> SqlValue {
    match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(integer) => SqlValue::Integer(integer),
        ValueRef::Real(real) => SqlValue::Real(real),
        ValueRef::Text(bytes) => SqlValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => SqlValue::Blob(bytes.to_vec()),
    }
}

/// Names of columns of which no two are alike: the second `wall_s` of two tables becomes `wall_s_2`.
fn different(names: Vec<&str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(names.len());
    for name in &names {
        let mut own = (*name).to_owned();
        let mut number = 1;
        while found.contains(&own) || (number > 1 && names.contains(&own.as_str())) {
            number += 1;
            own = format!("{name}_{number}");
        }
        found.push(own);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_columns_are_alike() {
        let names = different(vec!["a", "b", "a", "a_2", "a", "b"]);
        assert_eq!(names, ["a", "b", "a_3", "a_2", "a_4", "b_2"]);
    }
}
