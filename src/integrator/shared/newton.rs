//! When the Newton iterations of implicit and half-implicit methods have converged.

use super::sizes::Sizes;

/// Options of the Newton iteration of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// The iteration ends when the largest component of a correction falls below this, however many bodies there are; with
    /// the default also when two corrections foretell that those to come add up to a tenth of it.
    /// Half-implicit methods correct h v and h² λ, backward Euler v' and λ. `None` is 1e-10, for backward Euler
    /// 1e-10 / h² (Fang et al. 2022, 3.1), or 1e-10 of the largest of these unknowns, whichever is larger.
    /// Where the numbers of a system are far from one, these unknowns are relative to its characteristic scales.
    /// RADAU5 takes it as the fraction of the error tolerance to which the stages are solved.
    pub tolerance: Option<f64>,
    /// Iterations after which a step has failed; with tolerances RADAU5 takes 7 at most.
    pub max_iterations: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: 50,
        }
    }
}

impl NewtonOptions {
    /// The default tolerance in displacements.
    pub const DISPLACEMENT: f64 = 1e-10;
}

/// Decides when a Newton iteration has converged.
///
/// Besides the tolerance there are floors that round-off sets: corrections of 1e-14 of the unknowns (1e-10 by default);
/// and corrections that have stopped shrinking, either below 1e-9 of the unknowns or because the equations hold to
/// round-off ([`RoundOff`](super::round_off::RoundOff)); and those before which the equations held to a few roundings,
/// which left nothing else to find. An iteration that contracts ends without the correction that would only confirm it
/// ([`Convergence::anticipating`]). What is left of constraints is magnified by the masses behind a joint, by 1/h²
/// where they are divided by it, and without bounds near a singular configuration: the corrections alone do not tell.
pub struct Convergence {
    tolerance: f64,
    relative: f64,
    max_iterations: usize,
    anticipates: bool,
    /// At which the iteration is expected to contract behind its first correction.
    expected: f64,
    /// Corrections up to this size were round-off in an earlier step.
    noise: f64,
    /// The same before the last correction, if that was as small.
    reached: Option<f64>,
    /// Whether the equations held to a few roundings before the correction to come.
    settled: bool,
    previous: f64,
    rate: f64,
    /// Iterations so far.
    pub iterations: usize,
}

/// An iteration contracts linearly with a matrix that is kept: faster than this two corrections foretell the others.
const TRUSTED_RATE: f64 = 0.1;

/// A second correction may be smaller than those that follow foretell: what the first one took away at once, an iteration of
/// another part of the system does not, and its own rate is not seen beside it. Rates below this are not believed.
const BEST_RATE: f64 = 1e-3;

/// What may be left of a tolerance when an iteration ends early. Without foresight the last correction is below the tolerance,
/// and what is left smaller by the rate.
const FORESEEN: f64 = 0.1;

/// A correction of more tolerances than this did not begin where the equations hold to round-off.
const NEAR: f64 = 100.0;

/// What an iteration leaves of the size that was noise before: what no stalled iteration confirms is forgotten.
const REMEMBERED: f64 = 0.8;

/// Round-off of one step may be so many times that of another.
const SPREAD: f64 = 3.0;

/// Whether a step differs from the one before by more than round-off of a grid.
pub(crate) fn is_another_step(previous: f64, h: f64) -> bool {
    // 1e-6 is far above what round-off leaves of steps that end on a grid.
    (h - previous).abs() > 1e-6 * previous
}

/// What to do after an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The iterate is the solution.
    Converged,
    /// Another iteration.
    GoOn,
    /// It diverges, or has had all the iterations that it may.
    Failed,
}

impl Convergence {
    /// Judges by the tolerance of the options, or by this one where they have none.
    pub fn new(options: &NewtonOptions, default_tolerance: f64) -> Self {
        Self {
            tolerance: options.tolerance.unwrap_or(default_tolerance),
            // A tolerance that is asked for may lie below 1e-10 of the unknowns: round-off alone bounds it.
            relative: if options.tolerance.is_some() {
                1e-14
            } else {
                1e-10
            },
            max_iterations: options.max_iterations,
            anticipates: false,
            expected: f64::INFINITY,
            noise: 0.0,
            reached: None,
            settled: false,
            previous: f64::INFINITY,
            rate: 0.0,
            iterations: 0,
        }
    }

    /// The same with an end before the correction that would be small enough: once two corrections have shown how the
    /// iteration contracts, the sum of those to come is known. An asked-for tolerance stays a bound on a correction.
    pub fn anticipating(self, options: &NewtonOptions) -> Self {
        Self {
            anticipates: options.tolerance.is_none(),
            ..self
        }
    }

    /// The same with the rate at which an iteration with this matrix contracts, if it is known from earlier steps: the first
    /// correction may then be the last.
    pub(crate) fn expecting(self, rate: f64) -> Self {
        Self {
            expected: rate,
            ..self
        }
    }

    /// The same with the size of corrections that were nothing but round-off in the step before, [`Convergence::noise`]. In long
    /// chains it is above the tolerance; an iteration that has come down to it needs no further one to find out.
    pub(crate) fn among_noise(self, noise: f64) -> Self {
        Self {
            noise: if self.anticipates { noise } else { 0.0 },
            ..self
        }
    }

    /// The size of corrections that are nothing but round-off, as far as this iteration and those before it tell.
    pub(crate) fn noise(&self) -> f64 {
        self.noise
    }

    /// Whether a correction is as small as what was round-off before, in an iteration that contracts: those to come are no more, if the
    /// constraints held to round-off before it. The first one is not asked: it has all of the step to find.
    pub(crate) fn is_noise(&self, sizes: Sizes) -> bool {
        self.iterations > 0
            && sizes.correction < TRUSTED_RATE * self.previous
            && sizes.correction <= SPREAD * self.noise
    }

    /// Whether the last correction was as small as what was round-off before. Then the iterate that it led to may be the solution:
    /// where its equations hold to round-off it is, and another correction would cost more than to find that out.
    pub(crate) fn may_have_arrived(&self) -> bool {
        self.reached.is_some()
    }

    /// Whether it is worth asking if the equations hold to a few roundings where several corrections have led to:
    /// nothing else is left to find there, and [`Convergence::settle`] would need another correction to say the same.
    /// In long chains the first correction may be little more than noise itself, so that none of those behind it shows
    /// how the iteration contracts.
    pub(crate) fn may_have_settled(&self) -> bool {
        self.anticipates && self.iterations > 1
    }

    /// The equations hold to round-off at the iterate of so small a correction: what is noise is not forgotten.
    pub(crate) fn arrive(&mut self) {
        self.noise = self.reached.unwrap_or(self.noise);
    }

    /// Whether it is worth asking if the equations held to a few roundings before this correction,
    /// [`Convergence::settle`]: it is not the first one, which has all of the step to find, and nothing else foretells
    /// that it is the last.
    pub(crate) fn may_settle(&self, sizes: Sizes) -> bool {
        self.anticipates && self.iterations > 0 && !self.foresees_the_end(sizes)
    }

    /// The equations held to a few roundings before the correction that is judged next. It had nothing else to find, however far an
    /// ill-conditioned system moves for that, and is the last one.
    pub(crate) fn settle(&mut self) {
        self.settled = true;
    }

    /// Whether the corrections to come are small, as far as the last two tell, or earlier steps.
    fn foresees_the_end(&self, sizes: Sizes) -> bool {
        self.foretells(sizes) <= FORESEEN * self.tolerance.max(self.relative * sizes.unknowns)
    }

    /// Whether the corrections to come are smaller than round-off was in earlier steps, as far as the last two tell.
    pub(crate) fn foresees_noise(&self, sizes: Sizes) -> bool {
        self.foretells(sizes) <= self.noise
    }

    /// What the corrections to come add up to; infinite where that is not known.
    fn foretells(&self, sizes: Sizes) -> f64 {
        let rate = if self.iterations == 0 {
            self.expected
        } else {
            sizes.correction / self.previous
        };
        // A slow rate is not to be trusted, nor one that is not known or no number.
        if !(self.anticipates && rate < TRUSTED_RATE) {
            return f64::INFINITY;
        }
        let believed = rate.max(BEST_RATE);
        sizes.correction * believed / (1.0 - believed)
    }

    /// Whether an iteration that ends where the equations hold to round-off needs to know whether they did before this
    /// correction: it stalls, or two corrections have not been enough and it is near its end.
    pub(crate) fn asks_equations(&self, sizes: Sizes) -> bool {
        let near = sizes.correction <= NEAR * self.tolerance.max(self.relative * sizes.unknowns);
        self.stalls(sizes) || (self.anticipates && self.iterations > 1 && near)
    }

    /// The last correction as a part of the one before.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// Whether the last correction was not much smaller than the one before.
    pub fn is_slow(&self) -> bool {
        self.rate > 0.3
    }

    /// Whether a correction shows that the iteration has come to rest: it is hardly smaller than the one before.
    pub fn rests(&self, correction: f64) -> bool {
        correction > 0.9 * self.previous
    }

    /// Whether a correction is so much like the one before that only the floors can end the iteration.
    pub fn stalls(&self, sizes: Sizes) -> bool {
        sizes.correction > 0.5 * self.previous
    }

    /// Judges a correction against the unknowns; `exact` says that before the correction the equations held to round-off.
    /// Only an iteration that stalls asks for it, and one that anticipates its end; among noise it is asked of the constraints alone.
    pub fn judge(&mut self, sizes: Sizes, exact: bool) -> Verdict {
        let Sizes {
            correction,
            unknowns,
        } = sizes;
        let foreseen = self.foresees_the_end(sizes);
        // Stalled and small, or exact: nothing but round-off is left.
        let stalled = self.stalls(sizes) && correction <= 1e-9 * unknowns;
        let is_noise = self.is_noise(sizes);
        let exact = exact && (self.asks_equations(sizes) || is_noise);
        let is_small = self.iterations > 0 && correction <= SPREAD * self.noise;
        self.reached = is_small.then_some(self.noise);
        self.noise *= REMEMBERED;
        let settled = std::mem::take(&mut self.settled);
        if settled || exact && (is_noise || self.stalls(sizes)) {
            self.noise = self.noise.max(correction);
        }
        self.iterations += 1;
        self.rate = correction / self.previous;
        self.previous = correction;
        // Beyond that an iterate has diverged, and functions need not see it.
        let overflows = |size: f64| !(size * size).is_finite();
        if overflows(correction) || overflows(unknowns) {
            Verdict::Failed
        } else if correction < self.tolerance
            || correction <= self.relative * unknowns
            || foreseen
            || stalled
            || exact
            || settled
        {
            Verdict::Converged
        } else if self.iterations >= self.max_iterations {
            Verdict::Failed
        } else {
            Verdict::GoOn
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(correction: f64) -> Sizes {
        let mut sizes = Sizes::default();
        sizes.add(1.0, correction, 1.0);
        sizes
    }

    fn convergence() -> Convergence {
        let options = NewtonOptions {
            tolerance: Some(1e-12),
            max_iterations: 4,
        };
        Convergence::new(&options, 0.0)
    }

    /// What one body's correction is to it, that of ten thousand alike is to all.
    #[test]
    fn the_number_of_bodies_does_not_count() {
        let mut many = Sizes::default();
        for _ in 0..10_000 {
            many.add(0.5, 1.8e-12, 2.0);
        }
        assert_eq!((many.correction, many.unknowns), (0.9e-12, 1.0));
        assert_eq!(convergence().judge(many, false), Verdict::Converged);
    }

    #[test]
    fn a_stalled_iteration_has_converged_if_the_equations_hold() {
        for (exact, last) in [(true, Verdict::Converged), (false, Verdict::Failed)] {
            let mut convergence = convergence();
            assert_eq!(convergence.judge(sizes(1e-3), exact), Verdict::GoOn);
            // It still shrinks.
            assert_eq!(convergence.judge(sizes(1e-6), exact), Verdict::GoOn);
            let mut verdict = convergence.judge(sizes(0.9e-6), exact);
            if verdict == Verdict::GoOn {
                verdict = convergence.judge(sizes(0.8e-6), exact);
            }
            assert_eq!(verdict, last);
        }
    }

    /// Where a stalled iteration has found that corrections of 1e-7 are round-off, the next step stops there, and later ones look again.
    #[test]
    fn noise_is_remembered_for_some_steps() {
        let options = NewtonOptions::default();
        let new = |noise| {
            let convergence = Convergence::new(&options, 1e-10).anticipating(&options);
            convergence.among_noise(noise)
        };
        let mut first = new(0.0);
        for (correction, exact, verdict) in [
            (1e-4, false, Verdict::GoOn),
            (1.5e-7, true, Verdict::GoOn),
            (1e-7, true, Verdict::Converged),
        ] {
            assert_eq!(first.judge(sizes(correction), exact), verdict);
        }
        assert_eq!(first.noise(), 1e-7);
        let mut noise = first.noise();
        for _ in 0..20 {
            let mut next = new(noise);
            // The first correction is never taken for round-off.
            assert_eq!(next.judge(sizes(1e-5), true), Verdict::GoOn);
            assert_eq!(next.judge(sizes(0.9e-7), true), Verdict::Converged);
            noise = next.noise();
        }
        assert_eq!(noise, 0.9e-7);
        // What no step confirms is forgotten.
        let mut steps = 0;
        while 0.9e-7 <= SPREAD * noise {
            let mut next = new(noise);
            assert_eq!(next.judge(sizes(1e-5), false), Verdict::GoOn);
            assert_eq!(next.judge(sizes(0.9e-7), false), Verdict::GoOn);
            noise = next.noise();
            steps += 1;
        }
        assert!((2..10).contains(&steps), "{steps}");
        // Neither where constraints do not hold, nor where the iteration hardly contracts.
        for (first, exact) in [(1e-5, false), (3e-7, true)] {
            let mut next = new(1e-7);
            assert_eq!(next.judge(sizes(first), exact), Verdict::GoOn);
            assert_eq!(next.judge(sizes(1e-7), exact), Verdict::GoOn);
        }
        // What has come down to noise waits for the equations, and remembers it if they hold.
        let mut waiting = new(1e-7);
        assert_eq!(waiting.judge(sizes(5e-7), false), Verdict::GoOn);
        assert!(!waiting.may_have_arrived());
        assert_eq!(waiting.judge(sizes(1e-7), false), Verdict::GoOn);
        assert!(waiting.may_have_arrived() && waiting.noise() < 0.9 * 0.9e-7);
        waiting.arrive();
        assert!(waiting.noise() > 0.79e-7, "{}", waiting.noise());
        // A tolerance that was asked for stays a bound.
        let asked = NewtonOptions {
            tolerance: Some(1e-10),
            ..options
        };
        let strict = Convergence::new(&asked, 1e-10).anticipating(&asked);
        let mut strict = strict.among_noise(1e-7);
        assert_eq!(strict.judge(sizes(1e-4), true), Verdict::GoOn);
        assert_eq!(strict.judge(sizes(1e-8), true), Verdict::GoOn);
    }

    /// Corrections of 1e-4 and 5e-9 foretell less than 1e-11; without foresight, or with a tolerance that was asked for, the third
    /// is awaited.
    #[test]
    fn contraction_foretells_the_end() {
        let free = NewtonOptions::default();
        let asked = NewtonOptions {
            tolerance: Some(1e-10),
            ..free
        };
        let new = |options| Convergence::new(options, 1e-10);
        let cases = [
            (new(&free).anticipating(&free), Verdict::Converged),
            (new(&free), Verdict::GoOn),
            (new(&asked).anticipating(&asked), Verdict::GoOn),
        ];
        for (mut convergence, second) in cases {
            assert_eq!(convergence.judge(sizes(1e-4), false), Verdict::GoOn);
            assert_eq!(convergence.judge(sizes(5e-9), false), second);
        }
        // A part of 1 that is gone at once hides one of 1e-6 that may contract slowly.
        let mut hidden = new(&free).anticipating(&free);
        assert_eq!(hidden.judge(sizes(1.0), false), Verdict::GoOn);
        assert_eq!(hidden.judge(sizes(1e-6), false), Verdict::GoOn);
        // What contracts slowly may not keep its rate.
        let mut slow = new(&free).anticipating(&free);
        assert_eq!(slow.judge(sizes(1e-7), false), Verdict::GoOn);
        assert_eq!(slow.judge(sizes(2e-8), false), Verdict::GoOn);
    }

    #[test]
    fn what_is_not_a_number_fails() {
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let mut several = sizes(1.0);
            several.add(1.0, bad, 1.0);
            several.add(1.0, 1.0, 1.0);
            assert_eq!(convergence().judge(several, true), Verdict::Failed);
        }
    }
}
