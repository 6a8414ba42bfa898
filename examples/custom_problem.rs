//! A problem of your own: a bead on a wire hoop that spins about its vertical diameter.

use liedae::integrator::MethodRegistry;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

const MASS: f64 = 0.1;
const RADIUS: f64 = 0.5;
const SPIN: f64 = 7.0;
struct Bead;

impl Model for Bead {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3)).with_position_rows(2)
    }

    fn initial_state(&self) -> State {
        // On the level of the centre, at rest relative to the hoop.
        let (q, v) = (vec![RADIUS, 0.0, 0.0], vec![0.0, RADIUS * SPIN, 0.0]);
        State {
            q,
            v,
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(MASS);
        }
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[2] = S::constant(-9.81 * MASS);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (x, y, z) = (at.q[0], at.q[1], at.q[2]);
        let angle = at.t * SPIN;
        g[0] = (x * x + y * y + z * z - RADIUS * RADIUS) / (2.0 * RADIUS);
        g[1] = y * angle.cos() - x * angle.sin();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for entry in MethodRegistry::standard()
        .into_iter()
        .filter(|entry| entry.method.is_adaptive())
    {
        let method = entry.default_method();
        let options = Options::adaptive(2.0, 1e-6, 1e-6);
        let solution = solve(&mut Automatic::new(Bead), method.as_ref(), &options)?;
        let (z, steps) = (solution.state.q[2], solution.statistics.accepted);
        println!(
            "{:22} height {z:+.6} m after {steps} steps",
            entry.method.name
        );
    }
    Ok(())
}
