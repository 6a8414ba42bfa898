//! Past states as one smooth curve in local coordinates, and its extrapolation.

use crate::manifold::{Factor, Manifold};
use crate::system::State;

/// The highest order: BDF6 is hardly stable.
pub(crate) const MAX_ORDER: usize = 5;

/// States needed to judge the highest order; a lower one is compared with the next higher by as many.
const CAPACITY: usize = MAX_ORDER + 1;

/// Rotations between the ends of the history stay below this angle in rad, so that their logarithms are one branch.
const LARGEST_TURN: f64 = 3.0;

/// The last states, the newest first, and their divided differences in local coordinates around the newest
/// configuration, u_{n-j} = log(q_n⁻¹ q_{n-j}).
///
/// On an exact solution these are exact values of one smooth curve (u, v, x, z, λ), whatever the group, so that formulas for
/// vector spaces keep their order. z and λ serve as first guesses. A history of one state is completed by its slope, as a
/// double node; that of z and λ counts as zero.
pub(super) struct History {
    entries: [Entry; CAPACITY],
    known: usize,
    slope: Vec<f64>,
    differences: [Vec<f64>; CAPACITY],
    nodes: [f64; CAPACITY],
    points: usize,
    /// Π (t - t_{n-i}) over i < j, of the last prediction.
    products: [f64; CAPACITY + 1],
    dimension: usize,
}

struct Entry {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    z: Vec<f64>,
    lambda: Vec<f64>,
}

impl History {
    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        let length = 2 * state.v.len() + state.x.len() + state.z.len() + state.lambda.len();
        Self {
            entries: std::array::from_fn(|_| Entry {
                t: state.t,
                q: state.q.clone(),
                v: state.v.clone(),
                x: state.x.clone(),
                z: state.z.clone(),
                lambda: state.lambda.clone(),
            }),
            known: 0,
            slope: vec![0.0; length],
            differences: std::array::from_fn(|_| vec![0.0; length]),
            nodes: [0.0; CAPACITY],
            points: 0,
            products: [1.0; CAPACITY + 1],
            dimension: state.v.len(),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Numbers of a point of the curve.
    pub fn width(&self) -> usize {
        self.slope.len()
    }

    /// Nodes that a polynomial can go through: one more than its degree.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Adds a state with its acceleration and x'.
    pub fn push(&mut self, space: &Manifold, state: &State, x_rate: &[f64]) {
        if self.dimension == 0 {
            return self.push_states(state, x_rate);
        }
        self.entries.rotate_right(1);
        let newest = &mut self.entries[0];
        newest.t = state.t;
        newest.q.copy_from_slice(&state.q);
        newest.v.copy_from_slice(&state.v);
        newest.x.copy_from_slice(&state.x);
        newest.z.copy_from_slice(&state.z);
        newest.lambda.copy_from_slice(&state.lambda);
        self.known = (self.known + 1).min(CAPACITY);
        let (u, rest) = self.slope.split_at_mut(self.dimension);
        let (v, rest) = rest.split_at_mut(self.dimension);
        u.copy_from_slice(&state.v);
        v.copy_from_slice(&state.acceleration);
        rest[..x_rate.len()].copy_from_slice(x_rate);
        self.tabulate(space);
    }

    /// Without configurations nothing is relative to the newest one: the differences of the history go on,
    /// f[t_n..t_{n-j}] = (f[t_n..t_{n-j+1}] - f[t_{n-1}..t_{n-j}]) / (t_n - t_{n-j}).
    fn push_states(&mut self, state: &State, x_rate: &[f64]) {
        let first = self.known == 0;
        self.known = (self.known + 1).min(CAPACITY);
        self.nodes.copy_within(..CAPACITY - 1, 1);
        self.nodes[0] = state.t;
        // The oldest difference is of no use any more: its place takes the newest value.
        self.differences.rotate_right(1);
        let (value, z) = self.differences[0].split_at_mut(state.x.len());
        let (z, lambda) = z.split_at_mut(state.z.len());
        value.copy_from_slice(&state.x);
        z.copy_from_slice(&state.z);
        lambda.copy_from_slice(&state.lambda);
        if first {
            // A single state is a double node: f[t, t] = f'(t).
            self.nodes[1] = state.t;
            let (rate, rest) = self.differences[1].split_at_mut(x_rate.len());
            rate.copy_from_slice(x_rate);
            rest.fill(0.0);
            self.points = 2;
            return;
        }
        self.points = self.known;
        for level in 1..self.points {
            let span = self.nodes[0] - self.nodes[level];
            let (newer, older) = self.differences.split_at_mut(level);
            for (slot, newer) in older[0].iter_mut().zip(&newer[level - 1]) {
                *slot = (newer - *slot) / span;
            }
        }
    }

    fn tabulate(&mut self, space: &Manifold) {
        let (newest, older) = self.entries.split_at(1);
        let newest = &newest[0];
        self.points = 0;
        // Nodes only as far back as rotations have one logarithm.
        for entry in std::iter::once(newest).chain(&older[..self.known - 1]) {
            if turn(space, newest, entry) > LARGEST_TURN {
                break;
            }
            let (u, rest) = self.differences[self.points].split_at_mut(self.dimension);
            let (v, rest) = rest.split_at_mut(self.dimension);
            let (x, rest) = rest.split_at_mut(entry.x.len());
            let (z, lambda) = rest.split_at_mut(entry.z.len());
            // u_{n-j} = log(q_n⁻¹ q_{n-j}): exact, whatever the base.
            space.lift(&newest.q, &entry.q, u);
            v.copy_from_slice(&entry.v);
            x.copy_from_slice(&entry.x);
            z.copy_from_slice(&entry.z);
            lambda.copy_from_slice(&entry.lambda);
            self.nodes[self.points] = entry.t;
            self.points += 1;
        }
        // A single state is a double node: f[t, t] = f'(t).
        if self.points == 1 {
            self.nodes[1] = self.nodes[0];
            self.differences[1].copy_from_slice(&self.slope);
            self.points = 2;
            return;
        }
        // f[t_i..t_j] = (f[newer] - f[older]) / (t_newer - t_older), in place from the oldest upwards.
        for level in 1..self.points {
            for index in (level..self.points).rev() {
                let span = self.nodes[index - level] - self.nodes[index];
                let (newer, older) = self.differences.split_at_mut(index);
                for (slot, newer) in older[0].iter_mut().zip(&newer[index - 1]) {
                    *slot = (newer - *slot) / span;
                }
            }
        }
    }

    /// Value and rate at `t` of the polynomial of this degree through the newest nodes.
    pub fn predict(&mut self, degree: usize, t: f64, value: &mut [f64], rate: &mut [f64]) {
        value.copy_from_slice(&self.differences[0]);
        rate.fill(0.0);
        // Newton's form: products Π (t - t_i) and their derivatives by the product rule.
        let (mut product, mut slope) = (1.0, 0.0);
        for index in 0..self.points {
            let distance = t - self.nodes[index];
            (product, slope) = (product * distance, slope * distance + product);
            self.products[index + 1] = product;
            if index < degree {
                let difference = &self.differences[index + 1];
                for ((value, rate), difference) in
                    value.iter_mut().zip(rate.iter_mut()).zip(difference)
                {
                    *value += product * difference;
                    *rate += slope * difference;
                }
            }
        }
    }

    /// t - t_{n-index} of the last prediction.
    pub fn distance(&self, index: usize) -> f64 {
        self.products[index + 1] / self.products[index]
    }

    /// The factor from y - P_degree to the error of the formula of this degree with equal steps h: it is
    /// h^(degree+1) y^(degree+1) / (degree + 1), and y - P_degree the next divided difference times distances.
    pub fn error_constant(&self, degree: usize, h: f64) -> f64 {
        // y^(k+1) h^(k+1) / (k + 1) = k! h^(k+1) / Π · (y - P), since y - P = Π y^(k+1) / (k + 1)!.
        let factorial: f64 = (1..=degree).map(|factor| factor as f64).product();
        factorial * h.powi(degree as i32 + 1) / self.products[degree + 1]
    }

    /// What the polynomial of this degree adds to that of one degree less.
    pub fn term(&self, degree: usize) -> impl Iterator<Item = f64> + '_ {
        let product = self.products[degree];
        let differences = self.differences[degree].iter();
        differences.map(move |difference| product * difference)
    }
}

/// A bound on the angle by which any rotation has turned between two states.
fn turn(space: &Manifold, newest: &Entry, entry: &Entry) -> f64 {
    let span = newest.t - entry.t;
    let mut largest = 0.0_f64;
    for (factor, _, first) in space.factor_ranges() {
        let first = match factor {
            // A twist has its angular velocity behind the linear one.
            Factor::Euclidean(_) => continue,
            Factor::Rotation | Factor::UnitQuaternion => first,
            Factor::RigidMotion => first + 3,
        };
        for state in [newest, entry] {
            let omega = &state.v[first..first + 3];
            let speed = omega.iter().map(|w| w * w).sum::<f64>().sqrt();
            largest = largest.max(speed * span);
        }
    }
    largest
}
