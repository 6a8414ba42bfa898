//! Several functions of a system at one point.

/// Which functions are wanted at one point, and where their values go. Matrices are values in a pattern for a
/// [`System`](crate::system::System), dense ones for a [`Model`](crate::system::Model).
#[derive(Debug)]
pub struct Wanted<'a, Matrix = &'a mut [f64]> {
    /// M.
    pub mass: Option<Matrix>,
    /// f, d and a for a system, f for a model.
    pub rates: Option<&'a mut [f64]>,
    /// G.
    pub jacobian: Option<Matrix>,
    /// All rows at velocity level: G v + ∂g/∂t, b.
    pub velocity_constraint: Option<&'a mut [f64]>,
    /// The bias γ of all rows.
    pub acceleration_bias: Option<&'a mut [f64]>,
}

impl<Matrix> Default for Wanted<'_, Matrix> {
    /// Nothing is wanted.
    fn default() -> Self {
        Self {
            mass: None,
            rates: None,
            jacobian: None,
            velocity_constraint: None,
            acceleration_bias: None,
        }
    }
}
