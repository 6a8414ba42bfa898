//! Reading the data and comparing a mechanism with it.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Recorder, solve_observed};
use liedae::system::{AccelerationSolver, Evaluator, State, System};
use liedae_multibody::{BodyId, JointId, MultibodySystem, Reaction, Snapshot};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::collections::HashMap;

const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 5.0];

/// Values of one case by quantity and index of the time.
pub type Data = HashMap<(String, usize), Vec<f64>>;

pub fn data(case: &str) -> Data {
    let mut found = HashMap::new();
    for line in include_str!("../../../data/adams_joints.csv").lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, quantity, t, values] = fields[..] else {
            continue;
        };
        if name == case {
            let t: f64 = t.parse().expect("a time");
            let index = TIMES
                .iter()
                .position(|time| *time == t)
                .expect("a known time");
            let values = values
                .split(' ')
                .map(|value| value.parse().expect("a number"))
                .collect();
            found.insert((quantity.to_owned(), index), values);
        }
    }
    assert!(!found.is_empty(), "no data for {case}");
    found
}

/// A mechanism of one body, and what of it is compared.
pub struct Case {
    pub system: MultibodySystem,
    pub body: BodyId,
    pub reactions: Vec<(&'static str, Reacting)>,
}

/// Whose reaction the quantities with a suffix are.
pub enum Reacting {
    /// What joints exert on the ground together, the torque about the first joint's point of the ground.
    OnGround(Vec<JointId>),
    /// What a joint exerts on the body.
    OnBody(JointId),
}

impl Reacting {
    fn wrench(&self, now: &Snapshot) -> (Vector3<f64>, Vector3<f64>) {
        match self {
            Self::OnGround(joints) => {
                let exists = |joint: &JointId| {
                    now.counter_reaction(*joint)
                        .expect("a joint of the mechanism")
                };
                let parts: Vec<Reaction> = joints.iter().map(exists).collect();
                let point = parts[0].point;
                let sum = |part: fn(&Reaction) -> Vector3<f64>| {
                    parts
                        .iter()
                        .map(|reaction| part(&reaction.about(&point)))
                        .sum()
                };
                (
                    sum(|reaction| reaction.force),
                    sum(|reaction| reaction.torque),
                )
            }
            Self::OnBody(joint) => {
                let reaction = now.reaction(*joint).expect("a joint of the mechanism");
                (reaction.force, reaction.torque)
            }
        }
    }
}

/// Integrates to the four times.
fn states(system: &mut MultibodySystem) -> Vec<State> {
    let method = liedae_contact::methods()
        .build("mdop5", &MethodOptions::default())
        .expect("registered");
    let mut options = Options::adaptive(5.0, 1e-11, 1e-12);
    options.stops = TIMES.to_vec();
    let mut recorder = Recorder::new(TIMES.to_vec());
    solve_observed(system, method.as_ref(), &options, &mut recorder).expect("integrates");
    recorder.states
}

/// The state of the data at one time, with accelerations and multipliers by our equations.
fn at_data(case: &mut Case, data: &Data, index: usize) -> State {
    let get = |quantity: &str| &data[&(quantity.to_owned(), index)];
    let mut state = case.system.initial_state();
    state.t = TIMES[index];
    let quaternion = Quaternion::from([
        get("Quat")[1],
        get("Quat")[2],
        get("Quat")[3],
        get("Quat")[0],
    ]);
    let rotation = UnitQuaternion::from_quaternion(quaternion)
        .to_rotation_matrix()
        .into_inner();
    let omega = rotation.tr_mul(&Vector3::from_column_slice(get("Avel")));
    state.q[..3].copy_from_slice(get("Pos"));
    state.q[3..12].copy_from_slice(rotation.transpose().as_slice());
    state.v[..3].copy_from_slice(get("Vel"));
    state.v[3..].copy_from_slice(omega.as_slice());
    let mut solver = AccelerationSolver::new(case.system.layout()).expect("a layout");
    solver
        .complete(&mut Evaluator::new(&mut case.system), &mut state)
        .expect("regular");
    state
}

/// The largest deviation of these quantities from the data, relative to the largest value of the quantity in the case
/// but at least to one.
fn deviation(
    case: &Case,
    data: &Data,
    states: &[State],
    quantities: &[&str],
    report: &mut String,
) -> f64 {
    let list = |vector: Vector3<f64>| vec![vector.x, vector.y, vector.z];
    let value = |quantity: &str, now: &Snapshot| match quantity {
        "Pos" => list(now.position(case.body)),
        "Vel" => list(now.velocity(case.body)),
        "Acc" => list(now.acceleration(case.body)),
        "Quat" => now.quaternion(case.body).to_vec(),
        "Avel" => list(now.angular_velocity(case.body)),
        "Aacc" => list(now.angular_acceleration(case.body)),
        reaction => {
            let of = |prefix| {
                case.reactions
                    .iter()
                    .find(|(suffix, _)| reaction.strip_prefix(prefix) == Some(suffix))
            };
            match (of("Rforce"), of("Rtorque")) {
                (Some((_, reacting)), _) => list(reacting.wrench(now).0),
                (_, Some((_, reacting))) => list(reacting.wrench(now).1),
                (None, None) => panic!("unknown quantity {reaction}"),
            }
        }
    };
    let mut worst: f64 = 0.0;
    for quantity in quantities {
        let rows: Vec<_> = (0..4)
            .map(|index| &data[&((*quantity).to_owned(), index)])
            .collect();
        let scale = rows
            .iter()
            .flat_map(|row| row.iter())
            .fold(1.0_f64, |max, value| max.max(value.abs()));
        for (state, expected) in states.iter().zip(rows) {
            let mut found = value(quantity, &Snapshot::new(&case.system, state));
            let same: f64 = found.iter().zip(expected).map(|(a, b)| a * b).sum();
            if *quantity == "Quat" && same < 0.0 {
                found.iter_mut().for_each(|part| *part = -*part);
            }
            assert!(found.iter().all(|value| value.is_finite()));
            let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            let deviation = differences.fold(0.0, f64::max) / scale;
            worst = worst.max(deviation);
            *report += &format!(
                "{quantity} t={} {deviation:.1e}: {found:?} {expected:?}\n",
                state.t
            );
        }
    }
    worst
}

/// Compares accelerations and reactions at the states of the data, which have six digits, and the whole trajectory,
/// of which ADAMS has as many digits as its integration tolerance gave.
pub fn compare(name: &str, mut case: Case, at_states: f64, along_trajectory: f64) {
    let data = data(name);
    let mut dynamic = vec!["Acc".to_owned(), "Aacc".to_owned()];
    for (suffix, _) in &case.reactions {
        dynamic.extend(["Rforce", "Rtorque"].map(|prefix| format!("{prefix}{suffix}")));
    }
    let dynamic: Vec<&str> = dynamic.iter().map(String::as_str).collect();
    let mut report = String::new();
    let there: Vec<State> = (0..4)
        .map(|index| at_data(&mut case, &data, index))
        .collect();
    let local = deviation(&case, &data, &there, &dynamic, &mut report);
    report += "trajectory:\n";
    let trajectory = states(&mut case.system);
    let all: Vec<&str> = ["Pos", "Vel", "Quat", "Avel"]
        .into_iter()
        .chain(dynamic)
        .collect();
    let global = deviation(&case, &data, &trajectory, &all, &mut report);
    eprintln!("{name}: {local:.1e} at states, {global:.1e} along the trajectory");
    assert!(
        local < at_states && global < along_trajectory,
        "{name}: {local:e} {global:e}\n{report}"
    );
}
