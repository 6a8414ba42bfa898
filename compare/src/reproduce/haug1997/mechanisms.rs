//! The mechanisms of section 4, as far as its print tells them.

/// A row of Table 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    DoublePendulum,
    SliderCrank,
    SevenBodies,
}

impl Model {
    pub const ALL: [Self; 3] = [Self::DoublePendulum, Self::SliderCrank, Self::SevenBodies];

    /// Its name in Table 5.
    pub fn name(self) -> &'static str {
        match self {
            Self::DoublePendulum => "double pendulum",
            Self::SliderCrank => "slider-crank",
            Self::SevenBodies => "seven-body mechanism",
        }
    }

    /// Its figure with iterations.
    pub fn figure(self) -> &'static str {
        match self {
            Self::DoublePendulum => "9",
            Self::SliderCrank => "10",
            Self::SevenBodies => "11",
        }
    }

    /// Table 5: the authors' largest steps of IMPL and FV in s.
    pub fn published(self) -> [f64; 2] {
        match self {
            Self::DoublePendulum => [0.015, 0.0089],
            Self::SliderCrank => [0.0649, 0.0086],
            Self::SevenBodies => [0.0018, 0.0001],
        }
    }
}

/// A reading of one of them.
#[derive(Debug)]
pub(super) struct Mechanism {
    pub model: Model,
    pub problem: &'static str,
    pub settings: &'static [&'static str],
    pub title: &'static str,
    pub t_end: f64,
    /// Whether it is what the text says, as far as it says it; the others are shown and not judged.
    pub judged: bool,
}

const PENDULUM: Mechanism = Mechanism {
    model: Model::DoublePendulum,
    problem: "stiff-double-pendulum",
    settings: &[],
    title: "double pendulum",
    t_end: 0.1,
    judged: true,
};

const CRANK: Mechanism = Mechanism {
    model: Model::SliderCrank,
    problem: "tsda-slider-crank",
    settings: &["free=1"],
    title: "slider-crank, mild",
    t_end: 0.1,
    judged: true,
};

/// The first one is the double pendulum of section 4.1; the seven-body mechanism comes last: all their data are in print.
pub(super) const MECHANISMS: [Mechanism; 9] = [
    PENDULUM,
    // The damping with which the largest step of `state-space-abm` is the one in print, 1.2e-4 s (that of the stand-in is
    // 6e-6 s); the spring keeps the rate 6/s at which the misfit decays.
    Mechanism {
        settings: &["c2=2400", "k2=14400"],
        title: "double pendulum, damping by sec. 4.1",
        ..PENDULUM
    },
    Mechanism {
        settings: &["half=1"],
        title: "double pendulum, half lengths",
        judged: false,
        ..PENDULUM
    },
    Mechanism {
        settings: &["half=1", "theta1=6.283185307179586"],
        title: "double pendulum, half lengths, bar 1 level",
        judged: false,
        ..PENDULUM
    },
    CRANK,
    Mechanism {
        settings: &["free=1", "stiffness=1"],
        title: "slider-crank, stiff",
        ..CRANK
    },
    Mechanism {
        settings: &[],
        title: "slider-crank with a guide, mild",
        judged: false,
        ..CRANK
    },
    Mechanism {
        settings: &["stiffness=1"],
        title: "slider-crank with a guide, stiff",
        judged: false,
        ..CRANK
    },
    Mechanism {
        model: Model::SevenBodies,
        problem: "andrews-cartesian-stiff",
        settings: &[],
        title: "seven-body mechanism",
        t_end: 0.035,
        judged: true,
    },
];
