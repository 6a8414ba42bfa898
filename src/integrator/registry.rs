//! All methods by name: a new one is one file and one line here.

use super::{
    BackwardEuler, HalfImplicit, Hem5, Integrator, Mdop5, Method, NewtonMatrix, NewtonOptions,
};
use super::{NewmarkParameters, StateSpaceAbm, StateSpaceNewmark, StateSpaceRk4, StateSpaceSdirk4};
use crate::system::Parametrization;
use serde::Serialize;

/// When a method that drifts off the constraints is projected back onto them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// At the end of every accepted step.
    #[default]
    EveryStep,
    /// When the largest |g| of position rows or |b| of velocity rows exceeds this bound.
    Above(f64),
    /// Never.
    Never,
}

/// Choices that a method may take notice of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodOptions {
    /// For explicit and half-explicit methods.
    pub projection: Projection,
    /// For implicit and half-implicit methods.
    pub newton: NewtonOptions,
    /// For methods on the state-space form.
    pub parametrization: Parametrization,
    /// For Newmark's method.
    pub newmark: NewmarkParameters,
}

/// A method and how to make one.
pub struct RegistryEntry {
    /// What it is.
    pub method: &'static Method,
    /// Makes a fresh integrator.
    pub build: fn(&MethodOptions) -> Box<dyn Integrator>,
}

static REGISTRY: &[RegistryEntry] = &[
    RegistryEntry {
        method: &HalfImplicit::QUASI_NEWTON,
        build: |options| Box::new(HalfImplicit::new(NewtonMatrix::OncePerStep, options.newton)),
    },
    RegistryEntry {
        method: &HalfImplicit::FULL_NEWTON,
        build: |options| {
            Box::new(HalfImplicit::new(
                NewtonMatrix::EveryIteration,
                options.newton,
            ))
        },
    },
    RegistryEntry {
        method: &BackwardEuler::METHOD,
        build: |options| Box::new(BackwardEuler::new(options.newton)),
    },
    RegistryEntry {
        method: &Hem5::METHOD,
        build: |options| Box::new(Hem5::new(options.projection)),
    },
    RegistryEntry {
        method: &Mdop5::METHOD,
        build: |options| Box::new(Mdop5::new(options.projection)),
    },
    RegistryEntry {
        method: &StateSpaceAbm::METHOD,
        build: |options| Box::new(StateSpaceAbm::new(options.parametrization)),
    },
    RegistryEntry {
        method: &StateSpaceRk4::METHOD,
        build: |options| Box::new(StateSpaceRk4::new(options.parametrization)),
    },
    RegistryEntry {
        method: &StateSpaceNewmark::EXACT,
        build: |options| Box::new(newmark(true, options)),
    },
    RegistryEntry {
        method: &StateSpaceNewmark::FISETTE_VANEGHEM,
        build: |options| Box::new(newmark(false, options)),
    },
    RegistryEntry {
        method: &StateSpaceSdirk4::METHOD,
        build: |options| {
            Box::new(StateSpaceSdirk4::new(
                options.parametrization,
                options.newton,
            ))
        },
    },
];

fn newmark(exact: bool, options: &MethodOptions) -> StateSpaceNewmark {
    StateSpaceNewmark::new(
        exact,
        options.newmark,
        options.parametrization,
        options.newton,
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

/// A fresh integrator of this name.
pub fn build(name: &str, options: &MethodOptions) -> Option<Box<dyn Integrator>> {
    find(name).map(|entry| (entry.build)(options))
}
