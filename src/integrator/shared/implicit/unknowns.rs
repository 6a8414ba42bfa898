//! The ranges of the parts of y in one flat vector.

use crate::integrator::shared::sweep::GROUP;
use crate::linalg::{KktError, Pattern, column_length};
use crate::manifold::Manifold;
use crate::system::{Formulation, Layout, State};
use std::ops::Range;
use std::sync::OnceLock;

/// The order of unknowns, and of the equations that belong to them: u, v, x, w, z, λ, s, μ.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    /// The formulation that the rows belong to.
    pub formulation: Formulation,
    dimension: usize,
    differential: usize,
    algebraic: usize,
    rows: usize,
    /// Lengths of s and μ: zero unless stabilized.
    correction: usize,
    correction_rows: usize,
    /// Of all of them.
    length: usize,
    /// Whether the rates of x stand alone, without a matrix E.
    without_descriptor: bool,
    /// [`Layout::stiffness_pattern`], found when it is first asked for.
    stiffness: OnceLock<Pattern>,
}

impl Unknowns {
    /// The unknowns of systems of this layout. Without position rows there is nothing to stabilize.
    pub fn new(layout: &Layout, formulation: Formulation) -> Self {
        // Without position rows s and μ vanish: the form is index 2.
        let formulation = if formulation.is_stabilized() && layout.position_rows == 0 {
            Formulation::Index2
        } else {
            formulation
        };
        let stabilized = formulation.is_stabilized();
        let mut unknowns = Self {
            formulation,
            dimension: layout.dimension(),
            differential: layout.differential,
            algebraic: layout.algebraic,
            rows: layout.rows(),
            correction: if stabilized { layout.dimension() } else { 0 },
            correction_rows: if stabilized { layout.position_rows } else { 0 },
            length: 0,
            without_descriptor: layout.descriptor.is_none(),
            stiffness: OnceLock::new(),
        };
        unknowns.length = unknowns.mu().end;
        unknowns
    }

    /// [`Layout::stiffness_pattern`] of the layout that the unknowns belong to.
    pub fn stiffness_pattern(&self, layout: &Layout) -> Result<&Pattern, KktError> {
        if let Some(pattern) = self.stiffness.get() {
            return Ok(pattern);
        }
        let pattern = layout.stiffness_pattern()?;
        Ok(self.stiffness.get_or_init(|| pattern))
    }

    /// Local coordinates.
    pub fn u(&self) -> Range<usize> {
        0..self.dimension
    }

    /// Velocities.
    pub fn v(&self) -> Range<usize> {
        self.dimension..2 * self.dimension
    }

    /// Differential states.
    pub fn x(&self) -> Range<usize> {
        let start = 2 * self.dimension;
        start..start + self.differential
    }

    /// u, v and x: the unknowns whose rates occur.
    pub fn differential(&self) -> Range<usize> {
        0..self.x().end
    }

    /// Accelerations.
    pub fn w(&self) -> Range<usize> {
        let start = self.x().end;
        start..start + self.dimension
    }

    /// w, z, λ and corrections: the unknowns whose rates do not occur.
    pub fn without_rate(&self) -> Range<usize> {
        self.x().end..self.len()
    }

    /// Algebraic variables.
    pub fn z(&self) -> Range<usize> {
        let start = self.w().end;
        start..start + self.algebraic
    }

    /// Multipliers.
    pub fn lambda(&self) -> Range<usize> {
        let start = self.z().end;
        start..start + self.rows
    }

    /// Corrections of the velocity with which the configuration moves; empty unless stabilized.
    pub fn s(&self) -> Range<usize> {
        let start = self.lambda().end;
        start..start + self.correction
    }

    /// Multipliers of the corrections; empty unless stabilized.
    pub fn mu(&self) -> Range<usize> {
        let start = self.s().end;
        start..start + self.correction_rows
    }

    /// Whether all unknowns are differential states: E x' = d.
    pub fn are_states(&self) -> bool {
        self.differential == self.len()
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether all unknowns are states whose rates stand alone: x' = d.
    pub fn are_plain_states(&self) -> bool {
        self.are_states() && self.without_descriptor
    }

    /// The unknowns whose rates stand alone, where there is no descriptor matrix E: B is 1 there, and 0 elsewhere.
    pub fn plain_rates(&self) -> Option<Range<usize>> {
        self.without_descriptor.then(|| self.differential())
    }

    /// The length of a vector of the unknowns with zeros behind them, so that it consists of whole columns of small matrices where all
    /// unknowns are states, and of groups of [`GROUP`](crate::integrator::shared::sweep::GROUP) otherwise.
    pub fn padded_len(&self) -> usize {
        if self.are_states() {
            column_length(self.len())
        } else {
            self.len().next_multiple_of(GROUP)
        }
    }

    /// Number of unknowns of the linear systems: all but accelerations and local coordinates, which follow from velocities, or
    /// corrections, which follow from local coordinates.
    pub fn matrix_size(&self) -> usize {
        self.len() - 2 * self.dimension
    }

    /// Writes a state as unknowns around its own configuration: u = 0, s = 0, μ = 0.
    #[inline]
    pub fn load(&self, state: &State, y: &mut [f64]) {
        if self.are_states() {
            return y[..self.len()].copy_from_slice(&state.x);
        }
        y.fill(0.0);
        y[self.v()].copy_from_slice(&state.v);
        y[self.x()].copy_from_slice(&state.x);
        y[self.w()].copy_from_slice(&state.acceleration);
        y[self.z()].copy_from_slice(&state.z);
        y[self.lambda()].copy_from_slice(&state.lambda);
    }

    /// Writes unknowns around the configuration `base` into a state, all but its time and modes.
    #[inline]
    pub fn store(&self, space: &Manifold, base: &[f64], y: &[f64], state: &mut State) {
        if self.are_states() {
            return state.x.copy_from_slice(&y[..self.len()]);
        }
        space.retract(base, &y[self.u()], &mut state.q);
        state.v.copy_from_slice(&y[self.v()]);
        state.x.copy_from_slice(&y[self.x()]);
        state.acceleration.copy_from_slice(&y[self.w()]);
        state.z.copy_from_slice(&y[self.z()]);
        state.lambda.copy_from_slice(&y[self.lambda()]);
    }

    /// How strongly an unknown is perturbed by the discretization: errors of y behave like h^(level - 1) below level 1.
    ///
    /// The differentiation index of each unknown in the formulation, at least 1: q; v; w, z and λ; as Hairer, Wanner,
    /// Solving Ordinary Differential Equations II, sec. VII.7, count them. `x` brings its own.
    pub fn perturbation_index(&self, layout: &Layout) -> Vec<u8> {
        let (velocity, force) = match self.formulation {
            Formulation::Index3 if layout.position_rows > 0 => (2, 3),
            Formulation::Index3 | Formulation::Index2 | Formulation::StabilizedIndex2 => {
                (1, if layout.rows() > 0 { 2 } else { 1 })
            }
            Formulation::Index1 | Formulation::Baumgarte { .. } => (1, 1),
        };
        let mut index = vec![1; self.len()];
        index[self.v()].fill(velocity);
        for (slot, own) in index[self.x()].iter_mut().zip(&layout.differential_index) {
            *slot = (*own).max(1);
        }
        for range in [self.w(), self.z(), self.lambda(), self.s(), self.mu()] {
            index[range].fill(force);
        }
        index
    }
}
