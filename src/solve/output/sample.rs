//! Samples within a step: the quantities beside configuration and velocity, from the method's own polynomial and from the
//! equations without derivatives.

use crate::integrator::{DenseOutput, Kind, Method, OwnDenseOutput, Stepper};
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, AlgebraicSolver, DynamicsError, Evaluator, Layout, State};

/// Completes samples of the driver's polynomial or of the method's.
///
/// What the method has a polynomial of its own for, beside that of the driver, comes from there, with accelerations, algebraic
/// variables and multipliers shifted linearly to meet the ends of the step. Then rows without derivatives are solved for what they determine:
/// algebraic variables, and the part of x that a singular E leaves to them, if its index is 1; with explicit methods, which
/// solve the index-1 form at every stage, and with others of an order above 2 that have no polynomial of their own, the multipliers, too. So these are as accurate as what is interpolated, however they
/// vary within the step. Rows that cannot be solved leave what is interpolated.
pub(super) struct Sample {
    state: State,
    /// The step has been prepared with a polynomial of the method.
    of_method: bool,
    /// What the ends of the step have more than that polynomial.
    shift: [State; 2],
    ends: [State; 2],
    /// Multipliers of some rows only are known to the method.
    rows_are_left_out: bool,
    algebraic: Option<AlgebraicSolver>,
    /// Multipliers come from the index-1 form, whose solver is allocated for the first sample.
    solves_index_one: bool,
    index_one: Option<Box<AccelerationSolver>>,
}

/// Which part of a sample is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Configuration, velocity and differential states.
    Motion,
    /// Everything.
    All,
}

impl Sample {
    /// Allocates for states of this shape.
    pub fn new(layout: &Layout, method: &Method) -> Result<Self, KktError> {
        // Chords between multipliers are of order 2, and polynomials through stages lose orders: explicit methods solve the index-1 form at
        // their ends.
        let coarse = match method.kind {
            Kind::Explicit | Kind::HalfExplicit => true,
            _ => method.dense_output != DenseOutput::Own && method.orders.lambda > 2,
        };
        let states = || [layout.state(), layout.state()];
        Ok(Self {
            state: layout.state(),
            of_method: false,
            shift: states(),
            ends: states(),
            rows_are_left_out: false,
            algebraic: AlgebraicSolver::with_states(layout)?,
            solves_index_one: coarse && layout.rows() > 0,
            index_one: None,
        })
    }

    /// Whether systems of this layout have something to complete, whatever the method.
    pub fn is_needed(layout: &Layout) -> bool {
        layout.differential + layout.algebraic + layout.rows() > 0
    }

    /// Takes the ends of a step.
    pub fn begin(&mut self, ends: [&State; 2], rows_are_left_out: bool) {
        self.of_method = false;
        self.rows_are_left_out = rows_are_left_out;
        for (kept, end) in self.ends.iter_mut().zip(ends) {
            kept.copy_from(end);
        }
    }

    /// Takes from a polynomial of the method what it has.
    pub fn follow(&mut self, output: &mut dyn OwnDenseOutput, space: &Manifold) {
        self.of_method = true;
        for (shift, end) in self.shift.iter_mut().zip(&self.ends) {
            shift.copy_from(end);
            output.interpolate(space, end.t, shift);
            let parts = [
                (&mut shift.x, &end.x),
                (&mut shift.z, &end.z),
                (&mut shift.lambda, &end.lambda),
                (&mut shift.acceleration, &end.acceleration),
            ];
            for (shift, end) in parts {
                for (shift, end) in shift.iter_mut().zip(end) {
                    *shift = end - *shift;
                }
            }
        }
    }

    /// Whether this has to be asked for a part of the sample.
    #[inline]
    pub fn changes(&self, part: Part) -> bool {
        part == Part::All || self.of_method || self.moves_states()
    }

    /// Completes a sample, as far as it is looked at.
    pub fn complete(
        &mut self,
        system: &mut Evaluator,
        stepper: &mut dyn Stepper,
        interpolated: &State,
        part: Part,
    ) -> &State {
        let t = interpolated.t;
        let [from, to] = [0, 1].map(|end| self.ends[end].t);
        // The ends have all that there is.
        if t == from || t == to {
            self.state.copy_from(interpolated);
            if self.is_of_index_one() {
                let end = &self.ends[usize::from(t == to)];
                self.state.acceleration.copy_from_slice(&end.acceleration);
                self.state.lambda.copy_from_slice(&end.lambda);
                self.state.z.copy_from_slice(&end.z);
            }
            return &self.state;
        }
        self.interpolate(system, stepper, interpolated);
        if !self.solves(part) || self.solve(system).is_ok() {
            return &self.state;
        }
        // Newton's method may have led anywhere from there: once more from the ends, the nearer one first.
        let nearer = usize::from(t - from > to - t);
        for end in [nearer, 1 - nearer] {
            self.interpolate(system, stepper, interpolated);
            if let Some(algebraic) = &mut self.algebraic {
                algebraic.guess_from(&self.ends[end], &mut self.state);
                if self.solve(system).is_ok() {
                    return &self.state;
                }
            }
        }
        self.interpolate(system, stepper, interpolated);
        &self.state
    }

    /// The polynomials at the time of a sample.
    fn interpolate(&mut self, system: &Evaluator, stepper: &mut dyn Stepper, interpolated: &State) {
        self.state.copy_from(interpolated);
        if let Some(output) = stepper.dense_output().filter(|_| self.of_method) {
            let space = &system.layout().space;
            output.interpolate(space, interpolated.t, &mut self.state);
            self.meet_ends(interpolated);
        }
    }

    /// Adds what the polynomial of the method lacks at the ends.
    fn meet_ends(&mut self, interpolated: &State) {
        let [from, to] = &self.ends;
        let theta = (self.state.t - from.t) / (to.t - from.t);
        let [at_start, at_end] = &self.shift;
        let State {
            x,
            z,
            lambda,
            acceleration,
            ..
        } = &mut self.state;
        for (values, start, end) in [
            (x, &at_start.x, &at_end.x),
            (z, &at_start.z, &at_end.z),
            (&mut *lambda, &at_start.lambda, &at_end.lambda),
            (acceleration, &at_start.acceleration, &at_end.acceleration),
        ] {
            for ((value, start), end) in values.iter_mut().zip(start).zip(end) {
                *value += start + theta * (end - start);
            }
        }
        // Those of all rows are known at the ends only.
        if self.rows_are_left_out {
            lambda.copy_from_slice(&interpolated.lambda);
        }
    }

    /// Whether rows determine a part of x.
    fn moves_states(&self) -> bool {
        (self.algebraic.as_ref()).is_some_and(AlgebraicSolver::moves_states)
    }

    /// Whether rows are to be solved.
    fn solves(&self, part: Part) -> bool {
        match part {
            Part::Motion => self.moves_states(),
            Part::All => self.algebraic.is_some() || self.is_of_index_one(),
        }
    }

    fn is_of_index_one(&self) -> bool {
        self.solves_index_one && !self.rows_are_left_out && !self.of_method
    }

    /// Solves the rows from what is in the state.
    fn solve(&mut self, system: &mut Evaluator) -> Result<(), DynamicsError> {
        if self.is_of_index_one() {
            let t = self.state.t;
            let linear = |source| DynamicsError::Linear { t, source };
            let solver = match &mut self.index_one {
                Some(solver) => solver,
                none => none.insert(Box::new(
                    AccelerationSolver::new(system.layout()).map_err(linear)?,
                )),
            };
            return solver.complete(system, &mut self.state);
        }
        match &mut self.algebraic {
            Some(solver) => solver.solve_in(system, &mut self.state),
            None => Ok(()),
        }
    }
}
