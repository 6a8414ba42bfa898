//! The store of a comparison: it goes on where it was killed, is shared by processes, and answers questions.

use crate::common::{json, liedae, number_of, path, stdout};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Columns that depend on the moment at which a run was made.
const TIMES: [&str; 7] = [
    "wall_s",
    "cpu_s",
    "wall_median_s",
    "cpu_median_s",
    "spread",
    "repetitions",
    "shared",
];

/// All runs of a store by their keys, without times.
fn runs(out: &Path) -> BTreeMap<String, Value> {
    let (code, rows) = json(&["query", path(out), "SELECT * FROM runs"]);
    assert_eq!(code, 0, "{rows}");
    let rows = rows.as_array().expect("rows").iter();
    let known = rows.map(|row| {
        let mut row = row.as_object().expect("an object").clone();
        let key = row["key"].as_str().expect("a key").to_owned();
        for column in TIMES.iter().chain(&["id", "session", "finished"]) {
            row.remove(*column);
        }
        (key, Value::Object(row))
    });
    known.collect()
}

/// A comparison in the background.
fn begin(out: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_liedae"))
        .arg("compare")
        .args(arguments)
        .args(["--out", path(out)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts")
}

/// Pauses before a kill: a sequence that looks random and is always the same.
fn pauses(longest_ms: u64) -> impl Iterator<Item = Duration> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Duration::from_millis((state >> 33) % longest_ms)
    })
}

/// Kills a comparison so often, lets it end, and compares what is in its store with what an undisturbed one has.
fn killed(times: usize, longest_ms: u64, arguments: &[&str], count: usize) {
    let folder = tempfile::tempdir().expect("a directory");
    let (disturbed, calm) = (folder.path().join("disturbed"), folder.path().join("calm"));
    let references = folder.path().join("references.sqlite");
    let arguments = [arguments, &["--references", path(&references)]].concat();
    let mut pauses = pauses(longest_ms);
    let mut unfinished = 0;
    for pause in pauses.by_ref().take(times) {
        let mut child = begin(&disturbed, &arguments);
        std::thread::sleep(pause);
        unfinished += usize::from(child.try_wait().expect("a child").is_none());
        child.kill().expect("SIGKILL");
        child.wait().expect("an end");
    }
    assert!(
        unfinished > times / 2,
        "only {unfinished} of {times} were killed at work"
    );
    let ended = begin(&disturbed, &arguments).wait().expect("an end");
    assert_eq!(ended.code(), Some(0));
    let ended = begin(&calm, &arguments).wait().expect("an end");
    assert_eq!(ended.code(), Some(0));
    let (one, other) = (runs(&disturbed), runs(&calm));
    assert_eq!(one.len(), count);
    assert_eq!(one, other);
    assert_eq!(number_of(&disturbed, "SELECT count(*) FROM claims"), 0);
    // Every session that was killed has been found out, and nothing of it is left.
    assert_eq!(
        number_of(
            &disturbed,
            "SELECT count(*) FROM sessions WHERE ended IS NULL AND lock IS NOT NULL"
        ),
        0
    );
    let left: Vec<PathBuf> = fs::read_dir(&disturbed)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains("-session-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_killed_comparison_goes_on() {
    let arguments = [
        "pendulum,heavy-top,andrews,double-pendulum",
        "--methods",
        "hem5,radau5,dop853,half-implicit",
        "--tols",
        "1e-3,1e-5,1e-7",
        "--jobs",
        "2",
    ];
    killed(5, 400, &arguments, 4 * 5 * 3);
}

#[test]
#[ignore = "half a minute to some minutes"]
fn a_comparison_of_500_runs_that_is_killed_20_times() {
    let arguments = [
        "pendulum,heavy-top,andrews,double-pendulum,slider-crank",
        "--methods",
        "hem5,phem56,radau5,dop853,dopri5,mdop5,extrapolation,bdf,generalized-alpha,half-implicit",
        "--tols",
        "1e-2,3e-3,1e-3,3e-4,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9",
        "--adaptive",
        "--jobs",
        "2",
        "--time-limit",
        "60",
    ];
    killed(20, 3000, &arguments, 500);
}

#[test]
fn two_processes_share_a_store() {
    let folder = tempfile::tempdir().expect("a directory");
    let (shared, alone) = (folder.path().join("shared"), folder.path().join("alone"));
    let references = folder.path().join("references.sqlite");
    let arguments = [
        "pendulum,heavy-top,andrews",
        "--methods",
        "hem5,radau5,bdf",
        "--tols",
        "1e-3,1e-5",
        "--references",
        path(&references),
    ];
    let mut children = [begin(&shared, &arguments), begin(&shared, &arguments)];
    for child in &mut children {
        assert_eq!(child.wait().expect("an end").code(), Some(0));
    }
    begin(&alone, &arguments).wait().expect("an end");
    let (one, other) = (runs(&shared), runs(&alone));
    assert_eq!(one.len(), 18);
    assert_eq!(one, other);
    // Nothing was made twice: a run that is made again gets a new number.
    assert_eq!(number_of(&shared, "SELECT max(id) FROM runs"), 18);
}

#[test]
fn the_same_command_makes_nothing_again_and_fresh_makes_all() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let arguments = [
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3,1e-5",
        "--out",
        out,
    ];
    let said = |more: &[&str]| {
        let output = liedae(&[&arguments, more].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(!said(&[]).contains(" now;"));
    let before = fs::read(folder.path().join("results.csv")).expect("results");
    assert!(said(&[]).contains("had 2 runs and has 2 now"));
    assert_eq!(
        before,
        fs::read(folder.path().join("results.csv")).expect("results")
    );
    assert!(!said(&["--fresh"]).contains(" now;"));
    // A run that was given up is made again with more time.
    let slow = [
        "compare",
        "pendulum:t_end=1000",
        "--methods",
        "hem5",
        "--tols",
        "1e-9",
        "--out",
        out,
    ];
    let (code, report) = json(&[slow.as_slice(), &["--time-limit", "0.001"]].concat());
    assert_eq!(code, 1, "{report}");
    assert!(
        report["results"][0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("CPU time"))
    );
    let (code, report) = json(&[slow.as_slice(), &["--time-limit", "60"]].concat());
    assert_eq!((code, &report["failed"]), (0, &Value::from(0)), "{report}");
}

#[test]
fn times_are_taken_anew_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = folder.path();
    let arguments = [
        "compare",
        "pendulum,heavy-top",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--jobs",
        "2",
        "--out",
        path(out),
    ];
    assert_eq!(liedae(&arguments).status.code(), Some(0));
    let before = runs(out);
    assert_eq!(number_of(out, "SELECT sum(shared) FROM runs"), 2);
    let retime = liedae(&[arguments.as_slice(), &["--retime", "--repetitions", "7"]].concat());
    assert_eq!(retime.status.code(), Some(0));
    assert_eq!(runs(out), before);
    assert_eq!(number_of(out, "SELECT sum(shared) FROM runs"), 0);
    assert_eq!(number_of(out, "SELECT min(repetitions) FROM runs"), 7);
    assert_eq!(number_of(out, "SELECT count(*) FROM timings"), 14);
}

#[test]
fn shards_put_together_are_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let part = |name: &str| folder.path().join(name);
    let references = part("references.sqlite");
    let arguments = [
        "pendulum,heavy-top,andrews",
        "--methods",
        "hem5,radau5,half-implicit",
        "--tols",
        "1e-3,1e-5",
        "--references",
        path(&references),
    ];
    for shard in ["1/3", "2/3", "3/3"] {
        let out = part(&shard.replace('/', "of"));
        let ended = begin(&out, &[arguments.as_slice(), &["--shard", shard]].concat()).wait();
        assert_eq!(ended.expect("an end").code(), Some(0));
    }
    begin(&part("whole"), &arguments).wait().expect("an end");
    let merged = part("merged");
    let output = liedae(&[
        "merge",
        path(&part("1of3")),
        path(&part("2of3")),
        path(&part("3of3")),
        "--out",
        path(&merged),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert_eq!(runs(&merged), runs(&part("whole")));
    assert_eq!(runs(&merged).len(), 24);
    // Rows are in the order of the whole.
    let first_two = |out: &Path| -> Vec<String> {
        let text = fs::read_to_string(out.join("results.csv")).expect("results");
        let rows = text.lines().map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[..4].join(",")
        });
        rows.collect()
    };
    assert_eq!(first_two(&merged), first_two(&part("whole")));
    let timings = "SELECT count(*) FROM timings JOIN runs ON run = runs.id";
    let repetitions = "SELECT sum(repetitions) FROM runs";
    assert_eq!(number_of(&merged, timings), number_of(&merged, repetitions));
    let (code, difference) = json(&["diff", path(&merged), path(&part("whole"))]);
    assert_eq!(code, 0);
    assert_eq!(difference["common"], 24);
    assert_eq!(difference["changed"], serde_json::json!([]));
}

#[test]
fn files_that_are_no_stores_are_refused() {
    let folder = tempfile::tempdir().expect("a directory");
    let text = folder.path().join("results.sqlite");
    fs::write(
        &text,
        "not a database, but a text that is long enough for a header of one",
    )
    .expect("a file");
    let (code, report) = json(&["query", path(&text), "SELECT 1"]);
    assert_eq!(code, 2, "{report}");
    assert!(
        report["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("is not a store"))
    );
    let out = path(folder.path());
    let compare = [
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--out",
        out,
    ];
    assert_eq!(json(&compare).0, 2);
    assert_eq!(json(&[compare.as_slice(), &["--fresh"]].concat()).0, 2);
    assert_eq!(json(&["query", "/nowhere/at/all", "SELECT 1"]).0, 2);
    assert_eq!(json(&["report", "/nowhere/at/all", "--out", out]).0, 2);
    // The text is still there.
    assert!(
        fs::read(&text)
            .expect("a file")
            .starts_with(b"not a database")
    );
}

#[test]
fn questions_change_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    liedae(&[
        "compare",
        "pendulum",
        "--methods",
        "hem5",
        "--tols",
        "1e-3",
        "--keep-samples",
        "--out",
        out,
    ]);
    for (sql, code) in [
        ("SELECT count(*) AS n FROM samples", 0),
        ("DELETE FROM runs", 2),
        ("SELECT nothing FROM runs", 2),
        ("", 2),
        ("SELECT 1; DELETE FROM runs", 2),
    ] {
        assert_eq!(json(&["query", out, sql]).0, code, "{sql}");
    }
    assert_eq!(runs(folder.path()).len(), 1);
    let samples = number_of(folder.path(), "SELECT count(*) FROM samples");
    let outputs = number_of(folder.path(), "SELECT count(DISTINCT output) FROM samples");
    assert_eq!(samples, 40 * outputs);
    let csv = stdout(&liedae(&[
        "query",
        out,
        "SELECT problem, step FROM runs",
        "--format",
        "csv",
    ]));
    assert_eq!(csv, "problem,step\npendulum,\n");
    let latex = stdout(&liedae(&[
        "query",
        out,
        "SELECT problem, status FROM runs",
        "--format",
        "latex",
    ]));
    assert!(latex.contains("pendulum & done \\\\"), "{latex}");
}

/// Columns of equal names do not hide each other, and rows come as they are found: who reads the first ones only waits for no others.
#[test]
fn answers_are_whole_and_come_row_by_row() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let compare = ["compare", "pendulum", "--methods", "hem5", "--tols", "1e-3"];
    liedae(&[compare.as_slice(), &["--out", out]].concat());
    let twice = "SELECT 1 AS n, 2 AS n, 3 AS m, 4 AS n";
    let (_, rows) = json(&["query", out, twice]);
    assert_eq!(
        rows,
        serde_json::json!([{"n": 1, "n_2": 2, "m": 3, "n_3": 4}])
    );
    let csv = stdout(&liedae(&["query", out, twice, "--format", "csv"]));
    assert_eq!(csv, "n,n_2,m,n_3\n1,2,3,4\n");
    assert_eq!(
        json(&["query", out, "SELECT 1 WHERE 0"]).1,
        serde_json::json!([])
    );
    // What is not a number in JSON is a word.
    let (_, rows) = json(&["query", out, "SELECT 9e999 AS a, -9e999 AS b, NULL AS c"]);
    assert_eq!(
        rows,
        serde_json::json!([{"a": "Infinity", "b": "-Infinity", "c": null}])
    );
    // Columns are as wide as the first thousand rows need.
    let count = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10002) SELECT n, n FROM c";
    let text = stdout(&liedae(&["query", out, count]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 10_003);
    assert_eq!(
        [lines[0], lines[1], lines[10_002]],
        ["n      n_2", "1        1", "10002  10002"]
    );
    // A question without end, of which somebody reads ten rows.
    let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c";
    for format in [
        ["--format", "text"],
        ["--format", "csv"],
        ["--format", "latex"],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_liedae"))
            .args(["query", out, endless])
            .args(format)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stream = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        for _ in 0..10 {
            line.clear();
            stream.read_line(&mut line).expect("a line");
        }
        assert!(!line.is_empty(), "{format:?}");
        drop(stream);
        assert_eq!(child.wait().expect("an end").code(), Some(0), "{format:?}");
    }
}

/// Texts need not be UTF-8, whoever wrote them, and may be wider than any line.
#[test]
fn texts_of_any_bytes_and_widths_are_answered() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let compare = ["compare", "pendulum", "--methods", "hem5", "--tols", "1e-3"];
    liedae(&[compare.as_slice(), &["--out", out]].concat());
    let bytes = "SELECT CAST(x'61ff62' AS TEXT) AS a, x'ff' AS b";
    let (code, rows) = json(&["query", out, bytes]);
    let expected = serde_json::json!([{"a": "a\u{fffd}b", "b": "1 bytes"}]);
    assert_eq!((code, rows), (0, expected));
    let wide = "SELECT printf('%.*c', 70000, 'x') AS a, 1 AS b";
    for format in ["text", "csv", "latex"] {
        for question in [bytes, wide] {
            let output = liedae(&["query", out, question, "--format", format]);
            assert_eq!(output.status.code(), Some(0), "{format}: {question}");
        }
    }
    let name = "x".repeat(65_535);
    for arguments in [
        vec!["run", name.as_str()],
        vec!["describe", &name],
        vec!["query", out, &name],
        vec!["run", "pendulum", "--method", &name],
        vec!["compare", "pendulum", "--methods", &name, "--out", out],
        vec!["query", &name, "SELECT 1"],
    ] {
        let output = liedae(&arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{}",
            &said[..said.len().min(300)]
        );
    }
}

/// Whatever a byte of a store becomes, a command answers or says what is wrong.
#[test]
fn damaged_stores_end_no_command() {
    let folder = tempfile::tempdir().expect("a directory");
    let out = path(folder.path());
    let compare = ["compare", "pendulum", "--methods", "hem5", "--tols", "1e-3"];
    liedae(&[compare.as_slice(), &["--out", out]].concat());
    let whole = fs::read(folder.path().join("results.sqlite")).expect("a store");
    let damaged = folder.path().join("damaged.sqlite");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    // Names of tables and columns, texts of runs, and anything.
    let texts: Vec<usize> = (0..whole.len())
        .filter(|&at| whole[at].is_ascii_alphabetic())
        .collect();
    for case in 0..60 {
        let mut bytes = whole.clone();
        for _ in 0..8 {
            let place = match case % 2 {
                0 => texts[draw(texts.len())],
                _ => draw(bytes.len()),
            };
            bytes[place] = [0xff, 0x00, 0x1b, 0x80][draw(4)];
        }
        fs::write(&damaged, &bytes).expect("a store");
        for question in [
            "SELECT * FROM runs",
            "SELECT * FROM sqlite_schema",
            "SELECT * FROM sessions",
        ] {
            let output = liedae(&["query", path(&damaged), question]);
            let code = output.status.code();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(code, Some(0..=3)),
                "case {case}, {question}: {code:?} {said}"
            );
            assert!(
                !said.contains("panicked"),
                "case {case}, {question}: {said}"
            );
        }
    }
}

/// A file whose text has changed is another problem, whatever its name.
#[test]
fn runs_of_a_changed_file_are_made_anew() {
    let folder = tempfile::tempdir().expect("a directory");
    let (file, out) = (folder.path().join("fall.toml"), folder.path().join("out"));
    let run = |gravity: f64| {
        let text = format!(
            "t_end = 1.0\ngravity = [0.0, 0.0, {gravity:?}]\n[[bodies]]\nname = \"stone\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n\
             [[outputs]]\nname = \"z\"\nbody = \"stone\"\nquantity = \"z\"\n"
        );
        fs::write(&file, text).expect("a file");
        let compare = [
            "compare",
            path(&file),
            "--methods",
            "dopri5",
            "--tols",
            "1e-3",
        ];
        let more = ["--keep-samples", "--out", path(&out)];
        let (code, report) = json(&[&compare[..], &more[..]].concat());
        assert_eq!(code, 0, "{report}");
        let last = "SELECT value FROM samples JOIN runs ON run = runs.id ORDER BY runs.id DESC, t DESC LIMIT 1";
        let (_, rows) = json(&["query", path(&out), last]);
        rows[0]["value"].as_f64().expect("a height")
    };
    // Half of g t².
    assert!((run(-10.0) + 5.0).abs() < 1e-6);
    assert!((run(-2.0) + 1.0).abs() < 1e-6);
    assert_eq!(number_of(&out, "SELECT count(*) FROM runs"), 2);
    assert!((run(-2.0) + 1.0).abs() < 1e-6);
    assert_eq!(number_of(&out, "SELECT count(*) FROM runs"), 2);
}
