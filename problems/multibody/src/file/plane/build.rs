//! From the tables of a file to a plane mechanism.

use super::entries::{
    PlaneBodyEntry, PlaneContactEntry, PlaneForceEntry, PlaneForceName, PlaneFrictionEntry,
    PlaneFrictionName, PlaneJointEntry, PlaneJointName, PlaneMechanismFile, PlaneOutputEntry,
    PlanePairEntry, PlaneQuantityName,
};
use crate::file::{FileError, HarmonicEntry, MotionEntry, Reference};
use crate::plane::geometry::{
    AngularStop, ArcCam, DiscInCircle, DiscOnArcCam, DiscOnDisc, DiscOnLine, DiscOnWedges,
    GeometryError, HalfPlane, Rope, Wedges,
};
use crate::plane::{
    Motion, PlaneBodyData, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism,
    PlaneMechanismError, PlanePairing, PlanePoint, PlaneSnapshot,
};
use liedae_contact::Contact;
use std::collections::HashMap;
use toml::Spanned;

/// Where names stand among the elements of their kind.
struct Names<'a> {
    text: &'a str,
    bodies: HashMap<&'a str, usize>,
    joints: HashMap<&'a str, usize>,
}

/// What a table states beside what its kind needs.
struct Keys<'a, T> {
    text: &'a str,
    entry: &'a Spanned<T>,
    kind: &'static str,
}

impl<T> Keys<'_, T> {
    fn bad(&self, key: &str, reason: impl Into<String>) -> FileError {
        FileError::of_key(self.text, self.entry.span(), key, reason)
    }

    fn needed<V: Copy>(&self, key: &str, value: Option<V>) -> Result<V, FileError> {
        value.ok_or_else(|| self.bad("kind", format!("the kind `{}` needs `{key}`", self.kind)))
    }

    fn finite(&self, key: &str, numbers: impl IntoIterator<Item = f64>) -> Result<(), FileError> {
        match numbers.into_iter().all(f64::is_finite) {
            true => Ok(()),
            false => Err(self.bad(key, "expected finite numbers")),
        }
    }

    /// Refuses keys that the kind has no use for.
    fn refuse(&self, keys: &[(&str, bool)]) -> Result<(), FileError> {
        match keys.iter().find(|(_, stated)| *stated) {
            Some((key, _)) => {
                Err(self.bad(key, format!("the kind `{}` has no `{key}`", self.kind)))
            }
            None => Ok(()),
        }
    }
}

impl<'a> Names<'a> {
    fn body(&self, name: &Reference) -> Result<Option<usize>, FileError> {
        let wanted = name.0.get_ref().as_str();
        if wanted == "ground" {
            return Ok(None);
        }
        let found = self.bodies.get(wanted).copied();
        found.map(Some).ok_or_else(|| {
            let mut names: Vec<&str> = self.bodies.keys().copied().collect();
            names.sort_unstable();
            let reason = format!(
                "there is no body `{wanted}`; expected `ground`, `{}`",
                names.join("`, `")
            );
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    /// What a mechanism refuses, with names in place of numbers.
    fn words(&self, error: &PlaneMechanismError) -> String {
        let name = |names: &HashMap<&'a str, usize>, number: usize| {
            let mut named = names.iter().filter(|(_, index)| **index == number);
            named.next().map_or("?", |(name, _)| name).to_owned()
        };
        match error {
            PlaneMechanismError::PointMass { what, body } => format!(
                "{what} would turn `{}`, which is a point mass: give it an `inertia`",
                name(&self.bodies, *body)
            ),
            PlaneMechanismError::Friction {
                label,
                joint,
                needs,
            } => format!(
                "friction `{label}` in joint `{}` needs {needs}",
                name(&self.joints, *joint)
            ),
            other => other.to_string(),
        }
    }

    /// A body that is not the ground.
    fn moving(&self, name: &Reference) -> Result<usize, FileError> {
        self.body(name)?.ok_or_else(|| {
            let reason = "the ground does not turn: expected a body";
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    fn joint(&self, name: &Reference) -> Result<usize, FileError> {
        let wanted = name.0.get_ref().as_str();
        self.joints.get(wanted).copied().ok_or_else(|| {
            let reason = format!("there is no joint `{wanted}`");
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    /// Both bodies of an element, which are not the same.
    fn pair<T>(
        &self,
        keys: &Keys<T>,
        bodies: &[Reference; 2],
    ) -> Result<[Option<usize>; 2], FileError> {
        let [first, second] = bodies;
        if first.0.get_ref() == second.0.get_ref() {
            let reason = format!("both are `{}`: expected two bodies", first.0.get_ref());
            return Err(keys.bad("bodies", reason));
        }
        Ok([self.body(first)?, self.body(second)?])
    }

    fn points(
        &self,
        bodies: &[Reference; 2],
        points: Option<[[f64; 2]; 2]>,
    ) -> Result<[PlanePoint; 2], FileError> {
        let [first, second] = points.unwrap_or_default();
        Ok([
            (self.body(&bodies[0])?, first),
            (self.body(&bodies[1])?, second),
        ])
    }
}

/// The places of names that are unique.
fn places<'a, T>(
    text: &str,
    entries: &'a [Spanned<T>],
    (kind, name): (&str, fn(&'a T) -> &'a str),
) -> Result<HashMap<&'a str, usize>, FileError> {
    let mut known = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let name = name(entry.get_ref());
        if known.insert(name, index).is_some() {
            let reason = format!("the {kind} `{name}` is there already: expected another name");
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
        if name.is_empty() {
            let reason = "the name is empty: expected one";
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
        if name == "ground" && kind == "body" {
            let reason = "`ground` is the world: expected another name";
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
    }
    Ok(known)
}

/// What is prescribed in time.
fn motion<T>(keys: &Keys<T>, stated: Option<&MotionEntry>) -> Result<Motion, FileError> {
    let uniform = |start: f64, rate: f64| Motion::Uniform { start, rate };
    let Some(stated) = stated else {
        return Err(keys.bad("kind", format!("the kind `{}` needs `motion`", keys.kind)));
    };
    let (motion, numbers) = match stated {
        &MotionEntry::Constant(value) => (uniform(value, 0.0), vec![value]),
        MotionEntry::Polynomial(parts) => {
            let motion = match parts[..] {
                [] => uniform(0.0, 0.0),
                [start] => uniform(start, 0.0),
                [start, rate] => uniform(start, rate),
                _ => {
                    let reason = "plane mechanisms follow a polynomial of degree 1 at most: expected two coefficients, or a `harmonic`";
                    return Err(keys.bad("motion", reason));
                }
            };
            (motion, parts.clone())
        }
        &MotionEntry::Harmonic(HarmonicEntry {
            offset,
            amplitude,
            rate,
            phase,
        }) => {
            let motion = Motion::Harmonic {
                mean: offset,
                amplitude,
                frequency: rate,
                phase,
            };
            (motion, vec![offset, amplitude, rate, phase])
        }
    };
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(motion),
        false => Err(keys.bad("motion", "expected finite numbers")),
    }
}

impl PlanePairEntry {
    fn pairing(&self) -> Result<PlanePairing, GeometryError> {
        Ok(match *self {
            Self::DiscOnLine {
                point,
                normal,
                centre,
                radius,
            } => {
                let line = HalfPlane::of_unit(point, normal)?;
                PlanePairing::DiscOnLine(DiscOnLine::new(line, centre, radius)?)
            }
            Self::DiscOnDisc { centres, radii } => {
                PlanePairing::DiscOnDisc(DiscOnDisc::new(centres, radii)?)
            }
            Self::DiscInCircle { centres, radii } => {
                PlanePairing::DiscInCircle(DiscInCircle::new(centres, radii)?)
            }
            Self::DiscOnArcCam {
                base,
                flank,
                nose,
                top,
                half_dwell,
                centre,
                radius,
            } => {
                let cam = ArcCam::new(base, flank, nose, top, half_dwell)?;
                PlanePairing::DiscOnArcCam(DiscOnArcCam::new(cam, centre, radius)?)
            }
            Self::DiscOnWedges {
                apex,
                normals,
                copies,
                sector,
                centre,
                radius,
            } => {
                let wedges = Wedges::of_units(apex, normals, copies, sector)?;
                PlanePairing::DiscOnWedges(DiscOnWedges::new(wedges, centre, radius)?)
            }
            Self::Rope { points, length } => PlanePairing::Rope(Rope::new(points, length)?),
            Self::AngleAtLeast(limit) => PlanePairing::AngularStop(AngularStop::at_least(limit)?),
            Self::AngleAtMost(limit) => PlanePairing::AngularStop(AngularStop::at_most(limit)?),
        })
    }
}

impl PlaneMechanismFile {
    /// Builds the mechanism; `text` is what the file was read from.
    ///
    /// # Errors
    /// [`FileError`] for names that are not there, keys that a kind needs or has no use for, and for what
    /// [`PlaneMechanism`] refuses.
    pub fn mechanism(&self, text: &str) -> Result<PlaneMechanism, FileError> {
        self.check(text)?;
        let names = Names {
            text,
            bodies: places(text, &self.bodies, ("body", |entry| &entry.name))?,
            joints: places(text, &self.joints, ("joint", |entry| &entry.name))?,
        };
        let frictions = places(text, &self.frictions, ("friction", |entry| &entry.name))?;
        let contacts = places(text, &self.contacts, ("contact", |entry| &entry.name))?;
        places(text, &self.outputs, ("output", |entry| &entry.name))?;
        for entry in &self.frictions {
            let name = &entry.get_ref().name;
            if contacts.contains_key(name.as_str()) {
                let reason =
                    format!("the contact `{name}` has outputs of that name: expected another one");
                return Err(FileError::of_key(text, entry.span(), "name", reason));
            }
        }
        for entry in &self.outputs {
            let name = &entry.get_ref().name;
            let own = name.rsplit_once('.').map(|(element, _)| element);
            let taken =
                |element: &str| contacts.contains_key(element) || frictions.contains_key(element);
            if own.is_some_and(taken) {
                let reason =
                    "contacts and frictions have outputs of such names: expected another one";
                return Err(FileError::of_key(text, entry.span(), "name", reason));
            }
        }
        let bodies = self.bodies.iter().map(|entry| body(entry.get_ref()));
        let bodies: Vec<PlaneBodyData> = bodies.collect();
        let mechanism = PlaneMechanism::new(bodies.clone(), self.gravity).map_err(|error| {
            let named = |entry: &&Spanned<PlaneBodyEntry>| match &error {
                PlaneMechanismError::Body { body, .. } => entry.get_ref().name == *body,
                _ => false,
            };
            let span = self.bodies.iter().find(named).map_or(0..0, Spanned::span);
            FileError::new(text, span, names.words(&error))
        })?;
        let joints = self.joints.iter().map(|entry| joint(&names, entry));
        let joints = joints.collect::<Result<Vec<PlaneJoint>, FileError>>()?;
        let mut mechanism = all_or_one(&names, &self.joints, &mechanism, |mechanism, range| {
            mechanism.with_joints(joints[range].iter().copied())
        })?;
        self.check_start(text, &bodies, &joints)?;
        let forces = self.forces.iter().map(|entry| force(&names, entry));
        let forces = forces.collect::<Result<Vec<PlaneForce>, FileError>>()?;
        mechanism = all_or_one(&names, &self.forces, &mechanism, |mechanism, range| {
            mechanism.with_forces(forces[range].iter().copied())
        })?;
        for entry in &self.frictions {
            let law = friction(&names, entry)?;
            let stated = entry.get_ref();
            let rubs = mechanism.with_friction(&stated.name, stated.coefficient, law);
            mechanism =
                rubs.map_err(|error| FileError::new(text, entry.span(), names.words(&error)))?;
        }
        for entry in &self.contacts {
            mechanism = touching(&names, entry, mechanism)?;
        }
        for entry in &self.outputs {
            let drives = |joint: usize| joints.get(joint).is_some_and(PlaneJoint::is_drive);
            mechanism = shown(&names, entry, mechanism, drives)?;
        }
        if self.keeps_energy {
            mechanism = mechanism.keeping_energy();
        }
        if let Some(step) = self.largest_step {
            mechanism = mechanism.with_largest_step(step);
        }
        Ok(mechanism.with_time_events(self.time_events.iter().copied()))
    }

    /// Checks what concerns the whole file.
    fn check(&self, text: &str) -> Result<(), FileError> {
        let bad = |key, reason: &str| Err(FileError::of_key(text, 0..text.len(), key, reason));
        if !self.plane {
            return bad(
                "plane",
                "expected `true`; mechanisms in space do not state it",
            );
        }
        if !(self.t_end.is_finite() && self.t_end > 0.0) {
            return bad("t_end", "expected a positive time in s");
        }
        let is_positive = |value: &f64| value.is_finite() && *value > 0.0;
        if !self.step.iter().all(is_positive) {
            return bad("step", "expected a positive number of seconds");
        }
        if !self.largest_step.iter().all(is_positive) {
            return bad("largest_step", "expected a positive number of seconds");
        }
        if !self.gravity.iter().all(|value| value.is_finite()) {
            return bad("gravity", "expected finite numbers");
        }
        if !self.time_events.iter().all(|moment| moment.is_finite()) {
            return bad("time_events", "expected finite moments");
        }
        if self.bodies.is_empty() {
            return bad("bodies", "there are no bodies: expected at least one");
        }
        self.check_nonsmooth(text)
    }
}

fn body(entry: &PlaneBodyEntry) -> PlaneBodyData {
    let ([x, y], [vx, vy]) = (entry.position, entry.velocity);
    PlaneBodyData {
        name: entry.name.clone(),
        mass: entry.mass,
        inertia: entry.inertia,
        position: [x, y, entry.angle],
        velocity: [vx, vy, entry.angular_velocity],
    }
}

/// A mechanism with all elements of a list, or an error about the first one that it refuses.
fn all_or_one<T>(
    names: &Names,
    entries: &[Spanned<T>],
    mechanism: &PlaneMechanism,
    add: impl Fn(PlaneMechanism, std::ops::Range<usize>) -> Result<PlaneMechanism, PlaneMechanismError>,
) -> Result<PlaneMechanism, FileError> {
    add(mechanism.clone(), 0..entries.len()).map_err(|error| {
        let mut alone = entries.iter().enumerate();
        let first = alone.find(|(index, _)| add(mechanism.clone(), *index..index + 1).is_err());
        let span = first.map_or(0..0, |(_, entry)| entry.span());
        FileError::new(names.text, span, names.words(&error))
    })
}

fn joint(names: &Names, entry: &Spanned<PlaneJointEntry>) -> Result<PlaneJoint, FileError> {
    use PlaneJointName as K;
    let stated = entry.get_ref();
    let keys = Keys {
        text: names.text,
        entry,
        kind: stated.kind.word(),
    };
    let given = [
        ("points", stated.points.is_some()),
        ("direction", stated.direction.is_some()),
        ("angle", stated.angle.is_some()),
        ("ratio", stated.ratio.is_some()),
        ("carrier", stated.carrier.is_some()),
        ("motion", stated.motion.is_some()),
    ];
    let used: &[&str] = match stated.kind {
        K::Revolute => &["points"],
        K::PointOnLine => &["points", "direction"],
        K::Angle => &["angle"],
        K::AngleDrive => &["motion"],
        K::PointDrive | K::SlideDrive => &["points", "direction", "motion"],
        K::Gear => &["ratio", "angle"],
        K::PlanetGear => &["ratio", "angle", "carrier"],
    };
    let unused = given.into_iter().filter(|(key, _)| !used.contains(key));
    keys.refuse(&unused.collect::<Vec<_>>())?;
    let bodies = &stated.bodies;
    names.pair(&keys, bodies)?;
    let [first, second] = names.points(bodies, stated.points)?;
    let points = stated.points.iter().flatten().flatten().copied();
    keys.finite("points", points)?;
    keys.finite("angle", stated.angle)?;
    keys.finite("ratio", stated.ratio)?;
    if stated.ratio == Some(0.0) {
        return Err(keys.bad("ratio", "expected another number than 0"));
    }
    let direction = || {
        let direction: [f64; 2] = keys.needed("direction", stated.direction)?;
        let length = direction[0].hypot(direction[1]);
        match length > 0.0 && length.is_finite() {
            true => Ok(direction),
            false => Err(keys.bad("direction", "it has no direction: expected another vector")),
        }
    };
    let motion = || motion(&keys, stated.motion.as_ref());
    let angle = stated.angle.unwrap_or(0.0);
    Ok(match stated.kind {
        K::Revolute => PlaneJoint::Revolute(first, second),
        K::PointOnLine => PlaneJoint::PointOnLine(first, second, direction()?),
        K::Angle => PlaneJoint::Angle(first.0, second.0, angle),
        K::AngleDrive => PlaneJoint::AngleDrive(first.0, second.0, motion()?),
        K::PointDrive => {
            if second != (None, [0.0; 2]) {
                let reason = "a point-drive counts from the origin of the ground: expected `ground`, and [0.0, 0.0] as its point";
                return Err(keys.bad("bodies", reason));
            }
            PlaneJoint::PointDrive(first, direction()?, motion()?)
        }
        K::SlideDrive => PlaneJoint::SlideDrive(first, second, direction()?, motion()?),
        K::Gear => PlaneJoint::Gear(
            names.moving(&bodies[0])?,
            names.moving(&bodies[1])?,
            keys.needed("ratio", stated.ratio)?,
            angle,
        ),
        K::PlanetGear => PlaneJoint::PlanetGear {
            wheels: [first.0, second.0],
            carrier: match &stated.carrier {
                None => return Err(keys.bad("kind", "the kind `planet-gear` needs `carrier`")),
                Some(carrier) => {
                    let carrier = names.moving(carrier)?;
                    if [first.0, second.0].contains(&Some(carrier)) {
                        let reason =
                            "it is one of the wheels: expected the body that holds their axes";
                        return Err(keys.bad("carrier", reason));
                    }
                    carrier
                }
            },
            ratio: keys.needed("ratio", stated.ratio)?,
            offset: angle,
        },
    })
}

fn force(names: &Names, entry: &Spanned<PlaneForceEntry>) -> Result<PlaneForce, FileError> {
    use PlaneForceName as K;
    let stated = entry.get_ref();
    let keys = Keys {
        text: names.text,
        entry,
        kind: stated.kind.word(),
    };
    let given = [
        ("points", stated.points.is_some()),
        ("stiffness", stated.stiffness.is_some()),
        ("damping", stated.damping.is_some()),
        ("free_length", stated.free_length.is_some()),
        ("free_angle", stated.free_angle.is_some()),
        ("torque", stated.torque.is_some()),
        ("until", stated.until.is_some()),
        ("motion", stated.motion.is_some()),
        ("force", stated.force.is_some()),
    ];
    let used: &[&str] = match stated.kind {
        K::Spring => &["points", "stiffness", "damping", "free_length"],
        K::Torsion => &["stiffness", "damping", "free_angle"],
        K::Torque => &["torque", "until", "motion"],
        K::Constant => &["points", "force"],
    };
    let unused = given.into_iter().filter(|(key, _)| !used.contains(key));
    keys.refuse(&unused.collect::<Vec<_>>())?;
    if stated.kind == K::Torque {
        match (stated.torque, &stated.motion, stated.until) {
            (Some(_), Some(_), _) => {
                return Err(keys.bad(
                    "motion",
                    "there is a `torque` as well: expected one of them",
                ));
            }
            (None, None, _) => {
                return Err(keys.bad("kind", "the kind `torque` needs `torque` or `motion`"));
            }
            (None, _, Some(_)) => {
                return Err(keys.bad("until", "expected it beside a constant `torque` only"));
            }
            (_, _, Some(end)) if end <= 0.0 => {
                return Err(keys.bad("until", "expected a moment behind the start, in s"));
            }
            _ => {}
        }
    }
    let numbers = [
        ("stiffness", stated.stiffness),
        ("damping", stated.damping),
        ("free_length", stated.free_length),
        ("free_angle", stated.free_angle),
        ("torque", stated.torque),
        ("until", stated.until),
    ];
    for (key, value) in numbers {
        keys.finite(key, value)?;
    }
    let stated_points = stated.points.iter().flatten().flatten().copied();
    keys.finite("points", stated_points)?;
    keys.finite("force", stated.force.into_iter().flatten())?;
    names.pair(&keys, &stated.bodies)?;
    let points = names.points(&stated.bodies, stated.points)?;
    let bodies = points.map(|(body, _)| body);
    let stiffness = || keys.needed("stiffness", stated.stiffness);
    let damping = stated.damping.unwrap_or(0.0);
    Ok(match stated.kind {
        K::Spring => PlaneForce::Spring {
            points,
            stiffness: stiffness()?,
            damping,
            free_length: keys.needed("free_length", stated.free_length)?,
        },
        K::Torsion => PlaneForce::Torsion {
            bodies,
            stiffness: stiffness()?,
            damping,
            free_angle: stated.free_angle.unwrap_or(0.0),
        },
        K::Torque => match (&stated.motion, stated.until) {
            (Some(torque), _) => PlaneForce::DrivenTorque(bodies, motion(&keys, Some(torque))?),
            (None, Some(until)) => {
                PlaneForce::TorqueUntil(bodies, keys.needed("torque", stated.torque)?, until)
            }
            (None, None) => PlaneForce::Torque(bodies, keys.needed("torque", stated.torque)?),
        },
        K::Constant => {
            if points[1] != (None, [0.0; 2]) {
                return Err(keys.bad(
                    "bodies",
                    "a constant force has no counterpart: expected `ground`",
                ));
            }
            PlaneForce::Constant(points[0], keys.needed("force", stated.force)?)
        }
    })
}

fn friction(
    names: &Names,
    entry: &Spanned<PlaneFrictionEntry>,
) -> Result<PlaneFriction, FileError> {
    use PlaneFrictionName as K;
    let stated = entry.get_ref();
    let keys = Keys {
        text: names.text,
        entry,
        kind: match stated.kind {
            K::Guide => "guide",
            K::TwoPads => "two-pads",
            K::Pin => "pin",
        },
    };
    let given = [
        ("angle", stated.angle.is_some(), stated.kind == K::TwoPads),
        ("length", stated.length.is_some(), stated.kind == K::TwoPads),
        ("radius", stated.radius.is_some(), stated.kind == K::Pin),
    ];
    keys.refuse(&given.map(|(key, stated, used)| (key, stated && !used)))?;
    let joint = names.joint(&stated.joint)?;
    Ok(match stated.kind {
        K::Guide => PlaneFriction::Guide(joint),
        K::TwoPads => PlaneFriction::TwoPads {
            line: joint,
            angle: match &stated.angle {
                Some(angle) => names.joint(angle)?,
                None => return Err(keys.bad("kind", "the kind `two-pads` needs `angle`")),
            },
            length: keys.needed("length", stated.length)?,
        },
        K::Pin => PlaneFriction::Pin {
            joint,
            radius: keys.needed("radius", stated.radius)?,
        },
    })
}

/// The mechanism with a contact.
fn touching(
    names: &Names,
    entry: &Spanned<PlaneContactEntry>,
    mechanism: PlaneMechanism,
) -> Result<PlaneMechanism, FileError> {
    let stated = entry.get_ref();
    let bad = |key, reason: String| FileError::of_key(names.text, entry.span(), key, reason);
    let pair = stated.pair.pairing();
    let pair = pair.map_err(|error| bad("pair", error.to_string()))?;
    if let PlanePairEntry::DiscOnWedges { copies: 0, .. } = stated.pair {
        return Err(bad(
            "pair",
            "there are no corners: expected `copies` of 1 or more".to_owned(),
        ));
    }
    let slides = !matches!(pair, PlanePairing::Rope(_) | PlanePairing::AngularStop(_));
    if stated.friction.is_some() && !slides {
        return Err(bad(
            "friction",
            "nothing slides in a rope or a stop: expected none".to_owned(),
        ));
    }
    let law = Contact::new(&stated.name, stated.restitution);
    let law = match stated.friction {
        Some(friction) => law.with_planar_friction(friction),
        None => law,
    };
    let keys = Keys {
        text: names.text,
        entry,
        kind: "contact",
    };
    let bodies = names.pair(&keys, &stated.bodies)?;
    let touching = mechanism.with_contact(law, bodies, pair);
    touching.map_err(|error| bad("name", names.words(&error)))
}

/// The mechanism with an output.
fn shown(
    names: &Names,
    entry: &Spanned<PlaneOutputEntry>,
    mechanism: PlaneMechanism,
    drives: impl Fn(usize) -> bool,
) -> Result<PlaneMechanism, FileError> {
    use PlaneQuantityName as Q;
    let stated = entry.get_ref();
    let bad = |key, reason: &str| FileError::of_key(names.text, entry.span(), key, reason);
    let quantity = stated.quantity;
    let probe: Box<dyn Fn(&PlaneSnapshot) -> f64 + Send + Sync> =
        match (&stated.body, &stated.joint) {
            (Some(body), None) if !quantity.is_of_joint() => {
                let turns = matches!(quantity, Q::Angle | Q::Omega | Q::Alpha);
                if turns && stated.point.is_some() {
                    return Err(bad(
                        "point",
                        "all points of a body turn alike: expected none",
                    ));
                }
                let mut parts = stated.point.into_iter().flatten();
                if !parts.all(f64::is_finite) {
                    return Err(bad("point", "expected finite numbers"));
                }
                let (body, point) = (names.body(body)?, stated.point.unwrap_or_default());
                Box::new(move |now| match quantity {
                    Q::X => now.point(body, point).x,
                    Q::Y => now.point(body, point).y,
                    Q::Vx => now.point_velocity(body, point).x,
                    Q::Vy => now.point_velocity(body, point).y,
                    Q::Ax => now.point_acceleration(body, point).x,
                    Q::Ay => now.point_acceleration(body, point).y,
                    Q::Angle => now.angle(body),
                    Q::Omega => now.omega(body),
                    _ => now.angular_acceleration(body),
                })
            }
            (None, Some(joint)) if quantity.is_of_joint() => {
                if stated.point.is_some() {
                    return Err(bad("point", "a joint has its own point: expected none"));
                }
                let joint = names.joint(joint)?;
                if quantity == Q::Effort && !drives(joint) {
                    let reason = "the joint is no drive: expected `force-x`, `force-y` or `torque`";
                    return Err(bad("quantity", reason));
                }
                Box::new(move |now| match (quantity, now.reaction(joint)) {
                    (Q::Effort, _) => now.effort(joint),
                    (_, None) => f64::NAN,
                    (Q::ForceX, Some(reaction)) => reaction.force.x,
                    (Q::ForceY, Some(reaction)) => reaction.force.y,
                    (_, Some(reaction)) => reaction.torque,
                })
            }
            (Some(_), None) => {
                return Err(bad("quantity", "bodies do not have it: expected a `joint`"));
            }
            (None, Some(_)) => {
                return Err(bad("quantity", "joints do not have it: expected a `body`"));
            }
            _ => return Err(bad("name", "expected a `body` or a `joint`, one of them")),
        };
    let shown = mechanism.with_probe(&stated.name, probe);
    shown.map_err(|error| bad("name", &error.to_string()))
}

impl PlaneQuantityName {
    fn is_of_joint(self) -> bool {
        matches!(
            self,
            Self::ForceX | Self::ForceY | Self::Torque | Self::Effort
        )
    }
}
