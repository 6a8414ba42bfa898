//! Equations of long chains, which round-off reaches.

use liedae::integrator::HalfImplicit;
use liedae::linalg::KktSolver;
use liedae::solve::{Options, solve};
use liedae::system::Evaluator;
use liedae_problems::ProblemRegistry;

/// One end of a chain that hangs is out of place: multipliers die out from link to link, those beside the chain within
/// some hundred links. What is left of them there is round-off of those along it, which no refinement mends; and these
/// are differences of large forces.
#[test]
fn corrections_that_die_out_need_no_refinement() {
    for count in [512, 16384] {
        let settings = [format!("n={count}"), "hangs=1".to_owned()];
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        let registry = ProblemRegistry::standard();
        let chain = registry.lookup("chain").expect("registered");
        let mut chain = chain.build_with(&settings).expect("a chain");
        let h = 1e-3 * (64.0 / f64::from(count)).sqrt();
        let run = solve(
            chain.system.as_mut(),
            &HalfImplicit::default(),
            &Options::fixed(4.0 * h, h),
        );
        let state = run.expect("solved").state;
        let mut system = Evaluator::new(chain.system.as_mut());
        let layout = system.layout().clone();
        let mut mass = vec![0.0; layout.mass.nnz()];
        let mut jacobian = vec![0.0; layout.jacobian.nnz()];
        system
            .mass_matrix(&state.point(), &mut mass)
            .expect("finite");
        system
            .constraint_jacobian(&state.point(), &mut jacobian)
            .expect("finite");
        let mut solver = KktSolver::new(
            &layout.mass,
            &layout.jacobian,
            &layout.jacobian,
            &layout.blocks,
        )
        .expect("it fits");
        solver
            .factor(&mass, &jacobian, &jacobian)
            .expect("independent");
        let nothing = vec![0.0; layout.dimension()];
        let mut missing = vec![0.0; layout.rows()];
        let last = layout.rows() - 3;
        missing[last..].fill(1e-9);
        let (mut change, mut multipliers) = (nothing.clone(), vec![0.0; layout.rows()]);
        for _ in 0..2 {
            solver
                .solve(&nothing, &missing, &mut change, &mut multipliers)
                .expect("regular");
        }
        assert_eq!(
            (solver.refinements(), solver.fallbacks()),
            (0, 0),
            "{count} links"
        );
        let largest = |rows: &[f64]| rows.iter().fold(0.0_f64, |max, y| max.max(y.abs()));
        assert!(largest(&multipliers[..3]) > 1e-10 * largest(&multipliers));
    }
}
