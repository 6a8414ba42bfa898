//! Labels of rows and velocities, and the place of a system in space.

use crate::system::Point;
use serde::Serialize;

/// Names of what a system's vectors consist of, in the words of whoever stated it: `joint 'elbow' (revolute): displacement along y`.
///
/// Analyses and their errors speak of rows and velocities by these names. Indices count from 0; `None` is for what has no name.
/// Names are asked for where something is reported, never within a step.
///
/// ```
/// use liedae::analysis::mobility;
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Labels};
///
/// /// A bead on a wire, and the same wire once more.
/// struct Bead;
///
/// impl Model for Bead {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(2)).with_position_rows(2)
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0, 0.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         (mass[(0, 0)], mass[(1, 1)]) = (S::constant(1.0), S::constant(1.0));
///     }
///     fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
///     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
///         g.fill(at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0);
///     }
///     fn labels(&self) -> Option<&dyn Labels> {
///         Some(self)
///     }
/// }
///
/// impl Labels for Bead {
///     fn row(&self, row: usize) -> Option<String> {
///         ["wire", "second wire"].get(row).map(|&name| name.to_owned())
///     }
/// }
///
/// let mut bead = Automatic::new(Bead);
/// let state = bead.initial_state();
/// let found = mobility(&mut Evaluator::new(&mut bead), &state)?;
/// assert_eq!(found.redundant[0].row.to_string(), "second wire (row 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Labels {
    /// A constraint row; position rows come first.
    fn row(&self, _row: usize) -> Option<String> {
        None
    }

    /// A velocity, and the local coordinate that goes with it.
    fn velocity(&self, _component: usize) -> Option<String> {
        None
    }

    /// A differential state.
    fn differential_state(&self, _state: usize) -> Option<String> {
        None
    }

    /// An algebraic variable.
    fn algebraic_variable(&self, _variable: usize) -> Option<String> {
        None
    }
}

/// A system that moves in three-dimensional space, or in a plane of it.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::system::{Layout, Momentum, Point, Spatial};
///
/// /// Two masses of 1 kg and 2 kg with q = (r₁, r₂) and v = q'.
/// struct Masses;
///
/// impl Spatial for Masses {
///     fn momentum(&self, at: &Point) -> Momentum {
///         let mut momentum = Momentum::default();
///         for (body, mass) in [1.0, 2.0].into_iter().enumerate() {
///             let (r, v) = (&at.q[3 * body..], &at.v[3 * body..]);
///             for k in 0..3 {
///                 let (i, j) = ((k + 1) % 3, (k + 2) % 3);
///                 momentum.linear[k] += mass * v[k];
///                 momentum.angular[k] += mass * (r[i] * v[j] - r[j] * v[i]);
///             }
///         }
///         momentum
///     }
///     fn world_vectors(&self) -> Vec<usize> {
///         vec![0, 3]
///     }
///     fn orientations(&self, _at: &Point) -> Vec<(usize, [f64; 9])> {
///         Vec::new()
///     }
/// }
///
/// let mut state = Layout::dense(Manifold::euclidean(6)).state();
/// state.q[0] = 3.0;
/// state.v[1] = 2.0;
/// let momentum = Masses.momentum(&state.point());
/// assert_eq!((momentum.linear[1], momentum.angular[2]), (2.0, 6.0));
/// ```
pub trait Spatial {
    /// Momentum and angular momentum of everything that moves.
    fn momentum(&self, at: &Point) -> Momentum;

    /// Where among the velocities three components are a vector in the world, such as r' of a body. All others, such as ω in the body,
    /// are the same in a frame that turns ([`Turning`](crate::analysis::Turning)).
    fn world_vectors(&self) -> Vec<usize>;

    /// Where among the velocities the three components of a body's angular velocity stand, in the body, and the body's rotation matrix, row
    /// by row, body to world. Empty for systems without bodies that turn.
    fn orientations(&self, at: &Point) -> Vec<(usize, [f64; 9])>;
}

/// Momentum of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Momentum {
    /// Σ m r', world frame, N s.
    pub linear: [f64; 3],
    /// About the origin of the world, world frame, N m s.
    pub angular: [f64; 3],
}
