//! The model of a plane mechanism.

use super::body::PlaneBodyData;
use super::closure::{PlaneClosure, PlaneForceScalar, PlaneWrench};
use super::contact::MechanismContact;
use super::error::PlaneMechanismError;
use super::point_mass;
use super::snapshot::{PlaneProbe, PlaneSnapshot};
use super::{PlaneForce, PlaneFriction, PlaneJoint, PlanePair, PlanePairing};
use crate::plane::geometry::PlaneBody;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    EventAction, Labels, Layout, MatrixMut, Model, ModelEvents, Point, Spatial, State,
};
use liedae_contact::{Contact, ContactModel, FrictionJoint};
use std::any::Any;
use std::sync::Arc;

/// Bodies in the plane with joints, forces and contacts.
///
/// Outputs are x, y, θ and their rates of every body, `<name>.x` to `<name>.omega`, or the probes where there are any.
#[derive(Clone, Debug)]
pub struct PlaneMechanism<C = PlanePairing> {
    pub(crate) bodies: Vec<PlaneBodyData>,
    pub(crate) joints: Vec<PlaneJoint>,
    pub(crate) forces: Vec<PlaneForce>,
    pub(crate) closures: Vec<PlaneClosure>,
    pub(crate) probes: Vec<(String, PlaneProbe)>,
    pub(crate) keeps_energy: bool,
    pub(crate) contacts: Vec<MechanismContact<C>>,
    pub(crate) frictions: Vec<(PlaneFriction, FrictionJoint)>,
    pub(crate) gravity: [f64; 2],
    pub(crate) time_events: Vec<f64>,
    pub(crate) largest_step: f64,
    pub(crate) layout: Layout,
}

impl<C: PlanePair> PlaneMechanism<C> {
    /// Bodies under gravity (m/s²), without joints.
    pub fn new(bodies: Vec<PlaneBodyData>, gravity: [f64; 2]) -> Result<Self, PlaneMechanismError> {
        for body in &bodies {
            let numbers = [
                ("its mass", body.mass, body.mass > 0.0),
                ("its inertia", body.inertia, body.inertia >= 0.0),
            ];
            let spin = body.velocity[2];
            let spins = body.is_point_mass() && spin != 0.0;
            let bad = numbers
                .into_iter()
                .find(|(_, value, fits)| !(*fits && value.is_finite()))
                .map(|(what, value, _)| (what, value))
                .or_else(|| spins.then_some(("the angular velocity of a point mass", spin)))
                .or_else(|| {
                    let values = body.position.iter().chain(&body.velocity);
                    let mut bad = values.copied().filter(|value| !value.is_finite());
                    bad.next().map(|value| ("an initial value", value))
                });
            if let Some((what, value)) = bad {
                return Err(PlaneMechanismError::Body {
                    body: body.name.clone(),
                    what,
                    value,
                });
            }
        }
        let size = 3 * bodies.len();
        let mut mechanism = Self {
            bodies,
            gravity,
            joints: Vec::new(),
            forces: Vec::new(),
            closures: Vec::new(),
            probes: Vec::new(),
            keeps_energy: false,
            contacts: Vec::new(),
            frictions: Vec::new(),
            time_events: Vec::new(),
            largest_step: f64::INFINITY,
            layout: Layout::dense(Manifold::euclidean(size)),
        };
        mechanism.lay_out()?;
        Ok(mechanism)
    }

    /// Adds joints and drives. Initial values must satisfy them.
    pub fn with_joints(
        mut self,
        joints: impl IntoIterator<Item = PlaneJoint>,
    ) -> Result<Self, PlaneMechanismError> {
        for joint in joints {
            self.check("a joint", joint.members().map(Some))?;
            point_mass::check_joint(&self.bodies, &joint)?;
            self.joints.push(joint);
        }
        self.lay_out()?;
        Ok(self)
    }

    /// Makes the energy a constraint that projections hold ([`Energy::is_kept`]) although bodies are free to move as a
    /// whole, whose momentum is then conserved to the tolerance only. Of mechanisms with dampers, drives, driven
    /// surfaces or force closures nothing is held.
    ///
    /// [`Energy::is_kept`]: liedae::system::Energy::is_kept
    #[must_use]
    pub fn keeping_energy(mut self) -> Self {
        self.keeps_energy = true;
        self
    }

    /// Whether joints connect every body with a pivot in the ground.
    fn hangs_from_pivots(&self) -> bool {
        let mut hangs = vec![false; self.bodies.len()];
        for joint in &self.joints {
            if let PlaneJoint::Revolute((Some(body), _), (None, _))
            | PlaneJoint::Revolute((None, _), (Some(body), _)) = *joint
            {
                hangs[body] = true;
            }
        }
        // As many rounds as there are bodies reach the end of any chain.
        for _ in 0..hangs.len() {
            for joint in &self.joints {
                let either = joint.members().any(|body| hangs[body]);
                joint.members().for_each(|body| hangs[body] = either);
            }
        }
        hangs.into_iter().all(|hangs| hangs)
    }

    /// Adds applied forces.
    pub fn with_forces(
        mut self,
        forces: impl IntoIterator<Item = PlaneForce>,
    ) -> Result<Self, PlaneMechanismError> {
        for force in forces {
            self.check("a force", force.bodies())?;
            point_mass::check_force(&self.bodies, &force)?;
            self.forces.push(force);
        }
        self.lay_out()?;
        Ok(self)
    }

    /// Adds a force as a closure of the time in s and two bodies, over numbers that carry derivatives; `None` is the ground.
    /// It gives the wrenches on both.
    ///
    /// # Errors
    /// [`PlaneMechanismError::UnknownBody`], [`DuplicateName`](PlaneMechanismError::DuplicateName) among closures, and
    /// [`PointMass`](PlaneMechanismError::PointMass) for a torque on a point mass at the start. Later such a torque makes
    /// the evaluation of the force fail.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlaneWrench};
    ///
    /// // A mass of 2 kg that falls through a viscous fluid of 3 N s/m.
    /// let mass = PlaneBodyData::point_mass("mass", 2.0, [0.0, 0.0], [0.0, 0.0]);
    /// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![mass], [0.0, -9.81])?
    ///     .with_force_closure("drag", [None, Some(0)], |_t, [_, mass]| {
    ///         [PlaneWrench::zero(), mass.force_at(&mass.position, &mass.velocity.map(|v| v * -3.0))]
    ///     })?
    ///     .with_probe("speed", |now| now.velocity(Some(0)).norm())?;
    /// let mut system = Automatic::new(mechanism);
    /// let method = liedae_contact::methods().build("radau5", &MethodOptions::default())?;
    /// let end = solve(&mut system, method.as_ref(), &Options::adaptive(10.0, 1e-8, 1e-8))?.state;
    /// let outputs = named_outputs(&mut system, &end)?;
    /// let (_, speed) = &outputs[0];
    /// assert!((speed - 2.0 * 9.81 / 3.0).abs() < 1e-4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_force_closure(
        mut self,
        name: impl Into<String>,
        bodies: [Option<usize>; 2],
        force: impl Fn(f64, &[PlaneBody<PlaneForceScalar>; 2]) -> [PlaneWrench<PlaneForceScalar>; 2]
        + Send
        + Sync
        + 'static,
    ) -> Result<Self, PlaneMechanismError> {
        let name = name.into();
        self.check(&format!("force `{name}`"), bodies)?;
        if self.closures.iter().any(|other| other.name == name) {
            return Err(PlaneMechanismError::DuplicateName {
                kind: "force",
                name,
            });
        }
        let points = bodies.map(|body| point_mass::is_one(&self.bodies, body));
        let closure = PlaneClosure {
            name,
            bodies,
            points,
            law: Arc::new(force),
        };
        let standing = bodies.map(|body| point_mass::standing(&self.bodies, body));
        let entries = closure.evaluate(0.0, &standing);
        for side in 0..2 {
            if let Some(body) = bodies[side].filter(|_| points[side] && entries[side][2] != 0.0) {
                let what = format!("force `{}`", closure.name);
                return Err(PlaneMechanismError::PointMass { what, body });
            }
        }
        self.closures.push(closure);
        self.lay_out()?;
        Ok(self)
    }

    /// Adds a contact of body A with body B.
    pub fn with_contact(
        mut self,
        mut law: Contact,
        bodies: [Option<usize>; 2],
        pair: C,
    ) -> Result<Self, PlaneMechanismError> {
        self.check(&format!("contact `{}`", law.label), bodies)?;
        law.check()?;
        let shapes = (&pair, law.tangents > 0);
        point_mass::check_contact(&self.bodies, &law.label, bodies, shapes)?;
        law.angular |= pair.is_angular();
        let velocities = bodies
            .into_iter()
            .flatten()
            .flat_map(|body| 3 * body..3 * body + 3);
        let law = law.acting_on(velocities);
        self.contacts.push(MechanismContact::new(law, bodies, pair));
        Ok(self)
    }

    /// Adds Coulomb friction with the coefficient μ in a joint that is there already. It sticks, slides and reverses:
    /// the mechanism has to be run in a [`NonsmoothSystem`](liedae_contact::NonsmoothSystem).
    pub fn with_friction(
        mut self,
        label: &str,
        coefficient: f64,
        friction: PlaneFriction,
    ) -> Result<Self, PlaneMechanismError> {
        let law = friction.law(label, coefficient, &self.joints);
        let law = law.map_err(|misplaced| PlaneMechanismError::Friction {
            label: label.to_owned(),
            joint: misplaced.joint,
            needs: misplaced.needs,
        })?;
        law.check(self.layout.rows())?;
        point_mass::check_friction(&self.bodies, label, &friction, &self.joints)?;
        self.frictions.push((friction, law));
        Ok(self)
    }

    /// Names moments at which a driven mechanism is not smooth, or at which nothing announces that it is going to move:
    /// runs land on them and start anew.
    pub fn with_time_events(mut self, moments: impl IntoIterator<Item = f64>) -> Self {
        self.time_events.extend(moments);
        self.time_events.sort_by(f64::total_cmp);
        self
    }

    /// Bounds adaptive steps, where bodies may pass through each other within one: an event function is looked at in a few
    /// points of a step, and where nothing accelerates steps are long.
    pub fn with_largest_step(mut self, step: f64) -> Self {
        self.largest_step = step;
        self
    }

    pub(super) fn check(
        &self,
        what: &str,
        bodies: impl IntoIterator<Item = Option<usize>>,
    ) -> Result<(), PlaneMechanismError> {
        match bodies
            .into_iter()
            .flatten()
            .find(|&body| body >= self.bodies.len())
        {
            None => Ok(()),
            Some(body) => Err(PlaneMechanismError::UnknownBody {
                what: what.to_owned(),
                body,
                bodies: self.bodies.len(),
            }),
        }
    }
}

impl<C> PlaneMechanism<C> {
    /// Adds the forces that act beside gravity.
    #[inline(never)]
    fn apply_forces<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let mut modes = at.mode.iter();
        for applied in &self.forces {
            let over = applied.end().is_some() && modes.next().is_some_and(|mode| *mode != 0);
            if !over {
                applied.apply(at.t, at.q, at.v, force);
            }
        }
        for closure in &self.closures {
            closure.apply(at.t, at.q, at.v, force);
        }
    }
}

impl<C: PlanePair + 'static> Model for PlaneMechanism<C> {
    fn layout(&self) -> Layout {
        self.layout.clone()
    }

    fn initial_state(&self) -> State {
        State {
            q: self.bodies.iter().flat_map(|body| body.position).collect(),
            v: self.bodies.iter().flat_map(|body| body.velocity).collect(),
            mode: self.ends().map(|end| i32::from(end <= 0.0)).collect(),
            ..self.layout.state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, body) in self.bodies.iter().enumerate() {
            // Of a point mass θ has any inertia: nothing turns it.
            let inertia = if body.is_point_mass() {
                body.mass
            } else {
                body.inertia
            };
            for (axis, value) in [body.mass, body.mass, inertia].into_iter().enumerate() {
                mass[(3 * index + axis, 3 * index + axis)] = S::constant(value);
            }
        }
    }

    #[inline]
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let [x, y] = self.gravity;
        for (body, force) in self.bodies.iter().zip(force.as_chunks_mut::<3>().0) {
            force[0] = S::constant(body.mass * x);
            force[1] = S::constant(body.mass * y);
        }
        if !self.forces.is_empty() || !self.closures.is_empty() {
            self.apply_forces(at, force);
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let mut row = 0;
        for joint in &self.joints {
            let rows = joint.rows();
            let body = |index| PlaneBody::read(index, at.q, &[]);
            joint.evaluate(at.t, body, &mut g[row..row + rows]);
            row += rows;
        }
    }

    fn output_names(&self) -> Vec<String> {
        self.names_of_outputs()
    }

    fn output_definitions(&self) -> Vec<Option<String>> {
        self.definitions_of_outputs()
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        if !self.probes.is_empty() {
            let snapshot = PlaneSnapshot::new(self, state);
            for (slot, (_, probe)) in out.iter_mut().zip(&self.probes) {
                *slot = (probe.value)(&snapshot);
            }
            return;
        }
        let bodies = state.q.chunks_exact(3).zip(state.v.chunks_exact(3));
        for (slots, (q, v)) in out.chunks_exact_mut(6).zip(bodies) {
            slots[..3].copy_from_slice(q);
            slots[3..].copy_from_slice(v);
        }
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let bodies = self
            .bodies
            .iter()
            .zip(at.q.chunks_exact(3).zip(at.v.chunks_exact(3)));
        let own = bodies.map(|(body, (q, v))| {
            0.5 * body.mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * body.inertia * v[2] * v[2]
                - body.mass * (self.gravity[0] * q[0] + self.gravity[1] * q[1])
        });
        let stored = self.forces.iter().map(|force| force.energy(at.q));
        Some(own.sum::<f64>() + stored.sum::<f64>())
    }

    /// Without dampers, drives and driven surfaces it does, if it is said to ([`PlaneMechanism::keeping_energy`]) or all bodies
    /// hang from pivots in the ground: the momentum of others would not be conserved any more.
    fn keeps_energy(&self) -> bool {
        self.forces.iter().all(PlaneForce::is_conservative)
            && self.closures.is_empty()
            && !self.joints.iter().any(PlaneJoint::is_drive)
            && !self.contacts.iter().any(|contact| contact.pair.is_driven())
            && (self.keeps_energy || self.hangs_from_pivots())
    }

    /// Without drives, driven surfaces, torques in time and force closures.
    fn is_passive(&self) -> bool {
        self.forces.iter().all(PlaneForce::is_passive)
            && self.closures.is_empty()
            && !self.joints.iter().any(PlaneJoint::is_drive)
            && !self.contacts.iter().any(|contact| contact.pair.is_driven())
    }

    fn labels(&self) -> Option<&dyn Labels> {
        Some(self)
    }

    fn spatial(&self) -> Option<&dyn Spatial> {
        Some(self)
    }

    fn as_any(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }

    fn needs_layer(&self) -> bool {
        !self.contacts.is_empty() || !self.frictions.is_empty()
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl<C: PlanePair + 'static> ModelEvents for PlaneMechanism<C> {
    fn time_events(&self) -> Vec<f64> {
        let mut moments = self.time_events.clone();
        moments.extend(self.ends());
        moments.sort_by(f64::total_cmp);
        moments
    }

    fn handle_time_event(&self, event: usize, state: &mut State) -> EventAction {
        if let Some(&moment) = self.time_events().get(event) {
            for (mode, end) in state.mode.iter_mut().zip(self.ends()) {
                if end <= moment {
                    *mode = 1;
                }
            }
        }
        EventAction::Restart
    }

    fn largest_step(&self) -> f64 {
        self.largest_step
    }
}

impl<C: PlanePair + 'static> ContactModel for PlaneMechanism<C> {
    fn contacts(&self) -> Vec<Contact> {
        self.contacts
            .iter()
            .map(|contact| contact.law.clone())
            .collect()
    }

    #[inline]
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        self.contacts[contact].gap(at.t, at.q)
    }

    fn thickness(&self, contact: usize) -> f64 {
        self.contacts[contact].pair.thickness()
    }

    fn junctions(&self, contact: usize) -> usize {
        self.contacts[contact].pair.junctions()
    }

    fn junction_values(&self, contact: usize, at: &Point, out: &mut [f64]) {
        let contact = &self.contacts[contact];
        let bodies = contact.bodies_at(at.q, &[]);
        contact.pair.junction_values(&bodies, out);
    }

    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let contact = &self.contacts[contact];
        let bodies = contact.bodies_at(at.q, at.v);
        if let Some(sliding) = sliding.first_mut() {
            *sliding = contact.pair.sliding_velocity(at.t, &bodies);
        }
    }

    fn friction_joints(&self) -> Vec<FrictionJoint> {
        self.frictions.iter().map(|(_, law)| law.clone()).collect()
    }

    fn joint_velocity<S: Scalar>(&self, joint: usize, at: &Point<S>) -> S {
        self.frictions[joint].0.velocity(&self.joints, at.q, at.v)
    }
}
