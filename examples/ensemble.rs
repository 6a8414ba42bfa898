//! Many runs at a time: how far a double pendulum can be foreseen.
//!
//! Hundreds of double pendulums are let go from angles that differ by up to a tenth of a degree. Where they end is one point
//! at first and any point soon. The runs are distributed over the cores; at the end the times with one thread and with all are
//! compared, and so are the results, which must be the same to the last bit.
//!
//! `cargo run --release --example ensemble`, with the number of members behind `--` for others than 200.

use liedae::prelude::*;
use liedae::solve::{Ensemble, MemberError, Recorder};
use liedae::system::StatementError;
use std::num::NonZeroUsize;
use std::time::Instant;

/// Two masses of 1 kg on rods of 1 m, the first one at an angle from the horizontal, the second one beside it.
fn double_pendulum(angle: f64) -> Result<impl System, StatementError> {
    let (x, y) = (angle.cos(), angle.sin());
    liedae::model([x, y, x + 1.0, y], [0.0; 4])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, -9.81, 0.0, -9.81])
        .constraint(|_t, [x1, y1, x2, y2]| {
            let (dx, dy) = (x2 - x1, y2 - y1);
            [x1 * x1 + y1 * y1 - 1.0, dx * dx + dy * dy - 1.0]
        })
        .build()
}

/// The pendulums are looked at so many times, the last time at the end, in s.
const TIMES: usize = 6;
const END: f64 = 10.0;

/// Where the second mass is at these times, in m.
type Places = Vec<[f64; 2]>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let members: u32 = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 200,
    };
    let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
    let options = Options::adaptive(END, 1e-6, 1e-6);
    let places = |angle: f64| -> Result<Places, MemberError> {
        let mut system = double_pendulum(angle).map_err(MemberError::own)?;
        let mut recorder = Recorder::equidistant(0.0, END, TIMES);
        solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
        let places = recorder.states.iter().map(|state| [state.q[2], state.q[3]]);
        Ok(places.collect())
    };
    let run = |ensemble: &Ensemble| -> Result<(Vec<Places>, f64), MemberError> {
        let spread = 0.1_f64.to_radians();
        let angles = (0..members).map(|member| spread * f64::from(member) / f64::from(members));
        let start = Instant::now();
        let runs = ensemble.map(angles, places);
        let time = start.elapsed().as_secs_f64();
        Ok((runs.into_iter().collect::<Result<_, _>>()?, time))
    };

    let (runs, all) = run(&Ensemble::default())?;
    println!("time   spread of the end of {members} double pendulums");
    for index in 0..TIMES {
        let mean = |axis: usize| {
            let values = runs.iter().map(|places| places[index][axis]);
            values.sum::<f64>() / f64::from(members)
        };
        let mean = [mean(0), mean(1)];
        let squares = runs.iter().map(|places| {
            let [x, y] = places[index];
            (x - mean[0]).powi(2) + (y - mean[1]).powi(2)
        });
        let spread = (squares.sum::<f64>() / f64::from(members)).sqrt();
        let t = END * index as f64 / (TIMES - 1) as f64;
        println!("{t:4.1} s {spread:9.2e} m");
    }

    let (again, one) = run(&Ensemble::default().on_threads(NonZeroUsize::MIN))?;
    if runs != again {
        return Err("the results depend on the number of threads".into());
    }
    let threads = std::thread::available_parallelism()?;
    println!(
        "1 thread: {one:.3} s, {threads} threads: {all:.3} s, {:.2} times as fast",
        one / all
    );
    Ok(())
}
