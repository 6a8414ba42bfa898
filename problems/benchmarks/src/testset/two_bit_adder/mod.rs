//! A circuit that adds two numbers of two bits and a carry.

mod circuit;
mod formulation;
mod start;

use super::published::{SOURCE, Statement, numbered};
use super::shichman_hodges::{BARRIER, BULK, SUPPLY, junction, pulse};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use circuit::{Circuit, Placed, Terminal};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;
use start::VOLTAGES;

pub(crate) const TWO_BIT_ADDER: ProblemEntry = ProblemEntry {
    name: "two-bit-adder",
    title: "two-bit adder, ten gates of 39 field-effect transistors, charges and voltages of 175 nodes, index 1",
    description: "Three NOR gates, five AND-OR-NOT gates, a NAND and an OR-AND-NOT gate, and a row of three transistors. \
                  U49 and U130 are the bits of the sum, U148 is its carry, inverted. Charges of the nodes and their voltages, \
                  Q' = f(U, t) and 0 = Q - Q(U, t). The charges take in those that the inputs hold, so that the inputs' \
                  slopes do not occur, which jump every 5 ns; at the start and at the end this makes no difference. Units are those \
                  of the test set, with its scaled time. Runs land on the kinks. In the test set's code the charge of one junction of each NOR gate is \
                  measured from a node of the gate behind it, which makes a capacitance negative for a time, and those at the \
                  supply from the ground; here they are measured from where the junctions are.",
    source: "Test Set for IVP Solvers, `tba`; Guenther and Rentrop 1993; transistors by Shichman and Hodges",
    parameters: &[],
    build,
};

const NODES: usize = 175;
/// Resistances, capacitances and the current of the junctions, scaled by the test set: time by 1e4, currents by 5.
const R_GATE: f64 = 8e-4;
const R_BULK: f64 = 2e-3;
const C_GATE: f64 = 0.6;
const C_BULK: f64 = 0.24;
const C_OUTPUT: f64 = 2.0;
const SATURATION: f64 = 5e-11;

/// Delay, duration and period of the inputs' pulses, in the order of [`circuit::Input`].
const PULSES: [[f64; 3]; 5] = [
    [0.0, 5.0, 20.0],
    [10.0, 15.0, 40.0],
    [30.0, 35.0, 80.0],
    [70.0, 75.0, 160.0],
    [150.0, 155.0, 320.0],
];
const T_END: f64 = 320.0;

/// Charges Q1 to Q175 and voltages U1 to U175 of the nodes.
struct Adder {
    circuit: Circuit,
}

/// The charge of a junction: its capacitance times its voltage.
fn junction_charge<S: Scalar>(voltage: S) -> S {
    let capacitance = if voltage.value() <= 0.0 {
        S::constant(C_BULK) / (-voltage / BARRIER + 1.0).sqrt()
    } else {
        (voltage / (2.0 * BARRIER) + 1.0) * C_BULK
    };
    capacitance * voltage
}

/// Voltages of everything at a moment.
struct Voltages<'a, S> {
    nodes: &'a [S],
    inputs: [S; 5],
}

impl<S: Scalar> Voltages<'_, S> {
    fn at(&self, terminal: Terminal) -> S {
        match terminal {
            Terminal::Node(node) => self.nodes[node],
            Terminal::Input(input) => self.inputs[input as usize],
            Terminal::Ground => S::constant(0.0),
            Terminal::Supply => S::constant(SUPPLY),
        }
    }
}

/// Adds to what belongs to a node, if the terminal is one.
fn add<S: Scalar>(out: &mut [S], terminal: Terminal, value: S) {
    if let Terminal::Node(node) = terminal {
        out[node] += value;
    }
}

/// The currents into the nodes of a transistor and of its terminals.
fn currents<S: Scalar>(transistor: &Placed, u: &Voltages<S>, out: &mut [S]) {
    let [source, drain, source_bulk, drain_bulk] = transistor.nodes();
    let nodes = u.nodes;
    let (outer_source, outer_drain) = (u.at(transistor.source), u.at(transistor.drain));
    let gate = u.at(transistor.gate);
    let through = transistor.kind.current([
        nodes[drain] - nodes[source],
        gate - nodes[source],
        nodes[source_bulk] - outer_source,
        gate - nodes[drain],
        nodes[drain_bulk] - outer_drain,
    ]);
    for (inner, outer, terminal, bulk, current) in [
        (
            source,
            outer_source,
            transistor.source,
            source_bulk,
            -through,
        ),
        (drain, outer_drain, transistor.drain, drain_bulk, through),
    ] {
        let resistor = (outer - nodes[inner]) / R_GATE;
        let leak = junction(SATURATION, nodes[bulk] - outer);
        out[inner] += resistor + current;
        out[bulk] += (-nodes[bulk] + BULK) / R_BULK + leak;
        add(out, terminal, -resistor - leak);
    }
}

/// The charges of the nodes of a transistor and of its terminals.
fn charges<S: Scalar>(transistor: &Placed, u: &Voltages<S>, out: &mut [S]) {
    let [source, drain, source_bulk, drain_bulk] = transistor.nodes();
    let nodes = u.nodes;
    for (inner, terminal, bulk) in [
        (source, transistor.source, source_bulk),
        (drain, transistor.drain, drain_bulk),
    ] {
        let at_gate = (nodes[inner] - u.at(transistor.gate)) * C_GATE;
        let at_bulk = junction_charge(nodes[bulk] - u.at(terminal));
        out[inner] += at_gate;
        out[bulk] += at_bulk;
        add(out, transistor.gate, -at_gate);
        add(out, terminal, -at_bulk);
    }
}

impl Adder {
    fn new() -> Self {
        Self {
            circuit: Circuit::adder(),
        }
    }

    fn voltages<'a, S: Scalar>(&self, t: S, nodes: &'a [S]) -> Voltages<'a, S> {
        Voltages {
            nodes,
            inputs: PULSES.map(|shape| pulse(t, shape)),
        }
    }

    /// Adds the charges of all nodes.
    fn charges<S: Scalar>(&self, u: &Voltages<S>, out: &mut [S]) {
        for transistor in &self.circuit.transistors {
            charges(transistor, u, out);
        }
        for &sum in &self.circuit.sums {
            add(out, sum, u.at(sum) * C_OUTPUT);
        }
    }
}

impl FirstOrderModel for Adder {
    fn dimension(&self) -> usize {
        2 * NODES
    }

    fn initial_value(&self) -> Vec<f64> {
        let mut y = vec![0.0; NODES];
        self.charges(&self.voltages(0.0, &VOLTAGES), &mut y);
        y.extend(VOLTAGES);
        y
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let (q, nodes) = y.split_at(NODES);
        let (currents_in, residual) = rate.split_at_mut(NODES);
        let u = self.voltages(t, nodes);
        currents_in.fill(S::constant(0.0));
        for transistor in &self.circuit.transistors {
            currents(transistor, &u, currents_in);
        }
        residual.fill(S::constant(0.0));
        self.charges(&u, residual);
        for (residual, &q) in residual.iter_mut().zip(q) {
            *residual = q - *residual;
        }
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some((0..NODES).map(|node| (node, node, 1.0)).collect())
    }

    /// What belongs to a transistor depends on its nodes and on those that it is connected to.
    fn dependencies(&self) -> Option<Vec<(usize, usize)>> {
        let mut entries: Vec<_> = (0..NODES).map(|node| (NODES + node, node)).collect();
        for transistor in &self.circuit.transistors {
            let ends = [transistor.gate, transistor.source, transistor.drain];
            let ends = ends.into_iter().filter_map(|terminal| match terminal {
                Terminal::Node(node) => Some(node),
                _ => None,
            });
            let nodes: Vec<usize> = transistor.nodes().into_iter().chain(ends).collect();
            for &row in &nodes {
                for &column in &nodes {
                    entries.push((row, NODES + column));
                    entries.push((NODES + row, NODES + column));
                }
            }
        }
        Some(entries)
    }

    fn index(&self) -> Vec<u8> {
        [[0; NODES], [1; NODES]].concat()
    }

    fn names(&self) -> Vec<String> {
        numbered("Q", NODES).chain(numbered("U", NODES)).collect()
    }

    fn time_events(&self) -> Vec<f64> {
        (1..64).map(|kink| 5.0 * f64::from(kink)).collect()
    }
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let adder = Adder::new();
    let statement = Statement {
        entry: &TWO_BIT_ADDER,
        source: Some(SOURCE),
        t_end: T_END,
        default_step: 0.01,
        main_output: "U130",
        order_study_end: Some(5.0),
        absolute_scale: 1.0,
        formulation: formulation::formulation(&adder.circuit),
        unit: "V for U, unit of charge of the test set for Q",
    };
    statement.first_order(adder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_take_the_nodes_of_the_test_set() {
        let circuit = Circuit::adder();
        assert_eq!(circuit.nodes, NODES);
        assert_eq!(circuit.transistors.len(), 39);
        let sums = [49, 130, 148].map(|node| Terminal::Node(node - 1));
        assert_eq!(circuit.sums, sums);
    }

    /// Inputs that stay long enough give the sum: all 32 at the middle of their pulses.
    #[test]
    fn inputs_run_through_all_sums() {
        let mut seen = std::collections::BTreeSet::new();
        for step in 0..32 {
            let t = 2.5 + 10.0 * f64::from(step) + 5.0;
            let high = PULSES.map(|shape| pulse(t, shape) > 2.5);
            seen.insert(high);
        }
        assert_eq!(seen.len(), 32);
    }
}
