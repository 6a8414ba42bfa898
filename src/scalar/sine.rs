//! Sine and cosine of a double in one go, without a call: some ninety instructions, half of that where angles come together.
//!
//! Reduction to [-π/4, π/4] by Cody and Waite with π/2 in parts, then the polynomials of fdlibm (Sun Microsystems 1993; FreeBSD
//! `e_rem_pio2.c`, `k_sin.c`, `k_cos.c`): errors below one unit in the last place. Nothing depends on the processor, whereas C
//! libraries choose fused operations where there are any.

use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::FRAC_2_PI;
use std::sync::LazyLock;

/// Beyond this, products with the first part of π/2 are not exact.
const LARGEST: f64 = 1e6;

/// π/2 in parts of 33 bits, then what is left.
const FIRST: f64 = f64::from_bits(0x3ff9_21fb_5440_0000);
const SECOND: f64 = f64::from_bits(0x3dd0_b461_1a60_0000);
const REST: f64 = f64::from_bits(0x3ba3_198a_2e03_7073);

/// Nearer to a multiple of π/2 than this part of it, more digits of π would be needed.
const NEAR: f64 = 1e-9;

/// Adding it leaves a whole number in the last bits.
const WHOLE: f64 = 1.5 / f64::EPSILON;

const SINE: [f64; 6] = [
    f64::from_bits(0xbfc5_5555_5555_5549),
    f64::from_bits(0x3f81_1111_1110_f8a6),
    f64::from_bits(0xbf2a_01a0_19c1_61d5),
    f64::from_bits(0x3ec7_1de3_57b1_fe7d),
    f64::from_bits(0xbe5a_e5e6_8a2b_9ceb),
    f64::from_bits(0x3de5_d93a_5acf_d57c),
];

const COSINE: [f64; 6] = [
    f64::from_bits(0x3fa5_5555_5555_554c),
    f64::from_bits(0xbf56_c16c_16c1_5177),
    f64::from_bits(0x3efa_01a0_19cb_1590),
    f64::from_bits(0xbe92_7e4f_809c_52ad),
    f64::from_bits(0x3e21_ee9e_bdb4_b1c4),
    f64::from_bits(0xbda8_fae9_be88_38d4),
];

/// `(sin x, cos x)`.
#[inline]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let (sine, cosine, good) = reduced(x);
    if good { (sine, cosine) } else { x.sin_cos() }
}

/// `(sin x, cos x)` of each. It is inlined so that angles stay in registers: whole vectors would wait for single
/// numbers that have just been stored.
#[inline(always)]
pub(super) fn sin_cos_all<const N: usize>(angles: [f64; N]) -> [(f64, f64); N] {
    // Each number waits for the one before it, and two vectors take as long as one.
    if N <= 4 {
        return ARCH.dispatch(Angles::<N, 4>(angles));
    }
    if N <= 8 {
        return ARCH.dispatch(Angles::<N, 8>(angles));
    }
    let mut results = [(0.0, 0.0); N];
    for (results, angles) in results.chunks_mut(8).zip(angles.chunks(8)) {
        let pairs = ARCH.dispatch(Angles::<8, 8>(padded(angles)));
        results.copy_from_slice(&pairs[..results.len()]);
    }
    results
}

/// The angles, and any others in the places that are left.
#[inline(always)]
fn padded<const LANES: usize>(angles: &[f64]) -> [f64; LANES] {
    let mut lanes = [1.0; LANES];
    for (lane, angle) in lanes.iter_mut().zip(angles) {
        *lane = *angle;
    }
    lanes
}

/// What this processor can do.
static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// `N` angles, padded to so many lanes. Compiled for several processors; no product is fused with a sum, so that all of them give the same
/// results.
struct Angles<const N: usize, const LANES: usize>([f64; N]);

impl<const N: usize, const LANES: usize> WithSimd for Angles<N, LANES> {
    type Output = [(f64, f64); N];
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> [(f64, f64); N] {
        debug_assert!(N <= LANES, "angles without a lane would be lost");
        if S::F64_LANES == 1 {
            return one_by_one(self.0);
        }
        let angles: [f64; LANES] = padded(&self.0);
        let (mut sines, mut cosines, mut bad) = ([0.0; LANES], [0.0; LANES], 0);
        for lane in 0..LANES {
            let good;
            (sines[lane], cosines[lane], good) = reduced(angles[lane]);
            bad |= u64::from(!good);
        }
        if bad != 0 {
            return one_by_one(self.0);
        }
        let mut pairs = [(0.0, 0.0); N];
        for (pair, both) in pairs.iter_mut().zip(sines.into_iter().zip(cosines)) {
            *pair = both;
        }
        pairs
    }
}

/// Without vectors.
#[inline(never)]
fn one_by_one<const K: usize>(angles: [f64; K]) -> [(f64, f64); K] {
    angles.map(sin_cos)
}

/// Sine, cosine, and whether they are right: not of large numbers, nor next to a multiple of π/2.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, bool) {
    let shifted = x * FRAC_2_PI + WHOLE;
    let times = shifted - WHOLE;
    // x - n π/2 as a sum of two numbers.
    let rough = x - times * FIRST;
    let finer = rough - times * SECOND;
    let lost = times * REST - ((rough - finer) - times * SECOND);
    let high = finer - lost;
    let low = (finer - high) - lost;
    // Written so that NaN is not good.
    let good = (x.abs() <= LARGEST) & (high.abs() >= NEAR * times.abs());
    let z = high * high;
    let [s1, s2, s3, s4, s5, s6] = SINE;
    let cube = z * high;
    let r = s2 + z * (s3 + z * (s4 + z * (s5 + z * s6)));
    let sine = high - ((z * (0.5 * low - cube * r) - low) - cube * s1);
    let [c1, c2, c3, c4, c5, c6] = COSINE;
    let r = z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * (c5 + z * c6)))));
    let half = 0.5 * z;
    let rest = 1.0 - half;
    let cosine = rest + (((1.0 - rest) - half) + (z * r - high * low));
    // Quarter turns exchange both, and change signs.
    let quarter = shifted.to_bits();
    let (a, b) = if quarter & 1 == 0 {
        (sine, cosine)
    } else {
        (cosine, sine)
    };
    let sign = |value: f64, negative: u64| f64::from_bits(value.to_bits() ^ (negative << 63));
    (
        sign(a, (quarter >> 1) & 1),
        sign(b, (quarter.wrapping_add(1) >> 1) & 1),
        good,
    )
}

#[cfg(test)]
mod tests {
    use super::{sin_cos, sin_cos_all};

    /// Within one unit in the last place of the C library's, which is within half of one and a little.
    #[test]
    fn it_is_the_sine_of_the_standard_library_but_for_rounding() {
        let whole = (-2000..2000).map(f64::from);
        let angles = whole.flat_map(|n| {
            let quarter = n * std::f64::consts::FRAC_PI_2;
            [
                n * 0.37,
                n * 0.013,
                n * 499.9,
                quarter,
                quarter * (1.0 + 1e-12),
                n * 1e-7,
                n * 1e9,
            ]
        });
        for x in angles.chain([0.0, -0.0, 1e-300, f64::INFINITY, f64::NAN]) {
            let ((sin, cos), (known_sin, known_cos)) = (sin_cos(x), x.sin_cos());
            let [one, other] = sin_cos_all([x, 1.0]);
            let (few, eight, many) = (
                sin_cos_all([x; 7]),
                sin_cos_all([x; 8]),
                sin_cos_all([x; 11]),
            );
            for pair in few.into_iter().chain(eight).chain(many) {
                assert_eq!(
                    [pair.0, pair.1].map(f64::to_bits),
                    [one.0, one.1].map(f64::to_bits)
                );
            }
            assert_eq!(other, sin_cos(1.0));
            for (own, known) in [(sin, known_sin), (cos, known_cos)] {
                let unit = f64::EPSILON * known.abs();
                let same = own == known || (own.is_nan() && known.is_nan());
                assert!(same || (own - known).abs() <= unit, "{x}: {own} {known}");
                assert!(own.is_nan() || own.is_sign_negative() == known.is_sign_negative());
            }
        }
    }
}
