//! `liedae verify-references`: references of the open test set, computed once more.

use super::deliver;
use crate::cli::VerifyReferencesArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Instance, REFERENCE_DIGITS, Standing, Verification, find_set, open_sets};
use crate::output::{columns, note, number};
use crate::parallel;
use crate::registry::Registry;
use liedae_problems::ProblemError;
use liedae_problems::catalogue::ReferenceTable;
use serde::Serialize;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Instant;
use tempfile::NamedTempFile;

#[derive(Serialize)]
struct Report {
    /// Digits that a reference should have.
    digits: f64,
    /// In the order of the sets.
    problems: Vec<Verification>,
    /// Wall time in s.
    seconds: f64,
    /// Where the values were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
}

/// Computes references on all cores, says what is confirmed and what has changed, and writes them if asked to.
pub fn verify_references(
    registry: &Registry,
    arguments: &VerifyReferencesArgs,
    as_json: bool,
) -> Result<Status, CommandError> {
    let begin = Instant::now();
    let instances = instances(registry, arguments)?;
    let known = ReferenceTable::standard().map_err(ProblemError::from)?;
    // Found out now and not after minutes of work.
    let file = (arguments.write.as_ref())
        .map(|path| beside(path).map_err(|source| CommandError::write(path, source)))
        .transpose()?;
    let problems = verify_all(&instances, known, arguments.jobs())?;
    let mut report = Report {
        digits: REFERENCE_DIGITS,
        problems,
        seconds: 0.0,
        written: None,
    };
    if let Some((path, file)) = arguments.write.as_ref().zip(file) {
        let mut table = known.clone();
        for verification in &report.problems {
            verification.keep(&mut table);
        }
        replace(path, file, &table.to_string())
            .map_err(|source| CommandError::write(path, source))?;
        report.written = Some(path.display().to_string());
    }
    report.seconds = begin.elapsed().as_secs_f64();
    deliver(&report, as_json, || text(&report))?;
    let is_bad = |standing| matches!(standing, Standing::Changed | Standing::Failed);
    let bad = report.problems.iter().any(|found| is_bad(found.standing));
    Ok(if bad { Status::Failed } else { Status::Done })
}

/// A file in the folder of `path`, which takes its place when it is complete: until then, and after a run that was interrupted, there
/// is what was there before.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // An error that does not name the temporary file.
    fs::metadata(folder)?;
    let known = fs::metadata(path).map(|found| found.permissions());
    tempfile::Builder::new()
        .permissions(known.unwrap_or_else(|_| Permissions::from_mode(0o666)))
        .tempfile_in(folder)
}

fn replace(path: &Path, mut file: NamedTempFile, content: &str) -> io::Result<()> {
    file.write_all(content.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// What is asked for: single problems, a set, or all sets.
fn instances(
    registry: &Registry,
    arguments: &VerifyReferencesArgs,
) -> Result<Vec<Instance>, CommandError> {
    let names: Vec<String> = match (&arguments.problems, &arguments.set) {
        (Some(list), _) => list.split(',').map(|name| name.trim().to_owned()).collect(),
        (None, Some(set)) => {
            let set = find_set(registry.problems(), set)?;
            set.problems.into_iter().map(str::to_owned).collect()
        }
        (None, None) => open_sets().map(|row| row.id.to_owned()).collect(),
    };
    let read = |name: &String| Instance::read(registry.problems(), name);
    names.iter().map(read).collect()
}

fn verify_all(
    instances: &[Instance],
    known: &ReferenceTable,
    jobs: usize,
) -> Result<Vec<Verification>, CommandError> {
    let found = parallel::map(instances, jobs, |instance| {
        note(&instance.label);
        Verification::of(instance, known)
    });
    found.into_iter().collect()
}

fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Confirmed => "confirmed",
        Standing::Changed => "changed",
        Standing::New => "new",
        Standing::Failed => "failed",
    }
}

fn text(report: &Report) -> String {
    let digits = |digits: Option<f64>| digits.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let rows: Vec<Vec<String>> = (report.problems.iter())
        .map(|found| {
            let [outputs, good] = found.outputs;
            vec![
                found.problem.clone(),
                number(found.t_end),
                digits(found.digits),
                format!("{good}/{outputs}"),
                number(found.agree_until),
                digits(found.published_digits),
                standing_word(found.standing).to_owned(),
            ]
        })
        .collect();
    let header = [
        "problem",
        "t",
        "digits",
        "outputs",
        "until",
        "published",
        "standing",
    ];
    let mut text = format!(
        "digits: of the main output at the end, in which two methods agree, or of a closed form; outputs: how many agree to {0}; until: how long\n\
         the main output agrees to {0}, in s; published: digits beside what is published or known in closed form\n\n{1}\n",
        report.digits,
        columns(&header, &rows)
    );
    for found in &report.problems {
        for change in &found.changes {
            text.push_str(&format!(
                "{}: {} was {:e} to {} digits, now {:e}\n",
                found.problem, change.output, change.known, change.digits, change.found
            ));
        }
        if let Some(reason) = &found.reason {
            text.push_str(&format!("{}: {reason}\n", found.problem));
        }
    }
    let count = |standing| {
        let problems = report.problems.iter();
        problems.filter(|found| found.standing == standing).count()
    };
    let short = (report.problems.iter())
        .filter(|found| found.digits.is_none_or(|digits| digits < report.digits));
    text.push_str(&format!(
        "{} confirmed, {} changed, {} new, {} failed; {} with fewer than {} digits; {:.0} s\n",
        count(Standing::Confirmed),
        count(Standing::Changed),
        count(Standing::New),
        count(Standing::Failed),
        short.count(),
        report.digits,
        report.seconds
    ));
    if let Some(path) = &report.written {
        text.push_str(&format!("written to {path}\n"));
    }
    text
}
