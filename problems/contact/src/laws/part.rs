//! A problem in some of the contacts, with all joints.

use crate::complementarity::LcpSolver;
use crate::laws::dependence::symmetric_part;
use crate::laws::friction::{Friction, NormalComponent, PressedJoint};
use crate::laws::problem::{ContactForces, ContactProblem, LawError};
use crate::laws::proximal::ProximalRounds;
use std::borrow::Cow;

/// The rows, laws and responses of some of the contacts; those of all are not copied.
pub(crate) struct Part<'a> {
    contacts: Vec<usize>,
    /// Their normal directions, then the tangential ones, then the sliding directions of all joints, then the second
    /// tangential ones, in the whole.
    rows: Vec<usize>,
    /// Whether these are all rows in their order, as those of a lone contact always are; they are not listed then.
    is_whole: bool,
    response: Cow<'a, [f64]>,
    friction: Cow<'a, [Friction]>,
    joints: Cow<'a, [PressedJoint]>,
    /// The second tangential rows within the part.
    seconds: Cow<'a, [Option<usize>]>,
    /// Contacts, as numbers within the part, that yield alike.
    yielding: Vec<usize>,
    /// Rows of the whole.
    size: usize,
}

impl<'a> Part<'a> {
    /// These contacts of a problem; the other arguments are as in [`ContactProblem`].
    pub fn new(
        contacts: Vec<usize>,
        response: &'a [f64],
        friction: &'a [Friction],
        joints: &'a [PressedJoint],
        seconds: &'a [Option<usize>],
    ) -> Self {
        let count = friction.len();
        let first_second = 2 * count + joints.len();
        let size = first_second + seconds.iter().flatten().count();
        let tangential = contacts.iter().map(|contact| count + contact);
        let rows = contacts
            .iter()
            .copied()
            .chain(tangential)
            .chain(2 * count..first_second)
            .chain(contacts.iter().filter_map(|&contact| seconds[contact]));
        if rows.clone().eq(0..size) {
            return Self {
                response: Cow::Borrowed(response),
                friction: Cow::Borrowed(friction),
                joints: Cow::Borrowed(joints),
                seconds: Cow::Borrowed(seconds),
                yielding: Vec::new(),
                size,
                contacts,
                rows: Vec::new(),
                is_whole: true,
            };
        }
        let rows: Vec<usize> = rows.collect();
        let mut next = 2 * contacts.len() + joints.len();
        let seconds = contacts.iter().map(|&contact| {
            seconds[contact]?;
            next += 1;
            Some(next - 1)
        });
        let seconds = seconds.collect();
        // Normal forces in joints answer the rows of the part only.
        let mut joints = joints.to_vec();
        let supports = joints.iter_mut().flat_map(|joint| &mut joint.supports);
        for NormalComponent { by_force, .. } in supports.flatten() {
            *by_force = rows.iter().map(|&row| by_force[row]).collect();
        }
        let entries = rows
            .iter()
            .flat_map(|&row| rows.iter().map(move |&column| (row, column)));
        Self {
            response: entries
                .map(|(row, column)| response[row * size + column])
                .collect(),
            friction: contacts.iter().map(|&contact| friction[contact]).collect(),
            joints: Cow::Owned(joints),
            seconds,
            yielding: Vec::new(),
            size,
            contacts,
            rows,
            is_whole: false,
        }
    }

    /// The normal forces of these contacts of the whole are those of least norm.
    pub fn yielding(mut self, contacts: &[usize]) -> Self {
        let own = self.contacts.iter().enumerate();
        self.yielding = own
            .filter(|(_, contact)| contacts.contains(contact))
            .map(|(index, _)| index)
            .collect();
        self
    }

    /// The numbers of the contacts in the whole.
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }

    /// What belongs to its rows.
    pub fn of(&self, whole: &[f64]) -> Vec<f64> {
        if self.is_whole {
            return whole.to_vec();
        }
        self.rows.iter().map(|&row| whole[row]).collect()
    }

    /// Values of its rows, and zero for all others.
    pub fn spread(&self, values: Vec<f64>) -> Vec<f64> {
        if self.is_whole {
            return values;
        }
        let mut whole = vec![0.0; self.size];
        for (&row, value) in self.rows.iter().zip(values) {
            whole[row] = value;
        }
        whole
    }

    /// Solves the problem; `free` belongs to the rows, `floor` begins with the contacts.
    pub fn solve(
        &self,
        free: &[f64],
        floor: &[f64],
        solver: &mut LcpSolver,
    ) -> Result<ContactForces, LawError> {
        let problem = ContactProblem {
            response: &self.response,
            free,
            floor: &floor[..floor.len().min(self.contacts.len())],
            friction: &self.friction,
            joints: &self.joints,
            seconds: &self.seconds,
        };
        if self.yielding.is_empty() {
            return problem.solve(solver);
        }
        self.solve_yielding(&problem, solver)
    }

    /// The solution with the normal forces of least norm.
    fn solve_yielding(
        &self,
        problem: &ContactProblem,
        solver: &mut LcpSolver,
    ) -> Result<ContactForces, LawError> {
        let mut rounds = ProximalRounds::default();
        let entry = symmetric_part(problem.response, problem.free.len());
        rounds.find_compliances(&self.yielding, entry);
        rounds.begin(&self.yielding, problem.response, problem.free);
        loop {
            let yielding = ContactProblem {
                response: &rounds.response,
                free: &rounds.free,
                ..*problem
            };
            let force = yielding.solve(solver)?.force;
            if rounds.is_over(&self.yielding, problem.free, &force) {
                return Ok(ContactForces::of(problem.response, problem.free, force));
            }
        }
    }
}
