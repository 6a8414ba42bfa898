//! Mistakes and contradictions.

use super::line::{Gap, Line, ball};
use super::support::{GRAVITY, failure};
use liedae::integrator::{MethodOptions, NewtonOptions, StepError};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, SolveErrorKind, solve};
use liedae::system::{
    DynamicsError, EvaluationError, Function, Layout, MatrixMut, Model, Point, State,
};
use liedae_contact::capturing::{
    ContactLaw, ImpactError, ImpactSolver, MoreauJean, UnsolvedImpact,
};
use liedae_contact::{Contact, ContactModel, IllStated, with_contacts};

struct Undefined;
impl Gap for Undefined {
    fn gap<S: Scalar>(&self, _contact: usize, q: &[S]) -> S {
        (q[0] - 0.5).sqrt()
    }
}

/// A mass held by a joint in front of a wall that moves towards it.
struct Squeezed;

impl Model for Squeezed {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0];
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Squeezed {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("press", 0.0)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0] + 0.1 - at.t
    }
}

#[test]
fn mistakes_and_contradictions_have_typed_errors() {
    let method = &MoreauJean::default();
    let nan = Line {
        gap: Undefined,
        ..Line {
            heights: vec![1.0],
            speeds: vec![0.0],
            gravity: GRAVITY,
            restitution: 0.5,
            contacts: 1,
            gap: Undefined,
        }
    };
    let found = failure(nan, method);
    let SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(
        EvaluationError::Failed {
            function, reason, ..
        },
    ))) = &found
    else {
        panic!("{found}");
    };
    assert_eq!(*function, Function::OfLayer("gap"));
    assert!(reason.contains("contact 0"), "{reason}");

    let found = failure(Squeezed, method);
    let SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(
        EvaluationError::Foreign(error),
    ))) = &found
    else {
        panic!("{found}");
    };
    let UnsolvedImpact { t, source } = error.downcast_ref().expect("its own error");
    assert!((t - 0.1).abs() < 0.02, "{t}");
    assert!(
        matches!(source, ImpactError::Complementarity(_)),
        "{source}"
    );

    let found = failure(ball(1.5), method);
    assert!(
        matches!(
            &found,
            SolveErrorKind::Step(StepError::Dynamics(DynamicsError::Evaluation(
                EvaluationError::Foreign(error)
            ))) if error.downcast_ref::<IllStated>().is_some()
        ),
        "{found}"
    );

    for theta in [0.4, 1.1, f64::NAN] {
        let found = failure(ball(0.5), &MoreauJean::new(theta, NewtonOptions::default()));
        assert!(
            matches!(found, SolveErrorKind::Step(StepError::Option { .. })),
            "{found}"
        );
    }
    let options = MethodOptions {
        theta: Some(0.75),
        ..MethodOptions::default()
    };
    let registered = liedae_contact::methods()
        .build("moreau-jean", &options)
        .expect("registered");
    let options = Options::fixed(0.1, 1e-2);
    assert!(solve(&mut with_contacts(ball(0.5)), registered.as_ref(), &options).is_ok());
}

#[test]
fn impacts_without_a_solution_and_bad_problems_have_typed_errors() {
    let law = ContactLaw {
        least_velocity: 0.0,
        friction: 0.5,
        tangents: 1,
    };
    let mut solver = ImpactSolver::default();
    let mut solve = |laws: &[ContactLaw], matrix: &[f64], velocity: &[f64]| {
        let found = solver.solve(laws, matrix, velocity, &mut vec![0.0; velocity.len()]);
        println!("{found:?}");
        found
    };
    // A body between two jaws that close: what opens one contact closes the other.
    let jaws = [
        [1.0, 0.0, -1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
        [-1.0, 0.0, 1.0, 0.0],
        [0.0, 1.0, 0.0, 1.0],
    ];
    let found = solve(&[law; 2], jaws.as_flattened(), &[-1.0, 0.2, -1.0, 0.2]);
    let Err(ImpactError::NotConverged { error }) = found else {
        panic!("{found:?}");
    };
    assert!(error > 1e-9 && error.is_finite(), "{error:e}");
    // With jaws at rest it is held.
    let found = solve(&[law; 2], jaws.as_flattened(), &[0.0, 0.2, 0.0, 0.2]);
    assert_eq!(found, Ok(()));
    let blocked = solve(&[law], &[0.0, 0.0, 0.0, 1.0], &[-1.0, 0.0]);
    assert_eq!(blocked, Err(ImpactError::Blocked { place: 0 }));

    let one = &[1.0, 0.0, 0.0, 1.0];
    for bad in [
        ContactLaw {
            friction: -0.1,
            ..law
        },
        ContactLaw {
            friction: f64::NAN,
            ..law
        },
        ContactLaw {
            tangents: usize::MAX,
            ..law
        },
        ContactLaw {
            least_velocity: f64::INFINITY,
            ..law
        },
    ] {
        let found = solve(&[bad], one, &[-1.0, 0.0]);
        assert_eq!(found, Err(ImpactError::Law { place: 0 }));
    }
    let found = solve(&[law], one, &[f64::NAN, 0.0]);
    assert!(
        matches!(found, Err(ImpactError::NonFinite { .. })),
        "{found:?}"
    );
    let found = solve(&[law], &one[..3], &[-1.0, 0.0]);
    assert!(
        matches!(found, Err(ImpactError::Dimension { .. })),
        "{found:?}"
    );
    // Numbers of any size.
    for size in [1e-150, 1e-100, 1e100] {
        let matrix = one.map(|entry| entry * size);
        let mut impulses = [0.0; 2];
        solver
            .solve(&[law], &matrix, &[-1.0, 2.0], &mut impulses)
            .expect("solved");
        assert!((impulses[0] * size - 1.0).abs() < 1e-9, "{impulses:?}");
        assert!((impulses[1] * size + 0.5).abs() < 1e-9, "{impulses:?}");
    }
}
