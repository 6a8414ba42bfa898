//! Construction of problems from mechanisms without contacts.

use super::plane::Built;
use super::space::assembly::Assembled;
use crate::{Problem, ProblemError, Reference};
use liedae::system::{Automatic, Model};
use liedae_multibody::{Drawing, Drawn};

/// A problem without its equations.
pub(crate) struct Smooth {
    name: &'static str,
    t_end: f64,
    default_step: f64,
    main_output: &'static str,
    order_study_end: Option<f64>,
    absolute_scale: f64,
    reference: Option<Reference>,
    drawn: Box<dyn FnOnce(Drawing) -> Drawing>,
}

impl Smooth {
    /// A mechanism of metres that moves within seconds, solved to `t_end` in s by steps of 1 ms where they are fixed.
    pub fn new(name: &'static str, t_end: f64, main_output: &'static str) -> Self {
        Self {
            name,
            t_end,
            default_step: 1e-3,
            main_output,
            order_study_end: None,
            absolute_scale: 1.0,
            reference: None,
            drawn: Box::new(|drawing| drawing),
        }
    }

    /// Another step in s for methods with fixed steps.
    pub fn with_step(self, default_step: f64) -> Self {
        Self {
            default_step,
            ..self
        }
    }

    /// Order studies that end earlier, in s: see [`Problem::order_study_end`].
    pub fn with_order_study_end(self, end: f64) -> Self {
        Self {
            order_study_end: Some(end),
            ..self
        }
    }

    /// Another size below which components do not count: see [`Problem::absolute_scale`].
    pub fn with_absolute_scale(self, absolute_scale: f64) -> Self {
        Self {
            absolute_scale,
            ..self
        }
    }

    /// A reference solution, where one is known for these parameters.
    pub fn with_reference(self, reference: impl Into<Option<Reference>>) -> Self {
        Self {
            reference: reference.into(),
            ..self
        }
    }

    /// A drawing with more in it than the mechanism's own, or with something else.
    pub fn drawn(self, drawn: impl FnOnce(Drawing) -> Drawing + 'static) -> Self {
        Self {
            drawn: Box::new(drawn),
            ..self
        }
    }

    /// The problem with this model, or what is wrong with it.
    pub fn problem<M: Model + Drawn + 'static>(
        self,
        model: Built<M>,
    ) -> Result<Problem, ProblemError> {
        let model = model.map_err(|error| ProblemError::build(self.name, error))?;
        let drawing = model.drawing();
        Ok(self.assembled((Box::new(Automatic::new(model)), drawing)))
    }

    /// The problem with this system.
    pub fn assembled(self, (system, drawing): Assembled) -> Problem {
        let problem = Problem::new(self.name, system, self.t_end);
        Problem {
            default_step: self.default_step,
            main_output: self.main_output.to_owned(),
            order_study_end: self.order_study_end,
            absolute_scale: self.absolute_scale,
            reference: self.reference,
            drawing: Some((self.drawn)(drawing)),
            ..problem
        }
    }
}
