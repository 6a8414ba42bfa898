//! Methods with the options that the registry gives them unless told otherwise.

use super::{
    BackwardEuler, Bdf, BdfLie, ConstraintLevel, Dop853, Dopri5, Extrapolation, GeneralizedAlpha,
    HalfImplicit, Hem5, Kicks, Mdop5, MethodOptions, NewmarkParameters, NewtonMatrix,
    NewtonOptions, Phem56, Projection, Radau5, StateSpaceAbm, StateSpaceNewmark, StateSpaceRk4,
    StateSpaceSdirk4, StormerVerlet,
};
use crate::system::Parametrization;

impl Default for HalfImplicit {
    /// `half-implicit`: one factorization per step.
    fn default() -> Self {
        Self::new(NewtonMatrix::OncePerStep, NewtonOptions::default())
    }
}

impl Default for BackwardEuler {
    fn default() -> Self {
        Self::new(NewtonOptions::default())
    }
}

impl Default for Hem5 {
    fn default() -> Self {
        Self::new(Projection::default())
    }
}

impl Default for Mdop5 {
    fn default() -> Self {
        Self::new(Projection::default())
    }
}

impl Default for Dopri5 {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for Dop853 {
    fn default() -> Self {
        Self::new(Projection::default())
    }
}

impl Default for Phem56 {
    fn default() -> Self {
        Self::new(Projection::default())
    }
}

impl Default for Extrapolation {
    fn default() -> Self {
        Self::new(Projection::default())
    }
}

impl Default for StormerVerlet {
    /// `rattle`.
    fn default() -> Self {
        Self::new(Kicks::Variational, NewtonOptions::default())
    }
}

impl Default for GeneralizedAlpha {
    /// `generalized-alpha-stabilized`: constraints hold at both levels.
    fn default() -> Self {
        Self::from_options(ConstraintLevel::Stabilized, &MethodOptions::default())
    }
}

impl Default for Radau5 {
    fn default() -> Self {
        Self::new(None, NewtonOptions::default())
    }
}

impl Default for Bdf {
    fn default() -> Self {
        Self::new(None, NewtonOptions::default())
    }
}

impl Default for BdfLie {
    fn default() -> Self {
        Self::new(None, NewtonOptions::default())
    }
}

impl Default for StateSpaceNewmark {
    /// `state-space-newmark`: the exact Newton matrix.
    fn default() -> Self {
        Self::new(
            true,
            NewmarkParameters::default(),
            Parametrization::default(),
            NewtonOptions::default(),
        )
    }
}

impl Default for StateSpaceAbm {
    fn default() -> Self {
        Self::new(Parametrization::default())
    }
}

impl Default for StateSpaceRk4 {
    fn default() -> Self {
        Self::new(Parametrization::default())
    }
}

impl Default for StateSpaceSdirk4 {
    fn default() -> Self {
        Self::new(Parametrization::default(), NewtonOptions::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::{Integrator, MethodRegistry};

    #[test]
    fn defaults_are_the_methods_of_the_registry() {
        let defaults: [(&str, Box<dyn Integrator>); 17] = [
            ("half-implicit", Box::<HalfImplicit>::default()),
            ("backward-euler", Box::<BackwardEuler>::default()),
            ("hem5", Box::<Hem5>::default()),
            ("mdop5", Box::<Mdop5>::default()),
            ("dopri5", Box::<Dopri5>::default()),
            ("dop853", Box::<Dop853>::default()),
            ("phem56", Box::<Phem56>::default()),
            ("extrapolation", Box::<Extrapolation>::default()),
            ("rattle", Box::<StormerVerlet>::default()),
            (
                "generalized-alpha-stabilized",
                Box::<GeneralizedAlpha>::default(),
            ),
            ("radau5", Box::<Radau5>::default()),
            ("bdf", Box::<Bdf>::default()),
            ("bdf-lie", Box::<BdfLie>::default()),
            ("state-space-newmark", Box::<StateSpaceNewmark>::default()),
            ("state-space-abm", Box::<StateSpaceAbm>::default()),
            ("rk4", Box::<StateSpaceRk4>::default()),
            ("sdirk4", Box::<StateSpaceSdirk4>::default()),
        ];
        let methods = MethodRegistry::standard();
        for (name, method) in defaults {
            assert_eq!(method.method().name, name);
            assert!(methods.find(name).is_some(), "{name}");
        }
    }
}
