//! Constant mass matrices.

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl<const N: usize> Sealed for [f64; N] {}
    impl<const N: usize> Sealed for [[f64; N]; N] {}
}

/// A constant mass matrix of `N` coordinates: one mass for all, a diagonal, or a full matrix row by row.
///
/// ```
/// use liedae::system::ConstantMass;
///
/// // One mass for all coordinates, or one for each.
/// assert_eq!(ConstantMass::<2>::matrix(3.0), [[3.0, 0.0], [0.0, 3.0]]);
/// assert_eq!([2.0, 0.5].matrix(), [[2.0, 0.0], [0.0, 0.5]]);
/// ```
pub trait ConstantMass<const N: usize>: sealed::Sealed {
    /// The full matrix.
    fn matrix(self) -> [[f64; N]; N];
}

impl<const N: usize> ConstantMass<N> for f64 {
    fn matrix(self) -> [[f64; N]; N] {
        [self; N].matrix()
    }
}

impl<const N: usize> ConstantMass<N> for [f64; N] {
    fn matrix(self) -> [[f64; N]; N] {
        let mut matrix = [[0.0; N]; N];
        for (index, (row, mass)) in matrix.iter_mut().zip(self).enumerate() {
            row[index] = mass;
        }
        matrix
    }
}

impl<const N: usize> ConstantMass<N> for [[f64; N]; N] {
    fn matrix(self) -> [[f64; N]; N] {
        self
    }
}
