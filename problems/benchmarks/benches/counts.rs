//! Instructions of one solution, counted by valgrind: no load of the machine changes them.
//!
//! `cargo bench -p liedae-problems --bench counts` prints a table of all rows; arguments after `--` choose rows by parts of their
//! names. Beside the instructions stand steps and error: a faster wrong run is no gain. `--before FILE` takes an earlier table
//! and adds the ratio. `--profile FOLDER` leaves files for callgrind_annotate. Without valgrind the rest of the table is printed.
//!
//! Where all steps are of one size, a second run of the first steps alone takes off what is done once. Counts depend on compiler and
//! processor (libraries choose their code by what it has): compare those of one machine only.

mod rows;

use rows::{Row, find, rows};
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // Cargo says `--bench` itself.
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut chosen, mut before, mut profile) = (Vec::new(), HashMap::new(), None);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            let missing = || format!("{argument} needs a value");
            arguments.next().ok_or_else(missing)
        };
        match argument.as_str() {
            "--solve" => return solved(&find(&value()?)?),
            "--start" => return started(&find(&value()?)?),
            "--list" => {
                for row in rows() {
                    println!("{}", row.name);
                }
                return Ok(());
            }
            "--before" => before = read(Path::new(&value()?))?,
            "--profile" => profile = Some(PathBuf::from(value()?)),
            unknown if unknown.starts_with('-') => {
                return Err(format!(
                    "there is no option {unknown}; see the first lines of benches/counts.rs"
                )
                .into());
            }
            _ => chosen.push(argument),
        }
    }
    let mut all = rows();
    all.retain(|row| chosen.is_empty() || chosen.iter().any(|part| row.name.contains(part)));
    if all.is_empty() {
        return Err("no row has such a name; --list prints them".into());
    }
    table(&all, &before, profile.as_deref())
}

const COLUMNS: [&str; 11] = [
    "row",
    "steps",
    "rejected",
    "forces",
    "factored",
    "solves",
    "iterations",
    "error",
    "main output",
    "instructions",
    "per step",
];

fn table(rows: &[Row], before: &HashMap<String, u64>, profile: Option<&Path>) -> Outcome<()> {
    let widths = [32, 7, 9, 8, 9, 8, 11, 10, 20, 14, 10];
    let line = |cells: &[String]| {
        let mut line = String::new();
        for ((cell, width), column) in cells.iter().zip(widths).zip(0..) {
            line += &match column {
                0 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            };
        }
        line
    };
    let head = COLUMNS.map(str::to_owned);
    println!(
        "{}{}",
        line(&head),
        if before.is_empty() { "" } else { "   ratio" }
    );
    for row in rows {
        let answer = row.prepare()?.answer()?;
        let statistics = answer.solution.statistics;
        let whole = instructions("--solve", &row.name, profile)?;
        // A run of the first steps alone, where there is one.
        let start = match row.prepare()?.solve_start()? {
            Some(solution) => {
                instructions("--start", &row.name, None)?.map(|n| (n, solution.statistics.accepted))
            }
            None => Some((0, 0)),
        };
        let counted = whole.zip(start).map(|(whole, (once, steps))| {
            (whole.saturating_sub(once), statistics.accepted - steps)
        });
        let cells = [
            row.name.clone(),
            statistics.accepted.to_string(),
            statistics.rejected.total().to_string(),
            statistics.evaluations.force.to_string(),
            statistics.work.factorizations.to_string(),
            statistics.work.solves.to_string(),
            statistics.work.newton_iterations.to_string(),
            format!("{:.2e}", answer.error),
            format!("{:.10e}", answer.main_output),
            counted.map_or("-".to_owned(), |(all, _)| all.to_string()),
            counted.map_or("-".to_owned(), |(all, steps)| {
                (all / steps.max(1) as u64).to_string()
            }),
        ];
        let ratio = before
            .get(&row.name)
            .zip(counted)
            .map(|(&before, (now, _))| format!("{:8.3}", now as f64 / before as f64));
        println!("{}{}", line(&cells), ratio.unwrap_or_default());
    }
    Ok(())
}

/// Instructions by name of the row, from a table that this program has printed.
fn read(file: &Path) -> Outcome<HashMap<String, u64>> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut counts = HashMap::new();
    for line in text.lines() {
        // The main output is one word, so that cells are words.
        let cells: Vec<&str> = line.split_whitespace().collect();
        if let (Some(name), Some(Ok(count))) =
            (cells.first(), cells.get(9).map(|cell| cell.parse()))
        {
            counts.insert((*name).to_owned(), count);
        }
    }
    if counts.is_empty() {
        return Err(format!("{}: no row of a table of instructions", file.display()).into());
    }
    Ok(counts)
}

/// Runs this program under valgrind, which counts in [`counted`] alone; `None` where there is no valgrind.
fn instructions(part: &str, name: &str, profile: Option<&Path>) -> Outcome<Option<u64>> {
    let file = profile.map_or(PathBuf::from("/dev/null"), |folder| {
        folder.join(format!("callgrind.{name}"))
    });
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--toggle-collect=counts::counted*"]);
    command.arg(format!("--callgrind-out-file={}", file.display()));
    command.arg(std::env::current_exe()?).args([part, name]);
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        output => output?,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    match collected.and_then(|(_, count)| count.trim().parse::<u64>().ok()) {
        Some(count) if count > 0 && output.status.success() => Ok(Some(count)),
        _ => Err(format!("{name}: valgrind counted nothing: {said}").into()),
    }
}

/// What valgrind counts: named by `--toggle-collect`, therefore never inlined.
#[inline(never)]
fn counted<T>(run: impl FnOnce() -> T) -> T {
    std::hint::black_box(run())
}

fn solved(row: &Row) -> Outcome<()> {
    let mut case = row.prepare()?;
    counted(|| case.solve().map(drop))
}

fn started(row: &Row) -> Outcome<()> {
    let mut case = row.prepare()?;
    counted(|| case.solve_start().map(drop))
}
