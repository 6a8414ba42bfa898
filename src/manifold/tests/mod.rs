//! Group laws against formulas that share no code with the implementation.

mod groups;
mod oracles;
mod product;
mod series;

/// Fails on NaN: the comparison is then false.
#[track_caller]
fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= tolerance,
            "{what}, entry {i}: {a:e} is not {b:e} to {tolerance:e}"
        );
    }
}

/// Unit vectors: axes of coordinates, diagonals and the general case.
fn axes() -> Vec<[f64; 3]> {
    [
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 1.0],
        [0.3, -0.8, 0.5],
        [-0.2, 0.1, -0.97],
        [1.0, 1e-7, -1e-9],
    ]
    .into_iter()
    .map(|a: [f64; 3]| {
        let length = a[0].hypot(a[1]).hypot(a[2]);
        a.map(|x| x / length)
    })
    .collect()
}
