//! DOP853: Dormand and Prince's method of order 8 on the index-1 form.

use crate::control::{ControllerKind, Limits};
use crate::integrator::runge_kutta::explicit::{
    Coefficients, DenseWeights, Estimate, ExplicitRungeKutta, Scheme,
};
use crate::integrator::shared::projection::Projection;
use crate::integrator::tableau::dop853::{A, C, DENSE, END, FIFTH, SLOTS, THIRD};
use crate::integrator::{DenseOutput, Kind, Method, Orders};

/// Dormand and Prince's method of order 8(5,3) on the index-1 form; positions and velocities are projected back onto
/// the constraints.
///
/// Each stage solves \[M -Gᵀ; G 0\] (v', λ) = (f, -γ); configurations are advanced in local coordinates, so that it runs
/// on Lie groups unchanged. Order 8 in q, v and λ, twelve evaluations per accepted step and eleven per rejected one. The
/// estimate combines two embedded results, e = |h| e₅² / sqrt((e₅² + 0.01 e₃²) n). On ODEs it is DOP853, with
/// its controller (elementary, steps change by factors from 0.333 to 6).
///
/// Without projection the constraints drift. Projections follow the error estimate and cost no evaluation of the dynamics,
/// since the end of a step is evaluated only after it has been accepted; they leave the steps as they are and hold the
/// constraints to round-off, so they are made at every step unless the options say otherwise.
///
/// Dense output is its own of order 7 (local error O(h⁸) in q, v and x); it needs three more stages per step, which are
/// evaluated only when somebody looks. Multipliers and algebraic variables are quartic polynomials through the ends and
/// these stages, with error O(h⁵).
///
/// Use it for smooth non-stiff systems at high accuracy; not for stiff systems, nor where events or forces that are
/// not smooth cut its long steps short.
///
/// Source: Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., II.5 and II.10 (eq.
/// 10.17: the estimate),
/// doi:10.1007/978-3-540-78862-1.
/// Measured: `liedae run andrews --method dop853 --projection never --rtol 1e-8 --atol 1e-8` takes 71 steps and rejects 27
/// (DOP853: 72 and 28), error 1.6e-8 in the angles; with projection the same steps, 2.1e-8.
pub type Dop853 = ExplicitRungeKutta<DormandPrince8, SLOTS>;

/// Marks the coefficients of [`Dop853`].
#[derive(Clone, Copy, Debug)]
pub struct DormandPrince8;

impl Coefficients<SLOTS> for DormandPrince8 {
    const METHOD: Method = Method {
        name: "dop853",
        title: "Dormand-Prince of order 8 on index 1",
        kind: Kind::Explicit,
        index: 1,
        orders: Orders {
            q: 8,
            v: 8,
            lambda: 8,
        },
        error_order: 8.0,
        dense_output: DenseOutput::Own,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.333,
            grow: 6.0,
        }),
        source: "Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.10, eq. 10.17, \
                 doi:10.1007/978-3-540-78862-1",
        use_when: "smooth non-stiff systems at high accuracy; multipliers and accelerations at every step",
        avoid_when: "stiff systems; systems with many events or with forces that are not smooth",
    };

    const SCHEME: Scheme<SLOTS> = Scheme {
        nodes: &C,
        rows: &A,
        end: END,
        estimate: Estimate::FifthAndThird(&FIFTH, &THIRD),
        dense: Some(DenseWeights {
            rows: &DENSE,
            multipliers: &[0, END + 1, END + 2, END + 3, END],
        }),
    };
}

impl Dop853 {
    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self::with_projection(projection)
    }
}
