//! Figures that drawings are made of.

/// A point or direction, in the plane or in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At(pub [f64; 3]);

impl From<[f64; 3]> for At {
    fn from(point: [f64; 3]) -> Self {
        Self(point)
    }
}

impl From<[f64; 2]> for At {
    /// In the plane z = 0.
    fn from([x, y]: [f64; 2]) -> Self {
        Self([x, y, 0.0])
    }
}

impl From<nalgebra::Vector3<f64>> for At {
    fn from(point: nalgebra::Vector3<f64>) -> Self {
        Self(point.into())
    }
}

impl From<nalgebra::Vector2<f64>> for At {
    fn from(point: nalgebra::Vector2<f64>) -> Self {
        Self([point.x, point.y, 0.0])
    }
}

/// What a figure stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A body, or a part of one.
    Body,
    /// A joint.
    Joint,
    /// A surface that others touch and that has no thickness of its own: a floor, a wall, the face of a body.
    Surface,
    /// Where something slides.
    Guide,
}

/// A figure in its frame; lengths in m.
///
/// ```
/// use liedae_multibody::drawing::Figure;
///
/// // A capsule reaches beyond the ends of its axis by its radius, a guide counts by its point.
/// let capsule = Figure::Capsule { ends: [[0.0; 3], [2.0, 0.0, 0.0]], radius: 0.5 };
/// let farthest = capsule.outline().iter().map(|point| point[0]).fold(0.0, f64::max);
/// assert_eq!(farthest, 2.5);
/// let guide = Figure::Guide { point: [1.0, 0.0, 0.0], direction: [0.0, 0.0, 1.0], half_length: None };
/// assert_eq!(guide.outline(), [[1.0, 0.0, 0.0]]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A line through points, drawn as a bar.
    Line(Vec<[f64; 3]>),
    /// A plate with these corners.
    Polygon(Vec<[f64; 3]>),
    /// A disc in the plane; a ball in space.
    Disc {
        /// Centre.
        centre: [f64; 3],
        /// Radius.
        radius: f64,
    },
    /// The edge of a round hole; a hollow ball in space.
    Ring {
        /// Centre.
        centre: [f64; 3],
        /// Radius.
        radius: f64,
    },
    /// A point, shown as a dot whose size does not depend on the scale.
    Dot([f64; 3]),
    /// A bar with round ends in space.
    Capsule {
        /// Ends of its axis.
        ends: [[f64; 3]; 2],
        /// Radius.
        radius: f64,
    },
    /// A convex solid in space.
    Solid {
        /// Corners.
        points: Vec<[f64; 3]>,
        /// Faces by their corners, seen from outside counter-clockwise.
        faces: Vec<Vec<usize>>,
    },
    /// The edge, or in space the face, of what lies below a point.
    Edge {
        /// A point of it.
        point: [f64; 3],
        /// The outward unit normal.
        normal: [f64; 3],
        /// Half of what is shown of it; `None` is as much as there is room for.
        half_length: Option<f64>,
    },
    /// A line along which something slides.
    Guide {
        /// A point of it.
        point: [f64; 3],
        /// Its direction.
        direction: [f64; 3],
        /// Half of what is shown of it; `None` is as much as there is room for.
        half_length: Option<f64>,
    },
}

/// A figure fixed to a frame.
///
/// ```
/// use liedae_multibody::drawing::{Drawn, Figure, Kind, Part};
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody};
///
/// // A pendulum is drawn as a bar from its centre of mass to the pivot.
/// let mut mechanism = MultibodyBuilder::new();
/// let bob = mechanism.add_body(RigidBody::new("bob", 1.0, [0.1; 3]).at([2.0, 0.0, 0.0]));
/// mechanism.add_joint(Joint::spherical("pivot", BodyId::GROUND, bob, [0.0; 3]));
/// let drawing = mechanism.build()?.drawing();
/// let bar = Figure::Line(vec![[0.0; 3], [-2.0, 0.0, 0.0]]);
/// assert_eq!(drawing.parts()[0], Part { frame: Some(0), kind: Kind::Body, figure: bar });
/// let Part { frame, kind, .. } = &drawing.parts()[1];
/// assert_eq!((*frame, *kind), (None, Kind::Joint));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The frame; `None` is the world.
    pub frame: Option<usize>,
    /// What it stands for.
    pub kind: Kind,
    /// The figure.
    pub figure: Figure,
}

/// What a link is.
///
/// ```
/// use liedae_contact::Contact;
/// use liedae_multibody::drawing::{Drawn, LinkKind};
/// use liedae_multibody::plane::geometry::Rope;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlanePairing};
///
/// // A bob hangs 1.5 m below a hook, on a rope that is longer.
/// let bob = PlaneBodyData::point_mass("bob", 1.0, [0.0, -1.5], [0.0, 0.0]);
/// let rope = PlanePairing::Rope(Rope::new([[0.0, 0.0], [0.0, 0.0]], 2.0)?);
/// let mechanism = PlaneMechanism::new(vec![bob], [0.0, -9.81])?
///     .with_contact(Contact::new("rope", 0.0), [None, Some(0)], rope)?;
/// assert_eq!(mechanism.drawing().links()[0].kind, LinkKind::Rope(2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkKind {
    /// A spring, a damper or an actuator.
    Spring,
    /// A rod without mass.
    Rod,
    /// A rope of this length in m, slack where its ends are nearer.
    Rope(f64),
}

/// Something stretched between two points.
///
/// ```
/// use liedae_multibody::drawing::{Drawn, Link, LinkKind};
/// use liedae_multibody::{BodyId, Frame, MultibodyBuilder, RigidBody, TranslationalSpring};
///
/// // A spring between the ceiling and the upper side of a load.
/// let mut mechanism = MultibodyBuilder::new();
/// let load = mechanism.add_body(RigidBody::new("load", 1.0, [0.1; 3]));
/// let ends = [Frame::world_point([0.0, 0.0, 1.0]), Frame::local_point([0.0, 0.0, 0.2])];
/// mechanism.add_spring(TranslationalSpring::new("spring", [BodyId::GROUND, load], ends, 100.0, 0.5));
/// let drawing = mechanism.build()?.drawing();
/// let Link { kind, ends } = &drawing.links()[0];
/// assert_eq!(*kind, LinkKind::Spring);
/// assert_eq!(*ends, [(None, [0.0, 0.0, 1.0]), (Some(0), [0.0, 0.0, 0.2])]);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// What it is.
    pub kind: LinkKind,
    /// Its ends, each in its frame.
    pub ends: [(Option<usize>, [f64; 3]); 2],
}

impl Figure {
    /// The points that say how far a figure reaches; lines without ends count by the point they go through.
    pub fn outline(&self) -> Vec<[f64; 3]> {
        let around = |centre: [f64; 3], radius: f64| {
            let mut points = Vec::with_capacity(6);
            for axis in 0..3 {
                for side in [-radius, radius] {
                    let mut point = centre;
                    point[axis] += side;
                    points.push(point);
                }
            }
            points
        };
        match self {
            Self::Line(points) | Self::Polygon(points) | Self::Solid { points, .. } => {
                points.clone()
            }
            Self::Disc { centre, radius } | Self::Ring { centre, radius } => {
                around(*centre, *radius)
            }
            Self::Dot(point) => vec![*point],
            Self::Capsule { ends, radius } => {
                ends.iter().flat_map(|end| around(*end, *radius)).collect()
            }
            Self::Edge { point, .. } | Self::Guide { point, .. } => vec![*point],
        }
    }
}
