//! The second-order cone {x_0 >= |x_1, x_2|} of 1, 2 or 3 components: products, and the scaling of Nesterov and Todd.

/// Up to three components; those beyond the dimension are zero.
pub(super) type Vector = [f64; 3];

/// x_0² - |x_1, x_2|², in a form that keeps its digits.
fn determinant(x: &Vector) -> f64 {
    let size = x[1].hypot(x[2]);
    (x[0] - size) * (x[0] + size)
}

fn dot(x: &Vector, y: &Vector) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// x ∘ y = (xᵀ y, x_0 y_1 + y_0 x_1).
pub(super) fn product(x: &Vector, y: &Vector) -> Vector {
    [
        dot(x, y),
        x[0] * y[1] + y[0] * x[1],
        x[0] * y[2] + y[0] * x[2],
    ]
}

/// The z with x ∘ z = y, for x inside.
pub(super) fn quotient(x: &Vector, y: &Vector) -> Vector {
    let along = x[1] * y[1] + x[2] * y[2];
    let first = (x[0] * y[0] - along) / determinant(x);
    [
        first,
        (y[1] - first * x[1]) / x[0],
        (y[2] - first * x[2]) / x[0],
    ]
}

/// Whether it is inside.
pub(super) fn is_inside(x: &Vector) -> bool {
    x[0] > x[1].hypot(x[2])
}

/// The largest α <= 1 with x + α d in the cone, for x inside.
pub(super) fn largest_step(x: &Vector, d: &Vector) -> f64 {
    // x + α d has the determinant a α² + 2 b α + c, c > 0.
    let a = determinant(d);
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = determinant(x);
    let root = b * b - a * c;
    let mut largest = 1.0_f64;
    if root >= 0.0 {
        // The smallest positive root; the stable form of both.
        let q = -(b + b.signum() * root.sqrt());
        for candidate in [q / a, c / q] {
            if candidate > 0.0 {
                largest = largest.min(candidate);
            }
        }
    }
    // The first component must stay positive: the determinant does not see the opposite cone.
    if d[0] < 0.0 {
        largest = largest.min(-x[0] / d[0]);
    }
    largest
}

/// T, symmetric, with T p = T⁻¹ v = λ for p and v inside: T = η (2 w wᵀ - J)^(1/2) with wᵀ J w = 1.
///
/// Source: Yu. E. Nesterov, M. J. Todd, Mathematics of Operations Research 22 (1997), doi:10.1287/moor.22.1.1.
#[derive(Clone, Copy, Default)]
pub(super) struct Scaling {
    eta: f64,
    w: Vector,
    /// λ.
    pub point: Vector,
}

impl Scaling {
    pub fn new(p: &Vector, v: &Vector) -> Self {
        let (p_size, v_size) = (determinant(p).sqrt(), determinant(v).sqrt());
        let (p_unit, v_unit) = (p.map(|x| x / p_size), v.map(|x| x / v_size));
        // w = (v̂ + J p̂)/(2 γ) with γ² = (1 + p̂·v̂)/2, so that wᵀ J w = 1.
        let gamma = ((1.0 + dot(&p_unit, &v_unit)) / 2.0).sqrt();
        let w = [
            (v_unit[0] + p_unit[0]) / (2.0 * gamma),
            (v_unit[1] - p_unit[1]) / (2.0 * gamma),
            (v_unit[2] - p_unit[2]) / (2.0 * gamma),
        ];
        let mut scaling = Self {
            eta: (v_size / p_size).sqrt(),
            w,
            point: [0.0; 3],
        };
        scaling.point = scaling.apply(p);
        scaling
    }

    /// T x.
    pub fn apply(&self, x: &Vector) -> Vector {
        self.hyperbolic(x, 1.0, self.eta)
    }

    /// T⁻¹ x.
    pub fn apply_inverse(&self, x: &Vector) -> Vector {
        self.hyperbolic(x, -1.0, 1.0 / self.eta)
    }

    fn hyperbolic(&self, x: &Vector, sign: f64, factor: f64) -> Vector {
        let w = [self.w[0], sign * self.w[1], sign * self.w[2]];
        let along = w[1] * x[1] + w[2] * x[2];
        // T = η [w₀ w̃ᵀ; w̃ 1 + w̃ w̃ᵀ/(1 + w₀)].
        let turned = x[0] + along / (1.0 + w[0]);
        [
            factor * (w[0] * x[0] + along),
            factor * (x[1] + turned * w[1]),
            factor * (x[2] + turned * w[2]),
        ]
    }

    /// T², entry by entry.
    pub fn squared(&self, i: usize, j: usize) -> f64 {
        let metric = match (i, j) {
            (0, 0) => 1.0,
            _ if i == j => -1.0,
            _ => 0.0,
        };
        // T² = η² (2 w wᵀ - J).
        self.eta * self.eta * (2.0 * self.w[i] * self.w[j] - metric)
    }
}
