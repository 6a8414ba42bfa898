//! Redundant constraint rows through all methods: the motion is that of the system without them.

use liedae::integrator::{MethodOptions, RegistryEntry, methods};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, SolveError, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};

/// What the constraints look like; each with its rows as they should be and as somebody might state them.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    /// A point on a sphere, stated twice.
    Doubled,
    /// A point on a sphere, stated in three ways, one of which depends on the first only on the sphere.
    SameManifold,
    /// A point on the curve between two surfaces, and a third surface through it.
    ThreeSurfaces,
    /// A point on the curve between two surfaces whose normals are parallel at one point of it.
    ParallelNormals { start: f64 },
    /// A block on two feet with a joint that keeps its angle, on a floor that moves.
    Block,
}

#[derive(Clone, Copy, Debug)]
struct Constrained {
    case: Case,
    redundant: bool,
}

impl Constrained {
    fn rows(&self) -> usize {
        match (self.case, self.redundant) {
            (Case::Doubled | Case::SameManifold, false) => 1,
            (Case::Doubled, true)
            | (Case::ThreeSurfaces | Case::Block, false)
            | (Case::ParallelNormals { .. }, _) => 2,
            (Case::SameManifold | Case::ThreeSurfaces | Case::Block, true) => 3,
        }
    }
}

impl Model for Constrained {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3), self.rows(), 0, 0, 0)
    }

    fn initial_state(&self) -> State {
        let (q, v) = match self.case {
            Case::Doubled | Case::SameManifold => (vec![0.6, 0.0, -0.8], vec![0.4, 1.0, 0.3]),
            Case::ThreeSurfaces => {
                // q2 = 0.3 q0² on the sphere.
                let x: f64 = 0.6;
                let z = 0.3 * x * x;
                let y = (1.0 - x * x - z * z).sqrt();
                let (vx, vz) = (0.5, 0.3 * x);
                (vec![x, y, z], vec![vx, -(x * vx + z * vz) / y, vz])
            }
            Case::ParallelNormals { start: x } => (
                vec![x, 0.2 * x * x * x, 0.1 * x * x],
                vec![1.0, 0.6 * x * x, 0.2 * x],
            ),
            Case::Block => (vec![0.3, 0.5, 0.0], vec![0.2, 0.1, 0.0]),
        };
        State {
            q,
            v,
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, size) in [1.0, 1.3, 0.7].into_iter().enumerate() {
            mass[(index, index)] = S::constant(size);
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        match self.case {
            Case::ParallelNormals { .. } => force[2] = S::constant(-9.81),
            Case::Block => {
                force[0] = -at.q[0] * 4.0;
                force[1] = S::constant(-9.81);
            }
            _ => {
                force[0] = at.v[1] * 0.3;
                force[1] = S::constant(-1.0) - at.v[0] * 0.3;
                force[2] = S::constant(-9.81);
            }
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let [x, y, z] = [at.q[0], at.q[1], at.q[2]];
        let one = S::constant(1.0);
        let sphere = x * x + y * y + z * z - 1.0;
        match self.case {
            Case::Doubled => g.fill(sphere),
            Case::SameManifold => {
                g[0] = sphere;
                if self.redundant {
                    g[1] = (x * x + y * y + z * z).sqrt() - 1.0;
                    g[2] = sphere * (one + x * 0.5);
                }
            }
            Case::ThreeSurfaces => {
                g[0] = sphere;
                g[1] = z - x * x * 0.3;
                if self.redundant {
                    g[2] = (one + x * x) * g[0] + y * g[1] + g[0] * g[1];
                }
            }
            Case::ParallelNormals { .. } => {
                g[0] = z - x * x * 0.1;
                let beside = y - x * x * x * 0.2;
                g[1] = if self.redundant {
                    g[0] + x * beside
                } else {
                    beside
                };
            }
            Case::Block => {
                let floor = at.t.sin() * 0.1;
                let foot = |side: f64| y - floor + z.sin() * side - z.cos() * 0.5;
                if self.redundant {
                    (g[0], g[1], g[2]) = (foot(-0.4), foot(0.4), z);
                } else {
                    (g[0], g[1]) = (y - floor - 0.5, z);
                }
            }
        }
    }
}

fn run(
    case: Case,
    redundant: bool,
    entry: &RegistryEntry,
    options: &Options,
) -> Result<State, SolveError> {
    let mut system = Automatic::new(Constrained { case, redundant });
    let mut integrator = (entry.build)(&MethodOptions::default());
    let options = Options {
        max_steps: 30_000,
        ..options.clone()
    };
    solve(&mut system, integrator.as_mut(), &options).map(|solution| solution.state)
}

fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v));
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (a - b).abs()))
}

const CASES: [Case; 6] = [
    Case::Doubled,
    Case::SameManifold,
    Case::ThreeSurfaces,
    Case::ParallelNormals { start: -0.5 },
    Case::ParallelNormals { start: 0.0 },
    Case::Block,
];

#[test]
fn survey() {
    for case in CASES {
        let hem5 = liedae::integrator::find("hem5").unwrap();
        let reference = run(case, false, hem5, &Options::adaptive(1.0, 1e-12, 1e-12)).unwrap();
        for entry in methods() {
            let adaptive = Options::adaptive(1.0, 1e-6, 1e-6);
            let fixed = Options::fixed(1.0, 0.02);
            let mut line = format!("{case:?} {:24}", entry.method.name);
            for (name, options) in [("fixed", fixed), ("adaptive", adaptive)] {
                if name == "adaptive" && entry.method.error_order <= 0.0 {
                    continue;
                }
                for redundant in [false, true] {
                    match run(case, redundant, entry, &options) {
                        Ok(state) => line += &format!(" {:9.2e}", distance(&state, &reference)),
                        Err(error) => {
                            line += &format!(
                                " [{}]",
                                error.to_string().chars().take(150).collect::<String>()
                            )
                        }
                    }
                }
                line += " |";
            }
            println!("{line}");
        }
    }
}
