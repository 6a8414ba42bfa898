//! Two methods of order 2 for index-3 DAEs on a Lie group: kick, drift, kick.

mod estimate;
mod side;
mod step;

use super::shared::extrapolation::Extrapolation;
use super::shared::round_off::RoundOff;
use super::{
    DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, StepError, StepSizes, Stepper,
    require_identity_descriptor, require_index,
};
use crate::control::{ControllerKind, Limits};
use crate::system::{AccelerationSolver, Evaluator, Layout, State};
use estimate::LocalError;
use side::{EndMatrix, Side};

/// Iterations end at round-off: what they leave behind would add up to a drift of the energy over many steps.
const TOLERANCE: f64 = 1e-15;

/// Which momentum and which forces the two kicks of [`StormerVerlet`] take.
///
/// ```
/// use liedae::integrator::{Kicks, NewtonOptions, StormerVerlet};
/// use liedae::prelude::*;
///
/// // For a point mass under a force of its position alone both are the same method.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let mut end = |kicks| -> Result<f64, liedae::solve::SolveError> {
///     let method = StormerVerlet::new(kicks, NewtonOptions::default());
///     Ok(solve(&mut oscillator, &method, &Options::fixed(1.0, 0.01))?.state.q[0])
/// };
/// assert!((end(Kicks::Variational)? - end(Kicks::Explicit)?).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kicks {
    /// RATTLE: the momentum is transported along the step, forces take the velocity of the half step. Symmetric.
    Variational,
    /// Second-order half-implicit: forces take velocities that are known, nothing is transported.
    Explicit,
}

/// RATTLE and second-order half-implicit Störmer-Verlet: a kick at the start puts the positions right at the end, a
/// kick at the end puts the velocities right there.
///
/// With w the velocity of the half step:
///
/// ```text
/// P⁻(w) = M_n v_n + h/2 (F_n + G_nᵀ λ_n),                q_{n+1} = q_n · exp(h w)
/// 0 = g(t_{n+1}, q_{n+1}),                               0 = b(t_n, q_n, w) + b(t_{n+1}, q_{n+1}, w)
/// M_{n+1} v_{n+1} = P⁺(w) + h/2 (F_{n+1} + G_{n+1}ᵀ μ_{n+1})
/// 0 = G_{n+1} v_{n+1} + ∂g/∂t,                           0 = b(t_{n+1}, q_{n+1}, v_{n+1})
/// ```
///
/// `rattle` ([`Kicks::Variational`]) transports the momentum, and takes the gyroscopic force that the transport stands
/// for out of the forces, which are evaluated at the half step's velocity:
///
/// ```text
/// P⁻(w) = dexp(-h w)⁻ᵀ M_n w,   P⁺(w) = dexp(h w)⁻ᵀ M_{n+1} w,   F_i = f(t_i, q_i, w) - ad_wᵀ M_i w
/// ```
///
/// - Where M is constant in the left trivialization (rigid bodies in body-fixed velocities, point masses) and f is
///   ad_vᵀ M v plus the gradient of a potential, F is that gradient and the method is the variational integrator of the
///   discrete Lagrangian h/2 wᵀ M w - h/2 (V(q_n) + V(q_{n+1})) on the constraint manifold: symplectic in (q, M v),
///   symmetric, and momenta of symmetries are kept. The energy error stays bounded over exponentially long times.
/// - Everywhere else (M(q), forces that depend on velocities) it is symmetric only. On reversible systems that
///   is enough for a bounded energy error, usually; there is no proof without integrability. Dissipation acts as it
///   should, to order 2. Velocity rows are treated symmetrically, too (nonholonomic systems have no symplectic form).
/// - With adaptive steps, as always, both properties are lost; with algebraic variables (friction), symmetry is.
///
/// `half-implicit2` ([`Kicks::Explicit`]) is the second-order formula that Fang et al. 2022 announce in section 5:
///
/// ```text
/// P⁻(w) = M_n w,   P⁺(w) = M_{n+1} w,   F_n = f(t_n, q_n, v_n),   F_{n+1} = f(t_{n+1}, q_{n+1}, 2 w - v_n)
/// ```
///
/// It is explicit in the forces; for point masses under forces that do not depend on velocities both methods are the same.
///
/// Both iterate with the symmetric \[M Gᵀ; G 0\] at the start of the step, which is the matrix of the velocities at
/// the end of the step before: one factorization per step, no force Jacobian. Forces are evaluated twice per step
/// (`half-implicit2`), or once per iteration and twice more (`rattle`). Order 2 in q, v and λ. Multipliers and
/// accelerations are those of the index-1 form at the end of each step, solved for with the same factorization, so
/// irregular steps do not disturb them; they start the next iteration. Differential states follow by the trapezoidal
/// rule (`rattle`, by functional iteration) or Heun's (`half-implicit2`); algebraic variables are those of the
/// index-1 form at the start of the step and extrapolated linearly to its end. The estimate, in q, v and x, is the
/// difference to quadratures of higher order over the accelerations at the ends of this step and the one before; it
/// costs no factorization but for one in the first step after a start or an event.
///
/// Use `rattle` for energy and momenta over very long times, `half-implicit2` where half-implicit Euler is too
/// inaccurate; neither for stiff springs (they are stable for h < 2/ω only), nor for more than four or five digits.
///
/// Sources: H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34, doi:10.1016/0021-9991(83)90014-1; Hairer, Lubich, Wanner,
/// Geometric Numerical Integration, VII.1.4, doi:10.1007/3-540-30666-8; transport of the momentum: Bou-Rabee, Marsden,
/// Found. Comput. Math. 9 (2009) 197-219, doi:10.1007/s10208-008-9030-4; velocity rows: McLachlan, Perlmutter,
/// J. Nonlinear Sci. 16 (2006) 283-328, doi:10.1007/s00332-005-0698-1; Fang, Kissel, Zhang, Negrut 2022, section 5,
/// doi:10.1115/1.4056183.
/// Measured: orders by `cargo test --release -p liedae --test suite observed_order`; energy by `cargo test --release -p
/// liedae-problems --test suite rattle_energy`: with `rattle`, h = 1 ms and 100 000 steps the energy of the heavy top is
/// within 0.014 J of its 5436 J in every quarter of the run (0.26 J on SE(3)), that of a chain of two links within
/// 0.14 J of 1110 J.
///
/// ```
/// use liedae::integrator::StormerVerlet;
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m that swings to and fro for 1000 s, 422 times: its energy, 0 at the start, does not creep away.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let end = solve(&mut pendulum, &StormerVerlet::default(), &Options::fixed(1000.0, 0.02))?.state;
/// let energy = 0.5 * (end.v[0] * end.v[0] + end.v[1] * end.v[1]) + 9.81 * end.q[1];
/// assert!(energy.abs() < 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StormerVerlet {
    kicks: Kicks,
    options: NewtonOptions,
    end_rows: bool,
}

/// [`StormerVerlet`] at work.
pub(crate) struct StormerVerletStepper {
    kicks: Kicks,
    options: NewtonOptions,
    start: Side,
    end: Side,
    /// `start` belongs to the state that the next step starts from.
    start_is_loaded: bool,
    /// Rates of a half step, at the velocity that its kick takes.
    kick: Vec<f64>,
    momentum: Vec<f64>,
    transported: Vec<f64>,
    displacement: Vec<f64>,
    opposite: Vec<f64>,
    half_velocity: Vec<f64>,
    end_velocity: Vec<f64>,
    impulse: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
    round_off: RoundOff,
    start_bottom: Vec<f64>,
    correction: Vec<f64>,
    multiplier_correction: Vec<f64>,
    start_x_rates: Vec<f64>,
    next_x: Vec<f64>,
    z: Vec<f64>,
    z_history: Extrapolation,
    index_one: AccelerationSolver,
    local_error: LocalError,
    /// For steps across a singular configuration: the matrix of the iteration has the rows of the end as well.
    end_matrix: Option<Box<EndMatrix>>,
    iterations: usize,
}

impl StormerVerlet {
    /// The symmetric method, symplectic for constant M.
    pub const RATTLE: Method = Method {
        name: "rattle",
        title: "RATTLE on Lie groups",
        kind: Kind::HalfImplicit,
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
            grow: 5.0,
        }),
        source: "Andersen 1983, doi:10.1016/0021-9991(83)90014-1; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4, doi:10.1007/3-540-30666-8",
        use_when: "energy and momenta over very long times with constant steps; non-stiff conservative mechanisms",
        avoid_when: "stiff springs (it is stable for h < 2/omega only), or when more than five digits are needed",
    };

    /// The method that is explicit in the forces.
    pub const HALF_IMPLICIT: Method = Method {
        name: "half-implicit2",
        title: "half-implicit Stoermer-Verlet of order 2",
        source: "Fang, Kissel, Zhang, Negrut 2022, section 5, doi:10.1115/1.4056183; Hairer, Lubich, Wanner, Geometric Numerical Integration, VII.1.4, doi:10.1007/3-540-30666-8",
        use_when: "as half-implicit, where order 1 is not enough: one symmetric factorization and two force evaluations per step",
        ..Self::RATTLE
    };

    /// The method with a choice of kicks.
    pub fn new(kicks: Kicks, options: NewtonOptions) -> Self {
        Self {
            kicks,
            options,
            end_rows: false,
        }
    }

    /// RATTLE for steps across a singular configuration, where rows at the end of a step may be opposite to those at its
    /// start: the iteration takes the rows of both ends and factorizes at every iterate.
    pub(crate) fn across_singularities() -> Self {
        Self {
            end_rows: true,
            ..Self::new(Kicks::Variational, NewtonOptions::default())
        }
    }

    /// What [`start`](Integrator::start) makes, for steps without the driver.
    pub(crate) fn stepper(
        &self,
        layout: &Layout,
        state: &State,
    ) -> Result<StormerVerletStepper, StepError> {
        let method = self.method().name;
        require_index(layout, method, 0)?;
        require_identity_descriptor(layout, method)?;
        let linear = |source| StepError::linear(state.t, source);
        let end_matrix = if self.end_rows {
            Some(Box::new(EndMatrix::new(layout).map_err(linear)?))
        } else {
            None
        };
        let free = || vec![0.0; state.v.len()];
        let constrained = || vec![0.0; state.lambda.len()];
        let differential = || vec![0.0; state.x.len()];
        // Algebraic variables of a line through the last two moments.
        let mut z_history = Extrapolation::new(state.z.len(), 1);
        z_history.push(state.t, &state.z);
        Ok(StormerVerletStepper {
            kicks: self.kicks,
            options: NewtonOptions {
                tolerance: Some(self.options.tolerance.unwrap_or(TOLERANCE)),
                ..self.options
            },
            start: Side::new(layout).map_err(linear)?,
            end: Side::new(layout).map_err(linear)?,
            start_is_loaded: false,
            kick: vec![0.0; layout.rate_count()],
            momentum: free(),
            transported: free(),
            displacement: free(),
            opposite: free(),
            half_velocity: free(),
            end_velocity: free(),
            impulse: constrained(),
            top: free(),
            bottom: constrained(),
            round_off: RoundOff::new(layout),
            start_bottom: constrained(),
            correction: free(),
            multiplier_correction: constrained(),
            start_x_rates: differential(),
            next_x: differential(),
            z: state.z.clone(),
            z_history,
            index_one: AccelerationSolver::new(layout).map_err(linear)?,
            local_error: LocalError::new(state),
            end_matrix,
            iterations: 0,
        })
    }
}

impl Integrator for StormerVerlet {
    fn method(&self) -> &'static Method {
        match self.kicks {
            Kicks::Variational => &Self::RATTLE,
            Kicks::Explicit => &Self::HALF_IMPLICIT,
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Ok(Box::new(self.stepper(system.layout(), state)?))
    }
}
