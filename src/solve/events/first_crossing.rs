//! The first sign change of a function that is known at samples and can be evaluated between them.

use super::root::bracketed_root_near;
use super::side::{Course, DeadBand, Side};
use crate::scalar::larger_or_second;
use crate::system::Direction;

/// A crossing in the direction asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::solve) struct Crossing {
    /// Its moment, within the tolerance on the side where the function has crossed.
    pub t: f64,
    /// The side from there on.
    pub side: Side,
    /// The slope there, where samples on both sides have told moment and slope.
    pub slope: Option<f64>,
    /// Whether the function has come to rest at zero.
    pub rests: bool,
    /// Where a function that has stood at its root is seen to have left it.
    pub seen: Option<f64>,
}

/// Dips below the chord between two samples are at most an eighth of the second difference of a parabola; functions
/// that are none get four times as much.
const CURVATURE: f64 = 0.5;

/// Slopes at the ends of a subinterval are taken over this fraction of it.
const SLOPE: f64 = 1e-6;

/// Evaluations of a minimization after which it ends in any case.
const MAX_EVALUATIONS: usize = 80;

/// A function whose values this many tolerances behind a root are zero rests there.
const RESTING: f64 = 16.0;

/// The first crossing in `direction` within the samples, ascending pairs of time and value. `course` is what is known of the function
/// at their start, and becomes what is known at their end, or at the crossing. Within `dead_band` a function stands at its root.
///
/// Between two samples on the same side an extremum towards zero is looked for where the second differences of the
/// samples allow it to reach zero: around a sample that is nearer to zero than both neighbours, and in every other
/// subinterval at whose ends the slopes point to an extremum inside. It is refined until zero is reached or it is
/// clear that it is not. Samples found on the way are inserted. One extremum is seen per subinterval and side.
pub(in crate::solve) fn first_crossing<E>(
    mut function: impl FnMut(f64) -> Result<f64, E>,
    samples: &mut Vec<(f64, f64)>,
    course: &mut Course,
    dead_band: DeadBand,
    direction: Direction,
    tolerance: f64,
) -> Result<Option<Crossing>, E> {
    // Farther from zero than this no dip between samples reaches it.
    let reach = CURVATURE * largest_second_difference(samples);
    let mut examined = f64::NEG_INFINITY;
    let mut index = 0;
    while let [from, to, ..] = samples[index..] {
        let side = match *course {
            Course::Off(side) => side,
            Course::At(side) => {
                let Some(left) = dead_band.left(to.1) else {
                    index += 1;
                    continue;
                };
                *course = Course::Off(left);
                if let Some(side) = side.filter(|side| *side != left && side.counts(direction)) {
                    let ends = (from.0, to);
                    return departure(function, side, ends, dead_band, tolerance).map(Some);
                }
                index += 1;
                continue;
            }
        };
        let sign = side.sign();
        // Signed towards the side where the function has been: a crossing is a value that is not positive.
        let (before, after) = (sign * from.1, sign * to.1);
        if after <= 0.0 {
            *course = if to.1 == 0.0 {
                Course::At(Some(side.opposite()))
            } else {
                Course::Off(side.opposite())
            };
            if side.counts(direction) {
                return arrival(function, side, samples, index, tolerance).map(Some);
            }
            index += 1;
            continue;
        }
        // Near enough to zero, and not examined yet: an extremum may hide two crossings.
        if (before <= reach || after <= reach) && to.0 > examined {
            let mut towards_zero = |t| function(t).map(|value| sign * value);
            // A sample below both neighbours brackets a minimum; otherwise slopes decide.
            let next = samples.get(index + 2).map(|next| (next.0, sign * next.1));
            let found = match next.filter(|next| after <= before && after <= next.1) {
                Some(next) => {
                    examined = next.0;
                    lowest(&mut towards_zero, from.0, (to.0, after), next.0)?
                }
                None => {
                    examined = to.0;
                    let ends = [(from.0, before), (to.0, after)];
                    lowest_between(&mut towards_zero, ends)?
                }
            };
            if let Some((t, value)) = found {
                let place = index + 1 + usize::from(t > to.0);
                samples.insert(place, (t, sign * value));
                examined = f64::NEG_INFINITY;
                continue;
            }
        }
        index += 1;
    }
    Ok(None)
}

/// Where a function that comes from this side reaches zero between the sample `index` and the next one.
fn arrival<E>(
    mut function: impl FnMut(f64) -> Result<f64, E>,
    side: Side,
    samples: &[(f64, f64)],
    index: usize,
    tolerance: f64,
) -> Result<Crossing, E> {
    let [from, to] = [samples[index], samples[index + 1]];
    // A start that stands at zero gets the smallest value of its side, for a bracket.
    let value = if side.sign() * from.1 > 0.0 {
        from.1
    } else {
        side.edge()
    };
    let predicted = predicted_root(samples, index);
    let guess = predicted.map(|(root, _)| root);
    let mut has_been_zero = to.1 == 0.0;
    let t = bracketed_root_near(
        guess,
        |t| {
            let value = function(t)?;
            has_been_zero |= value == 0.0;
            Ok(value)
        },
        (from.0, value),
        to,
        tolerance,
    )?;
    let resolution = tolerance.max(f64::EPSILON * t.abs());
    let mut rests = has_been_zero;
    for behind in [t, t + RESTING * resolution] {
        rests = rests && function(behind)? == 0.0;
    }
    // Who has foreseen the root knows the slope, too.
    let foreseen = predicted.filter(|(root, _)| (t - root).abs() <= FORESEEN * resolution);
    Ok(Crossing {
        t,
        side: side.opposite(),
        slope: foreseen.and_then(|(_, slope)| slope),
        rests,
        seen: None,
    })
}

/// Where a function that has stood at its root since `from` leaves its dead band for the other side than its own.
fn departure<E>(
    mut function: impl FnMut(f64) -> Result<f64, E>,
    side: Side,
    (from, to): (f64, (f64, f64)),
    dead_band: DeadBand,
    tolerance: f64,
) -> Result<Crossing, E> {
    let outside = |t| {
        let value = function(t)?;
        Ok(if dead_band.left(value).is_some() {
            value
        } else {
            side.edge()
        })
    };
    let t = bracketed_root_near(None, outside, (from, side.edge()), to, tolerance)?;
    Ok(Crossing {
        t,
        side: side.opposite(),
        slope: None,
        rests: false,
        seen: Some(to.0),
    })
}

/// So many samples predict a root between the two in their middle.
const PREDICTING: usize = 4;

/// A root within so many tolerances of the one predicted has been foreseen.
const FORESEEN: f64 = 4.0;

/// Newton's iterations for the root of a cubic: with fewer digits the guess is still one.
const ROOT_ITERATIONS: usize = 12;

/// Where the cubic through samples on both sides has its root between the sample `index` and the next one, and its slope there, if it
/// changes its sign there. An evaluation of the function costs far more than many of the cubic.
///
/// There is no slope where one of the samples stands for the side of a root and is no value.
fn predicted_root(samples: &[(f64, f64)], index: usize) -> Option<(f64, Option<f64>)> {
    let first = index
        .saturating_sub(1)
        .min(samples.len().checked_sub(PREDICTING)?);
    let nodes = samples[first..].first_chunk::<PREDICTING>()?;
    // Newton's divided differences.
    let mut differences = nodes.map(|(_, value)| value);
    for order in 1..PREDICTING {
        for place in (order..PREDICTING).rev() {
            let width = nodes[place].0 - nodes[place - order].0;
            differences[place] = (differences[place] - differences[place - 1]) / width;
        }
    }
    let [c0, c1, c2, c3] = differences;
    let [t0, t1, t2, _] = nodes.map(|(t, _)| t);
    // Value and slope.
    let cubic = |t: f64| {
        let (a, b, c) = (t - t0, t - t1, t - t2);
        let inner = c2 + c * c3;
        [
            c0 + a * (c1 + b * inner),
            c1 + b * inner + a * (inner + b * c3),
        ]
    };
    let [from, to] = [samples[index], samples[index + 1]];
    let [low, high] = [cubic(from.0)[0], cubic(to.0)[0]];
    let changes_sign = low * high < 0.0;
    if !changes_sign {
        return None;
    }
    let (mut before, mut behind) = (from.0, to.0);
    let mut root = before + low / (low - high) * (behind - before);
    for _ in 0..ROOT_ITERATIONS {
        let [value, slope] = cubic(root);
        if value * high > 0.0 {
            behind = root;
        } else {
            before = root;
        }
        let next = root - value / slope;
        if next == root {
            break;
        }
        // Bisection where Newton's step leaves the bracket.
        root = if before <= next && next <= behind {
            next
        } else {
            0.5 * (before + behind)
        };
    }
    let are_values = (nodes.iter()).all(|(_, value)| value.abs() > f64::MIN_POSITIVE);
    Some((root, are_values.then(|| cubic(root)[1])))
}

/// Twice the distance of a sample from the chord between its neighbours, the second difference of equidistant ones.
fn largest_second_difference(samples: &[(f64, f64)]) -> f64 {
    let differences = samples.windows(3).map(|triple| {
        let [before, middle, after] = [triple[0], triple[1], triple[2]];
        // Value of the chord at the middle sample; twice the distance is h² f'' on a parabola.
        let share = (middle.0 - before.0) / (after.0 - before.0);
        2.0 * (before.1 + share * (after.1 - before.1) - middle.1).abs()
    });
    differences.fold(0.0, |largest, difference| {
        larger_or_second(difference, largest)
    })
}

/// A point of a subinterval, at whose ends the function is not negative, where it is not positive; from an extremum
/// that the slopes at both ends point to.
fn lowest_between<E>(
    function: &mut impl FnMut(f64) -> Result<f64, E>,
    [from, to]: [(f64, f64); 2],
) -> Result<Option<(f64, f64)>, E> {
    let width = to.0 - from.0;
    let left = (from.0 + SLOPE * width, from.1);
    let right = (to.0 - SLOPE * width, to.1);
    // Rising from the left end or falling to the right one: no minimum inside. The lower end is mostly such a one.
    let ends = if to.1 < from.1 {
        [right, left]
    } else {
        [left, right]
    };
    for (near, end) in ends {
        let value = function(near)?;
        if value < 0.0 {
            return Ok(Some((near, value)));
        }
        if value >= end {
            return Ok(None);
        }
    }
    let middle = from.0 + GOLDEN * width;
    let value = function(middle)?;
    lowest(function, from.0, (middle, value), to.0)
}

/// The smaller part of the golden section.
const GOLDEN: f64 = 0.381_966_011_250_105_1;

/// A point between `a` and `b` where the function is not positive, from its minimum; `None` if the minimum is
/// positive. `middle` is a point between and its value.
///
/// Brent's method (Algorithms for Minimization without Derivatives, 1973, ch. 5): parabolas through the three best
/// points, golden section where they fail. It ends as soon as a value is not positive, or when parabolas no longer
/// lower the value by a noticeable part of it.
fn lowest<E>(
    function: &mut impl FnMut(f64) -> Result<f64, E>,
    mut a: f64,
    middle: (f64, f64),
    mut b: f64,
) -> Result<Option<(f64, f64)>, E> {
    let tolerance = 1e-9 * (b - a);
    let (mut best, mut second, mut third) = (middle, middle, middle);
    let (mut step, mut before_last) = (0.0_f64, 0.0_f64);
    let mut in_vain = 0;
    for _ in 0..MAX_EVALUATIONS {
        if best.1 <= 0.0 {
            return Ok(Some(best));
        }
        // Brent: a point nearer to the last than this has the same value up to round-off.
        let centre = 0.5 * (a + b);
        let smallest = tolerance + 2.0 * f64::EPSILON * best.0.abs();
        if (best.0 - centre).abs() <= 2.0 * smallest - 0.5 * (b - a) || in_vain >= 2 {
            break;
        }
        let mut parabolic = false;
        // Parabola through best, second and third, if it steps less than half of the step before last.
        if before_last.abs() > smallest {
            let r = (best.0 - second.0) * (best.1 - third.1);
            let q = (best.0 - third.0) * (best.1 - second.1);
            let numerator = (best.0 - third.0) * q - (best.0 - second.0) * r;
            let denominator = 2.0 * (r - q);
            let wanted = numerator / denominator;
            let inside = a < best.0 + wanted && best.0 + wanted < b;
            if wanted.is_finite() && inside && wanted.abs() < 0.5 * before_last.abs() {
                (before_last, step) = (step, wanted);
                parabolic = true;
            }
        }
        // Golden section into the larger part.
        if !parabolic {
            before_last = if best.0 < centre {
                b - best.0
            } else {
                a - best.0
            };
            step = GOLDEN * before_last;
        }
        let t = best.0
            + if step.abs() >= smallest {
                step
            } else {
                smallest.copysign(step)
            };
        let tried = (t, function(t)?);
        // A parabola that gains less than 1e-3 of the value will not reach zero.
        let gain = best.1 - tried.1;
        if parabolic && gain.abs() < 1e-3 * best.1 {
            in_vain += 1;
        } else if parabolic {
            in_vain = 0;
        }
        if tried.1 <= best.1 {
            if tried.0 < best.0 {
                b = best.0;
            } else {
                a = best.0;
            }
            (third, second, best) = (second, best, tried);
        } else {
            if tried.0 < best.0 {
                a = tried.0;
            } else {
                b = tried.0;
            }
            if tried.1 <= second.1 || second.0 == best.0 {
                (third, second) = (second, tried);
            } else if tried.1 <= third.1 || third.0 == best.0 || third.0 == second.0 {
                third = tried;
            }
        }
    }
    Ok((best.1 <= 0.0).then_some(best))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// All crossings of a function between `from` and `to` from `count` subintervals, and the number of evaluations
    /// between the samples.
    fn crossings(
        function: impl Fn(f64) -> f64,
        (from, to): (f64, f64),
        direction: Direction,
        count: usize,
    ) -> (Vec<f64>, usize) {
        let (mut found, mut evaluations) = (Vec::new(), 0);
        let mut start = (from, function(from));
        let mut course = Side::of(start.1).map_or(Course::At(None), Course::Off);
        loop {
            let mut samples = vec![start];
            for index in 1..=count {
                let t = from + (to - from) * index as f64 / count as f64;
                if t > start.0 {
                    samples.push((t, function(t)));
                }
            }
            let counted = |t| {
                evaluations += 1;
                Ok::<f64, Infallible>(function(t))
            };
            let Ok(crossing) = first_crossing(
                counted,
                &mut samples,
                &mut course,
                DeadBand::NONE,
                direction,
                1e-13,
            );
            let Some(crossing) = crossing else {
                return (found, evaluations);
            };
            found.push(crossing.t);
            course = if crossing.rests {
                Course::At(Some(crossing.side))
            } else {
                Course::Off(crossing.side)
            };
            start = (crossing.t, crossing.side.edge());
        }
    }

    #[test]
    fn parabolas_that_dip_below_zero_at_any_place_are_found() {
        let mut place = 0.0123;
        for exponent in 0..=12 {
            let depth = 10.0_f64.powi(-exponent);
            for _ in 0..200 {
                place = (place + 0.618_033_988_749_894_9_f64) % 1.0;
                let function = |t: f64| (t - place) * (t - place) - depth;
                let half = depth.sqrt();
                let inside = |t: &f64| *t > 0.0 && *t < 1.0;
                let roots: Vec<f64> = [place - half, place + half].into_iter().collect();
                for (direction, expected) in [
                    (Direction::Falling, vec![roots[0]]),
                    (Direction::Rising, vec![roots[1]]),
                    (Direction::Both, roots.clone()),
                ] {
                    let expected: Vec<f64> = expected.into_iter().filter(inside).collect();
                    let (found, _) = crossings(function, (0.0, 1.0), direction, 8);
                    assert_eq!(
                        found.len(),
                        expected.len(),
                        "{place} {depth} {direction:?} {found:?}"
                    );
                    for (found, expected) in found.iter().zip(&expected) {
                        // A value is known to some 1e-16, and the slope at the root is 2 sqrt(depth).
                        let allowed = 1e-12 + 1e-15 / half;
                        assert!(
                            (found - expected).abs() < allowed,
                            "{found} for {expected}, depth {depth}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn all_roots_of_a_wave_are_found_in_order() {
        for count in [8, 16] {
            let function = |t: f64| (11.0 * t + 0.4).sin() - 0.3;
            let (found, _) = crossings(function, (0.0, 1.0), Direction::Both, count);
            let first = (0.3_f64.asin() - 0.4 + 2.0 * std::f64::consts::PI) / 11.0;
            let second = (std::f64::consts::PI - 0.3_f64.asin() - 0.4) / 11.0;
            assert_eq!(found.len(), 3, "{found:?}");
            assert!((found[0] - second).abs() < 1e-12 && (found[1] - first).abs() < 1e-12);
            assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }

    #[test]
    fn a_function_that_cannot_reach_zero_costs_no_evaluation() {
        for function in [
            |t: f64| 2.0 + t,
            |t: f64| 0.5 + (t - 0.4) * (t - 0.4),
            |t: f64| 1.5 + t.sin(),
        ] {
            let (found, evaluations) = crossings(function, (0.0, 1.0), Direction::Both, 8);
            assert_eq!((found.len(), evaluations), (0, 0));
        }
        // Near zero it costs a few.
        let (found, evaluations) = crossings(
            |t| 1e-4 + (t - 0.4) * (t - 0.4),
            (0.0, 1.0),
            Direction::Both,
            8,
        );
        assert!(found.is_empty() && evaluations < 15, "{evaluations}");
    }

    #[test]
    fn a_start_at_zero_takes_the_first_sign() {
        let (found, _) = crossings(|t| t * (0.7 - t), (0.0, 1.0), Direction::Falling, 8);
        assert_eq!(found.len(), 1);
        assert!((found[0] - 0.7).abs() < 1e-12);
    }

    #[test]
    fn what_is_a_cubic_on_its_samples_is_found_at_once() {
        for function in [
            |t: f64| 0.3 - t,
            |t: f64| 4.9 * (t - 0.1) * (t - 0.733),
            |t: f64| (t - 0.4) * (t * t + 1.0),
        ] {
            let (found, evaluations) = crossings(function, (0.0, 1.0), Direction::Both, 8);
            let roots = found.len();
            assert!(
                roots > 0 && evaluations <= 5 * roots,
                "{evaluations} for {found:?}"
            );
        }
    }

    type Function = fn(f64) -> f64;

    /// Where zero is reached, and where it is left for the side from which the function came.
    #[test]
    fn functions_that_rest_at_zero_cross_where_they_reach_it() {
        let courses: [(Function, &[f64], &[f64]); 6] = [
            (|t| (0.4 - t).max(0.0), &[], &[0.4]),
            (|t| (t - 0.4).min(0.0), &[0.4], &[]),
            (|t| (t - 0.4).max(0.0), &[], &[]),
            (|t| (t - 0.7).max(0.0) + (t - 0.4).min(0.0), &[0.4], &[]),
            (|t| (t - 0.7).max(0.0) + (0.4 - t).max(0.0), &[0.7], &[0.4]),
            // Between two samples.
            (
                |t| (t - 0.41).max(0.0) + (0.4 - t).max(0.0),
                &[0.41],
                &[0.4],
            ),
        ];
        for (number, (function, rising, falling)) in courses.into_iter().enumerate() {
            for count in [8, 64] {
                let both = [falling, rising].concat();
                for (direction, expected) in [
                    (Direction::Rising, rising),
                    (Direction::Falling, falling),
                    (Direction::Both, &both),
                ] {
                    let (found, _) = crossings(function, (0.0, 1.0), direction, count);
                    let near = found
                        .iter()
                        .zip(expected)
                        .all(|(t, e)| (t - e).abs() < 1e-12);
                    assert!(
                        found.len() == expected.len() && near,
                        "{number} {count} {direction:?}: {found:?} for {expected:?}"
                    );
                }
            }
        }
    }

    /// A function at its root has crossed when it leaves its dead band for the other side than its own.
    #[test]
    fn round_off_at_a_root_is_no_crossing() {
        let noisy = |t: f64| {
            let noise = if (t * 1e9) as i64 % 2 == 0 {
                1e-16
            } else {
                -1e-16
            };
            if t < 0.5 { noise } else { 0.5 - t + noise }
        };
        for (side, expected) in [
            (None, 0),
            (Some(Side::Negative), 0),
            (Some(Side::Positive), 1),
        ] {
            let mut samples: Vec<(f64, f64)> = (0..=16)
                .map(|k| f64::from(k) / 16.0)
                .map(|t| (t, noisy(t)))
                .collect();
            let mut course = Course::At(side);
            let function = |t| Ok::<f64, Infallible>(noisy(t));
            let direction = Direction::Both;
            let dead_band = DeadBand {
                root: 0.0,
                width: 1e-14,
            };
            let Ok(found) = first_crossing(
                function,
                &mut samples,
                &mut course,
                dead_band,
                direction,
                1e-13,
            );
            assert_eq!(found.iter().count(), expected, "{side:?}: {found:?}");
            assert!(found.is_none_or(|crossing| (crossing.t - 0.5).abs() < 1e-12));
            assert_eq!(course, Course::Off(Side::Negative));
        }
    }
}
