//! A pendulum, stated by closures and solved.

use liedae::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Initial position in m and velocity in m/s.
    let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
        .mass(1.0)
        .force(|_t, _q, _v| [0.0, -9.81])
        .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
        .build()?;
    let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
    let options = Options::adaptive(1.0, 1e-8, 1e-8);
    let end = solve(&mut pendulum, method.as_ref(), &options)?.state;
    println!("at {:.6?} m after {} s", end.q, end.t);
    Ok(())
}
