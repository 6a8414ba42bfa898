//! Which unilateral constraints a pair of shapes makes, and whether the shapes exist.

#[cfg(feature = "convex")]
use super::convex::{Hull, Hulls};
use super::shape::{Shape, SurfaceContact};
use super::touch::{Pair, Place, Solid};
use crate::kinematics::VELOCITIES;
use crate::marker::Marker;
use crate::{AssemblyError, Kinematics};
use liedae_contact::Contact;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::TAU;

/// How many points a face of a cylinder stands on.
const FEET: u32 = 4;
/// Their distance from the axis in radii.
const FOOT: f64 = 0.9;

/// The contacts of a mechanism: laws and places, one each, and the surfaces that they come from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    pub laws: Vec<Contact>,
    pub places: Vec<Place>,
    pub stated: Vec<StatedContact>,
}

/// A contact as it was stated, with its surfaces on their bodies.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "files"), allow(dead_code))]
pub(crate) struct StatedContact {
    pub name: String,
    pub surfaces: [PlacedSurface; 2],
    pub restitution: f64,
    pub friction: Option<f64>,
}

/// A surface in the frame of its body.
#[derive(Clone, Debug)]
pub(crate) struct PlacedSurface {
    pub body: Option<usize>,
    pub marker: Marker,
    pub shape: Shape,
}

impl Placed {
    /// All surfaces in their order.
    pub fn surfaces(&self) -> impl Iterator<Item = &PlacedSurface> {
        self.stated.iter().flat_map(|contact| &contact.surfaces)
    }

    /// Resolves a contact between bodies that stand at `poses`.
    pub fn add(
        &mut self,
        contact: &SurfaceContact,
        poses: &[Kinematics; 2],
    ) -> Result<(), AssemblyError> {
        let name = contact.name.as_str();
        let [first, second] = &contact.surfaces;
        if first.body == second.body {
            return Err(AssemblyError::SameBody {
                joint: name.to_owned(),
            });
        }
        check(name, &first.shape)?;
        check(name, &second.shape)?;
        let markers = [
            first.frame.resolve(name, &poses[0])?,
            second.frame.resolve(name, &poses[1])?,
        ];
        let forward = pairs(&first.shape, &second.shape, &markers);
        let exchanged = forward.is_empty();
        let pairs = if exchanged {
            pairs(&second.shape, &first.shape, &[markers[1], markers[0]])
        } else {
            forward
        };
        #[cfg(feature = "convex")]
        let (pairs, exchanged) = match hulls([&first.shape, &second.shape], &markers) {
            None => (pairs, exchanged),
            Some(Some(hulls)) => (vec![(markers[0], Pair::Convex(hulls.into()))], false),
            Some(None) => {
                return Err(AssemblyError::NoVolume {
                    contact: name.to_owned(),
                });
            }
        };
        if pairs.is_empty() {
            return Err(AssemblyError::ContactShapes {
                contact: name.to_owned(),
                first: first.shape.name(),
                second: second.shape.name(),
            });
        }
        let count = pairs.len();
        for (index, (frame, pair)) in pairs.into_iter().enumerate() {
            let clearance = match pair {
                Pair::Ball(Solid::HollowSphere(hole) | Solid::Bore(hole), _, radius) => {
                    hole - radius
                }
                _ => 0.0,
            };
            // A ball larger than its hole never fits.
            number(name, "the clearance", clearance, clearance >= 0.0)?;
            let label = if count == 1 {
                name.to_owned()
            } else {
                format!("{name}.{}", index + 1)
            };
            let moving = [first.body.0, second.body.0].into_iter().flatten();
            let velocities = moving.flat_map(|body| VELOCITIES * body..VELOCITIES * (body + 1));
            let mut law = Contact::new(label, contact.restitution).acting_on(velocities);
            if let Some(friction) = contact.friction {
                law = law.with_spatial_friction(friction);
            }
            law.check().map_err(AssemblyError::Contact)?;
            self.laws.push(law);
            self.places.push(Place {
                bodies: [first.body.0, second.body.0],
                exchanged,
                frame,
                pair,
            });
        }
        let surface = |side: usize| PlacedSurface {
            body: contact.surfaces[side].body.0,
            marker: markers[side],
            shape: contact.surfaces[side].shape.clone(),
        };
        self.stated.push(StatedContact {
            name: contact.name.clone(),
            surfaces: [surface(0), surface(1)],
            restitution: contact.restitution,
            friction: contact.friction,
        });
        Ok(())
    }
}

fn number(contact: &str, what: &'static str, value: f64, fits: bool) -> Result<(), AssemblyError> {
    if value.is_finite() && fits {
        return Ok(());
    }
    Err(AssemblyError::Coefficient {
        element: contact.to_owned(),
        what,
        value,
    })
}

fn coordinates(contact: &str, points: &[[f64; 3]]) -> Result<(), AssemblyError> {
    points
        .iter()
        .flatten()
        .try_for_each(|&entry| number(contact, "a coordinate of a point", entry, true))
}

/// Checks the dimensions of a shape.
fn check(name: &str, shape: &Shape) -> Result<(), AssemblyError> {
    match shape {
        Shape::HalfSpace | Shape::Point => Ok(()),
        #[cfg(feature = "convex")]
        Shape::Polyhedron(points) => coordinates(name, points),
        Shape::Points(points) => coordinates(name, points),
        &Shape::Sphere(radius) | &Shape::HollowSphere(radius) | &Shape::Bore(radius) => {
            number(name, "the radius", radius, radius > 0.0)
        }
        &Shape::Capsule {
            radius,
            half_length,
        }
        | &Shape::Cylinder {
            radius,
            half_length,
        } => {
            number(name, "the radius", radius, radius > 0.0)?;
            number(name, "half the length", half_length, half_length >= 0.0)
        }
        Shape::Cuboid(half) => half
            .iter()
            .try_for_each(|&side| number(name, "half a side", side, side > 0.0)),
        &Shape::Slot(width) => number(name, "the width", width, width > 0.0),
    }
}

/// The balls that stand for a shape against anything concave or flat: its extreme points, in the frame's coordinates.
fn balls(shape: &Shape) -> Vec<([f64; 3], f64)> {
    match *shape {
        Shape::Point => vec![([0.0; 3], 0.0)],
        Shape::Points(ref points) => points.iter().map(|&point| (point, 0.0)).collect(),
        #[cfg(feature = "convex")]
        Shape::Polyhedron(ref points) => points.iter().map(|&point| (point, 0.0)).collect(),
        Shape::Sphere(radius) => vec![([0.0; 3], radius)],
        Shape::Capsule {
            radius,
            half_length,
        } => vec![
            ([0.0, 0.0, -half_length], radius),
            ([0.0, 0.0, half_length], radius),
        ],
        Shape::Cuboid([x, y, z]) => (0..8)
            .map(|corner| {
                let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                ([x * sign(0), y * sign(1), z * sign(2)], 0.0)
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What a cylinder stands on: points of the face at z, far enough within the rim to touch only if the face does.
fn feet(radius: f64, z: f64) -> Vec<([f64; 3], f64)> {
    let foot = |index: u32| {
        let (sin, cos) = (TAU * f64::from(index) / f64::from(FEET)).sin_cos();
        let distance = FOOT * radius;
        ([distance * cos, distance * sin, z], 0.0)
    };
    (0..FEET).map(foot).collect()
}

/// A point of a marker's frame in its body's frame.
fn of_body(marker: &Marker, point: [f64; 3]) -> Vector3<f64> {
    marker.point + marker.axes * Vector3::from(point)
}

/// The constraints of a solid (first) with what touches it (second); none if they are not made for each other.
fn pairs(solid: &Shape, other: &Shape, [frame, marker]: &[Marker; 2]) -> Vec<(Marker, Pair)> {
    let on = |solid: Solid, balls: Vec<([f64; 3], f64)>| -> Vec<(Marker, Pair)> {
        let ball = |(centre, radius)| Pair::Ball(solid, of_body(marker, centre), radius);
        let pairs = balls.into_iter().map(ball);
        pairs.map(|pair| (*frame, pair)).collect()
    };
    // Edges of larger shapes would be missed by their balls.
    let small = matches!(other, Shape::Point | Shape::Points(_) | Shape::Sphere(_));
    match (solid, other) {
        (
            Shape::HalfSpace,
            &Shape::Cylinder {
                radius,
                half_length,
            },
        ) => {
            let axis = marker.axes.column(2).into_owned();
            let ends = [-half_length, half_length];
            let rims = ends.map(|z| Pair::Rim(of_body(marker, [0.0, 0.0, z]), axis, radius));
            let mut pairs: Vec<_> = rims.map(|rim| (*frame, rim)).into();
            for z in ends {
                pairs.extend(on(Solid::HalfSpace, feet(radius, z)));
            }
            pairs
        }
        (Shape::HalfSpace, _) => on(Solid::HalfSpace, balls(other)),
        (Shape::Slot(width), _) => {
            let mut walls = Vec::new();
            for side in [1.0, -1.0] {
                // The wall at +y has the outward normal -y. Its frame keeps x.
                let [x, y, _] = [0, 1, 2].map(|axis| frame.axes.column(axis).into_owned());
                let normal = y * -side;
                let wall = Marker {
                    point: frame.point + y * (0.5 * side * width),
                    axes: Matrix3::from_columns(&[x, normal.cross(&x), normal]),
                };
                walls.extend(pairs(&Shape::HalfSpace, other, &[wall, *marker]));
            }
            walls
        }
        (&Shape::HollowSphere(radius), _) => on(Solid::HollowSphere(radius), balls(other)),
        (
            &Shape::Bore(radius),
            &Shape::Cylinder {
                radius: pin,
                half_length,
            },
        ) => on(
            Solid::Bore(radius),
            vec![
                ([0.0, 0.0, -half_length], pin),
                ([0.0, 0.0, half_length], pin),
            ],
        ),
        (&Shape::Bore(radius), _) => on(Solid::Bore(radius), balls(other)),
        (&Shape::Sphere(radius), _) if small => on(Solid::Sphere(radius), balls(other)),
        (
            &Shape::Capsule {
                radius,
                half_length,
            },
            _,
        ) if small => on(Solid::Capsule(radius, half_length), balls(other)),
        (
            &Shape::Cylinder {
                radius,
                half_length,
            },
            _,
        ) if small => on(Solid::Cylinder(radius, half_length), balls(other)),
        (&Shape::Cuboid(half), _) if small => on(Solid::Cuboid(half), balls(other)),
        _ => Vec::new(),
    }
}

/// One shape of each kind.
fn of_each_kind() -> Vec<Shape> {
    let tetrahedron = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut shapes = vec![
        Shape::HalfSpace,
        Shape::Point,
        Shape::Points(tetrahedron.clone()),
    ];
    shapes.extend([Shape::Sphere(1.0), Shape::HollowSphere(1.0)]);
    let (radius, half_length) = (1.0, 1.0);
    shapes.extend([
        Shape::Capsule {
            radius,
            half_length,
        },
        Shape::Cylinder {
            radius,
            half_length,
        },
        Shape::Cuboid([1.0; 3]),
    ]);
    #[cfg(feature = "convex")]
    shapes.push(Shape::Polyhedron(tetrahedron));
    shapes.extend([Shape::Bore(1.0), Shape::Slot(1.0)]);
    shapes
}

/// Whether there are contacts of two shapes.
fn are_a_pair(one: &Shape, other: &Shape) -> bool {
    let at_origin = Marker {
        point: Vector3::zeros(),
        axes: Matrix3::identity(),
    };
    let markers = [at_origin; 2];
    #[cfg(feature = "convex")]
    if hulls([one, other], &markers).is_some() {
        return true;
    }
    !pairs(one, other, &markers).is_empty() || !pairs(other, one, &markers).is_empty()
}

/// The shapes, by name, that one of this name may touch.
pub(crate) fn partners(name: &str) -> Vec<&'static str> {
    let shapes = of_each_kind();
    let Some(own) = shapes.iter().find(|shape| shape.name() == name) else {
        return Vec::new();
    };
    let partners = shapes.iter().filter(|other| are_a_pair(own, other));
    partners.map(Shape::name).collect()
}

/// The polyhedra of a pair that is left to the algorithms for convex shapes, if it is; `Some(None)` if one has no volume.
#[cfg(feature = "convex")]
fn hulls(shapes: [&Shape; 2], markers: &[Marker; 2]) -> Option<Option<Hulls>> {
    let solid = |shape: &&Shape| matches!(shape, Shape::Polyhedron(_) | Shape::Cuboid(_));
    if !shapes.iter().all(solid) {
        return None;
    }
    let hull = |side: usize| {
        let corners = balls(shapes[side]).into_iter();
        let points: Vec<_> = corners
            .map(|(corner, _)| of_body(&markers[side], corner))
            .collect();
        Hull::new(&points)
    };
    Some(hull(0).zip(hull(1)).map(|(one, two)| Hulls([one, two])))
}
