//! The car axis problem: a rod on two springs over a bumpy road.

use super::published::{SOURCE, Statement, names};
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const CAR_AXIS: ProblemEntry = ProblemEntry {
    name: "car-axis",
    title: "car axis, two mass points on springs, driven by the road, two position constraints",
    description: "The left wheel's chassis point is kept above the moving axis, the distance of the two chassis points is \
                  constant. The small masses (M eps^2 / 2, 5e-4 for stiffness 1) make it moderately stiff. The multipliers have \
                  the test set's sign. A reference is known for the default parameters.",
    source: "Test Set for IVP Solvers, `caraxis`; Schneider 1992, after Hairer, Lubich and Roche 1989",
    parameters: &[
        ParameterInfo::new(
            "eps",
            0.01,
            "1",
            Range::Between(1e-6, 1.0),
            "square root of the mass: smaller is stiffer",
        ),
        ParameterInfo::new(
            "omega",
            10.0,
            "rad/s",
            Range::Finite,
            "angular frequency of the road",
        ),
        ParameterInfo::new(
            "r",
            0.1,
            "m",
            Range::Between(0.0, 0.9),
            "height of the road's bumps",
        ),
    ],
    build,
};

/// Left and right chassis point (xl, yl), (xr, yr); the left wheel is in the origin, the right one in (xb, yb)(t).
#[derive(Clone, Copy)]
struct CarAxis {
    /// M eps² / 2 with M = [`MASS`].
    mass: f64,
    /// Angular frequency and height of the road.
    omega: f64,
    r: f64,
}

/// The mass for eps = sqrt(2).
const MASS: f64 = 10.0;
const LENGTH: f64 = 1.0;
const SPRING_LENGTH: f64 = 0.5;
const GRAVITY: f64 = 1.0;

impl CarAxis {
    /// The right wheel (xb, yb).
    fn wheel<S: Scalar>(&self, t: S) -> [S; 2] {
        let height = (t * self.omega).sin() * self.r;
        [
            (S::constant(LENGTH * LENGTH) - height * height).sqrt(),
            height,
        ]
    }
}

impl Model for CarAxis {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(4)).with_position_rows(2)
    }

    fn initial_state(&self) -> State {
        // The axis begins to turn at the rate r ω / L, and both points move with it.
        let speed = -SPRING_LENGTH * self.r * self.omega / LENGTH;
        State {
            q: vec![0.0, SPRING_LENGTH, LENGTH, SPRING_LENGTH],
            v: vec![speed, 0.0, speed, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..4 {
            mass[(i, i)] = S::constant(self.mass);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let right = self.wheel(at.t);
        let spring = |x: S, y: S| {
            let length = (x * x + y * y).sqrt();
            let tension = (S::constant(SPRING_LENGTH) - length) / length;
            [x * tension, y * tension - self.mass * GRAVITY]
        };
        force[..2].copy_from_slice(&spring(at.q[0], at.q[1]));
        force[2..].copy_from_slice(&spring(at.q[2] - right[0], at.q[3] - right[1]));
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let right = self.wheel(at.t);
        let (dx, dy) = (at.q[0] - at.q[2], at.q[1] - at.q[3]);
        g[0] = right[0] * at.q[0] + right[1] * at.q[1];
        g[1] = dx * dx + dy * dy - LENGTH * LENGTH;
    }

    fn output_names(&self) -> Vec<String> {
        names(&[
            "xl", "yl", "xr", "yr", "d_xl", "d_yl", "d_xr", "d_yr", "lam1", "lam2",
        ])
    }
}

fn formulation(mass: f64) -> Formulation {
    Formulation::new([
        "Chassis points (xl, yl) and (xr, yr), left wheel in the origin, right wheel in (xb, yb); multipliers lam1, lam2. \
         eps, omega and r are parameters, m = M eps^2 / 2.",
        "yb = r sin(omega t), xb = sqrt(L^2 - yb^2)",
        "Ll = sqrt(xl^2 + yl^2), Lr = sqrt((xr - xb)^2 + (yr - yb)^2)",
        "m xl'' = (L0 - Ll) xl / Ll + lam1 xb + 2 lam2 (xl - xr)",
        "m yl'' = (L0 - Ll) yl / Ll + lam1 yb + 2 lam2 (yl - yr) - m g",
        "m xr'' = (L0 - Lr) (xr - xb) / Lr - 2 lam2 (xl - xr)",
        "m yr'' = (L0 - Lr) (yr - yb) / Lr - 2 lam2 (yl - yr) - m g",
        "0 = xl xb + yl yb",
        "0 = (xl - xr)^2 + (yl - yr)^2 - L^2",
        "Outputs d_ are first derivatives. No units: the springs have the stiffness 1.",
    ])
    .with_constants([
        ("M", MASS, "1"),
        ("m", mass, "1"),
        ("L", LENGTH, "1"),
        ("L0", SPRING_LENGTH, "1"),
        ("g", GRAVITY, "1"),
    ])
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let eps = parameters.get("eps")?;
    let model = CarAxis {
        mass: MASS * eps * eps / 2.0,
        omega: parameters.get("omega")?,
        r: parameters.get("r")?,
    };
    let known = parameters.are_default_except(&[]);
    let statement = Statement {
        entry: &CAR_AXIS,
        source: known.then_some(SOURCE),
        t_end: 3.0,
        default_step: 1e-3,
        main_output: "yr",
        order_study_end: None,
        absolute_scale: 1.0,
        formulation: formulation(model.mass),
        unit: "1, per s for d_",
    };
    let drawing = Drawing::plane(["left", "right", "wheel"], move |state, poses| {
        let [left, right] = [0, 2].map(|i| [state.q[i], state.q[i + 1]]);
        let bar = |from: [f64; 2], to: [f64; 2]| (to[1] - from[1]).atan2(to[0] - from[0]);
        poses[0] = Pose::plane(left, bar(left, right));
        poses[1] = Pose::plane(right, bar(left, right));
        poses[2] = Pose::plane(model.wheel(state.t), 0.0);
    })
    .spring((None, [0.0, 0.0]), (Some(0), [0.0, 0.0]))
    .spring((Some(2), [0.0, 0.0]), (Some(1), [0.0, 0.0]))
    .rod((None, [0.0, 0.0]), (Some(2), [0.0, 0.0]))
    .bar(Some(0), [0.0, 0.0], [LENGTH, 0.0])
    .disc(None, [0.0, 0.0], 0.06)
    .disc(Some(2), [0.0, 0.0], 0.06);
    Ok(statement.model(model)?.with_drawing(drawing))
}
