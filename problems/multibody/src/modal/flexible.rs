//! A flexible body in an assembled mechanism: its positions in the matrices, and its contributions to them.

use super::equations::Moving;
use super::inertia::{Moments, axial};
use super::model::ModalModel;
use super::node::ModalNode;
use super::statement::{Marker, NamedModal};
use crate::error::AssemblyError;
use crate::kinematics::{Kinematics, VELOCITIES};
use liedae::linalg::Pattern;
use liedae::scalar::Dual;
use liedae::system::{Layout, Point, RatesJacobian};
use nalgebra::{Matrix3, Vector3};

/// Directions of a derivative at a time.
const CHUNK: usize = 12;

/// The numbers that derivatives are taken with.
type Varied = Dual<CHUNK>;

/// A flexible body with its places in the matrices.
pub(crate) struct Flexible {
    pub name: String,
    /// Place of its frame among the bodies.
    pub frame: usize,
    pub model: ModalModel,
    pub markers: Vec<Marker>,
    /// Where its coordinates start in q and in v.
    pub coordinates_at: usize,
    pub velocities_at: usize,
    /// For each row, of the frame and of the modes, the starts of the entries by the frame's six and by the modes.
    mass: Vec<[usize; 2]>,
    /// The same by the frame's rotation (or ω) and by the modes.
    rates: Vec<[usize; 2]>,
    stiffness: Vec<[usize; 2]>,
    /// Rows of the mass matrix, and for each mode what it does to a marker.
    matrix: Vec<f64>,
    shapes: Vec<[Vector3<f64>; 2]>,
}

impl Flexible {
    pub fn new(
        part: NamedModal,
        [coordinates_at, velocities_at]: [usize; 2],
        layout: &Layout,
        stiffness: &Pattern,
    ) -> Result<Self, AssemblyError> {
        let (modes, frame) = (part.model.modes(), part.frame);
        let start = |pattern: &Pattern, row: usize, column: usize| {
            let missing = || AssemblyError::Layout(format!("entry ({row}, {column}) is missing"));
            pattern.position(row, column).ok_or_else(missing)
        };
        let rows = (VELOCITIES * frame..VELOCITIES * (frame + 1))
            .chain(velocities_at..velocities_at + modes);
        let places = |pattern: &Pattern, first: usize| {
            let both = |row: usize| {
                let frame = start(pattern, row, first)?;
                Ok::<_, AssemblyError>([frame, start(pattern, row, velocities_at)?])
            };
            rows.clone().map(both).collect::<Result<Vec<_>, _>>()
        };
        let spin = VELOCITIES * frame + 3;
        Ok(Self {
            mass: places(&layout.mass, VELOCITIES * frame)?,
            rates: places(&layout.rates, spin)?,
            stiffness: places(stiffness, spin)?,
            matrix: vec![0.0; (VELOCITIES + modes).pow(2)],
            shapes: vec![[Vector3::zeros(); 2]; modes],
            name: part.name,
            frame,
            model: part.model,
            markers: part.markers,
            coordinates_at,
            velocities_at,
        })
    }

    pub fn modes(&self) -> usize {
        self.model.modes()
    }

    /// Where its nodes are.
    pub fn node_places(&self) -> NodePlaces {
        NodePlaces {
            frame: self.frame,
            coordinates_at: self.coordinates_at,
            nodes: self.model.nodes.clone(),
        }
    }

    /// η of a configuration.
    pub fn coordinates<'a>(&self, q: &'a [f64]) -> &'a [f64] {
        q.get(self.coordinates_at..self.coordinates_at + self.modes())
            .unwrap_or(&[])
    }

    /// η' of velocities, or η'' of accelerations.
    pub fn velocities<'a>(&self, v: &'a [f64]) -> &'a [f64] {
        v.get(self.velocities_at..self.velocities_at + self.modes())
            .unwrap_or(&[])
    }

    /// The entry of a velocity or acceleration that belongs to a row: the frame's six, then the modes.
    fn entry<'a>(&self, v: &'a [f64]) -> impl Fn(usize) -> f64 + 'a {
        let (frame, modes) = (VELOCITIES * self.frame, self.velocities_at);
        move |row| match row {
            0..VELOCITIES => v[frame + row],
            _ => v[modes + row - VELOCITIES],
        }
    }

    /// The row of the system for a row of the body.
    fn row(&self, row: usize) -> usize {
        match row {
            0..VELOCITIES => VELOCITIES * self.frame + row,
            _ => self.velocities_at + row - VELOCITIES,
        }
    }

    fn moving<'a>(
        &'a self,
        at: &Point<'a>,
    ) -> Moving<f64, impl Fn(usize) -> f64 + 'a, impl Fn(usize) -> f64 + 'a> {
        let frame = Kinematics::read(Some(self.frame), at.q, at.v);
        let (eta, rate) = (self.coordinates(at.q), self.velocities(at.v));
        Moving {
            rotation: frame.rotation,
            omega: frame.omega,
            eta: move |mode: usize| eta[mode],
            rate: move |mode: usize| rate[mode],
        }
    }

    /// Adds the forces.
    pub fn add_forces(&self, at: &Point, gravity: &Vector3<f64>, out: &mut [f64]) {
        self.forces(&self.moving(at), gravity, |row, force| {
            out[self.row(row)] += force;
        });
    }

    /// Writes the body's part of the mass matrix.
    pub fn mass_matrix(&mut self, q: &[f64], out: &mut [f64]) {
        let size = VELOCITIES + self.modes();
        let turn = Kinematics::read(Some(self.frame), q, &[]).rotation;
        let eta = &q[self.coordinates_at..self.coordinates_at + self.modes()];
        let eta = |mode: usize| eta[mode];
        let Self {
            model,
            markers,
            matrix,
            shapes,
            ..
        } = self;
        let place = model.place(eta);
        let (mut mass, mut first) = (model.mass(), place.whole);
        let mut tensor = Moments::tensor(&model.with(&place, &place));
        for (mode, shape) in shapes.iter_mut().enumerate() {
            let bend = model.bend(mode, &eta);
            let cross = model.with_mode(&place, mode, &bend);
            *shape = [model.whole_of(mode, &bend), axial(&cross)];
            let own = model.field(bend, |other| f64::from(u8::from(other == mode)));
            for other in 0..=mode {
                let other_bend = model.bend(other, &eta);
                let entry = model.with_mode(&own, other, &other_bend).trace();
                matrix[(VELOCITIES + mode) * size + VELOCITIES + other] = entry;
                matrix[(VELOCITIES + other) * size + VELOCITIES + mode] = entry;
            }
        }
        for marker in markers {
            let node = &model.nodes[marker.node];
            let (arm, turn) = (node.place(&eta), node.turn(&eta));
            mass -= marker.mass;
            first -= arm * marker.mass;
            tensor -= Moments::tensor(&(arm * arm.transpose())) * marker.mass;
            tensor -= Matrix3::identity() * marker.rotary;
            for (mode, shape) in shapes.iter_mut().enumerate() {
                let (moved, spun) = (node.shape(mode, &eta), node.spin(mode, &turn));
                shape[0] -= moved * marker.mass;
                shape[1] -= arm.cross(&moved) * marker.mass + spun * marker.rotary;
                for other in 0..=mode {
                    let part = moved.dot(&node.shape(other, &eta)) * marker.mass
                        + spun.dot(&node.spin(other, &turn)) * marker.rotary;
                    matrix[(VELOCITIES + mode) * size + VELOCITIES + other] -= part;
                    if other < mode {
                        matrix[(VELOCITIES + other) * size + VELOCITIES + mode] -= part;
                    }
                }
            }
        }
        // -A ĝ, in the rows of displacements and the columns of rotations.
        let swung = -(turn * first.cross_matrix());
        for row in 0..3 {
            matrix[row * size + row] = mass;
            for column in 0..3 {
                matrix[row * size + 3 + column] = swung[(row, column)];
                matrix[(3 + column) * size + row] = swung[(row, column)];
                matrix[(3 + row) * size + 3 + column] = tensor[(row, column)];
            }
        }
        for (mode, [moved, spun]) in shapes.iter().enumerate() {
            let column = VELOCITIES + mode;
            for (row, entry) in (turn * moved).iter().chain(spun.iter()).enumerate() {
                matrix[row * size + column] = *entry;
                matrix[column * size + row] = *entry;
            }
        }
        for (row, [frame, modes]) in matrix.chunks_exact(size).zip(&self.mass) {
            let (one, two) = row.split_at(VELOCITIES);
            out[*frame..frame + VELOCITIES].copy_from_slice(one);
            out[*modes..modes + two.len()].copy_from_slice(two);
        }
    }

    /// Calls with each chunk of directions: the three of the frame's rotation (or ω), then the modes.
    fn chunks(&self) -> impl Iterator<Item = Chunk> {
        let directions = 3 + self.modes();
        (0..directions)
            .step_by(CHUNK)
            .map(move |first| Chunk { first, directions })
    }

    /// Adds the derivatives of the forces.
    pub fn add_derivatives(&self, at: &Point, gravity: &Vector3<f64>, out: &mut RatesJacobian) {
        let Moving {
            rotation,
            omega,
            eta,
            rate,
        } = self.moving(at);
        for chunk in self.chunks() {
            let moved = Moving {
                rotation: chunk.rotation(&rotation),
                omega: omega.map(Varied::from_value),
                eta: |mode: usize| chunk.number(3 + mode, eta(mode)),
                rate: |mode: usize| Varied::from_value(rate(mode)),
            };
            self.forces(&moved, gravity, |row, force| {
                chunk.add(&self.rates[row], &force, &mut out.by_position);
            });
            let faster = Moving {
                rotation: rotation.map(Varied::from_value),
                omega: Vector3::from_fn(|axis, _| chunk.number(axis, omega[axis])),
                eta: |mode: usize| Varied::from_value(eta(mode)),
                rate: |mode: usize| chunk.number(3 + mode, rate(mode)),
            };
            self.forces(&faster, gravity, |row, force| {
                chunk.add(&self.rates[row], &force, &mut out.by_velocity);
            });
        }
    }

    /// Adds ∂(M a)/∂q.
    pub fn add_stiffness(&self, at: &Point, acceleration: &[f64], out: &mut [f64]) {
        let moving = self.moving(at);
        let a = self.entry(acceleration);
        for chunk in self.chunks() {
            let rotation = chunk.rotation(&moving.rotation);
            let eta = |mode: usize| chunk.number(3 + mode, (moving.eta)(mode));
            self.times(&rotation, &eta, &a, |row, entry| {
                chunk.add(&self.stiffness[row], &entry, out);
            });
        }
    }

    /// Kinetic energy, and potential energy of gravity and elasticity, without the markers' parts.
    pub fn energies(&self, at: &Point, gravity: &Vector3<f64>) -> (f64, f64) {
        let frame = Kinematics::read(Some(self.frame), at.q, at.v);
        let moving = self.moving(at);
        let v = self.entry(at.v);
        let mut twice = 0.0;
        self.times(&frame.rotation, &moving.eta, &v, |row, p| {
            twice += p * v(row)
        });
        let mut first = self.model.place(&moving.eta).whole;
        let mut mass = self.model.mass();
        for marker in &self.markers {
            mass -= marker.mass;
            first -= self.model.nodes[marker.node].place(&moving.eta) * marker.mass;
        }
        let mut elastic = 0.0;
        for row in 0..self.modes() {
            for column in 0..self.modes() {
                let entry = self.model.stiffness[(row, column)];
                elastic += (moving.eta)(row) * entry * (moving.eta)(column);
            }
        }
        let weighed = frame.position * mass + frame.rotation * first;
        (0.5 * twice, 0.5 * elastic - gravity.dot(&weighed))
    }

    /// Linear momentum, and angular momentum about the origin of the world, without the markers' parts.
    pub fn momentum(&self, at: &Point) -> [Vector3<f64>; 2] {
        let frame = Kinematics::read(Some(self.frame), at.q, at.v);
        let mut own = [0.0; VELOCITIES];
        let eta = self.moving(at).eta;
        self.times(&frame.rotation, &eta, &self.entry(at.v), |row, p| {
            if let Some(slot) = own.get_mut(row) {
                *slot += p;
            }
        });
        let [x, y, z, a, b, c] = own;
        let linear = Vector3::new(x, y, z);
        let angular = frame.position.cross(&linear) + frame.rotation * Vector3::new(a, b, c);
        [linear, angular]
    }
}

/// The nodes of a flexible body, for drawings.
#[derive(Clone, Debug)]
pub(crate) struct NodePlaces {
    /// Place of the frame among the bodies.
    pub frame: usize,
    coordinates_at: usize,
    nodes: Vec<ModalNode>,
}

impl NodePlaces {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Where one is in the frame.
    pub fn place(&self, node: usize, q: &[f64]) -> Vector3<f64> {
        let eta = |mode: usize| q.get(self.coordinates_at + mode).copied();
        let eta = |mode: usize| eta(mode).unwrap_or(f64::NAN);
        self.nodes[node].place(&eta)
    }
}

/// Some of the directions in which a flexible body moves.
struct Chunk {
    first: usize,
    directions: usize,
}

impl Chunk {
    /// A number that is the variable of this direction, if it is here.
    fn number(&self, direction: usize, value: f64) -> Varied {
        match direction.checked_sub(self.first) {
            Some(place) if place < CHUNK => Varied::variable(value, place),
            _ => Varied::from_value(value),
        }
    }

    /// A exp(hat δ), where its directions are here.
    fn rotation(&self, rotation: &Matrix3<f64>) -> Matrix3<Varied> {
        let mut turned = rotation.map(Varied::from_value);
        if self.first == 0 {
            for axis in 0..3 {
                // ∂A/∂δ_k = A hat(e_k): its columns are A (e_k × e_j).
                let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
                for row in 0..3 {
                    turned[(row, next)].gradient[axis] = rotation[(row, last)];
                    turned[(row, last)].gradient[axis] = -rotation[(row, next)];
                }
            }
        }
        turned
    }

    /// Adds a gradient to a row whose entries by the rotation and by the modes start there.
    fn add(&self, [spin, modes]: &[usize; 2], value: &Varied, out: &mut [f64]) {
        let directions = self.first..self.directions.min(self.first + CHUNK);
        for (direction, part) in directions.zip(value.gradient) {
            let place = match direction {
                0..3 => spin + direction,
                _ => modes + direction - 3,
            };
            out[place] += part;
        }
    }
}
