//! The settings of the paper: mechanisms, step sizes, tolerances, and the measured times and iterations of its authors.

/// Both methods as name and label in charts: the half-implicit one (HI) and the fully implicit one (FI), as in the authors' programs
/// (github.com/uwsbel/sbel-reproducibility, 2022/HalfImplicit_JCND and 2022/IROS). The predictor of both is the last accelerations and
/// multipliers, and both Newton matrices are those of the start of the step.
pub const METHODS: [(&str, &str); 2] = [
    ("half-implicit:guess=constant", "half-implicit"),
    ("backward-euler:matrix=start", "fully implicit"),
];

/// The same with liedae's defaults: a quadratic predictor, and the Newton matrix of the first iterate.
pub const LIEDAE_METHODS: [&str; 2] = ["half-implicit", "backward-euler"];

/// The Newton tolerances of section 3.1, equal in displacements: those of the fully implicit method bound accelerations.
pub fn equal_tolerances(h: f64) -> [f64; 2] {
    equal(1e-10, h)
}

fn equal(tolerance: f64, h: f64) -> [f64; 2] {
    [tolerance, tolerance / (h * h)]
}

/// The step of Fig. 8 in s.
pub const CHAIN_STEP: f64 = 1e-3;

/// Newton tolerances for Fig. 8, of which the paper states none: three that are equal in displacements, then those of Figs. 4 to 6 at the
/// same step.
pub fn chain_tolerances() -> [[f64; 2]; 6] {
    let [pendulum, crank, four_link] = MECHANISMS
        .each_ref()
        .map(|mechanism| mechanism.measured[1].tolerance);
    let [coarse, middle, fine] = [1e-6, 1e-8, 1e-10].map(|tolerance| equal(tolerance, CHAIN_STEP));
    [coarse, middle, fine, pendulum, crank, four_link]
}

/// A mechanism of the order analysis.
pub struct Mechanism {
    /// The problem's name.
    pub problem: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// Its part of Fig. 2.
    pub order_figure: &'static str,
    /// The figure with its times and iterations.
    pub cost_figure: &'static str,
    /// Whether the authors' program for Fig. 2 divides the root of the sum of squares by n, instead of by the root of n; the others take
    /// the error at the end.
    pub program_divides_by_n: bool,
    /// The output of Fig. 2.
    pub output: &'static str,
    /// What the output is, with its unit.
    pub quantity: &'static str,
    /// The authors' measurements, for h = 1e-4, 1e-3, 1e-2 s.
    pub measured: [Measured; 3],
}

/// A row of the authors' measurements; each pair is (half-implicit, fully implicit).
#[derive(Clone, Copy)]
pub struct Measured {
    /// Step in s.
    pub h: f64,
    /// Newton tolerances.
    pub tolerance: [f64; 2],
    /// CPU time in s for 8 s.
    pub cpu_s: [f64; 2],
    /// Iterations per step.
    pub iterations: [f64; 2],
}

const fn measured(h: f64, tolerance: [f64; 2], cpu_s: [f64; 2], iterations: [f64; 2]) -> Measured {
    Measured {
        h,
        tolerance,
        cpu_s,
        iterations,
    }
}

/// The mechanisms in the paper's order.
pub const MECHANISMS: [Mechanism; 3] = [
    Mechanism {
        problem: "double-pendulum",
        title: "double pendulum",
        order_figure: "2(a)",
        cost_figure: "4",
        program_divides_by_n: true,
        output: "z2",
        quantity: "z of bar 2 / m",
        measured: [
            measured(1e-4, [1e-7, 1e-5], [47.6, 105.5], [1.00, 2.82]),
            measured(1e-3, [1e-7, 1e-6], [6.51, 14.3], [2.05, 4.02]),
            measured(1e-2, [1e-7, 1e-7], [0.93, 2.19], [3.68, 6.48]),
        ],
    },
    Mechanism {
        problem: "slider-crank",
        title: "slider-crank",
        order_figure: "2(b)",
        cost_figure: "5",
        program_divides_by_n: false,
        output: "v_slider",
        quantity: "velocity of the slider / (m/s)",
        measured: [
            measured(1e-4, [1e-9, 1e-3], [99.3, 143.1], [2.00, 2.93]),
            measured(1e-3, [1e-10, 1e-7], [12.5, 25.1], [3.13, 4.86]),
            measured(1e-2, [1e-10, 1e-7], [1.82, 3.82], [5.59, 7.27]),
        ],
    },
    Mechanism {
        problem: "four-link",
        title: "four-link mechanism",
        order_figure: "2(c)",
        cost_figure: "6",
        program_divides_by_n: false,
        output: "G2vx",
        quantity: "x-velocity of link 2 / (m/s)",
        measured: [
            measured(1e-4, [1e-7, 1e-2], [93.3, 128.5], [2.00, 3.00]),
            measured(1e-3, [1e-9, 1e-5], [13.6, 21.7], [3.60, 4.65]),
            measured(1e-2, [1e-10, 1e-7], [2.14, 3.90], [6.86, 8.14]),
        ],
    },
];

/// The authors' CPU times in s for the chain: links, half-implicit, fully implicit.
pub const CHAIN_CPU: [(u32, f64, f64); 6] = [
    (2, 3.17, 5.85),
    (4, 5.33, 11.59),
    (6, 7.71, 17.02),
    (8, 10.07, 22.50),
    (16, 19.96, 45.69),
    (32, 39.71, 88.18),
];

/// Friction coefficients of Fig. 9.
pub const FRICTION: [&str; 3] = ["0", "0.2", "0.4"];

/// Mechanisms in three kinds of rotation coordinates: problem, number of links, output as in Fig. 2, end in s: that of Fig. 2, and for
/// the chain the end of its reference.
pub const ROTATIONS: [(&str, Option<u32>, &str, f64); 4] = [
    ("double-pendulum", None, "z2", 8.0),
    ("slider-crank", None, "v_slider", 8.0),
    ("four-link", None, "G2vx", 8.0),
    ("chain", Some(8), "tipz", 1.0),
];

/// Steps with which rotation coordinates are compared, in s.
pub const ROTATION_STEPS: [f64; 2] = [1e-3, 5e-4];

/// Stiff problems on which both methods are compared: title, problem, settings, end and smallest step in s. The paper names none; these
/// are those of Haug, Negrut and Iancu 1997, with the slider-crank of two degrees of freedom.
pub const STIFF: [StiffProblem; 3] = [
    (
        "stiff double pendulum",
        "stiff-double-pendulum",
        &[],
        0.1,
        1e-6,
    ),
    (
        "stiff slider-crank",
        "tsda-slider-crank",
        &["free=1", "stiffness=1"],
        0.1,
        1e-6,
    ),
    (
        "stiff seven-body mechanism",
        "andrews-cartesian-stiff",
        &[],
        0.035,
        1e-6,
    ),
];

type StiffProblem = (
    &'static str,
    &'static str,
    &'static [&'static str],
    f64,
    f64,
);

/// Steps that a run on a stiff problem has at least: errors are seen at their ends.
pub const FEWEST_STEPS: f64 = 20.0;

/// How much of the experiments is run.
pub struct Extent {
    /// How many stiff problems are run.
    pub stiff: usize,
    /// How many mechanisms in three kinds of rotation coordinates.
    pub rotations: usize,
    /// Steps of the order analysis in s.
    pub order_steps: Vec<f64>,
    /// Time simulated for orders and costs, and at most for rotation coordinates, in s.
    pub t_end: f64,
    /// Smallest step of the cost figures in s.
    pub smallest_cost_step: f64,
    /// Time over which the energy is watched in s.
    pub energy_t_end: f64,
    /// Step of the energy figure in s.
    pub energy_step: f64,
    /// Numbers of links.
    pub links: Vec<u32>,
    /// Time simulated for the chain in s.
    pub chain_t_end: f64,
    /// Time simulated with friction in s.
    pub friction_t_end: f64,
}

impl Extent {
    /// As in the paper, the steps of Fig. 2 as in the authors' programs; Fig. 9 over two turns of the crank.
    pub fn full() -> Self {
        Self {
            stiff: STIFF.len(),
            rotations: ROTATIONS.len(),
            order_steps: vec![4e-2, 2e-2, 1e-2, 4e-3, 2e-3, 1e-3, 4e-4, 2e-4, 1e-4],
            t_end: 8.0,
            smallest_cost_step: 1e-4,
            energy_t_end: 80.0,
            energy_step: 1e-3,
            links: vec![1, 2, 4, 6, 8, 16, 32],
            chain_t_end: 3.0,
            friction_t_end: 2.0,
        }
    }

    /// Enough to see that everything works.
    pub fn quick() -> Self {
        Self {
            stiff: 1,
            rotations: 1,
            order_steps: vec![1e-2, 5e-3],
            t_end: 0.4,
            smallest_cost_step: 1e-2,
            energy_t_end: 2.0,
            energy_step: 1e-2,
            links: vec![1, 2],
            chain_t_end: 0.05,
            friction_t_end: 0.2,
        }
    }
}
