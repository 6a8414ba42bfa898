//! Past states as one smooth curve in local coordinates, and its extrapolation.

use super::pairs::{Pair, pairs};
use crate::manifold::{Factor, Manifold};
use crate::system::State;

/// The highest order: BDF6 is hardly stable.
pub(crate) const MAX_ORDER: usize = 5;

/// States needed to judge the highest order; a lower one is compared with the next higher by as many.
const CAPACITY: usize = MAX_ORDER + 1;

/// Rotations between the ends of the history stay below this angle in rad, so that their logarithms are one branch.
const LARGEST_TURN: f64 = 3.0;

/// f[t_n], f[t_n, t_{n-1}], ... of two numbers: all that is known of them lies together.
type Differences = [Pair; CAPACITY];

/// The last states, the newest first, and their divided differences in local coordinates around the newest
/// configuration, u_{n-j} = log(q_n⁻¹ q_{n-j}).
///
/// On an exact solution these are exact values of one smooth curve (u, v, x, z, λ), whatever the group, so that formulas for
/// vector spaces keep their order. z and λ serve as first guesses. A history of one state is completed by its slope, as a
/// double node; that of z and λ counts as zero.
pub(super) struct History {
    entries: [Entry; CAPACITY],
    known: usize,
    slope: Vec<Pair>,
    /// A point on its way into the differences.
    point: Vec<Pair>,
    differences: Vec<Differences>,
    nodes: [f64; CAPACITY],
    points: usize,
    /// Π (t - t_{n-i}) over i < j, of the last prediction.
    products: [f64; CAPACITY + 1],
    dimension: usize,
    width: usize,
}

struct Entry {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    z: Vec<f64>,
    lambda: Vec<f64>,
}

/// k!, by degree k.
const FACTORIAL: [f64; CAPACITY] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0];

impl History {
    /// Allocates for states of this shape.
    pub fn new(state: &State) -> Self {
        let width = 2 * state.v.len() + state.x.len() + state.z.len() + state.lambda.len();
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
            slope: vec![[0.0; 2]; pairs(width)],
            point: vec![[0.0; 2]; pairs(width)],
            differences: vec![[[0.0; 2]; CAPACITY]; pairs(width)],
            nodes: [0.0; CAPACITY],
            points: 0,
            products: [1.0; CAPACITY + 1],
            dimension: state.v.len(),
            width,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Numbers of a point of the curve.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Nodes that a polynomial can go through: one more than its degree.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Whether slopes are asked for behind the first state: where all earlier configurations may be too far away.
    pub fn takes_slopes(&self) -> bool {
        self.dimension > 0
    }

    /// Adds a state with its acceleration and x'.
    #[inline]
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
        let (u, rest) = (self.slope.as_flattened_mut()).split_at_mut(self.dimension);
        let (v, rest) = rest.split_at_mut(self.dimension);
        u.copy_from_slice(&state.v);
        v.copy_from_slice(&state.acceleration);
        rest[..x_rate.len()].copy_from_slice(x_rate);
        self.tabulate(space);
    }

    /// Without configurations nothing is relative to the newest one: the differences of the history go on,
    /// f[t_n..t_{n-j}] = (f[t_n..t_{n-j+1}] - f[t_{n-1}..t_{n-j}]) / (t_n - t_{n-j}).
    #[inline]
    fn push_states(&mut self, state: &State, x_rate: &[f64]) {
        self.known = (self.known + 1).min(CAPACITY);
        self.nodes.copy_within(..CAPACITY - 1, 1);
        self.nodes[0] = state.t;
        fill(&mut self.point, [&state.x, &state.z, &state.lambda]);
        if self.known == 1 {
            // A single state is a double node: f[t, t] = f'(t).
            self.nodes[1] = state.t;
            fill(&mut self.slope, [x_rate]);
            for (level, values) in [&self.point, &self.slope].into_iter().enumerate() {
                set(&mut self.differences, level, values);
            }
            self.points = 2;
            return;
        }
        self.points = self.known;
        // Differences that reach beyond the oldest state vanish.
        let mut spans = [f64::INFINITY; CAPACITY];
        for (span, node) in spans.iter_mut().zip(&self.nodes[..self.points]) {
            *span = self.nodes[0] - node;
        }
        for (differences, &point) in self.differences.iter_mut().zip(&self.point) {
            let mut newer = point;
            for (slot, span) in differences.iter_mut().zip(&spans[1..]) {
                let older = std::mem::replace(slot, newer);
                newer = std::array::from_fn(|lane| (newer[lane] - older[lane]) / span);
            }
            differences[CAPACITY - 1] = newer;
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
            let (u, rest) = (self.point.as_flattened_mut()).split_at_mut(self.dimension);
            let (v, rest) = rest.split_at_mut(self.dimension);
            let (x, rest) = rest.split_at_mut(entry.x.len());
            let (z, rest) = rest.split_at_mut(entry.z.len());
            // u_{n-j} = log(q_n⁻¹ q_{n-j}): exact, whatever the base.
            space.lift(&newest.q, &entry.q, u);
            v.copy_from_slice(&entry.v);
            x.copy_from_slice(&entry.x);
            z.copy_from_slice(&entry.z);
            rest[..entry.lambda.len()].copy_from_slice(&entry.lambda);
            set(&mut self.differences, self.points, &self.point);
            self.nodes[self.points] = entry.t;
            self.points += 1;
        }
        // A single state is a double node: f[t, t] = f'(t).
        if self.points == 1 {
            self.nodes[1] = self.nodes[0];
            set(&mut self.differences, 1, &self.slope);
            self.points = 2;
            return;
        }
        // f[t_i..t_j] = (f[newer] - f[older]) / (t_newer - t_older), in place from the oldest upwards.
        let nodes = &self.nodes[..self.points];
        for differences in &mut self.differences {
            for level in 1..nodes.len() {
                for index in (level..nodes.len()).rev() {
                    let span = nodes[index - level] - nodes[index];
                    let newer = differences[index - 1];
                    for (slot, newer) in differences[index].iter_mut().zip(newer) {
                        *slot = (newer - *slot) / span;
                    }
                }
            }
        }
    }

    /// Value and rate at `t` of the polynomial of this degree through the newest nodes.
    #[inline]
    pub fn predict(&mut self, degree: usize, t: f64, value: &mut [Pair], rate: &mut [Pair]) {
        // Newton's form: products Π (t - t_i) and their derivatives by the product rule.
        let mut slopes = [0.0; CAPACITY + 1];
        for (index, node) in self.nodes.iter().enumerate() {
            let (distance, product) = (t - node, self.products[index]);
            self.products[index + 1] = product * distance;
            slopes[index + 1] = slopes[index] * distance + product;
        }
        let slopes = &slopes;
        match degree {
            1 => self.sum_up::<1>(slopes, value, rate),
            2 => self.sum_up::<2>(slopes, value, rate),
            3 => self.sum_up::<3>(slopes, value, rate),
            4 => self.sum_up::<4>(slopes, value, rate),
            _ => self.sum_up::<MAX_ORDER>(slopes, value, rate),
        }
    }

    /// Adds up the first terms of Newton's form and of its derivative.
    fn sum_up<const DEGREE: usize>(
        &self,
        slopes: &[f64; CAPACITY + 1],
        value: &mut [Pair],
        rate: &mut [Pair],
    ) {
        let sums = value.iter_mut().zip(rate);
        for (differences, (value, rate)) in self.differences.iter().zip(sums) {
            (*value, *rate) = (differences[0], [0.0; 2]);
            for term in 1..=DEGREE {
                for lane in 0..2 {
                    value[lane] += self.products[term] * differences[term][lane];
                    rate[lane] += slopes[term] * differences[term][lane];
                }
            }
        }
    }

    /// h/ψ_{i+1} with ψ_{i+1} = t - t_{n-i} of the last prediction; of no meaning beyond the oldest node.
    pub fn step_ratios(&self, h: f64) -> [f64; CAPACITY] {
        std::array::from_fn(|index| h / (self.products[index + 1] / self.products[index]))
    }

    /// By degree, the factor from y - P_degree to the error of the formula of this degree with equal steps h: it is
    /// h^(degree+1) y^(degree+1) / (degree + 1), and y - P_degree the next divided difference times distances.
    pub fn error_constants(&self, h: f64) -> [f64; CAPACITY] {
        let (square, fourth) = (h * h, (h * h) * (h * h));
        let powers = [h, square, h * square, fourth, h * fourth, square * fourth];
        // y^(k+1) h^(k+1) / (k + 1) = k! h^(k+1) / Π · (y - P), since y - P = Π y^(k+1) / (k + 1)!.
        std::array::from_fn(|degree| FACTORIAL[degree] * powers[degree] / self.products[degree + 1])
    }

    /// What polynomials of these degrees add to those of one degree less, by pair; of no meaning where there are too few points.
    pub fn terms<const N: usize>(&self, degrees: [usize; N]) -> impl Fn(usize) -> [Pair; N] {
        let factors = degrees.map(|degree| {
            let degree = degree.min(CAPACITY - 1);
            (degree, self.products[degree])
        });
        move |pair| {
            let differences = &self.differences[pair];
            factors.map(|(degree, product)| differences[degree].map(|f| product * f))
        }
    }
}

/// Puts parts one after another.
fn fill<const PARTS: usize>(point: &mut [Pair], parts: [&[f64]; PARTS]) {
    let mut rest = point.as_flattened_mut();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let (here, behind) = rest.split_at_mut(part.len());
        here.copy_from_slice(part);
        rest = behind;
    }
}

/// Puts a point in the place of the differences of this level.
fn set(differences: &mut [Differences], level: usize, point: &[Pair]) {
    for (differences, &pair) in differences.iter_mut().zip(point) {
        differences[level] = pair;
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
