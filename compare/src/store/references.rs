//! References that were computed: they are expensive, so they are kept, and shared between experiments.

use super::{ProblemKey, Store, StoreError};
use crate::experiment::{Confirmed, OwnReference, Table, TightRun};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};

/// A reference that was computed, or the reason why there is none.
pub type KnownReference = Result<Confirmed, String>;

fn bytes(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let numbers = bytes.chunks_exact(8);
    numbers
        .map(|chunk| f64::from_le_bytes(chunk.try_into().unwrap_or_default()))
        .collect()
}

fn rows_of(table: &Table) -> Vec<u8> {
    bytes(table.rows.iter().flatten().copied())
}

fn table(times: &[f64], columns: usize, blob: &[u8]) -> Table {
    let numbers = numbers(blob);
    let rows = if columns == 0 {
        vec![Vec::new(); times.len()]
    } else {
        numbers.chunks(columns).map(<[f64]>::to_vec).collect()
    };
    Table {
        times: times.to_vec(),
        rows,
    }
}

impl Store {
    /// The reference of a problem at these times, if it is here.
    ///
    /// # Errors
    /// The database says no.
    pub fn reference(
        &self,
        key: &ProblemKey,
        times: &[f64],
    ) -> Result<Option<KnownReference>, StoreError> {
        let text = key.text().map_err(|error| self.damaged(error))?;
        let connection = self.lock();
        let found = connection
            .query_row(
                "SELECT first_method, first_tolerance, second_method, second_tolerance, failure, columns, times,
                     first_rows, second_rows
                 FROM computed_references WHERE key = ?1 AND (times = ?2 OR first_method IS NULL)",
                params![text, bytes(times.iter().copied())],
                read,
            )
            .optional()
            .map_err(|source| self.failed(source))?;
        if found.is_some() {
            // Where this cannot be written, the reference is forgotten earlier, and no worse.
            let _ = connection.execute(
                "UPDATE computed_references SET used = strftime('%Y-%m-%d', 'now')
                     WHERE key = ?1 AND used < strftime('%Y-%m-%d', 'now')",
                [text],
            );
        }
        Ok(found)
    }

    /// Keeps a reference, and forgets those that nobody has used for three months: every build of the program has its own.
    ///
    /// # Errors
    /// The database says no.
    pub fn keep_reference(
        &self,
        key: &ProblemKey,
        reference: &KnownReference,
        agreed_digits: Option<f64>,
    ) -> Result<(), StoreError> {
        let text = key.text().map_err(|error| self.damaged(error))?;
        let connection = self.lock();
        let insert = "INSERT OR REPLACE INTO computed_references (used, key, problem, first_method, first_tolerance,
                 second_method, second_tolerance, failure, agreed_digits, columns, times, first_rows, second_rows)
             VALUES (strftime('%Y-%m-%d', 'now'), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let result = match reference {
            Err(reason) => connection.execute(
                insert,
                params![
                    text,
                    key.problem,
                    None::<String>,
                    None::<f64>,
                    None::<String>,
                    None::<f64>,
                    reason,
                    None::<f64>,
                    0,
                    Vec::<u8>::new(),
                    Vec::<u8>::new(),
                    None::<Vec<u8>>
                ],
            ),
            Ok(confirmed) => {
                let OwnReference {
                    first,
                    table,
                    second,
                } = &confirmed.reference;
                connection.execute(
                    insert,
                    params![
                        text,
                        key.problem,
                        first.method,
                        first.tolerance,
                        second.method,
                        second.tolerance,
                        confirmed.confirmation.as_ref().err(),
                        agreed_digits,
                        i64::try_from(table.rows.first().map_or(0, Vec::len)).unwrap_or(i64::MAX),
                        bytes(table.times.iter().copied()),
                        rows_of(table),
                        confirmed.confirmation.as_ref().ok().map(rows_of)
                    ],
                )
            }
        };
        result
            .and_then(|_| {
                connection.execute(
                    "DELETE FROM computed_references WHERE used < strftime('%Y-%m-%d', 'now', '-3 months')",
                    [],
                )
            })
            .map(|_| ())
            .map_err(|source| self.failed(source))
    }
}

fn read(row: &Row) -> rusqlite::Result<KnownReference> {
    let method: Option<String> = row.get(0)?;
    let failure: Option<String> = row.get(4)?;
    let Some(method) = method else {
        return Ok(Err(failure.unwrap_or_default()));
    };
    let columns: i64 = row.get(5)?;
    let columns = usize::try_from(columns).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(5, Type::Integer, error.into())
    })?;
    let times = numbers(&row.get::<_, Vec<u8>>(6)?);
    let second_rows: Option<Vec<u8>> = row.get(8)?;
    let run = |method: String, tolerance: f64| TightRun {
        method: method.into(),
        tolerance,
    };
    Ok(Ok(Confirmed {
        reference: OwnReference {
            first: run(method, row.get(1)?),
            table: table(&times, columns, &row.get::<_, Vec<u8>>(7)?),
            second: run(row.get(2)?, row.get(3)?),
        },
        confirmation: match second_rows {
            Some(blob) => Ok(table(&times, columns, &blob)),
            None => Err(failure.unwrap_or_default()),
        },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_come_back_to_the_last_bit() -> Result<(), StoreError> {
        let store = Store::in_memory()?;
        let key = ProblemKey {
            problem: "p".to_owned(),
            parameters: vec![("m".to_owned(), 0.1)],
            t_end: 1.0 / 3.0,
            build: "b".to_owned(),
        };
        let table = |scale: f64| Table {
            times: vec![0.0, 1.0 / 3.0],
            rows: vec![vec![scale, f64::NAN], vec![scale * 0.7, -0.0]],
        };
        let run = |method: &'static str| TightRun {
            method: method.into(),
            tolerance: 1e-12,
        };
        let reference: KnownReference = Ok(Confirmed {
            reference: OwnReference {
                first: run("mdop5"),
                table: table(0.1),
                second: run("dop853"),
            },
            confirmation: Ok(table(0.3)),
        });
        let times = [0.0, 1.0 / 3.0];
        assert!(store.reference(&key, &times)?.is_none());
        store.keep_reference(&key, &reference, Some(11.5))?;
        let found = store.reference(&key, &times)?;
        // NaN is not equal to itself, so texts are compared.
        assert_eq!(format!("{found:?}"), format!("{:?}", Some(reference)));
        assert!(store.reference(&key, &[0.0, 0.4])?.is_none());
        let failed: KnownReference = Err("no method arrives".to_owned());
        store.keep_reference(&key, &failed, None)?;
        assert_eq!(store.reference(&key, &times)?, Some(failed));
        Ok(())
    }
}
