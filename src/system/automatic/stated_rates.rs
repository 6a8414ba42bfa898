//! Derivatives of the rates that a model states itself.

use crate::linalg::Pattern;
use crate::system::automatic::model::{gather, places};
use crate::system::{Derivative, Layout, MatrixMut, Model, Point, RatesJacobian};

/// Where they are written, and whether there are any.
pub(super) enum StatedRates {
    /// The model has not been asked yet.
    Unknown,
    /// There are none.
    None,
    /// The pattern is that of the matrix.
    Dense,
    /// Both matrices, of which the entries at these places are taken.
    Sparse {
        places: Vec<usize>,
        matrices: [Vec<f64>; 2],
    },
}

impl StatedRates {
    /// Of a model that has not been asked.
    pub fn new(layout: &Layout) -> Self {
        if layout.rates.is_dense() {
            Self::Dense
        } else {
            Self::Unknown
        }
    }

    /// Lets the model write its derivatives, but for those by λ; false where it has none. A model is asked once.
    pub fn write<M: Model>(
        &mut self,
        model: &M,
        pattern: &Pattern,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> bool {
        let (columns, size) = (pattern.cols(), pattern.rows() * pattern.cols());
        if matches!(self, Self::Unknown) {
            *self = Self::Sparse {
                places: places(pattern),
                matrices: [vec![0.0; size], vec![0.0; size]],
            };
        }
        let written = match self {
            Self::Unknown | Self::None => return false,
            Self::Dense => evaluate(
                model,
                columns,
                at,
                [&mut out.by_position, &mut out.by_velocity],
            ),
            Self::Sparse { places, matrices } => {
                let [by_position, by_velocity] = matrices;
                let written = evaluate(model, columns, at, [by_position, by_velocity]);
                if written {
                    gather(places, by_position, &mut out.by_position);
                    gather(places, by_velocity, &mut out.by_velocity);
                }
                written
            }
        };
        if !written {
            *self = Self::None;
        }
        written
    }
}

fn evaluate<M: Model>(
    model: &M,
    columns: usize,
    at: &Point,
    [by_position, by_velocity]: [&mut [f64]; 2],
) -> bool {
    by_position.fill(0.0);
    by_velocity.fill(0.0);
    let (mut by_position, mut by_velocity) = (
        MatrixMut::new(columns, by_position),
        MatrixMut::new(columns, by_velocity),
    );
    model.rates_jacobian(at, &mut by_position, &mut by_velocity) == Derivative::Analytic
}
