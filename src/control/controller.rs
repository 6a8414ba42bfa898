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
    /// The step size to go on with, or to try again with.
    pub step: f64,
}

/// Decides on steps from the weighted error (1 is just acceptable). Methods do not know which one they run under.
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

    /// The ratio c = s · err^(-1/p) by which a step would have just the error s^p; infinite for no error.
    pub(super) fn elementary(&self, error: f64, order: f64) -> f64 {
        self.safety / root(error, order)
    }

    /// Refuses a step whose error is above 1 or no size at all (NaN, infinite, negative): the next try follows from this step alone.
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

    /// A step is tried again with at most this part of its size, or an error of hardly more than 1 could stay so.
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
