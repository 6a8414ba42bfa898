//! Rows in CSV files: every step, both sides of events, samples.

use crate::common::{json, number};

fn rows(arguments: &[&str]) -> (serde_json::Value, Vec<String>, Vec<Vec<f64>>) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("rows.csv");
    let text = path.to_str().expect("UTF-8");
    let (code, report) = json(&[arguments, &["--csv", text]].concat());
    assert_eq!(code, 0, "{report}");
    let mut reader = csv::Reader::from_path(&path).expect("a file");
    let header = reader
        .headers()
        .expect("a header")
        .iter()
        .map(str::to_owned)
        .collect();
    let parse = |record: csv::StringRecord| {
        record
            .iter()
            .map(|field| field.parse().expect("a number"))
            .collect()
    };
    let rows = reader
        .records()
        .map(|record| parse(record.expect("a record")))
        .collect();
    (report, header, rows)
}

#[test]
fn one_row_per_accepted_step_and_the_start() {
    let (report, header, rows) = rows(&["run", "pendulum", "--method", "mdop5", "--t-end", "1"]);
    assert_eq!(header[..3], ["t", "x", "y"]);
    assert_eq!(rows.len() as f64, 1.0 + number(&report, "/steps/accepted"));
    assert_eq!((rows[0][0], rows[0][1]), (0.0, -1.0));
    assert_eq!(rows.last().map(|row| row[0]), Some(1.0));
    assert!((rows[rows.len() - 1][1] - number(&report, "/outputs/x")).abs() < 1e-12);
}

#[test]
fn samples_are_equidistant() {
    let (_, _, rows) = rows(&[
        "run",
        "pendulum",
        "--method",
        "hem5",
        "--t-end",
        "2",
        "--samples",
        "9",
    ]);
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0]);
}

/// A slider that reverses once; rows at every step, or with `more` at samples.
fn reversal(more: &[&str]) -> Vec<Vec<f64>> {
    let run = [
        "run",
        "slider-crank",
        "--method",
        "mdop5",
        "--set",
        "mu=0.4",
        "--t-end",
        "0.3",
    ];
    let (report, header, rows) = rows(&[&run, more].concat());
    let events = report["events"].as_array().expect("events");
    assert_eq!(events.len(), 1);
    let t = number(&events[0], "/t");
    assert!((t - 0.110_571_030_811_847_76).abs() < 1e-6, "{t}");
    let twins: Vec<&[Vec<f64>]> = rows
        .windows(2)
        .filter(|pair| pair[0][0] == pair[1][0])
        .collect();
    assert_eq!(twins.len(), 1);
    let [before, after] = twins[0] else {
        panic!("a window of two")
    };
    assert!((before[0] - t).abs() < 1e-14);
    // The pivot force jumps from -1.8548 to 24.0076 N.
    let force = header.iter().position(|name| name == "FAx").expect("FAx");
    assert!((before[force] + 1.8548).abs() < 1e-2, "{}", before[force]);
    assert!((after[force] - 24.0076).abs() < 1e-2, "{}", after[force]);
    rows
}

#[test]
fn an_event_has_a_row_on_each_side() {
    reversal(&[]);
}

#[test]
fn an_event_has_a_row_on_each_side_between_samples() {
    assert_eq!(reversal(&["--samples", "4"]).len(), 4 + 2);
}
