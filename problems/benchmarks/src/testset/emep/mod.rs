//! The chemistry of an air pollution model, with the sun.

mod chemistry;
mod formulation;

use super::published::{SOURCE, Statement, names};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use chemistry::{
    AIR, DEPOSITION, EMISSIONS, NAMES, ORGANIC, PHOTOLYSIS, REACTIONS, Rate, Reaction, SHARES,
    Species,
};
use liedae::linalg::{KktError, Pattern};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{EventAction, Layout, MatrixMut, Model, ModelEvents, Point, State};
use std::f64::consts::PI;

pub(crate) const EMEP: ProblemEntry = ProblemEntry {
    name: "emep",
    title: "air pollution during 112 h, 136 reactions of 66 species, sunrises and sunsets",
    description: "The chemistry of ozone in the model of EMEP (Norwegian Meteorological Institute): reactions in a box of \
                  air at 298 K, emissions, deposition on the ground, water vapour that follows the time of day, photolysis \
                  by the height of the sun. It rises at 4 h and sets at 20 h; there and at midnight, where the humidity \
                  jumps, runs land and start anew. From 4 h to 116 h, time in s, concentrations in molecules/cm³.",
    source: "Test Set for IVP Solvers, `emep`; after Simpson, Andersson-Skold and Jenkin 1993",
    parameters: &[],
    build,
};

const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;
const SUNRISE: f64 = 4.0 * HOUR;
const SUNSET: f64 = 20.0 * HOUR;
const START: f64 = SUNRISE;
const END: f64 = 4.0 * DAY + SUNSET;

/// In degrees.
const LATITUDE: f64 = 50.0;
const DECLINATION: f64 = 23.5;

/// In K.
const TEMPERATURE: f64 = 298.0;
/// Height up to which the air is mixed, in cm.
const HEIGHT: f64 = 1.2e5;
/// Share of the deposition by day that is left at night.
const NIGHT: f64 = 0.25;

/// What the modes of the state say.
const MIDNIGHTS: usize = 0;
const IS_NIGHT: usize = 1;

/// Concentrations of the species. Modes: how many midnights have passed, and whether it is night.
struct Emep {
    /// Coefficients of [`REACTIONS`], without their dependence on water.
    coefficients: Vec<f64>,
    /// What enters the air, in molecules/(cm³ s).
    emissions: Vec<(f64, Species)>,
    /// Where the Jacobian has entries.
    pattern: Pattern,
    /// The moments of midnight, sunrise and sunset, and the modes behind them.
    moments: Vec<(f64, [i32; 2])>,
}

/// The coefficient of a reaction that does not need the sun, without water.
fn coefficient(rate: Rate) -> f64 {
    let arrhenius = |factor: f64, exponent: f64| factor * (exponent / TEMPERATURE).exp();
    match rate {
        Rate::Constant(value) | Rate::Water(value) => value,
        Rate::Arrhenius(factor, exponent) | Rate::Sunlight(factor, exponent) => {
            arrhenius(factor, exponent)
        }
        Rate::Power(factor, exponent) => factor * (TEMPERATURE / 300.0).powf(exponent),
        Rate::Hydroperoxy => arrhenius(2.3e-13, 600.0) + AIR * arrhenius(1.7e-33, 1000.0),
    }
}

impl Emep {
    fn new() -> Result<Self, KktError> {
        let organic: f64 = SHARES.iter().map(|(share, mass, _)| share / mass).sum();
        let organic =
            SHARES.map(|(share, mass, species)| (ORGANIC * share / mass / organic, species));
        let all = EMISSIONS.into_iter().chain(organic);
        let mut moments = Vec::new();
        for day in 0..5 {
            let midnight = f64::from(day) * DAY;
            moments.push((midnight, [day, 1]));
            moments.push((midnight + SUNRISE, [day, 0]));
            moments.push((midnight + SUNSET, [day, 1]));
        }
        moments.retain(|&(t, _)| START < t && t < END);
        Ok(Self {
            coefficients: REACTIONS
                .iter()
                .map(|&(rate, ..)| coefficient(rate))
                .collect(),
            emissions: all
                .map(|(flow, species)| (flow / HEIGHT, species))
                .collect(),
            pattern: Pattern::from_entries(NAMES.len(), NAMES.len(), dependencies())?,
            moments,
        })
    }
}

/// One over the cosine of the sun's zenith angle.
fn secant<S: Scalar>(time_of_day: S) -> S {
    let hour_angle = time_of_day / (0.5 * DAY) * PI + PI;
    let (latitude, declination) = (LATITUDE.to_radians(), DECLINATION.to_radians());
    let cosine = hour_angle.cos() * (latitude.cos() * declination.cos())
        + latitude.sin() * declination.sin();
    S::constant(1.0) / cosine
}

/// Molecules of water in a cm³.
fn water<S: Scalar>(time_of_day: S) -> S {
    const FREEZING: f64 = 273.16;
    let percent = (time_of_day * -7.93e-5 + 2.43).sin() * 23.0 + 66.5;
    let heat = (597.3 - 0.57 * (TEMPERATURE - FREEZING)) * 18.0 / 1.986;
    let saturation = 6.1078 * (-heat * (1.0 / TEMPERATURE - 1.0 / FREEZING)).exp();
    percent * (saturation * 10.0 / (1.38e-16 * TEMPERATURE))
}

/// Adds what a reaction with this coefficient changes.
fn react<S: Scalar>(coefficient: S, (_, reactants, products): &Reaction, y: &[S], rate: &mut [S]) {
    let mut speed = coefficient;
    for &species in *reactants {
        speed *= y[species as usize];
    }
    for &species in *reactants {
        rate[species as usize] -= speed;
    }
    for &(count, species) in *products {
        rate[species as usize] += speed * count;
    }
}

/// Where the Jacobian has entries: what a reaction changes depends on its reactants.
fn dependencies() -> impl Iterator<Item = (usize, usize)> {
    let own = (0..NAMES.len()).map(|species| (species, species));
    let reactions = PHOTOLYSIS.iter().chain(&REACTIONS);
    let others = reactions.flat_map(|&(_, reactants, products)| {
        let products = products.iter().map(|&(_, species)| species);
        let changed = products.chain(reactants.iter().copied());
        changed.flat_map(|row| {
            reactants
                .iter()
                .map(move |&column| (row as usize, column as usize))
        })
    });
    own.chain(others)
}

impl Model for Emep {
    fn layout(&self) -> Layout {
        let count = NAMES.len();
        let mut layout = Layout::dense(Manifold::euclidean(0)).with_differential_states(count);
        layout.rates = self.pattern.clone();
        layout.modes = 2;
        layout
    }

    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        state.t = START;
        state.x.fill(1e2);
        state.x[Species::C2H6 as usize..=Species::MEK as usize].fill(1e7);
        for (species, value) in [
            (Species::NO, 1e9),
            (Species::NO2, 5e9),
            (Species::SO2, 5e9),
            (Species::CO, 3.8e12),
            (Species::CH4, 3.5e13),
            (Species::O3, 5e11),
            (Species::OD, 1e-3),
        ] {
            state.x[species as usize] = value;
        }
        state
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, _mass: &mut MatrixMut<S>) {}

    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        let is_night = at.mode[IS_NIGHT] == 1;
        let time_of_day = at.t - f64::from(at.mode[MIDNIGHTS]) * DAY;
        for &(flow, species) in &self.emissions {
            rate[species as usize] += S::constant(flow);
        }
        let share = if is_night { NIGHT } else { 1.0 };
        for (velocity, list) in DEPOSITION {
            for &species in list {
                rate[species as usize] -= at.x[species as usize] * (velocity * share / HEIGHT);
            }
        }
        let water = water(time_of_day);
        for (reaction, &constant) in REACTIONS.iter().zip(&self.coefficients) {
            let coefficient = match reaction.0 {
                Rate::Water(_) => water * constant,
                Rate::Hydroperoxy => {
                    (water * (1.4e-21 * (2200.0 / TEMPERATURE).exp()) + 1.0) * constant
                }
                _ => S::constant(constant),
            };
            react(coefficient, reaction, at.x, rate);
        }
        if is_night {
            return;
        }
        let secant = secant(time_of_day);
        for reaction in &PHOTOLYSIS {
            if let Rate::Sunlight(factor, exponent) = reaction.0 {
                react((secant * -exponent).exp() * factor, reaction, at.x, rate);
            }
        }
    }

    fn output_names(&self) -> Vec<String> {
        names(&NAMES)
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        out.copy_from_slice(&state.x);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Emep {
    fn time_events(&self) -> Vec<f64> {
        self.moments.iter().map(|&(t, _)| t).collect()
    }

    fn handle_time_event(&self, event: usize, state: &mut State) -> EventAction {
        if let Some(&(_, modes)) = self.moments.get(event) {
            state.mode.copy_from_slice(&modes);
        }
        EventAction::Restart
    }
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &EMEP,
        source: Some(SOURCE),
        t_end: END,
        default_step: 60.0,
        main_output: "O3",
        order_study_end: Some(START + 60.0),
        absolute_scale: 1.0,
        formulation: formulation::formulation(),
        unit: "molecules/cm^3",
    };
    let model = Emep::new().map_err(|error| ProblemError::Build {
        problem: EMEP.name,
        reason: error.to_string(),
    })?;
    statement.model(model)
}
