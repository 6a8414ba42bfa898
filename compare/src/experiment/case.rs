//! A problem built, a method chosen, steps decided: what a run needs, checked.

use crate::error::CommandError;
use crate::suggest::unknown;
use liedae::control::{ControllerEntry, controllers, find_controller};
use liedae::integrator::{
    Integrator, Method, MethodEntry, MethodOption, MethodOptions, MethodRegistry, NewtonOptions,
    Orders, Projection,
};
use liedae::solve::{Options, StepControl};
use liedae::system::{Formulation, System, UnknownFormulation, output_names};
use liedae_problems::{Parameters, Problem, ProblemEntry};
use serde::Serialize;

/// A problem with its parameters and time span.
pub struct Case {
    /// The parameters it was built with.
    pub parameters: Parameters,
    /// The problem.
    pub problem: Problem,
    /// End of the run in s.
    pub t_end: f64,
    outputs: Vec<String>,
}

impl Case {
    /// Builds a problem with settings such as `mu=0.2`.
    pub fn new<S: AsRef<str>>(
        entry: ProblemEntry,
        settings: &[S],
        t_end: Option<f64>,
    ) -> Result<Self, CommandError> {
        let mut parameters = Parameters::defaults(&entry);
        let mut seen: Vec<&str> = Vec::with_capacity(settings.len());
        for setting in settings.iter().map(AsRef::as_ref) {
            parameters.parse(setting)?;
            let key = setting.split('=').next().unwrap_or_default().trim();
            if seen.contains(&key) {
                return Err(CommandError::Value {
                    option: "--set",
                    value: setting.to_owned(),
                    expected: format!("`{key}` is set already; every parameter is set once"),
                });
            }
            seen.push(key);
        }
        let mut problem = (entry.build)(&parameters)?;
        let t_end = t_end.unwrap_or(problem.t_end);
        Ok(Self {
            parameters,
            outputs: output_names(&mut problem.system).to_vec(),
            problem,
            t_end,
        })
    }

    /// The system.
    pub fn system(&mut self) -> &mut dyn System {
        self.problem.system.as_mut()
    }

    /// Names of the outputs.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The index of an output, by default of the problem's main one.
    pub fn output(&self, name: Option<&str>) -> Result<usize, CommandError> {
        let name = name.unwrap_or(&self.problem.main_output);
        let names = self.outputs();
        names
            .iter()
            .position(|output| output == name)
            .ok_or_else(|| unknown("output", name, names.iter().map(String::as_str)))
    }

    /// Names and values of the parameters.
    pub fn parameter_values(&self) -> Vec<(String, f64)> {
        self.parameters
            .iter()
            .map(|(info, value)| (info.name.to_owned(), value))
            .collect()
    }
}

/// A method and its options.
#[derive(Clone, Copy)]
pub struct Choice {
    /// The method's place in the registry.
    pub entry: MethodEntry,
    /// Options for it.
    pub options: MethodOptions,
    /// The controller of adaptive steps, where it is not the method's own.
    pub controller: Option<&'static ControllerEntry>,
}

impl Choice {
    /// The method of this name, or with a formulation as in `radau5:3`.
    pub fn new(
        methods: &MethodRegistry,
        name: &str,
        projection: Option<Projection>,
        newton_tolerance: Option<f64>,
    ) -> Result<Self, CommandError> {
        let (name, formulation) = match name.split_once(':') {
            Some((name, formulation)) => (name, Some(formulation)),
            None => (name, None),
        };
        let entry = methods
            .find(name)
            .ok_or_else(|| unknown("method", name, methods.names()))?;
        if let Some(tolerance) =
            newton_tolerance.filter(|&tolerance| !(tolerance > 0.0 && tolerance.is_finite()))
        {
            return Err(CommandError::Value {
                option: "--newton-tol",
                value: tolerance.to_string(),
                expected: "it is the size of a correction, a positive number".to_owned(),
            });
        }
        let newton = newton_tolerance.map(|tolerance| NewtonOptions {
            tolerance: Some(tolerance),
            ..NewtonOptions::default()
        });
        let options = MethodOptions {
            projection,
            newton,
            ..MethodOptions::default()
        };
        entry
            .check(&options)
            .map_err(|error| methods.explain(error))?;
        let choice = Self {
            entry,
            options,
            controller: None,
        };
        choice.with_formulation(methods, formulation)
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
    pub fn with_controller(self, name: Option<&str>) -> Result<Self, CommandError> {
        let Some(name) = name else { return Ok(self) };
        let names = controllers().iter().map(|entry| entry.name);
        let entry = find_controller(name).ok_or_else(|| unknown("controller", name, names))?;
        Ok(Self {
            controller: Some(entry),
            ..self
        })
    }

    /// The methods of a list of names separated by commas, or `all` in all their formulations.
    pub fn list(methods: &MethodRegistry, names: &str) -> Result<Vec<Self>, CommandError> {
        let mut choices: Vec<Self> = Vec::new();
        if names.trim() == "all" {
            for entry in methods {
                let choice = Self::new(methods, entry.method.name, None, None)?;
                if entry.formulations.is_empty() {
                    choices.push(choice);
                }
                for (formulation, _) in entry.formulations {
                    choices.push(choice.with_formulation(methods, Some(&formulation.to_string()))?);
                }
            }
        } else {
            for name in names.split(',').map(str::trim) {
                let choice = Self::new(methods, name, None, None)?;
                if choices.iter().all(|known| known.label() != choice.label()) {
                    choices.push(choice);
                }
            }
        }
        Ok(choices)
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

    /// The method's name, for tables, with the formulation that was asked for.
    pub fn label(&self) -> String {
        match self.options.formulation {
            Some(formulation) => format!("{}:{formulation}", self.method().name),
            None => self.method().name.to_owned(),
        }
    }

    /// When it projects, if it can.
    pub fn projection(&self) -> Option<Projection> {
        let takes = self.entry.takes(MethodOption::Projection);
        takes.then(|| self.options.projection.unwrap_or_default())
    }

    /// Its orders of convergence in the formulation that was asked for.
    pub fn orders(&self) -> Orders {
        let asked = self.options.formulation.and_then(|asked| {
            let mut offered = self.entry.formulations.iter();
            offered.find(|&&(known, _)| known == asked)
        });
        asked.map_or(self.method().orders, |(_, orders)| *orders)
    }

    /// What the method says about itself.
    pub fn method(&self) -> &'static Method {
        self.entry.method
    }

    /// Refuses a controller where steps do not follow from an error.
    pub fn check_controller(&self, control: Control) -> Result<(), CommandError> {
        let (Some(controller), Control::Fixed { .. }) = (self.controller, control) else {
            return Ok(());
        };
        let method = self.method();
        let name = method.name;
        let expected = if method.is_adaptive() {
            format!("{name} takes fixed steps unless --rtol or --atol is given")
        } else {
            format!("{name} has no error estimate and takes fixed steps")
        };
        Err(CommandError::Value {
            option: "--controller",
            value: controller.name.to_owned(),
            expected,
        })
    }

    /// Options of the driver for steps under `control`, adaptive ones by the chosen controller.
    pub fn driver_options(&self, control: Control, t_end: f64, max_steps: Option<u64>) -> Options {
        let mut options = control.options(t_end, max_steps);
        if let (Some(entry), StepControl::Adaptive { controller, .. }) =
            (self.controller, &mut options.control)
        {
            *controller = Some(entry.kind_for(self.method().controller));
        }
        options
    }

    /// The method with these options, which have been checked.
    pub fn build(&self) -> Box<dyn Integrator> {
        self.entry.make(&self.options)
    }
}

/// How steps are chosen, as in reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Control {
    /// By tolerances.
    Adaptive {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// Fixed.
    Fixed {
        /// Step in s.
        step: f64,
    },
}

impl Control {
    /// What the command line asks for; by default relative tolerances of 1e-6, absolute ones by the sizes that count in
    /// the problem, and the problem's step, if it has one that serves from start to end, for methods that step with a fixed size
    /// by default.
    pub fn resolve(
        rtol: Option<f64>,
        atol: Option<f64>,
        step: Option<f64>,
        method: &Method,
        default_step: Option<f64>,
        absolute_scale: f64,
    ) -> Self {
        let default_step = default_step.filter(|_| method.fixed_step_by_default);
        match (step, rtol, atol) {
            (Some(step), ..) => Self::Fixed { step },
            (None, rtol, atol) => {
                if let (Some(step), None, None) = (default_step, rtol, atol) {
                    return Self::Fixed { step };
                }
                let rtol = rtol.unwrap_or(1e-6);
                Self::Adaptive {
                    rtol,
                    atol: atol.unwrap_or(rtol * absolute_scale),
                }
            }
        }
    }

    /// Options of the driver, with the method's own controller.
    pub fn options(self, t_end: f64, max_steps: Option<u64>) -> Options {
        let mut options = match self {
            Self::Adaptive { rtol, atol } => Options::adaptive(t_end, rtol, atol),
            Self::Fixed { step } => Options::fixed(t_end, step),
        };
        if let Some(limit) = max_steps {
            options.max_steps = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae::control::ControllerKind;
    use liedae::integrator::{Hem5, Kind, Orders};

    #[test]
    fn one_tolerance_sets_both_and_a_step_wins() {
        let method = &Hem5::METHOD;
        let resolve = |rtol, atol, step| Control::resolve(rtol, atol, step, method, Some(0.1), 1.0);
        assert_eq!(
            resolve(Some(1e-3), None, None),
            Control::Adaptive {
                rtol: 1e-3,
                atol: 1e-3
            }
        );
        assert_eq!(
            resolve(None, Some(1e-9), None),
            Control::Adaptive {
                rtol: 1e-6,
                atol: 1e-9
            }
        );
        assert_eq!(resolve(None, None, Some(0.5)), Control::Fixed { step: 0.5 });
        let fixed = Method::new("fixed", Kind::Explicit, Orders::all(2))
            .with_error_estimate(2.0)
            .with_fixed_steps_by_default();
        assert_eq!(
            Control::resolve(None, None, None, &fixed, Some(0.1), 1.0),
            Control::Fixed { step: 0.1 }
        );
    }

    #[test]
    fn a_controller_needs_adaptive_steps() -> Result<(), CommandError> {
        static WITHOUT_ESTIMATE: Method = Method::new("plain", Kind::Explicit, Orders::all(2));
        static ENTRY: MethodEntry = MethodEntry::new(&WITHOUT_ESTIMATE, |_| {
            Box::new(Hem5::new(Projection::Never))
        });
        let choice = Choice::new(&liedae_contact::methods(), "hem5", None, None)?
            .with_controller(Some("pid"))?;
        let (fixed, adaptive) = (
            Control::Fixed { step: 0.1 },
            Control::Adaptive {
                rtol: 1e-3,
                atol: 1e-3,
            },
        );
        choice.check_controller(adaptive)?;
        let StepControl::Adaptive { controller, .. } =
            choice.driver_options(adaptive, 1.0, None).control
        else {
            panic!("adaptive");
        };
        assert!(matches!(controller, Some(ControllerKind::Filter(..))));
        let message = |choice: Choice| {
            choice
                .check_controller(fixed)
                .map_err(|error| error.to_string())
        };
        assert_eq!(
            message(choice),
            Err(
                "--controller cannot be pid: hem5 takes fixed steps unless --rtol or --atol is given"
                    .to_owned()
            )
        );
        let choice = Choice {
            entry: ENTRY,
            ..choice
        };
        assert!(message(choice).is_err_and(|text| text.contains("plain has no error estimate")));
        let choice = choice.with_controller(None)?;
        assert!(message(choice).is_err());
        let without = Choice {
            controller: None,
            ..choice
        };
        assert!(message(without).is_ok());
        Ok(())
    }
}
