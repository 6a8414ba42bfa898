//! The builder of a model from closures.

use super::{ClosureModel, ConstantMass, Constraint, Event, Force, Mass, Output, rows};
use crate::manifold::Manifold;
use crate::scalar::Traced;
use crate::system::{Automatic, EventAction, EventDescription, Point, State};
use std::array::from_fn;
use std::cell::Cell;
use thiserror::Error;

/// A statement that is no system.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StatementError {
    /// There is no mass.
    #[error(
        "the model has no mass: state it by `.mass(m)`, or by `.mass_matrix(|t, q| ...)` if it varies"
    )]
    NoMass,
    /// There is no force.
    #[error("the model has no force: state it by `.force(|t, q, v| ...)`, with zeros if none acts")]
    NoForce,
    /// The mass is stated more than once.
    #[error(
        "the mass of the model is stated {0} times: put the parts together into one `.mass` or `.mass_matrix`"
    )]
    MassRepeated(usize),
    /// A number is infinite or NaN.
    #[error("entry {index} of the {part} is {value}: it must be finite")]
    NonFinite {
        /// What the number belongs to.
        part: &'static str,
        /// Its place, counted from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// The constant mass matrix differs from its transpose.
    #[error(
        "the mass matrix has {entry} at ({row}, {column}) and {mirrored} at ({column}, {row}): it must be symmetric"
    )]
    Asymmetric {
        /// The row, counted from 0.
        row: usize,
        /// The column.
        column: usize,
        /// The entry.
        entry: f64,
        /// That on the other side of the diagonal.
        mirrored: f64,
    },
    /// Two outputs have one name.
    #[error("there are two outputs `{0}`: names tell outputs apart")]
    OutputRepeated(String),
}

/// A system on a vector space, stated by closures: the short way for problems of a size known to the program.
///
/// Takes the initial position q and velocity v at t = 0 s, of `N` coordinates each. Then comes what determines the motion,
///
/// ```text
/// q' = v,   M(t,q) v' = f(t,q,v) + G(t,q)ᵀ λ,   g(t,q) = 0,   b(t,q,v) = 0
/// ```
///
/// mass and force at least; [`build`](Statement::build) makes a [`System`](crate::system::System) of it, which runs with every
/// method. Closures take t and arrays of `N` numbers and return arrays, but for events and outputs: wrong lengths do not compile.
/// The derivatives are exact, see [`Traced`]. Closures may borrow, so the system stays on its thread. An energy by closure
/// sees t, q and v.
///
/// A pendulum of 2 kg on a rod of 1 m:
///
/// ```
/// use liedae::prelude::*;
///
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(2.0)
///     .force(|_t, _q, _v| [0.0, -2.0 * 9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .energy(|_t, [_, y], [u, v]| u * u + v * v + 2.0 * 9.81 * y)
///     .output("angle", |state| state.q[0].atan2(-state.q[1]))
///     .build()?;
/// let method = MethodRegistry::standard().build("radau5", &MethodOptions::default())?;
/// let end = solve(&mut pendulum, method.as_ref(), &Options::adaptive(1.0, 1e-8, 1e-8))?.state;
/// assert!((end.q[0] + 0.986_291_75).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For groups other than R^n, sizes known only at run time, algebraic variables, modes and time events there is
/// [`Model`](crate::system::Model). A `Model` takes the same steps and is faster: closures are run in each evaluation with
/// derivatives, and what they did is then repeated; by closures a pendulum takes 1.6 to 1.8 times as long, eight masses that attract
/// each other 1.4 to 4.5 times (`cargo bench -p liedae --bench closures`).
pub fn model<'a, const N: usize>(position: [f64; N], velocity: [f64; N]) -> Statement<'a, N> {
    let mut initial = State::new(&Manifold::euclidean(N), 0, 0, 0);
    initial.q.copy_from_slice(&position);
    initial.v.copy_from_slice(&velocity);
    Statement {
        masses: Vec::new(),
        model: ClosureModel {
            initial,
            mass: Mass::Constant(Vec::new()),
            forces: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
            energy: None,
            passive: false,
            outputs: Vec::new(),
            events: Vec::new(),
            evaluation: Cell::default(),
            has_kept: Cell::default(),
        },
    }
}

/// What is stated so far of a system on R^N, see [`model`].
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Statement, StatementError};
///
/// // A mass that hangs, with a rope if one is wanted.
/// let build = |roped: bool| {
///     let mass: Statement<1> = liedae::model([0.0], [0.0]).mass(2.0).force(|_t, _q, _v| [-2.0 * 9.81]);
///     if roped { mass.constraint(|_t, [y]| [y]).build() } else { mass.build() }
/// };
/// assert_eq!((build(false)?.layout().rows(), build(true)?.layout().rows()), (0, 1));
/// # Ok::<(), StatementError>(())
/// ```
#[must_use = "`build` makes a system of it"]
pub struct Statement<'a, const N: usize> {
    model: ClosureModel<'a>,
    masses: Vec<Mass<'a>>,
}

impl<'a, const N: usize> Statement<'a, N> {
    /// The initial time in s; 0 by default.
    pub fn starting_at(mut self, t: f64) -> Self {
        self.model.initial.t = t;
        self
    }

    /// A constant mass: one for all coordinates, `[f64; N]` for a diagonal, `[[f64; N]; N]` for a full symmetric matrix. In kg
    /// for positions in m, in kg m² for angles.
    ///
    /// ```
    /// let cart_and_bob = liedae::model([0.0, 0.3], [0.0, 0.0]).mass([2.0, 0.5]);
    /// let coupled = liedae::model([0.0, 0.3], [0.0, 0.0]).mass([[2.5, 0.5], [0.5, 0.5]]);
    /// # let _ = (cart_and_bob, coupled);
    /// ```
    pub fn mass(mut self, mass: impl ConstantMass<N>) -> Self {
        let entries = mass.matrix().into_iter().flatten().collect();
        self.masses.push(Mass::Constant(entries));
        self
    }

    /// A mass matrix M(t, q), row by row, symmetric. The force then has the terms that come from its change (gyroscopic and
    /// centrifugal forces).
    ///
    /// ```
    /// use liedae::scalar::Scalar;
    ///
    /// // A bob of 1 kg at q[1] m along an arm that turns freely: polar coordinates.
    /// let spring = liedae::model([0.0, 1.0], [2.0, 0.0])
    ///     .mass_matrix(|_t, [_, r]| [[r * r, 0.0.into()], [0.0.into(), 1.0.into()]])
    ///     .force(|_t, [_, r], [w, v]| [-2.0 * r * w * v, r * w.powi(2) - 50.0 * (r - 1.0)])
    ///     .build()?;
    /// # Ok::<(), liedae::system::StatementError>(())
    /// ```
    pub fn mass_matrix<R: Into<Traced>>(
        mut self,
        mass: impl Fn(Traced, [Traced; N]) -> [[R; N]; N] + 'a,
    ) -> Self {
        self.masses.push(Mass::Varying(Box::new(move |at, out| {
            write(mass(at.t, array(at.q)).into_iter().flatten(), out);
        })));
        self
    }

    /// A force f(t, q, v) in N on positions, in N m on angles, without constraint forces. Forces stated one after the other
    /// add up.
    pub fn force<R: Into<Traced>>(
        mut self,
        force: impl Fn(Traced, [Traced; N], [Traced; N]) -> [R; N] + 'a,
    ) -> Self {
        let states = self.model.initial.x.len();
        self.model.forces.push(Force {
            function: Box::new(move |at, out| write(force(at.t, array(at.q), array(at.v)), out)),
            states: states..states,
        });
        self
    }

    /// A force with differential states x of its own, which begin at `initial`: the closure of (t, q, v, x) returns
    /// the force and the rates x'.
    ///
    /// ```
    /// // An actuator follows its command, 3 N, with a time constant of 0.1 s.
    /// let slider = liedae::model([0.0], [0.0])
    ///     .mass(1.0)
    ///     .force_with_states([0.0], |_t, _q, [v], [u]| ([u - 0.2 * v], [(3.0 - u) / 0.1]))
    ///     .build()?;
    /// # Ok::<(), liedae::system::StatementError>(())
    /// ```
    pub fn force_with_states<const X: usize, R: Into<Traced>, D: Into<Traced>>(
        mut self,
        initial: [f64; X],
        force: impl Fn(Traced, [Traced; N], [Traced; N], [Traced; X]) -> ([R; N], [D; X]) + 'a,
    ) -> Self {
        let first = self.model.initial.x.len();
        self.model.initial.x.extend(initial);
        let states = first..first + X;
        let own = states.clone();
        self.model.forces.push(Force {
            function: Box::new(move |at, out| {
                let (force, rate) =
                    force(at.t, array(at.q), array(at.v), array(&at.x[own.clone()]));
                let (forces, rates) = out.split_at_mut(N);
                write(force, forces);
                write(rate, rates);
            }),
            states,
        });
        self
    }

    /// Position rows g(t, q) = 0, whose gradients are the directions of the multipliers. More rows follow those stated before.
    pub fn constraint<const ROWS: usize, R: Into<Traced>>(
        mut self,
        constraint: impl Fn(Traced, [Traced; N]) -> [R; ROWS] + 'a,
    ) -> Self {
        let first = rows(&self.model.positions);
        self.model.positions.push(Constraint {
            function: Box::new(move |at, out| write(constraint(at.t, array(at.q)), out)),
            rows: first..first + ROWS,
        });
        self
    }

    /// Velocity rows b(t, q, v) = 0, affine in v (nonholonomic). Their multipliers follow those of all position rows.
    ///
    /// ```
    /// use liedae::scalar::Scalar;
    ///
    /// // A skate on the ice: x, y and heading. It does not slip sideways.
    /// let skate = liedae::model([0.0; 3], [1.0, 0.0, 2.0])
    ///     .mass(1.0)
    ///     .force(|_t, _q, _v| [0.0; 3])
    ///     .velocity_constraint(|_t, [_, _, heading], [u, v, _]| [v * heading.cos() - u * heading.sin()])
    ///     .build()?;
    /// # Ok::<(), liedae::system::StatementError>(())
    /// ```
    pub fn velocity_constraint<const ROWS: usize, R: Into<Traced>>(
        mut self,
        constraint: impl Fn(Traced, [Traced; N], [Traced; N]) -> [R; ROWS] + 'a,
    ) -> Self {
        let first = rows(&self.model.velocities);
        self.model.velocities.push(Constraint {
            function: Box::new(move |at, out| {
                write(constraint(at.t, array(at.q), array(at.v)), out);
            }),
            rows: first..first + ROWS,
        });
        self
    }

    /// The total energy in J. It is reported, and held where [`Automatic::keeping_energy`] asks for it.
    pub fn energy(mut self, energy: impl Fn(f64, [f64; N], [f64; N]) -> f64 + 'a) -> Self {
        let energy = move |at: &Point| energy(at.t, array(at.q), array(at.v));
        self.model.energy = Some(Box::new(energy));
        self
    }

    /// Says that nothing adds energy: forces come from the potential or take energy, and no constraint depends on t
    /// ([`Energy::is_passive`](crate::system::Energy::is_passive)).
    pub fn passive(mut self) -> Self {
        self.model.passive = true;
        self
    }

    /// An output by name. Without any, all coordinates, velocities, differential states and multipliers are outputs.
    pub fn output(mut self, name: impl Into<String>, output: impl Fn(&State) -> f64 + 'a) -> Self {
        self.model.outputs.push(Output {
            name: name.into(),
            function: Box::new(output),
        });
        self
    }

    /// An event where a function of the point passes zero, and what happens there.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae::system::{Direction, EventAction, EventDescription};
    ///
    /// // A ball falls from 1 m and keeps half of its speed at the floor.
    /// let bounce = EventDescription::new("bounce", "floor", Direction::Falling);
    /// let mut ball = liedae::model([1.0], [0.0])
    ///     .mass(1.0)
    ///     .force(|_t, _q, _v| [-9.81])
    ///     .event(bounce, |at| at.q[0], |state| {
    ///         state.v[0] *= -0.5;
    ///         EventAction::Restart
    ///     })
    ///     .build()?;
    /// let method = MethodRegistry::standard().build("dopri5", &MethodOptions::default())?;
    /// let solution = solve(&mut ball, method.as_ref(), &Options::adaptive(0.6, 1e-8, 1e-8))?;
    /// assert_eq!(solution.events.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn event(
        mut self,
        description: EventDescription,
        function: impl Fn(&Point) -> f64 + 'a,
        action: impl Fn(&mut State) -> EventAction + 'a,
    ) -> Self {
        self.model.events.push(Event {
            description,
            function: Box::new(function),
            action: Box::new(action),
        });
        self
    }

    /// The system.
    ///
    /// # Errors
    /// If mass or force are missing, the mass is stated more than once, a constant mass matrix is not symmetric, a number is
    /// not finite, or two outputs have one name. Whether the initial state satisfies the constraints is checked when a run
    /// begins.
    pub fn build(mut self) -> Result<Automatic<ClosureModel<'a>>, StatementError> {
        let stated = self.masses.len();
        if stated > 1 {
            return Err(StatementError::MassRepeated(stated));
        }
        let mut model = self.model;
        model.mass = self.masses.pop().ok_or(StatementError::NoMass)?;
        if model.forces.is_empty() {
            return Err(StatementError::NoForce);
        }
        model.initial.lambda = vec![0.0; rows(&model.positions) + rows(&model.velocities)];
        finite("initial time", &[model.initial.t])?;
        finite("initial position", &model.initial.q)?;
        finite("initial velocity", &model.initial.v)?;
        finite("initial differential states", &model.initial.x)?;
        if let Mass::Constant(entries) = &model.mass {
            finite("mass matrix, row by row,", entries)?;
            symmetric(entries, N)?;
        }
        let mut outputs = model.outputs.iter().map(|output| &output.name).enumerate();
        if let Some((_, name)) = outputs.find(|&(index, name)| {
            model.outputs[..index]
                .iter()
                .any(|other| other.name == *name)
        }) {
            return Err(StatementError::OutputRepeated(name.clone()));
        }
        Ok(Automatic::new(model))
    }
}

/// The array of all numbers of a slice, which is as long.
fn array<T: Copy, const N: usize>(numbers: &[T]) -> [T; N] {
    from_fn(|index| numbers[index])
}

fn write<R: Into<Traced>>(values: impl IntoIterator<Item = R>, out: &mut [Traced]) {
    for (slot, value) in out.iter_mut().zip(values) {
        *slot = value.into();
    }
}

fn finite(part: &'static str, numbers: &[f64]) -> Result<(), StatementError> {
    match numbers
        .iter()
        .enumerate()
        .find(|(_, value)| !value.is_finite())
    {
        Some((index, &value)) => Err(StatementError::NonFinite { part, index, value }),
        None => Ok(()),
    }
}

/// Relative to the entry.
const ROUND_OFF: f64 = 1e-12;

fn symmetric(entries: &[f64], dimension: usize) -> Result<(), StatementError> {
    for (index, &entry) in entries.iter().enumerate() {
        let (row, column) = (index / dimension, index % dimension);
        let mirrored = entries[column * dimension + row];
        // Products of matrices are symmetric to round-off.
        if (entry - mirrored).abs() > ROUND_OFF * entry.abs().max(mirrored.abs()) {
            return Err(StatementError::Asymmetric {
                row,
                column,
                entry,
                mirrored,
            });
        }
    }
    Ok(())
}
