//! A thin disk that rolls without slipping on a horizontal plane.

use super::rolling_disk_motion::{DiskMotion, KINEMATICS, LOADS};
use super::{ORIENTATION, cross, rotate, write_orientation};
use crate::formulation::initial_outputs;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::Drawing;

pub(crate) const ROLLING_DISK: ProblemEntry = ProblemEntry {
    name: "rolling-disk",
    title: "disk rolling without slipping on a plane, nonholonomic",
    description: "A thin disk on the plane z = 0, leaning and turning, on R^3 x SO(3): one position row keeps it on the \
                  plane, two velocity rows keep its contact point from slipping. Body z is the axis; tilt is the \
                  angle of the axis from +z, F the force of the plane. motion=1 rolls steadily on a circle, with the \
                  spin that this needs.",
    source: "classical; Routh, Advanced Part of the Dynamics of a System of Rigid Bodies, 1905; Bloch, Nonholonomic \
             Mechanics and Control, 2003, doi:10.1007/b97376",
    parameters: &[
        ParameterInfo::new("mass", 1.0, "kg", Range::Positive, "mass"),
        ParameterInfo::new("radius", 0.5, "m", Range::Positive, "radius"),
        ParameterInfo::new(
            "shape",
            0.5,
            "1",
            Range::Between(0.01, 1.0),
            "axial moment of inertia by m r^2, twice the transverse one: 0.5 uniform, 1 a ring",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -z"),
        ParameterInfo::new(
            "tilt",
            1.2,
            "rad",
            Range::Between(0.05, 3.09),
            "initial angle of the axis from +z; pi/2 is upright",
        ),
        ParameterInfo::new(
            "tilt_rate",
            0.5,
            "rad/s",
            Range::Finite,
            "initial rate of the tilt; none in the steady motion",
        ),
        ParameterInfo::new(
            "heading_rate",
            1.5,
            "rad/s",
            Range::Finite,
            "initial angular velocity of the heading about z",
        ),
        ParameterInfo::new(
            "spin",
            -6.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity about the axis; determined in the steady motion",
        ),
        ParameterInfo::new(
            "motion",
            0.0,
            "1",
            Range::Choice(&["as the rates say", "steady on a circle"]),
            "how it starts",
        ),
    ],
    build,
};

/// A plane axisymmetric body with a sharp rim, in coordinates (r, R) on R³ x SO(3), body z along its axis.
///
/// With the axis n = R e_z and sin θ = √(n_x² + n_y²) the rim's lowest point is at ρ = -r_d (e_z - n_z n) / sin θ from the
/// centre. Position row: z - r_d sin θ = 0; velocity rows: x and y of r' + (R ω) x ρ. The three are the velocity of the
/// material point in contact, so the multipliers are the force of the plane in N: z, then x and y. Singular only where the
/// disk lies flat.
#[derive(Clone, Debug, PartialEq)]
pub struct RollingDisk {
    /// Mass in kg.
    pub mass: f64,
    /// Radius in m.
    pub radius: f64,
    /// Moments of inertia about a diameter and about the axis in kg m².
    pub inertia: [f64; 2],
    /// Gravity along -z in m/s².
    pub gravity: f64,
    /// Initial angle of the axis from +z in rad; the heading is along +x, the contact point in the origin.
    pub tilt: f64,
    /// Initial rates in rad/s: of the tilt, of the heading about z, and the angular velocity about the axis.
    pub rates: [f64; 3],
}

impl RollingDisk {
    fn moments(&self) -> [f64; 3] {
        [self.inertia[0], self.inertia[0], self.inertia[1]]
    }

    /// The contact point from the centre, and sin θ.
    fn contact<S: Scalar>(&self, rotation: &[S; 9]) -> ([S; 3], S) {
        let axis = [rotation[2], rotation[5], rotation[8]];
        let sine = (axis[0] * axis[0] + axis[1] * axis[1]).sqrt();
        let level = axis[2] / sine * self.radius;
        // e_z - n_z n has the z-component sin² θ.
        (
            [axis[0] * level, axis[1] * level, -sine * self.radius],
            sine,
        )
    }

    fn rotation<S: Scalar>(q: &[S]) -> [S; 9] {
        std::array::from_fn(|entry| q[3 + entry])
    }
}

impl Model for RollingDisk {
    fn layout(&self) -> Layout {
        let space = Manifold::new([Factor::Euclidean(3), Factor::Rotation]);
        Layout::dense(space)
            .with_position_rows(1)
            .with_velocity_rows(2)
    }

    fn initial_state(&self) -> State {
        let (sine, cosine) = self.tilt.sin_cos();
        let [tilting, turning, spin] = self.rates;
        let mut state = self.layout().state();
        state.q[..3].copy_from_slice(&[0.0, self.radius * cosine, self.radius * sine]);
        state.q[3..].copy_from_slice(&[1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine]);
        let omega = [tilting, turning * sine, spin];
        let rotation = Self::rotation(&state.q);
        let rolling = cross(self.contact(&rotation).0, rotate(&rotation, omega));
        state.v[..3].copy_from_slice(&rolling);
        state.v[3..].copy_from_slice(&omega);
        state
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (axis, moment) in self.moments().into_iter().enumerate() {
            mass[(axis, axis)] = S::constant(self.mass);
            mass[(3 + axis, 3 + axis)] = S::constant(moment);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let omega = [at.v[3], at.v[4], at.v[5]];
        let moments = self.moments();
        let momentum = std::array::from_fn(|axis| omega[axis] * moments[axis]);
        let gyroscopic = cross(omega, momentum);
        force[2] = S::constant(-self.mass * self.gravity);
        for axis in 0..3 {
            force[3 + axis] = -gyroscopic[axis];
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (_, sine) = self.contact(&Self::rotation(at.q));
        g[0] = at.q[2] - sine * self.radius;
    }

    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        let rotation = Self::rotation(at.q);
        let (arm, _) = self.contact(&rotation);
        let turning = cross(rotate(&rotation, [at.v[3], at.v[4], at.v[5]]), arm);
        b[0] = at.v[0] + turning[0];
        b[1] = at.v[1] + turning[1];
    }

    fn output_names(&self) -> Vec<String> {
        let names = KINEMATICS.into_iter().chain(ORIENTATION).chain(LOADS);
        names.map(str::to_owned).collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let rotation = Self::rotation(&state.q);
        let (arm, sine) = self.contact(&rotation);
        out[..3].copy_from_slice(&state.q[..3]);
        out[3..6].copy_from_slice(&state.v[..3]);
        out[6..9].copy_from_slice(&state.acceleration[..3]);
        out[9] = sine.atan2(rotation[8]);
        out[10] = state.q[0] + arm[0];
        out[11] = state.q[1] + arm[1];
        write_orientation(&rotation, &mut out[12..25]);
        out[25..28].copy_from_slice(&state.v[3..]);
        out[28..31].copy_from_slice(&state.acceleration[3..]);
        let [normal, along, across] = [state.lambda[0], state.lambda[1], state.lambda[2]];
        out[31..34].copy_from_slice(&[along, across, normal]);
        out[34] = self.energy(&state.point()).unwrap_or(f64::NAN);
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let translation: f64 = at.v[..3].iter().map(|part| self.mass * part * part).sum();
        let rotation: f64 = at.v[3..]
            .iter()
            .zip(self.moments())
            .map(|(rate, moment)| moment * rate * rate)
            .sum();
        Some(0.5 * (translation + rotation) + self.mass * self.gravity * at.q[2])
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let (mass, radius) = (get("mass")?, get("radius")?);
    let axial = get("shape")? * mass * radius * radius;
    let mut disk = RollingDisk {
        mass,
        radius,
        inertia: [0.5 * axial, axial],
        gravity: get("g")?,
        tilt: get("tilt")?,
        rates: [get("tilt_rate")?, get("heading_rate")?, get("spin")?],
    };
    let motion = if get("motion")? == 1.0 {
        let steady = DiskMotion::steady(&mut disk).ok_or_else(|| ProblemError::Build {
            problem: ROLLING_DISK.name,
            reason: "the steady motion needs a heading_rate other than 0".to_owned(),
        })?;
        Some(steady)
    } else if parameters.are_default_except(&[]) {
        Some(DiskMotion::tabulated(&disk)?)
    } else {
        None
    };
    let drawing = Drawing::space(["disk"], |state, poses| {
        poses[0].position.copy_from_slice(&state.q[..3]);
        poses[0].rotation = RollingDisk::rotation(&state.q);
    })
    .cylinder(
        Some(0),
        [0.0, 0.0, -0.03 * radius],
        [0.0, 0.0, 0.03 * radius],
        radius,
    )
    .surface(None, [0.0; 3], [0.0, 0.0, 1.0]);
    let formulation = Formulation::new([
        "Centre r = (x, y, z), its velocity v = (vx, vy, vz) and acceleration (ax, ay, az) in the fixed frame; rotation matrix R from the \
         body to the fixed frame (Rxx, Rxy, ... row by row; qw to qz its unit quaternion), body z is the axis; angular velocity \
         W = (Wx, Wy, Wz) in the body frame, W' = (Wdx, Wdy, Wdz); force F = (Fx, Fy, Fz) of the plane z = 0 in the fixed frame, the multipliers.",
        "J = diag(A / 2, A / 2, A), A = shape mass radius^2; mass, radius, shape and g are parameters. The others give the initial values.",
        "n = (Rxz, Ryz, Rzz), s = sqrt(n_x^2 + n_y^2), contact point from the centre: rho = radius (n_x n_z / s, n_y n_z / s, -s)",
        "r' = v, R' = R hat(W), where hat(W) u = W x u for all u",
        "mass v' = (0, 0, -mass g) + F",
        "J W' = -W x (J W) + R^T (rho x F)",
        "0 = z - radius s, a position constraint; its multiplier is Fz",
        "0 = x- and y-components of v + (R W) x rho, velocity constraints that no positions follow from; their multipliers are Fx and Fy",
        "tilt = atan2(s, n_z), (contact_x, contact_y) = (x, y) + (rho_x, rho_y), energy = mass v.v / 2 + W.(J W) / 2 + mass g z",
    ])
    .with_initial_values("SI units", initial_outputs(&disk));
    Ok(Problem {
        formulation: Some(formulation),
        name: ROLLING_DISK.name,
        reference: motion.map(DiskMotion::reference),
        system: Box::new(Automatic::new(disk)),
        t_end: 5.0,
        default_step: 1e-3,
        main_output: "tilt".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}
