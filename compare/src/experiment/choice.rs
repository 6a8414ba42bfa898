//! A method as a comparison names it: `hem5`, `radau5:3`, `generalized-alpha:rho=0.5`.

use super::{AUTO, Control};
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae::control::{ControllerEntry, ControllerKind, controllers, find_controller};
use liedae::integrator::{
    Integrator, Method, MethodEntry, MethodOption, MethodOptions, MethodRegistry, NewtonOptions,
    OptionError, Orders, Projection, named_options,
};
use liedae::solve::{Options, StepControl};
use liedae::system::{Formulation, UnknownFormulation};
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
    /// Settings as they were written, but for the formulation.
    settings: Vec<String>,
    /// What `auto` chooses from; `None` for every other method.
    candidates: Option<Arc<MethodRegistry>>,
}

/// Settings of the step-size control, of all methods with an error estimate: name, values, meaning.
pub const CONTROL_SETTINGS: [[&str; 3]; 4] = [
    [
        "controller",
        "a name, see `liedae list controllers`",
        "the step-size controller",
    ],
    [
        "safety",
        "a number above 0, at most 1",
        "safety factor of the controller",
    ],
    [
        "shrink",
        "a number above 0, below 1",
        "smallest ratio of successive steps",
    ],
    [
        "grow",
        "a number above 1",
        "largest ratio of successive steps",
    ],
];

/// The names of [`CONTROL_SETTINGS`] that are limits, in the order of [`Choice::limits`].
const LIMITS: [&str; 3] = ["safety", "shrink", "grow"];

impl Choice {
    /// A method with its own options.
    pub fn of(entry: MethodEntry) -> Self {
        Self {
            entry,
            options: MethodOptions::default(),
            controller: None,
            limits: [None; 3],
            settings: Vec::new(),
            candidates: None,
        }
    }

    /// What `auto` chooses from; `None` for every other method.
    pub fn candidates(&self) -> Option<&MethodRegistry> {
        self.candidates.as_deref()
    }

    /// The method of this name, with settings as in `generalized-alpha:rho=0.5:newton-tol=1e-8`, or with a formulation as in
    /// `radau5:3`.
    pub fn parse(methods: &MethodRegistry, text: &str) -> Result<Self, CommandError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let entry = methods
            .find(name)
            .ok_or_else(|| unknown("method", name, methods.names()))?;
        let mut choice = Self {
            candidates: (name == AUTO).then(|| Arc::new(methods.clone())),
            ..Self::of(entry)
        };
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                if part.parse::<Formulation>().is_err() {
                    return Err(CommandError::Setting {
                        setting: format!("`{part}` behind `{}`", entry.method.name),
                        expected: "it is neither name=value nor a formulation (3, 2, stabilized, 1, baumgarte)"
                            .to_owned(),
                    });
                }
                choice = choice.with_formulation(methods, Some(part))?;
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                return Err(refused(
                    name,
                    value,
                    "it is set already; every option is set once",
                ));
            }
            seen.push(name);
            choice.set(name, value)?;
        }
        choice
            .entry
            .check(&choice.options)
            .map_err(|error| methods.explain(error))?;
        if choice.sets_control() && choice.candidates.is_some() {
            return Err(CommandError::Setting {
                setting: text.trim().to_owned(),
                expected: "each method that `auto` may choose has a controller of its own"
                    .to_owned(),
            });
        }
        if choice.sets_control() && !choice.method().is_adaptive() {
            return Err(CommandError::Setting {
                setting: text.trim().to_owned(),
                expected: format!("{name} so has no error estimate and takes fixed steps"),
            });
        }
        Ok(choice)
    }

    /// Whether anything of its step-size control is set.
    pub fn sets_control(&self) -> bool {
        self.controller.is_some() || self.limits.iter().any(Option::is_some)
    }

    /// Sets one option of the method or of its step-size control.
    fn set(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let is_control = CONTROL_SETTINGS.iter().any(|setting| setting[0] == name);
        if is_control {
            self.set_control(name, value)?;
        } else {
            let asked = self.options.formulation;
            let option = self.options.set(name, value).map_err(|error| match error {
                OptionError::Unknown { name, .. } => {
                    let known = named_options().iter().map(|named| named.name);
                    let control = CONTROL_SETTINGS.iter().map(|setting| setting[0]);
                    unknown("option", &name, known.chain(control))
                }
                OptionError::Value {
                    name,
                    value,
                    values,
                } => refused(name, &value, values),
            })?;
            if option == MethodOption::Formulation {
                if asked.is_some() && asked != self.options.formulation {
                    return Err(refused(
                        name,
                        value,
                        "another formulation is asked for, too",
                    ));
                }
                if name == "index" {
                    return Ok(());
                }
            }
        }
        self.settings.push(format!("{name}={value}"));
        Ok(())
    }

    fn set_control(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let method = self.method();
        let Some(place) = LIMITS.iter().position(|limit| *limit == name) else {
            let names = controllers().iter().map(|entry| entry.name);
            let entry = find_controller(value);
            self.controller = Some(entry.ok_or_else(|| unknown("controller", value, names))?);
            return Ok(());
        };
        let fits = |limit: &f64| match name {
            "safety" => *limit > 0.0 && *limit <= 1.0,
            "shrink" => *limit > 0.0 && *limit < 1.0,
            _ => *limit > 1.0 && limit.is_finite(),
        };
        let values = CONTROL_SETTINGS.iter().find(|setting| setting[0] == name);
        let values = values.map_or("", |setting| setting[1]);
        let limit = value.parse().ok().filter(fits);
        self.limits[place] = Some(limit.ok_or_else(|| refused(name, value, values))?);
        if method.controller.limits().is_none() {
            let words = format!("the controller of {} has no such limit", method.name);
            return Err(refused(name, value, &words));
        }
        Ok(())
    }

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

    /// The methods of a list of names separated by commas, or `all` in all their formulations.
    pub fn list(methods: &MethodRegistry, names: &str) -> Result<Vec<Self>, CommandError> {
        let mut choices: Vec<Self> = Vec::new();
        if names.trim() == "all" {
            for entry in methods
                .entries()
                .iter()
                .filter(|entry| entry.method.name != AUTO)
            {
                let choice = Self::parse(methods, entry.method.name)?;
                if entry.formulations.is_empty() {
                    choices.push(choice.clone());
                }
                for (formulation, _) in entry.formulations {
                    choices.push(
                        choice
                            .clone()
                            .with_formulation(methods, Some(&formulation.to_string()))?,
                    );
                }
            }
        } else {
            for name in names.split(',').map(str::trim) {
                let choice = Self::parse(methods, name)?;
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

    /// Its orders of convergence in the formulation that was asked for.
    pub fn orders(&self) -> Orders {
        let asked = self.options.formulation.and_then(|asked| {
            let mut offered = self.entry.formulations.iter();
            offered.find(|&&(known, _)| known == asked)
        });
        asked.map_or(self.method().orders, |(_, orders)| *orders)
    }

    /// What the method says about itself with these options.
    pub fn method(&self) -> &'static Method {
        self.entry.make(&self.options).method()
    }

    /// Refuses settings of the step-size control where steps do not follow from an error.
    pub fn check_controller(&self, control: Control) -> Result<(), CommandError> {
        if !self.sets_control() || matches!(control, Control::Adaptive { .. }) {
            return Ok(());
        }
        let name = self.method().name;
        let reason = if self.method().is_adaptive() {
            format!("{name} takes fixed steps unless --rtol or --atol is given")
        } else {
            format!("{name} has no error estimate and takes fixed steps")
        };
        Err(CommandError::Setting {
            setting: format!("step-size control of {}", self.label()),
            expected: reason,
        })
    }

    /// Options of the driver for steps under `control`, adaptive ones by the chosen controller.
    pub fn driver_options(&self, control: Control, t_end: f64, max_steps: Option<u64>) -> Options {
        let mut options = control.options(t_end, max_steps);
        if let StepControl::Adaptive { controller, .. } = &mut options.control {
            *controller = self.controller_kind();
        }
        options
    }

    /// The controller of adaptive steps, where it is not the method's own in every respect.
    fn controller_kind(&self) -> Option<ControllerKind> {
        let own = self.method().controller;
        let kind = self.controller.map(|entry| entry.kind_for(own));
        if self.limits.iter().all(Option::is_none) {
            return kind;
        }
        let kind = kind.unwrap_or(own);
        let mut limits = kind.limits()?;
        let [safety, shrink, grow] = self.limits;
        limits.safety = safety.unwrap_or(limits.safety);
        limits.shrink = shrink.unwrap_or(limits.shrink);
        limits.grow = grow.unwrap_or(limits.grow);
        Some(kind.with_limits(limits))
    }

    /// The method with these options, which have been checked.
    pub fn build(&self) -> Box<dyn Integrator> {
        self.entry.make(&self.options)
    }
}

fn refused(name: &str, value: &str, expected: &str) -> CommandError {
    CommandError::Setting {
        setting: format!("{name}={value}"),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn step_size_control_needs_adaptive_steps() -> Result<(), CommandError> {
        let methods = liedae_contact::methods();
        let (fixed, adaptive) = (
            Control::Fixed { step: 0.1 },
            Control::Adaptive {
                rtol: 1e-3,
                atol: 1e-3,
            },
        );
        let choice = Choice::parse(&methods, "hem5")?.with_controller(Some("pid"))?;
        for choice in [choice, Choice::parse(&methods, "hem5:safety=0.5")?] {
            choice.check_controller(adaptive)?;
            let refused = choice
                .check_controller(fixed)
                .map_err(|error| error.to_string());
            assert!(refused.is_err_and(|text| text.contains("takes fixed steps unless --rtol")));
        }
        Choice::parse(&methods, "hem5")?.check_controller(fixed)?;
        // Three steps have no error estimate.
        for wrong in ["bdf-lie:steps=3:safety=0.5", "bdf-lie:grow=2:steps=1"] {
            assert!(Choice::parse(&methods, wrong).is_err(), "{wrong}");
        }
        assert!(
            !Choice::parse(&methods, "bdf-lie:steps=3")?
                .method()
                .is_adaptive()
        );
        Choice::parse(&methods, "bdf-lie:steps=2:safety=0.5")?;
        Ok(())
    }

    #[test]
    fn settings_follow_the_name() -> Result<(), CommandError> {
        let methods = liedae_contact::methods();
        for text in [
            "hem5",
            "hem5:projection=never:safety=0.3",
            "radau5:3",
            "radau5:3:newton-tol=1e-3",
            "generalized-alpha:rho=0.5",
            "bdf:baumgarte=20:order=2",
            "dopri5:controller=pid:grow=3",
            "moreau-jean:theta=1",
        ] {
            assert_eq!(Choice::parse(&methods, text)?.label(), text);
        }
        assert_eq!(
            Choice::parse(&methods, "radau5: index=3")?.label(),
            "radau5:3"
        );
        for wrong in [
            "hem6",
            "hem5:rho=0.5",
            "hem5:projection=2x",
            "hem5:safety=1.5",
            "hem5:safety=0.5:safety=0.5",
            "hem5:radius=0.5",
            "hem5:controller=none",
            "half-implicit:rows=3",
            "moreau-jean:grow=2",
            "radau5:3:index=2",
            "radau5:3:baumgarte=5",
            "generalized-alpha:rho=2",
            "generalized-alpha:3",
        ] {
            assert!(Choice::parse(&methods, wrong).is_err(), "{wrong}");
        }
        Ok(())
    }

    #[test]
    fn limits_reach_the_controller() -> Result<(), CommandError> {
        let methods = liedae_contact::methods();
        let choice = Choice::parse(&methods, "hem5:safety=0.3:controller=pid")?;
        let adaptive = Control::Adaptive {
            rtol: 1e-4,
            atol: 1e-4,
        };
        let StepControl::Adaptive { controller, .. } =
            choice.driver_options(adaptive, 1.0, None).control
        else {
            panic!("adaptive");
        };
        let kind = controller.expect("changed");
        assert!(matches!(kind, ControllerKind::Filter(..)));
        assert_eq!(kind.limits().map(|limits| limits.safety), Some(0.3));
        Ok(())
    }
}
