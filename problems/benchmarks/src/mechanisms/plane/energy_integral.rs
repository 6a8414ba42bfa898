//! Motions with one degree of freedom in one direction, by quadrature: the energy gives the rate, its reciprocal the time.

use super::motion::Moving;

/// Nodes in (0, 1) and weights on [-1, 1] of Gauss and Legendre's rule with eight points (Abramowitz and Stegun 1964, 25.4.30).
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Length of the pieces that the rule serves, in rad.
const PIECE: f64 = 0.1;

/// The integral of f from a to b, which are near each other.
fn rule(f: &impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
    let pairs =
        NODES.map(|(node, weight)| weight * (f(middle - half * node) + f(middle + half * node)));
    half * pairs.iter().sum::<f64>()
}

/// The coordinate after `t` ≥ 0 s, where dt/dφ > 0 is known as a function of φ.
pub(super) fn coordinate(start: f64, t: f64, slowness: impl Fn(f64) -> f64) -> Moving {
    let (mut at, mut left) = (start, t);
    loop {
        let piece = rule(&slowness, at, at + PIECE);
        if piece.is_nan() || piece >= left {
            break;
        }
        (at, left) = (at + PIECE, left - piece);
    }
    // Newton's method: the integral is known with its derivative.
    let mut end = at + left / slowness(at);
    for _ in 0..20 {
        let change = (left - rule(&slowness, at, end)) / slowness(end);
        end += change;
        if change.abs() < 1e-15 {
            break;
        }
    }
    Moving::new(end, [slowness(end).recip()])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// dt/dφ = 1 + cos(φ)/2 gives t = φ + sin(φ)/2.
    #[test]
    fn a_motion_with_a_known_integral() {
        for t in [0.0_f64, 0.03, 0.1, 1.7, 12.0] {
            let found = coordinate(0.0, t, |angle| 1.0 + 0.5 * angle.cos());
            let back = found.value + 0.5 * found.value.sin();
            assert!((back - t).abs() < 1e-14, "{t}: {back}");
            let rate = (1.0 + 0.5 * found.value.cos()).recip();
            assert_eq!(found.gradient[0], rate);
        }
    }
}
