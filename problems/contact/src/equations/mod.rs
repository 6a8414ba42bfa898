//! Between events: the rows of closed contacts and sticking joints, their derivatives, and the layout that has them.

mod correction;
pub(crate) mod joint_derivatives;
mod motion;
pub(crate) mod row_derivatives;
pub(crate) mod rows;
mod sliding_joints;
pub(crate) mod structure;
