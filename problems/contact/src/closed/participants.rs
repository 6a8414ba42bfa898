//! Who shares forces, and by which columns: contacts that stay closed, joints that stick.

use crate::equations::rows::Quantity;
use liedae::system::Point;

/// How a contact takes part in the splits of forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hold {
    /// With a normal force only.
    Frictionless,
    /// With friction up to μ N either way.
    Sticks { coefficient: f64 },
    /// With the friction -slope N.
    Slides { slope: f64 },
}

/// A force in a contact, or in a joint that sticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub quantity: Quantity,
    /// μ s of a contact that slides.
    pub slope: f64,
    /// What carries it.
    pub carrier: Carrier,
}

impl Column {
    /// Whether it is a given share of other forces, the load of a contact, which no split changes.
    pub fn is_given(&self) -> bool {
        matches!(
            (self.quantity, self.carrier),
            (Quantity::Gap(_), Carrier::Variable(..))
        )
    }
}

/// Where the present force of a column is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Carrier {
    /// It is the multiplier of this row.
    Row(usize),
    /// It is an algebraic variable times a factor: the load of a contact, or the normal force of a joint that others hold.
    Variable(usize, f64),
    /// It has none.
    Nothing,
}

impl Carrier {
    /// That of a row, if there is one.
    pub fn of_row(row: Option<usize>) -> Self {
        row.map_or(Self::Nothing, Self::Row)
    }

    /// Whether it is a row.
    pub fn is_row(self) -> bool {
        matches!(self, Self::Row(_))
    }

    /// The present force.
    pub fn force(self, at: &Point) -> f64 {
        let value = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
        match self {
            Self::Row(row) => value(at.lambda, row),
            Self::Variable(index, factor) => factor * value(at.z, index),
            Self::Nothing => 0.0,
        }
    }
}

/// A joint that sticks.
#[derive(Clone, Debug)]
pub(crate) struct StickingJoint {
    pub joint: usize,
    /// Its coefficient of friction.
    pub coefficient: f64,
    /// Σ n_k · N_k: rows of the wrapped system, which may come twice, and their factors.
    pub presses: Vec<(usize, f64)>,
}

impl StickingJoint {
    /// Σ n_k · N_k with these multipliers.
    pub fn pressing(&self, lambda: &[f64]) -> f64 {
        let terms = self.presses.iter();
        terms
            .map(|&(row, factor)| factor * lambda.get(row).copied().unwrap_or(0.0))
            .sum()
    }
}

/// Who shares forces: contacts with what they do, and joints that stick.
pub(crate) struct Holders {
    pub contacts: Vec<(usize, Hold)>,
    pub joints: Vec<StickingJoint>,
}

/// Columns and their coefficients, which sum up to nothing: one that depends on the base, first, and those of the base.
pub(crate) struct Direction {
    pub entries: Vec<(usize, f64)>,
    /// Sticking joints, by their place among the holders, that are held or pressed otherwise along it.
    pub joints: Vec<usize>,
}
