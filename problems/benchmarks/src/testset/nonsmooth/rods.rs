//! A rod on a floor, against a wall, and on a rough floor.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::rod;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use std::f64::consts::{FRAC_PI_2, PI};

pub(crate) const ROD_FLOOR: ProblemEntry = ProblemEntry {
    name: "rod-floor",
    title: "rod that drops on a frictionless floor, or slides down on it",
    description: "A uniform rod of 1 m and 1 kg at an angle from the vertical. It falls with its lower end 1 m above the \
                  floor, or (start=1) begins at rest in contact and slides until it is horizontal, without \
                  losing the floor.",
    source: "classical; E. T. Whittaker, Analytical Dynamics, ch. IX (impulsive motion)",
    parameters: &[
        restitution(0.5),
        ParameterInfo::new(
            "start",
            0.0,
            "1",
            Range::Choice(&["drop", "contact"]),
            "how it begins",
        ),
        ParameterInfo::new(
            "angle",
            PI / 4.0,
            "rad",
            Range::Between(0.0, FRAC_PI_2),
            "angle from the vertical",
        ),
    ],
    build: build_rod,
};

pub(crate) const LADDER: ProblemEntry = ProblemEntry {
    name: "ladder",
    title: "ladder that slides down a wall and leaves it",
    description: "A uniform ladder of 1 m and 1 kg against a wall, released at rest, no friction. The wall's force vanishes \
                  at sin th = (2/3) sin th0; from there it slides on the floor alone.",
    source: "classical",
    parameters: &[ParameterInfo::new(
        "angle",
        75.0 / 180.0 * PI,
        "rad",
        Range::Between(0.1, 1.5),
        "initial angle from the floor",
    )],
    build: build_ladder,
};

pub(crate) const PAINLEVE_ROD: ProblemEntry = ProblemEntry {
    name: "painleve-rod",
    title: "rod that slides on a rough floor: Painleve's paradox",
    description: "A uniform rod of 1 m and 1 kg slides with its lower end at 1 m/s on a floor, away from its centre of mass. \
                  For mu > 4/3 there are angles at which no force keeps it from penetrating: \
                  1 + 3 cos^2 th - 3 mu sin th cos th < 0. There the problem cannot be built, since its initial state has no \
                  motion.",
    source: "P. Painleve 1895; F. Genot and B. Brogliato, Eur. J. Mech. A/Solids 18 (1999) 653-677, \
             doi:10.1016/S0997-7538(99)00144-8",
    parameters: &[
        ParameterInfo::new("mu", 1.0, "1", Range::NonNegative, "friction"),
        ParameterInfo::new(
            "angle",
            1.107_148_717_794_09,
            "rad",
            Range::Between(0.1, 1.5),
            "initial angle from the floor",
        ),
    ],
    build: build_painleve,
};

fn build_rod(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let angle = parameters.get("angle")?;
    let height = 1.0 - parameters.get("start")?;
    Statement::new(ROD_FLOOR.name, 1.0, "rod.y").problem(above_floor(
        parameters.get("e")?,
        angle,
        height,
    ))
}

fn above_floor(e: f64, angle: f64, height: f64) -> Built {
    let rod = rod("rod", 1.0, [0.0, height + 0.5 * angle.cos(), angle]);
    let mut mechanism = Mechanism::new(vec![rod], GRAVITY)?;
    for (label, end) in [("lower", -0.5), ("upper", 0.5)] {
        let floor = point_on_edge([0.0, 0.0], [0.0, 1.0], [0.0, end])?;
        mechanism = mechanism.with_contact(Contact::new(label, e), [None, Some(0)], floor)?;
    }
    Ok(mechanism)
}

fn build_ladder(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(LADDER.name, 0.6, "ladder.theta").problem(against_wall(parameters.get("angle")?))
}

fn against_wall(angle: f64) -> Built {
    let (sine, cosine) = angle.sin_cos();
    let ladder = rod("ladder", 1.0, [0.5 * cosine, 0.5 * sine, -angle]);
    let wall = point_on_edge([0.0, 0.0], [1.0, 0.0], [-0.5, 0.0])?;
    let floor = point_on_edge([0.0, 0.0], [0.0, 1.0], [0.5, 0.0])?;
    Ok(Mechanism::new(vec![ladder], GRAVITY)?
        .with_contact(Contact::new("wall", 0.0), [None, Some(0)], wall)?
        .with_contact(Contact::new("floor", 0.0), [None, Some(0)], floor)?)
}

fn build_painleve(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(PAINLEVE_ROD.name, 0.2, "rod.theta").problem(on_rough_floor(
        parameters.get("mu")?,
        parameters.get("angle")?,
    ))
}

fn on_rough_floor(mu: f64, angle: f64) -> Built {
    let (sine, cosine) = angle.sin_cos();
    let mut rod = rod("rod", 1.0, [0.5 * cosine, 0.5 * sine, angle]);
    rod.velocity = [-1.0, 0.0, 0.0];
    let floor = point_on_edge([0.0, 0.0], [0.0, 1.0], [-0.5, 0.0])?;
    let contact = Contact::new("floor", 0.0).with_planar_friction(mu);
    Ok(Mechanism::new(vec![rod], GRAVITY)?.with_contact(contact, [None, Some(0)], floor)?)
}
