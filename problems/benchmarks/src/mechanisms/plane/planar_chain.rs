//! A chain of bars that falls.

use super::bodies::bar;
use super::points::{pin, pivot};
use super::{Built, GRAVITY, Mechanism};
use crate::error::TableError;
use crate::fang2022::double_pendulum_reference;
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range, Reference};
use liedae_multibody::plane::PlaneBodyData;

pub(crate) const PLANAR_CHAIN: ProblemEntry = ProblemEntry {
    name: "planar-chain",
    title: "chain of n bars on pins, released from the horizontal",
    description: "Equal slender bars of 1 m and 1 kg hang on each other by pins, the first one on a pivot; all start at rest \
                  in one horizontal line and fall. An open tree that grows with n: the free end cracks like a whip, and \
                  the motion is chaotic. Runs end while eight digits can be had: at 7 s up to three bars, at 5 s \
                  beyond. Numbers are this project's own. data=1 takes those of Fang et al. 2022 for two \
                  bars, 4 m and 2 m long with sections of 0.05 m and 7800 kg/m^3, the first horizontal and the second \
                  hanging from it, 8 s, whose motion is known to 12 digits.",
    source: "classical; data=1: Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, \
             doi:10.1115/1.4056183",
    parameters: &[
        ParameterInfo::new("n", 2.0, "1", Range::Integer(1, 200), "number of bars"),
        ParameterInfo::new(
            "data",
            0.0,
            "1",
            Range::Choice(&["equal bars", "Fang et al. 2022, for n=2"]),
            "lengths and masses of the bars",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let count = parameters.get("n")? as usize;
    let statement =
        |t_end: f64| Smooth::new(PLANAR_CHAIN.name, t_end, "bar1.x").with_order_study_end(0.5);
    if parameters.get("data")? == 0.0 {
        // Behind that, two methods with tolerances of 1e-12 agree in less than eight digits.
        let t_end = if count <= 3 { 7.0 } else { 5.0 };
        return statement(t_end).problem(chain(equal_bars(count)));
    }
    if count != FANG.len() {
        let reason = format!("data=1 are of two bars, and n={count} are asked for");
        return Err(ProblemError::build(PLANAR_CHAIN.name, reason));
    }
    statement(8.0)
        .with_reference(fang_reference()?)
        .problem(chain(fang_bars()))
}

fn equal_bars(count: usize) -> Vec<Link> {
    let end = |index: usize| [index as f64, 0.0];
    (0..count)
        .map(|index| {
            let ends = [end(index), end(index + 1)];
            (bar(&name(index), 1.0, ends), ends[0])
        })
        .collect()
}

/// A bar and its upper end.
type Link = (PlaneBodyData, [f64; 2]);

fn name(index: usize) -> String {
    format!("bar{}", index + 1)
}

/// Upper and lower end of the bars.
const FANG: [[[f64; 2]; 2]; 2] = [[[0.0, 0.0], [4.0, 0.0]], [[4.0, 0.0], [4.0, -2.0]]];
/// Side of the square section in m, and density in kg/m³.
const WIDTH: f64 = 0.05;
const DENSITY: f64 = 7800.0;

fn fang_bars() -> Vec<Link> {
    let bars = FANG.into_iter().enumerate().map(|(index, ends)| {
        let length = (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]);
        let mass = DENSITY * WIDTH * WIDTH * length;
        let mut bar = bar(&name(index), mass, ends);
        bar.inertia += mass * WIDTH * WIDTH / 12.0;
        (bar, ends[0])
    });
    bars.collect()
}

/// What is known of the double pendulum in the y-z plane; its angles are within a turn, and those of the chain go on.
fn fang_reference() -> Result<Reference, TableError> {
    let known = double_pendulum_reference(false)?;
    let columns = [1, 2].into_iter().flat_map(|bar| {
        let pairs = [
            ("x", "y"),
            ("y", "z"),
            ("vx", "vy"),
            ("vy", "vz"),
            ("omega", "omega"),
        ];
        pairs.map(|(own, known)| (format!("bar{bar}.{own}"), format!("{known}{bar}")))
    });
    let (own, theirs): (Vec<String>, Vec<String>) = columns.unzip();
    let reference = Reference::new(known.source(), 0.0, 8.0, false);
    Ok(reference.with_closed_form(own, move |t, out| {
        for (slot, column) in out.iter_mut().zip(&theirs) {
            *slot = known.value(column, t).unwrap_or(f64::NAN);
        }
    }))
}

fn chain(links: Vec<Link>) -> Built {
    let (bars, tops): (Vec<_>, Vec<_>) = links.into_iter().unzip();
    let joints: Vec<_> = tops
        .into_iter()
        .enumerate()
        .map(|(index, top)| match index {
            0 => pivot(&bars, 0, top),
            _ => pin(&bars, index, index - 1, top),
        })
        .collect();
    Ok(Mechanism::new(bars, GRAVITY)?.with_joints(joints)?)
}
