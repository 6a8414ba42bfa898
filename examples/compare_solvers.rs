//! Comparing solvers on a problem of your own: what each method needs for the accuracy it delivers.
//!
//! For the problems that come with the project, and for charts, there is one command:
//! `cargo run --release -- compare quick --methods all --out report`.

use liedae::integrator::{Hem5, MethodRegistry, Projection};
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State, System, total_energy};

/// A box tumbling about its unstable axis, its attitude a unit quaternion.
struct TumblingBox;

const INERTIA: [f64; 3] = [1.0, 2.0, 3.0];

impl Model for TumblingBox {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::new([Factor::UnitQuaternion]))
    }

    fn initial_state(&self) -> State {
        State {
            v: vec![0.01, 2.0, 0.02],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(INERTIA[axis]);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, torque: &mut [S]) {
        // Euler's equations: J ω' = -ω x J ω.
        for (axis, torque) in torque.iter_mut().enumerate() {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            *torque = at.v[j] * at.v[k] * (INERTIA[j] - INERTIA[k]);
        }
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        Some(
            at.v.iter()
                .zip(INERTIA)
                .map(|(omega, j)| 0.5 * j * omega * omega)
                .sum(),
        )
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let t_end = 10.0;
    let mut system = Automatic::new(TumblingBox);
    let tight = Options::adaptive(t_end, 1e-13, 1e-13);
    let reference = solve(&mut system, &Hem5::new(Projection::EveryStep), &tight)?.state;

    println!(
        "{:22}{:>10}{:>12}{:>8}{:>10}{:>14}",
        "method", "tolerance", "error", "steps", "forces", "energy drift"
    );
    for entry in MethodRegistry::standard()
        .into_iter()
        .filter(|entry| entry.method.is_adaptive())
    {
        for tolerance in [1e-3, 1e-5, 1e-7] {
            let method = entry.default_method();
            let solution = solve(
                &mut system,
                method.as_ref(),
                &Options::adaptive(t_end, tolerance, tolerance),
            )?;
            let mut error = [0.0; 3];
            system
                .layout()
                .space
                .lift(&reference.q, &solution.state.q, &mut error);
            let error = error.iter().map(|e| e * e).sum::<f64>().sqrt();
            let statistics = solution.statistics;
            let energy = |state: &State, system: &mut Automatic<TumblingBox>| {
                total_energy(system, &state.point()).unwrap_or(f64::NAN)
            };
            let drift =
                energy(&solution.state, &mut system) - energy(&system.initial_state(), &mut system);
            println!(
                "{:22}{tolerance:>10.0e}{error:>12.2e}{:>8}{:>10}{drift:>14.2e}",
                entry.method.name, statistics.accepted, statistics.evaluations.force
            );
        }
    }
    Ok(())
}
