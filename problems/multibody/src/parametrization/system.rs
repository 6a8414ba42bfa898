//! A mechanism in coordinates of its rotations: how it is laid out, and its states.

use super::Rotation;
use super::chart::{Chart, MOST, Map, product};
use super::plan::{Plan, Sizes, position};
use crate::drawing::Drawing;
use crate::kinematics::{COORDINATES, VELOCITIES};
use crate::{AssemblyError, MultibodySystem};
use liedae::system::{EvaluationError, EventResponse, Layout, Point, RatesJacobian, State, System};
use nalgebra::Matrix3;

/// A [`MultibodySystem`] in Euler parameters or Euler angles; equations, source and advice are in the
/// [module's documentation](super).
///
/// Per body the configuration is (r, s) and the velocity (r', s'), `q[k i..k i + k]` with k = 7 for Euler parameters and
/// 6 for Euler angles. Position rows are those of the joints, then pᵀp - 1 of every body; outputs see the multipliers of
/// the joints. All derivatives are exact, and nothing is allocated in an evaluation.
///
/// ```
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Rotation};
///
/// let mut mechanism = MultibodyBuilder::new();
/// let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [0.1; 3]).at([1.0, 0.0, 0.0]));
/// mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0]));
/// // The box holds a Parametrized: r and p, and a row more than the joint has.
/// let system = mechanism.build()?.with_rotation(Rotation::EulerParameters)?;
/// assert_eq!((system.layout().dimension(), system.layout().rows()), (7, 6));
/// assert_eq!(system.initial_state().q, [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
pub struct Parametrized {
    pub(super) inner: MultibodySystem,
    pub(super) layout: Layout,
    pub(super) initial: State,
    pub(super) sizes: Sizes,
    pub(super) plans: Plans,
    pub(super) bodies: Vec<Turned>,
    pub(super) work: Work,
}

/// Places and coordinates of one body's rotation.
pub(super) struct Turned {
    pub(super) chart: Chart,
    pub(super) inertia: Matrix3<f64>,
    pub(super) mass: f64,
    /// c in the term c p pᵀ of the mass matrix; 0 for angles.
    pub(super) augmentation: f64,
    /// Positions of the masses in the mass matrix.
    pub(super) mass_at: [usize; 3],
    /// Positions of the rows of the rotation's block in the mass matrix, the rates and the stiffness.
    pub(super) block_at: [[usize; MOST]; 3],
    /// Position of the first entry of the row pᵀp - 1, which holds no others, in the Jacobian.
    pub(super) norm_at: Option<usize>,
}

pub(super) struct Plans {
    pub(super) jacobian: Plan,
    pub(super) rates: Plan,
    pub(super) stiffness: Plan,
}

/// The point and matrices of the mechanism itself.
pub(super) struct Work {
    pub(super) state: State,
    /// T per body.
    pub(super) maps: Vec<Map>,
    /// T' s' per body, zero for r: 6 numbers each.
    pub(super) bias: Vec<f64>,
    /// ∂(T u)/∂s per body for the velocity u = s'.
    pub(super) slopes: Vec<Map>,
    /// ∂(T s'' + T' s')/∂s per body.
    pub(super) level_slopes: Vec<Map>,
    /// ∂(T' s')/∂s' per body.
    pub(super) rate_slopes: Vec<Map>,
    pub(super) rates: Vec<f64>,
    pub(super) derivatives: RatesJacobian,
    pub(super) jacobian: Vec<f64>,
    pub(super) by_position: Vec<f64>,
    pub(super) by_velocity: Vec<f64>,
    pub(super) stiffness: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
    pub(super) force: Vec<f64>,
}

fn three(from: &[f64]) -> [f64; 3] {
    [from[0], from[1], from[2]]
}

impl Parametrized {
    /// States a mechanism in Euler angles, or in Euler parameters if anything else is asked for.
    pub(crate) fn new(inner: MultibodySystem, rotation: Rotation) -> Result<Self, AssemblyError> {
        if !inner.contacts.places.is_empty() {
            return Err(AssemblyError::ContactRotation);
        }
        if !(inner.flexible.is_empty() && inner.ancf.is_empty()) {
            return Err(AssemblyError::ModalRotation);
        }
        if !inner.guides.is_empty() {
            return Err(AssemblyError::FrictionRotation);
        }
        if inner.layout.velocity_rows > 0 {
            return Err(AssemblyError::NonholonomicRotation);
        }
        let initial = inner.initial_state();
        let charts: Vec<Chart> = (0..inner.bodies.len())
            .map(|body| {
                let mut matrix = [0.0; 9];
                matrix
                    .copy_from_slice(&initial.q[COORDINATES * body + 3..COORDINATES * (body + 1)]);
                Chart::choose(
                    rotation,
                    &matrix,
                    &three(&initial.v[VELOCITIES * body + 3..]),
                )
            })
            .collect();
        let normalized = rotation != Rotation::EulerAngles;
        let sizes = Sizes {
            bodies: charts.len(),
            rotation: if normalized { 4 } else { 3 },
            rows: inner.layout.rows(),
            normalized,
        };
        let layout = sizes.layout(&inner.layout)?;
        let stiff = |layout: &Layout| {
            let pattern = layout.stiffness_pattern();
            pattern.map_err(|error| AssemblyError::Layout(error.to_string()))
        };
        let (own_stiffness, stiffness) = (stiff(&inner.layout)?, stiff(&layout)?);
        let plans = Plans {
            jacobian: sizes.constraints(&inner.layout.jacobian, &layout.jacobian)?,
            rates: sizes.square(&inner.layout.rates, &layout.rates)?,
            stiffness: sizes.square(&own_stiffness, &stiffness)?,
        };
        let mut bodies = Vec::with_capacity(charts.len());
        for (index, (chart, body)) in charts.into_iter().zip(&inner.bodies).enumerate() {
            let turning = sizes.turning(index);
            let mut block_at = [[0; MOST]; 3];
            for (places, pattern) in
                block_at
                    .iter_mut()
                    .zip([&layout.mass, &layout.rates, &stiffness])
            {
                for (place, row) in places.iter_mut().zip(turning.clone()) {
                    *place = position(pattern, row, turning.start)?;
                }
            }
            let mut mass_at = [0; 3];
            for (axis, place) in mass_at.iter_mut().enumerate() {
                let at = sizes.per_body() * index + axis;
                *place = position(&layout.mass, at, at)?;
            }
            // Any c > 0 makes Tᵀ J T + c p pᵀ regular; this one is of the size of its other eigenvalues.
            let (augmentation, norm_at) = if normalized {
                let place = position(&layout.jacobian, sizes.rows + index, turning.start)?;
                (4.0 / 3.0 * body.inertia.trace(), Some(place))
            } else {
                (0.0, None)
            };
            bodies.push(Turned {
                chart,
                inertia: body.inertia,
                mass: body.mass,
                augmentation,
                mass_at,
                block_at,
                norm_at,
            });
        }
        let count = bodies.len();
        let velocities = inner.layout.dimension();
        let work = Work {
            state: initial.clone(),
            maps: vec![Map::default(); count],
            bias: vec![0.0; velocities],
            slopes: vec![Map::default(); count],
            level_slopes: vec![Map::default(); count],
            rate_slopes: vec![Map::default(); count],
            rates: vec![0.0; inner.layout.rate_count()],
            derivatives: RatesJacobian::new(&inner.layout),
            jacobian: vec![0.0; inner.layout.jacobian.nnz()],
            by_position: vec![0.0; inner.layout.jacobian.nnz()],
            by_velocity: vec![0.0; inner.layout.jacobian.nnz()],
            stiffness: vec![0.0; own_stiffness.nnz()],
            acceleration: vec![0.0; velocities],
            force: vec![0.0; velocities],
        };
        let mut system = Self {
            initial: layout.state(),
            inner,
            layout,
            sizes,
            plans,
            bodies,
            work,
        };
        let mut state = system.layout.state();
        system.express(&initial, &mut state);
        system.initial = state;
        Ok(system)
    }

    /// The mechanism itself.
    pub fn mechanism(&self) -> &MultibodySystem {
        &self.inner
    }

    /// The mechanism's drawing, for states in these coordinates.
    pub fn drawing(&self) -> Drawing {
        let charts: Vec<Chart> = self.bodies.iter().map(|body| body.chart).collect();
        let size = self.sizes.per_body();
        self.inner.drawing_by(move |state, poses| {
            let bodies = state.q.chunks_exact(size).zip(&charts);
            for (pose, (q, chart)) in poses.iter_mut().zip(bodies) {
                pose.position.copy_from_slice(&q[..3]);
                pose.rotation = chart.matrix(&chart.read(&q[3..]));
            }
        })
    }

    /// A state in rotation matrices, with accelerations and the multipliers of the joints, from one of this system.
    pub fn in_matrices(&mut self, state: &State) -> &State {
        self.convert_state(state);
        &self.work.state
    }

    /// Writes a state of the mechanism itself in these coordinates: everything but accelerations and the multipliers of
    /// pᵀp - 1.
    fn express(&self, own: &State, out: &mut State) {
        let size = self.sizes.per_body();
        for (index, body) in self.bodies.iter().enumerate() {
            let (q, v) = (&own.q[COORDINATES * index..], &own.v[VELOCITIES * index..]);
            let mut matrix = [0.0; 9];
            matrix.copy_from_slice(&q[3..COORDINATES]);
            // Coordinates from the matrix, then rates at these coordinates.
            let s = body.chart.coordinates(&matrix);
            let rates = body.chart.rates(&s, &three(&v[3..]));
            let (to, rate) = (&mut out.q[size * index..], &mut out.v[size * index..]);
            to[..3].copy_from_slice(&q[..3]);
            rate[..3].copy_from_slice(&v[..3]);
            let turning = 3..size;
            to[turning.clone()].copy_from_slice(&s[..size - 3]);
            rate[turning].copy_from_slice(&rates[..size - 3]);
        }
        out.t = own.t;
        self.pass_back(own, out);
    }

    /// Copies what is the same in both states.
    fn pass_back(&self, own: &State, out: &mut State) {
        out.x.copy_from_slice(&own.x);
        out.z.copy_from_slice(&own.z);
        out.lambda[..self.sizes.rows].copy_from_slice(&own.lambda);
        out.mode.copy_from_slice(&own.mode);
    }

    pub(super) fn coordinates(&self, body: usize, from: &[f64]) -> [f64; MOST] {
        self.bodies[body]
            .chart
            .read(&from[self.sizes.turning(body)])
    }

    /// Sets the mechanism's own point, T and T' s'.
    pub(super) fn convert(&mut self, at: &Point) {
        let size = self.sizes.per_body();
        for index in 0..self.bodies.len() {
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            let chart = self.bodies[index].chart;
            let (map, own) = (chart.map(&s), &mut self.work.state);
            let q = &mut own.q[COORDINATES * index..COORDINATES * (index + 1)];
            q[..3].copy_from_slice(&at.q[size * index..size * index + 3]);
            q[3..].copy_from_slice(&chart.matrix(&s));
            let v = &mut own.v[VELOCITIES * index..VELOCITIES * (index + 1)];
            v[..3].copy_from_slice(&at.v[size * index..size * index + 3]);
            // ω = T(s) s'.
            v[3..].copy_from_slice(&product(&map, &rate));
            self.work.bias[VELOCITIES * index + 3..VELOCITIES * (index + 1)]
                .copy_from_slice(&chart.bias(&s, &rate));
            self.work.maps[index] = map;
        }
        let own = &mut self.work.state;
        own.t = at.t;
        // Some are absent where a function does not need them.
        for (to, from) in [
            (&mut own.x, at.x),
            (&mut own.z, at.z),
            (&mut own.lambda, at.lambda),
        ] {
            match from.get(..to.len()) {
                Some(from) => to.copy_from_slice(from),
                None => to.fill(0.0),
            }
        }
        own.mode.copy_from_slice(at.mode);
    }

    /// Sets the accelerations (r'', T s'') of the mechanism itself from those of the coordinates, and with `full` adds
    /// T' s'.
    pub(super) fn accelerate(&mut self, acceleration: &[f64], full: bool) {
        let size = self.sizes.per_body();
        for index in 0..self.bodies.len() {
            let rate = self.coordinates(index, acceleration);
            let own = &mut self.work.acceleration[VELOCITIES * index..VELOCITIES * (index + 1)];
            own[..3].copy_from_slice(&acceleration[size * index..size * index + 3]);
            own[3..].copy_from_slice(&product(&self.work.maps[index], &rate));
        }
        if full {
            for (own, bias) in self.work.acceleration.iter_mut().zip(&self.work.bias) {
                *own += bias;
            }
        }
    }

    /// A whole state of the mechanism itself.
    pub(super) fn convert_state(&mut self, state: &State) {
        self.convert(&state.point());
        self.accelerate(&state.acceleration, true);
        let own = &mut self.work.state;
        own.acceleration.copy_from_slice(&self.work.acceleration);
    }

    /// Lets the mechanism change a state; coordinates change only if it moves a body.
    pub(super) fn change(
        &mut self,
        state: &mut State,
        handle: impl FnOnce(&mut MultibodySystem, &mut State) -> Result<EventResponse, EvaluationError>,
    ) -> Result<EventResponse, EvaluationError> {
        // With accelerations: a handler may look at them.
        self.convert_state(state);
        let mut own = self.work.state.clone();
        let action = handle(&mut self.inner, &mut own)?;
        // Coordinates of a rotation are not unique: unmoved bodies keep theirs, bit for bit.
        if own.q == self.work.state.q && own.v == self.work.state.v {
            self.pass_back(&own, state);
        } else {
            self.express(&own, state);
        }
        Ok(action)
    }
}
