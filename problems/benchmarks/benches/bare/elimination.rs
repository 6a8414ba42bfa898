//! Accelerations of Andrews' mechanism by an elimination that knows its structure: no patterns, no checks of answers.

use liedae::system::{MatrixMut, Model, Point, Wanted};
use liedae_problems::andrews::Andrews;

pub const ANGLES: usize = 7;
const ROWS: usize = 6;

/// The angles that all loops share, coupled by the masses.
const SHARED: [usize; 2] = [0, 1];
/// The angle of the first loop, and the coupled ones of each of the others.
const ALONE: usize = 2;
const OWN: [[usize; 2]; 2] = [[3, 4], [5, 6]];

/// The symmetric matrix of two coupled angles: own, coupling, other.
type Pair = [f64; 3];

fn inverse([own, coupling, other]: Pair) -> Pair {
    let scale = 1.0 / (own * other - coupling * coupling);
    [other * scale, -coupling * scale, own * scale]
}

fn times([own, coupling, other]: Pair, [a, b]: [f64; 2]) -> [f64; 2] {
    [own * a + coupling * b, coupling * a + other * b]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Solves `M a = f + Gᵀ λ`, `G a = -γ` for a.
#[inline(always)]
pub fn accelerations(model: &Andrews, q: &[f64; ANGLES], v: &[f64; ANGLES]) -> [f64; ANGLES] {
    let (mut mass, mut force) = ([[0.0; ANGLES]; ANGLES], [0.0; ANGLES]);
    let (mut jacobian, mut bias) = ([[0.0; ANGLES]; ROWS], [0.0; ROWS]);
    let at = Point {
        t: 0.0,
        q,
        v,
        x: &[],
        z: &[],
        lambda: &[],
        mode: &[],
    };
    let mut wanted = Wanted {
        mass: Some(MatrixMut::new(ANGLES, mass.as_flattened_mut())),
        rates: Some(&mut force),
        jacobian: Some(MatrixMut::new(ANGLES, jacobian.as_flattened_mut())),
        acceleration_bias: Some(&mut bias),
        ..Wanted::default()
    };
    model.at_point(&at, &mut wanted);

    // Inverse masses, and the accelerations that forces would give without the loops. The first loop has one angle, with a zero behind it.
    let coupled = |[i, j]: [usize; 2]| inverse([mass[i][i], mass[i][j], mass[j][j]]);
    let of_shared = coupled(SHARED);
    let of_own = [
        [1.0 / mass[ALONE][ALONE], 0.0, 0.0],
        coupled(OWN[0]),
        coupled(OWN[1]),
    ];
    let at = |list: &[f64; ANGLES], [i, j]: [usize; 2]| [list[i], list[j]];
    let own = |list: &[f64; ANGLES], k: usize| match k {
        0 => [list[ALONE], 0.0],
        _ => at(list, OWN[k - 1]),
    };
    let free_shared = times(of_shared, at(&force, SHARED));
    let free_own: [[f64; 2]; 3] = std::array::from_fn(|k| times(of_own[k], own(&force, k)));

    // Columns of M⁻¹ Gᵀ; G M⁻¹ Gᵀ by its lower triangle, and -γ - G M⁻¹ f.
    let shared_entries = jacobian.map(|row| at(&row, SHARED));
    let own_entries: [[f64; 2]; ROWS] = std::array::from_fn(|row| own(&jacobian[row], row / 2));
    let by_shared = shared_entries.map(|entries| times(of_shared, entries));
    let by_own: [[f64; 2]; ROWS] =
        std::array::from_fn(|row| times(of_own[row / 2], own_entries[row]));
    let mut s = [[0.0; ROWS]; ROWS];
    for i in 0..ROWS {
        for j in 0..=i {
            s[i][j] = dot(shared_entries[i], by_shared[j]);
            if i / 2 == j / 2 {
                s[i][j] += dot(own_entries[i], by_own[j]);
            }
        }
    }
    let mut lambda: [f64; ROWS] = std::array::from_fn(|row| {
        -bias[row]
            - dot(shared_entries[row], free_shared)
            - dot(own_entries[row], free_own[row / 2])
    });
    let mut inverse_pivot = [0.0; ROWS];
    for k in 0..ROWS {
        inverse_pivot[k] = 1.0 / s[k][k];
        for i in k + 1..ROWS {
            let factor = s[i][k] * inverse_pivot[k];
            for j in k + 1..=i {
                s[i][j] -= factor * s[j][k];
            }
            lambda[i] -= factor * lambda[k];
        }
    }
    for k in (0..ROWS).rev() {
        for i in k + 1..ROWS {
            lambda[k] -= s[i][k] * lambda[i];
        }
        lambda[k] *= inverse_pivot[k];
    }

    let mut accelerations = [0.0; ANGLES];
    for (angle, place) in SHARED.into_iter().enumerate() {
        let products = by_shared.iter().zip(&lambda);
        accelerations[place] = free_shared[angle]
            + products
                .map(|(column, lambda)| column[angle] * lambda)
                .sum::<f64>();
    }
    let of_loop = |k: usize, angle: usize| {
        let [first, second] = [2 * k, 2 * k + 1].map(|row| by_own[row][angle] * lambda[row]);
        free_own[k][angle] + first + second
    };
    accelerations[ALONE] = of_loop(0, 0);
    for (k, places) in OWN.into_iter().enumerate() {
        for (angle, place) in places.into_iter().enumerate() {
            accelerations[place] = of_loop(k + 1, angle);
        }
    }
    accelerations
}
