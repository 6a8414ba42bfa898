//! CPU time of one row, for benches/peers: `cargo bench -p liedae-problems --bench time -- SECONDS ROW [TOLERANCE]`.
//!
//! Solves the row again and again for so many seconds and prints the least time in µs, in all and per step. Where all steps are of one
//! size, what a run of the first steps alone takes is not in it.

mod clock;
mod rows;

use clock::thread_time;
use rows::find;
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo says `--bench` itself.
    let arguments: Vec<String> =
        (std::env::args().skip(1).filter(|word| word != "--bench")).collect();
    let (seconds, mut row) = match &arguments[..] {
        [seconds, row, ..] => (Duration::try_from_secs_f64(seconds.parse()?)?, find(row)?),
        // As `cargo bench` without a choice of benches calls it.
        _ => {
            println!("-- SECONDS ROW [TOLERANCE] behind --bench time");
            return Ok(());
        }
    };
    if let Some(tolerance) = arguments.get(2) {
        row = row.at_tolerance(tolerance.parse()?);
    }
    let mut case = row.prepare()?;
    let begin = thread_time();
    let (mut whole, mut start, mut runs, mut steps) = (Duration::MAX, Duration::ZERO, 0, 0);
    while runs < 2 || thread_time() - begin < seconds {
        let once = thread_time();
        steps = case.solve()?.statistics.accepted;
        whole = whole.min(thread_time() - once);
        let once = thread_time();
        if let Some(solution) = case.solve_start()? {
            let taken = thread_time() - once;
            start = if runs == 0 { taken } else { start.min(taken) };
            steps -= solution.statistics.accepted;
        }
        runs += 1;
    }
    let answer = case.answer()?;
    let microseconds = whole.saturating_sub(start).as_secs_f64() * 1e6;
    let per_step = microseconds / steps as f64;
    let error = answer.error;
    println!(
        "us={microseconds:.3} us_per_step={per_step:.4} steps={steps} runs={runs} error={error:.2e}"
    );
    Ok(())
}
