//! The Pleiades: seven stars in the plane.

use super::published::{SOURCE, Statement, names};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const PLEIADES: ProblemEntry = ProblemEntry {
    name: "pleiades",
    title: "Pleiades, celestial mechanics of seven stars in the plane",
    description: "Star i has mass i; the constant of gravity is 1. Not stiff; several close encounters within t = 3 need \
                  small steps. No constraints.",
    source: "Test Set for IVP Solvers, `plei`; Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, \
             II.10",
    parameters: &[],
    build,
};

const STARS: usize = 7;

/// The place of two stars, `j < i`, among all pairs.
fn pair(i: usize, j: usize) -> usize {
    i * (i - 1) / 2 + j
}

/// Mass of the star number `index` from 0.
fn mass_of(index: usize) -> f64 {
    index as f64 + 1.0
}

/// Coordinates x1 to x7, then y1 to y7.
struct Pleiades;

impl Model for Pleiades {
    fn layout(&self) -> Layout {
        Layout {
            mass: Pattern::diagonal(2 * STARS),
            constant_mass: true,
            ..Layout::dense(Manifold::euclidean(2 * STARS))
        }
    }

    fn initial_state(&self) -> State {
        let mut v = vec![0.0; 2 * STARS];
        v[5] = 1.75;
        v[6] = -1.5;
        v[STARS + 3] = -1.25;
        v[STARS + 4] = 1.0;
        State {
            q: vec![
                3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0, 3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0,
            ],
            v,
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..2 * STARS {
            mass[(i, i)] = S::constant(mass_of(i % STARS));
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let ([x, y], _) = at.q.as_chunks::<STARS>() else {
            return;
        };
        let ([force_x, force_y], _) = force.as_chunks_mut::<STARS>() else {
            return;
        };
        let places: [[S; 2]; STARS] = std::array::from_fn(|star| [x[star], y[star]]);
        let between = |i: usize, j: usize| {
            let ([x, y], [other_x, other_y]) = (places[i], places[j]);
            [other_x - x, other_y - y]
        };
        // Roots and quotients of all pairs stand together: processors take several at a time.
        // First the squares of distances, then what masses are multiplied by.
        let mut pulls = [S::constant(0.0); STARS * (STARS - 1) / 2];
        for i in 0..STARS {
            for j in 0..i {
                let [dx, dy] = between(i, j);
                pulls[pair(i, j)] = dx * dx + dy * dy;
            }
        }
        for pull in &mut pulls {
            *pull = (*pull * pull.sqrt()).recip();
        }
        let mut forces = [[S::constant(0.0); 2]; STARS];
        for i in 0..STARS {
            for j in 0..i {
                let pull = pulls[pair(i, j)] * (mass_of(i) * mass_of(j));
                for (axis, along) in between(i, j).into_iter().enumerate() {
                    forces[i][axis] += along * pull;
                    forces[j][axis] -= along * pull;
                }
            }
        }
        *force_x = std::array::from_fn(|star| forces[star][0]);
        *force_y = std::array::from_fn(|star| forces[star][1]);
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic: f64 =
            at.v.iter()
                .enumerate()
                .map(|(i, v)| 0.5 * mass_of(i % STARS) * v * v)
                .sum();
        let distance =
            |i: usize, j: usize| f64::hypot(at.q[i] - at.q[j], at.q[STARS + i] - at.q[STARS + j]);
        let pairs = (0..STARS).flat_map(|i| (0..i).map(move |j| (i, j)));
        Some(
            kinetic
                - pairs
                    .map(|(i, j)| mass_of(i) * mass_of(j) / distance(i, j))
                    .sum::<f64>(),
        )
    }

    fn output_names(&self) -> Vec<String> {
        names(&[
            "x1", "x2", "x3", "x4", "x5", "x6", "x7", "y1", "y2", "y3", "y4", "y5", "y6", "y7",
            "d_x1", "d_x2", "d_x3", "d_x4", "d_x5", "d_x6", "d_x7", "d_y1", "d_y2", "d_y3", "d_y4",
            "d_y5", "d_y6", "d_y7",
        ])
    }
}

fn formulation() -> Formulation {
    let masses = (0..STARS).map(|star| [Cell::from(star + 1), mass_of(star).into()]);
    Formulation::new([
        "Stars at (x_i, y_i), i = 1 to 7; no units. Sums over j other than i, r_ij^2 = (x_i - x_j)^2 + (y_i - y_j)^2:",
        "x_i'' = sum of m_j (x_j - x_i) / r_ij^3",
        "y_i'' = sum of m_j (y_j - y_i) / r_ij^3",
    ])
    .with_table("masses", ["star", "m_i (1)"], masses)
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &PLEIADES,
        source: Some(SOURCE),
        t_end: 3.0,
        default_step: 1e-4,
        main_output: "x1",
        order_study_end: Some(1.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1",
    };
    let names = (1..=STARS).map(|star| format!("star {star}"));
    let mut drawing = Drawing::plane(names, |state, poses| {
        for (star, pose) in poses.iter_mut().enumerate() {
            *pose = Pose::plane([state.q[star], state.q[STARS + star]], 0.0);
        }
    });
    for star in 0..STARS {
        drawing = drawing.disc(Some(star), [0.0, 0.0], 0.1 * mass_of(star).cbrt());
    }
    Ok(statement.model(Pleiades)?.with_drawing(drawing))
}
