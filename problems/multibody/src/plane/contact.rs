//! Pairs of shapes that may touch.

use crate::plane::geometry::{
    AngularStop, DiscInCircle, DiscOnArcCam, DiscOnDisc, DiscOnLine, DiscOnWedges, PlaneBody,
    PlaneContact, Rope,
};
use liedae::scalar::Scalar;
use liedae_contact::Contact;

/// The gap and the sliding velocity of two bodies; implement it for shapes of your own.
pub trait PlanePair {
    /// The gap, see [`PlaneContact::gap`].
    fn gap<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S;

    /// The sliding velocity, see [`PlaneContact::sliding_velocity`]; 0 of limits without surfaces.
    fn sliding_velocity<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S;

    /// Whether the gap is an angle in rad.
    fn is_angular(&self) -> bool {
        false
    }

    /// Whether gap or sliding velocity depend on t other than by the bodies: a surface that moves as prescribed.
    fn is_driven(&self) -> bool {
        true
    }

    /// How many functions tell where the nearest feature changes.
    fn junctions(&self) -> usize {
        0
    }

    /// These functions, see [`PlaneContact::junction_values`].
    fn junction_values(&self, _bodies: &[PlaneBody; 2], _out: &mut [f64]) {}
}

impl<C: PlaneContact> PlanePair for C {
    fn gap<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        PlaneContact::gap(self, bodies)
    }

    fn sliding_velocity<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        PlaneContact::sliding_velocity(self, bodies)
    }

    fn is_driven(&self) -> bool {
        false
    }

    fn junctions(&self) -> usize {
        PlaneContact::junctions(self)
    }

    fn junction_values(&self, bodies: &[PlaneBody; 2], out: &mut [f64]) {
        PlaneContact::junction_values(self, bodies, out);
    }
}

/// The pairs of shapes that most mechanisms need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanePairing {
    /// A disc or a point of body B on an edge of body A.
    DiscOnLine(DiscOnLine),
    /// Two discs.
    DiscOnDisc(DiscOnDisc),
    /// A journal of body B in a bearing of body A.
    DiscInCircle(DiscInCircle),
    /// A disc or a point of body B on a cam of body A.
    DiscOnArcCam(DiscOnArcCam),
    /// A disc or a point of body B on teeth or the mouth of a slot of body A.
    DiscOnWedges(DiscOnWedges),
    /// A rope between points of the bodies.
    Rope(Rope),
    /// A stop of the angle between them.
    AngularStop(AngularStop),
}

impl PlanePair for PlanePairing {
    fn gap<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        match self {
            Self::DiscOnLine(pair) => PlanePair::gap(pair, t, bodies),
            Self::DiscOnDisc(pair) => PlanePair::gap(pair, t, bodies),
            Self::DiscInCircle(pair) => PlanePair::gap(pair, t, bodies),
            Self::DiscOnArcCam(pair) => PlanePair::gap(pair, t, bodies),
            Self::DiscOnWedges(pair) => PlanePair::gap(pair, t, bodies),
            Self::Rope(rope) => rope.gap(bodies),
            Self::AngularStop(stop) => stop.gap(bodies),
        }
    }

    fn sliding_velocity<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        match self {
            Self::DiscOnLine(pair) => PlanePair::sliding_velocity(pair, t, bodies),
            Self::DiscOnDisc(pair) => PlanePair::sliding_velocity(pair, t, bodies),
            Self::DiscInCircle(pair) => PlanePair::sliding_velocity(pair, t, bodies),
            Self::DiscOnArcCam(pair) => PlanePair::sliding_velocity(pair, t, bodies),
            Self::DiscOnWedges(pair) => PlanePair::sliding_velocity(pair, t, bodies),
            Self::Rope(_) | Self::AngularStop(_) => S::constant(0.0),
        }
    }

    fn is_angular(&self) -> bool {
        matches!(self, Self::AngularStop(_))
    }

    fn is_driven(&self) -> bool {
        false
    }

    fn junctions(&self) -> usize {
        match self {
            Self::DiscOnArcCam(pair) => PlanePair::junctions(pair),
            Self::DiscOnWedges(pair) => PlanePair::junctions(pair),
            _ => 0,
        }
    }

    fn junction_values(&self, bodies: &[PlaneBody; 2], out: &mut [f64]) {
        match self {
            Self::DiscOnArcCam(pair) => PlanePair::junction_values(pair, bodies, out),
            Self::DiscOnWedges(pair) => PlanePair::junction_values(pair, bodies, out),
            _ => {}
        }
    }
}

/// A contact of a mechanism: its law, bodies A and B, and their shapes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MechanismContact<C> {
    pub law: Contact,
    pub bodies: [Option<usize>; 2],
    pub pair: C,
}
