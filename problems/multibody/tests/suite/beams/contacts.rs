//! Beams that touch.

use super::{METHODS, assert_near, masses, orders, run};
use liedae::integrator::MethodOptions;
use liedae::solve::{Observer, Options, StepView, solve_observed};
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::{
    Beam, BodyId, Material, MultibodyBuilder, MultibodySystem, Section, SectionFrame, Surface,
    SurfaceContact,
};
use std::ops::ControlFlow;

const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn nonsmooth(system: MultibodySystem) -> NonsmoothSystem {
    NonsmoothSystem::new(system, NonsmoothOptions::default()).expect("has contacts")
}

fn floor() -> Surface {
    Surface::half_space(BodyId::GROUND, [0.0; 3], UP)
}

/// A bar of 10 m with waves of 30 m/s falls lengthwise onto a floor 0.1 m below, with 10 m/s and without gravity.
fn falling_bar(count: usize) -> MultibodySystem {
    let section = Section::new([900.0, 1e4, 1e4, 1e4, 1e4, 1e4], 1.0, [2.0, 1.0, 1.0]);
    let first = SectionFrame::new([0.0, 0.0, 0.1], UP, [1.0, 0.0, 0.0]);
    let bar = Beam::curved("bar", section, first, [0.0; 3], 10.0, count);
    let mut mechanism = MultibodyBuilder::new();
    let nodes = mechanism.add_beam(bar.moving([0.0, 0.0, -10.0], [0.0; 3]));
    let foot = Surface::point(nodes.start(), [0.0; 3]);
    mechanism.add_contact(SurfaceContact::new("floor", floor(), foot));
    mechanism.build().expect("consistent")
}

#[test]
fn a_bar_leaves_the_floor_when_its_wave_has_come_back() {
    // The wave takes 2 L / c, and the bar leaves as fast as it came.
    let (duration, momentum) = (2.0 / 3.0, 100.0);
    for method in ["hem5", "radau5"] {
        let errors = [10, 20, 40].map(|count| {
            let mut system = falling_bar(count);
            let masses = masses(&mut system);
            let mut system = nonsmooth(system);
            let end = run(&mut system, method, &Options::adaptive(1.0, 1e-6, 1e-6));
            let [touch, leave] = &end.events[..] else {
                panic!("one impact and one release: {:?}", end.events);
            };
            assert_eq!([&*touch.kind, &*leave.kind], ["impact", "release"]);
            assert_near(touch.t, 0.01, 1e-6);
            let velocities = end.state.v.chunks(6).map(|v| v[2]);
            let found: f64 = masses.iter().zip(velocities).map(|(m, v)| m * v).sum();
            [leave.t - touch.t - duration, momentum - found]
        });
        for which in [0, 1] {
            let errors = errors.map(|pair| pair[which]);
            // A wave with a steep front: chains of masses let it disperse over h^(1/3).
            let slopes = orders(&errors);
            println!("{method}, bar on the floor: {errors:?}, orders {slopes:.2?}");
            assert!(
                slopes.iter().all(|order| (order - 0.65).abs() < 0.05),
                "{slopes:?}"
            );
        }
        assert!(errors[2][0] < 8e-3 && errors[2][1] < 2.5, "{errors:?}");
    }
}

/// The floor's force on a bar while it touches: times in s and forces in N.
#[derive(Default)]
struct FloorForce(Vec<[f64; 2]>);

impl Observer for FloorForce {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        for state in [step.from, step.to] {
            if let [force] = state.lambda[..] {
                self.0.push([state.t, force]);
            }
        }
        ControlFlow::Continue(())
    }
    fn wants_complete_states(&self) -> bool {
        true
    }
}

impl FloorForce {
    /// The integral of a function of time and force, by trapezia.
    fn integral(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        let parts = self.0.windows(2).map(|pair| {
            let [[from, before], [to, after]] = [pair[0], pair[1]];
            0.5 * (to - from) * (of(from, before) + of(to, after))
        });
        parts.sum()
    }
}

#[test]
fn the_floor_pushes_a_bar_with_the_force_of_its_wave() {
    // ρ c v A while the wave runs.
    let (force, duration) = (300.0, 2.0 / 3.0);
    let errors = [10, 20, 40, 80].map(|count| {
        let mut system = falling_bar(count);
        let masses = masses(&mut system);
        let mut system = nonsmooth(system);
        let mut seen = FloorForce::default();
        let method = liedae_contact::methods().build("radau5", &MethodOptions::default());
        let method = method.expect("there is one");
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let end = solve_observed(&mut system, method.as_ref(), &options, &mut seen);
        let end = end.expect("succeeds");
        // The first node stops at once, the force does the rest.
        let velocities = end.state.v.chunks(6).map(|v| v[2]);
        let gained: f64 = masses
            .iter()
            .zip(velocities)
            .map(|(m, v)| m * (v + 10.0))
            .sum();
        assert_near(
            10.0 * masses[0] + seen.integral(|_, found| found),
            gained,
            3e-4,
        );
        // In the middle half of the contact, far from the front of the wave, which has to disperse.
        let touch = end.events[0].t;
        let error = |t: f64, found: f64| match ((t - touch) / duration - 0.5).abs() < 0.25 {
            true => (found / force - 1.0).abs(),
            false => 0.0,
        };
        let most = seen.0.iter().map(|[t, found]| error(*t, *found));
        [
            seen.integral(error) / (0.5 * duration),
            most.fold(0.0, f64::max),
        ]
    });
    let slopes = orders(&errors.map(|[mean, _]| mean));
    println!("force on the floor, mean and largest part by 10, 20, 40, 80 elements: {errors:?}");
    assert!(slopes.iter().all(|order| *order > 1.2), "{errors:?}");
    let [mean, most] = errors[3];
    assert!(mean < 3e-4 && most < 1e-3, "{errors:?}");
}

/// A strip of rubber drops onto a floor, inclined.
fn dropping_strip() -> MultibodySystem {
    let rubber = Material::new(5e6, 0.4, 1100.0);
    let section = Section::rectangle(&rubber, [0.06, 0.03]).with_retardation(1e-3);
    let (sine, cosine) = 0.3_f64.sin_cos();
    let first = SectionFrame::new([0.0, 0.0, 0.2], [cosine, 0.0, sine], [0.0, 1.0, 0.0]);
    let strip = Beam::curved("strip", section, first, [0.0; 3], 1.0, 6);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let nodes = mechanism.add_beam(strip);
    for (index, node) in nodes.bodies().iter().enumerate() {
        let ball = Surface::sphere(*node, [0.0; 3], 0.015);
        mechanism.add_contact(SurfaceContact::new(format!("{index}"), floor(), ball));
    }
    mechanism.build().expect("consistent")
}

#[test]
fn a_strip_comes_to_lie_on_the_floor_with_every_method() {
    for method in METHODS.into_iter().chain(["moreau-jean"]) {
        let options = match method {
            "moreau-jean" => Options::fixed(1.0, 2e-4),
            _ => Options::adaptive(1.0, 1e-5, 1e-5),
        };
        let mut system = nonsmooth(dropping_strip());
        let end = run(&mut system, method, &options);
        for (q, v) in end.state.q.chunks(12).zip(end.state.v.chunks(6)) {
            assert!(
                (q[2] - 0.015).abs() < 1e-5 && v[2].abs() < 1e-2,
                "{method}: {q:?} {v:?}"
            );
        }
    }
}
