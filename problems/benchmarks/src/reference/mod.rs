//! Reference solutions: tables of high-accuracy trajectories and closed forms, by the names of the outputs.

mod hermite;
mod table;

pub use table::Table;

use crate::error::TableError;
use std::collections::BTreeMap;

type ClosedForm = Box<dyn Fn(f64, &mut [f64]) + Send + Sync>;

/// A reference solution of one problem at one set of parameters.
///
/// A column is known where its source can give it to (nearly) the accuracy of the source:
/// - from a closed form, at every time;
/// - from a table, at the samples; between them only where the table also holds the column's rates, by a Hermite
///   polynomial through six samples.
///
/// ```
/// let problem = (liedae_problems::ProblemRegistry::standard().lookup("pendulum")?.build_with(&[]))?;
/// let reference = problem.reference.as_ref();
/// let x = reference.and_then(|reference| reference.value("x", 1.0));
/// assert!(x.is_some_and(|x| (x - 0.98629175113187532).abs() < 1e-13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reference {
    source: String,
    start: f64,
    end: f64,
    periodic: bool,
    parts: Vec<Part>,
    columns: BTreeMap<String, (usize, usize)>,
    digits: BTreeMap<String, u8>,
    closed_form: Option<f64>,
}

enum Part {
    Table(&'static Table),
    Exact {
        columns: usize,
        function: ClosedForm,
    },
}

impl std::fmt::Debug for Reference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Reference")
            .field("source", &self.source)
            .field("start", &self.start)
            .field("end", &self.end)
            .field("columns", &self.columns.keys())
            .finish_non_exhaustive()
    }
}

impl Reference {
    /// A reference without columns for the times from `start` to `end` in s; `source` says where it comes from and how
    /// far to trust it. It also answers outside these times if it is `periodic`.
    pub fn new(source: impl Into<String>, start: f64, end: f64, periodic: bool) -> Self {
        Self {
            source: source.into(),
            start,
            end,
            periodic,
            parts: Vec::new(),
            columns: BTreeMap::new(),
            digits: BTreeMap::new(),
            closed_form: None,
        }
    }

    /// Adds columns of a table, as pairs (output name, column of the table).
    pub fn with_table<N: Into<String>>(
        mut self,
        table: &'static Table,
        columns: impl IntoIterator<Item = (N, &'static str)>,
    ) -> Result<Self, TableError> {
        for (output, column) in columns {
            let index = table.require(column)?;
            self.columns
                .insert(output.into(), (self.parts.len(), index));
        }
        self.parts.push(Part::Table(table));
        Ok(self)
    }

    /// Adds all columns of a table under their own names.
    pub fn with_whole_table(mut self, table: &'static Table) -> Self {
        for (index, name) in table.names().iter().enumerate() {
            self.columns.insert(name.clone(), (self.parts.len(), index));
        }
        self.parts.push(Part::Table(table));
        self
    }

    /// Adds columns given by a function of time that fills them in this order.
    pub fn with_closed_form<N: Into<String>>(
        mut self,
        columns: impl IntoIterator<Item = N>,
        function: impl Fn(f64, &mut [f64]) + Send + Sync + 'static,
    ) -> Self {
        let mut count = 0;
        for name in columns {
            self.columns.insert(name.into(), (self.parts.len(), count));
            count += 1;
        }
        self.parts.push(Part::Exact {
            columns: count,
            function: Box::new(function),
        });
        self
    }

    /// States that a column is right in this many significant digits only.
    pub fn with_digits(mut self, column: impl Into<String>, digits: u8) -> Self {
        self.digits.insert(column.into(), digits);
        self
    }

    /// The number of significant digits in which a column is right; `None` if only [`source`](Self::source) says so.
    pub fn digits(&self, column: &str) -> Option<u8> {
        self.digits.get(column).copied()
    }

    /// States that all columns are a closed form, right in so many digits of each output's largest absolute value.
    ///
    /// ```
    /// use liedae_problems::Reference;
    ///
    /// let fall = Reference::new("closed form", 0.0, 1.0, false)
    ///     .with_closed_form(["z"], |t, out| out[0] = -4.905 * t * t)
    ///     .exact_to(15.0);
    /// assert_eq!(fall.exact_digits(), Some(15.0));
    /// ```
    pub fn exact_to(mut self, digits: f64) -> Self {
        self.closed_form = Some(digits);
        self
    }

    /// The digits in which the closed form is right that all columns are; `None` where they are tables, or nothing is stated.
    pub fn exact_digits(&self) -> Option<f64> {
        self.closed_form
    }

    /// Names of the columns, in alphabetical order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Whether there is a column of this name.
    pub fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// First and last time in s.
    pub fn range(&self) -> (f64, f64) {
        (self.start, self.end)
    }

    /// Whether the solution repeats itself outside [`range`](Self::range).
    pub fn is_periodic(&self) -> bool {
        self.periodic
    }

    /// Where the data come from and how far to trust them.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value of a column at time `t` in s; `None` for an unknown column, for a time outside the range of data that
    /// are not periodic, and between the samples of a column that cannot be interpolated.
    pub fn value(&self, column: &str, t: f64) -> Option<f64> {
        let &(part, index) = self.columns.get(column)?;
        if !t.is_finite() {
            return None;
        }
        // A driver that adds up its steps overshoots the end by round-off.
        let slack = 1e-12 * (self.end - self.start);
        if !self.periodic && (t < self.start - slack || t > self.end + slack) {
            return None;
        }
        match &self.parts[part] {
            Part::Table(table) => table.value(index, t),
            Part::Exact { columns, function } => {
                let mut values = vec![f64::NAN; *columns];
                function(t, &mut values);
                values.get(index).copied().filter(|value| value.is_finite())
            }
        }
    }
}
