//! Cross sections of beams.

use nalgebra::{Matrix6, Vector6};
use std::f64::consts::PI;

/// An isotropic linear elastic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E in Pa.
    pub young: f64,
    /// Poisson's ratio ν.
    pub poisson: f64,
    /// Density ρ in kg/m³.
    pub density: f64,
}

impl Material {
    /// By Young's modulus in Pa, Poisson's ratio and density in kg/m³.
    pub fn new(young: f64, poisson: f64, density: f64) -> Self {
        Self {
            young,
            poisson,
            density,
        }
    }

    /// The shear modulus G = E / (2 (1 + ν)) in Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }
}

/// What a cross section looks like, for drawings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outline {
    /// Half the sides along y and z.
    Rectangle([f64; 2]),
    /// A radius.
    Round(f64),
}

/// A cross section of a beam: what it weighs and how it gives way, per metre of length.
///
/// Its frame has x along the beam and y, z in the section, from its centroid. Strains and the forces and moments that belong to them are
/// in this order:
///
/// ```text
/// (axial strain, shear along y, shear along z, twist, bending about y, bending about z)      -, -, -, 1/m, 1/m, 1/m
/// (N, V_y, V_z, T, M_y, M_z)                                                                 N, N, N, N m, N m, N m
/// ```
///
/// Shear coefficients are those of Cowper 1966 (doi:10.1115/1.3625046).
///
/// ```
/// use liedae_multibody::{Material, Section};
///
/// let steel = Material::new(2.1e11, 0.3, 7850.0);
/// // 20 mm along y and 10 mm along z.
/// let bar = Section::rectangle(&steel, [0.02, 0.01]);
/// assert!((bar.mass() - 7850.0 * 2e-4).abs() < 1e-12);
/// // E I about y is that of the thin side.
/// let [axial, _, _, _, about_y, about_z] = bar.stiffness().expect("not rigid");
/// assert!((axial - 4.2e7).abs() < 1e-3 && (about_z / about_y - 4.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Strains by forces and moments: the inverse of the stiffness.
    pub(crate) compliance: Matrix6<f64>,
    /// C D C of the compliance C and the viscosity D.
    pub(crate) fluidity: Matrix6<f64>,
    /// kg/m.
    pub(crate) mass: f64,
    /// Moments of inertia per length about x, y, z in kg m.
    pub(crate) rotary: [f64; 3],
    pub(crate) outline: Option<Outline>,
}

impl Section {
    /// By the stiffnesses (E A, G A_y, G A_z, G J, E I_y, E I_z) in N and N m², the mass per length in kg/m and the mass moments of inertia
    /// per length about x, y and z in kg m.
    ///
    /// Infinite shear stiffnesses give a beam whose sections stay at right angles to it.
    pub fn new(stiffness: [f64; 6], mass: f64, rotary: [f64; 3]) -> Self {
        let compliance = Matrix6::from_diagonal(&Vector6::from(stiffness.map(f64::recip)));
        Self {
            compliance,
            fluidity: Matrix6::zeros(),
            mass,
            rotary,
            outline: None,
        }
    }

    /// By the compliance matrix, the inverse of the stiffness matrix, symmetric: sections whose stretching, bending and
    /// twisting are coupled, as composites have them. Mass and moments of inertia as in [`new`](Self::new).
    pub fn coupled(compliance: Matrix6<f64>, mass: f64, rotary: [f64; 3]) -> Self {
        Self {
            compliance,
            ..Self::new([1.0; 6], mass, rotary)
        }
    }

    /// A rectangle with these sides along y and z in m.
    pub fn rectangle(material: &Material, [along_y, along_z]: [f64; 2]) -> Self {
        let nu = material.poisson;
        let shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
        let section = Self::of_material(
            material,
            along_y * along_z,
            shear,
            rectangle_torsion(along_y, along_z),
            [
                along_y * along_z.powi(3) / 12.0,
                along_z * along_y.powi(3) / 12.0,
            ],
        );
        Self {
            outline: Some(Outline::Rectangle([0.5 * along_y, 0.5 * along_z])),
            ..section
        }
    }

    /// A circle of this radius in m.
    pub fn circle(material: &Material, radius: f64) -> Self {
        Self::tube(material, radius, 0.0)
    }

    /// A tube with these radii in m.
    pub fn tube(material: &Material, outer: f64, inner: f64) -> Self {
        let nu = material.poisson;
        let ratio = (inner / outer).powi(2);
        let whole = (1.0 + ratio).powi(2);
        let shear =
            6.0 * (1.0 + nu) * whole / ((7.0 + 6.0 * nu) * whole + (20.0 + 12.0 * nu) * ratio);
        let bending = 0.25 * PI * (outer.powi(4) - inner.powi(4));
        let area = PI * (outer - inner) * (outer + inner);
        let section = Self::of_material(material, area, shear, 2.0 * bending, [bending; 2]);
        Self {
            outline: Some(Outline::Round(outer)),
            ..section
        }
    }

    fn of_material(
        material: &Material,
        area: f64,
        shear: f64,
        torsion: f64,
        [about_y, about_z]: [f64; 2],
    ) -> Self {
        let (young, slide) = (material.young, material.shear_modulus());
        let stiffness = [
            young * area,
            shear * slide * area,
            shear * slide * area,
            slide * torsion,
            young * about_y,
            young * about_z,
        ];
        let rotary = [about_y + about_z, about_y, about_z].map(|area| material.density * area);
        Self::new(stiffness, material.density * area, rotary)
    }

    /// With damping in proportion to stiffness, a Kelvin-Voigt material with this time of retardation in s.
    pub fn with_retardation(mut self, time: f64) -> Self {
        // C (τ C⁻¹) C.
        self.fluidity = self.compliance * time;
        self
    }

    /// With a viscosity, forces in N s and moments in N m² s per rate of strain. Call it after the stiffness is set.
    pub fn with_viscosity(mut self, viscosity: [f64; 6]) -> Self {
        let viscosity = Matrix6::from_diagonal(&Vector6::from(viscosity));
        self.fluidity = self.compliance * viscosity * self.compliance;
        self
    }

    /// With another mass per length in kg/m, and other mass moments of inertia per length about x, y and z in kg m.
    pub fn with_mass(mut self, mass: f64, rotary: [f64; 3]) -> Self {
        (self.mass, self.rotary) = (mass, rotary);
        self
    }

    /// Mass per length in kg/m.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The diagonal of the stiffness matrix; `None` where the section is rigid in some way or its compliance is not positive definite.
    pub fn stiffness(&self) -> Option<[f64; 6]> {
        let inverse = self.compliance.cholesky()?.inverse();
        Some(inverse.diagonal().into())
    }
}

/// The torsion constant J of a rectangle (Timoshenko and Goodier, Theory of Elasticity, sec. 109).
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    let (long, short) = (a.max(b), a.min(b));
    // The terms fall with the fifth power: 40 of them leave less than 1e-10 of the first.
    let series = (0..40)
        .map(|index| f64::from(2 * index + 1))
        .map(|n| (0.5 * n * PI * long / short).tanh() / n.powi(5));
    // Smallest terms first.
    let sum = series.rev().sum::<f64>();
    long * short.powi(3) / 3.0 * (1.0 - 192.0 / PI.powi(5) * short / long * sum)
}
