//! Methods in the ways that they run: one line in the diagrams each.

use crate::error::CommandError;
use crate::experiment::Choice;
use crate::foreign::ProgramChoice;
use crate::provenance;
use crate::registry::Registry;
use crate::suggest::unknown;
use liedae::integrator::{MethodOption, Projection};

/// Who makes the runs of a variant.
#[derive(Clone)]
pub enum Solver {
    /// A method in this process or in a child.
    Method(Box<Choice>),
    /// A program of somebody else's.
    Program(ProgramChoice),
}

/// A method together with the way its steps are chosen: one line in the diagrams.
#[derive(Clone)]
pub struct Variant {
    /// Name in diagrams.
    pub name: String,
    /// The method or program.
    pub solver: Solver,
    /// Whether it runs on a ladder of fixed steps instead of tolerances.
    pub fixed: bool,
    /// Number of the method in the list: variants of one method look alike in diagrams.
    pub number: usize,
    /// Whether it is not the method's default way of choosing steps.
    pub secondary: bool,
    /// The same runs by one name, however they are written.
    canonical: String,
    /// Other names under which it was asked for.
    pub also: Vec<String>,
}

impl Variant {
    /// What its runs are known by beside names and numbers: this build, and that of the program.
    pub fn build(&self) -> String {
        match &self.solver {
            Solver::Method(_) => provenance::build().to_owned(),
            Solver::Program(choice) => {
                format!("{}-{}", provenance::build(), choice.program.number())
            }
        }
    }
}

/// Adds a variant, unless its runs are in the list under another name; says whether it was added.
fn add(variants: &mut Vec<Variant>, new: Variant) -> bool {
    let known = variants
        .iter_mut()
        .find(|known| known.canonical == new.canonical);
    let Some(known) = known else {
        variants.push(new);
        return true;
    };
    if known.name != new.name && !known.also.contains(&new.name) {
        known.also.push(new.name);
    }
    false
}

/// The variants of a list of methods, in which `all` stands for every method and program. A method that steps with a
/// fixed size by default runs on a ladder of steps and, if it has an error estimate, by tolerances, too. Options are
/// part of the names; runs that are asked for by several names have the first one.
pub fn variants(
    registry: &Registry,
    names: &str,
    projection: Option<Projection>,
    newton_tolerance: Option<f64>,
    formulation: Option<&str>,
    controller: Option<&str>,
    event_tolerance: Option<f64>,
) -> Result<Vec<Variant>, CommandError> {
    let (methods, programs) = (registry.methods(), registry.programs());
    let list: Vec<&str> = names
        .split(',')
        .flat_map(|name| match name.trim() {
            "all" => registry.solver_names(),
            one => vec![one],
        })
        .collect();
    let mut variants: Vec<Variant> = Vec::new();
    let mut number = 0;
    let given = [
        (MethodOption::Projection, projection.is_some()),
        (MethodOption::Newton, newton_tolerance.is_some()),
        (MethodOption::Formulation, formulation.is_some()),
    ];
    let mut unused: Vec<MethodOption> = given
        .iter()
        .filter_map(|&(option, given)| given.then_some(option))
        .collect();
    for name in list {
        if let Some(choice) = ProgramChoice::parse(programs, name)? {
            let new = Variant {
                name: choice.label(),
                canonical: choice.canonical(),
                solver: Solver::Program(choice),
                fixed: false,
                number,
                secondary: false,
                also: Vec::new(),
            };
            number += usize::from(add(&mut variants, new));
            continue;
        }
        let first = name.split(':').next().unwrap_or_default().trim();
        if methods.find(first).is_none() {
            return Err(unknown(
                "method",
                first,
                registry.solver_names().into_iter(),
            ));
        }
        // Asked for several methods at once, an option concerns those that take it and do not say otherwise.
        let plain = Choice::parse(methods, name)?;
        let said = &plain.options;
        let says = |option| match option {
            MethodOption::Newton => said.newton.is_some_and(|newton| newton.tolerance.is_some()),
            option => said.given().any(|given| given == option),
        };
        let takes = |option| plain.entry.takes(option) && !says(option);
        unused.retain(|&option| !takes(option));
        let controller = controller.filter(|_| plain.controller.is_none());
        let fixed = plain
            .clone()
            .with_options(
                methods,
                projection.filter(|_| takes(MethodOption::Projection)),
                newton_tolerance.filter(|_| takes(MethodOption::Newton)),
            )?
            .with_formulation(
                methods,
                formulation.filter(|_| takes(MethodOption::Formulation)),
            )?;
        let tolerance = event_tolerance.filter(|_| !plain.sets_event_tolerance());
        let fixed = fixed.with_event_tolerance(tolerance)?;
        let adaptive = fixed.clone().with_controller(controller)?;
        let mut add = |choice: &Choice, way: &str, fixed, secondary| {
            let new = Variant {
                name: format!("{}{way}", choice.label()),
                canonical: format!("{}{way}", choice.canonical()),
                solver: Solver::Method(Box::new(choice.clone())),
                fixed,
                number,
                secondary,
                also: Vec::new(),
            };
            add(&mut variants, new)
        };
        let method = fixed.method();
        let new = if method.fixed_step_by_default || !method.is_adaptive() {
            // Settings of the step-size control mean nothing for fixed steps.
            let first = !plain.sets_control() && add(&fixed, ", fixed steps", true, false);
            let second = method.is_adaptive() && add(&adaptive, ", adaptive", false, true);
            first || second
        } else {
            add(&adaptive, "", false, false)
        };
        if new {
            number += 1;
        }
    }
    if let Some(&option) = unused.first() {
        return Err(CommandError::UnusedOption {
            option,
            takers: methods.takers(option).join(", "),
        });
    }
    if let Some(controller) = controller
        && variants.iter().all(|variant| variant.fixed)
    {
        return Err(CommandError::Value {
            option: "--controller",
            value: controller.to_owned(),
            expected: "none of these methods has an error estimate, and all take fixed steps"
                .to_owned(),
        });
    }
    Ok(variants)
}

/// Fixed steps of rung k, in units of the problem's default step: 4, 2, 1, 1/2 ...
pub fn rung(index: usize) -> f64 {
    4.0 * 0.5_f64.powi(i32::try_from(index).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_the_diagrams_in_every_way_that_it_runs() {
        let registry = &Registry::standard();
        let all = variants(registry, "all", None, None, None, None, None)
            .map(|list| list.len())
            .unwrap_or_default();
        assert!(all >= registry.methods().entries().len());
        assert!(
            variants(registry, "hem5, all", None, None, None, None, None)
                .is_ok_and(|list| list.len() == all && list[0].name == "hem5")
        );
        assert!(
            variants(registry, "hem5,hem5", None, None, None, None, None)
                .is_ok_and(|list| list.len() == 1)
        );
        assert!(variants(registry, "hem6", None, None, None, None, None).is_err());
        assert_eq!([rung(0), rung(3)], [4.0, 0.5]);
    }

    #[test]
    fn the_same_runs_are_made_once() {
        let registry = Registry::standard();
        let names = "hem5,hem5:safety=0.9,hem5:grow=2:safety=0.5,hem5:safety=5e-1:grow=2,half-implicit,\
                     half-implicit:newton-iterations=50";
        let found = variants(&registry, names, None, None, None, None, None).expect("methods");
        let found: Vec<(&str, &[String])> = found
            .iter()
            .map(|variant| (variant.name.as_str(), variant.also.as_slice()))
            .collect();
        let also = |name: &str| vec![name.to_owned()];
        assert_eq!(
            found,
            [
                ("hem5", also("hem5:safety=0.9").as_slice()),
                ("hem5:grow=2:safety=0.5", &also("hem5:safety=5e-1:grow=2")),
                (
                    "half-implicit, fixed steps",
                    &also("half-implicit:newton-iterations=50, fixed steps")
                ),
                (
                    "half-implicit, adaptive",
                    &also("half-implicit:newton-iterations=50, adaptive")
                ),
            ]
        );
    }

    #[test]
    fn a_controller_goes_with_adaptive_variants() {
        let names = |methods: &str, controller: &str| {
            variants(
                &Registry::standard(),
                methods,
                None,
                None,
                None,
                Some(controller),
                None,
            )
            .map(|list| list.into_iter().map(|variant| variant.name).collect())
        };
        let found: Result<Vec<String>, CommandError> = names("hem5,half-implicit", "h211b");
        let expected = [
            "hem5:controller=h211b",
            "half-implicit, fixed steps",
            "half-implicit:controller=h211b, adaptive",
        ];
        assert!(found.is_ok_and(|found| found == expected));
        assert!(names("hem5", "h211").is_err());
    }
}
