//! Outputs of a plane mechanism.

use super::entries::{PlaneOutputEntry, PlaneQuantityName};
use super::names::Names;
use crate::file::FileError;
use crate::plane::{PlaneMechanism, PlaneSnapshot};
use toml::Spanned;

/// The mechanism with an output.
pub(super) fn shown(
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
    let shown = shown.map_err(|error| bad("name", &error.to_string()))?;
    Ok(shown.with_definition(&stated.name, definition(stated)))
}

/// What an output is.
fn definition(stated: &PlaneOutputEntry) -> String {
    use PlaneQuantityName as Q;
    let of = stated.body.as_ref().or(stated.joint.as_ref());
    let name = of.map_or("", |of| of.0.get_ref().as_str());
    let point = match stated.point {
        None => format!("the centre of mass of {name}"),
        Some([x, y]) => {
            format!("the point ({x}, {y}) m of {name}, in its own frame from the centre of mass,")
        }
    };
    match stated.quantity {
        Q::X => format!("x of {point} in the fixed frame, m"),
        Q::Y => format!("y of {point} in the fixed frame, m"),
        Q::Vx => format!("velocity of {point} along x of the fixed frame, m/s"),
        Q::Vy => format!("velocity of {point} along y of the fixed frame, m/s"),
        Q::Ax => format!("acceleration of {point} along x of the fixed frame, m/s^2"),
        Q::Ay => format!("acceleration of {point} along y of the fixed frame, m/s^2"),
        Q::Angle => format!("angle of {name} in the fixed frame, positive counter-clockwise, rad"),
        Q::Omega => format!("angular velocity of {name}, positive counter-clockwise, rad/s"),
        Q::Alpha => format!("angular acceleration of {name}, positive counter-clockwise, rad/s^2"),
        Q::ForceX => format!("force of joint {name} on its body 2 along x of the fixed frame, N"),
        Q::ForceY => format!("force of joint {name} on its body 2 along y of the fixed frame, N"),
        Q::Torque => format!(
            "torque of joint {name} on its body 2 about the joint's point, positive counter-clockwise, N m"
        ),
        Q::Effort => format!("multiplier of {name}: N m of an angle, N of a point"),
    }
}

impl PlaneQuantityName {
    fn is_of_joint(self) -> bool {
        matches!(
            self,
            Self::ForceX | Self::ForceY | Self::Torque | Self::Effort
        )
    }
}
