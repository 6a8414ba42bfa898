//! A block that rocks on a floor.

use super::statement::Statement;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{HalfPlane, box_on_line};
use liedae_multibody::plane::{PlaneBodyData, PlanePairing};

pub(crate) const ROCKING_BLOCK: ProblemEntry = ProblemEntry {
    name: "rocking-block",
    title: "slender block that rocks from corner to corner (Housner)",
    description: "A homogeneous block of 1 kg, 2 m high, tilted about one of its lower corners and released. Its corners \
                  stick (mu) and do not rebound (e = 0). At each impact the angular momentum about the new corner is \
                  conserved, so that the angular velocity falls to 1 - (3/2) sin^2 alpha of what it was, tan alpha = half_width \
                  / half_height. This is Moreau's law for both corners together: the impulse acts in the new corner and \
                  the old one opens; Newton's law in each corner would say something else.",
    source: "G. W. Housner, Bull. Seismol. Soc. Am. 53 (1963) 403-417, doi:10.1785/BSSA0530020403",
    parameters: &[
        ParameterInfo::new(
            "half_width",
            0.2,
            "m",
            Range::Between(0.02, 1.0),
            "half the width of the block",
        ),
        ParameterInfo::new(
            "angle",
            0.1,
            "rad",
            Range::Between(0.0, 1.0),
            "initial tilt, below alpha lest it falls over",
        ),
        ParameterInfo::new("mu", 0.5, "1", Range::NonNegative, "friction"),
    ],
    build,
};

const HALF_HEIGHT: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = mechanism(
        parameters.get("half_width")?,
        parameters.get("angle")?,
        parameters.get("mu")?,
    );
    let half = [parameters.get("half_width")?, HALF_HEIGHT];
    Statement::new(ROCKING_BLOCK.name, 4.2, "block.theta")
        .drawn(move |drawing| {
            let drawing = drawing.without_body(0);
            drawing.rectangle(Some(0), [0.0, 0.0], half)
        })
        .problem(mechanism)
}

/// The block stands on its right corner and is tilted clockwise.
fn mechanism(half_width: f64, angle: f64, mu: f64) -> Built {
    let (b, h) = (half_width, HALF_HEIGHT);
    let (sine, cosine) = angle.sin_cos();
    let block = PlaneBodyData {
        name: "block".to_owned(),
        mass: 1.0,
        inertia: (b * b + h * h) / 3.0,
        position: [-b * cosine + h * sine, b * sine + h * cosine, -angle],
        velocity: [0.0; 3],
    };
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0])?;
    let [left, right, ..] = box_on_line(floor, [0.0, 0.0], [b, h])?;
    // A single body that rocks on a corner: there is no momentum that energy could be taken from.
    let mut mechanism = Mechanism::new(vec![block], GRAVITY)?.keeping_energy();
    for (label, corner) in [("left", left), ("right", right)] {
        let contact = Contact::new(label, 0.0).with_planar_friction(mu);
        let corner = PlanePairing::DiscOnLine(corner);
        mechanism = mechanism.with_contact(contact, [None, Some(0)], corner)?;
    }
    Ok(mechanism)
}
