//! Dormand and Prince's method with the step-size control of Hairer's DOPRI5, for one mechanism.

// Arithmetic on arrays of one length reads best by its indices.
#![allow(clippy::needless_range_loop)]

mod elimination;

use elimination::{ANGLES, accelerations};
use liedae::system::Model;
use liedae_problems::andrews::Andrews;

/// Seven angles and a zero, seven velocities and a zero.
type State = [f64; 16];

const VELOCITIES: usize = 8;
const STAGES: usize = 7;
const T_END: f64 = 0.03;
/// Given, whereas liedae looks for its own, and refuses steps by another exponent: steps differ by one.
const FIRST_STEP: f64 = 1e-5;

const A: [[f64; STAGES - 1]; STAGES - 1] = [
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];

const ERROR: [f64; STAGES] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// What a run came to.
pub struct Solution {
    pub accepted: usize,
    pub rejected: usize,
    /// The first angle in rad.
    pub end: f64,
}

#[inline(always)]
fn rate(model: &Andrews, y: &State) -> State {
    let (q, v) = (
        std::array::from_fn(|i| y[i]),
        std::array::from_fn(|i| y[VELOCITIES + i]),
    );
    let mut rates = [0.0; 16];
    rates[..ANGLES].copy_from_slice(&v);
    rates[VELOCITIES..VELOCITIES + ANGLES].copy_from_slice(&accelerations(model, &q, &v));
    rates
}

/// The point of the stage that follows `N` known ones.
#[inline(always)]
fn stage<const N: usize>(y: &State, rates: &[State; STAGES], h: f64) -> State {
    let weights: [f64; N] = std::array::from_fn(|j| h * A[N - 1][j]);
    std::array::from_fn(|i| {
        let mut sum = y[i];
        for j in 0..N {
            sum += weights[j] * rates[j][i];
        }
        sum
    })
}

/// To the end, with this relative and absolute tolerance.
pub fn solve(model: &Andrews, tolerance: f64) -> Solution {
    let mut y = [0.0; 16];
    y[..ANGLES].copy_from_slice(&model.initial_state().q);
    let (mut t, mut h, mut error_before) = (0.0, FIRST_STEP, 1e-4_f64);
    let mut k = [[0.0; 16]; STAGES];
    k[0] = rate(model, &y);
    let (mut accepted, mut rejected, mut may_grow) = (0, 0, true);
    loop {
        let last = t + 1.01 * h >= T_END;
        if last {
            h = T_END - t;
        }
        k[1] = rate(model, &stage::<1>(&y, &k, h));
        k[2] = rate(model, &stage::<2>(&y, &k, h));
        k[3] = rate(model, &stage::<3>(&y, &k, h));
        k[4] = rate(model, &stage::<4>(&y, &k, h));
        k[5] = rate(model, &stage::<5>(&y, &k, h));
        let next = stage::<6>(&y, &k, h);
        k[6] = rate(model, &next);
        let mut squares = 0.0;
        for i in 0..y.len() {
            let sum: f64 = (0..STAGES).map(|j| ERROR[j] * k[j][i]).sum();
            let size = tolerance + tolerance * y[i].abs().max(next[i].abs());
            squares += (h * sum / size) * (h * sum / size);
        }
        let error = (squares / (2 * ANGLES) as f64).sqrt();
        assert!(error.is_finite(), "the step at {t} failed");
        let by_error = error.powf(0.2 - 0.04 * 0.75);
        if error > 1.0 {
            rejected += usize::from(accepted > 0);
            h /= (by_error / 0.9).min(5.0);
            may_grow = false;
            continue;
        }
        accepted += 1;
        if last {
            let end = next[0];
            return Solution {
                accepted,
                rejected,
                end,
            };
        }
        let proposed = h / (by_error / error_before.powf(0.04) / 0.9).clamp(0.1, 5.0);
        t += h;
        h = if may_grow { proposed } else { proposed.min(h) };
        (y, k[0], error_before, may_grow) = (next, k[6], error.max(1e-4), true);
    }
}
