//! Natural modes of large systems with a wide spread of frequencies, against closed forms.

use super::super::linearization::Conservative;
use super::super::natural::NaturalModes;
use super::super::spectrum::Spectrum;
use faer::{Mat, Side};
use std::f64::consts::PI;

fn modes(mass: Mat<f64>, stiffness: Mat<f64>) -> Vec<f64> {
    let n = mass.nrows();
    modes_along(mass, stiffness, Mat::identity(n, n), 1e-9)
}

/// Squares, rising, of modes that are verified to so many digits.
fn modes_along(mass: Mat<f64>, stiffness: Mat<f64>, kernel: Mat<f64>, digits: f64) -> Vec<f64> {
    let (all_mass, all_stiffness) = (mass.clone(), stiffness.clone());
    let system = Conservative::new(mass, stiffness, kernel).expect("symmetric");
    let NaturalModes { squares, shapes } = NaturalModes::of(&system).expect("found");
    // Modes at right angles, whatever their number and however many are alike.
    let momenta = &all_mass * &shapes;
    let products = shapes.transpose() * &momenta;
    for i in 0..squares.len() {
        for j in 0..i {
            let sizes = (products[(i, i)] * products[(j, j)]).sqrt();
            assert!(products[(i, j)].abs() < digits * sizes, "modes {i} and {j}");
        }
    }
    // K φ = ω² M φ, by the largest force that acts on any part of it.
    let forces = &all_stiffness * &shapes;
    for (k, square) in squares.iter().enumerate() {
        let rest = (0..forces.nrows()).map(|i| (forces[(i, k)] - square * momenta[(i, k)]).abs());
        let terms = (0..forces.nrows()).map(|i| {
            let parts = (0..forces.nrows()).map(|j| (all_stiffness[(i, j)] * shapes[(j, k)]).abs());
            parts.sum::<f64>()
        });
        let (rest, terms) = (rest.fold(0.0, f64::max), terms.fold(0.0, f64::max));
        assert!(rest <= digits * terms, "mode {k}: {rest:e} of {terms:e}");
    }
    let mut squares = squares;
    squares.sort_by(f64::total_cmp);
    squares
}

/// A beam of unit length, mass and bending stiffness in cubic elements, with this rotary inertia; both inertias are those of nodes.
fn beam(elements: usize, rotary: f64) -> [Mat<f64>; 2] {
    let n = 2 * (elements + 1);
    let l = 1.0 / elements as f64;
    let (mut mass, mut stiffness) = (Mat::zeros(n, n), Mat::zeros(n, n));
    let own = [
        [12.0, 6.0 * l, -12.0, 6.0 * l],
        [6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l],
        [-12.0, -6.0 * l, 12.0, -6.0 * l],
        [6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l],
    ];
    for element in 0..elements {
        for (i, row) in own.iter().enumerate() {
            for (j, entry) in row.iter().enumerate() {
                stiffness[(2 * element + i, 2 * element + j)] += entry / l.powi(3);
            }
        }
        for end in [2 * element, 2 * element + 2] {
            mass[(end, end)] += l / 2.0;
        }
    }
    for node in 0..=elements {
        mass[(2 * node + 1, 2 * node + 1)] = rotary * l;
    }
    [mass, stiffness]
}

/// The same with its first velocities held.
fn held(matrix: &Mat<f64>, velocities: usize) -> Mat<f64> {
    let left = matrix.nrows() - velocities;
    Mat::from_fn(left, left, |i, j| matrix[(i + velocities, j + velocities)])
}

#[test]
fn refinement_of_a_clamped_beam_makes_no_frequency_worse() {
    // β² of 1 + cos β cosh β = 0.
    let exact = [3.516015268500508, 22.03449156463287, 61.69721441457577];
    // Rotary inertia that slows nothing down: frequencies spread over seven decades.
    for rotary in [1e-8, 1e-11] {
        let mut before = [f64::INFINITY; 3];
        for elements in [8, 16, 32, 64, 96, 128, 200] {
            let [mass, stiffness] = beam(elements, rotary).map(|matrix| held(&matrix, 2));
            let squares = modes(mass, stiffness);
            for (k, exact) in exact.iter().enumerate() {
                let error = (squares[k].sqrt() / exact - 1.0).abs();
                let allowed = before[k].max(2e-6);
                assert!(
                    error <= allowed,
                    "{elements}, {rotary:e}, mode {k}: {error:e}"
                );
                before[k] = error;
            }
            assert!(
                elements < 200 || before.iter().all(|error| *error < 2e-3),
                "{before:?}"
            );
        }
    }
}

#[test]
fn a_free_beam_has_its_two_zeros_and_its_first_bending() {
    for elements in [4, 40, 100, 160] {
        for rotary in [1e-6, 1e-9] {
            let [mass, stiffness] = beam(elements, rotary);
            let squares = modes(mass, stiffness);
            let zeros = squares.iter().filter(|square| **square == 0.0).count();
            assert_eq!(zeros, 2, "{elements}, {rotary:e}: {:?}", &squares[..4]);
            // β² of cos β cosh β = 1; lumped masses are slower, by the square of the element's length.
            let first = squares[2].sqrt() / 22.373285448061184;
            let allowed = 4.0 / (elements as f64).powi(2) + 1e-5;
            assert!(
                (first - 1.0).abs() < allowed,
                "{elements}, {rotary:e}: {first}"
            );
        }
    }
}

#[test]
fn chains_and_nets_of_masses_have_their_frequencies_many_of_them_twice() {
    // Springs of 1 N/m between masses of 1 kg; ω² = 4 sin² of each direction.
    let way =
        |n: usize, k: usize| 4.0 * ((k + 1) as f64 * PI / (2.0 * (n + 1) as f64)).sin().powi(2);
    let spring = |i: usize, j: usize| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    };
    let chain = Mat::from_fn(300, 300, spring);
    let squares = modes(Mat::identity(300, 300), chain);
    for (k, square) in squares.iter().enumerate() {
        assert!((square - way(300, k)).abs() < 1e-13, "{k}: {square}");
    }
    let side = 18;
    let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
    let net = Mat::from_fn(side * side, side * side, |i, j| {
        let ((a, b), (c, d)) = ((i / side, i % side), (j / side, j % side));
        spring(a, c) * unit(b, d) + unit(a, c) * spring(b, d)
    });
    let squares = modes(Mat::identity(side * side, side * side), net);
    let mut expected: Vec<f64> = (0..side * side)
        .map(|k| way(side, k / side) + way(side, k % side))
        .collect();
    expected.sort_by(f64::total_cmp);
    for (square, expected) in squares.iter().zip(&expected) {
        assert!((square - expected).abs() < 1e-12, "{square} {expected}");
    }
}

#[test]
fn directions_that_constraints_leave_mix_everything_and_change_nothing() {
    // The kernel of a row is an orthonormal basis in which nothing is sparse: Householder's.
    let [mass, stiffness] = beam(80, 1e-9).map(|matrix| held(&matrix, 1));
    let n = mass.nrows();
    let u: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).sin()).collect();
    let square: f64 = u.iter().map(|x| x * x).sum();
    let mirror = |i: usize, j: usize| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square;
    let kernel = Mat::from_fn(n, n, mirror);
    let plain = modes(mass.clone(), stiffness.clone());
    // A rotary inertia of 1e-11 beside masses of 0.01 keeps seven digits where both are mixed.
    let mixed = modes_along(mass, stiffness, kernel, 1e-5);
    // A pivoted free beam: a zero and 15.418.
    assert_eq!([plain[0], mixed[0]], [0.0; 2]);
    assert!((mixed[1].sqrt() / 15.418205716980 - 1.0).abs() < 1e-3);
    for (plain, mixed) in plain.iter().zip(&mixed) {
        assert!((plain - mixed).abs() <= 1e-6 * plain, "{plain} {mixed}");
    }
}

#[test]
fn an_unstable_rest_has_its_growing_motion_beside_the_others() {
    // On ground that pushes with 100 N/m along each metre: ω² = β⁴ - 100 /s².
    for elements in [10, 90] {
        let [mass, stiffness] = beam(elements, 1e-8).map(|matrix| held(&matrix, 2));
        let before = modes(mass.clone(), stiffness.clone());
        let after = modes(mass.clone(), &stiffness - &mass * 100.0);
        assert!(after[0] < 0.0 && after[1] > 0.0);
        for (before, after) in before.iter().zip(&after) {
            assert!((before - 100.0 - after).abs() < 1e-7 * (1.0 + after.abs()));
        }
    }
}

#[test]
fn no_modes_are_better_than_wrong_ones() {
    let massless = Mat::from_fn(3, 3, |i, j| f64::from(u8::from(i == j && i < 2)));
    let system = Conservative::new(massless, Mat::identity(3, 3), Mat::identity(3, 3));
    assert!(NaturalModes::of(&system.expect("symmetric")).is_err());
}

/// A chain of masses in a plane that turns: of each mode of the chain at rest s = ± i (ω ± Ω).
#[test]
fn a_turning_chain_of_300_unknowns_is_seen_from_its_frame() {
    let (masses, turning) = (150, 0.3);
    let n = 2 * masses;
    let chain = Mat::from_fn(masses, masses, |i, j| match i.abs_diff(j) {
        0 => 2.0,
        1 => -1.0,
        _ => 0.0,
    });
    let matrix = Mat::from_fn(2 * n, 2 * n, |i, j| {
        let (mass, axis) = (i % n / 2, i % 2);
        let (other, along) = (j % n / 2, j % 2);
        match (i < n, j < n) {
            (true, _) => f64::from(u8::from(j == i + n)),
            (false, true) if axis == along => {
                turning * turning * f64::from(u8::from(mass == other)) - chain[(mass, other)]
            }
            (false, false) if mass == other && axis != along => {
                // -2 Ω × v.
                2.0 * turning * if axis == 0 { 1.0 } else { -1.0 }
            }
            _ => 0.0,
        }
    });
    let spectrum = Spectrum::of(&matrix).expect("found");
    let mut found: Vec<f64> = spectrum.pairs.iter().map(|pair| pair.value.im).collect();
    found.sort_by(f64::total_cmp);
    let values = chain.self_adjoint_eigenvalues(Side::Lower).expect("found");
    let both = values
        .iter()
        .flat_map(|square| [square.sqrt() + turning, square.sqrt() - turning]);
    let mut expected: Vec<f64> = both.map(f64::abs).collect();
    expected.sort_by(f64::total_cmp);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }
    let growth = spectrum.pairs.iter().map(|pair| pair.value.re.abs());
    assert!(growth.fold(0.0, f64::max) <= spectrum.round_off);
}
