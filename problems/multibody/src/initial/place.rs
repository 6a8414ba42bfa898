//! Moves the bodies to stated joint coordinates, and closes loops.

use super::coordinate::Freedom;
use super::coordinate::{JointCoordinate, Stated};
use super::report::{Displacement, PlacedBody, PlacedJoint, Placement};
use super::tree::Tree;
use crate::assembly::lay_out;
use crate::beam::SHAPE;
use crate::body::RigidBody;
use crate::builder::MultibodyBuilder;
use crate::connection::{Connection, Joints};
use crate::error::AssemblyError;
use crate::joint::JointId;
use crate::kinematics::{COORDINATES, Kinematics, VELOCITIES};
use crate::mechanism::MultibodySystem;
use crate::motion::Motion;
use liedae::analysis::assemble;
use liedae::system::{Evaluator, Projector, State, System};

/// Longest part of a way that is gone at once, in rad. Crank angles of a loop stay far from another branch.
const PART_ANGLE: f64 = 0.2;

/// The same for translations, in parts of the mechanism's size.
const PART_LENGTH: f64 = 0.1;

/// Most parts of one way.
const MOST_PARTS: f64 = 1e3;

/// Where a part does not succeed, it is halved so many times.
const HALVINGS: i32 = 8;

/// Axes with less than this cosine between them are assembled before anything is moved: Newton's steps, tan θ for an angle of θ, lead away
/// from an angle of more than 1.16 rad.
const DRAWN: f64 = 0.7;

/// Closing a loop after one part turns no body further, in rad: that would be another branch.
const BRANCH: f64 = 1.0;

/// How well velocities have to fit the rows, relative to 1 + max |v|.
const FIT: f64 = 1e-9;

/// Where the bodies start.
pub(crate) struct Start {
    pub bodies: Vec<Kinematics>,
    pub placement: Placement,
    /// Stated angles, in full turns as well.
    pub positions: Vec<Stated>,
}

impl Start {
    /// The angle that was stated for a joint.
    pub fn angle(&self, joint: JointId) -> Option<f64> {
        let mut stated = self.positions.iter();
        let of_joint = |stated: &&Stated| stated.joint == joint && stated.freedom == Freedom::Angle;
        stated.find(of_joint).map(|stated| stated.value)
    }
}

/// The mechanism with one more row for each of some joint coordinates, without forces.
struct Held {
    system: MultibodySystem,
    /// Places of the rows among the connections.
    rows: Vec<usize>,
    /// Places of drives of the same coordinates.
    drives: Vec<Vec<usize>>,
}

impl Held {
    fn new(builder: &MultibodyBuilder, stated: &[Stated]) -> Result<Self, AssemblyError> {
        let mut own = MultibodyBuilder {
            bodies: builder.bodies.clone(),
            joints: builder.joints.clone(),
            start: builder.start,
            ..MultibodyBuilder::default()
        };
        let mut rows = Vec::with_capacity(stated.len());
        for (index, stated) in stated.iter().enumerate() {
            // No user's joint has such a name.
            let name = format!("\0coordinate {index}");
            let drive = stated.freedom.drive(Motion::Constant(0.0));
            rows.push(own.add_drive(name, stated.joint, drive));
        }
        let system = lay_out(&own)?.fill(own, None)?;
        let place = |joint: usize| system.joint_order[joint];
        let drives = stated.iter().map(|stated| {
            let all = builder.joints.iter().enumerate();
            let own = all.filter(|(_, joint)| stated.is_driven_by(joint, &builder.joints));
            own.map(|(index, _)| place(index)).collect()
        });
        Ok(Self {
            drives: drives.collect(),
            rows: rows.iter().map(|row| place(row.0)).collect(),
            system,
        })
    }

    /// Holds a coordinate; its drive is not asked.
    fn hold(&mut self, index: usize, value: f64) {
        self.follow(self.rows[index], &Motion::Constant(value));
        for drive in self.drives[index].clone() {
            self.follow(drive, &Motion::Constant(value));
        }
    }

    fn follow(&mut self, place: usize, motion: &Motion) {
        for row in &mut self.system.connections[place].rows {
            row.motion = motion.clone();
        }
    }

    /// Beams and flexible bodies, whose shape is held, deform at their stated rates.
    fn deform(&mut self, stated: &[Kinematics], now: &[Kinematics]) {
        let start = self.system.initial.t;
        for joint in &mut self.system.connections {
            if !joint.name.starts_with(SHAPE) {
                continue;
            }
            let pair = Tree::stated_motion(joint, stated, now);
            let (sides, spins) = (joint.sides(&pair), Connection::spins(&pair));
            for row in &mut joint.rows {
                let rate = row.rate(start, &sides, &spins);
                row.motion = Motion::linear(-rate * start, rate);
            }
        }
    }

    fn state(&self, bodies: &[Kinematics]) -> State {
        let mut state = self.system.initial_state();
        for (index, body) in bodies.iter().enumerate() {
            body.write(index, &mut state);
        }
        state
    }

    /// The closest configuration that satisfies all rows, or what is in the way.
    fn close(&mut self, bodies: &mut [Kinematics]) -> Result<(), String> {
        let mut state = self.state(bodies);
        let mut projector =
            Projector::new(&self.system.layout).map_err(|error| error.to_string())?;
        let mut evaluator = Evaluator::new(&mut self.system);
        projector
            .project_position(&mut evaluator, &mut state, true)
            .map_err(|error| error.to_string())?;
        read(bodies, &state);
        Ok(())
    }

    /// Refuses axes that point opposite ways, and coordinates half a turn away.
    fn check_branch(&self, bodies: &[Kinematics]) -> Result<(), String> {
        let q = self.state(bodies).q;
        match self.system.opposed_at(self.system.initial.t, &q) {
            None => Ok(()),
            Some(joint) if joint.starts_with('\0') => {
                Err("the loops close half a turn away from a stated angle only".to_owned())
            }
            Some(joint) => Err(format!("the axes of '{joint}' would point opposite ways")),
        }
    }

    /// A configuration that satisfies all rows, however far away, or what is in the way.
    fn assemble(&mut self, bodies: &mut [Kinematics]) -> Result<(), String> {
        let mut state = self.state(bodies);
        assemble(&mut Evaluator::new(&mut self.system), &mut state)
            .map_err(|error| error.to_string())?;
        read(bodies, &state);
        Ok(())
    }

    /// The closest velocities that satisfy all rows, or what is in the way.
    fn close_velocities(&mut self, bodies: &mut [Kinematics]) -> Result<(), String> {
        let mut state = self.state(bodies);
        let layout = self.system.layout.clone();
        let mut projector = Projector::new(&layout).map_err(|error| error.to_string())?;
        // Relative to the fastest velocity, and 1 at least.
        let mut evaluator = Evaluator::new(&mut self.system);
        projector
            .project_velocity(&mut evaluator, &mut state)
            .map_err(|error| error.to_string())?;
        let mut rows = vec![0.0; layout.rows()];
        evaluator
            .velocity_constraint(&state.point(), &mut rows)
            .map_err(|error| error.to_string())?;
        let fastest = state.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        match self.system.worst(&rows, FIT * (1.0 + fastest)) {
            Some((joint, violation)) if joint.starts_with('\0') => {
                Err(format!("the mechanism moves otherwise by {violation:e}"))
            }
            Some((joint, violation)) => Err(format!("'{joint}' is violated by {violation:e}")),
            None => {
                read(bodies, &state);
                Ok(())
            }
        }
    }
}

fn read(bodies: &mut [Kinematics], state: &State) {
    for (index, body) in bodies.iter_mut().enumerate() {
        *body = Kinematics::read(Some(index), &state.q, &state.v);
    }
}

impl Kinematics {
    /// Writes position and velocity of a body into a state.
    pub(crate) fn write(&self, index: usize, state: &mut State) {
        let q = &mut state.q[COORDINATES * index..COORDINATES * (index + 1)];
        let v = &mut state.v[VELOCITIES * index..VELOCITIES * (index + 1)];
        q[..3].copy_from_slice(self.position.as_slice());
        for row in 0..3 {
            for column in 0..3 {
                q[3 + 3 * row + column] = self.rotation[(row, column)];
            }
        }
        v[..3].copy_from_slice(self.velocity.as_slice());
        v[3..].copy_from_slice(self.omega.as_slice());
    }
}

/// Names of joints in an error.
fn names(joints: &Joints, stated: &[Stated]) -> String {
    let name = |stated: &Stated| {
        format!(
            "'{}'",
            joints.connections[joints.order[stated.joint.0]].name
        )
    };
    stated.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Moves the bodies as the builder's joint coordinates and rates say; `None` where there are none.
pub(crate) fn place(
    builder: &MultibodyBuilder,
    joints: &Joints,
) -> Result<Option<Start>, AssemblyError> {
    let resolve =
        |stated: &[(JointId, JointCoordinate)], what| Stated::resolve(stated, joints, what);
    let positions = resolve(&builder.joint_positions, "joint position")?;
    let rates = resolve(&builder.joint_rates, "joint rate")?;
    if positions.is_empty() && rates.is_empty() {
        return Ok(None);
    }
    let stated: Vec<Kinematics> = builder.bodies.iter().map(RigidBody::kinematics).collect();
    let mut all = positions.clone();
    all.extend(&rates);
    // Rates move the tree as positions do: joints with either come first.
    let tree = Tree::new(joints, &all, stated.len());
    let mut now = stated.clone();
    let mut along_tree = stated.clone();
    if !positions.is_empty() {
        // The tree alone, without loops: only to report what loops have changed.
        let all = along_the_tree(joints, &positions, &stated);
        tree.advance(&mut along_tree, &all);
        let way = Way {
            builder,
            joints,
            tree: &tree,
            positions: &positions,
        };
        way.go(&mut now)?;
    }
    // Velocities along the tree first, then the closest ones that fit loops and drives.
    tree.velocities(&stated, &mut along_tree, &rates);
    tree.velocities(&stated, &mut now, &rates);
    let mut held = Held::new(builder, &rates)?;
    for (index, rate) in rates.iter().enumerate() {
        let joint = joints.find(rate.joint, "joint rate")?;
        let value = rate.freedom.measure(joint, &Tree::pair(joint, &now));
        // x(t) = x_now + rate (t - start): the row has the rate wanted, and holds now.
        let motion = Motion::linear(value - rate.value * builder.start, rate.value);
        held.follow(held.rows[index], &motion);
    }
    held.deform(&stated, &now);
    held.close_velocities(&mut now)
        .map_err(|reason| AssemblyError::JointRates {
            joints: names(joints, if rates.is_empty() { &positions } else { &rates }),
            reason,
        })?;
    let bodies = builder.bodies.iter().enumerate();
    let bodies = bodies.map(|(index, body)| PlacedBody {
        name: body.name.clone(),
        by_joints: Displacement::between(&stated[index], &along_tree[index]),
        by_loops: Displacement::between(&along_tree[index], &now[index]),
    });
    let placement = Placement {
        joints: placed_joints(joints, &all, &positions, &now)?,
        bodies: bodies.collect(),
    };
    Ok(Some(Start {
        bodies: now,
        placement,
        positions,
    }))
}

/// The stated joints, each once.
fn placed_joints(
    joints: &Joints,
    all: &[Stated],
    positions: &[Stated],
    now: &[Kinematics],
) -> Result<Vec<PlacedJoint>, AssemblyError> {
    let mut placed: Vec<PlacedJoint> = Vec::new();
    for (index, stated) in all.iter().enumerate() {
        let same = |other: &&Stated| (other.joint, other.freedom) == (stated.joint, stated.freedom);
        if all[..index].iter().any(|other| same(&other)) {
            continue;
        }
        let joint = joints.find(stated.joint, "joint position")?;
        let pair = Tree::pair(joint, now);
        let measured = stated.freedom.measure(joint, &pair);
        placed.push(PlacedJoint {
            name: joint.name.clone(),
            coordinate: stated.freedom.name(),
            position: positions
                .iter()
                .find(same)
                .map_or(measured, |given| given.value),
            rate: stated.freedom.rate(joint, &pair),
        });
    }
    Ok(placed)
}

/// The changes of all coordinates from where the bodies are stated.
fn along_the_tree(
    joints: &Joints,
    positions: &[Stated],
    bodies: &[Kinematics],
) -> Vec<(Stated, f64)> {
    let change = |&stated: &Stated| (stated, stated.way(joints, bodies));
    positions.iter().map(change).collect()
}

/// The way from where the bodies are stated to where joint coordinates want them: one coordinate after the other, since
/// those of one loop do not change in proportion.
struct Way<'a> {
    builder: &'a MultibodyBuilder,
    joints: &'a Joints,
    tree: &'a Tree<'a>,
    positions: &'a [Stated],
}

impl Way<'_> {
    fn go(&self, now: &mut Vec<Kinematics>) -> Result<(), AssemblyError> {
        // Bodies that are drawn the wrong way round are turned first, before anything else moves.
        let mut drawn = Held::new(self.builder, &[])?;
        let q = drawn.state(now).q;
        let mut joints = drawn.system.connections.iter();
        if joints.any(|joint| joint.least_cosine(&q) < DRAWN) {
            drawn
                .assemble(now)
                .map_err(|reason| self.fails(self.positions, 0.0, reason))?;
        }
        for last in 0..self.positions.len() {
            let stated = &self.positions[..=last];
            self.change(stated, now)
                .map_err(|(reached, reason)| self.fails(stated, reached, reason))?;
        }
        // Drives come last: they have to agree.
        let mut held = Held::new(self.builder, self.positions)?;
        // Stated values, drives as they are.
        for (index, stated) in self.positions.iter().enumerate() {
            held.follow(held.rows[index], &Motion::Constant(stated.value));
        }
        held.close(now)
            .and_then(|()| held.check_branch(now))
            .map_err(|reason| self.fails(self.positions, 1.0, reason))
    }

    fn fails(&self, stated: &[Stated], reached: f64, reason: String) -> AssemblyError {
        AssemblyError::JointPositions {
            joints: names(self.joints, stated),
            reached,
            reason,
        }
    }

    /// How many parts the way of a coordinate has.
    fn parts(&self, stated: &Stated, change: f64, bodies: &[Kinematics]) -> f64 {
        let part = match stated.freedom {
            Freedom::Angle => PART_ANGLE,
            Freedom::Translation => {
                let connections = self.joints.connections.iter();
                let arms =
                    connections.flat_map(|joint| joint.markers.map(|marker| marker.point.norm()));
                let first = bodies[0].position;
                let distances = bodies.iter().map(|body| (body.position - first).norm());
                PART_LENGTH * arms.chain(distances).fold(0.0, f64::max)
            }
        };
        // A way of a thousand sizes is an error of units rather than a loop to be followed.
        let parts = (change.abs() / part).ceil().clamp(1.0, MOST_PARTS);
        if parts.is_nan() { 1.0 } else { parts }
    }

    /// Changes the last coordinate of some and holds the others; an error comes with the part of the way that was gone.
    fn change(&self, stated: &[Stated], now: &mut Vec<Kinematics>) -> Result<(), (f64, String)> {
        let Some((&last, before)) = stated.split_last() else {
            return Ok(());
        };
        let mut held = Held::new(self.builder, stated).map_err(|error| (0.0, error.to_string()))?;
        for (index, stated) in before.iter().enumerate() {
            held.hold(index, stated.value);
        }
        let from = last.measure(self.joints, now);
        let change = last.way(self.joints, now);
        // First close the loops with all coordinates held: the start may be slightly open.
        held.hold(before.len(), from);
        held.close(now).map_err(|reason| (0.0, reason))?;
        let whole = 1.0 / self.parts(&last, change, now);
        // Homotopy: parts of the way, halved where a loop does not close.
        let (mut done, mut part) = (0.0, whole);
        while done < 1.0 {
            // Round-off must not leave a last part of its size.
            let next = if done + 1.001 * part > 1.0 {
                1.0
            } else {
                done + part
            };
            // On a copy: a part that fails leaves the bodies where they were.
            let mut trial = now.clone();
            self.tree
                .advance(&mut trial, &[(last, (next - done) * change)]);
            held.hold(before.len(), from + next * change);
            let opened = trial.clone();
            let closed = held.close(&mut trial);
            match closed.and_then(|()| self.check(&opened, &trial, before)) {
                Ok(()) => {
                    *now = trial;
                    done = next;
                }
                Err(_) if part > whole * 0.5_f64.powi(HALVINGS) => part *= 0.5,
                Err(reason) => return Err((done, reason)),
            }
        }
        // At the end all coordinates must be where they were wanted.
        self.check(now, now, stated).map_err(|reason| (1.0, reason))
    }

    /// Whether a loop was closed on the branch that it was on, with these coordinates where they should be.
    fn check(
        &self,
        opened: &[Kinematics],
        closed: &[Kinematics],
        stated: &[Stated],
    ) -> Result<(), String> {
        // A body that turned far while its loop was closed has jumped to another branch.
        for (opened, closed) in opened.iter().zip(closed) {
            let turned = Displacement::between(opened, closed).rotation;
            if turned.is_nan() || turned > BRANCH {
                return Err("a loop closes on another branch only".to_owned());
            }
        }
        for stated in stated {
            let missing = stated.way(self.joints, closed);
            // 1e-6: projections leave much less; more means that a row could not follow.
            if missing.is_nan() || missing.abs() > 1e-6 * (1.0 + stated.value.abs()) {
                let name = names(self.joints, &[*stated]);
                return Err(format!("{name} stays behind by {missing:e}"));
            }
        }
        Ok(())
    }
}
