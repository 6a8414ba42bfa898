//! The name that a program reports.

use super::frame::{Frame, Payload, VERSION};
use super::process::{Bounds, Process};
use super::serve::LONGEST_TEXT;
use super::{Program, ProgramError};
use std::time::Duration;

/// How long a program may take to say its name. Those that say none ask for something else at once.
const WALL: Duration = Duration::from_secs(10);

/// Memory that it may take for that, in bytes.
const MEMORY: u64 = 4 << 30;

/// Starts a program, and ends it when it has said its name, or something else.
///
/// # Errors
/// It cannot be started, or does not keep to the protocol: its runs will say so.
pub fn name(program: &Program) -> Result<Option<String>, ProgramError> {
    let bounds = Bounds {
        wall: WALL,
        memory: MEMORY,
    };
    let mut process = Process::start(program, bounds)?;
    let mut frame = Frame::default();
    process.receive(LONGEST_TEXT, &mut frame)?;
    process.send(frame.tag, 0.0, &Payload::Numbers(&[VERSION]))?;
    process.receive(LONGEST_TEXT, &mut frame)?;
    let name = frame.text();
    Ok((&frame.tag == b"name" && !name.is_empty()).then_some(name))
}
