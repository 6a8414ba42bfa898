//! Gustafsson's predictive controller.

use super::controller::root;
use super::{Controller, Limits, Proposal};

/// The predictive controller: it takes the trend of the error into account, and grows no more than the elementary one.
///
/// After an accepted step of size h, with err and the previous accepted step's h_old and err_old,
///
/// ```text
/// h_new = h · min( s · err^(-1/p),  s · err^(-1/p) · (h / h_old) · (err_old / err)^(1/p) )
/// ```
///
/// Gustafsson 1994, doi:10.1145/198429.198437, in the form that Hairer and Wanner use with Radau IIA, Solving Ordinary
/// Differential Equations II, IV.8 (p = 4 there), doi:10.1007/978-3-642-05221-7: err_old counts at least 0.01. In the
/// model err = φ h^p the second term continues the change of φ from the last step to this one geometrically. A step
/// with error above 1 is repeated by the elementary rule, leaves the history as it is, and the step after it does not
/// grow. `restart` forgets the history; the first step after it follows the elementary rule.
///
/// Where the order changes from step to step, each error is taken to the root of its own order.
///
/// Use it with implicit methods on stiff problems, whose error rises steeply when a fast phase begins: it sees the
/// rise coming and saves rejected steps. With a noisy error estimate it reacts to the noise, even more than the
/// elementary controller.
///
/// ```
/// use liedae::control::{Controller, Limits, Predictive, ProportionalIntegral};
///
/// // The error has risen from 0.01 to 0.5 at the same step: it will go on rising.
/// let mut predictive = Predictive::new(Limits::default());
/// let mut elementary = ProportionalIntegral::elementary(Limits::default());
/// let [seeing, blind] = [&mut predictive as &mut dyn Controller, &mut elementary].map(|controller| {
///     controller.propose(0.1, 0.01, 4.0);
///     controller.propose(0.1, 0.5, 4.0).step
/// });
/// assert!((seeing / blind - (0.01_f64 / 0.5).powf(0.25)).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predictive {
    /// Safety factor and limits.
    pub limits: Limits,
    previous: Option<Accepted>,
    rejected: bool,
}

/// What is remembered of an accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Accepted {
    step: f64,
    /// err^(1/p)
    root: f64,
}

impl Predictive {
    /// Smallest previous error that counts.
    const ERROR_FLOOR: f64 = 1e-2;

    /// Without history.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            previous: None,
            rejected: false,
        }
    }
}

impl Controller for Predictive {
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal {
        let accept = (0.0..=1.0).contains(&error);
        if !accept {
            self.rejected = true;
            return self.limits.refuse(step, error, order);
        }
        let elementary = self.limits.elementary(error, order);
        let trend = self.previous.map_or(1.0, |previous| {
            // (h / h_old) (err_old / err)^(1/p), each error to the root of its own order.
            (step / previous.step) * previous.root / root(error, order)
        });
        let Limits { shrink, grow, .. } = self.limits;
        let highest = if self.rejected { 1.0 } else { grow };
        // The trend may only shorten the step.
        let ratio = (elementary * trend).min(elementary).min(highest);
        self.previous = Some(Accepted {
            step,
            root: root(error.max(Self::ERROR_FLOOR), order),
        });
        self.rejected = false;
        Proposal {
            accept,
            step: step * ratio.max(shrink),
        }
    }

    fn restart(&mut self) {
        *self = Self::new(self.limits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn controller() -> Predictive {
        Predictive::new(Limits {
            safety: 0.9,
            shrink: 0.125,
            grow: 5.0,
        })
    }

    #[test]
    fn formula_of_the_second_step() {
        let mut controller = controller();
        // err^(-1/4) of 1/16 is 2.
        assert_relative_eq!(
            controller.propose(0.1, 0.0625, 4.0).step,
            0.1 * 0.9 * 2.0,
            max_relative = 1e-14
        );
        // The error has grown from 1/16 to 1/2 with steps from 0.1 to 0.15: trend 1.5 * (1/8)^(1/4) < 1.
        let elementary = 0.9 * 0.5_f64.powf(-0.25);
        let trend = 1.5 * 0.125_f64.powf(0.25);
        assert_relative_eq!(
            controller.propose(0.15, 0.5, 4.0).step,
            0.15 * elementary * trend,
            max_relative = 1e-14
        );
        // The error falls with equal steps: the trend would grow, the elementary rule holds.
        assert_relative_eq!(
            controller.propose(0.15, 0.25, 4.0).step,
            0.15 * 0.9 * 2.0_f64.sqrt(),
            max_relative = 1e-14
        );
    }

    #[test]
    fn previous_errors_count_one_hundredth_at_least() {
        let mut controller = controller();
        controller.propose(1.0, 1e-30, 2.0);
        assert_relative_eq!(
            controller.propose(1.0, 0.04, 2.0).step,
            0.9 * 5.0 * 0.5,
            max_relative = 1e-14
        );
    }

    #[test]
    fn each_error_belongs_to_its_own_order() {
        let mut controller = controller();
        controller.propose(1.0, 0.25, 2.0);
        let expected = 0.9 * 0.8_f64.powf(-0.25) * 0.5 * 0.8_f64.powf(-0.25);
        assert_relative_eq!(
            controller.propose(1.0, 0.8, 4.0).step,
            expected,
            max_relative = 1e-14
        );
    }

    #[test]
    fn rejections_leave_the_history_and_forbid_growth_once() {
        let mut controller = controller();
        controller.propose(1.0, 0.5, 4.0);
        let before = controller.previous;
        let rejected = controller.propose(1.0, 16.0, 4.0);
        assert!(!rejected.accept);
        assert_relative_eq!(rejected.step, 0.45, max_relative = 1e-14);
        assert_eq!(controller.previous, before);
        assert_eq!(controller.propose(0.45, 1e-6, 4.0).step, 0.45);
        assert!(controller.propose(0.45, 1e-6, 4.0).step > 0.45);
        controller.restart();
        assert_eq!(controller.previous, None);
    }
}
