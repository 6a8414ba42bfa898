//! Families of plane mechanisms: degrees of freedom, closed forms, equations of one unknown, published values.

use crate::common::{build, compare, complete, outputs};
use liedae::analysis::mobility;
use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Consistency, Evaluator, State, System, check_consistency};
use liedae_problems::Problem;

fn run(system: &mut dyn System, method: &str, t_end: f64, tolerance: f64) -> State {
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t_end, tolerance, tolerance);
    let solution = solve(system, method.as_ref(), &options);
    solution.expect("a solution").state
}

fn output(problem: &mut Problem, state: &State, name: &str) -> f64 {
    let all = outputs(problem.system.as_mut(), state);
    let found = all.into_iter().find(|(other, _)| other == name);
    found.expect("an output of this name").1
}

/// All settings of the open test set: (problem, settings, degrees of freedom, redundant rows).
const VARIANTS: [(&str, &[&str], usize, usize); 29] = [
    ("planar-chain", &["n=2"], 2, 0),
    ("planar-chain", &["n=3"], 3, 0),
    ("planar-chain", &["n=5"], 5, 0),
    ("planar-chain", &["n=8"], 8, 0),
    ("planar-chain", &["n=12"], 12, 0),
    ("planar-chain", &["n=19"], 19, 0),
    ("n-four-bar", &["n=1"], 1, 0),
    ("n-four-bar", &["n=2"], 1, 0),
    ("n-four-bar", &["n=8"], 1, 0),
    ("n-four-bar", &["n=12"], 1, 0),
    ("four-bar", &["drive=0"], 0, 0),
    ("four-bar", &["drive=1"], 1, 0),
    ("plane-slider-crank", &["variant=0"], 1, 0),
    ("plane-slider-crank", &["variant=1"], 4, 0),
    ("plane-slider-crank", &["variant=2"], 0, 0),
    ("plane-slider-crank", &["variant=3"], 1, 0),
    ("planar-3rrr", &[], 3, 0),
    ("scissor-lift", &["n=3"], 1, 0),
    ("scissor-lift", &["n=6"], 1, 0),
    ("scissor-lift", &["n=12"], 1, 0),
    ("spring-masses", &["n=4"], 4, 0),
    ("spring-masses", &["n=10", "stiffness=1e5"], 10, 0),
    ("spring-masses", &["n=19", "stiffness=1e5"], 19, 0),
    ("planetary-gear", &[], 1, 2),
    ("gear-train", &[], 1, 0),
    ("crane", &[], 3, 0),
    ("toggle-press", &[], 1, 0),
    ("parallelogram", &[], 1, 1),
    ("car-axis", &["omega=20", "r=0.2"], 2, 0),
];

#[test]
fn mechanisms_start_consistently_with_their_degrees_of_freedom() {
    for (name, settings, freedom, redundant) in VARIANTS {
        let mut problem = build(name, settings);
        let state = problem.system.initial_state();
        let mut evaluator = Evaluator::new(problem.system.as_mut());
        let tolerance = Consistency {
            position: 2e-14,
            velocity: 1e-13,
            ..Consistency::default()
        };
        check_consistency(&mut evaluator, &state, tolerance)
            .unwrap_or_else(|error| panic!("{name} {settings:?}: {error}"));
        let found = mobility(&mut evaluator, &state).expect("ranks");
        assert_eq!(
            (found.freedom, found.redundant.len()),
            (freedom, redundant),
            "{name} {settings:?}"
        );
    }
}

#[test]
fn runs_arrive_at_closed_forms() {
    for (name, settings, until) in [
        ("planar-chain", &["data=1"][..], 8.0),
        ("n-four-bar", &["n=1"], 10.0),
        ("n-four-bar", &["n=3"], 2.5),
        ("four-bar", &[], 2.0),
        ("plane-slider-crank", &["variant=2"], 0.1),
        ("plane-slider-crank", &["variant=3"], 1.0),
        ("spring-masses", &["n=4"], 5.0),
        ("spring-masses", &["n=10", "stiffness=1e5"], 0.5),
        ("planetary-gear", &[], 2.0),
        ("gear-train", &[], 2.0),
        ("parallelogram", &[], 10.0),
    ] {
        let mut problem = build(name, settings);
        let mut state = run(problem.system.as_mut(), "hem5", until, 1e-10);
        state.t = until;
        complete(problem.system.as_mut(), &mut state);
        let (error, columns) = compare(&mut problem, &state, |_| 1.0);
        println!("{name} {settings:?}: {columns} columns within {error:e}");
        assert!(
            columns >= 10 && error < 1e-8,
            "{name} {settings:?}: {error:e}"
        );
    }
}

/// Values of the equation θ'' = c sin θ, by mpmath's elliptic functions with 30 digits: the first tip at 1, 5 and 10 s.
#[test]
fn linkages_in_a_row_move_as_one_pendulum() {
    let one = [
        (1.0, -0.260_712_675_183_650_4, -0.965_416_439_159_073_2),
        (5.0, -0.944_908_186_042_953_9, -0.327_335_485_318_983_46),
        (10.0, 0.478_385_057_760_970_56, 0.878_150_178_791_209_3),
    ];
    let two = [
        (1.0, -0.195_020_301_949_435_1, -0.980_799_205_662_173_8),
        (5.0, -0.811_310_461_005_107_4, -0.584_615_545_348_975_6),
        (10.0, 0.328_458_111_540_815_4, 0.944_518_538_178_601),
    ];
    for (setting, values) in [("n=1", one), ("n=2", two)] {
        let reference = build("n-four-bar", &[setting]).reference.expect("known");
        for (t, x, y) in values {
            let tip = ["crank0.x", "crank0.y"].map(|name| reference.value(name, t));
            let error = (2.0 * tip[0].expect("known") - x).hypot(2.0 * tip[1].expect("known") - y);
            assert!(error < 1e-13, "{setting} {t}: {error:e}");
        }
    }
}

/// The table in EXUDYN's test model, by ode45 of MATLAB with tolerances of 1e-6, whose error grows: the crank's angle while the
/// torque acts, which it does to the end there.
#[test]
fn a_slider_crank_has_the_published_angles() {
    let mut problem = build("plane-slider-crank", &["until=3"]);
    for (t, angle, bound) in [
        (0.499_313_79, 4.062_731_7, 1e-6),
        (0.998_907_47, 14.105_539, 2e-5),
        (3.0, 121.890_82, 5e-3),
    ] {
        let state = run(problem.system.as_mut(), "dop853", t, 1e-10);
        let found = output(&mut problem, &state, "crank.theta");
        println!("{t}: {found}");
        assert!((found - angle).abs() < bound, "{t}: {found}");
    }
}

/// The sum of both sliders' places at 0.3 s, fixed frame and floating one, is a test value of EXUDYN, by 5000 steps of second order.
#[test]
fn slider_cranks_on_both_frames_have_the_published_places() {
    let places = ["variant=0", "variant=1"].map(|variant| {
        let mut problem = build("plane-slider-crank", &[variant]);
        let state = run(problem.system.as_mut(), "dop853", 0.3, 1e-10);
        output(&mut problem, &state, "slider.x")
    });
    let error = places[0] + places[1] - 0.591_649_163_378_833_3;
    println!("{places:?}: {error:e}");
    assert!(error.abs() < 2e-8, "{error:e}");
}

/// What a torque has done until it ends is the energy of all that follows.
#[test]
fn a_torque_that_is_switched_off_leaves_its_work() {
    for method in ["dop853", "radau5"] {
        let mut problem = build("plane-slider-crank", &[]);
        let off = run(problem.system.as_mut(), method, 2.0, 1e-10);
        let work = 0.1 * output(&mut problem, &off, "crank.theta");
        let end = run(problem.system.as_mut(), method, 3.0, 1e-10);
        for state in [&off, &end] {
            let energy = liedae::system::total_energy(problem.system.as_mut(), &state.point());
            let energy = energy.expect("an energy");
            assert!(
                (energy - work).abs() < 1e-6 * work,
                "{method}: {energy} {work}"
            );
        }
    }
}

/// T = I(θ) θ'²/2 of bars of length 1 and mass m in n stages under a load M, held back by the damper at the foot:
/// I = Σ 2 m (1/12 + sin²θ/4 + (k + 1/2)² cos²θ) + M n² cos²θ, k = 0 .. n - 1.
#[test]
fn a_scissor_lift_sinks_as_its_one_equation_says() {
    let (stages, bar, load, damping, g) = (3, 2.0, 100.0, 6000.0, 9.81);
    let n = f64::from(stages);
    let squares: f64 = (0..stages).map(|k| (f64::from(k) + 0.5).powi(2)).sum();
    let across = 2.0 * bar * n * 0.25;
    let along = 2.0 * bar * squares + load * n * n;
    let weight = (bar * n * n + load * n) * g;
    let mut lift = liedae::model([std::f64::consts::FRAC_PI_3], [0.0])
        .mass(1.0)
        .force(move |_t, q, v| {
            let (sine, cosine) = q[0].sin_cos();
            let inertia = sine * sine * across + cosine * cosine * along + 2.0 * bar * n / 12.0;
            let slope = sine * cosine * (2.0 * (across - along));
            let damped = v[0] * sine * sine * (damping * n);
            [-(cosine * weight + damped + v[0] * v[0] * slope * 0.5) / inertia]
        })
        .build()
        .expect("a model");
    let mut problem = build("scissor-lift", &[]);
    for t in [0.1, 1.0, 2.0] {
        let expected = run(&mut lift, "dop853", t, 1e-12).q[0];
        let state = run(problem.system.as_mut(), "hem5", t, 1e-10);
        let found = output(&mut problem, &state, "rising3.theta");
        println!("{t}: {found}");
        assert!((found - expected).abs() < 1e-9, "{t}: {found} {expected}");
    }
}

/// The trolley comes to rest at 5 m under a rope of the length asked for; only the swing goes on.
#[test]
fn a_crane_hoists_its_load_to_the_length_asked_for() {
    let mut problem = build("crane", &["length=3"]);
    let state = run(problem.system.as_mut(), "hem5", 10.0, 1e-8);
    let [trolley, load, turned] =
        ["trolley.x", "load.x", "load.theta"].map(|name| output(&mut problem, &state, name));
    let hook = [
        load - 0.6 * turned.sin() - trolley,
        output(&mut problem, &state, "load.y") + 0.6 * turned.cos(),
    ];
    assert!((hook[0].hypot(hook[1]) - 3.0).abs() < 1e-9, "{hook:?}");
    assert!((trolley - 5.0).abs() < 1.0, "{trolley}");
}

/// Lines of the outer bars as (direction, moment about the platform's centre): three of them meet in one point where their
/// determinant vanishes.
#[test]
fn a_parallel_robot_passes_the_singularity_of_its_cranks() {
    let mut problem = build("planar-3rrr", &[]);
    let determinant = |problem: &mut Problem, t: f64| {
        let state = run(problem.system.as_mut(), "hem5", t, 1e-8);
        let mut at = |name: String| output(problem, &state, &name);
        let centre = ["x", "y"].map(|axis| at(format!("platform.{axis}")));
        let lines = [1, 2, 3].map(|leg| {
            let (sine, cosine) = at(format!("outer{leg}.theta")).sin_cos();
            let arm =
                [0, 1].map(|axis| at(format!("outer{leg}.{}", ["x", "y"][axis])) - centre[axis]);
            [cosine, sine, arm[0] * sine - arm[1] * cosine]
        });
        nalgebra::Matrix3::from(lines).determinant()
    };
    let [start, before, after] = [0.0001, 0.3, 0.4].map(|t| determinant(&mut problem, t));
    assert!(
        start > 0.2 && before > 0.02 && after < -0.02,
        "{start} {before} {after}"
    );
}
