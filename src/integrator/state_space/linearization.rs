//! The Newton matrix of an implicit equation in independent coordinates.

use super::law::{Displacement, Law};
use crate::linalg::{KktError, Pattern, SquareLu};
use crate::scalar::{Dual, Scalar};
use crate::system::{DynamicsError, Evaluator, Layout, RatesJacobian, State, StateSpace};

/// The derivative of Newmark's equation, or of a Runge-Kutta stage, in independent coordinates (Haug, Negrut, Iancu
/// 1997, eqs. 21-29), column by column:
///
/// ```text
/// displacement   ξ  = N δp                                 G ξ = 0                     (21)
/// velocity       δv = c N δa - D (G D)⁻¹ B ξ               B = ∂(G v + ∂g/∂t)/∂q       (22, 23)
/// acceleration   δv' = N δa - D (G D)⁻¹ (P ξ + Γ δv)       P = ∂(G v' + γ)/∂q, Γ = ∂γ/∂v    (24, 25)
/// residual       δr = (K - ∂f/∂q) ξ - ∂f/∂v δv + M δv'     K = ∂(M v' - Gᵀ λ)/∂q       (26-28)
/// multipliers    (G D)ᵀ δλ = Dᵀ δr
/// δΨ = Zᵀ (δr - Gᵀ δλ) = Nᵀ δr                                                         (29)
/// ```
///
/// The method of Fisette and Vaneghem leaves out the second term of δv' and ∂(Gᵀ λ)/∂q in K (eq. 40).
///
/// On vector spaces without velocity rows δp is a multiple of δa. Otherwise displacements of the independent coordinates
/// are unknowns of their own, with the rows u - u* - s u' = 0. Differential states and algebraic variables are further
/// unknowns: x' with the rows E x' - d and z with the rows a.
pub(super) struct Linearization {
    exact: bool,
    direct: bool,
    /// Independent displacements, independent accelerations, x', z.
    sizes: [usize; 4],
    stiffness_pattern: Pattern,
    stiffness: Vec<f64>,
    rates: RatesJacobian,
    velocity_rows: Vec<f64>,
    acceleration_rows: Vec<f64>,
    acceleration_rows_by_velocity: Vec<f64>,
    no_multipliers: Vec<f64>,
    /// Displacements ξ of the unknowns, one after the other.
    displacements: Vec<f64>,
    lu: SquareLu,
    matrix: Vec<f64>,
    dv: Vec<f64>,
    da: Vec<f64>,
    dr: Vec<f64>,
    dlambda: Vec<f64>,
    du: Vec<f64>,
    rows: Vec<f64>,
    /// (ξ, δx, δz) and (δv, 0, 0).
    by_position: Vec<f64>,
    by_velocity: Vec<f64>,
    drates: Vec<f64>,
    dual: [Vec<Dual<1>>; 3],
    /// A velocity-sized vector for everybody.
    pub scratch: Vec<f64>,
}

impl Linearization {
    pub fn new(layout: &Layout, exact: bool) -> Result<Self, KktError> {
        let (n, rows) = (layout.dimension(), layout.rows());
        let unknowns = 2 * n + layout.differential + layout.algebraic;
        let stiffness_pattern = layout.stiffness_pattern()?;
        let entries = layout.jacobian.nnz();
        let dual = || vec![Dual::constant(0.0); n];
        Ok(Self {
            exact,
            direct: false,
            sizes: [0; 4],
            stiffness: vec![0.0; stiffness_pattern.nnz()],
            stiffness_pattern,
            rates: RatesJacobian::new(layout),
            velocity_rows: vec![0.0; entries],
            acceleration_rows: vec![0.0; entries],
            acceleration_rows_by_velocity: vec![0.0; entries],
            no_multipliers: vec![0.0; rows],
            displacements: vec![0.0; n * n],
            lu: SquareLu::new(unknowns),
            matrix: vec![0.0; unknowns * unknowns],
            dv: vec![0.0; n],
            da: vec![0.0; n],
            dr: vec![0.0; n],
            dlambda: vec![0.0; rows],
            du: vec![0.0; n],
            rows: vec![0.0; rows],
            by_position: vec![0.0; layout.rate_count()],
            by_velocity: vec![0.0; layout.rate_count()],
            drates: vec![0.0; layout.rate_count()],
            dual: [dual(), dual(), dual()],
            scratch: vec![0.0; n],
        })
    }

    /// Numbers of independent displacements, independent accelerations, x' and z among the unknowns.
    pub fn sizes(&self) -> [usize; 4] {
        self.sizes
    }

    pub fn unknowns(&self) -> usize {
        self.sizes.iter().sum()
    }

    pub fn work(&self) -> (usize, usize) {
        self.lu.work()
    }

    /// The matrix of the last evaluation, row-major.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix[..self.unknowns() * self.unknowns()]
    }

    pub fn solve(&mut self, b: &mut [f64]) {
        self.lu.solve(b);
    }

    /// Moves local coordinates by a fraction of the displacement unknowns `eta`: δu = dexp⁻¹(u) N η.
    pub fn displace(&mut self, layout: &Layout, eta: &[f64], fraction: f64, u: &mut [f64]) {
        let n = u.len();
        self.scratch.fill(0.0);
        for (amount, column) in eta.iter().zip(self.displacements.chunks_exact(n)) {
            for (slot, part) in self.scratch.iter_mut().zip(column) {
                *slot += fraction * amount * part;
            }
        }
        layout.space.dexp_inverse(u, &self.scratch, &mut self.du);
        for (slot, change) in u.iter_mut().zip(&self.du) {
            *slot += change;
        }
    }

    /// Evaluates and factorizes the matrix at `here`, whose Jacobian and mass matrix have been evaluated.
    pub fn evaluate(
        &mut self,
        system: &mut Evaluator,
        space: &mut StateSpace,
        here: &State,
        law: Law,
        direct: bool,
        mass: &[f64],
    ) -> Result<(), DynamicsError> {
        let at = here.point();
        system.rates_jacobian_or_secants(&at, &mut self.rates)?;
        if !here.v.is_empty() {
            let mut stiff = at;
            // Fisette and Vaneghem: without λ the stiffness has no ∂(Gᵀ λ)/∂q (eq. 40).
            if !self.exact {
                stiff.lambda = &self.no_multipliers;
            }
            system.geometric_stiffness(&stiff, &here.acceleration, &mut self.stiffness)?;
        }
        if !here.lambda.is_empty() {
            system.velocity_constraint_jacobian(&at, &mut self.velocity_rows)?;
            if self.exact {
                system.acceleration_constraint_jacobian(
                    &at,
                    &here.acceleration,
                    &mut self.acceleration_rows,
                    &mut self.acceleration_rows_by_velocity,
                )?;
            }
        }
        let layout = system.layout();
        self.direct = direct;
        // Direct: ξ = N δp with δp a multiple of δa needs no unknowns of its own.
        let displacements = if direct {
            0
        } else {
            space.configuration_freedom()
        };
        self.sizes = [
            displacements,
            space.velocity_freedom(),
            layout.differential,
            layout.algebraic,
        ];
        for column in 0..self.unknowns() {
            self.column(layout, space, law, mass, column, here);
        }
        let unknowns = self.unknowns();
        let matrix = self.lu.matrix(unknowns);
        matrix.copy_from_slice(&self.matrix[..unknowns * unknowns]);
        self.lu.factor().map_err(|row| singular(here.t, row))
    }

    fn column(
        &mut self,
        layout: &Layout,
        space: &mut StateSpace,
        law: Law,
        mass: &[f64],
        column: usize,
        here: &State,
    ) {
        let n = layout.dimension();
        let [displacements, accelerations, rates, variables] = self.sizes;
        self.by_position.fill(0.0);
        self.dv.fill(0.0);
        self.da.fill(0.0);
        let mut x_column = None;
        // δp alone: ξ = N e_k; velocities and accelerations follow through the constraints.
        if column < displacements {
            let xi = &mut self.by_position[..n];
            space.allowed_displacement(column, layout, xi);
            self.displacements[column * n..(column + 1) * n].copy_from_slice(xi);
        } else if column < displacements + accelerations {
            space.allowed_velocity(column - displacements, layout, &mut self.da);
            for (index, &a) in self.da.iter().enumerate() {
                self.dv[index] = law.slope * a;
                if self.direct {
                    self.by_position[index] = law.direct_slope() * a;
                }
            }
        } else if column < displacements + accelerations + rates {
            let index = column - displacements - accelerations;
            x_column = Some(index);
            self.by_position[n + index] = law.slope;
        } else {
            self.by_position[n + column - displacements - accelerations] = 1.0;
        }
        let xi = &self.by_position[..n];
        if !self.rows.is_empty() && column < displacements + accelerations {
            let pattern = &layout.jacobian;
            // δv -= D (G D)⁻¹ B ξ (23).
            pattern.multiply(&self.velocity_rows, xi, &mut self.rows);
            space.add_dependent_velocity(&self.rows, &mut self.dv);
            if self.exact {
                // δv' -= D (G D)⁻¹ (P ξ + Γ δv) (25).
                pattern.multiply(&self.acceleration_rows, xi, &mut self.rows);
                let by_velocity = &self.acceleration_rows_by_velocity;
                pattern.multiply_add(by_velocity, 1.0, &self.dv, &mut self.rows);
                space.add_dependent_velocity(&self.rows, &mut self.da);
            }
        }
        // ∂f/∂q ξ + ∂f/∂v δv, and the same for d and a.
        self.by_velocity.fill(0.0);
        self.by_velocity[..n].copy_from_slice(&self.dv);
        self.drates.fill(0.0);
        let pattern = &layout.rates;
        pattern.multiply_add(
            &self.rates.by_position,
            1.0,
            &self.by_position,
            &mut self.drates,
        );
        pattern.multiply_add(
            &self.rates.by_velocity,
            1.0,
            &self.by_velocity,
            &mut self.drates,
        );
        // δr = (K - ∂f/∂q) ξ - ∂f/∂v δv + M δv' (26-28).
        for (slot, force) in self.dr.iter_mut().zip(&self.drates) {
            *slot = -force;
        }
        let xi = &self.by_position[..n];
        self.stiffness_pattern
            .multiply_add(&self.stiffness, 1.0, xi, &mut self.dr);
        layout.mass.multiply_add(mass, 1.0, &self.da, &mut self.dr);
        // δΨ = Nᵀ δr by way of (G D)ᵀ δλ = Dᵀ δr.
        space.balance(layout, &mut self.dr, &mut self.dlambda);

        let unknowns = displacements + accelerations + rates + variables;
        let matrix = &mut self.matrix;
        let mut put = |row: usize, value: f64| matrix[row * unknowns + column] = value;
        if displacements > 0 {
            let u = space.local();
            layout.space.dexp_inverse(u, xi, &mut self.du);
            let (s, rate) = match law.displacement {
                Displacement::ByAcceleration(s) => (s, &self.da),
                Displacement::ByVelocity(s) => {
                    // u' = dexp⁻¹(u) v along δu and δv.
                    let [du, dv, out] = &mut self.dual;
                    for index in 0..n {
                        du[index] = Dual::new(u[index], [self.du[index]]);
                        dv[index] = Dual::new(here.v[index], [self.dv[index]]);
                    }
                    layout.space.dexp_inverse(du, dv, out);
                    for (slot, rate) in self.scratch.iter_mut().zip(out.iter()) {
                        *slot = rate.gradient[0];
                    }
                    (s, &self.scratch)
                }
            };
            // Rows u - u* - s u' = 0, differentiated.
            for (slot, rate) in self.du.iter_mut().zip(rate) {
                *slot -= s * rate;
            }
            for k in 0..displacements {
                put(k, space.independent_displacement(k, &self.du));
            }
        }
        for k in 0..accelerations {
            put(displacements + k, space.independent_velocity(k, &self.dr));
        }
        let first = displacements + accelerations;
        // Rows E x' - d = 0.
        for row in 0..rates {
            put(first + row, -self.drates[n + row]);
        }
        if let Some(index) = x_column {
            match &layout.descriptor {
                Some((pattern, values)) => {
                    for (row, _, position) in pattern.iter().filter(|entry| entry.1 == index) {
                        put(first + row, values[position] - self.drates[n + row]);
                    }
                }
                None => put(first + index, 1.0 - self.drates[n + index]),
            }
        }
        // Rows a = 0: λ answers every unknown, so ∂a/∂λ δλ joins.
        for row in 0..variables {
            let slopes = &self.rates.by_multiplier[row * self.dlambda.len()..];
            let through: f64 = slopes.iter().zip(&self.dlambda).map(|(s, l)| s * l).sum();
            put(first + rates + row, self.drates[n + rates + row] + through);
        }
    }
}

/// The Newton matrix is singular.
fn singular(t: f64, unknown: usize) -> DynamicsError {
    DynamicsError::Linear {
        t,
        source: KktError::Singular {
            what: "the Newton matrix of the independent accelerations is singular",
            rows: Vec::new(),
            variables: vec![unknown],
        },
    }
}
