//! What Andrews' mechanism costs by Dormand and Prince's method without generality: the method and the elimination are written out for
//! this one model, whose functions are called as they are. Nothing is checked, observed or watched. It is no lower bound: its sums are
//! not compiled for the vectors of this processor.
//!
//! `cargo bench -p liedae-problems --bench floor` prints steps, rejections, how far the first angle ends from that of `andrews-dopri5`,
//! the least CPU time of both in turns, and the instructions of the program written out, where there is valgrind.

mod bare;
mod callgrind;
mod clock;
mod rows;

use bare::Solution;
use callgrind::counted;
use clock::thread_time;
use liedae_problems::andrews::{Andrews, Properties};
use liedae_problems::{Parameters, ProblemRegistry};
use rows::find;
use std::error::Error;
use std::time::Duration;

/// Turns of the program written out and of liedae, and solutions in each turn.
const TURNS: usize = 7;
const SOLUTIONS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> =
        (std::env::args().skip(1).filter(|word| word != "--bench")).collect();
    let model = mechanism()?;
    if let [word, tolerance] = &arguments[..]
        && word == "--solve"
    {
        println!("{}", solved(&model, tolerance.parse()?).end);
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
        let mut solution = solved(&model, value);
        for _ in 0..TURNS {
            for _ in 0..SOLUTIONS {
                let begin = thread_time();
                solution = solved(&model, value);
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
        let nowhere = ["--callgrind-out-file=/dev/null".to_owned()];
        let events = callgrind::events(&nowhere, ["--solve", tolerance])?;
        let [bare, all] = [bare, all].map(|time| time.as_secs_f64() * 1e6);
        println!(
            "{tolerance:>9} {:>6} {:>9} {:>17.1e} {bare:>8.1} {all:>10.1} {:>6.2} {:>13}",
            solution.accepted,
            solution.rejected,
            difference,
            all / bare,
            events.map_or("-".to_owned(), |events| events[0].to_string())
        );
    }
    Ok(())
}

/// Errors at the end are up to 20 tolerances: ends that differ by more than this many mean that one is wrong.
const SAME: f64 = 100.0;

fn solved(model: &Andrews, tolerance: f64) -> Solution {
    counted(|| bare::solve(model, std::hint::black_box(tolerance)))
}

/// The mechanism of `andrews`.
fn mechanism() -> Result<Andrews, Box<dyn Error>> {
    let entry = ProblemRegistry::standard().lookup("andrews")?;
    let properties = Properties::from_parameters(&Parameters::defaults(&entry))?;
    Ok(Andrews::new(properties))
}
