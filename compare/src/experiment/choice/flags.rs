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
    pub fn with_event_tolerance(mut self, tolerance: Option<f64>) -> Result<Self, CommandError> {
        let Some(tolerance) = tolerance else {
            return Ok(self);
        };
        if self.event_tolerance.is_some() {
            return Err(CommandError::Setting {
                setting: "--event-tolerance".to_owned(),
                expected: format!("`{}` says so itself", self.label()),
            });
        }
        let text = format!("{tolerance:e}");
        self.set_event_tolerance(&text)?;
        self.settings.push(format!("{}={text}", EVENT_TOLERANCE[0]));
        Ok(self)
    }

    /// The same with a longest adaptive step, if one is given.
    pub fn with_max_step(mut self, step: Option<f64>) -> Result<Self, CommandError> {
        let Some(step) = step else {
            return Ok(self);
        };
        if self.max_step.is_some() {
            return Err(CommandError::Setting {
                setting: "--max-step".to_owned(),
                expected: format!("`{}` says so itself", self.label()),
            });
        }
        let text = format!("{step:e}");
        self.set_max_step(&text)?;
        self.settings.push(format!("{}={text}", MAX_STEP[0]));
        Ok(self)
    }

    /// The same with fixed steps that are halved so often where they fail, if that is given.
    pub fn with_max_halvings(mut self, count: Option<u32>) -> Result<Self, CommandError> {
        let Some(count) = count else {
            return Ok(self);
        };
        if self.max_halvings.is_some() {
            return Err(CommandError::Setting {
                setting: "--max-halvings".to_owned(),
                expected: format!("`{}` says so itself", self.label()),
            });
        }
        let text = count.to_string();
        self.set_max_halvings(&text)?;
        self.settings.push(format!("{}={text}", MAX_HALVINGS[0]));
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
