//! The rows of a user-defined joint in the functions of a mechanism.
//!
//! | asked for | of g(t, q) | of b(t, q, v) |
//! |---|---|---|
//! | G | ∂g by a displacement | ∂b/∂v |
//! | level of velocities | g' along (r', ω) | b |
//! | γ | g'' at constant (r', ω) | b' at constant (r', ω) |
//! | G a + γ | g'' along (r', ω) with the acceleration a | b' with the acceleration a |
//!
//! Derivatives of these by the configuration start from displaced bodies; numbers with derivatives nest.

use super::{CustomEquations, Evaluate, FrameMotion, Level, Own};
use crate::connection::Connection;
use crate::kinematics::{Kinematics, PAIR, VELOCITIES, Wrench};
use liedae::scalar::{Dual, Scalar, Taylor2};
use nalgebra::Vector3;

type Pair = Dual<PAIR>;

/// The two bodies of a joint, as far as differentiation wants them.
type Bodies<S> = [Kinematics<S>; 2];

fn displaced<S: Scalar>([one, two]: &Bodies<S>) -> Bodies<Dual<PAIR, S>> {
    [one.displaced(0), two.displaced(VELOCITIES)]
}

fn accelerated<S: Scalar>([one, two]: &Bodies<S>) -> Bodies<Dual<PAIR, S>> {
    [one.accelerated(0), two.accelerated(VELOCITIES)]
}

/// The bodies with velocities changed by 1 + |v| or less, without a pattern: from rest a cube looks straight.
fn hurried(bodies: &Bodies<f64>, trial: usize) -> Bodies<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut index = 12 * trial;
    let mut change = |value: f64| {
        index += 1;
        value + (1.0 + value.abs()) * (0.5 + 0.5 * (GOLDEN * index as f64).fract())
    };
    bodies.map(|body| Kinematics {
        velocity: body.velocity.map(&mut change),
        omega: body.omega.map(&mut change),
        ..body
    })
}

fn along<S: Scalar>(bodies: &Bodies<S>, accelerations: &Bodies<f64>) -> Bodies<Taylor2<S>> {
    [0, 1].map(|side| bodies[side].along(&accelerations[side]))
}

/// Time along a curve that starts at `t`.
fn passing<S: Scalar>(t: f64) -> Taylor2<S> {
    Taylor2::variable(S::constant(t))
}

impl Connection {
    fn frames<S: Scalar>(&self, bodies: &Bodies<S>) -> [FrameMotion<S>; 2] {
        [0, 1].map(|side| self.markers[side].motion(&bodies[side]))
    }

    /// Calls the equations with these bodies.
    fn evaluate<S: Scalar>(
        &self,
        own: &CustomEquations,
        t: S,
        bodies: &Bodies<S>,
        mut out: impl FnMut(usize, S),
    ) where
        dyn Own: Evaluate<S>,
    {
        own.own().evaluate(t, &self.frames(bodies), &mut out);
    }

    /// g, or nothing of velocity rows.
    pub(crate) fn own_residual<S: Scalar>(
        &self,
        own: &CustomEquations,
        t: S,
        bodies: &Bodies<S>,
        out: &mut [S],
    ) where
        dyn Own: Evaluate<S>,
    {
        if own.level() == Level::Position {
            self.evaluate(own, t, bodies, |row, g| out[self.first_row + row] = g);
        }
    }

    /// G v + g_t, or b.
    pub(crate) fn own_rate(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        out: &mut [f64],
    ) {
        let rows = &mut out[self.range()];
        match own.level() {
            Level::Position => {
                // dg/ds along q · exp(s v), t + s.
                let curve = along(bodies, &[Kinematics::ground(); 2]);
                self.evaluate(own, passing(t), &curve, |row, g| rows[row] = g.first);
            }
            Level::Velocity => self.evaluate(own, t, bodies, |row, b| rows[row] = b),
        }
    }

    /// γ.
    pub(crate) fn own_bias(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        out: &mut [f64],
    ) {
        let rows = &mut out[self.range()];
        // Second derivative of g, first of b, without accelerations.
        let curve = along(bodies, &[Kinematics::ground(); 2]);
        self.evaluate(own, passing(t), &curve, |row, level| {
            rows[row] = acceleration_level(own, level);
        });
    }

    /// The gradients of all rows by the twelve velocities of the pair.
    fn own_gradients(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        mut each: impl FnMut(usize, &[f64; PAIR]),
    ) {
        // ∂g/∂q by displacements, ∂b/∂v by velocities: both are the rows of G.
        let bodies = match own.level() {
            Level::Position => displaced(bodies),
            Level::Velocity => accelerated(bodies),
        };
        self.evaluate(own, Pair::constant(t), &bodies, |row, level| {
            each(row, &level.gradient);
        });
    }

    /// The rows of G.
    pub(crate) fn own_jacobian(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        out: &mut [f64],
    ) {
        self.own_gradients(own, t, bodies, |row, gradient| {
            self.write(row, gradient, out)
        });
    }

    /// Subtracts ∂(Gᵀ λ)/∂q.
    pub(crate) fn subtract_own_stiffness(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        lambda: &[f64],
        out: &mut [f64],
    ) {
        let lambda = &lambda[self.range()];
        let Some(places) = &self.stiffness else {
            return;
        };
        // Dual of duals costs twelve times twelve: not for multipliers that are zero.
        if lambda.iter().all(|&multiplier| multiplier == 0.0) {
            return;
        }
        // Inner derivatives by the configuration, outer ones those of G there.
        let moved = displaced(bodies);
        let moved = match own.level() {
            Level::Position => displaced(&moved),
            Level::Velocity => accelerated(&moved),
        };
        let time = Dual::from_value(Pair::constant(t));
        self.evaluate(own, time, &moved, |row, level| {
            for (index, entry) in level.gradient.iter().enumerate() {
                // ∂(-Gᵀ λ)/∂q.
                let slope = entry.gradient.map(|part| -lambda[row] * part);
                places.add(index / VELOCITIES, index % VELOCITIES, &slope, out);
            }
        });
    }

    /// The derivatives of G v + g_t, or of b, by the configuration.
    pub(crate) fn own_rate_jacobian(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        out: &mut [f64],
    ) {
        let moved = displaced(bodies);
        match own.level() {
            Level::Position => {
                let curve = along(&moved, &[Kinematics::ground(); 2]);
                self.evaluate(own, passing(t), &curve, |row, g| {
                    self.write(row, &g.first.gradient, out);
                });
            }
            Level::Velocity => self.evaluate(own, Pair::constant(t), &moved, |row, b| {
                self.write(row, &b.gradient, out);
            }),
        }
    }

    /// The derivatives of G a + γ by the configuration and of γ by the velocity. The accelerations are in the place of the
    /// velocities of `accelerations`.
    pub(crate) fn own_acceleration_jacobian(
        &self,
        own: &CustomEquations,
        t: f64,
        [bodies, accelerations]: [&Bodies<f64>; 2],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        // Along a curve with accelerations the level is G a + γ itself.
        let curve = along(&displaced(bodies), accelerations);
        self.evaluate(own, passing(t), &curve, |row, level| {
            self.write(row, &acceleration_level(own, level).gradient, by_position);
        });
        let curve = along(&accelerated(bodies), &[Kinematics::ground(); 2]);
        self.evaluate(own, passing(t), &curve, |row, level| {
            self.write(row, &acceleration_level(own, level).gradient, by_velocity);
        });
    }

    /// Gᵀ λ on both bodies.
    pub(crate) fn own_wrenches(
        &self,
        own: &CustomEquations,
        t: f64,
        bodies: &Bodies<f64>,
        lambda: &[f64],
    ) -> [Wrench; 2] {
        let lambda = &lambda[self.range()];
        let mut total = [0.0; PAIR];
        self.own_gradients(own, t, bodies, |row, gradient| {
            for (sum, part) in total.iter_mut().zip(gradient) {
                *sum += lambda[row] * part;
            }
        });
        let three = |first: usize| Vector3::from_column_slice(&total[first..first + 3]);
        [0, VELOCITIES].map(|first| Wrench {
            force: three(first),
            torque: three(first + 3),
        })
    }

    /// The first velocity row whose gradient by the velocities changes with them, at the velocities given or at others.
    pub(crate) fn bent_row(&self, t: f64, bodies: &Bodies<f64>) -> Option<usize> {
        let elsewhere = (0..2).map(|trial| hurried(bodies, trial));
        let mut trials = std::iter::once(*bodies).chain(elsewhere);
        trials.find_map(|bodies| self.bent_row_at(t, &bodies))
    }

    fn bent_row_at(&self, t: f64, bodies: &Bodies<f64>) -> Option<usize> {
        let own = self.kind.custom().filter(|own| own.is_nonholonomic())?;
        let mut bent = None;
        // Second derivatives by velocities vanish where a row is affine.
        let faster = accelerated(&accelerated(bodies));
        let time = Dual::from_value(Pair::constant(t));
        self.evaluate(own, time, &faster, |row, level| {
            let second = level.gradient.iter().flat_map(|entry| entry.gradient);
            // Round-off of products that cancel is relative to the first derivatives.
            let size = level
                .gradient
                .iter()
                .fold(1.0, |size: f64, entry| size.max(entry.value.abs()));
            // 1e-9 of the first derivatives: round-off of products that cancel.
            if bent.is_none() && second.into_iter().any(|part| part.abs() > 1e-9 * size) {
                bent = Some(row);
            }
        });
        bent
    }
}

/// The derivative along a curve at which velocities' derivatives are accelerations.
fn acceleration_level<S: Scalar>(own: &CustomEquations, level: Taylor2<S>) -> S {
    match own.level() {
        Level::Position => level.second,
        Level::Velocity => level.first,
    }
}
