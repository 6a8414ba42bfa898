//! Mechanisms of rigid bodies without contacts: families of the open test set.

pub(crate) mod plane;
pub(crate) mod space;

mod smooth;

pub(crate) use smooth::Smooth;
