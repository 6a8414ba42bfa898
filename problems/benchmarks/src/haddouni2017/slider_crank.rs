//! The slider-crank of sec. 3.4, Fig. 3: two angles and one bilateral constraint.

use crate::error::TableError;
use crate::parameters::Range;
use crate::reference::Table;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Reference};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Derivative, Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};
use std::sync::LazyLock;

pub(crate) const SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "haddouni-slider-crank",
    title: "slider-crank in two angles with one bilateral constraint",
    description: "Crank and rod in a vertical plane by their angles alpha1, alpha2 from +x, the slider at the rod's tip \
                  on y = 0: l1 sin alpha1 + l2 sin alpha2 = 0. Three revolutions from the stretched position at \
                  150 rad/s. N is the guide's force on the slider. The paper prints no data: lengths, masses, inertias \
                  and rates are those of the slider-crank of Flores, Leine and Glocker without its clearance.",
    source: "Haddouni et al., Multibody Syst. Dyn. 41 (2017) 201, sec. 3.4, doi:10.1007/s11044-017-9570-y; data: Flores, \
             Leine and Glocker, Multibody Syst. Dyn. 23 (2010) 165, doi:10.1007/s11044-009-9178-y",
    parameters: &[
        ParameterInfo::new("l1", 0.153, "m", Range::Positive, "length of the crank"),
        ParameterInfo::new(
            "l2",
            0.306,
            "m",
            Range::Positive,
            "length of the rod, more than that of the crank",
        ),
        ParameterInfo::new("m1", 0.038, "kg", Range::Positive, "mass of the crank"),
        ParameterInfo::new("m2", 0.038, "kg", Range::Positive, "mass of the rod"),
        ParameterInfo::new("m3", 0.076, "kg", Range::Positive, "mass of the slider"),
        ParameterInfo::new(
            "J1",
            7.4e-5,
            "kg m^2",
            Range::Positive,
            "moment of inertia of the crank about its centre",
        ),
        ParameterInfo::new(
            "J2",
            5.9e-4,
            "kg m^2",
            Range::Positive,
            "moment of inertia of the rod about its centre",
        ),
        ParameterInfo::new("g", 9.81, "m/s^2", Range::NonNegative, "gravity along -y"),
        ParameterInfo::new(
            "alpha1",
            0.0,
            "rad",
            Range::Finite,
            "initial angle of the crank",
        ),
        ParameterInfo::new(
            "omega1",
            150.0,
            "rad/s",
            Range::Finite,
            "initial angular velocity of the crank",
        ),
    ],
    build,
};

/// A slider-crank in the angles of crank and rod, both from +x; the centres of mass are at half lengths.
///
/// With m12 = m2 / 2 + m3 the mass matrix is [J1 + (m1 / 4 + m2 + m3) l1², m12 l1 l2 cos(alpha1 - alpha2); same,
/// J2 + (m2 / 4 + m3) l2²]: the slider moves with the tip of the rod, and the multiplier of the position row
/// l1 sin alpha1 + l2 sin alpha2 = 0 is the force in N of the guide on it.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderCrank {
    /// Lengths of crank and rod in m, the rod longer than the crank.
    pub length: [f64; 2],
    /// Masses of crank, rod and slider in kg.
    pub mass: [f64; 3],
    /// Moments of inertia of crank and rod about their centres of mass in kg m².
    pub inertia: [f64; 2],
    /// Gravity along -y in m/s².
    pub gravity: f64,
    /// Initial angle of the crank in rad.
    pub angle: f64,
    /// Initial angular velocity of the crank in rad/s.
    pub rate: f64,
}

impl SliderCrank {
    /// m12 l1 l2 in kg m².
    fn coupling(&self) -> f64 {
        (0.5 * self.mass[1] + self.mass[2]) * self.length[0] * self.length[1]
    }

    /// Weights of the angles' sines in the potential energy, in J.
    fn weights(&self) -> [f64; 2] {
        let [crank, rod, slider] = self.mass;
        [
            (0.5 * crank + rod + slider) * self.length[0] * self.gravity,
            (0.5 * rod + slider) * self.length[1] * self.gravity,
        ]
    }

    /// The diagonal of the mass matrix in kg m².
    fn diagonal(&self) -> [f64; 2] {
        let ([crank, rod, slider], [l1, l2]) = (self.mass, self.length);
        [
            self.inertia[0] + (0.25 * crank + rod + slider) * l1 * l1,
            self.inertia[1] + (0.25 * rod + slider) * l2 * l2,
        ]
    }
}

const OUTPUTS: [&str; 10] = [
    "alpha1",
    "alpha2",
    "d_alpha1",
    "d_alpha2",
    "dd_alpha1",
    "dd_alpha2",
    "x",
    "v",
    "N",
    "energy",
];

impl Model for SliderCrank {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }

    fn initial_state(&self) -> State {
        let [l1, l2] = self.length;
        let rod = -(l1 * self.angle.sin() / l2).asin();
        let rod_rate = -l1 * self.angle.cos() / (l2 * rod.cos()) * self.rate;
        State {
            q: vec![self.angle, rod],
            v: vec![self.rate, rod_rate],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let diagonal = self.diagonal();
        mass[(0, 0)] = S::constant(diagonal[0]);
        mass[(0, 1)] = (at.q[0] - at.q[1]).cos() * self.coupling();
        mass[(1, 0)] = mass[(0, 1)];
        mass[(1, 1)] = S::constant(diagonal[1]);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let centrifugal = (at.q[0] - at.q[1]).sin() * self.coupling();
        let weights = self.weights();
        force[0] = -centrifugal * at.v[1] * at.v[1] - at.q[0].cos() * weights[0];
        force[1] = centrifugal * at.v[0] * at.v[0] - at.q[1].cos() * weights[1];
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0].sin() * self.length[0] + at.q[1].sin() * self.length[1];
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        for bar in 0..2 {
            jacobian[(0, bar)] = self.length[bar] * at.q[bar].cos();
        }
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        bias[0] = -(0..2)
            .map(|bar| self.length[bar] * at.q[bar].sin() * at.v[bar] * at.v[bar])
            .sum::<f64>();
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        OUTPUTS.map(str::to_owned).to_vec()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let (q, v, [l1, l2]) = (&state.q, &state.v, self.length);
        out[..2].copy_from_slice(q);
        out[2..4].copy_from_slice(v);
        out[4..6].copy_from_slice(&state.acceleration);
        out[6] = l1 * q[0].cos() + l2 * q[1].cos();
        out[7] = -l1 * q[0].sin() * v[0] - l2 * q[1].sin() * v[1];
        out[8] = state.lambda[0];
        out[9] = self.energy(&state.point()).unwrap_or(f64::NAN);
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let (diagonal, weights) = (self.diagonal(), self.weights());
        let mixed = self.coupling() * (at.q[0] - at.q[1]).cos() * at.v[0] * at.v[1];
        let own = |bar: usize| {
            0.5 * diagonal[bar] * at.v[bar] * at.v[bar] + weights[bar] * at.q[bar].sin()
        };
        Some(own(0) + own(1) + mixed)
    }
}

static TABLE: LazyLock<Result<Table, TableError>> = LazyLock::new(|| {
    let text = include_str!("../../data/haddouni_slider_crank.csv");
    Table::parse("haddouni_slider_crank", text)?.chain(&["alpha1", "d_alpha1", "dd_alpha1"])
});

impl SliderCrank {
    /// All outputs from the crank's angle and the energy, for a crank that turns forwards.
    ///
    /// With the rod's angle as function of the crank's and D, D' the derivatives of it, the inertia seen by the crank is
    /// A = M11 + 2 M12 D + M22 D², and A alpha1'² / 2 + V = E gives the rate.
    fn at_angle(&self, angle: f64, energy: f64, out: &mut [f64]) {
        let ([l1, l2], [m11, m22], [w1, w2]) = (self.length, self.diagonal(), self.weights());
        let (sine, cosine) = angle.sin_cos();
        let rod = -(l1 * sine / l2).asin();
        let (sin_rod, cos_rod) = rod.sin_cos();
        let first = -l1 * cosine / (l2 * cos_rod);
        let second = (l1 * sine + l2 * sin_rod * first * first) / (l2 * cos_rod);
        let (sin_between, cos_between) = (angle - rod).sin_cos();
        let m12 = self.coupling() * cos_between;
        let m12_rate = -self.coupling() * sin_between * (1.0 - first);
        let inertia = m11 + (2.0 * m12 + m22 * first) * first;
        let inertia_rate = 2.0 * (m12_rate * first + (m12 + m22 * first) * second);
        let rate = (2.0 * (energy - w1 * sine - w2 * sin_rod) / inertia).sqrt();
        let gravity = w1 * cosine + w2 * cos_rod * first;
        let acceleration = -(0.5 * inertia_rate * rate * rate + gravity) / inertia;
        let rod_rate = first * rate;
        let rod_acceleration = first * acceleration + second * rate * rate;
        let centrifugal = self.coupling() * sin_between * rate * rate;
        let moment = m12 * acceleration + m22 * rod_acceleration - centrifugal + w2 * cos_rod;
        out.copy_from_slice(&[
            angle,
            rod,
            rate,
            rod_rate,
            acceleration,
            rod_acceleration,
            l1 * cosine + l2 * cos_rod,
            -l1 * sine * rate - l2 * sin_rod * rod_rate,
            moment / (l2 * cos_rod),
            energy,
        ]);
    }

    /// The reference of the default parameters.
    fn reference(self) -> Result<Reference, TableError> {
        let source = "t as an integral over alpha1 by conservation of energy, Gauss quadrature with 30 digits, both \
                      equations of motion hold to 21; bodies in Cartesian coordinates integrated in double precision \
                      agree to 13 digits. 401 samples of alpha1, everything else from it in closed form";
        let table = TABLE.as_ref().map_err(Clone::clone)?;
        let column = table.require("alpha1")?;
        let start = self.initial_state();
        let energy = self.energy(&start.point()).unwrap_or(f64::NAN);
        let reference = Reference::new(source, 0.0, 0.2, false);
        Ok(
            reference.with_closed_form(OUTPUTS, move |t, out| match table.value(column, t) {
                Some(angle) => self.at_angle(angle, energy, out),
                None => out.fill(f64::NAN),
            }),
        )
    }
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let model = SliderCrank {
        length: [get("l1")?, get("l2")?],
        mass: [get("m1")?, get("m2")?, get("m3")?],
        inertia: [get("J1")?, get("J2")?],
        gravity: get("g")?,
        angle: get("alpha1")?,
        rate: get("omega1")?,
    };
    if model.length[0] >= model.length[1] {
        return Err(ProblemError::Build {
            problem: SLIDER_CRANK.name,
            reason: "the rod must be longer than the crank (l2 > l1), or positions are singular"
                .to_owned(),
        });
    }
    let reference = if parameters.are_default_except(&[]) {
        Some(model.clone().reference()?)
    } else {
        None
    };
    let [crank, rod] = model.length;
    let drawing = Drawing::plane(["crank", "rod", "slider"], move |state, poses| {
        let (first, second) = (state.q[0].sin_cos(), state.q[1].sin_cos());
        let pin = [crank * first.1, crank * first.0];
        poses[0] = Pose::plane([0.0, 0.0], state.q[0]);
        poses[1] = Pose::plane(pin, state.q[1]);
        poses[2] = Pose::plane([pin[0] + rod * second.1, pin[1] + rod * second.0], 0.0);
    })
    .guide(None, [0.0, 0.0], [1.0, 0.0])
    .rectangle(Some(2), [0.0, 0.0], [0.15 * rod, 0.08 * rod])
    .bar(Some(0), [0.0, 0.0], [crank, 0.0])
    .bar(Some(1), [0.0, 0.0], [rod, 0.0])
    .joint(None, [0.0, 0.0])
    .joint(Some(1), [0.0, 0.0])
    .joint(Some(2), [0.0, 0.0]);
    Ok(Problem {
        formulation: None,
        name: SLIDER_CRANK.name,
        system: Box::new(Automatic::new(model)),
        t_end: 0.2,
        default_step: 1e-5,
        reference,
        main_output: "alpha1".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows from the angle agrees with the columns of the table, which were computed by other equations.
    #[test]
    fn closed_form_agrees_with_the_table() {
        let problem = SLIDER_CRANK.build_with(&[]).unwrap();
        let (reference, table) = (problem.reference.unwrap(), TABLE.as_ref().unwrap());
        for name in table.names() {
            let column = table.column(name).unwrap();
            let largest = column
                .iter()
                .fold(0.0, |most: f64, value| most.max(value.abs()));
            for (&t, expected) in table.times().iter().zip(column) {
                let error = (reference.value(name, t).unwrap() - expected).abs();
                assert!(error < 1e-13 * largest, "{name} at {t}: {error}");
            }
        }
    }
}
