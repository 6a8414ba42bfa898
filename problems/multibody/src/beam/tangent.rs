//! The derivatives of an element's wrenches, in closed form but for that of the exponential's differential.

use super::element::Element;
use crate::kinematics::{Kinematics, PAIR, VELOCITIES};
use crate::layout::PairPlaces;
use liedae::manifold::rigid_motion;
use liedae::scalar::Dual;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};

/// Force and torque of a wrench, by the motion of both bodies.
type Slope = SMatrix<f64, VELOCITIES, PAIR>;

/// Matrices of one configuration.
struct Linearized<'a> {
    bodies: &'a [Kinematics; 2],
    /// -T⁻¹(-d) and T⁻¹(d): d' by the body twists of the sections.
    by_twist: [Matrix6<f64>; 2],
    /// Body twists of the sections by displacements or velocities (r', ω) of their bodies.
    moved: [Matrix6<f64>; 2],
}

impl<'a> Linearized<'a> {
    fn new(bodies: &'a [Kinematics; 2], d: &[f64; 6]) -> Self {
        let opposite = d.map(|entry| -entry);
        let moved = bodies.map(|body| {
            let mut moved = Matrix6::identity();
            let turn = body.rotation.transpose();
            moved.fixed_view_mut::<3, 3>(0, 0).copy_from(&turn);
            moved
        });
        Self {
            bodies,
            by_twist: [-inverse_differential(&opposite), inverse_differential(d)],
            moved,
        }
    }

    /// Six by twelve: a matrix that acts on d', after the motion of both bodies.
    fn after_motion(&self, matrix: &Matrix6<f64>) -> Slope {
        let mut slope = Slope::zeros();
        for side in 0..2 {
            let block = matrix * self.by_twist[side] * self.moved[side];
            slope
                .fixed_view_mut::<6, 6>(0, VELOCITIES * side)
                .copy_from(&block);
        }
        slope
    }

    /// From a resultant in the frame of a section to force (world frame) and torque (body frame) on its body.
    fn lifted(&self, side: usize, resultant: &Slope) -> Slope {
        let turned = self.bodies[side].rotation * resultant.fixed_view::<3, PAIR>(0, 0);
        let mut lifted = *resultant;
        lifted.fixed_view_mut::<3, PAIR>(0, 0).copy_from(&turned);
        lifted
    }
}

/// T⁻¹(d).
fn inverse_differential(d: &[f64; 6]) -> Matrix6<f64> {
    let mut matrix = Matrix6::zeros();
    for column in 0..6 {
        let mut unit = [0.0; 6];
        unit[column] = 1.0;
        let image = rigid_motion::dexp_inverse(d, &unit);
        matrix.column_mut(column).copy_from_slice(&image);
    }
    matrix
}

fn gradients(rows: &[Dual<6>; 6]) -> Matrix6<f64> {
    Matrix6::from_fn(|row, column| rows[row].gradient[column])
}

impl Element {
    /// Adds the derivatives of the wrenches by displacements and by velocities of both bodies.
    pub fn add_derivatives(
        &self,
        bodies: &[Kinematics; 2],
        places: &PairPlaces,
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        let d = Self::relative(bodies);
        let at = Linearized::new(bodies, &d);
        let twists = self.twists(bodies);
        let varied: [Dual<6>; 6] = std::array::from_fn(|index| Dual::variable(d[index], index));
        let constant = twists.map(|pair| pair.map(|twist| twist.map(Dual::from_value)));
        let stress = self.stress(&varied, constant.as_ref());
        let resultants = self.resultants(&varied, &stress);
        // σ by the twists, as far as it is viscous.
        let viscous = self.viscosity.map(|viscosity| {
            let columns = [0, 1].map(|side| viscosity * at.by_twist[side] / self.length);
            (columns, self.twisting(bodies))
        });
        // What acts on both sections by σ: T⁻ᵀ(-d) and -T⁻ᵀ(d).
        let by_stress = at.by_twist.map(|matrix| -matrix.transpose());
        for side in 0..2 {
            let mut slope = at.after_motion(&gradients(&resultants[side]));
            let mut faster = Slope::zeros();
            if let Some((by_twist, twisting)) = &viscous {
                for other in 0..2 {
                    let column = VELOCITIES * other;
                    let block = by_stress[side] * by_twist[other];
                    let mut part = slope.fixed_view_mut::<6, 6>(0, column);
                    part += block * twisting[other];
                    let block = block * at.moved[other];
                    faster.fixed_view_mut::<6, 6>(0, column).copy_from(&block);
                }
            }
            // A f turns with the body: A (f' - f × δθ), whose first part `lifted` adds.
            let [x, y, z, ..] = resultants[side].map(|entry| entry.value);
            let turning = -Vector3::new(x, y, z).cross_matrix();
            let turning = bodies[side].rotation * turning;
            let mut slope = at.lifted(side, &slope);
            let mut part = slope.fixed_view_mut::<3, 3>(0, VELOCITIES * side + 3);
            part += turning;
            write(places, side, &slope, by_position);
            if viscous.is_some() {
                write(places, side, &at.lifted(side, &faster), by_velocity);
            }
        }
    }

    /// How the body twists of the sections change when their bodies are displaced: δ(Aᵀ r') = (Aᵀ r') × δθ.
    fn twisting(&self, bodies: &[Kinematics; 2]) -> [Matrix6<f64>; 2] {
        bodies.map(|body| {
            let velocity = body.rotation.tr_mul(&body.velocity);
            let slope: Matrix3<f64> = velocity.cross_matrix();
            let mut twisting = Matrix6::zeros();
            twisting.fixed_view_mut::<3, 3>(0, 3).copy_from(&slope);
            twisting
        })
    }
}

fn write(places: &PairPlaces, side: usize, slope: &Slope, out: &mut [f64]) {
    for component in 0..VELOCITIES {
        let gradient: [f64; PAIR] = std::array::from_fn(|column| slope[(component, column)]);
        places.add(side, component, &gradient, out);
    }
}
