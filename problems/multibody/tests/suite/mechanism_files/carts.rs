//! Carts on wheels that turn freely: rigid bodies leave their loads open, and each wheel rolls by friction of its own.

use super::dry_friction::{LOCATING, end, run, system};
use liedae::system::named_outputs;

const G: f64 = 9.81;
/// Mass and height of the chassis, mass and radius of a wheel.
const CHASSIS: [f64; 2] = [20.0, 0.3];
const WHEEL: [f64; 2] = [1.0, 0.1];

/// All methods for contacts.
fn methods() -> impl Iterator<Item = &'static str> {
    LOCATING.into_iter().chain(["moreau-jean"])
}

const PLANE: &str = r#"{ body = "ground", frame = { in = "world", point = [0.0, 0.0, 0.0], z = [0.0, 0.0, 1.0] }, shape = "half-space" }"#;

/// Where a cart points.
struct Heading {
    sin: f64,
    cos: f64,
}

impl Heading {
    fn new(yaw: f64) -> Self {
        let (sin, cos) = yaw.sin_cos();
        Self { sin, cos }
    }

    /// A vector along the cart and across it, in the world.
    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let Self { sin, cos } = self;
        [cos * x - sin * y, sin * x + cos * y]
    }

    fn rotation(&self) -> String {
        let Self { sin, cos } = self;
        format!(
            "[[{cos}, {}, 0.0], [{sin}, {cos}, 0.0], [0.0, 0.0, 1.0]]",
            -sin
        )
    }
}

/// A wheel on an axle across a chassis, on the floor.
struct Wheel {
    mass: f64,
    radius: f64,
    inertia: f64,
    friction: f64,
    /// Along the chassis, across it, and above the floor.
    centre: [f64; 3],
    /// Along the chassis; about the axle; with the chassis.
    speed: f64,
    spin: f64,
    turn: f64,
}

impl Wheel {
    /// Its tables.
    fn text(&self, index: usize, heading: &Heading) -> String {
        let Self {
            mass,
            radius,
            inertia,
            friction,
            centre: [x, y, z],
            speed,
            spin,
            turn,
        } = self;
        let ([x, y], [vx, vy]) = (heading.place([*x, *y]), heading.place([*speed, 0.0]));
        let [across_x, across_y] = heading.place([0.0, 1.0]);
        let rotation = heading.rotation();
        format!(
            r#"[[bodies]]
name = "wheel{index}"
mass = {mass}
inertia = [{inertia}, {inertia}, {inertia}]
position = [{x}, {y}, {z}]
rotation = {rotation}
velocity = [{vx}, {vy}, 0.0]
angular_velocity = [0.0, {spin}, {turn}]
[[joints]]
name = "axle{index}"
kind = "revolute"
bodies = ["chassis", "wheel{index}"]
point = [{x}, {y}, {z}]
axis = [{across_x}, {across_y}, 0.0]
[[contacts]]
name = "tyre{index}"
friction = {friction}
surfaces = [{PLANE}, {{ body = "wheel{index}", frame = {{ point = [0.0, 0.0, 0.0] }}, shape = {{ sphere = {radius} }} }}]
"#
        )
    }
}

/// A cart on wheels at these places, on a slope along x.
struct Cart<'a> {
    wheels: &'a [[f64; 2]],
    slope: f64,
    friction: f64,
    /// Of a wheel.
    inertia: f64,
    speed: f64,
    height: f64,
    yaw: f64,
}

impl Cart<'_> {
    fn text(&self) -> String {
        let heading = Heading::new(self.yaw);
        let rotation = heading.rotation();
        let [along, across] = heading.place([G * self.slope.sin(), 0.0]);
        let [vx, vy] = heading.place([self.speed, 0.0]);
        let [mass, centre] = CHASSIS;
        let [wheel, radius] = WHEEL;
        let mut text = format!(
            r#"gravity = [{along}, {across}, {}]
t_end = 1.0
[[bodies]]
name = "chassis"
mass = {mass}
inertia = [1.0, 2.0, 2.5]
position = [0.0, 0.0, {}]
rotation = {rotation}
velocity = [{vx}, {vy}, 0.0]
"#,
            -G * self.slope.cos(),
            centre + self.height,
        );
        for (index, &[x, y]) in self.wheels.iter().enumerate() {
            let own = Wheel {
                mass: wheel,
                radius,
                inertia: self.inertia,
                friction: self.friction,
                centre: [x, y, radius + self.height],
                speed: self.speed,
                spin: 0.0,
                turn: 0.0,
            };
            text += &own.text(index, &heading);
        }
        text
    }

    /// Speed along the cart at the end, and the outputs.
    fn end(&self, method: &str) -> (f64, Vec<(String, f64)>) {
        let (mut system, end) = end(&self.text(), method, 1.0);
        let speed = self.yaw.cos() * end.v[0] + self.yaw.sin() * end.v[1];
        let outputs = named_outputs(system.as_mut(), &end).expect("outputs");
        (speed, outputs)
    }

    fn mass(&self) -> f64 {
        CHASSIS[0] + self.wheels.len() as f64 * WHEEL[0]
    }

    /// The load of each wheel at this acceleration along the slope and angular acceleration of the wheels: those of least norm, linear in the
    /// place.
    fn loads(&self, acceleration: f64, angular: f64) -> Vec<f64> {
        let count = self.wheels.len() as f64;
        let [mass, centre] = CHASSIS;
        let height = mass * centre + count * WHEEL[0] * WHEEL[1];
        let moment =
            (G * self.slope.sin() - acceleration) * height - count * self.inertia * angular;
        let squares: f64 = self.wheels.iter().map(|[x, _]| x * x).sum();
        let mean = self.mass() * G * self.slope.cos() / count;
        let load = |&[x, _]: &[f64; 2]| mean + moment * x / squares;
        self.wheels.iter().map(load).collect()
    }
}

const FOUR: [[f64; 2]; 4] = [[0.5, 0.4], [0.5, -0.4], [-0.5, 0.4], [-0.5, -0.4]];
const SIX: [[f64; 2]; 6] = [
    [0.6, 0.4],
    [0.6, -0.4],
    [0.0, 0.4],
    [0.0, -0.4],
    [-0.6, 0.4],
    [-0.6, -0.4],
];

fn output(outputs: &[(String, f64)], name: &str) -> f64 {
    let found = outputs.iter().find(|(other, _)| other == name);
    found.unwrap_or_else(|| panic!("no output {name}")).1
}

#[test]
fn wheels_roll_down_a_slope_and_share_the_load() {
    for wheels in [&FOUR[..], &SIX[..]] {
        for yaw in [0.0, 0.7] {
            let cart = Cart {
                wheels,
                slope: 0.2,
                friction: 0.8,
                inertia: 0.005,
                speed: 0.0,
                height: 0.0,
                yaw,
            };
            let count = wheels.len() as f64;
            let [_, radius] = WHEEL;
            let rolling = cart.mass() + count * cart.inertia / (radius * radius);
            let acceleration = cart.mass() * G * cart.slope.sin() / rolling;
            let friction = cart.inertia * acceleration / (radius * radius);
            let loads = cart.loads(acceleration, acceleration / radius);
            for method in methods() {
                let (speed, outputs) = cart.end(method);
                assert!((speed - acceleration).abs() < 1e-5, "{method}: {speed}");
                for (index, load) in loads.iter().enumerate() {
                    for (what, expected) in [("force", *load), ("friction", friction)] {
                        let found = output(&outputs, &format!("tyre{index}.{what}"));
                        assert!((found - expected).abs() < 1e-4, "{method} {what}: {found}");
                    }
                }
            }
        }
    }
}

#[test]
fn wheels_slip_by_their_own_loads() {
    let cart = Cart {
        wheels: &FOUR,
        slope: 0.5,
        friction: 0.2,
        inertia: 0.5,
        speed: 0.0,
        height: 0.0,
        yaw: 0.3,
    };
    let acceleration = G * (cart.slope.sin() - cart.friction * cart.slope.cos());
    // I α = μ N r of each wheel, and together.
    let weight = cart.mass() * G * cart.slope.cos();
    let angular = cart.friction * weight / 4.0 * WHEEL[1] / cart.inertia;
    for method in methods() {
        let (speed, outputs) = cart.end(method);
        assert!((speed - acceleration).abs() < 1e-5, "{method}: {speed}");
        for (index, load) in cart.loads(acceleration, angular).iter().enumerate() {
            let found = output(&outputs, &format!("tyre{index}.force"));
            assert!((found - load).abs() < 1e-4, "{method}: {found} {load}");
        }
    }
}

/// Wheels that touch the floor along a line have two points of contact each, which roll and slip together.
#[test]
fn wide_wheels_roll_and_slip() {
    for (slope, friction, inertia) in [(0.2, 0.8, 0.005), (0.5, 0.2, 0.5)] {
        let cart = Cart {
            wheels: &FOUR,
            slope,
            friction,
            inertia,
            speed: 0.0,
            height: 0.0,
            yaw: 0.3,
        };
        let rolling = cart.mass() + 4.0 * inertia / (WHEEL[1] * WHEEL[1]);
        let rolls = cart.mass() * G * slope.sin() / rolling;
        let slips = G * (slope.sin() - friction * slope.cos());
        let narrow = "frame = { point = [0.0, 0.0, 0.0] }, shape = { sphere = 0.1 }";
        let wide = "frame = { point = [0.0, 0.0, 0.0], z = [0.0, 1.0, 0.0] }, shape = { cylinder = [0.1, 0.03] }";
        let text = cart.text();
        assert_eq!(text.matches(narrow).count(), 4);
        let text = text.replace(narrow, wide);
        for method in methods() {
            let (_, end) = end(&text, method, 1.0);
            let speed = cart.yaw.cos() * end.v[0] + cart.yaw.sin() * end.v[1];
            let expected = rolls.max(slips);
            assert!(
                (speed - expected).abs() < 1e-4,
                "{method}: {speed} {expected}"
            );
        }
    }
}

/// Wheels that do not turn yet are set down, or dropped from 5 cm, at 2 m/s: friction turns them until they roll.
#[test]
fn wheels_that_land_begin_to_roll() {
    for height in [0.0, 0.05] {
        let cart = Cart {
            wheels: &FOUR,
            slope: 0.0,
            friction: 0.3,
            inertia: 0.005,
            speed: 2.0,
            height,
            yaw: 0.0,
        };
        let rolling = cart.mass() + 4.0 * cart.inertia / (WHEEL[1] * WHEEL[1]);
        let expected = 2.0 * cart.mass() / rolling;
        for method in methods() {
            let (speed, outputs) = cart.end(method);
            assert!((speed - expected).abs() < 1e-5, "{method}: {speed}");
            for index in 0..4 {
                let load = output(&outputs, &format!("tyre{index}.force"));
                let expected = cart.mass() * G / 4.0;
                assert!((load - expected).abs() < 1e-3, "{method}: {load}");
            }
        }
    }
}

/// A robot of 5 kg on two wheels 0.6 m apart, with its centre of mass ahead of the axle and a smooth caster, that coasts in a curve.
fn robot(ahead: f64, yaw: f64, [speed, turn]: [f64; 2]) -> String {
    let heading = Heading::new(yaw);
    let rotation = heading.rotation();
    let ([x, y], [vx, vy]) = (
        heading.place([ahead, 0.0]),
        heading.place([speed, turn * ahead]),
    );
    let mut text = format!(
        r#"gravity = [0.0, 0.0, -9.81]
t_end = 4.0
[[bodies]]
name = "chassis"
mass = 5.0
inertia = [0.3, 0.4, 0.5]
position = [{x}, {y}, 0.15]
rotation = {rotation}
velocity = [{vx}, {vy}, 0.0]
angular_velocity = [0.0, 0.0, {turn}]
[[contacts]]
name = "caster"
surfaces = [{PLANE}, {{ body = "chassis", frame = {{ point = [{}, 0.0, -0.13] }}, shape = {{ sphere = 0.02 }} }}]
"#,
        0.25 - ahead,
    );
    for (index, side) in [0.3, -0.3].into_iter().enumerate() {
        let rolls = speed - turn * side;
        let wheel = Wheel {
            mass: 0.5,
            radius: 0.1,
            inertia: 0.0025,
            friction: 0.6,
            centre: [0.0, side, 0.1],
            speed: rolls,
            spin: rolls / 0.1,
            turn,
        };
        text += &wheel.text(index, &heading);
    }
    text
}

/// Speed and turning rate after a time: m v' = M c ω², J ω' = -M c v ω with the rolling wheels in m and J.
fn coasting(ahead: f64, [mut speed, mut turn]: [f64; 2], time: f64) -> [f64; 2] {
    let (mass, rolling) = (5.0, 0.0025 / 0.01);
    let along = mass + 2.0 * (0.5 + rolling);
    let around = 0.5 + mass * ahead * ahead + 2.0 * (0.0025 + 0.09 * (0.5 + rolling));
    let rates = |v: f64, w: f64| {
        let push = mass * ahead * w;
        [push * w / along, -push * v / around]
    };
    let steps = 20_000;
    let h = time / f64::from(steps);
    for _ in 0..steps {
        let [a, b] = rates(speed, turn);
        let [c, d] = rates(speed + 0.5 * h * a, turn + 0.5 * h * b);
        speed += h * c;
        turn += h * d;
    }
    [speed, turn]
}

/// Sideways motion of both wheels is held by one row alone, which turns with the robot away from the axle.
#[test]
fn a_robot_turns_by_any_angle() {
    for ahead in [0.02, 0.05] {
        let start = [0.5, 1.0];
        let [speed, turn] = coasting(ahead, start, 4.0);
        for yaw in [0.0, 0.8, std::f64::consts::FRAC_PI_2] {
            // Of second order, with many steps.
            for method in methods().filter(|name| *name != "generalized-alpha" || yaw == 0.8) {
                let mut system = system(&robot(ahead, yaw, start));
                let end = run(system.as_mut(), method, 4.0);
                let end = end.unwrap_or_else(|error| panic!("{method} {yaw}: {error}"));
                let singular = end.events.iter().filter(|event| event.kind == "singular");
                assert_eq!(singular.count(), 0, "{method} {yaw}");
                // The centre of mass also moves sideways, by c ω.
                let [vx, vy] = [end.state.v[0], end.state.v[1]];
                let expected = speed.hypot(ahead * turn);
                let off = (vx.hypot(vy) - expected).abs() + (end.state.v[5] - turn).abs();
                let bound = if method == "moreau-jean" { 1e-3 } else { 1e-4 };
                assert!(off < bound, "{method} {ahead} {yaw}: {off:e}");
            }
        }
    }
}
