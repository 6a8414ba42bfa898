//! Published results: runs with their steps, and end values with their digits.

/// A published run: its problem, its settings, its steps.
pub(super) struct PublishedRun {
    /// The code.
    pub code: &'static str,
    pub problem: &'static str,
    /// The problem in words.
    pub title: &'static str,
    pub settings: &'static [&'static str],
    /// Where it ended in s; `None` is the end of the problem.
    pub t_end: Option<f64>,
    /// The method here, as on the command line.
    pub method: &'static str,
    pub relative: f64,
    /// Absolute tolerance: one for all components, or one for each of q, v, x.
    pub absolute: &'static [f64],
    /// The first step in s, where it is stated.
    pub first_step: Option<f64>,
    /// Accepted steps.
    pub accepted: usize,
    /// Steps rejected by the error test.
    pub rejected: usize,
    /// Its error, where it is stated.
    pub error: Option<PublishedError>,
    pub source: &'static str,
}

/// An error at the end: the largest difference of these outputs from the reference, or where there is none, from a run at 1e-10.
pub(super) struct PublishedError {
    pub outputs: &'static [&'static str],
    pub value: f64,
}

const fn of_angles(value: f64) -> Option<PublishedError> {
    Some(PublishedError {
        outputs: &["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"],
        value,
    })
}

const fn of_height(value: f64) -> Option<PublishedError> {
    Some(PublishedError {
        outputs: &["y"],
        value,
    })
}

/// RADAU5 on Andrews' squeezer, with the approximate Jacobian of Hairer and Wanner, VII.7, and a first step of 1e-6 s.
const fn andrews(
    method: &'static str,
    tolerance: &'static [f64; 1],
    (accepted, rejected): (usize, usize),
    error: f64,
) -> PublishedRun {
    PublishedRun {
        code: "RADAU5",
        problem: "andrews",
        title: "Andrews' squeezer",
        settings: &[],
        t_end: None,
        method,
        relative: tolerance[0],
        absolute: tolerance,
        first_step: Some(1e-6),
        accepted,
        rejected,
        error: of_angles(error),
        source: "radau5.f on the index forms of the Test Set's andrews",
    }
}

/// CVODE's BDF on the pendulum with period 2 s, over 15 periods.
const fn pendulum(
    method: &'static str,
    tolerance: &'static [f64; 1],
    (accepted, rejected): (usize, usize),
    error: f64,
) -> PublishedRun {
    PublishedRun {
        code: "CVODE",
        problem: "pendulum",
        title: "pendulum over 15 periods",
        settings: &["g=13.750371636040745", "angle=1.5707963267948966"],
        t_end: Some(30.0),
        method,
        relative: tolerance[0],
        absolute: tolerance,
        first_step: None,
        accepted,
        rejected,
        error: of_height(error),
        source: "SUNDIALS, examples/cvode/serial/cvPendulum_dns.out",
    }
}

/// All runs. CVODE and IDA are comparable with `bdf`: formulas of order 1 to 5 with a fixed leading coefficient, as
/// DASSL, whose successor IDA is. The Test Set's figures of MEBDFI, PSIDE and RADAU belong to other methods.
pub(super) const RUNS: &[PublishedRun] = &[
    andrews("radau5:1", &[1e-6], (227, 15), 2.07e-7),
    andrews("radau5:1", &[1e-8], (476, 11), 3.02e-9),
    andrews("radau5:2", &[1e-6], (124, 7), 2.75e-5),
    andrews("radau5:2", &[1e-8], (250, 3), 1.92e-7),
    andrews("radau5:3", &[1e-6], (72, 3), 2.12e-4),
    andrews("radau5:3", &[1e-8], (123, 1), 1.51e-5),
    andrews("radau5:stabilized", &[1e-6], (224, 4), 2.64e-5),
    andrews("radau5:stabilized", &[1e-8], (491, 2), 1.30e-7),
    PublishedRun {
        code: "RADAU5",
        problem: "fekete",
        title: "Fekete problem",
        settings: &[],
        t_end: None,
        method: "radau5",
        relative: 1e-12,
        absolute: &[1e-12],
        first_step: Some(1e-12),
        accepted: 1249,
        rejected: 0,
        error: None,
        source: "Test Set for IVP Solvers, fekete, reference solution",
    },
    // There the time is scaled by mu, which scales the rate, its tolerance and the first step.
    PublishedRun {
        code: "RADAU5",
        problem: "van-der-pol",
        title: "van der Pol",
        settings: &["dy0=-0.66e-3"],
        t_end: None,
        method: "radau5",
        relative: 1e-4,
        absolute: &[1e-4, 1e-7],
        first_step: Some(1e-3),
        accepted: 238,
        rejected: 8,
        error: None,
        source: "driver of RADAU5 (E. Hairer)",
    },
    PublishedRun {
        code: "RADAU5",
        problem: "robertson",
        title: "Robertson",
        settings: &[],
        t_end: Some(0.3),
        method: "radau5",
        relative: 1e-2,
        absolute: &[1e-8],
        first_step: Some(1e-6),
        accepted: 15,
        rejected: 1,
        error: None,
        source: "radau5.f, log of the library russell_ode",
    },
    // CVODE's last step goes beyond 4e10 s.
    PublishedRun {
        code: "CVODE",
        problem: "robertson",
        title: "Robertson",
        settings: &[],
        t_end: Some(41_154_661_313.599_5),
        method: "bdf",
        relative: 1e-4,
        absolute: &[1e-8, 1e-14, 1e-6],
        first_step: None,
        accepted: 542,
        rejected: 22,
        // y1 = 6.934511e-8 in print at 4e10 s, 5.208345e-8 in truth: it hardly changes up to the last step's end.
        error: Some(PublishedError {
            outputs: &["y1"],
            value: 1.726e-8,
        }),
        source: "SUNDIALS, examples/cvode/serial/cvRoberts_dns.out",
    },
    PublishedRun {
        code: "IDA",
        problem: "robertson",
        title: "Robertson",
        settings: &[],
        t_end: Some(41_226_212_070.535_2),
        method: "bdf",
        relative: 1e-4,
        absolute: &[1e-8, 1e-6, 1e-6],
        first_step: None,
        accepted: 362,
        rejected: 15,
        error: None,
        source: "SUNDIALS, examples/ida/serial/idaRoberts_dns.out; y3 there by y1 + y2 + y3 = 1",
    },
    PublishedRun {
        code: "CVODE",
        problem: "van-der-pol",
        title: "van der Pol",
        settings: &["mu=3"],
        t_end: Some(8.037_160_427),
        method: "bdf",
        relative: 0.0,
        absolute: &[1e-6],
        first_step: None,
        accepted: 265,
        rejected: 18,
        error: None,
        source: "SUNDIALS, examples/cvode/serial/cvDirectDemo_ls.out, BDF with dense Jacobian",
    },
    pendulum("bdf:1", &[1e-5], (1549, 40), 8.98e-1),
    pendulum("bdf:1", &[1e-6], (2221, 39), 5.74e-2),
    pendulum("bdf:1", &[1e-7], (3236, 38), 3.45e-2),
    pendulum("bdf:1", &[1e-8], (4600, 16), 8.52e-3),
    pendulum("bdf:1", &[1e-9], (6661, 2), 1.70e-3),
    // With a projection onto both levels of the constraint at every step, which is what the stabilized form does.
    pendulum("bdf:stabilized", &[1e-5], (1421, 11), 2.25e-3),
    pendulum("bdf:stabilized", &[1e-6], (2089, 5), 4.64e-4),
    pendulum("bdf:stabilized", &[1e-7], (3013, 5), 7.79e-5),
    pendulum("bdf:stabilized", &[1e-8], (4295, 6), 1.37e-5),
    pendulum("bdf:stabilized", &[1e-9], (6542, 5), 1.79e-6),
];

/// An end value that a method should arrive at.
pub(super) struct Arrival {
    pub problem: &'static str,
    pub method: &'static str,
    pub tolerance: f64,
    /// Digits that every output should have, or as many as are known of it.
    pub digits: u8,
}

const fn arrival(
    problem: &'static str,
    method: &'static str,
    tolerance: f64,
    digits: u8,
) -> Arrival {
    Arrival {
        problem,
        method,
        tolerance,
        digits,
    }
}

/// Published end values, with what can be expected: the smallest components decide. y2 and y3 of E5 are differences of
/// numbers 13 digits larger; accelerations of the slider-crank need index 1.
pub(super) const ARRIVALS: &[Arrival] = &[
    arrival("van-der-pol", "radau5", 1e-10, 7),
    arrival("robertson", "radau5", 1e-10, 7),
    arrival("hires", "radau5", 1e-10, 7),
    arrival("oregonator", "radau5", 1e-10, 9),
    arrival("pollution", "radau5", 1e-10, 6),
    arrival("e5", "radau5", 1e-8, 2),
    arrival("ring-modulator", "radau5", 1e-6, 3),
    arrival("transistor-amplifier", "radau5", 1e-10, 9),
    arrival("car-axis", "radau5", 1e-10, 5),
    arrival("nand-gate", "radau5", 1e-10, 6),
    arrival("flexible-slider-crank", "radau5:1", 1e-9, 5),
    arrival("wheelset", "radau5", 1e-10, 5),
    arrival("pleiades", "radau5", 1e-10, 7),
    arrival("water-tube", "radau5", 1e-10, 5),
    arrival("van-der-pol", "bdf", 1e-8, 5),
    arrival("robertson", "bdf", 1e-8, 5),
    arrival("hires", "bdf", 1e-8, 4),
    arrival("oregonator", "bdf", 1e-8, 5),
    arrival("pollution", "bdf", 1e-8, 4),
    arrival("e5", "bdf", 1e-8, 2),
    arrival("transistor-amplifier", "bdf", 1e-8, 6),
    arrival("car-axis", "bdf", 1e-8, 3),
    arrival("nand-gate", "bdf", 1e-8, 5),
    arrival("fekete", "bdf", 1e-8, 5),
    arrival("wheelset", "bdf", 1e-8, 3),
    arrival("water-tube", "bdf", 1e-8, 2),
];
