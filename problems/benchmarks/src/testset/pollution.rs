//! The chemistry of an air pollution model.

use super::published::{SOURCE, Statement, names, not_negative};
use crate::{Cell, Formulation, Parameters, Problem, ProblemEntry, ProblemError};
use liedae::scalar::Scalar;
use liedae::system::{FirstOrderModel, Property};

pub(crate) const POLLUTION: ProblemEntry = ProblemEntry {
    name: "pollution",
    title: "air pollution, 25 reactions of 20 species",
    description: "The chemical part of an atmospheric model of the Dutch institute RIVM; rate constants from 1e-4 to \
                  4e11 per minute. Time in min, concentrations in ppm.",
    source: "Test Set for IVP Solvers, `pollu`; Verwer, SIAM J. Sci. Comput. 15 (1994) 1243, doi:10.1137/0915076",
    parameters: &[],
    build,
};

/// Reactions with the law of mass action.
struct Pollution;

/// Rate constants k1 to k25.
const K: [f64; 25] = [
    0.35, 26.6, 1.23e4, 8.6e-4, 8.2e-4, 1.5e4, 1.3e-4, 2.4e4, 1.65e4, 9e3, 0.022, 1.2e4, 1.88,
    1.63e4, 4.8e6, 3.5e-4, 0.0175, 1e8, 4.44e11, 1240.0, 2.1, 5.78, 0.0474, 1780.0, 3.12,
];

/// For each reaction its one or two reactants and its products, species counted from 1, one repeated where two
/// molecules are formed. What the model holds constant (water, oxygen) is left out.
const REACTIONS: [(&[usize], &[usize]); 25] = [
    (&[1], &[2, 3]),
    (&[2, 4], &[1]),
    (&[5, 2], &[6, 1]),
    (&[7], &[5, 5, 8]),
    (&[7], &[8]),
    (&[7, 6], &[5, 8]),
    (&[9], &[5, 8, 10]),
    (&[9, 6], &[11]),
    (&[11, 2], &[10, 12, 1]),
    (&[11, 1], &[13]),
    (&[13], &[11, 1]),
    (&[10, 2], &[14, 1]),
    (&[14], &[7, 5]),
    (&[1, 6], &[15]),
    (&[3], &[4]),
    (&[4], &[16]),
    (&[4], &[3]),
    (&[16], &[6, 6]),
    (&[16], &[3]),
    (&[17, 6], &[5, 18]),
    (&[19], &[2]),
    (&[19], &[1, 3]),
    (&[1, 4], &[19]),
    (&[19, 1], &[20]),
    (&[20], &[1, 19]),
];

/// Names of the species.
const NAMES: [&str; 20] = [
    "NO2", "NO", "O3P", "O3", "HO2", "OH", "HCHO", "CO", "ALD", "MEO2", "C2O3", "CO2", "PAN",
    "CH3O", "HNO3", "O1D", "SO2", "SO4", "NO3", "N2O5",
];

impl FirstOrderModel for Pollution {
    fn dimension(&self) -> usize {
        20
    }

    fn initial_value(&self) -> Vec<f64> {
        let mut y = vec![0.0; 20];
        for (species, value) in [
            (2, 0.2),
            (4, 0.04),
            (7, 0.1),
            (8, 0.3),
            (9, 0.01),
            (17, 0.007),
        ] {
            y[species - 1] = value;
        }
        y
    }

    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        rate.fill(S::constant(0.0));
        for (&k, (reactants, products)) in K.iter().zip(REACTIONS) {
            let speed = reactants
                .iter()
                .fold(S::constant(k), |speed, &species| speed * y[species - 1]);
            for &species in reactants {
                rate[species - 1] -= speed;
            }
            for &species in products {
                rate[species - 1] += speed;
            }
        }
    }

    fn properties(&self) -> Vec<Property> {
        not_negative(self.names())
    }

    fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) {
        out.copy_from_slice(y);
    }

    fn names(&self) -> Vec<String> {
        names(&NAMES)
    }
}

fn formulation() -> Formulation {
    let side = |species: &[usize]| {
        let names: Vec<&str> = species.iter().map(|&number| NAMES[number - 1]).collect();
        Cell::from(names.join(" + "))
    };
    let reactions = REACTIONS.iter().zip(K).enumerate();
    let reactions = reactions.map(|(index, (&(reactants, products), k))| {
        [
            Cell::from(index + 1),
            side(reactants),
            side(products),
            k.into(),
        ]
    });
    Formulation::new([
        "Concentrations in ppm, time in min.",
        "Each reaction runs with the rate r = k times the product of the concentrations of its reactants.",
        "The derivative of a species' concentration is the sum of r over the reactions that have it as a product, less the sum of r \
         over those that have it as a reactant; a species that is listed twice counts twice.",
    ])
    .with_table(
        "reactions",
        ["reaction", "reactants", "products", "k (1/min or 1/(ppm min))"],
        reactions,
    )
}

fn build(_parameters: &Parameters) -> Result<Problem, ProblemError> {
    let statement = Statement {
        entry: &POLLUTION,
        source: Some(SOURCE),
        t_end: 60.0,
        default_step: 0.01,
        main_output: "NO2",
        order_study_end: Some(1.0),
        absolute_scale: 1.0,
        formulation: formulation(),
        unit: "ppm",
    };
    statement.first_order(Pollution)
}
