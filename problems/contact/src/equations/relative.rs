//! Relative kinematics of contacts and joints at a state: gaps, relative velocities, and the wrapped system's part of the state.

use super::Equations;
use super::slides::{Measure, Pace, Slide};
use super::structure::{Statuses, Structure};
use super::wrapped::{contacts_of, finite_gap, joints_of};
use crate::event_sets::Closed;
use crate::{Contact, ContactSystem, FrictionJoint, FrictionJoints, UnilateralConstraints, failed};
use liedae::system::{EvaluationError, Point, State, System};

/// What belongs to the contacts and joints of the wrapped system at a state.
#[derive(Clone, Copy)]
pub(crate) struct Inside<'a> {
    /// The arguments of the wrapped system.
    pub at: Point<'a>,
    pub contacts: &'a [Contact],
    pub joints: &'a [FrictionJoint],
    pub statuses: &'a Statuses,
    /// How contacts slide in space.
    pub slides: &'a [Slide],
    pub structure: &'a Structure,
}

/// How a contact slides in its two tangential directions.
pub(crate) struct Sliding {
    pub velocity: [f64; 2],
    pub acceleration: [f64; 2],
    /// Its rows, one behind the other.
    pub rows: Vec<f64>,
}

impl Equations {
    /// The wrapped system at a state, beside what belongs to its contacts and joints.
    #[inline]
    pub fn inside<'a>(&'a mut self, at: &Point<'a>) -> (&'a mut ContactSystem, Inside<'a>) {
        let inside = Inside {
            at: self.structure.inner_point(at, &mut self.work.lambda),
            contacts: &self.contacts,
            joints: &self.joints,
            statuses: &self.statuses,
            slides: &self.slides,
            structure: &self.structure,
        };
        (&mut self.inner, inside)
    }

    /// Calls `change` with the wrapped system and its part of the state.
    /// [`store_inner_state`](Self::store_inner_state) takes over what it has changed.
    pub fn with_inner_state<R>(
        &mut self,
        state: &State,
        change: impl FnOnce(&mut ContactSystem, &mut State) -> R,
    ) -> R {
        self.load_inner_state(state);
        change(&mut self.inner, &mut self.work.state)
    }

    fn load_inner_state(&mut self, state: &State) {
        let own = &mut self.work.state;
        own.t = state.t;
        own.q.clone_from(&state.q);
        own.v.clone_from(&state.v);
        own.x.clone_from(&state.x);
        own.acceleration.clone_from(&state.acceleration);
        let layout = self.inner.layout();
        own.z.clear();
        own.z.extend(state.z.iter().take(layout.algebraic));
        own.z.resize(layout.algebraic, 0.0);
        own.mode.clear();
        own.mode.extend(state.mode.iter().take(layout.modes));
        own.mode.resize(layout.modes, 0);
        own.lambda.clear();
        let rows = self.structure.inner_rows.iter();
        own.lambda
            .extend(rows.map(|&row| state.lambda.get(row).copied().unwrap_or(0.0)));
    }

    /// Puts what the wrapped system changed in its part into the whole state.
    pub fn store_inner_state(&self, state: &mut State) {
        let own = &self.work.state;
        state.q.clone_from(&own.q);
        state.v.clone_from(&own.v);
        state.x.clone_from(&own.x);
        for (slot, &value) in state.z.iter_mut().zip(&own.z) {
            *slot = value;
        }
        for (slot, &value) in state.mode.iter_mut().zip(&own.mode) {
            *slot = value;
        }
    }

    /// The wrapped system's contacts and their arguments.
    pub fn contacts_at<'a>(
        &'a mut self,
        at: &Point<'a>,
    ) -> Result<(&'a mut dyn UnilateralConstraints, Point<'a>), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        Ok((contacts_of(&mut self.inner, at.t)?, own))
    }

    /// The gap of a contact; one that is not finite is an error that names it.
    pub fn gap_of(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        let gap = contacts.gap(contact, &own)?;
        finite_gap(gap, &self.contacts[contact], at.t)
    }

    /// The rate of the gap and the sliding velocities of a contact, 0 in directions that it does not have.
    pub fn velocity_of(&mut self, contact: usize, at: &Point) -> Result<[f64; 3], EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        let rate = contacts.gap_rate(contact, &own)?;
        self.with_sliding(contact, rate, at)
    }

    /// The same, with the bias of the gap.
    pub fn approach_of(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<([f64; 3], f64), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        let [rate, bias] = contacts.gap_rate_and_bias(contact, &own)?;
        Ok((self.with_sliding(contact, rate, at)?, bias))
    }

    /// This rate of the gap of a contact with its sliding velocities.
    fn with_sliding(
        &mut self,
        contact: usize,
        rate: f64,
        at: &Point,
    ) -> Result<[f64; 3], EvaluationError> {
        let tangents = self.contacts[contact].rubs_in();
        let mut velocities = [rate, 0.0, 0.0];
        if tangents > 0 {
            let (contacts, own) = self.contacts_at(at)?;
            contacts.sliding_velocity(contact, &own, &mut velocities[1..=tangents])?;
        }
        match velocities.iter().all(|velocity| velocity.is_finite()) {
            true => Ok(velocities),
            false => {
                let label = &self.contacts[contact].label;
                Err(failed(
                    at.t,
                    format!("the relative velocity of contact `{label}` is not finite"),
                ))
            }
        }
    }

    /// Sets how contacts slide in space behind an event; faster than the velocity threshold they have a direction of their own. The
    /// `lasting` ones go on as before if they slide.
    pub fn slide_on(&mut self, closed: &[Closed], lasting: &[usize], measure: Measure) {
        for closed in closed {
            let [_, first, second] = closed.velocity;
            let slides = self.statuses.contacts[closed.contact].sliding().is_some();
            if slides && lasting.contains(&closed.contact) {
                continue;
            }
            let slide = &mut self.slides[closed.contact];
            *slide = if first.hypot(second) > slide.least_speed(slides, measure.threshold) {
                slide.on_along(closed.given([first, second]), measure)
            } else {
                Slide {
                    direction: closed.direction,
                    pace: Pace::Begins,
                }
            };
        }
    }

    /// The biases of the gap and of sliding.
    pub fn bias_of(&mut self, contact: usize, at: &Point) -> Result<[f64; 3], EvaluationError> {
        let tangents = self.contacts[contact].rubs_in();
        let (contacts, own) = self.contacts_at(at)?;
        let mut biases = [contacts.gap_bias(contact, &own)?, 0.0, 0.0];
        if tangents > 0 {
            contacts.sliding_bias(contact, &own, &mut biases[1..=tangents])?;
        }
        Ok(biases)
    }

    /// How fast a contact in space that slides slows down, by the accelerations of the state.
    pub fn slows_down(&mut self, contact: usize, state: &State) -> Result<f64, EvaluationError> {
        let slide = self.slide_of(contact, &state.point(), &state.acceleration)?;
        let ([first, second], pull) = (slide.velocity, slide.acceleration);
        let power = first * pull[0] + second * pull[1];
        Ok(-power / first.hypot(second))
    }

    /// How a contact slides at an acceleration.
    pub fn slide_of(
        &mut self,
        contact: usize,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<Sliding, EvaluationError> {
        let [_, velocity @ ..] = self.velocity_of(contact, at)?;
        let [_, mut pull @ ..] = self.bias_of(contact, at)?;
        let mut rows = vec![0.0; 2 * acceleration.len()];
        let (contacts, own) = self.contacts_at(at)?;
        contacts.sliding_jacobian(contact, &own, &mut rows)?;
        for (pull, row) in pull.iter_mut().zip(rows.chunks_exact(acceleration.len())) {
            let entries = row.iter().zip(acceleration);
            *pull += entries.map(|(entry, a)| entry * a).sum::<f64>();
        }
        Ok(Sliding {
            velocity,
            acceleration: pull,
            rows,
        })
    }

    /// The joints with friction of the wrapped system and their arguments.
    pub fn joints_at<'a>(
        &'a mut self,
        at: &Point<'a>,
    ) -> Result<(&'a mut dyn FrictionJoints, Point<'a>), EvaluationError> {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        Ok((joints_of(&mut self.inner, at.t)?, own))
    }

    /// The sliding velocities of all joints.
    pub fn joint_velocities(&mut self, state: &State) -> Result<Vec<f64>, EvaluationError> {
        let mut velocities = Vec::with_capacity(self.joints.len());
        for joint in 0..self.joints.len() {
            let at = state.point();
            let (joints, inner_at) = self.joints_at(&at)?;
            let velocity = joints.joint_velocity(joint, &inner_at)?;
            if !velocity.is_finite() {
                let label = &self.joints[joint].label;
                let reason = format!("the sliding velocity of joint `{label}` is {velocity}");
                return Err(failed(state.t, reason));
            }
            velocities.push(velocity);
        }
        Ok(velocities)
    }

    /// The normal force Σ |N| of a joint in N, with these changes of the multipliers of the wrapped system's rows.
    pub fn pressing(&mut self, joint: usize, at: &Point, changes: &[f64]) -> f64 {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        let multipliers = own.lambda.iter().zip(changes);
        let changed: Vec<f64> = multipliers.map(|(value, change)| value + change).collect();
        self.joints[joint].normal_force(&changed)
    }

    /// The normal force Σ |N| and the friction of a joint in N.
    pub fn joint_forces(&mut self, joint: usize, at: &Point) -> [f64; 2] {
        let own = self.structure.inner_point(at, &mut self.work.lambda);
        let law = &self.joints[joint];
        let structure = &self.structure;
        let value = |list: &[f64], index: usize| list.get(index).copied().unwrap_or(0.0);
        let first = structure.layout.algebraic - structure.joint_slides.len();
        let mut slides = structure.joint_slides.iter();
        let slide = slides.position(|slide| slide.joint == joint);
        let friction = match (structure.row_of_joint(joint), slide) {
            (Some(row), _) => value(at.lambda, row),
            (None, Some(index)) => {
                let factor = structure.joint_slides[index].factor;
                -law.friction * factor * value(at.z, first + index)
            }
            (None, None) => 0.0,
        };
        [law.normal_force(own.lambda), friction]
    }
}
