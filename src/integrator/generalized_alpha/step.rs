//! Steps of a generalized-alpha method: starting values, Newton iteration, error estimate.

use super::matrix::Slopes;
use super::matrix_reuse::Upkeep;
use super::position::{PositionCorrector, VelocityCorrector};
use super::{ConstraintLevel, GeneralizedAlphaStepper};
use crate::control::ErrorNorm;
use crate::integrator::shared::newton::{Convergence, Verdict, is_another_step};
use crate::integrator::shared::round_off::round_off_of_values;
use crate::integrator::shared::sizes::{Seen, Sizes};
use crate::integrator::{Attempt, FiniteState, StepError, Stepper, Work, work_of};
use crate::linalg::KktError;
use crate::manifold::PART;
use crate::memory::fetch;
use crate::scalar::{Largest, largest};
use crate::system::{DynamicsError, Evaluator, Function, Layout, State};
use std::ops::Range;

/// Difference quotients at a start reach over this part of the first step.
const START_FRACTION: f64 = 1e-3;

/// The first correction with a new matrix is not so many times the one before unless the iteration diverges.
const NO_DIVERGENCE: f64 = 2.0;

/// Corrections of h² v' and h² λ below this part of the coordinates are round-off by default.
const ROUND_OFF: f64 = 1e-14;

/// A step this many times as long as the one before is the first of a new start.
const GROWTH: f64 = 1e3;

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
        if h > GROWTH * self.motion.last_step && !self.motion.is_fresh() {
            self.start_anew(system, from)?;
        }
        if self.motion.is_fresh() {
            self.find_starting_derivatives(system, from, h)?;
        }
        self.term_sizes.begin();
        self.start_velocity.is_offset = self.offset_velocity(system, from, h)?;
        self.solve(system, from, h, to)?;

        // Steps of one size are judged by nobody.
        if !norm.is_binding() {
            return Ok(Attempt::without_estimate());
        }
        let error = self.estimate(&system.layout().space, from, h, norm, to);
        Ok(Attempt::with_error(error))
    }

    fn finite_state(&self) -> Option<FiniteState> {
        FiniteState::if_seen(self.seen.is_finite())
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.upkeep = self.tried;
        if !self.holds_kept {
            std::mem::swap(&mut self.place, &mut self.kept_place);
            self.holds_kept = true;
        }
        self.motion.begin_to_accept(h);
        self.states.begin_to_accept(h);
        self.states.accept(0..to.x.len(), &self.x_rate);
        self.accelerations.begin_to_push(to.t);
        let (motion, history) = (&mut self.motion, &mut self.accelerations);
        let new = &to.acceleration;
        let space = &system.layout().space;
        space.normalize_beside(&mut to.q, |own| {
            motion.accept(own.clone(), new);
            history.push_part(own.clone(), new);
            motion.fetch_all(own.end);
            history.fetch_newest(own.end);
            fetch(new, own.end, PART);
        });
        self.multiplier_history.push(to.t, &to.lambda);
        Ok(())
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn renew_derivatives(&mut self) {
        self.upkeep.forget();
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if !state.x.is_empty() {
            self.index_one
                .differential_rates_at(system, &state.point(), &mut self.x_rate)?;
        }
        self.probe.copy_from(state);
        self.begin();
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
    /// Forgets what came before the state in `probe`, where x changes by `x_rate`.
    fn begin(&mut self) {
        let start = &self.probe;
        self.upkeep = Upkeep::default();
        self.motion.begin(&start.acceleration);
        self.states.begin(&self.x_rate);
        self.accelerations.clear();
        self.multiplier_history.clear();
        self.accelerations.push(start.t, &start.acceleration);
        self.multiplier_history.push(start.t, &start.lambda);
    }

    /// Behind a step so much shorter, rates have the round-off of positions over its square, and slopes of them are nothing else.
    fn start_anew(&mut self, system: &mut Evaluator, from: &State) -> Result<(), StepError> {
        self.probe.copy_from(from);
        self.index_one.complete(system, &mut self.probe)?;
        self.x_rate
            .copy_from_slice(self.index_one.differential_rates());
        self.begin();
        Ok(())
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

    /// First guesses, and the velocities, differential states and configuration that follow from them.
    fn predict(
        &mut self,
        layout: &Layout,
        from: &State,
        (h, slopes): (f64, Slopes),
        to: &mut State,
    ) {
        let t = to.t;
        (self.multiplier_history).predict_or(&from.lambda, t, &mut to.lambda);
        // x' changes little, and the matrix contains E: the last rate is guess enough.
        self.x_rate.copy_from_slice(&self.states.rate);
        to.z.copy_from_slice(&from.z);
        if let Some(corrector) = &mut self.corrector {
            corrector.displacement.fill(0.0);
        }
        let known = self.states.prepare(h, 0..from.x.len());
        let rates = from.x.iter().zip(&self.x_rate).zip(known);
        for (x, ((before, rate), known)) in to.x.iter_mut().zip(rates) {
            *x = before + known.integral + slopes.velocity * rate;
        }
        let q = match &self.corrector {
            None => &mut to.q,
            Some(_) => &mut self.uncorrected,
        };
        let (history, motion) = (&self.accelerations, &self.motion);
        let (accelerations, v) = (&mut to.acceleration, &mut to.v);
        let velocity = self.start_velocity.of(from);
        // One sweep: long lists are read once.
        let prepare = |own: Range<usize>, u: &mut [f64]| {
            let accelerations = &mut accelerations[own.clone()];
            history.predict_part(&from.acceleration, t, own.start, accelerations);
            history.fetch(own.end);
            motion.fetch(own.end);
            fetch(velocity, own.end, PART);
            let ends = u.iter_mut().zip(&mut v[own.clone()]).zip(&*accelerations);
            let starts = velocity[own.clone()].iter().zip(motion.prepare(h, own));
            // With the known part of a_{n+1} = known + c v'_{n+1}.
            for (((u, v), acceleration), (start, known)) in ends.zip(starts) {
                *v = start + known.integral + slopes.velocity * acceleration;
                *u = h * start + known.double_integral + slopes.position * acceleration;
            }
        };
        // Hardly ever the last iterate: others have to look at it themselves.
        self.seen = Seen::default();
        let space = &layout.space;
        space.retract_in_parts(&from.q, &mut self.u, q, prepare, |_| ());
        self.correct_configuration(layout, to);
    }

    /// The displacement U behind that of Newmark's formula, where there is one.
    fn correct_configuration(&self, layout: &Layout, to: &mut State) {
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
        self.tried = self.upkeep;
        if self.tried.serves(h)
            && self.recall_matrix(system).is_ok()
            && self.iterate(system, from, h, to).is_ok()
        {
            return Ok(());
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
        // What rounded coordinates, or velocities, leave in rows that are divided by the slopes contradicts nothing.
        let rounded = match self.formulation == ConstraintLevel::Position {
            true => ROUND_OFF * extent / slopes.position,
            false => round_off_of_values(&from.v) / slopes.velocity,
        };
        self.matrix.kkt.expect_rounded_values(rounded);
        let kept = self.tried.serves(h);
        let mut convergence = Convergence::new(&self.options, ROUND_OFF * extent)
            .anticipating(&self.options)
            .among_noise(self.tried.noise());
        if kept {
            convergence = convergence.expecting(self.tried.expected_rate());
        }
        self.predict(system.layout(), from, (h, slopes), to);
        let mut is_new = false;
        loop {
            let begins = convergence.iterations == 0;
            // The matrix of an earlier step, or of the first iterate, serves unless convergence is slow.
            // What the first correction with a matrix finds says nothing of how it contracts, unless the iteration diverges.
            let is_served = is_new && convergence.rate() <= NO_DIVERGENCE;
            let refresh = (begins && !kept) || (convergence.is_slow() && !is_served);
            is_new = refresh;
            // A new matrix is made only where the iteration has not arrived.
            let may_have_arrived = convergence.may_have_arrived()
                && self.corrector.is_none()
                && !self.whole_multipliers;
            self.evaluate(system, slopes, (begins, refresh && !may_have_arrived), to)?;
            if may_have_arrived {
                if self.constraints_held(system, slopes, to)? && self.equations_hold(system, to)? {
                    convergence.arrive();
                    self.tried.note(&convergence);
                    return Ok(());
                }
                if refresh {
                    self.evaluate(system, slopes, (begins, true), to)?;
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
            if let Err(source) = self.solve_linear(system, to)? {
                if self.in_one_pass {
                    let rows = (Function::PositionConstraint, &self.bottom[..]);
                    system.check_balance(&to.point(), &self.top, rows)?;
                }
                system.check_jacobian(&to.point(), &self.jacobian)?;
                return Err(linear(source));
            }
            if self.whole_multipliers {
                // Those of least norm are those of the matrix: each step needs its own.
                self.tried.forget();
            }
            self.newton_iterations += 1;
            let mut sizes = self.correct(system.layout(), from, (h, slopes), to);
            // Positions by U after each correction, about the configuration that it leads to.
            let mut exact = true;
            if let Some(corrector) = &mut self.corrector {
                let (change, holds) = corrector.iterate(system, &to.point(), &self.jacobian)?;
                sizes.add(1.0, change, 0.0);
                exact = holds;
                self.correct_configuration(system.layout(), to);
            }
            let correction = sizes.correction;
            let noise = convergence.is_noise(sizes);
            let mut is_more_than_round_off = false;
            exact = exact
                && (noise || convergence.asks_equations(sizes))
                && self.constraints_held(system, slopes, to)?
                // Factor 1e3: ill-conditioned joints magnify round-off; beyond that the residual decides.
                && (noise
                    || convergence.stalls(sizes) && correction <= 1e3 * ROUND_OFF * extent
                    || {
                        is_more_than_round_off = !self.residual_is_round_off(system, to)?;
                        !is_more_than_round_off
                    });
            if !exact
                && self.corrector.is_none()
                && !self.whole_multipliers
                && convergence.may_settle(sizes)
                && self.constraints_are_rounded(system.layout(), slopes, to)
                // The matrix of an earlier step never balances the forces of round-off that is magnified.
                && (convergence.foresees_noise(sizes)
                    || !is_more_than_round_off && self.residual_is_round_off(system, to)?)
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

    /// The correction of v', x' and z, and the multipliers or, where they are determined, their correction.
    fn solve_linear(
        &mut self,
        system: &mut Evaluator,
        to: &State,
    ) -> Result<Result<(), KktError>, StepError> {
        // With redundant constraints the solver gives the multipliers of least norm: then λ itself is the unknown.
        self.whole_multipliers = self.matrix.kkt.rank() < to.lambda.len();
        loop {
            if self.whole_multipliers {
                self.complete(system, to)?;
            }
            if !self.in_one_pass {
                self.load_residual(system.layout(), to);
            }
            let (x, y) = (&mut self.correction, &mut self.multipliers);
            let solved = (self.matrix.kkt).solve_again(&self.top, &self.bottom, x, y);
            // A solution may have to look for the rank first.
            if solved.is_err()
                || self.whole_multipliers
                || self.matrix.kkt.rank() == to.lambda.len()
            {
                return Ok(solved);
            }
            self.whole_multipliers = true;
        }
    }

    /// Applies a correction, and what follows from it; returns its size and that of the unknowns, as displacements h² v', h x', h² z, h² λ.
    fn correct(
        &mut self,
        layout: &Layout,
        from: &State,
        (h, slopes): (f64, Slopes),
        to: &mut State,
    ) -> Sizes {
        let mut sizes = Sizes::default();
        let (changes, rest) = self.correction.split_at(to.v.len());
        let (rates, algebraic) = rest.split_at(to.x.len());
        if self.whole_multipliers {
            for (multiplier, lambda) in self.multipliers.iter_mut().zip(&to.lambda) {
                *multiplier -= lambda;
            }
        }
        for (x, rate) in to.x.iter_mut().zip(rates) {
            *x += slopes.velocity * rate;
        }
        let parts = [
            (&mut self.x_rate, rates, h),
            (&mut to.z, algebraic, h * h),
            (&mut to.lambda, &self.multipliers[..], h * h),
        ];
        for (unknowns, changes, weight) in parts {
            sizes.correct(weight, unknowns, changes);
        }
        let q = match &self.corrector {
            None => &mut to.q,
            Some(_) => &mut self.uncorrected,
        };
        let (accelerations, v) = (&mut to.acceleration, &mut to.v);
        // With a corrector the configuration is another one.
        let measures = self.corrector.is_none() && Seen::measures(from.q.len());
        let (mut extent, mut speed) = (Largest::default(), Largest::default());
        let prepare = |own: Range<usize>, u: &mut [f64]| {
            for list in [changes, &*accelerations, &*v] {
                fetch(list, own.end, PART);
            }
            let changes = &changes[own.clone()];
            sizes.correct(h * h, &mut accelerations[own.clone()], changes);
            let v = &mut v[own];
            for ((u, v), change) in u.iter_mut().zip(&mut *v).zip(changes) {
                *v += slopes.velocity * change;
                *u += slopes.position * change;
            }
            if measures {
                speed.see(v);
            }
        };
        let (space, u) = (&layout.space, &mut self.u);
        space.retract_in_parts(&from.q, u, q, prepare, |part| {
            if measures {
                extent.see(part);
            }
        });
        self.seen = Seen::default();
        if measures {
            speed.see(&to.x);
            self.seen = Seen::of_extent(extent.value()).with([speed.value(), sizes.unknowns]);
        }
        self.correct_configuration(layout, to);
        sizes
    }
}
