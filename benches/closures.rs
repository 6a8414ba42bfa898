//! What closures cost beside functions generic over the scalar: the same runs, stated both ways.

use criterion::{Criterion, criterion_group, criterion_main};
use liedae::prelude::*;
use std::array::from_fn;
use std::hint::black_box;

/// A point mass on a rod: next to no work in the functions.
struct Pendulum;

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0;
    }
}

fn pendulum() -> impl System {
    let model = liedae::model([1.0, 0.0], [0.0, 0.0]).mass(1.0);
    let model = model.force(|_, _, _| [0.0, -9.81]);
    let model = model.constraint(|_, [x, y]| [x * x + y * y - 1.0]);
    model.build().expect("complete")
}

/// Point masses in the plane that attract each other: nearly all work is in the force.
const MASSES: usize = 8;
const COORDINATES: usize = 2 * MASSES;

fn attraction<S: Scalar>(q: &[S], force: &mut [S]) {
    for one in 0..MASSES {
        for other in 0..one {
            let (i, j) = (2 * one, 2 * other);
            let (x, y) = (q[i] - q[j], q[i + 1] - q[j + 1]);
            let squared = x * x + y * y + 0.01;
            let pull = (squared * squared.sqrt()).recip();
            force[i] -= x * pull;
            force[j] += x * pull;
            force[i + 1] -= y * pull;
            force[j + 1] += y * pull;
        }
    }
}

fn places() -> [f64; COORDINATES] {
    from_fn(|i| match (i % 2, (i / 2) as f64) {
        (0, mass) => (2.4 * mass).cos() * (1.0 + 0.3 * mass),
        (_, mass) => (2.4 * mass).sin() * (1.0 + 0.3 * mass),
    })
}

struct Cluster;

impl Model for Cluster {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(COORDINATES))
    }
    fn initial_state(&self) -> State {
        State {
            q: places().to_vec(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..COORDINATES {
            mass[(i, i)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        attraction(at.q, force);
    }
}

fn cluster() -> impl System {
    let model = liedae::model(places(), [0.0; COORDINATES]).mass(1.0);
    let model = model.force(|_, q, _| {
        let mut force = [Scalar::constant(0.0); COORDINATES];
        attraction(&q, &mut force);
        force
    });
    model.build().expect("complete")
}

fn beside_functions(criterion: &mut Criterion) {
    type Make = fn() -> Box<dyn System>;
    let cases: [(&str, Make, Make, f64); 2] = [
        (
            "pendulum",
            || Box::new(Automatic::new(Pendulum)),
            || Box::new(pendulum()),
            3.0,
        ),
        (
            "cluster",
            || Box::new(Automatic::new(Cluster)),
            || Box::new(cluster()),
            1.0,
        ),
    ];
    for (problem, functions, closures, t_end) in cases {
        for name in ["hem5", "radau5", "generalized-alpha"] {
            let method = MethodRegistry::standard()
                .build(name, &MethodOptions::default())
                .expect("registered");
            let options = Options::adaptive(t_end, 1e-7, 1e-7);
            let mut group = criterion.benchmark_group(format!("{problem}, {name}"));
            group.sample_size(10);
            for (way, make) in [("functions", functions), ("closures", closures)] {
                let mut system = make();
                group.bench_function(way, |bencher| {
                    bencher.iter(|| {
                        let run = solve(system.as_mut(), method.as_ref(), &options);
                        black_box(run.expect("solved"))
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, beside_functions);
criterion_main!(benches);
