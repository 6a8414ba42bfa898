//! Checks of the descriptor of a method.

use super::{Check, Context, Fault, Finding, Item};
use liedae::integrator::Method;

/// No estimate behaves like a higher power of h than the local error of the method, by more than this.
const ESTIMATE_ABOVE: f64 = 1.0;

/// An estimate that is so many powers below the order of the method wastes steps or states another method's order.
const ESTIMATE_BELOW: f64 = 3.0;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let method = context.method.method();
    let mut items = Vec::new();
    let mut add = |subject: &str, objection: Option<String>, fact: String| {
        let outcome = match objection {
            Some(words) => Err(Fault::Descriptor(words)),
            None => Ok(Finding::fact(fact)),
        };
        items.push(Item::new(Check::Descriptor, subject, outcome));
    };
    let [name, source] = [method.name, method.source];
    add("name", name_objection(name), name.to_owned());
    add("source", source_objection(source), source.to_owned());
    let orders = method.orders;
    add(
        "orders and index",
        orders_objection(method),
        format!(
            "orders {}, {}, {} in q, v, lambda; index {}",
            orders.q, orders.v, orders.lambda, method.index
        ),
    );
    add(
        "estimate",
        estimate_objection(method),
        match method.is_adaptive() {
            true => format!("like h^{}", method.error_order),
            false => "none".to_owned(),
        },
    );
    items
}

fn name_objection(name: &str) -> Option<String> {
    if name.is_empty() {
        Some("the name is empty".to_owned())
    } else if name.contains(char::is_whitespace) {
        Some(format!(
            "the name `{name}` has spaces: it is for the command line"
        ))
    } else {
        None
    }
}

fn source_objection(source: &str) -> Option<String> {
    let empty = source.trim().is_empty();
    empty.then(|| "there is no source: authors, year, DOI".to_owned())
}

fn orders_objection(method: &Method) -> Option<String> {
    let orders = method.orders;
    if orders.q == 0 || orders.v == 0 {
        Some(format!(
            "orders {} in q and {} in v are those of no method",
            orders.q, orders.v
        ))
    } else if !(1..=3).contains(&method.index) {
        Some(format!("the index {} is none of 1, 2, 3", method.index))
    } else {
        None
    }
}

fn estimate_objection(method: &Method) -> Option<String> {
    let estimate = method.error_order;
    let order = f64::from(method.orders.q.max(method.orders.v));
    if !(estimate.is_finite() && estimate >= 0.0) {
        Some(format!("the power {estimate} of the estimate is no order"))
    } else if estimate == 0.0 && !method.fixed_step_by_default {
        Some("without an estimate, steps are fixed by default".to_owned())
    } else if estimate > order + ESTIMATE_ABOVE {
        Some(format!(
            "an estimate like h^{estimate} does not fit the order {order}"
        ))
    } else if estimate > 0.0 && estimate < order - ESTIMATE_BELOW {
        Some(format!(
            "an estimate like h^{estimate} is far below the order {order}"
        ))
    } else {
        None
    }
}
