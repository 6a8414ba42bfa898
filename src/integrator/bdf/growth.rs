//! Which of two orders allows the longer step.

/// An error of the formula of some order in units of the acceptable one, and how much this order is preferred.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub error: f64,
    pub order: usize,
    /// What the step counts for.
    pub bias: f64,
}

/// So close to each other, as parts of themselves, products of rounded numbers decide nothing.
const DOUBT: f64 = 1e-9;

/// Products below this have lost digits, or all of them.
const SMALLEST: f64 = 1e-300;

impl Candidate {
    /// The step that this error allows over the present one, bias · e^(-1/(k+1)).
    #[cold]
    fn growth(&self) -> f64 {
        self.bias * self.error.powf(-1.0 / (self.order as f64 + 1.0))
    }

    /// Whether it allows a longer step than another one: b e^(-1/m) > B E^(-1/n). Raised to the power m n > 0 this is
    /// ((b/B)^n E)^m > e^n, which takes no root; roots are drawn where that is too close, or out of range.
    #[inline(always)]
    pub fn exceeds(&self, other: &Self) -> bool {
        let (m, n) = (self.order + 1, other.order + 1);
        let left = power(power(self.bias / other.bias, n) * other.error, m);
        let right = power(self.error, n);
        let clearly = |larger: f64, smaller: f64| {
            (SMALLEST..f64::INFINITY).contains(&larger) && larger > (1.0 + DOUBT) * smaller
        };
        clearly(left, right) || (!clearly(right, left) && self.growth() > other.growth())
    }
}

/// With an exponent below 8.
#[inline]
fn power(base: f64, exponent: usize) -> f64 {
    let square = base * base;
    match exponent {
        0 => 1.0,
        1 => base,
        2 => square,
        3 => base * square,
        4 => square * square,
        5 => base * (square * square),
        6 => square * (square * square),
        _ => (base * square) * (square * square),
    }
}

#[cfg(test)]
mod tests {
    use super::Candidate;

    /// Errors over the whole range of numbers, beside each other and where two orders allow the same step.
    #[test]
    fn powers_decide_as_roots_do() {
        let errors = [
            0.0,
            5e-324,
            1e-200,
            1e-60,
            1e-9,
            0.3,
            1.0 - 1e-16,
            1.0,
            1.7,
            1e5,
            1e61,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for order in 1..=5 {
            for (neighbour, bias) in [(order - 1, 1.0_f64 / 1.1), (order + 1, 1.0 / 1.2)] {
                for error in errors {
                    let present = Candidate {
                        error,
                        order,
                        bias: 1.0,
                    };
                    let exponent = (neighbour as f64 + 1.0) / (order as f64 + 1.0);
                    let same_step = bias.powi(neighbour as i32 + 1) * error.powf(exponent);
                    let near = [same_step, same_step.next_up(), same_step.next_down()];
                    for error in errors.into_iter().chain(near) {
                        let other = Candidate {
                            error,
                            order: neighbour,
                            bias,
                        };
                        for (a, b) in [(&present, &other), (&other, &present)] {
                            assert_eq!(a.exceeds(b), a.growth() > b.growth(), "{a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }
}
