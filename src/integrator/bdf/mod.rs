//! Backward differentiation formulas.

mod convergence;
mod corrector;
mod engine;
mod growth;
mod history;
mod iteration;
mod launcher;
mod lie;
mod output;
mod pairs;
mod record;
mod rule;
mod startup;
mod weights;

pub use lie::BdfLie;

use super::{
    Attempt, DenseOutput, Integrator, Kind, Method, NewtonOptions, Orders, OwnDenseOutput,
    StepError, StepSizes, Stepper, Work, require_index,
};
use crate::control::{ControllerKind, ErrorNorm, Limits};
use crate::integrator::shared::newton::is_another_step;
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, Evaluator, Formulation, State};
use engine::{Engine, OrderRule};
use history::MAX_ORDER;
use launcher::Launcher;
use startup::Starter;

/// Backward differentiation formulas of order 1 to 5, for DAEs of any index on Lie groups.
///
/// The predictor P extrapolates the last k + 1 states, u in local coordinates around the newest configuration
/// (u_{n-j} = log(q_n⁻¹ q_{n-j}), velocities in the body frame); on exact solutions these are values of one smooth
/// curve, so that the formulas keep their order on groups. The corrector has a fixed leading coefficient,
///
/// ```text
/// y'_{n+1} = P'(t_{n+1}) + γ_k/h (y_{n+1} - P(t_{n+1})),   γ_k = 1 + 1/2 + ... + 1/k,   B y' = F(t, y)
/// ```
///
/// with y = (u, v, x). It is stable under changing steps where interpolation to equal steps is less so, needs nothing
/// but values and times, which are transported exactly from one base to the next, and its matrix γ_k/h B - ∂F/∂y depends
/// on h and k only: it is kept until one of them changes, its derivatives until the iteration is slow. With tolerances they are kept
/// for 50 steps at most, and for steps of up to ten times the size.
///
/// Error test: constant · (y - P), with unknowns of perturbation index i (see the formulation) weighed by h^(i - 1): q,
/// v and x in full, but v at index 3 by h. Algebraic variables z have a share with the loosest tolerance of all components (1; h
/// where there are constraint rows, but at index 1), unless they are [left out](Bdf::without_algebraic_errors). Accelerations and
/// multipliers are not tested; they follow from the rest. The order goes to the neighbour that allows the longest step, after k steps of the same order,
/// or down towards 2 where h^j y^(j) does not fall with j, and the step grows by a factor from 1.2 to 2. Once a step
/// has been rejected both wait for k + 2 steps, since a change of either leaves its errors in the differences.
///
/// After a start or an event, and where three attempts in a row have failed the error test, the first steps are of Radau IIA
/// (mostly one), judged by its estimate of order 3 with the tolerances as they are; its collocation polynomial gives the
/// states with which order 3 goes on, and the order rises step by step until a step is rejected. With order 1 the first step has to
/// be some microseconds long at 1e-6, the climb takes 25 steps, and the first states have errors that exceed the gaps of
/// contacts that have just opened: these seem to close again, and each new start repeats it.
///
/// Constant steps have the highest order throughout: the first k come from small steps of variable order with errors
/// near 1e-12, so that they start stiff systems as well.
///
/// Orders with constant steps, formulations index 3, 2, stabilized (the default), 1 and Baumgarte: k in q, v and λ. Cost
/// per step: two to three evaluations and solutions with tolerances, three to four with constant steps; a factorization when
/// h or k changes, in every second step on Andrews' mechanism. BDF3 to BDF5 are not A-stable and amplify
/// undamped oscillations of some frequencies.
///
/// Changing steps at index 3: a change perturbs velocities by O(h^k) and multipliers of the formula by O(h^(k-1)), at order
/// 1 by O(1). What [`complete`](Stepper::complete) reports for the next steps is the solution of the index-1 form. Velocities tested
/// by h v are less accurate than the tolerance says; tested in full, the perturbation makes steps collapse.
///
/// Between the ends of steps everything is on the polynomial of degree k through the end and the k states before, whose error the test
/// measures; in the first steps, on the collocation polynomial. λ of index 3 is interpolated linearly.
///
/// Configurations of the history must lie within 3 rad of rotation; with larger steps fewer states are used and the order
/// falls.
///
/// Error at the end: local errors keep the tolerance, but there are many, and nothing makes them cancel; Andrews' squeezer
/// multiplies single ones by up to 1400 until its end
/// (`cargo run --release -p liedae-problems --example local_errors -- andrews 0.03 bdf 1e-4 1e-6 1e-8 1e-10`; the same with
/// `hem5` shows local errors of 0.01 tolerances, behind estimates of 1). That is so with other codes: CVODE's published
/// runs on the pendulum over 15 periods, 1e-5 to 1e-9, end 220 to 1800 tolerances away with projection, 5e4 and more
/// without; here the stabilized form takes 16 to 24 % more steps and is 7 times closer and more
/// (`liedae reproduce ivp-testset`).
///
/// Use it for stiff systems and DAEs over long smooth motions; not with undamped fast oscillations. With events every few steps
/// most steps are of Radau IIA, and [`Radau5`](super::Radau5) takes fewer.
///
/// Sources: Brenan, Campbell, Petzold 1996, ch. 5, doi:10.1137/1.9781611971224; Jackson, Sacks-Davis 1980,
/// doi:10.1145/355900.355903; stabilized index 2: Gear, Gupta, Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1; starting
/// at a high order from one Runge-Kutta step: Gear 1980, doi:10.1145/355900.355901.
/// Measured: `cargo test --release -p liedae --test suite methods::bdf -- --nocapture` prints orders and stiff problems: van der Pol's equation with
/// μ = 1000 to t = 2000 takes 872 steps at 1e-6, Robertson's reaction to t = 1e11 794, with relative errors of 8e-5 and 1e-5.
/// `cargo test --release -p liedae-problems --test suite methods::bdf -- --nocapture`: Andrews' squeezer at 1e-6 ends with errors of 2.0e-4
/// at index 1 (417 steps), 4.3e-5 at index 2, 3.2e-5 stabilized, and 4.1e-4 at index 3 (186 steps); another first step
/// changes them several-fold.
///
/// ```
/// use liedae::integrator::{Bdf, NewtonOptions};
/// use liedae::prelude::*;
///
/// // A pendulum of 1 m, swung for a second; the order stays at 2, where the formula is A-stable.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = Bdf::new(None, NewtonOptions::default()).with_highest_order(2);
/// let end = solve(&mut pendulum, &method, &Options::adaptive(1.0, 1e-7, 1e-7))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-3);
/// // Its default formulation keeps the length of the rod and the velocity across it.
/// assert!((end.q[0].hypot(end.q[1]) - 1.0).abs() < 1e-8 && (end.q[0] * end.v[0] + end.q[1] * end.v[1]).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bdf {
    formulation: Formulation,
    highest_order: usize,
    newton: NewtonOptions,
    tests_algebraic: bool,
}

/// The formulas at work.
struct BdfStepper {
    formulation: Formulation,
    highest_order: usize,
    engine: Engine,
    /// For constant steps.
    starter: Option<Box<Starter>>,
    /// For steps that are judged by their error.
    launcher: Option<Launcher>,
    /// Constant steps until the formula has all the states that it needs.
    left_to_start: usize,
    accelerations: AccelerationSolver,
    /// By order, the outlook that lets the controller grow the step by [`GROW`].
    best_outlooks: [f64; MAX_ORDER + 1],
    /// At index 3.
    previous_step: Option<f64>,
    /// Steps since the last change of the step size, at index 3.
    alike: usize,
    /// The multipliers of the last step are those of the formula.
    regular: bool,
    /// Who has taken the last step.
    taken_by: TakenBy,
}

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakenBy {
    Starter,
    Launcher,
    Formula,
}

impl BdfStepper {
    fn new(
        system: &mut Evaluator,
        state: &State,
        method: &Bdf,
        sizes: StepSizes,
    ) -> Result<Self, StepError> {
        let (formulation, highest_order) = (method.formulation, method.highest_order);
        let linear = |source| StepError::linear(state.t, source);
        let layout = system.layout();
        let (rule, starter) = match sizes {
            StepSizes::Constant => {
                let starter = Starter::new(layout, state, formulation, true).map_err(linear)?;
                (OrderRule::Constant(highest_order), Some(Box::new(starter)))
            }
            StepSizes::Adaptive => (OrderRule::UpTo(highest_order), None),
        };
        let engine = Engine::new(layout, state, formulation, rule, &method.newton, 1.0);
        let mut engine = engine.map_err(linear)?;
        if !method.tests_algebraic {
            engine.leave_out_algebraic_variables();
        }
        let accelerations = AccelerationSolver::new(layout).map_err(linear)?;
        let launcher = match sizes {
            StepSizes::Constant => None,
            StepSizes::Adaptive => Some(Launcher::new(system, state, formulation, method.newton)?),
        };
        let mut stepper = Self {
            formulation,
            highest_order,
            engine,
            starter,
            launcher,
            left_to_start: 0,
            accelerations,
            // SAFETY e^(-1/(k + 1)) = GROW.
            best_outlooks: std::array::from_fn(|k| (SAFETY / GROW).powf(k as f64 + 1.0)),
            previous_step: None,
            alike: 0,
            regular: true,
            taken_by: TakenBy::Formula,
        };
        stepper.begin(system, state)?;
        Ok(stepper)
    }

    fn begin(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        self.engine.begin(system, &mut self.accelerations, state)?;
        if let Some(starter) = &mut self.starter {
            starter.begin(system, &mut self.accelerations, state)?;
            // As many starting states as the highest order: constant steps have it throughout.
            self.left_to_start = self.highest_order;
        }
        self.previous_step = None;
        self.alike = 0;
        self.regular = true;
        Ok(())
    }
}

/// Of the step size.
const SAFETY: f64 = 0.8;

/// Steps of the formulas grow by this at most.
const GROW: f64 = 2.0;

impl Bdf {
    /// What the method is.
    pub const METHOD: Method = Method {
        name: "bdf",
        title: "backward differentiation formulas",
        kind: Kind::Implicit,
        index: 2,
        orders: Orders {
            q: 5,
            v: 5,
            lambda: 5,
        },
        // Of the first steps; the order that follows decides about the others.
        error_order: 4.0,
        dense_output: DenseOutput::Quintic,
        captures_events: false,
        fixed_step_by_default: false,
        controller: ControllerKind::Elementary(Limits {
            safety: SAFETY,
            shrink: 0.2,
            // Of the first steps; the formulas limit theirs.
            grow: 8.0,
        }),
        source: "Brenan, Campbell, Petzold 1996, ch. 5, doi:10.1137/1.9781611971224; Gear, Gupta, Leimkuhler 1985, \
                 doi:10.1016/0377-0427(85)90008-1",
        use_when: "stiff systems and DAEs of any index at low and medium accuracy, over long smooth motions",
        avoid_when: "undamped fast oscillations, or tolerances below 1e-9",
    };

    /// The formulations that it can be asked for; with constant steps its order is the same in all.
    pub const FORMULATIONS: &[(Formulation, Orders)] = &[
        (Formulation::StabilizedIndex2, Self::METHOD.orders),
        (Formulation::Index2, Self::METHOD.orders),
        (Formulation::Index1, Self::METHOD.orders),
        (Formulation::BAUMGARTE, Self::METHOD.orders),
        (Formulation::Index3, Self::METHOD.orders),
    ];

    /// Orders 1 to 5 on this formulation; `None` is the stabilized index-2 form.
    pub fn new(formulation: Option<Formulation>, newton: NewtonOptions) -> Self {
        Self {
            formulation: formulation.unwrap_or(Formulation::StabilizedIndex2),
            highest_order: MAX_ORDER,
            newton,
            tests_algebraic: true,
        }
    }

    /// Leaves algebraic variables z out of the error test: where they change fast and the rest does not, steps stay long, and z
    /// is what its rows make of q, v and x at every moment that is looked at.
    pub fn without_algebraic_errors(mut self) -> Self {
        self.tests_algebraic = false;
        self
    }

    /// Limits the order, between 1 and 5; constant steps have this order throughout.
    pub fn with_highest_order(mut self, order: usize) -> Self {
        self.highest_order = order.clamp(1, MAX_ORDER);
        self
    }
}

impl Integrator for Bdf {
    fn method(&self) -> &'static Method {
        &Self::METHOD
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        require_index(system.layout(), Self::METHOD.name, 3)?;
        Ok(Box::new(BdfStepper::new(system, state, self, sizes)?))
    }
}

impl Stepper for BdfStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        if let Some(starter) = self.starter.as_mut().filter(|_| self.left_to_start > 0) {
            self.taken_by = TakenBy::Starter;
            starter.advance(system, norm, to)?;
            return Ok(Attempt::with_error(0.0));
        }
        if let Some(launcher) = self.launcher.as_mut().filter(|launcher| launcher.runs()) {
            self.taken_by = TakenBy::Launcher;
            return launcher.step(system, from, h, norm, to);
        }
        self.taken_by = TakenBy::Formula;
        // The formula proper.
        let estimate = self.engine.step(system, from, h, norm, to)?;
        if let Some(launcher) = self.launcher.as_mut().filter(|_| estimate.hopeless) {
            launcher.restart(system, from)?;
        }
        let best = self.best_outlooks[estimate.next_order];
        Ok(Attempt::with_error(estimate.error)
            .with_outlook(
                estimate.next_error.max(best),
                estimate.next_order as f64 + 1.0,
            )
            .keeping_step_below(estimate.keep_below()))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        if !to.q.is_empty() {
            system.layout().space.normalize(&mut to.q);
        }
        if self.left_to_start > 0 {
            self.left_to_start -= 1;
            self.engine.continue_from(system, to);
            return Ok(());
        }
        if let Some(launcher) = self.launcher.as_mut().filter(|launcher| launcher.runs()) {
            self.regular = false;
            return launcher.accept(system, (from, to), h, &mut self.engine);
        }
        if self.formulation == Formulation::Index3 {
            let changed = self
                .previous_step
                .is_none_or(|previous| is_another_step(previous, h));
            self.alike = if changed { 0 } else { self.alike + 1 };
            self.previous_step = Some(h);
            // Order-5 history forgets another step size after MAX_ORDER equal steps.
            self.regular = self.alike > MAX_ORDER;
        } else {
            self.regular = true;
        }
        self.engine.accept(system, to);
        Ok(())
    }

    /// The small steps of its start go on from where they are.
    fn repeats_steps(&self) -> bool {
        self.left_to_start == 0
    }

    fn has_algebraic_variables_at_end(&self) -> bool {
        true
    }

    fn take_solved(&mut self, to: &State) {
        if let Some(launcher) = self.launcher.as_mut().filter(|launcher| launcher.runs()) {
            launcher.take_solved(to);
        }
    }

    fn renew_derivatives(&mut self) {
        self.engine.renew_derivatives();
    }

    fn complete(&mut self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
        if !self.regular {
            self.accelerations.complete(system, state)?;
        }
        Ok(())
    }

    fn retry_factor(&self) -> f64 {
        let launcher = self.launcher.as_ref();
        launcher.map_or(RETRY, Launcher::retry_factor)
    }

    fn restart(&mut self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
        if let Some(launcher) = &mut self.launcher {
            launcher.restart(system, state)?;
        }
        self.begin(system, state)
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        Some(self)
    }

    fn work(&self) -> Work {
        let mut total = engine_work(&self.engine);
        total += super::work_of(&self.accelerations);
        if let Some(starter) = &self.starter {
            total += engine_work(starter.engine());
        }
        if let Some(launcher) = &self.launcher {
            total += launcher.work();
        }
        total
    }
}

impl OwnDenseOutput for BdfStepper {
    fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        match (self.taken_by, &mut self.launcher) {
            (TakenBy::Starter, _) => {}
            (TakenBy::Launcher, Some(launcher)) => launcher.prepare_output(system, from, to)?,
            _ => self.engine.prepare_output(&system.layout().space, to),
        }
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        match (self.taken_by, &mut self.starter, &mut self.launcher) {
            (TakenBy::Starter, Some(starter), _) => starter.interpolate(t, out),
            (TakenBy::Launcher, _, Some(launcher)) => launcher.interpolate(space, t, out),
            _ => self.engine.interpolate(space, t, out),
        }
    }
}

/// What a step is multiplied by when its iteration fails.
const RETRY: f64 = 0.25;

fn engine_work(engine: &Engine) -> Work {
    let (factorizations, solves) = engine.corrector.solver().work();
    Work {
        factorizations,
        solves,
        newton_iterations: engine.corrector.iterations(),
    }
}
