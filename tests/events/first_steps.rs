//! First steps behind jumps.

use liedae::integrator::MethodOptions;
use liedae::prelude::*;
use liedae::solve::Statistics;
use std::error::Error;

const EXPLICIT: [&str; 5] = ["mdop5", "dopri5", "dop853", "hem5", "phem56"];
const IMPLICIT: [&str; 2] = ["radau5", "bdf"];

/// A ball that flies between walls 2 m apart with 1 m/s, and its place in s seconds.
fn bounces(name: &str, walls: f64) -> Result<(f64, usize, Statistics), Box<dyn Error>> {
    let method = crate::known_methods().build(name, &MethodOptions::default())?;
    let reach = |label: &str| EventDescription::new("reach", label, Direction::Rising);
    let turn = |state: &mut State| {
        state.v[0] = -state.v[0];
        EventAction::Restart
    };
    let mut ball = liedae::model([0.0], [1.0])
        .mass(1.0)
        .force(|_t, _q, [v]| [v * 0.0])
        .event(reach("right"), |at| at.q[0] - 1.0, turn)
        .event(reach("left"), |at| -at.q[0] - 1.0, turn)
        .build()?;
    let end = 2.0 * walls;
    let solution = solve(
        &mut ball,
        method.as_ref(),
        &Options::adaptive(end, 1e-8, 1e-8),
    )?;
    let events = solution.events.len();
    Ok((solution.state.q[0], events, solution.statistics))
}

#[test]
fn explicit_methods_begin_a_flight_with_a_step_as_long_as_the_one_before()
-> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let (place, events, statistics) = bounces(name, 40.0)?;
        assert_eq!(events, 40, "{name}");
        assert!(place.abs() < 1e-8, "{name}: {place:e}");
        // One for each flight, and some until the first wall.
        let steps = statistics.accepted;
        assert!((41..55).contains(&steps), "{name}: {steps}");
        assert_eq!(statistics.rejected.total(), 0, "{name}");
    }
    // Others begin as at the start of a run.
    for name in IMPLICIT {
        let (place, events, statistics) = bounces(name, 40.0)?;
        assert_eq!(events, 40, "{name}");
        assert!(place.abs() < 1e-8, "{name}: {place:e}");
        assert!(statistics.accepted > 80, "{name}: {}", statistics.accepted);
    }
    Ok(())
}

/// A mass flies for 5 s and meets a spring that turns it back within 31 ms: a step as long as the flight is far too long there, and is
/// refused.
#[test]
fn a_first_step_that_is_too_long_is_refused() -> Result<(), Box<dyn Error>> {
    for name in EXPLICIT {
        let method = crate::known_methods().build(name, &MethodOptions::default())?;
        let push = |state: &mut State| {
            state.v[0] = 2.0;
            EventAction::Restart
        };
        let spring = EventDescription::new("reach", "spring", Direction::Rising);
        let mut mass = liedae::model([0.0], [1.0])
            .mass(1.0)
            .force(|_t, [q], _v| {
                let pressed = q - 5.0;
                [if pressed.value() > 0.0 {
                    pressed * -1e4
                } else {
                    pressed * 0.0
                }]
            })
            .event(spring, |at| at.q[0] - 5.0, push)
            .build()?;
        // Within the spring, and behind it.
        for (end, place) in [
            (5.01, 5.0 + 0.02 * 1.0_f64.sin()),
            (6.0, 5.0 - 2.0 * (1.0 - 0.01 * std::f64::consts::PI)),
        ] {
            let options = Options::adaptive(end, 1e-9, 1e-9);
            let solution = solve(&mut mass, method.as_ref(), &options)?;
            let error = (solution.state.q[0] - place).abs();
            assert!(error < 1e-6, "{name} to {end} s: {error:e}");
            assert_eq!(solution.events.len(), 1, "{name}");
            assert!(solution.statistics.rejected.total() > 0, "{name}");
        }
    }
    Ok(())
}
