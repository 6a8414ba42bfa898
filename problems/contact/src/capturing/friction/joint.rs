//! Coulomb friction in joints: an impulse within a bound that the reactions of the joint set.

/// Coulomb friction in one joint of an [`ImpactSolver`](super::super::ImpactSolver), which slides along one direction
/// with the velocity s:
///
/// ```text
/// Q ∈ -L/2 (Sgn(s) + Sgn(s + k)),     L = μ Σ_j |N_j|
/// ```
///
/// Sgn(0) is the interval [-1, 1]. With k = 0 this is Coulomb's law at the end of a step. With k = (1 - θ)/θ s⁻, s⁻ being
/// the velocity at its beginning, Q never has the sign of θ s + (1 - θ) s⁻ and does no positive work, not even in a step
/// in which the joint reverses; there is nothing between s = 0 and s = -k, where Q is zero.
///
/// ```
/// use liedae_contact::capturing::{ImpactSolver, JointLaw, Joints};
///
/// // A slide of 2 kg is pressed by 20 N s with μ = 0.5: 4 m/s are stopped, 400 m/s only made less.
/// let laws = [JointLaw { friction: 0.5, reversal: 0.0, supports: vec![1] }];
/// let joints = Joints { laws: &laws, normals: &[20.0, 0.0] };
/// for (velocity, expected) in [(4.0, -8.0), (400.0, -10.0)] {
///     let mut impulse = [0.0];
///     ImpactSolver::default().solve_with_joints(&[], joints, &[0.5], &[velocity], &mut impulse)?;
///     assert!((impulse[0] - expected).abs() < 1e-9);
/// }
/// # Ok::<(), liedae_contact::capturing::ImpactError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointLaw {
    /// Coefficient μ of Coulomb friction.
    pub friction: f64,
    /// The velocity k.
    pub reversal: f64,
    /// Number of components of every normal impulse N_k: one in the plane, where it may push either way, two for guides
    /// in space and pins.
    pub supports: Vec<usize>,
}

impl JointLaw {
    pub(in crate::capturing) fn is_usable(&self) -> bool {
        self.friction >= 0.0 && self.friction.is_finite() && self.reversal.is_finite()
    }

    /// Components of all its normal impulses.
    pub fn components(&self) -> usize {
        self.supports.iter().sum()
    }
}

/// Joints with friction beside the contacts of an [`ImpactSolver`](super::super::ImpactSolver).
///
/// ```
/// use liedae_contact::capturing::{ImpactSolver, JointLaw, Joints};
///
/// // A brake shoe on a drum of 2 kg: friction draws it on, by 1.2 of itself.
/// let laws = [JointLaw { friction: 0.5, reversal: 0.0, supports: vec![1] }];
/// let shoe = Joints { laws: &laws, normals: &[-20.0, 1.2] };
/// let mut impulse = [0.0];
/// ImpactSolver::default().solve_with_joints(&[], shoe, &[0.5], &[1e3], &mut impulse)?;
/// // |Q| = μ (20 + 1.2 |Q|): more than twice the 10 N s that it would be without.
/// assert!((impulse[0] + 0.5 * 20.0 / (1.0 - 0.5 * 1.2)).abs() < 1e-9);
/// # Ok::<(), liedae_contact::capturing::ImpactError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Joints<'a> {
    /// One for each joint.
    pub laws: &'a [JointLaw],
    /// For every component of the normal impulses, joint by joint, n + 1 numbers: what it is without the n impulses of
    /// the problem, and its changes by unit impulses.
    pub normals: &'a [f64],
}

/// One of the joints in a problem.
#[derive(Clone, Copy)]
pub(super) struct Joint<'a> {
    /// Its row in the problem.
    pub row: usize,
    friction: f64,
    law: &'a JointLaw,
    normals: &'a [f64],
    width: usize,
}

/// What a joint does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Motion {
    /// Friction holds it at s = 0 or s = -k.
    Held,
    /// Friction with this sign has reached its limit.
    Slides(f64),
    /// No friction, between both.
    #[default]
    Passes,
}

/// Bisections of the interval of slip, which ends at round-off.
const BISECTIONS: usize = 200;

impl<'a> Joints<'a> {
    /// The joints whose rows begin at `row` in a problem of n rows, with `share` of their friction.
    pub(super) fn each(
        self,
        row: usize,
        n: usize,
        share: f64,
    ) -> impl Iterator<Item = Joint<'a>> + use<'a> {
        let width = n + 1;
        let mut left = self.normals;
        self.laws.iter().enumerate().map(move |(index, law)| {
            let (normals, others) = left.split_at(law.components() * width);
            left = others;
            Joint {
                row: row + index,
                friction: share * law.friction,
                law,
                normals,
                width,
            }
        })
    }
}

impl Joint<'_> {
    /// A component of a normal impulse, with `change` added to the joint's own impulse.
    fn component(&self, index: usize, impulses: &[f64], change: f64) -> f64 {
        let entries = &self.normals[index * self.width..(index + 1) * self.width];
        let pushes = entries[1..].iter().zip(impulses).map(|(b, p)| b * p);
        // N_0 + B P, the own impulse changed.
        entries[0] + pushes.sum::<f64>() + entries[1 + self.row] * change
    }

    /// First component and number of components of each normal impulse.
    fn supports(&self) -> impl Iterator<Item = (usize, usize)> {
        self.law.supports.iter().scan(0, |next, &count| {
            let first = *next;
            *next += count;
            Some((first, count))
        })
    }

    /// |N_k|.
    fn length(&self, (first, count): (usize, usize), impulses: &[f64], change: f64) -> f64 {
        let components = first..first + count;
        match count {
            1 => self.component(first, impulses, change).abs(),
            _ => components
                .map(|index| self.component(index, impulses, change).powi(2))
                .sum::<f64>()
                .sqrt(),
        }
    }

    fn limit_after(&self, impulses: &[f64], change: f64) -> f64 {
        let lengths = self
            .supports()
            .map(|support| self.length(support, impulses, change));
        self.friction * lengths.sum::<f64>()
    }

    /// μ Σ |N_k|.
    pub fn limit(&self, impulses: &[f64]) -> f64 {
        self.limit_after(impulses, 0.0)
    }

    /// Adds `factor` times the derivative of the limit by all impulses.
    pub fn add_slope(&self, impulses: &[f64], factor: f64, entries: &mut [f64]) {
        for (first, count) in self.supports() {
            let length = self.length((first, count), impulses, 0.0);
            for index in first..first + count {
                // Where N is zero, the derivative is that of some direction.
                let along = if length > 0.0 {
                    self.component(index, impulses, 0.0) / length
                } else {
                    (count as f64).sqrt().recip()
                };
                let by = &self.normals[index * self.width + 1..(index + 1) * self.width];
                for (entry, by) in entries.iter_mut().zip(by) {
                    *entry += factor * self.friction * along * by;
                }
            }
        }
    }

    /// What it does, and its impulse, if Q - ρ s = `pulled`: the resolvent of its law.
    pub fn resolve(&self, pulled: f64, scale: f64, limit: f64) -> (Motion, f64) {
        // Held at s = 0 or -k as long as the limit allows.
        let holds: f64 = self.holds(pulled, scale).iter().sum();
        if holds.abs() > limit {
            (Motion::Slides(holds.signum()), holds.signum() * limit)
        } else if holds == 0.0 && pulled != 0.0 {
            (Motion::Passes, 0.0)
        } else {
            (Motion::Held, holds)
        }
    }

    /// Number of different things that it may do.
    pub fn cases(&self) -> usize {
        if self.law.reversal == 0.0 { 3 } else { 5 }
    }

    /// As [`resolve`](Self::resolve), but doing what the number of the case says.
    pub fn resolve_as(&self, case: usize, pulled: f64, scale: f64, limit: f64) -> (Motion, f64) {
        match case {
            0 => (Motion::Held, pulled),
            1 => (Motion::Slides(1.0), limit),
            2 => (Motion::Slides(-1.0), -limit),
            3 => (Motion::Held, pulled - scale * self.law.reversal),
            _ => (Motion::Passes, 0.0),
        }
    }

    /// Impulses that hold it at s = 0 and at s = -k; one of them is zero at least.
    fn holds(&self, pulled: f64, scale: f64) -> [f64; 2] {
        let reversal = scale * self.law.reversal;
        // Between s = 0 and s = -k nothing is held: both bounds leave zero in between.
        if reversal >= 0.0 {
            [pulled.min(0.0), (pulled - reversal).max(0.0)]
        } else {
            [pulled.max(0.0), (pulled - reversal).min(0.0)]
        }
    }

    /// Its impulse while all others hold still, with its sliding velocity and mobility: stick if that stays within the
    /// limit, otherwise the impulse against the sliding that has reached it.
    ///
    /// |Q| - L(Q) is not positive for Q = 0, and positive for the Q that sticks if that is too much: a root lies in
    /// between, so that there is always a solution, also where friction presses the joint.
    pub fn solve(&self, impulses: &[f64], velocity: f64, mobility: f64) -> f64 {
        // Q - s/W: the impulse that would stop the sliding.
        let own = impulses[self.row];
        let stick = self.holds(own - velocity / mobility, 1.0 / mobility);
        let stick: f64 = stick.iter().sum();
        let excess = |impulse: f64| impulse.abs() - self.limit_after(impulses, impulse - own);
        let (mut low, mut low_excess) = (0.0, excess(0.0));
        let (mut high, mut high_excess) = (stick, excess(stick));
        if high_excess <= 0.0 {
            return stick;
        }
        let mut last_side = 0;
        for iteration in 0..BISECTIONS {
            // Illinois, with a bisection in every fourth step.
            let secant = (low * high_excess - high * low_excess) / (high_excess - low_excess);
            let inside = (secant - low) * (high - secant) > 0.0;
            let found = if inside && iteration % 4 != 3 {
                secant
            } else {
                0.5 * (low + high)
            };
            let here = excess(found);
            if here == 0.0 || (high - low).abs() <= f64::EPSILON * high.abs() {
                return found;
            }
            if here < 0.0 {
                (low, low_excess) = (found, here);
                if last_side == -1 {
                    high_excess *= 0.5;
                }
                last_side = -1;
            } else {
                (high, high_excess) = (found, here);
                if last_side == 1 {
                    low_excess *= 0.5;
                }
                last_side = 1;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(law: &JointLaw, normals: &[f64], impulse: f64, velocity: f64) -> f64 {
        let joints = Joints {
            laws: std::slice::from_ref(law),
            normals,
        };
        let joint = joints.each(0, 1, 1.0).next().unwrap();
        joint.solve(&[impulse], velocity, 0.5)
    }

    #[test]
    fn sticks_within_the_limit_and_slips_at_it() {
        let law = JointLaw {
            friction: 0.5,
            reversal: 0.0,
            supports: vec![1],
        };
        for sign in [1.0, -1.0] {
            for load in [20.0, -20.0] {
                assert_eq!(joint(&law, &[load, 0.0], 0.0, 4.0 * sign), -8.0 * sign);
                assert_eq!(joint(&law, &[load, 0.0], 3.0, 400.0 * sign), -10.0 * sign);
            }
        }
    }

    /// Q = -μ |N + r Q|, also where it presses itself, and where it locks.
    #[test]
    fn friction_that_presses_the_joint() {
        let law = JointLaw {
            friction: 0.5,
            reversal: 0.0,
            supports: vec![1],
        };
        let found = joint(&law, &[-20.0, 1.2], 0.0, 1e3);
        assert!((found + 10.0 / 0.4).abs() < 1e-12, "{found}");
        let locked = joint(&law, &[-20.0, 2.5], 0.0, 1e4);
        assert!((locked + 2e4).abs() < 1e-9, "{locked}");
        let law = JointLaw {
            friction: 0.4,
            reversal: 0.0,
            supports: vec![2],
        };
        let found = joint(&law, &[3.0, 0.3, -4.0, 0.8], 0.0, 7e3);
        let expected = -0.4 * (3.0 + 0.3 * found).hypot(-4.0 + 0.8 * found);
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    /// Where it slid with k before, friction that would push it on stays away until it is as fast the other way.
    #[test]
    fn reversal_without_work() {
        let held = |reversal: f64, velocity: f64| {
            let law = JointLaw {
                friction: 0.5,
                reversal,
                supports: vec![1],
            };
            joint(&law, &[20.0, 0.0], 0.0, velocity)
        };
        for sign in [1.0, -1.0] {
            let found = |velocity: f64| sign * held(sign, sign * velocity);
            assert_eq!(found(8.0), -10.0);
            assert_eq!(found(3.0), -6.0);
            assert_eq!(found(-0.9), 0.0);
            assert_eq!(found(-3.0), 4.0);
            assert_eq!(found(-8.0), 10.0);
        }
    }

    #[test]
    fn slopes_are_those_of_the_limit() {
        let law = JointLaw {
            friction: 0.7,
            reversal: 0.0,
            supports: vec![1, 2],
        };
        let normals = [
            -1.0, 0.3, 0.2, -0.7, 0.4, 0.5, 0.6, 0.9, -0.3, 0.1, 0.8, 1.1,
        ];
        let joints = Joints {
            laws: std::slice::from_ref(&law),
            normals: &normals,
        };
        let joint = joints.each(2, 3, 1.0).next().unwrap();
        let at = [0.4, -0.9, 1.3];
        let mut slope = [0.0; 3];
        joint.add_slope(&at, 1.0, &mut slope);
        for index in 0..3 {
            let [up, down] = [1e-6, -1e-6].map(|by| {
                let mut moved = at;
                moved[index] += by;
                joint.limit(&moved)
            });
            assert!((slope[index] - (up - down) / 2e-6).abs() < 1e-8);
        }
    }
}
