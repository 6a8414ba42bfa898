//! A mass matrix that the layout says is constant: evaluated once, and not without a second look.

use crate::linalg::{MatrixVersion, all_finite};
use crate::scalar::larger_or_second;
use crate::system::dynamics::evaluator::finite;
use crate::system::{EvaluationError, Function, Layout, Point, System};

/// How far from where it is evaluated the matrix is looked at again: in the coordinates, and in s.
const DISPLACEMENT: f64 = 0.01;

/// Where functions are not defined there, on the other side and nearer: these parts of the displacement.
const SIDES: [f64; 3] = [1.0, -1.0, -0.01];

/// What an entry may change: a few roundings beside the diagonal entries of its row and column.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// What is known of the matrix.
#[derive(Clone, Copy, Default, PartialEq)]
enum Known {
    #[default]
    Nothing,
    /// Its values, the same in two places.
    Values,
    /// The values that it had before an event.
    Doubted,
    /// That there is no second place where it can be evaluated: it is asked for wherever it is needed.
    NoSecondPlace,
}

#[derive(Default)]
pub(super) struct ConstantMass {
    known: Known,
    /// No other matrix has the same.
    number: Option<MatrixVersion>,
    values: Vec<f64>,
    others: Vec<f64>,
    /// To the other place, and on which side it is.
    displacement: Vec<f64>,
    side: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl ConstantMass {
    /// The system may have changed.
    pub fn forget(&mut self) {
        self.known = Known::Nothing;
    }

    /// The system may have changed, and hardly its mass.
    pub fn doubt(&mut self) {
        self.known = match self.known {
            Known::Values | Known::Doubted => Known::Doubted,
            Known::Nothing | Known::NoSecondPlace => Known::Nothing,
        };
    }

    /// Looks whether a doubted matrix is still the same beside this place; it is then known, and forgotten elsewhere.
    pub fn confirm(&mut self, system: &mut dyn System, at: &Point) {
        if self.known != Known::Doubted {
            return;
        }
        let stays = system.layout().mass.nnz() == self.values.len()
            && self.evaluate_beside(system, at, SIDES[0])
            && self.compare(system.layout()).is_ok();
        self.known = if stays { Known::Values } else { Known::Nothing };
    }

    /// Whether it has not been evaluated yet, or not since the system may have changed.
    pub fn is_forgotten(&self) -> bool {
        self.known == Known::Nothing
    }

    fn is_known(&self) -> bool {
        self.known == Known::Values
    }

    /// Gives the matrix where it is known; false elsewhere.
    pub fn give(&self, out: &mut [f64]) -> bool {
        let known = self.is_known() && out.len() == self.values.len();
        if known {
            out.copy_from_slice(&self.values);
        }
        known
    }

    /// Its number, where it is known.
    pub fn number(&self) -> Option<MatrixVersion> {
        self.number.filter(|_| self.is_known())
    }

    /// Takes the matrix of a place over, if it is the same beside it: at other velocities, and some time from there.
    pub fn take(
        &mut self,
        system: &mut dyn System,
        at: &Point,
        values: &[f64],
    ) -> Result<(), EvaluationError> {
        if self.known == Known::NoSecondPlace {
            return Ok(());
        }
        self.values.clear();
        self.values.extend_from_slice(values);
        self.known = Known::NoSecondPlace;
        for side in SIDES {
            if self.evaluate_beside(system, at, side) {
                self.known = Known::Values;
                self.number = Some(MatrixVersion::new());
                return self.compare(system.layout());
            }
        }
        Ok(())
    }

    /// Evaluates the matrix beside a place; whether it can be.
    fn evaluate_beside(&mut self, system: &mut dyn System, at: &Point, side: f64) -> bool {
        self.step_aside(system.layout(), at, side);
        let beside = Point {
            t: at.t + side * DISPLACEMENT,
            q: &self.q,
            v: &self.v,
            ..*at
        };
        let evaluated = system.mass_matrix(&beside, &mut self.others);
        evaluated.is_ok() && all_finite(&self.others)
    }

    /// Compares a matrix that is known with that of another place.
    pub fn check(&mut self, system: &mut dyn System, at: &Point) -> Result<(), EvaluationError> {
        if !self.is_known() {
            return Ok(());
        }
        system.mass_matrix(at, &mut self.others)?;
        finite(Function::Mass, at.t, &self.others)?;
        self.compare(system.layout())
    }

    fn step_aside(&mut self, layout: &Layout, at: &Point, side: f64) {
        self.others.clear();
        self.others.resize(self.values.len(), 0.0);
        // Most often as far aside as the last time.
        if (self.displacement.len(), self.side) != (at.v.len(), side) {
            let parts = (0..at.v.len()).map(|index| side * DISPLACEMENT * without_pattern(index));
            self.displacement.clear();
            self.displacement.extend(parts);
            self.side = side;
        }
        self.q.resize(at.q.len(), 0.0);
        layout.space.retract(at.q, &self.displacement, &mut self.q);
        self.v.clear();
        self.v.extend_from_slice(at.v);
        stir(&mut self.v);
    }

    fn compare(&mut self, layout: &Layout) -> Result<(), EvaluationError> {
        if self.values == self.others {
            return Ok(());
        }
        let diagonal = |row: usize| {
            let place = layout.mass.position(row, row);
            place.map_or(0.0, |place| self.values[place].abs())
        };
        let changed = layout.mass.iter().find(|&(row, column, place)| {
            let (value, other) = (self.values[place], self.others[place]);
            // The same number needs no look at the diagonal.
            value != other && {
                let size = (diagonal(row) * diagonal(column)).sqrt().max(value.abs());
                (value - other).abs() > ROUND_OFF * size
            }
        });
        let Some((row, column, place)) = changed else {
            return Ok(());
        };
        self.known = Known::Nothing;
        Err(EvaluationError::ChangingMass {
            row,
            column,
            value: self.values[place],
            other: self.others[place],
        })
    }
}

/// Changes numbers by up to a twentieth of the largest, or of one, without a pattern.
pub(in crate::system) fn stir(values: &mut [f64]) {
    let largest = |max, value: &f64| larger_or_second(value.abs(), max);
    let size = values.iter().fold(1.0, largest);
    for (index, value) in values.iter_mut().enumerate() {
        *value += 0.1 * size * (without_pattern(index) - 0.5);
    }
}

/// Numbers between 0 and 1 without a pattern: multiples of the golden ratio.
fn without_pattern(index: usize) -> f64 {
    let multiple = (index + 1) as f64 * 0.618_033_988_749_894_9;
    // Its fractional part, without a call.
    multiple - (multiple as u64) as f64
}
