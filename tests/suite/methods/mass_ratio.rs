//! A body of 1e8 kg beside one of 1 kg: what of the steps is the motion's, and what would be a method's.

use liedae::integrator::MethodOptions;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, solve};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State, System};

const G: f64 = 9.81;

/// Two point masses on massless rods of 1 m, one below the other.
#[derive(Clone, Copy)]
struct Chain {
    masses: [f64; 2],
    angles: [f64; 2],
    speeds: [f64; 2],
}

impl Chain {
    /// Positions and velocities at these angles from the vertical.
    fn cartesian(angles: &[f64], speeds: &[f64]) -> [Vec<f64>; 2] {
        let (mut q, mut v) = (vec![0.0; 4], vec![0.0; 4]);
        for mass in 0..2 {
            for rod in 0..=mass {
                let (sin, cos) = angles[rod].sin_cos();
                q[2 * mass] += sin;
                q[2 * mass + 1] -= cos;
                v[2 * mass] += cos * speeds[rod];
                v[2 * mass + 1] += sin * speeds[rod];
            }
        }
        [q, v]
    }
}

impl Model for Chain {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(4)).with_position_rows(2)
    }
    fn initial_state(&self) -> State {
        let [q, v] = Self::cartesian(&self.angles, &self.speeds);
        State {
            q,
            v,
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..4 {
            mass[(axis, axis)] = S::constant(self.masses[axis / 2]);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-G * self.masses[0]);
        force[3] = S::constant(-G * self.masses[1]);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let (x, y) = (at.q[2] - at.q[0], at.q[3] - at.q[1]);
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
        g[1] = (x * x + y * y - 1.0) * 0.5;
    }
}

/// The same chain as an ODE in its angles, without a difference of large numbers.
struct Angles(Chain);

impl Model for Angles {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }
    fn initial_state(&self) -> State {
        State {
            q: self.0.angles.to_vec(),
            v: self.0.speeds.to_vec(),
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let [upper, lower] = self.0.masses;
        let (a, b, u, v) = (at.q[0], at.q[1], at.v[0], at.v[1]);
        let (sin, cos) = ((a - b).sin(), (a - b).cos());
        let inertia = sin * sin * lower + upper;
        let pull = (b.cos() * G + v * v + u * u * cos) * lower;
        force[0] = -(a.sin() * (upper * G) + sin * pull) / inertia;
        let pull = (u * u + a.cos() * G) * (upper + lower) + v * v * cos * lower;
        force[1] = sin * pull / inertia;
    }
}

fn run(mut system: Box<dyn System>, method: &str, t_end: f64, tolerance: f64) -> Solution {
    let method = crate::known_methods()
        .build(method, &MethodOptions::default())
        .unwrap();
    let mut options = Options::adaptive(t_end, tolerance, tolerance);
    options.max_steps = 1_000_000;
    solve(system.as_mut(), method.as_ref(), &options).unwrap()
}

/// Steps and the error in q of a constrained run, and steps of dopri5 on the ODE.
fn steps(chain: Chain, method: &str, t_end: f64) -> (usize, f64, usize) {
    let found = run(Box::new(Automatic::new(chain)), method, t_end, 1e-6);
    let angles = || Box::new(Automatic::new(Angles(chain)));
    let exact = run(angles(), "dop853", t_end, 1e-12).state;
    let [exact, _] = Chain::cartesian(&exact.q, &exact.v);
    let differences = found.state.q.iter().zip(exact).map(|(a, b)| (a - b).abs());
    let error = differences.fold(0.0, f64::max);
    let ode = run(angles(), "dopri5", t_end, 1e-6).statistics.accepted;
    println!("{method}: {:?}", (found.statistics.accepted, error, ode));
    (found.statistics.accepted, error, ode)
}

/// A heavy upper mass swings as if it were alone; no multiplier of 1e9 N disturbs the light one.
#[test]
fn a_light_mass_below_a_heavy_one() {
    let of_ratio = |ratio: f64| Chain {
        masses: [ratio, 1.0],
        angles: [1.0, 0.5],
        speeds: [0.0; 2],
    };
    for method in ["hem5", "phem56", "dopri5", "mdop5"] {
        let (alike, ..) = steps(of_ratio(1.0), method, 1.0);
        let (heavy, error, _) = steps(of_ratio(1e8), method, 1.0);
        assert!(heavy <= alike && error < 1e-5, "{method}: {heavy} {error}");
    }
}

/// A light mass between the support and a heavy one is a string that sounds at ω = √(2 g m₂ / m₁), 7 kHz at 1e8: explicit methods
/// are bound to the limit of their stability, dopri5 to h ω = 1 in angles without any constraint, hem5 to 3.4, and to less
/// where it has to follow the sound. An implicit method that damps is not.
#[test]
fn a_light_mass_above_a_heavy_one_sounds() {
    let t_end = 0.3;
    for ratio in [1e6_f64, 1e8] {
        let chain = Chain {
            masses: [1.0, ratio],
            angles: [0.0; 2],
            speeds: [0.5; 2],
        };
        let phase = (2.0 * G * ratio).sqrt() * t_end;
        for (method, limit) in [("hem5", 3.4), ("phem56", 1.6), ("dopri5", 1.6)] {
            let (taken, error, ode) = steps(chain, method, t_end);
            let (step, of_ode) = (phase / taken as f64, phase / ode as f64);
            assert!((0.4..limit).contains(&step), "{method}: {step}");
            assert!(
                (0.4..1.6).contains(&of_ode) && error < 1e-6,
                "{of_ode} {error}"
            );
        }
        let (taken, error, _) = steps(chain, "radau5", t_end);
        assert!(taken < 40 && error < 1e-6, "{taken} {error}");
    }
}

/// A heavy mass above or below: the right end, or an error that does not blame the constraints.
#[test]
fn no_method_takes_a_mass_ratio_for_a_singular_configuration() {
    for entry in crate::methods() {
        if entry.method.error_order == 0.0 {
            continue;
        }
        let name = entry.method.name;
        for (masses, angles, t_end) in [
            ([1e8, 1.0], [1.0, 0.5], 1.0),
            ([1.0, 1e6], [0.3, 0.3], 0.01),
        ] {
            let chain = Chain {
                masses,
                angles,
                speeds: [0.0; 2],
            };
            let exact = run(
                Box::new(Automatic::new(Angles(chain))),
                "dop853",
                t_end,
                1e-12,
            );
            let [exact, _] = Chain::cartesian(&exact.state.q, &exact.state.v);
            for tolerance in [1e-4, 1e-6, 1e-8] {
                let method = crate::known_methods()
                    .build(name, &MethodOptions::default())
                    .unwrap();
                let mut options = Options::adaptive(t_end, tolerance, tolerance);
                options.max_steps = 100_000;
                let mut system = Automatic::new(chain);
                match solve(&mut system, method.as_ref(), &options) {
                    Ok(found) => {
                        let pairs = found.state.q.iter().zip(&exact);
                        let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                        assert!(error < 0.1, "{name} {masses:?} {tolerance:e}: {error:e}");
                    }
                    Err(error) => {
                        let message = error.to_string();
                        let blames = ["singular", "depend", "contradict"];
                        assert!(
                            !blames.iter().any(|word| message.contains(word)),
                            "{name} {masses:?} {tolerance:e}: {message}"
                        );
                    }
                }
            }
        }
    }
}
