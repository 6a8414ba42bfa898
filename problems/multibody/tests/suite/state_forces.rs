//! Forces with states in motion, against their scalar equations.

use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, solve};
use liedae_multibody::{
    BodyId, Joint, Kinematics, MultibodyBuilder, MultibodySystem, RigidBody, Snapshot, StateForce,
    Wrench,
};

/// Hysteresis of Bouc (1967) and Wen (1976) along x, of a body against the ground: the force is
/// -(α k x + (1 - α) k z) with z' = x' - β |x'| |z|^(n-1) z - γ x' |z|^n and n = 2.
#[derive(Clone, Copy)]
struct BoucWen {
    stiffness: f64,
    elastic: f64,
    beta: f64,
    gamma: f64,
    z: f64,
}

impl BoucWen {
    fn laws<S: Scalar>(&self, x: S, rate: S, z: S) -> (S, S) {
        let force = (x * self.elastic + z * (1.0 - self.elastic)) * -self.stiffness;
        let slip = rate.abs() * z.abs() * z * self.beta + rate * z * z * self.gamma;
        (force, rate - slip)
    }
}

impl StateForce<1> for BoucWen {
    fn states(&self) -> [(&'static str, f64); 1] {
        [("z", self.z)]
    }

    fn evaluate<S: Scalar>(
        &self,
        _t: f64,
        [_, body]: &[Kinematics<S>; 2],
        [z]: &[S; 1],
    ) -> ([Wrench<S>; 2], [S; 1]) {
        let (force, rate) = self.laws(body.position.x, body.velocity.x, *z);
        let mut push = Wrench::zero();
        push.force.x = force;
        ([Wrench::zero(), push], [rate])
    }
}

const MASS: f64 = 1.7;
const START: [f64; 2] = [0.2, 3.0];
const SPRING: BoucWen = BoucWen {
    stiffness: 40.0,
    elastic: 0.3,
    beta: 3.0,
    gamma: 1.5,
    z: -0.1,
};

fn oscillator() -> MultibodySystem {
    let mut mechanism = MultibodyBuilder::new();
    let [x, speed] = START;
    let block = RigidBody::new("block", MASS, [1.0; 3]).at([x, 0.0, 0.0]);
    let block = mechanism.add_body(block.moving([speed, 0.0, 0.0], [0.0; 3]));
    let along = [1.0, 0.0, 0.0];
    mechanism.add_joint(Joint::translational(
        "guide",
        BodyId::GROUND,
        block,
        [0.0; 3],
        along,
    ));
    mechanism.add_state_force("hysteresis", BodyId::GROUND, block, SPRING);
    mechanism.build().expect("consistent")
}

/// x, x' and z by the classical method of Runge and Kutta in so many steps.
fn by_hand(t_end: f64, steps: usize) -> [f64; 3] {
    let rates = |[x, v, z]: [f64; 3]| {
        let (force, rate) = SPRING.laws(x, v, z);
        [v, force / MASS, rate]
    };
    let mut y = [START[0], START[1], SPRING.z];
    let h = t_end / steps as f64;
    for _ in 0..steps {
        let ahead = |k: &[f64; 3], part: f64| std::array::from_fn(|i| y[i] + part * h * k[i]);
        let first = rates(y);
        let second = rates(ahead(&first, 0.5));
        let third = rates(ahead(&second, 0.5));
        let fourth = rates(ahead(&third, 1.0));
        for (i, slot) in y.iter_mut().enumerate() {
            *slot += h / 6.0 * (first[i] + 2.0 * (second[i] + third[i]) + fourth[i]);
        }
    }
    y
}

#[test]
fn hysteresis_follows_its_scalar_equation() {
    let t_end = 3.0;
    let expected = by_hand(t_end, 300_000);
    let coarser = by_hand(t_end, 150_000);
    assert!(
        (expected[0] - coarser[0]).abs() < 1e-10,
        "{expected:?} {coarser:?}"
    );
    for name in ["hem5", "dop853", "radau5"] {
        let mut system = oscillator();
        let method = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        let options = Options::adaptive(t_end, 1e-10, 1e-10);
        let end = solve(&mut system, method.as_ref(), &options)
            .expect("integrates")
            .state;
        let z = Snapshot::new(&system, &end).force_states("hysteresis")[0];
        for (found, wanted) in [end.q[0], end.v[0], z].into_iter().zip(expected) {
            // |x'| has a kink at each reversal, where a method of order 8 loses its order.
            assert!((found - wanted).abs() < 2e-7, "{name}: {found} {wanted}");
        }
    }
}

#[test]
fn every_method_that_takes_states_comes_near() {
    let t_end = 0.5;
    let expected = by_hand(t_end, 50_000);
    let mut solved = 0;
    for entry in liedae_contact::methods() {
        let name = entry.method.name;
        let mut system = oscillator();
        let method = liedae_contact::methods()
            .build(name, &MethodOptions::default())
            .expect("registered");
        match solve(&mut system, method.as_ref(), &Options::fixed(t_end, 1e-3)) {
            Ok(solution) => {
                solved += 1;
                let error = (solution.state.q[0] - expected[0]).abs();
                assert!(error < 1e-2, "{name}: {error:e}");
            }
            // Methods for mechanical systems only say so.
            Err(error) => assert!(
                error.to_string().contains("differential"),
                "{name}: {error}"
            ),
        }
    }
    assert!(solved > 10, "{solved}");
}
