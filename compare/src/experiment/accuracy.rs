//! Distance of a solution from the truth, each output measured by its own size.

use serde::{Deserialize, Serialize};

/// The size of each output: its largest absolute value over the samples, 1 where that is zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scales(#[serde(deserialize_with = "super::finite::list")] Vec<f64>);

impl Scales {
    /// From rows of true values.
    pub fn new<'r>(rows: impl IntoIterator<Item = &'r [f64]>) -> Self {
        let mut scales = Vec::new();
        for row in rows {
            scales.resize(row.len().max(scales.len()), 0.0_f64);
            for (scale, value) in scales.iter_mut().zip(row) {
                *scale = scale.max(value.abs());
            }
        }
        for scale in &mut scales {
            if *scale == 0.0 {
                *scale = 1.0;
            }
        }
        Self(scales)
    }

    /// The same, with 1 for outputs that never get larger than `smallest`: zeros, but for round-off.
    pub fn above(mut self, smallest: f64) -> Self {
        for scale in self.0.iter_mut().filter(|scale| **scale < smallest) {
            *scale = 1.0;
        }
        self
    }

    /// That of one output; 1 for an output that nobody has measured.
    pub fn of(&self, output: usize) -> f64 {
        self.0.get(output).copied().unwrap_or(1.0)
    }

    /// Those of some outputs.
    pub fn only(&self, columns: &[usize]) -> Self {
        Self(columns.iter().map(|&index| self.of(index)).collect())
    }
}

/// Root mean square over the outputs of the error relative to its scale; NaN stays NaN.
pub fn deviation(found: &[f64], truth: &[f64], scales: &Scales) -> f64 {
    let terms = found.iter().zip(truth).zip(&scales.0);
    let count = terms.len().max(1) as f64;
    let sum: f64 = terms
        .map(|((found, truth), scale)| ((found - truth) / scale).powi(2))
        .sum();
    (sum / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_counts_by_its_size() {
        let scales = Scales::new([[1.0, -200.0, 0.0].as_slice(), &[0.5, 100.0, 0.0]]);
        assert_eq!(scales, Scales(vec![1.0, 200.0, 1.0]));
        let error = deviation(&[1.1, 20.0, 0.0], &[1.0, 0.0, 0.0], &scales);
        assert!((error - (0.02_f64 / 3.0).sqrt()).abs() < 1e-15);
        let above = Scales::new([[1e-17, 2.0].as_slice()]).above(1e-10);
        assert_eq!(above, Scales(vec![1.0, 2.0]));
        assert_eq!(above.only(&[1]), Scales(vec![2.0]));
        assert!(deviation(&[f64::NAN], &[1.0], &scales).is_nan());
    }
}
