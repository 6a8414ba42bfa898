//! Sessions of a store: the processes at work, and their claims.

use super::{Store, StoreError};
use rusqlite::{TransactionBehavior, params};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A process at work at a store. Its claims end with it, however it ends.
#[derive(Debug)]
pub struct Session<'s> {
    store: &'s Store,
    id: i64,
    /// Held as long as the session lives; `None` for stores in memory.
    lock: Option<(PathBuf, File)>,
}

/// Whether somebody may hold the lock of this file.
fn is_held(path: &Path) -> bool {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) => matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

impl Store {
    /// Begins to work: from now on the session may claim things.
    ///
    /// # Errors
    /// The store or the file of the lock cannot be written.
    pub fn begin(&self, provenance: &str, definition: &str) -> Result<Session<'_>, StoreError> {
        self.forget_dead()?;
        let mut connection = self.lock();
        let failed = |source| self.failed(source);
        // Files of locks are made and looked for in transactions of writers only: one at a time.
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        transaction
            .execute(
                "INSERT INTO sessions (started, provenance, definition)
                 VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?1, ?2)",
                params![provenance, definition],
            )
            .map_err(failed)?;
        let id = transaction.last_insert_rowid();
        let lock = if self.kept {
            self.remove_orphans();
            let name = format!("{}{id}", self.lock_prefix());
            let path = self.path.with_file_name(&name);
            let failed_file = |source| StoreError::File {
                path: path.clone(),
                source,
            };
            let file = File::create(&path).map_err(failed_file)?;
            file.try_lock().map_err(|error| failed_file(error.into()))?;
            transaction
                .execute(
                    "UPDATE sessions SET lock = ?1 WHERE id = ?2",
                    params![name, id],
                )
                .map_err(failed)?;
            Some((path, file))
        } else {
            None
        };
        transaction.commit().map_err(failed)?;
        Ok(Session {
            store: self,
            id,
            lock,
        })
    }

    /// How the names of lock files begin.
    fn lock_prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        format!("{}-session-", name.to_string_lossy())
    }

    /// Removes files of locks that nobody holds: of processes that were killed before they had said that they began.
    fn remove_orphans(&self) {
        let folder = self
            .path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
        let prefix = self.lock_prefix();
        for entry in entries.into_iter().flatten().flatten() {
            let is_lock = entry.file_name().to_string_lossy().starts_with(&prefix);
            if is_lock && !is_held(&entry.path()) {
                // A file that cannot be removed harms nobody.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Ends the sessions of processes that are gone, and their claims.
    pub(super) fn forget_dead(&self) -> Result<(), StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare("SELECT id, lock FROM sessions WHERE ended IS NULL AND lock IS NOT NULL")
            .map_err(|source| self.failed(source))?;
        let rows = statement
            .query_map([], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|source| self.failed(source))?;
        for (id, name) in rows {
            let path = self.path.with_file_name(name);
            if is_held(&path) {
                continue;
            }
            connection
                .execute("DELETE FROM claims WHERE session = ?1", [id])
                .and_then(|_| {
                    connection.execute(
                        "UPDATE sessions SET ended = 'without a word', lock = NULL WHERE id = ?1 AND ended IS NULL",
                        [id],
                    )
                })
                .map_err(|source| self.failed(source))?;
            // Somebody else may have been faster.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// How many sessions live.
    ///
    /// # Errors
    /// The database says no.
    pub fn living(&self) -> Result<usize, StoreError> {
        self.forget_dead()?;
        let living: i64 = self
            .lock()
            .query_row(
                // A session that was ended before it had a lock has claimed nothing.
                "SELECT count(*) FROM sessions WHERE ended IS NULL AND lock IS NOT NULL",
                [],
                |row| row.get(0),
            )
            .map_err(|source| self.failed(source))?;
        Ok(usize::try_from(living).unwrap_or(0))
    }
}

impl Session<'_> {
    /// Its number in the store.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Claims something, if nobody else has.
    pub fn claim(&self, item: &str) -> Result<bool, StoreError> {
        let connection = self.store.lock();
        let claimed = connection
            .execute(
                "INSERT OR IGNORE INTO claims (item, session) VALUES (?1, ?2)",
                params![item, self.id],
            )
            .map_err(|source| self.store.failed(source))?;
        Ok(claimed == 1)
    }

    /// Gives something back.
    pub fn release(&self, item: &str) -> Result<(), StoreError> {
        self.store
            .lock()
            .execute(
                "DELETE FROM claims WHERE item = ?1 AND session = ?2",
                params![item, self.id],
            )
            .map_err(|source| self.store.failed(source))?;
        Ok(())
    }

    /// Takes the claims of processes that are gone away from them.
    pub fn forget_dead(&self) -> Result<(), StoreError> {
        self.store.forget_dead()
    }

    /// Whether other sessions live beside this one.
    pub fn is_beside_others(&self) -> Result<bool, StoreError> {
        Ok(self.store.living()? > 1)
    }

    /// Ends the session, and says how it was made as it is known at its end.
    pub fn end(mut self, provenance: &str) -> Result<(), StoreError> {
        let store = self.store;
        let connection = store.lock();
        connection
            .execute("DELETE FROM claims WHERE session = ?1", [self.id])
            .and_then(|_| {
                connection.execute(
                    "UPDATE sessions SET ended = strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), lock = NULL, provenance = ?2
                     WHERE id = ?1",
                    params![self.id, provenance],
                )
            })
            .map_err(|source| store.failed(source))?;
        drop(connection);
        if let Some((path, file)) = self.lock.take() {
            drop(file);
            // A file that stays is removed by whoever finds it unlocked.
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Where it works.
    pub fn store(&self) -> &Store {
        self.store
    }
}

impl Drop for Session<'_> {
    /// A session that has not been ended, as after an error, leaves no file; whoever comes next takes its claims away.
    fn drop(&mut self) {
        if let Some((path, file)) = self.lock.take() {
            drop(file);
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Store {
    /// What sessions that have made a run were about, the first first: provenance with the start, definition.
    pub(crate) fn sessions(&self) -> Result<Vec<(String, String)>, StoreError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare(
                "SELECT json_set(provenance, '$.started', started), definition FROM sessions
                 WHERE id IN (SELECT session FROM runs) ORDER BY id",
            )
            .map_err(|source| self.failed(source))?;
        statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .and_then(Iterator::collect)
            .map_err(|source| self.failed(source))
    }
}
