//! Set 5.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 7] = [
    CatalogueRow::new("s5-001", "pendulum", "closed form"),
    CatalogueRow::new("s5-002", "heavy-top", "rotations on SO(3)"),
    CatalogueRow::new("s5-003", "rolling-disk:t_end=2", "nonholonomic"),
    CatalogueRow::new(
        "s5-004",
        "joint-pendulum",
        "one bar on one joint: joint=1 to 8 and oblique=1 are the other cases",
    ),
    CatalogueRow::new("s5-005", "manufactured", "exact solution"),
    CatalogueRow::new("s5-006", "chain:n=1:t_end=1", "one link that spins"),
    CatalogueRow::new("s5-007", "chain:n=8:t_end=1", "eight links that spin"),
];
