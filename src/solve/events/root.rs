//! Roots of scalar functions by bracketing.

/// A root of `function` between `a` and `b`, where it has values `fa` and `fb` of opposite sign, to within `tolerance`.
///
/// Inverse quadratic interpolation through the last three points where it can be trusted, bisection otherwise (Chandrupatla 1997,
/// doi:10.1016/S0965-9978(96)00051-8): about seven evaluations for a smooth function and a tolerance of 1e-12. Returns the end of
/// the final bracket on the side of `b`, where the sign has already changed; of a function that stays at zero, the first zero.
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
    function: impl FnMut(f64) -> Result<f64, E>,
    a: (f64, f64),
    b: (f64, f64),
    tolerance: f64,
) -> Result<f64, E> {
    bracketed_root_near(None, function, a, b, tolerance)
}

/// A guess of the root is taken so much of the resolution nearer to `b`: on that side the answer lies, and the next point bounds it from
/// the other one.
const BEHIND: f64 = 0.02;

/// Before a zero the next point lies so many halves of the resolution: a little less than the resolution itself.
const JUST_BEFORE: f64 = 1.9;

/// As [`bracketed_root`], where somebody may know better than the chord where the root is.
pub(super) fn bracketed_root_near<E>(
    guess: Option<f64>,
    mut function: impl FnMut(f64) -> Result<f64, E>,
    (mut a, mut fa): (f64, f64),
    (mut b, mut fb): (f64, f64),
    tolerance: f64,
) -> Result<f64, E> {
    // The sign before the root; zeros are behind it.
    let before = if fb == 0.0 { fa.signum() } else { -fb.signum() };
    // What the bracket has lost last.
    let mut lost: Option<(f64, f64)> = None;
    let mut zeros = 0;
    loop {
        let resolution = tolerance.max(2.0 * f64::EPSILON * a.abs().max(b.abs()));
        if (b - a).abs() <= resolution {
            return Ok(b);
        }
        // As a part of the bracket.
        let margin = 0.5 * resolution / (b - a).abs();
        let share = match lost {
            // A simple root, or the end of a stretch of zeros, to whose start nothing but bisection leads: just before it tells.
            _ if fb == 0.0 => {
                let share = if zeros == 0 {
                    1.0 - JUST_BEFORE * margin
                } else {
                    0.5
                };
                zeros += 1;
                Some(share)
            }
            Some(lost) => interpolated((a, fa), (b, fb), lost),
            // Before there are three points, the guess or the chord. One that ends at an end has a value there that says nothing.
            None => {
                let chord = fa / (fa - fb);
                let share = guess.map_or(chord, |guess| {
                    (guess - a + BEHIND * resolution.copysign(b - a)) / (b - a)
                });
                Some(share).filter(|share| (margin..1.0 - margin).contains(share))
            }
        };
        // Off the ends, so that the bracket shrinks from both sides.
        let share = share.unwrap_or(0.5).clamp(margin, 1.0 - margin);
        let x = a + share * (b - a);
        let fx = function(x)?;
        if fx == 0.0 || fx.signum() == -before {
            lost = Some((b, fb));
            (b, fb) = (x, fx);
        } else {
            lost = Some((a, fa));
            (a, fa) = (x, fx);
        }
    }
}

/// Where the inverse of a function is zero by the parabola through three of its points, the first two with values of opposite sign,
/// as a part of the way between these; `None` where that parabola has no inverse.
fn interpolated(
    (a, fa): (f64, f64),
    (b, fb): (f64, f64),
    (lost, flost): (f64, f64),
) -> Option<f64> {
    // The newest point is the neighbour of the lost one.
    let (near, fnear, far, ffar) = if (lost - a).abs() < (lost - b).abs() {
        (a, fa, b, fb)
    } else {
        (b, fb, a, fa)
    };
    let place = (near - far) / (lost - far);
    let value = (fnear - ffar) / (flost - ffar);
    if !(value * value < place && (1.0 - value) * (1.0 - value) < 1.0 - place) {
        return None;
    }
    let share = fnear / (ffar - fnear) * flost / (ffar - flost)
        + (lost - near) / (far - near) * fnear / (flost - fnear) * ffar / (flost - ffar);
    // Counted from the newest point.
    let share = if near == a { share } else { 1.0 - share };
    (!share.is_nan()).then_some(share)
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
        let (_, count) = root(|x| x * x - 2.0, 1.0, 2.0);
        assert!(count < 10, "{count} evaluations");
    }

    /// A good guess needs three evaluations, a bad one no more than a bad chord.
    #[test]
    fn guesses_save_evaluations_and_bind_to_nothing() {
        let found = |guess: Option<f64>| {
            let mut count = 0;
            let square = |x: f64| {
                count += 1;
                Ok::<f64, Infallible>(x * x - 2.0)
            };
            let Ok(root) = bracketed_root_near(guess, square, (1.0, -1.0), (2.0, 2.0), 1e-12);
            assert!(
                root * root >= 2.0 && root - 2.0_f64.sqrt() < 1e-12,
                "{root}"
            );
            count
        };
        for error in [0.0, 1e-15, -1e-15, 1e-13] {
            let count = found(Some(2.0_f64.sqrt() + error));
            assert!(count <= 3, "{count} evaluations with an error of {error}");
        }
        for guess in [1.0, 1.999, 2.0, -7.0, f64::NAN, f64::INFINITY] {
            let count = found(Some(guess));
            assert!(count < 20, "{count} evaluations from {guess}");
        }
    }

    #[test]
    fn of_a_function_that_stays_at_zero_the_first_zero_is_found() {
        for place in [0.3, 1.0 / 3.0, 0.5, 0.999] {
            for sign in [-1.0, 1.0] {
                let (found, count) = root(|x: f64| sign * (place - x).max(0.0), 0.0, 1.0);
                assert!(
                    found >= place && found - place < 1e-12,
                    "{found} for {place}"
                );
                assert!(count < 60, "{count} evaluations");
            }
        }
        // One that passes zero costs one evaluation more where it is hit.
        let (found, count) = root(|x| x - 0.5, 0.0, 1.0);
        assert!((found - 0.5).abs() < 1e-12 && count <= 4, "{found} {count}");
    }
}
