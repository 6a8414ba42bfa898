//! Where markers start, and the parts of the inertia that they take.

use super::inertia::Moments;
use super::model::ModalModel;
use super::node::ModalNode;
use super::statement::Marker;
use crate::body::RigidBody;
use liedae::manifold::rotation;
use nalgebra::{DMatrix, Matrix3, Vector3};

/// The part of the inertia that all markers together take.
const TAKEN: f64 = 0.5;

impl ModalModel {
    /// The frame as a body: what the model weighs where nothing is deformed, about the frame's origin.
    pub(super) fn frame(&self, name: &str) -> RigidBody {
        let tensor = Moments::tensor(&self.moments.second);
        let tensor = (tensor + tensor.transpose()) * 0.5;
        RigidBody::new(name, self.mass(), tensor).with_unphysical_inertia()
    }

    /// How much mass and inertia a marker takes, out of so many.
    ///
    /// W = J M⁻¹ Jᵀ is the inverse of the inertia that its six velocities meet. Whatever its blocks beside the diagonal are,
    /// W ≤ 2 diag(W_tt, W_rr), so that a body of the inertia D with D⁻¹ ≥ 2/α diag(W_tt, W_rr) leaves M - JᵀDJ ≥ (1 - α) M. J and M
    /// are those of η = 0: large deformations may leave less, and nothing at last.
    pub(super) fn share(&self, node: usize, markers: usize) -> Option<[f64; 2]> {
        let part = TAKEN / markers as f64;
        let modes = self.modes();
        let node = self.nodes.get(node)?;
        let mut jacobian = DMatrix::zeros(6, 6 + modes);
        let arm = node.position.cross_matrix();
        jacobian.view_mut((0, 0), (3, 3)).fill_with_identity();
        jacobian.view_mut((0, 3), (3, 3)).copy_from(&-arm);
        jacobian.view_mut((3, 3), (3, 3)).fill_with_identity();
        for mode in 0..modes {
            let column = [node.displacements[mode], node.spin(mode, &[0.0; 3])];
            for (index, entry) in column.iter().flatten().enumerate() {
                jacobian[(index, 6 + mode)] = *entry;
            }
        }
        let solved = self
            .moments
            .matrix()
            .cholesky()?
            .solve(&jacobian.transpose());
        let inverse = jacobian * solved;
        // Of infinities the iteration for eigenvalues would not end.
        if !inverse.iter().all(|entry| entry.is_finite()) {
            return None;
        }
        let largest = |first: usize| {
            let block: Matrix3<f64> = inverse.fixed_view::<3, 3>(first, first).into();
            block.symmetric_eigenvalues().max()
        };
        let shares = [largest(0), largest(3)].map(|largest| part / (2.0 * largest));
        let positive = |share: &f64| share.is_finite() && *share > 0.0;
        shares.iter().all(positive).then_some(shares)
    }
}

impl Marker {
    /// The marker as a body, on a frame in motion.
    pub(crate) fn body(
        &self,
        name: String,
        frame: &RigidBody,
        node: &ModalNode,
        [eta, rate]: [&[f64]; 2],
    ) -> RigidBody {
        let (eta, rate) = (|mode: usize| eta[mode], |mode: usize| rate[mode]);
        let (arm, turn) = (node.place(&eta), node.turn(&eta));
        let mut flow = frame.omega.cross(&arm);
        for mode in 0..node.displacements.len() {
            flow += node.shape(mode, &eta) * rate(mode);
        }
        let own = ModalNode::rotation(&turn);
        let bending = Vector3::from(rotation::dexp(&turn, &node.turn(&rate)));
        RigidBody::new(name, self.mass, [self.rotary; 3])
            .at(frame.position + frame.rotation * arm)
            .rotated(frame.rotation * own)
            .moving(
                frame.velocity + frame.rotation * flow,
                own.tr_mul(&frame.omega) + bending,
            )
    }
}
