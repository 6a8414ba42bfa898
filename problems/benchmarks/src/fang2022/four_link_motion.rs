//! The four-link mechanism in closed form: motion, driving torque and joint forces.

use super::closed_form::{
    MovingBody, MovingVector, Posture, fixed, rate, second, unit, value, write,
};
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};
use std::f64::consts::PI;

/// Radius of the rotor in m.
pub(crate) const RADIUS: f64 = 2.0;
/// Length of link 2 in m.
pub(crate) const LINK_2: f64 = 12.2;
/// Length of link 3 in m.
pub(crate) const LINK_3: f64 = 7.4;
/// Pivot of link 3 in m.
pub(crate) const PIVOT: [f64; 3] = [-4.0, -8.5, 0.0];
/// The rotor's axis of the universal joint at t = 0; not quite a unit vector, as the authors give it.
pub(crate) const UNIVERSAL: [f64; 3] = [0.75, -0.662, 0.0];

/// What of the mechanism may be varied.
#[derive(Clone, Debug, PartialEq)]
pub struct FourLinkMotion {
    /// Masses of links 2 and 3 in kg.
    pub masses: [f64; 2],
    /// Principal moments of inertia of links 2 and 3 in kg m²; body y is along the link.
    pub inertias: [[f64; 3]; 2],
    /// Gravity along -z in m/s².
    pub gravity: f64,
}

pub(crate) const KINEMATICS: [&str; 42] = [
    "Bx",
    "By",
    "Bz",
    "Cx",
    "Cy",
    "Cz",
    "angle3",
    "angle3_d",
    "angle3_dd",
    "G2x",
    "G2y",
    "G2z",
    "G2vx",
    "G2vy",
    "G2vz",
    "G2ax",
    "G2ay",
    "G2az",
    "om2x",
    "om2y",
    "om2z",
    "al2x",
    "al2y",
    "al2z",
    "G3x",
    "G3y",
    "G3z",
    "G3vx",
    "G3vy",
    "G3vz",
    "G3ax",
    "G3ay",
    "G3az",
    "x2x",
    "x2y",
    "x2z",
    "y2x",
    "y2y",
    "y2z",
    "z2x",
    "z2y",
    "z2z",
];
pub(crate) const FORCES: [&str; 8] = [
    "T", "FB_on2_x", "FB_on2_y", "FB_on2_z", "FC_on2_x", "FC_on2_y", "FC_on2_z", "tau_univ",
];

/// Everything that moves, at one moment.
struct Moment {
    pin: MovingVector,
    end: MovingVector,
    angle: Taylor2,
    /// The rotor's axis of the universal joint.
    axis: Vector3<f64>,
    links: [MovingBody; 2],
}

impl FourLinkMotion {
    /// Bars of 0.1 m x 0.1 m and 1500 kg/m³, the paper's words.
    pub fn paper() -> Self {
        let bar = |length: f64| {
            let (mass, side): (f64, f64) = (1500.0 * 0.1 * 0.1 * length, 0.1);
            let across = mass * (side * side + length * length) / 12.0;
            (mass, [across, mass * side * side / 6.0, across])
        };
        let (two, three) = (bar(LINK_2), bar(LINK_3));
        Self {
            masses: [two.0, three.0],
            inertias: [two.1, three.1],
            gravity: 9.81,
        }
    }

    /// The masses of the authors' published model.
    pub fn code() -> Self {
        Self {
            masses: [1.0, 1.0],
            inertias: [[12.4, 0.1, 12.4], [4.54, 0.01, 4.54]],
            gravity: 9.81,
        }
    }

    /// The motion at the time `t` in s.
    fn moment(t: f64) -> Moment {
        let zero = Taylor2::constant(0.0);
        let (sine, cosine) = (Taylor2::variable(t) * PI).sin_cos();
        let pin = Vector3::new(zero, -sine, cosine) * Taylor2::constant(RADIUS);
        let axis = Vector3::new(
            Taylor2::constant(UNIVERSAL[0]),
            cosine * UNIVERSAL[1],
            sine * UNIVERSAL[1],
        );

        // |p + L3 (-sin a, 0, cos a)| = L2 with p = D - B is  pz cos a - px sin a = k, or  r cos(a + shift) = k.
        let pivot = fixed(PIVOT[0], PIVOT[1], PIVOT[2]);
        let p = pivot - pin;
        let k = (-p.dot(&p) + (LINK_2 * LINK_2 - LINK_3 * LINK_3)) / (2.0 * LINK_3);
        let r = (p.x * p.x + p.z * p.z).sqrt();
        let angle = -p.x.atan2(p.z) - (k / r).acos();

        let (sine, cosine) = angle.sin_cos();
        let end = pivot + Vector3::new(-sine, zero, cosine) * Taylor2::constant(LINK_3);
        let half = Taylor2::constant(0.5);
        let y2 = unit(pin - end);
        let z2 = unit(axis.cross(&y2));
        let two = MovingBody {
            center: (pin + end) * half,
            axes: [y2.cross(&z2), y2, z2],
        };
        // Link 3 turns about the fixed y-axis, which is its z-axis.
        let (y3, z3) = (unit(end - pivot), fixed(0.0, 1.0, 0.0));
        let three = MovingBody {
            center: (end + pivot) * half,
            axes: [y3.cross(&z3), y3, z3],
        };
        Moment {
            pin,
            end,
            angle,
            axis: value(&axis),
            links: [two, three],
        }
    }

    /// Positions B and C, the angle of link 3, and the motions of both links, in the order of the reference's columns.
    pub(crate) fn kinematics(t: f64, out: &mut [f64]) {
        let Moment {
            pin,
            end,
            angle,
            links: [two, three],
            ..
        } = Self::moment(t);
        let center = |body: &MovingBody| {
            [
                value(&body.center),
                rate(&body.center),
                second(&body.center),
            ]
        };
        let ([g2, v2, a2], [g3, v3, a3]) = (center(&two), center(&three));
        let angle = Vector3::new(angle.value, angle.first, angle.second);
        let [x, y, z] = two.axes.each_ref().map(value);
        let (pin, end) = (value(&pin), value(&end));
        write(
            out,
            &[
                pin,
                end,
                angle,
                g2,
                v2,
                a2,
                two.omega(),
                two.alpha(),
                g3,
                v3,
                a3,
                x,
                y,
                z,
            ],
        );
    }

    /// Links 2 and 3 at the time `t` in s.
    pub(crate) fn links(t: f64) -> [Posture; 2] {
        Self::moment(t).links.map(|link| link.posture())
    }

    /// Torque on the rotor about +x, forces at B and C on link 2 in the fixed frame, and the couple of the universal
    /// joint on link 2 about the rotor's axis times link 2's z-axis (a unit vector).
    pub(crate) fn forces(&self, t: f64, out: &mut [f64]) {
        let Moment {
            pin,
            end,
            axis,
            links: [two, three],
            ..
        } = Self::moment(t);
        let (pin, end, pivot) = (value(&pin), value(&end), Vector3::from(PIVOT));
        let (g2, g3) = (value(&two.center), value(&three.center));
        let couple = axis.cross(&value(&two.axes[2])).normalize();

        // Unknown: force B, force C, couple. Rows: forces on link 2, moments about its centre, moment of link 3 about D.
        let mut matrix = SMatrix::<f64, 7, 7>::zeros();
        let mut right = SVector::<f64, 7>::zeros();
        let hat = |x: &Vector3<f64>| x.cross_matrix();
        matrix
            .fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&Matrix3::identity());
        matrix
            .fixed_view_mut::<3, 3>(0, 3)
            .copy_from(&Matrix3::identity());
        matrix
            .fixed_view_mut::<3, 3>(3, 0)
            .copy_from(&hat(&(pin - g2)));
        matrix
            .fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&hat(&(end - g2)));
        matrix.fixed_view_mut::<3, 1>(3, 6).copy_from(&couple);
        // (C - D) x (-FC) along y, with a x b · y = b · (y x a).
        matrix
            .fixed_view_mut::<1, 3>(6, 3)
            .copy_from(&(-Vector3::y().cross(&(end - pivot))).transpose());
        right
            .fixed_rows_mut::<3>(0)
            .copy_from(&two.force(self.masses[0], self.gravity));
        right
            .fixed_rows_mut::<3>(3)
            .copy_from(&two.torque(self.inertias[0]));
        let inertial = (g3 - pivot).cross(&three.force(self.masses[1], self.gravity));
        right[6] = (inertial + three.torque(self.inertias[1])).y;

        let Some(solution) = matrix.lu().solve(&right) else {
            out.fill(f64::NAN);
            return;
        };
        let at_pin = Vector3::new(solution[0], solution[1], solution[2]);
        // The rotor turns at a constant rate and carries the opposite of force and couple.
        out[0] = pin.cross(&at_pin).x + solution[6] * couple.x;
        out[1..].copy_from_slice(solution.as_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Table;

    #[test]
    fn kinematics_agree_with_forty_digits() {
        let table = Table::parse(
            "k",
            include_str!("../../data/four_link_fang_kinematics.csv"),
        )
        .unwrap();
        let mut out = [0.0; KINEMATICS.len()];
        let mut worst = 0.0_f64;
        for (row, &t) in table.times().iter().enumerate() {
            FourLinkMotion::kinematics(t, &mut out);
            for (name, found) in KINEMATICS.iter().zip(out) {
                let expected = table.column(name).unwrap()[row];
                let error = (found - expected).abs() / (1.0 + expected.abs());
                assert!(error < 1e-12, "{name} at {t}: {found} {expected}");
                worst = worst.max(error);
            }
        }
        println!("four-link kinematics within {worst:e}");
    }

    #[test]
    fn forces_agree_with_power_balanced_data() {
        let table =
            Table::parse("d", include_str!("../../data/four_link_fang_invdyn.csv")).unwrap();
        let mut worst = 0.0_f64;
        for (motion, suffix) in [
            (FourLinkMotion::paper(), "paper"),
            (FourLinkMotion::code(), "code"),
        ] {
            let mut out = [0.0; 8];
            for (row, &t) in table.times().iter().enumerate() {
                motion.forces(t, &mut out);
                for (name, found) in FORCES.iter().zip(out) {
                    let expected = table.column(&format!("{name}_{suffix}")).unwrap()[row];
                    let error = (found - expected).abs() / (1.0 + expected.abs());
                    assert!(error < 1e-11, "{name} {suffix} at {t}: {found} {expected}");
                    worst = worst.max(error);
                }
            }
        }
        println!("four-link forces within {worst:e}");
    }
}
