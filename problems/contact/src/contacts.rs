//! The contacts of the whole system, seen from outside.

use crate::wrapped::contacts_of;
use crate::{NonsmoothSystem, UnilateralConstraints};
use liedae::system::{EvaluationError, Point, System};

impl NonsmoothSystem {
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
