//! Beams at rest.

use super::vibrations::spun;
use super::{DeadLoad, assert_near, clamped, elastica, orders, rest, tip};
use crate::loads::{check_short_cantilever, rest_at_once};
use liedae_multibody::{Beam, BodyId, Material, MultibodyBuilder, Section, SectionFrame, Vector3};
use std::f64::consts::{FRAC_PI_4, TAU};

const AXIS: [f64; 3] = [1.0, 0.0, 0.0];

/// Where the end of a clamped beam rests under a dead load there, that grows in so many steps.
fn loaded(beam: Beam, force: [f64; 3], moment: [f64; 3], steps: u32) -> Vector3<f64> {
    let mut mechanism = MultibodyBuilder::new();
    let nodes = clamped(&mut mechanism, beam);
    let load = DeadLoad { force, moment };
    mechanism.add_force("load", BodyId::GROUND, nodes.end(), load);
    let mut system = mechanism.build().expect("consistent");
    let state = rest(&mut system, steps);
    tip(&system, &state, &nodes)
}

/// A straight beam of 1 m along x.
fn straight(section: Section, count: usize) -> Beam {
    Beam::straight("beam", section, [0.0; 3], AXIS, count)
}

#[test]
fn a_short_beam_bends_and_shears_exactly_whatever_its_elements() {
    let (length, width, height) = (2.0_f64, 0.1, 0.5_f64);
    let force = 5e5 * height.powi(3);
    let steel = Material::new(2.07e11, 0.3, 7800.0);
    let area = width * height;
    let bending = steel.young * width * height.powi(3) / 12.0;
    let shear = 13.0 / 15.3 * steel.shear_modulus() * area;
    let exact = force * length.powi(3) / (3.0 * bending) + force * length / shear;
    let end = |count: usize| {
        let section = Section::rectangle(&steel, [width, height]);
        let beam = Beam::straight("beam", section, [0.0; 3], [length, 0.0, 0.0], count);
        loaded(beam, [0.0, 0.0, -force], [0.0; 3], 1)
    };
    for count in [1, 2, 8] {
        // The rest is what geometry adds, (w/L)².
        assert_near(-end(count).z, exact, 2e-7);
    }
    check_short_cantilever("exact elements", length, end(16));
}

/// How far the end of a beam under the load of an elastica is from where it should be, in lengths.
pub fn elastica_error(count: usize) -> f64 {
    let exact = elastica(10.0);
    let rigid = f64::INFINITY;
    let section = Section::new([1e7, rigid, rigid, 1.0, 1.0, 1.0], 1.0, [0.02, 0.01, 0.01]);
    let end = loaded(straight(section, count), [0.0, 0.0, -10.0], [0.0; 3], 5);
    (1.0 - end.x - exact[0]).hypot(-end.z - exact[1])
}

#[test]
fn an_elastica_converges_with_fourth_order() {
    let errors = [2, 4, 8].map(elastica_error);
    assert!(
        orders(&errors).iter().all(|order| *order > 3.6),
        "{errors:?}"
    );
    assert!(errors[2] < 3e-5, "{errors:?}");
}

/// An eighth of a circle of radius 100 with a square section of side 1 under a force across its plane (Bathe and Bolourchi 1979,
/// doi:10.1002/nme.1620140703), here in units of a hundredth.
pub fn eighth(count: usize, published: bool) -> Vector3<f64> {
    let bending = 1e7 / 12.0 * 1e-4;
    let stiffness = [1e7, 5e6, 5e6, bending, bending, bending];
    let section = Section::new(stiffness, 1.0, [1e-4, 5e-5, 5e-5]);
    let first = SectionFrame::new([0.0; 3], AXIS, [0.0, 1.0, 0.0]);
    let mut beam = Beam::curved("beam", section, first, [0.0, 0.0, 1.0], FRAC_PI_4, count);
    if published {
        beam = beam.with_constant_strain_energy();
    }
    let from = beam.frames()[count].centroid;
    (loaded(beam, [0.0, 0.0, 600.0], [0.0; 3], 5) - from) * 100.0
}

#[test]
fn a_curved_beam_in_space_converges_with_fourth_order() {
    let exact = eighth(32, false);
    let errors =
        |published: bool| [4, 8, 16].map(|count| (eighth(count, published) - exact).norm());
    let (own, published) = (errors(false), errors(true));
    assert!(orders(&own).iter().all(|order| *order > 3.5), "{own:?}");
    let orders = orders(&published);
    assert!(
        orders.iter().all(|order| (order - 2.0).abs() < 0.1),
        "{published:?}"
    );
    assert!(own[1] < 1e-3 && published[1] > 0.1);
    // What the literature has differs by a part in a hundred: (-23.5, -13.4, 53.4) with eight elements in 1979.
    for (found, expected) in exact.iter().zip([-23.5, -13.4, 53.4]) {
        println!(
            "arc of 45 degrees: {found:.4}, beside {expected} {:.1e}",
            found / expected - 1.0
        );
        assert_near(*found, expected, 0.016);
    }
}

#[test]
fn a_moment_rolls_a_beam_up_to_a_circle() {
    for count in [4, 8] {
        let section = Section::new([1e4, 1e4, 1e4, 5.0, 5.0, 5.0], 1.0, [0.1; 3]);
        let end = loaded(
            straight(section, count),
            [0.0; 3],
            [0.0, -TAU * 5.0, 0.0],
            20,
        );
        println!("rolled up with {count} elements: {:.1e} m", end.norm());
        assert!(end.norm() < 1e-7, "{end:?}");
    }
}

/// The beam of the Princeton experiment under its largest load (Dowell and Traybar 1975), turned by an angle, in units of its length.
pub fn princeton(angle: f64, count: usize) -> Vector3<f64> {
    let (stiffness, load) = princeton_numbers();
    let [axial, .., torsion, about_y, about_z] = stiffness;
    let rigid = f64::INFINITY;
    let section = [axial, rigid, rigid, torsion, about_y, about_z];
    let section = Section::new(section, 1.0, [2e-3, 1e-3, 1e-3]);
    let (sine, cosine) = angle.to_radians().sin_cos();
    let force = [0.0, load * sine, -load * cosine];
    loaded(straight(section, count), force, [0.0; 3], 5)
}

fn princeton_numbers() -> ([f64; 6], f64) {
    let length = 0.508;
    let alloy = Material::new(71.7e9, 0.31, 2700.0);
    let section = Section::rectangle(&alloy, [0.0032024, 0.0123777]);
    let [axial, y, z, torsion, about_y, about_z] = section.stiffness().expect("not rigid");
    let square = length * length;
    let moments = [torsion, about_y, about_z].map(|stiffness| stiffness / square);
    let [torsion, about_y, about_z] = moments;
    ([axial, y, z, torsion, about_y, about_z], 13.345)
}

#[test]
fn the_princeton_beam_bends_like_an_elastica_about_both_axes_and_twists_between() {
    let (stiffness, load) = princeton_numbers();
    for (angle, about) in [(0.0, 4), (90.0, 5)] {
        let end = princeton(angle, 16);
        let [along, across] = elastica(load / stiffness[about]);
        let found = [1.0 - end.x, end.y.hypot(end.z)];
        // An elastica does not stretch, by 1.5e-7 here.
        let [x, z] = [found[0] / along - 1.0, found[1] / across - 1.0];
        println!(
            "Princeton beam at {angle} degrees beside an elastica: {x:.1e} along, {z:.1e} across"
        );
        assert_near(found[0], along, 3e-4);
        assert_near(found[1], across, 2e-5);
    }
    let ends = [4, 8, 16].map(|count| princeton(45.0, count));
    let changes = [(ends[0] - ends[1]).norm(), (ends[1] - ends[2]).norm()];
    assert!(
        orders(&changes)[0] > 1.8 && changes[1] < 1e-4,
        "{changes:?} {ends:?}"
    );
    // Bent about both axes it twists, and sinks more about the stiff axis than one alone would make it.
    let alone = load * 45.0_f64.to_radians().cos() / (3.0 * stiffness[4]);
    assert!(-ends[2].z > 1.02 * alone, "{} {alone}", ends[2].z);
}

#[test]
fn a_beam_that_turns_stretches_as_it_should() {
    let rate = 6.0;
    // Of Simo and Vu-Quoc (1986) and of Wu and Haug (1988): E A in N, ρ A in kg/m, length in m, and ρ A Ω² L³ / (3 E A) in m.
    let (area, young, density) = (7.3e-5, 6.895e10, 2766.67);
    for (axial, line, length, linear) in [
        (2.8e7, 1.2, 10.0, 5.142857e-4),
        (young * area, density * area, 8.0, 2.4653257e-4),
    ] {
        let rigid = f64::INFINITY;
        let stiffness = [axial, rigid, rigid, 1.4e4, 1.4e4, 1.4e4];
        let section = Section::new(stiffness, line, [1.2e-3, 6e-4, 6e-4]);
        let wave = rate * (line / axial).sqrt();
        let exact = (wave * length).tan() / wave - length;
        let beam = Beam::straight("beam", section, [0.0; 3], [length, 0.0, 0.0], 8);
        let error = (spun(beam, rate).x - length) / exact - 1.0;
        println!("steady extension {exact:.7e} m, error {error:.1e}");
        assert!(error.abs() < 1e-6, "{error:.2e}");
        // The linear formula leaves out that the beam grows longer.
        assert_near(exact, linear, 1e-4);
    }
}

/// Thicknesses of 2 and 0.5 mm at a length of 1 m: the beam resists stretching 3e6 and 5e7 times as much as bending.
#[test]
fn slender_cantilevers_need_no_load_steps() {
    let steel = Material::new(2.07e11, 0.3, 7800.0);
    for thickness in [2e-3, 5e-4_f64] {
        let bending = steel.young * 0.02 * thickness.powi(3) / 12.0;
        for load in [0.5, 2.0, 10.0] {
            let section = Section::rectangle(&steel, [0.02, thickness]);
            let mut mechanism = MultibodyBuilder::new();
            let nodes = clamped(&mut mechanism, straight(section, 20));
            let force = [0.0, 0.0, -load * bending];
            let moment = [0.0; 3];
            let load_at_end = DeadLoad { force, moment };
            mechanism.add_force("load", BodyId::GROUND, nodes.end(), load_at_end);
            let mut system = mechanism.build().expect("consistent");
            let found = rest_at_once(&mut system);
            let end = tip(&system, &found.state, &nodes);
            let exact = elastica(load);
            let error = (1.0 - end.x - exact[0]).hypot(-end.z - exact[1]);
            println!(
                "{:.1} mm under {load}: {} iterations, {error:.1e} beside the elastica, {:.1e} of the load is left",
                thickness * 1e3,
                found.iterations,
                found.unbalanced / (load * bending)
            );
            assert!(error < 1e-5, "{error:e}");
            assert!(found.iterations <= 100);
            assert!(found.unbalanced < 1e-5 * load * bending);
        }
    }
}
