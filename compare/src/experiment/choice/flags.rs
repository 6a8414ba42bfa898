//! What flags of the command line change about a method: `--projection`, `--newton-tol`, `--index`, `--controller`,
//! `--event-tolerance`, `--max-step`, `--max-halvings`.

use super::Choice;
use super::step_control::{EVENT_TOLERANCE, MAX_HALVINGS, MAX_STEP};
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae::control::{controllers, find_controller};
use liedae::integrator::{MethodRegistry, NewtonOptions, Projection};
use liedae::system::{Formulation, UnknownFormulation};

impl Choice {
    /// The same with a projection rule and a tolerance of Newton iterations, where they are given.
    pub fn with_options(
        mut self,
        methods: &MethodRegistry,
        projection: Option<Projection>,
        newton_tolerance: Option<f64>,
    ) -> Result<Self, CommandError> {
        if let Some(tolerance) =
            newton_tolerance.filter(|&tolerance| !(tolerance > 0.0 && tolerance.is_finite()))
        {
            return Err(CommandError::Value {
                option: "--newton-tol",
                value: tolerance.to_string(),
                expected: "it is the size of a correction, a positive number".to_owned(),
            });
        }
        let label = self.label();
        let twice = |flag: &str| {
            Err(CommandError::Setting {
                setting: flag.to_owned(),
                expected: format!("`{label}` says so itself"),
            })
        };
        if projection.is_some() {
            if self.options.projection.is_some() {
                return twice("--projection");
            }
            self.options.projection = projection;
        }
        if let Some(projection) = projection {
            self.settings.push(match projection {
                Projection::EveryStep => "projection=every".to_owned(),
                Projection::Constraints => "projection=constraints".to_owned(),
                Projection::Never => "projection=never".to_owned(),
                Projection::Above(bound) => format!("projection={bound:e}"),
            });
        }
        if newton_tolerance.is_some() {
            if self
                .options
                .newton
                .is_some_and(|newton| newton.tolerance.is_some())
            {
                return twice("--newton-tol");
            }
            self.options.newton = Some(NewtonOptions {
                tolerance: newton_tolerance,
                ..self.options.newton.unwrap_or_default()
            });
        }
        if let Some(tolerance) = newton_tolerance {
            self.settings.push(format!("newton-tol={tolerance:e}"));
        }
        self.entry
            .check(&self.options)
            .map_err(|error| methods.explain(error))?;
        Ok(self)
    }

    /// The same with an accuracy to which events are located, if one is given.
    pub fn with_event_tolerance(self, tolerance: Option<f64>) -> Result<Self, CommandError> {
        let is_set = self.event_tolerance.is_some();
        self.with_setting(
            EVENT_TOLERANCE[0],
            is_set,
            tolerance.map(|t| format!("{t:e}")),
        )
    }

    /// The same with a longest adaptive step, if one is given.
    pub fn with_max_step(self, step: Option<f64>) -> Result<Self, CommandError> {
        let is_set = self.max_step.is_some();
        self.with_setting(MAX_STEP[0], is_set, step.map(|step| format!("{step:e}")))
    }

    /// The same with fixed steps that are halved so often where they fail, if that is given.
    pub fn with_max_halvings(self, count: Option<u32>) -> Result<Self, CommandError> {
        let is_set = self.max_halvings.is_some();
        self.with_setting(
            MAX_HALVINGS[0],
            is_set,
            count.map(|count| count.to_string()),
        )
    }

    /// The same with a setting by the flag of its name, if the flag is given; `is_set` says that the method's name has it, too.
    fn with_setting(
        mut self,
        name: &str,
        is_set: bool,
        value: Option<String>,
    ) -> Result<Self, CommandError> {
        let Some(value) = value else {
            return Ok(self);
        };
        if is_set {
            return Err(CommandError::Setting {
                setting: format!("--{name}"),
                expected: format!("`{}` says so itself", self.label()),
            });
        }
        self.set(name, &value)?;
        Ok(self)
    }

    /// How often fixed steps that fail are halved, if that is set.
    pub fn max_halvings(&self) -> Option<u32> {
        self.max_halvings
    }

    /// Whether that accuracy is set.
    pub fn sets_event_tolerance(&self) -> bool {
        self.event_tolerance.is_some()
    }

    /// The same with the formulation of this name, if one is given.
    pub fn with_formulation(
        mut self,
        methods: &MethodRegistry,
        name: Option<&str>,
    ) -> Result<Self, CommandError> {
        let Some(name) = name else { return Ok(self) };
        let asked = self.options.formulation;
        let refuse = |expected: String| CommandError::Value {
            option: "--index",
            value: name.to_owned(),
            expected,
        };
        let formulation: Formulation = name
            .parse()
            .map_err(|error: UnknownFormulation| refuse(error.to_string()))?;
        if let Some(asked) = asked.filter(|&asked| asked != formulation) {
            return Err(refuse(format!(
                "{}:{asked} is asked for, too",
                self.method().name
            )));
        }
        self.options.formulation = Some(formulation);
        self.entry
            .check(&self.options)
            .map_err(|error| methods.explain(error))?;
        Ok(self)
    }

    /// The same with the controller of this name, if one is given.
    pub fn with_controller(mut self, name: Option<&str>) -> Result<Self, CommandError> {
        let Some(name) = name else { return Ok(self) };
        let names = controllers().iter().map(|entry| entry.name);
        let entry = find_controller(name).ok_or_else(|| unknown("controller", name, names))?;
        if self.controller.is_some() {
            return Err(CommandError::Setting {
                setting: "--controller".to_owned(),
                expected: format!("`{}` says so itself", self.label()),
            });
        }
        self.controller = Some(entry);
        self.settings.push(format!("controller={}", entry.name));
        Ok(self)
    }
}
