//! ρ(1.2): how often a method takes at most 1.2 times the least CPU time.

use super::costs::COSTS;
use super::runs::{MULTIPLE, Runs};
use crate::comparison::Comparison;
use crate::experiment::profile;
use crate::output::columns;

/// The factor of Table 3 of Haddouni et al. 2017, doi:10.1007/s11044-017-9570-y.
const FACTOR: f64 = 1.2;

/// ρ(1.2) of CPU time at equal tolerance, with both meanings of "solved"; `None` where fewer than two methods ran by tolerances or no CPU
/// time was taken.
pub fn shares(compared: &Comparison) -> Option<String> {
    let runs = Runs::new(&compared.definition, &compared.runs, &compared.references);
    let cost = &COSTS[0];
    let variants = runs.adaptive();
    if variants.len() < 2 || runs.lacks(cost) {
        return None;
    }
    let [judged, any] = [true, false].map(|strict| {
        let costs = runs.at_equal_tolerance(&variants, cost, strict);
        profile(&costs, variants.len()).of_all()
    });
    let rows: Vec<Vec<String>> = (variants.iter().enumerate())
        .filter_map(|(solver, &index)| {
            let name = runs.plan.variants.get(index)?.name.clone();
            let share = |found: f64| format!("{found:.2}");
            Some(vec![
                name,
                share(judged.fraction(solver, FACTOR)),
                share(any.fraction(solver, FACTOR)),
            ])
        })
        .collect();
    let strict = format!("error up to {MULTIPLE} tol");
    Some(format!(
        "rho({FACTOR}): the share of {} instances, problems at tolerances, in which a method takes at most {FACTOR} times the least CPU time\n{}",
        judged.instances,
        columns(&["method", &strict, "any error"], &rows)
    ))
}
