//! Contacts that share forces: what redundant rows leave open, and how far all of them are from slipping or opening.
//!
//! Where rows of closed contacts are redundant, only independent ones are rows of the system, and their multipliers are
//! one split of the forces among many with the same effect on the motion. Columns of forces,
//!
//! ```text
//! g_N           of a contact without friction,
//! g_N, g_T      of one that sticks, in space both of its sliding directions,
//! g_N - μ s g_T of one that slides in the direction s,
//! ```
//!
//! are independent, a base, or sums of columns of the base; each of the latter is a direction of splits. Contacts with
//! directions in common form a group. As long as any split is admissible, all N ≥ 0, and |T| ≤ μ N where a contact sticks, all
//! contacts of the group stay closed and go on sticking. That is the static theorem of limit analysis (J. Heyman, Int.
//! J. Solids Struct. 2 (1966), 249-279, doi:10.1016/0020-7683(66)90018-7), with Coulomb's friction a choice: sliding may be
//! possible as well. The event function of a group is the largest margin of all splits, continuous in forces and
//! configuration. In space the limits are cones.
//!
//! Joints that stick take part by the friction that holds them, a column too, and by what presses them. Their limit
//! is |T| <= μ Σ|N_k|, with N_k linear in the forces, and not convex; a group has Σ n_k · N_k in its place, with the
//! directions n_k of the last event: no more than Σ|N_k|, and the same there. Splits that change what presses a joint
//! that slides are left out, since they would change its friction. A contact whose gap joints alone keep closed carries
//! no force. Normal forces that are shares of others ([`yielding`](super::yielding)) are given: no split changes them.
//! What is dependent is decided at events; the coefficients are those of each moment, and so is the base where
//! that of the event has become dependent.

use crate::closed::distribution_lp::Splits;
use crate::closed::participants::{Carrier, Column, Direction, Hold, Holders, StickingJoint};
use crate::closed::response::Response;
use crate::complementarity::LcpError;
use crate::equations::Equations;
use crate::equations::rows::{Level, Quantity};
use crate::equations::slides::Slide;
use crate::event_slack::EventSlack;
use crate::laws::dependence::Dependence;
use crate::{Contact, ContactSystem, failed};
use liedae::system::{EvaluationError, Point, System};

/// A contact of a group.
#[derive(Clone, Copy, Debug)]
struct Member {
    contact: usize,
    hold: Hold,
    /// Its normal and its tangential columns among those of the group.
    columns: [Option<usize>; 3],
    /// Whether its limit is a cone.
    is_spatial: bool,
}

/// Contacts that share forces.
#[derive(Debug)]
struct Group {
    members: Vec<Member>,
    /// Joints with their columns.
    joints: Vec<(StickingJoint, Option<usize>)>,
    /// The base, then those that depend on it, then those that are given.
    columns: Vec<Column>,
    base: usize,
}

/// All contacts that share forces, and memory for their splits.
#[derive(Default)]
pub(crate) struct ForceDistribution {
    groups: Vec<Group>,
    splits: Splits,
    rows: Vec<f64>,
    accelerations: Vec<f64>,
    row: Vec<f64>,
    /// Multipliers of the system's own rows by unit forces, one row for each column.
    reactions: Vec<f64>,
    dependence: Dependence,
    /// Of sticking contacts in space, of whose tangential rows one only is a row of the system: its share of both, as last computed.
    strengths: Vec<f64>,
    with_one_row: Dependence,
    /// Of every group, as last computed.
    margins: Vec<f64>,
    /// By how much the limits of every group were passed when the last event found that it holds nevertheless.
    granted: Vec<f64>,
    /// When that was found, of those whose limits have not been looked at since.
    holds_at: Vec<Option<f64>>,
    /// Normal force and friction of every contact that shares forces, as last computed; in space the length of friction.
    forces: Vec<[f64; 2]>,
    /// Friction of every joint that shares forces, as last computed.
    joint_forces: Vec<f64>,
    /// By how much the multipliers of the wrapped system's rows differ with them from those of the state; zero where
    /// nothing is shared.
    pub changes: Vec<f64>,
}

impl ForceDistribution {
    /// Nothing is shared.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.changes.fill(0.0);
    }

    /// Whether forces are shared at all.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The group of a contact.
    pub fn group_of(&self, contact: usize) -> Option<usize> {
        let has = |group: &Group| group.members.iter().any(|member| member.contact == contact);
        self.groups.iter().position(has)
    }

    /// The contacts of a group.
    pub fn contacts_of(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        self.groups[group]
            .members
            .iter()
            .map(|member| member.contact)
    }

    /// The joints of a group.
    pub fn joints_of(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        self.groups[group]
            .joints
            .iter()
            .map(|(joint, _)| joint.joint)
    }

    /// Of a sticking contact in space of which one tangential direction only has a row: how much of what other rows leave of its
    /// sliding that row holds, from 0 to 1, as last computed.
    pub fn strength(&self, contact: usize) -> f64 {
        self.strengths.get(contact).copied().unwrap_or(1.0)
    }

    /// Whether a joint shares forces.
    pub fn has_joint(&self, joint: usize) -> bool {
        (0..self.groups.len()).any(|group| self.joints_of(group).any(|other| other == joint))
    }

    /// The friction of a joint that shares forces, as last computed.
    pub fn joint_friction(&self, joint: usize) -> Option<f64> {
        self.has_joint(joint).then(|| self.joint_forces[joint])
    }

    /// The contact that has the event function of a group: the first one with a normal force.
    pub fn leader(&self, group: usize) -> Option<usize> {
        let group = &self.groups[group];
        let mut members = group.members.iter();
        let leads = |member: &&Member| {
            let carrier = member.columns[0].map(|column| group.columns[column].carrier);
            carrier.is_some_and(|carrier| carrier != Carrier::Nothing)
        };
        members.find(leads).map(|member| member.contact)
    }

    /// The largest margin of a group, as last computed.
    pub fn margin(&self, group: usize) -> f64 {
        self.margins[group]
    }

    /// Normal force and friction of a contact that shares forces, as last computed; in space the length of friction.
    pub fn forces(&self, contact: usize) -> Option<[f64; 2]> {
        self.group_of(contact)?;
        self.forces.get(contact).copied()
    }

    /// Forms the groups of these columns with these directions of splits.
    pub fn form(
        &mut self,
        contacts: &[Contact],
        columns: &[Column],
        holders: &Holders,
        directions: &[Direction],
    ) {
        self.clear();
        let holds = &holders.contacts;
        // Contacts, and behind them joints, with a direction in common have the same number.
        let count = holds.len() + holders.joints.len();
        let mut numbers: Vec<usize> = (0..count).collect();
        let member_of = |column: usize| match columns[column].quantity {
            Quantity::Gap(contact) | Quantity::Sliding(contact) | Quantity::Tangent(contact, _) => {
                holds.iter().position(|&(other, _)| other == contact)
            }
            Quantity::Joint(joint) => {
                let place = holders.joints.iter().position(|one| one.joint == joint);
                place.map(|place| holds.len() + place)
            }
        };
        for Direction { entries, joints } in directions {
            let places = entries.iter().filter_map(|&(column, _)| member_of(column));
            let mut places = places.chain(joints.iter().map(|place| holds.len() + place));
            let Some(first) = places.next() else { continue };
            for place in places {
                let (old, new) = (numbers[place], numbers[first]);
                for number in &mut numbers {
                    if *number == old {
                        *number = new;
                    }
                }
            }
        }
        let dependent: Vec<usize> = directions
            .iter()
            .filter_map(|direction| direction.entries.first().map(|&(column, _)| column))
            .collect();
        for number in 0..count {
            let of_group =
                |column: usize| member_of(column).is_some_and(|place| numbers[place] == number);
            let last: Vec<usize> = dependent.iter().copied().filter(|&c| of_group(c)).collect();
            if last.is_empty() {
                continue;
            }
            let (given, independent): (Vec<usize>, Vec<usize>) = (0..columns.len())
                .filter(|c| of_group(*c) && !dependent.contains(c))
                .partition(|&column| columns[column].is_given());
            let base = independent.len();
            let chosen = [independent, last, given].concat();
            let place = |quantity: Quantity| {
                chosen
                    .iter()
                    .position(|&column| columns[column].quantity == quantity)
            };
            let tangent = |contact: usize, index: usize| {
                chosen
                    .iter()
                    .position(|&column| match columns[column].quantity {
                        Quantity::Tangent(other, tangent) => {
                            (other, tangent.index) == (contact, index)
                        }
                        _ => false,
                    })
            };
            let members = holds
                .iter()
                .zip(&numbers)
                .filter(|(_, own)| **own == number);
            let members = members.map(|(&(contact, hold), _)| Member {
                contact,
                hold,
                columns: [
                    place(Quantity::Gap(contact)),
                    place(Quantity::Sliding(contact)).or_else(|| tangent(contact, 0)),
                    tangent(contact, 1),
                ],
                is_spatial: contacts[contact].is_spatial(),
            });
            let joints = holders.joints.iter().zip(&numbers[holds.len()..]);
            let joints = joints.filter(|(_, own)| **own == number);
            let joints = joints.map(|(one, _)| (one.clone(), place(Quantity::Joint(one.joint))));
            self.groups.push(Group {
                members: members.collect(),
                joints: joints.collect(),
                columns: chosen.iter().map(|&column| columns[column]).collect(),
                base,
            });
        }
        // Joints that hold each other without a contact keep the shares that the decision gave them.
        self.groups.retain(|group| !group.members.is_empty());
        self.margins.resize(self.groups.len(), 0.0);
        self.granted.clear();
        self.granted.resize(self.groups.len(), 0.0);
        self.holds_at.clear();
        self.holds_at.resize(self.groups.len(), None);
    }

    /// Loads the splits of a group: the forces that the rows carry, the directions, and the limits. Returns the largest
    /// `slack`, that of limits of weight 1.
    fn load(
        &mut self,
        group: usize,
        (system, slides): (&mut ContactSystem, &[Slide]),
        response: &mut Response,
        [at, own]: [&Point; 2],
        slack: &EventSlack,
    ) -> Result<f64, EvaluationError> {
        let Group {
            members,
            joints,
            columns,
            base,
        } = &self.groups[group];
        let dimension = system.layout().dimension();
        fit(&mut self.rows, columns.len() * dimension);
        let inner_rows = system.layout().rows();
        fit(&mut self.accelerations, columns.len() * dimension);
        fit(&mut self.row, 2 * dimension);
        fit(&mut self.reactions, columns.len() * inner_rows);
        let is_spatial = |contact: usize| {
            let mut members = members.iter();
            members.any(|member| member.contact == contact && member.is_spatial)
        };
        for (column, row) in columns.iter().zip(self.rows.chunks_exact_mut(dimension)) {
            let memory = column.quantity.memory(1) * dimension;
            column
                .quantity
                .jacobian(system, own, &mut self.row[..memory])?;
            row.copy_from_slice(&self.row[..dimension]);
            if let (Quantity::Gap(contact), true) = (column.quantity, column.slope != 0.0) {
                let sliding = Quantity::Sliding(contact);
                let mut parts = [column.slope, 0.0];
                let mut tangents = 1;
                if is_spatial(contact) {
                    let mut velocity = [0.0; 2];
                    sliding.values(system, Level::Velocity, own, &mut velocity)?;
                    let against = slides[contact].against(velocity);
                    parts = against.map(|part| column.slope * part);
                    tangents = 2;
                }
                let tangential = &mut self.row[..tangents * dimension];
                sliding.jacobian(system, own, tangential)?;
                for (tangential, part) in tangential.chunks_exact(dimension).zip(parts) {
                    for (entry, tangential) in row.iter_mut().zip(tangential) {
                        *entry -= part * tangential;
                    }
                }
            }
        }
        for (column, row) in self.rows.chunks_exact(dimension).enumerate() {
            let acceleration =
                &mut self.accelerations[column * dimension..(column + 1) * dimension];
            let reactions = &mut self.reactions[column * inner_rows..(column + 1) * inner_rows];
            response.respond_to(row, acceleration, reactions, at.t)?;
        }
        let product = |column: usize, other: usize| -> f64 {
            let row = &self.rows[column * dimension..(column + 1) * dimension];
            let acceleration = &self.accelerations[other * dimension..(other + 1) * dimension];
            row.iter().zip(acceleration).map(|(a, b)| a * b).sum()
        };
        let shared = columns.iter().take_while(|column| !column.is_given());
        self.dependence.find(shared.count(), *base, product);
        for member in members {
            let [_, Some(first), Some(second)] = member.columns else {
                continue;
            };
            let [held, other] = match [first < *base, second < *base] {
                [true, false] => [first, second],
                [false, true] => [second, first],
                _ => continue,
            };
            let held = (held, other);
            self.strengths[member.contact] = strength(&mut self.with_one_row, *base, held, product);
        }
        let count = self.dependence.count();
        let splits = &mut self.splits;
        splits.clear();
        self.dependence.directions(&mut splits.directions);
        splits.directions.resize(columns.len() * count, 0.0);
        splits
            .forces
            .extend(columns.iter().map(|column| column.carrier.force(at)));
        let slack_of = |one: &StickingJoint| slack.slip[one.joint] / one.coefficient;
        let most = members.iter().map(|member| slack.release[member.contact]);
        let most = most.chain(joints.iter().map(|(one, _)| slack_of(one)));
        let most = most.fold(f64::MIN_POSITIVE, f64::max);
        for (one, column) in joints {
            let pressing = one.pressing(own.lambda);
            let reactions = self.reactions.chunks_exact(inner_rows.max(1));
            let by_column: Vec<f64> = reactions.map(|changes| one.pressing(changes)).collect();
            for sign in [1.0, -1.0] {
                let factor = sign / one.coefficient;
                let held = column.map_or(0.0, |column| splits.forces[column]);
                splits.limits.push(pressing + factor * held);
                splits.slopes.extend((0..count).map(|direction| {
                    let along = |column: usize| splits.directions[column * count + direction];
                    let presses = by_column.iter().enumerate();
                    let presses = presses.map(|(column, by)| by * along(column)).sum::<f64>();
                    presses + column.map_or(0.0, |column| factor * along(column))
                }));
                splits.weights.push(slack_of(one) / most);
            }
        }
        for member in members {
            let [Some(normal), tangential, second] = member.columns else {
                continue;
            };
            let weight = slack.release[member.contact] / most;
            if let (Hold::Sticks { coefficient }, true) = (member.hold, member.is_spatial) {
                let friction = 1.0 / coefficient;
                let rows = [
                    (Some(normal), 1.0),
                    (tangential, friction),
                    (second, friction),
                ];
                for (column, factor) in rows {
                    let force = column.map_or(0.0, |column| factor * splits.forces[column]);
                    splits.cones.limits.push(force);
                    let along = |direction: usize| {
                        let place = column.map(|column| column * count + direction);
                        place.map_or(0.0, |place| factor * splits.directions[place])
                    };
                    splits.cones.slopes.extend((0..count).map(along));
                }
                splits.cones.weights.push(weight);
                continue;
            }
            let mut limit = |factor: f64, tangential: usize| {
                let along = |place: usize| splits.directions[place];
                splits
                    .limits
                    .push(splits.forces[normal] + factor * splits.forces[tangential]);
                let both = (0..count).map(|direction| {
                    along(normal * count + direction)
                        + factor * along(tangential * count + direction)
                });
                splits.slopes.extend(both);
                splits.weights.push(weight);
            };
            match (member.hold, tangential) {
                (Hold::Sticks { coefficient }, Some(tangential)) => {
                    limit(1.0 / coefficient, tangential);
                    limit(-1.0 / coefficient, tangential);
                }
                _ => limit(0.0, normal),
            }
        }
        Ok(most)
    }

    /// The largest margin of the splits that are loaded: a force, negative if none is admissible.
    fn largest_margin(&mut self, slack: f64) -> Result<f64, LcpError> {
        // Forces that lock themselves have no largest margin.
        let all: f64 = self.splits.forces.iter().map(|force| force.abs()).sum();
        self.splits
            .largest_margin(self.dependence.count(), all + slack)
    }

    /// Computes the margins of all groups, each a force by which all limits of the best split are kept, plus the one by which
    /// they may be passed, its `slack`.
    pub fn compute_margins(
        &mut self,
        equations: &mut Equations,
        response: &mut Response,
        slack: &EventSlack,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        self.each_group(equations, (response, slack), at, |sharing, group, slack| {
            let margin = sharing.largest_margin(slack)?;
            if sharing.holds_at[group].take() == Some(at.t) {
                sharing.granted[group] = -GRANTED * margin;
            }
            sharing.margins[group] = margin + slack.max(sharing.granted[group]);
            Ok(())
        })
    }

    /// Groups of these contacts hold, as an event of theirs has found: what they pass their limits by at this time is granted, or
    /// it would be found again and again. What is at its limits and accelerates by less than the threshold holds; it is looked at again when
    /// far more is missing.
    ///
    /// It is granted when margins are computed for the first time, with the forces that belong to the rows.
    pub fn grant(&mut self, contacts: &[usize], t: f64) {
        for group in 0..self.groups.len() {
            if self.contacts_of(group).any(|one| contacts.contains(&one)) {
                self.holds_at[group] = Some(t);
            }
        }
    }

    /// Computes normal force and friction of all contacts that share forces: those of the admissible split of least norm.
    /// Without an admissible split the one of least norm is taken among those that come nearest to it.
    pub fn split_forces(
        &mut self,
        equations: &mut Equations,
        response: &mut Response,
        slack: &EventSlack,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let inner_rows = equations.inner.layout().rows();
        fit(&mut self.changes, inner_rows);
        self.each_group(equations, (response, slack), at, |sharing, group, slack| {
            let margin = sharing.largest_margin(slack)?;
            // At the limit there is one split only, which round-off may hide.
            let floor = (margin - slack).min(0.0);
            let Group {
                members, joints, ..
            } = &sharing.groups[group];
            let count = sharing.dependence.count();
            sharing.splits.shorten(count, floor)?;
            for (column, change) in sharing.splits.changes.iter().enumerate() {
                let reactions = &sharing.reactions[column * inner_rows..(column + 1) * inner_rows];
                for (total, reaction) in sharing.changes.iter_mut().zip(reactions) {
                    *total += change * reaction;
                }
            }
            for (one, column) in joints {
                let force = column.map(|column| sharing.splits.forces[column]);
                sharing.joint_forces[one.joint] = force.unwrap_or(0.0);
            }
            for member in members {
                let force = |column: Option<usize>| {
                    column.map_or(0.0, |column| sharing.splits.forces[column])
                };
                let normal = force(member.columns[0]);
                let [_, first, second] = member.columns;
                let friction = match member.hold {
                    Hold::Slides { slope } => -slope * normal,
                    _ if member.is_spatial => force(first).hypot(force(second)),
                    _ => force(first),
                };
                let friction = match member.is_spatial {
                    true => friction.abs(),
                    false => friction,
                };
                sharing.forces[member.contact] = [normal, friction];
            }
            Ok(())
        })
    }

    /// Loads one group after the other; the last argument is the largest force by which its limits may be passed.
    fn each_group(
        &mut self,
        equations: &mut Equations,
        (response, slack): (&mut Response, &EventSlack),
        at: &Point,
        mut work: impl FnMut(&mut Self, usize, f64) -> Result<(), LcpError>,
    ) -> Result<(), EvaluationError> {
        if self.is_empty() {
            return Ok(());
        }
        let (system, inside) = equations.inside(at);
        let own = inside.at;
        response.factor_with_joints(system, &own)?;
        self.forces.resize(inside.contacts.len(), [0.0; 2]);
        self.strengths.clear();
        self.strengths.resize(inside.contacts.len(), 1.0);
        self.joint_forces.resize(inside.joints.len(), 0.0);
        for group in 0..self.groups.len() {
            let seen = (&mut *system, inside.slides);
            let most = self.load(group, seen, response, [at, &own], slack)?;
            work(self, group, most)
                .map_err(|error| failed(at.t, format!("forces of redundant contacts: {error}")))?;
        }
        Ok(())
    }
}

/// Multiple of what a group passes its limits by that is granted: much, so that it takes more than the tolerance of event times until it is
/// missing, and far less than the forces, of which the first slack is some 1e-11.
const GRANTED: f64 = 1e3;

/// Of what the rest of a base leaves of two columns, one of them of the base and one beside it: the share of the former.
fn strength(
    memory: &mut Dependence,
    base: usize,
    (held, other): (usize, usize),
    product: impl Fn(usize, usize) -> f64,
) -> f64 {
    let beside = base - 1;
    let column = |place: usize| match place {
        place if place < held => place,
        place if place < beside => place + 1,
        place if place == beside => held,
        _ => other,
    };
    memory.find_among(base + 1, beside, |i, j| product(column(i), column(j)));
    let [held, other] = [beside, base].map(|place| memory.rest(place).max(0.0));
    let both = held + other;
    if both > 0.0 { held / both } else { 1.0 }
}

fn fit(memory: &mut Vec<f64>, size: usize) {
    memory.clear();
    memory.resize(size, 0.0);
}
