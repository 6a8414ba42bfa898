//! The spatial slider-crank: the same forces as in the paper while it slides, and rest by friction.

use super::runs::{kinds, output, run, tight};
use crate::common::build;

const SHARED: [&str; 5] = ["v_slider", "T", "Nz", "Ny", "FAx"];

#[test]
fn a_driven_slider_crank_slides_as_before() {
    for normal in ["normal=0", "normal=1"] {
        let settings = |motion: &'static str| ["mu=0.2", normal, motion];
        let mut paper = build("slider-crank", &settings("motion=0"));
        let mut new = build("slider-crank", &settings("motion=1"));
        let options = tight(1.3);
        let before = run(paper.system.as_mut(), "hem5", &options);
        let after = run(new.system.as_mut(), "hem5", &options);
        assert!(before.events.len() > 1);
        assert_eq!(kinds(&before.events), kinds(&after.events));
        for (a, b) in before.events.iter().zip(&after.events) {
            assert!((a.t - b.t).abs() < 1e-9, "{a:?} {b:?}");
        }
        let names = SHARED.iter().map(|&name| (name, name));
        for (name, wrapped) in names.chain([("fric", "guide.friction")]) {
            let expected = output(paper.system.as_mut(), &before, name);
            let found = output(new.system.as_mut(), &after, wrapped);
            println!("{name}: {found:.9}, differs by {:.1e}", found - expected);
            assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()));
        }
        let reference = new.reference.as_ref().unwrap();
        let exact = reference.value("fric", 1.3).unwrap();
        let found = output(new.system.as_mut(), &after, "guide.friction");
        assert!((found - exact).abs() < 1e-7);
    }
}

#[test]
fn a_free_slider_crank_comes_to_rest() {
    for method in ["hem5", "dop853", "generalized-alpha-stabilized"] {
        let mut problem = build("slider-crank", &["mu=0.3", "normal=1", "motion=2"]);
        let mut options = tight(4.0);
        if method.starts_with("generalized") {
            options = liedae::solve::Options::adaptive(4.0, 1e-6, 1e-6);
        }
        let solution = run(problem.system.as_mut(), method, &options);
        println!("{method}: {:?}", solution.events);
        assert_eq!(kinds(&solution.events).last(), Some(&"stick"));
        assert!(solution.events.len() < 50);
        let speed = solution
            .state
            .v
            .iter()
            .fold(0.0_f64, |max, v| max.max(v.abs()));
        assert!(speed < 1e-8, "{speed}");
        let friction = output(problem.system.as_mut(), &solution, "guide.friction");
        let normal = output(problem.system.as_mut(), &solution, "guide.normal");
        assert!(friction.abs() < 0.3 * normal);
    }
}
