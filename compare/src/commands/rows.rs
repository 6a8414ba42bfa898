//! Rows of a run as CSV, into a file or to stdout.

use crate::error::CommandError;
use crate::experiment::{RowSink, pose_values};
use liedae::system::State;
use liedae_problems::drawing::Drawing;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    /// Names of the columns.
    head: Vec<String>,
    path: PathBuf,
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
        let (drawing, columns) = poses.unzip();
        let time = std::iter::once("t".to_owned());
        let columns = outputs.iter().cloned().chain(columns.unwrap_or_default());
        let head: Vec<String> = time.chain(columns).collect();
        let writer = begin(path, &head).map_err(|source| CommandError::write(path, source))?;
        Ok(Self {
            writer,
            record: Vec::new(),
            head,
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

/// An empty file, or stdout, with names of columns.
fn begin(path: &Path, head: &[String]) -> io::Result<csv::Writer<Box<dyn Write>>> {
    let target: Box<dyn Write> = if is_stdout(path) {
        Box::new(io::stdout())
    } else {
        Box::new(File::create(path)?)
    };
    let mut writer = csv::Writer::from_writer(target);
    writer.write_record(head).map_err(cause)?;
    Ok(writer)
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

    fn begin_again(&mut self) -> io::Result<bool> {
        if is_stdout(&self.path) {
            return Ok(false);
        }
        // What is still in memory is written before the file becomes empty, not behind it.
        self.writer.flush()?;
        self.writer = begin(&self.path, &self.head)?;
        Ok(true)
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
