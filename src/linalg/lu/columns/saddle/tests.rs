//! Beside the dense factorization of the same matrix.

use super::{SaddleShape, SaddleSolver};
use crate::linalg::Pattern;
use crate::linalg::lu::columns::{ColumnSolver, Inverted, Parts, column_length};
use pulp::{Simd, WithSimd};

/// Numbers from -1 to 1; the same ones for the same seed.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// Groups of variables that do not stand side by side, and rows that each miss a variable.
fn shape(sizes: &[usize], rows: usize) -> SaddleShape {
    let variables = sizes.iter().sum();
    let mut free: Vec<usize> = (0..variables).rev().collect();
    // The first and the last of what is left, in turns.
    let mut next = |at: usize| match at % 2 {
        0 => free.pop().expect("one for each member"),
        _ => free.remove(0),
    };
    let mut coupled = Vec::new();
    for &size in sizes {
        let members: Vec<usize> = (0..size).map(&mut next).collect();
        for pair in members.windows(2) {
            coupled.push((pair[0], pair[1]));
        }
    }
    let entries = (0..rows).flat_map(|row| (0..variables).map(move |variable| (row, variable)));
    let kept = entries.filter(|(row, variable)| row % variables != *variable);
    let pattern = Pattern::from_entries(rows, variables, kept).expect("within bounds");
    SaddleShape::new(coupled.into_iter(), &pattern).expect("small groups")
}

/// A matrix: A and C part by part, and Bᵀ.
struct Matrix<const P: usize> {
    values: [Vec<f64>; P],
    transposed: Vec<f64>,
}

fn matrix<const P: usize>(shape: &SaddleShape, seed: u64) -> Matrix<P> {
    let (variables, rows) = shape.sizes();
    let mut next = numbers(seed);
    let values = [(); P].map(|()| {
        let mut values = vec![0.0; shape.length()];
        for group in &shape.groups {
            values[group.range()].fill_with(&mut next);
        }
        for row in 0..rows {
            for &variable in shape.variables_of(row) {
                values[shape.constraint(row, variable)] = next();
            }
        }
        values
    });
    let mut transposed = vec![0.0; shape.transposed_length()];
    for row in 0..rows {
        for &variable in shape.variables_of(row) {
            transposed[shape.transposed(row, variable)] = next();
        }
    }
    assert_eq!(shape.vector_length() - variables, shape.stride);
    Matrix { values, transposed }
}

/// The terms of a matrix: its parts times 1 and times i.
fn terms<const P: usize>(values: &[Vec<f64>; P]) -> [(Parts<P>, &[f64]); P] {
    let mut terms = values.each_ref().map(|values| ([0.0; P], &values[..]));
    for (part, (factor, _)) in terms.iter_mut().enumerate() {
        factor[part] = 1.0;
    }
    terms
}

fn factored<const P: usize>(shape: &SaddleShape, matrix: &Matrix<P>) -> (SaddleSolver<P>, bool) {
    let mut lu = SaddleSolver::new(shape);
    let safe = lu.factor(shape, &terms(&matrix.values), &matrix.transposed);
    (lu, safe)
}

fn dense<const P: usize>(shape: &SaddleShape, matrix: &Matrix<P>) -> (ColumnSolver<P>, bool) {
    let (variables, rows) = shape.sizes();
    let size = variables + rows;
    let mut whole = [(); P].map(|()| vec![0.0; size * column_length(size)]);
    for (part, (whole, values)) in whole.iter_mut().zip(&matrix.values).enumerate() {
        let transposed = (part == 0).then_some(&matrix.transposed[..]);
        shape.expand(values, transposed, whole);
    }
    let mut lu = ColumnSolver::new(size, Inverted::UpToThree);
    let safe = lu.factor_safely(&terms(&whole), 1e-10);
    (lu, safe)
}

fn right<const P: usize>(shape: &SaddleShape, seed: u64) -> [Vec<f64>; P] {
    let (variables, rows) = shape.sizes();
    let mut next = numbers(seed);
    [(); P].map(|()| {
        let mut b = vec![0.0; shape.vector_length()];
        b[..variables + rows].fill_with(&mut next);
        b
    })
}

/// A solution by itself.
struct Alone<'a, const P: usize> {
    solver: &'a mut SaddleSolver<P>,
    shape: &'a SaddleShape,
    transposed: &'a [f64],
    b: [&'a mut [f64]; P],
}

impl<const P: usize> WithSimd for Alone<'_, P> {
    type Output = ();
    fn with_simd<S: Simd>(self, simd: S) {
        self.solver.solve(simd, self.shape, self.transposed, self.b);
    }
}

/// How far the solution is from that of the dense matrix, beside its size; `None` if a pivot is doubtful.
fn difference<const P: usize>(shape: &SaddleShape, seed: u64) -> Option<f64> {
    let matrix = matrix::<P>(shape, seed);
    let ((mut lu, safe), (mut other, regular)) = (factored(shape, &matrix), dense(shape, &matrix));
    if !safe {
        return None;
    }
    assert!(regular, "{seed}");
    let mut x = right::<P>(shape, seed + 1);
    let mut y = x.clone();
    let arch = lu.arch();
    arch.dispatch(Alone {
        solver: &mut lu,
        shape,
        transposed: &matrix.transposed,
        b: x.each_mut().map(Vec::as_mut_slice),
    });
    assert_eq!(lu.work(), (1, 1));
    other.solve(y.each_mut().map(Vec::as_mut_slice));
    let (variables, rows) = shape.sizes();
    let (mut difference, mut size) = (0.0, 0.0);
    for (x, y) in x.iter().zip(&y) {
        for (x, y) in x.iter().zip(y).take(variables + rows) {
            difference += (x - y).abs();
            size += y.abs();
        }
    }
    Some(difference / size)
}

#[test]
fn solutions_are_those_of_the_dense_matrix() {
    let (mut safe, mut doubtful) = (0, 0);
    for sizes in [
        &[1, 1, 1, 1, 1][..],
        &[2, 1, 2, 2],
        &[3, 1, 1, 1, 3],
        &[3, 3, 3, 3, 2, 1],
    ] {
        let most = sizes.iter().sum::<usize>();
        for rows in 4..most.min(14) {
            let shape = shape(sizes, rows);
            for seed in 0..20 {
                for difference in [difference::<1>(&shape, seed), difference::<2>(&shape, seed)] {
                    match difference {
                        Some(difference) => {
                            assert!(difference < 1e-8, "{sizes:?} {rows} {seed}: {difference:e}");
                            safe += 1;
                        }
                        None => doubtful += 1,
                    }
                }
            }
        }
    }
    assert!(safe > 20 * doubtful, "{safe} {doubtful}");
}

#[test]
fn what_needs_other_pivots_or_has_none_is_doubtful() {
    let shape = shape(&[2, 1, 2, 3], 5);
    let mut tried = 0;
    for seed in 0..10 {
        let regular = || matrix::<1>(&shape, 100 + seed);
        if !factored(&shape, &regular()).1 {
            continue;
        }
        tried += 1;
        // A massless variable: its constraint rows have pivots, its group has none.
        for group in &shape.groups {
            let mut massless = regular();
            massless.values[0][group.range()].fill(0.0);
            assert!(!factored(&shape, &massless).1);
        }
        // Two rows of C that are one: no pivot anywhere.
        let mut twice = regular();
        for variable in 0..shape.sizes().0 {
            twice.values[0][shape.constraint(1, variable)] =
                2.0 * twice.values[0][shape.constraint(0, variable)];
        }
        assert!(!factored(&shape, &twice).1 && !dense(&shape, &twice).1);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in [shape.groups[0].first, shape.constraint(0, 1)] {
                let mut broken = regular();
                broken.values[0][place] = bad;
                assert!(!factored(&shape, &broken).1, "{bad} at {place}");
            }
            let mut broken = regular();
            broken.transposed[shape.transposed(0, 1)] = bad;
            assert!(!factored(&shape, &broken).1, "{bad}");
        }
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn light_variables_are_refused_or_seen_in_the_rows() {
    let shape = shape(&[1, 1, 1, 1, 1, 1], 4);
    for light in [
        1.0, 1e-4, 1e-8, 1e-10, 1e-12, 1e-14, 1e-16, 1e-20, 1e-30, 1e-100,
    ] {
        for seed in 0..20 {
            let mut matrix = matrix::<1>(&shape, seed);
            for (at, group) in shape.groups.iter().enumerate() {
                matrix.values[0][group.first] = if at == 2 { light } else { 1.0 + at as f64 };
            }
            // C = B: what constraints forbid, they hold back.
            for row in 0..4 {
                for &variable in shape.variables_of(row) {
                    matrix.values[0][shape.constraint(row, variable)] =
                        matrix.transposed[shape.transposed(row, variable)];
                }
            }
            let ((mut solver, safe), (mut dense, _)) =
                (factored(&shape, &matrix), dense(&shape, &matrix));
            if !safe {
                continue;
            }
            let [right] = right::<1>(&shape, seed + 50);
            let (mut x, mut y) = (right.clone(), right.clone());
            solver.arch().dispatch(Alone {
                solver: &mut solver,
                shape: &shape,
                transposed: &matrix.transposed,
                b: [&mut x],
            });
            dense.solve([&mut y]);
            let violation = solver.violation(&shape, &[&x], &[&right]);
            let size = y[..10].iter().fold(0.0_f64, |max, y| max.max(y.abs()));
            let error =
                (x.iter().zip(&y).take(10)).fold(0.0_f64, |max, (x, y)| max.max((x - y).abs()));
            assert!(
                error <= 1e-4 * size || violation > 1e-6,
                "{light:e} {seed}: {error:e} {violation:e}"
            );
            assert!(
                light < 1e-4 || violation < 1e-7,
                "{light:e} {seed}: {violation:e}"
            );
        }
    }
}

#[test]
fn units_of_variables_and_rows_change_nothing() {
    let shape = shape(&[2, 1, 2, 3], 5);
    let mut scaled = matrix::<1>(&shape, 7);
    assert!(factored(&shape, &scaled).1);
    // Forces and velocities in other units, and a third one for the multiplier of each row.
    let unit = |at: usize| 10_f64.powi(5 * (at % 3) as i32 - 5);
    let (variables, rows) = shape.sizes();
    for row in 0..rows {
        for variable in 0..variables {
            scaled.values[0][shape.constraint(row, variable)] *= unit(row) * unit(variable);
            scaled.transposed[shape.transposed(row, variable)] *= unit(row + 1) * unit(variable);
        }
    }
    for group in &shape.groups {
        for (j, &column) in group.members[..group.size].iter().enumerate() {
            for (i, &row) in group.members[..group.size].iter().enumerate() {
                scaled.values[0][group.first + j * group.size + i] *= unit(row) * unit(column);
            }
        }
    }
    assert!(factored(&shape, &scaled).1);
}

/// Groups of variables side by side.
fn side_by_side(sizes: &[usize], rows: usize) -> SaddleShape {
    let variables = sizes.iter().sum();
    let (mut coupled, mut first) = (Vec::new(), 0);
    for &size in sizes {
        coupled.extend((first + 1..first + size).map(|member| (member, first)));
        first += size;
    }
    SaddleShape::new(coupled.into_iter(), &Pattern::dense(rows, variables)).expect("small groups")
}

#[test]
fn products_with_groups_and_columns_are_those_of_their_entries() {
    for (sizes, rows) in [
        (&[2, 3, 1, 2][..], 4),
        (&[1; 7], 5),
        (&[3, 3, 2, 3, 1], 9),
        (&[2; 9], 14),
    ] {
        for shape in [shape(sizes, rows), side_by_side(sizes, rows)] {
            let (variables, _) = shape.sizes();
            let [one, other] = matrix::<2>(&shape, 5).values;
            let [base, x, y] = right::<3>(&shape, 6);
            let mut out = right::<1>(&shape, 7);
            let before = out[0].clone();
            let [written] = out.each_mut().map(Vec::as_mut_slice);
            shape.add_coupled(
                [&base],
                [(&one, [&x]), (&other, [&y])],
                &mut [&mut *written],
            );
            shape.add_constrained(&one, [&x], &mut [written]);
            for group in &shape.groups {
                let members = &group.members[..group.size];
                for &i in members {
                    let mut expected = base[i];
                    for &j in members {
                        let place = shape.coupling(i, j);
                        expected += one[place] * x[j] + other[place] * y[j];
                    }
                    approx::assert_abs_diff_eq!(out[0][i], expected, epsilon = 1e-14);
                }
            }
            for row in 0..rows {
                let terms = (0..variables).map(|j| one[shape.constraint(row, j)] * x[j]);
                let expected = before[variables + row] + terms.sum::<f64>();
                approx::assert_abs_diff_eq!(out[0][variables + row], expected, epsilon = 1e-14);
            }
        }
    }
}

#[test]
fn large_groups_and_few_rows_have_no_shape() {
    let coupled = |members: usize| (1..members).map(|member| (0, member));
    for (members, rows, variables, fits) in [
        (3, 4, 6, true),
        (4, 4, 6, false),
        (3, 3, 6, false),
        (1, 4, 3, false),
    ] {
        let shape = SaddleShape::new(coupled(members), &Pattern::dense(rows, variables));
        assert_eq!(shape.is_some(), fits, "{members} {rows} {variables}");
    }
}
