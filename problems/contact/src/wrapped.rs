//! The wrapped system behind the whole one: its arguments, its part of the state, and what its contacts do.

use crate::equations::structure::Structure;
use crate::{
    Contact, ContactSystem, Contacts, FrictionJoints, NonsmoothSystem, UnilateralConstraints,
    failed,
};
use liedae::system::{EvaluationError, Layout, Point, State, System};

impl Structure {
    /// The arguments of the wrapped system; `lambda` is memory for its multipliers.
    pub fn inner_point<'a>(
        &self,
        at: &Point<'a>,
        layout: &Layout,
        lambda: &'a mut [f64],
    ) -> Point<'a> {
        for (slot, &row) in lambda.iter_mut().zip(&self.inner_rows) {
            *slot = at.lambda.get(row).copied().unwrap_or(0.0);
        }
        Point {
            z: at.z.get(..layout.algebraic).unwrap_or(at.z),
            mode: at.mode.get(..layout.modes).unwrap_or(at.mode),
            lambda,
            ..*at
        }
    }
}

/// The contacts of a system that has some.
pub(crate) fn contacts_of(
    system: &mut ContactSystem,
    t: f64,
) -> Result<&mut dyn UnilateralConstraints, EvaluationError> {
    system
        .unilateral()
        .ok_or_else(|| failed(t, "the system has no contacts any more"))
}

/// The joints with friction of a system that has some.
pub(crate) fn joints_of(
    system: &mut ContactSystem,
    t: f64,
) -> Result<&mut dyn FrictionJoints, EvaluationError> {
    system
        .joint_friction()
        .ok_or_else(|| failed(t, "the system has no joints with friction any more"))
}

/// The gap, unless it is not finite: that error names the contact.
pub(crate) fn finite_gap(gap: f64, contact: &Contact, t: f64) -> Result<f64, EvaluationError> {
    if gap.is_finite() {
        Ok(gap)
    } else {
        let label = &contact.label;
        Err(failed(t, format!("the gap of contact `{label}` is {gap}")))
    }
}

impl NonsmoothSystem {
    /// Whether friction does work.
    pub(crate) fn rubs(&self) -> bool {
        !self.structure.slides.is_empty() || !self.structure.joint_slides.is_empty()
    }

    /// Calls `change` with the wrapped system and its part of the state.
    pub(crate) fn with_inner_state<R>(
        &mut self,
        state: &State,
        change: impl FnOnce(&mut ContactSystem, &mut State) -> R,
    ) -> (R, State) {
        let mut own = std::mem::replace(&mut self.work.state, self.inner.layout().state());
        self.load_inner_state(state, &mut own);
        let result = change(&mut self.inner, &mut own);
        (result, own)
    }

    fn load_inner_state(&self, state: &State, own: &mut State) {
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

    /// Puts what the wrapped system changed into the whole state.
    pub(crate) fn store_inner_state(&mut self, own: State, state: &mut State) {
        state.q.clone_from(&own.q);
        state.v.clone_from(&own.v);
        state.x.clone_from(&own.x);
        for (slot, &value) in state.z.iter_mut().zip(&own.z) {
            *slot = value;
        }
        for (slot, &value) in state.mode.iter_mut().zip(&own.mode) {
            *slot = value;
        }
        self.work.state = own;
    }

    /// The gap of a contact; one that is not finite is an error that names it.
    pub(crate) fn gap_of(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        let gap = contacts.gap(contact, &own)?;
        finite_gap(gap, &self.contacts[contact], at.t)
    }

    /// The rate of the gap and the sliding velocity (0 without a direction) of a contact.
    pub(crate) fn velocity_of(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        let is_planar = self.contacts[contact].tangents == 1;
        let (contacts, own) = self.contacts_at(at)?;
        let rate = contacts.gap_rate(contact, &own)?;
        let mut sliding = [0.0; 1];
        if is_planar {
            contacts.sliding_velocity(contact, &own, &mut sliding)?;
        }
        let velocities = [rate, sliding[0]];
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

    /// The biases of the gap and of sliding.
    pub(crate) fn bias_of(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        let is_planar = self.contacts[contact].tangents == 1;
        let (contacts, own) = self.contacts_at(at)?;
        let normal = contacts.gap_bias(contact, &own)?;
        let mut sliding = [0.0; 1];
        if is_planar {
            contacts.sliding_bias(contact, &own, &mut sliding)?;
        }
        Ok([normal, sliding[0]])
    }

    /// Computes the response of these contacts into `self.response`.
    pub(crate) fn compute_response(
        &mut self,
        chosen: &[usize],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let own = self
            .structure
            .inner_point(at, self.inner.layout(), &mut self.work.lambda);
        self.response
            .compute(&mut self.inner, &own, &self.contacts, chosen, &self.joints)
    }
}
