//! Frames that turn, in which motions stand still.

use super::AnalysisError;
use crate::system::{Evaluator, State};
use faer::Mat;

/// A frame that turns about an axis through the origin, in which a motion stands still: a rotor at its speed, a top that precesses.
///
/// Bodies that are symmetric about an axis may spin about it besides: their velocities are then seen by an observer who does not take
/// part in the spin.
///
/// A mass of 1 kg on a circle of 1 m, drawn to its centre by the cube of the distance: it turns with 1 rad/s, and its distance swings with
/// √6 rad/s.
///
/// ```
/// use liedae::analysis::{Turning, linearize};
/// use liedae::system::{Evaluator, System};
///
/// let mut mass = liedae::model([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
///     .mass(1.0)
///     .force(|_t, [x, y, z], _v| {
///         let square = x * x + y * y + z * z;
///         [-x * square, -y * square, -z * square]
///     })
///     .build()?;
/// let start = mass.initial_state();
/// let turning = Turning {
///     rate: [0.0, 0.0, 1.0],
///     // The velocity is one vector of the world.
///     vectors: vec![0],
///     spins: Vec::new(),
/// };
/// let modes = linearize(&mut Evaluator::new(&mut mass), &start, Some(&turning))?.modes()?;
/// assert!(modes.iter().any(|mode| (mode.eigenvalue.im - 6.0_f64.sqrt()).abs() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turning {
    /// Angular velocity of the frame in the world, rad/s.
    pub rate: [f64; 3],
    /// Where among the velocities three components are a vector in the world, such as r' of a body; all others, such as ω in the
    /// body, are the same in both frames.
    pub vectors: Vec<usize>,
    /// Where among the velocities the three components of a body's angular velocity ω stand, in the body, and the frame's angular
    /// velocity relative to the body, in the body too: zero for bodies that turn with the frame.
    pub spins: Vec<(usize, [f64; 3])>,
}

impl Turning {
    /// The frame that turns with an angular velocity, rad/s in the world, with each body's spin against it in a state.
    /// None for systems that do not say how they stand in [space](crate::system::Spatial).
    ///
    /// With zero, frequencies are those that an observer at rest sees, as in a rotor's Campbell diagram.
    pub fn of(system: &mut Evaluator, state: &State, rate: [f64; 3]) -> Option<Self> {
        let spatial = system.system().spatial()?;
        let spins = spatial.orientations(&state.point()).into_iter();
        let spins = spins.map(|(first, rotation)| {
            // Aᵀ Ω - ω.
            let own = std::array::from_fn(|k| {
                let frame: f64 = (0..3).map(|i| rotation[3 * i + k] * rate[i]).sum();
                frame - state.v[first + k]
            });
            (first, own)
        });
        Some(Self {
            rate,
            vectors: spatial.world_vectors(),
            spins: spins.collect(),
        })
    }

    /// All vectors that turn, each with its angular velocity.
    fn all(&self) -> impl Iterator<Item = (usize, [f64; 3])> + '_ {
        let vectors = self.vectors.iter().map(|&first| (first, self.rate));
        vectors.chain(self.spins.iter().copied())
    }

    pub(super) fn is_none(&self) -> bool {
        self.all().all(|(_, rate)| rate == [0.0; 3])
    }

    /// Refuses vectors that are not among the velocities.
    pub(super) fn check(&self, velocities: usize) -> Result<(), AnalysisError> {
        match self.all().find(|(first, _)| first + 3 > velocities) {
            None => Ok(()),
            Some((first, _)) => Err(AnalysisError::Length {
                what: "the velocity",
                found: velocities,
                expected: first + 3,
            }),
        }
    }

    /// The rate at which components change that stand still in the frame: rate × each vector.
    pub(super) fn turn(&self, vector: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (first, rate) in self.all() {
            let parts = cross(rate, three(vector, first));
            out[first..first + 3].copy_from_slice(&parts);
        }
    }

    /// The components after some time of what stands still in the frame.
    pub(super) fn turned(&self, vector: &[f64], time: f64) -> Vec<f64> {
        let mut turned = vector.to_vec();
        for (first, rate) in self.all() {
            let parts = rotated(three(vector, first), rate, time);
            turned[first..first + 3].copy_from_slice(&parts);
        }
        turned
    }

    /// The same for a matrix that takes (u, w, ξ) to their like: Q B Qᵀ.
    pub(super) fn turned_matrix(&self, matrix: &Mat<f64>, n: usize, time: f64) -> Mat<f64> {
        let size = matrix.nrows();
        let turned = |column: Vec<f64>| -> Vec<f64> {
            let (u, rest) = column.split_at(n);
            let (w, others) = rest.split_at(n);
            let parts = [self.turned(u, time), self.turned(w, time), others.to_vec()];
            parts.concat()
        };
        let columns: Vec<Vec<f64>> = (0..size)
            .map(|j| turned((0..size).map(|i| matrix[(i, j)]).collect()))
            .collect();
        let rows: Vec<Vec<f64>> = (0..size)
            .map(|i| turned((0..size).map(|j| columns[j][i]).collect()))
            .collect();
        Mat::from_fn(size, size, |i, j| rows[i][j])
    }

    /// The state after some time of a motion that stands still in the frame.
    pub(super) fn moved(&self, system: &Evaluator, at: &State, time: f64) -> State {
        let space = &system.layout().space;
        let mut farther = at.clone();
        farther.t += time;
        farther.v = self.turned(&at.v, time);
        let mut way: Vec<f64> = at.v.iter().map(|v| v * time).collect();
        for &first in &self.vectors {
            let parts = integral(three(&at.v, first), self.rate, time);
            way[first..first + 3].copy_from_slice(&parts);
        }
        // R' = R hat(e^{σ t} ω) has the solution R exp((ω + σ) t) exp(-σ t).
        let mut back = vec![0.0; way.len()];
        for &(first, spin) in &self.spins {
            for (axis, rate) in spin.into_iter().enumerate() {
                way[first + axis] += rate * time;
                back[first + axis] = -rate * time;
            }
        }
        let mut between = farther.q.clone();
        space.retract(&at.q, &way, &mut between);
        space.retract(&between, &back, &mut farther.q);
        farther
    }
}

fn three(vector: &[f64], first: usize) -> [f64; 3] {
    [vector[first], vector[first + 1], vector[first + 2]]
}

fn cross([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// Rodrigues: R = I + sin θ k̂ + (1 - cos θ) k̂².
fn rotated(vector: [f64; 3], rate: [f64; 3], time: f64) -> [f64; 3] {
    let speed = length(rate);
    if speed == 0.0 {
        return vector;
    }
    let (sine, cosine) = (speed * time).sin_cos();
    combined(
        vector,
        rate,
        1.0,
        sine / speed,
        (1.0 - cosine) / speed.powi(2),
    )
}

/// Its integral over time.
fn integral(vector: [f64; 3], rate: [f64; 3], time: f64) -> [f64; 3] {
    let speed = length(rate);
    if speed == 0.0 {
        return vector.map(|part| part * time);
    }
    let angle = speed * time;
    let (sine, cosine) = angle.sin_cos();
    let (first, second) = (
        (1.0 - cosine) / speed.powi(2),
        (angle - sine) / speed.powi(3),
    );
    combined(vector, rate, time, first, second)
}

/// a x + b r × x + c r × (r × x).
fn combined(vector: [f64; 3], rate: [f64; 3], a: f64, b: f64, c: f64) -> [f64; 3] {
    let once = cross(rate, vector);
    let twice = cross(rate, once);
    std::array::from_fn(|axis| a * vector[axis] + b * once[axis] + c * twice[axis])
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}
