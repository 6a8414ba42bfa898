//! Straight Euler-Bernoulli beams reduced to their modes.

use super::element::{Family, Mesh, Station, modes};
use super::inertia::Moments;
use super::model::{ModalError, ModalModel};
use super::node::ModalNode;
use super::sample::Sample;
use crate::beam::Section;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3};

/// Which ends of a beam its modes leave where they are in its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeamEnds {
    /// The start is clamped to the frame and the end is free: the frame is that of the first section.
    Clamped,
    /// Both ends stay on the x-axis of the frame and turn freely: the frame's x-axis goes through both ends. The start neither
    /// moves along the axis nor turns about it.
    Pinned,
    /// Both ends are free: modes have no momentum and no angular momentum in the frame, which moves as the whole does (Buckens).
    Free,
}

/// A straight beam along the x-axis of its frame, from the origin on, by Hermite elements reduced to modes.
///
/// Sections stay at right angles to the beam: its shear stiffness is not used. Modes are scaled such that their largest
/// displacement at a node is 1 m, that of twisting 1 rad (within the elements where nodes hardly move); so the unit of
/// a modal coordinate is m or rad. Deflections shorten the beam by ½ ∫ v'² + w'² dx, which stiffens it in rotation;
/// nodes `0..=elements` are at equal distances.
///
/// ```
/// use liedae_multibody::{BeamEnds, ModalBeam, Section};
///
/// let section = Section::new([1e6, 1e6, 1e6, 40.0, 100.0, 100.0], 2.0, [2e-4, 1e-4, 1e-4]);
/// let beam = ModalBeam::new(section, 3.0, 12, BeamEnds::Clamped).with_bending([2, 2]).with_stretching(1);
/// let model = beam.model()?;
/// assert_eq!((model.modes(), model.nodes()), (5, 13));
/// assert!((model.mass() - 6.0).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::ModalError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModalBeam {
    pub(crate) section: Section,
    pub(crate) length: f64,
    pub(crate) elements: usize,
    pub(crate) ends: BeamEnds,
    pub(crate) bending: [usize; 2],
    pub(crate) stretching: usize,
    pub(crate) twisting: usize,
    pub(crate) foreshortening: bool,
    pub(crate) plain_field: bool,
}

/// The largest one, with its sign: of some that are alike the first.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |largest: f64, value| {
        if value.abs() > largest.abs() * (1.0 + 1e-9) {
            value
        } else {
            largest
        }
    })
}

/// A mode as a field along the beam.
struct Shape {
    kind: Kind,
    numbers: DVector<f64>,
}

/// What a field displaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stretching,
    Twisting,
    AlongY,
    AlongZ,
}

impl Kind {
    fn family(self) -> Family {
        match self {
            Self::Stretching | Self::Twisting => Family::Linear,
            Self::AlongY | Self::AlongZ => Family::Cubic,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Stretching => "stretching",
            Self::Twisting => "twisting",
            Self::AlongY => "bending along y",
            Self::AlongZ => "bending along z",
        }
    }
}

impl ModalBeam {
    /// A beam of this length in m, by so many elements, with one mode of bending in each direction.
    pub fn new(section: Section, length: f64, elements: usize, ends: BeamEnds) -> Self {
        Self {
            section,
            length,
            elements,
            ends,
            bending: [1, 1],
            stretching: 0,
            twisting: 0,
            foreshortening: true,
            plain_field: false,
        }
    }

    /// With so many modes of bending along y and along z, slow ones first.
    pub fn with_bending(mut self, modes: [usize; 2]) -> Self {
        self.bending = modes;
        self
    }

    /// With so many modes of stretching.
    pub fn with_stretching(mut self, modes: usize) -> Self {
        self.stretching = modes;
        self
    }

    /// With so many modes of twisting.
    pub fn with_twisting(mut self, modes: usize) -> Self {
        self.twisting = modes;
        self
    }

    /// Without foreshortening: the displacements of the axis are linear, as models that do not rotate fast have them. The rotary
    /// inertia of sections still counts their rotations up to the second order.
    pub fn without_foreshortening(mut self) -> Self {
        self.foreshortening = false;
        self
    }

    /// With the displacements in the inertia as they are, s + Σ Φᵢ ηᵢ + ½ Σ Sᵢⱼ ηᵢ ηⱼ at every point of the beam. Otherwise the second
    /// order is the affine field with the same integrals of S and s Sᵀ, which costs less and differs in the third order of η.
    ///
    /// ```
    /// use liedae_multibody::{BeamEnds, Material, ModalBeam, Section};
    ///
    /// let section = Section::rectangle(&Material::new(2.1e11, 0.3, 7850.0), [0.03, 0.001]);
    /// let beam = ModalBeam::new(section, 0.5, 10, BeamEnds::Clamped).with_bending([0, 3]);
    /// let (fitted, plain) = (beam.model()?, beam.with_plain_field().model()?);
    /// assert_eq!(fitted.mass(), plain.mass());
    /// # Ok::<(), liedae_multibody::ModalError>(())
    /// ```
    pub fn with_plain_field(mut self) -> Self {
        self.plain_field = true;
        self
    }

    /// Its frequencies in rad/s: of bending along y and along z, of stretching and of twisting, those that are wanted.
    ///
    /// # Errors
    /// As [`model`](Self::model).
    pub fn frequencies(&self) -> Result<[Vec<f64>; 4], ModalError> {
        self.check()?;
        let kinds = [Kind::AlongY, Kind::AlongZ, Kind::Stretching, Kind::Twisting];
        let mut all: [Vec<f64>; 4] = std::array::from_fn(|_| Vec::new());
        for (kind, slot) in kinds.into_iter().zip(&mut all) {
            let shapes = self.shapes(kind)?;
            // A kind without modes may be rigid.
            if shapes.is_empty() {
                continue;
            }
            let [mass, stiffness] = self.matrices(kind)?;
            for shape in shapes {
                let numbers = &shape.numbers;
                let ratio = numbers.dot(&(&stiffness * numbers)) / numbers.dot(&(&mass * numbers));
                slot.push(ratio.sqrt());
            }
        }
        Ok(all)
    }

    /// The reduced model.
    ///
    /// # Errors
    /// Lengths, masses and stiffnesses that are not positive and finite, sections that couple stretching, bending and
    /// twisting, no elements, no modes or more of them than the elements have; with a plain field a rotary inertia that no section has.
    pub fn model(&self) -> Result<ModalModel, ModalError> {
        let mut shapes = Vec::new();
        for kind in [Kind::AlongY, Kind::AlongZ, Kind::Stretching, Kind::Twisting] {
            shapes.extend(self.shapes(kind)?);
        }
        let mesh = self.mesh();
        let mut moments = Moments::empty(shapes.len());
        let rotary = Matrix3::from_diagonal(&Vector3::from(self.section.rotary));
        for station in mesh.stations() {
            let point = self.point(&shapes, station);
            moments.add(
                self.section.mass * station.weight,
                &point.piece(),
                &point.piece(),
            );
            moments.add_rotary(&(rotary * station.weight), &point.piece());
        }
        let mut stiffness = DMatrix::zeros(shapes.len(), shapes.len());
        let mut damping = stiffness.clone();
        for (row, one) in shapes.iter().enumerate() {
            for (column, two) in shapes.iter().enumerate().skip(row) {
                if one.kind != two.kind {
                    continue;
                }
                let (modulus, viscosity) = self.moduli(one.kind);
                let [_, unit] = mesh.matrices(one.kind.family(), [0.0; 2], 1.0);
                let product = one.numbers.dot(&(unit * &two.numbers));
                for at in [(row, column), (column, row)] {
                    stiffness[at] = modulus * product;
                    damping[at] = viscosity * product;
                }
            }
        }
        let nodes = (0..=self.elements)
            .map(|node| self.point(&shapes, mesh.node(node)))
            .collect();
        let model = ModalModel::new(moments, stiffness, damping, nodes)?.of_beam(self);
        if !self.plain_field {
            return Ok(model);
        }
        let mut samples = Vec::new();
        for station in mesh.stations() {
            let point = self.point(&shapes, station);
            let factor = (self.section.mass * station.weight).sqrt();
            let parts = std::iter::once((factor, point.piece()));
            samples.push(Sample::of(shapes.len(), parts));
            let tensor = rotary * station.weight;
            samples.extend(Sample::of_rotary(&tensor, &point.piece())?);
        }
        Ok(model.with_samples(samples))
    }

    fn mesh(&self) -> Mesh {
        Mesh {
            length: self.length,
            elements: self.elements,
        }
    }

    /// Stiffness and viscosity of a kind of deformation.
    fn moduli(&self, kind: Kind) -> (f64, f64) {
        let place = match kind {
            Kind::Stretching => 0,
            Kind::Twisting => 3,
            // Deflections along z turn sections about y.
            Kind::AlongZ => 4,
            Kind::AlongY => 5,
        };
        let stiffness = self.section.compliance[(place, place)].recip();
        let viscosity = self.section.fluidity[(place, place)] * stiffness * stiffness;
        (stiffness, viscosity)
    }

    fn matrices(&self, kind: Kind) -> Result<[DMatrix<f64>; 2], ModalError> {
        self.check()?;
        let (modulus, _) = self.moduli(kind);
        let positive = |what: &'static str, value: f64| {
            let error = ModalError::Number {
                what,
                value,
                should: "positive and finite",
            };
            (value.is_finite() && value > 0.0)
                .then_some(value)
                .ok_or(error)
        };
        positive("a stiffness of the beam", modulus)?;
        let mass = match kind {
            Kind::Stretching => [self.section.mass, 0.0],
            Kind::Twisting => [
                positive("the rotary inertia about the beam", self.section.rotary[0])?,
                0.0,
            ],
            Kind::AlongY => [self.section.mass, self.section.rotary[2]],
            Kind::AlongZ => [self.section.mass, self.section.rotary[1]],
        };
        Ok(self.mesh().matrices(kind.family(), mass, modulus))
    }

    fn check(&self) -> Result<(), ModalError> {
        if self.elements == 0 {
            return Err(ModalError::Count {
                what: "elements",
                found: 0,
                expected: 1,
            });
        }
        let number = |what: &'static str, value: f64, fits: bool, should: &'static str| {
            let error = ModalError::Number {
                what,
                value,
                should,
            };
            if value.is_finite() && fits {
                Ok(())
            } else {
                Err(error)
            }
        };
        let (length, mass) = (self.length, self.section.mass);
        let positive = "positive and finite";
        number("the length of the beam", length, length > 0.0, positive)?;
        number("the mass per length", mass, mass > 0.0, positive)?;
        for rotary in self.section.rotary {
            let not_negative = "finite and not negative";
            number("a rotary inertia", rotary, rotary >= 0.0, not_negative)?;
        }
        for matrix in [&self.section.compliance, &self.section.fluidity] {
            let diagonal = Matrix6::from_diagonal(&matrix.diagonal());
            if (matrix - diagonal).iter().any(|entry| *entry != 0.0) {
                return Err(ModalError::Coupled);
            }
        }
        Ok(())
    }

    fn shapes(&self, kind: Kind) -> Result<Vec<Shape>, ModalError> {
        let wanted = match kind {
            Kind::Stretching => self.stretching,
            Kind::Twisting => self.twisting,
            Kind::AlongY => self.bending[0],
            Kind::AlongZ => self.bending[1],
        };
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let matrices = self.matrices(kind)?;
        let last = matrices[0].nrows() - 1;
        let cubic = kind.family() == Family::Cubic;
        let held = match (self.ends, cubic) {
            (BeamEnds::Clamped, true) => vec![0, 1],
            (BeamEnds::Pinned, true) => vec![0, last - 1],
            (BeamEnds::Clamped | BeamEnds::Pinned, false) => vec![0],
            (BeamEnds::Free, _) => Vec::new(),
        };
        // The square of a frequency of the size of the slowest one.
        let (modulus, _) = self.moduli(kind);
        let inertia = match kind {
            Kind::Twisting => self.section.rotary[0],
            _ => self.section.mass,
        };
        let shift = match (self.ends, cubic) {
            (BeamEnds::Free, true) => 500.0 * modulus / (inertia * self.length.powi(4)),
            (BeamEnds::Free, false) => 10.0 * modulus / (inertia * self.length.powi(2)),
            _ => 0.0,
        };
        let singular = ModalError::NotPositive {
            matrix: "stiffness",
            smallest: 0.0,
            should: "positive",
        };
        let all = modes(&matrices, &held, shift).ok_or(singular)?;
        if all.len() < wanted {
            return Err(ModalError::TooManyModes {
                what: kind.name(),
                wanted,
                elements: self.elements,
                available: all.len(),
            });
        }
        let mesh = self.mesh();
        let scaled = |numbers: DVector<f64>| {
            let each = kind.family().each();
            let at_nodes = largest(numbers.iter().step_by(each).copied());
            // Waves as long as two elements leave all nodes of a pinned beam where they are.
            let within = mesh.stations();
            let within = largest(within.map(|at| mesh.field(kind.family(), &numbers, at)[0]));
            let whole = if at_nodes.abs() < 0.5 * within.abs() {
                within
            } else {
                at_nodes
            };
            let numbers = if whole == 0.0 {
                numbers
            } else {
                numbers / whole
            };
            Shape { kind, numbers }
        };
        Ok(all.into_iter().take(wanted).map(scaled).collect())
    }

    /// What the modes do at a point of the axis.
    fn point(&self, shapes: &[Shape], at: Station) -> ModalNode {
        let mesh = self.mesh();
        let (mut displacements, mut rotations) = (Vec::new(), Vec::new());
        for shape in shapes {
            let [value, slope, _] = mesh.field(shape.kind.family(), &shape.numbers, at);
            let (moved, turned) = match shape.kind {
                Kind::Stretching => (Vector3::x() * value, Vector3::zeros()),
                Kind::Twisting => (Vector3::zeros(), Vector3::x() * value),
                Kind::AlongY => (Vector3::y() * value, Vector3::z() * slope),
                Kind::AlongZ => (Vector3::z() * value, Vector3::y() * -slope),
            };
            displacements.push(moved);
            rotations.push(turned);
        }
        let mut second = Vec::new();
        if self.foreshortening {
            for one in shapes {
                for two in shapes {
                    let bends = one.kind.family() == Family::Cubic && one.kind == two.kind;
                    let short = if bends {
                        mesh.slopes([&one.numbers, &two.numbers], at)
                    } else {
                        0.0
                    };
                    second.push(Vector3::x() * -short);
                }
            }
        }
        ModalNode {
            position: Vector3::x() * at.x,
            displacements,
            rotations,
            second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beam(elements: usize) -> ModalBeam {
        let section = Section::new([1e6, 1e6, 1e6, 40.0, 100.0, 100.0], 2.0, [2e-4, 1e-4, 1e-4]);
        ModalBeam::new(section, 3.0, elements, BeamEnds::Pinned)
    }

    /// The highest mode of a pinned beam turns its nodes and moves none: its unit is that of the others nevertheless.
    #[test]
    fn modes_that_leave_all_nodes_in_place_have_a_unit() -> Result<(), ModalError> {
        for elements in [1, 2, 3, 4, 5, 8, 10] {
            let beam = beam(elements).with_bending([elements, 0]);
            for shape in beam.shapes(Kind::AlongY)? {
                let [mass, _] = beam.matrices(Kind::AlongY)?;
                let modal = shape.numbers.dot(&(&mass * &shape.numbers));
                // Half of the beam's 6 kg for a sine.
                assert!((1.0..6.0).contains(&modal), "{elements}: {modal}");
            }
        }
        Ok(())
    }

    #[test]
    fn kinds_without_modes_may_be_rigid() -> Result<(), ModalError> {
        let rigid = f64::INFINITY;
        let section = Section::new([rigid, rigid, rigid, rigid, 100.0, 100.0], 2.0, [2e-4; 3]);
        let beam = ModalBeam::new(section, 3.0, 8, BeamEnds::Pinned).with_bending([2, 1]);
        let frequencies = beam.frequencies()?;
        assert_eq!(frequencies.map(|kind| kind.len()), [2, 1, 0, 0]);
        assert_eq!(beam.model()?.modes(), 3);
        Ok(())
    }
}
