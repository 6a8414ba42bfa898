//! Andrews' mechanism in 21 Cartesian coordinates with ten revolutes, as Haug, Negrut and Iancu 1997 formulate it.

use super::formulation;
use super::geometry::{
    A, B, C, D, DA, E, EA, FA, RA, RR, SA, SB, SC, SD, SS, TA, TB, U, UA, UB, ZF, ZT,
};
use super::{ANGLES, INITIAL_ANGLES, PARAMETERS, Properties, STIFF_PARAMETERS, reference};
use crate::planar::{self, Joint};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::KktError;
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

pub(crate) const CARTESIAN_STIFF: ProblemEntry = ProblemEntry {
    name: "andrews-cartesian-stiff",
    title: "stiff Andrews' squeezer, 21 Cartesian coordinates with ten revolutes",
    description: "The mechanism of `andrews-cartesian` with a spring of 30000 N/m and a damper of 100000 N s/m beside it: the \
                  crank creeps by 0.35 rad in 0.035 s, and disturbances of its speed decay with up to 1e5/s.",
    source: "Haug, Negrut and Iancu, Mech. Struct. Mach. 25 (1997) 311, sec. 4.3, doi:10.1080/08905459708905292",
    parameters: STIFF_PARAMETERS,
    build,
};

/// The ten revolutes, from the ground along the loops; each is two rows, first point minus second.
pub(super) const JOINTS: [Joint; 10] = [
    Joint::revolute((Some(0), [-RA, 0.0]), (None, [0.0, 0.0])),
    Joint::revolute((Some(1), [DA, 0.0]), (Some(0), [RR - RA, 0.0])),
    Joint::revolute((Some(2), [-SB, SA]), (None, B)),
    Joint::revolute((Some(4), [-TA, -TB]), (None, A)),
    Joint::revolute((Some(3), [0.0, E - EA]), (Some(4), [ZT - TA, -TB])),
    Joint::revolute((Some(6), [UB, UA]), (None, A)),
    Joint::revolute((Some(5), [FA - ZF, 0.0]), (Some(6), [UB, UA - U])),
    Joint::revolute((Some(1), [DA - D, 0.0]), (Some(2), [-SB, SA - SS])),
    Joint::revolute((Some(1), [DA - D, 0.0]), (Some(3), [0.0, -EA])),
    Joint::revolute((Some(1), [DA - D, 0.0]), (Some(5), [FA, 0.0])),
];

/// The spring's end on body 3 relative to the centre of mass.
pub(super) const SPRING_END: [f64; 2] = [SD - SB, SA - SC];

const BODIES: usize = 7;

/// Andrews' squeezing mechanism in centre-of-mass coordinates x, y and orientations phi of its seven bodies.
#[derive(Clone, Debug)]
pub struct CartesianAndrews {
    properties: Properties,
    layout: Layout,
}

impl CartesianAndrews {
    /// Prepares the mechanism's sparsity.
    pub fn new(properties: Properties) -> Result<Self, KktError> {
        let body_3 = (6..9).flat_map(|row| (6..9).map(move |column| (row, column)));
        let layout = planar::layout(BODIES, &JOINTS, body_3)?;
        Ok(Self { properties, layout })
    }

    /// Masses and moments of inertia by body.
    fn bodies(&self) -> [(f64, f64); BODIES] {
        std::array::from_fn(|body| (self.properties.mass[body], self.properties.inertia[body]))
    }

    /// The spring's vector from C, and the rate of that.
    fn spring<S: Scalar>(at: &Point<S>) -> ([S; 2], [S; 2], [S; 2]) {
        let arm = planar::arm(at.q, 2, SPRING_END);
        let end = [at.q[6] + arm[0] - C[0], at.q[7] + arm[1] - C[1]];
        (end, planar::velocity(at.v, 2, arm), arm)
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
        for joint in &JOINTS[..7] {
            joint.place(&mut q);
        }
        State {
            q,
            ..self.layout.state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        planar::mass_matrix(&self.bodies(), mass);
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
        planar::constraint(&JOINTS, at.q, g);
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        planar::jacobian(&JOINTS, at.q, jacobian);
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        planar::bias(&JOINTS, at.q, at.v, bias);
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
            stiffness,
            free_length,
            moment,
            ..
        } = &self.properties;
        let kinetic = planar::twice_kinetic_energy(&self.bodies(), at.v);
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
                problem: parameters.problem(),
                reason: error.to_string(),
            }
        })?;
    let formulation = formulation::cartesian(&model, &model.properties);
    let names = ["1", "2", "3", "4", "5", "6", "7"];
    let drawing = planar::drawing(&names, &JOINTS, &[(2, SPRING_END)])
        .spring((None, C), (Some(2), SPRING_END));
    Ok(Problem {
        formulation: Some(formulation),
        name: parameters.problem(),
        t_end: reference
            .as_ref()
            .map_or(0.03, |reference| reference.range().1),
        system: Box::new(Automatic::new(model)),
        default_step: 1e-5,
        reference,
        main_output: "beta".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
