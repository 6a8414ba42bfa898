//! The slider-crank of sec. 4.2: crank and rod, whose tip slides along x against a spring-damper-actuator.

use super::{slender, tabulated};
use crate::error::TableError;
use crate::formulation::initial_outputs;
use crate::parameters::Range;
use crate::planar::{self, Joint};
use crate::reference::Table;
use crate::{
    Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference,
};
use liedae::linalg::KktError;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Derivative, Layout, MatrixMut, Model, Point, State};
use std::f64::consts::FRAC_PI_2;
use std::sync::LazyLock;

pub(crate) const TSDA_SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "tsda-slider-crank",
    title: "slider-crank with a stiff spring-damper at the slider, in six Cartesian coordinates",
    description: "Crank and rod in the x-y plane; the rod's tip stays on y = 0 and is pulled to x = x0 by a spring and \
                  an overdamped damper, F = -k (x - x0) - c v. Released at rest with the crank upright. N is the \
                  guide's force on the tip. The print of the paper lost k and c: mild (1e5, 1e4) decays with 1e3/s, \
                  stiff (1e7, 1e6) with 1e5/s. Its text counts two freedoms: free=1 leaves out the guide.",
    source: "Haug, Negrut and Iancu, Mech. Struct. Mach. 25 (1997) 311, sec. 4.2, doi:10.1080/08905459708905292",
    parameters: &[
        ParameterInfo::new("L1", 0.3, "m", Range::Positive, "half length of the crank"),
        ParameterInfo::new("L2", 0.6, "m", Range::Positive, "half length of the rod"),
        ParameterInfo::new("m1", 3.0, "kg", Range::Positive, "mass of the crank"),
        ParameterInfo::new("m2", 9.0, "kg", Range::Positive, "mass of the rod"),
        ParameterInfo::new(
            "stiffness",
            0.0,
            "1",
            Range::Choice(&["mild, k = 1e5, c = 1e4", "stiff, k = 1e7, c = 1e6"]),
            "spring in N/m and damper in N s/m",
        ),
        ParameterInfo::new(
            "factor",
            1.0,
            "1",
            Range::NonNegative,
            "factor on spring and damper",
        ),
        ParameterInfo::new(
            "x0",
            1.0,
            "m",
            Range::Finite,
            "tip where the spring is relaxed",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -y"),
        ParameterInfo::new(
            "theta1",
            FRAC_PI_2,
            "rad",
            Range::Finite,
            "initial angle of the crank from +x",
        ),
        ParameterInfo::new(
            "free",
            0.0,
            "1",
            Range::Choice(&["the tip stays on y = 0", "no guide, two freedoms"]),
            "what holds the tip beside the spring-damper",
        ),
    ],
    build,
};

/// Uniform slender crank and rod in coordinates x, y, theta of both, the crank pivoted at the origin, the rod's tip on
/// y = 0: 5 position rows; 4 without the guide, since the paper counts two freedoms.
#[derive(Clone, Debug)]
pub struct TsdaSliderCrank {
    properties: Properties,
    bodies: [(f64, f64); 2],
    joints: Vec<Joint>,
    layout: Layout,
}

/// Parameters of a [`TsdaSliderCrank`] in SI units; crank first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Properties {
    /// Half lengths in m; the rod must reach y = 0 from the crank's initial position.
    pub half: [f64; 2],
    /// Masses in kg.
    pub mass: [f64; 2],
    /// Stiffness of the spring in N/m.
    pub stiffness: f64,
    /// Damping in N s/m.
    pub damping: f64,
    /// The tip's x at which the spring is relaxed, in m.
    pub relaxed: f64,
    /// Gravity along -y in m/s^2.
    pub gravity: f64,
    /// Initial angle of the crank from +x in rad.
    pub angle: f64,
    /// Whether a guide keeps the rod's tip on y = 0.
    pub guided: bool,
}

impl TsdaSliderCrank {
    /// Prepares joints and sparsity.
    pub fn new(properties: Properties) -> Result<Self, KktError> {
        let [crank, rod] = properties.half;
        let mut joints = vec![
            Joint::revolute((Some(0), [-crank, 0.0]), (None, [0.0, 0.0])),
            Joint::revolute((Some(1), [-rod, 0.0]), (Some(0), [crank, 0.0])),
        ];
        if properties.guided {
            joints.push(Joint::level((Some(1), [rod, 0.0]), (None, [0.0, 0.0])));
        }
        let pulled = [3, 5].into_iter().flat_map(|row| [(row, 3), (row, 5)]);
        Ok(Self {
            bodies: [0, 1].map(|bar| slender(properties.mass[bar], 2.0 * properties.half[bar])),
            layout: planar::layout(2, &joints, pulled)?,
            properties,
            joints,
        })
    }

    /// The rod's tip: its x, the x-component of its velocity, and its arm from the rod's centre of mass.
    fn tip<S: Scalar>(&self, at: &Point<S>) -> (S, S, [S; 2]) {
        let arm = planar::arm(at.q, 1, [self.properties.half[1], 0.0]);
        let velocity = planar::velocity(at.v, 1, arm);
        (at.q[3] + arm[0], velocity[0], arm)
    }
}

impl Model for TsdaSliderCrank {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        let Properties { half, angle, .. } = self.properties;
        let mut state = self.layout.state();
        state.q[2] = angle;
        state.q[5] = -(half[0] * angle.sin() / half[1]).asin();
        self.joints[0].place(&mut state.q);
        self.joints[1].place(&mut state.q);
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
            relaxed,
            gravity,
            ..
        } = self.properties;
        let (x, v, arm) = self.tip(at);
        let pull = -(x - relaxed) * stiffness - v * damping;
        force[1] = S::constant(-mass[0] * gravity);
        force[3] = pull;
        force[4] = S::constant(-mass[1] * gravity);
        force[5] = -arm[1] * pull;
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
        let names = COLUMNS.into_iter().chain(DERIVED);
        names.chain(["energy"]).map(str::to_owned).collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let (q, v, a) = (&state.q, &state.v, &state.acceleration);
        let (tip, speed, _) = self.tip(&state.point());
        out[..7].copy_from_slice(&[q[2], q[5], v[2], v[5], a[2], tip, speed]);
        let guide = if self.properties.guided {
            state.lambda[4]
        } else {
            0.0
        };
        out[7..12].copy_from_slice(&[q[0], q[1], q[3], q[4], guide]);
        out[12] = self.energy(&state.point()).unwrap_or(f64::NAN);
    }

    /// Kinetic energy and that of gravity and spring; constant without the damper.
    fn energy(&self, at: &Point) -> Option<f64> {
        let Properties {
            mass,
            stiffness,
            relaxed,
            gravity,
            ..
        } = self.properties;
        let stretch = self.tip(at).0 - relaxed;
        let kinetic = planar::twice_kinetic_energy(&self.bodies, at.v);
        let weight = gravity * (mass[0] * at.q[1] + mass[1] * at.q[4]);
        Some(0.5 * (kinetic + stiffness * stretch * stretch) + weight)
    }
}

const COLUMNS: [&str; 7] = [
    "theta1", "theta2", "omega1", "omega2", "alpha1", "x_tip", "v_tip",
];
const DERIVED: [&str; 5] = ["x1", "y1", "x2", "y2", "N"];

static MILD: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    table(
        "haug_tsda_slider_crank_mild",
        include_str!("../../data/haug_tsda_slider_crank_mild.csv"),
    )
});
static STIFF: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    table(
        "haug_tsda_slider_crank_stiff",
        include_str!("../../data/haug_tsda_slider_crank_stiff.csv"),
    )
});

fn table(name: &str, text: &str) -> Result<Table, TableError> {
    Table::parse(name, text)?
        .chain(&["theta1", "omega1"])?
        .chain(&["theta2", "omega2"])?
        .chain(&["x_tip", "v_tip"])
}

/// The reference of these properties: angles and tip from the table, and from them the centres and the guide's force.
fn reference(table: &'static Table, properties: Properties) -> Result<Reference, TableError> {
    let source = "Taylor integration of the crank's angle in binary128, two precisions agree to 27 digits, with \
                  independent double-precision code to 11.7; between samples angles to 1e-11, rates to 1e-7, no \
                  accelerations";
    let reference = Reference::new(source, 0.0, 0.1, false);
    tabulated(reference, table, COLUMNS, DERIVED, move |values, out| {
        derived(&properties, values, out);
    })
}

/// Centres of mass and guide force from the columns of the table; the force by the rod's moments about the crank pin.
fn derived(properties: &Properties, values: &[f64; 7], out: &mut [f64]) {
    let &[theta1, theta2, omega1, omega2, alpha1, x_tip, v_tip] = values;
    let Properties { half, mass, .. } = *properties;
    let ((sine1, cosine1), (sine2, cosine2)) = (theta1.sin_cos(), theta2.sin_cos());
    // The tip stays at y = 0, at acceleration level.
    let crank = half[0] * (alpha1 * cosine1 - omega1 * omega1 * sine1);
    let alpha2 = (half[1] * omega2 * omega2 * sine2 - crank) / (half[1] * cosine2);
    let (rx, ry) = (half[1] * cosine2, half[1] * sine2);
    let ax = -2.0 * half[0] * (alpha1 * sine1 + omega1 * omega1 * cosine1)
        - (alpha2 * ry + omega2 * omega2 * rx);
    let ay = 2.0 * crank + alpha2 * rx - omega2 * omega2 * ry;
    let pull = -properties.stiffness * (x_tip - properties.relaxed) - properties.damping * v_tip;
    let inertia = slender(mass[1], 2.0 * half[1]).1;
    let moment = inertia * alpha2 + mass[1] * (rx * (ay + properties.gravity) - ry * ax);
    out.copy_from_slice(&[
        half[0] * cosine1,
        half[0] * sine1,
        2.0 * half[0] * cosine1 + rx,
        2.0 * half[0] * sine1 + ry,
        (0.5 * moment + ry * pull) / rx,
    ]);
}

fn formulation(model: &TsdaSliderCrank) -> Formulation {
    let Properties {
        stiffness, damping, ..
    } = model.properties;
    let [(_, crank), (_, rod)] = model.bodies;
    Formulation::new([
        "Crank and rod with centres of mass (x1, y1), (x2, y2) and angles theta1, theta2 from +x; omega1, omega2 and alpha1 are derivatives.",
        "L1, L2 (half lengths), m1, m2, x0, g are parameters; J1, J2, k and c follow from them.",
        "m1 x1'' = joints, m1 y1'' = -m1 g + joints, J1 theta1'' = joints",
        "m2 x2'' = P + joints, m2 y2'' = -m2 g + joints, J2 theta2'' = -L2 sin(theta2) P + joints",
        "P = -k (x_tip - x0) - c v_tip, x_tip = x2 + L2 cos(theta2), v_tip = x2' - L2 sin(theta2) theta2'",
        planar::JOINT_LAW,
        "The multiplier of the last row is N, 0 without a guide.",
    ])
    .with_constants([
        ("J1", crank, "kg m^2"),
        ("J2", rod, "kg m^2"),
        ("k", stiffness, "N/m"),
        ("c", damping, "N s/m"),
    ])
    .with_table("joints", planar::COLUMNS, planar::rows(&model.joints, &["crank", "rod"]))
    .with_initial_values("SI units", initial_outputs(model))
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let failed = |reason: String| ProblemError::Build {
        problem: TSDA_SLIDER_CRANK.name,
        reason,
    };
    let stiff = get("stiffness")? == 1.0;
    let (k, c) = if stiff { (1e7, 1e6) } else { (1e5, 1e4) };
    let factor = get("factor")?;
    let properties = Properties {
        half: [get("L1")?, get("L2")?],
        mass: [get("m1")?, get("m2")?],
        stiffness: factor * k,
        damping: factor * c,
        relaxed: get("x0")?,
        gravity: get("g")?,
        angle: get("theta1")?,
        guided: get("free")? == 0.0,
    };
    if properties.half[0] * properties.angle.sin().abs() >= properties.half[1] {
        return Err(failed(
            "the rod does not reach y = 0 from this position of the crank: lengthen L2".to_owned(),
        ));
    }
    let reference = if parameters.are_default_except(&["stiffness"]) {
        let table = if stiff { &STIFF } else { &MILD };
        Some(reference(
            table.as_ref().map_err(Clone::clone)?,
            properties,
        )?)
    } else {
        None
    };
    let model = TsdaSliderCrank::new(properties).map_err(|error| failed(error.to_string()))?;
    let tip = [properties.half[1], 0.0];
    let drawing = planar::drawing(&["crank", "rod"], &model.joints, &[(1, tip)])
        .guide(None, [0.0, 0.0], [1.0, 0.0])
        .spring(
            (None, [properties.relaxed + properties.half[1], 0.0]),
            (Some(1), tip),
        )
        .joint(Some(1), tip);
    Ok(Problem {
        formulation: Some(formulation(&model)),
        name: TSDA_SLIDER_CRANK.name,
        system: Box::new(Automatic::new(model)),
        t_end: 0.1,
        default_step: 1e-4,
        reference,
        main_output: "x_tip".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
