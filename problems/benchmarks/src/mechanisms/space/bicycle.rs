//! A bicycle that nobody rides: two wheels that roll, a frame and a handlebar.

use super::assembly::output_vector;
use super::bodies::turning;
use super::shapes::{bare, line, spoked_wheel};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::scalar::Scalar;
use liedae_multibody::drawing::{Figure, Kind};
use liedae_multibody::{
    Axis, BodyId, CustomJoint, Drawing, Drawn, Frame, FrameMotion, FramePose, Joint,
    MultibodyBuilder, NonholonomicJoint, Output, RigidBody,
};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

pub(crate) const BICYCLE: ProblemEntry = ProblemEntry {
    name: "bicycle",
    title: "bicycle whose wheels roll without slipping, without a rider's hands",
    description: "Rear wheel, rear frame with rider, handlebar with fork, front wheel: three revolutes, and for each wheel one position row that keeps \
                  it on the road and two velocity rows that keep it from slipping. It starts upright with an angular velocity about the line on \
                  the ground. By the linear theory it is stable between 4.292 and 6.024 m/s: below it weaves, above it capsizes slowly. The benchmark \
                  has 4 m/s with 0.05 rad/s, 4.6 with 0.5, and 8 with 0.05. Lean of the frame, steer angle, place of the wheels.",
    source: "IFToMM multibody benchmark library, uncontrolled bicycle; J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 \
             (2007) 1955-1982, doi:10.1098/rspa.2007.1857",
    parameters: &[
        ParameterInfo::new("speed", 4.0, "m/s", Range::Positive, "initial speed"),
        ParameterInfo::new(
            "lean_rate",
            0.05,
            "rad/s",
            Range::Finite,
            "initial angular velocity about the line on the ground",
        ),
    ],
    build,
};

/// Wheel base, trail and tilt of the steering axis.
const BASE: f64 = 1.02;
const TRAIL: f64 = 0.08;
const TILT: f64 = PI / 10.0;
const REAR: f64 = 0.3;
const FRONT: f64 = 0.35;

/// A wheel of this radius in m on the plane z = 0; frame 2 lies in its centre with z along its axle.
struct Wheel(f64);

impl Wheel {
    /// From the centre to the lowest point: down, without what is along the axle.
    fn arm<S: Scalar>(&self, axle: Vector3<S>) -> Vector3<S> {
        let sine = (-axle.z * axle.z + 1.0).sqrt();
        let down =
            axle * axle.z - Vector3::new(S::constant(0.0), S::constant(0.0), S::constant(1.0));
        down * (S::constant(self.0) / sine)
    }
}

impl CustomJoint<1> for Wheel {
    fn kind(&self) -> &'static str {
        "wheel on a road"
    }

    fn residual<S: Scalar>(&self, _t: S, [_, wheel]: &[FramePose<S>; 2]) -> [S; 1] {
        [wheel.point.z + self.arm(wheel.axis(Axis::Z)).z]
    }
}

impl NonholonomicJoint<2> for Wheel {
    fn kind(&self) -> &'static str {
        "rolling"
    }

    fn velocity_residual<S: Scalar>(&self, _t: S, [_, wheel]: &[FrameMotion<S>; 2]) -> [S; 2] {
        let arm = self.arm(wheel.axis(Axis::Z));
        let sliding = wheel.velocity + wheel.angular_velocity.cross(&arm);
        [sliding.x, sliding.y]
    }
}

/// Moments of inertia about x, y, z and the product about x and z, with z upwards.
fn inertia([x, y, z]: [f64; 3], xz: f64) -> Matrix3<f64> {
    Matrix3::new(x, 0.0, xz, 0.0, y, 0.0, xz, 0.0, z)
}

/// Centres of mass of frame and handlebar at the start, in m.
const FRAME: [f64; 3] = [0.3, 0.0, 0.9];
const FORK: [f64; 3] = [0.9, 0.0, 0.7];

/// Wheels with spokes, the tubes of the frame, the rider on it, the fork with its handlebar. `head` is the joint between both at the
/// start.
fn draw(drawing: Drawing, bodies: [BodyId; 4], head: Vector3<f64>) -> Drawing {
    let [rear, frame, fork, front] = bodies;
    let point = |x, z| Vector3::new(x, 0.0, z);
    let (axle, bracket, seat) = (point(0.0, REAR), point(0.42, 0.28), point(0.2, 0.85));
    let on_frame = |point: Vector3<f64>| point - Vector3::from(FRAME);
    let on_fork = |point: Vector3<f64>| point - Vector3::from(FORK);
    let drawing = spoked_wheel(spoked_wheel(drawing, rear, REAR), front, FRONT);
    let drawing = bare(bare(drawing, frame), fork);
    let tubes = [axle, seat, head, bracket, axle].map(on_frame);
    let drawing = line(drawing, frame, &tubes);
    let drawing = line(drawing, frame, &[bracket, seat].map(on_frame));
    let shoulders = on_frame(seat + point(0.15, 0.5));
    let drawing = drawing
        .with(
            frame.index(),
            Kind::Body,
            Figure::Capsule {
                ends: [on_frame(seat + point(0.0, 0.1)).into(), shoulders.into()],
                radius: 0.09,
            },
        )
        .disc(frame.index(), shoulders + point(0.05, 0.23), 0.1);
    let bar = head + point(0.0, 0.12);
    let drawing = line(drawing, fork, &[bar, head, point(BASE, FRONT)].map(on_fork));
    let grips = [-0.25, 0.25].map(|side| on_fork(bar + Vector3::y() * side));
    line(drawing, fork, &grips).following(frame.index())
}

/// The rows of the wheels.
fn rolling() -> Formulation {
    Formulation::new([
        "a wheel with the centre p and the axle a (the y-axis of the body) touches the road z = 0 with c = p + R (a_z a - e) / sqrt(1 - a_z^2), e = (0, 0, 1)"
            .to_owned(),
        "contact: 0 = c_z; rolling: 0 = the x- and y-component of p' + omega x (c - p)".to_owned(),
        format!("radius R: {REAR} m of the rear wheel, {FRONT} m of the front wheel"),
    ])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [speed, lean] = ["speed", "lean_rate"].map(|name| parameters.get(name));
    let [speed, lean] = [speed?, lean?];
    let (y, origin) = (Vector3::y(), Vector3::zeros());
    let rear_centre = Vector3::new(0.0, 0.0, REAR);
    let front_centre = Vector3::new(BASE, 0.0, FRONT);
    // Everything leans about the line through both points of contact, while it moves along x; wheels roll besides.
    let moving = |body: RigidBody, spin: f64| {
        let body = turning(body, origin, Vector3::new(lean, 0.0, 0.0));
        let (velocity, omega) = (body.velocity, body.omega);
        body.moving(velocity + Vector3::x() * speed, omega + y * spin)
    };
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let rear = RigidBody::new("rear wheel", 2.0, [0.0603, 0.12, 0.0603]).at(rear_centre);
    let rear = mechanism.add_body(moving(rear, speed / REAR));
    let frame = RigidBody::new("frame", 85.0, inertia([9.2, 11.0, 2.8], -2.4));
    let frame = mechanism.add_body(moving(frame.at(FRAME), 0.0));
    let fork = RigidBody::new("handlebar", 4.0, inertia([0.05892, 0.06, 0.00708], 0.00756));
    let fork = mechanism.add_body(moving(fork.at(FORK), 0.0));
    let front = RigidBody::new("front wheel", 3.0, [0.1405, 0.28, 0.1405]).at(front_centre);
    let front = mechanism.add_body(moving(front, speed / FRONT));

    // The steering axis meets the road one trail ahead of where the front wheel touches it.
    let axis = Vector3::new(-TILT.sin(), 0.0, TILT.cos());
    let head = Vector3::new(BASE + TRAIL, 0.0, 0.0) + axis * (0.85 / axis.z);
    mechanism.add_joint(Joint::revolute("rear axle", frame, rear, rear_centre, y));
    mechanism.add_joint(Joint::revolute("head", frame, fork, head, axis));
    mechanism.add_joint(Joint::revolute("front axle", fork, front, front_centre, y));
    for (label, wheel, centre, radius) in [
        ("rear", rear, rear_centre, REAR),
        ("front", front, front_centre, FRONT),
    ] {
        let frames = [Frame::world_point([0.0; 3]), Frame::world(centre, y)];
        let ground = BodyId::GROUND;
        mechanism.add_joint(Joint::custom(
            format!("{label} contact"),
            ground,
            wheel,
            frames,
            Wheel(radius),
        ));
        mechanism.add_joint(Joint::nonholonomic(
            format!("{label} rolling"),
            ground,
            wheel,
            frames,
            Wheel(radius),
        ));
    }
    // The frame's axle points to the left: it sinks as the frame leans to the right.
    mechanism.probe("lean", move |now| now.rotation(frame).column(1).z.asin());
    mechanism.define_output(
        "lean",
        "inclination of the rear frame's y-axis above the horizontal, rad",
    );
    mechanism.probe("lean_rate", move |now| {
        now.angular_velocity(frame)
            .dot(&now.rotation(frame).column(0))
    });
    mechanism.define_output(
        "lean_rate",
        "angular velocity of the rear frame about its own x-axis, rad/s",
    );
    mechanism.probe("steer", move |now| {
        let [frame, fork] = [frame, fork].map(|body| now.rotation(body));
        let axis = frame * axis;
        let [from, to] = [frame.column(1), fork.column(1)];
        axis.dot(&from.cross(&to)).atan2(from.dot(&to))
    });
    mechanism.define_output(
        "steer",
        "angle of the fork's y-axis from that of the rear frame about the steering axis, rad",
    );
    output_vector(&mut mechanism, "rear.", |axis| {
        Output::Position(rear, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "front.", |axis| {
        Output::Position(front, [0.0; 3], axis)
    });
    mechanism.probe("speed", move |now| now.velocity(rear).xy().norm());
    mechanism.define_output(
        "speed",
        "horizontal speed of the centre of mass of the rear wheel, m/s",
    );
    probe_energy(&mut mechanism);
    // Velocity rows are stated in rotation matrices only.
    let system = mechanism.build();
    let system = system.map_err(|error| ProblemError::build(BICYCLE.name, error))?;
    let drawing = draw(system.drawing(), [rear, frame, fork, front], head);
    let problem = Smooth::new(BICYCLE.name, 5.0, "lean").assembled((Box::new(system), drawing));
    Ok(problem.with_formulation(rolling()))
}
