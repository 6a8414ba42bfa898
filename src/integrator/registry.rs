//! All methods by name: a new one is one file and one line here.

use super::{
    BackwardEuler, Dop853, Dopri5, HalfImplicit, Hem5, Integrator, Mdop5, Method, NewtonMatrix,
    NewtonOptions, Orders, Phem56,
};
use super::{Extrapolation, Kicks, StormerVerlet};
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
    /// Formulations that it can be asked for, with its orders in each; empty if it has one of its own.
    pub formulations: &'static [(Formulation, Orders)],
    /// Makes a fresh integrator.
    pub build: fn(&MethodOptions) -> Box<dyn Integrator>,
}

static REGISTRY: &[RegistryEntry] = &[
    RegistryEntry {
        method: &HalfImplicit::QUASI_NEWTON,
        formulations: &[],
        build: |options| Box::new(HalfImplicit::new(NewtonMatrix::OncePerStep, options.newton)),
    },
    RegistryEntry {
        method: &HalfImplicit::FULL_NEWTON,
        formulations: &[],
        build: |options| {
            Box::new(HalfImplicit::new(
                NewtonMatrix::EveryIteration,
                options.newton,
            ))
        },
    },
    RegistryEntry {
        method: &BackwardEuler::METHOD,
        formulations: &[],
        build: |options| Box::new(BackwardEuler::new(options.newton)),
    },
    RegistryEntry {
        method: &Hem5::METHOD,
        formulations: &[],
        build: |options| Box::new(Hem5::new(options.projection)),
    },
    RegistryEntry {
        method: &Mdop5::METHOD,
        formulations: &[],
        build: |options| Box::new(Mdop5::new(options.projection)),
    },
    RegistryEntry {
        method: &StormerVerlet::RATTLE,
        formulations: &[],
        build: |options| Box::new(StormerVerlet::new(Kicks::Variational, options.newton)),
    },
    RegistryEntry {
        method: &StormerVerlet::HALF_IMPLICIT,
        formulations: &[],
        build: |options| Box::new(StormerVerlet::new(Kicks::Explicit, options.newton)),
    },
    RegistryEntry {
        method: &Extrapolation::METHOD,
        formulations: &[],
        build: |options| Box::new(Extrapolation::new(options.projection)),
    },
    RegistryEntry {
        method: &Dopri5::METHOD,
        formulations: &[],
        build: |_| Box::new(Dopri5::new()),
    },
    RegistryEntry {
        method: &Dop853::METHOD,
        formulations: &[],
        build: |options| Box::new(Dop853::new(options.projection)),
    },
    RegistryEntry {
        method: &Phem56::METHOD,
        formulations: &[],
        build: |options| Box::new(Phem56::new(options.projection)),
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
