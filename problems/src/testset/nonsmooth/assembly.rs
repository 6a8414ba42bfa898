//! What mechanisms with clearances and stops share: how they are stated, and how their bodies are placed.

use crate::nonsmooth::plane_mechanism::{PlaneBodyData, PlaneMechanism, PlanePairing};
use crate::nonsmooth::{NonsmoothOptions, NonsmoothSystem, Thresholds};
use crate::{Problem, ProblemError};
use liedae::system::{Automatic, Contact, Model};
use std::error::Error;
use std::f64::consts::TAU;

/// Gravity in m/s² along -y.
pub(super) const GRAVITY: [f64; 2] = [0.0, -9.81];

/// The mechanism of plane bodies that most problems are.
pub(super) type Mechanism = PlaneMechanism<PlanePairing>;

/// A model, or why there is none.
pub(super) type Built<M = Mechanism> = Result<M, Box<dyn Error>>;

/// A problem without its equations.
pub(super) struct Assembly {
    pub name: &'static str,
    pub t_end: f64,
    pub default_step: f64,
    pub main_output: &'static str,
    /// Size of the mechanism in m and time of its motion in s: what counts as closed and at rest is measured by them.
    pub length: f64,
    pub time: f64,
}

impl Assembly {
    /// The problem with this model, or what is wrong with it.
    pub fn problem<M: Model + 'static>(self, model: Built<M>) -> Result<Problem, ProblemError> {
        let refuse = |reason: String| ProblemError::Build {
            problem: self.name,
            reason,
        };
        let options = NonsmoothOptions {
            thresholds: Thresholds::scaled(self.length, self.time),
            ..NonsmoothOptions::default()
        };
        let model = model.map_err(|error| refuse(error.to_string()))?;
        let system = NonsmoothSystem::new(Automatic::new(model), options)
            .map_err(|error| refuse(error.to_string()))?;
        Ok(Problem {
            name: self.name,
            system: Box::new(system),
            t_end: self.t_end,
            default_step: self.default_step,
            reference: None,
            main_output: self.main_output.to_owned(),
            order_study_end: None,
            absolute_scale: 1.0,
        })
    }
}

/// A contact with restitution and, if there is any, Coulomb friction.
pub(super) fn contact(label: impl Into<String>, restitution: f64, friction: f64) -> Contact {
    let contact = Contact::new(label, restitution);
    if friction > 0.0 {
        contact.with_planar_friction(friction)
    } else {
        contact
    }
}

/// A body at rest.
pub(super) fn body(name: &str, mass: f64, inertia: f64, position: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass,
        inertia,
        position,
        velocity: [0.0; 3],
    }
}

/// A uniform slender bar at rest whose ends, at -L/2 and L/2 on its x-axis, are at these points.
pub(super) fn bar(name: &str, mass: f64, [from, to]: [[f64; 2]; 2]) -> PlaneBodyData {
    let (x, y) = (to[0] - from[0], to[1] - from[1]);
    let inertia = mass * (x * x + y * y) / 12.0;
    let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])];
    body(name, mass, inertia, [middle[0], middle[1], y.atan2(x)])
}

/// The point at these distances from two points, on the left of the way from the first to the second.
pub(super) fn apex(first: ([f64; 2], f64), second: ([f64; 2], f64)) -> Built<[f64; 2]> {
    let ((a, from_a), (b, from_b)) = (first, second);
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    let base = x.hypot(y);
    let along = (base * base + from_a * from_a - from_b * from_b) / (2.0 * base);
    let height = (from_a * from_a - along * along).sqrt();
    if !height.is_finite() {
        return Err(format!("bars of {from_a} m and {from_b} m do not meet over {base} m").into());
    }
    let (x, y) = (x / base, y / base);
    Ok([a[0] + along * x - height * y, a[1] + along * y + height * x])
}

/// The moments between 0 and `t_end` at which directions fixed to a cam, mirrored about its x-axis too, pass the one that its
/// x-axis reaches after turning by `ahead` rad at this rate.
pub(super) fn passages(ahead: f64, rate: f64, points: &[[f64; 2]], t_end: f64) -> Vec<f64> {
    let turns = rate * t_end / TAU;
    let mut moments = Vec::new();
    for [x, y] in points {
        for angle in [y.atan2(*x), -y.atan2(*x)] {
            let first = (ahead - angle).rem_euclid(TAU) / TAU;
            let count = (turns - first).ceil().max(0.0) as usize;
            moments.extend((0..count).map(|turn| (first + turn as f64) * TAU / rate));
        }
    }
    // What begins at such a moment has been told so.
    moments.retain(|&moment| moment > 1e-9 * t_end && moment < (1.0 - 1e-9) * t_end);
    moments
}
