//! Step-size controllers: pure functions of step, error and history.

/// What a controller decides about a step.
///
/// ```
/// use liedae::control::{Controller, Limits, Proposal, ProportionalIntegral};
///
/// // An error of 1/32 in a method of order 5: the next step is nearly twice as long.
/// let mut controller = ProportionalIntegral::elementary(Limits::default());
/// let Proposal { accept, step } = controller.propose(0.1, 1.0 / 32.0, 5.0);
/// assert!(accept && (step - 0.9 * 0.1 * 2.0).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// Whether the step is good enough.
    pub accept: bool,
    /// The size of the next step, or of the repeated step.
    pub step: f64,
}

/// Accepts or rejects steps and chooses step sizes, from the weighted error (1 is just acceptable). Any controller works with any
/// method.
///
/// ```
/// use liedae::control::{Controller, Limits, ProportionalIntegral};
///
/// // An error of 32 tolerances in a method of order 5: the step is refused, and less than half of it proposed.
/// let mut controller = ProportionalIntegral::elementary(Limits::default());
/// let proposal = controller.propose(0.1, 32.0, 5.0);
/// assert!(!proposal.accept);
/// assert!((proposal.step - 0.9 * 0.1 / 2.0).abs() < 1e-15);
/// ```
pub trait Controller {
    /// Judges a step of size `step` with the weighted `error` of a method whose error behaves like step^`order`.
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal;

    /// Forgets the history, after an event.
    fn restart(&mut self) {}
}

/// Always accepts and never changes the step.
///
/// ```
/// use liedae::control::{Controller, Fixed, Proposal};
///
/// // Whatever the error is.
/// assert_eq!(Fixed.propose(0.1, 1e6, 5.0), Proposal { accept: true, step: 0.1 });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl Controller for Fixed {
    fn propose(&mut self, step: f64, _error: f64, _order: f64) -> Proposal {
        Proposal { accept: true, step }
    }
}

/// The limits of every controller: h_new / h is between `shrink` and `grow`, after the safety factor.
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

    /// The ratio c = s · err^(-1/p) that gives the next step the error s^p; infinite if the error is zero.
    pub(super) fn elementary(&self, error: f64, order: f64) -> f64 {
        self.safety / root(error, order)
    }

    /// Rejects a step whose error is above 1 or invalid (NaN, infinite, negative): the size of the repeated step depends on this
    /// step only.
    pub(super) fn refuse(&self, step: f64, error: f64, order: f64) -> Proposal {
        // NaN, infinity and negative numbers are no errors to take a root of.
        let ratio = if (0.0..f64::INFINITY).contains(&error) {
            self.elementary(error, order)
        } else {
            self.shrink
        };
        Proposal {
            accept: false,
            step: step * ratio.min(Self::REPEATED).max(self.shrink),
        }
    }

    /// A repeated step has at most this share of the size, so that an error slightly above 1 cannot persist.
    const REPEATED: f64 = 0.95;
}

/// The root of this degree of a number >= 0. Square roots take a fifth of the time of a power.
pub(crate) fn root(number: f64, degree: f64) -> f64 {
    // Of -0 as well.
    let number = number + 0.0;
    if degree == 4.0 {
        number.sqrt().sqrt()
    } else if degree == 2.0 {
        number.sqrt()
    } else {
        number.powf(1.0 / degree)
    }
}
