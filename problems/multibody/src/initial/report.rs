//! The report of how stated joint coordinates moved the bodies.

use crate::kinematics::Kinematics;
use liedae::system::Short;
use nalgebra::Vector3;
use std::fmt;

/// How far a body was moved, and how much its velocity changed.
///
/// ```
/// use liedae_multibody::{BodyId, Displacement, Joint, MultibodyBuilder, RigidBody};
///
/// // A bob at 2 m from its pivot starts turned by 60 degrees.
/// let mut mechanism = MultibodyBuilder::new();
/// let bob = mechanism.add_body(RigidBody::new("bob", 1.0, [0.1; 3]).at([2.0, 0.0, 0.0]));
/// let pivot = mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bob, [0.0; 3], [0.0, 0.0, 1.0]));
/// mechanism.joint_position(pivot, std::f64::consts::FRAC_PI_3);
/// let system = mechanism.build()?;
/// let moved: Displacement = system.placement().expect("an angle was stated").bodies[0].by_joints;
/// assert!((moved.rotation - std::f64::consts::FRAC_PI_3).abs() < 1e-12 && (moved.translation - 2.0).abs() < 1e-12);
/// assert!(moved.exceeds(1.0) && moved.velocity == 0.0);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    /// Of the centre of mass in m.
    pub translation: f64,
    /// Angle of the rotation in rad.
    pub rotation: f64,
    /// Change of the centre's velocity in m/s.
    pub velocity: f64,
    /// Change of the angular velocity in rad/s, seen in the world.
    pub angular_velocity: f64,
}

impl Displacement {
    pub(super) fn between(from: &Kinematics, to: &Kinematics) -> Self {
        let turn = to.rotation * from.rotation.transpose();
        // Twice the sine along the axis: exact for small angles, unlike the cosine.
        let sine = Vector3::new(
            turn[(2, 1)] - turn[(1, 2)],
            turn[(0, 2)] - turn[(2, 0)],
            turn[(1, 0)] - turn[(0, 1)],
        );
        Self {
            translation: (to.position - from.position).norm(),
            // atan2(2 sin φ, 2 cos φ): exact near zero and near π.
            rotation: sine.norm().atan2(turn.trace() - 1.0),
            velocity: (to.velocity - from.velocity).norm(),
            angular_velocity: (to.angular_velocity() - from.angular_velocity()).norm(),
        }
    }

    /// Whether any of the four is larger than this; a NaN is.
    pub fn exceeds(&self, bound: f64) -> bool {
        let parts = [
            self.translation,
            self.rotation,
            self.velocity,
            self.angular_velocity,
        ];
        parts.iter().any(|part| part.is_nan() || *part > bound)
    }
}

impl fmt::Display for Displacement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} m, {} rad, {} m/s, {} rad/s",
            Short(self.translation),
            Short(self.rotation),
            Short(self.velocity),
            Short(self.angular_velocity)
        )
    }
}

/// A joint whose coordinate or rate was stated, as it starts.
///
/// ```
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, PlacedJoint, RigidBody};
///
/// // Only the rate is stated: the drawer starts where its body is.
/// let mut mechanism = MultibodyBuilder::new();
/// let drawer = mechanism.add_body(RigidBody::new("drawer", 1.0, [0.1; 3]));
/// let rails = mechanism.add_joint(Joint::translational("rails", BodyId::GROUND, drawer, [0.0; 3], [1.0, 0.0, 0.0]));
/// mechanism.joint_rate(rails, 0.5);
/// let system = mechanism.build()?;
/// let PlacedJoint { name, coordinate, position, rate } = &system.placement().expect("a rate was stated").joints[0];
/// assert_eq!((name.as_str(), *coordinate), ("rails", "translation"));
/// assert_eq!((*position, *rate), (0.0, 0.5));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedJoint {
    /// Name of the joint.
    pub name: String,
    /// `angle` or `translation`.
    pub coordinate: &'static str,
    /// The coordinate in rad or m: as stated, or as measured, then an angle within (-π, π].
    pub position: f64,
    /// Its rate in rad/s or m/s.
    pub rate: f64,
}

/// How a body came to where it starts.
///
/// ```
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, PlacedBody, RigidBody};
///
/// // A crank of 1 m and a slider at 3 m, with a rod of 2 m between them. The crank is turned by a quarter.
/// let mut mechanism = MultibodyBuilder::new();
/// let crank = mechanism.add_body(RigidBody::new("crank", 1.0, [0.1; 3]).at([0.5, 0.0, 0.0]));
/// let slider = mechanism.add_body(RigidBody::new("slider", 1.0, [0.1; 3]).at([3.0, 0.0, 0.0]));
/// let pivot = mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, crank, [0.0; 3], [0.0, 0.0, 1.0]));
/// mechanism.add_joint(Joint::translational("guide", BodyId::GROUND, slider, [0.0; 3], [1.0, 0.0, 0.0]));
/// mechanism.add_joint(Joint::distance("rod", crank, slider, [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]));
/// mechanism.joint_position(pivot, std::f64::consts::FRAC_PI_2);
/// let system = mechanism.build()?;
/// let [crank, slider]: &[PlacedBody] = &system.placement().expect("an angle was stated").bodies else { panic!("two bodies") };
/// assert!((crank.by_joints.rotation - std::f64::consts::FRAC_PI_2).abs() < 1e-12 && !crank.by_loops.exceeds(1e-9));
/// assert!((slider.by_loops.translation - (3.0 - 3.0_f64.sqrt())).abs() < 1e-9);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBody {
    /// Name of the body.
    pub name: String,
    /// By the stated coordinates of the joints that carry it, from where the body was stated.
    pub by_joints: Displacement,
    /// By the closing of loops, from there.
    pub by_loops: Displacement,
}

/// What stated joint coordinates and rates did to the bodies.
///
/// ```
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Placement, RigidBody};
///
/// // A wheel that starts turned and a table that stays where it is.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.add_body(RigidBody::new("table", 5.0, [0.1; 3]));
/// let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [0.1; 3]));
/// let axle = mechanism.add_joint(Joint::revolute("axle", BodyId::GROUND, wheel, [0.0; 3], [0.0, 0.0, 1.0]));
/// mechanism.joint_position(axle, 0.25);
/// let system = mechanism.build()?;
/// let placement: &Placement = system.placement().expect("an angle was stated");
/// assert_eq!((placement.joints.len(), placement.bodies.len()), (1, 2));
/// assert!(placement.to_string().starts_with("angle of 'axle': 0.25, rate 0\n"));
/// assert_eq!(placement.moved_by_loops(1e-9).count(), 0);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The joints with a stated coordinate or rate.
    pub joints: Vec<PlacedJoint>,
    /// All bodies, in order of addition.
    pub bodies: Vec<PlacedBody>,
}

impl Placement {
    /// The bodies that the closing of loops moved by more than `bound`, in m, rad, m/s or rad/s.
    pub fn moved_by_loops(&self, bound: f64) -> impl Iterator<Item = &PlacedBody> {
        let moved = move |body: &&PlacedBody| body.by_loops.exceeds(bound);
        self.bodies.iter().filter(moved)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for joint in &self.joints {
            let (position, rate) = (Short(joint.position), Short(joint.rate));
            writeln!(
                formatter,
                "{} of '{}': {position}, rate {rate}",
                joint.coordinate, joint.name
            )?;
        }
        for body in &self.bodies {
            writeln!(
                formatter,
                "'{}' moved by joints: {}; by loops: {}",
                body.name, body.by_joints, body.by_loops
            )?;
        }
        Ok(())
    }
}
