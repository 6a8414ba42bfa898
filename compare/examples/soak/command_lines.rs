//! Random command lines: they end in time, without a panic, with a documented exit code, and with a word about what went wrong.

use crate::case::Verdict;
use crate::command::{Ended, quoted, run};
use crate::random::Random;
use liedae::control::controllers;

use liedae_problems::{ParameterInfo, ProblemEntry, ProblemRegistry, Range};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const KIND: &str = "command line";

/// Command lines are made to ask for little; none should come near this.
const LIMIT: Duration = Duration::from_secs(120);

/// What somebody might type in place of a number.
const NUMBERS: [&str; 22] = [
    "0", "-1", "1", "0.5", "1e-2", "1e-3", "1e-6", "1e-9", "1e-12", "1e-16", "1e-300", "1e300",
    "nan", "inf", "-inf", "-0", "", "abc", "1,2", "0x10", "1e", "３",
];

/// One command line.
pub fn check(liedae: &PathBuf, random: &mut Random, folder: &Path) -> Verdict {
    let arguments = command_line(random, folder);
    let shown = quoted(&arguments);
    match run(liedae, &arguments, LIMIT) {
        Ok(ended) => match judge(&arguments, &ended) {
            Ok(end) => {
                Verdict::fine(KIND, end).because(format!("liedae {shown}\n{}", ended.stderr))
            }
            Err(what) => Verdict::finding(KIND, format!("liedae {shown}: {what}")),
        },
        Err(error) => Verdict::finding(KIND, format!("liedae {shown}: {error}")),
    }
}

fn judge(arguments: &[String], ended: &Ended) -> Result<String, String> {
    let Some(status) = ended.status else {
        return Err(format!("no end within {} s", LIMIT.as_secs()));
    };
    if ended.stderr.contains("panicked") {
        return Err(format!("a panic: {}", ended.stderr));
    }
    let code = status.code().ok_or_else(|| format!("killed: {status}"))?;
    if !(0..=2).contains(&code) {
        return Err(format!("exit code {code}: {}", ended.stderr));
    }
    let json = arguments.iter().any(|argument| argument == "--json");
    // Help is text, whatever else is asked for.
    let help = code == 0 && arguments.iter().any(|argument| argument == "--help");
    if json && !help {
        let value: Value = serde_json::from_str(&ended.stdout)
            .map_err(|error| format!("exit code {code}, no JSON ({error}): {}", ended.stdout))?;
        if code != 0 && arguments[0] == "run" {
            let reason = value["reason"].as_str().unwrap_or_default();
            if reason.is_empty() {
                return Err(format!("exit code {code} without a reason: {value}"));
            }
        }
    } else if code != 0 && ended.stderr.trim().is_empty() && ended.stdout.trim().is_empty() {
        return Err(format!("exit code {code} without a word"));
    }
    Ok(format!("exit code {code}"))
}

fn number(random: &mut Random, sensible: &[&str]) -> String {
    if random.chance(0.7) {
        random.one_of(sensible).to_owned()
    } else {
        random.one_of(&NUMBERS).to_owned()
    }
}

/// A name of a list, seldom a wrong one.
fn name(random: &mut Random, known: &[&'static str]) -> String {
    if random.chance(0.05) {
        random
            .one_of(&["", "nope", "hem", "pendulun", "--", "all", "a,b", "ä"])
            .to_owned()
    } else {
        random.one_of(known).to_owned()
    }
}

/// A value for a parameter, within its range or not. Sizes stay small.
pub fn value(random: &mut Random, info: &ParameterInfo, wild: f64) -> String {
    if random.chance(wild) {
        return random.one_of(&NUMBERS).to_owned();
    }
    match info.range {
        Range::Integer(low, high) => {
            let high = high
                .min(low.saturating_add(8))
                .min(low.max(info.default as u32 + 2));
            let count = (high - low) as usize + 1;
            (low + random.below(count) as u32).to_string()
        }
        Range::Choice(names) => random.below(names.len()).to_string(),
        Range::Between(low, high) => {
            let value = info.default * random.factor(2.0);
            let value = value.clamp(low, high);
            // A coefficient of zero has no factor.
            if info.default == 0.0 && random.chance(0.5) {
                random.between(low, high).to_string()
            } else {
                value.to_string()
            }
        }
        Range::Finite | Range::Positive | Range::NonNegative => {
            (info.default * random.factor(2.0)).to_string()
        }
    }
}

fn command_line(random: &mut Random, folder: &Path) -> Vec<String> {
    let problems = ProblemRegistry::standard();
    let entries = problems.entries();
    let entry = &entries[random.below(entries.len())];
    let names: Vec<&'static str> = entries.iter().map(|entry| entry.name).collect();
    let problem = if random.chance(0.95) {
        entry.name.to_owned()
    } else {
        name(random, &names)
    };
    let mut line = match random.below(20) {
        0 => vec![
            "list".to_owned(),
            name(random, &["problems", "methods", "sets", "controllers"]),
        ],
        1 | 2 => {
            let mut line = vec!["describe".to_owned(), problem];
            settings(random, entry, &mut line);
            line
        }
        3 => converge(random, entry, problem),
        4 => compare(random, problem, folder),
        _ => run_line(random, entry, problem),
    };
    if random.chance(0.4) {
        line.push("--json".to_owned());
    }
    if random.chance(0.02) {
        let place = random.below(line.len() + 1);
        line.insert(
            place,
            name(random, &["--help", "--quick", "-x", "--json", "--set"]),
        );
    }
    line
}

/// Parameters behind the problem's name, which stands first or second in the line, or by `--set`.
fn settings(random: &mut Random, entry: &ProblemEntry, line: &mut Vec<String>) {
    for info in entry.parameters {
        if random.chance(0.1)
            && let Some(problem) = line.get_mut(1)
        {
            problem.push_str(&format!(":{}={}", info.name, value(random, info, 0.15)));
        }
        if random.chance(0.3) {
            let key = if random.chance(0.03) {
                "nope"
            } else {
                info.name
            };
            let separator = if random.chance(0.02) { " " } else { "=" };
            line.push("--set".to_owned());
            line.push(format!("{key}{separator}{}", value(random, info, 0.15)));
        }
    }
}

fn method(random: &mut Random) -> String {
    let names: Vec<&'static str> = liedae_contact::methods()
        .into_iter()
        .map(|entry| entry.method.name)
        .collect();
    let mut text = name(random, &names);
    if random.chance(0.1) {
        let forms = ["1", "2", "3", "stabilized", "baumgarte", "4", ""];
        text.push(':');
        text.push_str(random.one_of(&forms));
    }
    while random.chance(0.2) {
        text.push_str(&format!(":{}", setting(random)));
    }
    text
}

/// An option as it follows a method's name.
fn setting(random: &mut Random) -> String {
    let (names, values): (&[&'static str], &[&str]) = match random.below(6) {
        0 => (&["projection"], &["every", "constraints", "never", "1e-6"]),
        1 => (&["index", "baumgarte"], &["1", "3", "stabilized", "20"]),
        2 => (
            &["coordinates", "predictor", "convergence"],
            &["null-space", "tangent-plane", "extrapolation", "residual"],
        ),
        3 => (&["controller"], &["pi", "pid", "h211b", "elementary"]),
        4 => (
            &["newton-iterations", "order", "steps", "rows"],
            &["1", "2", "3", "4"],
        ),
        _ => (
            &[
                "newton-tol",
                "rho",
                "hht",
                "beta",
                "gamma",
                "theta",
                "safety",
                "shrink",
                "grow",
            ],
            &["0.9", "0.5", "0.25", "1e-3", "-0.2", "5"],
        ),
    };
    let name = name(random, names);
    format!("{name}={}", number(random, values))
}

fn method_options(random: &mut Random, line: &mut Vec<String>) {
    let mut option = |name: &str, probability: f64, sensible: &[&str]| {
        if random.chance(probability) {
            line.push(name.to_owned());
            line.push(number(random, sensible));
        }
    };
    option(
        "--projection",
        0.1,
        &["every", "constraints", "never", "1e-6"],
    );
    option("--index", 0.1, &["1", "2", "3", "stabilized", "baumgarte"]);
    option("--newton-tol", 0.1, &["1e-6", "1e-8", "1e-10"]);
}

/// What all runs have so that they end soon.
fn few_steps(random: &mut Random, line: &mut Vec<String>) {
    line.push("--max-steps".to_owned());
    line.push(
        random
            .one_of(&["1", "10", "100", "1000", "3000"])
            .to_owned(),
    );
}

fn span(random: &mut Random, entry: &ProblemEntry, line: &mut Vec<String>) {
    if random.chance(0.5) {
        let end = (entry.build_with(&[])).map_or(1.0, |problem| problem.t_end);
        line.push("--t-end".to_owned());
        line.push(if random.chance(0.8) {
            (end * random.unit()).to_string()
        } else {
            random.one_of(&NUMBERS).to_owned()
        });
    }
}

fn run_line(random: &mut Random, entry: &ProblemEntry, problem: String) -> Vec<String> {
    let mut line = vec![
        "run".to_owned(),
        problem,
        "--method".to_owned(),
        method(random),
    ];
    settings(random, entry, &mut line);
    span(random, entry, &mut line);
    few_steps(random, &mut line);
    method_options(random, &mut line);
    let mut option = |name: &str, probability: f64, sensible: &[&str]| {
        if random.chance(probability) {
            line.push(name.to_owned());
            line.push(number(random, sensible));
        }
    };
    option("--rtol", 0.4, &["1e-3", "1e-6", "1e-9", "1e-12"]);
    option("--atol", 0.2, &["1e-3", "1e-6", "1e-9", "1e-12"]);
    option("--step", 0.15, &["1e-2", "1e-3", "1e-4"]);
    option("--samples", 0.2, &["1", "2", "10", "100"]);
    let names: Vec<&'static str> = controllers().iter().map(|entry| entry.name).collect();
    if random.chance(0.15) {
        line.push("--controller".to_owned());
        line.push(name(random, &names));
    }
    if random.chance(0.2) {
        line.push("--check".to_owned());
    }
    line
}

fn converge(random: &mut Random, entry: &ProblemEntry, problem: String) -> Vec<String> {
    let steps = random.one_of(&["1e-2,5e-3", "1e-2", "1e-3,nan", "0", "1e-1,1e-2,1e-3"]);
    let mut line = vec![
        "converge".to_owned(),
        problem,
        "--method".to_owned(),
        method(random),
        "--steps".to_owned(),
        steps.to_owned(),
    ];
    settings(random, entry, &mut line);
    span(random, entry, &mut line);
    few_steps(random, &mut line);
    method_options(random, &mut line);
    line
}

fn compare(random: &mut Random, problem: String, folder: &Path) -> Vec<String> {
    let mut line = vec![
        "compare".to_owned(),
        problem,
        "--methods".to_owned(),
        format!("{},{}", method(random), method(random)),
        "--tols".to_owned(),
        number(random, &["1e-3", "1e-3,1e-5"]),
        "--time-limit".to_owned(),
        number(random, &["0.1", "0.5"]),
        "--out".to_owned(),
        folder.display().to_string(),
    ];
    few_steps(random, &mut line);
    method_options(random, &mut line);
    if random.chance(0.5) {
        line.push("--adaptive".to_owned());
    }
    line
}
