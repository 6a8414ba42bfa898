//! A controller: it knows halves and doubles only.

use liedae::control::{Controller, Proposal};

pub struct Halving;

impl Controller for Halving {
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal {
        // An error that is not a number is too large.
        let accept = error <= 1.0;
        let may_double = error < 0.9 * 0.5_f64.powf(order);
        let factor = match (accept, may_double) {
            (false, _) => 0.5,
            (true, true) => 2.0,
            (true, false) => 1.0,
        };
        Proposal {
            accept,
            step: factor * step,
        }
    }
}
