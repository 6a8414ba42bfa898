//! Jacobi's elliptic functions by the arithmetic-geometric mean (Abramowitz and Stegun 1964, 16.4 and 17.6).

/// More than enough: the mean converges quadratically.
const LEVELS: usize = 12;

/// The means a_n and the ratios c_n / a_n from the modulus k and its complement sqrt(1 - k^2), both given because one
/// of them cannot be had accurately from the other.
fn means(k: f64, complement: f64) -> ([f64; LEVELS], [f64; LEVELS], usize) {
    let (mut a, mut b, mut c) = (1.0, complement, k);
    let (mut all, mut ratios) = ([1.0; LEVELS], [k; LEVELS]);
    let mut last = 0;
    while last + 1 < LEVELS && f64::abs(c / a) > 1e-17 {
        c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
        last += 1;
        all[last] = a;
        ratios[last] = c / a;
    }
    (all, ratios, last)
}

/// The complete elliptic integral of the first kind K(k), for `complement` = sqrt(1 - k^2) > 0.
pub(crate) fn complete_integral(k: f64, complement: f64) -> f64 {
    let (all, _, last) = means(k, complement);
    std::f64::consts::FRAC_PI_2 / all[last]
}

/// sn, cn and dn of the argument `u` and modulus `k` in [0, 1), with `complement` = sqrt(1 - k^2).
pub(crate) fn sn_cn_dn(u: f64, k: f64, complement: f64) -> (f64, f64, f64) {
    let (all, ratios, last) = means(k, complement);
    let period = 4.0 * std::f64::consts::FRAC_PI_2 / all[last];
    let u = u - period * (u / period).round();
    let mut phase = f64::from(1_u32 << last) * all[last] * u;
    for ratio in ratios[1..=last].iter().rev() {
        phase = 0.5 * (phase + (ratio * phase.sin()).asin());
    }
    let (sn, cn) = phase.sin_cos();
    (sn, cn, cn.hypot(complement * sn))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from mpmath 1.3: ellipfun and ellipk with 30 digits.
    #[test]
    fn against_mpmath() {
        let k = std::f64::consts::FRAC_1_SQRT_2;
        assert!((complete_integral(k, k) - 1.854_074_677_301_371_9).abs() < 1e-15);
        for (u, k, sn, cn, dn) in SAMPLES {
            let found = sn_cn_dn(u, k, ((1.0 - k) * (1.0 + k)).sqrt());
            for (found, expected) in [(found.0, sn), (found.1, cn), (found.2, dn)] {
                assert!(
                    (found - expected).abs() < 5e-15,
                    "{u} {k}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn circular_functions_at_modulus_zero() {
        let (sn, cn, dn) = sn_cn_dn(1.3, 0.0, 1.0);
        assert!(
            (sn - 1.3_f64.sin()).abs() < 1e-15 && (cn - 1.3_f64.cos()).abs() < 1e-15 && dn == 1.0
        );
    }

    #[allow(clippy::excessive_precision)]
    const SAMPLES: [(f64, f64, f64, f64, f64); 5] = [
        (
            0.5,
            0.5,
            0.47508293602853651,
            0.87994102296375834,
            0.97137739883817884,
        ),
        (
            -1.7,
            0.9,
            -0.96520491586387397,
            0.261494685208346,
            0.49536589609872383,
        ),
        (
            3.2,
            std::f64::consts::FRAC_1_SQRT_2,
            0.47751030696761357,
            -0.87862614731163985,
            0.94127145572881775,
        ),
        (
            11.0,
            0.3,
            -0.97019276619160669,
            -0.2423344722268757,
            0.95670546129864497,
        ),
        (
            2.5,
            0.999,
            0.98707010215480502,
            0.16028915569090373,
            0.16625358311282198,
        ),
    ];
}
