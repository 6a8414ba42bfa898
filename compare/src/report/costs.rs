//! Measures of the cost of a run.

use crate::experiment::WorkPoint;

/// A measure of cost. To add one, add an entry to [`COSTS`].
pub(super) struct Cost {
    /// Name in titles and choices.
    pub title: &'static str,
    /// Quantity and unit.
    pub axis: &'static str,
    /// Of a run; `None` where it was not measured.
    pub of: fn(&WorkPoint) -> Option<f64>,
    /// Whether it is a count that grows with the size of the problem, and data profiles divide it by n + 1.
    pub by_size: bool,
}

/// The measures, the report's first choice first.
pub(super) const COSTS: [Cost; 4] = [
    Cost {
        title: "CPU time",
        axis: "CPU time / s",
        of: |point| point.cpu_s,
        by_size: false,
    },
    Cost {
        title: "wall time",
        axis: "wall time / s",
        of: |point| Some(point.wall_s),
        by_size: false,
    },
    Cost {
        title: "force evaluations",
        axis: "force evaluations",
        of: |point| Some(point.force as f64),
        by_size: true,
    },
    Cost {
        title: "factorizations",
        axis: "factorizations",
        of: |point| Some(point.factorizations as f64),
        by_size: false,
    },
];

impl Cost {
    /// The cost as ratios need it: methods without a single factorization count as if they had one, since nothing is a
    /// multiple of zero. Times below a nanosecond cannot be measured.
    pub(super) fn for_ratios(&self, point: &WorkPoint) -> Option<f64> {
        let least = if self.axis.ends_with("/ s") {
            1e-9
        } else {
            1.0
        };
        // A comparison, not `max`, which would make NaN the least cost.
        (self.of)(point).map(|cost| if cost < least { least } else { cost })
    }
}
