//! Every contact of the plane against differences, against the motion of material points, and against closed forms.

mod derivatives;
mod values;

use super::*;
use crate::plane::geometry::GeometryError;

/// Reproducible numbers in (-1, 1).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// An ellipse with half axes 1 and 0.5, counterclockwise.
#[derive(Clone, Copy)]
pub struct Ellipse;

impl PlaneCurve for Ellipse {
    fn point<S: Scalar>(&self, s: S) -> Vector2<S> {
        let (sine, cosine) = s.sin_cos();
        Vector2::new(cosine, sine * 0.5)
    }
    fn range(&self) -> (f64, f64) {
        (0.0, std::f64::consts::TAU)
    }
    fn is_closed(&self) -> bool {
        true
    }
}

impl ImplicitCurve for Ellipse {
    fn level<S: Scalar>(&self, point: Vector2<S>) -> S {
        point.x * point.x + point.y * point.y * 4.0 - 1.0
    }
}

impl Profile for Ellipse {
    /// The support function of the ellipse.
    fn length<S: Scalar>(&self, angle: S) -> S {
        let (sine, cosine) = angle.sin_cos();
        (cosine * cosine + sine * sine * 0.25).sqrt()
    }
}

/// A hilly floor with the material below.
#[derive(Clone, Copy)]
pub struct Hills;

impl PlaneCurve for Hills {
    fn point<S: Scalar>(&self, s: S) -> Vector2<S> {
        Vector2::new(-s, (s * 1.5).sin() * 0.1)
    }
    fn range(&self) -> (f64, f64) {
        (-3.0, 3.0)
    }
    fn is_closed(&self) -> bool {
        false
    }
}

/// An eccentric cam with a lobe.
#[derive(Clone, Copy)]
pub struct Lobe;

impl Profile for Lobe {
    fn length<S: Scalar>(&self, angle: S) -> S {
        angle.cos() * 0.2 + (angle * 2.0).sin() * 0.05 + 1.0
    }
}

/// What the tests do with a contact of any type.
pub trait Visitor {
    /// A contact that is a true distance, or whose gap only agrees with one at contact.
    fn visit(&mut self, name: &str, contact: &impl PlaneContact, distance: bool);
}

/// Shows every contact to a visitor.
pub fn every_contact(visitor: &mut impl Visitor) -> Result<(), GeometryError> {
    let floor = HalfPlane::new([0.1, -0.2], [0.5, 2.0])?;
    visitor.visit("point", &DiscOnLine::point(floor, [0.3, 0.4])?, true);
    visitor.visit("disc", &DiscOnLine::new(floor, [0.3, 0.4], 0.2)?, true);
    for wall in pin_in_slot([0.1, 0.2], [1.0, 0.4], 0.5, [0.3, 0.1], 0.2)? {
        visitor.visit("slot", &wall, true);
    }
    for corner in box_on_line(floor, [0.1, 0.0], [0.3, 0.2])? {
        visitor.visit("box", &corner, true);
    }
    let centres = [[0.1, 0.2], [-0.3, 0.1]];
    visitor.visit("discs", &DiscOnDisc::new(centres, [0.3, 0.4])?, true);
    visitor.visit("journal", &DiscInCircle::new(centres, [1.0, 0.9])?, true);
    visitor.visit(
        "ellipse",
        &DiscOnCurve::new(Ellipse, [0.1, 0.2], 0.1)?,
        true,
    );
    visitor.visit("hills", &DiscOnCurve::point(Hills, [0.2, 0.1])?, true);
    let polar = DiscOnCurve::new(PolarCurve(Lobe), [0.1, 0.2], 0.3)?;
    visitor.visit("roller", &polar, true);
    let support = DiscOnCurve::new(SupportCurve(Lobe), [0.1, 0.2], 0.3)?;
    visitor.visit("support", &support, true);
    visitor.visit(
        "flat",
        &FlatOnProfile::new(Lobe, [0.1, 0.3], [0.2, -1.0])?,
        true,
    );
    let implicit = PointOnImplicitCurve::new(Ellipse, [0.1, 0.2])?;
    visitor.visit("implicit", &implicit, false);
    let cam = ArcCam::new(0.4, 0.85, 0.15, 0.553, 0.2)?;
    visitor.visit("arcs", &DiscOnArcCam::new(cam, [0.1, 0.2], 0.1)?, true);
    let teeth = Wedges::new([0.5, 0.1], [[1.0, -0.5], [-0.1, 1.0]], 3, 0.0)?;
    visitor.visit("teeth", &DiscOnWedges::new(teeth, [0.1, 0.2], 0.1)?, true);
    let exchanged = Exchanged(DiscOnDisc::new(centres, [0.3, 0.4])?);
    visitor.visit("exchanged", &exchanged, true);
    Ok(())
}

/// Two bodies with random coordinates and velocities, about 2 m apart so that the shapes lie outside of each other.
pub fn random_pair(random: &mut Random) -> ([f64; 6], [f64; 6]) {
    let mut q = std::array::from_fn(|_| 0.3 * random.number());
    q[4] += 2.0;
    q[2] *= 3.0;
    q[5] *= 3.0;
    (q, std::array::from_fn(|_| random.number()))
}

/// Both bodies read from coordinates.
pub fn bodies<S: Scalar>(q: &[S], v: &[S]) -> [PlaneBody<S>; 2] {
    PlaneBody::pair([Some(0), Some(1)], q, v)
}
