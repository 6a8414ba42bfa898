//! The dynamics seen from contacts and joints: what moves there by itself, and what forces in them move.

use crate::closed::response::Response;
use crate::closed::yielding::{Rows, Yielding};
use crate::complementarity::LcpSolver;
use crate::equations::Equations;
use crate::event_sets::Closed;
use crate::laws::friction::{Friction, NormalComponent, PressedJoint};
use crate::{Contact, FrictionJoint, failed};
use liedae::linalg::KktError;
use liedae::system::{AccelerationSolver, EvaluationError, Evaluator, Layout, Point, State};

/// Problems at velocity and at acceleration level in the directions of contacts and joints, u = W λ + u_free: the parts that
/// they consist of, and their solver.
pub(crate) struct LocalDynamics {
    /// W, as of the contacts of the last event.
    pub response: Response,
    pub lcp: LcpSolver,
    accelerations: AccelerationSolver,
    yielding: Yielding,
}

/// The motion without forces in contacts and without friction in joints.
pub(crate) struct FreeMotion {
    /// Accelerations of gaps and of sliding, in the order of the response's rows.
    pub motion: Vec<f64>,
    /// Multipliers of the wrapped system's rows.
    pub lambda: Vec<f64>,
}

impl LocalDynamics {
    /// Memory for a wrapped system with this layout.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        Ok(Self {
            response: Response::new(layout)?,
            lcp: LcpSolver::default(),
            accelerations: AccelerationSolver::new(layout)?,
            yielding: Yielding::default(),
        })
    }

    /// Computes the response of these contacts and of all joints.
    pub fn respond(
        &mut self,
        equations: &mut Equations,
        chosen: &[usize],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let (system, inside) = equations.inside(at);
        let (contacts, joints) = (inside.contacts, inside.joints);
        self.response
            .compute(system, &inside.at, contacts, chosen, joints)
    }

    /// Of these contacts of the response the ones that [yield alike](crate::closed::yielding); `friction` is that of all, `slide` whether
    /// it slides, `law` says
    /// which contact has a number.
    pub fn yielding<'a>(
        &mut self,
        closed: &[usize],
        (friction, slide): (&[Friction], bool),
        law: impl Fn(usize) -> &'a Contact,
    ) -> Vec<usize> {
        let (response, count) = (&self.response, friction.len());
        let size = response.free_diagonal.len();
        let rows = closed.iter().map(|&index| {
            let rubs = friction[index] != Friction::None;
            let tangents = [Some(count + index), response.seconds[index]];
            Rows {
                normal: index,
                tangents: tangents.map(|row| row.filter(|_| rubs)),
                friction: friction[index].coefficient(),
            }
        });
        let rows: Vec<Rows> = rows.collect();
        let places = self.yielding.find(
            &rows,
            slide,
            |row, column| response.matrix[row * size + column],
            |one, other| law(closed[one]).acts_on_same(law(closed[other])),
        );
        places.iter().map(|&place| closed[place]).collect()
    }

    /// Whether a contact that took part in the last search for [`yielding`](Self::yielding) ones, in this place, wedges itself.
    pub fn is_wedged(&self, place: usize) -> bool {
        self.yielding.wedged().contains(&place)
    }

    /// The motion without forces in these contacts and without friction, with all joints; below `still` is no acceleration.
    pub fn free_motion(
        &mut self,
        equations: &mut Equations,
        (closed, still): (&[Closed], f64),
        state: &State,
    ) -> Result<FreeMotion, EvaluationError> {
        let accelerations = &mut self.accelerations;
        let completed = equations.with_inner_state(state, |inner, own| {
            let completed = accelerations.complete(&mut Evaluator::new(inner), own);
            completed.map(|_| own.clone())
        });
        let own = completed
            .map_err(|error| failed(state.t, format!("the motion without contacts: {error}")))?;
        let count = closed.len();
        let mut free = vec![0.0; self.response.free_diagonal.len()];
        for (index, closed) in closed.iter().enumerate() {
            let [normal, x, y] = equations.bias_of(closed.contact, &state.point())?;
            let sliding = closed.seen([x, y]);
            let rows = [
                Some(index),
                Some(count + index),
                self.response.seconds[index],
            ];
            for (row, bias) in rows.into_iter().zip([normal, sliding[0], sliding[1]]) {
                if let Some(row) = row {
                    free[row] = self.response.motion_of(&own.acceleration, row) + bias;
                }
            }
        }
        for joint in 0..equations.joints.len() {
            let row = 2 * count + joint;
            let at = state.point();
            let (joints, inner_at) = equations.joints_at(&at)?;
            let bias = joints.joint_bias(joint, &inner_at)?;
            free[row] = self.response.motion_of(&own.acceleration, row) + bias;
            // Of a joint that no force moves round-off is left, which no friction could balance.
            let mobility = self.response.matrix[row * (free.len() + 1)];
            if mobility == 0.0 && free[row].abs() <= still {
                free[row] = 0.0;
            }
        }
        Ok(FreeMotion {
            motion: free,
            lambda: own.lambda,
        })
    }

    /// The laws of all joints in a problem with all rows of the response; `lambda` are the multipliers without forces in
    /// them.
    pub fn pressed_joints(
        &self,
        joints: &[FrictionJoint],
        friction: &[Friction],
        lambda: &[f64],
    ) -> Vec<PressedJoint> {
        if joints.is_empty() {
            return Vec::new();
        }
        let rows = 0..self.response.free_diagonal.len();
        let law = |(joint, &friction): (&FrictionJoint, &Friction)| PressedJoint {
            friction,
            supports: joint
                .supports
                .iter()
                .map(|support| {
                    let components = (0..support.components.len()).map(|index| NormalComponent {
                        free: support.component(index, lambda),
                        by_force: rows
                            .clone()
                            .map(|row| support.component(index, self.response.reactions_of(row)))
                            .collect(),
                    });
                    components.collect()
                })
                .collect(),
        };
        joints.iter().zip(friction).map(law).collect()
    }
}
