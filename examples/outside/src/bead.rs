//! A problem: a bead on a wire that is bent to the parabola y = a x².

use liedae_problems::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};

pub const BEAD: ProblemEntry = ProblemEntry::new("bead-on-wire", build)
    .with_title("bead on a parabolic wire")
    .with_description(
        "A bead slides without friction from x = 1 m, y = a m, and swings to and fro.",
    )
    .with_parameters(&[ParameterInfo::new(
        "a",
        0.5,
        "1/m",
        Range::Between(0.0, 10.0),
        "curvature of the wire",
    )]);

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let a = parameters.get("a")?;
    let system = liedae::model([1.0, a], [0.0, 0.0])
        .mass(0.1)
        .force(|_t, _q, _v| [0.0, -0.981])
        .constraint(move |_t, [x, y]| [y - x * x * a])
        .output("x", |state| state.q[0])
        .output("y", |state| state.q[1])
        .build();
    let system = system.map_err(|error| ProblemError::build(BEAD.name, error))?;
    Ok(Problem::new(BEAD.name, system, 5.0))
}
