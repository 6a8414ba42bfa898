//! `liedae reproduce`: a paper's experiments and a verdict on each of its claims.

use super::compare::write_csv;
use super::deliver;
use super::progress::Progress;
use crate::cli::{Paper, ReproduceArgs};
use crate::error::{CommandError, Status};
use crate::output::json;
use crate::reproduce::{Claim, fang2022};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Reproduction {
    status: Status,
    paper: &'static str,
    quick: bool,
    held: usize,
    claims: Vec<Claim>,
    failures: Vec<String>,
    files: Vec<String>,
}

/// Repeats the experiments and writes report.html, claims.json and the data.
pub fn reproduce(arguments: &ReproduceArgs, as_json: bool) -> Result<Status, CommandError> {
    match arguments.paper {
        Paper::Fang2022 => fang2022(arguments, as_json),
    }
}

/// Pieces of work that are announced: 3 x 5 x 2 orders, 2 energies, 9 costs, 7 chains, 3 coefficients of friction.
const PIECES: usize = 51;

fn fang2022(arguments: &ReproduceArgs, as_json: bool) -> Result<Status, CommandError> {
    let out = arguments.out.as_path();
    std::fs::create_dir_all(out).map_err(|source| CommandError::write(out, source))?;
    let extent = if arguments.quick {
        fang2022::Extent::quick()
    } else {
        fang2022::Extent::full()
    };
    let mut progress = Progress::new(PIECES);
    let results = fang2022::Results::new(&extent, &mut |message| progress.step(message));
    drop(progress);

    let claims = fang2022::claims(&results);
    let mut files = Vec::new();
    let mut write = |name: &str, content: String| -> Result<(), CommandError> {
        let path = out.join(name);
        std::fs::write(&path, content).map_err(|source| CommandError::write(&path, source))?;
        files.push(path.display().to_string());
        Ok(())
    };
    write(
        "report.html",
        fang2022::page(&results, &claims, arguments.quick)?.html()?,
    )?;
    write("claims.json", json(&claims)?)?;
    for (name, header, rows) in results.data() {
        let path = out.join(&name);
        write_table(&path, &header, &rows)?;
        files.push(path.display().to_string());
    }
    for (name, costs) in [
        ("fig4_6_costs.csv", &results.costs),
        ("fig8_chain.csv", &results.chains),
    ] {
        if let Ok(costs) = costs {
            let path = out.join(name);
            write_csv(&path, costs)?;
            files.push(path.display().to_string());
        }
    }

    let failures: Vec<String> = results
        .failures()
        .into_iter()
        .map(|(figure, reason)| format!("Fig. {figure}: {reason}"))
        .collect();
    let reproduction = Reproduction {
        status: if failures.is_empty() {
            Status::Done
        } else {
            Status::Failed
        },
        paper: "fang2022",
        quick: arguments.quick,
        held: claims
            .iter()
            .filter(|claim| claim.holds == Some(true))
            .count(),
        claims,
        failures,
        files,
    };
    deliver(&reproduction, as_json, || text(&reproduction))?;
    Ok(reproduction.status)
}

fn write_table(path: &Path, header: &[String], rows: &[Vec<String>]) -> Result<(), CommandError> {
    let failed = |error: csv::Error| CommandError::write(path, std::io::Error::from(error));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.write_record(row).map_err(failed)?;
    }
    writer
        .flush()
        .map_err(|source| CommandError::write(path, source))
}

fn text(result: &Reproduction) -> String {
    let mut text = String::new();
    for claim in &result.claims {
        text.push_str(&format!(
            "Fig. {:<10} {:<14} {}\n",
            claim.figure,
            claim.verdict(),
            claim.claim
        ));
        text.push_str(&format!("{:<30} {}\n", "", claim.measured));
    }
    for failure in &result.failures {
        text.push_str(&format!("failed: {failure}\n"));
    }
    text.push_str(&format!(
        "\n{} of {} claims hold.\n",
        result.held,
        result.claims.len()
    ));
    for file in &result.files {
        text.push_str(&format!("{file}\n"));
    }
    text
}
