//! Set 6.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 12] = [
    CatalogueRow::new(
        "s6-001",
        "bouncing-ball:t_end=4",
        "impacts up to 0.06 s before they accumulate",
    ),
    CatalogueRow::new("s6-002", "sphere-takeoff", "a bead leaves a sphere"),
    CatalogueRow::new("s6-003", "ladder", "one of two contacts is released"),
    CatalogueRow::new("s6-004", "shaker", "a ball leaves a moving floor"),
    CatalogueRow::new("s6-005", "rope-pendulum", "a rope goes slack"),
    CatalogueRow::new("s6-006", "pendulum-wall", "repeated impacts"),
    CatalogueRow::new("s6-007", "rocking-block:t_end=4", "alternating corners"),
    CatalogueRow::new(
        "s6-008",
        "ball-two-contacts:t_end=6",
        "floor and ceiling, then the floor alone",
    ),
    CatalogueRow::new(
        "s6-009",
        "rod-floor:start=1:t_end=0.4",
        "a rod that starts in contact slides down",
    ),
    CatalogueRow::new("s6-010", "rotating-rod-bead", "joint, drive and impacts"),
    CatalogueRow::new("s6-011", "disc-backspin", "sliding turns into rolling"),
    CatalogueRow::new(
        "s6-012",
        "impacting-bar",
        "waves; closed form of the continuous bar",
    ),
];
