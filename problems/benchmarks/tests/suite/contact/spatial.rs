//! Mechanisms in space with contacts: a slider with clearance, a box on eight corners.

use crate::common::build;
use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Solution, StepView, solve_observed};
use liedae::system::{System, total_energy};
use liedae_contact::{ContactStatus, NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    BodyId, ForceScalar, Frame, MultibodyBuilder, RigidBody, Shape, Surface, SurfaceContact, Wrench,
};
use std::ops::ControlFlow;

/// What happens over all accepted steps.
#[derive(Default)]
struct Watch {
    energies: Vec<f64>,
    least_gap: f64,
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let evaluator = step.system();
        let system = evaluator.system();
        self.energies
            .push(total_energy(system, &state.point()).expect("known"));
        let contacts = liedae_contact::unilateral(system).expect("there are contacts");
        for contact in 0..contacts.contacts().len() {
            let gap = contacts.gap(contact, &state.point()).expect("finite");
            self.least_gap = self.least_gap.min(gap);
        }
        ControlFlow::Continue(())
    }
}

impl Watch {
    /// The largest energy above the least one before it, in J.
    fn rise(&self) -> f64 {
        let (mut least, mut rise) = (f64::INFINITY, 0.0_f64);
        for &energy in &self.energies {
            assert!(energy.is_finite());
            least = least.min(energy);
            rise = rise.max(energy - least);
        }
        rise
    }
}

fn run_system(system: &mut dyn System, name: &str, options: &Options) -> (Solution, Watch) {
    let integrator = liedae_contact::methods()
        .build(name, &MethodOptions::default())
        .expect("registered");
    let mut watch = Watch::default();
    let solution = solve_observed(system, integrator.as_ref(), options, &mut watch)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    println!(
        "{name}: {} steps, {} events, gap {:e} m, energy up {:e} J, from {} J to {} J",
        solution.statistics.accepted,
        solution.events.len(),
        watch.least_gap,
        watch.rise(),
        watch.energies[0],
        watch.energies[watch.energies.len() - 1],
    );
    (solution, watch)
}

fn run(problem: &str, settings: &[&str], name: &str, options: &Options) -> (Solution, Watch) {
    print!("{problem} {settings:?} ");
    run_system(build(problem, settings).system.as_mut(), name, options)
}

fn count(solution: &Solution, kind: &str) -> usize {
    let events = solution.events.iter();
    events.filter(|event| event.kind == kind).count()
}

/// Impacts accumulate on walls and corners, eight contacts are closed at once, edges and faces lift off again.
fn slider_crank(name: &str) {
    let t_end = build("slider-crank-clearance-3d", &[]).t_end;
    let options = Options::adaptive(t_end, 1e-6, 1e-6);
    let (solution, watch) = run("slider-crank-clearance-3d", &[], name, &options);
    assert_eq!(solution.state.t, t_end);
    for (kind, least) in [("impact", 500), ("accumulation", 10), ("release", 50)] {
        let found = count(&solution, kind);
        println!("{kind}: {found}");
        assert!(found > least, "{kind}: {found}");
    }
    assert!(watch.least_gap > -1e-7, "{:e}", watch.least_gap);
    // The tolerance leaves a drift.
    assert!(watch.rise() < 1e-5, "{:e}", watch.rise());
    let [first, last] = [0, watch.energies.len() - 1].map(|index| watch.energies[index]);
    assert!(last < first - 0.01, "impacts cost energy: {first} {last}");
}

#[test]
fn slider_crank_with_hem5() {
    slider_crank("hem5");
}

#[test]
fn slider_crank_with_mdop5() {
    slider_crank("mdop5");
}

#[test]
fn slider_crank_with_generalized_alpha() {
    slider_crank("generalized-alpha-stabilized");
}

/// A box of 1 kg with half sides 0.1, 0.15, 0.05 m on the floor, the middle of an edge of which is lifted by 10 N/s t: its
/// two corners let go when the force is half the weight, though only one of them has a row.
#[test]
fn the_corners_of_an_edge_lift_together() {
    for name in ["hem5", "mdop5", "generalized-alpha-stabilized"] {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -9.81]);
        let half = [0.1, 0.15, 0.05];
        let body = RigidBody::new("box", 1.0, [0.01; 3]).at([0.0, 0.0, half[2]]);
        let body = mechanism.add_body(body);
        mechanism.add_force_closure("lift", BodyId::GROUND, body, move |t, [_, body]| {
            let edge = body.point(&[half[0], 0.0, 0.0].into());
            let up = [0.0, 0.0, 10.0 * t].map(ForceScalar::constant).into();
            [Wrench::zero(), body.force_at(&edge, &up)]
        });
        mechanism.add_contact(SurfaceContact::new(
            "floor",
            Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]),
            Surface::new(body, Frame::local_point([0.0; 3]), Shape::Cuboid(half)),
        ));
        let inner = mechanism.build().expect("fits");
        let mut system =
            NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("admissible");
        let integrator = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let mut watch = Watch::default();
        let options = Options::adaptive(0.6, 1e-7, 1e-7);
        let solution = solve_observed(&mut system, integrator.as_ref(), &options, &mut watch)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut labels: Vec<_> = solution
            .events
            .iter()
            .map(|event| event.label.clone())
            .collect();
        labels.sort();
        // Corners at +x, -z.
        assert_eq!(
            labels,
            ["floor.2", "floor.4"],
            "{name}: {:?}",
            solution.events
        );
        for event in &solution.events {
            assert_eq!(event.kind, "release");
            assert!((event.t - 0.4905).abs() < 1e-6, "{name}: {}", event.t);
        }
        let closed: Vec<bool> = system
            .statuses()
            .iter()
            .map(|status| status.is_closed())
            .collect();
        assert_eq!(
            closed,
            [true, false, true, false, false, false, false, false]
        );
        let at = solution.state.point();
        let contacts = liedae_contact::unilateral(&mut system).expect("there are contacts");
        let [first, second] = [1, 3].map(|contact| contacts.gap(contact, &at).expect("finite"));
        assert!(
            first > 1e-4 && (first - second).abs() < 1e-9,
            "{name}: {first} {second}"
        );
    }
}

#[test]
fn a_box_comes_to_rest_on_redundant_corners() {
    for (settings, bounces) in [
        (&["e=0"][..], false),
        (&["e=0.5"], true),
        (&["e=0", "tilt=0.3"], false),
        (&["e=0.5", "tilt=0.3"], true),
    ] {
        let options = Options::adaptive(1.0, 1e-6, 1e-6);
        let (solution, watch) = run("box-drop", settings, "hem5", &options);
        assert!(count(&solution, "impact") >= 4);
        assert_eq!(
            count(&solution, "accumulation") > 0,
            bounces,
            "{settings:?}"
        );
        assert!(watch.least_gap > -1e-10, "{:e}", watch.least_gap);
        assert!(watch.rise() < 1e-8, "{:e}", watch.rise());
        // Three rows hold four corners.
        let modes = &solution.state.mode;
        let having = |status: ContactStatus| {
            let modes = modes.iter();
            modes.filter(|&&mode| mode == status.mode()).count()
        };
        let statuses = [
            ContactStatus::Closed,
            ContactStatus::Redundant,
            ContactStatus::Open,
        ];
        assert_eq!(statuses.map(having), [3, 1, 4], "{settings:?} {modes:?}");
        assert_eq!(solution.state.lambda.len(), 3);
        assert!((solution.state.q[2] - 0.05).abs() < 1e-10);
        // Nothing but the rows stops it: along the floor and about the vertical, errors of integration stay.
        for (index, v) in solution.state.v.iter().enumerate() {
            let bound = if matches!(index, 0 | 1 | 5) {
                1e-5
            } else {
                1e-9
            };
            assert!(v.abs() < bound, "{settings:?} {:?}", solution.state.v);
        }
    }
}

/// Heights of the box by the event-capturing scheme on the way against the event-driven one: the error falls with the step.
#[test]
fn capturing_and_locating_agree() {
    for (settings, bound) in [(&["tilt=0"][..], 2e-3), (&["tilt=0.3", "e=0"], 2e-4)] {
        for t in [0.2, 0.3, 1.0] {
            let options = Options::adaptive(t, 1e-9, 1e-9);
            let (exact, _) = run("box-drop", settings, "hem5", &options);
            let errors = [2e-3, 5e-4, 1.25e-4].map(|step| {
                let (captured, watch) = run(
                    "box-drop",
                    settings,
                    "moreau-jean",
                    &Options::fixed(t, step),
                );
                assert!(watch.rise() < 1e-6, "{:e}", watch.rise());
                (captured.state.q[2] - exact.state.q[2]).abs()
            });
            println!("{settings:?} {t}: {errors:?}");
            assert!(
                errors[0] < bound && errors[2] < 0.25 * bound.max(4e-12),
                "{errors:?}"
            );
        }
    }
}

/// A box that slides along the floor stops after v / (mu g), v^2 / (2 mu g) further.
#[test]
fn a_sliding_box_is_stopped_by_friction() {
    let settings = ["e=0", "mu=0.3", "height=0", "speed=1"];
    let errors = [2e-3, 1e-3, 5e-4].map(|step| {
        let (solution, watch) = run(
            "box-drop",
            &settings,
            "moreau-jean",
            &Options::fixed(0.6, step),
        );
        assert!(watch.rise() < 1e-9, "{:e}", watch.rise());
        assert!(
            solution.state.v.iter().all(|v| v.abs() < 1e-8),
            "{:?}",
            solution.state.v
        );
        assert!((solution.state.q[2] - 0.05).abs() < 1e-10);
        (solution.state.q[0] - 1.0 / (2.0 * 0.3 * 9.81)).abs()
    });
    println!("{errors:?}");
    assert!(errors[2] < 1e-3 && errors[2] <= errors[0], "{errors:?}");
    for method in ["hem5", "radau5"] {
        let options = Options::adaptive(0.6, 1e-10, 1e-10);
        let (solution, _) = run("box-drop", &settings, method, &options);
        let error = (solution.state.q[0] - 1.0 / (2.0 * 0.3 * 9.81)).abs();
        assert!(error < 1e-10, "{method}: {error:e}");
    }
    // A level box has nothing to rub when it bounces.
    let options = Options::fixed(1.0, 1e-3);
    let [rubbing, smooth] = [&["mu=0.3"][..], &[]].map(|settings| {
        let (solution, watch) = run("box-drop", settings, "moreau-jean", &options);
        assert!(watch.rise() < 1e-9, "{:e}", watch.rise());
        solution.state
    });
    for (one, other) in rubbing.q.iter().zip(&smooth.q) {
        assert!((one - other).abs() < 1e-10, "{one} {other}");
    }
}

/// Four rubbing corners say the same as three, and their velocities contradict each other slightly: impulses are found
/// nevertheless, whatever friction and restitution.
#[test]
fn tilted_boxes_rub_their_redundant_corners() {
    for e in ["e=0", "e=0.3", "e=0.7"] {
        for mu in ["mu=0.3", "mu=0.6", "mu=1.5"] {
            for tilt in ["tilt=0.1", "tilt=0.3"] {
                let settings = [e, mu, tilt, "speed=0.5"];
                let options = Options::fixed(1.0, 1e-3);
                let (solution, watch) = run("box-drop", &settings, "moreau-jean", &options);
                assert_eq!(solution.state.t, 1.0);
                assert!(watch.least_gap > -1e-11, "{:e}", watch.least_gap);
                // At rest if nothing bounces.
                if e == "e=0" {
                    let speeds = solution.state.v.iter();
                    let fastest = speeds.fold(0.0_f64, |max, v| max.max(v.abs()));
                    assert!(fastest < 1e-9, "{settings:?} {fastest:e}");
                }
            }
        }
    }
}
