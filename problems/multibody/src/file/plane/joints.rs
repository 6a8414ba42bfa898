//! Joints and drives of a plane mechanism.

use super::entries::{PlaneJointEntry, PlaneJointName};
use super::keys::{Keys, motion};
use super::names::Names;
use crate::file::FileError;
use crate::plane::PlaneJoint;
use toml::Spanned;

pub(super) fn joint(
    names: &Names,
    entry: &Spanned<PlaneJointEntry>,
) -> Result<PlaneJoint, FileError> {
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
    keys.only(&given, used)?;
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
