//! The balance of forces in one pass beside its parts.

use super::super::*;
use super::{Random, difference, load_multipliers};
use liedae::system::{Balance, System};

/// Bodies on ball joints with a branch, joints in both directions and a body without joints; with another force if it is asked for.
fn tree(seed: u64, with_spring: bool, more: Option<Joint>) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.3, -0.7, -9.0]);
    let names = ["one", "two", "three", "four"];
    let [one, two, three, four] = names.map(|name| mechanism.add_body(random.body(name)));
    for (name, first, second) in [
        ("a", BodyId::GROUND, two),
        ("b", two, one),
        ("c", three, two),
    ] {
        mechanism.add_joint(Joint::spherical(name, first, second, random.vector()));
    }
    if let Some(joint) = more {
        mechanism.add_joint(joint);
    }
    if with_spring {
        let points = [random.vector(), random.vector()]
            .map(|point| Frame::world_point([point.x, point.y, point.z]));
        let spring = TranslationalSpring::new("spring", [one, four], points, 30.0, 0.2);
        mechanism.add_spring(spring);
    }
    mechanism.build_unchecked().expect("random joints assemble")
}

#[test]
fn it_is_the_sum_of_its_parts() {
    for (seed, with_spring) in [(1, false), (2, false), (3, true)] {
        let mut random = Random::new(seed + 10);
        let mut system = tree(seed, with_spring, None);
        let layout = system.layout().clone();
        let mut state = system.initial_state();
        load_multipliers(&mut state, &mut random);
        let acceleration: Vec<f64> = state.v.iter().map(|_| 5.0 * random.number()).collect();
        let at = state.point();
        let nan = |length: usize| vec![f64::NAN; length];
        let (mut forces, mut sizes) = (nan(layout.dimension()), nan(layout.dimension()));
        let (mut position, mut jacobian) = (nan(layout.rows()), nan(layout.jacobian.nnz()));
        let mut wanted = Balance {
            forces: Some(&mut forces),
            position: Some((&mut position, -4.0)),
            jacobian: Some(&mut jacobian),
            sizes: Some(&mut sizes),
            ..Balance::default()
        };
        assert!(
            system
                .balance(&at, &acceleration, &mut wanted)
                .expect("finite")
        );

        let (mut rates, mut mass) = (nan(layout.dimension()), nan(layout.mass.nnz()));
        let (mut rows, mut gradients) = (nan(layout.rows()), nan(layout.jacobian.nnz()));
        system.rates(&at, &mut rates).expect("finite");
        system.mass_matrix(&at, &mut mass).expect("finite");
        system.position_constraint(&at, &mut rows).expect("finite");
        system
            .constraint_jacobian(&at, &mut gradients)
            .expect("finite");
        rows.iter_mut().for_each(|row| *row *= -4.0);
        assert_eq!((&position, &jacobian), (&rows, &gradients));
        let sums: Vec<f64> = {
            let mut sums = rates.clone();
            let pattern = &layout.jacobian;
            pattern.multiply_transpose_add(&gradients, 1.0, at.lambda, &mut sums);
            sums
        };
        let mut expected = sums.clone();
        layout
            .mass
            .multiply_add(&mass, -1.0, &acceleration, &mut expected);
        assert!(difference(&forces, &expected) < 1e-12);
        // Sizes lie between the sum and the sum of all terms.
        let sizes_of = |values: &[f64]| values.iter().map(|value| value.abs()).collect::<Vec<_>>();
        let mut terms = sizes_of(&rates);
        let (gradients, lambda) = (sizes_of(&gradients), sizes_of(at.lambda));
        layout
            .jacobian
            .multiply_transpose_add(&gradients, 1.0, &lambda, &mut terms);
        for ((size, sum), terms) in sizes.iter().zip(&sums).zip(&terms) {
            assert!(sum.abs() <= size + 1e-12 && *size <= terms + 1e-12);
        }
        // Each part alone is the same.
        let mut alone = nan(layout.dimension());
        let mut wanted = Balance {
            sizes: Some(&mut alone),
            ..Balance::default()
        };
        assert!(
            system
                .balance(&at, &acceleration, &mut wanted)
                .expect("finite")
        );
        assert_eq!(alone, sizes);
    }
}

#[test]
fn other_joints_are_left_to_their_parts() {
    let mut random = Random::new(4);
    let axle = Joint::revolute(
        "axle",
        BodyId::GROUND,
        BodyId(Some(3)),
        random.vector(),
        random.unit(),
    );
    let mut system = tree(4, false, Some(axle));
    let state = system.initial_state();
    let acceleration = vec![0.0; state.v.len()];
    let offered = system.balance(&state.point(), &acceleration, &mut Balance::default());
    assert!(!offered.expect("nothing fails"));
}
