//! Forces with differential states of their own, x' = d.

use super::body::BodyId;
use super::error::AssemblyError;
use super::force::ForceScalar;
use super::kinematics::{Kinematics, PAIR, VELOCITIES, Wrench};
use super::layout::{PairPlaces, add_derivatives};
use liedae::scalar::{Dual, Scalar};
use liedae::system::{EvaluationError, Function, Layout, Point, RatesJacobian};

/// A force between two bodies (either may be the ground) with `STATES` differential states x' = d(t, bodies, x): a
/// pressure, a hysteresis, a controller.
///
/// Written once, generically; the derivatives that implicit integrators need follow exactly, by duals.
///
/// A hydraulic cylinder whose oil is compressed: p' = E A / V of the piston's velocity. With a mass it is an oscillator of
/// angular frequency A √(E / (m V)):
///
/// ```
/// use liedae::prelude::*;
/// use liedae::scalar::Scalar;
/// use liedae_multibody::{
///     BodyId, Joint, Kinematics, MultibodyBuilder, RigidBody, Snapshot, StateForce, Wrench,
/// };
///
/// /// A cylinder along x between the ground and a piston: area in m², E / V in Pa/m³, pressure at the start in Pa.
/// struct Cylinder { area: f64, compression: f64, pressure: f64 }
///
/// impl StateForce<1> for Cylinder {
///     fn states(&self) -> [(&'static str, f64); 1] {
///         [("pressure", self.pressure)]
///     }
///     fn evaluate<S: Scalar>(
///         &self, _t: f64, [_, piston]: &[Kinematics<S>; 2], [pressure]: &[S; 1],
///     ) -> ([Wrench<S>; 2], [S; 1]) {
///         let mut push = Wrench::zero();
///         push.force.x = *pressure * self.area;
///         ([Wrench::zero(), push], [piston.velocity.x * (-self.compression * self.area)])
///     }
/// }
///
/// let mut mechanism = MultibodyBuilder::new();
/// let piston = mechanism.add_body(RigidBody::new("piston", 2.0, [1.0; 3]));
/// mechanism.add_joint(Joint::translational("guide", BodyId::GROUND, piston, [0.0; 3], [1.0, 0.0, 0.0]));
/// let oil = Cylinder { area: 1e-3, compression: 2e9, pressure: 5e3 };
/// mechanism.add_state_force("oil", BodyId::GROUND, piston, oil);
/// let mut system = mechanism.build()?;
/// assert_eq!(system.describe().states, ["oil.pressure"]);
///
/// let method = liedae_contact::methods().build("dop853", &MethodOptions::default())?;
/// let end = solve(&mut system, method.as_ref(), &Options::adaptive(0.1, 1e-10, 1e-10))?.state;
/// let frequency = 1e-3 * (2e9_f64 / 2.0).sqrt();
/// let pressure = Snapshot::new(&system, &end).force_states("oil")[0];
/// assert!((pressure - 5e3 * (frequency * 0.1).cos()).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait StateForce<const STATES: usize>: Send + Sync {
    /// Names of the states, each with its initial value.
    fn states(&self) -> [(&'static str, f64); STATES];

    /// Force (N, world frame, at the centre of mass) and torque (N m, body frame) on each body, and the rates of the states
    /// in their units per second.
    fn evaluate<S: Scalar>(
        &self,
        t: f64,
        bodies: &[Kinematics<S>; 2],
        x: &[S; STATES],
    ) -> ([Wrench<S>; 2], [S; STATES]);

    /// Potential energy in J, where there is one.
    fn potential(&self, _t: f64, _bodies: &[Kinematics; 2], _x: &[f64; STATES]) -> f64 {
        0.0
    }
}

/// A row of derivatives by the states of an element: of component 0 to 11 of the wrenches, then of the rates.
type Row<'a> = dyn FnMut(usize, &[f64]) + 'a;

/// The object-safe face of [`StateForce`].
pub(crate) trait ErasedStateForce: Send + Sync {
    fn states(&self) -> Vec<(&'static str, f64)>;
    fn values(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64], rates: &mut [f64])
    -> [Wrench; 2];
    fn by_motion(
        &self,
        t: f64,
        bodies: &[Kinematics<ForceScalar>; 2],
        x: &[f64],
        rates: &mut dyn FnMut(usize, &[f64; PAIR]),
    ) -> [Wrench<ForceScalar>; 2];
    fn by_states(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64], rows: &mut Row);
    fn energy(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64]) -> f64;
}

/// Makes the number of states a part of the type, which [`StateForce`] alone does not.
pub(crate) struct WithStates<F, const STATES: usize>(pub F);

/// The states of an element; NaN where there are too few.
fn read<const STATES: usize>(x: &[f64]) -> [f64; STATES] {
    std::array::from_fn(|index| x.get(index).copied().unwrap_or(f64::NAN))
}

impl<F: StateForce<STATES>, const STATES: usize> ErasedStateForce for WithStates<F, STATES> {
    fn states(&self) -> Vec<(&'static str, f64)> {
        self.0.states().into()
    }

    fn values(
        &self,
        t: f64,
        bodies: &[Kinematics; 2],
        x: &[f64],
        rates: &mut [f64],
    ) -> [Wrench; 2] {
        let (wrenches, own) = self.0.evaluate(t, bodies, &read(x));
        for (slot, rate) in rates.iter_mut().zip(own) {
            *slot = rate;
        }
        wrenches
    }

    fn by_motion(
        &self,
        t: f64,
        bodies: &[Kinematics<ForceScalar>; 2],
        x: &[f64],
        rates: &mut dyn FnMut(usize, &[f64; PAIR]),
    ) -> [Wrench<ForceScalar>; 2] {
        let x: [f64; STATES] = read(x);
        let (wrenches, own) = self.0.evaluate(t, bodies, &x.map(Dual::constant));
        for (index, rate) in own.iter().enumerate() {
            rates(index, &rate.gradient);
        }
        wrenches
    }

    fn by_states(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64], rows: &mut Row) {
        let x: [f64; STATES] = read(x);
        let x: [Dual<STATES>; STATES] =
            std::array::from_fn(|index| Dual::variable(x[index], index));
        let bodies = [bodies[0].constant(), bodies[1].constant()];
        // Once more with duals in the states: motion and states are differentiated apart.
        let (wrenches, own) = self.0.evaluate(t, &bodies, &x);
        for (side, wrench) in wrenches.iter().enumerate() {
            for component in 0..VELOCITIES {
                let entry = wrench.entry(component);
                rows(side * VELOCITIES + component, &entry.gradient);
            }
        }
        for (index, rate) in own.iter().enumerate() {
            rows(PAIR + index, &rate.gradient);
        }
    }

    fn energy(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64]) -> f64 {
        self.0.potential(t, bodies, &read(x))
    }
}

/// A [`StateForce`] in an assembled mechanism.
pub(crate) struct StateElement {
    pub name: String,
    pub bodies: [Option<usize>; 2],
    pub law: Box<dyn ErasedStateForce>,
    /// Its states among the differential ones.
    pub range: std::ops::Range<usize>,
    /// Where the wrenches' derivatives by the bodies go.
    pair: PairPlaces,
    /// Where the rates' derivatives by each body start, for every state.
    by_body: Vec<[Option<usize>; 2]>,
    /// Where the derivatives by the states start: of the wrenches' twelve components, then of the rates.
    by_state: Vec<Option<usize>>,
}

impl StateElement {
    pub fn new(
        name: String,
        bodies: [Option<usize>; 2],
        law: Box<dyn ErasedStateForce>,
        range: std::ops::Range<usize>,
        layout: &Layout,
    ) -> Self {
        let (rates, first) = (&layout.rates, layout.dimension());
        let rows = range.clone().map(|state| first + state);
        let at = |row: usize, column: usize| rates.position(row, column);
        let start = |row: usize, body: Option<usize>| at(row, VELOCITIES * body?);
        let by_body = rows
            .clone()
            .map(|row| bodies.map(|body| start(row, body)))
            .collect();
        let column = first + range.start;
        let components = (0..PAIR).map(|index| {
            let body = bodies[index / VELOCITIES]?;
            at(VELOCITIES * body + index % VELOCITIES, column)
        });
        let by_state = components.chain(rows.map(|row| at(row, column))).collect();
        Self {
            pair: PairPlaces::new(rates, &bodies),
            name,
            bodies,
            law,
            range,
            by_body,
            by_state,
        }
    }

    fn at(&self, at: &Point) -> [Kinematics; 2] {
        self.bodies.map(|body| Kinematics::read(body, at.q, at.v))
    }

    /// Its states; none where the point has none.
    fn own<'a>(&self, x: &'a [f64]) -> &'a [f64] {
        x.get(self.range.clone()).unwrap_or(&[])
    }

    /// Adds the force and writes the rates of the states.
    pub fn add_rates(
        &self,
        at: &Point,
        forces: &mut [f64],
        states: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let rates = &mut states[self.range.clone()];
        let wrenches = self.law.values(at.t, &self.at(at), self.own(at.x), rates);
        let mut numbers = wrenches
            .iter()
            .flat_map(|wrench| wrench.force.iter().chain(wrench.torque.iter()))
            .chain(rates.iter());
        if !numbers.all(|number| number.is_finite()) {
            return Err(EvaluationError::Failed {
                function: Function::Rates,
                t: at.t,
                reason: format!(
                    "'{}' or the rate of one of its states is not finite",
                    self.name
                ),
            });
        }
        for (wrench, body) in wrenches.iter().zip(self.bodies) {
            wrench.add_to(body, forces);
        }
        Ok(())
    }

    /// Adds all derivatives.
    pub fn add_derivatives(&self, at: &Point, out: &mut RatesJacobian) {
        let (bodies, x) = (self.at(at), self.own(at.x));
        let [one, two] = &bodies;
        let moved = [one.displaced(0), two.displaced(VELOCITIES)];
        let faster = [one.accelerated(0), two.accelerated(VELOCITIES)];
        for (bodies, values) in [
            (&moved, &mut out.by_position),
            (&faster, &mut out.by_velocity),
        ] {
            // Rates of the states by motion, row by row; wrenches come back as a whole.
            let wrenches = self.law.by_motion(at.t, bodies, x, &mut |state, gradient| {
                for (start, part) in self.by_body[state].iter().zip(gradient.chunks(VELOCITIES)) {
                    add(*start, part, values);
                }
            });
            add_derivatives(&self.pair, &wrenches, values);
        }
        let values = &mut out.by_position;
        self.law.by_states(at.t, &bodies, x, &mut |row, gradient| {
            add(self.by_state[row], gradient, values);
        });
    }

    pub fn energy(&self, at: &Point) -> f64 {
        self.law.energy(at.t, &self.at(at), self.own(at.x))
    }
}

/// Adds entries that follow each other.
fn add(start: Option<usize>, part: &[f64], values: &mut [f64]) {
    let Some(start) = start else { return };
    for (slot, value) in values[start..].iter_mut().zip(part) {
        *slot += value;
    }
}

/// A named force element with states before assembly.
pub(crate) struct NamedStateForce {
    pub name: String,
    pub bodies: [BodyId; 2],
    pub law: Box<dyn ErasedStateForce>,
}

impl NamedStateForce {
    /// Checks the states: there are some, with names of their own and finite initial values.
    pub fn check(&self) -> Result<Vec<(&'static str, f64)>, AssemblyError> {
        let states = self.law.states();
        if states.is_empty() {
            return Err(AssemblyError::NoStates {
                element: self.name.clone(),
            });
        }
        for (index, (name, value)) in states.iter().enumerate() {
            if !value.is_finite() {
                return Err(AssemblyError::NotFinite {
                    what: format!("the initial value of '{}.{name}'", self.name),
                    element: Some(self.name.clone()),
                });
            }
            if states[..index].iter().any(|(other, _)| other == name) {
                return Err(AssemblyError::DuplicateName {
                    kind: "state",
                    name: format!("{}.{name}", self.name),
                });
            }
        }
        Ok(states)
    }
}
