//! Set 4.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 17] = [
    CatalogueRow::new("s4-001", "fekete", "index 2"),
    CatalogueRow::new(
        "s4-002",
        "flexible-slider-crank",
        "driven crank, index 2, linear, undamped",
    ),
    CatalogueRow::new("s4-003", "transistor-amplifier", "index 1"),
    CatalogueRow::new(
        "s4-004",
        "charge-pump:t_end=1193",
        "index 2, the current jumps; ends while the last pulse falls",
    ),
    CatalogueRow::new("s4-005", "ring-modulator", "Cs = 2e-12 F: an ODE"),
    CatalogueRow::new("s4-006", "two-bit-adder", "index 1, 350 equations, sparse"),
    CatalogueRow::new("s4-007", "nand-gate", "index 1, inputs with kinks"),
    CatalogueRow::new("s4-008", "water-tube", "index 2"),
    CatalogueRow::new("s4-009", "hires", "stiff ODE"),
    CatalogueRow::new("s4-010", "pollution", "stiff ODE"),
    CatalogueRow::new("s4-011", "van-der-pol", "mu = 1000"),
    CatalogueRow::new("s4-012", "robertson", "stiff ODE over eleven decades"),
    CatalogueRow::new("s4-013", "oregonator", "stiff ODE"),
    CatalogueRow::new("s4-014", "beam", "inextensible, 40 elements"),
    CatalogueRow::new("s4-015", "e5", "stiff ODE of tiny concentrations"),
    CatalogueRow::new("s4-016", "pleiades", "not stiff, close encounters"),
    CatalogueRow::new("s4-017", "emep", "stiff ODE, sunrises and sunsets"),
];
