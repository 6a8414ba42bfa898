//! Random problems that are known to be solvable, as contacts pose them.

use liedae_contact::complementarity::RowKind;

/// SplitMix64, Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Uniform in [-1, 1].
    pub fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Where the rows of the Jacobian come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// Full rank: more velocities than rows.
    Independent,
    /// About a third of the rows are copies or multiples of others.
    Duplicated,
    /// Fewer velocities than rows.
    Dependent,
    /// Every row couples two of a few bodies, all entries 0 or ±1: exactly degenerate.
    Chain,
}

/// Where b comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vector {
    /// Relative velocities: b = J u.
    Range,
    /// Some unilateral rows separate: b = J u + s, s >= 0.
    Slack,
    /// b = w - A z with a chosen solution in which some rows have z = w = 0.
    Degenerate,
}

pub struct Problem {
    pub n: usize,
    pub matrix: Vec<f64>,
    pub vector: Vec<f64>,
    pub kinds: Vec<RowKind>,
    pub rows: Rows,
    pub origin: Vector,
    /// The w that was chosen; unique, since the matrix is positive semidefinite.
    pub chosen: Option<Vec<f64>>,
}

pub fn problem(random: &mut Random, largest: usize) -> Problem {
    let n = 1 + random.below(largest);
    let rows = [
        Rows::Independent,
        Rows::Duplicated,
        Rows::Dependent,
        Rows::Chain,
    ][random.below(4)];
    let velocities = match rows {
        Rows::Independent => n + 1 + random.below(n + 1),
        Rows::Duplicated => n + 1,
        Rows::Dependent => 1 + random.below(n),
        Rows::Chain => 2 + random.below(n + 1),
    };
    let jacobian = jacobian(random, rows, n, velocities);
    let inverse_mass: Vec<f64> = (0..velocities)
        .map(|_| match rows {
            Rows::Chain => 1.0,
            _ => 10f64.powf(random.signed()),
        })
        .collect();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let value: f64 = (0..velocities)
                .map(|k| {
                    jacobian[i * velocities + k] * inverse_mass[k] * jacobian[j * velocities + k]
                })
                .sum();
            matrix[i * n + j] = value;
            matrix[j * n + i] = value;
        }
    }
    let share = if random.chance(30) { 30 } else { 0 };
    let kinds: Vec<RowKind> = (0..n)
        .map(|_| {
            if random.chance(share) {
                RowKind::Bilateral
            } else {
                RowKind::Unilateral
            }
        })
        .collect();
    let origin = [Vector::Range, Vector::Slack, Vector::Degenerate][random.below(3)];
    let (vector, chosen) = if origin == Vector::Degenerate {
        let (vector, w) = degenerate(random, &matrix, &kinds);
        (vector, Some(w))
    } else {
        let u: Vec<f64> = (0..velocities).map(|_| random.signed()).collect();
        let vector = (0..n)
            .map(|i| {
                let velocity: f64 = (0..velocities)
                    .map(|k| jacobian[i * velocities + k] * u[k])
                    .sum();
                let separates = origin == Vector::Slack && kinds[i] == RowKind::Unilateral;
                velocity
                    + if separates {
                        random.signed().max(0.0)
                    } else {
                        0.0
                    }
            })
            .collect();
        (vector, None)
    };
    Problem {
        n,
        matrix,
        vector,
        kinds,
        rows,
        origin,
        chosen,
    }
}

fn jacobian(random: &mut Random, rows: Rows, n: usize, velocities: usize) -> Vec<f64> {
    let mut jacobian = vec![0.0; n * velocities];
    let scaled = random.chance(20);
    for i in 0..n {
        let (done, rest) = jacobian.split_at_mut(i * velocities);
        let row = &mut rest[..velocities];
        if rows == Rows::Duplicated && i > 0 && random.chance(35) {
            let source = random.below(i);
            let factor = [1.0, 1.0, 1.0, 2.0, -1.0][random.below(5)];
            for (entry, value) in row.iter_mut().zip(&done[source * velocities..]) {
                *entry = factor * value;
            }
        } else if rows == Rows::Chain {
            row[random.below(velocities)] = 1.0;
            row[random.below(velocities)] -= 1.0;
            row[random.below(velocities)] += 1.0;
        } else {
            // A fifth of the problems has rows in different units.
            let unit = if scaled {
                10f64.powf(4.0 * random.signed())
            } else {
                1.0
            };
            for entry in row.iter_mut() {
                *entry = unit * random.signed();
            }
        }
    }
    jacobian
}

fn degenerate(random: &mut Random, matrix: &[f64], kinds: &[RowKind]) -> (Vec<f64>, Vec<f64>) {
    let n = kinds.len();
    let (mut z, mut w) = (vec![0.0; n], vec![0.0; n]);
    for i in 0..n {
        // Sizes of z fit rows of any unit.
        let size = matrix[i * n + i].max(1e-12).sqrt();
        if kinds[i] == RowKind::Bilateral {
            z[i] = random.signed() / size;
        } else {
            match random.below(3) {
                0 => z[i] = random.signed().abs() / size,
                1 => w[i] = random.signed().abs() * size,
                _ => {}
            }
        }
    }
    let vector = (0..n)
        .map(|i| w[i] - (0..n).map(|j| matrix[i * n + j] * z[j]).sum::<f64>())
        .collect();
    (vector, w)
}
