//! HIRES: how light of high irradiance governs the growth of plants, by phytochrome.

use super::published::{SOURCE, Statement, names};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;

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

    fn names(&self) -> Vec<String> {
        names(&["Pr", "Pfr", "PrX", "PfrX", "PrX2", "PfrX2", "PfrX2E", "E"])
    }
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
    };
    statement.first_order(Hires)
}
