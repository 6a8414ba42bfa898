//! Problems on vector spaces.

mod elliptic;
mod manufactured;
mod pendulum;

pub(crate) use elliptic::{complete_integral, sn_cn_dn};
pub(crate) use manufactured::MANUFACTURED;
pub(crate) use pendulum::PENDULUM;
pub use pendulum::Pendulum;
