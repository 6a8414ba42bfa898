//! Stiff ODEs by diffsol: `diffsol-peer PROBLEM METHOD RTOL ATOL SECONDS`, PROBLEM 1 van der Pol, 2 HIRES, METHOD bdf, tr_bdf2, esdirk34.
use diffsol::{NalgebraLU, NalgebraMat, OdeBuilder, OdeSolverMethod, OdeSolverStopReason, Vector};
use std::error::Error;
use std::time::Duration;

type M = NalgebraMat<f64>;
type LS = NalgebraLU<f64>;

fn rates(problem: usize, y: &[f64], f: &mut [f64]) {
    if problem == 1 {
        f[0] = y[1];
        f[1] = 1000.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
        return;
    }
    let bound = 280.0 * y[5] * y[7];
    let freed = 1.81 * y[6];
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
    f[5] = -bound + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = bound - freed;
    f[7] = freed - bound;
}

/// The Jacobian times `v`.
fn jacobian_product(problem: usize, y: &[f64], v: &[f64], d: &mut [f64]) {
    if problem == 1 {
        d[0] = v[1];
        d[1] = (-2000.0 * y[0] * y[1] - 1.0) * v[0] + 1000.0 * (1.0 - y[0] * y[0]) * v[1];
        return;
    }
    let bound = 280.0 * (v[5] * y[7] + y[5] * v[7]);
    let freed = 1.81 * v[6];
    d[0] = -1.71 * v[0] + 0.43 * v[1] + 8.32 * v[2];
    d[1] = 1.71 * v[0] - 8.75 * v[1];
    d[2] = -10.03 * v[2] + 0.43 * v[3] + 0.035 * v[4];
    d[3] = 8.32 * v[1] + 1.71 * v[2] - 1.12 * v[3];
    d[4] = -1.745 * v[4] + 0.43 * (v[5] + v[6]);
    d[5] = -bound + 0.69 * v[3] + 1.71 * v[4] - 0.43 * v[5] + 0.69 * v[6];
    d[6] = bound - freed;
    d[7] = freed - bound;
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [problem, method, rtol, atol, seconds] = &arguments[..] else {
        return Err("PROBLEM METHOD RTOL ATOL SECONDS".into());
    };
    let problem: usize = problem.parse()?;
    let (rtol, atol): (f64, f64) = (rtol.parse()?, atol.parse()?);
    let budget = Duration::try_from_secs_f64(seconds.parse()?)?;
    let (size, t_end) = if problem == 1 { (2, 2000.0) } else { (8, 321.8122) };
    let ode = OdeBuilder::<M>::new()
        .rtol(rtol)
        .atol(vec![atol; size])
        .p(Vec::<f64>::new())
        .h0(1e-6)
        .rhs_implicit(
            move |y: &[f64], _p: &[f64], _t: f64, f: &mut [f64]| rates(problem, y, f),
            move |y: &[f64], _p: &[f64], _t: f64, v: &[f64], d: &mut [f64]| jacobian_product(problem, y, v, d),
        )
        .init(
            move |_p: &[f64], _t: f64, y: &mut [f64]| {
                y.fill(0.0);
                if problem == 1 {
                    y[0] = 2.0;
                } else {
                    y[0] = 1.0;
                    y[7] = 0.0057;
                }
            },
            size,
        )
        .build()?;
    macro_rules! run {
        ($method:ident) => {{
            let mut solver = ode.$method::<LS>()?;
            solver.set_stop_time(t_end)?;
            let mut steps = 1;
            while !matches!(solver.step()?, OdeSolverStopReason::TstopReached) {
                steps += 1;
            }
            (steps, solver.state().y.clone_as_vec())
        }};
    }
    let (mut best, mut runs, begin) = (Duration::MAX, 0, cpu());
    let mut last = (0, vec![]);
    while runs < 1 || cpu() - begin < budget {
        let once = cpu();
        last = match method.as_str() {
            "bdf" => run!(bdf),
            "tr_bdf2" => run!(tr_bdf2),
            "esdirk34" => run!(esdirk34),
            other => return Err(format!("no method {other}").into()),
        };
        best = best.min(cpu() - once);
        runs += 1;
    }
    let y: Vec<String> = last.1.iter().map(|value| format!("{value:.15e}")).collect();
    println!("us={:.3} steps={} y= {}", best.as_secs_f64() * 1e6, last.0, y.join(" "));
    Ok(())
}

/// CPU time of the process.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
