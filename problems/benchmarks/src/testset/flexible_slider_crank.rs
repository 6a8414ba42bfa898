//! A slider-crank with a flexible connecting rod.

use super::published::{Statement, names};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const FLEXIBLE_SLIDER_CRANK: ProblemEntry = ProblemEntry {
    name: "flexible-slider-crank",
    title: "slider-crank with a flexible rod, two bending modes and two longitudinal nodes, driven at 150 rad/s",
    description: "Angles of crank and rod, position of the slider, four elastic coordinates; three position constraints, \
                  one of them the drive. Undamped vibrations up to 4e4 rad/s make explicit methods slow. The \
                  multipliers lam have the test set's sign, M q'' = f - G^T lam.",
    source: "Test Set for IVP Solvers, `crank` (linear stiffness, no damping, first initial values); Simeon, Math. \
             Modelling of Systems 2 (1996) 1, doi:10.1080/13873959608837026",
    parameters: &[],
    build,
};

const ROD_MASS: f64 = 0.151_104;
const SLIDER_MASS: f64 = 0.075_552;
const CRANK: f64 = 0.15;
const ROD: f64 = 0.30;
const CRANK_INERTIA: f64 = 0.002_727;
const ROD_INERTIA: f64 = 0.004_533_925_9;
const YOUNG: f64 = 0.2e12;
const WIDTH: f64 = 0.008;
const HEIGHT: f64 = 0.008;
const DENSITY: f64 = 7870.0;
const DRIVE: f64 = 150.0;
/// As the test set writes it.
#[allow(clippy::approx_constant)]
const PI: f64 = 3.141_592_7;

const ELASTIC: usize = 4;
const SIZE: usize = 3 + ELASTIC;
type Matrix = [[f64; ELASTIC]; ELASTIC];

const VOLUME: f64 = WIDTH * HEIGHT * ROD;
const MASS_FACTOR: f64 = DENSITY * VOLUME;
const STIFFNESS_FACTOR: f64 = YOUNG * WIDTH * HEIGHT / ROD;
const SLENDERNESS: f64 = HEIGHT / ROD * (HEIGHT / ROD);
const PI3: f64 = PI * PI * PI;
const PI4: f64 = PI3 * PI;

/// The mass matrix of the elastic coordinates; the factors of the longitudinal ones are those of the test set's code,
/// although quadratic elements would have a fifteenth of them.
const M_Q: Matrix = [
    [0.5 * MASS_FACTOR, 0.0, 0.0, 0.0],
    [0.0, 0.5 * MASS_FACTOR, 0.0, 0.0],
    [0.0, 0.0, 8.0 * MASS_FACTOR, MASS_FACTOR],
    [0.0, 0.0, MASS_FACTOR, 2.0 * MASS_FACTOR],
];

/// The stiffness matrix of the elastic coordinates.
const K_Q: Matrix = [
    [STIFFNESS_FACTOR * PI4 / 24.0 * SLENDERNESS, 0.0, 0.0, 0.0],
    [
        0.0,
        STIFFNESS_FACTOR * PI4 * 2.0 / 3.0 * SLENDERNESS,
        0.0,
        0.0,
    ],
    [
        0.0,
        0.0,
        STIFFNESS_FACTOR * 16.0 / 3.0,
        -STIFFNESS_FACTOR * 8.0 / 3.0,
    ],
    [
        0.0,
        0.0,
        -STIFFNESS_FACTOR * 8.0 / 3.0,
        STIFFNESS_FACTOR * 7.0 / 3.0,
    ],
];

const BENDING_1: f64 = VOLUME * 16.0 / PI3;
const BENDING_2: f64 = VOLUME * (8.0 / PI3 - 1.0 / PI);
const BENDING_3: f64 = VOLUME * 0.5 / PI;

/// The antisymmetric coupling of lateral and longitudinal coordinates.
const B_Q: Matrix = [
    [0.0, 0.0, -BENDING_1, BENDING_2],
    [0.0, 0.0, 0.0, BENDING_3],
    [BENDING_1, 0.0, 0.0, 0.0],
    [-BENDING_2, -BENDING_3, 0.0, 0.0],
];

/// Integrals of the longitudinal and of the lateral shape functions, alone and times the coordinate along the rod.
const C1: [f64; ELASTIC] = [0.0, 0.0, VOLUME * 2.0 / 3.0, VOLUME / 6.0];
const C2: [f64; ELASTIC] = [VOLUME * 2.0 / PI, 0.0, 0.0, 0.0];
const C12: [f64; ELASTIC] = [0.0, 0.0, ROD * VOLUME / 3.0, ROD * VOLUME / 6.0];
const C21: [f64; ELASTIC] = [ROD * VOLUME / PI, -ROD * VOLUME * 0.5 / PI, 0.0, 0.0];

fn dot<S: Scalar>(coefficients: &[f64; ELASTIC], q: &[S]) -> S {
    q.iter()
        .zip(coefficients)
        .map(|(&q, &coefficient)| q * coefficient)
        .sum()
}

fn times<S: Scalar>(matrix: &Matrix, q: &[S]) -> [S; ELASTIC] {
    [0, 1, 2, 3].map(|row| dot(&matrix[row], q))
}

fn product<S: Scalar>(a: &[S], b: &[S]) -> S {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}

/// Crank angle, rod angle, slider position and the elastic coordinates q1 to q4.
struct FlexibleSliderCrank;

impl Model for FlexibleSliderCrank {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(SIZE)).with_position_rows(3)
    }

    /// The elastic coordinates and their rates are the published ones; the rest follows from the constraints, where
    /// the published values, printed with nine digits, violate them by 2e-10.
    fn initial_state(&self) -> State {
        let elastic = [0.0, 0.0, 0.103_339_863e-4, 0.169_327_969e-4];
        let rates = [
            0.444_896_105,
            0.463_434_311e-2,
            -0.178_591_076e-5,
            -0.268_938_672e-5,
        ];
        let length = ROD + elastic[3];
        let mut q = vec![0.0, 0.0, CRANK + length];
        q.extend(elastic);
        let mut v = vec![DRIVE, -CRANK * DRIVE / length, rates[3]];
        v.extend(rates);
        State {
            q,
            v,
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let (sine, cosine) = (at.q[0] - at.q[1]).sin_cos();
        let q = &at.q[3..];
        let m_q = times(&M_Q, q);
        let b_q = times(&B_Q, q);
        let coupling = cosine * (0.5 * CRANK * ROD * ROD_MASS)
            + (sine * dot(&C2, q) + cosine * dot(&C1, q)) * (DENSITY * CRANK);
        mass[(0, 0)] = S::constant(CRANK_INERTIA + ROD_MASS * CRANK * CRANK);
        mass[(0, 1)] = coupling;
        mass[(1, 0)] = coupling;
        mass[(1, 1)] = product(q, &m_q) + dot(&C12, q) * (2.0 * DENSITY) + ROD_INERTIA;
        mass[(2, 2)] = S::constant(SLIDER_MASS);
        for i in 0..ELASTIC {
            let with_crank = (cosine * C2[i] - sine * C1[i]) * (DENSITY * CRANK);
            // qᵀB = -B q, B being antisymmetric.
            let with_rod = (S::constant(C21[i]) - b_q[i]) * DENSITY;
            mass[(0, 3 + i)] = with_crank;
            mass[(3 + i, 0)] = with_crank;
            mass[(1, 3 + i)] = with_rod;
            mass[(3 + i, 1)] = with_rod;
            for j in 0..ELASTIC {
                mass[(3 + i, 3 + j)] = S::constant(M_Q[i][j]);
            }
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let (sine, cosine) = (at.q[0] - at.q[1]).sin_cos();
        let (q, rates) = (&at.q[3..], &at.v[3..]);
        let (crank, rod) = (at.v[0], at.v[1]);
        let (crank2, rod2) = (crank * crank, rod * rod);
        let (c1, c2) = (dot(&C1, q), dot(&C2, q));
        let m_q = times(&M_Q, q);
        let k_q = times(&K_Q, q);
        let b_rates = times(&B_Q, rates);
        let rigid = sine * (0.5 * CRANK * ROD * ROD_MASS);
        let swing = cosine * c2 - sine * c1;
        let slip = cosine * dot(&C1, rates) + sine * dot(&C2, rates);
        force[0] =
            rod2 * (swing * (DENSITY * CRANK) - rigid) - rod * slip * (2.0 * DENSITY * CRANK);
        force[1] = crank2 * (rigid - swing * (DENSITY * CRANK))
            - rod * (dot(&C12, rates) * DENSITY + product(rates, &m_q)) * 2.0;
        force[2] = S::constant(0.0);
        for i in 0..ELASTIC {
            let carried = rod2 * C12[i]
                + crank2 * (cosine * C1[i] + sine * C2[i]) * CRANK
                + rod * b_rates[i] * 2.0;
            force[3 + i] = rod2 * m_q[i] + carried * DENSITY - k_q[i];
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (sine_crank, cosine_crank) = at.q[0].sin_cos();
        let (sine_rod, cosine_rod) = at.q[1].sin_cos();
        let length = at.q[6] + ROD;
        g[0] = sine_crank * CRANK + length * sine_rod;
        g[1] = at.q[2] - cosine_crank * CRANK - length * cosine_rod;
        g[2] = at.q[0] - at.t * DRIVE;
    }

    fn output_names(&self) -> Vec<String> {
        let coordinates = ["phi1", "phi2", "x3", "q1", "q2", "q3", "q4"];
        let derived = |prefix: &'static str| coordinates.map(|name| format!("{prefix}{name}"));
        let multipliers = names(&["lam1", "lam2", "lam3"]);
        [derived(""), derived("d_"), derived("dd_")]
            .into_iter()
            .flatten()
            .chain(multipliers)
            .collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let multipliers = state.lambda.iter().map(|lambda| -lambda);
        let all = [&state.q, &state.v, &state.acceleration]
            .into_iter()
            .flatten()
            .copied();
        for (slot, value) in out.iter_mut().zip(all.chain(multipliers)) {
            *slot = value;
        }
    }
}

/// Pieces that the rod is drawn by.
const PIECES: usize = 12;

/// Crank, slider, and the rod by straight pieces between points of its bent line.
fn drawing() -> Drawing {
    let points = (0..=PIECES).map(|point| format!("rod {point}"));
    let names = ["crank".to_owned(), "slider".to_owned()]
        .into_iter()
        .chain(points);
    let mut drawing = Drawing::plane(names, |state, poses| {
        let q = &state.q;
        poses[0] = Pose::plane([0.0, 0.0], q[0]);
        poses[1] = Pose::plane([q[2], 0.0], 0.0);
        let (sine, cosine) = q[1].sin_cos();
        let pin = [CRANK * q[0].cos(), CRANK * q[0].sin()];
        for point in 0..=PIECES {
            // Two sines across, a parabola through middle and end along the rod.
            let share = point as f64 / PIECES as f64;
            let across = q[3] * (PI * share).sin() + q[4] * (2.0 * PI * share).sin();
            let along = ROD * share
                + q[5] * 4.0 * share * (1.0 - share)
                + q[6] * share * (2.0 * share - 1.0);
            let place = [
                pin[0] + along * cosine - across * sine,
                pin[1] + along * sine + across * cosine,
            ];
            poses[2 + point] = Pose::plane(place, q[1]);
        }
    })
    .guide(None, [0.0, 0.0], [1.0, 0.0])
    .rectangle(Some(1), [0.0, 0.0], [0.04, 0.02])
    .bar(Some(0), [0.0, 0.0], [CRANK, 0.0]);
    for point in 2..2 + PIECES {
        drawing = drawing.rod((Some(point), [0.0, 0.0]), (Some(point + 1), [0.0, 0.0]));
    }
    drawing
        .joint(None, [0.0, 0.0])
        .joint(Some(0), [CRANK, 0.0])
        .joint(Some(1), [0.0, 0.0])
}

/// A square matrix by its rows.
fn matrix(formulation: Formulation, title: &str, matrix: &Matrix) -> Formulation {
    let columns = ["column 1", "column 2", "column 3", "column 4"];
    formulation.with_table(title, columns, matrix.map(|row| row.map(Cell::from)))
}

fn formulation() -> Formulation {
    let formulation = Formulation::new([
        "Unknowns p = (phi1, phi2, x3, q1, q2, q3, q4): angles of crank and rod, position of the slider, elastic coordinates \
         q = (q1, q2, q3, q4) of the rod; multipliers lam1 to lam3. SI units.",
        "M(p) p'' = f(p, p') - G^T lam, 0 = g(p, t), G = dg/dp. Outputs d_ and dd_ are first and second derivatives.",
        "With S = sin(phi1 - phi2), C = cos(phi1 - phi2), w1 = phi1', w2 = phi2', r = q', products of vectors a.b, \
         and i, j = 1 to 4:",
        "M_11 = J1 + m2 l1^2",
        "M_12 = M_21 = l1 l2 m2 C / 2 + rho l1 (S c2.q + C c1.q)",
        "M_22 = J2 + q.(Mq q) + 2 rho c12.q",
        "M_33 = m3",
        "M_1(3+i) = M_(3+i)1 = rho l1 (C c2_i - S c1_i)",
        "M_2(3+i) = M_(3+i)2 = rho (c21_i - (Bq q)_i)",
        "M_(3+i)(3+j) = Mq_ij; all other entries are 0",
        "f_1 = w2^2 (rho l1 (C c2.q - S c1.q) - l1 l2 m2 S / 2) - 2 rho l1 w2 (C c1.r + S c2.r)",
        "f_2 = w1^2 (l1 l2 m2 S / 2 - rho l1 (C c2.q - S c1.q)) - 2 w2 (rho c12.r + r.(Mq q))",
        "f_3 = 0",
        "f_(3+i) = w2^2 (Mq q)_i + rho (w2^2 c12_i + l1 w1^2 (C c1_i + S c2_i) + 2 w2 (Bq r)_i) - (Kq q)_i",
        "g_1 = l1 sin(phi1) + (l2 + q4) sin(phi2)",
        "g_2 = x3 - l1 cos(phi1) - (l2 + q4) cos(phi2)",
        "g_3 = phi1 - Omega t",
    ])
    .with_constants([
        ("l1", CRANK, "m"),
        ("l2", ROD, "m"),
        ("m2", ROD_MASS, "kg"),
        ("m3", SLIDER_MASS, "kg"),
        ("J1", CRANK_INERTIA, "kg m^2"),
        ("J2", ROD_INERTIA, "kg m^2"),
        ("rho", DENSITY, "kg/m^3"),
        ("Omega", DRIVE, "rad/s"),
    ]);
    let formulation = matrix(formulation, "Mq (kg)", &M_Q);
    let formulation = matrix(formulation, "Kq (N/m)", &K_Q);
    let formulation = matrix(formulation, "Bq (m^3)", &B_Q);
    let vectors = (0..ELASTIC).map(|i| {
        let [c1, c2, c12, c21] = [C1, C2, C12, C21].map(|vector| Cell::from(vector[i]));
        [Cell::from(i + 1), c1, c2, c12, c21]
    });
    let columns = [
        "i",
        "c1_i (m^3)",
        "c2_i (m^3)",
        "c12_i (m^4)",
        "c21_i (m^4)",
    ];
    formulation.with_table("vectors", columns, vectors)
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &FLEXIBLE_SLIDER_CRANK,
        source: Some(
            "end values of the Test Set for IVP Solvers; its initial values have nine digits, so that no more than \
             eight digits of the solution mean anything",
        ),
        t_end: 0.1,
        default_step: 1e-5,
        main_output: "q1",
        order_study_end: Some(0.005),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "m, rad, and per s for d_",
    };
    Ok(statement
        .model(FlexibleSliderCrank)?
        .with_drawing(drawing()))
}
