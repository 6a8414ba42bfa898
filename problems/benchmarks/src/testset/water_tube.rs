//! Water flow through a network of pipes.

use super::published::{SOURCE, Statement};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::FirstOrderModel;
use std::f64::consts::{LN_10, PI};

pub(crate) const WATER_TUBE: ProblemEntry = ProblemEntry {
    name: "water-tube",
    title: "water through 18 pipes between 13 nodes during 17 h, index 2",
    description: "Mass flows phi with inertia, resistance coefficients lam by the rule of Colebrook and White for \
                  turbulent flow, pressures p; two of the nodes have buffers, at the others flows balance. The friction \
                  jumps where a flow becomes turbulent, at Reynolds number 2300, which limits what is known of the end \
                  values. Units are those of the test set.",
    source: "Test Set for IVP Solvers, `water`; de Swart 1997, after Gijsbers (Koninklijke/Shell-Laboratorium)",
    parameters: &[],
    build,
};

const VISCOSITY: f64 = 1.31e-6;
const GRAVITY: f64 = 9.8;
const DENSITY: f64 = 1e3;
const TURBULENT: f64 = 2.3e3;
const LENGTH: f64 = 1e3;
const ROUGHNESS: f64 = 2e-4;
const DIAMETER: f64 = 1.0;
const BUFFER: f64 = 200.0;
const SECTION: f64 = PI * DIAMETER * DIAMETER / 4.0;

const PIPE_COUNT: usize = 18;
const NODE_COUNT: usize = 13;

/// The nodes at the ends of each pipe, by their numbers from 1.
const PIPES: [(usize, usize); PIPE_COUNT] = [
    (1, 2),
    (2, 3),
    (2, 6),
    (3, 4),
    (3, 5),
    (4, 5),
    (5, 10),
    (6, 5),
    (7, 4),
    (7, 8),
    (8, 5),
    (8, 10),
    (9, 8),
    (11, 9),
    (11, 12),
    (12, 7),
    (12, 8),
    (13, 11),
];

/// The order of the pressures among the unknowns: the two nodes with buffers first.
const NODES: [usize; NODE_COUNT] = [5, 8, 1, 2, 3, 4, 6, 7, 9, 10, 11, 12, 13];
const BUFFERS: usize = 2;

/// The unknown that is the pressure of a node.
fn place(node: usize) -> usize {
    NODES
        .iter()
        .position(|&known| known == node)
        .unwrap_or_default()
}

/// Flows, resistances, pressures.
struct WaterTube;

impl FirstOrderModel for WaterTube {
    fn dimension(&self) -> usize {
        2 * PIPE_COUNT + NODE_COUNT
    }

    fn initial_value(&self) -> Vec<f64> {
        let mut y = vec![0.0; PIPE_COUNT];
        y.extend([0.047_519_404_529_185_29; PIPE_COUNT]);
        y.extend([109_800.0; NODE_COUNT]);
        y
    }

    fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
        let (flows, rest) = y.split_at(PIPE_COUNT);
        let (resistances, pressures) = rest.split_at(PIPE_COUNT);
        let (accelerations, rest) = rate.split_at_mut(PIPE_COUNT);
        let (friction, balance) = rest.split_at_mut(PIPE_COUNT);
        balance.fill(S::constant(0.0));
        for (pipe, (from, to)) in PIPES.into_iter().enumerate() {
            let (flow, resistance) = (flows[pipe], resistances[pipe]);
            let (from, to) = (place(from), place(to));
            let reynolds = flow.abs() * (DIAMETER / (VISCOSITY * SECTION));
            let turbulent = reynolds.value() > TURBULENT;
            let loss = if turbulent {
                resistance * flow * flow * (DENSITY * LENGTH / (SECTION * SECTION * DIAMETER))
            } else {
                flow * (32.0 * VISCOSITY * DENSITY * LENGTH / (SECTION * DIAMETER * DIAMETER))
            };
            accelerations[pipe] = pressures[from] - pressures[to] - loss;
            let root = resistance.sqrt();
            let speed = if turbulent {
                reynolds
            } else {
                S::constant(TURBULENT)
            };
            let inner = (speed * root).recip() * 18.7 + 2.0 * ROUGHNESS / DIAMETER;
            friction[pipe] = root.recip() - 1.74 + inner.ln() * (2.0 / LN_10);
            balance[from] -= flow;
            balance[to] += flow;
        }
        let hours = t / 3600.0;
        let square = hours * hours;
        let opening = S::constant(1.0) - ((-hours).exp() - 1.0).cos();
        balance[place(1)] += opening / 200.0;
        balance[place(13)] += opening / 80.0;
        balance[place(10)] -= square * (square * 3.0 - hours * 92.0 + 720.0) / 1e6;
    }

    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        let inertia = DENSITY * LENGTH / SECTION;
        let capacity = BUFFER / (DENSITY * GRAVITY);
        let flows = (0..PIPE_COUNT).map(|i| (i, i, inertia));
        let buffers = (2 * PIPE_COUNT..2 * PIPE_COUNT + BUFFERS).map(|i| (i, i, capacity));
        Some(flows.chain(buffers).collect())
    }

    fn index(&self) -> Vec<u8> {
        let pressures = [[0; BUFFERS].as_slice(), &[2; NODE_COUNT - BUFFERS]].concat();
        [[0; PIPE_COUNT].as_slice(), &[1; PIPE_COUNT], &pressures].concat()
    }

    fn names(&self) -> Vec<String> {
        let pipes = |prefix: &'static str| PIPES.map(|(from, to)| format!("{prefix}{from}_{to}"));
        let pressures = NODES.map(|node| format!("p{node}"));
        pipes("phi")
            .into_iter()
            .chain(pipes("lam"))
            .chain(pressures)
            .collect()
    }
}

fn formulation() -> Formulation {
    let pipes = PIPES.map(|(from, to)| [Cell::from(from), to.into()]);
    let buffers = NODES[..BUFFERS].iter().map(|&node| [Cell::from(node)]);
    Formulation::new([
        "Mass flows phi<i>_<j> from node i to node j and resistance coefficients lam<i>_<j> of the pipes, pressures p<i> of the nodes; \
         time in s, units of the test set.",
        "For each pipe from i to j with phi = phi<i>_<j>, lam = lam<i>_<j> and Re = |phi| D / (nu A), A = pi D^2 / 4:",
        "rho L / A phi' = p_i - p_j - loss",
        "Re > Re0: loss = lam rho L phi^2 / (A^2 D), Re <= Re0: loss = 32 nu rho L phi / (A D^2)",
        "0 = 1 / sqrt(lam) - 1.74 + 2 log10(2 k / D + 18.7 / (max(Re, Re0) sqrt(lam)))",
        "For each node n with the flows of all pipes and what comes from outside:",
        "b p_n' = balance_n at a node with a buffer, 0 = balance_n at all others, b = V / (rho g)",
        "balance_n = sum of phi of the pipes to n - sum of phi of the pipes from n + in_n(t)",
        "With s = t / 3600: in_1 = (1 - cos(exp(-s) - 1)) / 200, in_13 = (1 - cos(exp(-s) - 1)) / 80, \
         in_10 = -s^2 (3 s^2 - 92 s + 720) / 1e6, in_n = 0 at all others.",
    ])
    .with_constants([
        ("nu", VISCOSITY, "m^2/s"),
        ("g", GRAVITY, "m/s^2"),
        ("rho", DENSITY, "kg/m^3"),
        ("Re0", TURBULENT, "1"),
        ("L", LENGTH, "m"),
        ("k", ROUGHNESS, "m"),
        ("D", DIAMETER, "m"),
        ("V", BUFFER, "m^2"),
    ])
    .with_table("pipes", ["from node", "to node"], pipes)
    .with_table("buffers", ["node"], buffers)
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &WATER_TUBE,
        source: Some(SOURCE),
        t_end: 61_200.0,
        default_step: 10.0,
        main_output: "phi8_5",
        order_study_end: None,
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "units of the test set",
    };
    statement.first_order(WaterTube)
}
