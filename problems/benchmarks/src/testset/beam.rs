//! An elastic beam, inextensible, clamped at one end and loaded at the other.

use super::published::{SOURCE, Statement};
use crate::{Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, ModelEvents, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};
use std::f64::consts::PI;

pub(crate) const BEAM: ProblemEntry = ProblemEntry {
    name: "beam",
    title: "elastic beam of 40 segments, clamped and inextensible, loaded at its free end until t = pi",
    description: "The angles of the segments, 40 second-order equations without constraints whose frequencies reach \
                  6400 rad/s; their right-hand side solves a tridiagonal system. The load 1.5 sin(t)^2 in the direction \
                  (-1, 1) ends at t = pi.",
    source: "Test Set for IVP Solvers, `beam`; Hairer and Wanner, Solving Ordinary Differential Equations II, IV.1",
    parameters: &[],
    build,
};

const SEGMENTS: usize = 40;
const LAST: usize = SEGMENTS - 1;

/// The angles theta1 to theta40, from the clamped end.
struct Beam;

impl Model for Beam {
    fn layout(&self) -> Layout {
        Layout {
            mass: Pattern::diagonal(SEGMENTS),
            ..Layout::dense(Manifold::euclidean(SEGMENTS))
        }
    }

    fn initial_state(&self) -> State {
        self.layout().state()
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..SEGMENTS {
            mass[(i, i)] = S::constant(1.0);
        }
    }

    /// theta'' = C v + D w, C w = D v + theta'^2 with the bending and load moments v; C holds cosines, D sines of the
    /// differences of neighbouring angles.
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let zero = S::constant(0.0);
        let square = (SEGMENTS * SEGMENTS) as f64;
        let load = if at.t.value() > PI {
            zero
        } else {
            let sine = at.t.sin();
            sine * sine * 1.5
        };
        let theta = at.q;
        let (mut sine, mut cosine, mut v) = ([zero; SEGMENTS], [zero; SEGMENTS], [zero; SEGMENTS]);
        for i in 0..SEGMENTS {
            if i > 0 {
                (sine[i], cosine[i]) = (theta[i] - theta[i - 1]).sin_cos();
            }
            // The clamped end mirrors the first segment, the free one repeats the last.
            let before = if i > 0 { theta[i - 1] } else { -theta[0] };
            let after = if i < LAST { theta[i + 1] } else { theta[LAST] };
            let (s, c) = theta[i].sin_cos();
            v[i] = (before - theta[i] * 2.0 + after) * (square * square) + load * (c + s) * square;
        }
        let coupled = |w: &[S; SEGMENTS], i: usize| {
            let before = if i > 0 { sine[i] * w[i - 1] } else { zero };
            let after = if i < LAST {
                sine[i + 1] * w[i + 1]
            } else {
                zero
            };
            after - before
        };
        let diagonal = |i: usize| match i {
            0 => 1.0,
            LAST => 3.0,
            _ => 2.0,
        };
        let mut w = [zero; SEGMENTS];
        for (i, w) in w.iter_mut().enumerate() {
            *w = coupled(&v, i) + at.v[i] * at.v[i];
        }
        // Tridiagonal elimination from the free end; the entry between i - 1 and i is -cosine[i].
        let mut pivot = [zero; SEGMENTS];
        pivot[LAST] = S::constant(diagonal(LAST));
        for i in (0..LAST).rev() {
            let factor = -cosine[i + 1] / pivot[i + 1];
            w[i] -= w[i + 1] * factor;
            pivot[i] = S::constant(diagonal(i)) + cosine[i + 1] * factor;
        }
        w[0] /= pivot[0];
        for i in 1..SEGMENTS {
            w[i] = (w[i] + cosine[i] * w[i - 1]) / pivot[i];
        }
        for i in 0..SEGMENTS {
            let before = if i > 0 { cosine[i] * v[i - 1] } else { zero };
            let after = if i < LAST {
                cosine[i + 1] * v[i + 1]
            } else {
                zero
            };
            force[i] = v[i] * diagonal(i) - before - after + coupled(&w, i);
        }
    }

    fn output_names(&self) -> Vec<String> {
        let numbered =
            |prefix: &'static str| (1..=SEGMENTS).map(move |i| format!("{prefix}theta{i}"));
        numbered("").chain(numbered("d_")).collect()
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Beam {
    fn time_events(&self) -> Vec<f64> {
        vec![PI]
    }
}

fn formulation() -> Formulation {
    Formulation::new([
        "Angles theta_i of the segments, i = 1 to n, and their rates d_theta_i; no units. theta_0 = -theta_1, theta_(n+1) = theta_n.",
        "theta'' = C v + D w, where w solves C w = D v + (theta_i'^2)",
        "v_i = n^4 (theta_(i-1) - 2 theta_i + theta_(i+1)) + n^2 F (cos(theta_i) + sin(theta_i))",
        "F = 1.5 sin(t)^2 for t <= pi, 0 for t > pi; t = pi is an event",
        "C is tridiagonal: C_11 = 1, C_ii = 2 for 1 < i < n, C_nn = 3, C_(i,i-1) = C_(i-1,i) = -cos(theta_i - theta_(i-1))",
        "D has D_(i-1,i) = sin(theta_i - theta_(i-1)), D_(i,i-1) = -sin(theta_i - theta_(i-1)) and no other entries",
    ])
    .with_constants([("n", SEGMENTS as f64, "1")])
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &BEAM,
        source: Some(SOURCE),
        t_end: 5.0,
        default_step: 1e-4,
        main_output: "theta40",
        order_study_end: Some(0.5),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "1",
    };
    /// Length of a segment; the beam has the length 1.
    const SEGMENT: f64 = 1.0 / SEGMENTS as f64;
    let names = (1..=SEGMENTS).map(|segment| format!("end of segment {segment}"));
    let mut drawing = Drawing::plane(names, |state, poses| {
        let mut end = [0.0; 2];
        for (pose, angle) in poses.iter_mut().zip(&state.q) {
            end = [
                end[0] + SEGMENT * angle.cos(),
                end[1] + SEGMENT * angle.sin(),
            ];
            *pose = Pose::plane(end, *angle);
        }
    });
    for segment in 0..SEGMENTS {
        let before = segment.checked_sub(1);
        drawing = drawing.rod((before, [0.0, 0.0]), (Some(segment), [0.0, 0.0]));
    }
    // The clamp.
    let drawing = drawing.bar(None, [0.0, -0.1], [0.0, 0.1]);
    Ok(statement.model(Beam)?.with_drawing(drawing))
}
