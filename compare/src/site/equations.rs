//! The form of a problem's equations, in words.

use super::text::counted;
use liedae::system::{Layout, System};

/// Sentences about the equations of a system: what they are, and how large.
pub fn sentences(system: &mut dyn System) -> Vec<String> {
    let layout = system.layout();
    let mut text = Vec::new();
    if layout.dimension() > 0 {
        text.push(motion(layout));
    }
    if layout.differential + layout.algebraic > 0 {
        text.push(first_order(layout));
    }
    if layout.modes > 0 {
        text.push(format!(
            "{} that events switch.",
            counted(layout.modes, "discrete mode", "discrete modes")
        ));
    }
    text
}

fn motion(layout: &Layout) -> String {
    let (coordinates, velocities) = (layout.space.coordinates(), layout.dimension());
    let unknowns = format!(
        "{} in {}",
        counted(velocities, "velocity", "velocities"),
        counted(coordinates, "coordinate", "coordinates")
    );
    let (position, velocity) = (layout.position_rows, layout.velocity_rows);
    match (position, velocity) {
        (0, 0) => format!(
            "Equations of motion M v' = f without constraints: {unknowns}, ordinary differential equations of second order."
        ),
        (0, _) => format!(
            "Equations of motion M v' = f + Gᵀ λ with {} (nonholonomic): {unknowns}, a differential-algebraic equation of index 2.",
            counted(
                velocity,
                "constraint on velocities",
                "constraints on velocities"
            )
        ),
        (_, 0) => format!(
            "Equations of motion M v' = f + Gᵀ λ with {} g(t, q) = 0: {unknowns}, a differential-algebraic equation of index 3.",
            counted(position, "constraint row", "constraint rows")
        ),
        _ => format!(
            "Equations of motion M v' = f + Gᵀ λ with {} g(t, q) = 0 and {}: {unknowns}, a differential-algebraic equation of index 3.",
            counted(position, "constraint row", "constraint rows"),
            counted(
                velocity,
                "constraint on velocities",
                "constraints on velocities"
            )
        ),
    }
}

fn first_order(layout: &Layout) -> String {
    let own = if layout.dimension() > 0 {
        "Beside them"
    } else {
        "Equations of first order"
    };
    let states = counted(
        layout.differential,
        "differential state",
        "differential states",
    );
    match layout.algebraic {
        0 => format!("{own}: {states}."),
        algebraic => format!(
            "{own}: {states} and {}.",
            counted(
                algebraic,
                "algebraic variable, each with an equation without a derivative",
                "algebraic variables, each with an equation without a derivative"
            )
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::ProblemRegistry;

    #[test]
    fn forms_of_equations() {
        for (name, words) in [
            (
                "planar-3rrr",
                "18 constraint rows g(t, q) = 0: 21 velocities",
            ),
            ("andrews", "7 velocities in 7 coordinates"),
            ("bicycle", "and 4 constraints on velocities"),
            (
                "robertson",
                "Equations of first order: 3 differential states.",
            ),
            ("transistor-amplifier", "differential state"),
        ] {
            let problems = ProblemRegistry::standard();
            let entry = problems.find(name).expect("a problem");
            let mut problem = entry.build_with(&[]).expect("it builds");
            let text = sentences(problem.system.as_mut()).join(" ");
            assert!(text.contains(words), "{name}: {text}");
        }
    }
}
