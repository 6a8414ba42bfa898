//! The Oregonator, the simplest model of the Belousov-Zhabotinskii reaction.

use super::published::{SOURCE, Statement, names, not_negative};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{FirstOrderModel, Property};

pub(crate) const OREGONATOR: ProblemEntry = ProblemEntry {
    name: "oregonator",
    title: "Oregonator, an oscillating chemical reaction of three species",
    description: "Concentrations of HBrO2, bromide and Ce(IV) change by six orders of magnitude within short fronts of a \
                  limit cycle; t = 360 is a little more than one period.",
    source: "Test Set for IVP Solvers, `orego`; Field and Noyes 1974; Hairer and Wanner, Solving Ordinary Differential \
             Equations II, IV.10",
    parameters: &[],
    build,
};

/// Field and Noyes' equations with s = 77.27, q = 8.375e-6, w = 0.161.
struct Oregonator;

const STIRRING: f64 = 77.27;
const SMALL: f64 = 8.375e-6;
const RECOVERY: f64 = 0.161;

impl FirstOrderModel for Oregonator {
    fn dimension(&self) -> usize {
        3
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 2.0, 3.0]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate[0] = (y[1] + y[0] - y[0] * y[1] - y[0] * y[0] * SMALL) * STIRRING;
        rate[1] = (y[2] - y[1] - y[0] * y[1]) / STIRRING;
        rate[2] = (y[0] - y[2]) * RECOVERY;
    }

    fn properties(&self) -> Vec<Property> {
        not_negative(self.names())
    }

    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out.copy_from_slice(y);
    }

    fn names(&self) -> Vec<String> {
        names(&["HBrO2", "Br", "Ce"])
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Concentrations and time without units.",
        "HBrO2' = s (Br + HBrO2 - HBrO2 Br - q HBrO2^2)",
        "Br' = (Ce - Br - HBrO2 Br) / s",
        "Ce' = w (HBrO2 - Ce)",
    ])
    .with_constants([
        ("s", STIRRING, "1"),
        ("q", SMALL, "1"),
        ("w", RECOVERY, "1"),
    ])
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &OREGONATOR,
        source: Some(SOURCE),
        t_end: 360.0,
        default_step: 1e-2,
        main_output: "HBrO2",
        order_study_end: Some(1.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1",
    };
    statement.first_order(Oregonator)
}
