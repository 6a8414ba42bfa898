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

/// When Newton iterations have converged, in words. A tolerance that is asked for replaces the part relative to the unknowns, too:
/// so these are no values of the option.
const SMALL: &str = "1e-10, or 1e-10 of the unknowns";

/// The same where the unknowns are accelerations.
const SMALL_DISPLACEMENT: &str = "1e-10/h² of accelerations, or 1e-10 of the unknowns";

const HALF_IMPLICIT_DEFAULTS: &[(&str, &str)] = &[("newton-tol", SMALL)];

const ALPHA_DEFAULTS: &[(&str, &str)] = &[("newton-tol", "1e-14 of the coordinates: round-off")];

const RADAU5_DEFAULTS: &[(&str, &str)] = &[
    ("index", "2"),
    (
        "newton-tol",
        "the smaller of 0.03 and √rtol in units of the tolerances; round-off with a fixed step",
    ),
    (
        "newton-iterations",
        "50 with a fixed step, 7 with tolerances",
    ),
];

const BDF_DEFAULTS: &[(&str, &str)] = &[
    ("index", "stabilized"),
    (
        "newton-tol",
        "0.01 of the error that may be made; 1e-13 of the unknowns with a fixed step",
    ),
    (
        "newton-iterations",
        "50 with a fixed step, 5 with tolerances",
    ),
];

const BDF_LIE_DEFAULTS: &[(&str, &str)] = &[
    ("index", "3"),
    (
        "newton-tol",
        "1e-3 of the tolerances; 1e-13 of the unknowns with a fixed step",
    ),
];

/// The methods of this crate, in the order in which they are listed.
pub(super) const STANDARD: &[MethodEntry] = &[
    MethodEntry::new(&HalfImplicit::QUASI_NEWTON, |options| {
        let newton = options.newton.unwrap_or_default();
        let method = HalfImplicit::new(NewtonMatrix::OncePerStep, newton);
        Box::new(method.guessing(options.first_guess.unwrap_or_default()))
    })
    .taking(&[MethodOption::Newton, MethodOption::FirstGuess])
    .with_defaults(HALF_IMPLICIT_DEFAULTS),
    MethodEntry::new(&HalfImplicit::FULL_NEWTON, |options| {
        let newton = options.newton.unwrap_or_default();
        let method = HalfImplicit::new(NewtonMatrix::EveryIteration, newton);
        Box::new(method.guessing(options.first_guess.unwrap_or_default()))
    })
    .taking(&[MethodOption::Newton, MethodOption::FirstGuess])
    .with_defaults(HALF_IMPLICIT_DEFAULTS),
    MethodEntry::new(&BackwardEuler::METHOD, |options| {
        let method = BackwardEuler::new(options.newton.unwrap_or_default());
        Box::new(method.with_matrix_at(options.matrix_point.unwrap_or_default()))
    })
    .taking(&[MethodOption::Newton, MethodOption::MatrixPoint])
    .with_defaults(&[("newton-tol", SMALL_DISPLACEMENT)]),
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
    .taking(&[MethodOption::Newton])
    .with_defaults(&[("newton-tol", "1e-15: round-off")]),
    MethodEntry::new(&StormerVerlet::HALF_IMPLICIT, |options| {
        Box::new(StormerVerlet::new(
            Kicks::Explicit,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton])
    .with_defaults(&[("newton-tol", "1e-15: round-off")]),
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
    .taking(ALPHA)
    .with_defaults(ALPHA_DEFAULTS),
    MethodEntry::new(&GeneralizedAlpha::VELOCITY, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Velocity,
            options,
        ))
    })
    .taking(ALPHA)
    .with_defaults(ALPHA_DEFAULTS),
    MethodEntry::new(&GeneralizedAlpha::STABILIZED, |options| {
        Box::new(GeneralizedAlpha::from_options(
            ConstraintLevel::Stabilized,
            options,
        ))
    })
    .taking(ALPHA)
    .with_defaults(ALPHA_DEFAULTS),
    MethodEntry::new(&Radau5::METHOD, |options| {
        Box::new(Radau5::new(
            options.formulation,
            options.newton.unwrap_or_default(),
        ))
    })
    .taking(&[MethodOption::Newton])
    .with_formulations(Radau5::FORMULATIONS)
    .with_defaults(RADAU5_DEFAULTS),
    MethodEntry::new(&Bdf::METHOD, |options| {
        let method = Bdf::new(options.formulation, options.newton.unwrap_or_default());
        Box::new(match options.highest_order {
            Some(order) => method.with_highest_order(order),
            None => method,
        })
    })
    .taking(&[MethodOption::Newton, MethodOption::HighestOrder])
    .with_formulations(Bdf::FORMULATIONS)
    .with_defaults(BDF_DEFAULTS),
    MethodEntry::new(&BdfLie::METHOD, |options| {
        let method = BdfLie::new(options.formulation, options.newton.unwrap_or_default());
        Box::new(match options.steps {
            Some(steps) => method.with_steps(steps),
            None => method,
        })
    })
    .taking(&[MethodOption::Newton, MethodOption::Steps])
    .with_formulations(BdfLie::FORMULATIONS)
    .with_defaults(BDF_LIE_DEFAULTS),
    MethodEntry::new(&StateSpaceNewmark::EXACT, |options| {
        Box::new(newmark(true, options))
    })
    .taking(NEWMARK)
    .with_defaults(&[("newton-tol", SMALL_DISPLACEMENT)]),
    MethodEntry::new(&StateSpaceNewmark::FISETTE_VANEGHEM, |options| {
        Box::new(newmark(false, options))
    })
    .taking(NEWMARK)
    .with_defaults(&[("newton-tol", SMALL_DISPLACEMENT)]),
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
    .taking(&[MethodOption::Newton, MethodOption::Parametrization])
    .with_defaults(&[(
        "newton-tol",
        "1e-12/h of accelerations, or 1e-10 of the unknowns",
    )]),
];

fn newmark(exact: bool, options: &MethodOptions) -> StateSpaceNewmark {
    StateSpaceNewmark::new(
        exact,
        options.newmark.unwrap_or_default(),
        options.parametrization.unwrap_or_default(),
        options.newton.unwrap_or_default(),
    )
}
