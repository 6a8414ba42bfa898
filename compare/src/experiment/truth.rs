//! Reference values of the outputs of a problem, and their accuracy.

use super::own_reference::{ABSOLUTE, Confirmed, OwnReference};
use super::{Case, Scales, Survey, Table, deviation, equidistant};
use liedae_problems::Reference;
use serde::{Deserialize, Serialize};

/// Samples over which errors are taken.
const SAMPLES: usize = 41;

/// Two tight runs agree in an output if they differ by less than this part of its size.
const AGREEMENT: f64 = 1e-3;

/// Rows of some outputs at some times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Known {
    columns: Vec<usize>,
    times: Vec<f64>,
    #[serde(deserialize_with = "super::finite::rows::deserialize")]
    rows: Vec<Vec<f64>>,
    scales: Option<Scales>,
    /// The error below which the reference cannot tell.
    #[serde(deserialize_with = "super::finite::number")]
    floor: f64,
}

impl Known {
    /// Root mean square over times and outputs; `None` where nothing is known. NaN stays NaN.
    fn error(&self, rows: &[Vec<f64>]) -> Option<f64> {
        let scales = self.scales.as_ref()?;
        if self.columns.is_empty() || self.rows.is_empty() || rows.len() != self.rows.len() {
            return None;
        }
        let squares = rows.iter().zip(&self.rows).map(|(row, truth)| {
            let found: Vec<f64> = self.columns.iter().map(|&index| row[index]).collect();
            deviation(&found, truth, scales).powi(2)
        });
        let error = (squares.sum::<f64>() / rows.len() as f64).sqrt();
        // Written so that a NaN stays.
        Some(if error < self.floor {
            self.floor
        } else {
            error
        })
    }
}

/// The true solution of a problem at the end and at samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// Where it came from, in words, and what it does not know.
    pub source: String,
    end: Known,
    samples: Known,
}

impl Truth {
    /// From the problem's reference; `None` where it has none for these parameters and this end.
    pub fn published(case: &Case, times: &[f64]) -> Option<Self> {
        let reference = case.problem.reference.as_ref()?;
        Self::from_reference(case, reference, times)
    }

    /// From runs of one's own.
    pub fn own(survey: &Survey, confirmed: &Confirmed) -> Self {
        match &confirmed.confirmation {
            Ok(second) => Self::confirmed(survey, &confirmed.reference, second),
            Err(error) => Self::unconfirmed(&confirmed.reference, error),
        }
    }

    /// The times of a reference: equidistant, both ends included.
    pub fn sample_times(case: &mut Case) -> Vec<f64> {
        let start = case.system().initial_state().t;
        equidistant(start, case.t_end, SAMPLES)
    }

    /// To how many digits the end is known: those in which two references agree, or that are published; `None` where nothing says so.
    pub fn agreed_digits(&self) -> Option<f64> {
        let floor = self.end.floor;
        (floor > 0.0).then(|| -floor.log10())
    }

    /// Times at which errors are sampled.
    pub fn times(&self) -> Vec<f64> {
        self.samples.times.clone()
    }

    /// The error of outputs at the end.
    pub fn error_at_end(&self, outputs: &[f64]) -> Option<f64> {
        self.end.error(&[outputs.to_vec()])
    }

    /// The error over the samples, of outputs at [`Self::times`].
    pub fn error_over_samples(&self, table: &Table) -> Option<f64> {
        self.samples.error(&table.rows)
    }

    fn from_reference(case: &Case, reference: &Reference, times: &[f64]) -> Option<Self> {
        let names = case.outputs();
        let known = |t: f64, index: usize| reference.value(&names[index], t);
        let at_end: Vec<usize> = (0..names.len())
            .filter(|&index| known(case.t_end, index).is_some())
            .collect();
        if at_end.is_empty() {
            return None;
        }
        let after_start = times.get(1..).unwrap_or_default();
        let everywhere = |&index: &usize| after_start.iter().all(|&t| known(t, index).is_some());
        let sampled: Vec<usize> = at_end.iter().copied().filter(everywhere).collect();
        let row = |t: f64, list: &[usize], unknown: f64| -> Vec<f64> {
            let values = list.iter().map(|&index| known(t, index).unwrap_or(unknown));
            values.collect()
        };
        let end = row(case.t_end, &at_end, f64::NAN);
        // Sizes over the whole run where they are known: a value may vanish at the end.
        let sizes: Vec<Vec<f64>> = times.iter().map(|&t| row(t, &at_end, 0.0)).collect();
        let scales = Scales::new(sizes.iter().map(Vec::as_slice));
        let doubtful: Vec<f64> = at_end
            .iter()
            .zip(&end)
            .map(|(&index, value)| match reference.digits(&names[index]) {
                Some(digits) => value * (1.0 + 0.1_f64.powi(i32::from(digits))),
                None => *value,
            })
            .collect();
        let floor = deviation(&doubtful, &end, &scales);
        let rows: Vec<Vec<f64>> = after_start
            .iter()
            .map(|&t| row(t, &sampled, f64::NAN))
            .collect();
        Some(Self {
            source: reference.source().to_owned(),
            end: Known {
                columns: at_end,
                times: vec![case.t_end],
                rows: vec![end],
                scales: Some(scales),
                floor,
            },
            samples: Known {
                columns: sampled,
                times: after_start.to_vec(),
                scales: Some(Scales::new(rows.iter().map(Vec::as_slice))),
                rows,
                floor: 0.0,
            },
        })
    }

    /// Two runs that should be equal: outputs in which they differ have no errors, and if the main output is among
    /// these, none has, since the others may agree by being zero.
    fn confirmed(survey: &Survey, reference: &OwnReference, second: &Table) -> Self {
        let first = &reference.table;
        let scales = sizes(first);
        let last = first.rows.len().saturating_sub(1);
        let (end, end_words) = part(first, second, last..first.rows.len(), &scales, survey);
        let (samples, sample_words) = part(first, second, 1..first.rows.len(), &scales, survey);
        Self {
            source: format!(
                "{}, beside one with {}; at the end {end_words}; over the samples {sample_words}",
                reference.description(),
                reference.second.method
            ),
            end,
            samples,
        }
    }

    fn unconfirmed(reference: &OwnReference, error: &str) -> Self {
        let first = &reference.table;
        let scales = sizes(first);
        let known = |from: usize| {
            let rows = first.rows.get(from..).unwrap_or_default().to_vec();
            Known {
                columns: (0..rows.first().map_or(0, Vec::len)).collect(),
                times: first.times.get(from..).unwrap_or_default().to_vec(),
                rows,
                scales: Some(scales.clone()),
                floor: 0.0,
            }
        };
        Self {
            source: format!(
                "{}; not confirmed, since a second one with {} failed: {error}",
                reference.description(),
                reference.second.method
            ),
            end: known(first.rows.len().saturating_sub(1)),
            samples: known(1),
        }
    }
}

/// Sizes of the outputs. Runs whose absolute tolerance is that of the reference know nothing of outputs as small as that.
fn sizes(table: &Table) -> Scales {
    Scales::new(table.rows.iter().map(Vec::as_slice)).above(100.0 * ABSOLUTE)
}

/// What two runs agree upon in these rows, and the words for it.
fn part(
    first: &Table,
    second: &Table,
    range: std::ops::Range<usize>,
    scales: &Scales,
    survey: &Survey,
) -> (Known, String) {
    let names = &survey.outputs;
    let (Some(rows), Some(others)) = (
        first.rows.get(range.clone()),
        second.rows.get(range.clone()),
    ) else {
        return (Known::default(), "there is no second row".to_owned());
    };
    let count = rows.len().max(1) as f64;
    let difference = |index: usize| {
        let scale = scales.only(&[index]);
        let squares = rows
            .iter()
            .zip(others)
            .map(|(row, other)| deviation(&[other[index]], &[row[index]], &scale).powi(2));
        (squares.sum::<f64>() / count).sqrt()
    };
    let differences: Vec<f64> = (0..names.len()).map(difference).collect();
    let agrees = |&index: &usize| differences[index] < AGREEMENT;
    if let Some(main) = survey.main_output.filter(|main| !agrees(main)) {
        let words = format!(
            "there is no reference, since the two differ in {} by {:.1e} of its size, as motions that depend on small \
             things do",
            names[main], differences[main]
        );
        return (Known::default(), words);
    }
    let columns: Vec<usize> = (0..differences.len()).filter(agrees).collect();
    let left_out: Vec<&str> = (0..differences.len())
        .filter(|index| !agrees(index))
        .map(|index| names[index].as_str())
        .collect();
    let pick = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let row = |row: &Vec<f64>| columns.iter().map(|&index| row[index]).collect();
        rows.iter().map(row).collect()
    };
    let mut known = Known {
        times: first.times.get(range).unwrap_or_default().to_vec(),
        rows: pick(rows),
        scales: Some(scales.only(&columns)),
        columns,
        floor: 0.0,
    };
    known.floor = known.error(others).unwrap_or(0.0);
    let mut words = format!("the two agree to {:.1e}", known.floor);
    if !left_out.is_empty() {
        words.push_str(&format!(
            ", without {}, where they do not agree",
            left_out.join(", ")
        ));
    }
    (known, words)
}
