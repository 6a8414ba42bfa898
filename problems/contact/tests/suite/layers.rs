//! Contacts below wrappers, beside other layers, and in systems of other types.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae::system::{
    EvaluationError, Layout, MatrixMut, Model, Point, RatesJacobian, State, System, Wrapped,
    Wrapper,
};
use liedae_contact::{
    Contact, ContactModel, ContactSystem, FrictionJoint, FrictionJoints, NonsmoothOptions,
    NonsmoothSystem, Support, contact_system, joint_friction, unilateral, with_contacts,
};
use std::any::{Any, TypeId};

/// A ball above a floor, with a guide that rubs where it is asked for.
struct Ball {
    acting_on: Option<usize>,
}

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[1];
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Ball {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.5)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0]
    }
    fn friction_joints(&self) -> Vec<FrictionJoint> {
        let guide = |number| {
            FrictionJoint::new("guide", 0.1, [Support::of_rows([0])]).acting_on([0, number])
        };
        self.acting_on.map(guide).into_iter().collect()
    }
    fn joint_velocity<S: Scalar>(&self, _joint: usize, at: &Point<S>) -> S {
        at.v[0]
    }
}

/// A layer of another kind.
#[derive(Default)]
struct Measured(usize);

/// A wrapper with drag, and with a layer of its own.
struct Dragged {
    inner: ContactSystem,
    measured: Measured,
}

const DRAG: f64 = 2.0;

impl Wrapper for Dragged {
    type Inner = ContactSystem;

    fn inner(&self) -> &ContactSystem {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut ContactSystem {
        &mut self.inner
    }

    fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        self.measured.0 += 1;
        self.inner.rates(at, out)?;
        out[0] -= DRAG * at.v[0];
        Ok(())
    }

    fn rates_jacobian(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.inner.rates_jacobian(at, out)?;
        let layout = self.inner.layout();
        if let Some(place) = layout.rates.position(0, 0) {
            out.by_velocity[place] -= DRAG;
        }
        Ok(())
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        if wanted == TypeId::of::<Measured>() {
            Some(&mut self.measured)
        } else {
            self.inner.extension(wanted)
        }
    }
}

fn dragged() -> Wrapped<Dragged> {
    Wrapped(Dragged {
        inner: with_contacts(Ball { acting_on: None }),
        measured: Measured::default(),
    })
}

fn run(system: &mut dyn System, name: &str) -> Solution {
    let method = liedae_contact::methods()
        .build(name, &MethodOptions::default())
        .expect("registered");
    let options = match method.method().is_adaptive() {
        true => Options::adaptive(1.2, 1e-10, 1e-10),
        false => Options::fixed(1.2, 1e-4),
    };
    solve(system, &method, &options).expect("solved")
}

/// When a ball falls 1 m with x'' = -g - c x', in closed form by bisection.
fn moment_of_impact() -> f64 {
    let terminal = 9.81 / DRAG;
    let height = |t: f64| 1.0 - terminal * (t - (1.0 - (-DRAG * t).exp()) / DRAG);
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if height(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[test]
fn a_wrapper_below_keeps_contacts_and_changes_forces() {
    let mut located = NonsmoothSystem::new(dragged(), NonsmoothOptions::default()).expect("built");
    for name in ["dop853", "radau5", "bdf"] {
        let solution = run(&mut located, name);
        let impact = &solution.events[0];
        assert_eq!(impact.kind, "impact");
        assert!((impact.t - moment_of_impact()).abs() < 1e-7, "{name}");
    }
    let expected = run(&mut located, "dop853").state.q[0];
    let mut captured = dragged();
    let end = run(&mut captured, "moreau-jean").state.q[0];
    assert!((end - expected).abs() < 2e-3, "{end} {expected}");
}

#[test]
fn two_layers_do_not_hide_each_other() {
    let system: &mut dyn System = &mut dragged();
    assert!(unilateral(system).is_some() && joint_friction(system).is_none());
    let other = system.extension(TypeId::of::<Measured>());
    assert!(other.is_some_and(|other| other.is::<Measured>()));
    assert!(system.extension(TypeId::of::<String>()).is_none());
}

/// What is a system with contacts already is not wrapped again: each layer is a dynamic call for each evaluation.
#[test]
fn one_layer_is_enough() {
    let ball = || with_contacts(Ball { acting_on: None });
    let located = NonsmoothSystem::new(ball(), NonsmoothOptions::default()).expect("built");
    for system in [located.inner(), &contact_system(ball())] {
        assert!(system.0.get::<ContactSystem>().is_none());
    }
}

#[test]
fn velocities_that_are_not_there_are_left_out() {
    let mut system = with_contacts(Ball {
        acting_on: Some(99),
    });
    let state = system.initial_state();
    let joints: &mut dyn FrictionJoints = joint_friction(&mut system).expect("a guide");
    let mut row = [0.0; 2];
    joints
        .joint_jacobian(0, &state.point(), &mut row)
        .expect("evaluated");
    assert_eq!(row, [1.0, 0.0]);
}
