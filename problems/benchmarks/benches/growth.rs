//! How time and memory grow with the number of bodies: `cargo bench -p liedae-problems --bench growth [-- METHOD...]`.
//!
//! Chains of 64 to 65,536 links, twenty steps of one size behind two that are not counted. CPU time and Newton iterations are those of
//! a step, the mean of the twenty; the time of each of them is the least in all runs. The exponents p say that time grows like N^p from
//! the size above, and in all. Memory is the largest resident set of a process that solves once, beside that of 64 links (Linux only);
//! each size has its own process.
//!
//! Two chains are solved. One hangs and swings, by steps that shrink like 1/√N as the periods of its shortest waves do: the same
//! number of steps resolves them at any length. The other is that of the paper with one step size for all: gravity pushes it
//! together, and the longer it is, the faster its joints buckle. Its iterations tell how hard the motion is, not how much a
//! body costs.

mod clock;

use clock::thread_time;
use liedae::integrator::MethodOptions;
use liedae::solve::{Driver, Options, Silent};
use liedae_problems::ProblemRegistry;
use std::error::Error;
use std::process::Command;
use std::time::Duration;

const METHODS: [&str; 5] = [
    "half-implicit",
    "backward-euler",
    "generalized-alpha",
    "hem5",
    "mdop5",
];
const SIZES: [usize; 5] = [64, 512, 4096, 16384, 65536];
const STEPS: usize = 20;
/// Steps that are taken before, without the history of others.
const START: usize = 2;
/// Fewest runs; more are made until two seconds have passed.
const RUNS: usize = 5;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    // Cargo says `--bench` itself.
    let arguments: Vec<String> =
        (std::env::args().skip(1).filter(|word| word != "--bench")).collect();
    if let [mode, method, chain, count] = &arguments[..]
        && mode == "--solve"
    {
        return solved(method, chain, count.parse()?);
    }
    println!(
        "{:20}{:12}{:>8}{:>18}{:>12}{:>10}{:>12}",
        "method", "chain", "links", "ns / body / step", "iterations", "exponent", "kB / body"
    );
    for method in METHODS {
        if !arguments.is_empty() && !arguments.iter().any(|chosen| chosen == method) {
            continue;
        }
        for chain in ["hanging", "compressed"] {
            table(method, chain)?;
        }
    }
    Ok(())
}

fn table(method: &str, chain: &str) -> Outcome<()> {
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for count in SIZES {
        let output = Command::new(std::env::current_exe()?)
            .args(["--solve", method, chain, &count.to_string()])
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let numbers: Vec<f64> = (said.split_whitespace())
            .filter_map(|word| word.parse().ok())
            .collect();
        let [time, iterations, memory] = numbers[..] else {
            let why = String::from_utf8_lossy(&output.stderr);
            println!("{method:20}{chain:12}{count:8}  {}", why.trim());
            continue;
        };
        let size = count as f64;
        let (mut exponent, mut kilobytes) = (String::new(), String::new());
        if let Some(before) = rows.last() {
            exponent = format!("{:.2}", (time / before[1]).ln() / (size / before[0]).ln());
            kilobytes = format!("{:.1}", (memory - rows[0][3]) / (size - rows[0][0]));
        }
        println!(
            "{method:20}{chain:12}{count:8}{:18.0}{iterations:12.2}{exponent:>10}{kilobytes:>12}",
            1e3 * time / size
        );
        rows.push([size, time, iterations, memory]);
    }
    if let [first, .., last] = &rows[..] {
        let exponent = (last[1] / first[1]).ln() / (last[0] / first[0]).ln();
        println!("{method:20}{chain:12}{:>8}{:>40.2}", "all", exponent);
    }
    Ok(())
}

/// Prints the time of a step in µs, iterations of a step and the largest resident set in kB.
fn solved(method: &str, chain: &str, count: usize) -> Outcome<()> {
    let hangs = chain == "hanging";
    let settings = [format!("n={count}"), format!("hangs={}", u8::from(hangs))];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let mut problem = ProblemRegistry::standard()
        .lookup("chain")?
        .build_with(&settings)?;
    let h = if hangs {
        1e-3 * (64.0 / count as f64).sqrt()
    } else {
        1e-3
    };
    let options = MethodOptions {
        spectral_radius: (method == "generalized-alpha").then_some(0.9),
        ..MethodOptions::default()
    };
    let span = Options::fixed((START + STEPS) as f64 * h, h);
    let mut least = [Duration::MAX; STEPS];
    let (mut iterations, mut memory) = (0, 0.0);
    let begin = thread_time();
    for run in 0.. {
        if run >= RUNS && thread_time() - begin > Duration::from_secs(2) {
            break;
        }
        let integrator = liedae_contact::methods().build(method, &options)?;
        let state = problem.system.initial_state();
        let mut driver = Driver::new(problem.system.as_mut(), integrator.as_ref(), state, &span)?;
        for _ in 0..START {
            driver.advance(&mut Silent)?;
        }
        let before = driver.statistics().work.newton_iterations;
        for least in &mut least {
            let once = thread_time();
            driver.advance(&mut Silent)?;
            *least = (*least).min(thread_time() - once);
        }
        iterations = driver.statistics().work.newton_iterations - before;
        if run == 0 {
            memory = largest_resident_set()?;
        }
    }
    println!(
        "{} {} {memory}",
        least.iter().sum::<Duration>().as_secs_f64() * 1e6 / STEPS as f64,
        iterations as f64 / STEPS as f64
    );
    Ok(())
}

/// In kB.
fn largest_resident_set() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmHWM in /proc/self/status")?.parse()?)
}
