//! Hermite elements of a straight beam: one family of coordinates at a time.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

/// Points and weights of Gauss on (0, 1), exact for the seventh order: what products of two cubics are.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

/// How a family of displacements goes on inside an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Stretching or twisting: one number for each node, linear between.
    Linear,
    /// Bending: deflection and slope of each node, cubic between.
    Cubic,
}

impl Family {
    /// Numbers for each node.
    pub fn each(self) -> usize {
        match self {
            Self::Linear => 1,
            Self::Cubic => 2,
        }
    }

    /// Value, first and second derivative of the shape functions at ξ in an element of length h: those of the first
    /// node, then of the second.
    fn shapes(self, xi: f64, h: f64) -> Vec<[f64; 3]> {
        match self {
            Self::Linear => vec![[1.0 - xi, -1.0 / h, 0.0], [xi, 1.0 / h, 0.0]],
            Self::Cubic => {
                let (two, three) = (xi * xi, xi * xi * xi);
                vec![
                    [
                        1.0 - 3.0 * two + 2.0 * three,
                        6.0 * (two - xi) / h,
                        (12.0 * xi - 6.0) / (h * h),
                    ],
                    [
                        h * (xi - 2.0 * two + three),
                        1.0 - 4.0 * xi + 3.0 * two,
                        (6.0 * xi - 4.0) / h,
                    ],
                    [
                        3.0 * two - 2.0 * three,
                        6.0 * (xi - two) / h,
                        (6.0 - 12.0 * xi) / (h * h),
                    ],
                    [
                        h * (three - two),
                        3.0 * two - 2.0 * xi,
                        (6.0 * xi - 2.0) / h,
                    ],
                ]
            }
        }
    }
}

/// Equal elements along a beam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mesh {
    pub length: f64,
    pub elements: usize,
}

/// A point along the beam, and what it weighs in an integral over the length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station {
    pub x: f64,
    pub weight: f64,
    element: usize,
    xi: f64,
}

impl Mesh {
    pub fn size(&self) -> f64 {
        self.length / self.elements as f64
    }

    /// Gauss' points of all elements.
    pub fn stations(&self) -> impl Iterator<Item = Station> {
        let (h, elements) = (self.size(), self.elements);
        (0..elements).flat_map(move |element| {
            GAUSS.map(|[xi, weight]| Station {
                x: h * (element as f64 + xi),
                weight: weight * h,
                element,
                xi,
            })
        })
    }

    /// A node as a point.
    pub fn node(&self, node: usize) -> Station {
        let element = node.min(self.elements - 1);
        Station {
            x: self.size() * node as f64,
            weight: 0.0,
            element,
            xi: (node - element) as f64,
        }
    }

    /// Value, first and second derivative of a field with these numbers of its nodes.
    pub fn field(&self, family: Family, numbers: &DVector<f64>, at: Station) -> [f64; 3] {
        let mut sum = [0.0; 3];
        let first = family.each() * at.element;
        let shapes = family.shapes(at.xi, self.size());
        for (index, shape) in shapes.iter().enumerate() {
            for (sum, part) in sum.iter_mut().zip(shape) {
                *sum += numbers[first + index] * part;
            }
        }
        sum
    }

    /// The integral of the product of two slopes from the start of the beam to a point.
    pub fn slopes(&self, [one, two]: [&DVector<f64>; 2], to: Station) -> f64 {
        let whole = (0..to.element).map(|element| (element, 1.0));
        let parts = whole.chain([(to.element, to.xi)]);
        parts
            .map(|(element, end)| {
                let product = |[xi, weight]: [f64; 2]| {
                    let at = Station {
                        x: 0.0,
                        weight: 0.0,
                        element,
                        xi: xi * end,
                    };
                    let [one, two] = [one, two].map(|field| self.field(Family::Cubic, field, at));
                    weight * end * self.size() * one[1] * two[1]
                };
                GAUSS.into_iter().map(product).sum::<f64>()
            })
            .sum()
    }

    /// Mass and stiffness matrix: by the mass that moves with the value, the rotary one that moves with the slope, and
    /// the modulus of the strain, which is the slope of a linear family and the curvature of a cubic one.
    pub fn matrices(&self, family: Family, mass: [f64; 2], modulus: f64) -> [DMatrix<f64>; 2] {
        let each = family.each();
        let size = each * (self.elements + 1);
        let mut matrices = [DMatrix::zeros(size, size), DMatrix::zeros(size, size)];
        for station in self.stations() {
            let first = each * station.element;
            let shapes = family.shapes(station.xi, self.size());
            for (row, one) in shapes.iter().enumerate() {
                for (column, two) in shapes.iter().enumerate() {
                    let at = (first + row, first + column);
                    let [value, slope] = mass;
                    let inertia = value * one[0] * two[0] + slope * one[1] * two[1];
                    matrices[0][at] += station.weight * inertia;
                    let strain = each;
                    matrices[1][at] += station.weight * modulus * one[strain] * two[strain];
                }
            }
        }
        matrices
    }
}

/// Modes of K φ = ω² M φ with some numbers held at zero, slow ones first, in all numbers; `None` where M has no
/// inertia. Without a shift K has to be positive definite; `shift` is a square of a frequency that makes K + shift M
/// so, and motions slower than a small part of it are left out.
pub(super) fn modes(
    [mass, stiffness]: &[DMatrix<f64>; 2],
    held: &[usize],
    shift: f64,
) -> Option<Vec<DVector<f64>>> {
    let free: Vec<usize> = (0..mass.nrows()).filter(|i| !held.contains(i)).collect();
    let reduced = |matrix: &DMatrix<f64>| matrix.select_rows(&free).select_columns(&free);
    let (mass, stiffness) = (reduced(mass), reduced(stiffness));
    // Of the inverse problem the slow modes are the large eigenvalues, which have full precision.
    let lower = (stiffness + &mass * shift).cholesky()?.l();
    let half = lower.solve_lower_triangular(&mass)?;
    let inverse = lower.solve_lower_triangular(&half.transpose())?;
    let inverse = (&inverse + inverse.transpose()) * 0.5;
    // Of infinities the iteration for eigenvalues would not end.
    if !inverse.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(inverse);
    let mut order: Vec<usize> = (0..free.len()).collect();
    order.sort_by(|one, two| eigen.eigenvalues[*two].total_cmp(&eigen.eigenvalues[*one]));
    let modes = order.into_iter().filter_map(|index| {
        let value = eigen.eigenvalues[index];
        // 1/(ω² + shift): rigid motions have 1/shift.
        if value <= 0.0 || (shift > 0.0 && value * shift > 1.0 - 1e-6) {
            return None;
        }
        let vector = eigen.eigenvectors.column(index).into_owned();
        let vector = lower.tr_solve_lower_triangular(&vector)?;
        let mut whole = DVector::zeros(free.len() + held.len());
        for (place, value) in free.iter().zip(&vector) {
            whole[*place] = *value;
        }
        Some(whole)
    });
    Some(modes.collect())
}
