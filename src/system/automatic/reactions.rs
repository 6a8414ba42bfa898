//! Where derivatives of constraint forces go.

use crate::linalg::Pattern;
use crate::scalar::Dual;
use crate::system::Layout;
use crate::system::automatic::arguments::CHUNK;
use crate::system::automatic::nested_duals::{Gradient, add_product};
use crate::system::automatic::sweeps::{Sweep, companions};
use std::ops::Range;

/// One evaluation of all constraint rows with nested gradients: its part of ∂(Gᵀ λ)/∂q.
pub(in crate::system) struct Reaction {
    /// The sweep of the inner gradient, by which forces are differentiated.
    pub columns: usize,
    /// The sweep of the outer gradient, which defines the forces.
    pub rows: usize,
    clusters: Vec<Cluster>,
}

/// Consecutive rows with the same columns.
struct Cluster {
    rows: Range<usize>,
    /// Outer direction, inner direction and where the entry goes.
    entries: Vec<(usize, usize, usize)>,
}

impl Reaction {
    /// All evaluations that ∂(Gᵀ λ)/∂q takes. On a vector space without velocity rows it is the Hessian of λᵀ g, of which
    /// one half is enough.
    pub fn all(layout: &Layout, sweeps: &[Sweep], stiffness: &Pattern) -> Vec<Self> {
        let symmetric = layout.velocity_rows == 0 && layout.space.is_euclidean();
        let clusters = clusters(&layout.jacobian);
        let companions = companions(layout, layout.dimension());
        let mut all = Vec::new();
        for columns in 0..sweeps.len() {
            let last = if symmetric { columns + 1 } else { sweeps.len() };
            for rows in 0..last {
                let mirrored = symmetric && rows != columns;
                let placed = clusters.iter().filter_map(|cluster| {
                    let own = layout.jacobian.row(cluster.start);
                    let turning = if cluster.end > layout.position_rows {
                        // Coefficients of velocity rows may depend on any coordinate.
                        (0..layout.dimension()).collect()
                    } else {
                        all_of(own, &companions)
                    };
                    let mut entries = Vec::new();
                    for &row in own {
                        let Some(outer) = sweeps[rows].direction(row) else {
                            continue;
                        };
                        for &column in &turning {
                            let Some(inner) = sweeps[columns].direction(column) else {
                                continue;
                            };
                            let place = |position| (outer, inner, position);
                            entries.extend(stiffness.position(row, column).map(place));
                            if mirrored {
                                entries.extend(stiffness.position(column, row).map(place));
                            }
                        }
                    }
                    let rows = cluster.clone();
                    (!entries.is_empty()).then_some(Cluster { rows, entries })
                });
                let clusters: Vec<_> = placed.collect();
                if !clusters.is_empty() {
                    all.push(Self {
                        columns,
                        rows,
                        clusters,
                    });
                }
            }
        }
        all
    }

    /// Subtracts this part of ∂(Gᵀ λ)/∂q, from rows with nested gradients.
    pub fn subtract(&self, rows: &[Dual<CHUNK, Gradient>], lambda: &[f64], out: &mut [f64]) {
        for cluster in &self.clusters {
            let mut slopes = [[0.0; CHUNK]; CHUNK];
            let own = rows[cluster.rows.clone()].iter();
            for (g, lambda) in own.zip(&lambda[cluster.rows.clone()]) {
                add_product(g, *lambda, &mut slopes);
            }
            for &(outer, inner, position) in &cluster.entries {
                out[position] -= slopes[outer][inner];
            }
        }
    }
}

/// The columns that a force of position rows turns with: all of a rotation that the rows see a part of.
fn all_of(columns: &[usize], companions: &[Range<usize>]) -> Vec<usize> {
    let ranges = columns.iter().filter_map(|&column| companions.get(column));
    let mut all: Vec<usize> = ranges.cloned().flatten().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Consecutive rows of the same columns, without empty ones.
fn clusters(pattern: &Pattern) -> Vec<Range<usize>> {
    let mut clusters: Vec<Range<usize>> = Vec::new();
    for row in (0..pattern.rows()).filter(|&row| !pattern.row(row).is_empty()) {
        match clusters.last_mut() {
            Some(last) if last.end == row && pattern.row(last.start) == pattern.row(row) => {
                last.end += 1;
            }
            _ => clusters.push(row..row + 1),
        }
    }
    clusters
}
