//! How the system answers to forces in its contacts.

use crate::equations::wrapped::{contacts_of, joints_of};
use crate::event_sets::along_and_across;
use crate::laws::dependence::DEPENDENT;
use crate::{Contact, ContactSystem, FrictionJoint, failed};
use liedae::linalg::{Blocks, KktSolver, Pattern};
use liedae::system::{EvaluationError, Layout, Point, System};

/// A direction with a smaller part along the first tangent is the second one, but for round-off.
const ALONG_SECOND: f64 = 1e-6;

/// Rows of contacts and of joints with friction, their responses with all joints at work, and the Delassus matrix
/// G K⁻¹ Gᵀ.
///
/// For n contacts, k of them with friction in space, and m joints there are 2n + m + k rows: the normal directions, then the
/// tangential ones, which are zero without friction, then the sliding directions of joints, then the second tangential
/// ones of contacts in space.
pub(crate) struct Response {
    constrained: KktSolver,
    free: KktSolver,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    zero_rows: Vec<f64>,
    dimension: usize,
    /// The second tangential row of each contact, if it has one.
    pub seconds: Vec<Option<usize>>,
    /// G, rows of the length of the velocity.
    pub rows: Vec<f64>,
    /// Accelerations by unit forces, one row for each row of G.
    pub accelerations: Vec<f64>,
    /// Multipliers of the system's own rows by unit forces, one row for each row of G.
    pub reactions: Vec<f64>,
    /// The Delassus matrix, (2n + m) x (2n + m).
    pub matrix: Vec<f64>,
    /// The diagonal that it would have without joints: what a pivot is measured against.
    pub free_diagonal: Vec<f64>,
}

impl Response {
    pub fn new(layout: &Layout) -> Result<Self, liedae::linalg::KktError> {
        let dimension = layout.dimension();
        let none = Pattern::empty(0, dimension);
        let blocks = Blocks {
            variables: layout.blocks.variables.clone(),
            rows: Vec::new(),
        };
        Ok(Self {
            constrained: KktSolver::new(
                &layout.mass,
                &layout.jacobian,
                &layout.jacobian,
                &layout.blocks,
            )?,
            free: KktSolver::new(&layout.mass, &none, &none, &blocks)?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            zero_rows: vec![0.0; layout.rows()],
            dimension,
            seconds: Vec::new(),
            rows: Vec::new(),
            accelerations: Vec::new(),
            reactions: Vec::new(),
            matrix: Vec::new(),
            free_diagonal: Vec::new(),
        })
    }

    /// The motion of every row at a velocity or acceleration, G u.
    pub fn motion_of(&self, u: &[f64], row: usize) -> f64 {
        let row = &self.rows[row * self.dimension..(row + 1) * self.dimension];
        row.iter().zip(u).map(|(entry, value)| entry * value).sum()
    }

    /// The tangential block of a contact in space: both mobilities, and between them what couples them.
    fn tangential(&self, contact: usize) -> Option<[f64; 3]> {
        let (size, first) = (self.free_diagonal.len(), self.seconds.len() + contact);
        let entry = |i: usize, j: usize| self.matrix[i * size + j];
        let second = self.seconds[contact]?;
        Some([
            entry(first, first),
            entry(first, second),
            entry(second, second),
        ])
    }

    /// Whether forces move a contact in space in both of its tangential directions.
    pub fn slides_freely(&self, contact: usize) -> bool {
        self.tangential(contact).is_some_and(|[a, coupling, b]| {
            let product = a * b;
            product - coupling.powi(2) > DEPENDENT * product
        })
    }

    /// The only direction in which forces move a contact in space, in the present tangential directions; `None` where there are two or none.
    pub fn only_direction(&self, contact: usize) -> Option<[f64; 2]> {
        let [a, coupling, b] = self.tangential(contact)?;
        let moves = a + b > 0.0;
        if !moves || self.slides_freely(contact) {
            return None;
        }
        // The eigenvector of what is left of the response.
        let angle = 0.5 * f64::atan2(2.0 * coupling, a - b);
        let (sin, cos) = angle.sin_cos();
        // Round-off does not choose between the two ways along the second direction.
        let backward = cos < ALONG_SECOND && sin < 0.0;
        Some(if backward { [-cos, -sin] } else { [cos, sin] })
    }

    /// The multipliers of the system's own rows by a unit force in a row.
    pub fn reactions_of(&self, row: usize) -> &[f64] {
        let count = self.zero_rows.len();
        &self.reactions[row * count..(row + 1) * count]
    }

    /// Adds the change of velocity (or the acceleration) by impulses (or forces) in all rows.
    pub fn push(&self, force: &[f64], u: &mut [f64]) {
        for (row, &force) in self
            .accelerations
            .chunks_exact(self.dimension)
            .zip(force)
            .filter(|(_, force)| **force != 0.0)
        {
            for (value, entry) in u.iter_mut().zip(row) {
                *value += entry * force;
            }
        }
    }

    /// Factorizes the equations of motion with all joints at a point of the system without contacts, and without them if that
    /// is possible and something else.
    fn factor(&mut self, system: &mut ContactSystem, at: &Point) -> Result<bool, EvaluationError> {
        self.factor_with_joints(system, at)?;
        if self.zero_rows.is_empty() {
            return Ok(false);
        }
        Ok(self.free.factor(&self.mass, &[], &[]).is_ok())
    }

    /// Factorizes the equations of motion with all joints at a point of the system without contacts.
    pub fn factor_with_joints(
        &mut self,
        system: &mut ContactSystem,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        system.mass_matrix(at, &mut self.mass)?;
        system.constraint_jacobian(at, &mut self.jacobian)?;
        self.constrained
            .factor(&self.mass, &self.jacobian, &self.jacobian)
            .map_err(|error| failed(at.t, format!("the response of the contacts: {error}")))
    }

    /// The acceleration by a generalized force with all joints, and what the system's own rows do about it, after
    /// [`factor_with_joints`](Self::factor_with_joints).
    pub fn respond_to(
        &mut self,
        force: &[f64],
        acceleration: &mut [f64],
        reactions: &mut [f64],
        t: f64,
    ) -> Result<(), EvaluationError> {
        self.constrained
            .solve(force, &self.zero_rows, acceleration, reactions)
            .map_err(|error| failed(t, format!("the response of the contacts: {error}")))
    }

    /// Evaluates everything for these contacts and all joints with friction at a point of the system without contacts.
    pub fn compute(
        &mut self,
        system: &mut ContactSystem,
        at: &Point,
        contacts: &[Contact],
        chosen: &[usize],
        joints: &[FrictionJoint],
    ) -> Result<(), EvaluationError> {
        let (dimension, count) = (self.dimension, chosen.len());
        let first_second = 2 * count + joints.len();
        let mut size = first_second;
        self.seconds.clear();
        self.seconds.extend(chosen.iter().map(|&contact| {
            size += usize::from(contacts[contact].is_spatial());
            contacts[contact].is_spatial().then(|| size - 1)
        }));
        let is_any_spatial = self.seconds.iter().any(Option::is_some);
        let mut both = vec![0.0; if is_any_spatial { 2 * dimension } else { 0 }];
        self.rows.clear();
        self.rows.resize(size * dimension, 0.0);
        let (normals, rest) = self.rows.split_at_mut(count * dimension);
        let (tangents, rest) = rest.split_at_mut(count * dimension);
        let (sliding, seconds) = rest.split_at_mut(joints.len() * dimension);
        if count > 0 {
            let unilateral = contacts_of(system, at.t)?;
            for (index, &contact) in chosen.iter().enumerate() {
                let row = index * dimension..(index + 1) * dimension;
                unilateral.gap_jacobian(contact, at, &mut normals[row.clone()])?;
                if contacts[contact].tangents == 1 {
                    unilateral.sliding_jacobian(contact, at, &mut tangents[row])?;
                } else if let Some(second) = self.seconds[index] {
                    unilateral.sliding_jacobian(contact, at, &mut both)?;
                    let (one, other) = both.split_at(dimension);
                    tangents[row].copy_from_slice(one);
                    let start = (second - first_second) * dimension;
                    seconds[start..start + dimension].copy_from_slice(other);
                }
            }
        }
        for (joint, row) in sliding.chunks_exact_mut(dimension).enumerate() {
            joints_of(system, at.t)?.joint_jacobian(joint, at, row)?;
        }
        if let Some(index) = self.rows.iter().position(|entry| !entry.is_finite()) {
            let row = index / dimension;
            let second = self.seconds.iter().position(|&other| other == Some(row));
            let what = match (second, joints.get(row.wrapping_sub(2 * count))) {
                (Some(index), _) => format!("contact `{}`", contacts[chosen[index]].label),
                (None, Some(joint)) => format!("joint `{}`", joint.label),
                (None, None) => format!("contact `{}`", contacts[chosen[row % count]].label),
            };
            return Err(failed(
                at.t,
                format!("the gradient of {what} is not finite"),
            ));
        }

        let own_rows = self.zero_rows.len();
        let without_joints = self.factor(system, at)?;
        let linear = |error| failed(at.t, format!("the response of the contacts: {error}"));
        self.accelerations.clear();
        self.accelerations.resize(size * dimension, 0.0);
        self.reactions.clear();
        self.reactions.resize(size * own_rows, 0.0);
        self.free_diagonal.clear();
        let mut unconstrained = vec![0.0; if without_joints { dimension } else { 0 }];
        for (index, (row, out)) in self
            .rows
            .chunks_exact(dimension)
            .zip(self.accelerations.chunks_exact_mut(dimension))
            .enumerate()
        {
            let reactions = &mut self.reactions[index * own_rows..(index + 1) * own_rows];
            if row.iter().all(|&entry| entry == 0.0) {
                self.free_diagonal.push(0.0);
                continue;
            }
            self.constrained
                .solve(row, &self.zero_rows, out, reactions)
                .map_err(linear)?;
            let solved = without_joints
                && self
                    .free
                    .solve(row, &[], &mut unconstrained, &mut [])
                    .is_ok();
            // A mass matrix that is singular without the joints leaves the response with them as the only measure; where there are none it
            // is the same.
            let reference = if solved { &unconstrained[..] } else { &*out };
            let products = row.iter().zip(reference).map(|(a, b)| a * b);
            self.free_diagonal.push(products.sum());
        }
        self.matrix.clear();
        let columns = || self.accelerations.chunks_exact(dimension);
        for row in self.rows.chunks_exact(dimension) {
            // Those of contacts without friction.
            if row.iter().all(|&entry| entry == 0.0) {
                self.matrix.resize(self.matrix.len() + size, 0.0);
                continue;
            }
            let entry = |column: &[f64]| row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>();
            self.matrix.extend(columns().map(entry));
        }
        (0..size).for_each(|row| self.clear_implied(row));
        Ok(())
    }

    /// Whether joints alone imply a row: no force in it moves anything.
    pub fn is_implied(&self, row: usize) -> bool {
        self.matrix[row * (self.free_diagonal.len() + 1)] == 0.0
    }

    /// What joints leave of a row they imply is round-off.
    fn clear_implied(&mut self, row: usize) {
        let size = self.free_diagonal.len();
        if self.matrix[row * (size + 1)] <= DEPENDENT * self.free_diagonal[row] {
            for other in 0..size {
                self.matrix[row * size + other] = 0.0;
                self.matrix[other * size + row] = 0.0;
            }
        }
    }

    /// Turns the tangential directions of a contact in space: the first one becomes `direction`, a unit vector in both.
    pub fn turn(&mut self, contact: usize, direction: [f64; 2]) {
        let Some(second) = self.seconds[contact] else {
            return;
        };
        let first = self.seconds.len() + contact;
        let size = self.free_diagonal.len();
        let [c, s] = direction;
        let turn = |list: &mut [f64], stride: usize, places: [usize; 2], count: usize| {
            for k in 0..count {
                let [one, other] = places.map(|place| place + k * stride);
                [list[one], list[other]] = along_and_across(direction, [list[one], list[other]]);
            }
        };
        for (list, length) in [
            (&mut self.rows, self.dimension),
            (&mut self.accelerations, self.dimension),
            (&mut self.reactions, self.zero_rows.len()),
            (&mut self.matrix, size),
        ] {
            turn(list, 1, [first * length, second * length], length);
        }
        turn(&mut self.matrix, size, [first, second], size);
        // Without joints bodies answer along both tangents in much the same way: this is a measure, not a response.
        let (a, b) = (self.free_diagonal[first], self.free_diagonal[second]);
        self.free_diagonal[first] = c * c * a + s * s * b;
        self.free_diagonal[second] = s * s * a + c * c * b;
        self.clear_implied(first);
        self.clear_implied(second);
    }
}
