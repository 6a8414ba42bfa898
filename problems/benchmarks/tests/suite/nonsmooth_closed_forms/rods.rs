//! Rods on a floor: impulses of a drop, forces while sliding.

use super::run::{Errors, METHODS, rows, run, run_with_outputs, struck};

#[test]
fn dropped_rod_takes_the_impulse_of_its_lower_end() {
    let table = rows(include_str!("../../../data/rod_drop_impact.csv"));
    for method in METHODS {
        let mut errors = Errors::new("rod-floor drop", method);
        for row in &table {
            let angle = row[0].to_radians();
            let run = run(
                method,
                "rod-floor",
                &[&format!("angle={angle:?}")],
                Some(0.46),
            );
            let impact = run.first("impact", "lower");
            errors.time(impact.t, (2.0 / 9.81_f64).sqrt());
            let [before, after] = run.jump(impact.t);
            assert!(run.energy_rise() < 1e-12);
            errors.velocity(before.state.v[1], row[1], row[1]);
            if row[0] < 90.0 {
                errors.velocity(after.state.v[1], row[2], 1.0);
                errors.velocity(after.state.v[2].abs(), row[3], 10.0);
                errors.velocity(struck(impact).impulse, row[4], row[4]);
            } else {
                // Both ends arrive together; the table has the lower one alone.
                errors.velocity(after.state.v[1], -0.5 * row[1], row[1]);
                errors.velocity(after.state.v[2], 0.0, 1.0);
            }
        }
        errors.check();
    }
}

#[test]
fn sliding_rod_presses_as_tabulated() {
    let table = rows(include_str!("../../../data/rod_sliding_floor.csv"));
    for method in METHODS {
        let mut errors = Errors::new("rod-floor contact", method);
        // At the last moment the rod is horizontal, and its upper end arrives.
        let (last, inside) = table.split_last().unwrap();
        let run = run_with_outputs(
            method,
            "rod-floor",
            &["start=1", &format!("angle={:?}", table[0][1])],
            last[0] + 1e-3,
            inside.iter().skip(1).map(|row| row[0]).collect(),
        );
        assert_eq!(run.outputs.len(), inside.len() - 1);
        let column = |name: &str| run.names.iter().position(|other| other == name).unwrap();
        for (row, (_, values)) in inside.iter().skip(1).zip(&run.outputs) {
            for (name, expected) in [
                ("rod.theta", row[1]),
                ("rod.omega", row[2]),
                ("rod.y", row[4]),
                ("lower.force", row[5]),
            ] {
                errors.velocity(values[column(name)], expected, 10.0);
            }
        }
        let impact = run.first("impact", "upper");
        errors.time(impact.t, last[0]);
        errors.velocity(run.jump(impact.t)[0].state.v[2], last[2], last[2]);
        errors.check();
    }
}

#[test]
fn rod_falls_flat() {
    for method in METHODS {
        let run = run(
            method,
            "rod-floor",
            &["start=1", "angle=0.5235987755982988"],
            Some(0.39),
        );
        let mut errors = Errors::new("rod-floor contact 30 deg", method);
        let impact = run.first("impact", "upper");
        errors.time(impact.t, 0.384_901_970_742_390_6);
        let turning = run.jump(impact.t)[0].state.v[2];
        errors.velocity(turning, 5.048_477_754_073_601, turning);
        errors.check();
    }
}
