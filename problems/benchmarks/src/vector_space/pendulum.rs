//! The plane pendulum in Cartesian coordinates: the smallest problem with a position constraint.

use super::{complete_integral, sn_cn_dn};
use crate::formulation::initial_outputs;
use crate::parameters::Range;
use crate::{
    Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Derivative, Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};
use std::f64::consts::FRAC_PI_2;

pub(crate) const PENDULUM: ProblemEntry = ProblemEntry {
    name: "pendulum",
    title: "plane pendulum in Cartesian coordinates",
    description: "A point mass on a circle in the x-y plane, gravity along -y, released at rest; by default from \
                  (-1, 0). One position constraint (x^2 + y^2 - L^2) / 2 on R^2. Exact solution by elliptic functions.",
    source: "classical; A01 of the IFToMM multibody benchmark library; solution: Whittaker, Analytical Dynamics, sec. 44",
    parameters: &[
        ParameterInfo::new("mass", 1.0, "kg", Range::Positive, "mass of the point"),
        ParameterInfo::new("length", 1.0, "m", Range::Positive, "radius of the circle"),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::Positive, "gravity along -y"),
        ParameterInfo::new(
            "angle",
            -FRAC_PI_2,
            "rad",
            Range::Between(-3.1, 3.1),
            "initial angle from the lowest point, positive towards +x",
        ),
    ],
    build,
};

/// A point mass on a circle: x^2 + y^2 = L^2.
///
/// The multiplier of the row (x^2 + y^2 - L^2) / 2 is minus the tension per length, in N/m.
#[derive(Clone, Debug, PartialEq)]
pub struct Pendulum {
    /// Mass in kg.
    pub mass: f64,
    /// Radius of the circle in m.
    pub length: f64,
    /// Gravity along -y in m/s^2.
    pub gravity: f64,
    /// Initial angle from the lowest point in rad.
    pub angle: f64,
}

const OUTPUTS: [&str; 8] = ["x", "y", "vx", "vy", "ax", "ay", "lambda", "tension"];

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }

    fn initial_state(&self) -> State {
        let (sine, cosine) = self.angle.sin_cos();
        State {
            q: vec![self.length * sine, -self.length * cosine],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(self.mass);
        mass[(1, 1)] = S::constant(self.mass);
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-self.mass * self.gravity);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - self.length * self.length) * 0.5;
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        jacobian[(0, 0)] = at.q[0];
        jacobian[(0, 1)] = at.q[1];
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        bias[0] = at.v[0] * at.v[0] + at.v[1] * at.v[1];
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        OUTPUTS.map(str::to_owned).to_vec()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let lambda = state.lambda[0];
        let tension = -lambda * self.length;
        let all = state
            .q
            .iter()
            .chain(&state.v)
            .chain(&state.acceleration)
            .copied();
        for (slot, value) in out.iter_mut().zip(all.chain([lambda, tension])) {
            *slot = value;
        }
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic = 0.5 * self.mass * (at.v[0] * at.v[0] + at.v[1] * at.v[1]);
        Some(kinetic + self.mass * self.gravity * at.q[1])
    }
}

impl Pendulum {
    /// Period of the motion in s; at angle 0 its limit.
    pub fn period(&self) -> f64 {
        let (k, complement) = (0.5 * self.angle).sin_cos();
        4.0 * complete_integral(k.abs(), complement) / (self.gravity / self.length).sqrt()
    }

    /// The exact solution in the order of the outputs.
    ///
    /// With k = sin(angle / 2) and u = sqrt(g / L) t: sin(a / 2) = k cd(u, k), cos(a / 2) = sqrt(1 - k^2) nd(u, k).
    fn exact(&self, t: f64, out: &mut [f64]) {
        let frequency = (self.gravity / self.length).sqrt();
        let (k, complement) = (0.5 * self.angle).sin_cos();
        let (sn, cn, dn) = sn_cn_dn(frequency * t, k.abs(), complement);
        let (half_sine, half_cosine) = (k * cn / dn, complement / dn);
        let rate = -2.0 * k * frequency * complement * sn / dn;
        let (sine, cosine) = (
            2.0 * half_sine * half_cosine,
            1.0 - 2.0 * half_sine * half_sine,
        );
        let (x, y) = (self.length * sine, -self.length * cosine);
        let (vx, vy) = (-y * rate, x * rate);
        let angular = -self.gravity / self.length * sine;
        let lambda = self.mass * (self.gravity * y / (self.length * self.length) - rate * rate);
        let (ax, ay) = (
            -y * angular - x * rate * rate,
            x * angular - y * rate * rate,
        );
        out.copy_from_slice(&[x, y, vx, vy, ax, ay, lambda, -lambda * self.length]);
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let pendulum = Pendulum {
        mass: parameters.get("mass")?,
        length: parameters.get("length")?,
        gravity: parameters.get("g")?,
        angle: parameters.get("angle")?,
    };
    let exact = pendulum.clone();
    let drawing = Drawing::plane(["bob"], |state, poses| {
        let [x, y] = [state.q[0], state.q[1]];
        poses[0] = Pose::plane([x, y], x.atan2(-y));
    })
    .rod((None, [0.0, 0.0]), (Some(0), [0.0, 0.0]))
    .disc(Some(0), [0.0, 0.0], 0.06 * pendulum.length)
    .joint(None, [0.0, 0.0]);
    let source = "closed form with Jacobi's elliptic functions, relative error below 1e-13";
    let reference = Reference::new(source, 0.0, exact.period(), true);
    let reference = reference.with_closed_form(OUTPUTS, move |t, out| exact.exact(t, out));
    let formulation = Formulation::new([
        "A point at (x, y) with velocity (vx, vy); mass, length, g and angle are parameters.",
        "mass x'' = lambda x",
        "mass y'' = lambda y - mass g",
        "0 = (x^2 + y^2 - length^2) / 2, the multiplier lambda acts with the gradient of this row; tension = -lambda length",
        "At the start x = length sin(angle), y = -length cos(angle), and it is at rest.",
    ])
    .with_initial_values("m, m/s for vx and vy", initial_outputs(&pendulum));
    let reference = reference.exact_to(13.0);
    Ok(Problem {
        formulation: Some(formulation),
        name: PENDULUM.name,
        system: Box::new(Automatic::new(pendulum)),
        t_end: 10.0,
        default_step: 1e-3,
        reference: Some(reference),
        main_output: "x".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IFToMM A01 with 20 digits, computed with mpmath.
    #[test]
    fn exact_solution() {
        let pendulum = Pendulum {
            mass: 1.0,
            length: 1.0,
            gravity: 9.81,
            angle: -FRAC_PI_2,
        };
        assert!((pendulum.period() - 2.367_841_947_576_237_5).abs() < 1e-15);
        let mut out = [0.0; 8];
        for (t, x, y) in [
            (0.0, -1.0, 0.0),
            (1.0, 0.986_291_751_131_875_3, -0.165_010_853_125_541_17),
            (5.0, -0.942_305_435_043_757_3, -0.334_754_338_414_000_6),
            (9.99, -0.316_436_469_913_032_3, -0.948_613_704_575_776_5),
            (10.0, -0.275_087_462_576_116_9, -0.961419205099125),
        ] {
            pendulum.exact(t, &mut out);
            assert!(
                (out[0] - x).abs() < 2e-14 && (out[1] - y).abs() < 2e-14,
                "{t}: {out:?}"
            );
        }
    }
}
