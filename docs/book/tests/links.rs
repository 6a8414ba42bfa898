//! Links of README and of the book lead somewhere, every page is in the table of contents, and every page with code is compiled.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// Targets of links outside of code.
fn links(text: &str) -> Vec<String> {
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            code = !code;
        }
        if code {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect();
        let behind = prose.split("](").skip(1);
        found.extend(
            behind
                .filter_map(|rest| rest.split(')').next())
                .map(str::to_owned),
        );
    }
    found
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

fn broken(page: &Path, within: Option<&Path>) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let mut broken = Vec::new();
    for link in links(&text) {
        if link.starts_with("https://") || link.starts_with("http://") {
            continue;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
        let target = match path {
            "" => page.to_owned(),
            path => page.parent().unwrap().join(path),
        };
        let inside = within.is_none_or(|folder| {
            let target = target.canonicalize();
            target.is_ok_and(|target| target.starts_with(folder.canonicalize().unwrap()))
        });
        let there = target.exists() && inside;
        let found = anchor.is_empty()
            || there && anchors(&fs::read_to_string(&target).unwrap()).contains(anchor);
        if !there || !found {
            broken.push(format!("{}: {link}", page.display()));
        }
    }
    broken
}

#[test]
fn links_lead_to_pages_and_headings() {
    let mut found = Vec::new();
    pages(&book(), &mut found);
    assert!(found.len() > 30, "only {} pages", found.len());
    let mut all: Vec<String> = found
        .iter()
        .flat_map(|page| broken(page, Some(&book())))
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ] {
        all.extend(broken(&root.join(name), None));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let summary = fs::read_to_string(book().join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    let mut found = Vec::new();
    pages(&book(), &mut found);
    for page in found.iter().filter(|page| !page.ends_with("SUMMARY.md")) {
        let name = page
            .strip_prefix(book())
            .unwrap()
            .to_string_lossy()
            .into_owned();
        assert!(listed.contains(&name), "{name} is in no list");
    }
}

/// The first code of README is what somebody who tries it copies.
#[test]
fn readme_is_short_and_begins_with_code() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = fs::read_to_string(readme).unwrap();
    let code = text.lines().position(|line| line == "```rust");
    assert!(code.is_some_and(|line| line < 10), "{code:?}");
    assert!(text.lines().count() <= 120);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pendulum.rs");
    let block = text
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let example = fs::read_to_string(example).unwrap();
    assert!(
        example.ends_with(block.unwrap()),
        "README's pendulum is examples/pendulum.rs"
    );
}

#[test]
fn pages_with_code_are_compiled() {
    let compiled =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("lib.rs")).unwrap();
    let mut found = Vec::new();
    pages(&book(), &mut found);
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.strip_prefix(book()).unwrap().display().to_string();
        if text.contains("```rust\n") {
            assert!(
                compiled.contains(&format!("\"src/{name}\"")),
                "{name} is not compiled"
            );
        }
    }
}
