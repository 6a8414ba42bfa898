//! Robots in URDF, the XML of <http://wiki.ros.org/urdf/XML>, as mechanism files (feature `urdf`).
//!
//! | URDF | mechanism |
//! |---|---|
//! | link with an inertia | body with the axes of the link and its origin in the centre of mass |
//! | link without | the ground, if it is the root; otherwise a frame on what it is fixed to |
//! | `revolute`, `continuous` | `revolute`; `damping` is a rotational spring without stiffness |
//! | `prismatic` | `translational` |
//! | `fixed` | `fixed` between links with inertia |
//! | `spherical` | `spherical` |
//! | `planar` | a `displacement` along the axis and two `cosine`s across it, all zero |
//! | `floating` | no joint |
//!
//! All joints start at zero. A root link with an inertia is free to move, as nothing says that it is held: whoever
//! wants it held adds a link `world` and a `fixed` joint. What mechanisms have no part for is left out with a note:
//! limits, friction and damping along an axis, shapes, safety controllers, calibrations. What would be another
//! mechanism without it is refused: `mimic`, and links without inertia that move.
//!
//! ```
//! use liedae::system::System;
//! use liedae_multibody::file::MechanismFile;
//!
//! let robot = r#"<robot name="pendulum">
//!   <link name="world"/>
//!   <link name="arm">
//!     <inertial>
//!       <origin xyz="0.5 0 0"/>
//!       <mass value="2"/>
//!       <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.2"/>
//!     </inertial>
//!   </link>
//!   <joint name="pivot" type="continuous">
//!     <parent link="world"/>
//!     <child link="arm"/>
//!     <axis xyz="0 1 0"/>
//!   </joint>
//! </robot>"#;
//! let robot = MechanismFile::from_urdf(robot)?;
//! let text = robot.file.text()?;
//! let mut system = MechanismFile::read(&text)?.system(&text)?;
//! assert_eq!(system.layout().rows(), 5);
//! assert!(robot.notes[0].contains("gravity"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod guard;
mod tree;
mod write;

pub use error::UrdfError;

use super::entries::MechanismFile;
use super::{FileError, LARGEST};
use crate::error::AssemblyError;
use tree::Tree;

/// A robot as a mechanism file.
///
/// ```
/// use liedae_multibody::file::{JointName, MechanismFile, Urdf};
///
/// // A gate, 1.2 m wide and 1 m high, with a limit, which mechanisms have not.
/// let robot = r#"<robot name="gate">
///   <link name="world"/>
///   <link name="leaf">
///     <inertial>
///       <origin xyz="0.6 0 0"/><mass value="30"/>
///       <inertia ixx="2.5" ixy="0" ixz="0" iyy="6.1" iyz="0" izz="3.6"/>
///     </inertial>
///   </link>
///   <joint name="hinge" type="revolute">
///     <parent link="world"/><child link="leaf"/><axis xyz="0 0 1"/>
///     <limit lower="0" upper="1.5" effort="100" velocity="1"/>
///   </joint>
/// </robot>"#;
/// let Urdf { file, notes } = MechanismFile::from_urdf(robot)?;
/// assert_eq!(file.joints[0].get_ref().kind, JointName::Revolute);
/// assert!(notes.iter().any(|note| note == "without limits: joints move beyond them: hinge"));
/// # Ok::<(), liedae_multibody::file::UrdfError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Urdf {
    /// The tables.
    pub file: MechanismFile,
    /// What was assumed and what was left out, a sentence each.
    pub notes: Vec<String>,
}

impl MechanismFile {
    /// Reads a robot in URDF. The file makes a mechanism: it has been put together once.
    ///
    /// # Errors
    /// [`UrdfError`] for what is no URDF, no tree, or no mechanism.
    pub fn from_urdf(text: &str) -> Result<Urdf, UrdfError> {
        if text.len() > LARGEST {
            return Err(UrdfError::Size(text.len()));
        }
        let seen = guard::check(text)?;
        let robot =
            urdf_rs::read_from_string(text).map_err(|error| UrdfError::Read(error.to_string()))?;
        if let Some(version) = robot.version.as_ref().filter(|version| !is_known(version)) {
            return Err(UrdfError::Version(version.clone()));
        }
        let has_quaternions = robot.version.as_deref().is_some_and(|v| v.trim() == "1.1");
        if seen.quaternions && !has_quaternions {
            return Err(UrdfError::Quaternion);
        }
        let tree = Tree::of(&robot.links, &robot.joints)?;
        let mut robot = write::written(&robot.name, &tree)?;
        if !seen.unknown.is_empty() {
            let names: Vec<_> = seen.unknown.into_iter().collect();
            let names = names.join(", ");
            robot
                .notes
                .push(format!("elements that are not read: {names}"));
        }
        let text = robot.file.text().map_err(UrdfError::Mechanism)?;
        let whole = Self::read(&text).and_then(|file| file.system(&text));
        whole.map_err(|error| unplaced(error, &robot.file))?;
        Ok(robot)
    }
}

/// The author of a robot does not know the lines and numbers of the tables, but the names.
fn unplaced(error: FileError, file: &MechanismFile) -> UrdfError {
    match error.assembly.as_deref() {
        Some(AssemblyError::InertiaTriangle { body, moments }) => UrdfError::Inertia {
            link: body.clone(),
            what: "inertia",
            value: format!(
                "that of no rigid body: of the principal moments {moments:?} the largest exceeds the sum of the others; \
                 check the units and the products of inertia"
            ),
        },
        _ => UrdfError::Mechanism(format!("{}: {}", named(&error.field, file), error.reason)),
    }
}

/// `joints[1].axis` as `axis of joint `elbow``.
fn named(field: &str, file: &MechanismFile) -> String {
    let parts = field.split_once('[').and_then(|(table, rest)| {
        let (number, rest) = rest.split_once(']')?;
        let number: usize = number.parse().ok()?;
        let name = match table {
            "bodies" => format!("link `{}`", file.bodies.get(number)?.get_ref().name),
            "joints" => format!("joint `{}`", file.joints.get(number)?.get_ref().name),
            _ => return None,
        };
        Some((name, rest.trim_start_matches('.')))
    });
    match parts {
        Some((name, "")) => name,
        Some((name, key)) => format!("{key} of {name}"),
        None => field.to_owned(),
    }
}

/// Versions whose elements and defaults are those that are read here.
fn is_known(version: &str) -> bool {
    ["1", "1.0", "1.1"].contains(&version.trim())
}
