//! `liedae export`: a problem, or all of a set, as mechanism files.

use crate::cli::{ExportArgs, FileFormat};
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
    let instance = instance(registry, name, arguments)?;
    let text = match mechanism(&instance, arguments.format)? {
        Ok((text, unwritten)) => {
            say_unwritten("", &unwritten);
            text
        }
        Err(reason) => {
            return Err(CommandError::Value {
                option: "PROBLEM",
                value: name.to_owned(),
                expected: reason.to_string(),
            });
        }
    };
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
    let set = find_set(registry.problems(), name)?;
    let ids = set.ids.iter().copied().chain(std::iter::repeat(""));
    let mut problems = Vec::new();
    for (problem, id) in set.problems.iter().zip(ids) {
        let instance = instance(registry, problem, arguments)?;
        let written = mechanism(&instance, arguments.format)?;
        match (&arguments.out, &written) {
            (Some(directory), Ok((text, unwritten))) => {
                let stem = if id.is_empty() { problem } else { id };
                make(directory)?;
                write(directory, stem, arguments.format, text)?;
                say_unwritten(&format!("{stem}: "), unwritten);
            }
            (Some(_), Err(reason)) => note(&format!("liedae: {id} {problem}: {reason}")),
            (None, _) => {}
        }
        let unwritable = |error: serde_json::Error| CommandError::Value {
            option: "PROBLEM",
            value: (*problem).to_owned(),
            expected: error.to_string(),
        };
        let (model, refused) = match written {
            Ok((text, _)) if arguments.format == FileFormat::Json => {
                (Some(serde_json::from_str(&text).map_err(unwritable)?), None)
            }
            Ok(_) => (Some(Value::Null), None),
            Err(reason) => (None, Some(reason.to_string())),
        };
        problems.push(Row {
            id,
            problem,
            model,
            refused,
        });
    }
    let done = problems.iter().filter(|row| row.model.is_some()).count();
    note(&format!(
        "liedae: {done} of {} problems of {} are mechanisms that files state",
        problems.len(),
        set.name
    ));
    match (&arguments.out, arguments.format) {
        (Some(_), _) => Ok(Status::Done),
        (None, FileFormat::Json) => {
            let set = set.name;
            show(&json(&Rows { set, problems })?)?;
            Ok(Status::Done)
        }
        (None, FileFormat::Toml) => Err(CommandError::Value {
            option: "PROBLEM",
            value: name.to_owned(),
            expected: "a set has a file for each problem: expected `--out DIR`, or `--format json` for all of them in one".to_owned(),
        }),
    }
}

fn instance(
    registry: &Registry,
    name: &str,
    arguments: &ExportArgs,
) -> Result<Instance, CommandError> {
    let instance = Instance::read(registry.problems(), name)?;
    instance.with(&arguments.problem.settings, arguments.problem.t_end)
}

/// The text of the file of a problem and the outputs that it does not have, or why there is no file.
fn mechanism(
    instance: &Instance,
    format: FileFormat,
) -> Result<Result<(String, Vec<String>), Refusal>, CommandError> {
    let mut case = instance.build()?;
    let Some(mut written) = Written::of(&mut case, instance.stated()) else {
        return Ok(Err(Refusal::OtherSystem));
    };
    if !written.left_out.is_empty() {
        return Ok(Err(written.left_out.swap_remove(0).into()));
    }
    let text = match format {
        FileFormat::Toml => written.tables.toml(),
        FileFormat::Json => match written.tables.json() {
            Ok(value) => Ok(json(&value)?),
            Err(reason) => Err(reason),
        },
    };
    Ok(text
        .map(|text| (text, written.unwritten))
        .map_err(Refusal::Unwritable))
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
