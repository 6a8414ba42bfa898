//! A contact of one's own: a block on a floor, pulled by a spring. Every half period the deflection shrinks by
//! 2 μ m g / k, until friction holds: from 0.2 m over -0.14114 m and 0.08228 m to rest at -0.02342 m after 3 π / ω.
//!
//! `cargo run --release -p liedae-problems --example dry_friction`

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

/// Position x along the floor and height y of a block of 1 kg.
struct Block;

impl Model for Block {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.2, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0] * -100.0;
        force[1] = S::constant(-9.81);
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Block {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.0).with_planar_friction(0.3)]
    }

    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[1]
    }

    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = at.v[0];
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, options) in [
        ("hem5", Options::adaptive(2.0, 1e-8, 1e-8)),
        (
            "generalized-alpha-stabilized",
            Options::adaptive(2.0, 1e-6, 1e-6),
        ),
        ("moreau-jean", Options::fixed(2.0, 1e-4)),
    ] {
        let mut system = NonsmoothSystem::new(with_contacts(Block), NonsmoothOptions::default())?;
        let method = liedae_contact::methods().build(name, &MethodOptions::default())?;
        let solution = solve(&mut system, method.as_ref(), &options)?;
        println!(
            "{name}: {} steps, x = {:.9} m at {} s",
            solution.statistics.accepted, solution.state.q[0], solution.state.t
        );
        for event in &solution.events {
            println!("    {:.9} s  {} {}", event.t, event.kind, event.label);
        }
    }
    Ok(())
}
