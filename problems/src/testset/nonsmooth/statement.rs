//! What the problems with contacts share: how they are stated, and bodies of common shapes.

use crate::nonsmooth::geometry::GeometryError;
use crate::nonsmooth::geometry::plane::{DiscOnLine, HalfPlane};
use crate::nonsmooth::plane_mechanism::{PlaneBodyData, PlaneMechanism, PlanePairing};
use crate::nonsmooth::{ImpactLaw, NonsmoothOptions, NonsmoothSystem};
use crate::{ParameterInfo, Parameters, Problem, ProblemError, Range};
use liedae::system::{Automatic, Model};
use std::error::Error;

/// Gravity in m/s² along -y.
pub(super) const GRAVITY: [f64; 2] = [0.0, -9.81];

/// The parameter of the law of impact, see [`law`].
pub(super) const LAW: ParameterInfo = ParameterInfo::new(
    "law",
    0.0,
    "1",
    Range::Choice(&["moreau", "poisson", "sequential"]),
    "law of impact",
);

/// The parameter e with a default.
pub(super) const fn restitution(default: f64) -> ParameterInfo {
    ParameterInfo::new(
        "e",
        default,
        "1",
        Range::Between(0.0, 1.0),
        "coefficient of restitution",
    )
}

/// A problem without its equations.
pub(super) struct Statement {
    pub name: &'static str,
    pub t_end: f64,
    pub default_step: f64,
    pub main_output: &'static str,
    pub law: ImpactLaw,
}

impl Statement {
    /// A statement with Moreau's law of impact and steps of 1 ms.
    pub fn new(name: &'static str, t_end: f64, main_output: &'static str) -> Self {
        Self {
            name,
            t_end,
            default_step: 1e-3,
            main_output,
            law: ImpactLaw::Moreau,
        }
    }

    /// The problem with this mechanism, or what is wrong with it.
    pub fn problem<M: Model + 'static>(self, model: Built<M>) -> Result<Problem, ProblemError> {
        let options = NonsmoothOptions {
            law: self.law,
            ..NonsmoothOptions::default()
        };
        let refuse = |reason: String| ProblemError::Build {
            problem: self.name,
            reason,
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

/// The law of impact that the parameters ask for.
pub(super) fn law(parameters: &Parameters) -> Result<ImpactLaw, ProblemError> {
    let laws = [ImpactLaw::Moreau, ImpactLaw::Poisson, ImpactLaw::Sequential];
    Ok(laws[parameters.get(LAW.name)? as usize % laws.len()])
}

/// The mechanism of plane bodies that the problems are.
pub(super) type Mechanism = PlaneMechanism<PlanePairing>;

/// A mechanism, or why there is none.
pub(super) type Built<M = Mechanism> = Result<M, Box<dyn Error>>;

/// A point of body B on an edge of body A through this point with this outward normal.
pub(super) fn point_on_edge(
    edge: [f64; 2],
    normal: [f64; 2],
    point: [f64; 2],
) -> Result<PlanePairing, GeometryError> {
    let edge = HalfPlane::new(edge, normal)?;
    Ok(PlanePairing::DiscOnLine(DiscOnLine::point(edge, point)?))
}

/// A body of 1 kg whose inertia does not matter, since nothing turns it.
pub(super) fn particle(name: &str, position: [f64; 2], velocity: [f64; 2]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: 1.0,
        inertia: 1.0,
        position: [position[0], position[1], 0.0],
        velocity: [velocity[0], velocity[1], 0.0],
    }
}

/// A uniform slender rod of 1 kg at rest.
pub(super) fn rod(name: &str, length: f64, position: [f64; 3]) -> PlaneBodyData {
    PlaneBodyData {
        name: name.to_owned(),
        mass: 1.0,
        inertia: length * length / 12.0,
        position,
        velocity: [0.0; 3],
    }
}
