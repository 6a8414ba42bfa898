//! Products of factors: offsets, the flat-slice operations, checks.

use proptest::prelude::*;

use super::super::{Factor, Manifold, ManifoldError};
use super::assert_close;
use super::oracles::skew;
use crate::scalar::{Dual, Scalar, Taylor2};
use nalgebra::Matrix3;

const NV: usize = 16;
const NQ: usize = 29;

/// One of everything, with vector spaces to merge.
fn everything() -> Manifold {
    Manifold::new([
        Factor::Euclidean(1),
        Factor::Euclidean(2),
        Factor::Rotation,
        Factor::Euclidean(0),
        Factor::RigidMotion,
        Factor::UnitQuaternion,
        Factor::Euclidean(1),
    ])
}

fn point(seed: f64) -> Vec<f64> {
    let m = everything();
    let mut origin = vec![0.0; NQ];
    m.identity(&mut origin);
    let u: Vec<f64> = (0..NV).map(|i| f64::sin(seed + 2.0 * i as f64)).collect();
    let mut q = vec![0.0; NQ];
    m.retract(&origin, &u, &mut q);
    q
}

fn increment(seed: f64) -> Vec<f64> {
    (0..NV).map(|i| f64::cos(seed + 1.7 * i as f64)).collect()
}

#[test]
fn shape() {
    let m = everything();
    assert_eq!((m.coordinates(), m.dimension()), (NQ, NV));
    assert!(!m.is_euclidean());
    let ranges: Vec<_> = m.factor_ranges().collect();
    assert_eq!(
        ranges,
        [
            (Factor::Euclidean(3), 0, 0),
            (Factor::Rotation, 3, 3),
            (Factor::RigidMotion, 12, 6),
            (Factor::UnitQuaternion, 24, 12),
            (Factor::Euclidean(1), 28, 15),
        ]
    );
    assert_eq!(m.factors().len(), ranges.len());
    let plane = Manifold::euclidean(2);
    assert!(plane.is_euclidean());
    assert_eq!(plane, Manifold::new([Factor::Euclidean(1); 2]));
    let empty = Manifold::euclidean(0);
    assert_eq!((empty.coordinates(), empty.dimension()), (0, 0));
    assert!(empty.is_euclidean() && empty.check(&[]).is_ok());
}

#[test]
fn lift_inverts_retract() {
    let m = everything();
    for seed in [0.0, 1.0, 2.0, 3.0] {
        let (q, u) = (point(seed), increment(seed));
        let (mut to, mut back) = (vec![0.0; NQ], vec![0.0; NV]);
        m.retract(&q, &u, &mut to);
        assert!(m.check(&to).is_ok());
        m.lift(&q, &to, &mut back);
        assert_close("lift", &back, &u, 1e-14);
        m.lift(&q, &q, &mut back);
        assert_close("lift to itself", &back, &[0.0; NV], 1e-15);
        let mut displaced = vec![0.0; NQ];
        m.displace(&q, &u, &mut displaced);
        assert_close("displace", &displaced, &to, 1e-15);
    }
}

#[test]
fn tangents_are_derivatives_of_retractions() {
    let m = everything();
    let q = point(0.7);
    for index in 0..NV {
        let mut u = vec![Dual::<1>::constant(0.0); NV];
        u[index] = Dual::variable(0.0, 0);
        let mut moved = vec![Dual::constant(0.0); NQ];
        m.displace(&q, &u, &mut moved);
        let mut rates = vec![0.0; NQ];
        m.tangent(&q, index, |coordinate, rate| rates[coordinate] += rate);
        let expected: Vec<f64> = moved.iter().map(|moved| moved.gradient[0]).collect();
        assert_close("tangent", &rates, &expected, 1e-15);
    }
}

/// `q hat(v)^k` of every factor, from dense matrices; `k` is one or two.
fn moved(q: &[f64], v: &[f64], k: usize) -> Vec<f64> {
    let once = k == 1;
    let mut out = vec![0.0; NQ];
    let power = |omega: &[f64]| {
        if once {
            skew(omega)
        } else {
            skew(omega) * skew(omega)
        }
    };
    let mut turn = |at: usize, omega: &[f64]| {
        let r = Matrix3::from_row_slice(&q[at..at + 9]) * power(omega);
        for i in 0..9 {
            out[at + i] = r[(i / 3, i % 3)];
        }
    };
    turn(3, &v[3..6]);
    turn(15, &v[9..12]);
    // Rigid motion: hat = [hat(omega) v; 0 0], its square has hat(omega) v as last column.
    let v3 = nalgebra::Vector3::from_column_slice(&v[6..9]);
    let body = if once { v3 } else { skew(&v[9..12]) * v3 };
    let shift = Matrix3::from_row_slice(&q[15..24]) * body;
    out[12..15].copy_from_slice(shift.as_slice());
    // Quaternion: p (0, omega/2), and (0, omega/2)^2 = -|omega|^2/4.
    let (p, omega) = (&q[24..28], &v[12..15]);
    if once {
        let half: Vec<f64> = omega.iter().map(|x| x / 2.0).collect();
        out[24] = -(p[1] * half[0] + p[2] * half[1] + p[3] * half[2]);
        let vector = skew(&p[1..]) * nalgebra::Vector3::from_column_slice(&half);
        for i in 0..3 {
            out[25 + i] = p[0] * half[i] + vector[i];
        }
    } else {
        let square: f64 = omega.iter().map(|x| x * x).sum();
        for i in 0..4 {
            out[24 + i] = -p[i] * square / 4.0;
        }
    }
    if once {
        out[..3].copy_from_slice(&v[..3]);
        out[28] = v[15];
    }
    out
}

#[test]
fn displacements_have_exact_derivatives_at_zero() {
    let m = everything();
    let (q, v) = (point(0.4), increment(0.9));
    let u: Vec<Taylor2> = v.iter().map(|&v| Taylor2::new(0.0, v, 0.0)).collect();
    let mut out = vec![Taylor2::constant(0.0); NQ];
    m.displace(&q, &u, &mut out);
    let pick = |f: fn(&Taylor2) -> f64| out.iter().map(f).collect::<Vec<_>>();
    assert_eq!(pick(|x| x.value), q, "the base point is reproduced exactly");
    assert_close("first", &pick(|x| x.first), &moved(&q, &v, 1), 1e-15);
    assert_close("second", &pick(|x| x.second), &moved(&q, &v, 2), 4e-15);
}

#[test]
fn displacements_have_exact_mixed_derivatives_at_zero() {
    // By polarization: d2 exp(a v + b w) = (hat(v) hat(w) + hat(w) hat(v))/2.
    type Mixed = Dual<2, Dual<2>>;
    let m = everything();
    let (q, v, w) = (point(0.4), increment(0.9), increment(-2.0));
    let u: Vec<Mixed> = (0..NV)
        .map(|i| Dual::new(Dual::new(0.0, [v[i], w[i]]), [v[i].into(), w[i].into()]))
        .collect();
    let mut out = vec![Mixed::constant(0.0); NQ];
    m.displace(&q, &u, &mut out);
    let (sum, difference): (Vec<f64>, Vec<f64>) = (
        v.iter().zip(&w).map(|(v, w)| v + w).collect(),
        v.iter().zip(&w).map(|(v, w)| v - w).collect(),
    );
    let (plus, minus) = (moved(&q, &sum, 2), moved(&q, &difference, 2));
    let mixed: Vec<f64> = plus
        .iter()
        .zip(&minus)
        .map(|(a, b)| (a - b) / 4.0)
        .collect();
    let pick = |i: usize, j: usize| -> Vec<f64> {
        out.iter().map(|x| x.gradient[i].gradient[j]).collect()
    };
    assert_close("vw", &pick(0, 1), &mixed, 4e-15);
    assert_close("wv", &pick(1, 0), &mixed, 4e-15);
    assert_close("vv", &pick(0, 0), &moved(&q, &v, 2), 4e-15);
    assert_close("ww", &pick(1, 1), &moved(&q, &w, 2), 4e-15);
    let first: Vec<f64> = out.iter().map(|x| x.gradient[1].value).collect();
    assert_close("w", &first, &moved(&q, &w, 1), 1e-15);
}

#[test]
fn checks_name_the_factor() {
    let m = everything();
    let q = point(0.3);
    assert_eq!(m.check(&q), Ok(()));
    assert_eq!(
        m.check(&q[1..]),
        Err(ManifoldError::Length {
            expected: NQ,
            found: NQ - 1
        })
    );
    for (coordinate, index, factor) in [
        (1, 0, Factor::Euclidean(3)),
        (7, 1, Factor::Rotation),
        (13, 2, Factor::RigidMotion),
        (26, 3, Factor::UnitQuaternion),
        (28, 4, Factor::Euclidean(1)),
    ] {
        for bad in [f64::NAN, f64::INFINITY] {
            let mut q = q.clone();
            q[coordinate] = bad;
            assert_eq!(
                m.check(&q),
                Err(ManifoldError::NotFinite {
                    index,
                    factor,
                    coordinate
                })
            );
            assert!(m.defect(&q).is_nan());
        }
    }
    for (coordinate, expected) in [(7, 1), (20, 2), (24, 3)] {
        let mut q = q.clone();
        q[coordinate] += 1e-3;
        let error = m.check(&q).unwrap_err();
        assert!(
            matches!(error, ManifoldError::OffGroup { index, defect, .. }
                if index == expected && defect > 1e-5 && defect < 1e-2),
            "{error}"
        );
        assert!(error.to_string().contains(&format!("factor {expected}")));
        m.normalize(&mut q);
        assert!(m.check(&q).is_ok() && m.defect(&q) < 4e-15);
    }
    let mut mirrored = q.clone();
    for x in &mut mirrored[3..12] {
        *x = -*x;
    }
    assert!(matches!(
        m.check(&mirrored),
        Err(ManifoldError::OffGroup { index: 1, .. })
    ));
    // Finite, but its square is not.
    let mut huge = q;
    huge[3] = 1e200;
    assert!(m.check(&huge).is_err());
}

#[test]
fn normalizing_is_idempotent() {
    let m = everything();
    let mut q = point(0.3);
    for (i, x) in q.iter_mut().enumerate() {
        *x += 1e-4 * f64::sin(3.0 * i as f64);
    }
    let vectors = [q[0], q[13], q[28]];
    m.normalize(&mut q);
    assert!(m.defect(&q) < 2e-15);
    assert_eq!(vectors, [q[0], q[13], q[28]], "positions are not touched");
    let once = q.clone();
    m.normalize(&mut q);
    assert_eq!(once, q);
}

fn vector() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.5..1.5_f64, NV)
}

fn apply(f: impl FnOnce(&mut [f64])) -> Vec<f64> {
    let mut out = vec![0.0; NV];
    f(&mut out);
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #[test]
    fn differentials_invert_and_transpose(u in vector(), x in vector(), y in vector()) {
        let m = everything();
        let image = apply(|out| m.dexp(&u, &x, out));
        let back = apply(|out| m.dexp_inverse(&u, &image, out));
        assert_close("inverse", &back, &x, 1e-13);
        let pulled = apply(|out| m.dexp_transpose(&u, &y, out));
        prop_assert!((dot(&image, &y) - dot(&x, &pulled)).abs() < 1e-13);
        let restored = apply(|out| m.dexp_inverse_transpose(&u, &pulled, out));
        assert_close("inverse of the transpose", &restored, &y, 1e-13);
        let (bracket, transposed) = (
            apply(|out| m.bracket(&u, &x, out)),
            apply(|out| m.bracket_transpose(&u, &y, out)),
        );
        prop_assert!((dot(&bracket, &y) - dot(&x, &transposed)).abs() < 1e-13);
    }

    #[test]
    fn brackets_are_a_lie_algebra(a in vector(), b in vector(), c in vector()) {
        let m = everything();
        let bracket = |a: &[f64], b: &[f64]| apply(|out| m.bracket(a, b, out));
        let (ab, ba) = (bracket(&a, &b), bracket(&b, &a));
        let negative: Vec<f64> = ba.iter().map(|x| -x).collect();
        assert_close("antisymmetric", &ab, &negative, 1e-15);
        let cyclic = [
            bracket(&a, &bracket(&b, &c)),
            bracket(&b, &bracket(&c, &a)),
            bracket(&c, &bracket(&a, &b)),
        ];
        let sum: Vec<f64> = (0..NV).map(|i| cyclic.iter().map(|x| x[i]).sum()).collect();
        assert_close("Jacobi", &sum, &[0.0; NV], 1e-13);
    }

    #[test]
    fn velocity_of_a_retraction(u in vector(), rate in vector()) {
        // d/dt (q exp(u)) = (q exp(u)) hat(dexp(u) rate), read off with a second displacement.
        let m = everything();
        let q = point(1.3);
        let path: Vec<Dual<1>> = u.iter().zip(&rate).map(|(&u, &r)| Dual::new(u, [r])).collect();
        let mut moving = vec![Dual::<1>::constant(0.0); NQ];
        m.displace(&q, &path, &mut moving);
        let at: Vec<f64> = moving.iter().map(|x| x.value).collect();
        let slope: Vec<f64> = moving.iter().map(|x| x.gradient[0]).collect();
        let velocity = apply(|out| m.dexp(&u, &rate, out));
        assert_close("velocity", &slope, &moved(&at, &velocity, 1), 1e-13);
        // The generic base point moves along when it carries the derivatives.
        let fixed: Vec<Dual<1>> = velocity.iter().map(|_| Dual::constant(0.0)).collect();
        let mut again = vec![Dual::<1>::constant(0.0); NQ];
        m.retract(&moving, &fixed, &mut again);
        let same: Vec<f64> = again.iter().map(|x| x.gradient[0]).collect();
        assert_close("carried", &same, &slope, 1e-14);
    }
}
