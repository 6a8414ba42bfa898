//! Random plane linkages of one freedom that are regular over the whole turn of their crank: crank-rockers, six-bar linkages of Watt
//! and Stephenson, Jansen's leg. All of them are dyads on a crank, so that every point is known in closed form.

use crate::random::Random;
use liedae::scalar::{Scalar, Taylor2};
use liedae::system::{Automatic, System};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism};
use liedae_multibody::{BodyId, Drive, Joint, Motion, MultibodyBuilder, RigidBody};
use nalgebra::{Matrix3, Rotation3, Vector3};
use std::f64::consts::TAU;

const GRAVITY: f64 = 9.81;

/// Angles at which regularity is checked, over a whole turn.
const SAMPLES: usize = 180;

/// The links of a dyad are nowhere nearer than this (rad) to a line.
const APART: f64 = 0.25;

type Pair<S> = [S; 2];

/// How a point follows from points before it.
#[derive(Clone, Copy, Debug)]
enum Point {
    Fixed([f64; 2]),
    /// The pin of the crank about this point, of this length.
    Crank(usize, f64),
    /// At these distances from two points, on the left of the line from the first to the second, or on its right.
    Dyad([usize; 2], [f64; 2], bool),
    /// Of a link through two points: along from the first to the second, and to the left of that, in parts of the distance.
    Carried([usize; 2], [f64; 2]),
}

/// A linkage; its first body is the crank.
#[derive(Clone, Debug)]
pub struct Linkage {
    pub name: &'static str,
    points: Vec<Point>,
    /// The points of each body, and its mass and inertia.
    bodies: Vec<(Vec<usize>, f64, f64)>,
    /// Which bodies a revolute joins, and at which point; `None` is the ground.
    joints: Vec<([Option<usize>; 2], usize)>,
    /// Angle and rate of the crank at the start.
    pub start: [f64; 2],
}

/// Position and angle of a body, with their rates.
pub struct Pose {
    pub position: [f64; 2],
    pub angle: f64,
    velocity: [f64; 2],
    rate: f64,
}

impl Linkage {
    /// Of a kind by number, which must be regular: kinds of numbers that are not are drawn again.
    pub fn random(random: &mut Random) -> Self {
        loop {
            let linkage = match random.below(5) {
                0 => crank_rocker(random),
                1 => watt(random, true),
                2 => watt(random, false),
                3 => stephenson(random),
                _ => jansen(random),
            };
            if linkage.is_regular() {
                return linkage;
            }
        }
    }

    fn new(name: &'static str, points: Vec<Point>, random: &mut Random) -> Self {
        Self {
            name,
            points,
            bodies: Vec::new(),
            joints: Vec::new(),
            start: [random.between(0.0, TAU), random.between(1.0, 8.0)],
        }
    }

    /// Adds a body through these points.
    fn body(&mut self, points: &[usize], random: &mut Random) -> Option<usize> {
        let (mass, inertia) = (random.between(0.2, 2.0), random.between(0.5, 2.0) * 1e-2);
        self.bodies.push((points.to_vec(), mass, inertia));
        Some(self.bodies.len() - 1)
    }

    fn joint(&mut self, bodies: [Option<usize>; 2], point: usize) {
        self.joints.push((bodies, point));
    }

    /// All points at an angle of the crank; `None` where a dyad cannot be closed.
    fn places<S: Scalar>(&self, angle: S) -> Option<Vec<Pair<S>>> {
        let mut places: Vec<Pair<S>> = Vec::new();
        for point in &self.points {
            let place = match *point {
                Point::Fixed(place) => place.map(S::constant),
                Point::Crank(centre, length) => {
                    let ([x, y], (sin, cos)) = (places[centre], angle.sin_cos());
                    [x + cos * length, y + sin * length]
                }
                Point::Dyad([a, b], [first, second], left) => {
                    let (a, b) = (places[a], places[b]);
                    let along = [b[0] - a[0], b[1] - a[1]];
                    let square = along[0] * along[0] + along[1] * along[1];
                    // Parts of the line, and of the perpendicular to it.
                    let part = (square + (first * first - second * second)) / square * 0.5;
                    let rest = square.recip() * (first * first) - part * part;
                    if rest.value().is_nan() || rest.value() <= 0.0 {
                        return None;
                    }
                    let up = rest.sqrt() * if left { 1.0 } else { -1.0 };
                    [
                        a[0] + along[0] * part - along[1] * up,
                        a[1] + along[1] * part + along[0] * up,
                    ]
                }
                Point::Carried([a, b], [along, up]) => {
                    let (a, b) = (places[a], places[b]);
                    let line = [b[0] - a[0], b[1] - a[1]];
                    [
                        a[0] + line[0] * along - line[1] * up,
                        a[1] + line[1] * along + line[0] * up,
                    ]
                }
            };
            places.push(place);
        }
        Some(places)
    }

    /// Whether no dyad comes near a line over the whole turn.
    fn is_regular(&self) -> bool {
        (0..SAMPLES).all(|sample| {
            let angle = TAU * sample as f64 / SAMPLES as f64;
            let Some(places) = self.places(angle) else {
                return false;
            };
            self.points.iter().enumerate().all(|(number, point)| {
                let Point::Dyad([a, b], lengths, _) = *point else {
                    return true;
                };
                let links = [a, b]
                    .map(|other| [0, 1].map(|axis| places[number][axis] - places[other][axis]));
                let cross = links[0][0] * links[1][1] - links[0][1] * links[1][0];
                (cross / (lengths[0] * lengths[1])).abs() > APART.sin()
            })
        })
    }

    /// The bodies at an angle and a rate of the crank.
    pub fn poses(&self, angle: f64, rate: f64) -> Vec<Pose> {
        let angle = Taylor2 {
            value: angle,
            first: rate,
            second: 0.0,
        };
        let places = self.places(angle).expect("closed");
        let bodies = self.bodies.iter();
        bodies
            .map(|(points, ..)| {
                let count = points.len() as f64;
                let mean = [0, 1].map(|axis| {
                    let sum = points.iter().map(|&point| places[point][axis]);
                    sum.fold(Taylor2::constant(0.0), |sum, next| sum + next) / count
                });
                let [from, to] = [places[points[0]], places[points[1]]];
                let turn = (to[1] - from[1]).atan2(to[0] - from[0]);
                Pose {
                    position: mean.map(|mean| mean.value),
                    angle: turn.value,
                    velocity: mean.map(|mean| mean.first),
                    rate: turn.first,
                }
            })
            .collect()
    }

    /// In the plane, without redundant rows, under gravity.
    pub fn in_the_plane(&self) -> Box<dyn System> {
        let [angle, rate] = self.start;
        let (places, poses) = (self.places(angle).expect("closed"), self.poses(angle, rate));
        let bodies = self.bodies.iter().zip(&poses).enumerate();
        let bodies = bodies.map(|(number, ((_, mass, inertia), pose))| PlaneBodyData {
            name: format!("body{number}"),
            mass: *mass,
            inertia: *inertia,
            position: [pose.position[0], pose.position[1], pose.angle],
            velocity: [pose.velocity[0], pose.velocity[1], pose.rate],
        });
        let local = |body: Option<usize>, point: usize| {
            let Some(body) = body else {
                return (None, places[point]);
            };
            let (sin, cos) = poses[body].angle.sin_cos();
            let [x, y] = [0, 1].map(|axis| places[point][axis] - poses[body].position[axis]);
            (Some(body), [cos * x + sin * y, cos * y - sin * x])
        };
        let joints = self.joints.iter().map(|&([first, second], point)| {
            PlaneJoint::Revolute(local(first, point), local(second, point))
        });
        let (bodies, joints) = (bodies.collect(), joints.collect::<Vec<_>>());
        let mechanism: PlaneMechanism = PlaneMechanism::new(bodies, [0.0, -GRAVITY])
            .and_then(|mechanism| mechanism.with_joints(joints))
            .expect("a mechanism");
        Box::new(Automatic::new(mechanism))
    }

    /// In a tilted plane of space, with revolutes: half of their rows out of the plane are redundant. The crank may be driven at its rate.
    pub fn in_space(&self, tilt: &Rotation3<f64>, driven: bool) -> Box<dyn System> {
        let [angle, rate] = self.start;
        let (places, poses) = (self.places(angle).expect("closed"), self.poses(angle, rate));
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity(tilt * Vector3::new(0.0, -GRAVITY, 0.0));
        let bodies = self.bodies.iter().zip(&poses).enumerate();
        let bodies: Vec<BodyId> = bodies
            .map(|(number, ((_, mass, inertia), pose))| {
                let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), pose.angle);
                let rotation: Matrix3<f64> = (tilt * turn).into_inner();
                let inertias = [0.7 * inertia, 0.9 * inertia, *inertia];
                let body = RigidBody::new(format!("body{number}"), *mass, inertias);
                let in_space = |[x, y]: [f64; 2]| tilt * Vector3::new(x, y, 0.0);
                mechanism.add_body(
                    body.rotated(rotation)
                        .at(in_space(pose.position))
                        .moving(in_space(pose.velocity), [0.0, 0.0, pose.rate]),
                )
            })
            .collect();
        let id = |body: Option<usize>| body.map_or(BodyId::GROUND, |body| bodies[body]);
        let mut first = None;
        for (number, &([one, other], point)) in self.joints.iter().enumerate() {
            let place = tilt * Vector3::new(places[point][0], places[point][1], 0.0);
            let (name, axis) = (format!("joint{number}"), tilt * Vector3::z());
            let joint = Joint::revolute(name, id(one), id(other), place, axis);
            let joint = mechanism.add_joint(joint);
            first.get_or_insert(joint);
        }
        if let Some(motor) = first.filter(|_| driven) {
            mechanism.add_drive("motor", motor, Drive::Angle(Motion::linear(0.0, rate)));
        }
        Box::new(mechanism.build().expect("consistent"))
    }
}

/// Crank, coupler and rocker by Grashof's rule; the points 0 to 3 are the pivots and pins of crank and rocker.
fn four_bar(name: &'static str, random: &mut Random) -> Linkage {
    let crank = random.between(0.1, 0.3);
    let [coupler, rocker, ground] = [(); 3].map(|()| random.between(0.3, 1.0));
    let turn = random.between(0.0, TAU);
    let points = vec![
        Point::Fixed([0.0; 2]),
        Point::Fixed([ground * turn.cos(), ground * turn.sin()]),
        Point::Crank(0, crank),
        Point::Dyad([2, 1], [coupler, rocker], random.unit() < 0.5),
    ];
    let mut linkage = Linkage::new(name, points, random);
    let crank = linkage.body(&[0, 2], random);
    linkage.joint([None, crank], 0);
    linkage
}

fn crank_rocker(random: &mut Random) -> Linkage {
    let mut linkage = four_bar("crank-rocker", random);
    let coupler = linkage.body(&[2, 3], random);
    let rocker = linkage.body(&[1, 3], random);
    linkage.joint([Some(0), coupler], 2);
    linkage.joint([coupler, rocker], 3);
    linkage.joint([None, rocker], 1);
    linkage
}

/// A link through two points that carries a third one.
fn carried(random: &mut Random, pair: [usize; 2]) -> Point {
    let side = random.one_of(&[-1.0, 1.0]);
    let place = [random.between(0.2, 1.3), side * random.between(0.2, 0.8)];
    Point::Carried(pair, place)
}

/// Watt's six-bar linkages: a dyad between coupler and rocker, or between rocker and ground.
fn watt(random: &mut Random, first: bool) -> Linkage {
    let mut linkage = four_bar("Watt", random);
    // 4 is on the rocker, 5 on the coupler or on the ground, 6 the pin of the dyad.
    let on_rocker = carried(random, [1, 3]);
    let other = if first {
        carried(random, [2, 3])
    } else {
        Point::Fixed([random.between(-1.0, 1.0), random.between(-1.0, 1.0)])
    };
    let lengths = [random.between(0.3, 1.0), random.between(0.3, 1.0)];
    let dyad = Point::Dyad([4, 5], lengths, random.unit() < 0.5);
    linkage.points.extend([on_rocker, other, dyad]);
    let coupler = linkage.body(if first { &[2, 3, 5] } else { &[2, 3] }, random);
    let rocker = linkage.body(&[1, 3, 4], random);
    let links = [linkage.body(&[4, 6], random), linkage.body(&[5, 6], random)];
    linkage.joint([Some(0), coupler], 2);
    linkage.joint([coupler, rocker], 3);
    linkage.joint([None, rocker], 1);
    linkage.joint([rocker, links[0]], 4);
    linkage.joint(links, 6);
    linkage.joint([links[1], if first { coupler } else { None }], 5);
    linkage
}

/// Stephenson's third six-bar linkage: a dyad between coupler and ground.
fn stephenson(random: &mut Random) -> Linkage {
    let mut linkage = four_bar("Stephenson", random);
    let on_coupler = carried(random, [2, 3]);
    let pivot = Point::Fixed([random.between(-1.0, 1.0), random.between(-1.0, 1.0)]);
    let lengths = [random.between(0.3, 1.2), random.between(0.3, 1.2)];
    let dyad = Point::Dyad([4, 5], lengths, random.unit() < 0.5);
    linkage.points.extend([on_coupler, pivot, dyad]);
    let coupler = linkage.body(&[2, 3, 4], random);
    let rocker = linkage.body(&[1, 3], random);
    let links = [linkage.body(&[4, 6], random), linkage.body(&[5, 6], random)];
    linkage.joint([Some(0), coupler], 2);
    linkage.joint([coupler, rocker], 3);
    linkage.joint([None, rocker], 1);
    linkage.joint([coupler, links[0]], 4);
    linkage.joint(links, 6);
    linkage.joint([links[1], None], 5);
    linkage
}

/// Jansen's leg with lengths within 4 % of his.
fn jansen(random: &mut Random) -> Linkage {
    let mut length = |nominal: f64| 0.01 * nominal * random.between(0.96, 1.04);
    let [a, l, m] = [38.0, 7.8, 15.0].map(&mut length);
    let [j, b, k, c] = [50.0, 41.5, 61.9, 39.3].map(&mut length);
    let [d, e, f, g] = [40.1, 55.8, 39.4, 36.7].map(&mut length);
    let [h, i] = [65.7, 49.0].map(&mut length);
    let points = vec![
        Point::Fixed([0.0; 2]),
        Point::Fixed([-a, -l]),
        Point::Crank(0, m),
        // Upper and lower end of the links from the crank.
        Point::Dyad([2, 1], [j, b], false),
        Point::Dyad([2, 1], [k, c], true),
        // The triangle about the pivot, the knee, the foot.
        Point::Dyad([3, 1], [e, d], false),
        Point::Dyad([5, 4], [f, g], true),
        Point::Dyad([6, 4], [h, i], true),
    ];
    let mut linkage = Linkage::new("Jansen", points, random);
    let crank = linkage.body(&[0, 2], random);
    let [upper, lower] = [linkage.body(&[2, 3], random), linkage.body(&[2, 4], random)];
    let triangle = linkage.body(&[1, 3, 5], random);
    let strut = linkage.body(&[1, 4], random);
    let shank = linkage.body(&[5, 6], random);
    let foot = linkage.body(&[4, 6, 7], random);
    linkage.joint([None, crank], 0);
    linkage.joint([crank, upper], 2);
    linkage.joint([crank, lower], 2);
    linkage.joint([upper, triangle], 3);
    linkage.joint([None, triangle], 1);
    linkage.joint([None, strut], 1);
    linkage.joint([lower, strut], 4);
    linkage.joint([strut, foot], 4);
    linkage.joint([triangle, shank], 5);
    linkage.joint([shank, foot], 6);
    linkage
}
