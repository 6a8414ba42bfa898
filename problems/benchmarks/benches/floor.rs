//! What Andrews' mechanism costs by Dormand and Prince's method without generality: the method and the mechanism written out as one
//! piece, which checks, observes and watches nothing and knows no other problem. It is no lower bound: its sums are not compiled for
//! the vectors of this processor.
//!
//! `cargo bench -p liedae-problems --bench floor` prints steps, rejections, how far the first angle ends from that of `andrews-dopri5`,
//! the least CPU time of both in turns, and the instructions of the program written out, where there is valgrind.

mod bare;
mod clock;
mod rows;

use bare::Solution;
use clock::thread_time;
use rows::find;
use std::error::Error;
use std::process::Command;
use std::time::Duration;

/// Turns of the program written out and of liedae, and solutions in each turn.
const TURNS: usize = 7;
const SOLUTIONS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        (std::env::args().skip(1).filter(|word| word != "--bench")).collect();
    if let [word, tolerance] = &arguments[..]
        && word == "--solve"
    {
        println!("{}", solved(tolerance.parse()?).end);
        return Ok(());
    }
    println!(
        "tolerance  steps  rejected  difference / rad  us bare  us liedae  ratio  instructions"
    );
    for tolerance in ["1e-6", "1e-8"] {
        let mut case = find(&format!("andrews-dopri5-{tolerance}"))?.prepare()?;
        let value: f64 = tolerance.parse()?;
        let end = case.answer()?.main_output;
        let (mut bare, mut all) = (Duration::MAX, Duration::MAX);
        let mut solution = solved(value);
        for _ in 0..TURNS {
            for _ in 0..SOLUTIONS {
                let begin = thread_time();
                solution = solved(value);
                bare = bare.min(thread_time() - begin);
            }
            for _ in 0..SOLUTIONS {
                let begin = thread_time();
                case.solve()?;
                all = all.min(thread_time() - begin);
            }
        }
        let difference = (solution.end - end).abs();
        if difference.is_nan() || difference > SAME * value {
            return Err(format!("at {tolerance} the ends differ by {difference:.1e} rad").into());
        }
        let [bare, all] = [bare, all].map(|time| time.as_secs_f64() * 1e6);
        println!(
            "{tolerance:>9} {:>6} {:>9} {:>17.1e} {bare:>8.1} {all:>10.1} {:>6.2} {:>13}",
            solution.accepted,
            solution.rejected,
            difference,
            all / bare,
            instructions(tolerance)?.unwrap_or_else(|| "-".to_owned())
        );
    }
    Ok(())
}

/// Errors at the end are up to 20 tolerances: ends that differ by more than this many mean that one is wrong.
const SAME: f64 = 100.0;

/// Named by `--toggle-collect`, therefore never inlined.
#[inline(never)]
fn solved(tolerance: f64) -> Solution {
    std::hint::black_box(bare::solve(std::hint::black_box(tolerance)))
}

/// What valgrind counts; `None` where there is none.
fn instructions(tolerance: &str) -> Result<Option<String>, Box<dyn Error>> {
    let mut command = Command::new("valgrind");
    command.args([
        "--tool=callgrind",
        "--toggle-collect=floor::solved*",
        "--callgrind-out-file=/dev/null",
    ]);
    command
        .arg(std::env::current_exe()?)
        .args(["--solve", tolerance]);
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        output => output?,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    let count = collected.map(|(_, count)| count.trim().to_owned());
    match count.filter(|count| count != "0" && output.status.success()) {
        Some(count) => Ok(Some(count)),
        None => Err(format!("valgrind counted nothing: {said}").into()),
    }
}
