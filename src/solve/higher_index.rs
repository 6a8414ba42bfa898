//! Initial values of variables of index 2 and 3, at a start and after a jump.
//!
//! Only differentiated equations determine them, and the statement does not contain those. Methods do not need them, since every step
//! computes its own. But samples between the start and the end of the first step interpolate them, and event functions read them.

use super::motion::Motion;
use super::{Driver, SolveErrorKind};
use crate::control::{ErrorNorm, Tolerances};
use crate::integrator::{BackwardEuler, Integrator, StepSizes};
use crate::system::{Evaluator, State};

/// Steps that find them are this part of the next step with index 2, ...
const PART: f64 = 1e-4;

/// ... and this one with index 3, where round-off is divided by the square of the step.
const PART_OF_INDEX_3: f64 = 1e-2;

/// Two steps of different lengths must agree so well, relative to what they change. They do not where hidden constraints are violated, nor
/// where round-off is all that they change.
const AGREE: f64 = 1e-2;

/// A change below this share is round-off of the steps: the state was right, and is kept.
const ROUND_OFF: f64 = 1e-6;

/// Times must resolve a step into so many parts.
const RESOLUTION: f64 = 1e-6;

impl Driver<'_> {
    /// Finds states of index 2 and 3 before the first step from a state that no step has led to.
    pub(super) fn settle_higher_index(&mut self) -> Result<(), SolveErrorKind> {
        let layout = self.motion.evaluator.layout();
        let highest = layout.differential_index.iter().copied().max();
        // Mechanisms have their multipliers from the index-1 form.
        let part = match highest {
            Some(2) if layout.dimension() == 0 => PART,
            Some(3..) if layout.dimension() == 0 => PART_OF_INDEX_3,
            _ => return Ok(()),
        };
        let h = part * self.timeline.planned();
        let (settles, _) = self.motion.uncounted(|motion| settle(motion, h));
        if settles {
            self.motion.restart()?;
        }
        Ok(())
    }
}

/// Whether the states of the motion have been found by steps of h and h/2.
fn settle(motion: &mut Motion, h: f64) -> bool {
    let (evaluator, state) = (&mut motion.evaluator, &mut motion.state);
    if f64::EPSILON * state.t.abs() > RESOLUTION * h {
        return false;
    }
    let layout = evaluator.layout();
    let mut free: Vec<bool> = (layout.differential_index.iter())
        .map(|&index| index > 1)
        .collect();
    // What E x' holds, such as velocities of index 2, is given.
    if let Some((pattern, values)) = &layout.descriptor {
        for (_, column, entry) in pattern.iter() {
            free[column] &= values[entry] == 0.0;
        }
    }
    if !free.contains(&true) {
        return false;
    }
    let found = [h, 0.5 * h].map(|h| behind_steps(evaluator, state, h));
    let [Some(coarse), Some(fine)] = found else {
        return false;
    };
    // The error is of first order in h.
    let settled = |place: usize| 2.0 * fine.x[place] - coarse.x[place];
    let change = |place: usize| (settled(place) - state.x[place]).abs();
    let is_off = |&place: &usize| {
        let apart = (fine.x[place] - coarse.x[place]).abs();
        let size = fine.x[place].abs().max(state.x[place].abs());
        apart <= AGREE * change(place) && change(place) > ROUND_OFF * size
    };
    let settled: Vec<(usize, f64)> = (0..free.len())
        .filter(|&place| free[place])
        .filter(is_off)
        .map(|place| (place, settled(place)))
        .collect();
    for &(place, value) in &settled {
        state.x[place] = value;
    }
    !settled.is_empty()
}

/// The end of as many steps of the implicit Euler method as the highest index: with index 3 the first ones say nothing.
fn behind_steps(evaluator: &mut Evaluator, start: &State, h: f64) -> Option<State> {
    let highest = evaluator
        .layout()
        .differential_index
        .iter()
        .copied()
        .max()?;
    let mut norm = ErrorNorm::new(&Tolerances::default(), evaluator.layout()).ok()?;
    norm = norm.for_constant_steps();
    let method = BackwardEuler::default();
    let (mut from, mut to) = (start.clone(), start.clone());
    let mut stepper = (method.start(evaluator, &from, StepSizes::Constant)).ok()?;
    for _ in 0..highest {
        to.t = from.t + h;
        stepper.step(evaluator, &from, h, &mut norm, &mut to).ok()?;
        stepper.accept(evaluator, &from, h, &mut to).ok()?;
        std::mem::swap(&mut from, &mut to);
    }
    from.is_finite().then_some(from)
}
