//! Robertson's autocatalytic reaction: time scales from 1e-4 s to 1e11 s.

use super::published::{SOURCE, Statement, not_negative};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{FirstOrderModel, Property};

pub(crate) const ROBERTSON: ProblemEntry = ProblemEntry {
    name: "robertson",
    title: "Robertson's autocatalytic reaction to t = 1e11, three species",
    description: "Rate constants 0.04, 3e7 and 1e4. After a short transient y2 follows the others at 1e-5 and less; \
                  absolute tolerances must stay well below it, or y2 becomes negative and the solution escapes; so it does with long fixed \
                  steps from the start.",
    source: "Test Set for IVP Solvers, `rober`; H. H. Robertson 1966; Hairer and Wanner, Solving Ordinary Differential \
             Equations II, IV.1",
    parameters: &[],
    build,
};

/// A -> B (k1), B + B -> C + B (k2), B + C -> A + C (k3).
struct Robertson;

const K1: f64 = 0.04;
const K2: f64 = 3e7;
const K3: f64 = 1e4;

impl FirstOrderModel for Robertson {
    fn dimension(&self) -> usize {
        3
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let decay = y[0] * K1;
        let catalysis = y[1] * y[1] * K2;
        let back = y[1] * y[2] * K3;
        rate[0] = back - decay;
        rate[1] = decay - catalysis - back;
        rate[2] = catalysis;
    }

    fn properties(&self) -> Vec<Property> {
        let mut properties = not_negative(self.names());
        properties.push(Property::conserved("y1 + y2 + y3"));
        properties
    }

    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(y);
        out[3] = y[0] + y[1] + y[2];
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Concentrations y1, y2, y3 without units, time in s.",
        "y1' = -k1 y1 + k3 y2 y3",
        "y2' = k1 y1 - k2 y2^2 - k3 y2 y3",
        "y3' = k2 y2^2",
    ])
    .with_constants([("k1", K1, "1/s"), ("k2", K2, "1/s"), ("k3", K3, "1/s")])
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &ROBERTSON,
        source: Some(SOURCE),
        t_end: 1e11,
        default_step: 1e7,
        main_output: "y1",
        order_study_end: Some(40.0),
        absolute_scale: 1e-6,
        formulation: formulation(),
        unit: "1",
    };
    statement.first_order(Robertson)
}
