//! Four-bar linkages with clearance in their joints.

use super::statement::{Statement, contact};
use crate::mechanisms::plane::bodies::{apex, bar};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::DiscInCircle;
use liedae_multibody::plane::{PlaneJoint, PlanePairing, PlanePoint};

pub(crate) const FOUR_BAR_CLEARANCE: ProblemEntry = ProblemEntry {
    name: "four-bar-clearance",
    title: "four-bar linkage that falls, with clearance in one to three joints",
    description: "Uniform bars of 1 m, 4 m and 2.5 m, 1 kg each, over a base of 3 m, released at rest with the crank \
                  upright. The joints with clearance are journals in bearings: that of coupler and rocker, with two also \
                  that of crank and coupler, with three that of rocker and base as well. Several journals start on \
                  the lowest points of their bearings, a single one half way down, so that it hits. No drive (a choice of this project), so that energy can be checked.",
    source: "lengths, masses, radii and friction as in the example of the Siconos software, four-bar linkage with three \
             clearances, r = 0.06 m and 0.055 m, e = 0, mu = 0.1; restitution with one clearance is this project's choice",
    parameters: &[
        ParameterInfo::new(
            "clearances",
            3.0,
            "1",
            Range::Integer(1, 3),
            "number of joints with clearance",
        ),
        ParameterInfo::new(
            "e",
            0.0,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
        ParameterInfo::new(
            "mu",
            0.1,
            "1",
            Range::NonNegative,
            "coefficient of friction",
        ),
        ParameterInfo::new(
            "clearance",
            0.005,
            "m",
            Range::Between(1e-5, 0.059),
            "radius of the bearings (0.06 m) less that of the journals",
        ),
    ],
    build,
};

const CRANK: f64 = 1.0;
const COUPLER: f64 = 4.0;
const ROCKER: f64 = 2.5;
const BASE: f64 = 3.0;
const MASS: f64 = 1.0;
const BEARING: f64 = 0.06;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let clearances = parameters.get("clearances")? as usize;
    let [e, mu, clearance] = ["e", "mu", "clearance"].map(|name| parameters.get(name));
    let statement = Statement::new(FOUR_BAR_CLEARANCE.name, 1.0, "crank.theta").with_step(1e-4);
    statement.problem(mechanism(clearances, [e?, mu?], clearance?))
}

fn mechanism(clearances: usize, [e, mu]: [f64; 2], clearance: f64) -> Built {
    // How far the journals of crank and coupler and of rocker and base are below the centres of their bearings.
    let [crank_play, base_play] =
        [2, 3].map(|count| if clearances >= count { clearance } else { 0.0 });
    let (pivot, tip) = ([0.0, 0.0], [0.0, CRANK]);
    let (start, foot) = ([tip[0], tip[1] - crank_play], [BASE, -base_play]);
    // The coupler's end is a journal in the rocker, below the rocker's end.
    let below = if clearances > 1 {
        clearance
    } else {
        0.5 * clearance
    };
    let raised = [start[0], start[1] + below];
    let top = apex((raised, COUPLER), (foot, ROCKER))?;
    let end = [top[0], top[1] - below];
    let bodies = vec![
        bar("crank", MASS, [pivot, tip]),
        bar("coupler", MASS, [start, end]),
        bar("rocker", MASS, [foot, top]),
    ];
    let at = |body: usize, offset: f64| -> PlanePoint { (Some(body), [offset, 0.0]) };
    let mut joints = vec![PlaneJoint::Revolute(at(0, -0.5 * CRANK), (None, pivot))];
    let all = [
        ("coupler-rocker", at(2, 0.5 * ROCKER), at(1, 0.5 * COUPLER)),
        ("crank-coupler", at(0, 0.5 * CRANK), at(1, -0.5 * COUPLER)),
        ("base-rocker", (None, [BASE, 0.0]), at(2, -0.5 * ROCKER)),
    ];
    let (journals, tight) = all.split_at(clearances.min(all.len()));
    joints.extend(
        tight
            .iter()
            .map(|&(_, bearing, journal)| PlaneJoint::Revolute(journal, bearing)),
    );
    let mut mechanism = Mechanism::new(bodies, GRAVITY)?.with_joints(joints)?;
    for &(label, bearing, journal) in journals {
        let pair = DiscInCircle::new([bearing.1, journal.1], [BEARING, BEARING - clearance])?;
        mechanism = mechanism.with_contact(
            contact(label, e, mu),
            [bearing.0, journal.0],
            PlanePairing::DiscInCircle(pair),
        )?;
    }
    Ok(mechanism)
}
