//! Closed loops of four revolutes in space: the planar four-bar, with three redundant rows everywhere in the plane, and
//! Bennett's linkage, whose three redundant rows depend on the others only where the loop is closed.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, SolveError, solve};
use liedae::system::State;
use liedae_multibody::{BodyId, Joint, MultibodyBuilder, MultibodySystem, RigidBody};
use nalgebra::{Matrix4, Rotation3, Translation3, Vector3};

/// Points and directions of four axes around a loop; the link between the last and the first is the ground.
struct Loop {
    points: [Vector3<f64>; 4],
    axes: [Vector3<f64>; 4],
}

impl Loop {
    fn planar() -> Self {
        let points = [[0.0, 0.0], [0.3, 0.9], [1.9, 1.3], [1.5, 0.0]];
        Self {
            points: points.map(|[x, y]| Vector3::new(x, y, 0.0)),
            axes: [Vector3::z(); 4],
        }
    }

    /// G. T. Bennett, A new mechanism, Engineering 76 (1903) 777: opposite links are equal, a / sin α = b / sin β.
    fn bennett() -> Self {
        let (alpha, beta, a) = (0.6_f64, 1.3_f64, 1.0);
        let b = a * beta.sin() / alpha.sin();
        let first = 1.1_f64;
        let ratio = ((beta + alpha) / 2.0).sin() / ((beta - alpha) / 2.0).sin();
        let second = 2.0 * (ratio / (first / 2.0).tan()).atan();
        let angles = [first, second, -first, -second];
        let links = [(a, alpha), (b, beta), (a, alpha), (b, beta)];
        let mut frame = Matrix4::identity();
        let mut found = Self {
            points: [Vector3::zeros(); 4],
            axes: [Vector3::zeros(); 4],
        };
        for (index, (angle, (length, twist))) in angles.into_iter().zip(links).enumerate() {
            found.points[index] = frame.fixed_view::<3, 1>(0, 3).into();
            found.axes[index] = frame.fixed_view::<3, 1>(0, 2).into();
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).to_homogeneous();
            let along = Translation3::new(length, 0.0, 0.0).to_homogeneous();
            let tilt = Rotation3::from_axis_angle(&Vector3::x_axis(), twist).to_homogeneous();
            frame = frame * turn * along * tilt;
        }
        let gap = (frame - Matrix4::identity()).norm();
        assert!(gap < 1e-12, "the loop is open by {gap:e}");
        found
    }

    /// Three links from rest under gravity; without redundant rows a ball joint and a universal joint take the place of two
    /// revolutes.
    fn mechanism(&self, redundant: bool) -> MultibodySystem {
        let (p, z) = (&self.points, &self.axes);
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.7, -9.81, 1.3]);
        let mut link = |name: &str, from: usize| {
            let body = RigidBody::new(name, 1.0 + from as f64, [0.2, 0.2, 0.2]);
            mechanism.add_body(body.at((p[from] + p[from + 1]) / 2.0))
        };
        let links = [link("crank", 0), link("coupler", 1), link("rocker", 2)];
        let ground = BodyId::GROUND;
        mechanism.add_joint(Joint::revolute("A", ground, links[0], p[0], z[0]));
        if redundant {
            mechanism.add_joint(Joint::revolute("B", links[0], links[1], p[1], z[1]));
            mechanism.add_joint(Joint::revolute("C", links[1], links[2], p[2], z[2]));
        } else {
            let across = z[2].cross(&(p[3] - p[2])).normalize();
            mechanism.add_joint(Joint::spherical("B", links[0], links[1], p[1]));
            mechanism.add_joint(Joint::universal(
                "C", links[1], links[2], p[2], z[2], across,
            ));
        }
        mechanism.add_joint(Joint::revolute("D", links[2], ground, p[3], z[3]));
        mechanism.build().expect("consistent")
    }
}

fn run(
    shape: &Loop,
    redundant: bool,
    method: &str,
    options: &Options,
) -> Result<State, SolveError> {
    let mut system = shape.mechanism(redundant);
    let method = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    solve(&mut system, method.as_ref(), options).map(|solution| solution.state)
}

fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v));
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (a - b).abs()))
}

#[test]
fn loops_of_revolutes_move_like_loops_without_redundant_rows() {
    let t_end = 0.5;
    for (name, shape) in [("planar", Loop::planar()), ("bennett", Loop::bennett())] {
        let tight = Options::adaptive(t_end, 1e-12, 1e-12);
        let reference = run(&shape, false, "hem5", &tight).expect("solved");
        for (method, adaptive) in [
            ("hem5", 1e-6),
            ("phem56", 1e-5),
            ("extrapolation", 1e-5),
            ("mdop5", 1e-5),
            ("dopri5", 1e-4),
            ("dop853", 1e-5),
            ("radau5", 1e-4),
            ("generalized-alpha-stabilized", 1e-3),
        ] {
            let options = [
                (Options::adaptive(t_end, 1e-7, 1e-7), adaptive),
                (Options::fixed(t_end, 0.01), f64::INFINITY),
            ];
            for (options, bound) in options {
                let plain = run(&shape, false, method, &options).expect("solved");
                let plain = distance(&plain, &reference);
                let found = run(&shape, true, method, &options);
                println!(
                    "{name} {method}: {plain:e} {:?}",
                    found
                        .as_ref()
                        .map(|state| distance(state, &reference))
                        .map_err(|error| error.to_string())
                );
                let found = distance(&found.expect("solved"), &reference);
                assert!(found < bound, "{name} {method}: {found:e}");
                assert!(
                    found < 10.0 * plain + 1e-9,
                    "{name} {method}: {found:e}, not {plain:e}"
                );
            }
        }
    }
}
