//! Options of methods by name, as in `generalized-alpha:rho=0.5`.

use super::{
    FirstGuess, MatrixPoint, MethodOption, MethodOptions, NewmarkConvergence, NewmarkParameters,
    NewmarkPredictor, NewtonOptions, Projection,
};
use crate::system::{Formulation, Parametrization};
use serde::Serialize;
use std::ops::RangeInclusive;
use thiserror::Error;

/// An option that cannot be set from a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// No option has this name.
    #[error("there is no option `{name}` of methods; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names that there are, separated by commas.
        known: String,
    },
    /// The value does not fit.
    #[error("`{name}={value}` is not possible: {name} is {values}")]
    Value {
        /// The option's name.
        name: &'static str,
        /// The text given.
        value: String,
        /// What would be possible.
        values: &'static str,
    },
}

/// Sets an option from a text; `None` if the text does not fit.
type Set = fn(&mut MethodOptions, &str) -> Option<()>;

/// An option by name.
///
/// ```
/// use liedae::integrator::{MethodOption, MethodOptions, NamedOption, named_options};
///
/// // Options as words, as they come from a command line.
/// let found: Option<&NamedOption> = named_options().iter().find(|named| named.option == MethodOption::SpectralRadius);
/// let named = found.ok_or("no such option")?;
/// let mut options = MethodOptions::default();
/// options.set(named.name, "0.5")?;
/// assert_eq!(options.spectral_radius, Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Serialize)]
pub struct NamedOption {
    /// The name.
    pub name: &'static str,
    /// What it is an option of.
    pub option: MethodOption,
    /// The values that it takes.
    pub values: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What it is unless set: a value that it takes, or words. [`MethodEntry::default_of`](super::MethodEntry::default_of) says
    /// it of a method.
    pub default: &'static str,
    #[serde(skip)]
    set: Set,
}

const fn named(
    name: &'static str,
    option: MethodOption,
    values: &'static str,
    meaning: &'static str,
    default: &'static str,
    set: Set,
) -> NamedOption {
    NamedOption {
        name,
        option,
        values,
        meaning,
        default,
        set,
    }
}

static NAMED: &[NamedOption] = &[
    named(
        "projection",
        MethodOption::Projection,
        "every, constraints, never, or the largest |g| that is let pass",
        "when states are put back onto the constraints, and onto the energy of systems that keep it",
        "every",
        |options, text| {
            options.projection = Some(match text {
                "every" => Projection::EveryStep,
                "constraints" => Projection::Constraints,
                "never" => Projection::Never,
                _ => Projection::Above(positive(text)?),
            });
            Some(())
        },
    ),
    named(
        "index",
        MethodOption::Formulation,
        "3, 2, stabilized, 1 or baumgarte",
        "the level at which the constraints are taken",
        "the method's own",
        |options, text| {
            options.formulation = Some(text.parse().ok()?);
            Some(())
        },
    ),
    named(
        "baumgarte",
        MethodOption::Formulation,
        "a positive number in 1/s",
        "Baumgarte's form with this rate, critically damped (index=baumgarte is 10)",
        "not used",
        |options, text| {
            let rate = positive(text)?;
            options.formulation = Some(Formulation::Baumgarte {
                alpha: rate,
                beta: rate,
            });
            Some(())
        },
    ),
    named(
        "newton-tol",
        MethodOption::Newton,
        "a positive number",
        "size of a correction below which Newton iterations end",
        "the method's own",
        |options, text| {
            newton(options).tolerance = Some(positive(text)?);
            Some(())
        },
    ),
    named(
        "newton-iterations",
        MethodOption::Newton,
        "a whole number from 1 to 1000",
        "iterations after which a step has failed",
        "50",
        |options, text| {
            newton(options).max_iterations = whole(text, 1..=1000)?;
            Some(())
        },
    ),
    named(
        "guess",
        MethodOption::FirstGuess,
        "constant, linear or parabolic",
        "how the first guess of a step follows from the last accelerations and multipliers",
        "parabolic",
        |options, text| {
            options.first_guess = Some(match text {
                "constant" => FirstGuess::Constant,
                "linear" => FirstGuess::Linear,
                "parabolic" => FirstGuess::Parabolic,
                _ => return None,
            });
            Some(())
        },
    ),
    named(
        "matrix",
        MethodOption::MatrixPoint,
        "first-iterate or start",
        "where a step evaluates its Newton matrix: at its first iterate, and again when convergence is slow; or at its start, once",
        "first-iterate",
        |options, text| {
            options.matrix_point = Some(match text {
                "first-iterate" => MatrixPoint::FirstIterate,
                "start" => MatrixPoint::StepStart,
                _ => return None,
            });
            Some(())
        },
    ),
    named(
        "rho",
        MethodOption::SpectralRadius,
        "a number from 0 to 1",
        "spectral radius at infinity: 1 damps nothing, 0 everything that is fast",
        "0.8",
        |options, text| {
            options.spectral_radius = Some(between(text, 0.0..=1.0)?);
            Some(())
        },
    ),
    named(
        "hht",
        MethodOption::HhtAlpha,
        "a number from -1/3 to 0",
        "parameter of HHT-alpha, in place of rho",
        "not used",
        |options, text| {
            options.hht_alpha = Some(between(text, -1.0 / 3.0..=0.0)?);
            Some(())
        },
    ),
    named(
        "coordinates",
        MethodOption::Parametrization,
        "partitioning, tangent-plane or null-space",
        "the choice of independent coordinates",
        "partitioning",
        |options, text| {
            options.parametrization = Some(match text {
                "partitioning" => Parametrization::CoordinatePartitioning,
                "tangent-plane" => Parametrization::TangentPlane,
                "null-space" => Parametrization::NullSpace,
                _ => return None,
            });
            Some(())
        },
    ),
    named(
        "beta",
        MethodOption::Newmark,
        "a positive number",
        "Newmark's β of the displacement",
        "0.25",
        |options, text| {
            newmark(options).beta = positive(text)?;
            Some(())
        },
    ),
    named(
        "gamma",
        MethodOption::Newmark,
        "a number of at least 1/2",
        "Newmark's γ of the velocity: 1/2 is of order 2, more damps and is of order 1",
        "0.5",
        |options, text| {
            newmark(options).gamma = between(text, 0.5..=f64::MAX)?;
            Some(())
        },
    ),
    named(
        "predictor",
        MethodOption::Newmark,
        "last-acceleration or extrapolation",
        "where the iteration of a step begins",
        "last-acceleration",
        |options, text| {
            newmark(options).predictor = match text {
                "last-acceleration" => NewmarkPredictor::LastAcceleration,
                "extrapolation" => NewmarkPredictor::Extrapolation,
                _ => return None,
            };
            Some(())
        },
    ),
    named(
        "convergence",
        MethodOption::Newmark,
        "correction or residual",
        "what ends the iteration of a step",
        "correction",
        |options, text| {
            newmark(options).convergence = match text {
                "correction" => NewmarkConvergence::Correction,
                "residual" => NewmarkConvergence::Residual,
                _ => return None,
            };
            Some(())
        },
    ),
    named(
        "theta",
        MethodOption::Theta,
        "a number from 1/2 to 1",
        "θ of the θ-scheme: 1/2 is of order 2 between impacts, 1 damps",
        "0.5",
        |options, text| {
            options.theta = Some(between(text, 0.5..=1.0)?);
            Some(())
        },
    ),
    named(
        "order",
        MethodOption::HighestOrder,
        "a whole number from 1 to 5",
        "the highest order; constant steps have it throughout",
        "5",
        |options, text| {
            options.highest_order = Some(whole(text, 1..=5)?);
            Some(())
        },
    ),
    named(
        "steps",
        MethodOption::Steps,
        "a whole number from 1 to 4",
        "steps of the formula; only two have an error estimate",
        "2",
        |options, text| {
            options.steps = Some(whole(text, 1..=4)?);
            Some(())
        },
    ),
    named(
        "rows",
        MethodOption::Rows,
        "a whole number from 2 to 7",
        "a constant number of rows of the tableau, of twice that order",
        "by the error, from step to step",
        |options, text| {
            options.rows = Some(whole(text, 2..=7)?);
            Some(())
        },
    ),
];

/// All options that have a name.
pub fn named_options() -> &'static [NamedOption] {
    NAMED
}

impl MethodOptions {
    /// Sets the option of this name from a text; says which option it is. Whether a method takes it says
    /// [`MethodEntry::check`](super::MethodEntry::check).
    ///
    /// ```
    /// use liedae::integrator::{MethodOptions, MethodRegistry};
    ///
    /// let mut options = MethodOptions::default();
    /// options.set("rho", "0.5")?;
    /// assert_eq!(options.spectral_radius, Some(0.5));
    /// assert!(options.set("rho", "1.5").is_err() && options.set("radius", "0.5").is_err());
    /// let methods = MethodRegistry::standard();
    /// assert!(methods.build("generalized-alpha", &options).is_ok() && methods.build("hem5", &options).is_err());
    /// # Ok::<(), liedae::integrator::OptionError>(())
    /// ```
    ///
    /// # Errors
    /// No option has this name, or the value does not fit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<MethodOption, OptionError> {
        let Some(named) = NAMED.iter().find(|named| named.name == name) else {
            let known: Vec<&str> = NAMED.iter().map(|named| named.name).collect();
            return Err(OptionError::Unknown {
                name: name.to_owned(),
                known: known.join(", "),
            });
        };
        match (named.set)(self, value) {
            Some(()) => Ok(named.option),
            None => Err(OptionError::Value {
                name: named.name,
                value: value.to_owned(),
                values: named.values,
            }),
        }
    }
}

fn newton(options: &mut MethodOptions) -> &mut NewtonOptions {
    options.newton.get_or_insert_default()
}

fn newmark(options: &mut MethodOptions) -> &mut NewmarkParameters {
    options.newmark.get_or_insert_default()
}

fn between(text: &str, range: RangeInclusive<f64>) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    range.contains(&value).then_some(value)
}

fn positive(text: &str) -> Option<f64> {
    between(text, f64::MIN_POSITIVE..=f64::MAX)
}

fn whole(text: &str, range: RangeInclusive<usize>) -> Option<usize> {
    let value: usize = text.parse().ok()?;
    range.contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::MethodRegistry;
    use crate::model;
    use crate::solve::{Options, solve};

    #[test]
    fn every_option_of_every_method_has_a_name() {
        for entry in &MethodRegistry::standard() {
            for option in entry.options() {
                let found = NAMED.iter().any(|named| named.option == option);
                assert!(found, "{}: {option:?}", entry.method.name);
            }
        }
    }

    /// A pendulum's end by a method with an option, to the last bit.
    fn end(entry: &crate::integrator::MethodEntry, option: Option<(&str, &str)>) -> Vec<u64> {
        let mut options = MethodOptions::default();
        if let Some((name, value)) = option {
            options.set(name, value).expect("fits");
        }
        let method = entry.build(&options).expect("takes it");
        let mut system = model([1.0, 0.0], [0.0, 0.0])
            .mass(1.0)
            .force(|_t, _q, _v| [0.0, -9.81])
            .constraint(|_t, q| [(q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5])
            .build()
            .expect("a pendulum");
        let mut ends = Vec::new();
        let mut kinds = vec![Options::fixed(0.1, 0.01)];
        if entry.method.is_adaptive() {
            kinds.push(Options::adaptive(0.1, 1e-5, 1e-5));
        }
        for kind in kinds {
            let solution = solve(&mut system, method.as_ref(), &kind).expect("a run");
            let state = solution.state.q.iter().chain(&solution.state.v);
            ends.extend(state.map(|value| value.to_bits()));
        }
        ends
    }

    /// What is said to be the default is what runs: asked for, it changes no bit.
    #[test]
    fn defaults_are_what_runs() {
        let mut compared = 0;
        for entry in &MethodRegistry::standard() {
            for named in NAMED.iter().filter(|named| entry.takes(named.option)) {
                let default = entry.default_of(named);
                assert!(!default.is_empty(), "{} {}", entry.method.name, named.name);
                if MethodOptions::default().set(named.name, &default).is_ok() {
                    let asked = end(entry, Some((named.name, &default)));
                    assert_eq!(
                        asked,
                        end(entry, None),
                        "{} {}",
                        entry.method.name,
                        named.name
                    );
                    compared += 1;
                }
            }
        }
        // Projections, Newton iterations, formulations, spectral radii and so on.
        assert!(compared > 30, "{compared}");
    }

    #[test]
    fn texts_that_do_not_fit_are_refused() {
        for (name, value) in [
            ("projection", "-1"),
            ("projection", "nan"),
            ("index", "4"),
            ("baumgarte", "inf"),
            ("newton-tol", "0"),
            ("newton-iterations", "0"),
            ("guess", "cubic"),
            ("matrix", "end"),
            ("rho", "nan"),
            ("hht", "-0.5"),
            ("coordinates", ""),
            ("beta", "0"),
            ("gamma", "0.4"),
            ("predictor", "none"),
            ("convergence", "both"),
            ("theta", "0.4"),
            ("order", "6"),
            ("steps", "-1"),
            ("rows", "1e3"),
        ] {
            let mut options = MethodOptions::default();
            let refused = options.set(name, value).expect_err("does not fit");
            assert!(
                matches!(refused, OptionError::Value { .. }),
                "{name}={value}"
            );
            assert_eq!(options.given().count(), 0, "{name}={value}");
        }
    }
}
