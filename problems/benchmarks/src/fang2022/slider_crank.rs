//! The slider-crank of the paper's Fig. 1b, with Coulomb friction in the slider's guide.

use super::slider_crank_motion::{FORCES, KINEMATICS, PIVOT, SliderCrankMotion};
use crate::mechanisms::space::assembly::{
    ROTATION, assemble, assemble_sticking, output_vector, probe_vector,
};
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae_multibody::{
    Axis, BodyId, Drive, Friction, Joint, Motion, MultibodyBuilder, NormalForce, Output, RigidBody,
};
use nalgebra::Vector3;
use std::f64::consts::TAU;

pub(crate) const SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "slider-crank",
    title: "spatial slider-crank driven at 2 pi rad/s, with Coulomb friction (mu)",
    description: "A crank turning at -2 pi rad/s about x drives a slider along x through a rod; kinematically \
                  determined. T is the torque of the drive about +x, Nz, Ny the forces of the guide and fric its \
                  friction on the slider, FAx the x-force of the ground on the crank (which the paper's Fig. 9 shows, \
                  with the opposite sign, as a torque). Friction belongs to the normal force of the same instant and \
                  jumps at the slider's reversals, which are events.",
    source: "Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183; \
             after Haug, Computer-Aided Kinematics and Dynamics, 1989",
    parameters: &[
        ParameterInfo::new(
            "mu",
            0.0,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of friction in the guide",
        ),
        ParameterInfo::new(
            "normal",
            0.0,
            "1",
            Range::Choice(&["|Nz|, as in the paper", "sqrt(Ny^2 + Nz^2)"]),
            "which normal force presses",
        ),
        ParameterInfo::new(
            "motion",
            0.0,
            "1",
            Range::Choice(&[
                "driven, the guide slides and reverses, as in the paper",
                "driven, the guide may stick",
                "free after the start, the guide may stick",
            ]),
            "what moves it, and whether the guide's friction may hold it; where it may, guide.friction stands for fric",
        ),
        ParameterInfo::new(
            "crank_mass",
            0.12,
            "kg",
            Range::Positive,
            "mass of the crank, centred at its pivot",
        ),
        ParameterInfo::new("rod_mass", 0.5, "kg", Range::Positive, "mass of the rod"),
        ParameterInfo::new(
            "slider_mass",
            2.0,
            "kg",
            Range::Positive,
            "mass of the slider",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -z"),
        ROTATION,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let motion = SliderCrankMotion {
        rod_mass: get("rod_mass")?,
        slider_mass: get("slider_mass")?,
        gravity: get("g")?,
        friction: get("mu")?,
        full_normal: get("normal")? != 0.0,
        ..SliderCrankMotion::default()
    };
    let mut start = [0.0; KINEMATICS.len()];
    SliderCrankMotion::kinematics(0.0, &mut start);
    let rod = SliderCrankMotion::rod(0.0);
    let (pivot, x) = (Vector3::from(PIVOT), Vector3::x());
    let pin = Vector3::new(start[3], start[4], start[5]);
    let end = x * start[0];

    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -motion.gravity]);
    let crank = RigidBody::new("crank", get("crank_mass")?, [1e-4, 1e-5, 1e-4])
        .at(pivot)
        .moving([0.0; 3], x * -TAU);
    let crank = mechanism.add_body(crank);
    let body = RigidBody::new("rod", motion.rod_mass, motion.rod_inertia)
        .at(rod.center)
        .rotated(rod.rotation);
    let body = body.moving(rod.velocity, rod.rotation.tr_mul(&rod.omega));
    let rod_body = mechanism.add_body(body);
    let body = RigidBody::new("slider", motion.slider_mass, [1e-4; 3])
        .at(end)
        .moving(x * start[1], [0.0; 3]);
    let slider = mechanism.add_body(body);

    let pivot_joint =
        mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, crank, pivot, x));
    let (sticks, driven) = match get("motion")? {
        0.0 => (false, true),
        1.0 => (true, true),
        _ => (true, false),
    };
    let drive = driven.then(|| {
        let turning = Drive::Angle(Motion::linear(0.0, -TAU));
        mechanism.add_drive("drive", pivot_joint, turning)
    });
    mechanism.add_joint(Joint::spherical("pin", crank, rod_body, pin));
    // The paper's revolute-cylindrical joint and distance constraint together.
    let rod_y = rod.rotation.column(1).into_owned();
    mechanism.add_joint(Joint::universal(
        "slider pin",
        slider,
        rod_body,
        end,
        x,
        rod_y,
    ));
    // Joint frame: z along the guide, x along global y, y along global z.
    let guide = Joint::translational("guide", BodyId::GROUND, slider, Vector3::zeros(), x)
        .with_x(Vector3::y());
    let guide = mechanism.add_joint(guide);
    let mu = motion.friction;
    if mu > 0.0 {
        let normal = if motion.full_normal {
            NormalForce::Full
        } else {
            NormalForce::Component([0.0, 1.0])
        };
        // The paper's drive moves the slider through its reversals without rest.
        let friction = Friction::new("guide friction", guide, mu, normal);
        mechanism.add_friction(Friction { sticks, ..friction });
    }

    mechanism.output("x_slider", Output::Position(slider, [0.0; 3], Axis::X));
    mechanism.output("v_slider", Output::Velocity(slider, [0.0; 3], Axis::X));
    mechanism.output("a_slider", Output::Acceleration(slider, [0.0; 3], Axis::X));
    let arm = pin - pivot;
    output_vector(&mut mechanism, "B", |axis| {
        Output::Position(crank, arm.into(), axis)
    });
    output_vector(&mut mechanism, "G", |axis| {
        Output::Position(rod_body, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "Gv", |axis| {
        Output::Velocity(rod_body, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "Ga", |axis| {
        Output::Acceleration(rod_body, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "om_", |axis| {
        Output::AngularVelocity(rod_body, axis)
    });
    probe_vector(
        &mut mechanism,
        "al_",
        "angular acceleration of the rod, rad/s^2",
        move |now| now.angular_acceleration(rod_body),
    );
    probe_vector(&mut mechanism, "u_", "rod's x-axis, 1", move |now| {
        now.rotation(rod_body).column(0).into_owned()
    });
    probe_vector(&mut mechanism, "yb_", "rod's y-axis, 1", move |now| {
        now.rotation(rod_body).column(1).into_owned()
    });
    if let Some(drive) = drive {
        mechanism.output("T", Output::Effort(drive));
    }
    mechanism.output("Nz", Output::Force(guide, Axis::Z));
    mechanism.output("Ny", Output::Force(guide, Axis::Y));
    if !sticks {
        mechanism.probe("fric", move |now| match now.state().mode.first() {
            Some(&direction) => -f64::from(direction) * mu * now.normal_force(0),
            None => 0.0,
        });
    }
    mechanism.output("FAx", Output::Force(pivot_joint, Axis::X));

    let source = "closed form, within 1e-14 of the 40-digit data of the kinematics and the power-balanced data of the \
                  inverse dynamics; the friction is solved exactly";
    let reference = Reference::new(source, 0.0, 1.0, true)
        .with_closed_form(KINEMATICS, SliderCrankMotion::kinematics)
        .with_closed_form(FORCES, move |t, out| motion.forces(t, out));
    let (system, drawing) = if sticks && mu > 0.0 {
        assemble_sticking(mechanism, parameters)?
    } else {
        assemble(mechanism, parameters)?
    };
    Ok(Problem {
        formulation: None,
        name: SLIDER_CRANK.name,
        system,
        t_end: 8.0,
        default_step: 1e-3,
        reference: driven.then_some(reference),
        main_output: "v_slider".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
