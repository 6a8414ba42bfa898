//! Algebraic variables alone, for given multipliers.

use super::descriptor::SingularDescriptor;
use crate::linalg::{Blocks, KktError, KktSolver, Pattern};
use crate::scalar::larger_or_nan;
use crate::system::consistency::descriptor::Sparse;
use crate::system::{
    DynamicsError, EvaluationError, Evaluator, Layout, Point, RatesJacobian, State,
};

/// Solves 0 = a(t, q, v, x, z, λ) for z by Newton's method, everything else given.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{AlgebraicSolver, Evaluator};
///
/// /// A chamber whose pressure z follows from the volume q of the gas: z q = 2.
/// struct Chamber;
/// impl Model for Chamber {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)).with_algebraic_variables(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![4.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-9.81); }
///     fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
///         residual[0] = at.z[0] * at.q[0] - 2.0;
///     }
/// }
///
/// let mut system = Automatic::new(Chamber);
/// let state = system.initial_state();
/// let mut solver = AlgebraicSolver::new(system.layout())?.ok_or("it has an algebraic variable")?;
/// let mut pressure = [0.0];
/// solver.solve(&mut Evaluator::new(&mut system), &state, &[], &mut pressure)?;
/// assert!((pressure[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AlgebraicSolver {
    kkt: KktSolver,
    jacobian: RatesJacobian,
    rates: Vec<f64>,
    /// By equation, the combination of the rates (f, d, a) that has no derivatives.
    equations: Vec<Sparse>,
    /// By unknown, the direction in (x, z).
    directions: Vec<Sparse>,
    /// (entry of the derivative of the rates, entry of the matrix, factor).
    terms: Vec<(usize, usize, f64)>,
    descriptor: Option<SingularDescriptor>,
    slope: Vec<f64>,
    residual: Vec<f64>,
    change: Vec<f64>,
}

const MAX_ITERATIONS: usize = 25;

/// Relative to the largest unknown, 1 standing for its unit: round-off, ...
const SETTLED: f64 = 1e-13;

/// ... and what corrections that no longer shrink may be.
const STALLED: f64 = 1e-9;

/// Up to so many unknowns all entries of the matrix are kept.
const FEW: usize = 16;

impl AlgebraicSolver {
    /// Allocates everything; `None` for systems without algebraic variables.
    pub fn new(layout: &Layout) -> Result<Option<Self>, KktError> {
        Self::of_unknowns(layout, None)
    }

    /// The same with the part of the differential states that a singular matrix E leaves to rows without derivatives:
    /// x moves along the null space of E. Where it has an index above 1 these rows do not determine it, and it stays as
    /// it is.
    pub fn with_states(layout: &Layout) -> Result<Option<Self>, KktError> {
        let highest = layout.differential_index.iter().max();
        let descriptor = (layout.descriptor.as_ref())
            .filter(|_| highest == Some(&1))
            .map(|(pattern, values)| SingularDescriptor::new(pattern, values));
        Self::of_unknowns(layout, descriptor)
    }

    fn of_unknowns(
        layout: &Layout,
        descriptor: Option<SingularDescriptor>,
    ) -> Result<Option<Self>, KktError> {
        let (first, differential) = (layout.dimension(), layout.differential);
        let of_x = descriptor.as_ref();
        let shifted = |entries: &Sparse| -> Sparse {
            (entries.iter().map(|&(row, value)| (first + row, value))).collect()
        };
        let unit = |index: usize| vec![(index, 1.0)];
        let mut equations: Vec<Sparse> =
            of_x.map_or_else(Vec::new, |e| e.equations().iter().map(shifted).collect());
        let mut directions = of_x.map_or_else(Vec::new, |e| e.directions().to_vec());
        for variable in 0..layout.algebraic {
            equations.push(unit(first + differential + variable));
            directions.push(unit(differential + variable));
        }
        let count = equations.len();
        if count == 0 {
            return Ok(None);
        }
        let products = products(layout, &equations, &directions);
        let pattern = if count <= FEW {
            Pattern::dense(count, count)
        } else {
            let entries = products.iter().map(|&(_, row, column, _)| (row, column));
            Pattern::from_entries(count, count, entries)?
        };
        let mut terms = Vec::with_capacity(products.len());
        for (source, row, column, factor) in products {
            if let Some(target) = pattern.position(row, column) {
                terms.push((source, target, factor));
            }
        }
        let none = Pattern::empty(0, count);
        let blocks = if count <= FEW {
            Blocks {
                variables: vec![count],
                rows: Vec::new(),
            }
        } else {
            Blocks::detect(&pattern, &none, &none)
        };
        Ok(Some(Self {
            kkt: KktSolver::new(&pattern, &none, &none, &blocks)?,
            jacobian: RatesJacobian::new(layout),
            rates: vec![0.0; layout.rate_count()],
            equations,
            directions,
            terms,
            descriptor,
            slope: vec![0.0; pattern.nnz()],
            residual: vec![0.0; count],
            change: vec![0.0; count],
        }))
    }

    /// Whether a part of the differential states is among the unknowns.
    pub fn moves_states(&self) -> bool {
        self.descriptor.is_some()
    }

    /// Solves for `z`, which holds the first guess, at the rest of `state` with multipliers `lambda`.
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        lambda: &[f64],
        z: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let at = Point {
            lambda,
            ..state.point()
        };
        self.iterate(system, &at, &mut [], z)
    }

    /// Solves for all unknowns at a state, which holds the first guess: for z, and for x as far as E x does not change.
    pub fn solve_in(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let State {
            t,
            q,
            v,
            x,
            z,
            lambda,
            mode,
            ..
        } = state;
        let (given, moved) = if self.moves_states() {
            (&[][..], &mut x[..])
        } else {
            (&x[..], &mut [][..])
        };
        let at = Point {
            t: *t,
            q,
            v,
            x: given,
            z: &[],
            lambda,
            mode,
        };
        self.iterate(system, &at, moved, z)
    }

    /// Takes the unknowns of another state for a first guess.
    pub fn guess_from(&mut self, other: &State, state: &mut State) {
        state.z.copy_from_slice(&other.z);
        if let Some(descriptor) = &mut self.descriptor {
            descriptor.borrow(&other.x, &mut state.x);
        }
    }

    /// The combinations of the rates (f, d, a) that have no derivatives.
    pub(super) fn equations(&self) -> &[Sparse] {
        &self.equations
    }

    /// What the equations lack: minus their values.
    pub(super) fn residual(&self) -> &[f64] {
        &self.residual
    }

    /// The derivatives that were evaluated last.
    pub(super) fn jacobian(&self) -> &RatesJacobian {
        &self.jacobian
    }

    /// Evaluates the equations.
    pub(super) fn load_rates(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        system.rates(at, &mut self.rates)?;
        for (residual, equation) in self.residual.iter_mut().zip(&self.equations) {
            let sum = |sum: f64, &(row, weight): &(usize, f64)| sum - weight * self.rates[row];
            *residual = equation.iter().fold(0.0, sum);
        }
        Ok(())
    }

    /// Evaluates their derivatives.
    pub(super) fn load_slopes(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        system.rates_jacobian_or_secants(at, &mut self.jacobian)
    }

    /// The Newton correction of what has been loaded.
    pub(super) fn correct(&mut self) -> Result<(), KktError> {
        self.slope.fill(0.0);
        for &(source, target, factor) in &self.terms {
            self.slope[target] += factor * self.jacobian.by_position[source];
        }
        self.kkt.factor(&self.slope, &[], &[])?;
        self.kkt
            .solve(&self.residual, &[], &mut self.change, &mut [])
    }

    /// Adds a part of the correction.
    pub(super) fn add_change(&self, part: f64, state: &mut State) {
        let differential = state.x.len();
        for (direction, change) in self.directions.iter().zip(&self.change) {
            for &(index, weight) in direction {
                let value = match index.checked_sub(differential) {
                    None => &mut state.x[index],
                    Some(index) => &mut state.z[index],
                };
                *value += part * weight * change;
            }
        }
    }

    /// Newton's method in z, and in x where a part of it is unknown; `given` has the rest.
    fn iterate(
        &mut self,
        system: &mut Evaluator,
        given: &Point,
        x: &mut [f64],
        z: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let (t, differential) = (given.t, system.layout().differential);
        let linear = |source| DynamicsError::Linear { t, source };
        let mut correction = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let at = Point {
                x: if self.moves_states() { &*x } else { given.x },
                z: &*z,
                ..*given
            };
            self.load_rates(system, &at)?;
            self.load_slopes(system, &at)?;
            self.correct().map_err(linear)?;
            let before = std::mem::replace(&mut correction, 0.0);
            let mut size = 0.0_f64;
            for (direction, &change) in self.directions.iter().zip(&self.change) {
                for &(index, weight) in direction {
                    let value = match index.checked_sub(differential) {
                        None => &mut x[index],
                        Some(index) => &mut z[index],
                    };
                    *value += weight * change;
                    size = larger_or_nan(value.abs(), size);
                }
                correction = larger_or_nan(change.abs(), correction);
            }
            let unit = 1.0 + size;
            let stalled = correction <= STALLED * unit && correction >= 0.5 * before;
            if correction <= SETTLED * unit || stalled {
                return Ok(());
            }
        }
        Err(DynamicsError::NotConverged {
            what: "the iteration for the algebraic variables",
            t,
            iterations: MAX_ITERATIONS,
            correction,
        })
    }
}

/// The products that the matrix ∂(equations)/∂(directions) consists of: (entry of the derivative of the rates, row, column, factor).
fn products(
    layout: &Layout,
    equations: &[Sparse],
    directions: &[Sparse],
) -> Vec<(usize, usize, usize, f64)> {
    let first = layout.dimension();
    let mut by_column = vec![Vec::new(); layout.differential + layout.algebraic];
    for (column, direction) in directions.iter().enumerate() {
        for &(index, value) in direction {
            by_column[index].push((column, value));
        }
    }
    let mut found = Vec::new();
    for (row, equation) in equations.iter().enumerate() {
        for &(rate, weight) in equation {
            let entries = layout
                .rates
                .row(rate)
                .iter()
                .zip(layout.rates.row_range(rate));
            for (&variable, position) in entries {
                let moved = variable
                    .checked_sub(first)
                    .map_or(&[][..], |at| &by_column[at]);
                let moved = moved
                    .iter()
                    .map(|&(column, value)| (position, row, column, weight * value));
                found.extend(moved);
            }
        }
    }
    found
}
