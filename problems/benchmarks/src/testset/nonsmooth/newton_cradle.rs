//! Newton's cradle.

use super::statement::{LAW, Statement, law, restitution};
use crate::mechanisms::plane::bodies::particle;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::DiscOnDisc;
use liedae_multibody::plane::{PlaneJoint, PlanePairing};

pub(crate) const NEWTON_CRADLE: ProblemEntry = ProblemEntry {
    name: "newton-cradle",
    title: "Newton's cradle, the balls in touch or apart",
    description: "A row of equal balls of 1 kg and 0.1 m diameter on rods of 1 m; the first one is drawn aside and \
                  released. What happens to balls in touch depends on the law of impact: three of them with e = 1 leave \
                  with -v/3, 2v/3, 2v/3 (Moreau) or 0, 0, v (sequential). With motion=1 the balls are free and weightless and \
                  the first one arrives with 1 m/s.",
    source: "classical; laws of impact: M. Haddouni et al., Multibody Syst Dyn 41 (2017) 201-231, \
             doi:10.1007/s11044-017-9570-y; C. Glocker and F. Pfeiffer 1995, doi:10.1007/BF00045887",
    parameters: &[
        ParameterInfo::new("n", 3.0, "1", Range::Integer(2, 50), "number of balls"),
        restitution(1.0),
        ParameterInfo::new(
            "gap",
            0.0,
            "m",
            Range::Between(0.0, 0.1),
            "distance of the balls at rest",
        ),
        ParameterInfo::new(
            "angle",
            0.5,
            "rad",
            Range::Between(0.0, 1.5),
            "initial angle of the first rod",
        ),
        LAW,
        ParameterInfo::new(
            "motion",
            0.0,
            "1",
            Range::Choice(&["pendulums", "free"]),
            "on rods, or free without gravity",
        ),
    ],
    build,
};

const RADIUS: f64 = 0.05;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let row = Row {
        count: parameters.get("n")? as usize,
        e: parameters.get("e")?,
        pitch: 2.0 * RADIUS + parameters.get("gap")?,
    };
    let mechanism = if parameters.get("motion")? == 0.0 {
        row.pendulums(parameters.get("angle")?)
    } else {
        row.free()
    };
    Statement::new(NEWTON_CRADLE.name, 5.0, "ball1.x")
        .with_law(law(parameters)?)
        .problem(mechanism)
}

struct Row {
    count: usize,
    e: f64,
    pitch: f64,
}

impl Row {
    fn balls(&self) -> Vec<liedae_multibody::plane::PlaneBodyData> {
        (0..self.count)
            .map(|ball| {
                let mut body = particle(
                    &format!("ball{}", ball + 1),
                    [self.pitch * ball as f64, 0.0],
                    [0.0, 0.0],
                );
                body.inertia = 0.4 * RADIUS * RADIUS;
                body
            })
            .collect()
    }

    fn pendulums(&self, angle: f64) -> Built {
        let mut balls = self.balls();
        balls[0].position = [-angle.sin(), 1.0 - angle.cos(), -angle];
        let joints = (0..self.count).map(|ball| {
            let support = [self.pitch * ball as f64, 1.0];
            PlaneJoint::Revolute((Some(ball), [0.0, 1.0]), (None, support))
        });
        self.with_contacts(Mechanism::new(balls, GRAVITY)?.with_joints(joints)?)
    }

    fn free(&self) -> Built {
        let mut balls = self.balls();
        balls[0].velocity[0] = 1.0;
        self.with_contacts(Mechanism::new(balls, [0.0, 0.0])?)
    }

    fn with_contacts(&self, mut mechanism: Mechanism) -> Built {
        for ball in 1..self.count {
            let contact = Contact::new(format!("contact{ball}"), self.e);
            let pair = DiscOnDisc::new([[0.0, 0.0]; 2], [RADIUS; 2])?;
            mechanism = mechanism.with_contact(
                contact,
                [Some(ball - 1), Some(ball)],
                PlanePairing::DiscOnDisc(pair),
            )?;
        }
        Ok(mechanism)
    }
}
