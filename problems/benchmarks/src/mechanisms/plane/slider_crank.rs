//! Slider-cranks in the plane.

use super::bodies::body;
use super::energy_integral::coordinate;
use super::motion::{Moving, fixed, reference, set_moving, uniform};
use super::{Built, Mechanism};
use crate::mechanisms::Smooth;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::plane::{Motion, PlaneBodyData, PlaneForce, PlaneJoint, PlanePoint};
use std::f64::consts::PI;

pub(crate) const PLANE_SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "plane-slider-crank",
    title: "slider-crank in the plane: a torque that stops, a floating frame, 3000 rpm, equal bars",
    description: "A crank of 0.1 m (0.2 kg), a rod of 0.3 m (0.2 kg), both slender, and a slider of 0.4 kg start at the outer \
                  dead centre; no gravity. variant=0: from rest, a torque of 0.1 N m on the crank, switched off after 2 s, a \
                  time event. variant=1: the same on a frame of 2 kg and 1 kg m^2, whose springs (5000 N/m, 50 N s/m along x, \
                  y and about z) shake. variant=2: the crank is driven at 3000 revolutions per minute, a closed form. \
                  variant=3: crank and rod are both of 0.3 m and start with 20 rad/s: when the crank stands upright the rod \
                  lies on it, one row depends on the others for this moment, and the slider has to pass the pivot instead of \
                  staying there. Energy and quadrature give the motion. Numbers of variants 2 and 3 are this project's own.",
    source: "J. Gerstmayr, EXUDYN, test model sliderCrankFloatingTest, https://github.com/jgerstmayr/EXUDYN (variants 0 and 1)",
    parameters: &[
        ParameterInfo::new(
            "variant",
            0.0,
            "1",
            Range::Choice(&[
                "torque",
                "torque, floating frame",
                "driven at 3000 rpm",
                "equal bars",
            ]),
            "which of the slider-cranks",
        ),
        ParameterInfo::new(
            "until",
            2.0,
            "s",
            Range::NonNegative,
            "when the torque ends, for variants 0 and 1",
        ),
    ],
    build,
};

const TORQUE: f64 = 0.1;
/// 3000 revolutions per minute in rad/s.
const SPEED: f64 = 100.0 * PI;
/// Initial angular velocity of the equal bars in rad/s.
const EQUAL_SPEED: f64 = 20.0;
const EQUAL_LENGTH: f64 = 0.3;
/// Masses of crank, rod and slider in kg; the slider's inertia in kg m².
const CRANK: f64 = 0.2;
const ROD: f64 = 0.2;
const SLIDER: f64 = 0.4;
const SLIDER_INERTIA: f64 = 0.001 * SLIDER;
/// The floating frame behind the others.
const FRAME: usize = 3;
const FRAME_STIFFNESS: f64 = 5000.0;
const FRAME_DAMPING: f64 = 50.0;

/// Lengths of crank and rod in m.
#[derive(Clone, Copy)]
struct Bars {
    crank: f64,
    rod: f64,
}

const UNEQUAL: Bars = Bars {
    crank: 0.1,
    rod: 0.3,
};
const EQUAL: Bars = Bars {
    crank: EQUAL_LENGTH,
    rod: EQUAL_LENGTH,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let until = parameters.get("until")?;
    // Its bars are a tenth of a metre long.
    let statement = |t_end: f64| {
        Smooth::new(PLANE_SLIDER_CRANK.name, t_end, "slider.x").with_absolute_scale(0.1)
    };
    match parameters.get("variant")? {
        0.0 => statement(3.0)
            .with_order_study_end(1.0)
            .problem(pushed(until)),
        1.0 => statement(3.0)
            .with_order_study_end(1.0)
            .problem(floating(until))
            .map(|problem| problem.with_formulation(mount())),
        2.0 => {
            let positions = |t: f64| UNEQUAL.positions(uniform(0.0, SPEED, t));
            let mut bodies = UNEQUAL.bodies();
            set_moving(&mut bodies, &positions(0.0));
            let source = "closed form of the kinematics";
            statement(0.1)
                .with_step(1e-5)
                .with_reference(reference(source, &bodies, 0.1, positions))
                .problem(driven(bodies))
        }
        _ => {
            let positions = |t: f64| equal_positions(coordinate(0.0, t, slowness));
            let mut bodies = EQUAL.bodies();
            set_moving(&mut bodies, &positions(0.0));
            let source = "closed form: quadrature of the energy integral";
            statement(1.0)
                .with_reference(reference(source, &bodies, 1.0, positions))
                .problem(EQUAL.mechanism(bodies, None))
        }
    }
}

impl Bars {
    /// Crank, rod and slider in one line, at rest.
    fn bodies(self) -> Vec<PlaneBodyData> {
        let Self { crank, rod } = self;
        let slender = |name, mass, length: f64, x| {
            body(name, mass, mass * length * length / 12.0, [x, 0.0, 0.0])
        };
        vec![
            slender("crank", CRANK, crank, 0.5 * crank),
            slender("rod", ROD, rod, crank + 0.5 * rod),
            body("slider", SLIDER, SLIDER_INERTIA, [crank + rod, 0.0, 0.0]),
        ]
    }

    /// On the ground or on another body, whose origin is at the pivot.
    fn mechanism(self, bodies: Vec<PlaneBodyData>, frame: Option<usize>) -> Built {
        let Self { crank, rod } = self;
        let end = |body: usize, x: f64| -> PlanePoint { (Some(body), [x, 0.0]) };
        let guide = (frame, [crank + rod, 0.0]);
        let joints = [
            PlaneJoint::Revolute(end(0, -0.5 * crank), (frame, [0.0, 0.0])),
            PlaneJoint::Revolute(end(1, -0.5 * rod), end(0, 0.5 * crank)),
            PlaneJoint::Revolute(end(1, 0.5 * rod), end(2, 0.0)),
            PlaneJoint::PointOnLine(end(2, 0.0), guide, [1.0, 0.0]),
            PlaneJoint::Angle(Some(2), frame, 0.0),
        ];
        Ok(Mechanism::new(bodies, [0.0, 0.0])?.with_joints(joints)?)
    }

    /// By the crank's angle, where the rod is longer than the crank.
    fn positions(self, angle: Moving) -> Vec<[Moving; 3]> {
        let (sine, cosine) = angle.sin_cos();
        let (x, y) = (cosine * self.crank, sine * self.crank);
        let along = (-y * y + self.rod * self.rod).sqrt();
        vec![
            [x * 0.5, y * 0.5, angle],
            [x + along * 0.5, y * 0.5, (-y).atan2(along)],
            [x + along, fixed(0.0), fixed(0.0)],
        ]
    }
}

/// On the crank, against the ground.
fn torque(until: f64) -> PlaneForce {
    PlaneForce::TorqueUntil([Some(0), None], TORQUE, until)
}

fn pushed(until: f64) -> Built {
    let bodies = UNEQUAL.bodies();
    Ok(UNEQUAL
        .mechanism(bodies, None)?
        .with_forces([torque(until)])?)
}

fn floating(until: f64) -> Built {
    let mut bodies = UNEQUAL.bodies();
    bodies.push(body("frame", 2.0, 1.0, [0.0; 3]));
    let twist = PlaneForce::Torsion {
        bodies: [Some(FRAME), None],
        stiffness: FRAME_STIFFNESS,
        damping: FRAME_DAMPING,
        free_angle: 0.0,
    };
    let mount = PlaneForce::Cartesian {
        points: [(None, [0.0; 2]), (Some(FRAME), [0.0; 2])],
        stiffness: FRAME_STIFFNESS,
        damping: FRAME_DAMPING,
    };
    let mechanism = UNEQUAL.mechanism(bodies, Some(FRAME))?;
    Ok(mechanism.with_forces([torque(until), twist, mount])?)
}

/// The springs of the frame.
fn mount() -> Formulation {
    Formulation::new([format!(
        "mount: F = -{FRAME_STIFFNESS} p - {FRAME_DAMPING} p' N on the centre of mass of the frame, p its position in the world"
    )])
}

fn driven(bodies: Vec<PlaneBodyData>) -> Built {
    let motion = Motion::Uniform {
        start: 0.0,
        rate: SPEED,
    };
    let drive = PlaneJoint::AngleDrive(Some(0), None, motion);
    Ok(UNEQUAL.mechanism(bodies, None)?.with_joints([drive])?)
}

/// By the angle of a crank as long as the rod, which always turns against it.
fn equal_positions(angle: Moving) -> Vec<[Moving; 3]> {
    let (sine, cosine) = angle.sin_cos();
    let (x, y) = (cosine * EQUAL_LENGTH, sine * EQUAL_LENGTH);
    vec![
        [x * 0.5, y * 0.5, angle],
        [x * 1.5, y * 0.5, -angle],
        [x * 2.0, fixed(0.0), fixed(0.0)],
    ]
}

/// dt/dφ of the equal bars: T = (A + B sin²φ) φ'²/2 is constant, A = (m₁ + m₂) L²/3 and B = (2 m₂ + 4 m₃) L².
fn slowness(angle: f64) -> f64 {
    let share = 3.0 * (2.0 * ROD + 4.0 * SLIDER) / (CRANK + ROD);
    let sine = angle.sin();
    (1.0 + share * sine * sine).sqrt() / EQUAL_SPEED
}
