//! Contacts that are not what they promise are refused at the start of a run, whichever kind of method sees them.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Layout, MatrixMut, Model, Point, State, System};
use liedae_contact::{
    Contact, ContactModel, FrictionJoint, NonsmoothOptions, NonsmoothSystem, Support, with_contacts,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Flaw {
    None,
    GapOfVelocity,
    GapOfState,
    RegularizedSliding,
    RowLeftOut,
    RegularizedJoint,
}

/// A block above a floor, held upright by a guide that rubs.
struct Block(Flaw);

impl Model for Block {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
            .with_position_rows(1)
            .with_differential_states(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, 1e-3, 0.0],
            v: vec![1.0, -0.5, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(2.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-20.0);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[2];
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Block {
    fn contacts(&self) -> Vec<Contact> {
        let law = Contact::new("floor", 0.5).with_planar_friction(0.3);
        vec![match self.0 {
            Flaw::RowLeftOut => law.acting_on([1]),
            _ => law,
        }]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        match self.0 {
            Flaw::GapOfVelocity => at.q[1] + at.v[1] * 1e-3,
            Flaw::GapOfState => at.q[1] + at.x[0],
            _ => at.q[1],
        }
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = match self.0 {
            Flaw::RegularizedSliding => at.v[0].tanh(),
            _ => at.v[0],
        };
    }
    fn friction_joints(&self) -> Vec<FrictionJoint> {
        vec![FrictionJoint::new("guide", 0.1, [Support::of_rows([0])])]
    }
    fn joint_velocity<S: Scalar>(&self, _joint: usize, at: &Point<S>) -> S {
        match self.0 {
            Flaw::RegularizedJoint => at.v[1] * at.v[1],
            _ => at.v[1],
        }
    }
}

#[test]
fn the_message_names_contact_and_cause() {
    for (flaw, words) in [
        (Flaw::None, &[][..]),
        (
            Flaw::GapOfVelocity,
            &["`floor`", "velocities", "configuration"],
        ),
        (Flaw::GapOfState, &["`floor`", "differential states"]),
        (
            Flaw::RegularizedSliding,
            &["`floor`", "sliding velocity", "affine"],
        ),
        (
            Flaw::RowLeftOut,
            &["`floor`", "sliding velocity", "acting_on"],
        ),
        (
            Flaw::RegularizedJoint,
            &["`guide`", "sliding velocity", "affine"],
        ),
    ] {
        for name in ["moreau-jean", "hem5"] {
            let method = liedae_contact::methods()
                .build(name, &MethodOptions::default())
                .unwrap();
            let model = with_contacts(Block(flaw));
            let mut system: Box<dyn System> = if method.method().captures_events {
                Box::new(model)
            } else {
                Box::new(NonsmoothSystem::new(model, NonsmoothOptions::default()).unwrap())
            };
            let solved = solve(system.as_mut(), method.as_ref(), &Options::fixed(0.1, 1e-3));
            let message = solved
                .err()
                .map_or_else(String::new, |error| error.to_string());
            assert_eq!(
                message.is_empty(),
                flaw == Flaw::None,
                "{flaw:?} {name}: {message}"
            );
            for word in words {
                assert!(message.contains(word), "{flaw:?} {name}: {message}");
            }
        }
    }
}
