//! A wrapper: a system whose rows do not change, with drag against each velocity. Everything else is handed on, but that the energy is
//! kept.

use liedae::linalg::Pattern;
use liedae::prelude::*;
use liedae::system::{Energy, EvaluationError, RatesJacobian, Wrapper};

pub struct Damped<S> {
    inner: S,
    /// Force per velocity.
    drag: f64,
    /// That of the inner system, with room for ∂f/∂v on the diagonal.
    layout: Layout,
    derivatives: RatesJacobian,
    /// Where the inner system's derivatives and those of the drag stand.
    places: Vec<usize>,
    diagonal: Vec<usize>,
}

impl<S: System> Damped<S> {
    pub fn new(inner: S, drag: f64) -> Result<Self, Box<dyn std::error::Error>> {
        let mut layout = inner.layout().clone();
        let own: Vec<_> = layout
            .rates
            .iter()
            .map(|(row, column, _)| (row, column))
            .collect();
        let drags: Vec<_> = (0..layout.dimension())
            .map(|index| (index, index))
            .collect();
        let (rows, columns) = (layout.rates.rows(), layout.rates.cols());
        let all = own.iter().chain(&drags).copied();
        layout.rates = Pattern::from_entries(rows, columns, all)?;
        let place = |&(row, column): &(usize, usize)| layout.rates.position(row, column);
        Ok(Self {
            places: own.iter().filter_map(place).collect(),
            diagonal: drags.iter().filter_map(place).collect(),
            derivatives: RatesJacobian::new(inner.layout()),
            layout,
            inner,
            drag,
        })
    }
}

impl<S: System> Wrapper for Damped<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.inner.rates(at, out)?;
        for (force, v) in out.iter_mut().zip(at.v) {
            *force -= self.drag * v;
        }
        Ok(())
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }

    /// Implicit methods ask for it.
    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.inner.rates_jacobian(at, &mut self.derivatives)?;
        out.by_position.fill(0.0);
        out.by_velocity.fill(0.0);
        for (own, &place) in self.places.iter().enumerate() {
            out.by_position[place] = self.derivatives.by_position[own];
            out.by_velocity[place] = self.derivatives.by_velocity[own];
        }
        out.by_multiplier
            .copy_from_slice(&self.derivatives.by_multiplier);
        for &place in &self.diagonal {
            out.by_velocity[place] -= self.drag;
        }
        Ok(())
    }
}

/// Drag does work: no projection may put the energy back.
impl<S: System> Energy for Damped<S> {
    fn total(&mut self, at: &Point) -> Option<f64> {
        total_energy(&mut self.inner, at)
    }
}
