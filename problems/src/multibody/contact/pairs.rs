//! Which unilateral constraints a pair of shapes makes, and whether the shapes exist.

use super::shape::{Shape, SurfaceContact};
use super::touch::{Pair, Place, Solid};
use crate::multibody::kinematics::VELOCITIES;
use crate::multibody::marker::Marker;
use crate::multibody::{AssemblyError, Kinematics};
use liedae::system::Contact;
use nalgebra::{Matrix3, Vector3};

/// The contacts of a mechanism: laws and places, one each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    pub laws: Vec<Contact>,
    pub places: Vec<Place>,
}

impl Placed {
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
        if pairs.is_empty() {
            return Err(AssemblyError::ContactShapes {
                contact: name.to_owned(),
                first: first.shape.name(),
                second: second.shape.name(),
            });
        }
        for (index, (frame, pair)) in pairs.iter().enumerate() {
            let clearance = match *pair {
                Pair::Ball(Solid::HollowSphere(hole) | Solid::Bore(hole), _, radius) => {
                    hole - radius
                }
                _ => 0.0,
            };
            number(name, "the clearance", clearance, clearance >= 0.0)?;
            let label = if pairs.len() == 1 {
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
                frame: *frame,
                pair: *pair,
            });
        }
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

/// Checks the dimensions of a shape.
fn check(name: &str, shape: &Shape) -> Result<(), AssemblyError> {
    match shape {
        Shape::HalfSpace | Shape::Point => Ok(()),
        Shape::Points(points) => points
            .iter()
            .flatten()
            .try_for_each(|&entry| number(name, "a coordinate of a point", entry, true)),
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
    let small = matches!(other, Shape::Point | Shape::Points(_) | Shape::Sphere(_));
    match (solid, other) {
        (
            Shape::HalfSpace,
            &Shape::Cylinder {
                radius,
                half_length,
            },
        ) => [-half_length, half_length]
            .map(|z| {
                let centre = of_body(marker, [0.0, 0.0, z]);
                let axis = marker.axes.column(2).into_owned();
                (*frame, Pair::Rim(centre, axis, radius))
            })
            .into(),
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
