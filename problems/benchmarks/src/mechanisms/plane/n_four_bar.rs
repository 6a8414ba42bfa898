//! N four-bar linkages in a row, A02 of the IFToMM library of multibody benchmarks.

use super::bodies::bar;
use super::motion::{Moving, fixed, reference, set_moving};
use super::pendulum_angle::PendulumAngle;
use super::points::{pin, pivot};
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::plane::PlaneBodyData;
use std::f64::consts::FRAC_PI_2;

pub(crate) const N_FOUR_BAR: ProblemEntry = ProblemEntry {
    name: "n-four-bar",
    title: "n square four-bar linkages in a row, which turn over the top",
    description: "n + 1 cranks stand on pivots 1 m apart, couplers join their tips; all bars are slender, 1 m and 1 kg. The \
                  tips start with 1 m/s, the linkage topples and turns for 10 s. Twice in a turn all bars lie in one line, \
                  and there, for a moment, one row of every loop depends on the others: the motion has to go on as a \
                  parallelogram. The exact solution is that of a pendulum, elliptic functions.",
    source: "A02 of the IFToMM multibody benchmark library; M. Gonzalez, D. Dopico, U. Lugris and J. Cuadrado, Multibody \
             Syst Dyn 16 (2006) 179-190",
    parameters: &[ParameterInfo::new(
        "n",
        2.0,
        "1",
        Range::Integer(1, 100),
        "number of loops",
    )],
    build,
};

const T_END: f64 = 10.0;
/// Initial angular velocity in rad/s, clockwise.
const RATE: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let loops = parameters.get("n")? as usize;
    let motion = pendulum(loops);
    let positions = move |t: f64| positions(loops, motion.at(t));
    let mut bodies = bars(loops);
    set_moving(&mut bodies, &positions(0.0));
    let source = "closed form with Jacobi's elliptic functions";
    Smooth::new(N_FOUR_BAR.name, T_END, "crank0.x")
        .with_reference(reference(source, &bodies, T_END, positions))
        .problem(mechanism(loops, bodies))
}

/// crank0, coupler1, crank1, coupler2, ..
fn bars(loops: usize) -> Vec<PlaneBodyData> {
    let (foot, tip) = (|x: usize| [x as f64, 0.0], |x: usize| [x as f64, 1.0]);
    let mut bars = vec![bar("crank0", 1.0, [foot(0), tip(0)])];
    for x in 1..=loops {
        bars.push(bar(&format!("coupler{x}"), 1.0, [tip(x - 1), tip(x)]));
        bars.push(bar(&format!("crank{x}"), 1.0, [foot(x), tip(x)]));
    }
    bars
}

fn mechanism(loops: usize, bars: Vec<PlaneBodyData>) -> Built {
    let mut joints = vec![pivot(&bars, 0, [0.0, 0.0])];
    for index in 1..=loops {
        let (x, coupler, crank) = (index as f64, 2 * index - 1, 2 * index);
        joints.extend([
            pin(&bars, coupler, crank - 2, [x - 1.0, 1.0]),
            pin(&bars, coupler, crank, [x, 1.0]),
            pivot(&bars, crank, [x, 0.0]),
        ]);
    }
    Ok(Mechanism::new(bars, GRAVITY)?.with_joints(joints)?)
}

/// T = ((N + 1)/3 + N) α'²/2 and V = -((N + 1)/2 + N) g cos α in the angle α from hanging, anticlockwise; it turns clockwise.
fn pendulum(loops: usize) -> PendulumAngle {
    let (cranks, couplers) = (loops as f64 + 1.0, loops as f64);
    let square = -GRAVITY[1] * (cranks / 2.0 + couplers) / (cranks / 3.0 + couplers);
    PendulumAngle::FromUpright {
        frequency: square.sqrt(),
        rate: RATE,
    }
}

/// The bars' places by the pendulum's angle, counted clockwise.
fn positions(loops: usize, angle: Moving) -> Vec<[Moving; 3]> {
    // The tips seen from their pivots.
    let (sine, cosine) = angle.sin_cos();
    let [x, y] = [-sine, -cosine];
    let crank = |foot: usize| [x * 0.5 + foot as f64, y * 0.5, -angle - FRAC_PI_2];
    let mut all = vec![crank(0)];
    for index in 1..=loops {
        all.push([x + (index as f64 - 0.5), y, fixed(0.0)]);
        all.push(crank(index));
    }
    all
}
