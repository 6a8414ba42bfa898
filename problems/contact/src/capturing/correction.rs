//! Correction of positions: back onto joints and out of contacts, without touching velocities.

use super::contacts::{StepContacts, add, dot};
use super::dynamics::Dynamics;
use super::impact::{ImpactError, UnsolvedImpact};
use super::iterate::Span;
use crate::complementarity::{LcpError, RowKind};
use liedae::integrator::StepError;
use liedae::system::{DynamicsError, Evaluator, Layout};

/// Corrections after which positions should hold.
const CORRECTIONS: usize = 50;

/// Violations, as displacements, that count as round-off when they no longer shrink.
const STALLED: f64 = 1e3;

/// Moves the configuration at the end of a step onto {g = 0, g_N >= 0}.
///
/// ```text
/// A δ = Gᵀ μ + Nᵀ ν,   G δ = -g(q),   0 <= g_N(q) + N δ ⟂ ν >= 0,   q ← q · exp(δ)
/// ```
///
/// until the rows hold to round-off. A is the matrix of the step, the mass matrix but for stiff forces: δ is the least
/// change in its metric. G and N are those of the step, whose factorization serves. Contacts take part once their gap
/// has been negative; a contact that is open stays where it is.
pub(super) struct PositionCorrection {
    touched: Vec<usize>,
    /// Those of them that can be opened.
    pushed: Vec<usize>,
    gaps: Vec<f64>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    kinds: Vec<RowKind>,
    moved: Vec<f64>,
}

impl PositionCorrection {
    /// Allocates for systems of this layout with so many contacts.
    pub fn new(layout: &Layout, contacts: usize) -> Self {
        Self {
            touched: Vec::with_capacity(contacts),
            pushed: Vec::with_capacity(contacts),
            gaps: Vec::with_capacity(contacts),
            matrix: Vec::with_capacity(contacts * contacts),
            vector: Vec::with_capacity(contacts),
            kinds: Vec::with_capacity(contacts),
            moved: vec![0.0; layout.space.coordinates()],
        }
    }

    /// Corrects `dynamics.iterate.end_q`; says whether it moved.
    pub fn run(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        dynamics: &mut Dynamics,
        mut contacts: Option<&mut StepContacts>,
    ) -> Result<bool, StepError> {
        self.touched.clear();
        let mut before = f64::INFINITY;
        let mut moved = false;
        let mut left = CORRECTIONS;
        while left > 0 {
            let floor = floor(&dynamics.iterate.end_q);
            let of_rows = rows(system, span, dynamics)?;
            let mut violation = of_rows;
            let known = self.touched.len();
            if let Some(contacts) = contacts.as_deref_mut() {
                violation = violation.max(self.gaps(system, span, dynamics, contacts)?);
            }
            // A contact that was out of sight so far says nothing about progress, and there are finitely many.
            let same = self.touched.len() == known;
            // A newly touched contact changes the violation without any lack of progress.
            let stalled = same && violation > 0.5 * before && violation <= STALLED * floor;
            if violation <= floor || stalled {
                return Ok(moved);
            }
            before = violation;
            moved = true;
            left -= usize::from(same || known == 0);
            if of_rows <= floor {
                // Round-off in redundant rows would contradict itself.
                dynamics.bottom.fill(0.0);
            }
            dynamics.top.fill(0.0);
            dynamics
                .kkt
                .solve(
                    &dynamics.top,
                    &dynamics.bottom,
                    &mut dynamics.new_y,
                    &mut dynamics.new_p,
                )
                .map_err(|source| StepError::linear(span.end, source))?;
            if let Some(contacts) = contacts.as_deref_mut() {
                self.open(system, span, dynamics, contacts)?;
            }
            let layout = system.layout();
            let end_q = &mut dynamics.iterate.end_q;
            let change = &dynamics.new_y[..layout.dimension()];
            layout.space.retract(end_q, change, &mut self.moved);
            layout.space.normalize(&mut self.moved);
            end_q.copy_from_slice(&self.moved);
        }
        Err(StepError::Dynamics(DynamicsError::NotConverged {
            what: "the correction of positions onto joints and contacts",
            t: span.end,
            iterations: CORRECTIONS,
            correction: before,
        }))
    }

    /// Gaps of the contacts, and which take part; the largest penetration.
    fn gaps(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        dynamics: &Dynamics,
        contacts: &StepContacts,
    ) -> Result<f64, StepError> {
        let at = dynamics.iterate.end(span);
        let mut deepest = 0.0_f64;
        self.gaps.clear();
        self.gaps.resize(contacts.len(), 0.0);
        for contact in 0..contacts.len() {
            let gap = contacts.gap(system, contact, &at)?;
            self.gaps[contact] = gap;
            deepest = deepest.max(-gap);
            if gap < 0.0 && !self.touched.contains(&contact) {
                self.touched.push(contact);
            }
        }
        Ok(deepest)
    }

    /// Adds to the displacement in `dynamics.new_y` what opens the touched contacts.
    fn open(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        dynamics: &mut Dynamics,
        contacts: &mut StepContacts,
    ) -> Result<(), StepError> {
        for &contact in &self.touched {
            contacts.prepare_normal(system, dynamics, span, contact)?;
        }
        // What joints hold shut to round-off needs no push, and none would open it.
        let floor = floor(&dynamics.iterate.end_q);
        let (gaps, mass) = (&self.gaps, &dynamics.mass);
        self.pushed.clear();
        let touched = self.touched.iter().copied();
        self.pushed
            .extend(touched.filter(|&one| gaps[one] < -floor || !contacts.is_held(one, mass)));
        if self.pushed.is_empty() {
            return Ok(());
        }
        self.matrix.clear();
        self.vector.clear();
        self.kinds.clear();
        self.kinds.resize(self.pushed.len(), RowKind::Unilateral);
        for &row in &self.pushed {
            let normal = contacts.normal(row);
            let columns = self.pushed.iter();
            // N A⁻¹ Nᵀ, with the responses of the step.
            self.matrix
                .extend(columns.map(|&column| dot(normal, contacts.normal_response(column))));
            // 0 ≤ (g_N + N δ) + N A⁻¹ Nᵀ ν ⟂ ν ≥ 0.
            self.vector
                .push(self.gaps[row] + dot(normal, &dynamics.new_y));
        }
        let solver = contacts.impact.lcp();
        let mut found = solver.solve(&self.matrix, &self.vector, &self.kinds);
        if matches!(found, Err(LcpError::Infeasible { .. })) {
            // A pin in a slot of its own width finds no place but for round-off.
            let vector = self.vector.iter_mut();
            vector.for_each(|gap| *gap += 0.5 * floor);
            found = solver.solve(&self.matrix, &self.vector, &self.kinds);
        }
        let solution = found.map_err(|source| UnsolvedImpact {
            t: span.end,
            source: ImpactError::Complementarity(source),
        })?;
        // The solver is part of the contacts, whose responses are needed next.
        self.vector.copy_from_slice(&solution.z);
        for (&contact, &push) in self.pushed.iter().zip(&self.vector) {
            add(push, contacts.normal_response(contact), &mut dynamics.new_y);
        }
        Ok(())
    }
}

/// Position rows -g in `dynamics.bottom`, velocity rows zero; the largest |g| over the norm of its gradient.
fn rows(system: &mut Evaluator, span: &Span, dynamics: &mut Dynamics) -> Result<f64, StepError> {
    let position_rows = system.layout().position_rows;
    dynamics.bottom.fill(0.0);
    if position_rows == 0 {
        return Ok(0.0);
    }
    let at = dynamics.iterate.end(span);
    system.position_constraint(&at, &mut dynamics.bottom[..position_rows])?;
    let mut violation = 0.0_f64;
    for (g, scale) in dynamics.bottom.iter_mut().zip(&dynamics.row_scale) {
        *g = -*g;
        violation = violation.max(g.abs() / scale);
    }
    Ok(violation)
}

/// Round-off of displacements at a configuration.
pub(super) fn floor(q: &[f64]) -> f64 {
    let largest = q.iter().fold(0.0_f64, |max, value| max.max(value.abs()));
    16.0 * f64::EPSILON * (1.0 + largest)
}
