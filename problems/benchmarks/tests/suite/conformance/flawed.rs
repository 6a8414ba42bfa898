//! Heun's method on the index-1 form, sound or with one flaw.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, DenseOutput, Integrator, Kind, Method, Orders, OwnDenseOutput, StepError, StepSizes,
    Stepper, Work,
};
use liedae::manifold::Manifold;
use liedae::system::{AccelerationSolver, DynamicsError, Evaluator, Projector, State};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is wrong with the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    Sound,
    /// It has no name and no source.
    Nameless,
    /// It is Euler's method and states order 2.
    OrderTooLow,
    /// It states order 4 for its multipliers.
    MultiplierOrderTooHigh,
    /// Its estimate of large steps is NaN.
    NanEstimate,
    /// Its estimate is far too small.
    BoldEstimate,
    /// It cannot do with rows that are left out.
    Redundancy,
    /// A step depends on how often it has been tried.
    Unrepeatable,
    /// A run depends on the runs before it.
    RemembersRuns,
    /// Its dense output is of first order.
    DenseOutput,
    /// Its dense output leaves the states behind.
    DenseOutputAtEnds,
    /// It passes events by: its repeated steps are as long as the first one was.
    Unstoppable,
    /// It keeps its history at a restart.
    IgnoresRestart,
    /// It panics where a force is NaN.
    PanicsOnNan,
    /// It goes on without a force where that cannot be evaluated.
    SwallowsErrors,
    /// It takes steps within steps without end.
    IgnoresLimits,
    /// It allocates in every step.
    Allocates,
    /// It says that it projects onto the energy, and does not.
    LosesEnergy,
    /// A restart takes its counts of work back.
    ForgetsWork,
    /// It says nothing of its work.
    SilentWork,
    /// None: it leaves the time of the start where the driver has set that of the end.
    TimeOfStart,
    /// It says that the ends of its steps are solved, and leaves the accelerations of its first stage there.
    UnsolvedEnds,
    /// None: it says that it takes no constraints.
    FreeMotionsOnly,
}

const SOUND: Method = Method::new("flawed-heun", Kind::Explicit, Orders::all(2))
    .with_title("Heun's method with a flaw")
    .with_error_estimate(2.0)
    .with_source("Heun 1900");

static HEUN: Method = SOUND;
static NAMELESS: Method = Method::new("", Kind::Explicit, Orders::all(2)).with_error_estimate(2.0);
static OWN_OUTPUT: Method = SOUND.with_dense_output(DenseOutput::Own);
static HIGH_MULTIPLIERS: Method = Method::new(
    "flawed-heun",
    Kind::Explicit,
    Orders {
        q: 2,
        v: 2,
        lambda: 4,
    },
)
.with_error_estimate(2.0)
.with_source("Heun 1900");

/// Heun's method with a flaw.
pub struct Flawed {
    flaw: Flaw,
    runs: AtomicUsize,
}

impl Flawed {
    pub fn new(flaw: Flaw) -> Self {
        Self {
            flaw,
            runs: AtomicUsize::new(0),
        }
    }
}

struct FlawedStepper {
    flaw: Flaw,
    accelerations: AccelerationSolver,
    projector: Projector,
    displacement: Vec<f64>,
    error: [Vec<f64>; 2],
    /// Accelerations of the last step, for what depends on the past.
    history: Vec<f64>,
    /// How often the step has been tried; how many runs there were.
    tries: usize,
    runs: usize,
    /// The last step, for dense output.
    from: State,
    to: State,
    local: Vec<f64>,
    sizes: StepSizes,
    first_size: Option<f64>,
    jacobian: Vec<f64>,
    work: Work,
}

impl Integrator for Flawed {
    fn method(&self) -> &'static Method {
        match self.flaw {
            Flaw::Nameless => &NAMELESS,
            Flaw::MultiplierOrderTooHigh => &HIGH_MULTIPLIERS,
            Flaw::DenseOutput | Flaw::DenseOutputAtEnds => &OWN_OUTPUT,
            _ => &HEUN,
        }
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        if layout.differential + layout.algebraic > 0 {
            return Err(StepError::Unsupported {
                method: self.method().name,
                reason: "it has states beside q and v".to_owned(),
            });
        }
        if self.flaw == Flaw::FreeMotionsOnly && layout.rows() > 0 {
            return Err(StepError::Unsupported {
                method: self.method().name,
                reason: "it takes no constraints".to_owned(),
            });
        }
        let runs = 1 + self.runs.fetch_add(1, Ordering::Relaxed);
        let linear = |source| StepError::linear(state.t, source);
        let zeros = || vec![0.0; layout.dimension()];
        Ok(Box::new(FlawedStepper {
            flaw: self.flaw,
            accelerations: AccelerationSolver::new(layout).map_err(linear)?,
            projector: Projector::new(layout).map_err(linear)?,
            displacement: zeros(),
            error: [zeros(), zeros()],
            history: zeros(),
            tries: 0,
            runs,
            from: state.clone(),
            to: state.clone(),
            local: zeros(),
            sizes,
            first_size: None,
            jacobian: vec![0.0; layout.jacobian.nnz()],
            work: Work::default(),
        }))
    }
}

impl FlawedStepper {
    /// A disturbance that no other check sees.
    const TINY: f64 = 1e-13;

    fn complete_state(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let completed = self.accelerations.complete(system, state);
        match (self.flaw, completed) {
            (Flaw::PanicsOnNan, Err(DynamicsError::Evaluation(error))) => panic!("{error}"),
            (Flaw::SwallowsErrors, Err(_)) => {
                state.acceleration.fill(0.0);
                Ok(())
            }
            (_, completed) => completed,
        }
    }

    /// What the flaw does at the start of a step.
    fn misbehave(&mut self, system: &mut Evaluator, from: &State) -> Result<(), StepError> {
        match self.flaw {
            Flaw::IgnoresLimits => {
                for _ in 0..3 {
                    let _ = system.begin_inner_step();
                }
            }
            Flaw::Allocates => drop(std::hint::black_box(vec![0_u8; 100])),
            Flaw::Redundancy if !self.jacobian.is_empty() => {
                system.constraint_jacobian(&from.point(), &mut self.jacobian)?;
                let pattern = &system.layout().jacobian;
                for row in 0..pattern.rows() {
                    let entries = &self.jacobian[pattern.row_range(row)];
                    assert!(entries.iter().any(|entry| *entry != 0.0), "row {row}");
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What the flaw adds to a velocity.
    fn disturbance(&self, index: usize) -> f64 {
        match self.flaw {
            Flaw::Unrepeatable => Self::TINY * self.tries as f64,
            Flaw::RemembersRuns => Self::TINY * self.runs as f64,
            Flaw::IgnoresRestart => Self::TINY * self.history[index],
            _ => 0.0,
        }
    }
}

impl Stepper for FlawedStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        self.tries += 1;
        self.work.solves += 1;
        self.misbehave(system, from)?;
        let asked = h;
        let h = match self.flaw {
            Flaw::Unstoppable if self.sizes == StepSizes::Constant => {
                *self.first_size.get_or_insert(h)
            }
            _ => h,
        };
        for index in 0..self.displacement.len() {
            to.v[index] = from.v[index] + h * from.acceleration[index];
            self.displacement[index] = 0.5 * h * (from.v[index] + to.v[index]);
        }
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut to.q);
        self.complete_state(system, to)?;
        for index in 0..self.displacement.len() {
            let error = 0.5 * h * (to.acceleration[index] - from.acceleration[index]);
            if self.flaw != Flaw::OrderTooLow {
                to.v[index] += error;
            }
            to.v[index] += self.disturbance(index);
            self.displacement[index] = 0.5 * h * (from.v[index] + to.v[index]);
            self.error[0][index] = 0.5 * h * error;
            self.error[1][index] = error;
        }
        let space = &system.layout().space;
        space.retract(&from.q, &self.displacement, &mut to.q);
        if self.flaw == Flaw::TimeOfStart {
            to.t = from.t;
        }
        norm.weigh(from, to);
        let [error_q, error_v] = &self.error;
        let error = norm.root_mean_square(error_q, error_v, &[]);
        Ok(Attempt::with_error(match self.flaw {
            Flaw::NanEstimate if asked > 0.02 => f64::NAN,
            Flaw::BoldEstimate => 1e-4 * error,
            _ => error,
        }))
    }

    fn accept(
        &mut self,
        system: &mut Evaluator,
        _from: &State,
        _h: f64,
        to: &mut State,
    ) -> Result<(), StepError> {
        self.tries = 0;
        self.first_size = None;
        self.projector.project_position(system, to, false)?;
        self.projector.project_velocity(system, to)?;
        self.complete_state(system, to)?;
        self.history.copy_from_slice(&to.acceleration);
        Ok(())
    }

    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        if self.flaw == Flaw::ForgetsWork {
            self.work = Work::default();
        }
        self.tries = 0;
        self.first_size = None;
        if self.flaw != Flaw::IgnoresRestart {
            self.history.fill(0.0);
        }
        Ok(())
    }

    fn ends_consistent(&self) -> bool {
        self.flaw == Flaw::UnsolvedEnds
    }

    fn work(&self) -> Work {
        if self.flaw == Flaw::SilentWork {
            return Work::default();
        }
        self.work
    }

    fn energy_projector(&mut self) -> Option<&mut Projector> {
        (self.flaw == Flaw::LosesEnergy).then_some(&mut self.projector)
    }

    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        matches!(self.flaw, Flaw::DenseOutput | Flaw::DenseOutputAtEnds).then_some(self)
    }
}

/// Straight lines, followed at the wrong speed.
impl OwnDenseOutput for FlawedStepper {
    fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError> {
        self.from.copy_from(from);
        self.to.copy_from(to);
        let space = &system.layout().space;
        space.lift(&from.q, &to.q, &mut self.local);
        Ok(())
    }

    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State) {
        let (from, to) = (&self.from, &self.to);
        let share = (t - from.t) / (to.t - from.t);
        let share = match self.flaw {
            Flaw::DenseOutput => share * share,
            _ => 1.01 * share,
        };
        out.t = t;
        out.acceleration.copy_from_slice(&from.acceleration);
        out.lambda.copy_from_slice(&from.lambda);
        for (slot, u) in self.displacement.iter_mut().zip(&self.local) {
            *slot = share * u;
        }
        space.retract(&from.q, &self.displacement, &mut out.q);
        for (slot, (start, end)) in out.v.iter_mut().zip(from.v.iter().zip(&to.v)) {
            *slot = start + share * (end - start);
        }
    }
}
