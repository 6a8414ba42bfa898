//! `liedae analyse`: analysis of a mechanism before integration.

use super::deliver;
use crate::cli::AnalyseArgs;
use crate::error::{CommandError, Status};
use crate::experiment::analysis::{AnalysisRequest, Questions};
use crate::experiment::answers::{
    About, AnalysisReport, Answer, EquilibriumAnswer, InverseAnswer, MobilityAnswer, ModesAnswer,
    MomentumAnswer,
};
use crate::output::{WIDTH, columns, number, wrapped};
use crate::registry::Registry;
use liedae::analysis::Assembly;

/// Lines of a list that people read to the end; all of them are in the JSON object.
const MOST_LINES: usize = 24;

/// More times than anybody looks at.
const MOST_SAMPLES: usize = 100_000;

/// Parts of a mode in words.
const MOST_PARTS: usize = 3;

/// Answers and prints.
pub fn analyse(
    registry: &Registry,
    arguments: &AnalyseArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let case = registry.case(
        &arguments.problem.problem,
        &arguments.problem.settings,
        arguments.problem.t_end,
    )?;
    if !(2..=MOST_SAMPLES).contains(&arguments.samples) {
        return Err(CommandError::Value {
            option: "--samples",
            value: arguments.samples.to_string(),
            expected: format!("2 to {MOST_SAMPLES} times, the start and the end among them"),
        });
    }
    let turning = match arguments.turning.as_deref() {
        None => None,
        Some(&[x, y, z]) if [x, y, z].iter().all(|rate| rate.is_finite()) => Some([x, y, z]),
        Some(rates) => {
            let words: Vec<String> = rates.iter().map(f64::to_string).collect();
            return Err(CommandError::Value {
                option: "--turning",
                value: words.join(","),
                expected: "three finite angular velocities X,Y,Z in rad/s".to_owned(),
            });
        }
    };
    let asked = Questions {
        assembly: arguments.assembly,
        redundancy: arguments.redundancy,
        equilibrium: arguments.equilibrium,
        modes: arguments.modes || turning.is_some(),
        inverse: arguments.inverse,
        momentum: arguments.momentum,
    };
    let mut request = AnalysisRequest {
        case,
        questions: if asked == Questions::default() {
            Questions::ALL
        } else {
            asked
        },
        turning,
        samples: arguments.samples,
    };
    let report = request.answer();
    let title = request.case.label();
    deliver(&report, as_json, || text(&title, &report))?;
    Ok(report.status)
}

fn text(title: &str, report: &AnalysisReport) -> String {
    let mut text = format!("{title} at t = {} s\n", number(report.t));
    section(&mut text, "assembly", &report.assembly, assembly);
    section(&mut text, "redundancy", &report.redundancy, redundancy);
    section(&mut text, "equilibrium", &report.equilibrium, equilibrium);
    section(&mut text, "modes", &report.modes, modes);
    section(&mut text, "inverse", &report.inverse, inverse);
    section(&mut text, "momentum", &report.momentum, momentum);
    text
}

/// The answer behind its name, or why there is none.
fn section<T>(
    text: &mut String,
    name: &str,
    answer: &Option<Answer<T>>,
    words: impl FnOnce(&T) -> String,
) {
    match answer {
        None => {}
        Some(Answer::Done(answer)) => {
            text.push_str(&format!("\n{name}\n"));
            text.push_str(&words(answer));
        }
        Some(Answer::Failed(refused)) => {
            text.push_str(&format!("\n{name}: no answer ({})\n", refused.kind));
            text.push_str(&wrapped([("", refused.reason.clone())], WIDTH));
        }
    }
}

fn lines(all: impl ExactSizeIterator<Item = String>) -> String {
    let count = all.len();
    let mut text: String = all.take(MOST_LINES).collect();
    if count > MOST_LINES {
        let more = count - MOST_LINES;
        text.push_str(&format!("  and {more} more, see --json\n"));
    }
    text
}

fn assembly(found: &Assembly) -> String {
    format!(
        "  closed after {} iterations; largest violation {:.1e} before, {:.1e} after\n",
        found.iterations, found.before, found.after
    )
}

fn redundancy(found: &MobilityAnswer) -> String {
    let mut text = format!(
        "  {} degrees of freedom: {} velocities, {} rows, {} of them independent\n",
        found.freedom, found.velocities, found.rows, found.rank
    );
    if found.singular {
        text.push_str("  singular: rows are independent nearby that depend on each other here\n");
    }
    text + &lines(found.redundant.iter().map(|redundant| {
        let from: Vec<String> = redundant
            .follows_from
            .iter()
            .map(|term| format!("{} · {}", number(term.factor), term.row))
            .collect();
        let from = if from.is_empty() {
            "nothing: its gradient vanishes".to_owned()
        } else {
            from.join(" + ")
        };
        wrapped(
            [
                ("  redundant", redundant.row.to_string()),
                ("  follows from", from),
            ],
            WIDTH,
        )
    }))
}

fn equilibrium(found: &EquilibriumAnswer) -> String {
    let stable = match found.stable {
        Some(true) => "stable",
        Some(false) => "unstable",
        None => "its stability is not known",
    };
    let mut text = format!(
        "  {stable}; {} iterations, {:.1e} left of the forces\n",
        found.iterations, found.unbalanced
    );
    if let Some(energy) = found.energy {
        text.push_str(&format!("  energy {} J\n", number(energy)));
    }
    text + &lines(
        found
            .outputs
            .0
            .iter()
            .map(|(name, value)| format!("  {name} = {}\n", number(*value))),
    )
}

fn modes(found: &ModesAnswer) -> String {
    let about = match found.about {
        About::Start => "the start",
        About::Turning => "the start, in the turning frame",
        About::Equilibrium => "the equilibrium",
    };
    let stable = if found.stable { "stable" } else { "unstable" };
    let mut text = format!(
        "  about {about}: {stable}, {} degrees of freedom\n",
        found.freedom
    );
    if found.modes.is_empty() {
        return text;
    }
    let rows: Vec<Vec<String>> = found
        .modes
        .iter()
        .take(MOST_LINES)
        .map(|mode| {
            let parts = mode.shape.iter().take(MOST_PARTS).map(|part| {
                let name = part.velocity.label.clone();
                let name = name.unwrap_or_else(|| part.velocity.to_string());
                if part.im == 0.0 {
                    format!("{} {name}", number(part.re))
                } else {
                    format!("({}{:+.3}i) {name}", number(part.re), part.im)
                }
            });
            vec![
                format!("  {}", parts.collect::<Vec<_>>().join(", ")),
                number(mode.hertz),
                number(mode.re),
                number(mode.im),
                number(mode.damping_ratio),
            ]
        })
        .collect();
    text.push_str(&columns(
        &["  moves", "Hz", "re 1/s", "im rad/s", "damping"],
        &rows,
    ));
    if found.modes.len() > MOST_LINES {
        let more = found.modes.len() - MOST_LINES;
        text.push_str(&format!("  and {more} more, see --json\n"));
    }
    text
}

fn inverse(found: &InverseAnswer) -> String {
    let mut text = "  drives prescribe the whole motion\n".to_owned();
    for drive in &found.drives {
        text.push_str(&format!("  {}\n", drive.row));
        let rows: Vec<Vec<String>> = found
            .t
            .iter()
            .zip(drive.effort.iter().zip(&drive.power))
            .map(|(&t, (&effort, &power))| {
                vec![format!("    {}", number(t)), number(effort), number(power)]
            })
            .collect();
        text.push_str(&columns(&["    t s", "effort N or N m", "power W"], &rows));
    }
    text
}

fn momentum(found: &MomentumAnswer) -> String {
    let mut text = String::new();
    if let Some(energy) = found.energy {
        text.push_str(&format!("  energy {} J\n", number(energy)));
    }
    if let Some(momentum) = found.momentum {
        let three = |parts: [f64; 3]| parts.map(number).join(", ");
        text.push_str(&format!(
            "  momentum ({}) N s\n  angular momentum about the origin ({}) N m s\n",
            three(momentum.linear),
            three(momentum.angular)
        ));
    }
    text
}
