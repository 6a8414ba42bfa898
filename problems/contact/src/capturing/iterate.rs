//! The unknowns of a step and the configurations that follow from them.

use liedae::integrator::newton::Sizes;
use liedae::system::{Layout, Point, State};

/// Where a step begins and how long it is.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub from: &'a State,
    pub h: f64,
    pub end: f64,
    pub mode: &'a [i32],
}

/// Unknowns y = (v, x, z), v and x at the end of the step and z at its inner point, and the impulses P = h λ of the
/// constraint rows; with the inner point at t + θ h and the end that they lead to.
pub(super) struct Iterate {
    pub theta: f64,
    dimension: usize,
    differential: usize,
    pub y: Vec<f64>,
    pub p: Vec<f64>,
    /// P / h.
    lambda: Vec<f64>,
    /// (v - v_n) / h.
    pub acceleration: Vec<f64>,
    displacement: Vec<f64>,
    inner_q: Vec<f64>,
    inner_v: Vec<f64>,
    inner_x: Vec<f64>,
    /// Configuration at the end of the step.
    pub end_q: Vec<f64>,
}

impl Iterate {
    pub fn new(layout: &Layout, theta: f64) -> Self {
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let coordinates = layout.space.coordinates();
        Self {
            theta,
            dimension,
            differential,
            y: vec![0.0; layout.rate_count()],
            p: vec![0.0; rows],
            lambda: vec![0.0; rows],
            acceleration: vec![0.0; dimension],
            displacement: vec![0.0; dimension],
            inner_q: vec![0.0; coordinates],
            inner_v: vec![0.0; dimension],
            inner_x: vec![0.0; differential],
            end_q: vec![0.0; coordinates],
        }
    }

    /// First guess of a step: it ends as it begins.
    pub fn begin(&mut self, span: &Span) {
        let (from, rates) = (span.from, self.dimension + self.differential);
        self.y[..self.dimension].copy_from_slice(&from.v);
        self.y[self.dimension..rates].copy_from_slice(&from.x);
        self.y[rates..].copy_from_slice(&from.z);
        for (impulse, lambda) in self.p.iter_mut().zip(&from.lambda) {
            *impulse = span.h * lambda;
        }
    }

    /// The inner point of the present iterate.
    pub fn inner<'a>(&'a self, span: &Span<'a>) -> Point<'a> {
        Point {
            t: span.from.t + self.theta * span.h,
            q: &self.inner_q,
            v: &self.inner_v,
            x: &self.inner_x,
            z: &self.y[self.dimension + self.differential..],
            lambda: &self.lambda,
            mode: span.mode,
        }
    }

    /// The end of the step with the present velocities.
    pub fn end<'a>(&'a self, span: &Span<'a>) -> Point<'a> {
        let rates = self.dimension + self.differential;
        Point {
            t: span.end,
            q: &self.end_q,
            v: &self.y[..self.dimension],
            x: &self.y[self.dimension..rates],
            z: &self.y[rates..],
            lambda: &self.lambda,
            mode: span.mode,
        }
    }

    /// Configurations and multipliers that follow from y and P; `settled` keeps the configuration at the end.
    pub fn place(&mut self, layout: &Layout, span: &Span, settled: bool) {
        let (theta, h, from) = (self.theta, span.h, span.from);
        let between = |old: f64, new: f64| theta * new + (1.0 - theta) * old;
        for index in 0..self.dimension {
            let velocity = between(from.v[index], self.y[index]);
            self.inner_v[index] = velocity;
            self.displacement[index] = theta * h * velocity;
            self.acceleration[index] = (self.y[index] - from.v[index]) / h;
        }
        let space = &layout.space;
        // Inner point: q_n · exp(θ h v_θ).
        space.retract(&from.q, &self.displacement, &mut self.inner_q);
        if !settled {
            for (u, velocity) in self.displacement.iter_mut().zip(&self.inner_v) {
                *u = h * velocity;
            }
            // End: q_n · exp(h v_θ).
            space.retract(&from.q, &self.displacement, &mut self.end_q);
            space.normalize(&mut self.end_q);
        }
        for (index, inner) in self.inner_x.iter_mut().enumerate() {
            *inner = between(from.x[index], self.y[self.dimension + index]);
        }
        for (lambda, impulse) in self.lambda.iter_mut().zip(&self.p) {
            *lambda = impulse / h;
        }
    }

    /// Accepts the new iterate; sizes of its correction and of itself as displacements: h v, x, h² z, h P.
    pub fn take_over(&mut self, new_y: &[f64], new_p: &[f64], h: f64) -> Sizes {
        let mut sizes = Sizes::default();
        let rates = self.dimension + self.differential;
        for (index, (y, new)) in self.y.iter_mut().zip(new_y).enumerate() {
            let weight = if index < self.dimension {
                h
            } else if index < rates {
                1.0
            } else {
                h * h
            };
            sizes.add(weight, new - *y, *new);
            *y = *new;
        }
        for (p, new) in self.p.iter_mut().zip(new_p) {
            sizes.add(h, new - *p, *new);
            *p = *new;
        }
        sizes
    }

    /// Accelerations (v - v_n)/h and multipliers P/h of the present iterate into a state, with the rest of it.
    pub fn store(&self, to: &mut State) {
        let rates = self.dimension + self.differential;
        to.q.copy_from_slice(&self.end_q);
        to.v.copy_from_slice(&self.y[..self.dimension]);
        to.x.copy_from_slice(&self.y[self.dimension..rates]);
        to.z.copy_from_slice(&self.y[rates..]);
        to.lambda.copy_from_slice(&self.lambda);
        to.acceleration.copy_from_slice(&self.acceleration);
    }
}
