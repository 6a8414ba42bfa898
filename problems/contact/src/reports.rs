//! Reports of the status changes at an event.

use crate::equations::structure::Statuses;
use crate::event_sets::{Closed, Fired};
use crate::{Contact, FrictionJoint};
use liedae::system::EventReport;

/// Adds what contacts that took part in an event do that they did not do before.
pub(crate) fn report_contacts(
    contacts: &[Contact],
    [before, after]: [&Statuses; 2],
    closed: &[Closed],
    fired: &Fired,
    reports: &mut Vec<EventReport>,
) {
    for closed in closed {
        let contact = closed.contact;
        let label = &contacts[contact].label;
        let (was, is) = (before.contacts[contact], after.contacts[contact]);
        let moved = fired
            .start
            .as_ref()
            .is_none_or(|start| start.contacts[contact]);
        let struck = reports
            .iter()
            .any(|report| report.kind == "impact" && report.label == *label);
        let kind = match (was, is) {
            _ if was.is_closed() && !is.is_closed() && !struck => "release",
            _ if is.is_sticking() && !was.is_sticking() && moved => "stick",
            _ if was.is_sticking() && is.sliding().is_some() => "slip",
            _ if was.sliding().zip(is.sliding()).is_some_and(|(a, b)| a != b) => "reversal",
            _ => continue,
        };
        reports.push(EventReport::new(kind, label.clone()));
    }
}

/// Adds what joints do that they did not do before.
pub(crate) fn report_joints(
    joints: &[FrictionJoint],
    [before, after]: [&Statuses; 2],
    fired: &Fired,
    reports: &mut Vec<EventReport>,
) {
    for (index, joint) in joints.iter().enumerate() {
        let (was, is) = (before.joints[index], after.joints[index]);
        let moved = fired.start.as_ref().is_none_or(|start| start.joints[index]);
        let kind = if is.is_sticking() && !was.is_sticking() && moved {
            "stick"
        } else if was.is_sticking() && is.sliding().is_some() {
            "slip"
        } else if was.sliding().zip(is.sliding()).is_some_and(|(a, b)| a != b) {
            "reversal"
        } else {
            continue;
        };
        reports.push(EventReport::new(kind, joint.label.clone()));
    }
}
