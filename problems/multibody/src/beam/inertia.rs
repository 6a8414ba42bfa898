//! Lumped masses of the nodes of a beam.

use super::section::Section;

/// Mass in kg and moments of inertia about the axes of the section in kg m².
pub(super) type Weight = [f64; 4];

/// The least mass of a node, as a share of the mass of the adjacent half elements.
const LEAST: f64 = 0.25;

/// Nodes that weigh what makes the sum of their kinetic energies an integral of fourth order over the beam.
///
/// The integral over an element is that of the cubic through its two nodes and their neighbours, of the quadratic at
/// the ends of the beam. Equal elements of length h give the masses of Gregory's formula, h (3/8, 7/6, 23/24, 1, 1,
/// ...) times the mass per length. Where lengths or sections differ so much that a node would weigh too little, all
/// nodes weigh the halves of their elements.
pub(super) fn weights(lengths: &[f64], section: impl Fn(usize) -> Section) -> Vec<Weight> {
    let nodes = nodes(lengths);
    let (mut fourth, mut second) = (vec![[0.0; 4]; nodes.len()], vec![[0.0; 4]; nodes.len()]);
    for (element, length) in lengths.iter().enumerate() {
        let section = section(element);
        let [x, y, z] = section.rotary;
        let densities = [section.mass, x, y, z];
        for (node, part) in integral(&nodes, element) {
            add(&mut fourth[node], &densities, part);
        }
        for node in [element, element + 1] {
            add(&mut second[node], &densities, 0.5 * length);
        }
    }
    let mut pairs = fourth.iter().flatten().zip(second.iter().flatten());
    // NaN is not enough either.
    if pairs.all(|(weight, halves)| *weight >= LEAST * halves) {
        fourth
    } else {
        second
    }
}

fn add(weight: &mut Weight, densities: &[f64; 4], length: f64) {
    for (weight, density) in weight.iter_mut().zip(densities) {
        *weight += density * length;
    }
}

/// Where the nodes are along the beam.
fn nodes(lengths: &[f64]) -> Vec<f64> {
    let mut nodes = vec![0.0];
    for length in lengths {
        nodes.push(nodes[nodes.len() - 1] + length);
    }
    nodes
}

/// The integral over an element as a sum over nodes: which, and how much of each.
fn integral(nodes: &[f64], element: usize) -> impl Iterator<Item = (usize, f64)> {
    let last = nodes.len() - 1;
    let stencil = element.saturating_sub(1)..=(element + 2).min(last);
    let (from, to) = (nodes[element], nodes[element + 1]);
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    // Gauss' two points are exact for cubics.
    let points = [-1.0, 1.0].map(|side| middle + side * half / 3.0_f64.sqrt());
    stencil.clone().map(move |node| {
        let others = || stencil.clone().filter(|&other| other != node);
        let lagrange = |x: f64| -> f64 {
            others()
                .map(|other| (x - nodes[other]) / (nodes[node] - nodes[other]))
                .product()
        };
        (node, half * points.map(lagrange).iter().sum::<f64>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masses(lengths: &[f64]) -> Vec<f64> {
        let section = |_| Section::new([1.0; 6], 24.0, [1.0; 3]);
        let weights = weights(lengths, section);
        weights.iter().map(|weight| weight[0]).collect()
    }

    #[test]
    fn equal_elements_give_newton_cotes_and_gregory() {
        let cases: [(usize, &[f64]); 5] = [
            (1, &[12.0, 12.0]),
            (2, &[8.0, 32.0, 8.0]),
            (3, &[9.0, 27.0, 27.0, 9.0]),
            (6, &[9.0, 28.0, 23.0, 24.0, 23.0, 28.0, 9.0]),
            (7, &[9.0, 28.0, 23.0, 24.0, 24.0, 23.0, 28.0, 9.0]),
        ];
        for (count, expected) in cases {
            let found = masses(&vec![1.0; count]);
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{count}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn quadratics_are_integrated_exactly_whatever_the_lengths() {
        let lengths = [0.3, 0.5, 0.4, 0.6, 0.35];
        let (masses, nodes) = (masses(&lengths), nodes(&lengths));
        for power in 0..3 {
            let sum: f64 = masses
                .iter()
                .zip(&nodes)
                .map(|(m, x)| m * x.powi(power))
                .sum();
            let end = nodes[nodes.len() - 1];
            let exact = 24.0 * end.powi(power + 1) / f64::from(power + 1);
            assert!(
                (sum - exact).abs() < 1e-12 * exact,
                "{power}: {sum} {exact}"
            );
        }
    }

    #[test]
    fn elements_that_differ_much_are_halved() {
        assert_eq!(masses(&[1.0, 100.0]), [12.0, 1212.0, 1200.0]);
    }
}
