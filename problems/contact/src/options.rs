//! Options of the event-driven scheme.

use thiserror::Error;

/// How impacts in several contacts at once are resolved.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactModel, ImpactLaw, NonsmoothOptions, NonsmoothSystem, with_contacts};
///
/// /// Three balls in a row; the first arrives at the others, which touch each other, with 1 m/s.
/// struct Cradle;
/// # impl Model for Cradle {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(3)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![-0.1, 0.0, 0.0], v: vec![1.0, 0.0, 0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..3 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Cradle {
///     fn contacts(&self) -> Vec<Contact> { (0..2).map(|place| Contact::new(format!("{place}"), 1.0)).collect() }
///     fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S { at.q[contact + 1] - at.q[contact] }
/// }
///
/// for (law, thirds) in [(ImpactLaw::Moreau, [-1.0, 2.0, 2.0]), (ImpactLaw::Sequential, [0.0, 0.0, 3.0])] {
///     let options = NonsmoothOptions { law, ..NonsmoothOptions::default() };
///     let mut system = NonsmoothSystem::new(with_contacts(Cradle), options)?;
///     let end = solve(&mut system, &Radau5::default(), &Options::adaptive(0.2, 1e-8, 1e-8))?.state;
///     assert!(end.v.iter().zip(thirds).all(|(velocity, expected)| (3.0 * velocity - expected).abs() < 1e-9));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// Newton's law in Moreau's form, all closed contacts together (Haddouni et al. 2017, eqs. 2 and 4): 0 ≤ U⁺ + e U⁻ ⟂ P ≥ 0. A
    /// contact at rest has U⁻ = 0 in it, and a separating one is ignored unless the others make it approach. Without friction no
    /// energy is gained. With friction and e > 0 energy may be gained (Kane's paradox), as with any law that prescribes normal
    /// velocities. Three equal balls in touch, the first arriving with v and e = 1, leave with -v/3, 2v/3, 2v/3.
    #[default]
    Moreau,
    /// Poisson's law: compression as with e = 0, then expansion with at least e times the impulse of compression, in all
    /// closed contacts together (Glocker and Pfeiffer 1995, doi:10.1007/BF00045887).
    Poisson,
    /// One contact after the other by Newton's law, the fastest approach first and equal ones in their order, until no
    /// contact approaches. Three equal balls with e = 1 leave with 0, 0, v.
    Sequential,
}

/// The policy for impacts that accumulate at a moment (Zeno).
///
/// With any policy, an impact has e = 0 if its rebound e v is too small to be followed:
///
/// - it is slower than ten times [`Thresholds::velocity`], or
/// - the flight that would follow, 2 e v / a with the acceleration a towards the contact at that moment, is shorter than the
///   location tolerance ([`Options::event_tolerance`](liedae::solve::Options::event_tolerance)), 3.2e-11 s, or 7e-15 of the time
///   since zero. The limit 2 e v / (a (1 - e)) later is reported as an `accumulation`.
///
/// With the mass m that the contact feels, this loses the energy m (e v)² / 2 of that rebound, at most that of ten thresholds
/// or of a T / 2 with the longest time T of these, and a height of less than a T² / 8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accumulation {
    /// The intervals between the impacts of one contact shrink geometrically when its limit is near. As soon as two successive
    /// extrapolations (Aitken) of the limit differ by less than `accuracy`, or by less than a hundredth of the time left, and the
    /// limit is nearer than `remaining`, the contact is closed, and the limit is reported as an event of kind `accumulation`. The
    /// displacement by the remaining impacts would be below `remaining` times the last rebound velocity.
    ///
    /// Series in several contacts are followed each by itself; one that begins anew whenever another contact strikes
    /// is closed as often.
    Close {
        /// Largest difference in s between successive extrapolations.
        accuracy: f64,
        /// Largest time in s from the last impact to the limit.
        remaining: f64,
    },
    /// As soon as the limit is nearer than `remaining`, the event-capturing scheme takes over with steps of `step`. The
    /// event-driven scheme resumes after the limit, when the contact has come to rest or has been in flight for as long as
    /// `remaining`: the hybrid scheme that Haddouni et al. 2017 name as future work. Only [`solve_hybrid`](crate::solve_hybrid)
    /// does so; other runs stop there.
    Capture {
        /// Largest time in s from the last impact to the limit.
        remaining: f64,
        /// Step of the event-capturing scheme in s.
        step: f64,
    },
    /// Every impact is resolved as long as its rebound can be followed.
    Resolve,
}

impl Default for Accumulation {
    /// `Close` with 1e-10 s and 1e-6 s.
    fn default() -> Self {
        Self::Close {
            accuracy: 1e-10,
            remaining: 1e-6,
        }
    }
}

/// The sizes below which gaps, velocities and forces count as zero: τ_0 to τ_3 of Haddouni et al. 2017, sec. 2.3.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, Thresholds, with_contacts};
///
/// /// A ball that falls from 1 m and keeps half its velocity at each impact.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// // Where 1 cm/s counts as rest, it takes fewer impacts until then.
/// let impacts = |velocity| -> Result<usize, Box<dyn std::error::Error>> {
///     let thresholds = Thresholds { velocity, ..Thresholds::scaled(1.0, 1.0) };
///     let options = NonsmoothOptions { thresholds, ..NonsmoothOptions::default() };
///     let mut system = NonsmoothSystem::new(with_contacts(Ball), options)?;
///     let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
///     Ok(solution.events.iter().filter(|event| event.kind == "impact").count())
/// };
/// assert!(impacts(1e-2)? < impacts(1e-7)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// τ_0 in m: a contact with a smaller gap is closed (I_1).
    pub gap: f64,
    /// τ_1 in m/s: a closed contact with a smaller rate of the gap may stay closed (I_2), and slower sliding is sticking. A
    /// rebound of this size must not drown in the round-off of positions: its height is τ_1² / (2 a).
    pub velocity: f64,
    /// τ_2 in m/s²: smaller accelerations of the gap count as none.
    pub acceleration: f64,
    /// τ_3, relative to the forces that act on the gap of the contact at the last event, summed up without their signs: a
    /// contact opens when its force falls below minus this, so that a force that begins at zero does not open it. The
    /// least is what accelerates the gap by τ_2 / 100.
    pub force: f64,
    /// Penetration in m beyond which a state is refused.
    pub penetration: f64,
}

impl Thresholds {
    /// Thresholds for a problem of this characteristic length in m and time in s.
    pub fn scaled(length: f64, time: f64) -> Self {
        Self {
            gap: 1e-10 * length,
            velocity: 1e-7 * length / time,
            acceleration: 1e-8 * length / (time * time),
            force: 1e-11,
            penetration: 1e-6 * length,
        }
    }
}

/// A contact without load, such as one of equal pendulums that swing together, is not released by round-off of its force: that is
/// less than this share of the force for the threshold acceleration.
const WEIGHTLESS: f64 = 1e-2;

impl Thresholds {
    /// The tolerance by which a force exceeds its limit when a contact opens or a joint slips. `scale` is the sum of the absolute
    /// terms of the force, `mobility` the acceleration along it by a unit force.
    pub(crate) fn force_margin(&self, scale: f64, mobility: f64) -> f64 {
        let weightless = if mobility > 0.0 {
            WEIGHTLESS * (self.acceleration / mobility)
        } else {
            0.0
        };
        weightless.max(self.force * scale)
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self::scaled(1.0, 1.0)
    }
}

/// Options of a [`NonsmoothSystem`](crate::NonsmoothSystem).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NonsmoothOptions {
    /// The law of impact.
    pub law: ImpactLaw,
    /// The policy for accumulating impacts.
    pub accumulation: Accumulation,
    /// The sizes that count as zero.
    pub thresholds: Thresholds,
}

/// Invalid options.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactModel, NonsmoothError, NonsmoothOptions, NonsmoothOptionsError};
/// use liedae_contact::{NonsmoothSystem, Thresholds, with_contacts};
///
/// /// A ball above a floor.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// // With a threshold of zero nothing would count as closed.
/// let thresholds = Thresholds { gap: 0.0, ..Thresholds::default() };
/// let options = NonsmoothOptions { thresholds, ..NonsmoothOptions::default() };
/// let Err(NonsmoothError::Options(error)) = NonsmoothSystem::new(with_contacts(Ball), options) else {
///     panic!("it is refused")
/// };
/// assert_eq!(error, NonsmoothOptionsError { name: "gap threshold", value: 0.0 });
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
#[error("the {name} of a nonsmooth system must be a positive number, not {value}")]
pub struct NonsmoothOptionsError {
    /// Which number.
    pub name: &'static str,
    /// What was given.
    pub value: f64,
}

impl NonsmoothOptions {
    pub(crate) fn check(&self) -> Result<(), NonsmoothOptionsError> {
        let thresholds = &self.thresholds;
        let mut numbers = vec![
            ("gap threshold", thresholds.gap),
            ("velocity threshold", thresholds.velocity),
            ("acceleration threshold", thresholds.acceleration),
            ("force threshold", thresholds.force),
            ("largest penetration", thresholds.penetration),
        ];
        match self.accumulation {
            Accumulation::Close {
                accuracy,
                remaining,
            } => numbers.extend([
                ("accuracy of an accumulation", accuracy),
                ("remaining time of an accumulation", remaining),
            ]),
            Accumulation::Capture { remaining, step } => numbers.extend([
                ("remaining time of an accumulation", remaining),
                ("step of the event-capturing scheme", step),
            ]),
            Accumulation::Resolve => {}
        }
        match numbers
            .into_iter()
            .find(|(_, value)| !(*value > 0.0 && value.is_finite()))
        {
            Some((name, value)) => Err(NonsmoothOptionsError { name, value }),
            None => Ok(()),
        }
    }
}
