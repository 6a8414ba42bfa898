//! The coordinates of one rotation: from them to the matrix and the angular velocity, and back.

use crate::parametrization::Rotation;
use liedae::manifold::quaternion;
use liedae::scalar::{Dual, Scalar};

/// Most coordinates that a rotation has here.
pub(super) const MOST: usize = 4;

/// T of ω = T(s) s', 3 rows; three coordinates leave the last column zero.
pub(super) type Map<S = f64> = [[S; MOST]; 3];

/// How one body's rotation is written in coordinates s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chart {
    /// s = p, Euler parameters, scalar first.
    Parameters,
    /// s = (φ, θ, ψ), z-x-z Euler angles between the world's axes with `polar` as z and the body's with `own` as z.
    Angles { polar: usize, own: usize },
}

/// Number of directions on the cone that a body's axis describes at its initial angular velocity.
const CONE: u32 = 32;

impl Chart {
    /// The chart of a body that starts with this rotation matrix and angular velocity (body frame).
    ///
    /// Of the nine pairs of a world axis and a body axis, that whose angle stays farthest from 0 and π while the body
    /// turns at its initial angular velocity; among equals the farthest at the start, then the body axis along ω, so
    /// that a spin is an angle of its own.
    pub fn choose(rotation: Rotation, matrix: &[f64; 9], omega: &[f64; 3]) -> Self {
        if rotation != Rotation::EulerAngles {
            return Self::Parameters;
        }
        let speed = omega.iter().map(|part| part * part).sum::<f64>().sqrt();
        let unit = omega.map(|part| if speed > 0.0 { part / speed } else { 0.0 });
        let mut best = (f64::NEG_INFINITY, Self::Angles { polar: 2, own: 2 });
        for polar in [2, 0, 1] {
            // The world axis in the body frame: turning the body by an angle turns it back by the same.
            let pole: [f64; 3] = std::array::from_fn(|axis| matrix[3 * polar + axis]);
            let along: f64 = pole.iter().zip(&unit).map(|(a, b)| a * b).sum();
            for own in [2, 0, 1] {
                let sine = |cosine: f64| (1.0 - cosine * cosine).max(0.0).sqrt();
                let (next, last) = ((own + 1) % 3, (own + 2) % 3);
                // Rodrigues' formula for the pole turned about ω̂, component `own`.
                let across = unit[next] * pole[last] - unit[last] * pole[next];
                let clearance = (0..CONE)
                    .map(|index| std::f64::consts::TAU * f64::from(index) / f64::from(CONE))
                    .map(|angle| {
                        let (s, c) = angle.sin_cos();
                        // sin θ of the angle between both axes while the body turns.
                        sine(pole[own] * c - across * s + unit[own] * along * (1.0 - c))
                    })
                    .fold(f64::INFINITY, f64::min);
                // Small weights for what comes second and third.
                let score = clearance + 0.1 * sine(pole[own]) + 0.01 * unit[own].abs();
                // 1e-9: the order of the loops decides between equals, not round-off.
                if score > best.0 + 1e-9 {
                    best = (score, Self::Angles { polar, own });
                }
            }
        }
        best.1
    }

    /// Reads the coordinates of a body, filled up with zeros.
    pub fn read(self, from: &[f64]) -> [f64; MOST] {
        let mut s = [0.0; MOST];
        let size = self.size();
        s[..size].copy_from_slice(&from[..size]);
        s
    }

    /// Number of coordinates.
    pub fn size(self) -> usize {
        match self {
            Self::Parameters => 4,
            Self::Angles { .. } => 3,
        }
    }

    /// The rotation matrix, body to world, row by row; that of p/|p|.
    pub fn matrix(self, s: &[f64; MOST]) -> [f64; 9] {
        match self {
            Self::Parameters => {
                let mut unit = *s;
                // p/|p|: off the unit sphere the matrix is still a rotation.
                quaternion::normalize(&mut unit);
                quaternion::to_rotation(&unit)
            }
            Self::Angles { polar, own } => {
                let ((sf, cf), (st, ct), (sp, cp)) =
                    (s[0].sin_cos(), s[1].sin_cos(), s[2].sin_cos());
                // R_z(φ) R_x(θ) R_z(ψ), its axes permuted below.
                let turned = [
                    [cf * cp - sf * ct * sp, -cf * sp - sf * ct * cp, sf * st],
                    [sf * cp + cf * ct * sp, -sf * sp + cf * ct * cp, -cf * st],
                    [st * sp, st * cp, ct],
                ];
                let mut out = [0.0; 9];
                for (row, entries) in turned.iter().enumerate() {
                    for (column, &entry) in entries.iter().enumerate() {
                        out[3 * ((polar + 1 + row) % 3) + (own + 1 + column) % 3] = entry;
                    }
                }
                out
            }
        }
    }

    /// T(s): 2 Ḡ(p)/|p|², or B(φ, θ, ψ) with its rows in the order of the body's axes.
    pub fn map<S: Scalar>(self, s: &[S; MOST]) -> Map<S> {
        let zero = S::constant(0.0);
        match self {
            Self::Parameters => {
                let [w, x, y, z] = *s;
                let scale = (w * w + x * x + y * y + z * z).recip() * 2.0;
                [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
                    .map(|row| row.map(|entry| entry * scale))
            }
            Self::Angles { own, .. } => {
                // ω = (φ' sinθ sinψ + θ' cosψ, φ' sinθ cosψ - θ' sinψ, φ' cosθ + ψ').
                let ((st, ct), (sp, cp)) = (s[1].sin_cos(), s[2].sin_cos());
                let rows = [
                    [st * sp, cp, zero, zero],
                    [st * cp, -sp, zero, zero],
                    [ct, zero, S::constant(1.0), zero],
                ];
                let mut out = [[zero; MOST]; 3];
                for (row, entries) in rows.into_iter().enumerate() {
                    out[(own + 1 + row) % 3] = entries;
                }
                out
            }
        }
    }

    /// T' s', the part of ω' that is not T s''.
    pub fn bias<S: Scalar>(self, s: &[S; MOST], rate: &[S; MOST]) -> [S; 3] {
        match self {
            // Ḡ(p') p' = 0, so that only 1/|p|² contributes; nothing does where p · p' = 0.
            Self::Parameters => {
                let zero = S::constant(0.0);
                let dot = |a: &[S; MOST], b: &[S; MOST]| {
                    a.iter().zip(b).fold(zero, |sum, (&a, &b)| sum + a * b)
                };
                let factor = dot(s, rate) * dot(s, s).recip() * -2.0;
                product(&self.map(s), rate).map(|omega| omega * factor)
            }
            Self::Angles { own, .. } => {
                let ((st, ct), (sp, cp)) = (s[1].sin_cos(), s[2].sin_cos());
                // Time derivative of the rows above with the second derivatives left out.
                let [df, dt, dp, _] = *rate;
                let parts = [
                    df * (dt * ct * sp + dp * st * cp) - dt * dp * sp,
                    df * (dt * ct * cp - dp * st * sp) - dt * dp * cp,
                    -(df * dt * st),
                ];
                let mut out = parts;
                for (row, part) in parts.into_iter().enumerate() {
                    out[(own + 1 + row) % 3] = part;
                }
                out
            }
        }
    }

    /// Coordinates of a rotation matrix: p with its largest part positive or w ≥ 0, angles with 0 ≤ θ ≤ π.
    pub fn coordinates(self, matrix: &[f64; 9]) -> [f64; MOST] {
        match self {
            Self::Parameters => quaternion::from_rotation(matrix),
            Self::Angles { polar, own } => {
                let entry = |row: usize, column: usize| {
                    matrix[3 * ((polar + 1 + row) % 3) + (own + 1 + column) % 3]
                };
                // The third column holds sin θ (sin φ, -cos φ), the third row sin θ (sin ψ, cos ψ).
                let (x, y) = (entry(0, 2), -entry(1, 2));
                let theta = x.hypot(y).atan2(entry(2, 2));
                [x.atan2(y), theta, entry(2, 0).atan2(entry(2, 1)), 0.0]
            }
        }
    }

    /// The rates s' of an angular velocity; of p those with p · p' = 0.
    pub fn rates(self, s: &[f64; MOST], omega: &[f64; 3]) -> [f64; MOST] {
        match self {
            // Ḡ Ḡᵀ = |p|² I, hence T⁺ = |p|²/4 Tᵀ = Ḡᵀ/2.
            Self::Parameters => {
                let square: f64 = s.iter().map(|part| part * part).sum();
                transposed_product(&self.map(s), omega).map(|rate| 0.25 * square * rate)
            }
            Self::Angles { own, .. } => {
                let ((st, ct), (sp, cp)) = (s[1].sin_cos(), s[2].sin_cos());
                let [x, y, z]: [f64; 3] = std::array::from_fn(|row| omega[(own + 1 + row) % 3]);
                // Inverse of the rows above; φ' is divided by sin θ.
                let df = (x * sp + y * cp) / st;
                [df, x * cp - y * sp, z - df * ct, 0.0]
            }
        }
    }

    /// |sin θ| for angles, by which the rates of φ and ψ are divided; 1 for parameters.
    pub fn clearance(self, s: &[f64; MOST]) -> f64 {
        match self {
            Self::Parameters => 1.0,
            Self::Angles { .. } => s[1].sin().abs(),
        }
    }
}

/// T u.
pub(super) fn product<S: Scalar>(map: &Map<S>, u: &[S; MOST]) -> [S; 3] {
    map.map(|row| {
        let terms = row.into_iter().zip(u);
        terms.fold(S::constant(0.0), |sum, (a, &b)| sum + a * b)
    })
}

/// Tᵀ w.
pub(super) fn transposed_product(map: &Map, w: &[f64; 3]) -> [f64; MOST] {
    std::array::from_fn(|column| {
        map.iter()
            .zip(w)
            .map(|(row, part)| row[column] * part)
            .sum()
    })
}

/// s or s' as the parameters of a derivative.
fn variables(s: &[f64; MOST]) -> [Dual<MOST>; MOST] {
    std::array::from_fn(|index| Dual::variable(s[index], index))
}

/// T with its derivatives by s, exact.
pub(super) struct Slope(Map<Dual<MOST>>);

impl Slope {
    pub fn new(chart: Chart, s: &[f64; MOST]) -> Self {
        Self(chart.map(&variables(s)))
    }

    /// ∂(T u)/∂s at fixed u.
    pub fn of_product(&self, u: &[f64; MOST]) -> Map {
        self.0.map(|row| {
            std::array::from_fn(|by| row.iter().zip(u).map(|(t, u)| t.gradient[by] * u).sum())
        })
    }

    /// ∂(Tᵀ w)/∂s at fixed w.
    pub fn of_transposed(&self, w: &[f64; 3]) -> [[f64; MOST]; MOST] {
        std::array::from_fn(|column| {
            std::array::from_fn(|by| {
                let rows = self.0.iter().zip(w);
                rows.map(|(row, w)| row[column].gradient[by] * w).sum()
            })
        })
    }
}

/// ∂(T' s')/∂s and ∂(T' s')/∂s', exact.
pub(super) fn bias_slopes(chart: Chart, s: &[f64; MOST], rate: &[f64; MOST]) -> [Map; 2] {
    let by_position = chart.bias(&variables(s), &rate.map(Dual::constant));
    let by_rate = chart.bias(&s.map(Dual::constant), &variables(rate));
    [by_position, by_rate].map(|rows| rows.map(|row: Dual<MOST>| row.gradient))
}
