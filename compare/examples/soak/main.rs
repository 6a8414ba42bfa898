//! A soak test: random command lines, random parameters of all problems, random mechanisms and mechanism files, for as long
//! as is asked for.
//!
//! ```text
//! cargo run --release -p liedae-compare --example soak -- --minutes 60 --seed 1
//! ```
//!
//! Every case has a number, and depends on it and the seed only. Findings are printed with the command that repeats them. Exit
//! code 1 if there is one, 2 if the test cannot begin.

mod agreement;
mod case;
mod command;
mod command_lines;
mod mechanisms;
mod passive;
mod random;

use case::Verdict;
use clap::Parser;
use random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A case that takes longer has no end.
const LIMIT: Duration = Duration::from_secs(600);

/// Random command lines, problems and mechanisms.
#[derive(Parser)]
struct Arguments {
    /// For how long cases are begun.
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// What all random numbers come from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// This case alone.
    #[arg(long)]
    case: Option<u64>,
    /// Random mechanism files to which nothing adds energy, and nothing else.
    #[arg(long)]
    passive: bool,
    /// So many cases, however long they take.
    #[arg(long)]
    cases: Option<u64>,
    /// From this case on.
    #[arg(long, default_value_t = 0)]
    from: u64,
}

/// One case. Command lines are cheap, problems take three methods with three runs each.
fn judge(liedae: &PathBuf, folder: &Path, seed: u64, case: u64, passive: bool) -> Verdict {
    let make = || Random::of_case(seed, case);
    match case % 10 {
        _ if passive => passive::check(liedae, &mut make(), folder),
        0..=3 => command_lines::check(liedae, &mut make(), folder),
        4 | 5 => agreement::check(liedae, &mut make()),
        6 | 7 => passive::check(liedae, &mut make(), folder),
        _ => mechanisms::check(make),
    }
}

/// One case in a thread of its own: neither a panic nor a hang of the library ends the test.
fn judge_safely(liedae: &Path, folder: &Path, seed: u64, case: u64, passive: bool) -> Verdict {
    let (liedae, folder) = (liedae.to_owned(), folder.to_owned());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // Nobody listens any more if it took too long.
        let _ = sender.send(judge(&liedae, &folder, seed, case, passive));
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(verdict) => verdict,
        Err(RecvTimeoutError::Timeout) => {
            Verdict::finding("any", format!("no end within {} s", LIMIT.as_secs()))
        }
        Err(RecvTimeoutError::Disconnected) => Verdict::finding("any", "a panic, see above"),
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let prepared = command::build().and_then(|liedae| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok((liedae, folder))
    });
    let (liedae, folder) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => {
            eprintln!("soak: {error}");
            return ExitCode::from(2);
        }
    };
    let seed = arguments.seed;
    println!("seed {seed}");
    let (start, limit) = (
        Instant::now(),
        Duration::from_secs_f64(60.0 * arguments.minutes.clamp(0.0, 1e6)),
    );
    let mut counts: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    let mut findings = Vec::new();
    let mut case = arguments.case.unwrap_or(arguments.from);
    let first = case;
    loop {
        let verdict = judge_safely(&liedae, folder.path(), seed, case, arguments.passive);
        if arguments.case.is_some() {
            println!(
                "case {case}: {}: {}\n{}",
                verdict.kind, verdict.end, verdict.detail
            );
        }
        *counts.entry((verdict.kind, verdict.end)).or_default() += 1;
        if let Some(what) = verdict.finding {
            let finding = format!(
                "{what}\n    cargo run --release -p liedae-compare --example soak -- --seed {seed} --case {case}{}",
                if arguments.passive { " --passive" } else { "" }
            );
            println!("FINDING in case {case}: {finding}");
            findings.push(finding);
        }
        case += 1;
        let over = match arguments.cases {
            Some(cases) => case - first >= cases,
            None => start.elapsed() >= limit,
        };
        if arguments.case.is_some() || over {
            break;
        }
    }
    println!(
        "\n{} cases from {first} on in {:.1} min",
        case - first,
        start.elapsed().as_secs_f64() / 60.0
    );
    for ((kind, end), count) in &counts {
        println!("{count:7}  {kind}: {end}");
    }
    println!("{} findings", findings.len());
    for finding in &findings {
        println!("  {finding}");
    }
    ExitCode::from(u8::from(!findings.is_empty()))
}
