//! What a user of liedae writes, in a crate of its own that sees nothing but the public interface: a problem with
//! contact, a method, a controller, a wrapper of a registered problem, and a mechanism.
//!
//! `cargo run --release --manifest-path examples/outside/Cargo.toml`

use liedae::control::{ControllerKind, Tolerances};
use liedae::prelude::*;
use liedae::solve::{StepControl, convergence};
use liedae::system::{Wrapped, check_system, total_energy};
use liedae_contact::{ContactEvent, NonsmoothOptions, NonsmoothSystem, with_contacts};
use liedae_problems::{ProblemRegistry, conformance};
use outside::ball::{Ball, first_impacts};
use outside::damped::Damped;
use outside::halving::Halving;
use outside::heun::Heun;
use outside::rosenbrock::Rodas3;
use outside::stone::{impacts, stone};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    contact_with_own_method()?;
    order_of_own_method()?;
    conformance_of_own_methods()?;
    wrapped_problem()?;
    mechanism_with_a_convex_body()
}

/// The ball in the corner, by Heun's method under the controller that halves.
fn contact_with_own_method() -> Result<(), Box<dyn Error>> {
    let mut system = NonsmoothSystem::new(with_contacts(Ball), NonsmoothOptions::default())?;
    let control = StepControl::Adaptive {
        tolerances: Tolerances::uniform(1e-6, 1e-6),
        controller: Some(ControllerKind::Custom(|| Box::new(Halving))),
        initial_step: None,
    };
    let solution = solve(&mut system, &Heun, &Options::new(6.0, control))?;
    println!(
        "ball: {} steps, {} rejected, {} events, height {:.1e} m at the end",
        solution.statistics.accepted,
        solution.statistics.rejected.total(),
        solution.events.len(),
        solution.state.q[1]
    );
    for (label, [t, velocity]) in ["floor", "wall"].into_iter().zip(first_impacts()) {
        let impact = solution
            .events
            .iter()
            .find(|event| event.label == label)
            .ok_or("no impact")?;
        let before = ContactEvent::of(impact)
            .ok_or("no contact")?
            .velocity_before;
        println!("    {label}: {:.9} s at {before:.6} m/s", impact.t);
        assert!((impact.t - t).abs() < 1e-9 && (before - velocity).abs() < 1e-9);
    }
    assert!(solution.state.q[1].abs() < 1e-9);
    Ok(())
}

/// Heun's method on a spinning top in SO(3), against dop853.
fn order_of_own_method() -> Result<(), Box<dyn Error>> {
    let entry = ProblemRegistry::standard().lookup("heavy-top")?;
    let mut problem = entry.build_with(&[])?;
    let system = problem.system.as_mut();
    let exact = liedae_contact::methods().build("dop853", &MethodOptions::default())?;
    let reference = solve(
        system,
        exact.as_ref(),
        &Options::adaptive(0.2, 1e-12, 1e-12),
    )?
    .state;
    let found = convergence(system, &Heun, &[2e-3, 1e-3, 5e-4], &reference)?;
    let (q, v) = (found.order_q(), found.order_v());
    println!("heun on the heavy top: order {q:.2} in q, {v:.2} in v");
    assert!(q > 1.8 && v > 1.8);
    Ok(())
}

/// Everything that the driver relies on, and what the method says about itself.
fn conformance_of_own_methods() -> Result<(), Box<dyn Error>> {
    let methods: [&dyn Integrator; 2] = [&Heun, &Rodas3];
    for method in methods {
        let report = conformance::check(method)?;
        println!("{report}");
        report.verdict()?;
    }
    Ok(())
}

/// A registered problem with drag: it must lose energy, by an explicit and an implicit method alike.
fn wrapped_problem() -> Result<(), Box<dyn Error>> {
    let entry = ProblemRegistry::standard().lookup("double-pendulum")?;
    let mut ends = Vec::new();
    for name in ["hem5", "radau5"] {
        let problem = entry.build_with(&[])?;
        let mut system = Wrapped(Damped::new(problem.system, 0.5)?);
        let state = system.initial_state();
        // Are the derivatives those of the forces?
        let report = check_system(&mut system, &state)?;
        assert!(report.faults.is_empty(), "{:?}", report.faults);
        let energy = |system: &mut dyn System, state: &State| total_energy(system, &state.point());
        let before = energy(&mut system, &state).ok_or("no energy")?;
        let method = liedae_contact::methods().build(name, &MethodOptions::default())?;
        let solution = solve(
            &mut system,
            method.as_ref(),
            &Options::adaptive(1.0, 1e-9, 1e-9),
        )?;
        let after = energy(&mut system, &solution.state).ok_or("no energy")?;
        println!("damped double pendulum, {name}: {before:.6} J to {after:.6} J");
        assert!(after < before);
        ends.push(after);
    }
    assert!((ends[0] - ends[1]).abs() < 1e-6);
    Ok(())
}

/// A stone that jumps twice.
fn mechanism_with_a_convex_body() -> Result<(), Box<dyn Error>> {
    let mut system = NonsmoothSystem::new(stone()?, NonsmoothOptions::default())?;
    let method = liedae_contact::methods().build("hem5", &MethodOptions::default())?;
    let solution = solve(
        &mut system,
        method.as_ref(),
        &Options::adaptive(0.8, 1e-9, 1e-9),
    )?;
    let found: Vec<f64> = solution.events.iter().map(|event| event.t).collect();
    println!("stone: impacts at {found:.9?} s");
    let exact = impacts();
    assert!(found.len() == exact.len());
    assert!(
        found
            .iter()
            .zip(exact)
            .all(|(found, exact)| (found - exact).abs() < 1e-9)
    );
    Ok(())
}
