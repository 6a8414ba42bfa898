//! Linear systems (α B - ∂F/∂y) δ = r, reduced to saddle-point form.

use super::places::{Complex, Positions};
use super::structure::{Indices, Places};
use super::{Linearization, Unknowns};
use crate::linalg::{KktError, KktSolver, Method, product, reciprocal};
use crate::system::{Formulation, Layout};

/// Solves (α B - ∂F/∂y) δ = r for a real or a complex α by one saddle-point system.
///
/// With δw = α δv - r_v and δu = (α - P)⁻¹ (δv + r_u), what is left is one saddle-point system in (δv, δx, δz) and δλ,
/// here on a vector space, where P = ∂(dexp⁻¹(u) v)/∂u = 0,
///
/// ```text
/// [ α M - f_v + K/α      -f_x      -f_z   -Gᵀ ] [δv]   [ r_w + M r_v - K r_u/α     ]
/// [ -d_v - d_q/α       α E - d_x   -d_z       ] [δx] = [ r_x + d_q r_u/α           ]   K = ∂(M w - Gᵀ λ - f)/∂q
/// [ a_v + a_q/α           a_x       a_z   a_λ ] [δz]   [ r_z - a_q r_u/α           ]
/// [ C_u/α + C_v + α C_w                       ] [δλ]   [ r_λ - C_u r_u/α + C_w r_v ]
/// ```
///
/// whose last rows are multiplied by the power of α that leaves G as their leading term. On a group (α - P)⁻¹ is taken
/// as 1/α + P/α², so that δ has a relative error of (h ω)². The stabilized formulation keeps
/// δu as an unknown: with δs = (α - P) δu - δv - r_u the rows of s and μ are M ((α - P) δu - δv) - G_pᵀ δμ and G_p δu. A complex
/// system is solved as the real one in real and imaginary parts, which stand side by side within every body and
/// joint, so that block elimination keeps its structure: 8 times the effort of the real one for dense matrices.
///
/// Redundant constraints: δλ is of least norm, see [`KktSolver`].
pub(super) struct Saddle {
    parts: usize,
    alpha: Complex,
    kkt: KktSolver,
    upper_left: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    places: Places,
    indices: Indices,
    descriptor: Vec<f64>,
    top: Vec<f64>,
    bottom: Vec<f64>,
    unknown: Vec<f64>,
    multiplier: Vec<f64>,
    /// r_u / α by parts, followed by zeros in place of x and z.
    shift: [Vec<f64>; 2],
    /// P times a vector, by parts.
    curved: [Vec<f64>; 2],
    rates: Vec<f64>,
    rows: [Vec<f64>; 2],
}

/// A component of real or complex vectors by parts.
fn read(r: &[&mut [f64]], index: usize) -> Complex {
    [r[0][index], r.get(1).map_or(0.0, |part| part[index])]
}

fn write(r: &mut [&mut [f64]], index: usize, value: Complex) {
    for (part, value) in r.iter_mut().zip(value) {
        part[index] = value;
    }
}

impl Saddle {
    /// Memory for real (one part) or complex (two parts) systems, to be solved by this method.
    pub fn new(
        layout: &Layout,
        unknowns: &Unknowns,
        parts: usize,
        method: Method,
    ) -> Result<Self, KktError> {
        let indices = Indices::new(layout, unknowns, parts);
        let form = (parts, method == Method::Dense);
        let (places, [upper_left, left, right]) = Places::new(layout, unknowns, &indices, form)?;
        let (variables, rows) = (indices.variables, indices.rows);
        let descriptor = layout.descriptor.as_ref();
        let shift = || vec![0.0; layout.rate_count()];
        let turned = || vec![0.0; layout.dimension()];
        let row_values = || vec![0.0; layout.rows()];
        let kkt = KktSolver::with_method(&upper_left, &left, &right, &indices.blocks, method)?;
        Ok(Self {
            parts,
            alpha: [1.0, 0.0],
            kkt,
            upper_left: vec![0.0; upper_left.nnz()],
            left: vec![0.0; left.nnz()],
            right: vec![0.0; right.nnz()],
            descriptor: descriptor.map_or_else(
                || vec![1.0; layout.differential],
                |(_, values)| values.clone(),
            ),
            places,
            indices,
            top: vec![0.0; variables],
            bottom: vec![0.0; rows],
            unknown: vec![0.0; variables],
            multiplier: vec![0.0; rows],
            shift: [shift(), shift()],
            curved: [turned(), turned()],
            rates: shift(),
            rows: [row_values(), row_values()],
        })
    }

    /// Whether the system is small enough for a dense matrix.
    pub fn is_dense(&self) -> bool {
        self.kkt.is_dense()
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.kkt.factorizations(), self.kkt.solves())
    }

    /// The power of α that rows at this level are multiplied by, so that G is their leading term.
    fn row_scale(&self, unknowns: &Unknowns, position_row: bool) -> Complex {
        match unknowns.formulation {
            // In C_u/α + C_v + α C_w G is C_u, C_v or C_w: α, 1 or 1/α makes it the leading term.
            Formulation::Index3 if position_row => self.alpha,
            Formulation::Index3 | Formulation::Index2 | Formulation::StabilizedIndex2 => [1.0, 0.0],
            Formulation::Index1 | Formulation::Baumgarte { .. } => reciprocal(self.alpha),
        }
    }

    /// Factorizes α B - ∂F/∂y.
    pub fn factor(
        &mut self,
        unknowns: &Unknowns,
        linearization: &Linearization,
        alpha: Complex,
    ) -> Result<(), KktError> {
        self.alpha = alpha;
        let inverse = reciprocal(alpha);
        let one = [1.0, 0.0];
        let stabilized = unknowns.formulation.is_stabilized();
        // Stabilized, δu is an unknown of its own; otherwise it is δv / α up to P.
        let by_position = if stabilized { one } else { inverse };
        let (places, from) = (&self.places, linearization);

        // Row w: α M - f_v + (1/α + P/α²) K with the unknowns (δv, δx, δz).
        self.upper_left.fill(0.0);
        let upper = &mut self.upper_left;
        places.mass.add(alpha, &from.mass, upper);
        places.descriptor.add(alpha, &self.descriptor, upper);
        places.stiffness.add(by_position, &from.stiffness, upper);
        let rates = &from.rates;
        let curved = from.kinematics.is_curved();
        // (α - P)⁻¹ ≈ 1/α + P/α²; the second term is that of `square`.
        let square = product(inverse, inverse);
        if curved && !stabilized {
            places.stiffness.add(square, &from.curved_stiffness, upper);
            places
                .rates_by_position
                .add(square, &from.curved_rates, upper);
        }
        // Row s: M ((α - P) δu - δv) - G_pᵀ δμ.
        if curved {
            places.correction.add([-1.0, 0.0], &from.curved_mass, upper);
        }
        places
            .rates_by_position
            .add(by_position, &rates.by_position, upper);
        places.rates_by_states.add(one, &rates.by_position, upper);
        places.rates_by_velocity.add(one, &rates.by_velocity, upper);
        places.correction.add(alpha, &from.mass, upper);
        places
            .correction_velocity
            .add([-1.0, 0.0], &from.mass, upper);

        self.left.fill(0.0);
        // The solver sets -leftᵀ in the upper right: it makes -Gᵀ of G.
        places.left.add(one, &from.jacobian, &mut self.left);
        places
            .left_correction
            .add(one, &from.jacobian, &mut self.left);
        places
            .left_residual
            .add(one, &rates.by_multiplier, &mut self.left);

        self.right.fill(0.0);
        let places_of_rows = [
            (&self.places.right_position, true),
            (&self.places.right_velocity, false),
        ];
        // Rows of the constraints, scaled.
        for (place, position_row) in places_of_rows {
            let scale = self.row_scale(unknowns, position_row);
            if !stabilized {
                place.add(product(scale, inverse), &from.by_position, &mut self.right);
                if curved {
                    place.add(product(scale, square), &from.curved_rows, &mut self.right);
                }
            }
            place.add(scale, &from.by_velocity, &mut self.right);
            place.add(
                product(scale, alpha),
                &from.by_acceleration,
                &mut self.right,
            );
        }
        // Stabilized: G_p δu in the rows of μ, C_u δu in those of λ.
        let places = &self.places;
        places
            .right_correction
            .add(one, &from.jacobian, &mut self.right);
        places
            .right_displacement
            .add(one, &from.by_position, &mut self.right);
        // What rounding leaves in the rows, scaled as they are, contradicts nothing.
        let [coordinates, velocities] = from.rounded;
        let [re, im] = self.row_scale(unknowns, true);
        self.kkt
            .expect_rounded_values(re.hypot(im) * coordinates + velocities);
        self.kkt.factor(&self.upper_left, &self.left, &self.right)
    }

    /// Overwrites r, one vector for each part (real and imaginary), with δ.
    pub fn solve(
        &mut self,
        layout: &Layout,
        unknowns: &Unknowns,
        linearization: &Linearization,
        r: &mut [&mut [f64]],
    ) -> Result<(), KktError> {
        let from = linearization;
        let dimension = layout.dimension();
        let first_algebraic = dimension + layout.differential;
        let stabilized = unknowns.formulation.is_stabilized();
        let inverse = reciprocal(self.alpha);
        // What is known of δu moves to the right-hand side: (1/α + P/α²) r_u.
        if !stabilized {
            self.displace(from, unknowns, inverse, r);
        }
        for part in 0..self.parts {
            let given = &*r[part];
            let gather = |top: &mut [f64], positions: &Positions, values: &[f64]| {
                for (&position, value) in positions[part].iter().zip(values) {
                    top[position] = *value;
                }
            };
            // Forces and corrections: r + M r_v and r + M r_u.
            let work = &mut self.rates;
            let rows = &mut self.rows[part];
            rows.copy_from_slice(&given[unknowns.lambda()]);
            if stabilized {
                let correction = &mut work[..dimension];
                correction.copy_from_slice(&given[unknowns.s()]);
                layout
                    .mass
                    .multiply_add(&from.mass, 1.0, &given[unknowns.u()], correction);
                gather(&mut self.top, &self.indices.u, correction);
                gather(&mut self.bottom, &self.indices.mu, &given[unknowns.mu()]);
            }
            work[..dimension].copy_from_slice(&given[unknowns.w()]);
            work[dimension..first_algebraic].copy_from_slice(&given[unknowns.x()]);
            // Rows of a have the sign of a, F that of -a.
            for (slot, value) in work[first_algebraic..].iter_mut().zip(&given[unknowns.z()]) {
                *slot = -value;
            }
            // r + (f_q, d_q) δu_known - K_g δu_known, and for rows - C_u δu_known.
            if !stabilized {
                let shift = &self.shift[part];
                layout
                    .rates
                    .multiply_add(&from.rates.by_position, 1.0, shift, work);
                let shift = &shift[..dimension];
                from.stiffness_pattern.multiply_add(
                    &from.stiffness,
                    -1.0,
                    shift,
                    &mut work[..dimension],
                );
                layout
                    .jacobian
                    .multiply_add(&from.by_position, -1.0, shift, rows);
            }
            // δw = α δv - r_v puts M r_v on the right.
            let velocity = &given[unknowns.v()];
            layout
                .mass
                .multiply_add(&from.mass, 1.0, velocity, &mut work[..dimension]);
            // Rows above acceleration level do not depend on it.
            if unknowns.formulation.index() == 1 {
                layout
                    .jacobian
                    .multiply_add(&from.by_acceleration, 1.0, velocity, rows);
            }
            // Back to the sign of the rows of a.
            for value in &mut work[first_algebraic..] {
                *value = -*value;
            }
            gather(&mut self.top, &self.indices.v, &work[..dimension]);
            gather(
                &mut self.top,
                &self.indices.x,
                &work[dimension..first_algebraic],
            );
            gather(&mut self.top, &self.indices.z, &work[first_algebraic..]);
        }
        self.load_rows(layout, unknowns);
        let (x, y) = (&mut self.unknown, &mut self.multiplier);
        self.kkt.solve_again(&self.top, &self.bottom, x, y)?;
        self.expand(unknowns, from, inverse, r);
        Ok(())
    }

    /// (1/α + P/α²) r_u.
    fn displace(
        &mut self,
        linearization: &Linearization,
        unknowns: &Unknowns,
        inverse: Complex,
        r: &[&mut [f64]],
    ) {
        for (curved, part) in self.curved.iter_mut().zip(r) {
            linearization.kinematics.apply(&part[unknowns.u()], curved);
        }
        for index in unknowns.u() {
            let value = [r[0][index], r.get(1).map_or(0.0, |part| part[index])];
            let turned = product(inverse, [self.curved[0][index], self.curved[1][index]]);
            let sum = [value[0] + turned[0], value[1] + turned[1]];
            for (shift, value) in self.shift.iter_mut().zip(product(inverse, sum)) {
                shift[index] = value;
            }
        }
    }

    /// The right-hand sides of the constraint rows, scaled like the rows.
    fn load_rows(&mut self, layout: &Layout, unknowns: &Unknowns) {
        for row in 0..layout.rows() {
            let scale = self.row_scale(unknowns, row < layout.position_rows);
            let imaginary = if self.parts == 2 {
                self.rows[1][row]
            } else {
                0.0
            };
            let value = product(scale, [self.rows[0][row], imaginary]);
            for (part, positions) in self.indices.lambda.iter().take(self.parts).enumerate() {
                self.bottom[positions[row]] = value[part];
            }
        }
    }

    /// All unknowns from those of the saddle-point system.
    fn expand(
        &mut self,
        unknowns: &Unknowns,
        linearization: &Linearization,
        inverse: Complex,
        r: &mut [&mut [f64]],
    ) {
        let (alpha, parts) = (self.alpha, self.parts);
        let pick = |positions: &Positions, index: usize, values: &[f64]| -> Complex {
            let [real, imaginary] = positions;
            let imaginary = imaginary.get(index).map_or(0.0, |&at| values[at]);
            [values[real[index]], imaginary]
        };
        // P acts on what is known of each velocity or displacement.
        let moved = if unknowns.formulation.is_stabilized() {
            &self.indices.u
        } else {
            &self.indices.v
        };
        for (part, positions) in moved.iter().enumerate().take(parts) {
            let gathered = &mut self.rates[..positions.len()];
            for (slot, &position) in gathered.iter_mut().zip(positions) {
                *slot = self.unknown[position];
            }
            linearization
                .kinematics
                .apply(gathered, &mut self.curved[part]);
        }
        let (u, v, w, s) = (unknowns.u(), unknowns.v(), unknowns.w(), unknowns.s());
        for index in 0..u.len() {
            let dv = pick(&self.indices.v, index, &self.unknown);
            let acceleration = product(alpha, dv);
            let given = read(r, v.start + index);
            // δw = α δv - r_v.
            let dw = [acceleration[0] - given[0], acceleration[1] - given[1]];
            // δu = (1/α + P/α²) (δv + r_u), the part of r_u being `shift`.
            let du = if s.is_empty() {
                let turned = product(inverse, [self.curved[0][index], self.curved[1][index]]);
                let moved = product(inverse, [dv[0] + turned[0], dv[1] + turned[1]]);
                [
                    self.shift[0][index] + moved[0],
                    self.shift[1][index] + moved[1],
                ]
            } else {
                // Stabilized: δs = (α - P) δu - δv - r_u.
                let du = pick(&self.indices.u, index, &self.unknown);
                let rate = product(alpha, du);
                let given = read(r, u.start + index);
                let ds = std::array::from_fn(|part| {
                    rate[part] - self.curved[part][index] - dv[part] - given[part]
                });
                write(r, s.start + index, ds);
                du
            };
            write(r, u.start + index, du);
            write(r, v.start + index, dv);
            write(r, w.start + index, dw);
        }
        for (range, positions) in [
            (unknowns.x(), &self.indices.x),
            (unknowns.z(), &self.indices.z),
        ] {
            for (index, at) in range.enumerate() {
                write(r, at, pick(positions, index, &self.unknown));
            }
        }
        for (range, positions) in [
            (unknowns.lambda(), &self.indices.lambda),
            (unknowns.mu(), &self.indices.mu),
        ] {
            for (index, at) in range.enumerate() {
                write(r, at, pick(positions, index, &self.multiplier));
            }
        }
    }
}
