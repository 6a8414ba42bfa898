//! How fast an iteration with Fisette and Vaneghem's matrix converges.

use super::law::Law;
use super::linearization::Linearization;
use crate::integrator::Probe;
use crate::linalg::KktError;
use crate::scalar::larger_or_nan;
use crate::system::{DynamicsError, Evaluator, Layout, State, StateSpace};

/// Spectral radii of I - Π⁻¹ Ψ' along a run of [`StateSpaceNewmark`](super::StateSpaceNewmark): Ψ' is the exact matrix
/// (Haug et al. 1997, eq. 29), Π the one of Fisette and Vaneghem (eq. 40), both at the solution of a step.
///
/// Close to the solution an iteration with Π shrinks the error by this factor; from 1 on it does not converge, whatever
/// its first guess and its limit of iterations. The exact matrix has 0 there.
///
/// ```
/// use liedae::integrator::{ContractionFactors, ContractionGauge, NewmarkParameters, NewtonOptions, StateSpaceNewmark};
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // A pendulum with the matrix of Fisette and Vaneghem.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let gauge = ContractionGauge::default();
/// let (parameters, newton) = (NewmarkParameters::default(), NewtonOptions::default());
/// let method = StateSpaceNewmark::new(false, parameters, Parametrization::default(), newton);
/// let method = method.measuring_contraction(&gauge);
/// solve(&mut pendulum, &method, &Options::fixed(0.5, 0.01))?;
/// let ContractionFactors { largest, mean } = gauge.factors().ok_or("it has run")?;
/// assert!(0.0 < mean && mean <= largest && largest < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContractionFactors {
    /// The largest one of the run.
    pub largest: f64,
    /// Their mean over the steps.
    pub mean: f64,
}

/// Shows the [`ContractionFactors`] of the latest run of a
/// [`StateSpaceNewmark`](super::StateSpaceNewmark::measuring_contraction). Its clones show the same.
///
/// ```
/// use liedae::integrator::{ContractionGauge, NewmarkParameters, NewtonOptions, StateSpaceNewmark};
/// use liedae::prelude::*;
/// use liedae::system::Parametrization;
///
/// // A pendulum with the matrix of Fisette and Vaneghem.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let gauge = ContractionGauge::default();
/// assert_eq!(gauge.factors(), None);
/// let (parameters, newton) = (NewmarkParameters::default(), NewtonOptions::default());
/// let method = StateSpaceNewmark::new(false, parameters, Parametrization::default(), newton);
/// let method = method.measuring_contraction(&gauge);
/// solve(&mut pendulum, &method, &Options::fixed(0.5, 0.01))?;
/// // The iteration without some derivatives shrinks the error, but not at once.
/// assert!(gauge.clone().factors().is_some_and(|factors| 0.0 < factors.largest && factors.largest < 0.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ContractionGauge(Probe<Option<ContractionFactors>>);

impl ContractionGauge {
    /// What has been measured since the start; `None` before the first accepted step.
    pub fn factors(&self) -> Option<ContractionFactors> {
        *self.0.read()
    }

    pub(super) fn clear(&self) {
        *self.0.write() = None;
    }

    fn show(&self, factors: ContractionFactors) {
        *self.0.write() = Some(factors);
    }
}

/// Measures the factors.
pub(super) struct Contraction {
    gauge: ContractionGauge,
    exact: Linearization,
    quasi: Linearization,
    iteration: Vec<f64>,
    product: Vec<f64>,
    column: Vec<f64>,
    largest: f64,
    sum: f64,
    steps: usize,
}

impl Contraction {
    /// Shows on `gauge` what it measures.
    pub fn new(layout: &Layout, gauge: ContractionGauge) -> Result<Self, KktError> {
        let unknowns = 2 * layout.dimension() + layout.differential + layout.algebraic;
        Ok(Self {
            gauge,
            exact: Linearization::new(layout, true)?,
            quasi: Linearization::new(layout, false)?,
            iteration: vec![0.0; unknowns * unknowns],
            product: vec![0.0; unknowns * unknowns],
            column: vec![0.0; unknowns],
            largest: 0.0,
            sum: 0.0,
            steps: 0,
        })
    }

    /// Measures at a solution, whose Jacobian and mass matrix have been evaluated.
    pub fn measure(
        &mut self,
        system: &mut Evaluator,
        space: &mut StateSpace,
        here: &State,
        law: Law,
        direct: bool,
        mass: &[f64],
    ) -> Result<(), DynamicsError> {
        for matrix in [&mut self.exact, &mut self.quasi] {
            matrix.evaluate(system, space, here, law, direct, mass)?;
        }
        let n = self.exact.unknowns();
        let iteration = &mut self.iteration[..n * n];
        let column = &mut self.column[..n];
        // I - Π⁻¹ Ψ', column by column.
        for j in 0..n {
            for (i, slot) in column.iter_mut().enumerate() {
                *slot = self.exact.matrix()[i * n + j];
            }
            self.quasi.solve(column);
            for (i, value) in column.iter().enumerate() {
                iteration[i * n + j] = f64::from(u8::from(i == j)) - value;
            }
        }
        let factor = spectral_radius(iteration, &mut self.product[..n * n], n);
        self.largest = larger_or_nan(self.largest, factor);
        self.sum += factor;
        self.steps += 1;
        self.gauge.show(ContractionFactors {
            largest: self.largest,
            mean: self.sum / self.steps as f64,
        });
        Ok(())
    }
}

/// The spectral radius of a square matrix, lim |A^k|^(1/k), by squaring it again and again.
fn spectral_radius(matrix: &mut [f64], product: &mut [f64], n: usize) -> f64 {
    const SQUARINGS: i32 = 40;
    let mut logarithm = 0.0;
    for power in 0..SQUARINGS {
        // A nilpotent matrix converges in finitely many iterations.
        let norm = matrix.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        // |A^(2^k)|^(1/2^k) as a sum of logarithms; scaling each power to norm 1 avoids overflow.
        logarithm += norm.ln() / 2.0_f64.powi(power);
        for entry in matrix.iter_mut() {
            *entry /= norm;
        }
        for (row, slots) in matrix.chunks_exact(n).zip(product.chunks_exact_mut(n)) {
            for (j, slot) in slots.iter_mut().enumerate() {
                *slot = row
                    .iter()
                    .zip(matrix[j..].iter().step_by(n))
                    .map(|(a, b)| a * b)
                    .sum();
            }
        }
        matrix.copy_from_slice(product);
    }
    logarithm.exp()
}

#[cfg(test)]
mod tests {
    use super::spectral_radius;

    #[test]
    fn spectral_radii_of_small_matrices() {
        let radius = |entries: &[f64]| {
            let (mut matrix, mut product) = (entries.to_vec(), entries.to_vec());
            spectral_radius(&mut matrix, &mut product, entries.len().isqrt())
        };
        // A number, a rotation with growth, a triangular and a nilpotent matrix.
        assert!((radius(&[-0.3]) - 0.3).abs() < 1e-14);
        assert!((radius(&[0.0, -4.0, 1.0, 0.0]) - 2.0).abs() < 1e-9);
        assert!((radius(&[0.5, 100.0, 0.0, -0.7]) - 0.7).abs() < 1e-9);
        assert_eq!(radius(&[0.0, 1.0, 0.0, 0.0]), 0.0);
    }
}
