//! Finished runs.

use super::{Session, Store, StoreError};
use crate::experiment::{Control, INFINITE, Measurement, Timing, WorkPoint};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a run is known by.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunKey {
    /// The problem as it was asked for.
    pub problem: String,
    /// Values of all its parameters.
    pub parameters: Vec<(String, f64)>,
    /// End of the run in s.
    pub t_end: f64,
    /// The method with its options, and how its steps are chosen.
    pub variant: String,
    /// Tolerances or step.
    pub control: Control,
    /// Limit of steps.
    pub max_steps: Option<u64>,
    /// The build of the program.
    pub build: String,
}

impl RunKey {
    /// The key as a text: equal texts are equal runs.
    fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}

/// A run to be kept.
pub struct RunRecord<'a> {
    /// What it is known by.
    pub key: &'a RunKey,
    /// Version of the program.
    pub version: &'a str,
    /// CPU time in s after which it would have been given up.
    pub time_limit_s: f64,
    /// The row of the results.
    pub point: &'a WorkPoint,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// Names of the outputs.
    pub outputs: &'a [String],
    /// Whether its samples are kept, too.
    pub keep_samples: bool,
}

/// The columns that a row of the results has, in its order.
fn columns(point: &WorkPoint) -> Result<Map<String, Value>, serde_json::Error> {
    match serde_json::to_value(point)? {
        Value::Object(map) => Ok(map),
        _ => Ok(Map::new()),
    }
}

/// Columns of sizes that may be infinite: the database keeps that as a number, not as a word.
const SIZES: [&str; 5] = [
    "penetration",
    "error_end",
    "error_samples",
    "violation_position",
    "violation_velocity",
];

fn to_sql(name: &str, value: &Value) -> SqlValue {
    match value {
        Value::String(word) if SIZES.contains(&name) && word == INFINITE => {
            SqlValue::Real(f64::INFINITY)
        }
        Value::Bool(flag) => SqlValue::Integer(i64::from(*flag)),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => SqlValue::Integer(integer),
            None => SqlValue::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => SqlValue::Text(text.clone()),
        Value::Null | Value::Array(_) | Value::Object(_) => SqlValue::Null,
    }
}

/// A row of the results from a row of the table.
pub(super) fn point(row: &Row) -> rusqlite::Result<Result<WorkPoint, serde_json::Error>> {
    let mut map = Map::new();
    for (index, name) in row.as_ref().column_names().into_iter().enumerate() {
        let value = match row.get::<_, SqlValue>(index)? {
            SqlValue::Integer(flag) if name == "shared" => Value::Bool(flag != 0),
            SqlValue::Integer(integer) => Value::from(integer),
            SqlValue::Real(real) if real == f64::INFINITY => Value::from(INFINITE),
            SqlValue::Real(real) => Value::from(real),
            SqlValue::Text(text) => Value::from(text),
            SqlValue::Null | SqlValue::Blob(_) => Value::Null,
        };
        map.insert(name.to_owned(), value);
    }
    Ok(serde_json::from_value(Value::Object(map)))
}

impl Store {
    /// The run of this key, if it is there and need not be made again: one that was given up is, if it may take longer now, and one
    /// whose process came to grief. Without a limit whatever is there.
    ///
    /// # Errors
    /// The database says no.
    pub fn find(
        &self,
        key: &RunKey,
        time_limit_s: Option<f64>,
    ) -> Result<Option<WorkPoint>, StoreError> {
        let key = key.text().map_err(|error| self.damaged(error))?;
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(
                "SELECT * FROM runs WHERE key = ?1 AND NOT (out_of_time AND time_limit_s < coalesce(?2, 0))",
            )
            .map_err(|source| self.failed(source))?;
        let found = statement
            .query_row(params![key, time_limit_s], point)
            .optional()
            .map_err(|source| self.failed(source))?;
        found.transpose().map_err(|error| self.damaged(error))
    }

    /// All runs; of those that differ only by their build or their limits, those of the last build, and of these the last that was
    /// done.
    pub(crate) fn all_runs(&self) -> Result<Vec<WorkPoint>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare(
                "SELECT * FROM runs WHERE id IN (
                     SELECT id FROM (
                         SELECT id, row_number() OVER (
                             PARTITION BY problem, variant, tolerance, step
                             ORDER BY build = (SELECT build FROM runs ORDER BY finished DESC, id DESC LIMIT 1) DESC,
                                 status = 'done' DESC, finished DESC, id DESC
                         ) AS place FROM runs
                     ) WHERE place = 1)",
            )
            .map_err(|source| self.failed(source))?;
        let rows = statement
            .query_map([], point)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|source| self.failed(source))?;
        let points = rows.into_iter().collect::<Result<_, _>>();
        points.map_err(|error| self.damaged(error))
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn write_timings(connection: &Connection, run: i64, timings: &[Timing]) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM timings WHERE run = ?1", [run])?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO timings (run, repetition, wall_s, cpu_s) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (repetition, timing) in timings.iter().enumerate() {
        statement.execute(params![run, count(repetition), timing.wall_s, timing.cpu_s])?;
    }
    Ok(())
}

impl Session<'_> {
    /// Takes new times of a run that is there.
    ///
    /// # Errors
    /// The database says no.
    pub fn retime(
        &self,
        key: &RunKey,
        point: &WorkPoint,
        timings: &[Timing],
    ) -> Result<(), StoreError> {
        let store = self.store();
        let key = key.text().map_err(|error| store.damaged(error))?;
        let mut connection = store.lock();
        let result = (|| {
            let transaction = connection.transaction()?;
            transaction.execute(
                "UPDATE runs SET wall_s = ?2, cpu_s = ?3, wall_median_s = ?4, cpu_median_s = ?5, spread = ?6,
                     repetitions = ?7, shared = ?8, session = ?9 WHERE key = ?1",
                params![
                    key,
                    point.wall_s,
                    point.cpu_s,
                    point.wall_median_s,
                    point.cpu_median_s,
                    point.spread,
                    count(point.repetitions),
                    point.shared,
                    self.id()
                ],
            )?;
            let run: i64 =
                transaction.query_row("SELECT id FROM runs WHERE key = ?1", [&key], |row| {
                    row.get(0)
                })?;
            write_timings(&transaction, run, timings)?;
            transaction.commit()
        })();
        result.map_err(|source| store.failed(source))
    }

    /// Keeps a finished run, with its times, in one transaction; one that was given up earlier is replaced.
    pub fn keep(&self, record: &RunRecord) -> Result<(), StoreError> {
        let store = self.store();
        let key = record.key.text().map_err(|error| store.damaged(error))?;
        let columns = columns(record.point).map_err(|error| store.damaged(error))?;
        let parameters = named(&record.key.parameters);
        let outputs = record.measurement.end.as_ref().map(|end| {
            let values = record.outputs.iter().cloned().zip(end.iter().copied());
            named(&values.collect::<Vec<_>>())
        });
        let crashed = record.measurement.crashed;
        let absolute = match record.key.control {
            Control::Adaptive { atol, .. } => Some(atol),
            Control::Fixed { .. } => None,
        };
        let mut names = String::new();
        let mut places = String::new();
        for name in columns.keys() {
            names.push_str(&format!(", \"{name}\""));
            places.push_str(", ?");
        }
        let sql = format!(
            "INSERT OR REPLACE INTO runs (finished, key, session, version, build, parameters, t_end,
                 absolute_tolerance, time_limit_s, out_of_time, outputs{names})
             VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?{places})"
        );
        let mut values = vec![
            SqlValue::Text(key),
            SqlValue::Integer(self.id()),
            SqlValue::Text(record.version.to_owned()),
            SqlValue::Text(record.key.build.clone()),
            SqlValue::Text(parameters),
            SqlValue::Real(record.key.t_end),
            absolute.into(),
            // Nothing is below zero: whatever the limit is, a run that crashed is made again.
            SqlValue::Real(if crashed { 0.0 } else { record.time_limit_s }),
            SqlValue::Integer(i64::from(crashed || record.measurement.out_of_time)),
            outputs.into(),
        ];
        values.extend(columns.iter().map(|(name, value)| to_sql(name, value)));
        let mut connection = store.lock();
        let result = (|| {
            let transaction = connection.transaction()?;
            transaction.execute(&sql, params_from_iter(values))?;
            let run = transaction.last_insert_rowid();
            write_timings(&transaction, run, &record.measurement.timings)?;
            if record.keep_samples {
                write_samples(&transaction, run, record)?;
            }
            transaction.commit()
        })();
        result.map_err(|source| store.failed(source))
    }
}

fn write_samples(connection: &Connection, run: i64, record: &RunRecord) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT OR REPLACE INTO samples (run, t, output, value) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let samples = &record.measurement.samples;
    for (t, row) in samples.times.iter().zip(&samples.rows) {
        for (output, value) in record.outputs.iter().zip(row) {
            let value = value.is_finite().then_some(value);
            statement.execute(params![run, t, output, value])?;
        }
    }
    Ok(())
}

/// Names and values as a JSON object.
pub(super) fn named(values: &[(String, f64)]) -> String {
    let pairs = values.iter();
    let map: Map<String, Value> = pairs
        .map(|(name, value)| (name.clone(), Value::from(*value)))
        .collect();
    Value::Object(map).to_string()
}
