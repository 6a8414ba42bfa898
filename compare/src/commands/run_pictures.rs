//! Pictures of `liedae run`: an animation, charts of outputs.

use super::run_text::in_words;
use crate::cli::RunArgs;
use crate::error::{CommandError, Status};
use crate::experiment::{Case, RunReport, RunRequest, film};
use crate::motion::{Plot, page, plot};
use std::path::{Path, PathBuf};

/// Times at which a motion is looked at: ten seconds at sixty pictures a second.
const LOOKS: usize = 601;

/// Poses that an animation may hold; of large mechanisms fewer moments are shown.
const MOST_POSES: usize = 60_000;

/// Fewest moments.
const FEWEST: usize = 61;

/// Pictures that were asked for.
pub struct Pictures {
    animation: Option<PathBuf>,
    plots: Vec<Plot>,
}

impl Pictures {
    /// What the command line asks for, checked before the run.
    pub fn asked_for(arguments: &RunArgs, case: &Case) -> Result<Self, CommandError> {
        let drawn = case.problem.drawing.is_some();
        let undrawn = |option: &'static str, value: &Path| CommandError::Value {
            option,
            value: value.display().to_string(),
            expected: format!(
                "nobody has said what `{}` looks like; --plot shows outputs",
                case.problem.name
            ),
        };
        if let Some(path) = arguments.animate.as_deref().filter(|_| !drawn) {
            return Err(undrawn("--animate", path));
        }
        if arguments.poses && !drawn {
            let path = arguments.csv.as_deref().unwrap_or(Path::new(""));
            return Err(undrawn("--poses with --csv", path));
        }
        let plots = arguments.plot.iter();
        let plots = plots.map(|text| Plot::parse(text, case.outputs()));
        Ok(Self {
            animation: arguments.animate.clone(),
            plots: plots.collect::<Result<_, _>>()?,
        })
    }

    /// Draws a run that has been made.
    pub fn draw(&self, request: &mut RunRequest, report: &RunReport) -> Result<(), CommandError> {
        if (self.animation.is_none() && self.plots.is_empty()) || report.status == Status::BadInput
        {
            return Ok(());
        }
        let frames = request.case.problem.drawing.as_ref();
        let frames = frames.map_or(0, |drawing| drawing.frames().len());
        let looks = LOOKS.min(MOST_POSES / frames.max(1)).max(FEWEST);
        if report.status == Status::Done {
            // What has come to its end in time may be looked at to its end.
            request.time_limit = None;
        }
        let film = film(request, looks)?;
        let label = request.case.label();
        let write = |path: &Path, text: String| {
            std::fs::write(path, text).map_err(|source| CommandError::write(path, source))
        };
        if let (Some(path), Some(drawing)) = (&self.animation, &request.case.problem.drawing) {
            write(path, page(&label, report, drawing, &film, in_words)?)?;
        }
        let title = format!("{label} with {}", report.options.variant);
        for chart in &self.plots {
            write(
                &chart.file,
                plot(chart, &title, request.case.outputs(), &film)?,
            )?;
        }
        Ok(())
    }
}
