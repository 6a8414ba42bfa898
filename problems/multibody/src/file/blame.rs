//! The table and key of a file that an assembly error refers to.

use super::entries::MechanismFile;
use super::error::FileError;
use crate::error::AssemblyError;
use liedae_contact::ContactError;
use std::ops::Range;
use toml::Spanned;

/// Elements among which a name is looked up first: names are unique among elements of one kind only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Body,
    Joint,
    Force,
    Contact,
}

/// The subject of an assembly error: name and kind of the element, and keys of which its table has one.
type Blame<'e> = (&'e str, Kind, &'static [&'static str]);

fn blame(error: &AssemblyError) -> Option<Blame<'_>> {
    use AssemblyError as E;
    use Kind as K;
    Some(match error {
        E::Mass { body, .. } => (body, K::Body, &["mass"]),
        E::InertiaNotSymmetric { body, .. }
        | E::InertiaNotPositive { body, .. }
        | E::InertiaTriangle { body, .. } => (body, K::Body, &["inertia"]),
        E::Rotation { body, .. } => (body, K::Body, &["rotation", "quaternion"]),
        E::DuplicateName { kind, name } => (
            name,
            match *kind {
                "body" => K::Body,
                "force" => K::Force,
                "contact" => K::Contact,
                _ => K::Joint,
            },
            &["name"],
        ),
        E::NotFinite { element, .. } => (
            element.as_deref()?,
            K::Joint,
            &["motion", "angle", "translation", "angle_rate"],
        ),
        // The directions of joints are checked where they are read.
        E::Axis { joint, .. } => (joint, K::Force, &["normal", "frames", "surfaces"]),
        E::ParallelAxes { joint } => (
            joint,
            K::Joint,
            &["second_axis", "x", "frames", "axis", "surfaces"],
        ),
        E::SameBody { joint } => (joint, K::Joint, &["bodies", "surfaces"]),
        E::ZeroDistance { joint } => (joint, K::Joint, &["points", "frames"]),
        E::HalfTurn { joint } => (joint, K::Joint, &["motion", "angle", "name"]),
        E::NoRows { joint }
        | E::NotAffine { joint, .. }
        | E::Position { joint, .. }
        | E::Velocity { joint, .. } => (joint, K::Joint, &["name"]),
        E::UnknownBody { element, .. } => (element, K::Joint, &["bodies", "surfaces"]),
        E::UnknownJoint { element, .. } | E::JointKind { element, .. } => {
            (element, K::Force, &["joint"])
        }
        E::Coefficient { element, what, .. } => (element, K::Force, coefficient(what)),
        E::MotionJump { joint, .. } => (joint, K::Joint, &["motion", "angle", "translation"]),
        E::FollowsWithoutTurns { spring } => (spring, K::Force, &["counts_turns"]),
        E::Modal { body, .. } => (body, K::Body, &["section"]),
        E::FreeAngle { spring, .. } => (spring, K::Force, &["free_angle"]),
        E::FrictionDirection { friction, .. } | E::StickingDirection { friction } => {
            (friction, K::Force, &["initial_direction"])
        }
        E::ReversingBeside { friction } => (friction, K::Force, &["sticks"]),
        E::ContactShapes { contact, .. } => (contact, K::Contact, &["surfaces"]),
        #[cfg(feature = "convex")]
        E::NoVolume { contact } => (contact, K::Contact, &["surfaces"]),
        E::Contact(ContactError::Restitution { label, .. }) => {
            (label, K::Contact, &["restitution"])
        }
        E::Contact(ContactError::Friction { label, .. }) => (label, K::Contact, &["friction"]),
        _ => return None,
    })
}

/// The key of a coefficient.
fn coefficient(what: &str) -> &'static [&'static str] {
    match what {
        "the stiffness" => &["stiffness"],
        "the damping" => &["damping"],
        "the free length" => &["free_length"],
        "the free angle" => &["free_angle"],
        "the friction coefficient" => &["coefficient"],
        "the radius of the journal" => &["radius"],
        "the distance of the bearings" => &["span"],
        "the radius of the collar" => &["collar"],
        "the initial direction" => &["initial_direction"],
        // Dimensions of shapes.
        _ => &["surfaces", "name"],
    }
}

/// The names that words have in quotes, each with the word before it: `joint 'pivot' (revolute): distance`.
fn named(words: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let start = rest.find(['\'', '`'])?;
        let (before, quoted) = rest.split_at(start);
        let mark = quoted.chars().next()?;
        let (name, behind) = quoted.get(1..)?.split_once(mark)?;
        rest = behind;
        Some((
            before.split_whitespace().next_back().unwrap_or_default(),
            name,
        ))
    })
}

fn find<T>(list: &[Spanned<T>], name: &str, own: impl Fn(&T) -> &str) -> Option<Range<usize>> {
    // If two elements have the same name, the second one is the error.
    let mut entries = list.iter().rev();
    let entry = entries.find(|entry| own(entry.get_ref()) == name)?;
    Some(entry.span())
}

impl MechanismFile {
    /// What went wrong when the mechanism was run, as an error about the first element that `words` name, such as
    /// `contact 'floor': gap`; about the whole file if they name none. `text` is what the file was read from.
    pub fn refuse(&self, text: &str, words: &str, reason: impl Into<String>) -> FileError {
        let span = named(words).find_map(|(kind, name)| self.element(kind, name));
        match span {
            Some(span) => FileError::new(text, span, reason),
            None => FileError::of_file(reason),
        }
    }

    /// The table of an element of this kind, as words have it, and name.
    fn element(&self, kind: &str, name: &str) -> Option<Range<usize>> {
        // Where surfaces touch in several points, these are numbered, and nodes of beams are: `name.1`.
        let whole = name.rsplit_once('.').map_or(name, |(whole, _)| whole);
        let body = || {
            find(&self.bodies, name, |entry| &entry.name)
                .or_else(|| find(&self.modal_beams, name, |entry| &entry.name))
                .or_else(|| find(&self.beams, whole, |entry| &entry.name))
                .or_else(|| find(&self.modal_beams, whole, |entry| &entry.name))
        };
        let joint = || {
            find(&self.joints, name, |entry| &entry.name)
                .or_else(|| find(&self.drives, name, |entry| &entry.name))
        };
        let contact = || {
            find(&self.contacts, name, |entry| &entry.name)
                .or_else(|| find(&self.contacts, whole, |entry| &entry.name))
        };
        match kind {
            "body" | "beam" => body(),
            "joint" | "drive" => joint().or_else(|| self.force(name)),
            "contact" => contact(),
            "spring" | "friction" | "bearing" => self.force(name).or_else(joint),
            // Labels of events.
            _ => contact().or_else(|| self.force(name)).or_else(joint),
        }
    }

    fn force(&self, name: &str) -> Option<Range<usize>> {
        find(&self.forces, name, |entry| &entry.name)
            .or_else(|| find(&self.springs, name, |entry| &entry.name))
            .or_else(|| find(&self.rotational_springs, name, |entry| &entry.name))
            .or_else(|| find(&self.frictions, name, |entry| &entry.name))
            .or_else(|| find(&self.bearings, name, |entry| &entry.name))
    }

    /// The table and keys that an assembly finds fault with, where it is one table.
    pub(super) fn place(
        &self,
        error: &AssemblyError,
    ) -> Option<(Range<usize>, &'static [&'static str])> {
        let (name, kind, keys) = blame(error)?;
        let body = || {
            find(&self.bodies, name, |entry| &entry.name)
                .or_else(|| find(&self.modal_beams, name, |entry| &entry.name))
        };
        // Nodes are bodies with the name of their beam and a number.
        let beam = || {
            let (beam, _) = name.rsplit_once('.')?;
            find(&self.beams, beam, |entry| &entry.name)
                .or_else(|| find(&self.modal_beams, beam, |entry| &entry.name))
        };
        let joint = || {
            find(&self.joints, name, |entry| &entry.name)
                .or_else(|| find(&self.drives, name, |entry| &entry.name))
        };
        let force = || self.force(name);
        let contact = || {
            let named = |name| find(&self.contacts, name, |entry| &entry.name);
            // Where surfaces touch in several points, these are numbered: `name.1`.
            named(name).or_else(|| named(name.rsplit_once('.')?.0))
        };
        let output = || find(&self.outputs, name, |entry| &entry.name);
        if kind == Kind::Body
            && body().is_none()
            && let Some(span) = beam()
        {
            return Some((span, &["start", "markers", "section", "sections"]));
        }
        // Numbers of a law stand below it.
        let law = || find(&self.forces, name, |entry| &entry.name);
        if let (AssemblyError::Coefficient { .. }, Some(span)) = (error, law()) {
            return Some((span, &["law"]));
        }
        let span = match kind {
            Kind::Body => body(),
            Kind::Contact => contact().or_else(joint),
            Kind::Joint => joint()
                .or_else(force)
                .or_else(contact)
                .or_else(output)
                .or_else(body),
            Kind::Force => force().or_else(contact).or_else(joint).or_else(body),
        }?;
        Some((span, keys))
    }
}
