//! The contacts and joints that take part in an event.

use crate::equations::Equations;
use liedae::system::State;

/// Contacts and joints whose event functions have changed their sign.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fired {
    /// Open contacts that have closed.
    pub impacts: Vec<usize>,
    /// Closed ones whose force has vanished.
    pub releases: Vec<usize>,
    /// Those that share forces, of which no split is admissible any more.
    pub shared: Vec<usize>,
    /// Joints that share forces with them.
    pub shared_joints: Vec<usize>,
    /// Sliding has come to rest, or sticking has reached the limit of friction.
    pub tangential: Vec<usize>,
    /// Of these, the ones in space that slide slowly to and fro.
    pub wavering: Vec<usize>,
    /// And the ones that stay slow.
    pub lasting: Vec<usize>,
    /// Joints that have come to rest, or that have reached the limit of friction.
    pub joints: Vec<usize>,
    /// Closed ones whose normal or curvature jumps.
    pub junctions: Vec<usize>,
    /// At the start of a run: what moves then.
    pub start: Option<Moving>,
    /// No contact and no joint: the motion cannot go on as it is.
    pub impasse: bool,
}

/// A contact that seems to close while it opens slower than this multiple of the velocity threshold stays closed.
pub(crate) const HIDDEN_SPEED: f64 = 10.0;

impl Fired {
    /// Clears all lists and keeps their memory.
    pub fn clear(&mut self) {
        let lists = [
            &mut self.impacts,
            &mut self.releases,
            &mut self.shared,
            &mut self.shared_joints,
            &mut self.tangential,
            &mut self.wavering,
            &mut self.lasting,
            &mut self.joints,
            &mut self.junctions,
        ];
        lists.into_iter().for_each(Vec::clear);
        self.start = None;
        self.impasse = false;
    }

    /// Whether no contact and no joint has an event.
    pub fn is_empty(&self) -> bool {
        let contacts = [
            &self.impacts,
            &self.releases,
            &self.shared,
            &self.tangential,
            &self.junctions,
        ];
        contacts.iter().all(|list| list.is_empty()) && self.joints.is_empty()
    }

    /// Whether a contact may stay closed, with the threshold of velocities.
    pub fn rests(&self, closed: &Closed, threshold: f64) -> bool {
        // A flight that round-off of the gap hides looks like an impact of a contact that opens.
        let hidden = self.impacts.contains(&closed.contact);
        let slow = if hidden { HIDDEN_SPEED } else { 1.0 } * threshold;
        closed.velocity[0] <= slow && !closed.leaves
    }
}

/// What slides or approaches when a run starts. What rests then and sticks has not begun to do so.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub contacts: Vec<bool>,
    pub joints: Vec<bool>,
}

/// Contacts and joints after a possible impact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    pub contacts: Vec<Closed>,
    /// Sliding velocities of all joints.
    pub joints: Vec<f64>,
}

impl Arrived {
    /// Those of these contacts that are slow enough do not slide.
    pub fn rest(&mut self, contacts: &[usize], slow: impl Fn([f64; 2]) -> bool) {
        for closed in &mut self.contacts {
            let [_, first, second] = closed.velocity;
            if contacts.contains(&closed.contact) && slow([first, second]) {
                closed.velocity[1..].fill(0.0);
            }
        }
    }

    /// Turns all tangential directions back to those that the model gives.
    pub fn turn_back(&mut self) {
        for closed in &mut self.contacts {
            let [normal, first, second] = closed.velocity;
            let [first, second] = closed.given([first, second]);
            closed.velocity = [normal, first, second];
            closed.direction = [1.0, 0.0];
        }
    }
}

/// Friction forces of sticking contacts and joints before an event, zero for others.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub contacts: Vec<[f64; 2]>,
    pub joints: Vec<f64>,
}

impl Held {
    /// What holds the sticking contacts and joints of these equations.
    pub fn at(equations: &Equations, state: &State) -> Self {
        let structure = &equations.structure;
        let force = |row: usize| state.lambda.get(row).copied().unwrap_or(0.0);
        let mut statuses = equations.statuses.contacts.iter();
        // Nobody asks for the others.
        let count = match statuses.any(|status| status.is_sticking()) {
            true => equations.contacts.len(),
            false => 0,
        };
        let mut contacts = vec![[0.0; 2]; count];
        for stick in &structure.sticks {
            let held = &mut contacts[stick.contact];
            for (row, direction) in stick.directions() {
                *held = [0, 1].map(|k| held[k] + direction[k] * force(row));
            }
        }
        let mut joints = vec![0.0; equations.joints.len()];
        for (index, &joint) in structure.joint_sticks.iter().enumerate() {
            joints[joint] = force(structure.first_joint_stick() + index);
        }
        Self { contacts, joints }
    }
}

/// A contact that takes part in an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closed {
    pub contact: usize,
    /// Relative velocities after a possible impact: of the gap, of sliding in both tangential directions.
    pub velocity: [f64; 3],
    /// The first tangential direction in those that the model gives; the second one is a quarter turn ahead.
    pub direction: [f64; 2],
    /// Whether it is no contact at rest, however slowly its gap opens.
    pub leaves: bool,
}

/// The components of a vector in the plane along a unit vector and across it.
pub(crate) fn along_and_across([c, s]: [f64; 2], [x, y]: [f64; 2]) -> [f64; 2] {
    [c * x + s * y, c * y - s * x]
}

impl Closed {
    /// A vector of the model's tangential directions in the present ones.
    pub fn seen(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        along_and_across(self.direction, [x, y])
    }

    /// The reverse of [`seen`](Self::seen).
    pub fn given(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [c, s] = self.direction;
        [c * x - s * y, s * x + c * y]
    }

    /// Turns the tangential directions, the first one into a unit vector in the present ones.
    pub fn turn(&mut self, direction: [f64; 2]) {
        let turned = Self { direction, ..*self };
        let [normal, x, y] = self.velocity;
        let [x, y] = turned.seen([x, y]);
        self.velocity = [normal, x, y];
        self.direction = self.given(direction);
    }
}
