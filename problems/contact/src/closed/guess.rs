//! First guesses of multipliers and algebraic variables behind an event: the forces by which it was decided.

use crate::closed::participants::Hold;
use crate::equations::Equations;
use crate::equations::structure::Statuses;
use crate::event_sets::{Closed, along_and_across};
use liedae::system::{State, System};

/// What the complementarity problem at acceleration level has decided.
pub(crate) struct Settled {
    pub statuses: Statuses,
    /// How closed contacts without rows of their own hold, in the order of the closed contacts; empty where none stays closed.
    pub holds: Vec<Option<Hold>>,
    /// Forces in the rows of the response, those of contacts moved to the ones with rows.
    pub forces: Vec<f64>,
    /// Accelerations in these rows.
    pub motion: Vec<f64>,
    /// The second tangential rows among them.
    pub seconds: Vec<Option<usize>>,
    /// Multipliers of the wrapped system's rows.
    pub reactions: Vec<f64>,
    /// Normal forces of joints with friction.
    pub pressed: Vec<f64>,
}

impl Settled {
    /// All contacts open: joints go on with what they carry.
    pub fn nothing(statuses: Statuses) -> Self {
        Self {
            statuses,
            holds: Vec::new(),
            forces: Vec::new(),
            motion: Vec::new(),
            seconds: Vec::new(),
            reactions: Vec::new(),
            pressed: Vec::new(),
        }
    }

    /// Forces in a closed contact: the normal one and those of friction; zero where other contacts have them.
    pub fn forces_of(&self, place: usize) -> [f64; 3] {
        let count = self.seconds.len();
        let force = |row: Option<usize>| row.map_or(0.0, |row| self.forces[row]);
        [Some(place), Some(count + place), self.seconds[place]].map(force)
    }

    /// Begins with these forces; the equations have these statuses by now.
    ///
    /// Friction by the sizes of reactions, which it changes, may have several solutions, and an iteration from what
    /// was before the event may go round in a circle or find another one than the decision.
    pub fn begin(&self, equations: &Equations, closed: &[Closed], state: &mut State) {
        let structure = &equations.structure;
        let count = closed.len();
        let place = |contact: usize| closed.iter().position(|closed| closed.contact == contact);
        for (&row, &reaction) in structure.inner_rows.iter().zip(&self.reactions) {
            state.lambda[row] = reaction;
        }
        let first_normal = equations.inner.layout().position_rows;
        let force = |place: Option<usize>| {
            let force = place.and_then(|place| self.forces.get(place));
            force.copied().unwrap_or(0.0)
        };
        for (row, &contact) in (first_normal..).zip(&structure.normals) {
            state.lambda[row] = force(place(contact));
        }
        for stick in &structure.sticks {
            let Some(place) = place(stick.contact) else {
                continue;
            };
            let second = self.seconds.get(place).copied().flatten();
            let friction = [force(Some(count + place)), force(second)];
            let friction = closed[place].given(friction);
            for (row, direction) in stick.directions() {
                [state.lambda[row], _] = along_and_across(direction, friction);
            }
        }
        for (row, &joint) in (structure.first_joint_stick()..).zip(&structure.joint_sticks) {
            state.lambda[row] = force(Some(2 * count + joint));
        }
        let first = equations.inner.layout().algebraic;
        let pressed = structure.pressed.iter();
        let pressed = pressed.map(|pressed| force(place(pressed.contact)));
        let joints = structure.joint_slides.iter();
        let joints = joints.map(|slide| slide.held.unwrap_or(self.pressed[slide.joint]));
        for (variable, normal) in state.z[first..].iter_mut().zip(pressed.chain(joints)) {
            *variable = normal;
        }
    }
}
