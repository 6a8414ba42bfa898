//! The loop closures of Andrews' mechanism in seven angles.

use super::geometry::{A, B, D, E, RR, SS, U, ZF, ZT};
use liedae::scalar::Scalar;
use liedae::system::MatrixMut;

/// Sines and cosines of the angles and sums of angles in the loop closures.
pub(super) struct Trigonometry<S> {
    pub beta: (S, S),
    pub gamma: (S, S),
    pub delta: (S, S),
    pub epsilon: (S, S),
    pub beta_theta: (S, S),
    pub phi_delta: (S, S),
    pub omega_epsilon: (S, S),
}

impl<S: Scalar> Trigonometry<S> {
    #[inline]
    pub fn new(q: &[S]) -> Self {
        let [
            beta,
            gamma,
            delta,
            epsilon,
            beta_theta,
            phi_delta,
            omega_epsilon,
        ] = S::sin_cos_all([
            q[0],
            q[2],
            q[4],
            q[6],
            q[0] + q[1],
            q[3] + q[4],
            q[5] + q[6],
        ]);
        Self {
            beta,
            gamma,
            delta,
            epsilon,
            beta_theta,
            phi_delta,
            omega_epsilon,
        }
    }
}

/// The columns of the Jacobian of the loop closures: two numbers each, which all three loops share for beta and theta.
pub(super) struct Gradients<S> {
    beta: [S; 2],
    theta: [S; 2],
    gamma: [S; 2],
    phi: [S; 2],
    delta: [S; 2],
    omega: [S; 2],
    epsilon: [S; 2],
}

impl<S: Scalar> Gradients<S> {
    pub fn new(s: &Trigonometry<S>) -> Self {
        let theta = [s.beta_theta.0 * D, s.beta_theta.1 * -D];
        let phi = [s.phi_delta.1 * -E, s.phi_delta.0 * -E];
        let omega = [s.omega_epsilon.0 * ZF, s.omega_epsilon.1 * -ZF];
        Self {
            beta: [theta[0] - s.beta.0 * RR, theta[1] + s.beta.1 * RR],
            gamma: [s.gamma.1 * -SS, s.gamma.0 * -SS],
            delta: [phi[0] + s.delta.0 * ZT, phi[1] - s.delta.1 * ZT],
            epsilon: [omega[0] - s.epsilon.1 * U, omega[1] - s.epsilon.0 * U],
            theta,
            phi,
            omega,
        }
    }

    /// G v.
    pub fn rows(&self, v: &[S], rows: &mut [S]) {
        for axis in 0..2 {
            let shared = self.beta[axis] * v[0] + self.theta[axis] * v[1];
            rows[axis] = shared + self.gamma[axis] * v[2];
            rows[2 + axis] = shared + self.phi[axis] * v[3] + self.delta[axis] * v[4];
            rows[4 + axis] = shared + self.omega[axis] * v[5] + self.epsilon[axis] * v[6];
        }
    }

    /// Adds Gᵀ λ.
    pub fn react(&self, lambda: &[S], forces: &mut [S]) {
        for axis in 0..2 {
            let [first, second, third] = [0, 2, 4].map(|loop_start| lambda[loop_start + axis]);
            let shared = first + second + third;
            forces[0] += self.beta[axis] * shared;
            forces[1] += self.theta[axis] * shared;
            forces[2] += self.gamma[axis] * first;
            forces[3] += self.phi[axis] * second;
            forces[4] += self.delta[axis] * second;
            forces[5] += self.omega[axis] * third;
            forces[6] += self.epsilon[axis] * third;
        }
    }
}

/// The Jacobian of the loop closures.
pub(super) fn fill_jacobian(s: &Trigonometry<f64>, jacobian: &mut MatrixMut<f64>) {
    let by = Gradients::new(s);
    for axis in 0..2 {
        let (beta, theta) = ((0, by.beta[axis]), (1, by.theta[axis]));
        jacobian.set_in_row(axis, [beta, theta, (2, by.gamma[axis])]);
        let second = [beta, theta, (3, by.phi[axis]), (4, by.delta[axis])];
        jacobian.set_in_row(2 + axis, second);
        let third = [beta, theta, (5, by.omega[axis]), (6, by.epsilon[axis])];
        jacobian.set_in_row(4 + axis, third);
    }
}

/// Adds the bias of the loop closures at acceleration level.
pub(super) fn add_bias<S: Scalar>(s: &Trigonometry<S>, v: &[S], rows: &mut [S]) {
    let square = |rate: S| rate * rate;
    let (beta, gamma, delta, epsilon) = (square(v[0]), square(v[2]), square(v[4]), square(v[6]));
    let (beta_theta, phi_delta, omega_epsilon) = (
        square(v[0] + v[1]),
        square(v[3] + v[4]),
        square(v[5] + v[6]),
    );
    let x = s.beta_theta.1 * D * beta_theta - s.beta.1 * RR * beta;
    let y = s.beta_theta.0 * D * beta_theta - s.beta.0 * RR * beta;
    rows[0] += x + s.gamma.0 * SS * gamma;
    rows[1] += y - s.gamma.1 * SS * gamma;
    rows[2] += x + s.phi_delta.0 * E * phi_delta + s.delta.1 * ZT * delta;
    rows[3] += y - s.phi_delta.1 * E * phi_delta + s.delta.0 * ZT * delta;
    rows[4] += x + s.omega_epsilon.1 * ZF * omega_epsilon + s.epsilon.0 * U * epsilon;
    rows[5] += y + s.omega_epsilon.0 * ZF * omega_epsilon - s.epsilon.1 * U * epsilon;
}

/// The loop closures.
pub(super) fn fill_closures<S: Scalar>(s: &Trigonometry<S>, g: &mut [S]) {
    let x = s.beta.1 * RR - s.beta_theta.1 * D;
    let y = s.beta.0 * RR - s.beta_theta.0 * D;
    g[0] = x - s.gamma.0 * SS - B[0];
    g[1] = y + s.gamma.1 * SS - B[1];
    g[2] = x - s.phi_delta.0 * E - s.delta.1 * ZT - A[0];
    g[3] = y + s.phi_delta.1 * E - s.delta.0 * ZT - A[1];
    g[4] = x - s.omega_epsilon.1 * ZF - s.epsilon.0 * U - A[0];
    g[5] = y - s.omega_epsilon.0 * ZF + s.epsilon.1 * U - A[1];
}
