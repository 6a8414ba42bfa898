//! Convex polyhedra against each other: nearest features by the GJK and EPA algorithms of `parry3d-f64`, distances and
//! their derivatives from these features in closed form.

use super::touch::{Touch, polar, tangents};
use crate::Kinematics;
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::shape::ConvexPolyhedron;

/// A convex polyhedron in the frame of its body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hull {
    shape: ConvexPolyhedron,
    vertices: Vec<Vector3<f64>>,
    /// Outward unit normals of the faces.
    normals: Vec<Vector3<f64>>,
    size: f64,
}

impl Hull {
    /// Half its smallest extent across a face.
    pub fn thickness(&self) -> f64 {
        let extent = |normal: &Vector3<f64>| {
            let along = self.vertices.iter().map(|vertex| normal.dot(vertex));
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (low.min(x), high.max(x))
            });
            0.5 * (high - low)
        };
        self.normals
            .iter()
            .map(extent)
            .fold(f64::INFINITY, f64::min)
    }
}

/// What of a polyhedron is nearest, in the frame of its body.
#[derive(Clone, Copy, Debug)]
enum Feature {
    /// Outward normal and a point.
    Face(Vector3<f64>, Vector3<f64>),
    /// A point and the direction, not of unit length.
    Edge(Vector3<f64>, Vector3<f64>),
    Vertex(Vector3<f64>),
}

/// Below this share of the sizes a distance is too short to have a direction: bodies are pushed into each other by as much,
/// and the direction is that of least penetration.
const SKIN: f64 = 1e-5;
/// Normals within this angle in rad are those of a face.
const FACE: f64 = 1e-5;
/// Vertices within this share of the size are equally far.
const LEVEL: f64 = 1e-6;
/// Edges within this angle in rad are parallel.
const PARALLEL: f64 = 1e-6;

fn into_library(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn from_library(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}

impl Hull {
    /// The convex hull of these points of the body frame; `None` if it has no volume.
    pub fn new(points: &[Vector3<f64>]) -> Option<Self> {
        // Flat or straight sets of points have no volume: the scatter of their differences tells.
        let edges = points.iter().skip(1).map(|point| point - points[0]);
        let spread = edges.fold(Matrix3::zeros(), |sum, edge| sum + edge * edge.transpose());
        let extent = spread.symmetric_eigenvalues();
        // The library's hull algorithm expects points that span space.
        if points.len() < 4 || extent.min() <= 1e-12 * extent.max() {
            return None;
        }
        let points: Vec<Vector> = points.iter().map(into_library).collect();
        let shape = ConvexPolyhedron::from_convex_hull(&points)?;
        let vertices: Vec<_> = shape.points().iter().map(|&p| from_library(p)).collect();
        let normals = shape.faces().iter().map(|face| from_library(face.normal));
        let size = vertices
            .iter()
            .map(|vertex| (vertex - vertices[0]).norm())
            .fold(0.0, f64::max);
        Some(Self {
            normals: normals.collect(),
            vertices,
            size,
            shape,
        })
    }

    /// What is farthest in the direction of this unit vector.
    fn feature(&self, direction: &Vector3<f64>) -> Feature {
        let height = |vertex: &Vector3<f64>| vertex.dot(direction);
        // Support: everything within LEVEL of the farthest vertex belongs to the feature.
        let top = self.vertices.iter().map(height).fold(f64::MIN, f64::max);
        let level = top - LEVEL * self.size;
        let mut highest = self
            .vertices
            .iter()
            .filter(|vertex| height(vertex) >= level);
        let Some(first) = highest.next() else {
            return Feature::Vertex(Vector3::repeat(f64::NAN));
        };
        let aligned = |normal: &&Vector3<f64>| (*normal - direction).norm() < FACE;
        if let Some(normal) = self.normals.iter().find(aligned) {
            return Feature::Face(*normal, *first);
        }
        let length = |vertex: &&Vector3<f64>| (*vertex - first).norm();
        // The two vertices farthest apart span the edge.
        match highest.max_by(|a, b| length(a).total_cmp(&length(b))) {
            Some(last) => Feature::Edge(*first, last - first),
            None => Feature::Vertex(*first),
        }
    }
}

/// Two polyhedra that may touch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hulls(pub [Hull; 2]);

/// Directions and points of closest approach by the library.
struct Nearest {
    /// From the first to the second body, in the frame of each.
    normals: [Vector3<f64>; 2],
    /// In the frames of the bodies.
    witnesses: [Vector3<f64>; 2],
}

impl Hulls {
    /// `None` if the library finds nothing.
    fn nearest(&self, rotation: &Matrix3<f64>, position: &Vector3<f64>) -> Option<Nearest> {
        let [one, two] = &self.0;
        let turn = Rotation3::from_matrix_unchecked(*rotation);
        let turn = UnitQuaternion::from_rotation_matrix(&turn);
        let turn = Rotation::from_xyzw(turn.i, turn.j, turn.k, turn.w);
        let query = |position: &Vector3<f64>| {
            let pose = Pose::from_parts(into_library(position), turn);
            contact_support_map_support_map(&pose, &one.shape, &two.shape, f64::MAX)
        };
        let mut found = query(position)?;
        let skin = SKIN * (one.size + two.size);
        // So near that the direction is noise: push into each other, where penetration is well defined.
        if found.dist.abs() < skin {
            found = query(&(position - from_library(found.normal1) * (2.0 * skin)))?;
        }
        let normal = from_library(found.normal1);
        Some(Nearest {
            normals: [normal, rotation.tr_mul(&normal)],
            witnesses: [from_library(found.point1), from_library(found.point2)],
        })
    }

    /// Closest points from the first body to the second; all are NaN where the library finds none.
    pub fn touch<S: Scalar>(&self, bodies: [&Kinematics<S>; 2]) -> Touch<S> {
        let [one, two] = bodies;
        let axes = bodies.map(|body| body.rotation.map(|entry| entry.value()));
        let apart = (two.position - one.position).map(|entry| entry.value());
        let rotation = axes[0].tr_mul(&axes[1]);
        let nearest = self.nearest(&rotation, &axes[0].tr_mul(&apart));
        let Some(Nearest { normals, witnesses }) = nearest else {
            let nothing = Vector3::repeat(S::constant(f64::NAN));
            return Touch {
                gap: S::constant(f64::NAN),
                normal: nothing,
                tangents: [nothing; 2],
                points: [nothing; 2],
            };
        };
        // The second body looks back along the normal.
        let features = [
            self.0[0].feature(&normals[0]),
            self.0[1].feature(&-normals[1]),
        ];
        // Vertices are points of the bodies; on faces and edges the points found nearest stand in.
        let material = |side: usize| {
            let local = match features[side] {
                Feature::Vertex(point) => point,
                _ => witnesses[side],
            };
            bodies[side].point(&local)
        };
        // Foot of the perpendicular from the other point onto an edge.
        let foot = |side: usize, point: Vector3<f64>, along: Vector3<f64>, other: Vector3<S>| {
            let (start, along) = (bodies[side].point(&point), bodies[side].direction(&along));
            start + along * ((other - start).dot(&along) / along.dot(&along))
        };
        // Gaps as functions of both poses, so that derivatives belong to the nearest features.
        let (gap, normal, points) = match features {
            [Feature::Face(normal, point), _] => {
                let (normal, second) = (one.direction(&normal), material(1));
                let gap = normal.dot(&(second - one.point(&point)));
                (gap, normal, [second - normal * gap, second])
            }
            [_, Feature::Face(normal, point)] => {
                let (normal, first) = (-two.direction(&normal), material(0));
                let gap = normal.dot(&(two.point(&point) - first));
                (gap, normal, [first, first + normal * gap])
            }
            [Feature::Edge(a, u), Feature::Edge(b, v)]
                if u.cross(&(rotation * v)).norm() > PARALLEL * u.norm() * v.norm() =>
            {
                // Two edges: the distance of two lines, along u × v.
                let (start, u) = (one.point(&a), one.direction(&u));
                let (apart, v) = (two.point(&b) - start, two.direction(&v));
                let across = u.cross(&v);
                let (_, normal) = polar(across);
                let normal = normal * S::constant(sign(&normal, &axes[0], &normals[0]));
                // Parameter of the closest point on the first line: (apart × v) · (u × v) / |u × v|².
                let first = start + u * (apart.cross(&v).dot(&across) / across.dot(&across));
                let gap = normal.dot(&apart);
                (gap, normal, [first, first + normal * gap])
            }
            [Feature::Edge(a, u), _] => {
                let second = material(1);
                towards([foot(0, a, u, second), second], &axes[0], &normals[0])
            }
            [_, Feature::Edge(b, v)] => {
                let first = material(0);
                towards([first, foot(1, b, v, first)], &axes[0], &normals[0])
            }
            [Feature::Vertex(_), Feature::Vertex(_)] => {
                towards([material(0), material(1)], &axes[0], &normals[0])
            }
        };
        Touch {
            gap,
            normal,
            tangents: tangents(&one.rotation.tr_mul(&normal)).map(|tangent| one.rotation * tangent),
            points,
        }
    }
}

/// The sign that makes a direction of the world point as this one of the first body.
fn sign<S: Scalar>(direction: &Vector3<S>, axes: &Matrix3<f64>, wanted: &Vector3<f64>) -> f64 {
    let direction = direction.map(|entry| entry.value());
    1.0_f64.copysign(direction.dot(&(axes * wanted)))
}

/// Gap and normal of two points.
fn towards<S: Scalar>(
    points: [Vector3<S>; 2],
    axes: &Matrix3<f64>,
    wanted: &Vector3<f64>,
) -> (S, Vector3<S>, [Vector3<S>; 2]) {
    let (length, direction) = polar(points[1] - points[0]);
    if direction == Vector3::zeros() {
        // Points that coincide have no direction of their own.
        let normal = (axes * wanted).map(S::constant);
        return (normal.dot(&(points[1] - points[0])), normal, points);
    }
    let sign = S::constant(sign(&direction, axes, wanted));
    (length * sign, direction * sign, points)
}
