//! Event functions of contacts and joints, and their assignment to contacts.

use crate::closed::force_distribution::ForceDistribution;
use crate::equations::Equations;
use crate::equations::relative::Inside;
use crate::equations::slides::Measure;
use crate::equations::wrapped::{contacts_of, joints_of};
use crate::event_sets::Fired;
use crate::event_slack::EventSlack;
use crate::gaps;
use crate::{
    Contact, ContactStatus, ContactSystem, JointStatus, Thresholds, UnilateralConstraints,
};
use liedae::system::{
    Direction, EvaluationError, EventDescription, EventHandling, Point, System, event_descriptions,
};

/// Sliding has ended at minus this share of the velocity threshold, so that it can begin at zero. What was slower than the
/// threshold may have begun to slide against the velocity that was left: that much is granted beside it.
const SLIDING_VELOCITY: f64 = 1e-4;

/// Of two tangential directions the one with a row holds this share of what other rows leave, or the other one gets the row: bodies
/// turn, as a robot on two wheels does, whose sliding along the axle is held by one of them alone.
const WEAK: f64 = 0.1;

/// The event functions of a run: whose they are, in which order, and what they are now.
pub(crate) struct Detection {
    /// How events are handled in this run.
    pub handling: EventHandling,
    /// How many functions tell where each contact's normal or curvature jumps.
    junctions: Vec<usize>,
    /// Numbers of the contacts with a tangential event function.
    frictional: Vec<usize>,
    /// Those of the wrapped system, then those of contacts and joints.
    pub descriptions: Vec<EventDescription>,
    /// How many of them are the wrapped system's.
    pub inner_events: usize,
}

impl Detection {
    /// Nothing is described yet; `junctions` of each contact are counted.
    pub fn new(contacts: &[Contact], junctions: Vec<usize>, handling: EventHandling) -> Self {
        let rubs = |contact: &Contact| contact.tangents > 0 && contact.friction > 0.0;
        Self {
            handling,
            junctions,
            frictional: (0..contacts.len())
                .filter(|&contact| rubs(&contacts[contact]))
                .collect(),
            descriptions: Vec::new(),
            inner_events: 0,
        }
    }

    /// To within which events are located, in s; zero where they are not.
    pub fn tolerance(&self) -> f64 {
        match self.handling {
            EventHandling::Located { tolerance } => tolerance,
            EventHandling::Captured => 0.0,
        }
    }

    /// Whether the wrapped system has event functions, or had some.
    pub fn sees_inner_events(&self, equations: &mut Equations) -> bool {
        self.inner_events > 0 || !event_descriptions(&mut equations.inner).is_empty()
    }

    /// Describes the event functions that belong to the present statuses.
    pub fn describe(&mut self, equations: &mut Equations) {
        self.descriptions.clear();
        self.descriptions
            .extend_from_slice(event_descriptions(&mut equations.inner));
        self.inner_events = self.descriptions.len();
        if self.handling == EventHandling::Captured {
            return;
        }
        for (contact, status) in equations.contacts.iter().zip(&equations.statuses.contacts) {
            let label = contact.label.clone();
            self.descriptions.push(if status.has_normal_force() {
                EventDescription::barrier("release", label).of_multipliers()
            } else {
                EventDescription::barrier("impact", label)
            });
        }
        for &contact in &self.frictional {
            let label = equations.contacts[contact].label.clone();
            self.descriptions
                .push(if equations.statuses.contacts[contact].is_sticking() {
                    EventDescription::barrier("slip", label).of_multipliers()
                } else {
                    EventDescription::barrier("stick", label)
                });
        }
        for (joint, status) in equations.joints.iter().zip(&equations.statuses.joints) {
            let label = joint.label.clone();
            self.descriptions.push(if status.is_sticking() {
                EventDescription::barrier("slip", label).of_multipliers()
            } else {
                EventDescription::barrier("stick", label)
            });
        }
        for (contact, &count) in equations.contacts.iter().zip(&self.junctions) {
            let junction =
                EventDescription::new("normal", &contact.label, Direction::Both).beyond_its_root();
            self.descriptions
                .extend(std::iter::repeat_n(junction, count));
        }
    }

    /// The event functions of the wrapped system, then a normal one per contact, then a tangential one per contact with
    /// friction, then one per joint with friction, then those of the junctions that closed contacts may pass.
    ///
    /// Margins of contacts that share forces are those of this point.
    #[inline]
    pub fn evaluate(
        &self,
        equations: &mut Equations,
        left: (&ForceDistribution, &EventSlack),
        thresholds: &Thresholds,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        // Without friction and junctions there is nothing but normal functions. Joints alone have none.
        let only_normals =
            self.inner_events == 0 && !out.is_empty() && out.len() == equations.contacts.len();
        if only_normals {
            return evaluate_normals(equations, left, thresholds, at, out);
        }
        self.evaluate_all(equations, left, thresholds, at, out)
    }

    /// The same, whatever there is.
    // Out of the way of gaps alone, which are asked for most often.
    #[inline(never)]
    fn evaluate_all(
        &self,
        equations: &mut Equations,
        left: (&ForceDistribution, &EventSlack),
        thresholds: &Thresholds,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (inner, rest) = out.split_at_mut(self.inner_events);
        if !inner.is_empty() {
            evaluate_inner(equations, at, inner)?;
        }
        if self.handling == EventHandling::Captured {
            return Ok(());
        }
        let (normals, rest) = rest.split_at_mut(equations.contacts.len());
        if !normals.is_empty() {
            evaluate_normals(equations, left, thresholds, at, normals)?;
        }
        // Without friction and junctions that is all.
        if rest.is_empty() {
            return Ok(());
        }
        self.evaluate_tangents(equations, left, thresholds, at, rest)
    }

    /// The tangential functions of contacts, those of joints and of junctions.
    fn evaluate_tangents(
        &self,
        equations: &mut Equations,
        left: (&ForceDistribution, &EventSlack),
        thresholds: &Thresholds,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let (system, inside) = equations.inside(at);
        let sight = Sight::new(inside, at.lambda, left, thresholds);
        let inside = &sight.inside;
        let (tangents, rest) = out.split_at_mut(self.frictional.len());
        let (joints, mut junctions) = rest.split_at_mut(inside.joints.len());
        for (joint, slot) in joints.iter_mut().enumerate() {
            *slot = sight.joint(joint, system)?;
        }
        if inside.contacts.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(system, inside.at.t)?;
        for (slot, &contact) in tangents.iter_mut().zip(&self.frictional) {
            *slot = sight.tangential(contact, unilateral)?;
        }
        // Most contacts have none.
        if junctions.is_empty() {
            return Ok(());
        }
        for (contact, &count) in self.junctions.iter().enumerate() {
            let (values, others) = junctions.split_at_mut(count);
            if inside.statuses.contacts[contact].has_normal_force() {
                unilateral.junction_values(contact, &inside.at, values)?;
            } else {
                values.fill(1.0);
            }
            junctions = others;
        }
        Ok(())
    }

    /// One of the functions that [`evaluate`](Self::evaluate) gives, where it needs neither others nor margins of contacts that share
    /// forces: a gap, a sliding velocity, what is left of friction in a joint.
    pub fn evaluate_alone(
        &self,
        equations: &mut Equations,
        left: (&ForceDistribution, &EventSlack),
        thresholds: &Thresholds,
        at: &Point,
        event: usize,
    ) -> Result<Option<f64>, EvaluationError> {
        let Some(event) = event.checked_sub(self.inner_events) else {
            return Ok(None);
        };
        if event < equations.contacts.len() {
            let status = equations.statuses.contacts[event];
            if status.has_normal_force() {
                return Ok(None);
            }
            let (system, Inside { at, contacts, .. }) = equations.inside(at);
            let unilateral = contacts_of(system, at.t)?;
            let contact = (event, &contacts[event], status);
            return gaps::gap(contact, &at, unilateral, thresholds).map(Some);
        }
        self.evaluate_tangent_alone(equations, left, thresholds, at, event)
    }

    /// One of the functions behind those of the gaps.
    #[inline(never)]
    fn evaluate_tangent_alone(
        &self,
        equations: &mut Equations,
        left: (&ForceDistribution, &EventSlack),
        thresholds: &Thresholds,
        at: &Point,
        event: usize,
    ) -> Result<Option<f64>, EvaluationError> {
        let (system, inside) = equations.inside(at);
        let (contacts, frictional) = (inside.contacts.len(), self.frictional.len());
        let sight = Sight::new(inside, at.lambda, left, thresholds);
        if let Some(&contact) = self.frictional.get(event - contacts) {
            if sight.holds_by_one_row(contact) {
                return Ok(None);
            }
            let unilateral = contacts_of(system, at.t)?;
            return sight.tangential(contact, unilateral).map(Some);
        }
        let joint = event - contacts - frictional;
        if joint < inside.joints.len() {
            return sight.joint(joint, system).map(Some);
        }
        Ok(None)
    }

    /// Notes whose events these are, among those of contacts and joints.
    pub fn note_fired(
        &self,
        events: &[usize],
        equations: &Equations,
        sharing: &ForceDistribution,
        fired: &mut Fired,
    ) {
        fired.clear();
        let own = events.iter();
        for event in own.filter_map(|event| event.checked_sub(self.inner_events)) {
            self.note(event, equations, sharing, fired);
        }
    }

    /// Notes whose event this is, counted from the first one of contacts.
    fn note(
        &self,
        event: usize,
        equations: &Equations,
        sharing: &ForceDistribution,
        fired: &mut Fired,
    ) {
        let (contacts, frictional) = (equations.contacts.len(), self.frictional.len());
        let joints = equations.joints.len();
        if event < contacts {
            if !equations.statuses.contacts[event].has_normal_force() {
                fired.impacts.push(event);
            } else if let Some(group) = sharing.group_of(event) {
                fired.shared.extend(sharing.contacts_of(group));
                fired.shared_joints.extend(sharing.joints_of(group));
            } else {
                fired.releases.push(event);
            }
        } else if event < contacts + frictional {
            let contact = self.frictional[event - contacts];
            let statuses = &equations.statuses;
            let shares = statuses.contacts[contact].is_sticking()
                && statuses.only[contact].is_some()
                && sharing.group_of(contact).is_some();
            // What shares its friction slips with its group: its own event says that its row has become weak, and all rows are
            // chosen anew.
            if !shares {
                fired.tangential.push(contact);
            }
        } else if event < contacts + frictional + joints {
            fired.joints.push(event - contacts - frictional);
        } else {
            let mut left = event - contacts - frictional - joints;
            let passes = self.junctions.iter().position(|&count| {
                let here = left < count;
                left = left.saturating_sub(count);
                here
            });
            fired.junctions.extend(passes);
        }
    }
}

/// The event functions of the wrapped system.
#[inline(never)]
fn evaluate_inner(
    equations: &mut Equations,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let (system, inside) = equations.inside(at);
    match system.events() {
        Some(events) => events.event_functions(&inside.at, out),
        None => Ok(()),
    }
}

/// The normal functions of contacts: gaps, or what is left of forces.
#[inline]
fn evaluate_normals(
    equations: &mut Equations,
    left: (&ForceDistribution, &EventSlack),
    thresholds: &Thresholds,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    let (system, inside) = equations.inside(at);
    let Inside {
        at: own,
        contacts,
        statuses,
        structure,
        ..
    } = inside;
    let unilateral = contacts_of(system, own.t)?;
    let mut closed = 0;
    let laws = contacts.iter().zip(&statuses.contacts);
    for (contact, (slot, (law, &status))) in out.iter_mut().zip(laws).enumerate() {
        *slot = if status.has_normal_force() {
            let own = if statuses.loads[contact].is_empty() {
                closed += 1;
                force(at.lambda, structure.first_normal() + closed - 1)
            } else {
                structure.normal_force(contact, at.lambda).unwrap_or(0.0)
            };
            normal_force(left, contact, own)
        } else {
            gaps::gap((contact, law, status), &own, unilateral, thresholds)?
        };
    }
    Ok(())
}

/// One of the multipliers.
fn force(lambda: &[f64], row: usize) -> f64 {
    lambda.get(row).copied().unwrap_or(0.0)
}

/// The normal force of a contact, or what those that share forces have left.
fn normal_force(
    (sharing, margins): (&ForceDistribution, &EventSlack),
    contact: usize,
    own: f64,
) -> f64 {
    match sharing.group_of(contact) {
        Some(group) if sharing.leader(group) == Some(contact) => sharing.margin(group),
        Some(_) => NONE,
        None => own + margins.release[contact],
    }
}

/// Beyond reach: what has no event of its own.
const NONE: f64 = 1.0;

/// All that the event functions of forces, of sliding and of joints are evaluated from.
struct Sight<'a> {
    inside: Inside<'a>,
    /// All multipliers.
    lambda: &'a [f64],
    sharing: &'a ForceDistribution,
    margins: &'a EventSlack,
    thresholds: &'a Thresholds,
}

impl<'a> Sight<'a> {
    fn new(
        inside: Inside<'a>,
        lambda: &'a [f64],
        (sharing, margins): (&'a ForceDistribution, &'a EventSlack),
        thresholds: &'a Thresholds,
    ) -> Self {
        Self {
            inside,
            lambda,
            sharing,
            margins,
            thresholds,
        }
    }

    fn force(&self, row: usize) -> f64 {
        force(self.lambda, row)
    }

    /// Whether a contact sticks by one tangential row of two, and shares the other direction.
    fn holds_by_one_row(&self, contact: usize) -> bool {
        let statuses = self.inside.statuses;
        statuses.contacts[contact] == ContactStatus::Sticking
            && statuses.only[contact].is_some()
            && self.sharing.group_of(contact).is_some()
    }

    /// The sliding velocity of a contact that slides, the friction that is left of one that sticks.
    fn tangential(
        &self,
        contact: usize,
        unilateral: &mut dyn UnilateralConstraints,
    ) -> Result<f64, EvaluationError> {
        let inside = &self.inside;
        let status = inside.statuses.contacts[contact];
        if let Some(sign) = status.sliding() {
            let mut sliding = [0.0; 2];
            let tangents = inside.contacts[contact].tangents;
            unilateral.sliding_velocity(contact, &inside.at, &mut sliding[..tangents])?;
            let backward = self.margins.backward.contacts[contact];
            if tangents == 2 {
                let measure = Measure::at(inside.at.t, self.thresholds);
                let allowed = backward + SLIDING_VELOCITY * measure.threshold;
                return Ok(inside.slides[contact].event_function(sliding, measure, allowed));
            }
            return Ok(self.sliding(sign * sliding[0], backward));
        }
        if status == ContactStatus::StickingRedundantly && self.margins.prescribed.contacts[contact]
        {
            let mut sliding = [0.0; 2];
            let tangents = inside.contacts[contact].tangents;
            unilateral.sliding_velocity(contact, &inside.at, &mut sliding[..tangents])?;
            return Ok(self.begins(sliding[0].hypot(sliding[1])));
        }
        if status != ContactStatus::Sticking {
            return Ok(NONE);
        }
        if self.sharing.group_of(contact).is_some() {
            return Ok(match self.holds_by_one_row(contact) {
                true => self.sharing.strength(contact) - WEAK,
                false => NONE,
            });
        }
        let structure = inside.structure;
        let normal = structure.normal_force(contact, self.lambda);
        let (Some(normal), Some(stick)) = (normal, structure.rows_of_stick(contact)) else {
            return Ok(NONE);
        };
        let normal = normal + self.margins.release[contact];
        let friction = stick.map(|row| self.force(row)).fold(0.0, f64::hypot);
        Ok(inside.contacts[contact].friction * normal - friction)
    }

    /// As [`tangential`](Self::tangential), of a joint.
    fn joint(&self, joint: usize, system: &mut ContactSystem) -> Result<f64, EvaluationError> {
        let inside = &self.inside;
        let own = &inside.at;
        if let Some(sign) = inside.statuses.joints[joint].sliding() {
            let velocity = joints_of(system, own.t)?.joint_velocity(joint, own)?;
            let backward = self.margins.backward.joints[joint];
            return Ok(self.sliding(sign * velocity, backward));
        }
        if inside.statuses.joints[joint] == JointStatus::StickingRedundantly
            && self.margins.prescribed.joints[joint]
        {
            let velocity = joints_of(system, own.t)?.joint_velocity(joint, own)?;
            return Ok(self.begins(velocity.abs()));
        }
        if self.sharing.has_joint(joint) {
            return Ok(NONE);
        }
        let Some(row) = inside.structure.row_of_joint(joint) else {
            return Ok(NONE);
        };
        let law = &inside.joints[joint];
        let limit = law.friction * law.normal_force(own.lambda);
        Ok(limit + self.margins.slip[joint] - self.force(row).abs())
    }

    /// What is at rest by prescription slides from the threshold speed on: no force in it says so.
    fn begins(&self, speed: f64) -> f64 {
        self.thresholds.velocity - speed
    }

    /// A sliding velocity in the direction of sliding, with what is granted against it.
    fn sliding(&self, velocity: f64, backward: f64) -> f64 {
        velocity + SLIDING_VELOCITY * self.thresholds.velocity + backward
    }
}
