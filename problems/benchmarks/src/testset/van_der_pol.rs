//! Van der Pol's oscillator, a stiff relaxation oscillation.

use super::published::{SOURCE, Statement, names};
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{Derivative, FirstOrderModel, MatrixMut};

pub(crate) const VAN_DER_POL: ProblemEntry = ProblemEntry {
    name: "van-der-pol",
    title: "van der Pol's oscillator with mu = 1000, a stiff relaxation oscillation",
    description: "y'' = mu (1 - y^2) y' - y from (2, dy0): slow drifts between jumps within 1/mu. Explicit methods are \
                  held to steps of 1/mu.",
    source: "Test Set for IVP Solvers, `vdpol` with the time not scaled; Hairer and Wanner, Solving Ordinary \
             Differential Equations II, IV.1",
    parameters: &[
        ParameterInfo::new("mu", 1000.0, "1", Range::Positive, "damping"),
        ParameterInfo::new("dy0", 0.0, "1/s", Range::Finite, "initial rate of y"),
    ],
    build,
};

/// y1' = y2, y2' = mu (1 - y1^2) y2 - y1.
struct VanDerPol {
    mu: f64,
    initial_rate: f64,
}

impl FirstOrderModel for VanDerPol {
    fn dimension(&self) -> usize {
        2
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![2.0, self.initial_rate]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = y[1];
        rate[1] = (S::constant(1.0) - y[0] * y[0]) * y[1] * self.mu - y[0];
    }

    fn rate_jacobian(&self, _t: f64, y: &[f64], jacobian: &mut MatrixMut<f64>) -> Derivative {
        jacobian[(0, 1)] = 1.0;
        jacobian[(1, 0)] = -2.0 * self.mu * y[0] * y[1] - 1.0;
        jacobian[(1, 1)] = self.mu * (1.0 - y[0] * y[0]);
        Derivative::Analytic
    }

    fn names(&self) -> Vec<String> {
        names(&["y", "dy"])
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "y' = dy",
        "dy' = mu (1 - y^2) dy - y, mu and the initial dy0 are parameters",
    ])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &VAN_DER_POL,
        source: parameters.are_default(&["mu", "dy0"]).then_some(SOURCE),
        t_end: 2000.0,
        default_step: 0.1,
        main_output: "y",
        order_study_end: None,
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1, per s for dy",
    };
    statement.first_order(VanDerPol {
        mu: parameters.get("mu")?,
        initial_rate: parameters.get("dy0")?,
    })
}
