//! The derivative of u' = dexp⁻¹(u) v by u.

use crate::linalg::Pattern;
use crate::manifold::{Factor, rigid_motion, rotation};
use crate::system::Layout;

/// P = ∂(dexp⁻¹(u) v)/∂u at u = 0: dexp⁻¹(u) v = v + ½ \[u, v\] + O(u²), hence P = -½ ad_v, one block for every
/// factor of the configuration space that is not a vector space.
pub(crate) struct Kinematics {
    blocks: Vec<Block>,
    /// The block of each velocity component.
    owners: Vec<Option<usize>>,
}

struct Block {
    factor: Factor,
    first: usize,
    size: usize,
    /// Row-major.
    entries: [f64; 36],
}

impl Kinematics {
    /// For configurations of this layout.
    pub fn new(layout: &Layout) -> Self {
        let mut blocks = Vec::new();
        let mut owners = vec![None; layout.rate_count()];
        for (factor, _, first) in layout.space.factor_ranges() {
            let size = factor.dimension();
            if !matches!(factor, Factor::Euclidean(_)) {
                owners[first..first + size].fill(Some(blocks.len()));
                blocks.push(Block {
                    factor,
                    first,
                    size,
                    entries: [0.0; 36],
                });
            }
        }
        Self { blocks, owners }
    }

    /// Whether P can be other than zero.
    pub fn is_curved(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// P at a velocity.
    pub fn evaluate(&mut self, v: &[f64]) {
        for block in &mut self.blocks {
            let own = &v[block.first..block.first + block.size];
            // Column by column: ad_v applied to unit vectors.
            for column in 0..block.size {
                let mut moved = [0.0; 6];
                if block.factor == Factor::RigidMotion {
                    let velocity: [f64; 6] = std::array::from_fn(|index| own[index]);
                    let unit = std::array::from_fn(|index| f64::from(index == column));
                    moved = rigid_motion::bracket(&velocity, &unit);
                } else {
                    let velocity: [f64; 3] = std::array::from_fn(|index| own[index]);
                    let unit = std::array::from_fn(|index| f64::from(index == column));
                    moved[..3].copy_from_slice(&rotation::bracket(&velocity, &unit));
                }
                for (row, value) in moved.iter().enumerate().take(block.size) {
                    block.entries[row * block.size + column] = -0.5 * value;
                }
            }
        }
    }

    /// out = P r.
    pub(super) fn apply(&self, r: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for block in &self.blocks {
            for row in 0..block.size {
                let entries = &block.entries[row * block.size..(row + 1) * block.size];
                let own = &r[block.first..block.first + block.size];
                let products = entries.iter().zip(own).map(|(p, r)| p * r);
                out[block.first + row] = products.sum();
            }
        }
    }

    /// out = X P for a matrix X in a pattern. Products outside the pattern are dropped, so it should hold whole blocks
    /// of the rotations that a row touches.
    pub fn multiply(&self, pattern: &Pattern, values: &[f64], out: &mut [f64]) {
        for row in 0..pattern.rows() {
            let (columns, range) = (pattern.row(row), pattern.row_range(row));
            let entries = &values[range.clone()];
            for (&column, slot) in columns.iter().zip(&mut out[range]) {
                *slot = 0.0;
                let Some(owner) = self.owners[column] else {
                    continue;
                };
                let block = &self.blocks[owner];
                for (&other, entry) in columns.iter().zip(entries) {
                    if self.owners[other] == Some(owner) {
                        // (X P)_{row, column} = Σ X_{row, other} P_{other, column}.
                        let position = (other - block.first) * block.size + column - block.first;
                        *slot += entry * block.entries[position];
                    }
                }
            }
        }
    }
}
