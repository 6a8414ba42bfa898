//! A slider-crank in space whose slider has clearance in its guide.

use super::spatial::{Spatial, rubbing, uniform_box};
use crate::fang2022::{SLIDER_CRANK_KINEMATICS, SLIDER_CRANK_PIVOT, SliderCrankMotion};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{
    BodyId, Frame, Joint, MultibodyBuilder, RigidBody, Shape, Surface, SurfaceContact,
};
use nalgebra::Vector3;
use std::f64::consts::TAU;

pub(crate) const SLIDER_CRANK_CLEARANCE_3D: ProblemEntry = ProblemEntry {
    name: "slider-crank-clearance-3d",
    title: "spatial slider-crank whose slider is a free box in a rectangular guide, sixteen corner contacts",
    description: "The crank turns about x, beside and above the guide along x; without a drive it starts at -omega, with the \
                  slider in the middle of the clearance. Each corner of the slider may touch the wall beside it and the one \
                  above or below: one, an edge's two or a side's four corners are in contact, the fourth redundant. \
                  With friction, which acts in two directions, only methods that capture events run it.",
    source: "the mechanism of Fang, Kissel, Zhang and Negrut, J. Comput. Nonlinear Dynam. 18 (2023) 014501, \
             doi:10.1115/1.4056183, with the clearance of Flores, Leine and Glocker, Multibody Syst Dyn 23 (2010) \
             165-190, doi:10.1007/s11044-009-9178-y, in space",
    parameters: &[
        ParameterInfo::new(
            "clearance",
            1e-3,
            "m",
            Range::Positive,
            "distance of the slider from each wall in the middle of the guide",
        ),
        ParameterInfo::new(
            "e",
            0.4,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
        ParameterInfo::new(
            "mu",
            0.0,
            "1",
            Range::NonNegative,
            "coefficient of friction",
        ),
        ParameterInfo::new(
            "omega",
            20.0,
            "rad/s",
            Range::Finite,
            "initial rate of the crank about -x",
        ),
    ],
    build,
};

/// Half the sides of the slider in m.
const HALF: [f64; 3] = [0.05, 0.025, 0.025];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let statement = Spatial {
        name: SLIDER_CRANK_CLEARANCE_3D.name,
        t_end: 0.25,
        default_step: 1e-4,
        main_output: "slider.z",
        length: 0.1,
        time: 0.01,
        // The walls would hide what is between them: four lines along the edges of the guide.
        drawn: |drawing| {
            let edges = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
            edges
                .into_iter()
                .fold(drawing.without_surfaces(None), |drawing, [y, z]| {
                    drawing.guide(None, [0.0, y * HALF[1], z * HALF[2]], [1.0, 0.0, 0.0])
                })
        },
    };
    statement.problem(mechanism(
        get("clearance")?,
        [get("e")?, get("mu")?],
        get("omega")?,
    ))
}

fn mechanism(clearance: f64, [e, mu]: [f64; 2], omega: f64) -> MultibodyBuilder {
    let motion = SliderCrankMotion::default();
    let mut start = [0.0; SLIDER_CRANK_KINEMATICS.len()];
    SliderCrankMotion::kinematics(0.0, &mut start);
    let [x_slider, v_slider, _, pin @ ..] = start;
    let (pivot, pin) = (SLIDER_CRANK_PIVOT, [pin[0], pin[1], pin[2]]);
    let (rod, x) = (SliderCrankMotion::rod(0.0), Vector3::x());
    // The closed form turns at 2π rad/s.
    let share = omega / TAU;

    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -motion.gravity]);
    let crank = RigidBody::new("crank", 0.12, [1e-4, 1e-5, 1e-4])
        .at(pivot)
        .moving([0.0; 3], x * -omega);
    let crank = mechanism.add_body(crank);
    let body = RigidBody::new("rod", motion.rod_mass, motion.rod_inertia)
        .at(rod.center)
        .rotated(rod.rotation)
        .moving(
            rod.velocity * share,
            rod.rotation.tr_mul(&rod.omega) * share,
        );
    let rod_body = mechanism.add_body(body);
    let end = x * x_slider;
    let body = uniform_box("slider", motion.slider_mass, HALF)
        .at(end)
        .moving(x * (v_slider * share), [0.0; 3]);
    let slider = mechanism.add_body(body);

    mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, crank, pivot, x));
    mechanism.add_joint(Joint::spherical("pin", crank, rod_body, pin));
    let rod_y = rod.rotation.column(1).into_owned();
    mechanism.add_joint(Joint::universal(
        "slider pin",
        slider,
        rod_body,
        end,
        x,
        rod_y,
    ));

    for (name, axis, side) in [
        ("left", 1, 1.0),
        ("right", 1, -1.0),
        ("top", 2, 1.0),
        ("bottom", 2, -1.0),
    ] {
        let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
        (point[axis], normal[axis]) = (side * (HALF[axis] + clearance), -side);
        let wall = Surface::half_space(BodyId::GROUND, point, normal);
        let corners =
            [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|[along, across]| {
                let mut corner = [along * HALF[0], across * HALF[1], across * HALF[2]];
                corner[axis] = side * HALF[axis];
                corner
            });
        let corners = Shape::Points(corners.into());
        let corners = Surface::new(slider, Frame::local_point([0.0; 3]), corners);
        let contact = SurfaceContact::new(name, wall, corners).with_restitution(e);
        mechanism.add_contact(rubbing(contact, mu));
    }
    mechanism
}
