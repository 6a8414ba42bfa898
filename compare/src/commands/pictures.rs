//! `liedae list problems --pictures DIR`: some moments of every mechanism's motion.

use super::deliver;
use super::list::problems;
use super::progress::Progress;
use crate::cli::Listing;
use crate::error::{CommandError, Status};
use crate::motion::picture;
use crate::registry::Registry;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

#[derive(Serialize)]
struct Drawn {
    /// Problems that have a picture now.
    pictures: Vec<&'static str>,
    /// Problems that are no mechanisms.
    undrawn: Vec<&'static str>,
}

/// Draws all mechanisms, or those of a set.
pub fn pictures(
    registry: &Registry,
    what: Listing,
    set: Option<&str>,
    directory: &Path,
    as_json: bool,
) -> Result<Status, CommandError> {
    if what != Listing::Problems {
        return Err(CommandError::Value {
            option: "--pictures",
            value: directory.display().to_string(),
            expected: "only problems move: liedae list problems --pictures DIR".to_owned(),
        });
    }
    let lines = problems(registry, set)?.problems;
    std::fs::create_dir_all(directory).map_err(|source| CommandError::write(directory, source))?;
    let write = |name: &str, text: String| {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|source| CommandError::write(&path, source))
    };
    let mut page = String::from(
        "# Pictures of the mechanisms\n\nSix moments of each motion, at equal intervals of time, with contact forces in red; what travels far is gone along with. \
         Made by `liedae list problems --pictures docs/pictures`; `liedae run NAME --method M --animate out.html` \
         plays a motion.\n",
    );
    let mut drawn = Drawn {
        pictures: Vec::new(),
        undrawn: Vec::new(),
    };
    let mut progress = Progress::new(lines.len());
    for line in lines {
        progress.step(line.name);
        let Some(svg) = picture(registry, line.name)? else {
            drawn.undrawn.push(line.name);
            continue;
        };
        // Parameters behind a name are no part of file names everywhere.
        let file = format!("{}.svg", line.name.replace(':', "-"));
        write(&file, svg)?;
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n![{}]({file})\n",
            line.name, line.title, line.name
        );
        drawn.pictures.push(line.name);
    }
    drop(progress);
    write("README.md", page)?;
    deliver(&drawn, as_json, || {
        format!(
            "{} pictures in {}; no mechanisms: {}\n",
            drawn.pictures.len(),
            directory.display(),
            drawn.undrawn.join(", ")
        )
    })
}
