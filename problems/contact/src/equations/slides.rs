//! Sliding in space: the direction of friction in a contact plane.
//!
//! Friction points against the tangential velocity v. Its direction turns at a rate of about a_⊥ / |v|, which has no limit at rest;
//! so every contact that slides in space keeps a direction d, which changes at events only.
//!
//! - **Away from rest** friction follows v / |v|. The direction d is where v pointed at the last event: v · d falls to zero where
//!   sliding ends, as the signed velocity does in the plane, while |v| would only touch it. Beyond that zero the direction is
//!   mirrored, so that straight sliding goes on smoothly through rest, and a method finds the moment by a step across it.
//! - **Slow sliding** takes a fresh d, and friction leans towards it the more, the slower it is: what round-off leaves
//!   of v across d has the length of v itself where sliding ends, and a step that ends there would be thrown aside.
//! - **Near rest**, where sliding has just begun, friction is against d itself, until v is fast enough to have a
//!   direction that is no round-off.
//! - **Wavering**: friction that leans towards d lags behind v. Where true sliding would settle on a direction and stop along it, v then
//!   overshoots, by 60° to one side of d and the other in turn, and the mean of both frictions holds it: a point within the cone. So
//!   friction can hold what neither stops nor gets away, and its sliding has come to rest after [`TURNS`] such turns. So can the errors of
//!   explicit methods at a higher speed: their steps pass the moment of rest on one side of d and the other.
//! - **Creeping**: or they pass it without such turns. So sliding that stays slow is looked at now and then. What forces stop while
//!   nothing moves farther than [`SHORT`] gap thresholds is looked at once more when it should have stopped long ago. If it slides on like
//!   that, and friction can more than hold it, it has come to rest; so has what wavers. All else slides on, however slow: a
//!   slow slip may belong to a heavy body in fast motion, as that of a wheel with toe-in, or to loads that swing.

use crate::Thresholds;

/// Sliding ends below this multiple of the velocity threshold.
const REST: f64 = 1e-3;

/// What slides goes on below the threshold, where it only begins, down to this multiple at other events than its own.
const GOES_ON: f64 = 0.1;

/// Below this multiple sliding is slow.
const SLOW: f64 = 1e3;

/// And above this one it is no longer.
const QUICK: f64 = 1e4;

/// Slower than this multiple of the threshold friction leans towards d.
const SOFT: f64 = 3.0;

/// So often may slow sliding turn.
const TURNS: u8 = 4;

/// Slower than this multiple of the threshold friction leans so much that what wavers needs no more than to be held.
const LEANS: f64 = 2.0 * SOFT;

/// Slower than this one turns count.
const WAVERS: f64 = 2e2;

/// Slow sliding is looked at after so many times the time in which sliding at the velocity threshold comes as far as the gap threshold.
const FIRST_LOOK: f64 = 1.0;

/// Sliding that forces stop while nothing moves farther than so many gap thresholds is at rest.
const SHORT: f64 = 1e2;

/// What should have stopped slides on for so many times the time that it needs before that counts.
const OVERDUE: f64 = 10.0;

/// Events are located to less than this part of the time until the next look.
const ROUND_OFF: f64 = 1e-3;

/// Sliding has turned away from d where v · d is below this share of |v|: 60°.
const TURNED: f64 = 0.5;

/// How fast a contact slides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// It has just begun.
    Begins,
    /// The speed below which friction leans towards the direction.
    Slow {
        softening: f64,
        /// How often it has turned since it was fast enough for friction to follow it.
        turns: u8,
        watch: Watch,
    },
    Free,
}

/// When slow sliding is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Watch {
    patience: f64,
    until: f64,
    /// Forces would have stopped it by then, within a short distance.
    overdue: bool,
}

/// What sliding is told from rest by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// The velocity threshold.
    pub threshold: f64,
    /// The gap threshold.
    gap: f64,
    now: f64,
}

impl Measure {
    pub fn at(t: f64, thresholds: &Thresholds) -> Self {
        Self {
            threshold: thresholds.velocity,
            gap: thresholds.gap,
            now: t,
        }
    }

    fn watch(&self) -> Watch {
        let patience = FIRST_LOOK * self.gap / self.threshold;
        Watch {
            patience,
            until: self.now + patience,
            overdue: false,
        }
    }

    /// Whether sliding at this speed that is slowed down at this rate comes to rest within a distance that counts for none, where
    /// velocities of the system change by up to `change` until then.
    pub fn stops_short(&self, speed: f64, rate: f64, change: f64) -> bool {
        change * speed < 2.0 * rate * SHORT * self.gap
    }
}

/// How a contact slides in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slide {
    /// A unit vector.
    pub direction: [f64; 2],
    pub pace: Pace,
}

impl Default for Slide {
    fn default() -> Self {
        Self {
            direction: [1.0, 0.0],
            pace: Pace::Begins,
        }
    }
}

/// What the event function of a sliding contact has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// It has come to rest.
    Rest,
    /// It has turned to and fro too often to be told from rest.
    Wavers,
    /// It slides on, in another direction.
    Turn,
    /// It is still slow.
    Lasts,
    /// It is, though forces would have stopped it long ago.
    Overdue,
}

impl Slide {
    /// Of a velocity that has a direction.
    pub fn along(velocity: [f64; 2], measure: Measure) -> Self {
        let (length, threshold) = (length(velocity), measure.threshold);
        let pace = if Self::is_slow(velocity, threshold) {
            Pace::Slow {
                softening: SOFT * threshold,
                turns: 0,
                watch: measure.watch(),
            }
        } else {
            Pace::Free
        };
        Self {
            direction: velocity.map(|component| component / length),
            pace,
        }
    }

    /// The same, of sliding that was slow before: it is watched as it was.
    pub fn on_along(&self, velocity: [f64; 2], measure: Measure) -> Self {
        let mut slide = Self::along(velocity, measure);
        if let (Pace::Slow { watch: before, .. }, Pace::Slow { watch, .. }) =
            (self.pace, &mut slide.pace)
        {
            *watch = before;
        }
        slide
    }

    /// Of sliding that has turned to this velocity.
    pub fn turned(&self, velocity: [f64; 2], measure: Measure) -> Self {
        let mut slide = self.on_along(velocity, measure);
        if let (Pace::Slow { turns: before, .. }, Pace::Slow { turns, .. }) =
            (self.pace, &mut slide.pace)
            && length(velocity) < WAVERS * measure.threshold
        {
            *turns = before + 1;
        }
        slide
    }

    /// Of sliding that has wavered about this direction, where forces at rest let it slide on.
    pub fn settled(direction: [f64; 2], velocity: [f64; 2], measure: Measure) -> Self {
        let along = Self::along(velocity, measure);
        let settled = Self { direction, ..along };
        match settled.event_function(velocity, measure, 0.0) > 0.0 {
            true => settled,
            false => along,
        }
    }

    /// Slow sliding that has been looked at is looked at again: after twice the time, or, where it would stop within a short distance, at a
    /// moment at which it should have.
    pub fn watch_on(&mut self, stops_in: Option<f64>, measure: Measure) {
        if let Pace::Slow { watch, .. } = &mut self.pace {
            let patience = match stops_in {
                Some(_) => watch.patience,
                None => 2.0 * watch.patience,
            };
            *watch = Watch {
                patience,
                until: measure.now + stops_in.map_or(patience, |time| OVERDUE * time),
                overdue: stops_in.is_some(),
            };
        }
    }

    /// Whether sliding is slow enough to be looked at.
    pub fn is_slow(velocity: [f64; 2], threshold: f64) -> bool {
        // What has just slowed down to it is.
        length(velocity) < 2.0 * SLOW * threshold
    }

    /// The speed above which a contact slides behind an event, of one that did or did not before it. Were they the same, what slows down to it
    /// would have the friction of sliding above it and that of a beginning below it, in turn.
    pub fn least_speed(&self, slid: bool, threshold: f64) -> f64 {
        match slid && self.pace != Pace::Begins {
            true => GOES_ON * threshold,
            false => threshold,
        }
    }

    /// Whether what wavers is so slow that friction leans: then it needs no more than to hold it.
    pub fn leans(velocity: [f64; 2], threshold: f64) -> bool {
        length(velocity) < LEANS * threshold
    }

    /// The velocity along the direction.
    pub fn advance(&self, velocity: [f64; 2]) -> f64 {
        self.direction[0] * velocity[0] + self.direction[1] * velocity[1]
    }

    /// The share w = s² / (s² + ε²) that the velocity across the direction has at a speed s, and dw/ds / s.
    fn share_across(&self, speed: f64) -> [f64; 2] {
        let Pace::Slow { softening, .. } = self.pace else {
            return [1.0, 0.0];
        };
        let (square, soft) = (speed * speed, softening * softening);
        let sum = square + soft;
        [square / sum, 2.0 * soft / (sum * sum)]
    }

    /// The velocity as friction sees it, |v · d| d + w p with the part p across d; `None` where it has no direction.
    fn seen(&self, velocity: [f64; 2]) -> Option<[f64; 2]> {
        if self.pace == Pace::Begins {
            return None;
        }
        let advance = self.advance(velocity);
        let [share, _] = self.share_across(length(velocity));
        let part = |k: usize| {
            let along = advance * self.direction[k];
            advance.abs() * self.direction[k] + share * (velocity[k] - along)
        };
        Some([part(0), part(1)]).filter(|&seen| length(seen) > 0.0)
    }

    /// The unit vector against which friction acts.
    pub fn against(&self, velocity: [f64; 2]) -> [f64; 2] {
        match self.seen(velocity) {
            Some(seen) => seen.map(|part| part / length(seen)),
            None => self.direction,
        }
    }

    /// The derivative of [`against`](Self::against) by the velocity: row k has that of component k.
    pub fn slope(&self, velocity: [f64; 2]) -> [[f64; 2]; 2] {
        let Some(seen) = self.seen(velocity) else {
            return [[0.0; 2]; 2];
        };
        let (size, d) = (length(seen), self.direction);
        let advance = self.advance(velocity);
        let sign = if advance < 0.0 { -1.0 } else { 1.0 };
        let [share, grows] = self.share_across(length(velocity));
        // Of what friction sees.
        let inner = [0, 1].map(|k| {
            let across = velocity[k] - advance * d[k];
            [0, 1].map(|l| {
                let unit = if k == l { 1.0 } else { 0.0 };
                (sign - share) * d[k] * d[l] + share * unit + across * grows * velocity[l]
            })
        });
        let against = seen.map(|part| part / size);
        [0, 1].map(|k| {
            [0, 1].map(|l| {
                let along = against[0] * inner[0][l] + against[1] * inner[1][l];
                (inner[k][l] - against[k] * along) / size
            })
        })
    }

    /// The event function: it falls to zero where sliding comes to rest, where it has another direction or pace, and where it is to be looked
    /// at; `allowed` is the speed against the direction that is none.
    pub fn event_function(&self, velocity: [f64; 2], measure: Measure, allowed: f64) -> f64 {
        let (advance, length) = (self.advance(velocity), length(velocity));
        let threshold = measure.threshold;
        // 0 at this speed straight ahead, and where it has turned at high speed.
        let ahead = |least: f64| advance - TURNED * length - (1.0 - TURNED) * least * threshold;
        match self.pace {
            Pace::Begins => (advance + allowed).min(threshold - length),
            Pace::Slow { watch, .. } => {
                let slow = SLOW * threshold;
                let left = slow * (watch.until - measure.now) / watch.patience;
                (ahead(REST).min(QUICK * threshold - length)).min(left.max(length - slow))
            }
            Pace::Free => ahead(SLOW),
        }
    }

    /// What the event function says where it has fallen to zero.
    pub fn found(&self, velocity: [f64; 2], measure: Measure) -> Found {
        let (length, threshold) = (length(velocity), measure.threshold);
        let slides = match self.pace {
            Pace::Begins => self.advance(velocity) > 0.0 && length > 0.5 * threshold,
            // At rest the length is that of REST, but for what events are located to.
            Pace::Slow { .. } | Pace::Free => length > GOES_ON * threshold,
        };
        let Pace::Slow { turns, watch, .. } = self.pace else {
            return if slides { Found::Turn } else { Found::Rest };
        };
        let looked_at = measure.now > watch.until - ROUND_OFF * watch.patience;
        match turns {
            _ if !slides => Found::Rest,
            TURNS if length < WAVERS * threshold => Found::Wavers,
            _ if looked_at && Self::is_slow(velocity, threshold) => match watch.overdue {
                true => Found::Overdue,
                false => Found::Lasts,
            },
            _ => Found::Turn,
        }
    }
}

fn length(velocity: [f64; 2]) -> f64 {
    velocity[0].hypot(velocity[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(now: f64) -> Measure {
        Measure::at(now, &Thresholds::scaled(1.0, 1.0))
    }

    #[test]
    fn slopes_are_those_of_differences() {
        for size in [1.0, 1e-6] {
            let slide = Slide::along([3.0 * size, size], measure(0.0));
            assert_eq!(slide.pace == Pace::Free, size == 1.0);
            for velocity in [[0.7, 0.4], [-0.3, 0.2], [-1.0, -0.1], [0.02, -0.05]] {
                let velocity = velocity.map(|part| size * part);
                let slope = slide.slope(velocity);
                // Slow sliding turns fast, and the error of a difference grows with the slope.
                let largest = slope
                    .as_flattened()
                    .iter()
                    .fold(0.0, |max: f64, x| max.max(x.abs()));
                for l in 0..2 {
                    let at = |step: f64| {
                        let mut moved = velocity;
                        moved[l] += step;
                        slide.against(moved)
                    };
                    let step = 1e-6 * size;
                    let (ahead, behind) = (at(step), at(-step));
                    for k in 0..2 {
                        let difference = (ahead[k] - behind[k]) / (2.0 * step);
                        let error = (difference - slope[k][l]).abs();
                        assert!(
                            error < 1e-6 * (1.0 / size + largest),
                            "{velocity:?}: {error}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn friction_goes_on_beyond_rest() {
        for size in [1.0, 1e-6] {
            let slide = Slide::along([0.6 * size, 0.8 * size], measure(0.0));
            for speed in [1.0, 1e-3, -1e-3, -1.0] {
                let speed = speed * size;
                let [x, y] = slide.against([0.6 * speed, 0.8 * speed]);
                assert!(
                    (x - 0.6).abs() < 1e-15 && (y - 0.8).abs() < 1e-15,
                    "{speed}"
                );
            }
            assert_eq!(slide.against([0.0; 2]), slide.direction);
        }
    }

    #[test]
    fn rest_and_turns_are_told_apart() {
        let slide = Slide::along([1.0, 0.0], measure(0.0));
        let value = |slide: Slide, velocity| slide.event_function(velocity, measure(0.0), 0.0);
        assert!(value(slide, [1.0, 1.0]) > 0.0 && value(slide, [1.0, 2.0]) < 0.0);
        assert!(value(slide, [-1.0, 0.0]) < 0.0 && value(slide, [0.9e-4, 0.0]) < 0.0);
        assert_eq!(slide.found([1.0, 1.8], measure(0.0)), Found::Turn);
        let slow = Slide::along([1e-5, 0.0], measure(0.0));
        assert!(value(slow, [1.1e-10, 0.0]) > 0.0 && value(slow, [0.9e-10, 0.0]) < 0.0);
        assert!(value(slow, [1.1e-3, 0.0]) < 0.0);
        assert_eq!(slow.found([1e-10, 0.0], measure(0.0)), Found::Rest);
        assert_eq!(slow.found([1e-3, 0.0], measure(0.0)), Found::Turn);
        let (mut wavering, sides) = (slow, [[1e-7, 1e-7], [1e-7, -1e-7]]);
        for turn in 0..TURNS {
            let side = sides[usize::from(turn % 2)];
            assert_eq!(wavering.found(side, measure(0.0)), Found::Turn);
            wavering = wavering.turned(side, measure(0.0));
        }
        assert_eq!(wavering.found(sides[0], measure(0.0)), Found::Wavers);
        assert_eq!(wavering.found([1e-10, 0.0], measure(0.0)), Found::Rest);
        let faster = wavering.turned([3e-5, 0.0], measure(0.0));
        assert_eq!(faster.found(sides[0], measure(0.0)), Found::Turn);
        let begins = Slide::default();
        assert_eq!(begins.against([0.0, 5.0]), [1.0, 0.0]);
        assert_eq!(begins.found([1e-7, 1e-9], measure(0.0)), Found::Turn);
        assert_eq!(begins.found([-1e-11, 0.0], measure(0.0)), Found::Rest);
    }

    /// Slow sliding is looked at, after twice the time from look to look.
    #[test]
    fn what_stays_slow_is_looked_at() {
        let velocity = [3e-6, 4e-6];
        let mut slide = Slide::along(velocity, measure(0.0));
        let found = |slide: Slide, velocity, t: f64| {
            let still = slide.event_function(velocity, measure(t), 0.0) <= 0.0;
            still.then(|| slide.found(velocity, measure(t)))
        };
        assert_eq!(found(slide, velocity, 0.9e-3), None);
        assert_eq!(found(slide, velocity, 1.1e-3), Some(Found::Lasts));
        // Faster it is not, until it slows down.
        assert_eq!(found(slide, [3e-4, 4e-4], 1.1e-3), None);
        slide.watch_on(None, measure(1e-3));
        let turned = slide.turned([-4e-6, 3e-6], measure(2e-3));
        for (slide, velocity) in [(slide, velocity), (turned, [-4e-6, 3e-6])] {
            assert_eq!(found(slide, velocity, 2.9e-3), None);
            assert_eq!(found(slide, velocity, 3.1e-3), Some(Found::Lasts));
        }
        // At 0.5 m/s² it rests after 10 µs, and should have long ago after ten times that.
        slide.watch_on(Some(1e-5), measure(3e-3));
        assert_eq!(found(slide, velocity, 3.09e-3), None);
        assert_eq!(found(slide, velocity, 3.11e-3), Some(Found::Overdue));
    }

    /// 5e-6 m/s at 1 m/s² end within 1.25e-11 m, at 1e-3 m/s² within 1.25e-8 m; a body that is a thousand times as fast moves farther.
    #[test]
    fn a_stopping_distance_is_short_or_not() {
        let (measure, speed) = (measure(0.0), 5e-6);
        assert!(measure.stops_short(speed, 1.0, speed));
        for (rate, change) in [
            (1e-3, speed),
            (0.0, speed),
            (-1.0, speed),
            (1.0, 1e3 * speed),
        ] {
            assert!(!measure.stops_short(speed, rate, change), "{rate}");
        }
    }
}
