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
