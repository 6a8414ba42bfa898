//! The coefficient functions against 40-digit values, across the switch of branches.

use num_traits::Zero;

use super::super::series::{
    SERIES_LIMIT, arctangent_ratio, half_angle, inverse_coefficient, inverse_coefficient_and_slope,
    stumpff, stumpff_closed, stumpff_series,
};
use crate::scalar::{Dual, Taylor2};

/// `t`, `[c_1, ..., c_6]`, `e`, `de/dt`, summed with 60 digits (mpmath).
#[rustfmt::skip]
const KNOWN: [(f64, [f64; 6], f64, f64); 15] = [
    (0.0, [1.0, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889], 0.08333333333333333, 0.001388888888888889),
    (1e-300, [1.0, 0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333, 0.001388888888888889], 0.08333333333333333, 0.001388888888888889),
    (1e-9, [0.9999999998333333, 0.49999999995833333, 0.16666666665833332, 0.041666666665277775, 0.00833333333313492, 0.0013888888888640874], 0.08333333333472222, 0.0013888888889550264),
    (1e-5, [0.9999983333341667, 0.4999995833334722, 0.16666658333335319, 0.041666652777780255, 0.008333331349206625, 0.0013888886408730435], 0.08333334722222553, 0.0013888895502647983),
    (0.01, [0.9983341664682815, 0.4995834721974234, 0.1665833531718477, 0.041652780257660955, 0.008331349481897348, 0.0013886409005711047], 0.08334722552992746, 0.001389550512649671),
    (0.3, [0.9507446651178117, 0.487624332584221, 0.1641844496072943, 0.041252224719263285, 0.008274056864574539, 0.0013814731580112675], 0.08375299868230038, 0.00140895564930346),
    (1.0, [0.8414709848078965, 0.4596976941318603, 0.1585290151921035, 0.040302305868139716, 0.008137651474563173, 0.0013643607985269492], 0.08475613914377404, 0.0014575928456183325),
    (3.9, [0.465595831131255, 0.35721570300131944, 0.13702670996634486, 0.0366113582047899, 0.007599988897518411, 0.0012962329389427621], 0.08930737509673449, 0.0016901952527955096),
    (3.9999, [0.45465959841923054, 0.3540398769567607, 0.13633850885791382, 0.03649094303438569, 0.007582229007913408, 0.001293963257151674], 0.08947667609329821, 0.0016992266520874186),
    (4.0, [0.45464871341284085, 0.3540367091367856, 0.1363378216467898, 0.0364908227158036, 0.0075822112549692195, 0.0012939609877157664], 0.08947684601641732, 0.0016992357303663318),
    (4.1, [0.44382562612090126, 0.3508800439554022, 0.13565228631197532, 0.036370720986487276, 0.007564483013339355, 0.0012916940683364376], 0.08964722477491041, 0.001708352171417848),
    (9.0, [0.04704000268662241, 0.2211102774000495, 0.10588444414593084, 0.030987746955550056, 0.0067535802800817585, 0.0011865466345685122], 0.09929197039400237, 0.0022696748489168823),
    (25.0, [-0.1917848549326277, 0.02865351258147095, 0.04767139419730511, 0.018853859496741163, 0.004759810898774463, 0.0009125122867970201], 0.17386481283041513, 0.009682597800452736),
    (100.0, [-0.05440211108893698, 0.018390715290764525, 0.01054402111088937, 0.004816092847092355, 0.001561226455557773, 0.0003685057381957431], 0.024790645776637275, 0.0011854283723617927),
    (900.0, [-0.03293438746976206, 0.0009397206112360178, 0.0011477048749664023, 0.0005545114215430711, 0.00018390995754633362, 4.568017249458177e-05], 0.0205816661983084, 0.00031638860364100347),
];

#[track_caller]
fn assert_relative(what: &str, t: f64, found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance * expected.abs(),
        "{what} at {t}: {found:e} is not {expected:e}"
    );
}

#[test]
fn values_are_accurate_to_rounding() {
    for (t, c, e, slope) in KNOWN {
        let found: [f64; 6] = stumpff(t);
        for k in 0..6 {
            // The sine of a large angle has the absolute error of the rounded angle.
            let conditioning = 1.0 + t.sqrt();
            assert_relative("c", t, found[k], c[k], 4e-15 * conditioning);
        }
        assert_relative("e", t, inverse_coefficient(t), e, 2e-14);
        let (again, found) = inverse_coefficient_and_slope(t);
        assert_relative("e", t, again, e, 2e-14);
        assert_relative("de/dt", t, found, slope, 1e-13);
    }
}

#[test]
fn branches_agree_around_the_switch() {
    for t in [3.5, 3.9, SERIES_LIMIT - 1e-9, SERIES_LIMIT, 4.1, 4.5] {
        let by_series: [Taylor2; 6] = stumpff_series(Taylor2::variable(t));
        let closed: [Taylor2; 6] = stumpff_closed(Taylor2::variable(t));
        for k in 0..6 {
            let (a, b) = (by_series[k], closed[k]);
            assert_relative("value", t, a.value, b.value, 1e-13);
            assert_relative("first", t, a.first, b.first, 1e-12);
            assert_relative("second", t, a.second, b.second, 1e-11);
        }
    }
    let (below, above) = (SERIES_LIMIT * (1.0 - 1e-15), SERIES_LIMIT);
    assert_relative(
        "e",
        below,
        inverse_coefficient(below),
        inverse_coefficient(above),
        1e-14,
    );
    let (_, a) = inverse_coefficient_and_slope(below);
    let (_, b) = inverse_coefficient_and_slope(above);
    assert_relative("de/dt", below, a, b, 1e-13);
    for t in [4.0 * SERIES_LIMIT * (1.0 - 1e-15), 4.0 * SERIES_LIMIT] {
        let (cos, ratio) = half_angle(t);
        assert_relative("cos", t, cos, 2f64.cos(), 1e-14);
        assert_relative("sin", t, ratio, 2f64.sin() / 4.0, 1e-14);
    }
}

#[test]
fn derivatives_satisfy_the_recurrence() {
    // d c_k/dt = (k c_{k+2} - c_{k+1})/2, once and, differentiated, twice.
    for t in [
        0.0, 1e-300, 1e-12, 9.9e-6, 1.1e-5, 0.0099, 0.011, 0.29, 0.31, 1.0, 3.99, 4.01, 30.0, 200.0,
    ] {
        let c: [Taylor2; 8] = stumpff(Taylor2::variable(t));
        for k in 1..=6 {
            let slope = (k as f64 * c[k + 1].value - c[k].value) / 2.0;
            let second = (k as f64 * c[k + 1].first - c[k].first) / 2.0;
            // Relative to the function itself, since derivatives have zeros at large angles.
            let scale = c[k - 1].value.abs().max(1e-2);
            assert!(
                (c[k - 1].first - slope).abs() <= 1e-13 * scale,
                "c_{k}' at {t}"
            );
            assert!(
                (c[k - 1].second - second).abs() <= 2e-13 * scale,
                "c_{k}'' at {t}"
            );
        }
        let (e, slope) =
            inverse_coefficient_and_slope(Dual::<1, Dual<1>>::variable(Dual::variable(t, 0), 0));
        let scale = e.value.value.abs();
        assert!(
            (e.gradient[0].value - slope.value.value).abs() <= 1e-12 * scale,
            "e' at {t}"
        );
        assert!(
            (e.gradient[0].gradient[0] - slope.value.gradient[0]).abs() <= 1e-12 * scale,
            "e'' at {t}"
        );
    }
}

#[test]
fn halving_the_angle_is_consistent() {
    // c_1(t) = c_1(t/4) cos(a/2) and c_2(t) = c_1(t/4)^2/2: half-angle formulas link the branches.
    for i in 0..400 {
        let t = 0.05 * f64::from(i);
        let [c1, c2]: [f64; 2] = stumpff(t);
        let [h1, h2]: [f64; 2] = stumpff(t / 4.0);
        let cos = 1.0 - h2 * t / 4.0;
        assert!((c1 - h1 * cos).abs() <= 1e-15, "{t}");
        assert!((c2 - h1 * h1 / 2.0).abs() <= 1e-15, "{t}");
    }
}

#[test]
fn arctangent_by_series() {
    for x in [0.0, 1e-300, 1e-8, 9e-7, 1.1e-6, 1e-3, 0.04_f64] {
        let r = x.sqrt();
        let expected = if r == 0.0 { 1.0 } else { r.atan() / r };
        assert_relative("ratio", x, arctangent_ratio(x), expected, 4e-16);
    }
    // 1 - x/3 + x^2/5: derivatives at zero.
    let at_zero = arctangent_ratio(Taylor2::<f64>::variable(0.0));
    assert_eq!(at_zero.first, -1.0 / 3.0);
    assert_eq!(at_zero.second, 2.0 / 5.0);
}

#[test]
fn bad_numbers_stay_bad() {
    for t in [f64::NAN, f64::INFINITY] {
        let c: [f64; 3] = stumpff(t);
        assert!(c[0].is_nan() && inverse_coefficient(t).is_nan() && half_angle(t).0.is_nan());
    }
    assert!(inverse_coefficient(Dual::<1>::zero()).value > 0.0);
}
