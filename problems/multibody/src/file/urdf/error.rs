//! Errors of robots in URDF.

use thiserror::Error;

/// A robot that is no mechanism.
///
/// ```
/// use liedae_multibody::file::{MechanismFile, UrdfError};
///
/// // The elbow refers to a link that nobody states.
/// let robot = r#"<robot name="arm">
///   <link name="world"/>
///   <link name="upper">
///     <inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/></inertial>
///   </link>
///   <joint name="shoulder" type="fixed"><parent link="world"/><child link="upper"/></joint>
///   <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/></joint>
/// </robot>"#;
/// let Err(error) = MechanismFile::from_urdf(robot) else { panic!("it is no tree") };
/// assert_eq!(error, UrdfError::UnknownLink { joint: "elbow".to_owned(), link: "lower".to_owned() });
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// A text of so many bytes.
    #[error("the file has {0} bytes: it is no robot")]
    Size(usize),
    /// Elements within elements.
    #[error("elements are nested deeper than {0}: it is no robot")]
    Depth(usize),
    /// A document type, or another declaration.
    #[error("it has a `<!DOCTYPE` or another declaration, which URDF has not: take it out")]
    Declaration,
    /// Frames turned by quaternions in a version that has none.
    #[error("it has `quat_xyzw`, which URDF has from version 1.1 on: state the version, or `rpy`")]
    Quaternion,
    /// Macros.
    #[error("it has xacro macros: expand them first, by `xacro robot.urdf.xacro > robot.urdf`")]
    Macros,
    /// What the parser says.
    #[error("it is no URDF: {0}")]
    Read(String),
    /// A version that is not known.
    #[error("URDF of version {0} is not read: expected 1.0 or 1.1")]
    Version(String),
    /// Nothing in it.
    #[error("there are no links: expected one or more")]
    NoLinks,
    /// Nothing that weighs.
    #[error("no link has an inertia: expected one or more")]
    NoBodies,
    /// Two links or joints with one name.
    #[error("there are two {kind}s `{name}`: expected another name")]
    Duplicate {
        /// `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A link that is not there.
    #[error("joint `{joint}`: there is no link `{link}`")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// What it refers to.
        link: String,
    },
    /// A link that hangs on two joints.
    #[error(
        "link `{link}` is the child of joint `{first}` and of joint `{second}`: expected a tree"
    )]
    TwoParents {
        /// The link.
        link: String,
        /// A joint.
        first: String,
        /// Another.
        second: String,
    },
    /// No root, or more than one.
    #[error("there are {0} root links: expected one, of which all others hang")]
    Roots(usize),
    /// Links that hang on each other.
    #[error("link `{0}` hangs on itself: expected a tree")]
    Loop(String),
    /// A mass or an inertia that is not possible.
    #[error("link `{link}`: its {what} is {value}")]
    Inertia {
        /// The link.
        link: String,
        /// `mass` or `inertia`.
        what: &'static str,
        /// What it is.
        value: String,
    },
    /// A link that moves and weighs nothing.
    #[error(
        "link `{link}` has no inertia, but joint `{joint}` moves it and others hang on it: expected an inertia"
    )]
    Massless {
        /// The link.
        link: String,
        /// The joint.
        joint: String,
    },
    /// An axis without direction.
    #[error("joint `{0}`: its axis has no direction")]
    Axis(String),
    /// A number that is not finite.
    #[error("{0} has a number that is not finite")]
    NotFinite(String),
    /// A vector with a word that is no number.
    #[error(
        "`{name}=\"{value}\"` of an `{element}` has a word that is no number: expected numbers"
    )]
    Vector {
        /// The element.
        element: String,
        /// The attribute.
        name: String,
        /// What stands there.
        value: String,
    },
    /// A joint that follows another.
    #[error(
        "joint `{0}` mimics another, which mechanisms do not state: take it out, or write a mechanism file"
    )]
    Mimic(String),
    /// What an assembly says.
    #[error("{0}")]
    Mechanism(String),
}
