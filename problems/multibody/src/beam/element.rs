//! One element of a beam: the strain energy between two sections.

use super::section::Section;
use crate::kinematics::{Kinematics, Wrench};
use liedae::manifold::rigid_motion;
use liedae::scalar::Scalar;
use nalgebra::{Matrix6, Vector3, Vector6};

/// Entries across the diagonal of a compliance differ by round-off only below this part of the largest.
const SYMMETRIC: f64 = 1e-9;

/// The strain energy between two sections with the frames H₁ and H₂ on SE(3),
///
/// ```text
/// U = L/2 (d/L - ε₀)ᵀ K (d/L - ε₀),   d = log(H₁⁻¹ H₂),
/// ```
///
/// a beam whose strain is constant between its ends (Sonneville, Cardona and Brüls 2014, doi:10.1016/j.cma.2013.10.008). It depends on the
/// relative motion alone, so rigid motions of any size do not strain it, and short elements do not lock.
///
/// Forces are the gradient in closed form. With the body twists ξ of both sections d' = T⁻¹(d) ξ₂ - T⁻¹(-d) ξ₁, T the differential of the
/// exponential, so that the stress resultants σ act as -T⁻ᵀ(d) σ on section 2 and as T⁻ᵀ(-d) σ on section 1.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// Length L in the reference shape in m.
    pub length: f64,
    /// Strain ε₀ of the reference shape.
    pub reference: [f64; 6],
    /// K.
    pub stiffness: Matrix6<f64>,
    /// Forces by rates of strain; `None` without damping.
    pub viscosity: Option<Matrix6<f64>>,
}

impl Element {
    /// Stiffness and viscosity of an element with this section, length and reference strain; `None` where the compliance is not positive
    /// definite.
    ///
    /// Between its ends forces and moments do vary: in equilibrium σ' = A σ, A = ad(ε₀)ᵀ, such as M' = V. What the variation adds to the
    /// complementary energy is L/2 σᵀ (L²/12 Aᵀ C A) σ to second order. Its largest part is the residual bending flexibility of MacNeal
    /// 1978 (doi:10.1016/0045-7949(78)90020-2); with it a straight element under forces at its ends has the deflection of the cubic one.
    pub fn moduli(
        section: &Section,
        length: f64,
        reference: &[f64; 6],
        residual: bool,
    ) -> Option<(Matrix6<f64>, Option<Matrix6<f64>>)> {
        let columns: [Vector6<f64>; 6] = std::array::from_fn(|column| {
            let mut unit = [0.0; 6];
            unit[column] = 1.0;
            Vector6::from(rigid_motion::bracket_transpose(reference, &unit))
        });
        let growth = Matrix6::from_columns(&columns);
        let factor = if residual {
            length * length / 12.0
        } else {
            0.0
        };
        let whole = |part: &Matrix6<f64>| part + growth.tr_mul(part) * growth * factor;
        let compliance = &section.compliance;
        // A decomposition would read one half and believe it.
        if (compliance - compliance.transpose()).amax() > SYMMETRIC * compliance.amax() {
            return None;
        }
        let stiffness = whole(compliance).cholesky()?.inverse();
        if !stiffness.iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let damped = section.fluidity.iter().any(|entry| *entry != 0.0);
        let viscosity = damped.then(|| stiffness * whole(&section.fluidity) * stiffness);
        Some((stiffness, viscosity))
    }

    /// d = log(H₁⁻¹ H₂).
    pub(crate) fn relative<S: Scalar>(bodies: &[Kinematics<S>; 2]) -> [S; 6] {
        let [one, two] = bodies.each_ref().map(|body| {
            std::array::from_fn(|index| match index {
                0..3 => body.position[index],
                _ => body.rotation[((index - 3) / 3, (index - 3) % 3)],
            })
        });
        rigid_motion::log(&rigid_motion::relative(&one, &two))
    }

    fn strain<S: Scalar>(&self, d: &[S; 6]) -> [S; 6] {
        std::array::from_fn(|index| d[index] / self.length - self.reference[index])
    }

    /// d/L - ε₀ and σ, in the order of [`Section`].
    pub fn strain_and_stress(&self, bodies: &[Kinematics; 2]) -> ([f64; 6], [f64; 6]) {
        let d = Self::relative(bodies);
        let stress = self.stress(&d, self.twists(bodies).as_ref());
        (self.strain(&d), stress)
    }

    /// The body twists of both sections, where there is a viscosity to need them.
    pub(super) fn twists<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> Option<[[S; 6]; 2]> {
        self.viscosity?;
        Some(bodies.each_ref().map(|body| {
            let velocity = body.rotation.tr_mul(&body.velocity);
            std::array::from_fn(|index| match index {
                0..3 => velocity[index],
                _ => body.omega[index - 3],
            })
        }))
    }

    /// σ = K (d/L - ε₀) + D d'/L.
    pub(super) fn stress<S: Scalar>(&self, d: &[S; 6], twists: Option<&[[S; 6]; 2]>) -> [S; 6] {
        let mut stress = times(&self.stiffness, &self.strain(d));
        if let (Some(viscosity), Some([one, two])) = (&self.viscosity, twists) {
            let onwards = rigid_motion::dexp_inverse(d, two);
            let back = rigid_motion::dexp_inverse(&d.map(|entry| -entry), one);
            let rate = std::array::from_fn(|index| (onwards[index] - back[index]) / self.length);
            for (stress, viscous) in stress.iter_mut().zip(times(viscosity, &rate)) {
                *stress += viscous;
            }
        }
        stress
    }

    /// What acts on both sections, in their frames: T⁻ᵀ(-d) σ and -T⁻ᵀ(d) σ.
    pub(super) fn resultants<S: Scalar>(&self, d: &[S; 6], stress: &[S; 6]) -> [[S; 6]; 2] {
        let opposite = d.map(|entry| -entry);
        let on_second = rigid_motion::dexp_inverse_transpose(d, stress);
        [
            rigid_motion::dexp_inverse_transpose(&opposite, stress),
            on_second.map(|entry| -entry),
        ]
    }

    /// The wrenches on both bodies.
    pub fn wrenches<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let d = Self::relative(bodies);
        let stress = self.stress(&d, self.twists(bodies).as_ref());
        let resultants = self.resultants(&d, &stress);
        [0, 1].map(|side| {
            let [x, y, z, a, b, c] = resultants[side];
            // Torques are in the frame of the body already.
            Wrench {
                force: bodies[side].rotation * Vector3::new(x, y, z),
                torque: Vector3::new(a, b, c),
            }
        })
    }

    /// U in J.
    pub fn energy(&self, bodies: &[Kinematics; 2]) -> f64 {
        let strain = self.strain(&Self::relative(bodies));
        let stress = times(&self.stiffness, &strain);
        let twice: f64 = strain.iter().zip(&stress).map(|(e, s)| e * s).sum();
        0.5 * self.length * twice
    }
}

/// A matrix of plain numbers times a vector.
fn times<S: Scalar>(matrix: &Matrix6<f64>, vector: &[S; 6]) -> [S; 6] {
    std::array::from_fn(|row| {
        (0..6)
            .map(|column| vector[column] * matrix[(row, column)])
            .sum()
    })
}
