//! Random masses on springs that fall onto a rough floor, slide, stick and take off, against the event-capturing scheme at small steps.

use super::run::{TOLERANCE, distance};
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

/// Numbers in [0, 1) from a seed (Steele, Lea, Flood 2014: SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as f64 / 2.0_f64.powi(64)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

#[derive(Clone)]
struct Masses {
    mass: Vec<f64>,
    friction: Vec<f64>,
    restitution: Vec<f64>,
    /// Stiffness and damping of the spring between each mass and the next one, and its length.
    springs: Vec<[f64; 3]>,
    gravity: [f64; 3],
    /// A pull on the first mass: amplitude, frequency.
    pull: [f64; 2],
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Masses {
    fn random(seed: u64) -> Self {
        let mut random = Random(seed);
        let count = 1 + (3.0 * random.next()) as usize;
        let mut masses = Self {
            mass: (0..count).map(|_| random.between(0.5, 2.0)).collect(),
            friction: (0..count).map(|_| random.between(0.1, 0.7)).collect(),
            restitution: (0..count).map(|_| random.between(0.0, 0.4)).collect(),
            springs: Vec::new(),
            gravity: [random.between(-1.5, 1.5), random.between(-1.5, 1.5), -9.81],
            pull: [random.between(0.0, 6.0), random.between(2.0, 9.0)],
            q: Vec::new(),
            v: Vec::new(),
        };
        for index in 0..count {
            let falls = random.next() < 0.4;
            let height = if falls {
                random.between(0.01, 0.2)
            } else {
                0.0
            };
            masses
                .q
                .extend([0.5 * index as f64, random.between(-0.2, 0.2), height]);
            masses
                .v
                .extend([random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0]);
            masses.springs.push([
                random.between(5.0, 40.0),
                random.between(0.0, 0.5),
                random.between(0.3, 0.6),
            ]);
        }
        masses.springs.pop();
        masses
    }
}

impl Model for Masses {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3 * self.mass.len()))
    }
    fn initial_state(&self) -> State {
        State {
            q: self.q.clone(),
            v: self.v.clone(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (body, &value) in self.mass.iter().enumerate() {
            for index in 3 * body..3 * body + 3 {
                mass[(index, index)] = S::constant(value);
            }
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (body, &mass) in self.mass.iter().enumerate() {
            for index in 0..3 {
                force[3 * body + index] = S::constant(mass * self.gravity[index]);
            }
        }
        let [amplitude, frequency] = self.pull;
        let angle = S::constant(frequency) * at.t;
        force[0] += S::constant(amplitude) * angle.cos();
        force[1] += S::constant(amplitude) * angle.sin();
        for (index, &[stiffness, damping, rest]) in self.springs.iter().enumerate() {
            let (one, other) = (3 * index, 3 * index + 3);
            let along: Vec<S> = (0..3).map(|k| at.q[other + k] - at.q[one + k]).collect();
            let squares = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
            let length = squares.sqrt();
            for k in 0..3 {
                let stretch = (length - S::constant(rest)) / length * along[k];
                let rate = at.v[other + k] - at.v[one + k];
                let push = S::constant(stiffness) * stretch + S::constant(damping) * rate;
                force[one + k] += push;
                force[other + k] -= push;
            }
        }
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Masses {
    fn contacts(&self) -> Vec<Contact> {
        let numbered = self.friction.iter().zip(&self.restitution).enumerate();
        let contact = |(body, (&friction, &restitution))| {
            Contact::new(format!("mass {body}"), restitution).with_spatial_friction(friction)
        };
        numbered.map(contact).collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        at.q[3 * contact + 2]
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding.copy_from_slice(&at.v[3 * contact..3 * contact + 2]);
    }
}

fn run(masses: &Masses, method: &str, options: &Options) -> Result<Solution, String> {
    let inner = with_contacts(masses.clone());
    let mut system = NonsmoothSystem::new(inner, NonsmoothOptions::default())
        .map_err(|error| error.to_string())?;
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(&mut system, integrator.as_ref(), options).map_err(|error| error.to_string())
}

const END: f64 = 1.0;

/// Runs a seed with methods that locate events, which agree, and with the event-capturing scheme, whose errors are of the size of its
/// steps. Returns its deviation, and how many events there were.
fn judge(seed: u64) -> (f64, usize) {
    let masses = Masses::random(seed);
    let located = Options {
        max_steps: 30_000,
        ..Options::adaptive(END, TOLERANCE, TOLERANCE)
    };
    let runs = ["mdop5", "radau5"].map(|method| {
        run(&masses, method, &located).unwrap_or_else(|error| panic!("{seed} {method}: {error}"))
    });
    let apart = distance(&runs[0].state.q, &runs[1].state.q);
    assert!(apart < 1e-7, "seed {seed}: methods are {apart:e} m apart");
    let captured = |h: f64| {
        let found = run(&masses, "moreau-jean", &Options::fixed(END, h));
        let found = found.unwrap_or_else(|error| panic!("{seed} moreau-jean: {error}"));
        distance(&runs[0].state.q, &found.state.q)
    };
    let deviation = captured(1e-4);
    // A scheme of first order: what is left falls with the step.
    if deviation > 1e-3 {
        let finer = captured(1e-5);
        assert!(
            finer < 0.3 * deviation && finer < 1e-3,
            "seed {seed}: {deviation:e}, {finer:e}"
        );
    }
    (deviation, runs[0].events.len())
}

fn judge_all(seeds: std::ops::Range<u64>) {
    let (mut largest, mut events) = (0.0_f64, 0);
    for seed in seeds.clone() {
        let (deviation, count) = judge(seed);
        largest = largest.max(deviation);
        events += count;
    }
    println!("{seeds:?}: {events} events, {largest:.1e} m from steps of 1e-4 s");
    assert!(events > 2 * (seeds.end - seeds.start) as usize, "{events}");
}

#[test]
fn twenty_configurations() {
    judge_all(0..20);
}

#[test]
#[ignore = "some minutes"]
fn five_hundred_configurations() {
    judge_all(1000..1500);
}
