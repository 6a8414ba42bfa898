//! A system as an implicit DAE 0 = F(t, y, y'), y = (q, v, x, z, λ) or (q, v, x, z, λ, μ).

use super::form::{Columns, Form, FormName, Parts, Place, Start, unsolvable};
use super::{ProgramError, start};
use liedae::linalg::Pattern;
use liedae::system::{DynamicsError, Evaluator, Layout, Point, RatesJacobian, State};

/// With index 1, and stabilized with index 2 after Gear, Gupta and Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1:
///
/// ```text
/// 0 = q' - v                      0 = q' - v - G_pᵀ μ      G_p: position rows of G
/// 0 = M v' - f - Gᵀ λ             0 = M v' - f - Gᵀ λ
/// 0 = E x' - d                    0 = E x' - d
/// 0 = a                           0 = a
/// 0 = G v' + γ                    0 = G v + ∂g/∂t, 0 = b
///                                 0 = g
/// ```
///
/// On solutions μ = 0. Jacobians are exact where the system's derivatives are.
pub struct DaeForm {
    parts: Parts,
    stabilized: bool,
    t_end: f64,
    modes: Vec<i32>,
    occurs: Vec<bool>,
    index: Vec<u8>,
    stiffness_pattern: Pattern,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    rates: Vec<f64>,
    derivatives: RatesJacobian,
    stiffness: Vec<f64>,
    rows_by_position: Vec<f64>,
    rows_by_velocity: Vec<f64>,
    /// μ followed by zeros, as multipliers of all rows.
    corrections: Vec<f64>,
    rest: Vec<f64>,
}

/// The largest index that this form may have.
fn largest_index(name: FormName) -> u8 {
    match name {
        FormName::Ode => 0,
        FormName::Dae1 => 1,
        FormName::Dae2 => 2,
    }
}

impl DaeForm {
    /// The form of a system; a system without constraint rows has the same of both names.
    ///
    /// # Errors
    /// The index of a first-order system is higher than that of the form.
    pub fn new(
        name: FormName,
        layout: &Layout,
        start: &State,
        t_end: f64,
    ) -> Result<Self, ProgramError> {
        let highest = layout.differential_index.iter().copied().max();
        if let Some(index) = highest.filter(|&index| index > largest_index(name)) {
            return Err(ProgramError::NotServed(format!(
                "its index is {index}, and there is no form with a lower one"
            )));
        }
        let stabilized = name == FormName::Dae2;
        let parts = Parts {
            dimension: layout.dimension(),
            differential: layout.differential,
            algebraic: layout.algebraic,
            rows: layout.rows(),
            corrections: if stabilized { layout.position_rows } else { 0 },
        };
        let [_, v, x, z, _, size] = parts.ends();
        let mut occurs = vec![true; size];
        let mut index = vec![0; size];
        index[v..x].copy_from_slice(&layout.differential_index);
        if let Some((pattern, values)) = &layout.descriptor {
            occurs[v..x].fill(false);
            for (_, column, entry) in pattern.iter() {
                occurs[v + column] |= values[entry] != 0.0;
            }
        }
        occurs[x..].fill(false);
        index[x..z].fill(1);
        index[z..].fill(largest_index(name));
        let stiffness_pattern = layout
            .stiffness_pattern()
            .map_err(|error| unsolvable(&error))?;
        let entries = || vec![0.0; layout.jacobian.nnz()];
        Ok(Self {
            parts,
            stabilized,
            t_end,
            modes: start.mode.clone(),
            occurs,
            index,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: entries(),
            rates: vec![0.0; layout.rate_count()],
            derivatives: RatesJacobian::new(layout),
            stiffness: vec![0.0; stiffness_pattern.nnz()],
            stiffness_pattern,
            rows_by_position: entries(),
            rows_by_velocity: entries(),
            corrections: vec![0.0; layout.rows()],
            rest: vec![0.0; layout.dimension()],
        })
    }

    fn point<'p>(parts: &Parts, modes: &'p [i32], at: Place<'p>) -> Point<'p> {
        let [q, v, x, z, lambda, _] = parts.ends();
        Point {
            t: at.t,
            q: &at.y[..q],
            v: &at.y[q..v],
            x: &at.y[v..x],
            z: &at.y[x..z],
            lambda: &at.y[z..lambda],
            mode: modes,
        }
    }
}

impl Form for DaeForm {
    fn size(&self) -> usize {
        self.parts.size()
    }

    fn is_implicit(&self) -> bool {
        true
    }

    fn has_jacobian(&self) -> bool {
        true
    }

    fn occurs(&self) -> Vec<bool> {
        self.occurs.clone()
    }

    fn index(&self) -> Vec<u8> {
        self.index.clone()
    }

    fn start(&mut self, system: &mut Evaluator, state: &State) -> Result<Start, DynamicsError> {
        let [q, v, x, ..] = self.parts.ends();
        let known = [&state.q, &state.v, &state.x, &state.z, &state.lambda];
        let mut y: Vec<f64> = known.into_iter().flatten().copied().collect();
        y.resize(self.size(), 0.0);
        // λ, μ and z have no derivatives in F; that of z and λ is not known.
        let mut rate = vec![0.0; self.size()];
        rate[..q].copy_from_slice(&state.v);
        rate[q..v].copy_from_slice(&state.acceleration);
        let states = system.uncounted(|system| start::rates(system, state, self.t_end))?;
        rate[v..x].copy_from_slice(&states);
        Ok(Start { y, rate })
    }

    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let point = Self::point(&self.parts, &self.modes, at);
        let [q, v, x, z, lambda, size] = self.parts.ends();
        let (dimension, differential) = (self.parts.dimension, self.parts.differential);
        let (velocity_rate, state_rate) = (&at.rate[q..v], &at.rate[v..x]);
        system.rates(&point, &mut self.rates)?;
        for (slot, rate) in out[q..z].iter_mut().zip(&self.rates) {
            *slot = -rate;
        }
        // Rows of a have their own sign.
        for (slot, rate) in out[x..z]
            .iter_mut()
            .zip(&self.rates[dimension + differential..])
        {
            *slot = *rate;
        }
        for ((slot, rate), velocity) in out[..q].iter_mut().zip(at.rate).zip(point.v) {
            *slot = rate - velocity;
        }
        if dimension > 0 {
            system.mass_matrix(&point, &mut self.mass)?;
            let layout = system.layout();
            let forces = &mut out[q..v];
            layout
                .mass
                .multiply_add(&self.mass, 1.0, velocity_rate, forces);
        }
        if self.parts.rows > 0 {
            system.constraint_jacobian(&point, &mut self.jacobian)?;
            let pattern = &system.layout().jacobian;
            let (positions, others) = out.split_at_mut(q);
            let forces = &mut others[..v - q];
            pattern.multiply_transpose_add(&self.jacobian, -1.0, point.lambda, forces);
            if self.stabilized {
                self.corrections[..size - lambda].copy_from_slice(&at.y[lambda..]);
                pattern.multiply_transpose_add(&self.jacobian, -1.0, &self.corrections, positions);
                system.velocity_constraint(&point, &mut out[z..lambda])?;
                if size > lambda {
                    system.position_constraint(&point, &mut out[lambda..])?;
                }
            } else {
                let rows = &mut out[z..lambda];
                system.acceleration_bias(&point, rows)?;
                let pattern = &system.layout().jacobian;
                pattern.multiply_add(&self.jacobian, 1.0, velocity_rate, rows);
            }
        }
        match &system.layout().descriptor {
            None => {
                for (slot, rate) in out[v..x].iter_mut().zip(state_rate) {
                    *slot += rate;
                }
            }
            Some((pattern, values)) => {
                pattern.multiply_add(values, 1.0, state_rate, &mut out[v..x]);
            }
        }
        Ok(())
    }

    fn jacobian(
        &mut self,
        system: &mut Evaluator,
        at: Place,
        c: f64,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let point = Self::point(&self.parts, &self.modes, at);
        let parts = &self.parts;
        let [q, v, x, z, lambda, size] = parts.ends();
        let (dimension, rows) = (parts.dimension, parts.rows);
        let first_algebraic = dimension + parts.differential;
        let mut matrix = Columns::zero(out, size);
        system.rates_jacobian(&point, &mut self.derivatives)?;
        let layout = system.layout();
        for (row, column, entry) in layout.rates.iter() {
            // Rows (f, d, a) are -f, -d and a in F.
            let sign = if row < first_algebraic { -1.0 } else { 1.0 };
            let (place, from) = (parts.of_rates(column), row + q);
            matrix.add(from, place, sign * self.derivatives.by_position[entry]);
            if column < dimension {
                matrix.add(from, q + column, sign * self.derivatives.by_velocity[entry]);
            }
        }
        for (index, slope) in self.derivatives.by_multiplier.iter().enumerate() {
            matrix.add(x + index / rows.max(1), z + index % rows.max(1), *slope);
        }
        match &layout.descriptor {
            None => (v..x).for_each(|place| matrix.add(place, place, c)),
            Some((pattern, values)) => matrix.add_matrix((v, v), c, pattern, values),
        }
        if dimension == 0 {
            return Ok(());
        }
        for place in 0..q {
            matrix.add(place, place, c);
            matrix.add(place, q + place, -1.0);
        }
        let velocity_rate = &at.rate[q..v];
        system.mass_matrix(&point, &mut self.mass)?;
        system.geometric_stiffness(&point, velocity_rate, &mut self.stiffness)?;
        matrix.add_matrix((q, q), c, &system.layout().mass, &self.mass);
        matrix.add_matrix((q, 0), 1.0, &self.stiffness_pattern, &self.stiffness);
        if rows == 0 {
            return Ok(());
        }
        system.constraint_jacobian(&point, &mut self.jacobian)?;
        if self.stabilized {
            system.velocity_constraint_jacobian(&point, &mut self.rows_by_position)?;
            self.rows_by_velocity.copy_from_slice(&self.jacobian);
        } else {
            system.acceleration_constraint_jacobian(
                &point,
                velocity_rate,
                &mut self.rows_by_position,
                &mut self.rows_by_velocity,
            )?;
            for (slope, gradient) in self.rows_by_velocity.iter_mut().zip(&self.jacobian) {
                *slope += c * gradient;
            }
        }
        let pattern = &system.layout().jacobian;
        matrix.add_matrix((z, 0), 1.0, pattern, &self.rows_by_position);
        matrix.add_matrix((z, q), 1.0, pattern, &self.rows_by_velocity);
        for (row, column, entry) in pattern.iter() {
            let gradient = self.jacobian[entry];
            matrix.add(q + column, z + row, -gradient);
            if row < size - lambda {
                matrix.add(column, lambda + row, -gradient);
                matrix.add(lambda + row, column, gradient);
            }
        }
        if self.stabilized {
            // ∂(-G_pᵀ μ)/∂q is the stiffness of μ in place of λ without accelerations.
            self.corrections[..size - lambda].copy_from_slice(&at.y[lambda..]);
            let of_corrections = Point {
                lambda: &self.corrections,
                ..point
            };
            system.geometric_stiffness(&of_corrections, &self.rest, &mut self.stiffness)?;
            matrix.add_matrix((0, 0), 1.0, &self.stiffness_pattern, &self.stiffness);
        }
        Ok(())
    }

    fn complete(
        &mut self,
        _system: &mut Evaluator,
        at: Place,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let point = Self::point(&self.parts, &self.modes, at);
        let [q, v, ..] = self.parts.ends();
        state.t = at.t;
        state.q.copy_from_slice(point.q);
        state.v.copy_from_slice(point.v);
        state.x.copy_from_slice(point.x);
        state.z.copy_from_slice(point.z);
        state.lambda.copy_from_slice(point.lambda);
        state.acceleration.copy_from_slice(&at.rate[q..v]);
        Ok(())
    }

    fn factorizations(&self) -> usize {
        0
    }
}
