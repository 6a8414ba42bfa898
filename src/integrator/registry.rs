//! All methods by name: a new one is one file and one line here.

use super::{
    BackwardEuler, Bdf, BdfLie, ConstraintLevel, Dop853, Dopri5, Extrapolation, GeneralizedAlpha,
    HalfImplicit, Hem5, Integrator, Kicks, Mdop5, Method, MethodOption, MethodOptions, MoreauJean,
    NewtonMatrix, Orders, Phem56, Radau5, StateSpaceAbm, StateSpaceNewmark, StateSpaceRk4,
    StateSpaceSdirk4, StormerVerlet,
};
use crate::system::Formulation;
use std::fmt;
use std::mem::discriminant;
use thiserror::Error;

/// A method cannot be built as asked for.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BuildError {
    /// No method has this name.
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// The method has a choice of formulations, but not this one.
    #[error("method `{method}` has no formulation {asked}; it has {}", join(offered.iter()))]
    Formulation {
        /// The method's name.
        method: &'static str,
        /// The formulation asked for.
        asked: Formulation,
        /// The formulations that it has.
        offered: Vec<Formulation>,
    },
    /// The method has no use for an option.
    #[error("method `{method}` takes no {option}; methods that do: {}", takers(*option))]
    UnusedOption {
        /// The method's name.
        method: &'static str,
        /// The option.
        option: MethodOption,
    },
}

/// Names of the methods that take an option, separated by commas.
pub fn takers(option: MethodOption) -> String {
    let takers = REGISTRY.iter().filter(|entry| entry.takes(option));
    join(takers.map(|entry| entry.method.name))
}

fn join(items: impl Iterator<Item: fmt::Display>) -> String {
    let texts: Vec<String> = items.map(|item| item.to_string()).collect();
    texts.join(", ")
}

/// A method and how to make one.
pub struct RegistryEntry {
    /// What it is.
    pub method: &'static Method,
    /// Options that it takes, besides its formulation.
    options: &'static [MethodOption],
    /// Formulations that it can be asked for, with its orders in each; empty if it has one of its own.
    pub formulations: &'static [(Formulation, Orders)],
    /// Makes a fresh integrator; whether the method takes the options is for [`check`](Self::check) to say.
    pub build: fn(&MethodOptions) -> Box<dyn Integrator>,
}

impl RegistryEntry {
    /// A method that takes no options and has one formulation.
    pub const fn new(
        method: &'static Method,
        build: fn(&MethodOptions) -> Box<dyn Integrator>,
    ) -> Self {
        Self {
            method,
            options: &[],
            formulations: &[],
            build,
        }
    }

    /// The same with options that it takes.
    const fn taking(self, options: &'static [MethodOption]) -> Self {
        Self { options, ..self }
    }

    /// Whether it takes an option.
    pub fn takes(&self, option: MethodOption) -> bool {
        match option {
            MethodOption::Formulation => !self.formulations.is_empty(),
            _ => self.options.contains(&option),
        }
    }

    /// The options that it takes.
    pub fn options(&self) -> impl Iterator<Item = MethodOption> {
        let formulation = self.takes(MethodOption::Formulation);
        let formulation = formulation.then_some(MethodOption::Formulation);
        self.options.iter().copied().chain(formulation)
    }

    /// Refuses options that the method has no use for.
    pub fn check(&self, options: &MethodOptions) -> Result<(), BuildError> {
        let method = self.method.name;
        if let Some(option) = options.given().find(|&option| !self.takes(option)) {
            return Err(BuildError::UnusedOption { method, option });
        }
        let offered = self.formulations.iter().map(|&(known, _)| known);
        // Baumgarte's form is the same with other rates.
        let same = |a: &Formulation, b: &Formulation| discriminant(a) == discriminant(b);
        match options.formulation {
            Some(asked) if !offered.clone().any(|known| same(&known, &asked)) => {
                Err(BuildError::Formulation {
                    method,
                    asked,
                    offered: offered.collect(),
                })
            }
            _ => Ok(()),
        }
    }
}

/// Options of the family of generalized-alpha.
const ALPHA: &[MethodOption] = &[
    MethodOption::Newton,
    MethodOption::SpectralRadius,
    MethodOption::HhtAlpha,
];

/// Options of Newmark's method.
const NEWMARK: &[MethodOption] = &[
    MethodOption::Newton,
    MethodOption::Parametrization,
    MethodOption::Newmark,
];

static REGISTRY: &[RegistryEntry] = &[
    RegistryEntry::new(&HalfImplicit::QUASI_NEWTON, |options| {
        Box::new(HalfImplicit::new(
            NewtonMatrix::OncePerStep,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    RegistryEntry::new(&HalfImplicit::FULL_NEWTON, |options| {
        Box::new(HalfImplicit::new(
            NewtonMatrix::EveryIteration,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    RegistryEntry::new(&BackwardEuler::METHOD, |options| {
        Box::new(BackwardEuler::new(options.newton.unwrap_or_default()))
    })
    .taking(&[MethodOption::Newton]),
    RegistryEntry::new(&Hem5::METHOD, |options| {
        Box::new(Hem5::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    RegistryEntry::new(&Mdop5::METHOD, |options| {
        Box::new(Mdop5::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    RegistryEntry::new(&StormerVerlet::RATTLE, |options| {
        Box::new(StormerVerlet::new(
            Kicks::Variational,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    RegistryEntry::new(&StormerVerlet::HALF_IMPLICIT, |options| {
        Box::new(StormerVerlet::new(
            Kicks::Explicit,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    RegistryEntry::new(&Extrapolation::METHOD, |options| {
        Box::new(Extrapolation::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    RegistryEntry::new(&Dopri5::METHOD, |_| Box::new(Dopri5::new())),
    RegistryEntry::new(&Dop853::METHOD, |options| {
        Box::new(Dop853::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    RegistryEntry::new(&Phem56::METHOD, |options| {
        Box::new(Phem56::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    RegistryEntry::new(&GeneralizedAlpha::POSITION, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Position,
            options,
        ))
    })
    .taking(ALPHA),
    RegistryEntry::new(&GeneralizedAlpha::VELOCITY, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Velocity,
            options,
        ))
    })
    .taking(ALPHA),
    RegistryEntry::new(&GeneralizedAlpha::STABILIZED, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Stabilized,
            options,
        ))
    })
    .taking(ALPHA),
    RegistryEntry {
        formulations: Radau5::FORMULATIONS,
        ..RegistryEntry::new(&Radau5::METHOD, |options| {
            Box::new(Radau5::new(
                options.formulation,
                options.newton.unwrap_or_default(),
            ))
        })
        .taking(&[MethodOption::Newton])
    },
    RegistryEntry {
        formulations: Bdf::FORMULATIONS,
        ..RegistryEntry::new(&Bdf::METHOD, |options| {
            Box::new(Bdf::new(
                options.formulation,
                options.newton.unwrap_or_default(),
            ))
        })
        .taking(&[MethodOption::Newton])
    },
    RegistryEntry {
        formulations: BdfLie::FORMULATIONS,
        ..RegistryEntry::new(&BdfLie::METHOD, |options| {
            Box::new(BdfLie::new(
                options.formulation,
                options.newton.unwrap_or_default(),
            ))
        })
        .taking(&[MethodOption::Newton])
    },
    RegistryEntry::new(&StateSpaceNewmark::EXACT, |options| {
        Box::new(newmark(true, options))
    })
    .taking(NEWMARK),
    RegistryEntry::new(&StateSpaceNewmark::FISETTE_VANEGHEM, |options| {
        Box::new(newmark(false, options))
    })
    .taking(NEWMARK),
    RegistryEntry::new(&StateSpaceAbm::METHOD, |options| {
        Box::new(StateSpaceAbm::new(
            options.parametrization.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Parametrization]),
    RegistryEntry::new(&StateSpaceRk4::METHOD, |options| {
        Box::new(StateSpaceRk4::new(
            options.parametrization.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Parametrization]),
    RegistryEntry::new(&StateSpaceSdirk4::METHOD, |options| {
        Box::new(StateSpaceSdirk4::new(
            options.parametrization.unwrap_or_default(),
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton, MethodOption::Parametrization]),
    RegistryEntry::new(&MoreauJean::METHOD, |options| {
        Box::new(MoreauJean::new(
            options.theta.unwrap_or(MoreauJean::DEFAULT_THETA),
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton, MethodOption::Theta]),
];

fn newmark(exact: bool, options: &MethodOptions) -> StateSpaceNewmark {
    StateSpaceNewmark::new(
        exact,
        options.newmark.unwrap_or_default(),
        options.parametrization.unwrap_or_default(),
        options.newton.unwrap_or_default(),
    )
}

/// All methods.
pub fn methods() -> &'static [RegistryEntry] {
    REGISTRY
}

/// The method of this name.
pub fn find(name: &str) -> Option<&'static RegistryEntry> {
    REGISTRY.iter().find(|entry| entry.method.name == name)
}

/// A fresh integrator of this name; an error if there is none, or if it has no use for one of the options.
///
/// ```
/// use liedae::integrator::{MethodOptions, Projection, build};
///
/// let options = MethodOptions { projection: Some(Projection::Never), ..MethodOptions::default() };
/// let method = build("hem5", &options)?;
/// assert_eq!(method.method().orders.q, 5);
/// // Generalized-alpha solves for the constraints: there is nothing to project.
/// assert!(build("generalized-alpha", &options).is_err());
/// # Ok::<(), liedae::integrator::BuildError>(())
/// ```
pub fn build(name: &str, options: &MethodOptions) -> Result<Box<dyn Integrator>, BuildError> {
    let entry = find(name).ok_or_else(|| BuildError::UnknownMethod(name.to_owned()))?;
    entry.check(options)?;
    Ok((entry.build)(options))
}
