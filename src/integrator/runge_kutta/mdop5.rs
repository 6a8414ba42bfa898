//! MDOP5: Dormand and Prince's method on the index-1 form, with projection.

use crate::control::{ControllerKind, Limits};
use crate::integrator::runge_kutta::explicit::{
    Coefficients, Estimate, ExplicitRungeKutta, Scheme,
};
use crate::integrator::shared::projection::Projection;
use crate::integrator::tableau::dopri5::{A, C, E, STAGES};
use crate::integrator::{DenseOutput, Kind, Method, Orders};

/// DOPRI5 on the index-1 form; positions and velocities are projected back onto the constraints.
///
/// Each stage solves \[M -Gᵀ; G 0\] (v', λ) = (f, -γ); configurations are advanced in local coordinates, so that it runs
/// on Lie groups unchanged. Order 5 in q, v and λ, which hold at every step. Without projection the constraints drift;
/// projections follow the error estimate and cost one more evaluation per step, as the last stage is then no longer the
/// first of the next step. Where they leave positions alone, as with small steps, both need no factorization of their own.
/// On ODEs it is DOPRI5.
///
/// Use it for non-stiff systems, where multipliers and accelerations at every step are wanted, and for ODEs; not for
/// stiff systems.
///
/// Sources: Dormand, Prince 1980, doi:10.1016/0771-050X(80)90013-3; Haddouni et al. 2017, section 3.3,
/// doi:10.1007/s11044-017-9570-y.
/// Measured: `liedae run andrews --method mdop5 --projection never --rtol 1e-6 --atol 1e-6` against DOPRI5's 102 steps.
///
/// ```
/// use liedae::integrator::{Mdop5, Projection};
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second, put back onto its circle in every step.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = Mdop5::new(Projection::EveryStep);
/// let end = solve(&mut pendulum, &method, &Options::adaptive(1.0, 1e-9, 1e-9))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-6 && (end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Mdop5 = ExplicitRungeKutta<DormandPrinceWithProjection, STAGES>;

/// Marks the coefficients of [`Mdop5`].
#[derive(Clone, Copy, Debug)]
pub struct DormandPrinceWithProjection;

impl Coefficients<STAGES> for DormandPrinceWithProjection {
    const METHOD: Method = Method {
        name: "mdop5",
        title: "Dormand-Prince on index 1 with projection",
        kind: Kind::Explicit,
        index: 1,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 5,
        },
        error_order: 5.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: false,
        controller: CONTROLLER,
        source: "Dormand, Prince 1980, Table 2, doi:10.1016/0771-050X(80)90013-3; Haddouni et al. 2017, 3.3, \
                 doi:10.1007/s11044-017-9570-y",
        use_when: "non-stiff mechanisms and ODEs; multipliers and accelerations at every step",
        avoid_when: "stiff systems",
    };

    const SCHEME: Scheme<STAGES> = SCHEME;
}

/// The PI controller of DOPRI5.
pub(in crate::integrator) const CONTROLLER: ControllerKind = ControllerKind::ProportionalIntegral(
    Limits {
        safety: 0.9,
        shrink: 0.2,
        grow: 10.0,
    },
    0.04,
);

/// Dormand and Prince's coefficients, with the dense output that the driver provides.
pub(in crate::integrator) const SCHEME: Scheme<STAGES> = Scheme {
    nodes: &C,
    rows: &A,
    end: STAGES - 1,
    estimate: Estimate::Embedded(&E),
    dense: None,
};

impl Mdop5 {
    /// The method with a projection rule.
    pub fn new(projection: Projection) -> Self {
        Self::with_projection(projection)
    }
}
