//! Painlevé's rod in space: a thin rod slides with one end on a rough plane, in any direction.
//!
//! Its lower end is P = c + l u, with the centre c, half the length l and a unit vector u. Without spin about its own axis ω·u = 0,
//! u' = ω × u, I ω' = l u × F and m c'' = F + m g with F = N f, f = e_z - μ v_P / |v_P|. That P stays on the plane gives
//!
//! N A = g + l ω² u_z,   A = 1/m + l²/I (1 - u_z u·f).
//!
//! Where A < 0 while the right-hand side is positive no force keeps P above the plane: Painlevé's case (F. Génot, B. Brogliato,
//! New results on Painlevé paradoxes, Eur. J. Mech. A/Solids 18 (1999) 653-677, doi:10.1016/S0997-7538(99)00144-8).

use super::run::{CLOSE, GRAVITY, attempt, distance, run};
use liedae::solve::SolveErrorKind;
use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Surface, SurfaceContact};
use nalgebra::{Rotation3, Vector3};

const MASS: f64 = 1.0;
const HALF: f64 = 0.5;
const INERTIA: f64 = MASS * HALF * HALF / 3.0;

/// A rod whose lower end is at the origin.
#[derive(Clone, Copy)]
struct Rod {
    friction: f64,
    /// Towards the lower end.
    down: Vector3<f64>,
    omega: Vector3<f64>,
    /// Of the lower end.
    velocity: Vector3<f64>,
}

impl Rod {
    /// A rod at this angle above the plane, leaning along x, which turns with `omega` as far as that is across it.
    fn new(friction: f64, angle: f64, omega: [f64; 3], velocity: [f64; 2]) -> Self {
        let (sin, cos) = angle.sin_cos();
        let down = Vector3::new(cos, 0.0, -sin);
        let omega = Vector3::from(omega);
        Self {
            friction,
            down,
            omega: omega - down * omega.dot(&down),
            velocity: Vector3::new(velocity[0], velocity[1], 0.0),
        }
    }

    fn mechanism(&self) -> MultibodyBuilder {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -GRAVITY]);
        let along = Rotation3::rotation_between(&Vector3::z(), &self.down).expect("not opposite");
        let body = RigidBody::new("rod", MASS, [INERTIA, INERTIA, 1e-3 * INERTIA])
            .at(-HALF * self.down)
            .rotated(along.into_inner())
            .moving(
                self.velocity - HALF * self.omega.cross(&self.down),
                along.inverse() * self.omega,
            );
        let body = mechanism.add_body(body);
        let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
        let tip = Surface::point(body, [0.0, 0.0, HALF]);
        mechanism.add_contact(SurfaceContact::new("tip", floor, tip).with_friction(self.friction));
        mechanism
    }

    /// c, c', u, ω.
    fn start(&self) -> Motion {
        let centre = -HALF * self.down;
        let rate = self.velocity - HALF * self.omega.cross(&self.down);
        [centre, rate, self.down, self.omega]
    }

    /// A, the right-hand side, and f.
    fn normal(&self, [_, rate, u, omega]: &Motion) -> (f64, f64, Vector3<f64>) {
        let sliding = rate + HALF * omega.cross(u);
        let sliding = Vector3::new(sliding.x, sliding.y, 0.0).normalize();
        let force = Vector3::z() - self.friction * sliding;
        let factor = 1.0 / MASS + HALF * HALF / INERTIA * (1.0 - u.z * u.dot(&force));
        (factor, GRAVITY + HALF * omega.norm_squared() * u.z, force)
    }

    fn rates(&self, now: &Motion) -> Motion {
        let (factor, load, direction) = self.normal(now);
        let force = direction * (load / factor);
        let [_, rate, u, omega] = now;
        [
            *rate,
            force / MASS - GRAVITY * Vector3::z(),
            omega.cross(u),
            HALF / INERTIA * u.cross(&force),
        ]
    }

    /// By the classical method of Runge and Kutta at steps whose errors are those of round-off.
    fn slides(&self, t_end: f64) -> Motion {
        const STEPS: usize = 20_000;
        let h = t_end / STEPS as f64;
        let mut now = self.start();
        let ahead = |now: &Motion, by: f64, rates: &Motion| {
            std::array::from_fn(|part| now[part] + by * rates[part])
        };
        for _ in 0..STEPS {
            let one = self.rates(&now);
            let two = self.rates(&ahead(&now, 0.5 * h, &one));
            let three = self.rates(&ahead(&now, 0.5 * h, &two));
            let four = self.rates(&ahead(&now, h, &three));
            for part in 0..4 {
                now[part] +=
                    h / 6.0 * (one[part] + 2.0 * two[part] + 2.0 * three[part] + four[part]);
            }
        }
        now
    }
}

type Motion = [Vector3<f64>; 4];

/// Slides for a while without coming to rest or lifting off.
fn agrees(rod: Rod, t_end: f64) {
    let [centre, rate, u, omega] = rod.slides(t_end);
    let (factor, load, _) = rod.normal(&[centre, rate, u, omega]);
    assert!(factor > 0.0 && load > 0.0);
    for method in ["hem5", "mdop5", "dop853", "radau5"] {
        let found = run(rod.mechanism(), method, t_end);
        let state = &found.state;
        assert!(found.events.is_empty(), "{:?}", found.events);
        let rotation = nalgebra::Matrix3::from_row_slice(&state.q[3..12]);
        let spin = rotation * Vector3::from_column_slice(&state.v[3..6]);
        let errors = [
            distance(&state.q[..3], centre.as_slice()),
            distance(&state.v[..3], rate.as_slice()),
            (rotation.column(2) - u).amax(),
            HALF * (spin - omega).amax(),
        ];
        println!("{method}: {errors:?}, {} steps", found.statistics.accepted);
        assert!(
            errors.iter().all(|&error| error < CLOSE),
            "{method}: {errors:?}"
        );
    }
}

/// The end slides ahead of the rod, which friction presses down.
#[test]
fn below_the_limit_it_slides_as_its_equations_say() {
    agrees(Rod::new(0.6, 1.0, [0.3, -0.5, 0.8], [1.5, 1.0]), 0.25);
}

/// The end is drawn behind, and turns.
#[test]
fn drawn_behind() {
    agrees(Rod::new(0.4, 0.9, [0.0, 1.0, -1.5], [-1.5, 1.2]), 0.25);
}

/// Steep and rough enough, nothing holds the end above the plane: a start is refused.
#[test]
fn beyond_the_limit_no_force_keeps_it_above_the_plane() {
    let rod = Rod::new(2.0, 1.0, [0.0; 3], [1.5, 0.4]);
    let (factor, load, _) = rod.normal(&rod.start());
    assert!(factor < 0.0 && load > 0.0, "{factor} {load}");
    for method in ["hem5", "radau5"] {
        let error = attempt(rod.mechanism(), method, 0.1).expect_err("a paradox");
        assert!(matches!(error.kind, SolveErrorKind::Step(_)), "{error:?}");
        assert!(error.to_string().contains("Painlevé"), "{error}");
    }
    // Drawn the other way it slides: A is larger the more friction pulls on the leaning side.
    let drawn = Rod::new(2.0, 1.0, [0.0; 3], [-1.5, 0.4]);
    agrees(drawn, 0.05);
}
