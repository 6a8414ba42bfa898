//! A parallelogram linkage with one crank too many.

use super::bodies::bar;
use super::motion::{fixed, reference};
use super::pendulum_angle::PendulumAngle;
use super::points::{pin, pivot};
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::plane::PlaneBodyData;
use std::f64::consts::FRAC_PI_2;

pub(crate) const PARALLELOGRAM: ProblemEntry = ProblemEntry {
    name: "parallelogram",
    title: "parallelogram linkage that swings on three parallel cranks, one of them redundant",
    description: "A coupler of 2 m hangs on three cranks of 1 m, released 60 degrees from hanging; all bars are slender, 1 kg \
                  per m. Two cranks would do: one row of the third depends on the others wherever the linkage is, \
                  and forces are not unique. It swings as a pendulum does and stays away from the horizontal, where it could \
                  fold. Numbers are this project's own.",
    source: "classical; a plane mechanism with redundant constraints: J. Garcia de Jalon and M. D. Gutierrez-Lopez, \
             Multibody Syst Dyn 30 (2013) 311-341",
    parameters: &[ParameterInfo::new(
        "angle",
        60.0,
        "deg",
        Range::Between(-80.0, 80.0),
        "initial angle of the cranks from hanging",
    )],
    build,
};

const T_END: f64 = 10.0;
/// Mass of the coupler in kg, twice that of a crank.
const COUPLER: f64 = 2.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let angle = parameters.get("angle")?.to_radians();
    let bodies = bars(angle);
    let source = "closed form with Jacobi's elliptic functions";
    // T = (3/3 + M) α'²/2 and V = -(3/2 + M) g cos α.
    let square = -GRAVITY[1] * (1.5 + COUPLER) / (1.0 + COUPLER);
    let motion = PendulumAngle::Released {
        frequency: square.sqrt(),
        angle,
    };
    let positions = move |t: f64| {
        let angle = motion.at(t);
        let (x, depth) = angle.sin_cos();
        let crank = |pivot: f64| [x * 0.5 + pivot, -depth * 0.5, angle - FRAC_PI_2];
        let coupler = [x + 1.0, -depth, fixed(0.0)];
        vec![crank(0.0), crank(1.0), crank(2.0), coupler]
    };
    Smooth::new(PARALLELOGRAM.name, T_END, "coupler.x")
        .with_reference(reference(source, &bodies, T_END, positions))
        .problem(mechanism(angle, bodies))
}

/// The tip of the crank on the pivot (x, 0).
fn tip(x: f64, angle: f64) -> [f64; 2] {
    [x + angle.sin(), -angle.cos()]
}

fn bars(angle: f64) -> Vec<PlaneBodyData> {
    let pivots = [0.0, 1.0, 2.0];
    let cranks = pivots.into_iter().enumerate().map(|(index, x)| {
        let ends = [[x, 0.0], tip(x, angle)];
        bar(&format!("crank{}", index + 1), 1.0, ends)
    });
    let coupler = bar("coupler", COUPLER, [tip(0.0, angle), tip(2.0, angle)]);
    cranks.chain([coupler]).collect()
}

fn mechanism(angle: f64, bars: Vec<PlaneBodyData>) -> Built {
    let joints: Vec<_> = [0.0, 1.0, 2.0]
        .into_iter()
        .enumerate()
        .flat_map(|(crank, x)| {
            [
                pivot(&bars, crank, [x, 0.0]),
                pin(&bars, crank, 3, tip(x, angle)),
            ]
        })
        .collect();
    Ok(Mechanism::new(bars, GRAVITY)?.with_joints(joints)?)
}
