//! HIRES: how light of high irradiance governs the growth of plants, by phytochrome.

use super::published::{SOURCE, Statement, names, not_negative};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{Derivative, FirstOrderModel, MatrixMut, Property};

pub(crate) const HIRES: ProblemEntry = ProblemEntry {
    name: "hires",
    title: "HIRES, high irradiance responses of photomorphogenesis, eight reacting species",
    description: "Phytochrome in its red and far-red forms, free, bound to a receptor X and to an enzyme E. Moderately \
                  stiff, with a swift change of E near t = 318.",
    source: "Test Set for IVP Solvers, `hires`; Schaefer 1975; Hairer and Wanner, Solving Ordinary Differential \
             Equations II, IV.10",
    parameters: &[],
    build,
};

/// The reactions between P_r, P_fr, their compounds with X and X', and E.
struct Hires;

const K: [f64; 6] = [1.71, 0.43, 8.32, 0.69, 0.035, 8.32];
const BINDING: f64 = 280.0;
const RELEASE: f64 = 0.69;
const SUPPLY: f64 = 0.0007;

impl FirstOrderModel for Hires {
    fn dimension(&self) -> usize {
        8
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057]
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let [k1, k2, k3, k4, k5, k6] = K;
        let bound = y[5] * y[7] * BINDING;
        let freed = y[6] * (k2 + 2.0 * RELEASE);
        rate[0] = y[1] * k2 + y[2] * k6 - y[0] * k1 + SUPPLY;
        rate[1] = y[0] * k1 - y[1] * (k2 + k3);
        rate[2] = y[3] * k2 + y[4] * k5 - y[2] * (k1 + k6);
        rate[3] = y[1] * k3 + y[2] * k1 - y[3] * (k2 + k4);
        rate[4] = (y[5] + y[6]) * k2 - y[4] * (k1 + k5);
        rate[5] = y[3] * RELEASE + y[4] * k1 - y[5] * k2 + y[6] * RELEASE - bound;
        rate[6] = bound - freed;
        rate[7] = freed - bound;
    }

    fn properties(&self) -> Vec<Property> {
        let mut properties = not_negative(self.names());
        properties.push(Property::conserved("y7 + y8"));
        properties
    }

    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out[..8].copy_from_slice(y);
        out[8] = y[6] + y[7];
    }

    fn rate_jacobian(&self, _t: f64, y: &[f64], jacobian: &mut MatrixMut<f64>) -> Derivative {
        let [k1, k2, k3, k4, k5, k6] = K;
        let entries = [
            (0, 0, -k1),
            (0, 1, k2),
            (0, 2, k6),
            (1, 0, k1),
            (1, 1, -(k2 + k3)),
            (2, 2, -(k1 + k6)),
            (2, 3, k2),
            (2, 4, k5),
            (3, 1, k3),
            (3, 2, k1),
            (3, 3, -(k2 + k4)),
            (4, 4, -(k1 + k5)),
            (4, 5, k2),
            (4, 6, k2),
            (5, 3, RELEASE),
            (5, 4, k1),
            (5, 5, -k2),
            (5, 6, RELEASE),
        ];
        for (row, column, value) in entries {
            jacobian[(row, column)] = value;
        }
        // PfrX2 and E bind to PfrX2E.
        let (by_sixth, by_last) = (BINDING * y[7], BINDING * y[5]);
        for (row, sign) in [(5, -1.0), (6, 1.0), (7, -1.0)] {
            jacobian[(row, 5)] += sign * by_sixth;
            jacobian[(row, 7)] += sign * by_last;
        }
        jacobian[(6, 6)] = -(k2 + 2.0 * RELEASE);
        jacobian[(7, 6)] = k2 + 2.0 * RELEASE;
        Derivative::Analytic
    }

    fn names(&self) -> Vec<String> {
        names(&["Pr", "Pfr", "PrX", "PfrX", "PrX2", "PfrX2", "PfrX2E", "E"])
    }
}

fn formulation() -> Formulation {
    let rates = ["k1", "k2", "k3", "k4", "k5", "k6"].into_iter().zip(K);
    let rates = rates.map(|(name, value)| (name, value, "1"));
    Formulation::new([
        "Concentrations and time without units.",
        "Pr' = -k1 Pr + k2 Pfr + k6 PrX + supply",
        "Pfr' = k1 Pr - (k2 + k3) Pfr",
        "PrX' = -(k6 + k1) PrX + k2 PfrX + k5 PrX2",
        "PfrX' = k3 Pfr + k1 PrX - (k4 + k2) PfrX",
        "PrX2' = -(k5 + k1) PrX2 + k2 PfrX2 + k2 PfrX2E",
        "PfrX2' = -binding PfrX2 E + release PfrX + k1 PrX2 - k2 PfrX2 + release PfrX2E",
        "PfrX2E' = binding PfrX2 E - (k2 + 2 release) PfrX2E",
        "E' = -binding PfrX2 E + (k2 + 2 release) PfrX2E",
    ])
    .with_constants(rates.chain([
        ("binding", BINDING, "1"),
        ("release", RELEASE, "1"),
        ("supply", SUPPLY, "1"),
    ]))
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &HIRES,
        source: Some(SOURCE),
        t_end: 321.8122,
        default_step: 0.01,
        main_output: "Pr",
        order_study_end: Some(5.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1",
    };
    statement.first_order(Hires)
}
