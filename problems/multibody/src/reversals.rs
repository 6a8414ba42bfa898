//! The events of a mechanism: friction that reverses, springs that wrap, and moments at which loads are switched.
//!
//! Friction that reverses only has a direction at every moment. Where its joint comes to rest and the forces do not carry it on, none is
//! right: friction would push. That is an error which names the joint and the cure, at the start of a run and at every reversal.

use crate::MultibodySystem;
use crate::friction::Slide;
use crate::torsion::Torsion;
use liedae::system::{
    AccelerationSolver, EvaluationError, Evaluator, EventAction, EventDescription, EventResponse,
    Events, Function, Point, State,
};
use liedae_contact::Thresholds;
use thiserror::Error;

/// Friction that reverses only, where it would push: its joint would come to rest.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, SolveErrorKind, solve};
/// use liedae_multibody::{BodyId, Friction, FrictionPushes, Joint, MultibodyBuilder, NormalForce, RigidBody};
///
/// // A block that slides along a level guide comes to rest after 2/3 s.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -10.0]);
/// let block = mechanism.add_body(RigidBody::new("block", 5.0, [0.1; 3]).moving([2.0, 0.0, 0.0], [0.0; 3]));
/// let guide = mechanism.add_joint(Joint::translational("guide", BodyId::GROUND, block, [0.0; 3], [1.0, 0.0, 0.0]));
/// mechanism.add_friction(Friction::new("rubbing", guide, 0.3, NormalForce::Full).reversing());
/// let mut system = mechanism.build()?;
/// let Err(error) = solve(&mut system, &Radau5::default(), &Options::adaptive(1.0, 1e-8, 1e-8)) else {
///     panic!("it cannot go on")
/// };
/// let said = error.kind.to_string();
/// assert!(said.contains("'rubbing'") && said.contains("let it stick"));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "friction '{friction}' in joint '{joint}' only reverses, and at t = {t} s it would push the joint from rest: let it stick, which it \
     does without `sticks = false` in a file and without `reversing` in a program"
)]
pub struct FrictionPushes {
    /// The friction.
    pub friction: String,
    /// Its joint.
    pub joint: String,
    /// When, in s.
    pub t: f64,
}

/// So fast, in m/s, a joint moves against the direction of its friction when it reverses: a velocity that is round-off has no direction.
const BACKWARD: f64 = 1e-11;

impl MultibodySystem {
    fn sliding_velocity(slide: &Slide, at: &Point) -> f64 {
        slide.velocity(&Self::pair(&slide.bodies, at))
    }

    /// Gives friction the direction in which its joint slides, and at rest the one in which the forces carry it: at the start of a run,
    /// at which a direction may have been stated, and where loads are switched.
    pub(crate) fn direct_frictions(
        &mut self,
        state: &mut State,
        is_start: bool,
    ) -> Result<(), EvaluationError> {
        let (dimension, modes) = (self.layout.dimension(), self.layout.modes);
        if self.slides.is_empty() || state.v.len() != dimension || state.mode.len() != modes {
            // Another shape is the business of the check of initial values.
            return Ok(());
        }
        let threshold = Thresholds::default().velocity;
        let mut turned = Vec::new();
        for (index, (slide, _)) in self.slides.iter().enumerate() {
            let velocity = Self::sliding_velocity(slide, &state.point());
            if velocity.abs() > threshold {
                state.mode[index] = if velocity < 0.0 { -1 } else { 1 };
            }
        }
        loop {
            match self.pushing(state)? {
                None => return Ok(()),
                Some(index)
                    if turned.contains(&index)
                        || (is_start && self.slides[index].0.is_directed) =>
                {
                    return Err(self.refuse_push(index, state.t));
                }
                Some(index) => {
                    state.mode[index] = -state.mode[index];
                    turned.push(index);
                }
            }
        }
    }

    /// A joint at rest whose friction would push it: it accelerates against the direction of its sliding.
    fn pushing(&mut self, state: &State) -> Result<Option<usize>, EvaluationError> {
        let Thresholds {
            velocity,
            acceleration,
            ..
        } = Thresholds::default();
        let rests = |(slide, _): &(Slide, _)| {
            slide.coefficient > 0.0
                && Self::sliding_velocity(slide, &state.point()).abs() <= velocity
        };
        if !self.slides.iter().any(rests) {
            return Ok(None);
        }
        let failed = |reason: String| EvaluationError::Failed {
            function: Function::Rates,
            t: state.t,
            reason,
        };
        let mut completed = state.clone();
        AccelerationSolver::new(&self.layout)
            .map_err(|error| failed(error.to_string()))?
            .complete(&mut Evaluator::new(self), &mut completed)
            .map_err(|error| failed(format!("accelerations where friction reverses: {error}")))?;
        let at = completed.point();
        let pushes = self.slides.iter().enumerate().find(|(index, entry)| {
            let (slide, _) = entry;
            let bodies = Self::pair(&slide.bodies, &at);
            let along = slide.acceleration(at.t, &bodies, &completed.acceleration);
            rests(entry) && f64::from(completed.mode[*index]) * along < -acceleration
        });
        Ok(pushes.map(|(index, _)| index))
    }

    fn refuse_push(&self, index: usize, t: f64) -> EvaluationError {
        let slide = &self.slides[index].0;
        EvaluationError::own(FrictionPushes {
            friction: slide.name.clone(),
            joint: self.events[index].label.clone(),
            t,
        })
    }
}

impl Events for MultibodySystem {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.events
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        for ((slot, (slide, _)), &mode) in out.iter_mut().zip(&self.slides).zip(at.mode) {
            *slot = f64::from(mode) * Self::sliding_velocity(slide, at) + BACKWARD;
        }
        let wraps = self.wraps();
        for (slot, torsion) in out[self.slides.len()..].iter_mut().zip(wraps) {
            let bodies = Self::pair(&torsion.bodies, at);
            *slot = torsion.distance_from_wrap(&bodies, at.x, at.mode);
        }
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let mut action = EventAction::Continue;
        for &event in events {
            if let Some(wrap) = event.checked_sub(self.slides.len()) {
                action = self.wrap(wrap, state).max(action);
            } else if let Some(mode) = state.mode.get_mut(event) {
                // The direction of friction turns at the moment at which the joint comes to rest.
                *mode = -*mode;
                action = EventAction::Restart;
            }
        }
        if action == EventAction::Restart
            && let Some(index) = self.pushing(state)?
        {
            return Err(self.refuse_push(index, state.t));
        }
        Ok(action.into())
    }

    fn time_events(&mut self) -> &[f64] {
        &self.time_events
    }

    fn handle_time_event(
        &mut self,
        _event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.direct_frictions(state, false)?;
        Ok(EventAction::Restart.into())
    }
}

impl MultibodySystem {
    /// The springs that wrap, in the order of their modes.
    fn wraps(&self) -> impl Iterator<Item = &Torsion> {
        let torsions = self.torsions.iter().map(|(torsion, ..)| torsion);
        torsions.filter(|torsion| torsion.wrap.is_some())
    }

    /// A spring that wraps forgets a turn.
    fn wrap(&self, index: usize, state: &mut State) -> EventAction {
        let Some(torsion) = self.wraps().nth(index) else {
            return EventAction::Continue;
        };
        let bodies = Self::pair(&torsion.bodies, &state.point());
        let angle = torsion.angle(&bodies, &state.x, &state.mode);
        let off = torsion.turns_off(angle);
        // By round-off the moment may be one just before half a turn.
        let off = if off == 0 && angle < torsion.free_angle {
            -1
        } else if off == 0 {
            1
        } else {
            off
        };
        if let Some(mode) = torsion.wrap.and_then(|wrap| state.mode.get_mut(wrap)) {
            *mode = mode.saturating_add(off);
        }
        EventAction::Restart
    }
}
