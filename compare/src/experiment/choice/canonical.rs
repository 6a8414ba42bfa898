//! One name for all ways of writing the same run.

use super::Choice;
use super::step_control::{CONTROL_SETTINGS, EVENT_TOLERANCE, LIMITS, MAX_HALVINGS, MAX_STEP};
use liedae::integrator::{MethodOption, named_options};
use liedae::solve::Options;
use liedae::system::Formulation;

impl Choice {
    /// The method with what makes its runs different from those by default: options in a fixed order, without those that are set to their
    /// defaults, and numbers in one way of writing. Equal texts are equal runs.
    pub fn canonical(&self) -> String {
        let mut text = self.method().name.to_owned();
        if let Some(formulation) = self.options.formulation.filter(|&asked| {
            let index = named_options().iter().find(|named| named.name == "index");
            let default = index.and_then(|index| self.entry.default_of(index).parse().ok());
            default != Some(asked)
        }) {
            text.push_str(&format!(":{formulation}"));
            if let Formulation::Baumgarte { alpha, beta } = formulation {
                text.push_str(&format!("={alpha:e}/{beta:e}"));
            }
        }
        let own = (named_options().iter())
            .filter(|named| named.option != MethodOption::Formulation)
            .map(|named| (named.name, self.entry.default_of(named)));
        let events = Options::fixed(0.0, 1.0).event_tolerance.to_string();
        let others = self.control_defaults().chain([
            (EVENT_TOLERANCE[0], events),
            (MAX_STEP[0], String::new()),
            (MAX_HALVINGS[0], String::new()),
        ]);
        for (name, default) in own.chain(others) {
            if let Some(value) = self
                .setting(name)
                .filter(|value| *value != number(&default))
            {
                text.push_str(&format!(":{name}={value}"));
            }
        }
        text
    }

    /// The value that a setting was given.
    fn setting(&self, name: &str) -> Option<String> {
        let pairs = self.settings.iter().filter_map(|text| text.split_once('='));
        let mut values = pairs.filter(|(known, _)| *known == name);
        values.next().map(|(_, value)| number(value))
    }

    /// What settings of the step-size control are unless set: a controller's limits are those of the method.
    fn control_defaults(&self) -> impl Iterator<Item = (&'static str, String)> {
        let own = self.method().controller;
        let asked = self.controller.filter(|entry| {
            // What kinds show is all that they have.
            format!("{:?}", entry.kind_for(own)) == format!("{own:?}")
        });
        let kind = self.controller.map_or(own, |entry| entry.kind_for(own));
        let limits = kind.limits();
        CONTROL_SETTINGS.iter().map(move |[name, ..]| {
            let place = LIMITS.iter().position(|limit| limit == name);
            let default = match (place, limits) {
                (None, _) => asked.map_or_else(String::new, |entry| entry.name.to_owned()),
                (Some(place), Some(limits)) => {
                    [limits.safety, limits.shrink, limits.grow][place].to_string()
                }
                (Some(_), None) => String::new(),
            };
            (*name, default)
        })
    }
}

/// A number in one way of writing; other texts stay.
fn number(text: &str) -> String {
    let value: Option<f64> = text.trim().parse().ok();
    match value.filter(|value| value.is_finite()) {
        Some(value) => format!("{value:e}"),
        None => text.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let choice = Choice::parse(&liedae_contact::methods(), text).expect(text);
        choice.canonical()
    }

    #[test]
    fn the_same_run_has_one_name() {
        for (one, other) in [
            ("hem5", "hem5:safety=0.9"),
            ("hem5", "hem5:projection=every:shrink=0.20"),
            ("hem5", "hem5:controller=elementary"),
            ("hem5:grow=3:safety=0.5", "hem5:safety=5e-1:grow=3.0"),
            (
                "hem5:safety=0.5:controller=pi",
                "hem5:controller=pi:grow=10:safety=0.5",
            ),
            ("radau5", "radau5:2"),
            ("radau5:index=3", "radau5:3"),
            ("radau5:baumgarte", "radau5:baumgarte=10"),
            ("bdf:order=5:stabilized", "bdf"),
            ("generalized-alpha:rho=0.8", "generalized-alpha"),
            ("moreau-jean:theta=0.50", "moreau-jean"),
            ("bdf:event-tolerance=1e-12", "bdf"),
        ] {
            assert_eq!(canonical(one), canonical(other), "{one} and {other}");
        }
        for (one, other) in [
            ("hem5", "hem5:safety=0.8"),
            ("hem5", "hem5:controller=pi"),
            ("radau5", "radau5:3"),
            ("radau5:baumgarte=10", "radau5:baumgarte=20"),
            ("bdf", "bdf:2"),
            ("bdf", "bdf:event-tolerance=1e-9"),
            ("generalized-alpha:rho=0.5", "generalized-alpha:hht=-0.1"),
        ] {
            assert!(canonical(one) != canonical(other), "{one} and {other}");
        }
    }

    /// No option is forgotten: every one that a method takes makes another run, unless it is the default.
    #[test]
    fn every_option_counts() {
        let methods = liedae_contact::methods();
        let mut counted = 0;
        for entry in methods.entries() {
            for named in named_options()
                .iter()
                .filter(|named| entry.takes(named.option))
            {
                for value in [
                    "0.75",
                    "2",
                    "-0.2",
                    "1e-5",
                    "never",
                    "null-space",
                    "residual",
                    "linear",
                ] {
                    let text = format!("{}:{}={value}", entry.method.name, named.name);
                    let Ok(choice) = Choice::parse(&methods, &text) else {
                        continue;
                    };
                    let is_default = number(&entry.default_of(named)) == number(value);
                    assert_eq!(
                        choice.canonical() == entry.method.name,
                        is_default,
                        "{text}"
                    );
                    counted += 1;
                }
            }
        }
        assert!(counted > 60, "{counted}");
    }
}
