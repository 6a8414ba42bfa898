//! The error of a generalized-alpha step.

use super::{ConstraintLevel, GeneralizedAlphaStepper};
use crate::control::ErrorNorm;
use crate::manifold::Manifold;
use crate::scalar::largest;
use crate::system::State;

/// In the index-3 form v' carries the round-off of the positions divided by h², and an estimate for velocities that
/// divided by h: it would grow as the step shrinks, and no step would be accepted. The estimate for positions stands
/// alone there, as in the source, times this number, found by measurement: errors then come out within a factor of 100
/// of the tolerance where those of the velocities are the larger ones.
const POSITION_WEIGHT: f64 = 30.0;

/// The parts of the coordinates, and of the velocities, that round-off leaves in their error estimates. Local errors below
/// that are not asked for ...
const POSITION_ROUND_OFF: f64 = 64.0 * f64::EPSILON;
const VELOCITY_ROUND_OFF: f64 = 1024.0 * f64::EPSILON;

/// The part of the largest velocity that constraints G v = -∂g/∂t leave in every other: rows add up large velocities to
/// small ones. Andrews' squeezer has 1.3 times the machine precision in the errors of velocities a thousandth the size.
const CONSTRAINT_ROUND_OFF: f64 = 8.0 * f64::EPSILON;

/// ... as long as they are at most this many times what a tolerance asks for: finer tolerances are refused by the error test.
const LOOSENED: f64 = 500.0;

impl GeneralizedAlphaStepper {
    /// The weighted norm of the local error of the step that has been solved.
    pub(super) fn estimate(
        &mut self,
        space: &Manifold,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &State,
    ) -> f64 {
        // Haddouni et al. 2017, eqs. 25 to 29, with the bracket of the group.
        let velocity = self.start_velocity.of(from);
        space.bracket(velocity, &from.acceleration, &mut self.bracket);
        let at_position_level =
            self.formulation == ConstraintLevel::Position && !from.lambda.is_empty();
        for (index, start) in velocity.iter().enumerate() {
            let (old, new) = (from.acceleration[index], to.acceleration[index]);
            // h v_n + h²/3 v'_n + h²/6 v'_{n+1} + h³/12 [v_n, v'_n] (eq. 29 with h for the printed 1/h).
            let series = start + h * (old / 3.0 + new / 6.0 + h * self.bracket[index] / 12.0);
            let extra = self
                .corrector
                .as_ref()
                .map_or(0.0, |corrector| corrector.displacement[index]);
            self.error_q[index] = self.u[index] + extra - h * series;
            if at_position_level {
                self.error_q[index] *= POSITION_WEIGHT;
            } else {
                self.error_v[index] = self.motion.integral_error(h, index, new);
            }
        }
        for (index, error) in self.error_x.iter_mut().enumerate() {
            *error = self.states.integral_error(h, index, self.x_rate[index]);
        }
        norm.weigh(from, to);
        let error = norm.root_mean_square(&self.error_q, &self.error_v, &self.error_x);
        // Local errors of order h³ add up to a global one of order h²: with local errors below the power 3/2 of the
        // tolerance the global ones are proportional to the tolerance.
        let level = norm.level();
        let round_off = if at_position_level {
            POSITION_WEIGHT * POSITION_ROUND_OFF
        } else {
            VELOCITY_ROUND_OFF
        };
        // Round-off over what level^(3/2) asks for: below it the estimate is loosened, 500 times at most.
        let finest = (round_off / level.powf(1.5))
            .max(self.constraint_round_off(at_position_level, to, norm) / level.sqrt());
        error / (level.sqrt() * finest.clamp(1.0, LOOSENED))
    }

    /// What constraints at velocity level leave of round-off in the estimate. Overwrites the estimate's parts.
    fn constraint_round_off(
        &mut self,
        at_position_level: bool,
        to: &State,
        norm: &mut ErrorNorm,
    ) -> f64 {
        if at_position_level || to.lambda.is_empty() {
            return 0.0;
        }
        self.error_q.fill(0.0);
        self.error_v.fill(CONSTRAINT_ROUND_OFF * largest(&to.v));
        self.error_x.fill(0.0);
        norm.root_mean_square(&self.error_q, &self.error_v, &self.error_x)
    }
}
