//! The `liedae` command as a child process that has to end in time.

use std::env;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where the command is, built if need be.
pub fn build() -> Result<PathBuf, String> {
    let here = env::current_exe().map_err(|error| error.to_string())?;
    let folder = here.parent().and_then(|folder| folder.parent());
    let path = folder
        .ok_or("this example is in no target folder")?
        .join("liedae");
    // Cargo builds an example without the command beside it.
    if let Some(cargo) = env::var_os("CARGO") {
        let mut build = Command::new(cargo);
        build.args([
            "build",
            "--quiet",
            "--package",
            "liedae-compare",
            "--bin",
            "liedae",
        ]);
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.status().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err("the command `liedae` could not be built".to_owned());
        }
    }
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("there is no {}: build it first", path.display()))
    }
}

/// What a command line came to.
pub struct Ended {
    /// None if it had to be killed.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command line, and kills it when its time is over.
pub fn run(path: &PathBuf, arguments: &[String], limit: Duration) -> Result<Ended, String> {
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let stdout = read_all(child.stdout.take());
    let stderr = read_all(child.stderr.take());
    let status = wait(&mut child, limit).map_err(|error| error.to_string())?;
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
    };
    Ok(Ended {
        status,
        stdout: text(stdout),
        stderr: text(stderr),
    })
}

/// Reads in a thread of its own, so that the child does not wait for a full pipe.
fn read_all(source: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut source) = source {
            // What was read before an error is what there is.
            let _ = source.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(50));
    }
}

/// A command line as a shell takes it.
pub fn quoted(arguments: &[String]) -> String {
    let plain = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_=.,:/+".contains(c))
    };
    let words = arguments.iter().map(|word| {
        if plain(word) {
            word.clone()
        } else {
            format!("'{word}'")
        }
    });
    words.collect::<Vec<_>>().join(" ")
}
