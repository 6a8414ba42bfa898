//! The slider-crank in closed form: motion, driving torque and guide forces with Coulomb friction.

use super::closed_form::{MovingBody, Posture, fixed, rate, second, unit, value, write};
use liedae::scalar::{Scalar, Taylor2};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::TAU;

/// Pivot of the crank in m.
pub(crate) const PIVOT: [f64; 3] = [0.0, 0.1, 0.12];
/// Length of the crank in m.
pub(crate) const CRANK: f64 = 0.08;
/// Length of the rod in m.
pub(crate) const ROD: f64 = 0.3;

/// What of the mechanism may be varied.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderCrankMotion {
    /// Mass of the rod in kg.
    pub rod_mass: f64,
    /// Principal moments of inertia of the rod in kg m²; body x is along the rod.
    pub rod_inertia: [f64; 3],
    /// Mass of the slider in kg.
    pub slider_mass: f64,
    /// Gravity along -z in m/s².
    pub gravity: f64,
    /// Coefficient of friction between slider and guide.
    pub friction: f64,
    /// Whether the whole normal force √(Ny² + Nz²) presses, or only |Nz| as in the paper.
    pub full_normal: bool,
}

/// The paper's Table 1, without friction.
impl Default for SliderCrankMotion {
    fn default() -> Self {
        Self {
            rod_mass: 0.5,
            rod_inertia: [4e-3, 4e-4, 4e-3],
            slider_mass: 2.0,
            gravity: 9.81,
            friction: 0.0,
            full_normal: false,
        }
    }
}

pub(crate) const KINEMATICS: [&str; 27] = [
    "x_slider", "v_slider", "a_slider", "Bx", "By", "Bz", "Gx", "Gy", "Gz", "Gvx", "Gvy", "Gvz",
    "Gax", "Gay", "Gaz", "om_x", "om_y", "om_z", "al_x", "al_y", "al_z", "u_x", "u_y", "u_z",
    "yb_x", "yb_y", "yb_z",
];
pub(crate) const FORCES: [&str; 5] = ["T", "Nz", "Ny", "fric", "FAx"];

/// Crank pin, slider and rod at one moment.
struct Moment {
    pin: Vector3<f64>,
    slider: Taylor2,
    rod: MovingBody,
}

impl SliderCrankMotion {
    fn moment(t: f64) -> Moment {
        let (sine, cosine) = (Taylor2::variable(t) * TAU).sin_cos();
        let pin = fixed(PIVOT[0], PIVOT[1], PIVOT[2])
            + Vector3::new(Taylor2::constant(0.0), sine, cosine) * Taylor2::constant(CRANK);
        let slider = (-(pin.y * pin.y + pin.z * pin.z) + ROD * ROD).sqrt();
        let end = Vector3::new(slider, Taylor2::constant(0.0), Taylor2::constant(0.0));
        let x = unit(end - pin);
        let y = unit(fixed(1.0, 0.0, 0.0).cross(&x));
        let rod = MovingBody {
            center: (end + pin) * Taylor2::constant(0.5),
            axes: [x, y, x.cross(&y)],
        };
        Moment {
            pin: value(&pin),
            slider,
            rod,
        }
    }

    /// Position, velocity and acceleration of the slider, the crank pin B, position, velocity and acceleration of the
    /// rod's centre of mass G, angular velocity and acceleration of the rod, its x-axis u and its y-axis yb, at the time
    /// `t` in s; vectors in the fixed frame, in the order of the reference's columns.
    pub(crate) fn kinematics(t: f64, out: &mut [f64]) {
        let Moment { pin, slider, rod } = Self::moment(t);
        let head = Vector3::new(slider.value, slider.first, slider.second);
        let center = &rod.center;
        let (x, y) = (value(&rod.axes[0]), value(&rod.axes[1]));
        write(
            out,
            &[
                head,
                pin,
                value(center),
                rate(center),
                second(center),
                rod.omega(),
                rod.alpha(),
                x,
                y,
            ],
        );
    }

    /// The rod at the time `t` in s.
    pub(crate) fn rod(t: f64) -> Posture {
        Self::moment(t).rod.posture()
    }

    /// Driving torque on the crank about +x, the forces Nz and Ny of the guide on the slider, the friction along x on
    /// the slider, and the x-force of the ground on the crank.
    ///
    /// The friction is exact: it belongs to the normal force that it brings about itself. Its sign is that of the
    /// sliding velocity; there is none at the instant of a reversal.
    pub(crate) fn forces(&self, t: f64, out: &mut [f64]) {
        let Moment { pin, slider, rod } = Self::moment(t);
        let center = value(&rod.center);
        let to_end = Vector3::x() * slider.value - center;
        let to_pin = pin - center;
        let weight_and_motion = rod.force(self.rod_mass, self.gravity);
        let torque = rod.torque(self.rod_inertia);

        // Moments about the rod's centre of mass, with P from the balance of forces P + C = F:
        // (c - b) x C + n couple = torque - b x F, where the couple of the universal joint turns about n.
        let cross_axis = Vector3::x().cross(&value(&rod.axes[1]));
        let lever = to_end - to_pin;
        let columns = [
            lever.cross(&Vector3::y()),
            lever.cross(&Vector3::z()),
            cross_axis,
        ];
        let lu = Matrix3::from_columns(&columns).lu();
        let solve = |friction: f64, load: Vector3<f64>| {
            let solution = lu.solve(&(load - lever.cross(&Vector3::x()) * friction));
            solution.unwrap_or_else(|| Vector3::repeat(f64::NAN))
        };
        // The force C on the rod at the slider is (friction - m a, Ny, Nz - m g).
        let inertial = lever.cross(&Vector3::x()) * (self.slider_mass * slider.second);
        let base = solve(0.0, torque - to_pin.cross(&weight_and_motion) + inertial);
        let slope = solve(1.0, Vector3::zeros());
        let normal = [base.x, base.y + self.slider_mass * self.gravity];
        let friction = self.friction_force(slider.first, normal, [slope.x, slope.y]);

        let [ny, nz] = [
            normal[0] + slope.x * friction,
            normal[1] + slope.y * friction,
        ];
        let at_slider = Vector3::new(
            friction - self.slider_mass * slider.second,
            ny,
            nz - self.slider_mass * self.gravity,
        );
        let at_pin = weight_and_motion - at_slider;
        let drive = (pin - Vector3::from(PIVOT)).cross(&at_pin).x;
        out.copy_from_slice(&[drive, nz, ny, friction, at_pin.x]);
    }

    /// The friction f = -sgn(v) mu N(f), where the normal force components are `base` + `slope` f.
    fn friction_force(&self, velocity: f64, base: [f64; 2], slope: [f64; 2]) -> f64 {
        if velocity == 0.0 || self.friction == 0.0 {
            return 0.0;
        }
        let pull = -velocity.signum() * self.friction;
        if self.full_normal {
            // N^2 = |base + slope pull N|^2.
            let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
            let a = 1.0 - pull * pull * dot(slope, slope);
            let half_b = pull * dot(base, slope);
            let root = (half_b * half_b + a * dot(base, base)).sqrt();
            return pull * dot(base, base) / (root - half_b);
        }
        let with_sign = |sign: f64| pull * sign * base[1] / (1.0 - pull * sign * slope[1]);
        let positive = with_sign(1.0);
        if base[1] + slope[1] * positive >= 0.0 {
            positive
        } else {
            with_sign(-1.0)
        }
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
            include_str!("../../data/slider_crank_fang_kinematics.csv"),
        )
        .unwrap();
        let mut out = [0.0; KINEMATICS.len()];
        let mut worst = 0.0_f64;
        for (row, &t) in table.times().iter().enumerate() {
            SliderCrankMotion::kinematics(t, &mut out);
            for (name, found) in KINEMATICS.iter().zip(out) {
                let expected = table.column(name).unwrap()[row];
                let error = (found - expected).abs() / (1.0 + expected.abs());
                assert!(error < 1e-12, "{name} at {t}: {found} {expected}");
                worst = worst.max(error);
            }
        }
        println!("slider-crank kinematics within {worst:e}");
    }

    #[test]
    fn forces_agree_with_power_balanced_data() {
        let table =
            Table::parse("d", include_str!("../../data/slider_crank_fang_invdyn.csv")).unwrap();
        let mut worst = 0.0_f64;
        for (friction, suffix) in [(0.0, "mu0"), (0.2, "mu0.2"), (0.4, "mu0.4")] {
            for full_normal in [false, true] {
                let motion = SliderCrankMotion {
                    friction,
                    full_normal,
                    ..SliderCrankMotion::default()
                };
                let mut out = [0.0; 5];
                for (row, &t) in table.times().iter().enumerate() {
                    motion.forces(t, &mut out);
                    for (name, found) in FORCES.iter().zip(out) {
                        let column =
                            format!("{name}_{suffix}{}", if full_normal { "_vecN" } else { "" });
                        let Some(column) = table.column(&column) else {
                            continue;
                        };
                        let error = (found - column[row]).abs() / (1.0 + column[row].abs());
                        assert!(
                            error < 1e-12,
                            "{name} {suffix} {full_normal} at {t}: {found} {}",
                            column[row]
                        );
                        worst = worst.max(error);
                    }
                }
            }
        }
        println!("slider-crank forces within {worst:e}");
    }
}
