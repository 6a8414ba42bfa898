//! Pairs of shapes that may touch.

use crate::drawing::{Figure, LinkKind};
use crate::plane::geometry::{
    AngularStop, DiscInCircle, DiscOnArcCam, DiscOnDisc, DiscOnLine, DiscOnWedges, PlaneBody,
    PlaneContact, Rope,
};
use liedae::scalar::Scalar;
use liedae_contact::Contact;
use nalgebra::Vector2;

/// The gap and the sliding velocity of two bodies; implement it for shapes of your own.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::scalar::Scalar;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
/// use liedae_multibody::plane::geometry::PlaneBody;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlanePair};
///
/// /// A table that rises with 0.2 m/s under the centre of body B.
/// struct Lift;
///
/// impl PlanePair for Lift {
///     fn gap<S: Scalar>(&self, t: S, [_, load]: &[PlaneBody<S>; 2]) -> S {
///         load.position.y - t * 0.2
///     }
///     fn sliding_velocity<S: Scalar>(&self, _t: S, [_, load]: &[PlaneBody<S>; 2]) -> S {
///         load.velocity.x
///     }
/// }
///
/// let load = PlaneBodyData::point_mass("load", 3.0, [0.0, 0.0], [0.0, 0.2]);
/// let mechanism = PlaneMechanism::new(vec![load], [0.0, -9.81])?
///     .with_contact(Contact::new("table", 0.0), [None, Some(0)], Lift)?;
/// let mut system = NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default())?;
/// let end = solve(&mut system, &Radau5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?.state;
/// assert!((end.q[1] - 0.4).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PlanePair {
    /// The gap, see [`PlaneContact::gap`].
    fn gap<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> S;

    /// The gap from the ground, where that is body A: the same number, for which some pairs have less to do.
    #[inline]
    fn gap_from_ground<S: Scalar>(&self, t: S, body: PlaneBody<S>) -> S {
        self.gap(t, &[PlaneBody::ground(), body])
    }

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

    /// Whether directions of bodies A and B are asked for, see [`PlaneContact::needs_directions`].
    fn needs_directions(&self) -> [bool; 2] {
        [true; 2]
    }

    /// How far the bodies go into each other, in m, until the gap opens on the far side; infinity where one has none.
    fn thickness(&self) -> f64 {
        f64::INFINITY
    }

    /// How many functions tell where the nearest feature changes.
    fn junctions(&self) -> usize {
        0
    }

    /// These functions, see [`PlaneContact::junction_values`].
    fn junction_values(&self, _bodies: &[PlaneBody; 2], _out: &mut [f64]) {}

    /// What the shapes of bodies A and B look like, in their frames; nothing is drawn of them unless this is stated. A
    /// [`Figure::Dot`] is a point by which the body touches.
    fn figures(&self) -> [Vec<Figure>; 2] {
        [Vec::new(), Vec::new()]
    }

    /// What is stretched between a point of body A and one of body B, in their frames, where the pair is no contact of surfaces.
    fn link(&self) -> Option<(LinkKind, [[f64; 2]; 2])> {
        None
    }

    /// The point in the fixed frame at which the force on body B is drawn; `None` is some point of its line of action.
    fn contact_point(&self, _bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        None
    }
}

impl<C: PlaneContact> PlanePair for C {
    #[inline]
    fn gap<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        PlaneContact::gap(self, bodies)
    }

    #[inline]
    fn gap_from_ground<S: Scalar>(&self, _t: S, body: PlaneBody<S>) -> S {
        PlaneContact::gap_from_ground(self, body)
    }

    fn sliding_velocity<S: Scalar>(&self, _t: S, bodies: &[PlaneBody<S>; 2]) -> S {
        PlaneContact::sliding_velocity(self, bodies)
    }

    fn is_driven(&self) -> bool {
        false
    }

    fn needs_directions(&self) -> [bool; 2] {
        PlaneContact::needs_directions(self)
    }

    fn thickness(&self) -> f64 {
        PlaneContact::thickness(self)
    }

    fn junctions(&self) -> usize {
        PlaneContact::junctions(self)
    }

    fn junction_values(&self, bodies: &[PlaneBody; 2], out: &mut [f64]) {
        PlaneContact::junction_values(self, bodies, out);
    }

    fn figures(&self) -> [Vec<Figure>; 2] {
        PlaneContact::figures(self)
    }

    fn contact_point(&self, bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        Some(self.touch(bodies).points[1])
    }
}

/// The pairs of shapes that most mechanisms need.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
/// use liedae_multibody::plane::geometry::Rope;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlanePairing};
///
/// // A bob starts to fall 1.5 m below its hook; the rope of 2 m becomes taut after half a metre.
/// let bob = PlaneBodyData::point_mass("bob", 1.0, [0.0, -1.5], [0.0, 0.0]);
/// let rope = PlanePairing::Rope(Rope::new([[0.0, 0.0], [0.0, 0.0]], 2.0)?);
/// let mechanism = PlaneMechanism::new(vec![bob], [0.0, -10.0])?
///     .with_contact(Contact::new("rope", 0.0), [None, Some(0)], rope)?;
/// let mut system = NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(1.0, 1e-8, 1e-8))?;
/// let jerk = &solution.events[0];
/// assert_eq!(jerk.kind, "impact");
/// assert!((jerk.t - (2.0 * 0.5 / 10.0_f64).sqrt()).abs() < 1e-8 && (solution.state.q[1] + 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

impl PlanePairing {
    /// The gap of any pair from the ground, out of the way of those with little to do.
    #[inline(never)]
    fn gap_of_any_from_ground<S: Scalar>(&self, t: S, body: PlaneBody<S>) -> S {
        match self {
            Self::DiscOnLine(pair) => PlanePair::gap_from_ground(pair, t, body),
            Self::DiscOnDisc(pair) => PlanePair::gap_from_ground(pair, t, body),
            Self::DiscInCircle(pair) => PlanePair::gap_from_ground(pair, t, body),
            Self::DiscOnArcCam(pair) => PlanePair::gap_from_ground(pair, t, body),
            Self::DiscOnWedges(pair) => PlanePair::gap_from_ground(pair, t, body),
            Self::Rope(rope) => rope.gap(&[PlaneBody::ground(), body]),
            Self::AngularStop(stop) => stop.gap(&[PlaneBody::ground(), body]),
        }
    }
}

impl PlanePair for PlanePairing {
    #[inline]
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

    #[inline]
    fn gap_from_ground<S: Scalar>(&self, t: S, body: PlaneBody<S>) -> S {
        match self {
            Self::DiscOnLine(pair) => PlanePair::gap_from_ground(pair, t, body),
            _ => self.gap_of_any_from_ground(t, body),
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

    fn needs_directions(&self) -> [bool; 2] {
        match self {
            Self::DiscOnLine(pair) => PlanePair::needs_directions(pair),
            Self::DiscOnDisc(pair) => PlanePair::needs_directions(pair),
            Self::DiscInCircle(pair) => PlanePair::needs_directions(pair),
            Self::DiscOnArcCam(pair) => PlanePair::needs_directions(pair),
            Self::DiscOnWedges(pair) => PlanePair::needs_directions(pair),
            Self::Rope(rope) => rope.ends().map(|end| end != [0.0; 2]),
            // An angle is no direction.
            Self::AngularStop(_) => [false; 2],
        }
    }

    fn thickness(&self) -> f64 {
        match self {
            Self::DiscOnDisc(pair) => PlanePair::thickness(pair),
            _ => f64::INFINITY,
        }
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

    fn figures(&self) -> [Vec<Figure>; 2] {
        match self {
            Self::DiscOnLine(pair) => PlanePair::figures(pair),
            Self::DiscOnDisc(pair) => PlanePair::figures(pair),
            Self::DiscInCircle(pair) => PlanePair::figures(pair),
            Self::DiscOnArcCam(pair) => PlanePair::figures(pair),
            Self::DiscOnWedges(pair) => PlanePair::figures(pair),
            Self::Rope(_) | Self::AngularStop(_) => [Vec::new(), Vec::new()],
        }
    }

    fn link(&self) -> Option<(LinkKind, [[f64; 2]; 2])> {
        match self {
            Self::Rope(rope) => Some((LinkKind::Rope(rope.length()), rope.ends())),
            _ => None,
        }
    }

    fn contact_point(&self, bodies: &[PlaneBody; 2]) -> Option<Vector2<f64>> {
        match self {
            Self::DiscOnLine(pair) => PlanePair::contact_point(pair, bodies),
            Self::DiscOnDisc(pair) => PlanePair::contact_point(pair, bodies),
            Self::DiscInCircle(pair) => PlanePair::contact_point(pair, bodies),
            Self::DiscOnArcCam(pair) => PlanePair::contact_point(pair, bodies),
            Self::DiscOnWedges(pair) => PlanePair::contact_point(pair, bodies),
            Self::Rope(rope) => Some(bodies[1].point(rope.ends()[1])),
            Self::AngularStop(_) => None,
        }
    }
}

/// A contact of a mechanism: its law, bodies A and B, and their shapes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MechanismContact<C> {
    pub law: Contact,
    pub bodies: [Option<usize>; 2],
    pub pair: C,
    /// Whether the pair asks for directions of bodies A and B.
    directions: [bool; 2],
}

impl<C: PlanePair> MechanismContact<C> {
    /// A contact of bodies A and B.
    pub fn new(law: Contact, bodies: [Option<usize>; 2], pair: C) -> Self {
        let directions = pair.needs_directions();
        Self {
            law,
            bodies,
            pair,
            directions,
        }
    }

    /// The gap at a configuration.
    #[inline]
    pub fn gap<S: Scalar>(&self, t: S, q: &[S]) -> S {
        match (self.bodies, self.directions) {
            // Nothing but a point of the body is asked for.
            ([None, body], [_, false]) => {
                let body = PlaneBody::read_wanted(false, body, q, &[]);
                self.pair.gap_from_ground(t, body)
            }
            _ => self.gap_with_directions(t, q),
        }
    }

    /// The same where sines and cosines are, which need registers of their own.
    #[inline(never)]
    fn gap_with_directions<S: Scalar>(&self, t: S, q: &[S]) -> S {
        let bodies = self.bodies_at(q, &[]);
        match self.bodies[0] {
            None => self.pair.gap_from_ground(t, bodies[1]),
            Some(_) => self.pair.gap(t, &bodies),
        }
    }

    /// Where bodies A and B are, as far as the pair asks for it.
    #[inline(always)]
    pub fn bodies_at<S: Scalar>(&self, q: &[S], v: &[S]) -> [PlaneBody<S>; 2] {
        PlaneBody::pair_with_directions(self.directions, self.bodies, q, v)
    }
}
