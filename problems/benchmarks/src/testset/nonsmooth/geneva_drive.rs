//! A Geneva drive.

use super::statement::{CONTACT_LAW, Statement, contact, with_turning_bodies};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::{Built, GRAVITY};
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::Vector2;
use liedae_multibody::plane::geometry::{DiscOnWedges, PlaneBody, PlaneContact, Wedges};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePair};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, SQRT_2};

pub(crate) const GENEVA_DRIVE: ProblemEntry = ProblemEntry {
    name: "geneva-drive",
    title: "Geneva drive with 4 slots: the pin turns the wheel by quarters, the locking disc holds it between",
    description: "A flywheel carries the pin at 50 mm; it enters a slot of the wheel tangentially, pushes one wall, then, \
                  while the wheel slows down, the other one, and leaves it after a quarter turn. With the driver's angle \
                  alpha the wheel has then turned by atan2(sin alpha, sqrt 2 - cos alpha), but for the clearance. \
                  Otherwise the locking disc, stated as a stop of the wheel's angle, leaves it a small play. Gravity does no \
                  work. Between contacts nothing accelerates, so steps are \
                  bounded (0.12 rad of the driver's first rate) to see the pin pass. All dimensions are this project's choice.",
    source: "this project; kinematics of a Geneva drive with four slots are closed-form",
    parameters: &[
        ParameterInfo::new(
            "omega",
            6.0,
            "rad/s",
            Range::NonNegative,
            "initial rate of the driver",
        ),
        ParameterInfo::new(
            "clearance",
            2e-4,
            "m",
            Range::Positive,
            "width of a slot less the pin's diameter",
        ),
        ParameterInfo::new(
            "e",
            0.3,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
    ],
    build,
};

/// Distance of the pin from the driver's axis, and of the slots' mouths from that of the wheel.
const CRANK: f64 = 0.05;
const PIN: f64 = 0.004;
const SLOTS: usize = 4;
/// The angle in rad of the driver within which the pin cannot enter a slot and leave it again.
const PASSAGE: f64 = 0.12;
/// How fast the locking disc sets the wheel free, in rad.
const RELIEF: f64 = 12.0;

/// What touches in a Geneva drive; body A is the wheel, body B the driver.
#[derive(Clone, Copy, Debug)]
enum GenevaPair {
    /// The pin and one side of all slots.
    Wall(DiscOnWedges),
    /// The locking disc with this play in rad to either side: gap in rad.
    Lock(f64),
}

/// The angle that the locking disc leaves the wheel: the play while the pin is outside, more from the pin's entry at 45° on.
fn lock<S: Scalar>(play: f64, driver: S, wheel: S) -> S {
    let inside = driver.cos() - FRAC_1_SQRT_2;
    let free = if inside.value() > 0.0 {
        inside * inside * RELIEF
    } else {
        S::constant(0.0)
    };
    let quarters = ((wheel.value() - FRAC_PI_4) / FRAC_PI_2).round();
    let off = wheel - (FRAC_PI_4 + FRAC_PI_2 * quarters);
    free + play - if off.value() < 0.0 { -off } else { off }
}

impl PlanePair for GenevaPair {
    fn gap<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        match self {
            Self::Wall(pin) => PlaneContact::gap(pin, bodies),
            Self::Lock(play) => lock(*play, bodies[1].angle, bodies[0].angle),
        }
    }

    fn sliding_velocity<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        match self {
            Self::Wall(pin) => PlaneContact::sliding_velocity(pin, bodies),
            Self::Lock(_) => S::constant(0.0),
        }
    }

    fn is_angular(&self) -> bool {
        matches!(self, Self::Lock(_))
    }

    fn contact_point(&self, bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        match self {
            Self::Wall(pin) => PlanePair::contact_point(pin, bodies),
            Self::Lock(_) => None,
        }
    }
}

/// Four slots, and between them arcs around the driver's axis, in which its locking disc turns.
fn wheel_outline() -> Vec<[f64; 2]> {
    /// Points of an arc.
    const PARTS: u8 = 8;
    // The pin's deepest place in a slot.
    let bottom = (SQRT_2 - 1.0) * CRANK - PIN;
    let quarter = |slot: usize| {
        let (sine, cosine) = (FRAC_PI_2 * slot as f64).sin_cos();
        let arc = (0..=PARTS).map(|part| {
            let (s, c) = (FRAC_PI_2 * f64::from(part) / f64::from(PARTS)).sin_cos();
            let radius = CRANK - PIN;
            [CRANK - radius * s, CRANK - radius * c]
        });
        let points = [[bottom, -PIN], [bottom, PIN]].into_iter().chain(arc);
        points.map(move |[x, y]| [cosine * x - sine * y, sine * x + cosine * y])
    };
    (0..SLOTS).flat_map(quarter).collect()
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [omega, clearance, e] = ["omega", "clearance", "e"].map(|name| parameters.get(name));
    let statement = Statement::new(GENEVA_DRIVE.name, 3.0, "wheel.theta")
        .with_step(1e-4)
        .of_size(0.1, 1.0)
        .drawn(|drawing| {
            drawing
                .without_body(1)
                .polygon(Some(1), wheel_outline())
                .disc(Some(0), [0.0, 0.0], 0.3 * CRANK)
                .bar(Some(0), [0.0, 0.0], [CRANK, 0.0])
                .disc(Some(0), [CRANK, 0.0], PIN)
        });
    let (omega, clearance) = (omega?, clearance?);
    let problem = statement.problem(mechanism(omega, clearance, e?))?;
    Ok(problem.with_formulation(formulation(omega, clearance)))
}

fn formulation(omega: f64, clearance: f64) -> Formulation {
    let formulation = Formulation::new([
        "Driver and wheel turn about fixed centres of mass: the unknowns are their angles theta, a of the driver and b of the wheel. omega, clearance and e are parameters.",
        "J theta'' = moments of the contacts, which are without friction; e is the same for all",
        CONTACT_LAW,
        "Walls: w = (X, Y) is the centre of the pin, which is at (crank, 0) in the frame of the driver, seen in the frame of the wheel and turned by -k 2 pi / slots, \
         k = its polar angle / (2 pi / slots), rounded.",
        "left wall: h1 = h - Y, h2 = X - crank, corner (crank, h), past it where X >= crank and Y <= h",
        "right wall: h1 = Y + h, h2 = X - crank, corner (crank, -h), past it where X >= crank and Y >= -h",
        "gap = |w - corner| - pin past the corner, else max(h1, h2) - pin",
        "lock: gap = play + free - |b - pi/4 - (pi/2) k|, k = (b - pi/4) / (pi/2), rounded; free = relief (cos(a) - sqrt(1/2))^2 if cos(a) > sqrt(1/2), else 0; \
         its force is a moment on the angles a and b by the gradient of the gap.",
    ])
    .with_constants([
        ("crank", CRANK, "m"),
        ("pin", PIN, "m"),
        ("slots", SLOTS as f64, "1"),
        ("h", half_slot(clearance), "m"),
        ("play", play(clearance), "rad"),
        ("relief", RELIEF, "rad"),
    ]);
    with_turning_bodies(formulation, &bodies(omega))
}

/// Driver and wheel at the start.
fn bodies(omega: f64) -> Vec<PlaneBodyData> {
    // The pin is opposite of the wheel at first.
    let mut driver = body("driver", 1.0, 5e-3, [0.0, 0.0, std::f64::consts::PI]);
    driver.velocity[2] = omega;
    vec![
        driver,
        body("wheel", 0.5, 2e-4, [SQRT_2 * CRANK, 0.0, FRAC_PI_4]),
    ]
}

/// Half the width of a slot.
fn half_slot(clearance: f64) -> f64 {
    PIN + 0.5 * clearance
}

/// Less play than the clearance has, so that the pin finds the slot.
fn play(clearance: f64) -> f64 {
    0.375 * clearance / CRANK
}

fn mechanism(omega: f64, clearance: f64, e: f64) -> Built<PlaneMechanism<GenevaPair>> {
    let bodies = bodies(omega);
    let axis = [SQRT_2 * CRANK, 0.0];
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), [0.0, 0.0]), (None, axis)),
    ];
    let (half, play) = (half_slot(clearance), play(clearance));
    let mut mechanism = PlaneMechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_largest_step(PASSAGE / omega.max(1.0));
    let touching = [Some(1), Some(0)];
    for (label, side) in [("left wall", 1.0), ("right wall", -1.0)] {
        let mouth = Wedges::new([CRANK, side * half], [[0.0, -side], [1.0, 0.0]], SLOTS, 0.0)?;
        let pin = DiscOnWedges::new(mouth, [CRANK, 0.0], PIN)?;
        mechanism =
            mechanism.with_contact(contact(label, e, 0.0), touching, GenevaPair::Wall(pin))?;
    }
    Ok(mechanism.with_contact(contact("lock", e, 0.0), touching, GenevaPair::Lock(play))?)
}
