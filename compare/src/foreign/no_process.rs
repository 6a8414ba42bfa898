//! Where pipes of child processes cannot be waited for with a limit: no program is started.

use super::frame::{Frame, Payload};
use super::{Program, ProgramError};
use std::io::ErrorKind;
use std::time::Duration;

/// What a running program may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// By the clock on the wall.
    pub wall: Duration,
    /// Memory in bytes.
    pub memory: u64,
}

/// No program.
pub enum Process {}

impl Process {
    /// Always an error.
    pub fn start(program: &Program, _bounds: Bounds) -> Result<Self, ProgramError> {
        Err(ProgramError::Unusable {
            path: program.path().to_owned(),
            source: ErrorKind::Unsupported.into(),
        })
    }

    /// Never called.
    pub fn receive(&mut self, _longest: usize, _frame: &mut Frame) -> Result<(), ProgramError> {
        match *self {}
    }

    /// Never called.
    pub fn send(&mut self, _: [u8; 4], _: f64, _: &Payload) -> Result<(), ProgramError> {
        match *self {}
    }
}
