//! Random impacts of many redundant contacts with friction: every problem that has a solution is solved, and the laws
//! are checked one by one.

use liedae_contact::capturing::{ContactLaw, ImpactSolver};

/// SplitMix64: reproducible on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
    fn vector(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.between(-1.0, 1.0))
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Rows H over bodies with six velocities each, and the inverse masses of these.
#[derive(Default)]
struct Bodies {
    inverse: Vec<f64>,
    rows: Vec<Vec<f64>>,
    laws: Vec<ContactLaw>,
}

impl Bodies {
    fn add(&mut self, mass: f64, half: [f64; 3]) -> usize {
        self.inverse.extend([1.0 / mass; 3]);
        for axis in 0..3 {
            let (a, b) = (half[(axis + 1) % 3], half[(axis + 2) % 3]);
            self.inverse.push(3.0 / (mass * (a * a + b * b)));
        }
        self.inverse.len() / 6 - 1
    }
    /// A contact with its normal along z: `above` with the arm from its centre on `below`, or on the ground.
    fn touch(
        &mut self,
        above: (usize, [f64; 3]),
        below: Option<(usize, [f64; 3])>,
        friction: f64,
        tangents: usize,
    ) {
        for axis in [2, 0, 1].into_iter().take(1 + tangents) {
            let mut row = vec![0.0; 6 * 32];
            let mut direction = [0.0; 3];
            direction[axis] = 1.0;
            let ends = [Some((above, 1.0)), below.map(|end| (end, -1.0))];
            for ((body, arm), sign) in ends.into_iter().flatten() {
                let moment = cross(arm, direction);
                let pushes = direction.into_iter().chain(moment);
                for (entry, push) in row[6 * body..].iter_mut().zip(pushes) {
                    *entry += sign * push;
                }
            }
            self.rows.push(row);
        }
        self.laws.push(ContactLaw {
            least_velocity: 0.0,
            friction,
            tangents,
        });
    }
    fn delassus(&self) -> Vec<f64> {
        let product = |a: &[f64], b: &[f64]| -> f64 {
            let weighted = self.inverse.iter().zip(a.iter().zip(b));
            weighted.map(|(weight, (a, b))| weight * a * b).sum()
        };
        let rows = self.rows.iter();
        rows.flat_map(|a| self.rows.iter().map(move |b| (a, b)))
            .map(|(a, b)| product(a, b))
            .collect()
    }
    fn velocities(&self, v: &[f64]) -> Vec<f64> {
        let rows = self.rows.iter();
        rows.map(|row| row.iter().zip(v).map(|(h, v)| h * v).sum())
            .collect()
    }
    /// Least velocities as the scheme has them: restitution where it approaches, closing gaps elsewhere, which agree
    /// with no motion of the bodies but for `noise` = 0.
    fn impact(&mut self, random: &mut Random, e: f64, noise: f64) -> Problem {
        let before: Vec<f64> = (0..self.inverse.len())
            .map(|_| random.between(-1.0, 1.0))
            .collect();
        let rates = self.velocities(&before);
        let mut row = 0;
        for law in &mut self.laws {
            let rate = rates[row];
            law.least_velocity = if rate < 0.0 { -e * rate } else { -rate };
            law.least_velocity += noise * random.between(-1.0, 1.0);
            row += law.rows();
        }
        let mut free = before;
        for (index, v) in free.iter_mut().enumerate() {
            if index % 6 == 2 {
                *v -= 9.81e-3;
            }
        }
        Problem {
            laws: self.laws.clone(),
            delassus: self.delassus(),
            velocity: self.velocities(&free),
        }
    }
}

struct Problem {
    laws: Vec<ContactLaw>,
    delassus: Vec<f64>,
    velocity: Vec<f64>,
}

/// The largest violation of a law: normal and tangential impulses in units of the impulses that act on the contact,
/// velocities in units of what impulses change.
fn violation(problem: &Problem, impulses: &[f64]) -> f64 {
    let n = problem.velocity.len();
    let mut worst = 0.0_f64;
    let mut row = 0;
    for law in &problem.laws {
        let (mut u, mut speed) = ([0.0; 3], 1e-2 * law.least_velocity.abs());
        let mut mobility = 0.0;
        for (i, u) in u.iter_mut().enumerate().take(law.rows()) {
            let entries = &problem.delassus[(row + i) * n..(row + i + 1) * n];
            let terms = entries.iter().zip(impulses).map(|(w, p)| w * p);
            *u = problem.velocity[row + i] + terms.clone().sum::<f64>();
            let size: f64 = terms.map(f64::abs).sum();
            speed = speed.max(size + 1e-2 * problem.velocity[row + i].abs());
            mobility += entries[row + i] / law.rows() as f64;
        }
        u[0] -= law.least_velocity;
        let p = &impulses[row..row + law.rows()];
        let pull = p[1..].iter().fold(0.0_f64, |size, p| size.hypot(*p));
        let impulse = p[0].abs() + speed / mobility;
        let sliding = u[1].hypot(u[2]);
        let mut wrong = vec![
            -p[0] / impulse,
            -u[0] / speed,
            (p[0] / impulse).min(u[0] / speed),
            (pull - law.friction * p[0]) / impulse,
        ];
        for (p_t, u_t) in p[1..].iter().zip(&u[1..]) {
            // P_T |U_T| = -μ P_N U_T, also where it sticks.
            let balance = p_t * sliding + law.friction * p[0] * u_t;
            wrong.push(balance.abs() / (impulse * speed.max(sliding)));
        }
        for entry in wrong {
            assert!(entry.is_finite());
            worst = worst.max(entry);
        }
        row += law.rows();
    }
    worst
}

/// Solves all problems from zero and reports how many were not, and the largest violation.
fn solve_all(name: &str, problems: impl Iterator<Item = Problem>) {
    let mut solver = ImpactSolver::default();
    let (mut count, mut failed, mut worst) = (0, Vec::new(), 0.0_f64);
    for (index, problem) in problems.enumerate() {
        count += 1;
        let mut impulses = vec![0.0; problem.velocity.len()];
        let solved = solver.solve(
            &problem.laws,
            &problem.delassus,
            &problem.velocity,
            &mut impulses,
        );
        match solved {
            Ok(()) => worst = worst.max(violation(&problem, &impulses)),
            Err(error) => failed.push((index, problem.laws.len(), error.to_string())),
        }
    }
    println!(
        "{name}: {count} problems, {} not solved, violation {worst:e}, {:?}",
        failed.len(),
        solver.statistics()
    );
    for failure in failed.iter().take(5) {
        println!("{failure:?}");
    }
    assert!(failed.is_empty() && worst < 1e-7, "{name}: {worst:e}");
}

fn friction(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => 0.0,
        1 => 1.5,
        _ => random.between(0.0, 1.5),
    }
}

const NOISE: [f64; 4] = [0.0, 1e-9, 1e-6, 1e-3];

/// One box of which 2 to 8 corners, or as many points of its bottom, touch the floor.
fn boxed(random: &mut Random) -> Problem {
    let half: [f64; 3] = std::array::from_fn(|_| random.between(0.05, 0.5));
    let mut bodies = Bodies::default();
    let mass = 10.0_f64.powf(random.between(-3.0, 3.0));
    let body = bodies.add(mass, half);
    let mu = friction(random);
    let corners = 2 + random.below(7);
    let tangents = 1 + usize::from(random.below(5) > 0);
    for corner in 0..corners {
        let arm = if random.below(2) == 0 {
            let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            [sign(0) * half[0], sign(1) * half[1], -half[2]]
        } else {
            let [x, y, _] = random.vector();
            [x * half[0], y * half[1], -half[2]]
        };
        let mu = if random.below(10) == 0 {
            friction(random)
        } else {
            mu
        };
        bodies.touch((body, arm), None, mu, tangents);
    }
    let e = random.between(0.0, 1.0) * f64::from(u8::from(random.below(3) > 0));
    let noise = NOISE[random.below(4)];
    bodies.impact(random, e, noise)
}

/// Boxes on top of each other, four corners between two of them; masses within a factor of 10^`decades`.
fn stack(random: &mut Random, height: usize, decades: f64) -> Problem {
    let half = [0.2, 0.15, 0.1];
    let mut bodies = Bodies::default();
    let mu = friction(random);
    let mut below = None;
    for _ in 0..height {
        let mass = 10.0_f64.powf(random.between(-0.5, 0.5) * decades);
        let body = bodies.add(mass, half);
        let [dx, dy, _] = random.vector().map(|shift| 0.05 * shift);
        for corner in 0..4 {
            let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let (x, y) = (sign(0) * half[0], sign(1) * half[1]);
            let lower = below.map(|body| (body, [x + dx, y + dy, half[2]]));
            bodies.touch((body, [x, y, -half[2]]), lower, mu, 2);
        }
        below = Some(body);
    }
    let e = random.between(0.0, 1.0) * f64::from(u8::from(random.below(3) > 0));
    let noise = NOISE[random.below(4)];
    bodies.impact(random, e, noise)
}

/// Any rows over any number of velocities, with a solution that is drawn first: open, sticking and sliding contacts,
/// and those in between.
fn constructed(random: &mut Random) -> Problem {
    let contacts = 1 + random.below(8);
    let laws: Vec<ContactLaw> = (0..contacts)
        .map(|_| ContactLaw {
            least_velocity: random.between(-1.0, 1.0),
            friction: friction(random),
            tangents: 1 + random.below(2),
        })
        .collect();
    let n: usize = laws.iter().map(ContactLaw::rows).sum();
    let dimension = 3 + random.below(n + 3);
    let h: Vec<Vec<f64>> = (0..n)
        .map(|_| (0..dimension).map(|_| random.between(-1.0, 1.0)).collect())
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let delassus: Vec<f64> = (0..n * n).map(|k| dot(&h[k / n], &h[k % n])).collect();
    let (mut p, mut u) = (Vec::new(), Vec::new());
    for law in &laws {
        let status = random.below(5);
        let normal = if status == 0 || status == 4 {
            0.0
        } else {
            random.between(0.1, 1.0)
        };
        let opening = if status == 0 {
            random.between(0.0, 1.0)
        } else {
            0.0
        };
        let angle = random.between(0.0, 6.3);
        let mut pull = [angle.cos(), angle.sin()];
        if law.tangents == 1 {
            pull = [if angle < 3.15 { 1.0 } else { -1.0 }, 0.0];
        }
        let share = if status == 2 { random.unit() } else { 1.0 };
        let sliding = if status == 1 || status == 0 {
            random.between(0.0, 1.0)
        } else {
            0.0
        };
        p.push(normal);
        u.push(opening + law.least_velocity);
        for pull in &pull[..law.tangents] {
            p.push(share * law.friction * normal * pull);
            u.push(-sliding * pull);
        }
    }
    let velocity = (0..n)
        .map(|i| u[i] - dot(&delassus[i * n..(i + 1) * n], &p))
        .collect();
    Problem {
        laws,
        delassus,
        velocity,
    }
}

#[test]
fn boxes_on_redundant_points() {
    let random = &mut Random(1);
    solve_all("boxes", (0..1000).map(|_| boxed(random)));
}

#[test]
fn stacks_of_boxes() {
    let random = &mut Random(2);
    solve_all("stacks of 2", (0..200).map(|_| stack(random, 2, 1.0)));
    solve_all("stacks of 5", (0..60).map(|_| stack(random, 5, 1.0)));
}

#[test]
fn stacks_of_light_and_heavy_boxes() {
    let random = &mut Random(3);
    solve_all(
        "stacks of 3, 1 : 1e6",
        (0..150).map(|_| stack(random, 3, 6.0)),
    );
}

#[test]
fn any_rows_that_have_a_solution() {
    let random = &mut Random(4);
    solve_all("constructed", (0..1000).map(|_| constructed(random)));
}
