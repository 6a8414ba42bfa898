//! Closed forms of motions: as references, and as initial values.

use crate::Reference;
use liedae::scalar::Dual;
use liedae_multibody::plane::PlaneBodyData;

/// A number with its rate.
pub(super) type Moving = Dual<1>;

/// The outputs of a body.
const OUTPUTS: [&str; 6] = ["x", "y", "theta", "vx", "vy", "omega"];

/// A number that does not change.
pub(super) fn fixed(value: f64) -> Moving {
    Moving::from_value(value)
}

/// A number that grows from `start` by `rate` per second, after t s.
pub(super) fn uniform(start: f64, rate: f64, t: f64) -> Moving {
    Moving::new(start + rate * t, [rate])
}

/// A reference for the standard outputs of bodies in their order, from x, y, θ of every body as a function of time; NaN where the
/// function does not know.
pub(super) fn reference(
    source: &str,
    bodies: &[PlaneBodyData],
    t_end: f64,
    positions: impl Fn(f64) -> Vec<[Moving; 3]> + Send + Sync + 'static,
) -> Reference {
    let names = bodies.iter().map(|body| &body.name);
    let columns = names.flat_map(|name| OUTPUTS.map(|output| format!("{name}.{output}")));
    Reference::new(source, 0.0, t_end, false).with_closed_form(columns, move |t, out| {
        let mut known = out.chunks_exact_mut(OUTPUTS.len());
        for ([x, y, theta], slots) in positions(t).into_iter().zip(&mut known) {
            let all = [x, y, theta];
            slots[..3].copy_from_slice(&all.map(|number| number.value));
            slots[3..].copy_from_slice(&all.map(|number| number.gradient[0]));
        }
        known.for_each(|unknown| unknown.fill(f64::NAN));
    })
}

/// Gives bodies the velocities of such positions.
pub(super) fn set_moving(bodies: &mut [PlaneBodyData], positions: &[[Moving; 3]]) {
    for (body, position) in bodies.iter_mut().zip(positions) {
        body.velocity = position.map(|number| number.gradient[0]);
    }
}
