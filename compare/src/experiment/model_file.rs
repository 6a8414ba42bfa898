//! Problems in files: a path in place of a problem's name.

use crate::error::CommandError;
use crate::output::note;
use liedae_contact::{Contacts, NonsmoothSystem};
use liedae_multibody::drawing::Drawn;
use liedae_multibody::file::{FileError, LARGEST, MechanismFile, UrdfError};
use liedae_problems::{Problem, ProblemEntry, ProblemError};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Steps of methods with fixed steps in a time span, unless the file says otherwise.
const STEPS: f64 = 1000.0;

/// A mechanism file that has been read.
#[derive(Clone, Debug)]
pub struct ModelFile {
    name: &'static str,
    text: Arc<str>,
    file: Arc<MechanismFile>,
}

/// Whether a problem is asked for by a path: names of problems have no dots.
pub fn is_path(name: &str) -> bool {
    has_extension(name, "toml") || is_robot(name)
}

/// Whether a file is a robot in URDF.
fn is_robot(path: &str) -> bool {
    has_extension(path, "urdf")
}

/// Whether a path ends so, in small or capital letters.
fn has_extension(path: &str, extension: &str) -> bool {
    let own = path.rsplit_once('.');
    own.is_some_and(|(_, own)| own.eq_ignore_ascii_case(extension))
}

/// Names and titles that live as long as the program.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Problems have names for the whole life of the program; each path is kept once.
fn kept(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(known) => known,
        None => {
            let new: &'static str = Box::leak(name.to_owned().into_boxed_str());
            names.insert(new);
            new
        }
    }
}

/// Whether a name is kept already.
fn is_kept(name: &str) -> bool {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.contains(name)
}

/// A robot as the text of a mechanism file. What is assumed and left out is said once.
fn converted(path: &str, robot: &str) -> Result<String, CommandError> {
    let refused = |source| CommandError::Robot {
        path: Path::new(path).to_owned(),
        source: Box::new(source),
    };
    let robot = MechanismFile::from_urdf(robot).map_err(refused)?;
    if !is_kept(path) {
        for said in &robot.notes {
            note(&format!("liedae: {path}: {said}"));
        }
    }
    let text = robot.file.text();
    text.map_err(|reason| refused(UrdfError::Mechanism(reason)))
}

impl ModelFile {
    /// Reads a file and puts its mechanism together once, so that what is wrong with it is said before anything runs.
    pub fn read(path: &str) -> Result<Self, CommandError> {
        let unread = |source| CommandError::Read {
            path: Path::new(path).to_owned(),
            source,
        };
        let size = std::fs::metadata(path).map_err(unread)?.len();
        if size > LARGEST as u64 {
            let reason = format!("the file has {size} bytes; more than {LARGEST} are not read");
            return Err(unread(std::io::Error::other(reason)));
        }
        let bytes = std::fs::read(path).map_err(unread)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unread(std::io::Error::other(format!("it is no text: {error}"))))?;
        let text = if is_robot(path) {
            converted(path, &text)?
        } else {
            text
        };
        let file = MechanismFile::read(&text).map_err(|error| refused(path, error))?;
        let read = Self {
            name: kept(path),
            text: text.into(),
            file: Arc::new(file),
        };
        read.problem()?;
        Ok(read)
    }

    /// What the file says.
    pub fn mechanism(&self) -> &MechanismFile {
        &self.file
    }

    /// What stands in lists; the file itself builds the problem.
    pub fn entry(&self) -> ProblemEntry {
        fn build(_: &liedae_problems::Parameters) -> Result<Problem, ProblemError> {
            Err(ProblemError::build(
                "mechanism file",
                "it is built from its text",
            ))
        }
        let title = match self.file.title.as_str() {
            "" => self.file.name.as_deref().unwrap_or(self.name),
            title => title,
        };
        ProblemEntry::new(self.name, build)
            .with_title(kept(title))
            .with_source("a mechanism file")
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, CommandError> {
        let system = self.file.system(&self.text);
        let mut system = system.map_err(|error| refused(self.name, error))?;
        let drawing = system.drawing();
        let t_end = self.file.t_end;
        let step = self
            .file
            .step
            .unwrap_or((t_end - self.file.t_start) / STEPS);
        let is_nonsmooth = system.unilateral().is_some() || system.joint_friction().is_some();
        let problem = if is_nonsmooth {
            let system = NonsmoothSystem::new(system, self.file.nonsmooth_options());
            let system =
                system.map_err(|error| ProblemError::build(self.name, error.to_string()))?;
            Problem::new(self.name, system, t_end)
        } else {
            Problem::new(self.name, system, t_end)
        };
        Ok(Problem {
            default_step: step,
            ..problem
        }
        .with_drawing(drawing))
    }
}

fn refused(path: &str, source: FileError) -> CommandError {
    CommandError::File {
        path: Path::new(path).to_owned(),
        source: Box::new(source),
    }
}
