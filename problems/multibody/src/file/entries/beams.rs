//! Beams and their sections.

use super::{Reference, is_false};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cross section of beams: x along the beam, y and z in the section, from its centroid.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectionEntry {
    /// Name, unique among sections.
    pub name: String,
    /// The material of `rectangle`, `circle` and `tube`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialEntry>,
    /// The sides along y and z, m; exactly one of `rectangle`, `circle`, `tube`, `stiffness` and `compliance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rectangle: Option<[f64; 2]>,
    /// A radius, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub circle: Option<f64>,
    /// The outer and the inner radius, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tube: Option<[f64; 2]>,
    /// (E A, G A_y, G A_z, G J, E I_y, E I_z), N and N m²; `inf` for what is rigid in shear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 6]>,
    /// The inverse of the stiffness matrix by rows, 1/N and 1/(N m²): for sections whose stretching, bending and twisting are coupled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compliance: Option<[[f64; 6]; 6]>,
    /// Mass per length, kg/m; that of the material if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Moments of inertia per length about x, y and z, kg m; together with `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotary: Option<[f64; 3]>,
    /// Time of retardation, s: damping in proportion to stiffness. One of `retardation`, `viscosity` and `fluidity`, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retardation: Option<f64>,
    /// Forces and moments per rate of strain, N s and N m² s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viscosity: Option<[f64; 6]>,
    /// C D C by rows, of the compliance C and the matrix D of viscosity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluidity: Option<[[f64; 6]; 6]>,
    /// What pictures show, of sections by their stiffness or compliance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outline: Option<OutlineEntry>,
}

/// An isotropic linear elastic material.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialEntry {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density, kg/m³.
    pub density: f64,
}

/// What a section looks like.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutlineEntry {
    /// Half the sides along y and z, m.
    Rectangle([f64; 2]),
    /// A radius, m.
    Round(f64),
}

/// A geometrically exact beam: its nodes are bodies with the names `<beam>.0`, `<beam>.1`, ...
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeamEntry {
    /// Name, unique among beams.
    pub name: String,
    /// The section of all elements; or `sections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Reference>,
    /// A section for each element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<Reference>>,
    /// A straight beam; exactly one of `line`, `curve` and `nodes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineEntry>,
    /// A beam of constant twist and curvature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<CurveEntry>,
    /// The nodes of a beam of any shape, without strain; an element is between each two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeEntry>>,
    /// Where the nodes are at the start, and how they move, if not there and at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<StartEntry>>,
    /// Velocity of the first node in the world, m/s: the beam moves like a rigid body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity of the whole in the world, rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<[f64; 3]>,
    /// The energy of strains that are constant in each element, without the residual bending flexibility.
    #[serde(default, skip_serializing_if = "is_false")]
    pub constant_strain_energy: bool,
    /// How many of the `bodies` come before its nodes in the order of the equations; all if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_bodies: Option<usize>,
}

/// A straight line between points of the world.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineEntry {
    /// Its start, m.
    pub from: [f64; 3],
    /// Its end, m.
    pub to: [f64; 3],
    /// Number of elements of equal length.
    pub elements: usize,
}

/// A line of constant twist and curvature.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveEntry {
    /// Its start in the world, m.
    pub point: [f64; 3],
    /// Its direction there, a unit vector.
    pub x: [f64; 3],
    /// The y-axis of the section there, a unit vector.
    pub y: [f64; 3],
    /// Twist, and curvature about y and z, 1/m.
    #[serde(default)]
    pub curvature: [f64; 3],
    /// Its length, m.
    pub length: f64,
    /// Number of elements of equal length.
    pub elements: usize,
}

/// A node: its section in the world.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeEntry {
    /// The centroid, m.
    pub point: [f64; 3],
    /// The unit x-axis, along the beam; with `y`, or `axes` in place of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 3]>,
    /// The unit y-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 3]>,
    /// A rotation matrix by rows, whose columns are the x-, y- and z-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[[f64; 3]; 3]>,
}

/// A node at the start.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartEntry {
    /// The centroid, m.
    pub point: [f64; 3],
    /// The unit x-axis; with `y`, or `axes` in place of both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 3]>,
    /// The unit y-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 3]>,
    /// A rotation matrix by rows, whose columns are the x-, y- and z-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[[f64; 3]; 3]>,
    /// Velocity in the world, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity in the section, rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_velocity: Option<[f64; 3]>,
}
