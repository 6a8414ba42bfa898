//! Drawings of mechanisms: figures fixed to moving frames, and the poses of the frames in a state.
//!
//! ```text
//! Drawing   frames (names)  parts: a figure fixed to a frame or to the world   links: springs, rods, ropes between points
//!    |
//!    |  place(state)                  touches(state)
//!    v                                v
//! Pose of every frame              where a contact's force acts, and in which direction
//! ```
//!
//! A drawing is data and two functions of a state. It holds no system and does not influence a run: steps are the same to the
//! last bit with and without a drawing. Colours, projections and files belong to the programs that show it, such as `liedae run
//! --animate`, by [`Drawing::parts`] and [`Drawing::place`].
//!
//! Mechanisms draw themselves ([`Drawn`]): bodies by the shapes of their contacts, and by their joints where they have none. Points
//! are in metres, in the frame of a body from its centre of mass; plane figures lie in z = 0. A model of one's own states its
//! drawing in a few lines:
//!
//! ```
//! use liedae::system::State;
//! use liedae_multibody::drawing::{Drawing, Pose};
//!
//! // A pendulum of 1 m in the angle q[0] from the vertical.
//! let drawing = Drawing::plane(["bob"], |state, poses| {
//!     let (sine, cosine) = state.q[0].sin_cos();
//!     poses[0] = Pose::plane([sine, -cosine], state.q[0]);
//! })
//! .disc(Some(0), [0.0, 0.0], 0.05)
//! .rod((None, [0.0, 0.0]), (Some(0), [0.0, 0.0]))
//! .joint(None, [0.0, 0.0]);
//!
//! let mut state = State::new(&liedae::manifold::Manifold::euclidean(1), 0, 0, 0);
//! state.q[0] = std::f64::consts::FRAC_PI_2;
//! let [bob] = drawing.place(&state)[..] else { panic!("one frame") };
//! assert!((bob.point([0.0, 0.0])[0] - 1.0).abs() < 1e-15);
//! ```

mod figure;
mod flexible;
pub(crate) mod hull;
mod pose;
mod space;

pub use figure::{At, Figure, Kind, Link, LinkKind, Part};
pub use pose::Pose;

use liedae::system::State;
use std::fmt;
use std::sync::Arc;

/// Whoever can be drawn.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::system::State;
/// use liedae_multibody::drawing::{Anchor, Drawing, Drawn, Pose};
///
/// /// A bob on a spring in the ceiling.
/// struct Bob;
///
/// impl Drawn for Bob {
///     fn drawing(&self) -> Drawing {
///         let (ceiling, bob): (Anchor<[f64; 2]>, Anchor<[f64; 2]>) = ((None, [0.0, 1.0]), (Some(0), [0.0, 0.1]));
///         Drawing::plane(["bob"], |state, poses| poses[0] = Pose::at([0.0, state.q[0], 0.0]))
///             .disc(Some(0), [0.0, 0.0], 0.1)
///             .spring(ceiling, bob)
///     }
/// }
///
/// let mut state = State::new(&Manifold::euclidean(1), 0, 0, 0);
/// state.q[0] = -0.5;
/// let drawing = Bob.drawing();
/// let (frame, end) = drawing.links()[0].ends[1];
/// assert_eq!(drawing.place(&state)[frame.expect("the bob")].point(end), [0.0, -0.4, 0.0]);
/// ```
pub trait Drawn {
    /// Its drawing.
    fn drawing(&self) -> Drawing;
}

/// A point fixed to a frame, or to the world where there is no frame.
pub type Anchor<P = At> = (Option<usize>, P);

/// Where a contact's force acts.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::drawing::{Drawn, Touching};
/// use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Surface, SurfaceContact};
///
/// // A ball of radius 0.1 m lies on the floor.
/// let mut mechanism = MultibodyBuilder::new();
/// let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [4e-3; 3]).at([2.0, 0.0, 0.1]));
/// let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
/// mechanism.add_contact(SurfaceContact::new("floor", floor, Surface::sphere(ball, [0.0; 3], 0.1)));
/// let system = mechanism.build()?;
/// let Touching { label, point, normal, .. } = system.drawing().touches(&system.initial_state()).remove(0);
/// assert_eq!((label.as_str(), point, normal), ("floor", [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Touching {
    /// The contact's label; its force is the output `<label>.force` in N.
    pub label: String,
    /// A point of the second body, world frame.
    pub point: [f64; 3],
    /// The direction in which a positive force pushes the second body, world frame.
    pub normal: [f64; 3],
    /// The direction of a positive output `<label>.friction` on the second body.
    pub tangent: [f64; 3],
}

/// Parts among which one that is there already is looked for.
const RECENT: usize = 100;

type Place = dyn Fn(&State, &mut [Pose]) + Send + Sync;
type Touches = dyn Fn(&State) -> Vec<Touching> + Send + Sync;

/// What a mechanism looks like, see the [module](self).
#[derive(Clone)]
pub struct Drawing {
    frames: Vec<String>,
    parts: Vec<Part>,
    links: Vec<Link>,
    plane: bool,
    up: [f64; 3],
    followed: Option<usize>,
    place: Arc<Place>,
    touches: Arc<Touches>,
}

impl fmt::Debug for Drawing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Drawing")
            .field("frames", &self.frames)
            .field("parts", &self.parts)
            .field("links", &self.links)
            .finish_non_exhaustive()
    }
}

impl Drawing {
    /// An empty drawing in the plane z = 0 with these frames, whose poses `place` writes; y is up.
    pub fn plane<N: Into<String>>(
        frames: impl IntoIterator<Item = N>,
        place: impl Fn(&State, &mut [Pose]) + Send + Sync + 'static,
    ) -> Self {
        Self {
            frames: frames.into_iter().map(Into::into).collect(),
            parts: Vec::new(),
            links: Vec::new(),
            plane: true,
            up: [0.0, 1.0, 0.0],
            followed: None,
            place: Arc::new(place),
            touches: Arc::new(|_| Vec::new()),
        }
    }

    /// An empty drawing in space with these frames, whose poses `place` writes; z is up.
    pub fn space<N: Into<String>>(
        frames: impl IntoIterator<Item = N>,
        place: impl Fn(&State, &mut [Pose]) + Send + Sync + 'static,
    ) -> Self {
        Self {
            plane: false,
            up: [0.0, 0.0, 1.0],
            ..Self::plane(frames, place)
        }
    }

    /// The same with another direction upwards, of any length above zero.
    pub fn with_up(mut self, up: impl Into<At>) -> Self {
        let up = up.into().0;
        let length = up.iter().map(|part| part * part).sum::<f64>().sqrt();
        if length > 0.0 && length.is_finite() {
            self.up = up.map(|part| part / length);
        }
        self
    }

    /// The same for what travels many times its own size: pictures go along with this frame, but not up and down.
    pub fn following(self, frame: Option<usize>) -> Self {
        Self {
            followed: frame,
            ..self
        }
    }

    /// The same with frames placed by another function, where the coordinates of the same mechanism are others.
    pub fn placed_by(self, place: impl Fn(&State, &mut [Pose]) + Send + Sync + 'static) -> Self {
        Self {
            place: Arc::new(place),
            ..self
        }
    }

    /// The same with the places of contact forces.
    pub fn with_touches(
        self,
        touches: impl Fn(&State) -> Vec<Touching> + Send + Sync + 'static,
    ) -> Self {
        Self {
            touches: Arc::new(touches),
            ..self
        }
    }

    /// Names of the frames.
    pub fn frames(&self) -> &[String] {
        &self.frames
    }

    /// Figures, those in front last.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A link between points.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Whether everything lies in the plane z = 0.
    pub fn is_plane(&self) -> bool {
        self.plane
    }

    /// The unit direction upwards.
    pub fn up(&self) -> [f64; 3] {
        self.up
    }

    /// The frame that pictures go along with.
    pub fn followed(&self) -> Option<usize> {
        self.followed
    }

    /// The poses of all frames in a state.
    pub fn place(&self, state: &State) -> Vec<Pose> {
        let mut poses = vec![Pose::default(); self.frames.len()];
        (self.place)(state, &mut poses);
        poses
    }

    /// Where contact forces act in a state.
    pub fn touches(&self, state: &State) -> Vec<Touching> {
        (self.touches)(state)
    }

    /// Adds a figure.
    pub fn with(mut self, frame: Option<usize>, kind: Kind, figure: Figure) -> Self {
        self.add(frame, kind, figure);
        self
    }

    pub(crate) fn add(&mut self, frame: Option<usize>, kind: Kind, figure: Figure) {
        let part = Part {
            frame,
            kind,
            figure,
        };
        // What a body's contacts repeat follows closely; a search through all parts would cost the square of their number.
        if !self
            .parts
            .iter()
            .rev()
            .take(RECENT)
            .any(|known| *known == part)
        {
            self.parts.push(part);
        }
    }

    /// Takes surfaces without thickness away: those of a frame, or of the world.
    pub fn without_surfaces(mut self, frame: Option<usize>) -> Self {
        self.parts
            .retain(|part| part.frame != frame || part.kind != Kind::Surface);
        self
    }

    /// Shows this half length of surfaces that would reach through the whole picture.
    pub fn with_surfaces_of(mut self, half: f64) -> Self {
        for part in &mut self.parts {
            if let Figure::Edge { half_length, .. } = &mut part.figure {
                half_length.get_or_insert(half);
            }
        }
        self
    }

    /// Takes the figures of a body away, to draw it otherwise.
    pub fn without_body(mut self, frame: usize) -> Self {
        self.parts
            .retain(|part| part.frame != Some(frame) || part.kind != Kind::Body);
        self
    }

    /// A bar.
    pub fn bar(self, frame: Option<usize>, from: impl Into<At>, to: impl Into<At>) -> Self {
        let points = vec![from.into().0, to.into().0];
        self.with(frame, Kind::Body, Figure::Line(points))
    }

    /// A plate with these corners, in the plane or in space.
    pub fn polygon<P: Into<At>>(
        self,
        frame: Option<usize>,
        corners: impl IntoIterator<Item = P>,
    ) -> Self {
        let corners = corners.into_iter().map(|corner| corner.into().0).collect();
        self.with(frame, Kind::Body, Figure::Polygon(corners))
    }

    /// A body of the plane by some of its points: a bar where they lie on a line, a plate around them otherwise.
    pub fn body(self, frame: Option<usize>, points: &[[f64; 2]]) -> Self {
        match hull::plate(points).as_slice() {
            [] => self,
            [point] => self.with(frame, Kind::Body, Figure::Dot(At::from(*point).0)),
            [from, to] => self.bar(frame, *from, *to),
            corners => self.polygon(frame, corners.iter().copied()),
        }
    }

    /// A rectangle with half its sides along x and y.
    pub fn rectangle(self, frame: Option<usize>, centre: [f64; 2], [x, y]: [f64; 2]) -> Self {
        let corners = [[-x, -y], [x, -y], [x, y], [-x, y]];
        let corners = corners.map(|corner| [centre[0] + corner[0], centre[1] + corner[1]]);
        self.polygon(frame, corners)
    }

    /// A disc in the plane, a ball in space.
    pub fn disc(self, frame: Option<usize>, centre: impl Into<At>, radius: f64) -> Self {
        let centre = centre.into().0;
        self.with(frame, Kind::Body, Figure::Disc { centre, radius })
    }

    /// A box in space with half its sides along the axes.
    pub fn cuboid(self, frame: Option<usize>, centre: impl Into<At>, half: [f64; 3]) -> Self {
        let centre = centre.into().0;
        self.with(frame, Kind::Body, hull::cuboid(centre, half))
    }

    /// A solid cylinder in space around the line between two points.
    pub fn cylinder(
        self,
        frame: Option<usize>,
        from: impl Into<At>,
        to: impl Into<At>,
        radius: f64,
    ) -> Self {
        let figure = hull::cylinder([from.into().0, to.into().0], radius);
        self.with(frame, Kind::Body, figure)
    }

    /// A thin ring in space around a direction.
    pub fn hoop(
        self,
        frame: Option<usize>,
        centre: impl Into<At>,
        axis: impl Into<At>,
        radius: f64,
    ) -> Self {
        let figure = hull::circle(centre.into().0, axis.into().0.into(), radius);
        self.with(frame, Kind::Body, figure)
    }

    /// A joint at a point.
    pub fn joint(self, frame: Option<usize>, point: impl Into<At>) -> Self {
        let point = point.into().0;
        self.with(frame, Kind::Joint, Figure::Dot(point))
    }

    /// A surface without ends through a point, with its outward normal: a floor, a wall.
    pub fn surface(
        self,
        frame: Option<usize>,
        point: impl Into<At>,
        normal: impl Into<At>,
    ) -> Self {
        let (point, normal) = (point.into().0, normal.into().0);
        let half_length = None;
        self.with(
            frame,
            Kind::Surface,
            Figure::Edge {
                point,
                normal,
                half_length,
            },
        )
    }

    /// A line along which something slides.
    pub fn guide(
        self,
        frame: Option<usize>,
        point: impl Into<At>,
        direction: impl Into<At>,
    ) -> Self {
        let (point, direction) = (point.into().0, direction.into().0);
        let half_length = None;
        self.with(
            frame,
            Kind::Guide,
            Figure::Guide {
                point,
                direction,
                half_length,
            },
        )
    }

    /// A spring, a damper, an actuator.
    pub fn spring(self, from: Anchor<impl Into<At>>, to: Anchor<impl Into<At>>) -> Self {
        self.link(LinkKind::Spring, from, to)
    }

    /// A rod without mass.
    pub fn rod(self, from: Anchor<impl Into<At>>, to: Anchor<impl Into<At>>) -> Self {
        self.link(LinkKind::Rod, from, to)
    }

    /// Adds a link.
    pub fn link(
        mut self,
        kind: LinkKind,
        from: Anchor<impl Into<At>>,
        to: Anchor<impl Into<At>>,
    ) -> Self {
        let ends = [(from.0, from.1.into().0), (to.0, to.1.into().0)];
        self.links.push(Link { kind, ends });
        self
    }
}

#[cfg(test)]
mod tests;
