//! Constraint Jacobians pulled back to local coordinates.

use crate::linalg::Pattern;
use crate::manifold::{Factor, Manifold, rigid_motion, rotation};

/// Multiplies constraint Jacobians by dexp(u), block by block: from the configuration q · exp(u) back to local
/// coordinates at q. Entries outside the pattern are dropped, so it should hold whole blocks of the rotations that a
/// row touches.
pub(crate) struct PullBack {
    /// Factor and first velocity component of the factor that each velocity component belongs to.
    owners: Vec<(Factor, usize)>,
    /// dexp(u)ᵀ of every factor, column by column, in the rows of its velocity components.
    tangents: Vec<[f64; 6]>,
}

impl PullBack {
    pub fn new(space: &Manifold) -> Self {
        let owners = space
            .factor_ranges()
            .flat_map(|(factor, _, first)| std::iter::repeat_n((factor, first), factor.dimension()))
            .collect();
        let tangents = vec![[0.0; 6]; space.dimension()];
        Self { owners, tangents }
    }

    /// Evaluates dexp(u), once for every factor.
    pub fn load(&mut self, u: &[f64]) {
        let mut first = 0;
        while let Some(&(factor, _)) = self.owners.get(first) {
            let own = first..first + factor.dimension();
            let (u, tangents) = (&u[own.clone()], &mut self.tangents[own.clone()]);
            match factor {
                Factor::Euclidean(_) => {}
                Factor::Rotation | Factor::UnitQuaternion => {
                    columns(u, tangents, rotation::dexp_transpose)
                }
                Factor::RigidMotion => columns(u, tangents, rigid_motion::dexp_transpose),
            }
            // An empty factor has no owners.
            first = own.end;
        }
    }

    /// Pulls back the first `rows` rows: position rows, for velocity rows are not functions of q alone.
    pub fn apply(&mut self, pattern: &Pattern, rows: usize, u: &[f64], values: &mut [f64]) {
        self.load(u);
        self.apply_loaded(pattern, rows, values);
    }

    /// As [`PullBack::apply`] with what was evaluated last.
    pub fn apply_loaded(&self, pattern: &Pattern, rows: usize, values: &mut [f64]) {
        // ∂g(q · exp(u))/∂u = G(q · exp(u)) dexp(u): rows are covectors and turn with dexpᵀ.
        for row in 0..rows {
            let (columns, first_value) = (pattern.row(row), pattern.row_range(row).start);
            let mut entry = 0;
            // A row's entries stand sorted by column: those of one factor follow each other.
            while entry < columns.len() {
                let (factor, first) = self.owners[columns[entry]];
                let end = first + factor.dimension();
                let inside = columns[entry..]
                    .iter()
                    .take_while(|&&column| column < end)
                    .count();
                let here = &mut values[first_value + entry..first_value + entry + inside];
                let tangents = &self.tangents[first..end];
                match factor {
                    Factor::Euclidean(_) => {}
                    Factor::Rotation | Factor::UnitQuaternion => {
                        transform::<3>(here, &columns[entry..], first, tangents)
                    }
                    Factor::RigidMotion => transform::<6>(here, &columns[entry..], first, tangents),
                }
                entry += inside;
            }
        }
    }
}

/// The columns of `dexp_transpose`, one for each unit covector.
fn columns<const N: usize>(
    u: &[f64],
    tangents: &mut [[f64; 6]],
    dexp_transpose: fn(&[f64; N], &[f64; N]) -> [f64; N],
) {
    let displacement = std::array::from_fn(|index| u[index]);
    for (index, tangent) in tangents.iter_mut().enumerate() {
        let mut covector = [0.0; N];
        covector[index] = 1.0;
        let column = dexp_transpose(&displacement, &covector);
        tangent[..N].copy_from_slice(&column);
    }
}

/// Applies the tangents of the block that starts at `first` to the entries of one row in these columns.
fn transform<const N: usize>(
    entries: &mut [f64],
    columns: &[usize],
    first: usize,
    tangents: &[[f64; 6]],
) {
    let mut pulled = [0.0; N];
    // Entries outside the pattern are zeros of the block.
    for (entry, column) in entries.iter().zip(columns) {
        for (sum, part) in pulled.iter_mut().zip(&tangents[column - first]) {
            *sum += entry * part;
        }
    }
    for (entry, column) in entries.iter_mut().zip(columns) {
        *entry = pulled[column - first];
    }
}
