//! Residuals of a generalized-alpha step, and whether they are round-off.

use super::matrix::Slopes;
use super::{ConstraintLevel, GeneralizedAlphaStepper};
use crate::integrator::StepError;
use crate::integrator::shared::round_off::{
    RoundedArguments, few_roundings_are_left, multiples_are_round_off, multiples_hold_to_round_off,
};
use crate::scalar::largest;
use crate::system::{Balance, Evaluator, Function, Layout, State};

impl GeneralizedAlphaStepper {
    /// Evaluates the equations at the iterate, and the Newton matrix if it is to be refreshed. The constraint residuals
    /// land in `bottom`, divided like the rows of the matrix.
    pub(super) fn evaluate(
        &mut self,
        system: &mut Evaluator,
        slopes: Slopes,
        (begins, refresh): (bool, bool),
        to: &State,
    ) -> Result<(), StepError> {
        let at = to.point();
        let position_rows = self.rows_at_position_level(system.layout());
        self.in_one_pass = false;
        // Where the last step has asked for them, they are at hand now.
        let with_sizes = !begins && self.term_sizes.are_expected();
        if position_rows > 0 && position_rows == to.lambda.len() {
            let mut balance = Balance {
                forces: Some(&mut self.top),
                // As the rows of the matrix: g / (h² β c), with the sign of a right-hand side.
                position: Some((&mut self.bottom, -1.0 / slopes.position)),
                jacobian: refresh.then_some(&mut self.jacobian),
                sizes: with_sizes.then(|| self.round_off.terms_to_fill()),
                ..Balance::default()
            };
            self.in_one_pass = system.balance(&at, &to.acceleration, &mut balance)?;
        }
        self.term_sizes.note(with_sizes && self.in_one_pass);
        if !self.in_one_pass {
            system.rates(&at, &mut self.rates)?;
        }
        if !to.v.is_empty() && (refresh || !self.in_one_pass) {
            system.update_mass_matrix(&at, &mut self.mass)?;
        }
        if !to.lambda.is_empty() && !self.in_one_pass {
            system.constraint_jacobian_to_factor(&at, &mut self.jacobian)?;
            if to.lambda.len() > position_rows {
                system.velocity_constraint(&at, &mut self.bottom)?;
            }
            if position_rows > 0 {
                system.position_constraint(&at, &mut self.bottom[..position_rows])?;
            }
            let (position, velocity) = self.bottom.split_at_mut(position_rows);
            // And b / (h γ c).
            for (rows, slope) in [(position, slopes.position), (velocity, slopes.velocity)] {
                let factor = -1.0 / slope;
                for row in rows {
                    *row *= factor;
                }
            }
        }
        if refresh {
            self.place.set(to, &self.u, slopes);
            self.holds_kept = false;
            let values = [&self.mass.values[..], &self.jacobian, &self.descriptor.1];
            if let Err(source) = self.matrix.load(system, &self.place, values)? {
                if self.in_one_pass {
                    let rows = (Function::PositionConstraint, &self.bottom[..]);
                    system.check_balance(&at, &self.top, rows)?;
                }
                system.check_jacobian(&at, &self.jacobian)?;
                return Err(StepError::linear(to.t, source));
            }
        }
        Ok(())
    }

    /// Position rows among the residuals of the constraints; the others are at velocity level.
    fn rows_at_position_level(&self, layout: &Layout) -> usize {
        match self.formulation {
            ConstraintLevel::Position => layout.position_rows,
            ConstraintLevel::Velocity | ConstraintLevel::Stabilized => 0,
        }
    }

    /// Evaluates rates and G, unless residuals have been made of them. They are those of the iterate that the last
    /// correction has led to, and the residuals those before it: what residuals may be by round-off is the same at
    /// both.
    pub(super) fn complete(&mut self, system: &mut Evaluator, to: &State) -> Result<(), StepError> {
        if !self.in_one_pass {
            return Ok(());
        }
        let at = to.point();
        system.rates(&at, &mut self.rates)?;
        system.update_mass_matrix(&at, &mut self.mass)?;
        system.constraint_jacobian_to_factor(&at, &mut self.jacobian)?;
        self.in_one_pass = false;
        Ok(())
    }

    /// Whether the constraints held to round-off at the iterate evaluated last, if there are any.
    pub(super) fn constraints_held(
        &mut self,
        system: &mut Evaluator,
        slopes: Slopes,
        to: &State,
    ) -> Result<bool, StepError> {
        if to.lambda.is_empty() {
            return Ok(false);
        }
        // Most often no row needs its slope for that.
        if self.in_one_pass
            && multiples_are_round_off(&self.bottom, slopes.position, || self.seen.extent_of(&to.q))
        {
            return Ok(true);
        }
        self.complete(system, to)?;
        let layout = system.layout();
        let first_velocity = self.rows_at_position_level(layout);
        let (position, velocity) = self.bottom.split_at(first_velocity);
        let rows = (&layout.jacobian, &self.jacobian[..]);
        Ok(
            multiples_hold_to_round_off(position, rows, 0, slopes.position, || {
                self.seen.extent_of(&to.q)
            }) && multiples_hold_to_round_off(
                velocity,
                rows,
                first_velocity,
                slopes.velocity,
                || largest(&to.v),
            ),
        )
    }

    /// Whether nothing but a few roundings was left of the constraints at the iterate evaluated last, if there are any.
    pub(super) fn constraints_are_rounded(
        &self,
        layout: &Layout,
        slopes: Slopes,
        to: &State,
    ) -> bool {
        let first_velocity = self.rows_at_position_level(layout);
        let (position, velocity) = self.bottom.split_at(first_velocity);
        !to.lambda.is_empty()
            && few_roundings_are_left(position, slopes.position, || self.seen.extent_of(&to.q))
            && few_roundings_are_left(velocity, slopes.velocity, || largest(&to.v))
    }

    /// Residuals of forces, differential rates and algebraic rows.
    pub(super) fn load_residual(&mut self, layout: &Layout, to: &State) {
        let (dimension, differential, rows) = (to.v.len(), to.x.len(), to.lambda.len());
        let (forces, rest) = self.top.split_at_mut(dimension);
        let (x_rows, algebraic) = rest.split_at_mut(differential);
        let (mass, known) = (&self.mass.values[..], &self.rates[..dimension]);
        (layout.mass).multiply_add_from(mass, -1.0, &to.acceleration, known, forces);
        let jacobian = &layout.jacobian;
        jacobian.multiply_transpose_add(&self.jacobian, 1.0, &to.lambda, forces);
        x_rows.copy_from_slice(&self.rates[dimension..dimension + differential]);
        self.descriptor
            .0
            .multiply_add(&self.descriptor.1, -1.0, &self.x_rate, x_rows);
        for (top, rate) in algebraic
            .iter_mut()
            .zip(&self.rates[dimension + differential..])
        {
            *top = -rate;
        }
        if !self.whole_multipliers {
            return;
        }
        self.round_off.residual.copy_from_slice(&self.top);
        // The unknown is λ, not its change: G_matᵀ λ goes back to the left, and ∂a/∂λ λ.
        let (forces, rest) = self.top.split_at_mut(dimension);
        jacobian.multiply_transpose_add(&self.matrix.jacobian, -1.0, &to.lambda, forces);
        let by_multiplier = self.matrix.rates.by_multiplier.chunks_exact(rows);
        for (top, slopes) in rest[differential..].iter_mut().zip(by_multiplier) {
            let products = slopes.iter().zip(&to.lambda);
            *top += products.map(|(slope, lambda)| slope * lambda).sum::<f64>();
        }
    }

    /// Whether the residual at the iterate evaluated last is what round-off leaves of its terms.
    pub(super) fn equations_hold(
        &mut self,
        system: &mut Evaluator,
        to: &State,
    ) -> Result<bool, StepError> {
        if !self.in_one_pass {
            self.load_residual(system.layout(), to);
        }
        self.residual_is_round_off(system, to)
    }

    /// Whether the last residual was what round-off leaves of its terms.
    pub(super) fn residual_is_round_off(
        &mut self,
        system: &mut Evaluator,
        to: &State,
    ) -> Result<bool, StepError> {
        // What joints exert is no more than the sum of their terms: most often that suffices, and needs no G.
        if self.in_one_pass && !self.term_sizes.ask() {
            let mut balance = Balance {
                sizes: Some(self.round_off.terms_to_fill()),
                ..Balance::default()
            };
            let known = system.balance(&to.point(), &to.acceleration, &mut balance)?;
            self.term_sizes.note(known);
        }
        if self.in_one_pass && self.term_sizes.ask() {
            let arguments =
                RoundedArguments::new(system.layout(), &self.matrix.rates, 1.0, to.point())
                    .of_extent(self.seen.extent());
            if self.round_off.explains(&self.top, Some(&arguments)) {
                return Ok(true);
            }
        }
        self.complete(system, to)?;
        let layout = system.layout();
        let (descriptor, values) = &self.descriptor;
        let round_off = &mut self.round_off;
        // Where the unknown is λ, `top` is another right-hand side.
        if !self.whole_multipliers {
            round_off.residual.copy_from_slice(&self.top);
        }
        round_off.begin(1.0, &self.rates[..to.v.len() + to.x.len()]);
        round_off.add_transpose(&layout.jacobian, &self.jacobian, 1.0, &to.lambda);
        // Most often these terms suffice; further ones only allow more.
        if round_off.explains_residual(None) {
            return Ok(true);
        }
        round_off.add(&layout.mass, &self.mass.values, 1.0, &to.acceleration, 0);
        round_off.add(descriptor, values, 1.0, &self.x_rate, to.v.len());
        round_off.add_algebraic(layout, &self.matrix.rates, &to.point());
        let arguments = RoundedArguments::new(layout, &self.matrix.rates, 1.0, to.point());
        Ok(round_off.explains_residual(Some(&arguments)))
    }
}
