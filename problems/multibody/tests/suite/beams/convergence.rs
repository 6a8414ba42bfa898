//! How errors fall with the length of elements, for each kind of deformation: the table of docs/book/src/numerics/beams.md.

use super::equilibria::{eighth, elastica_error, princeton};
use super::motions::swung;
use super::orders;
use super::vibrations::{clamped_frequencies, spun};
use liedae::solve::Options;
use liedae_multibody::{Beam, Section};
use std::f64::consts::FRAC_PI_2;

/// A straight beam of 1 m: for bending stiffer in the plane, so that no mode is of both directions, and thin; for other
/// waves of 10 m/s along it and of 20 m/s about it.
fn beam(count: usize, way: usize, published: bool) -> Beam {
    let section = match way {
        4 => Section::new([1e3, 1e6, 1e6, 1.0, 1.0, 9.0], 1.0, [2e-5, 1e-5, 1e-5]),
        _ => Section::new([100.0, 1e3, 1e3, 4.0, 1.0, 1.0], 1.0, [1e-2, 5e-3, 5e-3]),
    };
    let beam = Beam::straight("beam", section, [0.0; 3], [1.0, 0.0, 0.0], count);
    match published {
        true => beam.with_constant_strain_energy(),
        false => beam,
    }
}

/// The error of the lowest frequency in which the end of a clamped beam moves this way most, relative to that of 64 elements or this one.
fn frequency_error(way: usize, published: bool, exact: Option<f64>) -> impl Fn(usize) -> f64 {
    let of = move |count, published| clamped_frequencies(beam(count, way, published), way)[0];
    let exact = exact.unwrap_or_else(|| of(64, false));
    move |count| (of(count, published) / exact - 1.0).abs()
}

/// The error of the length of the beam of the spin-up manoeuvre while it turns steadily, relative to its extension.
fn turning_error(count: usize) -> f64 {
    let (rate, length) = (6.0, 10.0);
    let section = Section::new(
        [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4],
        1.2,
        [1.2e-3, 6e-4, 6e-4],
    );
    let wave = rate * (1.2_f64 / 2.8e7).sqrt();
    let exact = (wave * length).tan() / wave - length;
    let beam = Beam::straight("beam", section, [0.0; 3], [length, 0.0, 0.0], count);
    ((spun(beam, rate).x - length) / exact - 1.0).abs()
}

/// A kind of deformation, numbers of elements, what is wrong with so many, and the least and greatest order.
type Row = (
    &'static str,
    [usize; 3],
    Box<dyn Fn(usize) -> f64>,
    [f64; 2],
);

#[test]
fn errors_fall_with_the_order_of_each_kind_of_deformation() {
    let fine = princeton(45.0, 64);
    let curved = eighth(32, false);
    let swing = |count| swung(count, "radau5", &Options::adaptive(0.5, 1e-7, 1e-7));
    let swings = swing(48);
    let rows: [Row; 10] = [
        (
            "bending, frequency",
            [8, 16, 32],
            Box::new(frequency_error(4, false, None)),
            [3.9, 5.5],
        ),
        (
            "bending, frequency, published energy",
            [8, 16, 32],
            Box::new(frequency_error(4, true, None)),
            [1.8, 2.2],
        ),
        (
            "stretching, frequency",
            [8, 16, 32],
            Box::new(frequency_error(0, false, Some(FRAC_PI_2 * 10.0))),
            [1.7, 2.3],
        ),
        (
            "twisting, frequency",
            [8, 16, 32],
            Box::new(frequency_error(3, false, Some(FRAC_PI_2 * 20.0))),
            [1.7, 2.3],
        ),
        (
            "stretching, turning steadily",
            [2, 4, 8],
            Box::new(turning_error),
            [1.5, 6.0],
        ),
        (
            "large bending in the plane, at rest",
            [2, 4, 8],
            Box::new(elastica_error),
            [3.5, 5.0],
        ),
        (
            "bending and twisting of an arc, at rest",
            [4, 8, 16],
            Box::new(move |count| (eighth(count, false) - curved).norm()),
            [3.5, 5.0],
        ),
        (
            "the same, published energy",
            [4, 8, 16],
            Box::new(move |count| (eighth(count, true) - curved).norm()),
            [1.9, 2.1],
        ),
        (
            "bending about both axes with twisting",
            [4, 8, 16],
            Box::new(move |count| (princeton(45.0, count) - fine).norm()),
            [1.7, 2.5],
        ),
        (
            "a swinging rubber rod",
            [6, 12, 24],
            Box::new(move |count| (swing(count) - swings).norm()),
            [3.5, 8.0],
        ),
    ];
    println!("| deformation | elements | errors | orders |\n|---|---|---|---|");
    for (kind, counts, error, [least, most]) in rows {
        let errors = counts.map(error);
        let slopes = orders(&errors);
        println!(
            "| {kind} | {}, {}, {} | {:.1e}, {:.1e}, {:.1e} | {:.1}, {:.1} |",
            counts[0], counts[1], counts[2], errors[0], errors[1], errors[2], slopes[0], slopes[1]
        );
        assert!(
            slopes.iter().all(|order| (least..=most).contains(order)),
            "{kind}: {slopes:?} {errors:?}"
        );
    }
}
