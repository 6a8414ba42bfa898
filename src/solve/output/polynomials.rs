//! Polynomials by values and derivatives at both ends.

use super::hermite::Degree;

/// Value at θ = 1 (0 at θ = 0), slopes and second derivatives at both ends.
pub(super) struct Ends {
    pub value: f64,
    pub slope: [f64; 2],
    pub curvature: [f64; 2],
}

impl Ends {
    /// A step that moves the configuration by little more than its round-off, `floor`, would give velocities that consist of round-off:
    /// there the displacement is taken from the rates at both ends (the corrected trapezoidal rule).
    #[inline]
    pub fn drop_round_off(&mut self, degree: Degree, floor: f64) {
        // h/2 (u'_0 + u'_1) + h²/12 (u''_0 - u''_1).
        let mut expected = 0.5 * (self.slope[0] + self.slope[1]);
        if degree == Degree::Quintic {
            expected += (self.curvature[0] - self.curvature[1]) / 12.0;
        }
        if (self.value - expected).abs() <= floor {
            self.value = expected;
        }
    }

    /// The cubic with these values and slopes.
    pub fn cubic(&self) -> Cubic {
        let [s0, s1] = self.slope;
        // u(θ) = s_0 θ + c_2 θ² + c_3 θ³ with u(1) and u'(1) as given.
        let c2 = 3.0 * self.value - 2.0 * s0 - s1;
        let c3 = s0 + s1 - 2.0 * self.value;
        [s0, c2, c3]
    }

    /// The quintic with these values, slopes and second derivatives.
    #[inline]
    fn quintic(&self) -> Quintic {
        let [s0, s1] = self.slope;
        let [a0, a1] = self.curvature;
        // What is left of value, slope and curvature at θ = 1 once the Taylor part is taken off.
        let value = self.value - s0 - 0.5 * a0;
        let slope = s1 - s0 - a0;
        let curvature = a1 - a0;
        let c3 = 10.0 * value - 4.0 * slope + 0.5 * curvature;
        let c4 = -15.0 * value + 7.0 * slope - curvature;
        let c5 = 6.0 * value - 3.0 * slope + 0.5 * curvature;
        Quintic {
            value: [s0, 0.5 * a0, c3, c4, c5],
            slope: [a0, 3.0 * c3, 4.0 * c4],
        }
    }
}

/// s_0 θ + c_2 θ² + c_3 θ³ by its coefficients.
type Cubic = [f64; 3];

/// A quintic as it is evaluated most often, for value and slope.
#[derive(Clone, Copy, Default)]
pub(super) struct Quintic {
    /// s_0, a_0 / 2, c_3, c_4 and c_5 of s_0 θ + a_0 θ²/2 + c_3 θ³ + c_4 θ⁴ + c_5 θ⁵.
    value: [f64; 5],
    /// a_0, 3 c_3 and 4 c_4, which its derivative has.
    slope: [f64; 3],
}

/// Value, first and second derivative at θ.
#[inline(always)]
pub(super) fn cubic_at(&[s0, c2, c3]: &Cubic, theta: f64) -> [f64; 3] {
    [
        theta * (s0 + theta * (c2 + theta * c3)),
        s0 + theta * (2.0 * c2 + 3.0 * theta * c3),
        2.0 * c2 + 6.0 * theta * c3,
    ]
}

/// The same of a quintic.
#[inline(always)]
fn quintic_at(quintic: &Quintic, theta: f64) -> [f64; 3] {
    let [s0, half_a0, c3, c4, c5] = quintic.value;
    let [a0, three_c3, four_c4] = quintic.slope;
    [
        theta * (s0 + theta * (half_a0 + theta * (c3 + theta * (c4 + theta * c5)))),
        s0 + theta * (a0 + theta * (three_c3 + theta * (four_c4 + theta * 5.0 * c5))),
        a0 + theta * (6.0 * c3 + theta * (12.0 * c4 + theta * 20.0 * c5)),
    ]
}

/// Puts a motion along polynomials, of displacements from `start`, at θ into `q` and its rates into `v`.
// A function of its own: only where nothing can be another's memory two coordinates are moved at a time.
#[inline(never)]
fn move_along<P>(
    (list, at): (&[P], impl Fn(&P, f64) -> [f64; 3]),
    theta: f64,
    per_second: f64,
    start: &[f64],
    q: &mut [f64],
    v: &mut [f64],
) {
    for (((polynomial, start), q), v) in list.iter().zip(start).zip(q).zip(v) {
        let [displacement, rate, _] = at(polynomial, theta);
        *q = start + displacement;
        *v = rate * per_second;
    }
}

/// Polynomials of one degree that are 0 at θ = 0.
pub(super) enum Polynomials {
    Cubic(Vec<Cubic>),
    Quintic(Vec<Quintic>),
}

impl Polynomials {
    /// So many, all zero.
    pub fn new(degree: Degree, count: usize) -> Self {
        match degree {
            Degree::Cubic | Degree::LinearVelocity => Self::Cubic(vec![[0.0; 3]; count]),
            Degree::Quintic => Self::Quintic(vec![Quintic::default(); count]),
        }
    }

    /// Puts displacements from `start` at θ into `q` and their rates into `v`, by what there is of θ in a second.
    #[inline]
    pub fn move_along(
        &self,
        theta: f64,
        per_second: f64,
        start: &[f64],
        q: &mut [f64],
        v: &mut [f64],
    ) {
        match self {
            Self::Cubic(list) => move_along((list, cubic_at), theta, per_second, start, q, v),
            Self::Quintic(list) => move_along((list, quintic_at), theta, per_second, start, q, v),
        }
    }

    /// Those with these values and derivatives at both ends.
    #[inline(always)]
    pub fn fit(&mut self, ends: impl Iterator<Item = Ends>) {
        match self {
            Self::Cubic(list) => {
                for (polynomial, ends) in list.iter_mut().zip(ends) {
                    *polynomial = ends.cubic();
                }
            }
            Self::Quintic(list) => {
                for (polynomial, ends) in list.iter_mut().zip(ends) {
                    *polynomial = ends.quintic();
                }
            }
        }
    }

    /// Puts value, first and second derivative of each at θ into a slot.
    #[inline(always)]
    pub fn evaluate<T>(
        &self,
        theta: f64,
        slots: impl Iterator<Item = T>,
        put: impl Fn(T, [f64; 3]),
    ) {
        match self {
            Self::Cubic(list) => {
                for (polynomial, slot) in list.iter().zip(slots) {
                    put(slot, cubic_at(polynomial, theta));
                }
            }
            Self::Quintic(list) => {
                for (polynomial, slot) in list.iter().zip(slots) {
                    put(slot, quintic_at(polynomial, theta));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn polynomials_of_their_degree_are_reproduced() {
        let quintic = |t: f64| {
            [
                t + t * t - t.powi(4) + 2.0 * t.powi(5),
                1.0 + 2.0 * t - 4.0 * t.powi(3) + 10.0 * t.powi(4),
            ]
        };
        let second = |t: f64| 2.0 - 12.0 * t * t + 40.0 * t.powi(3);
        let ends = Ends {
            value: quintic(1.0)[0],
            slope: [quintic(0.0)[1], quintic(1.0)[1]],
            curvature: [second(0.0), second(1.0)],
        };
        for theta in [0.0, 0.2, 0.7, 1.0] {
            let [value, slope, curvature] = quintic_at(&ends.quintic(), theta);
            assert_relative_eq!(value, quintic(theta)[0], epsilon = 1e-14);
            assert_relative_eq!(slope, quintic(theta)[1], epsilon = 1e-13);
            assert_relative_eq!(curvature, second(theta), epsilon = 1e-12);
        }
        let cubic = |t: f64| 2.0 * t - t.powi(3);
        let ends = Ends {
            value: cubic(1.0),
            slope: [2.0, -1.0],
            curvature: [0.0; 2],
        };
        for theta in [0.0, 0.3, 1.0] {
            assert_relative_eq!(
                cubic_at(&ends.cubic(), theta)[0],
                cubic(theta),
                epsilon = 1e-15
            );
            assert_relative_eq!(
                cubic_at(&ends.cubic(), theta)[1],
                2.0 - 3.0 * theta * theta,
                epsilon = 1e-14
            );
            assert_relative_eq!(
                cubic_at(&ends.cubic(), theta)[2],
                -6.0 * theta,
                epsilon = 1e-14
            );
        }
    }
}
