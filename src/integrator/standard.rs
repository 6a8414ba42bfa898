//! The methods of this crate: a new one is one file and one line here.

use super::registry::MethodEntry;
use super::{
    BackwardEuler, Bdf, BdfLie, ConstraintLevel, Dop853, Dopri5, Extrapolation, GeneralizedAlpha,
    HalfImplicit, Hem5, Kicks, Mdop5, MethodOption, MethodOptions, NewtonMatrix, Phem56, Radau5,
    StateSpaceAbm, StateSpaceNewmark, StateSpaceRk4, StateSpaceSdirk4, StormerVerlet,
};

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

/// The methods of this crate, in the order in which they are listed.
pub(super) const STANDARD: &[MethodEntry] = &[
    MethodEntry::new(&HalfImplicit::QUASI_NEWTON, |options| {
        Box::new(HalfImplicit::new(
            NewtonMatrix::OncePerStep,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    MethodEntry::new(&HalfImplicit::FULL_NEWTON, |options| {
        Box::new(HalfImplicit::new(
            NewtonMatrix::EveryIteration,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    MethodEntry::new(&BackwardEuler::METHOD, |options| {
        Box::new(BackwardEuler::new(options.newton.unwrap_or_default()))
    })
    .taking(&[MethodOption::Newton]),
    MethodEntry::new(&Hem5::METHOD, |options| {
        Box::new(Hem5::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    MethodEntry::new(&Mdop5::METHOD, |options| {
        Box::new(Mdop5::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    MethodEntry::new(&StormerVerlet::RATTLE, |options| {
        Box::new(StormerVerlet::new(
            Kicks::Variational,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    MethodEntry::new(&StormerVerlet::HALF_IMPLICIT, |options| {
        Box::new(StormerVerlet::new(
            Kicks::Explicit,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton]),
    MethodEntry::new(&Extrapolation::METHOD, |options| {
        let projection = options.projection.unwrap_or_default();
        Box::new(match options.rows {
            Some(rows) => Extrapolation::with_rows(projection, rows),
            None => Extrapolation::new(projection),
        })
    })
    .taking(&[MethodOption::Projection, MethodOption::Rows]),
    MethodEntry::new(&Dopri5::METHOD, |_| Box::new(Dopri5::new())),
    MethodEntry::new(&Dop853::METHOD, |options| {
        Box::new(Dop853::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    MethodEntry::new(&Phem56::METHOD, |options| {
        Box::new(Phem56::new(options.projection.unwrap_or_default()))
    })
    .taking(&[MethodOption::Projection]),
    MethodEntry::new(&GeneralizedAlpha::POSITION, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Position,
            options,
        ))
    })
    .taking(ALPHA),
    MethodEntry::new(&GeneralizedAlpha::VELOCITY, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Velocity,
            options,
        ))
    })
    .taking(ALPHA),
    MethodEntry::new(&GeneralizedAlpha::STABILIZED, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Stabilized,
            options,
        ))
    })
    .taking(ALPHA),
    MethodEntry::new(&Radau5::METHOD, |options| {
        Box::new(Radau5::new(
            options.formulation,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton])
    .with_formulations(Radau5::FORMULATIONS),
    MethodEntry::new(&Bdf::METHOD, |options| {
        let method = Bdf::new(options.formulation, options.newton.unwrap_or_default());
        Box::new(match options.highest_order {
            Some(order) => method.with_highest_order(order),
            None => method,
        })
    })
    .taking(&[MethodOption::Newton, MethodOption::HighestOrder])
    .with_formulations(Bdf::FORMULATIONS),
    MethodEntry::new(&BdfLie::METHOD, |options| {
        let method = BdfLie::new(options.formulation, options.newton.unwrap_or_default());
        Box::new(match options.steps {
            Some(steps) => method.with_steps(steps),
            None => method,
        })
    })
    .taking(&[MethodOption::Newton, MethodOption::Steps])
    .with_formulations(BdfLie::FORMULATIONS),
    MethodEntry::new(&StateSpaceNewmark::EXACT, |options| {
        Box::new(newmark(true, options))
    })
    .taking(NEWMARK),
    MethodEntry::new(&StateSpaceNewmark::FISETTE_VANEGHEM, |options| {
        Box::new(newmark(false, options))
    })
    .taking(NEWMARK),
    MethodEntry::new(&StateSpaceAbm::METHOD, |options| {
        Box::new(StateSpaceAbm::new(
            options.parametrization.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Parametrization]),
    MethodEntry::new(&StateSpaceRk4::METHOD, |options| {
        Box::new(StateSpaceRk4::new(
            options.parametrization.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Parametrization]),
    MethodEntry::new(&StateSpaceSdirk4::METHOD, |options| {
        Box::new(StateSpaceSdirk4::new(
            options.parametrization.unwrap_or_default(),
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton, MethodOption::Parametrization]),
];

fn newmark(exact: bool, options: &MethodOptions) -> StateSpaceNewmark {
    StateSpaceNewmark::new(
        exact,
        options.newmark.unwrap_or_default(),
        options.parametrization.unwrap_or_default(),
        options.newton.unwrap_or_default(),
    )
}
