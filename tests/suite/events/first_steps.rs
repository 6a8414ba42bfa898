//! First steps behind jumps.

use super::announced::announced;
use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::Statistics;
use std::error::Error;

const EXPLICIT: [&str; 5] = ["mdop5", "dopri5", "dop853", "hem5", "phem56"];
const IMPLICIT: [&str; 2] = ["radau5", "bdf"];

/// A ball that flies at 1 m/s between walls and has met 40 of them: where it is, how often it was turned, and what that cost.
fn bounces(
    name: &str,
    distance: f64,
    options: Options,
) -> Result<(f64, usize, Statistics), Box<dyn Error>> {
    let method = crate::known_methods().build(name, &MethodOptions::default())?;
    let reach = |label: &str| EventDescription::new("reach", label, Direction::Rising);
    let turn = |state: &mut State| {
        state.v[0] = -state.v[0];
        EventAction::Restart
    };
    let mut ball = liedae::model([0.0], [1.0])
        .mass(1.0)
        .force(|_t, _q, [v]| [v * 0.0])
        .event(reach("right"), move |at| at.q[0] - 0.5 * distance, turn)
        .event(reach("left"), move |at| -at.q[0] - 0.5 * distance, turn)
        .build()?;
    let options = Options {
        t_end: 40.0 * distance,
        ..options
    };
    let solution = solve(&mut ball, method.as_ref(), &options)?;
    let events = solution.events.len();
    Ok((solution.state.q[0], events, solution.statistics))
}

#[test]
fn explicit_methods_begin_with_the_flight_before() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let (place, events, statistics) = bounces(name, 0.5, Options::adaptive(1.0, 1e-4, 1e-4))?;
        assert_eq!(events, 40, "{name}");
        assert!(place.abs() < 1e-8, "{name}: {place:e}");
        // One for each flight, and some until the second wall.
        let steps = statistics.accepted;
        assert!((41..50).contains(&steps), "{name}: {steps}");
        assert_eq!(statistics.rejected.total(), 0, "{name}");
    }
    // Others begin as at the start of a run.
    for name in IMPLICIT {
        let (place, events, statistics) = bounces(name, 0.5, Options::adaptive(1.0, 1e-4, 1e-4))?;
        assert_eq!(events, 40, "{name}");
        assert!(place.abs() < 1e-8, "{name}: {place:e}");
        assert!(statistics.accepted > 75, "{name}: {}", statistics.accepted);
    }
    Ok(())
}

#[test]
fn flights_far_longer_than_the_formula_are_not_begun_with() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let (.., statistics) = bounces(name, 50.0, Options::adaptive(1.0, 1e-9, 1e-9))?;
        assert!(statistics.accepted > 80, "{name}: {}", statistics.accepted);
    }
    Ok(())
}

/// A mass flies for 5 s and meets a spring that turns it back within 31 ms.
#[test]
fn what_is_stiff_behind_a_jump_is_followed() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT.into_iter().chain(["extrapolation"]) {
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let reach = |label: &str| EventDescription::new("reach", label, Direction::Rising);
        let push = |state: &mut State| {
            state.v[0] = 2.0;
            EventAction::Restart
        };
        let mut mass = liedae::model([0.0], [1.0])
            .mass(1.0)
            .force(|_t, [q], _v| {
                let pressed = q - 5.0;
                let pressed = if pressed.value() > 0.0 {
                    pressed
                } else {
                    pressed * 0.0
                };
                [pressed * -1e4]
            })
            .event(reach("mark"), |at| at.q[0] - 0.5, |_| EventAction::Restart)
            .event(reach("spring"), |at| at.q[0] - 5.0, push)
            .build()?;
        // Within the spring, and behind it.
        for (end, place) in [
            (5.01, 5.0 + 0.02 * 1.0_f64.sin()),
            (20.0, 5.0 - 2.0 * (15.0 - 0.01 * std::f64::consts::PI)),
        ] {
            let options = Options::adaptive(end, 1e-9, 1e-9);
            let solution = solve(&mut mass, method.as_ref(), &options)?;
            let error = (solution.state.q[0] - place).abs();
            assert!(error < 1e-6 * end, "{name} to {end} s: {error:e}");
            assert_eq!(solution.events.len(), 2, "{name}");
        }
    }
    Ok(())
}

/// A mass at rest that is hit at 5 s: (t - 5) e^(-(t - 5) / 1 ms) MN, 1 N s in all.
fn hit() -> Result<impl System, Box<dyn Error>> {
    Ok(liedae::model([0.0], [0.0])
        .mass(1.0)
        .force(|t, _q, _v| {
            let since = t - 5.0;
            let hit = since.value() > 0.0;
            [if hit {
                since * (since * -1e3).exp() * 1e6
            } else {
                since * 0.0
            }]
        })
        .build()?)
}

/// The velocity behind the hit.
fn velocity_behind_hit(
    name: &str,
    moments: &[f64],
    functions: &[fn(&Point) -> f64],
) -> Result<f64, Box<dyn Error>> {
    let method = crate::known_methods().build(name, &MethodOptions::default())?;
    let mut hit = announced(hit()?, moments, functions);
    let options = Options::adaptive(6.0, 1e-6, 1e-6);
    let solution = solve(&mut hit, method.as_ref(), &options)?;
    Ok(solution.state.v[0])
}

/// No stage of a step like the 2.5 s before would see it.
#[test]
fn a_load_that_begins_at_a_known_moment_is_seen() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let gained = velocity_behind_hit(name, &[2.5, 5.0], &[])?;
        assert!((gained - 1.0).abs() < 1e-3, "{name}: {gained}");
    }
    Ok(())
}

#[test]
fn a_load_on_a_mass_at_rest_is_seen_behind_events() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let gained = velocity_behind_hit(name, &[], &[|at| at.t - 2.5, |at| at.t - 5.0])?;
        assert!((gained - 1.0).abs() < 1e-3, "{name}: {gained}");
    }
    Ok(())
}
