//! Accelerations, multipliers and algebraic variables at one moment: the index-1 form of a system.

use super::coupling::Coupling;
use super::error::DynamicsError;
use super::evaluator::finite;
use crate::linalg::{
    Blocks, ExchangedJacobians, KktError, KktSolver, MatrixVersion, Pattern, Quotients,
    VersionedValues,
};
use crate::scalar::largest;
use crate::system::{EvaluationError, Evaluator, Function, Layout, Point, State, Wanted};

const MAX_ITERATIONS: usize = 25;

/// Corrections below this share of the variables change forces by their linear part alone, which the last solution has.
const LINEAR: f64 = 1e-9;

/// So near, corrections that shrink by less than this from one iteration to the next are round-off.
const STALLED: f64 = 0.25;

/// Roundings that a constraint row may be made of.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// Negation as 0 - x. With -x the compiler would write only the byte with the sign, and a read of the whole number would stall.
#[inline(always)]
fn negate(values: &mut [f64]) {
    for value in values {
        *value = 0.0 - *value;
    }
}

/// Solves M v' = f + G_leftᵀ λ, G_right v' = c, 0 = a(z, λ) for v', λ and z.
///
/// With G_left = G_right = G(q) and c = -γ this is the index-1 form; half-explicit methods put the Jacobian of the
/// next stage on the right. Without algebraic variables it is one linear solve; with them a Newton iteration in z
/// whose matrix contains ∂f/∂z, ∂a/∂z and ∂a/∂λ, so that friction forces that depend on reactions are solved exactly.
pub struct AccelerationSolver {
    kkt: KktSolver,
    dimension: usize,
    differential: usize,
    rows: usize,
    mass: VersionedValues,
    left: Vec<f64>,
    right: Vec<f64>,
    /// Whether the linear solver has taken the three lists above: they are room for the next ones.
    taken: bool,
    /// The constant mass matrix of a system without constraint rows that has been loaded; once `taken`, it is factorized.
    loaded_mass: Option<MatrixVersion>,
    /// The time of the right Jacobian and the target, where they have one of their own.
    right_time: f64,
    /// Whether the left Jacobian stands for both.
    one_jacobian: bool,
    target: Vec<f64>,
    rates: Vec<f64>,
    /// The rates are those of the point loaded last.
    rates_loaded: bool,
    unknowns: Vec<f64>,
    top: Vec<f64>,
    multipliers: Vec<f64>,
    coupled: Option<Coupling>,
    descriptor: Option<Box<KktSolver>>,
    x_rates: Vec<f64>,
}

/// Room for the mass matrix at a point, where it is still to be evaluated: one that is constant is loaded here, unless it is there.
#[inline(always)]
fn load_mass<'a>(
    mass: &'a mut VersionedValues,
    system: &mut Evaluator,
    at: &Point,
) -> Result<Option<&'a mut [f64]>, EvaluationError> {
    if mass.values.is_empty() {
        return Ok(None);
    }
    if system.layout().constant_mass {
        system.update_mass_matrix(at, mass)?;
        return Ok(None);
    }
    Ok(Some(mass.written()))
}

/// Where the left Jacobian of a half-explicit stage comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftJacobian {
    /// It is evaluated at the stage.
    Own,
    /// It was the right one of the stage before.
    Shifted,
}

impl LeftJacobian {
    /// Evaluated at the stage if this is true, that of the stage before otherwise.
    pub fn own_if(own: bool) -> Self {
        if own { Self::Own } else { Self::Shifted }
    }
}

/// Accelerations by known masses. They stay what they are until the evaluator doubts them, as it does at events.
pub(crate) struct Divisor<'a> {
    masses: Quotients<'a>,
}

impl Divisor<'_> {
    /// The acceleration at a point; false where it is not finite. It has one entry for each velocity.
    #[inline]
    pub fn accelerate(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
    ) -> Result<bool, EvaluationError> {
        system.rates_to_solve_with(at, acceleration)?;
        Ok(self.masses.divide(acceleration))
    }
}

impl AccelerationSolver {
    /// Allocates everything for systems of this layout, and factorizes a descriptor matrix E that is regular.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows, algebraic) = (layout.dimension(), layout.rows(), layout.algebraic);
        let total = dimension + algebraic;
        let (kkt, coupled) = if algebraic == 0 {
            (
                KktSolver::new(
                    &layout.mass,
                    &layout.jacobian,
                    &layout.jacobian,
                    &layout.blocks,
                )?,
                None,
            )
        } else {
            let coupling = Coupling::new(layout)?;
            let blocks = layout.blocks.followed_by([algebraic]);
            let (upper_left, constraint) = coupling.patterns();
            let kkt = KktSolver::new(upper_left, constraint, constraint, &blocks)?;
            (kkt, Some(coupling))
        };
        let ordinary = layout.differential_index.iter().all(|&index| index == 0);
        let descriptor = match &layout.descriptor {
            Some((pattern, values)) if ordinary => {
                let none = Pattern::empty(0, layout.differential);
                let blocks = Blocks {
                    variables: vec![layout.differential],
                    rows: Vec::new(),
                };
                let mut solver = KktSolver::new(pattern, &none, &none, &blocks)?;
                solver.factor(values, &[], &[])?;
                Some(Box::new(solver))
            }
            _ => None,
        };
        Ok(Self {
            kkt,
            descriptor,
            x_rates: vec![0.0; layout.differential],
            dimension,
            differential: layout.differential,
            rows,
            mass: VersionedValues::new(layout.mass.nnz()),
            left: vec![0.0; layout.jacobian.nnz()],
            right: vec![0.0; layout.jacobian.nnz()],
            taken: false,
            loaded_mass: None,
            right_time: 0.0,
            one_jacobian: false,
            target: vec![0.0; rows],
            rates: vec![0.0; layout.rate_count()],
            rates_loaded: false,
            unknowns: vec![0.0; total],
            top: vec![0.0; total],
            multipliers: vec![0.0; rows],
            coupled,
        })
    }

    /// Completes a state: from t, q, v, x it computes the acceleration, the multipliers and the algebraic variables.
    /// The values of `z` and `lambda` that it finds there are the first guess, where there are algebraic variables;
    /// nothing reads them otherwise.
    pub fn complete(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let State {
            t,
            q,
            v,
            x,
            z,
            lambda,
            acceleration,
            mode,
        } = state;
        let at = Point {
            t: *t,
            q,
            v,
            x,
            z: &[],
            lambda: &[],
            mode,
        };
        self.solve_index_one(system, &at, acceleration, z, lambda)
    }

    /// [`Self::load_index_one`] and [`Self::solve`] at one point, in one call.
    #[inline]
    pub fn solve_index_one(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
        z: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if self.divide_forces(system, at, acceleration)? {
            return Ok(());
        }
        self.load_index_one(system, at)?;
        self.solve(system, at, acceleration, z, lambda)
    }

    /// [`Self::solve_index_one`] at the configuration and time of the last solution, whose matrix stays where it is.
    pub(crate) fn solve_index_one_again(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
        z: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if self.index_one_matrix().is_none() {
            return self.solve_index_one(system, at, acceleration, z, lambda);
        }
        self.rates_loaded = true;
        self.load_matrix(system, at)?;
        self.solve(system, at, acceleration, z, lambda)
    }

    /// The matrix [M -Gᵀ; G 0] of the last solution, if it is one of the index-1 form with constraint rows and without
    /// algebraic variables.
    pub(crate) fn index_one_matrix(&mut self) -> Option<&mut KktSolver> {
        let is_whole = self.taken && self.one_jacobian && self.coupled.is_none() && self.rows > 0;
        is_whole.then_some(&mut self.kkt)
    }

    /// Forces on masses that are known become accelerations where they stand. False where that is not all there is to do, and where
    /// something is not finite, which the other way says. After an error of the system they are of no use.
    #[inline]
    fn divide_forces(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
    ) -> Result<bool, DynamicsError> {
        // A wrong length is for the linear solver to refuse.
        let fits = acceleration.len() == self.dimension;
        match self.divisor(system).filter(|_| fits) {
            Some(mut divisor) => Ok(divisor.accelerate(system, at, acceleration)?),
            None => Ok(false),
        }
    }

    /// What accelerates systems of nothing but configurations and velocities, without constraint rows, whose mass matrix is a diagonal
    /// that has been factorized and is still the same.
    #[inline]
    pub(crate) fn divisor(&mut self, system: &Evaluator) -> Option<Divisor<'_>> {
        let alone = self.rates.len() == self.dimension && self.rows == 0 && self.coupled.is_none();
        if !(alone && self.has_factors(system)) {
            return None;
        }
        let masses = self.kkt.quotients()?;
        self.rates_loaded = false;
        Some(Divisor { masses })
    }

    /// Whether the factors are those of a mass matrix that is still the same, and all of the matrix.
    #[inline]
    fn has_factors(&self, system: &Evaluator) -> bool {
        self.taken && self.loaded_mass.is_some() && self.loaded_mass == system.mass_number()
    }

    /// The rates x' = E⁻¹ d at the point of the last [`solve`](Self::solve); for ordinary differential rows only.
    pub fn differential_rates(&self) -> &[f64] {
        &self.x_rates
    }

    /// The rates x' = E⁻¹ d at a point, without solving for anything else; for ordinary differential rows only.
    pub fn differential_rates_at(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if self.differential > 0 {
            self.rates_loaded = false;
            system.rates(at, &mut self.rates)?;
            self.apply_descriptor(at.t)?;
            out.copy_from_slice(&self.x_rates);
        }
        Ok(())
    }

    #[inline]
    fn apply_descriptor(&mut self, t: f64) -> Result<(), DynamicsError> {
        if self.differential == 0 {
            return Ok(());
        }
        let given = &self.rates[self.dimension..self.dimension + self.differential];
        match &mut self.descriptor {
            None => self.x_rates.copy_from_slice(given),
            Some(solver) => solver
                .solve(given, &[], &mut self.x_rates, &mut [])
                .map_err(|source| DynamicsError::Linear { t, source })?,
        }
        Ok(())
    }

    /// Prepares the index-1 system at a point.
    #[inline]
    pub fn load_index_one(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), DynamicsError> {
        self.one_jacobian = true;
        // Where M is all of the matrix, and still the same, its factors stay.
        self.taken = self.has_factors(system);
        self.rates_loaded = self.coupled.is_none();
        if (self.taken || self.dimension == 0) && self.rows == 0 && self.rates_loaded {
            // Nothing else is left to evaluate.
            system.rates_to_solve_with(at, &mut self.rates)?;
            return Ok(self.check_other_rates(at.t)?);
        }
        self.load_matrix(system, at)
    }

    /// What the index-1 system consists of, but for a matrix that is taken already.
    // Inlined: the call alone was 1 % of a stage of `dopri5` on a small mechanism.
    #[inline(always)]
    fn load_matrix(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        let mass = if self.taken {
            None
        } else {
            load_mass(&mut self.mass, system, at)?
        };
        let bias = (self.rows > 0).then_some(&mut self.target[..]);
        let mut wanted = Wanted {
            mass,
            rates: (self.coupled.is_none()).then_some(&mut self.rates[..]),
            jacobian: (self.rows > 0 && !self.taken).then_some(&mut self.left[..]),
            acceleration_bias: bias,
            ..Wanted::default()
        };
        system.at_point_unchecked(at, &mut wanted)?;
        if !self.taken {
            let alone = self.rows == 0 && self.coupled.is_none();
            self.loaded_mass = system.mass_number().filter(|_| alone);
        }
        self.check_other_rates(at.t)?;
        // G v' = -γ.
        negate(&mut self.target);
        Ok(())
    }

    /// Rates that the linear solver does not see.
    #[inline]
    fn check_other_rates(&self, t: f64) -> Result<(), EvaluationError> {
        if self.rates_loaded && self.rates.len() > self.dimension {
            finite(Function::Rates, t, &self.rates)?;
        }
        Ok(())
    }

    /// Why the linear solver has failed: with numbers that are not finite, it is the function that gave them.
    fn explain(&self, t: f64, error: DynamicsError) -> DynamicsError {
        let (right, row) = if self.one_jacobian {
            (&self.left, Function::AccelerationBias)
        } else {
            (&self.right, Function::VelocityConstraint)
        };
        let right_time = if self.one_jacobian {
            t
        } else {
            self.right_time
        };
        let answers = [
            (Function::Mass, t, &self.mass.values),
            (Function::Rates, t, &self.rates),
            (Function::ConstraintJacobian, t, &self.left),
            (Function::ConstraintJacobian, right_time, right),
            (row, right_time, &self.target),
        ];
        let mut answers = answers.into_iter();
        let failed = answers.find_map(|(function, t, answer)| finite(function, t, answer).err());
        failed.map_or(error, DynamicsError::Evaluation)
    }

    /// Prepares mass matrix and left Jacobian at a point.
    pub fn load_left(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        self.taken = false;
        self.evaluate_left(system, at, LeftJacobian::Own)
    }

    /// Prepares the mass matrix only, and takes the right Jacobian of the previous stage as the left one.
    pub fn load_mass_and_shift(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), DynamicsError> {
        self.evaluate_left(system, at, LeftJacobian::Shifted)?;
        self.shift();
        Ok(())
    }

    /// Prepares the right Jacobian at the next stage's configuration and the rows
    /// G_right v' = -(G_right v + g_t) / scale that bring the velocity v + scale v' onto the constraints there.
    pub fn load_right(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        scale: f64,
    ) -> Result<(), DynamicsError> {
        self.loaded_mass = None;
        if std::mem::take(&mut self.taken) {
            // Another right side for the same left one.
            self.kkt.copy_left(&mut self.mass, &mut self.left);
        }
        self.evaluate_right(system, at, scale)
    }

    /// Prepares a half-explicit stage: what [`load_left`](Self::load_left) or [`load_mass_and_shift`](Self::load_mass_and_shift)
    /// does at the first point, and [`load_right`](Self::load_right) at the second one.
    ///
    /// The second point is evaluated first: all sums of the linear solver wait for its rows, and what belongs to the first one fills the
    /// time. If both points fail, the error is that of the second one. After an error a stage must evaluate its own left Jacobian.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae::system::{AccelerationSolver, Evaluator, LeftJacobian, Point};
    ///
    /// // A pendulum of 1 m at rest, half a second of the half-explicit Euler method.
    /// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
    ///     .mass(1.0)
    ///     .force(|_t, _q, _v| [0.0, -9.81])
    ///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
    ///     .build()?;
    /// let mut state = pendulum.initial_state();
    /// let mut evaluator = Evaluator::new(&mut pendulum);
    /// let mut solver = AccelerationSolver::new(evaluator.layout())?;
    /// let (h, mut acceleration, mut lambda) = (1e-3, [0.0; 2], [0.0]);
    /// for step in 0..500 {
    ///     let next: Vec<f64> = state.q.iter().zip(&state.v).map(|(q, v)| q + h * v).collect();
    ///     let ahead = Point { t: state.t + h, q: &next, ..state.point() };
    ///     let left = LeftJacobian::own_if(step == 0);
    ///     solver.load_stage(&mut evaluator, [&state.point(), &ahead], h, left)?;
    ///     solver.solve(&mut evaluator, &state.point(), &mut acceleration, &mut [], &mut lambda)?;
    ///     for (v, rate) in state.v.iter_mut().zip(acceleration) {
    ///         *v += h * rate;
    ///     }
    ///     (state.t, state.q) = (state.t + h, next);
    /// }
    /// // Velocities stay on the constraints; positions have the order of the method.
    /// assert!((state.q[0] * state.v[0] + state.q[1] * state.v[1]).abs() < 1e-12);
    /// assert!((state.q[0].hypot(state.q[1]) - 1.0).abs() < 5e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn load_stage(
        &mut self,
        system: &mut Evaluator,
        [stage, next]: [&Point; 2],
        scale: f64,
        left: LeftJacobian,
    ) -> Result<(), DynamicsError> {
        match left {
            LeftJacobian::Own => self.taken = false,
            LeftJacobian::Shifted => self.shift(),
        }
        self.evaluate_right(system, next, scale)?;
        self.evaluate_left(system, stage, left)
    }

    /// Takes the right Jacobian as the left one.
    #[inline]
    fn shift(&mut self) {
        if std::mem::take(&mut self.taken) {
            self.kkt.take_right_jacobian(&mut self.left);
        } else if !self.one_jacobian {
            std::mem::swap(&mut self.left, &mut self.right);
        }
    }

    /// Mass matrix, rates, and the left Jacobian unless it is there.
    #[inline]
    fn evaluate_left(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        left: LeftJacobian,
    ) -> Result<(), DynamicsError> {
        self.loaded_mass = None;
        self.rates_loaded = self.coupled.is_none();
        let jacobian = self.rows > 0 && left == LeftJacobian::Own;
        let mass = load_mass(&mut self.mass, system, at)?;
        let mut wanted = Wanted {
            mass,
            rates: (self.coupled.is_none()).then_some(&mut self.rates[..]),
            jacobian: jacobian.then_some(&mut self.left[..]),
            ..Wanted::default()
        };
        system.at_point_unchecked(at, &mut wanted)?;
        Ok(self.check_other_rates(at.t)?)
    }

    /// The right Jacobian and its rows.
    #[inline]
    fn evaluate_right(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        scale: f64,
    ) -> Result<(), DynamicsError> {
        self.one_jacobian = false;
        if self.rows > 0 {
            let mut wanted = Wanted {
                jacobian: Some(&mut self.right[..]),
                velocity_constraint: Some(&mut self.target[..]),
                ..Wanted::default()
            };
            system.at_point_unchecked(at, &mut wanted)?;
            self.right_time = at.t;
            for row in &mut self.target {
                // G_right (v + scale v') + g_t = 0.
                *row /= -scale;
            }
        }
        Ok(())
    }

    /// The least change of the velocity at `at`, in the metric of the mass matrix, that puts it onto the constraints there:
    /// M δ = G_leftᵀ μ, G_right δ = -(G v + g_t), with the matrix of the last [`solve`](Self::solve), which nothing may have been
    /// loaded after.
    ///
    /// Half-explicit methods judge velocities by it, for which any G_right nearby will do.
    pub fn velocity_correction(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        change: &mut [f64],
    ) -> Result<(), DynamicsError> {
        if self.rows == 0 || self.dimension == 0 {
            change.fill(0.0);
            return Ok(());
        }
        let mut wanted = Wanted {
            velocity_constraint: Some(&mut self.target[..]),
            ..Wanted::default()
        };
        system.at_point(at, &mut wanted)?;
        negate(&mut self.target);
        let (unknowns, multipliers) = (&mut self.unknowns, &mut self.multipliers);
        self.kkt
            .solve_constraints(&self.target, unknowns, multipliers)
            .map_err(|source| DynamicsError::Linear { t: at.t, source })?;
        change.copy_from_slice(&self.unknowns[..self.dimension]);
        Ok(())
    }

    /// The solver behind it, for its statistics.
    pub fn kkt(&self) -> &KktSolver {
        &self.kkt
    }

    /// Solves the system that has been prepared at `at`, whose rates loading it has evaluated as well; a second solution
    /// evaluates them anew. Where there are algebraic variables, `z` and `lambda` hold first guesses; nothing reads them otherwise.
    #[inline(always)]
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
        z: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), DynamicsError> {
        match self.coupled.take() {
            None => {
                if !std::mem::take(&mut self.rates_loaded) {
                    system.rates(at, &mut self.rates)?;
                }
                if self.dimension > 0 {
                    self.solve_uncoupled(acceleration, lambda)
                        .map_err(|source| {
                            self.explain(at.t, DynamicsError::Linear { t: at.t, source })
                        })?;
                }
            }
            Some(mut coupling) => {
                let result = self.solve_coupled(system, at, acceleration, z, lambda, &mut coupling);
                self.coupled = Some(coupling);
                result.map_err(|error| self.explain(at.t, error))?;
            }
        }
        self.apply_descriptor(at.t)
    }

    /// What rounding leaves in G v' = -γ contradicts nothing.
    fn expect_round_off(&mut self) {
        let size = ROUNDINGS * (1.0 + largest(&self.target));
        self.kkt.expect_rounded_values(size);
    }

    #[inline]
    fn solve_uncoupled(
        &mut self,
        acceleration: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), KktError> {
        self.expect_round_off();
        let right_hand_side = [&self.rates[..self.dimension], &self.target];
        if self.taken {
            let [forces, target] = right_hand_side;
            return match self.kkt.solve(forces, target, acceleration, lambda) {
                Ok(()) => Ok(()),
                Err(error) => {
                    // The linear solver may have lost its factors: the next point loads the matrix again.
                    self.loaded_mass = None;
                    Err(error)
                }
            };
        }
        let mut jacobians = if self.one_jacobian {
            ExchangedJacobians::One(&mut self.left)
        } else {
            ExchangedJacobians::Two(&mut self.left, &mut self.right)
        };
        self.kkt.exchange_and_solve(
            &mut self.mass,
            &mut jacobians,
            right_hand_side,
            acceleration,
            lambda,
        )?;
        self.taken = true;
        Ok(())
    }

    fn solve_coupled(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        acceleration: &mut [f64],
        z: &mut [f64],
        lambda: &mut [f64],
        coupling: &mut Coupling,
    ) -> Result<(), DynamicsError> {
        let (dimension, differential) = (self.dimension, self.differential);
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        let mut correction = f64::INFINITY;
        let mut nearby = false;
        self.expect_round_off();
        coupling.begin(lambda);
        for _ in 0..MAX_ITERATIONS {
            let here = Point {
                z: &*z,
                lambda: &*lambda,
                ..*at
            };
            system.rates(&here, &mut self.rates)?;
            system.rates_jacobian_or_secants(&here, &mut coupling.jacobian)?;
            // Near the limit of self-locking the corrections are round-off many times over: no residual is left to correct.
            let residuals = &self.rates[dimension + differential..];
            if nearby && coupling.explains(system.layout(), residuals, &here) {
                return Ok(());
            }
            let right = if self.one_jacobian {
                &self.left
            } else {
                &self.right
            };
            coupling.assemble(system.layout(), &self.mass.values, [&self.left, right]);
            self.top[..dimension].copy_from_slice(&self.rates[..dimension]);
            // The rows of a are linearized about (z, λ); λ itself, not its correction, is the unknown.
            for (index, top) in self.top[dimension..].iter_mut().enumerate() {
                let known = coupling.by_multipliers(index, lambda);
                *top = known - self.rates[dimension + differential + index];
            }
            let [upper_left, left, right] = coupling.values();
            self.kkt.factor(upper_left, left, right).map_err(linear)?;
            self.kkt
                .solve(&self.top, &self.target, &mut self.unknowns, lambda)
                .map_err(linear)?;
            acceleration.copy_from_slice(&self.unknowns[..dimension]);
            let (mut largest, mut size) = (0.0_f64, 0.0_f64);
            for (variable, &change) in z.iter_mut().zip(&self.unknowns[dimension..]) {
                *variable += change;
                largest = largest.max(change.abs());
                size = size.max(variable.abs());
            }
            let before = std::mem::replace(&mut correction, largest);
            // 1e-13 and 1e-12: round-off of variables and multipliers, 1 standing for their unit.
            // Residuals may have a kink at the first guess (|λ| at 0): the multipliers must have settled as well.
            let (shift, multiplier_size) = coupling.shift(lambda);
            if correction <= 1e-13 * (1.0 + size) && shift <= 1e-12 * (1.0 + multiplier_size) {
                return Ok(());
            }
            // Newton's method converges faster than that where corrections are more than round-off, which multipliers far larger than
            // those of these rows leave.
            let is_near =
                correction <= LINEAR * (1.0 + size) && shift <= LINEAR * (1.0 + multiplier_size);
            if nearby && is_near && correction > STALLED * before {
                return Ok(());
            }
            nearby = is_near;
        }
        Err(DynamicsError::NotConverged {
            what: "the iteration for the algebraic variables",
            t: at.t,
            iterations: MAX_ITERATIONS,
            correction,
        })
    }
}
