//! A system as an ODE y' = f(t, y), y = (q, v, x).

use super::ProgramError;
use super::form::{Columns, Form, Parts, Place, Start, unsolvable};
use liedae::linalg::{KktSolver, Pattern, SquareLu};
use liedae::system::{AccelerationSolver, DynamicsError, Evaluator, RatesJacobian, State};

/// q' = v, v' and x' by the equations of motion, with multipliers and algebraic variables solved for.
pub struct OdeForm {
    parts: Parts,
    state: State,
    accelerations: AccelerationSolver,
    /// For states that are looked at: their work is not the solver's.
    completions: AccelerationSolver,
    derivatives: Option<Derivatives>,
    /// E of E x' = d, factorized; `None` is the identity.
    descriptor: Option<SquareLu>,
}

/// What ∂f/∂y is made of.
struct Derivatives {
    kkt: KktSolver,
    stiffness_pattern: Pattern,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    rates: RatesJacobian,
    stiffness: Vec<f64>,
    rows_by_position: Vec<f64>,
    rows_by_velocity: Vec<f64>,
    /// Right-hand sides of (w, λ), column by column.
    forces: Vec<f64>,
    bias: Vec<f64>,
    acceleration: Vec<f64>,
    multipliers: Vec<f64>,
    column: Vec<f64>,
}

impl OdeForm {
    /// The form of a system.
    ///
    /// # Errors
    /// E is singular: no ODE.
    pub fn new(system: &Evaluator, start: &State) -> Result<Self, ProgramError> {
        let layout = system.layout();
        let not_served = |why: &str| Err(ProgramError::NotServed(why.to_owned()));
        if layout.differential_index.iter().any(|&index| index > 0) {
            return not_served("it is a DAE M y' = f with singular M, which has no form `ode`");
        }
        let descriptor = match &layout.descriptor {
            None => None,
            Some((pattern, values)) => {
                let mut lu = SquareLu::new(layout.differential);
                let matrix = lu.matrix(layout.differential);
                for (row, column, entry) in pattern.iter() {
                    matrix[row * layout.differential + column] = values[entry];
                }
                if lu.factor().is_err() {
                    return not_served("its matrix M is singular, and it has no form `ode`");
                }
                Some(lu)
            }
        };
        let new_solver = || AccelerationSolver::new(layout).map_err(|error| unsolvable(&error));
        // With algebraic variables the derivative of the solution of a = 0 would be needed; programs take differences.
        let derivatives = (layout.algebraic == 0).then(|| Derivatives::new(system));
        Ok(Self {
            parts: Parts::of_ode(layout),
            state: start.clone(),
            accelerations: new_solver()?,
            completions: new_solver()?,
            derivatives: derivatives.transpose()?,
            descriptor,
        })
    }

    fn load(parts: &Parts, at: Place, state: &mut State) {
        let [q, v, x, ..] = parts.ends();
        state.t = at.t;
        state.q.copy_from_slice(&at.y[..q]);
        state.v.copy_from_slice(&at.y[q..v]);
        state.x.copy_from_slice(&at.y[v..x]);
    }
}

impl Form for OdeForm {
    fn size(&self) -> usize {
        self.parts.size()
    }

    fn is_implicit(&self) -> bool {
        false
    }

    fn has_jacobian(&self) -> bool {
        self.derivatives.is_some()
    }

    fn occurs(&self) -> Vec<bool> {
        vec![true; self.size()]
    }

    fn index(&self) -> Vec<u8> {
        vec![0; self.size()]
    }

    fn start(&mut self, _system: &mut Evaluator, state: &State) -> Result<Start, DynamicsError> {
        let y = [&state.q, &state.v, &state.x];
        Ok(Start {
            y: y.into_iter().flatten().copied().collect(),
            rate: Vec::new(),
        })
    }

    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let [q, v, x, ..] = self.parts.ends();
        Self::load(&self.parts, at, &mut self.state);
        self.accelerations.complete(system, &mut self.state)?;
        out[..q].copy_from_slice(&self.state.v);
        out[q..v].copy_from_slice(&self.state.acceleration);
        out[v..x].copy_from_slice(self.accelerations.differential_rates());
        Ok(())
    }

    fn jacobian(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        _c: f64,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let Some(derivatives) = &mut self.derivatives else {
            out.fill(f64::NAN);
            return Ok(());
        };
        Self::load(&self.parts, at, &mut self.state);
        if self.parts.dimension > 0 {
            self.accelerations.complete(system, &mut self.state)?;
        }
        derivatives.evaluate(
            system,
            &self.state,
            &self.parts,
            self.descriptor.as_mut(),
            out,
        )
    }

    fn complete(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        Self::load(&self.parts, at, state);
        system.uncounted(|system| self.completions.complete(system, state))
    }

    fn factorizations(&self) -> usize {
        let derivatives = self.derivatives.as_ref();
        self.accelerations.kkt().factorizations()
            + derivatives.map_or(0, |derivatives| derivatives.kkt.factorizations())
    }
}

impl Derivatives {
    fn new(system: &Evaluator) -> Result<Self, ProgramError> {
        let layout = system.layout();
        let failed = |error| unsolvable(&error);
        let jacobian = &layout.jacobian;
        let kkt = KktSolver::new(&layout.mass, jacobian, jacobian, &layout.blocks);
        let stiffness_pattern = layout.stiffness_pattern().map_err(failed)?;
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let size = 2 * dimension + layout.differential;
        let entries = || vec![0.0; jacobian.nnz()];
        Ok(Self {
            kkt: kkt.map_err(failed)?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: entries(),
            rates: RatesJacobian::new(layout),
            stiffness: vec![0.0; stiffness_pattern.nnz()],
            stiffness_pattern,
            rows_by_position: entries(),
            rows_by_velocity: entries(),
            forces: vec![0.0; size * dimension],
            bias: vec![0.0; size * rows],
            acceleration: vec![0.0; dimension],
            multipliers: vec![0.0; rows],
            column: vec![0.0; layout.differential],
        })
    }

    /// The derivative of (v, w, E⁻¹ d) at a complete state. By M w - Gᵀ λ = f and G w + γ = 0
    ///
    /// ```text
    /// [ M  -Gᵀ ] [∂w]   [ ∂f - K ∂q           ]
    /// [ G   0  ] [∂λ] = [ -C_q ∂q - C_v ∂v     ]   K = ∂(M w - Gᵀ λ)/∂q, C = G w + γ
    /// ```
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        parts: &Parts,
        descriptor: Option<&mut SquareLu>,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let at = state.point();
        let [q, v, size, ..] = parts.ends();
        let (dimension, rows) = (parts.dimension, self.multipliers.len());
        system.rates_jacobian(&at, &mut self.rates)?;
        let mut matrix = Columns::zero(out, size);
        let layout = system.layout();
        for (row, column, entry) in layout.rates.iter() {
            let place = parts.of_rates(column);
            let (by_position, by_velocity) =
                (self.rates.by_position[entry], self.rates.by_velocity[entry]);
            if row >= dimension {
                matrix.add(row + dimension, place, by_position);
                if column < dimension {
                    matrix.add(row + dimension, q + column, by_velocity);
                }
            }
        }
        if let Some(lu) = descriptor {
            for column in 0..size {
                let own = &mut out[column * size + v..(column + 1) * size];
                self.column.copy_from_slice(own);
                lu.solve(&mut self.column);
                own.copy_from_slice(&self.column);
            }
        }
        if dimension == 0 {
            return Ok(());
        }
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        system.mass_matrix(&at, &mut self.mass)?;
        system.geometric_stiffness(&at, &state.acceleration, &mut self.stiffness)?;
        if rows > 0 {
            system.constraint_jacobian(&at, &mut self.jacobian)?;
            system.acceleration_constraint_jacobian(
                &at,
                &state.acceleration,
                &mut self.rows_by_position,
                &mut self.rows_by_velocity,
            )?;
        }
        self.kkt
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(linear)?;
        let layout = system.layout();
        self.forces.fill(0.0);
        self.bias.fill(0.0);
        for (row, column, entry) in layout.rates.iter() {
            if row < dimension {
                let place = parts.of_rates(column);
                self.forces[place * dimension + row] += self.rates.by_position[entry];
                if column < dimension {
                    self.forces[(q + column) * dimension + row] += self.rates.by_velocity[entry];
                }
            }
        }
        for (row, column, entry) in self.stiffness_pattern.iter() {
            self.forces[column * dimension + row] -= self.stiffness[entry];
        }
        for (row, column, entry) in layout.jacobian.iter() {
            self.bias[column * rows + row] -= self.rows_by_position[entry];
            self.bias[(q + column) * rows + row] -= self.rows_by_velocity[entry];
        }
        for column in 0..size {
            self.kkt
                .solve(
                    &self.forces[column * dimension..(column + 1) * dimension],
                    &self.bias[column * rows..(column + 1) * rows],
                    &mut self.acceleration,
                    &mut self.multipliers,
                )
                .map_err(linear)?;
            out[column * size + q..column * size + v].copy_from_slice(&self.acceleration);
            if (q..v).contains(&column) {
                out[column * size + column - q] = 1.0;
            }
        }
        Ok(())
    }
}
