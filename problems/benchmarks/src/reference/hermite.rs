//! Hermite interpolation by divided differences with repeated nodes.

/// Nodes in one polynomial.
pub(super) const NODES: usize = 6;

/// Conditions at one node: the value and up to two rates.
pub(super) const ORDERS: usize = 3;

const MOST: usize = NODES * ORDERS;

/// Value and first two derivatives at `at` of the polynomial that at each node has the given value and rates.
///
/// `data[i]` holds value, rate and second rate at `nodes[i]`, of which the first `orders` count. With six nodes and
/// two rates this is a polynomial of degree 17, with one rate of degree 11.
pub(super) fn interpolate(
    nodes: &[f64],
    data: &[[f64; ORDERS]],
    orders: usize,
    at: f64,
) -> [f64; 3] {
    let orders = orders.clamp(1, ORDERS);
    let count = (nodes.len().min(data.len()) * orders).min(MOST);
    let node = |index: usize| nodes[index / orders];
    let datum = |index: usize, order: usize| data[index / orders][order];

    // Newton's coefficients; equal nodes give derivatives divided by factorials.
    let mut table = [0.0; MOST];
    for (index, slot) in table.iter_mut().enumerate().take(count) {
        *slot = datum(index, 0);
    }
    let mut factorial = 1.0;
    for level in 1..count {
        factorial *= level as f64;
        for index in (level..count).rev() {
            let width = node(index) - node(index - level);
            table[index] = if width == 0.0 {
                datum(index, level) / factorial
            } else {
                (table[index] - table[index - 1]) / width
            };
        }
    }

    let mut result = [0.0; 3];
    for index in (0..count).rev() {
        let distance = at - node(index);
        result[2] = result[2] * distance + 2.0 * result[1];
        result[1] = result[1] * distance + result[0];
        result[0] = result[0] * distance + table[index];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproduces_polynomials_and_their_derivatives() {
        let nodes = [0.0, 0.3, 0.5, 0.7, 0.8, 1.1];
        for orders in 1..=3 {
            let degree = (NODES * orders - 1) as i32;
            let power = |t: f64| {
                let n = f64::from(degree);
                [
                    t.powi(degree),
                    n * t.powi(degree - 1),
                    n * (n - 1.0) * t.powi(degree - 2),
                ]
            };
            let data: Vec<_> = nodes.iter().map(|&t| power(t)).collect();
            let found = interpolate(&nodes, &data, orders, 0.6);
            for (found, expected) in found.into_iter().zip(power(0.6)) {
                assert!(
                    (found - expected).abs() < 1e-11,
                    "{orders} {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn twelfth_order_on_a_sine() {
        let nodes: Vec<f64> = (0..4).map(|i| 0.4 * f64::from(i)).collect();
        let data: Vec<_> = nodes
            .iter()
            .map(|&t| [t.sin(), t.cos(), -t.sin()])
            .collect();
        let [value, rate, second] = interpolate(&nodes, &data, 3, 0.6);
        assert!((value - 0.6_f64.sin()).abs() < 1e-14);
        assert!((rate - 0.6_f64.cos()).abs() < 1e-12);
        assert!((second + 0.6_f64.sin()).abs() < 1e-12);
    }
}
