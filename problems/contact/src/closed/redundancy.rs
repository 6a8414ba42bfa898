//! Which closed contacts share forces, decided at events.

use crate::closed::force_distribution::ForceDistribution;
use crate::closed::participants::{Carrier, Column, Direction, Hold, Holders, StickingJoint};
use crate::closed::response::Response;
use crate::closed::selection::Selection;
use crate::closed::thresholds::CANCELLED;
use crate::equations::Equations;
use crate::equations::rows::{Quantity, TANGENTS, Tangent};
use crate::equations::structure::Stick;
use crate::event_sets::{Closed, along_and_across};
use crate::laws::dependence::{DEPENDENT, TAKES_NO_PART};
use crate::laws::friction::Friction;
use crate::laws::problem::ContactForces;
use crate::{ContactStatus, FrictionJoint, JointStatus};
use liedae::system::System;

/// How each closed contact without a row of its own takes part in carrying forces; `None` if it does not. It slides with this
/// acceleration; below `still` is none.
pub(crate) fn hold_redundantly(
    law: Friction,
    (sliding, still): (f64, f64),
    implied: bool,
) -> Option<Hold> {
    match law {
        Friction::None => Some(Hold::Frictionless),
        Friction::Sliding { coefficient, sign } => Some(Hold::Slides {
            slope: coefficient * sign,
        }),
        Friction::Limited { coefficient } | Friction::Cone { coefficient } if implied => {
            Some(Hold::Sticks { coefficient })
        }
        // What of a cone slides has been turned to its sliding before.
        Friction::Cone { .. } => None,
        Friction::Limited { coefficient } => {
            let begins = sliding.abs() > still;
            begins.then_some(Hold::Slides {
                slope: coefficient * sliding.signum(),
            })
        }
    }
}

impl ForceDistribution {
    /// Forms the groups of contacts and joints that share forces, with the response and the rows as they are. `redundant` belongs to
    /// `closed`, for contacts without a row; `reactions` are the multipliers of the wrapped system's rows.
    pub fn share(
        &mut self,
        equations: &Equations,
        response: &Response,
        closed: &[Closed],
        (redundant, reactions): (&[Option<Hold>], &[f64]),
    ) {
        self.clear();
        let statuses = &equations.statuses.contacts;
        let complete = closed.iter().all(|closed| {
            let redundantly = matches!(
                statuses[closed.contact],
                ContactStatus::Redundant | ContactStatus::StickingRedundantly
            );
            !redundantly
                && equations.statuses.only[closed.contact].is_none()
                && equations.statuses.loads[closed.contact].is_empty()
        });
        let count = closed.len();
        let structure = &equations.structure;
        let first_normal = equations.inner.layout().position_rows;
        let place = |list: &[usize], first: usize, contact: usize| {
            let place = list.iter().position(|&other| other == contact);
            place.map(|place| first + place)
        };
        let mut holds = Vec::new();
        let mut columns = Vec::new();
        // Rows of the response: a column is the first less the slope times the second.
        let mut sources = Vec::new();
        for (index, closed) in closed.iter().enumerate() {
            let contact = closed.contact;
            let coefficient = equations.contacts[contact].friction;
            let hold = match statuses[contact] {
                ContactStatus::Open | ContactStatus::Separating => None,
                ContactStatus::Closed => Some(Hold::Frictionless),
                ContactStatus::Sticking | ContactStatus::StickingRedundantly => {
                    Some(Hold::Sticks { coefficient })
                }
                ContactStatus::SlidingForward => Some(Hold::Slides { slope: coefficient }),
                ContactStatus::SlidingBackward => Some(Hold::Slides {
                    slope: -coefficient,
                }),
                ContactStatus::Redundant => redundant.get(index).copied().flatten(),
            };
            let Some(hold) = hold else {
                continue;
            };
            // What joints alone imply is round-off in the response.
            if response.is_implied(index) {
                continue;
            }
            holds.push((contact, hold));
            let slope = match hold {
                Hold::Slides { slope } => slope,
                _ => 0.0,
            };
            let row = Carrier::of_row(place(&structure.normals, first_normal, contact));
            let load = structure
                .variable_of(contact)
                .filter(|_| !equations.statuses.loads[contact].is_empty());
            columns.push(Column {
                quantity: Quantity::Gap(contact),
                slope,
                carrier: load.map_or(row, |variable| {
                    Carrier::Variable(equations.inner.layout().algebraic + variable, 1.0)
                }),
            });
            sources.push((index, count + index));
            if !matches!(hold, Hold::Sticks { .. }) {
                continue;
            }
            let stick = structure.stick_of(contact);
            let Some(second) = response.seconds[index] else {
                columns.push(Column {
                    quantity: Quantity::Sliding(contact),
                    slope: 0.0,
                    carrier: Carrier::of_row(stick.map(|stick| stick.rows.start)),
                });
                sources.push((count + index, count + index));
                continue;
            };
            for (which, source) in [count + index, second].into_iter().enumerate() {
                if response.is_implied(source) {
                    continue;
                }
                let direction = closed.given(TANGENTS[which]);
                let mut rows = stick.into_iter().flat_map(Stick::directions);
                // Rows are along these directions or across them.
                let row =
                    rows.find(|&(_, other)| along_and_across(direction, other)[0].abs() > 0.5);
                let tangent = Tangent {
                    index: which,
                    direction,
                };
                columns.push(Column {
                    quantity: Quantity::Tangent(contact, tangent),
                    slope: 0.0,
                    carrier: Carrier::of_row(row.map(|(row, _)| row)),
                });
                sources.push((source, source));
            }
        }
        let mut joints = Vec::new();
        let first_variable = structure.layout.algebraic - structure.joint_slides.len();
        for (joint, law) in equations.joints.iter().enumerate() {
            if !equations.statuses.joints[joint].is_sticking() || law.friction == 0.0 {
                continue;
            }
            if is_locked(equations, response, joint) {
                continue;
            }
            let slides = &structure.joint_slides;
            let carrier = match structure.row_of_joint(joint) {
                Some(row) => Carrier::Row(row),
                None => slides.iter().position(|slide| slide.joint == joint).map_or(
                    Carrier::Nothing,
                    |index| {
                        Carrier::Variable(
                            first_variable + index,
                            -law.friction * slides[index].factor,
                        )
                    },
                ),
            };
            columns.push(Column {
                quantity: Quantity::Joint(joint),
                slope: 0.0,
                carrier,
            });
            sources.push((2 * count + joint, 2 * count + joint));
            let mut presses = Vec::new();
            law.normal_force_slope(reactions, |row, factor| presses.push((row, factor)));
            joints.push(StickingJoint {
                joint,
                coefficient: law.friction,
                presses,
            });
        }
        let complete = complete
            && equations
                .statuses
                .joints
                .iter()
                .all(|&status| status != JointStatus::StickingRedundantly);
        if complete && !columns.iter().any(|column| column.slope != 0.0) {
            return;
        }
        let holders = Holders {
            contacts: holds,
            joints,
        };
        let directions = directions(equations, response, (&columns, &sources), &holders);
        self.form(&equations.contacts, &columns, &holders, &directions);
    }
}

/// Whether a joint stays at rest whatever its friction: other joints lock it. Its friction moves nothing, and what presses it is
/// no limit.
fn is_locked(equations: &Equations, response: &Response, joint: usize) -> bool {
    let row = 2 * response.seconds.len() + joint;
    equations.statuses.joints[joint].is_sticking() && response.is_implied(row)
}

/// Directions of splits of these columns.
fn directions(
    equations: &Equations,
    response: &Response,
    (columns, sources): (&[Column], &[(usize, usize)]),
    holders: &Holders,
) -> Vec<Direction> {
    let (matrix, free) = (&response.matrix, &response.free_diagonal);
    let size = free.len();
    let number = columns.len();
    let parts = |column: usize| {
        let (first, second) = sources[column];
        [(first, 1.0), (second, -columns[column].slope)]
    };
    let sum = |i: usize, j: usize| -> f64 {
        let products = parts(i).into_iter().flat_map(|(row, a)| {
            let of = move |(column, b): (usize, f64)| (row * size + column, a * b);
            parts(j).into_iter().map(of)
        });
        products.map(|(place, factor)| factor * matrix[place]).sum()
    };
    let gram: Vec<f64> = (0..number * number)
        .map(|place| sum(place / number, place % number))
        .collect();
    let scale: Vec<f64> = (0..number)
        .map(|column| {
            let [(first, _), (second, slope)] = parts(column);
            free[first] + slope * slope * free[second]
        })
        .collect();
    let length = |column: usize| gram[column * (number + 1)].max(0.0).sqrt();
    let mut order: Vec<usize> = (0..number).filter(|&c| !columns[c].is_given()).collect();
    order.sort_by_key(|&column| !columns[column].carrier.is_row());
    let mut selection = Selection::new(&gram, &scale);
    let mut directions = Vec::new();
    for column in order {
        if length(column).powi(2) <= DEPENDENT * scale[column] {
            continue;
        }
        let Err(shares) = selection.accept(column) else {
            continue;
        };
        let own = length(column);
        let shares = selection.rows.iter().zip(shares);
        let shares =
            shares.filter(|&(&base, share)| share.abs() * length(base) > TAKES_NO_PART * own);
        let mut entries = vec![(column, -1.0)];
        entries.extend(shares.map(|(&base, share)| (base, share)));
        let changes = entries
            .iter()
            .flat_map(|&(column, share)| parts(column).map(|(row, factor)| (row, share * factor)));
        let changes: Vec<_> = changes.collect();
        let pressed = (0..equations.joints.len()).filter(|&joint| {
            let law = &equations.joints[joint];
            law.friction > 0.0
                && !is_locked(equations, response, joint)
                && presses(law, response, &changes)
        });
        let sticking = |joint: usize| holders.joints.iter().position(|one| one.joint == joint);
        if let Some(joints) = pressed.map(sticking).collect() {
            directions.push(Direction { entries, joints });
        }
    }
    directions
}

/// Whether these changes of forces in rows of the response change what presses a joint with friction.
fn presses(joint: &FrictionJoint, response: &Response, changes: &[(usize, f64)]) -> bool {
    joint.supports.iter().any(|support| {
        (0..support.components.len()).any(|index| {
            let terms = changes.iter().map(|&(row, change)| {
                change * support.component(index, response.reactions_of(row))
            });
            let (sum, size) = terms.fold((0.0, 0.0_f64), |(sum, size), term: f64| {
                (sum + term, size + term.abs())
            });
            sum.abs() > CANCELLED * size
        })
    })
}

/// What opens and what slides when contacts that share forces can hold no longer: in the problem that they pose with all
/// their limits drawn in by a little. Returns the contacts that open, as numbers within `closed`, and sets the friction of
/// those that slide.
pub(crate) fn give_way(
    forces: &ContactForces,
    sharing: &[usize],
    still: f64,
    friction: &mut [Friction],
) -> Vec<usize> {
    let count = friction.len();
    for &index in sharing {
        let (normal, tangential) = (forces.force[index], forces.force[count + index]);
        let motion = forces.motion[count + index];
        if let Friction::Limited { coefficient } = friction[index]
            && let Some(sign) = friction[index].sliding(normal, tangential, motion, still)
        {
            let sign = f64::signum(sign);
            friction[index] = Friction::Sliding { coefficient, sign };
        }
    }
    let opens = |index: &usize| forces.force[*index] <= 0.0 && forces.motion[*index] > still;
    sharing.iter().copied().filter(opens).collect()
}
