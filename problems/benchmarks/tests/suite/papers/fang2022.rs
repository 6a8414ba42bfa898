//! The mechanisms of Fang et al. 2022 in states of their references: accelerations and reactions.

use crate::common::{build, compare, complete};
use liedae::system::{Consistency, Evaluator, State, check_consistency, output_names};
use liedae_problems::Reference;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Writes one body of a mechanism in r-A coordinates; `omega` in the fixed frame.
fn set_body(
    state: &mut State,
    body: usize,
    r: Vector3<f64>,
    v: Vector3<f64>,
    a: Matrix3<f64>,
    omega: Vector3<f64>,
) {
    let q = &mut state.q[12 * body..12 * body + 12];
    q[..3].copy_from_slice(r.as_slice());
    q[3..].copy_from_slice(a.transpose().as_slice());
    let u = &mut state.v[6 * body..6 * body + 6];
    u[..3].copy_from_slice(v.as_slice());
    u[3..].copy_from_slice(a.tr_mul(&omega).as_slice());
}

fn vector(reference: &Reference, prefix: &str, t: f64) -> Vector3<f64> {
    let part = |axis| reference.value(&format!("{prefix}{axis}"), t).unwrap();
    Vector3::new(part("x"), part("y"), part("z"))
}

fn value(reference: &Reference, name: &str, t: f64) -> f64 {
    reference
        .value(name, t)
        .unwrap_or_else(|| panic!("no {name} at {t}"))
}

/// Completes states of the reference and compares every output that the reference has.
fn along(
    name: &str,
    settings: &[&str],
    (end, times): (f64, usize),
    tolerance: f64,
    scale: impl Fn(&str) -> f64,
    set: impl Fn(&Reference, f64, &mut State),
) {
    let mut problem = build(name, settings);
    let (mut worst, mut columns) = (0.0_f64, 0);
    for index in 0..=times {
        let t = end * index as f64 / times as f64;
        let mut state = problem.system.initial_state();
        state.t = t;
        set(problem.reference.as_ref().unwrap(), t, &mut state);
        let mut evaluator = Evaluator::new(problem.system.as_mut());
        let near = Consistency {
            position: 1e-11,
            velocity: 1e-10,
            ..Consistency::default()
        };
        check_consistency(&mut evaluator, &state, near)
            .unwrap_or_else(|error| panic!("{name} at {t}: {error}"));
        complete(problem.system.as_mut(), &mut state);
        let (error, count) = compare(&mut problem, &state, &scale);
        assert!(
            error < tolerance,
            "{name} {settings:?} at t = {t}: {error:e}"
        );
        worst = worst.max(error);
        columns = columns.max(count);
    }
    println!(
        "{name} {settings:?}: {columns} columns at {} times within {worst:e}",
        times + 1
    );
}

#[test]
fn double_pendulum() {
    for (settings, times, tolerance) in [
        (["inertia=0"], 200, 1e-12),
        (["inertia=1"], 200, 1e-12),
        (["inertia=0"], 731, 1e-12),
    ] {
        along(
            "double-pendulum",
            &settings,
            (8.0, times),
            tolerance,
            |name| if name.starts_with('F') { 1000.0 } else { 10.0 },
            |reference, t, state| {
                for bar in [1, 2] {
                    let (sine, cosine) = value(reference, &format!("theta{bar}"), t).sin_cos();
                    let part = |prefix: &str| {
                        let component = |axis| value(reference, &format!("{prefix}{axis}{bar}"), t);
                        Vector3::new(0.0, component("y"), component("z"))
                    };
                    let axes = Matrix3::from_columns(&[
                        Vector3::new(0.0, sine, -cosine),
                        Vector3::new(0.0, cosine, sine),
                        Vector3::x(),
                    ]);
                    let omega = Vector3::x() * value(reference, &format!("omega{bar}"), t);
                    set_body(state, bar - 1, part(""), part("v"), axes, omega);
                }
            },
        );
    }
}

#[test]
fn slider_crank() {
    for settings in [
        &["mu=0"][..],
        &["mu=0.2"],
        &["mu=0.4"],
        &["mu=0.2", "normal=1"],
        &["mu=0.4", "normal=1"],
        &[
            "mu=0.3",
            "rod_mass=1",
            "slider_mass=3",
            "g=5",
            "crank_mass=1",
        ],
    ] {
        let friction = settings[0] != "mu=0";
        along(
            "slider-crank",
            settings,
            (2.0, 377),
            1e-10,
            |_| 1.0,
            |reference, t, state| {
                let angle = -std::f64::consts::TAU * t;
                let crank = Matrix3::new(
                    1.0,
                    0.0,
                    0.0,
                    0.0,
                    angle.cos(),
                    -angle.sin(),
                    0.0,
                    angle.sin(),
                    angle.cos(),
                );
                let omega = Vector3::x() * -std::f64::consts::TAU;
                set_body(
                    state,
                    0,
                    Vector3::new(0.0, 0.1, 0.12),
                    Vector3::zeros(),
                    crank,
                    omega,
                );
                let (u, y) = (vector(reference, "u_", t), vector(reference, "yb_", t));
                let axes = Matrix3::from_columns(&[u, y, u.cross(&y)]);
                let (g, gv) = (vector(reference, "G", t), vector(reference, "Gv", t));
                set_body(state, 1, g, gv, axes, vector(reference, "om_", t));
                let (x, v) = (
                    value(reference, "x_slider", t),
                    value(reference, "v_slider", t),
                );
                set_body(
                    state,
                    2,
                    Vector3::x() * x,
                    Vector3::x() * v,
                    Matrix3::identity(),
                    Vector3::zeros(),
                );
                if friction {
                    state.mode[0] = if v > 0.0 { 1 } else { -1 };
                }
            },
        );
    }
}

#[test]
fn four_link() {
    for settings in [&["masses=0"][..], &["masses=1"], &["masses=1", "g=3"]] {
        let scale = if settings[0] == "masses=0" {
            10_000.0
        } else {
            100.0
        };
        along(
            "four-link",
            settings,
            (4.0, 377),
            1e-9,
            |name| {
                if name.starts_with(['F', 'T']) {
                    scale
                } else {
                    1.0
                }
            },
            |reference, t, state| {
                let angle = std::f64::consts::PI * t;
                let rotor = Matrix3::new(
                    1.0,
                    0.0,
                    0.0,
                    0.0,
                    angle.cos(),
                    -angle.sin(),
                    0.0,
                    angle.sin(),
                    angle.cos(),
                );
                set_body(
                    state,
                    0,
                    Vector3::zeros(),
                    Vector3::zeros(),
                    rotor,
                    Vector3::x() * std::f64::consts::PI,
                );
                let axes = Matrix3::from_columns(
                    &["x2", "y2", "z2"].map(|name| vector(reference, name, t)),
                );
                let (g2, v2) = (vector(reference, "G2", t), vector(reference, "G2v", t));
                set_body(state, 1, g2, v2, axes, vector(reference, "om2", t));
                let (sine, cosine) = value(reference, "angle3", t).sin_cos();
                let y = Vector3::new(-sine, 0.0, cosine);
                let axes = Matrix3::from_columns(&[y.cross(&Vector3::y()), y, Vector3::y()]);
                let omega = Vector3::y() * -value(reference, "angle3_d", t);
                set_body(
                    state,
                    2,
                    vector(reference, "G3", t),
                    vector(reference, "G3v", t),
                    axes,
                    omega,
                );
            },
        );
    }
}

#[test]
fn chain() {
    const SPINS: [f64; 8] = [5.0, -3.0, 8.0, -7.0, 2.0, -9.0, 6.0, -4.0];
    for (count, times, tolerance) in [
        (1, 100, 1e-11),
        (2, 100, 1e-11),
        (8, 100, 1e-11),
        (1, 333, 1e-10),
        (8, 333, 1e-8),
    ] {
        along(
            "chain",
            &[&format!("n={count}")],
            (1.0, times),
            tolerance,
            |name| if name.starts_with('F') { 1000.0 } else { 1.0 },
            |reference, t, state| {
                let mut top = Vector3::zeros();
                let mut top_velocity = Vector3::zeros();
                for link in 1..=count {
                    let (n, nd) = (
                        vector(reference, &format!("n{link}"), t),
                        vector(reference, &format!("nd{link}"), t),
                    );
                    let [w, x, y, z] = ["w", "x", "y", "z"]
                        .map(|part| value(reference, &format!("q{link}{part}"), t));
                    let axes = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
                        .to_rotation_matrix()
                        .into_inner();
                    let omega = n.cross(&nd) + n * SPINS[link - 1];
                    set_body(state, link - 1, top + n, top_velocity + nd, axes, omega);
                    top += n * 2.0;
                    top_velocity += nd * 2.0;
                }
            },
        );
    }
}

/// Long chains assemble, and their equations are solved.
#[test]
fn long_chain() {
    let mut problem = build("chain", &["n=4096"]);
    let mut state = problem.system.initial_state();
    complete(problem.system.as_mut(), &mut state);
    assert_eq!(output_names(&mut problem.system).len(), 7);
    assert!(
        crate::common::outputs(problem.system.as_mut(), &state)
            .iter()
            .all(|(_, value)| value.is_finite())
    );
}
