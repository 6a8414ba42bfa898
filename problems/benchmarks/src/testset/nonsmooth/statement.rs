//! Construction of problems with contacts.

use crate::mechanisms::plane::Built;
use crate::{Cell, Formulation, ParameterInfo, Parameters, Problem, ProblemError, Range};
use liedae_contact::{
    Contact, ContactModel, ImpactLaw, NonsmoothOptions, NonsmoothSystem, Thresholds, with_contacts,
};
use liedae_multibody::plane::PlaneBodyData;
use liedae_multibody::{Drawing, Drawn};

/// The parameter of the law of impact, see [`law`].
pub(super) const LAW: ParameterInfo = ParameterInfo::new(
    "law",
    0.0,
    "1",
    Range::Choice(&["moreau", "poisson", "sequential"]),
    "law of impact",
);

/// The parameter e with a default.
pub(super) const fn restitution(default: f64) -> ParameterInfo {
    ParameterInfo::new(
        "e",
        default,
        "1",
        Range::Between(0.0, 1.0),
        "coefficient of restitution",
    )
}

/// What holds of contacts and impacts, for formulations.
pub(super) const CONTACT_LAW: &str = "Each contact with its gap g: 0 <= g, 0 <= p, p g = 0, where the force p acts with the gradient of g. Impacts, all \
    closed contacts together (Moreau): 0 <= U+ + e U-, 0 <= P, P (U+ + e U-) = 0 with the rates U- and U+ of the gaps before and after the impulses P.";

/// With the table of bodies that turn about fixed centres of mass.
pub(super) fn with_turning_bodies(
    formulation: Formulation,
    bodies: &[PlaneBodyData],
) -> Formulation {
    let rows = bodies.iter().map(|body| {
        let [x, y, theta] = body.position;
        let numbers = [body.inertia, x, y, theta, body.velocity[2]].map(Cell::from);
        [vec![body.name.as_str().into()], numbers.to_vec()].concat()
    });
    let columns = [
        "body",
        "J (kg m^2)",
        "centre x (m)",
        "centre y (m)",
        "initial theta (rad)",
        "initial theta' (rad/s)",
    ];
    formulation.with_table("bodies", columns, rows)
}

/// A problem without its equations.
pub(super) struct Statement {
    name: &'static str,
    t_end: f64,
    default_step: f64,
    main_output: &'static str,
    options: NonsmoothOptions,
    drawn: Box<dyn FnOnce(Drawing) -> Drawing>,
}

impl Statement {
    /// A statement with Moreau's law of impact, steps of 1 ms, and a mechanism of metres that moves within seconds.
    pub fn new(name: &'static str, t_end: f64, main_output: &'static str) -> Self {
        Self {
            name,
            t_end,
            default_step: 1e-3,
            main_output,
            options: NonsmoothOptions::default(),
            drawn: Box::new(|drawing| drawing),
        }
    }

    /// A drawing with more in it than the mechanism's own, or with something else.
    pub fn drawn(mut self, drawn: impl FnOnce(Drawing) -> Drawing + 'static) -> Self {
        self.drawn = Box::new(drawn);
        self
    }

    /// Another step in s for methods with fixed steps.
    pub fn with_step(mut self, step: f64) -> Self {
        self.default_step = step;
        self
    }

    /// Another law of impact.
    pub fn with_law(mut self, law: ImpactLaw) -> Self {
        self.options.law = law;
        self
    }

    /// The size of the mechanism in m and the time of its motion in s: what counts as closed and at rest is measured by them.
    pub fn of_size(mut self, length: f64, time: f64) -> Self {
        self.options.thresholds = Thresholds::scaled(length, time);
        self
    }

    /// The problem with this model, or what is wrong with it.
    pub fn problem<M: ContactModel + Drawn + 'static>(
        self,
        model: Built<M>,
    ) -> Result<Problem, ProblemError> {
        let refuse = |reason: String| ProblemError::Build {
            problem: self.name,
            reason,
        };
        let model = model.map_err(|error| refuse(error.to_string()))?;
        let drawing = (self.drawn)(model.drawing());
        let system = NonsmoothSystem::new(with_contacts(model), self.options)
            .map_err(|error| refuse(error.to_string()))?;
        Ok(Problem {
            formulation: None,
            name: self.name,
            system: Box::new(system),
            t_end: self.t_end,
            default_step: self.default_step,
            reference: None,
            main_output: self.main_output.to_owned(),
            order_study_end: None,
            absolute_scale: 1.0,
            drawing: Some(drawing),
        })
    }
}

/// The law of impact that the parameters ask for.
pub(super) fn law(parameters: &Parameters) -> Result<ImpactLaw, ProblemError> {
    let laws = [ImpactLaw::Moreau, ImpactLaw::Poisson, ImpactLaw::Sequential];
    Ok(laws[parameters.get(LAW.name)? as usize % laws.len()])
}

/// A contact with restitution and, if there is any, Coulomb friction.
pub(super) fn contact(label: impl Into<String>, restitution: f64, friction: f64) -> Contact {
    let contact = Contact::new(label, restitution);
    if friction > 0.0 {
        contact.with_planar_friction(friction)
    } else {
        contact
    }
}
