//! How exact steps are to be.

use thiserror::Error;

/// A tolerance for all components alike, or one for each.
///
/// ```
/// use liedae::control::{PerComponent, Tolerances};
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::StepControl;
///
/// // In each step 1 nm is allowed for the place, and 1 cm/s for the velocity.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let absolute = PerComponent::Each(vec![1e-9, 1e-2]);
/// let tolerances = Tolerances { relative: PerComponent::Uniform(0.0), absolute };
/// let control = StepControl::Adaptive { tolerances, controller: None, initial_step: None };
/// let run = solve(&mut oscillator, &Dopri5::default(), &Options::new(1.0, control))?;
/// // All steps together.
/// assert!((run.state.q[0] - 10.0_f64.cos()).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum PerComponent {
    /// The same number everywhere.
    Uniform(f64),
    /// One number per component: local coordinates of q, then v, then x.
    Each(Vec<f64>),
}

impl From<f64> for PerComponent {
    fn from(value: f64) -> Self {
        Self::Uniform(value)
    }
}

/// Relative and absolute tolerance.
///
/// ```
/// use liedae::control::Tolerances;
///
/// let tolerances = Tolerances::uniform(1e-8, 1e-10);
/// assert_ne!(tolerances, Tolerances::default());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    /// Relative tolerance.
    pub relative: PerComponent,
    /// Absolute tolerance, in the units of the component.
    pub absolute: PerComponent,
}

impl Tolerances {
    /// The same relative and absolute tolerance for all components.
    pub fn uniform(relative: f64, absolute: f64) -> Self {
        Self {
            relative: relative.into(),
            absolute: absolute.into(),
        }
    }

    /// Whether no component has a larger relative tolerance than this.
    pub fn relative_is_at_most(&self, bound: f64) -> bool {
        match &self.relative {
            PerComponent::Uniform(relative) => *relative <= bound,
            PerComponent::Each(list) => list.iter().all(|&relative| relative <= bound),
        }
    }
}

impl Default for Tolerances {
    fn default() -> Self {
        Self::uniform(1e-6, 1e-6)
    }
}

/// A tolerance that cannot be used.
///
/// ```
/// use liedae::control::ToleranceError;
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::{OptionsError, SolveErrorKind};
///
/// // Without any tolerance no step is good enough.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let Err(error) = solve(&mut oscillator, &Dopri5::default(), &Options::adaptive(1.0, 0.0, 0.0)) else {
///     panic!("no step is exact")
/// };
/// let expected = OptionsError::Tolerance(ToleranceError::Zero { component: 0 });
/// assert!(matches!(error.kind, SolveErrorKind::Options(error) if error == expected));
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ToleranceError {
    /// Negative, NaN or infinite.
    #[error("the {which} tolerance must be a finite number >= 0, not {value}")]
    Invalid {
        /// `relative` or `absolute`.
        which: &'static str,
        /// The offending number.
        value: f64,
    },
    /// Both tolerances vanish for some component.
    #[error(
        "relative and absolute tolerance are both zero for component {component}: no step can be accepted"
    )]
    Zero {
        /// The component, counted over q, v, x.
        component: usize,
    },
    /// A list of the wrong length.
    #[error(
        "the list of {which} tolerances has {found} entries; the system has {expected} components (q, v, x)"
    )]
    Length {
        /// `relative` or `absolute`.
        which: &'static str,
        /// Its length.
        found: usize,
        /// Components of the system.
        expected: usize,
    },
}
