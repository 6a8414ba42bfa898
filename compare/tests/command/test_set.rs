//! The open test set by the command: what is in it, and its references.

use crate::common::{json, liedae, stdout};
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
