//! Closed loops of four revolutes in space: the planar four-bar, with three redundant rows everywhere in the plane, and
//! Bennett's linkage, whose three redundant rows depend on the others only where the loop is closed.

use liedae::integrator::{Kind, MethodOptions, StepError};
use liedae::solve::{Options, SolveError, SolveErrorKind, solve};
use liedae::system::State;
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BearingFriction, BodyId, Joint, MultibodyBuilder, MultibodySystem, RigidBody,
};
use nalgebra::{Matrix4, Rotation3, Translation3, Vector3};

/// Points and directions of four axes around a loop; the link between the last and the first is the ground.
struct Loop {
    points: [Vector3<f64>; 4],
    axes: [Vector3<f64>; 4],
}

impl Loop {
    fn planar() -> Self {
        let points = [[0.0, 0.0], [0.3, 0.9], [1.9, 1.3], [1.5, 0.0]];
        Self {
            points: points.map(|[x, y]| Vector3::new(x, y, 0.0)),
            axes: [Vector3::z(); 4],
        }
    }

    /// G. T. Bennett, A new mechanism, Engineering 76 (1903) 777: opposite links are equal, a / sin α = b / sin β.
    fn bennett() -> Self {
        let (alpha, beta, a) = (0.6_f64, 1.3_f64, 1.0);
        let b = a * beta.sin() / alpha.sin();
        let first = 1.1_f64;
        let ratio = ((beta + alpha) / 2.0).sin() / ((beta - alpha) / 2.0).sin();
        let second = 2.0 * (ratio / (first / 2.0).tan()).atan();
        let angles = [first, second, -first, -second];
        let links = [(a, alpha), (b, beta), (a, alpha), (b, beta)];
        let mut frame = Matrix4::identity();
        let mut found = Self {
            points: [Vector3::zeros(); 4],
            axes: [Vector3::zeros(); 4],
        };
        for (index, (angle, (length, twist))) in angles.into_iter().zip(links).enumerate() {
            found.points[index] = frame.fixed_view::<3, 1>(0, 3).into();
            found.axes[index] = frame.fixed_view::<3, 1>(0, 2).into();
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).to_homogeneous();
            let along = Translation3::new(length, 0.0, 0.0).to_homogeneous();
            let tilt = Rotation3::from_axis_angle(&Vector3::x_axis(), twist).to_homogeneous();
            frame = frame * turn * along * tilt;
        }
        let gap = (frame - Matrix4::identity()).norm();
        assert!(gap < 1e-12, "the loop is open by {gap:e}");
        found
    }

    /// Three links from rest under gravity; without redundant rows a ball joint and a universal joint take the place of two
    /// revolutes.
    fn mechanism(&self, redundant: bool) -> MultibodySystem {
        let (p, z) = (&self.points, &self.axes);
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.7, -9.81, 1.3]);
        let mut link = |name: &str, from: usize| {
            let body = RigidBody::new(name, 1.0 + from as f64, [0.2, 0.2, 0.2]);
            mechanism.add_body(body.at((p[from] + p[from + 1]) / 2.0))
        };
        let links = [link("crank", 0), link("coupler", 1), link("rocker", 2)];
        let ground = BodyId::GROUND;
        mechanism.add_joint(Joint::revolute("A", ground, links[0], p[0], z[0]));
        if redundant {
            mechanism.add_joint(Joint::revolute("B", links[0], links[1], p[1], z[1]));
            mechanism.add_joint(Joint::revolute("C", links[1], links[2], p[2], z[2]));
        } else {
            let across = z[2].cross(&(p[3] - p[2])).normalize();
            mechanism.add_joint(Joint::spherical("B", links[0], links[1], p[1]));
            mechanism.add_joint(Joint::universal(
                "C", links[1], links[2], p[2], z[2], across,
            ));
        }
        mechanism.add_joint(Joint::revolute("D", links[2], ground, p[3], z[3]));
        mechanism.build().expect("consistent")
    }
}

fn run(
    shape: &Loop,
    redundant: bool,
    method: &str,
    options: &Options,
) -> Result<State, SolveError> {
    let mut system = shape.mechanism(redundant);
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(&mut system, method.as_ref(), options).map(|solution| solution.state)
}

fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v));
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (a - b).abs()))
}

#[test]
fn loops_of_revolutes_move_like_loops_without_redundant_rows() {
    let t_end = 0.5;
    for (name, shape) in [("planar", Loop::planar()), ("bennett", Loop::bennett())] {
        let tight = Options::adaptive(t_end, 1e-12, 1e-12);
        let reference = run(&shape, false, "hem5", &tight).expect("solved");
        for (method, adaptive) in [
            ("hem5", 1e-6),
            ("phem56", 1e-5),
            ("extrapolation", 1e-5),
            ("mdop5", 1e-5),
            ("dopri5", 1e-4),
            ("dop853", 1e-5),
            ("radau5", 1e-4),
            ("generalized-alpha-stabilized", 1e-3),
        ] {
            let options = [
                (Options::adaptive(t_end, 1e-7, 1e-7), adaptive),
                (Options::fixed(t_end, 0.01), f64::INFINITY),
            ];
            for (options, bound) in options {
                let plain = run(&shape, false, method, &options).expect("solved");
                let plain = distance(&plain, &reference);
                let found = run(&shape, true, method, &options);
                println!(
                    "{name} {method}: {plain:e} {:?}",
                    found
                        .as_ref()
                        .map(|state| distance(state, &reference))
                        .map_err(|error| error.to_string())
                );
                let found = distance(&found.expect("solved"), &reference);
                assert!(found < bound, "{name} {method}: {found:e}");
                assert!(
                    found < 10.0 * plain + 1e-9,
                    "{name} {method}: {found:e}, not {plain:e}"
                );
            }
        }
    }
}

/// What is redundant beside a bearing that rubs.
#[derive(Clone, Copy, Debug)]
enum Redundant {
    /// A ball joint that is stated twice.
    BallJoint,
    /// A door on two hinges.
    Hinges,
    /// A planar four-bar of revolutes in space.
    FourBar,
}

/// A wheel that a bearing slows down, and redundant rows.
fn rubbing(redundant: Redundant) -> NonsmoothSystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.7, -9.81, 1.3]);
    let ground = BodyId::GROUND;
    let link = |mechanism: &mut MultibodyBuilder, name: &str, at: [f64; 3]| {
        mechanism.add_body(RigidBody::new(name, 1.3, [0.02, 0.03, 0.025]).at(at))
    };
    match redundant {
        Redundant::BallJoint => {
            let ball = link(&mut mechanism, "ball", [0.3, 0.4, 0.1]);
            let point = Vector3::new(0.1, -0.2, 0.3);
            mechanism.add_joint(Joint::spherical("first", ground, ball, point));
            mechanism.add_joint(Joint::spherical("second", ground, ball, point));
        }
        Redundant::Hinges => {
            let door = link(&mut mechanism, "door", [0.4, 0.0, 0.0]);
            let axis = Vector3::new(0.1, 0.0, 1.0).normalize();
            for (name, place) in [("upper", 0.5), ("lower", -0.5)] {
                let joint = Joint::revolute(name, ground, door, place * axis, axis);
                mechanism.add_joint(joint);
            }
        }
        Redundant::FourBar => {
            let p = Loop::planar().points;
            let bodies = [0, 1, 2].map(|from| {
                let middle: Vector3<f64> = (p[from] + p[from + 1]) / 2.0;
                link(&mut mechanism, &format!("link{from}"), middle.into())
            });
            let pairs = [
                (ground, bodies[0]),
                (bodies[0], bodies[1]),
                (bodies[1], bodies[2]),
                (bodies[2], ground),
            ];
            for (number, (one, other)) in pairs.into_iter().enumerate() {
                let name = format!("pin{number}");
                mechanism.add_joint(Joint::revolute(name, one, other, p[number], Vector3::z()));
            }
        }
    }
    let wheel = RigidBody::new("wheel", 2.0, [0.03, 0.03, 0.05]).at([2.5, 0.0, 0.0]);
    let wheel = mechanism.add_body(wheel.moving([0.0; 3], [0.0, 0.0, 5.0]));
    let axle = Joint::revolute("axle", ground, wheel, [2.5, 0.0, 0.0], [0.0, 0.0, 1.0]);
    let axle = mechanism.add_joint(axle);
    mechanism.add_bearing_friction(BearingFriction::new("rubs", axle, 0.15, 0.02));
    let system = mechanism.build().expect("consistent");
    NonsmoothSystem::new(system, NonsmoothOptions::default()).expect("a system")
}

/// Implicit methods remember multipliers from step to step: what redundant rows share without a force must not grow.
#[test]
fn reactions_of_redundant_rows_stay_those_of_least_norm_where_something_rubs() {
    let t_end = 0.6;
    let mut objections = Vec::new();
    for redundant in [Redundant::BallJoint, Redundant::Hinges, Redundant::FourBar] {
        let end = |method: &str, options: &Options| {
            let method = liedae_contact::methods()
                .build(method, &MethodOptions::default())
                .expect("registered");
            solve(&mut rubbing(redundant), method.as_ref(), options).map(|solution| solution.state)
        };
        let reference = end("hem5", &Options::adaptive(t_end, 1e-11, 1e-11)).expect("solved");
        let largest = reference
            .lambda
            .iter()
            .fold(0.0, |max: f64, l| max.max(l.abs()));
        for entry in liedae_contact::methods() {
            let method = entry.method;
            if !matches!(method.kind, Kind::Implicit | Kind::HalfImplicit) {
                continue;
            }
            let second = method.orders.q >= 2 && method.is_adaptive();
            // Its damping delays the motion: the four-bar's reactions are off by 3.3 N at 1 ms, by 0.35 N at 0.1 ms.
            let of_constant_steps = if method.name == "backward-euler" {
                0.2
            } else {
                0.05
            };
            let levels = [
                second.then(|| (Options::adaptive(t_end, 1e-6, 1e-6), 0.03)),
                (method.orders.q >= 3).then(|| (Options::adaptive(t_end, 1e-8, 1e-8), 1e-3)),
                Some((Options::fixed(t_end, 1e-3), of_constant_steps)),
            ];
            for (options, bound) in levels.into_iter().flatten() {
                let what = format!("{redundant:?} {} {:?}", method.name, options.control);
                match end(method.name, &options) {
                    Ok(state) => {
                        let pairs = state.lambda.iter().zip(&reference.lambda);
                        let error = pairs.fold(0.0, |max: f64, (a, b)| {
                            let error = (a - b).abs();
                            if error > max || error.is_nan() {
                                error
                            } else {
                                max
                            }
                        });
                        println!("{what}: {:.1e} of {largest:.1e} N", error);
                        if error.is_nan() || error > bound * largest {
                            objections.push(format!("{what}: {error:e} of {largest:e}"));
                        }
                    }
                    // Some say that friction is not determined there.
                    Err(error)
                        if matches!(
                            error.kind,
                            SolveErrorKind::Step(StepError::Unsupported { .. })
                        ) => {}
                    Err(error) => objections.push(format!("{what}: {error}")),
                }
            }
        }
    }
    assert!(objections.is_empty(), "\n{}", objections.join("\n"));
}
