//! Performance profiles (Dolan & Moré 2002, doi:10.1007/s101070100263) over problems and accuracy levels.

use serde::Serialize;

/// Errors and costs of one solver on one problem, over its tolerances.
pub type Curve = Vec<(f64, f64)>;

/// The decades from 0.1 to 1e-10.
pub fn accuracy_levels() -> Vec<f64> {
    (1..=10).map(|digits| 10.0_f64.powi(-digits)).collect()
}

/// The cost at which a solver reaches an error of at most `target`: interpolated in double logarithmic coordinates
/// between the runs that are not beaten in both error and cost; the cheapest run if that is accurate enough; `None` if
/// no run is.
pub fn cost_at(curve: &[(f64, f64)], target: f64) -> Option<f64> {
    let usable = |&(error, cost): &(f64, f64)| {
        error.is_finite() && cost.is_finite() && error >= 0.0 && cost >= 0.0
    };
    let mut points: Vec<(f64, f64)> = curve.iter().copied().filter(usable).collect();
    points.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
    let mut before: Option<(f64, f64)> = None;
    for (error, cost) in points {
        if error <= target {
            let Some((coarse_error, coarse_cost)) = before else {
                return Some(cost);
            };
            let position =
                (coarse_error / target).ln() / (coarse_error / error.max(f64::MIN_POSITIVE)).ln();
            let (low, high) = (
                coarse_cost.max(f64::MIN_POSITIVE).ln(),
                cost.max(f64::MIN_POSITIVE).ln(),
            );
            return Some((low + position * (high - low)).exp());
        }
        if before.is_none_or(|(best, _)| error < best) {
            before = Some((error, cost));
        }
    }
    None
}

/// The distribution of cost ratios of each solver.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Profile {
    /// For each solver its ratios cost / best cost, ascending, one per instance that it solved.
    pub ratios: Vec<Vec<f64>>,
    /// Instances that some solver solved.
    pub instances: usize,
    /// Instances that none did, left out.
    pub unsolved: usize,
}

impl Profile {
    /// The fraction of instances that a solver solves within a factor `tau` of the best.
    pub fn fraction(&self, solver: usize, tau: f64) -> f64 {
        let solved = self
            .ratios
            .get(solver)
            .map_or(0, |ratios| ratios.partition_point(|&ratio| ratio <= tau));
        solved as f64 / self.instances.max(1) as f64
    }
}

/// The profile of costs, one row per instance, one entry per solver, `None` where it failed.
pub fn profile(costs: &[Vec<Option<f64>>], solvers: usize) -> Profile {
    let mut ratios = vec![Vec::new(); solvers];
    let mut instances = 0;
    for row in costs {
        let Some(best) = row.iter().flatten().copied().reduce(f64::min) else {
            continue;
        };
        instances += 1;
        for (list, cost) in ratios.iter_mut().zip(row) {
            if let Some(cost) = cost {
                list.push(if *cost == best { 1.0 } else { cost / best });
            }
        }
    }
    for list in &mut ratios {
        list.sort_by(f64::total_cmp);
    }
    Profile {
        ratios,
        instances,
        unsolved: costs.len() - instances,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_made_by_hand() {
        // Solver 0 wins twice, solver 1 wins twice, solver 2 never; the last instance nobody solves.
        let costs = vec![
            vec![Some(1.0), Some(2.0), Some(4.0)],
            vec![Some(3.0), Some(1.5), None],
            vec![Some(10.0), Some(100.0), Some(20.0)],
            vec![None, Some(7.0), Some(7.7)],
            vec![None, None, None],
        ];
        let profile = profile(&costs, 3);
        assert_eq!((profile.instances, profile.unsolved), (4, 1));
        assert_eq!(profile.ratios[0], [1.0, 1.0, 2.0]);
        assert_eq!(profile.ratios[1], [1.0, 1.0, 2.0, 10.0]);
        let expected = [
            (0, 1.0, 0.5),
            (0, 1.99, 0.5),
            (0, 2.0, 0.75),
            (0, 1e9, 0.75),
            (1, 1.0, 0.5),
            (1, 2.0, 0.75),
            (1, 10.0, 1.0),
            (2, 1.0, 0.0),
            (2, 1.2, 0.25),
            (2, 2.0, 0.5),
            (2, 4.0, 0.75),
        ];
        for (solver, tau, fraction) in expected {
            assert_eq!(
                profile.fraction(solver, tau),
                fraction,
                "solver {solver} at {tau}"
            );
        }
        assert_eq!(super::profile(&[], 2).fraction(0, 1.0), 0.0);
    }

    #[test]
    fn costs_are_interpolated_but_not_extrapolated() {
        let curve = [(1e-2, 10.0), (1e-4, 1000.0)];
        assert!(cost_at(&curve, 1e-3).is_some_and(|cost| (cost - 100.0).abs() < 1e-9));
        assert_eq!(cost_at(&curve, 1.0), Some(10.0));
        assert_eq!(cost_at(&curve, 1e-2), Some(10.0));
        assert!(cost_at(&curve, 1e-4).is_some_and(|cost| (cost - 1000.0).abs() < 1e-9));
        assert_eq!(cost_at(&curve, 1e-5), None);
        assert_eq!(cost_at(&[], 1.0), None);
        assert_eq!(cost_at(&[(f64::NAN, 1.0)], 1.0), None);
    }

    #[test]
    fn runs_that_are_beaten_do_not_matter() {
        // The second run costs more than the first and is worse.
        let curve = [(1e-2, 10.0), (1e-1, 20.0), (1e-4, 1000.0)];
        assert!(cost_at(&curve, 1e-3).is_some_and(|cost| (cost - 100.0).abs() < 1e-9));
    }
}
