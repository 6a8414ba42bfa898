//! Friction in space by the command, with methods that locate events.

use crate::common::{json, number, path};
use liedae::integrator::MethodOptions;
use liedae::solve::{Options, solve};
use liedae::system::{output_names, output_values};
use liedae_problems::ProblemRegistry;
use serde_json::Value;

const PROBLEM: &str = "ball-slope";

/// Of the ball, in m.
const RADIUS: f64 = 0.1;

/// A kick up the slope, with a spin that turns the point of contact the other way.
const KICK: [&str; 3] = ["vx=-1.5", "wy=-25", "slope=0.2"];

fn run(problem: &str, method: &str, more: &[&str]) -> Value {
    let arguments = ["run", problem, "--method", method];
    let (code, report) = json(&[&arguments, more].concat());
    assert_eq!(code, 0, "{problem} {method}: {report}");
    report
}

/// The largest distance from the closed form, that of a spin as a speed of the ball's surface.
fn error(report: &Value) -> f64 {
    let errors = report["error"].as_object().expect("a reference");
    assert_eq!(errors.len(), 7, "{report}");
    let errors = errors.iter().map(|(name, value)| {
        let lever = if name.starts_with('w') { RADIUS } else { 1.0 };
        lever * value.as_f64().expect("a number")
    });
    errors.fold(
        0.0,
        |most: f64, next| if next <= most { most } else { next },
    )
}

#[test]
fn a_ball_slides_in_a_curve_and_rolls() {
    let kick = KICK.join(":");
    for problem in [PROBLEM.to_owned(), format!("{PROBLEM}:{kick}")] {
        for method in ["hem5", "mdop5", "dop853", "radau5"] {
            let report = run(&problem, method, &["--rtol", "1e-10"]);
            println!(
                "{problem} {method} {}: {:e}",
                report["steps"],
                error(&report)
            );
            assert!(error(&report) < 1e-8, "{method}: {report}");
            let kinds = report["events"].as_array().expect("events").iter();
            let kinds: Vec<_> = kinds.filter_map(|event| event["kind"].as_str()).collect();
            assert_eq!(kinds, ["stick"], "{method}");
        }
    }
}

/// The command adds nothing to a run: its end is that of the library to the last bit.
#[test]
fn the_command_runs_as_the_library_does() {
    for method in ["hem5", "radau5"] {
        let mut more = vec!["--rtol", "1e-8"];
        more.extend(KICK.iter().flat_map(|setting| ["--set", setting]));
        let report = run(PROBLEM, method, &more);
        let entry = ProblemRegistry::standard().lookup(PROBLEM).expect("known");
        let mut problem = entry.build_with(&KICK).expect("admissible");
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .expect("registered");
        let options = Options::adaptive(problem.t_end, 1e-8, 1e-8);
        let system = problem.system.as_mut();
        let solution = solve(system, integrator.as_ref(), &options).expect("arrives");
        let names = output_names(&mut problem.system).to_vec();
        let mut values = vec![f64::NAN; names.len()];
        output_values(problem.system.as_mut(), &solution.state, &mut values).expect("finite");
        for (name, value) in names.iter().zip(values) {
            assert_eq!(
                number(&report, &format!("/outputs/{name}")),
                value,
                "{name}"
            );
        }
        let accepted = solution.statistics.accepted as f64;
        assert_eq!(number(&report, "/steps/accepted"), accepted, "{method}");
        let moment = solution.events.first().map(|event| event.t);
        assert_eq!(report["events"][0]["t"].as_f64(), moment, "{method}");
    }
}

#[test]
fn compare_and_auto_let_them_run() {
    let folder = tempfile::tempdir().expect("a directory");
    let (code, report) = json(&[
        "compare",
        PROBLEM,
        "--methods",
        "hem5,mdop5,radau5,auto",
        "--tols",
        "1e-4,1e-8",
        "--out",
        path(folder.path()),
    ]);
    assert_eq!(code, 0, "{report}");
    let results = report["results"].as_array().expect("results");
    assert_eq!(results.len(), 8);
    for result in results {
        assert_eq!(result["status"], "done", "{result}");
    }
    let method = run(PROBLEM, "auto", &[])["method"].clone();
    assert_ne!(method, "moreau-jean");
}

/// Corners that share their forces, and bounce.
#[test]
fn a_box_comes_to_rest_on_its_corners() {
    let located = run("box-drop:mu=0.3:tilt=0.1:speed=0.5", "auto", &[]);
    assert_ne!(located["method"], "moreau-jean");
    let step = ["--step", "1e-4"];
    let captured = run("box-drop:mu=0.3:tilt=0.1:speed=0.5", "moreau-jean", &step);
    for (axis, close) in [("x", 1e-3), ("y", 1e-3), ("z", 1e-9)] {
        let place = |report| number(report, &format!("/outputs/box.{axis}"));
        let error = (place(&located) - place(&captured)).abs();
        assert!(error < close, "{axis}: {error:e}");
    }
}
