//! Contacts, ropes and stops of a plane mechanism.

use super::entries::{PlaneContactEntry, PlanePairEntry};
use super::keys::Keys;
use super::names::Names;
use crate::file::FileError;
use crate::plane::geometry::{
    AngularStop, ArcCam, DiscInCircle, DiscOnArcCam, DiscOnDisc, DiscOnLine, DiscOnWedges,
    GeometryError, HalfPlane, Rope, Wedges,
};
use crate::plane::{PlaneMechanism, PlanePairing};
use liedae_contact::Contact;
use toml::Spanned;

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

/// The mechanism with a contact.
pub(super) fn touching(
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
