//! Which closed contacts share forces, decided at events.

use crate::closed::selection::Selection;
use crate::closed::sharing::{Column, Direction, Hold};
use crate::closed::thresholds::{CANCELLED, DEPENDENT, TAKES_NO_PART};
use crate::equations::rows::Quantity;
use crate::laws::friction::Friction;
use crate::laws::problem::ContactForces;
use crate::participants::Closed;
use crate::{ContactStatus, NonsmoothSystem};
use liedae::system::System;

impl NonsmoothSystem {
    /// How each closed contact without a row of its own takes part in carrying forces; `None` if it does not.
    pub(crate) fn hold_redundantly(
        &self,
        law: Friction,
        sliding: f64,
        implied: bool,
    ) -> Option<Hold> {
        match law {
            Friction::None => Some(Hold::Frictionless),
            Friction::Sliding { coefficient, sign } => Some(Hold::Slides {
                slope: coefficient * sign,
            }),
            Friction::Limited { coefficient } if implied => Some(Hold::Sticks { coefficient }),
            Friction::Limited { coefficient } => {
                let begins = sliding.abs() > self.options.thresholds.acceleration;
                begins.then_some(Hold::Slides {
                    slope: coefficient * sliding.signum(),
                })
            }
        }
    }

    /// Forms the groups of contacts that share forces, with the response and the rows as they are. `redundant` belongs to
    /// `closed`, for contacts without a row.
    pub(crate) fn share_forces(&mut self, closed: &[Closed], redundant: &[Option<Hold>]) {
        self.sharing.clear();
        let statuses = &self.equations.statuses.contacts;
        let complete = closed.iter().all(|closed| {
            !matches!(
                statuses[closed.contact],
                ContactStatus::Redundant | ContactStatus::StickingRedundantly
            )
        });
        let count = closed.len();
        let structure = &self.equations.structure;
        let first_normal = self.equations.inner.layout().position_rows;
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
            let coefficient = self.equations.contacts[contact].friction;
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
            let Some(hold) = hold else { continue };
            // What joints alone imply is round-off in the response.
            if self.response.matrix[index * (self.response.free_diagonal.len() + 1)] == 0.0 {
                continue;
            }
            holds.push((contact, hold));
            let slope = match hold {
                Hold::Slides { slope } => slope,
                _ => 0.0,
            };
            columns.push(Column {
                quantity: Quantity::Gap(contact),
                slope,
                row: place(&structure.normals, first_normal, contact),
            });
            sources.push((index, count + index));
            if matches!(hold, Hold::Sticks { .. }) {
                columns.push(Column {
                    quantity: Quantity::Sliding(contact),
                    slope: 0.0,
                    row: place(&structure.sticks, structure.first_stick(), contact),
                });
                sources.push((count + index, count + index));
            }
        }
        for &joint in &structure.joint_sticks {
            columns.push(Column {
                quantity: Quantity::Joint(joint),
                slope: 0.0,
                row: structure.row_of_joint(joint),
            });
            sources.push((2 * count + joint, 2 * count + joint));
        }
        if complete && !columns.iter().any(|column| column.slope != 0.0) {
            return;
        }
        let directions = self.directions(&columns, &sources);
        self.sharing.form(&columns, &holds, &directions);
    }

    /// Directions of splits of these columns.
    fn directions(&self, columns: &[Column], sources: &[(usize, usize)]) -> Vec<Direction> {
        let (matrix, free) = (&self.response.matrix, &self.response.free_diagonal);
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
        let mut order: Vec<usize> = (0..number).collect();
        order.sort_by_key(|&column| columns[column].row.is_none());
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
            let changes = entries.iter().flat_map(|&(column, share)| {
                parts(column).map(|(row, factor)| (row, share * factor))
            });
            if !self.changes_joints(&changes.collect::<Vec<_>>()) {
                directions.push(Direction(entries));
            }
        }
        directions
    }

    /// Whether these changes of forces in rows of the response change what presses or holds a joint with friction.
    fn changes_joints(&self, changes: &[(usize, f64)]) -> bool {
        let first = self.response.free_diagonal.len() - self.equations.joints.len();
        if changes.iter().any(|&(row, _)| row >= first) {
            return true;
        }
        let supports = self
            .equations
            .joints
            .iter()
            .flat_map(|joint| &joint.supports);
        supports.into_iter().any(|support| {
            (0..support.components.len()).any(|index| {
                let terms = changes.iter().map(|&(row, change)| {
                    change * support.component(index, self.response.reactions_of(row))
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
        &self,
        forces: &ContactForces,
        sharing: &[usize],
        friction: &mut [Friction],
    ) -> Vec<usize> {
        let count = friction.len();
        let threshold = self.options.thresholds.acceleration;
        for &index in sharing {
            let (normal, tangential) = (forces.force[index], forces.force[count + index]);
            let motion = forces.motion[count + index];
            if let Friction::Limited { coefficient } = friction[index]
                && let Some(sign) = friction[index].sliding(normal, tangential, motion, threshold)
            {
                let sign = f64::signum(sign);
                friction[index] = Friction::Sliding { coefficient, sign };
            }
        }
        let opens =
            |index: &usize| forces.force[*index] <= 0.0 && forces.motion[*index] > threshold;
        sharing.iter().copied().filter(opens).collect()
    }
}
