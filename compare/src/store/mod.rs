//! One file per experiment, an SQLite database: every finished run is in it before the next begins.
//!
//! A run is known by its key: problem, parameters, end, variant of a method, tolerance or step, limit of steps, and the build of the
//! program that made it. The same command goes on where it was killed. Several processes may work at one store: whoever works at
//! something has claimed it, and a claim ends with the process, since it hangs on a lock that the operating system keeps.

mod error;
mod merge;
mod problems;
mod query;
mod references;
mod runs;
mod sessions;

pub use error::StoreError;
pub use problems::{ProblemKey, Source};
pub use query::{Asker, ask};
pub use references::KnownReference;
pub use runs::{RunKey, RunRecord};
pub use sessions::Session;

use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The layout of the tables; other numbers are other layouts.
const LAYOUT: i64 = 1;

/// Marks the files of this program among databases: "LDAE".
const APPLICATION: i64 = 0x4c44_4145;

/// How long another process may be in the way before a statement fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store of finished runs: a file, or memory for experiments that nobody wants to keep.
///
/// ```
/// use liedae_compare::Store;
///
/// let folder = tempfile::tempdir()?;
/// let store = Store::open(&folder.path().join("results.sqlite"))?;
/// assert_eq!(store.count()?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Whether there is a file.
    kept: bool,
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens a store, or makes a new one where there is none.
    ///
    /// # Errors
    /// The file cannot be written, or is something else.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if path.exists() && !path.is_file() {
            return Err(StoreError::Foreign {
                path: path.to_owned(),
            });
        }
        let connection = Connection::open(path).map_err(|source| StoreError::Database {
            path: path.to_owned(),
            source,
        })?;
        Self::prepare(path, connection, true)
    }

    /// Opens a store that is there.
    ///
    /// # Errors
    /// There is none, or the file is something else.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing {
                path: path.to_owned(),
            });
        }
        Self::open(path)
    }

    /// Opens a store to look at it only.
    pub(crate) fn open_read_only(path: &Path) -> Result<Connection, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Missing {
                path: path.to_owned(),
            });
        }
        let failed = |source| StoreError::Database {
            path: path.to_owned(),
            source,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        check(path, &connection)?;
        Ok(connection)
    }

    /// How many runs are kept in a file, if it can be looked at.
    pub(crate) fn kept(path: &Path) -> Option<i64> {
        let connection = Self::open_read_only(path).ok()?;
        let count = connection.query_row("SELECT count(*) FROM runs", [], |row| row.get(0));
        count.ok()
    }

    /// A store that is gone with the process.
    ///
    /// # Errors
    /// There is no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        let path = Path::new("memory");
        let connection = Connection::open_in_memory().map_err(|source| StoreError::Database {
            path: path.to_owned(),
            source,
        })?;
        Self::prepare(path, connection, false)
    }

    /// Forgets what is in a store that nobody works at.
    ///
    /// # Errors
    /// Somebody does, or the file is something else or cannot be written.
    pub fn clear(path: &Path) -> Result<(), StoreError> {
        let store = match Self::open_existing(path) {
            Ok(store) => store,
            // Another layout is what one starts over for.
            Err(StoreError::Layout { .. }) => {
                return std::fs::remove_file(path).map_err(|source| StoreError::File {
                    path: path.to_owned(),
                    source,
                });
            }
            Err(error) => return Err(error),
        };
        store.forget_dead()?;
        let mut connection = store.lock();
        let cleared = (|| {
            // Whoever begins to work writes a session first: from here on nobody can.
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let at_work: i64 = transaction.query_row(
                "SELECT count(*) FROM sessions WHERE ended IS NULL AND lock IS NOT NULL",
                [],
                |row| row.get(0),
            )?;
            if at_work > 0 {
                return Ok(false);
            }
            transaction.execute_batch(
                "DELETE FROM samples; DELETE FROM timings; DELETE FROM runs; DELETE FROM problems; DELETE FROM claims;
                 DELETE FROM computed_references; DELETE FROM sessions;",
            )?;
            transaction.commit()?;
            Ok(true)
        })();
        match cleared {
            Ok(true) => Ok(()),
            Ok(false) => Err(StoreError::Busy {
                path: path.to_owned(),
            }),
            Err(source) => Err(store.failed(source)),
        }
    }

    fn prepare(path: &Path, connection: Connection, kept: bool) -> Result<Self, StoreError> {
        let store = Self {
            path: path.to_owned(),
            kept,
            connection: Mutex::new(connection),
        };
        {
            let mut connection = store.lock();
            let failed = |source| match foreign(&source) {
                true => StoreError::Foreign {
                    path: path.to_owned(),
                },
                false => StoreError::Database {
                    path: path.to_owned(),
                    source,
                },
            };
            connection.busy_timeout(PATIENCE).map_err(failed)?;
            connection
                .pragma_update(None, "foreign_keys", true)
                .map_err(failed)?;
            // A finished run survives the end of the process, not that of the power: then the last runs are made again.
            connection
                .pragma_update(None, "synchronous", "NORMAL")
                .map_err(failed)?;
            let transaction = connection
                .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
                .map_err(failed)?;
            let tables: i64 = transaction
                .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                .map_err(failed)?;
            if tables == 0 {
                transaction
                    .execute_batch(include_str!("schema.sql"))
                    .and_then(|()| transaction.pragma_update(None, "application_id", APPLICATION))
                    .and_then(|()| transaction.pragma_update(None, "user_version", LAYOUT))
                    .map_err(failed)?;
            }
            transaction.commit().map_err(failed)?;
            check(path, &connection)?;
        }
        Ok(store)
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many runs are in it.
    ///
    /// # Errors
    /// The database says no.
    pub fn count(&self) -> Result<usize, StoreError> {
        let count: i64 = self
            .lock()
            .query_row("SELECT count(*) FROM runs", [], |row| row.get(0))
            .map_err(|source| self.failed(source))?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, source: rusqlite::Error) -> StoreError {
        StoreError::Database {
            path: self.path.clone(),
            source,
        }
    }

    fn damaged(&self, reason: impl ToString) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            reason: reason.to_string(),
        }
    }
}

fn foreign(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase)
}

/// Whether the file is a store of this layout.
fn check(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let pragma = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|source| match foreign(&source) {
                true => StoreError::Foreign {
                    path: path.to_owned(),
                },
                false => StoreError::Database {
                    path: path.to_owned(),
                    source,
                },
            })
    };
    if pragma("application_id")? != APPLICATION {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
        });
    }
    match pragma("user_version")? {
        LAYOUT => check_names(connection).map_err(|source| StoreError::Database {
            path: path.to_owned(),
            source,
        }),
        found => Err(StoreError::Layout {
            path: path.to_owned(),
            found,
            known: LAYOUT,
        }),
    }
}

/// Whether names of tables and columns are texts: of a damaged store they need not be, and nobody could be told of them.
fn check_names(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..2 {
            row.get::<_, Option<String>>(column)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Status;

    fn source(number: usize) -> (ProblemKey, Source) {
        let key = ProblemKey {
            problem: format!("problem {number}"),
            parameters: Vec::new(),
            t_end: 1.0,
            build: "build".to_owned(),
        };
        let source = Source {
            problem: key.problem.clone(),
            source: "x".repeat(1000),
            agreed_digits: None,
            rates: 1,
            determined: false,
            loses_energy_at_events: None,
            picture: None,
        };
        (key, source)
    }

    #[test]
    fn a_full_disk_is_an_error_and_the_store_stays_whole() -> Result<(), Box<dyn std::error::Error>>
    {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("results.sqlite");
        let store = Store::open(&path)?;
        let pages: i64 = store
            .lock()
            .pragma_query_value(None, "page_count", |row| row.get(0))?;
        // No room for more than some pages: what the database says then is what it says of a full disk.
        store
            .lock()
            .pragma_update_and_check(None, "max_page_count", pages + 8, |_| Ok(()))?;
        let mut kept = 0;
        let error = loop {
            let (key, source) = source(kept);
            match store.keep_source(&key, &source) {
                Ok(()) => kept += 1,
                Err(error) => break error,
            }
        };
        assert!(kept > 0 && error.to_string().contains("is full"), "{error}");
        assert_eq!(error.status(), Status::NotWritten);
        drop(store);
        let store = Store::open(&path)?;
        let whole: String = store
            .lock()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(whole, "ok");
        assert_eq!(store.all_sources()?.len(), kept);
        Ok(())
    }

    #[test]
    fn claims_end_with_their_session() -> Result<(), StoreError> {
        let folder = tempfile::tempdir().expect("a directory");
        let store = Store::open(&folder.path().join("results.sqlite"))?;
        // A process that was killed before it had said that it began leaves a file and nothing else.
        let orphan = folder.path().join("results.sqlite-session-99");
        std::fs::write(&orphan, "").expect("a file");
        let first = store.begin("{}", "{}")?;
        assert!(!orphan.exists());
        let second = store.begin("{}", "{}")?;
        assert!(first.claim("a")? && !second.claim("a")? && !first.claim("a")?);
        assert!(second.is_beside_others()?);
        // Nobody ends a session that is dropped, as by a panic; its lock is gone.
        drop(first);
        second.forget_dead()?;
        assert!(second.claim("a")?);
        assert!(!second.is_beside_others()?);
        second.end("{}")?;
        assert_eq!(store.living()?, 0);
        Ok(())
    }
}
