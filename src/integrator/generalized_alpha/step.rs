//! Steps of a generalized-alpha method: starting values, Newton iteration, error estimate.

use super::matrix::Slopes;
use super::position::{PositionCorrector, VelocityCorrector};
use super::{ConstraintLevel, GeneralizedAlphaStepper};
use crate::control::ErrorNorm;
use crate::integrator::shared::newton::{Convergence, Sizes, Verdict, is_another_step, largest};
use crate::integrator::shared::round_off::multiples_hold_to_round_off;
use crate::integrator::{Attempt, StepError, Stepper, Work, work_of};
use crate::system::{DynamicsError, Evaluator, Layout, State};

/// Difference quotients at a start reach over this part of the first step.
const START_FRACTION: f64 = 1e-3;

/// Corrections of h² v' and h² λ below this part of the coordinates are round-off by default.
const ROUND_OFF: f64 = 1e-14;

/// In the index-3 form v' carries the round-off of the positions divided by h², and an estimate for velocities that
/// divided by h: it would grow as the step shrinks, and no step would be accepted. The estimate for positions stands
/// alone there, as in the source, times this number, found by measurement: errors then come out within a factor of 100
/// of the tolerance where those of the velocities are the larger ones.
const POSITION_WEIGHT: f64 = 30.0;

/// The parts of the coordinates, and of the velocities, that round-off leaves in their error estimates. Local errors below
/// that are not asked for ...
const POSITION_ROUND_OFF: f64 = 64.0 * f64::EPSILON;
const VELOCITY_ROUND_OFF: f64 = 1024.0 * f64::EPSILON;

/// The part of the largest velocity that constraints G v = -∂g/∂t leave in every other: rows add up large velocities to
/// small ones. Andrews' squeezer has 1.3 times the machine precision in the errors of velocities a thousandth the size.
const CONSTRAINT_ROUND_OFF: f64 = 8.0 * f64::EPSILON;

/// ... as long as they are at most this many times what a tolerance asks for: finer tolerances are refused by the error test.
const LOOSENED: f64 = 500.0;

/// The size of the coordinates that round-off is relative to.
fn extent(state: &State) -> f64 {
    1.0 + largest(&state.q)
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
        self.offset_velocity(system, from, h)?;
        self.motion.prepare(h);
        self.states.prepare(h);
        self.predict(from, to);
        self.iterate(system, from, h, to)?;

        // Haddouni et al. 2017, eqs. 25 to 29, with the bracket of the group.
        let space = &system.layout().space;
        space.bracket(&self.velocity, &from.acceleration, &mut self.bracket);
        let at_position_level =
            self.formulation == ConstraintLevel::Position && !from.lambda.is_empty();
        for index in 0..from.v.len() {
            let (old, new) = (from.acceleration[index], to.acceleration[index]);
            // h v_n + h²/3 v'_n + h²/6 v'_{n+1} + h³/12 [v_n, v'_n] (eq. 29 with h for the printed 1/h).
            let series =
                self.velocity[index] + h * (old / 3.0 + new / 6.0 + h * self.bracket[index] / 12.0);
            let extra = self
                .corrector
                .as_ref()
                .map_or(0.0, |corrector| corrector.displacement[index]);
            self.error_q[index] = self.u[index] + extra - h * series;
            if at_position_level {
                self.error_q[index] *= POSITION_WEIGHT;
            } else {
                self.error_v[index] = self.motion.integral_error(h, index, new);
            }
        }
        for (index, error) in self.error_x.iter_mut().enumerate() {
            *error = self.states.integral_error(h, index, self.x_rate[index]);
        }
        norm.weigh(from, to);
        let error = norm.root_mean_square(&self.error_q, &self.error_v, &self.error_x);
        // Local errors of order h³ add up to a global one of order h²: with local errors below the power 3/2 of the
        // tolerance the global ones are proportional to the tolerance.
        let level = norm.level();
        let round_off = if at_position_level {
            POSITION_WEIGHT * POSITION_ROUND_OFF
        } else {
            VELOCITY_ROUND_OFF
        };
        // Round-off over what level^(3/2) asks for: below it the estimate is loosened, 500 times at most.
        let finest = (round_off / level.powf(1.5))
            .max(self.constraint_round_off(at_position_level, to, norm) / level.sqrt());
        Ok(Attempt::with_error(
            error / (level.sqrt() * finest.clamp(1.0, LOOSENED)),
        ))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        system.layout().space.normalize(&mut to.q);
        self.motion.accept(h, &to.acceleration);
        self.states.accept(h, &self.x_rate);
        self.accelerations.push(to.t, &to.acceleration);
        self.multiplier_history.push(to.t, &to.lambda);
        Ok(())
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
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
    /// What constraints at velocity level leave of round-off in the estimate. Overwrites the estimate's parts.
    fn constraint_round_off(
        &mut self,
        at_position_level: bool,
        to: &State,
        norm: &mut ErrorNorm,
    ) -> f64 {
        if at_position_level || to.lambda.is_empty() {
            return 0.0;
        }
        self.error_q.fill(0.0);
        self.error_v.fill(CONSTRAINT_ROUND_OFF * largest(&to.v));
        self.error_x.fill(0.0);
        norm.root_mean_square(&self.error_q, &self.error_v, &self.error_x)
    }

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
    /// this violation along by themselves; it has to be given at a start and after a change of the step size.
    fn offset_velocity(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), StepError> {
        self.velocity.copy_from_slice(&from.v);
        let Some(starter) = &mut self.starter else {
            return Ok(());
        };
        if !is_another_step(self.motion.last_step, h) {
            return Ok(());
        }
        let offset = &mut self.bracket;
        let space = &system.layout().space;
        space.bracket(&from.v, &self.motion.rate, offset);
        let constant = self.coefficients.position_error();
        for (offset, derivative) in offset.iter_mut().zip(&self.motion.derivative) {
            // h² p with p = C v'' + [v, v']/12.
            *offset = h * h * (constant * derivative + *offset / 12.0);
        }
        starter.apply(system, &from.point(), offset, &mut self.velocity)?;
        Ok(())
    }

    fn predict(&mut self, from: &State, to: &mut State) {
        to.acceleration.copy_from_slice(&from.acceleration);
        to.lambda.copy_from_slice(&from.lambda);
        self.accelerations.predict(to.t, &mut to.acceleration);
        self.multiplier_history.predict(to.t, &mut to.lambda);
        // x' changes little, and the matrix contains E: the last rate is guess enough.
        self.x_rate.copy_from_slice(&self.states.rate);
        to.z.copy_from_slice(&from.z);
        if let Some(corrector) = &mut self.corrector {
            corrector.displacement.fill(0.0);
        }
    }

    /// Velocities, differential states and the configuration that follow from v' and x'.
    fn follow(&mut self, layout: &Layout, from: &State, h: f64, slopes: Slopes, to: &mut State) {
        for index in 0..from.v.len() {
            // v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}, a_{n+1} = known + c v'_{n+1}.
            let acceleration = to.acceleration[index];
            to.v[index] = self.velocity[index]
                + self.motion.known_integral(h, index)
                + slopes.velocity * acceleration;
            // u = h v_n + h² (1/2 - β) a_n + h² β a_{n+1}.
            self.u[index] = h * self.velocity[index]
                + self.motion.known_double_integral(h, index)
                + slopes.position * acceleration;
        }
        for index in 0..from.x.len() {
            to.x[index] = from.x[index]
                + self.states.known_integral(h, index)
                + slopes.velocity * self.x_rate[index];
        }
        match &self.corrector {
            None => layout.space.retract(&from.q, &self.u, &mut to.q),
            Some(corrector) => {
                layout
                    .space
                    .retract(&from.q, &self.u, &mut self.uncorrected);
                layout
                    .space
                    .retract(&self.uncorrected, &corrector.displacement, &mut to.q);
            }
        }
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
        let mut convergence =
            Convergence::new(&self.options, ROUND_OFF * extent).anticipating(&self.options);
        self.follow(system.layout(), from, h, slopes, to);
        loop {
            // The matrix of the first iterate serves the step unless convergence is slow.
            let refresh = convergence.iterations == 0 || convergence.is_slow();
            self.evaluate(system, slopes, refresh, to)?;
            if let Some(corrector) = self.corrector.as_mut().filter(|_| refresh) {
                corrector.load(&self.mass, &self.jacobian).map_err(linear)?;
            }
            self.load_residual(system.layout(), to);
            self.matrix
                .kkt
                .solve_again(
                    &self.top,
                    &self.bottom,
                    &mut self.correction,
                    &mut self.multipliers,
                )
                .map_err(linear)?;
            self.newton_iterations += 1;
            let mut sizes = self.correct(h, to);
            self.follow(system.layout(), from, h, slopes, to);
            // Positions by U after each correction, about the configuration that it leads to.
            let mut exact = true;
            if let Some(corrector) = &mut self.corrector {
                let (change, holds) = corrector.iterate(system, &to.point(), &self.jacobian)?;
                sizes.add(1.0, change, 0.0);
                exact = holds;
                self.follow(system.layout(), from, h, slopes, to);
            }
            let correction = sizes.correction;
            // Factor 1e3: ill-conditioned joints magnify round-off; beyond that the residual decides.
            exact = exact
                && convergence.stalls(sizes)
                && self.constraints_held(system.layout(), slopes, to)
                && (correction <= 1e3 * ROUND_OFF * extent
                    || self.residual_is_round_off(system.layout(), to));
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => return Ok(()),
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
            system.mass_matrix(&at, &mut self.mass)?;
        }
        if !to.lambda.is_empty() {
            system.constraint_jacobian(&at, &mut self.jacobian)?;
            let position_rows = self.rows_at_position_level(system.layout());
            if to.lambda.len() > position_rows {
                system.velocity_constraint(&at, &mut self.bottom)?;
            }
            if position_rows > 0 {
                system.position_constraint(&at, &mut self.bottom[..position_rows])?;
            }
            let (position, velocity) = self.bottom.split_at_mut(position_rows);
            // As the rows of the matrix: g / (h² β c), b / (h γ c), with the sign of a right-hand side.
            for row in position {
                *row /= -slopes.position;
            }
            for row in velocity {
                *row /= -slopes.velocity;
            }
        }
        if refresh {
            let factored = self.matrix.load(
                system,
                &at,
                &to.acceleration,
                &self.u,
                &self.mass,
                &self.jacobian,
                &self.descriptor.1,
                slopes,
            )?;
            factored.map_err(|source| StepError::linear(to.t, source))?;
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

    /// Residuals of forces, differential rates and algebraic rows, for λ itself as the unknown: with redundant
    /// constraints the solver then gives the multipliers of least norm.
    fn load_residual(&mut self, layout: &Layout, to: &State) {
        let (dimension, differential, rows) = (to.v.len(), to.x.len(), to.lambda.len());
        let (forces, rest) = self.top.split_at_mut(dimension);
        let (x_rows, algebraic) = rest.split_at_mut(differential);
        forces.copy_from_slice(&self.rates[..dimension]);
        layout
            .mass
            .multiply_add(&self.mass, -1.0, &to.acceleration, forces);
        // The factorized matrix has the Jacobian of an earlier iterate.
        let jacobian = &layout.jacobian;
        jacobian.multiply_transpose_add(&self.jacobian, 1.0, &to.lambda, forces);
        self.round_off.residual[..dimension].copy_from_slice(forces);
        // The unknown is λ, not its change: G_matᵀ λ goes back to the left.
        jacobian.multiply_transpose_add(&self.matrix.jacobian, -1.0, &to.lambda, forces);
        x_rows.copy_from_slice(&self.rates[dimension..dimension + differential]);
        self.descriptor
            .0
            .multiply_add(&self.descriptor.1, -1.0, &self.x_rate, x_rows);
        for (index, top) in algebraic.iter_mut().enumerate() {
            let slopes = &self.matrix.rates.by_multiplier[index * rows..(index + 1) * rows];
            let known: f64 = slopes
                .iter()
                .zip(&to.lambda)
                .map(|(slope, lambda)| slope * lambda)
                .sum();
            // The same for a: ∂a/∂λ λ - a.
            *top = known - self.rates[dimension + differential + index];
        }
        let rest = &mut self.round_off.residual[dimension..];
        rest[..differential].copy_from_slice(x_rows);
        rest[differential..].copy_from_slice(&self.rates[dimension + differential..]);
    }

    /// Whether the last residual was what round-off leaves of its terms.
    fn residual_is_round_off(&mut self, layout: &Layout, to: &State) -> bool {
        let (descriptor, values) = &self.descriptor;
        let round_off = &mut self.round_off;
        round_off.begin(1.0, &self.rates[..to.v.len() + to.x.len()]);
        round_off.add(&layout.mass, &self.mass, 1.0, &to.acceleration, 0);
        round_off.add(descriptor, values, 1.0, &self.x_rate, to.v.len());
        round_off.add_transpose(&layout.jacobian, &self.jacobian, 1.0, &to.lambda);
        round_off.add_arguments(layout, &self.matrix.rates, 1.0, &to.point());
        round_off.explains_residual()
    }

    /// Applies a correction; returns its size and that of the unknowns, as displacements h² v', h x', h² z, h² λ.
    fn correct(&mut self, h: f64, to: &mut State) -> Sizes {
        let (dimension, differential) = (to.v.len(), to.x.len());
        let mut sizes = Sizes::default();
        let unknowns = to
            .acceleration
            .iter_mut()
            .chain(&mut self.x_rate)
            .chain(&mut to.z);
        for (index, (unknown, change)) in unknowns.zip(&self.correction).enumerate() {
            *unknown += change;
            let is_rate = (dimension..dimension + differential).contains(&index);
            let weight = if is_rate { h } else { h * h };
            sizes.add(weight, *change, *unknown);
        }
        for (lambda, &new) in to.lambda.iter_mut().zip(&self.multipliers) {
            sizes.add(h * h, new - *lambda, new);
            *lambda = new;
        }
        sizes
    }
}
