//! The record of an impact: impulses and velocities.

use liedae::solve::EventRecord;
use liedae::system::Quantity;

/// What happened in a contact at an impact.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactEvent, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};
///
/// /// A ball that falls from 1 m.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State { State { q: vec![1.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) { mass[(0, 0)] = S::constant(1.0); }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-9.81); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// let mut system = NonsmoothSystem::new(with_contacts(Ball), NonsmoothOptions::default())?;
/// let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
/// let solution = solve(&mut system, method.as_ref(), &Options::adaptive(0.5, 1e-8, 1e-8))?;
/// let impact = ContactEvent::of(&solution.events[0]).expect("it strikes the floor");
/// assert!((impact.velocity_after + 0.5 * impact.velocity_before).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactEvent {
    /// Whether the gap is an angle (of a joint's stop): impulses are in N m s then, rates in rad/s.
    pub angular: bool,
    /// Normal impulse in N s.
    pub impulse: f64,
    /// Impulse of friction in N s, in both directions of the contact plane.
    pub friction_impulse: [f64; 2],
    /// Rate of the gap before, in m/s.
    pub velocity_before: f64,
    /// Rate of the gap after, in m/s.
    pub velocity_after: f64,
}

/// Names of the numbers.
const NAMES: [&str; 5] = [
    "impulse",
    "first friction impulse",
    "second friction impulse",
    "gap rate before",
    "gap rate after",
];

const ANGULAR_IMPULSE: &str = "N m s";

impl ContactEvent {
    /// What an event says of a contact; `None` if it was no impact.
    pub fn of(event: &EventRecord) -> Option<Self> {
        let first = event
            .quantities
            .iter()
            .find(|quantity| quantity.name == NAMES[0])?;
        let mut values = [0.0; 5];
        for (value, name) in values.iter_mut().zip(NAMES) {
            *value = event.quantity(name)?;
        }
        let [
            impulse,
            friction,
            second_friction,
            velocity_before,
            velocity_after,
        ] = values;
        Some(Self {
            angular: first.unit == ANGULAR_IMPULSE,
            impulse,
            friction_impulse: [friction, second_friction],
            velocity_before,
            velocity_after,
        })
    }

    /// The numbers by name.
    pub fn quantities(&self) -> Vec<Quantity> {
        let (impulse, rate) = self.units();
        let [first, second] = self.friction_impulse;
        let values = [
            (self.impulse, impulse),
            (first, impulse),
            (second, impulse),
            (self.velocity_before, rate),
            (self.velocity_after, rate),
        ];
        // An array first: its length is known where memory is asked for.
        let named: [Quantity; 5] = std::array::from_fn(|index| {
            let (value, unit) = values[index];
            let name = NAMES[index];
            Quantity { name, value, unit }
        });
        named.into()
    }

    /// Units of impulses and rates.
    pub fn units(&self) -> (&'static str, &'static str) {
        if self.angular {
            (ANGULAR_IMPULSE, "rad/s")
        } else {
            ("N s", "m/s")
        }
    }
}
