//! Joints with friction of a step: their rows, sliding velocities and normal impulses beside those of the contacts.

use super::contacts::{StepContacts, dot};
use super::friction::JointLaw;
use super::iterate::{Iterate, Span};
use crate::statement::SLIDING_VELOCITY;
use crate::{FrictionJoint, FrictionJointError, FrictionJoints, joint_friction};
use liedae::system::{EvaluationError, Evaluator, Layout, Point};

/// The impulses of one joint with friction in the last step, in N s.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::capturing::{ImpulseGauge, JointImpulse, MoreauJean};
/// use liedae_contact::{ContactModel, FrictionJoint, Support, with_contacts};
///
/// /// A slide of 2 kg on a level guide, with 2 m/s; μ = 0.3.
/// struct Slide;
/// # impl Model for Slide {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![0.0, 0.0], v: vec![2.0, 0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(2.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-20.0); }
/// #     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) { g[0] = at.q[1]; }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Slide {
///     fn friction_joints(&self) -> Vec<FrictionJoint> {
///         vec![FrictionJoint::new("guide", 0.3, [Support::of_rows([0])])]
///     }
///     fn joint_velocity<S: Scalar>(&self, _joint: usize, at: &Point<S>) -> S { at.v[0] }
/// }
///
/// // In every step of 0.01 s its weight gives 0.2 N s, and friction 0.3 of that.
/// let gauge = ImpulseGauge::default();
/// let method = MoreauJean::default().measuring_impulses(&gauge);
/// solve(&mut with_contacts(Slide), &method, &Options::fixed(0.5, 0.01))?;
/// let JointImpulse { normal, friction } = gauge.joints()[0];
/// assert!((normal - 0.2).abs() < 1e-12 && (friction + 0.06).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointImpulse {
    /// Σ |N| of its reactions.
    pub normal: f64,
    /// Friction along its sliding direction.
    pub friction: f64,
}

/// Mobility, relative to that without constraints, below which these hold or move a joint whatever its friction, and hold
/// the gap of a contact whatever its impulse.
pub(super) const HELD: f64 = 1e-12;

/// The sliding velocity, or that of a gap, in m/s above which they move it.
pub(super) const MOVED: f64 = 1e-9;

/// The joints with friction of a system.
pub(super) struct RubbingJoints {
    laws: Vec<FrictionJoint>,
    /// Their laws in the problem of a step, without friction where constraints hold the joint at rest anyway.
    pub of_step: Vec<JointLaw>,
    /// Sliding velocities at the start of the step.
    before: Vec<f64>,
    /// Normal impulses by the impulses of the problem, see [`Joints`](super::friction::Joints).
    pub normals: Vec<f64>,
    pub responses_known: bool,
    /// Where the diagonal of M stands among its entries.
    mass_diagonal: Vec<Option<usize>>,
    last: Vec<JointImpulse>,
}

impl RubbingJoints {
    /// Checks the laws and allocates for as many rows of contacts.
    pub fn new(
        system: &mut Evaluator,
        layout: &Layout,
        contact_rows: usize,
    ) -> Result<Self, FrictionJointError> {
        let laws = match joint_friction(system.system()) {
            Some(joints) => joints.friction_joints().to_vec(),
            None => Vec::new(),
        };
        for law in &laws {
            law.check(layout.rows())?;
        }
        let of_step: Vec<JointLaw> = laws
            .iter()
            .map(|law| JointLaw {
                friction: law.friction,
                reversal: 0.0,
                supports: law
                    .supports
                    .iter()
                    .map(|support| support.components.len())
                    .collect(),
            })
            .collect();
        let components: usize = of_step.iter().map(JointLaw::components).sum();
        let diagonal = 0..layout.dimension();
        Ok(Self {
            normals: Vec::with_capacity(components * (contact_rows + laws.len() + 1)),
            responses_known: false,
            mass_diagonal: diagonal.map(|i| layout.mass.position(i, i)).collect(),
            last: vec![JointImpulse::default(); laws.len()],
            before: vec![0.0; laws.len()],
            of_step,
            laws,
        })
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.laws.len()
    }

    /// The mobility along a row if there were no constraints, with a diagonal mass matrix.
    pub fn free_mobility(&self, row: &[f64], mass: &[f64]) -> f64 {
        let terms = row.iter().zip(&self.mass_diagonal);
        let terms = terms.filter_map(|(entry, &position)| {
            let mass = mass[position?];
            // H M⁻¹ Hᵀ with the diagonal of M alone.
            (mass > 0.0).then(|| entry * entry / mass)
        });
        terms.sum()
    }

    /// Impulses of the last step.
    pub fn last(&self) -> &[JointImpulse] {
        &self.last
    }
}

impl StepContacts {
    /// Whether there are joints with friction.
    pub fn rub(&self) -> bool {
        self.joints.len() > 0
    }

    /// Evaluates the rows of the joints at the present inner point, where they stay during the step, and the sliding
    /// velocities at its start.
    pub fn load_joints(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        iterate: &Iterate,
    ) -> Result<(), EvaluationError> {
        let at = iterate.inner(span);
        for joint in 0..self.joints.len() {
            self.load_joint_row(system, joint, self.joint_row(joint), &at)?;
            let from = span.from.point();
            let before = joints_of(system, from.t)?.joint_velocity(joint, &from)?;
            self.finite_joint(joint, from.t, &[before])?;
            self.joints.before[joint] = before;
            // k = (1-θ)/θ s⁻ of the law with two velocities.
            self.joints.of_step[joint].reversal = (1.0 - self.theta) / self.theta * before;
        }
        Ok(())
    }

    /// Evaluates the rows of the joints at the present end of the step, too: with the constraint rows of the same
    /// configuration, velocities at which several joints stick are compatible with the constraints.
    pub fn load_end_rows(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        iterate: &Iterate,
    ) -> Result<(), EvaluationError> {
        let at = iterate.end(span);
        for joint in 0..self.joints.len() {
            let place = self.joint_row(joint) + self.joints.len();
            self.load_joint_row(system, joint, place, &at)?;
        }
        Ok(())
    }

    /// Evaluates the row of a joint into this place among all rows.
    fn load_joint_row(
        &mut self,
        system: &mut Evaluator,
        joint: usize,
        place: usize,
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let entries = place * self.dimension..(place + 1) * self.dimension;
        joints_of(system, at.t)?.joint_jacobian(joint, at, &mut self.rows[entries.clone()])?;
        self.finite_joint(joint, at.t, &self.rows[entries])
    }

    /// Evaluates sliding velocities at the present end of the step, around which those of other velocities follow by the
    /// rows of the joints.
    pub fn follow_joints(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        iterate: &Iterate,
    ) -> Result<(), EvaluationError> {
        let at = iterate.end(span);
        for joint in 0..self.joints.len() {
            let row = self.joint_row(joint);
            let velocity = joints_of(system, at.t)?.joint_velocity(joint, &at)?;
            self.finite_joint(joint, at.t, &[velocity])?;
            // s(v) ≈ s_end + H (v - v_end).
            self.shift[row] = velocity - dot(self.velocity_row(row), at.v);
        }
        Ok(())
    }

    /// Laws of the joints and how impulses change their normal impulses, once the rows of the problem and its Delassus
    /// matrix are known.
    pub fn gather_joints(&mut self, mass: &[f64]) {
        let n = self.active_rows.len();
        let first = n - self.joints.len();
        self.joints.normals.clear();
        for joint in 0..self.joints.len() {
            let row = self.joint_row(joint) * self.dimension;
            let entries = &self.rows[row..row + self.dimension];
            let free = self.joints.free_mobility(entries, mass);
            let mobility = self.delassus[(first + joint) * (n + 1)];
            let law = &self.joints.laws[joint];
            // Constraints prescribe the sliding, and the mobility is round-off. At rest no law says what friction is.
            let prescribed = mobility <= HELD * free;
            if prescribed {
                for other in 0..n {
                    self.delassus[(first + joint) * n + other] = 0.0;
                    self.delassus[other * n + first + joint] = 0.0;
                }
            }
            let held = prescribed && self.joints.before[joint].abs() <= MOVED;
            self.joints.of_step[joint].friction = if held { 0.0 } else { law.friction };
            for support in &law.supports {
                for component in 0..support.components.len() {
                    // The first entry of each component is filled in by `load_normals`.
                    self.joints.normals.push(0.0);
                    for &row in &self.active_rows {
                        let change = support.component(component, &self.reactions[row]);
                        self.joints.normals.push(change);
                    }
                }
            }
        }
    }

    /// Normal impulses of the joints without the impulses of the problem.
    pub fn load_normals(&mut self, reactions: &[f64]) {
        let width = self.active_rows.len() + 1;
        let supports = self.joints.laws.iter().flat_map(|law| &law.supports);
        let components = supports.flat_map(|support| {
            (0..support.components.len()).map(|index| support.component(index, reactions))
        });
        let slots = self.joints.normals.iter_mut().step_by(width);
        for (slot, component) in slots.zip(components) {
            *slot = component;
        }
    }

    /// Ends a step with these impulses of the constraint rows.
    pub fn finish_joints(&mut self, reactions: &[f64]) {
        for joint in 0..self.joints.len() {
            self.joints.last[joint] = JointImpulse {
                normal: self.joints.laws[joint].normal_force(reactions),
                friction: self.impulses[self.joint_row(joint)],
            };
        }
    }

    fn finite_joint(&self, joint: usize, t: f64, values: &[f64]) -> Result<(), EvaluationError> {
        if values.iter().all(|value| value.is_finite()) {
            return Ok(());
        }
        let label = &self.joints.laws[joint].label;
        Err(EvaluationError::Failed {
            function: SLIDING_VELOCITY,
            t,
            reason: format!(
                "joint `{label}`: its sliding velocity or the derivative is not finite"
            ),
        })
    }
}

/// The joints with friction of the system.
fn joints_of<'a>(
    system: &'a mut Evaluator,
    t: f64,
) -> Result<&'a mut dyn FrictionJoints, EvaluationError> {
    joint_friction(system.system()).ok_or_else(|| EvaluationError::Failed {
        function: SLIDING_VELOCITY,
        t,
        reason: "the system had joints with friction when the run began and has none now"
            .to_owned(),
    })
}
