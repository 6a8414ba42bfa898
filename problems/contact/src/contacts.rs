//! The contacts of the whole system, seen from outside.

use crate::NonsmoothSystem;
use crate::wrapped::contacts_of;
use liedae::manifold::Manifold;
use liedae::system::{Contact, EvaluationError, Point, System, UnilateralConstraints};

impl<S: System> NonsmoothSystem<S> {
    /// The wrapped system's contacts and their arguments.
    pub(crate) fn contacts_at<'a>(
        &'a mut self,
        at: &Point<'a>,
    ) -> Result<(&'a mut dyn UnilateralConstraints, Point<'a>), EvaluationError> {
        let own = self
            .structure
            .inner_point(at, self.inner.layout(), &mut self.work.lambda);
        Ok((contacts_of(&mut self.inner, at.t)?, own))
    }
}

impl<S: System> UnilateralConstraints for NonsmoothSystem<S> {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn space(&self) -> &Manifold {
        &self.structure.layout.space
    }

    fn are_located(&self) -> bool {
        true
    }

    fn junctions(&self, contact: usize) -> usize {
        self.junctions.get(contact).copied().unwrap_or(0)
    }

    fn junction_values(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.junction_values(contact, &own, out)
    }

    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        self.gap_of(contact, at)
    }

    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.gap_rate(contact, &own)
    }

    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.gap_jacobian(contact, &own, row)
    }

    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.gap_bias(contact, &own)
    }

    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.sliding_velocity(contact, &own, out)
    }

    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.sliding_jacobian(contact, &own, rows)
    }

    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.sliding_bias(contact, &own, out)
    }

    fn force_stiffness(
        &mut self,
        contact: usize,
        at: &Point,
        forces: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.force_stiffness(contact, &own, forces, out)
    }

    fn velocity_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.velocity_gradients(contact, &own, out)
    }

    fn acceleration_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        contacts.acceleration_gradients(contact, &own, acceleration, by_position, by_velocity)
    }
}
