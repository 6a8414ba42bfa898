//! Data profiles (Moré & Wild 2009, doi:10.1137/080724083): what a solver gets done with a budget.

/// For each solver the budgets with which it solves its instances.
#[derive(Clone, Debug, PartialEq)]
pub struct DataProfile {
    /// Ascending, one per instance that the solver solved.
    pub budgets: Vec<Vec<f64>>,
    /// All instances, also those that no solver solved.
    pub instances: usize,
}

impl DataProfile {
    /// The fraction of all instances that a solver solves with at most this budget.
    pub fn fraction(&self, solver: usize, budget: f64) -> f64 {
        let solved = self
            .budgets
            .get(solver)
            .map_or(0, |list| list.partition_point(|&needed| needed <= budget));
        solved as f64 / self.instances.max(1) as f64
    }
}

/// The data profile of costs, one row per instance, one entry per solver, `None` where it failed. The cost of an instance
/// is counted in its own unit, so that large problems count as much as small ones: Moré and Wild's is the n + 1
/// evaluations of one simplex gradient.
pub fn data_profile(costs: &[Vec<Option<f64>>], units: &[f64], solvers: usize) -> DataProfile {
    let mut budgets = vec![Vec::new(); solvers];
    for (row, unit) in costs.iter().zip(units) {
        for (list, cost) in budgets.iter_mut().zip(row) {
            list.extend(
                cost.map(|cost| cost / unit)
                    .filter(|budget| budget.is_finite()),
            );
        }
    }
    for list in &mut budgets {
        list.sort_by(f64::total_cmp);
    }
    DataProfile {
        budgets,
        instances: costs.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_made_by_hand() {
        // Dimensions 1, 4 and 9: units 2, 5 and 10. Nobody solves the last instance.
        let costs = [
            vec![Some(20.0), Some(6.0)],
            vec![Some(20.0), None],
            vec![Some(20.0), Some(1000.0)],
            vec![None, None],
        ];
        let profile = data_profile(&costs, &[2.0, 5.0, 10.0, 10.0], 2);
        assert_eq!(profile.budgets, [vec![2.0, 4.0, 10.0], vec![3.0, 100.0]]);
        let expected = [
            (0, 1.9, 0.0),
            (0, 2.0, 0.25),
            (0, 4.0, 0.5),
            (0, 1e9, 0.75),
            (1, 2.9, 0.0),
            (1, 3.0, 0.25),
            (1, 100.0, 0.5),
        ];
        for (solver, budget, fraction) in expected {
            assert_eq!(
                profile.fraction(solver, budget),
                fraction,
                "solver {solver} with {budget}"
            );
        }
        assert_eq!(data_profile(&[], &[], 1).fraction(0, 1.0), 0.0);
        // A cost that is no number solves nothing.
        assert_eq!(
            data_profile(&[vec![Some(f64::NAN)]], &[1.0], 1).fraction(0, 1e300),
            0.0
        );
    }
}
