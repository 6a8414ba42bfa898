//! A run recorded for pictures: poses of bodies, forces of contacts and outputs at equidistant times.
//!
//! It is a separate run with the same options, so that pictures change no measurement and cost nothing otherwise.

use super::meter::Interruption;
use super::{Case, Meter, Pass, RowSink, RunRequest, Sampling, Watched, equidistant};
use crate::error::CommandError;
use liedae::solve::{EventRecord, solve_observed};
use liedae::system::State;
use liedae_contact::ContactEvent;
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
    /// Labels of contacts, where any of them shows a force.
    pub contacts: Vec<String>,
    /// What happened on the way.
    pub events: Vec<EventRecord>,
    /// Whether there are contacts with unknown forces: event-capturing methods have impulses of whole steps only.
    pub forces_unknown: bool,
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
    let start = request.case.system().initial_state().t;
    let times = equidistant(start, request.case.t_end, count);
    film_at(request, times)
}

/// The same at these times in s, which ascend.
pub fn film_at(request: &mut RunRequest, times: Vec<f64>) -> Result<Film, CommandError> {
    let options = request.options();
    let names = request.case.outputs().to_vec();
    let Problem {
        drawing, system, ..
    } = &mut request.case.problem;
    let initial = system.initial_state();
    let touched = (drawing.as_ref()).is_some_and(|drawing| !drawing.touches(&initial).is_empty());
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
            film.failure = Some(request.case.reason(&error));
        }
    }
    film.forget_round_off();
    let captures = request.choice.method().captures_events;
    film.forces_unknown = captures && touched && film.contacts.is_empty();
    Ok(film)
}

/// Forces below this share of those that count are round-off: of contacts that are closed and carry nothing.
const ROUND_OFF: f64 = 1e-9;

impl Film {
    /// Takes forces away that are round-off beside the largest force and beside impulses over the length of the film.
    fn forget_round_off(&mut self) {
        let size = |force: [f64; 3]| force.iter().map(|part| part * part).sum::<f64>().sqrt();
        let span = match (self.times.first(), self.times.last()) {
            (Some(first), Some(last)) if last > first => last - first,
            _ => return,
        };
        let forces = self.arrows.iter().flatten().map(|arrow| size(arrow.force));
        let impulses = self.events.iter().filter_map(ContactEvent::of);
        let impulses = impulses.filter(|event| !event.angular);
        let impulses = impulses.map(|event| event.impulse.abs() / span);
        let largest = forces.chain(impulses).fold(0.0, f64::max);
        for arrows in &mut self.arrows {
            arrows.retain(|arrow| size(arrow.force) > ROUND_OFF * largest);
        }
        if self.arrows.iter().all(Vec::is_empty) {
            self.contacts.clear();
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use liedae::system::Quantity;

    #[test]
    fn forces_that_are_round_off_are_not_shown() {
        let arrow = |size: f64| Arrow {
            contact: 0,
            point: [0.0; 3],
            force: [0.0, size, 0.0],
        };
        let film = |sizes: &[f64]| Film {
            times: vec![0.0, 1.0],
            arrows: vec![sizes.iter().map(|&size| arrow(size)).collect(), Vec::new()],
            contacts: vec!["one".to_owned()],
            ..Film::default()
        };
        let mut shown = film(&[3.0, 2e-15]);
        shown.forget_round_off();
        assert_eq!(shown.arrows[0], [arrow(3.0)]);
        assert_eq!(shown.contacts.len(), 1);
        // Where impacts are all that happens, what is left in between is round-off.
        let mut only = film(&[2e-15]);
        let quantity = |name, value| Quantity {
            name,
            value,
            unit: "N s",
        };
        only.events = vec![EventRecord {
            quantities: vec![
                quantity("impulse", 2.5),
                quantity("first friction impulse", 0.0),
                quantity("second friction impulse", 0.0),
                quantity("gap rate before", -1.0),
                quantity("gap rate after", 1.0),
            ],
            t: 0.5,
            kind: "impact".to_owned(),
            label: "one".to_owned(),
        }];
        only.forget_round_off();
        assert!(only.arrows[0].is_empty() && only.contacts.is_empty());
    }
}
