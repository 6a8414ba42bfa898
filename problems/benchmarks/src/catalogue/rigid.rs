//! Set 1.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 15] = [
    CatalogueRow::new("s1-001", "double-pendulum", "two links on revolute joints"),
    CatalogueRow::new("s1-007", "chain:n=2", "two links on spherical joints"),
    CatalogueRow::new("s1-008", "chain:n=4", "four links"),
    CatalogueRow::new("s1-009", "chain:n=6", "six links"),
    CatalogueRow::new(
        "s1-022",
        "tsda-slider-crank",
        "two bodies with a stiff damper",
    ),
    CatalogueRow::new("s1-023", "andrews", "seven relative angles"),
    CatalogueRow::new("s1-024", "andrews-cartesian", "21 coordinates, 20 rows"),
    CatalogueRow::new("s1-025", "andrews:t_end=0.05", "a longer run"),
    CatalogueRow::new("s1-026", "andrews-stiff", "stiff damper"),
    CatalogueRow::new("s1-035", "car-axis", "eps = 0.01"),
    CatalogueRow::new("s1-038", "wheelset", "rails as algebraic rows"),
    CatalogueRow::new("s1-041", "slider-crank", "driven at 2 pi rad/s"),
    CatalogueRow::new(
        "s1-042",
        "slider-crank:mu=0.2",
        "Coulomb friction in the guide, whose reversals are events",
    ),
    CatalogueRow::new("s1-043", "four-link", "driven at pi rad/s"),
    CatalogueRow::new(
        "s1-066",
        "rotating-rod-bead:rate=2:t_end=1",
        "ends before the bead reaches its stop",
    ),
];
