//! E5: pyrolysis with concentrations down to 1e-22 over times up to 1e13.

use super::published::{Statement, not_negative};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{FirstOrderModel, Property};

pub(crate) const E5: ProblemEntry = ProblemEntry {
    name: "e5",
    title: "E5, chemical pyrolysis to t = 1e13, four species",
    description: "Rate constants from 8e-10 to 1e9; y2, y3 and y4 never exceed 2e-10. Absolute tolerances must be near \
                  1e-24, or the run resolves nothing but y1. y2 - y3 - y4 is constant.",
    source: "Test Set for IVP Solvers, `e5`; Enright, Hull and Lindberg 1975; Hairer and Wanner, Solving Ordinary \
             Differential Equations II, IV.10",
    parameters: &[],
    build,
};

/// Four reactions of four species.
struct Pyrolysis;

const A: f64 = 7.89e-10;
const B: f64 = 1.1e7;
const C: f64 = 1.13e3;
const M: f64 = 1e6;

impl FirstOrderModel for Pyrolysis {
    fn dimension(&self) -> usize {
        4
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![1.76e-3, 0.0, 0.0, 0.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let decay = y[0] * A;
        let chain = y[0] * y[2] * B;
        let pairing = y[1] * y[2] * (M * C);
        let release = y[3] * C;
        rate[0] = -decay - chain;
        rate[1] = decay - pairing;
        rate[3] = chain - release;
        // In this order y2 - y3 - y4 stays constant to round-off.
        rate[2] = rate[1] - rate[3];
    }

    fn properties(&self) -> Vec<Property> {
        let mut properties = not_negative(self.names());
        properties.push(Property::conserved("y2 - y3 - y4"));
        properties
    }

    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[..4].copy_from_slice(y);
        out[4] = y[1] - y[2] - y[3];
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Concentrations y1 to y4 and time without units.",
        "y1' = -A y1 - B y1 y3",
        "y2' = A y1 - M C y2 y3",
        "y3' = A y1 - B y1 y3 - M C y2 y3 + C y4",
        "y4' = B y1 y3 - C y4",
    ])
    .with_constants([("A", A, "1"), ("B", B, "1"), ("C", C, "1"), ("M", M, "1")])
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &E5,
        source: Some(
            "y2 and y3: own computation; the printed end values of the Test Set for IVP Solvers contradict the \
             constant y2 - y3 - y4 in their third digit. y1 and y4 underflow",
        ),
        t_end: 1e13,
        default_step: 1e9,
        main_output: "y2",
        order_study_end: Some(1e3),
        absolute_scale: 1e-18,
        formulation: formulation(),
        unit: "1",
    };
    statement.first_order(Pyrolysis)
}
