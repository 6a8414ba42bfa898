//! Small motions about a state on the constraint manifold.

use super::AnalysisError;
use super::equations::{Equations, Sizes};
use super::matrices::{Subspaces, dense};
use super::steady::{check_constant, check_steady};
use super::turning::Turning;
use crate::linalg::{Blocks, KktSolver, Pattern};
use crate::system::{AccelerationSolver, Evaluator, State};
use faer::Mat;

/// Stiffness matrices that differ from their transposes by less than this part of their largest entry are symmetric.
const SYMMETRIC: f64 = 1e-10;

/// A system linearized about a state on its constraint manifold.
///
/// Small motions q = q₀ · exp(u), v = v₀ + w, x = x₀ + ξ that the constraints allow are s' = A s, (u, w, ξ) = T s,
/// where the columns of T span the tangent space of the constraint manifold: G u = 0 and G w + ∂(G v + g_t)/∂q u = 0.
/// Differential states that count revolutions ([`Layout::revolution_counters`](crate::system::Layout::revolution_counters))
/// have no part in x.
///
/// ```
/// use liedae::analysis::{Linearization, linearize};
/// use liedae::prelude::*;
/// use liedae::system::Evaluator;
///
/// // A pendulum of 1 m at rest: one degree of freedom, s'' = -g s.
/// let mut pendulum = liedae::model([0.0, -1.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let rest = pendulum.initial_state();
/// let small: Linearization = linearize(&mut Evaluator::new(&mut pendulum), &rest, None)?;
/// assert_eq!((small.freedom, small.velocities), (1, 2));
/// let a = small.matrix();
/// assert!((a[0][0] * a[1][1] - a[0][1] * a[1][0] - 9.81).abs() < 1e-9 && (a[0][0] + a[1][1]).abs() < 1e-9);
/// // It moves to the side only: u, then w.
/// assert!(small.tangents().iter().all(|column| column[1].abs() < 1e-12 && column[3].abs() < 1e-12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Linearization {
    pub(super) matrix: Mat<f64>,
    pub(super) tangent: Mat<f64>,
    /// Number of velocities: u and w have so many rows each in T.
    pub velocities: usize,
    /// Degrees of freedom of the configuration.
    pub freedom: usize,
    /// Where it is at rest, and its forces depend on positions only: its modes are those of a symmetric problem.
    pub(super) conservative: Option<Conservative>,
}

impl Linearization {
    /// A row by row, square, of the size of the state manifold.
    pub fn matrix(&self) -> Vec<Vec<f64>> {
        let size = self.matrix.nrows();
        (0..size)
            .map(|i| (0..size).map(|j| self.matrix[(i, j)]).collect())
            .collect()
    }

    /// The columns of T, as many as A has rows, each with u, w and ξ one after the other.
    pub fn tangents(&self) -> Vec<Vec<f64>> {
        let (rows, columns) = (self.tangent.nrows(), self.tangent.ncols());
        (0..columns)
            .map(|j| (0..rows).map(|i| self.tangent[(i, j)]).collect())
            .collect()
    }
}

/// Mass and stiffness of a system at rest whose forces do not depend on velocities: of all velocities, and of those that the
/// constraints leave.
#[derive(Clone, Debug)]
pub(super) struct Conservative {
    pub all_mass: Mat<f64>,
    pub all_stiffness: Mat<f64>,
    pub mass: Mat<f64>,
    pub stiffness: Mat<f64>,
    pub kernel: Mat<f64>,
}

impl Conservative {
    /// The system in the directions of a kernel; `None` where its stiffness has no symmetry there.
    pub fn new(all_mass: Mat<f64>, all_stiffness: Mat<f64>, kernel: Mat<f64>) -> Option<Self> {
        let reduced = |all: &Mat<f64>| kernel.transpose() * all * &kernel;
        let symmetric = |matrix: &Mat<f64>| (matrix + matrix.transpose()) * 0.5;
        let (mass, stiffness) = (reduced(&all_mass), reduced(&all_stiffness));
        let skew = (&stiffness - stiffness.transpose()).norm_max();
        (skew <= SYMMETRIC * stiffness.norm_max()).then(|| Self {
            mass: symmetric(&mass),
            stiffness: symmetric(&stiffness),
            all_mass,
            all_stiffness,
            kernel,
        })
    }
}

/// Linearizes a system about a state that is at rest, or at rest in a frame that turns steadily.
///
/// All of it is differentiated: forces, gyroscopic terms, the geometric stiffness of reactions, algebraic variables. Accelerations and
/// multipliers are computed, whatever the state has. Rows may be redundant; where the state is singular
/// ([`Mobility::is_singular`](super::Mobility::is_singular)) its tangent space has too many dimensions.
///
/// # Errors
/// [`AnalysisError::Unsteady`] where the state moves on: find an equilibrium first, or say how it turns. [`AnalysisError::Periodic`] where
/// the equations of small motions change along a steady motion, as of a rotor that is not round.
/// [`AnalysisError::SingularDescriptor`] where E of E x' = d is singular.
///
/// An example is that of the [module](super).
pub fn linearize(
    system: &mut Evaluator,
    state: &State,
    turning: Option<&Turning>,
) -> Result<Linearization, AnalysisError> {
    let mut at = state.clone();
    AccelerationSolver::new(system.layout())?.complete(system, &mut at)?;
    let turning = turning.cloned().unwrap_or_default();
    turning.check(at.v.len())?;
    let equations = Equations::of_small_motions(system, &at)?;
    check_steady(system, &at, &turning, &equations)?;
    let (small, whole) = linearized(system, &at, &turning, &equations)?;
    check_constant(system, &at, &turning, &whole)?;
    Ok(small)
}

/// The linearization about a completed state, and its matrix on all of (u, w, ξ): T A T⁺, which does not depend on the choice of T.
pub(super) fn linearized(
    system: &mut Evaluator,
    at: &State,
    turning: &Turning,
    equations: &Equations,
) -> Result<(Linearization, Mat<f64>), AnalysisError> {
    let space = system.layout().space.clone();
    let (n, differential) = (equations.sizes.velocities, equations.sizes.differential);
    let tangent = tangent_space(system, at, equations)?;
    let response = response(system, at, equations, &tangent)?;
    let size = tangent.matrix.ncols();

    // The rates of (u, w, ξ) along each column of T.
    let mut rates = Mat::zeros(2 * n + differential, size);
    let (mut bracket, mut turned) = (vec![0.0; n], vec![0.0; n]);
    for column in 0..size {
        let along: Vec<f64> = (0..2 * n + differential)
            .map(|i| tangent.matrix[(i, column)])
            .collect();
        let (u, w) = (&along[..n], &along[n..2 * n]);
        // The difference of two motions: u' = w - [v, u].
        space.bracket(&at.v, u, &mut bracket);
        turning.turn(u, &mut turned);
        for i in 0..n {
            rates[(i, column)] = w[i] - bracket[i] - turned[i];
        }
        turning.turn(w, &mut turned);
        for i in 0..n + differential {
            let own = if i < n { turned[i] } else { 0.0 };
            rates[(n + i, column)] = response[(i, column)] - own;
        }
    }
    let coordinates = tangent.coordinates();
    let matrix = &coordinates * &rates;
    let whole = &tangent.matrix * (&matrix * &coordinates);
    let at_rest = at.v.iter().all(|&v| v == 0.0) && turning.is_none();
    let holonomic = system.layout().velocity_rows == 0;
    let conservative = (at_rest && holonomic)
        .then(|| equations.conservative(&tangent.of_position))
        .flatten();
    let small = Linearization {
        conservative,
        matrix,
        velocities: n,
        freedom: tangent.of_position.ncols(),
        tangent: tangent.matrix,
    };
    Ok((small, whole))
}

/// The tangent space of the constraint manifold: T, and orthonormal directions of u and w.
struct Tangent {
    matrix: Mat<f64>,
    of_position: Mat<f64>,
    of_velocity: Mat<f64>,
    /// Velocities that change constraint rows.
    inverse: Mat<f64>,
}

impl Tangent {
    /// The matrix that takes (u, w, ξ) of the tangent space to its coordinates: the columns of T for w and ξ have no part in u, so that
    /// u is read first; what comes with u stands at right angles to the directions of w.
    fn coordinates(&self) -> Mat<f64> {
        let (n, freedom) = (self.of_position.nrows(), self.of_position.ncols());
        let others = self.of_velocity.ncols();
        Mat::from_fn(self.matrix.ncols(), self.matrix.nrows(), |k, i| {
            if k < freedom {
                if i < n { self.of_position[(i, k)] } else { 0.0 }
            } else if k < freedom + others {
                if (n..2 * n).contains(&i) {
                    self.of_velocity[(i - n, k - freedom)]
                } else {
                    0.0
                }
            } else {
                f64::from(u8::from(i + freedom + others == k + 2 * n))
            }
        })
    }
}

fn tangent_space(
    system: &mut Evaluator,
    at: &State,
    equations: &Equations,
) -> Result<Tangent, AnalysisError> {
    let layout = system.layout().clone();
    let jacobian = &equations.jacobian;
    let (n, differential) = (equations.sizes.velocities, equations.sizes.differential);
    let positions = Mat::from_fn(layout.position_rows, n, |i, j| jacobian[(i, j)]);
    let of_position = Subspaces::of(&positions)?.kernel;
    let all = Subspaces::of(jacobian)?;
    let of_velocity = all.kernel.clone();
    let mut values = vec![0.0; layout.jacobian.nnz()];
    if !values.is_empty() {
        system.velocity_constraint_jacobian(&at.point(), &mut values)?;
    }
    // Velocities that come with a displacement: G w = -∂(G v)/∂q u.
    let coming = &all.pseudo_inverse * &dense(&layout.jacobian, &values) * &of_position;
    let (first, second) = (of_position.ncols(), of_velocity.ncols());
    let mut matrix = Mat::zeros(2 * n + differential, first + second + differential);
    for i in 0..n {
        for k in 0..first {
            matrix[(i, k)] = of_position[(i, k)];
            matrix[(n + i, k)] = -coming[(i, k)];
        }
        for k in 0..second {
            matrix[(n + i, first + k)] = of_velocity[(i, k)];
        }
    }
    for k in 0..differential {
        matrix[(2 * n + k, first + second + k)] = 1.0;
    }
    Ok(Tangent {
        matrix,
        of_position,
        of_velocity,
        inverse: all.pseudo_inverse,
    })
}

/// How accelerations and differential rates answer to each column (u, w, ξ) of T, by the derivative of the index-1 form:
///
/// ```text
/// [M -f_z -Gᵀ; 0 a_z a_λ; G 0 0] (δv', δz, δλ) = (f_u u - K_g u + f_v w + f_x ξ, -a_u u - a_v w - a_x ξ, -∂(G v' + γ))
/// ```
fn response(
    system: &mut Evaluator,
    at: &State,
    equations: &Equations,
    tangent: &Tangent,
) -> Result<Mat<f64>, AnalysisError> {
    let layout = system.layout().clone();
    let Sizes {
        velocities: n,
        differential,
        algebraic,
        rows,
    } = equations.sizes;
    let Equations {
        mass,
        by_position,
        by_velocity,
        stiffness,
        ..
    } = equations;
    let (mut hidden_q, mut hidden_v) = (
        vec![0.0; layout.jacobian.nnz()],
        vec![0.0; layout.jacobian.nnz()],
    );
    if rows > 0 {
        system.acceleration_constraint_jacobian(
            &at.point(),
            &at.acceleration,
            &mut hidden_q,
            &mut hidden_v,
        )?;
    }
    let hidden_q = dense(&layout.jacobian, &hidden_q);
    let hidden_v = dense(&layout.jacobian, &hidden_v);

    // Algebraic variables stand behind the accelerations; differential states between them in the layout's order.
    let all = n + algebraic;
    let place = |index: usize| {
        if index < n {
            index
        } else {
            index + differential
        }
    };
    let blocks = Blocks {
        variables: vec![all],
        rows: vec![rows],
    };
    let pattern = Pattern::dense(rows, all);
    let mut kkt = KktSolver::new(&Pattern::dense(all, all), &pattern, &pattern, &blocks)?;
    let mut a = vec![0.0; all * all];
    for i in 0..all {
        for j in 0..all {
            let of_mass = if i < n && j < n { mass[(i, j)] } else { 0.0 };
            let of_variable = if j < n {
                0.0
            } else {
                -by_position[(place(i), place(j))]
            };
            a[i * all + j] = of_mass + of_variable;
        }
    }
    let (b, c) = equations.constraint_blocks(all);
    kkt.factor(&a, &b, &c)?;

    let descriptor = match &layout.descriptor {
        None => None,
        Some((pattern, values)) => {
            let first = pattern.rows() - differential;
            let whole = dense(pattern, values);
            let own = Mat::from_fn(differential, differential, |i, j| {
                whole[(first + i, first + j)]
            });
            let spaces = Subspaces::of(&own)?;
            if spaces.rank < differential {
                return Err(AnalysisError::SingularDescriptor);
            }
            Some(spaces.pseudo_inverse)
        }
    };
    // What the right-hand sides are made of: positions of differential states stand behind those of velocities.
    let slopes = Mat::from_fn(
        n + differential + algebraic,
        2 * n + differential,
        |i, j| {
            let geometric = if i < n && j < n {
                stiffness[(i, j)]
            } else {
                0.0
            };
            match j {
                u if u < n => by_position[(i, u)] - geometric,
                w if w < 2 * n => by_velocity[(i, w - n)],
                x => by_position[(i, x - n)],
            }
        },
    );
    let given_slopes = &slopes * &tangent.matrix;
    let (u, w) = (tangent.matrix.subrows(0, n), tangent.matrix.subrows(n, n));
    // Redundant rows change together; what round-off makes of them apart from each other is left out.
    let change = &hidden_q * u + &hidden_v * w;
    let change = &equations.jacobian * (&tangent.inverse * change);
    let columns = tangent.matrix.ncols();
    let mut answers = Mat::zeros(n + differential, columns);
    let (mut top, mut bottom) = (vec![0.0; all], vec![0.0; rows]);
    let (mut unknowns, mut multipliers) = (vec![0.0; all], vec![0.0; rows]);
    for column in 0..columns {
        for (i, slot) in top.iter_mut().enumerate() {
            *slot = given_slopes[(place(i), column)];
        }
        for (row, slot) in bottom.iter_mut().enumerate() {
            *slot = -change[(row, column)];
        }
        kkt.solve(&top, &bottom, &mut unknowns, &mut multipliers)?;
        for i in 0..n {
            answers[(i, column)] = unknowns[i];
        }
        let given: Vec<f64> = (0..differential)
            .map(|k| {
                let of_variables = (0..algebraic).map(|index| {
                    by_position[(n + k, n + differential + index)] * unknowns[n + index]
                });
                given_slopes[(n + k, column)] + of_variables.sum::<f64>()
            })
            .collect();
        for k in 0..differential {
            answers[(n + k, column)] = match &descriptor {
                None => given[k],
                Some(inverse) => (0..differential).map(|j| inverse[(k, j)] * given[j]).sum(),
            };
        }
    }
    Ok(answers)
}

impl Equations {
    /// Mass and stiffness at rest in the directions that the constraints leave, where modes follow from them alone.
    fn conservative(&self, kernel: &Mat<f64>) -> Option<Conservative> {
        let n = self.sizes.velocities;
        let depends_on_velocity = (0..n).any(|i| (0..n).any(|j| self.by_velocity[(i, j)] != 0.0));
        if self.sizes.differential + self.sizes.algebraic > 0 || depends_on_velocity {
            return None;
        }
        let stiffness = Mat::from_fn(n, n, |i, j| {
            self.stiffness[(i, j)] - self.by_position[(i, j)]
        });
        Conservative::new(self.mass.clone(), stiffness, kernel.clone())
    }
}
