//! A puck on an inclined plane, kicked across the slope.
//!
//! With κ = μ / tan α, the angle θ of its velocity to the line of fall and u = tan(θ/2), Coulomb's law gives
//! dv/dθ = v (κ - cos θ) / sin θ, hence v = C/2 u^(κ-1) (1 + u²), and time and path are sums of powers of u.

use super::run::{CLOSE, TOLERANCE, distance, run};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::Options;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel, ContactStatus};

const GRAVITY: f64 = 9.81;
const MASS: f64 = 0.7;

/// Coordinates: down the slope, across it, off the plane.
#[derive(Clone, Copy)]
struct Puck {
    slope: f64,
    friction: f64,
    velocity: [f64; 2],
}

impl Model for Puck {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![self.velocity[0], self.velocity[1], 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..3 {
            mass[(index, index)] = S::constant(MASS);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(MASS * GRAVITY * self.slope.sin());
        force[2] = S::constant(-MASS * GRAVITY * self.slope.cos());
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Puck {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("plane", 0.0).with_spatial_friction(self.friction)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[2]
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        // Tangents that are not the axes.
        let (s, c) = 0.4_f64.sin_cos();
        sliding[0] = at.v[0] * S::constant(c) + at.v[1] * S::constant(s);
        sliding[1] = at.v[1] * S::constant(c) - at.v[0] * S::constant(s);
    }
}

/// The closed form.
struct Truth {
    kappa: f64,
    fall: f64,
    constant: f64,
    start: f64,
}

impl Truth {
    fn of(puck: Puck) -> Self {
        let kappa = puck.friction / puck.slope.tan();
        let [x, y] = puck.velocity;
        let start = (y.atan2(x) / 2.0).tan();
        let speed = x.hypot(y);
        Self {
            kappa,
            fall: GRAVITY * puck.slope.sin(),
            constant: 2.0 * speed / (start.powf(kappa - 1.0) * (1.0 + start * start)),
            start,
        }
    }

    /// ∫ u^(power - 1) du from u to the start.
    fn integral(&self, power: f64, u: f64) -> f64 {
        if power == 0.0 {
            (self.start / u).ln()
        } else {
            (self.start.powf(power) - u.powf(power)) / power
        }
    }

    fn time(&self, u: f64) -> f64 {
        let k = self.kappa;
        let sum = self.integral(k - 1.0, u) + self.integral(k + 1.0, u);
        self.constant / (2.0 * self.fall) * sum
    }

    fn position(&self, u: f64) -> [f64; 2] {
        let (k, factor) = (self.kappa, self.constant.powi(2) / (4.0 * self.fall));
        let down = self.integral(2.0 * k - 2.0, u) - self.integral(2.0 * k + 2.0, u);
        let across = self.integral(2.0 * k - 1.0, u) + self.integral(2.0 * k + 1.0, u);
        [factor * down, 2.0 * factor * across]
    }

    fn velocity(&self, u: f64) -> [f64; 2] {
        let factor = self.constant * u.powf(self.kappa - 1.0);
        [0.5 * factor * (1.0 - u * u), factor * u]
    }

    /// The parameter at a time, by bisection: time falls with it.
    fn at(&self, t: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.start);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.time(middle) > t {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// Up and across, so that its velocity turns by more than 90° before it stops: its path has a sharp end, θ ~ v^(1/(κ-1)).
fn stops(method: &str, kappa: f64, tolerance: f64, close: f64) {
    let slope = 0.3_f64;
    let puck = Puck {
        slope,
        friction: kappa * slope.tan(),
        velocity: [-1.5, 2.0],
    };
    let truth = Truth::of(puck);
    let stop = truth.time(0.0);
    let options = Options::adaptive(stop + 0.1, tolerance, tolerance);
    let found = run(puck, method, &options);
    let [x, y] = truth.position(0.0);
    let place = distance(&found.solution.state.q, &[x, y, 0.0]);
    let events = found.events();
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0].0, "stick plane");
    let moment = (events[0].1 - stop).abs();
    let normal = MASS * GRAVITY * slope.cos();
    let forces = found.outputs(&["plane.force", "plane.friction"]);
    let forces = distance(&forces, &[normal, MASS * GRAVITY * slope.sin()]);
    println!(
        "{method} κ {kappa}: place {place:.1e} m, moment {moment:.1e} s, forces {forces:.1e} N, {} steps",
        found.solution.statistics.accepted
    );
    assert!(place < close && moment < close && forces < 1e-9);
    assert_eq!(found.solution.state.mode, [ContactStatus::Sticking.mode()]);
    assert!(distance(&found.solution.state.v, &[0.0; 3]) < 1e-12);
}

#[test]
fn a_puck_that_stops_with_explicit_methods() {
    for method in ["hem5", "mdop5", "dop853", "phem56"] {
        for kappa in [1.5, 2.0, 4.0] {
            stops(method, kappa, TOLERANCE, CLOSE);
        }
    }
}

#[test]
fn a_puck_that_stops_with_implicit_methods() {
    for method in ["radau5", "bdf"] {
        for kappa in [1.5, 2.0, 4.0] {
            stops(method, kappa, TOLERANCE, CLOSE);
        }
    }
}

/// κ < 1: it slides on and turns into the line of fall.
#[test]
fn a_puck_that_turns_into_the_line_of_fall() {
    let slope = 0.3_f64;
    let puck = Puck {
        slope,
        friction: 0.7 * slope.tan(),
        velocity: [-1.5, 0.4],
    };
    let truth = Truth::of(puck);
    for method in ["hem5", "radau5"] {
        let found = run(puck, method, &Options::adaptive(2.0, TOLERANCE, TOLERANCE));
        let u = truth.at(2.0);
        let ([x, y], [vx, vy]) = (truth.position(u), truth.velocity(u));
        let place = distance(&found.solution.state.q, &[x, y, 0.0]);
        let velocity = distance(&found.solution.state.v, &[vx, vy, 0.0]);
        println!(
            "{method}: place {place:.1e} m, velocity {velocity:.1e} m/s, {} steps",
            found.solution.statistics.accepted
        );
        assert!(place < CLOSE && velocity < CLOSE);
        assert!(found.solution.events.is_empty());
    }
}
