//! Problems in files: a path in place of a problem's name.

use super::in_file::evaluation_refused;
use crate::error::CommandError;
use crate::output::remark;
use liedae::system::{Automatic, Model};
use liedae_contact::{Contacts, NonsmoothError, NonsmoothSystem, with_contacts};
use liedae_multibody::drawing::Drawn;
use liedae_multibody::file::{FileError, LARGEST, MechanismFile, PlaneMechanismFile, UrdfError};
use liedae_problems::{Problem, ProblemEntry, ProblemError};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Steps of methods with fixed steps in a time span, unless the file says otherwise.
const STEPS: f64 = 1000.0;

/// A mechanism file that has been read.
#[derive(Clone, Debug)]
pub struct ModelFile {
    name: &'static str,
    text: Arc<str>,
    file: Arc<Stated>,
}

/// What a file states.
#[derive(Clone, Debug)]
pub enum Stated {
    /// A mechanism in space.
    Space(MechanismFile),
    /// One in the plane.
    Plane(PlaneMechanismFile),
}

impl Stated {
    fn read(text: &str) -> Result<Self, FileError> {
        Ok(match PlaneMechanismFile::is_said(text) {
            true => Self::Plane(PlaneMechanismFile::read(text)?),
            false => Self::Space(MechanismFile::read(text)?),
        })
    }

    /// Its name and its line for people.
    fn title(&self) -> (Option<&str>, &str) {
        match self {
            Self::Space(file) => (file.name.as_deref(), &file.title),
            Self::Plane(file) => (file.name.as_deref(), &file.title),
        }
    }

    fn refuse(&self, text: &str, words: &str, reason: String) -> FileError {
        match self {
            Self::Space(file) => file.refuse(text, words, reason),
            Self::Plane(file) => file.refuse(text, words, reason),
        }
    }
}

/// Formats of mechanisms, robots and models that others write, and what is to be said of them.
const UNREAD: [(&str, &str); 12] = [
    ("sdf", "SDF is not read"),
    ("world", "SDF is not read"),
    (
        "xml",
        "neither MJCF nor SDF is read, and a robot in URDF has a name in `.urdf`",
    ),
    ("mjcf", "MJCF is not read"),
    (
        "xacro",
        "macros are not expanded: `xacro FILE > robot.urdf` does",
    ),
    ("usd", "USD is not read"),
    ("usda", "USD is not read"),
    ("json", "JSON is not read"),
    ("yaml", "YAML is not read"),
    ("yml", "YAML is not read"),
    ("fmu", "FMUs are not read"),
    ("mo", "Modelica is not read"),
];

/// Whether a problem is asked for by a path, that of a format that is not read, too: names of problems have neither.
pub fn is_path(name: &str) -> bool {
    let is_unread = |(extension, _): &(&str, &str)| has_extension(name, extension);
    is_mechanism(name)
        || is_robot(name)
        || name.contains(['/', '\\'])
        || UNREAD.iter().any(is_unread)
}

/// Whether a file is a mechanism in TOML.
fn is_mechanism(path: &str) -> bool {
    has_extension(path, "toml")
}

/// Refuses files of other formats, by name.
fn check_format(path: &str) -> Result<(), CommandError> {
    if is_mechanism(path) || is_robot(path) {
        return Ok(());
    }
    let known = UNREAD
        .iter()
        .find(|(extension, _)| has_extension(path, extension));
    Err(CommandError::Format {
        path: path.to_owned(),
        reason: known.map_or("files of this kind are not read", |(_, reason)| reason),
    })
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
            remark(&format!("{path}: {said}"));
        }
    }
    let text = robot.file.text();
    text.map_err(|reason| refused(UrdfError::Mechanism(reason)))
}

/// What stands in a regular file that is not too large. A device or a pipe need not come to an end.
fn contents(path: &str) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let file = std::fs::File::open(path)?;
    let mut bytes = Vec::new();
    // It may grow while it is read.
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > LARGEST {
        let reason = format!("the file has more than {LARGEST} bytes, which are not read");
        return Err(std::io::Error::other(reason));
    }
    Ok(bytes)
}

impl ModelFile {
    /// Reads a file and puts its mechanism together once, so that what is wrong with it is said before anything runs.
    pub fn read(path: &str) -> Result<Self, CommandError> {
        let unread = |source| CommandError::Read {
            path: Path::new(path).to_owned(),
            source,
        };
        check_format(path)?;
        let bytes = contents(path).map_err(unread)?;
        let text = String::from_utf8(bytes)
            .map_err(|error| unread(std::io::Error::other(format!("it is no text: {error}"))))?;
        let text = if is_robot(path) {
            converted(path, &text)?
        } else {
            text
        };
        let file = Stated::read(&text).map_err(|error| refused(path, error))?;
        let read = Self {
            name: kept(path),
            text: text.into(),
            file: Arc::new(file),
        };
        read.problem()?;
        Ok(read)
    }

    /// What the file says.
    pub fn stated(&self) -> &Stated {
        &self.file
    }

    /// A number of its text: texts that differ have others.
    pub fn number(&self) -> String {
        let mut hasher = DefaultHasher::new();
        hasher.write(self.text.as_bytes());
        format!("{:016x}", hasher.finish())
    }

    /// What stands in lists; the file itself builds the problem.
    pub fn entry(&self) -> ProblemEntry {
        fn build(_: &liedae_problems::Parameters) -> Result<Problem, ProblemError> {
            Err(ProblemError::build(
                "mechanism file",
                "it is built from its text",
            ))
        }
        let title = match self.file.title() {
            (name, "") => name.unwrap_or(self.name),
            (_, title) => title,
        };
        ProblemEntry::new(self.name, build)
            .with_title(kept(title))
            .with_source("a mechanism file")
    }

    /// What went wrong with the mechanism, as an error about the first element that `words` name.
    pub fn refusal(&self, words: &str, reason: String) -> CommandError {
        refused(self.name, self.file.refuse(&self.text, words, reason))
    }

    /// What contacts and joints that may stick refuse.
    fn nonsmooth(&self, error: &NonsmoothError) -> CommandError {
        match error {
            NonsmoothError::Initial(error) => evaluation_refused(self, error),
            other => {
                let words = other.to_string();
                self.refusal(&words.clone(), words)
            }
        }
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, CommandError> {
        match &*self.file {
            Stated::Space(file) => self.problem_in_space(file),
            Stated::Plane(file) => self.problem_in_plane(file),
        }
    }

    fn problem_in_space(&self, file: &MechanismFile) -> Result<Problem, CommandError> {
        let system = file.system(&self.text);
        let mut system = system.map_err(|error| refused(self.name, error))?;
        let drawing = system.drawing();
        let t_end = file.t_end;
        let step = file.step.unwrap_or((t_end - file.t_start) / STEPS);
        let is_nonsmooth = system.unilateral().is_some() || system.joint_friction().is_some();
        let problem = if is_nonsmooth {
            let system = NonsmoothSystem::new(system, file.nonsmooth_options());
            let system = system.map_err(|error| self.nonsmooth(&error))?;
            Problem::new(self.name, system, t_end)
        } else {
            Problem::new(self.name, system, t_end)
        };
        Ok(Problem {
            default_step: step,
            absolute_scale: absolute_scale(file.absolute_scale, file.size()),
            ..problem
        }
        .with_drawing(drawing))
    }

    fn problem_in_plane(&self, file: &PlaneMechanismFile) -> Result<Problem, CommandError> {
        let mechanism = file.mechanism(&self.text);
        let mechanism = mechanism.map_err(|error| refused(self.name, error))?;
        let drawing = mechanism.drawing();
        let problem = if mechanism.needs_layer() {
            let system = NonsmoothSystem::new(with_contacts(mechanism), file.nonsmooth_options());
            let system = system.map_err(|error| self.nonsmooth(&error))?;
            Problem::new(self.name, system, file.t_end)
        } else {
            Problem::new(self.name, Automatic::new(mechanism), file.t_end)
        };
        Ok(Problem {
            default_step: file.step.unwrap_or(file.t_end / STEPS),
            absolute_scale: absolute_scale(file.absolute_scale, file.size()),
            ..problem
        }
        .with_drawing(drawing))
    }
}

/// Below this size, in m, what counts is smaller than in other mechanisms.
const SMALL: f64 = 0.1;

/// The absolute tolerance for a relative tolerance of one: the value in the file, or else 1 m; for mechanisms smaller than [`SMALL`]
/// a power of ten that is not larger than they are.
fn absolute_scale(stated: Option<f64>, size: Option<f64>) -> f64 {
    stated.unwrap_or_else(|| match size {
        Some(size) if size < SMALL => 10.0_f64.powf(size.log10().floor()),
        _ => 1.0,
    })
}

fn refused(path: &str, source: FileError) -> CommandError {
    CommandError::File {
        path: Path::new(path).to_owned(),
        source: Box::new(source),
    }
}
