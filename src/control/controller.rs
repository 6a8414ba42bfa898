//! Step-size controllers: pure functions of step, error and history.

/// What a controller decides about a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// Whether the step is good enough.
    pub accept: bool,
    /// The step size to go on with, or to try again with.
    pub step: f64,
}

/// Decides on steps from the weighted error (1 is just acceptable). Methods do not know which one they run under.
pub trait Controller {
    /// Judges a step of size `step` with the weighted `error` of a method whose error behaves like step^`order`.
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal;

    /// Forgets the history, after an event.
    fn restart(&mut self) {}
}

/// Always accepts and never changes the step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl Controller for Fixed {
    fn propose(&mut self, step: f64, _error: f64, _order: f64) -> Proposal {
        Proposal { accept: true, step }
    }
}

/// The limits that every controller keeps: h_new / h between `shrink` and `grow`, after the safety factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Safety factor s.
    pub safety: f64,
    /// Smallest ratio of successive steps.
    pub shrink: f64,
    /// Largest ratio of successive steps.
    pub grow: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            safety: 0.9,
            shrink: 0.2,
            grow: 10.0,
        }
    }
}

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
        if !error.is_finite() {
            self.rejected = true;
            return Proposal {
                accept: false,
                step: step * shrink,
            };
        }
        let proportional = error.powf(1.0 / order - 0.75 * self.beta);
        if error > 1.0 {
            self.rejected = true;
            return Proposal {
                accept: false,
                step: step * (safety / proportional).max(shrink),
            };
        }
        let growth = safety * self.previous_error.powf(self.beta) / proportional;
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

impl Limits {
    /// Whether a controller can work with them: 0 < safety ≤ 1, 0 < shrink < 1 ≤ grow.
    pub fn are_usable(&self) -> bool {
        let Self {
            safety,
            shrink,
            grow,
        } = *self;
        safety > 0.0
            && safety <= 1.0
            && shrink > 0.0
            && shrink < 1.0
            && grow >= 1.0
            && grow.is_finite()
    }
}

/// Which controller a run uses.
#[derive(Clone, Copy, Debug)]
pub enum ControllerKind {
    /// One of your own, made anew for every run.
    Custom(fn() -> Box<dyn Controller>),
    /// Never changes the step.
    Fixed,
    /// [`ProportionalIntegral::elementary`].
    Elementary(Limits),
    /// [`ProportionalIntegral`] with this β.
    ProportionalIntegral(Limits, f64),
}

impl ControllerKind {
    /// The limits, of the kinds that have any.
    pub fn limits(self) -> Option<Limits> {
        match self {
            Self::Elementary(limits) | Self::ProportionalIntegral(limits, _) => Some(limits),
            Self::Fixed | Self::Custom(_) => None,
        }
    }

    /// A fresh controller of this kind.
    pub fn build(self) -> Box<dyn Controller> {
        match self {
            Self::Custom(make) => make(),
            Self::Fixed => Box::new(Fixed),
            Self::Elementary(limits) => Box::new(ProportionalIntegral::elementary(limits)),
            Self::ProportionalIntegral(limits, beta) => {
                Box::new(ProportionalIntegral::new(limits, beta))
            }
        }
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
