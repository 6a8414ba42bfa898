//! Set 2.

use super::CatalogueRow;

pub(super) const ROWS: [CatalogueRow; 32] = [
    CatalogueRow::new(
        "s2-001",
        "double-pendulum-wall:e=0.6",
        "the same with e = 0.8: double-pendulum-wall:e=0.8",
    ),
    CatalogueRow::new(
        "s2-002",
        "double-pendulum-wall:e=0",
        "the contact persists and lets go",
    ),
    CatalogueRow::new("s2-003", "triple-pendulum-stops", "six stops"),
    CatalogueRow::new(
        "s2-004",
        "chain-floor:t_end=1.8",
        "eleven links, seven contacts",
    ),
    CatalogueRow::new(
        "s2-005",
        "newton-cradle:n=3:gap=0.001",
        "gaps between the balls",
    ),
    CatalogueRow::new(
        "s2-006",
        "newton-cradle:n=5:t_end=3",
        "balls that touch at the start: the law of impact decides",
    ),
    CatalogueRow::new("s2-007", "newton-cradle:n=5:e=0.5", "impacts cluster"),
    CatalogueRow::new("s2-008", "newton-cradle:n=8:e=0.9", "seven contacts"),
    CatalogueRow::new("s2-009", "slider-train:n=3", "walls at both ends"),
    CatalogueRow::new("s2-010", "slider-train:n=5:e=0", "contacts that stay"),
    CatalogueRow::new(
        "s2-011",
        "slider-train:n=6:e=0.6:line=1",
        "stacked, with gravity: impacts accumulate until all rest on each other, and the end says no more",
    ),
    CatalogueRow::new("s2-012", "slider-crank-clearance", "friction"),
    CatalogueRow::new("s2-013", "slider-crank-clearance:mu=0", "without friction"),
    CatalogueRow::new(
        "s2-014",
        "slider-crank-clearance:mu=0:clearance=0.0005:omega=75:t_end=0.4",
        "half the clearance at half the speed",
    ),
    CatalogueRow::new("s2-015", "press-machine", "the slider hits a workpiece"),
    CatalogueRow::new(
        "s2-016",
        "press-machine:variant=1",
        "toggle press with an overload spring",
    ),
    CatalogueRow::new(
        "s2-017",
        "four-bar-clearance:clearances=1:mu=0:e=0.5",
        "one journal in its bearing",
    ),
    CatalogueRow::new(
        "s2-018",
        "four-bar-clearance",
        "three journals with friction",
    ),
    CatalogueRow::new("s2-019", "cam-follower", "takes off and hits again"),
    CatalogueRow::new(
        "s2-020",
        "cam-rocker-valve:t_end=0.445",
        "valve spring and seat, to the fifth opening",
    ),
    CatalogueRow::new("s2-021", "woodpecker", "friction that sticks"),
    CatalogueRow::new(
        "s2-022",
        "ratchet-pawl:t_end=1.2",
        "the tooth in contact changes; ends before wheel and pawl rest",
    ),
    CatalogueRow::new("s2-023", "escapement", "wheel, lever, balance"),
    CatalogueRow::new(
        "s2-024",
        "escapement-double:t_end=0.35",
        "with gear train and barrel; afterwards small differences grow",
    ),
    CatalogueRow::new("s2-025", "geneva-drive", "four slots"),
    CatalogueRow::new("s2-026", "rocking-table", "a block on two feet"),
    CatalogueRow::new(
        "s2-027",
        "excavator-stops",
        "end stops of cylinders, travelling base",
    ),
    CatalogueRow::new("s2-028", "compass-walker", "knees with stops"),
    CatalogueRow::new("s2-029", "shaker-stack", "two blocks"),
    CatalogueRow::new("s2-030", "shaker-lever", "driven lever"),
    CatalogueRow::new("s2-031", "rope-pendulum-carts", "ropes that go slack"),
    CatalogueRow::new("s2-032", "trip-breaker", "toggle with stops"),
];
