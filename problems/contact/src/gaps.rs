//! Event functions of contacts without constraint rows.

use crate::equations::wrapped::finite_gap;
use crate::impact::resolve::HIDDEN_FLIGHT;
use crate::{Contact, ContactStatus, Thresholds, UnilateralConstraints};
use liedae::system::{EvaluationError, Point};

/// A contact that opens counts as at least this share of the gap threshold away, so that round-off right after a rebound is no arrival. A
/// larger share would make the function jump at the top of the lowest flights that are followed.
const OPEN_GAP: f64 = HIDDEN_FLIGHT;

/// A redundant contact has opened towards penetration beyond this share of the largest penetration.
const REDUNDANT_GAP: f64 = 1e-2;

/// What has just been released and does not approach may seem to penetrate by this share of the largest penetration.
const SEPARATING_GAP: f64 = 0.5;

/// While it opens, by this share: less than what counts as penetrated.
const OPENING_GAP: f64 = 0.9;

/// The gap of a contact without a row.
#[inline]
pub(crate) fn gap(
    (contact, law, status): (usize, &Contact, ContactStatus),
    own: &Point,
    unilateral: &mut dyn UnilateralConstraints,
    thresholds: &Thresholds,
) -> Result<f64, EvaluationError> {
    let gap = unilateral.gap(contact, own)?;
    let gap = finite_gap(gap, law, own.t)?;
    let near = gap < OPEN_GAP * thresholds.gap && gap > -thresholds.gap;
    match status {
        ContactStatus::Open if !near => Ok(gap),
        status => near_gap(status, gap, unilateral, (contact, own), thresholds),
    }
}

/// The event function of a gap where the contact's velocity or rows matter as well.
#[inline(never)]
fn near_gap(
    status: ContactStatus,
    gap: f64,
    unilateral: &mut dyn UnilateralConstraints,
    (contact, own): (usize, &Point),
    thresholds: &Thresholds,
) -> Result<f64, EvaluationError> {
    Ok(match status {
        // A contact that opens cannot arrive. A gap below zero is then round-off right after a rebound, or, at the end
        // of a flight of one step, the lag between positions and velocities of a method of first order. It may be no
        // deeper than that: a body that grazes and turns back by itself has had an impact.
        ContactStatus::Open => {
            let rate = unilateral.gap_rate(contact, own)?;
            if rate > thresholds.velocity {
                OPEN_GAP * thresholds.gap
            } else {
                gap
            }
        }
        // It opens with no velocity at all. When it returns, its gap counts; without an approach a negative
        // gap is an error of the method's positions, O(h²) in the first step of one of first order, and
        // while it opens it cannot arrive. Deeper down it has been missed.
        ContactStatus::Separating => {
            let rate = unilateral.gap_rate(contact, own)?;
            if rate < -thresholds.velocity {
                gap
            } else {
                let opens = rate > 0.0 && gap > -OPENING_GAP * thresholds.penetration;
                let gap = if opens { gap.max(0.0) } else { gap };
                gap + SEPARATING_GAP * thresholds.penetration
            }
        }
        // Drift of the rows that imply it is no penetration.
        _ => gap + REDUNDANT_GAP * thresholds.penetration,
    })
}
