//! Random boxes, stacks, grooves and hinged beams under changing loads.

use super::loaded::{Load, Loaded};
use super::margin::margin;
use crate::random::Random;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae::system::{State, System, output_names, output_values};
use liedae_contact::{Contact, Contacts, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlanePairing};
use std::ops::ControlFlow;

const G: f64 = 9.81;

struct Builder {
    random: Random,
    bodies: Vec<PlaneBodyData>,
    joints: Vec<PlaneJoint>,
    contacts: Vec<(Contact, [Option<usize>; 2], PlanePairing)>,
}

impl Builder {
    fn body(&mut self, x: f64, y: f64, theta: f64, half: [f64; 2]) -> usize {
        let mass = self.random.between(0.3, 4.0);
        self.bodies.push(PlaneBodyData {
            name: format!("body{}", self.bodies.len()),
            mass,
            inertia: mass * (half[0] * half[0] + half[1] * half[1]) / 3.0,
            position: [x, y, theta],
            velocity: [0.0; 3],
        });
        self.bodies.len() - 1
    }

    fn touch(
        &mut self,
        bodies: [Option<usize>; 2],
        line: HalfPlane,
        centre: [f64; 2],
        radius: f64,
    ) {
        let mu = self.random.between(0.15, 0.9);
        let label = format!("contact{}", self.contacts.len());
        let law = if self.random.unit() < 0.12 {
            Contact::new(label, 0.0)
        } else {
            Contact::new(label, 0.0).with_planar_friction(mu)
        };
        let pair = DiscOnLine::new(line, centre, radius).unwrap();
        self.contacts
            .push((law, bodies, PlanePairing::DiscOnLine(pair)));
    }

    /// A floor through the origin, tilted; its direction.
    fn floor(&mut self) -> (HalfPlane, [f64; 2], f64) {
        let tilt = self.random.between(-0.25, 0.25);
        let (sin, cos) = tilt.sin_cos();
        let line = HalfPlane::new([0.0, 0.0], [-sin, cos]).unwrap();
        (line, [cos, sin], tilt)
    }

    fn half(&mut self) -> [f64; 2] {
        [
            self.random.between(0.1, 0.4),
            self.random.between(0.05, 0.2),
        ]
    }

    /// A box on two to four points.
    fn standing(&mut self) {
        let (line, [c, s], tilt) = self.floor();
        let half = self.half();
        let body = self.body(-s * half[1], c * half[1], tilt, half);
        let points = 2 + self.random.below(3);
        for point in 0..points {
            let x = match point {
                0 => -half[0],
                1 => half[0],
                _ => self.random.between(-0.9, 0.9) * half[0],
            };
            self.touch([None, Some(body)], line, [x, -half[1]], 0.0);
        }
    }

    /// Two or three boxes on top of each other.
    fn stack(&mut self) {
        let (line, [c, s], tilt) = self.floor();
        let (mut height, mut half) = (0.0, [0.5, 0.0]);
        let mut below = None;
        for _ in 0..2 + self.random.below(2) {
            half = [
                half[0] * self.random.between(0.6, 0.95),
                self.random.between(0.05, 0.15),
            ];
            let y = height + half[1];
            let body = self.body(-s * y, c * y, tilt, half);
            let line = below.map_or(line, |(_, line)| line);
            let carrier = below.map(|(body, _)| body);
            for x in [-half[0], half[0]] {
                self.touch([carrier, Some(body)], line, [x, -half[1]], 0.0);
            }
            below = Some((body, HalfPlane::new([0.0, half[1]], [0.0, 1.0]).unwrap()));
            height += 2.0 * half[1];
        }
    }

    /// A disc in a groove, perhaps with a third wall above it.
    fn groove(&mut self) {
        let radius = self.random.between(0.1, 0.3);
        let body = self.body(0.0, 0.0, 0.0, [radius, radius]);
        let mut angles = vec![
            self.random.between(0.2, 1.2),
            -self.random.between(0.2, 1.2),
        ];
        if self.random.unit() < 0.4 {
            angles.push(self.random.between(2.4, 3.6));
        }
        for angle in angles {
            let normal = [f64::sin(angle), f64::cos(angle)];
            let line = HalfPlane::new([-radius * normal[0], -radius * normal[1]], normal).unwrap();
            self.touch([None, Some(body)], line, [0.0, 0.0], radius);
        }
    }

    /// A box in a corner: on the floor with two points, at a wall with one or two.
    fn corner(&mut self) {
        let half = self.half();
        let body = self.body(half[0], half[1], 0.0, half);
        let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let wall = HalfPlane::new([0.0, 0.0], [1.0, 0.0]).unwrap();
        for x in [-half[0], half[0]] {
            self.touch([None, Some(body)], floor, [x, -half[1]], 0.0);
        }
        for y in [0.0, 0.8].into_iter().take(1 + self.random.below(2)) {
            self.touch([None, Some(body)], wall, [-half[0], y * half[1]], 0.0);
        }
    }

    /// A beam on a hinge that lies on the floor with one or two points, perhaps with a block on it.
    fn hinged(&mut self) {
        let half = [self.random.between(0.2, 0.5), 0.05];
        let body = self.body(0.0, half[1], 0.0, half);
        let hinge = self.random.between(-0.5, 0.5) * half[0];
        self.joints.push(PlaneJoint::Revolute(
            (Some(body), [hinge, 0.0]),
            (None, [hinge, half[1]]),
        ));
        let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
        let top = HalfPlane::new([0.0, half[1]], [0.0, 1.0]).unwrap();
        for x in [-half[0], half[0]]
            .into_iter()
            .take(1 + self.random.below(2))
        {
            self.touch([None, Some(body)], floor, [x, -half[1]], 0.0);
        }
        if self.random.unit() < 0.6 {
            let width = 0.3 * half[0];
            let x = self.random.between(-0.5, 0.5) * half[0];
            let block = self.body(x, 2.0 * half[1] + 0.05, 0.0, [width, 0.05]);
            for side in [-width, width] {
                self.touch([Some(body), Some(block)], top, [side, -0.05], 0.0);
            }
        }
    }
}

pub fn case(seed: u64) -> Loaded {
    let mut builder = Builder {
        random: Random::new(seed),
        bodies: Vec::new(),
        joints: Vec::new(),
        contacts: Vec::new(),
    };
    match seed % 5 {
        0 => builder.standing(),
        1 => builder.stack(),
        2 => builder.groove(),
        3 => builder.corner(),
        _ => builder.hinged(),
    }
    let Builder {
        mut random,
        bodies,
        joints,
        contacts,
    } = builder;
    let mut loads = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let weight = body.mass * G;
        let arm = (3.0 * body.inertia / body.mass).sqrt();
        for (axis, size) in [0.6 * weight, 0.5 * weight, 0.3 * weight * arm]
            .into_iter()
            .enumerate()
        {
            if random.unit() < 0.7 {
                loads.push(Load {
                    velocity: 3 * index + axis,
                    rate: random.between(-0.5, 0.5) * size,
                    amplitude: random.between(-1.0, 1.0) * size,
                    frequency: random.between(2.0, 12.0),
                    phase: 0.0,
                });
            }
        }
    }
    let mut mechanism = PlaneMechanism::new(bodies, [0.0, -G]).unwrap();
    mechanism = mechanism.with_joints(joints).unwrap();
    for (law, bodies, pair) in contacts {
        mechanism = mechanism.with_contact(law, bodies, pair).unwrap();
    }
    Loaded { mechanism, loads }
}

/// The margins just before events, and the worst of reported forces.
struct Margins {
    model: Loaded,
    at_events: Vec<(f64, f64)>,
    beyond: f64,
    difference: f64,
}

/// Forces of one newton within their limits are far inside.
const CAP: f64 = 1.0;

impl Observer for Margins {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if step.event {
            self.at_events
                .push((step.to.t, margin(&self.model, step.to, CAP)));
        }
        let state = step.to.clone();
        let [beyond, difference] = reported(&self.model, step.system().system(), &state);
        self.beyond = self.beyond.max(beyond);
        self.difference = self.difference.max(difference);
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// By how much the reported forces of contacts are beyond their limits, and how far they are, with the reported reactions of
/// joints, from what moves the bodies.
fn reported(model: &Loaded, system: &mut dyn System, state: &State) -> [f64; 2] {
    let names = output_names(system).to_vec();
    let mut values = vec![f64::NAN; names.len()];
    output_values(system, state, &mut values).unwrap();
    let mut inner = with_contacts(model.clone());
    let n = state.v.len();
    let mut own = inner.layout().state();
    own.t = state.t;
    own.q.clone_from(&state.q);
    own.v.clone_from(&state.v);
    let at = own.point();
    let (mut mass, mut left) = (vec![0.0; n], vec![0.0; n]);
    inner.mass_matrix(&at, &mut mass).unwrap();
    inner.rates(&at, &mut left).unwrap();
    for ((left, mass), acceleration) in left.iter_mut().zip(mass).zip(&state.acceleration) {
        *left -= mass * acceleration;
    }
    let at_name = |name: &str| {
        let place = names.iter().position(|other| *other == name);
        place.map(|place| values[place])
    };
    let pattern = inner.layout().jacobian.clone();
    let mut jacobian = vec![0.0; pattern.nnz()];
    inner.constraint_jacobian(&at, &mut jacobian).unwrap();
    for (place, (row, column, _)) in pattern.iter().enumerate() {
        left[column] += jacobian[place] * at_name(&format!("reaction{row}")).unwrap();
    }
    let contacts = inner.unilateral().unwrap();
    let mut beyond = 0.0_f64;
    let mut row = vec![0.0; n];
    for (contact, law) in contacts.contacts().to_vec().iter().enumerate() {
        let force = at_name(&format!("{}.force", law.label)).unwrap();
        let friction = at_name(&format!("{}.friction", law.label)).unwrap_or(0.0);
        beyond = beyond
            .max(friction.abs() - law.friction * force)
            .max(-force);
        contacts.gap_jacobian(contact, &at, &mut row).unwrap();
        left.iter_mut()
            .zip(&row)
            .for_each(|(left, entry)| *left += entry * force);
        contacts.sliding_jacobian(contact, &at, &mut row).unwrap();
        left.iter_mut()
            .zip(&row)
            .for_each(|(left, entry)| *left += entry * friction);
    }
    let difference = left
        .iter()
        .fold(0.0_f64, |worst, left| worst.max(left.abs()));
    [beyond, difference]
}

#[derive(Debug, Default)]
struct Count {
    /// Slips and releases.
    losses: usize,
    /// Those at which forces existed that would have held everything.
    spurious: usize,
    failed: usize,
    beyond: f64,
    difference: f64,
}

impl Count {
    fn run(&mut self, seed: u64) {
        let model = case(seed);
        let mut watch = Margins {
            model: model.clone(),
            at_events: Vec::new(),
            beyond: 0.0,
            difference: 0.0,
        };
        let options = NonsmoothOptions::default();
        let mut system = NonsmoothSystem::new(with_contacts(model), options).unwrap();
        let method = liedae_contact::methods()
            .build("hem5", &MethodOptions::default())
            .unwrap();
        let mut options = Options::adaptive(1.5, 1e-8, 1e-8);
        options.max_steps = 20_000;
        let events = match solve_observed(&mut system, method.as_ref(), &options, &mut watch) {
            Ok(solution) => solution.events,
            Err(error) => {
                println!("{seed}: {error}");
                self.failed += 1;
                error.events
            }
        };
        self.beyond = self.beyond.max(watch.beyond);
        self.difference = self.difference.max(watch.difference);
        // Forces jump where bodies strike each other, come to rest or slide the other way.
        let jumps = |t: f64| {
            let mut others = events.iter().filter(|other| other.t == t);
            others.any(|other| matches!(other.kind.as_str(), "impact" | "stick" | "reversal"))
        };
        for event in &events {
            if !matches!(event.kind.as_str(), "slip" | "release") {
                continue;
            }
            self.losses += 1;
            let mut margins = watch.at_events.iter();
            let (_, margin) = margins.find(|(t, _)| *t == event.t).unwrap();
            if *margin > 1e-6 && !jumps(event.t) {
                println!("{seed}: {event:?} with a margin of {margin}");
                self.spurious += 1;
            }
        }
    }
}

/// So many mechanisms are tried. With forces tested contact by contact 127 of the first 400 failed, and 524 slips and releases of
/// 7222 had no cause. With forces that moved from rough to smooth contacts as if their friction turned nothing, 8 of these
/// failed; with round-off taken for the beginning of slow sliding, 13 slips had no cause.
const MECHANISMS: u64 = 2000;

/// Parts that are tried at the same time.
const PARTS: u64 = 4;

#[test]
fn nothing_slips_or_opens_without_need() {
    let part = |first: u64| {
        let mut count = Count::default();
        let seeds = (first..MECHANISMS).step_by(PARTS as usize);
        seeds.for_each(|seed| count.run(seed));
        println!("{count:?}");
        count
    };
    let counts: Vec<Count> = std::thread::scope(|scope| {
        let parts = (0..PARTS).map(|first| scope.spawn(move || part(first)));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    for count in counts {
        assert!(count.losses > 500 && count.spurious == 0, "{count:?}");
        assert!(count.beyond < 1e-8 && count.difference < 1e-8, "{count:?}");
        assert!(count.failed == 0, "{count:?}");
    }
}
