//! Beside the factorization by rows.

use super::lanes;
use super::{ColumnSolver, Inverted, Parts, column_length, solve_both};
use crate::linalg::{Number, SquareLu};
use faer::c64;

/// Entries of many sizes, some zero; the same ones for the same seed.
fn numbers(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count)
        .map(|_| match next() {
            few if few > 0.3 => 0.0,
            size => next() * 10_f64.powf(6.0 * size),
        })
        .collect()
}

/// A number of the other factorization by parts.
trait Split<const P: usize>: Number + std::fmt::Debug {
    fn parts(self) -> Parts<P>;
}

impl Split<1> for f64 {
    fn parts(self) -> [f64; 1] {
        [self]
    }
}

impl Split<2> for c64 {
    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }
}

/// The matrix as a sum of its real part times 1 and its imaginary part times i.
fn factored<N: Split<P>, const P: usize>(
    n: usize,
    entries: &[N],
    inverted: Inverted,
) -> (ColumnSolver<P>, bool) {
    let stride = column_length(n);
    let mut matrices = vec![vec![0.0; n * stride]; P];
    for (at, entry) in entries.iter().enumerate() {
        for (matrix, part) in matrices.iter_mut().zip(entry.parts()) {
            matrix[at % n * stride + at / n] = part;
        }
    }
    let mut lu = ColumnSolver::new(n, inverted);
    let sum: Vec<(Parts<P>, &[f64])> = (matrices.iter().enumerate())
        .map(|(part, matrix)| {
            let mut unit = [0.0; P];
            unit[part] = 1.0;
            (unit, &matrix[..])
        })
        .collect();
    let verdict = lu.factor_safely(&sum, 1e-10);
    (lu, verdict)
}

const BOTH: [Inverted; 2] = [Inverted::UpToThree, Inverted::UpToEight];

/// Both factorizations: verdict, factors, and how far a solution is from that of the other, beside its size.
fn both<N: Split<P>, const P: usize>(n: usize, entries: &[N], inverted: Inverted) -> Option<f64> {
    let mut plain = SquareLu::<N>::new(n);
    plain.matrix_to_overwrite(n).copy_from_slice(entries);
    let verdict = plain.factor_safely(1e-10);
    let (mut lu, same) = factored::<N, P>(n, entries, inverted);
    let is_inverse = !lu.factors.inverse.is_empty();
    // Inverses are judged by their own pivots, small determinants by what cancels.
    assert!(same == verdict || is_inverse, "{n}: {entries:?}");
    if !verdict || !same {
        return None;
    }
    let stride = column_length(n);
    let factors = if is_inverse { &[] } else { &plain.lu[..] };
    for (at, entry) in factors.iter().enumerate() {
        let (row, column) = (at / n, at % n);
        let factors = &lu.factors;
        let place = column * P * stride..(column + 1) * P * stride;
        let found: Parts<P> = match row.cmp(&column) {
            std::cmp::Ordering::Less => lanes::entry(&factors.upper[place], stride, row),
            std::cmp::Ordering::Greater => lanes::entry(&factors.lower[place], stride, row),
            std::cmp::Ordering::Equal => continue,
        };
        assert_eq!(found, entry.parts(), "{n}: row {row}, column {column}");
    }
    if !is_inverse {
        assert_eq!(lu.factors.source[..n], plain.source);
    }
    let mut expected = entries[..n].to_vec();
    let mut parts = [(); P].map(|()| vec![0.0; n]);
    for (at, entry) in entries[..n].iter().enumerate() {
        for (part, value) in parts.iter_mut().zip(entry.parts()) {
            part[at] = value;
        }
    }
    plain.solve(&mut expected);
    let mut vectors = parts.iter_mut();
    lu.solve([(); P].map(|()| &mut vectors.next().expect("P vectors")[..]));
    let (mut difference, mut size) = (0.0_f64, 0.0_f64);
    for (at, expected) in expected.iter().enumerate() {
        for (part, value) in parts.iter().zip(expected.parts()) {
            difference += (part[at] - value).abs();
            size += value.abs();
        }
    }
    assert!(difference.is_finite());
    Some(difference / size.max(f64::MIN_POSITIVE))
}

#[test]
fn solutions_are_those_of_rows_and_factors_are_bit_by_bit() {
    let (mut safe, mut doubtful) = (0, 0);
    for n in 1..=34 {
        for seed in 0..20 {
            let values = numbers(100 * seed + n as u64, 2 * n * n);
            let complex: Vec<c64> = (values.as_chunks::<2>().0.iter())
                .map(|&[re, im]| c64::new(re, im))
                .collect();
            for difference in BOTH.into_iter().flat_map(|inverted| {
                let real = both(n, &values[..n * n], inverted);
                [real, both(n, &complex, inverted)]
            }) {
                match difference {
                    // Sums of other orders, magnified by ill-conditioned matrices.
                    Some(difference) => {
                        assert!(difference < 1e-7, "{n}: {difference:e}");
                        safe += 1;
                    }
                    None => doubtful += 1,
                }
            }
        }
    }
    assert!(safe > 1000 && doubtful > 0, "{safe} {doubtful}");
}

#[test]
fn two_at_a_time_are_solved_as_one_by_one() {
    for (n, inverted) in (1..=20).flat_map(|n| BOTH.map(|inverted| (n, inverted))) {
        let regular = |seed| {
            let values = numbers(seed, n * n).into_iter().enumerate();
            let regular = values.map(|(at, value)| match at % (n + 1) {
                0 => value + 1e4,
                _ => value,
            });
            regular.collect::<Vec<f64>>()
        };
        let (real, imaginary) = (regular(3), numbers(4, n * n));
        let complex: Vec<c64> = (real.iter().zip(&imaginary))
            .map(|(&re, &im)| c64::new(re, im))
            .collect();
        let (mut one, safe) = factored::<f64, 1>(n, &real, inverted);
        let (mut two, also) = factored::<c64, 2>(n, &complex, inverted);
        assert!(safe && also);
        let right = |seed| numbers(seed, n);
        let mut apart = [right(5), right(6), right(7)];
        let mut together = apart.clone();
        let [first, second, third] = &mut apart;
        one.solve([first]);
        two.solve([second, third]);
        let [first, second, third] = &mut together;
        solve_both(&mut one, &mut two, [first, second, third]);
        assert_eq!(apart, together, "{n}");
        assert_eq!((one.work(), two.work()), ((1, 2), (1, 2)));
    }
}

#[test]
fn what_is_singular_or_not_finite_is_doubtful() {
    let sizes = [2, 3, 4, 5, 8, 13].into_iter();
    for (n, inverted) in sizes.flat_map(|n| BOTH.map(|inverted| (n, inverted))) {
        let regular = numbers(7, n * n).into_iter().enumerate();
        let regular: Vec<f64> = regular
            .map(|(at, value)| value + if at % (n + 1) == 0 { 1e4 } else { 0.0 })
            .collect();
        assert!(both(n, &regular, inverted).is_some());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in [0, 1, n * n - 1] {
                let mut matrix = regular.clone();
                matrix[place] = bad;
                assert!(!factored::<f64, 1>(n, &matrix, inverted).1, "{n} {bad}");
            }
        }
        let mut twice = regular.clone();
        twice.copy_within(..n, n);
        assert!(both(n, &twice, inverted).is_none());
        let mut empty = regular;
        empty[..n].fill(0.0);
        assert!(both(n, &empty, inverted).is_none());
    }
}

#[test]
fn complex_pivots_that_cannot_be_squared_are_doubtful() {
    for unit in [1e-160, 1e-155, 1e155, 1e160] {
        let entries = [2.0, 1.0, 1.0, 3.0].map(|value| c64::new(value * unit, 0.5 * unit));
        assert!(
            !factored::<c64, 2>(2, &entries, Inverted::UpToThree).1,
            "{unit:e}"
        );
    }
}

#[test]
fn without_unknowns_there_is_nothing_to_do() {
    let mut lu = ColumnSolver::<2>::new(0, Inverted::UpToEight);
    assert!(lu.factor_safely(&[], 1e-10));
    lu.solve([&mut [], &mut []]);
}

/// The solutions with α I + A, made in one way and in the other.
fn shifted_and_summed<const P: usize>(n: usize, alpha: Parts<P>, matrix: &[f64]) {
    let stride = column_length(n);
    let (mut unit, mut padded) = (vec![0.0; n * stride], vec![0.0; n * stride]);
    for column in 0..n {
        unit[column * stride + column] = 1.0;
        for row in 0..n {
            padded[column * stride + row] = matrix[column * n + row];
        }
    }
    let mut one = [0.0; P];
    one[0] = 1.0;
    let [mut shifted, mut summed] =
        [(); 2].map(|()| ColumnSolver::<P>::new(n, Inverted::UpToEight));
    let verdict = shifted.factor_shifted(alpha, &padded, 1e-10);
    assert_eq!(
        summed.factor_safely(&[(one, &padded), (alpha, &unit)], 1e-10),
        verdict
    );
    assert!(verdict, "{n}: diagonals dominate");
    let solution = |lu: &mut ColumnSolver<P>| {
        let mut parts = [(); P].map(|()| (1..=n).map(|i| 1.0 / i as f64).collect::<Vec<_>>());
        lu.solve(parts.each_mut().map(Vec::as_mut_slice));
        parts
    };
    assert_eq!(solution(&mut shifted), solution(&mut summed));
}

#[test]
fn a_shifted_matrix_is_that_of_a_sum() {
    for n in 1..=17 {
        let matrix: Vec<f64> = (0..n * n).map(|at| (at as f64 * 0.7).sin()).collect();
        shifted_and_summed(n, [-3.0 * n as f64], &matrix);
        shifted_and_summed(n, [2.0, 3.0 * n as f64], &matrix);
    }
}

/// Well-conditioned numbers for a matrix that is factorized by blocks.
fn shifted(seed: u64, n: usize) -> Vec<f64> {
    let mut values = numbers(seed, n * n);
    for (at, value) in values.iter_mut().enumerate() {
        *value = value.clamp(-1.0, 1.0) + if at % n == at / n { n as f64 } else { 0.0 };
    }
    values
}

#[test]
fn large_matrices_have_the_solutions_of_rows() {
    for n in [192, 203] {
        let values = shifted(n as u64, n);
        let imaginary = shifted(n as u64 + 1, n);
        let entries = values.iter().zip(&imaginary);
        let complex: Vec<c64> = entries.map(|(&re, &im)| c64::new(re, im)).collect();
        let (mut real_lu, safe) = factored::<f64, 1>(n, &values, Inverted::UpToThree);
        let (mut complex_lu, both_safe) = factored::<c64, 2>(n, &complex, Inverted::UpToThree);
        assert!(safe && both_safe && real_lu.factors.blocks.is_some());

        let mut plain = SquareLu::new(n);
        plain.matrix_to_overwrite(n).copy_from_slice(&values);
        plain.factor().expect("regular");
        let mut plain_complex = SquareLu::new(n);
        plain_complex
            .matrix_to_overwrite(n)
            .copy_from_slice(&complex);
        plain_complex.factor().expect("regular");
        let mut expected = imaginary[..n].to_vec();
        let mut expected_complex = complex[..n].to_vec();
        plain.solve(&mut expected);
        plain_complex.solve(&mut expected_complex);

        let (mut b, mut re, mut im) = (
            imaginary[..n].to_vec(),
            values[..n].to_vec(),
            imaginary[..n].to_vec(),
        );
        solve_both(&mut real_lu, &mut complex_lu, [&mut b, &mut re, &mut im]);
        let mut alone = imaginary[..n].to_vec();
        real_lu.solve([&mut alone]);
        assert_eq!(alone, b);
        for k in 0..n {
            assert!((b[k] - expected[k]).abs() < 1e-12);
            assert!((c64::new(re[k], im[k]) - expected_complex[k]).size() < 1e-12);
        }

        // A row twice, and something that is no number.
        let mut twice = values.clone();
        twice.copy_within(0..n, 5 * n);
        assert!(!factored::<f64, 1>(n, &twice, Inverted::UpToThree).1);
        twice[n + 7] = f64::NAN;
        assert!(!factored::<f64, 1>(n, &twice, Inverted::UpToThree).1);
    }
}
