//! What README and the book say that commands print is what they print.
//!
//! A block that begins with `$ cargo run --release -- ARGUMENTS`, or comes after such a line in a block of commands, is compared with
//! the output of `liedae ARGUMENTS`. A line of three dots stands for any number of lines. Wall times may differ, and other
//! numbers a little, as they do between processors.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// README and the pages of the book on commands.
static PAGES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = [
        "README.md",
        "docs/book/src/first-steps.md",
        "docs/book/src/command.md",
        "docs/book/src/methods.md",
        "docs/book/src/comparing/compare.md",
        "docs/book/src/comparing/reproduce.md",
    ];
    let read = |page| fs::read_to_string(root.join(page)).expect("the page is readable");
    pages.into_iter().map(read).collect()
});
const COMMAND: &str = "cargo run --release -- ";

/// A command and what a page says that it prints.
struct Block {
    arguments: Vec<&'static str>,
    printed: Vec<&'static str>,
}

fn blocks() -> Vec<Block> {
    PAGES.iter().flat_map(|page| blocks_of(page)).collect()
}

fn blocks_of(page: &'static str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut command = None;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```").filter(|name| !name.is_empty()) else {
            continue;
        };
        let mut block = lines.by_ref().take_while(|line| *line != "```");
        if language == "sh" {
            command = block.find_map(|line| line.strip_prefix(COMMAND));
        } else if language == "text" {
            let mut printed: Vec<&str> = block.collect();
            let own = printed.first().and_then(|first| first.strip_prefix("$ "));
            if own.is_some() {
                printed.remove(0);
            }
            let arguments = match own {
                Some(own) => own.strip_prefix(COMMAND),
                None => command.take(),
            };
            found.extend(arguments.map(|arguments| Block {
                arguments: arguments.split(' ').collect(),
                printed,
            }));
        }
    }
    found
}

/// Numbers may differ by 1 %, those with an exponent (errors, round-off) by a factor of 2, small counts by 2.
fn words_agree(said: &str, printed: &str) -> bool {
    let number = |word: &str| -> Option<f64> {
        let bare = word.trim_matches(|c: char| "(),".contains(c));
        bare.parse().ok()
    };
    let (Some(a), Some(b)) = (number(said), number(printed)) else {
        return said == printed;
    };
    let (small, large) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
    let share = if said.contains("e-") { 0.5 } else { 0.99 };
    let counts = a.fract() == 0.0 && b.fract() == 0.0;
    large < 1e-11 || small >= share * large || (counts && large - small <= 2.0)
}

/// Of lines with wall times these are left out: the last column but one of a table, and seconds of a summary.
fn lines_agree(said: &str, printed: &str, table: bool) -> bool {
    let [said, printed] = [said, printed].map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_time = |index: usize| {
        let column = table && index + 2 == said.len();
        column || (said.contains(&"themselves") && said.get(index + 1) == Some(&"s"))
    };
    said.len() == printed.len()
        && (0..said.len()).all(|index| is_time(index) || words_agree(said[index], printed[index]))
}

/// A row of the table of papers: the command's argument, then for each table of verdicts its name, how many hold, do not hold, and
/// are undecided.
fn papers() -> Vec<(&'static str, Vec<String>)> {
    let table = PAGES.last().expect("the page on papers");
    let lines = table.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|'));
    let rows = rows.filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (paper, cells) = row.split_once("` |").expect("a name");
        let cells = cells.split('|').nth(1).expect("verdicts");
        (
            paper,
            cells
                .split(';')
                .map(|cell| cell.trim().to_owned())
                .collect(),
        )
    })
    .collect()
}

/// What the command says of a paper's verdicts.
fn verdicts(paper: &str) -> Vec<String> {
    let out = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(["reproduce", paper, "--json", "--out"])
        .arg(out.path())
        .output()
        .expect("the command starts");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let tallies = result["tallies"].as_array().expect("a list").iter();
    let tallies = tallies.map(|tally| {
        let count = |verdict| tally[verdict].as_u64().expect("a count");
        format!(
            "{}: {}, {}, {}",
            tally["table"].as_str().expect("a name"),
            count("holds"),
            count("does_not_hold"),
            count("undecided")
        )
    });
    tallies.collect()
}

/// The paper whose experiments take longest.
const LONG: &str = "haddouni2017";

#[test]
fn verdicts_of_the_book_are_those_of_reproduce() {
    let papers = papers();
    assert_eq!(papers.len(), 5);
    for (paper, said) in papers.iter().filter(|(paper, _)| *paper != LONG) {
        assert_eq!(said, &verdicts(paper), "{paper}");
    }
}

#[test]
#[ignore = "three quarters of an hour"]
fn verdicts_on_many_mechanisms_are_those_of_reproduce() {
    let papers = papers();
    let (_, said) = papers
        .iter()
        .find(|(paper, _)| *paper == LONG)
        .expect("a row");
    assert_eq!(said, &verdicts(LONG));
}

#[test]
fn blocks_of_the_book_are_what_commands_print() {
    let here = std::env::temp_dir().join(format!("liedae-book-{}", std::process::id()));
    std::fs::create_dir_all(&here).expect("a directory for reports");
    let blocks = blocks();
    assert!(
        blocks.len() >= 4,
        "the book shows {} commands",
        blocks.len()
    );
    let mut stale = Vec::new();
    for block in blocks {
        let output = Command::new(env!("CARGO_BIN_EXE_liedae"))
            .args(&block.arguments)
            .current_dir(&here)
            .output()
            .expect("the command starts");
        assert!(output.status.success(), "{:?}", block.arguments);
        let output = String::from_utf8(output.stdout).expect("UTF-8");
        let table = block.printed[0].contains("wall / s");
        let mut rest = output.lines();
        let mut skips = false;
        for said in block.printed {
            if said == "..." {
                skips = true;
                continue;
            }
            let agrees = |line: &str| lines_agree(said, line, table);
            let next = if skips {
                rest.find(|line| agrees(line))
            } else {
                rest.next().filter(|line| agrees(line))
            };
            skips = false;
            if next.is_none() {
                stale.push(format!("{}: {said}", block.arguments.join(" ")));
                break;
            }
        }
    }
    std::fs::remove_dir_all(&here).expect("removed");
    assert!(stale.is_empty(), "not printed:\n{}", stale.join("\n"));
}

/// The file that the book begins with is one that runs.
#[test]
fn the_mechanism_of_the_book_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/book/src/mechanism.md");
    let page = fs::read_to_string(page).expect("the page is readable");
    let block = page.split("```toml\n").nth(1).expect("a file");
    let text = block.split("```").next().expect("its end");
    let here = tempfile::tempdir().expect("a directory");
    fs::write(here.path().join("two-bars.toml"), text).expect("written");
    for arguments in [&["analyse", "two-bars.toml"][..], &["run", "two-bars.toml"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_liedae"))
            .args(arguments)
            .current_dir(here.path())
            .output()
            .expect("the command starts");
        assert!(output.status.success(), "{arguments:?}");
    }
}
