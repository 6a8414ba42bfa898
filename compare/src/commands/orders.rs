//! `liedae orders`: observed orders of all methods in q, v and λ.

use super::deliver;
use crate::cli::OrdersArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{
    AGREEMENT, Choice, ORDER_PROBLEMS, Observed, OrderRow, Quantity, SAMPLES, Standard,
};
use crate::output::{columns, note};
use crate::registry::Registry;
use liedae::system::Formulation;
use serde::Serialize;

/// Newton iterations of formulations of index 3 end here: what they leave, multipliers magnify by 1/h².
const ITERATION: f64 = 1e-13;

#[derive(Serialize)]
struct Table {
    /// Relative deviation that still agrees with theory.
    agreement: f64,
    rows: Vec<OrderRow>,
}

/// Measures and prints the table.
pub fn orders(
    registry: &Registry,
    arguments: &OrdersArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let choices = Choice::list(registry.methods(), &arguments.methods)?.into_iter();
    let choices: Vec<_> = choices
        .map(|choice| match choice.options.formulation {
            Some(Formulation::Index3) => choice.iterating_to(ITERATION),
            _ => choice,
        })
        .collect();
    let mut table = Table {
        agreement: AGREEMENT,
        rows: Vec::new(),
    };
    for (problem, t_end) in ORDER_PROBLEMS {
        let mut standard = Standard::new(problem, t_end)?;
        for choice in &choices {
            note(&format!("{problem}, {}", choice.label()));
            let theory = choice.orders();
            table.rows.push(standard.measure(choice, theory));
        }
    }
    deliver(&table, as_json, || text(&table))
}

fn cell(quantity: &Quantity) -> String {
    let mark = if !quantity.agrees() {
        "!"
    } else if quantity.exceeds() {
        "+"
    } else {
        ""
    };
    match quantity.observed {
        Observed::Order(order) => format!("{order:.2}{mark} ({})", quantity.theory),
        Observed::Exact => format!("exact ({})", quantity.theory),
        Observed::Absent => "-".to_owned(),
        Observed::Unclear => format!("unclear{mark} ({})", quantity.theory),
    }
}

fn text(table: &Table) -> String {
    let mut text = format!(
        "Observed order (theory in brackets): largest error at {SAMPLES} equidistant times over a ladder of steps; ! below \
         theory by more than {:.0} %, + above it by as much; exact: at round-off for every step\n",
        100.0 * table.agreement
    );
    for (problem, t_end) in ORDER_PROBLEMS {
        text.push_str(&format!("\n{problem}, to t = {t_end} s\n"));
        let rows: Vec<Vec<String>> = table
            .rows
            .iter()
            .filter(|row| row.problem == problem)
            .map(|row| match &row.failure {
                Some(reason) => vec![
                    row.method.clone(),
                    String::new(),
                    String::new(),
                    String::new(),
                    reason.clone(),
                ],
                None => vec![
                    row.method.clone(),
                    cell(&row.q),
                    cell(&row.v),
                    cell(&row.lambda),
                    String::new(),
                ],
            })
            .collect();
        text.push_str(&columns(&["method", "q", "v", "lambda", ""], &rows));
    }
    text
}
