//! The ring modulator: diodes, a swift carrier and parasitic capacitances.

use super::published::{SOURCE, Statement, names};
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{Derivative, FirstOrderModel, MatrixMut};
use std::f64::consts::PI;

pub(crate) const RING_MODULATOR: ProblemEntry = ProblemEntry {
    name: "ring-modulator",
    title: "ring modulator, fifteen voltages and currents with parasitic capacitances of 2 pF",
    description: "Mixes a signal of 1 kHz and a carrier of 10 kHz by four diodes. Stiff, with swift oscillations of \
                  small amplitude through the capacitance cs; for cs = 0 it would be a DAE of index 2.",
    source: "Test Set for IVP Solvers, `ringmod` (ODE case); Horneber 1985; Kampowsky, Rentrop and Schmidt 1992",
    parameters: &[ParameterInfo::new(
        "cs",
        2e-12,
        "F",
        Range::Positive,
        "parasitic capacitance parallel to the diodes' nodes",
    )],
    build,
};

/// Amplitudes and angular frequencies of signal and carrier.
const SIGNAL: f64 = 0.5;
const SIGNAL_FREQUENCY: f64 = 2000.0 * PI;
const CARRIER: f64 = 2.0;
const CARRIER_FREQUENCY: f64 = 20_000.0 * PI;
const C: f64 = 1.6e-8;
const CP: f64 = 1e-8;
const R: f64 = 25e3;
const RP: f64 = 50.0;
const LH: f64 = 4.45;
const LS1: f64 = 2e-3;
const LS2: f64 = 5e-4;
const LS3: f64 = 5e-4;
const RG1: f64 = 36.3;
const RG2: f64 = 17.3;
const RG3: f64 = 17.3;
const RI: f64 = 50.0;
const RC: f64 = 600.0;
const DIODE_CURRENT: f64 = 40.672_864_02e-9;
const DIODE_SLOPE: f64 = 17.749_333_2;

/// Seven voltages U and eight currents I.
struct RingModulator {
    cs: f64,
}

/// The carrier's voltage.
fn carrier<S: Scalar>(t: S) -> S {
    (t * CARRIER_FREQUENCY).sin() * CARRIER
}

/// The current through a diode at this voltage.
fn diode<S: Scalar>(voltage: S) -> S {
    ((voltage * DIODE_SLOPE).exp() - 1.0) * DIODE_CURRENT
}

impl FirstOrderModel for RingModulator {
    fn dimension(&self) -> usize {
        15
    }

    fn initial_value(&self) -> Vec<f64> {
        vec![0.0; 15]
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let signal = (t * SIGNAL_FREQUENCY).sin() * SIGNAL;
        let carrier = carrier(t);
        let (u, i) = y.split_at(7);
        let d1 = diode(u[2] - u[4] - u[6] - carrier);
        let d2 = diode(u[5] - u[3] - u[6] - carrier);
        let d3 = diode(u[3] + u[4] + u[6] + carrier);
        let d4 = diode(u[6] - u[2] - u[5] + carrier);
        rate[0] = (i[0] + (i[3] - i[2]) * 0.5 + i[6] - u[0] / R) / C;
        rate[1] = (i[1] + (i[5] - i[4]) * 0.5 + i[7] - u[1] / R) / C;
        rate[2] = (i[2] - d1 + d4) / self.cs;
        rate[3] = (d2 - d3 - i[3]) / self.cs;
        rate[4] = (i[4] + d1 - d3) / self.cs;
        rate[5] = (d4 - d2 - i[5]) / self.cs;
        rate[6] = (d1 + d2 - d3 - d4 - u[6] / RP) / CP;
        rate[7] = -u[0] / LH;
        rate[8] = -u[1] / LH;
        rate[9] = (u[0] * 0.5 - u[2] - i[2] * RG2) / LS2;
        rate[10] = (u[3] - u[0] * 0.5 - i[3] * RG3) / LS3;
        rate[11] = (u[1] * 0.5 - u[4] - i[4] * RG2) / LS2;
        rate[12] = (u[5] - u[1] * 0.5 - i[5] * RG3) / LS3;
        rate[13] = (signal - u[0] - i[6] * (RI + RG1)) / LS1;
        rate[14] = (-u[1] - i[7] * (RC + RG1)) / LS1;
    }

    fn rate_jacobian(&self, t: f64, y: &[f64], jacobian: &mut MatrixMut<f64>) -> Derivative {
        // The currents I stand behind seven voltages U.
        let i = |number: usize| 7 + number;
        let [node, cp] = [1.0 / self.cs, 1.0 / CP];
        let entries = [
            (0, i(0), 1.0 / C),
            (0, i(2), -0.5 / C),
            (0, i(3), 0.5 / C),
            (0, i(6), 1.0 / C),
            (0, 0, -1.0 / (R * C)),
            (1, i(1), 1.0 / C),
            (1, i(4), -0.5 / C),
            (1, i(5), 0.5 / C),
            (1, i(7), 1.0 / C),
            (1, 1, -1.0 / (R * C)),
            (2, i(2), node),
            (3, i(3), -node),
            (4, i(4), node),
            (5, i(5), -node),
            (6, 6, -cp / RP),
            (i(0), 0, -1.0 / LH),
            (i(1), 1, -1.0 / LH),
            (i(2), 0, 0.5 / LS2),
            (i(2), 2, -1.0 / LS2),
            (i(2), i(2), -RG2 / LS2),
            (i(3), 0, -0.5 / LS3),
            (i(3), 3, 1.0 / LS3),
            (i(3), i(3), -RG3 / LS3),
            (i(4), 1, 0.5 / LS2),
            (i(4), 4, -1.0 / LS2),
            (i(4), i(4), -RG2 / LS2),
            (i(5), 1, -0.5 / LS3),
            (i(5), 5, 1.0 / LS3),
            (i(5), i(5), -RG3 / LS3),
            (i(6), 0, -1.0 / LS1),
            (i(6), i(6), -(RI + RG1) / LS1),
            (i(7), 1, -1.0 / LS1),
            (i(7), i(7), -(RC + RG1) / LS1),
        ];
        for (row, column, value) in entries {
            jacobian[(row, column)] = value;
        }
        // Each diode: the voltages across it, and the nodes that its current flows to and from.
        let carrier = carrier(t);
        let diodes = [
            (
                [(2, 1.0), (4, -1.0), (6, -1.0)],
                -carrier,
                [(2, -node), (4, node), (6, cp)],
            ),
            (
                [(5, 1.0), (3, -1.0), (6, -1.0)],
                -carrier,
                [(3, node), (5, -node), (6, cp)],
            ),
            (
                [(3, 1.0), (4, 1.0), (6, 1.0)],
                carrier,
                [(3, -node), (4, -node), (6, -cp)],
            ),
            (
                [(6, 1.0), (2, -1.0), (5, -1.0)],
                carrier,
                [(2, node), (5, node), (6, -cp)],
            ),
        ];
        for (voltages, offset, flows) in diodes {
            let voltage = offset + voltages.map(|(at, sign)| sign * y[at]).iter().sum::<f64>();
            let conductance = DIODE_CURRENT * DIODE_SLOPE * (voltage * DIODE_SLOPE).exp();
            for (row, flow) in flows {
                for (column, sign) in voltages {
                    jacobian[(row, column)] += flow * conductance * sign;
                }
            }
        }
        Derivative::Analytic
    }

    fn names(&self) -> Vec<String> {
        names(&[
            "U1", "U2", "U3", "U4", "U5", "U6", "U7", "I1", "I2", "I3", "I4", "I5", "I6", "I7",
            "I8",
        ])
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Voltages U1 to U7 in V, currents I1 to I8 in A, time in s; cs is a parameter.",
        "Signal Uin1 = A1 sin(w1 t), carrier Uin2 = A2 sin(w2 t), diodes q(U) = gamma (exp(delta U) - 1):",
        "D1 = q(U3 - U5 - U7 - Uin2)",
        "D2 = q(U6 - U4 - U7 - Uin2)",
        "D3 = q(U4 + U5 + U7 + Uin2)",
        "D4 = q(U7 - U3 - U6 + Uin2)",
        "C U1' = I1 - I3 / 2 + I4 / 2 + I7 - U1 / R",
        "C U2' = I2 - I5 / 2 + I6 / 2 + I8 - U2 / R",
        "cs U3' = I3 - D1 + D4",
        "cs U4' = -I4 + D2 - D3",
        "cs U5' = I5 + D1 - D3",
        "cs U6' = -I6 - D2 + D4",
        "Cp U7' = -U7 / Rp + D1 + D2 - D3 - D4",
        "Lh I1' = -U1",
        "Lh I2' = -U2",
        "Ls2 I3' = U1 / 2 - U3 - Rg2 I3",
        "Ls3 I4' = -U1 / 2 + U4 - Rg3 I4",
        "Ls2 I5' = U2 / 2 - U5 - Rg2 I5",
        "Ls3 I6' = -U2 / 2 + U6 - Rg3 I6",
        "Ls1 I7' = -U1 + Uin1 - (Ri + Rg1) I7",
        "Ls1 I8' = -U2 - (Rc + Rg1) I8",
    ])
    .with_constants([
        ("A1", SIGNAL, "V"),
        ("w1", SIGNAL_FREQUENCY, "rad/s"),
        ("A2", CARRIER, "V"),
        ("w2", CARRIER_FREQUENCY, "rad/s"),
        ("gamma", DIODE_CURRENT, "A"),
        ("delta", DIODE_SLOPE, "1/V"),
        ("C", C, "F"),
        ("Cp", CP, "F"),
        ("R", R, "Ohm"),
        ("Rp", RP, "Ohm"),
        ("Lh", LH, "H"),
        ("Ls1", LS1, "H"),
        ("Ls2", LS2, "H"),
        ("Ls3", LS3, "H"),
        ("Rg1", RG1, "Ohm"),
        ("Rg2", RG2, "Ohm"),
        ("Rg3", RG3, "Ohm"),
        ("Ri", RI, "Ohm"),
        ("Rc", RC, "Ohm"),
    ])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &RING_MODULATOR,
        source: parameters.are_default(&["cs"]).then_some(SOURCE),
        t_end: 1e-3,
        default_step: 1e-8,
        main_output: "U2",
        order_study_end: Some(1e-5),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "V for U, A for I",
    };
    statement.first_order(RingModulator {
        cs: parameters.get("cs")?,
    })
}
