//! Test systems and the oracle.

use nalgebra::{DMatrix, DVector};

use crate::linalg::{Blocks, KktError, KktSolver, Method, Pattern};

/// Deterministic numbers in (-1, 1), so that failures repeat.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (((self.next() + 1.0) / 2.0 * n as f64) as usize).min(n - 1)
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// Symmetric positive definite, row-major, with condition number around 10.
    pub fn spd(&mut self, n: usize) -> DMatrix<f64> {
        let g = DMatrix::from_fn(n, n, |_, _| self.next());
        &g * g.transpose() * 0.3 + DMatrix::identity(n, n) * 0.7
    }
}

/// Patterns, values and right-hand sides of one problem.
pub struct Problem {
    pub a: Pattern,
    pub b: Pattern,
    pub c: Pattern,
    pub av: Vec<f64>,
    pub bv: Vec<f64>,
    pub cv: Vec<f64>,
    pub blocks: Blocks,
    pub f: Vec<f64>,
    pub g: Vec<f64>,
}

pub struct Solution {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub redundant: Vec<usize>,
    pub fallbacks: usize,
}

impl Problem {
    pub fn dense(
        a: &DMatrix<f64>,
        b: &DMatrix<f64>,
        c: &DMatrix<f64>,
        f: Vec<f64>,
        g: Vec<f64>,
    ) -> Self {
        let (n, m) = (a.nrows(), b.nrows());
        let values = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        Self {
            a: Pattern::dense(n, n),
            b: Pattern::dense(m, n),
            c: Pattern::dense(m, n),
            av: values(a),
            bv: values(b),
            cv: values(c),
            blocks: Blocks::unstructured(n, m),
            f,
            g,
        }
    }

    pub fn matrix(&self) -> DMatrix<f64> {
        let (n, m) = (self.a.rows(), self.b.rows());
        let mut k = DMatrix::zeros(n + m, n + m);
        for (i, j, p) in self.a.iter() {
            k[(i, j)] = self.av[p];
        }
        for (i, j, p) in self.b.iter() {
            k[(j, n + i)] = -self.bv[p];
        }
        for (i, j, p) in self.c.iter() {
            k[(n + i, j)] = self.cv[p];
        }
        k
    }

    pub fn solver(&self, method: Method) -> KktSolver {
        KktSolver::with_method(&self.a, &self.b, &self.c, &self.blocks, method).unwrap()
    }

    pub fn solve(&self, method: Method) -> Result<Solution, KktError> {
        let mut solver = self.solver(method);
        solver.factor(&self.av, &self.bv, &self.cv)?;
        let (mut x, mut y) = (vec![0.0; self.f.len()], vec![0.0; self.g.len()]);
        solver.solve(&self.f, &self.g, &mut x, &mut y)?;
        Ok(Solution {
            x,
            y,
            redundant: solver.redundant_rows().to_vec(),
            fallbacks: solver.fallbacks(),
        })
    }

    /// Least-norm least-squares solution by the pseudo-inverse, `z = (x, y)`.
    pub fn oracle(&self, eps: f64) -> Vec<f64> {
        let mut rhs = self.f.clone();
        rhs.extend(&self.g);
        let matrix = self.matrix();
        let svd = matrix.clone().svd(true, true);
        let eps = eps * svd.singular_values.max();
        let rhs = DVector::from_vec(rhs);
        let mut z = svd.solve(&rhs, eps).unwrap();
        // The SVD of nalgebra alone is sometimes good to four digits only.
        for _ in 0..5 {
            let residual = &rhs - &matrix * &z;
            z += svd.solve(&residual, eps).unwrap();
        }
        z.as_slice().to_vec()
    }

    /// Largest error of a solution against the oracle, relative to the largest entry.
    pub fn error(&self, s: &Solution, eps: f64) -> f64 {
        let z = self.oracle(eps);
        let mine = s.x.iter().chain(&s.y);
        let size = z.iter().fold(1.0_f64, |m, v| m.max(v.abs()));
        mine.zip(&z).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / size
    }

    /// Sets right-hand sides that belong to a random solution.
    pub fn consistent(&mut self, random: &mut Random) {
        let (n, m) = (self.a.rows(), self.b.rows());
        let z = DVector::from_vec(random.vector(n + m));
        let rhs = self.matrix() * z;
        self.f = rhs.as_slice()[..n].to_vec();
        self.g = rhs.as_slice()[n..].to_vec();
    }
}

/// Both methods.
pub const METHODS: [Method; 2] = [Method::Dense, Method::Sparse];

/// Bodies of `freedom` variables and joints `(body, Option<body>, rows)` with random Jacobians.
pub fn mechanism(
    random: &mut Random,
    bodies: usize,
    freedom: usize,
    joints: &[(usize, Option<usize>, usize)],
) -> Problem {
    let n = bodies * freedom;
    let rows: Vec<usize> = joints.iter().map(|j| j.2).collect();
    let m = rows.iter().sum();
    let mut entries = Vec::new();
    let mut first = 0;
    for &(p, q, size) in joints {
        for i in first..first + size {
            for body in std::iter::once(p).chain(q) {
                entries.extend((0..freedom).map(|k| (i, body * freedom + k)));
            }
        }
        first += size;
    }
    let sizes = vec![freedom; bodies];
    let a = Pattern::block_diagonal(&sizes);
    let b = Pattern::from_entries(m, n, entries).unwrap();
    let mut av = Vec::new();
    for _ in 0..bodies {
        av.extend_from_slice(random.spd(freedom).as_slice());
    }
    let bv = random.vector(b.nnz());
    let mut problem = Problem {
        c: b.clone(),
        cv: bv.clone(),
        a,
        b,
        av,
        bv,
        blocks: Blocks {
            variables: sizes,
            rows,
        },
        f: Vec::new(),
        g: Vec::new(),
    };
    problem.consistent(random);
    problem
}

/// Ball joints between rigid bodies: bodies at given places, joints at given points; 3 rows each,
/// `v + w x r`, so that two joints on one body have rank 5.
pub fn ball_joints(
    random: &mut Random,
    places: &[[f64; 3]],
    joints: &[(usize, Option<usize>, [f64; 3])],
) -> Problem {
    let shape: Vec<_> = joints.iter().map(|&(p, q, _)| (p, q, 3)).collect();
    let mut problem = mechanism(random, places.len(), 6, &shape);
    for (number, &(p, q, point)) in joints.iter().enumerate() {
        for (body, sign) in std::iter::once((p, 1.0)).chain(q.map(|q| (q, -1.0))) {
            let r: Vec<f64> = (0..3).map(|k| point[k] - places[body][k]).collect();
            let cross = [[0.0, r[2], -r[1]], [-r[2], 0.0, r[0]], [r[1], -r[0], 0.0]];
            for (i, cross) in cross.iter().enumerate() {
                for k in 0..6 {
                    let unit = if k < 3 {
                        f64::from(i == k)
                    } else {
                        cross[k - 3]
                    };
                    let p = problem.b.position(3 * number + i, 6 * body + k).unwrap();
                    problem.bv[p] = sign * unit;
                    problem.cv[p] = sign * unit;
                }
            }
        }
    }
    problem.consistent(random);
    problem
}
