//! The crate outside of the workspace that users take as a template.

use std::fs;
use std::path::Path;

fn text(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    fs::read_to_string(root.join(name)).unwrap()
}

/// The lines of a table, without comments.
fn table<'t>(text: &'t str, header: &str) -> Vec<&'t str> {
    let lines = text.lines().map(str::trim);
    let lines = lines.skip_while(|line| *line != header).skip(1);
    let own = lines.take_while(|line| !line.starts_with('['));
    own.filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// A comparison by somebody who copies it is one of optimized code: a level for dependencies holds for the crates of liedae, too.
#[test]
fn the_template_has_no_profile() {
    for name in ["examples/outside/Cargo.toml", "docs/book/src/extending.md"] {
        assert!(!text(name).contains("opt-level ="), "{name}");
    }
}

/// Dependencies are built once for the workspace and for the crate outside.
#[test]
fn ci_builds_it_with_the_profile_of_the_workspace() {
    let (workspace, outside) = (text("Cargo.toml"), text(".ci/outside.toml"));
    for header in ["[profile.release]", "[profile.release.package]"] {
        let (known, own) = (table(&workspace, header), table(&outside, header));
        let of_dependencies = own.iter().filter(|line| !line.starts_with("liedae"));
        assert_eq!(of_dependencies.copied().collect::<Vec<_>>(), known);
        assert!(!known.is_empty(), "{header}");
    }
}
