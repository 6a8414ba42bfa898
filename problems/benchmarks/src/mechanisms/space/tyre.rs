//! A tyre on a road: a vertical spring, and forces along and across that follow its slip.

use crate::Formulation;
use liedae_multibody::{MagicFormula, RoadBump, Tyre};

/// Of the wheel, in m.
pub(super) const RADIUS: f64 = 0.3;

/// Vertical stiffness in N/m and damping in N s/m.
const VERTICAL: [f64; 2] = [2.0e5, 200.0];

/// Forces along and across by slip, in N, at small slip.
const SLIP_STIFFNESS: [f64; 2] = [8.0e4, 6.0e4];

/// Slower wheels slip as if they moved with this speed in m/s: slip has a value, zero, where nothing moves.
const LEAST_SPEED: f64 = 0.1;

/// Friction, shape C and curvature E of the magic formula.
const MAGIC: [f64; 3] = [1.0, 1.4, -0.5];

/// Height of the bump, where it begins, and its length, in m.
const BUMP: [f64; 3] = [0.04, 5.0, 2.0];

/// A tyre that carries this load at rest, in N, with Pacejka's formula or forces in proportion to slip, and the bump in its track or not.
pub(super) fn tyre(load: f64, magic: bool, bump: bool) -> Tyre {
    let ([stiffness, damping], [friction, shape, curvature]) = (VERTICAL, MAGIC);
    let [height, start, length] = BUMP;
    let formula = MagicFormula {
        friction,
        shape,
        curvature,
    };
    let hump = RoadBump {
        height,
        start,
        length,
    };
    Tyre {
        radius: RADIUS,
        load,
        stiffness,
        damping,
        slip_stiffness: SLIP_STIFFNESS,
        least_speed: LEAST_SPEED,
        magic: magic.then_some(formula),
        road: bump.then_some(hump).into_iter().collect(),
        bilateral: true,
    }
}

/// The forces of tyres that carry this load at rest, in N.
pub(super) fn law(load: f64) -> Formulation {
    let ([vertical, damping], [along, across]) = (VERTICAL, SLIP_STIFFNESS);
    let ([friction, shape, curvature], [height, begin, length]) = (MAGIC, BUMP);
    Formulation::new([
        "tyre: a force on the wheel at its lowest point c; the wheel's centre is p, its axle a (the y-axis of the body, to the left), e = (0, 0, 1)"
            .to_owned(),
        "ahead u = (a_y, -a_x, 0) / |(a_x, a_y)|, left w = (-u_y, u_x, 0)".to_owned(),
        format!("c = p + {RADIUS} (a_z a - e) / sqrt(1 - a_z^2), its velocity as a point of the wheel: c' = p' + omega x (c - p)"),
        format!("pressing N = {vertical} (r(c_x) - c_z) + {damping} (r'(c_x) p'_x - p'_z) + {load} N"),
        format!(
            "road: r(x) = {height} sin(pi (x - {begin}) / {length})^4 between x = {begin} and {} m in the track of the left wheels, otherwise 0",
            begin + length
        ),
        "slips s_u = -(c' . u) / (p' . u), s_w = -(c' . w) / (p' . u)".to_owned(),
        format!("linear (magic=0): F = N e + {along} s_u u + {across} s_w w"),
        format!(
            "magic formula (magic=1): F = N e + f({along}, s_u) u + f({across}, s_w) w, f(k, s) = {friction} N sin({shape} atan(b - {curvature} (b - atan b))),              b = k s / ({shape} {friction} {load})"
        ),
    ])
}
