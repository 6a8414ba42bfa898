//! The right-hand side F of B y' = F(t, y).

use super::Unknowns;
use crate::integrator::shared::sweep::{Sweep, read, sweep, write};
use crate::linalg::Pattern;
use crate::manifold::Manifold;
use crate::system::{
    Balance, EvaluationError, Evaluator, Formulation, Function, Layout, Point, Wanted, copy_part,
};

/// Evaluates F; owns what that takes.
pub(crate) struct Residual {
    q: Vec<f64>,
    velocity: Vec<f64>,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    rates: Vec<f64>,
    constraints: Constraints,
    multipliers: Vec<f64>,
    descriptor: Option<(Pattern, Vec<f64>)>,
}

/// q = base + u, u' = v and v' = w on a vector space: all of them are read before one is written.
struct Move<'a> {
    read: [&'a [f64]; 4],
    write: [&'a mut [f64]; 3],
}

impl Sweep for Move<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let [mut q, u, v, w] = read::<L, 4>(self.read, at);
        for (q, u) in q.iter_mut().zip(u) {
            *q += u;
        }
        write(&[q, v, w], &mut self.write, at);
    }
}

/// Whether numbers that are not finite are an error at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    Checked,
    /// Whoever solves with them looks at them then, and evaluates anew for the reason.
    ToSolveWith,
}

/// What a formulation evaluates together with forces.
struct Needs {
    velocity: bool,
    acceleration: bool,
}

impl Needs {
    fn of(formulation: Formulation) -> Self {
        let (velocity, acceleration) = match formulation {
            Formulation::Index3 => (false, false),
            Formulation::Index2 | Formulation::StabilizedIndex2 => (true, false),
            Formulation::Index1 => (false, true),
            Formulation::Baumgarte { .. } => (true, true),
        };
        Self {
            velocity,
            acceleration,
        }
    }
}

/// Constraint rows at the level of the formulation.
struct Constraints {
    position: Vec<f64>,
    velocity: Vec<f64>,
    rows: Vec<f64>,
}

impl Residual {
    /// Allocates for systems of this layout.
    pub fn new(layout: &Layout) -> Self {
        Self {
            q: layout.state().q,
            velocity: vec![0.0; layout.dimension()],
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            rates: vec![0.0; layout.rate_count()],
            constraints: Constraints {
                position: vec![0.0; layout.position_rows],
                velocity: vec![0.0; layout.rows()],
                rows: vec![0.0; layout.rows()],
            },
            multipliers: vec![0.0; layout.rows()],
            descriptor: layout.descriptor.clone(),
        }
    }

    /// F(t, y) into `out`, in the order of the unknowns; y is around the configuration `base`. Both may be longer.
    #[inline]
    pub fn evaluate(
        &mut self,
        system: &mut Evaluator,
        unknowns: &Unknowns,
        at: (f64, &[f64], &[i32]),
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.evaluate_with(system, unknowns, at, (y, Answers::Checked), out)
    }

    /// The same, whose answers may be looked at later.
    #[inline]
    pub fn evaluate_with(
        &mut self,
        system: &mut Evaluator,
        unknowns: &Unknowns,
        (t, base, mode): (f64, &[f64], &[i32]),
        (y, answers): (&[f64], Answers),
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        if unknowns.are_states() {
            let at = Point {
                t,
                q: base,
                v: &[],
                x: &y[..unknowns.len()],
                z: &[],
                lambda: &[],
                mode,
            };
            let out = &mut out[..unknowns.len()];
            return match answers {
                Answers::Checked => system.rates(&at, out),
                Answers::ToSolveWith => system.rates_to_solve_with(&at, out),
            };
        }
        self.evaluate_all(system, unknowns, (t, base, mode), (y, answers), out)
    }

    /// The same where there is more than states.
    #[inline(never)]
    fn evaluate_all(
        &mut self,
        system: &mut Evaluator,
        unknowns: &Unknowns,
        (t, base, mode): (f64, &[f64], &[i32]),
        (y, answers): (&[f64], Answers),
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.move_configuration(&system.layout().space, unknowns, base, y, out);
        let at = Point {
            t,
            q: &self.q,
            v: &y[unknowns.v()],
            x: &y[unknowns.x()],
            z: &y[unknowns.z()],
            lambda: &y[unknowns.lambda()],
            mode,
        };
        let (dimension, rows) = (unknowns.u().len(), unknowns.lambda().len());
        let needs = Needs::of(unknowns.formulation);
        let forces_alone = unknowns.x().is_empty() && unknowns.z().is_empty();
        let acceleration = &y[unknowns.w()];
        // Offered where there are forces alone.
        if rows > 0
            && (self.constraints).balance(
                system,
                unknowns.formulation,
                (&at, acceleration),
                (&mut out[unknowns.w()], answers),
            )?
        {
            self.constraints.write(&mut out[unknowns.lambda()]);
            return Ok(());
        }
        let mut wanted = Wanted {
            mass: (dimension > 0).then_some(&mut self.mass[..]),
            rates: Some(if forces_alone {
                &mut out[unknowns.w()]
            } else {
                &mut self.rates[..]
            }),
            jacobian: (rows > 0).then_some(&mut self.jacobian[..]),
            velocity_constraint: (rows > 0 && needs.velocity)
                .then_some(&mut self.constraints.velocity[..]),
            acceleration_bias: (rows > 0 && needs.acceleration)
                .then_some(&mut self.constraints.rows[..]),
        };
        system.at_point(&at, &mut wanted)?;
        if !forces_alone {
            let (forces, rest) = self.rates.split_at(dimension);
            let (rates, residuals) = rest.split_at(unknowns.x().len());
            out[unknowns.w()].copy_from_slice(forces);
            out[unknowns.x()].copy_from_slice(rates);
            // 0 = -a.
            for (slot, a) in out[unknowns.z()].iter_mut().zip(residuals) {
                *slot = -a;
            }
        }
        if rows > 0 {
            self.constraints.evaluate(
                system,
                unknowns.formulation,
                &at,
                (&self.jacobian, acceleration),
            )?;
        }

        let layout = system.layout();
        // 0 = f + Gᵀ λ - M w.
        let forces = &mut out[unknowns.w()];
        layout
            .mass
            .multiply_add(&self.mass, -1.0, acceleration, forces);
        layout
            .jacobian
            .multiply_transpose_add(&self.jacobian, 1.0, at.lambda, forces);
        self.constraints.write(&mut out[unknowns.lambda()]);
        if unknowns.formulation.is_stabilized() {
            for (slot, row) in out[unknowns.mu()]
                .iter_mut()
                .zip(&self.constraints.position)
            {
                *slot = -row;
            }
            // 0 = G_pᵀ μ - M s.
            let balance = &mut out[unknowns.s()];
            balance.fill(0.0);
            layout
                .mass
                .multiply_add(&self.mass, -1.0, &y[unknowns.s()], balance);
            // The rows of μ are the first ones; the others push with nothing.
            self.multipliers[..unknowns.mu().len()].copy_from_slice(&y[unknowns.mu()]);
            layout
                .jacobian
                .multiply_transpose_add(&self.jacobian, 1.0, &self.multipliers, balance);
        }
        Ok(())
    }

    /// The configuration, the rates u' = dexp⁻¹(u) (v + s), and v' = w.
    #[inline(always)]
    fn move_configuration(
        &mut self,
        space: &Manifold,
        unknowns: &Unknowns,
        base: &[f64],
        y: &[f64],
        out: &mut [f64],
    ) {
        let (u, v, w) = (&y[unknowns.u()], &y[unknowns.v()], &y[unknowns.w()]);
        let count = u.len();
        let stabilized = unknowns.formulation.is_stabilized();
        if space.is_euclidean() && !stabilized {
            let (u_rate, rest) = out.split_at_mut(count);
            let job = Move {
                read: [base, u, v, w].map(|list| &list[..count]),
                write: [&mut self.q[..count], u_rate, &mut rest[..count]],
            };
            return sweep(0, count, job);
        }
        space.retract(base, u, &mut self.q);
        let mut velocity = v;
        if stabilized {
            let corrected = velocity.iter().zip(&y[unknowns.s()]);
            for (slot, (velocity, correction)) in self.velocity.iter_mut().zip(corrected) {
                *slot = velocity + correction;
            }
            velocity = &self.velocity;
        }
        space.dexp_inverse(u, velocity, &mut out[unknowns.u()]);
        out[unknowns.v()].copy_from_slice(w);
    }

    /// `out` = a + `scale` B y.
    #[inline]
    pub fn with_rate_matrix(
        &self,
        unknowns: &Unknowns,
        a: &[f64],
        (scale, y): (f64, &[f64]),
        out: &mut [f64],
    ) {
        let plain = unknowns.plain_rates().unwrap_or_default();
        let sums = a[plain.clone()].iter().zip(&y[plain.clone()]);
        for (slot, (a, y)) in out[plain.clone()].iter_mut().zip(sums) {
            *slot = a + scale * y;
        }
        copy_part(&mut out[plain.end..], &a[plain.end..]);
        if self.descriptor.is_some() {
            self.add_rate_matrix(unknowns, scale, y, out);
        }
    }

    /// Adds `scale` B y to `out`: the parts u and v as they are, E x, and nothing for the others.
    pub fn add_rate_matrix(&self, unknowns: &Unknowns, scale: f64, y: &[f64], out: &mut [f64]) {
        let plain = match &self.descriptor {
            None => unknowns.differential(),
            Some((pattern, values)) => {
                pattern.multiply_add(values, scale, &y[unknowns.x()], &mut out[unknowns.x()]);
                0..unknowns.v().end
            }
        };
        for (slot, value) in out[plain.clone()].iter_mut().zip(&y[plain]) {
            *slot += scale * value;
        }
    }
}

impl Constraints {
    /// 0 = -c.
    fn write(&self, out: &mut [f64]) {
        for (slot, row) in out.iter_mut().zip(&self.rows) {
            *slot = -row;
        }
    }

    /// f + Gᵀ λ - M w into `forces`, and the rows at the level of the formulation, where the system offers all of it in one pass.
    fn balance(
        &mut self,
        system: &mut Evaluator,
        formulation: Formulation,
        (at, acceleration): (&Point, &[f64]),
        (forces, answers): (&mut [f64], Answers),
    ) -> Result<bool, EvaluationError> {
        let mut wanted = Balance {
            forces: Some(&mut *forces),
            ..Balance::default()
        };
        let function = match formulation {
            Formulation::Index3 => {
                wanted.position = Some((&mut self.rows, 1.0));
                Function::PositionConstraint
            }
            Formulation::Index2 => {
                wanted.velocity = Some(&mut self.rows);
                Function::VelocityConstraint
            }
            // It needs M and G.
            Formulation::StabilizedIndex2 => return Ok(false),
            Formulation::Index1 => {
                wanted.acceleration = Some(&mut self.rows);
                Function::AccelerationBias
            }
            Formulation::Baumgarte { .. } => {
                wanted.position = Some((&mut self.position, 1.0));
                wanted.velocity = Some(&mut self.velocity);
                wanted.acceleration = Some(&mut self.rows);
                Function::AccelerationBias
            }
        };
        if !system.balance(at, acceleration, &mut wanted)? {
            return Ok(false);
        }
        if answers == Answers::Checked {
            system.check_balance(at, forces, (function, &self.rows))?;
        }
        if let Formulation::Baumgarte { alpha, beta } = formulation {
            if answers == Answers::Checked {
                let rows = (Function::PositionConstraint, &self.position[..]);
                system.check_balance(at, &[], rows)?;
                let rows = (Function::VelocityConstraint, &self.velocity[..]);
                system.check_balance(at, &[], rows)?;
            }
            self.damp(alpha, beta);
        }
        Ok(true)
    }

    /// c = G w + γ + 2 α (G v + g_t) + β² g; velocity rows are one derivative lower: α b.
    fn damp(&mut self, alpha: f64, beta: f64) {
        for (index, row) in self.rows.iter_mut().enumerate() {
            *row += match self.position.get(index) {
                Some(g) => 2.0 * alpha * self.velocity[index] + beta * beta * g,
                None => alpha * self.velocity[index],
            };
        }
    }

    /// The rows at the level of the formulation, and g if it is needed; those of velocities and accelerations have been evaluated.
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        formulation: Formulation,
        at: &Point,
        (jacobian, acceleration): (&[f64], &[f64]),
    ) -> Result<(), EvaluationError> {
        let position_rows = self.position.len();
        let needs_position = matches!(
            formulation,
            Formulation::Index3 | Formulation::StabilizedIndex2 | Formulation::Baumgarte { .. }
        );
        // Only these forms contain g itself.
        if needs_position && position_rows > 0 {
            system.position_constraint(at, &mut self.position)?;
        }
        match formulation {
            Formulation::Index3 => {
                if self.rows.len() > position_rows {
                    system.velocity_constraint(at, &mut self.rows)?;
                }
                self.rows[..position_rows].copy_from_slice(&self.position);
            }
            Formulation::Index2 | Formulation::StabilizedIndex2 => {
                std::mem::swap(&mut self.rows, &mut self.velocity);
            }
            // γ is there.
            Formulation::Index1 => {}
            Formulation::Baumgarte { alpha, beta } => self.damp(alpha, beta),
        }
        // At acceleration level rows are G w + γ; `acceleration_bias` gave γ.
        if formulation.index() == 1 {
            system
                .layout()
                .jacobian
                .multiply_add(jacobian, 1.0, acceleration, &mut self.rows);
        }
        Ok(())
    }
}
