//! The index of the unknowns of E x' = d(t, x), found from its structure, against the one that is stated.

use crate::linalg::Pattern;
use crate::system::consistency::descriptor::{DescriptorElimination, cancelling_sum};
use crate::system::consistency::signature::Signature;
use crate::system::{EvaluationError, Evaluator, Point, RatesJacobian, State};
use std::fmt::{self, Write};
use thiserror::Error;

/// The stated indices of x cannot be right.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, FirstOrder, FirstOrderModel, IndexError, check_differential_index};
///
/// /// y₁' = y₂, 0 = y₁ - sin t: y₂ is a derivative of what the equation determines, which makes its index 2.
/// struct Differentiator;
///
/// impl FirstOrderModel for Differentiator {
///     fn dimension(&self) -> usize { 2 }
///     fn initial_value(&self) -> Vec<f64> { vec![0.0, 1.0] }
///     fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
///         rate[0] = y[1];
///         rate[1] = y[0] - t.sin();
///     }
///     fn mass(&self) -> Option<Vec<(usize, usize, f64)>> { Some(vec![(0, 0, 1.0)]) }
///     fn index(&self) -> Vec<u8> { vec![1, 1] }
/// }
///
/// let mut system = Automatic::new(FirstOrder::new(Differentiator)?);
/// let start = system.initial_state();
/// match check_differential_index(&mut Evaluator::new(&mut system), &start) {
///     Err(IndexError::Stated { unknown: 1, stated: 1, found, .. }) => assert_eq!(found, 2),
///     other => panic!("it is stated with 1: {other:?}"),
/// }
/// # Ok::<(), liedae::system::FirstOrderError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IndexError {
    /// An unknown has another index than stated.
    #[error(
        "x[{unknown}] has index {found} and is stated with {stated} (FirstOrderModel::index, Layout::differential_index; \
         unknowns count from 0): {}",
        Remedy(indices)
    )]
    Stated {
        /// The first such unknown.
        unknown: usize,
        /// What is stated.
        stated: u8,
        /// What it is.
        found: u8,
        /// The indices of all unknowns.
        indices: Vec<u8>,
    },
    /// Nothing but ordinary differential equations is stated, and E is singular.
    #[error(
        "E is singular and all unknowns are stated with index 0 (FirstOrderModel::index, Layout::differential_index): \
         state 1 to 3 for algebraic variables and whatever depends on derivatives of the equations"
    )]
    Singular,
}

/// Says what to state instead.
struct Remedy<'a>(&'a [u8]);

impl fmt::Display for Remedy<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().any(|&index| index > 3) {
            return formatter.write_str(
                "no method handles an index above 3; differentiate a constraint and state that instead",
            );
        }
        formatter.write_str("state ")?;
        let mut first = 0;
        for run in self.0.chunk_by(|a, b| a == b) {
            let last = first + run.len() - 1;
            if first > 0 {
                formatter.write_str(", ")?;
            }
            write!(formatter, "{} for x[{first}]", run[0])?;
            if last > first {
                write!(formatter, " to x[{last}]")?;
            }
            first = last + 1;
        }
        formatter.write_char('.')
    }
}

/// Larger systems are not analysed: dense elimination would take longer than a short run.
const LARGEST: usize = 400;

/// Points near the initial state that show which derivatives vanish there by chance only.
const NEIGHBOURS: u32 = 2;

/// Relative size of the neighbourhood: its points lie nearly on the constraints, and what vanishes at its centre is far
/// above [`NEGLIGIBLE`].
const DISTANCE: f64 = 1e-4;

/// Entries of an inverse below this part of the largest one in their row may be round-off.
const NEGLIGIBLE: f64 = 1e-8;

/// Pivots of a scaled matrix below this part of the largest one leave open whether it is regular.
const DOUBTFUL: f64 = 1e-10;

/// Refuses stated indices that cannot be right.
///
/// Offsets c, d of the signature method say how often each equation has to be differentiated: x_j has perturbation index
/// max c_i - d_j + 1 over the equations i on which its highest derivative depends. The inverse of the system Jacobian at the
/// initial state and near it shows on which it certainly does: a lower index than that is refused. A higher one is refused
/// where E is regular, but not otherwise: the structure at the start need not be that of the whole run (a valve that
/// opens). Where the Jacobian is not clearly regular, structure may overestimate an index, and nothing is refused. 0 and 1 are
/// one statement, since methods treat them alike, unless all are 0 and E is singular.
///
/// Where the rows of E are combinations of each other (capacitors between two nodes), they are combined first, E being
/// constant. Systems with velocities or algebraic variables z beside x are not analysed, nor are very large ones.
///
/// Source: Pryce 2001, doi:10.1023/A:1021998624799; perturbation index: Hairer, Wanner, Solving Ordinary Differential Equations
/// II, VII.1.
pub fn check_differential_index(system: &mut Evaluator, state: &State) -> Result<(), IndexError> {
    let layout = system.layout();
    let (n, stated) = (layout.differential, layout.differential_index.clone());
    let alone = layout.dimension() == 0 && layout.algebraic == 0;
    let identity = layout.descriptor.is_none();
    let high = stated.iter().position(|&index| index > 1);
    if !alone || n == 0 || n > LARGEST || (identity && high.is_none()) {
        return Ok(());
    }
    let (pattern, values) = layout.descriptor_or_identity();
    let mut e = Matrix::zero(n);
    e.add(&pattern, &values);
    let reduced = DescriptorElimination::new(&pattern, &values);
    // E regular: x' = E⁻¹ d, every unknown has index 0.
    if reduced.rank() == n {
        return match high {
            None => Ok(()),
            Some(unknown) => Err(IndexError::Stated {
                unknown,
                stated: stated[unknown],
                found: 0,
                indices: vec![0; n],
            }),
        };
    }
    let samples = samples(system, state);
    // As they stand the rows have the fewest entries, and the bounds lie closest together.
    let bounds = Bounds::of(&e, &samples).or_else(|| {
        let operations = &reduced.operations;
        let samples: Vec<Matrix> = samples.iter().map(|a| a.combined(operations)).collect();
        Bounds::of(&e.combined(operations), &samples)
    });
    let forgotten = stated.iter().all(|&index| index == 0);
    let wrong = bounds.as_ref().and_then(|Bounds { lower, .. }| {
        let below = |least: u8| {
            let mut pairs = stated.iter().zip(lower);
            pairs.position(|(&stated, &lower)| stated.max(least) < lower)
        };
        // Of a forgotten statement the first unknown above 1 says more than the first one above 0.
        below(1).or_else(|| forgotten.then(|| below(0)).flatten())
    });
    match (bounds, wrong) {
        (Some(Bounds { lower, upper }), Some(unknown)) => {
            let limits = lower.into_iter().zip(upper);
            let indices = stated.iter().zip(limits);
            let indices: Vec<u8> = indices
                .map(|(&stated, (lower, upper))| stated.clamp(lower, upper))
                .collect();
            Err(IndexError::Stated {
                unknown,
                stated: stated[unknown],
                found: indices[unknown],
                indices,
            })
        }
        _ if forgotten => Err(IndexError::Singular),
        _ => Ok(()),
    }
}

/// ∂d/∂x at the initial state and near it, where it can be evaluated.
fn samples(system: &mut Evaluator, state: &State) -> Vec<Matrix> {
    let mut jacobian = RatesJacobian::new(system.layout());
    let largest = state.x.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    let unit = if largest > 0.0 { largest } else { 1.0 };
    let mut seed = 1_u32;
    // Between 1/2 and 1, of either sign: nothing vanishes.
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let size = 0.5 + f64::from(seed >> 16) / f64::from(1_u32 << 17);
        if seed & 0x8000 == 0 { size } else { -size }
    };
    let mut found = Vec::new();
    let mut x = state.x.clone();
    for neighbour in 0..=NEIGHBOURS {
        let mut t = state.t;
        if neighbour > 0 {
            t += DISTANCE * random().abs() * if t == 0.0 { 1.0 } else { t.abs() };
            for (x, centre) in x.iter_mut().zip(&state.x) {
                *x = centre + DISTANCE * random() * if *centre == 0.0 { unit } else { *centre };
            }
        }
        let at = Point {
            t,
            x: &x,
            ..state.point()
        };
        let evaluated: Result<(), EvaluationError> =
            system.uncounted(|system| system.rates_jacobian(&at, &mut jacobian));
        if evaluated.is_ok() {
            let mut a = Matrix::zero(x.len());
            a.add(&system.layout().rates, &jacobian.by_position);
            found.push(a);
        }
    }
    found
}

/// The index of each unknown.
struct Bounds {
    /// Certain at the start.
    lower: Vec<u8>,
    /// By the structure seen there.
    upper: Vec<u8>,
}

impl Bounds {
    /// From E and samples of ∂d/∂x; `None` where the structure is that of no regular system, or its Jacobian is in doubt.
    fn of(e: &Matrix, samples: &[Matrix]) -> Option<Self> {
        let n = e.size;
        let entry = |row, column| {
            let place = (row, column);
            // σ = 1 where x' occurs, 0 where x does, nothing elsewhere.
            if e[place] != 0.0 {
                Some(1)
            } else if samples.iter().any(|a| a[place] != 0.0) {
                Some(0)
            } else {
                None
            }
        };
        let signature = Signature::new(n, entry)?;
        let (c, d) = (&signature.row_offsets, &signature.column_offsets);
        let mut lower = vec![0; n];
        let mut known = false;
        for a in samples {
            let mut jacobian = Matrix::zero(n);
            for row in 0..n {
                for column in 0..n {
                    if signature.is_highest(row, column) {
                        let place = (row, column);
                        let differential = e[place] != 0.0;
                        jacobian[place] = if differential { e[place] } else { -a[place] };
                    }
                }
            }
            let Some(inverse) = jacobian.scaled_inverse() else {
                continue;
            };
            known = true;
            for (unknown, lower) in lower.iter_mut().enumerate() {
                let entries = inverse.row(unknown);
                // Dependence on equation i is certain where the inverse has a clear entry.
                let largest = entries.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
                for (entry, c) in entries.iter().zip(c) {
                    if entry.abs() > NEGLIGIBLE * largest {
                        *lower = (*lower).max(index(c + 1 - d[unknown]));
                    }
                }
            }
        }
        let upper = signature.reach().into_iter().zip(d);
        // reach - d: perturbation index as far as structure allows.
        let upper: Vec<u8> = upper.map(|(reach, d)| index(reach - d)).collect();
        // Round-off proves nothing.
        let ordered = lower
            .iter()
            .zip(&upper)
            .all(|(lower, upper)| lower <= upper);
        (known && ordered).then_some(Self { lower, upper })
    }
}

fn index(value: i32) -> u8 {
    u8::try_from(value.max(0)).unwrap_or(u8::MAX)
}

/// A square matrix, row-major.
#[derive(Clone)]
struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl std::ops::Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.size + column]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.size + column]
    }
}

impl Matrix {
    fn zero(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size * size],
        }
    }

    fn add(&mut self, pattern: &Pattern, values: &[f64]) {
        for (row, column, position) in pattern.iter() {
            self[(row, column)] += values[position];
        }
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// row += factor * other.
    fn add_row(&mut self, row: usize, factor: f64, other: usize) {
        for column in 0..self.size {
            let change = factor * self[(other, column)];
            self[(row, column)] += change;
        }
    }

    /// The matrix behind row operations (row, factor, other), in which differences of equal numbers become zero.
    fn combined(&self, operations: &[(usize, f64, usize)]) -> Self {
        let mut combined = self.clone();
        for &(row, factor, other) in operations {
            for column in 0..self.size {
                let change = factor * combined[(other, column)];
                combined[(row, column)] = cancelling_sum(combined[(row, column)], change);
            }
        }
        combined
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.size {
            self.values
                .swap(a * self.size + column, b * self.size + column);
        }
    }

    /// Divides rows and columns by their largest entries.
    fn equilibrate(&mut self) {
        for row in self.values.chunks_mut(self.size) {
            let largest = row.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
            if largest > 0.0 {
                row.iter_mut().for_each(|x| *x /= largest);
            }
        }
        for column in 0..self.size {
            let entries = (0..self.size).map(|row| self[(row, column)].abs());
            let largest = entries.fold(0.0, f64::max);
            if largest > 0.0 {
                // Rows, then columns: pivots are then compared with 1.
                (0..self.size).for_each(|row| self[(row, column)] /= largest);
            }
        }
    }

    /// The inverse of the equilibrated matrix; `None` if it is not clearly regular.
    fn scaled_inverse(mut self) -> Option<Self> {
        let n = self.size;
        self.equilibrate();
        let mut inverse = Self::zero(n);
        (0..n).for_each(|row| inverse[(row, row)] = 1.0);
        let mut largest = 0.0_f64;
        for step in 0..n {
            let sizes = (step..n).map(|row| (row, self[(row, step)].abs()));
            // Gauss-Jordan with partial pivoting, the inverse carried along.
            let (row, size) = sizes.max_by(|a, b| a.1.total_cmp(&b.1))?;
            largest = largest.max(size);
            if size.is_nan() || size <= DOUBTFUL * largest {
                return None;
            }
            self.swap_rows(step, row);
            inverse.swap_rows(step, row);
            let pivot = self[(step, step)];
            for other in (0..n).filter(|&other| other != step) {
                let factor = -self[(other, step)] / pivot;
                if factor != 0.0 {
                    self.add_row(other, factor, step);
                    inverse.add_row(other, factor, step);
                }
            }
        }
        for row in 0..n {
            let pivot = self[(row, row)];
            (0..n).for_each(|column| inverse[(row, column)] /= pivot);
        }
        Some(inverse)
    }
}
