//! What each crate of the workspace is made of lies within its folder, so that its package is complete.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders of the crates below the root of the workspace.
const CRATES: [&str; 5] = [
    "",
    "problems/contact",
    "problems/multibody",
    "problems/benchmarks",
    "compare",
];

/// All sources of a crate, without those of crates within its folder.
fn sources_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.join("Cargo.toml").exists() {
                sources_below(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Files that a source names to be compiled in.
fn named_files(source: &str) -> impl Iterator<Item = &str> {
    let markers = [
        "#[path = \"",
        "include_str!(\"",
        "include_bytes!(\"",
        "include!(\"",
    ];
    markers.into_iter().flat_map(move |marker| {
        let behind = source.split(marker).skip(1);
        behind.filter_map(|rest| rest.split('"').next())
    })
}

/// A path without `..`, by its text: links stay what they are called.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn no_crate_compiles_files_from_outside_of_its_folder() {
    let root = plain(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let mut checked = 0;
    for folder in CRATES {
        let folder = root.join(folder);
        let mut sources = Vec::new();
        for part in ["src", "tests", "benches", "examples"] {
            if folder.join(part).is_dir() {
                sources_below(&folder.join(part), &mut sources);
            }
        }
        for source in sources {
            // Here they are text.
            if source.ends_with("compare/tests/suite/repository/packages.rs") {
                continue;
            }
            let text = fs::read_to_string(&source).unwrap();
            for name in named_files(&text) {
                let file = plain(&source.parent().unwrap().join(name));
                let within = file.starts_with(&folder) && file.exists();
                assert!(within, "{} names {name}", source.display());
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "only {checked} names found");
}

#[test]
fn every_crate_has_its_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in CRATES {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = fs::read_to_string(root.join(folder).join(licence));
            let original = fs::read_to_string(root.join(licence)).unwrap();
            assert_eq!(text.ok().as_ref(), Some(&original), "{folder}/{licence}");
        }
    }
}
