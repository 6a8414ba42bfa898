//! Random mechanisms in the plane and in space, with loops, springs and contacts: the energy, the constraints, and methods
//! that agree.

use crate::case::Verdict;
use crate::random::Random;
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, Solution, StepView, StopReason, solve_from};
use liedae::system::{
    Automatic, Consistency, Evaluator, State, System, check_consistency, project_initial_state,
    total_energy,
};
use liedae_contact::{Contact, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    PlaneBodyData, PlaneForce, PlaneJoint, PlaneMechanism, PlanePairing,
};
use liedae_multibody::{BodyId, Frame, Joint, MultibodyBuilder, RigidBody, TranslationalSpring};
use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

const METHODS: [&str; 7] = [
    "hem5",
    "radau5",
    "dop853",
    "phem56",
    "dopri5",
    "mdop5",
    "extrapolation",
];

const TOLERANCE: f64 = 1e-8;

const T_END: f64 = 1.0;

/// Global errors of a hundred tolerances are usual; the amplification is seen at the end only, not the largest on the way.
const BOUND: f64 = 1000.0;

/// Errors of the energy add up along the way, over many oscillations.
const ENERGY_BOUND: f64 = 10.0 * BOUND;

/// What an end moves by with a tenth of the tolerance, times this, is said by `run --check` and no finding.
const SAID: f64 = 10.0;

/// The start is changed by this much to see the amplification.
const CHANGE: f64 = 1e-10;

/// A run that takes longer is given up.
const LIMIT: Duration = Duration::from_secs(20);

type Built = Result<Box<dyn System>, Box<dyn Error>>;

/// One mechanism and three methods. `make` numbers from the start of the case, so that every run has its own system.
pub fn check(make: impl Fn() -> Random) -> Verdict {
    let mut random = make();
    let space = random.chance(0.5);
    let kind = if space {
        "mechanism in space"
    } else {
        "mechanism in the plane"
    };
    let system = || {
        let mut random = make();
        random.unit();
        if space {
            in_space(&mut random)
        } else {
            in_the_plane(&mut random)
        }
    };
    if let Err(error) = system() {
        // Only by accident, as where a loop is assembled at a singular place.
        return Verdict::fine(kind, "not built").because(error.to_string());
    }
    let first = random.below(METHODS.len());
    let mut ends: Vec<(&str, Solution)> = Vec::new();
    let mut words = Vec::new();
    for index in 0..3 {
        let method = METHODS[(first + 2 * index) % METHODS.len()];
        match run(&system, method, TOLERANCE, 0.0) {
            Ok(Run::Ended(solution)) => ends.push((method, *solution)),
            Ok(Run::Failed(error)) => words.push(error),
            Err(what) => return Verdict::finding(kind, format!("{method}: {what}")),
        }
    }
    let [(method, one), others @ ..] = &ends[..] else {
        return Verdict::fine(
            kind,
            format!("no method reached the end ({})", words.join("; ")),
        );
    };
    let amplification = match run(&system, method, TOLERANCE, CHANGE) {
        Ok(Run::Ended(changed)) => (distance(one, &changed) / CHANGE).max(1.0),
        _ => return Verdict::fine(kind, "sensitivity not known"),
    };
    let mut warned = "";
    for (other, end) in others {
        let apart = distance(one, end);
        let bound = BOUND * TOLERANCE * amplification;
        if apart <= bound {
            continue;
        }
        // What a tenth of the tolerance moves an end by is what `run --check` says of it.
        let said = |method: &str, end: &Solution| match run(&system, method, 0.1 * TOLERANCE, 0.0) {
            Ok(Run::Ended(finer)) => distance(end, &finer),
            _ => 0.0,
        };
        let said = said(method, one).max(said(other, end));
        let expected = bound + SAID * said;
        if apart > expected || apart.is_nan() || expected.is_nan() {
            return Verdict::finding(
                kind,
                format!(
                    "{method} and {other} end {apart:.1e} apart; {expected:.1e} can be expected (amplification \
                     {amplification:.1e}, ends move by {said:.1e} with a tenth of the tolerance)"
                ),
            );
        }
        words.push(format!(
            "{method} and {other} end {apart:.1e} apart, {said:.1e} with a tenth of the tolerance"
        ));
        warned = ", an end that --check warns of";
    }
    let end = format!("{} of 3 methods reached the end{warned}", ends.len());
    Verdict::fine(kind, end).because(words.join("\n"))
}

enum Run {
    Ended(Box<Solution>),
    /// With a typed error, or given up.
    Failed(String),
}

/// The largest difference of the ends relative to one plus the largest value of its kind.
fn distance(a: &Solution, b: &Solution) -> f64 {
    let relative = |a: &[f64], b: &[f64]| {
        if a.len() != b.len() {
            return f64::NAN;
        }
        let size = a.iter().fold(1.0, |size: f64, value| size.max(value.abs()));
        a.iter().zip(b).fold(0.0, |largest: f64, (a, b)| {
            let change = (a - b).abs() / size;
            if change.is_nan() {
                change
            } else {
                largest.max(change)
            }
        })
    };
    let (q, v) = (
        relative(&a.state.q, &b.state.q),
        relative(&a.state.v, &b.state.v),
    );
    if v.is_nan() { v } else { q.max(v) }
}

/// Watches the energy between and across events, and the clock.
struct Watch {
    start: Instant,
    kept: Option<f64>,
    size: f64,
    drift: f64,
    rise: f64,
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.start.elapsed() > LIMIT {
            return ControlFlow::Break(());
        }
        let moment = step.from.t == step.to.t;
        let at = step.to;
        if let Some(energy) = total_energy(step.system().system(), &at.point()) {
            self.size = self.size.max(energy.abs());
            if let Some(kept) = self.kept {
                if moment {
                    self.rise = self.rise.max(energy - kept);
                } else {
                    let drift = (energy - kept).abs();
                    self.drift = if drift.is_nan() {
                        drift
                    } else {
                        self.drift.max(drift)
                    };
                }
            }
            if moment {
                self.kept = Some(energy);
            }
        }
        ControlFlow::Continue(())
    }
}

/// Runs from the start, changed by `change` and put back onto the constraints. An error is a finding.
fn run(
    system: &impl Fn() -> Built,
    method: &str,
    tolerance: f64,
    change: f64,
) -> Result<Run, String> {
    let mut system = system().map_err(|error| error.to_string())?;
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .map_err(|error| error.to_string())?;
    let mut state = system.initial_state();
    if change > 0.0 {
        alter(system.as_mut(), &mut state, change).map_err(|error| error.to_string())?;
    }
    let mut watch = Watch {
        start: Instant::now(),
        kept: None,
        size: 1.0,
        drift: 0.0,
        rise: 0.0,
    };
    let mut options = Options::adaptive(T_END, tolerance, tolerance);
    options.max_steps = 100_000;
    let solved = solve_from(
        system.as_mut(),
        integrator.as_ref(),
        state,
        &options,
        &mut watch,
    );
    let solution = match solved {
        Ok(solution) if solution.reason == StopReason::Observer => {
            return Ok(Run::Failed(format!(
                "{method}: longer than {} s",
                LIMIT.as_secs()
            )));
        }
        Ok(solution) => solution,
        Err(error) if error.to_string().is_empty() => {
            return Err("an error without a word".to_owned());
        }
        Err(error) => return Ok(Run::Failed(format!("{method}: {error}"))),
    };
    let bound = ENERGY_BOUND * TOLERANCE * watch.size;
    if watch.drift > bound || watch.drift.is_nan() {
        return Err(format!(
            "the energy drifts by {:.1e} J, of {:.1e} J",
            watch.drift, watch.size
        ));
    }
    if watch.rise > bound {
        return Err(format!(
            "the energy rises by {:.1e} J at an event",
            watch.rise
        ));
    }
    let tolerance = BOUND * TOLERANCE;
    let tolerance = Consistency {
        position: tolerance,
        velocity: tolerance,
        ..Consistency::default()
    };
    check_consistency(
        &mut Evaluator::new(system.as_mut()),
        &solution.state,
        tolerance,
    )
    .map_err(|error| format!("at the end {error}"))?;
    Ok(Run::Ended(Box::new(solution)))
}

fn alter(system: &mut dyn System, state: &mut State, change: f64) -> Result<(), Box<dyn Error>> {
    let space = system.layout().space.clone();
    let along: Vec<f64> = (0..state.v.len())
        .map(|index| if index % 2 == 0 { change } else { -change })
        .collect();
    let q = state.q.clone();
    space.retract(&q, &along, &mut state.q);
    for (value, change) in state.v.iter_mut().zip(&along) {
        *value -= change;
    }
    project_initial_state(&mut Evaluator::new(system), state)?;
    Ok(())
}

/// A chain of rods from a pivot, closed to a loop or above a floor, with springs.
fn in_the_plane(random: &mut Random) -> Built {
    let count = 1 + random.below(4);
    let mut end = [0.0, 0.0];
    let (mut bodies, mut joints, mut forces) = (Vec::new(), Vec::new(), Vec::new());
    let mut lengths = Vec::new();
    for index in 0..count {
        let (length, angle) = (random.between(0.3, 1.0), random.between(-3.0, 3.0));
        let (x, y) = (length * angle.cos(), length * angle.sin());
        let mass = random.factor(5.0);
        bodies.push(PlaneBodyData {
            name: format!("rod{index}"),
            mass,
            inertia: mass * length * length / 12.0,
            position: [end[0] + 0.5 * x, end[1] + 0.5 * y, angle],
            velocity: [0.0; 3],
        });
        let before = match index {
            0 => (None, [0.0, 0.0]),
            _ => (Some(index - 1), [0.5 * lengths[index - 1], 0.0]),
        };
        joints.push(PlaneJoint::Revolute(
            (Some(index), [-0.5 * length, 0.0]),
            before,
        ));
        end = [end[0] + x, end[1] + y];
        lengths.push(length);
    }
    let tip = (Some(count - 1), [0.5 * lengths[count - 1], 0.0]);
    let closed = count >= 3 && random.chance(0.5);
    if closed {
        joints.push(PlaneJoint::Revolute(tip, (None, end)));
    }
    for _ in 0..random.below(3) {
        let anchor = [random.between(-2.0, 2.0), random.between(2.0, 4.0)];
        forces.push(PlaneForce::Spring {
            points: [(Some(random.below(count)), [0.0, 0.0]), (None, anchor)],
            stiffness: 20.0 * random.factor(10.0),
            damping: 0.0,
            free_length: random.between(0.2, 2.0),
        });
    }
    let mut mechanism: PlaneMechanism = PlaneMechanism::new(bodies, [0.0, -9.81])?
        .with_joints(joints)?
        .with_forces(forces)?;
    let floors = !closed && random.chance(0.6);
    if floors {
        // Below all rods at the start, within reach of the chain.
        let reach: f64 = lengths.iter().sum();
        let depth = reach * random.between(0.5, 0.95);
        let restitution = random.one_of(&[0.0, 0.3, 0.6, 0.9]);
        let mut lowest = 0.0_f64;
        let mut height = 0.0;
        for (index, length) in lengths.iter().enumerate() {
            height += length * mechanism_angle(&mechanism, index).sin();
            lowest = lowest.min(height);
        }
        let floor = HalfPlane::new([0.0, (-depth).min(lowest - 0.05)], [0.0, 1.0])?;
        for (index, length) in lengths.iter().enumerate() {
            let point = DiscOnLine::new(floor, [0.5 * length, 0.0], 0.0)?;
            let law = Contact::new(format!("floor{index}"), restitution);
            let pair = PlanePairing::DiscOnLine(point);
            mechanism = mechanism.with_contact(law, [None, Some(index)], pair)?;
        }
        let system = NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default())?;
        return Ok(Box::new(system));
    }
    Ok(Box::new(Automatic::new(mechanism)))
}

fn mechanism_angle(mechanism: &PlaneMechanism, body: usize) -> f64 {
    use liedae::system::Model;
    mechanism.initial_state().q[3 * body + 2]
}

/// A chain of bodies with ball joints and revolutes, open or closed, or the loop of four parallel revolutes with its three
/// redundant rows; with springs.
fn in_space(random: &mut Random) -> Built {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([random.between(-1.0, 1.0), random.between(-1.0, 1.0), -9.81]);
    if random.chance(0.3) {
        return four_bar(random, mechanism);
    }
    let count = 1 + random.below(4);
    let mut bodies: Vec<BodyId> = Vec::new();
    let mut joint = [0.0; 3];
    for index in 0..count {
        let step = random.vector(0.5);
        let middle: [f64; 3] = std::array::from_fn(|axis| joint[axis] + step[axis]);
        let moment = random.factor(3.0) * 0.1;
        let inertia = [
            moment,
            moment * random.between(0.8, 1.2),
            moment * random.between(0.8, 1.2),
        ];
        let body = RigidBody::new(format!("body{index}"), random.factor(5.0), inertia);
        let body = mechanism.add_body(body.at(middle));
        let before = bodies.last().copied().unwrap_or(BodyId::GROUND);
        let name = format!("joint{index}");
        mechanism.add_joint(if random.chance(0.5) {
            Joint::spherical(name, before, body, joint)
        } else {
            let axis = random.vector(1.0);
            let axis = unit([axis[0], axis[1], axis[2] + 2.0]);
            Joint::revolute(name, before, body, joint, axis)
        });
        joint = std::array::from_fn(|axis| middle[axis] + step[axis]);
        bodies.push(body);
    }
    let last = bodies[count - 1];
    if count >= 3 && random.chance(0.4) {
        mechanism.add_joint(Joint::spherical("closing", last, BodyId::GROUND, joint));
    }
    springs(random, &mut mechanism, &bodies);
    Ok(Box::new(mechanism.build()?))
}

fn unit(axis: [f64; 3]) -> [f64; 3] {
    let length = axis.iter().map(|part| part * part).sum::<f64>().sqrt();
    axis.map(|part| part / length)
}

fn springs(random: &mut Random, mechanism: &mut MultibodyBuilder, bodies: &[BodyId]) {
    for index in 0..random.below(3) {
        let mut anchor = random.vector(1.0);
        anchor[2] += 4.0;
        let ends = [BodyId::GROUND, bodies[random.below(bodies.len())]];
        let points = [Frame::world_point(anchor), Frame::local_point([0.0; 3])];
        let (stiffness, free) = (20.0 * random.factor(10.0), random.between(0.5, 3.0));
        mechanism.add_spring(TranslationalSpring::new(
            format!("spring{index}"),
            ends,
            points,
            stiffness,
            free,
        ));
    }
}

fn four_bar(random: &mut Random, mut mechanism: MultibodyBuilder) -> Built {
    let axis = random.vector(0.3);
    let axis = [axis[0], 1.0, axis[2]];
    // Four points in the plane across the axis.
    let (a, b) = ([1.0, -axis[0], 0.0], [0.0, -axis[2], 1.0]);
    let point = |x: f64, z: f64| -> [f64; 3] { std::array::from_fn(|k| x * a[k] + z * b[k]) };
    let points = [
        point(0.0, 0.0),
        point(random.between(0.1, 0.4), random.between(0.5, 0.9)),
        point(random.between(1.2, 2.0), random.between(0.7, 1.4)),
        point(random.between(1.2, 1.8), 0.0),
    ];
    let mut bodies: Vec<BodyId> = Vec::new();
    for index in 0..3 {
        let middle: [f64; 3] =
            std::array::from_fn(|k| 0.5 * (points[index][k] + points[index + 1][k]));
        let body = RigidBody::new(format!("bar{index}"), random.factor(3.0), [0.2; 3]);
        bodies.push(mechanism.add_body(body.at(middle)));
    }
    let ends = [
        BodyId::GROUND,
        bodies[0],
        bodies[1],
        bodies[2],
        BodyId::GROUND,
    ];
    for (index, point) in points.into_iter().enumerate() {
        let name = format!("pin{index}");
        mechanism.add_joint(Joint::revolute(
            name,
            ends[index],
            ends[index + 1],
            point,
            unit(axis),
        ));
    }
    springs(random, &mut mechanism, &bodies);
    Ok(Box::new(mechanism.build()?))
}
