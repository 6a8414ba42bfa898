//! Digital filters: PID controllers and their generalizations with zeros in the frequency response.

use super::{Controller, Limits, Proposal};

/// The weights of a [`DigitalFilter`], Söderlind's k·β and α.
///
/// ```
/// use liedae::control::FilterGains;
///
/// // Weights of a PID controller; those of errors add up to the integral gain.
/// let gains = FilterGains::pid(0.1, 0.3, 0.05);
/// assert!((gains.error.iter().sum::<f64>() - 0.3).abs() < 1e-15);
/// assert!(gains.are_usable());
/// // Without errors to go by there is no controller.
/// assert!(!FilterGains { error: [0.0; 3], ratio: [0.0; 2] }.are_usable());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterGains {
    /// k β₁, k β₂, k β₃: of the errors of this step and the two before it.
    pub error: [f64; 3],
    /// α₂, α₃: of the last two ratios of steps.
    pub ratio: [f64; 2],
}

impl FilterGains {
    /// PI weights k β = (0.85, -0.2): those of Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, IV.2
    /// (exponents 0.17 and 0.04 at order 5), in proportion to 1/p at any order.
    pub const PI: Self = Self::pid(0.2, 0.65, 0.0);

    /// PID weights of Kennedy and Carpenter 2003, doi:10.1016/S0168-9274(02)00138-1: k_P = 0.14, k_I = 0.25,
    /// k_D = 0.10. The slowest mode of the closed loop decays by 0.78 per step.
    pub const PID: Self = Self::pid(0.14, 0.25, 0.10);

    /// H211PI, Söderlind 2003: k β = (1/6, 1/6), α = 0. Modes 1/2 and 1/3 per step.
    pub const H211_PI: Self = Self {
        error: [1.0 / 6.0, 1.0 / 6.0, 0.0],
        ratio: [0.0; 2],
    };

    /// A PID controller from its proportional, integral and derivative gain, all multiplied by the order k:
    /// k β₁ = k_P + k_I + k_D, k β₂ = -(k_P + 2 k_D), k β₃ = k_D (Söderlind 2003).
    pub const fn pid(proportional: f64, integral: f64, derivative: f64) -> Self {
        Self {
            error: [
                proportional + integral + derivative,
                -(proportional + 2.0 * derivative),
                derivative,
            ],
            ratio: [0.0; 2],
        }
    }

    /// H211b, Söderlind 2003: k β = (1/b, 1/b), α₂ = 1/b. Its only mode is 1 - 2/b per step: b = 2 is deadbeat (H0211),
    /// larger b are smoother; 4 is usual.
    pub const fn h211b(b: f64) -> Self {
        Self {
            error: [1.0 / b, 1.0 / b, 0.0],
            ratio: [1.0 / b, 0.0],
        }
    }

    /// H312b, Söderlind 2003: k β = (1/b, 2/b, 1/b), α = (3/b, 1/b). Its only mode is 1 - 4/b per step: b = 4 is deadbeat
    /// (H0312); 8 is usual.
    pub const fn h312b(b: f64) -> Self {
        Self {
            error: [1.0 / b, 2.0 / b, 1.0 / b],
            ratio: [3.0 / b, 1.0 / b],
        }
    }

    /// Whether a controller can work with them: finite, and a lasting error above 1 shortens the step
    /// (k β₁ + k β₂ + k β₃ > 0).
    pub fn are_usable(&self) -> bool {
        let integral: f64 = self.error.iter().sum();
        integral > 0.0 && integral.is_finite() && self.ratio.iter().all(|gain| gain.is_finite())
    }

    /// How many earlier steps they refer to.
    fn memory(&self) -> usize {
        if self.error[2] != 0.0 || self.ratio[1] != 0.0 {
            2
        } else if self.error[1] != 0.0 || self.ratio[0] != 0.0 {
            1
        } else {
            0
        }
    }
}

/// A controller that treats the sequence of errors as a signal: the PID family and Söderlind's digital filters.
///
/// With c_n = s · err_n^(-1/p), the ratio of the elementary controller at step n, the next ratio of steps is
///
/// ```text
/// ρ = h_{n+1} / h_n = c_n^(kβ₁) · c_{n-1}^(kβ₂) · c_{n-2}^(kβ₃) · (h_n / h_{n-1})^(-α₂) · (h_{n-1} / h_{n-2})^(-α₃)
/// ```
///
/// Söderlind, Digital filters in adaptive time-stepping, 2003, doi:10.1145/641876.641877, where the filters are called
/// H followed by the orders of dynamics, adaptivity and filter. The safety factor moves the set point, so that in the
/// model err = φ h^p all of them settle at h = s φ^(-1/p). Where the order changes from step to step, each c has been
/// taken with the order of its own step.
///
/// With `smoothing` κ the ratio becomes 1 + κ · arctan((ρ - 1)/κ) (Söderlind, Wang 2006,
/// doi:10.1016/j.cam.2005.03.008), which has no kinks; κ = 1 keeps it between 0.21 and 2.57. [`Limits`] come last.
///
/// The recursion needs up to two earlier steps. Without them the elementary rule is followed, within the limits alone:
/// at the start, after `restart`, and after a rejection, which is itself answered by the elementary rule; the step
/// after a rejection does not grow. The history also starts anew when a step is not about as long as proposed (by a
/// factor of two: cut for a stop, or repeated after a failed iteration), and when c_n exceeds the largest ratio of steps,
/// since such an error tells no more than that the step is far too small.
///
/// - PID, [`FilterGains::pid`]: damps oscillations of the step at the border of stability of explicit methods.
/// - H211b and H211PI: a zero at the highest frequency; step sizes are smooth where the error estimate is noisy, and the
///   computed solution depends smoothly on the tolerance. H211b reacts as fast as its b says, H211PI has no dependence
///   on earlier ratios of steps.
/// - H312b: a double zero; smoother still, and slower to notice a change. Of the filters of this order it has a
///   parameter and a single mode, whereas H312PID has a pair of complex ones; it also takes into account the steps that
///   were really taken.
///
/// Do not use the filters where the error rises suddenly, since they react later and reject more steps.
///
/// ```
/// use liedae::control::{Controller, DigitalFilter, FilterGains, Limits};
///
/// // In the model err = h⁵ the step settles where the error is just acceptable, but for the safety factor.
/// let mut filter = DigitalFilter::new(Limits::default(), FilterGains::h211b(4.0), Some(1.0));
/// let mut step = 0.01_f64;
/// for _ in 0..200 {
///     step = filter.propose(step, step.powi(5), 5.0).step;
/// }
/// assert!((step - 0.9).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DigitalFilter {
    /// Safety factor and limits.
    pub limits: Limits,
    /// Weights.
    pub gains: FilterGains,
    /// κ of the smooth limiter, if any.
    pub smoothing: Option<f64>,
    /// The previous step, and the one before.
    history: [Accepted; 2],
    known: usize,
    proposed: f64,
    rejected: bool,
}

/// What is remembered of an accepted step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Accepted {
    step: f64,
    elementary: f64,
}

/// A step that differs more from what was proposed was somebody else's choice.
const FOLLOWED: f64 = 2.1;

impl DigitalFilter {
    /// Without history.
    pub fn new(limits: Limits, gains: FilterGains, smoothing: Option<f64>) -> Self {
        let nothing = Accepted {
            step: 1.0,
            elementary: 1.0,
        };
        Self {
            limits,
            gains,
            smoothing,
            history: [nothing; 2],
            known: 0,
            proposed: 0.0,
            rejected: false,
        }
    }

    /// The ratio by the recursion, with as much history as it needs.
    fn filtered(&self, step: f64, elementary: f64) -> f64 {
        let FilterGains { error, ratio } = self.gains;
        let [last, before] = self.history;
        // Only what the weights refer to has been recorded: without a weight the factor is x^0 = 1.
        let filtered = elementary.powf(error[0])
            * last.elementary.powf(error[1])
            * before.elementary.powf(error[2])
            * (step / last.step).powf(-ratio[0])
            * (last.step / before.step).powf(-ratio[1]);
        match self.smoothing {
            // Smooth limiter: slope 1 at ρ = 1, bounded by 1 ± κ π/2.
            Some(kappa) => 1.0 + kappa * ((filtered - 1.0) / kappa).atan(),
            None => filtered,
        }
    }

    fn remember(&mut self, step: f64, elementary: f64) {
        self.history = [Accepted { step, elementary }, self.history[0]];
        self.known = (self.known + 1).min(self.history.len());
    }
}

impl Controller for DigitalFilter {
    fn propose(&mut self, step: f64, error: f64, order: f64) -> Proposal {
        let accept = (0.0..=1.0).contains(&error);
        if !accept {
            self.rejected = true;
            // A rejected step says nothing about the trend.
            self.known = 0;
            return self.limits.refuse(step, error, order);
        }
        let Limits { shrink, grow, .. } = self.limits;
        let elementary = self.limits.elementary(error, order);
        // Longer or shorter by more than FOLLOWED: cut for a stop, or repeated after a failure.
        let followed = step < FOLLOWED * self.proposed && self.proposed < FOLLOWED * step;
        if !followed || elementary > grow {
            self.known = 0;
        }
        let ratio = if self.known >= self.gains.memory() && elementary <= grow {
            self.filtered(step, elementary)
        } else {
            elementary
        };
        // An error so small that its c is out of range would distort the next two ratios.
        if elementary <= grow {
            self.remember(step, elementary);
        }
        // After a rejection the step does not grow.
        let highest = if self.rejected { 1.0 } else { grow };
        self.rejected = false;
        self.proposed = step * ratio.min(highest).max(shrink);
        Proposal {
            accept,
            step: self.proposed,
        }
    }

    fn restart(&mut self) {
        *self = Self::new(self.limits, self.gains, self.smoothing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const LIMITS: Limits = Limits {
        safety: 0.9,
        shrink: 0.2,
        grow: 10.0,
    };

    /// Accepts steps as proposed; returns the proposal after the last one.
    fn after(mut filter: DigitalFilter, errors: &[f64], order: f64) -> ([f64; 2], f64) {
        let (mut step, mut ratios) = (0.1, [1.0; 2]);
        for &error in errors {
            let next = filter.propose(step, error, order).step;
            ratios = [ratios[1], next / step];
            step = next;
        }
        (ratios, step)
    }

    #[test]
    fn pid_in_terms_of_three_errors() {
        let filter = DigitalFilter::new(LIMITS, FilterGains::pid(0.3, 0.5, 0.1), None);
        let errors = [0.5, 0.8, 0.6];
        let c = errors.map(|error: f64| 0.9 * error.powf(-0.25));
        let (ratios, _) = after(filter, &errors, 4.0);
        // The first two steps have no history and are elementary.
        assert_relative_eq!(ratios[0], c[1], max_relative = 1e-14);
        let expected = c[2].powf(0.9) * c[1].powf(-0.5) * c[0].powf(0.1);
        assert_relative_eq!(ratios[1], expected, max_relative = 1e-14);
    }

    #[test]
    fn published_weights() {
        assert_relative_eq!(FilterGains::PI.error[0], 0.85, max_relative = 1e-15);
        assert_relative_eq!(FilterGains::PI.error[1], -0.2, max_relative = 1e-15);
        let pid = FilterGains::PID.error;
        for (gain, expected) in pid.iter().zip([0.49, -0.34, 0.10]) {
            assert_relative_eq!(*gain, expected, max_relative = 1e-14);
        }
        // H312PID of the paper, (1/18, 1/9, 1/18), in terms of P, I and D.
        let h312_pid = FilterGains::pid(-2.0 / 9.0, 2.0 / 9.0, 1.0 / 18.0).error;
        for (gain, expected) in h312_pid.iter().zip([1.0 / 18.0, 1.0 / 9.0, 1.0 / 18.0]) {
            assert_relative_eq!(*gain, expected, max_relative = 1e-14);
        }
        assert_eq!(FilterGains::h211b(4.0).error, [0.25, 0.25, 0.0]);
        assert_eq!(FilterGains::h312b(8.0).ratio, [0.375, 0.125]);
    }

    #[test]
    fn h211_by_hand() {
        let errors = [0.5, 0.8];
        let c = errors.map(|error: f64| 0.9 * error.powf(-0.5));
        let b = DigitalFilter::new(LIMITS, FilterGains::h211b(4.0), None);
        let (ratios, step) = after(b, &errors, 2.0);
        let expected = (c[1] * c[0] / c[0]).powf(0.25);
        assert_relative_eq!(ratios[1], expected, max_relative = 1e-14);
        assert_relative_eq!(step, 0.1 * c[0] * expected, max_relative = 1e-14);
        let pi = DigitalFilter::new(LIMITS, FilterGains::H211_PI, None);
        let (ratios, _) = after(pi, &errors, 2.0);
        let expected = (c[1] * c[0]).powf(1.0 / 6.0);
        assert_relative_eq!(ratios[1], expected, max_relative = 1e-14);
    }

    #[test]
    fn h312b_by_hand() {
        let errors = [0.5, 0.8, 0.3];
        let c = errors.map(|error: f64| 0.9 / error);
        let filter = DigitalFilter::new(LIMITS, FilterGains::h312b(8.0), None);
        let (ratios, _) = after(filter, &errors, 1.0);
        // The two ratios of steps before are elementary: c[0] and c[1].
        let expected =
            (c[2] * c[1] * c[1] * c[0]).powf(0.125) * c[1].powf(-0.375) * c[0].powf(-0.125);
        assert_relative_eq!(ratios[1], expected, max_relative = 1e-14);
    }

    #[test]
    fn the_limiter_is_smooth() {
        let gains = FilterGains::pid(0.0, 1.0, 0.0);
        let step = |error: f64, kappa| {
            let mut filter = DigitalFilter::new(LIMITS, gains, kappa);
            filter.propose(1.0, error, 1.0).step
        };
        // c = 3 and c = 0.9
        assert_relative_eq!(step(0.3, None), 3.0, max_relative = 1e-14);
        let limited = 1.0 + 2.0_f64.atan();
        assert_relative_eq!(step(0.3, Some(1.0)), limited, max_relative = 1e-14);
        let limited = 1.0 - 2.0 * 0.05_f64.atan();
        assert_relative_eq!(step(1.0, Some(2.0)), limited, max_relative = 1e-14);
    }

    #[test]
    fn a_rejection_is_elementary_and_clears_the_history() {
        let mut filter = DigitalFilter::new(LIMITS, FilterGains::h211b(4.0), None);
        filter.propose(1.0, 0.5, 2.0);
        let rejected = filter.propose(1.0, 4.0, 2.0);
        assert!(!rejected.accept);
        assert_relative_eq!(rejected.step, 0.45, max_relative = 1e-14);
        // No growth after it, although the error allows it.
        assert_eq!(filter.propose(0.45, 0.04, 2.0).step, 0.45);
        // The step after that filters again, with the one step that is known.
        let expected = 0.45 * (0.9_f64 / 0.5 * 4.5).powf(0.25);
        assert_relative_eq!(
            filter.propose(0.45, 0.25, 2.0).step,
            expected,
            max_relative = 1e-14
        );
    }

    #[test]
    fn a_step_that_was_not_proposed_starts_anew() {
        let elementary = 0.9 * 0.25_f64.powf(-0.5);
        for foreign in [0.1, 10.0] {
            let mut filter = DigitalFilter::new(LIMITS, FilterGains::h211b(4.0), None);
            let proposed = filter.propose(1.0, 0.5, 2.0).step;
            let step = foreign * proposed;
            assert_relative_eq!(
                filter.propose(step, 0.25, 2.0).step,
                step * elementary,
                max_relative = 1e-14
            );
        }
        let mut filter = DigitalFilter::new(LIMITS, FilterGains::h211b(4.0), None);
        let half = 0.5 * filter.propose(1.0, 0.5, 2.0).step;
        let next = filter.propose(half, 0.25, 2.0).step;
        assert!(
            (next / half - elementary).abs() > 0.1,
            "half a step is followed"
        );
    }

    #[test]
    fn an_error_too_small_to_tell_grows_the_step_by_the_limit() {
        let mut filter = DigitalFilter::new(LIMITS, FilterGains::h312b(8.0), Some(1.0));
        for _ in 0..3 {
            assert_eq!(filter.propose(1.0, 1e-200, 2.0).step, 10.0);
        }
        assert_eq!(filter.known, 0);
    }

    #[test]
    fn each_error_belongs_to_its_own_order() {
        let mut filter = DigitalFilter::new(LIMITS, FilterGains::H211_PI, None);
        let step = filter.propose(1.0, 0.5, 1.0).step;
        let product = 0.9 / 0.5 * 0.9 * 0.7_f64.powf(-0.2);
        assert_relative_eq!(
            filter.propose(step, 0.7, 5.0).step,
            step * product.powf(1.0 / 6.0),
            max_relative = 1e-14
        );
    }

    #[test]
    fn weights_that_cannot_work() {
        assert!(FilterGains::PID.are_usable());
        assert!(!FilterGains::h211b(0.0).are_usable());
        assert!(!FilterGains::h312b(f64::NAN).are_usable());
        assert!(!FilterGains::pid(0.4, 0.0, 0.1).are_usable());
    }
}
