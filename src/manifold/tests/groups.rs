//! SO(3), unit quaternions and SE(3), each on its own.

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector, Matrix3};
use proptest::prelude::*;

use super::super::{quaternion, rigid_motion, rotation};
use super::oracles::*;
use super::{assert_close, axes};
use crate::scalar::{Dual, Taylor2};

const ANGLES: [f64; 17] = [
    0.0,
    1e-300,
    1e-160,
    1e-9,
    1e-8,
    1e-5,
    1e-3,
    0.1,
    0.39,
    0.41,
    1.0,
    1.99,
    2.01,
    3.0,
    PI - 1e-3,
    PI - 1e-7,
    PI - 1e-12,
];

fn scaled(axis: &[f64; 3], angle: f64) -> [f64; 3] {
    axis.map(|x| x * angle)
}

fn dense(m: Matrix3<f64>) -> DMatrix<f64> {
    DMatrix::from_column_slice(3, 3, m.as_slice())
}

fn times(m: &DMatrix<f64>, x: &[f64]) -> Vec<f64> {
    (m * DVector::from_column_slice(x)).as_slice().to_vec()
}

#[test]
fn logarithm_inverts_exponential() {
    for axis in axes() {
        for angle in ANGLES {
            let u = scaled(&axis, angle);
            let tolerance = 4e-15 * angle;
            assert_close(
                "rotation",
                &rotation::log(&rotation::exp(&u)),
                &u,
                tolerance,
            );
            let p = quaternion::exp(&u);
            assert_close("quaternion", &quaternion::log(&p), &u, tolerance);
            let opposite = p.map(|x| -x);
            assert_close("other sheet", &quaternion::log(&opposite), &u, tolerance);
            let twist = [0.7, -1.3, 0.2, u[0], u[1], u[2]];
            let back = rigid_motion::log(&rigid_motion::exp(&twist));
            assert_close("screw", &back, &twist, 4e-15 * (1.0 + angle));
        }
    }
}

#[test]
fn half_turns_have_either_logarithm() {
    for axis in axes() {
        let u = scaled(&axis, PI);
        for log in [
            rotation::log(&rotation::exp(&u)),
            quaternion::log(&quaternion::exp(&u)),
        ] {
            let length = log[0].hypot(log[1]).hypot(log[2]);
            assert_close("angle", &[length], &[PI], 2e-15);
            let sign = (log[0] * u[0] + log[1] * u[1] + log[2] * u[2]).signum();
            assert_close("axis", &log.map(|x| sign * x), &u, 1e-14);
        }
    }
    // Exact half turns, where the scalar part is exactly zero.
    let half = rotation::log(&[1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0]);
    assert_eq!(half, [PI, 0.0, 0.0]);
    assert_eq!(quaternion::log(&[0.0, 0.0, 1.0, 0.0]), [0.0, PI, 0.0]);
    assert_eq!(rotation::log(&rotation::IDENTITY), [0.0; 3]);
}

#[test]
fn logarithm_past_a_half_turn_takes_the_short_way() {
    for axis in axes() {
        for angle in [3.2, 4.0, 6.0, 6.27] {
            let expected = scaled(&axis, angle - 2.0 * PI);
            let u = scaled(&axis, angle);
            assert_close(
                "matrix",
                &rotation::log(&rotation::exp(&u)),
                &expected,
                1e-14,
            );
            let log = quaternion::log(&quaternion::exp(&u));
            assert_close("quaternion", &log, &expected, 1e-14);
        }
    }
}

#[test]
fn exponentials_agree_with_the_matrix_series() {
    for axis in axes() {
        for angle in [0.0, 1e-300, 1e-9, 1e-3, 0.5, 1.9, 2.1, 3.1, 5.0, 12.0] {
            let u = scaled(&axis, angle);
            let series = row_major(&matrix_exponential(&dense(skew(&u))));
            let tolerance = 1e-13 * (1.0 + angle);
            assert_close("rotation", &rotation::exp(&u), &series, tolerance);
            let p = quaternion::exp(&u);
            assert_close(
                "quaternion",
                &quaternion::to_rotation(&p),
                &series,
                tolerance,
            );

            let twist = [2.0, -0.3, 0.9, u[0], u[1], u[2]];
            let series = matrix_exponential(&twist_matrix(&twist));
            let q = motion_matrix(&rigid_motion::exp(&twist));
            assert_close("screw", q.as_slice(), series.as_slice(), 3.0 * tolerance);
        }
    }
}

#[test]
fn large_angles_are_as_accurate_as_the_angle() {
    for axis in axes() {
        for angle in [10.0, 100.0, 1e3, 1e5] {
            let u = scaled(&axis, angle);
            let (sin, cos) = f64::sin_cos(angle);
            let k = skew(&axis);
            let expected = Matrix3::identity() + k * sin + k * k * (1.0 - cos);
            let tolerance = 4e-16 * angle + 1e-15;
            let expected = row_major(&dense(expected));
            let r = rotation::exp(&u);
            assert_close("rotation", &r, &expected, tolerance);
            let p = quaternion::exp(&u);
            assert_close(
                "quaternion",
                &quaternion::to_rotation(&p),
                &expected,
                tolerance,
            );
            assert!(rotation::defect(&r) < 4e-15 && quaternion::defect(&p) < 1e-15);
        }
    }
}

#[test]
fn differentials_agree_with_the_adjoint_series() {
    for axis in axes() {
        for angle in [0.0, 1e-300, 1e-9, 1e-4, 0.2, 1.0, 1.999, 2.001, 3.1, 5.0] {
            let u = scaled(&axis, angle);
            let x = [0.4, -1.1, 0.6];
            let series = matrix_differential(&dense(skew(&u)));
            assert_close(
                "rotation",
                &rotation::dexp(&u, &x),
                &times(&series, &x),
                1e-13,
            );
            let transposed = times(&series.transpose(), &x);
            let found = rotation::dexp_transpose(&u, &x);
            assert_close("rotation transposed", &found, &transposed, 1e-13);

            let twist = [0.8, 0.5, -1.2, u[0], u[1], u[2]];
            let x = [0.4, -1.1, 0.6, 0.9, 0.2, -0.7];
            let series = matrix_differential(&adjoint_of_twist(&twist));
            let found = rigid_motion::dexp(&twist, &x);
            assert_close("screw", &found, &times(&series, &x), 3e-13);
            let transposed = times(&series.transpose(), &x);
            let found = rigid_motion::dexp_transpose(&twist, &x);
            assert_close("screw transposed", &found, &transposed, 3e-13);
        }
    }
}

#[test]
fn inverse_differentials() {
    for axis in axes() {
        for angle in [
            0.0, 1e-300, 1e-9, 1e-4, 0.2, 1.999, 2.001, 3.1, 5.0, 6.0, 7.0,
        ] {
            let u = scaled(&axis, angle);
            let x = [0.4, -1.1, 0.6];
            let back = rotation::dexp(&u, &rotation::dexp_inverse(&u, &x));
            assert_close("rotation", &back, &x, 1e-14);
            let back = rotation::dexp_inverse(&u, &rotation::dexp(&u, &x));
            assert_close("rotation", &back, &x, 1e-13);
            let twist = [0.8, 0.5, -1.2, u[0], u[1], u[2]];
            let x = [0.4, -1.1, 0.6, 0.9, 0.2, -0.7];
            let back = rigid_motion::dexp(&twist, &rigid_motion::dexp_inverse(&twist, &x));
            assert_close("screw", &back, &x, 1e-12);
            let back = rigid_motion::dexp_inverse(&twist, &rigid_motion::dexp(&twist, &x));
            assert_close("screw", &back, &x, 1e-12);
        }
    }
}

#[test]
fn derivatives_of_the_logarithm_are_exact() {
    // log(exp(u + s w)) = u + s w: slope w, curvature zero, also at angle zero.
    let w = [0.6, -0.4, 0.9];
    for axis in axes() {
        for angle in [
            0.0,
            1e-300,
            1e-9,
            1e-4,
            0.1,
            0.39,
            0.41,
            1.9,
            2.1,
            3.0,
            PI - 1e-3,
        ] {
            let u = scaled(&axis, angle);
            let line: [Taylor2; 3] = std::array::from_fn(|i| Taylor2::new(u[i], w[i], 0.0));
            for log in [
                rotation::log(&rotation::exp(&line)),
                quaternion::log(&quaternion::exp(&line)),
            ] {
                assert_close("slope", &log.map(|x| x.first), &w, 2e-13);
                assert_close("curvature", &log.map(|x| x.second), &[0.0; 3], 2e-12);
            }
            let line: [Taylor2; 6] = std::array::from_fn(|i| {
                Taylor2::new(if i < 3 { 0.5 } else { u[i - 3] }, w[i % 3], 0.0)
            });
            let log = rigid_motion::log(&rigid_motion::exp(&line));
            let twice = [w, w].concat();
            assert_close("screw slope", &log.map(|x| x.first), &twice, 1e-12);
            assert_close("screw curvature", &log.map(|x| x.second), &[0.0; 6], 1e-11);
        }
    }
}

#[test]
fn derivatives_of_the_differentials_are_exact() {
    // dexp_inverse(u(s)) dexp(u(s)) x = x for all s.
    for axis in axes() {
        for angle in [0.0, 1e-300, 1e-9, 1e-3, 0.1, 1.99, 2.01, 4.0] {
            let u = scaled(&axis, angle);
            let line: [Taylor2; 6] = std::array::from_fn(|i| {
                Taylor2::new(
                    if i < 3 { 0.3 } else { u[i - 3] },
                    0.4 - 0.2 * i as f64,
                    0.1,
                )
            });
            let x: [f64; 6] = [0.4, -1.1, 0.6, 0.9, 0.2, -0.7];
            let constant = x.map(Taylor2::<f64>::from);
            let image = rigid_motion::dexp(&line, &constant);
            let back = rigid_motion::dexp_inverse(&line, &image);
            assert_close("value", &back.map(|x| x.value), &x, 1e-13);
            assert_close("first", &back.map(|x| x.first), &[0.0; 6], 1e-12);
            assert_close("second", &back.map(|x| x.second), &[0.0; 6], 1e-11);
        }
    }
}

#[test]
fn third_derivatives_at_zero() {
    // Along s v the exponential has the derivatives hat(v)^k at s = 0, to any order.
    type Third = Dual<1, Dual<1, Dual<1>>>;
    let v = [0.3, -0.5, 1.1];
    let s = Third::variable(Dual::variable(Dual::variable(0.0, 0), 0), 0);
    let r = rotation::exp(&v.map(|x| s * x));
    let third = r.map(|x| x.gradient[0].gradient[0].gradient[0]);
    let k = skew(&v);
    assert_close("third", &third, &row_major(&dense(k * k * k)), 1e-15);
}

#[test]
fn quaternions_and_matrices_are_the_same_rotations() {
    for axis in axes() {
        for angle in ANGLES {
            let p = quaternion::exp(&scaled(&axis, angle));
            let r = quaternion::to_rotation(&p);
            let back = quaternion::from_rotation(&r);
            let sign = if back[0] * p[0] < 0.0 || back[0] == 0.0 {
                -1.0
            } else {
                1.0
            };
            // At half turns the scalar part is rounding and the sign is decided by the vector.
            let aligned = (0..4).map(|i| back[i] * p[i]).sum::<f64>().signum();
            if angle < 3.1 {
                assert_eq!(sign, aligned);
            }
            assert_close("there and back", &back.map(|x| aligned * x), &p, 1e-15);
            let other = quaternion::exp(&[0.3, -1.0, 0.7]);
            let product = quaternion::to_rotation(&quaternion::product(&p, &other));
            let dense_product = Matrix3::from_row_slice(&r)
                * Matrix3::from_row_slice(&quaternion::to_rotation(&other));
            assert_close(
                "product",
                &product,
                &row_major(&dense(dense_product)),
                2e-15,
            );
        }
    }
    let i = [0.0, 1.0, 0.0, 0.0];
    let j = [0.0, 0.0, 1.0, 0.0];
    assert_eq!(
        quaternion::product(&i, &j),
        [0.0, 0.0, 0.0, 1.0],
        "Hamilton: ij = k"
    );
}

#[test]
fn hat_and_vee() {
    let u = [0.3, -0.5, 1.1];
    assert_eq!(rotation::vee(&rotation::hat(&u)), u);
    assert_close("hat", &rotation::hat(&u), &row_major(&dense(skew(&u))), 0.0);
}

#[test]
fn normalization_repairs_quadratically() {
    for (i, axis) in axes().iter().enumerate() {
        let exact = rotation::exp(&scaled(axis, 0.4 + i as f64));
        for size in [1e-12, 1e-8, 1e-4, 0.02, 0.3] {
            let mut r: [f64; 9] =
                std::array::from_fn(|k| exact[k] + size * f64::sin((k * k + i) as f64));
            let dented = Matrix3::from_row_slice(&r);
            rotation::normalize(&mut r);
            assert!(
                rotation::defect(&r) <= 2e-15,
                "{size}: {}",
                rotation::defect(&r)
            );
            let svd = dented.svd(true, true);
            let polar = svd.u.unwrap() * svd.v_t.unwrap();
            assert_close("nearest", &r, &row_major(&dense(polar)), 4e-15);
            let once = r;
            rotation::normalize(&mut r);
            assert_eq!(once, r, "idempotent");
        }
        let mut p = quaternion::exp(&scaled(axis, 0.4 + i as f64)).map(|x| x * (1.0 + 1e-4));
        quaternion::normalize(&mut p);
        assert!(quaternion::defect(&p) <= 4e-16);
        let once = p;
        quaternion::normalize(&mut p);
        assert_eq!(once, p, "idempotent");
    }
}

#[test]
fn hopeless_matrices_are_left_alone() {
    let mirror = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
    for bad in [mirror, [0.0; 9], [f64::NAN; 9], [f64::INFINITY; 9]] {
        let mut r = bad;
        rotation::normalize(&mut r);
        assert_eq!(r.map(f64::to_bits), bad.map(f64::to_bits));
        let defect = rotation::defect(&r);
        assert!(defect.is_nan() || defect >= 1.0);
    }
    assert_eq!(rotation::defect(&mirror), 2.0);
    for bad in [[0.0; 4], [f64::NAN, 0.0, 0.0, 0.0]] {
        let mut p = bad;
        quaternion::normalize(&mut p);
        assert_eq!(p.map(f64::to_bits), bad.map(f64::to_bits));
    }
}

proptest! {
    #[test]
    fn any_rotation_round_trips(u in prop::array::uniform3(-1.8..1.8_f64)) {
        let back = rotation::log(&rotation::exp(&u));
        assert_close("log exp", &back, &u, 1e-14);
        let r = rotation::exp(&u);
        assert_close("exp log", &rotation::exp(&rotation::log(&r)), &r, 4e-15);
        assert!(rotation::defect(&r) < 2e-15);
    }

    #[test]
    fn any_screw_round_trips(u in prop::array::uniform6(-1.8..1.8_f64)) {
        let back = rigid_motion::log(&rigid_motion::exp(&u));
        assert_close("log exp", &back, &u, 3e-14);
        let there = rigid_motion::exp(&u);
        let unit = rigid_motion::relative(&there, &there);
        assert_close("inverse", &unit, &rigid_motion::IDENTITY, 2e-15);
    }

    #[test]
    fn one_parameter_subgroups(u in prop::array::uniform6(-3.0..3.0_f64), a in -2.0..2.0, b in -2.0..2.0) {
        // exp(a u) exp(b u) = exp((a + b) u)
        let [x, y, z] = [a, b, a + b].map(|s: f64| rigid_motion::exp(&u.map(|x| s * x)));
        assert_close("screws add", &rigid_motion::compose(&x, &y), &z, 1e-13);
    }

    #[test]
    fn velocity_of_the_exponential(
        u in prop::array::uniform6(-3.0..3.0_f64),
        rate in prop::array::uniform6(-1.0..1.0_f64),
    ) {
        // exp(u)^-1 d/dt exp(u) = hat(dexp(u) du/dt), an exact identity.
        let path: [Dual<1>; 6] = std::array::from_fn(|i| Dual::new(u[i], [rate[i]]));
        let q = rigid_motion::exp(&path);
        let value = motion_matrix(&q.map(|x| x.value));
        let mut slope = motion_matrix(&q.map(|x| x.gradient[0]));
        slope[(3, 3)] = 0.0;
        let found = value.try_inverse().unwrap() * slope;
        let expected = twist_matrix(&rigid_motion::dexp(&u, &rate));
        assert_close("twist", found.as_slice(), expected.as_slice(), 1e-12);

        let (u, rate) = ([u[3], u[4], u[5]], [rate[3], rate[4], rate[5]]);
        let p = quaternion::exp(&[path[3], path[4], path[5]]);
        let back = quaternion::conjugate(&p.map(|x| x.value));
        let omega = quaternion::product(&back, &p.map(|x| 2.0 * x.gradient[0]));
        let expected = rotation::dexp(&u, &rate);
        assert_close("quaternion", &omega, &[0.0, expected[0], expected[1], expected[2]], 1e-13);
    }
}
