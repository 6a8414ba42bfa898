//! Sizes and sparsity of a system: all that is known before the first step.

use crate::linalg::{Blocks, KktError, Pattern};
use crate::manifold::Manifold;
use crate::system::State;
use thiserror::Error;

/// A layout whose parts do not fit together.
///
/// ```
/// use liedae::manifold::Manifold;
/// use liedae::system::{Layout, LayoutError};
///
/// // A mass matrix of three coordinates in a system of two.
/// let three = Layout::dense(Manifold::euclidean(3));
/// let layout = Layout { mass: three.mass, ..Layout::dense(Manifold::euclidean(2)) };
/// assert!(matches!(layout.check(), Err(LayoutError::Shape { found_rows: 3, rows: 2, .. })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// A sparsity pattern has the wrong shape.
    #[error(
        "the layout's {part} pattern is {found_rows} x {found_columns} and should be {rows} x {columns}"
    )]
    Shape {
        /// Which pattern.
        part: &'static str,
        /// Its rows.
        found_rows: usize,
        /// Its columns.
        found_columns: usize,
        /// The rows by the counts of the layout.
        rows: usize,
        /// The columns by the counts of the layout.
        columns: usize,
    },
    /// A matrix in which every entry is stated would not fit into memory.
    #[error(
        "the layout's {part} pattern is dense, and {rows} x {columns} entries are more than {MOST_ENTRIES}: state a sparse one, by          System::layout or FirstOrderModel::dependencies, or fewer unknowns"
    )]
    TooLarge {
        /// Which pattern.
        part: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A list has the wrong length or sum.
    #[error("the layout's {part} add up to {found} and should be {expected}")]
    Count {
        /// Which list.
        part: &'static str,
        /// What it adds up to.
        found: usize,
        /// What it should be.
        expected: usize,
    },
}

/// Entries of a dense pattern; more take gigabytes for their places alone.
const MOST_ENTRIES: usize = 1 << 28;

/// Whether a dense matrix of this shape can be stated.
fn fits(rows: usize, columns: usize) -> bool {
    let entries = rows.checked_mul(columns);
    entries.is_some_and(|entries| entries.max(rows).max(columns) <= MOST_ENTRIES)
}

/// Sizes and sparsity of a system, fixed for its lifetime.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The Lie group of configurations.
    pub space: Manifold,
    /// Number of position rows g(t, q) = 0 (index 3).
    pub position_rows: usize,
    /// Number of velocity rows b(t, q, v) = 0, affine in v (nonholonomic, index 2).
    pub velocity_rows: usize,
    /// Number of differential states x.
    pub differential: usize,
    /// Number of differential states, the first ones, that count revolutions: each follows an angle that the configuration
    /// determines within one turn. Systems read only the number of turns from it, so no quantity depends on it smoothly. They are
    /// excluded from small motions.
    pub revolution_counters: usize,
    /// Number of algebraic variables z, with as many rows 0 = a(t, q, v, x, z, λ) (index 1).
    pub algebraic: usize,
    /// Number of discrete modes.
    pub modes: usize,
    /// Mass matrix, `dimension` x `dimension`, both triangles.
    pub mass: Pattern,
    /// Whether the mass matrix is constant between events. It is then evaluated once, and anew after each event. With each
    /// evaluation, and at the end of a run, it is compared with the matrix at a second configuration, except for a projection
    /// that uses it once. If the two differ, the error is
    /// [`EvaluationError::ChangingMass`](crate::system::EvaluationError::ChangingMass). A wrapper that changes the mass of a
    /// system must set `false`.
    pub constant_mass: bool,
    /// Constraint Jacobian, `rows` x `dimension`: position rows first.
    pub jacobian: Pattern,
    /// Derivative of the rates (f, d, a) by (q, x, z) and by v, `rates` x `rates`.
    pub rates: Pattern,
    /// Where the derivative of the reactions Gᵀ λ by the configuration may have entries, `dimension` x `dimension`; `None` is
    /// wherever two velocities occur in one constraint row. A ball joint contributes through the lever arms of its force only; a
    /// pattern that says so keeps the matrices of implicit methods as sparse as the mass matrix.
    pub reactions: Option<Pattern>,
    /// Descriptor matrix E of E x' = d with its constant values, `differential` x `differential`; `None` is the identity.
    pub descriptor: Option<(Pattern, Vec<f64>)>,
    /// Index of each differential state, up to 3; all are 0 where E is regular. See
    /// [`FirstOrderModel::index`](crate::system::FirstOrderModel::index).
    pub differential_index: Vec<u8>,
    /// Bodies and joints: the block structure that the linear solver orders by.
    pub blocks: Blocks,
    /// Whether the rows of a joint, a block of rows, are independent of each other in every configuration, as those of a ball
    /// joint are. Then only loops can make rows dependent, and the driver does not monitor singular values of systems without
    /// loops. The field matters for systems with one body or one joint; in others joints are assumed to be regular. A wrapper
    /// that adds rows to a joint must set `false`.
    pub regular_joints: bool,
}

impl Layout {
    /// A layout in which every matrix is dense, right for systems of a few dozen unknowns: without constraints at first.
    ///
    /// ```
    /// use liedae::manifold::Manifold;
    /// use liedae::system::Layout;
    ///
    /// let disk = Layout::dense(Manifold::euclidean(3)).with_position_rows(1).with_velocity_rows(2);
    /// assert_eq!((disk.dimension(), disk.rows()), (3, 3));
    /// ```
    pub fn dense(space: Manifold) -> Self {
        Self::of_sizes(space, [0; 4])
    }

    /// So many position rows g(t, q) = 0; all matrices become dense.
    pub fn with_position_rows(self, rows: usize) -> Self {
        let [_, velocity, differential, algebraic] = self.sizes();
        self.resized([rows, velocity, differential, algebraic])
    }

    /// So many velocity rows b(t, q, v) = 0; all matrices become dense.
    pub fn with_velocity_rows(self, rows: usize) -> Self {
        let [position, _, differential, algebraic] = self.sizes();
        self.resized([position, rows, differential, algebraic])
    }

    /// So many differential states x; all matrices become dense.
    pub fn with_differential_states(self, states: usize) -> Self {
        let [position, velocity, _, algebraic] = self.sizes();
        self.resized([position, velocity, states, algebraic])
    }

    /// So many algebraic variables z, and rows that determine them; all matrices become dense.
    pub fn with_algebraic_variables(self, variables: usize) -> Self {
        let [position, velocity, differential, _] = self.sizes();
        self.resized([position, velocity, differential, variables])
    }

    /// The mass matrix is the same everywhere, see [`Layout::constant_mass`].
    ///
    /// ```
    /// use liedae::manifold::Manifold;
    /// use liedae::system::Layout;
    ///
    /// // Point masses in Cartesian coordinates.
    /// let masses = Layout::dense(Manifold::euclidean(6)).with_constant_mass();
    /// assert!(masses.constant_mass);
    /// ```
    pub fn with_constant_mass(self) -> Self {
        Self {
            constant_mass: true,
            ..self
        }
    }

    /// The rows of a joint never depend on each other, see [`Layout::regular_joints`]. Another number of rows takes this back.
    ///
    /// ```
    /// use liedae::manifold::{Factor, Manifold};
    /// use liedae::system::Layout;
    ///
    /// // A rigid body on a ball joint.
    /// let body = Manifold::new([Factor::Euclidean(3), Factor::Rotation]);
    /// let top = Layout::dense(body).with_position_rows(3).with_regular_joints();
    /// assert!(top.regular_joints);
    /// ```
    pub fn with_regular_joints(self) -> Self {
        Self {
            regular_joints: true,
            ..self
        }
    }

    /// Position rows, velocity rows, differential states, algebraic variables.
    fn sizes(&self) -> [usize; 4] {
        [
            self.position_rows,
            self.velocity_rows,
            self.differential,
            self.algebraic,
        ]
    }

    fn resized(self, sizes: [usize; 4]) -> Self {
        let (modes, constant_mass) = (self.modes, self.constant_mass);
        Self {
            modes,
            constant_mass,
            ..Self::of_sizes(self.space, sizes)
        }
    }

    fn of_sizes(space: Manifold, sizes: [usize; 4]) -> Self {
        let [position_rows, velocity_rows, differential, algebraic] = sizes;
        let dimension = space.dimension();
        let rows = position_rows.saturating_add(velocity_rows);
        let rates = dimension
            .saturating_add(differential)
            .saturating_add(algebraic);
        // What does not fit is left out, and refused by `check`.
        let dense = |rows, columns| match fits(rows, columns) {
            true => Pattern::dense(rows, columns),
            false => Pattern::empty(0, 0),
        };
        let listed = if fits(differential, 1) {
            differential
        } else {
            0
        };
        Self {
            mass: dense(dimension, dimension),
            constant_mass: false,
            jacobian: dense(rows, dimension),
            rates: dense(rates, rates),
            reactions: None,
            descriptor: None,
            differential_index: vec![0; listed],
            revolution_counters: 0,
            blocks: Blocks {
                variables: vec![dimension],
                rows: vec![rows],
            },
            regular_joints: false,
            modes: 0,
            space,
            position_rows,
            velocity_rows,
            differential,
            algebraic,
        }
    }

    /// Length of the velocity, the dimension of the Lie algebra.
    #[inline]
    pub fn dimension(&self) -> usize {
        self.space.dimension()
    }

    /// Number of constraint rows, position and velocity rows together.
    pub fn rows(&self) -> usize {
        self.position_rows.saturating_add(self.velocity_rows)
    }

    /// Number of rates: forces, differential rates and algebraic residuals.
    pub fn rate_count(&self) -> usize {
        self.dimension()
            .saturating_add(self.differential)
            .saturating_add(self.algebraic)
    }

    /// The first pattern that was left out since it would not fit into memory.
    fn left_out(&self) -> Option<LayoutError> {
        let (dimension, rows, rates) = (self.dimension(), self.rows(), self.rate_count());
        let shapes = [
            ("mass", &self.mass, dimension, dimension),
            ("constraint Jacobian", &self.jacobian, rows, dimension),
            ("rates", &self.rates, rates, rates),
        ];
        let is_left_out = |&(_, pattern, rows, columns): &(_, &Pattern, usize, usize)| {
            (pattern.rows(), pattern.cols()) == (0, 0) && !fits(rows, columns)
        };
        let found = shapes.into_iter().find(is_left_out);
        found.map(|(part, _, rows, columns)| LayoutError::TooLarge {
            part,
            rows,
            columns,
        })
    }

    /// Whether [`check`](Self::check) refuses it since it would not fit into memory.
    pub(crate) fn is_too_large(&self) -> bool {
        self.left_out().is_some()
    }

    /// E of E x' = d: the identity where none is stated.
    pub(crate) fn descriptor_or_identity(&self) -> (Pattern, Vec<f64>) {
        let identity = || {
            (
                Pattern::diagonal(self.differential),
                vec![1.0; self.differential],
            )
        };
        self.descriptor.clone().unwrap_or_else(identity)
    }

    /// The pattern of tangent stiffness and damping, `dimension` x `dimension`: the mass matrix, the derivatives of the
    /// forces, and those of the reactions (by default all pairs of velocities that occur in one constraint row).
    pub fn stiffness_pattern(&self) -> Result<Pattern, KktError> {
        let dimension = self.dimension();
        let mut entries: Vec<(usize, usize)> = (self.mass.entries())
            .chain(self.rates.entries())
            .filter(|&(row, column)| row < dimension && column < dimension)
            .collect();
        if let Some(reactions) = &self.reactions {
            entries.extend(reactions.entries());
            return Pattern::from_entries(dimension, dimension, entries);
        }
        let (mut last, mut most): (&[usize], usize) = (&[], 1 << 16);
        for row in 0..self.rows() {
            // Rows of many columns name the same entries again and again.
            if entries.len() > most {
                entries.sort_unstable();
                entries.dedup();
                most = most.max(2 * entries.len());
            }
            let columns = self.jacobian.row(row);
            // Rows of most joints have the same columns.
            if columns != last {
                entries.extend(
                    columns
                        .iter()
                        .flat_map(|&i| columns.iter().map(move |&j| (i, j))),
                );
                last = columns;
            }
        }
        Pattern::from_entries(dimension, dimension, entries)
    }

    /// Checks that patterns, blocks and lists fit the counts; drivers do so before the first evaluation.
    pub fn check(&self) -> Result<(), LayoutError> {
        if let Some(error) = self.left_out() {
            return Err(error);
        }
        let (dimension, rows, rates) = (self.dimension(), self.rows(), self.rate_count());
        let shapes = [
            ("mass", &self.mass, dimension, dimension),
            ("constraint Jacobian", &self.jacobian, rows, dimension),
            ("rates", &self.rates, rates, rates),
        ];
        let descriptor = self.descriptor.iter();
        let descriptor = descriptor
            .map(|(pattern, _)| ("descriptor", pattern, self.differential, self.differential));
        let reactions = self.reactions.iter();
        let reactions = reactions.map(|pattern| ("reactions", pattern, dimension, dimension));
        for (part, pattern, rows, columns) in shapes.into_iter().chain(descriptor).chain(reactions)
        {
            let (found_rows, found_columns) = (pattern.rows(), pattern.cols());
            if (found_rows, found_columns) != (rows, columns) {
                return Err(LayoutError::Shape {
                    part,
                    found_rows,
                    found_columns,
                    rows,
                    columns,
                });
            }
        }
        let values = self
            .descriptor
            .as_ref()
            .map_or((0, 0), |(pattern, values)| (values.len(), pattern.nnz()));
        let counts = [
            ("values of the descriptor", values.0, values.1),
            (
                "differentiation indices",
                self.differential_index.len(),
                self.differential,
            ),
            (
                "variable blocks",
                self.blocks.variables.iter().sum(),
                dimension,
            ),
            ("row blocks", self.blocks.rows.iter().sum(), rows),
            (
                "revolution counters among differential states",
                self.revolution_counters,
                self.revolution_counters.min(self.differential),
            ),
            // Rows that constrain nothing.
            (
                "constraint rows without velocities",
                if dimension == 0 { rows } else { 0 },
                0,
            ),
        ];
        match counts
            .into_iter()
            .find(|(_, found, expected)| found != expected)
        {
            Some((part, found, expected)) => Err(LayoutError::Count {
                part,
                found,
                expected,
            }),
            None => Ok(()),
        }
    }

    /// The state of this layout at the identity of the group and at rest.
    pub fn state(&self) -> State {
        if self.is_too_large() {
            return State::new(&Manifold::euclidean(0), 0, 0, 0);
        }
        let mut state = State::new(&self.space, self.rows(), self.differential, self.algebraic);
        state.mode = vec![0; self.modes];
        state
    }
}
