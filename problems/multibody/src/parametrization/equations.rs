//! The equations of a mechanism in coordinates of its rotations.

use super::chart::{MOST, Map, Slope, bias_slopes, transposed_product};
use super::system::Parametrized;
use crate::kinematics::VELOCITIES;
use liedae::system::{
    Branches, Energy, EvaluationError, EventAction, EventDescription, EventHandling, EventReport,
    EventResponse, Events, Function, Layout, Outputs, Point, RatesJacobian, SecondDerivatives,
    State, System, event_descriptions, time_events,
};
use nalgebra::{Matrix3, Vector3};

/// |sin θ| below which Euler angles are refused: their rates are a thousand times the angular velocity.
const SINGULAR: f64 = 1e-3;

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

impl Parametrized {
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
            // Tᵀ J T + a s sᵀ: T maps along p to nothing, so a makes the block regular.
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
            // ω' = T s'' + T' s': Tᵀ (τ - J T' s') is the force on s.
            let from = VELOCITIES * index;
            let to = &mut out[size * index..size * (index + 1)];
            to[..3].copy_from_slice(&own[from..from + 3]);
            let bias = Vector3::from_column_slice(&self.work.bias[from + 3..from + 6]);
            let torque = Vector3::from_column_slice(&own[from + 3..from + 6]) - body.inertia * bias;
            let generalized = transposed_product(&self.work.maps[index], &torque.into());
            let (s, rate) = (self.coordinates(index, at.q), self.coordinates(index, at.v));
            // a s (s · s'') with s · s'' = -|s'|², since p stays of unit length.
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
            // ∂(Tᵀ τ)/∂s + Tᵀ ∂τ/∂s by the product rule.
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
            // Tᵀ turns, and T' s' changes, with s.
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
        // Chain rule of the mechanism's own derivatives: by q through T, by ω through T and ∂(T s')/∂s.
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
            // pᵀ p - 1 and its derivatives: 2 p · p', 2 p' · p'.
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
        // G ω' = G (T s'' + T' s'): what does not contain s'' joins γ.
        pattern.multiply_add(&work.jacobian, 1.0, &work.bias, joints);
        self.norms(out, |body| {
            let rate = self.coordinates(body, at.v);
            2.0 * dot(&rate, &rate)
        });
        Ok(())
    }

    fn prepare(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let mut reports = Vec::new();
        self.change(state, |inner, own| {
            reports = inner.prepare(own, events)?;
            Ok(EventAction::Restart.into())
        })?;
        Ok(reports)
    }

    fn second_derivatives(&mut self) -> Option<&mut dyn SecondDerivatives> {
        Some(self)
    }

    fn outputs(&mut self) -> Option<&mut dyn Outputs> {
        Some(self)
    }

    fn branches(&mut self) -> Option<&mut dyn Branches> {
        Some(self)
    }

    fn energy(&mut self) -> Option<&mut dyn Energy> {
        Some(self)
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl SecondDerivatives for Parametrized {
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
        // -Gᵀ λ in the mechanism's own velocities, turned by Tᵀ below.
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
            // ∂/∂s of Tᵀ (J ω' - (Gᵀ λ)_ω) at fixed s''.
            let slope = Slope::new(body.chart, &s);
            let turning = slope.of_transposed(&(body.inertia * turned + pull).into());
            let moved = times(&body.inertia, &slope.of_product(&rate));
            let mut block = transposed_times(&maps[index], &moved);
            // From a s (s · s'') and from -2 λ p of the norm.
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
        // Of 2 (p · p'' + p' · p'): by p and by p'.
        self.norm_gradients(acceleration, 2.0, by_position);
        self.norm_gradients(at.v, 4.0, by_velocity);
        Ok(())
    }
}

impl Outputs for Parametrized {
    fn names(&self) -> &[String] {
        self.inner.names()
    }

    fn definitions(&mut self) -> Vec<Option<String>> {
        self.inner.definitions()
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert_state(state);
        self.inner.values(&self.work.state, out)
    }
}

impl Branches for Parametrized {
    fn opposed(&mut self, at: &Point) -> Option<String> {
        self.convert(at);
        let state = &self.work.state;
        self.inner.branches()?.opposed(&state.point())
    }

    /// None in these coordinates.
    fn rows_from_afar(
        &mut self,
        _at: &Point,
        _rows: &mut [f64],
        _jacobian: &mut [f64],
    ) -> Result<bool, EvaluationError> {
        Ok(false)
    }
}

impl Energy for Parametrized {
    fn total(&mut self, at: &Point) -> Option<f64> {
        self.convert(at);
        self.inner.total(&self.work.state.point())
    }

    fn is_kept(&mut self) -> bool {
        self.inner.is_kept()
    }

    fn is_passive(&mut self) -> bool {
        self.inner.is_passive()
    }
}

impl Events for Parametrized {
    fn descriptions(&mut self) -> &[EventDescription] {
        event_descriptions(&mut self.inner)
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.convert(at);
        let (inner, point) = (&mut self.inner, self.work.state.point());
        match inner.events() {
            Some(events) => events.event_functions(&point, out),
            None => Ok(()),
        }
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.change(state, |inner, own| match inner.events() {
            Some(part) => part.handle_events(events, own),
            None => Ok(EventAction::Continue.into()),
        })
    }

    fn time_events(&mut self) -> &[f64] {
        time_events(&mut self.inner)
    }

    fn largest_step(&mut self) -> f64 {
        (self.inner.events()).map_or(f64::INFINITY, Events::largest_step)
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.change(state, |inner, own| match inner.events() {
            Some(part) => part.handle_time_event(event, own),
            None => Ok(EventAction::Restart.into()),
        })
    }

    fn handle_impasse(&mut self, state: &mut State) -> Result<EventResponse, EvaluationError> {
        self.change(state, |inner, own| match inner.events() {
            Some(part) => part.handle_impasse(own),
            None => Ok(EventAction::Continue.into()),
        })
    }
}
