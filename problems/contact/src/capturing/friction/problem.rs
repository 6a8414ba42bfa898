//! The problem, and how far impulses are from solving it.

use super::joint::{Joint, Joints};
use crate::capturing::law::ContactLaw;

/// Share of the velocities without impulses that counts beside what impulses change: it times the smallest tolerance,
/// 1e-12, is above the round-off.
pub(super) const FREE_SHARE: f64 = 1e-2;

/// Weight of errors relative to the energy of the free velocities.
pub(super) const ENERGY_SHARE: f64 = 1e-3;

/// What W P loses to round-off counts as an error, by this share of the machine precision, relative to the energy of the free
/// velocities. In contacts that jam, impulses within the cones balance each other; times 1e12 what is left of them by
/// round-off would pass for a motion. A tenth leaves room for impulses 1e4 times as large as what they stop, at the smallest
/// tolerance.
const CANCELLED: f64 = 0.1 * f64::EPSILON;

/// U = W P + u with the law of each contact; rows of a contact are the normal one, then its tangents. Rows of joints
/// follow, one each.
#[derive(Clone, Copy)]
pub(in super::super) struct Problem<'a> {
    pub laws: &'a [ContactLaw],
    pub joints: Joints<'a>,
    /// How much of their friction the joints have, 1 but on the way from less.
    pub share: f64,
    /// W, row by row.
    pub delassus: &'a [f64],
    /// u.
    pub velocity: &'a [f64],
}

impl<'a> Problem<'a> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.velocity.len()
    }

    /// The first row of each contact, and its law.
    pub fn contacts(&self) -> impl Iterator<Item = (usize, &ContactLaw)> {
        self.laws.iter().scan(0, |next, law| {
            let row = *next;
            *next += law.rows();
            Some((row, law))
        })
    }

    /// The joints.
    pub(super) fn joints(&self) -> impl Iterator<Item = Joint<'a>> + use<'a> {
        let n = self.rows();
        self.joints.each(n - self.joints.laws.len(), n, self.share)
    }

    /// An entry of W.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.delassus[row * self.velocity.len() + column]
    }

    /// A row of W.
    pub fn row(&self, row: usize) -> &[f64] {
        let n = self.velocity.len();
        &self.delassus[row * n..(row + 1) * n]
    }

    /// (W P + u) in one row.
    pub fn velocity_of(&self, impulses: &[f64], row: usize) -> f64 {
        let entries = self.row(row).iter().zip(impulses);
        self.velocity[row] + entries.map(|(w, p)| w * p).sum::<f64>()
    }

    /// The largest mobility along a normal.
    pub fn largest_mobility(&self) -> f64 {
        let normals = self.contacts().map(|(row, _)| self.entry(row, row));
        normals.fold(0.0, f64::max)
    }

    /// The largest error d = |P - proj(P - ρ (U_N - ℓ + μ |U_T|, U_T))| of the natural map over the contacts, in units
    /// of the contact's own impulse or of what all impulses change at it:
    ///
    /// ```text
    /// d / (|P_N| + ρ (Σ_j |W_ij P_j| + 1e-2 (|u| + |ℓ|)))     but at least    1e-3 d ρ^(-1/2) / max_j ρ_j^(1/2) |u - ℓ|_j
    /// ```
    ///
    /// with the projection on the cone of friction and 1/ρ the mean mobility of the contact. It is zero for solutions
    /// only (De Saxcé's form of the law), and does not depend on units or on the masses of other contacts. The second
    /// expression, in units of energy, refuses impulses that grow without bound where contacts contradict each other. So does
    /// what round-off may leave of W P, relative to that energy.
    /// For joints d is the distance of Q from the resolvent of their law at Q - ρ s, for k = 0 the projection on [-L, L],
    /// L = μ Σ |N|, and L stands in the place of |P_N|.
    /// Infinite if anything is not finite.
    pub fn error(&self, impulses: &[f64]) -> f64 {
        let free = self.largest_free();
        let joints = self.joints_error(impulses, free);
        self.contacts_error(impulses, free).max(joints)
    }

    /// The largest ρ^(1/2) |u - ℓ|.
    pub(super) fn largest_free(&self) -> f64 {
        let contacts = self.contacts().map(|(row, law)| {
            let root = self.scale(row, law).sqrt();
            let velocity = &self.velocity[row..row + law.rows()];
            let tangential = velocity[1..].iter();
            let normal = (velocity[0] - law.least_velocity).abs();
            root * tangential.fold(normal, |max, u| max.max(u.abs()))
        });
        let joints = self.joints().map(|Joint { row, .. }| {
            let root = self.joint_scale(row).sqrt();
            root * self.velocity[row].abs()
        });
        contacts.chain(joints).fold(0.0, f64::max)
    }

    pub(super) fn joints_error(&self, impulses: &[f64], free: f64) -> f64 {
        let mut largest = 0.0_f64;
        for joint in self.joints() {
            let (row, limit) = (joint.row, joint.limit(impulses));
            let scale = self.joint_scale(row);
            let (mut moved, mut terms) =
                (self.velocity[row], FREE_SHARE * self.velocity[row].abs());
            for (w, p) in self.row(row).iter().zip(impulses) {
                moved += w * p;
                terms += (w * p).abs();
            }
            let own = impulses[row];
            // d = |Q - resolvent(Q - ρ s)|.
            let (_, resolved) = joint.resolve(own - scale * moved, scale, limit);
            let distance = (own - resolved).abs();
            if !distance.is_finite() {
                return f64::INFINITY;
            }
            if distance > 0.0 {
                // By the joint's own limit and what impulses change, and in units of energy.
                let relative = distance / (limit + scale * terms);
                let energy = ENERGY_SHARE * distance / (scale.sqrt() * free);
                largest = largest.max(relative).max(energy);
            }
        }
        largest
    }

    pub(super) fn contacts_error(&self, impulses: &[f64], free: f64) -> f64 {
        let mut largest = 0.0_f64;
        for (row, law) in self.contacts() {
            let scale = self.scale(row, law);
            let mut impulse = [0.0; 3];
            let mut moved = [0.0; 3];
            let mut terms = 0.0_f64;
            for index in 0..law.rows() {
                let (mut change, mut size) = (0.0, 0.0);
                for (w, p) in self.row(row + index).iter().zip(impulses) {
                    change += w * p;
                    size += (w * p).abs();
                }
                let free = self.velocity[row + index];
                impulse[index] = impulses[row + index];
                moved[index] = free + change;
                terms = terms.max(size + FREE_SHARE * free.abs());
            }
            terms += FREE_SHARE * law.least_velocity.abs();
            // De Saxcé: U_N - ℓ + μ |U_T|.
            moved[0] += law.friction * moved[1].hypot(moved[2]) - law.least_velocity;
            let distance = cone_distance(&impulse, &moved.map(|u| scale * u), law.friction);
            if !distance.is_finite() {
                return f64::INFINITY;
            }
            if distance > 0.0 {
                let own = distance / (impulse[0].abs() + scale * terms);
                let energy = ENERGY_SHARE * distance / (scale.sqrt() * free);
                largest = largest.max(own).max(energy);
            }
            if free > 0.0 {
                largest = largest.max(CANCELLED * scale.sqrt() * terms / free);
            }
        }
        largest
    }

    /// ρ of a joint: the inverse of its mobility, 1 if it cannot move.
    pub(super) fn joint_scale(&self, row: usize) -> f64 {
        let mobility = self.entry(row, row);
        if mobility > 0.0 { 1.0 / mobility } else { 1.0 }
    }

    /// ρ of a contact: the inverse of its mean mobility, 1 if it cannot move, where any scale serves.
    pub(super) fn scale(&self, row: usize, law: &ContactLaw) -> f64 {
        let rows = row..row + law.rows();
        let mobility: f64 = rows.map(|row| self.entry(row, row)).sum();
        if mobility > 0.0 {
            law.rows() as f64 / mobility
        } else {
            1.0
        }
    }
}

/// |P - proj(P - u)|, the projection being on the cone |P_T| <= μ P_N.
fn cone_distance(impulse: &[f64; 3], velocity: &[f64; 3], friction: f64) -> f64 {
    let moved: [f64; 3] = std::array::from_fn(|i| impulse[i] - velocity[i]);
    let (normal, size) = (moved[0], moved[1].hypot(moved[2]));
    // Inside the cone, in its polar cone, or onto its surface.
    let projected = if normal >= 0.0 && size <= friction * normal {
        moved
    } else if friction * size <= -normal {
        [0.0; 3]
    } else {
        let onto = (normal + friction * size) / (1.0 + friction * friction);
        let scale = friction * onto / size;
        [onto, scale * moved[1], scale * moved[2]]
    };
    let squares = impulse.iter().zip(projected).map(|(p, q)| (p - q).powi(2));
    squares.sum::<f64>().sqrt()
}
