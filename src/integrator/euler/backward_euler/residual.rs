//! Residuals of backward Euler, and whether they are round-off.

use super::BackwardEulerStepper;
use crate::integrator::StepError;
use crate::integrator::shared::round_off::{
    RoundedArguments, few_roundings_are_left, multiples_are_round_off, multiples_hold_to_round_off,
};
use crate::scalar::largest;
use crate::system::{Balance, EvaluationError, Evaluator, Layout, Point, State};

impl BackwardEulerStepper {
    /// Evaluates the residuals at an iterate of a step of size h, and what a matrix is made of if there is to be one.
    pub(super) fn evaluate(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &[f64],
        (h, refresh): (f64, bool),
    ) -> Result<(), StepError> {
        if refresh {
            system.rates_jacobian_or_secants(at, &mut self.matrix.rates)?;
            self.update_mass(system, at)?;
        }
        // Where the last step has asked for them, they are at hand now.
        let with_sizes = !refresh && self.term_sizes.are_expected();
        let mut balance = Balance {
            forces: Some(&mut self.top),
            // -g / h²: the rows then are G δa, free of h.
            position: Some((&mut self.bottom, -1.0 / (h * h))),
            jacobian: refresh.then(|| self.matrix.next_jacobian()),
            sizes: with_sizes.then(|| self.round_off.terms_to_fill()),
            ..Balance::default()
        };
        let has_rows = !at.lambda.is_empty();
        self.in_one_pass = has_rows && system.balance(at, acceleration, &mut balance)?;
        self.term_sizes.note(with_sizes && self.in_one_pass);
        if !self.in_one_pass {
            self.evaluate_parts(system, at, refresh)?;
            let position_rows = system.layout().position_rows;
            // So is -b / h.
            let (position, velocity) = self.bottom.split_at_mut(position_rows);
            for (rows, factor) in [(position, -1.0 / (h * h)), (velocity, -1.0 / h)] {
                rows.iter_mut().for_each(|row| *row *= factor);
            }
            self.load_residual(system.layout(), at, acceleration);
        }
        Ok(())
    }

    pub(super) fn update_mass(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        if at.v.is_empty() {
            return Ok(());
        }
        system.update_mass_matrix(at, &mut self.mass)
    }

    /// Rates, M and G, of which residuals are made where the system does not give these.
    fn evaluate_parts(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        has_mass: bool,
    ) -> Result<(), StepError> {
        system.rates(at, &mut self.rates)?;
        if !has_mass {
            self.update_mass(system, at)?;
        }
        if at.lambda.is_empty() {
            return Ok(());
        }
        system.constraint_jacobian_to_factor(at, self.matrix.next_jacobian())?;
        let position_rows = system.layout().position_rows;
        if at.lambda.len() > position_rows {
            system.velocity_constraint(at, &mut self.bottom)?;
        }
        if position_rows > 0 {
            system.position_constraint(at, &mut self.bottom[..position_rows])?;
        }
        Ok(())
    }

    /// Residuals with the sign of a right-hand side: f + Gᵀ λ - M a, d - E x', -a.
    fn load_residual(&mut self, layout: &Layout, at: &Point, acceleration: &[f64]) {
        let (dimension, differential) = (at.v.len(), at.x.len());
        let (forces, rest) = self.top.split_at_mut(dimension);
        let (x_rows, algebraic) = rest.split_at_mut(differential);
        let (own_forces, own_rest) = self.rates.split_at(dimension);
        let (own_rates, own_algebraic) = own_rest.split_at(differential);
        let mass = &self.mass.values[..];
        (layout.mass).multiply_add_from(mass, -1.0, acceleration, own_forces, forces);
        layout
            .jacobian
            .multiply_transpose_add(self.matrix.jacobian(), 1.0, at.lambda, forces);
        x_rows.copy_from_slice(own_rates);
        (self.descriptor.0).multiply_add(&self.descriptor.1, -1.0, &self.x_rate, x_rows);
        for (top, rate) in algebraic.iter_mut().zip(own_algebraic) {
            *top = -rate;
        }
    }

    /// Whether the constraints held to round-off at the iterate evaluated last, if there are any.
    pub(super) fn constraints_hold(
        &mut self,
        system: &mut Evaluator,
        h: f64,
        to: &State,
    ) -> Result<bool, StepError> {
        if to.lambda.is_empty() {
            return Ok(false);
        }
        // Most often no row needs its slope for that.
        if self.in_one_pass
            && multiples_are_round_off(&self.bottom, h * h, || self.seen.extent_of(&to.q))
        {
            return Ok(true);
        }
        self.complete(system, to)?;
        let layout = system.layout();
        let (position, velocity) = self.bottom.split_at(layout.position_rows);
        let rows = (&layout.jacobian, self.matrix.jacobian());
        Ok(
            multiples_hold_to_round_off(position, rows, 0, h * h, || self.seen.extent_of(&to.q))
                && multiples_hold_to_round_off(velocity, rows, layout.position_rows, h, || {
                    largest(&to.v)
                }),
        )
    }

    /// Whether nothing but a few roundings was left of them.
    pub(super) fn constraints_are_rounded(&self, layout: &Layout, h: f64, to: &State) -> bool {
        let (position, velocity) = self.bottom.split_at(layout.position_rows);
        !to.lambda.is_empty()
            && few_roundings_are_left(position, h * h, || self.seen.extent_of(&to.q))
            && few_roundings_are_left(velocity, h, || largest(&to.v))
    }

    /// Whether the last residual was what round-off leaves of its terms.
    pub(super) fn residual_is_round_off(
        &mut self,
        system: &mut Evaluator,
        to: &State,
    ) -> Result<bool, StepError> {
        let at = to.point();
        // What joints exert is no more than the sum of their terms: most often that suffices, and needs no G.
        if self.in_one_pass && !self.term_sizes.ask() {
            let mut balance = Balance {
                sizes: Some(self.round_off.terms_to_fill()),
                ..Balance::default()
            };
            let known = system.balance(&at, &to.acceleration, &mut balance)?;
            self.term_sizes.note(known);
        }
        if self.in_one_pass && self.term_sizes.ask() {
            let arguments = RoundedArguments::new(system.layout(), &self.matrix.rates, 1.0, at)
                .of_extent(self.seen.extent());
            if self.round_off.explains(&self.top, Some(&arguments)) {
                return Ok(true);
            }
        }
        self.complete(system, to)?;
        let layout = system.layout();
        let (dimension, rates) = (to.v.len(), to.v.len() + to.x.len());
        let (descriptor, values) = &self.descriptor;
        let round_off = &mut self.round_off;
        round_off.begin(1.0, &self.rates[..rates]);
        round_off.add_transpose(&layout.jacobian, self.matrix.jacobian(), 1.0, &to.lambda);
        // Most often these terms suffice; further ones only allow more.
        if round_off.explains(&self.top, None) {
            return Ok(true);
        }
        round_off.add(&layout.mass, &self.mass.values, 1.0, &to.acceleration, 0);
        round_off.add(descriptor, values, 1.0, &self.x_rate, dimension);
        round_off.add_algebraic(layout, &self.matrix.rates, &at);
        let arguments = RoundedArguments::new(layout, &self.matrix.rates, 1.0, at);
        Ok(round_off.explains(&self.top, Some(&arguments)))
    }

    /// Evaluates rates, M and G, unless residuals have been made of them. They are those of the iterate that the last
    /// correction has led to, and the residuals those before it: what residuals may be by round-off is the same at
    /// both.
    fn complete(&mut self, system: &mut Evaluator, to: &State) -> Result<(), StepError> {
        if !self.in_one_pass {
            return Ok(());
        }
        let at = to.point();
        system.rates(&at, &mut self.rates)?;
        self.update_mass(system, &at)?;
        system.constraint_jacobian_to_factor(&at, self.matrix.next_jacobian())?;
        self.in_one_pass = false;
        Ok(())
    }
}
