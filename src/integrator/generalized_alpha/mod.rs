//! Generalized-alpha methods for constrained systems on Lie groups.

mod estimate;
mod matrix;
mod matrix_reuse;
mod position;
mod recurrence;
mod residual;
mod step;

use super::shared::extrapolation::Extrapolation;
use super::shared::round_off::{RoundOff, TermSizes};
use super::shared::sizes::Seen;
use super::{
    AlphaCoefficients, AlphaCoefficientsError, DenseOutput, Integrator, Kind, Method,
    MethodOptions, NewtonOptions, Orders, StepError, StepSizes, Stepper, require_index,
};
use crate::control::{ControllerKind, Limits};
use crate::linalg::{KktError, Pattern, VersionedValues};
use crate::system::{AccelerationSolver, Evaluator, Layout, State};
use matrix::{NewtonMatrix, Place};
use matrix_reuse::Upkeep;
use position::{PositionCorrector, VelocityCorrector};
use recurrence::Recurrence;

/// Accelerations and multipliers of the first guess lie on the parabola through the last three. Higher degrees magnify the
/// round-off of multipliers, which positions leave there divided by h².
const EXTRAPOLATION_DEGREE: usize = 2;

/// At which level a generalized-alpha method enforces position constraints; velocity rows are always enforced at
/// velocity level.
///
/// ```
/// use liedae::integrator::{ConstraintLevel, GeneralizedAlpha, MethodOptions};
/// use liedae::prelude::*;
///
/// // How far the length of a pendulum's rod is off after a second.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut drift = |level| -> Result<f64, liedae::solve::SolveError> {
///     let method = GeneralizedAlpha::from_options(level, &MethodOptions::default());
///     let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 0.01))?.state;
///     Ok((end.q[0].hypot(end.q[1]) - 1.0).abs())
/// };
/// assert!(drift(ConstraintLevel::Velocity)? > 1e-6);
/// assert!(drift(ConstraintLevel::Position)? < 1e-9 && drift(ConstraintLevel::Stabilized)? < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintLevel {
    /// g(q_{n+1}) = 0, index 3.
    Position,
    /// G v + ∂g/∂t = 0 at t_{n+1}, index 2: the positions drift.
    Velocity,
    /// Both, with a second displacement M U = Gᵀ ν (Gear, Gupta, Leimkuhler).
    Stabilized,
}

/// Generalized-alpha on Lie groups.
///
/// ```text
/// M v'_{n+1} = f_{n+1} + G_{n+1}ᵀ λ_{n+1},  constraints at t_{n+1} (see ConstraintLevel)
/// q_{n+1} = q_n · exp(h Δq),   Δq = v_n + h (1/2 - β) a_n + h β a_{n+1}
/// v_{n+1} = v_n + h (1 - γ) a_n + h γ a_{n+1}
/// (1 - αm) a_{n+1} + αm a_n = (1 - αf) v'_{n+1} + αf v'_n
/// ```
///
/// [`ConstraintLevel`] chooses the level of the position constraints; velocity rows are always enforced at velocity level.
/// E x' = d (E regular) follows the recurrence for v, algebraic variables are solved with the rest.
///
/// Order 2 in q, v and λ in all three forms, for every spectral radius below 1 and from the first step on, also when the
/// step changes from step to step:
///
/// - a_0 = v'_0 + Δ h v''_0 with Δ = αm - αf, v''_0 by a difference of the index-1 form along the solution.
/// - a_n belongs to t_n + Δ h, so it is moved along its slope when h changes: a_n is replaced by
///   v'_n + (h_new/h_old)(a_n - v'_n). The relative error of the slope is multiplied by -αm/(1 - αm) per step whatever
///   the ratio, hence a_n = v'(t_n + Δ h) + O(h²) holds with any steps, and v_{n+1} - v_n has local error O(h³).
/// - Index 3: the position formula has the local error h³ p with p = (1/6 - β - Δ/2) v'' + [v, v']/12 (the bracket stems
///   from dexp⁻¹). Divided by h² it would be an error of order h in λ, unless G v_n + ∂g/∂t = h² G p. With constant
///   steps the scheme keeps this once it holds. At a start and after every change of the step size the velocity is
///   moved there by the least change in the metric of M, with v'' from differences of a; the error of v'' of order h
///   then leaves O(h²) in a and λ. The linear recurrence of these errors is contractive for the alternating ratios
///   1, 1.3, 0.7 and for single changes by any factor if the spectral radius is at most 0.9.
///
/// With a spectral radius of 1 the index-3 form is only weakly stable: multipliers oscillate undamped, and with changing
/// steps they may grow. The default radius is 0.8: an oscillation resolved by 20 steps loses 1.3e-4 of its amplitude per
/// period (1.4e-5 with 0.9, 3.4e-3 with 0.5), and what steps do not resolve is damped like 0.8^n, by 99 per cent in 20 steps.
///
/// Reported velocities of the index-3 form contain the offset h² p and satisfy their constraints to O(h²) only.
///
/// The error estimate is that of the source in local coordinates, u - h v_n - h²/3 v'_n - h²/6 v'_{n+1} - h³/12 [v_n,
/// v'_n] (eq. 29, in which the printed 1/h should be h), and for x, and in the forms with constraints at velocity level
/// for v, the difference between Newmark's formula and the integral of the parabola through the last three rates. The
/// index-3 form leaves v out, because v' carries the round-off of g divided by h², and weighs positions 30 times
/// instead (found by measurement). Kept below the tolerance as it stands, a local error of order h³ gives a global one
/// like tol^(2/3); it is therefore divided by the square root of
/// [`ErrorNorm::level`](crate::control::ErrorNorm::level), which makes global errors proportional to the tolerance.
/// Such local errors reach round-off at tolerances of 6e-9 (index 3) and 4e-9 (the other forms; earlier where
/// constraints tie slow bodies to fast ones): down to 60 times finer ones give no smaller errors, and still finer ones
/// end with a step that falls. The controller is elementary (eq. 30 with the power 3 of the local error).
///
/// The Newton matrix is exact (eqs. 19 and 22, with the tangent operator of the exponential, the geometric stiffness
/// and the derivatives of hidden constraints). But in the stabilized form it serves further steps of the same size as
/// long as that costs less than a new one, and no longer when convergence is slow. A correction is measured as the
/// displacement h² v', with h² λ; by default the iteration ends at 1e-10 of the unknowns or 1e-14 of the coordinates,
/// or when two corrections foretell that those to come add up to a tenth of that, or one with the rate at which the
/// matrix has contracted before. Cost per step: two to three evaluations of M, f and G, and a geometric stiffness and a
/// factorization in every second to twentieth step, in every one where the size changes and in the stabilized form,
/// which factorizes M and G as well; so does the index-3 form when the step has changed.
///
/// Use it for stiff and flexible systems at three to five digits; not for high accuracy on smooth motions, where methods
/// of order 5 are far cheaper.
///
/// Sources: Haddouni et al. 2017, section 3.1, doi:10.1007/s11044-017-9570-y; Brüls, Cardona, Arnold 2012,
/// doi:10.1016/j.mechmachtheory.2011.07.017, and Arnold, Brüls, Cardona 2015, doi:10.1007/s00211-014-0633-1 (Lie groups,
/// starting values). The treatment of changing steps is derived above.
///
/// Measured: `liedae orders` (orders), `liedae tolerances` (errors against tolerances).
///
/// ```
/// use liedae::integrator::{AlphaCoefficients, ConstraintLevel, GeneralizedAlpha, NewtonOptions};
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second; what steps do not resolve is damped by half in each.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = GeneralizedAlpha::new(
///     ConstraintLevel::Position,
///     AlphaCoefficients::from_spectral_radius(0.5)?,
///     NewtonOptions::default(),
/// );
/// let end = solve(&mut pendulum, &method, &Options::fixed(1.0, 1e-3))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct GeneralizedAlpha {
    formulation: ConstraintLevel,
    coefficients: Result<AlphaCoefficients, AlphaCoefficientsError>,
    options: NewtonOptions,
}

/// The velocity that a step starts from: v_n, or where the step has one, v_n with an offset.
struct StartVelocity {
    /// v_n with its offset.
    offset: Vec<f64>,
    /// Whether this step has one.
    is_offset: bool,
}

impl StartVelocity {
    fn of<'a>(&'a self, from: &'a State) -> &'a [f64] {
        if self.is_offset {
            &self.offset
        } else {
            &from.v
        }
    }
}

/// [`GeneralizedAlpha`] at work.
struct GeneralizedAlphaStepper {
    formulation: ConstraintLevel,
    coefficients: AlphaCoefficients,
    options: NewtonOptions,
    matrix: NewtonMatrix,
    /// The matrix of the steps that have been accepted, and what the step that is tried has made of it.
    upkeep: Upkeep,
    tried: Upkeep,
    /// Where the former was evaluated, and the one that there is: a step that is taken again gets the same matrix.
    kept_place: Place,
    place: Place,
    holds_kept: bool,
    corrector: Option<PositionCorrector>,
    starter: Option<VelocityCorrector>,
    index_one: AccelerationSolver,
    motion: Recurrence,
    states: Recurrence,
    descriptor: (Pattern, Vec<f64>),
    /// What has been seen of the present iterate.
    seen: Seen,
    probe: State,
    start_velocity: StartVelocity,
    bracket: Vec<f64>,
    /// The displacement from the start of the step.
    u: Vec<f64>,
    uncorrected: Vec<f64>,
    /// x'_{n+1}.
    x_rate: Vec<f64>,
    mass: VersionedValues,
    jacobian: Vec<f64>,
    rates: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
    round_off: RoundOff,
    /// Whether the system gave the residuals of the last iterate in one pass: without rates, and without G unless a matrix was made there.
    in_one_pass: bool,
    term_sizes: TermSizes,
    correction: Vec<f64>,
    /// λ, or its correction.
    multipliers: Vec<f64>,
    whole_multipliers: bool,
    error_q: Vec<f64>,
    error_v: Vec<f64>,
    error_x: Vec<f64>,
    accelerations: Extrapolation,
    multiplier_history: Extrapolation,
    newton_iterations: usize,
}

impl GeneralizedAlpha {
    /// The index-3 form.
    pub const POSITION: Method = Method {
        name: "generalized-alpha",
        title: "generalized-alpha, index 3",
        kind: Kind::Implicit,
        index: 3,
        orders: Orders {
            q: 2,
            v: 2,
            lambda: 2,
        },
        error_order: 3.0,
        dense_output: DenseOutput::Cubic,
        captures_events: false,
        fixed_step_by_default: true,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.2,
            grow: 2.0,
        }),
        source: "Haddouni et al. 2017, eqs. 14-19, doi:10.1007/s11044-017-9570-y; on Lie groups: Arnold, Brüls, Cardona 2015, doi:10.1007/s00211-014-0633-1",
        use_when: "stiff or flexible systems, numerical damping of high frequencies, positions exactly on the constraints",
        avoid_when: "velocities must satisfy their constraints exactly, or more than six digits are needed",
    };

    /// The index-2 form.
    pub const VELOCITY: Method = Method {
        name: "generalized-alpha-velocity",
        title: "generalized-alpha, index 2",
        index: 2,
        source: "Haddouni et al. 2017, eqs. 20-22, doi:10.1007/s11044-017-9570-y",
        use_when: "as generalized-alpha, where velocity constraints matter more than positions; nonholonomic systems",
        avoid_when: "long runs, in which positions drift off the constraints",
        ..Self::POSITION
    };

    /// The stabilized index-2 form.
    pub const STABILIZED: Method = Method {
        name: "generalized-alpha-stabilized",
        title: "generalized-alpha, positions and velocities",
        index: 2,
        source: "Haddouni et al. 2017, eqs. 21-24, algorithm 1, doi:10.1007/s11044-017-9570-y",
        use_when: "as generalized-alpha, where positions and velocities must both satisfy the constraints: events, contact",
        avoid_when: "the second factorization per step costs more than exact velocities are worth",
        ..Self::POSITION
    };

    /// The method with these coefficients and options for its Newton iteration.
    pub fn new(
        formulation: ConstraintLevel,
        coefficients: AlphaCoefficients,
        options: NewtonOptions,
    ) -> Self {
        Self {
            formulation,
            coefficients: Ok(coefficients),
            options,
        }
    }

    /// The method with the coefficients that the options ask for; options that cannot be used are reported at the start.
    pub fn from_options(formulation: ConstraintLevel, options: &MethodOptions) -> Self {
        let coefficients = match (options.spectral_radius, options.hht_alpha) {
            (Some(_), Some(_)) => Err(AlphaCoefficientsError::Both),
            (Some(radius), None) => AlphaCoefficients::from_spectral_radius(radius),
            (None, Some(alpha)) => AlphaCoefficients::hht(alpha),
            (None, None) => {
                AlphaCoefficients::from_spectral_radius(AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS)
            }
        };
        Self {
            formulation,
            coefficients,
            options: options.newton.unwrap_or_default(),
        }
    }

    /// Allocates for systems of this layout; [`restart`](Stepper::restart) sets the start.
    fn stepper(
        &self,
        coefficients: AlphaCoefficients,
        layout: &Layout,
        state: &State,
    ) -> Result<GeneralizedAlphaStepper, KktError> {
        let formulation = self.formulation;
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let total = layout.rate_count();
        let descriptor = layout.descriptor_or_identity();
        // Stabilized: U exists only where there are positions to correct.
        let corrector = if formulation == ConstraintLevel::Stabilized && layout.position_rows > 0 {
            Some(PositionCorrector::new(layout)?)
        } else {
            None
        };
        // Index 3: only G v + ∂g/∂t = h² G p at the start gives λ its order.
        let starter = if formulation == ConstraintLevel::Position && layout.position_rows > 0 {
            Some(VelocityCorrector::new(layout)?)
        } else {
            None
        };
        let free = || vec![0.0; dimension];
        Ok(GeneralizedAlphaStepper {
            matrix: NewtonMatrix::new(layout, &descriptor.0, formulation)?,
            upkeep: Upkeep::default(),
            tried: Upkeep::default(),
            kept_place: Place::new(state),
            place: Place::new(state),
            holds_kept: false,
            corrector,
            starter,
            index_one: AccelerationSolver::new(layout)?,
            motion: Recurrence::new(coefficients, dimension),
            states: Recurrence::new(coefficients, differential),
            descriptor,
            probe: state.clone(),
            seen: Seen::default(),
            start_velocity: StartVelocity {
                offset: free(),
                is_offset: false,
            },
            bracket: free(),
            u: free(),
            uncorrected: state.q.clone(),
            x_rate: vec![0.0; differential],
            mass: VersionedValues::new(layout.mass.nnz()),
            jacobian: vec![0.0; layout.jacobian.nnz()],
            rates: vec![0.0; total],
            top: vec![0.0; total],
            bottom: vec![0.0; rows],
            round_off: RoundOff::new(layout),
            in_one_pass: false,
            term_sizes: TermSizes::default(),
            correction: vec![0.0; total],
            multipliers: vec![0.0; rows],
            whole_multipliers: false,
            error_q: free(),
            error_v: free(),
            error_x: vec![0.0; differential],
            accelerations: Extrapolation::new(dimension, EXTRAPOLATION_DEGREE),
            multiplier_history: Extrapolation::new(rows, EXTRAPOLATION_DEGREE),
            newton_iterations: 0,
            formulation,
            coefficients,
            options: self.options,
        })
    }
}

impl Integrator for GeneralizedAlpha {
    fn method(&self) -> &'static Method {
        match self.formulation {
            ConstraintLevel::Position => &Self::POSITION,
            ConstraintLevel::Velocity => &Self::VELOCITY,
            ConstraintLevel::Stabilized => &Self::STABILIZED,
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let coefficients = self.coefficients.clone()?;
        let layout = system.layout();
        require_index(layout, self.method().name, 0)?;
        let mut stepper = self
            .stepper(coefficients, layout, state)
            .map_err(|source| StepError::linear(state.t, source))?;
        stepper.restart(system, state)?;
        Ok(Box::new(stepper))
    }
}
