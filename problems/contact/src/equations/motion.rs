//! The equations between events: those of the wrapped system and the rows of its closed contacts.

use crate::equations::Equations;
use crate::equations::rows;
use crate::equations::rows::Level;
use crate::equations::slides::Slide;
use crate::equations::sliding_joints::SlidingJoints;
use crate::equations::structure::Pressed;
use crate::equations::wrapped::{contacts_of, finite_gap};
use crate::{Contact, UnilateralConstraints};
use liedae::system::{
    Branches, Energy, EvaluationError, Labels, Layout, Point, Properties, Property, RatesJacobian,
    SecondDerivatives, Spatial, State, System, acceleration_constraint_jacobian,
    geometric_stiffness, is_passive, keeps_energy, properties, total_energy,
    velocity_constraint_jacobian,
};
use std::any::{Any, TypeId};

/// Writes what the wrapped system gives to its places in the whole.
fn scatter(places: &[usize], values: &[f64], out: &mut [f64]) {
    for (&place, &value) in places.iter().zip(values) {
        out[place] = value;
    }
}

/// Calls `each` with every row along which a contact pushes by its normal force, as a variable, and the factor there: the gap without a
/// row of its own, and what slides. `memory` has room for two rows.
fn each_push(
    contacts: &mut dyn UnilateralConstraints,
    (pressed, law): (&Pressed, &Contact),
    slides: &[Slide],
    at: &Point,
    memory: &mut [f64],
    mut each: impl FnMut(&[f64], f64),
) -> Result<(), EvaluationError> {
    let (contact, dimension) = (pressed.contact, memory.len() / 2);
    if pressed.pushes {
        let row = &mut memory[..dimension];
        contacts.gap_jacobian(contact, at, row)?;
        each(row, 1.0);
    }
    let Some(sign) = pressed.sliding else {
        return Ok(());
    };
    let mut against = [sign, 0.0];
    if law.tangents == 2 {
        let mut velocity = [0.0; 2];
        contacts.sliding_velocity(contact, at, &mut velocity)?;
        against = slides[contact].against(velocity);
    }
    let rows = &mut memory[..law.tangents * dimension];
    contacts.sliding_jacobian(contact, at, rows)?;
    for (row, part) in rows.chunks_exact(dimension).zip(against) {
        each(row, -law.friction * part);
    }
    Ok(())
}

impl Equations {
    /// The rates where normal forces are variables: contacts or joints slide, or contacts have shares of others' forces.
    // Out of the way of those without friction, which are asked for most often.
    #[inline(never)]
    fn rates_with_own_variables(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        let layout = self.inner.layout();
        let (dimension, count) = (layout.dimension(), layout.rate_count());
        let algebraic = layout.algebraic;
        self.inner.rates(&own, &mut out[..count])?;
        let mut joints = SlidingJoints {
            structure: &self.structure,
            joints: &self.joints,
            row: &mut self.work.row,
            shared: &mut self.shared,
        };
        joints.rates(&mut self.inner, at, &own, out)?;
        if self.structure.pressed.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (index, pressed) in self.structure.pressed.iter().enumerate() {
            let normal = at.z.get(algebraic + index).copied().unwrap_or(0.0);
            out[count + index] = normal - pressed.force(at.lambda);
            let law = &self.contacts[pressed.contact];
            let memory = &mut self.work.sliding_rows;
            let push = |row: &[f64], factor: f64| {
                let push = factor * normal;
                for (force, entry) in out[..dimension].iter_mut().zip(row) {
                    *force += push * entry;
                }
            };
            each_push(unilateral, (pressed, law), &self.slides, &own, memory, push)?;
        }
        Ok(())
    }

    /// The rows of contacts and joints at a level: gaps, then sliding velocities.
    fn own_rows(
        &mut self,
        level: Level,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        rows::evaluate(&mut self.inner, &self.structure, level, &own, out)
    }

    /// Spreads the rows of the wrapped system and appends those of contacts and joints.
    fn all_rows(
        &mut self,
        level: Level,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        if !self.work.rows.is_empty() {
            match level {
                Level::Velocity => self.inner.velocity_constraint(&own, &mut self.work.rows)?,
                Level::Bias => self.inner.acceleration_bias(&own, &mut self.work.rows)?,
            }
        }
        scatter(&self.structure.inner_rows, &self.work.rows, out);
        self.own_rows(level, at, out)
    }
}

impl System for Equations {
    fn layout(&self) -> &Layout {
        &self.structure.layout
    }

    /// That of the wrapped system.
    fn initial_state(&self) -> State {
        self.inner.initial_state()
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        self.inner.mass_matrix(&own, out)
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        if self.structure.has_own_variables() {
            return self.rates_with_own_variables(at, out);
        }
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        self.inner.rates(&own, out)
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let layout = self.inner.layout();
        let (count, algebraic, inner_rows) = (layout.rate_count(), layout.algebraic, layout.rows());
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        self.inner.rates_jacobian(&own, &mut self.work.rates)?;
        out.by_position.fill(0.0);
        out.by_velocity.fill(0.0);
        out.by_multiplier.fill(0.0);
        let (places, rates) = (&self.structure.inner_rates, &self.work.rates);
        scatter(places, &rates.by_position, &mut out.by_position);
        scatter(places, &rates.by_velocity, &mut out.by_velocity);
        let all = &self.structure.layout;
        for row in 0..algebraic {
            for (column, &to) in self.structure.inner_rows.iter().enumerate() {
                out.by_multiplier[row * all.rows() + to] =
                    self.work.rates.by_multiplier[row * inner_rows + column];
            }
        }
        let mut joints = SlidingJoints {
            structure: &self.structure,
            joints: &self.joints,
            row: &mut self.work.row,
            shared: &mut self.shared,
        };
        let derivatives = &mut self.work.joint_derivatives;
        joints.jacobian(&mut self.inner, derivatives, at, &own, out)?;
        if self.structure.pressed.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (index, pressed) in self.structure.pressed.iter().enumerate() {
            let (contact, column) = (pressed.contact, count + index);
            if let Some(position) = all.rates.position(column, column) {
                out.by_position[position] = 1.0;
            }
            for &(row, factor) in &pressed.terms {
                out.by_multiplier[(algebraic + index) * all.rows() + row] = -factor;
            }
            let push = |row: &[f64], factor: f64| {
                for &force in &self.structure.velocities[contact] {
                    if let Some(position) = all.rates.position(force, column) {
                        out.by_position[position] += factor * row[force];
                    }
                }
            };
            let law = &self.contacts[contact];
            let memory = &mut self.work.sliding_rows;
            each_push(unilateral, (pressed, law), &self.slides, &own, memory, push)?;
        }
        let derivatives = &mut self.work.derivatives;
        derivatives.friction(
            (unilateral, &self.contacts),
            (&self.structure, &self.slides),
            (&own, at.z.get(algebraic..).unwrap_or_default()),
            &mut self.work.sliding_rows,
            out,
        )
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let layout = self.inner.layout();
        let rows = layout.position_rows;
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        if rows > 0 {
            self.inner.position_constraint(&own, &mut out[..rows])?;
        }
        if self.structure.normals.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        for (slot, &contact) in out[rows..].iter_mut().zip(&self.structure.normals) {
            *slot = finite_gap(
                unilateral.gap(contact, &own)?,
                &self.contacts[contact],
                at.t,
            )?;
        }
        Ok(())
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.all_rows(Level::Velocity, at, out)
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        if !self.work.rows.is_empty() {
            self.inner
                .constraint_jacobian(&own, &mut self.work.inner_jacobian)?;
        }
        scatter(
            &self.structure.inner_jacobian,
            &self.work.inner_jacobian,
            out,
        );
        let structure = &self.structure;
        if !structure.has_own_rows() {
            return Ok(());
        }
        let pattern = &structure.layout.jacobian;
        let dimension = structure.layout.dimension();
        let mut put = |place: usize, row: &[f64]| {
            let values = &mut out[pattern.row_range(place)];
            for (slot, &column) in values.iter_mut().zip(pattern.row(place)) {
                *slot = row[column];
            }
        };
        if !structure.normals.is_empty() {
            let unilateral = contacts_of(&mut self.inner, at.t)?;
            for (place, contact) in rows::normals(structure) {
                let row = &mut self.work.sliding_rows[..dimension];
                unilateral.gap_jacobian(contact, &own, row)?;
                put(place, row);
            }
        }
        // Most often nothing sticks.
        if structure.sticks.is_empty() && structure.joint_sticks.is_empty() {
            return Ok(());
        }
        for (places, quantity) in rows::sticking(structure) {
            let memory = quantity.memory(places.len()) * dimension;
            let rows = &mut self.work.sliding_rows[..memory];
            quantity.jacobian(&mut self.inner, &own, rows)?;
            for (place, row) in places.zip(rows.chunks_exact(dimension)) {
                put(place, row);
            }
        }
        Ok(())
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.all_rows(Level::Bias, at, out)
    }

    fn labels(&self) -> Option<&dyn Labels> {
        Some(self)
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        self.inner.spatial()
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        self.inner.extension(wanted)
    }

    fn branches(&mut self) -> Option<&mut dyn Branches> {
        Some(self)
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }

    fn properties(&mut self) -> Option<&mut dyn Properties> {
        self.inner.properties()?;
        Some(self)
    }
}

impl Properties for Equations {
    fn descriptions(&mut self) -> &[Property] {
        properties(&mut self.inner)
    }

    fn values(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        match self.inner.properties() {
            Some(properties) => properties.values(&own, out),
            None => Ok(()),
        }
    }
}

impl SecondDerivatives for Equations {
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        geometric_stiffness(
            &mut self.inner,
            &own,
            acceleration,
            &mut self.work.inner_stiffness,
        )?;
        out.fill(0.0);
        scatter(
            &self.structure.inner_stiffness,
            &self.work.inner_stiffness,
            out,
        );
        if !self.structure.has_own_rows() {
            return Ok(());
        }
        if !self.structure.closed.is_empty() {
            let unilateral = contacts_of(&mut self.inner, at.t)?;
            let derivatives = &mut self.work.derivatives;
            derivatives.stiffness(unilateral, &self.structure, at, &own, out)?;
        }
        let derivatives = &mut self.work.joint_derivatives;
        derivatives.stiffness(&mut self.inner, &self.structure, at, &own, out)
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        if !self.work.rows.is_empty() {
            velocity_constraint_jacobian(&mut self.inner, &own, &mut self.work.inner_jacobian)?;
        }
        out.fill(0.0);
        scatter(
            &self.structure.inner_jacobian,
            &self.work.inner_jacobian,
            out,
        );
        if !self.structure.has_own_rows() {
            return Ok(());
        }
        if !self.structure.closed.is_empty() {
            let unilateral = contacts_of(&mut self.inner, at.t)?;
            let derivatives = &mut self.work.derivatives;
            derivatives.velocity(unilateral, &self.structure, &own, out)?;
        }
        let derivatives = &mut self.work.joint_derivatives;
        derivatives.rows_by_position(&mut self.inner, &self.structure, &own, None, out)
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        if !self.work.rows.is_empty() {
            acceleration_constraint_jacobian(
                &mut self.inner,
                &own,
                acceleration,
                &mut self.work.inner_jacobian,
                &mut self.work.inner_jacobian_by_velocity,
            )?;
        }
        by_position.fill(0.0);
        by_velocity.fill(0.0);
        let places = &self.structure.inner_jacobian;
        scatter(places, &self.work.inner_jacobian, by_position);
        scatter(places, &self.work.inner_jacobian_by_velocity, by_velocity);
        if !self.structure.has_own_rows() {
            return Ok(());
        }
        if !self.structure.closed.is_empty() {
            let unilateral = contacts_of(&mut self.inner, at.t)?;
            let out = [&mut *by_position, &mut *by_velocity];
            let derivatives = &mut self.work.derivatives;
            derivatives.acceleration(unilateral, &self.structure, &own, acceleration, out)?;
        }
        let (inner, structure) = (&mut self.inner, &self.structure);
        let derivatives = &mut self.work.joint_derivatives;
        derivatives.rows_by_position(inner, structure, &own, Some(acceleration), by_position)?;
        derivatives.bias_by_velocity(inner, structure, &own, by_velocity)
    }
}

impl Energy for Equations {
    fn total(&mut self, at: &Point) -> Option<f64> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        total_energy(&mut self.inner, &own)
    }

    fn is_kept(&mut self) -> bool {
        keeps_energy(&mut self.inner) && !self.structure.rubs()
    }

    fn is_passive(&mut self) -> bool {
        is_passive(&mut self.inner)
    }
}

impl Branches for Equations {
    fn opposed(&mut self, at: &Point) -> Option<String> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        self.inner.branches()?.opposed(&own)
    }

    /// None beside the rows of closed contacts.
    fn rows_from_afar(
        &mut self,
        _at: &Point,
        _rows: &mut [f64],
        _jacobian: &mut [f64],
    ) -> Result<bool, EvaluationError> {
        Ok(false)
    }
}
