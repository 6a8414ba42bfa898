//! Beams of a file.

use super::build::{Building, matrix};
use super::entries::{
    BeamEntry, MaterialEntry, NodeEntry, OutlineEntry, Reference, SectionEntry, StartEntry,
};
use super::error::FileError;
use crate::beam::Outline;
use crate::marker::orthonormal;
use crate::{AssemblyError, Beam, Material, Section, SectionFrame};
use nalgebra::Matrix6;
use toml::Spanned;

/// Most elements of a beam: a file of a few bytes may not ask for all the memory.
const MOST_ELEMENTS: usize = 100_000;

impl<'a> Building<'a> {
    pub fn section(&mut self, entry: &'a Spanned<SectionEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        if self.sections.contains_key(stated.name.as_str()) {
            let name = &stated.name;
            let reason = format!("there is a section `{name}` already: expected another name");
            return Err(self.bad(entry, "name", reason));
        }
        let section = self.damped(entry, self.undamped(entry)?)?;
        self.sections.insert(&stated.name, section);
        Ok(())
    }

    /// A section by its shape and material, or by its stiffness.
    fn undamped(&self, entry: &Spanned<SectionEntry>) -> Result<Section, FileError> {
        let stated = entry.get_ref();
        let ways = [
            ("rectangle", stated.rectangle.is_some()),
            ("circle", stated.circle.is_some()),
            ("tube", stated.tube.is_some()),
            ("stiffness", stated.stiffness.is_some()),
            ("compliance", stated.compliance.is_some()),
        ];
        let given: Vec<&str> = ways
            .iter()
            .filter_map(|&(key, given)| given.then_some(key))
            .collect();
        let &[way] = given.as_slice() else {
            let reason =
                "expected exactly one of `rectangle`, `circle`, `tube`, `stiffness`, `compliance`";
            let key = given.last().copied().unwrap_or("rectangle");
            return Err(self.bad(entry, key, reason));
        };
        let weight = match (stated.mass, stated.rotary) {
            (Some(mass), Some(rotary)) => Some((mass, rotary)),
            (None, None) => None,
            (Some(_), None) => return Err(self.bad(entry, "rotary", "`mass` needs `rotary`")),
            (None, Some(_)) => return Err(self.bad(entry, "mass", "`rotary` needs `mass`")),
        };
        if let Some((mass, rotary)) = weight
            && !(mass > 0.0 && rotary.iter().all(|&moment| moment > 0.0))
        {
            return Err(self.bad(entry, "mass", "expected a positive mass and `rotary`"));
        }
        let is_shape = matches!(way, "rectangle" | "circle" | "tube");
        if stated.material.is_some() && !is_shape {
            let reason = format!("`{way}` has no material: expected `mass` and `rotary`");
            return Err(self.bad(entry, "material", reason));
        }
        match (is_shape, weight) {
            (true, _) => {
                let section = self.by_shape(entry, way)?;
                Ok(match weight {
                    Some((mass, rotary)) => section.with_mass(mass, rotary),
                    None => section,
                })
            }
            (false, Some(weight)) => self.by_stiffness(entry, weight),
            (false, None) => {
                let reason = format!("a section by its {way} needs `mass` and `rotary`");
                Err(self.bad(entry, "mass", reason))
            }
        }
    }

    fn by_stiffness(
        &self,
        entry: &Spanned<SectionEntry>,
        (mass, rotary): (f64, [f64; 3]),
    ) -> Result<Section, FileError> {
        let stated = entry.get_ref();
        let section = match (stated.stiffness, stated.compliance) {
            (Some(stiffness), _) => {
                if !stiffness.iter().all(|&part| part > 0.0) {
                    return Err(self.bad(entry, "stiffness", "expected positive numbers"));
                }
                Section::new(stiffness, mass, rotary)
            }
            (None, rows) => Section::coupled(six(&rows.unwrap_or_default()), mass, rotary),
        };
        Ok(Section {
            outline: stated.outline.map(Outline::from),
            ..section
        })
    }

    fn by_shape(&self, entry: &Spanned<SectionEntry>, way: &str) -> Result<Section, FileError> {
        let stated = entry.get_ref();
        if stated.outline.is_some() {
            let reason = format!("a `{way}` is its own outline: expected none");
            return Err(self.bad(entry, "outline", reason));
        }
        let material = self.material(entry)?;
        let radius = stated.circle.unwrap_or_default();
        let (fits, section) = match (stated.rectangle, stated.tube) {
            (Some(sides), _) => {
                let fits = sides.iter().all(|&side| side > 0.0);
                (fits, Section::rectangle(&material, sides))
            }
            (None, Some([outer, inner])) => {
                let fits = outer > inner && inner >= 0.0;
                (fits, Section::tube(&material, outer, inner))
            }
            (None, None) => (radius > 0.0, Section::circle(&material, radius)),
        };
        if fits {
            return Ok(section);
        }
        let reason = "expected positive lengths, and a tube that is wider outside than inside";
        Err(self.bad(entry, way, reason))
    }

    fn material(&self, entry: &Spanned<SectionEntry>) -> Result<Material, FileError> {
        let Some(stated) = entry.get_ref().material else {
            return Err(self.bad(
                entry,
                "material",
                "a section of this shape needs a material",
            ));
        };
        let MaterialEntry {
            young,
            poisson,
            density,
        } = stated;
        // Beyond these ratios the shear or the bulk modulus is negative.
        if young > 0.0 && density > 0.0 && poisson > -1.0 && poisson <= 0.5 {
            return Ok(Material::new(young, poisson, density));
        }
        let reason = "expected `young` and `density` above 0 and `poisson` above -1, up to 0.5";
        Err(self.bad(entry, "material", reason))
    }

    fn damped(
        &self,
        entry: &Spanned<SectionEntry>,
        section: Section,
    ) -> Result<Section, FileError> {
        let stated = entry.get_ref();
        match (stated.retardation, stated.viscosity, stated.fluidity) {
            (None, None, None) => Ok(section),
            (Some(time), None, None) if time >= 0.0 => Ok(section.with_retardation(time)),
            (Some(_), None, None) => {
                Err(self.bad(entry, "retardation", "expected a time in s, not below 0"))
            }
            (None, Some(viscosity), None) if viscosity.iter().all(|&part| part >= 0.0) => {
                Ok(section.with_viscosity(viscosity))
            }
            (None, Some(_), None) => {
                Err(self.bad(entry, "viscosity", "expected numbers not below 0"))
            }
            (None, None, Some(rows)) => Ok(Section {
                fluidity: six(&rows),
                ..section
            }),
            (retardation, ..) => {
                let key = if retardation.is_some() {
                    "retardation"
                } else {
                    "viscosity"
                };
                let reason = "expected one of `retardation`, `viscosity` and `fluidity`";
                Err(self.bad(entry, key, reason))
            }
        }
    }

    pub fn find_section(&self, name: &Reference) -> Result<Section, FileError> {
        let wanted = name.0.get_ref().as_str();
        self.sections.get(wanted).cloned().ok_or_else(|| {
            let reason = format!("there is no section `{wanted}`: expected one of `sections`");
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    pub fn beam(&mut self, entry: &'a Spanned<BeamEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let name = stated.name.as_str();
        let sections = match (&stated.section, &stated.sections) {
            (Some(section), None) => vec![self.find_section(section)?],
            (None, Some(sections)) => {
                let found = sections.iter().map(|section| self.find_section(section));
                found.collect::<Result<_, _>>()?
            }
            _ => {
                return Err(self.bad(entry, "section", "expected one of `section` and `sections`"));
            }
        };
        // An assembly takes one for all; a list has one for each.
        let is_listed = stated.sections.is_some();
        let first = sections.first().cloned();
        let Some(first) = first else {
            return Err(self.bad(entry, "sections", "expected a section for each element"));
        };
        let mut beam = self.shape(entry, first)?;
        if is_listed {
            if sections.len() != beam.elements() {
                let reason = format!(
                    "there are {} sections: expected {}, one for each element",
                    sections.len(),
                    beam.elements()
                );
                return Err(self.bad(entry, "sections", reason));
            }
            beam = beam.with_sections(sections);
        }
        if stated.constant_strain_energy {
            beam = beam.with_constant_strain_energy();
        }
        let moves = stated.velocity.is_some() || stated.angular_velocity.is_some();
        if moves {
            let [velocity, omega] =
                [stated.velocity, stated.angular_velocity].map(Option::unwrap_or_default);
            beam = beam.moving(velocity, omega);
        }
        let own = |node: &StartEntry| node.velocity.is_some() || node.angular_velocity.is_some();
        if let Some(start) = &stated.start {
            if moves && start.iter().any(own) {
                let key = if stated.velocity.is_some() {
                    "velocity"
                } else {
                    "angular_velocity"
                };
                let reason = "nodes of `start` have velocities as well: expected one of them";
                return Err(self.bad(entry, key, reason));
            }
            let frames = start.iter().map(|node| {
                let node = NodeEntry {
                    point: node.point,
                    x: node.x,
                    y: node.y,
                    axes: node.axes,
                };
                self.node(entry, name, "start", &node)
            });
            beam = beam.starting_at(frames.collect::<Result<_, _>>()?);
        }
        let count = beam.elements();
        let refused = self.builder.rejected.len();
        let nodes = self.builder.add_beam(beam);
        if let Some(error) = self.builder.rejected.get(refused) {
            return Err(self.refuse(entry, error.clone()));
        }
        let start = stated.start.iter().flatten();
        for (node, body) in start.zip(nodes.bodies()).filter(|(node, _)| own(node)) {
            if let Some(body) = body
                .index()
                .and_then(|index| self.builder.bodies.get_mut(index))
            {
                body.velocity = node.velocity.unwrap_or_default().into();
                body.omega = node.angular_velocity.unwrap_or_default().into();
            }
        }
        for node in 0..=count {
            let body = format!("{name}.{node}");
            if self.bodies.contains_key(body.as_str()) {
                let reason = format!(
                    "its node `{body}` has the name of another body: expected another name"
                );
                return Err(self.bad(entry, "name", reason));
            }
            self.bodies.insert(body.into(), nodes.body(node));
        }
        Ok(())
    }

    /// What an assembly refuses of a beam, with its key.
    fn refuse(&self, entry: &Spanned<BeamEntry>, error: AssemblyError) -> FileError {
        use AssemblyError as E;
        let keys: &[&str] = match &error {
            E::BeamParts { what, .. } if *what == "start frames" => &["start"],
            E::SectionStiffness { .. } | E::NotFinite { .. } => &["section", "sections"],
            _ => &["line", "curve", "nodes"],
        };
        FileError::of_keys(self.text, entry.span(), keys, error.to_string()).because(error)
    }

    /// The reference shape.
    fn shape(&self, entry: &Spanned<BeamEntry>, section: Section) -> Result<Beam, FileError> {
        let stated = entry.get_ref();
        let name = stated.name.as_str();
        let elements = |key: &str, count: usize| {
            if (1..=MOST_ELEMENTS).contains(&count) {
                return Ok(count);
            }
            let reason = format!("{count} elements: expected 1 to {MOST_ELEMENTS}");
            Err(self.bad(entry, key, reason))
        };
        match (&stated.line, &stated.curve, &stated.nodes) {
            (Some(line), None, None) => {
                let count = elements("line", line.elements)?;
                Ok(Beam::straight(name, section, line.from, line.to, count))
            }
            (None, Some(curve), None) => {
                let count = elements("curve", curve.elements)?;
                let first = NodeEntry {
                    point: curve.point,
                    x: Some(curve.x),
                    y: Some(curve.y),
                    axes: None,
                };
                let first = self.node(entry, name, "curve", &first)?;
                let (length, curvature) = (curve.length, curve.curvature);
                Ok(Beam::curved(name, section, first, curvature, length, count))
            }
            (None, None, Some(nodes)) => {
                elements("nodes", nodes.len().saturating_sub(1))?;
                let frames = nodes
                    .iter()
                    .map(|node| self.node(entry, name, "nodes", node));
                Ok(Beam::through(
                    name,
                    section,
                    frames.collect::<Result<_, _>>()?,
                ))
            }
            _ => {
                let reason = "expected exactly one of `line`, `curve` and `nodes`";
                Err(self.bad(entry, "line", reason))
            }
        }
    }

    /// A node under a key of a beam.
    pub fn node<T>(
        &self,
        entry: &Spanned<T>,
        beam: &str,
        key: &str,
        stated: &NodeEntry,
    ) -> Result<SectionFrame, FileError> {
        self.check_units(entry, &[(key, stated.x), (key, stated.y)])?;
        let frame = match (stated.x, stated.y, stated.axes) {
            (Some(x), Some(y), None) => SectionFrame::new(stated.point, x, y),
            (None, None, Some(rows)) => SectionFrame {
                centroid: stated.point.into(),
                axes: matrix(rows),
            },
            _ => {
                let reason = "a node has `x` and `y`, or `axes`: expected one of the two";
                return Err(self.bad(entry, key, reason));
            }
        };
        match orthonormal(beam, frame.axes) {
            Ok(_) => Ok(frame),
            Err(error) => {
                let reason = "the axes of a node are not orthonormal and right-handed";
                Err(self.bad(entry, key, reason).because(error))
            }
        }
    }
}

impl From<OutlineEntry> for Outline {
    fn from(stated: OutlineEntry) -> Self {
        match stated {
            OutlineEntry::Rectangle(halves) => Self::Rectangle(halves),
            OutlineEntry::Round(radius) => Self::Round(radius),
        }
    }
}

impl From<Outline> for OutlineEntry {
    fn from(outline: Outline) -> Self {
        match outline {
            Outline::Rectangle(halves) => Self::Rectangle(halves),
            Outline::Round(radius) => Self::Round(radius),
        }
    }
}

fn six(rows: &[[f64; 6]; 6]) -> Matrix6<f64> {
    Matrix6::from_fn(|i, j| rows[i][j])
}
