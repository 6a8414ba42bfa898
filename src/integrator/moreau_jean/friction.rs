//! The law of one contact with Coulomb friction, solved exactly while the others hold still.

use super::impact::ImpactLaw;

/// One contact: U = W P + u with its own block of the Delassus matrix.
pub(super) struct Local {
    block: [[f64; 3]; 3],
    /// u, the velocities without its own impulse.
    pub velocity: [f64; 3],
    law: ImpactLaw,
}

/// Bisections of the interval of slip, which ends at round-off.
const BISECTIONS: usize = 200;

impl Local {
    /// The contact whose rows begin at `row` of the n x n matrix.
    pub fn new(delassus: &[f64], n: usize, row: usize, law: &ImpactLaw) -> Self {
        let mut block = [[0.0; 3]; 3];
        for (i, entries) in block.iter_mut().enumerate().take(law.rows()) {
            let first = (row + i) * n + row;
            entries[..law.rows()].copy_from_slice(&delassus[first..first + law.rows()]);
        }
        Self {
            block,
            velocity: [0.0; 3],
            law: *law,
        }
    }

    /// What its own impulse adds to a velocity.
    pub fn own(&self, row: usize, impulse: &[f64]) -> f64 {
        let entries = self.block[row].iter().zip(impulse);
        entries.map(|(w, p)| w * p).sum()
    }

    /// Whether it closes without any mobility along its normal.
    pub fn blocked(&self, least_mobility: f64) -> bool {
        let closes = self.velocity[0] - self.law.least_velocity < 0.0;
        closes && (self.block[0][0] <= least_mobility || self.block[0][0].is_nan())
    }

    /// Its impulse: take-off, stick, or slip.
    ///
    /// With the normal law U_N = ℓ eliminated, tangential velocities are U_T = S P_T + p. Slip is U_T = -α P_T with α > 0,
    /// so P_T(α) = -(S + α 1)⁻¹ p, and α = 0 is stick. |P_T| - μ P_N is negative for α → ∞, where P_T vanishes, and positive
    /// at α = 0 if sticking asks for too much: in between it has a root, in space and in the plane.
    pub fn solve(&self) -> [f64; 3] {
        let closing = self.velocity[0] - self.law.least_velocity;
        if closing >= 0.0 {
            return [0.0; 3];
        }
        let w = &self.block;
        let mobility = w[0][0];
        let (tangents, friction) = (self.law.tangents, self.law.friction);
        if tangents == 0 || friction == 0.0 {
            return [-closing / mobility, 0.0, 0.0];
        }
        // Schur complement S and free sliding p; a missing direction is an uncoupled one at rest.
        let mut schur = [[1.0, 0.0], [0.0, 1.0]];
        let mut sliding = [0.0; 2];
        for i in 0..tangents {
            for j in 0..tangents {
                schur[i][j] = w[1 + i][1 + j] - w[1 + i][0] * w[0][1 + j] / mobility;
            }
            sliding[i] = self.velocity[1 + i] - w[1 + i][0] * closing / mobility;
        }
        let trace: f64 = (0..tangents).map(|i| schur[i][i]).sum();
        let unit = if trace > 0.0 { trace } else { mobility };
        let at = |s: f64| -> ([f64; 3], f64) {
            let alpha = unit * (1.0 - s) / s;
            let (a, d) = (schur[0][0] + alpha, schur[1][1] + alpha);
            let (b, c) = (schur[0][1], schur[1][0]);
            let tangential = if tangents == 1 {
                [-sliding[0] / a, 0.0]
            } else {
                let determinant = a * d - b * c;
                [
                    (b * sliding[1] - d * sliding[0]) / determinant,
                    (c * sliding[0] - a * sliding[1]) / determinant,
                ]
            };
            let coupled = w[0][1] * tangential[0] + w[0][2] * tangential[1];
            let normal = -(closing + coupled) / mobility;
            let excess = tangential[0].hypot(tangential[1]) - friction * normal;
            ([normal, tangential[0], tangential[1]], excess)
        };
        let (stick, excess) = at(1.0);
        if excess <= 0.0 {
            return stick;
        }
        self.slip(at)
    }

    /// The root between slip at all speed (s = 0) and stick (s = 1), by regula falsi with bisection as safeguard.
    fn slip(&self, at: impl Fn(f64) -> ([f64; 3], f64)) -> [f64; 3] {
        let friction = self.law.friction;
        let closing = self.velocity[0] - self.law.least_velocity;
        let (mut low, mut high) = (0.0, 1.0);
        let mut low_excess = friction * closing / self.block[0][0];
        let mut high_excess = at(1.0).1;
        let mut found = [0.0; 3];
        let mut last_side = 0;
        for iteration in 0..BISECTIONS {
            let secant = (low * high_excess - high * low_excess) / (high_excess - low_excess);
            let inside = secant > low && secant < high;
            let s = if inside && iteration % 4 != 3 {
                secant
            } else {
                0.5 * (low + high)
            };
            let (impulse, excess) = at(s);
            found = impulse;
            if excess == 0.0 || high - low <= f64::EPSILON * high {
                break;
            }
            // Not negative: a singular S gives infinities or NaN near stick.
            if excess < 0.0 {
                (low, low_excess) = (s, excess);
                if last_side == -1 {
                    high_excess *= 0.5;
                }
                last_side = -1;
            } else {
                (high, high_excess) = (s, excess);
                if last_side == 1 {
                    low_excess *= 0.5;
                }
                last_side = 1;
            }
        }
        // On the cone exactly.
        let size = found[1].hypot(found[2]);
        if size > 0.0 {
            let scale = friction * found[0].max(0.0) / size;
            (found[1], found[2]) = (scale * found[1], scale * found[2]);
        }
        found
    }
}

/// |P - proj(P - u)|, the projection being on the cone |P_T| <= μ P_N.
pub(super) fn cone_distance(impulse: &[f64; 3], velocity: &[f64; 3], friction: f64) -> f64 {
    let moved: [f64; 3] = std::array::from_fn(|i| impulse[i] - velocity[i]);
    let (normal, size) = (moved[0], moved[1].hypot(moved[2]));
    let projected = if normal >= 0.0 && size <= friction * normal {
        moved
    } else if friction * size <= -normal {
        [0.0; 3]
    } else {
        let onto = (normal + friction * size) / (1.0 + friction * friction);
        let scale = friction * onto / size;
        [onto, scale * moved[1], scale * moved[2]]
    };
    let squares = impulse.iter().zip(projected).map(|(p, q)| (p - q).powi(2));
    squares.sum::<f64>().sqrt()
}
