//! Masses on rails, joined by springs.

use super::bodies::body;
use super::motion::{Moving, fixed, reference};
use super::points::slider;
use super::{Built, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlanePoint};
use std::f64::consts::PI;

pub(crate) const SPRING_MASSES: ProblemEntry = ProblemEntry {
    name: "spring-masses",
    title: "n masses on rails between walls, joined by springs",
    description: "Masses of 1 kg slide along one line without turning, 1 m apart; springs join neighbours and the outer masses \
                  with walls. The first mass starts 0.1 m out of its place, so that all modes vibrate. Linear oscillators \
                  between rows that hold two thirds of the coordinates; many masses and stiff springs make high frequencies. \
                  The exact solution is a sum of modes. Numbers are this project's own.",
    source: "classical; Lord Rayleigh, The Theory of Sound, vol. 1, ch. VI: strings loaded with particles",
    parameters: &[
        ParameterInfo::new("n", 4.0, "1", Range::Integer(1, 200), "number of masses"),
        ParameterInfo::new(
            "stiffness",
            1e3,
            "N/m",
            Range::Positive,
            "stiffness of each spring",
        ),
    ],
    build,
};

const T_END: f64 = 5.0;
const MASS: f64 = 1.0;
/// Distance of neighbours at rest, and the springs' free length, in m.
const PITCH: f64 = 1.0;
/// Initial displacement of the first mass in m.
const DISPLACEMENT: f64 = 0.1;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let count = parameters.get("n")? as usize;
    let stiffness = parameters.get("stiffness")?;
    let masses = masses(count);
    let positions = move |t: f64| positions(count, stiffness, t);
    // Ten steps in a period of the highest mode.
    let step = (0.3 * (MASS / stiffness).sqrt()).min(1e-3);
    Smooth::new(SPRING_MASSES.name, T_END, "mass1.x")
        .with_step(step)
        .with_reference(reference(
            "closed form: sum of modes",
            &masses,
            T_END,
            positions,
        ))
        .problem(mechanism(masses, stiffness))
}

fn masses(count: usize) -> Vec<PlaneBodyData> {
    (1..=count)
        .map(|index| {
            let displacement = if index == 1 { DISPLACEMENT } else { 0.0 };
            let x = PITCH * index as f64 + displacement;
            body(&format!("mass{index}"), MASS, 0.01, [x, 0.0, 0.0])
        })
        .collect()
}

fn mechanism(masses: Vec<PlaneBodyData>, stiffness: f64) -> Built {
    let count = masses.len();
    let rails: Vec<_> = (0..count)
        .flat_map(|mass| slider(&masses, mass, [1.0, 0.0]))
        .collect();
    let centre = |mass: usize| -> PlanePoint { (Some(mass), [0.0, 0.0]) };
    let wall = |x: f64| -> PlanePoint { (None, [x, 0.0]) };
    let springs = (0..=count).map(|index| PlaneForce::Spring {
        points: [
            if index == 0 {
                wall(0.0)
            } else {
                centre(index - 1)
            },
            if index == count {
                wall(PITCH * (count + 1) as f64)
            } else {
                centre(index)
            },
        ],
        stiffness,
        damping: 0.0,
        free_length: PITCH,
    });
    Ok(Mechanism::new(masses, [0.0, 0.0])?
        .with_joints(rails)?
        .with_forces(springs)?)
}

/// Mode j has the shape sin(i j π/(n + 1)) and the angular frequency 2 sqrt(k/m) sin(j π/(2 (n + 1))).
fn positions(count: usize, stiffness: f64, t: f64) -> Vec<[Moving; 3]> {
    let share = PI / (count + 1) as f64;
    let modes: Vec<(f64, f64)> = (1..=count)
        .map(|mode| {
            let angle = share * mode as f64;
            let frequency = 2.0 * (stiffness / MASS).sqrt() * (0.5 * angle).sin();
            (angle, frequency)
        })
        .collect();
    let size = 2.0 * DISPLACEMENT / (count + 1) as f64;
    (1..=count)
        .map(|index| {
            let rest = Moving::from_value(PITCH * index as f64);
            let x = modes.iter().fold(rest, |sum, &(angle, frequency)| {
                let shape = size * angle.sin() * (index as f64 * angle).sin();
                let (sine, cosine) = (frequency * t).sin_cos();
                sum + Moving::new(shape * cosine, [-shape * frequency * sine])
            });
            [x, fixed(0.0), fixed(0.0)]
        })
        .collect()
}
