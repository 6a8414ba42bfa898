//! Small systems (α B - ∂F/∂y) δ = r with a real or complex α, factorized as they are.

use super::condensed::Condensed;
use super::places::Complex;
use super::{Kinematics, Unknowns};
use crate::linalg::{Number, Parts, WideLu};
use faer::c64;

/// Pivots below this part of their column, rows and columns of unit size, are left to the solver that decides about rank. It
/// draws the line at 1e-12.
const DOUBTFUL: f64 = 1e-10;

/// A number that vectors by real and imaginary parts are made of.
pub(super) trait Entry: Number {
    /// The real part of α, or α.
    fn new(value: Complex) -> Self;
    fn times(self, factor: f64) -> Self;
    /// Reads vectors by their parts.
    fn load(parts: &[&mut [f64]], out: &mut [Self]);
    fn store(values: &[Self], parts: &mut [&mut [f64]]);
}

impl Entry for f64 {
    fn new([real, _]: Complex) -> Self {
        real
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn load(parts: &[&mut [f64]], out: &mut [Self]) {
        if let [real, ..] = parts {
            out.copy_from_slice(real);
        }
    }

    fn store(values: &[Self], parts: &mut [&mut [f64]]) {
        if let [real, ..] = parts {
            real.copy_from_slice(values);
        }
    }
}

impl Entry for c64 {
    fn new([real, imaginary]: Complex) -> Self {
        Self::new(real, imaginary)
    }

    fn times(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }

    fn load(parts: &[&mut [f64]], out: &mut [Self]) {
        if let [real, imaginary, ..] = parts {
            for (out, (real, imaginary)) in out.iter_mut().zip(real.iter().zip(imaginary.iter())) {
                *out = Self::new(*real, *imaginary);
            }
        }
    }

    fn store(values: &[Self], parts: &mut [&mut [f64]]) {
        if let [real, imaginary, ..] = parts {
            let parts = real.iter_mut().zip(imaginary.iter_mut());
            for ((real, imaginary), value) in parts.zip(values) {
                (*real, *imaginary) = (value.re, value.im);
            }
        }
    }
}

/// out += A x, A column by column.
fn add_product<N: Entry>(columns: &[f64], x: &[N], out: &mut [N]) {
    if out.is_empty() {
        return;
    }
    for (column, &x) in columns.chunks_exact(out.len()).zip(x) {
        for (out, &entry) in out.iter_mut().zip(column) {
            *out += x.times(entry);
        }
    }
}

/// The factors of a small matrix.
pub(super) struct Small<N> {
    lu: WideLu<N>,
    alpha: N,
    inverse: N,
    /// What position rows and velocity rows are multiplied by.
    scales: [N; 2],
    /// All unknowns.
    y: Vec<N>,
    /// Those of the matrix.
    z: Vec<N>,
    /// What is known of δu.
    shift: Vec<N>,
    /// P times a vector.
    turned: Vec<N>,
    usable: bool,
}

impl<N: Entry> Small<N> {
    /// Memory for the matrix of so many variables and rows.
    pub fn new<const P: usize>(unknowns: &Unknowns, size: usize) -> Self
    where
        N: Parts<P>,
    {
        let dimension = unknowns.u().len();
        Self {
            lu: WideLu::new(size),
            alpha: N::one(),
            inverse: N::one(),
            scales: [N::one(); 2],
            y: vec![N::zero(); unknowns.len()],
            z: vec![N::zero(); size],
            shift: vec![N::zero(); dimension],
            turned: vec![N::zero(); dimension],
            usable: false,
        }
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        self.lu.work()
    }

    /// α to one of the powers that occur, [`POWERS`](super::condensed::POWERS).
    fn power(&self, power: i32) -> N {
        match power {
            1 => self.alpha,
            0 => N::one(),
            -1 => self.inverse,
            -2 => self.inverse * self.inverse,
            _ => self.inverse * self.inverse * self.inverse,
        }
    }

    /// Factorizes the matrix at α; false if a pivot is doubtful or entries grow.
    pub fn factor(&mut self, condensed: &Condensed, alpha: Complex) -> bool {
        self.alpha = N::new(alpha);
        self.inverse = N::one() / self.alpha;
        let (scales, _) = condensed.row_scales();
        self.scales = scales.map(|power| self.power(power));
        match condensed.terms().count() {
            // No unknowns, or a matrix of zeros, which is no matrix for this.
            0 => self
                .lu
                .matrix_to_overwrite(condensed.places.size())
                .fill(N::zero()),
            1 => self.add_up::<1>(condensed),
            2 => self.add_up::<2>(condensed),
            3 => self.add_up::<3>(condensed),
            4 => self.add_up::<4>(condensed),
            _ => self.add_up::<5>(condensed),
        }
        self.usable = self.lu.factor_safely(DOUBTFUL);
        self.usable
    }

    /// Σ α^k A_k of the first K matrices.
    fn add_up<const K: usize>(&mut self, condensed: &Condensed) {
        let size = condensed.places.size();
        let mut factors = [N::zero(); K];
        let mut terms: [&[f64]; K] = [&[]; K];
        for ((factor, slot), (power, values)) in
            factors.iter_mut().zip(&mut terms).zip(condensed.terms())
        {
            (*factor, *slot) = (self.power(power), values);
        }
        let matrix = self.lu.matrix_to_overwrite(size);
        // Of one length that the compiler sees.
        let terms = terms.map(|term| &term[..matrix.len()]);
        for (at, slot) in matrix.iter_mut().enumerate() {
            let mut sum = factors[0].times(terms[0][at]);
            for k in 1..K {
                sum += factors[k].times(terms[k][at]);
            }
            *slot = sum;
        }
    }

    /// Overwrites r, one vector for each part (real and imaginary), with δ; false if there are no factors that can be used.
    pub fn solve(
        &mut self,
        condensed: &Condensed,
        unknowns: &Unknowns,
        kinematics: &Kinematics,
        r: &mut [&mut [f64]],
    ) -> bool {
        if !self.usable {
            return false;
        }
        if unknowns.are_states() {
            N::load(r, &mut self.z);
            self.lu.solve(&mut self.z);
            N::store(&self.z, r);
            return true;
        }
        let (y, z) = (&mut self.y[..], &mut self.z[..]);
        N::load(r, y);
        let places = &condensed.places;
        let others = [
            (places.x.clone(), unknowns.x()),
            (places.z.clone(), unknowns.z()),
            (places.lambda.clone(), unknowns.lambda()),
            (places.mu.clone(), unknowns.mu()),
        ];
        for (place, range) in &others {
            z[place.clone()].copy_from_slice(&y[range.clone()]);
        }
        let (u, v, w, s) = (unknowns.u(), unknowns.v(), unknowns.w(), unknowns.s());
        let (stabilized, curved) = (!s.is_empty(), kinematics.is_curved());
        if !u.is_empty() {
            // δw = α δv - r_v puts M r_v on the right.
            z[places.v.clone()].copy_from_slice(&y[w.clone()]);
            add_product(condensed.mass(), &y[v.clone()], &mut z[places.v.clone()]);
            if unknowns.formulation.index() == 1 {
                let rows = &mut z[places.lambda.clone()];
                add_product(condensed.by_acceleration(), &y[v.clone()], rows);
            }
            if stabilized {
                z[places.u.clone()].copy_from_slice(&y[s.clone()]);
                add_product(condensed.mass(), &y[u.clone()], &mut z[places.u.clone()]);
            } else {
                // What is known of δu, (1/α + P/α²) r_u, moves to the right-hand side.
                if curved {
                    kinematics.apply(&y[u.clone()], &mut self.turned);
                }
                let known = self.turned.iter().zip(&y[u.clone()]);
                for (shift, (&turned, &r)) in self.shift.iter_mut().zip(known) {
                    // With the sign that lets the product be added.
                    *shift = N::zero() - self.inverse * (r + self.inverse * turned);
                }
                add_product(condensed.by_position(), &self.shift, z);
            }
        }
        let (powers, position_rows) = condensed.row_scales();
        if powers != [0, 0] {
            let (position, velocity) = z[places.lambda.clone()].split_at_mut(position_rows);
            for (rows, scale) in [position, velocity].into_iter().zip(self.scales) {
                for row in rows {
                    *row *= scale;
                }
            }
        }

        self.lu.solve(z);

        for (place, range) in others {
            y[range].copy_from_slice(&z[place]);
        }
        if !u.is_empty() {
            // P acts on what has been found of each velocity or displacement.
            let moved = if stabilized { &places.u } else { &places.v };
            if curved {
                kinematics.apply(&z[moved.clone()], &mut self.turned);
            }
            for index in 0..u.len() {
                let dv = z[places.v.start + index];
                let known = (y[u.start + index], y[v.start + index]);
                y[w.start + index] = self.alpha * dv - known.1;
                y[v.start + index] = dv;
                y[u.start + index] = if stabilized {
                    // δs = (α - P) δu - δv - r_u.
                    let du = z[places.u.start + index];
                    y[s.start + index] = self.alpha * du - self.turned[index] - dv - known.0;
                    du
                } else {
                    // δu = (1/α + P/α²) (δv + r_u), the part of r_u being `shift`.
                    let turned = self.inverse * self.turned[index];
                    self.inverse * (dv + turned) - self.shift[index]
                };
            }
        }
        N::store(y, r);
        true
    }
}
