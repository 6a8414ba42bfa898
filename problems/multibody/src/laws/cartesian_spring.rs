//! Springs and dampers along the axes of the world.

use crate::force::PairForce;
use crate::kinematics::{Kinematics, Wrench};
use crate::motion::Motion;
use liedae::scalar::Scalar;
use nalgebra::Vector3;

/// Springs and dampers along the three axes of the world between a point of each body: p₁ is pulled by
/// K (p₂ - p₁ - s) + C (p₂' - p₁' - s'), p₂ by the opposite.
///
/// With equal numbers along all axes it is a bushing; without stiffness a damper of a point, as of a body in oil; with an offset s(t) that
/// moves, a support that shakes, or the road under a wheel. The forces act at their own points: where these are apart and the force is not
/// along their line, the pair turns the bodies.
///
/// ```
/// use liedae::analysis::static_equilibrium;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::{BodyId, CartesianSpring, MultibodyBuilder, RigidBody};
///
/// // An engine of 100 kg on a mount that is softer across than upright.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -9.81]);
/// let engine = mechanism.add_body(RigidBody::new("engine", 100.0, [5.0; 3]));
/// let mount = CartesianSpring::new([2e5, 2e5, 5e5]).with_damping([500.0; 3]);
/// mechanism.add_force("mount", BodyId::GROUND, engine, mount);
/// let mut system = mechanism.build()?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut system), &start, &Default::default())?.state;
/// assert!((rest.q[2] + 100.0 * 9.81 / 5e5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CartesianSpring {
    /// The points p₁ and p₂, from the centres of mass in the frames of their bodies, m.
    pub points: [Vector3<f64>; 2],
    /// Stiffness K along x, y and z of the world, N/m.
    pub stiffness: [f64; 3],
    /// Damping C along x, y and z of the world, N s/m.
    pub damping: [f64; 3],
    /// The difference s of the points without force, m, in the world, as functions of time; none stays zero.
    pub offset: Option<[Motion; 3]>,
}

impl CartesianSpring {
    /// Springs between the centres of mass, without dampers.
    pub fn new(stiffness: [f64; 3]) -> Self {
        Self {
            points: [Vector3::zeros(); 2],
            stiffness,
            damping: [0.0; 3],
            offset: None,
        }
    }

    /// A bushing: the same stiffness and damping in all directions.
    pub fn bushing(stiffness: f64, damping: f64) -> Self {
        Self::new([stiffness; 3]).with_damping([damping; 3])
    }

    /// Between these points, from the centres of mass in the frames of their bodies, m.
    pub fn between(mut self, points: [Vector3<f64>; 2]) -> Self {
        self.points = points;
        self
    }

    /// With dampers along the axes of the world, N s/m.
    pub fn with_damping(mut self, damping: [f64; 3]) -> Self {
        self.damping = damping;
        self
    }

    /// Without force where p₂ - p₁ is this, in m of the time in s.
    pub fn with_offset(mut self, offset: [Motion; 3]) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl PairForce for CartesianSpring {
    fn wrenches<S: Scalar>(&self, t: f64, [one, two]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let (start, end) = (one.point(&self.points[0]), two.point(&self.points[1]));
        let mut way = end - start;
        let mut rate = two.point_velocity(&self.points[1]) - one.point_velocity(&self.points[0]);
        for (axis, motion) in self.offset.iter().flatten().enumerate() {
            let at = motion.at(t);
            way[axis] -= S::constant(at.value);
            rate[axis] -= S::constant(at.first);
        }
        let pull = Vector3::from_fn(|axis, _| {
            way[axis] * self.stiffness[axis] + rate[axis] * self.damping[axis]
        });
        [one.force_at(&start, &pull), two.force_at(&end, &-pull)]
    }

    fn potential(&self, t: f64, [one, two]: &[Kinematics; 2]) -> f64 {
        let way = two.point(&self.points[1]) - one.point(&self.points[0]);
        let axes = (0..3).map(|axis| {
            let offset = self
                .offset
                .as_ref()
                .map_or(0.0, |offset| offset[axis].value(t));
            0.5 * self.stiffness[axis] * (way[axis] - offset).powi(2)
        });
        axes.sum()
    }

    fn is_passive(&self) -> bool {
        let mut motions = self.offset.iter().flatten();
        self.damping.iter().all(|damping| *damping >= 0.0)
            && motions.all(|motion| matches!(motion, Motion::Constant(_)))
    }

    fn moments(&self) -> Vec<f64> {
        let motions = self.offset.iter().flatten();
        motions.flat_map(Motion::moments).collect()
    }

    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        let wrong = |what, numbers: &[f64]| {
            let wrong = numbers.iter().find(|number| !number.is_finite());
            wrong.map(|number| (what, *number))
        };
        let points = self.points.map(|point| point.norm());
        wrong("the stiffness", &self.stiffness)
            .or_else(|| wrong("the damping", &self.damping))
            .or_else(|| wrong("the distance of a point", &points))
    }

    /// What only damps holds nothing.
    fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        let holds = self.stiffness.iter().any(|stiffness| *stiffness != 0.0);
        holds.then_some(self.points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_gradient_of_the_potential() {
        let offset = [0.1, -0.2, 0.3].map(Motion::Constant);
        let points = [Vector3::new(0.1, 0.2, 0.0), Vector3::new(0.0, 0.3, -0.1)];
        let spring = CartesianSpring::new([3.0, 5.0, 7.0]).between(points);
        let spring = spring.with_offset(offset);
        let at = |x: Vector3<f64>| {
            let position = Vector3::new(0.4, 0.5, 0.6) + x;
            [
                Kinematics::ground(),
                Kinematics {
                    position,
                    ..Kinematics::ground()
                },
            ]
        };
        let [_, on] = spring.wrenches(0.0, &at(Vector3::zeros()));
        for axis in 0..3 {
            let step = Vector3::ith(axis, 1e-5);
            let [after, before] = [step, -step].map(|step| spring.potential(0.0, &at(step)));
            assert!((on.force[axis] + (after - before) / 2e-5).abs() < 1e-8);
        }
    }

    #[test]
    fn a_moving_offset_pulls_along() {
        let still = Motion::Constant(0.0);
        let rise = Motion::linear(0.5, 2.0);
        let spring = CartesianSpring::bushing(10.0, 1.0).with_offset([still.clone(), still, rise]);
        let [_, on] = spring.wrenches(1.0, &[Kinematics::ground(), Kinematics::ground()]);
        assert_eq!(on.force, Vector3::new(0.0, 0.0, 10.0 * 2.5 + 2.0));
        assert!(!spring.is_passive());
    }
}
