//! A constrained motion whose solution is chosen first and whose forces follow.

use crate::formulation::initial_outputs;
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

pub(crate) const MANUFACTURED: ProblemEntry = ProblemEntry {
    name: "manufactured",
    title: "constrained motion with a manufactured solution",
    description: "Three masses of 1, 2 and 3 kg on x - y z = sin 3t, a position constraint that depends on time and configuration. The solution is \
                  y = sin t, z = cos 2t, lambda = 2 + cos t; forces hold it by springs and dampers, so that small errors neither grow nor \
                  vanish at once. Positions, velocities and the multiplier are known exactly: for tests of orders.",
    source: "the method of manufactured solutions, for this project",
    parameters: &[],
    build,
};

const MASSES: [f64; 3] = [1.0, 2.0, 3.0];
/// Stiffness in N/m and damping in N s/m towards the solution.
const HOLD: [f64; 2] = [4.0, 1.0];

struct Manufactured;

/// The solution with its first two derivatives, and the multiplier.
fn solution<S: Scalar>(t: S) -> ([[S; 3]; 3], S) {
    let ([s1, s2, s3], [c1, c2, c3]) = {
        let [one, two, three] = S::sin_cos_all([t, t * 2.0, t * 3.0]);
        ([one.0, two.0, three.0], [one.1, two.1, three.1])
    };
    // x = sin t cos 2t + sin 3t.
    let position = [s3 * 1.5 - s1 * 0.5, s1, c2];
    let velocity = [c3 * 4.5 - c1 * 0.5, c1, s2 * -2.0];
    let acceleration = [s3 * -13.5 + s1 * 0.5, -s1, c2 * -4.0];
    ([position, velocity, acceleration], c1 + 2.0)
}

impl Model for Manufactured {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3)).with_position_rows(1)
    }

    fn initial_state(&self) -> State {
        let ([q, v, _], _) = solution(0.0);
        State {
            q: q.to_vec(),
            v: v.to_vec(),
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, &value) in MASSES.iter().enumerate() {
            mass[(index, index)] = S::constant(value);
        }
    }

    /// M v' - Gᵀ λ of the solution, with the Jacobian of where the system is.
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let ([position, velocity, acceleration], lambda) = solution(at.t);
        let jacobian = [S::constant(1.0), -at.q[2], -at.q[1]];
        let [stiffness, damping] = HOLD;
        for (index, slot) in force.iter_mut().enumerate() {
            *slot = acceleration[index] * MASSES[index]
                - jacobian[index] * lambda
                - (at.q[index] - position[index]) * stiffness
                - (at.v[index] - velocity[index]) * damping;
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0] - at.q[1] * at.q[2] - (at.t * 3.0).sin();
    }

    fn output_names(&self) -> Vec<String> {
        NAMES.map(str::to_owned).to_vec()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let values = state.q.iter().chain(&state.v).chain(&state.lambda);
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = *value;
        }
    }
}

const NAMES: [&str; 7] = ["x", "y", "z", "vx", "vy", "vz", "lambda"];

fn formulation() -> Formulation {
    let [stiffness, damping] = HOLD;
    let [mx, my, mz] = MASSES;
    Formulation::new([
        "Three masses with positions q = (x, y, z) and velocities v = (vx, vy, vz); multiplier lambda.",
        "The solution is s = (sin(t) cos(2 t) + sin(3 t), sin(t), cos(2 t)) with the multiplier L = 2 + cos(t); dots are derivatives by t.",
        "G = (1, -z, -y), at the positions q, not at s",
        "m_i q_i'' = m_i s_i'' - G_i L - stiffness (q_i - s_i) - damping (v_i - s_i') + G_i lambda, i = x, y, z",
        "0 = x - y z - sin(3 t)",
    ])
    .with_constants([
        ("m_x", mx, "kg"),
        ("m_y", my, "kg"),
        ("m_z", mz, "kg"),
        ("stiffness", stiffness, "N/m"),
        ("damping", damping, "N s/m"),
    ])
    .with_initial_values("m, m/s for v", initial_outputs(&Manufactured))
}

fn build(_: &Parameters) -> Result<Problem, ProblemError> {
    let exact = |t: f64, out: &mut [f64]| {
        let ([q, v, _], lambda) = solution(t);
        let values = q.into_iter().chain(v).chain([lambda]);
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value;
        }
    };
    let reference = Reference::new("closed form", 0.0, f64::MAX, false)
        .with_closed_form(NAMES, exact)
        .exact_to(15.0);
    let problem = Problem::new(MANUFACTURED.name, Automatic::new(Manufactured), 1.0);
    Ok(Problem {
        formulation: Some(formulation()),
        reference: Some(reference),
        ..problem
    })
}
