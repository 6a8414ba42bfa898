//! Past states as one smooth curve in local coordinates, and its extrapolation.

use super::pairs::{Pair, add, pairs, subtract};
use crate::manifold::{Factor, Manifold};
use crate::system::State;

/// The highest order: BDF6 is hardly stable.
pub(crate) const MAX_ORDER: usize = 5;

/// States needed to judge the highest order; a lower one is compared with the next higher by as many.
const CAPACITY: usize = MAX_ORDER + 1;

/// Rotations between the ends of the history stay below this angle in rad, so that their logarithms are one branch.
const LARGEST_TURN: f64 = 3.0;

/// f[t_n], f[t_n, t_{n-1}], ... of two numbers: all that is known of them lies together.
pub(super) type Differences = [Pair; CAPACITY];

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
    /// t - t_{n-i} of the last prediction.
    distances: [f64; CAPACITY],
    /// Π (t - t_{n-i}) over i < j.
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
            distances: [1.0; CAPACITY],
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

    /// Whether there are configurations. Then slopes are asked for behind the first state, too: all earlier ones may be too far away.
    pub fn has_configurations(&self) -> bool {
        self.dimension > 0
    }

    /// Adds a state with its acceleration and x', where there are configurations.
    pub fn push(&mut self, space: &Manifold, state: &State, x_rate: &[f64]) {
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
    pub fn push_states(&mut self, state: &State, x_rate: &[f64]) {
        self.known = (self.known + 1).min(CAPACITY);
        self.nodes.copy_within(..CAPACITY - 1, 1);
        self.nodes[0] = state.t;
        if self.known == 1 {
            fill(&mut self.point, [&state.x, &state.z, &state.lambda]);
            // A single state is a double node: f[t, t] = f'(t).
            self.nodes[1] = state.t;
            // Differences that reach beyond the oldest state vanish.
            self.nodes[2..].fill(f64::NEG_INFINITY);
            fill(&mut self.slope, [x_rate]);
            for (level, values) in [&self.point, &self.slope].into_iter().enumerate() {
                set(&mut self.differences, level, values);
            }
            self.points = 2;
            return;
        }
        self.points = self.known;
        if self.known == 2 {
            // No double node any more.
            self.nodes[2] = f64::NEG_INFINITY;
        }
        let (pairs, last) = state.x.as_chunks::<2>();
        if state.x.len() == self.width {
            return self.put_first(|pair| match pairs.get(pair) {
                Some(pair) => *pair,
                None => [last[0], 0.0],
            });
        }
        let mut point = std::mem::take(&mut self.point);
        fill(&mut point, [&state.x, &state.z, &state.lambda]);
        self.put_first(|pair| point[pair]);
        self.point = point;
    }

    /// Puts a point before the others.
    #[inline(always)]
    fn put_first(&mut self, point: impl Fn(usize) -> Pair) {
        // Infinite behind the oldest state.
        let spans = self.nodes.map(|node| self.nodes[0] - node);
        for (pair, differences) in self.differences.iter_mut().enumerate() {
            let mut newer = point(pair);
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
    #[inline(always)]
    pub fn predict(&mut self, degree: usize, t: f64, guess: &mut impl Guess) {
        // Newton's form: products Π (t - t_i) and their derivatives by the product rule.
        let mut slopes = [0.0; CAPACITY + 1];
        for (index, node) in self.nodes.iter().enumerate() {
            let (distance, product) = (t - node, self.products[index]);
            self.distances[index] = distance;
            self.products[index + 1] = product * distance;
            slopes[index + 1] = slopes[index] * distance + product;
        }
        let factors = std::array::from_fn(|term| [self.products[term], slopes[term]]);
        match degree {
            1 => self.sum_up::<1>(&factors, guess),
            2 => self.sum_up::<2>(&factors, guess),
            3 => self.sum_up::<3>(&factors, guess),
            4 => self.sum_up::<4>(&factors, guess),
            _ => self.sum_up::<MAX_ORDER>(&factors, guess),
        }
    }

    /// Adds up the first terms of Newton's form and of its derivative.
    #[inline(always)]
    fn sum_up<const DEGREE: usize>(&self, factors: &[[f64; 2]; CAPACITY], guess: &mut impl Guess) {
        for (pair, differences) in self.differences.iter().enumerate() {
            let (mut value, mut rate) = (differences[0], [0.0; 2]);
            for term in 1..=DEGREE {
                let [product, slope] = factors[term];
                for lane in 0..2 {
                    value[lane] += product * differences[term][lane];
                    rate[lane] += slope * differences[term][lane];
                }
            }
            guess.take(pair, differences[0], [value, rate]);
        }
    }

    /// h/ψ_{i+1} with ψ_{i+1} = t - t_{n-i} of the last prediction; of no meaning beyond the oldest node.
    pub fn step_ratios(&self, h: f64) -> [f64; CAPACITY] {
        self.distances.map(|distance| h / distance)
    }

    /// By degree, the factor from y - P_degree to the error of the formula of this degree with equal steps h: it is
    /// h^(degree+1) y^(degree+1) / (degree + 1), and y - P_degree the next divided difference times distances.
    pub fn error_constants(&self, h: f64) -> [f64; CAPACITY] {
        let (square, fourth) = (h * h, (h * h) * (h * h));
        let powers = [h, square, h * square, fourth, h * fourth, square * fourth];
        // y^(k+1) h^(k+1) / (k + 1) = k! h^(k+1) / Π · (y - P), since y - P = Π y^(k+1) / (k + 1)!.
        std::array::from_fn(|degree| FACTORIAL[degree] * powers[degree] / self.products[degree + 1])
    }

    /// How the errors of neighbouring orders follow from y - P of this one.
    #[inline]
    pub fn neighbours(&self, order: usize) -> Neighbours {
        // Within bounds that the compiler sees.
        let order = order.clamp(1, MAX_ORDER);
        let (before, next) = (order - 1, (order + 1).min(MAX_ORDER));
        Neighbours {
            degrees: [order, before, next],
            products: [
                self.products[order],
                self.products[before],
                self.products[next],
            ],
        }
    }

    /// The time of the newest state.
    pub fn newest(&self) -> f64 {
        self.nodes[0]
    }

    /// The newest configuration, around which local coordinates are.
    pub fn base(&self) -> &[f64] {
        &self.entries[0].q
    }

    /// Value and rate at `t` of the polynomial of this degree through the newest nodes, for all numbers of a point.
    pub fn values(&self, degree: usize, t: f64, out: &mut [[f64; 2]]) {
        let degree = degree.min(self.points - 1);
        let [mut products, mut slopes] = [[1.0; CAPACITY], [0.0; CAPACITY]];
        for term in 1..=degree {
            let distance = t - self.nodes[term - 1];
            slopes[term] = slopes[term - 1] * distance + products[term - 1];
            products[term] = products[term - 1] * distance;
        }
        for (number, slot) in out.iter_mut().enumerate() {
            *slot = [0.0; 2];
            let differences = &self.differences[number / 2][..=degree];
            for (term, pair) in differences.iter().enumerate() {
                slot[0] += products[term] * pair[number % 2];
                slot[1] += slopes[term] * pair[number % 2];
            }
        }
    }

    /// Π (t - t_{n-i}) over i < count, and its rate.
    pub fn product(&self, count: usize, t: f64) -> [f64; 2] {
        let nodes = self.nodes[..count].iter();
        nodes.fold([1.0, 0.0], |[product, slope], node| {
            [product * (t - node), slope * (t - node) + product]
        })
    }

    /// The differences, by pairs.
    pub fn differences(&self) -> &[Differences] {
        &self.differences
    }
}

/// Takes the values of a prediction.
pub(super) trait Guess {
    /// A pair's newest state, and what is predicted of its value and its rate.
    fn take(&mut self, pair: usize, newest: Pair, predicted: [Pair; 2]);
}

/// The terms of a prediction that its neighbours have more or less: those of the order, of the order below and of the order above.
pub(super) struct Neighbours {
    degrees: [usize; 3],
    /// Of distances.
    products: [f64; 3],
}

impl Neighbours {
    /// y - P of the order k itself, as it is given, of the orders k - 1, k - 2 and k + 1; of no meaning where there are
    /// too few points for that.
    ///
    /// y - P_{k-1} = (y - P_k) + the term of degree k, for the error of order k - 1; two terms reach back to y - P_{k-2}. Raising
    /// the order takes the term of degree k + 1, and so one more point.
    #[inline(always)]
    pub fn errors(&self, differences: &Differences, error: Pair) -> [Pair; 4] {
        let term = |index: usize| {
            let [first, second] = differences[self.degrees[index]];
            let product = self.products[index];
            [product * first, product * second]
        };
        let (term, before, next) = (term(0), term(1), term(2));
        let lower = add(error, term);
        [error, lower, add(lower, before), subtract(error, next)]
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
