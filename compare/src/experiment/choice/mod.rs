//! A method as a comparison names it: `hem5`, `radau5:3`, `generalized-alpha:rho=0.5`.

mod canonical;
mod flags;
mod parse;
mod step_control;
mod theory;

pub use step_control::CONTROL_SETTINGS;

use liedae::control::ControllerEntry;
use liedae::integrator::{
    Integrator, Method, MethodEntry, MethodOption, MethodOptions, MethodRegistry, NewtonOptions,
    Projection,
};
use std::sync::Arc;

/// A method, its options, and how its adaptive steps are chosen.
#[derive(Clone)]
pub struct Choice {
    /// The method's place in the registry.
    pub entry: MethodEntry,
    /// Options for it.
    pub options: MethodOptions,
    /// The controller of adaptive steps, where it is not the method's own.
    pub controller: Option<&'static ControllerEntry>,
    /// What is changed of the controller's limits.
    limits: [Option<f64>; 3],
    /// Accuracy to which events are located in s, where it is not the default.
    event_tolerance: Option<f64>,
    /// The longest adaptive step in s, where one is set.
    max_step: Option<f64>,
    max_halvings: Option<u32>,
    /// Settings as they were written, but for the formulation.
    settings: Vec<String>,
    /// What `auto` chooses from; `None` for every other method.
    candidates: Option<Arc<MethodRegistry>>,
}

impl Choice {
    /// A method with its own options.
    pub fn of(entry: MethodEntry) -> Self {
        Self {
            entry,
            options: MethodOptions::default(),
            controller: None,
            limits: [None; 3],
            event_tolerance: None,
            max_step: None,
            max_halvings: None,
            settings: Vec::new(),
            candidates: None,
        }
    }

    /// The same with events located, and steps limited, as by another choice.
    pub fn locating_as(self, other: &Self) -> Self {
        Self {
            event_tolerance: other.event_tolerance,
            max_step: other.max_step,
            max_halvings: other.max_halvings,
            ..self
        }
    }

    /// What `auto` chooses from; `None` for every other method.
    pub fn candidates(&self) -> Option<&MethodRegistry> {
        self.candidates.as_deref()
    }

    /// The same with this tolerance of Newton iterations, if the method has them.
    pub fn iterating_to(mut self, tolerance: f64) -> Self {
        if self.entry.takes(MethodOption::Newton) {
            self.options.newton = Some(NewtonOptions {
                tolerance: Some(tolerance),
                ..self.options.newton.unwrap_or_default()
            });
        }
        self
    }

    /// The method's name, for tables, with the formulation and the settings that were asked for.
    pub fn label(&self) -> String {
        let mut label = self.method().name.to_owned();
        let named = self
            .settings
            .iter()
            .any(|text| text.starts_with("baumgarte="));
        if let Some(formulation) = self.options.formulation.filter(|_| !named) {
            label.push_str(&format!(":{formulation}"));
        }
        for setting in &self.settings {
            label.push(':');
            label.push_str(setting);
        }
        label
    }

    /// When it projects, if it can.
    pub fn projection(&self) -> Option<Projection> {
        let takes = self.entry.takes(MethodOption::Projection);
        takes.then(|| self.options.projection.unwrap_or_default())
    }

    /// What the method says about itself with these options.
    pub fn method(&self) -> &'static Method {
        self.entry.make(&self.options).method()
    }

    /// The method with these options, which have been checked.
    pub fn build(&self) -> Box<dyn Integrator> {
        self.entry.make(&self.options)
    }
}
