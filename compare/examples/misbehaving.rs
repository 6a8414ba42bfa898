//! The command with methods that come to grief: one panics, one never comes back, one wants all memory, one ends the process, one prints
//! without end, one leaves a process behind; and with problems that panic, hang or want all memory when they are built or solved.
//!
//! `cargo run --release -p liedae-compare --example misbehaving -- compare pendulum,hangs-built,devours-solved --methods
//! hem5,panics,hangs,devours,quits,prints,spawns --tols 1e-3 --time-limit 1 --isolate --out faults` reports hem5 on the pendulum and says
//! of the others how they failed.

use liedae::integrator::{
    Hem5, Integrator, Kind, Method, MethodEntry, Orders, Projection, StepError, StepSizes, Stepper,
};
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Automatic, Evaluator, Layout, MatrixMut, Model, Point, State};
use liedae_compare::{Registry, main_with};
use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError};
use std::process::ExitCode;

/// What a method does instead of its first step.
type Fault = fn();

/// A method that comes to grief.
struct Misbehaving {
    method: &'static Method,
    fault: Fault,
}

const fn method(name: &'static str) -> Method {
    Method::new(name, Kind::HalfExplicit, Orders::all(5))
        .with_index(2)
        .with_error_estimate(4.0)
}

static PANICS: Method = method("panics");
static HANGS: Method = method("hangs");
static DEVOURS: Method = method("devours");
static QUITS: Method = method("quits");
static PRINTS: Method = method("prints");
static SPAWNS: Method = method("spawns");

fn panic() {
    let empty: Vec<f64> = Vec::new();
    let index = std::hint::black_box(3);
    println!("{}", empty[index]);
}

fn hang() {
    loop {
        std::hint::spin_loop();
    }
}

fn devour() {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    loop {
        // Written to, so that the memory is really there.
        taken.push(std::hint::black_box(vec![1; 1 << 24]));
    }
}

fn quit() {
    std::process::exit(0);
}

/// Prints to both streams until somebody ends it.
fn print_on() {
    let line = "words without end ".repeat(1000);
    loop {
        println!("{line}");
        eprintln!("{line}");
    }
}

/// Leaves a process behind that holds the streams open, and goes on.
fn spawn() {
    // A number that nobody else sleeps for: tests look for it.
    let sleeper = std::process::Command::new("sleep").arg("86399.25").spawn();
    assert!(sleeper.is_ok(), "there is no `sleep`");
}

impl Integrator for Misbehaving {
    fn method(&self) -> &'static Method {
        self.method
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        (self.fault)();
        Hem5::new(Projection::Never).start(system, state, sizes)
    }
}

/// A ball that falls, with a force that comes to grief on the way.
struct Ball(Fault);

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }

    fn initial_state(&self) -> State {
        self.layout().state()
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        if at.t.value() > 0.2 {
            (self.0)();
        }
        force[0] = S::constant(-9.81);
    }
}

fn ball(name: &'static str, fault: Fault) -> Result<Problem, ProblemError> {
    Ok(Problem::new(name, Automatic::new(Ball(fault)), 0.4))
}

fn problems(registry: Registry) -> Result<Registry, ProblemError> {
    type Build = fn(&Parameters) -> Result<Problem, ProblemError>;
    let list: [(&'static str, Build); 5] = [
        ("panics-built", |_| {
            panic();
            ball("panics-built", || ())
        }),
        ("hangs-built", |_| {
            hang();
            ball("hangs-built", || ())
        }),
        ("devours-built", |_| {
            devour();
            ball("devours-built", || ())
        }),
        ("panics-solved", |_| ball("panics-solved", panic)),
        ("devours-solved", |_| ball("devours-solved", devour)),
    ];
    let mut registry = registry;
    for (name, build) in list {
        registry = registry.with_problem(ProblemEntry::new(name, build))?;
    }
    Ok(registry)
}

fn methods() -> Result<Registry, liedae::integrator::BuildError> {
    let entry = |method: &'static Method, make| MethodEntry::new(method, make);
    Registry::standard()
        .with_method(entry(&PANICS, |_| misbehaving(&PANICS, panic)))?
        .with_method(entry(&HANGS, |_| misbehaving(&HANGS, hang)))?
        .with_method(entry(&DEVOURS, |_| misbehaving(&DEVOURS, devour)))?
        .with_method(entry(&QUITS, |_| misbehaving(&QUITS, quit)))?
        .with_method(entry(&PRINTS, |_| misbehaving(&PRINTS, print_on)))?
        .with_method(entry(&SPAWNS, |_| misbehaving(&SPAWNS, spawn)))
}

fn misbehaving(method: &'static Method, fault: Fault) -> Box<dyn Integrator> {
    Box::new(Misbehaving { method, fault })
}

fn main() -> ExitCode {
    let registry = methods().map_err(|error| error.to_string());
    match registry.and_then(|registry| problems(registry).map_err(|error| error.to_string())) {
        Ok(registry) => main_with(&registry),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
