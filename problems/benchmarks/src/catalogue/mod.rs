//! The open test set: 151 problems in six sets, each by an identifier that papers can cite.
//!
//! A row of a set is a registered problem with settings. Wherever a command takes a problem, it takes `s1-007` for what that row states.
//!
//! ```
//! use liedae_problems::catalogue;
//!
//! let row = catalogue::find("s1-009").ok_or("no such row")?;
//! assert_eq!(row.problem, "chain:n=6");
//! let (name, settings) = row.parts();
//! let problem = (liedae_problems::ProblemRegistry::standard().lookup(name)?).build_with(&settings)?;
//! assert_eq!(problem.system.layout().dimension(), 36);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closed_forms;
mod contacts;
mod flexible;
mod initial_values;
mod references;
mod rigid;
mod verification;

pub use references::{ReferenceTable, ReferenceValue};

/// A row of the open test set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueRow {
    /// Its identifier: the set and a number, as in `s1-007`.
    pub id: &'static str,
    /// The problem with the settings that it has in the set, as in `chain:n=2:t_end=3`; `t_end` ends the run, in s.
    pub problem: &'static str,
    /// What distinguishes it from other rows of its family; what a catalogue of the literature says otherwise.
    pub remark: &'static str,
}

impl CatalogueRow {
    const fn new(id: &'static str, problem: &'static str, remark: &'static str) -> Self {
        Self {
            id,
            problem,
            remark,
        }
    }

    /// Name and settings of the problem, without the end of the run.
    pub fn parts(&self) -> (&'static str, Vec<&'static str>) {
        let mut parts = self.problem.split(':');
        let name = parts.next().unwrap_or_default();
        (name, parts.filter(|part| !is_end(part)).collect())
    }

    /// The end of the run in s, where it is another one than the problem's own.
    pub fn t_end(&self) -> Option<f64> {
        let mut parts = self.problem.split(':');
        parts
            .find(|part| is_end(part))?
            .split_once('=')?
            .1
            .parse()
            .ok()
    }
}

fn is_end(part: &str) -> bool {
    part.starts_with("t_end=")
}

/// A set of the open test set.
#[derive(Clone, Copy, Debug)]
pub struct TestSet {
    /// Its name: `set1` to `set6`.
    pub name: &'static str,
    /// What is in it.
    pub title: &'static str,
    /// Its rows by rising identifiers.
    pub rows: &'static [CatalogueRow],
}

/// The six sets.
pub const TEST_SETS: [TestSet; 6] = [
    TestSet {
        name: "set1",
        title: "open test set 1: mechanisms of rigid bodies with joints",
        rows: &rigid::ROWS,
    },
    TestSet {
        name: "set2",
        title: "open test set 2: mechanisms with contacts and impacts",
        rows: &contacts::ROWS,
    },
    TestSet {
        name: "set3",
        title: "open test set 3: mechanisms with flexible bodies",
        rows: &flexible::ROWS,
    },
    TestSet {
        name: "set4",
        title: "open test set 4: the Test Set for IVP Solvers, ODEs and DAEs of general form",
        rows: &initial_values::ROWS,
    },
    TestSet {
        name: "set5",
        title: "open test set 5: small mechanical problems that verify orders, joints and rotations",
        rows: &verification::ROWS,
    },
    TestSet {
        name: "set6",
        title: "open test set 6: contacts and impacts with closed forms",
        rows: &closed_forms::ROWS,
    },
];

/// The row with this identifier, in letters of any size.
pub fn find(id: &str) -> Option<&'static CatalogueRow> {
    let rows = TEST_SETS.iter().flat_map(|set| set.rows);
    rows.into_iter().find(|row| row.id.eq_ignore_ascii_case(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parameters, ProblemError, ProblemRegistry};

    /// Problems with outputs of fewer than 8 digits that are not zero but for round-off, and how many those are: velocities and
    /// accelerations of stiff or impacting motions, potentials of small parts.
    const FEWER: [(&str, usize); 7] = [
        ("wheelset", 4),
        ("chain-floor:t_end=1.8", 21),
        ("rotor:shaft=0.1:n=1:t_end=0.2", 1),
        ("flexible-slider-crank", 9),
        ("ring-modulator", 4),
        ("water-tube", 6),
        ("beam", 1),
    ];

    /// Main outputs have at least 8 digits, but for that of `water-tube`: 7.8.
    #[test]
    fn every_row_has_a_reference() -> Result<(), Box<dyn std::error::Error>> {
        let table = ReferenceTable::standard()?;
        let mut fewer = Vec::new();
        for row in TEST_SETS.iter().flat_map(|set| set.rows) {
            let (name, settings) = row.parts();
            let entry = ProblemRegistry::standard().lookup(name)?;
            let mut parameters = Parameters::defaults(&entry);
            for setting in &settings {
                parameters.parse(setting)?;
            }
            let label = format!("{name}, {parameters}").replace(", ", ":");
            let problem = entry.build_with(&settings)?;
            let t_end = row.t_end().unwrap_or(problem.t_end);
            let values = table.values(label.trim_end_matches(':'), t_end);
            let main = values
                .iter()
                .find(|value| value.output == problem.main_output);
            let least = if name == "water-tube" { 7.8 } else { 8.0 };
            assert!(
                main.is_some_and(|value| value.digits >= least),
                "{}: {main:?}",
                row.problem
            );
            let is_few = |known: &&ReferenceValue| known.digits < 8.0 && known.value.abs() > 1e-9;
            let few = values.iter().filter(is_few).count();
            if few > 0 {
                fewer.push((row.problem, few));
            }
        }
        assert_eq!(fewer, FEWER);
        Ok(())
    }

    #[test]
    fn identifiers_rise_and_rows_differ() {
        for (index, set) in TEST_SETS.iter().enumerate() {
            let prefix = format!("s{}-", index + 1);
            assert!(set.rows.iter().all(|row| row.id.starts_with(&prefix)));
            assert!(
                set.rows.windows(2).all(|pair| pair[0].id < pair[1].id),
                "{}",
                set.name
            );
            for row in set.rows {
                assert_eq!(find(&row.id.to_uppercase()), Some(row));
                let same = set.rows.iter().filter(|other| other.problem == row.problem);
                assert_eq!(same.count(), 1, "{}", row.problem);
            }
        }
        assert_eq!(find("s1-000"), None);
    }

    #[test]
    fn every_row_is_a_registered_problem() -> Result<(), ProblemError> {
        let problems = ProblemRegistry::standard();
        for row in TEST_SETS.iter().flat_map(|set| set.rows) {
            let (name, settings) = row.parts();
            let problem = problems.lookup(name)?.build_with(&settings)?;
            let end = row.t_end().unwrap_or(problem.t_end);
            assert!(end > 0.0 && end.is_finite(), "{}", row.id);
            assert_eq!(
                row.t_end().is_some(),
                row.problem.contains("t_end="),
                "{}",
                row.id
            );
        }
        Ok(())
    }
}
