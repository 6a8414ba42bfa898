//! Strains at a point of the axis, and the generalized forces of the stresses on the vectors there.

use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector3;

/// Strains of `P` vectors at a point of the axis, `R` of them.
pub(super) trait Strained<const P: usize, const R: usize> {
    /// The strains.
    fn strains<S: Scalar>(vectors: &[Vector3<S>; P]) -> [S; R];

    /// Their rates, as far as viscosity resists them.
    fn rates<S: Scalar>(vectors: &[Vector3<S>; P], rates: &[Vector3<S>; P]) -> [S; R] {
        let moving: [Vector3<Dual<1, S>>; P] = std::array::from_fn(|index| {
            vectors[index].zip_map(&rates[index], |value, rate| Dual::new(value, [rate]))
        });
        Self::strains(&moving).map(|strain| strain.gradient[0])
    }

    /// Σ of the derivatives of the strains by the vectors times these forces.
    fn pull<S: Scalar>(vectors: &[Vector3<S>; P], forces: &[S; R]) -> [Vector3<S>; P];
}

/// A point of integration: stiffnesses and viscosities by the strains, each with its part of the length, and the
/// vectors as sums of those of the element's nodes.
#[derive(Clone, Debug)]
pub(super) struct Station<const P: usize, const R: usize> {
    pub stiffness: [f64; R],
    pub viscosity: [f64; R],
    /// For each vector here the factors of those of the nodes.
    pub factors: [Vec<f64>; P],
}

impl<const P: usize, const R: usize> Station<P, R> {
    /// The vectors here, from coordinates or their rates.
    pub fn vectors(&self, coordinates: &[f64]) -> [Vector3<f64>; P] {
        std::array::from_fn(|index| {
            let vectors = coordinates.as_chunks::<3>().0.iter();
            vectors
                .zip(&self.factors[index])
                .fold(Vector3::zeros(), |sum, (vector, factor)| {
                    sum + Vector3::from(*vector) * *factor
                })
        })
    }

    fn is_viscous(&self) -> bool {
        self.viscosity.iter().any(|viscosity| *viscosity != 0.0)
    }

    /// The strains here.
    pub fn strains<L: Strained<P, R>>(&self, coordinates: &[f64]) -> [f64; R] {
        L::strains(&self.vectors(coordinates))
    }

    /// Elastic energy.
    pub fn energy<L: Strained<P, R>>(&self, coordinates: &[f64]) -> f64 {
        let strains = self.strains::<L>(coordinates);
        let stored = strains.iter().zip(&self.stiffness);
        stored
            .map(|(strain, stiffness)| 0.5 * stiffness * strain * strain)
            .sum()
    }

    /// What strains and their rates pull with at the vectors here.
    fn pulled<S: Scalar, L: Strained<P, R>>(
        &self,
        vectors: &[Vector3<S>; P],
        rates: &[Vector3<S>; P],
    ) -> [Vector3<S>; P] {
        let strains = L::strains(vectors);
        let mut forces: [S; R] =
            std::array::from_fn(|index| strains[index] * S::constant(self.stiffness[index]));
        if self.is_viscous() {
            for (force, (rate, viscosity)) in forces
                .iter_mut()
                .zip(L::rates(vectors, rates).into_iter().zip(self.viscosity))
            {
                *force += rate * S::constant(viscosity);
            }
        }
        L::pull(vectors, &forces)
    }

    /// Subtracts the forces from those of the element's vectors.
    pub fn subtract_forces<L: Strained<P, R>>(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let pulled = self.pulled::<f64, L>(&self.vectors(q), &self.vectors(v));
        for (force, factors) in pulled.iter().zip(&self.factors) {
            for (slot, factor) in out.as_chunks_mut::<3>().0.iter_mut().zip(factors) {
                for (slot, part) in slot.iter_mut().zip(force) {
                    *slot -= factor * part;
                }
            }
        }
    }

    /// Calls with two vectors of the element and the derivative of the force on the first by the second, by position or by velocity;
    /// `N` is three times `P`.
    pub fn derivatives<L: Strained<P, R>, const N: usize>(
        &self,
        [q, v]: [&[f64]; 2],
        by_velocity: bool,
        mut each: impl FnMut([usize; 2], &[[f64; 3]; 3]),
    ) {
        if by_velocity && !self.is_viscous() {
            return;
        }
        let variable = |vectors: [Vector3<f64>; P], varies: bool| -> [Vector3<Dual<N>>; P] {
            std::array::from_fn(|index| {
                Vector3::from_fn(|axis, _| {
                    let value = vectors[index][axis];
                    if varies {
                        Dual::variable(value, 3 * index + axis)
                    } else {
                        Dual::from_value(value)
                    }
                })
            })
        };
        let vectors = variable(self.vectors(q), !by_velocity);
        let rates = variable(self.vectors(v), by_velocity);
        let pulled = self.pulled::<Dual<N>, L>(&vectors, &rates);
        let count = self.factors[0].len();
        for one in 0..count {
            for two in 0..count {
                let mut block = [[0.0; 3]; 3];
                for (force, factors) in pulled.iter().zip(&self.factors) {
                    for (index, others) in self.factors.iter().enumerate() {
                        let factor = -factors[one] * others[two];
                        if factor == 0.0 {
                            continue;
                        }
                        for (row, entry) in block.iter_mut().zip(force) {
                            let gradient = &entry.gradient[3 * index..3 * index + 3];
                            for (slot, slope) in row.iter_mut().zip(gradient) {
                                *slot += factor * slope;
                            }
                        }
                    }
                }
                each([one, two], &block);
            }
        }
    }
}

/// Points and weights of Gauss's and Lobatto's rules on [0, 1].
pub(super) const GAUSS_2: [[f64; 2]; 2] = [
    [0.211_324_865_405_187_13, 0.5],
    [0.788_675_134_594_812_9, 0.5],
];
pub(super) const LOBATTO_3: [[f64; 2]; 3] = [[0.0, 1.0 / 6.0], [0.5, 4.0 / 6.0], [1.0, 1.0 / 6.0]];
