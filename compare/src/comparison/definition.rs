//! The definition of a comparison for reports: names and numbers, without methods and problems themselves.

use super::Plan;
use serde::{Deserialize, Serialize};

/// A variant of a method, as reports show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantInfo {
    /// Name in diagrams.
    pub name: String,
    /// Number of the method in the list: variants of one method look alike in diagrams.
    pub number: usize,
    /// Whether it runs on a ladder of fixed steps instead of tolerances.
    pub fixed: bool,
    /// Whether it is not the method's default way of choosing steps.
    pub secondary: bool,
}

/// The definition of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The problems.
    pub problems: Vec<String>,
    /// Methods in the ways that they run.
    pub variants: Vec<VariantInfo>,
    /// Relative = absolute tolerances, the loosest first.
    pub tolerances: Vec<f64>,
    /// CPU time in s after which a run is given up.
    pub time_limit_s: f64,
}

impl Definition {
    /// That of a plan.
    pub fn of(plan: &Plan) -> Self {
        let variants = plan.variants.iter().map(|variant| VariantInfo {
            name: variant.name.clone(),
            number: variant.number,
            fixed: variant.fixed,
            secondary: variant.secondary,
        });
        Self {
            problems: plan
                .problems
                .iter()
                .map(|subject| subject.label().to_owned())
                .collect(),
            variants: variants.collect(),
            tolerances: plan.tolerances.clone(),
            time_limit_s: plan.limits.time.as_secs_f64(),
        }
    }

    /// Both, each problem, variant and tolerance once.
    pub fn and(mut self, other: Self) -> Self {
        for problem in other.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        // Methods of another list are counted on.
        let offset = self.variants.iter().map(|known| known.number + 1).max();
        for variant in other.variants {
            if self.variants.iter().all(|known| known.name != variant.name) {
                self.variants.push(VariantInfo {
                    number: variant.number + offset.unwrap_or(0),
                    ..variant
                });
            }
        }
        self.tolerances.extend(other.tolerances);
        self.tolerances.sort_by(|a, b| b.total_cmp(a));
        self.tolerances.dedup();
        self.time_limit_s = self.time_limit_s.max(other.time_limit_s);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_put_together() {
        let variant = |name: &str, number| VariantInfo {
            name: name.to_owned(),
            number,
            fixed: false,
            secondary: false,
        };
        let one = Definition {
            problems: vec!["a".to_owned()],
            variants: vec![variant("hem5", 0)],
            tolerances: vec![1e-3],
            time_limit_s: 5.0,
        };
        let other = Definition {
            problems: vec!["b".to_owned(), "a".to_owned()],
            variants: vec![variant("bdf", 0), variant("hem5", 1)],
            tolerances: vec![1e-2, 1e-3],
            time_limit_s: 1.0,
        };
        let both = one.clone().and(other);
        assert_eq!(both.problems, ["a", "b"]);
        assert_eq!(both.variants, [variant("hem5", 0), variant("bdf", 1)]);
        assert_eq!(both.tolerances, [1e-2, 1e-3]);
        assert_eq!(both.time_limit_s, 5.0);
        assert_eq!(one.clone().and(one.clone()), one);
    }
}
