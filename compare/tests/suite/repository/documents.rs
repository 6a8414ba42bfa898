//! Files that the documents name are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a folder, but for what is built.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name == "target" || name == ".git" {
            continue;
        }
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Names of source files between backticks: `solve/plan.rs`, not `*.rs`.
fn named_files(text: &str) -> BTreeSet<&str> {
    let spans = text.split('`').skip(1).step_by(2);
    let words = spans.flat_map(|span| span.split([' ', ',', ';', ':', '(', ')', '\n']));
    words
        .filter(|word| word.ends_with(".rs") && !word.contains('*') && !word.contains('<'))
        .collect()
}

#[test]
fn files_that_documents_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    files_below(&root, &mut files);
    let (mut missing, mut checked) = (Vec::new(), 0);
    for document in &files {
        if document
            .extension()
            .is_none_or(|extension| extension != "md")
        {
            continue;
        }
        // The past may name what is gone.
        let folder = document.parent();
        if folder.is_some_and(|folder| folder.ends_with("docs/log")) {
            continue;
        }
        let text = fs::read_to_string(document).unwrap();
        for name in named_files(&text) {
            checked += 1;
            if !files.iter().any(|file| file.ends_with(name)) {
                missing.push(format!("{}: {name}", document.display()));
            }
        }
    }
    assert!(checked > 30, "only {checked} names found");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_citation_names_this_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("CITATION.cff")).unwrap();
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    assert_eq!(value("version: "), Some(env!("CARGO_PKG_VERSION")));
    // Without these it is no citation (Citation File Format 1.2.0).
    for required in ["cff-version: 1.2.0", "message: ", "title: ", "authors:"] {
        assert!(value(required).is_some(), "{required}");
    }
}
