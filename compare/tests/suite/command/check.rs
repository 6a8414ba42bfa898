//! `liedae run --check`: how far the end of a run can be trusted.

use crate::common::{json, keys, liedae, number, stdout};

/// Parameters at which impacts of the follower amplify changes by some 1e7 within a second.
const SENSITIVE: [&str; 10] = [
    "run",
    "cam-follower",
    "--set",
    "rpm=331.468",
    "--set",
    "e=0.952",
    "--rtol",
    "1e-8",
    "--method",
    "hem5",
];

#[test]
fn an_end_that_impacts_make_unpredictable_is_said_to_be_so() {
    let (code, report) = json(&[&SENSITIVE[..], &["--check"]].concat());
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["status"], "done");
    let check = &report["check"];
    assert_eq!(keys(check), ["good", "missing", "perturbed", "refined"]);
    println!("{check:#}");
    assert_eq!(check["good"], false);
    assert!(number(check, "/perturbed/amplification") > 1e5, "{check}");
    assert!(number(check, "/refined/end_change") > 1e-5, "{check}");
    assert!(number(check, "/refined/digits") <= 4.0, "{check}");
}

#[test]
fn a_pendulum_can_be_trusted_with_any_kind_of_method() {
    for (method, digits) in [
        ("hem5", 5.0),
        ("radau5", 5.0),
        ("bdf", 4.0),
        ("half-implicit", 2.0),
    ] {
        let arguments = [
            "run", "pendulum", "--t-end", "2", "--method", method, "--check",
        ];
        let (code, report) = json(&arguments);
        assert_eq!(code, 0, "{report}");
        let check = &report["check"];
        println!("{method}: {check:#}");
        assert_eq!(check["good"], true, "{method}: {check}");
        let amplification = number(check, "/perturbed/amplification");
        assert!((0.01..100.0).contains(&amplification), "{method}: {check}");
        assert!(
            number(check, "/refined/digits") >= digits,
            "{method}: {check}"
        );
        // What it estimates is the error, which is known here.
        let error = number(&report, "/error/x").max(number(&report, "/error/y"));
        let change = &check["refined"]["changes"];
        let estimate = number(change, "/x").max(number(change, "/y"));
        assert!(
            error < 4.0 * estimate && estimate < 4.0 * error,
            "{method}: error {error:e}, estimate {estimate:e}"
        );
    }
}

#[test]
fn states_that_cannot_be_changed_freely_are_said_to_be_so() {
    let arguments = [
        "run",
        "transistor-amplifier",
        "--method",
        "radau5",
        "--check",
    ];
    let (code, report) = json(&[&arguments[..], &["--t-end", "0.01"]].concat());
    assert_eq!(code, 0, "{report}");
    let check = &report["check"];
    assert!(
        check["perturbed"].is_null() && check["refined"].is_object(),
        "{check}"
    );
    assert!(
        check["missing"].to_string().contains("algebraic rows"),
        "{check}"
    );
}

#[test]
fn there_is_no_empty_column_without_a_reference() {
    let header = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("output"));
        let words = line.expect("a header").split_whitespace();
        words.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    let short = ["run", "cam-follower", "--method", "hem5", "--t-end", "0.02"];
    let text = stdout(&liedae(&short));
    assert_eq!(header(&text), "output at the end");
    assert!(text.contains("--check estimates the error"), "{text}");
    let text = stdout(&liedae(&[&short[..], &["--check"]].concat()));
    assert_eq!(header(&text), "output at the end moves by");
    for words in [
        "check           an initial change",
        "of the end can be trusted",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    assert!(!text.contains("WARNING"), "{text}");
    let text = stdout(&liedae(&["run", "pendulum", "--method", "hem5"]));
    assert_eq!(header(&text), "output at the end error");
    assert!(!text.contains("--check"), "{text}");
}
