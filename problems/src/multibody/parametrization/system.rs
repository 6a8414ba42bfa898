//! A mechanism in coordinates of its rotations as a system of equations.

use super::Rotation;
use super::chart::{Chart, MOST, Map, Slope, bias_slopes, product, transposed_product};
use super::plan::{Plan, Sizes, position};
use crate::multibody::kinematics::{COORDINATES, VELOCITIES};
use crate::multibody::{AssemblyError, MultibodySystem};
use liedae::system::{
    EvaluationError, EventAction, EventDescription, Function, Layout, Point, RatesJacobian, State,
    System,
};
use nalgebra::{Matrix3, Vector3};

/// |sin θ| below which Euler angles are refused: their rates are a thousand times the angular velocity.
const SINGULAR: f64 = 1e-3;

/// A [`MultibodySystem`] in Euler parameters or Euler angles; equations, source and advice are in the
/// [module's documentation](super).
///
/// Per body the configuration is (r, s) and the velocity (r', s'), `q[k i..k i + k]` with k = 7 for Euler parameters and
/// 6 for Euler angles. Position rows are those of the joints, then pᵀp - 1 of every body; outputs see the multipliers of
/// the joints. All derivatives are exact, and nothing is allocated in an evaluation.
pub struct Parametrized {
    inner: MultibodySystem,
    layout: Layout,
    initial: State,
    sizes: Sizes,
    plans: Plans,
    bodies: Vec<Turned>,
    work: Work,
}

/// Places and coordinates of one body's rotation.
struct Turned {
    chart: Chart,
    inertia: Matrix3<f64>,
    mass: f64,
    /// c in the term c p pᵀ of the mass matrix; 0 for angles.
    augmentation: f64,
    /// Positions of the masses in the mass matrix.
    mass_at: [usize; 3],
    /// Positions of the rows of the rotation's block in the mass matrix, the rates and the stiffness.
    block_at: [[usize; MOST]; 3],
    /// Position of the first entry of the row pᵀp - 1, which holds no others, in the Jacobian.
    norm_at: Option<usize>,
}

struct Plans {
    jacobian: Plan,
    rates: Plan,
    stiffness: Plan,
}

/// The point and matrices of the mechanism itself.
struct Work {
    state: State,
    /// T per body.
    maps: Vec<Map>,
    /// T' s' per body, zero for r: 6 numbers each.
    bias: Vec<f64>,
    /// ∂(T u)/∂s per body for the velocity u = s'.
    slopes: Vec<Map>,
    /// ∂(T s'' + T' s')/∂s per body.
    level_slopes: Vec<Map>,
    /// ∂(T' s')/∂s' per body.
    rate_slopes: Vec<Map>,
    rates: Vec<f64>,
    derivatives: RatesJacobian,
    jacobian: Vec<f64>,
    by_position: Vec<f64>,
    by_velocity: Vec<f64>,
    stiffness: Vec<f64>,
    acceleration: Vec<f64>,
    force: Vec<f64>,
}

/// Adds a matrix of a rotation's size.
fn add_block(places: &[usize; MOST], size: usize, block: &[[f64; MOST]; MOST], out: &mut [f64]) {
    for (&start, row) in places.iter().zip(block).take(size) {
        for (slot, value) in out[start..start + size].iter_mut().zip(row) {
            *slot += value;
        }
    }
}

/// J S.
fn times(inertia: &Matrix3<f64>, slope: &Map) -> Map {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            (0..3)
                .map(|inner| inertia[(row, inner)] * slope[inner][column])
                .sum()
        })
    })
}

/// Lᵀ R.
fn transposed_times(left: &Map, right: &Map) -> [[f64; MOST]; MOST] {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| (0..3).map(|k| left[k][row] * right[k][column]).sum())
    })
}

fn dot(a: &[f64; MOST], b: &[f64; MOST]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn three(from: &[f64]) -> [f64; 3] {
    [from[0], from[1], from[2]]
}

impl Parametrized {
    /// States a mechanism in Euler angles, or in Euler parameters if anything else is asked for.
    pub(crate) fn new(inner: MultibodySystem, rotation: Rotation) -> Result<Self, AssemblyError> {
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

    fn coordinates(&self, body: usize, from: &[f64]) -> [f64; MOST] {
        self.bodies[body]
            .chart
            .read(&from[self.sizes.turning(body)])
    }

    /// Sets the mechanism's own point, T and T' s'.
    fn convert(&mut self, at: &Point) {
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
    fn accelerate(&mut self, acceleration: &[f64], full: bool) {
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
    fn convert_state(&mut self, state: &State) {
        self.convert(&state.point());
        self.accelerate(&state.acceleration, true);
        let own = &mut self.work.state;
        own.acceleration.copy_from_slice(&self.work.acceleration);
    }

    /// Lets the mechanism change a state; coordinates change only if it moves a body.
    fn change(
        &mut self,
        state: &mut State,
        handle: impl FnOnce(&mut MultibodySystem, &mut State) -> Result<EventAction, EvaluationError>,
    ) -> Result<EventAction, EvaluationError> {
        self.convert_state(state);
        let mut own = self.work.state.clone();
        let action = handle(&mut self.inner, &mut own)?;
        if own.q == self.work.state.q && own.v == self.work.state.v {
            self.pass_back(&own, state);
        } else {
            self.express(&own, state);
        }
        Ok(action)
    }

    fn check_angles(&self, at: &Point, function: Function) -> Result<(), EvaluationError> {
        for (index, body) in self.bodies.iter().enumerate() {
            let sine = body.chart.clearance(&self.coordinates(index, at.q));
            if sine < SINGULAR {
                let reason = format!(
                    "the Euler angles of body '{}' are at their singularity (|sin theta| = {sine:.1e}): take rotation \
                     matrices (r-A) or Euler parameters (r-p), or start with a motion that shows about which axis \
                     the body turns, since the axes of the angles are chosen by it",
                    self.inner.bodies[index].name
                );
                return Err(EvaluationError::Failed {
                    function,
                    t: at.t,
                    reason,
                });
            }
        }
        Ok(())
    }

    /// The rows pᵀp - 1 and their derivatives, or nothing.
    fn norms(&self, out: &mut [f64], row: impl Fn(usize) -> f64) {
        for (body, slot) in out[self.sizes.rows..].iter_mut().enumerate() {
            *slot = row(body);
        }
    }

    /// Writes 2 x p-like entries of the rows pᵀp - 1.
    fn norm_gradients(&self, from: &[f64], factor: f64, out: &mut [f64]) {
        for (index, body) in self.bodies.iter().enumerate() {
            if let Some(place) = body.norm_at {
                let entries = self.coordinates(index, from).map(|part| factor * part);
                out[place..place + MOST].copy_from_slice(&entries);
            }
        }
    }
}

impl System for Parametrized {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial_state(&self) -> State {
        self.initial.clone()
    }

    fn mass_matrix(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.check_angles(at, Function::Mass)?;
        out.fill(0.0);
        for (index, body) in self.bodies.iter().enumerate() {
            for place in body.mass_at {
                out[place] = body.mass;
            }
            let s = self.coordinates(index, at.q);
            let map = body.chart.map(&s);
            let mut block = transposed_times(&map, &times(&body.inertia, &map));
            for (row, left) in block.iter_mut().zip(s) {
                for (slot, right) in row.iter_mut().zip(s) {
                    *slot += body.augmentation * left * right;
                }
            }
            add_block(&body.block_at[0], body.chart.size(), &block, out);
        }
        Ok(())
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.check_angles(at, Function::Rates)?;
        self.convert(at);
        let Self { inner, work, .. } = self;
        inner.rates(&work.state.point(), &mut work.rates)?;
        let (size, own) = (self.sizes.per_body(), &self.work.rates);
        for (index, body) in self.bodies.iter().enumerate() {
            let from = VELOCITIES * index;
            let to = &mut out[size * index..size * (index + 1)];
            to[..3].copy_from_slice(&own[from..from + 3]);
            let bias = Vector3::from_column_slice(&self.work.bias[from + 3..from + 6]);
            let torque = Vector3::from_column_slice(&own[from + 3..from + 6]) - body.inertia * bias;
            let generalized = transposed_product(&self.work.maps[index], &torque.into());
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            let along = body.augmentation * dot(&rate, &rate);
            for (slot, (force, part)) in to[3..].iter_mut().zip(generalized.iter().zip(s)) {
                *slot = force - along * part;
            }
        }
        out[size * self.bodies.len()..].copy_from_slice(&own[VELOCITIES * self.bodies.len()..]);
        Ok(())
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.check_angles(at, Function::RatesJacobian)?;
        self.convert(at);
        let Self { inner, work, .. } = self;
        let point = work.state.point();
        inner.rates(&point, &mut work.rates)?;
        inner.rates_jacobian(&point, &mut work.derivatives)?;
        out.by_position.fill(0.0);
        out.by_velocity.fill(0.0);
        for (index, body) in self.bodies.iter().enumerate() {
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            let slope = Slope::new(body.chart, &s);
            self.work.slopes[index] = slope.of_product(&rate);
            let own = VELOCITIES * index + 3;
            let bias = Vector3::from_column_slice(&self.work.bias[own..own + 3]);
            let torque = Vector3::from_column_slice(&self.work.rates[own..own + 3]);
            let torque: [f64; 3] = (torque - body.inertia * bias).into();
            let [by_position, by_rate] = bias_slopes(body.chart, &s, &rate);
            let map = &self.work.maps[index];
            let inertial = |slope: &Map| transposed_times(map, &times(&body.inertia, slope));
            let (turning, mut block) = (slope.of_transposed(&torque), inertial(&by_position));
            let mut faster = inertial(&by_rate);
            for row in 0..MOST {
                for column in 0..MOST {
                    block[row][column] = turning[row][column] - block[row][column];
                    faster[row][column] =
                        -faster[row][column] - 2.0 * body.augmentation * s[row] * rate[column];
                }
                block[row][row] -= body.augmentation * dot(&rate, &rate);
            }
            let (places, size) = (&body.block_at[1], body.chart.size());
            add_block(places, size, &block, &mut out.by_position);
            add_block(places, size, &faster, &mut out.by_velocity);
        }
        let (plan, work) = (&self.plans.rates, &self.work);
        let own = &work.derivatives;
        plan.add(
            &own.by_position,
            &work.maps,
            &work.maps,
            1.0,
            &mut out.by_position,
        );
        plan.add(
            &own.by_velocity,
            &work.maps,
            &work.slopes,
            0.0,
            &mut out.by_position,
        );
        plan.add(
            &own.by_velocity,
            &work.maps,
            &work.maps,
            1.0,
            &mut out.by_velocity,
        );
        out.by_multiplier.fill(0.0);
        let (rows, all) = (self.sizes.rows, self.layout.rows());
        for variable in 0..self.layout.algebraic {
            out.by_multiplier[all * variable..all * variable + rows]
                .copy_from_slice(&own.by_multiplier[rows * variable..rows * (variable + 1)]);
        }
        Ok(())
    }

    fn position_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let (inner, point) = (&mut self.inner, self.work.state.point());
        inner.position_constraint(&point, &mut out[..self.sizes.rows])?;
        self.norms(out, |body| {
            let p = self.coordinates(body, at.q);
            dot(&p, &p) - 1.0
        });
        Ok(())
    }

    fn velocity_constraint(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let (inner, point) = (&mut self.inner, self.work.state.point());
        inner.velocity_constraint(&point, &mut out[..self.sizes.rows])?;
        self.norms(out, |body| {
            2.0 * dot(&self.coordinates(body, at.q), &self.coordinates(body, at.v))
        });
        Ok(())
    }

    fn constraint_jacobian(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let Self { inner, work, .. } = self;
        inner.constraint_jacobian(&work.state.point(), &mut work.jacobian)?;
        out.fill(0.0);
        let (plan, maps) = (&self.plans.jacobian, &self.work.maps);
        plan.add(&self.work.jacobian, maps, maps, 1.0, out);
        self.norm_gradients(at.q, 2.0, out);
        Ok(())
    }

    fn acceleration_bias(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let Self { inner, work, .. } = self;
        let point = work.state.point();
        let joints = &mut out[..self.sizes.rows];
        inner.acceleration_bias(&point, joints)?;
        inner.constraint_jacobian(&point, &mut work.jacobian)?;
        let pattern = &inner.layout.jacobian;
        pattern.multiply_add(&work.jacobian, 1.0, &work.bias, joints);
        self.norms(out, |body| {
            let rate = self.coordinates(body, at.v);
            2.0 * dot(&rate, &rate)
        });
        Ok(())
    }

    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.convert(at);
        self.accelerate(acceleration, false);
        let Self { inner, work, .. } = self;
        let point = work.state.point();
        inner.geometric_stiffness(&point, &work.acceleration, &mut work.stiffness)?;
        inner.constraint_jacobian(&point, &mut work.jacobian)?;
        work.force.fill(0.0);
        let pattern = &inner.layout.jacobian;
        pattern.multiply_transpose_add(&work.jacobian, -1.0, point.lambda, &mut work.force);
        out.fill(0.0);
        let (plan, maps) = (&self.plans.stiffness, &self.work.maps);
        plan.add(&self.work.stiffness, maps, maps, 1.0, out);
        for (index, body) in self.bodies.iter().enumerate() {
            let (s, rate) = (
                self.coordinates(index, at.q),
                self.coordinates(index, acceleration),
            );
            let own = VELOCITIES * index + 3;
            let turned = Vector3::from_column_slice(&self.work.acceleration[own..own + 3]);
            let pull = Vector3::from_column_slice(&self.work.force[own..own + 3]);
            let slope = Slope::new(body.chart, &s);
            let turning = slope.of_transposed(&(body.inertia * turned + pull).into());
            let moved = times(&body.inertia, &slope.of_product(&rate));
            let mut block = transposed_times(&maps[index], &moved);
            let diagonal = match body.norm_at {
                Some(_) => {
                    body.augmentation * dot(&s, &rate) - 2.0 * at.lambda[self.sizes.rows + index]
                }
                None => 0.0,
            };
            for row in 0..MOST {
                for column in 0..MOST {
                    block[row][column] +=
                        turning[row][column] + body.augmentation * s[row] * rate[column];
                }
                block[row][row] += diagonal;
            }
            add_block(&body.block_at[2], body.chart.size(), &block, out);
        }
        Ok(())
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.convert(at);
        let Self { inner, work, .. } = self;
        let point = work.state.point();
        inner.velocity_constraint_jacobian(&point, &mut work.by_position)?;
        inner.constraint_jacobian(&point, &mut work.jacobian)?;
        for (index, body) in self.bodies.iter().enumerate() {
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            self.work.slopes[index] = Slope::new(body.chart, &s).of_product(&rate);
        }
        let (plan, work) = (&self.plans.jacobian, &self.work);
        out.fill(0.0);
        plan.add(&work.by_position, &work.maps, &work.maps, 1.0, out);
        plan.add(&work.jacobian, &work.maps, &work.slopes, 0.0, out);
        self.norm_gradients(at.v, 2.0, out);
        Ok(())
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.convert(at);
        self.accelerate(acceleration, true);
        let Self { inner, work, .. } = self;
        let point = work.state.point();
        inner.acceleration_constraint_jacobian(
            &point,
            &work.acceleration,
            &mut work.by_position,
            &mut work.by_velocity,
        )?;
        inner.constraint_jacobian(&point, &mut work.jacobian)?;
        by_position.fill(0.0);
        by_velocity.fill(0.0);
        // ω' = T s'' + T' s' by s.
        for (index, body) in self.bodies.iter().enumerate() {
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            let slope = Slope::new(body.chart, &s);
            let [mut level, by_rate] = bias_slopes(body.chart, &s, &rate);
            self.work.rate_slopes[index] = by_rate;
            let moved = slope.of_product(&self.coordinates(index, acceleration));
            for (row, moved) in level.iter_mut().zip(moved) {
                for (slot, part) in row.iter_mut().zip(moved) {
                    *slot += part;
                }
            }
            self.work.slopes[index] = slope.of_product(&rate);
            self.work.level_slopes[index] = level;
        }
        let (plan, work) = (&self.plans.jacobian, &self.work);
        plan.add(&work.by_position, &work.maps, &work.maps, 1.0, by_position);
        plan.add(
            &work.by_velocity,
            &work.maps,
            &work.slopes,
            0.0,
            by_position,
        );
        plan.add(
            &work.jacobian,
            &work.maps,
            &work.level_slopes,
            0.0,
            by_position,
        );
        plan.add(&work.by_velocity, &work.maps, &work.maps, 1.0, by_velocity);
        plan.add(
            &work.jacobian,
            &work.maps,
            &work.rate_slopes,
            0.0,
            by_velocity,
        );
        self.norm_gradients(acceleration, 2.0, by_position);
        self.norm_gradients(at.v, 4.0, by_velocity);
        Ok(())
    }

    fn output_names(&self) -> &[String] {
        self.inner.output_names()
    }

    fn outputs(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert_state(state);
        self.inner.outputs(&self.work.state, out)
    }

    fn energy(&mut self, state: &State) -> Option<f64> {
        self.convert_state(state);
        self.inner.energy(&self.work.state)
    }

    fn events(&self) -> &[EventDescription] {
        self.inner.events()
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let (inner, point) = (&mut self.inner, self.work.state.point());
        inner.event_functions(&point, out)
    }

    fn handle_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventAction, EvaluationError> {
        self.change(state, |inner, own| inner.handle_event(event, own))
    }

    fn time_events(&self) -> &[f64] {
        self.inner.time_events()
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventAction, EvaluationError> {
        self.change(state, |inner, own| inner.handle_time_event(event, own))
    }
}
