//! Steps of variable size and order.

use super::corrector::{Corrector, Kinematics, Step};
use super::growth::Candidate;
use super::history::{Guess, History, MAX_ORDER};
use super::iteration::Iterate;
use super::output::Output;
use super::pairs::{Pair, pairs, subtract};
use super::rule::Rule;
use crate::control::{ErrorNorm, Pairs};
use crate::integrator::shared::sweep::copy;
use crate::integrator::{NewtonOptions, StepError};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::scalar::larger_or_second;
use crate::system::{AccelerationSolver, Evaluator, Formulation, Layout, State};

/// Σ 1/j over j = 1..=k: the fixed leading coefficient of order k, times h.
pub(super) const LEADING: [f64; MAX_ORDER + 1] =
    [0.0, 1.0, 3.0 / 2.0, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// How the order is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrderRule {
    /// From 1 up to this one.
    UpTo(usize),
    /// This one, once there are as many states.
    Constant(usize),
}

/// The errors of a finished step and what the next should be judged by, 1 being just acceptable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    pub error: f64,
    pub next_error: f64,
    pub next_order: usize,
    /// Whether the estimates are those of a smooth history, so that the step may grow.
    pub may_grow: bool,
    /// So many steps have been rejected in a row that the history is worth nothing.
    pub hopeless: bool,
}

impl Estimate {
    /// Growth of the step that is worth a new factorization and the errors that a change brings about.
    const WORTHWHILE: f64 = 1.2;

    /// The step is kept rather than made longer by less than this factor.
    pub fn keep_below(&self) -> f64 {
        if self.may_grow {
            Self::WORTHWHILE
        } else {
            f64::INFINITY
        }
    }
}

/// Predictor, corrector, error estimate and choice of order.
pub(super) struct Engine {
    pub corrector: Corrector,
    history: History,
    rule: OrderRule,
    newton: Rule,
    /// Errors of this many units of the norm are just acceptable.
    accuracy: f64,
    order: usize,
    /// That of the last step.
    taken: usize,
    planned: usize,
    /// Accepted steps with this order.
    steps: usize,
    rejections: usize,
    /// Since the start no step has been rejected, but for the first, and no order given up.
    initial: bool,
    /// A step has been accepted since the start.
    under_way: bool,
    value: Vec<Pair>,
    rate: Vec<Pair>,
    /// y - P, of which every estimate is a multiple.
    error: Vec<Pair>,
    x_rate: Vec<f64>,
    output: Output,
    /// Errors of algebraic variables are tested, multiplied by this power of the step over the characteristic time.
    algebraic_power: Option<i32>,
}

/// What is predicted of states whose rates stand alone, where the iteration begins.
struct StatesGuess<'a> {
    value: &'a mut [Pair],
    y: &'a mut [Pair],
    constant: &'a mut [Pair],
    scales: Pairs<'a>,
    alpha: f64,
}

impl Guess for StatesGuess<'_> {
    #[inline(always)]
    fn take(&mut self, pair: usize, newest: Pair, [value, rate]: [Pair; 2]) {
        self.value[pair] = value;
        self.y[pair] = value;
        // y' = P' + γ_k/h (y - P), hence c = P' - α P.
        self.constant[pair] = std::array::from_fn(|lane| rate[lane] - self.alpha * value[lane]);
        // The newest state is the one that the step starts from.
        self.scales.weigh(pair, newest);
    }
}

/// What is predicted of any unknowns.
struct AnyGuess<'a> {
    value: &'a mut [Pair],
    rate: &'a mut [Pair],
}

impl Guess for AnyGuess<'_> {
    #[inline(always)]
    fn take(&mut self, pair: usize, _newest: Pair, predicted: [Pair; 2]) {
        [self.value[pair], self.rate[pair]] = predicted;
    }
}

impl Engine {
    /// Preference for the present order over the one below and the one above, as ratios of step sizes.
    const BIAS: [f64; 2] = [1.0 / 1.1, 1.0 / 1.2];

    /// The highest order with which steps of any size are stable for oscillations.
    const A_STABLE: usize = 2;

    /// Rejections in a row after which the history is not worth more than a straight line.
    const HOPELESS: usize = 3;

    /// Steps of the same order, beyond as many as the order, after which its errors show in the differences.
    const SETTLING: usize = 2;

    /// Allocates for systems of this layout.
    pub fn new(
        layout: &Layout,
        state: &State,
        formulation: Formulation,
        rule: OrderRule,
        newton: &NewtonOptions,
        accuracy: f64,
    ) -> Result<Self, KktError> {
        let corrector = Corrector::new(layout, formulation)?;
        let index = corrector.unknowns.perturbation_index(layout);
        let of_z = index.get(corrector.unknowns.z().start);
        let length = corrector.unknowns.differential().len();
        let history = History::new(state);
        let room = |numbers: usize| vec![[0.0; 2]; pairs(numbers)];
        Ok(Self {
            corrector,
            value: room(history.width()),
            rate: room(history.width()),
            error: room(length),
            history,
            newton: match rule {
                OrderRule::UpTo(_) => Rule::adaptive(newton, accuracy),
                OrderRule::Constant(_) => Rule::exact(newton),
            },
            rule,
            accuracy,
            order: 1,
            taken: 1,
            planned: 1,
            steps: 0,
            rejections: 0,
            initial: true,
            under_way: false,
            x_rate: vec![0.0; layout.differential],
            output: Output::new(state, formulation != Formulation::Index3),
            algebraic_power: of_z
                .filter(|_| layout.algebraic > 0)
                .map(|&index| i32::from(index) - 1),
        })
    }

    /// Keeps derivatives however old they are: for errors near round-off.
    pub fn keep_old_derivatives(&mut self) {
        self.newton.renews = false;
    }

    /// Leaves algebraic variables out of the error test.
    pub fn leave_out_algebraic_variables(&mut self) {
        self.algebraic_power = None;
    }

    /// Makes errors of this many units of the norm just acceptable from now on.
    pub fn ask_for(&mut self, accuracy: f64) {
        self.accuracy = accuracy;
        self.newton.ask_for(accuracy);
    }

    /// Starts with order 1 from a complete state.
    pub fn begin(
        &mut self,
        system: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        state: &State,
    ) -> Result<(), StepError> {
        // Above index 0 E is singular and x' is no function of the state; zero is the first slope.
        let ordinary = |&index: &u8| index == 0;
        self.x_rate.fill(0.0);
        if system.layout().differential_index.iter().all(ordinary) {
            accelerations.differential_rates_at(system, &state.point(), &mut self.x_rate)?;
        }
        self.history.clear();
        self.corrector.restart();
        self.order = 1;
        self.planned = 1;
        self.steps = 0;
        self.rejections = 0;
        self.initial = true;
        self.under_way = false;
        self.push(system, state);
        Ok(())
    }

    /// The derivatives of earlier steps are not to be trusted.
    pub fn renew_derivatives(&mut self) {
        self.corrector.restart();
    }

    /// Forgets the history, for that of another method.
    pub fn begin_from(&mut self, system: &Evaluator, state: &State) {
        self.history.clear();
        self.corrector.restart();
        self.steps = 0;
        self.rejections = 0;
        self.initial = true;
        self.under_way = false;
        self.continue_from(system, state);
    }

    /// Goes on with the order that the history is enough for.
    pub fn raise_order(&mut self) {
        let (OrderRule::UpTo(highest) | OrderRule::Constant(highest)) = self.rule;
        self.planned = highest.min(self.history.points() - 1);
        self.change_order(self.planned);
    }

    /// Adds a state that another method has computed.
    pub fn continue_from(&mut self, system: &Evaluator, state: &State) {
        self.x_rate.fill(0.0);
        self.push(system, state);
    }

    /// Takes a step.
    #[inline]
    pub fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Estimate, StepError> {
        let available = self.history.points() - 1;
        self.order = match self.rule {
            OrderRule::UpTo(_) => self.order.min(available),
            OrderRule::Constant(order) => order.min(available),
        };
        self.taken = self.order;
        let errors = if self.corrector.has_plain_states {
            self.step_states(system, from, h, norm, to)?
        } else {
            self.step_any(system, from, h, norm, to)?
        };
        Ok(self.judge(h, errors))
    }

    /// A step of states whose rates stand alone, and the norms of
    /// [`Neighbours::errors`](super::history::Neighbours::errors): each pair of them is looked at once before and once
    /// behind the iteration.
    #[inline]
    fn step_states(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<[f64; 4], StepError> {
        let alpha = LEADING[self.order] / h;
        let count = self.value.len();
        let Iterate { y, constant, .. } = &mut self.corrector.iterate;
        let mut guess = StatesGuess {
            value: &mut self.value,
            y: &mut y.as_chunks_mut().0[..count],
            constant: &mut constant.as_chunks_mut().0[..count],
            scales: norm.pairs(),
            alpha,
        };
        self.history.predict(self.order, to.t, &mut guess);
        let step = Step {
            t: to.t,
            h,
            alpha,
            from,
            kinematics: Kinematics::Curve,
        };
        let (rule, guess) = (&self.newton, Some(&self.value[..]));
        (self.corrector).solve(system, &step, norm, rule, guess)?;
        let y = &self.corrector.iterate.y;
        copy(&y[..to.x.len()], &mut to.x);
        let (differences, value) = (self.history.differences(), &self.value[..count]);
        let (differences, y) = (&differences[..count], &y.as_chunks().0[..count]);
        let neighbours = self.history.neighbours(self.order);
        Ok(norm.pairs().weigh_and_measure(|pair| {
            let differences = &differences[pair];
            let error = subtract(y[pair], value[pair]);
            let ends = [differences[0], y[pair]];
            (ends, neighbours.errors(differences, error))
        }))
    }

    /// The same of any system.
    #[inline(never)]
    fn step_any(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<[f64; 4], StepError> {
        // Predict: P(t_{n+1}) and P'(t_{n+1}).
        let mut guess = AnyGuess {
            value: &mut self.value,
            rate: &mut self.rate,
        };
        self.history.predict(self.order, to.t, &mut guess);

        let corrector = &mut self.corrector;
        let alpha = LEADING[self.order] / h;
        let unknowns = &corrector.unknowns;
        let value = &self.value.as_flattened()[..self.history.width()];
        let rate = self.rate.as_flattened();
        let Iterate { y, constant, .. } = &mut corrector.iterate;
        if unknowns.are_states() {
            y[..value.len()].copy_from_slice(value);
        } else {
            // The last z and λ would be off by as much as they change in a step: with a matrix of an earlier step the iteration
            // would not forget that soon enough.
            let (differential, algebraic) = value.split_at(unknowns.differential().end);
            y[unknowns.differential()].copy_from_slice(differential);
            y[unknowns.w()].copy_from_slice(&rate[unknowns.v()]);
            y[unknowns.z().start..unknowns.lambda().end].copy_from_slice(algebraic);
            // s and μ.
            y[unknowns.lambda().end..].fill(0.0);
        }
        // y' = P' + γ_k/h (y - P), hence c = P' - α P.
        for (slot, (rate, value)) in constant.iter_mut().zip(rate.iter().zip(value)) {
            *slot = rate - alpha * value;
        }
        norm.weigh(from, from);
        let step = Step {
            t: to.t,
            h,
            alpha,
            from,
            kinematics: Kinematics::Curve,
        };
        // Correct: B (α y + c) = F(t, y).
        corrector.solve(system, &step, norm, &self.newton, None)?;
        if self.history.has_configurations() {
            corrector.evaluate_rate(&step);
            let x = corrector.unknowns.x();
            self.x_rate.copy_from_slice(&corrector.rate[x]);
        }
        let (unknowns, y) = (&corrector.unknowns, &corrector.iterate.y[..]);
        unknowns.store(&system.layout().space, &from.q, y, to);
        let values = y[unknowns.differential()].iter().zip(value);
        for (error, (y, value)) in self.error.as_flattened_mut().iter_mut().zip(values) {
            *error = y - value;
        }
        norm.weigh(from, to);
        let share = norm.share_of_time(h);
        corrector.weights.set_share(share);
        let (differences, errors) = (self.history.differences(), &self.error[..]);
        let neighbours = self.history.neighbours(self.order);
        let errors = |pair: usize| neighbours.errors(&differences[pair], errors[pair]);
        let sizes = corrector.weights.norms(norm, errors);
        Ok(match self.algebraic_power {
            Some(power) => {
                self.with_algebraic_variables(sizes, (from, to), share.powi(power), norm)
            }
            None => sizes,
        })
    }

    /// Norms of errors of q, v and x, with those of z beside them.
    fn with_algebraic_variables(
        &self,
        sizes: [f64; 4],
        (from, to): (&State, &State),
        weight: f64,
        norm: &ErrorNorm,
    ) -> [f64; 4] {
        let count = norm.scales().len() as f64;
        let mut squares = sizes.map(|size| size * size * count);
        let [relative, absolute] = norm.loosest();
        let neighbours = self.history.neighbours(self.order);
        let first = 2 * to.v.len() + to.x.len();
        for (number, (before, z)) in (first..).zip(from.z.iter().zip(&to.z)) {
            let (pair, lane) = (number / 2, number % 2);
            let scale = absolute + relative * before.abs().max(z.abs());
            let error = z - self.value[pair][lane];
            let errors = neighbours.errors(&self.history.differences()[pair], [error; 2]);
            for (squares, error) in squares.iter_mut().zip(errors) {
                *squares += (weight * error[lane] / scale).powi(2);
            }
        }
        squares.map(|squares| (squares / (count + to.z.len() as f64)).sqrt())
    }

    /// Prepares the polynomial of the last step, which ends in `to`.
    pub fn prepare_output(&mut self, space: &Manifold, to: &State) {
        self.output.prepare(&self.history, space, self.taken, to);
    }

    /// Puts what it has at `t` within the last step into a state.
    pub fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        self.output.interpolate(&self.history, space, t, out);
    }

    /// Errors of this step and of steps with neighbouring orders.
    ///
    /// A change of the step or the order leaves its errors in the differences: where algebraic equations multiply them, a
    /// longer step would fail, and a higher order seem useless, for ever. Therefore neither is tried until the present
    /// order has settled, as in DASSL (Brenan, Campbell, Petzold 1996, sec. 5.2.3), but for the start, where the order goes
    /// up step by step until that fails for the first time.
    ///
    /// Orders 3 to 5 amplify oscillations of some frequencies near the imaginary axis, and the step would be held where they
    /// do not: there h^j y^(j) does not fall with j any more, and the order falls to where it does, also as in DASSL. Order 2
    /// damps them.
    #[inline]
    fn judge(&mut self, h: f64, errors: [f64; 4]) -> Estimate {
        let order = self.order;
        let [size, lower, lowest, higher] = errors.map(|error| error / self.accuracy);
        // At the start the order may rise after one step; later only when errors show in the differences.
        let settled = if self.initial {
            self.steps > 0
        } else {
            self.steps >= order + Self::SETTLING
        };
        // Brenan, Campbell, Petzold 1996, sec. 5.2.2: interpolation and local error, whichever is larger.
        // h/ψ_{i+1}, the α_i of sec. 5.2.2.
        let ratios = self.history.step_ratios(h);
        let sum: f64 = ratios[..order].iter().sum();
        let (ratio, local) = (ratios[order], (ratios[order] + sum - LEADING[order]).abs());
        let constant = larger_or_second(local, ratio);
        let error = constant * size;
        let constants = self.history.error_constants(h);
        let same = constants[order] * size;
        let mut estimate = Estimate {
            error,
            next_error: same,
            next_order: order,
            may_grow: true,
            hopeless: false,
        };
        // Constant steps have one order: there is nothing to choose.
        let OrderRule::UpTo(highest) = self.rule else {
            return estimate;
        };

        let rejected = error > 1.0;
        let mut best = Candidate {
            error: same,
            order,
            bias: 1.0,
        };
        let mut unstable = false;
        estimate.may_grow = self.initial || settled;
        if order > 1 && (settled || rejected) {
            let lower = constants[order - 1] * lower;
            let candidate = Candidate {
                error: lower,
                order: order - 1,
                bias: Self::BIAS[0],
            };
            if candidate.exceeds(&best) {
                best = candidate;
                estimate.next_error = lower;
                estimate.next_order = order - 1;
            }
            if order > Self::A_STABLE {
                // The constants give h^(j+1) y^(j+1) / (j + 1): the products compare derivatives.
                let lowest = constants[order - 2] * lowest;
                let k = order as f64;
                // max(|h^k y^(k)|, |h^(k-1) y^(k-1)|) ≤ |h^(k+1) y^(k+1)|: they do not fall any more.
                unstable = (k * lower).max((k - 1.0) * lowest) <= (k + 1.0) * same;
                if unstable {
                    estimate.next_error = lower;
                    estimate.next_order = order - 1;
                }
            }
        }
        if !rejected && !unstable && settled && order < highest && self.history.points() > order + 1
        {
            let higher = constants[order + 1] * higher;
            let k = order as f64;
            // |h^(k+2) y^(k+2)| < |h^(k+1) y^(k+1)|: beyond order 2 derivatives must fall.
            let stable = order < Self::A_STABLE || (k + 2.0) * higher < (k + 1.0) * same;
            let candidate = Candidate {
                error: higher,
                order: order + 1,
                bias: Self::BIAS[1],
            };
            if stable && candidate.exceeds(&best) {
                estimate.next_error = higher;
                estimate.next_order = order + 1;
            }
        }
        // The size of a first step is a guess, and its rejection leaves the history smooth.
        self.initial &= (!rejected || !self.under_way) && estimate.next_order >= order;
        if rejected {
            self.rejections += 1;
            estimate.hopeless = self.rejections >= Self::HOPELESS;
            if estimate.hopeless {
                estimate.next_order = 1;
            }
            // A rejected step is repeated with the order that its errors ask for.
            self.change_order(estimate.next_order);
        }
        self.planned = estimate.next_order;
        estimate
    }

    #[inline]
    fn push(&mut self, system: &Evaluator, state: &State) {
        if self.history.has_configurations() {
            let space = &system.layout().space;
            self.history.push(space, state, &self.x_rate);
        } else {
            self.history.push_states(state, &self.x_rate);
        }
    }

    fn change_order(&mut self, order: usize) {
        if order != self.order {
            self.order = order;
            self.steps = 0;
        }
    }

    /// The last step was accepted and ended in this state.
    #[inline]
    pub fn accept(&mut self, system: &Evaluator, to: &State) {
        self.steps += 1;
        self.corrector.accept();
        self.under_way = true;
        self.change_order(self.planned);
        self.rejections = 0;
        self.push(system, to);
    }
}
