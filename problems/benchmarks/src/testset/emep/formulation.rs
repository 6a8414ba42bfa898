//! The laws of the model and its chemistry as tables.

use super::chemistry::{
    AIR, DEPOSITION, EMISSIONS, NAMES, ORGANIC, PHOTOLYSIS, REACTIONS, Rate, Reaction, SHARES,
    Species,
};
use super::{DAY, DECLINATION, HEIGHT, LATITUDE, NIGHT, START, SUNRISE, SUNSET, TEMPERATURE};
use crate::{Cell, Formulation};

fn name(species: Species) -> &'static str {
    NAMES[species as usize]
}

/// What stands on one side of a reaction, `-` for nothing.
fn side(parts: Vec<String>) -> Cell {
    if parts.is_empty() {
        "-".into()
    } else {
        parts.join(" + ").into()
    }
}

/// Reactants, products, law and its numbers.
fn row(&(rate, reactants, products): &Reaction) -> [Cell; 5] {
    let (law, [a, b]) = match rate {
        Rate::Constant(a) => ("constant", [a, 0.0]),
        Rate::Arrhenius(a, b) => ("arrhenius", [a, b]),
        Rate::Power(a, b) => ("power", [a, b]),
        Rate::Sunlight(a, b) => ("sunlight", [a, b]),
        Rate::Water(a) => ("water", [a, 0.0]),
        Rate::Hydroperoxy => ("hydroperoxy", [0.0; 2]),
    };
    let reactants = reactants.iter().map(|&species| name(species).to_owned());
    let products = products.iter().map(|&(count, species)| {
        let name = name(species);
        if count == 1.0 {
            name.to_owned()
        } else {
            format!("{count} {name}")
        }
    });
    let [reactants, products] = [side(reactants.collect()), side(products.collect())];
    [reactants, products, law.into(), a.into(), b.into()]
}

pub(super) fn formulation() -> Formulation {
    let laws = [
        "Concentrations in molecules/cm^3, time t in s since a midnight; the run starts at `start`. tau = t modulo day is the time of day.",
        "Each reaction runs with the rate r = k times the product of the concentrations of its reactants. It takes r from each reactant \
         (2 r if listed twice) and gives each product r times the number before it.",
        "Laws of k by a and b of the tables, in 1/s for one reactant and cm^3/(molecule s) for two:",
        "constant: k = a",
        "arrhenius: k = a exp(b / T)",
        "power: k = a (T / 300 K)^b",
        "water: k = a H2O",
        "hydroperoxy: k = (2.3e-13 exp(600 / T) + air 1.7e-33 exp(1000 / T)) (1 + 1.4e-21 exp(2200 / T) H2O)",
        "sunlight: k = a exp(-b / cos(theta)) by day, 0 by night; it is day for sunrise <= tau < sunset",
        "cos(theta) = cos(latitude) cos(declination) cos(pi (1 + 2 tau / day)) + sin(latitude) sin(declination)",
        "H2O = (23 sin(2.43 - 7.93e-5 tau) + 66.5) 10 es / (1.38e-16 T), \
         es = 6.1078 exp(-(597.3 - 0.57 (T - 273.16)) 18 / 1.986 (1 / T - 1 / 273.16))",
        "Emissions: each species gains flow / height. The organic compounds share `organic`: \
         flow_i = organic (share_i / mass_i) / (sum of share_j / mass_j).",
        "Deposition: each species loses velocity / height times its concentration by day, `night` of that by night.",
        "Events: sunrise, sunset, and midnight, where H2O jumps.",
    ];
    let constants = [
        ("start", START, "s"),
        ("day", DAY, "s"),
        ("sunrise", SUNRISE, "s"),
        ("sunset", SUNSET, "s"),
        ("latitude", LATITUDE, "degrees"),
        ("declination", DECLINATION, "degrees"),
        ("T", TEMPERATURE, "K"),
        ("air", AIR, "molecules/cm^3"),
        ("height", HEIGHT, "cm"),
        ("night", NIGHT, "1"),
        ("organic", ORGANIC, "molecules/(cm^2 s)"),
    ];
    let columns = ["reactants", "products", "law", "a", "b"];
    let emissions = EMISSIONS.map(|(flow, species)| [Cell::from(name(species)), flow.into()]);
    let shares =
        SHARES.map(|(share, mass, species)| [Cell::from(name(species)), share.into(), mass.into()]);
    let deposition = DEPOSITION.iter().flat_map(|&(velocity, list)| {
        let each = list.iter();
        each.map(move |&species| [Cell::from(name(species)), velocity.into()])
    });
    Formulation::new(laws)
        .with_constants(constants)
        .with_table("photolysis", columns, PHOTOLYSIS.iter().map(row))
        .with_table("reactions", columns, REACTIONS.iter().map(row))
        .with_table(
            "emissions",
            ["species", "flow (molecules/(cm^2 s))"],
            emissions,
        )
        .with_table(
            "emissions of organic compounds",
            ["species", "share of the mass (1)", "molar mass (g/mol)"],
            shares,
        )
        .with_table(
            "deposition",
            ["species", "velocity by day (cm/s)"],
            deposition,
        )
}
