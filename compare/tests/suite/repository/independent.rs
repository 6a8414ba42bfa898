//! Ten rows of the open test set, drawn by lot, beside computations in another language from other equations (`../independent/`).

use liedae_problems::catalogue::{self, ReferenceTable};
use std::collections::BTreeMap;

const RESULTS: &str = include_str!("../../independent/results.csv");

/// What was drawn, but for `s3-012`, in whose place the next one stands: docs/book/src/comparing/test-set.md says how.
const DRAWN: [&str; 10] = [
    "s1-045", "s1-001", "s1-012", "s1-036", "s4-010", "s4-016", "s1-042", "s3-008", "s6-012",
    "s1-064",
];

/// Digits that every output has, relative to its own value; the rotor's torque, with the fewest, is a difference of
/// angles that are nearly equal.
const LEAST: f64 = 6.9;

#[test]
fn ten_problems_agree_with_computations_in_another_language() {
    let table = ReferenceTable::standard().expect("a table");
    let mut counts: BTreeMap<&str, usize> = DRAWN.map(|row| (row, 0)).into();
    for line in RESULTS.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[row, problem, output, value, digits] = fields.as_slice() else {
            panic!("{line}");
        };
        let found = catalogue::find(row).expect(row);
        let (name, settings) = found.parts();
        assert_eq!([&[name], settings.as_slice()].concat().join(":"), problem);
        let count = counts.get_mut(row).expect(row);
        *count += 1;
        let (value, digits): (f64, f64) = (value.parse().expect(line), digits.parse().expect(line));
        let mut ends = (table.problems()).filter(|&(name, _)| name == problem);
        let t_end = found.t_end().or_else(|| Some(ends.next()?.1));
        let values = table.values(problem, t_end.expect(problem)).iter();
        let reference = (values.clone().find(|known| known.output == output)).expect(line);
        let size = value.abs().max(reference.value.abs());
        let size = if value.abs() > 1e-15 { size } else { 1.0 };
        let error = (value - reference.value).abs() / size;
        // Digits are cut after the first decimal.
        assert!(error <= 10.0_f64.powf(-digits) * 1.001, "{line}: {error:e}");
        assert!(digits >= LEAST, "{line}");
    }
    for (row, count) in counts {
        assert!(count >= 5, "{row}: {count} outputs");
    }
}
