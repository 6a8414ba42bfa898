//! Dense output on a Lie group: Hermite polynomials in local coordinates of the start of the step.

use super::polynomials::{Ends, Polynomials, cubic_at};
use crate::manifold::Manifold;
use crate::scalar::{Scalar, Taylor2, larger_or_second};
use crate::system::{Layout, State};

/// The degree of the polynomials.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::solve::{Degree, Interpolant};
/// use liedae::system::{Layout, State};
///
/// // x = t⁴ between 0 and 1: a polynomial of fifth degree has it, one of third degree does not.
/// let layout = Layout::dense(Manifold::euclidean(1));
/// let at = |t: f64| State {
///     t,
///     q: vec![t.powi(4)],
///     v: vec![4.0 * t.powi(3)],
///     acceleration: vec![12.0 * t * t],
///     ..layout.state()
/// };
/// for (degree, found) in [(Degree::Quintic, 1.0 / 16.0), (Degree::Cubic, 0.0)] {
///     let mut interpolant = Interpolant::new(&layout, degree);
///     interpolant.load(&layout.space, &at(0.0), &at(1.0), [&[], &[]]);
///     assert!((interpolant.at(0.5, &layout.space).q[0] - found).abs() < 1e-12);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// From configurations and velocities at both ends.
    Cubic,
    /// As `Cubic`, with velocities along straight lines.
    LinearVelocity,
    /// From configurations, velocities and accelerations at both ends.
    Quintic,
}

/// The interpolant of one step, q(θ) = q_0 · exp(u(θ)), v = dexp_u(u'), so that q' = q · hat(v) holds between the ends.
///
/// Cubic: matches q and v at both ends; local error O(h⁴) in q, O(h³) in v. Quintic: matches v' as well; O(h⁶) and
/// O(h⁵). Linear velocities: q as the cubic, v with O(h²) and not the rate of q between the ends. Differential states are
/// interpolated by a cubic from their values and rates; multipliers and algebraic variables linearly. (The driver then solves the rows
/// of algebraic variables.)
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::solve::{Degree, Interpolant};
/// use liedae::system::{Layout, State};
///
/// // A throw from 0 to 1 s: between the ends it is the parabola itself.
/// let layout = Layout::dense(Manifold::euclidean(1));
/// let at = |t: f64| State { t, q: vec![8.0 * t - 5.0 * t * t], v: vec![8.0 - 10.0 * t], ..layout.state() };
/// let mut interpolant = Interpolant::new(&layout, Degree::Cubic);
/// interpolant.load(&layout.space, &at(0.0), &at(1.0), [&[], &[]]);
/// let between = interpolant.at(0.3, &layout.space);
/// assert!((between.q[0] - 1.95).abs() < 1e-12 && (between.v[0] - 5.0).abs() < 1e-12);
/// ```
pub struct Interpolant {
    degree: Degree,
    start: f64,
    step: f64,
    /// 1 / h; a step of no length has rates of zero.
    per_second: f64,
    /// The polynomials of u.
    polynomials: Polynomials,
    /// Where configurations are no vector space.
    group: Option<Box<OnGroup>>,
    x_rate: [Vec<f64>; 2],
    state: State,
    ends: [State; 2],
}

/// Memory for local coordinates of a group: u and its derivatives with respect to θ at both ends, and between them.
struct OnGroup {
    end: Vec<f64>,
    slope: [Vec<f64>; 2],
    curvature: [Vec<f64>; 2],
    local: Vec<f64>,
    local_rate: Vec<f64>,
    seeds: [Vec<Taylor2>; 3],
}

impl OnGroup {
    fn new(dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        let seeds = || vec![Taylor2::constant(0.0); dimension];
        Self {
            end: zeros(),
            slope: [zeros(), zeros()],
            curvature: [zeros(), zeros()],
            local: zeros(),
            local_rate: zeros(),
            seeds: [seeds(), seeds(), seeds()],
        }
    }

    /// Local coordinates of a step at both ends. All derivatives are by θ, hence the powers of the step.
    fn load(&mut self, space: &Manifold, [from, to]: [&State; 2], degree: Degree) {
        let step = to.t - from.t;
        // u_1 = log(q_0⁻¹ q_1).
        space.lift(&from.q, &to.q, &mut self.end);
        for (slope, v) in self.slope[0].iter_mut().zip(&from.v) {
            *slope = step * v;
        }
        // At u = 0 both dexp and its first derivative along u act trivially: u' = v and u'' = v'.
        for (curvature, a) in self.curvature[0].iter_mut().zip(&from.acceleration) {
            *curvature = step * step * a;
        }
        space.dexp_inverse(&self.end, &to.v, &mut self.slope[1]);
        if degree == Degree::Quintic {
            // u'' = d/dt dexp⁻¹(u) v along u' and v'.
            let [along, velocity, rate] = &mut self.seeds;
            for index in 0..self.end.len() {
                along[index] = Taylor2 {
                    value: self.end[index],
                    first: self.slope[1][index],
                    second: 0.0,
                };
                velocity[index] = Taylor2 {
                    value: to.v[index],
                    first: to.acceleration[index],
                    second: 0.0,
                };
            }
            space.dexp_inverse(along, velocity, rate);
            for (curvature, rate) in self.curvature[1].iter_mut().zip(rate.iter()) {
                *curvature = step * step * rate.first;
            }
        }
        // Only now: the seeds of u'' needed the slope by t.
        for slope in &mut self.slope[1] {
            *slope *= step;
        }
    }

    /// One of the coordinates.
    fn ends(&self, index: usize, degree: Degree, floor: f64) -> Ends {
        let mut ends = Ends {
            value: self.end[index],
            slope: [self.slope[0][index], self.slope[1][index]],
            curvature: [self.curvature[0][index], self.curvature[1][index]],
        };
        ends.drop_round_off(degree, floor);
        ends
    }
}

impl Interpolant {
    /// Allocates everything for systems of this layout.
    pub fn new(layout: &Layout, degree: Degree) -> Self {
        let dimension = layout.dimension();
        let rates = || vec![0.0; layout.differential];
        let group = !layout.space.is_euclidean();
        Self {
            degree,
            start: 0.0,
            step: 0.0,
            per_second: 0.0,
            polynomials: Polynomials::new(degree, dimension),
            group: group.then(|| Box::new(OnGroup::new(dimension))),
            x_rate: [rates(), rates()],
            state: layout.state(),
            ends: [layout.state(), layout.state()],
        }
    }

    /// Prepares the interpolant between two states. `rates` are x' at both ends.
    pub fn load(&mut self, space: &Manifold, from: &State, to: &State, rates: [&[f64]; 2]) {
        let step = to.t - from.t;
        (self.start, self.step) = (from.t, step);
        self.per_second = if step == 0.0 { 0.0 } else { 1.0 / step };
        self.ends[0].copy_from(from);
        self.ends[1].copy_from(to);
        match &mut self.group {
            None => self.fit_in_vector_space(from, to),
            Some(group) => {
                let (degree, floor) = (self.degree, Self::floor(from));
                group.load(space, [from, to], degree);
                let ends = 0..group.end.len();
                self.polynomials
                    .fit(ends.map(|index| group.ends(index, degree, floor)));
            }
        }
        for (kept, given) in self.x_rate.iter_mut().zip(rates) {
            kept.copy_from_slice(given);
        }
        self.state.mode.copy_from_slice(&from.mode);
    }

    /// What round-off of the configuration leaves of displacements.
    fn floor(from: &State) -> f64 {
        let sizes = from.q.iter().map(|q| q.abs());
        16.0 * f64::EPSILON * sizes.fold(1.0, |largest, size| larger_or_second(size, largest))
    }

    /// The polynomials where exp, dexp and its derivatives are the identity.
    fn fit_in_vector_space(&mut self, from: &State, to: &State) {
        let (step, degree, floor) = (self.step, self.degree, Self::floor(from));
        let q = from.q.iter().zip(&to.q);
        let v = from.v.iter().zip(&to.v);
        let acceleration = from.acceleration.iter().zip(&to.acceleration);
        let ends = q.zip(v).zip(acceleration);
        self.polynomials.fit(ends.map(|((q, v), acceleration)| {
            let mut ends = Ends {
                value: q.1 - q.0,
                slope: [step * v.0, step * v.1],
                curvature: [step * step * acceleration.0, step * step * acceleration.1],
            };
            ends.drop_round_off(degree, floor);
            ends
        }));
    }

    /// The state at time `t` within the step, between the two states it was loaded with; the modes are those of the
    /// first.
    pub fn at(&mut self, t: f64, space: &Manifold) -> &State {
        if let Some(theta) = self.place(t) {
            self.move_to(theta, || space);
            self.accelerate(theta, space);
        }
        &self.state
    }

    /// The same for those who ask for no acceleration, which are left as they are.
    #[inline]
    pub(in crate::solve) fn motion_at<'s>(
        &mut self,
        t: f64,
        space: impl FnOnce() -> &'s Manifold,
    ) -> &State {
        if let Some(theta) = self.place(t) {
            self.move_to(theta, space);
        }
        &self.state
    }

    /// θ at time `t`; `None` at the end, where the state has been taken over.
    #[inline]
    fn place(&mut self, t: f64) -> Option<f64> {
        let [from, to] = &self.ends;
        // The end exactly, whatever round-off θ has.
        if t == to.t {
            self.state.copy_from(to);
            self.state.mode.copy_from_slice(&from.mode);
            return None;
        }
        self.state.t = t;
        Some(if self.step == 0.0 {
            0.0
        } else {
            (t - self.start) / self.step
        })
    }

    /// Everything but the acceleration at θ.
    #[inline]
    fn move_to<'s>(&mut self, theta: f64, space: impl FnOnce() -> &'s Manifold) {
        if self.group.is_some() {
            self.move_on_group(theta, space());
        } else {
            // There exp and dexp are the identity.
            let State { q, v, .. } = &mut self.state;
            let start = &self.ends[0].q;
            self.polynomials
                .move_along(theta, self.per_second, start, q, v);
        }
        let State { x, z, lambda, .. } = &self.state;
        if self.degree == Degree::LinearVelocity || x.len() + z.len() + lambda.len() > 0 {
            self.mix(theta);
        }
    }

    /// Configuration and velocity at θ where exp and dexp are more than the identity.
    #[inline(never)]
    fn move_on_group(&mut self, theta: f64, space: &Manifold) {
        let Some(group) = &mut self.group else {
            return;
        };
        let per_second = self.per_second;
        let slots = group.local.iter_mut().zip(&mut group.local_rate);
        (self.polynomials).evaluate(theta, slots, |(local, local_rate), [u, rate, _]| {
            *local = u;
            *local_rate = rate * per_second;
        });
        // q = q_0 · exp(u), v = dexp(u) u'.
        let State { q, v, .. } = &mut self.state;
        space.retract(&self.ends[0].q, &group.local, q);
        space.dexp(&group.local, &group.local_rate, v);
    }

    /// What is mixed from both ends at θ.
    #[inline(never)]
    fn mix(&mut self, theta: f64) {
        let [from, to] = &self.ends;
        let mix = |a: f64, b: f64| a + theta * (b - a);
        if self.degree == Degree::LinearVelocity {
            for (index, v) in self.state.v.iter_mut().enumerate() {
                *v = mix(from.v[index], to.v[index]);
            }
        }
        // A cubic from values and rates.
        for (index, x) in self.state.x.iter_mut().enumerate() {
            let data = Ends {
                value: to.x[index] - from.x[index],
                slope: [
                    self.step * self.x_rate[0][index],
                    self.step * self.x_rate[1][index],
                ],
                curvature: [0.0; 2],
            };
            *x = from.x[index] + cubic_at(&data.cubic(), theta)[0];
        }
        for (index, z) in self.state.z.iter_mut().enumerate() {
            *z = mix(from.z[index], to.z[index]);
        }
        for (index, lambda) in self.state.lambda.iter_mut().enumerate() {
            *lambda = mix(from.lambda[index], to.lambda[index]);
        }
    }

    /// The acceleration at θ: along the quintic v' = d/dt dexp(u) u', linear between the ends for others.
    fn accelerate(&mut self, theta: f64, space: &Manifold) {
        let [from, to] = &self.ends;
        let per_second = self.per_second;
        let accelerations = self.state.acceleration.iter_mut();
        if self.degree != Degree::Quintic || self.step == 0.0 {
            let ends = from.acceleration.iter().zip(&to.acceleration);
            for (slot, (a, b)) in accelerations.zip(ends) {
                *slot = a + theta * (b - a);
            }
            return;
        }
        let Some(group) = &mut self.group else {
            (self.polynomials).evaluate(theta, accelerations, |slot, [_, _, second]| {
                *slot = second * per_second * per_second;
            });
            return;
        };
        let [along, rates, velocity] = &mut group.seeds;
        let slots = along.iter_mut().zip(rates.iter_mut());
        (self.polynomials).evaluate(theta, slots, |(along, rates), [u, rate, second]| {
            *along = Taylor2 {
                value: u,
                first: rate,
                second,
            };
            *rates = Taylor2 {
                value: rate,
                first: second,
                second: 0.0,
            };
        });
        space.dexp(along, rates, velocity);
        for (slot, velocity) in accelerations.zip(velocity.iter()) {
            *slot = velocity.first * per_second * per_second;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Factor;

    /// On a group with rotations and on a vector space, at both ends and between.
    #[test]
    fn accelerations_are_all_that_the_motion_lacks() {
        for space in [Manifold::euclidean(3), Manifold::new([Factor::Rotation])] {
            let layout = Layout::dense(space);
            let end = |t: f64| {
                let numbers =
                    |first: f64| (0..3).map(move |i| first + 0.3 * t - 0.1 * f64::from(i));
                let mut state = State {
                    t,
                    v: numbers(0.4).collect(),
                    acceleration: numbers(-0.2).collect(),
                    ..layout.state()
                };
                let turn: Vec<f64> = numbers(0.5).map(|u| t * u).collect();
                layout.space.retract(&layout.state().q, &turn, &mut state.q);
                state
            };
            for degree in [Degree::Cubic, Degree::LinearVelocity, Degree::Quintic] {
                let mut interpolant = Interpolant::new(&layout, degree);
                interpolant.load(&layout.space, &end(0.0), &end(0.5), [&[], &[]]);
                for t in [0.0, 0.2, 0.5] {
                    let whole = interpolant.at(t, &layout.space).clone();
                    interpolant.motion_at(0.1, || &layout.space);
                    let motion = interpolant.motion_at(t, || &layout.space).clone();
                    let acceleration = whole.acceleration.clone();
                    let motion = State {
                        acceleration,
                        ..motion
                    };
                    assert_eq!(whole, motion, "{degree:?} at {t}");
                }
            }
        }
    }
}
