//! Errors of the assembly of a mechanism.

use super::ancf::AncfError;
use super::contact::partners;
use super::modal::ModalError;
use liedae_contact::ContactError;
use thiserror::Error;

/// A mechanism that cannot be assembled as stated.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum AssemblyError {
    /// There is nothing to simulate.
    #[error(
        "the mechanism has no bodies: add one with add_body, or a marker to a beam in absolute nodal coordinates"
    )]
    NoBodies,
    /// A body that this builder did not hand out.
    #[error(
        "'{element}' refers to body {body}, but the mechanism has {bodies}: use the BodyId that add_body returned"
    )]
    UnknownBody {
        /// Joint, force or probe.
        element: String,
        /// Index in the identifier.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A joint that this builder did not hand out.
    #[error(
        "'{element}' refers to joint {joint}, but the mechanism has {joints}: use the JointId that add_joint returned"
    )]
    UnknownJoint {
        /// Drive, force or friction.
        element: String,
        /// Index in the identifier.
        joint: usize,
        /// Number of joints.
        joints: usize,
    },
    /// Two bodies, joints, forces, states of a force or probes with one name.
    #[error("the {kind} name '{name}' is used twice")]
    DuplicateName {
        /// `body`, `joint`, `force`, `state`, `probe`, `joint position` or `joint rate`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A mass that is zero, negative or not a number.
    #[error("the mass of '{body}' is {mass} kg: it must be positive and finite")]
    Mass {
        /// Name of the body.
        body: String,
        /// Its mass in kg.
        mass: f64,
    },
    /// An inertia tensor that is not symmetric.
    #[error(
        "the inertia tensor of '{body}' is not symmetric: entries across the diagonal differ by {difference:e}"
    )]
    InertiaNotSymmetric {
        /// Name of the body.
        body: String,
        /// Largest difference in kg m².
        difference: f64,
    },
    /// An inertia tensor with a principal moment that is zero or negative.
    #[error(
        "the inertia tensor of '{body}' is not positive definite: its smallest principal moment is {smallest:e}"
    )]
    InertiaNotPositive {
        /// Name of the body.
        body: String,
        /// Smallest principal moment in kg m².
        smallest: f64,
    },
    /// Principal moments of which no rigid body is capable.
    #[error(
        "no rigid body has the principal moments {moments:?} of '{body}': the largest exceeds the sum of the others; \
         check the units and the products of inertia, or call RigidBody::with_unphysical_inertia, in a file `unphysical_inertia = true`"
    )]
    InertiaTriangle {
        /// Name of the body.
        body: String,
        /// Principal moments in kg m², ascending.
        moments: [f64; 3],
    },
    /// An initial rotation outside SO(3).
    #[error(
        "the rotation of '{body}' is not in SO(3): it deviates by {deviation:e} from orthonormal and right-handed"
    )]
    Rotation {
        /// Name of the body.
        body: String,
        /// Largest entry of Aᵀ A - 1, or of det A - 1.
        deviation: f64,
    },
    /// A NaN or an infinity.
    #[error("{what} is not finite")]
    NotFinite {
        /// What it is.
        what: String,
        /// Name of the body, joint or force that has it, if it is one of them.
        element: Option<String>,
    },
    /// A direction that is zero or not of unit length.
    #[error("a direction of '{joint}' has the length {norm}: give a unit vector")]
    Axis {
        /// Name of the joint.
        joint: String,
        /// Length of the direction.
        norm: f64,
    },
    /// The axes of a universal joint are parallel, or x and z of a frame are.
    #[error("two axes of '{joint}' are parallel, so they do not span a plane")]
    ParallelAxes {
        /// Name of the joint.
        joint: String,
    },
    /// A joint between a body and itself, or between ground and ground.
    #[error("'{joint}' connects a body with itself")]
    SameBody {
        /// Name of the joint.
        joint: String,
    },
    /// A flexible body that is not what it should be.
    #[error("flexible body '{body}': {error}")]
    Modal {
        /// Its name.
        body: String,
        /// What is wrong.
        error: ModalError,
    },
    /// A beam in absolute nodal coordinates that is not what it should be.
    #[error("beam '{beam}': {error}")]
    Ancf {
        /// Its name.
        beam: String,
        /// What is wrong.
        error: AncfError,
    },
    /// Euler parameters or Euler angles are asked for, and a body is flexible.
    #[error(
        "mechanisms with bodies that have modes or with beams in absolute nodal coordinates run with rotation matrices only"
    )]
    ModalRotation,
    /// A joint of one's own without equations.
    #[error("'{joint}' states no equation: a CustomJoint or NonholonomicJoint needs a row or more")]
    NoRows {
        /// Name of the joint.
        joint: String,
    },
    /// A force with states that has none.
    #[error("'{element}' has no states: state it as a PairForce")]
    NoStates {
        /// Name of the force.
        element: String,
    },
    /// A velocity row that is not affine in the velocities.
    #[error(
        "row {row} of '{joint}' is not affine in the velocities (its rows count from 0): constraints of the form \
         B(t, q) v + c(t, q) = 0 only"
    )]
    NotAffine {
        /// Name of the joint.
        joint: String,
        /// Number of the row within the joint.
        row: usize,
    },
    /// A distance that is zero: its direction is undefined.
    #[error(
        "the two points of '{joint}' coincide, so their distance has no direction: use a spherical joint"
    )]
    ZeroDistance {
        /// Name of the joint.
        joint: String,
    },
    /// A drive, spring or friction that this kind of joint does not take.
    #[error("'{element}' does not fit '{joint}': {reason}")]
    JointKind {
        /// Drive, spring or friction.
        element: String,
        /// Name of the joint.
        joint: String,
        /// What would fit.
        reason: &'static str,
    },
    /// A coefficient that makes no sense.
    #[error("{what} of '{element}' is {value}{}", wanted(*value))]
    Coefficient {
        /// The element.
        element: String,
        /// Which of its numbers.
        what: &'static str,
        /// The value found.
        value: f64,
    },
    /// A direction in which friction is to start while its joint slides the other way.
    #[error(
        "'{friction}' is to start sliding in the direction {direction}, but its joint slides with {velocity} m/s: the \
         direction is for joints at rest"
    )]
    FrictionDirection {
        /// Name of the friction.
        friction: String,
        /// The direction that was stated, +1 or -1.
        direction: i32,
        /// The sliding velocity at the start in m/s.
        velocity: f64,
    },
    /// A direction in which friction is to start that may stick.
    #[error(
        "'{friction}' has an initial direction, but it sticks: whether it does and where it slides to follows from the forces; leave the \
         direction out"
    )]
    StickingDirection {
        /// Name of the friction.
        friction: String,
    },
    /// Friction that reverses only beside contacts, bearings that rub or friction that sticks.
    #[error(
        "'{friction}' only reverses, and there are contacts, bearings that rub or friction that sticks: whether its joint moves is decided \
         together with them; let it stick, which it does without `sticks = false` in a file and without `reversing` in a program"
    )]
    ReversingBeside {
        /// Name of the friction.
        friction: String,
    },
    /// A free angle that a rotational spring reaches only over whole turns, which it forgets.
    #[error(
        "the free angle of '{spring}' is {angle} rad, more than half a turn, but it wraps: a spring that is wound up \
         counts its turns (counts_turns = true, the default); otherwise state an angle within ±pi"
    )]
    FreeAngle {
        /// Name of the spring.
        spring: String,
        /// Its free angle in rad.
        angle: f64,
    },
    /// A spring that follows a motion and forgets turns.
    #[error(
        "spring '{spring}' follows a motion but forgets turns, so that its torque would jump: let it count its turns \
         (counts_turns = true, the default)"
    )]
    FollowsWithoutTurns {
        /// Name of the spring.
        spring: String,
    },
    /// A joint that follows a motion whose pieces do not meet.
    #[error(
        "the motion of '{joint}' jumps at t = {t} s by {value:e}, and its rate by {rate:e}: what drives a joint needs pieces \
         that meet with the same value and the same rate"
    )]
    MotionJump {
        /// Name of the joint or drive.
        joint: String,
        /// When, in s.
        t: f64,
        /// Jump of the value.
        value: f64,
        /// Jump of its rate.
        rate: f64,
    },
    /// A beam without elements.
    #[error("beam '{beam}' has no elements: it needs one or more, and a frame more than elements")]
    NoElements {
        /// Name of the beam.
        beam: String,
    },
    /// A beam with more or fewer parts than its elements need.
    #[error("beam '{beam}' has {found} {what}, not {expected}")]
    BeamParts {
        /// Name of the beam.
        beam: String,
        /// `start frames` or `sections`.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// An element of a beam whose ends coincide or are not finite.
    #[error(
        "element {element} of beam '{beam}' has the length {length} m: it must be positive and finite"
    )]
    ElementLength {
        /// Name of the beam.
        beam: String,
        /// The element, from 0 on.
        element: usize,
        /// Its length in m.
        length: f64,
    },
    /// An element of a beam that is too curved.
    #[error(
        "element {element} of beam '{beam}' turns by {angle} rad in the reference shape, more than a quarter of a turn: \
         give the beam more elements, and orthonormal frames"
    )]
    ElementTurn {
        /// Name of the beam.
        beam: String,
        /// The element, from 0 on.
        element: usize,
        /// The angle between its ends in rad.
        angle: f64,
    },
    /// A section whose compliance is not positive definite.
    #[error(
        "the section of element {element} of beam '{beam}' has no stiffness matrix: its compliance must be symmetric and \
         positive definite; only shear may be rigid, and not in a beam with_constant_strain_energy"
    )]
    SectionStiffness {
        /// Name of the beam.
        beam: String,
        /// The element, from 0 on.
        element: usize,
    },
    /// Restitution or friction that makes no sense.
    #[error(transparent)]
    Contact(ContactError),
    /// Shapes between which there is no contact.
    #[error(
        "contact '{contact}': there is no contact of {first} with {second}; {first} touches {}; {second} touches {}",
        partners(first).join(", "), partners(second).join(", ")
    )]
    ContactShapes {
        /// Name of the contact.
        contact: String,
        /// Shape of the first body.
        first: &'static str,
        /// Shape of the second body.
        second: &'static str,
    },
    /// A polyhedron whose points lie in a plane.
    #[cfg(feature = "convex")]
    #[error("contact '{contact}': the points of a polyhedron lie in a plane")]
    NoVolume {
        /// Name of the contact.
        contact: String,
    },
    /// Contacts in other coordinates than rotation matrices.
    #[error("a mechanism with contacts is stated with rotation matrices only")]
    ContactRotation,
    /// Joints that may stick in other coordinates than rotation matrices.
    #[error("a mechanism with joints that may stick is stated with rotation matrices only")]
    FrictionRotation,
    /// Velocity rows in other coordinates than rotation matrices.
    #[error("a mechanism with nonholonomic joints is stated with rotation matrices only")]
    NonholonomicRotation,
    /// Joint coordinates that contradict each other, or that the mechanism cannot reach.
    #[error(
        "the joint positions of {joints} cannot be reached together: the mechanism follows them over {:.1} % of the way from \
         where its bodies are stated ({reason}); state bodies nearer to them, or fewer joint positions",
        100.0 * reached
    )]
    JointPositions {
        /// Names of the joints.
        joints: String,
        /// The part of the way that was gone, from 0 to 1.
        reached: f64,
        /// What was in the way.
        reason: String,
    },
    /// Rates of joint coordinates that contradict each other, a drive or a loop.
    #[error(
        "the mechanism cannot move with the joint rates of {joints} ({reason}): state fewer, or those that fit together"
    )]
    JointRates {
        /// Names of the joints.
        joints: String,
        /// What was in the way.
        reason: String,
    },
    /// The initial positions contradict a joint.
    #[error(
        "the initial positions violate joint '{joint}' by {violation:e}; mend them, or assemble with build_unchecked \
         and call liedae::system::project_initial_state"
    )]
    Position {
        /// Name of the joint with the largest violation.
        joint: String,
        /// Violation in m or, for orientations, as the sine or cosine of an angle.
        violation: f64,
    },
    /// Axes point opposite ways, or a driven angle starts half a turn away: the equations hold there too, with forces reversed.
    #[error(
        "at the start '{joint}' holds half a turn away from where it is meant: its axes point opposite ways, or its angle is \
         opposite to what its motion says; turn one of its bodies or joint frames by half a turn (of a drive, add pi to the motion)"
    )]
    HalfTurn {
        /// Name of the joint, drive or marker.
        joint: String,
    },
    /// The initial velocities contradict a joint.
    #[error(
        "the initial velocities violate joint '{joint}' by {violation:e}; mend them, or assemble with build_unchecked \
         and call liedae::system::project_initial_state"
    )]
    Velocity {
        /// Name of the joint with the largest violation.
        joint: String,
        /// Violation in m/s or rad/s.
        violation: f64,
    },
    /// The patterns of the matrices could not be made.
    #[error("the matrices of the mechanism cannot be laid out: {0}")]
    Layout(String),
}

/// What a number should be, as far as it tells.
fn wanted(value: f64) -> &'static str {
    match value {
        value if !value.is_finite() => ": it must be finite",
        0.0 => ": it must be above 0",
        value if value < 0.0 => ": it must be 0 or above",
        _ => "",
    }
}
