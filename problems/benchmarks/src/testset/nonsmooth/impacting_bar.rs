//! An elastic bar that hits a wall.

use super::statement::Statement;
use crate::{
    Cell, Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range,
};
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};
use liedae_multibody::Drawn;
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const IMPACTING_BAR: ProblemEntry = ProblemEntry {
    name: "impacting-bar",
    title: "elastic bar of n lumped masses that hits a rigid wall",
    description: "A bar of 10 m, 900 N and 1 kg/m flies with 10 m/s against a wall that it touches at the start. Waves of 30 m/s run to its free end and \
                  back: the continuous bar presses with 300 N, leaves after 2 L / c = 2/3 s, and flies back as fast as it came, without a vibration. \
                  The masses do so but for waves that the mesh disperses, and the first mass, which comes to rest at once (e = 0), loses its \
                  energy, 1/(2n) of all.",
    source: "classical; Saint-Venant's impact of a bar; J. D. Achenbach, Wave propagation in elastic solids, 1973, ch. 3",
    parameters: &[ParameterInfo::new(
        "n",
        50.0,
        "1",
        Range::Integer(2, 1000),
        "number of elements",
    )],
    build,
};

const LENGTH: f64 = 10.0;
/// E A in N.
const STIFFNESS: f64 = 900.0;
/// In kg/m.
const DENSITY: f64 = 1.0;
const SPEED: f64 = -10.0;

/// Nodes at x_i, in m from the wall, with springs between them; half an element's mass at both ends.
struct Bar {
    elements: usize,
}

impl Bar {
    fn spacing(&self) -> f64 {
        LENGTH / self.elements as f64
    }

    fn mass(&self, node: usize) -> f64 {
        let whole = DENSITY * self.spacing();
        if node == 0 || node == self.elements {
            0.5 * whole
        } else {
            whole
        }
    }

    fn spring(&self) -> f64 {
        STIFFNESS / self.spacing()
    }
}

impl Model for Bar {
    fn layout(&self) -> Layout {
        let nodes = self.elements + 1;
        Layout {
            mass: Pattern::diagonal(nodes),
            ..Layout::dense(Manifold::euclidean(nodes))
        }
    }

    fn initial_state(&self) -> State {
        let nodes = self.elements + 1;
        State {
            q: (0..nodes)
                .map(|node| self.spacing() * node as f64)
                .collect(),
            v: vec![SPEED; nodes],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for node in 0..=self.elements {
            mass[(node, node)] = S::constant(self.mass(node));
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (node, pair) in at.q.windows(2).enumerate() {
            let tension = (pair[1] - pair[0] - self.spacing()) * self.spring();
            force[node] += tension;
            force[node + 1] -= tension;
        }
    }

    fn output_names(&self) -> Vec<String> {
        OUTPUTS.map(str::to_owned).to_vec()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let momentum = state.v.iter().enumerate();
        let momentum: f64 = momentum.map(|(node, v)| self.mass(node) * v).sum();
        let ends = [
            state.q[0],
            state.q[self.elements],
            state.v[0],
            state.v[self.elements],
        ];
        out[..4].copy_from_slice(&ends);
        out[4] = momentum / (DENSITY * LENGTH);
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic = at.v.iter().enumerate();
        let kinetic: f64 = kinetic.map(|(node, v)| 0.5 * self.mass(node) * v * v).sum();
        let stretches =
            at.q.windows(2)
                .map(|pair| pair[1] - pair[0] - self.spacing());
        let stored: f64 = stretches
            .map(|stretch| 0.5 * self.spring() * stretch * stretch)
            .sum();
        Some(kinetic + stored)
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

const OUTPUTS: [&str; 5] = ["front", "back", "front_v", "back_v", "mean_v"];

impl ContactModel for Bar {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("wall", 0.0)]
    }

    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0]
    }
}

impl Drawn for Bar {
    fn drawing(&self) -> Drawing {
        let names: Vec<String> = (0..=self.elements)
            .map(|node| format!("node {node}"))
            .collect();
        let mut drawing = Drawing::plane(names, |state, poses| {
            for (pose, x) in poses.iter_mut().zip(&state.q) {
                *pose = Pose::plane([*x, 0.0], 0.0);
            }
        });
        let half = 0.5 * self.spacing();
        for node in 0..=self.elements {
            let cross = [[0.0, -half], [0.0, half]];
            drawing = drawing.body(Some(node), &cross);
        }
        drawing.body(None, &[[0.0, -0.2 * LENGTH], [0.0, 0.2 * LENGTH]])
    }
}

fn formulation(bar: &Bar) -> Formulation {
    let state = bar.initial_state();
    let nodes = state.q.iter().zip(&state.v).enumerate();
    let nodes =
        nodes.map(|(node, (&x, &v))| [Cell::from(node), bar.mass(node).into(), x.into(), v.into()]);
    Formulation::new([
        "Nodes 0 to n at x_i, in m from the wall, with velocities v_i; n is a parameter. h is the length of an element, k = EA / h the \
         stiffness of a spring, f_i = k (x_i - x_(i-1) - h) its force, i = 1 to n, f_0 = f_(n+1) = 0.",
        "m_i x_i'' = f_(i+1) - f_i + p_i",
        "p_i = 0 for i > 0; p_0 = p is the force of the wall: 0 <= x_0, 0 <= p, p x_0 = 0",
        "Impact: where x_0 = 0 and v_0 < 0, v_0 becomes 0 (e = 0); so it does at the start.",
        "front = x_0, back = x_n, front_v = v_0, back_v = v_n, mean_v = sum of m_i v_i / sum of m_i",
    ])
    .with_constants([
        ("h", bar.spacing(), "m"),
        ("k", bar.spring(), "N/m"),
        ("EA", STIFFNESS, "N"),
        ("mass per length", DENSITY, "kg/m"),
        ("length", LENGTH, "m"),
    ])
    .with_table("nodes", ["i", "m_i (kg)", "initial x_i (m)", "initial v_i (m/s)"], nodes)
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let elements = parameters.get("n")? as usize;
    let bar = Bar { elements };
    let formulation = formulation(&bar);
    let problem = Statement::new(IMPACTING_BAR.name, 1.0, "mean_v").problem(Ok(bar))?;
    Ok(problem.with_formulation(formulation))
}
