//! All methods by name: a new one is one file and one line here.

use super::{
    BackwardEuler, Bdf, BdfLie, HalfImplicit, Hem5, Integrator, Mdop5, Method, NewtonMatrix,
    NewtonOptions,
};
use crate::system::Formulation;
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
    /// For implicit methods that can take the constraints at any level; `None` is the method's own default.
    pub formulation: Option<Formulation>,
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
        method: &Bdf::METHOD,
        build: |options| Box::new(Bdf::new(options.formulation, options.newton)),
    },
    RegistryEntry {
        method: &BdfLie::METHOD,
        build: |options| Box::new(BdfLie::new(options.formulation, options.newton)),
    },
];

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
