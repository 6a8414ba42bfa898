//! A run looked at for pictures: poses of bodies, forces of contacts and outputs at equidistant times.
//!
//! It is a run of its own with the same options, so that pictures cost nothing where nobody wants them and change no measurement.

use super::meter::Interruption;
use super::{Case, Meter, Pass, RowSink, RunRequest, Sampling, Watched, equidistant};
use crate::error::CommandError;
use liedae::solve::{EventRecord, solve_observed};
use liedae::system::State;
use liedae_problems::Problem;
use liedae_problems::drawing::{Drawing, Pose};

/// A force of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Number of the contact among [`Film::contacts`].
    pub contact: usize,
    /// Where it acts, in m.
    pub point: [f64; 3],
    /// The force on the second body, in N.
    pub force: [f64; 3],
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub struct Film {
    /// Times in s; twice the same on both sides of a jump.
    pub times: Vec<f64>,
    /// Outputs at these times.
    pub outputs: Vec<Vec<f64>>,
    /// Poses of all frames of the drawing at these times.
    pub poses: Vec<Vec<Pose>>,
    /// Forces at these times.
    pub arrows: Vec<Vec<Arrow>>,
    /// Labels of contacts that have shown a force or could.
    pub contacts: Vec<String>,
    /// What happened on the way.
    pub events: Vec<EventRecord>,
    /// Why the run ended before its end, if it did.
    pub failure: Option<String>,
}

/// Fills a film.
struct Camera<'a> {
    drawing: Option<&'a Drawing>,
    /// Names of the outputs.
    names: &'a [String],
    film: Film,
    /// Where the next row's forces act: label, place.
    state: Option<State>,
}

impl RowSink for Camera<'_> {
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()> {
        self.film.times.push(t);
        self.film.outputs.push(outputs.to_vec());
        if let (Some(drawing), Some(state)) = (self.drawing, self.state.take()) {
            self.film.poses.push(drawing.place(&state));
            let arrows = self.arrows(drawing, &state, outputs);
            self.film.arrows.push(arrows);
            self.state = Some(state);
        }
        Ok(())
    }

    fn see(&mut self, state: &State) {
        match &mut self.state {
            Some(own) => own.clone_from(state),
            None => self.state = Some(state.clone()),
        }
    }
}

impl Camera<'_> {
    fn arrows(&mut self, drawing: &Drawing, state: &State, outputs: &[f64]) -> Vec<Arrow> {
        let value = |name: &str| {
            let place = self.names.iter().position(|known| known == name)?;
            outputs
                .get(place)
                .copied()
                .filter(|value| value.is_finite())
        };
        let mut arrows = Vec::new();
        for touching in drawing.touches(state) {
            let Some(normal) = value(&format!("{}.force", touching.label)) else {
                continue;
            };
            let friction = value(&format!("{}.friction", touching.label)).unwrap_or(0.0);
            let known = self.film.contacts.iter();
            let contact = known.clone().position(|label| *label == touching.label);
            let contact = contact.unwrap_or_else(|| {
                self.film.contacts.push(touching.label.clone());
                self.film.contacts.len() - 1
            });
            if normal == 0.0 && friction == 0.0 {
                continue;
            }
            let force = std::array::from_fn(|axis| {
                normal * touching.normal[axis] + friction * touching.tangent[axis]
            });
            arrows.push(Arrow {
                contact,
                point: touching.point,
                force,
            });
        }
        arrows
    }
}

/// Runs and looks at `count` equidistant times and on both sides of every jump. A run that fails is seen as far as it came.
pub fn film(request: &mut RunRequest, count: usize) -> Result<Film, CommandError> {
    let options = request.options();
    let names = request.case.outputs().to_vec();
    let start = request.case.system().initial_state().t;
    let times = equidistant(start, request.case.t_end, count);
    let Problem {
        drawing, system, ..
    } = &mut request.case.problem;
    let mut camera = Camera {
        drawing: drawing.as_ref(),
        names: &names,
        film: Film::default(),
        state: None,
    };
    request.watch.begin(Pass::Filming);
    let mut meter = Meter::of_rows(Sampling::Settled(times), &mut camera);
    let integrator = request.choice.build();
    let mut watched = Watched {
        watch: &request.watch,
        observer: &mut meter,
    };
    let solved = solve_observed(system.as_mut(), integrator.as_ref(), &options, &mut watched);
    let interruption = meter.interruption.take();
    let mut film = camera.film;
    match (interruption, solved) {
        (Some(Interruption::Sink(source)), _) => {
            return Err(CommandError::write("the film".as_ref(), source));
        }
        (Some(Interruption::Dynamics(error)), _) => film.failure = Some(error.to_string()),
        (None, Ok(solution)) => film.events = solution.events,
        (None, Err(error)) => {
            film.events.clone_from(&error.events);
            film.failure = Some(error.to_string());
        }
    }
    Ok(film)
}

/// A drawing's frames as columns: `pose.<frame>.x`, `.y`, `.angle` in the plane; x, y, z and the quaternion in space.
pub fn pose_columns(case: &Case) -> Vec<String> {
    let Some(drawing) = &case.problem.drawing else {
        return Vec::new();
    };
    let parts: &[&str] = if drawing.is_plane() {
        &["x", "y", "angle"]
    } else {
        &["x", "y", "z", "qw", "qx", "qy", "qz"]
    };
    let frames = drawing.frames().iter();
    frames
        .flat_map(|frame| parts.iter().map(move |part| format!("pose.{frame}.{part}")))
        .collect()
}

/// The values of [`pose_columns`] in a state.
pub fn pose_values(drawing: &Drawing, state: &State, out: &mut Vec<f64>) {
    out.clear();
    for pose in drawing.place(state) {
        let [x, y, z] = pose.position;
        if drawing.is_plane() {
            out.extend([x, y, pose.angle()]);
        } else {
            out.extend([x, y, z]);
            out.extend(pose.quaternion());
        }
    }
}
