//! A solver as a program of its own, as `docs/book/src/comparing/foreign-solvers.md` describes it: the classical Runge-Kutta method, by steps that a
//! second run with half the step confirms.
//!
//! ```sh
//! cargo build --release -p liedae-compare --example foreign_program
//! liedae compare hires,pendulum --methods bdf,classic --program classic=target/release/examples/foreign_program --out report
//! ```
//!
//! The option `fault` makes it come to grief in the way named: comparisons outlive that.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::time::{Duration, Instant};

/// Messages over stdin and stdout.
struct Liedae {
    cpu_s: f64,
    since: Instant,
}

impl Liedae {
    /// Sends a message: tag, length, time that the solver has taken, payload.
    fn tell(&mut self, tag: &[u8; 4], payload: &[u8]) -> Result<()> {
        let length = u32::try_from(payload.len()).map_err(Error::other)?;
        let mut out = std::io::stdout().lock();
        out.write_all(tag)?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&self.cpu_s.to_le_bytes())?;
        out.write_all(payload)?;
        out.flush()
    }

    fn tell_numbers(&mut self, tag: &[u8; 4], numbers: &[f64]) -> Result<()> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        // A clock of the thread would be right here; this one is in the standard library.
        self.cpu_s += self.since.elapsed().as_secs_f64();
        self.tell(tag, &bytes)?;
        self.since = Instant::now();
        Ok(())
    }

    /// Sends a question, waits for the answer.
    fn ask(&mut self, tag: &[u8; 4], payload: &[u8]) -> Result<Vec<u8>> {
        self.cpu_s += self.since.elapsed().as_secs_f64();
        self.tell(tag, payload)?;
        let mut input = std::io::stdin().lock();
        let (mut answer, mut length, mut time) = ([0; 4], [0; 4], [0; 8]);
        input.read_exact(&mut answer)?;
        input.read_exact(&mut length)?;
        input.read_exact(&mut time)?;
        let mut payload = vec![0; u32::from_le_bytes(length) as usize];
        input.read_exact(&mut payload)?;
        self.since = Instant::now();
        if &answer == tag {
            Ok(payload)
        } else {
            let words = String::from_utf8_lossy(&payload).into_owned();
            Err(Error::new(ErrorKind::InvalidData, words))
        }
    }

    fn ask_numbers(&mut self, tag: &[u8; 4], numbers: &[f64]) -> Result<Vec<f64>> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let answer = self.ask(tag, &bytes)?;
        let (numbers, _) = answer.as_chunks::<8>();
        Ok(numbers
            .iter()
            .map(|bytes| f64::from_le_bytes(*bytes))
            .collect())
    }

    /// f(t, y).
    fn rate(&mut self, t: f64, y: &[f64]) -> Result<Vec<f64>> {
        let point: Vec<f64> = std::iter::once(t).chain(y.iter().copied()).collect();
        self.ask_numbers(b"eval", &point)
    }

    fn report(&mut self, tag: &[u8; 4], t: f64, y: &[f64]) -> Result<()> {
        let point: Vec<f64> = std::iter::once(t).chain(y.iter().copied()).collect();
        self.tell_numbers(tag, &point)
    }
}

fn moved(y: &[f64], h: f64, rate: &[f64]) -> Vec<f64> {
    y.iter().zip(rate).map(|(y, rate)| y + h * rate).collect()
}

/// One step of the classical Runge-Kutta method.
fn step(liedae: &mut Liedae, t: f64, y: &[f64], h: f64) -> Result<Vec<f64>> {
    let k1 = liedae.rate(t, y)?;
    let k2 = liedae.rate(t + 0.5 * h, &moved(y, 0.5 * h, &k1))?;
    let k3 = liedae.rate(t + 0.5 * h, &moved(y, 0.5 * h, &k2))?;
    let k4 = liedae.rate(t + h, &moved(y, h, &k3))?;
    let end = y.iter().enumerate();
    Ok(end
        .map(|(i, y)| y + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
        .collect())
}

fn main() -> Result<()> {
    let mut liedae = Liedae {
        cpu_s: 0.0,
        since: Instant::now(),
    };
    liedae.ask_numbers(b"open", &[1.0])?;
    liedae.tell(b"name", b"the classical method, version 4")?;
    let fault = liedae.ask(b"opti", b"fault")?;
    let size = liedae.ask(b"form", b"ode")?.len();
    assert_eq!(size, 16, "two numbers");
    let [rtol, atol, max_steps, watched] = liedae.ask_numbers(b"goal", &[])?[..] else {
        return Err(Error::other("four numbers were expected"));
    };
    let ends = liedae.ask_numbers(b"ends", &[])?;
    let samples = liedae.ask_numbers(b"outs", &[])?;
    let start = liedae.ask_numbers(b"init", &[])?;
    let (mut t, mut y) = (start[0], start[1..].to_vec());
    misbehave(&mut liedae, &fault, &y)?;

    let (mut accepted, mut rejected) = (0.0, 0.0);
    let mut samples = samples.into_iter().peekable();
    let span = ends.last().map_or(0.0, |end| end - t);
    let mut h = 1e-3 * span;
    // Samples are ends of steps, too.
    while samples.peek().is_some_and(|&sample| sample <= t) {
        liedae.report(b"samp", t, &y)?;
        samples.next();
    }
    for &end in &ends {
        while t < end {
            if max_steps > 0.0 && accepted + rejected >= max_steps {
                liedae.tell_numbers(b"work", &[t, accepted, rejected, 0.0, 0.0, 0.0])?;
                return liedae.tell(b"fail", b"the limit of steps was reached");
            }
            let sample = samples.peek().copied().filter(|&sample| sample < end);
            let stop = sample.unwrap_or(end);
            let last = t + h >= stop;
            let size = if last { stop - t } else { h };
            let whole = step(&mut liedae, t, &y, size)?;
            let half = step(&mut liedae, t, &y, 0.5 * size)?;
            let halves = step(&mut liedae, t + 0.5 * size, &half, 0.5 * size)?;
            let errors = whole
                .iter()
                .zip(&halves)
                .zip(&y)
                .map(|((whole, halves), y)| {
                    let scale = atol + rtol * y.abs().max(halves.abs());
                    ((whole - halves) / (15.0 * scale)).powi(2)
                });
            let error = (errors.sum::<f64>() / y.len() as f64).sqrt();
            h = size * (0.9 * error.max(1e-8).powf(-0.2)).clamp(0.2, 5.0);
            if error.is_nan() || error > 1.0 {
                rejected += 1.0;
                if h < 1e-14 * span {
                    liedae.tell_numbers(b"work", &[t, accepted, rejected, 0.0, 0.0, 0.0])?;
                    return liedae.tell(b"fail", b"the step became too small");
                }
                continue;
            }
            accepted += 1.0;
            (t, y) = (if last { stop } else { t + size }, halves);
            if watched == 1.0 {
                liedae.report(b"step", t, &y)?;
            }
            while samples.peek().is_some_and(|&sample| sample <= t) {
                liedae.report(b"samp", t, &y)?;
                samples.next();
            }
        }
    }
    liedae.tell_numbers(b"work", &[t, accepted, rejected, 0.0, 0.0, 0.0])?;
    liedae.report(b"last", t, &y)?;
    liedae.tell(b"done", b"")
}

/// Starts a process that holds the streams open.
fn leave_somebody() {
    // A number that nobody else sleeps for: tests look for it.
    let sleeper = std::process::Command::new("sleep").arg("86398.75").spawn();
    assert!(sleeper.is_ok(), "there is no `sleep`");
}

/// What programs do that are not well.
fn misbehave(liedae: &mut Liedae, fault: &[u8], y: &[f64]) -> Result<()> {
    match fault {
        b"" => {}
        b"dies" => {
            eprintln!("there is no more to be had");
            std::process::exit(7);
        }
        b"hangs" => std::thread::sleep(Duration::from_secs(3600)),
        b"forks" => {
            leave_somebody();
            eprintln!("\u{1b}[31mit has left somebody behind\0");
            std::process::exit(3);
        }
        b"leaves" => leave_somebody(),
        b"prints" => println!("step accepted, t = 0.1, and so on and so on"),
        b"nan" => {
            let end = vec![f64::NAN; y.len()];
            liedae.report(b"last", 0.0, &end)?;
        }
        b"early" => {
            liedae.report(b"last", 0.0, y)?;
        }
        b"silent" => {
            return liedae
                .tell(b"done", b"")
                .and_then(|()| std::process::exit(0));
        }
        b"short" => liedae.tell_numbers(b"last", &[1.0])?,
        b"backwards" => {
            liedae.cpu_s = -1.0;
            liedae.tell(b"work", &[])?;
        }
        b"endless" => loop {
            let at_start = liedae.rate(0.0, y)?;
            assert_eq!(at_start.len(), y.len(), "an answer of the right length");
        },
        _ => {
            liedae.tell(b"deny", b"there is no such fault")?;
            std::process::exit(0);
        }
    }
    Ok(())
}
