//! All that a Runge-Kutta method integrates, or the rates of it, in one list.

use super::sums::{BLOCK, Block};
use crate::system::State;

/// Parts begin at whole vectors of the processor.
pub(super) const LANES: usize = 4;

/// Where local coordinates u of the group, velocities v and differential states x stand in a list: a sum over stages is then one pass.
/// What lies between the parts is zero.
#[derive(Clone, Copy)]
pub(in crate::integrator) struct Components {
    velocities: usize,
    states: usize,
    /// From u to v and from v to x.
    stride: usize,
    /// Length of a list.
    blocks: usize,
}

impl Components {
    /// Of states of this shape.
    pub fn of(state: &State) -> Self {
        let (velocities, states) = (state.v.len(), state.x.len());
        let stride = velocities.next_multiple_of(LANES);
        Self {
            velocities,
            states,
            stride,
            blocks: (2 * stride + states).div_ceil(BLOCK),
        }
    }

    /// Length of a list in blocks.
    #[inline]
    pub fn blocks(self) -> usize {
        self.blocks
    }

    /// A list of zeros.
    pub fn zeros(self) -> Vec<Block> {
        vec![[0.0; BLOCK]; self.blocks]
    }

    /// Numbers of u, and of v.
    #[inline]
    pub fn velocities(self) -> usize {
        self.velocities
    }

    /// From u to v and from v to x.
    #[inline]
    pub fn stride(self) -> usize {
        self.stride
    }

    /// u, v and x.
    #[inline]
    pub fn split(self, list: &[Block]) -> [&[f64]; 3] {
        let (u, rest) = list.as_flattened().split_at(self.stride);
        let (v, x) = rest.split_at(self.stride);
        [
            &u[..self.velocities],
            &v[..self.velocities],
            &x[..self.states],
        ]
    }

    /// The same to write to.
    #[inline]
    pub fn split_mut(self, list: &mut [Block]) -> [&mut [f64]; 3] {
        let (u, rest) = list.as_flattened_mut().split_at_mut(self.stride);
        let (v, x) = rest.split_at_mut(self.stride);
        [
            &mut u[..self.velocities],
            &mut v[..self.velocities],
            &mut x[..self.states],
        ]
    }
}
