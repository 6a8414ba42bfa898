//! Redundant constraint rows through all methods: the motion is that of the system without them.

use liedae::integrator::MethodEntry;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, SolveError, StepView, solve, solve_observed};
use liedae::system::{
    AccelerationSolver, Automatic, Evaluator, Layout, MatrixMut, Model, Point, State,
};
use std::ops::ControlFlow;

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
        Layout::dense(Manifold::euclidean(3)).with_position_rows(self.rows())
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
    entry: MethodEntry,
    options: &Options,
) -> Result<State, SolveError> {
    let mut system = Automatic::new(Constrained { case, redundant });
    let integrator = entry.default_method();
    let options = Options {
        max_steps: 30_000,
        ..options.clone()
    };
    solve(&mut system, integrator.as_ref(), &options).map(|solution| solution.state)
}

fn distance(a: &State, b: &State) -> f64 {
    let pairs = a.q.iter().chain(&a.v).zip(b.q.iter().chain(&b.v));
    pairs.fold(0.0, |max, (a, b)| f64::max(max, (a - b).abs()))
}

/// Distances from the reference without and with redundant rows, with constant steps and, where there is an estimate,
/// adaptive ones.
fn compare(
    case: Case,
    mut judge: impl FnMut(MethodEntry, bool, f64, Result<State, SolveError>, &State),
) {
    let hem5 = crate::known_methods().find("hem5").expect("registered");
    let reference = run(case, false, hem5, &Options::adaptive(1.0, 1e-12, 1e-12)).expect("solved");
    for entry in crate::methods() {
        let adaptive = Options::adaptive(1.0, 1e-6, 1e-6);
        for (is_adaptive, options) in [(false, Options::fixed(1.0, 0.02)), (true, adaptive)] {
            if is_adaptive && !entry.method.is_adaptive() {
                continue;
            }
            let plain = run(case, false, entry, &options).expect("solved");
            let found = run(case, true, entry, &options);
            let step = if is_adaptive { "adaptive" } else { "constant" };
            println!(
                "{case:?} {} {step}: {:.2e} {:?}",
                entry.method.name,
                distance(&plain, &reference),
                found
                    .as_ref()
                    .map(|state| distance(state, &reference))
                    .map_err(ToString::to_string)
            );
            judge(
                entry,
                is_adaptive,
                distance(&plain, &reference),
                found,
                &reference,
            );
        }
    }
}

#[test]
fn every_method_moves_as_without_the_redundant_rows() {
    for case in [
        Case::Doubled,
        Case::SameManifold,
        Case::ThreeSurfaces,
        Case::Block,
    ] {
        compare(case, |entry, _, plain, found, reference| {
            let found = distance(&found.expect("solved"), reference);
            let name = entry.method.name;
            assert!(
                found <= 2.0 * plain + 1e-12,
                "{name}: {found:e}, not {plain:e}"
            );
        });
    }
}

/// A branch point: a line lies in both surfaces, too, and crosses the curve where the normals are parallel.
#[test]
fn a_point_where_normals_are_parallel_is_passed() {
    for start in [-0.5, 0.0] {
        let case = Case::ParallelNormals { start };
        compare(case, |entry, adaptive, plain, found, reference| {
            let found = distance(&found.expect("solved"), reference);
            // Constant steps: the stated bound for a row that is left out.
            let bound = if adaptive { 1e-4 } else { 1e-3 };
            let name = entry.method.name;
            assert!(found <= 10.0 * plain + bound, "{name}: {found:e}");
        });
    }
}

/// Keeps complete states.
#[derive(Default)]
struct Complete(Vec<State>);

impl Observer for Complete {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.0.push(step.to.clone());
        let middle = 0.5 * (step.from.t + step.to.t);
        self.0.push(step.at(middle).clone());
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

#[test]
fn multipliers_of_complete_states_have_least_norm_and_looking_at_them_changes_nothing() {
    let case = Case::SameManifold;
    for name in ["hem5", "phem56", "extrapolation", "mdop5", "dop853"] {
        let entry = crate::known_methods().find(name).expect("registered");
        let options = Options::adaptive(1.0, 1e-8, 1e-8);
        let mut system = Automatic::new(Constrained {
            case,
            redundant: true,
        });
        let integrator = entry.default_method();
        let mut observer = Complete::default();
        let seen = solve_observed(&mut system, integrator.as_ref(), &options, &mut observer);
        let seen = seen.expect("solved").state;
        let unseen = run(case, true, entry, &options).expect("solved");
        assert_eq!([&seen.q, &seen.v], [&unseen.q, &unseen.v], "{name}");
        let mut evaluator = Evaluator::new(&mut system);
        let mut solver = AccelerationSolver::new(evaluator.layout()).expect("fits");
        for (index, state) in observer.0.iter().enumerate() {
            // Gradients on the sphere: q times 2, 1 and 2 + x.
            let [a, b, c] = [2.0, 1.0, 2.0 + state.q[0]];
            let [l, m, n] = [state.lambda[0], state.lambda[1], state.lambda[2]];
            // Between the ends of a step multipliers are interpolated; the steps of most of these are long.
            let complete = index.is_multiple_of(2);
            let bound = if complete { 1e-6 } else { 0.1 };
            let dependence = f64::max((l * b - m * a).abs(), (l * c - n * a).abs());
            assert!(
                dependence < bound || !(complete || name == "phem56"),
                "{name}: {dependence:e}"
            );
            if complete {
                let mut exact = state.clone();
                solver.complete(&mut evaluator, &mut exact).expect("solved");
                for (found, exact) in state.lambda.iter().zip(&exact.lambda) {
                    assert!((found - exact).abs() < 1e-6, "{name}: {found} {exact}");
                }
            }
        }
    }
}
