//! What must hold in every run: random mechanisms with random contacts.

use crate::random::Random;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{output_names, output_values, total_energy};
use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnDisc, DiscOnLine, HalfPlane, box_on_line};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePairing};
use std::ops::ControlFlow;

const FRICTION: f64 = 0.4;

type Mechanism = PlaneMechanism<PlanePairing>;

struct Case {
    mechanism: Mechanism,
    frictionless: bool,
}

fn body(
    name: String,
    mass: f64,
    inertia: f64,
    position: [f64; 3],
    velocity: [f64; 3],
) -> PlaneBodyData {
    PlaneBodyData {
        name,
        mass,
        inertia,
        position,
        velocity,
    }
}

/// Discs, boxes and hinged rods between four walls.
fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let e = random.one_of(&[0.0, 0.3, 0.7, 1.0]);
    let mu = random.one_of(&[0.0, 0.0, FRICTION]);
    let law = |label: String| {
        let law = Contact::new(label, e);
        if mu > 0.0 {
            law.with_planar_friction(mu)
        } else {
            law
        }
    };
    let gravity = random.one_of(&[[0.0, -9.81], [0.0, 0.0], [3.0, -9.0]]);
    let discs = random.one_of(&[0, 1, 2, 3]);
    let boxes = if discs == 0 {
        1
    } else {
        random.one_of(&[0, 0, 1])
    };
    let mut bodies = Vec::new();
    let mut radii = Vec::new();
    // Cells of 0.8 m keep them apart at the start.
    for index in 0..discs {
        let radius = random.between(0.05, 0.3);
        let mass = 10.0_f64.powf(random.between(-2.0, 2.0));
        let x = -0.8 + 0.8 * index as f64 + random.between(-0.05, 0.05);
        let velocity = [
            random.between(-2.0, 2.0),
            random.between(-2.0, 2.0),
            random.between(-3.0, 3.0),
        ];
        bodies.push(body(
            format!("disc{index}"),
            mass,
            0.5 * mass * radius * radius,
            [x, random.between(-0.1, 0.3), 0.0],
            velocity,
        ));
        radii.push(radius);
    }
    let mut half = [0.0; 2];
    if boxes == 1 {
        half = [random.between(0.05, 0.2), random.between(0.05, 0.2)];
        let mass = random.between(0.2, 5.0);
        let inertia = mass * (half[0] * half[0] + half[1] * half[1]) / 3.0;
        let velocity = [
            random.between(-2.0, 2.0),
            random.between(-2.0, 2.0),
            random.between(-3.0, 3.0),
        ];
        bodies.push(body(
            "box".to_owned(),
            mass,
            inertia,
            [0.0, 0.9, random.between(-3.0, 3.0)],
            velocity,
        ));
    }
    let rod = random.unit() < 0.4;
    if rod {
        bodies.push(body(
            "rod".to_owned(),
            1.0,
            0.3 * 0.3 / 12.0,
            [-0.15, -0.75, 0.0],
            [0.0; 3],
        ));
    }
    let number = bodies.len();
    let mut mechanism = Mechanism::new(bodies, gravity).unwrap();
    if rod {
        mechanism = mechanism
            .with_joints([PlaneJoint::Revolute(
                (Some(number - 1), [0.15, 0.0]),
                (None, [0.0, -0.75]),
            )])
            .unwrap();
    }
    let walls = [
        ([0.0, -1.2], [0.0, 1.0]),
        ([0.0, 1.3], [0.0, -1.0]),
        ([-1.3, 0.0], [1.0, 0.0]),
        ([1.3, 0.0], [-1.0, 0.0]),
    ];
    for (side, (point, normal)) in walls.into_iter().enumerate() {
        let line = HalfPlane::new(point, normal).unwrap();
        for (index, &radius) in radii.iter().enumerate() {
            let pair = PlanePairing::DiscOnLine(DiscOnLine::new(line, [0.0, 0.0], radius).unwrap());
            mechanism = mechanism
                .with_contact(
                    law(format!("disc{index}-wall{side}")),
                    [None, Some(index)],
                    pair,
                )
                .unwrap();
        }
        if boxes == 1 {
            for (corner, pair) in box_on_line(line, [0.0, 0.0], half)
                .unwrap()
                .into_iter()
                .enumerate()
            {
                let pair = PlanePairing::DiscOnLine(pair);
                mechanism = mechanism
                    .with_contact(
                        law(format!("corner{corner}-wall{side}")),
                        [None, Some(discs)],
                        pair,
                    )
                    .unwrap();
            }
        }
        if rod {
            let pair = PlanePairing::DiscOnLine(DiscOnLine::point(line, [-0.15, 0.0]).unwrap());
            mechanism = mechanism
                .with_contact(
                    law(format!("rod-wall{side}")),
                    [None, Some(number - 1)],
                    pair,
                )
                .unwrap();
        }
    }
    for first in 0..discs {
        for second in first + 1..discs {
            let pair = DiscOnDisc::new([[0.0, 0.0]; 2], [radii[first], radii[second]]).unwrap();
            mechanism = mechanism
                .with_contact(
                    law(format!("disc{first}-disc{second}")),
                    [Some(first), Some(second)],
                    PlanePairing::DiscOnDisc(pair),
                )
                .unwrap();
        }
        if rod {
            let pair = DiscOnDisc::new([[0.0, 0.0], [-0.15, 0.0]], [radii[first], 0.02]).unwrap();
            mechanism = mechanism
                .with_contact(
                    law(format!("disc{first}-rod")),
                    [Some(first), Some(number - 1)],
                    PlanePairing::DiscOnDisc(pair),
                )
                .unwrap();
        }
    }
    Case {
        mechanism,
        frictionless: mu == 0.0,
    }
}

/// The worst of what contacts may not do in accepted states, and of rises of energy.
#[derive(Debug, Default)]
struct Checks {
    names: Vec<String>,
    energy: Option<f64>,
    after_event: bool,
    penetration: f64,
    pull: f64,
    beyond_cone: f64,
    force_across_gap: f64,
    rise: f64,
    rise_at_jump: f64,
}

impl Observer for Checks {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let event = step.event;
        let system = step.system().system();
        if self.names.is_empty() {
            self.names = output_names(system).to_vec();
        }
        let mut values = vec![f64::NAN; self.names.len()];
        output_values(system, &state, &mut values).unwrap();
        assert!(values.iter().all(|value| value.is_finite()));
        let energy = total_energy(system, &state.point()).unwrap();
        if let Some(before) = self.energy.replace(energy) {
            let rise = if self.after_event {
                &mut self.rise_at_jump
            } else {
                &mut self.rise
            };
            *rise = rise.max(energy - before);
        }
        self.after_event = event;
        for (index, name) in self.names.iter().enumerate() {
            if !name.ends_with(".gap") {
                continue;
            }
            let (gap, force) = (values[index], values[index + 1]);
            self.penetration = self.penetration.max(-gap);
            self.force_across_gap = self.force_across_gap.max((gap * force).abs());
            self.pull = self.pull.max(-force);
            let friction = self.names.get(index + 2);
            if friction.is_some_and(|name| name.ends_with(".friction")) {
                let beyond = values[index + 2].abs() - FRICTION * force;
                self.beyond_cone = self.beyond_cone.max(beyond);
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// Some seeds are those of mechanisms that have failed: a box that turned nine times within a step and passed a wall
/// unseen (1347), energy from a contact that separates (1210), velocities of 1e-150 m/s (252, 282, 313).
#[test]
fn random_mechanisms_obey_their_laws() {
    for seed in (0..32).chain([1347, 1210, 252, 282, 313]) {
        let Case {
            mechanism,
            frictionless,
        } = case(seed);
        let mut system =
            NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default()).unwrap();
        let mut checks = Checks::default();
        let method = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .unwrap();
        let mut options = Options::adaptive(1.5, 1e-8, 1e-8);
        options.max_steps = 20_000;
        solve_observed(&mut system, method.as_ref(), &options, &mut checks)
            .unwrap_or_else(|error| panic!("{seed}: {error}"));
        let holds = checks.penetration < 1e-9
            && checks.force_across_gap < 1e-6
            && checks.pull < 1e-6
            && checks.beyond_cone < 1e-6
            && checks.rise < 1e-6
            && (checks.rise_at_jump < 1e-6 || !frictionless);
        assert!(holds, "{seed}: {checks:?}");
    }
}
