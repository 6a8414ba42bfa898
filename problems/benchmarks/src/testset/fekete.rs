//! The Fekete problem: points on a sphere that repel each other come to rest far from one another.

use super::published::{SOURCE, Statement};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::{Blocks, Pattern};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Derivative, Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Figure, Kind, Pose};
use std::f64::consts::PI;

pub(crate) const FEKETE: ProblemEntry = ProblemEntry {
    name: "fekete",
    title: "Fekete points, 20 points on the unit sphere that repel each other, 20 position constraints",
    description: "Point i is pushed by (p_i - p_j) / |p_i - p_j|^2 from each other one and braked by half its velocity. \
                  At t = 1000 all rest where the product of their distances is largest; there p'' = 2 lam p + ... holds \
                  with lam = -4.75. The rows are |p|^2 - 1, the multipliers lam have the test set's sign.",
    source: "Test Set for IVP Solvers, `fekete` (there with index 2, stabilized); Bendtsen and Hansen 1998; Shub and \
             Smale 1993",
    parameters: &[],
    build,
};

const POINTS: usize = 20;
const DAMPING: f64 = 0.5;

/// Points of unit mass on the unit sphere.
struct Fekete {
    layout: Layout,
}

impl Fekete {
    fn new() -> Result<Self, ProblemError> {
        let size = 3 * POINTS;
        let jacobian = (0..POINTS)
            .flat_map(|point| (3 * point..3 * point + 3).map(move |column| (point, column)));
        let jacobian =
            Pattern::from_entries(POINTS, size, jacobian).map_err(|error| ProblemError::Build {
                problem: FEKETE.name,
                reason: error.to_string(),
            })?;
        let layout = Layout {
            mass: Pattern::diagonal(size),
            jacobian,
            blocks: Blocks {
                variables: vec![3; POINTS],
                rows: vec![1; POINTS],
            },
            ..Layout::dense(Manifold::euclidean(size)).with_position_rows(POINTS)
        };
        Ok(Self { layout })
    }
}

/// Four circles of latitude: number of points, number of the first one, latitude, shift of longitude.
const CIRCLES: [(usize, usize, f64, f64); 4] = [
    (3, 1, 3.0 * PI / 8.0, PI / 13.0),
    (7, 1, PI / 8.0, PI / 29.0),
    (6, 1, -2.0 * PI / 15.0, PI / 7.0),
    (4, 0, -3.0 * PI / 10.0, PI / 17.0),
];

impl Model for Fekete {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        let mut q = Vec::with_capacity(3 * POINTS);
        for (count, first, latitude, shift) in CIRCLES {
            for place in first..first + count {
                let longitude = 2.0 * PI * place as f64 / count as f64 + shift;
                q.extend([
                    longitude.cos() * latitude.cos(),
                    longitude.sin() * latitude.cos(),
                    latitude.sin(),
                ]);
            }
        }
        State {
            q,
            ..self.layout.state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..3 * POINTS {
            mass[(i, i)] = S::constant(1.0);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (force, &velocity) in force.iter_mut().zip(at.v) {
            *force = velocity * -DAMPING;
        }
        for i in (0..3 * POINTS).step_by(3) {
            for j in (0..i).step_by(3) {
                let apart = [0, 1, 2].map(|k| at.q[i + k] - at.q[j + k]);
                let square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
                for (k, component) in apart.into_iter().enumerate() {
                    let push = component / square;
                    force[i + k] += push;
                    force[j + k] -= push;
                }
            }
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for (g, p) in g.iter_mut().zip(at.q.chunks_exact(3)) {
            *g = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - 1.0;
        }
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        for (i, &coordinate) in at.q.iter().enumerate() {
            jacobian[(i / 3, i)] = 2.0 * coordinate;
        }
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        for (bias, v) in bias.iter_mut().zip(at.v.chunks_exact(3)) {
            *bias = 2.0 * v.iter().map(|v| v * v).sum::<f64>();
        }
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        let points = |prefix: &'static str| {
            (1..=POINTS)
                .flat_map(move |point| ["x", "y", "z"].map(|axis| format!("{prefix}{axis}{point}")))
        };
        let multipliers = (1..=POINTS).map(|point| format!("lam{point}"));
        points("").chain(points("d_")).chain(multipliers).collect()
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Points p_i = (xi, yi, zi), i = 1 to 20, velocities p_i' = (d_xi, d_yi, d_zi), multipliers lam_i; no units.",
        "p_i'' = sum over j other than i of (p_i - p_j) / |p_i - p_j|^2 - damping p_i' + 2 lam_i p_i",
        "0 = |p_i|^2 - 1, the multipliers act with the gradient of these rows: M q'' = f + G^T lam, M = 1",
    ])
    .with_constants([("damping", DAMPING, "1")])
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &FEKETE,
        source: Some(SOURCE),
        t_end: 1000.0,
        default_step: 0.01,
        main_output: "x1",
        order_study_end: Some(1.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1",
    };
    let names = (1..=POINTS).map(|point| format!("point {point}"));
    let drawing = Drawing::space(names, |state, poses| {
        for (pose, q) in poses.iter_mut().zip(state.q.chunks_exact(3)) {
            *pose = Pose::at([q[0], q[1], q[2]]);
        }
    });
    let (centre, radius) = ([0.0; 3], 1.0);
    let mut drawing = drawing.with(None, Kind::Guide, Figure::Ring { centre, radius });
    for point in 0..POINTS {
        drawing = drawing.disc(Some(point), [0.0; 3], 0.05);
    }
    let problem = statement.model(Fekete::new()?)?;
    Ok(problem.with_drawing(drawing))
}
