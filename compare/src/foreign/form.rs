//! The forms in which programs are given a problem, y standing for everything that they integrate.

use super::{DaeForm, OdeForm, ProgramError};
use liedae::linalg::{KktError, Pattern};
use liedae::system::{DynamicsError, Evaluator, Layout, State, event_descriptions};
use std::str::FromStr;

/// A form of the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormName {
    /// y' = f(t, y), y = (q, v, x): accelerations, multipliers and algebraic variables are solved for within f.
    Ode,
    /// 0 = F(t, y, y') of index 1, y = (q, v, x, z, λ): constraints at the level of accelerations.
    Dae1,
    /// 0 = F(t, y, y') of index 2, y = (q, v, x, z, λ, μ): Gear, Gupta and Leimkuhler's stabilized form.
    Dae2,
}

impl FromStr for FormName {
    type Err = ProgramError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "ode" => Ok(Self::Ode),
            "dae1" => Ok(Self::Dae1),
            "dae2" => Ok(Self::Dae2),
            other => Err(ProgramError::Nonsense(format!(
                "it asks for the form `{other}`; there are ode, dae1 and dae2"
            ))),
        }
    }
}

/// Equations in one of the forms.
pub trait Form {
    /// Number of unknowns y.
    fn size(&self) -> usize;

    /// Whether y' is an argument of the equations.
    fn is_implicit(&self) -> bool;

    /// Whether [`jacobian`](Self::jacobian) is exact; programs that are not served one take differences.
    fn has_jacobian(&self) -> bool;

    /// Whether the derivative of each unknown occurs.
    fn occurs(&self) -> Vec<bool>;

    /// The index of each unknown: 0 for those of an ODE, 1 + k for those that the equations determine after k
    /// differentiations.
    fn index(&self) -> Vec<u8>;

    /// y and, for implicit forms, y' of a complete state.
    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<Start, DynamicsError>;

    /// The right-hand side f(t, y), or the residual F(t, y, y').
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        out: &mut [f64],
    ) -> Result<(), DynamicsError>;

    /// ∂f/∂y, or ∂F/∂y + c ∂F/∂y', column by column.
    fn jacobian(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        c: f64,
        out: &mut [f64],
    ) -> Result<(), DynamicsError>;

    /// The complete state at a point; what the form does not have is solved for. Nothing of it is counted.
    fn complete(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        state: &mut State,
    ) -> Result<(), DynamicsError>;

    /// Matrices that were factorized for the equations themselves.
    fn factorizations(&self) -> usize;
}

/// Where equations are evaluated. `rate` is empty for forms without y'.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Time in s.
    pub t: f64,
    /// The unknowns y.
    pub y: &'a [f64],
    /// Their derivatives y'.
    pub rate: &'a [f64],
}

/// Where a run begins.
#[derive(Clone, Debug)]
pub struct Start {
    /// The unknowns.
    pub y: Vec<f64>,
    /// Their derivatives; empty for forms without.
    pub rate: Vec<f64>,
}

/// The equations of a system in a form.
///
/// # Errors
/// [`ProgramError::NotServed`] where the system has no such form.
pub fn form(
    name: FormName,
    system: &mut Evaluator,
    start: &State,
    t_end: f64,
) -> Result<Box<dyn Form>, ProgramError> {
    Ok(match name {
        FormName::Ode => Box::new(OdeForm::new(system, start)?),
        FormName::Dae1 | FormName::Dae2 => {
            Box::new(DaeForm::new(name, system.layout(), start, t_end)?)
        }
    })
}

/// Refuses what no form has.
pub fn check(system: &mut Evaluator) -> Result<(), ProgramError> {
    let refuse = |why: &str| Err(ProgramError::NotServed(why.to_owned()));
    if !system.layout().space.is_euclidean() {
        return refuse("its configurations are on a Lie group, and forms are for vector spaces");
    }
    if liedae_contact::unilateral(system.system()).is_some() {
        return refuse("it has contacts, which programs know nothing of");
    }
    if !event_descriptions(system.system()).is_empty() {
        return refuse("it has events, which programs know nothing of");
    }
    Ok(())
}

/// A matrix that could not be set up.
pub fn unsolvable(error: &KktError) -> ProgramError {
    ProgramError::NotServed(error.to_string())
}

/// Where the parts of y stand.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Dimension of q and of v.
    pub dimension: usize,
    /// Differential states x.
    pub differential: usize,
    /// Algebraic variables z.
    pub algebraic: usize,
    /// Multipliers λ.
    pub rows: usize,
    /// Multipliers μ of the stabilized form.
    pub corrections: usize,
}

impl Parts {
    /// Those of the first three parts q, v, x only.
    pub fn of_ode(layout: &Layout) -> Self {
        Self {
            dimension: layout.dimension(),
            differential: layout.differential,
            algebraic: 0,
            rows: 0,
            corrections: 0,
        }
    }

    /// The ends of q, v, x, z, λ and μ.
    pub fn ends(&self) -> [usize; 6] {
        let mut end = 0;
        [
            self.dimension,
            self.dimension,
            self.differential,
            self.algebraic,
            self.rows,
            self.corrections,
        ]
        .map(|count| {
            end += count;
            end
        })
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.ends()[5]
    }

    /// The column of y that a column of [`Layout::rates`], (q, x, z), belongs to.
    pub fn of_rates(&self, column: usize) -> usize {
        if column < self.dimension {
            column
        } else {
            column + self.dimension
        }
    }
}

/// A dense matrix by columns, into which parts are added.
pub struct Columns<'m> {
    entries: &'m mut [f64],
    size: usize,
}

impl<'m> Columns<'m> {
    /// The zero matrix.
    pub fn zero(entries: &'m mut [f64], size: usize) -> Self {
        entries.fill(0.0);
        Self { entries, size }
    }

    /// Adds to one entry.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.entries[column * self.size + row] += value;
    }

    /// Adds `scale` times a sparse matrix whose upper left corner is at (row, column).
    pub fn add_matrix(
        &mut self,
        (row, column): (usize, usize),
        scale: f64,
        pattern: &Pattern,
        values: &[f64],
    ) {
        for (own_row, own_column, entry) in pattern.iter() {
            self.add(row + own_row, column + own_column, scale * values[entry]);
        }
    }
}
