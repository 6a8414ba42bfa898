//! Experiments of papers, repeated, with a verdict on each of their claims.

mod claim;
pub mod fang2022;
pub mod haddouni2017;
pub mod haddouni2017_academic;
pub mod haug1997;
pub mod ivp_testset;
mod probe;
mod trajectory;

pub use claim::{Claim, Statement, Table, Tally, Verdict, tallies};

use crate::error::CommandError;
use crate::experiment::Timing;
use crate::report::Page;
use serde::Serialize;

/// What has come out of repeating a paper's experiments.
pub struct Repetition {
    /// The paper's name on the command line.
    pub paper: &'static str,
    /// Its claims with verdicts.
    pub claims: Vec<Claim>,
    /// Experiments that failed, with the reason.
    pub failures: Vec<String>,
    /// The report.
    pub page: Page,
    /// The data.
    pub files: Vec<DataFile>,
}

/// A file of data.
pub struct DataFile {
    /// Its name.
    pub name: String,
    /// Its content, CSV.
    pub text: String,
}

impl DataFile {
    /// Records under a header taken from their fields.
    pub fn of_records<T: Serialize>(
        name: impl Into<String>,
        records: &[T],
    ) -> Result<Self, CommandError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for record in records {
            writer.serialize(record).map_err(memory)?;
        }
        Self::finish(name.into(), writer)
    }

    /// Rows of texts under a header.
    pub fn of_rows(
        name: impl Into<String>,
        header: &[String],
        rows: &[Vec<String>],
    ) -> Result<Self, CommandError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(header).map_err(memory)?;
        for row in rows {
            writer.write_record(row).map_err(memory)?;
        }
        Self::finish(name.into(), writer)
    }

    fn finish(name: String, writer: csv::Writer<Vec<u8>>) -> Result<Self, CommandError> {
        let bytes = writer
            .into_inner()
            .map_err(|error| CommandError::write("the data".as_ref(), error.into_error()))?;
        Ok(Self {
            name,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

/// The least CPU time of the thread of several repetitions in s; wall time where the operating system does not tell.
fn least_seconds(timings: &[Timing]) -> f64 {
    let times = timings
        .iter()
        .map(|timing| timing.cpu_s.unwrap_or(timing.wall_s));
    times.fold(f64::INFINITY, f64::min)
}

fn memory(error: csv::Error) -> CommandError {
    CommandError::write("the data".as_ref(), std::io::Error::from(error))
}
