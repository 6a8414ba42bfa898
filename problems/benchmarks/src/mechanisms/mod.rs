//! Mechanisms of rigid bodies without contacts: families of the open test set.

pub(crate) mod plane;

mod smooth;
