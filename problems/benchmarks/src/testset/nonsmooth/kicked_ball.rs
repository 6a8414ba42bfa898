//! The motion of a homogeneous ball that slides on a rough slope, in closed form.
//!
//! The velocity u of the point of contact follows u' = a e - b u / |u|, with e down the slope, a = g sin α and b = 7/2 μ g cos α. With
//! its angle θ to e and w = tan(θ/2) = w₀ exp(-a y) this is du/dθ = u (b/a - cos θ) / sin θ, hence
//! u = u₀ (cos²(θ₀/2) + sin²(θ₀/2) exp(-2 a y)) exp(-(b - a) y), and time and path are sums of exponentials of y. That holds on
//! level ground as well. The centre has 2/7 of what friction does to u.

/// A ball at the start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// g sin α in m/s².
    pub fall: f64,
    /// μ g cos α in m/s².
    pub brake: f64,
    /// In m.
    pub radius: f64,
    /// Of the centre, down the slope and across it, in m/s.
    pub velocity: [f64; 2],
    /// Down the slope, across it and off it, in rad/s.
    pub spin: [f64; 3],
}

/// How the point of contact slides.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sliding {
    /// In this direction, and slower at this rate.
    Straight {
        direction: [f64; 2],
        speed: f64,
        rate: f64,
    },
    Turning(Turning),
}

/// Sliding in a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    /// a in m/s².
    fall: f64,
    /// b in m/s².
    brake: f64,
    /// u₀ in m/s.
    speed: f64,
    /// cos²(θ₀/2) and sin²(θ₀/2).
    half: [f64; 2],
    /// sin θ₀, with the sign of the velocity across the slope.
    sine: f64,
}

/// Velocity of the point of contact and its integral from the start.
type Slid = ([f64; 2], [f64; 2]);

impl Motion {
    /// How it slides; `None` where the closed form ends before the motion does: on a slope that is too steep to roll on it
    /// comes to rest for a moment, or starts so.
    pub fn sliding(&self) -> Option<Sliding> {
        let [x, y] = self.contact_velocity();
        let (speed, brake) = (x.hypot(y), 3.5 * self.brake);
        let rolls = brake > self.fall || (self.fall == 0.0 && brake == 0.0);
        if speed == 0.0 {
            let direction = [1.0, 0.0];
            let rate = brake;
            return rolls.then_some(Sliding::Straight {
                direction,
                speed,
                rate,
            });
        }
        let direction = [x / speed, y / speed];
        if self.fall == 0.0 || y == 0.0 {
            let rate = brake - self.fall * direction[0];
            let ends_well = rolls || x > 0.0;
            return ends_well.then_some(Sliding::Straight {
                direction,
                speed,
                rate,
            });
        }
        // Both without cancellation.
        let [x, y] = direction;
        let large = 0.5 * (1.0 + x.abs());
        let small = 0.25 * y * y / large;
        if !rolls && x < 0.0 && small < 1e-150 {
            // It all but stops before it turns round, and its squares underflow.
            return None;
        }
        Some(Sliding::Turning(Turning {
            fall: self.fall,
            brake,
            speed,
            half: if x > 0.0 {
                [large, small]
            } else {
                [small, large]
            },
            sine: y,
        }))
    }

    fn contact_velocity(&self) -> [f64; 2] {
        [
            self.velocity[0] - self.radius * self.spin[1],
            self.velocity[1] + self.radius * self.spin[0],
        ]
    }

    /// Place and velocity of the centre along both directions of the slope, then the spin.
    pub fn at(&self, sliding: &Sliding, t: f64, out: &mut [f64]) {
        let sliding_time = t.min(sliding.duration());
        let (slip, slipped) = sliding.at(sliding_time);
        let start = self.contact_velocity();
        let rolling_time = t - sliding_time;
        for (k, fall) in [self.fall, 0.0].into_iter().enumerate() {
            let fallen = fall * sliding_time;
            // What friction has done to the centre.
            let gained = 2.0 / 7.0 * (slip[k] - start[k] - fallen);
            let moved = 2.0 / 7.0 * (slipped[k] - (start[k] + 0.5 * fallen) * sliding_time);
            let velocity = self.velocity[k] + fallen + gained;
            let rolling = 5.0 / 7.0 * fall * rolling_time;
            out[k] = (self.velocity[k] + 0.5 * fallen) * sliding_time
                + moved
                + (velocity + 0.5 * rolling) * rolling_time;
            out[2 + k] = velocity + rolling;
            // Friction turns it about the other axis; rolling, it turns as it moves.
            let turned = (2.5 * gained - rolling) / self.radius;
            let (axis, sign) = [(1, -1.0), (0, 1.0)][k];
            out[4 + axis] = self.spin[axis] + sign * turned;
        }
        out[6] = self.spin[2];
    }
}

impl Sliding {
    /// Time in s until it rolls.
    pub fn duration(&self) -> f64 {
        match self {
            Self::Straight { speed, .. } if *speed == 0.0 => 0.0,
            Self::Straight { speed, rate, .. } if *rate > 0.0 => speed / rate,
            Self::Straight { .. } => f64::INFINITY,
            Self::Turning(turning) => turning.duration(),
        }
    }

    /// While it slides.
    fn at(&self, t: f64) -> Slid {
        match self {
            Self::Straight {
                direction,
                speed,
                rate,
            } => (
                direction.map(|part| part * (speed - rate * t)),
                direction.map(|part| part * (speed - 0.5 * rate * t) * t),
            ),
            Self::Turning(turning) => turning.at(t),
        }
    }
}

impl Turning {
    /// The integral of exp(-r y) from 0 to y, where r is so many times b and so many times a.
    fn integral(&self, brakes: f64, falls: f64, y: f64) -> f64 {
        let rate = brakes * self.brake + falls * self.fall;
        if rate == 0.0 {
            y
        } else {
            -(-rate * y).exp_m1() / rate
        }
    }

    /// When y is reached.
    fn time(&self, y: f64) -> f64 {
        let [cosine, sine] = self.half;
        let sum = cosine * self.integral(1.0, -1.0, y) + sine * self.integral(1.0, 1.0, y);
        self.speed * sum
    }

    /// Time in s until it rolls.
    fn duration(&self) -> f64 {
        if self.brake > self.fall {
            self.time(f64::INFINITY)
        } else {
            f64::INFINITY
        }
    }

    /// y at a time; it grows with time.
    fn when(&self, t: f64) -> f64 {
        if t >= self.duration() {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, (self.brake + self.fall).recip());
        while self.time(high) < t {
            high *= 2.0;
        }
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if self.time(middle) < t {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    fn at(&self, t: f64) -> Slid {
        let y = self.when(t);
        let [cosine, sine] = self.half;
        let decayed = |rate: f64| self.speed * (-rate * y).exp();
        let straight =
            cosine * decayed(self.brake - self.fall) - sine * decayed(self.brake + self.fall);
        let down = cosine * cosine * self.integral(2.0, -2.0, y)
            - sine * sine * self.integral(2.0, 2.0, y);
        let across = cosine * self.integral(2.0, -1.0, y) + sine * self.integral(2.0, 1.0, y);
        let square = self.speed * self.speed;
        (
            [straight, self.sine * decayed(self.brake)],
            [square * down, self.sine * square * across],
        )
    }
}

/// So many halve any start down to the last bit of what counts.
const BISECTIONS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    /// The equation of motion, by differences of the closed form.
    #[test]
    fn the_closed_form_moves_as_it_must() {
        for (fall, brake, velocity, spin) in [
            (2.9, 2.8, [1.0, 2.0], [10.0, -10.0, 5.0]),
            (2.9, 2.8, [-1.0, -2.0], [3.0, 10.0, 0.0]),
            (2.9, 0.5, [1.0, 2.0], [0.0; 3]),
            (3.5, 1.0, [0.5, 1.0], [0.0; 3]),
            (0.0, 1.0, [0.5, 1.0], [0.0, 3.0, 0.0]),
            (2.9, 2.8, [-1.0, 0.0], [0.0; 3]),
            (2.9, 0.5, [1.0, 0.0], [0.0; 3]),
            (2.9, 0.0, [1.0, 0.3], [0.0; 3]),
            (2.9, 2.8, [1.0, 2.0], [-20.0, 10.0, 5.0]),
            // Nearly level, and hardly turning.
            (1e-3, 2.8, [1.0, 2.0], [10.0, -10.0, 5.0]),
            (1e-12, 2.8, [1.0, 2.0], [0.0; 3]),
            (1e-320, 2.8, [-1.0, 2.0], [0.0; 3]),
            (2.9, 2.8, [-1.0, 1e-200], [0.0; 3]),
            (2.9, 2.8, [1.0, 1e-200], [0.0; 3]),
        ] {
            let motion = Motion {
                fall,
                brake,
                radius: 0.1,
                velocity,
                spin,
            };
            let sliding = motion.sliding().expect("known");
            let at = |t: f64| {
                let mut out = [f64::NAN; 7];
                motion.at(&sliding, t, &mut out);
                out
            };
            for (value, expected) in at(0.0).into_iter().zip([
                0.0,
                0.0,
                velocity[0],
                velocity[1],
                spin[0],
                spin[1],
                spin[2],
            ]) {
                assert!((value - expected).abs() < 1e-12, "{motion:?} {value}");
            }
            let ends = sliding.duration();
            for t in [0.05, 0.11, 0.2, 0.7] {
                let h = 1e-5;
                let (now, before, after) = (at(t), at(t - h), at(t + h));
                let rate = |index: usize| (after[index] - before[index]) / (2.0 * h);
                let slip = [now[2] - 0.1 * now[5], now[3] + 0.1 * now[4]];
                let length = slip[0].hypot(slip[1]);
                for k in 0..2 {
                    assert!((rate(k) - now[2 + k]).abs() < 1e-7, "{motion:?} {t}");
                    let fall = [fall, 0.0][k];
                    let expected = if t < ends {
                        fall - brake * slip[k] / length
                    } else {
                        assert!(length < 1e-12, "{motion:?} {t} {length}");
                        5.0 / 7.0 * fall
                    };
                    assert!((rate(2 + k) - expected).abs() < 1e-7, "{motion:?} {t}");
                    // A contact force F at -R z turns the ball: 2/5 R² ω' = -R z × F.
                    let force = rate(2 + k) - fall;
                    let (axis, sign) = [(5, -1.0), (4, 1.0)][k];
                    let turns = sign * 2.5 * force / 0.1;
                    assert!((rate(axis) - turns).abs() < 1e-5, "{motion:?} {t}");
                }
            }
        }
    }

    #[test]
    fn what_would_slide_again_has_no_closed_form() {
        let motion = |velocity, brake| Motion {
            fall: 2.9,
            brake,
            radius: 0.1,
            velocity,
            spin: [0.0; 3],
        };
        assert!(motion([-1.0, 0.0], 0.5).sliding().is_none());
        assert!(motion([0.0, 0.0], 0.5).sliding().is_none());
        assert!(motion([0.0, 0.0], 2.8).sliding().is_some());
    }
}
