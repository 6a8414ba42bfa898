//! Joints of one's own in motion, with every method, against closed forms.

use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, SolveError, solve};
use liedae::system::{Evaluator, State, System, project_initial_state};
use liedae_multibody::{
    Axis, BodyId, CustomJoint, Frame, FrameMotion, FramePose, Joint, JointKind, MultibodyBuilder,
    MultibodySystem, NonholonomicJoint, RigidBody, Snapshot,
};
use nalgebra::{Rotation3, Vector3};

const G: f64 = 9.81;

/// The displacement along z₁ is `lead` times the angle about it.
struct Thread {
    lead: f64,
}

impl CustomJoint<1> for Thread {
    fn residual<S: Scalar>(&self, _t: S, [nut, screw]: &[FramePose<S>; 2]) -> [S; 1] {
        let along = nut.axis(Axis::Z).dot(&(screw.point - nut.point));
        let (sin, cos) = (along / self.lead).sin_cos();
        let x = screw.axis(Axis::X);
        [x.dot(&nut.axis(Axis::Y)) * cos - x.dot(&nut.axis(Axis::X)) * sin]
    }
}

/// A screw that falls through its nut; where `twice`, a second thread says the same again.
fn screw(twice: bool) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -G]);
    let screw = mechanism.add_body(RigidBody::new("screw", 2.0, [0.1, 0.1, 0.02]));
    let up = Vector3::z();
    mechanism.add_joint(Joint::cylindrical(
        "guide",
        BodyId::GROUND,
        screw,
        [0.0; 3],
        up,
    ));
    let frames = [Frame::world([0.0; 3], up); 2];
    for copy in 0..=usize::from(twice) {
        let thread = Thread { lead: 0.05 };
        let name = format!("thread {copy}");
        mechanism.add_joint(Joint::custom(name, BodyId::GROUND, screw, frames, thread));
    }
    mechanism.build().expect("consistent")
}

fn run(system: &mut MultibodySystem, method: &str, options: &Options) -> Result<State, SolveError> {
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(system, method.as_ref(), options).map(|solution| solution.state)
}

#[test]
fn a_screw_falls_as_the_reduced_equation_says_with_every_method() {
    // (m + J / lead²) z'' = -m g, many turns.
    let (mass, spin, lead) = (2.0, 0.02, 0.05_f64);
    let acceleration = -mass * G / (mass + spin / (lead * lead));
    for twice in [false, true] {
        for entry in liedae_contact::methods() {
            let name = entry.method.name;
            let mut system = screw(twice);
            let end = run(&mut system, name, &Options::fixed(0.5, 1e-3)).expect("integrates");
            let fall = 0.5 * acceleration * 0.25;
            // Methods of first order lag by half a step of the velocity.
            let bound = 1e-3 * acceleration.abs();
            assert!(
                (end.q[2] - fall).abs() < bound,
                "{name}: {} {fall}",
                end.q[2]
            );
            let turned = end.q[2] / lead;
            assert!((end.q[3] - turned.cos()).abs() < 1e-6, "{name}: {turned}");
        }
    }
    let mut system = screw(false);
    let end = run(&mut system, "hem5", &Options::adaptive(2.0, 1e-11, 1e-11)).expect("integrates");
    let fall = 0.5 * acceleration * 4.0;
    assert!((end.q[2] - fall).abs() < 1e-9, "{} {fall}", end.q[2]);
    // The thread carries what does not accelerate the screw, and turns it: lead times the force.
    let thread = system.joint("thread 0").expect("exists");
    let push = Snapshot::new(&system, &end)
        .reaction(thread)
        .expect("exists");
    assert!(
        (push.force.z - mass * (G + acceleration)).abs() < 1e-8,
        "{}",
        push.force.z
    );
    assert!((push.torque.z + lead * push.force.z).abs() < 1e-9);
    assert!((push.torque.z - spin * acceleration / lead).abs() < 1e-8);
}

/// Points together, z₁ across z₂.
struct Cross;

impl CustomJoint<4> for Cross {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 4] {
        let d = two.point - one.point;
        [d.x, d.y, d.z, one.axis(Axis::Z).dot(&two.axis(Axis::Z))]
    }
}

#[test]
fn a_universal_joint_of_ones_own_turns_as_hookes_relation_says() {
    // Two shafts in bearings, bent by β: tan θ₂ = tan θ₁ / cos β, and the energy is that of both.
    let bend = 0.6_f64;
    let (first, second) = (Vector3::x(), Vector3::new(bend.cos(), bend.sin(), 0.0));
    let turned = Rotation3::from_axis_angle(&Vector3::z_axis(), bend);
    let mut mechanism = MultibodyBuilder::new();
    let speed = 3.0;
    let one = RigidBody::new("one", 1.0, [0.3, 0.3, 0.3]).moving([0.0; 3], first * speed);
    let one = mechanism.add_body(one.at(-first));
    // θ₁ = 0 where the fork of shaft 1 is along z, across the plane of both shafts.
    let rate = speed / bend.cos();
    let two = RigidBody::new("two", 1.0, [0.2, 0.3, 0.3]).at(second);
    let two = two
        .rotated(turned.into_inner())
        .moving([0.0; 3], Vector3::x() * rate);
    let two = mechanism.add_body(two);
    let ground = BodyId::GROUND;
    mechanism.add_joint(Joint::revolute("left", ground, one, -first, first));
    mechanism.add_joint(Joint::revolute("right", ground, two, second, second));
    let forks = [
        Frame::world([0.0; 3], Vector3::y()),
        Frame::world([0.0; 3], Vector3::z()),
    ];
    mechanism.add_joint(Joint::custom("cross", one, two, forks, Cross));
    let mut system = mechanism.build().expect("consistent");
    let energy = 0.5 * (0.3 * speed * speed + 0.2 * rate * rate);
    for t in [0.1, 0.4, 0.7] {
        let options = Options::adaptive(t, 1e-11, 1e-11);
        let end = run(&mut system, "dop853", &options).expect("integrates");
        let now = Snapshot::new(&system, &end);
        let angle = |body, about: Vector3<f64>, from: Vector3<f64>| {
            let along = now.rotation(body) * from;
            let start = if body == one { from } else { turned * from };
            about.dot(&start.cross(&along)).atan2(start.dot(&along))
        };
        let (input, output) = (
            angle(one, first, Vector3::z()),
            angle(two, second, Vector3::z()),
        );
        let expected = (input.sin() / bend.cos()).atan2(input.cos());
        assert!(
            (output - expected).abs() < 1e-8,
            "{t}: {input} {output} {expected}"
        );
        let (kinetic, _) = now.energies();
        assert!((kinetic - energy).abs() < 1e-8, "{kinetic} {energy}");
    }
}

/// A ball that rolls without sliding on a plate that turns about z₁.
struct Turntable {
    radius: f64,
    speed: f64,
}

impl NonholonomicJoint<2> for Turntable {
    fn kind(&self) -> &'static str {
        "turntable"
    }
    fn velocity_residual<S: Scalar>(&self, _t: S, [plate, ball]: &[FrameMotion<S>; 2]) -> [S; 2] {
        let up = plate.axis(Axis::Z);
        let surface = ball.velocity - ball.angular_velocity.cross(&up) * S::constant(self.radius);
        let carried = up.cross(&(ball.pose.point - plate.pose.point)) * S::constant(self.speed);
        let slip = surface - carried;
        [
            slip.dot(&plate.axis(Axis::X)),
            slip.dot(&plate.axis(Axis::Y)),
        ]
    }
}

#[test]
fn a_ball_on_a_turntable_circles_with_two_sevenths_of_its_speed() {
    // Of a homogeneous ball, whatever its radius and mass: v' = 2/7 Ω × v.
    let (radius, speed, start) = (0.1, 2.1, Vector3::new(0.5, -0.2, 0.0));
    let (r, v) = (Vector3::new(1.0, 0.3, 0.1), start);
    let spin = Vector3::z().cross(&(v - Vector3::z().cross(&r) * speed)) / radius;
    let inertia = 0.4 * 1.5 * radius * radius;
    let rate = 2.0 / 7.0 * speed;
    let t_end = 1.0;
    let (sin, cos) = (rate * t_end).sin_cos();
    let turned = Vector3::new(cos * v.x - sin * v.y, sin * v.x + cos * v.y, 0.0);
    let centre = r + Vector3::z().cross(&v) / rate;
    let expected = centre - Vector3::z().cross(&turned) / rate;
    let mut solved = 0;
    for entry in liedae_contact::methods() {
        let name = entry.method.name;
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -G]);
        let ball = RigidBody::new("ball", 1.5, [inertia; 3])
            .at(r)
            .moving(v, spin);
        let ball = mechanism.add_body(ball);
        let frames = [Frame::world_point([0.0; 3]), Frame::local_point([0.0; 3])];
        let height = JointKind::Dot2(Axis::Z, radius.into());
        let height = Joint::new("height", height, BodyId::GROUND, ball, frames);
        let height = mechanism.add_joint(height);
        let table = Turntable { radius, speed };
        let rolling = Joint::nonholonomic("rolling", BodyId::GROUND, ball, frames, table);
        let rolling = mechanism.add_joint(rolling);
        let mut system = mechanism.build().expect("consistent");
        assert_eq!(system.joint_rows(rolling), Some(1..3));
        let end = match run(&mut system, name, &Options::fixed(t_end, 1e-3)) {
            Ok(end) => end,
            // Some formulations have position rows only; they say so.
            Err(error) => {
                assert!(error.to_string().contains("velocity"), "{name}: {error}");
                continue;
            }
        };
        solved += 1;
        let now = Snapshot::new(&system, &end);
        let error = (now.position(ball) - expected).norm();
        assert!(error < 2e-3, "{name}: {error:e}");
        let press = now.reaction(height).expect("exists");
        assert!((press.force.z - 1.5 * G).abs() < 1e-6, "{name}");
        // Friction alone bends the path.
        let friction = now.reaction(rolling).expect("exists");
        let wanted = Vector3::z().cross(&now.velocity(ball)) * (1.5 * rate);
        assert!(
            (friction.force - wanted).norm() < 2e-2,
            "{name}: {}",
            friction.force
        );
        if ["hem5", "radau5", "dop853"].contains(&name) {
            assert!(error < 1e-9, "{name}: {error:e}");
            assert!((friction.force - wanted).norm() < 1e-6, "{name}");
        }
    }
    assert!(solved > 10, "{solved}");
}

/// Points together.
struct Ball;

impl CustomJoint<3> for Ball {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 3] {
        (two.point - one.point).into()
    }
}

/// A parallelogram of cranks of 0.6 m on the x-axis at 0 and 1.3 m, which lies flat twice on its way; gravity along -y.
fn parallelogram(own: bool) -> MultibodySystem {
    let (crank, coupler, angle, rate) = (0.6, 1.3, 0.3_f64, 2.0);
    let up = Vector3::new(angle.sin(), angle.cos(), 0.0) * crank;
    let velocity = Vector3::new(angle.cos(), -angle.sin(), 0.0) * (crank * rate);
    let apart = Vector3::x() * coupler;
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, -G, 0.0]);
    let mut link = |name: &str, centre: Vector3<f64>, velocity: Vector3<f64>, spin: f64| {
        let body = RigidBody::new(name, 1.0, [0.05; 3]).at(centre);
        mechanism.add_body(body.moving(velocity, [0.0, 0.0, spin]))
    };
    let left = link("left", up / 2.0, velocity / 2.0, -rate);
    let right = link("right", apart + up / 2.0, velocity / 2.0, -rate);
    let middle = link("coupler", apart / 2.0 + up, velocity, 0.0);
    let (z, x) = (Vector3::z(), Vector3::x());
    mechanism.add_joint(Joint::revolute("A", BodyId::GROUND, left, [0.0; 3], z));
    mechanism.add_joint(Joint::revolute("D", BodyId::GROUND, right, apart, z));
    let far = apart + up;
    if own {
        let at = [Frame::world_point(up); 2];
        mechanism.add_joint(Joint::custom("B", left, middle, at, Ball));
        let at = [Frame::world(far, z), Frame::world(far, x)];
        mechanism.add_joint(Joint::custom("C", right, middle, at, Cross));
    } else {
        mechanism.add_joint(Joint::spherical("B", left, middle, up));
        mechanism.add_joint(Joint::universal("C", right, middle, far, z, x));
    }
    mechanism.build().expect("consistent")
}

#[test]
fn singular_configurations_are_crossed_on_the_branch() {
    for name in ["hem5", "radau5", "dop853", "generalized-alpha-stabilized"] {
        let options = Options::adaptive(1.5, 1e-7, 1e-7);
        let [expected, found] = [false, true].map(|own| {
            let method = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let mut system = parallelogram(own);
            solve(&mut system, method.as_ref(), &options).expect("integrates")
        });
        assert_eq!(expected.events.len(), found.events.len(), "{name}");
        assert!(
            !found.events.is_empty(),
            "{name}: it passes singular configurations"
        );
        for (a, b) in expected.state.q.iter().zip(&found.state.q) {
            assert!((a - b).abs() < 1e-6, "{name}: {a} {b}");
        }
    }
}

#[test]
fn projections_close_own_joints() {
    let mut system = parallelogram(true);
    let mut state = system.initial_state();
    for (index, q) in state
        .q
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| index % 12 < 3)
    {
        *q += 0.01 * (index as f64).sin();
    }
    for (index, v) in state.v.iter_mut().enumerate() {
        *v += 0.02 * (index as f64).cos();
    }
    let mut evaluator = Evaluator::new(&mut system);
    let report = project_initial_state(&mut evaluator, &mut state).expect("near");
    assert!(report.before.position > 1e-3 && report.before.velocity > 1e-3);
    assert!(report.after.position < 1e-12 && report.after.velocity < 1e-11);
}
