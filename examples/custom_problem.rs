//! A problem of your own: a bead that slides on a wire hoop while the hoop spins about its vertical diameter.
//!
//! Stated once in Cartesian coordinates, with two constraints, one of them moving; run by every method.

use liedae::integrator::{MethodOptions, methods};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

struct Bead {
    mass: f64,
    radius: f64,
    spin: f64,
}

impl Model for Bead {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3), 2, 0, 0, 0)
    }

    fn initial_state(&self) -> State {
        // On the level of the centre, at rest relative to the hoop.
        State {
            q: vec![self.radius, 0.0, 0.0],
            v: vec![0.0, self.radius * self.spin, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(self.mass);
        }
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[2] = S::constant(-9.81 * self.mass);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (x, y, z) = (at.q[0], at.q[1], at.q[2]);
        let angle = at.t * self.spin;
        g[0] = (x * x + y * y + z * z - self.radius * self.radius) / (2.0 * self.radius);
        g[1] = y * angle.cos() - x * angle.sin();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for entry in methods() {
        let mut system = Automatic::new(Bead {
            mass: 0.1,
            radius: 0.5,
            spin: 7.0,
        });
        let mut method = (entry.build)(&MethodOptions::default());
        let solution = solve(
            &mut system,
            method.as_mut(),
            &Options::adaptive(2.0, 1e-6, 1e-6),
        )?;
        let (q, steps) = (&solution.state.q, solution.statistics.accepted);
        println!(
            "{:22} bead at ({:+.5}, {:+.5}, {:+.5}) m after {steps} steps",
            entry.method.name, q[0], q[1], q[2]
        );
    }
    Ok(())
}
