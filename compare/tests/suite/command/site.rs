//! The pages of the open test set are complete and need no network.

use crate::common::{json, liedae, path};
use liedae_problems::catalogue::{ReferenceTable, TEST_SETS};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The values of an attribute.
fn values<'t>(html: &'t str, attribute: &str) -> Vec<&'t str> {
    let start = format!(" {attribute}=\"");
    let parts = html.split(start.as_str()).skip(1);
    parts
        .map(|part| part.split('"').next().expect("an end"))
        .collect()
}

/// Every link of a page leads to a file, or to a part of a page that is there; only sources of problems are elsewhere.
fn links_lead_somewhere(folder: &Path, name: &str, html: &str) {
    let links = values(html, "href");
    assert!(links.len() > 3, "{name}");
    for link in links {
        if link.starts_with("https://doi.org/10.") {
            continue;
        }
        let (file, part) = link.split_once('#').unwrap_or((link, ""));
        let file = if file.is_empty() { name } else { file };
        assert!(
            !file.contains(':') && !file.starts_with('/'),
            "{name}: {link}"
        );
        let text = read(folder, file);
        assert!(
            part.is_empty() || text.contains(&format!(" id=\"{part}\"")),
            "{name}: {link}"
        );
    }
}

/// Nothing is asked of a network, and what is loaded is there.
fn loads_from_disk_only(folder: &Path, name: &str, html: &str) {
    for source in values(html, "src") {
        assert!(folder.join(source).is_file(), "{name}: {source}");
    }
    for tag in html.split("<link ").skip(1) {
        let tag = tag.split('>').next().expect("an end");
        assert!(!tag.contains("//"), "{name}: {tag}");
    }
    for load in ["@import", "url(", "fetch(", "src=\"http", "src=\"//"] {
        assert!(!html.contains(load), "{name}: {load}");
    }
}

/// Text as a browser reads it.
fn unescaped(html: &str) -> String {
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ];
    let texts = names.iter();
    texts.fold(html.to_owned(), |text, (name, letter)| {
        text.replace(name, letter)
    })
}

/// The entries of the rows of every table of numbers, by its title.
fn sheets(page: &str) -> Vec<(String, Vec<Vec<String>>)> {
    let parts = page.split("<details class=\"sheet\"").skip(1);
    let sheet = |part: &str| {
        let part = part.split("</details>").next().expect("an end");
        let (_, title) = part.split_once("<summary>").expect("a title");
        let (title, _) = title.split_once(" (").expect("a number of rows");
        let (_, body) = part.split_once("<tbody>").expect("a body");
        let rows = body.split("<tr>").skip(1).map(|row| {
            let cells = row.split("<td class=\"").skip(1).map(|cell| {
                let (_, text) = cell.split_once('>').expect("a cell");
                unescaped(text.split("</td>").next().expect("an end"))
            });
            cells.collect()
        });
        (unescaped(title), rows.collect())
    };
    parts.map(sheet).collect()
}

/// Numbers, words and truths of a value, in its order.
fn leaves(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Array(entries) => entries.iter().for_each(|entry| leaves(entry, found)),
        Value::Object(entries) => entries.values().for_each(|entry| leaves(entry, found)),
        Value::String(words) => found.push(words.clone()),
        other => found.push(other.to_string()),
    }
}

/// Every number that `describe` has of the equations, a mechanism's parts or a table is in its place on the page.
fn numbers_are_those_of_describe(page: &str, described: &Value) -> usize {
    let sheets = sheets(page);
    let text = unescaped(page);
    let of = |title: &str| -> &Vec<Vec<String>> {
        let found = sheets.iter().find(|(known, _)| known == title);
        &found.unwrap_or_else(|| panic!("no table {title}")).1
    };
    let mut count = 0;
    let mut parts = described["mechanism"]["model"].clone();
    if let Some(bodies) = described["mechanism"].get("modal_bodies") {
        parts["modal_bodies"] = bodies.clone();
    }
    for (key, value) in parts.as_object().into_iter().flatten() {
        let entries = value.as_array().map_or(&[][..], Vec::as_slice);
        if !entries.first().is_some_and(Value::is_object) {
            let single = of("mechanism").iter().find(|row| row[0] == *key);
            let mut found = Vec::new();
            leaves(value, &mut found);
            let single = &single.unwrap_or_else(|| panic!("no {key}"))[1];
            assert!(found.iter().all(|leaf| single.contains(leaf)), "{key}");
            count += found.len();
            continue;
        }
        let rows = of(key);
        assert_eq!(rows.len(), entries.len(), "{key}");
        for (row, entry) in rows.iter().zip(entries) {
            // As many entries as the body, joint or force has keys.
            let keys = entry.as_object().expect("an entry");
            let filled = row.iter().filter(|cell| *cell != "–").count();
            let known = keys.values().filter(|value| !value.is_null()).count();
            assert_eq!(filled, known, "{key}: {row:?}");
            let mut found = Vec::new();
            leaves(entry, &mut found);
            for leaf in &found {
                let is_there = row.iter().any(|cell| cell.contains(leaf));
                assert!(is_there, "{key}: {leaf} is not in {row:?}");
            }
            count += found.len();
        }
    }
    for (key, meaning) in described["mechanism"]["keys"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let meaning = meaning.as_str().expect("words");
        assert!(text.contains(meaning), "{key}: {meaning}");
    }
    let defined = described["definitions"].as_object().expect("definitions");
    for (name, definition) in defined {
        let row = page.split("<tr").find(|row| {
            let row = unescaped(row);
            row.contains(&format!("<code>{name}</code></td>"))
        });
        let row = unescaped(row.unwrap_or_else(|| panic!("no output {name}")));
        let definition = definition.as_str().expect("words");
        assert!(row.contains(definition), "{name}: {row}");
    }
    let formulation = &described["formulation"];
    for equation in formulation["equations"].as_array().into_iter().flatten() {
        let equation = equation.as_str().expect("words");
        assert!(text.contains(equation), "{equation}");
        count += 1;
    }
    for table in formulation["tables"].as_array().into_iter().flatten() {
        let rows = of(table["title"].as_str().expect("a title"));
        let expected = table["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(expected) {
            let expected = expected.as_array().expect("a row");
            for (cell, expected) in row.iter().zip(expected) {
                match expected.as_f64() {
                    Some(number) => assert_eq!(cell.parse(), Ok(number)),
                    None => assert_eq!(Some(cell.as_str()), expected.as_str()),
                }
                count += 1;
            }
        }
    }
    count
}

#[test]
fn every_row_of_a_set_has_a_page_that_stands_on_its_own() {
    let directory = tempfile::tempdir().expect("a directory");
    let results = directory.path().join("results");
    let compared = [
        "compare",
        "s5-001,s5-004",
        "--methods",
        "hem5,mdop5",
        "--tols",
        "1e-3,1e-5,1e-7",
        "--out",
        path(&results),
    ];
    assert_eq!(liedae(&compared).status.code(), Some(0));
    let folder = directory.path().join("site");
    let arguments = [
        "site",
        "--set",
        "set5",
        "--out",
        path(&folder),
        "--results",
        path(&results),
    ];
    let (code, written) = json(&arguments);
    assert_eq!(code, 0, "{written}");
    let set = &TEST_SETS[4];
    assert_eq!(written["pages"], set.rows.len());
    assert_eq!(written["lacking"], serde_json::json!([]));
    assert_eq!(written["without_diagrams"], set.rows.len() - 2);

    let index = read(&folder, "index.html");
    links_lead_somewhere(&folder, "index.html", &index);
    loads_from_disk_only(&folder, "index.html", &index);
    let linked: BTreeSet<&str> = values(&index, "href").into_iter().collect();
    let table = ReferenceTable::standard().expect("a table");
    for row in set.rows {
        let name = format!("{}.html", row.id);
        assert!(linked.contains(name.as_str()), "{name}");
        assert!(index.contains(&format!("src=\"pictures/{}.svg\"", row.id)));
        let page = read(&folder, &name);
        links_lead_somewhere(&folder, &name, &page);
        loads_from_disk_only(&folder, &name, &page);
        assert!(page.contains("<svg role=\"img\""), "{name} has no picture");
        // One heading of the first level, and none of the third before one of the second.
        assert_eq!(page.matches("<h1>").count(), 1);
        assert!(page.find("<h2") < page.find("<h3"), "{name}");
        // Digits and values are those of the table, which names problems by what differs from their defaults.
        let (_, described) = json(&["describe", row.id]);
        let numbers = numbers_are_those_of_describe(&page, &described);
        assert!(numbers > 5, "{}: {numbers}", row.id);
        let mut label = described["name"].as_str().expect("a name").to_owned();
        for parameter in described["parameters"].as_array().expect("a list") {
            if parameter["value"] != parameter["default"] {
                let name = parameter["name"].as_str().expect("a name");
                label.push_str(&format!(
                    ":{name}={}",
                    parameter["value"].as_f64().expect("a number")
                ));
            }
        }
        let t_end = described["t_end"].as_f64().expect("an end");
        let known = table.values(&label, t_end);
        assert!(!known.is_empty(), "{}", row.id);
        let shown: Vec<&str> = page
            .split("<td class=\"digits\">")
            .skip(1)
            .map(|part| part.split('<').next().expect("an end"))
            .filter(|digits| *digits != "–")
            .collect();
        let digits: Vec<String> = known
            .iter()
            .map(|value| format!("{:.1}", value.digits))
            .collect();
        assert_eq!(shown, digits, "{}", row.id);
        for value in known {
            let text = match value.value {
                0.0 => "0".to_owned(),
                value => format!("{value:e}"),
            };
            assert!(page.contains(&format!("<td>{text}</td>")), "{}", row.id);
        }
        let has_diagrams = ["s5-001", "s5-004"].contains(&row.id);
        assert_eq!(
            page.contains("error and CPU time"),
            has_diagrams,
            "{}",
            row.id
        );
        assert_eq!(page.contains("error and force evaluations"), has_diagrams);
        assert_eq!(page.contains("liedae compare"), !has_diagrams);
    }
}

#[test]
fn what_cannot_be_had_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = path(directory.path());
    let known = liedae(&["site", "--set", "set9", "--out", out]);
    assert_eq!(known.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&known.stderr).contains("set1"));
    let missing = [
        "site",
        "--set",
        "set5",
        "--out",
        out,
        "--results",
        "/nowhere/r.sqlite",
    ];
    assert_eq!(liedae(&missing).status.code(), Some(2));
}
