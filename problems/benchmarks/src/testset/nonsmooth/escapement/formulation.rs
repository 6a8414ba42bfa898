//! The equations of the escapements and their data.

use super::super::statement::{CONTACT_LAW, with_turning_bodies};
use super::profile::PinOnTeeth;
use super::{HAIRSPRING, MAINSPRING, RATIO, banking, pins};
use crate::{Cell, Formulation};
use liedae_multibody::plane::PlaneBodyData;

const EQUATIONS: [&str; 8] = [
    "Plane bodies turn about fixed centres of mass: the unknowns are their angles theta in rad, mathematically positive. A point of a body is given in its frame, \
     which is parallel to the fixed one at theta = 0.",
    "J theta'' = M + moments of the contacts, of the balance M = -hairspring theta - damping theta', of the lever M = 0; damping is a parameter.",
    CONTACT_LAW,
    "e is a parameter, the same for all contacts; none has friction.",
    "Pins: a round pin of body B touches the teeth of body A, the first of which is the convex line through the corners 1 to 4 of its profile, with the solid on the left; \
     the others follow by turns of pitch = 2 pi / teeth about the centre of A. c is the centre of the pin in the frame of A, a its polar angle, k = floor(a / pitch).",
    "c is turned by -k pitch and, where there is more than one tooth, by -(k + 1) pitch, to the first tooth; the smaller distance d of both counts: g = d - radius.",
    "d is of all corners and edges the distance with the smallest absolute value: |c - corner| of a corner, n.(c - corner i) of the edge from corner i to i + 1 where the foot \
     of c lies on it, with its outward normal n = (t_y, -t_x), t = (corner i+1 - corner i) / |corner i+1 - corner i|.",
    "Stops: g = theta - limit of a stop `at least`, g = limit - theta of a stop `at most`.",
];

/// Bodies, pins and stops; `stops` follow the bankings of the lever.
fn with_tables(
    formulation: Formulation,
    bodies: &[PlaneBodyData],
    stops: &[(&str, &str, f64)],
) -> Formulation {
    let formulation = with_turning_bodies(formulation, bodies);
    let pins = pins();
    let name = |body: usize| Cell::from(bodies[body].name.as_str());
    let rows = pins.iter().map(
        |(
            label,
            [a, b],
            PinOnTeeth {
                teeth,
                pin: [x, y],
                radius,
                ..
            },
        )| {
            [
                (*label).into(),
                name(*a),
                name(*b),
                (*teeth).into(),
                (*x).into(),
                (*y).into(),
                (*radius).into(),
            ]
        },
    );
    let columns = [
        "contact",
        "A",
        "B",
        "teeth",
        "pin x (m)",
        "pin y (m)",
        "radius (m)",
    ];
    let formulation = formulation.with_table("pins", columns, rows);
    let corners = pins.iter().flat_map(|(label, _, pin)| {
        let corners = pin.profile.iter().enumerate();
        corners.map(move |(index, &[x, y])| {
            [Cell::from(*label), (index + 1).into(), x.into(), y.into()]
        })
    });
    let columns = ["contact", "corner", "x (m)", "y (m)"];
    let formulation = formulation.with_table("profiles", columns, corners);
    let bankings = [
        ("lever", "at least", -banking()),
        ("lever", "at most", banking()),
    ];
    let stops = bankings.iter().chain(stops);
    let stops = stops.map(|&(body, kind, limit)| [Cell::from(body), kind.into(), limit.into()]);
    formulation.with_table("stops", ["body", "kind", "limit (rad)"], stops)
}

pub(super) fn single(bodies: &[PlaneBodyData]) -> Formulation {
    let drive = "Of the wheel M = -torque, a parameter.";
    let formulation = Formulation::new(EQUATIONS.into_iter().chain([drive])).with_constants([(
        "hairspring",
        HAIRSPRING,
        "N m/rad",
    )]);
    with_tables(formulation, bodies, &[])
}

pub(super) fn double(bodies: &[PlaneBodyData], travel: f64) -> Formulation {
    let drive = [
        "Of the barrel M = -mainspring (theta - relaxed); of all other wheels M = 0. The stop of the barrel is at travel, a parameter.",
        "Gears, constraints: theta_slow + theta_fast / ratio = its value at the start, with (slow, fast) = (barrel, second-wheel), (second-wheel, third-wheel), (third-wheel, wheel); \
         the moment of a gear is m on the slow wheel and m / ratio on the fast one.",
    ];
    let [stiffness, relaxed] = MAINSPRING;
    let formulation = Formulation::new(EQUATIONS.into_iter().chain(drive)).with_constants([
        ("hairspring", HAIRSPRING, "N m/rad"),
        ("mainspring", stiffness, "N m/rad"),
        ("relaxed", relaxed, "rad"),
        ("ratio", RATIO, "1"),
    ]);
    with_tables(formulation, bodies, &[("barrel", "at most", travel)])
}
