//! Andrews' mechanism in seven angles with six loop closures.

use super::formulation;
use super::geometry::{
    A, B, C, D, DA, E, EA, FA, RA, RR, SA, SB, SC, SD, SS, TA, TB, U, UA, UB, ZF, ZT,
};
use super::loops::{Gradients, Trigonometry, add_bias, fill_closures, fill_jacobian};
use super::{ANGLES, INITIAL_ANGLES, PARAMETERS, Properties, STIFF_PARAMETERS, reference};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Automatic, Derivative, Layout, MatrixMut, Model, ModelBalance, Point, State, Wanted,
};
use liedae_multibody::drawing::{Drawing, Pose};

pub(crate) const MINIMAL: ProblemEntry = ProblemEntry {
    name: "andrews",
    title: "Andrews' squeezer, seven bodies in seven angles with six loop closures",
    description: "Seven plane bodies driven by a constant moment against a spring (c0, l0, damping); four closed loops \
                  meet in one point. Angles of 15 rad within 0.03 s. The multipliers lam1..6 have the test set's sign, \
                  M q'' + G^T lam = f. `andrews-stiff` is the stiff variant of Haug, Negrut and Iancu 1997.",
    source: "Hairer and Wanner, Solving Ordinary Differential Equations II, sec. VII.7; IVP test set `andrews`",
    parameters: PARAMETERS,
    build,
};

pub(crate) const MINIMAL_STIFF: ProblemEntry = ProblemEntry {
    name: "andrews-stiff",
    title: "stiff Andrews' squeezer, seven angles with six loop closures",
    description: "The mechanism of `andrews` with a spring of 30000 N/m and a damper of 100000 N s/m beside it: the \
                  crank creeps by 0.35 rad in 0.035 s, and disturbances of its speed decay with up to 1e5/s.",
    source: "Haug, Negrut and Iancu, Mech. Struct. Mach. 25 (1997) 311, sec. 4.3, doi:10.1080/08905459708905292",
    parameters: STIFF_PARAMETERS,
    build,
};

/// Andrews' squeezing mechanism in the angles beta, theta, gamma, phi, delta, Omega and epsilon.
///
/// Equations and constraints by Hairer and Wanner 1996, sec. VII.7; Jacobian and bias are analytic.
#[derive(Clone, Debug, PartialEq)]
pub struct Andrews {
    properties: Properties,
    inertias: Inertias,
}

/// What the masses are summed from that does not depend on angles, in kg m².
#[derive(Clone, Debug, PartialEq)]
struct Inertias {
    /// Of body 3, which no other one carries.
    alone: f64,
    crank: Coupled,
    left: Coupled,
    right: Coupled,
}

/// Those of a body that carries another one.
#[derive(Clone, Debug, PartialEq)]
struct Coupled {
    /// Of the body that is carried, about the pin between both.
    carried: f64,
    /// Of both together, without what their angle adds.
    both: f64,
    /// What the angle between them multiplies.
    coupling: f64,
}

impl Inertias {
    fn new(properties: &Properties) -> Self {
        let Properties {
            mass: m,
            inertia: i,
            ..
        } = properties;
        let (l4, l6) = (E - EA, ZF - FA);
        let second = m[1] * DA * DA + i[1];
        let fourth = m[3] * l4 * l4 + i[3];
        let sixth = m[5] * l6 * l6 + i[5];
        Self {
            alone: m[2] * (SA * SA + SB * SB) + i[2],
            crank: Coupled {
                carried: second,
                both: m[0] * RA * RA + m[1] * RR * RR + i[0] + second,
                coupling: m[1] * DA * RR,
            },
            left: Coupled {
                carried: fourth,
                both: fourth + m[3] * ZT * ZT + m[4] * (TA * TA + TB * TB) + i[4],
                coupling: m[3] * ZT * l4,
            },
            right: Coupled {
                carried: sixth,
                both: sixth + m[5] * U * U + m[6] * (UA * UA + UB * UB) + i[6],
                coupling: m[5] * U * l6,
            },
        }
    }
}

/// Sines and cosines of the angles that forces depend on: between two bodies that carry each other, and of the one with the spring.
struct Links<S> {
    theta: (S, S),
    phi: (S, S),
    omega: (S, S),
    gamma: (S, S),
}

impl<S: Scalar> Links<S> {
    /// From the angles of the loop closures. Those between links are their differences, so that no further sines are needed. The last
    /// digits may be others than those of [`new`](Self::new).
    fn of_loops(loops: &Trigonometry<S>) -> Self {
        let difference = |(sin, cos): (S, S), (less_sin, less_cos): (S, S)| {
            (
                sin * less_cos - cos * less_sin,
                cos * less_cos + sin * less_sin,
            )
        };
        Self {
            theta: difference(loops.beta_theta, loops.beta),
            phi: difference(loops.phi_delta, loops.delta),
            omega: difference(loops.omega_epsilon, loops.epsilon),
            gamma: loops.gamma,
        }
    }

    fn new(q: &[S]) -> Self {
        let [theta, phi, omega, gamma] = S::sin_cos_all([q[1], q[3], q[5], q[2]]);
        Self {
            theta,
            phi,
            omega,
            gamma,
        }
    }
}

/// The spring: its end on body 3 relative to C, the rate of that by gamma, and its length.
struct Spring<S> {
    end: [S; 2],
    by_gamma: [S; 2],
    length: S,
}

impl<S: Scalar> Spring<S> {
    fn new((sine, cosine): (S, S)) -> Self {
        let arm = [cosine * SD + sine * SC, sine * SD - cosine * SC];
        let end = [arm[0] + (B[0] - C[0]), arm[1] + (B[1] - C[1])];
        Self {
            end,
            by_gamma: [-arm[1], arm[0]],
            length: (end[0] * end[0] + end[1] * end[1]).sqrt(),
        }
    }

    /// The rate of the length.
    fn rate(&self, gamma_rate: S) -> S {
        (self.end[0] * self.by_gamma[0] + self.end[1] * self.by_gamma[1]) / self.length * gamma_rate
    }
}

/// The angles that are coupled by masses and by forces of inertia: one body carries the other.
const PAIRS: [&[usize]; 7] = [&[0, 1], &[0, 1], &[2], &[3, 4], &[3, 4], &[5, 6], &[5, 6]];

/// The pairs among them.
const COUPLED: [[usize; 2]; 3] = [[0, 1], [3, 4], [5, 6]];

/// The angles in each row of the three loop closures.
const LOOPS: [&[usize]; 6] = [
    &[0, 1, 2],
    &[0, 1, 2],
    &[0, 1, 3, 4],
    &[0, 1, 3, 4],
    &[0, 1, 5, 6],
    &[0, 1, 5, 6],
];

/// The pattern of rows with these angles.
fn pattern(rows: &[&[usize]]) -> Pattern {
    let entries = rows.iter().enumerate();
    let entries = entries.flat_map(|(row, angles)| angles.iter().map(move |&angle| (row, angle)));
    // All angles are less than seven; a dense pattern would be right as well.
    Pattern::from_entries(rows.len(), 7, entries).unwrap_or_else(|_| Pattern::dense(rows.len(), 7))
}

impl Andrews {
    /// With these masses, inertias, spring and drive.
    pub fn new(properties: Properties) -> Self {
        Self {
            inertias: Inertias::new(&properties),
            properties,
        }
    }

    /// Masses, inertias, spring and drive.
    pub fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The entries of the mass matrix: the body in the middle by itself, and three pairs of angles with their coupling in the middle.
    fn masses<S: Scalar>(&self, links: &Links<S>) -> (S, [[S; 3]; 3]) {
        let Inertias {
            alone,
            crank,
            left,
            right,
        } = &self.inertias;
        let c = S::constant;
        let by_crank = links.theta.1 * crank.coupling;
        let by_left = links.phi.0 * left.coupling;
        let by_right = links.omega.0 * right.coupling;
        let pairs = [
            [
                c(crank.both) - by_crank * 2.0,
                c(crank.carried) - by_crank,
                c(crank.carried),
            ],
            [
                c(left.carried),
                by_left + left.carried,
                by_left * 2.0 + left.both,
            ],
            [
                c(right.carried),
                c(right.carried) - by_right,
                c(right.both) - by_right * 2.0,
            ],
        ];
        (c(*alone), pairs)
    }

    fn fill_mass<S: Scalar>(&self, links: &Links<S>, mass: &mut MatrixMut<S>) {
        let (alone, pairs) = self.masses(links);
        // Each row for itself: a loop over `COUPLED` takes ninety instructions more, 1.5 % of an explicit stage.
        let [crank, left, right] = pairs;
        mass.set_in_row(0, [(0, crank[0]), (1, crank[1])]);
        mass.set_in_row(1, [(0, crank[1]), (1, crank[2])]);
        mass.set_in_row(2, [(2, alone)]);
        mass.set_in_row(3, [(3, left[0]), (4, left[1])]);
        mass.set_in_row(4, [(3, left[1]), (4, left[2])]);
        mass.set_in_row(5, [(5, right[0]), (6, right[1])]);
        mass.set_in_row(6, [(5, right[1]), (6, right[2])]);
    }

    /// Subtracts M a.
    fn resist<S: Scalar>(&self, links: &Links<S>, a: &[S], forces: &mut [S]) {
        let (alone, pairs) = self.masses(links);
        forces[2] -= alone * a[2];
        for ([first, second], [own, coupling, other]) in COUPLED.into_iter().zip(pairs) {
            forces[first] -= own * a[first] + coupling * a[second];
            forces[second] -= coupling * a[first] + other * a[second];
        }
    }

    fn fill_force<S: Scalar>(&self, at: &Point<S>, links: &Links<S>, force: &mut [S]) {
        let bodies = &self.inertias;
        let [crank, left, right] =
            [&bodies.crank, &bodies.left, &bodies.right].map(|pair| pair.coupling);
        let [beta, theta, gamma, phi, delta, omega, epsilon] =
            std::array::from_fn(|angle| at.v[angle]);
        let (sin_theta, cos_phi, cos_omega) = (links.theta.0, links.phi.1, links.omega.1);
        let spring = Spring::new(links.gamma);
        let pull = self.properties.pull(spring.length, spring.rate(gamma)) / spring.length;

        force[0] = sin_theta * theta * (theta + beta * 2.0) * -crank + self.properties.moment;
        force[1] = sin_theta * beta * beta * crank;
        force[2] =
            -pull * (spring.end[0] * spring.by_gamma[0] + spring.end[1] * spring.by_gamma[1]);
        force[3] = cos_phi * delta * delta * left;
        force[4] = cos_phi * phi * (phi + delta * 2.0) * -left;
        force[5] = cos_omega * epsilon * epsilon * -right;
        force[6] = cos_omega * omega * (omega + epsilon * 2.0) * right;
    }
}

/// Seven angles.
fn space() -> Manifold {
    Manifold::euclidean(7)
}

impl Model for Andrews {
    fn layout(&self) -> Layout {
        Layout {
            mass: pattern(&PAIRS),
            jacobian: pattern(&LOOPS),
            rates: pattern(&PAIRS),
            // Loop closures add up sines of single angles and of such pairs.
            reactions: Some(pattern(&PAIRS)),
            ..Layout::dense(space()).with_position_rows(LOOPS.len())
        }
    }

    fn initial_state(&self) -> State {
        State {
            q: INITIAL_ANGLES.to_vec(),
            ..State::new(&space(), LOOPS.len(), 0, 0)
        }
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        self.fill_mass(&Links::new(at.q), mass);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.fill_force(at, &Links::new(at.q), force);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        fill_closures(&Trigonometry::new(at.q), g);
    }

    fn constraint_jacobian(&self, at: &Point, jacobian: &mut MatrixMut<f64>) -> Derivative {
        fill_jacobian(&Trigonometry::new(at.q), jacobian);
        Derivative::Analytic
    }

    fn acceleration_bias(&self, at: &Point, bias: &mut [f64]) -> Derivative {
        add_bias(&Trigonometry::new(at.q), at.v, bias);
        Derivative::Analytic
    }

    fn at_point(&self, at: &Point, wanted: &mut Wanted<MatrixMut<f64>>) -> Derivative {
        let needs_loops = wanted.jacobian.is_some()
            || wanted.velocity_constraint.is_some()
            || wanted.acceleration_bias.is_some();
        let links = if needs_loops {
            let loops = Trigonometry::new(at.q);
            if let Some(jacobian) = &mut wanted.jacobian {
                fill_jacobian(&loops, jacobian);
            }
            if let Some(rows) = &mut wanted.velocity_constraint {
                Gradients::new(&loops).rows(at.v, rows);
            }
            if let Some(bias) = &mut wanted.acceleration_bias {
                add_bias(&loops, at.v, bias);
            }
            Links::of_loops(&loops)
        } else {
            Links::new(at.q)
        };
        if let Some(mass) = &mut wanted.mass {
            self.fill_mass(&links, mass);
        }
        if let Some(force) = &mut wanted.rates {
            self.fill_force(at, &links, force);
        }
        Derivative::Analytic
    }

    fn balance<S: Scalar>(
        &self,
        at: &Point<S>,
        acceleration: &[S],
        out: &mut ModelBalance<S>,
    ) -> Derivative {
        let loops = Trigonometry::new(at.q);
        let links = Links::of_loops(&loops);
        let gradients = Gradients::new(&loops);
        self.fill_force(at, &links, out.forces);
        gradients.react(at.lambda, out.forces);
        self.resist(&links, acceleration, out.forces);
        if let Some(g) = &mut out.position {
            fill_closures(&loops, g);
        }
        if let Some(rows) = &mut out.velocity {
            gradients.rows(at.v, rows);
        }
        if let Some(rows) = &mut out.acceleration {
            gradients.rows(acceleration, rows);
            add_bias(&loops, at.v, rows);
        }
        Derivative::Analytic
    }

    fn output_names(&self) -> Vec<String> {
        let prefixed =
            |prefix: &'static str| ANGLES.iter().map(move |angle| format!("{prefix}{angle}"));
        let multipliers = (1..=6).map(|row| format!("lam{row}"));
        let spring = ["spring_len", "spring_len_d"].map(str::to_owned);
        prefixed("")
            .chain(prefixed("d_"))
            .chain(prefixed("dd_"))
            .chain(multipliers)
            .chain(spring)
            .collect()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let spring = Spring::new(state.q[2].sin_cos());
        // The test set writes M q'' + G^T lam = f.
        let multipliers = state.lambda.iter().map(|lambda| -lambda);
        let own = state
            .q
            .iter()
            .chain(&state.v)
            .chain(&state.acceleration)
            .copied()
            .chain(multipliers);
        for (slot, value) in out
            .iter_mut()
            .zip(own.chain([spring.length, spring.rate(state.v[2])]))
        {
            *slot = value;
        }
    }

    /// Kinetic energy plus that of the spring minus the work of the driving moment since the start; constant without
    /// the damper.
    fn energy(&self, at: &Point) -> Option<f64> {
        let mut mass = [0.0; 49];
        self.mass_matrix(at, &mut MatrixMut::new(7, &mut mass));
        let products = (0..49).map(|entry| mass[entry] * at.v[entry / 7] * at.v[entry % 7]);
        let stretch = Spring::new(at.q[2].sin_cos()).length - self.properties.free_length;
        let work = self.properties.moment * (at.q[0] - INITIAL_ANGLES[0]);
        Some(
            0.5 * products.sum::<f64>() + 0.5 * self.properties.stiffness * stretch * stretch
                - work,
        )
    }
}

/// Frames in the pivots of the bodies, or in the points by which they hang on others.
fn drawing() -> Drawing {
    Drawing::plane(["1", "2", "3", "4", "5", "6", "7"], |state, poses| {
        let [beta, theta, gamma, phi, delta, omega, epsilon] =
            [0, 1, 2, 3, 4, 5, 6].map(|i| state.q[i]);
        let along = |[x, y]: [f64; 2], length: f64, angle: f64| {
            [x + length * angle.cos(), y + length * angle.sin()]
        };
        let pin = along([0.0, 0.0], RR, beta);
        let common = along(pin, -D, beta + theta);
        let places = [
            ([0.0, 0.0], beta),
            (pin, beta + theta),
            (B, gamma),
            (common, phi + delta),
            (A, delta),
            (common, omega + epsilon),
            (A, epsilon),
        ];
        for (pose, (position, angle)) in poses.iter_mut().zip(places) {
            *pose = Pose::plane(position, angle);
        }
    })
    .body(Some(0), &[[0.0, 0.0], [RR, 0.0]])
    .body(Some(1), &[[0.0, 0.0], [-D, 0.0]])
    .body(Some(2), &[[0.0, 0.0], [0.0, -SS], [SD, -SC]])
    .body(Some(3), &[[0.0, 0.0], [0.0, E]])
    .body(Some(4), &[[0.0, 0.0], [ZT, 0.0], [TA, TB]])
    .body(Some(5), &[[0.0, 0.0], [-ZF, 0.0]])
    .body(Some(6), &[[0.0, 0.0], [0.0, -U], [-UB, -UA]])
    .joint(None, [0.0, 0.0])
    .joint(None, A)
    .joint(None, B)
    .joint(Some(1), [0.0, 0.0])
    .joint(Some(1), [-D, 0.0])
    .joint(Some(4), [ZT, 0.0])
    .joint(Some(6), [0.0, -U])
    .spring((None, C), (Some(2), [SD, -SC]))
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let reference = reference(parameters, false)?;
    let model = Andrews::new(Properties::from_parameters(parameters)?);
    Ok(Problem {
        formulation: Some(formulation::minimal(&model)),
        name: parameters.problem(),
        t_end: reference
            .as_ref()
            .map_or(0.03, |reference| reference.range().1),
        system: Box::new(Automatic::new(model)),
        default_step: 1e-5,
        reference,
        main_output: "beta".to_owned(),
        order_study_end: None,
        absolute_scale: 1.0,
        drawing: Some(drawing()),
    })
}
