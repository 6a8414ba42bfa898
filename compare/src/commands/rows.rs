//! Rows of a run as CSV, into a file or to stdout.

use crate::error::CommandError;
use crate::experiment::{RowSink, pose_values};
use liedae::system::State;
use liedae_problems::drawing::Drawing;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// The name that stands for stdout.
const STDOUT: &str = "-";

/// Whether rows go to stdout.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Rows into a CSV file: t and all outputs.
pub struct CsvRows {
    writer: csv::Writer<Box<dyn Write>>,
    record: Vec<String>,
    path: std::path::PathBuf,
    /// Whose poses are written, too, and those of the row that follows.
    poses: Option<(Drawing, Vec<f64>)>,
}

impl CsvRows {
    /// Creates the file, or takes stdout, and writes the head: t, outputs, and the columns of a drawing's poses, if they are wanted.
    pub fn create(
        path: &Path,
        outputs: &[String],
        poses: Option<(Drawing, Vec<String>)>,
    ) -> Result<Self, CommandError> {
        let failed = |error: csv::Error| CommandError::write(path, cause(error));
        let target: Box<dyn Write> = if is_stdout(path) {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(path).map_err(|source| CommandError::write(path, source))?)
        };
        let mut writer = csv::Writer::from_writer(target);
        writer.write_field("t").map_err(failed)?;
        let (drawing, columns) = poses.unzip();
        let columns = columns.unwrap_or_default();
        let columns = outputs.iter().chain(&columns);
        writer.write_record(columns).map_err(failed)?;
        Ok(Self {
            writer,
            record: Vec::new(),
            path: path.to_owned(),
            poses: drawing.map(|drawing| (drawing, Vec::new())),
        })
    }

    /// Writes what is still in memory.
    pub fn finish(mut self) -> Result<(), CommandError> {
        let path = &self.path;
        self.writer
            .flush()
            .map_err(|source| CommandError::write(path, source))
    }
}

impl RowSink for CsvRows {
    fn row(&mut self, t: f64, outputs: &[f64]) -> io::Result<()> {
        self.record.clear();
        let poses = self.poses.as_ref().map_or(&[][..], |(_, values)| values);
        let values = std::iter::once(&t).chain(outputs).chain(poses);
        self.record.extend(values.map(|value| format!("{value:?}")));
        self.writer.write_record(&self.record).map_err(cause)
    }

    fn see(&mut self, state: &State) {
        if let Some((drawing, values)) = &mut self.poses {
            pose_values(drawing, state, values);
        }
    }
}

/// The system's own error: its kind tells a reader who has gone from a full disk.
fn cause(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Whether nobody reads the rows any more, as behind `liedae run ... --csv - | head`.
pub fn is_reader_gone(error: &CommandError) -> bool {
    matches!(error, CommandError::Write { source, .. } if source.kind() == ErrorKind::BrokenPipe)
}
