//! Mechanisms that pass a configuration in which the rank of their constraint Jacobian drops, with their true motion.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State, System};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism};
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody};
use nalgebra::{Matrix3, Rotation3, Vector3};

const GRAVITY: f64 = 9.81;

/// A mechanism, its end and the true positions of some bodies there.
pub struct Case {
    pub name: String,
    pub t_end: f64,
    /// Moments at which the motion passes a singular configuration.
    pub passes: usize,
    build: Box<dyn Fn() -> Box<dyn System>>,
    /// Places among the coordinates q and their true values at the end.
    truth: Vec<(usize, f64)>,
}

impl Case {
    pub fn system(&self) -> Box<dyn System> {
        (self.build)()
    }

    /// The largest error of a position in m.
    pub fn error(&self, state: &State) -> f64 {
        let errors = self
            .truth
            .iter()
            .map(|&(place, value)| (state.q[place] - value).abs());
        errors.fold(0.0, |max, error| {
            if error > max || error.is_nan() {
                error
            } else {
                max
            }
        })
    }
}

/// A motion with one degree of freedom, from its kinetic energy a(θ) θ'²/2 and its potential energy.
struct OneFreedom<E> {
    energies: E,
    start: [f64; 2],
}

/// Inertia a(θ) and potential energy, written once over any scalar.
trait Energies {
    fn inertia<S: Scalar>(&self, angle: S) -> S;
    fn inertia_slope<S: Scalar>(&self, angle: S) -> S;
    fn potential_slope<S: Scalar>(&self, angle: S) -> S;
}

impl<E: Energies> Model for OneFreedom<E> {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![self.start[0]],
            v: vec![self.start[1]],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = self.energies.inertia(at.q[0]);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let slope = self.energies.inertia_slope(at.q[0]);
        force[0] = -slope * at.v[0] * at.v[0] * 0.5 - self.energies.potential_slope(at.q[0]);
    }
}

fn angle_at<E: Energies>(energies: E, start: [f64; 2], t_end: f64) -> f64 {
    let method = liedae_contact::methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let mut system = Automatic::new(OneFreedom { energies, start });
    let options = Options::adaptive(t_end, 1e-13, 1e-13);
    solve(&mut system, method.as_ref(), &options)
        .expect("solved")
        .state
        .q[0]
}

/// Rods on a pivot each and couplers that stay parallel to the ground, all of length and mass 1.
struct Windows(f64);

impl Energies for Windows {
    fn inertia<S: Scalar>(&self, angle: S) -> S {
        angle * 0.0 + ((self.0 + 1.0) / 3.0 + self.0)
    }
    fn inertia_slope<S: Scalar>(&self, angle: S) -> S {
        angle * 0.0
    }
    fn potential_slope<S: Scalar>(&self, angle: S) -> S {
        angle.sin() * (-GRAVITY * ((self.0 + 1.0) / 2.0 + self.0))
    }
}

/// N windows of unit rods, upright, falling to the right from 1 rad/s: flat at 0.708 s (N = 1) and again on the way up.
/// M. González et al., A benchmarking system for MBS simulation software, Multibody Syst. Dyn. 16 (2006) 179-190: the
/// N-four-bar mechanism.
pub fn four_bars(n: usize, space: bool) -> Case {
    let t_end = 1.5;
    let start = [0.0, 1.0];
    let angle = angle_at(Windows(n as f64), start, t_end);
    let (sin, cos) = angle.sin_cos();
    // Tops of the first and the last rod by the centres of rods; bodies have 3 or 12 coordinates.
    let stride = if space { 12 } else { 3 };
    let centre = |body: usize, x: f64, y: f64| [(body * stride, x), (body * stride + 1, y)];
    let mut truth = Vec::new();
    for rod in 0..=n {
        truth.extend(centre(rod, rod as f64 + 0.5 * sin, 0.5 * cos));
    }
    for coupler in 0..n {
        truth.extend(centre(n + 1 + coupler, coupler as f64 + 0.5 + sin, cos));
    }
    Case {
        name: format!(
            "{} n={n}",
            if space {
                "four-bars in space"
            } else {
                "four-bars in the plane"
            }
        ),
        t_end,
        passes: 2,
        build: Box::new(move || {
            if space {
                windows_in_space(n)
            } else {
                windows_in_the_plane(n)
            }
        }),
        truth,
    }
}

fn windows_in_the_plane(n: usize) -> Box<dyn System> {
    let inertia = 1.0 / 12.0;
    let body = |name: String, position, velocity| PlaneBodyData {
        name,
        mass: 1.0,
        inertia,
        position,
        velocity,
    };
    // θ of a rod counts from the upright, clockwise falls are negative.
    let rods = (0..=n).map(|i| body(format!("rod{i}"), [i as f64, 0.5, 0.0], [0.5, 0.0, -1.0]));
    let couplers = (0..n).map(|i| {
        body(
            format!("coupler{i}"),
            [i as f64 + 0.5, 1.0, 0.0],
            [1.0, 0.0, 0.0],
        )
    });
    let bodies = rods.chain(couplers).collect();
    let mut joints = Vec::new();
    for i in 0..=n {
        joints.push(PlaneJoint::Revolute(
            (Some(i), [0.0, -0.5]),
            (None, [i as f64, 0.0]),
        ));
    }
    for i in 0..n {
        let coupler = Some(n + 1 + i);
        joints.push(PlaneJoint::Revolute(
            (coupler, [-0.5, 0.0]),
            (Some(i), [0.0, 0.5]),
        ));
        joints.push(PlaneJoint::Revolute(
            (coupler, [0.5, 0.0]),
            (Some(i + 1), [0.0, 0.5]),
        ));
    }
    let mechanism: PlaneMechanism = PlaneMechanism::new(bodies, [0.0, -GRAVITY])
        .and_then(|mechanism| mechanism.with_joints(joints))
        .expect("a mechanism");
    Box::new(Automatic::new(mechanism))
}

fn windows_in_space(n: usize) -> Box<dyn System> {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -GRAVITY, 0.0]);
    let upright = [1.0 / 12.0, 1e-3, 1.0 / 12.0];
    let lying = [1e-3, 1.0 / 12.0, 1.0 / 12.0];
    let rods: Vec<BodyId> = (0..=n)
        .map(|i| {
            let rod = RigidBody::new(format!("rod{i}"), 1.0, upright);
            mechanism.add_body(
                rod.at([i as f64, 0.5, 0.0])
                    .moving([0.5, 0.0, 0.0], [0.0, 0.0, -1.0]),
            )
        })
        .collect();
    let couplers: Vec<BodyId> = (0..n)
        .map(|i| {
            let coupler = RigidBody::new(format!("coupler{i}"), 1.0, lying);
            mechanism.add_body(
                coupler
                    .at([i as f64 + 0.5, 1.0, 0.0])
                    .moving([1.0, 0.0, 0.0], [0.0; 3]),
            )
        })
        .collect();
    let axis = Vector3::z();
    for (i, &rod) in rods.iter().enumerate() {
        let pivot = Vector3::new(i as f64, 0.0, 0.0);
        mechanism.add_joint(Joint::revolute(
            format!("A{i}"),
            BodyId::GROUND,
            rod,
            pivot,
            axis,
        ));
    }
    for (i, &coupler) in couplers.iter().enumerate() {
        for (name, place) in [("B", i), ("C", i + 1)] {
            let corner = Vector3::new(place as f64, 1.0, 0.0);
            mechanism.add_joint(Joint::revolute(
                format!("{name}{i}"),
                rods[place],
                coupler,
                corner,
                axis,
            ));
        }
    }
    Box::new(mechanism.build().expect("consistent"))
}

/// Crank and connecting rod of length 1: with the crank upright the slider may stay in the middle or go on.
struct EqualCrank;

impl Energies for EqualCrank {
    fn inertia<S: Scalar>(&self, angle: S) -> S {
        let (sin, cos) = angle.sin_cos();
        sin * sin * 6.25 + cos * cos * 0.25 + (1.0 / 3.0 + 1.0 / 12.0)
    }
    fn inertia_slope<S: Scalar>(&self, angle: S) -> S {
        let (sin, cos) = angle.sin_cos();
        sin * cos * 12.0
    }
    fn potential_slope<S: Scalar>(&self, angle: S) -> S {
        angle.cos() * GRAVITY
    }
}

/// A slider-crank of equal lengths that passes the upright crank once.
pub fn slider_crank() -> Case {
    let t_end = 0.8;
    let start = [0.5, 5.0];
    let angle = angle_at(EqualCrank, start, t_end);
    let (sin, cos) = angle.sin_cos();
    let truth = vec![
        (0, 0.5 * cos),
        (1, 0.5 * sin),
        (3, 1.5 * cos),
        (4, 0.5 * sin),
        (6, 2.0 * cos),
    ];
    Case {
        name: "slider-crank of equal lengths".to_owned(),
        t_end,
        passes: 1,
        build: Box::new(move || {
            let [angle, rate] = start;
            let (sin, cos) = angle.sin_cos();
            let body = |name: &str, position: [f64; 3], velocity: [f64; 3]| PlaneBodyData {
                name: name.to_owned(),
                mass: 1.0,
                inertia: 1.0 / 12.0,
                position,
                velocity: velocity.map(|v| v * rate),
            };
            let bodies = vec![
                body(
                    "crank",
                    [0.5 * cos, 0.5 * sin, angle],
                    [-0.5 * sin, 0.5 * cos, 1.0],
                ),
                body(
                    "rod",
                    [1.5 * cos, 0.5 * sin, -angle],
                    [-1.5 * sin, 0.5 * cos, -1.0],
                ),
                body("slider", [2.0 * cos, 0.0, 0.0], [-2.0 * sin, 0.0, 0.0]),
            ];
            let joints = [
                PlaneJoint::Revolute((Some(0), [-0.5, 0.0]), (None, [0.0; 2])),
                PlaneJoint::Revolute((Some(0), [0.5, 0.0]), (Some(1), [-0.5, 0.0])),
                PlaneJoint::Revolute((Some(1), [0.5, 0.0]), (Some(2), [0.0; 2])),
                PlaneJoint::PointOnLine((Some(2), [0.0; 2]), (None, [0.0; 2]), [1.0, 0.0]),
                PlaneJoint::Angle(Some(2), None, 0.0),
            ];
            let mechanism: PlaneMechanism = PlaneMechanism::new(bodies, [0.0, -GRAVITY])
                .and_then(|mechanism| mechanism.with_joints(joints))
                .expect("a mechanism");
            Box::new(Automatic::new(mechanism))
        }),
        truth,
    }
}

/// Two equal cranks and a coupler of another length, in a tilted plane of space, without redundant rows.
struct Parallelogram {
    crank: f64,
}

impl Energies for Parallelogram {
    fn inertia<S: Scalar>(&self, angle: S) -> S {
        angle * 0.0 + self.crank * self.crank * (2.0 / 3.0 + 1.0)
    }
    fn inertia_slope<S: Scalar>(&self, angle: S) -> S {
        angle * 0.0
    }
    fn potential_slope<S: Scalar>(&self, angle: S) -> S {
        angle.sin() * (-GRAVITY * 2.0 * self.crank)
    }
}

/// The error of a method with constant steps for the one equation in the angle of the cranks, as a distance of the coupler in m.
pub fn parallelogram_error(start: [f64; 2], t_end: f64, method: &str, step: f64) -> f64 {
    let crank = 0.6;
    let energies = Parallelogram { crank };
    let mut system = Automatic::new(OneFreedom { energies, start });
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let options = Options::fixed(t_end, step);
    let end = solve(&mut system, method.as_ref(), &options).expect("solved");
    let energies = Parallelogram { crank };
    crank * (end.state.q[0] - angle_at(energies, start, t_end)).abs()
}

/// When a parallelogram linkage lies flat, from the one equation in the angle of its cranks.
pub fn flat_moments(start: [f64; 2], t_end: f64) -> Vec<f64> {
    let method = liedae_contact::methods()
        .build("dop853", &MethodOptions::default())
        .expect("registered");
    let energies = Parallelogram { crank: 0.6 };
    let mut system = Automatic::new(OneFreedom { energies, start });
    let angle = |t: f64, system: &mut dyn System| {
        let options = Options::adaptive(t, 1e-13, 1e-13);
        let end = solve(system, method.as_ref(), &options)
            .expect("solved")
            .state;
        [end.q[0], end.v[0]]
    };
    let [first, last] =
        [start[0], angle(t_end, &mut system)[0]].map(|angle| angle / std::f64::consts::PI - 0.5);
    let numbers = (first.floor() as i64 + 1)..=(last.floor() as i64);
    numbers
        .map(|number| {
            let flat = (number as f64 + 0.5) * std::f64::consts::PI;
            // Bisection first, Newton then.
            let (mut low, mut high) = (0.0, t_end);
            for _ in 0..12 {
                let middle = 0.5 * (low + high);
                if angle(middle, &mut system)[0] < flat {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let mut t = 0.5 * (low + high);
            for _ in 0..4 {
                let [angle, rate] = angle(t, &mut system);
                t -= (angle - flat) / rate;
            }
            t
        })
        .collect()
}

/// A parallelogram linkage of cranks 0.6 and coupler 1.3, in the plane or in a tilted plane of space, where a ball joint and a
/// universal joint leave no row redundant.
pub fn parallelogram(space: bool) -> Case {
    parallelogram_from([0.3, 2.0], 1.5, 2, space)
}

/// The same from another angle and rate of the cranks; so many times until the end it lies flat.
pub fn parallelogram_from(start: [f64; 2], t_end: f64, passes: usize, space: bool) -> Case {
    let (crank, coupler) = (0.6, 1.3);
    let angle = angle_at(Parallelogram { crank }, start, t_end);
    let tilt = Rotation3::from_euler_angles(0.4, -0.7, 0.2);
    let centres = move |angle: f64| {
        let (x, y) = (crank * angle.sin(), crank * angle.cos());
        [
            [0.5 * x, 0.5 * y, 0.0],
            [coupler + 0.5 * x, 0.5 * y, 0.0],
            [0.5 * coupler + x, y, 0.0],
        ]
    };
    let rates = move |angle: f64, rate: f64| {
        let (x, y) = (crank * angle.cos() * rate, -crank * angle.sin() * rate);
        [
            [0.5 * x, 0.5 * y, 0.0],
            [0.5 * x, 0.5 * y, 0.0],
            [x, y, 0.0],
        ]
    };
    let at_end = centres(angle).into_iter().enumerate();
    let truth = if space {
        at_end
            .flat_map(|(body, centre)| {
                let centre = tilt * Vector3::from(centre);
                (0..3).map(move |axis| (12 * body + axis, centre[axis]))
            })
            .collect()
    } else {
        at_end
            .flat_map(|(body, [x, y, _])| [(3 * body, x), (3 * body + 1, y)])
            .collect()
    };
    let inertia = crank * crank / 12.0;
    let [angle, rate] = start;
    Case {
        name: if space {
            "parallelogram in space"
        } else {
            "parallelogram"
        }
        .to_owned(),
        t_end,
        passes,
        build: Box::new(move || {
            let names = ["left", "right", "coupler"];
            let turns = [-angle, -angle, 0.0];
            let spins = [-rate, -rate, 0.0];
            let inertias = [inertia, inertia, coupler * coupler / 12.0];
            if !space {
                let bodies = (0..3)
                    .map(|i| {
                        let ([x, y, _], [vx, vy, _]) = (centres(angle)[i], rates(angle, rate)[i]);
                        PlaneBodyData {
                            name: names[i].to_owned(),
                            mass: 1.0,
                            inertia: inertias[i],
                            position: [x, y, turns[i]],
                            velocity: [vx, vy, spins[i]],
                        }
                    })
                    .collect();
                let (low, high) = ([0.0, -0.5 * crank], [0.0, 0.5 * crank]);
                let joints = [
                    PlaneJoint::Revolute((Some(0), low), (None, [0.0; 2])),
                    PlaneJoint::Revolute((Some(1), low), (None, [coupler, 0.0])),
                    PlaneJoint::Revolute((Some(2), [-0.5 * coupler, 0.0]), (Some(0), high)),
                    PlaneJoint::Revolute((Some(2), [0.5 * coupler, 0.0]), (Some(1), high)),
                ];
                let mechanism: PlaneMechanism = PlaneMechanism::new(bodies, [0.0, -GRAVITY])
                    .and_then(|mechanism| mechanism.with_joints(joints))
                    .expect("a mechanism");
                return Box::new(Automatic::new(mechanism)) as Box<dyn System>;
            }
            let mut mechanism = MultibodyBuilder::new();
            mechanism.gravity(tilt * Vector3::new(0.0, -GRAVITY, 0.0));
            let bodies: Vec<BodyId> = (0..3)
                .map(|i| {
                    let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), turns[i]);
                    let rotation: Matrix3<f64> = (tilt * turn).into_inner();
                    let body = RigidBody::new(names[i], 1.0, [inertias[i]; 3]).rotated(rotation);
                    let velocity = tilt * Vector3::from(rates(angle, rate)[i]);
                    let centre = tilt * Vector3::from(centres(angle)[i]);
                    mechanism.add_body(body.at(centre).moving(velocity, [0.0, 0.0, spins[i]]))
                })
                .collect();
            let place = |x: f64, y: f64| tilt * Vector3::new(x, y, 0.0);
            let (x, y) = (crank * angle.sin(), crank * angle.cos());
            let axis = tilt * Vector3::z();
            let across = tilt * Vector3::x();
            mechanism.add_joint(Joint::revolute(
                "A",
                BodyId::GROUND,
                bodies[0],
                place(0.0, 0.0),
                axis,
            ));
            mechanism.add_joint(Joint::spherical("B", bodies[0], bodies[2], place(x, y)));
            mechanism.add_joint(Joint::universal(
                "C",
                bodies[1],
                bodies[2],
                place(coupler + x, y),
                axis,
                across,
            ));
            mechanism.add_joint(Joint::revolute(
                "D",
                BodyId::GROUND,
                bodies[1],
                place(coupler, 0.0),
                axis,
            ));
            Box::new(mechanism.build().expect("consistent"))
        }),
        truth,
    }
}
