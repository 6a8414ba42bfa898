//! DOPRI5: Dormand and Prince's method on the index-1 form, without projection.

use crate::integrator::runge_kutta::explicit::{
    Coefficients, DenseWeights, ExplicitRungeKutta, Scheme,
};
use crate::integrator::runge_kutta::mdop5;
use crate::integrator::shared::projection::Projection;
use crate::integrator::tableau::dopri5::{DENSE, STAGES};
use crate::integrator::{DenseOutput, Kind, Method, Orders};

/// Dormand and Prince's method of order 5 on the index-1 form, as it is for ODEs: nothing is projected.
///
/// Each stage solves \[M -Gᵀ; G 0\] (v', λ) = (f, -γ) in local coordinates of the group; six evaluations per step, as the
/// last stage is the first of the next step. Order 5 in q, v and λ. The constraints drift: quadratically in time
/// at position level, linearly at velocity level, by the local errors.
///
/// Dense output is its own continuous extension of order 4 (local error O(h⁵) in q, v and x) rather than the quintic
/// Hermite polynomial: it costs nothing, and in x, where the driver's polynomial is a cubic with local error O(h⁴), it is one
/// order better. Multipliers are interpolated by a cubic through the ends and stages 3 and 4, with error O(h³).
///
/// Use it for ODEs, and for short runs of non-stiff mechanisms whose drift does not matter; otherwise
/// [`Mdop5`](crate::integrator::Mdop5), which projects. Not for stiff systems.
///
/// Sources: Dormand, Prince 1980, RK5(4)7M in Table 2, doi:10.1016/0771-050X(80)90013-3; dense output: Hairer, Nørsett,
/// Wanner, Solving Ordinary Differential Equations I, II.6, doi:10.1007/978-3-540-78862-1.
pub type Dopri5 = ExplicitRungeKutta<DormandPrince, STAGES>;

/// Marks the coefficients of [`Dopri5`].
#[derive(Clone, Copy, Debug)]
pub struct DormandPrince;

impl Coefficients<STAGES> for DormandPrince {
    const METHOD: Method = Method {
        name: "dopri5",
        title: "Dormand-Prince on index 1",
        kind: Kind::Explicit,
        index: 1,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 5,
        },
        error_order: 5.0,
        dense_output: DenseOutput::Own,
        captures_events: false,
        fixed_step_by_default: false,
        controller: mdop5::CONTROLLER,
        source: "Dormand, Prince 1980, Table 2, doi:10.1016/0771-050X(80)90013-3",
        use_when: "ODEs; short runs of non-stiff mechanisms",
        avoid_when: "stiff systems; long runs with constraints, which drift",
    };

    const SCHEME: Scheme<STAGES> = Scheme {
        dense: Some(DenseWeights {
            rows: &DENSE,
            multipliers: &[0, 2, 3, STAGES - 1],
        }),
        ..mdop5::SCHEME
    };
}

impl Dopri5 {
    /// The method.
    #[allow(clippy::new_without_default)] // methods are made by `new` throughout
    pub fn new() -> Self {
        Self::with_projection(Projection::Never)
    }
}
