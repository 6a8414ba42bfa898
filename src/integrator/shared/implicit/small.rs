//! Small systems (α B - ∂F/∂y) δ = r with a real or complex α, factorized as they are.

use super::condensed::{Condensed, POWERS};
use super::{Kinematics, Unknowns};
use crate::linalg::{
    AroundBoth, AroundOne, ColumnLu, Parts, around_both, product, reciprocal, solve_both,
};

/// Pivots below this part of their column, rows and columns of unit size, are left to the solver that decides about rank. It
/// draws the line at 1e-12.
const DOUBTFUL: f64 = 1e-10;

/// What a system is made of.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'a> {
    pub condensed: &'a Condensed,
    pub unknowns: &'a Unknowns,
    pub kinematics: &'a Kinematics,
}

/// out += A x, A column by column.
fn add_product(columns: &[f64], x: &[f64], out: &mut [f64]) {
    let length = out.len();
    let (fours, rest) = out.as_chunks_mut::<4>();
    let done = fours.len() * 4;
    // Four rows at a time, whose sums stay in registers.
    for (group, out) in fours.iter_mut().enumerate() {
        let mut sums = *out;
        for (column, &x) in columns.chunks_exact(length).zip(x) {
            let own = &column[4 * group..4 * group + 4];
            for lane in 0..4 {
                sums[lane] += x * own[lane];
            }
        }
        *out = sums;
    }
    for (row, out) in (done..length).zip(rest) {
        for (column, &x) in columns.chunks_exact(length).zip(x) {
            *out += x * column[row];
        }
    }
}

fn read<const P: usize>(parts: &[Vec<f64>; P], index: usize) -> Parts<P> {
    let mut number = [0.0; P];
    for (number, part) in number.iter_mut().zip(parts) {
        *number = part[index];
    }
    number
}

fn sum<const P: usize>(mut a: Parts<P>, b: Parts<P>) -> Parts<P> {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
    a
}

/// The factors of a small matrix, real (`P = 1`) or complex (`P = 2`). Vectors stand part by part.
pub(super) struct Small<const P: usize> {
    lu: ColumnLu<P>,
    alpha: Parts<P>,
    inverse: Parts<P>,
    /// What position rows and velocity rows are multiplied by.
    scales: [Parts<P>; 2],
    /// The unknowns of the matrix.
    z: [Vec<f64>; P],
    /// What is known of -δu.
    shift: [Vec<f64>; P],
    /// P times a vector.
    turned: [Vec<f64>; P],
    usable: bool,
}

impl<const P: usize> Small<P> {
    /// Memory for the matrix of so many variables and rows.
    pub fn new(unknowns: &Unknowns, size: usize) -> Self {
        let vectors = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        let mut one = [0.0; P];
        one[0] = 1.0;
        Self {
            lu: ColumnLu::new(size),
            alpha: one,
            inverse: one,
            scales: [one; 2],
            z: vectors(size),
            shift: vectors(unknowns.u().len()),
            turned: vectors(unknowns.u().len()),
            usable: false,
        }
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        self.lu.work()
    }

    /// Whether there are factors.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// α to one of the powers that occur, [`POWERS`].
    fn power(&self, power: i32) -> Parts<P> {
        let mut one = [0.0; P];
        one[0] = 1.0;
        match power {
            1 => self.alpha,
            0 => one,
            -1 => self.inverse,
            -2 => product(self.inverse, self.inverse),
            _ => product(product(self.inverse, self.inverse), self.inverse),
        }
    }

    /// Factorizes the matrix at α; false if a pivot is doubtful or entries grow.
    pub fn factor(&mut self, condensed: &Condensed, alpha: Parts<P>) -> bool {
        if let Some(matrix) = condensed.beside_unit_matrix() {
            self.usable = self.lu.factor_shifted(alpha, matrix, DOUBTFUL);
            return self.usable;
        }
        self.alpha = alpha;
        self.inverse = reciprocal(alpha);
        let (scales, _) = condensed.row_scales();
        self.scales = [self.power(scales[0]), self.power(scales[1])];
        let mut terms: [(Parts<P>, &[f64]); POWERS_THAT_OCCUR] = [([0.0; P], &[]); _];
        let mut count = 0;
        for (slot, (power, values)) in terms.iter_mut().zip(condensed.terms()) {
            *slot = (self.power(power), values);
            count += 1;
        }
        self.usable = self.lu.factor_safely(&terms[..count], DOUBTFUL);
        self.usable
    }

    /// Runs a job that contains a solution, where all unknowns are states: the matrix is that of all of them.
    #[inline]
    pub fn around(&mut self, job: impl AroundOne<P>) {
        self.lu.around(job);
    }

    /// Overwrites r, one vector for each part, with δ.
    pub fn solve(&mut self, system: Parameters, mut r: [&mut [f64]; P]) {
        if system.unknowns.are_states() {
            return self.lu.solve(r);
        }
        self.reduce(system, &r);
        self.lu.solve(self.z.each_mut().map(Vec::as_mut_slice));
        self.expand(system, &mut r);
    }

    /// Right-hand sides of the matrix of those of all equations.
    fn reduce(&mut self, system: Parameters, r: &[&mut [f64]; P]) {
        let Parameters {
            condensed,
            unknowns,
            kinematics,
        } = system;
        let places = &condensed.places;
        let (u, v) = (unknowns.u(), unknowns.v());
        let stabilized = !unknowns.s().is_empty();
        let parts = r.iter().zip(&mut self.z).zip(&mut self.turned);
        for ((y, z), turned) in parts {
            for (place, range) in condensed.others() {
                z[place.clone()].copy_from_slice(&y[range.clone()]);
            }
            if u.is_empty() {
                continue;
            }
            // δw = α δv - r_v puts M r_v on the right.
            z[places.v.clone()].copy_from_slice(&y[unknowns.w()]);
            add_product(condensed.mass(), &y[v.clone()], &mut z[places.v.clone()]);
            if unknowns.formulation.index() == 1 {
                let rows = &mut z[places.lambda.clone()];
                add_product(condensed.by_acceleration(), &y[v.clone()], rows);
            }
            if stabilized {
                z[places.u.clone()].copy_from_slice(&y[unknowns.s()]);
                add_product(condensed.mass(), &y[u.clone()], &mut z[places.u.clone()]);
            } else if kinematics.is_curved() {
                kinematics.apply(&y[u.clone()], turned);
            }
        }
        if !u.is_empty() && !stabilized {
            // What is known of δu, (1/α + P/α²) r_u, moves to the right-hand side.
            for (index, at) in u.enumerate() {
                let mut known = [0.0; P];
                for (known, part) in known.iter_mut().zip(r) {
                    *known = part[at];
                }
                let turned = product(self.inverse, read(&self.turned, index));
                let known = product(self.inverse, sum(known, turned));
                for (shift, known) in self.shift.iter_mut().zip(known) {
                    // With the sign that lets the product be added.
                    shift[index] = 0.0 - known;
                }
            }
            for (shift, z) in self.shift.iter().zip(&mut self.z) {
                add_product(condensed.by_position(), shift, z);
            }
        }
        let (powers, position_rows) = condensed.row_scales();
        if powers != [0, 0] {
            for (row, place) in places.lambda.clone().enumerate() {
                let scale = self.scales[usize::from(row >= position_rows)];
                let value = product(read(&self.z, place), scale);
                for (z, value) in self.z.iter_mut().zip(value) {
                    z[place] = value;
                }
            }
        }
    }

    /// All unknowns from those of the matrix.
    fn expand(&mut self, system: Parameters, r: &mut [&mut [f64]; P]) {
        let Parameters {
            condensed,
            unknowns,
            kinematics,
        } = system;
        let places = &condensed.places;
        for (y, z) in r.iter_mut().zip(&self.z) {
            for (place, range) in condensed.others() {
                y[range.clone()].copy_from_slice(&z[place.clone()]);
            }
        }
        let (u, v, w, s) = (unknowns.u(), unknowns.v(), unknowns.w(), unknowns.s());
        if u.is_empty() {
            return;
        }
        let stabilized = !s.is_empty();
        // P acts on what has been found of each velocity or displacement.
        let moved = if stabilized { &places.u } else { &places.v };
        if kinematics.is_curved() {
            for (z, turned) in self.z.iter().zip(&mut self.turned) {
                kinematics.apply(&z[moved.clone()], turned);
            }
        }
        for index in 0..u.len() {
            let dv = read(&self.z, places.v.start + index);
            let dw = product(self.alpha, dv);
            let turned = read(&self.turned, index);
            if stabilized {
                // δs = (α - P) δu - δv - r_u.
                let du = read(&self.z, places.u.start + index);
                let rate = product(self.alpha, du);
                for (part, y) in r.iter_mut().enumerate() {
                    y[w.start + index] = dw[part] - y[v.start + index];
                    y[v.start + index] = dv[part];
                    y[s.start + index] = rate[part] - turned[part] - dv[part] - y[u.start + index];
                    y[u.start + index] = du[part];
                }
            } else {
                // δu = (1/α + P/α²) (δv + r_u), the part of r_u being -`shift`.
                let found = product(self.inverse, sum(dv, product(self.inverse, turned)));
                for (part, y) in r.iter_mut().enumerate() {
                    y[w.start + index] = dw[part] - y[v.start + index];
                    y[v.start + index] = dv[part];
                    y[u.start + index] = found[part] - self.shift[part][index];
                }
            }
        }
    }
}

/// How many powers of α there are.
const POWERS_THAT_OCCUR: usize = (*POWERS.end() - *POWERS.start() + 1) as usize;

/// Runs a job that contains a solution with a real and a complex matrix, where all unknowns are states.
#[inline]
pub(super) fn around_pair<J: AroundBoth>(
    real: &mut Small<1>,
    complex: &mut Small<2>,
    job: J,
) -> J::Output {
    around_both(&mut real.lu, &mut complex.lu, job)
}

/// Solves a real and a complex system with the same derivatives at a time, which takes less than one after the other.
#[inline]
pub(super) fn solve_pair(
    real: &mut Small<1>,
    complex: &mut Small<2>,
    system: Parameters,
    [first, second, third]: [&mut [f64]; 3],
) {
    if system.unknowns.are_states() {
        return solve_both(&mut real.lu, &mut complex.lu, [first, second, third]);
    }
    let (mut one, mut two) = ([first], [second, third]);
    real.reduce(system, &one);
    complex.reduce(system, &two);
    let ([z], [re, im]) = (&mut real.z, &mut complex.z);
    solve_both(&mut real.lu, &mut complex.lu, [z, re, im]);
    real.expand(system, &mut one);
    complex.expand(system, &mut two);
}
