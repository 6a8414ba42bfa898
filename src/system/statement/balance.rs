//! What an implicit step asks at an iterate.

/// What an implicit step asks of a system at an iterate, and where the answers go.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Balance, Evaluator};
///
/// // Systems need not offer it: the parts are evaluated one by one then.
/// let mut mass = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let start = mass.initial_state();
/// let mut forces = [0.0];
/// let mut wanted = Balance { forces: Some(&mut forces), ..Balance::default() };
/// assert!(!Evaluator::new(&mut mass).balance(&start.point(), &start.acceleration, &mut wanted)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Balance<'a> {
    /// f + Gᵀ λ - M a, all rates.
    pub forces: Option<&'a mut [f64]>,
    /// All constraint rows, g(t, q).
    pub position: Option<&'a mut [f64]>,
    /// G in the pattern [`Layout::jacobian`](crate::system::Layout::jacobian).
    pub jacobian: Option<&'a mut [f64]>,
    /// For each number of f + Gᵀ λ the absolute values of the parts that it is summed from, added: the force, and what each joint exerts.
    pub sizes: Option<&'a mut [f64]>,
}
