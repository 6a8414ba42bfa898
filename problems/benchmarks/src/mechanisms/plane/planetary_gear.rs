//! A planetary gear: sun, three planets, carrier, and a ring that stands still.

use super::bodies::body;
use super::motion::{Moving, fixed, reference, set_moving};
use super::points::{pin, pivot};
use super::{Built, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::Drawing;
use liedae_multibody::drawing::{Figure, Kind};
use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneJoint};
use std::f64::consts::PI;

pub(crate) const PLANETARY_GEAR: ProblemEntry = ProblemEntry {
    name: "planetary-gear",
    title: "planetary gear with three planets, driven at its sun",
    description: "A sun of 40 mm radius, three planets of 30 mm and a carrier in a fixed ring of 100 mm; the sun starts with \
                  10 rad/s and is driven by 3 N m against a load of 6 N m at the carrier. One degree of freedom: one \
                  planet would do, so that two of the six meshes are redundant, and how planets share the load is not unique. The carrier turns \
                  with 1/3.5 of the sun's speed; a closed form. Numbers are this project's own.",
    source: "own mechanism; R. Willis, Principles of Mechanism, 1841, for the ratio",
    parameters: &[ParameterInfo::new(
        "torque",
        3.0,
        "N m",
        Range::Finite,
        "torque on the sun",
    )],
    build,
};

const T_END: f64 = 2.0;
const PLANETS: usize = 3;
const SUN_RADIUS: f64 = 0.04;
const PLANET_RADIUS: f64 = 0.03;
const ARM: f64 = SUN_RADIUS + PLANET_RADIUS;
const RING_RADIUS: f64 = SUN_RADIUS + 2.0 * PLANET_RADIUS;
/// Bodies: the sun, the planets, the carrier.
const SUN: usize = 0;
const CARRIER: usize = PLANETS + 1;
/// Initial angular velocity of the sun in rad/s.
const START: f64 = 10.0;
/// Torque against the carrier in N m.
const LOAD: f64 = 6.0;
/// Angular velocities of sun and planets, of the carrier's one.
const SUN_RATIO: f64 = 1.0 + RING_RADIUS / SUN_RADIUS;
const PLANET_RATIO: f64 = 1.0 - RING_RADIUS / PLANET_RADIUS;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let torque = parameters.get("torque")?;
    let mut wheels = wheels();
    let acceleration = (torque * SUN_RATIO - LOAD) / inertia(&wheels);
    let positions = move |t: f64| {
        let rate = START / SUN_RATIO;
        let angle = (rate + 0.5 * acceleration * t) * t;
        positions(Moving::new(angle, [rate + acceleration * t]))
    };
    set_moving(&mut wheels, &positions(0.0));
    Smooth::new(PLANETARY_GEAR.name, T_END, "carrier.theta")
        .with_reference(reference("closed form", &wheels, T_END, positions))
        .drawn(draw)
        .problem(mechanism(wheels, torque))
}

/// Where a planet's axis starts.
fn axis(planet: usize) -> f64 {
    2.0 * PI * planet as f64 / PLANETS as f64
}

fn wheels() -> Vec<PlaneBodyData> {
    let disc = |name: &str, mass: f64, radius: f64, position| {
        body(name, mass, 0.5 * mass * radius * radius, position)
    };
    let mut wheels = vec![disc("sun", 2.0, SUN_RADIUS, [0.0; 3])];
    wheels.extend((0..PLANETS).map(|planet| {
        let (sine, cosine) = axis(planet).sin_cos();
        let place = [ARM * cosine, ARM * sine, 0.0];
        disc(&format!("planet{}", planet + 1), 1.0, PLANET_RADIUS, place)
    }));
    wheels.push(disc("carrier", 3.0, ARM, [0.0; 3]));
    wheels
}

/// What turns with the carrier, in kg m².
fn inertia(wheels: &[PlaneBodyData]) -> f64 {
    let planet = &wheels[1];
    let planets = planet.inertia * PLANET_RATIO * PLANET_RATIO + planet.mass * ARM * ARM;
    wheels[SUN].inertia * SUN_RATIO * SUN_RATIO + wheels[CARRIER].inertia + PLANETS as f64 * planets
}

/// The wheels' places by the carrier's angle.
fn positions(angle: Moving) -> Vec<[Moving; 3]> {
    let centre = fixed(0.0);
    let mut all = vec![[centre, centre, angle * SUN_RATIO]];
    all.extend((0..PLANETS).map(|planet| {
        let (sine, cosine) = (angle + axis(planet)).sin_cos();
        [cosine * ARM, sine * ARM, angle * PLANET_RATIO]
    }));
    all.push([centre, centre, angle]);
    all
}

fn mechanism(wheels: Vec<PlaneBodyData>, torque: f64) -> Built {
    let mut joints = vec![
        pivot(&wheels, SUN, [0.0, 0.0]),
        pivot(&wheels, CARRIER, [0.0, 0.0]),
    ];
    for planet in 1..=PLANETS {
        let [x, y, _] = wheels[planet].position;
        joints.push(pin(&wheels, planet, CARRIER, [x, y]));
    }
    let mesh = |wheels: [Option<usize>; 2], ratio: f64| PlaneJoint::PlanetGear {
        wheels,
        carrier: CARRIER,
        ratio,
        offset: 0.0,
    };
    joints.extend((1..=PLANETS).flat_map(|planet| {
        [
            mesh([Some(SUN), Some(planet)], PLANET_RADIUS / SUN_RADIUS),
            mesh([Some(planet), None], -RING_RADIUS / PLANET_RADIUS),
        ]
    }));
    let torques = [
        PlaneForce::Torque([Some(SUN), None], torque),
        PlaneForce::Torque([Some(CARRIER), None], -LOAD),
    ];
    Ok(Mechanism::new(wheels, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces(torques)?)
}

fn draw(drawing: Drawing) -> Drawing {
    let ring = Figure::Ring {
        centre: [0.0; 3],
        radius: RING_RADIUS,
    };
    let drawing = drawing.with(None, Kind::Surface, ring);
    let drawing = drawing.disc(Some(SUN), [0.0, 0.0], SUN_RADIUS);
    (1..=PLANETS).fold(drawing, |drawing, planet| {
        drawing.disc(Some(planet), [0.0, 0.0], PLANET_RADIUS)
    })
}
