//! Roots of scalar functions by bracketing.

/// A root of `function` between `a` and `b`, where it has values `fa` and `fb` of opposite sign, to within `tolerance`.
///
/// The Illinois variant of false position with bisection whenever it is slow: at most about 2 log2((b - a) / tolerance)
/// evaluations. Returns the end of the final bracket on the side of `b`, where the sign has already changed.
///
/// ```
/// use liedae::solve::bracketed_root;
/// use std::convert::Infallible;
///
/// let square = |x: f64| Ok::<f64, Infallible>(x * x - 2.0);
/// let root = bracketed_root(square, (1.0, -1.0), (2.0, 2.0), 1e-14)?;
/// assert!((root - 2.0_f64.sqrt()).abs() < 1e-13);
/// # Ok::<(), Infallible>(())
/// ```
pub fn bracketed_root<E>(
    mut function: impl FnMut(f64) -> Result<f64, E>,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    tolerance: f64,
) -> Result<f64, E> {
    // The sign behind the root: of the side that is returned.
    let after = fb.signum();
    let mut last_side = 0;
    let mut width = (b - a).abs();
    loop {
        let resolution = tolerance.max(2.0 * f64::EPSILON * a.abs().max(b.abs()));
        if (b - a).abs() <= resolution || fb == 0.0 {
            return Ok(b);
        }
        // Where the chord is zero.
        let false_position = b - fb * (b - a) / (fb - fa);
        // False position that does not halve the bracket alternates with bisection.
        let halved = (b - a).abs() <= 0.5 * width;
        width = (b - a).abs();
        let inside = (false_position - a) * (b - false_position) > 0.0;
        let mut x = if inside && (halved || last_side == 0) {
            false_position
        } else {
            0.5 * (a + b)
        };
        // Keep off the ends, so that the bracket shrinks from both sides.
        let margin = 0.5 * resolution * (b - a).signum();
        if (x - a).abs() < margin.abs() {
            x = a + margin;
        } else if (b - x).abs() < margin.abs() {
            x = b - margin;
        }
        let fx = function(x)?;
        if fx == 0.0 || fx.signum() == after {
            (b, fb) = (x, fx);
            // Illinois: the end that stays twice counts half, so that the chord moves towards it.
            if last_side == 1 {
                fa *= 0.5;
            }
            last_side = 1;
        } else {
            (a, fa) = (x, fx);
            if last_side == -1 {
                fb *= 0.5;
            }
            last_side = -1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn root(function: impl Fn(f64) -> f64, a: f64, b: f64) -> (f64, usize) {
        let mut count = 0;
        let found = bracketed_root::<Infallible>(
            |x| {
                count += 1;
                Ok(function(x))
            },
            (a, function(a)),
            (b, function(b)),
            1e-13,
        );
        let Ok(found) = found;
        (found, count)
    }

    #[test]
    fn smooth_steep_and_flat_functions() {
        type Case = (fn(f64) -> f64, f64);
        let cases: [Case; 4] = [
            (|x| x * x - 2.0, 2.0_f64.sqrt()),
            (|x| (x - 0.3).powi(9), 0.3),
            (|x| (50.0 * (x - 0.7)).exp() - 1.0, 0.7),
            (|x| if x < 1.1 { -1.0 } else { 1e-9 }, 1.1),
        ];
        for (function, expected) in cases {
            let (found, count) = root(function, 0.0, 2.0);
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
            assert!(count < 100, "{count} evaluations");
        }
    }
}
