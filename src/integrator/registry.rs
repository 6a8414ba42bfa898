//! All methods by name: a new one is one file and one line here.

use super::{
    BackwardEuler, Bdf, BdfLie, ConstraintLevel, Dop853, Dopri5, Extrapolation, GeneralizedAlpha,
    HalfImplicit, Hem5, Integrator, Kicks, Mdop5, Method, MoreauJean, NewmarkParameters,
    NewtonMatrix, NewtonOptions, Orders, Phem56, Radau5, StateSpaceAbm, StateSpaceNewmark,
    StateSpaceRk4, StateSpaceSdirk4, StormerVerlet,
};
use crate::system::{Formulation, Parametrization};
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
    /// Spectral radius at infinity of generalized-alpha methods, in [0, 1]; `None` is
    /// [`AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS`](super::AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS).
    pub spectral_radius: Option<f64>,
    /// In its place the parameter of HHT-alpha, in [-1/3, 0].
    pub hht_alpha: Option<f64>,
    /// For methods on the state-space form.
    pub parametrization: Parametrization,
    /// For Newmark's method.
    pub newmark: NewmarkParameters,
    /// θ of `moreau-jean`, in [1/2, 1]; `None` is [`MoreauJean::DEFAULT_THETA`].
    pub theta: Option<f64>,
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

impl RegistryEntry {
    const fn new(
        method: &'static Method,
        build: fn(&MethodOptions) -> Box<dyn Integrator>,
    ) -> Self {
        Self {
            method,
            formulations: &[],
            build,
        }
    }
}

static REGISTRY: &[RegistryEntry] = &[
    RegistryEntry::new(&HalfImplicit::QUASI_NEWTON, |options| {
        Box::new(HalfImplicit::new(NewtonMatrix::OncePerStep, options.newton))
    }),
    RegistryEntry::new(&HalfImplicit::FULL_NEWTON, |options| {
        Box::new(HalfImplicit::new(
            NewtonMatrix::EveryIteration,
            options.newton,
        ))
    }),
    RegistryEntry::new(&BackwardEuler::METHOD, |options| {
        Box::new(BackwardEuler::new(options.newton))
    }),
    RegistryEntry::new(&Hem5::METHOD, |options| {
        Box::new(Hem5::new(options.projection))
    }),
    RegistryEntry::new(&Mdop5::METHOD, |options| {
        Box::new(Mdop5::new(options.projection))
    }),
    RegistryEntry::new(&StormerVerlet::RATTLE, |options| {
        Box::new(StormerVerlet::new(Kicks::Variational, options.newton))
    }),
    RegistryEntry::new(&StormerVerlet::HALF_IMPLICIT, |options| {
        Box::new(StormerVerlet::new(Kicks::Explicit, options.newton))
    }),
    RegistryEntry::new(&Extrapolation::METHOD, |options| {
        Box::new(Extrapolation::new(options.projection))
    }),
    RegistryEntry::new(&Dopri5::METHOD, |_| Box::new(Dopri5::new())),
    RegistryEntry::new(&Dop853::METHOD, |options| {
        Box::new(Dop853::new(options.projection))
    }),
    RegistryEntry::new(&Phem56::METHOD, |options| {
        Box::new(Phem56::new(options.projection))
    }),
    RegistryEntry::new(&GeneralizedAlpha::POSITION, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Position,
            options,
        ))
    }),
    RegistryEntry::new(&GeneralizedAlpha::VELOCITY, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Velocity,
            options,
        ))
    }),
    RegistryEntry::new(&GeneralizedAlpha::STABILIZED, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Stabilized,
            options,
        ))
    }),
    RegistryEntry {
        formulations: Radau5::FORMULATIONS,
        ..RegistryEntry::new(&Radau5::METHOD, |options| {
            Box::new(Radau5::new(options.newton, options.formulation))
        })
    },
    RegistryEntry {
        formulations: Bdf::FORMULATIONS,
        ..RegistryEntry::new(&Bdf::METHOD, |options| {
            Box::new(Bdf::new(options.formulation, options.newton))
        })
    },
    RegistryEntry {
        formulations: BdfLie::FORMULATIONS,
        ..RegistryEntry::new(&BdfLie::METHOD, |options| {
            Box::new(BdfLie::new(options.formulation, options.newton))
        })
    },
    RegistryEntry::new(&StateSpaceNewmark::EXACT, |options| {
        Box::new(newmark(true, options))
    }),
    RegistryEntry::new(&StateSpaceNewmark::FISETTE_VANEGHEM, |options| {
        Box::new(newmark(false, options))
    }),
    RegistryEntry::new(&StateSpaceAbm::METHOD, |options| {
        Box::new(StateSpaceAbm::new(options.parametrization))
    }),
    RegistryEntry::new(&StateSpaceRk4::METHOD, |options| {
        Box::new(StateSpaceRk4::new(options.parametrization))
    }),
    RegistryEntry::new(&StateSpaceSdirk4::METHOD, |options| {
        Box::new(StateSpaceSdirk4::new(
            options.parametrization,
            options.newton,
        ))
    }),
    RegistryEntry::new(&MoreauJean::METHOD, |options| {
        Box::new(MoreauJean::new(
            options.theta.unwrap_or(MoreauJean::DEFAULT_THETA),
            options.newton,
        ))
    }),
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
