//! Which scales a system has, from its initial state, its masses and its constraint rows.

use super::Scales;
use crate::manifold::{Factor, Manifold};
use crate::system::{Layout, Point, State, System};
use std::ops::RangeInclusive;

/// Coordinates and rows within these bounds are near enough to one to be left as they are: floors of round-off at
/// one, 64 · 2.2e-16, are still less than 1e-10 of them.
const ORDINARY: RangeInclusive<f64> = 1.0 / 1024.0..=1024.0;

/// Masses are compared with each other, and multipliers with accelerations: from g on lengths of cm, the parts of a squeezer, to some
/// 10 t on lengths of m they are left as they are.
const LIGHTEST: f64 = 1.0 / 1_048_576.0;
const HEAVIEST: f64 = 65_536.0;

/// A coordinate may be zero where its motion begins. It is then as large as others of its body, or in the second place of the whole
/// system, in the metric of the masses, but for this factor: a light body next to a heavy one moves as far, not more.
const OF_BODY: f64 = 1.0 / 8.0;
const OF_SYSTEM: f64 = 1.0 / 64.0;

/// A place below this part of the way ahead says nothing of the lengths of the run: it is zero, or round-off.
const NOWHERE: f64 = 1e-6;

/// The same where nothing moves at the start: forces may come later.
const AT_REST: f64 = 1e-11;

/// By how much of the scales the configuration is displaced to look at the rows a second time: gradients vanish in places.
const BESIDE: f64 = 0.05;

impl Scales {
    /// The scales of a system at a state from which a run of this duration starts; none where its numbers are near one as they stand,
    /// or where it cannot be evaluated.
    pub fn of(system: &mut dyn System, state: &State, duration: f64) -> Option<Self> {
        let layout = system.layout().clone();
        if layout.dimension() == 0 || !fits(&layout, state) {
            return None;
        }
        let diagonal = diagonal_of_mass(system, &layout, &state.point())?;
        let ways = ways(system, &layout, state, &diagonal, duration);
        let velocities = velocity_scales(&layout, state, &diagonal, &ways);
        let coordinates = coordinate_scales(&layout.space, &velocities);
        let rows = row_scales(system, &layout, state, &velocities)?;
        let energies = diagonal.iter().zip(&velocities);
        let largest = energies.fold(0.0_f64, |max, (mass, d)| max.max(mass * d * d));
        let energy = unit(largest, LIGHTEST..=HEAVIEST);
        let all = velocities.iter().chain(&rows).chain([&energy]);
        if all.into_iter().all(|&scale| scale == 1.0) {
            return None;
        }
        Some(Self::new(&layout, (coordinates, velocities), rows, energy))
    }
}

/// Whether the parts of a state have the sizes of the layout, and are finite. Drivers say so if not.
fn fits(layout: &Layout, state: &State) -> bool {
    layout.check().is_ok()
        && state.q.len() == layout.space.coordinates()
        && [state.v.len(), state.acceleration.len()] == [layout.dimension(); 2]
        && state.lambda.len() == layout.rows()
        && state.x.len() == layout.differential
        && state.z.len() == layout.algebraic
        && state.mode.len() == layout.modes
        && state.is_finite()
}

fn diagonal_of_mass(system: &mut dyn System, layout: &Layout, at: &Point) -> Option<Vec<f64>> {
    let mut mass = vec![0.0; layout.mass.nnz()];
    system.mass_matrix(at, &mut mass).ok()?;
    let entry = |row| (layout.mass.position(row, row)).map_or(0.0, |place| mass[place]);
    let diagonal: Vec<f64> = (0..layout.dimension()).map(entry).collect();
    // What is no mass is for others to refuse.
    let are_masses = |mass: &f64| mass.is_finite() && *mass >= 0.0;
    diagonal.iter().all(are_masses).then_some(diagonal)
}

/// How far the coordinates may move in a run of this duration, by their velocities and forces, but no farther than 1: it is asked for
/// coordinates that are small where the run starts.
fn ways(
    system: &mut dyn System,
    layout: &Layout,
    state: &State,
    mass: &[f64],
    duration: f64,
) -> Vec<f64> {
    let mut rates = vec![0.0; layout.rate_count()];
    // Where forces cannot be evaluated, velocities have to do.
    if system.rates(&state.point(), &mut rates).is_err() {
        rates.fill(0.0);
    }
    let parts = state.v.iter().zip(&rates).zip(mass);
    let way = |((v, force), mass): ((&f64, &f64), &f64)| {
        let fall = force.abs() / mass * duration * duration;
        let way = (v.abs() * duration).max(if fall.is_finite() { fall } else { 0.0 });
        way.min(1.0)
    };
    parts.map(way).collect()
}

/// The size of a coordinate that starts from a place.
fn size_of(place: f64, way: f64) -> f64 {
    if place < NOWHERE * way {
        way
    } else if way == 0.0 && place < AT_REST {
        0.0
    } else {
        place
    }
}

/// The scale of every velocity, 1 of rotations.
fn velocity_scales(layout: &Layout, state: &State, mass: &[f64], ways: &[f64]) -> Vec<f64> {
    let dimension = layout.dimension();
    let mut sizes = vec![0.0; dimension];
    let mut is_rotation = vec![false; dimension];
    for (factor, coordinate, velocity) in layout.space.factor_ranges() {
        match factor {
            Factor::Euclidean(count) => {
                for index in 0..count {
                    let place = state.q[coordinate + index].abs();
                    sizes[velocity + index] = size_of(place, ways[velocity + index]);
                }
            }
            Factor::Rotation | Factor::UnitQuaternion => {
                sizes[velocity..velocity + 3].fill(1.0);
                is_rotation[velocity..velocity + 3].fill(true);
            }
            Factor::RigidMotion => {
                let position = &state.q[coordinate..coordinate + 3];
                let length = position.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
                let ways = &ways[velocity..velocity + 3];
                let length = size_of(length, ways.iter().fold(0.0, |max, way| max.max(*way)));
                sizes[velocity..velocity + 3].fill(length);
                sizes[velocity + 3..velocity + 6].fill(1.0);
                is_rotation[velocity + 3..velocity + 6].fill(true);
            }
        }
    }
    let root_energy = |own: std::ops::Range<usize>, sizes: &[f64]| {
        own.map(|j| mass[j].sqrt() * sizes[j]).fold(0.0, f64::max)
    };
    let of_system = root_energy(0..dimension, &sizes);
    let mut scales = sizes.clone();
    let mut first = 0;
    for &count in &layout.blocks.variables {
        let own = first..first + count;
        first += count;
        let of_body = root_energy(own.clone(), &sizes);
        for j in own {
            let root_mass = mass[j].sqrt();
            if root_mass > 0.0 {
                let by_others = (OF_BODY * of_body).max(OF_SYSTEM * of_system) / root_mass;
                scales[j] = scales[j].max(by_others);
            }
        }
    }
    // Without mass: as large as anything.
    let largest = (0..dimension)
        .filter(|&j| !is_rotation[j])
        .map(|j| scales[j])
        .fold(0.0, f64::max);
    for (j, scale) in scales.iter_mut().enumerate() {
        let size = if *scale > 0.0 { *scale } else { largest };
        *scale = if is_rotation[j] {
            1.0
        } else {
            unit(size, ORDINARY)
        };
    }
    // The translation of a rigid motion turns with it: one unit for all three directions.
    for (factor, _, velocity) in layout.space.factor_ranges() {
        if factor == Factor::RigidMotion {
            let own = &mut scales[velocity..velocity + 3];
            let largest = own.iter().fold(0.0_f64, |max, scale| max.max(*scale));
            own.fill(largest);
        }
    }
    scales
}

fn coordinate_scales(space: &Manifold, velocities: &[f64]) -> Vec<f64> {
    let mut scales = vec![1.0; space.coordinates()];
    for (factor, coordinate, velocity) in space.factor_ranges() {
        let count = match factor {
            Factor::Euclidean(count) => count,
            Factor::RigidMotion => 3,
            Factor::Rotation | Factor::UnitQuaternion => 0,
        };
        scales[coordinate..coordinate + count]
            .copy_from_slice(&velocities[velocity..velocity + count]);
    }
    scales
}

/// The factor of every row: one over its largest entry, in the units of the velocities.
fn row_scales(
    system: &mut dyn System,
    layout: &Layout,
    state: &State,
    velocities: &[f64],
) -> Option<Vec<f64>> {
    let rows = layout.rows();
    if rows == 0 {
        return Some(Vec::new());
    }
    let pattern = &layout.jacobian;
    let mut jacobian = vec![0.0; pattern.nnz()];
    system
        .constraint_jacobian(&state.point(), &mut jacobian)
        .ok()?;
    if jacobian.iter().any(|entry| !entry.is_finite()) {
        return None;
    }
    let mut aside = state.q.clone();
    let displacement: Vec<f64> = velocities.iter().map(|scale| BESIDE * scale).collect();
    layout.space.retract(&state.q, &displacement, &mut aside);
    let beside = Point {
        q: &aside,
        ..state.point()
    };
    let mut other = vec![0.0; pattern.nnz()];
    // Only a second opinion: there may be no function there.
    let known = system.constraint_jacobian(&beside, &mut other).is_ok();
    let scale = |row: usize| {
        let entries = pattern.row(row).iter().zip(pattern.row_range(row));
        let sizes = entries.map(|(&column, entry)| {
            let second = if known && other[entry].is_finite() {
                other[entry].abs()
            } else {
                0.0
            };
            velocities[column] * jacobian[entry].abs().max(second)
        });
        1.0 / unit(sizes.fold(0.0, f64::max), ORDINARY)
    };
    Some((0..rows).map(scale).collect())
}

/// The power of two next to a size, or 1 where the size is ordinary, or nothing.
fn unit(size: f64, ordinary: RangeInclusive<f64>) -> f64 {
    if !size.is_normal() || ordinary.contains(&size) {
        return 1.0;
    }
    // Products of twos are exact.
    2.0_f64.powi(size.log2().round().clamp(-960.0, 960.0) as i32)
}
