//! `liedae export`: a problem, or all of a set, as mechanism files.

use crate::cli::{ExportArgs, FileFormat, ProblemArgs};
use crate::error::{CommandError, Status};
use crate::experiment::{Instance, Written, find_set, is_path, is_set};
use crate::output::{json, note, print};
use crate::registry::Registry;
use liedae_multibody::file::NotExported;
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::Path;
use thiserror::Error;

/// Why a problem is not written as a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Refusal {
    /// Other coordinates, or no mechanism at all.
    #[error(
        "it is no mechanism in the plane or in space with rotation matrices, which files state"
    )]
    OtherSystem,
    #[error("the mechanism is not written as a file: {0}")]
    Part(#[from] NotExported),
    #[error("{0}")]
    Unwritable(String),
}

/// A row of a set.
#[derive(Serialize)]
struct Row {
    id: &'static str,
    problem: &'static str,
    /// The mechanism, with the keys of a mechanism file.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Value>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// A set for people without TOML.
#[derive(Serialize)]
struct Rows {
    set: &'static str,
    problems: Vec<Row>,
}

/// Prints it, or writes it into a directory.
pub fn export(registry: &Registry, arguments: &ExportArgs) -> Result<Status, CommandError> {
    let name = arguments.problem.problem.trim();
    if is_set(name) && registry.problems().find(name).is_none() {
        return export_set(registry, name, arguments);
    }
    let refused = |reason: Refusal| CommandError::Value {
        option: "PROBLEM",
        value: name.to_owned(),
        expected: reason.to_string(),
    };
    let written = written(registry, name, arguments)?.map_err(refused)?;
    let text = text(&written, arguments.format)?.map_err(refused)?;
    say_unwritten("", &written.unwritten);
    match &arguments.out {
        Some(directory) => {
            make(directory)?;
            write(directory, &stem_of(name), arguments.format, &text)?;
        }
        None => show(&text)?,
    }
    Ok(Status::Done)
}

fn export_set(
    registry: &Registry,
    name: &str,
    arguments: &ExportArgs,
) -> Result<Status, CommandError> {
    let (out, format) = (arguments.out.as_deref(), arguments.format);
    if out.is_none() && format == FileFormat::Toml {
        return Err(CommandError::Value {
            option: "PROBLEM",
            value: name.to_owned(),
            expected: "a set has a file for each problem: expected `--out DIR`, or `--format json` for all of them in one".to_owned(),
        });
    }
    let set = find_set(registry.problems(), name)?;
    let ids = set.ids.iter().copied().chain(std::iter::repeat(""));
    if let Some(directory) = out {
        make(directory)?;
    }
    let (mut problems, mut done) = (Vec::new(), 0);
    for (&problem, id) in set.problems.iter().zip(ids) {
        let written = written(registry, problem, arguments)?;
        done += usize::from(written.is_ok());
        let Some(directory) = out else {
            let model = written.and_then(|written| {
                let value = written.tables.json();
                value.map_err(Refusal::Unwritable)
            });
            let refused = model.as_ref().err().map(ToString::to_string);
            problems.push(Row {
                id,
                problem,
                model: model.ok(),
                refused,
            });
            continue;
        };
        let file = match written {
            Ok(written) => text(&written, format)?.map(|text| (text, written.unwritten)),
            Err(reason) => Err(reason),
        };
        match file {
            Ok((text, unwritten)) => {
                let stem = if id.is_empty() { problem } else { id };
                write(directory, stem, format, &text)?;
                say_unwritten(&format!("{stem}: "), &unwritten);
            }
            Err(reason) => note(&format!("liedae: {id} {problem}: {reason}")),
        }
    }
    note(&format!(
        "liedae: {done} of {} problems of {} are mechanisms that files state",
        set.problems.len(),
        set.name
    ));
    if out.is_none() {
        let set = set.name;
        show(&json(&Rows { set, problems })?)?;
    }
    Ok(Status::Done)
}

/// What files state of a problem, or why there is none.
fn written(
    registry: &Registry,
    name: &str,
    arguments: &ExportArgs,
) -> Result<Result<Written, Refusal>, CommandError> {
    let ProblemArgs {
        settings, t_end, ..
    } = &arguments.problem;
    let instance = Instance::read(registry.problems(), name)?.with(settings, *t_end)?;
    let mut case = instance.build()?;
    let written = Written::of(&mut case, instance.stated());
    Ok(match written {
        None => Err(Refusal::OtherSystem),
        Some(written) => match written.left_out.first() {
            None => Ok(written),
            Some(reason) => Err(reason.clone().into()),
        },
    })
}

/// It as a text.
fn text(written: &Written, format: FileFormat) -> Result<Result<String, Refusal>, CommandError> {
    let text = match format {
        FileFormat::Toml => written.tables.toml(),
        FileFormat::Json => match written.tables.json() {
            Ok(value) => Ok(json(&value)?),
            Err(reason) => Err(reason),
        },
    };
    Ok(text.map_err(Refusal::Unwritable))
}

/// Beside the file, so that it can be read where it goes.
fn say_unwritten(what: &str, outputs: &[String]) {
    if !outputs.is_empty() {
        note(&format!(
            "liedae: {what}outputs that are functions of a program are left out: {}",
            outputs.join(", ")
        ));
    }
}

fn show(text: &str) -> Result<(), CommandError> {
    print(text).map_err(|source| CommandError::write("stdout".as_ref(), source))
}

fn make(directory: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(directory).map_err(|source| CommandError::write(directory, source))
}

/// The name of a problem, or of the file that it was read from.
fn stem_of(name: &str) -> String {
    let stem = Path::new(name).file_stem().filter(|_| is_path(name));
    stem.map_or_else(
        || name.to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn write(directory: &Path, stem: &str, format: FileFormat, text: &str) -> Result<(), CommandError> {
    let extension = match format {
        FileFormat::Toml => "toml",
        FileFormat::Json => "json",
    };
    // Parameters stand behind colons.
    let path = directory.join(format!("{}.{extension}", stem.replace(':', "_")));
    fs::write(&path, text).map_err(|source| CommandError::write(&path, source))
}
