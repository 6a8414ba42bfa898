//! The double pendulum of the paper's Fig. 1a.

use super::double_pendulum_reference;
use crate::mechanisms::space::assembly::{ROTATION, assemble};
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Joint, MultibodyBuilder, Output, RigidBody, Snapshot};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

pub(crate) const DOUBLE_PENDULUM: ProblemEntry = ProblemEntry {
    name: "double-pendulum",
    title: "double pendulum of two bars on revolute joints, in absolute coordinates",
    description: "Bars of 4 m and 2 m in the y-z plane, the first released horizontally with the second hanging from \
                  it; chaotic, 8 s. Angles theta from -z in (-pi, pi], centres of mass y, z, forces at both joints. \
                  inertia=1 takes slender rods, as the authors' own reference does: it differs from the model by up to \
                  0.014 m in z2.",
    source: "Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, doi:10.1115/1.4056183",
    parameters: &[
        ParameterInfo::new("L1", 4.0, "m", Range::Positive, "length of bar 1"),
        ParameterInfo::new("L2", 2.0, "m", Range::Positive, "length of bar 2"),
        ParameterInfo::new(
            "width",
            0.05,
            "m",
            Range::Positive,
            "side of the bars' square section",
        ),
        ParameterInfo::new(
            "density",
            7800.0,
            "kg/m^3",
            Range::Positive,
            "density of the bars",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -z"),
        ParameterInfo::new(
            "theta1",
            FRAC_PI_2,
            "rad",
            Range::Finite,
            "initial angle of bar 1 from -z towards +y",
        ),
        ParameterInfo::new(
            "theta2",
            0.0,
            "rad",
            Range::Finite,
            "initial angle of bar 2 from -z towards +y",
        ),
        ParameterInfo::new(
            "inertia",
            0.0,
            "1",
            Range::Choice(&["m (w^2 + L^2) / 12", "slender rods, m L^2 / 12"]),
            "moment of inertia across the bars",
        ),
        ROTATION,
    ],
    build,
};

/// Unit vector and axes of a bar: body x along it, body z along the axis of rotation, global x.
fn axes(theta: f64) -> Matrix3<f64> {
    let (sine, cosine) = theta.sin_cos();
    Matrix3::from_columns(&[
        Vector3::new(0.0, sine, -cosine),
        Vector3::new(0.0, cosine, sine),
        Vector3::new(1.0, 0.0, 0.0),
    ])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let (width, density) = (get("width")?, get("density")?);
    let thickness = if get("inertia")? == 0.0 { width } else { 0.0 };
    let lengths = [get("L1")?, get("L2")?];
    let rotations = [axes(get("theta1")?), axes(get("theta2")?)];

    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -get("g")?]);
    let (mut pivot, mut before) = (Vector3::zeros(), BodyId::GROUND);
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for (index, (length, rotation)) in lengths.into_iter().zip(rotations).enumerate() {
        let bar = index + 1;
        let mass = density * width * width * length;
        let across = mass * (thickness * thickness + length * length) / 12.0;
        let along = rotation.column(0).into_owned();
        let body = RigidBody::new(
            format!("bar {bar}"),
            mass,
            [mass * width * width / 6.0, across, across],
        );
        let body = mechanism.add_body(body.at(pivot + along * (length / 2.0)).rotated(rotation));
        let name = format!("revolute {bar}");
        joints.push(mechanism.add_joint(Joint::revolute(name, before, body, pivot, Vector3::x())));
        pivot += along * length;
        bodies.push(body);
        before = body;
    }
    probes(&mut mechanism, &bodies);
    for (joint, name) in joints.into_iter().zip(["ground_on_1", "1_on_2"]) {
        mechanism.output(format!("Fy_{name}"), Output::Force(joint, Axis::Y));
        mechanism.output(format!("Fz_{name}"), Output::Force(joint, Axis::Z));
    }
    probe_energy(&mut mechanism);
    let slender = get("inertia")? != 0.0;
    let known = parameters.are_default_except(&["inertia", ROTATION.name]);
    let reference = if known {
        Some(double_pendulum_reference::reference(slender)?)
    } else {
        None
    };
    let (system, drawing) = assemble(mechanism, parameters)?;
    Ok(Problem {
        formulation: None,
        name: DOUBLE_PENDULUM.name,
        system,
        t_end: 8.0,
        default_step: 1e-3,
        reference,
        main_output: "z2".to_owned(),
        // Later on backward Euler's damping makes its error at h = 1e-2 as large as the motion.
        order_study_end: Some(1.0),
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}

/// The name of a quantity of a body, and how to read it.
type Named<T> = (&'static str, fn(&Snapshot, BodyId) -> T);

/// The beginning of the name of a vector of a body, and its components.
type VectorOutput = (&'static str, fn(BodyId, Axis) -> Output);

fn probes(mechanism: &mut MultibodyBuilder, bodies: &[BodyId]) {
    let angles: [Named<f64>; 3] = [
        ("theta", |now, body| {
            let along = now.rotation(body).column(0).into_owned();
            along.y.atan2(-along.z)
        }),
        ("omega", |now, body| now.angular_velocity(body).x),
        ("alpha", |now, body| now.angular_acceleration(body).x),
    ];
    let definitions = [
        "angle of the body's x-axis from -z towards y of the fixed frame, rad",
        "angular velocity of the body about x of the fixed frame, rad/s",
        "angular acceleration of the body about x of the fixed frame, rad/s^2",
    ];
    for ((name, angle), definition) in angles.into_iter().zip(definitions) {
        for (index, &body) in bodies.iter().enumerate() {
            let name = format!("{name}{}", index + 1);
            mechanism.probe(&name, move |now| angle(now, body));
            mechanism.define_output(&name, definition);
        }
    }
    let vectors: [VectorOutput; 3] = [
        ("", |body, axis| Output::Position(body, [0.0; 3], axis)),
        ("v", |body, axis| Output::Velocity(body, [0.0; 3], axis)),
        ("a", |body, axis| Output::Acceleration(body, [0.0; 3], axis)),
    ];
    for (prefix, vector) in vectors {
        for (index, &body) in bodies.iter().enumerate() {
            let link = index + 1;
            mechanism.output(format!("{prefix}y{link}"), vector(body, Axis::Y));
            mechanism.output(format!("{prefix}z{link}"), vector(body, Axis::Z));
        }
    }
}
