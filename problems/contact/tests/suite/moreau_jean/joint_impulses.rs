//! Random impulse problems with friction in joints: each of them has a solution, none is left unsolved, and the laws are
//! checked one by one.

use super::impacts::Random;
use liedae_contact::capturing::{ContactLaw, ImpactError, ImpactSolver, JointLaw, Joints};

use nalgebra::{DMatrix, DVector};

/// Bodies of which constraint rows take some of the motion, with joints that rub by the reactions of these rows.
struct Mechanism {
    laws: Vec<ContactLaw>,
    joints: Vec<JointLaw>,
    delassus: DMatrix<f64>,
    velocity: DVector<f64>,
    normals: Vec<f64>,
}

fn matrix(random: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| random.between(-1.0, 1.0))
}

/// Up to 4 joints; `friction` is the largest coefficient; `contacts` stand beside the joints.
fn mechanism(random: &mut Random, friction: f64, contacts: usize) -> Mechanism {
    let count = 1 + random.below(4);
    with_joints(random, count, friction, contacts)
}

fn with_joints(random: &mut Random, count: usize, friction: f64, contacts: usize) -> Mechanism {
    let bound = 1 + random.below(5);
    let laws: Vec<ContactLaw> = (0..contacts)
        .map(|_| ContactLaw {
            least_velocity: 0.0,
            friction: random.between(0.0, 1.0) * f64::from(u8::from(random.below(4) > 0)),
            tangents: 1 + random.below(2),
        })
        .collect();
    let contact_rows: usize = laws.iter().map(ContactLaw::rows).sum();
    let n = contact_rows + count;
    let free = n + random.below(4);
    let dimension = bound + free;
    let g = matrix(random, bound, dimension);
    let h = matrix(random, n, dimension);
    let decades = random.between(0.0, 2.0);
    let inverse = DMatrix::from_diagonal(&DVector::from_fn(dimension, |_, _| {
        10.0_f64.powf(decades * random.between(-1.0, 1.0))
    }));
    // Velocities M⁻¹ (p + Gᵀ r) with reactions r that keep G v = 0.
    let reactions = -(&g * &inverse * g.transpose()).try_inverse().unwrap() * &g;
    let before = DVector::from_fn(dimension, |_, _| random.between(-1.0, 1.0));
    let by_impulse = &reactions * &inverse * h.transpose();
    let response = &inverse * (h.transpose() + g.transpose() * &by_impulse);
    let free_reactions = &reactions * &before;
    let velocity = &before + &inverse * g.transpose() * &free_reactions;
    let mut joints = Vec::new();
    let mut normals = Vec::new();
    for _ in 0..count {
        let supports: Vec<usize> = (0..1 + random.below(2))
            .map(|_| 1 + random.below(2))
            .collect();
        for _ in 0..supports.iter().sum() {
            let row = matrix(random, 1, bound);
            normals.push((&row * &free_reactions)[0]);
            normals.extend((&row * &by_impulse).iter());
        }
        let slid = random.between(-1.0, 1.0);
        joints.push(JointLaw {
            friction: random.between(0.0, friction),
            reversal: if random.below(2) == 0 { 0.0 } else { slid },
            supports,
        });
    }
    Mechanism {
        laws,
        joints,
        delassus: &h * response,
        velocity: &h * velocity,
        normals,
    }
}

impl Mechanism {
    fn solve(&self, solver: &mut ImpactSolver) -> Result<Vec<f64>, ImpactError> {
        let mut impulses = vec![0.0; self.velocity.len()];
        let delassus: Vec<f64> = self.delassus.transpose().iter().copied().collect();
        let joints = Joints {
            laws: &self.joints,
            normals: &self.normals,
        };
        let velocity = self.velocity.as_slice();
        solver.solve_with_joints(&self.laws, joints, &delassus, velocity, &mut impulses)?;
        Ok(impulses)
    }

    /// Bounds μ Σ |N|.
    fn limits(&self, impulses: &[f64]) -> Vec<f64> {
        let mut components = self.normals.chunks_exact(impulses.len() + 1).map(|row| {
            let pushes = row[1..].iter().zip(impulses).map(|(b, p)| b * p);
            row[0] + pushes.sum::<f64>()
        });
        let mut limit = |law: &JointLaw| {
            let lengths = law.supports.iter().map(|&count| {
                let squares = (0..count).map(|_| components.next().unwrap().powi(2));
                squares.sum::<f64>().sqrt()
            });
            law.friction * lengths.sum::<f64>()
        };
        self.joints.iter().map(&mut limit).collect()
    }

    /// The largest violation of a law, relative to the largest impulse and velocity.
    fn violation(&self, impulses: &[f64]) -> f64 {
        let p = DVector::from_column_slice(impulses);
        let u = &self.delassus * &p + &self.velocity;
        let impulse = p.amax()
            + self
                .limits(impulses)
                .iter()
                .fold(0.0, |a, b| f64::max(a, *b));
        let speed = (0..u.len()).fold(0.0_f64, |max, row| {
            let terms = self.delassus.row(row).transpose().component_mul(&p).abs();
            max.max(terms.sum() + self.velocity[row].abs())
        });
        let mut worst = 0.0_f64;
        let mut row = 0;
        for law in &self.laws {
            let rows = row + 1..row + law.rows();
            let pull = p.rows(rows.start, rows.len()).norm();
            let slide = u.rows(rows.start, rows.len()).norm();
            let limit = law.friction * p[row];
            worst = worst.max(-p[row] / impulse).max(-u[row] / speed);
            worst = worst.max((p[row] / impulse).min(u[row] / speed));
            worst = worst.max((pull - limit) / impulse);
            for index in rows {
                let balance = p[index] * slide + limit * u[index];
                worst = worst.max(balance.abs() / (impulse * speed));
            }
            row += law.rows();
        }
        for (law, limit) in self.joints.iter().zip(self.limits(impulses)) {
            let (q, s) = (p[row] / impulse, u[row] / speed);
            let (limit, reversal) = (limit / impulse, law.reversal / speed);
            // Friction between the values of the law just before and just behind this velocity.
            let by = |s: f64| -0.5 * limit * (s.signum() + (s + reversal).signum());
            let near = 1e-8;
            let (most, least) = (by(s - near), by(s + near));
            worst = worst.max(q - most).max(least - q);
            row += 1;
        }
        worst
    }
}

fn solve_all(name: &str, problems: impl Iterator<Item = Mechanism>) {
    let mut solver = ImpactSolver::default();
    let (mut count, mut failed, mut worst) = (0, Vec::new(), 0.0_f64);
    for (index, problem) in problems.enumerate() {
        count += 1;
        match problem.solve(&mut solver) {
            Ok(impulses) => worst = worst.max(problem.violation(&impulses)),
            Err(error) => failed.push((index, problem.joints, error.to_string())),
        }
    }
    println!(
        "{name}: {count} problems, {} not solved, violation {worst:e}, {:?}",
        failed.len(),
        solver.statistics()
    );
    for failure in failed.iter().take(3) {
        println!("{failure:?}");
    }
    assert!(failed.is_empty() && worst < 1e-9, "{name}: {worst:e}");
}

#[test]
fn joints_alone() {
    let random = &mut Random(11);
    for friction in [0.5, 1.5, 10.0] {
        let problems = (0..3000).map(|_| mechanism(random, friction, 0));
        solve_all(&format!("friction up to {friction}"), problems);
    }
}

#[test]
fn joints_beside_contacts() {
    let random = &mut Random(12);
    for (friction, contacts) in [(0.5, 1), (0.5, 4), (1.5, 2)] {
        let problems = (0..1500).map(|_| mechanism(random, friction, contacts));
        solve_all(
            &format!("friction up to {friction}, {contacts} contacts"),
            problems,
        );
    }
}

/// More joints than cases can be gone through for. Some of these are solved by friction that grows from zero only, some by sweeps.
#[test]
fn many_joints() {
    let random = &mut Random(14);
    for (count, friction) in [(8, 1.5), (9, 1.5), (12, 0.7), (12, 1.5)] {
        let problems = (0..100).map(|_| with_joints(random, count, friction, 0));
        solve_all(
            &format!("{count} joints, friction up to {friction}"),
            problems,
        );
    }
}

#[test]
fn many_joints_beside_contacts() {
    let random = &mut Random(15);
    for (count, friction, contacts) in [(6, 1.0, 3), (9, 1.0, 3), (12, 0.7, 2)] {
        let problems = (0..100).map(|_| with_joints(random, count, friction, contacts));
        solve_all(
            &format!("{count} joints, {contacts} contacts, friction up to {friction}"),
            problems,
        );
    }
}

impl Mechanism {
    /// All solutions without contacts by going through all cases: every joint is held at one of two velocities, passes or
    /// slides either way; Newton's method from several guesses for the normal impulses.
    fn by_cases(&self, random: &mut Random) -> Vec<Vec<f64>> {
        let m = self.joints.len();
        let mut found: Vec<Vec<f64>> = Vec::new();
        for case in 0..5_usize.pow(m as u32) {
            let status: Vec<usize> = (0..m).map(|j| case / 5_usize.pow(j as u32) % 5).collect();
            for _ in 0..8 {
                let size = self.velocity.amax() * 3.0;
                let mut q = DVector::from_fn(m, |_, _| random.between(-size, size));
                for _ in 0..30 {
                    let f = self.residual(&status, &q);
                    let mut slope = DMatrix::zeros(m, m);
                    for j in 0..m {
                        let step = 1e-7 * (1.0 + q[j].abs());
                        let mut moved = q.clone();
                        moved[j] += step;
                        slope.set_column(j, &((self.residual(&status, &moved) - &f) / step));
                    }
                    let Some(change) = slope.lu().solve(&f) else {
                        break;
                    };
                    q -= change;
                }
                let known = |other: &Vec<f64>| {
                    (DVector::from_vec(other.clone()) - &q).amax() < 1e-6 * q.amax()
                };
                if q.iter().all(|q| q.is_finite())
                    && self.violation(q.as_slice()) < 1e-9
                    && !found.iter().any(known)
                {
                    found.push(q.as_slice().to_vec());
                }
            }
        }
        found
    }

    fn residual(&self, status: &[usize], q: &DVector<f64>) -> DVector<f64> {
        let s = &self.delassus * q + &self.velocity;
        let limits = self.limits(q.as_slice());
        DVector::from_fn(q.len(), |j, _| match status[j] {
            0 => s[j],
            1 => s[j] + self.joints[j].reversal,
            2 => q[j],
            3 => q[j] - limits[j],
            _ => q[j] + limits[j],
        })
    }
}

/// The answer is one of those that all cases of sticking and sliding give.
#[test]
fn one_of_all_cases() {
    let random = &mut Random(13);
    let mut solver = ImpactSolver::default();
    let mut several = 0;
    for _ in 0..120 {
        let problem = loop {
            let problem = mechanism(random, 1.5, 0);
            if problem.joints.len() <= 3 {
                break problem;
            }
        };
        let impulses = problem.solve(&mut solver).unwrap();
        let all = problem.by_cases(random);
        several += usize::from(all.len() > 1);
        let found = DVector::from_vec(impulses);
        let distance = |other: &Vec<f64>| (DVector::from_column_slice(other) - &found).amax();
        let nearest = all.iter().map(distance).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-7 * (1.0 + found.amax()), "{nearest}");
    }
    println!("{several} of 120 problems have more than one solution");
}

/// Two joints that lock themselves, |Q| < L(Q), and hold the same motion at different velocities.
#[test]
fn contradictions_and_bad_input_are_errors() {
    let law = JointLaw {
        friction: 2.0,
        reversal: 0.0,
        supports: vec![2],
    };
    let normals = [0.0, 1.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.0, 0.0];
    let solve = |law: &JointLaw, normals: &[f64], velocity: [f64; 2]| {
        let laws = [law.clone(), law.clone()];
        let joints = Joints {
            laws: &laws,
            normals,
        };
        let mut impulses = [0.0; 2];
        ImpactSolver::default()
            .solve_with_joints(&[], joints, &[1.0; 4], &velocity, &mut impulses)
            .map(|()| impulses)
    };
    let [first, second] = solve(&law, &normals, [1.0, 1.0]).unwrap();
    assert!((first + second + 1.0).abs() < 1e-12);
    let found = solve(&law, &normals, [1.0, -1.0]);
    assert!(
        matches!(found, Err(ImpactError::NotConverged { .. })),
        "{found:?}"
    );

    let negative = JointLaw {
        friction: -0.1,
        ..law.clone()
    };
    let found = solve(&negative, &normals, [1.0, 1.0]);
    assert_eq!(found, Err(ImpactError::Joint { joint: 0 }));
    let found = solve(&law, &normals[1..], [1.0, 1.0]);
    assert!(
        matches!(found, Err(ImpactError::Dimension { .. })),
        "{found:?}"
    );
    let found = solve(&law, &[f64::NAN; 12], [1.0, 1.0]);
    assert!(
        matches!(found, Err(ImpactError::NonFinite { .. })),
        "{found:?}"
    );
}
