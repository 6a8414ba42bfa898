//! Dry friction in the bearing of a revolute joint: a torque about its axis by the reactions that the bearing carries.
//!
//! A joint whose bearing rubs has its first three rows along the axes of its frame on body 1 instead of those of the world
//! ([`JointKind::rubbing_rows`](super::joint::JointKind::rubbing_rows)). Their multipliers are the components (λ₁, λ₂, λ₃) of the force on
//! body 2 there, and those of the two rows that keep the axes parallel are moments: λ₄ about y₁ and -λ₅ about x₁. So what presses
//! depends on the multipliers alone, wherever the axis points. The sliding velocity is that of the journal's surface,
//! s = r z₁ · (ω₂ - ω₁); a friction λ_T along it is the torque r λ_T about z₁ on body 2.

use super::connection::{Connection, Joints};
use super::elements::number;
use super::error::AssemblyError;
use super::joint::JointId;
use super::kinematics::{Kinematics, VELOCITIES, Wrench};
use super::marker::{Axis, JointFrame, Marker};
use liedae::scalar::Scalar;
use liedae_contact::{FrictionJoint, Support};
use nalgebra::Vector3;

/// Coulomb friction in the bearing of a revolute joint, which may stick.
///
/// The torque about the axis is μ (r Σ |N_k| + R |N_z|) at most, and that against the relative rotation while it turns.
/// N_k are the forces on the journal across the axis, N_z is the thrust along it. A mechanism with such a joint has to
/// be run in a [`NonsmoothSystem`](liedae_contact::NonsmoothSystem), or with `moreau-jean`. Source: F. Pfeiffer, C.
/// Glocker, Multibody Dynamics with Unilateral Contacts, Wiley 1996, ch. 8, doi:10.1002/9783527618385, for the law; the
/// force on a journal without clearance is the joint's reaction.
///
/// A wheel in a bearing slows down by μ r W / I under its weight W:
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::{BearingFriction, BodyId, Joint, MultibodyBuilder, RigidBody};
///
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -10.0]);
/// let wheel = RigidBody::new("wheel", 2.0, [0.03, 0.03, 0.05]).moving([0.0; 3], [0.0, 0.0, 1.0]);
/// // It turns about its own z, which lies along the world's x.
/// let upright = nalgebra::Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0);
/// let wheel = mechanism.add_body(wheel.rotated(upright));
/// let axle = mechanism.add_joint(Joint::revolute("axle", BodyId::GROUND, wheel, [0.0; 3], [1.0, 0.0, 0.0]));
/// mechanism.add_bearing_friction(BearingFriction::new("rubbing", axle, 0.25, 0.01));
/// let mut system = NonsmoothSystem::new(mechanism.build()?, NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// // μ r W / I = 0.25 · 0.01 m · 20 N / 0.05 kg m² = 1 rad/s².
/// let stop = &solution.events[0];
/// assert_eq!(stop.kind, "stick");
/// assert!((stop.t - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BearingFriction {
    /// Name, unique among forces.
    pub name: String,
    /// The revolute joint.
    pub joint: JointId,
    /// Coefficient μ.
    pub coefficient: f64,
    /// Radius r of the journal in m.
    pub radius: f64,
    /// Distance in m of the two bearings, one on each side of the joint's point, that carry moments across the axis; `None` for a single
    /// one at the point, in which moments do not rub.
    pub span: Option<f64>,
    /// Radius R in m at which the collar takes the thrust; 0 where thrust does not rub.
    pub collar: f64,
}

impl BearingFriction {
    /// A single bearing at the point of the joint, without friction by thrust.
    pub fn new(name: impl Into<String>, joint: JointId, coefficient: f64, radius: f64) -> Self {
        Self {
            name: name.into(),
            joint,
            coefficient,
            radius,
            span: None,
            collar: 0.0,
        }
    }

    /// Two bearings at this distance in m, which are pressed by moments across the axis, too: those of a gyroscope, for instance.
    pub fn with_span(mut self, span: f64) -> Self {
        self.span = Some(span);
        self
    }

    /// A collar that takes the thrust at this radius in m, and rubs.
    pub fn with_collar(mut self, radius: f64) -> Self {
        self.collar = radius;
        self
    }
}

/// A [`BearingFriction`] in an assembled mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Bearing {
    pub stated: BearingFriction,
    pub bodies: [Option<usize>; 2],
    pub markers: [Marker; 2],
    /// Row of λ₁; four follow.
    pub first_row: usize,
}

impl Bearing {
    /// The bearing of a joint, with its numbers checked.
    pub fn resolve(stated: BearingFriction, joints: &Joints) -> Result<Self, AssemblyError> {
        let joint = joints.find(stated.joint, &stated.name)?;
        let check = |what, value, fits| number(&stated.name, what, value, fits);
        let (mu, radius, collar) = (stated.coefficient, stated.radius, stated.collar);
        check("the friction coefficient", mu, mu >= 0.0)?;
        check("the radius of the journal", radius, radius > 0.0)?;
        check("the radius of the collar", collar, collar >= 0.0)?;
        if let Some(span) = stated.span {
            check("the distance of the bearings", span, span > 0.0)?;
        }
        Ok(Self {
            bodies: joint.bodies,
            markers: joint.markers,
            first_row: joint.first_row,
            stated,
        })
    }

    /// z₁ in the world.
    fn axis<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> Vector3<S> {
        self.markers[0].side(&bodies[0], true).axis(Axis::Z)
    }

    /// Velocity of the journal's surface in m/s.
    pub fn velocity(&self, bodies: &[Kinematics; 2]) -> f64 {
        let [one, two] = Connection::spins(bodies);
        self.stated.radius * self.axis(bodies).dot(&(two.omega - one.omega))
    }

    /// Wrenches of a unit force along the journal's surface.
    pub fn unit_wrenches(&self, bodies: &[Kinematics; 2]) -> [Wrench; 2] {
        let torque = self.axis(bodies) * self.stated.radius;
        [bodies[0].torque(&-torque), bodies[1].torque(&torque)]
    }

    /// γ of s' = (∂s/∂v) v' + γ: what the axis turns with body 1.
    pub fn bias(&self, bodies: &[Kinematics; 2]) -> f64 {
        let [one, two] = Connection::spins(bodies);
        let axis_rate = one.omega.cross(&self.axis(bodies));
        self.stated.radius * axis_rate.dot(&(two.omega - one.omega))
    }

    /// What presses.
    pub fn law(&self, label: &str) -> FrictionJoint {
        let first = self.first_row;
        let mut supports = match self.stated.span {
            None => vec![Support::of_rows([first, first + 1])],
            // Half the force each, and the couple ±(λ₄, λ₅)/L of the moments.
            Some(span) => [1.0, -1.0]
                .map(|side| Support {
                    components: [0, 1]
                        .map(|axis| vec![(first + axis, 0.5), (first + 3 + axis, side / span)])
                        .into(),
                })
                .into(),
        };
        if self.stated.collar > 0.0 {
            supports.push(Support {
                components: vec![vec![(first + 2, self.stated.collar / self.stated.radius)]],
            });
        }
        let bodies = self.bodies.into_iter().flatten();
        let turns = |body: usize| VELOCITIES * body + 3..VELOCITIES * (body + 1);
        FrictionJoint::new(label, self.stated.coefficient, supports)
            .acting_on(bodies.flat_map(turns))
    }
}
