//! The settings of the paper, as far as they can be repeated.

/// A method of section 4.
pub(super) struct Solver {
    /// On the command line, without the settings of Table 1.
    pub name: &'static str,
    pub label: &'static str,
    /// Whether constraints above the bound of Table 1 are projected.
    pub projects: bool,
}

/// In the order of Table 3.
pub(super) const SOLVERS: [Solver; 3] = [
    Solver {
        name: "hem5",
        label: "HEM5",
        projects: true,
    },
    Solver {
        name: "mdop5",
        label: "MDOP5",
        projects: true,
    },
    Solver {
        name: "generalized-alpha-stabilized",
        label: "stabilized generalized-α",
        projects: false,
    },
];

/// A set of the paper, and the set of the open test set that stands for it.
pub(super) struct PaperSet {
    /// The paper's number.
    pub number: usize,
    pub set: &'static str,
    pub title: &'static str,
    /// Row of Table 3: ρ(1.2) of the solvers.
    pub published: [f64; 3],
    /// The figure of steps and profiles.
    pub figure: &'static str,
}

/// Mechanisms of rigid bodies without contacts.
pub(super) const SMOOTH: &str = "set1";
/// Mechanisms with contacts and impacts.
pub(super) const IMPACTS: &str = "set2";
/// Mechanisms with flexible bodies.
pub(super) const FLEXIBLE: &str = "set3";

/// In the order of the paper.
pub(super) const SETS: [PaperSet; 3] = [
    PaperSet {
        number: 1,
        set: SMOOTH,
        title: "mechanisms without contacts",
        published: [0.57, 0.54, 0.07],
        figure: "9",
    },
    PaperSet {
        number: 2,
        set: IMPACTS,
        title: "mechanisms with contacts and impacts",
        published: [0.84, 0.45, 0.07],
        figure: "10",
    },
    PaperSet {
        number: 3,
        set: FLEXIBLE,
        title: "mechanisms with flexible bodies",
        published: [0.62, 0.15, 0.46],
        figure: "11",
    },
];

/// Table 1: relative and absolute tolerance of steps.
pub(super) const TOLERANCE: f64 = 1e-4;
/// Table 1: the largest violation that is not projected.
pub(super) const BOUND: f64 = 1e-4;
/// Table 1: the smallest step in s.
pub(super) const SMALLEST_STEP: f64 = 1e-7;
/// Safety factors: that of most runs, and that of Table 1 as it is printed.
pub(super) const SAFETY: [f64; 2] = [0.9, 0.3];
/// The factor of Table 3.
pub(super) const TAU: f64 = 1.2;
/// Tolerances from which costs at equal errors are interpolated.
pub(super) const LADDER: [f64; 4] = [1e-2, 1e-3, TOLERANCE, 1e-5];
/// Errors delivered, relative to the sizes of outputs, at which costs are compared: those that a method of order 2 can reach.
pub(super) const EQUAL_ERRORS: [f64; 2] = [1e-3, 1e-4];

/// A solver with the settings of the paper, as on the command line.
pub(super) fn variant(solver: &Solver, safety: f64) -> String {
    let projection = if solver.projects {
        format!(":projection={BOUND:e}")
    } else {
        String::new()
    };
    format!(
        "{}:safety={safety}:controller=elementary{projection}",
        solver.name
    )
}
