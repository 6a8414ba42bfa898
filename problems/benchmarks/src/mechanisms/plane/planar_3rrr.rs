//! A platform on three legs of two bars in the plane, a 3-RRR parallel robot.

use super::bodies::{apex, bar, body};
use super::points::{pin, pivot};
use super::{Built, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::PlaneForce;
use std::f64::consts::{FRAC_PI_2, PI};

pub(crate) const PLANAR_3RRR: ProblemEntry = ProblemEntry {
    name: "planar-3rrr",
    title: "3-RRR parallel robot in the plane, pushed through a Type II singularity",
    description: "A platform of 2 kg on three legs, each of two slender bars of 0.3 m and 0.5 kg; pivots on a circle of 0.5 m, pins of the \
                  platform on one of 0.12 m. Torques on the three cranks, unequal by `unequal`, turn and shift it on a horizontal table \
                  (no gravity). On its way the lines of the three outer bars meet in one point: there the cranks alone could not hold the \
                  platform. The constraints of the free mechanism stay independent there. Two loops, three degrees of freedom. Numbers are \
                  this project's own.",
    source: "C. M. Gosselin and J. Angeles, IEEE Trans. Robotics Automation 6 (1990) 281-290, doi:10.1109/70.56660, for the \
             singularity",
    parameters: &[ParameterInfo::new(
        "unequal",
        0.1,
        "1",
        Range::Between(-1.0, 1.0),
        "share by which the first torque is larger and the second one smaller",
    )],
    build,
};

const LEGS: usize = 3;
const PLATFORM: usize = 2 * LEGS;
const BASE_RADIUS: f64 = 0.5;
const PLATFORM_RADIUS: f64 = 0.12;
const BAR: f64 = 0.3;
/// Torque on a crank in N m.
const TORQUE: f64 = 0.3;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Smooth::new(PLANAR_3RRR.name, 2.0, "platform.theta")
        .with_order_study_end(0.5)
        .problem(mechanism(parameters.get("unequal")?))
}

/// The point on a circle around the middle that belongs to a leg.
fn corner(radius: f64, leg: usize) -> [f64; 2] {
    let angle = FRAC_PI_2 + 2.0 * PI * leg as f64 / LEGS as f64;
    [radius * angle.cos(), radius * angle.sin()]
}

fn mechanism(unequal: f64) -> Built {
    let (mut bodies, mut elbows) = (Vec::new(), Vec::new());
    for leg in 0..LEGS {
        let [foot, head] = [BASE_RADIUS, PLATFORM_RADIUS].map(|radius| corner(radius, leg));
        let elbow = apex((foot, BAR), (head, BAR))?;
        bodies.push(bar(&format!("crank{}", leg + 1), 0.5, [foot, elbow]));
        bodies.push(bar(&format!("outer{}", leg + 1), 0.5, [elbow, head]));
        elbows.push(elbow);
    }
    let inertia = 2.0 * PLATFORM_RADIUS * PLATFORM_RADIUS / 4.0;
    bodies.push(body("platform", 2.0, inertia, [0.0; 3]));
    let joints: Vec<_> = elbows
        .into_iter()
        .enumerate()
        .flat_map(|(leg, elbow)| {
            let (crank, outer) = (2 * leg, 2 * leg + 1);
            [
                pivot(&bodies, crank, corner(BASE_RADIUS, leg)),
                pin(&bodies, outer, crank, elbow),
                pin(&bodies, outer, PLATFORM, corner(PLATFORM_RADIUS, leg)),
            ]
        })
        .collect();
    let shares = [1.0 + unequal, 1.0 - unequal, 1.0];
    let torques = shares
        .into_iter()
        .enumerate()
        .map(|(leg, share)| PlaneForce::Torque([Some(2 * leg), None], TORQUE * share));
    Ok(Mechanism::new(bodies, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces(torques)?)
}
