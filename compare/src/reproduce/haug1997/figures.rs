//! Table 5 and the iterations of Figs. 9 to 11 beside what was measured here.

use super::claims::{iteration_ratio, step_ratio};
use super::experiments::{AMPLE, Curves, Predictor, Search};
use super::mechanisms::MECHANISMS;
use super::{ACCURATE, JUDGED, LIMITS, Results, TOLERANCE, norms, tables as data};
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::reproduce::Claim;
use crate::reproduce::claim::{headline, short, tables};
use crate::reproduce::trajectory::Sweep;

/// What the paper leaves open, and what was put in its place.
const SETTINGS: &str = "IMPL has the exact Jacobian of the discretized equations (eq. 29), FV the quasi-Newton matrix of Fisette and Vaneghem. \
    The printed tables of the paper have lost the stiffnesses and damping constants of the double pendulum and of the slider-crank, and the \
    initial positions of the former; ours stand in (see `liedae describe`). A second parameter set of the double pendulum has its damping \
    fitted so that EXPL is stable up to the 0.00012 s of sec. 4.1. Of the seven-body mechanism nothing is lost. The slider-crank has two \
    degrees of freedom, as in the text; with a guide it is shown and not judged, and so are double pendulums whose lengths are half lengths.";

/// How steps and iterations are counted.
const COUNTS: &str = "Iteration stops when the residual is below 1e-10 times the forces (step 6 of sec. 3.3); both methods count corrections. \
    A step fails when they exceed a limit. The paper states neither tolerance nor limit: claims are judged with all of several, and are \
    undecided where the verdicts differ. The largest convergent step is the largest one whose equations are solved on the whole span, as in the \
    paper; it is searched with 24 steps per decade, so that ratios of largest steps have a resolution of 10 %. Such a step need not be accurate: \
    errors are the largest of any coordinate at the end of any step, relative to the range of motion, the largest displacement of a coordinate. \
    (The paper divides by the coordinate itself, six radians for an angle that moves by half of one.)";

/// What counts.
const JUDGEMENT: &str = "Claims are judged with the predictor of sec. 3.3, the accelerations of the state that explicit extrapolation leads to. \
    Additional checks have the predictor of liedae, the last accelerations; with it IMPL converges at steps whose errors exceed the motion, so \
    that these checks compare accurate steps.";

/// Why results differ from the paper's.
const CAUSES: &str = "Close to the solution an iteration of FV with its matrix \u{3a0} multiplies the error by I - \u{3a0}\u{207b}\u{b9} \u{3a8}', \
    \u{3a8}' the exact Jacobian (eq. 29), which differs from \u{3a0} by eq. 40. The spectral radius, the convergence factor, is large where a \
    stiff torque acts on a rotation that depends on Cartesian coordinates, as full pivoting chooses them in the double pendulum. At the paper's \
    largest step of FV for the double pendulum, 0.0089 s, it exceeds 1 with both parameter sets (last table), so that FV cannot converge there: \
    our constants are not the paper's.";

/// The whole report.
pub(super) fn page(results: &Results, claims: &[Claim], quick: bool) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Haug, Negrut, Iancu 1997, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce haug1997`, liedae {}: section 4 of E. J. Haug, D. Negrut, M. Iancu, A \
                 state-space-based implicit integration algorithm for differential-algebraic equations of multibody \
                 dynamics, doi:10.1080/08905459708905292.",
                env!("CARGO_PKG_VERSION")
            ),
            headline(claims),
            SETTINGS.to_owned(),
            COUNTS.to_owned(),
            JUDGEMENT.to_owned(),
            CAUSES.to_owned(),
        ],
        ..Page::of_this_build()
    };
    if quick {
        page.summary
            .push("A quick pass over one mechanism: not all claims are measured.".to_owned());
    }
    let section = |heading: &str, table: TextTable| Section {
        heading: heading.to_owned(),
        tables: vec![table],
        ..Section::default()
    };
    page.sections = vec![
        Section {
            heading: "Claims".to_owned(),
            tables: tables(claims),
            ..Section::default()
        },
        Section {
            figures: errors(results)?,
            ..section(
                "Table 5: largest convergent steps, and those with an error below 10 % of the range of motion",
                data::table5(results),
            )
        },
        Section {
            heading: "Section 4.1: IMPL and EXPL".to_owned(),
            tables: vec![data::explicit(results), norms::table(&results.norms)],
            ..Section::default()
        },
        Section {
            figures: iterations_over_time(results)?,
            ..section(
                "Figures 9 to 11: Newton iterations over time, solid IMPL, dashed FV",
                data::iterations(results),
            )
        },
        Section {
            figures: by_limit(&results.searches)?,
            ..section(
                "The limit of iterations and the tolerance, which the paper does not state",
                data::limits(&results.searches),
            )
        },
        section(
            "Convergence factor of FV along the motion",
            data::factors(results),
        ),
    ];
    Ok(page)
}

/// Errors over steps, both methods, on the mechanisms that are judged.
fn errors(results: &Results) -> Result<Vec<Figure>, CommandError> {
    let mut figures = Vec::new();
    for predictor in Predictor::BOTH {
        let of = results.searches.iter().filter(|search| {
            search.predictor == predictor && search.is_main() && search.mechanism.judged
        });
        let mut series = Vec::new();
        for (look, search) in of.enumerate() {
            // Markers of all 24 steps of a decade would hide the lines.
            let points = |sweep: &Sweep, every: usize| -> Vec<(f64, f64)> {
                let rungs = sweep.rungs();
                let kept = rungs.iter().enumerate();
                let kept =
                    kept.filter(|(index, _)| (rungs.len() - 1 - index).is_multiple_of(every));
                kept.map(|(_, rung)| (rung.step, rung.error)).collect()
            };
            let title = search.mechanism.title;
            for (name, sweep, style, every) in [
                ("IMPL", &search.exact, LineStyle::Plain, 1),
                ("FV", &search.quasi, LineStyle::Points, 4),
            ] {
                series.push(Series {
                    name: format!("{title}: {name}"),
                    points: points(sweep, every),
                    style,
                    look,
                });
            }
        }
        let steps = series.iter().flat_map(|series| &series.points);
        let steps: Vec<f64> = steps.map(|(step, _)| *step).collect();
        series.push(guide("10 % of the range of motion", &steps, ACCURATE));
        // Failed searches have no points.
        series.retain(|series| !series.points.is_empty());
        let chart = Chart {
            title: format!("Error over step, {}", predictor.words()),
            x: Axis::logarithmic("step / s"),
            y: Axis::logarithmic("largest error relative to the range of motion")
                .including(&[ACCURATE]),
            series,
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: format!(
                "Lines IMPL, markers FV; both end where a step fails with at most {JUDGED} iterations. Steps above the dashed line are not \
                 accurate."
            ),
        });
    }
    Ok(figures)
}

/// A horizontal line for orientation over these places.
fn guide(name: &str, places: &[f64], height: f64) -> Series {
    let ends = [f64::min, f64::max].map(|pick| places.iter().copied().reduce(pick));
    Series {
        name: name.to_owned(),
        points: ends.into_iter().flatten().map(|x| (x, height)).collect(),
        style: LineStyle::Dashed,
        look: 6,
    }
}

/// Figs. 9 to 11, at the paper's steps and, where these are not accurate, at steps that are.
fn iterations_over_time(results: &Results) -> Result<Vec<Figure>, CommandError> {
    let mut figures = Vec::new();
    for mechanism in MECHANISMS.iter().filter(|mechanism| mechanism.judged) {
        let same = |curves: &&Curves| curves.mechanism.title == mechanism.title;
        let published: Vec<&Curves> = results.judged_curves().filter(same).collect();
        if published.is_empty() {
            continue;
        }
        let accurate = |curves: &&Curves| curves.error.is_some_and(|error| error <= ACCURATE);
        figures.push(iteration_figure(&published, "the paper's step")?);
        if !published.iter().any(accurate) {
            let curves: Vec<&Curves> = results.accurate_curves.iter().filter(same).collect();
            let at = "the largest steps accurate with both methods";
            figures.push(iteration_figure(&curves, at)?);
        }
    }
    Ok(figures)
}

/// Solid IMPL, dashed FV, as in the paper.
fn iteration_figure(curves: &[&Curves], at: &str) -> Result<Figure, CommandError> {
    let mut series = Vec::new();
    let mut remarks = Vec::new();
    for (look, &curves) in curves.iter().enumerate() {
        let predictor = curves.predictor.words();
        if let Some(error) = curves.error {
            let judged = if error > ACCURATE {
                ", not accurate"
            } else {
                ""
            };
            let error = 100.0 * error;
            remarks.push(format!(
                "{predictor}: h = {:.2e} s, error {} % of the range of motion{judged}",
                curves.step,
                short(error)
            ));
        }
        for (name, curve, style) in [
            ("IMPL", &curves.exact, LineStyle::Steps),
            ("FV", &curves.quasi, LineStyle::StepsDashed),
        ] {
            let name = format!("{name}, {predictor}");
            if curve.mean.is_none() {
                remarks.push(format!(
                    "{name}: a step fails with more than {AMPLE} iterations"
                ));
            }
            // The height of a step holds from its start to its end.
            let starts = curve
                .iterations
                .iter()
                .map(|&(t, count)| (t - curves.step, count as f64));
            let end = curve.iterations.last().map(|&(t, count)| (t, count as f64));
            let points: Vec<(f64, f64)> = starts.chain(end).collect();
            if !points.is_empty() {
                series.push(Series {
                    name,
                    points,
                    style,
                    look,
                });
            }
        }
    }
    let mechanism = curves.first().map(|curves| curves.mechanism);
    let title = mechanism.map_or_else(String::new, |mechanism| {
        format!(
            "Fig. {}: {}, {at}",
            mechanism.model.figure(),
            mechanism.title
        )
    });
    let t_end = mechanism.map_or(0.0, |mechanism| mechanism.t_end);
    let chart = Chart {
        title,
        x: Axis::linear("t / s").including(&[0.0, t_end]),
        y: Axis::linear("Newton iterations of the step").including(&[0.0]),
        series,
    };
    Ok(Figure {
        svg: chart.svg()?,
        caption: format!("{}.", remarks.join("; ")),
    })
}

/// A chart over the limits of iterations.
struct Panel {
    title: &'static str,
    ratio: fn(&Search) -> Option<f64>,
    axis: fn() -> Axis,
    /// What the paper's conclusion needs.
    bound: f64,
    caption: &'static str,
}

/// What the limit of iterations, which the paper does not state, does to both ratios.
fn by_limit(searches: &[Search]) -> Result<Vec<Figure>, CommandError> {
    let panels = [
        Panel {
            title: "Largest convergent steps, IMPL / FV",
            axis: || Axis::logarithmic("ratio"),
            ratio: step_ratio,
            bound: 1.3,
            caption: "Predictor (liedae). The paper's conclusion needs 1.3 or more.",
        },
        Panel {
            title: "Newton iterations, IMPL / FV",
            axis: || Axis::linear("ratio").including(&[0.0]),
            ratio: iteration_ratio,
            bound: 0.5,
            caption: "Predictor (liedae), at the largest step that is accurate with both. The paper's conclusion needs 0.5 or less.",
        },
    ];
    let mut figures = Vec::new();
    for panel in panels {
        let mut series: Vec<Series> = Vec::new();
        for search in searches.iter().filter(|search| search.mechanism.judged) {
            let title = search.mechanism.title;
            let (Some(value), Predictor::Liedae, TOLERANCE) =
                ((panel.ratio)(search), search.predictor, search.tolerance)
            else {
                continue;
            };
            let point = (search.limit as f64, value);
            match series.iter_mut().find(|series| series.name == title) {
                Some(known) => known.points.push(point),
                None => series.push(Series {
                    name: title.to_owned(),
                    points: vec![point],
                    style: LineStyle::Marked,
                    look: series.len(),
                }),
            }
        }
        for one in &mut series {
            one.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        let limits: Vec<f64> = LIMITS.iter().map(|limit| *limit as f64).collect();
        series.push(guide("bound of the claim", &limits, panel.bound));
        let chart = Chart {
            title: panel.title.to_owned(),
            x: Axis::linear("iterations after which a step has failed"),
            y: (panel.axis)(),
            series,
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: panel.caption.to_owned(),
        });
    }
    Ok(figures)
}
