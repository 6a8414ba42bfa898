//! Values and derivatives up to second order against `num-dual`, and honest limits.

use std::f64::consts::FRAC_PI_2;

use num_dual::{Dual2_64, DualNum, HyperDual64, second_derivative, second_partial_derivative};
use num_traits::{Num, One, Zero};
use paste::paste;
use proptest::prelude::*;

use super::{Dual, Scalar, Taylor2};

type Nested = Dual<2, Dual<2>>;

/// Fails on NaN: the comparison is then false.
#[track_caller]
fn assert_close(what: &str, found: f64, expected: f64) {
    let tolerance = 2e-13 * (1.0 + expected.abs());
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: found {found:e}, expected {expected:e}"
    );
}

/// `x` as both a first and a second derivative direction.
fn seeded<const N: usize>(x: f64, index: usize) -> Dual<N, Dual<N>> {
    Dual::variable(Dual::variable(x, index), index)
}

/// One test for each function and each number type.
macro_rules! unary {
    ($($name:ident at $points:expr, $x:ident => $ours:expr, $oracle:expr;)*) => { paste! {$(
        #[test]
        fn [<$name _in_taylor2>]() {
            for point in $points {
                let (f, d1, d2) = second_derivative(|$x: Dual2_64| $oracle, point);
                let $x = Taylor2::<f64>::variable(point);
                let found: Taylor2 = $ours;
                assert_close("value", found.value, f);
                assert_close("first", found.first, d1);
                assert_close("second", found.second, d2);
                // The curve need not be straight: (f o x)'' = f'' x'^2 + f' x''.
                let $x = Taylor2::new(point, -0.7, 1.9);
                let found: Taylor2 = $ours;
                assert_close("first along", found.first, -0.7 * d1);
                assert_close("second along", found.second, 0.49 * d2 + 1.9 * d1);
            }
        }

        #[test]
        fn [<$name _in_nested_dual>]() {
            for point in $points {
                let (f, d1, d2) = second_derivative(|$x: Dual2_64| $oracle, point);
                let $x = seeded::<2>(point, 1);
                let found: Nested = $ours;
                assert_close("value", Scalar::value(found), f);
                assert_close("outer", found.gradient[1].value, d1);
                assert_close("inner", found.value.gradient[1], d1);
                assert_close("second", found.gradient[1].gradient[1], d2);
                assert_close("unrelated", found.gradient[0].gradient[1], 0.0);
                assert_close("unrelated", found.gradient[0].value, 0.0);
            }
        }

        #[test]
        fn [<$name _in_taylor2_of_dual_and_dual_of_taylor2>]() {
            for point in $points {
                let (f, d1, d2) = second_derivative(|$x: Dual2_64| $oracle, point);
                let $x = Taylor2::variable(Dual::<1>::variable(point, 0));
                let found: Taylor2<Dual<1>> = $ours;
                assert_close("value", Scalar::value(found), f);
                assert_close("mixed", found.first.gradient[0], d2);
                let third = found.second.gradient[0];
                let $x = Dual::<1, Taylor2>::variable(Taylor2::variable(point), 0);
                let found: Dual<1, Taylor2> = $ours;
                assert_close("gradient", found.gradient[0].value, d1);
                assert_close("mixed", found.gradient[0].first, d2);
                // Third derivatives have no oracle here, but the two orders must agree.
                assert_close("third", found.gradient[0].second, third);
            }
        }
    )*}};
}

unary! {
    sqrt at [0.3, 1.0, 7.5], x => x.sqrt(), x.sqrt();
    sin at [-2.0, 0.0, 0.4, 9.0], x => x.sin(), x.sin();
    cos at [-2.0, 0.0, 0.4, 9.0], x => x.cos(), x.cos();
    sin_cos at [-2.0, 0.0, 0.4], x => { let (s, c) = x.sin_cos(); s * c + s }, x.sin() * x.cos() + x.sin();
    tan at [-1.2, 0.0, 0.4], x => x.tan(), x.tan();
    asin at [-0.9, 0.0, 0.4], x => x.asin(), x.asin();
    acos at [-0.9, 0.0, 0.4], x => x.acos(), x.acos();
    atan at [-3.0, 0.0, 0.4], x => x.atan(), x.atan();
    exp at [-3.0, 0.0, 1.4], x => x.exp(), x.exp();
    ln at [0.3, 1.0, 7.5], x => x.ln(), x.ln();
    powi_0 at [-0.5, 0.0, 2.0], x => x.powi(0), x.powi(0);
    powi_1 at [-0.5, 0.0, 2.0], x => x.powi(1), x * 1.0;
    powi_2 at [-0.5, 0.0, 2.0], x => x.powi(2), x * x;
    powi_5 at [-0.5, 0.0, 2.0], x => x.powi(5), x * x * x * x * x;
    powi_minus_3 at [-0.5, 2.0], x => x.powi(-3), x.powi(-3);
    powf_2 at [0.0, 2.0], x => x.powf(2.0), x * x;
    powf at [0.4, 1.0, 2.0], x => x.powf(-1.7), x.powf(-1.7);
    abs at [-0.5, 2.0], x => Scalar::abs(x), num_traits::Signed::abs(&x);
    sinh at [-2.0, 0.0, 0.4], x => x.sinh(), x.sinh();
    cosh at [-2.0, 0.0, 0.4], x => x.cosh(), x.cosh();
    tanh at [-2.0, 0.0, 0.4], x => x.tanh(), x.tanh();
    recip at [-2.0, 0.4], x => x.recip(), x.recip();
    negative at [-2.0, 0.4], x => -x, -x;
    atan2_first at [-2.0, 0.4], x => x.atan2(Scalar::constant(-0.3)), x.atan2(Dual2_64::from(-0.3));
    hypot_first at [-2.0, 0.4], x => x.hypot(Scalar::constant(-0.3)), (x * x + 0.09).sqrt();
    plain_operands at [-2.0, 0.4], x => ((x + 3.0) * 2.0 - 1.0) / 7.0, ((x + 3.0) * 2.0 - 1.0) / 7.0;
    plain_assignments at [-2.0, 0.4],
        x => { let mut y = x; y += 3.0; y *= x; y -= 0.5; y /= 7.0; y += x; y -= x * x; y /= x; y *= 2.0; y },
        (((x + 3.0) * x - 0.5) / 7.0 + x - x * x) / x * 2.0;
    composite at [0.2, 1.1],
        x => (x.sin() / (x.exp() + 1.0)).sqrt() * x.cosh().ln(),
        (x.sin() / (x.exp() + 1.0)).sqrt() * x.cosh().ln();
}

/// Gradient and Hessian of a function of two numbers, and their contraction along a curve.
macro_rules! binary {
    ($($name:ident at $points:expr, ($x:ident, $y:ident) => $ours:expr, $oracle:expr;)*) => { paste! {$(
        #[test]
        fn [<$name _of_two>]() {
            for (a, b) in $points {
                let (f, fx, fy, fxy) =
                    second_partial_derivative(|($x, $y): (HyperDual64, HyperDual64)| $oracle, (a, b));
                let (_, _, fxx) = second_derivative(|$x: Dual2_64| { let $y = Dual2_64::from(b); $oracle }, a);
                let (_, _, fyy) = second_derivative(|$y: Dual2_64| { let $x = Dual2_64::from(a); $oracle }, b);

                let ($x, $y) = (seeded::<2>(a, 0), seeded::<2>(b, 1));
                let found: Nested = $ours;
                assert_close("value", Scalar::value(found), f);
                assert_close("by x", found.gradient[0].value, fx);
                assert_close("by y", found.gradient[1].value, fy);
                assert_close("by x x", found.gradient[0].gradient[0], fxx);
                assert_close("by x y", found.gradient[0].gradient[1], fxy);
                assert_close("by y x", found.gradient[1].gradient[0], fxy);
                assert_close("by y y", found.gradient[1].gradient[1], fyy);

                let (x1, x2, y1, y2) = (0.7, -0.4, -1.3, 0.6);
                let ($x, $y) = (Taylor2::new(a, x1, x2), Taylor2::new(b, y1, y2));
                let found: Taylor2 = $ours;
                assert_close("curve", found.value, f);
                assert_close("first along", found.first, fx * x1 + fy * y1);
                assert_close(
                    "second along",
                    found.second,
                    fxx * x1 * x1 + 2.0 * fxy * x1 * y1 + fyy * y1 * y1 + fx * x2 + fy * y2,
                );
            }
        }
    )*}};
}

const QUADRANTS: [(f64, f64); 9] = [
    (0.7, 1.2),
    (0.7, -1.2),
    (-0.7, -1.2),
    (-0.7, 1.2),
    (0.0, 1.2),
    (0.0, -1.2),
    (0.7, 0.0),
    (-0.7, 0.0),
    (3.0, 0.2),
];

binary! {
    sum at QUADRANTS, (x, y) => x + y, x + y;
    difference at QUADRANTS, (x, y) => x - y, x - y;
    product at QUADRANTS, (x, y) => x * y, x * y;
    quotient at [(0.7, 1.2), (-0.7, 2.2), (0.0, -0.4)], (x, y) => x / y, x / y;
    // num-dual divides by the second argument, so where that is zero the oracle turns by pi/2.
    atan2 at QUADRANTS, (x, y) => x.atan2(y),
        if y.re == 0.0 { -(y / x).atan() + FRAC_PI_2.copysign(x.re) } else { x.atan2(y) };
    hypot at QUADRANTS, (x, y) => x.hypot(y), (x * x + y * y).sqrt();
    remainder at [(7.7, 2.0), (-7.7, 2.0), (7.7, -3.0)], (x, y) => x % y * x,
        if x.re == 7.7 && y.re == 2.0 { (x - y * 3.0) * x }
        else if x.re == -7.7 { (x + y * 3.0) * x }
        else { (x + y * 2.0) * x };
    summed at QUADRANTS, (x, y) => [x, y, x * y].into_iter().sum::<_>(), x + y + x * y;
    larger at [(0.7, 1.2), (1.7, 1.2)], (x, y) => Scalar::max(x, y) * x,
        if x.re > y.re { x * x } else { y * x };
    smaller at [(0.7, 1.2), (1.7, 1.2)], (x, y) => Scalar::min(x, y) * x,
        if x.re < y.re { x * x } else { y * x };
}

proptest! {
    #[test]
    fn random_points_of_a_deep_expression(a in 0.1..3.0, b in -3.0..3.0) {
        macro_rules! deep {
            ($x:ident, $y:ident) => {
                (($x * $y).sin() + $x.ln() * ($y * $y + 1.0).sqrt()) / ($x.tanh() + 1.5) - $y.atan2($x).exp()
            };
        }
        let (f, fx, fy, fxy) = second_partial_derivative(|(x, y): (HyperDual64, HyperDual64)| deep!(x, y), (a, b));
        let (x, y) = (seeded::<2>(a, 0), seeded::<2>(b, 1));
        let found = deep!(x, y);
        let worst = [
            (found.value.value, f),
            (found.gradient[0].value, fx),
            (found.gradient[1].value, fy),
            (found.gradient[0].gradient[1], fxy),
            (found.gradient[1].gradient[0], fxy),
        ];
        for (found, expected) in worst {
            // The second derivative of the angle has the square of a radius as small as 0.1 below.
            prop_assert!((found - expected).abs() <= 1e-11 * (1.0 + expected.abs()), "{found} {expected}");
        }
    }
}

#[test]
fn derivatives_of_the_angle_survive_extreme_radii() {
    for scale in [1e-200, 1e200] {
        let (y, x) = (
            Dual::<2>::variable(3.0 * scale, 0),
            Dual::<2>::variable(-4.0 * scale, 1),
        );
        let angle = y.atan2(x);
        assert_close("by y", angle.gradient[0] * scale, -4.0 / 25.0);
        assert_close("by x", angle.gradient[1] * scale, -3.0 / 25.0);
        assert_close("radius", y.hypot(x).value / scale, 5.0);
    }
}

#[test]
fn root_of_zero_is_honest() {
    let root = Dual::<2>::variable(0.0, 0).sqrt();
    assert_eq!(root.value, 0.0);
    assert_eq!(root.gradient, [f64::INFINITY, 0.0]);
    let root = Nested::constant(0.0).sqrt();
    assert!(root.is_finite() && root.is_zero());
    assert!(Taylor2::<f64>::constant(0.0).sqrt().is_zero());
    assert_eq!(Taylor2::<f64>::variable(0.0).sqrt().first, f64::INFINITY);
    assert!(Dual::<1>::variable(-1.0, 0).sqrt().value.is_nan());
}

#[test]
fn absolute_value_has_the_sign_as_slope() {
    for (x, slope) in [(2.0, 1.0), (-2.0, -1.0), (0.0, 1.0), (-0.0, -1.0)] {
        let y = Scalar::abs(Dual::<1>::variable(x, 0));
        assert_eq!((y.value, y.gradient[0]), (f64::abs(x), slope));
        let y = Scalar::abs(Taylor2::<f64>::new(x, 1.0, 3.0));
        assert_eq!((y.first, y.second), (slope, 3.0 * slope));
    }
    assert!(
        Scalar::abs(Dual::<1>::variable(f64::NAN, 0))
            .value()
            .is_nan()
    );
}

#[test]
fn not_a_number_is_never_hidden() {
    let bad = Dual::<1>::constant(f64::NAN);
    let one = Dual::<1>::one();
    for x in [
        Scalar::max(bad, one),
        Scalar::max(one, bad),
        Scalar::min(bad, one),
        Scalar::min(one, bad),
        bad % one,
        bad.hypot(one),
        bad.atan2(one),
    ] {
        assert!(x.value().is_nan() && !x.is_finite());
    }
    assert!(!Dual::<1>::new(0.0, [f64::NAN]).is_finite());
    assert!(!Taylor2::new(0.0, 0.0, f64::INFINITY).is_finite());
    assert!(!Taylor2::new(0.0, f64::NAN, 0.0).is_finite());
}

#[test]
fn comparisons_see_the_value_and_zero_tests_see_all() {
    let x = Dual::<2>::variable(0.0, 1);
    assert!(x == Dual::zero() && x <= Dual::zero() && x < Dual::one());
    assert!(!x.is_zero() && Dual::<2>::zero().is_zero());
    assert!(!(x + 1.0).is_one() && Dual::<2>::one().is_one());
    let x = Taylor2::<f64>::new(0.0, 0.0, 1.0);
    assert!(x == Taylor2::zero() && !x.is_zero() && !(x + 1.0).is_one());
}

#[test]
fn construction() {
    assert_eq!(
        Dual::<3>::variable(5.0, 2).gradient,
        [0.0, 0.0, 1.0],
        "seeded"
    );
    assert!(Dual::<3>::variable(5.0, 3).is_constant_number());
    assert_eq!(Nested::from(4.0).value(), 4.0);
    assert_eq!(
        Taylor2::<f64>::from_str_radix("12", 10).unwrap().value,
        12.0
    );
    assert_eq!(Dual::<1>::from_str_radix("ff", 16).unwrap().value, 255.0);
    let x = Dual::<1, Taylor2>::from_value(Taylor2::variable(2.0));
    assert_eq!(x.value.first, 1.0);
    assert!(x.gradient[0].is_zero());
}

impl<const N: usize> Dual<N> {
    fn is_constant_number(&self) -> bool {
        self.gradient == [0.0; N]
    }
}

/// Compiles for every scalar: what problem functions do with `nalgebra`.
fn vector_algebra<S: Scalar>(x: S) -> S {
    use nalgebra::{Matrix3, Vector3};
    let a = Vector3::new(x, x * x, S::constant(1.0));
    let b = Vector3::new(S::zero(), -x, x.sin());
    let m = Matrix3::new(
        x,
        S::one(),
        b.x,
        a.y,
        S::zero(),
        a.z,
        a.x,
        b.z,
        S::constant(2.0),
    );
    let mut c = m * a + a.cross(&b) - b * x;
    c += m.transpose() * (m * m) * b;
    c -= a;
    c *= S::constant(3.0);
    let unit = c / c.dot(&c).sqrt();
    let sum: S = (a + b + unit).iter().copied().sum();
    sum + m.determinant3() + Matrix3::<S>::identity().trace3() + (-a).x
}

/// `nalgebra`'s own determinant needs a field of real numbers.
trait Determinant<S> {
    fn determinant3(&self) -> S;
    fn trace3(&self) -> S;
}

impl<S: Scalar> Determinant<S> for nalgebra::Matrix3<S> {
    fn determinant3(&self) -> S {
        self.column(0).dot(&self.column(1).cross(&self.column(2)))
    }
    fn trace3(&self) -> S {
        self.diagonal().iter().copied().sum()
    }
}

#[test]
fn nalgebra_vectors_and_matrices_work() {
    let x = 0.83;
    let step = 1e-5;
    let slope = (vector_algebra(x + step) - vector_algebra(x - step)) / (2.0 * step);
    let dual = vector_algebra(Dual::<1>::variable(x, 0));
    let taylor = vector_algebra(Taylor2::variable(x));
    let nested = vector_algebra(seeded::<1>(x, 0));
    assert_close("value", dual.value, vector_algebra(x));
    assert!((dual.gradient[0] - slope).abs() < 1e-7 * slope.abs());
    assert_close("first", taylor.first, dual.gradient[0]);
    assert_close("second", taylor.second, nested.gradient[0].gradient[0]);
}
