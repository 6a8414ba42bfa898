//! Murua's partitioned half-explicit method of order 5 for index-2 problems: A. Murua, BIT Numer. Math. 37 (1997), doi:10.1007/BF02510415
//!
//! Its explicit stages, weights and embedded weights are those of Dormand and Prince ([`super::dopri5`]).

use super::dopri5::STAGES as SLOTS;

/// Nodes at which the constraints fix the multipliers of the stages.
pub const CONSTRAINT_C: [f64; SLOTS] =
    [0.0, 3.0 / 10.0, 3.0 / 8.0, 5.0 / 7.0, 1.0, 1.0, 19.0 / 30.0];

/// Coefficients of these points, lower triangular.
pub const CONSTRAINT_A: [[f64; SLOTS]; SLOTS] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0, 0.0, 0.0, 0.0, 0.0],
    [
        19235.0 / 98784.0,
        -225.0 / 392.0,
        6235.0 / 6174.0,
        2755.0 / 32928.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -293.0 / 1152.0,
        85.0 / 48.0,
        -2275.0 / 1908.0,
        35.0 / 32.0,
        -2835.0 / 6784.0,
        0.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
        0.0,
    ],
    [
        10752038939.0 / 66307507200.0,
        -19259.0 / 50160.0,
        19581770468.0 / 24023520675.0,
        9941999.0 / 650073600.0,
        180060831.0 / 4820710400.0,
        -11331659.0 / 439538400.0,
        1.0 / 76.0,
    ],
];

/// Where dense output has its additional value.
pub const THETA: f64 = 19.0 / 30.0;

/// Weights of that value, of order 4.
pub const AT_THETA: [f64; SLOTS] = [
    1812923.0 / 20736000.0,
    0.0,
    45847.0 / 100170.0,
    56677.0 / 414720.0,
    -289161.0 / 13568000.0,
    -67507.0 / 4536000.0,
    -3971.0 / 324000.0,
];
