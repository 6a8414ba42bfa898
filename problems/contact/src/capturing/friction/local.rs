//! The law of one contact with Coulomb friction, solved exactly while the others hold still.

use super::problem::Problem;
use crate::capturing::law::ContactLaw;

/// One contact: U = W P + u with its own block of the Delassus matrix.
pub(super) struct Local {
    block: [[f64; 3]; 3],
    /// u, the velocities without its own impulse.
    velocity: [f64; 3],
    law: ContactLaw,
}

/// Bisections of the interval of slip, which ends at round-off.
const BISECTIONS: usize = 200;

impl Local {
    /// The contact whose rows begin at `row`, among the given impulses.
    pub fn of(problem: &Problem, impulses: &[f64], row: usize, law: &ContactLaw) -> Self {
        let rows = law.rows();
        let mut local = Self {
            block: [[0.0; 3]; 3],
            velocity: [0.0; 3],
            law: *law,
        };
        for (i, entries) in local.block.iter_mut().enumerate().take(rows) {
            entries[..rows].copy_from_slice(&problem.row(row + i)[row..row + rows]);
            let own = entries.iter().zip(&impulses[row..row + rows]);
            let own: f64 = own.map(|(w, p)| w * p).sum();
            // Its own impulse taken off again.
            local.velocity[i] = problem.velocity_of(impulses, row + i) - own;
        }
        local
    }

    /// Whether it closes without any mobility along its normal.
    pub fn blocked(&self, least_mobility: f64) -> bool {
        let closes = self.velocity[0] - self.law.least_velocity < 0.0;
        closes && (self.block[0][0] <= least_mobility || self.block[0][0].is_nan())
    }

    /// Its impulse: take-off, stick, or slip.
    ///
    /// With the normal law U_N = ℓ eliminated, tangential velocities are U_T = S P_T + p. Slip is U_T = -α P_T with a
    /// positive α, so P_T(α) = -(S + α 1)⁻¹ p, and α = 0 is stick. |P_T| - μ P_N is negative for α → ∞, where P_T
    /// vanishes, and positive at α = 0 if sticking asks for too much: in between it has a root, in space and in the
    /// plane.
    pub fn solve(&self) -> [f64; 3] {
        let closing = self.velocity[0] - self.law.least_velocity;
        // It takes off: no impulse.
        if closing >= 0.0 {
            return [0.0; 3];
        }
        let w = &self.block;
        let mobility = w[0][0];
        let (tangents, friction) = (self.law.tangents, self.law.friction);
        if tangents == 0 || friction == 0.0 {
            // W_NN P_N + (u_N - ℓ) = 0.
            return [-closing / mobility, 0.0, 0.0];
        }
        let mut slide = Slide::new(tangents, mobility);
        for i in 0..tangents {
            for j in 0..tangents {
                // Schur complement of the normal row: S = W_TT - W_TN W_NT / W_NN.
                slide.matrix[i][j] = w[1 + i][1 + j] - w[1 + i][0] * w[0][1 + j] / mobility;
            }
            slide.free[i] = self.velocity[1 + i] - w[1 + i][0] * closing / mobility;
        }
        // P_N that keeps U_N = ℓ while P_T acts.
        let normal = |tangential: [f64; 2]| {
            let coupled = w[0][1] * tangential[0] + w[0][2] * tangential[1];
            -(closing + coupled) / mobility
        };
        let [first, second] = slide.solve(|tangential| friction * normal(tangential));
        [normal([first, second]), first, second]
    }
}

/// U_T = S P_T + p with slip U_T = -α P_T; a direction that is missing is an uncoupled one at rest.
struct Slide {
    tangents: usize,
    matrix: [[f64; 2]; 2],
    free: [f64; 2],
    /// Unit of α where S vanishes.
    unit: f64,
}

impl Slide {
    fn new(tangents: usize, unit: f64) -> Self {
        Self {
            tangents,
            matrix: [[1.0, 0.0], [0.0, 1.0]],
            free: [0.0; 2],
            unit,
        }
    }

    /// P_T(α) with α from infinity at s = 0 to zero at s = 1.
    fn at(&self, s: f64) -> [f64; 2] {
        let trace: f64 = (0..self.tangents).map(|i| self.matrix[i][i]).sum();
        let unit = if trace > 0.0 { trace } else { self.unit };
        // α from ∞ to 0, in units of S.
        let alpha = unit * (1.0 - s) / s;
        let [[a, b], [c, d]] = self.matrix;
        let (a, d, p) = (a + alpha, d + alpha, self.free);
        if self.tangents == 1 {
            return [-p[0] / a, 0.0];
        }
        let determinant = a * d - b * c;
        // -(S + α 1)⁻¹ p, by Cramer's rule.
        [
            (b * p[1] - d * p[0]) / determinant,
            (c * p[0] - a * p[1]) / determinant,
        ]
    }

    /// Stick if it stays below the threshold, otherwise slip at the threshold: the root of |P_T| - threshold(P_T) by
    /// regula falsi with bisection as safeguard.
    fn solve(&self, threshold: impl Fn([f64; 2]) -> f64) -> [f64; 2] {
        let excess =
            |tangential: [f64; 2]| tangential[0].hypot(tangential[1]) - threshold(tangential);
        let stick = self.at(1.0);
        let (mut low, mut low_excess) = (0.0, -threshold([0.0; 2]));
        let (mut high, mut high_excess) = (1.0, excess(stick));
        if high_excess <= 0.0 {
            return stick;
        }
        let mut found = [0.0; 2];
        let mut last_side = 0;
        for iteration in 0..BISECTIONS {
            // Illinois, with a bisection in every fourth step.
            let secant = (low * high_excess - high * low_excess) / (high_excess - low_excess);
            let inside = secant > low && secant < high;
            let s = if inside && iteration % 4 != 3 {
                secant
            } else {
                0.5 * (low + high)
            };
            found = self.at(s);
            let here = excess(found);
            if here == 0.0 || high - low <= f64::EPSILON * high {
                break;
            }
            // A singular S gives infinities or NaN near stick, which are on its side.
            if here < 0.0 {
                (low, low_excess) = (s, here);
                if last_side == -1 {
                    high_excess *= 0.5;
                }
                last_side = -1;
            } else {
                (high, high_excess) = (s, here);
                if last_side == 1 {
                    low_excess *= 0.5;
                }
                last_side = 1;
            }
        }
        // On the cone exactly.
        let size = found[0].hypot(found[1]);
        if size > 0.0 {
            let scale = threshold(found).max(0.0) / size;
            found = found.map(|impulse| scale * impulse);
        }
        found
    }
}
