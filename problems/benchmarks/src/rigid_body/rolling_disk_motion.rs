//! Motions of the rolling disk in Euler angles, as closed form and as table: the reference of all outputs.
//!
//! The equations are independent of the model's. With heading ψ, tilt θ, angle of rotation φ, R = Rz(ψ) Rx(θ) Rz(φ), and
//! the frame e1 (level), e2 (up the disk), e3 (the axis), in which the angular velocity is w1 = θ', w2 = ψ' sin θ,
//! w3 = ψ' cos θ + φ', moments about the contact point give, with transverse and axial moments of inertia I and A,
//!
//! ```text
//! (I + m r²) w1' = I w2² cot θ - (A + m r²) w2 w3 - m g r cos θ
//!          I w2' = A w1 w3 - I w1 w2 cot θ
//! (A + m r²) w3' = m r² w1 w2
//! ```
//!
//! and the centre moves with r (w1 e3 - w3 e1).

use super::RollingDisk;
use super::orientation::{ORIENTATION, rotate, rotate_back, write_orientation};
use crate::error::TableError;
use crate::reference::{Reference, Table};
use std::sync::LazyLock;

/// Outputs before the orientation: centre of mass, its velocity and acceleration, the axis' angle from +z, the contact
/// point.
pub(super) const KINEMATICS: [&str; 12] = [
    "x",
    "y",
    "z",
    "vx",
    "vy",
    "vz",
    "ax",
    "ay",
    "az",
    "tilt",
    "contact_x",
    "contact_y",
];

/// Outputs after the orientation: angular velocity and acceleration in the body frame, force of the plane, energy.
pub(super) const LOADS: [&str; 10] = [
    "Wx", "Wy", "Wz", "Wdx", "Wdy", "Wdz", "Fx", "Fy", "Fz", "energy",
];

/// Angles, centre and rates at one moment.
struct Moment {
    tilt: f64,
    heading: f64,
    angle: f64,
    centre: [f64; 2],
    w: [f64; 3],
    wd: [f64; 3],
}

/// A motion that is known at all times.
pub(super) struct DiskMotion {
    disk: RollingDisk,
    source: &'static str,
    at: Box<dyn Fn(f64) -> Option<Moment> + Send + Sync>,
}

const STATE: [&str; 8] = ["theta", "psi", "phi", "x", "y", "w1", "w2", "w3"];
const RATES: [&str; 8] = ["dtheta", "dpsi", "dphi", "dx", "dy", "dw1", "dw2", "dw3"];

static TABLE: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    let mut table = Table::parse("rolling_disk", include_str!("../../data/rolling_disk.csv"))?
        .derive(&RATES[..5], &STATE, |_, row, out| {
            let &[theta, psi, _, _, _, w1, w2, w3] = row else {
                return out.fill(f64::NAN);
            };
            let ((sine, cosine), (sin_psi, cos_psi)) = (theta.sin_cos(), psi.sin_cos());
            out.copy_from_slice(&[
                w1,
                w2 / sine,
                w3 - w2 * cosine / sine,
                RADIUS * (w1 * sine * sin_psi - w3 * cos_psi),
                -RADIUS * (w1 * sine * cos_psi + w3 * sin_psi),
            ]);
        })?;
    for (column, rate) in STATE.into_iter().zip(RATES) {
        table = table.chain(&[column, rate])?;
    }
    Ok(table)
});

/// Radius of the tabulated disk in m.
const RADIUS: f64 = 0.5;

impl DiskMotion {
    /// The motion from the default parameters, known for 5 s.
    pub(super) fn tabulated(disk: &RollingDisk) -> Result<Self, TableError> {
        let table = TABLE.as_ref().map_err(Clone::clone)?;
        let mut columns = [0; 11];
        for (slot, name) in columns.iter_mut().zip(STATE.iter().chain(&RATES[5..])) {
            *slot = table.require(name)?;
        }
        Ok(Self {
            disk: disk.clone(),
            source: "Taylor integration of Euler angles with 30 digits, two step sizes, orders and precisions agree to \
                     23; 200 samples, between them 1e-12 by interpolation",
            at: Box::new(move |t| {
                let mut row = [0.0; 11];
                for (slot, &column) in row.iter_mut().zip(&columns) {
                    *slot = table.value(column, t)?;
                }
                let [tilt, heading, angle, x, y, w1, w2, w3, dw1, dw2, dw3] = row;
                Some(Moment {
                    tilt,
                    heading,
                    angle,
                    centre: [x, y],
                    w: [w1, w2, w3],
                    wd: [dw1, dw2, dw3],
                })
            }),
        })
    }

    /// Steady rolling on a circle with the disk's tilt and rate of heading: sets the other rates of the disk to what this
    /// needs, w3 = (I w2² cot θ - m g r cos θ) / ((A + m r²) w2). `None` if the heading does not turn.
    pub(super) fn steady(disk: &mut RollingDisk) -> Option<Self> {
        let (sine, cosine) = disk.tilt.sin_cos();
        let (turning, radius) = (disk.rates[1], disk.radius);
        let w2 = turning * sine;
        let about_contact = disk.inertia[1] + disk.mass * radius * radius;
        let moment =
            disk.inertia[0] * w2 * w2 * cosine / sine - disk.mass * disk.gravity * radius * cosine;
        let spin = moment / (about_contact * w2);
        if turning == 0.0 || !spin.is_finite() {
            return None;
        }
        disk.rates = [0.0, turning, spin];
        let tilt = disk.tilt;
        let circle = radius * spin / turning;
        Some(Self {
            disk: disk.clone(),
            source: "closed form",
            at: Box::new(move |t| {
                let heading = turning * t;
                Some(Moment {
                    tilt,
                    heading,
                    angle: (spin - turning * cosine) * t,
                    centre: [
                        -circle * heading.sin(),
                        radius * cosine + circle * (heading.cos() - 1.0),
                    ],
                    w: [0.0, w2, spin],
                    wd: [0.0; 3],
                })
            }),
        })
    }

    /// All outputs at all times up to 5 s.
    pub(super) fn reference(self) -> Reference {
        let names = KINEMATICS.into_iter().chain(ORIENTATION).chain(LOADS);
        Reference::new(self.source, 0.0, 5.0, false).with_closed_form(names, move |t, out| {
            match (self.at)(t) {
                Some(moment) => outputs(&self.disk, &moment, out),
                None => out.fill(f64::NAN),
            }
        })
    }
}

/// The outputs of a moment, in their order.
fn outputs(disk: &RollingDisk, moment: &Moment, out: &mut [f64]) {
    let (radius, [w1, w2, w3], [dw1, dw2, dw3]) = (disk.radius, moment.w, moment.wd);
    let ((sine, cosine), (sin_psi, cos_psi), (sin_phi, cos_phi)) = (
        moment.tilt.sin_cos(),
        moment.heading.sin_cos(),
        moment.angle.sin_cos(),
    );
    // Columns e1, e2, e3 of Rz(ψ) Rx(θ).
    let frame = [
        cos_psi,
        -sin_psi * cosine,
        sin_psi * sine,
        sin_psi,
        cos_psi * cosine,
        -cos_psi * sine,
        0.0,
        sine,
        cosine,
    ];
    let spun = [cos_phi, -sin_phi, 0.0, sin_phi, cos_phi, 0.0, 0.0, 0.0, 1.0];
    let rotation = std::array::from_fn(|entry| {
        (0..3)
            .map(|inner| frame[3 * (entry / 3) + inner] * spun[3 * inner + entry % 3])
            .sum()
    });
    let cot = cosine / sine;
    let velocity = rotate(&frame, [-radius * w3, 0.0, radius * w1]);
    let acceleration = rotate(
        &frame,
        [
            radius * (w1 * w2 - dw3),
            -radius * (w1 * w1 + w2 * w3 * cot),
            radius * (dw1 + w2 * w3),
        ],
    );
    let spin = rotate_back(&spun, [w1, w2, w3]);
    // The body frame turns by φ' about e3 against the frame of the components.
    let turning = w3 - w2 * cot;
    let spin_rate = rotate_back(&spun, [dw1 + turning * w2, dw2 - turning * w1, dw3]);
    let [x, y] = moment.centre;
    out[..3].copy_from_slice(&[x, y, radius * sine]);
    out[3..6].copy_from_slice(&velocity);
    out[6..9].copy_from_slice(&acceleration);
    out[9] = moment.tilt;
    out[10] = x - radius * frame[1];
    out[11] = y - radius * frame[4];
    write_orientation(&rotation, &mut out[12..25]);
    out[25..28].copy_from_slice(&spin);
    out[28..31].copy_from_slice(&spin_rate);
    for axis in 0..3 {
        let lifted = if axis == 2 { disk.gravity } else { 0.0 };
        out[31 + axis] = disk.mass * (acceleration[axis] + lifted);
    }
    let [transverse, axial] = disk.inertia;
    let rolling = disk.mass * radius * radius * (w1 * w1 + w3 * w3);
    out[34] = 0.5 * (rolling + transverse * (w1 * w1 + w2 * w2) + axial * w3 * w3)
        + disk.mass * disk.gravity * radius * sine;
}
