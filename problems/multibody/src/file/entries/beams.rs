//! Beams and their sections.

use super::{Reference, is_false};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cross section of beams: x along the beam, y and z in the section, from its centroid.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{MechanismFile, SectionEntry};
///
/// // A steel pipe of 2 m that is carried along with 3 m/s.
/// let text = r#"
/// t_end = 1.0
/// [[sections]]
/// name = "pipe"
/// tube = [0.02, 0.018]
/// material = { young = 2.1e11, poisson = 0.3, density = 7850.0 }
/// [[beams]]
/// name = "mast"
/// section = "pipe"
/// line = { from = [0.0, 0.0, 0.0], to = [0.0, 0.0, 2.0], elements = 4 }
/// velocity = [3.0, 0.0, 0.0]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let SectionEntry { tube: Some([outer, inner]), .. } = file.sections[0].get_ref() else { panic!("a tube") };
/// let mass = 7850.0 * std::f64::consts::PI * (outer * outer - inner * inner) * 2.0;
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// let (kinetic, _) = Snapshot::new(&system, &start).energies();
/// assert!((kinetic / (0.5 * mass * 3.0 * 3.0) - 1.0).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
///
/// ```
/// use liedae_multibody::Material;
/// use liedae_multibody::file::{MaterialEntry, MechanismFile};
///
/// let text = r#"
/// t_end = 1.0
/// [[sections]]
/// name = "rod"
/// circle = 0.01
/// material = { young = 2.1e11, poisson = 0.3, density = 7850.0 }
/// "#;
/// let stated = MechanismFile::read(text)?.sections[0].get_ref().material;
/// let Some(MaterialEntry { young, poisson, density }) = stated else { panic!("steel") };
/// // Its shear modulus is E / (2 (1 + ν)).
/// let steel = Material::new(young, poisson, density);
/// assert!((steel.shear_modulus() / (2.1e11 / 2.6) - 1.0).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
///
/// ```
/// use liedae_multibody::drawing::{Drawn, Figure};
/// use liedae_multibody::file::{MechanismFile, OutlineEntry};
///
/// // A rope that is known by its stiffness; pictures show it 8 mm thick.
/// let text = r#"
/// t_end = 1.0
/// [[sections]]
/// name = "rope"
/// stiffness = [1e6, inf, inf, 2.0, 3.0, 3.0]
/// mass = 0.1
/// rotary = [4e-7, 2e-7, 2e-7]
/// outline = { round = 0.004 }
/// [[beams]]
/// name = "line"
/// section = "rope"
/// line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 2 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert!(matches!(file.sections[0].get_ref().outline, Some(OutlineEntry::Round(radius)) if radius == 0.004));
/// let drawing = file.system(text)?.drawing();
/// let Figure::Solid { points, .. } = &drawing.parts()[0].figure else { panic!("a cylinder") };
/// assert!(points.iter().all(|[_, y, z]| (y.hypot(*z) - 0.004).abs() < 1e-12));
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutlineEntry {
    /// Half the sides along y and z, m.
    Rectangle([f64; 2]),
    /// A radius, m.
    Round(f64),
}

/// A geometrically exact beam: its nodes are bodies with the names `<beam>.0`, `<beam>.1`, ...
///
/// ```
/// use liedae::analysis::static_equilibrium;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{BeamEntry, MechanismFile};
///
/// // A board of 1 m, 2 cm thick, sticks out of a wall.
/// let text = r#"
/// gravity = [0.0, 0.0, -9.81]
/// t_end = 1.0
/// joints = [{ name = "wall", kind = "fixed", bodies = ["ground", "shelf.0"], point = [0.0, 0.0, 0.0] }]
/// [[sections]]
/// name = "board"
/// rectangle = [0.2, 0.02]
/// material = { young = 1.1e10, poisson = 0.3, density = 600.0 }
/// [[beams]]
/// name = "shelf"
/// section = "board"
/// line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 8 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let BeamEntry { name, line, .. } = file.beams[0].get_ref();
/// assert_eq!((name.as_str(), line.map(|line| line.elements)), ("shelf", Some(8)));
/// let mut system = file.system(text)?;
/// let end = system.body("shelf.8").ok_or("its last node")?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut system), &start, &Default::default())?.state;
/// // It sags by ρ A g L⁴ / (8 E I) = 3 ρ g L⁴ / (2 E h²).
/// let sag = 3.0 * 600.0 * 9.81 / (2.0 * 1.1e10 * 0.02 * 0.02);
/// assert!((Snapshot::new(&system, &rest).position(end).z / -sag - 1.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{LineEntry, MechanismFile};
///
/// let text = r#"
/// t_end = 1.0
/// sections = [{ name = "rod", circle = 0.01, material = { young = 2.1e11, poisson = 0.3, density = 7850.0 } }]
/// [[beams]]
/// name = "brace"
/// section = "rod"
/// line = { from = [0.0, 0.0, 0.0], to = [4.0, 0.0, 3.0], elements = 5 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some(LineEntry { elements, .. }) = file.beams[0].get_ref().line else { panic!("a straight beam") };
/// let system = file.system(text)?;
/// let second = system.body("brace.1").ok_or("its second node")?;
/// // It is 5 m long: there is a node at every metre.
/// let start = system.initial_state();
/// assert!((Snapshot::new(&system, &start).position(second).norm() - 5.0 / elements as f64).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::file::{CurveEntry, MechanismFile};
/// use liedae_multibody::{Snapshot, Vector3};
///
/// // Half a ring of radius 2 m, which begins along x and turns to the left.
/// let text = r#"
/// t_end = 1.0
/// sections = [{ name = "rod", circle = 0.01, material = { young = 2.1e11, poisson = 0.3, density = 7850.0 } }]
/// [[beams]]
/// name = "ring"
/// section = "rod"
/// [beams.curve]
/// point = [0.0, 0.0, 0.0]
/// x = [1.0, 0.0, 0.0]
/// y = [0.0, 1.0, 0.0]
/// curvature = [0.0, 0.0, 0.5]
/// length = 6.283185307179586
/// elements = 12
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some(CurveEntry { curvature, elements, .. }) = file.beams[0].get_ref().curve else { panic!("an arc") };
/// assert_eq!((curvature[2], elements), (0.5, 12));
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// let end = system.body("ring.12").ok_or("its last node")?;
/// assert!((Snapshot::new(&system, &start).position(end) - Vector3::new(0.0, 4.0, 0.0)).norm() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{MechanismFile, NodeEntry};
///
/// // A bow by its nodes: it has no stress in this shape.
/// let text = r#"
/// t_end = 1.0
/// sections = [{ name = "rod", circle = 0.01, material = { young = 2.1e11, poisson = 0.3, density = 7850.0 } }]
/// [[beams]]
/// name = "bow"
/// section = "rod"
/// nodes = [
///     { point = [-1.0, 0.0, 0.0], x = [0.8, 0.0, 0.6], y = [0.0, 1.0, 0.0] },
///     { point = [0.0, 0.0, 0.3], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0] },
///     { point = [1.0, 0.0, 0.0], x = [0.8, 0.0, -0.6], y = [0.0, 1.0, 0.0] },
/// ]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let [_, NodeEntry { point: top, .. }, _] = file.beams[0].get_ref().nodes.as_deref().ok_or("nodes")? else {
///     panic!("three of them")
/// };
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// let now = Snapshot::new(&system, &start);
/// assert_eq!(now.position(system.body("bow.1").ok_or("its second node")?).as_slice(), top);
/// assert!(now.energies().1 < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{MechanismFile, StartEntry};
///
/// // A rubber band of 1 m and E A = 500 N that starts drawn out by a tenth.
/// let text = r#"
/// t_end = 1.0
/// [[sections]]
/// name = "rubber"
/// stiffness = [500.0, 50.0, 50.0, 1.0, 1.0, 1.0]
/// mass = 0.1
/// rotary = [1e-6, 1e-6, 1e-6]
/// [[beams]]
/// name = "band"
/// section = "rubber"
/// line = { from = [0.0, 0.0, 0.0], to = [1.0, 0.0, 0.0], elements = 1 }
/// start = [
///     { point = [0.0, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0] },
///     { point = [1.1, 0.0, 0.0], x = [1.0, 0.0, 0.0], y = [0.0, 1.0, 0.0], velocity = [2.0, 0.0, 0.0] },
/// ]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some([_, StartEntry { velocity, .. }]) = file.beams[0].get_ref().start.as_deref() else { panic!("two nodes") };
/// assert_eq!(*velocity, Some([2.0, 0.0, 0.0]));
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// // E A ε² L / 2.
/// assert!((Snapshot::new(&system, &start).energies().1 - 0.5 * 500.0 * 0.1 * 0.1).abs() < 1e-9);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
