//! DOP853: Dormand and Prince's method of order 8 on the index-1 form.

use super::explicit::{Coefficients, DenseWeights, Estimate, ExplicitRungeKutta, Scheme};
use super::registry::Projection;
use super::tableau::dop853::{A, C, DENSE, END, FIFTH, SLOTS, THIRD};
use super::{DenseOutput, Kind, Method, Orders};
use crate::control::{ControllerKind, Limits};

/// DOP853
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
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: 0.9,
            shrink: 0.333,
            grow: 6.0,
        }),
        source: "Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.10, \
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
