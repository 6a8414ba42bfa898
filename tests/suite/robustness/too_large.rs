//! Systems that would not fit into memory are refused before anything is allocated.

use crate::methods;
use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, SolveErrorKind, solve};
use liedae::system::{
    Automatic, FirstOrder, FirstOrderModel, Layout, LayoutError, MatrixMut, Model, Point, System,
};

/// Sizes and nothing else.
struct Large(fn() -> Layout);

impl Model for Large {
    fn layout(&self) -> Layout {
        (self.0)()
    }
    fn initial_state(&self) -> liedae::system::State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, _mass: &mut MatrixMut<S>) {}
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
}

/// So many unknowns of which each may depend on all.
struct Dense;

impl FirstOrderModel for Dense {
    fn dimension(&self) -> usize {
        100_000
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![0.0; 100_000]
    }
    fn rate<S: Scalar>(&self, _t: S, _y: &[S], _rate: &mut [S]) {}
}

fn refused(mut system: impl System, part: &str) {
    for entry in methods().entries() {
        let method = methods()
            .build(entry.method.name, &MethodOptions::default())
            .expect("defaults");
        let options = match entry.method.is_adaptive() {
            true => Options::adaptive(1.0, 1e-6, 1e-6),
            false => Options::fixed(1.0, 0.1),
        };
        let error = solve(&mut system, method.as_ref(), &options).expect_err("too large");
        let found = match error.kind {
            SolveErrorKind::Layout(LayoutError::TooLarge { part, .. }) => part,
            other => panic!("{}: {other}", entry.method.name),
        };
        assert_eq!(found, part, "{}", entry.method.name);
    }
}

type LayoutOf = fn() -> Layout;

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let plane = || Layout::dense(Manifold::euclidean(2));
    let cases: [(LayoutOf, &str); 6] = [
        (|| Layout::dense(Manifold::euclidean(100_000)), "mass"),
        (|| Layout::dense(Manifold::euclidean(usize::MAX)), "mass"),
        (
            || Layout::dense(Manifold::euclidean(2)).with_position_rows(usize::MAX),
            "constraint Jacobian",
        ),
        (
            || {
                Layout::dense(Manifold::euclidean(2))
                    .with_position_rows(usize::MAX)
                    .with_velocity_rows(usize::MAX)
            },
            "constraint Jacobian",
        ),
        (
            || Layout::dense(Manifold::euclidean(2)).with_differential_states(usize::MAX),
            "rates",
        ),
        (
            || Layout::dense(Manifold::euclidean(2)).with_algebraic_variables(usize::MAX),
            "rates",
        ),
    ];
    for (layout, part) in cases {
        refused(Automatic::new(Large(layout)), part);
    }
    assert_eq!(plane().check(), Ok(()));
    let dense = FirstOrder::new(Dense).expect("well stated");
    refused(Automatic::new(dense), "rates");
}
