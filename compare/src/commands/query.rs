//! `liedae query`: a store answers in SQL, and every row is written as it comes.

use super::report::store_at;
use super::rows::is_reader_gone;
use crate::cli::{QueryArgs, TableFormat};
use crate::error::{CommandError, Status};
use crate::experiment::INFINITE;
use crate::output::{Named, aligned, json, latex_foot, latex_head, latex_line, number, widths};
use crate::store::{Asker, ask};
use rusqlite::types::Value as SqlValue;
use serde_json::Value;
use std::io::{BufWriter, StdoutLock, Write};

/// Rows by which columns for people are laid out: later ones that are wider stand out.
const LAID_OUT: usize = 1000;

/// Asks and writes the answer to stdout.
pub fn query(arguments: &QueryArgs, as_json: bool) -> Result<Status, CommandError> {
    let form = match arguments.format {
        _ if as_json => Form::Json { first: true },
        TableFormat::Text => Form::Text(Layout::Open(Vec::new())),
        TableFormat::Csv => Form::Csv,
        TableFormat::Latex => Form::Latex,
    };
    let mut writer = AnswerWriter {
        out: BufWriter::new(std::io::stdout().lock()),
        form,
        names: Vec::new(),
    };
    let asked = ask(&store_at(&arguments.store), &arguments.sql, &mut writer);
    match asked.and_then(|()| writer.end()) {
        // Who reads has seen enough.
        Err(error) if is_reader_gone(&error) => Ok(Status::Done),
        Err(error) => Err(error),
        Ok(()) => Ok(Status::Done),
    }
}

/// How rows are written.
enum Form {
    /// One object for each row.
    Json { first: bool },
    /// Columns for people.
    Text(Layout),
    /// Comma-separated values.
    Csv,
    /// A LaTeX tabular.
    Latex,
}

/// Widths of columns.
enum Layout {
    /// Not known yet: the first rows, the head among them.
    Open(Vec<Vec<String>>),
    /// Known.
    Fixed(Vec<usize>),
}

/// Writes an answer while it comes.
struct AnswerWriter {
    out: BufWriter<StdoutLock<'static>>,
    form: Form,
    names: Vec<String>,
}

impl Asker for AnswerWriter {
    type Error = CommandError;

    fn columns(&mut self, names: &[String]) -> Result<(), CommandError> {
        self.names = names.to_vec();
        match &mut self.form {
            Form::Json { .. } => Ok(()),
            Form::Text(Layout::Open(rows)) => {
                rows.push(names.to_vec());
                Ok(())
            }
            Form::Text(Layout::Fixed(_)) => Ok(()),
            Form::Csv => self.record(names),
            Form::Latex => self.write(&latex_head(names)),
        }
    }

    fn row(&mut self, row: Vec<SqlValue>) -> Result<(), CommandError> {
        let cells = |cell: fn(&SqlValue) -> String| row.iter().map(cell).collect::<Vec<_>>();
        match &mut self.form {
            Form::Json { first } => {
                let start = if std::mem::take(first) { "[\n" } else { ",\n" };
                let names = self.names.iter().cloned();
                let object = Named(names.zip(row.iter().map(value)).collect());
                let text = json(&object)?;
                let lines = text.trim_end().replace('\n', "\n  ");
                self.write(&format!("{start}  {lines}"))
            }
            Form::Text(Layout::Open(rows)) => {
                rows.push(cells(short));
                if rows.len() > LAID_OUT {
                    self.lay_out()?;
                }
                Ok(())
            }
            Form::Text(Layout::Fixed(widths)) => {
                let line = aligned(widths, &cells(short));
                self.write(&line)
            }
            Form::Csv => self.record(&cells(whole)),
            Form::Latex => self.write(&latex_line(&cells(short))),
        }
    }
}

impl AnswerWriter {
    fn write(&mut self, text: &str) -> Result<(), CommandError> {
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|source| CommandError::write("stdout".as_ref(), source))
    }

    fn record(&mut self, cells: &[String]) -> Result<(), CommandError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written = writer.write_record(cells);
        written
            .map_err(|error| CommandError::write("stdout".as_ref(), std::io::Error::from(error)))?;
        let bytes = writer
            .into_inner()
            .map_err(|error| CommandError::write("stdout".as_ref(), error.into_error()))?;
        self.write(&String::from_utf8_lossy(&bytes))
    }

    /// Writes the rows that have waited, in columns as wide as these need.
    fn lay_out(&mut self) -> Result<(), CommandError> {
        let Form::Text(layout) = &mut self.form else {
            return Ok(());
        };
        let Layout::Open(rows) = layout else {
            return Ok(());
        };
        let rows = std::mem::take(rows);
        let found = widths(&rows);
        let text: String = rows.iter().map(|row| aligned(&found, row)).collect();
        *layout = Layout::Fixed(found);
        self.write(&text)
    }

    fn end(mut self) -> Result<(), CommandError> {
        match self.form {
            Form::Json { first: true } => self.write("[]\n")?,
            Form::Json { first: false } => self.write("\n]\n")?,
            Form::Text(_) => self.lay_out()?,
            Form::Csv => {}
            Form::Latex => self.write(&latex_foot())?,
        }
        self.out
            .flush()
            .map_err(|source| CommandError::write("stdout".as_ref(), source))
    }
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
        SqlValue::Real(real) if real.is_infinite() => infinite(*real),
        SqlValue::Real(real) => real.to_string(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Blob(blob) => format!("{} bytes", blob.len()),
    }
}

/// A value in JSON, whose numbers are finite: others are words, so that nobody takes them for what is not known.
fn value(value: &SqlValue) -> Value {
    match value {
        SqlValue::Integer(integer) => Value::from(*integer),
        SqlValue::Real(real) if real.is_finite() => Value::from(*real),
        SqlValue::Null => Value::Null,
        other => Value::from(whole(other)),
    }
}

fn infinite(real: f64) -> String {
    let sign = if real < 0.0 { "-" } else { "" };
    format!("{sign}{INFINITE}")
}
