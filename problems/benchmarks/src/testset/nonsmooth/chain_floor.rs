//! A chain that falls on a floor.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::bar;
use crate::mechanisms::plane::points::{pin, pivot};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_contact::Contact;

pub(crate) const CHAIN_FLOOR: ProblemEntry = ProblemEntry {
    name: "chain-floor",
    title: "chain of 11 links that falls on a floor",
    description: "Links of 0.1 m and 0.1 kg, uniform bars. The chain hangs by its first end 0.45 m above a floor without \
                  friction and is released at rest from the horizontal; the seven joints and ends that are far enough from the \
                  support, node5 to node11, strike the floor one after the other and with e = 0 stay there until they \
                  are lifted. Links do not touch each other. Numbers are this project's own.",
    source: "own mechanism, in the manner of M. Haddouni, V. Acary, S. Garreau, J.-D. Beley and B. Brogliato, Multibody \
             Syst Dyn 41 (2017) 201-231, doi:10.1007/s11044-017-9570-y",
    parameters: &[restitution(0.0)],
    build,
};

const LINKS: usize = 11;
const LENGTH: f64 = 0.1;
const HEIGHT: f64 = 0.45;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(CHAIN_FLOOR.name, 2.0, "link11.y").problem(mechanism(parameters.get("e")?))
}

fn mechanism(e: f64) -> Built {
    let node = |number: usize| [LENGTH * number as f64, 0.0];
    let links: Vec<_> = (0..LINKS)
        .map(|link| {
            bar(
                &format!("link{}", link + 1),
                0.1,
                [node(link), node(link + 1)],
            )
        })
        .collect();
    let mut joints = vec![pivot(&links, 0, node(0))];
    joints.extend((1..LINKS).map(|link| pin(&links, link, link - 1, node(link))));
    let mut mechanism = Mechanism::new(links, GRAVITY)?.with_joints(joints)?;
    let reaching = (1..=LINKS).filter(|&number| LENGTH * number as f64 > HEIGHT);
    for number in reaching {
        let end = point_on_edge([0.0, -HEIGHT], [0.0, 1.0], [0.5 * LENGTH, 0.0])?;
        let contact = Contact::new(format!("node{number}"), e);
        mechanism = mechanism.with_contact(contact, [None, Some(number - 1)], end)?;
    }
    Ok(mechanism)
}
