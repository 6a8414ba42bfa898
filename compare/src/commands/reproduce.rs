//! `liedae reproduce`: a paper's experiments and a verdict on each of its claims.

use super::deliver;
use super::progress::Progress;
use crate::cli::{Paper, ReproduceArgs};
use crate::error::{CommandError, Status};
use crate::output::json;
use crate::reproduce::{
    Claim, Repetition, Tally, Verdict, fang2022, haddouni2017, haddouni2017_academic, haug1997,
    ivp_testset, tallies,
};
use serde::Serialize;

#[derive(Serialize)]
struct Reproduction {
    status: Status,
    paper: &'static str,
    quick: bool,
    tallies: Vec<Tally>,
    claims: Vec<Claim>,
    failures: Vec<String>,
    files: Vec<String>,
}

/// Repeats the experiments and writes report.html, claims.json and the data.
pub fn reproduce(arguments: &ReproduceArgs, as_json: bool) -> Result<Status, CommandError> {
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let (pieces, repeat): (usize, Repeat) = match arguments.paper {
        Paper::Fang2022 => (fang2022::PIECES, fang2022::repeat),
        Paper::Haug1997 => (haug1997::PIECES, haug1997::repeat),
        Paper::Haddouni2017 => (haddouni2017::PIECES, haddouni2017::repeat),
        Paper::Haddouni2017Academic => {
            (haddouni2017_academic::PIECES, haddouni2017_academic::repeat)
        }
        Paper::IvpTestset => (ivp_testset::PIECES, ivp_testset::repeat),
    };
    let mut progress = Progress::new(pieces);
    let repetition = repeat(arguments.quick, &mut |message| progress.step(message))?;
    drop(progress);

    let mut files = Vec::new();
    let mut write = |name: &str, content: &str| -> Result<(), CommandError> {
        let path = out.join(name);
        std::fs::write(&path, content).map_err(|source| CommandError::write(&path, source))?;
        files.push(path.display().to_string());
        Ok(())
    };
    write("report.html", &repetition.page.html()?)?;
    write("claims.json", &json(&repetition.claims)?)?;
    for file in &repetition.files {
        write(&file.name, &file.text)?;
    }
    let reproduction = Reproduction {
        status: if repetition.failures.is_empty() {
            Status::Done
        } else {
            Status::Failed
        },
        paper: repetition.paper,
        quick: arguments.quick,
        tallies: tallies(&repetition.claims),
        claims: repetition.claims,
        failures: repetition.failures,
        files,
    };
    deliver(&reproduction, as_json, || text(&reproduction))?;
    Ok(reproduction.status)
}

/// Runs the experiments of one paper, quickly or in full.
type Repeat = fn(bool, &mut dyn FnMut(&str)) -> Result<Repetition, CommandError>;

fn text(result: &Reproduction) -> String {
    let mut text = String::new();
    for Tally { table, .. } in &result.tallies {
        text.push_str(&format!("{table}\n\n"));
        let rows = result.claims.iter();
        rows.filter(|claim| claim.statement.table == *table)
            .for_each(|claim| text.push_str(&row(claim)));
        text.push('\n');
    }
    for failure in &result.failures {
        text.push_str(&format!("failed: {failure}\n"));
    }
    for tally in &result.tallies {
        text.push_str(&format!("{tally}\n"));
    }
    for file in &result.files {
        text.push_str(&format!("{file}\n"));
    }
    text
}

/// A claim with its verdict; the sentence of the paper where it does not hold or is undecided.
fn row(claim: &Claim) -> String {
    let statement = &claim.statement;
    let place = &statement.place;
    let verdict = claim.verdict;
    let mut text = format!("{place:<15} {verdict:<14} {}\n", statement.claim);
    let mut line = |label: &str, words: &str| {
        for (number, part) in words.lines().enumerate() {
            let label = match number {
                0 => format!("{label}: "),
                _ => "  ".to_owned(),
            };
            text.push_str(&format!("{:<30} {label}{part}\n", ""));
        }
    };
    line("decides", &claim.decisive());
    line("measured", &claim.measured);
    line("criterion", &statement.criterion);
    if verdict != Verdict::Holds {
        if let Some(sentence) = statement.sentence {
            line("the paper", &format!("\"{sentence}\""));
        }
        if let Some(why) = &claim.why {
            line("why", why);
        }
    }
    line("sensitive to", &statement.sensitive_to);
    text
}
