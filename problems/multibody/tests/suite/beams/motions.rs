//! Beams that move.

use super::{METHODS, assert_near, orders, run, tip};
use crate::flexible::{Shadow, spin_up};
use liedae::solve::Options;
use liedae::system::{State, System, output_names, output_values};
use liedae_multibody::{
    Beam, BeamNodes, BodyId, Drive, Joint, Material, Motion, MultibodyBuilder, MultibodySystem,
    Rotation, Section, Snapshot, Vector3,
};

/// A bent strip of rubber that flies and tumbles.
fn flying() -> (MultibodySystem, BeamNodes) {
    let section = Section::rectangle(&Material::new(5e6, 0.4, 1100.0), [0.06, 0.03]);
    let beam = Beam::straight("strip", section, [0.0; 3], [1.0, 0.0, 0.0], 8);
    let first = beam.frames()[0];
    let bent = (0..9).map(|node| {
        let s = f64::from(node) / 8.0;
        first.moved(&[s, 0.0, 0.0, 0.5 * s, 1.2 * s, -0.7 * s])
    });
    let beam = beam.starting_at(bent.collect());
    let mut mechanism = MultibodyBuilder::new();
    let nodes = mechanism.add_beam(beam.moving([0.3, -0.2, 1.0], [3.0, 2.0, 5.0]));
    (mechanism.build().expect("consistent"), nodes)
}

/// Energy, momentum and angular momentum about the origin.
fn invariants(system: &mut MultibodySystem, nodes: &BeamNodes, state: &State) -> Vec<f64> {
    let layout = system.layout().clone();
    let mut values = vec![0.0; layout.mass.nnz()];
    system
        .mass_matrix(&state.point(), &mut values)
        .expect("finite");
    let mut momenta = vec![0.0; layout.dimension()];
    for (row, column, place) in layout.mass.iter() {
        momenta[row] += values[place] * state.v[column];
    }
    let now = Snapshot::new(system, state);
    let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
    for (body, p) in nodes.bodies().iter().zip(momenta.chunks(6)) {
        let (push, spin) = (
            Vector3::new(p[0], p[1], p[2]),
            Vector3::new(p[3], p[4], p[5]),
        );
        linear += push;
        angular += now.position(*body).cross(&push) + now.rotation(*body) * spin;
    }
    let (kinetic, potential) = system.energies(&state.point());
    let momenta = linear.iter().chain(&angular);
    std::iter::once(kinetic + potential)
        .chain(momenta.copied())
        .collect()
}

#[test]
fn free_flight_keeps_energy_and_momenta() {
    for (method, part) in [("mdop5", 1e-7), ("radau5", 1e-7), ("bdf", 1e-4)] {
        let (mut system, nodes) = flying();
        let start = system.initial_state();
        let (kinetic, potential) = system.energies(&start.point());
        assert!(kinetic > 9.0 && potential > 1.0, "{kinetic} {potential}");
        let before = invariants(&mut system, &nodes, &start);
        let end = run(&mut system, method, &Options::adaptive(0.2, 1e-8, 1e-8));
        let after = invariants(&mut system, &nodes, &end.state);
        assert_near(after[0], before[0], part);
        for (before, after) in before.iter().zip(&after).skip(1) {
            assert!((before - after).abs() < 1e-8, "{method}: {before} {after}");
        }
    }
}

#[test]
fn coordinates_of_rotations_do_not_matter() {
    let ends = Rotation::ALL.map(|rotation| {
        let (system, _) = flying();
        let mut system = system.with_rotation(rotation).expect("fits");
        let end = run(
            system.as_mut(),
            "radau5",
            &Options::adaptive(0.02, 1e-8, 1e-8),
        );
        let mut values = vec![f64::NAN; output_names(system.as_mut()).len()];
        output_values(system.as_mut(), &end.state, &mut values).expect("finite");
        values
    });
    for end in &ends {
        for (found, expected) in end.iter().zip(&ends[0]) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }
}

/// A rubber rod on a hinge, 1 m long and 1 cm thick (cf. the flexible pendulum of Hante, Tumiotto and Arnold 2022,
/// doi:10.1007/s11044-021-09807-8).
fn pendulum(count: usize) -> (MultibodySystem, BeamNodes) {
    let section = Section::circle(&Material::new(5e6, 0.5, 1100.0), 0.005);
    let section = section.with_viscosity([0.1, 0.1, 0.1, 2e-4, 2e-4, 2e-4]);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let beam = Beam::straight("rod", section, [0.0; 3], [1.0, 0.0, 0.0], count);
    let nodes = mechanism.add_beam(beam);
    let y = [0.0, 1.0, 0.0];
    mechanism.add_joint(Joint::revolute(
        "hinge",
        BodyId::GROUND,
        nodes.start(),
        [0.0; 3],
        y,
    ));
    (mechanism.build().expect("consistent"), nodes)
}

/// Where its end is after some time.
pub fn swung(count: usize, method: &str, options: &Options) -> Vector3<f64> {
    let (mut system, nodes) = pendulum(count);
    let end = run(&mut system, method, options);
    tip(&system, &end.state, &nodes)
}

#[test]
fn a_rubber_pendulum_converges_in_its_elements() {
    let end = |count: usize| swung(count, "radau5", &Options::adaptive(0.5, 1e-7, 1e-7));
    let exact = end(48);
    let errors = [6, 12, 24].map(|count| (end(count) - exact).norm());
    assert!(
        orders(&errors).iter().all(|order| *order > 4.0),
        "{errors:?}"
    );
    assert!(errors[2] < 1e-5, "{errors:?}");
}

#[test]
fn all_methods_swing_a_rubber_pendulum() {
    let options = |tolerance: f64| Options::adaptive(0.1, tolerance, tolerance);
    let exact = swung(8, "radau5", &options(1e-9));
    for method in METHODS {
        let error = (swung(8, method, &options(1e-5)) - exact).norm();
        assert!(error < 1e-4, "{method}: {error:e}");
    }
}

/// The manoeuvre of Simo and Vu-Quoc (1986).
fn spun_up(count: usize) -> Shadow {
    let stiffness = [2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4];
    let section = Section::new(stiffness, 1.2, [1.2e-3, 6e-4, 6e-4]);
    let mut mechanism = MultibodyBuilder::new();
    let beam = Beam::straight("beam", section, [0.0; 3], [10.0, 0.0, 0.0], count);
    let nodes = mechanism.add_beam(beam);
    let axle = Joint::revolute(
        "axle",
        BodyId::GROUND,
        nodes.start(),
        [0.0; 3],
        [0.0, 0.0, 1.0],
    );
    let axle = mechanism.add_joint(axle);
    mechanism.add_drive("motor", axle, Drive::Angle(Motion::custom(spin_up)));
    mechanism.time_event(15.0);
    let mut system = mechanism.build().expect("consistent");
    Shadow::follow(&mut system, nodes.end())
}

#[test]
fn a_beam_spins_up() {
    for count in [5, 10, 20] {
        let by = format!("{count} exact elements");
        spun_up(count).check(&by, 1.5e-3, (5.143e-4, 2e-3));
    }
}
