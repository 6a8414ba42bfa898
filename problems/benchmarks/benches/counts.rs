//! Instructions of one solution, counted by valgrind: no load of the machine changes them.
//!
//! `cargo bench -p liedae-problems --bench counts` prints a table of all rows; arguments after `--` choose rows by parts of their
//! names. Beside the instructions stand steps and error: a faster wrong run is no gain. `--before FILE` takes an earlier table
//! and adds the ratio. `--profile FOLDER` leaves files for callgrind_annotate. Without valgrind the rest of the table is printed.
//! `--cache-sim` adds the lines of 64 bytes that a step reads from and writes to what lies behind a first-level cache of 32 KB, and
//! behind a second one of 1 MB.
//!
//! Where all steps are of one size, a second run of the first steps alone takes off what is done once. Counts depend on compiler and
//! processor (libraries choose their code by what it has): compare those of one machine only.

mod callgrind;
mod rows;

use callgrind::counted;
use rows::{Row, find, rows};
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // Cargo says `--bench` itself.
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut chosen, mut before) = (Vec::new(), HashMap::new());
    let mut valgrind = Valgrind::default();
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
            "--profile" => valgrind.profile = Some(PathBuf::from(value()?)),
            "--cache-sim" => valgrind.caches = true,
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
    table(&all, &before, &valgrind)
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

fn table(rows: &[Row], before: &HashMap<String, u64>, valgrind: &Valgrind) -> Outcome<()> {
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
    let lines = "    read 1 written 1    read 2 written 2";
    println!(
        "{}{}{}",
        line(&head),
        if before.is_empty() { "" } else { "   ratio" },
        if valgrind.caches { lines } else { "" }
    );
    for row in rows {
        let answer = row.prepare()?.answer()?;
        let statistics = answer.solution.statistics;
        let whole = valgrind.events("--solve", &row.name)?;
        // A run of the first steps alone, where there is one.
        let start = match row.prepare()?.solve_start()? {
            Some(solution) => {
                let again = Valgrind {
                    profile: None,
                    ..*valgrind
                };
                let events = again.events("--start", &row.name)?;
                events.map(|events| (events, solution.statistics.accepted))
            }
            None => Some((Vec::new(), 0)),
        };
        let events = whole.zip(start).map(|(mut whole, (once, steps))| {
            for (whole, once) in whole.iter_mut().zip(once) {
                *whole = whole.saturating_sub(once);
            }
            (whole, statistics.accepted - steps)
        });
        let counted = events.as_ref().map(|(events, steps)| (events[0], *steps));
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
        let mut lines = String::new();
        if let Some((events, steps)) = &events {
            for place in LINES.into_iter().filter_map(|place| events.get(place)) {
                lines += &format!("{:>10}", place / (*steps).max(1) as u64);
            }
        }
        println!("{}{}{lines}", line(&cells), ratio.unwrap_or_default());
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

/// Places among the events of callgrind: lines read and written that the first and the last cache did not have.
const LINES: [usize; 4] = [4, 5, 7, 8];

/// How valgrind is asked.
#[derive(Default)]
struct Valgrind {
    profile: Option<PathBuf>,
    caches: bool,
}

impl Valgrind {
    /// Instructions first, then what caches do. `None` where there is no valgrind.
    fn events(&self, part: &str, name: &str) -> Outcome<Option<Vec<u64>>> {
        let file = (self.profile.as_ref()).map_or(PathBuf::from("/dev/null"), |folder| {
            folder.join(format!("callgrind.{name}"))
        });
        let mut options = vec![format!("--callgrind-out-file={}", file.display())];
        if self.caches {
            let caches = ["--cache-sim=yes", "--D1=32768,8,64", "--LL=1048576,16,64"];
            options.extend(caches.map(str::to_owned));
        }
        callgrind::events(&options, [part, name])
    }
}

fn solved(row: &Row) -> Outcome<()> {
    let mut case = row.prepare()?;
    counted(|| case.solve().map(drop))
}

fn started(row: &Row) -> Outcome<()> {
    let mut case = row.prepare()?;
    counted(|| case.solve_start().map(drop))
}
