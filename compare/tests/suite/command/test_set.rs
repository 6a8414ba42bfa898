//! The open test set by the command: what is in it, and its references.

use crate::common::{json, liedae, number, stdout};
use liedae_problems::catalogue::ReferenceTable;

#[test]
fn sets_have_as_many_rows_as_the_catalogue() {
    let (code, listed) = json(&["list", "sets"]);
    assert_eq!(code, 0);
    let sets = listed["sets"].as_array().expect("sets");
    for (name, rows) in [
        ("set1", 69),
        ("set2", 32),
        ("set3", 14),
        ("set4", 17),
        ("set5", 7),
        ("set6", 12),
    ] {
        let set = sets.iter().find(|set| set["name"] == name).expect(name);
        for list in ["problems", "ids"] {
            assert_eq!(set[list].as_array().map(Vec::len), Some(rows), "{name}");
        }
    }
}

#[test]
fn identifiers_stand_for_problems_in_every_command() {
    let text = stdout(&liedae(&["describe", "s1-027"]));
    assert!(text.starts_with("bricard: "), "{text}");
    let (code, by_id) = json(&["run", "S6-003", "--method", "hem5"]);
    let (_, by_name) = json(&["run", "ladder", "--method", "hem5"]);
    assert_eq!(code, 0);
    assert_eq!(by_id["outputs"], by_name["outputs"]);
    let unknown = liedae(&["describe", "s1-999"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn references_are_confirmed_and_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("references.csv");
    let path = file.to_str().expect("UTF-8");
    let asked = "s5-001,s6-003,ladder:t_end=0.3";
    let (code, report) = json(&["verify-references", "--problems", asked, "--write", path]);
    assert_eq!(code, 0, "{report}");
    let problems = report["problems"].as_array().expect("problems");
    let standings: Vec<_> = problems.iter().map(|found| &found["standing"]).collect();
    assert_eq!(standings, ["confirmed", "confirmed", "new"]);
    let text = std::fs::read_to_string(&file).expect("a file");
    let table = ReferenceTable::parse(&text).expect("a table");
    assert!(!table.values("ladder", 0.3).is_empty());
    // Nothing else is left in the folder.
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1
    );
    // What was known of others stays.
    let standard = ReferenceTable::standard().expect("a table");
    assert_eq!(table.problems().count(), standard.problems().count() + 1);
    assert_eq!(
        table.values("bricard", 10.0),
        standard.values("bricard", 10.0)
    );
}

#[test]
fn what_cannot_be_asked_is_refused() {
    for arguments in [
        &["verify-references", "--set", "set7"][..],
        &["verify-references", "--problems", "nosuch"],
        &[
            "verify-references",
            "--set",
            "set1",
            "--problems",
            "pendulum",
        ],
        &["verify-references", "--jobs", "0"],
    ] {
        assert_eq!(liedae(arguments).status.code(), Some(2), "{arguments:?}");
    }
    // Said before the work, not after.
    for path in ["/nowhere/references.csv", "/"] {
        let asked = ["verify-references", "--set", "set1", "--write", path];
        assert_eq!(liedae(&asked).status.code(), Some(3), "{path}");
    }
}

/// Whoever has another code finds all numbers of a row: the tables of a mechanism, or equations, and where it starts.
#[test]
fn rows_are_described_in_numbers() {
    let (_, listed) = json(&["list", "sets"]);
    let sets = listed["sets"].as_array().expect("sets");
    let ids = sets.iter().filter(|set| {
        set["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("set"))
    });
    let ids = ids.flat_map(|set| set["ids"].as_array().into_iter().flatten());
    let ids: Vec<&str> = ids.filter_map(|id| id.as_str()).collect();
    assert_eq!(ids.len(), 151);
    for id in ids {
        let (code, row) = json(&["describe", id]);
        assert_eq!(code, 0, "{id}");
        let equations = row["formulation"]["equations"].as_array();
        let has_equations = equations.is_some_and(|equations| !equations.is_empty());
        let mechanism = &row["mechanism"];
        let left_out = mechanism["not_stated"].as_array();
        // What is a function of a program in a mechanism stands among the equations.
        let whole = left_out.is_some_and(Vec::is_empty);
        assert!(has_equations || whole, "{id}: {left_out:?}");
        if mechanism.is_object() {
            let model = &mechanism["model"];
            let parts = ["bodies", "beams", "modal_beams"]
                .map(|table| model[table].as_array().map_or(0, Vec::len));
            assert!(
                parts.iter().sum::<usize>() > 0,
                "{id}: neither bodies nor beams"
            );
            let masses = mechanism["keys"].get("bodies.mass");
            let explained = masses.and_then(|words| words.as_str());
            assert!(
                parts[0] == 0 || explained.is_some_and(|words| words.contains("kg")),
                "{id}"
            );
        }
        let start = &row["start"];
        let numbers = ["q", "v", "x"].map(|part| start[part].as_array().map_or(0, Vec::len));
        let sizes = &row["sizes"];
        assert_eq!(
            numbers[0] as u64,
            sizes["coordinates"].as_u64().unwrap_or(0),
            "{id}"
        );
        assert_eq!(
            numbers[1] as u64,
            sizes["velocities"].as_u64().unwrap_or(0),
            "{id}"
        );
        assert!(
            start["outputs"]
                .as_object()
                .is_some_and(|outputs| !outputs.is_empty()),
            "{id}"
        );
    }
}

#[test]
fn a_body_with_modes_is_described_in_numbers() {
    let (_, row) = json(&["describe", "flexible-crank"]);
    let mechanism = &row["mechanism"];
    let beam = &mechanism["modal_bodies"][0]["beam"];
    assert!((number(beam, "/length") - 0.3).abs() < 1e-15);
    assert_eq!(beam["ends"], "pinned");
    // E A of a square of 8 mm.
    let stretching = beam["section_stiffness"][0].as_f64().expect("a stiffness");
    assert!(
        (stretching / (2e11 * 64e-6) - 1.0).abs() < 1e-12,
        "{stretching}"
    );
    assert!(mechanism["keys"]["modal_bodies.mass"].is_string());
    assert_eq!(mechanism["not_stated"], serde_json::json!([]));
    let torque = &mechanism["model"]["forces"][0]["law"]["load"]["torque"];
    assert_eq!(torque["approach"]["time"], 0.01);
    let words = mechanism["keys"]["forces.law.load.torque.approach.time"].as_str();
    assert!(words.is_some_and(|words| words.contains("Time constant, s")));
    let text = stdout(&liedae(&["describe", "flexible-crank"]));
    assert!(
        text.contains("modal_bodies") && text.contains("exp(-t / 0.01)"),
        "{text}"
    );
}

#[test]
fn sets_are_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().to_str().expect("UTF-8");
    let done = liedae(&["export", "set5", "--out", out]);
    assert_eq!(done.status.code(), Some(0));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("3 of 7 problems of set5"), "{said}");
    // Beams with modes, motors and controllers are tables.
    let all = liedae(&["export", "set3", "--out", out]);
    let said = String::from_utf8_lossy(&all.stderr).into_owned();
    assert!(said.contains("14 of 14 problems of set3"), "{said}");
    let from_file = json(&[
        "run",
        &format!("{out}/s5-004.toml"),
        "--method",
        "hem5",
        "--t-end",
        "0.1",
    ]);
    let own = json(&["run", "s5-004", "--method", "hem5", "--t-end", "0.1"]);
    assert_eq!(from_file.1["statistics"], own.1["statistics"]);
    let output = liedae(&["export", "--format", "json", "set5"]);
    let set: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let rows = set["problems"].as_array().expect("rows");
    let models = rows.iter().filter(|row| row["model"].is_object()).count();
    let refused = rows.iter().filter(|row| row["refused"].is_string()).count();
    assert_eq!((models, refused), (3, 4));
    // A set has no single file.
    assert_eq!(liedae(&["export", "set5"]).status.code(), Some(2));
}
