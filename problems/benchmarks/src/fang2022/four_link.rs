//! The four-link mechanism of the paper's Fig. 1c.

use super::closed_form::Posture;
use super::four_link_motion::{FORCES, FourLinkMotion, KINEMATICS, PIVOT, UNIVERSAL};
use crate::mechanisms::space::assembly::{ROTATION, assemble, output_vector, probe_vector};
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae_multibody::{Axis, BodyId, Drive, Joint, Motion, MultibodyBuilder, Output, RigidBody};
use nalgebra::Vector3;
use std::f64::consts::PI;

pub(crate) const FOUR_LINK: ProblemEntry = ProblemEntry {
    name: "four-link",
    title: "spatial four-link mechanism driven at pi rad/s",
    description: "A rotor turning at pi rad/s about x moves a link of 12.2 m (universal joint B) and a link of 7.4 m \
                  (spherical joint C, revolute joint D); kinematically determined while driven. T is the torque of the drive about \
                  +x, FB and FC are the forces on link 2. Masses of the paper's text (183 and 111 kg) or of the \
                  authors' published model (masses=1). With motion=1 nothing drives it: one degree of freedom.",
    source: "Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183; \
             after Haug, Computer-Aided Kinematics and Dynamics, 1989",
    parameters: &[
        ParameterInfo::new(
            "masses",
            0.0,
            "1",
            Range::Choice(&["the paper's 1500 kg/m^3", "the authors' model"]),
            "masses and moments of inertia",
        ),
        ParameterInfo::new(
            "motion",
            0.0,
            "1",
            Range::Choice(&["driven", "free after the start"]),
            "what turns the rotor",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -z"),
        ROTATION,
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let data = if parameters.get("masses")? == 0.0 {
        FourLinkMotion::paper()
    } else {
        FourLinkMotion::code()
    };
    let motion = FourLinkMotion {
        gravity: parameters.get("g")?,
        ..data
    };
    let mut start = [0.0; KINEMATICS.len()];
    FourLinkMotion::kinematics(0.0, &mut start);
    let (pin, end) = (
        Vector3::new(start[0], start[1], start[2]),
        Vector3::new(start[3], start[4], start[5]),
    );
    let pivot = Vector3::from(PIVOT);

    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -motion.gravity]);
    // While driven, the rotor's mass properties do not matter: its centre rests and it turns at a constant rate about its axis.
    let rotor = RigidBody::new("rotor", 2.0, [4.0, 2.0, 2.0]).moving([0.0; 3], [PI, 0.0, 0.0]);
    let rotor = mechanism.add_body(rotor);
    let postures = FourLinkMotion::links(0.0);
    let mut link = |name: &str, index: usize| {
        let Posture {
            center,
            velocity,
            rotation,
            omega,
        } = postures[index];
        let body = RigidBody::new(name, motion.masses[index], motion.inertias[index])
            .at(center)
            .rotated(rotation);
        mechanism.add_body(body.moving(velocity, rotation.tr_mul(&omega)))
    };
    let (two, three) = (link("link 2", 0), link("link 3", 1));

    let bearing = mechanism.add_joint(Joint::revolute(
        "A",
        BodyId::GROUND,
        rotor,
        Vector3::zeros(),
        Vector3::x(),
    ));
    let driven = parameters.get("motion")? == 0.0;
    let drive = driven.then(|| {
        let turning = Drive::Angle(Motion::linear(0.0, PI));
        mechanism.add_drive("drive", bearing, turning)
    });
    let axis = Vector3::from(UNIVERSAL).normalize();
    let z2 = postures[0].rotation.column(2).into_owned();
    let universal = mechanism.add_joint(Joint::universal("B", rotor, two, pin, axis, z2));
    let ball = mechanism.add_joint(Joint::spherical("C", three, two, end));
    mechanism.add_joint(Joint::revolute(
        "D",
        BodyId::GROUND,
        three,
        pivot,
        Vector3::y(),
    ));

    output_vector(&mut mechanism, "B", |axis| {
        Output::Position(rotor, pin.into(), axis)
    });
    let tip = postures[1].rotation.tr_mul(&(end - postures[1].center));
    output_vector(&mut mechanism, "C", |axis| {
        Output::Position(three, tip.into(), axis)
    });
    mechanism.probe("angle3", move |now| {
        let along = now.rotation(three).column(1).into_owned();
        (-along.x).atan2(along.z)
    });
    mechanism.define_output(
        "angle3",
        "angle of the y-axis of link 3 from z towards -x of the fixed frame, rad",
    );
    mechanism.probe("angle3_d", move |now| -now.angular_velocity(three).y);
    mechanism.define_output(
        "angle3_d",
        "angular velocity of link 3 about -y of the fixed frame, rad/s",
    );
    mechanism.probe("angle3_dd", move |now| -now.angular_acceleration(three).y);
    mechanism.define_output(
        "angle3_dd",
        "angular acceleration of link 3 about -y of the fixed frame, rad/s^2",
    );
    for (prefix, body) in [("G2", two), ("G3", three)] {
        output_vector(&mut mechanism, prefix, |axis| {
            Output::Position(body, [0.0; 3], axis)
        });
        output_vector(&mut mechanism, &format!("{prefix}v"), |axis| {
            Output::Velocity(body, [0.0; 3], axis)
        });
        output_vector(&mut mechanism, &format!("{prefix}a"), |axis| {
            Output::Acceleration(body, [0.0; 3], axis)
        });
    }
    output_vector(&mut mechanism, "om2", |axis| {
        Output::AngularVelocity(two, axis)
    });
    probe_vector(
        &mut mechanism,
        "al2",
        "angular acceleration of link 2, rad/s^2",
        move |now| now.angular_acceleration(two),
    );
    for (column, prefix) in ["x2", "y2", "z2"].into_iter().enumerate() {
        probe_vector(&mut mechanism, prefix, "axis of link 2, 1", move |now| {
            now.rotation(two).column(column).into_owned()
        });
    }
    if let Some(drive) = drive {
        mechanism.output("T", Output::Effort(drive));
    } else {
        mechanism.output("rotor.omega", Output::AngularVelocity(rotor, Axis::X));
    }
    output_vector(&mut mechanism, "FB_on2_", |axis| {
        Output::Force(universal, axis)
    });
    output_vector(&mut mechanism, "FC_on2_", |axis| Output::Force(ball, axis));
    mechanism.probe("tau_univ", move |now| {
        let couple = (now.rotation(rotor) * axis).cross(&now.rotation(two).column(2));
        now.reaction(universal)
            .map_or(f64::NAN, |reaction| reaction.torque.dot(&couple))
    });

    let source = "closed form, within 5e-14 of the 40-digit data of the kinematics and 4e-12 of the power-balanced \
                  data of the inverse dynamics";
    let reference = Reference::new(source, 0.0, 2.0, true)
        .with_closed_form(KINEMATICS, FourLinkMotion::kinematics)
        .with_closed_form(FORCES, move |t, out| motion.forces(t, out));
    let (system, drawing) = assemble(mechanism, parameters)?;
    Ok(Problem {
        formulation: None,
        name: FOUR_LINK.name,
        system,
        t_end: 8.0,
        default_step: 1e-3,
        reference: driven.then_some(reference),
        main_output: "G2vx".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
