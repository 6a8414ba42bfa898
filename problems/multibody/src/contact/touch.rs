//! Closest points of solids: signed distances in the solid's frame, generic over the scalar.

use crate::Kinematics;
use crate::marker::{JointFrame, Marker, Side};
use liedae::scalar::Scalar;
use nalgebra::Vector3;

/// Where two bodies are closest, in the world.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Surface, SurfaceContact, Touch, Vector3};
///
/// // A ball of radius 0.1 m with its centre at a height of 0.5 m.
/// let mut mechanism = MultibodyBuilder::new();
/// let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [4e-3; 3]).at([2.0, 0.0, 0.5]));
/// let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
/// mechanism.add_contact(SurfaceContact::new("floor", floor, Surface::sphere(ball, [0.0; 3], 0.1)));
/// let system = mechanism.build()?;
/// let Touch { gap, normal, points, .. } = system.touch(0, &system.initial_state().point())?;
/// assert!((gap - 0.4).abs() < 1e-15 && normal == Vector3::z());
/// assert_eq!((points[0].z, points[1].x), (0.0, 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<S: Scalar = f64> {
    /// The gap in m, negative when the bodies penetrate.
    pub gap: S,
    /// The unit normal from the first body to the second; zero where the gap has none.
    pub normal: Vector3<S>,
    /// Orthonormal directions of the contact plane.
    pub tangents: [Vector3<S>; 2],
    /// The closest points of the first and the second body.
    pub points: [Vector3<S>; 2],
}

impl<S: Scalar> Touch<S> {
    /// With first and second body exchanged. Sliding velocities stay what they are for the same pair of shapes; where both
    /// are solids, so that exchanging them makes another pair with tangents of its own, only the sliding speed does.
    fn exchanged(self) -> Self {
        Self {
            gap: self.gap,
            normal: -self.normal,
            tangents: self.tangents.map(|tangent| -tangent),
            points: [self.points[1], self.points[0]],
        }
    }

    /// Velocity of the second body at its closest point minus that of the first at its own, in m/s.
    pub fn relative_velocity(&self, bodies: &[Kinematics<S>; 2]) -> Vector3<S> {
        let at = |side: usize| {
            let body = &bodies[side];
            body.velocity
                + body
                    .angular_velocity()
                    .cross(&(self.points[side] - body.position))
        };
        at(1) - at(0)
    }

    /// The sliding velocities along the tangents in m/s.
    pub fn sliding_velocity(&self, bodies: &[Kinematics<S>; 2]) -> [S; 2] {
        let relative = self.relative_velocity(bodies);
        self.tangents.map(|tangent| tangent.dot(&relative))
    }
}

/// A solid with a signed distance in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solid {
    HalfSpace,
    Sphere(f64),
    HollowSphere(f64),
    Bore(f64),
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Cuboid([f64; 3]),
}

/// Length and direction; a vector that is exactly zero has the length zero without derivatives and no direction.
pub(super) fn polar<S: Scalar>(vector: Vector3<S>) -> (S, Vector3<S>) {
    if vector.iter().all(|entry| entry.value() == 0.0) {
        return (S::constant(0.0), Vector3::zeros());
    }
    // The hypotenuse of two zeros has no derivatives: the largest entry comes first, so that no other length is zero.
    let largest = vector.map(|entry| entry.value().abs()).imax();
    let [first, second, third] = [0, 1, 2].map(|step| vector[(largest + step) % 3]);
    let length = first.hypot(second).hypot(third);
    (length, vector / length)
}

/// Length and direction of the part across the z-axis.
fn polar_across<S: Scalar>(p: &Vector3<S>) -> (S, Vector3<S>) {
    polar(Vector3::new(p.x, p.y, S::constant(0.0)))
}

fn along<S: Scalar>(axis: usize, sign: f64) -> Vector3<S> {
    let mut unit = Vector3::zeros();
    unit[axis] = S::constant(sign);
    unit
}

/// Signed distance from a solid with faces, by how far the point is beyond each pair of them, and the outward directions.
/// The nearest feature is an edge or a corner if the point is beyond several, else a face; inside, the nearest one.
fn beyond<S: Scalar, const N: usize>(excess: [S; N], outward: [Vector3<S>; N]) -> (S, Vector3<S>) {
    // Beyond several faces: the distance to an edge or corner is the length of the excesses. A thin disc has its rim in
    // the plane of both faces, so that an excess of zero counts beside another one.
    let reached = excess.iter().filter(|e| e.value() >= 0.0).count();
    if reached > 1 && excess.iter().any(|e| e.value() > 0.0) {
        let mut away = Vector3::zeros();
        for (excess, direction) in excess.into_iter().zip(outward) {
            if excess.value() >= 0.0 {
                away += direction * excess;
            }
        }
        // The directions are orthonormal, so the length is that of the excesses.
        return polar(away);
    }
    // Otherwise the face that is least far inside, or most far outside.
    let mut face = (excess[0], outward[0]);
    for (excess, direction) in excess.into_iter().zip(outward).skip(1) {
        if excess.value() > face.0.value() {
            face = (excess, direction);
        }
    }
    face
}

impl Solid {
    /// Its shortest way from the surface to the middle; infinity where it has no far side.
    fn thickness(&self) -> f64 {
        match *self {
            Self::HalfSpace | Self::HollowSphere(_) | Self::Bore(_) => f64::INFINITY,
            Self::Sphere(radius) | Self::Capsule(radius, _) => radius,
            Self::Cylinder(radius, half_length) => radius.min(half_length),
            Self::Cuboid(halves) => halves.into_iter().fold(f64::INFINITY, f64::min),
        }
    }

    /// Signed distance of a point of the solid's frame, and the outward normal there.
    fn distance<S: Scalar>(&self, p: &Vector3<S>) -> (S, Vector3<S>) {
        match *self {
            Self::HalfSpace => (p.z, along(2, 1.0)),
            Self::Sphere(radius) => {
                let (length, outward) = polar(*p);
                (length - radius, outward)
            }
            // Material around a hole: distance to the wall, normal towards the axis.
            Self::HollowSphere(radius) => {
                let (length, outward) = polar(*p);
                (-length + radius, -outward)
            }
            Self::Bore(radius) => {
                let (length, outward) = polar_across(p);
                (-length + radius, -outward)
            }
            Self::Capsule(radius, half) => {
                // Nearest point of the segment: an end cap or the cylinder's side.
                let end = half.copysign(p.z.value());
                let (length, outward) = if p.z.value().abs() >= half {
                    polar(Vector3::new(p.x, p.y, p.z - end))
                } else {
                    polar_across(p)
                };
                (length - radius, outward)
            }
            Self::Cylinder(radius, half) => {
                let (length, outward) = polar_across(p);
                let sign = 1.0_f64.copysign(p.z.value());
                let excess = [length - radius, p.z * sign - half];
                beyond(excess, [outward, along(2, sign)])
            }
            Self::Cuboid(half) => {
                let sign = [0, 1, 2].map(|axis| 1.0_f64.copysign(p[axis].value()));
                beyond(
                    [0, 1, 2].map(|axis| p[axis] * sign[axis] - half[axis]),
                    [0, 1, 2].map(|axis| along(axis, sign[axis])),
                )
            }
        }
    }
}

/// Two unit vectors that form an orthonormal basis with n; it jumps only where n crosses the plane z = 0.
///
/// Source: T. Duff et al., Building an Orthonormal Basis, Revisited, J. Comput. Graph. Tech. 6 (2017) 1-8, listing 3.
pub(super) fn tangents<S: Scalar>(n: &Vector3<S>) -> [Vector3<S>; 2] {
    // Of both halves n.z ≥ 0 and n.z < 0 each has a formula without cancellation.
    let sign = if n.z.value() < 0.0 { -1.0 } else { 1.0 };
    let a = -(n.z + sign).recip();
    let b = n.x * n.y * a;
    [
        Vector3::new(n.x * n.x * a * sign + 1.0, b * sign, n.x * -sign),
        Vector3::new(b, n.y * n.y * a + sign, -n.y),
    ]
}

/// Inclination in rad below which a rim is level.
const LEVEL: f64 = 1e-6;
/// By how much a level rim is above the feet of its face, in radii times [`LEVEL`], so that it does not touch.
const RAISED: f64 = 0.1;

/// The lowest point of a circle of radius 1 about the origin, with its unit axis, for the unit normal `up` of a plane.
///
/// A circle that is level has none. So with s and c, sine and cosine of the inclination, its depth is not |s| but
/// H = (s² - a ε² c²) / D with D² = s² + ε² c² and a small ε, and the lowest point is -∇H by `up`, the point in which a
/// surface of this depth touches: it passes smoothly through the axis. H = 1 for an upright circle; other inclinations are
/// off by 0.6 ε² / s.
fn lowest<S: Scalar>(up: &Vector3<S>, axis: &Vector3<S>) -> Vector3<S> {
    let cosine = up.dot(axis);
    // By products, since up - c axis cancels where the sine is small.
    let perpendicular = up.cross(axis);
    let across = axis.cross(&perpendicular);
    let near = cosine * cosine * (LEVEL * LEVEL);
    let sine = perpendicular.dot(&perpendicular);
    let square = sine + near;
    let numerator = sine - near * RAISED;
    let cube = square * square.sqrt();
    let outward = (square * 2.0 - numerator) / cube;
    let along = cosine * (LEVEL * LEVEL) * (square * (2.0 * RAISED) + numerator) / cube;
    axis * along - across * outward
}

/// One unilateral constraint between a solid of one body and a ball or a rim of the other, or between polyhedra.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pair {
    /// A ball (a point where the radius is zero) around a point of the body frame, on a solid.
    Ball(Solid, Vector3<f64>, f64),
    /// A rim with centre, unit axis and radius in the body frame, on a half-space: its lowest point.
    Rim(Vector3<f64>, Vector3<f64>, f64),
    /// Convex polyhedra in the frames of the bodies.
    #[cfg(feature = "convex")]
    Convex(std::sync::Arc<super::convex::Hulls>),
}

impl Pair {
    /// Whether both bodies have faces, of which the nearest points alone are seen.
    pub fn is_of_faces(&self) -> bool {
        match self {
            Self::Ball(..) | Self::Rim(..) => false,
            #[cfg(feature = "convex")]
            Self::Convex(_) => true,
        }
    }

    /// How far the bodies go into each other until the gap opens on the far side.
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Ball(solid, _, radius) => solid.thickness() + radius,
            Self::Rim(..) => f64::INFINITY,
            #[cfg(feature = "convex")]
            Self::Convex(hulls) => hulls.0.iter().map(super::convex::Hull::thickness).sum(),
        }
    }

    /// Closest points, from the body with the solid to the other one.
    fn touch<S: Scalar>(&self, frame: &Marker, bodies: [&Kinematics<S>; 2]) -> Touch<S> {
        let side: Side<S> = frame.side(bodies[0], true);
        let (solid, centre, radius) = match self {
            Self::Ball(solid, centre, radius) => (*solid, bodies[1].point(centre), *radius),
            Self::Rim(centre, axis, radius) => {
                let up = side.axes.column(2).into_owned();
                let lowest = lowest(&up, &bodies[1].direction(axis)) * S::constant(*radius);
                let lowest = bodies[1].point(centre) + lowest;
                (Solid::HalfSpace, lowest, 0.0)
            }
            #[cfg(feature = "convex")]
            Self::Convex(hulls) => return hulls.touch(bodies),
        };
        // All distances are computed in the frame of the solid.
        let local = side.axes.tr_mul(&(centre - side.point()));
        let (distance, normal) = solid.distance(&local);
        let [first, second] = tangents(&normal).map(|tangent| side.axes * tangent);
        let normal = side.axes * normal;
        Touch {
            gap: distance - radius,
            normal,
            tangents: [first, second],
            // On the solid's surface, and on the ball's.
            points: [
                centre - normal * distance,
                centre - normal * S::constant(radius),
            ],
        }
    }
}

/// A unilateral constraint of an assembled mechanism.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    /// First and second body.
    pub bodies: [Option<usize>; 2],
    /// Whether the solid is on the second body.
    pub exchanged: bool,
    /// The solid's frame on its body.
    pub frame: Marker,
    pub pair: Pair,
}

impl Place {
    /// Closest points from the first body to the second.
    pub fn touch<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> Touch<S> {
        let [first, second] = bodies;
        if self.exchanged {
            self.pair.touch(&self.frame, [second, first]).exchanged()
        } else {
            self.pair.touch(&self.frame, [first, second])
        }
    }
}
