//! Rows of the open test set whose references must tell something.

use liedae::system::named_outputs;
use liedae_problems::catalogue::{CatalogueRow, ReferenceTable, ReferenceValue, TEST_SETS, find};
use liedae_problems::{Parameters, Problem, ProblemRegistry};

/// A row: its problem, its end in s, its reference.
fn built(row: &CatalogueRow) -> (Problem, f64, &'static [ReferenceValue]) {
    let (name, settings) = row.parts();
    let problems = ProblemRegistry::standard();
    let entry = problems.lookup(name).expect(row.id);
    let mut parameters = Parameters::defaults(&entry);
    for setting in &settings {
        parameters.parse(setting).expect(row.id);
    }
    let label = format!("{name}, {parameters}").replace(", ", ":");
    let problem = entry.build_with(&settings).expect(row.id);
    let t_end = row.t_end().unwrap_or(problem.t_end);
    let table = ReferenceTable::standard().expect("a table");
    (
        problem,
        t_end,
        table.values(label.trim_end_matches(':'), t_end),
    )
}

fn value(known: &[ReferenceValue], output: &str) -> ReferenceValue {
    let found = known.iter().find(|known| known.output == output);
    found.unwrap_or_else(|| panic!("no {output}")).clone()
}

/// A motion that ends where it began, as after whole periods, or whose main output vanishes by symmetry or at rest, tells a reader
/// nothing of the way.
#[test]
fn no_row_ends_as_it_starts() {
    for row in TEST_SETS.iter().flat_map(|set| set.rows) {
        let (mut problem, _, known) = built(row);
        let end = value(known, &problem.main_output).value;
        let state = problem.system.initial_state();
        let outputs = named_outputs(problem.system.as_mut(), &state).expect(row.id);
        let start = outputs
            .iter()
            .find(|(name, _)| *name == problem.main_output);
        let start = start.expect(row.id).1;
        // Species of `e5` are as small as 1e-23 where their scale is 1e-18.
        assert!(
            end.abs() > 1e-9 * problem.absolute_scale,
            "{}: {end:e}",
            row.id
        );
        let change = (end - start).abs() / end.abs().max(start.abs());
        assert!(change > 1e-4, "{}: {start} to {end}", row.id);
    }
}

/// Rows that came to rest before their ends, whatever happened on the way.
#[test]
fn what_came_to_rest_is_still_moving() {
    for (id, output) in [
        ("s1-047", "tip.vx"),
        ("s2-020", "valve.vy"),
        ("s2-022", "wheel.omega"),
        ("s6-001", "ball.vy"),
        ("s6-008", "ball.vy"),
    ] {
        let (_, _, known) = built(find(id).expect(id));
        let rate = value(known, output).value;
        assert!(rate.abs() > 1e-3, "{id}: {rate:e}");
    }
}

#[test]
fn closed_forms_are_references() {
    for id in ["s4-004", "s5-001", "s5-005"] {
        let (problem, t_end, known) = built(find(id).expect(id));
        let reference = problem.reference.expect(id);
        for known in known
            .iter()
            .filter(|known| known.by.starts_with("closed form"))
        {
            assert_eq!(
                reference.value(&known.output, t_end),
                Some(known.value),
                "{id}"
            );
        }
        let main = value(known, &problem.main_output);
        assert!(main.digits >= 13.0, "{id}: {main:?}");
    }
    let (_, _, known) = built(find("s5-001").expect("the pendulum"));
    // IFToMM A01 with 20 digits, computed with mpmath.
    let x = value(known, "x");
    assert!((x.value + 0.275_087_462_576_116_9).abs() < 3e-14, "{x:?}");
}

/// The digits of Andrews' squeezer at 0.03 s are no more than those in which the values agree with the trajectory in quadruple precision.
#[test]
fn digits_are_bounds() {
    let (problem, t_end, known) = built(find("s1-023").expect("Andrews' squeezer"));
    let reference = problem.reference.expect("a table");
    let mut count = 0;
    for known in known {
        let Some(exact) = reference.value(&known.output, t_end) else {
            continue;
        };
        count += 1;
        let error = (known.value - exact).abs() / exact.abs();
        // Accelerations and multipliers are tabulated to eleven digits of their largest value.
        let allowed = 10.0_f64.powf(-known.digits.min(11.0));
        assert!(error <= 10.0 * allowed, "{known:?}: {error:e}");
    }
    assert!(count >= 20, "{count}");
    let gamma = value(known, "gamma");
    assert!(gamma.digits <= 13.6, "{gamma:?}");
}
