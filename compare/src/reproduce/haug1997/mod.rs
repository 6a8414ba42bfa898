//! Haug, Negrut, Iancu 1997, A state-space based implicit integration algorithm, doi:10.1080/08905459708905292:
//! section 4, Table 5 and Figs. 9 to 11.

mod claims;
mod experiments;
mod figures;
mod iterations;
mod mechanisms;
mod norms;
mod steps;
mod tables;

use super::claim::explained;
use super::trajectory::{ACCURATE, Motion, Sweep};
use super::{DataFile, Repetition};
use crate::error::CommandError;
use crate::registry::Registry;
use experiments::{Curves, Explicit, Factor, Iteration, Predictor, Search, SearchRecord};
use mechanisms::{MECHANISMS, Mechanism};
use norms::Norms;
use serde::Serialize;

/// Newton's method with the exact Jacobian.
const IMPL: &str = "state-space-newmark";
/// The quasi-Newton method FV of Fisette and Vaneghem.
const FV: &str = "state-space-fv";
/// The explicit method of section 4.1.
const EXPL: &str = "state-space-abm";
/// Its smallest step tried in s, a third of that at which the stand-in's damping makes it unstable.
const EXPL_SMALLEST: f64 = 2e-6;

/// Iterations after which a step has failed. The paper does not state its own limit: claims are judged with all of these.
const LIMITS: [usize; 7] = [6, 8, 10, JUDGED, 15, 20, 25];
/// The limit of the figures.
const JUDGED: usize = 12;
/// Tolerances of the residual, of which the paper does not state its own either.
const TOLERANCES: [f64; 4] = [1e-6, 1e-8, TOLERANCE, 1e-12];
/// The tolerance of the figures.
const TOLERANCE: f64 = 1e-10;
/// Steps per decade that a search tries: their ratio is 1.1.
const PER_DECADE: f64 = 24.0;
/// Steps in s at which convergence factors are shown.
const STEPS: [f64; 9] = [1e-4, 5e-4, 1e-3, 1.8e-3, 3e-3, 5e-3, 8.6e-3, 8.9e-3, 0.015];

/// Double pendulums of section 4.1.
const PENDULUMS: usize = 2;

/// Pieces of work that are announced, per mechanism and for section 4.1.
pub const PIECES: usize = MECHANISMS.len() * 4 + 2 * PENDULUMS;

/// Iterations of Figs. 9 to 11 as data; none where a step fails.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct CurveRecord {
    mechanism: &'static str,
    predictor: Predictor,
    step: f64,
    tolerance: f64,
    error: Option<f64>,
    impl_iterations: Option<f64>,
    fv_iterations: Option<f64>,
}

/// One run of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct RunRecord {
    mechanism: &'static str,
    predictor: Predictor,
    limit: usize,
    tolerance: f64,
    method: &'static str,
    step: f64,
    /// Relative to the range of motion.
    error: f64,
    iterations: f64,
}

/// One step of Figs. 9 to 11.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct StepRecord {
    mechanism: &'static str,
    predictor: Predictor,
    method: &'static str,
    step: f64,
    t: f64,
    iterations: usize,
}

/// What the experiments gave.
#[derive(Default)]
struct Results {
    searches: Vec<Search>,
    /// At the paper's largest steps of the quasi-Newton method FV.
    curves: Vec<Curves>,
    /// At the largest steps that are accurate with both methods.
    accurate_curves: Vec<Curves>,
    factors: Vec<Factor>,
    explicit: Vec<Explicit>,
    norms: Vec<Norms>,
}

impl Results {
    fn add(
        &mut self,
        mechanism: &'static Mechanism,
        quick: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), CommandError> {
        let title = mechanism.title;
        let motion = Motion::of(&mut mechanism.case()?)?;
        for predictor in Predictor::BOTH {
            progress(&format!("{title}, largest steps, {}", predictor.words()));
            let main = mechanism.search(&motion, Iteration::limited(predictor, JUDGED), None)?;
            for iteration in others(predictor, !quick && mechanism.judged) {
                let search = mechanism.search(&motion, iteration, Some(&main))?;
                self.searches.push(search);
            }
            self.searches.push(main);
        }
        progress(&format!("{title}, iterations at the paper's step"));
        let [_, step] = mechanism.model.published();
        for predictor in Predictor::BOTH {
            for tolerance in TOLERANCES {
                let curves = mechanism.curves(&motion, step, predictor, tolerance)?;
                self.curves.push(curves);
            }
            let judged = self.searches.iter().find(|search| {
                search.mechanism.title == title && search.predictor == predictor && search.is_main()
            });
            if let Some((step, _)) = judged.and_then(Search::iterations) {
                let curves = mechanism.curves(&motion, step, predictor, TOLERANCE)?;
                self.accurate_curves.push(curves);
            }
        }
        progress(&format!("{title}, convergence factors"));
        self.factors.extend(mechanism.convergence(&STEPS)?);
        Ok(())
    }

    /// Section 4.1: the explicit method's largest step beside the implicit one's, and errors in the paper's norms.
    fn add_explicit(&mut self, progress: &mut dyn FnMut(&str)) -> Result<(), CommandError> {
        for mechanism in &MECHANISMS[..PENDULUMS] {
            progress(&format!("{}, {EXPL}", mechanism.title));
            let mut case = mechanism.case()?;
            let motion = Motion::of(&mut case)?;
            let choice = Registry::standard().choice(EXPL)?;
            let sweep = Sweep::new(&mut case, &motion, &choice, EXPL_SMALLEST, PER_DECADE);
            let same = self
                .searches
                .iter()
                .filter(|search| search.mechanism.title == mechanism.title && search.is_main());
            let found = same.map(|search| Explicit {
                mechanism: mechanism.title,
                predictor: search.predictor,
                implicit_step: search.exact.accurate().map(|rung| rung.step),
                explicit_step: sweep.accurate().map(|rung| rung.step),
                implicit_largest: search.exact.largest().map(|rung| rung.step),
            });
            let found: Vec<_> = found.collect();
            self.explicit.extend(found);
            progress(&format!("{}, errors over the step", mechanism.title));
            self.norms.extend(norms::norms(mechanism)?);
        }
        Ok(())
    }

    /// Curves at the tolerance of the figures.
    fn judged_curves(&self) -> impl Iterator<Item = &Curves> {
        let judged = self.curves.iter();
        judged.filter(|curves| curves.tolerance == TOLERANCE && curves.mechanism.judged)
    }

    fn files(&self) -> Result<Vec<DataFile>, CommandError> {
        let searches: Vec<SearchRecord> = self.searches.iter().map(Search::record).collect();
        let mut runs = Vec::new();
        for search in &self.searches {
            for (method, sweep) in [(IMPL, &search.exact), (FV, &search.quasi)] {
                runs.extend(sweep.rungs().iter().map(|rung| RunRecord {
                    mechanism: search.mechanism.title,
                    predictor: search.predictor,
                    limit: search.limit,
                    tolerance: search.tolerance,
                    method,
                    step: rung.step,
                    error: rung.error,
                    iterations: rung.iterations,
                }));
            }
        }
        let record = |curves: &Curves| CurveRecord {
            mechanism: curves.mechanism.title,
            predictor: curves.predictor,
            step: curves.step,
            tolerance: curves.tolerance,
            error: curves.error,
            impl_iterations: curves.exact.mean,
            fv_iterations: curves.quasi.mean,
        };
        let means: Vec<CurveRecord> = self.curves.iter().map(record).collect();
        let mut steps = Vec::new();
        for curves in self.judged_curves().chain(&self.accurate_curves) {
            for (method, curve) in [(IMPL, &curves.exact), (FV, &curves.quasi)] {
                let records = curve.iterations.iter().map(|&(t, iterations)| StepRecord {
                    mechanism: curves.mechanism.title,
                    predictor: curves.predictor,
                    method,
                    step: curves.step,
                    t,
                    iterations,
                });
                steps.extend(records);
            }
        }
        Ok(vec![
            DataFile::of_records("table5_steps.csv", &searches)?,
            DataFile::of_records("table5_runs.csv", &runs)?,
            DataFile::of_records("figures_9_to_11.csv", &means)?,
            DataFile::of_records("figures_9_to_11_steps.csv", &steps)?,
            DataFile::of_records("convergence_factors.csv", &self.factors)?,
            DataFile::of_records("section_4_1.csv", &self.explicit)?,
            DataFile::of_records("section_4_1_norms.csv", &self.norms)?,
        ])
    }
}

/// Limits and tolerances besides those of the figures, if they are wanted.
fn others(predictor: Predictor, wanted: bool) -> Vec<Iteration> {
    let main = Iteration::limited(predictor, JUDGED);
    let limits = LIMITS.into_iter().filter(|limit| *limit != JUDGED);
    let limits = limits.map(|limit| Iteration { limit, ..main });
    let tolerances = TOLERANCES.into_iter().filter(|other| *other != TOLERANCE);
    let tolerances = tolerances.map(|tolerance| Iteration { tolerance, ..main });
    limits.chain(tolerances).filter(|_| wanted).collect()
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let mut results = Results::default();
    // The seven-body mechanism has all data in print, and is the fastest.
    let mechanisms = if quick {
        &MECHANISMS[MECHANISMS.len() - 1..]
    } else {
        &MECHANISMS[..]
    };
    for mechanism in mechanisms {
        results.add(mechanism, quick, progress)?;
    }
    if !quick {
        results.add_explicit(progress)?;
    }
    let mut claims = claims::claims(&results);
    explained(&mut claims, quick);
    Ok(Repetition {
        paper: "haug1997",
        page: figures::page(&results, &claims, quick)?,
        files: results.files()?,
        claims,
        failures: Vec::new(),
    })
}
