//! Andrews' squeezing mechanism: seven bodies in the plane, driven by a constant moment against a spring.
//!
//! R. Giles 1978; W. Schiehlen (ed.), Multibody Systems Handbook, 1990; Hairer and Wanner, Solving Ordinary
//! Differential Equations II, 1996, sec. VII.7, doi:10.1007/978-3-642-05221-7; IVP test set, problem `andrews`.

mod cartesian;
mod formulation;
mod loops;
mod minimal;

pub use cartesian::CartesianAndrews;
pub(crate) use cartesian::{CARTESIAN, CARTESIAN_STIFF};
pub use minimal::Andrews;
pub(crate) use minimal::{MINIMAL, MINIMAL_STIFF};

use crate::error::TableError;
use crate::parameters::Range;
use crate::reference::Table;
use crate::{ParameterInfo, Parameters, ProblemError, Reference};
use std::sync::LazyLock;

/// Lengths of the mechanism in m, named as in Hairer and Wanner.
pub(crate) mod geometry {
    /// Fixed pivot of bodies 5 and 7.
    pub const A: [f64; 2] = [-0.06934, -0.00227];
    /// Fixed pivot of body 3.
    pub const B: [f64; 2] = [-0.03635, 0.03273];
    /// Fixed end of the spring.
    pub const C: [f64; 2] = [0.014, 0.072];
    /// Length of body 2.
    pub const D: f64 = 0.028;
    /// Centre of mass of body 2 from the crank pin.
    pub const DA: f64 = 0.0115;
    /// Length of body 4.
    pub const E: f64 = 0.02;
    /// Centre of mass of body 4 from the common point.
    pub const EA: f64 = 0.01421;
    /// Length of the crank, body 1.
    pub const RR: f64 = 0.007;
    /// Centre of mass of the crank from its pivot.
    pub const RA: f64 = 0.00092;
    /// Common point on body 3 from B, along the body's -y.
    pub const SS: f64 = 0.035;
    /// Centre of mass of body 3 from B along -y.
    pub const SA: f64 = 0.01874;
    /// Centre of mass of body 3 from B along x.
    pub const SB: f64 = 0.01043;
    /// Spring's end on body 3 from B along -y.
    pub const SC: f64 = 0.018;
    /// Spring's end on body 3 from B along x.
    pub const SD: f64 = 0.02;
    /// Centre of mass of body 5 from A along x.
    pub const TA: f64 = 0.02308;
    /// Centre of mass of body 5 from A along y.
    pub const TB: f64 = 0.00916;
    /// Length of body 7 from A along -y.
    pub const U: f64 = 0.04;
    /// Centre of mass of body 7 from A along -y.
    pub const UA: f64 = 0.01228;
    /// Centre of mass of body 7 from A along -x.
    pub const UB: f64 = 0.00449;
    /// Length of body 6.
    pub const ZF: f64 = 0.02;
    /// Length of body 5 from A along x.
    pub const ZT: f64 = 0.04;
    /// Centre of mass of body 6 from the common point.
    pub const FA: f64 = 0.01421;
}

/// Initial beta, theta, gamma, phi, delta, Omega, epsilon in rad; consistent with the constraints to 1e-17 m.
pub(crate) const INITIAL_ANGLES: [f64; 7] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];

/// Names of the angles as in the reference data.
pub(crate) const ANGLES: [&str; 7] = ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"];

/// What of the mechanism may be varied without taking it apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// Masses of the bodies in kg.
    pub mass: [f64; 7],
    /// Moments of inertia about the centres of mass in kg m^2.
    pub inertia: [f64; 7],
    /// Spring stiffness in N/m.
    pub stiffness: f64,
    /// Unstressed length of the spring in m.
    pub free_length: f64,
    /// Damper along the spring in N s/m.
    pub damping: f64,
    /// Driving moment on the crank in N m.
    pub moment: f64,
}

impl Properties {
    /// Force in N with which the spring pulls its ends together, from its length and the rate of that.
    pub(crate) fn pull<S: liedae::scalar::Scalar>(&self, length: S, rate: S) -> S {
        (length - self.free_length) * self.stiffness + rate * self.damping
    }

    /// Those of a problem: masses `m1` to `m7`, inertias `I1` to `I7`, `c0`, `l0`, `damping` and `mom`.
    ///
    /// # Errors
    ///
    /// If one of them is not a parameter of the problem.
    pub fn from_parameters(parameters: &Parameters) -> Result<Self, ProblemError> {
        let (mut mass, mut inertia) = ([0.0; 7], [0.0; 7]);
        for body in 0..7 {
            mass[body] = parameters.get(&format!("m{}", body + 1))?;
            inertia[body] = parameters.get(&format!("I{}", body + 1))?;
        }
        Ok(Self {
            mass,
            inertia,
            stiffness: parameters.get("c0")?,
            free_length: parameters.get("l0")?,
            damping: parameters.get("damping")?,
            moment: parameters.get("mom")?,
        })
    }
}

const fn mass(name: &'static str, default: f64) -> ParameterInfo {
    ParameterInfo::new(name, default, "kg", Range::Positive, "mass of a body")
}

const fn inertia(name: &'static str, default: f64) -> ParameterInfo {
    ParameterInfo::new(
        name,
        default,
        "kg m^2",
        Range::Positive,
        "moment of inertia about the centre of mass",
    )
}

/// Stiffness in N/m and damping in N s/m of the spring: Hairer and Wanner's, and those of Haug et al. 1997, sec. 4.3.
const BARI_SPRING: (f64, f64) = (4530.0, 0.0);
const STIFF_SPRING: (f64, f64) = (30_000.0, 1e5);

/// Parameters of both formulations with a spring of this stiffness and damping.
const fn parameters((stiffness, damping): (f64, f64)) -> [ParameterInfo; 18] {
    [
        mass("m1", 0.04325),
        mass("m2", 0.00365),
        mass("m3", 0.02373),
        mass("m4", 0.00706),
        mass("m5", 0.07050),
        mass("m6", 0.00706),
        mass("m7", 0.05498),
        inertia("I1", 2.194e-6),
        inertia("I2", 4.410e-7),
        inertia("I3", 5.255e-6),
        inertia("I4", 5.667e-7),
        inertia("I5", 1.169e-5),
        inertia("I6", 5.667e-7),
        inertia("I7", 1.912e-5),
        ParameterInfo::new(
            "c0",
            stiffness,
            "N/m",
            Range::NonNegative,
            "stiffness of the spring; Hairer and Wanner: 4530, Haug et al. 1997: 30000",
        ),
        ParameterInfo::new(
            "l0",
            0.07785,
            "m",
            Range::Positive,
            "unstressed length of the spring",
        ),
        ParameterInfo::new(
            "damping",
            damping,
            "N s/m",
            Range::NonNegative,
            "damper along the spring; Hairer and Wanner: 0, Haug et al. 1997: 100000",
        ),
        ParameterInfo::new(
            "mom",
            0.033,
            "N m",
            Range::Finite,
            "driving moment on the crank",
        ),
    ]
}

pub(crate) const PARAMETERS: &[ParameterInfo] = &parameters(BARI_SPRING);
pub(crate) const STIFF_PARAMETERS: &[ParameterInfo] = &parameters(STIFF_SPRING);

const SOURCE_BARI: &str = "Taylor integration of the minimal coordinates in binary128, two precisions agree to 25.8 digits, \
                           with independent double-precision code to 12.6";
const SOURCE_STIFF: &str = "Taylor integration of the minimal coordinates in binary128, two precisions agree to 26 digits, \
                            with independent double-precision code to 11.8";

static BARI: LazyLock<Result<Table, TableError>> =
    LazyLock::new(|| angles("andrews_bari", include_str!("../../data/andrews_bari.csv")));
static STIFF: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    angles(
        "andrews_haug_stiff",
        include_str!("../../data/andrews_haug_stiff.csv"),
    )
});
static BARI_CARTESIAN: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    bodies(
        "andrews_bari_cartesian",
        include_str!("../../data/andrews_bari_cartesian.csv"),
    )
});
static STIFF_CARTESIAN: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    bodies(
        "andrews_haug_stiff_cartesian",
        include_str!("../../data/andrews_haug_stiff_cartesian.csv"),
    )
});

fn angles(name: &str, text: &str) -> Result<Table, TableError> {
    let mut table = Table::parse(name, text)?;
    for angle in ANGLES {
        table = table.chain(&[angle, &format!("d_{angle}"), &format!("dd_{angle}")])?;
    }
    Ok(table)
}

fn bodies(name: &str, text: &str) -> Result<Table, TableError> {
    let mut table = Table::parse(name, text)?;
    for body in 1..=7 {
        for (coordinate, rate) in [("x", "vx"), ("y", "vy"), ("phi", "w")] {
            table = table.chain(&[&format!("{coordinate}{body}"), &format!("{rate}{body}")])?;
        }
    }
    Ok(table)
}

/// The reference of these parameters, where there is one.
fn reference(parameters: &Parameters, cartesian: bool) -> Result<Option<Reference>, ProblemError> {
    let spring = (parameters.get("c0")?, parameters.get("damping")?);
    let known = parameters.are_default_except(&["c0", "damping"]);
    let (source, end, angles, bodies) = if known && spring == BARI_SPRING {
        (SOURCE_BARI, 0.03, &BARI, &BARI_CARTESIAN)
    } else if known && spring == STIFF_SPRING {
        (SOURCE_STIFF, 0.035, &STIFF, &STIFF_CARTESIAN)
    } else {
        return Ok(None);
    };
    let angles = angles.as_ref().map_err(Clone::clone)?;
    let reference = Reference::new(source, 0.0, end, false);
    if !cartesian {
        return Ok(Some(reference.with_whole_table(angles)));
    }
    let bodies = bodies.as_ref().map_err(Clone::clone)?;
    let shared = angles
        .names()
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with("lam"));
    let shared: Vec<(String, &'static str)> = shared.map(|name| (name.to_owned(), name)).collect();
    Ok(Some(
        reference
            .with_whole_table(bodies)
            .with_table(angles, shared)?,
    ))
}
