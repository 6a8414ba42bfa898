//! Sparsity of a plane mechanism.

use super::{PlaneForce, PlaneJoint, PlaneMechanism};
use liedae::linalg::{Blocks, KktError, Pattern};
use liedae::manifold::Manifold;
use liedae::system::Layout;

impl<C> PlaneMechanism<C> {
    /// The moments in s behind which forces are not there, in their order. The state has a mode for each: whether it has passed.
    pub(super) fn ends(&self) -> impl Iterator<Item = f64> {
        self.forces.iter().filter_map(PlaneForce::end)
    }

    pub(super) fn lay_out(&mut self) -> Result<(), KktError> {
        let size = 3 * self.bodies.len();
        let rows = self.joints.iter().map(PlaneJoint::rows).sum();
        let columns = |body: usize| 3 * body..3 * body + 3;
        let mut entries = Vec::new();
        let mut row = 0;
        for joint in &self.joints {
            for _ in 0..joint.rows() {
                let columns = joint.members().flat_map(columns);
                entries.extend(columns.map(|column| (row, column)));
                row += 1;
            }
        }
        // A force between two bodies depends on coordinates and velocities of both.
        let mut rates = Vec::new();
        let forces = self.forces.iter().map(PlaneForce::bodies);
        for bodies in forces.chain(self.closures.iter().map(|force| force.bodies)) {
            let touched: Vec<usize> = bodies.into_iter().flatten().flat_map(columns).collect();
            rates.extend(
                touched
                    .iter()
                    .flat_map(|&i| touched.iter().map(move |&j| (i, j))),
            );
        }
        self.layout = Layout {
            mass: Pattern::diagonal(size),
            constant_mass: true,
            regular_joints: true,
            jacobian: Pattern::from_entries(rows, size, entries)?,
            rates: Pattern::from_entries(size, size, rates)?,
            blocks: Blocks {
                variables: vec![3; self.bodies.len()],
                rows: self.joints.iter().map(PlaneJoint::rows).collect(),
            },
            // One for each force that ends.
            modes: self.ends().count(),
            ..Layout::dense(Manifold::euclidean(size)).with_position_rows(rows)
        };
        Ok(())
    }
}
