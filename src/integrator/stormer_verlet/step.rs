//! The step that RATTLE and its half-implicit variant share.

use super::estimate::End;
use super::{Kicks, StormerVerletStepper, TOLERANCE};
use crate::control::ErrorNorm;
use crate::integrator::shared::newton::{Convergence, Verdict};
use crate::integrator::shared::round_off::{holds_to_round_off, round_off_of_rows};
use crate::integrator::shared::sizes::Sizes;
use crate::integrator::{Attempt, StepError, Stepper, Work, work_of};
use crate::manifold::Manifold;
use crate::system::{DynamicsError, Evaluator, Layout, Point, State};

impl Stepper for StormerVerletStepper {
    /// Takes a step; with its estimated error, if anybody judges it.
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        // After a restart the swapped side of the last step is not that of this start.
        if !self.start_is_loaded {
            self.start.load(system, &from.point())?;
            system.rates(&from.point(), &mut self.start.rates)?;
            self.start_is_loaded = true;
        }
        self.first_half(system, from, h, to)?;
        self.second_half(system, from, h, to)?;
        self.complete_end(system, to)?;
        if !norm.is_binding() {
            return Ok(Attempt::without_estimate());
        }

        let (first, last) = (from.v.len(), from.v.len() + from.x.len());
        let start = End {
            state: from,
            x_rates: &self.start.rates[first..last],
        };
        let end = End {
            state: to,
            x_rates: &self.end.rates[first..last],
        };
        let (u, solver) = (&self.displacement, &mut self.index_one);
        self.local_error
            .measure(system, solver, [&start, &end], u, h)?;
        norm.weigh(from, to);
        let error = &self.local_error;
        let error = norm.root_mean_square(&error.q, &error.v, &error.x);
        Ok(Attempt::with_error(error))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        let x_rates = &self.start.rates[from.v.len()..from.v.len() + from.x.len()];
        let start = End {
            state: from,
            x_rates,
        };
        self.local_error.accept(&start, h);
        std::mem::swap(&mut self.start, &mut self.end);
        self.z_history.push(to.t, &to.z);
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.start_is_loaded = false;
        self.z_history.clear();
        self.z_history.push(state.t, &state.z);
        self.local_error.restart();
        Ok(())
    }

    fn work(&self) -> Work {
        let index_one = work_of(&self.index_one);
        let matrices = [&self.start.kkt, &self.end.kkt];
        let third = self.end_matrix.as_ref().map(|matrix| &matrix.kkt);
        let matrices = matrices.into_iter().chain(third);
        let (factorizations, solves) = matrices.fold((0, 0), |(factorizations, solves), kkt| {
            (factorizations + kkt.factorizations(), solves + kkt.solves())
        });
        Work {
            factorizations: factorizations + index_one.factorizations,
            solves: solves + index_one.solves,
            newton_iterations: self.iterations,
        }
    }
}

impl StormerVerletStepper {
    /// The kick at the start and the drift: finds displacement and multipliers that put the position rows right at the
    /// end. Unknowns are h w and h²/2 λ.
    fn first_half(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let dimension = from.v.len();
        let half_square = 0.5 * h * h;
        // h M v_n, so that all terms of the residual are displacements times mass.
        self.momentum.fill(0.0);
        self.start
            .add_momentum(system.layout(), h, &from.v, &mut self.momentum);
        // Explicit kicks take f(t_n, q_n, v_n) for the whole iteration.
        if self.kicks == Kicks::Explicit {
            self.kick.copy_from_slice(&self.start.rates);
        }
        // Predict: h w = h v_n + h²/2 a_n, with the multipliers of the index-1 form.
        for index in 0..dimension {
            self.displacement[index] = h * from.v[index] + half_square * from.acceleration[index];
        }
        for (impulse, lambda) in self.impulse.iter_mut().zip(&from.lambda) {
            *impulse = half_square * lambda;
        }
        let mut convergence = Convergence::new(&self.options, TOLERANCE);
        let mut converged = false;
        loop {
            let layout = system.layout();
            // q_{n+1} = q_n · exp(h w).
            layout.space.retract(&from.q, &self.displacement, &mut to.q);
            for (v, displacement) in self.half_velocity.iter_mut().zip(&self.displacement) {
                *v = displacement / h;
            }
            if converged {
                break;
            }
            self.load_first_residual(system, from, h)?;
            // Without velocities only the rates were needed.
            if dimension == 0 {
                break;
            }
            let holds = self.load_constraint_residual(system, from, h, to)?;
            let matrix = match &mut self.end_matrix {
                Some(matrix) => matrix.load(system, &self.start, &self.displacement, to)?,
                None => &mut self.start.kkt,
            };
            // Rows hold to round-off of their terms; the solver should not take less for a contradiction.
            matrix.expect_round_off(round_off_of_rows(&self.start.jacobian, &to.q));
            matrix
                .solve(
                    &self.top,
                    &self.bottom,
                    &mut self.correction,
                    &mut self.multiplier_correction,
                )
                .map_err(|source| StepError::linear(from.t, source))?;
            self.iterations += 1;
            let mut sizes = Sizes::default();
            sizes.correct(1.0, &mut self.displacement, &self.correction);
            sizes.correct(1.0, &mut self.impulse, &self.multiplier_correction);
            let exact = holds
                && convergence.stalls(sizes)
                && self.residual_is_round_off(system.layout(), h);
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => converged = true,
                Verdict::Failed => {
                    return Err(DynamicsError::NotConverged {
                        what: "the Newton iteration of the half-implicit step",
                        t: from.t,
                        iterations: convergence.iterations,
                        correction: sizes.correction,
                    }
                    .into());
                }
            }
        }
        self.start_x_rates
            .copy_from_slice(&self.kick[dimension..dimension + from.x.len()]);
        Ok(())
    }

    /// h (p_n + h/2 f + h/2 Gᵀ λ - p_w) with the momentum p_w of the half step seen from its start.
    fn load_first_residual(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), StepError> {
        if self.kicks == Kicks::Variational {
            let at = Point {
                v: &self.half_velocity,
                ..from.point()
            };
            system.rates(&at, &mut self.kick)?;
        }
        let layout = system.layout();
        self.transported.fill(0.0);
        self.start
            .add_momentum(layout, 1.0, &self.half_velocity, &mut self.transported);
        if self.kicks == Kicks::Variational {
            // P⁻(w) = dexp(-h w)⁻ᵀ M w.
            for (opposite, displacement) in self.opposite.iter_mut().zip(&self.displacement) {
                *opposite = -displacement;
            }
            subtract_gyroscopic_force(
                &layout.space,
                &self.half_velocity,
                &self.transported,
                &mut self.kick,
                &mut self.top,
            );
            layout
                .space
                .dexp_inverse_transpose(&self.opposite, &self.transported, &mut self.top);
        } else {
            self.top.copy_from_slice(&self.transported);
        }
        // h (p_n + h/2 F + h/2 Gᵀ λ - p_w), h/2 Gᵀ λ being in the impulse h²/2 λ.
        for (index, top) in self.top.iter_mut().enumerate() {
            *top = self.momentum[index] + 0.5 * h * h * self.kick[index] - h * *top;
        }
        layout.jacobian.multiply_transpose_add(
            &self.start.jacobian,
            1.0,
            &self.impulse,
            &mut self.top,
        );
        Ok(())
    }

    /// Whether the last residual of momentum was what round-off leaves of its terms.
    fn residual_is_round_off(&mut self, layout: &Layout, h: f64) -> bool {
        let round_off = &mut self.round_off;
        round_off.residual[..self.top.len()].copy_from_slice(&self.top);
        round_off.begin(0.5 * h * h, &self.kick[..self.top.len()]);
        let (mass, w) = (&self.start.mass, &self.half_velocity);
        round_off.add(&layout.mass, mass, h, w, 0);
        let jacobian = &self.start.jacobian;
        round_off.add_transpose(&layout.jacobian, jacobian, 1.0, &self.impulse);
        round_off.explains_residual(None)
    }

    /// Position rows at the end, and velocity rows as the mean of both ends at the half step's velocity; says whether
    /// they hold to round-off.
    fn load_constraint_residual(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &State,
    ) -> Result<bool, StepError> {
        let rows = self.bottom.len();
        if rows == 0 {
            return Ok(true);
        }
        let position_rows = system.layout().position_rows;
        let start = Point {
            v: &self.half_velocity,
            ..from.point()
        };
        let end = Point {
            t: to.t,
            q: &to.q,
            ..start
        };
        let mut holds = true;
        if rows > position_rows {
            system.velocity_constraint(&start, &mut self.start_bottom)?;
            system.velocity_constraint(&end, &mut self.bottom)?;
            // 0 = b(t_n, q_n, w) + b(t_{n+1}, q_{n+1}, w), halved.
            for row in position_rows..rows {
                self.bottom[row] = 0.5 * (self.start_bottom[row] + self.bottom[row]);
            }
            let velocity = &mut self.bottom[position_rows..];
            let entries = (&system.layout().jacobian, &self.start.jacobian[..]);
            holds = holds_to_round_off(velocity, entries, position_rows, &self.half_velocity);
            // Velocity rows in displacements h w, as the unknowns.
            for row in velocity {
                *row *= h;
            }
        }
        if position_rows > 0 {
            system.position_constraint(&end, &mut self.bottom[..position_rows])?;
        }
        for row in &mut self.bottom {
            *row = -*row;
        }
        let entries = (&system.layout().jacobian, &self.start.jacobian[..]);
        Ok(holds && holds_to_round_off(&self.bottom[..position_rows], entries, 0, &to.q))
    }

    /// The kick at the end: velocities and multipliers that put the velocity constraints right there.
    fn second_half(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.z.copy_from_slice(&from.z);
        self.z_history.predict(to.t, &mut self.z);
        self.load_end_rates(system, from, h, to)?;
        if from.v.is_empty() {
            return Ok(());
        }
        let at = Point {
            v: &self.half_velocity,
            z: &self.z,
            ..to.point()
        };
        self.end.load(system, &at)?;
        // G (w + δ) + ∂g/∂t = 0 for the correction δ of the half step's velocity.
        if !self.bottom.is_empty() {
            system.velocity_constraint(&at, &mut self.bottom)?;
            for row in &mut self.bottom {
                *row = -*row;
            }
        }
        let layout = system.layout();
        self.transported.fill(0.0);
        self.end
            .add_momentum(layout, 1.0, &self.half_velocity, &mut self.transported);
        self.top.fill(0.0);
        if self.kicks == Kicks::Variational {
            subtract_gyroscopic_force(
                &layout.space,
                &self.half_velocity,
                &self.transported,
                &mut self.kick,
                &mut self.top,
            );
            // P⁺(w) - M w = (dexp(h w)⁻ᵀ - 1) M w, since the unknown is v_{n+1} - w.
            layout.space.dexp_inverse_transpose(
                &self.displacement,
                &self.transported,
                &mut self.top,
            );
            for (top, momentum) in self.top.iter_mut().zip(&self.transported) {
                *top -= momentum;
            }
        }
        // h/2 F_{n+1}; the multipliers of the solution are h/2 μ.
        for (top, force) in self.top.iter_mut().zip(&self.kick) {
            *top += 0.5 * h * force;
        }
        let round_off = round_off_of_rows(&self.end.jacobian, &self.half_velocity);
        self.end.kkt.expect_round_off(round_off);
        self.end
            .kkt
            .solve(
                &self.top,
                &self.bottom,
                &mut self.correction,
                &mut self.multiplier_correction,
            )
            .map_err(|source| StepError::linear(to.t, source))?;
        for (index, v) in to.v.iter_mut().enumerate() {
            *v = self.half_velocity[index] + self.correction[index];
        }
        Ok(())
    }

    /// The rates at the end that the second kick takes, and x there by the trapezoidal rule.
    fn load_end_rates(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let dimension = from.v.len();
        let kicks = self.kicks;
        for (index, v) in self.end_velocity.iter_mut().enumerate() {
            *v = match kicks {
                Kicks::Variational => self.half_velocity[index],
                // 2 w - v_n extrapolates to the end: explicit, and of second order.
                Kicks::Explicit => 2.0 * self.half_velocity[index] - from.v[index],
            };
        }
        // Euler's value starts the iteration for the trapezoidal rule.
        for (index, x) in to.x.iter_mut().enumerate() {
            *x = from.x[index] + h * self.start_x_rates[index];
        }
        let mut convergence = Convergence::new(&self.options, TOLERANCE);
        loop {
            let at = Point {
                v: &self.end_velocity,
                z: &self.z,
                ..to.point()
            };
            system.rates(&at, &mut self.kick)?;
            let mut sizes = Sizes::default();
            for (index, x) in self.next_x.iter_mut().enumerate() {
                let mean = 0.5 * (self.start_x_rates[index] + self.kick[dimension + index]);
                *x = from.x[index] + h * mean;
                sizes.add(1.0, *x - to.x[index], *x);
            }
            to.x.copy_from_slice(&self.next_x);
            // One iteration makes it Heun's method; without x the rates are all that was wanted.
            if self.kicks == Kicks::Explicit || to.x.is_empty() {
                return Ok(());
            }
            match convergence.judge(sizes, false) {
                Verdict::GoOn => {}
                Verdict::Converged => return Ok(()),
                Verdict::Failed => {
                    return Err(DynamicsError::NotConverged {
                        what: "the iteration for the differential states",
                        t: to.t,
                        iterations: convergence.iterations,
                        correction: sizes.correction,
                    }
                    .into());
                }
            }
        }
    }

    /// Acceleration, multipliers and algebraic variables of the index-1 form at the end, with the matrix that is
    /// factorized there already unless algebraic variables need a larger one.
    fn complete_end(&mut self, system: &mut Evaluator, to: &mut State) -> Result<(), StepError> {
        to.z.copy_from_slice(&self.z);
        if !to.z.is_empty() {
            // First guess for the iteration in (λ, z).
            to.lambda.copy_from_slice(&self.multiplier_correction);
            self.index_one.complete(system, to)?;
        }
        system.rates(&to.point(), &mut self.end.rates)?;
        if to.z.is_empty() && !to.v.is_empty() {
            // G a = -γ with the factors of the second kick.
            if !self.bottom.is_empty() {
                system.acceleration_bias(&to.point(), &mut self.bottom)?;
                for row in &mut self.bottom {
                    *row = -*row;
                }
            }
            let round_off = round_off_of_rows(&self.end.jacobian, &self.bottom);
            self.end.kkt.expect_round_off(round_off);
            let forces = &self.end.rates[..to.v.len()];
            self.end
                .kkt
                .solve(forces, &self.bottom, &mut to.acceleration, &mut to.lambda)
                .map_err(|source| StepError::linear(to.t, source))?;
        }
        Ok(())
    }
}

/// Takes ad_vᵀ p, the gyroscopic force that the transport of the momentum p = M v stands for, out of a force.
fn subtract_gyroscopic_force(
    space: &Manifold,
    v: &[f64],
    momentum: &[f64],
    force: &mut [f64],
    scratch: &mut [f64],
) {
    space.bracket_transpose(v, momentum, scratch);
    for (force, gyroscopic) in force.iter_mut().zip(scratch.iter()) {
        *force -= gyroscopic;
    }
}
