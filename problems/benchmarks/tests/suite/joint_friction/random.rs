//! Random mechanisms with friction in their joints: the event-capturing scheme against located events.

use super::runs::{G, body, wrap};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{System, total_energy};
use liedae_contact::with_contacts;
use liedae_multibody::plane::{PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism};
use std::ops::ControlFlow;

/// SplitMix64: reproducible on every machine.
struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * (((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64)
    }
    fn below(&mut self, count: usize) -> usize {
        self.between(0.0, count as f64) as usize
    }
}

/// Links hanging from each other on pins that rub, let go at rest; the last one may end in a slider whose guide rubs,
/// too, by its normal force or on two pads, and is held by a spring.
fn mechanism(random: &mut Random) -> PlaneMechanism {
    let links = 1 + random.below(3);
    let slides = random.below(2) == 1;
    let (mut end, mut before) = ([0.0, 0.0], (None, [0.0; 2]));
    let (mut bodies, mut joints, mut frictions) = (Vec::new(), Vec::new(), Vec::new());
    for link in 0..links {
        let (length, angle) = (random.between(0.2, 0.5), random.between(-3.0, 3.0));
        let (sin, cos) = angle.sin_cos();
        let centre = [end[0] + 0.5 * length * cos, end[1] + 0.5 * length * sin];
        let mass = random.between(0.5, 3.0);
        bodies.push(body(
            &format!("link {link}"),
            mass,
            [centre[0], centre[1], angle],
            [0.0; 3],
        ));
        frictions.push(PlaneFriction::Pin {
            joint: joints.len(),
            radius: random.between(0.01, 0.05),
        });
        joints.push(PlaneJoint::Revolute(
            (Some(link), [-0.5 * length, 0.0]),
            before,
        ));
        before = (Some(link), [0.5 * length, 0.0]);
        end = [end[0] + length * cos, end[1] + length * sin];
    }
    let mut forces = Vec::new();
    if slides {
        let slider = links;
        bodies.push(body(
            "slider",
            random.between(0.5, 3.0),
            [end[0], end[1], 0.0],
            [0.0; 3],
        ));
        joints.push(PlaneJoint::Revolute((Some(slider), [0.0; 2]), before));
        let line = joints.len();
        let along = random.between(-0.5, 0.5);
        let direction = [along.cos(), along.sin()];
        joints.push(PlaneJoint::PointOnLine(
            (Some(slider), [0.0; 2]),
            (None, end),
            direction,
        ));
        joints.push(PlaneJoint::Angle(Some(slider), None, 0.0));
        frictions.push(match random.below(2) {
            0 => PlaneFriction::Guide(line),
            _ => PlaneFriction::TwoPads {
                line,
                angle: line + 1,
                length: random.between(0.05, 0.3),
            },
        });
        forces.push(PlaneForce::Spring {
            points: [
                (None, [end[0] + 1.0, end[1] + 0.3]),
                (Some(slider), [0.0; 2]),
            ],
            stiffness: random.between(20.0, 200.0),
            damping: 0.0,
            free_length: random.between(0.5, 1.5),
        });
    }
    let mechanism = PlaneMechanism::new(bodies, [0.0, -G])
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_forces(forces)
        .unwrap();
    frictions
        .into_iter()
        .enumerate()
        .fold(mechanism, |mechanism, (index, friction)| {
            let mu = random.between(0.0, 0.8);
            mechanism
                .with_friction(&format!("joint {index}"), mu, friction)
                .unwrap()
        })
}

const END: f64 = 1.0;
const SAMPLES: usize = 200;

#[derive(Default)]
struct Samples {
    rows: Vec<Vec<f64>>,
    energies: Vec<f64>,
}

impl Observer for Samples {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        while self.rows.len() <= SAMPLES {
            let t = END * self.rows.len() as f64 / SAMPLES as f64;
            if t > step.to.t {
                break;
            }
            self.rows.push(step.at(t).q.clone());
        }
        let state = step.to.clone();
        self.energies
            .extend(total_energy(step.system().system(), &state.point()));
        ControlFlow::Continue(())
    }
    fn wants_dense_output(&self) -> bool {
        true
    }
}

fn run(system: &mut dyn System, method: &str, options: &Options) -> Result<Samples, String> {
    let mut samples = Samples::default();
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    solve_observed(system, method.as_ref(), options, &mut samples)
        .map_err(|error| error.to_string())?;
    Ok(samples)
}

/// Among the first 2000 these failed with located events: near the limit of self-locking corrections of the normal forces were
/// round-off many times over (414), and behind an event the iteration began with the forces before it, went round in a circle
/// (402, 612), or found other forces than the decision, which said at once that a joint slips (752, 926).
const HARD: [u64; 5] = [402, 414, 612, 752, 926];

/// Where a joint locks itself while it slides, impulses stop it; the event-capturing scheme does so in a step.
#[test]
fn random_mechanisms_agree_with_located_events() {
    const COUNT: u64 = 40;
    let steps = [2e-3, 5e-4];
    let (mut sums, mut largest) = ([0.0; 2], 0.0_f64);
    for seed in (0..COUNT).chain(HARD) {
        let build = || mechanism(&mut Random(seed));
        let runs = steps.map(|h| {
            let mut system = with_contacts(build());
            let found = run(&mut system, "moreau-jean", &Options::fixed(END, h));
            let found = found.unwrap_or_else(|error| panic!("{seed}: {error}"));
            let pairs = found.energies.windows(2);
            let rise = pairs.map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
            assert!(rise < 1e-7, "{seed}: energy rises by {rise:e}");
            found.rows
        });
        let options = Options::adaptive(END, 1e-8, 1e-8);
        let located = wrap(build()).map_err(|error| error.to_string());
        let exact = located.and_then(|mut system| run(&mut system, "hem5", &options));
        let exact = exact.unwrap_or_else(|error| panic!("{seed}: located events: {error}"));
        let exact = exact.rows;
        let errors = runs.map(|found| {
            let distances = found.iter().zip(&exact).map(|(a, b)| {
                let parts = a.iter().zip(b).map(|(a, b)| (a - b).abs());
                parts.fold(0.0, f64::max)
            });
            distances.sum::<f64>() / SAMPLES as f64
        });
        println!("{seed}: {errors:?}");
        for (sum, error) in sums.iter_mut().zip(errors) {
            *sum += error;
        }
        largest = largest.max(errors[1]);
    }
    let order = (sums[0] / sums[1]).ln() / (steps[0] / steps[1]).ln();
    println!("order {order:.2}, largest error {largest:.1e}");
    assert!(order > 0.8 && largest < 5e-3);
}
