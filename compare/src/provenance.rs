//! How results were made: by which command, which build, on which machine, under which load.

use crate::optimization;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version of the program: that of the package, with the commit where it is known.
pub fn version() -> String {
    let package = env!("CARGO_PKG_VERSION");
    let commit = env!("LIEDAE_COMMIT");
    match (commit.get(..12), env!("LIEDAE_CHANGED")) {
        (None, _) => package.to_owned(),
        (Some(commit), "true") => format!("{package}+{commit}-changed"),
        (Some(commit), _) => format!("{package}+{commit}"),
    }
}

/// A number of the running program: programs that differ anywhere have others, so that nothing that an older build computed is taken
/// for a result of this one. A program that cannot read itself has another one each time.
pub fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        // The file that runs, also where another one has taken its place since.
        let number = number_of_file(Path::new("/proc/self/exe"))
            .or_else(|_| number_of_file(&std::env::current_exe()?));
        number.unwrap_or_else(|_| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            format!("unknown-{}", now.unwrap_or_default().as_nanos())
        })
    })
}

/// A number of a regular file: files that differ anywhere have others.
pub fn number_of_file(path: &Path) -> std::io::Result<String> {
    // A device or a pipe need not come to an end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no regular file"));
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(&std::fs::read(path)?);
    Ok(format!("{:016x}", hasher.finish()))
}

/// How results were made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The command line, quoted so that a shell of POSIX reads the same arguments again.
    pub command: String,
    /// The version of the program.
    pub version: String,
    /// The commit; empty where it is not known.
    pub commit: String,
    /// Whether the work tree had changes that no commit has; null where it is not known.
    pub changed: Option<bool>,
    /// A number of the program file.
    pub build: String,
    /// The compiler.
    pub rustc: String,
    /// Level of optimization and further flags.
    pub flags: String,
    /// Why times of this build say little, where it was not optimized.
    #[serde(default)]
    pub unoptimized: Option<String>,
    /// What it was compiled for.
    pub target: String,
    /// The operating system.
    pub system: String,
    /// The processor.
    pub cpu: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Average number of running processes over the last minute, at the start.
    pub load_start: Option<f64>,
    /// The same at the end.
    pub load_end: Option<f64>,
    /// Date and time of the start, UTC.
    pub started: String,
    /// Workers at once.
    pub jobs: usize,
    /// How times were taken, in words.
    pub timing: String,
    /// Programs of other people that were run, with what they say that they are.
    #[serde(default)]
    pub programs: Vec<String>,
}

impl Provenance {
    /// What is known at the start.
    pub fn now(jobs: usize, timing: &str) -> Self {
        let arguments: Vec<String> = std::env::args_os()
            .map(|argument| quoted(&argument.to_string_lossy()))
            .collect();
        Self {
            command: arguments.join(" "),
            version: version(),
            commit: env!("LIEDAE_COMMIT").to_owned(),
            changed: env!("LIEDAE_CHANGED").parse().ok(),
            build: build().to_owned(),
            rustc: env!("LIEDAE_RUSTC").to_owned(),
            flags: format!(
                "opt-level {} {}",
                optimization::levels(),
                env!("LIEDAE_FLAGS")
            )
            .trim()
            .to_owned(),
            unoptimized: optimization::warning(),
            target: env!("LIEDAE_TARGET").to_owned(),
            system: system(),
            cpu: cpu(),
            cores: std::thread::available_parallelism().map_or(1, Into::into),
            load_start: load(),
            load_end: None,
            started: String::new(),
            jobs,
            timing: timing.to_owned(),
            programs: Vec::new(),
        }
    }

    /// The same with programs of other people.
    pub fn with_programs(self, programs: Vec<String>) -> Self {
        Self { programs, ..self }
    }

    /// The same with the load at the end.
    pub fn at_end(self) -> Self {
        Self {
            load_end: load(),
            ..self
        }
    }

    /// Labels and values, for reports.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let load = |load: Option<f64>| {
            load.map_or_else(|| "unknown".to_owned(), |load| format!("{load:.2}"))
        };
        let known = |text: &str| match text {
            "" => "unknown".to_owned(),
            text => text.to_owned(),
        };
        let changed = match self.changed {
            Some(true) => ", with changes that no commit has",
            Some(false) => ", without changes",
            None => "",
        };
        [
            ("command", self.command.clone()),
            ("version", self.version.clone()),
            ("commit", format!("{}{changed}", known(&self.commit))),
            ("build", self.build.clone()),
            ("compiler", known(&self.rustc)),
            ("flags", self.flags.clone()),
            ("target", known(&self.target)),
            ("system", known(&self.system)),
            ("processor", known(&self.cpu)),
            ("cores", self.cores.to_string()),
            (
                "load at start and end",
                format!("{}, {}", load(self.load_start), load(self.load_end)),
            ),
            ("started", known(&self.started)),
            ("workers", self.jobs.to_string()),
            ("times", self.timing.clone()),
            (
                "programs",
                match self.programs.as_slice() {
                    [] => "none".to_owned(),
                    programs => programs.join("; "),
                },
            ),
        ]
        .map(|(label, value)| (label.to_owned(), value))
        .into()
    }
}

/// An argument as a shell of POSIX reads it: as it is where no letter of it means anything there, otherwise in single quotes.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./,:=+@%".contains(letter);
    // In front of a command a shell takes this for a variable.
    let is_assignment = argument.split_once('=').is_some_and(|(name, _)| {
        let letters = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        letters && !name.starts_with(|letter: char| letter.is_ascii_digit())
    });
    if !argument.is_empty() && argument.chars().all(is_plain) && !is_assignment {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// What is to be said of times at the head of a report, each sentence once.
pub fn warnings(all: &[Provenance]) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    for warning in all.iter().filter_map(|one| one.unoptimized.as_ref()) {
        if !warnings.contains(warning) {
            warnings.push(warning.clone());
        }
    }
    warnings
}

/// Labels and values of all of them, for reports; where they differ, each value once.
pub fn summary(all: &[Provenance]) -> Vec<(String, String)> {
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for provenance in all {
        for (place, (label, value)) in provenance.pairs().into_iter().enumerate() {
            match lines.get_mut(place) {
                None => lines.push((label, vec![value])),
                Some((_, known)) if !known.contains(&value) => known.push(value),
                Some(_) => {}
            }
        }
    }
    let lines = lines.into_iter();
    lines
        .map(|(label, values)| (label, values.join("; ")))
        .collect()
}

#[cfg(unix)]
fn system() -> String {
    let names = rustix::system::uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    format!(
        "{} {} {}",
        text(names.sysname()),
        text(names.release()),
        text(names.machine())
    )
}

#[cfg(not(unix))]
fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The processor's name where the operating system shows it as a text.
fn cpu() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = |line: &&str| line.starts_with("model name") || line.starts_with("Model");
    let line = text
        .lines()
        .find(named)
        .and_then(|line| line.split_once(':'));
    line.map_or_else(String::new, |(_, name)| name.trim().to_owned())
}

/// Average number of running processes over the last minute.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        for (argument, expected) in [
            ("--tols", "--tols"),
            ("newton-cradle:n=5,pendulum", "newton-cradle:n=5,pendulum"),
            ("1e-3", "1e-3"),
            ("", "''"),
            ("my results", "'my results'"),
            ("it's", "'it'\\''s'"),
            ("$HOME", "'$HOME'"),
            ("a;b", "'a;b'"),
            ("~", "'~'"),
            ("a\nb", "'a\nb'"),
            ("LANG=C", "'LANG=C'"),
        ] {
            assert_eq!(quoted(argument), expected);
        }
    }

    /// What a shell makes of quoted arguments are the arguments.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_same_arguments_again() {
        let arguments = [
            "",
            "a b",
            "it's",
            "\"$HOME\"",
            "`ls`",
            "*",
            "a\\b",
            "é=1",
            "#x",
            "!",
        ];
        let line: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
        let script = format!(
            "for x in {}; do printf '%s\\0' \"$x\"; done",
            line.join(" ")
        );
        let output = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .expect("a shell");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let read: Vec<&str> = text.split_terminator('\0').collect();
        assert_eq!(read, arguments);
    }
}
