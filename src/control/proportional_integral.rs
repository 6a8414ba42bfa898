//! The elementary and the proportional-integral controller.

use super::controller::root;
use super::{Controller, Limits, Proposal};

/// The proportional-integral controller; with `beta` = 0 it is the elementary one.
///
/// h_new = h · s · err^-(1/p - 3/4 β) · err_old^β. Elementary: Haddouni et al. 2017, eq. 30,
/// doi:10.1007/s11044-017-9570-y. PI: Gustafsson 1991, doi:10.1145/210232.210242, with the constants of Hairer,
/// Nørsett, Wanner, Solving Ordinary Differential Equations I, IV.2 (β = 0.04 for order 5). After a rejected step the
/// step does not grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProportionalIntegral {
    /// Safety factor and limits.
    pub limits: Limits,
    /// Weight of the previous error.
    pub beta: f64,
    previous_error: f64,
    rejected: bool,
}

impl ProportionalIntegral {
    /// Smallest previous error that the integral part takes into account.
    const ERROR_FLOOR: f64 = 1e-4;

    /// A PI controller.
    pub fn new(limits: Limits, beta: f64) -> Self {
        Self {
            limits,
            beta,
            previous_error: Self::ERROR_FLOOR,
            rejected: false,
        }
    }

    /// The elementary controller.
    pub fn elementary(limits: Limits) -> Self {
        Self::new(limits, 0.0)
    }
}

impl Controller for ProportionalIntegral {
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal {
        let Limits {
            safety,
            shrink,
            grow,
        } = self.limits;
        // NaN and infinity give no ratio: the strongest reduction.
        if !(0.0..=f64::MAX).contains(&error) {
            self.rejected = true;
            return Proposal {
                accept: false,
                step: step * shrink,
            };
        }
        let proportional = if self.beta == 0.0 {
            root(error, order)
        } else {
            error.powf(1.0 / order - 0.75 * self.beta)
        };
        if error > 1.0 {
            self.rejected = true;
            return Proposal {
                accept: false,
                step: step * (safety / proportional).max(shrink),
            };
        }
        // The elementary controller has no integral part.
        let integral = if self.beta == 0.0 {
            1.0
        } else {
            self.previous_error.powf(self.beta)
        };
        let growth = safety * integral / proportional;
        let mut next = step * growth.clamp(shrink, grow);
        if self.rejected {
            next = next.min(step);
        }
        self.previous_error = error.max(Self::ERROR_FLOOR);
        self.rejected = false;
        Proposal {
            accept: true,
            step: next,
        }
    }

    fn restart(&mut self) {
        *self = Self::new(self.limits, self.beta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elementary_controller_is_equation_30() {
        let mut controller = ProportionalIntegral::elementary(Limits::default());
        let proposal = controller.propose(0.1, 0.5, 5.0);
        assert!(proposal.accept);
        approx::assert_relative_eq!(
            proposal.step,
            0.9 * 0.1 * 0.5_f64.powf(-0.2),
            max_relative = 1e-15
        );
    }

    #[test]
    fn steps_stay_within_the_limits_and_do_not_grow_after_a_rejection() {
        let mut controller = ProportionalIntegral::new(Limits::default(), 0.04);
        assert_eq!(
            controller.propose(1.0, 0.0, 5.0),
            Proposal {
                accept: true,
                step: 10.0
            }
        );
        let rejected = controller.propose(1.0, 1e9, 5.0);
        assert_eq!(
            rejected,
            Proposal {
                accept: false,
                step: 0.2
            }
        );
        let next = controller.propose(0.2, 1e-9, 5.0);
        assert_eq!(
            next,
            Proposal {
                accept: true,
                step: 0.2
            }
        );
    }

    #[test]
    fn an_error_that_is_not_a_number_is_rejected() {
        for error in [f64::NAN, f64::INFINITY] {
            let mut controller = ProportionalIntegral::elementary(Limits::default());
            assert_eq!(
                controller.propose(1.0, error, 5.0),
                Proposal {
                    accept: false,
                    step: 0.2
                }
            );
        }
    }
}
