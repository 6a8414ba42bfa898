//! Equations of motion of the hand-written models against the reference trajectories and automatic derivatives.

use crate::common::{Plain, build, compare, complete};
use liedae::manifold::quaternion;
use liedae::system::{Automatic, Model, State, System};
use liedae_problems::Reference;
use liedae_problems::andrews::{Andrews, CartesianAndrews, Properties};
use liedae_problems::haddouni2017::SliderCrank;
use liedae_problems::haug1997::{
    StiffDoublePendulum, StiffDoublePendulumProperties, TsdaSliderCrank, TsdaSliderCrankProperties,
};
use liedae_problems::rigid_body::{HeavyTop, HeavyTopGroup, OrientationGroup};
use liedae_problems::vector_space::Pendulum;

/// Sets states from the reference at many times and compares every output; returns the worst relative difference.
fn along(
    name: &str,
    settings: &[&str],
    times: usize,
    tolerance: f64,
    set: impl Fn(&Reference, f64, &mut State),
) {
    let mut problem = build(name, settings);
    let end = problem.t_end;
    let mut worst = (0.0_f64, 0);
    for index in 0..=times {
        let t = end * index as f64 / times as f64;
        let mut state = problem.system.initial_state();
        state.t = t;
        set(problem.reference.as_ref().unwrap(), t, &mut state);
        complete(problem.system.as_mut(), &mut state);
        // Columns that pass through zero are judged by their largest sizes, which these are in the units used.
        let (error, count) = compare(&mut problem, &state, |column| match column {
            _ if column.starts_with("dd_") => 1e5,
            _ if column.starts_with("d_") || column.starts_with('v') => 100.0,
            _ if column.starts_with("F") || column.starts_with("W") => 100.0,
            _ => 1.0,
        });
        worst = (worst.0.max(error), worst.1.max(count));
        assert!(
            error < tolerance,
            "{name} {settings:?} at t = {t}: {error:e}"
        );
    }
    println!(
        "{name} {settings:?}: {} columns at {} times within {:e}",
        worst.1,
        times + 1,
        worst.0
    );
}

fn values<const N: usize>(reference: &Reference, names: [&str; N], t: f64) -> [f64; N] {
    names.map(|name| {
        reference
            .value(name, t)
            .unwrap_or_else(|| panic!("no {name} at {t}"))
    })
}

const ANGLES: [&str; 7] = ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"];

#[test]
fn pendulum() {
    for settings in [
        &[][..],
        &["mass=3", "length=2.5", "g=1.6", "angle=2.5"],
        &["angle=0"],
    ] {
        along("pendulum", settings, 333, 1e-12, |reference, t, state| {
            state.q.copy_from_slice(&values(reference, ["x", "y"], t));
            state.v.copy_from_slice(&values(reference, ["vx", "vy"], t));
        });
    }
}

fn set_andrews(reference: &Reference, t: f64, state: &mut State) {
    for (index, angle) in ANGLES.iter().enumerate() {
        state.q[index] = reference.value(angle, t).unwrap();
        state.v[index] = reference.value(&format!("d_{angle}"), t).unwrap();
    }
}

#[test]
fn andrews_at_the_samples() {
    along("andrews", &[], 200, 1e-10, set_andrews);
}

/// Between the samples the interpolated angles must still solve the equations of motion.
#[test]
fn andrews_between_the_samples() {
    along("andrews", &[], 331, 1e-8, set_andrews);
}

#[test]
fn andrews_stiff_start_and_end() {
    along(
        "andrews",
        &["c0=30000", "damping=100000"],
        57,
        1e-7,
        set_andrews,
    );
}

#[test]
fn andrews_cartesian() {
    along(
        "andrews-cartesian",
        &[],
        200,
        1e-8,
        |reference, t, state| {
            for body in 1..=7 {
                for (index, (coordinate, rate)) in [("x", "vx"), ("y", "vy"), ("phi", "w")]
                    .into_iter()
                    .enumerate()
                {
                    state.q[3 * body - 3 + index] =
                        reference.value(&format!("{coordinate}{body}"), t).unwrap();
                    state.v[3 * body - 3 + index] =
                        reference.value(&format!("{rate}{body}"), t).unwrap();
                }
            }
        },
    );
}

#[test]
fn heavy_top_on_three_groups() {
    for group in ["group=0", "group=1", "group=2"] {
        along("heavy-top", &[group], 400, 1e-9, |reference, t, state| {
            let unit = values(reference, ["qw", "qx", "qy", "qz"], t);
            let rotation = quaternion::to_rotation(&unit);
            let mut velocity = values(reference, ["vx", "vy", "vz"], t);
            if group == "group=1" {
                let v = velocity;
                velocity =
                    std::array::from_fn(|i| (0..3).map(|row| rotation[3 * row + i] * v[row]).sum());
            }
            state.q[..3].copy_from_slice(&values(reference, ["x", "y", "z"], t));
            if group == "group=2" {
                state.q[3..].copy_from_slice(&unit);
            } else {
                state.q[3..].copy_from_slice(&rotation);
            }
            state.v[..3].copy_from_slice(&velocity);
            state.v[3..].copy_from_slice(&values(reference, ["Wx", "Wy", "Wz"], t));
        });
    }
}

#[test]
fn free_rigid_body() {
    for group in ["group=0", "group=1"] {
        along(
            "free-rigid-body",
            &[group],
            400,
            1e-10,
            |reference, t, state| {
                let unit = values(reference, ["qw", "qx", "qy", "qz"], t);
                match group {
                    "group=0" => state.q.copy_from_slice(&quaternion::to_rotation(&unit)),
                    _ => state.q.copy_from_slice(&unit),
                }
                state
                    .v
                    .copy_from_slice(&values(reference, ["Wx", "Wy", "Wz"], t));
            },
        );
    }
}

/// Compares Jacobian, velocity rows and bias with those of automatic differentiation at scattered states.
fn derivatives_agree<M: Model + Clone>(model: M) {
    let mut own = Automatic::new(model.clone());
    let mut automatic = Automatic::new(Plain(model));
    let layout = own.layout().clone();
    let start = own.initial_state();
    for seed in 1..20 {
        let mut state = start.clone();
        let noise = |index: usize| {
            ((seed * 7919 + index * 104_729) as f64 * 0.618_033_988_749).fract() - 0.5
        };
        let step: Vec<f64> = (0..layout.dimension()).map(noise).collect();
        layout.space.retract(&start.q, &step, &mut state.q);
        for (index, v) in state.v.iter_mut().enumerate() {
            *v = 10.0 * noise(index + 100);
        }
        let at = state.point();
        let (mut a, mut b) = (
            vec![0.0; layout.jacobian.nnz()],
            vec![1.0; layout.jacobian.nnz()],
        );
        own.constraint_jacobian(&at, &mut a).unwrap();
        automatic.constraint_jacobian(&at, &mut b).unwrap();
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-13),
            "{a:?} {b:?}"
        );
        let (mut a, mut b) = (vec![0.0; layout.rows()], vec![1.0; layout.rows()]);
        own.acceleration_bias(&at, &mut a).unwrap();
        automatic.acceleration_bias(&at, &mut b).unwrap();
        assert!(
            a.iter()
                .zip(&b)
                .all(|(a, b)| (a - b).abs() < 1e-11 * (1.0 + b.abs())),
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn analytic_derivatives_agree_with_automatic_ones() {
    derivatives_agree(Pendulum {
        mass: 1.0,
        length: 1.0,
        gravity: 9.81,
        angle: 1.0,
    });
    let properties = Properties {
        mass: [1.0; 7],
        inertia: [1.0; 7],
        stiffness: 1.0,
        free_length: 1.0,
        damping: 1.0,
        moment: 1.0,
    };
    derivatives_agree(Andrews::new(properties.clone()));
    derivatives_agree(CartesianAndrews::new(properties).unwrap());
    let pendulum = StiffDoublePendulumProperties {
        length: [1.0, 1.5],
        mass: [3.0, 0.3],
        stiffness: [400.0, 3e5],
        damping: [15.0, 5e4],
        gravity: 9.81,
        angle: [0.3, 1.0],
        rate: [1.0, -2.0],
    };
    derivatives_agree(StiffDoublePendulum::new(pendulum).unwrap());
    let crank = TsdaSliderCrankProperties {
        guided: true,
        half: [0.3, 0.6],
        mass: [3.0, 9.0],
        stiffness: 1e5,
        damping: 1e4,
        relaxed: 1.0,
        gravity: 9.81,
        angle: 0.7,
    };
    derivatives_agree(TsdaSliderCrank::new(crank).unwrap());
    derivatives_agree(SliderCrank {
        length: [0.2, 0.3],
        mass: [1.0, 2.0, 3.0],
        inertia: [0.1, 0.2],
        gravity: 9.81,
        angle: 0.3,
        rate: 2.0,
    });
    for group in [
        HeavyTopGroup::Product(OrientationGroup::Matrix),
        HeavyTopGroup::Product(OrientationGroup::Quaternion),
        HeavyTopGroup::RigidMotion,
    ] {
        derivatives_agree(HeavyTop {
            mass: 2.0,
            inertia: [1.0, 2.0, 3.0],
            arm: [0.3, 1.0, -0.2],
            gravity: 9.81,
            spin: [1.0, 2.0, 3.0],
            group,
        });
    }
}
