//! Shapes fixed to bodies, and which two may touch.

use crate::{BodyId, Frame};

/// A shape in its frame; lengths in m.
///
/// ```
/// use liedae_contact::UnilateralConstraints;
/// use liedae_multibody::{BodyId, Frame, MultibodyBuilder, RigidBody, Shape, Surface, SurfaceContact};
///
/// // A box above a floor: a contact for each of its corners.
/// let mut mechanism = MultibodyBuilder::new();
/// let crate_ = mechanism.add_body(RigidBody::new("crate", 1.0, [0.1; 3]).at([0.0, 0.0, 1.0]));
/// let sides = Surface::new(crate_, Frame::local_point([0.0; 3]), Shape::Cuboid([0.3, 0.2, 0.1]));
/// let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
/// assert_eq!((floor.shape.name(), sides.shape.name()), ("half-space", "cuboid"));
/// mechanism.add_contact(SurfaceContact::new("floor", floor, sides));
/// let system = mechanism.build()?;
/// assert_eq!(system.contacts().len(), 8);
/// assert_eq!(system.contacts()[7].label, "floor.8");
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// The material below the plane z = 0, with the outward normal z.
    HalfSpace,
    /// The frame's origin.
    Point,
    /// Points in the frame, each a contact of its own: corners of any polyhedron, or of the base of something that
    /// stands.
    Points(Vec<[f64; 3]>),
    /// A ball of this radius around the origin.
    Sphere(f64),
    /// The material around a spherical hole of this radius. Around a [`Shape::Point`] it is a rope of that length.
    HollowSphere(f64),
    /// The points within a radius of a segment along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half the length of the segment.
        half_length: f64,
    },
    /// A solid cylinder along z with flat ends; a thin disc if its length is zero.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half the length.
        half_length: f64,
    },
    /// A box with half its sides along x, y, z.
    Cuboid([f64; 3]),
    /// The convex hull of points in the frame, which must not lie in a plane.
    #[cfg(feature = "convex")]
    Polyhedron(Vec<[f64; 3]>),
    /// The material around a cylindrical hole of this radius along z, without ends: a bearing.
    Bore(f64),
    /// The material beside a slot of this width between the planes y = ±width/2, without ends.
    Slot(f64),
}

impl Shape {
    /// The name in error messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::HalfSpace => "half-space",
            Self::Point => "point",
            Self::Points(_) => "points",
            Self::Sphere(_) => "sphere",
            Self::HollowSphere(_) => "hollow sphere",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Cuboid(_) => "cuboid",
            #[cfg(feature = "convex")]
            Self::Polyhedron(_) => "polyhedron",
            Self::Bore(_) => "bore",
            Self::Slot(_) => "slot",
        }
    }
}

/// A shape fixed to a body, or to the ground, in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// The body.
    pub body: BodyId,
    /// Where the shape is.
    pub frame: Frame,
    /// The shape.
    pub shape: Shape,
}

impl Surface {
    /// A shape in a frame of a body.
    pub fn new(body: BodyId, frame: Frame, shape: Shape) -> Self {
        Self { body, frame, shape }
    }

    /// A half-space through a point of the world at assembly, with the unit outward normal.
    pub fn half_space(body: BodyId, point: [f64; 3], normal: [f64; 3]) -> Self {
        Self::new(body, Frame::world(point, normal), Shape::HalfSpace)
    }

    /// A ball around a point of the body frame.
    pub fn sphere(body: BodyId, centre: [f64; 3], radius: f64) -> Self {
        Self::new(body, Frame::local_point(centre), Shape::Sphere(radius))
    }

    /// A point of the body frame.
    pub fn point(body: BodyId, point: [f64; 3]) -> Self {
        Self::new(body, Frame::local_point(point), Shape::Point)
    }
}

/// A contact between surfaces of two bodies, with Newton's law of impact and Coulomb friction.
///
/// | one surface | the other | unilateral constraints |
/// |---|---|---|
/// | half-space | point, sphere | 1 |
/// | | points, cuboid | 1 for each point or corner (x fastest, then y, then z) |
/// | | capsule | 2: its ends |
/// | | cylinder | 10: the lowest point of each rim (-z first), then four feet of each face |
/// | hollow sphere, bore | point, sphere, points, cuboid, capsule | as for a half-space |
/// | bore | cylinder | 2: the ends of the pin's axis, with the pin's radius |
/// | slot | point, sphere, points, cuboid, capsule, cylinder | both walls (+y first), each as a half-space |
/// | sphere, capsule, cylinder, cuboid | point, points, sphere | 1 for each |
/// | polyhedron (feature `convex`) | half-space, hollow sphere, bore, slot | 1 for each point |
/// | polyhedron, cuboid (feature `convex`) | polyhedron, cuboid | 1 |
///
/// A pin in a bore is measured across the bore's axis at the ends of its own, exact to first order in the angle between
/// the axes. All other gaps are distances. Their gradients do not exist where a centre lies on a centre or an axis; the
/// derivatives are those of the symmetric position there.
///
/// A cylinder that lies on a plane touches it with the lowest points of both rims, a wheel or a leaning disc with one or
/// both. One that stands rests on four feet, points of its face on the x- and y-axis of its frame at 0.9 radii from the
/// centre: so it slides, spins and lands. Where its load acts between the square of the feet and the rim, from 0.64 radii
/// on, it tilts by about 1e-6 rad until feet and rim hold it together, with short steps of methods that locate events; where
/// it acts beyond the rim, or at 1.1 radii at the latest, the cylinder tips over. A level rim is 1e-7 radii above its face,
/// so that its lowest point passes smoothly through the axis; an upright rim is exact, and one that is inclined by s rad is
/// off by 6e-13 / s radii.
///
/// Where the nearest feature of a cylinder or cuboid changes (face, edge, corner), gap and normal are continuous outside and the
/// curvature jumps. Tangents are continuous except on the plane of a sphere's x- and y-axes.
///
/// Two polyhedra have one contact, at their closest points, or where they penetrate least: a face on a face or an edge
/// is not resolved into corners, so that what rests face on face has one point that jumps from corner to corner, each
/// time with new rows: run it with methods that capture events and small steps. Normals jump where the nearest features change.
/// Closer than 1e-5 of their sizes, normals are those of a face or of two edges; gaps are signed distances along them.
///
/// The label of a contact is its name, numbered as `name.1`, `name.2` where there are several; its gap is the
/// output `gap.<label>`.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Name, unique among contacts.
    pub name: String,
    /// The surfaces of the first and the second body.
    pub surfaces: [Surface; 2],
    /// Coefficient of restitution in [0, 1].
    pub restitution: f64,
    /// Coefficient of friction ≥ 0, if there is friction.
    pub friction: Option<f64>,
}

impl SurfaceContact {
    /// A contact without rebound and friction.
    pub fn new(name: impl Into<String>, first: Surface, second: Surface) -> Self {
        Self {
            name: name.into(),
            surfaces: [first, second],
            restitution: 0.0,
            friction: None,
        }
    }

    /// With this coefficient of restitution.
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// With this coefficient of Coulomb friction.
    pub fn with_friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }
}
