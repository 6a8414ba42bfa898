//! What must hold of any text.

use liedae::system::{State, System, named_outputs};
use liedae_multibody::MultibodySystem;
use liedae_multibody::file::{FileError, MechanismFile, UrdfError};
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Longest time for one input, far above what any takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is no file.
    Unread,
    /// It is a file, but no mechanism.
    Refused,
    /// It is a mechanism.
    Accepted,
}

/// Judges texts and counts them.
#[derive(Debug, Default)]
pub struct Judge {
    counts: [u64; 3],
    exported: u64,
    longest: Duration,
    trace: Option<PathBuf>,
}

impl Judge {
    /// Leaves every text in a file before it looks at it.
    pub fn tracing(trace: PathBuf) -> Self {
        Self {
            trace: Some(trace),
            ..Self::default()
        }
    }

    pub fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// What is wrong with how the text of a mechanism file is taken.
    pub fn look_at(&mut self, text: &str) -> Result<(), String> {
        self.time(text, Self::judge)
    }

    /// What is wrong with how the text of a robot is taken.
    pub fn look_at_robot(&mut self, text: &str) -> Result<(), String> {
        self.time(text, Self::judge_robot)
    }

    fn time(
        &mut self,
        text: &str,
        judge: fn(&mut Self, &str) -> Result<Verdict, String>,
    ) -> Result<(), String> {
        if let Some(trace) = &self.trace {
            std::fs::write(trace, text).map_err(|error| error.to_string())?;
        }
        let start = Instant::now();
        let verdict = judge(self, text)?;
        let taken = start.elapsed();
        self.counts[verdict as usize] += 1;
        self.longest = self.longest.max(taken);
        if taken > PATIENCE {
            return Err(format!("it takes {taken:?}"));
        }
        Ok(())
    }

    fn judge(&mut self, text: &str) -> Result<Verdict, String> {
        let file = match MechanismFile::read(text) {
            Ok(file) => file,
            Err(error) => return check(&error, text).map(|()| Verdict::Unread),
        };
        let mut system = match file.system(text) {
            Ok(system) => system,
            Err(error) => return check(&error, text).map(|()| Verdict::Refused),
        };
        let state = system.initial_state();
        let numbers = state.q.iter().chain(&state.v).chain(&state.x);
        if !numbers.clone().all(|number| number.is_finite()) {
            return Err("its initial state is not finite".to_owned());
        }
        // Evaluations give values or errors.
        let mut rates = vec![0.0; system.layout().rate_count()];
        let _ = system.rates(&state.point(), &mut rates);
        let _ = named_outputs(&mut system, &state);
        self.check_writing(&file, &system)?;
        Ok(Verdict::Accepted)
    }

    fn judge_robot(&mut self, text: &str) -> Result<Verdict, String> {
        let robot = match MechanismFile::from_urdf(text) {
            Ok(robot) => robot,
            Err(error) if error.to_string().trim().is_empty() => {
                return Err(format!("the error has no words: {error:?}"));
            }
            Err(UrdfError::Read(_)) => return Ok(Verdict::Unread),
            Err(_) => return Ok(Verdict::Refused),
        };
        // What is taken is a mechanism file that is taken, too.
        let verdict = self.judge(&robot.file.text()?)?;
        if verdict == Verdict::Accepted && !robot.notes.is_empty() {
            return Ok(verdict);
        }
        Err(format!("{verdict:?} with the notes {:?}", robot.notes))
    }

    /// What is written is read alike.
    fn check_writing(
        &mut self,
        file: &MechanismFile,
        system: &MultibodySystem,
    ) -> Result<(), String> {
        let expected = bits(&system.initial_state());
        let read = |file: &MechanismFile| {
            let text = file.text()?;
            let again = MechanismFile::read(&text).and_then(|file| file.system(&text));
            again.map_err(|error| format!("{error} in what is written:\n{text}"))
        };
        if bits(&read(file)?.initial_state()) != expected {
            return Err("what is written starts otherwise".to_owned());
        }
        if let Ok(exported) = system.file(file.t_end) {
            self.exported += 1;
            if bits(&read(&exported)?.initial_state()) != expected {
                return Err("what is exported starts otherwise".to_owned());
            }
        }
        Ok(())
    }
}

impl fmt::Display for Judge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [unread, refused, accepted] = self.counts;
        let exported = self.exported;
        write!(
            formatter,
            "{} inputs: {unread} unread, {refused} refused, {accepted} accepted, of which {exported} exported; longest {:?}",
            unread + refused + accepted,
            self.longest
        )
    }
}

fn bits(state: &State) -> (Vec<u64>, Vec<i32>) {
    let numbers = [&state.q, &state.v, &state.x].into_iter().flatten();
    let bits = numbers.chain([&state.t]).map(|number| number.to_bits());
    (bits.collect(), state.mode.clone())
}

/// An error has a place in the text and says something.
fn check(error: &FileError, text: &str) -> Result<(), String> {
    let lines = text.lines().count() + 1;
    let placed = (1..=lines).contains(&error.line);
    if placed && !error.field.is_empty() && !error.reason.trim().is_empty() {
        return Ok(());
    }
    Err(format!("the error has no place or no words: {error:?}"))
}
