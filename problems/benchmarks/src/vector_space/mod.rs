//! Problems on vector spaces.

mod elliptic;
mod pendulum;

pub(crate) use elliptic::{complete_integral, sn_cn_dn};
pub(crate) use pendulum::PENDULUM;
pub use pendulum::Pendulum;
