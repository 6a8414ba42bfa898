//! What cannot be: clear errors instead of motions.

use super::run::METHODS;
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{
    Contact, ContactModel, NonsmoothError, NonsmoothOptions, NonsmoothSystem, with_contacts,
};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{
    Motion, PlaneBodyData, PlaneJoint, PlaneMechanism, PlaneMechanismError, PlanePairing,
};
use liedae_problems::{ProblemError, ProblemRegistry};

fn body(height: f64, speed: f64) -> PlaneBodyData {
    PlaneBodyData {
        name: "ball".to_owned(),
        mass: 1.0,
        inertia: 1.0,
        position: [0.0, height, 0.0],
        velocity: [0.0, speed, 0.0],
    }
}

fn ball(height: f64, speed: f64) -> PlaneMechanism {
    PlaneMechanism::new(vec![body(height, speed)], [0.0, -9.81]).unwrap()
}

fn on_floor(
    mechanism: PlaneMechanism,
    e: f64,
    body: usize,
) -> Result<PlaneMechanism, PlaneMechanismError> {
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0]).unwrap();
    let floor = PlanePairing::DiscOnLine(DiscOnLine::point(floor, [0.0, 0.0]).unwrap());
    mechanism.with_contact(Contact::new("floor", e), [None, Some(body)], floor)
}

fn wrap<M: ContactModel + 'static>(model: M) -> Result<NonsmoothSystem, NonsmoothError> {
    NonsmoothSystem::new(with_contacts(model), NonsmoothOptions::default())
}

#[test]
fn penetration_at_the_start() {
    let error = wrap(on_floor(ball(-0.1, 0.0), 0.5, 0).unwrap())
        .err()
        .unwrap();
    assert!(matches!(error, NonsmoothError::Initial(_)));
    let words = error.to_string();
    assert!(words.contains("`floor` is penetrated by 1e-1 m"), "{words}");
}

#[test]
fn restitution_outside_its_range() {
    for e in [1.2, -0.1, f64::NAN] {
        let error = on_floor(ball(1.0, 0.0), e, 0).unwrap_err();
        assert!(matches!(error, PlaneMechanismError::Contact(_)));
        assert!(error.to_string().contains("outside [0, 1]"), "{error}");
        let refused = ProblemRegistry::standard()
            .lookup("bouncing-ball")
            .unwrap()
            .build_with(&[&format!("e={e}")]);
        assert!(matches!(refused, Err(ProblemError::ParameterValue { .. })));
    }
}

#[test]
fn contact_with_a_body_that_is_not_there() {
    let error = on_floor(ball(1.0, 0.0), 0.5, 3).unwrap_err();
    let expected = "contact `floor` names body 3, and there are 1 bodies, counted from 0";
    assert_eq!(error.to_string(), expected);
}

/// The gap loses its meaning below a height.
struct Broken(f64);

impl Model for Broken {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-9.81);
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Broken {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.5)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        (at.q[0] - self.0).sqrt()
    }
}

#[test]
fn gap_that_is_no_number() {
    let error = wrap(Broken(2.0)).err().unwrap().to_string();
    assert!(
        error.contains("the gap of contact `floor` is NaN"),
        "{error}"
    );
    for method in METHODS {
        let mut system = wrap(Broken(0.0)).unwrap();
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let error = solve(&mut system, &*integrator, &options).unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains("the gap of contact `floor` is NaN"),
            "{words}"
        );
        assert!(error.state.unwrap().t < 0.452);
    }
}

/// A driven body meets the floor: nothing can stop it.
#[test]
fn impact_without_an_impulse() {
    let joints = [PlaneJoint::PointDrive(
        (Some(0), [0.0, 0.0]),
        [0.0, 1.0],
        Motion::Uniform {
            start: 1.0,
            rate: -1.0,
        },
    )];
    for method in METHODS {
        let driven = ball(1.0, -1.0).with_joints(joints).unwrap();
        let mut system = wrap(on_floor(driven, 0.5, 0).unwrap()).unwrap();
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(2.0, 1e-8, 1e-8);
        let error = solve(&mut system, &*integrator, &options).unwrap_err();
        let words = error.to_string();
        println!("{method}: {words}");
        assert!(
            words.contains("no impulse stops the approach of contact `floor`"),
            "{words}"
        );
        let reached = error.state.unwrap();
        assert!(reached.t <= 1.0 && reached.q[1] >= 0.0);
    }
}

/// Painlevé: with too much friction the sliding rod has no force that keeps it from penetrating.
#[test]
fn paradox_is_an_error() {
    let rod = ProblemRegistry::standard().lookup("painleve-rod").unwrap();
    let Err(ProblemError::Build { reason, .. }) = rod.build_with(&["mu=2"]) else {
        panic!("the rod has no motion");
    };
    assert!(reason.contains("Painlev"), "{reason}");
    for method in METHODS {
        let mut problem = rod.build_with(&[]).unwrap();
        let integrator = liedae_contact::methods()
            .build(method, &MethodOptions::default())
            .unwrap();
        let options = Options::adaptive(problem.t_end, 1e-8, 1e-8);
        let end = solve(problem.system.as_mut(), &*integrator, &options).unwrap();
        assert!(end.state.q[1] > 0.0);
    }
}

/// Runs land on every lift of the cam.
#[test]
fn a_crankshaft_that_turns_too_fast() {
    let build = |rpm: &str| {
        let entry = ProblemRegistry::standard()
            .lookup("cam-rocker-valve")
            .unwrap();
        entry.build_with(&[&format!("rpm={rpm}")]).map(|_| ())
    };
    build("1e6").unwrap();
    let refused = build("1e300").unwrap_err();
    assert!(
        matches!(refused, ProblemError::ParameterValue { name: "rpm", .. }),
        "{refused}"
    );
}
