//! The heavy top: a rigid body with a fixed point under gravity.

use super::{
    ORIENTATION, OrientationGroup, cross, heavy_top_reference, rotate, rotate_back,
    write_orientation,
};
use crate::formulation::initial_outputs;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{
    Automatic, Derivative, Labels, Layout, MatrixMut, Model, Momentum, Point, Spatial, State,
};
use liedae_multibody::drawing::Drawing;

pub(crate) const HEAVY_TOP: ProblemEntry = ProblemEntry {
    name: "heavy-top",
    title: "heavy top in absolute coordinates with a fixed-point constraint",
    description: "A fast top of mass 15 kg spinning at 150 rad/s about its y-axis, held at the origin by the constraint \
                  x = R X; F is the force of the support. The same problem on R^3 x SO(3), SE(3) or R^3 x unit \
                  quaternions (parameter group).",
    source: "Geradin and Cardona, Flexible Multibody Dynamics, 2001; Bruels, Cardona and Arnold, Mech. Mach. Theory 48 \
             (2012) 121, doi:10.1016/j.mechmachtheory.2011.07.017",
    parameters: &[
        ParameterInfo::new("mass", 15.0, "kg", Range::Positive, "mass"),
        ParameterInfo::new(
            "Jx",
            0.234375,
            "kg m^2",
            Range::Positive,
            "moment of inertia about the centre of mass, body x",
        ),
        ParameterInfo::new(
            "Jy",
            0.46875,
            "kg m^2",
            Range::Positive,
            "moment of inertia about the centre of mass, body y",
        ),
        ParameterInfo::new(
            "Jz",
            0.234375,
            "kg m^2",
            Range::Positive,
            "moment of inertia about the centre of mass, body z",
        ),
        ParameterInfo::new(
            "arm",
            1.0,
            "m",
            Range::Positive,
            "centre of mass from the fixed point along body y",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -z"),
        ParameterInfo::new(
            "spin",
            150.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity about body y",
        ),
        ParameterInfo::new(
            "precession",
            -4.61538,
            "rad/s",
            Range::Finite,
            "initial angular velocity about body z",
        ),
        ParameterInfo::new(
            "group",
            0.0,
            "1",
            Range::Choice(&["R^3 x SO(3)", "SE(3)", "R^3 x unit quaternions"]),
            "configuration space",
        ),
    ],
    build,
};

/// The configuration space of the heavy top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeavyTopGroup {
    /// R^3 x SO(3) or R^3 x unit quaternions: velocity of the centre of mass in the fixed frame.
    Product(OrientationGroup),
    /// SE(3): velocity of the centre of mass in the body frame.
    RigidMotion,
}

/// A rigid body with one point fixed at the origin; position rows x - R X = 0, whose multipliers are the force of the
/// support in N, in the fixed frame.
#[derive(Clone, Debug, PartialEq)]
pub struct HeavyTop {
    /// Mass in kg.
    pub mass: f64,
    /// Principal moments of inertia about the centre of mass in kg m².
    pub inertia: [f64; 3],
    /// Centre of mass relative to the fixed point in the body frame, in m.
    pub arm: [f64; 3],
    /// Gravity along -z in m/s².
    pub gravity: f64,
    /// Initial angular velocity in the body frame in rad/s; initially the body frame is the fixed frame.
    pub spin: [f64; 3],
    /// Configuration space.
    pub group: HeavyTopGroup,
}

impl HeavyTop {
    /// Orientation, row by row, and the velocity of the centre of mass in the fixed frame.
    fn motion<S: Scalar>(&self, q: &[S], v: &[S]) -> ([S; 9], [S; 3]) {
        let velocity = [v[0], v[1], v[2]];
        match self.group {
            HeavyTopGroup::Product(orientation) => (orientation.rotation(&q[3..]), velocity),
            HeavyTopGroup::RigidMotion => {
                let rotation = OrientationGroup::Matrix.rotation(&q[3..]);
                (rotation, rotate(&rotation, velocity))
            }
        }
    }

    fn angular_momentum<S: Scalar>(&self, v: &[S]) -> [S; 3] {
        std::array::from_fn(|axis| v[3 + axis] * self.inertia[axis])
    }
}

impl Model for HeavyTop {
    fn layout(&self) -> Layout {
        let space = match self.group {
            HeavyTopGroup::Product(orientation) => {
                Manifold::new([Factor::Euclidean(3), orientation.factor()])
            }
            HeavyTopGroup::RigidMotion => Manifold::new([Factor::RigidMotion]),
        };
        Layout::dense(space).with_position_rows(3)
    }

    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        state.q[..3].copy_from_slice(&self.arm);
        state.v[..3].copy_from_slice(&cross(self.spin, self.arm));
        state.v[3..].copy_from_slice(&self.spin);
        state
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(self.mass);
            mass[(3 + axis, 3 + axis)] = S::constant(self.inertia[axis]);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let weight = [
            S::constant(0.0),
            S::constant(0.0),
            S::constant(-self.mass * self.gravity),
        ];
        let spin = [at.v[3], at.v[4], at.v[5]];
        let translation = match self.group {
            HeavyTopGroup::Product(_) => weight,
            HeavyTopGroup::RigidMotion => {
                let (rotation, _) = self.motion(at.q, at.v);
                let weight = rotate_back(&rotation, weight);
                let transport = cross(spin, [at.v[0], at.v[1], at.v[2]]);
                std::array::from_fn(|axis| weight[axis] - transport[axis] * self.mass)
            }
        };
        let gyroscopic = cross(spin, self.angular_momentum(at.v));
        for axis in 0..3 {
            force[axis] = translation[axis];
            force[3 + axis] = -gyroscopic[axis];
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (rotation, _) = self.motion(at.q, at.v);
        let tip = rotate(&rotation, self.arm.map(S::constant));
        for axis in 0..3 {
            g[axis] = at.q[axis] - tip[axis];
        }
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        let (rotation, _) = self.motion(at.q, at.v);
        for row in 0..3 {
            let axes = [
                rotation[3 * row],
                rotation[3 * row + 1],
                rotation[3 * row + 2],
            ];
            // -r · (δ x X) = δ · (r x X)
            let turning = cross(axes, self.arm);
            for column in 0..3 {
                jacobian[(row, column)] = match self.group {
                    HeavyTopGroup::Product(_) => f64::from(u8::from(row == column)),
                    HeavyTopGroup::RigidMotion => axes[column],
                };
                jacobian[(row, 3 + column)] = turning[column];
            }
        }
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        let (rotation, _) = self.motion(at.q, at.v);
        let spin = [at.v[3], at.v[4], at.v[5]];
        let mut rate = cross(spin, self.arm).map(|part| -part);
        if self.group == HeavyTopGroup::RigidMotion {
            for (part, own) in rate.iter_mut().zip(at.v) {
                *part += own;
            }
        }
        bias.copy_from_slice(&rotate(&rotation, cross(spin, rate)));
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        let first = ["x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"];
        let last = [
            "Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz", "Fx", "Fy", "Fz", "energy", "Lz",
        ];
        first
            .into_iter()
            .chain(ORIENTATION)
            .chain(last)
            .map(str::to_owned)
            .collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let (rotation, velocity) = self.motion(&state.q, &state.v);
        let mut acceleration = [
            state.acceleration[0],
            state.acceleration[1],
            state.acceleration[2],
        ];
        if self.group == HeavyTopGroup::RigidMotion {
            let transport = cross(
                [state.v[3], state.v[4], state.v[5]],
                [state.v[0], state.v[1], state.v[2]],
            );
            acceleration = rotate(
                &rotation,
                std::array::from_fn(|axis| acceleration[axis] + transport[axis]),
            );
        }
        out[..3].copy_from_slice(&state.q[..3]);
        out[3..6].copy_from_slice(&velocity);
        out[6..9].copy_from_slice(&acceleration);
        write_orientation(&rotation, &mut out[9..22]);
        out[22..25].copy_from_slice(&state.v[3..6]);
        out[25..28].copy_from_slice(&state.acceleration[3..6]);
        out[28..31].copy_from_slice(&state.lambda);
        out[31] = self.energy(&state.point()).unwrap_or(f64::NAN);
        let orbital = self.mass * (state.q[0] * velocity[1] - state.q[1] * velocity[0]);
        out[32] = orbital + rotate(&rotation, self.angular_momentum(&state.v))[2];
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let momentum = self.angular_momentum(at.v);
        let translation: f64 = at.v[..3].iter().map(|part| self.mass * part * part).sum();
        let rotation: f64 = at.v[3..]
            .iter()
            .zip(momentum)
            .map(|(rate, momentum)| rate * momentum)
            .sum();
        Some(0.5 * (translation + rotation) + self.mass * self.gravity * at.q[2])
    }

    fn labels(&self) -> Option<&dyn Labels> {
        Some(self)
    }

    /// On SE(3) the velocity of the centre of mass turns with the spinning top.
    fn spatial(&self) -> Option<&dyn Spatial> {
        (self.group != HeavyTopGroup::RigidMotion).then_some(self)
    }
}

impl Labels for HeavyTop {
    fn row(&self, row: usize) -> Option<String> {
        let axis = ["x", "y", "z"].get(row)?;
        Some(format!("fixed point: displacement along {axis}"))
    }

    fn velocity(&self, component: usize) -> Option<String> {
        let axis = ["x", "y", "z"][component % 3];
        match (component / 3, self.group) {
            (0, HeavyTopGroup::Product(_)) => Some(format!("displacement along {axis}")),
            (0, HeavyTopGroup::RigidMotion) => Some(format!("displacement along the top's {axis}")),
            (1, _) => Some(format!("rotation about the top's {axis}")),
            _ => None,
        }
    }
}

impl Spatial for HeavyTop {
    fn momentum(&self, at: &Point) -> Momentum {
        let (rotation, velocity) = self.motion(at.q, at.v);
        let linear = velocity.map(|part| self.mass * part);
        let own = rotate(&rotation, self.angular_momentum(at.v));
        let orbital = cross([at.q[0], at.q[1], at.q[2]], linear);
        Momentum {
            linear,
            angular: std::array::from_fn(|axis| orbital[axis] + own[axis]),
        }
    }

    fn world_vectors(&self) -> Vec<usize> {
        vec![0]
    }

    fn orientations(&self, at: &Point) -> Vec<(usize, [f64; 9])> {
        vec![(3, self.motion(at.q, at.v).0)]
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let top = HeavyTop {
        mass: get("mass")?,
        inertia: [get("Jx")?, get("Jy")?, get("Jz")?],
        arm: [0.0, get("arm")?, 0.0],
        gravity: get("g")?,
        spin: [0.0, get("spin")?, get("precession")?],
        group: match get("group")? {
            1.0 => HeavyTopGroup::RigidMotion,
            2.0 => HeavyTopGroup::Product(OrientationGroup::Quaternion),
            _ => HeavyTopGroup::Product(OrientationGroup::Matrix),
        },
    };
    let known = parameters.are_default_except(&["group"]);
    let reference = if known {
        Some(heavy_top_reference::reference()?)
    } else {
        None
    };
    let formulation = Formulation::new([
        "Centre of mass r = (x, y, z), its velocity v = (vx, vy, vz) and acceleration (ax, ay, az) in the fixed frame; rotation matrix R from \
         the body to the fixed frame (Rxx, Rxy, ... row by row; qw to qz its unit quaternion); angular velocity W = (Wx, Wy, Wz) in the \
         body frame, W' = (Wdx, Wdy, Wdz); force F = (Fx, Fy, Fz) of the support in the fixed frame, the multiplier.",
        "X = (0, arm, 0), J = diag(Jx, Jy, Jz); mass, Jx to Jz, arm, g, and Wy = spin, Wz = precession at the start are parameters.",
        "r' = v, R' = R hat(W), where hat(W) u = W x u for all u",
        "mass v' = (0, 0, -mass g) + F",
        "J W' = -W x (J W) - X x (R^T F)",
        "0 = r - R X",
        "energy = mass v.v / 2 + W.(J W) / 2 + mass g z, Lz = mass (x vy - y vx) + (R J W)_z",
        "The parameter group chooses coordinates of r and R and velocities, not another motion.",
    ])
    .with_initial_values("SI units", initial_outputs(&top));
    let shown = top.clone();
    let arm = top.arm[1];
    let drawing = Drawing::space(["top"], move |state, poses| {
        poses[0].position.copy_from_slice(&state.q[..3]);
        poses[0].rotation = shown.motion(&state.q, &state.v).0;
    })
    .bar(Some(0), [0.0, -arm, 0.0], [0.0, 0.3 * arm, 0.0])
    .cylinder(
        Some(0),
        [0.0, -0.05 * arm, 0.0],
        [0.0, 0.05 * arm, 0.0],
        0.4 * arm,
    )
    .joint(None, [0.0; 3]);
    Ok(Problem {
        formulation: Some(formulation),
        name: HEAVY_TOP.name,
        system: Box::new(Automatic::new(top)),
        t_end: 2.0,
        default_step: 1e-3,
        reference,
        main_output: "z".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
