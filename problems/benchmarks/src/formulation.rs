//! The equations and constants of a problem as text.

use liedae::system::Model;
use serde::Serialize;

/// What a reader needs who states a problem in another code: its equations, and tables of the numbers in them.
///
/// Mechanisms of bodies and joints need none: [`MultibodySystem::file`](liedae_multibody::MultibodySystem::file) and
/// [`PlaneMechanism::file`](liedae_multibody::plane::PlaneMechanism::file) have all their numbers.
///
/// ```
/// use liedae_problems::Formulation;
///
/// let rates = [("a -> b", 0.04), ("2 b -> b + c", 3e7)];
/// let formulation = Formulation::new(["y' = S r, r_j = k_j times the concentrations on the left of reaction j"])
///     .with_table("reactions", ["reaction", "k (SI units)"], rates.map(|(reaction, k)| [reaction.into(), k.into()]));
/// assert_eq!(
///     formulation.to_string(),
///     "y' = S r, r_j = k_j times the concentrations on the left of reaction j\n\
///      \n\
///      reactions\n\
///      reaction      k (SI units)\n\
///      a -> b        0.04\n\
///      2 b -> b + c  30000000\n"
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Formulation {
    /// Equations and sentences, in the names of unknowns, outputs and parameters.
    pub equations: Vec<String>,
    /// Their numbers.
    pub tables: Vec<NumberTable>,
}

/// A table of numbers, with units in the names of its columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NumberTable {
    /// What it holds.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Its rows, each as long as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// An entry of a [`NumberTable`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number, which is shown with all its digits.
    Number(f64),
    /// A name.
    Words(String),
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The shortest decimal that reads back as the same number.
            Self::Number(0.0) => formatter.write_str("0"),
            Self::Number(number) if (1e-4..1e9).contains(&number.abs()) => {
                write!(formatter, "{number}")
            }
            Self::Number(number) => write!(formatter, "{number:e}"),
            Self::Words(words) => formatter.write_str(words),
        }
    }
}

impl Formulation {
    /// Equations without tables.
    pub fn new<E: Into<String>>(equations: impl IntoIterator<Item = E>) -> Self {
        Self {
            equations: equations.into_iter().map(Into::into).collect(),
            tables: Vec::new(),
        }
    }

    /// The same with a table.
    #[must_use]
    pub fn with_table<C: Into<String>, R: IntoIterator<Item = Cell>>(
        mut self,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        self.tables.push(NumberTable {
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: rows
                .into_iter()
                .map(|row| row.into_iter().collect())
                .collect(),
        });
        self
    }

    /// The same with a table of constants: symbol, value and unit.
    #[must_use]
    pub fn with_constants<'a>(
        self,
        constants: impl IntoIterator<Item = (&'a str, f64, &'a str)>,
    ) -> Self {
        let rows = constants.into_iter();
        let rows = rows.map(|(symbol, value, unit)| [symbol.into(), value.into(), unit.into()]);
        self.with_table("constants", ["symbol", "value", "unit"], rows)
    }

    /// The same with a table of initial values in this unit; values that are not finite are not known, and left out.
    #[must_use]
    pub fn with_initial_values<N: Into<String>>(
        self,
        unit: &str,
        values: impl IntoIterator<Item = (N, f64)>,
    ) -> Self {
        let columns = ["unknown".to_owned(), format!("initial value ({unit})")];
        let known = values.into_iter().filter(|(_, value)| value.is_finite());
        let rows = known.map(|(name, value)| [Cell::from(name.into()), value.into()]);
        self.with_table("initial values", columns, rows)
    }
}

/// What the outputs of a model show at the start; NaN for accelerations and multipliers, which its initial state does not know.
pub(crate) fn initial_outputs<M: Model>(model: &M) -> Vec<(String, f64)> {
    let mut state = model.initial_state();
    state.lambda.fill(f64::NAN);
    state.acceleration.fill(f64::NAN);
    let names = model.output_names();
    let mut values = vec![f64::NAN; names.len()];
    model.outputs(&state, &mut values);
    names.into_iter().zip(values).collect()
}

impl std::fmt::Display for NumberTable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "{}", self.title)?;
        let mut lines = vec![self.columns.clone()];
        lines.extend((self.rows.iter()).map(|row| row.iter().map(Cell::to_string).collect()));
        let mut widths = vec![0; self.columns.len()];
        for line in &lines {
            for (width, entry) in widths.iter_mut().zip(line) {
                *width = entry.chars().count().max(*width);
            }
        }
        for line in &lines {
            let entries = line.iter().zip(&widths);
            let padded: Vec<String> = entries
                .map(|(entry, &width)| format!("{entry:width$}"))
                .collect();
            writeln!(formatter, "{}", padded.join("  ").trim_end())?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Formulation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for equation in &self.equations {
            writeln!(formatter, "{equation}")?;
        }
        for table in &self.tables {
            write!(formatter, "\n{table}")?;
        }
        Ok(())
    }
}
