//! Two independent ways to solve small positive semidefinite problems.

use liedae_contact::complementarity::RowKind;

use super::generator::Problem;

/// All basic solutions (z, w): every nonsingular principal submatrix is tried. For positive semidefinite matrices each
/// vertex of the set of solutions is among them. Only for small n.
pub fn enumerate(problem: &Problem) -> Vec<(Vec<f64>, Vec<f64>)> {
    let n = problem.n;
    let scale = scale(problem);
    let unit = largest(&scaled_vector(problem, &scale)).max(f64::MIN_POSITIVE);
    let mut solutions = Vec::new();
    for set in 0u32..1 << n {
        let indices: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        let Some(z) = principal_solution(problem, &scale, &indices) else {
            continue;
        };
        let w = image(problem, &scale, &z);
        let size = unit.max(largest(&z));
        let good = (0..n).all(|i| match problem.kinds[i] {
            RowKind::Bilateral => w[i].abs() <= 1e-9 * size,
            RowKind::Unilateral => w[i] >= -1e-9 * size && z[i] >= -1e-9 * size,
        });
        if good {
            solutions.push(unscale(&scale, &z, &w));
        }
    }
    solutions
}

/// Minimizes z'Az/2 + b'z over z >= 0 on unilateral rows by the active-set method of Lawson and Hanson.
pub fn quadratic_program(problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let n = problem.n;
    let scale = scale(problem);
    let unit = largest(&scaled_vector(problem, &scale)).max(f64::MIN_POSITIVE);
    let mut passive: Vec<usize> = Vec::new();
    for i in (0..n).filter(|&i| problem.kinds[i] == RowKind::Bilateral) {
        passive.push(i);
        if principal_solution(problem, &scale, &passive).is_none() {
            passive.pop();
        }
    }
    let mut z = principal_solution(problem, &scale, &passive).unwrap();
    for _ in 0..20 * n + 20 {
        let w = image(problem, &scale, &z);
        let size = unit.max(largest(&z));
        let entering = (0..n)
            .filter(|&i| problem.kinds[i] == RowKind::Unilateral && !passive.contains(&i))
            .min_by(|&i, &j| w[i].total_cmp(&w[j]))
            .filter(|&i| w[i] < -1e-11 * size);
        let Some(entering) = entering else { break };
        passive.push(entering);
        loop {
            // To the minimum over the passive set, or down a direction without curvature.
            let target = principal_solution(problem, &scale, &passive);
            let direction = match &target {
                Some(target) => target.iter().zip(&z).map(|(t, z)| t - z).collect(),
                None => flat_direction(problem, &scale, &passive, entering),
            };
            let blocking = passive
                .iter()
                .filter(|&&i| problem.kinds[i] == RowKind::Unilateral && direction[i] < 0.0)
                .map(|&i| (z[i] / -direction[i], i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            match (blocking, target) {
                (None | Some((1.0.., _)), Some(target)) => {
                    z = target;
                    break;
                }
                (Some((length, blocking)), _) => {
                    for (z, d) in z.iter_mut().zip(&direction) {
                        *z += length * d;
                    }
                    z[blocking] = 0.0;
                    passive.retain(|&i| i != blocking);
                    if blocking == entering {
                        break;
                    }
                }
                (None, None) => panic!("an unbounded quadratic program"),
            }
        }
    }
    let w = image(problem, &scale, &z);
    unscale(&scale, &z, &w)
}

fn scale(problem: &Problem) -> Vec<f64> {
    let n = problem.n;
    let diagonal = (0..n).map(|i| problem.matrix[i * n + i]);
    diagonal
        .map(|a| if a > 0.0 { 1.0 / a.sqrt() } else { 1.0 })
        .collect()
}

fn scaled_vector(problem: &Problem, scale: &[f64]) -> Vec<f64> {
    problem
        .vector
        .iter()
        .zip(scale)
        .map(|(b, d)| b * d)
        .collect()
}

fn unscale(scale: &[f64], z: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (
        z.iter().zip(scale).map(|(z, d)| z * d).collect(),
        w.iter().zip(scale).map(|(w, d)| w / d).collect(),
    )
}

fn image(problem: &Problem, scale: &[f64], z: &[f64]) -> Vec<f64> {
    let n = problem.n;
    (0..n)
        .map(|i| {
            let sum: f64 = (0..n)
                .map(|j| problem.matrix[i * n + j] * scale[j] * z[j])
                .sum();
            scale[i] * (problem.vector[i] + sum)
        })
        .collect()
}

/// Scaled z with w = 0 on these indices and z = 0 elsewhere, by Cholesky; `None` if the submatrix is singular.
fn principal_solution(problem: &Problem, scale: &[f64], indices: &[usize]) -> Option<Vec<f64>> {
    let rhs = |i: usize| -scale[i] * problem.vector[i];
    cholesky(problem, scale, indices, rhs)
}

/// Direction along which w stays 0 on the passive set without its last member, which moves by 1.
fn flat_direction(
    problem: &Problem,
    scale: &[f64],
    passive: &[usize],
    entering: usize,
) -> Vec<f64> {
    let others: Vec<usize> = passive.iter().copied().filter(|&i| i != entering).collect();
    let column = |i: usize| -scale[i] * problem.matrix[i * problem.n + entering] * scale[entering];
    let mut direction = cholesky(problem, scale, &others, column).unwrap();
    direction[entering] = 1.0;
    direction
}

fn cholesky(
    problem: &Problem,
    scale: &[f64],
    indices: &[usize],
    rhs: impl Fn(usize) -> f64,
) -> Option<Vec<f64>> {
    let (n, p) = (problem.n, indices.len());
    let mut l = vec![0.0; p * p];
    for r in 0..p {
        for c in 0..=r {
            let (i, j) = (indices[r], indices[c]);
            let entry = scale[i] * problem.matrix[i * n + j] * scale[j];
            let sum: f64 = (0..c).map(|k| l[r * p + k] * l[c * p + k]).sum();
            l[r * p + c] = if r > c {
                (entry - sum) / l[c * p + c]
            } else if entry - sum > 1e-9 {
                (entry - sum).sqrt()
            } else {
                return None;
            };
        }
    }
    let mut x: Vec<f64> = indices.iter().map(|&i| rhs(i)).collect();
    for r in 0..p {
        let sum: f64 = (0..r).map(|k| l[r * p + k] * x[k]).sum();
        x[r] = (x[r] - sum) / l[r * p + r];
    }
    for r in (0..p).rev() {
        let sum: f64 = (r + 1..p).map(|k| l[k * p + r] * x[k]).sum();
        x[r] = (x[r] - sum) / l[r * p + r];
    }
    let mut z = vec![0.0; n];
    for (&i, x) in indices.iter().zip(x) {
        z[i] = x;
    }
    Some(z)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |max, v| max.max(v.abs()))
}
