//! The spin-up manoeuvre: a beam on a driven axle.

use super::problem;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    Axis, Beam, BodyId, Drive, Joint, Motion, MultibodyBuilder, Output, Section, Snapshot, Vector3,
};
use std::f64::consts::{FRAC_PI_2, TAU};

pub(crate) const SPIN_UP_BEAM: ProblemEntry = ProblemEntry {
    name: "spin-up-beam",
    title: "geometrically exact beam on a driven axle, spun up from rest",
    description: "A beam in the x-y plane, held at a distance `hub` from an axle along z that is turned from rest to a constant rate within \
                  `T`, so gently that the acceleration is continuous. The beam lags behind, is stiffened by the centrifugal force, \
                  overtakes, and is left stretched, with a small vibration. Extension and deflection are those of the end in the \
                  frame that turns with the axle. Five elements have the 31 degrees of freedom of Haddouni et al. 2017, Table 4, whose \
                  eccentricity is not in print (hub=1). Axial waves make it stiff for explicit methods.",
    source: "Simo and Vu-Quoc, J. Appl. Mech. 53 (1986) 855, doi:10.1115/1.3171871; Wu and Haug, Int. J. Numer. Meth. Eng. 26 (1988) \
             2211, doi:10.1002/nme.1620261006; Haddouni et al. 2017, Table 4, doi:10.1007/s11044-017-9570-y",
    parameters: &[
        ParameterInfo::new("n", 5.0, "1", Range::Integer(1, 256), "number of elements"),
        ParameterInfo::new(
            "hub",
            0.0,
            "m",
            Range::NonNegative,
            "distance of the beam's root from the axle",
        ),
        ParameterInfo::new("Omega", 6.0, "rad/s", Range::Finite, "rate at the end"),
        ParameterInfo::new("T", 15.0, "s", Range::Positive, "duration of the manoeuvre"),
        ParameterInfo::new(
            "data",
            0.0,
            "1",
            Range::Choice(&["Simo and Vu-Quoc", "Wu and Haug"]),
            "the beam",
        ),
        ParameterInfo::new(
            "retardation",
            0.0,
            "s",
            Range::NonNegative,
            "time of retardation of a Kelvin-Voigt material",
        ),
    ],
    build,
};

/// A beam that turns about one of its ends, or about a point in its prolongation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinUpBeam {
    /// Length in m.
    pub length: f64,
    /// E A in N.
    pub axial: f64,
    /// G A in N, infinite for a beam whose sections stay at right angles to it.
    pub shear: f64,
    /// E I in N m².
    pub bending: f64,
    /// ρ A in kg/m.
    pub mass: f64,
    /// ρ I in kg m.
    pub rotary: f64,
    /// Distance of the root from the axle in m.
    pub hub: f64,
}

impl SpinUpBeam {
    /// The beam of Simo and Vu-Quoc 1986, doi:10.1115/1.3171871.
    pub const SIMO_VU_QUOC: Self = Self {
        length: 10.0,
        axial: 2.8e7,
        shear: 1e7,
        bending: 1.4e4,
        mass: 1.2,
        rotary: 6e-4,
        hub: 0.0,
    };

    /// The beam of Wu and Haug 1988, doi:10.1002/nme.1620261006: E = 68.95 GPa, A = 73 mm², I = 8218 mm⁴, ρ = 2766.67 kg/m³.
    pub const WU_HAUG: Self = Self {
        length: 8.0,
        axial: 6.895e10 * 7.3e-5,
        shear: f64::INFINITY,
        bending: 6.895e10 * 8.218e-9,
        mass: 2766.67 * 7.3e-5,
        rotary: 2766.67 * 8.218e-9,
        hub: 0.0,
    };

    /// How much longer than at rest it is where it turns steadily at a rate in rad/s: from E A r'' + ρ A Ω² r = 0 for the distance r(s)
    /// from the axle, r(0) = hub, r'(L) = 1. To first order ρ A Ω² L² (L/3 + hub/2) / (E A). Infinite
    /// from the rate on at which a linear material no longer holds it.
    ///
    /// ```
    /// use liedae_problems::flexible::SpinUpBeam;
    ///
    /// let beam = SpinUpBeam::SIMO_VU_QUOC;
    /// let linear = beam.mass * 36.0 * 1000.0 / (3.0 * beam.axial);
    /// assert!((linear - 5.142_857e-4).abs() < 1e-10);
    /// assert!((beam.steady_extension(6.0) / linear - 1.0).abs() < 1e-4);
    /// ```
    pub fn steady_extension(&self, rate: f64) -> f64 {
        let wave = rate.abs() * (self.mass / self.axial).sqrt();
        let (angle, hub) = (wave * self.length, self.hub);
        if angle.is_nan() || angle >= FRAC_PI_2 {
            return f64::INFINITY;
        }
        // hub (1/cos - 1) + L (tan/angle - 1), without the differences of numbers near one.
        let half = (0.5 * angle).sin();
        hub * 2.0 * half * half / angle.cos() + self.length * tangent_excess(angle)
    }
}

/// tan(x)/x - 1.
fn tangent_excess(x: f64) -> f64 {
    if x.abs() < 0.05 {
        let square = x * x;
        // tan x = x + x³/3 + 2 x⁵/15 + 17 x⁷/315 + 62 x⁹/2835 + ...
        return square
            * (1.0 / 3.0
                + square * (2.0 / 15.0 + square * (17.0 / 315.0 + square * (62.0 / 2835.0))));
    }
    x.tan() / x - 1.0
}

/// The angle of the axle: its rate rises as (Ω/T) (t - T/(2π) sin(2π t/T)) and stays at Ω from T on.
fn spin_up(rate: f64, time: f64) -> Motion {
    // (Ω/T) (t²/2 - (T/2π)² (1 - cos(2π t/T))).
    let gain = Motion::Polynomial(vec![0.0, 0.0, 0.5 * (rate / time)]);
    let wave = Motion::Versine {
        amplitude: -(time / TAU).powi(2) * (rate / time),
        rate: TAU / time,
    };
    let steady = Motion::linear(-0.5 * time * rate, rate);
    Motion::Pieces(
        vec![(Motion::Sum(vec![gain, wave]), time)],
        Box::new(steady),
    )
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let data = match get("data")? == 1.0 {
        true => SpinUpBeam::WU_HAUG,
        false => SpinUpBeam::SIMO_VU_QUOC,
    };
    let hub = get("hub")?;
    let (rate, time) = (get("Omega")?, get("T")?);
    // Twisting does not show in the plane.
    let stiffness = [
        data.axial,
        data.shear,
        data.shear,
        data.bending,
        data.bending,
        data.bending,
    ];
    let rotary = [2.0 * data.rotary, data.rotary, data.rotary];
    let section = Section::new(stiffness, data.mass, rotary);
    let section = match get("retardation")? {
        time if time > 0.0 => section.with_retardation(time),
        _ => section,
    };
    let mut mechanism = MultibodyBuilder::new();
    let ends = [[hub, 0.0, 0.0], [hub + data.length, 0.0, 0.0]];
    // An integer from 1 to 256 by its range.
    let count = get("n")? as usize;
    let beam = mechanism.add_beam(Beam::straight("beam", section, ends[0], ends[1], count));
    let (root, end) = (beam.start(), beam.end());
    let axis = [0.0, 0.0, 1.0];
    let axle = Joint::revolute("axle", BodyId::GROUND, root, [0.0; 3], axis);
    let axle = mechanism.add_joint(axle);
    let angle = spin_up(rate, time);
    let motor = mechanism.add_drive("motor", axle, Drive::Angle(angle.clone()));

    let reach = hub + data.length;
    let turned = move |now: &Snapshot| -> Vector3<f64> {
        let (sine, cosine) = angle.value(now.time()).sin_cos();
        let at = now.position(end);
        Vector3::new(
            at.x * cosine + at.y * sine,
            at.y * cosine - at.x * sine,
            at.z,
        )
    };
    let along = turned.clone();
    mechanism.probe("extension", move |now| along(now).x - reach);
    mechanism.probe("deflection", move |now| turned(now).y);
    mechanism.output("end_x", Output::Position(end, [0.0; 3], Axis::X));
    mechanism.output("end_y", Output::Position(end, [0.0; 3], Axis::Y));
    mechanism.output("torque", Output::Effort(motor));
    mechanism.probe("root_force", move |now| now.section_forces(&beam, 0)[0]);

    let t_end = (4.0 / 3.0) * time;
    let problem = problem(&SPIN_UP_BEAM, mechanism, t_end)?;
    Ok(Problem {
        default_step: 2e-4,
        main_output: "deflection".to_owned(),
        // Later high frequencies, which nothing excites, are all that is left of small steps' errors.
        order_study_end: Some(0.05 * time),
        ..problem
    }
    .with_formulation(Formulation::new([
        "motor: the angle of the axle is (Omega / T) (t^2 / 2 + (T / (2 pi))^2 (cos(2 pi t / T) - 1)) up to t = T, then Omega (t - T / 2)",
        "deflection, extension: place of the beam's end in the frame that turns by this angle, less where it is undeformed",
    ])))
}
