//! A round pin on convex teeth.

use liedae::scalar::Scalar;
use liedae_multibody::drawing::Figure;
use liedae_multibody::plane::PlanePair;
use liedae_multibody::plane::geometry::{AngularStop, PlaneBody};
use nalgebra::Vector2;
use std::f64::consts::TAU;

/// Two edges and the tip between them or more: a convex line with the solid on the left of its direction.
pub(super) type Profile = [[f64; 2]; 4];

/// A pin of body B on equal teeth around the centre of body A: the distance to the nearest tooth less the pin's radius.
///
/// Along an edge it is that of the edge's line, at a corner that of the corner, and therefore has a continuous gradient.
/// Between two teeth it has a kink, where the pin touches neither.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PinOnTeeth {
    /// The tooth that begins at the polar angle zero of body A.
    pub profile: Profile,
    pub teeth: usize,
    /// Centre of the pin in the frame of body B.
    pub pin: [f64; 2],
    pub radius: f64,
}

/// The part of a profile that is nearest: an edge by its first corner, or a corner.
#[derive(Clone, Copy)]
enum Part {
    Edge(usize),
    Corner(usize),
}

impl PinOnTeeth {
    fn distance<S: Scalar>(&self, point: &Vector2<S>, part: Part) -> S {
        let corner = |index: usize| Vector2::from(self.profile[index]);
        match part {
            Part::Edge(index) => {
                let along = (corner(index + 1) - corner(index)).normalize();
                let outward = Vector2::new(along.y, -along.x).map(S::constant);
                outward.dot(&(point - corner(index).map(S::constant)))
            }
            Part::Corner(index) => {
                let away = point - corner(index).map(S::constant);
                away.x.hypot(away.y)
            }
        }
    }

    /// The nearest part and its distance.
    fn nearest(&self, point: &Vector2<f64>) -> (Part, f64) {
        let mut best = (Part::Corner(0), f64::INFINITY);
        let corner = |index: usize| Vector2::from(self.profile[index]);
        for index in 0..self.profile.len() {
            let mut edge = None;
            if index + 1 < self.profile.len() {
                let along = corner(index + 1) - corner(index);
                let share = along.dot(&(point - corner(index))) / along.norm_squared();
                edge = (0.0..=1.0).contains(&share).then_some(Part::Edge(index));
            }
            for part in [Some(Part::Corner(index)), edge].into_iter().flatten() {
                let distance = self.distance(point, part);
                if distance.abs() < best.1.abs() {
                    best = (part, distance);
                }
            }
        }
        best
    }
}

impl PlanePair for PinOnTeeth {
    fn gap<S: Scalar>(&self, _t: S, [a, b]: &[PlaneBody<S>; 2]) -> S {
        let point = a.local_point(&b.point(self.pin));
        let pitch = TAU / self.teeth as f64;
        let here = point.map(Scalar::value);
        let first = (here.y.atan2(here.x) / pitch).floor();
        let turned = |tooth: f64| {
            let (sine, cosine) = (tooth * pitch).sin_cos();
            Vector2::new(
                point.x * cosine + point.y * sine,
                point.y * cosine - point.x * sine,
            )
        };
        let (mut tooth, mut best) = (first, (Part::Corner(0), f64::INFINITY));
        for candidate in [first, first + 1.0].into_iter().take(self.teeth) {
            let found = self.nearest(&turned(candidate).map(Scalar::value));
            if found.1 < best.1 {
                (tooth, best) = (candidate, found);
            }
        }
        self.distance(&turned(tooth), best.0) - self.radius
    }

    fn sliding_velocity<S: Scalar>(&self, _t: S, _bodies: &[PlaneBody<S>; 2]) -> S {
        S::constant(0.0)
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        let tooth = |index: usize| {
            let (sine, cosine) = (TAU * index as f64 / self.teeth as f64).sin_cos();
            let corners = self
                .profile
                .map(|[x, y]| [cosine * x - sine * y, sine * x + cosine * y, 0.0]);
            Figure::Polygon(corners.into())
        };
        let [x, y] = self.pin;
        let pin = Figure::Disc {
            centre: [x, y, 0.0],
            radius: self.radius,
        };
        [(0..self.teeth).map(tooth).collect(), vec![pin]]
    }

    fn contact_point(&self, bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        Some(bodies[1].point(self.pin))
    }
}

/// The contacts of an escapement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EscapementPair {
    Teeth(PinOnTeeth),
    Stop(AngularStop),
}

impl PlanePair for EscapementPair {
    fn gap<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        match self {
            Self::Teeth(teeth) => teeth.gap(t, bodies),
            Self::Stop(stop) => stop.gap(bodies),
        }
    }

    fn sliding_velocity<S: Scalar>(&self, _t: S, _bodies: &[PlaneBody<S>; 2]) -> S {
        S::constant(0.0)
    }

    fn is_angular(&self) -> bool {
        matches!(self, Self::Stop(_))
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        match self {
            Self::Teeth(teeth) => teeth.figures(),
            Self::Stop(_) => [Vec::new(), Vec::new()],
        }
    }

    fn contact_point(&self, bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        match self {
            Self::Teeth(teeth) => teeth.contact_point(bodies),
            Self::Stop(_) => None,
        }
    }
}
