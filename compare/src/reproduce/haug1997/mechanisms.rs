//! The mechanisms of section 4, as far as its print tells them.

/// A mechanism with the authors' largest steps.
pub(super) struct Mechanism {
    pub problem: &'static str,
    pub settings: &'static [&'static str],
    pub title: &'static str,
    pub t_end: f64,
    /// Table 5: IMPL and FV, in s.
    pub published: [f64; 2],
    /// Smallest and largest step tried in s.
    pub range: [f64; 2],
}

const PENDULUM: Mechanism = Mechanism {
    problem: "stiff-double-pendulum",
    settings: &[],
    title: "double pendulum, full lengths",
    t_end: 0.1,
    published: [0.015, 0.0089],
    range: [2e-4, 0.1],
};

const CRANK: Mechanism = Mechanism {
    problem: "tsda-slider-crank",
    settings: &[],
    title: "guided slider-crank, mild",
    t_end: 0.1,
    published: [0.0649, 0.0086],
    range: [1e-3, 0.1],
};

/// The seven bodies come last: all their data are in print.
pub(super) const MECHANISMS: [Mechanism; 8] = [
    PENDULUM,
    Mechanism {
        settings: &["half=1"],
        title: "double pendulum, half lengths",
        ..PENDULUM
    },
    Mechanism {
        settings: &["half=1", "theta1=6.283185307179586"],
        title: "double pendulum, half lengths, bar 1 level",
        ..PENDULUM
    },
    CRANK,
    Mechanism {
        settings: &["stiffness=1"],
        title: "guided slider-crank, stiff",
        ..CRANK
    },
    Mechanism {
        settings: &["free=1"],
        title: "slider-crank of two freedoms, mild",
        ..CRANK
    },
    Mechanism {
        settings: &["free=1", "stiffness=1"],
        title: "slider-crank of two freedoms, stiff",
        ..CRANK
    },
    Mechanism {
        problem: "andrews-cartesian-stiff",
        settings: &[],
        title: "seven bodies",
        t_end: 0.035,
        published: [0.0018, 0.0001],
        range: [1e-4, 0.0175],
    },
];
