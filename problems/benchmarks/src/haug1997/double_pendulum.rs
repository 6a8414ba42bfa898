//! The stiff double pendulum of sec. 4.1: two bars with rotational spring-damper-actuators.

use super::{slender, tabulated};
use crate::error::TableError;
use crate::parameters::Range;
use crate::planar::{self, Joint};
use crate::reference::Table;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae::linalg::KktError;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Derivative, Layout, MatrixMut, Model, Point, State};
use std::f64::consts::PI;
use std::sync::LazyLock;

pub(crate) const STIFF_DOUBLE_PENDULUM: ProblemEntry = ProblemEntry {
    name: "stiff-double-pendulum",
    title: "double pendulum with stiff torsional spring-dampers, in six Cartesian coordinates",
    description: "Two bars in the x-y plane, the first held near its lowest position by a soft spring, the second held \
                  in line with it by a stiff overdamped one: its speed of 10 rad/s decays with 2.8e5/s at the start, 75 degrees out of line \
                  (half=1: 7.1e4/s), where bars in line would have 4.1e5/s (half=1: 1.0e5/s), and the misfit with 6/s. Angles theta from +x, forces F at the joints. The print of the paper lost k and c; \
                  half=1 reads its L as half lengths.",
    source: "Haug, Negrut and Iancu, Mech. Struct. Mach. 25 (1997) 311, sec. 4.1, doi:10.1080/08905459708905292",
    parameters: &[
        ParameterInfo::new("L1", 1.0, "m", Range::Positive, "length of bar 1"),
        ParameterInfo::new("L2", 1.5, "m", Range::Positive, "length of bar 2"),
        ParameterInfo::new("m1", 3.0, "kg", Range::Positive, "mass of bar 1"),
        ParameterInfo::new("m2", 0.3, "kg", Range::Positive, "mass of bar 2"),
        ParameterInfo::new(
            "k1",
            400.0,
            "N m",
            Range::NonNegative,
            "torsional stiffness between ground and bar 1",
        ),
        ParameterInfo::new(
            "k2",
            3e5,
            "N m",
            Range::NonNegative,
            "torsional stiffness between the bars",
        ),
        ParameterInfo::new(
            "c1",
            15.0,
            "N m s",
            Range::NonNegative,
            "torsional damping between ground and bar 1",
        ),
        ParameterInfo::new(
            "c2",
            5e4,
            "N m s",
            Range::NonNegative,
            "torsional damping between the bars",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -y"),
        ParameterInfo::new(
            "theta1",
            1.5 * PI,
            "rad",
            Range::Finite,
            "initial angle of bar 1 from +x",
        ),
        ParameterInfo::new(
            "theta2",
            23.0 / 12.0 * PI,
            "rad",
            Range::Finite,
            "initial angle of bar 2 from +x",
        ),
        ParameterInfo::new(
            "omega1",
            0.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity of bar 1",
        ),
        ParameterInfo::new(
            "omega2",
            10.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity of bar 2",
        ),
        ParameterInfo::new(
            "half",
            0.0,
            "1",
            Range::Choice(&["L1, L2 are lengths", "L1, L2 are half lengths"]),
            "what L1 and L2 mean",
        ),
    ],
    build,
};

/// The angle of bar 1 at which the spring to the ground is relaxed; that between the bars is relaxed when they align.
const REST: f64 = 1.5 * PI;

/// Two uniform slender bars, the first pivoted at the origin, in coordinates x, y, theta of both: 4 position rows.
///
/// Torques of the spring-dampers: tau1 = -k1 (theta1 - 3 pi / 2) - c1 omega1 on bar 1 from the ground,
/// tau2 = -k2 (theta2 - theta1) - c2 (omega2 - omega1) on bar 2 from bar 1.
#[derive(Clone, Debug)]
pub struct StiffDoublePendulum {
    properties: Properties,
    bodies: [(f64, f64); 2],
    joints: [Joint; 2],
    layout: Layout,
}

/// Parameters of a [`StiffDoublePendulum`] by bar, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Properties {
    /// Full lengths in m.
    pub length: [f64; 2],
    /// Masses in kg.
    pub mass: [f64; 2],
    /// Torsional stiffnesses in N m.
    pub stiffness: [f64; 2],
    /// Torsional dampings in N m s.
    pub damping: [f64; 2],
    /// Gravity along -y in m/s^2.
    pub gravity: f64,
    /// Initial angles from +x in rad.
    pub angle: [f64; 2],
    /// Initial angular velocities in rad/s.
    pub rate: [f64; 2],
}

impl StiffDoublePendulum {
    /// Prepares joints and sparsity.
    pub fn new(properties: Properties) -> Result<Self, KktError> {
        let [half1, half2] = properties.length.map(|length| 0.5 * length);
        let joints = [
            Joint::revolute((Some(0), [-half1, 0.0]), (None, [0.0, 0.0])),
            Joint::revolute((Some(1), [-half2, 0.0]), (Some(0), [half1, 0.0])),
        ];
        let turning = [(2, 2), (2, 5), (5, 2), (5, 5)];
        Ok(Self {
            bodies: [0, 1].map(|bar| slender(properties.mass[bar], properties.length[bar])),
            layout: planar::layout(2, &joints, turning)?,
            properties,
            joints,
        })
    }
}

impl Model for StiffDoublePendulum {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        let mut state = self.layout.state();
        for (bar, joint) in self.joints.iter().enumerate() {
            state.q[3 * bar + 2] = self.properties.angle[bar];
            state.v[3 * bar + 2] = self.properties.rate[bar];
            joint.place(&mut state.q);
        }
        let mut pin = [0.0; 2];
        for bar in 0..2 {
            let half = planar::arm(&state.q, bar, [0.5 * self.properties.length[bar], 0.0]);
            let rate = self.properties.rate[bar];
            let relative = [-half[1] * rate, half[0] * rate];
            for axis in 0..2 {
                state.v[3 * bar + axis] = pin[axis] + relative[axis];
                pin[axis] += 2.0 * relative[axis];
            }
        }
        state
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        planar::mass_matrix(&self.bodies, mass);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let Properties {
            mass,
            stiffness,
            damping,
            gravity,
            ..
        } = self.properties;
        let ground = -(at.q[2] - REST) * stiffness[0] - at.v[2] * damping[0];
        let between = -(at.q[5] - at.q[2]) * stiffness[1] - (at.v[5] - at.v[2]) * damping[1];
        force[1] = S::constant(-mass[0] * gravity);
        force[2] = ground - between;
        force[4] = S::constant(-mass[1] * gravity);
        force[5] = between;
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        planar::constraint(&self.joints, at.q, g);
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        planar::jacobian(&self.joints, at.q, jacobian);
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        planar::bias(&self.joints, at.q, at.v, bias);
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        let names = ANGLES.into_iter().chain(POINTS).chain(FORCES);
        names.chain(["energy"]).map(str::to_owned).collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let (q, v, a) = (&state.q, &state.v, &state.acceleration);
        out[..6].copy_from_slice(&[q[2], q[5], v[2], v[5], a[2], a[5]]);
        out[6..14].copy_from_slice(&[q[0], q[1], q[3], q[4], v[0], v[1], v[3], v[4]]);
        out[14..18].copy_from_slice(&state.lambda);
        out[18] = self.energy(&state.point()).unwrap_or(f64::NAN);
    }

    /// Kinetic energy and that of gravity and springs; constant without the dampers.
    fn energy(&self, at: &Point) -> Option<f64> {
        let Properties {
            mass,
            stiffness,
            gravity,
            ..
        } = self.properties;
        let (soft, stiff) = (at.q[2] - REST, at.q[5] - at.q[2]);
        let springs = stiffness[0] * soft * soft + stiffness[1] * stiff * stiff;
        let weight = gravity * (mass[0] * at.q[1] + mass[1] * at.q[4]);
        Some(0.5 * (planar::twice_kinetic_energy(&self.bodies, at.v) + springs) + weight)
    }
}

const ANGLES: [&str; 6] = ["theta1", "theta2", "omega1", "omega2", "alpha1", "alpha2"];
const POINTS: [&str; 8] = ["x1", "y1", "x2", "y2", "vx1", "vy1", "vx2", "vy2"];
/// Force of the ground on bar 1 and of bar 1 on bar 2.
const FORCES: [&str; 4] = ["F1x", "F1y", "F2x", "F2y"];

static FULL: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    table(
        "haug_stiff_double_pendulum_A",
        include_str!("../../data/haug_stiff_double_pendulum_A.csv"),
    )
});
static HALF: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    table(
        "haug_stiff_double_pendulum_B",
        include_str!("../../data/haug_stiff_double_pendulum_B.csv"),
    )
});

fn table(name: &str, text: &str) -> Result<Table, TableError> {
    Table::parse(name, text)?
        .chain(&["theta1", "omega1"])?
        .chain(&["theta2", "omega2"])
}

/// The reference of these properties: angles from the table, and from them points and forces.
fn reference(table: &'static Table, properties: Properties) -> Result<Reference, TableError> {
    let source = "Taylor integration of two angles in binary128, two precisions agree to 27.9 digits, with independent \
                  double-precision code to 12; between samples angles to 1e-11, rates to 1e-6, no accelerations";
    let reference = Reference::new(source, 0.0, 2.0, false);
    let names = POINTS.into_iter().chain(FORCES);
    tabulated(reference, table, ANGLES, names, move |values, out| {
        derived(&properties, values, out);
    })
}

/// Points and forces from the angles with their rates, in the order of [`POINTS`] and [`FORCES`].
fn derived(properties: &Properties, values: &[f64; 6], out: &mut [f64]) {
    let (mut pin, mut forces) = ([[0.0; 2]; 3], [[0.0; 2]; 2]);
    for bar in 0..2 {
        let ([theta, omega, alpha], half) = (
            [values[bar], values[2 + bar], values[4 + bar]],
            0.5 * properties.length[bar],
        );
        let (sine, cosine) = theta.sin_cos();
        let (along, across) = ([half * cosine, half * sine], [-half * sine, half * cosine]);
        for axis in 0..2 {
            let relative = [
                along[axis],
                omega * across[axis],
                alpha * across[axis] - omega * omega * along[axis],
            ];
            let centre: [f64; 3] = std::array::from_fn(|order| pin[order][axis] + relative[order]);
            for order in 0..3 {
                pin[order][axis] += 2.0 * relative[order];
            }
            out[2 * bar + axis] = centre[0];
            out[4 + 2 * bar + axis] = centre[1];
            let lifted = [0.0, properties.gravity][axis];
            forces[bar][axis] = properties.mass[bar] * (centre[2] + lifted);
        }
    }
    for axis in 0..2 {
        out[8 + axis] = forces[0][axis] + forces[1][axis];
        out[10 + axis] = forces[1][axis];
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let pair = |first, second| Ok::<_, ProblemError>([get(first)?, get(second)?]);
    let halves = get("half")? == 1.0;
    let unit = if halves { 2.0 } else { 1.0 };
    let properties = Properties {
        length: pair("L1", "L2")?.map(|length| unit * length),
        mass: pair("m1", "m2")?,
        stiffness: pair("k1", "k2")?,
        damping: pair("c1", "c2")?,
        gravity: get("g")?,
        angle: pair("theta1", "theta2")?,
        rate: pair("omega1", "omega2")?,
    };
    let reference = if parameters.are_default_except(&["half"]) {
        let table = if halves { &HALF } else { &FULL };
        Some(reference(
            table.as_ref().map_err(Clone::clone)?,
            properties,
        )?)
    } else {
        None
    };
    let model = StiffDoublePendulum::new(properties).map_err(|error| ProblemError::Build {
        problem: STIFF_DOUBLE_PENDULUM.name,
        reason: error.to_string(),
    })?;
    let end = (1, [0.5 * properties.length[1], 0.0]);
    let drawing = planar::drawing(&["bar 1", "bar 2"], &model.joints, &[end]);
    Ok(Problem {
        formulation: None,
        name: STIFF_DOUBLE_PENDULUM.name,
        system: Box::new(Automatic::new(model)),
        t_end: 0.1,
        default_step: 1e-4,
        reference,
        main_output: "theta2".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
