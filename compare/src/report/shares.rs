//! ρ(1.2), how often a method takes at most 1.2 times the least CPU time, and how much it solves.

use super::costs::COSTS;
use super::runs::{MULTIPLE, Runs};
use crate::comparison::Comparison;
use crate::experiment::profile;
use crate::output::columns;

/// The factor of Table 3 of Haddouni et al. 2017, doi:10.1007/s11044-017-9570-y.
const FACTOR: f64 = 1.2;

/// ρ(1.2) of CPU time at equal tolerance and how many instances are solved, with both meanings of "solved"; `None` where fewer than two
/// methods ran by tolerances or no CPU time was taken.
pub fn shares(compared: &Comparison) -> Option<String> {
    let runs = Runs::new(&compared.definition, &compared.runs, &compared.references);
    let cost = &COSTS[0];
    let variants = runs.adaptive();
    if variants.len() < 2 || runs.lacks(cost) {
        return None;
    }
    let both = [true, false].map(|strict| runs.at_equal_tolerance(&variants, cost, strict));
    let [judged, any] = both
        .each_ref()
        .map(|costs| profile(costs, variants.len()).of_all());
    let solved = |by: &dyn Fn(&[Option<f64>]) -> bool| {
        both.each_ref().map(|costs| {
            let rows = costs.iter().filter(|row| by(row.as_slice()));
            rows.count().to_string()
        })
    };
    let mut rows: Vec<Vec<String>> = (variants.iter().enumerate())
        .filter_map(|(solver, &index)| {
            let name = runs.plan.variants.get(index)?.name.clone();
            let share = |found: f64| format!("{found:.2}");
            let [accurate, arrived] = solved(&|row| row.get(solver).is_some_and(Option::is_some));
            Some(vec![
                name,
                share(judged.fraction(solver, FACTOR)),
                share(any.fraction(solver, FACTOR)),
                accurate,
                arrived,
            ])
        })
        .collect();
    let [accurate, arrived] = solved(&|row| row.iter().any(Option::is_some));
    let none = String::new;
    rows.push(vec![
        "one of them".to_owned(),
        none(),
        none(),
        accurate,
        arrived,
    ]);
    let factor = format!("rho({FACTOR})");
    let header = ["method", &factor, "any error", "solved", "arrived"];
    Some(format!(
        "{} instances, problems at tolerances. {factor}: the share in which a method takes at most {FACTOR} times the least CPU time, with an\n\
         error up to {MULTIPLE} tolerances and with any error. Solved: runs with such an error. Arrived: runs that reached the end.\n{}",
        judged.instances,
        columns(&header, &rows)
    ))
}
