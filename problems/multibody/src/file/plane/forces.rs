//! Forces of a plane mechanism, and friction in its joints.

use super::entries::{PlaneForceEntry, PlaneForceName, PlaneFrictionEntry, PlaneFrictionName};
use super::keys::{Keys, motion};
use super::names::Names;
use crate::file::FileError;
use crate::plane::{PlaneForce, PlaneFriction};
use toml::Spanned;

pub(super) fn force(
    names: &Names,
    entry: &Spanned<PlaneForceEntry>,
) -> Result<PlaneForce, FileError> {
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
        K::CartesianSpring => &["points", "stiffness", "damping"],
        K::Torsion => &["stiffness", "damping", "free_angle"],
        K::Torque => &["torque", "until", "motion"],
        K::Constant => &["points", "force"],
    };
    keys.only(&given, used)?;
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
        K::CartesianSpring => PlaneForce::Cartesian {
            points,
            stiffness: stiffness()?,
            damping,
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

pub(super) fn friction(
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
        ("angle", stated.angle.is_some()),
        ("length", stated.length.is_some()),
        ("radius", stated.radius.is_some()),
    ];
    let used: &[&str] = match stated.kind {
        K::Guide => &[],
        K::TwoPads => &["angle", "length"],
        K::Pin => &["radius"],
    };
    keys.only(&given, used)?;
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
