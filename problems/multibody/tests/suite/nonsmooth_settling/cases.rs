//! Random mechanisms that rattle down and come to rest: rough, restitutive contacts, several of them at once.

use crate::random::Random;
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{DiscOnDisc, DiscOnLine, HalfPlane, box_on_line};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePairing};

pub type Mechanism = PlaneMechanism<PlanePairing>;

/// What falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// A box with spin on a floor.
    Box,
    /// Two or three boxes on each other.
    Boxes,
    /// Two or three discs between walls.
    Discs,
    /// A rod with its ends on a floor and a wall.
    Rod,
    /// Three hinged links.
    Chain,
}

pub const FAMILIES: [Family; 5] = [
    Family::Box,
    Family::Boxes,
    Family::Discs,
    Family::Rod,
    Family::Chain,
];

/// A mechanism with its restitution and its coefficient of friction.
pub struct Case {
    pub mechanism: Mechanism,
    pub restitution: f64,
    pub friction: f64,
}

const GRAVITY: [f64; 2] = [0.0, -9.81];

/// Bodies and contacts in the making.
struct Plan {
    bodies: Vec<PlaneBodyData>,
    joints: Vec<PlaneJoint>,
    contacts: Vec<(String, [Option<usize>; 2], PlanePairing)>,
}

impl Plan {
    fn body(&mut self, mass: f64, inertia: f64, position: [f64; 3], velocity: [f64; 3]) -> usize {
        let number = self.bodies.len();
        self.bodies.push(PlaneBodyData {
            name: format!("body{number}"),
            mass,
            inertia,
            position,
            velocity,
        });
        number
    }

    fn touch(&mut self, [a, b]: [Option<usize>; 2], pair: PlanePairing) {
        let label = format!("contact{}", self.contacts.len());
        self.contacts.push((label, [a, b], pair));
    }

    fn box_on(&mut self, below: Option<usize>, line: HalfPlane, body: usize, half: [f64; 2]) {
        for corner in box_on_line(line, [0.0, 0.0], half).unwrap() {
            self.touch([below, Some(body)], PlanePairing::DiscOnLine(corner));
        }
    }

    fn point_on(&mut self, line: HalfPlane, body: usize, point: [f64; 2]) {
        let pair = DiscOnLine::point(line, point).unwrap();
        self.touch([None, Some(body)], PlanePairing::DiscOnLine(pair));
    }

    fn build(self, restitution: f64, friction: f64) -> Mechanism {
        let mechanism = Mechanism::new(self.bodies, GRAVITY).unwrap();
        let mut mechanism = mechanism.with_joints(self.joints).unwrap();
        for (label, bodies, pair) in self.contacts {
            let law = Contact::new(label, restitution);
            let law = if friction > 0.0 {
                law.with_planar_friction(friction)
            } else {
                law
            };
            mechanism = mechanism.with_contact(law, bodies, pair).unwrap();
        }
        mechanism
    }
}

fn floor() -> HalfPlane {
    HalfPlane::new([0.0, 0.0], [0.0, 1.0]).unwrap()
}

pub fn case(family: Family, seed: u64) -> Case {
    let mut random = Random::new(seed);
    let restitution = random.one_of(&[0.0, 0.2, 0.5, 0.8]);
    let friction = random.one_of(&[0.0, 0.1, 0.5, 1.0]);
    let mut plan = Plan {
        bodies: Vec::new(),
        joints: Vec::new(),
        contacts: Vec::new(),
    };
    match family {
        Family::Box => one_box(&mut random, &mut plan),
        Family::Boxes => boxes(&mut random, &mut plan),
        Family::Discs => discs(&mut random, &mut plan),
        Family::Rod => rod(&mut random, &mut plan),
        Family::Chain => chain(&mut random, &mut plan),
    }
    Case {
        mechanism: plan.build(restitution, friction),
        restitution,
        friction,
    }
}

fn inertia_of_box(mass: f64, half: [f64; 2]) -> f64 {
    mass * (half[0] * half[0] + half[1] * half[1]) / 3.0
}

fn one_box(random: &mut Random, plan: &mut Plan) {
    let half = [random.between(0.05, 0.2), random.between(0.05, 0.2)];
    let mass = random.between(0.2, 5.0);
    let position = [0.0, random.between(0.3, 0.5), random.between(-3.0, 3.0)];
    let velocity = [
        random.between(-1.0, 1.0),
        random.between(-1.0, 0.5),
        random.between(-4.0, 4.0),
    ];
    let body = plan.body(mass, inertia_of_box(mass, half), position, velocity);
    plan.box_on(None, floor(), body, half);
}

fn boxes(random: &mut Random, plan: &mut Plan) {
    let count = random.one_of(&[2, 3]);
    let (mut below, mut line, mut height) = (None, floor(), 0.0);
    for _ in 0..count {
        let half = [random.between(0.15, 0.25), random.between(0.05, 0.1)];
        let mass = random.between(0.5, 2.0);
        height += half[1] + random.between(0.02, 0.1);
        let position = [
            random.between(-0.03, 0.03),
            height,
            random.between(-0.03, 0.03),
        ];
        let velocity = [random.between(-0.2, 0.2), 0.0, random.between(-0.3, 0.3)];
        let body = plan.body(mass, inertia_of_box(mass, half), position, velocity);
        plan.box_on(below, line, body, half);
        height += half[1];
        (below, line) = (
            Some(body),
            HalfPlane::new([0.0, half[1]], [0.0, 1.0]).unwrap(),
        );
    }
}

fn discs(random: &mut Random, plan: &mut Plan) {
    let count = random.one_of(&[2, 3]);
    let mut radii = Vec::new();
    for index in 0..count {
        let radius = random.between(0.08, 0.15);
        let mass = 10.0_f64.powf(random.between(-0.5, 0.5));
        let position = [
            random.between(-0.05, 0.05),
            0.2 + 0.35 * f64::from(index),
            0.0,
        ];
        let velocity = [
            random.between(-0.5, 0.5),
            random.between(-0.5, 0.5),
            random.between(-3.0, 3.0),
        ];
        plan.body(mass, 0.5 * mass * radius * radius, position, velocity);
        radii.push(radius);
    }
    let walls = [
        ([0.0, 0.0], [0.0, 1.0]),
        ([-0.25, 0.0], [1.0, 0.0]),
        ([0.25, 0.0], [-1.0, 0.0]),
    ];
    for (body, &radius) in radii.iter().enumerate() {
        for (point, normal) in walls {
            let line = HalfPlane::new(point, normal).unwrap();
            let pair = DiscOnLine::new(line, [0.0, 0.0], radius).unwrap();
            plan.touch([None, Some(body)], PlanePairing::DiscOnLine(pair));
        }
        for (other, &second) in radii.iter().enumerate().take(body) {
            let pair = DiscOnDisc::new([[0.0, 0.0]; 2], [second, radius]).unwrap();
            plan.touch([Some(other), Some(body)], PlanePairing::DiscOnDisc(pair));
        }
    }
}

fn rod(random: &mut Random, plan: &mut Plan) {
    let half = random.between(0.2, 0.4);
    let mass = random.between(0.5, 2.0);
    let angle = random.between(0.4, 1.4);
    // The upper end leans towards the wall on the left.
    let position = [
        half * f64::cos(angle) + random.between(0.01, 0.2),
        half * f64::sin(angle) + random.between(0.01, 0.2),
        std::f64::consts::PI - angle,
    ];
    let velocity = [
        random.between(-1.0, 1.0),
        random.between(-1.0, 0.0),
        random.between(-1.0, 1.0),
    ];
    let body = plan.body(mass, mass * half * half / 3.0, position, velocity);
    let wall = HalfPlane::new([0.0, 0.0], [1.0, 0.0]).unwrap();
    for end in [[-half, 0.0], [half, 0.0]] {
        plan.point_on(floor(), body, end);
        plan.point_on(wall, body, end);
    }
}

fn chain(random: &mut Random, plan: &mut Plan) {
    let half = 0.1;
    let (mut x, mut y) = (0.0, random.between(0.3, 0.5));
    for link in 0..3 {
        let angle: f64 = random.between(-0.6, 0.6);
        let mass = random.between(0.5, 2.0);
        let (dx, dy) = (half * angle.cos(), half * angle.sin());
        let velocity = [0.2, 0.0, 0.0];
        let position = [x + dx, y + dy, angle];
        let body = plan.body(mass, mass * half * half / 3.0, position, velocity);
        (x, y) = (x + 2.0 * dx, y + 2.0 * dy);
        if link > 0 {
            plan.joints.push(PlaneJoint::Revolute(
                (Some(body - 1), [half, 0.0]),
                (Some(body), [-half, 0.0]),
            ));
        } else {
            plan.point_on(floor(), body, [-half, 0.0]);
        }
        plan.point_on(floor(), body, [half, 0.0]);
    }
}
