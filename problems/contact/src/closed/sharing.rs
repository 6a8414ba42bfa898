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
//! Splits that change what presses or holds a joint with friction are left out, since they would change its friction. A
//! contact whose gap joints alone keep closed carries no force. What is dependent is decided at events; the coefficients
//! are those of each moment.

use crate::closed::response::Response;
use crate::closed::splits::Splits;
use crate::complementarity::LcpError;
use crate::equations::Equations;
use crate::equations::rows::{Level, Quantity};
use crate::equations::slides::Slide;
use crate::{Contact, ContactSystem, failed};
use liedae::system::{EvaluationError, Point, System};

/// How a contact takes part in the splits of forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hold {
    /// With a normal force only.
    Frictionless,
    /// With friction up to μ N either way.
    Sticks { coefficient: f64 },
    /// With the friction -slope N.
    Slides { slope: f64 },
}

/// A force in a contact, or in a joint that sticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub quantity: Quantity,
    /// μ s of a contact that slides.
    pub slope: f64,
    /// The row that carries it.
    pub row: Option<usize>,
}

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
    /// The base, then those that depend on it.
    columns: Vec<Column>,
    base: usize,
}

/// All contacts that share forces, and memory for their splits.
#[derive(Default)]
pub(crate) struct Sharing {
    groups: Vec<Group>,
    splits: Splits,
    rows: Vec<f64>,
    accelerations: Vec<f64>,
    row: Vec<f64>,
    /// Multipliers of the system's own rows by unit forces, one row for each column.
    reactions: Vec<f64>,
    factor: Vec<f64>,
    coefficients: Vec<f64>,
    /// Of every group, as last computed.
    margins: Vec<f64>,
    /// Normal force and friction of every contact that shares forces, as last computed; in space the length of friction.
    forces: Vec<[f64; 2]>,
    /// By how much the multipliers of the wrapped system's rows differ with them from those of the state; zero where
    /// nothing is shared.
    pub changes: Vec<f64>,
}

/// Columns and their coefficients, which sum up to nothing: one that depends on the base, first, and those of the base.
pub(crate) struct Direction(pub Vec<(usize, f64)>);

impl Sharing {
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

    /// The contact that has the event function of a group: the first one with a row.
    pub fn leader(&self, group: usize) -> Option<usize> {
        let group = &self.groups[group];
        let mut members = group.members.iter();
        let leads = |member: &&Member| {
            member.columns[0].is_some_and(|column| group.columns[column].row.is_some())
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
        holds: &[(usize, Hold)],
        directions: &[Direction],
    ) {
        self.clear();
        // Contacts with a direction in common have the same number.
        let mut numbers: Vec<usize> = (0..holds.len()).collect();
        let member_of = |column: usize| {
            let (Quantity::Gap(contact)
            | Quantity::Sliding(contact)
            | Quantity::Tangent(contact, _)) = columns[column].quantity
            else {
                return None;
            };
            holds.iter().position(|&(other, _)| other == contact)
        };
        for Direction(entries) in directions {
            let mut places = entries.iter().filter_map(|&(column, _)| member_of(column));
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
            .filter_map(|Direction(entries)| entries.first().map(|&(column, _)| column))
            .collect();
        for number in 0..holds.len() {
            let of_group =
                |column: usize| member_of(column).is_some_and(|place| numbers[place] == number);
            let last: Vec<usize> = dependent.iter().copied().filter(|&c| of_group(c)).collect();
            if last.is_empty() {
                continue;
            }
            let independent = (0..columns.len()).filter(|c| of_group(*c) && !dependent.contains(c));
            let mut chosen: Vec<usize> = independent.collect();
            let base = chosen.len();
            chosen.extend(last);
            let place = |quantity: Quantity| {
                chosen
                    .iter()
                    .position(|&column| columns[column].quantity == quantity)
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
                    place(Quantity::Sliding(contact))
                        .or_else(|| place(Quantity::Tangent(contact, 0))),
                    place(Quantity::Tangent(contact, 1)),
                ],
                is_spatial: contacts[contact].is_spatial(),
            });
            self.groups.push(Group {
                members: members.collect(),
                columns: chosen.iter().map(|&column| columns[column]).collect(),
                base,
            });
        }
        self.margins.resize(self.groups.len(), 0.0);
    }

    /// Loads the splits of a group: the forces that the rows carry, the directions, and the limits. Returns the largest
    /// `slack`, that of limits of weight 1.
    fn load(
        &mut self,
        group: usize,
        (system, slides): (&mut ContactSystem, &[Slide]),
        response: &mut Response,
        [at, own]: [&Point; 2],
        slack: &[f64],
    ) -> Result<f64, EvaluationError> {
        let Group {
            members,
            columns,
            base,
        } = &self.groups[group];
        let (base, count) = (*base, columns.len() - base);
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
        // Cholesky's factorization of the Delassus matrix of the base.
        fit(&mut self.factor, base * base);
        let factor = &mut self.factor;
        for i in 0..base {
            for j in 0..=i {
                let inner: f64 = (0..j)
                    .map(|k| factor[i * base + k] * factor[j * base + k])
                    .sum();
                let rest = product(i, j) - inner;
                factor[i * base + j] = if i > j {
                    rest / factor[j * base + j]
                } else if rest > 0.0 {
                    rest.sqrt()
                } else {
                    return Err(failed(
                        at.t,
                        "rows of contacts that share forces have become dependent",
                    ));
                };
            }
        }
        let splits = &mut self.splits;
        splits.clear();
        splits.directions.resize(columns.len() * count, 0.0);
        fit(&mut self.coefficients, base);
        let shares = &mut self.coefficients;
        for direction in 0..count {
            for i in 0..base {
                let inner: f64 = (0..i).map(|k| factor[i * base + k] * shares[k]).sum();
                shares[i] = (product(base + direction, i) - inner) / factor[i * base + i];
            }
            for i in (0..base).rev() {
                let inner: f64 = (i + 1..base)
                    .map(|k| factor[k * base + i] * shares[k])
                    .sum();
                shares[i] = (shares[i] - inner) / factor[i * base + i];
                splits.directions[i * count + direction] = -shares[i];
            }
            splits.directions[(base + direction) * count + direction] = 1.0;
        }
        let value = |column: &Column| column.row.and_then(|row| at.lambda.get(row).copied());
        splits
            .forces
            .extend(columns.iter().map(|column| value(column).unwrap_or(0.0)));
        let most = members.iter().map(|member| slack[member.contact]);
        let most = most.fold(f64::MIN_POSITIVE, f64::max);
        for member in members {
            let [Some(normal), tangential, second] = member.columns else {
                continue;
            };
            let weight = slack[member.contact] / most;
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
    fn largest_margin(&mut self, group: usize, slack: f64) -> Result<f64, LcpError> {
        let Group { columns, base, .. } = &self.groups[group];
        // Forces that lock themselves have no largest margin.
        let all: f64 = self.splits.forces.iter().map(|force| force.abs()).sum();
        self.splits
            .largest_margin(columns.len() - base, all + slack)
    }

    /// Computes the margins of all groups, each a force by which all limits of the best split are kept, plus the one by which
    /// they may be passed, its `slack`.
    pub fn compute_margins(
        &mut self,
        equations: &mut Equations,
        response: &mut Response,
        slack: &[f64],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        self.each_group(equations, (response, slack), at, |sharing, group, slack| {
            let margin = sharing.largest_margin(group, slack)?;
            sharing.margins[group] = margin + slack;
            Ok(())
        })
    }

    /// Computes normal force and friction of all contacts that share forces: those of the admissible split of least norm.
    /// Without an admissible split the one of least norm is taken among those that come nearest to it.
    pub fn split_forces(
        &mut self,
        equations: &mut Equations,
        response: &mut Response,
        slack: &[f64],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let inner_rows = equations.inner.layout().rows();
        fit(&mut self.changes, inner_rows);
        self.each_group(equations, (response, slack), at, |sharing, group, slack| {
            let margin = sharing.largest_margin(group, slack)?;
            // At the limit there is one split only, which round-off may hide.
            let floor = (margin - slack).min(0.0);
            let Group {
                members,
                columns,
                base,
            } = &sharing.groups[group];
            sharing.splits.shorten(columns.len() - base, floor)?;
            for (column, change) in sharing.splits.changes.iter().enumerate() {
                let reactions = &sharing.reactions[column * inner_rows..(column + 1) * inner_rows];
                for (total, reaction) in sharing.changes.iter_mut().zip(reactions) {
                    *total += change * reaction;
                }
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
        (response, slack): (&mut Response, &[f64]),
        at: &Point,
        mut work: impl FnMut(&mut Self, usize, f64) -> Result<(), LcpError>,
    ) -> Result<(), EvaluationError> {
        if self.is_empty() {
            return Ok(());
        }
        let inside = equations.inside(at);
        let own = inside.at;
        response.factor_with_joints(inside.system, &own)?;
        self.forces.resize(inside.contacts.len(), [0.0; 2]);
        for group in 0..self.groups.len() {
            let (system, slides) = (&mut *inside.system, inside.slides);
            let most = self.load(group, (system, slides), response, [at, &own], slack)?;
            work(self, group, most)
                .map_err(|error| failed(at.t, format!("forces of redundant contacts: {error}")))?;
        }
        Ok(())
    }
}

fn fit(memory: &mut Vec<f64>, size: usize) {
    memory.clear();
    memory.resize(size, 0.0);
}
