//! One implicit equation of the state-space form: the end of a Newmark step or a stage of a Runge-Kutta method.

#[cfg(test)]
mod testing;

use super::contraction::Contraction;
use super::law::{Displacement, FirstGuess, Law, Refresh, Stop};
use super::linearization::Linearization;
use crate::integrator::shared::newton::{Convergence, Verdict};
use crate::integrator::shared::sizes::Sizes;
use crate::integrator::{NewtonOptions, StepError, Work, require_index, work_of};
use crate::scalar::largest;
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, Layout, Parametrization, State, StateSpace,
};

/// Corrections of displacements that are round-off, as a part of the coordinates.
const ROUND_OFF: f64 = 1e-13;

/// Solves for accelerations, x' and z of one implicit equation by Newton's method; dependent coordinates, velocities and
/// accelerations and the multipliers are solved for in each iteration (Haug et al. 1997, section 3.3).
pub(super) struct ImplicitStage {
    pub space: StateSpace,
    solver: AccelerationSolver,
    /// The current iterate; in the end the solution.
    pub here: State,
    /// x' of the current iterate.
    pub x_rate: Vec<f64>,
    /// u' = dexp⁻¹(u) v of the current iterate.
    pub u_rate: Vec<f64>,
    /// What the law adds to: u*, v* and x*.
    pub known: [Vec<f64>; 3],
    pub linearization: Linearization,
    mass: Vec<f64>,
    rates: Vec<f64>,
    force: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// A displacement that the iteration may begin with: that of the step before, or zero.
    pub expected: Vec<f64>,
    given_acceleration: Vec<f64>,
    given_x_rate: Vec<f64>,
    has_matrix: bool,
    pub newton_iterations: usize,
}

impl ImplicitStage {
    pub fn new(
        system: &Evaluator,
        state: &State,
        method: &'static str,
        parametrization: Parametrization,
        exact: bool,
    ) -> Result<Self, StepError> {
        let layout = system.layout();
        require_index(layout, method, 0)?;
        let linear = |source| StepError::linear(state.t, source);
        let unknowns = 2 * layout.dimension() + layout.differential + layout.algebraic;
        let free = || vec![0.0; state.v.len()];
        Ok(Self {
            space: StateSpace::new(layout, parametrization),
            solver: AccelerationSolver::new(layout).map_err(linear)?,
            here: state.clone(),
            x_rate: vec![0.0; state.x.len()],
            u_rate: free(),
            known: [free(), free(), vec![0.0; state.x.len()]],
            linearization: Linearization::new(layout, exact).map_err(linear)?,
            mass: vec![0.0; layout.mass.nnz()],
            rates: vec![0.0; layout.rate_count()],
            force: free(),
            residual: vec![0.0; unknowns],
            correction: vec![0.0; unknowns],
            expected: free(),
            given_acceleration: free(),
            given_x_rate: vec![0.0; state.x.len()],
            has_matrix: false,
            newton_iterations: 0,
        })
    }

    /// Puts the base of local coordinates at the start of a step; multipliers of friction need all rows.
    pub fn begin(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        method: &'static str,
    ) -> Result<(), StepError> {
        self.here.copy_from(from);
        self.space.rebase(system, from)?;
        self.has_matrix = false;
        if self.space.has_redundant_rows() && system.layout().algebraic > 0 {
            return Err(StepError::Unsupported {
                method,
                reason: "algebraic variables may depend on multipliers, which redundant constraint rows leave \
                         undetermined here; use mdop5 or backward-euler"
                    .to_owned(),
            });
        }
        Ok(())
    }

    /// x' at a state, for systems that have x.
    pub fn start_rates(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.solver
            .differential_rates_at(system, &state.point(), out)
    }

    /// Whether the displacement is linear in the independent accelerations, so that they are the only unknowns.
    pub fn is_direct(layout: &Layout) -> bool {
        layout.space.is_euclidean() && layout.velocity_rows == 0
    }

    /// The accelerations that explicit extrapolation leads to: u = h v_n + h²/2 a_n, v = v_n + h a_n and the equations of
    /// motion there (Haug et al. 1997, section 3.3, predictor stage).
    pub fn extrapolate(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), DynamicsError> {
        let u = self.space.local_mut();
        // u = h v_n + h²/2 a_n, v = v_n + h a_n.
        for (index, a) in from.acceleration.iter().enumerate() {
            u[index] = h * (from.v[index] + 0.5 * h * a);
            self.here.v[index] = from.v[index] + h * a;
        }
        self.space.correct_configuration(system, &mut self.here)?;
        self.space.load_jacobian(system, &self.here.point())?;
        self.space.correct_velocity(system, &mut self.here)?;
        self.solver.complete(system, &mut self.here)
    }

    /// Solves the equation at `here.t`, beginning with the accelerations of `here` or with those of the `expected`
    /// displacement. The second guess comes first where accelerations change velocities by more than half in a step: then
    /// the step does not resolve them. The other one is tried if the first fails.
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        law: Law,
        options: &NewtonOptions,
        stop: Stop,
        refresh: Refresh,
        first_guess: FirstGuess,
    ) -> Result<(), DynamicsError> {
        let [squares_v, squares_a] = [&self.here.v, &self.here.acceleration]
            .map(|rates| rates.iter().map(|rate| rate * rate).sum::<f64>());
        // |h a| > |v| / 2: the last accelerations are those of components that the step does not resolve.
        let unresolved = 4.0 * law.h * law.h * squares_a > squares_v;
        self.given_acceleration
            .copy_from_slice(&self.here.acceleration);
        self.given_x_rate.copy_from_slice(&self.x_rate);
        let guesses: &[bool] = match first_guess {
            FirstGuess::Given => &[false],
            FirstGuess::Robust if unresolved => &[true, false],
            FirstGuess::Robust => &[false, true],
        };
        let mut failure = None;
        for &by_displacement in guesses {
            self.guess(law, by_displacement);
            match self.iterate(system, law, options, stop, refresh) {
                Ok(()) => return Ok(()),
                // No guess can mend a function that has no value at this time.
                Err(error @ DynamicsError::Evaluation(_)) => return Err(error),
                // The first failure is the one of the preferred guess.
                Err(error) => failure = failure.or(Some(error)),
            }
            self.has_matrix = false;
        }
        failure.map_or(Ok(()), Err)
    }

    // Solves u_expected = u* + s a, or u* + s (v* + c a), for a.
    fn guess(&mut self, law: Law, by_displacement: bool) {
        let slope = law.direct_slope();
        let rest = match law.displacement {
            Displacement::ByAcceleration(_) => 0.0,
            Displacement::ByVelocity(s) => s,
        };
        for (index, slot) in self.here.acceleration.iter_mut().enumerate() {
            *slot = if by_displacement {
                (self.expected[index] - self.known[0][index] - rest * self.known[1][index]) / slope
            } else {
                self.given_acceleration[index]
            };
        }
        self.x_rate.copy_from_slice(&self.given_x_rate);
        self.predict(law);
    }

    /// The displacement that the current accelerations suggest.
    fn predict(&mut self, law: Law) {
        let u = self.space.local_mut();
        for (index, slot) in u.iter_mut().enumerate() {
            // dexp⁻¹(u) ≈ 1 in the prediction.
            let a = self.here.acceleration[index];
            *slot = self.known[0][index]
                + match law.displacement {
                    Displacement::ByAcceleration(s) => s * a,
                    Displacement::ByVelocity(s) => s * (self.known[1][index] + law.slope * a),
                };
        }
    }

    fn iterate(
        &mut self,
        system: &mut Evaluator,
        law: Law,
        options: &NewtonOptions,
        stop: Stop,
        refresh: Refresh,
    ) -> Result<(), DynamicsError> {
        let square = law.h * law.h;
        let mut convergence = match stop {
            Stop::Correction(tolerance) => Convergence::new(options, tolerance),
            // Corrections end the iteration at the floors of round-off only.
            Stop::Residual(_) => {
                let tolerance = Some(0.0);
                Convergence::new(
                    &NewtonOptions {
                        tolerance,
                        ..*options
                    },
                    0.0,
                )
            }
        };
        let mut converged = false;
        let mut exhausted = None;
        loop {
            let mut evaluated = self.evaluate(system, law);
            // A correction that leads beyond the reach of the constraints is shortened.
            let mut fraction = 1.0;
            // Halved steps back along the last correction, down to a sixteenth.
            while convergence.iterations > 0 && fraction > 0.1 && evaluated.is_err() {
                fraction *= 0.5;
                self.apply(system.layout(), law, -fraction);
                evaluated = self.evaluate(system, law);
            }
            evaluated?;
            if converged {
                return Ok(());
            }
            // Ψ is tested before its correction is computed (step 6 of section 3.3).
            if let Stop::Residual(fraction) = stop
                && self.is_balanced(system.layout(), fraction)
            {
                return Ok(());
            }
            if let Some(error) = exhausted {
                return Err(error);
            }
            if refresh == Refresh::Always || !self.has_matrix || convergence.is_slow() {
                let direct = Self::is_direct(system.layout());
                self.linearization.evaluate(
                    system,
                    &mut self.space,
                    &self.here,
                    law,
                    direct,
                    &self.mass,
                )?;
                self.has_matrix = true;
            }
            let unknowns = self.linearization.unknowns();
            self.load_residual(system.layout(), law);
            for (slot, residual) in self.correction.iter_mut().zip(&self.residual) {
                *slot = -residual;
            }
            self.linearization.solve(&mut self.correction[..unknowns]);
            self.newton_iterations += 1;
            let sizes = self.sizes(system.layout(), law);
            let correction = sizes.correction;
            self.apply(system.layout(), law, 1.0);
            // Displacements at the level of round-off do not shrink further.
            let exact = square * correction <= ROUND_OFF * (1.0 + largest(&self.here.q));
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => converged = true,
                Verdict::Failed => {
                    let error = DynamicsError::NotConverged {
                        what: "the Newton iteration of the implicit step",
                        t: self.here.t,
                        iterations: convergence.iterations,
                        correction,
                    };
                    match stop {
                        // The last correction may have done.
                        Stop::Residual(_) if correction.is_finite() => exhausted = Some(error),
                        _ => return Err(error),
                    }
                }
            }
        }
    }

    /// Whether the independent equations Ψ = Nᵀ (M a - f) hold within a fraction of the norms of M a, f and Gᵀ λ.
    fn is_balanced(&mut self, layout: &Layout, fraction: f64) -> bool {
        let inertia = &mut self.linearization.scratch;
        inertia.fill(0.0);
        let acceleration = &self.here.acceleration;
        layout
            .mass
            .multiply_add(&self.mass, 1.0, acceleration, inertia);
        let mut squares = [0.0; 4];
        for k in 0..self.space.velocity_freedom() {
            let along = |full: &[f64]| self.space.independent_velocity(k, full);
            let (ma, f) = (along(inertia), along(&self.rates[..inertia.len()]));
            let residual = along(&self.force);
            for (sum, term) in squares.iter_mut().zip([residual, ma, f, ma - f - residual]) {
                *sum += term * term;
            }
        }
        let [residual, terms @ ..] = squares.map(f64::sqrt);
        residual <= fraction * terms.iter().sum::<f64>()
    }

    /// Sizes of the correction and of the unknowns; displacements and x' count as the accelerations that cause them.
    fn sizes(&self, layout: &Layout, law: Law) -> Sizes {
        let [displacements, accelerations, rates, _] = self.linearization.sizes();
        let mut sizes = Sizes::default();
        for (index, change) in self.correction[..self.linearization.unknowns()]
            .iter()
            .enumerate()
        {
            let weight = if index < displacements {
                1.0 / law.direct_slope()
            } else if index < displacements + accelerations {
                1.0
            } else if index < displacements + accelerations + rates {
                1.0 / law.h
            } else {
                1.0
            };
            sizes.add(weight, *change, 0.0);
        }
        for k in 0..accelerations {
            let a = self.space.independent_velocity(k, &self.here.acceleration);
            sizes.add(1.0, 0.0, a);
        }
        for rate in &self.x_rate {
            sizes.add(1.0 / law.h, 0.0, *rate);
        }
        for z in &self.here.z[..layout.algebraic] {
            sizes.add(1.0, 0.0, *z);
        }
        sizes
    }

    /// Adds a fraction of the correction to the unknowns.
    fn apply(&mut self, layout: &Layout, law: Law, fraction: f64) {
        let [displacements, accelerations, rates, variables] = self.linearization.sizes();
        let correction = &self.correction[..self.linearization.unknowns()];
        let (eta, rest) = correction.split_at(displacements);
        if displacements > 0 {
            self.linearization
                .displace(layout, eta, fraction, self.space.local_mut());
        }
        let (a, rest) = rest.split_at(accelerations);
        for (k, change) in a.iter().enumerate() {
            let full = &mut self.here.acceleration;
            self.space
                .add_independent_velocity(k, fraction * change, full);
        }
        let (x, z) = rest.split_at(rates);
        for (slot, change) in self.x_rate.iter_mut().zip(x) {
            *slot += fraction * change;
        }
        for (slot, change) in self.here.z.iter_mut().zip(&z[..variables]) {
            *slot += fraction * change;
        }
        // Where displacements are linear in a, they follow from the law alone.
        if Self::is_direct(layout) {
            self.predict(law);
        }
    }

    /// Everything that the current unknowns determine: dependent coordinates, velocities, accelerations, multipliers.
    fn evaluate(&mut self, system: &mut Evaluator, law: Law) -> Result<(), DynamicsError> {
        // v = v* + c a, x = x* + c x'.
        let here = &mut self.here;
        let combine = |known: &[f64], rate: &[f64], out: &mut [f64]| {
            for ((slot, known), rate) in out.iter_mut().zip(known).zip(rate) {
                *slot = known + law.slope * rate;
            }
        };
        combine(&self.known[1], &here.acceleration, &mut here.v);
        combine(&self.known[2], &self.x_rate, &mut here.x);
        // Position, velocity and acceleration level in this order: each needs the one before.
        self.space.correct_configuration(system, here)?;
        self.space.load_jacobian(system, &here.point())?;
        self.space.correct_velocity(system, here)?;
        self.space.correct_acceleration(system, here)?;
        let group = &system.layout().space;
        group.dexp_inverse(self.space.local(), &here.v, &mut self.u_rate);
        system.rates(&here.point(), &mut self.rates)?;
        if !here.v.is_empty() {
            system.mass_matrix(&here.point(), &mut self.mass)?;
        }
        // M v' - f, then λ from its dependent part: (G D)ᵀ λ = Dᵀ (M v' - f).
        let layout = system.layout();
        for (slot, force) in self.force.iter_mut().zip(&self.rates) {
            *slot = -force;
        }
        layout
            .mass
            .multiply_add(&self.mass, 1.0, &here.acceleration, &mut self.force);
        self.space
            .balance(layout, &mut self.force, &mut here.lambda);
        if layout.algebraic > 0 {
            // The algebraic rows with the multipliers just found.
            system.rates(&here.point(), &mut self.rates)?;
        }
        Ok(())
    }

    fn load_residual(&mut self, layout: &Layout, law: Law) {
        let [displacements, accelerations, rates, variables] = self.linearization.sizes();
        let (displacement, rest) = self.residual.split_at_mut(displacements);
        if displacements > 0 {
            let (s, rate) = match law.displacement {
                Displacement::ByAcceleration(s) => (s, &self.here.acceleration),
                Displacement::ByVelocity(s) => (s, &self.u_rate),
            };
            let u = self.space.local();
            let off = &mut self.linearization.scratch;
            for (index, slot) in off.iter_mut().enumerate() {
                // u - u* - s u', along independent coordinates.
                *slot = u[index] - self.known[0][index] - s * rate[index];
            }
            for (k, slot) in displacement.iter_mut().enumerate() {
                *slot = self.space.independent_displacement(k, off);
            }
        }
        let (acceleration, rest) = rest.split_at_mut(accelerations);
        for (k, slot) in acceleration.iter_mut().enumerate() {
            // Nᵀ (M a - f).
            *slot = self.space.independent_velocity(k, &self.force);
        }
        let (x, z) = rest.split_at_mut(rates);
        // E x' - d.
        let first = layout.dimension();
        for (slot, rate) in x.iter_mut().zip(&self.rates[first..]) {
            *slot = -rate;
        }
        match &layout.descriptor {
            Some((pattern, values)) => pattern.multiply_add(values, 1.0, &self.x_rate, x),
            None => {
                for (slot, rate) in x.iter_mut().zip(&self.x_rate) {
                    *slot += rate;
                }
            }
        }
        // a.
        for (slot, value) in z[..variables].iter_mut().zip(&self.rates[first + rates..]) {
            *slot = *value;
        }
    }

    /// Measures how fast a quasi-Newton iteration converges at the solution.
    pub fn measure(
        &mut self,
        system: &mut Evaluator,
        law: Law,
        contraction: &mut Contraction,
    ) -> Result<(), DynamicsError> {
        let direct = Self::is_direct(system.layout());
        let (space, here) = (&mut self.space, &self.here);
        contraction.measure(system, space, here, law, direct, &self.mass)
    }

    /// Gives redundant rows their multipliers, those of least norm.
    pub fn complete(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        if self.space.has_redundant_rows() {
            self.here.copy_from(state);
            self.solver.complete(system, &mut self.here)?;
            state.lambda.copy_from_slice(&self.here.lambda);
        }
        Ok(())
    }

    pub fn work(&self) -> Work {
        let mut work = work_of(&self.solver);
        for (factorizations, solves) in [self.space.work(), self.linearization.work()] {
            work.factorizations += factorizations;
            work.solves += solves;
        }
        work.newton_iterations = self.newton_iterations;
        work
    }
}
