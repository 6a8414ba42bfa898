//! `liedae query`: a store answers in SQL.

use super::report::store_at;
use crate::cli::{QueryArgs, TableFormat};
use crate::error::{CommandError, Status};
use crate::output::{columns, json, latex, number, print};
use crate::store::{Answer, ask};
use rusqlite::types::Value as SqlValue;
use serde_json::{Map, Value};

/// Asks and writes the answer to stdout.
pub fn query(arguments: &QueryArgs, as_json: bool) -> Result<Status, CommandError> {
    let answer = ask(&store_at(&arguments.store), &arguments.sql)?;
    let text = if as_json {
        json(&objects(&answer))?
    } else {
        match arguments.format {
            TableFormat::Text => {
                let header: Vec<&str> = answer.columns.iter().map(String::as_str).collect();
                columns(&header, &cells(&answer, short))
            }
            TableFormat::Latex => latex(&answer.columns, &cells(&answer, short)),
            TableFormat::Csv => comma_separated(&answer)?,
        }
    };
    print(&text).map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}

fn cells(answer: &Answer, cell: fn(&SqlValue) -> String) -> Vec<Vec<String>> {
    let rows = answer.rows.iter();
    rows.map(|row| row.iter().map(cell).collect()).collect()
}

/// A value for people.
fn short(value: &SqlValue) -> String {
    match value {
        SqlValue::Real(real) => number(*real),
        other => whole(other),
    }
}

/// A value with all its digits.
fn whole(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => String::new(),
        SqlValue::Integer(integer) => integer.to_string(),
        SqlValue::Real(real) => real.to_string(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Blob(blob) => format!("{} bytes", blob.len()),
    }
}

fn comma_separated(answer: &Answer) -> Result<String, CommandError> {
    let failed =
        |error: csv::Error| CommandError::write("stdout".as_ref(), std::io::Error::from(error));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&answer.columns).map_err(failed)?;
    for row in cells(answer, whole) {
        writer.write_record(row).map_err(failed)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| CommandError::write("stdout".as_ref(), error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Rows as objects.
fn objects(answer: &Answer) -> Vec<Map<String, Value>> {
    let value = |value: &SqlValue| match value {
        SqlValue::Integer(integer) => Value::from(*integer),
        SqlValue::Real(real) => Value::from(*real),
        SqlValue::Null => Value::Null,
        other => Value::from(whole(other)),
    };
    let object = |row: &Vec<SqlValue>| {
        let names = answer.columns.iter().cloned();
        names.zip(row.iter().map(value)).collect()
    };
    answer.rows.iter().map(object).collect()
}
