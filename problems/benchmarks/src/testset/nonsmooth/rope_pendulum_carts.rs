//! Carts that a pendulum pulls by ropes.

use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::points::slider;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::Rope;
use liedae_multibody::plane::{PlaneForce, PlaneJoint, PlanePairing};

pub(crate) const ROPE_PENDULUM_CARTS: ProblemEntry = ProblemEntry {
    name: "rope-pendulum-carts",
    title: "two carts linked by ropes over a pendulum",
    description: "A pendulum of 1 kg and 1 m starts hanging with 4 rad/s. Ropes of 1.4 m without mass go from its bob to two \
                  carts of 1 kg on a rail at the height of the hanging bob, 1.2 m to both sides, held by springs of 20 N/m. A rope \
                  is slack until the bob is far enough, then taut with a jerk. Numbers are this project's own.",
    source: "own mechanism; unilateral constraints on distances",
    parameters: &[restitution(0.0)],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(ROPE_PENDULUM_CARTS.name, 3.0, "bob.x").problem(mechanism(parameters.get("e")?))
}

fn mechanism(e: f64) -> Built {
    const RATE: f64 = 4.0;
    let mut bob = body("bob", 1.0, 1e-3, [0.0, -1.0, 0.0]);
    bob.velocity = [RATE, 0.0, RATE];
    let bodies = vec![
        bob,
        body("left", 1.0, 1e-2, [-1.2, -1.0, 0.0]),
        body("right", 1.0, 1e-2, [1.2, -1.0, 0.0]),
    ];
    let mut joints = vec![PlaneJoint::Revolute(
        (Some(0), [0.0, 1.0]),
        (None, [0.0, 0.0]),
    )];
    joints.extend((1..3).flat_map(|cart| slider(&bodies, cart, [1.0, 0.0])));
    let spring = |cart: usize, wall: f64| PlaneForce::Spring {
        points: [(Some(cart), [0.0, 0.0]), (None, [wall, -1.0])],
        stiffness: 20.0,
        damping: 0.0,
        free_length: 1.0,
    };
    let mut mechanism = Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces([spring(1, -2.2), spring(2, 2.2)])?;
    for (label, cart) in [("rope-left", 1), ("rope-right", 2)] {
        let rope = PlanePairing::Rope(Rope::new([[0.0, 0.0]; 2], 1.4)?);
        mechanism = mechanism.with_contact(Contact::new(label, e), [Some(0), Some(cart)], rope)?;
    }
    Ok(mechanism)
}
