//! An unbalanced disc on an elastic shaft in bearings: at a constant rate, and run up through its critical speed.

use super::{Laval, problem};
use crate::parameters::Range;
use crate::{
    Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference,
};
use liedae_multibody::{
    Axis, Beam, BodyId, CartesianSpring, Drawing, Drive, Joint, Motion, MultibodyBuilder, Output,
    RigidBody, Section, Snapshot,
};

const MASS: ParameterInfo =
    ParameterInfo::new("mass", 1.6, "kg", Range::Positive, "mass of the disc");
const STIFFNESS: ParameterInfo = ParameterInfo::new(
    "stiffness",
    4000.0,
    "N/m",
    Range::Positive,
    "stiffness of the shaft in its middle",
);
const DAMPING: ParameterInfo = ParameterInfo::new(
    "zeta",
    0.05,
    "1",
    Range::Between(0.0, 0.9),
    "damping ratio of the disc in the surrounding oil",
);
const ECCENTRICITY: ParameterInfo = ParameterInfo::new(
    "eccentricity",
    1e-4,
    "m",
    Range::NonNegative,
    "distance of the disc's centre of mass from the shaft",
);
const SHAFT: ParameterInfo = ParameterInfo::new(
    "shaft",
    1e-5,
    "kg",
    Range::Positive,
    "mass of the shaft: the lighter it is, the faster its waves",
);

/// The closed form takes a part of the shaft for mass of the disc. Up to this share of the disc's mass that is right to the digits stated.
const LIGHT: f64 = 1e-5;

const ELEMENTS: ParameterInfo = ParameterInfo::new(
    "n",
    2.0,
    "1",
    Range::Integer(1, 64),
    "number of elements on each side of the disc",
);

pub(crate) const ROTOR: ProblemEntry = ProblemEntry {
    name: "rotor",
    title: "unbalanced disc on an elastic shaft in bearings, at a constant rate",
    description: "Laval's (Jeffcott's) rotor with a geometrically exact shaft of 1 m along x, clamped in bearings: one is driven at a \
                  constant rate, the other lets it slide along its axis. The disc turns from the start on and begins to whirl. The \
                  shaft's waves swing with 1e5 Hz, which nothing but the step size of explicit methods sees. y, z and amplitude are of \
                  the shaft's middle.",
    source: "Jeffcott, Phil. Mag. 37 (1919) 304, doi:10.1080/14786440308635889; Haddouni et al. 2017, Fig. 12, whose data are not in print, \
             doi:10.1007/s11044-017-9570-y",
    parameters: &[
        MASS,
        STIFFNESS,
        DAMPING,
        ECCENTRICITY,
        ParameterInfo::new("Omega", 25.0, "rad/s", Range::Finite, "rate of turning"),
        SHAFT,
        ELEMENTS,
    ],
    build: build_turning,
};

pub(crate) const ROTOR_RUN_UP: ProblemEntry = ProblemEntry {
    name: "rotor-run-up",
    title: "unbalanced disc on an elastic shaft, run up through its critical speed",
    description: "The rotor of `rotor`, turned from rest with a constant angular acceleration to twice its critical speed: slowly, so that \
                  its amplitude follows the closed form of steady whirling on both sides of the resonance.",
    source: "Haddouni et al. 2017, Fig. 13, whose data are not in print, doi:10.1007/s11044-017-9570-y",
    parameters: &[
        MASS,
        STIFFNESS,
        DAMPING,
        ECCENTRICITY,
        ParameterInfo::new(
            "alpha",
            5.0,
            "rad/s^2",
            Range::Positive,
            "angular acceleration",
        ),
        SHAFT,
        ELEMENTS,
    ],
    build: build_run_up,
};

/// Length of the shaft in m.
const LENGTH: f64 = 1.0;
/// Radius of the disc in m.
const RADIUS: f64 = 0.15;
/// E A of the shaft in N.
const AXIAL: f64 = 1e5;
/// Radius of gyration of the shaft's sections about a diameter in m.
const GYRATION: f64 = 0.03;
/// The mass that moves with the middle of a clamped shaft, as a part of its mass: that of the kinetic energy of its static shape.
const MOVED: f64 = 13.0 / 35.0;

/// The properties of both problems.
struct Rotor {
    mass: f64,
    stiffness: f64,
    damping: f64,
    eccentricity: f64,
    shaft: f64,
    /// On each side of the disc.
    elements: usize,
}

impl Rotor {
    fn of(parameters: &Parameters) -> Result<Self, ProblemError> {
        let get = |info: &ParameterInfo| parameters.get(info.name);
        let (mass, stiffness) = (get(&MASS)?, get(&STIFFNESS)?);
        Ok(Self {
            mass,
            stiffness,
            damping: 2.0 * get(&DAMPING)? * (mass * stiffness).sqrt(),
            eccentricity: get(&ECCENTRICITY)?,
            shaft: get(&SHAFT)?,
            // An integer from 1 to 64 by its range.
            elements: get(&ELEMENTS)? as usize,
        })
    }

    /// Its closed form, with the part of the shaft that moves with the disc.
    fn laval(&self) -> Laval {
        Laval {
            mass: self.mass + MOVED * self.shaft,
            stiffness: self.stiffness,
            damping: self.damping,
            unbalance: self.mass * self.eccentricity,
        }
    }

    /// The mechanism, turning at this rate at the start.
    fn mechanism(&self, rate: f64, angle: Motion) -> MultibodyBuilder {
        let x = [1.0, 0.0, 0.0];
        // Clamped on both sides: 192 E I / L³.
        let (bending, rigid) = (self.stiffness * LENGTH.powi(3) / 192.0, f64::INFINITY);
        let density = self.shaft / LENGTH;
        let rotary = GYRATION * GYRATION * density;
        let stiffness = [AXIAL, rigid, rigid, bending, bending, bending];
        let section = Section::new(stiffness, density, [2.0 * rotary, rotary, rotary]);
        let spin = [rate, 0.0, 0.0];
        let ends = [[0.0; 3], [LENGTH, 0.0, 0.0]];
        let shaft = Beam::straight("shaft", section, ends[0], ends[1], 2 * self.elements);
        let mut mechanism = MultibodyBuilder::new();
        let shaft = mechanism.add_beam(shaft.moving([0.0; 3], spin));
        let middle = shaft.body(self.elements);
        // A thin disc.
        let across = 0.25 * self.mass * RADIUS * RADIUS;
        let centre = [0.5 * LENGTH, self.eccentricity, 0.0];
        let disc = RigidBody::new("disc", self.mass, [2.0 * across, across, across])
            .at(centre)
            .moving([0.0, 0.0, rate * self.eccentricity], spin);
        let disc = mechanism.add_body(disc);
        let hub = [0.5 * LENGTH, 0.0, 0.0];
        mechanism.add_joint(Joint::fixed("hub", middle, disc, hub));
        let driven = Joint::revolute("driven bearing", BodyId::GROUND, shaft.start(), ends[0], x);
        let driven = mechanism.add_joint(driven);
        let free = Joint::cylindrical("free bearing", BodyId::GROUND, shaft.end(), ends[1], x);
        mechanism.add_joint(free);
        let motor = mechanism.add_drive("motor", driven, Drive::Angle(angle));
        let oil = CartesianSpring::new([0.0; 3]).with_damping([self.damping; 3]);
        mechanism.add_force("oil", BodyId::GROUND, middle, oil);
        let place = move |now: &Snapshot| now.position(middle);
        for (name, axis) in [("y", Axis::Y), ("z", Axis::Z)] {
            mechanism.output(name, Output::Position(middle, [0.0; 3], axis));
        }
        mechanism.probe("amplitude", move |now| place(now).y.hypot(place(now).z));
        mechanism.define_output(
            "amplitude",
            "distance of the middle of the shaft from the x-axis, m",
        );
        mechanism.probe("speed", move |now| now.omega(disc).x);
        mechanism.define_output(
            "speed",
            "angular velocity of the disc about x of its own frame, rad/s",
        );
        mechanism.output("torque", Output::Effort(motor));
        mechanism
    }
}

fn build_turning(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let rotor = Rotor::of(parameters)?;
    let rate = parameters.get("Omega")?;
    let problem = problem(
        &ROTOR,
        rotor.mechanism(rate, Motion::linear(0.0, rate)),
        1.0,
    )?;
    let source = "closed form of a Laval rotor from rest, with 13/35 of the shaft's mass: within a part of 2e-5, since it does not know that \
                  the shaft twists";
    let laval = rotor.laval();
    let columns = ["y", "z", "amplitude"];
    let reference =
        Reference::new(source, 0.0, 100.0, false).with_closed_form(columns, move |t, out| {
            let [y, z] = laval.from_rest(rate, t);
            out.copy_from_slice(&[y, z, y.hypot(z)]);
        });
    let is_light = parameters.get(SHAFT.name)? <= LIGHT * rotor.mass;
    Ok(Problem {
        reference: is_light.then_some(reference),
        ..shown(problem, &rotor)
    })
}

fn build_run_up(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let rotor = Rotor::of(parameters)?;
    let alpha = parameters.get("alpha")?;
    let critical = (rotor.stiffness / rotor.mass).sqrt();
    let angle = Motion::Polynomial(vec![0.0, 0.0, 0.5 * alpha]);
    let mechanism = rotor.mechanism(0.0, angle);
    let problem = problem(&ROTOR_RUN_UP, mechanism, 2.0 * critical / alpha)?;
    Ok(shown(problem, &rotor))
}

fn shown(problem: Problem, rotor: &Rotor) -> Problem {
    // Behind the nodes of the shaft.
    let disc = 2 * rotor.elements + 1;
    let half = 0.01;
    let thick = |drawing: Drawing| {
        let drawing = drawing.without_body(disc);
        drawing.cylinder(Some(disc), [-half, 0.0, 0.0], [half, 0.0, 0.0], RADIUS)
    };
    Problem {
        drawing: problem.drawing.map(thick),
        default_step: 4e-4,
        main_output: "amplitude".to_owned(),
        // Amplitudes are a part of a millimetre.
        absolute_scale: 1e-3,
        ..problem
    }
    .with_formulation(Formulation::new([
        format!(
            "oil: F = -{} p' N on the node in the middle of the shaft, p its position in the world",
            rotor.damping
        ),
        "y, z, amplitude: of this node; speed, torque: of the disc and of the motor, about x"
            .to_owned(),
    ]))
}
