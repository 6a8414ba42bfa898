//! What theory says of a method with its options: orders of convergence, and how errors follow tolerances.

use super::Choice;
use liedae::integrator::{MethodOption, MethodOptions, NewmarkParameters, Orders};

/// γ of Newmark's formulas at which they have order 2, and θ of θ-schemes; what is larger damps, and has order 1.
const SYMMETRIC: f64 = 0.5;

/// e in h ~ tol^(1/e) where it is not the order of the method's estimate: `radau5` asks tol^(2/3) of an estimate of order 4.
const STEP_EXPONENTS: [(&str, f64); 1] = [("radau5", 6.0)];

impl Choice {
    /// Its orders of convergence with the options that were asked for.
    ///
    /// What a method says about itself with these options counts; where options change nothing of that, what its entry says of the
    /// formulation. Beyond, options have the orders that they stand for: a highest order bounds them, n rows of an extrapolation have order
    /// 2 n, and damping by γ of Newmark's formulas or by θ leaves order 1.
    pub fn orders(&self) -> Orders {
        let by_formulation = MethodOptions {
            formulation: self.options.formulation,
            ..MethodOptions::default()
        };
        let own = self.method().orders;
        let stated = self.entry.make(&by_formulation).method().orders;
        let asked = self.options.formulation.and_then(|asked| {
            let mut offered = self.entry.formulations.iter();
            offered.find(|&&(known, _)| known == asked)
        });
        let mut orders = match asked {
            Some((_, orders)) if own == stated => *orders,
            _ => own,
        };
        if let Some(rows) = self.options.rows {
            orders = Orders::all(order(2 * rows));
        }
        if let Some(highest) = self.options.highest_order {
            orders = at_most(orders, order(highest));
        }
        let gamma =
            (self.options.newmark).map_or(SYMMETRIC, |NewmarkParameters { gamma, .. }| gamma);
        if gamma > SYMMETRIC || self.options.theta.is_some_and(|theta| theta > SYMMETRIC) {
            orders = at_most(orders, 1);
        }
        orders
    }

    /// How the error should follow the tolerance: with steps h ~ tol^(1/e), the global error of a method of order p is
    /// proportional to tol^(p/e). Below 1 the error falls behind the tolerance, decade by decade.
    pub fn expected_slope(&self) -> f64 {
        let (orders, method) = (self.orders(), self.method());
        let known = STEP_EXPONENTS.iter().find(|(name, _)| *name == method.name);
        let order = f64::from(orders.q.min(orders.v));
        let exponent = match known {
            Some((_, exponent)) => *exponent,
            // It states the estimate of its first steps, but runs at the highest order where the solution is smooth.
            None if self.entry.takes(MethodOption::HighestOrder) => order + 1.0,
            // The last two rows differ by an order of two.
            None if self.options.rows.is_some() => order - 1.0,
            None => method.error_order,
        };
        order / exponent
    }
}

fn order(number: usize) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn at_most(orders: Orders, most: u8) -> Orders {
    Orders {
        q: orders.q.min(most),
        v: orders.v.min(most),
        lambda: orders.lambda.min(most),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(text: &str) -> Choice {
        Choice::parse(&liedae_contact::methods(), text).expect("a method")
    }

    #[test]
    fn orders_are_those_of_the_options() {
        for (text, [q, v, lambda]) in [
            ("bdf", [5, 5, 5]),
            ("bdf:order=2", [2, 2, 2]),
            ("bdf:3:order=3", [3, 3, 3]),
            ("bdf-lie:3:steps=3", [3, 3, 3]),
            ("bdf-lie:steps=1", [1, 1, 1]),
            ("extrapolation", [8, 8, 8]),
            ("extrapolation:rows=3", [6, 6, 6]),
            ("state-space-newmark:beta=0.3", [2, 2, 2]),
            ("state-space-newmark:gamma=0.6", [1, 1, 1]),
            ("moreau-jean:theta=0.5", [2, 2, 1]),
            ("moreau-jean:theta=1", [1, 1, 1]),
            ("radau5:newton-iterations=9", [5, 5, 5]),
        ] {
            let expected = Orders { q, v, lambda };
            assert_eq!(choice(text).orders(), expected, "{text}");
        }
        let formulations = [choice("radau5:3"), choice("radau5:3:newton-iterations=9")];
        assert_eq!(formulations[0].orders(), formulations[1].orders());
        assert!(formulations[0].orders() != choice("radau5").orders());
    }

    #[test]
    fn slopes_follow_from_orders_and_from_what_is_asked_of_the_estimate() {
        for (text, expected) in [
            ("hem5", 1.0),
            ("half-implicit", 0.5),
            ("radau5", 5.0 / 6.0),
            ("radau5:3", 0.5),
            ("bdf", 5.0 / 6.0),
            ("bdf:order=2", 2.0 / 3.0),
            ("extrapolation", 8.0 / 7.0),
            ("extrapolation:rows=3", 6.0 / 5.0),
        ] {
            let found = choice(text).expected_slope();
            assert!((found - expected).abs() < 1e-12, "{text}: {found}");
        }
    }
}
