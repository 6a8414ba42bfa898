//! The cable: stretch and bending of a line, without shear and twist.
//!
//! ```text
//! ε = |r'| - 1,   κ = r' × r'' / |r'|²,   W = ½ ∫ E A ε² + E I |κ|²
//! ```
//!
//! |κ| is what the tangent turns by per metre of the undeformed length. The measures are those of Gerstmayr and Irschik 2008
//! (doi:10.1016/j.jsv.2008.04.019).
//!
//! Viscosity resists the rate of |κ|. κ itself turns with the material, whose spin about the tangent a cable does not know: a moment that
//! is not along κ would brake rigid rotations, from outside.

use super::station::Strained;
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector3;

/// The vectors r' and r''.
pub(super) const VECTORS: usize = 2;

/// Curvatures in 1/m far above this one have a direction: the rate of one as small as this counts in all directions.
const STRAIGHT: f64 = 1e-6;

/// ε and the three components of κ in the world.
pub(super) const STRAINS: usize = 4;

pub(super) struct Cable;

impl Strained<VECTORS, STRAINS> for Cable {
    fn strains<S: Scalar>([tangent, bend]: &[Vector3<S>; VECTORS]) -> [S; STRAINS] {
        let square = tangent.dot(tangent);
        let curvature = tangent.cross(bend) * square.recip();
        [
            square.sqrt() - S::one(),
            curvature.x,
            curvature.y,
            curvature.z,
        ]
    }

    fn rates<S: Scalar>(
        vectors: &[Vector3<S>; VECTORS],
        rates: &[Vector3<S>; VECTORS],
    ) -> [S; STRAINS] {
        let moving: [Vector3<Dual<1, S>>; VECTORS] = std::array::from_fn(|index| {
            vectors[index].zip_map(&rates[index], |value, rate| Dual::new(value, [rate]))
        });
        let [stretch, x, y, z] = Self::strains(&moving);
        let curvature = Vector3::new(x.value, y.value, z.value);
        let rate = Vector3::new(x.gradient[0], y.gradient[0], z.gradient[0]);
        // Along κ, smoothly where it vanishes.
        let (floor, square) = (S::constant(STRAIGHT * STRAIGHT), curvature.dot(&curvature));
        let seen = (rate * floor + curvature * curvature.dot(&rate)) * (square + floor).recip();
        [stretch.gradient[0], seen.x, seen.y, seen.z]
    }

    fn pull<S: Scalar>(
        [tangent, bend]: &[Vector3<S>; VECTORS],
        [axial, x, y, z]: &[S; STRAINS],
    ) -> [Vector3<S>; VECTORS] {
        let moment = Vector3::new(*x, *y, *z);
        let square = tangent.dot(tangent);
        let inverse = square.recip();
        let curvature = tangent.cross(bend) * inverse;
        let along =
            *axial * square.sqrt().recip() - curvature.dot(&moment) * inverse * S::constant(2.0);
        [
            bend.cross(&moment) * inverse + tangent * along,
            moment.cross(tangent) * inverse,
        ]
    }
}
