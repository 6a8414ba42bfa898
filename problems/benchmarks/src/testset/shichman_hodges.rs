//! Field-effect transistors of logic gates by the model of Shichman and Hodges, and the pulses that drive the gates.

use crate::{Cell, Formulation};
use liedae::scalar::Scalar;

/// Modulation of the channel's length, in 1/V.
const CHANNEL: f64 = 0.02;
const THERMAL_VOLTAGE: f64 = 25.85;
/// Supply and bulk of the circuits, in V.
pub(super) const SUPPLY: f64 = 5.0;
pub(super) const BULK: f64 = -2.5;
/// Built-in voltage of the junctions, in V.
pub(super) const BARRIER: f64 = 0.87;
/// Height of the pulses in V, and the duration of their slopes in ns.
const HIGH: f64 = 5.0;
const RISE: f64 = 5.0;

/// A transistor's type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transistor {
    pub threshold: f64,
    pub body: f64,
    pub surface: f64,
    /// For a current from drain to source, and back.
    pub gain: [f64; 2],
}

impl Transistor {
    /// Conducts unless its gate is negative.
    pub(super) const fn depletion(gain: f64) -> Self {
        Self {
            threshold: -2.43,
            body: 0.2,
            surface: 1.28,
            gain: [gain; 2],
        }
    }

    /// Conducts where its gate is positive.
    pub(super) const fn enhancement(gain: [f64; 2]) -> Self {
        Self {
            threshold: 0.2,
            body: 0.035,
            surface: 1.01,
            gain,
        }
    }

    /// Current from drain to source for a voltage `drain` > 0 between them, `gate` and `bulk` seen from the lower one.
    /// Not a number where the bulk is biased beyond the surface potential.
    fn channel<S: Scalar>(&self, gain: f64, [drain, gate, bulk]: [S; 3]) -> S {
        let root = (S::constant(self.surface) - bulk).sqrt();
        let excess = gate - ((root - self.surface.sqrt()) * self.body + self.threshold);
        let conducted = if excess.value() <= 0.0 {
            S::constant(0.0)
        } else if excess.value() <= drain.value() {
            excess * excess
        } else {
            drain * (excess * 2.0 - drain)
        };
        conducted * (drain * CHANNEL + 1.0) * gain
    }

    /// Current out of the source, for voltages drain-source, gate-source, bulk-source, gate-drain and bulk-drain.
    pub(super) fn current<S: Scalar>(&self, [ds, gs, bs, gd, bd]: [S; 5]) -> S {
        if ds.value() > 0.0 {
            -self.channel(self.gain[0], [ds, gs, bs])
        } else {
            self.channel(self.gain[1], [-ds, gd, bd])
        }
    }
}

/// Current of the junction between bulk and source or drain.
pub(super) fn junction<S: Scalar>(saturation: f64, voltage: S) -> S {
    if voltage.value() <= 0.0 {
        ((voltage / THERMAL_VOLTAGE).exp() - 1.0) * -saturation
    } else {
        S::constant(0.0)
    }
}

/// A pulse of 5 V with slopes of 5 ns: it begins after `delay` and stays up for `high`.
pub(super) fn pulse<S: Scalar>(t: S, [delay, high, period]: [f64; 3]) -> S {
    let time = t - period * (t.value() / period).floor();
    let up = (time - delay) / RISE;
    let down = (-time + delay + high + 2.0 * RISE) / RISE;
    up.min(down).min(S::constant(1.0)).max(S::constant(0.0)) * HIGH
}

/// The laws of transistors, junctions and pulses, in the symbols of [`constants`] and of the columns of transistors.
pub(super) const LAWS: [&str; 7] = [
    "Channel of a transistor with voltages between its inner drain and source (uds), gate and source (ugs), bulk and source (ubs), gate and drain (ugd), bulk and drain (ubd):",
    "ids(uds, ugs, ubs, ugd, ubd) = -h(gain, uds, ugs, ubs) if uds > 0, else h(reversed gain, -uds, ugd, ubd); this current flows out of the source's node into the drain's with the signs of the equations.",
    "h(k, ud, ug, ub) = k (1 + kappa ud) e^2 if 0 < e <= ud, k (1 + kappa ud) ud (2 e - ud) if e > ud, 0 if e <= 0, with e = ug - UT - gamma (sqrt(phi - ub) - sqrt(phi)).",
    "Junction between bulk and source or drain: j(u) = -iS (exp(u / uth) - 1) if u <= 0, else 0.",
    "Pulses of inputs: with tau = t modulo period, V(t) = Vhigh max(0, min(1, (tau - delay) / rise, (delay + high + 2 rise - tau) / rise)).",
    "Ground has 0 V, the supply VDD, the bulk VBB. Kinks of the inputs, at multiples of the rise, are events.",
    "Charges Q1, Q2, ... and voltages U1, U2, ... of the nodes: Q' = currents, 0 = Q - charges.",
];

/// Constants of [`LAWS`].
const CONSTANTS: [(&str, f64, &str); 7] = [
    ("kappa", CHANNEL, "1/V"),
    ("uth", THERMAL_VOLTAGE, "V"),
    ("VDD", SUPPLY, "V"),
    ("VBB", BULK, "V"),
    ("phiB", BARRIER, "V"),
    ("Vhigh", HIGH, "V"),
    ("rise", RISE, "ns"),
];

/// Those and a circuit's own: the saturation current of its junctions, resistances of gates and bulks, capacitances of gates, bulks and loads.
pub(super) fn constants(
    saturation: f64,
    [gate, bulk]: [f64; 2],
    [c_gate, c_bulk, c_load]: [f64; 3],
) -> impl Iterator<Item = (&'static str, f64, &'static str)> {
    let resistance = "of the test set, V per unit of current";
    let capacitance = "of the test set, unit of charge per V";
    let own = [
        ("iS", saturation, "of the test set, unit of current"),
        ("RG", gate, resistance),
        ("RB", bulk, resistance),
        ("CG", c_gate, capacitance),
        ("CB", c_bulk, capacitance),
        ("CL", c_load, capacitance),
    ];
    CONSTANTS.into_iter().chain(own)
}

/// With the table of the pulses of these inputs.
pub(super) fn with_pulses(
    formulation: Formulation,
    pulses: &[[f64; 3]],
    inputs: &[&str],
) -> Formulation {
    let pulses = pulses.iter().zip(inputs);
    let rows = pulses.map(|(&[delay, high, period], &name)| {
        [Cell::from(name), delay.into(), high.into(), period.into()]
    });
    let columns = ["input", "delay (ns)", "high (ns)", "period (ns)"];
    formulation.with_table("pulses", columns, rows)
}

/// Columns of types of transistors.
pub(super) const COLUMNS: [&str; 6] = [
    "transistor",
    "UT (V)",
    "gamma (sqrt(V))",
    "phi (V)",
    "gain",
    "reversed gain",
];

impl Transistor {
    /// The row of a transistor, in [`COLUMNS`].
    pub(super) fn row(&self, name: &str) -> [Cell; 6] {
        let [gain, reversed] = self.gain;
        let numbers = [self.threshold, self.body, self.surface, gain, reversed];
        let mut row = [name, "", "", "", "", ""].map(Cell::from);
        for (cell, number) in row[1..].iter_mut().zip(numbers) {
            *cell = number.into();
        }
        row
    }
}
