//! A crank-rocker linkage.

use super::bodies::{apex, bar};
use super::motion::{Moving, fixed, reference, set_moving, uniform};
use super::points::{pin, pivot};
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::plane::{Motion, PlaneBodyData, PlaneForce, PlaneJoint};

pub(crate) const FOUR_BAR: ProblemEntry = ProblemEntry {
    name: "four-bar",
    title: "crank-rocker of unequal bars, driven at constant speed or by a torque against a stiff spring",
    description: "A crank of 0.2 m, a coupler of 0.7 m and a rocker of 0.6 m on pivots 0.8 m apart; by Grashof's rule the crank \
                  turns fully. Driven at constant speed nothing is free: the drive's row depends on time, and the motion \
                  is a closed form. With drive=1 a torque of 20 N m works against a torsion spring of 1e4 N m/rad with a damper at the \
                  rocker, loaded by 0.05 rad at the start: the linkage rings with about 10 Hz and settles. Slender bars of 5 kg \
                  per m. Numbers are this project's own.",
    source: "own mechanism, a crank-rocker by the rule of F. Grashof",
    parameters: &[
        ParameterInfo::new(
            "drive",
            0.0,
            "1",
            Range::Choice(&["constant speed", "torque against a torsion spring"]),
            "what drives the crank",
        ),
        ParameterInfo::new(
            "speed",
            12.0,
            "rad/s",
            Range::Finite,
            "angular velocity of the crank, for drive=0",
        ),
        ParameterInfo::new(
            "stiffness",
            1e4,
            "N m/rad",
            Range::NonNegative,
            "torsion spring at the rocker, for drive=1",
        ),
    ],
    build,
};

const T_END: f64 = 2.0;
/// Initial angle of the crank in rad.
const START: f64 = 1.0;
const CRANK: f64 = 0.2;
const COUPLER: f64 = 0.7;
const ROCKER: f64 = 0.6;
/// The rocker's pivot.
const PIVOT: [f64; 2] = [0.8, 0.0];
/// Mass per length in kg/m.
const LINEAR_DENSITY: f64 = 5.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Smooth::new(FOUR_BAR.name, T_END, "rocker.theta");
    if parameters.get("drive")? > 0.0 {
        return statement.problem(sprung(parameters.get("stiffness")?));
    }
    let speed = parameters.get("speed")?;
    let positions = move |t: f64| positions(uniform(START, speed, t)).unwrap_or_default();
    let bodies = bars().map(|mut bodies| {
        set_moving(&mut bodies, &positions(0.0));
        bodies
    });
    match bodies {
        Ok(bodies) => statement
            .with_reference(reference(
                "closed form of the kinematics",
                &bodies,
                T_END,
                positions,
            ))
            .problem(driven(bodies, speed)),
        Err(error) => Err(ProblemError::build(FOUR_BAR.name, error)),
    }
}

/// Crank's tip and rocker's tip.
fn pins<S: Scalar>(angle: S) -> Built<[[S; 2]; 2]> {
    let (sine, cosine) = angle.sin_cos();
    let tip = [cosine * CRANK, sine * CRANK];
    let top = apex((tip, COUPLER), (PIVOT.map(S::constant), ROCKER))?;
    Ok([tip, top])
}

fn bars() -> Built<Vec<PlaneBodyData>> {
    let [tip, top] = pins(START)?;
    let ends = [
        ("crank", CRANK, [[0.0, 0.0], tip]),
        ("coupler", COUPLER, [tip, top]),
        ("rocker", ROCKER, [PIVOT, top]),
    ];
    let bars = ends.map(|(name, length, ends)| bar(name, LINEAR_DENSITY * length, ends));
    Ok(bars.into())
}

/// The bars' places by the crank's angle.
fn positions(angle: Moving) -> Built<Vec<[Moving; 3]>> {
    let [tip, top] = pins(angle)?;
    let bar = |from: [Moving; 2], to: [Moving; 2]| {
        let [x, y] = [0, 1].map(|axis| (from[axis] + to[axis]) * 0.5);
        [x, y, (to[1] - from[1]).atan2(to[0] - from[0])]
    };
    let mut crank = bar([fixed(0.0); 2], tip);
    // It goes on beyond half a turn.
    crank[2] = angle;
    Ok(vec![crank, bar(tip, top), bar(PIVOT.map(fixed), top)])
}

fn linkage(bars: Vec<PlaneBodyData>) -> Built {
    let [tip, top] = pins(START)?;
    let joints = [
        pivot(&bars, 0, [0.0, 0.0]),
        pin(&bars, 1, 0, tip),
        pin(&bars, 1, 2, top),
        pivot(&bars, 2, PIVOT),
    ];
    Ok(Mechanism::new(bars, GRAVITY)?.with_joints(joints)?)
}

fn driven(bars: Vec<PlaneBodyData>, speed: f64) -> Built {
    let motion = Motion::Uniform {
        start: START,
        rate: speed,
    };
    Ok(linkage(bars)?.with_joints([PlaneJoint::AngleDrive(Some(0), None, motion)])?)
}

fn sprung(stiffness: f64) -> Built {
    let bars = bars()?;
    let spring = PlaneForce::Torsion {
        bodies: [Some(2), None],
        stiffness,
        damping: 20.0,
        free_angle: bars[2].position[2] + 0.05,
    };
    let torque = PlaneForce::Torque([Some(0), None], 20.0);
    Ok(linkage(bars)?.with_forces([spring, torque])?)
}
