//! Andrews' mechanism in 21 Cartesian coordinates with ten revolutes, as Haug, Negrut and Iancu 1997 formulate it.

use super::geometry::{
    A, B, C, D, DA, E, EA, FA, RA, RR, SA, SB, SC, SD, SS, TA, TB, U, UA, UB, ZF, ZT,
};
use super::{ANGLES, INITIAL_ANGLES, PARAMETERS, Properties, reference};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::{Blocks, KktError, Pattern};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Derivative, Layout, MatrixMut, Model, Point, State};

pub(crate) const CARTESIAN: ProblemEntry = ProblemEntry {
    name: "andrews-cartesian",
    title: "Andrews' squeezer, seven bodies in 21 Cartesian coordinates with ten revolutes",
    description: "The mechanism of `andrews` with centre of mass x, y and orientation phi of each body and two rows per \
                  revolute, three of them at the common point; sparse. The angles of `andrews` are outputs too.",
    source: "Haug, Negrut and Iancu, Mech. Struct. Mach. 25 (1997) 311, doi:10.1080/08905459708905292; \
             data of Hairer and Wanner II, sec. VII.7",
    parameters: PARAMETERS,
    build,
};

/// A point fixed to a body, or to the ground where there is no body; relative to the body's centre of mass, in m.
type Anchor = (Option<usize>, [f64; 2]);

/// The ten revolutes, from the ground along the loops; each is two rows, first point minus second.
const JOINTS: [(Anchor, Anchor); 10] = [
    ((Some(0), [-RA, 0.0]), (None, [0.0, 0.0])),
    ((Some(1), [DA, 0.0]), (Some(0), [RR - RA, 0.0])),
    ((Some(2), [-SB, SA]), (None, B)),
    ((Some(4), [-TA, -TB]), (None, A)),
    ((Some(3), [0.0, E - EA]), (Some(4), [ZT - TA, -TB])),
    ((Some(6), [UB, UA]), (None, A)),
    ((Some(5), [FA - ZF, 0.0]), (Some(6), [UB, UA - U])),
    ((Some(1), [DA - D, 0.0]), (Some(2), [-SB, SA - SS])),
    ((Some(1), [DA - D, 0.0]), (Some(3), [0.0, -EA])),
    ((Some(1), [DA - D, 0.0]), (Some(5), [FA, 0.0])),
];

/// The spring's end on body 3 relative to the centre of mass.
const SPRING_END: [f64; 2] = [SD - SB, SA - SC];

const BODIES: usize = 7;

/// Andrews' squeezing mechanism in centre-of-mass coordinates x, y and orientations phi of its seven bodies.
#[derive(Clone, Debug)]
pub struct CartesianAndrews {
    properties: Properties,
    layout: Layout,
}

/// A body-fixed vector in the fixed frame.
fn turn<S: Scalar>(sine: S, cosine: S, point: [f64; 2]) -> [S; 2] {
    [
        cosine * point[0] - sine * point[1],
        sine * point[0] + cosine * point[1],
    ]
}

/// Position of an anchor.
fn position<S: Scalar>(q: &[S], (body, point): Anchor) -> [S; 2] {
    match body {
        None => point.map(S::constant),
        Some(body) => {
            let (sine, cosine) = q[3 * body + 2].sin_cos();
            let arm = turn(sine, cosine, point);
            [q[3 * body] + arm[0], q[3 * body + 1] + arm[1]]
        }
    }
}

impl CartesianAndrews {
    /// Prepares the mechanism's sparsity.
    pub fn new(properties: Properties) -> Result<Self, KktError> {
        let size = 3 * BODIES;
        let mut entries = Vec::new();
        for (joint, anchors) in JOINTS.iter().enumerate() {
            for body in [anchors.0.0, anchors.1.0].into_iter().flatten() {
                for (row, column) in [(0, 0), (0, 2), (1, 1), (1, 2)] {
                    entries.push((2 * joint + row, 3 * body + column));
                }
            }
        }
        let body_3 = (6..9).flat_map(|row| (6..9).map(move |column| (row, column)));
        let layout = Layout {
            mass: Pattern::diagonal(size),
            jacobian: Pattern::from_entries(2 * JOINTS.len(), size, entries)?,
            rates: Pattern::from_entries(size, size, body_3)?,
            blocks: Blocks {
                variables: vec![3; BODIES],
                rows: vec![2; JOINTS.len()],
            },
            ..Layout::dense(Manifold::euclidean(size), 2 * JOINTS.len(), 0, 0, 0)
        };
        Ok(Self { properties, layout })
    }

    /// The spring's vector from C, and the rate of that.
    fn spring<S: Scalar>(at: &Point<S>) -> ([S; 2], [S; 2], [S; 2]) {
        let (sine, cosine) = at.q[8].sin_cos();
        let arm = turn(sine, cosine, SPRING_END);
        let end = [at.q[6] + arm[0] - C[0], at.q[7] + arm[1] - C[1]];
        let rate = [at.v[6] - arm[1] * at.v[8], at.v[7] + arm[0] * at.v[8]];
        (end, rate, arm)
    }
}

impl Model for CartesianAndrews {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        let [beta, theta, gamma, phi, delta, omega, epsilon] = INITIAL_ANGLES;
        let angles = [
            beta,
            beta + theta,
            gamma,
            phi + delta,
            delta,
            omega + epsilon,
            epsilon,
        ];
        let mut q = vec![0.0; 3 * BODIES];
        for (body, angle) in angles.into_iter().enumerate() {
            q[3 * body + 2] = angle;
        }
        // The first seven joints form a tree: each places its first body from what is placed already.
        let tree = [0, 1, 2, 3, 4, 5, 6].map(|joint| JOINTS[joint]);
        for ((body, point), other) in tree {
            if let Some(body) = body {
                let target = position(&q, other);
                let (sine, cosine) = q[3 * body + 2].sin_cos();
                let arm = turn(sine, cosine, point);
                q[3 * body] = target[0] - arm[0];
                q[3 * body + 1] = target[1] - arm[1];
            }
        }
        State {
            q,
            ..self.layout.state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for body in 0..BODIES {
            let index = 3 * body;
            mass[(index, index)] = S::constant(self.properties.mass[body]);
            mass[(index + 1, index + 1)] = S::constant(self.properties.mass[body]);
            mass[(index + 2, index + 2)] = S::constant(self.properties.inertia[body]);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let (end, rate, arm) = Self::spring(at);
        let length = (end[0] * end[0] + end[1] * end[1]).sqrt();
        let pull = self
            .properties
            .pull(length, (end[0] * rate[0] + end[1] * rate[1]) / length)
            / length;
        force[2] = S::constant(self.properties.moment);
        force[6] = -pull * end[0];
        force[7] = -pull * end[1];
        force[8] = arm[0] * force[7] - arm[1] * force[6];
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        for (rows, &(first, second)) in g.chunks_exact_mut(2).zip(&JOINTS) {
            let (first, second) = (position(at.q, first), position(at.q, second));
            rows[0] = first[0] - second[0];
            rows[1] = first[1] - second[1];
        }
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        for (joint, &(first, second)) in JOINTS.iter().enumerate() {
            for ((body, point), sign) in [(first, 1.0), (second, -1.0)] {
                if let Some(body) = body {
                    let (sine, cosine) = at.q[3 * body + 2].sin_cos();
                    let arm = turn(sine, cosine, point);
                    jacobian[(2 * joint, 3 * body)] = sign;
                    jacobian[(2 * joint + 1, 3 * body + 1)] = sign;
                    jacobian[(2 * joint, 3 * body + 2)] = -sign * arm[1];
                    jacobian[(2 * joint + 1, 3 * body + 2)] = sign * arm[0];
                }
            }
        }
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        for (rows, &(first, second)) in bias.chunks_exact_mut(2).zip(&JOINTS) {
            rows.fill(0.0);
            for ((body, point), sign) in [(first, 1.0), (second, -1.0)] {
                if let Some(body) = body {
                    let (sine, cosine) = at.q[3 * body + 2].sin_cos();
                    let arm = turn(sine, cosine, point);
                    let factor = -sign * at.v[3 * body + 2] * at.v[3 * body + 2];
                    rows[0] += factor * arm[0];
                    rows[1] += factor * arm[1];
                }
            }
        }
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        let bodies = |names: [&'static str; 3]| {
            (1..=BODIES).flat_map(move |body| names.map(|name| format!("{name}{body}")))
        };
        let prefixed =
            |prefix: &'static str| ANGLES.iter().map(move |angle| format!("{prefix}{angle}"));
        let mut names: Vec<_> = bodies(["x", "y", "phi"])
            .chain(bodies(["vx", "vy", "w"]))
            .collect();
        names.extend(prefixed("").chain(prefixed("d_")).chain(prefixed("dd_")));
        names
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let angles = |values: &[f64]| {
            let phi = |body: usize| values[3 * body - 1];
            [
                phi(1),
                phi(2) - phi(1),
                phi(3),
                phi(4) - phi(5),
                phi(5),
                phi(6) - phi(7),
                phi(7),
            ]
        };
        let parts = [
            angles(&state.q),
            angles(&state.v),
            angles(&state.acceleration),
        ];
        let own = state.q.iter().chain(&state.v).chain(parts.iter().flatten());
        for (slot, value) in out.iter_mut().zip(own) {
            *slot = *value;
        }
    }

    /// Kinetic energy plus that of the spring minus the work of the driving moment since the start; constant without
    /// the damper.
    fn energy(&self, at: &Point) -> Option<f64> {
        let Properties {
            mass,
            inertia,
            stiffness,
            free_length,
            moment,
            ..
        } = &self.properties;
        let kinetic: f64 = (0..BODIES)
            .map(|body| {
                let [vx, vy, rate] = [0, 1, 2].map(|index| at.v[3 * body + index]);
                mass[body] * (vx * vx + vy * vy) + inertia[body] * rate * rate
            })
            .sum();
        let (end, ..) = Self::spring(at);
        let stretch = end[0].hypot(end[1]) - free_length;
        let work = moment * (at.q[2] - INITIAL_ANGLES[0]);
        Some(0.5 * kinetic + 0.5 * stiffness * stretch * stretch - work)
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let reference = reference(parameters, true)?;
    let model =
        CartesianAndrews::new(Properties::from_parameters(parameters)?).map_err(|error| {
            ProblemError::Build {
                problem: CARTESIAN.name,
                reason: error.to_string(),
            }
        })?;
    Ok(Problem {
        name: CARTESIAN.name,
        t_end: reference
            .as_ref()
            .map_or(0.03, |reference| reference.range().1),
        system: Box::new(Automatic::new(model)),
        default_step: 1e-5,
        reference,
        main_output: "beta".to_owned(),
        order_study_end: None,
    })
}
