//! Set 3.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 14] = [
    CatalogueRow::new("s3-001", "spin-up-beam:hub=1:t_end=15", "eccentric hub"),
    CatalogueRow::new(
        "s3-002",
        "spin-up-beam:data=1:t_end=7.5",
        "data of Wu and Haug",
    ),
    CatalogueRow::new("s3-003", "flexible-crank", "linear"),
    CatalogueRow::new(
        "s3-004",
        "flexible-crank:model=1",
        "foreshortening, damping, four modes of bending",
    ),
    CatalogueRow::new("s3-005", "flexible-four-bar", "three links of four modes"),
    CatalogueRow::new(
        "s3-006",
        "flexible-double-pendulum",
        "two beams of four modes",
    ),
    CatalogueRow::new(
        "s3-007",
        "beam-on-cylinder:t_end=0.25",
        "three contacts along the beam, eight modes",
    ),
    CatalogueRow::new(
        "s3-008",
        "rotor:shaft=0.1:n=1:t_end=0.2",
        "a heavier shaft: its waves allow a reference",
    ),
    CatalogueRow::new(
        "s3-009",
        "rotor-run-up:shaft=1:n=1:alpha=100",
        "through the critical speed within 1 s, a heavier shaft",
    ),
    CatalogueRow::new(
        "s3-010",
        "flexible-manipulator:t_end=1.2",
        "proportional-differential control",
    ),
    CatalogueRow::new(
        "s3-011",
        "flexible-quick-return",
        "slides in the rigid part of the rocker",
    ),
    CatalogueRow::new(
        "s3-012",
        "substructured-pendulum:t_end=0.2",
        "three substructures of six modes",
    ),
    CatalogueRow::new("s3-013", "impacting-flexible-pendulum:t_end=0.3", "e = 0.8"),
    CatalogueRow::new(
        "s3-014",
        "flexible-scissor:t_end=0.2",
        "five elastic struts of eight",
    ),
];
