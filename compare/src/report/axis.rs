//! Axes with ticks that people expect: powers of ten, or multiples of 1, 2 and 5.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// Linear or logarithmic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Linear.
    Linear,
    /// Logarithmic to base ten; values that are not positive are left out.
    Logarithmic,
}

/// What an axis shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scaling: Scaling,
    /// Values that are shown whatever the data are.
    pub included: Vec<f64>,
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scaling: Scaling::Linear,
            included: Vec::new(),
        }
    }

    /// A logarithmic axis.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scaling: Scaling::Logarithmic,
            included: Vec::new(),
        }
    }

    /// The same with values that are shown whatever the data are.
    pub fn including(mut self, values: &[f64]) -> Self {
        self.included.extend(values);
        self
    }

    /// Where a value lies along the axis; `None` if it cannot be shown.
    pub fn place(&self, value: f64) -> Option<f64> {
        match self.scaling {
            Scaling::Linear => value.is_finite().then_some(value),
            Scaling::Logarithmic => (value > 0.0 && value.is_finite()).then(|| value.log10()),
        }
    }

    /// The word for its scaling in a chart's attributes.
    pub(super) fn kind(&self) -> &'static str {
        match self.scaling {
            Scaling::Linear => "linear",
            Scaling::Logarithmic => "logarithmic",
        }
    }

    /// The visible range and ticks for values at these places.
    pub(super) fn range(&self, places: impl Iterator<Item = f64>) -> TickedRange {
        let included = self.included.iter().filter_map(|&value| self.place(value));
        let (low, high) = places
            .chain(included)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| {
                (low.min(place), high.max(place))
            });
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        match self.scaling {
            Scaling::Linear => TickedRange::linear(low, high),
            Scaling::Logarithmic => TickedRange::logarithmic(low, high),
        }
    }
}

/// A range with its ticks, as plotters wants it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TickedRange {
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
}

impl TickedRange {
    /// The lowest and the highest visible place.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// From 0 to 1, without ticks.
    pub(super) fn bare() -> Self {
        Self {
            low: 0.0,
            high: 1.0,
            ticks: Vec::new(),
        }
    }

    fn linear(low: f64, high: f64) -> Self {
        let size = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
        let (low, high) = if high - low <= 1e-9 * size {
            (low - 0.5 * size, high + 0.5 * size)
        } else {
            (low, high)
        };
        let margin = 0.04 * (high - low);
        let (low, high) = (if low == 0.0 { 0.0 } else { low - margin }, high + margin);
        let raw = (high - low) / 6.0;
        let power = 10.0_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * power)
            .into_iter()
            .find(|&step| step >= raw);
        let step = step.unwrap_or(raw);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        let ticks = (first..=last).map(|index| {
            let value = index as f64 * step;
            // Longer ones would stand in the label of the axis.
            let label = if digits <= 4 && value.abs() < 1e6 {
                format!("{value:.digits$}")
            } else if index == 0 {
                "0".to_owned()
            } else {
                // As many digits as tell a tick from the next, and not those of round-off.
                let more = value.abs().log10().floor() - step.log10().floor();
                format!("{value:.*e}", more.max(0.0) as usize)
            };
            (value, label.replace('-', "−"))
        });
        Self {
            ticks: ticks.collect(),
            low,
            high,
        }
    }

    fn logarithmic(low: f64, high: f64) -> Self {
        // Less than two thirds of a decade may fall between two ticks.
        let margin = (0.04 * (high - low))
            .max(0.35 - 0.5 * (high - low))
            .max(0.05);
        let (low, high) = (low - margin, high + margin);
        let decades = high - low;
        let mut ticks = Vec::new();
        if decades < 1.8 {
            for exponent in (low.floor() as i32)..=(high.ceil() as i32) {
                for factor in [1.0_f64, 2.0, 5.0] {
                    let label = match exponent {
                        0..=3 => format!("{}", factor * 10.0_f64.powi(exponent)),
                        _ if factor == 1.0 => power_of_ten(exponent),
                        _ => format!("{factor}·{}", power_of_ten(exponent)),
                    };
                    ticks.push((f64::from(exponent) + factor.log10(), label));
                }
            }
        } else {
            let every = (decades / 8.0).ceil().max(1.0) as i32;
            for exponent in (low.ceil() as i32)..=(high.floor() as i32) {
                if exponent.rem_euclid(every) == 0 {
                    ticks.push((f64::from(exponent), power_of_ten(exponent)));
                }
            }
        }
        ticks.retain(|(place, _)| (low..=high).contains(place));
        Self { low, high, ticks }
    }
}

/// 10 with a raised exponent.
pub(super) fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits.chars().map(|digit| match digit.to_digit(10) {
        Some(digit) => RAISED[digit as usize],
        None => '⁻',
    });
    std::iter::once('1')
        .chain(std::iter::once('0'))
        .chain(raised)
        .collect()
}

impl Ranged for TickedRange {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let position = (value - self.low) / (self.high - self.low);
        (f64::from(limit.0) + position * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(place, _)| *place).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for TickedRange {
    fn format_ext(&self, value: &f64) -> String {
        let label = self.ticks.iter().find(|(place, _)| place == value);
        label.map_or_else(String::new, |(_, label)| label.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: &TickedRange) -> Vec<&str> {
        range
            .ticks
            .iter()
            .map(|(_, label)| label.as_str())
            .collect()
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let axis = Axis::logarithmic("error");
        let range = axis.range([1e-4, 1e-1].iter().filter_map(|&value| axis.place(value)));
        assert_eq!(labels(&range), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹"]);
        assert_eq!(axis.place(0.0), None);
        assert_eq!(axis.place(f64::NAN), None);
    }

    #[test]
    fn a_single_value_has_ticks_around_it() {
        for value in [3e-9, 1.0, 4.9e3] {
            let axis = Axis::logarithmic("error");
            let range = axis.range(axis.place(value).into_iter());
            assert!(range.ticks.len() >= 2, "{:?}", range.ticks);
        }
        let range = Axis::linear("fraction")
            .including(&[0.0, 1.0])
            .range([1.0].into_iter());
        assert_eq!(labels(&range), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn linear_ticks_are_round() {
        let range = Axis::linear("t / s").range([0.0, 8.0].into_iter());
        assert_eq!(labels(&range), ["0", "2", "4", "6", "8"]);
        let range = Axis::linear("y").range([0.0, 1.45e-10].into_iter());
        assert_eq!(labels(&range), ["0", "5e−11", "1.0e−10", "1.5e−10"]);
        let range = Axis::linear("x").range([-0.3, 0.3].into_iter());
        assert_eq!(labels(&range), ["−0.2", "0.0", "0.2"]);
    }

    #[test]
    fn no_values_and_equal_values_have_a_range() {
        for axis in [Axis::linear("x"), Axis::logarithmic("x")] {
            for values in [vec![], vec![3.0, 3.0], vec![0.0]] {
                let range = axis.range(values.into_iter());
                assert!(range.low < range.high);
                assert!(range.ticks.len() < 30);
            }
        }
    }
}
