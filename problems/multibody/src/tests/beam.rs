//! Elements of beams: forces against the gradient of their energy, derivatives against duals, rigid motions, patch tests.

use super::super::beam::Element;
use super::super::layout::PairPlaces;
use super::super::*;
use super::{Random, difference};
use liedae::scalar::{Dual, Scalar};
use liedae::system::{RatesJacobian, System};
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3, Vector6};

/// An element with a full stiffness matrix and a curved reference shape.
fn element(random: &mut Random, viscous: bool) -> Element {
    let mut definite = || {
        let root = Matrix6::from_fn(|_, _| random.number());
        root * root.transpose() + Matrix6::identity()
    };
    let (compliance, viscosity) = (definite(), definite());
    let section = Section::coupled(compliance, 1.0, [1.0; 3]);
    let reference: [f64; 6] =
        std::array::from_fn(|index| f64::from(u8::from(index == 0)) + 0.2 * random.number());
    let length = 0.7;
    let (stiffness, _) = Element::moduli(&section, length, &reference, true).expect("definite");
    Element {
        length,
        reference,
        stiffness,
        viscosity: viscous.then_some(viscosity),
    }
}

/// Two bodies that move, one about 1 m from the other and turned by up to 2 rad.
fn pair(random: &mut Random) -> [Kinematics; 2] {
    let body = |random: &mut Random, from: &Kinematics, way: f64, turn: f64| Kinematics {
        position: from.position + random.unit() * way,
        rotation: from.rotation * Rotation3::new(random.unit() * turn).into_inner(),
        velocity: random.vector() * 2.0,
        omega: random.vector() * 2.0,
    };
    let one = body(random, &Kinematics::ground(), 3.0, 2.5);
    let two = body(random, &one, 1.0, 2.0);
    [one, two]
}

fn entries<S: Scalar>(wrenches: &[Wrench<S>; 2]) -> [S; 12] {
    std::array::from_fn(|index| wrenches[index / 6].entry(index % 6))
}

/// Both bodies displaced by parameters at zero.
fn displaced<S: Scalar>([one, two]: &[Kinematics<S>; 2]) -> [Kinematics<Dual<12, S>>; 2] {
    [one.displaced(0), two.displaced(6)]
}

#[test]
fn forces_are_the_gradient_of_the_energy() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let (element, bodies) = (element(&mut random, false), pair(&mut random));
        // The energy from its definition, with derivatives.
        let d = Element::relative(&displaced(&bodies));
        let strain: Vector6<Dual<12>> =
            Vector6::from_fn(|i, _| d[i] / element.length - element.reference[i]);
        let stiffness = element.stiffness.map(Dual::constant);
        let energy = strain.dot(&(stiffness * strain)) * (0.5 * element.length);
        assert!((energy.value - element.energy(&bodies)).abs() < 1e-12);
        let forces = entries(&element.wrenches(&bodies));
        assert!(difference(&energy.gradient.map(|slope| -slope), &forces) < 1e-11);
        assert!(forces.iter().all(|force| force.abs() > 1e-6), "{forces:?}");
    }
}

#[test]
fn derivatives_are_those_by_duals() {
    let mut random = Random::new(5);
    for viscous in [false, true] {
        let mut mechanism = MultibodyBuilder::new();
        let [one, two] = ["one", "two"].map(|name| mechanism.add_body(random.body(name)));
        mechanism.add_force_closure("pair", one, two, |_, _| [Wrench::zero(); 2]);
        let system = mechanism.build().expect("consistent");
        let places = PairPlaces::new(&system.layout.rates, &[Some(0), Some(1)]);
        for _ in 0..20 {
            let (element, bodies) = (element(&mut random, viscous), pair(&mut random));
            let mut found = RatesJacobian::new(&system.layout);
            let (by_position, by_velocity) = (&mut found.by_position, &mut found.by_velocity);
            element.add_derivatives(&bodies, &places, by_position, by_velocity);
            let [one, two] = &bodies;
            let faster = [one.accelerated(0), two.accelerated(6)];
            for (bodies, found) in [
                (displaced(&bodies), &found.by_position),
                (faster, &found.by_velocity),
            ] {
                let expected = entries(&element.wrenches(&bodies)).map(|entry| entry.gradient);
                let mut dense = vec![f64::NAN; 144];
                system.layout.rates.to_dense_into(found, &mut dense);
                assert!(difference(&dense, &expected.concat()) < 1e-11);
            }
            assert_eq!(viscous, found.by_velocity.iter().any(|slope| *slope != 0.0));
        }
    }
}

/// Both bodies after a rigid motion of the world.
fn moved(bodies: &[Kinematics; 2], shift: &Vector3<f64>, turn: &Matrix3<f64>) -> [Kinematics; 2] {
    bodies.map(|body| Kinematics {
        position: shift + turn * body.position,
        rotation: turn * body.rotation,
        velocity: turn * body.velocity,
        omega: body.omega,
    })
}

#[test]
fn rigid_motions_change_neither_energy_nor_internal_forces() {
    let mut random = Random::new(7);
    for _ in 0..20 {
        let (element, bodies) = (element(&mut random, true), pair(&mut random));
        let turn = Rotation3::new(random.vector() * 3.0).into_inner();
        let after = moved(&bodies, &(random.vector() * 5.0), &turn);
        assert!((element.energy(&bodies) - element.energy(&after)).abs() < 1e-12);
        let [before, after] = [&bodies, &after].map(|bodies| element.wrenches(bodies));
        for (one, two) in before.iter().zip(&after) {
            assert!((turn * one.force - two.force).amax() < 1e-12);
            assert!((one.torque - two.torque).amax() < 1e-12);
        }
        // Internal forces balance: no force, no moment about the origin.
        let sum = before[0].force + before[1].force;
        let moments = bodies.iter().zip(&before).map(|(body, wrench)| {
            body.position.cross(&wrench.force) + body.rotation * wrench.torque
        });
        assert!(sum.amax() < 1e-12 && moments.sum::<Vector3<f64>>().amax() < 1e-12);
    }
}

#[test]
fn rigid_velocities_are_not_damped() {
    let mut random = Random::new(9);
    for _ in 0..20 {
        let (element, mut bodies) = (element(&mut random, true), pair(&mut random));
        let (velocity, omega) = (random.vector(), random.vector());
        for body in &mut bodies {
            body.velocity = velocity + omega.cross(&body.position);
            body.omega = body.rotation.tr_mul(&omega);
        }
        let damped = entries(&element.wrenches(&bodies));
        let undamped = Element {
            viscosity: None,
            ..element
        };
        assert!(difference(&damped, &entries(&undamped.wrenches(&bodies))) < 1e-12);
    }
}

/// Each of the six strains alone, constant along a beam: the energy is that of the continuum, and inner nodes are in equilibrium.
#[test]
fn constant_strains_are_exact() {
    let stiffness = [40.0, 20.0, 30.0, 3.0, 5.0, 7.0];
    let (length, count) = (2.0, 5);
    let strains = [0.1, 0.2, -0.3, 1.2, 0.8, -1.5];
    for (which, strain) in strains.into_iter().enumerate() {
        let section = Section::new(stiffness, 1.0, [0.1, 0.05, 0.05]);
        let first = SectionFrame::new([0.3, -0.2, 0.1], [0.6, 0.0, 0.8], Vector3::y());
        let mut twist = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        twist[which] += strain;
        let beam = Beam::curved("beam", section, first, [0.0; 3], length, count);
        let strained = (0..=count).map(|node| {
            let s = length * node as f64 / count as f64;
            first.moved(&twist.map(|part| part * s))
        });
        let beam = beam
            .starting_at(strained.collect())
            .with_constant_strain_energy();
        let mut mechanism = MultibodyBuilder::new();
        mechanism.add_beam(beam);
        let mut system = mechanism.build().expect("consistent");
        let state = system.initial_state();
        let energy = system.energies(&state.point()).1;
        let exact = 0.5 * length * stiffness[which] * strain * strain;
        assert!(
            (energy - exact).abs() < 1e-12 * exact,
            "{which}: {energy} {exact}"
        );
        let mut forces = vec![0.0; 6 * (count + 1)];
        system.rates(&state.point(), &mut forces).expect("finite");
        // A shear force bends: where the strain is constant nothing balances the moment γ × n of each length.
        let axial = Vector3::new(twist[0], twist[1], twist[2]);
        let mut shear = Vector3::zeros();
        if which < 3 {
            shear[which] = stiffness[which] * strain;
        }
        let moment = axial.cross(&shear) * (length / count as f64);
        let expected = [0.0, 0.0, 0.0, moment.x, moment.y, moment.z];
        for inner in forces[6..6 * count].chunks(6) {
            assert!(difference(inner, &expected) < 1e-12, "{which}: {inner:?}");
        }
        assert!(forces[..6].iter().any(|force| force.abs() > 0.1), "{which}");
    }
}

/// Every wrong number of a beam gives its own error.
#[test]
fn faults_are_named() {
    let material = Material::new(1e9, 0.3, 1000.0);
    let section = || Section::rectangle(&material, [0.1, 0.1]);
    let built = |beam: Beam| {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.add_body(RigidBody::new("other", 1.0, [1.0; 3]));
        let nodes = mechanism.add_beam(beam);
        mechanism.add_joint(Joint::fixed(
            "clamp",
            BodyId::GROUND,
            nodes.start(),
            [0.0; 3],
        ));
        match mechanism.build() {
            Ok(_) => "nothing is wrong".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let straight = |section: Section, count: usize| {
        Beam::straight("b", section, [0.0; 3], [1.0, 0.0, 0.0], count)
    };
    let mut lopsided = Matrix6::identity();
    lopsided[(0, 3)] = 0.1;
    let cases = [
        (straight(section(), 0), "has no elements"),
        (Beam::through("b", section(), Vec::new()), "has no elements"),
        (
            Beam::straight("b", section(), [0.0; 3], [0.0; 3], 3),
            "length NaN",
        ),
        (
            Beam::straight("b", section(), [0.0; 3], [f64::NAN, 0.0, 0.0], 3),
            "length NaN",
        ),
        (
            Beam::straight("b", section(), [0.0; 3], [f64::INFINITY, 0.0, 0.0], 3),
            "length NaN",
        ),
        (
            straight(section(), 3).with_sections(vec![section(); 2]),
            "2 sections, not 3",
        ),
        (
            straight(section(), 3).with_sections(Vec::new()),
            "0 sections, not 3",
        ),
        (
            straight(section(), 3).starting_at(Vec::new()),
            "0 start frames, not 4",
        ),
        (
            straight(section().with_mass(0.0, [1.0; 3]), 2),
            "mass of 'b.0'",
        ),
        (
            straight(section().with_mass(1.0, [0.0; 3]), 2),
            "'b.0' is not positive",
        ),
        (
            straight(Section::rectangle(&material, [0.0, 0.1]), 2),
            "no stiffness matrix",
        ),
        (
            straight(Section::rectangle(&material, [f64::NAN, 0.1]), 2),
            "no stiffness matrix",
        ),
        (
            straight(Section::new([-1.0; 6], 1.0, [1.0; 3]), 2),
            "no stiffness matrix",
        ),
        (
            straight(section().with_retardation(f64::NAN), 2),
            "the damping of element 0 of beam 'b' is not finite",
        ),
        (
            straight(Section::coupled(lopsided, 1.0, [1.0; 3]), 2),
            "no stiffness matrix",
        ),
        (
            Beam::curved(
                "b",
                section(),
                SectionFrame::new([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
                [0.0, 4.0, 0.0],
                1.0,
                2,
            ),
            "more than a quarter of a turn",
        ),
    ];
    for (beam, expected) in cases {
        let message = built(beam);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

/// Joint coordinates carry a beam along as it is.
#[test]
fn joint_coordinates_move_a_beam_in_its_shape() {
    let section = Section::rectangle(&Material::new(1e7, 0.3, 1000.0), [0.02, 0.02]);
    let mut mechanism = MultibodyBuilder::new();
    let nodes = mechanism.add_beam(Beam::straight("rod", section, [0.0; 3], [1.0, 0.0, 0.0], 4));
    let y = [0.0, 1.0, 0.0];
    let hinge = Joint::revolute("hinge", BodyId::GROUND, nodes.start(), [0.0; 3], y);
    let hinge = mechanism.add_joint(hinge);
    mechanism.joint_position(hinge, JointCoordinate::Angle(0.5));
    mechanism.joint_rate(hinge, JointCoordinate::Angle(2.0));
    let mut system = mechanism.build().expect("consistent");
    let state = system.initial_state();
    let (kinetic, potential) = system.energies(&state.point());
    let now = Snapshot::new(&system, &state);
    let (sine, cosine) = 0.5_f64.sin_cos();
    let end = now.position(nodes.end());
    assert!(
        (end - Vector3::new(cosine, 0.0, -sine)).amax() < 1e-9,
        "{end:?}"
    );
    // A slender rod that turns: m L² ω² / 6.
    assert!(potential.abs() < 1e-9 && (kinetic / (0.4 * 4.0 / 6.0) - 1.0).abs() < 1e-3);
    let strain = now.strains(&nodes, 3);
    assert!(difference(&strain, &[0.0; 6]) < 1e-9, "{strain:?}");
    assert!(now.strains(&nodes, 4)[0].is_nan());
    // Forces act on all of it.
    let mut rates = vec![0.0; 30];
    system.rates(&state.point(), &mut rates).expect("finite");
    assert!(rates.iter().all(|rate| rate.abs() < 1e-3));
}
