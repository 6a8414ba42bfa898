//! Joints: kinds, frames, and their basic constraints.
//!
//! Every joint has a frame on each of its two bodies; its equations compare the two. Numbers of equations: fixed 6, translational
//! 5, revolute 5, cylindrical 4, universal 4, spherical 3, revolute-cylindrical 3, distance 1, each basic constraint and each
//! drive 1; a user-defined joint (`custom/`) as many as it states.

use super::body::BodyId;
use super::custom::{CustomEquations, CustomJoint, NonholonomicJoint};
use super::marker::{Axis, Frame};
use super::motion::Motion;
use super::row::{Constraint, Row};
use nalgebra::Vector3;

/// A joint, drive or basic constraint of a mechanism.
///
/// ```
/// use liedae_multibody::{BodyId, Joint, JointId, MultibodyBuilder, RigidBody};
///
/// let mut mechanism = MultibodyBuilder::new();
/// let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [0.1; 3]));
/// let hinge: JointId = mechanism.add_joint(Joint::revolute("hinge", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0]));
/// let system = mechanism.build()?;
/// assert_eq!(hinge.index(), 0);
/// assert_eq!(system.joint("hinge"), Some(hinge));
/// assert_eq!(system.joint_rows(hinge), Some(0..5));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JointId(pub(crate) usize);

impl JointId {
    /// The number of the joint in order of addition.
    pub fn index(self) -> usize {
        self.0
    }
}

/// The kind of a joint: the relative motions that it forbids.
#[derive(Clone, Debug)]
pub enum JointKind {
    /// No relative motion: points and all axes coincide.
    Fixed,
    /// The points coincide.
    Spherical,
    /// The points and the z-axes coincide; rotation about z is free.
    Revolute,
    /// The points coincide, z₁ and z₂ are perpendicular.
    Universal,
    /// The z-axes lie on one line; rotation about it and translation along it are free.
    Cylindrical,
    /// The prismatic joint: cylindrical without the rotation; translation along the z-axes is free.
    Translational,
    /// Point 2 lies on the z-axis of frame 1, and z₂ is perpendicular to z₁: a revolute joint about z₂ that slides
    /// along z₁ and turns about it.
    RevoluteCylindrical,
    /// The points keep their distance; `None` takes that of the assembly.
    Distance(Option<Motion>),
    /// DP1: the cosine between an axis of frame 1 and an axis of frame 2 follows a function of time.
    Dot1(Axis, Axis, Motion),
    /// DP2: the component of the point difference P₂ - P₁ along an axis of frame 1, in m.
    Dot2(Axis, Motion),
    /// CD: the component of the point difference P₂ - P₁ along a unit direction of the world, in m.
    Coordinate(Vector3<f64>, Motion),
    /// The angle about z₁ from x₁ to x₂ follows a function of time, in rad, over any number of turns. Beside a
    /// revolute or cylindrical joint; its multiplier is the torque about z on body 2.
    Angle(Motion),
    /// User-defined equations, see [`CustomJoint`] and [`NonholonomicJoint`].
    Custom(CustomEquations),
}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name, unique among joints.
    pub name: String,
    /// What it forbids.
    pub kind: JointKind,
    /// Body 1.
    pub first: BodyId,
    /// Body 2.
    pub second: BodyId,
    /// The joint frames on body 1 and on body 2.
    pub frames: [Frame; 2],
}

impl Joint {
    /// A joint of any kind from its two frames.
    pub fn new(
        name: impl Into<String>,
        kind: JointKind,
        first: BodyId,
        second: BodyId,
        frames: [Frame; 2],
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            first,
            second,
            frames,
        }
    }

    /// A fixed joint at a point of the world.
    pub fn fixed(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
    ) -> Self {
        Self::new(
            name,
            JointKind::Fixed,
            first,
            second,
            [Frame::world_point(point); 2],
        )
    }

    /// A spherical joint at a point of the world.
    pub fn spherical(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
    ) -> Self {
        Self::new(
            name,
            JointKind::Spherical,
            first,
            second,
            [Frame::world_point(point); 2],
        )
    }

    /// A revolute joint at a point, about a unit axis, both of the world.
    pub fn revolute(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
        axis: impl Into<Vector3<f64>>,
    ) -> Self {
        Self::new(
            name,
            JointKind::Revolute,
            first,
            second,
            [Frame::world(point, axis); 2],
        )
    }

    /// A universal joint at a point: perpendicular unit axes, `first_axis` fixed to body 1 and `second_axis` to body 2.
    pub fn universal(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
        first_axis: impl Into<Vector3<f64>>,
        second_axis: impl Into<Vector3<f64>>,
    ) -> Self {
        let point = point.into();
        let frames = [
            Frame::world(point, first_axis),
            Frame::world(point, second_axis),
        ];
        Self::new(name, JointKind::Universal, first, second, frames)
    }

    /// A cylindrical joint with a point and the unit direction of its axis.
    pub fn cylindrical(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
        axis: impl Into<Vector3<f64>>,
    ) -> Self {
        Self::new(
            name,
            JointKind::Cylindrical,
            first,
            second,
            [Frame::world(point, axis); 2],
        )
    }

    /// A translational joint through a point, along a unit axis.
    pub fn translational(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
        axis: impl Into<Vector3<f64>>,
    ) -> Self {
        Self::new(
            name,
            JointKind::Translational,
            first,
            second,
            [Frame::world(point, axis); 2],
        )
    }

    /// A revolute-cylindrical joint: `point` of body 2 slides along `cylinder_axis` of body 1, to which
    /// `revolute_axis` of body 2 stays perpendicular.
    pub fn revolute_cylindrical(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        point: impl Into<Vector3<f64>>,
        cylinder_axis: impl Into<Vector3<f64>>,
        revolute_axis: impl Into<Vector3<f64>>,
    ) -> Self {
        let point = point.into();
        let frames = [
            Frame::world(point, cylinder_axis),
            Frame::world(point, revolute_axis),
        ];
        Self::new(name, JointKind::RevoluteCylindrical, first, second, frames)
    }

    /// A rigid massless rod between a point of body 1 and a point of body 2, both of the world at assembly.
    pub fn distance(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        first_point: impl Into<Vector3<f64>>,
        second_point: impl Into<Vector3<f64>>,
    ) -> Self {
        let frames = [
            Frame::world_point(first_point),
            Frame::world_point(second_point),
        ];
        Self::new(name, JointKind::Distance(None), first, second, frames)
    }

    /// The distance in m between a point of body 1 and a point of body 2, both of the world at assembly, follows a
    /// function of time. Its multiplier is the force in N that pushes the points apart.
    pub fn distance_drive(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        first_point: impl Into<Vector3<f64>>,
        second_point: impl Into<Vector3<f64>>,
        motion: impl Into<Motion>,
    ) -> Self {
        let kind = JointKind::Distance(Some(motion.into()));
        Self {
            kind,
            ..Self::distance(name, first, second, first_point, second_point)
        }
    }

    /// The coordinate of a point of `body` along a unit direction of the world follows a function of time, in m.
    pub fn point_coordinate(
        name: impl Into<String>,
        body: BodyId,
        point: Frame,
        direction: impl Into<Vector3<f64>>,
        motion: impl Into<Motion>,
    ) -> Self {
        let kind = JointKind::Coordinate(direction.into(), motion.into());
        Self::new(
            name,
            kind,
            BodyId::GROUND,
            body,
            [Frame::world_point([0.0; 3]), point],
        )
    }

    /// A joint by its own position rows, between these two frames.
    pub fn custom<const ROWS: usize>(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        frames: [Frame; 2],
        joint: impl CustomJoint<ROWS> + 'static,
    ) -> Self {
        let kind = JointKind::Custom(CustomEquations::holonomic(joint));
        Self::new(name, kind, first, second, frames)
    }

    /// A joint by its own velocity rows, between these two frames.
    pub fn nonholonomic<const ROWS: usize>(
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        frames: [Frame; 2],
        joint: impl NonholonomicJoint<ROWS> + 'static,
    ) -> Self {
        let kind = JointKind::Custom(CustomEquations::nonholonomic(joint));
        Self::new(name, kind, first, second, frames)
    }

    /// The same joint with the x-axes of both frames along this unit direction of the world, without its part along z. The x-axes
    /// are the zero of an angle drive, and with z they define "y" in reactions and friction.
    pub fn with_x(mut self, x: impl Into<Vector3<f64>>) -> Self {
        let x = x.into();
        self.frames = self.frames.map(|frame| frame.with_x(x));
        self
    }
}

impl JointKind {
    /// The basic constraints; `length` is the distance at assembly.
    pub(crate) fn rows(&self, length: f64) -> Vec<Row> {
        use Axis::{X, Y, Z};
        let together = || {
            [Vector3::x(), Vector3::y(), Vector3::z()].map(|c| Row::zero(Constraint::Coordinate(c)))
        };
        // d along z₁: no component along x₁ and y₁.
        let on_axis = || [X, Y].map(|axis| Row::zero(Constraint::Dot2(axis)));
        // z₂ along z₁: no component along x₁ and y₁.
        let parallel = || [X, Y].map(|axis| Row::zero(Constraint::Dot1(axis, Z)));
        let cross = |a, b| Row::zero(Constraint::Dot1(a, b));
        let mut rows = Vec::with_capacity(6);
        match self {
            Self::Fixed => {
                rows.extend(together());
                rows.extend(parallel());
                // x₁ · y₂ = 0 takes the turn about z.
                rows.push(cross(X, Y));
            }
            Self::Spherical => rows.extend(together()),
            Self::Revolute => {
                rows.extend(together());
                rows.extend(parallel());
            }
            Self::Universal => {
                rows.extend(together());
                // Both axes stay at a right angle.
                rows.push(cross(Z, Z));
            }
            Self::Cylindrical => {
                rows.extend(on_axis());
                rows.extend(parallel());
            }
            Self::Translational => {
                rows.extend(on_axis());
                rows.extend(parallel());
                rows.push(cross(X, Y));
            }
            Self::RevoluteCylindrical => {
                rows.extend(on_axis());
                rows.push(cross(Z, Z));
            }
            Self::Distance(motion) => {
                let motion = motion.clone().unwrap_or(Motion::Constant(length));
                rows.push(Row::new(Constraint::Distance, motion));
            }
            Self::Dot1(first, second, motion) => {
                rows.push(Row::new(Constraint::Dot1(*first, *second), motion.clone()));
            }
            Self::Dot2(axis, motion) => {
                rows.push(Row::new(Constraint::Dot2(*axis), motion.clone()))
            }
            Self::Coordinate(direction, motion) => {
                rows.push(Row::new(Constraint::Coordinate(*direction), motion.clone()));
            }
            Self::Angle(motion) => rows.push(Row::new(Constraint::Angle, motion.clone())),
            Self::Custom(_) => {}
        }
        rows
    }

    /// The basic constraints of a joint whose bearing rubs, a revolute one: the force at its point is resolved along the axes of
    /// frame 1, since the bearing load is the part across the axis.
    pub(crate) fn rubbing_rows(&self, length: f64) -> Vec<Row> {
        let mut rows = self.rows(length);
        if matches!(self, Self::Revolute) {
            let axes = [Axis::X, Axis::Y, Axis::Z];
            for (row, axis) in rows.iter_mut().zip(axes) {
                *row = Row::zero(Constraint::Dot2(axis));
            }
        }
        rows
    }

    /// Equations of one's own.
    pub(crate) fn custom(&self) -> Option<&CustomEquations> {
        match self {
            Self::Custom(equations) => Some(equations),
            _ => None,
        }
    }

    /// Whether the joint leaves a rotation about one axis that both z-axes share.
    pub(crate) fn turns(&self) -> bool {
        matches!(self, Self::Revolute | Self::Cylindrical)
    }

    /// Whether the joint leaves a translation along z₁.
    pub(crate) fn slides(&self) -> bool {
        matches!(
            self,
            Self::Cylindrical | Self::Translational | Self::RevoluteCylindrical
        )
    }

    /// The kind as reported.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Spherical => "spherical",
            Self::Revolute => "revolute",
            Self::Universal => "universal",
            Self::Cylindrical => "cylindrical",
            Self::Translational => "translational",
            Self::RevoluteCylindrical => "revolute-cylindrical",
            Self::Distance(_) => "distance",
            Self::Dot1(..) => "dot product of axes",
            Self::Dot2(..) => "dot product of axis and difference",
            Self::Coordinate(..) => "coordinate",
            Self::Angle(_) => "angle",
            Self::Custom(equations) => equations.kind(),
        }
    }
}
