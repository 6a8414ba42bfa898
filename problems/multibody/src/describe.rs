//! The description of a mechanism: counts, masses, joints, redundant rows.

use super::body::BodyId;
use super::connection::Connection;
use super::joint::JointId;
use super::mechanism::MultibodySystem;
use std::fmt;
use std::ops::Range;

/// One joint in a [`Description`].
///
/// ```
/// use liedae_multibody::{BodyId, Joint, JointDescription, MultibodyBuilder, RigidBody};
///
/// let mut mechanism = MultibodyBuilder::new();
/// let [upper, lower] = ["upper", "lower"].map(|name| mechanism.add_body(RigidBody::new(name, 1.0, [0.1; 3])));
/// mechanism.add_joint(Joint::spherical("shoulder", BodyId::GROUND, upper, [0.0; 3]));
/// mechanism.add_joint(Joint::revolute("elbow", upper, lower, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
/// let JointDescription { name, kind, bodies, rows } = mechanism.build()?.describe().joints.remove(1);
/// assert_eq!((name.as_str(), kind, rows), ("elbow", "revolute", 3..8));
/// assert_eq!(bodies, ["upper", "lower"]);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDescription {
    /// Name.
    pub name: String,
    /// Kind, such as `revolute`.
    pub kind: &'static str,
    /// Names of both bodies, `ground` for the ground.
    pub bodies: [String; 2],
    /// Rows of the constraints.
    pub rows: Range<usize>,
}

/// What a mechanism consists of.
///
/// ```
/// use liedae_multibody::{BodyId, Description, Joint, MultibodyBuilder, RigidBody};
///
/// let mut mechanism = MultibodyBuilder::new();
/// let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [0.1; 3]));
/// mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0]));
/// let found: Description = mechanism.build()?.describe();
/// assert_eq!((found.rows, found.degrees_of_freedom), (5, 1));
/// assert_eq!(
///     found.to_string(),
///     "1 bodies, 1 joints with 5 rows, 0 forces, 1 degrees of freedom (if no row is redundant)\n\
///      \x20 rows 0..5: revolute 'pivot' between ground and bar\n"
/// );
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Joints and drives in the order of their rows.
    pub joints: Vec<JointDescription>,
    /// Number of force elements, friction included.
    pub forces: usize,
    /// Names of the differential states in their order, as `force.state`; that of a spring that counts turns is
    /// `spring.angle`.
    pub states: Vec<String>,
    /// Number of constraint rows, those that tie the markers of flexible bodies included.
    pub rows: usize,
    /// Degrees of freedom if all rows are independent, 6 bodies + modes + nodal coordinates - rows (Grübler and
    /// Kutzbach). Redundant rows make the true number larger, so that this one may be negative.
    pub degrees_of_freedom: isize,
}

impl fmt::Display for Description {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{} bodies, {} joints with {} rows, {} forces, {} degrees of freedom (if no row is redundant)",
            self.bodies.len(),
            self.joints.len(),
            self.rows,
            self.forces,
            self.degrees_of_freedom
        )?;
        for joint in &self.joints {
            let [one, two] = &joint.bodies;
            let Range { start, end } = joint.rows;
            writeln!(
                formatter,
                "  rows {start}..{end}: {} '{}' between {one} and {two}",
                joint.kind, joint.name
            )?;
        }
        if !self.states.is_empty() {
            writeln!(formatter, "  states: {}", self.states.join(", "))?;
        }
        Ok(())
    }
}

impl MultibodySystem {
    /// Bodies, joints with their rows, and an estimate of the degrees of freedom.
    pub fn describe(&self) -> Description {
        let name = |body: Option<usize>| match body.and_then(|index| self.bodies.get(index)) {
            Some(body) => body.name.clone(),
            None => "ground".to_owned(),
        };
        let joints: Vec<JointDescription> = self
            .connections
            .iter()
            .map(|joint| JointDescription {
                name: joint.name.clone(),
                kind: joint.kind.name(),
                bodies: joint.bodies.map(name),
                rows: joint.range(),
            })
            .collect();
        let rows = self.layout.rows();
        Description {
            bodies: self.bodies.iter().map(|body| body.name.clone()).collect(),
            forces: self.forces.len()
                + self.torsions.len()
                + self.state_forces.len()
                + self.slides.len()
                + self.guides.len(),
            states: self.state_names.clone(),
            rows,
            degrees_of_freedom: self.layout.dimension() as isize - rows as isize,
            joints,
        }
    }

    /// The body of this name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        let index = self.bodies.iter().position(|body| body.name == name)?;
        Some(BodyId(Some(index)))
    }

    /// The joint, drive or basic constraint of this name.
    pub fn joint(&self, name: &str) -> Option<JointId> {
        let named = |place: &usize| {
            self.connections
                .get(*place)
                .is_some_and(|joint| joint.name == name)
        };
        self.joint_order.iter().position(named).map(JointId)
    }

    /// The rows of a joint among the constraints and multipliers.
    pub fn joint_rows(&self, joint: JointId) -> Option<Range<usize>> {
        self.connection(joint).map(Connection::range)
    }

    pub(crate) fn connection(&self, joint: JointId) -> Option<&Connection> {
        self.joint_order
            .get(joint.0)
            .and_then(|&index| self.connections.get(index))
    }
}
