//! The elements of a beam: shape functions, masses and points of integration, alike for all elements of one beam.

use super::cable::{self, Cable};
use super::error::AncfError;
use super::shear::{self, Shear};
use super::station::{GAUSS_2, LOBATTO_3, Station};
use crate::beam::Section;
use nalgebra::{DMatrix, Matrix6};

/// Numbers of a stiffness that exceed another by less than this part of it are the same.
const SAME: f64 = 1e-9;

/// Derivatives of the cable's forces at a point have so many directions.
const CABLE_DIRECTIONS: usize = 3 * cable::VECTORS;

/// The same of the shear-deformable beam.
const SHEAR_DIRECTIONS: usize = 3 * shear::VECTORS;

/// Which element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formulation {
    Cable,
    ShearDeformable,
}

impl Formulation {
    /// Vectors of a node.
    pub fn vectors(self) -> usize {
        match self {
            Self::Cable => 2,
            Self::ShearDeformable => 3,
        }
    }

    /// Nodes of an element, both of its ends included.
    pub fn nodes(self) -> usize {
        match self {
            Self::Cable => 2,
            Self::ShearDeformable => 3,
        }
    }
}

#[derive(Clone, Debug)]
enum Stations {
    Cable(Vec<Station<{ cable::VECTORS }, { cable::STRAINS }>>),
    Shear(Vec<Station<{ shear::VECTORS }, { shear::STRAINS }>>),
}

/// An element of a beam.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub formulation: Formulation,
    stations: Stations,
    /// ∫ ρ SᵀS of the vectors; the same for all three components.
    pub mass: DMatrix<f64>,
}

/// Stiffnesses and viscosities of a section whose strains are not coupled.
fn moduli(section: &Section, strains: &[usize]) -> Result<(Vec<f64>, Vec<f64>), AncfError> {
    // In the units of its rows and columns.
    let diagonal = |matrix: &Matrix6<f64>| {
        let size = |row: usize, column: usize| {
            (matrix[(row, row)].abs() * matrix[(column, column)].abs()).sqrt()
        };
        let apart = |row: usize, column: usize| {
            row == column || matrix[(row, column)].abs() <= 1e-12 * size(row, column)
        };
        (0..6).all(|row| (0..6).all(|column| apart(row, column)))
    };
    if !(diagonal(&section.compliance) && diagonal(&section.fluidity)) {
        return Err(AncfError::Section("couples its strains"));
    }
    let mut both = (Vec::new(), Vec::new());
    for &strain in strains {
        let stiffness = section.compliance[(strain, strain)].recip();
        let viscosity = stiffness * stiffness * section.fluidity[(strain, strain)];
        if !(stiffness.is_finite() && stiffness > 0.0) {
            return Err(AncfError::Section(
                "has a stiffness that is not positive and finite",
            ));
        }
        if !(viscosity.is_finite() && viscosity >= 0.0) {
            return Err(AncfError::Section(
                "has a viscosity that is negative or not finite",
            ));
        }
        both.0.push(stiffness);
        both.1.push(viscosity);
    }
    if !(section.mass.is_finite() && section.mass > 0.0) {
        return Err(AncfError::Section(
            "has a mass that is not positive and finite",
        ));
    }
    Ok(both)
}

/// Hermite's polynomials at ξ in [0, 1] for r and r_x of both ends, their first and second derivatives by the length.
fn hermite(xi: f64, length: f64) -> [[f64; 4]; 3] {
    let (square, cube) = (xi * xi, xi * xi * xi);
    [
        [
            1.0 - 3.0 * square + 2.0 * cube,
            length * (xi - 2.0 * square + cube),
            3.0 * square - 2.0 * cube,
            length * (cube - square),
        ],
        [
            6.0 * (square - xi) / length,
            1.0 - 4.0 * xi + 3.0 * square,
            6.0 * (xi - square) / length,
            3.0 * square - 2.0 * xi,
        ],
        [
            (12.0 * xi - 6.0) / (length * length),
            (6.0 * xi - 4.0) / length,
            (6.0 - 12.0 * xi) / (length * length),
            (6.0 * xi - 2.0) / length,
        ],
    ]
}

/// Lagrange's parabolas at ξ in [0, 1], and their derivatives by the length.
fn parabolas(xi: f64, length: f64) -> [[f64; 3]; 2] {
    [
        [
            (1.0 - xi) * (1.0 - 2.0 * xi),
            4.0 * xi * (1.0 - xi),
            xi * (2.0 * xi - 1.0),
        ],
        [
            (4.0 * xi - 3.0) / length,
            (4.0 - 8.0 * xi) / length,
            (4.0 * xi - 1.0) / length,
        ],
    ]
}

impl Element {
    pub fn new(
        formulation: Formulation,
        section: &Section,
        length: f64,
    ) -> Result<Self, AncfError> {
        match formulation {
            Formulation::Cable => Self::cable(section, length),
            Formulation::ShearDeformable => Self::shear(section, length),
        }
    }

    fn cable(section: &Section, length: f64) -> Result<Self, AncfError> {
        let (stiffness, viscosity) = moduli(section, &[0, 4, 5])?;
        for moduli in [&stiffness, &viscosity] {
            if (moduli[1] - moduli[2]).abs() > SAME * moduli[1] {
                return Err(AncfError::Section(
                    "bends differently about y and z, which a cable cannot: take a shear-deformable beam",
                ));
            }
        }
        let station = |xi: f64, axial: f64, bending: f64| {
            let [_, first, second] = hermite(xi, length);
            let parts = |moduli: &[f64]| {
                let bend = bending * moduli[1];
                [axial * moduli[0], bend, bend, bend].map(|part| part * length)
            };
            Station {
                stiffness: parts(&stiffness),
                viscosity: parts(&viscosity),
                factors: [first.to_vec(), second.to_vec()],
            }
        };
        // Three points for the stretch and two for bending see each of the seven deformations. Gauss's three points for the stretch lock
        // slender cables: with E A L² / (E I) = 1e7 their error falls with the second order only.
        let stretched = LOBATTO_3.map(|[xi, weight]| station(xi, weight, 0.0));
        let bent = GAUSS_2.map(|[xi, weight]| station(xi, 0.0, weight));
        // ∫ of products of Hermite's polynomials.
        let (l, m) = (length, section.mass * length / 420.0);
        let mass = DMatrix::from_row_slice(
            4,
            4,
            &[
                156.0,
                22.0 * l,
                54.0,
                -13.0 * l,
                22.0 * l,
                4.0 * l * l,
                13.0 * l,
                -3.0 * l * l,
                54.0,
                13.0 * l,
                156.0,
                -22.0 * l,
                -13.0 * l,
                -3.0 * l * l,
                -22.0 * l,
                4.0 * l * l,
            ],
        ) * m;
        Ok(Self {
            formulation: Formulation::Cable,
            stations: Stations::Cable(stretched.into_iter().chain(bent).collect()),
            mass,
        })
    }

    fn shear(section: &Section, length: f64) -> Result<Self, AncfError> {
        let (stiffness, viscosity) = moduli(section, &[0, 1, 2, 3, 4, 5])?;
        let [polar, about_y, about_z] = section.rotary;
        // A section of points: y² + z² adds up.
        let is_plane = (polar - about_y - about_z).abs() <= SAME * polar;
        if !(is_plane && about_y > 0.0 && about_z > 0.0 && polar.is_finite()) {
            return Err(AncfError::Section(
                "has moments of inertia that are not positive, or the first is not the sum of the others",
            ));
        }
        let station = |xi: f64, own: f64, across: f64| {
            let [values, slopes] = parabolas(xi, length);
            let parts = |moduli: &[f64], section: f64| {
                let shear = 0.5 * (moduli[1] + moduli[2]);
                let mut parts = [0.0; shear::STRAINS];
                for (part, modulus) in parts.iter_mut().zip(moduli) {
                    *part = own * modulus * length;
                }
                let changes = [moduli[0], moduli[0], shear];
                for (part, modulus) in parts[6..].iter_mut().zip(changes) {
                    *part = section * modulus * length;
                }
                parts
            };
            let of = |vector: usize, factors: [f64; 3]| {
                let mut all = vec![0.0; 9];
                for (node, factor) in factors.into_iter().enumerate() {
                    all[3 * node + vector] = factor;
                }
                all
            };
            Station {
                stiffness: parts(&stiffness, across),
                viscosity: parts(&viscosity, across),
                factors: [
                    of(0, slopes),
                    of(1, values),
                    of(2, values),
                    of(1, slopes),
                    of(2, slopes),
                ],
            }
        };
        // Six strains at two points and three changes of the section at three see each of the 21 deformations, and lock none.
        let strained = GAUSS_2.map(|[xi, weight]| station(xi, weight, 0.0));
        let sections = LOBATTO_3.map(|[xi, weight]| station(xi, 0.0, weight));
        // ∫ of products of parabolas, times what each vector of a section weighs.
        let products = [[4.0, 2.0, -1.0], [2.0, 16.0, 2.0], [-1.0, 2.0, 4.0]];
        let weights = [section.mass, about_z, about_y];
        let mass = DMatrix::from_fn(9, 9, |row, column| {
            let same = row % 3 == column % 3;
            let product = products[row / 3][column / 3] * length / 30.0;
            if same {
                product * weights[row % 3]
            } else {
                0.0
            }
        });
        Ok(Self {
            formulation: Formulation::ShearDeformable,
            stations: Stations::Shear(strained.into_iter().chain(sections).collect()),
            mass,
        })
    }

    /// What can be taken of the diagonal of its mass matrix, so that a part of it is left: with D below the inverse of the diagonal of M⁻¹
    /// over the number of vectors, M - D stays positive.
    pub fn shares(&self, part: f64) -> Result<Vec<f64>, AncfError> {
        let vanishes = AncfError::Section("has masses that vanish at this length of the elements");
        let inverse = self.mass.clone().cholesky().ok_or(vanishes)?.inverse();
        let count = self.mass.nrows() as f64;
        let shares = inverse.diagonal().map(|entry| part / (count * entry));
        Ok(shares.as_slice().to_vec())
    }

    /// Whether its strains are finite, and its sections look along it.
    pub fn is_regular(&self, q: &[f64]) -> bool {
        let finite = |strains: &[f64]| strains.iter().all(|strain| strain.is_finite());
        match &self.stations {
            Stations::Cable(all) => all.iter().all(|one| finite(&one.strains::<Cable>(q))),
            // Γ₁ = e₁·r' - 1.
            Stations::Shear(all) => all.iter().all(|one| {
                let strains = one.strains::<Shear>(q);
                finite(&strains) && strains[0] > -1.0
            }),
        }
    }

    /// Coordinates of an element.
    pub fn coordinates(&self) -> usize {
        3 * self.mass.nrows()
    }

    /// Elastic energy.
    pub fn energy(&self, q: &[f64]) -> f64 {
        match &self.stations {
            Stations::Cable(all) => all.iter().map(|one| one.energy::<Cable>(q)).sum(),
            Stations::Shear(all) => all.iter().map(|one| one.energy::<Shear>(q)).sum(),
        }
    }

    /// Adds what elasticity and viscosity do to the element's vectors.
    pub fn add_forces(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match &self.stations {
            Stations::Cable(all) => {
                for one in all {
                    one.subtract_forces::<Cable>(q, v, out);
                }
            }
            Stations::Shear(all) => {
                for one in all {
                    one.subtract_forces::<Shear>(q, v, out);
                }
            }
        }
    }

    /// Calls with two vectors of the element and a part of the derivative of the force on the first by the second.
    pub fn derivatives(
        &self,
        at: [&[f64]; 2],
        by_velocity: bool,
        mut each: impl FnMut([usize; 2], &[[f64; 3]; 3]),
    ) {
        match &self.stations {
            Stations::Cable(all) => {
                for one in all {
                    one.derivatives::<Cable, CABLE_DIRECTIONS>(at, by_velocity, &mut each);
                }
            }
            Stations::Shear(all) => {
                for one in all {
                    one.derivatives::<Shear, SHEAR_DIRECTIONS>(at, by_velocity, &mut each);
                }
            }
        }
    }
}
