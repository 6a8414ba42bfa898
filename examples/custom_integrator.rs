//! A method of your own: Störmer-Verlet, symplectic, of order 2, for systems without constraints and with forces that
//! do not depend on velocities. Step-size control, statistics and the order test come with the driver.

use liedae::control::ErrorNorm;
use liedae::integrator::{
    Attempt, Integrator, Kind, Method, Orders, StepError, StepSizes, Stepper,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, convergence, solve};
use liedae::system::{
    AccelerationSolver, Automatic, Evaluator, Layout, MatrixMut, Model, Point, State,
};

static VERLET: Method = Method::new(
    "verlet",
    Kind::Explicit,
    Orders {
        q: 2,
        v: 2,
        lambda: 0,
    },
)
.with_title("Störmer-Verlet")
.with_error_estimate(2.0)
.with_source("Verlet 1967, doi:10.1103/PhysRev.159.98");

/// What it is; it has no options.
struct Verlet;

/// What it needs at work.
struct VerletStepper {
    accelerations: AccelerationSolver,
    error: [Vec<f64>; 2],
}

impl Integrator for Verlet {
    fn method(&self) -> &'static Method {
        &VERLET
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        _sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        let layout = system.layout();
        if layout.rows() > 0 {
            let (method, reason) = (VERLET.name, "it has constraints".to_owned());
            return Err(StepError::Unsupported { method, reason });
        }
        let accelerations = AccelerationSolver::new(layout);
        let zeros = || vec![0.0; layout.dimension()];
        Ok(Box::new(VerletStepper {
            accelerations: accelerations.map_err(|source| StepError::linear(state.t, source))?,
            error: [zeros(), zeros()],
        }))
    }
}

impl Stepper for VerletStepper {
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError> {
        let [displacement, error] = &mut self.error;
        for (index, displacement) in displacement.iter_mut().enumerate() {
            to.v[index] = from.v[index] + 0.5 * h * from.acceleration[index];
            *displacement = h * to.v[index];
        }
        system
            .layout()
            .space
            .retract(&from.q, displacement, &mut to.q);
        self.accelerations.complete(system, to)?;
        for (index, error) in error.iter_mut().enumerate() {
            to.v[index] += 0.5 * h * to.acceleration[index];
            *error = 0.5 * h * (to.acceleration[index] - from.acceleration[index]);
        }
        norm.weigh(from, to);
        displacement.fill(0.0);
        Ok(Attempt::with_error(norm.root_mean_square(
            displacement,
            error,
            &[],
        )))
    }
}

/// A planet on an ellipse around a fixed sun, period 2π.
struct Kepler;

impl Model for Kepler {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, 0.0],
            v: vec![0.0, (1.4_f64 / 0.6).sqrt()],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let cubed = (at.q[0] * at.q[0] + at.q[1] * at.q[1]).powf(1.5);
        force[0] = -at.q[0] / cubed;
        force[1] = -at.q[1] / cubed;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut system = Automatic::new(Kepler);
    let period = std::f64::consts::TAU;
    let options = Options::adaptive(period, 1e-6, 1e-6);
    let solution = solve(&mut system, &Verlet, &options)?;
    println!(
        "under a controller: {} steps, {} rejected",
        solution.statistics.accepted,
        solution.statistics.rejected.total()
    );
    println!(
        "closes its orbit to {:.1e}",
        (solution.state.q[0] - 0.6).hypot(solution.state.q[1])
    );

    let reference = State {
        t: period,
        ..Kepler.initial_state()
    };
    let found = convergence(&mut system, &Verlet, &[0.01, 0.005, 0.0025], &reference)?;
    println!(
        "observed order: {:.3} in q, {:.3} in v",
        found.order_q(),
        found.order_v()
    );
    assert!((found.order_q() - 2.0).abs() < 0.1 && (found.order_v() - 2.0).abs() < 0.1);
    Ok(())
}
