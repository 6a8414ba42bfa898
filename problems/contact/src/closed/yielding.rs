//! Contacts whose forces the motion does not determine although it depends on them.
//!
//! A cart on four wheels that turn freely: two of the loads follow from the other two, but each wheel rolls by the friction that its own
//! load allows. Rigid bodies leave the loads open. As in redundant bearings, they are those of contacts that yield alike, in the limit of
//! no yielding: the normal forces N of least norm, which are orthogonal to all changes of forces without effect. Where the gap of a
//! contact is Σ c_j times the gaps of others, N = Σ c_j N_j. So these others have rows, and it has a share of their forces.
//!
//! So do contacts that wedge themselves: a ball on an arm that turns about an axis has a normal and a sliding direction that move the arm
//! alike, and forces through the axis, within the cone, that do not move it at all. Without a rule round-off of the motion is stopped by
//! forces of any size.
//!
//! Corners of one body that stick are no such case: they hold each other, and share forces without a rule
//! ([`sharing`](super::sharing)). Where they slide in space, friction may turn the body by who carries how much, and they yield alike.

use crate::laws::dependence::{DEPENDENT, Dependence};

/// The rows of a contact in a Delassus matrix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub normal: usize,
    /// The directions in which it rubs, ...
    pub tangents: [Option<usize>; 2],
    /// ... and its coefficient of friction.
    pub friction: f64,
}

/// Finds such contacts, in memory of its own.
#[derive(Default)]
pub(crate) struct Yielding {
    normals: Dependence,
    with_friction: Dependence,
    directions: Vec<f64>,
    columns: Vec<usize>,
    marked: Vec<bool>,
    chosen: Vec<usize>,
    wedged: Vec<usize>,
}

impl Yielding {
    /// Of contacts with these rows the ones, by their places, whose gaps depend on each other while one that depends has friction
    /// that is not implied by that of the rest. `entry` gives the Delassus matrix, `alike` whether two contacts act on the same
    /// bodies, as corners of a box do.
    ///
    /// Contacts that wedge themselves belong to them. With `slide`, so do all contacts in space that depend on each other.
    pub fn find(
        &mut self,
        contacts: &[Rows],
        slide: bool,
        entry: impl Fn(usize, usize) -> f64,
        alike: impl Fn(usize, usize) -> bool,
    ) -> &[usize] {
        self.wedged.clear();
        let places = 0..contacts.len();
        let wedges = |&place: &usize| wedges(&contacts[place], &entry);
        self.wedged.extend(places.filter(wedges));
        self.find_dependent(contacts, slide, entry, alike);
        self.chosen.extend(&self.wedged);
        self.chosen.sort_unstable();
        self.chosen.dedup();
        &self.chosen
    }

    /// Those of the last search that wedge themselves: they stop what approaches, and have no rebound.
    pub fn wedged(&self) -> &[usize] {
        &self.wedged
    }

    fn find_dependent(
        &mut self,
        contacts: &[Rows],
        slide: bool,
        entry: impl Fn(usize, usize) -> f64,
        alike: impl Fn(usize, usize) -> bool,
    ) {
        self.chosen.clear();
        let rubs = |rows: &Rows| rows.tangents.iter().any(Option::is_some);
        if contacts.len() < 2 || !contacts.iter().any(rubs) {
            return;
        }
        let normal = |place: usize| contacts[place].normal;
        let normals = &mut self.normals;
        normals.find_by_pivots(contacts.len(), |i, j| entry(normal(i), normal(j)));
        if normals.count() == 0 {
            return;
        }
        normals.directions(&mut self.directions);
        let marked = &mut self.marked;
        marked.clear();
        marked.resize(contacts.len(), false);
        let (columns, memory) = (&mut self.columns, &mut self.with_friction);
        for direction in 0..normals.count() {
            let members = normals.members(&self.directions, direction);
            let is_spatial = |one: usize| contacts[one].tangents[1].is_some();
            let turns = slide && members.clone().any(is_spatial);
            let mut pairs = members.clone().zip(members.clone().skip(1));
            let are_alike = pairs.all(|(one, other)| alike(one, other));
            let mut by_itself = members.clone().filter(|&one| {
                // Two points of one wheel roll together.
                let other = |other: usize| !alike(one, other);
                let memory = (&mut *columns, &mut *memory);
                rubs(&contacts[one]) && rubs_by_itself(contacts, (one, other), &entry, memory)
            });
            if turns || (!are_alike && by_itself.next().is_some()) {
                members.for_each(|one| marked[one] = true);
            }
        }
        // Those that depend on these as well share their forces.
        normals.link(&self.directions, marked);
        let all = 0..contacts.len();
        self.chosen.extend(all.filter(|&place| marked[place]));
    }
}

/// Whether friction of a contact moves what neither the normal forces nor friction of these others move.
fn rubs_by_itself(
    contacts: &[Rows],
    (place, is_other): (usize, impl Fn(usize) -> bool),
    entry: impl Fn(usize, usize) -> f64,
    (columns, memory): (&mut Vec<usize>, &mut Dependence),
) -> bool {
    let tangents = |place: usize| contacts[place].tangents.into_iter().flatten();
    columns.clear();
    columns.extend(contacts.iter().map(|rows| rows.normal));
    let others = (0..contacts.len()).filter(|&other| other != place && is_other(other));
    columns.extend(others.flat_map(tangents));
    let own = columns.len();
    columns.extend(tangents(place));
    memory.find_among(columns.len(), own, |i, j| entry(columns[i], columns[j]));
    (own..columns.len()).any(|column| !memory.is_implied(column))
}

/// Whether forces of a contact within its cone move nothing at all: its normal direction moves what its sliding directions move.
fn wedges(contact: &Rows, entry: impl Fn(usize, usize) -> f64) -> bool {
    let [first, second] = contact.tangents;
    let rows = [Some(contact.normal), first, second];
    // In the plane the second direction is missing.
    let w = |i: usize, j: usize| match (rows[i], rows[j]) {
        (Some(row), Some(column)) => entry(row, column),
        _ => 0.0,
    };
    let (a, b, c) = (w(1, 1), w(1, 2), w(2, 2));
    let [x, y] = [w(1, 0), w(2, 0)];
    let (largest, determinant) = (a.max(c), a * c - b * b);
    if largest <= 0.0 || w(0, 0) <= 0.0 {
        return false;
    }
    // The friction -W_TT⁺ W_TN of a unit normal force: together they move nothing along the tangents.
    let [first, second] = if determinant > DEPENDENT * largest * largest {
        [(b * y - c * x) / determinant, (b * x - a * y) / determinant]
    } else {
        // W_TT = v vᵀ with the trace |v|².
        let v = if a > c { [a, b] } else { [b, c] }.map(|part| part / largest.sqrt());
        let along = (v[0] * x + v[1] * y) / (a + c).powi(2);
        v.map(|part| -part * along)
    };
    let left = w(0, 0) + w(0, 1) * first + w(0, 2) * second;
    left.abs() <= DEPENDENT * w(0, 0) && first.hypot(second) <= contact.friction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points under a plate of unit mass and inertia in the plane. Each is on a wheel of this inertia, or on the plate itself.
    fn plate(points: &[f64], inertia: Option<f64>) -> Vec<f64> {
        let count = points.len();
        let row = |index: usize| {
            let mut row = vec![0.0; 3 + count];
            let point = index % count;
            if index < count {
                row[1] = 1.0;
                row[2] = points[point];
            } else {
                row[0] = 1.0;
                row[2] = 0.5;
                row[3 + point] = inertia.map_or(0.0, |inertia| inertia.sqrt().recip());
            }
            row
        };
        let size = 2 * count;
        let entry = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
        (0..size * size)
            .map(|place| entry(place / size, place % size))
            .collect()
    }

    #[test]
    fn wheels_yield_and_corners_do_not() {
        let points = [-1.0, -0.5, 0.5, 1.0];
        let find = |inertia: Option<f64>, rubs: [bool; 4]| {
            let matrix = plate(&points, inertia);
            let rows = (0..4).map(|place| Rows {
                normal: place,
                tangents: [rubs[place].then_some(4 + place), None],
                friction: 0.5,
            });
            let rows: Vec<Rows> = rows.collect();
            let mut yielding = Yielding::default();
            let alike = |_: usize, _: usize| inertia.is_none();
            yielding
                .find(&rows, false, |i, j| matrix[8 * i + j], alike)
                .to_vec()
        };
        assert_eq!(find(Some(0.1), [true; 4]), [0, 1, 2, 3]);
        assert!(find(None, [true; 4]).is_empty());
        assert!(find(Some(0.1), [false; 4]).is_empty());
        assert!(find(None, [false, true, false, false]).is_empty());
        // One wheel with a tyre.
        for tyre in 0..4 {
            let rubs = [0, 1, 2, 3].map(|wheel| wheel == tyre);
            assert_eq!(find(Some(0.1), rubs), [0, 1, 2, 3]);
        }
    }

    /// Two points of a wheel imply each other's friction, but not that of other wheels.
    #[test]
    fn wheels_that_touch_at_two_points_yield() {
        let (places, inertia) = ([-1.0, -0.5, 0.5, 1.0], 0.1_f64);
        // In space: the plate moves along and up, turns about x and y, and each wheel turns. Points are at y = ±1 and ±1.1.
        let row = |index: usize| {
            let (point, is_normal) = (index % 16, index < 16);
            let (wheel, outer) = (point / 2, point % 2);
            let side = if wheel < 4 { 1.0 } else { -1.0 };
            let y = side * (1.0 + 0.1 * f64::from(u8::from(outer == 1)));
            let mut row = vec![0.0; 4 + 8];
            if is_normal {
                (row[1], row[2], row[3]) = (1.0, y, places[wheel % 4]);
            } else {
                (row[0], row[3], row[4 + wheel]) = (1.0, 0.5, inertia.sqrt().recip());
            }
            row
        };
        let entry = |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
        let rows: Vec<Rows> = (0..16)
            .map(|place| Rows {
                normal: place,
                tangents: [Some(16 + place), None],
                friction: 0.5,
            })
            .collect();
        let mut yielding = Yielding::default();
        let found = yielding.find(&rows, false, entry, |one, other| one / 2 == other / 2);
        assert_eq!(found, (0..16).collect::<Vec<_>>());
    }

    /// A ball on an arm that turns about an axis through the origin, from which it is this far away along a wall and off it. In
    /// space the arm's axis may also be moved along itself.
    #[test]
    fn an_arm_wedges_itself_within_the_cone() {
        for (along, off, friction, expected) in [
            (0.3, 1.0, 0.5, true),
            (0.3, 1.0, 0.2, false),
            (0.0, 1.0, 0.5, false),
            (-0.3, 1.0, 0.5, true),
        ] {
            // Motions of the ball by the arm's turning and by the axis.
            let rows: [[f64; 2]; 3] = [[along, 0.0], [off, 0.0], [0.0, 1.0]];
            let entry = |i: usize, j: usize| rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
            let contact = |second| Rows {
                normal: 0,
                tangents: [Some(1), second],
                friction,
            };
            for second in [None, Some(2)] {
                let found = wedges(&contact(second), entry);
                assert_eq!(found, expected, "{along} {friction}");
            }
            // A ball on its own has a normal direction of its own.
            let free = |i: usize, j: usize| entry(i, j) + if i == j { 0.1 } else { 0.0 };
            assert!(!wedges(&contact(Some(2)), free));
        }
    }
}
