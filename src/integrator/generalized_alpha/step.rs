//! Steps of a generalized-alpha method: starting values, Newton iteration, error estimate.

use super::matrix::Slopes;
use super::position::{PositionCorrector, VelocityCorrector};
use super::upkeep::Upkeep;
use super::{ConstraintLevel, GeneralizedAlphaStepper};
use crate::control::ErrorNorm;
use crate::integrator::shared::newton::{Convergence, Sizes, Verdict, is_another_step, largest};
use crate::integrator::shared::round_off::{few_roundings_are_left, multiples_hold_to_round_off};
use crate::integrator::{Attempt, StepError, Stepper, Work, work_of};
use crate::linalg::KktError;
use crate::system::{DynamicsError, Evaluator, Layout, State};

/// Difference quotients at a start reach over this part of the first step.
const START_FRACTION: f64 = 1e-3;

/// Corrections of h² v' and h² λ below this part of the coordinates are round-off by default.
const ROUND_OFF: f64 = 1e-14;

/// The size of the coordinates that round-off is relative to.
fn extent(state: &State) -> f64 {
    1.0 + largest(&state.q)
}

/// base + factor · values.
fn add_multiple(base: &[f64], factor: f64, values: &[f64], out: &mut [f64]) {
    for ((out, base), value) in out.iter_mut().zip(base).zip(values) {
        *out = base + factor * value;
    }
}

impl Stepper for GeneralizedAlphaStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        if self.motion.is_fresh() {
            self.find_starting_derivatives(system, from, h)?;
        }
        self.start_velocity.is_offset = self.offset_velocity(system, from, h)?;
        self.load_bases(from, h);
        self.solve(system, from, h, to)?;

        // Steps of one size are judged by nobody.
        if !norm.is_binding() {
            return Ok(Attempt::without_estimate());
        }
        let error = self.estimate(&system.layout().space, from, h, norm, to);
        Ok(Attempt::with_error(error))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        self.upkeep = self.tried;
        if !self.holds_kept {
            std::mem::swap(&mut self.place, &mut self.kept_place);
            self.holds_kept = true;
        }
        self.motion.accept(h, &to.acceleration);
        self.states.accept(h, &self.x_rate);
        self.accelerations.push(to.t, &to.acceleration);
        self.multiplier_history.push(to.t, &to.lambda);
        Ok(())
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.upkeep = Upkeep::default();
        self.motion.begin(&state.acceleration);
        if !state.x.is_empty() {
            self.index_one
                .differential_rates_at(system, &state.point(), &mut self.x_rate)?;
        }
        self.states.begin(&self.x_rate);
        self.accelerations.clear();
        self.multiplier_history.clear();
        self.accelerations.push(state.t, &state.acceleration);
        self.multiplier_history.push(state.t, &state.lambda);
        Ok(())
    }

    fn work(&self) -> Work {
        let solvers = [
            Some(&self.matrix.kkt),
            self.corrector.as_ref().map(PositionCorrector::kkt),
            self.starter.as_ref().map(VelocityCorrector::kkt),
        ];
        let mut work = work_of(&self.index_one);
        for kkt in solvers.into_iter().flatten() {
            work.factorizations += kkt.factorizations();
            work.solves += kkt.solves();
        }
        work.newton_iterations = self.newton_iterations;
        work
    }
}

impl GeneralizedAlphaStepper {
    /// v''_0 and x''_0: the index-1 form a small way along the solution. An error of order h in them is allowed, and a
    /// difference over a fixed part of h keeps the round-off in proportion.
    fn find_starting_derivatives(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), StepError> {
        let step = START_FRACTION * h;
        let probe = &mut self.probe;
        probe.copy_from(from);
        probe.t += step;
        // Second order in h suffices for the place of a difference quotient.
        for (index, u) in self.u.iter_mut().enumerate() {
            let acceleration = from.acceleration[index];
            *u = step * (from.v[index] + 0.5 * step * acceleration);
            probe.v[index] += step * acceleration;
        }
        system
            .layout()
            .space
            .retract(&from.q, &self.u, &mut probe.q);
        for (x, rate) in probe.x.iter_mut().zip(&self.states.rate) {
            *x += step * rate;
        }
        self.index_one.complete(system, probe)?;
        self.motion.start_from_difference(&probe.acceleration, step);
        self.states
            .start_from_difference(self.index_one.differential_rates(), step);
        Ok(())
    }

    /// The velocity that the step starts from. In the index-3 form q_{n+1} on the constraints forces the local error
    /// h³ p, p = C v'' + [v, v']/12, of the position formula upon v_n, and its second difference upon λ. With a violation
    /// G v + ∂g/∂t = h² G p of the hidden constraints the error is O(h⁴) and λ of second order. Constant steps carry
    /// this violation along by themselves; it has to be given at a start and after a change of the step size. Whether it has been.
    fn offset_velocity(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<bool, StepError> {
        let Some(starter) = &mut self.starter else {
            return Ok(false);
        };
        if !is_another_step(self.motion.last_step, h) {
            return Ok(false);
        }
        let velocity = &mut self.start_velocity.offset;
        velocity.copy_from_slice(&from.v);
        let offset = &mut self.bracket;
        let space = &system.layout().space;
        space.bracket(&from.v, &self.motion.rate, offset);
        let constant = self.coefficients.position_error();
        for (offset, derivative) in offset.iter_mut().zip(&self.motion.derivative) {
            // h² p with p = C v'' + [v, v']/12.
            *offset = h * h * (constant * derivative + *offset / 12.0);
        }
        starter.apply(system, &from.point(), offset, velocity)?;
        Ok(true)
    }

    fn predict(&mut self, from: &State, to: &mut State) {
        (self.accelerations).predict_or(&from.acceleration, to.t, &mut to.acceleration);
        (self.multiplier_history).predict_or(&from.lambda, to.t, &mut to.lambda);
        // x' changes little, and the matrix contains E: the last rate is guess enough.
        self.x_rate.copy_from_slice(&self.states.rate);
        to.z.copy_from_slice(&from.z);
        if let Some(corrector) = &mut self.corrector {
            corrector.displacement.fill(0.0);
        }
    }

    /// The parts of Newmark's formulas that do not depend on v'_{n+1} and x'_{n+1}.
    fn load_bases(&mut self, from: &State, h: f64) {
        let velocity = self.start_velocity.of(from);
        let bases = self.base_v.iter_mut().zip(&mut self.base_u).zip(velocity);
        // v_n + h (1 - γ) a_n and h v_n + h² (1/2 - β) a_n, with the known part of a_{n+1} = known + c v'_{n+1}.
        for (((base_v, base_u), v), known) in bases.zip(self.motion.prepare(h)) {
            *base_v = v + known.integral;
            *base_u = h * v + known.double_integral;
        }
        let bases = self.base_x.iter_mut().zip(&from.x);
        for ((base, x), known) in bases.zip(self.states.prepare(h)) {
            *base = x + known.integral;
        }
    }

    /// Velocities, differential states and the configuration that follow from v' and x'.
    fn follow(&mut self, layout: &Layout, from: &State, slopes: Slopes, to: &mut State) {
        add_multiple(&self.base_x, slopes.velocity, &self.x_rate, &mut to.x);
        let (base_u, base_v, v) = (&self.base_u, &self.base_v, &mut to.v);
        let q = match &self.corrector {
            None => &mut to.q,
            Some(_) => &mut self.uncorrected,
        };
        layout
            .space
            .retract_in_parts(&from.q, &mut self.u, q, |own, u| {
                let accelerations = &to.acceleration[own.clone()];
                add_multiple(&base_u[own.clone()], slopes.position, accelerations, u);
                let v = &mut v[own.clone()];
                add_multiple(&base_v[own], slopes.velocity, accelerations, v);
            });
        if let Some(corrector) = &self.corrector {
            layout
                .space
                .retract(&self.uncorrected, &corrector.displacement, &mut to.q);
        }
    }

    /// Solves the equations of the step; where that fails with a matrix of an earlier one, with a new one.
    fn solve(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.predict(from, to);
        self.tried = self.upkeep;
        if self.tried.serves(h) && self.recall_matrix(system).is_ok() {
            if self.iterate(system, from, h, to).is_ok() {
                return Ok(());
            }
            self.predict(from, to);
        }
        self.tried.forget();
        self.iterate(system, from, h, to)
    }

    /// Makes the matrix of the accepted steps anew where another step has been tried since, with a matrix of its own.
    fn recall_matrix(&mut self, system: &mut Evaluator) -> Result<(), StepError> {
        if self.holds_kept {
            return Ok(());
        }
        let at = self.kept_place.point();
        let t = at.t;
        if !at.v.is_empty() {
            system.update_mass_matrix(&at, &mut self.mass)?;
        }
        if !at.lambda.is_empty() {
            system.constraint_jacobian(&at, &mut self.jacobian)?;
        }
        let values = [&self.mass.values[..], &self.jacobian, &self.descriptor.1];
        let loaded = self.matrix.load(system, &self.kept_place, values)?;
        loaded.map_err(|source| StepError::linear(t, source))?;
        self.holds_kept = true;
        Ok(())
    }

    fn iterate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        let end = to.t;
        let linear = |source| StepError::linear(end, source);
        let slope = self.coefficients.slope();
        let slopes = Slopes {
            position: h * h * self.coefficients.beta() * slope,
            velocity: h * self.coefficients.gamma() * slope,
        };
        let extent = extent(from);
        let kept = self.tried.serves(h);
        let mut convergence = Convergence::new(&self.options, ROUND_OFF * extent)
            .anticipating(&self.options)
            .among_noise(self.tried.noise());
        if kept {
            convergence = convergence.expecting(self.tried.expected_rate());
        }
        self.follow(system.layout(), from, slopes, to);
        loop {
            let begins = convergence.iterations == 0;
            // The matrix of an earlier step, or of the first iterate, serves unless convergence is slow.
            let refresh = (begins && !kept) || convergence.is_slow();
            // A new matrix is made only where the iteration has not arrived.
            let may_have_arrived = convergence.may_have_arrived()
                && self.corrector.is_none()
                && !self.whole_multipliers;
            self.evaluate(system, slopes, refresh && !may_have_arrived, to)?;
            if may_have_arrived {
                if self.constraints_held(system.layout(), slopes, to)
                    && self.equations_hold(system.layout(), to)
                {
                    convergence.arrive();
                    self.tried.note(&convergence);
                    return Ok(());
                }
                if refresh {
                    self.evaluate(system, slopes, true, to)?;
                }
            }
            // The stabilized form factorizes in every step in any case, and what iterations leave adds up in its positions.
            if refresh && self.corrector.is_none() {
                self.tried.renew(h);
            }
            if let Some(corrector) = self.corrector.as_mut().filter(|_| begins || refresh) {
                corrector
                    .load(&self.mass.values, &self.jacobian)
                    .map_err(linear)?;
            }
            if let Err(source) = self.solve_linear(system.layout(), to) {
                system.check_jacobian(&to.point(), &self.jacobian)?;
                return Err(linear(source));
            }
            if self.whole_multipliers {
                // Those of least norm are those of the matrix: each step needs its own.
                self.tried.forget();
            }
            self.newton_iterations += 1;
            let mut sizes = self.correct(h, to);
            self.follow(system.layout(), from, slopes, to);
            // Positions by U after each correction, about the configuration that it leads to.
            let mut exact = true;
            if let Some(corrector) = &mut self.corrector {
                let (change, holds) = corrector.iterate(system, &to.point(), &self.jacobian)?;
                sizes.add(1.0, change, 0.0);
                exact = holds;
                self.follow(system.layout(), from, slopes, to);
            }
            let correction = sizes.correction;
            let noise = convergence.is_noise(sizes);
            exact = exact
                && (noise || convergence.asks_equations(sizes))
                && self.constraints_held(system.layout(), slopes, to)
                // Factor 1e3: ill-conditioned joints magnify round-off; beyond that the residual decides.
                && (noise
                    || convergence.stalls(sizes) && correction <= 1e3 * ROUND_OFF * extent
                    || self.residual_is_round_off(system.layout(), to));
            if !exact
                && self.corrector.is_none()
                && !self.whole_multipliers
                && convergence.may_settle(sizes)
                && self.constraints_are_rounded(system.layout(), slopes, to)
                // The matrix of an earlier step never balances the forces of round-off that is magnified.
                && (convergence.foresees_noise(sizes)
                    || self.residual_is_round_off(system.layout(), to))
            {
                convergence.settle();
            }
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => {
                    self.tried.note(&convergence);
                    return Ok(());
                }
                Verdict::Failed => {
                    let error = DynamicsError::NotConverged {
                        what: "the Newton iteration of the generalized-alpha step",
                        t: to.t,
                        iterations: convergence.iterations,
                        correction,
                    };
                    return Err(error.into());
                }
            }
        }
    }

    /// Evaluates the equations at the iterate, and the Newton matrix if it is to be refreshed. The constraint residuals
    /// land in `bottom`, divided like the rows of the matrix.
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        slopes: Slopes,
        refresh: bool,
        to: &State,
    ) -> Result<(), StepError> {
        let at = to.point();
        system.rates(&at, &mut self.rates)?;
        if !to.v.is_empty() {
            system.update_mass_matrix(&at, &mut self.mass)?;
        }
        if !to.lambda.is_empty() {
            system.constraint_jacobian_to_factor(&at, &mut self.jacobian)?;
            let position_rows = self.rows_at_position_level(system.layout());
            if to.lambda.len() > position_rows {
                system.velocity_constraint(&at, &mut self.bottom)?;
            }
            if position_rows > 0 {
                system.position_constraint(&at, &mut self.bottom[..position_rows])?;
            }
            let (position, velocity) = self.bottom.split_at_mut(position_rows);
            // As the rows of the matrix: g / (h² β c), b / (h γ c), with the sign of a right-hand side.
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

    /// Whether the constraints held to round-off at the iterate evaluated last, if there are any.
    fn constraints_held(&self, layout: &Layout, slopes: Slopes, to: &State) -> bool {
        let first_velocity = self.rows_at_position_level(layout);
        let (position, velocity) = self.bottom.split_at(first_velocity);
        let rows = (&layout.jacobian, &self.jacobian[..]);
        let hold = multiples_hold_to_round_off;
        !to.lambda.is_empty()
            && hold(position, rows, 0, slopes.position, &to.q)
            && hold(velocity, rows, first_velocity, slopes.velocity, &to.v)
    }

    /// Whether nothing but a few roundings was left of the constraints at the iterate evaluated last, if there are any.
    fn constraints_are_rounded(&self, layout: &Layout, slopes: Slopes, to: &State) -> bool {
        let first_velocity = self.rows_at_position_level(layout);
        let (position, velocity) = self.bottom.split_at(first_velocity);
        !to.lambda.is_empty()
            && few_roundings_are_left(position, slopes.position, &to.q)
            && few_roundings_are_left(velocity, slopes.velocity, &to.v)
    }

    /// The correction of v', x' and z, and the multipliers or, where they are determined, their correction.
    fn solve_linear(&mut self, layout: &Layout, to: &State) -> Result<(), KktError> {
        // With redundant constraints the solver gives the multipliers of least norm: then λ itself is the unknown.
        self.whole_multipliers = self.matrix.kkt.rank() < to.lambda.len();
        loop {
            self.load_residual(layout, to);
            self.matrix.kkt.solve_again(
                &self.top,
                &self.bottom,
                &mut self.correction,
                &mut self.multipliers,
            )?;
            // A solution may have to look for the rank first.
            if self.whole_multipliers || self.matrix.kkt.rank() == to.lambda.len() {
                return Ok(());
            }
            self.whole_multipliers = true;
        }
    }

    /// Residuals of forces, differential rates and algebraic rows.
    fn load_residual(&mut self, layout: &Layout, to: &State) {
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
    fn equations_hold(&mut self, layout: &Layout, to: &State) -> bool {
        self.load_residual(layout, to);
        self.residual_is_round_off(layout, to)
    }

    /// Whether the last residual was what round-off leaves of its terms.
    fn residual_is_round_off(&mut self, layout: &Layout, to: &State) -> bool {
        let (descriptor, values) = &self.descriptor;
        let round_off = &mut self.round_off;
        // Where the unknown is λ, `top` is another right-hand side.
        if !self.whole_multipliers {
            round_off.residual.copy_from_slice(&self.top);
        }
        round_off.begin(1.0, &self.rates[..to.v.len() + to.x.len()]);
        round_off.add_transpose(&layout.jacobian, &self.jacobian, 1.0, &to.lambda);
        // Most often these terms suffice; further ones only allow more.
        if round_off.explains_residual() {
            return true;
        }
        round_off.add(&layout.mass, &self.mass.values, 1.0, &to.acceleration, 0);
        round_off.add(descriptor, values, 1.0, &self.x_rate, to.v.len());
        round_off.add_arguments(layout, &self.matrix.rates, 1.0, &to.point());
        round_off.explains_residual()
    }

    /// Applies a correction; returns its size and that of the unknowns, as displacements h² v', h x', h² z, h² λ.
    fn correct(&mut self, h: f64, to: &mut State) -> Sizes {
        let mut sizes = Sizes::default();
        let (accelerations, rest) = self.correction.split_at(to.v.len());
        let (rates, algebraic) = rest.split_at(to.x.len());
        if self.whole_multipliers {
            for (multiplier, lambda) in self.multipliers.iter_mut().zip(&to.lambda) {
                *multiplier -= lambda;
            }
        }
        let parts = [
            (&mut to.acceleration, accelerations, h * h),
            (&mut self.x_rate, rates, h),
            (&mut to.z, algebraic, h * h),
            (&mut to.lambda, &self.multipliers[..], h * h),
        ];
        for (unknowns, changes, weight) in parts {
            sizes.correct(weight, unknowns, changes);
        }
        sizes
    }
}
