//! The evaluation functions of a mechanism with every kind of element allocate nothing.

use crate::counting::allocations;
use liedae::scalar::Scalar;
use liedae::system::{
    RatesJacobian, System, acceleration_constraint_jacobian, event_descriptions,
    geometric_stiffness, output_names, output_values, total_energy, velocity_constraint_jacobian,
};
use liedae_multibody::{
    Beam, BeamEnds, BodyId, CustomJoint, Drive, Frame, FramePose, Friction, Joint, Kinematics,
    Material, ModalBeam, ModalBody, Motion, MultibodyBuilder, MultibodySystem, NormalForce,
    RigidBody, Rotation, RotationalSpring, Section, StateForce, TranslationalSpring, Wrench,
};

/// A distance of one's own.
struct Rod(f64);

impl CustomJoint<1> for Rod {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 1] {
        let d = two.point - one.point;
        [d.dot(&d) - self.0]
    }
}

/// A push that decays.
struct Decay;

impl StateForce<1> for Decay {
    fn states(&self) -> [(&'static str, f64); 1] {
        [("push", 1.0)]
    }
    fn evaluate<S: Scalar>(
        &self,
        _t: f64,
        [_, body]: &[Kinematics<S>; 2],
        [push]: &[S; 1],
    ) -> ([Wrench<S>; 2], [S; 1]) {
        let along = body.velocity * *push;
        ([Wrench::zero(), body.torque(&along)], [-*push])
    }
}

/// A mechanism with elements of every kind, and a body with modes.
fn mechanism(flexible: bool) -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let ground = BodyId::GROUND;
    let x = [1.0, 0.0, 0.0];
    let bodies: Vec<BodyId> = (0..4)
        .map(|index| {
            mechanism.add_body(
                RigidBody::new(format!("{index}"), 1.0, [1.0, 2.0, 2.0]).at([
                    f64::from(index),
                    0.0,
                    0.0,
                ]),
            )
        })
        .collect();
    let slide = mechanism.add_joint(Joint::translational(
        "slide", ground, bodies[0], [0.0; 3], x,
    ));
    let hinge = mechanism.add_joint(Joint::revolute(
        "hinge",
        bodies[0],
        bodies[1],
        [0.5, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ));
    mechanism.add_joint(Joint::spherical(
        "ball",
        bodies[1],
        bodies[2],
        [1.5, 0.0, 0.0],
    ));
    mechanism.add_joint(Joint::universal(
        "cross",
        bodies[2],
        bodies[3],
        [2.5, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ));
    mechanism.add_joint(Joint::distance(
        "rod",
        ground,
        bodies[3],
        [3.0, 1.0, 1.0],
        [3.0, 0.0, 0.0],
    ));
    let rod = [Frame::world_point([3.0, 0.0, 1.0]), Frame::local_point(x)];
    mechanism.add_joint(Joint::custom("own rod", ground, bodies[2], rod, Rod(1.0)));
    mechanism.add_drive("motor", hinge, Drive::Angle(Motion::custom(|t| t * t)));
    mechanism.add_friction(Friction::new("friction", slide, 0.2, NormalForce::Full).reversing());
    mechanism.add_rotational_spring(RotationalSpring::new("torsion", hinge, 3.0, 0.1));
    let points = [Frame::world_point([0.0, 0.0, 1.0]), Frame::local_point(x)];
    mechanism.add_spring(
        TranslationalSpring::new("spring", [ground, bodies[2]], points, 5.0, 0.3)
            .with_actuator(|_, length, _| length * length),
    );
    mechanism.add_force_closure("push", ground, bodies[3], |_, [_, body]| {
        [
            Wrench::zero(),
            body.force_at(&body.position, &-body.velocity),
        ]
    });
    mechanism.add_state_force("decay", bodies[0], bodies[3], Decay);
    let strip = Section::rectangle(&Material::new(1e6, 0.3, 1000.0), [0.1, 0.05]);
    let strip = strip.with_retardation(0.1);
    let beam = mechanism.add_beam(Beam::straight("strip", strip, [0.0; 3], x, 3));
    if flexible {
        let strip = Section::rectangle(&Material::new(1e8, 0.3, 1000.0), [0.1, 0.05]);
        let strip = ModalBeam::new(strip, 1.0, 5, BeamEnds::Free).with_bending([7, 7]);
        let strip = ModalBody::new("flexible", strip.model().expect("a beam"));
        let strip = strip.with_marker(0).with_marker(5);
        let strip = mechanism.add_modal_body(strip);
        mechanism.add_joint(Joint::spherical("hook", ground, strip.marker(0), [0.0; 3]));
    }
    mechanism.probe("bending", move |now| now.section_forces(&beam, 1)[4]);
    mechanism.build().expect("consistent")
}

#[test]
fn evaluations_allocate_nothing() {
    let before = allocations();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(allocations() > before);
    for rotation in Rotation::ALL {
        let mut system = mechanism(false).with_rotation(rotation).expect("fits");
        evaluate(system.as_mut());
    }
    evaluate(&mut mechanism(true));
}

fn evaluate(system: &mut dyn System) {
    let layout = system.layout().clone();
    let state = system.initial_state();
    let at = state.point();
    let mut mass = vec![0.0; layout.mass.nnz()];
    let mut rates = vec![0.0; layout.rate_count()];
    let mut derivatives = RatesJacobian::new(&layout);
    let mut rows = vec![0.0; layout.rows()];
    let mut jacobian = vec![0.0; layout.jacobian.nnz()];
    let mut outputs = vec![0.0; output_names(system).len()];
    let mut events = vec![0.0; event_descriptions(system).len()];
    let mut by_velocity = jacobian.clone();
    let mut stiffness = vec![0.0; layout.stiffness_pattern().expect("fits").nnz()];
    let a = &state.acceleration;
    let before = allocations();
    system.mass_matrix(&at, &mut mass).expect("finite");
    system.rates(&at, &mut rates).expect("finite");
    system
        .rates_jacobian(&at, &mut derivatives)
        .expect("finite");
    system.position_constraint(&at, &mut rows).expect("finite");
    system.velocity_constraint(&at, &mut rows).expect("finite");
    system
        .constraint_jacobian(&at, &mut jacobian)
        .expect("finite");
    system.acceleration_bias(&at, &mut rows).expect("finite");
    geometric_stiffness(system, &at, a, &mut stiffness).expect("finite");
    velocity_constraint_jacobian(system, &at, &mut jacobian).expect("finite");
    acceleration_constraint_jacobian(system, &at, a, &mut jacobian, &mut by_velocity)
        .expect("finite");
    if let Some(part) = system.events() {
        part.event_functions(&at, &mut events).expect("finite");
    }
    output_values(system, &state, &mut outputs).expect("finite");
    assert!(total_energy(system, &state.point()).is_some());
    assert_eq!(allocations(), before);
}
