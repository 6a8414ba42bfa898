//! Drawings are true: bodies meet at their joints, and what is drawn is where the outputs say it is.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, solve};
use liedae::system::{State, named_outputs};
use liedae_problems::drawing::{Drawing, Figure, Kind, Pose};
use liedae_problems::{Problem, ProblemRegistry};
use nalgebra::Vector3;

/// Problems that are no mechanisms.
const NO_MECHANISMS: [&str; 14] = [
    "manufactured",
    "van-der-pol",
    "robertson",
    "hires",
    "oregonator",
    "pollution",
    "e5",
    "ring-modulator",
    "transistor-amplifier",
    "nand-gate",
    "charge-pump",
    "two-bit-adder",
    "emep",
    "water-tube",
];

fn built(name: &str) -> Problem {
    let entry = ProblemRegistry::standard().lookup(name).expect("a name");
    entry.build_with(&[]).expect("a problem")
}

/// The state after a tenth of the run, or after `t` s.
fn moved(problem: &mut Problem, t: f64) -> State {
    let method = liedae_contact::methods()
        .build("hem5", &MethodOptions::default())
        .expect("a method");
    let options = Options::adaptive(t, 1e-8, 1e-8);
    let solution = solve(problem.system.as_mut(), method.as_ref(), &options);
    solution.expect("a run").state
}

fn world(poses: &[Pose], frame: Option<usize>, point: [f64; 3]) -> [f64; 3] {
    frame.map_or(point, |frame| poses[frame].point(point))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Whether a point lies in a polygon of the plane, or on its edge.
fn covers(corners: &[[f64; 3]], point: [f64; 3], near: f64) -> bool {
    let sides = corners.iter().zip(corners.iter().cycle().skip(1));
    let mut on_edge = sides
        .clone()
        .map(|(a, b)| distance(*a, point) + distance(*b, point) - distance(*a, *b));
    // A ray to the right crosses the edge of what it begins in an odd number of times.
    let crossed = sides.filter(|(a, b)| {
        let above = [a, b].map(|corner| corner[1] > point[1]);
        let share = (point[1] - a[1]) / (b[1] - a[1]);
        above[0] != above[1] && a[0] + share * (b[0] - a[0]) > point[0]
    });
    on_edge.any(|excess| excess < near) || crossed.count() % 2 == 1
}

/// Whether a figure of a frame, or a link, has a point there.
fn reaches(
    drawing: &Drawing,
    poses: &[Pose],
    frame: Option<usize>,
    place: [f64; 3],
    near: f64,
) -> bool {
    let parts = drawing.parts().iter();
    let mut own = parts.filter(|part| part.frame == frame && part.kind == Kind::Body);
    let figure = own.any(|part| {
        let at = |point: &[f64; 3]| world(poses, part.frame, *point);
        match &part.figure {
            Figure::Polygon(points) => {
                let corners: Vec<[f64; 3]> = points.iter().map(at).collect();
                drawing.is_plane() && covers(&corners, place, near)
            }
            Figure::Disc { centre, radius } => distance(at(centre), place) < radius + near,
            Figure::Solid { points, faces } => faces.iter().all(|face| {
                let [a, b, c] = [0, 1, 2].map(|corner| Vector3::from(at(&points[face[corner]])));
                let normal = (b - a).cross(&(c - b)).normalize();
                normal.dot(&(Vector3::from(place) - a)) < near
            }),
            Figure::Line(points) => points.windows(2).any(|ends| {
                let [a, b] = [at(&ends[0]), at(&ends[1])];
                distance(a, place) + distance(b, place) < distance(a, b) + near
            }),
            Figure::Dot(point) => distance(at(point), place) < near,
            _ => false,
        }
    });
    // A link belongs to the frames of both of its ends.
    let own = drawing.links().iter();
    let own = own.filter(|link| link.ends.iter().any(|(own, _)| *own == frame));
    let mut ends = own.flat_map(|link| link.ends);
    figure || ends.any(|(own, point)| distance(world(poses, own, point), place) < near)
}

#[test]
fn every_mechanism_is_drawn_and_nothing_else() {
    for entry in ProblemRegistry::standard() {
        let problem = entry.build_with(&[]).expect("a problem");
        let expected = !NO_MECHANISMS.contains(&entry.name);
        assert_eq!(problem.drawing.is_some(), expected, "{}", entry.name);
    }
}

/// At every joint there is a body, and where it joins two bodies the other one, too.
#[test]
fn bodies_meet_at_their_joints() {
    let mut joints = 0;
    for entry in ProblemRegistry::standard() {
        let mut problem = entry.build_with(&[]).expect("a problem");
        let Some(drawing) = problem.drawing.take() else {
            continue;
        };
        let mut states = vec![problem.system.initial_state()];
        if [
            "andrews",
            "double-pendulum",
            "four-link",
            "slider-crank",
            "chain",
        ]
        .contains(&entry.name)
        {
            let t = 0.1 * problem.t_end;
            states.push(moved(&mut problem, t));
        }
        // Its equations are linear in angles that are drawn as they are.
        let near = if entry.name == "woodpecker" {
            1e-4
        } else {
            1e-6
        };
        for state in states {
            let poses = drawing.place(&state);
            for part in drawing
                .parts()
                .iter()
                .filter(|part| part.kind == Kind::Joint)
            {
                let Figure::Dot(point) = part.figure else {
                    continue;
                };
                let place = world(&poses, part.frame, point);
                let frames = (0..poses.len()).map(Some).chain([None]);
                let others = frames.filter(|frame| *frame != part.frame);
                let found = others
                    .filter(|frame| reaches(&drawing, &poses, *frame, place, near))
                    .count();
                assert!(
                    found > 0,
                    "{}: nobody is at the joint {place:?}",
                    entry.name
                );
                joints += 1;
            }
        }
    }
    assert!(joints > 120, "{joints}");
}

/// The end of what is drawn is the output of that name.
#[test]
fn figures_are_where_the_outputs_say() {
    for (name, t, frame, point, outputs) in [
        // Body-fixed points and the outputs that give their places in the world.
        ("chain", 0.3, 7, [1.0, 0.0, 0.0], ["tipx", "tipy", "tipz"]),
        ("heavy-top", 0.3, 0, [0.0; 3], ["x", "y", "z"]),
        ("four-link", 0.7, 1, [0.0; 3], ["G2x", "G2y", "G2z"]),
    ] {
        let mut problem = built(name);
        let state = moved(&mut problem, t);
        let drawing = problem.drawing.take().expect("a drawing");
        let place = drawing.place(&state)[frame].point(point);
        let values = named_outputs(&mut problem.system, &state).expect("outputs");
        let expected = outputs.map(|output| {
            let found = values.iter().find(|(known, _)| known == output);
            found.unwrap_or_else(|| panic!("no {output}")).1
        });
        assert!(
            distance(place, expected) < 1e-12,
            "{name}: {place:?} {expected:?}"
        );
    }
}

/// Andrews' mechanism is the same in both coordinates: the joints of one are those of the other.
#[test]
fn both_forms_of_a_mechanism_look_the_same() {
    let joints = |name: &str| {
        let mut problem = built(name);
        let state = moved(&mut problem, 0.01);
        let drawing = problem.drawing.take().expect("a drawing");
        let poses = drawing.place(&state);
        let parts = drawing
            .parts()
            .iter()
            .filter(|part| part.kind == Kind::Joint);
        let places: Vec<[f64; 3]> = parts
            .filter_map(|part| match part.figure {
                Figure::Dot(point) => Some(world(&poses, part.frame, point)),
                _ => None,
            })
            .collect();
        places
    };
    let (minimal, cartesian) = (joints("andrews"), joints("andrews-cartesian"));
    for place in &cartesian {
        let nearest = minimal.iter().map(|other| distance(*place, *other));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-8, "{place:?}: {nearest}");
    }
}

/// The sleeve's edge and the beak are drawn as far from the pole as their gaps say; the equations are linear in the angles.
#[test]
fn gaps_of_the_woodpecker_are_seen() {
    let mut problem = built("woodpecker");
    let state = moved(&mut problem, 0.01);
    let drawing = problem.drawing.take().expect("a drawing");
    let poses = drawing.place(&state);
    let values = named_outputs(&mut problem.system, &state).expect("outputs");
    let gap = |name: &str| {
        let found = values.iter().find(|(known, _)| known == name);
        found.expect("a gap").1
    };
    // The beak: left of the bird's spring axis by 5.1 mm, above it by 20 mm; the pole has a radius of 2.5 mm.
    let beak = poses[1].point([0.015 - 0.0201, 0.02]);
    assert!((beak[0] - 0.0025 - gap("beak.gap")).abs() < 3e-4);
    let edge = poses[0].point([0.0031, -0.0058]);
    assert!((edge[0] - 0.0025 - gap("lower sleeve.gap")).abs() < 3e-5);
}
