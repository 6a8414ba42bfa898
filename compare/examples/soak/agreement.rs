//! Random parameters of all problems: methods agree to the tolerance, as far as `run --check` says that they can.

use crate::case::Verdict;
use crate::command::{quoted, run};
use crate::command_lines::value;
use crate::random::Random;
use liedae_problems::ProblemRegistry;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

const KIND: &str = "problem";

/// Methods whose order makes a tight tolerance affordable.
const METHODS: [&str; 9] = [
    "hem5",
    "phem56",
    "dopri5",
    "mdop5",
    "dop853",
    "extrapolation",
    "radau5",
    "bdf",
    "bdf-lie",
];

const TOLERANCE: f64 = 1e-8;

/// Ends of two methods may differ by so many tolerances, times what changes are amplified by: global errors of a hundred
/// tolerances are usual, those of accelerations are larger, and the check sees the amplification from the start to the end, not the
/// largest on the way.
const BOUND: f64 = 3000.0;

/// Contacts strike at the same moment, and which of them is first is round-off: a method that leaves gaps of 1e-9 m takes impacts one
/// after the other that others take together. Both are right, and their ends differ.
const UNDECIDED: [&str; 1] = ["shaker-stack"];

/// What methods say themselves that their ends move by with a tenth of the tolerance, times this, is no surprise.
const SAID: f64 = 10.0;

/// A run whose check says that its end moves by more than this part of its size has said that it may be anywhere: where a body
/// passes a surface more closely than its motion is known, one tolerance strikes it and the next does not.
const UNKNOWN: f64 = 1e-2;

/// A run that takes longer is given up; it is none of the questions here.
const LIMIT: Duration = Duration::from_secs(60);

/// One end.
struct End {
    method: &'static str,
    report: Value,
}

impl End {
    fn number(&self, path: &str) -> Option<f64> {
        self.report.pointer(path).and_then(Value::as_f64)
    }

    /// Whether an event lies so near to the end that this relative uncertainty of the motion may carry it across.
    fn has_event_near(&self, share: f64) -> bool {
        let end = self.number("/options/t_end").unwrap_or_default();
        let events = self.report["events"].as_array();
        let mut times = events
            .into_iter()
            .flatten()
            .filter_map(|event| event["t"].as_f64());
        times.any(|t| end - t <= share * end)
    }

    fn of_output(&self, table: &str, name: &str) -> Option<f64> {
        self.report.pointer(table)?.get(name)?.as_f64()
    }
}

/// One problem with random parameters, and three methods.
pub fn check(liedae: &PathBuf, random: &mut Random) -> Verdict {
    let problems = ProblemRegistry::standard();
    let entries = problems.entries();
    let entry = &entries[random.below(entries.len())];
    let mut line = vec!["run".to_owned(), entry.name.to_owned()];
    let mut settings: Vec<String> = Vec::new();
    for info in entry.parameters {
        if random.chance(0.5) {
            settings.push(format!("{}={}", info.name, value(random, info, 0.0)));
        }
    }
    let built: Vec<&str> = settings.iter().map(String::as_str).collect();
    let t_end = match entry.build_with(&built) {
        Ok(problem) => {
            let start = problem.system.initial_state().t;
            start + (problem.t_end - start) * random.between(0.1, 1.0)
        }
        // Parameters may contradict each other.
        Err(_) => return Verdict::fine(KIND, "parameters refused"),
    };
    for setting in settings {
        line.extend(["--set".to_owned(), setting]);
    }
    line.extend(["--t-end".to_owned(), t_end.to_string()]);
    line.extend(
        [
            "--rtol",
            "1e-8",
            "--max-steps",
            "20000",
            "--check",
            "--json",
        ]
        .map(str::to_owned),
    );
    let first = random.below(METHODS.len());
    let mut ends: Vec<End> = Vec::new();
    let mut words = Vec::new();
    for index in 0..3 {
        let method = METHODS[(first + index * 4) % METHODS.len()];
        let mut arguments = line.clone();
        arguments.extend(["--method".to_owned(), method.to_owned()]);
        let shown = quoted(&arguments);
        let ended = match run(liedae, &arguments, LIMIT) {
            Ok(ended) => ended,
            Err(error) => return Verdict::finding(KIND, format!("liedae {shown}: {error}")),
        };
        if ended.stderr.contains("panicked") {
            return Verdict::finding(KIND, format!("liedae {shown}: {}", ended.stderr));
        }
        let Some(status) = ended.status else {
            words.push(format!("{method}: longer than {} s", LIMIT.as_secs()));
            continue;
        };
        let Ok(report) = serde_json::from_str::<Value>(&ended.stdout) else {
            return Verdict::finding(KIND, format!("liedae {shown}: no JSON: {}", ended.stdout));
        };
        if status.code() != Some(0) {
            words.push(format!("{method}: {}", report["reason"]));
            if report["reason"].as_str().is_none_or(str::is_empty) {
                return Verdict::finding(KIND, format!("liedae {shown}: no reason: {report}"));
            }
            continue;
        }
        ends.push(End { method, report });
    }
    let end = format!("{} of 3 methods reached the end", ends.len());
    if UNDECIDED.contains(&entry.name) {
        return Verdict::fine(KIND, end);
    }
    let shown = quoted(&line);
    for (index, first) in ends.iter().enumerate() {
        for second in &ends[index + 1..] {
            if let Some(what) = disagreement(first, second) {
                let methods = format!("{} and {}", first.method, second.method);
                return Verdict::finding(
                    KIND,
                    format!("liedae {shown} --method {methods}: {what}"),
                );
            }
        }
    }
    Verdict::fine(KIND, end).because(format!("liedae {shown}\n{}", words.join("\n")))
}

/// Forces of contacts and joints, which jump where contacts close: the end of accumulating impacts is such a moment.
fn is_force(name: &str) -> bool {
    [".force", ".friction", ".normal"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// In which output two ends differ by more than can be expected, if in any.
fn disagreement(first: &End, second: &End) -> Option<String> {
    if first.report["reason"] != second.report["reason"] {
        return Some(format!(
            "one ends by {}, the other by {}",
            first.report["reason"], second.report["reason"]
        ));
    }
    let both = [first, second];
    let largest = |path: &str| {
        both.iter()
            .filter_map(|end| end.number(path))
            .fold(0.0, f64::max)
    };
    let amplification = largest("/check/perturbed/amplification").max(1.0);
    let said = largest("/check/refined/end_change");
    // A run that could not be checked has said that it is not known.
    let known = |end: &&End| {
        let change = end.number("/check/refined/end_change");
        change.is_some_and(|change| change < UNKNOWN)
    };
    if !both.iter().all(known) {
        return None;
    }
    let scale = largest("/options/atol") / TOLERANCE;
    let share = BOUND * TOLERANCE * amplification + SAID * said;
    let outputs = first.report["outputs"].as_object()?;
    let jumps = both.iter().any(|end| end.has_event_near(share));
    for name in outputs.keys() {
        if jumps && is_force(name) {
            continue;
        }
        let values = both.map(|end| end.of_output("/outputs", name));
        let [Some(a), Some(b)] = values else {
            return Some(format!("{name} is no number: {values:?}"));
        };
        let sizes = both
            .iter()
            .filter_map(|end| end.of_output("/check/refined/sizes", name));
        let size = sizes.fold(0.0, f64::max);
        let (difference, bound) = ((a - b).abs(), share * (scale + size));
        if difference > bound || difference.is_nan() {
            return Some(format!(
                "{name} = {a:e} and {b:e}, {difference:.1e} apart; {bound:.1e} can be expected (amplification \
                 {amplification:.1e}, ends said to move by {said:.1e})"
            ));
        }
    }
    None
}
