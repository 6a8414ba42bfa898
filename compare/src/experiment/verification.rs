//! Verification of the references of the open test set: they are computed again and compared.

use super::own_reference::{ABSOLUTE, OwnReference, own_reference};
use super::{Case, Instance, Scales, Table, TightRun, Truth};
use crate::error::CommandError;
use liedae_problems::catalogue::{ReferenceTable, ReferenceValue};
use serde::Serialize;

/// Digits that a reference should have.
pub const DIGITS: f64 = 8.0;

/// Digits of a number in double precision: two runs cannot agree in more.
const MOST_DIGITS: f64 = 15.9;

/// Outputs that stay below this have no size that digits could be relative to: theirs count from 1.
const SMALLEST: f64 = 100.0 * ABSOLUTE;

/// The method that confirms where the usual one fails: of low order, it passes accumulating impacts.
const FALLBACK: TightRun = TightRun::new("hem5", 1e-11);

/// A further run where the usual one confirms: two runs of which one has a small error by chance agree in too many digits, three hardly do.
const THIRD: TightRun = TightRun::new("dop853", 2e-13);

/// A value counts as confirmed if it differs by at most this many times what its digits allow. Another machine rounds differently, and
/// that moves both runs by as much as they differ from each other.
const SLACK: f64 = 10.0;

/// What became of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It came out again.
    Confirmed,
    /// Another value came out.
    Changed,
    /// There was none.
    New,
    /// None could be computed.
    Failed,
}

/// An output of which something else came out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The output.
    pub output: String,
    /// What is known.
    pub known: f64,
    /// Its digits.
    pub digits: f64,
    /// What came out.
    pub found: f64,
}

/// A problem whose reference was computed once more.
#[derive(Clone, Debug, Serialize)]
pub struct Verification {
    /// The problem with the settings that differ from its defaults.
    pub problem: String,
    /// The end of the run in s.
    pub t_end: f64,
    /// The main output.
    pub main_output: String,
    /// What became of the reference that comes with the program.
    pub standing: Standing,
    /// Digits of the main output at the end, as [`ReferenceValue::digits`] counts them.
    pub digits: Option<f64>,
    /// Outputs, and those among them in which the two methods agree to [`DIGITS`] at the end.
    pub outputs: [usize; 2],
    /// The last of the samples up to which the two methods agree to [`DIGITS`] in the main output, in s.
    pub agree_until: f64,
    /// Digits in which the main output agrees with what is published or known in closed form.
    pub published_digits: Option<f64>,
    /// Outputs that came out differently.
    pub changes: Vec<Change>,
    /// Why there is nothing.
    pub reason: Option<String>,
    #[serde(skip)]
    values: Vec<ReferenceValue>,
}

/// What came out of the first run, and of those that confirm it.
struct Runs<'r> {
    names: &'r [String],
    first: &'r Table,
    others: &'r [Table],
    scales: Scales,
}

/// Decimal digits in which two values of this size agree.
fn digits(first: f64, second: f64, scale: f64) -> f64 {
    let difference = (first - second).abs() / scale;
    if difference.is_nan() {
        return 0.0;
    }
    (-difference.log10()).clamp(0.0, MOST_DIGITS)
}

impl Runs<'_> {
    /// Digits in which the others agree with the first run in an output at a sample.
    fn digits(&self, sample: usize, output: usize) -> f64 {
        let first = self.first.rows[sample][output];
        let others = self.others.iter().map(|table| table.rows[sample][output]);
        others
            .map(|other| digits(first, other, self.scales.of(output)))
            .fold(MOST_DIGITS, f64::min)
    }

    fn last(&self) -> usize {
        self.first.rows.len() - 1
    }

    /// What an output is at the end, in all runs.
    fn ends(&self, output: usize) -> impl Iterator<Item = f64> {
        let tables = std::iter::once(self.first).chain(self.others);
        tables.map(move |table| table.rows[self.last()][output])
    }

    /// The time of the last sample up to which an output agrees to [`DIGITS`].
    fn agree_until(&self, output: usize) -> f64 {
        let agree = (0..=self.last()).take_while(|&sample| self.digits(sample, output) >= DIGITS);
        let last = agree.last().unwrap_or(0);
        self.first.times[last]
    }

    /// Whether an output is zero at the end in all runs, as the force of an open contact is.
    fn vanishes(&self, output: usize) -> bool {
        self.ends(output).all(|value| value == 0.0)
    }

    /// The median of the digits of outputs at the end. Errors of one motion are alike in what follows from it: where runs agree in more
    /// digits in one output only, their errors happen to be alike there. Outputs that vanish, stay below the tolerance or are not known in
    /// all runs say nothing.
    fn typical_digits(&self) -> f64 {
        let counts = |output: &usize| {
            let values = self.first.rows.iter().map(|row| row[*output].abs());
            values.fold(0.0, f64::max) >= SMALLEST
                && !self.vanishes(*output)
                && !self.ends(*output).any(f64::is_nan)
        };
        let outputs = (0..self.names.len()).filter(counts);
        let mut digits: Vec<f64> = outputs
            .map(|output| self.digits(self.last(), output))
            .collect();
        digits.sort_by(f64::total_cmp);
        let middle = digits.len().saturating_sub(1) / 2;
        digits.get(middle).copied().unwrap_or(MOST_DIGITS)
    }

    /// The values at the end, with digits rounded down to a tenth.
    fn values(&self, by: &str) -> Vec<ReferenceValue> {
        let row = &self.first.rows[self.last()];
        let typical = self.typical_digits();
        let columns = self.names.iter().zip(row).enumerate();
        columns
            .map(|(index, (output, &value))| {
                let digits = self.digits(self.last(), index);
                let bound = if self.vanishes(index) {
                    digits
                } else {
                    digits.min(typical)
                };
                ReferenceValue {
                    output: output.clone(),
                    digits: (10.0 * bound).floor() / 10.0,
                    value,
                    by: by.to_owned(),
                }
            })
            .collect()
    }
}

/// Puts a closed form in the place of values of which the runs know fewer digits.
fn prefer_closed_form(values: &mut [ReferenceValue], case: &Case, first: &TightRun) {
    let reference = case.problem.reference.as_ref();
    let Some((reference, digits)) =
        reference.and_then(|known| Some((known, known.exact_digits()?)))
    else {
        return;
    };
    for value in values.iter_mut().filter(|value| value.digits < digits) {
        if let Some(exact) = reference.value(&value.output, case.t_end) {
            *value = ReferenceValue {
                output: value.output.clone(),
                digits,
                value: exact,
                by: format!("closed form + {}", words(first)),
            };
        }
    }
}

/// Other opinions on a run: another method, and once more with a smaller tolerance if it is explicit; or a third method where that fails,
/// or what is published. Their outputs, and what they are.
fn confirm(
    case: &mut Case,
    reference: OwnReference,
) -> Result<(OwnReference, Vec<Table>, String), String> {
    let mut reasons = Vec::new();
    let mut reference = reference;
    let seconds = [reference.second.clone(), FALLBACK];
    for second in seconds {
        reference.second = second;
        let confirmed = reference.confirm(case);
        reference = confirmed.reference;
        match confirmed.confirmation {
            Ok(table) => {
                let (mut tables, mut by) = (vec![table], words(&reference.second));
                if reference.second.method == THIRD.method {
                    reference.second = THIRD;
                    let third = reference.confirm(case);
                    reference = third.reference;
                    if let Ok(table) = third.confirmation {
                        tables.push(table);
                        by = format!("{by} + {}", words(&THIRD));
                    }
                }
                return Ok((reference, tables, by));
            }
            Err(error) => reasons.push(format!("{}: {error}", reference.second.method)),
        }
    }
    match published(case, &reference.table) {
        Some(table) => Ok((reference, vec![table], "published".to_owned())),
        None => Err(format!("nothing confirms it: {}", reasons.join("; "))),
    }
}

/// What is published at the end, NaN for what is not.
fn published(case: &Case, first: &Table) -> Option<Table> {
    let reference = case.problem.reference.as_ref()?;
    let value = |t: f64, name: &String| reference.value(name, t).unwrap_or(f64::NAN);
    let row = |&t: &f64| case.outputs().iter().map(|name| value(t, name)).collect();
    let rows: Vec<Vec<f64>> = first.times.iter().map(row).collect();
    let knows = rows.last()?.iter().any(|value| !value.is_nan());
    knows.then(|| Table {
        times: first.times.clone(),
        rows,
    })
}

fn words(run: &TightRun) -> String {
    format!("{} {:e}", run.method, run.tolerance)
}

impl Verification {
    /// Computes the reference of a problem by two methods and compares it with what a table knows.
    ///
    /// # Errors
    /// The problem cannot be built.
    pub fn of(instance: &Instance, known: &ReferenceTable) -> Result<Self, CommandError> {
        let mut case = instance.build()?;
        let mut found = Self {
            problem: case.label(),
            t_end: case.t_end,
            main_output: case.problem.main_output.clone(),
            standing: Standing::Failed,
            digits: None,
            outputs: [case.outputs().len(), 0],
            agree_until: 0.0,
            published_digits: None,
            changes: Vec::new(),
            reason: None,
            values: Vec::new(),
        };
        if let Err(reason) = found.compute(&mut case, known) {
            found.standing = Standing::Failed;
            found.reason = Some(reason);
        }
        Ok(found)
    }

    /// Runs both methods and judges; the error says why there is nothing to judge.
    fn compute(&mut self, case: &mut Case, known: &ReferenceTable) -> Result<(), String> {
        let times = Truth::sample_times(case);
        let reference = own_reference(case, &times).map_err(|error| error.to_string())?;
        let names = case.outputs().to_vec();
        let (reference, others, by) = confirm(case, reference)?;
        let first = &reference.table;
        let differ = |other: &Table| first.rows.len() != other.rows.len();
        if first.rows.is_empty() || others.iter().any(differ) {
            return Err("the runs have no samples in common".to_owned());
        }
        let runs = Runs {
            names: &names,
            first,
            others: &others,
            scales: Scales::new(first.rows.iter().map(Vec::as_slice)).above(SMALLEST),
        };
        let main = case.output(None).map_err(|error| error.to_string())?;
        let last = runs.last();
        let agree = |&output: &usize| runs.digits(last, output) >= DIGITS;
        self.outputs[1] = (0..names.len()).filter(agree).count();
        self.agree_until = runs.agree_until(main);
        let published = (case.problem.reference.as_ref())
            .and_then(|reference| reference.value(&self.main_output, case.t_end));
        self.published_digits =
            published.map(|value| digits(first.rows[last][main], value, runs.scales.of(main)));
        self.values = runs.values(&format!("{} + {by}", words(&reference.first)));
        prefer_closed_form(&mut self.values, case, &reference.first);
        self.digits = Some(self.values[main].digits);
        self.judge(known.values(&self.problem, self.t_end), &runs);
        Ok(())
    }

    fn judge(&mut self, known: &[ReferenceValue], runs: &Runs) {
        let row = &runs.first.rows[runs.last()];
        for value in known {
            let place = runs.names.iter().position(|name| *name == value.output);
            let found = place.map_or(f64::NAN, |place| row[place]);
            let scale = place.map_or(1.0, |place| runs.scales.of(place));
            // Where the runs agree in fewer digits than before, these count. Written so that a NaN is a change.
            let digits = place.map_or(value.digits, |place| {
                value.digits.min(runs.digits(runs.last(), place))
            });
            let is_same = (found - value.value).abs() <= SLACK * scale * 10.0_f64.powf(-digits);
            if !is_same {
                self.changes.push(Change {
                    output: value.output.clone(),
                    known: value.value,
                    digits: value.digits,
                    found,
                });
            }
        }
        self.standing = match (known.is_empty(), self.changes.is_empty()) {
            (true, _) => Standing::New,
            (false, true) => Standing::Confirmed,
            (false, false) => Standing::Changed,
        };
    }

    /// Puts what was computed into a table, in the place of what it knew.
    pub fn keep(&self, table: &mut ReferenceTable) {
        if self.standing != Standing::Failed {
            table.replace(&self.problem, self.t_end, self.values.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError, ProblemRegistry};

    /// A pendulum whose reference is spoilt in the tenth digit of one output is no longer confirmed, and by nothing else.
    #[test]
    fn a_spoilt_value_is_found() -> Result<(), CommandError> {
        let instance = Instance::read(&ProblemRegistry::standard(), "pendulum:t_end=2")?;
        let fresh = Verification::of(&instance, &ReferenceTable::default())?;
        assert_eq!((fresh.standing, &fresh.reason), (Standing::New, &None));
        assert_eq!(fresh.agree_until, 2.0);
        assert!(
            fresh.digits.is_some_and(|digits| digits > 10.0),
            "{fresh:?}"
        );
        assert!(
            fresh.published_digits.is_some_and(|digits| digits > 10.0),
            "{fresh:?}"
        );
        assert_eq!(fresh.outputs[0], fresh.outputs[1]);

        let mut table = ReferenceTable::default();
        fresh.keep(&mut table);
        let again = Verification::of(&instance, &table)?;
        assert_eq!(
            (again.standing, again.changes.len()),
            (Standing::Confirmed, 0)
        );

        let mut values = table.values("pendulum", 2.0).to_vec();
        values[1].value += 1e-9;
        table.replace("pendulum", 2.0, values);
        let changed = Verification::of(&instance, &table)?;
        assert_eq!(changed.standing, Standing::Changed);
        let outputs: Vec<&str> = changed
            .changes
            .iter()
            .map(|change| change.output.as_str())
            .collect();
        assert_eq!(outputs, ["y"]);
        Ok(())
    }

    #[test]
    fn what_does_not_run_has_a_reason() -> Result<(), CommandError> {
        fn fades(_: &Parameters) -> Result<Problem, ProblemError> {
            use liedae::scalar::Scalar;
            // No force is known from 0.5 s on.
            let model = liedae::model([1.0], [0.0]).mass(1.0);
            let model = model.force(|t, _q, _v| [(-t + 0.5).sqrt()]).build();
            let model = model.map_err(|error| ProblemError::build("fades", error))?;
            Ok(Problem::new("fades", model, 1.0))
        }
        let problems = ProblemRegistry::standard().with(ProblemEntry::new("fades", fades))?;
        let instance = Instance::read(&problems, "fades")?;
        let failed = Verification::of(&instance, &ReferenceTable::default())?;
        assert_eq!(failed.standing, Standing::Failed);
        assert!(failed.reason.is_some());
        let mut table = ReferenceTable::default();
        failed.keep(&mut table);
        assert_eq!(table.problems().count(), 0);
        Ok(())
    }

    /// Two runs that differ by 1e-10 of two outputs and agree in a third one by chance: it has no more digits than the others. A force that
    /// is zero in both has all digits, and does not count; nor does an output that stays below the tolerance.
    #[test]
    fn no_output_has_more_digits_than_is_typical() {
        let names = ["x", "y", "lucky", "force", "noise"].map(str::to_owned);
        let table = |end: [f64; 5]| Table {
            times: vec![0.0, 1.0],
            rows: vec![
                vec![1.0; 4].into_iter().chain([0.0]).collect(),
                end.to_vec(),
            ],
        };
        let first = table([0.5, 0.25, 0.125, 0.0, 1e-17]);
        let others = [table([0.5 + 1e-10, 0.25 - 2e-10, 0.125, 0.0, -1e-17])];
        let runs = Runs {
            names: &names,
            first: &first,
            others: &others,
            scales: Scales::new(first.rows.iter().map(Vec::as_slice)).above(SMALLEST),
        };
        let values = runs.values("a + b");
        let digits: Vec<f64> = values.iter().map(|value| value.digits).collect();
        assert_eq!(digits, [9.9, 9.6, 9.9, 15.9, 9.9]);
    }

    #[test]
    fn digits_of_equal_and_of_missing_values() {
        assert_eq!(digits(1.0, 1.0, 1.0), MOST_DIGITS);
        assert!((digits(1.0, 1.001, 1.0) - 3.0).abs() < 1e-9);
        assert_eq!(digits(f64::NAN, 1.0, 1.0), 0.0);
        assert_eq!(digits(5.0, -5.0, 1.0), 0.0);
    }
}
