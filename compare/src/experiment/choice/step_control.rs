//! How the adaptive steps of a method are chosen: its controller, and the limits of that.

use super::Choice;
use super::parse::refused;
use crate::error::CommandError;
use crate::experiment::Control;
use crate::suggest::unknown;
use liedae::control::{ControllerKind, controllers, find_controller};
use liedae::solve::{Options, StepControl};

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

/// The setting of event location: name and values.
pub(super) const EVENT_TOLERANCE: [&str; 2] = ["event-tolerance", SECONDS];

/// The setting of the largest step: name and values.
pub(super) const MAX_STEP: [&str; 2] = ["max-step", SECONDS];

/// The setting of how often a fixed step that fails is halved: name and values.
pub(super) const MAX_HALVINGS: [&str; 2] = ["max-halvings", "a number from 0 to 30"];

const SECONDS: &str = "a positive number of seconds";

/// The names of [`CONTROL_SETTINGS`] that are limits, in the order of [`Choice::limits`].
pub(super) const LIMITS: [&str; 3] = ["safety", "shrink", "grow"];

impl Choice {
    /// Whether anything of its step-size control is set.
    pub fn sets_control(&self) -> bool {
        self.controller.is_some() || self.limits.iter().any(Option::is_some)
    }

    /// Sets one of the [`CONTROL_SETTINGS`].
    pub(super) fn set_control(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
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

    /// Sets the accuracy to which events are located.
    pub(super) fn set_event_tolerance(&mut self, value: &str) -> Result<(), CommandError> {
        self.event_tolerance = Some(seconds(EVENT_TOLERANCE, value)?);
        Ok(())
    }

    /// Sets the longest adaptive step.
    pub(super) fn set_max_step(&mut self, value: &str) -> Result<(), CommandError> {
        self.max_step = Some(seconds(MAX_STEP, value)?);
        Ok(())
    }

    /// Sets how often a fixed step that fails is halved.
    pub(super) fn set_max_halvings(&mut self, value: &str) -> Result<(), CommandError> {
        let [name, values] = MAX_HALVINGS;
        let count = value.parse().ok().filter(|count| *count <= 30);
        self.max_halvings = Some(count.ok_or_else(|| refused(name, value, values))?);
        Ok(())
    }

    /// Refuses settings of the step-size control where steps do not follow from an error.
    pub fn check_controller(&self, control: Control) -> Result<(), CommandError> {
        let sets = self.sets_control() || self.max_step.is_some();
        if !sets || matches!(control, Control::Adaptive { .. }) {
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

    /// Options of the driver for steps under `control`, adaptive ones by the chosen controller. Fixed ones that fail are not halved unless
    /// that is set: what is measured at a step is measured at no other.
    pub fn driver_options(&self, control: Control, t_end: f64, max_steps: Option<u64>) -> Options {
        let mut options = control.options(t_end, max_steps);
        if let StepControl::Adaptive { controller, .. } = &mut options.control {
            *controller = self.controller_kind();
        }
        if let Some(tolerance) = self.event_tolerance {
            options.event_tolerance = tolerance;
        }
        if let Some(step) = self.max_step {
            options.max_step = step;
        }
        if let Some(count) = self.max_halvings {
            options.max_halvings = count;
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
}

/// The value of a setting that is a positive number of seconds.
fn seconds([name, values]: [&str; 2], value: &str) -> Result<f64, CommandError> {
    let number = value.parse().ok();
    let number = number.filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| refused(name, value, values))
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
        let limited = Choice::parse(&methods, "hem5:max-step=0.01")?;
        assert_eq!(limited.driver_options(adaptive, 1.0, None).max_step, 0.01);
        let flag = Choice::parse(&methods, "hem5")?.with_max_step(Some(0.01))?;
        assert!(flag.clone().with_max_step(Some(0.01)).is_err());
        for choice in [
            choice,
            Choice::parse(&methods, "hem5:safety=0.5")?,
            limited,
            flag,
        ] {
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
